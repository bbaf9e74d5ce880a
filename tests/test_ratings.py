"""Shares and ratings with their intervals."""

from __future__ import annotations

import sys
from math import exp, log, sqrt

import numpy as np
import pytest

from tabletop_core.errors import TabletopError
from tabletop_core.ratings import ELO, Z_95, plackett_luce, wilson_interval

WIN = [[0], [1]]
LOSS = [[1], [0]]
DRAW = [[0, 1]]


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [  # by the formula of Wilson (1927), to four places
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (81, 263, 0.2553, 0.3662),
        (915, 1000, 0.8961, 0.9307),
    ],
)
def test_wilson_intervals(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson_interval(successes, trials) == pytest.approx((low, high), abs=5e-5)


def test_two_players_are_rated_by_their_odds() -> None:
    """The strength is the logarithm of the odds with the drawn game that each pair is given."""
    wins, losses = 60, 20
    first, second = plackett_luce(2, [LOSS] * wins + [WIN] * losses)
    strength = log((wins + 0.5) / (losses + 0.5))
    assert (first.value, first.low, first.high) == (0, 0, 0)
    assert second.value == pytest.approx(ELO * strength, rel=1e-3)
    chance = 1 / (1 + exp(-strength))
    error = 1 / sqrt((wins + losses + 1) * chance * (1 - chance))
    assert second.high - second.value == pytest.approx(ELO * Z_95 * error, rel=1e-3)
    assert second.value - second.low == pytest.approx(second.high - second.value)


def test_draws_pull_together_and_a_player_who_always_wins_is_rated() -> None:
    assert plackett_luce(2, [DRAW] * 9)[1].value == pytest.approx(0, abs=0.1)
    decided = plackett_luce(2, [LOSS] * 9)[1]
    assert 0 < plackett_luce(2, [LOSS] * 9 + [DRAW] * 9)[1].value < decided.value
    assert decided.high - decided.low > 400


def test_strengths_of_many_players_are_found() -> None:
    """Orders of three of four, drawn from the model, lead back to its strengths."""
    strengths = np.array([0.0, 0.5, 1.5, -1.0])
    rng = np.random.default_rng(2)
    noise = rng.gumbel(size=(300, 4))  # the largest of strengths + Gumbel noise follow the model
    orders = np.argsort(-(strengths + noise), axis=1).tolist()
    results = [
        [[player] for player in order if player != game % 4] for game, order in enumerate(orders)
    ]
    ratings = plackett_luce(4, results)
    for rating, strength in zip(ratings[1:], strengths[1:]):
        assert rating.low < ELO * strength < rating.high
        assert rating.high - rating.low < 170


def test_a_player_may_have_several_seats() -> None:
    results = [[[1], [0], [0]], [[0], [1], [0]]] * 20
    assert plackett_luce(2, results)[1].value > 0


def test_without_choix_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "choix", None)
    with pytest.raises(TabletopError, match=r'choix: pip install "tabletop-envs\[arena\]"'):
        plackett_luce(2, [WIN])
