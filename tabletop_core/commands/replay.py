"""`replay`: records are played again and compared, and shown step by step if asked for."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Annotated, Any, Final

import typer

from ..errors import TabletopError
from ..record import (
    AnyRecord,
    GameRecord,
    RecordMismatch,
    ViewRecord,
    read_records,
    records_of_lines,
)
from ..record import (
    replay as replay_record,
)
from .common import JsonOption, PaceOption, check_pace, new_progress, say, say_json

STDIN: Final = "-"
MISMATCH: Final = 1


def replay(
    path: Annotated[str, typer.Argument(metavar="FILE", help="Records; `-`: stdin.")],
    show: Annotated[
        bool, typer.Option("--show", help="Show the table and every decision.")
    ] = False,
    number: Annotated[
        int | None, typer.Option("--number", metavar="N", help="Only record N of the file.")
    ] = None,
    seat: Annotated[
        int | None,
        typer.Option(metavar="K", help="With --show: what player K sees. Default: everything."),
    ] = None,
    pace: PaceOption = None,
    json: JsonOption = False,
) -> None:
    """Play the games of records again and compare every step, the result and the last position.

    The exit code is 0 if all of them are true, 1 if one is not (the others are still checked), 2 if
    the file cannot be read or a record cannot be played here, for example because it is of another
    version of the game. Records of what one player saw can be shown, but not compared.
    """
    wait = check_pace(pace)
    rows: list[dict[str, Any]] = []
    with new_progress(is_wanted=json or not show) as progress:
        task = progress.add_task("replaying", total=None)
        for k, record in enumerate(_records(path), 1):
            if number in (None, k):
                show_it = show and not json
                rows.append({"number": k, **_outcome(record, show_it, seat, wait)})
                progress.update(task, description=f"replaying: {k} records")
    if number is not None and not rows:
        raise TabletopError(f"{path} has no record {number}")
    if json:
        say_json({"file": path, "records": rows})
    else:
        _tell(rows)
    raise typer.Exit(MISMATCH if any(row["mismatch"] for row in rows) else 0)


def _records(path: str) -> Iterator[AnyRecord]:
    if path == STDIN:
        return records_of_lines(sys.stdin.buffer, "stdin")
    return read_records(path)


def _outcome(record: AnyRecord, show: bool, seat: int | None, wait: float) -> dict[str, Any]:
    """Replay one record; what came of it."""
    mismatch = None
    try:
        if isinstance(record, ViewRecord):
            _show_view(record, show, wait)
        else:
            _replay(record, show, seat, wait)
    except RecordMismatch as error:
        mismatch = str(error)
    return {
        "game": f"{record.game}_v{record.version}",
        "players": record.num_players,
        **_extent(record),
        "result": record.result,
        "verified": isinstance(record, GameRecord) and mismatch is None,
        "mismatch": mismatch,
    }


def _extent(record: AnyRecord) -> dict[str, Any]:
    if isinstance(record, ViewRecord):
        decisions = len(record.positions) - 1
        return {"kind": f"view of player {record.viewer}", "decisions": decisions}
    return {"kind": "game", "decisions": len(record.decisions)}


def _replay(record: GameRecord, show: bool, seat: int | None, wait: float) -> None:
    decisions = iter(record.decisions)
    line = ""
    for session in replay_record(record):
        if not show:
            continue
        viewer = None if seat is None else session.check_player(seat)
        if line:
            say(line)
        _pause(wait)
        say(f"\n{session.render(viewer)}\n")
        decision = next(decisions, None)
        if decision is not None:
            seen = decision.words
            if viewer is not None:
                seen = session.action_seen(decision.action, viewer)
            line = f"player {decision.player}: {seen}"


def _show_view(record: ViewRecord, show: bool, wait: float) -> None:
    for decision, _ in record.positions[1:]:
        if show:
            say(f"player {decision.player}: {decision.words}")
            _pause(wait)


def _pause(wait: float) -> None:
    sys.stdout.flush()
    time.sleep(wait)


def _tell(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        what = f"record {row['number']}: {row['game']}, {row['players']} players, {row['kind']}"
        if row["mismatch"]:
            say(f"{what}: NOT TRUE: {row['mismatch']}")
        elif not row["verified"]:
            say(f"{what}: {row['decisions']} decisions; cannot be replayed")
        else:
            reason = row["result"]["reason"] if row["result"] else "not over"
            say(f"{what}: {row['decisions']} decisions, {reason}: true")
    true = sum(row["verified"] for row in rows)
    say(f"{true} of {len(rows)} records are verified.")
