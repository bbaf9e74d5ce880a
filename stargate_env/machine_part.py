"""The key `machine` of a position in words: what only this package reads (RULES.md §16.4).

It holds the fields of the record that are neither on the table, nor follow from it, nor are
scratch; only those that differ from an empty table. Sets of cards are lists of names with owners,
fields with an entry for each card are objects by name, other arrays end with their last entry
that is not blank. Numbers are those of the record; `PARTS` says what else a field holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np

from tabletop_core.bits import WORD_BITS
from tabletop_core.game import Array, Json, allocate, used_fields
from tabletop_core.notation import members
from tabletop_core.position import (
    BadValue,
    Reader,
    Readers,
    check_list,
    described,
    number,
    read_all,
    word,
)

from . import opcodes as op
from .layout import clear_table
from .legal import clear_scratch
from .naming import assume_knowledge
from .program import Programs
from .state import (
    ACTING,
    COMPLICATIONS,
    CONTINUING,
    DERIVED_FIELDS,
    FIRST_DELAY,
    HEADER_FIELDS,
    MAX_DELAYS,
    MAX_PLAYERS,
    NEXT_MISSION,
    NO_CARD,
    NO_SEAT,
    PHASES,
    TABLE_FIELDS,
    THEN_OFFERED,
    WAITS_REPLACED,
)

Name = Callable[[int], str]

SPECIAL: Final[Mapping[int, str]] = {
    COMPLICATIONS: "complications",
    NEXT_MISSION: "next_mission",
    CONTINUING: "continuing",
}
"""Numbers that no card has, and what modifiers on them change."""


# --- what the fields hold --------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """What an entry of a field is: a kind of `_KINDS`, and for numbers their range."""

    kind: str
    low: int = 0
    high: int = 0


CARD: Final = Part("card")
CARDS: Final = Part("cards")
PLAYER: Final = Part("player")
PLAYERS: Final = Part("players")
ADDRESS: Final = Part("address")
CLAUSE: Final = Part("clause")
PHASE: Final = Part("phase")
FLAG: Final = Part("number", 0, 1)
BYTE: Final = Part("number", 0, 255)
AMOUNT: Final = Part("number", -(2**7), 2**7 - 1)
COUNT: Final = Part("number", -(2**15), 2**15 - 1)
VERB: Final = Part("number", 0, len(op.VERB_NUMBERS) - 1)

PARTS: Final[Mapping[str, Part]] = {
    "known": PLAYERS,
    "victory_total": BYTE,
    "phase": PHASE,
    "current": CARD,
    "battle_winner": PLAYER,
    "succeeded": FLAG,
    "earned": Part("number", 0, len(op.GLYPH_OPERANDS) - 1),
    "judged": CARD,
    "resolving": CARD,
    "played_turn": CARDS,
    "assigned_at_resolution": CARDS,
    "dominion": CARDS,
    "just_discarded": CARDS,
    "must_continue": FLAG,
    "skipped_turns": BYTE,
    "modifier_verb": VERB,
    "modifier_sign": Part("number", 0, len(op.SIGN_WORDS) - 1),
    "modifier_lasts": BYTE,
    "modifier_amount": AMOUNT,
    "modifier_card": CARD,
    "modifier_source": CARD,
    "mark_maker": CARD,
    "mark_card": CARD,
    "mark_is_gone": FLAG,
    "delay_moment": BYTE,
    "delay_lasts": BYTE,
    "delay_repeats": FLAG,
    "delay_player": Part("number", 0, len(op.PLAYER_WORDS) - 1),
    "delay_match": ADDRESS,
    "delay_user": PLAYER,
    "delay_self": CARD,
    "delay_n": COUNT,
    "delay_address": ADDRESS,
    "delay_that": CARDS,
    "standing_lasts": BYTE,
    "standing_self": CARD,
    "standing_user": PLAYER,
    "standing_address": ADDRESS,
    "frame_address": ADDRESS,
    "frame_origin": ADDRESS,
    "frame_self": CARD,
    "frame_each": CARD,
    "frame_trigger": CARD,
    "frame_granter": CARD,
    "frame_user": PLAYER,
    "frame_by": PLAYER,
    "frame_actor": PLAYER,
    "frame_then": Part("number", 0, THEN_OFFERED),
    "frame_n": COUNT,
    "frame_done": FLAG,
    "frame_waits": Part("number", 0, WAITS_REPLACED),
    "frame_answer": COUNT,
    "frame_least": BYTE,
    "frame_most": BYTE,
    "frame_limit": BYTE,
    "frame_symbol": BYTE,
    "frame_holder": CARD,
    "frame_cursor": COUNT,
    "frame_candidates": CARDS,
    "frame_chosen": CARDS,
    "frame_that": CARDS,
    "frame_seen": CARDS,
    "carried_n": COUNT,
    "carried_that": CARDS,
    "pending_clause": CLAUSE,
    "pending_self": CARD,
    "pending_trigger": CARD,
    "pending_granter": CARD,
    "pending_actor": PLAYER,
    "pending_is_text": FLAG,
}
_COUNTED: Final[Mapping[str, str]] = {
    "modifier_count": "modifier_card",
    "mark_count": "mark_card",
    "standing_count": "standing_self",
    "frame_count": "frame_self",
    "pending_count": "pending_self",
}
"""Number of entries -> one of the fields that have so many."""


AS_ZONE: Final = 255
"""In `known`: as its zone tells (`naming.assume_knowledge`)."""


@cache
def blank_state(dtype: np.dtype[Any]) -> Array:
    """A record [1] of an empty table on which somebody is about to act."""
    state = allocate(dtype, 1)
    clear_table(state[0])
    clear_scratch(state[0])
    state[0].phase = ACTING
    state[0].known[:] = AS_ZONE
    return state


@cache
def machine_fields(dtype: np.dtype[Any]) -> tuple[str, ...]:
    """The fields of a record that `machine` holds; its numbers of entries too."""
    others = {*HEADER_FIELDS, *TABLE_FIELDS, *DERIVED_FIELDS, "named"}
    return tuple(name for name in used_fields(dtype) if name not in others)


def part_of(name: str, dtype: np.dtype[Any]) -> Part:
    """What a field holds."""
    if name in _COUNTED:
        return Part("number", 0, dtype[_COUNTED[name]].shape[0])
    return PARTS[name]


# --- writing ---------------------------------------------------------------------------------


def machine_to_json(state: Array, name: Name) -> Json:
    """The fields that differ from an empty table; `name` writes a card with its owner."""
    blank = blank_state(state.dtype)
    machine = {}
    for field in machine_fields(state.dtype):
        values, empty = state[field][0], blank[field][0]
        if field == "known":
            values = _knowledge_told(state)
        if not np.array_equal(values, empty):
            part = part_of(field, state.dtype)
            machine[field] = _written(part, values, empty, name, _is_by_card(field, state.dtype))
    return machine


def _knowledge_told(state: Array) -> Array:
    """What is known of each card, or AS_ZONE if its zone tells."""
    plain = state.copy()
    assume_knowledge(plain[0])
    known: Array = state["known"][0]
    return np.where(known == plain["known"][0], np.uint8(AS_ZONE), known)


def _is_by_card(field: str, dtype: np.dtype[Any]) -> bool:
    """Whether a field has an entry for each card."""
    return dtype[field].shape == dtype["zone"].shape


def _written(part: Part, values: Any, empty: Any, name: Name, is_by_card: bool) -> Any:
    axes = values.ndim - (part.kind == "cards") if isinstance(values, np.ndarray) else 0
    if axes == 0:
        return _entry(part, values, name)
    if is_by_card:
        cards = np.flatnonzero(values != empty).tolist()
        return {name(card): _entry(part, values[card], name) for card in cards}
    differs = (values != empty).reshape(len(values), -1).any(axis=1)
    length = int(np.flatnonzero(differs)[-1]) + 1
    return [_entry(part, value, name) for value in values[:length]]


def _entry(part: Part, value: Any, name: Name) -> Any:
    """One entry as JSON."""
    if part.kind == "cards":
        return [_card(k * WORD_BITS + bit, name) for k, w in enumerate(value) for bit in members(w)]
    number_ = int(value)
    if part.kind == "card":
        return None if number_ == NO_CARD else _card(number_, name)
    if part.kind == "player":
        return None if number_ == NO_SEAT else number_
    if part.kind == "players":
        return list(members(number_))
    return PHASES[number_] if part.kind == "phase" else number_


def _card(number_: int, name: Name) -> str:
    return SPECIAL.get(number_) or name(number_)


# --- reading ---------------------------------------------------------------------------------


def machine_readers(
    dtype: np.dtype[Any], num_players: int, cards: Mapping[str, int], programs: Programs
) -> Readers:
    """How each field is read: as an array of the record; `cards`: name with owner -> number.

    What is read cannot lead a kernel out of its arrays: cards are those of the lists, programs
    begin where programs can begin.
    """
    blank = blank_state(dtype)
    readers = _entry_readers(num_players, cards, programs)
    result = {}
    for field in machine_fields(dtype):
        part = part_of(field, dtype)
        entry = readers[part.kind] if part.kind != "number" else number(part.low, part.high)
        result[field] = (_field_reader(field, dtype, part, entry, cards), blank[field][0])
    return result


def _entry_readers(
    num_players: int, cards: Mapping[str, int], programs: Programs
) -> dict[str, Reader]:
    known = {**cards, **{text: number_ for number_, text in SPECIAL.items()}}
    read_card = _card_reader(known)
    num_clauses = len(programs.clauses) + len(programs.granted)
    clauses = {*range(num_clauses), *range(FIRST_DELAY, FIRST_DELAY + MAX_DELAYS)}
    read_player = number(0, num_players - 1)
    return {
        "card": lambda value: NO_CARD if value is None else read_card(value),
        "cards": lambda value: _list(value, read_card),
        "player": lambda value: NO_SEAT if value is None else read_player(value),
        "players": lambda value: sum(
            1 << player for player in set(_list(value, number(0, MAX_PLAYERS - 1)))
        ),
        "address": _one_of(programs.entries, "an address of a program"),
        "clause": _one_of(clauses, "a clause"),
        "phase": word(PHASES),
    }


def _card_reader(known: Mapping[str, int]) -> Reader:
    def read(value: Any) -> int:
        if isinstance(value, str) and value in known:
            return known[value]
        raise BadValue(("", f"{described(value)} is no card of these lists"))

    return read


def _one_of(numbers: set[int], what: str) -> Reader:
    def read(value: Any) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and value in numbers:
            return value
        raise BadValue(("", f"{described(value)} is not {what}"))

    return read


def _list(value: Any, reader: Reader) -> list[Any]:
    check_list(value)
    return read_all(enumerate(value), reader)


def _field_reader(
    field: str, dtype: np.dtype[Any], part: Part, entry: Reader, cards: Mapping[str, int]
) -> Reader:
    """A reader of the whole field."""
    empty = blank_state(dtype)[field][0]
    axes = empty.ndim - (part.kind == "cards") if isinstance(empty, np.ndarray) else 0

    def read(value: Any) -> Any:
        if axes == 0:
            values = np.array(empty)
            _store(values, (), part, entry(value))
            return values
        if _is_by_card(field, dtype):
            return _read_by_card(value, empty.copy(), entry, cards)
        return _read_array(value, empty.copy(), part, entry)

    return read


def _read_array(value: Any, values: Array, part: Part, entry: Reader) -> Array:
    check_list(value)
    if len(value) > len(values):
        raise BadValue(("", f"lists {len(value)} entries, at most {len(values)} are possible"))
    for k, one in enumerate(read_all(enumerate(value), entry)):
        _store(values, k, part, one)
    return values


def _read_by_card(value: Any, values: Array, entry: Reader, cards: Mapping[str, int]) -> Array:
    if not isinstance(value, Mapping):
        raise BadValue(("", f"must be a dict, not {described(value)}"))
    unknown = [key for key in value if key not in cards]
    if unknown:
        raise BadValue(*(("", f"{described(key)} is no card of these lists") for key in unknown))
    for key, one in zip(value, read_all(value.items(), entry)):
        values[cards[key]] = one
    return values


def _store(values: Array, place: Any, part: Part, entry: Any) -> None:
    if part.kind != "cards":
        values[place] = entry
        return
    words = values[place]
    words[...] = 0
    for card in entry:
        words[card // WORD_BITS] |= np.uint64(1 << card % WORD_BITS)
