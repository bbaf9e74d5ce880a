"""Compile everything that plays a game, once, so that later processes find it in the cache.

`STAGES` is the one list of kernels that are called from Python, `arguments` the one place that says
with which types; tests hold the engine and the views against both.
"""

from __future__ import annotations

import inspect
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numba import typeof
from numba.core import config

from . import bots, engine, mcts
from .game import Game, Ruleset, allocate

STAGES: Final = (
    # Together these compile every kernel of a game once; none has much in common with another.
    (
        engine.reset_one,
        engine.observe_one,
        engine.determinize_one,
        engine.finish_one,
        engine.rule_one,
        engine.rewards_one,
        engine.choose_batch,
        engine.collect_results,
        bots.pick_legal,
    ),
    # These have that in common and build on it.
    (
        engine.step_batch,
        engine.play_games,
        engine.rollout_batch,
        engine.step_one,
        engine.refresh_one,
        engine.legal_one,
        engine.show,
        mcts.grow,
    ),
)
ENTRY_POINTS: Final[dict[str, Any]] = {
    kernel.__name__: kernel for stage in STAGES for kernel in stage
}

LANES: Final = 2
TALLIES: Final = 3


@dataclass(frozen=True)
class Compiled:
    """One entry point of one game is ready. seconds: how long that took."""

    game: str
    num_players: int
    entry_point: str
    seconds: float


def warmup(game: Game) -> list[Compiled]:
    """Compile each entry point for a game, or load it from the cache, in this process."""
    return list(warmup_all([game]))


def tables(chosen: Sequence[Game]) -> list[tuple[Game, int]]:
    """Every game with one number of players for each kind of table that it has."""
    return [(game, players[0]) for game in chosen for players in game.player_ranges]


def warmup_all(chosen: Sequence[Game], processes: int = 1) -> Iterator[Compiled]:
    """Warm up several games; yields each entry point when it is ready.

    With more than one process they compile side by side into the one cache on disk, and this
    process compiles nothing itself.
    """
    if processes == 1:
        for game, players in tables(chosen):
            for name in ENTRY_POINTS:
                yield compile_one(game, players, name)
        return
    context = multiprocessing.get_context("spawn")  # not forked: the caller may have threads
    with ProcessPoolExecutor(processes, context) as pool:
        for stage in STAGES:
            names = [kernel.__name__ for kernel in stage]
            tasks = [
                pool.submit(compile_one, game, players, name)
                for name in names
                for game, players in tables(chosen)
            ]
            for task in as_completed(tasks):
                yield task.result()


def compile_one(game: Game, num_players: int, entry_point: str) -> Compiled:
    """Compile one of `ENTRY_POINTS`, or load it from the cache (nothing to do when interpreted)."""
    started = time.perf_counter()
    kernel = ENTRY_POINTS[entry_point]
    names = list(inspect.signature(kernel).parameters)
    given = arguments(game.ruleset(num_players), is_batch="end" in names or "ended" in names)
    if not config.DISABLE_JIT:
        kernel.compile(tuple(typeof(given[name]) for name in names))
    return Compiled(game.id, num_players, entry_point, time.perf_counter() - started)


def arguments(ruleset: Ruleset, is_batch: bool) -> dict[str, Any]:
    """Arguments by the names that the entry points give them, of exactly the types of the views.

    Arrays for one game are [size], those for a batch [lanes, size]. Only the types count.
    """
    game = ruleset.game
    players = ruleset.num_players
    lanes = (LANES,) if is_batch else ()
    return {
        "rules": ruleset.record,
        "states": allocate(game.state_dtype, LANES),
        "observation": np.zeros((*lanes, game.observation.size), np.uint8),
        "mask": np.zeros((*lanes, game.actions.count), np.int8),
        "points": np.zeros((*lanes, players)),
        "is_winner": np.zeros((*lanes, players), np.bool_),
        "rewards": np.zeros((*lanes, players)),
        # one game
        "action": 0,
        "player": 0,
        "mode": engine.REWARD_WIN,
        "fraction": 0.0,
        # batches
        "lanes": allocate(engine.LANE, LANES),
        "choosers": allocate(engine.CHOOSER, LANES),
        "words": np.zeros((LANES, 2), np.uint64),
        "actions": np.zeros(LANES, np.int64),
        "modes": np.zeros(2, np.int64),
        "flags": np.zeros((engine.NUM_FLAGS, LANES), np.bool_),
        "num_steps": 1,
        "tallies": np.zeros((LANES, TALLIES), np.int64),
        "totals": np.zeros((LANES, 2, players)),
        "ended": np.zeros(LANES, np.bool_),
        "scores": np.zeros((LANES, players)),
        "lengths": np.zeros(LANES, np.int64),
        "finished": np.zeros((engine.NUM_FINISHED, 2 * LANES), np.int64),
        "before": 0,
        "scratch": 0,
        # searches
        "worlds": allocate(game.state_dtype, 1),
        "trees": allocate(mcts.TREE, 1),
        "nodes": allocate(mcts.NODE, 1),
        "values": np.zeros((1, players)),
        "untried": np.zeros(game.actions.num_words, np.uint64),
        "simulations": 1,
        # parts of a batch
        "first": 0,
        "end": LANES,
    }
