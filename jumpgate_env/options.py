"""The options of Jump Gate: rule variants and other tables. Section numbers refer to RULES.md.

Every option is described once, in `Options`: its default, the values it takes, what it means and
where it comes from. `validate` and the option table of the README read these descriptions.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, cast

import numpy as np

from tabletop_core.errors import TabletopError
from tabletop_core.table_file import path_text

from .components import DECKS, Tables, load_tables
from .sizes import (
    FAME,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NOTHING,
    NUM_CARDS,
    RESOURCES_PER_PLANET,
)

MAX_TURNS_LIMIT: Final = 2**31 - 1
TURNS_PER_PLAYER: Final = 1000

_UNAVAILABLE_RULESETS = {
    "print2010": "not all rules and numbers of the 1st and 2nd printed edition are known",
    "space_mission": "not all rules and cards of the sister edition are known",
}


# --- descriptions ---------------------------------------------------------------------------------


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
    """One of a few words."""

    words: tuple[str, ...]

    def __str__(self) -> str:
        return ", ".join(f'"{word}"' for word in self.words)

    def problem(self, value: object) -> str | None:
        """What is wrong with the value, None if nothing is."""
        return None if isinstance(value, str) and value in self.words else f"use {self._right()}"

    def _right(self) -> str:
        words = [f'"{word}"' for word in self.words]
        return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"

    def plain(self, value: Any) -> Any:
        """The (right) value as a plain Python object."""
        return str(value)


@dataclass(frozen=True, slots=True)
class Ruleset:
    """The word "default" or the path of a ruleset file."""

    def __str__(self) -> str:
        return '"default", a path'

    def problem(self, value: object) -> str | None:
        """What is wrong with the value, None if nothing is."""
        right = 'use "default" or the path of a ruleset file'
        try:
            path_text(value)
        except TabletopError:
            return right
        reason = _UNAVAILABLE_RULESETS.get(value) if isinstance(value, str) else None
        return reason and f"this ruleset is not available: {reason}; {right}"

    def plain(self, value: Any) -> Any:
        """The (right) value as text; a path object never becomes one of the words."""
        text = str(os.fspath(value))
        is_word = text == "default" or text in _UNAVAILABLE_RULESETS
        return text if isinstance(value, str) or not is_word else os.path.join(os.curdir, text)


Values = Flag | Whole | Choice | Ruleset


@dataclass(frozen=True, slots=True)
class OptionText:
    """Description of one option: values it takes, meaning, sources, section of RULES.md."""

    values: Values
    meaning: str
    source: str
    rule: str


def _option(default: Any, values: Values, meaning: str, source: str, rule: str) -> Any:
    """A dataclass field whose metadata hold the description."""
    return field(default=default, metadata={"text": OptionText(values, meaning, source, rule)})


# --- the options ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Options:
    """All options of the game with their defaults; `option_texts()` describes them as data."""

    ruleset: str | os.PathLike[str] = _option(
        "default",
        Ruleset(),
        "the tables of the game: the shipped ones, or a file made with export-ruleset and changed",
        "the shipped file names the source of every table",
        "§1",
    )
    deck: str = _option(
        "default",
        Choice(DECKS),
        "resource cards. eights: 8 energel, 8 water and 8 fame instead of 12, 6 and 6. "
        "nothing2010: the 12 sand are nothing cards, worth 0 and out of the game when they turn up",
        "12 gems: designer's notes; the other counts: assumed; nothing: older printed editions",
        "§1.1, §10",
    )
    hidden_per_player: int = _option(
        2,
        Whole(0, NUM_CARDS // MIN_PLAYERS),
        "hidden resources dealt to each player (with two players see two_player_hidden)",
        "BGA rules page",
        "§2",
    )
    two_player_hidden: int = _option(
        2,
        Whole(0, NUM_CARDS // MIN_PLAYERS),
        "hidden resources dealt to each player when two play; hidden_per_player is not used then",
        "2: BGA rules page; 3: rulebook of the 3rd edition",
        "§2",
    )
    redeal_fame: bool = _option(
        True,
        Flag(),
        "fame cards dealt as hidden resources are replaced by other cards",
        "rulebook of the 3rd edition",
        "§2",
    )
    mark_scope: str = _option(
        "global",
        Choice(("global", "per_planet")),
        "global: a player has one mark in the whole game. per_planet: one mark on every planet",
        "BGA rules page, which can be read both ways",
        "§4.3",
    )
    mark_optional: bool = _option(
        True,
        Flag(),
        "after a scan a player may decline to mark a resource",
        "assumed: the BGA rules page does not say whether one must",
        "§4.3",
    )
    scan_cost: str = _option(
        "match",
        Choice(("match", "any_card", "free")),
        "a scan costs a card with the planet's scan code, any card, or no card",
        "match: printed editions; any_card: a guide to the BGA game; free: the BGA rules page "
        "names no cost",
        "§4.3",
    )
    harvest_cost: str = _option(
        "any_card",
        Choice(("any_card", "any_card_if_unmarked", "free")),
        "a harvest costs any card, any card unless the resource has one's own mark, or no card",
        "any_card: BGA rules page; any_card_if_unmarked: another reading of it; free: 1st edition",
        "§4.5",
    )
    landing_rule: str = _option(
        "planet_codes",
        Choice(("planet_codes", "equal_pair")),
        "a claim costs two cards with the landing codes of the planet, or two cards whose landing "
        "codes are equal whatever the planet shows",
        "planet_codes: BGA rules page, reviews; equal_pair: literal reading of a translation",
        "§4.4",
    )
    fly_from_gate: bool = _option(
        False,
        Flag(),
        "a ship may fly from the Jump Gate to any planet without a card",
        "False: reviews of the sister edition; the BGA rules page is silent",
        "§4.1",
    )
    jump_target: str = _option(
        "any",
        Choice(("any", "not_adjacent")),
        "a jump goes to any other planet, or not to the neighbours in the ring (from the Jump Gate "
        "always to any planet)",
        "any: BGA rules page; not_adjacent: its older version",
        "§4.2",
    )
    harvest_where: str = _option(
        "here",
        Choice(("here", "anywhere")),
        "resources are harvested where the ship is, or on any planet",
        "assumed: the BGA rules page does not say it for harvests",
        "§4.5",
    )
    blackhole_limit: int = _option(
        7,
        Whole(1, NUM_CARDS),
        "markers on the Black Hole that end the game",
        "BGA rules page; 9 in older printed editions",
        "§7",
    )
    planet_points: int = _option(
        4,
        Whole(0, 1000),
        "points for each claimed planet",
        "BGA rules page; 3 in older printed editions",
        "§8",
    )
    tie_break: str = _option(
        "shared",
        Choice(("shared", "fewest_blackhole_then_planets")),
        "players with equal points share the win, or fewer Black Hole markers and then more "
        "planets win",
        "assumed: no source has a tie-break",
        "§8",
    )
    max_turns: int | None = _option(
        None,
        Whole(1, MAX_TURNS_LIMIT, f"{TURNS_PER_PLAYER} times the number of players"),
        "finished turns of all players together after which a game is truncated",
        "assumed: not a rule, a guard against endless games",
        "§7",
    )


def option_texts() -> dict[str, OptionText]:
    """Name of each option -> its description."""
    return {option.name: option.metadata["text"] for option in fields(Options)}


# --- what follows from them -----------------------------------------------------------------------


def hidden_cards(options: Options, num_players: int) -> int:
    """Hidden resources of each player: with two players two_player_hidden decides (§10)."""
    return options.two_player_hidden if num_players == 2 else options.hidden_per_player


def turn_limit(options: Options, num_players: int) -> int:
    """Finished turns of all players together after which a game is truncated (§7)."""
    if options.max_turns is None:
        return TURNS_PER_PLAYER * num_players
    return options.max_turns


def option_tables(options: Options) -> Tables:
    """The tables that `ruleset` and `deck` stand for; TabletopError if they are not valid."""
    if options.ruleset == "default":
        return load_tables(deck=options.deck)
    return load_tables(options.ruleset, deck=options.deck)


# --- checking -------------------------------------------------------------------------------------


def validate(options: Options, num_players: int, tables: Tables | None = None) -> Options:
    """Check all options for a number of players; returns them with plain Python values.

    NumPy integers and booleans are accepted (and replaced), a bool is not a number. The tables are
    loaded if they are not given. Raises one TabletopError with a line for each bad value.
    """
    if not isinstance(options, Options):
        raise TabletopError(f"options must be Options(...), not {type(options).__name__}")
    problems = _value_problems(options)
    players = Whole(MIN_PLAYERS, MAX_PLAYERS).problem(num_players)
    if players:
        problems.append(f"num_players = {num_players!r}: {players}")
    _raise(problems)
    texts = option_texts()
    plain = {name: text.values.plain(getattr(options, name)) for name, text in texts.items()}
    options = replace(options, **plain)
    if tables is None:
        tables = option_tables(options)
    _raise(_deal_problems(options, int(num_players), tables))
    return options


def _value_problems(options: Options) -> list[str]:
    problems = []
    for name, text in option_texts().items():
        value = getattr(options, name)
        problem = text.values.problem(value)
        if problem:
            problems.append(f"{name} = {value!r}: {problem} (RULES.md {text.rule})")
    if not problems and options.ruleset != "default" and options.deck != "default":
        problems.append(
            f"deck = {options.deck!r}: cannot be combined with the ruleset file "
            f"{path_text(options.ruleset)}, which brings its own resource cards"
        )
    return problems


def _deal_problems(options: Options, num_players: int, tables: Tables) -> list[str]:
    """Are there enough resource cards for the set-up (§2.3, §2.4)?"""
    name = "two_player_hidden" if num_players == 2 else "hidden_per_player"
    count = hidden_cards(options, num_players)
    hidden = num_players * count
    planets = tables.ring_size(num_players)
    left = NUM_CARDS - RESOURCES_PER_PLANET * planets
    # Cards that may be dealt as hidden ones; the others go back before the planets get theirs.
    allowed = NUM_CARDS - tables.count_of(NOTHING)
    if options.redeal_fame:
        allowed -= tables.count_of(FAME)
    if hidden <= min(left, allowed):
        return []
    if left <= allowed:
        why = f"{planets} planets leave {left} of {NUM_CARDS} resource cards"
    else:
        kinds = "fame and nothing" if options.redeal_fame else "nothing"
        why = f"{allowed} resource cards are left without {kinds}"
    most = min(left, allowed) // num_players
    return [
        f"{name} = {count}: {num_players} players need {hidden} hidden resources, but {why}; "
        f"use at most {most} (RULES.md §2)"
    ]


def _raise(problems: Sequence[str]) -> None:
    if len(problems) == 1:
        raise TabletopError(problems[0])
    if problems:
        listed = "\n".join(f"  {problem}" for problem in problems)
        raise TabletopError(f"{len(problems)} options are wrong:\n{listed}")
