"""The benchmarks measure what they say; figures are not judged here."""

from __future__ import annotations

import json
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rich", reason="the benchmarks print with rich: install the extra `cli`")

from benchmarks import (
    c_layout,
    costs,
    instructions,
    layers,
    plots,
    report,
    results_file,
    rows,
    speeds,
)
from benchmarks.__main__ import main
from benchmarks.c_build import find_compiler
from benchmarks.compare import chance, compare
from benchmarks.contenders import aec, batches, seats, threads, twins, vector
from benchmarks.contenders.calibrator import calibrators
from benchmarks.contenders.twins import PROVED_OPTIONS, has_twin
from benchmarks.games import CONNECT_FOUR, YARDSTICKS, all_modules, our_modules, player_counts
from benchmarks.limits import limits
from benchmarks.measure import (
    PROCESS,
    WALL,
    Contender,
    Counts,
    Effort,
    Mismatch,
    Series,
    Unavailable,
    interleave,
    require_peer,
)
from benchmarks.ratios import HEAVY, ratios
from tabletop_core.game import ENTRY_POINT_GROUP, Game, Ruleset

MODULES = all_modules()
JUMPGATE = MODULES["jumpgate"].GAME
YARDSTICK = CONNECT_FOUR.GAME
TWINS = [
    pytest.param(module.GAME, players, id=f"{name}-{players}")
    for name, module in MODULES.items()
    if has_twin(module.GAME)
    for players in player_counts(module.GAME)
]
ONE_ROUND = Effort(rounds=1, seconds=0.001)

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
@pytest.mark.parametrize(("game", "players"), TWINS)
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
    report.print_results([result], "Ratios")
    assert "tabletop-envs[bench-peers]" in capsys.readouterr().out


def test_header_states_every_offset() -> None:
    dtype = np.dtype([("a", np.uint8), ("b", np.uint64, (2,))], align=True)
    text = c_layout.header({"Pair": dtype}, {"SIZE": 3})
    assert "#define SIZE 3" in text
    assert "uint64_t b[2];" in text
    assert "offsetof(Pair, b) == 8" in text


# --- contenders ------------------------------------------------------------------------------


def our_contenders() -> list[Contender]:
    """One of each kind, of the yardstick."""
    ruleset = YARDSTICK.ruleset()
    return [
        twins.kernel_rollouts(ruleset),
        threads.rollouts(ruleset, 2),
        batches.random_steps(ruleset, 16, outputs=False),
        batches.recorded_steps(ruleset, 16, outputs=True),
        vector.random_games(CONNECT_FOUR, 2, 16),
        vector.recorded_games(CONNECT_FOUR, 2, 16, observations=False),
        aec.our_games(CONNECT_FOUR, 2, aec.pick_cheaply),
        aec.our_games(CONNECT_FOUR, 2, aec.sample_space),
        aec.our_recorded_games(CONNECT_FOUR, 2),
        seats.parallel_games(CONNECT_FOUR, 2),
    ]


@pytest.mark.parametrize("contender", our_contenders(), ids=lambda contender: contender.name)
def test_contenders_count_the_steps_of_whole_games(contender: Contender) -> None:
    counts = contender.prepare()(100)
    assert counts.games > 0
    assert 18 < counts.steps / counts.games < 25  # a random game of connect four has 21.3


def test_one_seat_counts_its_own_decisions() -> None:
    counts = seats.single_agent_games(CONNECT_FOUR, 2).prepare()(100)
    assert 9 < counts.steps / counts.games < 13


def test_recorded_actions_play_the_same_games_each_time() -> None:
    for contender in (
        batches.recorded_steps(YARDSTICK.ruleset(), 16, outputs=False),
        vector.recorded_games(CONNECT_FOUR, 2, 16),
    ):
        work = contender.prepare()
        assert work(2) == Counts(2 * work(1).steps, 2 * work(1).games)


@pytest.mark.parametrize(
    "name", ["pyspiel", "pgx", "envpool", "pettingzoo.classic.connect_four_v3"]
)
def test_peers_play_connect_four(name: str) -> None:
    reason = "peers come with the extra bench-peers"
    pytest.importorskip(name, reason=reason, exc_type=ImportError)
    from benchmarks.contenders import envpool, openspiel, pgx

    contenders = {
        "pyspiel": [
            openspiel.random_games("connect_four"),
            openspiel.recorded_games("connect_four"),
            openspiel.cpp_rollouts("connect_four"),
        ],
        "pgx": [pgx.random_games("connect_four", 64), pgx.recorded_games("connect_four", 64)],
        "envpool": [envpool.random_games("ConnectFour-v1", 16, 1)],
        "pettingzoo.classic.connect_four_v3": [
            aec.connect_four("raw_env", aec.pick_cheaply),
            aec.recorded_connect_four("raw_env"),
        ],
    }
    for contender in contenders[name]:
        counts = contender.prepare()(20)
        assert 16 < counts.steps / counts.games < 27, contender.name


# --- claims ----------------------------------------------------------------------------------


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


def test_flatness_is_the_dearest_step_by_the_cheapest() -> None:
    series = [_series("a", [10, 12]), _series("b", [8, 8]), _series("c", [9, 10])]
    claim = rows.Claim("row", "title", floor=1.25, is_upper=True)
    flat = rows.Flatness(claim, [Contender(one.name, lambda: _count) for one in series])
    result = flat.result({one.name: one for one in series})
    assert list(result.values) == [1.25, 1.5]
    assert result.status == rows.FAILED
    assert "dearest: b" in result.note


@pytest.mark.parametrize(
    ("cores", "status"),
    [([2.0, 1.95, 1.9], rows.PASSED), ([2.0, 1.95, 1.5], rows.SKIPPED)],
)
def test_two_cores_are_judged_only_when_they_are_there(cores: list[float], status: str) -> None:
    many, one, spinning = (
        _series("many", [20, 20, 20]),
        _series("one", [10, 11, 12]),
        _series("spinning", [1, 1, 1]),
    )
    spinning.seconds[PROCESS] = cores
    claim = rows.Claim("row", "title", floor=1.5)
    contenders = (Contender(name, lambda: _count) for name in ("many", "one", "spinning"))
    result = rows.Scaling(claim, *contenders).result(
        {series.name: series for series in (many, one, spinning)}
    )
    assert result.status == status
    assert "spinning threads got 1.95 cores" in result.note
    if status == rows.PASSED:
        assert list(result.values) == [2.0, 20 / 11, 20 / 12]


def test_spinning_threads_keep_cores_busy() -> None:
    effort = Effort(rounds=1, seconds=0.05)
    (series,) = interleave([threads.spinning(2)], effort, WALL, lambda: None)
    assert series.seconds[PROCESS][0] > 0


def test_our_games_have_the_same_rows() -> None:
    modules = {entry.value.partition(":")[0] for entry in entry_points(group=ENTRY_POINT_GROUP)}
    installed = [name for name, module in our_modules().items() if module.__name__ in modules]
    for table in (ratios, limits):
        found = {
            name: sorted(
                claim.row.replace(name, "*") for part in table([name]) for claim in part.claims()
            )
            for name in installed
            if name not in HEAVY
        }
        first, *others = found.values()
        assert all(rows_of_game == first for rows_of_game in others)
        measured = (*YARDSTICKS, *installed)
        names = [claim.row for part in table(measured) for claim in part.claims()]
        assert len(names) == len(set(names))


# --- layers ----------------------------------------------------------------------------------


def test_every_layer_of_every_game_is_measured() -> None:
    groups = layers.speed_groups(all_modules(), layers.Wanted())
    measured = {(one.game, one.players, one.layer) for group in groups for one in group}
    expected = {
        (name, players, layer)
        for name, module in all_modules().items()
        for players in player_counts(module.GAME)
        for layer in layers.SPEED_LAYERS
    }
    assert measured == expected
    for group in groups:
        names = [one.contender.name for one in group]
        assert len(names) == len(set(names))


def test_wanted_rows_are_measured_alone() -> None:
    wanted = layers.Wanted(players=[2], layers=["vector"], batches=[32], threads=[1])
    ours = {"jumpgate": MODULES["jumpgate"]}
    (group,) = layers.speed_groups(ours, wanted)
    assert {(one.players, one.layer, one.batch, one.threads) for one in group} == {
        (2, "vector", 32, 1)
    }


def test_missing_peers_are_named_and_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    def prepare() -> Any:
        raise Unavailable("no such library")

    speed = layers.Speed("game", "aec", 2, "peer", "step", Contender("peer", prepare))
    ours = layers.Speed("game", "aec", 2, "tabletop", "step", Contender("ours", lambda: _count))
    measured = speeds.Measured()
    speeds._measure_group([speed, ours], ONE_ROUND, lambda label: None, measured)
    assert [one.library for one in measured.figures] == ["tabletop"]
    assert measured.skipped["no such library"] == ["peer"]
    report.print_speeds(measured)
    assert "no such library" in capsys.readouterr().out


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_memory_of_many_games_is_that_of_their_arrays() -> None:
    game, count = YARDSTICK, 100_000
    arrays = game.state_dtype.itemsize + game.observation.size + game.actions.count
    (grown,) = costs.resident_bytes(game, count)
    assert arrays < grown / count < 3 * arrays


def test_figures_survive_the_file(tmp_path: Path) -> None:
    figures = [_figure([1.0, 2.0, 3.0]), _figure([5.0], layer="start", unit=speeds.SECONDS)]
    skipped = {"not installed": ["a peer"]}
    content = results_file.speeds_content(speeds.Measured(figures, skipped), ONE_ROUND)
    path = results_file.save(content, tmp_path)
    assert results_file.read_speeds(path) == figures
    assert json.loads(path.read_text())["skipped"] == skipped


def test_chance_is_that_of_the_rank_sum_test() -> None:
    assert chance([1, 2, 3], [4, 5, 6]) == pytest.approx(2 / 20)
    assert chance([4, 5, 6], [1, 2, 3]) == pytest.approx(2 / 20)
    assert chance([1, 4, 5], [2, 3, 6]) == 1.0
    assert chance(list(range(9)), list(range(9, 18))) == pytest.approx(2 / 48_620)


def test_compare_tells_differences_from_noise(capsys: pytest.CaptureFixture[str]) -> None:
    steady = [1.0, 1.01, 1.02, 1.03, 1.04, 0.99, 0.98]
    then = [_figure(steady, variant=name) for name in ("same", "faster", "slower", "gone")]
    now = [
        _figure(list(reversed(steady)), variant="same"),
        _figure([1.5 * value for value in steady], variant="faster"),
        _figure([0.5 * value for value in steady], variant="slower"),
        _figure(steady, variant="new"),
    ]
    found = compare(now, then)
    verdicts = {one.now.variant: (one.exceeds_noise, one.is_better) for one in found}
    assert verdicts["same"][0] is False
    assert verdicts["faster"] == (True, True)
    assert verdicts["slower"] == (True, False)
    assert set(verdicts) == {"same", "faster", "slower"}
    report.print_differences(found)
    assert "less" in capsys.readouterr().out


def test_compare_takes_out_the_speed_of_the_machine() -> None:
    then = _figure([10.0, 11.0, 12.0], relative=[1.0, 1.1, 1.2])
    now = _figure([5.0, 5.5, 6.0], relative=[1.0, 1.1, 1.2])
    (found,) = compare([now], [then])
    assert found.ratio == 1.0
    assert not found.exceeds_noise


@pytest.mark.parametrize("kind", plots.FORMATS)
def test_pictures_are_drawn(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pictures need Matplotlib: the extra `bench`")
    figures = [
        _figure([1e6, 2e6], layer="vector", variant="all outputs", batch=batch, threads=count)
        for batch in (1, 1024)
        for count in (1, 2)
    ]
    figures.append(_figure([0.5], layer="start", variant="warm", unit=speeds.SECONDS))
    written = plots.draw(figures, tmp_path, "run", kind)
    names = {f"run-{what}.{kind}" for what in ("batch", "threads", "layer", "start")}
    assert {path.name for path in written} == names
    assert all(path.stat().st_size > 1000 for path in written)


# --- instructions ----------------------------------------------------------------------------


def test_more_instructions_than_stored_fail(capsys: pytest.CaptureFixture[str]) -> None:
    stored = {"instructions_per_step": {"same": 100.0, "worse": 100.0, "lost": 100.0}}
    checks = instructions.check({"same": 102.0, "worse": 104.0, "new": 1.0}, stored)
    assert {one.name: one.holds for one in checks} == {
        "same": True,
        "worse": False,
        "new": True,
        "lost": False,
    }
    report.print_checks(checks)
    assert "1.040" in capsys.readouterr().out


def test_stored_figures_are_of_workloads_that_there_are() -> None:
    stored = instructions.read_baseline()["instructions_per_step"]
    assert set(stored) <= {one.name for one in instructions.workloads()}
    assert {name.split()[0] for name in stored} >= {"connect_four", "jumpgate", "junkorbit"}


def test_workloads_are_the_same_work_each_time() -> None:
    for workload in instructions.workloads():
        if workload.name.startswith(YARDSTICK.name):
            amount = workload.amount
            steps = [workload.prepare()(amount).steps for _ in range(2)]
            assert steps[0] == steps[1], workload.name


def test_profile_is_read(tmp_path: Path) -> None:
    path = tmp_path / "out.1"
    path.write_text("desc: Trigger: Client Request: a game 2\nevents: Ir\ntotals: 1234\n")
    assert instructions._total(path) == ("a game 2", 1234)


# --- command ---------------------------------------------------------------------------------


def test_results_are_never_overwritten(tmp_path: Path) -> None:
    first = results_file.write_new(tmp_path, "day", "1")
    second = results_file.write_new(tmp_path, "day", "2")
    assert [path.name for path in (first, second)] == ["day.json", "day-2.json"]
    assert first.read_text() == "1"
    assert sorted(tmp_path.iterdir()) == sorted([first, second])


def test_limits_are_measured_printed_and_saved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["limits", "--row", "memory-jumpgate", "--quick", "--folder", str(tmp_path)]
    assert main(arguments) == 0
    assert "memory" in capsys.readouterr().out
    (file,) = tmp_path.iterdir()
    (row,) = json.loads(file.read_text())["rows"]
    assert row["median"] == JUMPGATE.state_dtype.itemsize
    assert row["status"] == rows.PASSED


def test_missed_floor_is_the_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("benchmarks.limits.STATE_BYTES", 1)
    assert main(["limits", "--row", "memory-jumpgate", "--no-save"]) == 1
    assert rows.FAILED in capsys.readouterr().out


def test_speeds_are_measured_printed_and_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = ["--game", "connect_four", "--layer", "parallel", "--rounds", "2"]
    short = ["--seconds", "0.001", "--folder", str(tmp_path)]
    assert main([*chosen, *short]) == 0
    assert "rollouts/s" in capsys.readouterr().out
    (file,) = tmp_path.iterdir()
    (row,) = json.loads(file.read_text())["rows"]
    assert (row["game"], row["layer"], row["unit"]) == ("connect_four", "parallel", "steps/s")
    assert main([*chosen, *short, "--no-save", "--compare", str(file)]) == 0
    assert "noise" in capsys.readouterr().out
    assert main([*chosen, *short, "--no-save", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kind"] == results_file.SPEEDS


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["ratios", "--row", "no-such-row"], "twin-jumpgate-2"),
        (["--game", "no-such-game"], "junkorbit"),
        (["--layer", "no-such-layer"], "rollouts"),
        (["--batch", "0"], "at least 1"),
        (["--game", "jumpgate", "--players", "9"], "9"),
        (["--seconds", "0"], "above 0"),
        (["--rounds", "0"], "at least 1"),
        (["--plot", "gif"], "svg"),
        (["--compare", "no-such-file.json"], "no-such-file.json"),
    ],
)
def test_command_refuses_what_it_does_not_know(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert told in capsys.readouterr().err


def test_command_lists_the_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ratios", "--game", "junkorbit", "--list"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == [claim.row for part in ratios(["junkorbit"]) for claim in part.claims()]


# --- helpers ---------------------------------------------------------------------------------


def _run(ours: Contender, *rivals: Contender) -> rows.Result:
    claim = rows.Claim("row", "title", floor=1.0)
    group = rows.Group([rows.Comparison(claim, ours, rivals or [ours])], "thread")
    (result,) = group.run(["row"], ONE_ROUND, lambda: None)
    return result


def _count(amount: int) -> Counts:
    return Counts(sum(1 for _ in range(amount)), 1)


def _series(name: str, steps: list[int]) -> Series:
    result = Series(name, "wall", [Counts(count) for count in steps])
    for seconds in result.seconds.values():
        seconds += [1.0] * len(steps)
    return result


def _figure(rounds: list[float], **changes: Any) -> speeds.Figure:
    fields: dict[str, Any] = {
        "game": "jumpgate",
        "layer": "vector",
        "players": 2,
        "library": "tabletop",
        "variant": "all outputs",
        "batch": 1024,
        "threads": 1,
        "unit": speeds.STEPS,
        "games_per_second": rounds,
    }
    return speeds.Figure(rounds=rounds, **{**fields, **changes})
