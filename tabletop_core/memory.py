"""Ask for memory before it is needed."""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

LINE_BYTES: Final = 64  # of a cache line
MAX_LINES: Final = 16  # asked for at a time: about as many as a processor waits for
INTRINSIC: Final = "llvm.prefetch.p0"
TO_WRITE: Final = 1
KEEP: Final = 3  # in all caches
DATA: Final = 1


def prefetch(record: Any) -> None:
    """Begin to load the first KiB of a record that is worked on soon; changes nothing."""


@intrinsic  # type: ignore[untyped-decorator]
def _prefetch(typing_context: Any, record: Any) -> Any:
    offsets = range(0, min(record.size, MAX_LINES * LINE_BYTES), LINE_BYTES)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte, number, word = ir.IntType(8).as_pointer(), ir.IntType(32), ir.IntType(64)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, INTRINSIC)
        start = builder.bitcast(args[0], byte)
        for offset in offsets:
            address = builder.gep(start, [word(offset)])
            builder.call(function, [address, number(TO_WRITE), number(KEEP), number(DATA)])
        return context.get_dummy_value()

    return types.void(record), generate


@overload(prefetch, strict=False)  # type: ignore[untyped-decorator]
def _prefetch_record(record: Any) -> Any:
    return (lambda record: _prefetch(record)) if isinstance(record, types.Record) else None
