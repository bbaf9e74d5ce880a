"""The options of the Stargate TCG: which decks are played, and what is known of them.

Every option is described once, in `Options`: its default, the values it takes, what it means and
where it comes from. Section numbers refer to RULES.md beside this file.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tabletop_core import options as core_options
from tabletop_core.errors import TabletopError, shown
from tabletop_core.game import Json, Ruleset
from tabletop_core.options import (
    DEFAULT_RULESET,
    Flag,
    OptionText,
    RulesetFile,
    Whole,
    checked_values,
    option,
    raise_problems,
    texts_of,
)

from .components import CardPool, load_cards
from .decks import OFFICIAL_DECKS, Deck, deck_from_json, load_deck, official_deck, random_decks
from .state import MAX_DECKS, MAX_PLAYERS, MIN_PLAYERS

MAX_TURNS: Final = 100  # §10
MAX_TURNS_LIMIT: Final = 2**31 - 1
RANDOM_DECKS: Final = 1000  # that `random` draws from, the same ones for all players

STARTERS: Final = "starters"
OFFICIAL: Final = "official"
RANDOM: Final = "random"
WORDS: Final = (STARTERS, OFFICIAL, RANDOM, f"{RANDOM}:number")

DeckChoice = str | os.PathLike[str] | Deck | Sequence[str | os.PathLike[str] | Deck]
"""What one player can play: a deck, or several of which one is drawn for each game."""


@dataclass(frozen=True, slots=True)
class DeckChoices:
    """Values of the option `decks`."""

    def __str__(self) -> str:
        words = ", ".join(f'"{word}"' for word in WORDS)
        return f"{words}, or for each player a deck or several: names, paths, `Deck` objects"

    def problem(self, value: object) -> str | None:
        """What is wrong with the value, None if nothing is."""
        entries = _split(value)
        if entries is None or not entries or not all(_is_choice(entry) for entry in entries):
            return (
                f"use one of {', '.join(WORDS)}, or an entry for each player: the name of an "
                "official deck, one of these words, a path, a Deck, or a list of these"
            )
        words = [word for entry in entries for word in _singles(entry) if isinstance(word, str)]
        wrong = [word for word in words if word.startswith(f"{RANDOM}:") and not _is_word(word)]
        if wrong:
            return f"{shown(wrong[0])}: the number of random decks is from 1 to {MAX_DECKS}"
        return None

    def plain(self, value: Any) -> Any:
        """The (right) value with tuples for lists and text for paths."""
        if isinstance(value, str):
            return value
        return tuple(_plain_choice(entry) for entry in value)


def _split(value: object) -> list[object] | None:
    """The entries for the players; one text may hold them all, separated by commas."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",")]
    return list(value) if isinstance(value, list | tuple) else None


def _singles(entry: object) -> Iterable[object]:
    """What one player can play: each deck, word or path."""
    return entry if isinstance(entry, list | tuple) else (entry,)


def _is_word(entry: object) -> bool:
    """Whether an entry is one of `WORDS`, which may stand for all players."""
    return entry in (STARTERS, OFFICIAL) or _random_number(entry) is not None


def _random_number(entry: object) -> int | None:
    """How many random decks a word asks for, if it does."""
    if entry == RANDOM:
        return RANDOM_DECKS
    word, _, digits = entry.partition(":") if isinstance(entry, str) else ("", "", "")
    is_number = digits.isascii() and digits.isdecimal() and len(digits) <= len(str(MAX_DECKS))
    if word != RANDOM or not is_number or not 1 <= int(digits) <= MAX_DECKS:
        return None
    return int(digits)


def _is_choice(entry: object) -> bool:
    if isinstance(entry, list | tuple):
        return bool(entry) and all(_is_single(one) for one in entry)
    return _is_single(entry)


def _is_single(entry: object) -> bool:
    return isinstance(entry, Deck | os.PathLike) or (isinstance(entry, str) and entry != "")


def _plain_choice(entry: Any) -> Any:
    if isinstance(entry, list | tuple):
        return tuple(_plain_choice(one) for one in entry)
    return os.fspath(entry) if isinstance(entry, os.PathLike) else entry


@dataclass(frozen=True)
class Options:
    """All options of the game with their defaults; `option_texts()` describes them as data."""

    ruleset: str | os.PathLike[str] = option(
        DEFAULT_RULESET,
        RulesetFile(),
        "the pool of cards: the shipped one, or a file made with export-ruleset and changed",
        "cards of the three published sets; `data/README.md` names the sources",
        "§1",
    )
    decks: str | Sequence[DeckChoice] = option(
        STARTERS,
        DeckChoices(),
        "starters: player k plays the k-th official deck (carter, jackson, ..). official: each "
        "player plays one of the twelve, drawn anew for each game. random: each player plays one "
        f"of {RANDOM_DECKS} random legal decks of the whole pool, drawn anew for each game; "
        f"random:number: of so many, up to {MAX_DECKS}. Otherwise one entry for each "
        "player: a name, path or `Deck`, or several of them to draw from",
        "the lists of the twelve preconstructed decks",
        "§4",
    )
    open_lists: bool = option(
        True,
        Flag(),
        "everybody knows which cards are in the other lists; if not, only which decks each player "
        "can have",
        "no rule was found: assumed",
        "§3.1",
    )
    unique_missions: bool = option(
        False,
        Flag(),
        "a mission may be in a list once only",
        "the rules limit cards to three of a title; that this is meant for missions too is assumed",
        "§4",
    )
    max_turns: int = option(
        MAX_TURNS,
        Whole(1, MAX_TURNS_LIMIT),
        "finished turns of all players together after which a game is truncated",
        "assumed: not a rule; the rules know no draw",
        "§10",
    )


def option_texts() -> dict[str, OptionText]:
    """Name of each option -> its description."""
    return texts_of(Options)


# --- what follows from them -----------------------------------------------------------------------


def option_pool(options: Options) -> CardPool:
    """The cards that decks are made of."""
    return load_cards(None if options.ruleset == DEFAULT_RULESET else options.ruleset)


def option_decks(options: Options, num_players: int) -> list[tuple[Deck, ...]]:
    """The decks of each player, one or several to draw from.

    Raises:
        TabletopError: there is no such deck, or a file cannot be read.
    """
    pool = option_pool(options)
    entries = _split(options.decks)
    assert entries is not None
    each = _for_each(entries, num_players)
    drawn = {number: random_decks(number, pool) for number in _random_numbers(each)}
    return [_decks_of(entry, player, drawn) for player, entry in enumerate(each)]


def _for_each(entries: list[Any], num_players: int) -> list[Any]:
    """An entry for each player: one word may stand for all of them."""
    return entries * num_players if len(entries) == 1 and _is_word(entries[0]) else entries


def _random_numbers(entries: list[object]) -> set[int]:
    """How many random decks the players draw from."""
    numbers = {_random_number(one) for entry in entries for one in _singles(entry)}
    return {number for number in numbers if number is not None}


def _decks_of(entry: Any, player: int, drawn: Mapping[int, tuple[Deck, ...]]) -> tuple[Deck, ...]:
    """The decks that an entry stands for; `drawn`: number -> so many random ones."""
    if isinstance(entry, tuple):
        return tuple(deck for one in entry for deck in _decks_of(one, player, drawn))
    if isinstance(entry, Deck):
        return (entry,)
    if entry == STARTERS:
        return (official_deck(OFFICIAL_DECKS[player]),)
    if entry == OFFICIAL:
        return tuple(official_deck(name) for name in OFFICIAL_DECKS)
    number = _random_number(entry)
    if number is not None:
        return drawn[number]
    if entry in OFFICIAL_DECKS:
        return (official_deck(entry),)
    if not os.path.exists(entry):
        raise TabletopError(
            f"decks: there is no official deck and no file {shown(entry)}; the official decks are "
            f"{', '.join(OFFICIAL_DECKS)}"
        )
    return (load_deck(entry),)


# --- as JSON --------------------------------------------------------------------------------------


def options_to_json(ruleset: Ruleset) -> Json:
    """The options as JSON types, with the lists that were loaded in place of the names of files."""
    tables = ruleset.tables
    entries = _split(ruleset.options.decks)
    assert entries is not None
    choices = [
        _choice_as_json(entry, [tables.decks[number] for number in numbers])
        for entry, numbers in zip(_for_each(entries, ruleset.num_players), tables.choices)
    ]
    plain = core_options.options_to_json(ruleset)
    return {**plain, "decks": ",".join(map(str, entries)) if _are_names(entries) else choices}


def options_from_json(data: Json) -> Json:
    """Option values by name from `options_to_json`."""
    options = core_options.options_from_json(data)
    if isinstance(options.get("decks"), list):
        options["decks"] = [_choice_from_json(entry) for entry in options["decks"]]
    return options


def _are_names(entries: Sequence[Any]) -> bool:
    """Whether every player plays what a word or the name of an official deck says."""
    return all(
        isinstance(entry, str) and (_is_word(entry) or entry in OFFICIAL_DECKS) for entry in entries
    )


def _choice_as_json(entry: Any, decks: Sequence[Deck]) -> Any:
    return entry if _are_names([entry]) else [json.loads(deck.to_json()) for deck in decks]


def _choice_from_json(entry: Any) -> Any:
    if not isinstance(entry, list):
        return entry
    return [deck_from_json(json.dumps(deck), "the deck of the record") for deck in entry]


# --- checking -------------------------------------------------------------------------------------


def validate(options: Options, num_players: int) -> Options:
    """Check all options for a number of players; returns them with plain Python values.

    NumPy integers and booleans are accepted (and replaced), a bool is not a number. Raises one
    TabletopError with a line for each bad value, or if a file is not valid. Whether the decks are
    legal is checked when they are laid into a RULES record.
    """
    players = Whole(MIN_PLAYERS, MAX_PLAYERS)
    options = checked_values(options, Options, num_players, players, _no_conflicts)
    entries = _split(options.decks)
    assert entries is not None
    is_for_all = len(entries) == 1 and _is_word(entries[0])
    if not is_for_all and len(entries) != num_players:
        raise_problems(
            [f"decks: there are {len(entries)} entries for {num_players} players (RULES.md §4)"]
        )
    return options


def _no_conflicts(options: Options) -> list[str]:
    """Every combination of right values can be played."""
    return []
