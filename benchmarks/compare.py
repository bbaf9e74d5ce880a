"""Two runs of the same rows: ratios, and which of them are more than noise."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from .speeds import STEPS, Figure

LIKELY: Final = 0.01  # probability of so different rounds if nothing had changed
SMALL: Final = 0.02  # differences below do not matter even if they are certain


@dataclass(frozen=True)
class Difference:
    """One row now and then.

    ratio: now ÷ then, of speeds in multiples of the calibrator if both runs have one.
    """

    now: Figure
    ratio: float
    probability: float
    """Of rounds that differ so much by chance, 0 to 1."""
    is_relative: bool

    @property
    def exceeds_noise(self) -> bool:
        return self.probability < LIKELY and abs(self.ratio - 1) > SMALL

    @property
    def is_better(self) -> bool:
        return (self.ratio > 1) == (self.now.unit == STEPS)


def compare(now: Sequence[Figure], then: Sequence[Figure]) -> list[Difference]:
    """The rows that both runs have, in the order of `now`."""
    earlier = {figure.key: figure for figure in then}
    return [difference(one, earlier[one.key]) for one in now if one.key in earlier]


def difference(now: Figure, then: Figure) -> Difference:
    """One row in both runs."""
    is_relative = bool(now.relative and then.relative)
    new = now.relative if is_relative else now.rounds
    old = then.relative if is_relative else then.rounds
    ratio = statistics.median(new) / statistics.median(old)
    return Difference(now, ratio, chance(new, old), is_relative)


def chance(first: Sequence[float], second: Sequence[float]) -> float:
    """Probability that two samples of one and the same thing are ranked as differently as these.

    The exact two-sided rank-sum test of Mann and Whitney; equal values count half each.
    """
    wins = sum((a > b) + (a == b) / 2 for a in first for b in second)
    size = len(first) * len(second)
    extreme = min(wins, size - wins)
    ways = [_ways(len(first), len(second), k) for k in range(size + 1)]
    tail = sum(count for k, count in enumerate(ways) if k <= extreme)
    return min(1.0, 2 * tail / sum(ways))


@cache
def _ways(first: int, second: int, wins: int) -> int:
    """Orders of two samples in which the first wins so many of the pairs."""
    if wins < 0:
        return 0
    if first == 0 or second == 0:
        return int(wins == 0)
    return _ways(first - 1, second, wins - second) + _ways(first, second - 1, wins)
