"""Rows of the result table: claims with floor and aim, and how they are measured."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from .measure import (
    PROCESS,
    WALL,
    Contender,
    Effort,
    Mismatch,
    Series,
    Unavailable,
    interleave,
)

Advance = Callable[[], None]

PASSED = "pass"
FAILED = "FAIL"
SKIPPED = "skipped"


# --- claims ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Claim:
    """What a row says. The floor must hold, the aim is what we want."""

    row: str
    """Short name, as for `--rows`."""
    title: str
    floor: float
    aim: float | None = None
    is_upper: bool = False
    """Whether floor and aim are upper limits (costs) instead of lower ones (speeds)."""
    unit: str = "x"
    method: str = ""

    def holds(self, value: float) -> bool:
        return value <= self.floor if self.is_upper else value >= self.floor

    def reaches_aim(self, value: float) -> bool:
        if self.aim is None:
            return self.holds(value)
        return value <= self.aim if self.is_upper else value >= self.aim


@dataclass(frozen=True)
class Result:
    """A row with what was measured."""

    claim: Claim
    status: str
    values: Sequence[float] = ()
    """The figure of each round; the median is what counts."""
    note: str = ""
    series: Sequence[Series] = field(default_factory=list)
    """All contenders of the row, ours first."""

    @property
    def value(self) -> float:
        return statistics.median(self.values)

    def to_json(self) -> dict[str, Any]:
        """Everything in JSON types."""
        claim = self.claim
        content: dict[str, Any] = {
            "row": claim.row,
            "title": claim.title,
            "status": self.status,
            "floor": claim.floor,
            "aim": claim.aim,
            "limit": "upper" if claim.is_upper else "lower",
            "unit": claim.unit,
            "method": claim.method,
            "note": self.note,
        }
        if self.values:
            content |= {"median": self.value, "min": min(self.values), "max": max(self.values)}
            content["rounds"] = list(self.values)
        content["contenders"] = [_series_json(series) for series in self.series]
        return content


def _series_json(series: Series) -> dict[str, Any]:
    return {
        "name": series.name,
        "clock": series.clock,
        "steps_per_second": _spread(series.steps_per_second()),
        "games_per_second": _spread(series.games_per_second()),
        "ns_per_step": series.ns_per_step,
        "steps_per_second_by_clock": {
            clock: statistics.median(series.steps_per_second(clock)) for clock in series.seconds
        },
    }


def _spread(values: Sequence[float]) -> dict[str, Any]:
    return {
        "median": statistics.median(values),
        "min": min(values),
        "max": max(values),
        "rounds": list(values),
    }


def judge(
    claim: Claim, values: Sequence[float], note: str = "", series: Sequence[Series] = ()
) -> Result:
    """The row for measured values."""
    status = PASSED if claim.holds(statistics.median(values)) else FAILED
    return Result(claim, status, values, note, series)


# --- ways to measure -------------------------------------------------------------------------


@dataclass(frozen=True)
class Comparison:
    """A claim about one contender and its rivals; the fastest rival counts.

    A cost (`claim.is_upper`) is the ratio of times per step, a speed that of steps per second.
    """

    claim: Claim
    ours: Contender
    rivals: Sequence[Contender]

    @property
    def contenders(self) -> list[Contender]:
        return [self.ours, *self.rivals]

    def result(self, series: Mapping[str, Series]) -> Result:
        ours = series[self.ours.name]
        others = [series[rival.name] for rival in self.rivals]
        rival = max(others, key=lambda other: other.median)
        pairs = zip(ours.steps_per_second(), rival.steps_per_second(), strict=True)
        values = [b / a if self.claim.is_upper else a / b for a, b in pairs]
        return judge(self.claim, values, f"against {rival.name}", [ours, *others])


@dataclass(frozen=True)
class Flatness:
    """A claim about the dearest step of several contenders, divided by the cheapest."""

    claim: Claim
    contenders: Sequence[Contender]

    def result(self, series: Mapping[str, Series]) -> Result:
        found = [series[contender.name] for contender in self.contenders]
        rates = zip(*(one.steps_per_second() for one in found), strict=True)
        values = [max(together) / min(together) for together in rates]
        dearest = min(found, key=lambda one: one.median)
        return judge(self.claim, values, f"dearest: {dearest.name}", found)


@dataclass(frozen=True)
class Scaling:
    """A claim about the same work by several threads and by one.

    It says nothing while other programs take the cores: rounds count in which threads that only
    calculate (`spinning`) got at least `MIN_CORES` cores, and the row is void if these
    are fewer than `MIN_ROUNDS`.
    """

    claim: Claim
    many: Contender
    one: Contender
    spinning: Contender

    MIN_CORES: ClassVar[float] = 1.9
    MIN_ROUNDS: ClassVar[int] = 3

    @property
    def contenders(self) -> list[Contender]:
        return [self.many, self.one, self.spinning]

    def result(self, series: Mapping[str, Series]) -> Result:
        many, one, spinning = (series[contender.name] for contender in self.contenders)
        seconds = spinning.seconds
        cores = [cpu / wall for cpu, wall in zip(seconds[PROCESS], seconds[WALL], strict=True)]
        ratios = [a / b for a, b in zip(many.wall_rates(), one.wall_rates(), strict=True)]
        values = [ratio for ratio, got in zip(ratios, cores, strict=True) if got >= self.MIN_CORES]
        got = f"spinning threads got {statistics.median(cores):.2f} cores"
        if len(values) < self.MIN_ROUNDS:
            note = f"void: {got}; they need {self.MIN_CORES} in {self.MIN_ROUNDS} rounds"
            return Result(self.claim, SKIPPED, note=note, series=[many, one])
        return judge(self.claim, values, got, [many, one])


@dataclass(frozen=True)
class Group:
    """Claims whose contenders take turns in the same rounds."""

    comparisons: Sequence[Comparison | Flatness | Scaling]
    clock: str

    def claims(self) -> list[Claim]:
        return [comparison.claim for comparison in self.comparisons]

    def num_advances(self, effort: Effort) -> int:
        """How often `run` reports progress."""
        return effort.rounds + 1

    def run(self, chosen: Iterable[str], effort: Effort, advance: Advance) -> list[Result]:
        wanted = set(chosen)
        comparisons = [one for one in self.comparisons if one.claim.row in wanted]
        contenders = {c.name: c for one in comparisons for c in one.contenders}
        try:
            series = interleave(list(contenders.values()), effort, self.clock, advance)
        except Unavailable as reason:
            return [Result(one.claim, SKIPPED, note=str(reason)) for one in comparisons]
        except Mismatch as reason:
            return [Result(one.claim, FAILED, note=str(reason)) for one in comparisons]
        by_name = {one.name: one for one in series}
        return [one.result(by_name) for one in comparisons]


@dataclass(frozen=True)
class Limit:
    """A claim about a figure that needs no rival."""

    claim: Claim
    measure: Callable[[Effort, Advance], list[float]]
    rounds: Callable[[Effort], int] = lambda effort: 1

    def claims(self) -> list[Claim]:
        return [self.claim]

    def num_advances(self, effort: Effort) -> int:
        """How often `run` reports progress."""
        return self.rounds(effort)

    def run(self, chosen: Iterable[str], effort: Effort, advance: Advance) -> list[Result]:
        return [judge(self.claim, self.measure(effort, advance))]


Part = Group | Limit
