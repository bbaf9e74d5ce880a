"""The benchmarks measure what they say; figures are not judged here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rich", reason="the benchmarks print with rich: install the extra `cli`")

from benchmarks import c_layout, report, rows
from benchmarks.__main__ import main
from benchmarks.c_build import find_compiler
from benchmarks.contenders import jumpgate_twin
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
from jumpgate_env.jumpgate_v0 import GAME

GAMES_PER_PLAYER_COUNT = 2_500  # 10,000 games over 2 to 5 players

try:
    find_compiler()
    NO_COMPILER = ""
except Unavailable as missing:
    NO_COMPILER = str(missing)
needs_compiler = pytest.mark.skipif(bool(NO_COMPILER), reason=NO_COMPILER)


@pytest.fixture(scope="module")
def twins() -> dict[str, jumpgate_twin.Twin]:
    return {name: jumpgate_twin.Twin(build) for name, build in jumpgate_twin.builds()}


@needs_compiler
@pytest.mark.parametrize("num_players", range(GAME.min_players, GAME.max_players + 1))
def test_twin_plays_the_same_games(num_players: int, twins: dict[str, jumpgate_twin.Twin]) -> None:
    ruleset = GAME.ruleset(num_players)
    expected = jumpgate_twin.kernel_hash(ruleset, GAMES_PER_PLAYER_COUNT)
    for name, twin in twins.items():
        found = jumpgate_twin.twin_hash(twin, ruleset, GAMES_PER_PLAYER_COUNT)
        assert found == expected, name


@needs_compiler
@pytest.mark.parametrize(
    "options",
    [
        {"scan_cost": "free", "harvest_cost": "free", "harvest_where": "anywhere"},
        {"landing_rule": "equal_pair", "mark_scope": "per_planet", "mark_optional": False},
        {"scan_cost": "any_card", "harvest_cost": "any_card_if_unmarked", "max_turns": 30},
        {"tie_break": "fewest_blackhole_then_planets", "jump_target": "not_adjacent"},
    ],
)
def test_twin_knows_the_options(
    options: dict[str, Any], twins: dict[str, jumpgate_twin.Twin]
) -> None:
    ruleset = GAME.ruleset(3, **options)
    for name, twin in twins.items():
        jumpgate_twin.check_twin(twin, ruleset, name, count=300)


@needs_compiler
def test_a_twin_that_plays_other_games_fails_its_row(
    twins: dict[str, jumpgate_twin.Twin],
) -> None:
    def prepare() -> Any:
        jumpgate_twin._kernel_hashes[ruleset.digest, 10] = "other"
        jumpgate_twin.check_twin(next(iter(twins.values())), ruleset, "twin", count=10)

    ruleset = GAME.ruleset(2, blackhole_limit=9)
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
    assert main(["--rows", "memory", "--quick", "--folder", str(tmp_path)]) == 0
    assert "memory" in capsys.readouterr().out
    (file,) = tmp_path.iterdir()
    (row,) = json.loads(file.read_text())["rows"]
    assert row["median"] == GAME.state_dtype.itemsize
    assert row["status"] == rows.PASSED


def test_command_refuses_what_it_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--rows", "no-such-row"]) == 2
    assert "calibrator" in capsys.readouterr().err


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
