"""Results as a table for people and as a JSON file that later runs can be compared with."""

from __future__ import annotations

import json
import os
import statistics
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from . import machine
from .measure import Effort
from .rows import FAILED, PASSED, SKIPPED, Claim, Result

RESULTS = Path(__file__).parent / "results"
STYLES = {PASSED: "green", FAILED: "bold red", SKIPPED: "yellow"}
PLAIN_WIDTH = 150  # of the table when it goes to a file


def print_results(results: Sequence[Result], effort: Effort) -> None:
    """The table of ratios, then the rates behind them."""
    console = Console()
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    console.print(_ratio_table(results))
    rates = _rate_table(results)
    if rates.row_count:
        console.print(rates)
    console.print(
        f"Medians (min..max) of {effort.rounds} interleaved rounds, {effort.seconds:g} s for each "
        f"contender. {machine.processor()}, {os.cpu_count()} cores.",
        style="dim",
        highlight=False,
    )


def _ratio_table(results: Sequence[Result]) -> Table:
    table = Table(title="Claims")
    table.add_column("row", no_wrap=True)
    table.add_column("work")
    for name in ("measured", "spread", "floor", "aim"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("")
    for result in results:
        claim = result.claim
        status = f"[{STYLES[result.status]}]{result.status}[/]"
        if not result.values:
            table.add_row(claim.row, _work(result), "", "", "", "", status)
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


def _number(value: float) -> str:
    return f"{value:.2f}" if 0 < value < 100 else f"{value:.0f}"


def _rate(value: float) -> str:
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g} {letter}"
    return f"{value:.3g}"


# --- file ------------------------------------------------------------------------------------


def save_results(results: Sequence[Result], effort: Effort, folder: Path = RESULTS) -> Path:
    """Write a new file `<date>-<machine>.json`; files that exist are never touched."""
    now = datetime.now(UTC)
    content: dict[str, Any] = {
        "format": 1,
        "time": now.isoformat(timespec="seconds"),
        "machine": machine.describe(),
        "method": {
            "rounds": effort.rounds,
            "seconds": effort.seconds,
            "order": "interleaved: in each round every contender of a row once",
            "figure": "median over the rounds of the ratio within a round",
        },
        "rows": [result.to_json() for result in results],
    }
    text = json.dumps(content, indent=1) + "\n"
    return write_new(folder, f"{now:%Y-%m-%d}-{machine.short_name()}", text)


def write_new(folder: Path, stem: str, text: str) -> Path:
    """Write `<stem>.json`, or `<stem>-2.json` and so on if that exists; whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".part", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.chmod(file.name, 0o644)
        number = 1
        while True:
            path = folder / (f"{stem}.json" if number == 1 else f"{stem}-{number}.json")
            try:
                os.link(file.name, path)  # fails if the name is taken
            except FileExistsError:
                number += 1
            else:
                return path
