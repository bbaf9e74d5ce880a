"""The random generator against its description in plain Python; also run without compilation."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tabletop_core import rng
from tabletop_core.errors import TabletopError
from tabletop_core.game import allocate
from tabletop_core.jit import kernel

LIMIT = 1 << 64
HALF = 1 << 32
MANY = settings(max_examples=300, deadline=None)
HOLDER = np.dtype([("rng", np.uint64), ("rng_test_version", np.uint64)])

generator_words = st.integers(1, LIMIT - 1)
seeds = st.integers(0, LIMIT - 1)


class Model:
    """The generator in plain Python."""

    def __init__(self, word: int) -> None:
        self.word = word

    def next_word(self) -> int:
        word = self.word
        word ^= word << 13 & LIMIT - 1
        word ^= word >> 7
        word ^= word << 17 & LIMIT - 1
        self.word = word
        return word

    def randbelow(self, count: int) -> int:
        threshold = (HALF - count) % count
        while True:
            product = (self.next_word() >> 32) * count
            if product % HALF >= threshold:
                return product >> 32

    def draw(self, members: list[int]) -> int:
        return sorted(members)[self.randbelow(len(members))]

    def draw_some(self, members: list[int], count: int) -> set[int]:
        chosen: set[int] = set()
        for _ in range(count):
            chosen.add(self.draw([member for member in members if member not in chosen]))
        return chosen


@kernel
def call_next_word(holders: Any) -> Any:
    return rng.next_word(holders[0])


@kernel
def call_randbelow(holders: Any, count: Any) -> Any:
    return rng.randbelow(holders[0], count)


@kernel
def call_draw(holders: Any, members: Any) -> Any:
    return rng.draw(holders[0], members)


@kernel
def call_draw_some(holders: Any, members: Any, count: Any) -> Any:
    return rng.draw_some(holders[0], members, count)


@kernel
def call_scatter(word: Any) -> Any:
    return rng.scatter(word)


def holder(word: int) -> Any:
    holders = allocate(HOLDER, 1)
    holders[0].rng = word
    return holders


def word_of(members: list[int]) -> np.uint64:
    return np.uint64(sum(1 << member for member in members))


# --- words -----------------------------------------------------------------------------------


def test_vectors() -> None:
    """Seed 0; other implementations of the games must give the same."""
    holders = holder(rng.seed_to_word(0))
    assert holders[0].rng == 0xE220A8397B1DCDAF
    found = [int(call_next_word(holders)) for _ in range(3)]
    assert found == [0x6661260E8CC57DF4, 0x2ED7A8031B230A0F, 0x13830DDDEB202FDB]
    assert [int(call_randbelow(holders, 6)) for _ in range(8)] == [5, 4, 4, 0, 5, 5, 2, 0]


@MANY
@given(generator_words)
@example(LIMIT - 1)
@example(1)
def test_next_word(word: int) -> None:
    model, holders = Model(word), holder(word)
    for _ in range(5):
        assert int(call_next_word(holders)) == model.next_word() == int(holders[0].rng)
        assert holders[0].rng != 0


def test_words_repeat_late() -> None:
    """The step is a bijection without short cycles: it has an inverse, and 0 leads to 0 alone."""
    model = Model(1)
    assert len({model.next_word() for _ in range(100_000)}) == 100_000
    assert Model(0).next_word() == 0


# --- seeds -----------------------------------------------------------------------------------


@MANY
@given(seeds)
@example(LIMIT - 1)
@example(LIMIT - rng.GOLDEN_GAMMA)
def test_seeds_give_words_that_are_not_zero(seed: int) -> None:
    assert 0 < rng.seed_to_word(seed) < LIMIT


def test_the_seed_that_would_give_zero() -> None:
    assert rng.seed_to_word(LIMIT - rng.GOLDEN_GAMMA) == rng.GOLDEN_GAMMA


@MANY
@given(seeds)
@example(0)
@example(LIMIT - 1)
@example(LIMIT - rng.GOLDEN_GAMMA)
def test_kernels_scatter_words_as_seeds(seed: int) -> None:
    assert int(call_scatter(np.uint64(seed))) == rng.seed_to_word(seed)


@MANY
@given(seeds, st.integers(0, 20))
@example(LIMIT - rng.GOLDEN_GAMMA - 1, 3)
@example(LIMIT - 2, 5)
def test_seeds_to_words(seed: int, count: int) -> None:
    words = rng.seeds_to_words(seed, count)
    assert words.dtype == np.uint64
    assert words.tolist() == [rng.seed_to_word((seed + k) % LIMIT) for k in range(count)]


def test_neighbouring_seeds_share_nothing() -> None:
    words = rng.seeds_to_words(0, 1000)
    assert len(set(words.tolist())) == 1000
    differing = [int(a ^ b).bit_count() for a, b in zip(words[:-1], words[1:], strict=True)]
    assert 30 < np.mean(differing) < 34


@pytest.mark.parametrize("seed", [0, 5, LIMIT - 1, np.uint64(7), np.int8(3), np.array(4)])
def test_good_seeds(seed: Any) -> None:
    number = rng.check_seed(seed)
    assert type(number) is int
    assert number == int(seed)


@pytest.mark.parametrize(
    "seed",
    [-1, LIMIT, 10**5000, 1.0, float("nan"), "1", b"1", None, True, np.bool_(True), [1], 1j],
    ids=lambda seed: str(type(seed).__name__),
)
def test_bad_seeds(seed: Any) -> None:
    with pytest.raises(TabletopError, match="seed must be an integer from 0 to 2"):
        rng.check_seed(seed)
    with pytest.raises(TabletopError, match="bot_seed must be an integer"):
        rng.check_seed(seed, "bot_seed")


def test_random_seeds_differ() -> None:
    found = {rng.random_seed() for _ in range(100)}
    assert len(found) == 100
    assert all(rng.check_seed(seed) == seed for seed in found)


# --- numbers below a count -------------------------------------------------------------------


@MANY
@given(generator_words, st.integers(1, HALF - 1))
@example(1, 1)
@example(LIMIT - 1, HALF - 1)
def test_randbelow(word: int, count: int) -> None:
    model, holders = Model(word), holder(word)
    for _ in range(5):
        assert int(call_randbelow(holders, count)) == model.randbelow(count)
    assert int(holders[0].rng) == model.word


@pytest.mark.parametrize("count", [HALF // 2 + 1, 3 << 30, HALF - 1])
def test_randbelow_with_much_rejection(count: int) -> None:
    """Up to half of the words are rejected here; all are used up in the same order."""
    model, holders = Model(12345), holder(12345)
    for _ in range(500):
        assert int(call_randbelow(holders, count)) == model.randbelow(count)
    assert int(holders[0].rng) == model.word


@MANY
@given(st.integers(1, HALF - 1), st.data())
def test_randbelow_is_exactly_uniform(count: int, data: st.DataObject) -> None:
    """Equally many of the 2**32 upper halves lead to each result.

    The halves x with x * count >> 32 == result give the low parts x * count mod 2**32 that lie
    `count` apart, starting below `count`. Accepted are those from the threshold on.
    """
    threshold = (HALF - count) % count
    assert threshold == HALF % count < count
    result = data.draw(st.integers(0, count - 1))
    first = -(-result * HALF // count)
    end = -(-(result + 1) * HALF // count)
    lowest = first * count % HALF
    accepted = end - first - (lowest < threshold)
    assert lowest < count
    assert accepted == HALF // count


def test_uniformity_counted_on_small_words() -> None:
    """The same arithmetic with 8 bits instead of 32, all words counted."""
    for count in range(1, 256):
        threshold = (256 - count) % count
        products = [half * count for half in range(256)]
        found = Counter(p >> 8 for p in products if p % 256 >= threshold)
        assert set(found) == set(range(count))
        assert set(found.values()) == {256 // count}


# --- members of a set ------------------------------------------------------------------------


@MANY
@given(generator_words, st.sets(st.integers(0, 63), min_size=1).map(sorted))
def test_draw(word: int, members: list[int]) -> None:
    model, holders = Model(word), holder(word)
    for _ in range(3):
        assert int(call_draw(holders, word_of(members))) == model.draw(members)
    assert int(holders[0].rng) == model.word


def test_drawing_the_only_member_takes_a_word() -> None:
    holders = holder(9)
    assert int(call_draw(holders, np.uint64(1 << 40))) == 40
    assert holders[0].rng != 9


@MANY
@given(generator_words, st.sets(st.integers(0, 63), min_size=1).map(sorted), st.data())
def test_draw_some(word: int, members: list[int], data: st.DataObject) -> None:
    count = data.draw(st.integers(0, len(members)))
    model, holders = Model(word), holder(word)
    found = call_draw_some(holders, word_of(members), count)
    assert int(found) == int(word_of(list(model.draw_some(members, count))))
    assert int(holders[0].rng) == model.word


def test_draw_some_takes_every_subset_equally_often() -> None:
    members, count, rounds = [0, 3, 31, 32, 63], 3, 20_000
    holders = holder(rng.seed_to_word(1))
    found = Counter(int(call_draw_some(holders, word_of(members), count)) for _ in range(rounds))
    subsets = [int(word_of(list(subset))) for subset in combinations(members, count)]
    assert set(found) == set(subsets)
    expected = rounds / len(subsets)
    chi_square = sum((found[subset] - expected) ** 2 / expected for subset in subsets)
    assert chi_square < 27.9  # 9 degrees of freedom: exceeded by chance once in 1000
