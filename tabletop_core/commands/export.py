"""`export`: records of many games as a table or as a Minari data set."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from ..errors import TabletopError
from ..export import FORMATS, export_minari, export_table
from ..record import read_records
from .common import ForceOption, JsonOption, new_progress, require_new_file, say, say_json

MINARI: Final = "minari"
ALL: Final = "all"


def export(
    records: Annotated[list[str], typer.Argument(metavar="RECORDS", help="Files of records.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="PATH", help="A new file; for minari a folder.")
    ],
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT", help="parquet, arrow or minari. Default: by the ending of PATH."
        ),
    ] = None,
    reward: Annotated[
        str, typer.Option(help="What games pay at their end: win, score or margin.")
    ] = "win",
    seat: Annotated[
        str, typer.Option(metavar="K", help="For minari: whose episodes; `all`: of every player.")
    ] = "0",
    observations: Annotated[
        bool, typer.Option(help="For tables: whether they have a column of observations.")
    ] = True,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Write the games of records into a data set; every game is verified on the way.

    A table (parquet, arrow) has a row for each decision, a Minari data set an episode of the
    single-agent view for each game. All games must have the same actions and observations. Needs
    the extra `data`.
    """
    kind = format or output.rpartition(".")[2]
    if kind not in (*FORMATS, MINARI):
        raise TabletopError(f"--format is {', '.join(FORMATS)} or {MINARI}, not {kind!r}")
    require_new_file(output, force and kind != MINARI)
    games = (record for path in records for record in read_records(path))
    with new_progress() as progress:
        task = progress.add_task("exporting", total=None)

        def report(count: int, rows: int) -> None:
            progress.update(task, description=f"exporting: {count} games, {rows} decisions")

        if kind == MINARI:
            written = export_minari(games, output, seat=_seat(seat), reward=reward, report=report)
        else:
            written = export_table(
                games,
                output,
                format=kind,
                reward=reward,
                observations=observations,
                force=force,
                report=report,
            )
    if json:
        say_json({"output": output, "format": kind, "games": written.games, "rows": written.rows})
    else:
        say(f"{written.games} games with {written.rows} decisions are in {output}")


def _seat(text: str) -> int | None:
    if text == ALL:
        return None
    if not text.isdecimal():
        raise TabletopError(f"--seat is the number of a player or {ALL!r}, not {text!r}")
    return int(text)
