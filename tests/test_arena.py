"""Leagues of bots: schedules, results that survive a crash, standings, and the command."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import make_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import toy_game

from tabletop_core.arena import (
    GAMES_FILE,
    League,
    LeagueFolder,
    Played,
    play_games,
    standings,
    standings_as_json,
)
from tabletop_core.bots import BOTS
from tabletop_core.cli import main
from tabletop_core.commands import arena as command
from tabletop_core.errors import TabletopError
from tabletop_core.game import Array, find_game

GAME = toy_game.GAME.id


def climb(bots: str = "random,rule", players: int = 2, deals: int = 5, seed: int = 1) -> League:
    return League(toy_game.GAME.ruleset(players), tuple(bots.split(",")), deals, seed)


def first_legal(observation: dict[str, Array], player: int, rng: np.random.Generator) -> int:
    return int(observation["action_mask"].argmax())


def last_legal(observation: dict[str, Array], player: int, rng: np.random.Generator) -> int:
    return int(np.flatnonzero(observation["action_mask"])[-1])


@pytest.fixture(autouse=True)
def more_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots without arguments, under names of their own."""
    for name, bot in (("first", first_legal), ("last", last_legal), ("mute", lambda *seen: -1)):
        monkeypatch.setitem(BOTS, name, _bot_type(bot))


def _bot_type(bot: Any) -> Any:
    namespace = {"__call__": lambda self, *seen: bot(*seen)}
    return make_dataclass("NamedBot", [], namespace=namespace, frozen=True)


# --- schedules -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bots", "players", "lineups"),
    [
        ("random,rule", 2, [(0, 1)]),
        ("random,rule,first", 2, [(0, 1), (0, 2), (1, 2)]),
        ("random,rule,first,last", 3, list(itertools.combinations(range(4), 3))),
        ("random,rule", 3, [(0, 0, 1), (0, 1, 1)]),
        ("random,rule", 4, [(0, 0, 0, 1), (0, 0, 1, 1), (0, 1, 1, 1)]),
    ],
)
def test_every_lineup_plays(bots: str, players: int, lineups: list[tuple[int, ...]]) -> None:
    assert list(climb(bots, players).lineups) == lineups


@pytest.mark.parametrize(("bots", "players"), [("random,rule,first", 2), ("random,rule", 4)])
def test_each_deal_is_played_in_every_rotation(bots: str, players: int) -> None:
    league = climb(bots, players, deals=3, seed=2**64 - 2)
    pairings = list(league.schedule())
    assert [pairing.number for pairing in pairings] == list(range(league.num_games))
    expected = Counter(
        (seed, lineup[turn:] + lineup[:turn])
        for seed in (2**64 - 2, 2**64 - 1, 0)
        for lineup in league.lineups
        for turn in range(players)
    )
    assert Counter((pairing.seed, pairing.seats) for pairing in pairings) == expected
    seats = Counter((seat, bot) for pairing in pairings for seat, bot in enumerate(pairing.seats))
    for bot in range(len(league.bots)):
        assert len({seats[seat, bot] for seat in range(players)}) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bots": "random"}, "at least two bots"),
        ({"bots": "random,random"}, "each named once"),
        ({"bots": "random,deep-thought"}, "'deep-thought' is not available"),
        ({"deals": 0}, "at least one deal"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_bad_leagues_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TabletopError, match=message):
        climb(**arguments)


# --- games -----------------------------------------------------------------------------------


def test_a_game_does_not_depend_on_the_rest_of_the_league() -> None:
    def games(bots: str) -> dict[tuple[int, tuple[str, ...]], Played]:
        return {(game.seed, game.seats): game for game in play_games(climb(bots), {})}

    two, four = games("random,rule"), games("last,rule,first,random")
    assert len(two) == 10
    for key, game in two.items():
        other = four[key]
        assert (game.winners, game.scores, game.length) == (
            other.winners,
            other.scores,
            other.length,
        )
    assert len({game.scores for game in two.values()}) > 3


def test_bots_sit_where_the_schedule_says() -> None:
    """Two bots that draw nothing: with seats exchanged the same hands are played by the other."""
    games = list(play_games(climb("first,last", deals=20), {}))
    for one, other in zip(games[::2], games[1::2]):
        assert (one.seed, one.seats) == (other.seed, other.seats[::-1])
    assert {game.seats for game in games} == {("first", "last"), ("last", "first")}
    assert any(one.scores != other.scores for one, other in zip(games[::2], games[1::2]))


def test_a_bot_that_breaks_the_rules_is_named() -> None:
    with pytest.raises(TabletopError, match="the bot mute is wrong"):
        list(play_games(climb("mute,rule"), {}))


def game_of(winners: tuple[int, ...], scores: tuple[float, ...]) -> Played:
    return Played(0, 0, ("a",) * len(scores), winners, scores, "target", 1)


@pytest.mark.parametrize(
    ("winners", "scores", "groups"),
    [
        ((1,), (3.0, 5.0), [[1], [0]]),
        ((0,), (5.0, 5.0), [[0], [1]]),  # a tie that the rules broke
        ((0, 2), (5.0, 1.0, 5.0), [[0, 2], [1]]),
        ((1,), (2.0, 9.0, 2.0, 4.0), [[1], [3], [0, 2]]),
        ((), (2.0, 9.0), [[0, 1]]),
    ],
)
def test_results_are_ordered(
    winners: tuple[int, ...], scores: tuple[float, ...], groups: list[list[int]]
) -> None:
    assert game_of(winners, scores).groups() == groups


# --- standings -------------------------------------------------------------------------------


def test_standings_count_what_was_played() -> None:
    league = climb("first,last,random", players=3, deals=10)
    games = list(play_games(league, {}))
    rows = {row.bot: row for row in standings(league, games)}
    for bot in league.bots:
        seats = [game.seats.index(bot) for game in games]
        wins = [seat in game.winners and 1 / len(game.winners) for seat, game in zip(seats, games)]
        row = rows[bot]
        assert (row.games, row.wins) == (30, pytest.approx(sum(wins)))
        assert row.win_low < row.win_share == row.wins / 30 < row.win_high
        assert row.mean_score == np.mean([g.scores[seat] for seat, g in zip(seats, games)])
    assert rows["first"].rating == 0
    ratings = [row.rating for row in standings(league, games)]
    assert ratings == sorted(ratings, reverse=True)


def test_bots_with_several_seats_are_counted_for_each() -> None:
    league = climb("first,last", players=3, deals=4)
    rows = standings(league, list(play_games(league, {})))
    assert [row.games for row in rows] == [36, 36]
    assert sum(row.wins for row in rows) == pytest.approx(24)


def test_nothing_played_has_no_standings() -> None:
    with pytest.raises(TabletopError, match="no game has been played"):
        standings(climb(), [])


# --- folders ---------------------------------------------------------------------------------


def play_into(path: Path, league: League, count: int | None = None) -> None:
    folder = LeagueFolder(path)
    folder.begin(league)
    for game in itertools.islice(play_games(league, {}), count):
        folder.append(game)


def test_a_league_goes_on_where_it_was(tmp_path: Path) -> None:
    league = climb("random,rule,first", players=3, deals=4)
    play_into(tmp_path / "whole", league)
    whole = (tmp_path / "whole" / GAMES_FILE).read_bytes()
    for count in (0, 1, 7, 12):
        path = tmp_path / f"cut after {count}"
        play_into(path, league, count)
        if count == 7:
            with open(path / GAMES_FILE, "ab") as stream:
                stream.write(whole[:20])  # a line that was cut off
        folder = LeagueFolder(path)
        finished = folder.resume(league)
        assert sorted(finished) == list(range(count))
        for game in play_games(league, finished):
            folder.append(game)
        assert (path / GAMES_FILE).read_bytes() == whole
        assert len(folder.resume(league)) == league.num_games


def test_a_folder_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "league"
    play_into(path, climb(), 3)
    (path / "notes.txt").write_text("mine")
    before = {file.name: file.read_bytes() for file in path.iterdir()}
    with pytest.raises(TabletopError, match="league exists already"):
        LeagueFolder(path).begin(climb())
    assert {file.name: file.read_bytes() for file in path.iterdir()} == before
    LeagueFolder(path).begin(climb(seed=2), force=True)
    assert LeagueFolder(path).resume(climb(seed=2)) == {}
    assert (path / "notes.txt").read_text() == "mine"


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("mine")
    for force in (False, True):
        with pytest.raises(TabletopError, match="file (exists already|cannot be used)"):
            LeagueFolder(path).begin(climb(), force)
    with pytest.raises(TabletopError, match="file cannot be read"):
        LeagueFolder(path).resume(climb())
    assert path.read_text() == "mine"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 2}, "another league: seed 1 there, 2 here"),
        ({"deals": 6}, "deals 5 there, 6 here"),
        ({"bots": "rule,random"}, "bots .* there, .* here"),
        ({"players": 3}, "players 2 there, 3 here"),
    ],
)
def test_another_league_does_not_go_on(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    play_into(tmp_path / "league", climb(), 3)
    with pytest.raises(TabletopError, match=message):
        LeagueFolder(tmp_path / "league").resume(climb(**changes))


def test_nothing_to_resume(tmp_path: Path) -> None:
    with pytest.raises(TabletopError, match="holds no league"):
        LeagueFolder(tmp_path).resume(climb())


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: [lines[0], *lines],
        lambda lines: [b"{}", *lines],
        lambda lines: [b"nonsense", *lines],
        lambda lines: [b"[]", *lines],
        lambda lines: [lines[0].replace(b'"winners": [', b'"winners": [7, '), *lines[1:]],
        lambda lines: [lines[0].replace(b'"seed": 1', b'"seed": 2'), *lines[1:]],
        lambda lines: [lines[0].replace(b"rule", b"role"), *lines[1:]],
        lambda lines: [lines[0].replace(b'"scores": [', b'"scores": [null, '), *lines[1:]],
        lambda lines: [lines[0].replace(b'"number": 0', b'"number": 99'), *lines[1:]],
        lambda lines: [lines[0].replace(b'"number": 0', b'"number": []'), *lines[1:]],
    ],
)
def test_damaged_results_are_refused(tmp_path: Path, change: Any) -> None:
    path = tmp_path / "league"
    play_into(path, climb(), 3)
    lines = (path / GAMES_FILE).read_bytes().splitlines()
    changed = change(lines)
    assert changed != lines
    (path / GAMES_FILE).write_bytes(b"\n".join(changed) + b"\n")
    with pytest.raises(TabletopError, match=r"line \d of games.jsonl is no game of this league"):
        LeagueFolder(path).resume(climb())


def test_a_killed_process_loses_nothing(tmp_path: Path) -> None:
    """Killed in the middle of a league, which then goes on to the same results."""
    path = tmp_path / "league"
    options = ["junkorbit", "--games", "8", "--option", "max_turns=8", "--out", str(path)]
    process = subprocess.Popen(
        [sys.executable, "-m", "tabletop_core", "arena", *options],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    games = path / GAMES_FILE
    while process.poll() is None and not (games.exists() and games.read_bytes().count(b"\n") > 1):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert main(["arena", *options, "--resume", "--json"]) == 0
    league = League(find_game("junkorbit").ruleset(2, max_turns=8), ("random", "rule"), 4, 0)
    play_into(tmp_path / "whole", league)
    assert games.read_bytes() == (tmp_path / "whole" / GAMES_FILE).read_bytes()


# --- the command -----------------------------------------------------------------------------


def test_the_command_plays_and_tells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "league")
    command_line = ["arena", GAME, "--bots", "random,rule,first", "--games", "7", "--out", out]
    assert main(command_line) == 0
    text = capsys.readouterr().out
    assert all(bot in text for bot in ("random", "rule", "first"))
    assert "24 games" in text  # three line-ups of four deals in two rotations
    assert main([*command_line, "--resume", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data == json.loads((tmp_path / "league" / "standings.json").read_bytes())
    league = climb("random,rule,first", deals=4, seed=0)
    assert data == standings_as_json(league, list(play_games(league, {})))
    assert main(command_line) == 2
    assert "exists already" in capsys.readouterr().err
    assert main([*command_line, "--force"]) == 0


def test_the_command_draws(tmp_path: Path) -> None:
    from matplotlib.image import imread

    path = tmp_path / "league"
    assert main(["arena", GAME, "--games", "4", "--out", str(path), "--plot"]) == 0
    height, width, _ = imread(path / "ratings.png").shape
    assert width > height > 100


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--resume", "--force"], "either --resume or --force"),
        (["--resume"], "holds no league"),
        (["--games", "0"], "at least one deal"),
        (["--bots", "rule"], "at least two bots"),
        (["--bots", "rule,nobody"], "'nobody' is not available"),
        (["--players", "9"], "2 to 4 players"),
        (["--option", "target=x"], "use a whole number"),
    ],
)
def test_wrong_use_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    path = tmp_path / "league"
    assert main(["arena", GAME, "--out", str(path), *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not path.exists()


@pytest.mark.parametrize(("module", "options"), [("choix", []), ("matplotlib.figure", ["--plot"])])
def test_without_the_extra_nothing_is_played(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    module: str,
    options: list[str],
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    assert main(["arena", GAME, "--out", str(tmp_path / "league"), *options]) == 2
    assert 'pip install "tabletop-envs[arena]"' in capsys.readouterr().err
    assert not (tmp_path / "league").exists()


def test_the_keyboard_breaks_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = str(tmp_path / "league")

    def interrupted(league: League, finished: dict[int, Played]) -> Any:
        yield from itertools.islice(play_games(league, finished), 3)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(command, "play_games", interrupted)
        assert main(["arena", GAME, "--games", "4", "--out", out]) == 1
    assert "3 of 4 games; go on with --resume" in capsys.readouterr().out
    assert main(["arena", GAME, "--games", "4", "--out", out, "--resume"]) == 0
