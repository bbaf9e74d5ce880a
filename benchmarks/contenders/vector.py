"""Our self-play engine, driven from Python: one call for each step of all lanes.

A finished game is followed by a new one in the same call, so every call is a decision in each lane.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tabletop_core.vector_env import VectorEngine

from ..measure import WALL, Contender, Counts, Work
from .batches import mixed_states

RECORDED_STEPS: Final = 64


def random_games(
    module: Any, players: int, batch: int, threads: int = 1, observations: bool = True
) -> Contender:
    """`make_vec`, actions chosen by its kernel; games that end are counted in Python."""

    def prepare() -> Work:
        engine = _mixed(module, players, batch, threads, observations)

        def work(amount: int) -> Counts:
            games = 0
            for _ in range(amount):
                games += _ended(engine.step(engine.sample_actions()))
            return Counts(batch * amount, games)

        return work

    return Contender(_name(module, players, batch, threads, observations), prepare, WALL)


def recorded_games(
    module: Any, players: int, batch: int, threads: int = 1, observations: bool = True
) -> Contender:
    """The same without the cost of choosing and counting: recorded actions, again and again.

    An amount of work is one pass through the record, from the same positions each time.
    """

    def prepare() -> Work:
        engine = _mixed(module, players, batch, threads, observations)
        start = engine.clone()
        actions = []
        games = 0
        for _ in range(RECORDED_STEPS):
            actions.append(engine.sample_actions().copy())
            games += _ended(engine.step(actions[-1]))

        def work(amount: int) -> Counts:
            for _ in range(amount):
                engine.restore(start)
                for chosen in actions:
                    engine.step(chosen)
            return Counts(batch * amount * RECORDED_STEPS, games * amount)

        return work

    name = _name(module, players, batch, threads, observations)
    return Contender(f"{name}, recorded actions", prepare, WALL)


def _mixed(module: Any, players: int, batch: int, threads: int, observations: bool) -> VectorEngine:
    engine: VectorEngine = module.make_vec(
        batch,
        num_players=players,
        autoreset="same_step",
        threads=threads,
        observations=observations,
    )
    engine.reset(seed=0)
    engine.restore(mixed_states(engine.ruleset, batch))
    return engine


def _ended(outputs: tuple[Any, ...]) -> int:
    infos = outputs[-1]
    return int(np.count_nonzero(infos["_length"])) if infos else 0


def _name(module: Any, players: int, batch: int, threads: int, observations: bool) -> str:
    outputs = "all outputs" if observations else "no observations"
    shared = "" if threads == 1 else f", {threads} threads"
    return f"{module.GAME.id} engine, {players} players, batch {batch}{shared}, {outputs}"
