"""The random generator of every game: one 64-bit word in the state record.

xorshift64 (Marsaglia, "Xorshift RNGs", 2003, shifts 13, 7, 17), seeded through the finaliser of
SplitMix64 so that neighbouring seeds give unrelated games. The word is never 0. Test vectors:
`tests/test_rng.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from .bits import NONE, U, popcount, select
from .errors import TabletopError, index_of, shown
from .jit import inline_kernel, kernel

SEED_LIMIT = 1 << 64
WORD_MASK = SEED_LIMIT - 1
GOLDEN_GAMMA = 0x9E3779B97F4A7C15
MIX = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
LAST_SHIFT = 31
MIX_WORDS = tuple((U(shift), U(factor)) for shift, factor in MIX)

SHIFT_A = U(13)
SHIFT_B = U(7)
SHIFT_C = U(17)
FRACTION_SHIFT = U(11)
FRACTION_UNIT = 2.0**-53
HALF = U(32)
LOW_HALF = U(0xFFFFFFFF)
HALF_SIZE = U(1 << 32)


def check_seed(seed: object, what: str = "seed") -> int:
    """`seed` as a Python int in 0 .. 2**64 - 1.

    Raises:
        TabletopError: `seed` is no integer or out of range.
    """
    number = index_of(seed)
    if not 0 <= number < SEED_LIMIT:
        raise TabletopError(f"{what} must be an integer from 0 to 2**64 - 1, not {shown(seed)}")
    return number


def seed_to_word(seed: int) -> int:
    """The generator's first word for `seed` (0 .. 2**64 - 1); never 0."""
    word = (seed + GOLDEN_GAMMA) & WORD_MASK
    for shift, factor in MIX:
        word = (word ^ (word >> shift)) * factor & WORD_MASK
    word ^= word >> LAST_SHIFT
    return word or GOLDEN_GAMMA


def word_to_seed(word: int) -> int:
    """A seed whose first word is `word` (1 .. 2**64 - 1): the inverse of `seed_to_word`."""
    word ^= word >> LAST_SHIFT ^ word >> 2 * LAST_SHIFT
    for shift, factor in reversed(MIX):
        word = word * pow(factor, -1, SEED_LIMIT) & WORD_MASK
        word ^= word >> shift ^ word >> 2 * shift
    return (word - GOLDEN_GAMMA) & WORD_MASK


def seeds_to_words(seed: int, count: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """First words [count] for the seeds `seed`, `seed` + 1, ... (modulo 2**64)."""
    start = np.uint64((seed + GOLDEN_GAMMA) & WORD_MASK)
    words = start + np.arange(count, dtype=np.uint64)
    for shift, factor in MIX:
        words = (words ^ (words >> np.uint64(shift))) * np.uint64(factor)
    words ^= words >> np.uint64(LAST_SHIFT)
    words[words == 0] = np.uint64(GOLDEN_GAMMA)
    return words


def random_seed() -> int:
    """A seed from the operating system, for callers who gave none."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])


def scatter(word: Any) -> Any:
    """A generator's first word (uint64, never 0) for any uint64: `seed_to_word` for kernels."""
    return U(seed_to_word(int(word)))


@inline_kernel
def _scatter_word(word: Any) -> Any:
    word = word + U(GOLDEN_GAMMA)
    for shift, factor in MIX_WORDS:
        word = (word ^ (word >> shift)) * factor
    word ^= word >> U(LAST_SHIFT)
    return word if word != NONE else U(GOLDEN_GAMMA)


@overload(scatter, strict=False)  # type: ignore[untyped-decorator]
def _scatter(word: Any) -> Any:
    return lambda word: _scatter_word(word)


@inline_kernel
def next_word(holder: Any) -> Any:
    """Advance the generator `holder.rng` and return its new word (uint64)."""
    word = holder.rng
    word ^= word << SHIFT_A
    word ^= word >> SHIFT_B
    word ^= word << SHIFT_C
    holder.rng = word
    return word


@inline_kernel
def randbelow(holder: Any, count: Any) -> Any:
    """A uniform int64 in 0 .. count - 1 (count 1 .. 2**32 - 1), exact: multiply, shift, reject."""
    product = (next_word(holder) >> HALF) * U(count)
    if product & LOW_HALF < U(count):
        product = _reject(holder, U(count), product)
    return np.int64(product >> HALF)


@kernel
def _reject(holder: Any, count: Any, product: Any) -> Any:
    threshold = (HALF_SIZE - count) % count
    while product & LOW_HALF < threshold:
        product = (next_word(holder) >> HALF) * count
    return product


@inline_kernel
def fraction(holder: Any) -> Any:
    """A uniform float64 in [0, 1), of 53 bits."""
    return np.float64(next_word(holder) >> FRACTION_SHIFT) * FRACTION_UNIT


@inline_kernel
def draw(holder: Any, members: Any) -> Any:
    """A uniformly random member (int64 index) of the set `members`, which must not be empty."""
    return select(members, randbelow(holder, popcount(members)))


@kernel
def draw_some(holder: Any, members: Any, count: Any) -> Any:
    """A uniformly random subset of `count` of the set `members`, as a word."""
    chosen = NONE
    for _ in range(count):
        chosen |= U(1) << U(draw(holder, members & ~chosen))
    return chosen
