"""`warmup`: compile all kernels once, so that later processes start without."""

from __future__ import annotations

import os
import time
from typing import Annotated, Final

import numba
import typer

from ..errors import TabletopError
from ..jit import cache_dir
from ..warmup import ENTRY_POINTS, tables, warmup_all
from .common import GamesOption, chosen_games, new_progress, say

# Half as fast again as one process; with more the part that cannot be shared stays the same.
DEFAULT_PROCESSES: Final = min(2, os.cpu_count() or 1)
MAX_PROCESSES: Final = 64


def warmup(
    game: GamesOption = None,
    processes: Annotated[
        int, typer.Option(metavar="N", help="Processes that compile side by side.")
    ] = DEFAULT_PROCESSES,
) -> None:
    """Compile every kernel of every game once and keep the machine code on disk.

    What is already in the cache is only loaded. Without this command a game compiles when it is
    first played.
    """
    if not 1 <= processes <= MAX_PROCESSES:
        raise TabletopError(f"--processes is a whole number from 1 to {MAX_PROCESSES}")
    chosen = chosen_games(game)
    folder = cache_dir()
    if numba.config.DISABLE_JIT:
        say("NUMBA_DISABLE_JIT is set: kernels run interpreted, there is nothing to compile.")
        return
    if folder is None:
        raise TabletopError(
            "there is no private writable folder to keep compiled kernels in; "
            "set NUMBA_CACHE_DIR to one"
        )
    started = time.perf_counter()
    with new_progress() as progress:
        label = "compiling kernels (once)"
        task = progress.add_task(label, total=len(tables(chosen)) * len(ENTRY_POINTS))
        for done in warmup_all(chosen, processes):
            progress.update(task, advance=1, description=f"{done.game}: {done.entry_point}")
    names = ", ".join(game.id for game in chosen)
    say(f"{names}: kernels ready after {time.perf_counter() - started:.1f} s, kept in {folder}")
