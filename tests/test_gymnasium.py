"""The single-agent view, the bots, and the games in Gymnasium's registry."""

from __future__ import annotations

import copy
import itertools
import math
import os
import pickle
import random
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence

from tabletop_core.bots import Observation, RandomBot, make_bot, sample_legal
from tabletop_core.errors import TabletopError
from tabletop_core.game import Game, Ruleset
from tabletop_core.registration import environment_id, register_environments
from tabletop_core.seat_env import SeatVectorEnv
from tabletop_core.single_agent import SingleAgentEnv
from tabletop_core.vector_env import VectorEngine
from tabletop_core.views import Views

NOT_ACTIONS = [True, 1.0, math.nan, "0", None, [0], np.zeros(1, int), -1, 10**6, 2**70]

Make = Callable[..., SingleAgentEnv]


@pytest.fixture
def make(ruleset: Ruleset) -> Make:
    """Constructor of the single-agent view of every game, at every number of players."""

    def make_view(**arguments: Any) -> SingleAgentEnv:
        return Views(ruleset.game).single_agent(num_players=ruleset.num_players, **arguments)

    return make_view


def first_legal(observation: Observation, player: int, rng: np.random.Generator) -> int:
    """A bot without chance."""
    return int(observation["action_mask"].argmax())


def play(env: Any, observation: Observation, seed: int = 0, moves: int = 10**6) -> list[Any]:
    """Play legal actions up to the end of the game (or `moves` of them); all that was returned."""
    rng = random.Random(seed)
    returned: list[Any] = []
    while len(returned) < moves:
        returned.append(env.step(sample_legal(observation["action_mask"], rng)))
        observation = returned[-1][0]
        if returned[-1][2] or returned[-1][3]:
            break
    return returned


def an_illegal_action(observation: Observation) -> int:
    return int(np.flatnonzero(observation["action_mask"] == 0)[0])


# --- Gymnasium's own test --------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, -1, "rotate"])
def test_check_env(make: Make, ruleset: Ruleset, seat: Any) -> None:
    seat = ruleset.num_players - 1 if seat == -1 else seat
    register_environments(ruleset.game)
    arguments = {"num_players": ruleset.num_players, "seat": seat}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(environment_id(ruleset.game), **arguments)
        check_env(env.unwrapped)


def test_check_env_of_a_view_that_is_not_registered(make: Make) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(), skip_render_check=True)


# --- play ------------------------------------------------------------------------------------


def test_whole_games(make: Make, ruleset: Ruleset) -> None:
    for seat in range(ruleset.num_players):
        env = make(seat=seat, reward="win")
        observation, info = env.reset(seed=seat)
        assert observation in env.observation_space
        assert info == {"player": seat}
        returned = play(env, observation, seed=seat)
        for seen, reward, terminated, truncated, info in returned:
            assert seen in env.observation_space
            assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
            assert info["player"] == seat
        assert all(
            reward == 0 and info == {"player": seat} for _, reward, *_, info in returned[:-1]
        )
        assert all(seen["action_mask"].any() for seen, *_ in returned[:-1])
        seen, reward, terminated, truncated, info = returned[-1]
        assert terminated and not truncated
        assert not seen["action_mask"].any()
        assert info == {**env.session.result(), "player": seat}
        assert reward == env.session.rewards()[seat]


def test_the_cap_on_turns(make: Make, ruleset: Ruleset) -> None:
    if "max_turns" not in vars(ruleset.options):
        pytest.skip(f"{ruleset.game.id} has no cap on turns")
    env = make(max_turns=2 * ruleset.num_players)
    *_, (_, _, terminated, truncated, info) = play(env, env.reset(seed=1)[0])
    assert (terminated, truncated) == (False, True)
    assert info["reason"] == "max_turns"


def test_the_seat_is_asked_only_when_it_is_to_move(make: Make) -> None:
    env = make()
    observation, _ = env.reset(seed=2)
    for _ in range(30):
        if env.session.is_over:
            break
        assert env.session.current_player == env.player
        assert np.array_equal(observation["observation"], env.session.observe(env.player))
        assert np.array_equal(observation["action_mask"], env.session.mask)
        assert np.array_equal(env.action_masks(), observation["action_mask"] == 1)
        assert env.action_masks().dtype == np.bool_
        assert env.legal_actions() == np.flatnonzero(observation["action_mask"]).tolist()
        ((observation, *_),) = play(env, observation, moves=1)


def test_seats_rotate(make: Make, ruleset: Ruleset) -> None:
    env = make(seat="rotate")
    seats = [env.reset(seed=seed)[1]["player"] for seed in (3, None, None, None, None, None, 3)]
    assert seats == [k % ruleset.num_players for k in range(6)] + [0]


def test_the_seed_decides_the_game_and_the_bots(make: Make) -> None:
    games = []
    for seed in (4, 4, 5, None):
        env = make()
        observation, _ = env.reset(seed=seed)
        games.append([play(env, observation), play(env, env.reset()[0], moves=5)])
    assert data_equivalence(games[0], games[1], exact=True)
    assert not data_equivalence(games[0], games[2])
    assert not data_equivalence(games[0], games[3])


def test_the_game_is_that_of_the_aec_view(make: Make, ruleset: Ruleset) -> None:
    env = make(opponents=first_legal)
    aec = Views(ruleset.game).env(num_players=ruleset.num_players)
    observation, _ = env.reset(seed=6)
    aec.reset(seed=6)
    for step in range(20):
        while aec.agent_selection != "player_0":
            aec.step(aec.legal_actions()[0])
        assert aec.serialize() == env.serialize()
        action = env.legal_actions()[step % len(env.legal_actions())]
        env.step(action)
        aec.step(action)


def test_nothing_returned_is_used_again(make: Make) -> None:
    env = make()
    calls = [env.reset(seed=7)]
    for _ in range(3):
        observation, *_, info = play(env, calls[-1][0], moves=1)[0]
        calls.append((observation, info))
    calls.append((env.observe(), {}))
    kept = copy.deepcopy(calls)
    for k, first in enumerate(calls):
        for second in calls[k + 1 :]:
            assert first[1] is not second[1]
            for one, other in itertools.product(first[0].values(), second[0].values()):
                assert not np.shares_memory(one, other)
    for array in (env.observe()["observation"], env.observe()["action_mask"], env.action_masks()):
        array[:] = 1
    play(env, calls[-1][0])
    assert data_equivalence(calls, kept, exact=True)


# --- illegal actions and bad input -----------------------------------------------------------


def test_an_illegal_action_ends_the_game(make: Make) -> None:
    env = make()
    observation, _ = env.reset(seed=8)
    action = an_illegal_action(observation)
    words = env.action_to_string(action)
    seen, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert type(reward) is float
    assert info["illegal_action"] == words
    assert info["reason"] == "illegal_action"
    assert info["winners"] == []
    assert len(info["scores"]) == env.session.num_players
    assert np.array_equal(seen["observation"], observation["observation"])
    assert not seen["action_mask"].any()
    assert not env.action_masks().any()
    assert env.legal_actions() == []
    with pytest.raises(TabletopError, match=r"reset\(\)"):
        env.step(0)
    assert env.reset()[0]["action_mask"].any()


def test_an_illegal_action_may_raise(make: Make) -> None:
    env = make(on_illegal="raise")
    observation, _ = env.reset(seed=8)
    before = env.serialize()
    action = an_illegal_action(observation)
    with pytest.raises(TabletopError) as error:
        env.step(action)
    for part in (env.session.game.id, "player 0", env.action_to_string(action)):
        assert part in str(error.value)
    assert env.serialize() == before
    play(env, observation, moves=1)


@pytest.mark.parametrize("action", NOT_ACTIONS, ids=repr)
def test_what_is_no_action_is_refused(make: Make, action: Any) -> None:
    env = make()
    observation, _ = env.reset(seed=9)
    before = env.serialize()
    with pytest.raises(TabletopError, match="integer from 0"):
        env.step(action)
    assert env.serialize() == before
    play(env, observation, moves=1)


def test_calls_out_of_order(make: Make) -> None:
    env = make(render_mode="ansi")
    calls: list[Callable[[], Any]] = [
        lambda: env.step(0),
        env.observe,
        env.action_masks,
        env.render,
        env.serialize,
    ]
    for call in calls:
        with pytest.raises(TabletopError, match=r"reset\(\)"):
            call()
    play(env, env.reset(seed=1)[0])
    with pytest.raises(TabletopError, match=r"reset\(\)"):
        env.step(0)
    env.close()
    env.close()


@pytest.mark.parametrize("arguments", [{"seed": -1}, {"seed": 1.5}, {"seed": "1"}, {"options": 1}])
def test_bad_resets_change_nothing(make: Make, arguments: dict[str, Any]) -> None:
    env = make()
    observation, _ = env.reset(seed=10)
    before = env.serialize()
    with pytest.raises(TabletopError):
        env.reset(**arguments)
    assert env.serialize() == before
    play(env, observation, moves=1)
    env.reset(seed=10, options={"unknown": 1})
    assert env.serialize() == before


BAD_ARGUMENTS: list[dict[str, Any]] = [
    {"seat": -1},
    {"seat": 9},
    {"seat": 1.0},
    {"seat": True},
    {"seat": "north"},
    {"on_illegal": "ignore"},
    {"opponents": "grandmaster"},
    {"opponents": 3},
    {"opponents": None},
    {"opponents": RandomBot},
    {"opponents": []},
    {"opponents": ["random"] * 9},
]


@pytest.mark.parametrize("arguments", BAD_ARGUMENTS, ids=str)
def test_bad_arguments(make: Make, arguments: dict[str, Any]) -> None:
    with pytest.raises(TabletopError):
        make(**arguments)


# --- bots ------------------------------------------------------------------------------------


def test_bots_by_name() -> None:
    assert isinstance(make_bot("random"), RandomBot)
    assert make_bot(first_legal) is first_legal


def test_each_opponent_has_its_bot(make: Make, ruleset: Ruleset) -> None:
    asked: list[tuple[int, int]] = []

    def listener(number: int) -> Callable[..., int]:
        def bot(observation: Observation, player: int, rng: np.random.Generator) -> int:
            assert observation["action_mask"].any()
            assert isinstance(rng, np.random.Generator)
            asked.append((number, player))
            return sample_legal(observation["action_mask"], rng)

        return bot

    others = ruleset.num_players - 1
    for seat in range(ruleset.num_players):
        asked.clear()
        env = make(seat=seat, opponents=[listener(number) for number in range(others)])
        play(env, env.reset(seed=11)[0])
        players = [(seat + 1 + number) % ruleset.num_players for number in range(others)]
        assert set(asked) == set(enumerate(players))


@pytest.mark.parametrize("answer", [-1, 10**6, "pass", None, 0.5])
def test_a_bot_that_answers_nonsense_is_named(make: Make, answer: Any) -> None:
    env = make(opponents=lambda observation, player, rng: answer, seat=0)
    with pytest.raises(TabletopError, match="the bot of player"):
        for seed in range(99):
            play(env, env.reset(seed=seed)[0])
    with pytest.raises(TabletopError, match=r"reset\(\)"):
        env.step(0)


def test_a_bot_that_breaks_rules_is_named(make: Make) -> None:
    def bot(observation: Observation, player: int, rng: np.random.Generator) -> int:
        return an_illegal_action(observation)

    env = make(opponents=bot)
    with pytest.raises(TabletopError, match="the bot of player .* may not play"):
        for seed in range(99):
            play(env, env.reset(seed=seed)[0])


def test_a_bot_that_fails_needs_a_reset(make: Make) -> None:
    def bot(observation: Observation, player: int, rng: np.random.Generator) -> int:
        raise ZeroDivisionError

    env = make(opponents=bot)
    with pytest.raises(ZeroDivisionError):
        for seed in range(99):
            play(env, env.reset(seed=seed)[0])
    with pytest.raises(TabletopError, match=r"reset\(\)"):
        env.step(0)


def test_sampling_is_uniform_over_legal_actions() -> None:
    mask = np.zeros(130, np.int8)
    legal = [0, 3, 64, 127, 129]
    mask[legal] = 1
    for rng in (random.Random(1), np.random.default_rng(1), None):
        drawn = [sample_legal(mask, rng) for _ in range(5000)]
        counts = np.bincount(drawn, minlength=130)
        assert counts.sum() == counts[legal].sum() == 5000
        assert counts[legal].min() > 850 and counts[legal].max() < 1150
        assert isinstance(drawn[0], (int, np.integer))
    forms = [mask.astype(bool), mask.astype(np.int64), mask.tolist(), np.repeat(mask, 2)[::2]]
    for form in forms:
        assert [sample_legal(form, random.Random(k)) for k in range(50)] == [
            sample_legal(mask, random.Random(k)) for k in range(50)
        ]
    for empty in (np.zeros(5, np.int8), np.zeros(0, np.int8)):
        with pytest.raises(TabletopError, match="legal"):
            sample_legal(empty)


# --- positions -------------------------------------------------------------------------------

COPIES: dict[str, Callable[[Any], Any]] = {
    "clone": lambda env: env.clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("moves", [0, 9])
def test_copies_keep_position_and_bots(make: Make, way: str, moves: int) -> None:
    env = make()
    observation, _ = env.reset(seed=12)
    for seen, *_ in play(env, observation, moves=moves):
        observation = seen
    before = env.serialize()
    twin = COPIES[way](env)
    other = make(seat=env.session.num_players - 1)
    other.restore(env)
    for restored in (twin, other):
        assert data_equivalence(restored.observe(), observation, exact=True)
    told = [play(restored, observation) for restored in (twin, other)]
    assert env.serialize() == before
    told.append(play(env, observation))
    assert data_equivalence(told[0], told[2], exact=True)
    assert data_equivalence(told[1], told[2], exact=True)


def test_positions_of_other_views(make: Make, ruleset: Ruleset) -> None:
    aec = Views(ruleset.game).env(num_players=ruleset.num_players)
    aec.reset(seed=13)
    for _ in range(20):
        if aec.agent_selection != "player_0":
            break
        aec.step(aec.legal_actions()[-1])
    for load in (
        lambda env: env.restore(aec),
        lambda env: env.restore(aec.serialize()),
        lambda env: env.deserialize(aec.serialize()),
        lambda env: env.from_json(aec.to_json()),
    ):
        env = make(opponents=first_legal)
        env.reset(seed=1)
        load(env)
        assert env.session.current_player == env.player
        play(env, env.observe())
    env.determinize(0, seed=1)


# --- rendering -------------------------------------------------------------------------------


def test_rendering_shows_what_the_seat_knows(
    make: Make, ruleset: Ruleset, capsys: pytest.CaptureFixture[str]
) -> None:
    seat = ruleset.num_players - 1
    env = make(seat=seat, render_mode="ansi")
    env.reset(seed=14)
    assert env.render() == env.session.render(seat)
    # Junk Orbit hides nothing, and hands of the Stargate TCG may not have been dealt yet.
    if ruleset.game.name != "stargate":
        assert (env.render() != env.session.render()) == (ruleset.game.name != "junkorbit")
    assert capsys.readouterr().out == ""
    human = make(seat=seat, render_mode="human")
    human.reset(seed=14)
    assert capsys.readouterr().out.strip() == str(env.render()).strip()
    assert human.render() is None


# --- registry --------------------------------------------------------------------------------


def test_make_and_make_vec(game: Game) -> None:
    register_environments(game)
    name = environment_id(game)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        register_environments(game)
        env = gymnasium.make(name, num_players=game.max_players)
        assert isinstance(env.unwrapped, SingleAgentEnv)
        assert isinstance(gymnasium.spec(name).entry_point, str)
        assert isinstance(gymnasium.spec(name).vector_entry_point, str)
        assert gymnasium.spec(name).to_json()
        vector = gymnasium.make_vec(name, num_envs=3)
        assert isinstance(vector, SeatVectorEnv)
        observation, _ = vector.reset(seed=1)
        assert observation in vector.observation_space
        several = gymnasium.make_vec(name, num_envs=2, vectorization_mode="sync")
        observation, _ = several.reset(seed=1)
        masks = tuple(observation["action_mask"])
        several.step(several.action_space.sample(mask=masks))
        several.close()


def test_standard_wrappers(game: Game) -> None:
    register_environments(game)
    env = gymnasium.make(environment_id(game))
    env = gymnasium.wrappers.RecordEpisodeStatistics(gymnasium.wrappers.TimeLimit(env, 5))
    observation, _ = env.reset(seed=2)
    returned = play(env, observation)
    assert len(returned) == 5
    assert returned[-1][3] is True
    assert returned[-1][4]["episode"]["l"] == 5
    assert env.get_wrapper_attr("action_masks")().any()


def test_views_of_many_games(ruleset: Ruleset) -> None:
    views = Views(ruleset.game)
    engine = views.make_vec(4, num_players=ruleset.num_players, threads=1, copy=True)
    assert isinstance(engine, VectorEngine)
    seat = views.make_vec(4, num_players=ruleset.num_players, opponents="random", seat="rotate")
    assert isinstance(seat, SeatVectorEnv)
    for arguments in (
        {"seat": 1},
        {"render_mode": "ansi"},
        {"opponents": "random", "copy": True},
        {"opponents": "random", "observations": False},
        {"opponents": "grandmaster"},
        {"no_such_option": 1},
        {"num_players": 0},
        {"reward": "money"},
        {"autoreset": "never"},
    ):
        with pytest.raises(TabletopError):
            views.make_vec(4, **arguments)


SPAWNED = """
import multiprocessing
import gymnasium
import numpy as np

def first_moves(environment):
    spec, pickled = environment
    env = gymnasium.make(spec)
    observation, _ = env.reset(seed=3)
    for _ in range(5):
        observation, *_ = env.step(int(observation["action_mask"].argmax()))
    pickled.step(int(pickled.last()[0]["action_mask"].argmax()))
    return observation["observation"].tolist(), pickled.serialize()

if __name__ == "__main__":
    import {package}
    module = {module}
    env = module.env(num_players={players})
    env.reset(seed=4)
    task = gymnasium.spec("{name}"), env
    here = first_moves((task[0], env.clone()))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(first_moves, [task]) == [here]
    vector = gymnasium.make_vec(
        "{name}", 1, vectorization_mode="async", vector_kwargs={{"context": "spawn"}}
    )
    observations, _ = vector.reset(seed=3)
    vector.step(np.argmax(observations["action_mask"], axis=1))
    vector.close()
    found = gymnasium.make("{package}:{name}")
    print("same")
"""


def test_spawned_workers(game: Game, tmp_path: Path) -> None:
    path = tmp_path / "spawned.py"
    package = game.module.partition(".")[0]
    text = SPAWNED.format(
        module=game.module,
        package=package,
        players=game.max_players,
        name=environment_id(game),
    )
    path.write_text(text)
    root = Path(__file__).parent.parent
    python_path = os.pathsep.join([str(root), *filter(None, [os.environ.get("PYTHONPATH")])])
    result = subprocess.run(
        [sys.executable, path],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": python_path},
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == "same\n"


IMPORTED = """
import sys, time
start = time.process_time()
import numba, gymnasium, gymnasium.vector, pettingzoo, pettingzoo.utils
needed = time.process_time()
import {module}
print((time.process_time() - needed) / (needed - start))
assert "{name}" in gymnasium.registry
"""


def test_importing_is_quick_and_silent(game: Game) -> None:
    """It takes less than half the time of importing what it needs, on any machine."""
    root = Path(__file__).parent.parent
    code = IMPORTED.format(module=game.module, name=environment_id(game))
    # Bytecode is kept, as it is for users: without it the source is compiled by every process.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    results = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=root, env=environment
        )
        for _ in range(3)
    ]
    assert all(result.returncode == 0 for result in results), results[0].stderr
    assert min(float(result.stdout) for result in results) < 0.5
