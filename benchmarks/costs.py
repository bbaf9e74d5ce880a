"""What a game costs besides time per step: memory, allocations and how long a start takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numba.core.runtime import _nrt_python, rtsys

from tabletop_core.game import Game

from .contenders.batches import random_steps
from .contenders.twins import buffers
from .measure import Effort, Unavailable

Advance = Callable[[], None]

# --- memory ----------------------------------------------------------------------------------


def state_bytes(game: Game) -> list[float]:
    """Bytes of one game: the state record is all there is."""
    return [float(np.dtype(game.state_dtype).itemsize)]


RSS_GAMES: Final = (1, 1_000, 100_000)
RSS = """
import numba, gymnasium, pettingzoo, sys
from {package} import {name} as game
def resident():
    for line in open("/proc/self/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
warm = game.make_vec(1)
warm.reset(seed=0)
warm.step(warm.sample_actions())
before = resident()
engine = game.make_vec({count})
engine.reset(seed=0)
engine.step(engine.sample_actions())
print(resident() - before)
"""


def resident_bytes(game: Game, count: int) -> list[float]:
    """Memory that `count` games take in a process, all arrays of the vector engine included.

    It is what the process grows by when the engine is made and stepped, kernels loaded before.

    Raises:
        Unavailable: the system does not tell.
    """
    if not Path("/proc/self/status").exists():
        raise Unavailable("resident memory is read from /proc, which this system lacks")
    return [run(RSS, game, None, count=count)]


STEPS: Final = 500
REPEATS: Final = 5
GAMES: Final = 2_000
LANES: Final = 256


def allocations(module: Any) -> list[float]:
    """Allocations in the step path: by kernels, and Python objects that stay behind.

    Numba's runtime counts one allocation for each array that a call from Python hands over, so a
    long call is compared with a short one: many games with one game, a batch with one lane.
    Python's are the blocks in use after long runs of the vector engine, beyond those before.
    """
    _nrt_python.memsys_enable_stats()
    ruleset = module.GAME.ruleset()
    games = buffers(ruleset, GAMES)
    batch, lane = (random_steps(ruleset, count, outputs=True).prepare() for count in (LANES, 1))
    in_games = _allocated(lambda: games.play_kernel(GAMES)) - _allocated(
        lambda: games.play_kernel(1)
    )
    in_steps = _allocated(lambda: batch(STEPS)) - _allocated(lambda: lane(STEPS))
    return [float(max(in_games, in_steps, _kept_blocks(module)))]


def _allocated(run: Callable[[], Any]) -> int:
    """Numba's allocations in one run."""
    run()  # compiles, and fills what Python keeps for later
    before = rtsys.get_allocation_stats().alloc
    run()
    return int(rtsys.get_allocation_stats().alloc - before)


def _kept_blocks(module: Any) -> int:
    """Blocks of Python's memory that a run of the vector engine leaves behind."""
    engine = module.make_vec(LANES)
    engine.reset(seed=0)

    def run() -> None:
        for _ in range(STEPS):
            engine.step(engine.sample_actions())

    run()
    blocks = sys.getallocatedblocks()
    for _ in range(REPEATS):
        run()
    return (sys.getallocatedblocks() - blocks) // REPEATS  # less than one a run is Python's own


# --- starting --------------------------------------------------------------------------------
# Times are CPU seconds of a new process: a start uses one thread, and other programs do not count.

IMPORT = """
import numba, gymnasium, pettingzoo, time
start = time.process_time()
import {module}
print(time.process_time() - start)
"""
FIRST_STEP = """
import time
from {package} import {name} as game
env = game.env()
env.reset(seed=0)
mask = env.last()[0]["action_mask"]
env.step(int(mask.nonzero()[0][0]))
print(time.process_time())
"""
FIRST_BATCH = """
import time
from {package} import {name} as game
engine = game.make_vec(64)
engine.reset(seed=0)
engine.step(engine.sample_actions())
print(time.process_time())
"""


def import_seconds(game: Game, effort: Effort, advance: Advance) -> list[float]:
    """Import of a game beyond the import of numba, gymnasium and pettingzoo."""
    return _rounds(IMPORT, game, effort.rounds, advance, _shared_cache)


def warm_seconds(game: Game, effort: Effort, advance: Advance) -> list[float]:
    """From the start of a process to the first AEC step, with the cache filled before."""
    with tempfile.TemporaryDirectory() as cache:
        run(FIRST_STEP, game, cache)
        return _rounds(FIRST_STEP, game, effort.rounds, advance, lambda: cache)


def cold_seconds(game: Game, effort: Effort, advance: Advance) -> list[float]:
    """The same with an empty cache, so that everything is compiled."""
    return _cold(FIRST_STEP, game, effort, advance)


def cold_batch_seconds(game: Game, effort: Effort, advance: Advance) -> list[float]:
    """The same to the first step of the vector engine."""
    return _cold(FIRST_BATCH, game, effort, advance)


def _cold(program: str, game: Game, effort: Effort, advance: Advance) -> list[float]:
    found = []
    for _ in range(cold_rounds(effort)):
        with tempfile.TemporaryDirectory() as cache:
            found.append(run(program, game, cache))
        advance()
    return found


def cold_rounds(effort: Effort) -> int:
    """A cold start takes long and compiling is a steady work: few rounds are enough."""
    return max(1, effort.rounds // 3)


def _rounds(
    program: str, game: Game, rounds: int, advance: Advance, cache: Callable[[], str | None]
) -> list[float]:
    found = []
    for _ in range(rounds):
        found.append(run(program, game, cache()))
        advance()
    return found


def _shared_cache() -> None:
    return None


@dataclass(frozen=True)
class Start:
    """One way to start. what: from where to where."""

    name: str
    what: str
    measure: Callable[[Game, Effort, Advance], list[float]]
    rounds: Callable[[Effort], int]


FIRST: Final = "process start to first"
STARTS: Final = (
    Start(
        "import",
        "import beyond numba, gymnasium and pettingzoo",
        import_seconds,
        lambda effort: effort.rounds,
    ),
    Start(
        "warm",
        f"{FIRST} AEC step, kernels cached",
        warm_seconds,
        lambda effort: effort.rounds,
    ),
    Start("cold", f"{FIRST} AEC step, empty cache", cold_seconds, cold_rounds),
    Start("cold-vector", f"{FIRST} vector step, empty cache", cold_batch_seconds, cold_rounds),
)


def run(program: str, game: Game, cache: str | None, **values: int) -> float:
    """The number that `program` prints in a new interpreter; cache: folder, None for the user's.

    values: what stands in braces in the program, besides the names of the game's modules.
    """
    package, name = game.module.rsplit(".", 1)
    text = program.format(module=game.module, package=package, name=name, **values)
    variables: dict[str, Any] = dict(os.environ)
    if cache is not None:
        variables["NUMBA_CACHE_DIR"] = cache
    result = subprocess.run(
        [sys.executable, "-c", text], env=variables, capture_output=True, text=True, check=True
    )
    return float(json.loads(result.stdout.splitlines()[-1]))
