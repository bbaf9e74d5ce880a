"""Threads, forked and spawned processes: no abort, no hang, and the results of a serial run."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import ProcessPoolExecutor
from pathlib import Path

import pytest
import toy_game
from numba.core import config

from tabletop_core.errors import TabletopError
from tabletop_core.game import Game, Ruleset
from tabletop_core.policy import load_policy
from tabletop_core.record import read_records
from tabletop_core.session import Session

TIMEOUT = 240  # seconds until something counts as hanging
NUM_THREADS = 4
RULESET = toy_game.GAME.ruleset(3)
SEEDS = range(20)

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
needs_compiling = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")


def play(ruleset: Ruleset, seed: int, decisions: int = 60) -> str:
    """A hash of the beginning of a random game: states and pictures."""
    session = Session(ruleset)
    session.reset(seed)
    return play_on(session, seed, decisions)


def play_on(session: Session, seed: int, decisions: int = 60) -> str:
    """The same from the position of a session."""
    rng = random.Random(seed)
    result = hashlib.blake2b(session.serialize(), digest_size=16)
    for _ in range(decisions):
        if session.is_over:
            session.reset()
        session.step(rng.choice(session.legal_actions()))
        result.update(session.serialize() + session.render(session.current_player).encode())
    return result.hexdigest()


def play_toy(seed: int) -> str:
    return play(RULESET, seed)


# --- killed ----------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
from pathlib import Path

def die(*arguments):
    os.kill(os.getpid(), signal.SIGKILL)

path, write = Path(sys.argv[1]), sys.argv[2]
setattr(os, sys.argv[3], die)
if write == "record":
    from tabletop_core.game import find_game
    from tabletop_core.record import write_records
    from tabletop_core.rollouts import random_records
    records = list(random_records(find_game("junkorbit").ruleset(), 2, seed=int(sys.argv[4])))
    write_records(path, records, force=True)
else:
    sys.path.insert(0, sys.argv[5])
    from test_policy_bots import random_policy
    from tabletop_core.game import find_game
    random_policy(find_game("junkorbit").ruleset(), int(sys.argv[4])).save(path, force=True)
"""


@needs_fork
@pytest.mark.parametrize("moment", ["fsync", "replace"])
@pytest.mark.parametrize("kind", ["record", "checkpoint"])
def test_killed_while_writing_a_file(tmp_path: Path, kind: str, moment: str) -> None:
    """Before the bytes are on the disk, and before the file has its name: the old one is there."""
    path = tmp_path / {"record": "games.jsonl", "checkpoint": "policy.npz"}[kind]

    def write(moment: str, seed: int) -> int:
        arguments = [path, kind, moment, str(seed), Path(__file__).parent]
        return subprocess.run(
            [sys.executable, "-c", KILLED, *arguments], timeout=TIMEOUT
        ).returncode

    def content() -> object:
        if kind == "record":
            return list(read_records(path))
        return load_policy(path).header.training

    assert write("nothing_that_is_called", 1) == 0
    first = content()
    assert write(moment, 2) == -signal.SIGKILL
    assert content() == first
    assert write("nothing_that_is_called", 2) == 0
    assert content() != first


# --- threads ---------------------------------------------------------------------------------


def play_in_threads(task: Callable[[int], str]) -> list[str]:
    """Results for all seeds; the threads begin together."""
    barrier = threading.Barrier(NUM_THREADS)

    def begin_together(seed: int) -> str:
        if seed < NUM_THREADS:
            barrier.wait(TIMEOUT)
        return task(seed)

    with ThreadPoolExecutor(NUM_THREADS) as pool:
        return list(pool.map(begin_together, SEEDS, timeout=TIMEOUT))


def test_threads_with_a_session_each() -> None:
    assert play_in_threads(play_toy) == [play_toy(seed) for seed in SEEDS]


def test_threads_with_a_session_each_in_every_game(game: Game) -> None:
    ruleset = game.ruleset()
    expected = [play(ruleset, seed) for seed in SEEDS]
    assert play_in_threads(lambda seed: play(ruleset, seed)) == expected


def test_threads_with_one_session() -> None:
    """A call works or is refused; the position stays a possible one."""
    session = Session(RULESET)
    session.reset(0)
    refused = []

    def use(seed: int) -> str:
        rng = random.Random(seed)
        for _ in range(100):
            try:
                if session.is_over:
                    session.reset()
                session.step(rng.choice(session.legal_actions() or [0]))
                session.render()
            except TabletopError as error:
                refused.append(str(error))
        return ""

    play_in_threads(use)
    allowed = ("in use by another thread", "may not play", "the game is over")
    assert all(any(text in message for text in allowed) for message in refused)
    again = Session(RULESET)
    again.from_json(session.to_json())
    assert again.serialize() == session.serialize()


# --- processes -------------------------------------------------------------------------------
# Each test is a process of its own with an empty cache, in which nothing is compiled yet.

CHILD = """
import os, sys, threading
from test_processes import SEEDS, NUM_THREADS, play_in_threads, play_toy

def tell(who, hashes):
    os.write(1, f"{who} {' '.join(hashes)}\\n".encode())  # at once, so that lines stay whole

def in_child(report):
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            tell("child", report())
            status = 0
        finally:
            os._exit(status)
    return pid

def wait_for(*pids):
    for pid in pids:
        _, status = os.waitpid(pid, 0)
        assert status == 0, status

def some():
    return [play_toy(seed) for seed in range(3)]
"""

BEFORE = """
first = in_child(some)
tell("parent", some())
wait_for(first)
"""

AFTER = """
tell("parent", some())
wait_for(*(in_child(some) for _ in range(3)))
"""

# The main thread forks as soon as another thread has begun to compile, twice.
DURING = """
from numba.core import event
compiling = threading.Event()

class Announce(event.Listener):
    def on_start(self, event):
        compiling.set()
    def on_end(self, event):
        pass

event.register("numba:compile", Announce())
thread = threading.Thread(target=lambda: tell("parent", some()))
thread.start()
children = []
for _ in range(2):
    assert compiling.wait(100)
    compiling.clear()
    children.append(in_child(some))
thread.join()
wait_for(*children)
"""

# The child has threads, too, after the parent has used its own.
THREADS = """
tell("parent", play_in_threads(play_toy)[:3])
wait_for(in_child(lambda: play_in_threads(play_toy)[:3]))
"""


@needs_fork
@needs_compiling
@pytest.mark.parametrize(
    ("code", "children"),
    [(BEFORE, 1), (AFTER, 3), (DURING, 2), (THREADS, 1)],
    ids=["before", "after", "during", "threads"],
)
def test_fork(code: str, children: int, tmp_path: Path) -> None:
    paths = os.pathsep.join(sys.path)
    environment = os.environ | {"PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(tmp_path)}
    result = subprocess.run(
        [sys.executable, "-c", CHILD + code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    expected = " ".join(play_toy(seed) for seed in range(3))
    lines = sorted(result.stdout.splitlines())
    assert lines == [f"child {expected}"] * children + [f"parent {expected}"]


def test_spawn() -> None:
    """A session is sent to another process and plays on there."""
    session = Session(RULESET)
    session.reset(5)
    session.step(session.legal_actions()[0])
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, context) as pool:
        played = pool.submit(play_on, session, 6)
        fresh = list(pool.map(play_toy, range(3), timeout=TIMEOUT))
        assert played.result(TIMEOUT) == play_on(session.clone(), 6)
    assert fresh == [play_toy(seed) for seed in range(3)]
