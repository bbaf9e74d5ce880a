"""What results of games tell about players: shares and ratings with 95 % intervals.

Ratings are strengths of the Plackett-Luce model on the scale of Elo: with a lead of 400 points a
player comes in before another ten times as often as behind. They are fitted by choix, from the
extra `arena`.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Any, Final

import numpy as np

from .errors import TabletopError
from .game import Array

Z_95: Final = 1.959964  # deviations of the normal distribution within which 95 % lie
ELO: Final = 400 / log(10)  # points for a factor of e
HALF: Final = 0.5

Order = tuple[int, ...]
"""Players, best first."""


@dataclass(frozen=True)
class Rating:
    """A rating with its 95 % interval; that of player 0 is 0 and the others are measured by it."""

    value: float
    low: float
    high: float


def wilson_interval(successes: float, trials: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a probability, from 0 <= `successes` <= `trials`, `trials` > 0.

    Shared wins may count as parts of a success.
    """
    share = successes / trials
    shrink = 1 + Z_95**2 / trials
    centre = (share + Z_95**2 / (2 * trials)) / shrink
    half = Z_95 * sqrt(share * (1 - share) / trials + (Z_95 / (2 * trials)) ** 2) / shrink
    return max(0.0, centre - half), min(1.0, centre + half)


def plackett_luce(num_players: int, results: Sequence[Sequence[Sequence[int]]]) -> list[Rating]:
    """Ratings of players 0 .. num_players - 1.

    Each game is counted half in two orders, in which players with equal results stand either way
    round. Every pair of players is given one drawn game besides, so that a player who always won
    has a rating too, with a wide interval. Games are taken to be independent.

    Args:
        num_players: at least two.
        results: of each game the groups of players with equal results, best first. A player who
            has several seats stands there several times.

    Raises:
        TabletopError: choix is not installed.
    """
    orders = [order for groups in results for order in _both_orders(groups)]
    for pair in itertools.combinations(range(num_players), 2):
        orders += [pair, pair[::-1]]
    strengths = load_choix().opt_rankings(num_players, orders)
    strengths = strengths - strengths[0]
    errors = np.zeros(num_players)
    covariance = np.linalg.inv(_information(strengths, Counter(orders))[1:, 1:])
    errors[1:] = np.sqrt(np.diag(covariance))
    return [
        Rating(ELO * value, ELO * (value - Z_95 * error), ELO * (value + Z_95 * error))
        for value, error in zip(strengths.tolist(), errors.tolist(), strict=True)
    ]


def load_choix() -> Any:
    """The module choix.

    Raises:
        TabletopError: it is not installed.
    """
    try:
        import choix
    except ModuleNotFoundError:
        raise TabletopError('ratings need choix: pip install "tabletop-envs[arena]"') from None
    return choix


def _both_orders(groups: Sequence[Sequence[int]]) -> tuple[Order, Order]:
    forwards = tuple(player for group in groups for player in group)
    backwards = tuple(player for group in groups for player in reversed(group))
    return forwards, backwards


def _information(strengths: Array, orders: Counter[Order]) -> Array:
    """Observed information [players, players] of the strengths; each order counts half.

    In the model the players of an order are chosen one after the other among those that are left,
    with probabilities in proportion to exp(strength).
    """
    players = len(strengths)
    information = np.zeros((players, players))
    for order, count in orders.items():
        for rank in range(len(order) - 1):
            left = np.bincount(order[rank:], minlength=players)
            weights = left * np.exp(strengths - strengths.max())
            chances = weights / weights.sum()
            information += HALF * count * (np.diag(chances) - np.outer(chances, chances))
    return information
