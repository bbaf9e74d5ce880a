"""Positions of Jump Gate from random games, for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
from jumpgate_options import NUM_PLAYERS, random_options

from jumpgate_env.jumpgate_v0 import GAME
from tabletop_core import engine
from tabletop_core.game import Array, Ruleset, allocate
from tabletop_core.rng import seed_to_word

# With equal chances ships fly about for hundreds of turns, so what brings a game on is preferred.
PREFERENCES = {"pass": 0.1, "fly": 0.5, "research": 0.5, "scan": 4.0, "harvest": 4.0, "claim": 8.0}

Position = tuple[Ruleset, Array]


def random_positions(name: str) -> Iterator[Position]:
    """Every position of endless random games with random options and numbers of players."""
    rng = Random(name)
    while True:
        num_players = rng.choice(NUM_PLAYERS)
        yield from game_positions(
            GAME.ruleset(num_players, **random_options(rng, num_players)), rng
        )


def game_positions(ruleset: Ruleset, rng: Random) -> Iterator[Position]:
    """Every position of one random game; the array is played on, so copy what you keep."""
    state = allocate(GAME.state_dtype, 1)
    state[0].rng = seed_to_word(rng.getrandbits(64))
    observation = np.zeros(GAME.observation.size, np.uint8)
    mask = np.zeros(GAME.actions.count, np.int8)
    engine.reset_one(ruleset.record, state, observation, mask)
    yield ruleset, state
    while mask.any():
        action = choose(np.flatnonzero(mask).tolist(), rng)
        engine.step_one(ruleset.record, state, action, observation, mask)
        yield ruleset, state


def choose(legal: list[int], rng: Random) -> int:
    """First a block, then one of its actions: there are many flights but one scan."""
    blocks: dict[str, list[int]] = {}
    for action in legal:
        blocks.setdefault(BLOCK_NAMES[action], []).append(action)
    weights = [PREFERENCES.get(name, 1.0) for name in blocks]
    return rng.choice(rng.choices(list(blocks.values()), weights)[0])


BLOCK_NAMES = [GAME.actions.block_of(action)[0].name for action in range(GAME.actions.count)]


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


def observe(ruleset: Ruleset, state: Array, player: int) -> Array:
    """A fresh observation."""
    observation = np.zeros(GAME.observation.size, np.uint8)
    engine.observe_one(ruleset.record, state, player, observation)
    return observation
