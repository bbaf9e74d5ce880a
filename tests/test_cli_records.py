"""The commands that write, show and check games: play, watch, replay, export."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from test_cli import Outcome, Run, assert_one_line_error, read_all, run, run_process

from tabletop_core.game import Game, find_game
from tabletop_core.record import (
    GameRecord,
    parse_record,
    read_records,
    to_line,
    view_record,
    write_records,
)
from tabletop_core.rollouts import random_records
from tabletop_core.session import Session

__all__ = ["run"]  # the fixture

SHORT = ["--option", "max_turns=4"]
PEOPLE = ["--players", "human,human", "--seed", 5]


def records_of(path: Path) -> list[GameRecord]:
    records = list(read_records(path))
    assert all(isinstance(record, GameRecord) for record in records)
    return records  # type: ignore[return-value]


def lines_of(outcome: Outcome) -> list[dict[str, Any]]:
    assert outcome.err == ""
    return [json.loads(line) for line in outcome.out.splitlines()]


def short_records(path: Path, count: int = 3) -> list[GameRecord]:
    records = list(random_records(find_game("junkorbit").ruleset(2, max_turns=4), count, seed=1))
    write_records(path, records)
    return records


# --- play ------------------------------------------------------------------------------------


def test_actions_are_listed_by_kind(run: Run) -> None:
    out = run("play", "jumpgate", *PEOPLE, answers="quit\n").out
    kinds = re.findall(r"^(pass|fly|jump|research) +\d+ ", out, re.MULTILINE)
    assert kinds == ["pass", "jump", "research"]


def test_the_beginning_of_an_action_is_enough_if_it_is_the_only_one(run: Run) -> None:
    outcome = run("play", "jumpgate", *PEOPLE, answers="jump to\nRES\nquit\n")
    assert re.search(r"'jump to' can mean 'jump to P\d+', 'jump to", outcome.out)
    assert re.search(r"^player \d: research$", outcome.out, re.MULTILINE)


def test_undo_takes_a_decision_back(run: Run) -> None:
    """Bots and cards come as before, and the record knows nothing of it."""
    options = ["--players", "human,random", "--seed", 5, *SHORT]
    plain = run("play", "jumpgate", *options, answers="1\n" * 40)
    taken_back = run("play", "jumpgate", *options, answers="undo\n8\n\nundo\n" + "1\n" * 40)
    assert taken_back.out.count("There is nothing to take back.") == 1
    assert taken_back.out.count("Your last decision is taken back.") == 1
    assert plain.out.splitlines()[-12:] == taken_back.out.splitlines()[-12:]
    assert (plain.code, taken_back.code) == (0, 0)


def test_a_hint_names_an_action_and_changes_nothing(run: Run) -> None:
    options = ["--players", "human,random", "--seed", 5, *SHORT]
    plain = run("play", "jumpgate", *options, answers="1\n" * 40)
    hinted = run("play", "jumpgate", *options, answers="hint random\nhint no-bot\n" + "1\n" * 40)
    assert re.search(r"^random would play \d+: \w+", hinted.out, re.MULTILINE)
    assert "the bot 'no-bot' is not available" in hinted.out
    assert hinted.out.endswith(plain.out[-400:])


def test_the_log_tells_what_was_played(run: Run) -> None:
    out = run("play", "jumpgate", *PEOPLE, answers="1\nlog\nquit\n").out
    assert out.count("player 1: pass\n") == 2


def test_a_game_is_saved_and_recorded(run: Run, tmp_path: Path) -> None:
    saved, whole = tmp_path / "saved.jsonl", tmp_path / "whole.jsonl"
    answers = f"1\nsave {saved}\nsave {saved}\nsave\n" + "1\n" * 40
    options = ["--record", whole, "--seed", 5, *SHORT]
    outcome = run("play", "jumpgate", *options, answers=answers)
    assert outcome.code == 0
    assert f"The game so far is in {saved}" in outcome.out
    assert "exists already" in outcome.out
    assert "save needs the name of a new file" in outcome.out
    (part,), (game,) = records_of(saved), records_of(whole)
    assert game.decisions[: len(part.decisions)] == part.decisions
    assert part.result is None
    assert game.result is not None
    assert game.players == ("human", "random")
    assert run("replay", whole).code == run("replay", saved).code == 0
    assert_one_line_error(run("play", "jumpgate", *options), "exists already")
    assert run("play", "jumpgate", *options, "--force", answers="quit\n").code == 0
    assert records_of(whole)[0].result is None


def test_several_people_see_only_their_own_seats(run: Run) -> None:
    """Each is shown what they may know, when it is their turn."""
    out = run("play", "jumpgate", *PEOPLE, answers="1\n1\n1\nquit\n").out
    pictures = re.split(r"^Jump Gate, turn ", out, flags=re.MULTILINE)[1:]
    assert len(pictures) == 4
    for picture in pictures:
        mover = re.search(r"player (\d)", picture)
        assert mover is not None
        other = 1 - int(mover[1])
        assert re.search(rf"^player {mover[1]} .* N\d\d ", picture, re.MULTILINE)
        assert re.search(rf"^player {other} .* 5 cards ", picture, re.MULTILINE)


def test_programs_play_through_lines_of_json(run: Run) -> None:
    outcome = run("play", "jumpgate", "--json", *PEOPLE, *SHORT, answers="nonsense\n" + "1\n" * 40)
    events = lines_of(outcome)
    assert outcome.code == 0
    assert events[0] == {
        "event": "begin",
        "game": "jumpgate_v0",
        "seats": ["human", "human"],
        "seed": 5,
    }
    assert [event["event"] for event in events[1:4]] == ["position", "ask", "note"]
    first = events[1]
    assert first["legal"][0] == {"number": 1, "action": 0, "kind": "pass", "words": "pass"}
    session = Session(find_game("jumpgate").ruleset(2, max_turns=4))
    session.reset(5)
    assert first["view"] == json.loads(json.dumps(session.to_json(session.current_player)))
    assert {"event": "played", "player": 1, "words": "pass"} in events
    assert events[-1]["event"] == "result"
    assert events[-1]["reason"] == "max_turns"


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_on_a_terminal_the_screen_is_hidden_between_people() -> None:
    """The second one presses Enter before the table is shown; kinds of actions have a colour."""
    import pty

    screen, terminal = pty.openpty()
    command = [sys.executable, "-m", "tabletop_core", "play", "jumpgate", *map(str, PEOPLE)]
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(command, stdin=terminal, stdout=terminal, env=env) as process:
        os.close(terminal)
        os.write(screen, b"pass\npass\n\nquit\n")
        shown = read_all(screen)
    assert process.returncode == 0
    hidden = shown.index("press Enter when nobody else is looking")
    first, second = shown[:hidden], shown[hidden:]
    assert "player 1> " in first
    assert "player 0> " not in first
    assert "player 0> " in second
    assert "\x1b[2J" in first.rpartition("player 1> ")[2]
    assert re.search(r"\x1b\[[0-9;]*36mpass", shown)


def test_play_through_a_pipe_has_no_colours() -> None:
    outcome = run_process("play", "jumpgate", "--seed", "5", answers="hint random\nundo\nquit\n")
    assert (outcome.code, outcome.err) == (0, "")
    assert "\x1b" not in outcome.out


# --- watch -----------------------------------------------------------------------------------


def test_watch_shows_boards_and_decisions(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    outcome = run("watch", "junkorbit", "--seed", 1, *SHORT, "--record", path)
    assert (outcome.code, outcome.err) == (0, "")
    (record,) = records_of(path)
    for decision in record.decisions:
        assert f"player {decision.player}: {decision.words}\n" in outcome.out
    assert outcome.out.count("Junk Orbit, turn") == 3
    assert "The game is over (max_turns)" in outcome.out
    assert run("watch", "junkorbit", "--seed", 1, *SHORT).out == outcome.out


def test_watch_shows_what_one_player_sees(run: Run) -> None:
    out = run("watch", "jumpgate", "--seed", 1, *SHORT, "--seat", 1).out
    before_the_end = out.partition("Jump Gate, over")[0]
    assert re.search(r"^player 0 .* \d cards? ", before_the_end, re.MULTILINE)
    assert not re.search(r"^player 0 .* N\d\d ", before_the_end, re.MULTILINE)


def test_many_games_are_watched_in_brief(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    options = ["junkorbit", "--games", 3, "--seed", 7, *SHORT]
    outcome = run("watch", *options, "--brief", "--record", path)
    assert [line.partition(":")[0] for line in outcome.out.splitlines()] == [
        "seed 7",
        "seed 8",
        "seed 9",
    ]
    assert run("watch", *options, "--json").out == path.read_text("utf-8")
    assert [record.seed for record in records_of(path)] == [7, 8, 9]


def test_every_game_can_be_watched(run: Run, game: Game) -> None:
    outcome = run("watch", game.id, "--seed", 1, "--option", "max_turns=2", "--json")
    (line,) = outcome.out.splitlines()
    record = parse_record(line)
    assert isinstance(record, GameRecord)
    assert record.rules().game.id == game.id


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--players", "human,random"], "only bots are watched"),
        (["--players", "random,deep-thought"], "'deep-thought' is not available"),
        (["--games", 0], "--games is a whole number from 1 on"),
        (["--pace", -1], "--pace is a time from 0 to 60 seconds"),
        (["--seat", 2], "a player is an integer from 0 to 1"),
    ],
)
def test_wrong_watching_is_explained(run: Run, arguments: list[Any], message: str) -> None:
    assert_one_line_error(run("watch", "jumpgate", *arguments), message)


# --- replay ----------------------------------------------------------------------------------


def test_true_records_are_verified(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    short_records(path)
    outcome = run("replay", path)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith("3 of 3 records are verified.\n")
    assert run("replay", "-", answers=path.read_text()).out == outcome.out


def test_a_record_that_is_not_true_ends_with_1(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    short_records(path)
    path.write_text(path.read_text().replace('"seed":2', '"seed":99'))
    outcome = run("replay", path)
    assert outcome.code == 1
    assert re.search(r"^record 2: .* NOT TRUE: junkorbit_v0: step \d+: ", outcome.out, re.MULTILINE)
    assert "2 of 3 records are verified." in outcome.out
    data = json.loads(run("replay", path, "--json").out)
    assert [row["verified"] for row in data["records"]] == [True, False, True]


def test_what_cannot_be_replayed_ends_with_2(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    short_records(path, 1)
    path.write_text(path.read_text().replace('"version":0', '"version":1'))
    assert_one_line_error(run("replay", path), "is of junkorbit_v1, and junkorbit_v0 is installed")
    path.write_text("{}\n")
    assert_one_line_error(run("replay", path), r"games\.jsonl:1: .* not a record")
    assert_one_line_error(run("replay", tmp_path / "none"), "there is no such file")
    assert_one_line_error(run("replay", "-", answers="{}"), "stdin:1: ")


def test_replay_shows_every_step(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    records = short_records(path, 2)
    outcome = run("replay", path, "--number", 2, "--show")
    assert outcome.out.count("Junk Orbit, ") == len(records[1].decisions) + 1
    for decision in records[1].decisions:
        assert f"player {decision.player}: {decision.words}\n" in outcome.out
    assert "1 of 1 records" in outcome.out
    assert_one_line_error(run("replay", path, "--number", 3), "has no record 3")
    assert_one_line_error(
        run("replay", path, "--show", "--seat", 5), "a player is an integer from 0 to 1"
    )


def test_views_are_shown_but_not_verified(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "views.jsonl"
    (record,) = short_records(tmp_path / "games.jsonl", 1)
    path.write_bytes(to_line(view_record(record, 1)))
    outcome = run("replay", path, "--show")
    assert outcome.code == 0
    assert "view of player 1" in outcome.out
    assert "0 of 1 records are verified." in outcome.out
    assert f"player {record.decisions[0].player}: " in outcome.out


# --- export ----------------------------------------------------------------------------------


def test_records_are_exported(run: Run, tmp_path: Path) -> None:
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    rows = sum(len(record.decisions) for record in short_records(first) + short_records(second))
    table = tmp_path / "games.parquet"
    outcome = run("export", first, second, "-o", table, "--no-observations")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == f"6 games with {rows} decisions are in {table}\n"
    assert pyarrow.parquet.read_table(table).num_rows == rows
    folder = tmp_path / "orbit-v0"
    data = json.loads(
        run("export", first, "-o", folder, "--format", "minari", "--seat", "all", "--json").out
    )
    assert data["games"] == 3
    assert (folder / "data" / "main_data.hdf5").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "games.csv"], "--format is parquet, arrow or minari, not 'csv'"),
        (["-o", "orbit", "--format", "minari", "--seat", "x"], "--seat is the number of a player"),
        (["-o", "games.arrow", "--reward", "luck"], "reward must be one of"),
    ],
)
def test_wrong_exports_are_explained(
    run: Run,
    tmp_path: Path,
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    short_records(tmp_path / "games.jsonl", 1)
    assert_one_line_error(run("export", "games.jsonl", *arguments), message)
    assert [path.name for path in tmp_path.iterdir()] == ["games.jsonl"]


def test_exports_replace_nothing(run: Run, tmp_path: Path) -> None:
    records, table = tmp_path / "games.jsonl", tmp_path / "games.arrow"
    short_records(records, 1)
    table.write_text("precious")
    assert_one_line_error(run("export", records, "-o", table), "exists already")
    assert table.read_text() == "precious"
    assert run("export", records, "-o", table, "--force").code == 0
