"""Chunks of lanes on threads."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tabletop_core.errors import TabletopError
from tabletop_core.threads import MAX_THREADS, MIN_CHUNK_STEPS, LanePool


def bounds(pool: LanePool, num_lanes: int, steps: int = 1) -> list[tuple[int, int]]:
    return pool.run(lambda first, end: (first, end), num_lanes, steps)


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("num_lanes", [1, 5, MIN_CHUNK_STEPS, 2 * MIN_CHUNK_STEPS, 10_007])
def test_chunks_cover_every_lane_once_in_order(threads: int, num_lanes: int) -> None:
    chunks = bounds(LanePool(threads), num_lanes)
    assert chunks[0][0] == 0
    assert chunks[-1][1] == num_lanes
    assert all(before[1] == after[0] for before, after in zip(chunks, chunks[1:]))
    assert all(first < end for first, end in chunks)
    assert len(chunks) == max(1, min(threads, num_lanes // MIN_CHUNK_STEPS))


def test_small_calls_stay_on_the_caller() -> None:
    pool = LanePool(4)
    threads = pool.run(lambda first, end: threading.get_ident(), 2 * MIN_CHUNK_STEPS - 1)
    assert threads == [threading.get_ident()]
    assert pool._executor is None


def test_many_steps_in_few_lanes_are_shared_but_never_less_than_a_lane() -> None:
    assert bounds(LanePool(4), 2, 10 * MIN_CHUNK_STEPS) == [(0, 1), (1, 2)]


def test_the_caller_takes_the_first_chunk() -> None:
    pool = LanePool(3)
    threads = pool.run(lambda first, end: threading.get_ident(), 3 * MIN_CHUNK_STEPS)
    assert threads[0] == threading.get_ident()
    assert threading.get_ident() not in threads[1:]
    pool.close()


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_an_error_is_raised_when_all_chunks_have_ended(failing: int) -> None:
    ended = []

    def task(first: int, end: int) -> None:
        if first == failing * MIN_CHUNK_STEPS:
            raise ValueError("broken")
        time.sleep(0.05)
        ended.append(first)

    with pytest.raises(ValueError, match="broken"):
        LanePool(3).run(task, 3 * MIN_CHUNK_STEPS)
    assert len(ended) == 2


def test_a_closed_pool_starts_again() -> None:
    pool = LanePool(2)
    before = bounds(pool, 8192)
    pool.close()
    pool.close()
    assert bounds(pool, 8192) == before


@pytest.mark.parametrize("threads", [0, -1, MAX_THREADS + 1, 1.0, "2", None, True])
def test_bad_numbers_of_threads(threads: object) -> None:
    with pytest.raises(TabletopError, match="threads must be an integer from 1"):
        LanePool(threads)  # type: ignore[arg-type]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_makes_threads_of_its_own() -> None:
    pool = LanePool(2)
    before = bounds(pool, 8192)

    def in_child() -> None:
        pool.close()  # must not wait for threads that the child does not have
        os._exit(0 if bounds(pool, 8192) == before else 1)

    child = multiprocessing.get_context("fork").Process(target=in_child)
    child.start()
    child.join(30)
    assert child.exitcode == 0
    assert bounds(pool, 8192) == before


def test_two_callers_share_a_pool() -> None:
    pool = LanePool(2)
    with ThreadPoolExecutor(4) as callers:
        calls = [callers.submit(bounds, pool, 8192) for _ in range(50)]
        assert {tuple(call.result()) for call in calls} == {((0, 4096), (4096, 8192))}
