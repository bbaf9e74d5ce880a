"""Rule options of a game described as data: the values they take, what they mean, where from.

A game declares a frozen dataclass; each field is made by `option` and carries its description::

    @dataclass(frozen=True)
    class Options:
        scan_cost: str = option("match", Choice(("match", "free")), "what ...", "rulebook", "§4.3")

`checked_values` checks all of them; the command `describe` and the option table of a spec page
read the same descriptions.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Protocol, TypeVar, cast

import numpy as np

from .errors import TabletopError
from .files import path_text
from .table_file import FileText

RULESET = "ruleset"  # the option that names the tables
DEFAULT_RULESET = "default"
TEXT = "text"


# --- values -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Flag:
    """True or False."""

    def __str__(self) -> str:
        return "True, False"

    def problem(self, value: object) -> str | None:
        """What is wrong with the value, None if nothing is."""
        return None if isinstance(value, bool | np.bool_) else "use True or False"

    def plain(self, value: Any) -> Any:
        """The (right) value as a plain Python object."""
        return bool(value)


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number from low to high; None only if `none_means` says what it means."""

    low: int
    high: int
    none_means: str | None = None

    def __str__(self) -> str:
        numbers = f"{self.low} to {self.high}"
        return numbers if self.none_means is None else f"None ({self.none_means}), {numbers}"

    def problem(self, value: object) -> str | None:
        """What is wrong with the value, None if nothing is."""
        if value is None and self.none_means is not None:
            return None
        is_number = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if is_number and self.low <= cast(int, value) <= self.high:
            return None
        return self._right()

    def _right(self) -> str:
        right = f"use a whole number from {self.low} to {self.high}"
        return right if self.none_means is None else f"{right}, or None ({self.none_means})"

    def plain(self, value: Any) -> Any:
        """The (right) value as a plain Python object."""
        return None if value is None else int(value)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words; `unavailable` are known words that cannot be played, each with why."""

    words: tuple[str, ...]
    unavailable: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return ", ".join(f'"{word}"' for word in self.words)

    def problem(self, value: object) -> str | None:
        """What is wrong with the value, None if nothing is."""
        if isinstance(value, str) and value in self.words:
            return None
        return _unavailable(self.unavailable, value, f"use {self._right()}")

    def _right(self) -> str:
        words = [f'"{word}"' for word in self.words]
        return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"

    def plain(self, value: Any) -> Any:
        """The (right) value as a plain Python object."""
        return str(value)


@dataclass(frozen=True, slots=True)
class RulesetFile:
    """The word "default" or the path of a ruleset file; `unavailable` as for `Choice`."""

    unavailable: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return '"default", a path'

    def problem(self, value: object) -> str | None:
        """What is wrong with the value, None if nothing is."""
        right = 'use "default" or the path of a ruleset file'
        try:
            path_text(value)
        except TabletopError:
            return right
        is_word = isinstance(value, str) and value in self.unavailable
        return _unavailable(self.unavailable, value, right, "this ruleset is") if is_word else None

    def plain(self, value: Any) -> Any:
        """The (right) value as text; a path object never becomes one of the words."""
        if isinstance(value, FileText):
            return value
        text = str(os.fspath(value))
        is_word = text == DEFAULT_RULESET or text in self.unavailable
        return text if isinstance(value, str) or not is_word else os.path.join(os.curdir, text)


def _unavailable(reasons: Mapping[str, str], value: object, right: str, what: str = "") -> str:
    """What to use instead, with the reason if the value is known but cannot be played."""
    reason = reasons.get(value) if isinstance(value, str) else None
    return right if reason is None else f"{what} not available: {reason}; {right}".lstrip()


class Values(Protocol):
    """The values that an option takes; its text lists them."""

    def problem(self, value: object) -> str | None:
        """What is wrong with the value, None if nothing is."""

    def plain(self, value: Any) -> Any:
        """The (right) value as a plain Python object."""


# --- descriptions -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OptionText:
    """Description of one option: values it takes, meaning, sources, section of RULES.md."""

    values: Values
    meaning: str
    source: str
    rule: str


def option(default: Any, values: Values, meaning: str, source: str, rule: str) -> Any:
    """A dataclass field whose metadata hold the description."""
    return field(default=default, metadata={"text": OptionText(values, meaning, source, rule)})


def texts_of(options_type: Any) -> dict[str, OptionText]:
    """Name of each option of an options dataclass -> its description."""
    return {option.name: option.metadata["text"] for option in fields(options_type)}


# --- as JSON ----------------------------------------------------------------------------------


def options_to_json(ruleset: Any) -> dict[str, Any]:
    """The options of a ruleset as JSON types; a ruleset file by what it held when it was loaded."""
    options = ruleset.options
    values = {option.name: getattr(options, option.name) for option in fields(options)}
    if values.get(RULESET, DEFAULT_RULESET) != DEFAULT_RULESET:
        values[RULESET] = {TEXT: ruleset.game.export_ruleset(ruleset.tables)}
    return values


def options_from_json(data: Mapping[str, Any]) -> dict[str, Any]:
    """Options by name from `options_to_json`; whether they are right is for the game to say."""
    options = dict(data)
    content = options.get(RULESET)
    if isinstance(content, Mapping) and isinstance(content.get(TEXT), str):
        options[RULESET] = FileText(content[TEXT], "the ruleset of the record")
    return options


# --- checking ---------------------------------------------------------------------------------

OptionsT = TypeVar("OptionsT")


def checked_values(
    options: OptionsT,
    expected: type[OptionsT],
    num_players: object,
    players: Whole,
    conflicts: Callable[[OptionsT], Sequence[str]],
) -> OptionsT:
    """The options with plain Python values, each of which is right for itself.

    NumPy integers and booleans are accepted (and replaced), a bool is not a number.

    Args:
        options: what a caller gave.
        expected: the options dataclass of the game.
        num_players: what a caller gave.
        players: the numbers of players that the game has.
        conflicts: what is wrong with options together; asked if each is right for itself.

    Raises:
        TabletopError: one message with a line for each bad value.
    """
    if not isinstance(options, expected):
        raise TabletopError(f"options must be Options(...), not {type(options).__name__}")
    problems = _value_problems(options) or list(conflicts(options))
    problem = players.problem(num_players)
    if problem:
        problems.append(f"num_players = {num_players!r}: {problem}")
    raise_problems(problems)
    texts = texts_of(expected)
    plain = {name: text.values.plain(getattr(options, name)) for name, text in texts.items()}
    return cast(OptionsT, replace(cast(Any, options), **plain))


def _value_problems(options: object) -> list[str]:
    problems = []
    for name, text in texts_of(type(options)).items():
        value = getattr(options, name)
        problem = text.values.problem(value)
        if problem:
            problems.append(f"{name} = {value!r}: {problem} (RULES.md {text.rule})")
    return problems


def raise_problems(problems: Sequence[str]) -> None:
    """Raise one TabletopError with a line for each problem, if there are any."""
    if len(problems) == 1:
        raise TabletopError(problems[0])
    if problems:
        listed = "\n".join(f"  {problem}" for problem in problems)
        raise TabletopError(f"{len(problems)} options are wrong:\n{listed}")
