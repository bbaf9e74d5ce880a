"""What the tests of `determinize` of all games share: worlds drawn often, and their frequencies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from rule_checks import Data, Table

World = tuple[Any, ...]
"""What is hidden, in a form that can be compared, for example the opponents' hands."""

# A statistic this many standard deviations out would come up once in a million correct tests.
SIGMAS = 4.75


def drawn(board: Table, player: int, count: int, read: Callable[[Data], World]) -> Counter[World]:
    """How often each world comes up in so many determinizations of the same position."""
    worlds: Counter[World] = Counter()
    session = board.session.clone()
    for seed in range(count):
        session.restore(board.session)
        session.determinize(player, seed)
        worlds[read(session.to_json())] += 1
    return worlds


def check_frequencies(counts: Mapping[World, int], chances: Mapping[World, Fraction]) -> None:
    """Every possible world occurs, no other one, as often as its chance says (chi-square)."""
    assert sum(chances.values()) == 1
    assert set(counts) <= set(chances)
    total = sum(counts.values())
    assert min(chances.values()) * total >= 20, "too few draws for this many worlds"
    assert set(counts) == set(chances)
    expected = {world: float(chance) * total for world, chance in chances.items()}
    statistic = sum((counts[world] - mean) ** 2 / mean for world, mean in expected.items())
    freedom = len(chances) - 1
    if freedom:
        # Wilson and Hilferty: the cube root of chi-square / freedom is nearly normal.
        variance = 2 / (9 * freedom)
        assert (statistic / freedom) ** (1 / 3) < 1 - variance + SIGMAS * variance**0.5


def uniform(worlds: Sequence[World]) -> dict[World, Fraction]:
    assert len(set(worlds)) == len(worlds)
    return dict.fromkeys(worlds, Fraction(1, len(worlds)))
