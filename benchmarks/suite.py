"""The claims of the project, row by row, with floor and aim."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from jumpgate_env import jumpgate_v0
from junkorbit_env import junkorbit_v0
from tabletop_core.game import Game

from . import limits
from .contenders import aec, openspiel, vector
from .contenders.calibrator import calibrators
from .contenders.twins import kernel_rollouts, twin_rollouts
from .limits import Advance
from .measure import PROCESS, THREAD, WALL, Effort
from .rows import Claim, Comparison, Group, Limit, Part

MODULES: Final[dict[str, Any]] = {
    module.GAME.name: module for module in (jumpgate_v0, junkorbit_v0)
}
BATCH: Final = 1024

# Options that the proof of a twin covers besides the defaults, which are what is timed.
PROVED_OPTIONS: Final[dict[str, list[dict[str, Any]]]] = {
    "junkorbit": [{"ship_powers": "A"}, {"ship_powers": "B"}],
}

ROLLOUTS = "fused random rollouts on one core: legal set, choice, action, reset; thread CPU time"
PYTHON_LOOP = "one environment driven from Python on one core; process CPU time"
PYTHON_BATCH = "one Python call per step of all lanes, lanes that end counted in Python; wall time"
CHILD = "CPU time of a new process"


def suite(games: Sequence[str] = tuple(MODULES)) -> list[Part]:
    """All parts for games by name, in the order of the table; nothing is compiled yet."""
    return [part for name in games for part in game_parts(MODULES[name])]


def game_parts(module: Any) -> list[Part]:
    """All parts for one game."""
    game = module.GAME
    return [
        *(twin(game, num_players) for num_players in range(game.min_players, game.max_players + 1)),
        calibrator(game),
        crazy_eights(game),
        aec_loops(module),
        engines(module),
        *small_limits(module),
        *starts(game),
    ]


def dearest(game: Game) -> int:
    """The player count that rows are measured with: the largest table, the dearest step."""
    return game.max_players


# --- kernels ---------------------------------------------------------------------------------


def twin(game: Game, num_players: int) -> Group:
    """The kernels beside plain C."""
    ruleset = game.ruleset(num_players)
    others = [game.ruleset(num_players, **more) for more in PROVED_OPTIONS.get(game.name, [])]
    claim = Claim(
        f"twin-{game.name}-{num_players}",
        f"{game.title} rollouts, {num_players} players ÷ plain-C twin (fastest build)",
        floor=0.8,
        aim=0.95,
        method=f"{ROLLOUTS}; same records and games, proved by hash before",
    )
    rivals = twin_rollouts(ruleset, others)
    return Group([Comparison(claim, kernel_rollouts(ruleset), rivals)], THREAD)


def calibrator(game: Game) -> Group:
    """The kernels beside ordinary C."""
    players = dearest(game)
    claim = Claim(
        f"calibrator-{game.name}",
        f"{game.title} ns/step, {players} players ÷ byte-mask game in C (fastest build)",
        floor=1.0,
        aim=0.6,
        is_upper=True,
        method=ROLLOUTS,
    )
    kernels = kernel_rollouts(game.ruleset(players))
    return Group([Comparison(claim, kernels, calibrators())], THREAD)


def crazy_eights(game: Game) -> Group:
    """The kernels beside a card game of OpenSpiel."""
    players = dearest(game)
    claim = Claim(
        f"openspiel-{game.name}",
        f"{game.title} rollouts, {players} players ÷ OpenSpiel crazy eights (5) from Python",
        floor=25,
        aim=60,
        method=f"{ROLLOUTS}; on both sides only decisions with two or more answers count",
    )
    kernels = kernel_rollouts(game.ruleset(players))
    rival = openspiel.random_games("crazy_eights(players=5)")
    return Group([Comparison(claim, kernels, [rival])], THREAD)


# --- views -----------------------------------------------------------------------------------


def aec_loops(module: Any) -> Group:
    """The AEC view beside PettingZoo's connect four: the same loop, fresh copies on both sides."""
    game = module.GAME
    players = dearest(game)
    cheap = aec.our_games(module, players, aec.pick_cheaply)
    documented = aec.our_games(module, players, aec.sample_space)
    rows = (
        ("env", "env(), cheap pick", 10, cheap, ("env", aec.pick_cheaply)),
        ("raw", "raw_env(), cheap pick", 5, cheap, ("raw_env", aec.pick_cheaply)),
        ("sample", "env(), action_space.sample(mask)", 3, documented, ("env", aec.sample_space)),
    )
    comparisons = []
    for row, what, floor, ours, rival in rows:
        title = f"{game.title} AEC env(), {players} players ÷ PettingZoo connect_four_v3 {what}"
        method = f"agent_iter/last/step; {PYTHON_LOOP}"
        claim = Claim(f"aec-{row}-{game.name}", title, floor, method=method)
        comparisons.append(Comparison(claim, ours, [aec.connect_four(*rival)]))
    return Group(comparisons, PROCESS)


def engines(module: Any) -> Group:
    """The vector engine beside EnvPool: two players and one thread on both sides."""
    game = module.GAME
    players = game.min_players
    rivals = [vector.envpool_games("ConnectFour-v1", BATCH, threads=1)]
    rows = (
        ("vector", "all outputs", 10, 15, True),
        ("vector-no-observations", "no observations", 15, None, False),
    )
    comparisons = []
    for row, what, floor, aim, observations in rows:
        title = (
            f"{game.title} vector engine, {players} players, {what} "
            f"÷ EnvPool ConnectFour-v1, batch {BATCH}, one thread each"
        )
        claim = Claim(f"{row}-{game.name}", title, floor, aim, method=PYTHON_BATCH)
        ours = vector.our_engine(module, players, BATCH, observations)
        comparisons.append(Comparison(claim, ours, rivals))
    return Group(comparisons, WALL)


# --- limits ----------------------------------------------------------------------------------


def small_limits(module: Any) -> list[Limit]:
    """Memory of a game and allocations while it is played."""
    game = module.GAME
    memory = Claim(
        f"memory-{game.name}", f"{game.title}: state of one game", 1024, is_upper=True, unit=" B"
    )
    blocks = Claim(
        f"allocations-{game.name}",
        f"{game.title}: allocations by kernels of the step path",
        0,
        is_upper=True,
        unit="",
        method="Numba's count, a long call less a short one; Python's blocks over a long run",
    )
    return [
        Limit(memory, _once(lambda: limits.state_bytes(game))),
        Limit(blocks, _once(lambda: limits.allocations(module))),
    ]


def starts(game: Game) -> list[Limit]:
    """How long it takes until a game can be played."""
    each_round: Callable[[Effort], int] = lambda effort: effort.rounds  # noqa: E731
    first = "process start to first"
    beyond = "import beyond numba, gymnasium and pettingzoo"
    aec_step, vector_step = f"{first} AEC step", f"{first} vector step"
    rows = (
        ("import", beyond, 0.3, limits.import_seconds, each_round),
        ("warm", f"{aec_step}, kernels cached", 1.2, limits.warm_seconds, each_round),
        ("cold", f"{aec_step}, empty cache", 20, limits.cold_seconds, limits.cold_rounds),
        (
            "cold-vector",
            f"{vector_step}, empty cache",
            20,
            limits.cold_batch_seconds,
            limits.cold_rounds,
        ),
    )
    return [
        Limit(
            _seconds(f"{row}-{game.name}", f"{game.title}: {what}", floor),
            partial(measure, game),
            rounds,
        )
        for row, what, floor, measure, rounds in rows
    ]


def _seconds(row: str, title: str, floor: float) -> Claim:
    return Claim(row, title, floor, is_upper=True, unit=" s", method=CHILD)


def _once(measure: Callable[[], list[float]]) -> Callable[[Effort, Advance], list[float]]:
    def measure_once(effort: Effort, advance: Advance) -> list[float]:
        values = measure()
        advance()
        return values

    return measure_once
