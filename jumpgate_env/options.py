"""The options of Jump Gate: rule variants and other tables. Section numbers refer to RULES.md.

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
    raise_problems,
    texts_of,
)

from .components import DECK_FILES, DECKS, Tables, load_tables
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


# --- the options ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Options:
    """All options of the game with their defaults; `option_texts()` describes them as data."""

    ruleset: str | os.PathLike[str] = option(
        DEFAULT_RULESET,
        RulesetFile(_UNAVAILABLE_RULESETS),
        "the tables of the game: the shipped ones, or a file made with export-ruleset and changed",
        "the shipped file names the source of every table",
        "§1",
    )
    deck: str = option(
        "default",
        Choice(DECKS),
        "resource cards. eights: 8 energel, 8 water and 8 fame instead of 12, 6 and 6. "
        "nothing2010: the 12 sand are nothing cards, worth 0 and out of the game when they turn up",
        "12 gems: designer's notes; the other counts: assumed; nothing: older printed editions",
        "§1.1, §10",
    )
    hidden_per_player: int = option(
        2,
        Whole(0, NUM_CARDS // MIN_PLAYERS),
        "hidden resources dealt to each player (with two players see two_player_hidden)",
        "BGA rules page",
        "§2",
    )
    two_player_hidden: int = option(
        2,
        Whole(0, NUM_CARDS // MIN_PLAYERS),
        "hidden resources dealt to each player when two play; hidden_per_player is not used then",
        "2: BGA rules page; 3: rulebook of the 3rd edition",
        "§2",
    )
    redeal_fame: bool = option(
        True,
        Flag(),
        "fame cards dealt as hidden resources are replaced by other cards",
        "rulebook of the 3rd edition",
        "§2",
    )
    mark_scope: str = option(
        "global",
        Choice(("global", "per_planet")),
        "global: a player has one mark in the whole game. per_planet: one mark on every planet",
        "BGA rules page, which can be read both ways",
        "§4.3",
    )
    mark_optional: bool = option(
        True,
        Flag(),
        "after a scan a player may decline to mark a resource",
        "assumed: the BGA rules page does not say whether one must",
        "§4.3",
    )
    scan_cost: str = option(
        "match",
        Choice(("match", "any_card", "free")),
        "a scan costs a card with the planet's scan code, any card, or no card",
        "match: printed editions; any_card: a guide to the BGA game; free: the BGA rules page "
        "names no cost",
        "§4.3",
    )
    harvest_cost: str = option(
        "any_card",
        Choice(("any_card", "any_card_if_unmarked", "free")),
        "a harvest costs any card, any card unless the resource has one's own mark, or no card",
        "any_card: BGA rules page; any_card_if_unmarked: another reading of it; free: 1st edition",
        "§4.5",
    )
    landing_rule: str = option(
        "planet_codes",
        Choice(("planet_codes", "equal_pair")),
        "a claim costs two cards with the landing codes of the planet, or two cards whose landing "
        "codes are equal whatever the planet shows",
        "planet_codes: BGA rules page, reviews; equal_pair: literal reading of a translation",
        "§4.4",
    )
    fly_from_gate: bool = option(
        False,
        Flag(),
        "a ship may fly from the Jump Gate to any planet without a card",
        "False: reviews of the sister edition; the BGA rules page is silent",
        "§4.1",
    )
    jump_target: str = option(
        "any",
        Choice(("any", "not_adjacent")),
        "a jump goes to any other planet, or not to the neighbours in the ring (from the Jump Gate "
        "always to any planet)",
        "any: BGA rules page; not_adjacent: its older version",
        "§4.2",
    )
    harvest_where: str = option(
        "here",
        Choice(("here", "anywhere")),
        "resources are harvested where the ship is, or on any planet",
        "assumed: the BGA rules page does not say it for harvests",
        "§4.5",
    )
    blackhole_limit: int = option(
        7,
        Whole(1, NUM_CARDS),
        "markers on the Black Hole that end the game",
        "BGA rules page; 9 in older printed editions",
        "§7",
    )
    planet_points: int = option(
        4,
        Whole(0, 1000),
        "points for each claimed planet",
        "BGA rules page; 3 in older printed editions",
        "§8",
    )
    tie_break: str = option(
        "shared",
        Choice(("shared", "fewest_blackhole_then_planets")),
        "players with equal points share the win, or fewer Black Hole markers and then more "
        "planets win",
        "assumed: no source has a tie-break",
        "§8",
    )
    max_turns: int | None = option(
        None,
        Whole(1, MAX_TURNS_LIMIT, f"{TURNS_PER_PLAYER} times the number of players"),
        "finished turns of all players together after which a game is truncated",
        "assumed: not a rule, a guard against endless games",
        "§7",
    )


def option_texts() -> dict[str, OptionText]:
    """Name of each option -> its description."""
    return texts_of(Options)


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
    if options.ruleset == DEFAULT_RULESET:
        return load_tables(deck=options.deck)
    return load_tables(options.ruleset, deck=options.deck)


# --- checking -------------------------------------------------------------------------------------


def validate(options: Options, num_players: int, tables: Tables | None = None) -> Options:
    """Check all options for a number of players; returns them with plain Python values.

    NumPy integers and booleans are accepted (and replaced), a bool is not a number. The tables are
    loaded if they are not given. Raises one TabletopError with a line for each bad value.
    """
    options = checked_values(
        options, Options, num_players, Whole(MIN_PLAYERS, MAX_PLAYERS), _conflicts
    )
    if tables is None:
        tables = option_tables(options)
    raise_problems(_deal_problems(options, int(num_players), tables))
    return options


def _conflicts(options: Options) -> list[str]:
    if options.ruleset == DEFAULT_RULESET:
        return []
    return DECK_FILES.conflicts(options.ruleset, options.deck)


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
