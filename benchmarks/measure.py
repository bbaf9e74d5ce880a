"""Contenders, and rounds in which they take turns.

The speed of a shared machine drifts by tens of percent within minutes, so figures are never
compared across runs: in every round each contender works for a short while (A, B, A, B, ...), the
ratio is taken within the round, and the median over the rounds is what counts.
"""

from __future__ import annotations

import importlib
import statistics
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

MIN_PROBE_SECONDS = 0.02
PROBE_GROWTH = 4


class Unavailable(Exception):
    """Something that a row needs is not on this machine; the row is skipped with this reason."""


class Mismatch(Exception):
    """Two contenders that must do the same work do not; the row has failed."""


# --- what is measured ------------------------------------------------------------------------


@dataclass(frozen=True)
class Counts:
    """What some work came to. A step is a decision with at least two legal answers."""

    steps: int
    games: int = 0


Work = Callable[[int], Counts]
"""Do an amount of work; the time it takes is proportional to the amount."""

THREAD = "thread"  # CPU time of this thread: for what runs in one thread
PROCESS = "process"  # CPU time of all threads
WALL = "wall"  # for what hands work to threads and waits for them
CLOCKS: dict[str, Callable[[], float]] = {
    THREAD: time.thread_time,
    PROCESS: time.process_time,
    WALL: time.perf_counter,
}


@dataclass(frozen=True)
class Contender:
    """One thing that takes part in rounds. `prepare` imports, compiles and warms up."""

    name: str
    prepare: Callable[[], Work]
    clock: str | None = None
    """The one of `CLOCKS` for its rates, if not that of the rounds."""


@dataclass
class Series:
    """What one contender did, round by round."""

    name: str
    clock: str
    """The one of `CLOCKS` by which rates are taken."""
    counts: list[Counts] = field(default_factory=list)
    seconds: dict[str, list[float]] = field(default_factory=lambda: {clock: [] for clock in CLOCKS})
    """By clock, round by round."""

    def steps_per_second(self, clock: str | None = None) -> list[float]:
        """Round by round."""
        seconds = self.seconds[clock or self.clock]
        return [counts.steps / took for counts, took in zip(self.counts, seconds, strict=True)]

    def wall_rates(self) -> list[float]:
        """Steps per second of wall time, round by round."""
        return self.steps_per_second(WALL)

    def games_per_second(self) -> list[float]:
        """Round by round."""
        seconds = self.seconds[self.clock]
        return [counts.games / took for counts, took in zip(self.counts, seconds, strict=True)]

    @property
    def median(self) -> float:
        """Steps per second."""
        return statistics.median(self.steps_per_second())

    @property
    def ns_per_step(self) -> float:
        return 1e9 / self.median


# --- rounds ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    rounds: int = 9
    seconds: float = 0.2
    """How long each contender works in a round."""


def interleave(
    contenders: Sequence[Contender],
    effort: Effort,
    clock: str,
    advance: Callable[[], None],
    on_missing: Callable[[Contender, Unavailable], None] | None = None,
) -> list[Series]:
    """Rates of the contenders in their order; `advance` is called `effort.rounds` + 1 times.

    on_missing: told about contenders that are not available, which are left out then.

    Raises:
        Unavailable: a contender is not available, and there is no `on_missing`.
    """
    takers = []
    for contender in contenders:
        try:
            work = contender.prepare()
            takers.append((contender, work, _amount_for(work, effort.seconds)))
        except Unavailable as reason:
            if on_missing is None:
                raise
            on_missing(contender, reason)
    advance()
    series = [Series(contender.name, contender.clock or clock) for contender, _, _ in takers]
    for _ in range(effort.rounds):
        for (_, work, amount), result in zip(takers, series, strict=True):
            counts, seconds = _timed(work, amount)
            result.counts.append(counts)
            for name, took in seconds.items():
                result.seconds[name].append(took)
        advance()
    return series


def _amount_for(work: Work, seconds: float) -> int:
    """The amount of work that takes about `seconds`.

    The first call is not counted: it loads kernels, and would make the rest look long.
    """
    work(1)
    amount = 1
    while True:
        took = _timed(work, amount)[1][WALL]
        if took >= min(MIN_PROBE_SECONDS, seconds):
            return max(1, round(amount * seconds / took))
        amount *= PROBE_GROWTH


def _timed(work: Work, amount: int) -> tuple[Counts, dict[str, float]]:
    """What the work came to, and the seconds it took by each clock."""
    start = {name: clock() for name, clock in CLOCKS.items()}
    counts = work(amount)
    return counts, {name: clock() - start[name] for name, clock in CLOCKS.items()}


def require_peer(module: str, package: str) -> Any:
    """Import another library.

    Raises:
        Unavailable: it is not installed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the peers' own deprecations
            return importlib.import_module(module)
    except ImportError as error:
        raise Unavailable(
            f"{package} is not installed: pip install 'tabletop-envs[bench-peers]'"
        ) from error
