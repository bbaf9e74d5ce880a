"""How fast each layer of each game is, at each number of players: what takes turns with what."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tabletop_core.game import Game
from tabletop_core.threads import MIN_CHUNK_STEPS

from .contenders import aec, batches, envpool, openspiel, pgx, seats, threads, vector
from .contenders.calibrator import calibrators
from .games import CONNECT_FOUR, LEDUC_POKER, dearest, player_counts
from .measure import Contender

ROLLOUTS: Final = "rollouts"
BATCH: Final = "batch"
VECTOR: Final = "vector"
AEC: Final = "aec"
SINGLE: Final = "single"
PARALLEL: Final = "parallel"
START: Final = "start"
MEMORY: Final = "memory"
SPEED_LAYERS: Final = (ROLLOUTS, BATCH, VECTOR, AEC, SINGLE, PARALLEL)
LAYERS: Final = (*SPEED_LAYERS, START, MEMORY)
MEANINGS: Final = {
    ROLLOUTS: "whole random games without returning to Python",
    BATCH: "the kernel that steps a batch",
    VECTOR: "the vector engine, driven from Python",
    AEC: "PettingZoo's AEC loop",
    SINGLE: "one seat against random bots, Gymnasium",
    PARALLEL: "PettingZoo's Parallel loop",
    START: "CPU seconds of a new process",
    MEMORY: "bytes of a game, and of a process with many",
}

MAIN_BATCH: Final = 1024
BATCHES: Final = (1, 16, 256, 1024, 4096, 16_384)
PEER_BATCHES: Final = (1, 16, 256, 1024, 4096)
THREADS: Final = (1, 2)
SHARED_BATCH: Final = 2 * MIN_CHUNK_STEPS  # the smallest that the vector engine gives to threads

# The yardsticks as other libraries call them: OpenSpiel, pgx, EnvPool.
PEERS: Final = {
    CONNECT_FOUR.GAME.name: ("connect_four", "connect_four", "ConnectFour-v1"),
    LEDUC_POKER.GAME.name: ("leduc_poker", "leduc_holdem", "LeducHoldem-v1"),
}


@dataclass(frozen=True)
class Wanted:
    """What to measure; empty means the usual."""

    players: Sequence[int] = ()
    layers: Sequence[str] = ()
    batches: Sequence[int] = ()
    threads: Sequence[int] = ()

    def has_layer(self, name: str) -> bool:
        return not self.layers or name in self.layers

    def player_counts(self, game: Game) -> list[int]:
        """The numbers of players of a game."""
        return [n for n in player_counts(game) if not self.players or n in self.players]

    def thread_counts(self) -> Sequence[int]:
        """Numbers of threads."""
        return self.threads or [count for count in THREADS if count <= (os.cpu_count() or 1)]

    def batch_sizes(self, usual: Sequence[int]) -> Sequence[int]:
        """Sizes of batches."""
        return self.batches or usual


@dataclass(frozen=True)
class Speed:
    """One contender and what it stands for.

    library: `tabletop`, or the peer's name. variant: what tells it from others of its layer.
    """

    game: str
    layer: str
    players: int
    library: str
    variant: str
    contender: Contender
    batch: int | None = None
    threads: int = 1


Rows = Iterator[Speed]


def speed_groups(modules: dict[str, Any], wanted: Wanted) -> list[list[Speed]]:
    """Groups of contenders that take turns: one layer of one game at one number of players."""
    groups = []
    for module in modules.values():
        for players in wanted.player_counts(module.GAME):
            for layer in SPEED_LAYERS:
                if wanted.has_layer(layer):
                    groups.append(list(_ROWS[layer](module, players, wanted)))
    return [group for group in groups if group]


def calibrator(level: int = -1) -> Contender:
    """What takes part in every group, so that runs can be compared whatever the machine does."""
    return calibrators()[level]


def _batches(module: Any, players: int, wanted: Wanted, usual: Sequence[int]) -> Sequence[int]:
    """All sizes at the dearest number of players, the main one at the others."""
    is_swept = players == dearest(module.GAME)
    return wanted.batch_sizes(usual if is_swept else (MAIN_BATCH,))


# --- layers ----------------------------------------------------------------------------------


def _rollouts(module: Any, players: int, wanted: Wanted) -> Rows:
    game = module.GAME
    ruleset = game.ruleset(players)
    for count in wanted.thread_counts():
        rollouts = threads.rollouts(ruleset, count)
        yield Speed(game.name, ROLLOUTS, players, "tabletop", "rollouts", rollouts, threads=count)
    if game.name not in PEERS:
        return
    spiel, pgx_name, _ = PEERS[game.name]
    rivals = {
        "Python": openspiel.random_games(spiel),
        "Python, recorded actions": openspiel.recorded_games(spiel),
        "C++ rollouts": openspiel.cpp_rollouts(spiel),
    }
    for variant, contender in rivals.items():
        yield Speed(game.name, ROLLOUTS, players, "OpenSpiel", variant, contender)
    cores = os.cpu_count() or 1
    for batch in wanted.batch_sizes(PEER_BATCHES):
        for variant, make in (
            ("scan", pgx.random_games),
            ("scan, recorded actions", pgx.recorded_games),
        ):
            contender = make(pgx_name, batch)
            yield Speed(game.name, ROLLOUTS, players, "pgx", variant, contender, batch, cores)


def _batch(module: Any, players: int, wanted: Wanted) -> Rows:
    game = module.GAME
    ruleset = game.ruleset(players)
    for batch in _batches(module, players, wanted, BATCHES):
        for outputs in (False, True):
            what = "all outputs" if outputs else "no outputs"
            steps = batches.random_steps(ruleset, batch, outputs)
            yield Speed(game.name, BATCH, players, "tabletop", what, steps, batch)
            steps = batches.recorded_steps(ruleset, batch, outputs)
            variant = f"{what}, recorded actions"
            yield Speed(game.name, BATCH, players, "tabletop", variant, steps, batch)


def _vector(module: Any, players: int, wanted: Wanted) -> Rows:
    game = module.GAME
    for batch in _batches(module, players, wanted, BATCHES):
        for count in wanted.thread_counts():
            if count > 1 and batch < SHARED_BATCH and not wanted.threads:
                continue  # the engine would not use them
            for variant, make, observations in (
                ("all outputs", vector.random_games, True),
                ("all outputs, recorded actions", vector.recorded_games, True),
                ("no observations", vector.random_games, False),
            ):
                engine = make(module, players, batch, count, observations)
                yield Speed(game.name, VECTOR, players, "tabletop", variant, engine, batch, count)
    if game.name in PEERS:
        task = PEERS[game.name][2]
        for batch in wanted.batch_sizes(PEER_BATCHES):
            for count in wanted.thread_counts():
                pool = envpool.random_games(task, batch, count)
                yield Speed(game.name, VECTOR, players, "EnvPool", "step", pool, batch, count)


def _aec(module: Any, players: int, wanted: Wanted) -> Rows:
    game = module.GAME
    ours = {
        "cheap pick": aec.our_games(module, players, aec.pick_cheaply),
        "action_space.sample(mask)": aec.our_games(module, players, aec.sample_space),
        "recorded actions": aec.our_recorded_games(module, players),
    }
    for variant, contender in ours.items():
        yield Speed(game.name, AEC, players, "tabletop", variant, contender)
    if module is not CONNECT_FOUR:
        return
    rivals = {
        "env(), cheap pick": aec.connect_four("env", aec.pick_cheaply),
        "env(), action_space.sample(mask)": aec.connect_four("env", aec.sample_space),
        "env(), recorded actions": aec.recorded_connect_four("env"),
        "raw_env(), cheap pick": aec.connect_four("raw_env", aec.pick_cheaply),
    }
    for variant, contender in rivals.items():
        yield Speed(game.name, AEC, players, "PettingZoo", variant, contender)


def _single(module: Any, players: int, wanted: Wanted) -> Rows:
    contender = seats.single_agent_games(module, players)
    yield Speed(module.GAME.name, SINGLE, players, "tabletop", "cheap pick", contender)


def _parallel(module: Any, players: int, wanted: Wanted) -> Rows:
    contender = seats.parallel_games(module, players)
    yield Speed(module.GAME.name, PARALLEL, players, "tabletop", "cheap pick", contender)


_ROWS: Final[dict[str, Callable[[Any, int, Wanted], Rows]]] = {
    ROLLOUTS: _rollouts,
    BATCH: _batch,
    VECTOR: _vector,
    AEC: _aec,
    SINGLE: _single,
    PARALLEL: _parallel,
}
