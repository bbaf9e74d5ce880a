"""The ratios that the project promises, row by row, with floor and aim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tabletop_core.game import Game

from .contenders import aec, envpool, openspiel, pgx, searches, threads, vector
from .contenders.twins import PROVED_OPTIONS, has_twin, kernel_rollouts, twin_rollouts
from .games import CONNECT_FOUR, all_modules, dearest, our_modules, player_counts
from .measure import PROCESS, THREAD, WALL, Contender
from .rows import Claim, Comparison, Group, Part, Scaling

BATCHES: Final = (256, 1024, 4096)
TWO: Final = 2  # cores

# Lanes of a vector step that is to gain from two cores: it takes 0.5 ms or more on one.
LONG_BATCHES: Final = {"stargate": 2_048}
LONG_BATCH: Final = 8_192

# Stargate decides more in one step than a whole turn of the others, so its floors are its own.
HEAVY: Final = ("stargate",)

ROLLOUTS: Final = "fused random rollouts on one core: legal set, choice, action, reset"
PYTHON_LOOP: Final = "one environment driven from Python on one core; process CPU time"
PYTHON_BATCH: Final = "one Python call per step of all lanes, actions chosen on both sides"
SEARCH: Final = "search of the first decision, random rollouts to the end; thread CPU time"
SCALING: Final = "wall time of the same work by two threads and by one"


def ratios(games: Sequence[str]) -> list[Part]:
    """All parts with rows about `games` (names), in the order of the table; nothing is compiled."""
    modules = {name: module for name, module in all_modules().items() if name in games}
    ours = [module for name, module in our_modules().items() if name in games]
    parts: list[Part] = []
    if CONNECT_FOUR.GAME.name in games:
        parts += [yardstick_rollouts(), yardstick_batches(), yardstick_loops()]
    parts += [game_loops(module) for module in ours]
    for module in modules.values():
        parts += [twin(module.GAME, players) for players in twin_players(module.GAME)]
    parts += [game_rollouts(module.GAME) for module in ours]
    parts += [searching(module.GAME, players) for module in ours for players in ends(module.GAME)]
    for module in modules.values():
        if module is CONNECT_FOUR or module in ours:
            parts += two_cores(module)
    return parts


# --- connect four ----------------------------------------------------------------------------


def yardstick_rollouts() -> Group:
    """Rollouts beside OpenSpiel and pgx."""
    ours = kernel_rollouts(CONNECT_FOUR.GAME.ruleset())
    text = "connect_four"
    rows = (
        ("python", "OpenSpiel driven from Python", 60, 100, [openspiel.random_games(text)]),
        ("cpp", "OpenSpiel's C++ random rollouts", 20, 33, [openspiel.cpp_rollouts(text)]),
        (
            "pgx",
            "pgx on all cores at its best batch, choice included",
            18,
            28,
            [pgx.random_games(text, batch) for batch in BATCHES],
        ),
    )
    comparisons = []
    for row, what, floor, aim, rivals in rows:
        title = f"Connect four rollouts, one core ÷ {what}"
        claim = Claim(f"rollouts-{row}", title, floor, aim, method=f"{ROLLOUTS}; wall time")
        comparisons.append(Comparison(claim, ours, rivals))
    return Group(comparisons, WALL)


def yardstick_batches() -> Group:
    """The vector engine beside pgx and EnvPool."""
    players = dearest(CONNECT_FOUR.GAME)
    ours = {batch: vector.random_games(CONNECT_FOUR, players, batch) for batch in BATCHES}
    comparisons = []
    for batch in BATCHES:
        title = f"Connect four vector engine, all outputs, one core ÷ pgx, both at batch {batch}"
        claim = Claim(f"vector-pgx-{batch}", title, 8, 15, method=f"{PYTHON_BATCH}; wall time")
        rivals = [pgx.random_games("connect_four", batch)]
        comparisons.append(Comparison(claim, ours[batch], rivals))
    batch = 1024
    title = f"Connect four vector engine, all outputs, one core ÷ EnvPool, both at batch {batch}"
    claim = Claim(f"vector-envpool-{batch}", title, 80, 180, method=f"{PYTHON_BATCH}; wall time")
    rivals = [envpool.random_games("ConnectFour-v1", batch, count) for count in (1, TWO)]
    return Group([*comparisons, Comparison(claim, ours[batch], rivals)], WALL)


def yardstick_loops() -> Group:
    """The AEC view beside PettingZoo's: the same game, the same loop, fresh copies."""
    players = dearest(CONNECT_FOUR.GAME)
    cheap = aec.our_games(CONNECT_FOUR, players, aec.pick_cheaply)
    documented = aec.our_games(CONNECT_FOUR, players, aec.sample_space)
    rows = (
        ("env", "env(), cheap pick", 12, 20, cheap, aec.connect_four("env", aec.pick_cheaply)),
        ("raw", "raw_env(), cheap pick", 6, 10, cheap, _raw_env()),
        (
            "sample",
            "env(), action_space.sample(mask)",
            3.5,
            5,
            documented,
            aec.connect_four("env", aec.sample_space),
        ),
    )
    comparisons = []
    for row, what, floor, aim, ours, rival in rows:
        title = f"Connect four AEC env() ÷ PettingZoo connect_four_v3 {what}, same loop"
        claim = Claim(f"aec-{row}", title, floor, aim, method=f"agent_iter/last; {PYTHON_LOOP}")
        comparisons.append(Comparison(claim, ours, [rival]))
    return Group(comparisons, PROCESS)


def _raw_env() -> Any:
    return aec.connect_four("raw_env", aec.pick_cheaply)


# --- our games -------------------------------------------------------------------------------


def game_loops(module: Any) -> Group:
    """The AEC view of a game beside PettingZoo's connect four."""
    game = module.GAME
    players = dearest(game)
    claim = Claim(
        f"aec-{game.name}",
        f"{game.title} AEC env(), {players} players ÷ PettingZoo connect_four_v3 env(), cheap pick",
        5 if game.name in HEAVY else 10,
        18,
        method=f"agent_iter/last; {PYTHON_LOOP}",
    )
    ours = aec.our_games(module, players, aec.pick_cheaply)
    rival = aec.connect_four("env", aec.pick_cheaply)
    return Group([Comparison(claim, ours, [rival])], PROCESS)


def twin_players(game: Game) -> Sequence[int]:
    """The numbers of players at which a game is compared with its twin."""
    return player_counts(game) if has_twin(game) else ()


def twin(game: Game, num_players: int) -> Group:
    """The kernels beside plain C."""
    ruleset = game.ruleset(num_players)
    others = [game.ruleset(num_players, **more) for more in PROVED_OPTIONS.get(game.name, [])]
    claim = Claim(
        f"twin-{game.name}-{num_players}",
        f"{game.title} rollouts, {num_players} players ÷ plain-C twin (fastest build)",
        floor=0.8,
        aim=0.95,
        method=f"{ROLLOUTS}; same records and games, proved by hash before; thread CPU time",
    )
    rivals = twin_rollouts(ruleset, others)
    return Group([Comparison(claim, kernel_rollouts(ruleset), rivals)], THREAD)


def game_rollouts(game: Game) -> Group:
    """The kernels beside card games of OpenSpiel."""
    players = dearest(game)
    ours = kernel_rollouts(game.ruleset(players))
    is_heavy = game.name in HEAVY
    title = f"{game.title} rollouts, {players} players ÷ OpenSpiel"
    method = f"{ROLLOUTS}; decisions with two or more answers; thread CPU time"
    eights = Claim(
        f"crazy-eights-{game.name}",
        f"{title} crazy eights (5 players) from Python",
        1 if is_heavy else 25,
        5 if is_heavy else 60,
        method=method,
    )
    rival = openspiel.random_games("crazy_eights(players=5)")
    comparisons = [Comparison(eights, ours, [rival])]
    if not is_heavy:
        euchre = Claim(
            f"euchre-{game.name}", f"{title} euchre, C++ rollouts", 1.5, 4, method=method
        )
        comparisons.append(Comparison(euchre, ours, [openspiel.cpp_rollouts("euchre")]))
    return Group(comparisons, THREAD)


def ends(game: Game) -> tuple[int, int]:
    """The fewest and the most players of a game."""
    return game.min_players, game.max_players


def searching(game: Game, num_players: int) -> Group:
    """What new worlds and the tree cost: simulations of `mcts` beside plain random games."""
    ruleset = game.ruleset(num_players)
    claim = Claim(
        f"mcts-{game.name}-{num_players}",
        f"{game.title} mcts simulations, {num_players} players ÷ plain random games",
        floor=0.6,
        aim=0.9,
        method=SEARCH,
    )
    games = searches.plain_games(ruleset)
    return Group([Comparison(claim, searches.simulations(ruleset), [games])], THREAD)


# --- two cores -------------------------------------------------------------------------------


def two_cores(module: Any) -> list[Group]:
    """Rollouts and long vector steps by two threads beside one.

    The yardstick has no row of steps: its games are so short that Python, which tells how each of
    them ended, takes as long as the kernel.
    """
    game = module.GAME
    players = dearest(game)
    rollouts = [threads.rollouts(game.ruleset(players), count) for count in (TWO, 1)]
    title = f"{game.title} rollouts, {players} players, two cores ÷ one"
    groups = [_scaling(f"two-cores-rollouts-{game.name}", title, SCALING, rollouts)]
    if module is not CONNECT_FOUR:
        batch = LONG_BATCHES.get(game.name, LONG_BATCH)
        steps = [vector.recorded_games(module, players, batch, count) for count in (TWO, 1)]
        title = f"{game.title} vector steps, {players} players, batch {batch}, two cores ÷ one"
        method = f"{SCALING}; a call takes 0.5 ms or more on one core"
        groups.append(_scaling(f"two-cores-vector-{game.name}", title, method, steps))
    return groups


def _scaling(row: str, title: str, method: str, contenders: Sequence[Contender]) -> Group:
    claim = Claim(row, title, 1.5, 1.8, method=method)
    many, one = contenders
    return Group([Scaling(claim, many, one, threads.spinning(TWO))], WALL)
