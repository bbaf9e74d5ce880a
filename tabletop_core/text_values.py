"""Values that are given as text: those of rule options and of the arguments of bots."""

from __future__ import annotations

from types import NoneType
from typing import Any, Final, get_args

from .errors import TabletopError

YES: Final = frozenset({"true", "yes", "on", "1"})
NO: Final = frozenset({"false", "no", "off", "0"})
NUMBERS: Final = {int: "a whole number", float: "a number"}


def parse_value(what: str, text: str, annotation: Any) -> Any:
    """`text` as a value of a type, or of one of several: bool, int, float, str, None.

    Raises:
        TabletopError: it is none; the message begins with `what` was to be given.
    """
    kinds = get_args(annotation) or (annotation,)
    word = text.strip().lower()
    if NoneType in kinds and word == "none":
        return None
    if bool in kinds:
        if word in YES | NO:
            return word in YES
        raise TabletopError(f"{what}={text}: use true or false")
    for kind, name in NUMBERS.items():
        if kind in kinds:
            return _parse_number(what, text, kind, name, " or none" if NoneType in kinds else "")
    return text


def _parse_number(what: str, text: str, kind: type, name: str, or_none: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise TabletopError(f"{what}={text}: use {name}{or_none}") from None
