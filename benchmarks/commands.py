"""The commands of `python -m benchmarks`; needs the packages of the extra `cli`."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from tabletop_core.commands.common import JsonOption, say, say_json
from tabletop_core.errors import TabletopError

from . import instructions, plots, report, results_file
from .compare import compare as compare_figures
from .games import chosen_modules
from .layers import LAYERS, MEANINGS, Wanted
from .limits import limits as limit_parts
from .measure import Effort, Unavailable
from .ratios import ratios as ratio_parts
from .rows import FAILED, Part, Result
from .speeds import measure, num_units

MAX_SECONDS: Final = 60
QUICK: Final = Effort(rounds=5, seconds=0.05)
FULL: Final = Effort()
LAYERS_EFFORT: Final = Effort(rounds=9, seconds=0.1)

app = typer.Typer(
    help="How fast the games are, beside plain C and beside other libraries.",
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)

GamesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--game", metavar="NAME", help="Only this game; may be given several times. Default: all."
    ),
]
SecondsOption = Annotated[
    float | None, typer.Option(metavar="S", help="Time of each contender in a round.")
]
RoundsOption = Annotated[int | None, typer.Option(metavar="N", help="Interleaved rounds.")]
QuickOption = Annotated[bool, typer.Option("--quick", help="Fewer and shorter rounds.")]
NoSaveOption = Annotated[bool, typer.Option("--no-save", help="Write no file of results.")]
FolderOption = Annotated[
    Path, typer.Option(metavar="PATH", help="Where the file of results goes.", show_default=False)
]
RowsOption = Annotated[
    list[str] | None,
    typer.Option("--row", metavar="PATTERN", help="Rows by name, as in 'twin-*'; repeatable."),
]
ListOption = Annotated[bool, typer.Option("--list", help="List the rows and stop.")]


# --- speeds by layer -------------------------------------------------------------------------


@app.callback(invoke_without_command=True)
def speeds(
    context: typer.Context,
    game: GamesOption = None,
    players: Annotated[
        list[int] | None, typer.Option(metavar="N", help="Only this number of players; repeatable.")
    ] = None,
    layer: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help=f"Only this layer; repeatable: {', '.join(LAYERS)}."),
    ] = None,
    batch: Annotated[
        list[int] | None, typer.Option(metavar="N", help="Only this size of a batch; repeatable.")
    ] = None,
    threads: Annotated[
        list[int] | None, typer.Option(metavar="N", help="Only this many threads; repeatable.")
    ] = None,
    seconds: SecondsOption = None,
    rounds: RoundsOption = None,
    quick: QuickOption = False,
    json: JsonOption = False,
    compare: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also print the ratios to an earlier file of results."),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="svg|png", help="Also draw pictures beside the file of results."),
    ] = None,
    no_save: NoSaveOption = False,
    folder: FolderOption = results_file.RESULTS,
) -> None:
    """Measure each layer of each game, at each number of players.

    With a command, that is done instead.
    """
    if context.invoked_subcommand is not None:
        return
    modules = chosen_modules(game or ())
    wanted = _wanted(modules, players, layer, batch, threads)
    earlier = None if compare is None else results_file.read_speeds(compare)
    if plot is not None and plot not in plots.FORMATS:
        raise TabletopError(f"--plot is one of {', '.join(plots.FORMATS)}, not {plot!r}")
    effort = _effort(LAYERS_EFFORT, quick, rounds, seconds)
    with _progress(num_units(modules, wanted, effort)) as advance:
        measured = measure(modules, wanted, effort, advance)
    content = results_file.speeds_content(measured, effort)
    if json:
        say_json(content)
    else:
        report.print_speeds(measured)
        report.print_method(effort)
        if earlier is not None:
            report.print_differences(compare_figures(measured.figures, earlier))
    path = _save(content, folder, no_save, json)
    if plot is not None:
        stem = "latest" if path is None else path.stem
        _draw(measured.figures, folder, stem, plot)


def _wanted(
    modules: dict[str, Any],
    players: list[int] | None,
    layers: list[str] | None,
    batches: list[int] | None,
    threads: list[int] | None,
) -> Wanted:
    for name in layers or ():
        if name not in LAYERS:
            raise TabletopError(f"no layer is called {name!r}; layers: {', '.join(MEANINGS)}")
    for what, numbers in (("--batch", batches), ("--threads", threads)):
        if any(number < 1 for number in numbers or ()):
            raise TabletopError(f"{what} must be at least 1")
    wanted = Wanted(players or (), layers or (), batches or (), threads or ())
    if not any(wanted.player_counts(module.GAME) for module in modules.values()):
        raise TabletopError(f"none of these games is for {players} players")
    return wanted


def _draw(figures: Sequence[Any], folder: Path, stem: str, kind: str) -> None:
    try:
        for path in plots.draw(figures, folder, stem, kind):
            say(f"Picture: {path}")
    except Unavailable as reason:
        raise TabletopError(str(reason)) from reason


# --- claims ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """One table of claims. parts: of the games named."""

    kind: str
    title: str
    parts: Callable[[Sequence[str]], list[Part]]


RATIOS: Final = Table("ratios", "Ratios", ratio_parts)
LIMITS: Final = Table("limits", "Limits", limit_parts)


@app.command()
def ratios(
    game: GamesOption = None,
    row: RowsOption = None,
    list_rows: ListOption = False,
    seconds: SecondsOption = None,
    rounds: RoundsOption = None,
    quick: QuickOption = False,
    json: JsonOption = False,
    no_save: NoSaveOption = False,
    folder: FolderOption = results_file.RESULTS,
) -> None:
    """Measure the promised ratios to plain C and to other libraries; ends with 1 below a floor."""
    effort = _effort(FULL, quick, rounds, seconds)
    _measure_claims(RATIOS, game, row, list_rows, effort, json, no_save, folder)


@app.command()
def limits(
    game: GamesOption = None,
    row: RowsOption = None,
    list_rows: ListOption = False,
    seconds: SecondsOption = None,
    rounds: RoundsOption = None,
    quick: QuickOption = False,
    json: JsonOption = False,
    no_save: NoSaveOption = False,
    folder: FolderOption = results_file.RESULTS,
) -> None:
    """Measure what else the games keep to: memory, starts, batches; ends with 1 beyond a limit."""
    effort = _effort(FULL, quick, rounds, seconds)
    _measure_claims(LIMITS, game, row, list_rows, effort, json, no_save, folder)


def _measure_claims(
    table: Table,
    games: list[str] | None,
    patterns: list[str] | None,
    is_list: bool,
    effort: Effort,
    is_json: bool,
    no_save: bool,
    folder: Path,
) -> None:
    parts = table.parts(tuple(chosen_modules(games or ())))
    claims = [claim for part in parts for claim in part.claims()]
    chosen = [claim.row for claim in claims if _is_chosen(claim.row, patterns)]
    if not chosen:
        known = ", ".join(claim.row for claim in claims)
        raise TabletopError(f"no row matches {' '.join(patterns or ())}; rows: {known}")
    if is_list:
        for claim in claims:
            say(f"{claim.row:34} {claim.title}")
        return
    results = _run_parts(parts, chosen, effort)
    content = results_file.claims_content(table.kind, results, effort)
    if is_json:
        say_json(content)
    else:
        report.print_results(results, table.title)
        report.print_method(effort)
    _save(content, folder, no_save, is_json)
    if any(result.status == FAILED for result in results):
        raise typer.Exit(1)


def _is_chosen(row: str, patterns: Sequence[str] | None) -> bool:
    return any(fnmatch.fnmatch(row, one) for one in patterns or ["*"])


def _run_parts(parts: Sequence[Part], chosen: Sequence[str], effort: Effort) -> list[Result]:
    """The parts that have a chosen row."""
    wanted = [
        (part, rows)
        for part in parts
        if (rows := [claim.row for claim in part.claims() if claim.row in chosen])
    ]
    results: list[Result] = []
    with _progress(sum(part.num_advances(effort) for part, _ in wanted)) as advance:
        for part, rows in wanted:
            label = rows[0] if len(rows) == 1 else f"{rows[0]} ... {rows[-1]}"
            results += part.run(rows, effort, lambda label=label: advance(label))
    return results


# --- instructions ----------------------------------------------------------------------------


@app.command()
def check(
    store: Annotated[bool, typer.Option("--store", help="Keep the counted figures.")] = False,
    json: JsonOption = False,
) -> None:
    """Compare instructions per step with the stored ones; ends with 1 if one has grown.

    They are counted by valgrind, so it does not matter what else the machine does.
    """
    try:
        with _progress(2) as advance:
            counted = instructions.count(advance)
    except Unavailable as reason:
        raise TabletopError(str(reason)) from reason
    if store:
        instructions.write_baseline(counted)
    baseline = instructions.read_baseline()
    checks = instructions.check(counted, baseline)
    if json:
        say_json({"instructions_per_step": counted, "stored": baseline})
    else:
        report.print_checks(checks)
        for text in instructions.other_versions(baseline):
            say(f"counted with another version: {text}")
    if not all(one.holds for one in checks):
        raise typer.Exit(1)


# --- common ----------------------------------------------------------------------------------


def _effort(base: Effort, quick: bool, rounds: int | None, seconds: float | None) -> Effort:
    if rounds is not None and rounds < 1:
        raise TabletopError("--rounds must be at least 1")
    if seconds is not None and not 0 < seconds <= MAX_SECONDS:
        raise TabletopError(f"--seconds must be above 0 and at most {MAX_SECONDS}")
    usual = QUICK if quick else base
    return Effort(rounds or usual.rounds, seconds or usual.seconds)


@contextmanager
def _progress(total: int) -> Iterator[Callable[[str], None]]:
    """A bar on standard error; the function takes one more unit of work and what it was."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    # A bar that refreshed itself would be a second thread beside what is measured.
    bars = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
    with bars as progress:
        bar = progress.add_task("", total=total)
        yield lambda label: progress.update(bar, description=label, advance=1, refresh=True)


def _save(content: dict[str, Any], folder: Path, no_save: bool, is_json: bool) -> Path | None:
    if no_save:
        return None
    path = results_file.save(content, folder)
    if not is_json:
        say(f"Results: {path}")
    return path
