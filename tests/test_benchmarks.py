"""The benchmarks measure what they say; figures are not judged here."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rich", reason="the benchmarks print with rich: install the extra `cli`")

from benchmarks import c_layout, report, rows
from benchmarks.__main__ import main
from benchmarks.c_build import find_compiler
from benchmarks.contenders import twins
from benchmarks.contenders.calibrator import calibrators
from benchmarks.measure import (
    Contender,
    Counts,
    Effort,
    Mismatch,
    Series,
    Unavailable,
    require_peer,
)
from benchmarks.suite import MODULES, PROVED_OPTIONS, suite
from tabletop_core.game import Game, Ruleset

GAMES = [module.GAME for module in MODULES.values()]
JUMPGATE = MODULES["jumpgate"].GAME

try:
    find_compiler()
    NO_COMPILER = ""
except Unavailable as missing:
    NO_COMPILER = str(missing)
needs_compiler = pytest.mark.skipif(bool(NO_COMPILER), reason=NO_COMPILER)


@cache
def twins_of(name: str) -> dict[str, twins.Twin]:
    return {build_name: twins.Twin(build) for build_name, build in twins.builds(MODULES[name].GAME)}


def check_twins(ruleset: Ruleset, count: int) -> None:
    for name, twin in twins_of(ruleset.game.name).items():
        twins.check_twin(twin, ruleset, name, count)


@needs_compiler
@pytest.mark.parametrize("players", range(2, 6))
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_twin_plays_the_same_games(game: Game, players: int) -> None:
    for options in [{}, *PROVED_OPTIONS.get(game.name, [])]:
        check_twins(game.ruleset(players, **options), twins.CHECKED_GAMES)


@needs_compiler
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("jumpgate", {"scan_cost": "free", "harvest_cost": "free", "harvest_where": "anywhere"}),
        (
            "jumpgate",
            {"landing_rule": "equal_pair", "mark_scope": "per_planet", "mark_optional": False},
        ),
        (
            "jumpgate",
            {"scan_cost": "any_card", "harvest_cost": "any_card_if_unmarked", "max_turns": 30},
        ),
        (
            "jumpgate",
            {"tie_break": "fewest_blackhole_then_planets", "jump_target": "not_adjacent"},
        ),
        ("junkorbit", {"layout": "alt1", "boards": "phobos+deimos", "ship_powers": "B"}),
        ("junkorbit", {"layout": "alt2", "boards": "deimos", "ship_powers": "A"}),
        ("junkorbit", {"layout": "alt3", "boards": "phobos", "max_turns": 30}),
    ],
)
def test_twin_knows_the_options(name: str, options: dict[str, Any]) -> None:
    check_twins(MODULES[name].GAME.ruleset(3, **options), 300)


@needs_compiler
def test_a_twin_that_plays_other_games_fails_its_row() -> None:
    def prepare() -> Any:
        twins._kernel_hashes[ruleset.digest, 10] = "other"
        check_twins(ruleset, 10)

    ruleset = JUMPGATE.ruleset(2, blackhole_limit=9)
    with pytest.raises(Mismatch, match="other games"):
        prepare()
    result = _run(Contender("ours", prepare), Contender("theirs", lambda: _count))
    assert result.status == rows.FAILED


@needs_compiler
def test_calibrator_does_its_work() -> None:
    for contender in calibrators():
        assert contender.prepare()(1_000).steps == 1_000


def test_no_compiler_skips_the_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    result = _run(*calibrators())
    assert result.status == rows.SKIPPED
    assert "no C compiler" in result.note


def test_missing_peer_names_the_extra(capsys: pytest.CaptureFixture[str]) -> None:
    result = _run(Contender("peer", lambda: require_peer("no_such_module", "peer")))
    assert result.status == rows.SKIPPED
    report.print_results([result], Effort())
    assert "tabletop-envs[bench-peers]" in capsys.readouterr().out


def test_header_states_every_offset() -> None:
    dtype = np.dtype([("a", np.uint8), ("b", np.uint64, (2,))], align=True)
    text = c_layout.header({"Pair": dtype}, {"SIZE": 3})
    assert "#define SIZE 3" in text
    assert "uint64_t b[2];" in text
    assert "offsetof(Pair, b) == 8" in text


def test_ratio_is_taken_within_the_round() -> None:
    ours, theirs = _series("ours", [10, 20]), _series("theirs", [5, 10])
    slow = _series("slow", [1, 1])
    for is_upper, expected in ((False, 2.0), (True, 0.5)):
        claim = rows.Claim("row", "title", floor=1.0, is_upper=is_upper)
        contenders = [Contender(one.name, lambda: _count) for one in (ours, theirs, slow)]
        comparison = rows.Comparison(claim, contenders[0], contenders[1:])
        result = comparison.result({one.name: one for one in (ours, theirs, slow)})
        assert list(result.values) == [expected, expected]
        assert result.status == rows.PASSED
        assert "against theirs" in result.note


def test_results_are_never_overwritten(tmp_path: Path) -> None:
    first = report.write_new(tmp_path, "day", "1")
    second = report.write_new(tmp_path, "day", "2")
    assert [path.name for path in (first, second)] == ["day.json", "day-2.json"]
    assert first.read_text() == "1"
    assert sorted(tmp_path.iterdir()) == sorted([first, second])


def test_command_measures_prints_and_saves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--rows", "memory-jumpgate", "--quick", "--folder", str(tmp_path)]) == 0
    assert "memory" in capsys.readouterr().out
    (file,) = tmp_path.iterdir()
    (row,) = json.loads(file.read_text())["rows"]
    assert row["median"] == JUMPGATE.state_dtype.itemsize
    assert row["status"] == rows.PASSED


def test_command_refuses_what_it_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--rows", "no-such-row"]) == 2
    assert "calibrator" in capsys.readouterr().err
    assert main(["--game", "no-such-game"]) == 2
    assert "junkorbit" in capsys.readouterr().err


def test_games_have_the_same_rows(capsys: pytest.CaptureFixture[str]) -> None:
    claims = {
        game.name: [claim.row for part in suite([game.name]) for claim in part.claims()]
        for game in GAMES
    }
    general = [[row.replace(name, "*") for row in found] for name, found in claims.items()]
    assert all(found == general[0] for found in general)
    assert main(["--game", "junkorbit", "--list"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == claims["junkorbit"]


def _run(ours: Contender, *rivals: Contender) -> rows.Result:
    claim = rows.Claim("row", "title", floor=1.0)
    group = rows.Group([rows.Comparison(claim, ours, rivals or [ours])], "thread")
    (result,) = group.run(["row"], Effort(rounds=1, seconds=0.001), lambda: None)
    return result


def _count(amount: int) -> Counts:
    return Counts(sum(1 for _ in range(amount)), 1)


def _series(name: str, steps: list[int]) -> Series:
    result = Series(name, "wall", [Counts(count) for count in steps])
    for seconds in result.seconds.values():
        seconds += [1.0] * len(steps)
    return result
