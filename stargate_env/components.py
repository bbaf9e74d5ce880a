"""What is in the box of the Stargate TCG: the pool of 824 cards.

The facts are in `data/cards.csv`; `data/README.md` says what its columns mean and where they come
from. A user's own pool is read with `load_cards(path)` and checked in the same way. What a card
does is a text in the card language (`script.py`). Section numbers refer to RULES.md in this folder.
"""

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from os import PathLike
from typing import Final

from tabletop_core.errors import shown
from tabletop_core.files import path_text
from tabletop_core.table_file import Violations, read_text

from .script import Clause, ScriptError, parse_effect
from .sizes import (
    ADVERSARY,
    CARD_TYPES,
    EVENT,
    GEAR,
    GLYPHS,
    HERO,
    MISSION,
    OBSTACLE,
    RARITIES,
    SETS,
    SHIP,
    SIDES,
    SKILLS,
    SUPPORT,
    TEAM,
    TRAITS,
    VILLAIN,
)

COLUMNS: Final = (
    "card_id",
    "rarity",
    "title",
    "subtitle",
    "card_type",
    "side",
    "traits",
    "cost",
    "point_value",
    *SKILLS,
    "mission_skill",
    "mission_difficulty",
    "experience",
    "glyph",
    "revive_cost",
    "firepower",
    "effect",
    "notes",
)

# §1: the columns with a number, and their ranges. Wider than what is printed, for cards of a user.
NUMBER_RANGES: Final = {
    "cost": (0, 9),
    "point_value": (1, 9),
    **dict.fromkeys(SKILLS, (0, 9)),
    "mission_difficulty": (0, 9),
    "experience": (0, 9),
    "revive_cost": (0, 9),
    "firepower": (0, 9),
}

# §1: what a card of each type must have; the ratings of a team character are all four of them.
_MISSION_FIELDS: Final = ("mission_skill", "mission_difficulty", "experience", "glyph")
REQUIRED: Final[Mapping[int, tuple[str, ...]]] = {
    TEAM: ("subtitle", "point_value", *SKILLS),
    SUPPORT: ("subtitle", "cost"),
    MISSION: ("subtitle", *_MISSION_FIELDS),
    GEAR: ("cost",),
    EVENT: ("cost",),
    OBSTACLE: ("cost",),
    ADVERSARY: ("subtitle", "cost", "revive_cost"),
    SHIP: ("cost", "firepower"),
}
# §1: what it may have besides; of the ratings at least one, where they are allowed.
OPTIONAL: Final[Mapping[int, tuple[str, ...]]] = {
    SUPPORT: SKILLS,
    OBSTACLE: SKILLS,
    ADVERSARY: SKILLS,
    SHIP: ("subtitle",),
}
SIDES_OF: Final[Mapping[int, tuple[int, ...]]] = {
    TEAM: (HERO,),
    SUPPORT: (HERO,),
    MISSION: (HERO,),
    GEAR: (HERO,),
    EVENT: (HERO,),
    OBSTACLE: (VILLAIN,),
    ADVERSARY: (VILLAIN,),
    SHIP: (HERO, VILLAIN),
}
_CHECKED_FIELDS: Final = ("subtitle", *NUMBER_RANGES, "mission_skill", "glyph")

_RULE: Final = "§1"


# --- cards ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Card:
    """One card of the pool. Numbers are None where the card has no such value (N1)."""

    number: int
    """Place in the pool, from 0."""
    card_id: str
    rarity: str
    title: str
    subtitle: str
    card_type: int
    """Index in `sizes.CARD_TYPES`."""
    side: int
    """Index in `sizes.SIDES`."""
    traits: tuple[str, ...]
    cost: int | None
    point_value: int | None
    ratings: tuple[int | None, ...]
    """[skill] rating of a character, difficulty of an obstacle or adversary."""
    mission_skill: int | None
    mission_difficulty: int | None
    experience: int | None
    glyph: int | None
    """Index in `sizes.GLYPHS`."""
    revive_cost: int | None
    firepower: int | None
    effect: str
    """In the card language."""
    notes: str

    @property
    def set_code(self) -> str:
        """Key of `sizes.SETS`."""
        return self.card_id.partition("-")[0]

    @property
    def type_name(self) -> str:
        """Name of the card type."""
        return CARD_TYPES[self.card_type]

    @property
    def is_character(self) -> bool:
        """Whether it is a team or support character."""
        return self.card_type in (TEAM, SUPPORT)

    @property
    def is_unique(self) -> bool:
        """§8: whether a second card of this title cannot be in play (§1: missions aside)."""
        return self.is_character or self.card_type == ADVERSARY or self._is_named_ship

    @property
    def _is_named_ship(self) -> bool:
        return self.card_type == SHIP and self.subtitle != ""

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """The effect as a syntax tree."""
        return parse_effect(self.effect, self.card_id)

    def __str__(self) -> str:
        name = f"{self.title}, {self.subtitle}" if self.subtitle else self.title
        return f"{self.card_id} {name}"


@dataclass(frozen=True)
class CardPool:
    """All cards that decks are made of."""

    name: str
    cards: tuple[Card, ...]

    @cached_property
    def by_id(self) -> Mapping[str, Card]:
        """Card id -> card."""
        return {card.card_id: card for card in self.cards}

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """All titles, sorted: the number of a title is its place here."""
        return tuple(sorted({card.title for card in self.cards}))

    @cached_property
    def title_numbers(self) -> Mapping[str, int]:
        """Title -> its number."""
        return {title: number for number, title in enumerate(self.titles)}


# --- loading --------------------------------------------------------------------------------------


def load_cards(path: str | PathLike[str] | None = None) -> CardPool:
    """The pool of the three published sets, or that of a user's file of the same columns.

    Effects of a user's file are parsed at once; those of the shipped pool, which tests have
    checked, when they are needed.

    Raises:
        TabletopError: the file cannot be read, or it breaks rules; every violation is listed.
    """
    return _shipped_pool() if path is None else _read_pool(path)


@cache
def _shipped_pool() -> CardPool:
    text = files(__package__).joinpath("data", "cards.csv").read_text(encoding="utf-8")
    return parse_cards(text, "cards.csv", check_effects=False)


def _read_pool(path: str | PathLike[str]) -> CardPool:
    return parse_cards(read_text(path), path_text(path))


def parse_cards(text: str, name: str, check_effects: bool = True) -> CardPool:
    """The pool in a CSV text with the columns `COLUMNS`.

    Raises:
        TabletopError: lists every violation with its line.
    """
    violations = Violations(name)
    rows = list(csv.reader(io.StringIO(text)))
    if not rows or tuple(rows[0]) != COLUMNS:
        violations.add(f"the first line must be {','.join(COLUMNS)}", line=1)
        violations.raise_if_any()
    reader = _RowReader(violations, check_effects)
    cards = reader.read(rows[1:])
    if not cards and not violations:
        violations.add("the file holds no card")
    violations.raise_if_any()
    return CardPool(name, tuple(cards))


def pool_to_text(pool: CardPool) -> str:
    """The CSV text of a pool, which `parse_cards` reads back."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for card in pool.cards:
        writer.writerow(_cells(card))
    return out.getvalue()


def _cells(card: Card) -> list[object]:
    """The row of a card; an absent value is an empty cell."""
    return [
        card.card_id,
        card.rarity,
        card.title,
        card.subtitle,
        card.type_name,
        SIDES[card.side],
        "|".join(card.traits),
        card.cost,
        card.point_value,
        *card.ratings,
        None if card.mission_skill is None else SKILLS[card.mission_skill],
        card.mission_difficulty,
        card.experience,
        None if card.glyph is None else GLYPHS[card.glyph],
        card.revive_cost,
        card.firepower,
        card.effect,
        card.notes,
    ]


class _RowReader:
    """Turns rows into cards and notes what is wrong with them."""

    def __init__(self, violations: Violations, check_effects: bool) -> None:
        self._violations = violations
        self._check_effects = check_effects
        self._seen: set[str] = set()
        self._line = 1
        self._card_id = ""

    def read(self, rows: Iterable[list[str]]) -> list[Card]:
        """One card for each well-formed row."""
        cards: list[Card] = []
        for row in rows:
            self._line += 1
            if len(row) != len(COLUMNS):
                self._fault("row", f"has {len(row)} cells, not {len(COLUMNS)}")
            else:
                cards.append(self._card(len(cards), dict(zip(COLUMNS, row, strict=True))))
        return cards

    def _fault(self, field: str, what: str) -> None:
        subject = f"{self._card_id} {field}" if self._card_id else field
        self._violations.add(what, line=self._line, field=subject, rule=_RULE)

    def _card(self, number: int, cells: dict[str, str]) -> Card:
        self._card_id = cells["card_id"]
        self._check_id(cells["card_id"])
        card_type = self._choice(cells, "card_type", CARD_TYPES)
        side = self._choice(cells, "side", SIDES)
        numbers = {field: self._number(cells, field) for field in NUMBER_RANGES}
        card = Card(
            number=number,
            card_id=cells["card_id"],
            rarity=RARITIES[self._choice(cells, "rarity", RARITIES)],
            title=cells["title"],
            subtitle=cells["subtitle"],
            card_type=card_type,
            side=side,
            traits=self._traits(cells["traits"]),
            cost=numbers["cost"],
            point_value=numbers["point_value"],
            ratings=tuple(numbers[skill] for skill in SKILLS),
            mission_skill=self._optional_choice(cells, "mission_skill", SKILLS),
            mission_difficulty=numbers["mission_difficulty"],
            experience=numbers["experience"],
            glyph=self._optional_choice(cells, "glyph", GLYPHS),
            revive_cost=numbers["revive_cost"],
            firepower=numbers["firepower"],
            effect=cells["effect"],
            notes=cells["notes"],
        )
        self._check_type(card, cells)
        if self._check_effects:
            self._check_effect(card)
        return card

    def _check_id(self, card_id: str) -> None:
        code, _, digits = card_id.partition("-")
        if code not in SETS or len(digits) != 3 or not digits.isdecimal():
            self._fault("card_id", f"{shown(card_id)} is not a set code, '-' and three digits")
        elif card_id in self._seen:
            self._fault("card_id", "stands in an earlier line already")
        self._seen.add(card_id)

    def _choice(self, cells: dict[str, str], field: str, allowed: tuple[str, ...]) -> int:
        if cells[field] in allowed:
            return allowed.index(cells[field])
        self._fault(field, f"{shown(cells[field])} is none of {', '.join(allowed)}")
        return 0

    def _optional_choice(
        self, cells: dict[str, str], field: str, allowed: tuple[str, ...]
    ) -> int | None:
        return self._choice(cells, field, allowed) if cells[field] else None

    def _number(self, cells: dict[str, str], field: str) -> int | None:
        text = cells[field]
        if not text:
            return None
        low, high = NUMBER_RANGES[field]
        if text.isdecimal() and text.isascii() and low <= int(text) <= high:
            return int(text)
        self._fault(field, f"{shown(text)} is not a whole number from {low} to {high}")
        return low

    def _traits(self, text: str) -> tuple[str, ...]:
        traits = tuple(text.split("|")) if text else ()
        for trait in traits:
            if trait not in TRAITS:
                self._fault("traits", f"{shown(trait)} is none of {', '.join(TRAITS)}")
        if len(set(traits)) < len(traits):
            self._fault("traits", "a trait is named twice")
        return traits

    def _check_type(self, card: Card, cells: dict[str, str]) -> None:
        """What the type must and must not have (§1)."""
        required = REQUIRED[card.card_type]
        optional = OPTIONAL.get(card.card_type, ())
        type_name = card.type_name.replace("_", " ")
        if not card.title:
            self._fault("title", "is missing")
        for field in _CHECKED_FIELDS:
            if field in required and not cells[field]:
                self._fault(field, f"is missing: every {type_name} has one")
            elif field not in required and field not in optional and cells[field]:
                self._fault(field, f"must be empty: no {type_name} has one")
        if SKILLS[0] in optional and all(rating is None for rating in card.ratings):
            self._fault("culture", f"a {type_name} has at least one rating")
        if card.card_type == MISSION and card.traits:
            self._fault("traits", "a mission has no traits")
        if card.side not in SIDES_OF[card.card_type]:
            self._fault("side", f"a {type_name} cannot be a {SIDES[card.side]} card")

    def _check_effect(self, card: Card) -> None:
        try:
            parse_effect(card.effect, card.card_id, SIDES[card.side])
        except ScriptError as error:
            self._fault("effect", str(error))
