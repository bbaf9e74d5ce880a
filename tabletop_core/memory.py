"""Ask for memory before it is needed."""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

LINE_BYTES: Final = 64  # of a cache line
MAX_LINES: Final = 256  # of a record; the largest one of a game for two has about as many
LONG_ROW: Final = 2048  # bytes; the processor itself finds shorter ones, which follow one another
INTRINSIC: Final = "llvm.prefetch.p0"
TO_WRITE: Final = 1
KEEP: Final = 3  # in all caches
DATA: Final = 1


def prefetch(record: Any) -> None:
    """Begin to load a record, or its first 16 KiB, that is worked on soon; changes nothing."""


def prefetch_row(rows: Any, row: Any) -> None:
    """Begin to load one of `rows`, uint8 [count, size], that is written soon, if it is long."""


def _ask_for(builder: Any, address: Any) -> None:
    """Generate the instruction for the cache line of an address."""
    byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
    function = cgutils.get_or_insert_function(builder.module, kind, INTRINSIC)
    how = [number(TO_WRITE), number(KEEP), number(DATA)]
    builder.call(function, [builder.bitcast(address, byte), *how])


@intrinsic  # type: ignore[untyped-decorator]
def _prefetch(typing_context: Any, record: Any) -> Any:
    offsets = range(0, min(record.size, MAX_LINES * LINE_BYTES), LINE_BYTES)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        start = builder.bitcast(args[0], ir.IntType(8).as_pointer())
        for offset in offsets:
            _ask_for(builder, builder.gep(start, [ir.IntType(64)(offset)]))
        return context.get_dummy_value()

    return types.void(record), generate


@overload(prefetch, strict=False)  # type: ignore[untyped-decorator]
def _prefetch_record(record: Any) -> Any:
    return (lambda record: _prefetch(record)) if isinstance(record, types.Record) else None


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
