"""The published hashes of docs/promises.md: the same games for everybody, in every view."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest
from efforts import share

from tabletop_core import engine
from tabletop_core.aec import TabletopEnv
from tabletop_core.game import Ruleset, allocate, games
from tabletop_core.parallel import TabletopParallelEnv
from tabletop_core.record import GameRecord
from tabletop_core.rng import seed_to_word, seeds_to_words
from tabletop_core.rollouts import random_records
from tabletop_core.session import Session
from tabletop_core.vector_env import VectorEngine

PAGE = Path(__file__).parent.parent / "docs" / "promises.md"
ROW = re.compile(r"\| `(\w+)` \| (\d) \| `([0-9a-f]{32})` \|")
PUBLISHED = {(name, int(players)): text for name, players, text in ROW.findall(PAGE.read_text())}
NUM_GAMES = 1_000
FEW = 40  # games of those that are compared in every way of playing them


def hash_of(states: Iterable[bytes]) -> str:
    """BLAKE2b, 16 bytes, of the final state records, one after the other."""
    result = hashlib.blake2b(digest_size=16)
    for state in states:
        result.update(state)
    return result.hexdigest()


def batch_hash(ruleset: Ruleset, num_games: int, batch_size: int, threads: int = 1) -> str:
    """Of games 0 .. num_games - 1 of `rollouts` with seed 0, played in batches."""
    vec = VectorEngine(
        ruleset, batch_size, autoreset="disabled", threads=threads, observations=False
    )
    states: list[bytes] = []
    for first in range(0, num_games, batch_size):
        play_batch(vec, first)
        states += [state.tobytes() for state in vec.states[: num_games - first]]
    return hash_of(states)


def play_batch(vec: VectorEngine, first_game: int) -> None:
    """Play a batch of games to their ends, with the choices of the random bots of `rollouts`."""
    choosers = allocate(engine.LANE, vec.num_envs)
    choosers["rng"] = seeds_to_words(seed_to_word(0) + first_game, vec.num_envs)
    actions = np.zeros(vec.num_envs, np.int64)
    is_over = np.zeros(vec.num_envs, np.bool_)
    vec.reset(seed=first_game)
    while not is_over.all():
        engine.choose_batch(vec.states, choosers, actions, 0, vec.num_envs)
        vec.step(actions)
        is_over |= vec.terminated | vec.truncated


# --- what is published -----------------------------------------------------------------------


def test_published_hashes(ruleset: Ruleset) -> None:
    key = (ruleset.game.id, ruleset.num_players)
    assert batch_hash(ruleset, NUM_GAMES, batch_size=500) == PUBLISHED[key]


@pytest.mark.long
@pytest.mark.parametrize("num_players", [4, 5, 6])
def test_published_hashes_of_more_players(num_players: int) -> None:
    """Those of the Stargate TCG that the fast suite leaves out."""
    ruleset = games()["stargate_v0"].ruleset(num_players)
    assert batch_hash(ruleset, NUM_GAMES, batch_size=500) == PUBLISHED["stargate_v0", num_players]


def test_every_game_and_player_count_is_published() -> None:
    shipped = [game for game in games().values() if game.module.split(".")[0].endswith("_env")]
    assert set(PUBLISHED) == {
        (game.id, players)
        for game in shipped
        for players in range(game.min_players, game.max_players + 1)
    }


# --- every way to play them ------------------------------------------------------------------


@pytest.mark.parametrize(("batch_size", "threads"), [(1, 1), (7, 1), (64, 2)])
def test_batches_and_threads(ruleset: Ruleset, batch_size: int, threads: int) -> None:
    few = share(ruleset, FEW)
    assert batch_hash(ruleset, few, batch_size, threads) == batch_hash(ruleset, few, few)


def in_a_session(ruleset: Ruleset, record: GameRecord, seed: int) -> bytes:
    session = Session(ruleset)
    session.reset(seed)
    for decision in record.decisions:
        session.step(decision.action)
    return session.state.tobytes()


def in_the_aec_view(ruleset: Ruleset, record: GameRecord, seed: int) -> bytes:
    env = TabletopEnv(ruleset)
    env.reset(seed)
    for decision in record.decisions:
        env.step(decision.action)
    return env.session.state.tobytes()


def in_the_parallel_view(ruleset: Ruleset, record: GameRecord, seed: int) -> bytes:
    env = TabletopParallelEnv(ruleset)
    env.reset(seed)
    for decision in record.decisions:
        env.step({f"player_{decision.player}": decision.action})
    return env.aec_env.session.state.tobytes()


@pytest.mark.parametrize("play", [in_a_session, in_the_aec_view, in_the_parallel_view])
def test_views(ruleset: Ruleset, play: Callable[[Ruleset, GameRecord, int], bytes]) -> None:
    few = share(ruleset, FEW)
    records = random_records(ruleset, few)
    states = [play(ruleset, record, seed) for seed, record in enumerate(records)]
    assert hash_of(states) == batch_hash(ruleset, few, few)
