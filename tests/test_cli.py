"""The command line: every command, wrong use, pipes, and what is compiled beforehand."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tabletop_core import bots, engine
from tabletop_core.cli import main
from tabletop_core.commands.common import parse_options
from tabletop_core.commands.voices import in_columns
from tabletop_core.errors import TabletopError
from tabletop_core.game import Game, Ruleset, find_game, games
from tabletop_core.jit import cache_dir
from tabletop_core.rollouts import random_games, rollouts
from tabletop_core.seat_env import SeatVectorEnv
from tabletop_core.session import Session
from tabletop_core.vector_env import VectorEngine
from tabletop_core.warmup import ENTRY_POINTS, warmup

COMMANDS = [
    "rollouts",
    "play",
    "watch",
    "arena",
    "replay",
    "export",
    "picture",
    "describe",
    "warmup",
    "export-ruleset",
]
TIMES = {"rollouts_per_second", "steps_per_second", "ns_per_step", "seconds"}


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run one command in this process; `answers` come through stdin."""

    def call(*arguments: object, answers: str = "") -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(answers.encode()), "utf-8"))
        code = main([str(argument) for argument in arguments])
        return Outcome(code, *capsys.readouterr())

    return call


def run_process(*arguments: str, answers: str | bytes = "", code: str = "") -> Outcome:
    """Run one command in a process of its own, or `code` followed by it."""
    start = ["-c", code] if code else ["-m", "tabletop_core"]
    data = answers.encode() if isinstance(answers, str) else answers
    result = subprocess.run(
        [sys.executable, *start, *arguments], input=data, capture_output=True, check=False
    )
    out, err = (data.decode(errors="replace") for data in (result.stdout, result.stderr))
    return Outcome(result.returncode, out, err)


def assert_one_line_error(outcome: Outcome, message: str) -> None:
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("error: ")
    assert outcome.err.count("\n") == 1
    assert re.search(message, outcome.err), outcome.err


# --- all commands ----------------------------------------------------------------------------


@pytest.mark.parametrize("module", ["typer", "rich"])
def test_without_the_extra_the_command_line_says_how_to_get_it(module: str) -> None:
    blocked = (
        f"import runpy, sys; sys.modules[{module!r}] = None; "
        "runpy.run_module('tabletop_core', run_name='__main__')"
    )
    outcome = run_process("rollouts", code=blocked)
    assert_one_line_error(outcome, r'pip install "tabletop-envs\[cli\]"')


def test_another_missing_module_is_not_blamed_on_the_extra() -> None:
    blocked = (
        "import sys; sys.modules['tabletop_core.session'] = None; "
        "from tabletop_core.cli import main; main([])"
    )
    outcome = run_process(code=blocked)
    assert outcome.code == 1
    assert "tabletop_core.session" in outcome.err
    assert "tabletop-envs[cli]" not in outcome.err


def test_help_names_every_command(run: Run) -> None:
    outcome = run("--help")
    assert outcome.code == 0
    assert all(command in outcome.out for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(run: Run, command: str) -> None:
    outcome = run(command, "--help")
    assert outcome.code == 0
    assert len(outcome.out.split()) > 40
    assert outcome.err == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["no-such-command"],
        ["rollouts", "--no-such-option"],
        ["rollouts", "--games", "many"],
        ["rollouts", "--seconds", "long"],
        ["play"],
        ["describe"],
        ["export-ruleset"],
        ["describe", "jumpgate", "too", "many"],
    ],
)
def test_wrong_use_ends_with_2(run: Run, arguments: list[str]) -> None:
    outcome = run(*arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("command", ["play", "describe", "export-ruleset"])
def test_an_unknown_game_is_named(run: Run, command: str) -> None:
    outcome = run(command, "chess")
    assert_one_line_error(outcome, f"no game is called 'chess'.*{', '.join(games())}")


@pytest.mark.parametrize("command", ["rollouts", "warmup"])
def test_an_unknown_game_among_others_is_named(run: Run, command: str) -> None:
    outcome = run(command, "--game", next(iter(games())), "--game", "chess")
    assert_one_line_error(outcome, "no game is called 'chess'")


@pytest.mark.parametrize("command", ["describe", "export-ruleset"])
def test_a_wrong_number_of_players_is_explained(run: Run, command: str, game: Game) -> None:
    outcome = run(command, game.id, "--players", game.max_players + 1)
    assert_one_line_error(outcome, f"{game.min_players} to {game.max_players} players")


@pytest.mark.parametrize("command", ["play", "describe", "export-ruleset"])
@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("max_turns", "name=value"),
        ("no_such=1", "no option 'no_such'; its options are .*max_turns"),
        ("=1", "no option ''"),
        ("max_turns=soon", "max_turns=soon: use a whole number or none"),
        ("max_turns=1.5", "max_turns=1.5: use a whole number or none"),
        ("max_turns=0", "max_turns = 0"),
        ("blackhole_limit=none", "blackhole_limit=none: use a whole number"),
        ("mark_optional=maybe", "mark_optional=maybe: use true or false"),
        ("scan_cost=gold", "scan_cost = 'gold'"),
        ("ruleset=/no/such/file", "/no/such/file: there is no such file"),
    ],
)
def test_a_wrong_option_is_explained(run: Run, command: str, option: str, message: str) -> None:
    assert_one_line_error(run(command, "jumpgate", "--option", option), message)


def test_an_option_given_twice_is_refused(run: Run) -> None:
    twice = ["--option", "max_turns=5", "--option", "max_turns=6"]
    assert_one_line_error(run("describe", "jumpgate", *twice), "max_turns is given twice")


def test_options_are_read_by_their_types() -> None:
    texts = ["max_turns=12", "mark_optional=No", "redeal_fame=TRUE", "scan_cost=free"]
    assert parse_options(find_game("jumpgate"), texts) == {
        "max_turns": 12,
        "mark_optional": False,
        "redeal_fame": True,
        "scan_cost": "free",
    }
    assert parse_options(find_game("jumpgate"), ["max_turns=None", "ruleset=a=b"]) == {
        "max_turns": None,
        "ruleset": "a=b",
    }
    assert parse_options(find_game("jumpgate"), None) == {}


def test_names_work_with_and_without_version(run: Run, game: Game) -> None:
    assert run("describe", game.name) == run("describe", game.id)


# --- rollouts --------------------------------------------------------------------------------


def rows_of(outcome: Outcome) -> list[dict[str, Any]]:
    assert outcome.code == 0, outcome.err
    assert outcome.err == ""
    rows: list[dict[str, Any]] = json.loads(outcome.out)["rows"]
    return rows


def untimed(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: row[name] for name in row.keys() - TIMES} for row in rows]


def test_rollouts_play_every_game_at_every_number_of_players(run: Run) -> None:
    rows = rows_of(run("rollouts", "--games", 5, "--json"))
    expected = [
        (name, players)
        for name, game in games().items()
        for players in range(game.min_players, game.max_players + 1)
    ]
    assert [(row["game"], row["players"]) for row in rows] == expected
    for row in rows:
        assert row["games"] == 5
        assert sum(row["end_shares"].values()) == pytest.approx(1)
        assert all(row[name] > 0 for name in TIMES)
        assert len(row["wins"]) == row["players"]


def test_rollouts_are_those_of_the_python_function(run: Run, game: Game) -> None:
    (row,) = rows_of(
        run(
            "rollouts",
            "--game",
            game.id,
            "--players",
            game.min_players,
            "--games",
            20,
            "--seed",
            3,
            "--json",
        )
    )
    expected = rollouts(game.ruleset(), 20, seed=3)
    assert row["steps"] == expected.num_steps
    assert row["turns"] == expected.num_turns
    assert row["mean_length"] == expected.mean_length
    assert row["end_shares"] == expected.end_shares
    assert row["wins"] == list(expected.wins)


def test_rollouts_depend_on_the_seed_alone(run: Run) -> None:
    first = untimed(rows_of(run("rollouts", "--games", 30, "--seed", 9, "--json")))
    threaded = ["--threads", 3, "--json"]
    assert first == untimed(rows_of(run("rollouts", "--games", 30, "--seed", 9, *threaded)))
    assert first != untimed(rows_of(run("rollouts", "--games", 30, "--seed", 8, "--json")))


def test_rollouts_run_for_a_time(run: Run, game: Game) -> None:
    (row,) = rows_of(
        run(
            "rollouts",
            "--game",
            game.id,
            "--players",
            game.max_players,
            "--seconds",
            0.05,
            "--json",
        )
    )
    assert row["seconds"] >= 0.05


def test_rollouts_print_a_table(run: Run) -> None:
    outcome = run("rollouts", "--games", 5, "--seed", 1)
    assert outcome.code == 0
    assert outcome.err == ""
    heading = next(line for line in outcome.out.splitlines() if "rollouts/s" in line)
    columns = ["game", "players", "rollouts/s", "steps/s", "ns/step", "length", "ended by"]
    places = [heading.index(column) for column in columns]
    assert places == sorted(places)
    for name, game in games().items():
        numbers = re.findall(rf"^ *{name} +(\d+) ", outcome.out, re.MULTILINE)
        assert numbers == [str(n) for n in range(game.min_players, game.max_players + 1)]
        assert any(reason in outcome.out for reason in game.end_reasons)
    assert "\x1b" not in outcome.out


def test_a_game_asked_for_twice_is_played_once(run: Run, game: Game) -> None:
    named = ["--game", game.id, "--game", game.name, "--players", game.min_players]
    assert len(rows_of(run("rollouts", *named, "--games", 1, "--json"))) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--games", 0], "num_games must be"),
        (["--games", -3], "num_games must be"),
        (["--seconds", 0], "seconds must be"),
        (["--seconds", "nan"], "seconds must be"),
        (["--seconds", "inf"], "seconds must be"),
        (["--games", 1, "--seconds", 1], "either --games or --seconds"),
        (["--games", 1, "--threads", 0], "threads must be"),
        (["--games", 1, "--seed", -1], "seed must be"),
        (["--games", 1, "--seed", 2**64], "seed must be"),
        (["--games", 1, "--players", 99], "no installed game is for 99 players"),
        (["--games", 1, "--players", 99, "--game", "jumpgate"], "2 to 5 players"),
    ],
)
def test_wrong_rollouts_are_explained(run: Run, arguments: list[Any], message: str) -> None:
    assert_one_line_error(run("rollouts", *arguments), message)


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_progress_goes_to_stderr_if_it_is_a_terminal() -> None:
    import pty

    screen, terminal = pty.openpty()
    arguments = ["rollouts", "--game", "jumpgate", "--games", "50", "--json"]
    command = [sys.executable, "-m", "tabletop_core", *arguments]
    env = {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal, env=env) as process:
        os.close(terminal)
        shown = read_all(screen)
        assert process.stdout is not None
        rows = json.loads(process.stdout.read())["rows"]
    assert process.returncode == 0
    assert "compiling kernels (once)" in shown
    assert f"{rows[0]['game']}, {rows[0]['players']} players" in shown


def read_all(screen: int) -> str:
    """What is written to a pseudo-terminal until its other end is closed (then Linux says EIO)."""
    data = b""
    with contextlib.suppress(OSError):
        while chunk := os.read(screen, 4096):
            data += chunk
    os.close(screen)
    return data.decode()


def test_a_reader_that_goes_away_is_no_error() -> None:
    script = (
        "import subprocess, sys\n"
        "command = [sys.executable, '-m', 'tabletop_core', 'describe', 'jumpgate']\n"
        "process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)\n"
        "process.stdout.close()\n"
        "sys.stderr.write(process.stderr.read().decode())\n"
        "sys.exit(process.wait())\n"
    )
    outcome = run_process(code=script)
    assert outcome.code in (0, 1)
    assert outcome.err == ""


# --- describe --------------------------------------------------------------------------------


def test_describe_as_json_is_the_description(run: Run, game: Game) -> None:
    outcome = run("describe", game.id, "--json")
    assert outcome.code == 0
    assert outcome.err == ""
    data = json.loads(outcome.out)
    assert data["game"] == game.id
    assert data["num_actions"] == game.actions.count
    assert data["actions"][-1]["last"] == game.actions.count - 1
    for row in data["actions"]:
        assert row["first"] == game.actions.first(row["name"])
        assert row["last"] - row["first"] + 1 == row["count"]
    assert data["observation_size"] == game.observation.size
    assert data["observation"][-1]["end"] == game.observation.size
    for row in data["observation"]:
        assert row["first"] == game.observation.first(row["name"])
        assert row["end"] - row["first"] == int(np.prod(row["shape"]))
        assert row["meaning"]
    assert {row["name"] for row in data["options"]} == set(game.option_meanings)
    assert all(row["meaning"] and row["value"] == row["default"] for row in data["options"])
    assert data["end_reasons"] == [*game.end_reasons, "max_turns"]
    assert data["players"]["min"] == game.min_players
    assert data["players"]["max"] == game.max_players
    assert data["ruleset_digest"] == f"{game.ruleset().digest:016x}"


def test_describe_as_text_names_everything(run: Run, game: Game) -> None:
    outcome = run("describe", game.id)
    assert outcome.code == 0
    assert outcome.err == ""
    names = [block.name for block in game.actions.blocks]
    names += [field.name for field in game.observation.fields]
    names += [*game.option_meanings, *game.end_reasons, *game.prompts, game.title, game.module]
    for name in names:
        assert name in outcome.out
    for block in game.actions.blocks:
        assert block.meaning in outcome.out
    assert "\x1b" not in outcome.out


def test_describe_tells_options_values_and_sources(run: Run) -> None:
    text = run("describe", "jumpgate").out
    assert "scan_cost=match" in text
    assert 'values: "match", "any_card", "free"' in text
    assert "source: assumed" in text
    sources = json.loads(run("describe", "jumpgate", "--json").out)["sources"]
    assert {"planets", "navigation", "resources"} <= set(sources)
    assert all(sources.values())


def test_describe_shows_the_chosen_ruleset(run: Run) -> None:
    options = ["--option", "scan_cost=free", "--players", 4]
    data = json.loads(run("describe", "jumpgate", *options, "--json").out)
    (row,) = [row for row in data["options"] if row["name"] == "scan_cost"]
    assert (row["value"], row["default"]) == ("free", "match")
    ruleset = find_game("jumpgate").ruleset(4, scan_cost="free")
    assert data["ruleset_digest"] == f"{ruleset.digest:016x}"
    assert "scan_cost=free" in run("describe", "jumpgate", *options).out
    assert "default: match" in run("describe", "jumpgate", *options).out


# --- export-ruleset --------------------------------------------------------------------------


def test_an_exported_ruleset_is_the_game_itself(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "my.ruleset"
    outcome = run("export-ruleset", "jumpgate", path)
    assert outcome.code == 0
    assert str(path) in outcome.out
    game = find_game("jumpgate")
    assert game.ruleset(3, ruleset=str(path)).digest == game.ruleset(3).digest


def test_a_ruleset_goes_to_stdout_without_a_path(run: Run, game: Game, tmp_path: Path) -> None:
    path = tmp_path / "my.ruleset"
    run("export-ruleset", game.id, path)
    assert run("export-ruleset", game.id).out == path.read_text("utf-8")
    assert run("export-ruleset", game.id, "-").out == path.read_text("utf-8")


def test_an_exported_ruleset_follows_the_options(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "my.ruleset"
    assert run("export-ruleset", "jumpgate", path, "--option", "deck=eights").code == 0
    game = find_game("jumpgate")
    assert game.ruleset(ruleset=str(path)).digest == game.ruleset(deck="eights").digest


def test_no_file_is_ever_replaced(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "my.ruleset"
    path.write_text("precious", "utf-8")
    assert_one_line_error(run("export-ruleset", "jumpgate", path), "exists already")
    assert path.read_text("utf-8") == "precious"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_written_is_explained(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "no" / "such" / "folder" / "my.ruleset"
    assert_one_line_error(run("export-ruleset", "jumpgate", path), "cannot be written")


def test_every_violation_of_a_users_file_is_listed(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "my.ruleset"
    run("export-ruleset", "jumpgate", path)
    text = path.read_text("utf-8").replace("\nP01,", "\nP99,").replace("\nN01,", "\nN02,")
    path.write_text(text, "utf-8")
    outcome = run("play", "jumpgate", "--option", f"ruleset={path}")
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith(f"error: {path} has ")
    assert outcome.err.count(f"{path}:") >= 2
    assert "Traceback" not in outcome.err


# --- play ------------------------------------------------------------------------------------


def test_a_game_is_played_to_its_end(run: Run) -> None:
    options = ["--seed", 5, "--option", "max_turns=6"]
    outcome = run("play", "jumpgate", *options, answers="1\n" * 100)
    assert outcome.code == 0
    assert outcome.err == ""
    assert "The game is over (max_turns)" in outcome.out
    assert re.search(r"^player 0 \(human\): -?\d+", outcome.out, re.MULTILINE)
    assert re.search(r"^player 1 \(random\): -?\d+", outcome.out, re.MULTILINE)
    assert outcome.out.count("player 0> 1\n") >= 3
    assert "\x1b" not in outcome.out


def test_a_game_is_the_same_for_the_same_seed(run: Run) -> None:
    options = ["--players", "human,random,random", "--option", "max_turns=9"]
    played = [
        run("play", "jumpgate", "--seed", seed, *options, answers="1\n" * 100).out
        for seed in (5, 5, 6)
    ]
    assert played[0] == played[1] != played[2]


def test_without_a_seed_the_game_tells_its_own(run: Run) -> None:
    first = run("play", "jumpgate", answers="quit\n").out
    seed = re.search(r"seed (\d+)", first)
    assert seed is not None
    assert run("play", "jumpgate", "--seed", seed[1], answers="quit\n").out == first


def test_bots_play_among_themselves(run: Run, game: Game) -> None:
    seats = ",".join(["random"] * game.max_players)
    outcome = run("play", game.id, "--players", seats, "--seed", 1)
    assert outcome.code == 0
    assert "The game is over" in outcome.out
    assert "Answer with" not in outcome.out


def test_people_see_what_their_seat_sees(run: Run) -> None:
    outcome = run("play", "jumpgate", "--seed", 5, answers="")
    session = Session(find_game("jumpgate").ruleset(2))
    session.reset(5)
    assert session.render(0) != session.render()
    people = run("play", "jumpgate", "--players", "human,human", "--seed", 5, answers="")
    assert session.render(session.current_player) in people.out
    assert session.render() not in people.out
    assert outcome.code == people.code == 1


def test_actions_are_named_by_number_or_text(run: Run, game: Game) -> None:
    people = ["--players", ",".join(["human"] * game.min_players), "--seed", 5]
    session = Session(game.ruleset())
    session.reset(5)
    legal = session.legal_actions()
    words = session.action_to_string(legal[-1])
    moved = f"player {session.current_player}: {words}\n"
    for answer in (f"{len(legal)}", words, words.upper(), f"  {words}  "):
        assert moved in run("play", game.id, *people, answers=f"{answer}\nquit\n").out


def test_a_wrong_answer_is_explained_and_asked_again(run: Run) -> None:
    people = ["--players", "human,human", "--seed", 5]
    answers = "0\n99\n" + "9" * 5000 + "\nnonsense\nscan\nspend N01\n1\n"
    outcome = run("play", "jumpgate", *people, answers=answers)
    assert outcome.out.count("There is no number") == 3
    assert "'nonsense' is not an action" in outcome.out
    assert "may not play 'scan'" in outcome.out
    assert re.search(r"^player \d: pass$", outcome.out, re.MULTILINE)


def test_help_and_empty_lines(run: Run) -> None:
    people = ["--players", "human,human", "--seed", 5]
    plain = run("play", "jumpgate", *people, answers="quit\n").out
    helped = run("play", "jumpgate", *people, answers="help\nquit\n").out
    assert helped.count("Answer with the number") == plain.count("Answer with the number") + 1
    again = run("play", "jumpgate", *people, answers="\nquit\n").out
    assert again.count("Black Hole") == plain.count("Black Hole") + 1


def test_quitting_is_no_error(run: Run, game: Game) -> None:
    outcome = run("play", game.id, answers="quit\n")
    assert outcome.code == 0
    assert outcome.out.endswith("You left the game.\n")


def test_the_end_of_the_input_is_told(run: Run, game: Game) -> None:
    outcome = run("play", game.id, answers="")
    assert outcome.code == 1
    assert outcome.out.endswith("\nThe input ended before the game was over.\n")
    assert outcome.err == ""


def test_an_answer_need_not_end_with_a_line_feed(run: Run, game: Game) -> None:
    assert run("play", game.id, answers="quit").code == 0


def test_playing_through_pipes() -> None:
    options = ["--seed", "5", "--option", "max_turns=6"]
    outcome = run_process("play", "jumpgate", *options, answers="1\n" * 100)
    assert (outcome.code, outcome.err) == (0, "")
    assert "The game is over (max_turns)" in outcome.out
    outcome = run_process("play", "jumpgate", answers=b"\xff\xfe\x00\n\xe2\x82\nquit\n")
    assert (outcome.code, outcome.err) == (0, "")
    assert "is not an action" in outcome.out


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_any_answer_in_any_encoding(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    outcome = run_process("play", "jumpgate", "--seed", "5", answers="mülltonne ☃\nquit\n")
    assert (outcome.code, outcome.err) == (0, "")


@pytest.mark.parametrize(
    ("seats", "message"),
    [
        ("human", "num_players=1 is not possible"),
        (",".join(["random"] * 6), "num_players=6 is not possible"),
        ("human,deep-thought", "'deep-thought' is not available; each seat is human or a bot"),
        ("human,", "'' is not available"),
        ("", "'' is not available"),
    ],
)
def test_wrong_seats_are_explained(run: Run, seats: str, message: str) -> None:
    assert_one_line_error(run("play", "jumpgate", "--players", seats), message)


def test_a_wrong_seed_is_explained(run: Run) -> None:
    assert_one_line_error(run("play", "jumpgate", "--seed", 2**64), "seed must be")


def test_columns_hold_every_cell_once() -> None:
    for count in range(1, 60):
        cells = [f"cell{k}" for k in range(count)]
        lines = in_columns(cells)
        assert sorted(" ".join(lines).split()) == sorted(cells)
        assert lines[0].startswith("cell0")
    assert in_columns(["x" * 500, "y"]) == ["x" * 500, "y"]


# --- warmup ----------------------------------------------------------------------------------

# Kernels that only other kernels call.
HELPERS = {"start", "settle", "advance", "rule_action"}

needs_compiler = pytest.mark.skipif(
    not hasattr(engine.reset_one, "signatures"), reason="interpreted"
)


def own_kernels(module: Any) -> dict[str, Any]:
    """The kernels that a module defines, without those that are part of their callers."""
    return {
        name: value
        for name, value in vars(module).items()
        if hasattr(value, "signatures")
        and value.__module__ == module.__name__
        and not value.targetoptions.get("forceinline")
    }


@needs_compiler
@pytest.mark.parametrize("module", [engine, bots], ids=lambda module: module.__name__)
def test_every_entry_point_is_warmed_up(module: Any) -> None:
    listed = {name for name, kernel in ENTRY_POINTS.items() if kernel.__module__ == module.__name__}
    assert listed == own_kernels(module).keys() - HELPERS


@needs_compiler
def test_nothing_is_left_to_compile_for_views(game: Game) -> None:
    warmup(game)
    before = {name: list(kernel.signatures) for name, kernel in ENTRY_POINTS.items()}
    ruleset = game.ruleset(game.max_players)
    use_one_game(Session(ruleset))
    use_many_games(ruleset)
    assert before == {name: list(kernel.signatures) for name, kernel in ENTRY_POINTS.items()}


def use_one_game(session: Session) -> None:
    session.reset(1)
    for _ in range(3):
        session.step(session.legal_actions()[0])
        session.observe(0)
    bots.sample_legal(session.legal_action_mask(session.current_player))
    session.determinize(1, seed=3)
    session.restore(session.clone().serialize())
    while not session.is_over:
        session.step(session.legal_actions()[-1])
    session.result()
    session.rewards()


def use_many_games(ruleset: Ruleset) -> None:
    random_games(ruleset, 5, threads=2)
    for observations in (True, False):
        engine_view = VectorEngine(ruleset, 4, observations=observations)
        engine_view.reset(seed=1)
        engine_view.step(engine_view.sample_actions())
        engine_view.rollout(50)
        engine_view.play_games(3)
        engine_view.determinize(0, seed=2)
    seat_view = SeatVectorEnv(ruleset, 4)
    observation, _ = seat_view.reset(seed=1)
    seat_view.step(observation["action_mask"].argmax(axis=1))


COUNT_COMPILATIONS = """
import sys
from numba.core import event
from tabletop_core.cli import main
with event.install_recorder("numba:compile") as recorder:
    code = main(sys.argv[1:])
sys.stderr.write(f"{len(recorder.buffer)} events, exit code {code}")
"""


@needs_compiler
@pytest.mark.parametrize("processes", ["1", "2"])
def test_warmup_leaves_everything_in_the_cache(game: Game, processes: str) -> None:
    outcome = run_process("warmup", "--game", game.id, "--processes", processes)
    assert (outcome.code, outcome.err) == (0, "")
    assert game.id in outcome.out
    assert str(cache_dir()) in outcome.out
    for command in (["warmup", "--processes", "1"], ["rollouts", "--games", "1"]):
        outcome = run_process(*command, "--game", game.id, code=COUNT_COMPILATIONS)
        assert outcome.err == "0 events, exit code 0"


@needs_compiler
@pytest.mark.long
def test_two_processes_fill_an_empty_cache(game: Game, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    names, compiled = [], []
    for processes in ("2", "1"):
        code = (
            f"import os; os.environ['NUMBA_CACHE_DIR'] = {str(folder)!r}\n"
            f"if __name__ == '__main__':\n{textwrap.indent(COUNT_COMPILATIONS, '    ')}"
        )
        path = tmp_path / "warm.py"
        path.write_text(code, "utf-8")
        command = [sys.executable, str(path), "warmup", "--game", game.id, "--processes", processes]
        compiled.append(subprocess.run(command, capture_output=True, text=True, check=True).stderr)
        names.append({file.name for file in folder.rglob("*.kernel")})
    assert compiled[1] == "0 events, exit code 0"
    assert names[0] == names[1]
    assert len(names[0]) > len(ENTRY_POINTS)


@pytest.mark.parametrize("processes", ["0", "-1", "1000"])
def test_a_wrong_number_of_processes_is_explained(run: Run, processes: str) -> None:
    assert_one_line_error(run("warmup", "--processes", processes), "--processes is a whole number")


@needs_compiler
def test_warmup_without_a_place_for_the_cache_says_so(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tabletop_core.commands.warmup.cache_dir", lambda: None)
    assert_one_line_error(run("warmup"), "set NUMBA_CACHE_DIR")


def test_interpreted_kernels_need_no_warmup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    outcome = run_process("warmup")
    assert (outcome.code, outcome.err) == (0, "")
    assert "nothing to compile" in outcome.out


def test_errors_are_those_of_the_package() -> None:
    with pytest.raises(TabletopError, match="name=value"):
        parse_options(find_game("jumpgate"), ["x"])
