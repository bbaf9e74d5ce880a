"""Sets of up to 64 things as machine words, equal in compiled and in interpreted mode.

Words meet only `np.uint64` operands: NumPy and Numba disagree about mixed signs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.extending import intrinsic, overload

from .jit import inline_kernel

U = np.uint64
NONE = U(0)
ONE = U(1)
WORD_BITS = 64
SHIFT_32, SHIFT_16, SHIFT_8 = U(32), U(16), U(8)
LOW_32, LOW_16, LOW_8 = U(0xFFFFFFFF), U(0xFFFF), U(0xFF)
BYTE_BITS = 8
BYTE_VALUES = 1 << BYTE_BITS
LOWEST_OF_BYTES = U(0x0101010101010101)
OWN_BIT_OF_BYTES = U(0x8040201008040201)
LOW_BITS_OF_BYTES = U(0x7F7F7F7F7F7F7F7F)
HIGHEST_TO_LOWEST = U(BYTE_BITS - 1)
QUAD_BYTES = 4
PAIR_BYTES = 2
WORD_SHIFT = U(6)
WORD_INDEX = U(63)


def _select_in_byte() -> np.ndarray[Any, np.dtype[np.uint8]]:
    """[byte, rank] index of the set bit of a byte with `rank` set bits below it."""
    table = np.zeros((BYTE_VALUES, BYTE_BITS), np.uint8)
    for byte in range(BYTE_VALUES):
        members = [index for index in range(BYTE_BITS) if byte >> index & 1]
        table[byte, : len(members)] = members
    return table


SELECT_IN_BYTE = _select_in_byte()


def popcount(word: Any) -> Any:
    """Number of members of `word`, 0-64, as int64."""
    return int(word).bit_count()


def lowest(word: Any) -> Any:
    """Index of the lowest member of `word`, 0-63, as int64; `word` must not be empty."""
    return (int(word) & -int(word)).bit_length() - 1


@intrinsic  # type: ignore[untyped-decorator]
def _ctpop(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _cttz(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


# The processor's bit deposit and extract (x86 BMI2): 1.16 times the rollouts for `select`, 1.24
# times for all three users. AMD's first Zen generations have them in microcode, slower than a loop.
INLINED = {"forceinline": True}
SLOW_BIT_DEPOSIT = ("bdver4", "znver1", "znver2")


def has_bit_deposit() -> bool:
    """Whether kernels are compiled for a processor with fast bit deposit."""
    _, processor, features = cpu_target.target_context.codegen().magic_tuple()
    return "+bmi2" in features.split(",") and processor not in SLOW_BIT_DEPOSIT


def _bmi2(name: str) -> Any:
    def make(typing_context: Any, word: Any, mask: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word_type = ir.IntType(WORD_BITS)
            signature_type = ir.FunctionType(word_type, [word_type, word_type])
            function = cgutils.get_or_insert_function(builder.module, signature_type, name)
            return builder.call(function, args)

        return types.uint64(types.uint64, types.uint64), generate

    return intrinsic(make)


_deposit = _bmi2("llvm.x86.bmi.pdep.64")
_extract = _bmi2("llvm.x86.bmi.pext.64")


@overload(popcount, strict=False)  # type: ignore[untyped-decorator]
def _popcount(word: Any) -> Any:
    return lambda word: np.int64(_ctpop(word))


@overload(lowest, strict=False)  # type: ignore[untyped-decorator]
def _lowest(word: Any) -> Any:
    return lambda word: np.int64(_cttz(word))


@inline_kernel
def bit(index: Any) -> Any:
    """The set that holds `index` (0-63) alone."""
    return ONE << U(index)


@inline_kernel
def has(word: Any, index: Any) -> Any:
    """Whether `index` (0-63) is a member of `word`."""
    return (word >> U(index)) & ONE != NONE


@inline_kernel
def below(count: Any) -> Any:
    """The set of the indices 0 .. count - 1 (count 0-63)."""
    return (ONE << U(count)) - ONE


@inline_kernel
def without_lowest(word: Any) -> Any:
    """`word` without its lowest member; `word` must not be empty."""
    return word & (word - ONE)


@inline_kernel
def _select_by_halves(word: Any, rank: Any) -> Any:
    """Index of the member of `word` that has `rank` members below it; rank < popcount(word).

    Halves the word down to one byte and looks that up (1.27 times the rollouts of a loop).
    """
    base = np.int64(0)
    left = np.int64(rank)
    count = popcount(word & LOW_32)
    if left >= count:
        left -= count
        word >>= SHIFT_32
        base += 32
    count = popcount(word & LOW_16)
    if left >= count:
        left -= count
        word >>= SHIFT_16
        base += 16
    count = popcount(word & LOW_8)
    if left >= count:
        left -= count
        word >>= SHIFT_8
        base += 8
    return base + np.int64(SELECT_IN_BYTE[word & LOW_8, U(left)])


@inline_kernel
def _ranks_by_loop(whole: Any, part: Any) -> Any:
    found = NONE
    slot = 0
    while whole != NONE:
        if has(part, lowest(whole)):
            found |= bit(slot)
        slot += 1
        whole = without_lowest(whole)
    return found


@inline_kernel
def _with_ranks_by_loop(whole: Any, chosen: Any) -> Any:
    found = NONE
    while chosen != NONE:
        if chosen & ONE != NONE:
            found |= whole & ~without_lowest(whole)
        chosen >>= ONE
        whole = without_lowest(whole)
    return found


def select(word: Any, rank: Any) -> Any:
    """Index of the member of `word` that has `rank` members below it; rank < popcount(word)."""
    return _select_by_halves(word, rank)


def ranks(whole: Any, part: Any) -> Any:
    """The set of the ranks that the members of `part`, a subset, have within `whole`."""
    return _ranks_by_loop(whole, part)


def with_ranks(whole: Any, chosen: Any) -> Any:
    """The members of `whole` whose ranks are in `chosen`; inverse of `ranks`."""
    return _with_ranks_by_loop(whole, chosen)


@overload(select, strict=False, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _select(word: Any, rank: Any) -> Any:
    if has_bit_deposit():
        return lambda word, rank: lowest(_deposit(ONE << U(rank), word))
    return lambda word, rank: _select_by_halves(word, rank)


@overload(ranks, strict=False, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _ranks(whole: Any, part: Any) -> Any:
    if has_bit_deposit():
        return lambda whole, part: _extract(part, whole)
    return lambda whole, part: _ranks_by_loop(whole, part)


@overload(with_ranks, strict=False, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _with_ranks(whole: Any, chosen: Any) -> Any:
    if has_bit_deposit():
        return lambda whole, chosen: _deposit(chosen, whole)
    return lambda whole, chosen: _with_ranks_by_loop(whole, chosen)


def spread(word: Any) -> Any:
    """The places 0-7 of `word` as eight bytes 0 and 1 in one word, place 0 in the lowest."""
    return _spread_by_product(word)


@inline_kernel
def _spread_by_product(word: Any) -> Any:
    copies = ((word & LOW_8) * LOWEST_OF_BYTES) & OWN_BIT_OF_BYTES
    return ((copies + LOW_BITS_OF_BYTES) >> HIGHEST_TO_LOWEST) & LOWEST_OF_BYTES


@overload(spread, strict=False, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _spread(word: Any) -> Any:
    if has_bit_deposit():
        return lambda word: _deposit(word, LOWEST_OF_BYTES)
    return lambda word: _spread_by_product(word)


def write_members(word: Any, target: Any, first: Any, count: Any) -> None:
    """Write the places 0 .. count - 1 (count 0-64) of a set as bytes 0 and 1 to target[first:].

    Compiled, eight bytes are written at a time (connect four: 1.6 times the steps of a batch).
    """
    for place in range(count):
        target[first + place] = (word >> U(place)) & ONE


@overload(write_members, strict=False, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _write_members(word: Any, target: Any, first: Any, count: Any) -> Any:
    if target.layout == "C":
        return lambda word, target, first, count: _write_by_eights(word, target, first, count)
    return write_members


@inline_kernel
def _write_by_eights(word: Any, target: Any, first: Any, count: Any) -> None:
    place = np.int64(first)
    for _ in range(count // BYTE_BITS):
        _store(target, place, spread(word))
        word >>= SHIFT_8
        place += BYTE_BITS
    rest = spread(word)
    if count & QUAD_BYTES:
        _store(target, place, np.uint32(rest & LOW_32))
        rest >>= SHIFT_32
        place += QUAD_BYTES
    if count & PAIR_BYTES:
        _store(target, place, np.uint16(rest & LOW_16))
        rest >>= SHIFT_16
        place += PAIR_BYTES
    if count & 1:
        _store(target, place, np.uint8(rest & LOW_8))


@intrinsic  # type: ignore[untyped-decorator]
def _store(typing_context: Any, target: Any, first: Any, word: Any) -> Any:
    """Store the bytes of a word, the lowest first, to the bytes target[first:]."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        address = builder.gep(array.data, [args[1]])
        pointer = builder.bitcast(address, args[2].type.as_pointer())
        builder.store(args[2], pointer, align=1)
        return context.get_dummy_value()

    return types.void(target, first, word), generate


@inline_kernel
def add_block(words: Any, first: Any, members: Any) -> None:
    """Add the set `members`, shifted up by `first`, to a set of several words [num_words]."""
    place = U(first) & WORD_INDEX
    index = first // WORD_BITS
    words[index] |= members << place
    if place != NONE:
        overflow = members >> (U(WORD_BITS) - place)
        if overflow != NONE:
            words[index + 1] |= overflow


@inline_kernel
def has_member(words: Any, index: Any) -> Any:
    """Whether `index` is a member of a set of several words [num_words]."""
    return has(words[index // WORD_BITS], U(index) & WORD_INDEX)


@inline_kernel
def count_members(words: Any) -> Any:
    """Number of members of a set of several words [num_words], as int64."""
    count = 0
    for k in range(words.shape[0]):
        count += popcount(words[k])
    return count


@inline_kernel
def select_member(words: Any, rank: Any) -> Any:
    """Index of the member with `rank` members below it, in a set of several words [num_words]."""
    left = rank
    for k in range(words.shape[0]):
        count = popcount(words[k])
        if left < count:
            return k * WORD_BITS + select(words[k], left)
        left -= count
    return np.int64(-1)
