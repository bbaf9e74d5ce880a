"""The Stargate TCG in words: actions as text, positions as JSON (RULES.md §16.4).

A card is written with its id and, behind a full stop, which copy in its owner's list it is:
`BS-130.2`; with its owner in front where he is not clear: `1:BS-130.2`. A place of a list that
holds no card is written `place-99`. `position.py` reads and writes whole positions.

Section numbers refer to RULES.md beside this file.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from tabletop_core.bits import WORD_BITS
from tabletop_core.errors import TabletopError, shown
from tabletop_core.game import Array, Json, Ruleset
from tabletop_core.notation import (
    action_words,
    check_action,
    members,
    player_or_none,
    position_head,
    position_tail,
    state_values,
)

from .components import Card
from .derived import cost_to_play, difficulty, hero_total, refresh
from .machine_part import machine_to_json
from .ruleset import list_names
from .sizes import LIST_SIZE, NO_RATING, SKILLS
from .state import (
    ACTIONS,
    CONDITIONS,
    DECK,
    HAND,
    MISSIONS,
    NO_CARD,
    NOWHERE,
    PROMPTS,
    READY,
    SEAT_STRIDE,
    ZONES,
)
from .table import (
    contains,
    count_experience,
    count_glyphs,
    count_villain_score,
    current_rating,
    in_play_word,
    other_of,
    point_total,
    villain_of,
)
from .view import names_seen

_CARD_BLOCKS: Final[Mapping[str, str]] = {
    "play": "play",
    "assign": "assign",
    "boost": "boost with",
    "complicate": "complicate with",
    "use": "use",
    "own": "choose",
    "other": "choose their",
}
_NUMBER_BLOCKS: Final[Mapping[str, str]] = {
    "slot": "choose complication",
    "option": "option",
    "number": "number",
}
_WORDS: Final[Mapping[str, str]] = {"let_die": "let die"}
_SECRET_BLOCKS: Final = frozenset({"complicate", "own", "other"})
_A_CARD: Final = "a card"
_EMPTY_PLACE: Final = "place-"


# --- actions ---------------------------------------------------------------------------------


def action_to_string(ruleset: Ruleset, state: Array, action: int) -> str:
    """The text of any action, legal or not, of the player who decides.

    Raises:
        TabletopError: there is no such action.
    """
    check_action(ruleset.game, action)
    block, k = ACTIONS.block_of(action)
    if block.name in _CARD_BLOCKS:
        names = _names_for(ruleset, state, block.name)
        return f"{_CARD_BLOCKS[block.name]} {_name_in(names, k)}"
    if block.name in _NUMBER_BLOCKS:
        shift = 0 if block.name == "number" else 1
        return f"{_NUMBER_BLOCKS[block.name]} {k + shift}"
    return _WORDS.get(block.name, block.name)


def seen_action(ruleset: Ruleset, state: Array, action: int, viewer: int) -> str:
    """The text of an action as another player sees it (§3.1).

    What is played, assigned or used is named by its id; which copy it was, nobody can tell. A card
    that is chosen among cards that do not lie openly stays unnamed.
    """
    block, place = ACTIONS.block_of(action)
    if block.name not in _CARD_BLOCKS:
        return action_to_string(ruleset, state, action)
    s = state[0]
    seat = int(s.current_player)
    owner = int(other_of(s, seat)) if block.name == "other" else seat
    card = owner * SEAT_STRIDE + place
    verb = _CARD_BLOCKS[block.name]
    if block.name in _SECRET_BLOCKS and not contains(s.named, card):
        return f"{verb} {_A_CARD}"
    return f"{verb} {ruleset.tables.kinds[int(s.kind[card])].card_id}"


def string_to_action(ruleset: Ruleset, state: Array, text: str) -> int:
    """The action of a text in the same state; the inverse of `action_to_string`.

    Raises:
        TabletopError: no action is written like this now.
    """
    words = action_words(ruleset.game, text)
    own, other = (_names_for(ruleset, state, block) for block in ("own", "other"))
    for first, _, block in ACTIONS.rows():
        if block.name in _CARD_BLOCKS:
            names = other if block.name == "other" else own
            k = _place_named(names, _CARD_BLOCKS[block.name], words)
        else:
            k = _number_named(ruleset, state, first, block.count, words)
        if k is not None:
            return first + k
    forms = [*_WORDS.values(), *(f"{verb} CARD" for verb in _CARD_BLOCKS.values())]
    raise TabletopError(
        f"{ruleset.game.id}: {shown(words)} is not an action now; write like 'pass', 'yes', 'no', "
        f"'done', {', '.join(repr(form) for form in forms)}, with a card as 'BS-130.2', or "
        "'option 1', 'number 0', 'choose complication 1'"
    )


def _names_for(ruleset: Ruleset, state: Array, block: str) -> tuple[str, ...]:
    """The cards that the actions of a block name, by place; '' for one that is not known."""
    seat = int(state[0].current_player)
    owner = int(other_of(state[0], seat)) if block == "other" else seat
    if not ruleset.record[0].open_lists:
        return names_seen(ruleset, state, seat, owner)
    names: tuple[str, ...] = ruleset.tables.names[state[0].deck_number[owner]]
    return names


def _name_in(names: tuple[str, ...], place: int) -> str:
    known = names[place] if place < len(names) else ""
    return known or f"{_EMPTY_PLACE}{place}"


def _place_named(names: tuple[str, ...], verb: str, words: str) -> int | None:
    """The place of the card in a text "verb card", if it is one."""
    start, _, name = words.rpartition(" ")
    if start != verb:
        return None
    if name and name in names:
        return names.index(name)
    place = name.removeprefix(_EMPTY_PLACE)
    is_number = place.isascii() and place.isdecimal() and len(place) < len(name)
    if is_number and int(place) < LIST_SIZE and _name_in(names, int(place)) == name:
        return int(place)
    return None


def _number_named(ruleset: Ruleset, state: Array, first: int, count: int, words: str) -> int | None:
    """Which action of a block without cards is written so."""
    for k in range(count):
        if action_to_string(ruleset, state, first + k) == words:
            return k
    return None


# --- cards -----------------------------------------------------------------------------------


class CardNames:
    """Names of the cards of one game, and back; `lists`: [player, place] card."""

    def __init__(self, lists: Sequence[Sequence[Card]]) -> None:
        self.lists = lists
        self.names = [list_names(cards) for cards in lists]

    def own(self, number: int) -> str:
        """The name of a card where its owner is clear."""
        return self.names[number // SEAT_STRIDE][number % SEAT_STRIDE]

    def owned(self, number: int) -> str:
        """The name of a card with its owner."""
        return f"{number // SEAT_STRIDE}:{self.own(number)}"

    def numbers(self, player: int) -> range:
        """The numbers of a player's cards."""
        return range(player * SEAT_STRIDE, player * SEAT_STRIDE + len(self.names[player]))

    def by_name(self, player: int) -> dict[str, int]:
        """Name -> number of a player's cards."""
        return dict(zip(self.names[player], self.numbers(player)))

    def by_owned_name(self) -> dict[str, int]:
        """Name with owner -> number of all cards."""
        return {
            f"{player}:{name}": number
            for player in range(len(self.names))
            for name, number in self.by_name(player).items()
        }


def names_of(ruleset: Ruleset, state: Array) -> CardNames:
    """The cards of the lists that are played in a state array [1]."""
    kinds = ruleset.tables.kinds
    lists = []
    for player in range(ruleset.num_players):
        first = player * SEAT_STRIDE
        length = int(ruleset.record[0].deck_length[state[0].deck_number[player]])
        lists.append([kinds[kind] for kind in state["kind"][0, first : first + length].tolist()])
    return CardNames(lists)


def places_told(ruleset: Ruleset, decks: Sequence[int], names: CardNames) -> Json:
    """The entry `places` of `machine`: lists whose cards have changed places (§16.1)."""
    sorted_lists = [list(ruleset.tables.lists[deck]) for deck in decks]
    if sorted_lists == [list(cards) for cards in names.lists]:
        return {}
    return {"places": [[card.card_id for card in cards] for cards in names.lists]}


# --- positions -------------------------------------------------------------------------------


def position_words(ruleset: Ruleset, state: Array) -> Json:
    """The whole position as JSON types, but for the key `numbers` (§16.4); runs no kernel."""
    s = state_values(state)
    names = names_of(ruleset, state)
    return {
        **position_head(ruleset, s),
        "table": _table(ruleset, s, names),
        "machine": {
            **places_told(ruleset, s.deck_number[: ruleset.num_players], names),
            **machine_to_json(state, names.owned),
        },
        **position_tail(ruleset, s),
    }


def _table(ruleset: Ruleset, s: SimpleNamespace, names: CardNames) -> Json:
    players = range(ruleset.num_players)
    successes = {skill: s.success_turn[k] for k, skill in enumerate(SKILLS)}
    return {
        "decks": [ruleset.tables.decks[s.deck_number[player]].name for player in players],
        "hero": s.hero,
        "first_player": s.first_player,
        "current_player": s.current_player,
        "priority": s.priority,
        "prompt": PROMPTS[s.prompt],
        "passes": s.passes,
        "actions_here": s.actions_here,
        "missions_played": s.missions_played,
        "failures": s.fail_turn,
        "successes": {skill: count for skill, count in successes.items() if count},
        "winner": player_or_none(s.winner),
        "complications": [names.owned(card) for card in s.complications[: s.complication_count]],
        "players": [_player(s, names, player) for player in players],
    }


def _player(s: SimpleNamespace, names: CardNames, player: int) -> Json:
    cards = names.numbers(player)
    first = cards.start
    hosted = [card for card in cards if s.host[card] != NO_CARD]
    return {
        "power": s.power[player],
        "zones": _zones(s, names, player),
        "conditions": {
            names.own(card): CONDITIONS[s.condition[card]]
            for card in cards
            if s.condition[card] != READY
        },
        "hosts": {names.own(card): names.owned(s.host[card]) for card in hosted},
        "tokens": {names.own(card): s.tokens[card] for card in cards if s.tokens[card]},
        "used": {
            names.own(card): [k + 1 for k in members(s.used[card])]
            for card in range(first, cards.stop)
            if s.used[card]
        },
    }


def _zones(s: SimpleNamespace, names: CardNames, player: int) -> dict[str, list[str]]:
    """Zone -> cards of a player, piles from the top."""
    first = player * SEAT_STRIDE
    piles = {
        DECK: s.deck[player][: s.deck_size[player]],
        MISSIONS: s.missions[player][: s.missions_size[player]],
    }
    zones = {}
    for zone, name in enumerate(ZONES):
        if zone in piles:
            cards = [first + place for place in reversed(piles[zone])]
        else:
            cards = [card for card in names.numbers(player) if s.zone[card] == zone]
        if cards and zone != NOWHERE:
            zones[name] = [names.own(card) for card in cards]
    return zones


# --- numbers ---------------------------------------------------------------------------------


def numbers_of(ruleset: Ruleset, state: Array) -> Json:
    """What follows from a position (N1-N8, §10), for the key `numbers`."""
    names = names_of(ruleset, state)
    copy = state.copy()
    r, s = ruleset.record[0], copy[0]
    refresh(r, s)
    players = range(ruleset.num_players)
    left = [(player + 1) % ruleset.num_players for player in players]
    return {
        "victory_totals": [int(point_total(r, s, player)) for player in left],
        "glyphs": [int(count_glyphs(s, player)) for player in players],
        "experience": [int(count_experience(r, s, player)) for player in players],
        "villain_scores": [int(count_villain_score(r, s, player)) for player in players],
        **_mission_numbers(r, s),
        "ratings": _ratings(r, s, names),
        "blocked": [names.owned(card) for card in _cards_in_play(s) if contains(s.blocked, card)],
        "costs": _costs(r, s, names),
    }


def _mission_numbers(r: Any, s: Any) -> Json:
    if s.current == NO_CARD:
        return {"required_skill": None, "difficulty": None, "hero_total": None}
    return {
        "required_skill": SKILLS[int(s.skill_now)],
        "difficulty": int(difficulty(r, s)),
        "hero_total": int(hero_total(r, s)),
    }


def _cards_in_play(s: Any) -> Iterator[int]:
    """§6: those that are not ignored this turn."""
    for word in range(s.blocked.shape[0]):
        for bit in members(in_play_word(s, word)):
            yield word * WORD_BITS + bit


def _ratings(r: Any, s: Any, names: CardNames) -> dict[str, dict[str, int]]:
    ratings = {}
    for card in _cards_in_play(s):
        values = {skill: int(current_rating(r, s, card, k)) for k, skill in enumerate(SKILLS)}
        found = {skill: value for skill, value in values.items() if value != NO_RATING}
        if found:
            ratings[names.owned(card)] = found
    return ratings


def _costs(r: Any, s: Any, names: CardNames) -> dict[str, int]:
    """Power that the cards in hand cost their owners, who play one side each (§6)."""
    costs = {}
    for player, is_hero in sorted(((int(s.hero), True), (int(villain_of(s)), False))):
        numbers = names.numbers(player)
        hand = numbers.start + np.flatnonzero(s.zone[numbers.start : numbers.stop] == HAND)
        for card in hand.tolist():
            if bool(contains(s.hero_side, card)) == is_hero and r.cost[s.kind[card]] >= 0:
                costs[names.owned(card)] = int(cost_to_play(r, s, card))
    return costs
