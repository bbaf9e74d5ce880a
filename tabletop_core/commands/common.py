"""What several commands share: their parameters, progress, tables and JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any, Final, get_type_hints

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from ..errors import TabletopError
from ..game import Game, find_game, games
from ..text_values import parse_value

PIPE_WIDTH: Final = 160  # of a table that does not go to a terminal

TERMINAL_PACE: Final = 0.5
MAX_PACE: Final = 60.0

GameArgument = Annotated[
    str, typer.Argument(metavar="GAME", help="Name of the game, for example jumpgate_v0.")
]
GamesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--game", metavar="NAME", help="Only this game; may be given several times. Default: all."
    ),
]
OptionsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        metavar="NAME=VALUE",
        help="A rule option (see `describe`); may be given several times.",
    ),
]
RecordOption = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write a record of each game into this new file.")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace a file that exists already.")]
PaceOption = Annotated[
    float | None,
    typer.Option(
        metavar="S",
        help=f"Seconds between two decisions. Default: {TERMINAL_PACE:g} on a terminal, else 0.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, instead.")]


# --- games and options -----------------------------------------------------------------------


def chosen_games(names: Sequence[str] | None) -> list[Game]:
    """The games called `names`, each once, or all installed ones.

    Raises:
        TabletopError: no game is called so, or none is installed.
    """
    if names:
        return list({game.id: game for game in map(find_game, names)}.values())
    if not games():
        raise TabletopError("no game is installed")
    return list(games().values())


def parse_options(game: Game, texts: Sequence[str] | None) -> dict[str, Any]:
    """Rule options from `name=value` texts, each value of the type that the option has.

    Raises:
        TabletopError: no such option, one given twice, or not a value of its type.
    """
    types = get_type_hints(game.options_type)
    options: dict[str, Any] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise TabletopError(f"an option is given as name=value, not {text!r}")
        game.check_option_names([name])
        if name in options:
            raise TabletopError(f"option {name} is given twice")
        options[name] = parse_value(f"option {name}", value, types[name])
    return options


def check_pace(pace: float | None) -> float:
    """The seconds between two decisions that are shown.

    Raises:
        TabletopError: they are not from 0 to a minute.
    """
    if pace is None:
        return TERMINAL_PACE if sys.stdout.isatty() else 0.0
    if not 0 <= pace <= MAX_PACE:
        raise TabletopError(f"--pace is a time from 0 to {MAX_PACE:g} seconds, not {pace:g}")
    return pace


def require_new_file(path: str | None, force: bool) -> None:
    """Refuse the name of a file that exists before the work begins whose result it would hold.

    Raises:
        TabletopError: it exists and must not be replaced.
    """
    if path is not None and not force and os.path.lexists(path):
        raise TabletopError(f"{path} exists already; give a new name, or --force to replace it")


# --- output ----------------------------------------------------------------------------------


def say(text: str = "") -> None:
    """Write one line to stdout."""
    typer.echo(text)


def say_json(data: Any) -> None:
    """Write `data` to stdout as JSON."""
    say(json.dumps(data, indent=2, allow_nan=False))


def new_table(*columns: str, numbers: Sequence[str] = ()) -> Table:
    """An empty table: `columns` of text that may be wrapped, `numbers` among them that may not."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for name in columns:
        if name in numbers:
            table.add_column(name, justify="right", no_wrap=True)
        else:
            table.add_column(name, overflow="fold", no_wrap=name == columns[0])
    return table


def show_table(table: Table) -> None:
    """Print a table and an empty line to stdout."""
    console = Console(markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    console.print(table)
    console.print()


def new_progress(is_wanted: bool = True) -> Progress:
    """A progress bar on stderr; silent unless it is wanted and stderr is a terminal."""
    is_terminal = is_wanted and sys.stderr.isatty()
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True, quiet=not is_terminal),  # older Rich ends with an empty line
        transient=True,
        disable=not is_terminal,
    )
