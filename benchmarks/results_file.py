"""Results as JSON files that later runs can be compared with."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from tabletop_core.errors import TabletopError

from . import machine
from .measure import Effort
from .rows import Result
from .speeds import Figure, Measured, figure_from_json

FORMAT: Final = 2
RESULTS: Final = Path(__file__).parent / "results"
SPEEDS: Final = "speeds"
ORDER: Final = "interleaved: in each round every contender of a group works once"


def content(
    kind: str, effort: Effort, rows: Sequence[dict[str, Any]], figure: str
) -> dict[str, Any]:
    """A file's content: what was measured, when, where and how.

    kind: `SPEEDS`, or the name of a table of claims. figure: what the number of a row is.
    """
    return {
        "format": FORMAT,
        "kind": kind,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine.describe(),
        "method": {
            "rounds": effort.rounds,
            "seconds": effort.seconds,
            "order": ORDER,
            "figure": figure,
        },
        "rows": list(rows),
    }


def claims_content(kind: str, results: Sequence[Result], effort: Effort) -> dict[str, Any]:
    """The content for a table of claims."""
    rows = [result.to_json() for result in results]
    return content(kind, effort, rows, "median over the rounds of the ratio within a round")


def speeds_content(measured: Measured, effort: Effort) -> dict[str, Any]:
    """The content for speeds by layer."""
    rows = [one.to_json() for one in measured.figures]
    whole = content(SPEEDS, effort, rows, "median over the rounds")
    return {**whole, "skipped": measured.skipped}


def save(content: dict[str, Any], folder: Path = RESULTS) -> Path:
    """Write a new file `<date>-<machine>-<kind>.json`; files that exist are never touched."""
    day = content["time"].partition("T")[0]
    stem = f"{day}-{machine.short_name()}-{content['kind']}"
    return write_new(folder, stem, json.dumps(content, indent=1) + "\n")


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


def read_speeds(path: Path) -> list[Figure]:
    """The figures of a file of speeds.

    Raises:
        TabletopError: it cannot be read, or holds something else.
    """
    try:
        content = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise TabletopError(f"{path}: {error}") from error
    if not isinstance(content, dict) or content.get("kind") != SPEEDS:
        raise TabletopError(f"{path} is no file of speeds, as `python -m benchmarks` writes them")
    return [figure_from_json(row) for row in content["rows"]]
