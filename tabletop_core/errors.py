"""The one exception that this package raises for a wrong argument, file, action or state."""

import operator

import numpy as np


class TabletopError(ValueError):
    """Something given by the caller is wrong; the message says what, and what would be right."""


def shown(value: object, limit: int = 80) -> str:
    """`value` for a message: not too long, and never an error (as huge integers would be)."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - objects of callers
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def index_of(value: object) -> int:
    """`value` as a Python int, or -1 if it is no integer; True and False are none."""
    if isinstance(value, (bool, np.bool_)):  # NumPy 2.0 warns when one of these is used as an index
        return -1
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return -1
