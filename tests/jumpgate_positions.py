"""Positions of Jump Gate from random games, for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import positions
from jumpgate_options import NUM_PLAYERS, random_options
from positions import Position, observe

from jumpgate_env.jumpgate_v0 import GAME
from tabletop_core.game import Ruleset

__all__ = ["Position", "find_position", "game_positions", "observe", "random_positions"]

# With equal chances ships fly about for hundreds of turns, so what brings a game on is preferred.
PREFERENCES = {"pass": 0.1, "fly": 0.5, "research": 0.5, "scan": 4.0, "harvest": 4.0, "claim": 8.0}

BLOCK_NAMES = [GAME.actions.block_of(action)[0].name for action in range(GAME.actions.count)]


def choose(legal: list[int], rng: Random) -> int:
    """There are many flights but one scan."""
    return positions.choose_by_block(legal, rng, BLOCK_NAMES.__getitem__, PREFERENCES)


def random_positions(name: str) -> Iterator[Position]:
    """Every position of endless random games with random options and numbers of players."""
    rng = Random(name)
    return positions.positions_of(random_rulesets(rng), rng, choose)


def random_rulesets(rng: Random) -> Iterator[Ruleset]:
    while True:
        num_players = rng.choice(NUM_PLAYERS)
        yield GAME.ruleset(num_players, **random_options(rng, num_players))


def game_positions(ruleset: Ruleset, rng: Random) -> Iterator[Position]:
    """Every position of one random game; the array is played on, so copy what you keep."""
    return positions.game_positions(ruleset, rng, choose)


def find_position(
    is_wanted: Callable[[dict[str, Any]], bool], num_players: int = 3, **options: Any
) -> tuple[Ruleset, dict[str, Any]]:
    """The first position, in words, of random games with these options that is wanted."""
    ruleset = GAME.ruleset(num_players, **options)
    return ruleset, positions.find_position(ruleset, is_wanted, choose)
