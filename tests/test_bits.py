"""Words as sets, against Python sets; `test_interpreted.py` runs this file interpreted, too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tabletop_core import bits
from tabletop_core.jit import kernel

ALL = (1 << 64) - 1
MANY = settings(max_examples=300, deadline=None)

words = st.one_of(
    st.integers(0, ALL),
    st.sets(st.integers(0, 63)).map(lambda members: sum(1 << k for k in members)),
    st.sampled_from([0, 1, 1 << 63, ALL, 0xFFFFFFFF, 0xFFFFFFFF00000000, 0x00FF00FF00FF00FF]),
)
indices = st.integers(0, 63)


def members(word: int) -> list[int]:
    return [k for k in range(64) if word >> k & 1]


# Kernels that call the helpers, because most helpers exist only inside of kernels.


@kernel
def call_popcount(word: Any) -> Any:
    return bits.popcount(word)


@kernel
def call_lowest(word: Any) -> Any:
    return bits.lowest(word)


@kernel
def call_bit(index: Any) -> Any:
    return bits.bit(index)


@kernel
def call_has(word: Any, index: Any) -> Any:
    return bits.has(word, index)


@kernel
def call_spread(word: Any) -> Any:
    return bits.spread(word)


@kernel
def call_spread_by_product(word: Any) -> Any:
    return bits._spread_by_product(word)


@kernel
def call_write_members(word: Any, target: Any, first: Any, count: Any) -> None:
    bits.write_members(word, target, first, count)


@kernel
def call_below(count: Any) -> Any:
    return bits.below(count)


@kernel
def call_without_lowest(word: Any) -> Any:
    return bits.without_lowest(word)


@kernel
def call_select(word: Any, rank: Any) -> Any:
    return bits.select(word, rank)


@kernel
def call_ranks(whole: Any, part: Any) -> Any:
    return bits.ranks(whole, part)


@kernel
def call_with_ranks(whole: Any, chosen: Any) -> Any:
    return bits.with_ranks(whole, chosen)


@kernel
def select_without_deposit(word: Any, rank: Any) -> Any:
    return bits._select_by_halves(word, rank)


@kernel
def ranks_without_deposit(whole: Any, part: Any) -> Any:
    return bits._ranks_by_loop(whole, part)


@kernel
def with_ranks_without_deposit(whole: Any, chosen: Any) -> Any:
    return bits._with_ranks_by_loop(whole, chosen)


@kernel
def call_add_block(row: Any, first: Any, block: Any) -> None:
    bits.add_block(row, first, block)


@kernel
def call_has_member(row: Any, index: Any) -> Any:
    return bits.has_member(row, index)


@kernel
def call_count_members(row: Any) -> Any:
    return bits.count_members(row)


@kernel
def call_select_member(row: Any, rank: Any) -> Any:
    return bits.select_member(row, rank)


# --- one word --------------------------------------------------------------------------------


@MANY
@given(words)
@example(0)
@example(ALL)
def test_popcount(word: int) -> None:
    assert call_popcount(np.uint64(word)) == len(members(word))


@MANY
@given(words.filter(bool))
def test_lowest(word: int) -> None:
    assert call_lowest(np.uint64(word)) == min(members(word))
    rest = call_without_lowest(np.uint64(word))
    assert type(rest) in (int, np.uint64)
    assert members(int(rest)) == members(word)[1:]


@pytest.mark.parametrize("index", range(64))
def test_every_index(index: int) -> None:
    word = 1 << index
    assert int(call_bit(index)) == word
    assert int(call_below(index)) == word - 1
    assert call_lowest(np.uint64(word)) == index
    assert call_popcount(np.uint64(word)) == 1
    assert call_select(np.uint64(word), 0) == index


@MANY
@given(words, indices)
def test_has(word: int, index: int) -> None:
    assert bool(call_has(np.uint64(word), index)) is (index in members(word))


# A processor with bit deposit compiles one instruction, others a loop: both are tested here.


@pytest.mark.parametrize("function", [call_select, select_without_deposit])
@MANY
@given(words.filter(bool))
@example(ALL)
@example(0x8000000080000000)
def test_select_every_rank(function: Any, word: int) -> None:
    found = [int(function(np.uint64(word), rank)) for rank in range(len(members(word)))]
    assert found == members(word)


@pytest.mark.parametrize(
    ("ranks", "with_ranks"),
    [(call_ranks, call_with_ranks), (ranks_without_deposit, with_ranks_without_deposit)],
)
@MANY
@given(words, words)
@example(ALL, ALL)
@example(0, ALL)
@example(1 << 63, 1 << 63)
def test_ranks_within_a_set(ranks: Any, with_ranks: Any, whole: int, other: int) -> None:
    part = whole & other
    chosen = ranks(np.uint64(whole), np.uint64(part))
    assert members(int(chosen)) == [members(whole).index(index) for index in members(part)]
    assert int(with_ranks(np.uint64(whole), np.uint64(chosen))) == part


@pytest.mark.parametrize("number", [np.uint8, np.int64, np.uint64])
def test_index_of_any_integer_type(number: type) -> None:
    """State fields are small and unsigned; their values mean the same as int64."""
    for index in (0, 1, 31, 32, 63):
        assert int(call_bit(number(index))) == 1 << index
        assert bool(call_has(np.uint64(1 << index), number(index)))
    assert int(call_select(np.uint64(0b10100), number(1))) == 4


# --- sets of several words -------------------------------------------------------------------

rows = st.lists(words, min_size=1, max_size=4)


def row_members(row: list[int]) -> list[int]:
    return [64 * k + index for k, word in enumerate(row) for index in members(word)]


@MANY
@given(rows)
def test_members_of_several_words(row: list[int]) -> None:
    array = np.array(row, np.uint64)
    expected = row_members(row)
    assert call_count_members(array) == len(expected)
    found = [int(call_select_member(array, rank)) for rank in range(len(expected))]
    assert found == expected
    assert [k for k in range(64 * len(row)) if call_has_member(array, k)] == expected


@MANY
@given(rows, st.data())
def test_add_block(row: list[int], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, 64 * len(row) - 1))
    room = min(64, 64 * len(row) - first)
    block = data.draw(st.integers(0, (1 << room) - 1))
    array = np.array(row, np.uint64)
    call_add_block(array, first, np.uint64(block))
    added = {first + k for k in members(block)}
    assert row_members([int(word) for word in array]) == sorted({*row_members(row)} | added)


@pytest.mark.parametrize("first", [0, 1, 63, 64, 65, 127, 128])
def test_add_block_across_words(first: int) -> None:
    array = np.zeros(4, np.uint64)
    call_add_block(array, first, np.uint64(ALL))
    assert row_members([int(word) for word in array]) == list(range(first, first + 64))


def test_helpers_can_be_called_from_python() -> None:
    """They have no compiled form for Python; their source runs instead."""
    assert call_has(np.uint64(5), 2)
    assert bits.has(np.uint64(5), 2)
    assert bits.select(np.uint64(5), 1) == 2
    assert bits.count_members(np.array([5, 1], np.uint64)) == 3


@MANY
@given(words)
def test_spread(word: int) -> None:
    expected = [word >> place & 1 for place in range(8)]
    for spread in (call_spread, call_spread_by_product):
        assert list(int(spread(np.uint64(word))).to_bytes(8, "little")) == expected


@pytest.mark.parametrize("kind", [np.uint8, np.int8])
@pytest.mark.parametrize("step", [1, 2], ids=["contiguous", "strided"])
@MANY
@given(words, st.integers(0, 9), st.integers(0, 64))
def test_write_members(kind: type, step: int, word: int, first: int, count: int) -> None:
    untouched = 7
    target = np.full(80 * step, untouched, kind)[::step]
    call_write_members(np.uint64(word), target, first, count)
    expected = [untouched] * 80
    expected[first : first + count] = [word >> place & 1 for place in range(count)]
    assert target.tolist() == expected
