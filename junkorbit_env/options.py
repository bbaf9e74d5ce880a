"""The options of Junk Orbit: boards, ships and other tables. Section numbers refer to RULES.md.

Every option is described once, in `Options`: its default, the values it takes, what it means and
where it comes from. `validate` and the option table of the README read these descriptions.
"""

import os
from dataclasses import dataclass
from typing import Final

from tabletop_core.options import (
    DEFAULT_RULESET,
    Choice,
    Flag,
    OptionText,
    RulesetFile,
    Whole,
    checked_values,
    option,
    texts_of,
)

from .components import BOARD_PLAYERS, LAYOUT_FILES, LAYOUTS, Tables, load_tables
from .sizes import MAX_PLAYERS, MIN_PLAYERS, NUM_RINGS

MAX_TURNS_LIMIT: Final = 2**31 - 1
PHOBOS: Final = 3
DEIMOS: Final = 4

EXTRA_BOARDS: Final[dict[str, frozenset[int]]] = {
    "by_players": frozenset(),
    "phobos": frozenset({PHOBOS}),
    "deimos": frozenset({DEIMOS}),
    "phobos+deimos": frozenset({PHOBOS, DEIMOS}),
}

_UNAVAILABLE_SIDES = {"night": "what the night sides of the boards do is not known"}
_UNAVAILABLE_VARIANTS = {
    "coop_limit3": "when the players win together is not known",
    "tourists": "what tourists score is not known",
}


@dataclass(frozen=True)
class Options:
    """All options of the game with their defaults; `option_texts()` describes them as data."""

    ruleset: str | os.PathLike[str] = option(
        DEFAULT_RULESET,
        RulesetFile(),
        "the tables of the game: the shipped ones, or a file made with export-ruleset and changed",
        "the shipped file names the source of every table",
        "§1.2, §2.3",
    )
    layout: str = option(
        "default",
        Choice(LAYOUTS),
        "where Olympus and Kilimanjaro lie on the Moon: at 2 and 5 places clockwise from Kepler "
        "(default), 1 and 6 (alt1), 1 and 5 (alt2), or 2 and 6 (alt3)",
        "the rulebook's example of a move allows these four; which is right: assumed",
        "§1.3",
    )
    boards: str = option(
        "by_players",
        Choice(tuple(EXTRA_BOARDS)),
        "by_players: Phobos is in play from 4 players on, Deimos with 5. The others add them, with "
        "the tiles to their cities, at any number of players",
        "by_players: rulebook; adding boards: FAQ page, the tiles that come with them: assumed",
        "§1.1, §9",
    )
    ship_powers: str = option(
        "off",
        Choice(("off", "A", "B")),
        "off: all ships are alike. A, B: each player gets a ship with the power of its side A or B",
        "two of the ten powers: reviews; the others: assumed, so off by default, although the "
        "printed basic game has side A",
        "§8",
    )
    deliveries_visible: bool = option(
        True,
        Flag(),
        "a player sees which tiles the others have delivered; if not, only how many",
        "they lie face down (rulebook), but everybody has seen each of them: assumed",
        "§7",
    )
    board_side: str = option(
        "day", Choice(("day",), _UNAVAILABLE_SIDES), "the side of the boards", "rulebook", "§9"
    )
    variant: str = option(
        "none",
        Choice(("none",), _UNAVAILABLE_VARIANTS),
        "rules of another edition",
        "rulebook of the first edition",
        "§10",
    )
    max_turns: int | None = option(
        None,
        Whole(0, MAX_TURNS_LIMIT, "no cap, as 0"),
        "finished turns of all players together after which a game is truncated",
        "assumed: not a rule; every game ends by itself",
        "§7",
    )


def option_texts() -> dict[str, OptionText]:
    """Name of each option -> its description."""
    return texts_of(Options)


# --- what follows from them -----------------------------------------------------------------------


def rings_in_play(options: Options, num_players: int) -> tuple[int, ...]:
    """Numbers of the rings in play (§1.1, §9)."""
    extra = EXTRA_BOARDS[options.boards]
    return tuple(
        ring for ring in range(NUM_RINGS) if BOARD_PLAYERS[ring] <= num_players or ring in extra
    )


def option_tables(options: Options) -> Tables:
    """The tables that `ruleset` and `layout` stand for; TabletopError if they are not valid."""
    path = None if options.ruleset == DEFAULT_RULESET else options.ruleset
    return load_tables(path, options.layout)


# --- checking -------------------------------------------------------------------------------------


def validate(options: Options, num_players: int) -> Options:
    """Check all options for a number of players; returns them with plain Python values.

    NumPy integers and booleans are accepted (and replaced), a bool is not a number. Raises one
    TabletopError with a line for each bad value, or if a ruleset file is not valid.
    """
    options = checked_values(
        options, Options, num_players, Whole(MIN_PLAYERS, MAX_PLAYERS), _conflicts
    )
    option_tables(options)
    return options


def _conflicts(options: Options) -> list[str]:
    if options.ruleset == DEFAULT_RULESET:
        return []
    return LAYOUT_FILES.conflicts(options.ruleset, options.layout)
