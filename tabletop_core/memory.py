"""Ask for memory before it is needed."""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

LINE_BYTES: Final = 64  # of a cache line
PART_LINES: Final = 32  # processors load some ten to thirty lines at once and wait to begin more
LONG_ROW: Final = 1024  # bytes; the processor itself finds shorter ones, which follow one another
INTRINSIC: Final = "llvm.prefetch.p0"
TO_WRITE: Final = 1
KEEP: Final = 3  # in all caches
DATA: Final = 1


def prefetch(record: Any, part: Any) -> None:
    """Begin to load a part of a record that is worked on soon: its first 2 KiB, its next ...

    `part` is a constant. Without a record (None), or behind its end, nothing is done.
    """


def prefetch_row(rows: Any, row: Any) -> None:
    """Begin to load one of `rows`, uint8 [count, size], that is written soon, if it is long."""


def _ask_for(builder: Any, address: Any) -> None:
    """Generate the instruction for the cache line of an address."""
    byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
    function = cgutils.get_or_insert_function(builder.module, kind, INTRINSIC)
    how = [number(TO_WRITE), number(KEEP), number(DATA)]
    builder.call(function, [builder.bitcast(address, byte), *how])


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def _prefetch(typing_context: Any, record: Any, part: Any) -> Any:
    first = part.literal_value * PART_LINES * LINE_BYTES
    offsets = range(first, min(record.size, first + PART_LINES * LINE_BYTES), LINE_BYTES)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        start = builder.bitcast(args[0], ir.IntType(8).as_pointer())
        for offset in offsets:
            _ask_for(builder, builder.gep(start, [ir.IntType(64)(offset)]))
        return context.get_dummy_value()

    return types.void(record, part), generate


@overload(prefetch, strict=False, prefer_literal=True)  # type: ignore[untyped-decorator]
def _prefetch_part(record: Any, part: Any) -> Any:
    if isinstance(record, types.Record):
        return lambda record, part: _prefetch(record, part)
    if isinstance(record, types.NoneType):
        return lambda record, part: None
    return None


@intrinsic  # type: ignore[untyped-decorator]
def _prefetch_item(typing_context: Any, rows: Any, row: Any, column: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        array = context.make_array(kind)(context, builder, args[0])
        _ask_for(builder, cgutils.get_item_pointer(context, builder, kind, array, args[1:]))
        return context.get_dummy_value()

    return types.void(rows, row, column), generate


@overload(prefetch_row, strict=False)  # type: ignore[untyped-decorator]
def _prefetch_lines_of_row(rows: Any, row: Any) -> Any:
    def ask(rows: Any, row: Any) -> None:
        if rows.shape[1] >= LONG_ROW:
            for column in range(0, rows.shape[1], LINE_BYTES):
                _prefetch_item(rows, row, column)

    return ask
