"""The evaluation and the curve files that all training examples share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from common import Array, Curve, Evaluation, evaluate, highest_values
from conftest import check_curve

from tabletop_core.errors import TabletopError


@dataclass(frozen=True)
class Arguments:
    game: str = "jumpgate"


class Uniform:
    """A random legal action in each row."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(1)

    def __call__(self, observations: dict[str, Array]) -> Array:
        mask = observations["action_mask"]
        return np.where(mask == 1, self.rng.random(mask.shape), -1).argmax(axis=1)


@pytest.mark.parametrize("players", [2, 3])
def test_a_random_policy_wins_its_share(players: int) -> None:
    found = evaluate(Uniform(), "jumpgate", players, games=120, seed=3)
    assert found.games == 120
    assert found.low <= 1 / players <= found.high
    assert 0 < found.high - found.low < 0.25


def test_a_random_policy_loses_to_the_rule() -> None:
    assert evaluate(Uniform(), "jumpgate", 2, opponent="rule", games=20).won < 0.2


def test_an_illegal_action_is_no_lost_game_but_an_error() -> None:
    def stubborn(observations: dict[str, Array]) -> Array:
        return np.full(len(observations["action_mask"]), 111)

    with pytest.raises(TabletopError, match="illegal action"):
        evaluate(stubborn, "jumpgate", 2, games=4)


def test_observations_divided_by_the_highest_values_are_at_most_one() -> None:
    high = highest_values("jumpgate")
    assert high.dtype == np.float32 and high.min() >= 1


def test_a_curve_is_written_with_each_point_and_replaces_nothing_unasked(tmp_path: Path) -> None:
    out = tmp_path / "curve"
    curve = Curve("title", out, Arguments(), ["numpy"], 2)
    for number in (1, 2):
        curve.add(number * 100, Evaluation(10, 0.5, 0.2, 0.8), loss=0.1)
        assert check_curve(out, number)["versions"]["numpy"] == np.__version__
    assert sorted(path.name for path in tmp_path.iterdir()) == ["curve.json", "curve.png"]
    with pytest.raises(TabletopError, match="exists already"):
        Curve("title", out, Arguments(), [], 2)
    Curve("title", out, Arguments(), [], 2, force=True).add(100, Evaluation(10, 0, 0, 0.3), loss=1)
    check_curve(out, 1)
