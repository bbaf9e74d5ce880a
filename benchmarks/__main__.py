"""`python -m benchmarks`: measure, print, keep, and fail if a floor is missed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

HOW_TO_GET_IT: Final = (
    'error: the benchmarks need typer and rich: pip install "tabletop-envs[cli]"\n'
)
NEEDED: Final = ("typer", "rich")
WRONG_USE: Final = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: 0 if no floor is missed (a skipped row misses none), 1 if one is, 2 on misuse."""
    try:
        from .commands import app
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in NEEDED:
            raise
        sys.stderr.write(HOW_TO_GET_IT)
        return WRONG_USE
    from tabletop_core.errors import TabletopError

    try:
        app(args=list(sys.argv[1:] if arguments is None else arguments))
    except TabletopError as error:
        sys.stderr.write(f"error: {error}\n")
        return WRONG_USE
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
