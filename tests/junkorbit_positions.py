"""Positions of Junk Orbit from random games, for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import positions
from junkorbit_options import NUM_PLAYERS, random_options
from positions import Position, observe

from junkorbit_env.components import TILE_IDS
from junkorbit_env.junkorbit_v0 import GAME
from junkorbit_env.notation import tile_set
from tabletop_core.game import Array, Ruleset

__all__ = ["Position", "find_position", "observe", "random_positions", "with_seeded_cities"]


def random_positions(name: str) -> Iterator[Position]:
    """Every position of endless random games with random options and numbers of players."""
    rng = Random(name)
    return positions.positions_of(random_rulesets(rng), rng)


def random_rulesets(rng: Random) -> Iterator[Ruleset]:
    while True:
        num_players = rng.choice(NUM_PLAYERS)
        yield GAME.ruleset(num_players, **random_options(rng))


def find_position(
    is_wanted: Callable[[dict[str, Any]], bool], num_players: int = 3, **options: Any
) -> tuple[Ruleset, dict[str, Any]]:
    """The first position, in words, of random games with these options that is wanted."""
    ruleset = GAME.ruleset(num_players, **options)
    return ruleset, positions.find_position(ruleset, is_wanted)


def with_seeded_cities(ruleset: Ruleset, data: dict[str, Any]) -> dict[str, Any]:
    """A position written by hand in which each city left out gets a tile from its stack (§4.3).

    The tile is the last one of the stack that is named nowhere.
    """
    start = GAME.state_to_json(ruleset, new_game(ruleset))
    piles = [*data["cities"].values(), *data["cargo"], *data["deliveries"]]
    named = {tile for pile in piles for tile in pile}
    cities = {}
    for city, seeded in start["cities"].items():
        tiles = data["cities"].get(city)
        if tiles is None:
            tiles = [last_free(ruleset, seeded[0][0], named)]
            named.update(tiles)
        cities[city] = tiles
    return {**data, "cities": cities}


def new_game(ruleset: Ruleset) -> Array:
    """The first position of a game."""
    return next(positions.game_positions(ruleset, Random("new")))[1]


def last_free(ruleset: Ruleset, letter: str, named: set[str]) -> str:
    """The last tile in play with this letter that is not named."""
    in_play = tile_set(ruleset.record[0].tiles)
    free = [
        tile
        for number, tile in enumerate(TILE_IDS)
        if in_play >> number & 1 and tile[0] == letter and tile not in named
    ]
    return free[-1]
