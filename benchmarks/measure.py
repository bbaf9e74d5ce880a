"""Contenders, and rounds in which they take turns.

The speed of a shared machine drifts by tens of percent within minutes, so figures are never compared
across runs: in every round each contender works for a short while (A, B, A, B, ...), the ratio is
taken within the round, and the median over the rounds is what counts.
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

Clock = Callable[[], float]
CLOCKS: dict[str, Clock] = {
    "thread": time.thread_time,  # CPU time of this thread: for what runs in one thread
    "process": time.process_time,
    "wall": time.perf_counter,  # for what may use several threads
}


@dataclass(frozen=True)
class Contender:
    """One thing that takes part in rounds. `prepare` imports, compiles and warms up."""

    name: str
    prepare: Callable[[], Work]


@dataclass
class Series:
    """The rates of one contender, round by round."""

    name: str
    steps_per_second: list[float] = field(default_factory=list)
    games_per_second: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """Steps per second."""
        return statistics.median(self.steps_per_second)

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
) -> list[Series]:
    """Rates of the contenders in their order; `advance` is called `effort.rounds` + 1 times."""
    works = [contender.prepare() for contender in contenders]
    amounts = [_amount_for(work, effort.seconds) for work in works]
    advance()
    series = [Series(contender.name) for contender in contenders]
    for _ in range(effort.rounds):
        for work, amount, result in zip(works, amounts, series, strict=True):
            counts, seconds = _timed(work, amount, CLOCKS[clock])
            result.steps_per_second.append(counts.steps / seconds)
            result.games_per_second.append(counts.games / seconds)
        advance()
    return series


def _amount_for(work: Work, seconds: float) -> int:
    """The amount of work that takes about `seconds`; finding it out warms the work up."""
    amount = 1
    while True:
        _, took = _timed(work, amount, time.perf_counter)
        if took >= min(MIN_PROBE_SECONDS, seconds):
            return max(1, round(amount * seconds / took))
        amount *= PROBE_GROWTH


def _timed(work: Work, amount: int, clock: Clock) -> tuple[Counts, float]:
    start = clock()
    counts = work(amount)
    return counts, clock() - start


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
