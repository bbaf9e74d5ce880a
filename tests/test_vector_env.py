"""The self-play engine against single games, for every installed game."""

from __future__ import annotations

import copy
import gc
import multiprocessing
import os
import pickle
import random
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from tabletop_core import engine
from tabletop_core.errors import TabletopError
from tabletop_core.game import Array, Game, Ruleset
from tabletop_core.rollouts import random_games
from tabletop_core.session import Session
from tabletop_core.threads import MIN_CHUNK_STEPS
from tabletop_core.vector_env import VectorEngine

MODES = ("next_step", "same_step", "disabled")
NUM_ENVS = 5
SEED = 11
SHORT = 12  # turns


def short(game: Game, num_players: int | None = None) -> Ruleset:
    """The game with a cap on turns, where it has such an option, so that tests see many ends."""
    try:
        return game.ruleset(num_players, max_turns=SHORT)
    except TabletopError:
        return game.ruleset(num_players)


@pytest.fixture
def vec(game: Game) -> VectorEngine:
    """Five lanes after some steps."""
    vec = VectorEngine(short(game), NUM_ENVS)
    play(vec, 20, SEED)
    return vec


def play(vec: VectorEngine, num_steps: int, seed: int | None = None) -> None:
    if seed is not None:
        vec.reset(seed=seed)
    for _ in range(num_steps):
        vec.step(vec.sample_actions())


def outputs(vec: VectorEngine) -> tuple[bytes, ...]:
    arrays = (vec.observation, vec.action_mask, vec.rewards, vec.current_player)
    flags = (vec.terminated, vec.truncated, vec.illegal)
    return tuple(array.tobytes() for array in (*arrays, *flags))


# --- batch = scalar --------------------------------------------------------------------------


class Model:
    """What the engine should do, in words of single games."""

    def __init__(self, ruleset: Ruleset, reward: str, autoreset: str, seed: int) -> None:
        self.autoreset = autoreset
        self.sessions = [Session(ruleset, reward) for _ in range(NUM_ENVS)]
        self.rewards = np.zeros((NUM_ENVS, ruleset.num_players))
        self.terminated = [False] * NUM_ENVS
        self.truncated = [False] * NUM_ENVS
        self.illegal = [False] * NUM_ENVS
        self.results: list[dict[str, Any] | None] = [None] * NUM_ENVS
        for lane, session in enumerate(self.sessions):
            session.reset(seed + lane)

    def step(self, actions: list[int]) -> None:
        for lane, (session, action) in enumerate(zip(self.sessions, actions)):
            self.rewards[lane] = 0.0
            self.illegal[lane] = False
            self.results[lane] = None
            if session.is_over and self.autoreset == "next_step":
                session.reset()
            elif action in session.legal_actions():
                session.step(action)
                if session.is_over:
                    self.rewards[lane] = session.rewards()
                    self.results[lane] = session.result()
            else:
                self.illegal[lane] = True
            self.terminated[lane] = session.terminated
            self.truncated[lane] = session.truncated
            if self.results[lane] and self.autoreset == "same_step":
                session.reset()

    def reset(self, chosen: Array) -> None:
        for lane in np.flatnonzero(chosen).tolist():
            self.sessions[lane].reset()
            self.rewards[lane] = 0.0
            self.terminated[lane] = self.truncated[lane] = self.illegal[lane] = False

    def compare(self, vec: VectorEngine) -> None:
        states = b"".join(session.state.tobytes() for session in self.sessions)
        assert vec.states.tobytes() == states
        for lane, session in enumerate(self.sessions):
            assert (vec.observation[lane] == session.observation).all()
            assert (vec.action_mask[lane] == session.mask).all()
            assert vec.current_player[lane] == session.current_player
        assert (vec.rewards == self.rewards).all()
        assert vec.terminated.tolist() == self.terminated
        assert vec.truncated.tolist() == self.truncated
        assert vec.illegal.tolist() == self.illegal

    def compare_infos(self, infos: dict[str, Any]) -> None:
        present = [result is not None for result in self.results]
        if not any(present):
            assert infos == {}
            return
        for key in ("winners", "scores", "reason", "length"):
            assert infos[f"_{key}"].tolist() == present
            for lane, result in enumerate(self.results):
                value = infos[key][lane]
                if result is not None:
                    assert (value if key in ("reason", "length") else list(value)) == result[key]


@pytest.mark.parametrize("autoreset", MODES)
@pytest.mark.parametrize("reward", engine.REWARD_MODES)
def test_every_lane_is_a_single_game(game: Game, autoreset: str, reward: str) -> None:
    ruleset = short(game, game.max_players)
    vec = VectorEngine(ruleset, NUM_ENVS, reward=reward, autoreset=autoreset)
    vec.reset(seed=SEED)
    model = Model(ruleset, reward, autoreset, SEED)
    model.compare(vec)
    rng = random.Random(SEED)
    ends = 0
    for _ in range(200):
        actions = [rng.choice(session.legal_actions() or [0]) for session in model.sessions]
        if rng.random() < 0.2:
            actions[rng.randrange(NUM_ENVS)] = rng.choice([-1, 5, 10**6, -(2**63), 2**63 - 1])
        model.step(actions)
        *_, infos = vec.step(np.array(actions))
        model.compare(vec)
        model.compare_infos(infos)
        over = vec.terminated | vec.truncated
        ends += over.sum()
        if autoreset == "disabled" and over.sum() > 2:
            vec.reset(options={"reset_mask": over})
            model.reset(over)
            model.compare(vec)
    assert ends > 3


def test_lanes_of_every_player_count(game: Game) -> None:
    for num_players in range(game.min_players, game.max_players + 1):
        vec = VectorEngine(game.ruleset(num_players), NUM_ENVS)
        vec.reset(seed=SEED)
        model = Model(vec.ruleset, "win", "next_step", SEED)
        for _ in range(50):
            actions = vec.sample_actions().tolist()
            vec.step(actions)
            model.step(actions)
            model.compare(vec)


@pytest.mark.parametrize("seed", [0, 2**64 - 2, np.int64(5), np.uint64(2**63)])
def test_lane_i_has_the_seed_plus_i(game: Game, seed: int) -> None:
    vec = VectorEngine(game.ruleset(), 4)
    vec.reset(seed=seed)
    by_list = VectorEngine(game.ruleset(), 4)
    by_list.reset(seed=[(int(seed) + lane) % 2**64 for lane in range(4)])
    assert vec.serialize() == by_list.serialize()
    session = Session(game.ruleset())
    for lane in range(4):
        session.reset((int(seed) + lane) % 2**64)
        assert vec.states[lane].tobytes() == session.state.tobytes()


def test_without_a_seed_generators_go_on(game: Game) -> None:
    vec = VectorEngine(game.ruleset(), 3)
    vec.reset(seed=1)
    vec.reset()
    session = Session(game.ruleset())
    session.reset(3)
    session.reset()
    assert vec.states[2].tobytes() == session.state.tobytes()
    fresh = [VectorEngine(game.ruleset(), 1) for _ in range(2)]
    assert fresh[0].reset()[0]["observation"].shape == (1, game.observation.size)
    fresh[1].reset()
    assert fresh[0].serialize() != fresh[1].serialize()


def test_illegal_actions_leave_a_lane_untouched(vec: VectorEngine) -> None:
    before = vec.states.tobytes()
    actions = vec.action_mask.argmin(axis=1)  # the first action that is not legal
    vec.step(actions)
    assert vec.illegal.all()
    assert vec.states.tobytes() == before
    assert not vec.rewards.any()
    vec.step(vec.sample_actions())
    assert not vec.illegal.any()


# --- threads and batch sizes -----------------------------------------------------------------


def test_the_same_bytes_with_any_number_of_threads(game: Game) -> None:
    runs = []
    for threads in (1, 2, 3):
        vec = VectorEngine(short(game), 3 * MIN_CHUNK_STEPS + 5, threads=threads)
        play(vec, 5, SEED)
        statistics = vec.rollout(3)
        runs.append((vec.serialize(), outputs(vec), str(statistics)))
        vec.close()
    assert runs[0] == runs[1] == runs[2]


def test_the_same_bytes_with_any_batch_size(game: Game) -> None:
    ruleset = short(game)
    large = VectorEngine(ruleset, 12, autoreset="same_step")
    play(large, 60, SEED)
    for size in (1, 3, 4):
        for first in range(0, 12, size):
            small = VectorEngine(ruleset, size, autoreset="same_step")
            play(small, 60, SEED + first)
            lanes = slice(first, first + size)
            assert small.states.tobytes() == large.states[lanes].tobytes()
            assert (small.observation == large.observation[lanes]).all()


def test_play_games_depends_on_nothing_but_the_seed(game: Game) -> None:
    ruleset = short(game)
    vec = VectorEngine(ruleset, 2)
    play(vec, 5, SEED)
    before = vec.serialize()
    results = vec.play_games(40, seed=3)
    assert vec.serialize() == before
    threaded = VectorEngine(ruleset, 7, threads=3).play_games(40, seed=3)
    direct = random_games(ruleset, 40, seed=3)
    assert (results.points == direct.points).all()
    for name in ("points", "winners", "reasons", "truncated", "lengths", "turns"):
        assert (getattr(results, name) == getattr(threaded, name)).all()
    assert results.points.shape == results.winners.shape == (40, ruleset.num_players)
    assert set(results.reasons[results.truncated]) <= {"max_turns"}
    assert "max_turns" not in results.reasons[~results.truncated]


def test_a_rollout_is_steps_without_python(game: Game) -> None:
    ruleset = short(game)
    fast = VectorEngine(ruleset, NUM_ENVS)
    fast.reset(seed=SEED)
    slow = VectorEngine(ruleset, NUM_ENVS, autoreset="same_step")
    slow.reset(seed=SEED)
    statistics = fast.rollout(600)
    ends: dict[str, int] = {}
    scores = np.zeros(ruleset.num_players)
    wins = np.zeros(ruleset.num_players, np.int64)
    length = 0
    for _ in range(600):
        *_, infos = slow.step(slow.sample_actions())
        for lane in np.flatnonzero(infos.get("_winners", [])).tolist():
            ends[infos["reason"][lane]] = ends.get(infos["reason"][lane], 0) + 1
            scores += infos["scores"][lane]
            wins[list(infos["winners"][lane])] += 1
            length += infos["length"][lane]
    assert fast.states.tobytes() == slow.states.tobytes()
    assert (fast.observation == slow.observation).all()
    assert (fast.action_mask == slow.action_mask).all()
    assert statistics.num_steps == 600 * NUM_ENVS
    assert statistics.num_games == sum(ends.values()) > 0
    assert statistics.ends == ends
    assert (statistics.wins == wins).all()
    assert statistics.mean_scores == pytest.approx(scores / statistics.num_games)
    assert statistics.mean_length == pytest.approx(length / statistics.num_games)
    assert not fast.terminated.any()


# --- actions for the lanes -------------------------------------------------------------------


def test_sampled_actions_are_legal_and_do_not_touch_the_games(vec: VectorEngine) -> None:
    before = vec.states.tobytes()
    seen = [vec.sample_actions().copy() for _ in range(200)]
    assert vec.states.tobytes() == before
    mask = vec.action_mask.copy()
    for lane in range(NUM_ENVS):
        chosen = {int(actions[lane]) for actions in seen}
        legal = set(np.flatnonzero(mask[lane]).tolist())
        assert chosen <= legal
        assert len(chosen) >= len(legal) / 2


def test_sampled_actions_are_seeded(vec: VectorEngine) -> None:
    first = vec.sample_actions(seed=3).copy()
    second = vec.sample_actions().copy()
    assert (vec.sample_actions(seed=3) == first).all()
    assert (vec.sample_actions() == second).all()


# --- arrays ----------------------------------------------------------------------------------


def test_arrays_are_rewritten_in_place(vec: VectorEngine) -> None:
    observations, rewards, terminated, truncated, infos = vec.step(vec.sample_actions())
    assert observations["observation"] is vec.observation
    assert observations["action_mask"] is vec.action_mask
    assert rewards is vec.rewards
    assert terminated is vec.terminated
    assert truncated is vec.truncated
    again = vec.reset(seed=1)[0]
    assert again["observation"] is vec.observation
    assert isinstance(infos, dict)
    kinds = [vec.observation, vec.action_mask, vec.rewards, vec.current_player, vec.illegal]
    assert [array.dtype for array in kinds] == [np.uint8, np.int8, np.float64, np.int64, np.bool_]
    assert vec.single_observation_space.contains(
        {key: array[0] for key, array in observations.items()}
    )


def test_copies_on_request(game: Game) -> None:
    vec = VectorEngine(game.ruleset(), 3, copy=True)
    observations, _ = vec.reset(seed=SEED)
    kept = {key: array.copy() for key, array in observations.items()}
    actions = vec.sample_actions()
    taken = vec.step(actions)
    assert all((kept[key] == array).all() for key, array in observations.items())
    for mine, theirs in zip(taken[1:4], (vec.rewards, vec.terminated, vec.truncated)):
        assert not np.shares_memory(mine, theirs)
    assert not np.shares_memory(actions, vec.sample_actions())


def test_without_observations(game: Game) -> None:
    vec = VectorEngine(game.ruleset(), 3, observations=False)
    full = VectorEngine(game.ruleset(), 3)
    for one in (vec, full):
        play(one, 10, SEED)
    assert vec.serialize() == full.serialize()
    assert set(vec.step(vec.sample_actions())[0]) == {"action_mask"}
    assert set(vec.single_observation_space.spaces) == {"action_mask"}
    full.step(full.sample_actions())
    assert (vec.action_mask == full.action_mask).all()


def test_steps_allocate_nothing_that_stays(game: Game) -> None:
    vec = VectorEngine(game.ruleset(), 64)
    play(vec, 20, SEED)
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        play(vec, 30)
        tracemalloc.reset_peak()
        start, _ = tracemalloc.get_traced_memory()
        vec.step(vec.sample_actions())
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 4096
    assert peak - start < 8192


# --- search hooks ----------------------------------------------------------------------------


def twins(vec: VectorEngine) -> dict[str, VectorEngine]:
    restored = VectorEngine(vec.ruleset, vec.num_envs)
    restored.restore(vec)
    read = VectorEngine(vec.ruleset, vec.num_envs)
    read.deserialize(vec.serialize())
    return {
        "clone": vec.clone(),
        "deepcopy": copy.deepcopy(vec),
        "pickle": pickle.loads(pickle.dumps(vec)),
        "restore": restored,
        "deserialize": read,
    }


@pytest.mark.parametrize("autoreset", MODES[:2])
def test_copies_keep_every_lane_and_go_on_alike(game: Game, autoreset: str) -> None:
    vec = VectorEngine(short(game), NUM_ENVS, autoreset=autoreset)
    play(vec, 20, SEED)
    while not (vec.terminated | vec.truncated).any():  # flags are copied as well
        play(vec, 1)
    vec.step(np.full(NUM_ENVS, -1))
    for name, twin in twins(vec).items():
        assert twin.serialize() == vec.serialize(), name
        assert outputs(twin) == outputs(vec), name
        assert not np.shares_memory(twin.states, vec.states)
        if name in ("clone", "deepcopy", "pickle"):
            assert twin.autoreset == vec.autoreset
            original = vec.clone()
            for one in (original, twin):
                play(one, 10)
            assert twin.serialize() == original.serialize(), name


def test_a_fresh_engine_can_be_copied(game: Game) -> None:
    vec = VectorEngine(game.ruleset(), 2)
    for twin in (vec.clone(), copy.deepcopy(vec), pickle.loads(pickle.dumps(vec))):
        with pytest.raises(TabletopError, match="reset"):
            twin.step([0, 0])
        twin.reset(seed=1)


def test_states_can_be_read_and_restored(vec: VectorEngine) -> None:
    states = vec.states
    with pytest.raises(ValueError, match="read-only"):
        states["turn_count"] = 0
    kept = states.copy()
    other = VectorEngine(vec.ruleset, NUM_ENVS)
    other.restore(kept[::-1])
    for lane in range(NUM_ENVS):
        assert other.states[lane].tobytes() == states[NUM_ENVS - 1 - lane].tobytes()
    assert (other.action_mask == vec.action_mask[::-1]).all()
    assert (other.observation == vec.observation[::-1]).all()
    assert not other.rewards.any()
    other.step(other.sample_actions(seed=1))


def test_lanes_in_words(vec: VectorEngine) -> None:
    session = Session(vec.ruleset)
    for lane in range(NUM_ENVS):
        session.from_json(vec.to_json(lane))
        assert session.state.tobytes() == vec.states[lane].tobytes()
        for player in range(vec.num_players):
            assert vec.to_json(lane, player) == session.to_json(player)


def test_determinize_is_that_of_single_games(vec: VectorEngine) -> None:
    session = Session(vec.ruleset)
    before = vec.clone()
    one = vec.clone()
    vec.determinize(1, seed=7)
    one.determinize(1, seed=7, lane=2)
    for lane in range(NUM_ENVS):
        session.from_json(before.to_json(lane))
        session.determinize(1, 7 + lane)
        assert vec.states[lane].tobytes() == session.state.tobytes()
        assert vec.to_json(lane, 1) == before.to_json(lane, 1)
        changed = one.states[lane].tobytes() != before.states[lane].tobytes()
        assert changed == (lane == 2)


def test_foreign_bytes_are_refused(game: Game, vec: VectorEngine) -> None:
    data = vec.serialize()
    before = data, outputs(vec)
    larger = VectorEngine(vec.ruleset, NUM_ENVS + 1)
    larger.reset(seed=1)
    other = VectorEngine(game.ruleset(game.max_players), NUM_ENVS)
    other.reset(seed=1)
    damaged = bytearray(data)
    damaged[len(data) // 2] ^= 1
    session = Session(vec.ruleset)
    session.reset(1)
    bad: list[tuple[Any, str]] = [
        (b"", "not serialized lanes"),
        (b"garbage" * 100, "not serialized lanes"),
        (data[:30], "not serialized lanes|bytes"),
        (data[:-1], "bytes"),
        (data + b"x", "bytes"),
        (bytes(damaged), "damaged"),
        (larger.serialize(), "lanes"),
        (larger, "lanes"),
        (other.serialize(), "another ruleset"),
        (other, "another ruleset"),
        (session.serialize(), "not serialized lanes"),
        ("text", "bytes"),
        (None, "bytes"),
        (7, "bytes"),
        (other.states, "another ruleset|state records"),
        (larger.states, "state records"),
        (np.zeros(NUM_ENVS), "state records"),
        (VectorEngine(vec.ruleset, NUM_ENVS), "reset"),
    ]
    for source, message in bad:
        with pytest.raises(TabletopError, match=message):
            vec.restore(source)
        assert (vec.serialize(), outputs(vec)) == before
    vec.deserialize(bytearray(data))


# --- threads of the caller, forks ------------------------------------------------------------


def test_concurrent_use_is_refused(vec: VectorEngine) -> None:
    inside = threading.Event()
    leave = threading.Event()

    def hold() -> None:
        with vec._lanes.guard:
            inside.set()
            leave.wait(30)

    before = vec.states.tobytes()
    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(hold)
        inside.wait(30)
        for use in (
            lambda: vec.step(np.zeros(NUM_ENVS, np.int64)),
            lambda: vec.reset(seed=1),
            vec.sample_actions,
            lambda: vec.rollout(1),
            vec.serialize,
            vec.clone,
            lambda: vec.to_json(0),
            lambda: vec.determinize(0, 1),
            vec.close,
        ):
            with pytest.raises(TabletopError, match="another thread"):
                use()
        leave.set()
        holding.result()
    assert vec.states.tobytes() == before
    vec.step(vec.sample_actions())


def test_engines_in_several_threads(game: Game) -> None:
    ruleset = short(game)

    def run(seed: int) -> bytes:
        vec = VectorEngine(ruleset, 2 * MIN_CHUNK_STEPS, threads=2)
        play(vec, 20, seed)
        return vec.serialize()

    alone = [run(seed) for seed in range(3)]
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(run, range(3))) == alone


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_forked_after_threads_were_used_plays_on(game: Game) -> None:
    vec = VectorEngine(short(game), 2 * MIN_CHUNK_STEPS, threads=2)
    play(vec, 3, SEED)
    twin = vec.clone()
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()

    def in_child() -> None:
        play(vec, 5)
        theirs.send_bytes(vec.serialize())

    child = context.Process(target=in_child)
    child.start()
    assert ours.poll(60), "the child hangs"
    from_child = ours.recv_bytes()
    child.join(30)
    assert child.exitcode == 0
    play(twin, 5)
    assert from_child == twin.serialize()
    play(vec, 5)
    assert from_child == vec.serialize()


# --- input -----------------------------------------------------------------------------------

ACTION_FORMS = {
    "int64": lambda actions: actions,
    "int32": lambda actions: actions.astype(np.int32),
    "uint16": lambda actions: actions.astype(np.uint16),
    "uint64": lambda actions: actions.astype(np.uint64),
    "big-endian": lambda actions: actions.astype(">i8"),
    "big-endian int16": lambda actions: actions.astype(">i2"),
    "strided": lambda actions: np.repeat(actions, 3)[::3],
    "reversed": lambda actions: actions[::-1].copy()[::-1],
    "read-only": lambda actions: np.frombuffer(actions.tobytes(), np.int64),
    "unaligned": lambda actions: np.frombuffer(b"x" + actions.tobytes(), np.int64, offset=1),
    "list": lambda actions: actions.tolist(),
    "tuple of NumPy integers": lambda actions: tuple(actions),
}


@pytest.mark.parametrize("form", ACTION_FORMS)
def test_actions_of_every_integer_form(vec: VectorEngine, form: str) -> None:
    vec.reset(seed=4)  # the first decisions of all games have actions that fit into a byte
    twin = vec.clone()
    actions = vec.action_mask.argmax(axis=1)
    vec.step(actions)
    given = ACTION_FORMS[form](actions)
    twin.step(given)
    assert twin.states.tobytes() == vec.states.tobytes()
    assert list(given) == list(actions)


def test_arrays_of_the_engine_itself(vec: VectorEngine) -> None:
    """What a step overwrites may be what it is given."""
    vec.reset(seed=4)
    twin = vec.clone()
    for chosen in (vec.action_mask[:, 0], vec.current_player, vec.observation[:, 0]):
        actions = chosen.astype(np.int64)
        vec.step(chosen)
        twin.step(actions)
        assert vec.serialize() == twin.serialize()
    before = vec.serialize()
    vec.restore(vec)
    assert vec.serialize() == before
    before = vec.states.tobytes()
    vec.restore(vec.states)
    assert vec.states.tobytes() == before


def test_arrays_that_are_exchanged(vec: VectorEngine) -> None:
    """Attributes that hold something else do not reach the kernels."""
    twin = vec.clone()
    for name in ("observation", "action_mask", "rewards", "terminated", "current_player"):
        setattr(vec, name, np.zeros(1, np.complex64))
    play(vec, 5)
    play(twin, 5)
    assert vec.serialize() == twin.serialize()


@pytest.mark.parametrize("number", [-1, -(2**63), 2**63 - 1, 64, 128, 10**9])
def test_numbers_that_are_no_action_are_illegal(vec: VectorEngine, number: int) -> None:
    before = vec.states.tobytes()
    vec.step(np.full(NUM_ENVS, number))
    if number != 64:
        assert vec.illegal.all()
        assert vec.states.tobytes() == before
    vec.step(np.full(NUM_ENVS, 2**64 - 1, np.uint64))
    assert vec.illegal.all()


BAD_ACTIONS = {
    "float": np.zeros(NUM_ENVS),
    "NaN": np.full(NUM_ENVS, np.nan),
    "whole floats": [0.0] * NUM_ENVS,
    "bool": np.zeros(NUM_ENVS, np.bool_),
    "text": ["0"] * NUM_ENVS,
    "bytes": b"00000",
    "objects": np.array([0] * NUM_ENVS, dtype=object),
    "None": None,
    "None in a list": [None] * NUM_ENVS,
    "scalar": 3,
    "too few": np.zeros(NUM_ENVS - 1, np.int64),
    "too many": np.zeros(NUM_ENVS + 1, np.int64),
    "two axes": np.zeros((NUM_ENVS, 1), np.int64),
    "ragged": [[0], [0, 1], 0, 0, 0],
    "beyond 64 bits": [2**70] * NUM_ENVS,
    "complex": np.zeros(NUM_ENVS, np.complex128),
    "dates": np.zeros(NUM_ENVS, "datetime64[s]"),
    "a dictionary": {"action": 0},
}


@pytest.mark.parametrize("name", BAD_ACTIONS)
def test_bad_actions_change_nothing(vec: VectorEngine, name: str) -> None:
    before = vec.serialize(), outputs(vec)
    with pytest.raises(
        TabletopError, match=r"actions must be an array of integers of shape \(5,\)"
    ):
        vec.step(BAD_ACTIONS[name])
    assert (vec.serialize(), outputs(vec)) == before


@pytest.mark.parametrize(
    "arguments",
    [
        {"seed": -1},
        {"seed": 2**64},
        {"seed": 1.5},
        {"seed": "1"},
        {"seed": True},
        {"seed": [1, 2]},
        {"seed": [1, 2, 3, 4, -5]},
        {"seed": [[1]] * NUM_ENVS},
        {"seed": np.zeros(NUM_ENVS)},
        {"options": 3},
        {"options": {"reset_mask": [True] * NUM_ENVS}},
        {"options": {"reset_mask": np.ones(NUM_ENVS)}},
        {"options": {"reset_mask": np.ones(NUM_ENVS - 1, np.bool_)}},
        {"options": {"reset_mask": np.zeros(NUM_ENVS, np.bool_)}},
    ],
    ids=str,
)
def test_bad_resets_change_nothing(vec: VectorEngine, arguments: dict[str, Any]) -> None:
    before = vec.serialize(), outputs(vec)
    with pytest.raises(TabletopError):
        vec.reset(**arguments)
    assert (vec.serialize(), outputs(vec)) == before


def test_some_lanes_begin_anew(vec: VectorEngine) -> None:
    before = vec.clone()
    chosen = np.array([True, False, True, False, False])
    options = {"reset_mask": chosen, "unknown": 1}
    vec.reset(seed=50, options=options)
    fresh = VectorEngine(vec.ruleset, NUM_ENVS)
    fresh.reset(seed=50)
    for lane in range(NUM_ENVS):
        source = fresh if chosen[lane] else before
        assert vec.states[lane].tobytes() == source.states[lane].tobytes()
        assert (vec.observation[lane] == source.observation[lane]).all()
        assert (vec.action_mask[lane] == source.action_mask[lane]).all()
    assert set(options) == {"reset_mask", "unknown"}
    partial = VectorEngine(vec.ruleset, NUM_ENVS)
    with pytest.raises(TabletopError, match="first reset must begin all lanes"):
        partial.reset(options={"reset_mask": chosen})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs"),
        ({"num_envs": 2.0}, "num_envs"),
        ({"num_envs": True}, "num_envs"),
        ({"reward": "money"}, "reward must be one of win, score, margin"),
        ({"autoreset": "never"}, "autoreset must be one of next_step, same_step, disabled"),
        ({"autoreset": None}, "autoreset"),
        ({"threads": 0}, "threads"),
        ({"threads": "all"}, "threads"),
    ],
    ids=str,
)
def test_bad_constructor_arguments(game: Game, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TabletopError, match=message):
        VectorEngine(game.ruleset(), **{"num_envs": 2, **arguments})


@pytest.mark.parametrize("mode", AutoresetMode)
def test_gymnasium_autoreset_modes(game: Game, mode: AutoresetMode) -> None:
    ruleset = game.ruleset()
    assert VectorEngine(ruleset, 1, autoreset=mode).autoreset is mode
    assert VectorEngine(ruleset, 1, autoreset=mode.name.lower()).autoreset is mode
    assert VectorEngine(ruleset, 1, autoreset=mode.value).autoreset is mode


def test_bad_calls(vec: VectorEngine) -> None:
    before = vec.serialize(), outputs(vec)
    bad = [
        lambda: vec.to_json(NUM_ENVS),
        lambda: vec.to_json(-1),
        lambda: vec.to_json(1.0),  # type: ignore[arg-type]
        lambda: vec.to_json(0, vec.num_players),
        lambda: vec.determinize(-1),
        lambda: vec.determinize(0, seed=-1),
        lambda: vec.determinize(0, lane=NUM_ENVS),
        lambda: vec.rollout(0),
        lambda: vec.rollout(1.5),  # type: ignore[arg-type]
        lambda: vec.play_games(0),
        lambda: vec.play_games(1, seed=-1),
        lambda: vec.sample_actions(seed="x"),
    ]
    for call in bad:
        with pytest.raises(TabletopError):
            call()
        assert (vec.serialize(), outputs(vec)) == before


def test_before_reset_and_after_close(game: Game) -> None:
    vec = VectorEngine(game.ruleset(), 2, threads=2)
    uses = [
        lambda: vec.step([0, 0]),
        vec.sample_actions,
        lambda: vec.rollout(1),
        vec.serialize,
        lambda: vec.to_json(0),
        lambda: vec.determinize(0),
    ]
    for use in uses:
        with pytest.raises(TabletopError, match="reset"):
            use()
    vec.reset(seed=1)
    vec.close()
    vec.close()
    for use in [*uses, vec.reset, lambda: vec.play_games(1)]:
        with pytest.raises(TabletopError, match="closed"):
            use()
