"""Plain cards: cards without text that surround the card of a scenario and do not interfere.

The name of a plain card says what it is: traits, kind and, to have several titles, any suffix, with
hyphens between them: `team-b`, `Jaffa-support`, `SGC+Russian-support-a`, `mission-com`. All numbers
are those of `_KINDS`; a scenario changes them with `define`.
"""

from dataclasses import replace
from typing import Final

from stargate_env.components import Card
from stargate_env.sizes import (
    ADVERSARY,
    CARD_TYPES,
    EVENT,
    GEAR,
    GLYPHS,
    HERO,
    MISSION,
    OBSTACLE,
    SHIP,
    SUPPORT,
    TEAM,
    TRAITS,
    VILLAIN,
)

SKILL_NAMES: Final = ("cul", "sci", "com", "ing")
GLYPH_NAMES: Final = tuple(name[0] for name in GLYPHS)

_BLANK: Final = Card(
    number=0,
    card_id="",
    rarity="C",
    title="",
    subtitle="",
    card_type=TEAM,
    side=HERO,
    traits=(),
    cost=None,
    point_value=None,
    ratings=(None, None, None, None),
    mission_skill=None,
    mission_difficulty=None,
    experience=None,
    glyph=None,
    revive_cost=None,
    firepower=None,
    effect="NONE",
    notes="",
)


def _mission(skill: int) -> Card:
    return replace(
        _BLANK,
        card_type=MISSION,
        subtitle="Plain",
        mission_skill=skill,
        mission_difficulty=4,
        experience=1,
        glyph=0,
    )


_TEAM: Final = replace(
    _BLANK, card_type=TEAM, subtitle="Plain", point_value=4, ratings=(2, 2, 2, 2)
)
_HERO_SHIP: Final = replace(_BLANK, card_type=SHIP, cost=2, firepower=2)
_ADVERSARY: Final = replace(
    _BLANK,
    card_type=ADVERSARY,
    side=VILLAIN,
    subtitle="Plain",
    cost=3,
    ratings=(2, 2, 2, 2),
    revive_cost=4,
)
_KINDS: Final = {
    "team": _TEAM,
    "ace": replace(_TEAM, ratings=(9, 9, 9, 9)),
    "support": replace(_BLANK, card_type=SUPPORT, subtitle="Plain", cost=2, ratings=(1, 1, 1, 1)),
    "gear": replace(_BLANK, card_type=GEAR, cost=2),
    "event": replace(_BLANK, card_type=EVENT, cost=2),
    "ship": _HERO_SHIP,
    "obstacle": replace(_BLANK, card_type=OBSTACLE, side=VILLAIN, cost=2, ratings=(1, 1, 1, 1)),
    "adversary": _ADVERSARY,
    "vship": replace(_HERO_SHIP, side=VILLAIN),
    "mission-cul": _mission(0),
    "mission-sci": _mission(1),
    "mission-com": _mission(2),
    "mission-ing": _mission(3),
    "glyph": _mission(2),  # glyph-T: a mission with that symbol
    "hfill": replace(_BLANK, card_type=GEAR, cost=9),
    "vfill": replace(_BLANK, card_type=OBSTACLE, side=VILLAIN, cost=9),
}
_NUMBERS: Final = {
    "cost": "cost",
    "value": "point_value",
    "difficulty": "mission_difficulty",
    "xp": "experience",
    "revive": "revive_cost",
    "firepower": "firepower",
}


class NoPlainCard(Exception):
    """A word is neither the name of a plain card nor a part of its definition."""


def plain_card(name: str) -> Card:
    """The plain card of that name; its number in the pool is still to be set."""
    parts = name.split("-")
    traits: tuple[str, ...] = ()
    if set(parts[0].split("+")) <= set(TRAITS):
        traits = tuple(sorted(parts.pop(0).split("+")))
    kind = "-".join(parts[:2])
    if kind not in _KINDS:
        kind = parts[0] if parts else ""
    if kind not in _KINDS:
        raise NoPlainCard(f"{name!r} is neither the id of a card nor the name of a plain card")
    card = replace(_KINDS[kind], card_id=name, title=name, traits=traits)
    if kind == "glyph":
        if parts[1:] not in [[letter] for letter in GLYPH_NAMES]:
            raise NoPlainCard(f"{name!r}: a glyph is one of {' '.join(GLYPH_NAMES)}")
        return replace(card, glyph=GLYPH_NAMES.index(parts[1]))
    return card


def defined_card(name: str, definition: str) -> Card:
    """A plain card with other numbers: `Jaffa support, com 3, cul -, cost 1, title Bra'tac`."""
    first, *changes = [part.strip() for part in definition.split(",")]
    card = replace(plain_card("-".join(first.split())), card_id=name, title=name)
    for change in changes:
        card = _changed(card, *change.partition(" ")[::2])
    return card


def _changed(card: Card, field: str, value: str) -> Card:
    if field == "title" and value:
        return replace(card, title=value)
    if field == "subtitle" and value and card.card_type == SHIP:
        return replace(card, subtitle=value)
    if field == "glyph" and value in GLYPH_NAMES:
        return replace(card, glyph=GLYPH_NAMES.index(value))
    if field in SKILL_NAMES and (value.isdecimal() or value == "-"):
        rating = None if value == "-" else int(value)
        ratings = [*card.ratings]
        ratings[SKILL_NAMES.index(field)] = rating
        return replace(card, ratings=tuple(ratings))
    attribute = _NUMBERS.get(field, "")
    if value.isdecimal() and getattr(card, attribute, None) is not None:
        return replace(card, **{attribute: int(value)})
    raise NoPlainCard(f"{CARD_TYPES[card.card_type]} {card.card_id}: unknown '{field} {value}'")
