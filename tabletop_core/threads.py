"""Batches on several threads: each takes a chunk of the lanes, so the bytes are always the same."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Final, TypeVar

from .errors import TabletopError

Result = TypeVar("Result")

MAX_THREADS: Final = 256

# Handing a chunk to a thread costs some 30 microseconds, as much as 200 to 400 steps. Measured on
# two cores: batches of 512 lanes lose, 1024 gain nothing or little, 2048 gain 1.3 times and more.
MIN_CHUNK_STEPS: Final = 1024


def check_threads(threads: object) -> int:
    """`threads` as a Python int.

    Raises:
        TabletopError: it is no integer in 1 .. `MAX_THREADS`.
    """
    is_whole = isinstance(threads, int) and not isinstance(threads, bool)
    if not is_whole or not 1 <= threads <= MAX_THREADS:  # type: ignore[operator]
        raise TabletopError(f"threads must be an integer from 1 to {MAX_THREADS}, not {threads!r}")
    return int(threads)  # type: ignore[call-overload, no-any-return]


class LanePool:
    """Threads that share batches of lanes; the caller always takes the first chunk itself.

    They are started when first needed. A process forked from this one starts its own, because
    threads do not survive a fork.

    Args:
        threads: how many chunks are worked on at a time, the caller's included.

    Raises:
        TabletopError: `threads` is no integer in 1 .. `MAX_THREADS`.
    """

    def __init__(self, threads: int = 1) -> None:
        self.threads: Final = check_threads(threads)
        self._executor: ThreadPoolExecutor | None = None
        self._pid = os.getpid()

    def run(
        self, task: Callable[[int, int], Result], num_lanes: int, steps_per_lane: int = 1
    ) -> list[Result]:
        """Call `task(first, end)` for chunks that cover the lanes 0 .. num_lanes - 1.

        `task` must release the interpreter's lock to gain from threads. A batch with fewer than
        2 * `MIN_CHUNK_STEPS` steps is one chunk, run by the caller.

        Returns:
            The results of the chunks in order of the lanes. An exception of any chunk is raised,
            after all of them have come to an end.
        """
        if self.threads == 1:
            return [task(0, num_lanes)]
        chunks = min(self.threads, num_lanes, num_lanes * steps_per_lane // MIN_CHUNK_STEPS)
        if chunks <= 1:
            return [task(0, num_lanes)]
        bounds = [num_lanes * chunk // chunks for chunk in range(chunks + 1)]
        executor = self._started()
        others = [executor.submit(task, *bounds[k : k + 2]) for k in range(1, chunks)]
        try:
            mine = task(bounds[0], bounds[1])
        finally:
            wait(others)
        return [mine, *(other.result() for other in others)]

    def close(self) -> None:
        """End the threads; `run` would start new ones."""
        if self._executor is not None and self._pid == os.getpid():
            self._executor.shutdown()
        self._executor = None

    def _started(self) -> ThreadPoolExecutor:
        if self._executor is None or self._pid != os.getpid():
            self._executor = ThreadPoolExecutor(self.threads - 1, "tabletop-lanes")
            self._pid = os.getpid()
        return self._executor
