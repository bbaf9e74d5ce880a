"""Positions from random games, for the tests of any game."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

import numpy as np

from tabletop_core import engine
from tabletop_core.game import Array, Ruleset, allocate
from tabletop_core.rng import seed_to_word

Position = tuple[Ruleset, Array]
Choose = Callable[[list[int], Random], int]


def choose_any(legal: list[int], rng: Random) -> int:
    """Each legal action with the same chance."""
    return rng.choice(legal)


def choose_by_block(
    legal: list[int], rng: Random, block_of: Callable[[int], str], preferences: Mapping[str, float]
) -> int:
    """First a block, then one of its actions: the blocks have very different sizes.

    preferences: block -> how much it is preferred to a block with 1, which the others have.
    """
    blocks: dict[str, list[int]] = {}
    for action in legal:
        blocks.setdefault(block_of(action), []).append(action)
    weights = [preferences.get(block, 1.0) for block in blocks]
    return rng.choice(*rng.choices(list(blocks.values()), weights))


def positions_of(
    rulesets: Iterator[Ruleset], rng: Random, choose: Choose = choose_any
) -> Iterator[Position]:
    """Every position of random games, one for each ruleset."""
    for ruleset in rulesets:
        yield from game_positions(ruleset, rng, choose)


def game_positions(
    ruleset: Ruleset, rng: Random, choose: Choose = choose_any
) -> Iterator[Position]:
    """Every position of one random game; the array is played on, so copy what you keep."""
    game = ruleset.game
    state = allocate(game.state_dtype, 1)
    state[0].rng = seed_to_word(rng.getrandbits(64))
    observation = np.zeros(game.observation.size, np.uint8)
    mask = np.zeros(game.actions.count, np.int8)
    engine.reset_one(ruleset.record, state, observation, mask)
    yield ruleset, state
    while mask.any():
        action = choose(np.flatnonzero(mask).tolist(), rng)
        engine.step_one(ruleset.record, state, action, observation, mask)
        yield ruleset, state


def find_position(
    ruleset: Ruleset, is_wanted: Callable[[dict[str, Any]], bool], choose: Choose = choose_any
) -> dict[str, Any]:
    """The first position, in words, of random games that is wanted."""
    rng = Random("find")
    while True:
        for _, state in game_positions(ruleset, rng, choose):
            position = ruleset.game.state_to_json(ruleset, state)
            if is_wanted(position):
                return position


def observe(ruleset: Ruleset, state: Array, player: int) -> Array:
    """A fresh observation."""
    observation = np.zeros(ruleset.game.observation.size, np.uint8)
    engine.observe_one(ruleset.record, state, player, observation)
    return observation
