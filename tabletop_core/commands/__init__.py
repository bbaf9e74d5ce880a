"""The commands of `python -m tabletop_core`; needs the packages of the extra `cli`."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

import typer

from ..errors import TabletopError
from . import (
    arena,
    describe,
    export,
    export_ruleset,
    picture,
    play,
    replay,
    rollouts,
    warmup,
    watch,
)

app = typer.Typer(
    help="Board and card games as reinforcement-learning environments.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",  # paragraphs are filled
    pretty_exceptions_enable=False,
)
app.command()(rollouts.rollouts)
app.command()(play.play)
app.command()(watch.watch)
app.command()(arena.arena)
app.command()(replay.replay)
app.command()(export.export)
app.command()(picture.picture)
app.command()(describe.describe)
app.command()(warmup.warmup)
app.command()(export_ruleset.export_ruleset)

WRONG_USE = 2


def run(arguments: Sequence[str]) -> int:
    """Run one command; the exit code is 0 done, 1 ended early or found untrue, 2 wrong use."""
    _accept_any_characters()
    try:
        app(args=list(arguments))
    except TabletopError as error:
        sys.stderr.write(f"error: {error}\n")
        return WRONG_USE
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    return 0


def _accept_any_characters() -> None:
    """A character that the terminal's encoding lacks must not end a game."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
