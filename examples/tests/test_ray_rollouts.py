from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from ray_rollouts import Plan, num_shards, open_folder, shard_path, shard_records

from tabletop_core.errors import TabletopError
from tabletop_core.record import GameRecord, read_records, replay, write_records

SCRIPT = Path(__file__).parent.parent / "ray_rollouts.py"
PLAN = Plan(games=330, shard=20, lanes=7, seed=5)
DEADLINE = 300.0
KILLS = 4
WORKER = b"ray::play_shard"  # what Ray calls a process while it runs the task


def start(out: Path) -> subprocess.Popen[bytes]:
    options = {"--games": PLAN.games, "--shard": PLAN.shard, "--lanes": PLAN.lanes}
    words = [str(word) for option in options.items() for word in option]
    command = [sys.executable, str(SCRIPT), "--out", str(out), "--seed", str(PLAN.seed), *words]
    return subprocess.Popen(command, start_new_session=True)


def workers() -> list[int]:
    """Processes that are playing a shard."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cmdline").read_bytes().startswith(WORKER):
                found.append(int(process.name))
        except OSError:
            continue  # it has ended meanwhile
    return found


def records(out: Path) -> Iterator[GameRecord]:
    for number in range(num_shards(PLAN)):
        for record in read_records(shard_path(out, number)):
            assert isinstance(record, GameRecord)
            yield record


def wait_for_shards(out: Path, count: int) -> None:
    end = time.monotonic() + DEADLINE
    while len(list(out.glob("shard-*.jsonl.gz"))) < count:
        assert time.monotonic() < end, "no progress"
        time.sleep(0.05)


def test_shards_follow_from_the_plan_and_their_games_replay(tmp_path: Path) -> None:
    """The last shard is shorter; the number of threads does not matter to a shard."""
    number = num_shards(PLAN) - 1
    for name, threads in (("one", 1), ("two", 2)):
        assert write_records(tmp_path / name, shard_records(PLAN, number, threads)) == 10
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    for record in read_records(tmp_path / "one"):
        assert isinstance(record, GameRecord)
        *_, last = replay(record)
        assert last.is_over


def test_killed_workers_and_drivers_lose_and_repeat_nothing(tmp_path: Path) -> None:
    out = tmp_path / "data"
    driver = start(out)
    rng = random.Random(1)
    wait_for_shards(out, 1)
    kills = 0
    while kills < KILLS and driver.poll() is None:
        if playing := workers():
            with suppress(ProcessLookupError):  # it has ended meanwhile
                os.kill(rng.choice(playing), signal.SIGKILL)
                kills += 1
        time.sleep(rng.random() / 2)
    os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()
    assert kills
    assert start(out).wait(DEADLINE) == 0
    seeds = [record.seed for record in records(out)]
    assert seeds == list(range(PLAN.seed, PLAN.seed + PLAN.games))


def test_a_folder_of_another_plan_is_refused(tmp_path: Path) -> None:
    open_folder(tmp_path, PLAN)
    open_folder(tmp_path, PLAN)
    with pytest.raises(TabletopError, match="another plan"):
        open_folder(tmp_path, Plan(games=331))
