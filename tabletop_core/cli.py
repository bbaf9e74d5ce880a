"""The command line: `python -m tabletop_core`, also installed as `tabletop`.

The commands need the packages of the extra `cli`; this module runs without them to say so.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

HOW_TO_GET_IT: Final = (
    'error: the command line needs typer and rich: pip install "tabletop-envs[cli]"\n'
)
NEEDED: Final = ("typer", "rich")
FAILED: Final = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line with `arguments` (default: those of the process).

    Returns:
        The exit code: 0 done, 1 ended early or (a record) found untrue, 2 wrong use.
    """
    try:
        from .commands import run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in NEEDED:
            raise
        sys.stderr.write(HOW_TO_GET_IT)
        return FAILED
    return run(sys.argv[1:] if arguments is None else arguments)
