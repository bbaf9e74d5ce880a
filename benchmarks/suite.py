"""The claims of the project, row by row, with floor and aim."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from jumpgate_env import jumpgate_v0

from . import limits
from .contenders import aec, openspiel, vector
from .contenders.calibrator import calibrators
from .contenders.jumpgate_twin import kernel_rollouts, twin_rollouts
from .limits import Advance
from .measure import PROCESS, THREAD, WALL, Effort
from .rows import Claim, Comparison, Group, Limit, Part

GAME: Final = jumpgate_v0.GAME
DEAREST: Final = GAME.max_players  # most players: largest table, dearest step
BATCH: Final = 1024

ROLLOUTS = "fused random rollouts on one core: legal set, choice, action, reset; thread CPU time"
PYTHON_LOOP = "one environment driven from Python on one core; process CPU time"
PYTHON_BATCH = "one Python call per step of all lanes, lanes that end counted in Python; wall time"
CHILD = "CPU time of a new process"


def suite() -> list[Part]:
    """All parts in the order of the table; nothing is imported or compiled yet."""
    return [
        *(twin(num_players) for num_players in range(GAME.min_players, GAME.max_players + 1)),
        calibrator(),
        crazy_eights(),
        aec_loops(),
        engines(),
        *small_limits(),
        *starts(),
    ]


# --- kernels ---------------------------------------------------------------------------------


def twin(num_players: int) -> Group:
    """The kernels beside plain C."""
    ruleset = GAME.ruleset(num_players)
    claim = Claim(
        f"twin-{num_players}",
        f"Jump Gate rollouts, {num_players} players ÷ plain-C twin (fastest build)",
        floor=0.8,
        aim=0.95,
        method=f"{ROLLOUTS}; same records and games, proved by hash before",
    )
    return Group([Comparison(claim, kernel_rollouts(ruleset), twin_rollouts(ruleset))], THREAD)


def calibrator() -> Group:
    claim = Claim(
        "calibrator",
        f"Jump Gate ns/step, {DEAREST} players ÷ byte-mask game in C (fastest build)",
        floor=1.0,
        aim=0.6,
        is_upper=True,
        method=ROLLOUTS,
    )
    kernels = kernel_rollouts(GAME.ruleset(DEAREST))
    return Group([Comparison(claim, kernels, calibrators())], THREAD)


def crazy_eights() -> Group:
    claim = Claim(
        "openspiel",
        f"Jump Gate rollouts, {DEAREST} players ÷ OpenSpiel crazy eights (5) from Python",
        floor=25,
        aim=60,
        method=f"{ROLLOUTS}; on both sides only decisions with two or more answers count",
    )
    kernels = kernel_rollouts(GAME.ruleset(DEAREST))
    rival = openspiel.random_games("crazy_eights(players=5)")
    return Group([Comparison(claim, kernels, [rival])], THREAD)


# --- views -----------------------------------------------------------------------------------


def aec_loops() -> Group:
    """The AEC view beside PettingZoo's connect four: the same loop, fresh copies on both sides."""
    cheap = aec.our_games(jumpgate_v0, DEAREST, aec.pick_cheaply)
    documented = aec.our_games(jumpgate_v0, DEAREST, aec.sample_space)
    rows = (
        ("aec-env", "env(), cheap pick", 10, cheap, ("env", aec.pick_cheaply)),
        ("aec-raw", "raw_env(), cheap pick", 5, cheap, ("raw_env", aec.pick_cheaply)),
        (
            "aec-sample",
            "env(), action_space.sample(mask)",
            3,
            documented,
            ("env", aec.sample_space),
        ),
    )
    comparisons = []
    for row, what, floor, ours, rival in rows:
        title = f"AEC env() steps, {DEAREST} players ÷ PettingZoo connect_four_v3 {what}"
        claim = Claim(row, title, floor, method=f"agent_iter/last/step; {PYTHON_LOOP}")
        comparisons.append(Comparison(claim, ours, [aec.connect_four(*rival)]))
    return Group(comparisons, PROCESS)


def engines() -> Group:
    """The vector engine beside EnvPool, ours on one thread, EnvPool on one or two."""
    rivals = [vector.envpool_games("ConnectFour-v1", BATCH, threads) for threads in (1, 2)]
    rows = (
        ("vector", "all outputs", 10, 15, True),
        ("vector-no-observations", "no observations", 15, None, False),
    )
    comparisons = []
    for row, what, floor, aim, observations in rows:
        title = f"vector engine, {DEAREST} players, {what} ÷ EnvPool ConnectFour-v1, batch {BATCH}"
        claim = Claim(row, title, floor, aim, method=PYTHON_BATCH)
        ours = vector.our_engine(jumpgate_v0, DEAREST, BATCH, observations)
        comparisons.append(Comparison(claim, ours, rivals))
    return Group(comparisons, WALL)


# --- limits ----------------------------------------------------------------------------------


def small_limits() -> list[Limit]:
    memory = Claim("memory", "state of one game", 1024, is_upper=True, unit=" B")
    blocks = Claim(
        "allocations",
        "allocations by kernels of the step path",
        0,
        is_upper=True,
        unit="",
        method="Numba's count, a long call less a short one; Python's blocks over a long run",
    )
    return [
        Limit(memory, _once(lambda: limits.state_bytes(GAME))),
        Limit(blocks, _once(lambda: limits.allocations(jumpgate_v0))),
    ]


def starts() -> list[Limit]:
    each_round: Callable[[Effort], int] = lambda effort: effort.rounds  # noqa: E731
    return [
        Limit(
            _seconds("import", "import beyond numba, gymnasium and pettingzoo", 0.3),
            lambda effort, advance: limits.import_seconds(GAME, effort, advance),
            each_round,
        ),
        Limit(
            _seconds("warm", "process start to first AEC step, kernels cached", 1.2),
            lambda effort, advance: limits.warm_seconds(GAME, effort, advance),
            each_round,
        ),
        Limit(
            _seconds("cold", "process start to first AEC step, empty cache", 20),
            lambda effort, advance: limits.cold_seconds(GAME, effort, advance),
            limits.cold_rounds,
        ),
        Limit(
            _seconds("cold-vector", "process start to first vector step, empty cache", 20),
            lambda effort, advance: limits.cold_batch_seconds(GAME, effort, advance),
            limits.cold_rounds,
        ),
    ]


def _seconds(row: str, title: str, floor: float) -> Claim:
    return Claim(row, title, floor, is_upper=True, unit=" s", method=CHILD)


def _once(measure: Callable[[], list[float]]) -> Callable[[Effort, Advance], list[float]]:
    def measure_once(effort: Effort, advance: Advance) -> list[float]:
        values = measure()
        advance()
        return values

    return measure_once
