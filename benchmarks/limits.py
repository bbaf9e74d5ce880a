"""What each game keeps to besides the promised ratios, row by row, with floor and aim."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from tabletop_core.game import Game

from . import costs
from .contenders import batches, envpool, openspiel, vector
from .contenders.calibrator import calibrators
from .contenders.twins import kernel_rollouts, twin_rollouts
from .costs import Advance
from .games import CONNECT_FOUR, dearest, our_modules
from .measure import THREAD, WALL, Effort
from .ratios import HEAVY, PYTHON_BATCH, ROLLOUTS
from .rows import Claim, Comparison, Flatness, Group, Limit, Part

BATCH: Final = 1024
FLAT_BATCHES: Final = (256, 1024, 4096, 16_384)
FLAT: Final = 1.25  # the dearest step at most so much dearer than the cheapest
STATE_BYTES: Final = 1024
HEAVY_STATE_BYTES: Final = 16_384
CHILD: Final = "CPU time of a new process"


def limits(games: Sequence[str]) -> list[Part]:
    """All parts for games by name, in the order of the table; nothing is compiled yet."""
    parts: list[Part] = []
    if CONNECT_FOUR.GAME.name in games:
        parts.append(yardstick_twin())
    for name, module in our_modules().items():
        if name in games:
            parts += game_limits(module)
    return parts


def game_limits(module: Any) -> list[Part]:
    """All parts for one of our games."""
    game = module.GAME
    speed: list[Part] = [] if game.name in HEAVY else [calibrator(game), engines(module)]
    return [*speed, flatness(module), *small_limits(module), *starts(game)]


# --- speed -----------------------------------------------------------------------------------


def yardstick_twin() -> Group:
    """Plain C of connect four beside OpenSpiel's: a twin that is slow itself proves nothing."""
    claim = Claim(
        "twin-openspiel",
        "Connect four plain-C twin (-O3, merged) ÷ OpenSpiel's C++ random rollouts",
        25,
        method=f"{ROLLOUTS}; thread CPU time",
    )
    twin = twin_rollouts(CONNECT_FOUR.GAME.ruleset())[-1]
    return Group([Comparison(claim, twin, [openspiel.cpp_rollouts("connect_four")])], THREAD)


def flatness(module: Any) -> Group:
    """The cost of a step, whatever the size of the batch."""
    game = module.GAME
    players = dearest(game)
    ruleset = game.ruleset(players)
    comparisons = []
    for row, what, outputs in (("", "no outputs", False), ("-outputs", "all outputs", True)):
        claim = Claim(
            f"flat{row}-{game.name}",
            f"{game.title} batch step, {players} players, {what}: dearest ÷ cheapest of batch "
            + ", ".join(map(str, FLAT_BATCHES)),
            FLAT,
            is_upper=True,
            method="the kernel step_batch, actions chosen by a kernel; thread CPU time",
        )
        steps = [batches.random_steps(ruleset, batch, outputs) for batch in FLAT_BATCHES]
        comparisons.append(Flatness(claim, steps))
    return Group(comparisons, THREAD)


def calibrator(game: Game) -> Group:
    """The kernels beside ordinary C."""
    players = dearest(game)
    claim = Claim(
        f"calibrator-{game.name}",
        f"{game.title} ns/step, {players} players ÷ byte-mask game in C (fastest build)",
        floor=1.0,
        aim=0.6,
        is_upper=True,
        method=f"{ROLLOUTS}; thread CPU time",
    )
    kernels = kernel_rollouts(game.ruleset(players))
    return Group([Comparison(claim, kernels, calibrators())], THREAD)


def engines(module: Any) -> Group:
    """The vector engine beside EnvPool's connect four: two players and one thread each."""
    game = module.GAME
    players = game.min_players
    rivals = [envpool.random_games("ConnectFour-v1", BATCH, threads=1)]
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
        method = f"{PYTHON_BATCH}; wall time"
        claim = Claim(f"{row}-{game.name}", title, floor, aim, method=method)
        ours = vector.random_games(module, players, BATCH, observations=observations)
        comparisons.append(Comparison(claim, ours, rivals))
    return Group(comparisons, WALL)


# --- memory and starts -----------------------------------------------------------------------


def small_limits(module: Any) -> list[Limit]:
    """Memory of a game and allocations while it is played."""
    game = module.GAME
    memory = Claim(
        f"memory-{game.name}",
        f"{game.title}: state of one game",
        HEAVY_STATE_BYTES if game.name in HEAVY else STATE_BYTES,
        is_upper=True,
        unit=" B",
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
        Limit(memory, _once(lambda: costs.state_bytes(game))),
        Limit(blocks, _once(lambda: costs.allocations(module))),
    ]


def starts(game: Game) -> list[Limit]:
    """How long it takes until a game can be played."""
    compiled = 120 if game.name in HEAVY else 20
    floors = {"import": 0.3, "warm": 1.2, "cold": compiled, "cold-vector": compiled}
    return [
        Limit(
            Claim(
                f"{start.name}-{game.name}",
                f"{game.title}: {start.what}",
                floors[start.name],
                is_upper=True,
                unit=" s",
                method=CHILD,
            ),
            partial(start.measure, game),
            start.rounds,
        )
        for start in costs.STARTS
    ]


def _once(measure: Callable[[], list[float]]) -> Callable[[Effort, Advance], list[float]]:
    def measure_once(effort: Effort, advance: Advance) -> list[float]:
        values = measure()
        advance()
        return values

    return measure_once
