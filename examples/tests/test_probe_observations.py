"""The probe of observations: its regression, and what it finds in Jump Gate."""

from __future__ import annotations

import numpy as np
from probe_observations import LANES, TEST_LANES, fit, probe


def test_the_fit_is_measured_in_other_games() -> None:
    rng = np.random.default_rng(1)
    seen = rng.integers(10, size=(30, LANES, 20)).astype(np.uint8)
    line = 3.0 * seen[..., 4] - 2.0 * seen[..., 7] + 5
    assert fit(seen, line) > 0.97
    line[:, :TEST_LANES] = rng.normal(size=(30, TEST_LANES))  # where it is measured
    assert fit(seen, line) < 0
    assert abs(fit(seen, rng.normal(size=line.shape))) < 0.1


def test_scores_and_cards_are_found() -> None:
    found = probe("jumpgate_v0")
    for key in ("own score", "opponent's score", "own cards", "opponent's cards"):
        assert found[key] > 0.95
    assert found["legal actions"] > 0.3
