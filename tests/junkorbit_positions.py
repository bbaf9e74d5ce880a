"""Positions of Junk Orbit from random games, for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
from junkorbit_options import NUM_PLAYERS, random_options

from junkorbit_env.junkorbit_v0 import GAME
from tabletop_core import engine
from tabletop_core.game import Array, Ruleset, allocate
from tabletop_core.rng import seed_to_word

Position = tuple[Ruleset, Array]


def random_positions(name: str) -> Iterator[Position]:
    """Every position of endless random games with random options and numbers of players."""
    rng = Random(name)
    while True:
        num_players = rng.choice(NUM_PLAYERS)
        yield from game_positions(GAME.ruleset(num_players, **random_options(rng)), rng)


def game_positions(ruleset: Ruleset, rng: Random) -> Iterator[Position]:
    """Every position of one random game; the array is played on, so copy what you keep."""
    state = allocate(GAME.state_dtype, 1)
    state[0].rng = seed_to_word(rng.getrandbits(64))
    observation = np.zeros(GAME.observation.size, np.uint8)
    mask = np.zeros(GAME.actions.count, np.int8)
    engine.reset_one(ruleset.record, state, observation, mask)
    yield ruleset, state
    while mask.any():
        action = rng.choice(np.flatnonzero(mask).tolist())
        engine.step_one(ruleset.record, state, action, observation, mask)
        yield ruleset, state


def find_position(
    is_wanted: Callable[[dict[str, Any]], bool], num_players: int = 3, **options: Any
) -> tuple[Ruleset, dict[str, Any]]:
    """The first position, in words, of random games with these options that is wanted."""
    ruleset = GAME.ruleset(num_players, **options)
    rng = Random("find")
    while True:
        for _, state in game_positions(ruleset, rng):
            position = GAME.state_to_json(ruleset, state)
            if is_wanted(position):
                return ruleset, position


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
    return next(game_positions(ruleset, Random("new")))[1]


def last_free(ruleset: Ruleset, letter: str, named: set[str]) -> str:
    """The last tile in play with this letter that is not named."""
    from junkorbit_env.components import TILE_IDS
    from junkorbit_env.notation import tile_set

    in_play = tile_set(ruleset.record[0].tiles)
    free = [
        tile
        for number, tile in enumerate(TILE_IDS)
        if in_play >> number & 1 and tile[0] == letter and tile not in named
    ]
    return free[-1]


def observe(ruleset: Ruleset, state: Array, player: int) -> Array:
    """A fresh observation."""
    observation = np.zeros(GAME.observation.size, np.uint8)
    engine.observe_one(ruleset.record, state, player, observation)
    return observation
