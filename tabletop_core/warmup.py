"""Compile everything that plays a game, once, so that later processes find it in the cache.

`ENTRY_POINTS` is the one list of what views call, `arguments` the one place that says with which
types; tests hold the engine and every view against both.
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

from . import engine
from .game import Game, Ruleset, allocate, games
from .rng import seed_to_word

ENTRY_POINTS: Final = (
    "reset_one",
    "step_one",
    "show",
    "observe_one",
    "refresh_one",
    "finish_one",
    "rewards_one",
    "determinize_one",
    "reset_batch",
    "step_batch",
    "choose_batch",
    "play_games",
)
BATCHES: Final = frozenset({"reset_batch", "step_batch", "choose_batch", "play_games"})

LANES: Final = 2


@dataclass(frozen=True)
class Compiled:
    """One entry point of one game is ready. seconds: how long its first call took."""

    game: str
    entry_point: str
    seconds: float


def warmup(game: Game) -> list[Compiled]:
    """Call each entry point of the engine once on tiny data, in this process."""
    return list(warmup_all([game]))


def warmup_all(chosen: Sequence[Game], processes: int = 1) -> Iterator[Compiled]:
    """Warm up several games; yields each entry point when it is ready.

    With more than one process they compile side by side into the one cache on disk, and this
    process compiles nothing itself. What all entry points of a game share is compiled first.
    """
    if processes == 1:
        for game in chosen:
            for name in ENTRY_POINTS:
                yield compile_one(game, name)
        return
    # Spawned, not forked: the caller may have threads. All games are sent along, because the
    # cache of the core's loops belongs to the set of all games.
    context = multiprocessing.get_context("spawn")
    known = list(games().values())
    with ProcessPoolExecutor(processes, context, _meet, (known,)) as pool:
        for names in (ENTRY_POINTS[:1], ENTRY_POINTS[1:]):
            tasks = [pool.submit(compile_one, game, name) for game in chosen for name in names]
            for task in as_completed(tasks):
                yield task.result()


def _meet(known: Sequence[Game]) -> None:
    """Unpickling the games has registered them in the new process."""


def compile_one(game: Game, entry_point: str) -> Compiled:
    """Call one entry point of `ENTRY_POINTS` once."""
    started = time.perf_counter()
    ruleset = game.ruleset()
    engine_call = getattr(engine, entry_point)
    given = arguments(ruleset, is_batch=entry_point in BATCHES)
    engine_call(*(given[name] for name in inspect.signature(engine_call).parameters))
    return Compiled(game.id, entry_point, time.perf_counter() - started)


def arguments(ruleset: Ruleset, is_batch: bool) -> dict[str, Any]:
    """Arguments by the names that the entry points give them, of exactly the types of the views.

    Arrays of one game are [size], those of a batch [lanes, size].
    """
    game = ruleset.game
    players = ruleset.num_players
    lanes = (LANES,) if is_batch else ()
    given = {
        "rules": ruleset.record,
        "states": allocate(game.state_dtype, LANES),
        "observation": np.zeros((*lanes, game.observation.size), np.uint8),
        "mask": np.zeros((*lanes, game.actions.count), np.int8),
        "points": np.zeros((*lanes, players)),
        "is_winner": np.zeros((*lanes, players), np.bool_),
        "rewards": np.zeros((*lanes, players)),
        "action": engine.ILLEGAL,
        "player": 0,
        "mode": engine.REWARD_WIN,
        # batches only
        "lanes": allocate(engine.LANE, LANES),
        "choosers": allocate(engine.CHOOSER, LANES),
        "words": np.full((LANES, 2), seed_to_word(0), np.uint64),
        "actions": np.full(LANES, engine.ILLEGAL, np.int64),
        "modes": np.zeros(2, np.int64),
        "is_chosen": np.ones(LANES, np.bool_),
        "scratch": 0,
        "first": 0,
        "end": 1,
    }
    given["choosers"]["rng"] = seed_to_word(0)
    given["states"]["rng"] = seed_to_word(0)
    start_game(ruleset, given["states"])
    return given


def start_game(ruleset: Ruleset, states: Any) -> None:
    """Kernels assume clean input: give them a game in progress in record 0."""
    game = ruleset.game
    observation = np.zeros(game.observation.size, np.uint8)
    engine.reset_one(ruleset.record, states, observation, np.zeros(game.actions.count, np.int8))
