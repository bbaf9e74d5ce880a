"""The lists of a view: texts under way and waiting, rules for a while, changes, marks.

A list is written from its numbers, `NAME_FIELD` -> one number (or pair of numbers) for each entry,
as they stand in an observation (`observation_layout.py`). `ListReader` finds the same numbers in a
position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from tabletop_core.bits import WORD_BITS
from tabletop_core.game import Array, Json

from . import opcodes as op
from .components import Card
from .naming import slot_of
from .observation_layout import FIRST_SLOT, MARK_IS_GONE, MARK_STANDS, MAX_BYTE, ZERO_AMOUNT
from .sizes import GLYPHS, LIST_SIZE, NO_GLYPH
from .state import COMPLICATION, FIRED, FIRST_DELAY, MAX_DELAYS, SEAT_STRIDE
from .words import GRANT

Numbers = Mapping[str, Sequence[Any]]
Names = Sequence[Sequence[str]]
"""[seat, place] the name of a card."""

LASTING: Final = ("mission", "turn", "source", "forever")
MARK_STATES: Final = ("", "stands", "is_gone")
SPECIAL_TARGETS: Final = ("", "complications", "next_mission", "continuing")
MOMENTS: Final = ("", *op.MOMENT_WORDS, *op.EVENT_WORDS)

# --- in words ----------------------------------------------------------------------------------

# Name of a list -> beginning of the names of its fields, and the kind of each field.
_LISTS: Final = {
    "texts": (
        "text",
        {
            "card": "card",
            "clause": "number",
            "step": "number",
            "self": "place",
            "trigger": "place",
            "each": "place",
            "granter": "place",
            "holder": "place",
            "user": "seat",
            "by": "seat",
            "actor": "seat",
            "n": "number",
            "symbol": "symbol",
            "done": "flag",
        },
    ),
    "pending": (
        "pending",
        {
            "card": "card",
            "clause": "number",
            "step": "number",
            "self": "place",
            "trigger": "place",
            "granter": "place",
            "actor": "seat",
            "is_text": "flag",
        },
    ),
    "delays": (
        "delay",
        {
            "card": "card",
            "clause": "number",
            "step": "number",
            "self": "place",
            "user": "seat",
            "moment": "moment",
            "lasts": "lasting",
            "n": "number",
        },
    ),
    "standing": (
        "standing",
        {
            "card": "card",
            "clause": "number",
            "step": "number",
            "self": "place",
            "user": "seat",
            "lasts": "lasting",
        },
    ),
    "modifiers": (
        "modifier",
        {
            "verb": "verb",
            "sign": "sign",
            "amount": "amount",
            "lasts": "lasting",
            "target": "target",
            "card": "card",
            "source": "place",
        },
    ),
    "marks": (
        "mark",
        {"state": "mark", "maker": "place", "target": "place", "card": "card"},
    ),
}


def lists_to_json(numbers: Numbers, names: Names, pool: Sequence[Card]) -> Json:
    """All lists; entries of zeros are free places, and what tells nothing is left out."""
    kinds = _kinds(names, pool)
    lists: Json = {}
    for name, (prefix, fields) in _LISTS.items():
        columns = [
            (field, kinds[kind], numbers[f"{prefix}_{field}"]) for field, kind in fields.items()
        ]
        lists[name] = [
            {"place": k} | _entry(columns, k)
            for k in _used_places([column for _, _, column in columns])
        ]
    return lists


def _entry(columns: Sequence[tuple[str, Callable[[Any], Any], Sequence[Any]]], k: int) -> Json:
    """Entry k of (field, how it is written, numbers)."""
    words = {field: written(column[k]) for field, written, column in columns}
    return {field: word for field, word in words.items() if word is not None}


def _used_places(columns: Sequence[Sequence[Any]]) -> Iterable[int]:
    """The entries in which some number is not 0."""
    for k, entry in enumerate(zip(*columns, strict=True)):
        if any(any(value) if isinstance(value, Sequence) else value for value in entry):
            yield k


def _kinds(names: Names, pool: Sequence[Card]) -> Mapping[str, Callable[[Any], Any]]:
    """Kind of a field -> how a number is written; None tells nothing."""
    return {
        "card": lambda pair: card_id(pool, pair),
        "number": lambda number: number or None,
        "flag": lambda number: bool(number) or None,
        "place": lambda pair: place_name(names, pair),
        "target": lambda pair: _target(names, pair),
        "seat": lambda number: number - 1 if number else None,
        "symbol": lambda number: GLYPHS[number - 1] if number else None,
        "moment": lambda number: "now" if number == FIRED else MOMENTS[number],
        "lasting": LASTING.__getitem__,
        "verb": lambda number: tuple(op.VERB_NUMBERS)[number - 1],
        "sign": op.SIGN_WORDS.__getitem__,
        "amount": lambda number: number - ZERO_AMOUNT,
        "mark": MARK_STATES.__getitem__,
    }


def card_of(pool: Sequence[Card], pair: Sequence[int]) -> Card | None:
    """The card that two bytes stand for."""
    number = pair[0] + (pair[1] << 8)
    return pool[number - 1] if number else None


def card_id(pool: Sequence[Card], pair: Sequence[int]) -> str | None:
    """Its id."""
    card = card_of(pool, pair)
    return None if card is None else card.card_id


def is_member(words: Array, card: int) -> bool:
    """Whether a card is in a set, words [num_words]; runs no kernel."""
    k, place = divmod(card, WORD_BITS)
    return bool(int(words[k]) >> place & 1)


def place_name(names: Names, pair: Sequence[int]) -> str | None:
    """The card in a place: seat, colon, name."""
    seat, place = pair
    return f"{seat - 1}:{names[seat - 1][place - 1]}" if seat else None


def _target(names: Names, pair: Sequence[int]) -> str | None:
    """What a modifier changes."""
    seat, place = pair
    if seat or not place:
        return place_name(names, pair)
    return f"slot {place - FIRST_SLOT}" if place >= FIRST_SLOT else SPECIAL_TARGETS[place]


# --- from a position -------------------------------------------------------------------------


class ListReader:
    """Finds the numbers of all lists in a position.

    Args:
        ruleset: the Ruleset of the position.
        s: the STATE record.
        player: who looks.
        place_of: card number -> (seat + 1, list place + 1), zeros if the player does not know.
        seat_of: player -> seat + 1.
    """

    def __init__(
        self,
        ruleset: Any,
        s: Any,
        player: int,
        place_of: Callable[[Any], list[int]],
        seat_of: Callable[[Any], int],
    ) -> None:
        self.ruleset = ruleset
        self.s = s
        self.player = player
        self.place_of = place_of
        self.seat_of = seat_of
        clauses = ruleset.tables.programs.clauses
        self.starts = [clause.start for clause in clauses]

    def numbers(self) -> Numbers:
        """Field -> entries, without free places behind them."""
        return {
            **self._texts(),
            **self._pending(),
            **self._delays(),
            **self._standing(),
            **self._modifiers(),
            **self._marks(),
        }

    def _columns(self, prefix: str, entries: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
        _, fields = next(entry for entry in _LISTS.values() if entry[0] == prefix)
        return {f"{prefix}_{field}": [entry[field] for entry in entries] for field in fields}

    def _text(self, address: Any) -> Json:
        """The clause whose program holds an address; none for what the rules do themselves."""
        tables = self.ruleset.tables
        start = max((start for start in self.starts if start <= address), default=None)
        if start is None:
            return {"card": [0, 0], "clause": 0, "step": int(address)}
        index = self.starts.index(start)
        number = tables.programs.clauses[index].card
        return {
            "card": _pair(number + 1),
            "clause": index - tables.programs.of_card[number].start + 1,
            "step": _byte(address - start),
        }

    def _remembered(self, card: int) -> list[int]:
        """Which card it is, if the player knows what is in the list or where it is."""
        is_own = card // SEAT_STRIDE == self.player
        if self.ruleset.record[0].open_lists or is_own or self._is_known(card):
            return _pair(self.ruleset.tables.kinds[self.s.kind[card]].number + 1)
        return [0, 0]

    def _is_known(self, card: int) -> bool:
        return bool(self.s.known[card] >> self.player & 1)

    def _texts(self) -> dict[str, list[Any]]:
        s, place, seat = self.s, self.place_of, self.seat_of
        entries = [
            {
                **self._text(s.frame_address[k]),
                "self": place(s.frame_self[k]),
                "trigger": place(s.frame_trigger[k]),
                "each": place(s.frame_each[k]),
                "granter": place(s.frame_granter[k]),
                "holder": place(s.frame_holder[k]),
                "user": seat(s.frame_user[k]),
                "by": seat(s.frame_by[k]),
                "actor": seat(s.frame_actor[k]),
                "n": _byte(s.frame_n[k]),
                "symbol": 0 if s.frame_symbol[k] == NO_GLYPH else int(s.frame_symbol[k]) + 1,
                "done": int(s.frame_done[k]),
            }
            for k in reversed(range(s.frame_count))
        ]
        return self._columns("text", entries)

    def _pending(self) -> dict[str, list[Any]]:
        s, place = self.s, self.place_of
        entries = [
            {
                **self._text(self._start_of(int(s.pending_clause[k]))),
                "self": place(s.pending_self[k]),
                "trigger": place(s.pending_trigger[k]),
                "granter": place(s.pending_granter[k]),
                "actor": self.seat_of(s.pending_actor[k]),
                "is_text": int(s.pending_is_text[k]),
            }
            for k in range(s.pending_count)
        ]
        return self._columns("pending", entries)

    def _start_of(self, clause: int) -> int:
        if clause >= FIRST_DELAY:
            return int(self.s.delay_address[clause - FIRST_DELAY])
        programs = self.ruleset.tables.programs
        return int([*programs.clauses, *programs.granted][clause].start)

    def _delays(self) -> dict[str, list[Any]]:
        s = self.s
        _, fields = _LISTS["delays"]
        free = {field: [0, 0] if kind in ("card", "place") else 0 for field, kind in fields.items()}
        entries: list[Mapping[str, Any]] = [
            {
                **self._text(s.delay_address[k]),
                "self": self.place_of(s.delay_self[k]),
                "user": self.seat_of(s.delay_user[k]),
                "moment": int(s.delay_moment[k]),
                "lasts": int(s.delay_lasts[k]),
                "n": _byte(s.delay_n[k]),
            }
            if s.delay_moment[k]
            else free
            for k in range(MAX_DELAYS)
        ]
        return self._columns("delay", entries)

    def _standing(self) -> dict[str, list[Any]]:
        s = self.s
        entries = [
            {
                **self._text(s.standing_address[k]),
                "self": self.place_of(s.standing_self[k]),
                "user": self.seat_of(s.standing_user[k]),
                "lasts": int(s.standing_lasts[k]),
            }
            for k in range(s.standing_count)
        ]
        return self._columns("standing", entries)

    def _modifiers(self) -> dict[str, list[Any]]:
        s = self.s
        entries = []
        for k in range(s.modifier_count):
            source = int(s.modifier_source[k])
            is_open = is_member(s.named, source)
            amount = 0 if s.modifier_verb[k] == GRANT else int(s.modifier_amount[k])
            entry = {
                "verb": int(s.modifier_verb[k]) + 1,
                "sign": int(s.modifier_sign[k]),
                "amount": amount + ZERO_AMOUNT,
                "lasts": int(s.modifier_lasts[k]),
                "target": self._target(int(s.modifier_card[k])),
                "card": self._remembered(source),
                "source": self.place_of(source) if is_open else [0, 0],
            }
            entries.append(entry)
        return self._columns("modifier", entries)

    def _target(self, card: int) -> list[int]:
        if card % SEAT_STRIDE >= LIST_SIZE:
            return [0, SEAT_STRIDE - card]
        if self.s.zone[card] == COMPLICATION and not self._is_known(card):
            return [0, FIRST_SLOT + int(slot_of(self.s, card))]
        return self.place_of(card)

    def _marks(self) -> dict[str, list[Any]]:
        s = self.s
        entries = [
            {
                "state": MARK_IS_GONE if s.mark_is_gone[k] else MARK_STANDS,
                "maker": self.place_of(s.mark_maker[k]),
                "target": self.place_of(s.mark_card[k]),
                "card": self._remembered(int(s.mark_card[k])),
            }
            for k in range(s.mark_count)
        ]
        return self._columns("mark", entries)


def _pair(number: int) -> list[int]:
    return [number & MAX_BYTE, number >> 8]


def _byte(value: Any) -> int:
    return min(int(value), MAX_BYTE)
