"""Results as tables for people."""

from __future__ import annotations

import os
import statistics
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from . import machine
from .compare import Difference
from .instructions import MAX_GROWTH, Check
from .layers import MEANINGS, SPEED_LAYERS
from .measure import Effort
from .rows import FAILED, PASSED, SKIPPED, Claim, Result
from .speeds import STEPS, Figure, Measured

STYLES = {PASSED: "green", FAILED: "bold red", SKIPPED: "yellow"}
PLAIN_WIDTH = 150  # of a table when it goes to a file


def _console() -> Console:
    console = Console()
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    return console


def print_method(effort: Effort) -> None:
    """How the figures above came about, and where."""
    load = machine.load()
    _console().print(
        f"Medians (min..max) of {effort.rounds} interleaved rounds, {effort.seconds:g} s for each "
        f"contender. {machine.processor()}, {os.cpu_count()} cores, load {load and load[0]}.",
        style="dim",
        highlight=False,
    )


# --- claims ----------------------------------------------------------------------------------


def print_results(results: Sequence[Result], title: str) -> None:
    """The table of claims, then the rates behind them."""
    console = _console()
    console.print(_claim_table(results, title))
    rates = _rate_table(results)
    if rates.row_count:
        console.print(rates)


def _claim_table(results: Sequence[Result], title: str) -> Table:
    table = Table(title=title)
    table.add_column("row", no_wrap=True)
    table.add_column("work")
    for name in ("measured", "spread", "floor", "aim"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("")
    for result in results:
        claim = result.claim
        status = f"[{STYLES[result.status]}]{result.status}[/]"
        if not result.values:
            table.add_row(claim.row, _work(result), "", "", *_bounds(claim), status)
            continue
        if result.status == PASSED and claim.reaches_aim(result.value):
            status += "" if claim.aim is None else ", aim"
        spread = f"{_number(min(result.values))}..{_number(max(result.values))}"
        measured = _number(result.value) + claim.unit
        table.add_row(claim.row, _work(result), measured, spread, *_bounds(claim), status)
    return table


def _work(result: Result) -> str:
    return escape("\n".join(filter(None, (result.claim.title, result.note))))


def _rate_table(results: Sequence[Result]) -> Table:
    table = Table(title="Rates")
    table.add_column("row", no_wrap=True)
    table.add_column("contender")
    for name in ("games/s", "steps/s", "spread", "ns/step"):
        table.add_column(name, justify="right", no_wrap=True)
    for result in results:
        for number, series in enumerate(result.series):
            rates = series.steps_per_second()
            games = statistics.median(series.games_per_second())
            table.add_row(
                "" if number else result.claim.row,
                escape(series.name),
                _rate(games),
                _rate(series.median),
                f"{_rate(min(rates))}..{_rate(max(rates))}",
                f"{series.ns_per_step:,.1f}",
            )
    return table


def _bounds(claim: Claim) -> tuple[str, str]:
    sign = "≤" if claim.is_upper else "≥"
    aim = "" if claim.aim is None else f"{sign} {claim.aim:g}"
    return f"{sign} {claim.floor:g}", aim


# --- layers ----------------------------------------------------------------------------------


def print_speeds(measured: Measured) -> None:
    """A table for each layer, whole games per second first, and what was left out."""
    console = _console()
    for layer, meaning in MEANINGS.items():
        figures = [one for one in measured.figures if one.layer == layer]
        if not figures:
            continue
        if layer in SPEED_LAYERS:
            console.print(_speed_table(figures, f"{layer}: {meaning}"))
        else:
            console.print(_cost_table(figures, f"{layer}: {meaning}"))
    for reason, names in measured.skipped.items():
        text = f"skipped {len(names)} rows: {reason} ({names[0]}{' ...' if names[1:] else ''})"
        console.print(text, style=STYLES[SKIPPED], highlight=False, markup=False)


def _speed_table(figures: Sequence[Figure], title: str) -> Table:
    table = Table(title=title)
    table.add_column("game", no_wrap=True)
    table.add_column("players", justify="right")
    table.add_column("contender")
    headings = ("batch", "threads", "rollouts/s", "steps/s", "spread", "ns/step", "÷ calibrator")
    for name in headings:
        table.add_column(name, justify="right", no_wrap=True)
    for one in figures:
        table.add_row(
            one.game,
            f"{one.players}",
            escape(f"{one.library}: {one.variant}"),
            "" if one.batch is None else f"{one.batch:,}",
            f"{one.threads}",
            _rate(statistics.median(one.games_per_second)),
            _rate(one.median),
            f"{_rate(min(one.rounds))}..{_rate(max(one.rounds))}",
            f"{1e9 / one.median:,.1f}",
            f"{statistics.median(one.relative):.2f}" if one.relative else "",
        )
    return table


def _cost_table(figures: Sequence[Figure], title: str) -> Table:
    table = Table(title=title)
    table.add_column("game", no_wrap=True)
    table.add_column("what")
    table.add_column("measured", justify="right", no_wrap=True)
    table.add_column("spread", justify="right", no_wrap=True)
    for one in figures:
        spread = f"{_amount(min(one.rounds))}..{_amount(max(one.rounds))}"
        table.add_row(one.game, one.variant, f"{_amount(one.median)} {one.unit}", spread)
    return table


def print_differences(differences: Sequence[Difference]) -> None:
    """The ratios to an earlier run."""
    table = Table(title="Compared with the earlier run: now ÷ then")
    for name in ("game", "layer", "contender"):
        table.add_column(name)
    for name in ("players", "batch", "threads", "ratio", "by chance"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("")
    for one in differences:
        now = one.now
        verdict = "noise"
        if one.exceeds_noise:
            better = "more" if now.unit == STEPS else "less"
            worse = "less" if now.unit == STEPS else "more"
            verdict = f"[green]{better}[/]" if one.is_better else f"[bold red]{worse}[/]"
        table.add_row(
            now.game,
            now.layer,
            escape(f"{now.library}: {now.variant}"),
            f"{now.players}",
            "" if now.batch is None else f"{now.batch:,}",
            f"{now.threads}",
            f"{one.ratio:.3f}" + ("" if one.is_relative else " *"),
            f"{one.probability:.2g}",
            verdict,
        )
    console = _console()
    console.print(table)
    if any(not one.is_relative for one in differences):
        console.print("* of absolute figures: the machine may have changed too", style="dim")


# --- instructions ----------------------------------------------------------------------------


def print_checks(checks: Sequence[Check]) -> None:
    """Instructions per step beside the stored ones."""
    table = Table(title=f"Instructions per step, at most {MAX_GROWTH:g} times the stored ones")
    table.add_column("work", no_wrap=True)
    for name in ("counted", "stored", "ratio"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("")
    for one in checks:
        status = PASSED if one.holds else FAILED
        table.add_row(
            one.name,
            f"{one.instructions:,.1f}",
            "none" if one.stored is None else f"{one.stored:,.1f}",
            "" if one.growth is None else f"{one.growth:.3f}",
            f"[{STYLES[status]}]{status}[/]",
        )
    _console().print(table)


# --- numbers ---------------------------------------------------------------------------------


def _number(value: float) -> str:
    return f"{value:.2f}" if 0 < value < 100 else f"{value:.0f}"


def _amount(value: float) -> str:
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"


def _rate(value: float) -> str:
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g} {letter}"
    return f"{value:.3g}"
