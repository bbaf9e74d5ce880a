"""A C header from record dtypes, so that a C twin reads the very bytes that kernels write."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np

C_TYPES = {
    np.dtype(np.bool_): "bool",
    np.dtype(np.uint8): "uint8_t",
    np.dtype(np.uint16): "uint16_t",
    np.dtype(np.uint32): "uint32_t",
    np.dtype(np.uint64): "uint64_t",
    np.dtype(np.int8): "int8_t",
    np.dtype(np.int16): "int16_t",
    np.dtype(np.int32): "int32_t",
    np.dtype(np.int64): "int64_t",
    np.dtype(np.float64): "double",
}


def header(records: Mapping[str, np.dtype[Any]], constants: Mapping[str, int]) -> str:
    """Struct types by name and constants as macros.

    The compiler itself checks every offset and size against NumPy's.
    """
    lines = ["#include <stdbool.h>", "#include <stddef.h>", "#include <stdint.h>"]
    lines += [f"#define {name} {value}" for name, value in constants.items()]
    for name, dtype in records.items():
        lines += _struct(name, dtype)
    return "\n".join(lines) + "\n"


def int_constants(*modules: ModuleType) -> dict[str, int]:
    """All upper-case integers of modules, those that they have imported included."""
    return {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if name.isupper() and type(value) is int and not name.startswith("_")
    }


def _struct(name: str, dtype: np.dtype[Any]) -> list[str]:
    fields: Mapping[str, Any] = dtype.fields or {}
    lines = ["typedef struct {"]
    checks = [f"_Static_assert(sizeof({name}) == {dtype.itemsize}, {_quoted(name)});"]
    for field, (kind, offset, *_) in fields.items():
        base, shape = kind.subdtype or (kind, ())
        extent = "".join(f"[{length}]" for length in shape)
        lines.append(f"    {C_TYPES[base]} {field}{extent};")
        where = f"offsetof({name}, {field}) == {offset}"
        size = f"sizeof((({name} *)0)->{field}) == {kind.itemsize}"
        checks.append(f"_Static_assert({where} && {size}, {_quoted(f'{name}.{field}')});")
    return [*lines, f"}} {name};", *checks]


def _quoted(text: str) -> str:
    return f'"{text} lies elsewhere in C"'
