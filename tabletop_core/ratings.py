"""What results of games tell about players: shares with intervals, and ratings."""

from __future__ import annotations

from math import sqrt
from typing import Final

Z_95: Final = 1.959964  # of the normal distribution: 95 % lie within so many deviations


def wilson_interval(successes: float, trials: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a probability, from 0 <= `successes` <= `trials`, `trials` > 0.

    Shared wins may count as parts of a success.
    """
    share = successes / trials
    shrink = 1 + Z_95**2 / trials
    centre = (share + Z_95**2 / (2 * trials)) / shrink
    half = Z_95 * sqrt(share * (1 - share) / trials + (Z_95 / (2 * trials)) ** 2) / shrink
    return max(0.0, centre - half), min(1.0, centre + half)
