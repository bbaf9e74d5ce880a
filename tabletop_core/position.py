"""Reading a position in words, for any game: JSON values, rules that refuse, collected problems.

A game says for each key how its value is read (`Readers`) and registers rules that tie the values
to each other (`RuleBook`)::

    readers = {**head_readers(ruleset), "ships": (list_of(5, "players", word(cities)), REQUIRED)}
    refusals = RuleBook()

    @refusals.rule("ships")
    def ships_are_in_play(position):
        yield "ships[0]: ..."

    state = read_position(Position(ruleset), data, readers, fill, refusals, to_state, decisions)

Everything that is wrong is reported at once. Sets of things are words as Python ints, bit k for the
thing with number k.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from .errors import TabletopError
from .game import Array, Ruleset, allocate
from .rng import WORD_MASK, seed_to_word
from .table_file import shown

DEFAULT_RNG: Final = seed_to_word(0)
MAX_COUNT: Final = 2**32 - 1
OVER: Final = "over"  # what every game calls the prompt of a game that has ended


# --- a position being read -------------------------------------------------------------------


@dataclass
class Position:
    """The values that could be read, by key, and what is wrong. Values are attributes too."""

    ruleset: Ruleset
    values: dict[str, Any] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    """Keys whose values could not be read or filled."""
    problems: list[str] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def rules(self) -> Any:
        """The RULES record."""
        return self.ruleset.record[0]

    @property
    def players(self) -> range:
        """All players."""
        return range(self.ruleset.num_players)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.ruleset.game.prompts[self.prompt] == OVER)

    def raise_problems(self) -> None:
        """Refuse the position with every reason found, if there is any."""
        if not self.problems:
            return
        count = "1 reason" if len(self.problems) == 1 else f"{len(self.problems)} reasons"
        game = self.ruleset.game.id
        lines = [f"{game}: the position is refused for {count}:", *self.problems]
        raise TabletopError("\n  ".join(lines))


Rule = Callable[[Any], Iterable[str]]


class RuleBook:
    """The rules that refuse impossible positions, in the order in which they were registered."""

    def __init__(self) -> None:
        self._rules: list[tuple[tuple[str, ...], Rule]] = []

    def rule(self, *needs: str) -> Callable[[Rule], Rule]:
        """Register a rule that yields a text for each way a position breaks it.

        It is asked only if the values of the keys `needs` could be read.
        """

        def register(rule: Rule) -> Rule:
            self._rules.append((needs, rule))
            return rule

        return register

    def check(self, position: Position) -> None:
        """Collect what all rules find."""
        for needs, rule in self._rules:
            if position.broken.isdisjoint(needs):
                position.problems += rule(position)


# --- reading all fields ----------------------------------------------------------------------


class BadValue(Exception):
    """What is wrong with a value: (place within the field, text) for each problem."""

    def __init__(self, *problems: tuple[str, str]) -> None:
        self.problems = problems


Reader = Callable[[Any], Any]
Readers = Mapping[str, tuple[Reader, Any]]
"""For each key how its value is read, and its value when left out."""

REQUIRED: Final = object()  # the key may not be left out
REST: Final = object()  # left out: the game fills it from the other values


PositionT = TypeVar("PositionT", bound=Position)


def read_position(
    position: PositionT,
    data: object,
    readers: Readers,
    fill: Callable[[PositionT], None],
    refusals: RuleBook,
    to_state: Callable[[PositionT], Array],
    decisions: Callable[[PositionT, Array], Iterable[str]],
) -> Array:
    """The state array [1] of a position in words.

    It is read in three steps, of which the first two report everything they find together: every
    field on its own, then the rules that tie fields to each other, then the pending decision.

    Args:
        position: without values yet.
        data: the position in words.
        readers: how every field is read.
        fill: puts values where `REST` was left.
        refusals: the rules.
        to_state: the record of a position that keeps the rules.
        decisions: why the pending decision of that record could not be asked.

    Raises:
        TabletopError: the position cannot be read or cannot occur.
    """
    if not isinstance(data, Mapping):
        game = position.ruleset.game.id
        raise TabletopError(f"{game}: a position must be a dict, not {described(data)}")
    read_fields(position, data, readers)
    fill(position)
    refusals.check(position)
    position.raise_problems()
    state = to_state(position)
    position.problems += decisions(position, state)
    position.raise_problems()
    return state


def read_fields(position: Position, data: Mapping[str, Any], readers: Readers) -> None:
    """Read every value on its own."""
    for key in data:
        if key not in readers:
            known = ", ".join(readers)
            position.problems.append(f"{described(key)}: unknown key; known: {known}")
    for name, (reader, default) in readers.items():
        if name not in data:
            position.values[name] = default
            if default is REQUIRED:
                position.broken.add(name)
                position.problems.append(f"{name}: is missing")
            continue
        try:
            position.values[name] = reader(data[name])
        except BadValue as error:
            position.broken.add(name)
            position.problems += [f"{name}{place}: {text}" for place, text in error.problems]


def head_readers(ruleset: Ruleset) -> Readers:
    """Of the keys with which every position begins."""
    players = ruleset.num_players
    return {
        "game": (word([ruleset.game.id]), 0),
        "ruleset": (digest(ruleset.digest), ruleset.digest),
        "num_players": (number(players, players), players),
    }


def tail_readers(ruleset: Ruleset, max_turns: int) -> Readers:
    """Of the keys with which every position ends: counts, the end, the random generator."""
    return {
        "turn_count": (number(0, max_turns), 0),
        "decision_count": (number(0, MAX_COUNT), 0),
        "end_reasons": (flags(ruleset.game.end_reasons), 0),
        "truncated": (flag, False),
        "rng": (generator_word, DEFAULT_RNG),
    }


# --- rules of all games ----------------------------------------------------------------------


def end_problems(position: Position) -> Iterator[str]:
    """§7: prompt, reasons and truncation agree. Needs prompt, end_reasons and truncated."""
    has_ended = position.end_reasons or position.truncated
    if not position.is_over and has_ended:
        yield "prompt: the game has ended, so it must be 'over' (RULES.md §7)"
    if position.is_over and not has_ended:
        yield "end_reasons: a game that is over has a reason, or is truncated (RULES.md §7)"
    if position.end_reasons and position.truncated:
        yield "truncated: a game that ended by rule is not truncated (RULES.md §7)"


def turn_problems(position: Position, limit: int, ended_after_turn: bool) -> Iterator[str]:
    """§7: truncation is tested at the end of a turn. Needs truncated and turn_count.

    ended_after_turn: the rules ended the game at the end of a turn, before that test.
    """
    count = position.turn_count
    if position.truncated and count != limit:
        yield f"turn_count: {count}; a truncated game has {limit} turns (RULES.md §7)"
    elif not position.truncated and not ended_after_turn and count >= limit:
        yield f"turn_count: {count}; after {limit} turns a game is truncated (RULES.md §7)"


def conservation_problems(
    piles: Sequence[tuple[str, int]], everything: int, names: Callable[[int], str]
) -> Iterator[str]:
    """§11: each of `everything` lies in exactly one of the piles (name, set)."""
    for k, (pile, things) in enumerate(piles):
        for other, other_things in piles[:k]:
            if things & other_things:
                both = names(things & other_things)
                yield f"{both}: both in {other} and in {pile} (RULES.md §11)"
    missing = everything & ~union(things for _, things in piles)
    if missing:
        yield f"{names(missing)}: in no place (RULES.md §11)"


def set_of(members: Iterable[int]) -> int:
    """The set of some different things."""
    return sum(1 << member for member in members)


def union(words: Iterable[int]) -> int:
    """All members of some sets."""
    result = 0
    for members in words:
        result |= members
    return result


# --- the record ------------------------------------------------------------------------------


def new_state(position: Position, *names: str) -> Array:
    """A state array [1] with what every game has, and the values of the keys `names` as they are.

    The other fields are 0.
    """
    game = position.ruleset.game
    state = allocate(game.state_dtype, 1)
    s = state[0]
    s[f"{game.name}_version"] = game.version
    s["ruleset"] = position.ruleset.digest
    s["is_truncated"] = position.truncated
    common = ("rng", "turn_count", "decision_count", "current_player", "end_reasons", "prompt")
    for name in (*common, *names):
        s[name] = position.values[name]
    return state


# --- readers ---------------------------------------------------------------------------------


def number(low: int, high: int) -> Reader:
    """A whole number from low to high."""

    def read(value: Any) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        right = f"{low}" if low == high else f"a whole number from {low} to {high}"
        raise BadValue(("", f"must be {right}, not {described(value)}"))

    return read


def flag(value: Any) -> bool:
    """True or false."""
    if isinstance(value, bool):
        return value
    raise BadValue(("", f"must be true or false, not {described(value)}"))


def word(words: Sequence[str], extra: Mapping[str, int] | None = None) -> Reader:
    """The index of a word in a list; the given number for a word of `extra`."""
    numbers = {known: k for k, known in enumerate(words)} | dict(extra or {})

    def read(value: Any) -> int:
        if isinstance(value, str) and value in numbers:
            return numbers[value]
        raise BadValue(("", f"{described(value)} is not one of {', '.join(numbers)}"))

    return read


def optional(reader: Reader) -> Reader:
    """None, or what the reader reads."""

    def read(value: Any) -> Any:
        return None if value is None else reader(value)

    return read


def list_of(count: int, what: str, reader: Reader) -> Reader:
    """A list with `count` values; `what` they stand for, as "players"."""

    def read(value: Any) -> list[Any]:
        check_list(value)
        if len(value) != count:
            raise BadValue(("", f"must list {count} {what}, not {len(value)}"))
        return read_all(enumerate(value), reader)

    return read


def list_up_to(most: int, what: str, reader: Reader) -> Reader:
    """A list with at most so many values."""

    def read(value: Any) -> list[Any]:
        check_list(value)
        if len(value) > most:
            raise BadValue(("", f"must list at most {most} {what}, not {len(value)}"))
        return read_all(enumerate(value), reader)

    return read


def read_all(items: Iterable[tuple[Any, Any]], reader: Reader) -> list[Any]:
    """Read values with their places; reports what is wrong with each of them."""
    values = []
    problems = []
    for place, item in items:
        try:
            values.append(reader(item))
        except BadValue as error:
            problems += [(f"[{place}]{inner}", text) for inner, text in error.problems]
    if problems:
        raise BadValue(*problems)
    return values


def check_list(value: Any) -> None:
    """Refuse what is no list."""
    if not isinstance(value, list | tuple):
        raise BadValue(("", f"must be a list, not {described(value)}"))


def flags(words: Sequence[str]) -> Reader:
    """A list of different words -> a set of their indices."""
    read_word = word(words)

    def read(value: Any) -> int:
        check_list(value)
        numbers = read_all(enumerate(value), read_word)
        _refuse_doubles(numbers, lambda k: f"{words[k]} is listed twice")
        return set_of(numbers)

    return read


def id_set(ids: Sequence[str], what: str) -> Reader:
    """A list of ids of one kind of thing -> a set of their numbers; `what` as "card"."""
    numbers = {known: k for k, known in enumerate(ids)}

    def read_id(value: Any) -> int:
        if isinstance(value, str) and value in numbers:
            return numbers[value]
        known = f"{what}s are {ids[0]} to {ids[-1]}"
        raise BadValue(("", f"{described(value)} is not a {what} of this kind; {known}"))

    def read(value: Any) -> int:
        check_list(value)
        if len(value) > len(ids):
            raise BadValue(("", f"lists {len(value)} {what}s, but there are only {len(ids)}"))
        members = read_all(enumerate(value), read_id)
        _refuse_doubles(members, lambda k: f"{ids[k]} is listed twice (RULES.md §11)")
        return set_of(members)

    return read


def _refuse_doubles(numbers: Sequence[int], text: Callable[[int], str]) -> None:
    twice = sorted({k for k in numbers if numbers.count(k) > 1})
    if twice:
        raise BadValue(*(("", text(k)) for k in twice))


def mapping(keys: Sequence[str], what: str, reader: Reader) -> Reader:
    """A dict with known keys, any of them left out -> {index of the key: value}."""

    def read(value: Any) -> dict[int, Any]:
        if not isinstance(value, Mapping):
            raise BadValue(("", f"must be a dict, not {described(value)}"))
        unknown = [key for key in value if key not in keys]
        if unknown:
            raise BadValue(*(("", f"{described(key)} is not a {what}") for key in unknown))
        values = read_all(value.items(), reader)
        return {keys.index(key): inner for key, inner in zip(value, values)}

    return read


def record(readers: Readers) -> Reader:
    """A dict with fixed keys -> a dict of the read values."""

    def read(value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise BadValue(("", f"must be null or a dict, not {described(value)}"))
        problems = [
            ("", f"unknown key {described(key)}; known: {', '.join(readers)}")
            for key in value
            if key not in readers
        ]
        values = {}
        for name, (reader, default) in readers.items():
            try:
                if name not in value and default is REQUIRED:
                    raise BadValue(("", "is missing"))
                values[name] = reader(value[name]) if name in value else default
            except BadValue as error:
                problems += [(f".{name}{place}", text) for place, text in error.problems]
        if problems:
            raise BadValue(*problems)
        return values

    return read


def digest(right: int) -> Reader:
    """The digest of the ruleset, 16 hex digits."""

    def read(value: Any) -> int:
        if not isinstance(value, str) or not re.fullmatch("[0-9a-f]{16}", value):
            raise BadValue(("", f"must be 16 hex digits, not {described(value)}"))
        if int(value, 16) != right:
            why = f"the position was played by ruleset {value}, this game goes by {right:016x}"
            raise BadValue(("", f"{why} (other options or tables)"))
        return right

    return read


def generator_word(value: Any) -> int:
    """The word of the random generator, never 0."""
    if isinstance(value, str) and re.fullmatch("0x[0-9a-fA-F]{1,16}", value):
        state = int(value, 16)
        if state:
            return state & WORD_MASK
    right = 'must be "0x" and 1 to 16 hex digits, not all 0'
    raise BadValue(("", f"{right}; not {described(value)}"))


def described(value: Any) -> str:
    """A value for a message, short whatever it is."""
    if isinstance(value, str):
        return shown(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value) if abs(value) <= WORD_MASK else "a huge number"
    return repr(value) if isinstance(value, float) else f"a {type(value).__name__}"
