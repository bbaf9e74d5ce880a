"""The AEC and the Parallel view: PettingZoo's own tests, and what those do not look at."""

from __future__ import annotations

import copy
import math
import pickle
import random
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
    state_test,
)
from pettingzoo.utils import BaseWrapper, turn_based_aec_to_parallel

from tabletop_core.aec import TabletopEnv
from tabletop_core.bots import sample_legal
from tabletop_core.errors import TabletopError
from tabletop_core.game import Game, Ruleset
from tabletop_core.parallel import TabletopParallelEnv
from tabletop_core.registration import environment_id, register_environments
from tabletop_core.views import Views

SHORT = 4  # as `max_turns`: too few turns for any game to end by its rules
NOT_ACTIONS = [True, np.bool_(True), 1.0, math.nan, np.float32(1), "0", None, [0], np.zeros(1, int)]
OUT_OF_RANGE = [-1, 10**6, 2**63, 2**70, -(2**70)]
INTEGERS = [int, np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64, np.array]
# PettingZoo knows games with dict observations by a list of its own games.
ABOUT_DICTS = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
)

Make = Callable[..., Any]


@pytest.fixture
def make(ruleset: Ruleset) -> Make:
    """Constructor of any view of every game, at every number of players."""

    def make_view(view: str = "env", **arguments: Any) -> Any:
        arguments = {"num_players": ruleset.num_players, **arguments}
        return getattr(Views(ruleset.game), view)(**arguments)

    return make_view


@pytest.fixture
def make_short(make: Make, ruleset: Ruleset) -> Make:
    """The same with a cap on turns that ends each game early."""
    options = {"max_turns": SHORT} if "max_turns" in vars(ruleset.options) else {}
    if not options:
        pytest.skip(f"{ruleset.game.id} has no cap on turns")
    return lambda view="env", **arguments: make(view, **options, **arguments)


def play(env: Any, seed: int = 0, moves: int | None = None) -> list[int]:
    """Play legal actions until the game is over (or `moves` of them); the actions."""
    rng = random.Random(seed)
    actions: list[int] = []
    while env.agents and len(actions) != moves:
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            break
        actions.append(sample_legal(observation["action_mask"], rng))
        env.step(actions[-1])
    return actions


def an_illegal_action(env: Any) -> int:
    return int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0])


def snapshot(env: Any) -> Any:
    """All that a step could have changed."""
    bookkeeping = (env.agents, env.agent_selection, env.rewards, env._cumulative_rewards)
    return copy.deepcopy(
        (env.serialize(), bookkeeping, env.terminations, env.truncations, env.infos)
    )


def equal(left: Any, right: Any) -> bool:
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    if isinstance(left, np.ndarray):
        return left.dtype == right.dtype and np.array_equal(left, right)
    return type(left) is type(right) and left == right


# --- PettingZoo's own tests ------------------------------------------------------------------

KINDS = {"raw": ("raw_env", {}), "own": ("env", {}), "stock": ("env", {"stock_wrappers": True})}


@pytest.mark.parametrize("kind", KINDS)
def test_api(make: Make, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    view, arguments = KINDS[kind]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(make(view, **arguments), num_cycles=100)
    messages = [str(warning.message) for warning in caught]
    assert [text for text in messages if not text.startswith(ABOUT_DICTS)] == []


def test_api_to_the_end_of_short_games(make_short: Make) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(make_short(), num_cycles=1000)


def test_parallel_api(make: Make) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(make("parallel_env"), num_cycles=300)


def test_parallel_api_to_the_end_of_short_games(make_short: Make) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(make_short("parallel_env"), num_cycles=1000)


@pytest.mark.parametrize("kind", KINDS)
def test_seeds(make: Make, kind: str) -> None:
    view, arguments = KINDS[kind]
    seed_test(lambda: make(view, **arguments), num_cycles=50)
    parallel_seed_test(lambda: make("parallel_env"))


def test_rendering(make: Make) -> None:
    render_test(lambda render_mode: make(render_mode=render_mode))


def test_states(make: Make) -> None:
    state_test(make(), make("parallel_env"))


# --- spaces, agents, metadata ----------------------------------------------------------------


def test_all_agents_share_the_same_space_objects(make: Make, ruleset: Ruleset) -> None:
    game = ruleset.game
    for env in (make(), make("raw_env"), make("parallel_env")):
        assert env.possible_agents == [f"player_{k}" for k in range(ruleset.num_players)]
        assert len({id(env.observation_space(agent)) for agent in env.possible_agents}) == 1
        assert len({id(env.action_space(agent)) for agent in env.possible_agents}) == 1
        space = env.observation_space("player_0")
        assert list(space.keys()) == ["action_mask", "observation"]
        assert space["observation"].dtype == np.uint8
        assert np.array_equal(space["observation"].high, game.observation.high())
        assert not space["observation"].low.any()
        assert space["action_mask"].dtype == np.int8
        assert space["action_mask"].shape == (game.actions.count,)
        assert env.action_space("player_0").n == game.actions.count
        assert make().action_space("player_0") is not env.action_space("player_0")  # own generator


def test_metadata(make: Make, ruleset: Ruleset) -> None:
    for view in ("env", "raw_env", "parallel_env"):
        env = make(view)
        assert env.metadata["name"] == ruleset.game.id == str(env)
        assert env.metadata["is_parallelizable"] is False
        assert "ansi" in env.metadata["render_modes"]
        assert env.metadata["render_fps"] > 0
        assert env.render_mode is None
        assert env.unwrapped is env


def test_agents_leave_one_by_one_and_none_comes_back(make: Make, ruleset: Ruleset) -> None:
    env = make()
    env.reset(seed=3)
    assert env.agents == env.possible_agents
    assert env.agents is not env.possible_agents
    play(env)
    leaving = []
    for agent in env.agent_iter():
        leaving.append(agent)
        env.step(None)
    assert leaving == env.possible_agents
    assert env.agents == []
    assert env.num_agents == 0
    assert env.max_num_agents == ruleset.num_players


# --- what agents see -------------------------------------------------------------------------


def test_everybody_may_look_at_any_moment(make: Make) -> None:
    env = make()
    env.reset(seed=4)

    def look() -> None:
        for agent in env.possible_agents:
            seen = env.observe(agent)
            assert seen in env.observation_space(agent)
            is_live = agent in env.agents and not (
                env.terminations[agent] or env.truncations[agent]
            )
            assert seen["action_mask"].any() == (is_live and agent == env.agent_selection)
            assert np.array_equal(
                seen["observation"], env.session.observe(env.possible_agents.index(agent))
            )

    for _ in range(30):
        look()
        assert equal(env.last()[0], env.observe(env.agent_selection))
        play(env, moves=1)
    play(env)
    while env.agents:
        look()
        assert equal(env.last()[0], env.observe(env.agent_selection))
        env.step(None)
    look()


def test_observations_are_fresh(make: Make) -> None:
    env = make()
    env.reset(seed=5)
    before = snapshot(env)
    kept = [env.last()[0], env.last()[0], *map(env.observe, env.agents)]
    copies = copy.deepcopy(kept)
    for k, first in enumerate(kept):
        for second in kept[k + 1 :]:
            assert not np.shares_memory(first["observation"], second["observation"])
            assert not np.shares_memory(first["action_mask"], second["action_mask"])
    play(env, moves=20)
    assert equal(dict(enumerate(kept)), dict(enumerate(copies)))
    env.reset(seed=5)
    for seen in [env.last()[0], env.observe(env.agent_selection)]:
        for array in seen.values():
            assert array.flags.writeable
            array[:] = 1
    assert snapshot(env) == before
    assert equal(env.last()[0], kept[0])


def test_last_without_observation(make: Make) -> None:
    env = make()
    env.reset(seed=5)
    observation, *others = env.last()
    assert env.last(observe=False) == (None, *others)


def test_states_are_fresh_and_whole(make: Make, ruleset: Ruleset) -> None:
    for env in (make(), make("parallel_env")):
        env.reset(seed=6)
        state = env.state()
        assert state in env.state_space
        assert state.tobytes() == env.session.state.tobytes()
        state[:] = 0
        assert env.state().any()


# --- types, rewards, end ---------------------------------------------------------------------


def assert_plain_types(env: Any) -> None:
    for agent in env.agents:
        assert type(env.rewards[agent]) is float
        assert type(env._cumulative_rewards[agent]) is float
        assert type(env.terminations[agent]) is bool
        assert type(env.truncations[agent]) is bool
        assert type(env.infos[agent]) is dict
    keys = [env.rewards, env._cumulative_rewards, env.terminations, env.truncations, env.infos]
    assert all(set(content) == set(env.agents) for content in keys)
    assert len({id(info) for info in env.infos.values()}) == len(env.agents)


def test_plain_python_types_all_the_way(make: Make) -> None:
    env = make()
    env.reset(seed=7)
    for _ in env.agent_iter():
        assert_plain_types(env)
        observation, reward, terminated, truncated, _ = env.last()
        assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
        is_dead = terminated or truncated
        env.step(None if is_dead else sample_legal(observation["action_mask"], random.Random(1)))


@pytest.mark.parametrize("reward", ["win", "score", "margin"])
def test_rewards_add_up_whichever_way_they_are_read(make: Make, reward: str) -> None:
    env = make(reward=reward)
    env.reset(seed=8)
    rng = random.Random(8)
    by_last = dict.fromkeys(env.agents, 0.0)
    by_step = dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        observation, gained, terminated, truncated, _ = env.last()
        assert gained == env._cumulative_rewards[agent]
        by_last[agent] += gained
        is_dead = terminated or truncated
        env.step(None if is_dead else sample_legal(observation["action_mask"], rng))
        for name, paid in env.rewards.items():
            by_step[name] += paid
    assert by_last == by_step == dict(zip(by_last, env.session.rewards(), strict=True))
    assert reward == "score" or any(by_last.values())


def test_the_end_by_rule(make: Make) -> None:
    env = make()
    env.reset(seed=9)
    assert env.infos == {agent: {} for agent in env.agents}
    play(env)
    assert env.agents == env.possible_agents
    assert env.agent_selection == env.agents[0]
    assert all(env.terminations.values()) and not any(env.truncations.values())
    assert_result(env)


def test_the_end_by_the_cap_on_turns(make_short: Make) -> None:
    env = make_short()
    env.reset(seed=9)
    play(env)
    assert all(env.truncations.values()) and not any(env.terminations.values())
    assert_result(env)
    assert env.infos["player_0"]["reason"] == "max_turns"


def assert_result(env: Any) -> None:
    result = env.session.result()
    for agent in env.agents:
        info = env.infos[agent]
        assert info["winners"] == [env.possible_agents[player] for player in result["winners"]]
        assert info["scores"] == result["scores"]
        assert info["reason"] == result["reason"]
        assert info["length"] == result["length"]
    first, second, *_ = env.infos.values()
    first["winners"].append("nobody")
    first["scores"].clear()
    assert "nobody" not in second["winners"] and second["scores"]


# --- illegal actions -------------------------------------------------------------------------


def test_raw_env_explains_illegal_actions(make: Make, ruleset: Ruleset) -> None:
    env = make("raw_env")
    env.reset(seed=10)
    play(env, moves=7)
    before = snapshot(env)
    action = an_illegal_action(env)
    with pytest.raises(TabletopError) as error:
        env.step(action)
    text = str(error.value)
    player = env.possible_agents.index(env.agent_selection)
    assert ruleset.game.id in text
    assert f"player {player}" in text
    assert env.action_to_string(action) in text
    assert env.action_to_string(env.legal_actions()[0]) in text
    assert snapshot(env) == before
    play(env, moves=1)


@pytest.mark.parametrize("view", ["env", "raw_env"])
@pytest.mark.parametrize("action", [*NOT_ACTIONS, *OUT_OF_RANGE], ids=repr)
def test_what_is_no_action_is_refused(make: Make, view: str, action: Any) -> None:
    env = make(view)
    env.reset(seed=11)
    before = snapshot(env)
    with pytest.raises(TabletopError, match="integer from 0"):
        env.step(action)
    assert snapshot(env) == before


def can_hold(kind: Callable[[int], Any], action: int) -> bool:
    """Whether an action is not too large for a kind of integer."""
    try:
        return int(kind(action)) == action
    except OverflowError:
        return False


@pytest.mark.parametrize("kind", INTEGERS)
def test_integers_of_any_kind_are_actions(make: Make, kind: Callable[[int], Any]) -> None:
    env, other = make(), make()
    env.reset(seed=11)
    other.reset(seed=11)
    while not can_hold(kind, env.legal_actions()[0]):
        env.step(env.legal_actions()[0])
        other.step(other.legal_actions()[0])
    action = env.legal_actions()[0]
    env.step(kind(action))
    other.step(action)
    assert snapshot(env) == snapshot(other)


def test_an_illegal_action_ends_env(make: Make) -> None:
    env = make()
    env.reset(seed=12)
    play(env, moves=5)
    offender = env.agent_selection
    action = an_illegal_action(env)
    words = env.action_to_string(action)
    state = env.serialize()
    env.step(action)
    assert_plain_types(env)
    assert env.rewards == {agent: -float(agent == offender) for agent in env.agents}
    assert env._cumulative_rewards == env.rewards
    assert all(env.terminations.values()) and not any(env.truncations.values())
    for info in env.infos.values():
        assert info["illegal_action"] == words
        assert info["illegal_agent"] == offender
        assert info["reason"] == "illegal_action"
        assert info["winners"] == []
        assert len(info["scores"]) == len(env.agents)
        assert info["length"] == 5
    assert env.legal_actions() == []
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.agents)
    assert env.serialize() == state
    for _ in env.agent_iter():
        env.step(None)
    assert env.agents == []
    env.reset()
    assert env.legal_actions()


def test_env_ends_like_the_stock_wrappers(make: Make) -> None:
    own, stock = make(), make(stock_wrappers=True)
    assert isinstance(stock, BaseWrapper)
    for moves in range(4):
        for env in (own, stock):
            env.reset(seed=moves)
            play(env, moves=moves)
            env.step(an_illegal_action(env))
        for env in (own, stock):
            assert env.agent_selection == "player_0"
        ends = [list(follow(env)) for env in (own, stock)]
        assert ends[0] == ends[1]
        assert own.agents == stock.agents == []


def follow(env: Any) -> Iterator[Any]:
    """What is told to each agent of a finished game, but for `truncations` and infos."""
    yield dict(env.rewards), dict(env.terminations)
    for agent in env.agent_iter():
        observation, reward, terminated, _, _ = env.last()
        yield agent, reward, terminated, {key: value.tolist() for key, value in observation.items()}
        env.step(None)


OUT_OF_ORDER: dict[str, Callable[[Any], Any]] = {
    "step": lambda env: env.step(0),
    "observe": lambda env: env.observe("player_0"),
    "last": lambda env: env.last(),
    "state": lambda env: env.state(),
    "agent_iter": lambda env: list(env.agent_iter()),
    "serialize": lambda env: env.unwrapped.serialize(),
    "to_json": lambda env: env.unwrapped.to_json(),
    "determinize": lambda env: env.unwrapped.determinize(0),
    "action_to_string": lambda env: env.unwrapped.action_to_string(0),
}


@pytest.mark.parametrize("call", OUT_OF_ORDER)
def test_calls_before_reset(make: Make, call: str) -> None:
    for env in (make(), make("raw_env")):
        with pytest.raises(TabletopError, match=r"reset\(\)"):
            OUT_OF_ORDER[call](env)
    with pytest.raises(Exception):  # noqa: B017 - the stock wrappers raise various kinds
        OUT_OF_ORDER[call](make(stock_wrappers=True))


def test_rendering_before_reset(make: Make) -> None:
    with pytest.raises(TabletopError, match=r"reset\(\)"):
        make(render_mode="ansi").render()


@pytest.mark.parametrize("name", ["agents", "agent_selection", "rewards", "terminations", "infos"])
def test_attributes_before_reset(make: Make, name: str) -> None:
    for env in (make(), make("raw_env"), make(stock_wrappers=True)):
        assert not hasattr(env, name)


def test_out_of_range_and_dead_steps_like_the_stock_wrappers(make: Make) -> None:
    own, stock = make(), make(stock_wrappers=True)
    for env, kind in ((own, TabletopError), (stock, AssertionError)):
        env.reset(seed=13)
        with pytest.raises(kind):
            env.step(env.action_space("player_0").n)
        play(env)
        with pytest.raises(TabletopError, match="None"):
            env.step(0)
        for _ in env.agent_iter():
            env.step(None)
        assert env.agents == []
    with pytest.raises(TabletopError, match="over"):
        own.step(0)
    with pytest.raises(TabletopError, match="over"):
        own.step(None)
    with pytest.raises(TabletopError, match="over"):
        own.last()


def test_a_loop_without_steps_is_found(make: Make) -> None:
    env = make()
    env.reset(seed=14)
    with pytest.raises(TabletopError, match="agent_iter"):
        for _ in env.agent_iter():
            pass
    assert len(list(zip(range(3), env.agent_iter(0), strict=False))) == 0
    assert len([play(env, moves=1) for _ in env.agent_iter(5)]) == 5


# --- reset -----------------------------------------------------------------------------------


@pytest.mark.parametrize("view", ["env", "parallel_env"])
def test_reset_options_are_ignored(make: Make, view: str) -> None:
    env, other = make(view), make(view)
    env.reset(seed=15, options={"options": 1, "state": None})
    other.reset(seed=15)
    assert env.serialize() == other.serialize()


@pytest.mark.parametrize("view", ["env", "parallel_env"])
@pytest.mark.parametrize(
    "arguments", [{"seed": -1}, {"seed": 2**64}, {"seed": 1.5}, {"seed": "1"}, {"options": 1}]
)
def test_bad_resets_change_nothing(make: Make, view: str, arguments: dict[str, Any]) -> None:
    env = make(view)
    env.reset(seed=15)
    before = env.serialize(), list(env.agents)
    with pytest.raises(TabletopError):
        env.reset(**arguments)
    assert (env.serialize(), env.agents) == before


def test_a_seed_decides_the_following_games_too(make: Make) -> None:
    games = []
    for _ in range(2):
        env = make()
        env.reset(seed=16)
        play(env)
        env.reset()
        games.append(env.serialize())
    assert games[0] == games[1]
    assert games[0] != make_and_reset(make, 16).serialize()
    assert len({make_and_reset(make, None).serialize() for _ in range(4)}) == 4


def make_and_reset(make: Make, seed: int | None) -> TabletopEnv:
    env: TabletopEnv = make()
    env.reset(seed=seed)
    return env


def test_no_global_generator_is_touched(make: Make) -> None:
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    env = make_and_reset(make, None)
    sample_legal(env.last()[0]["action_mask"])
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002


# --- constructors ----------------------------------------------------------------------------

BAD_ARGUMENTS: list[dict[str, Any]] = [
    {"num_players": 0},
    {"num_players": 99},
    {"num_players": "2"},
    {"num_players": 2.0},
    {"num_players": True},
    {"reward": "money"},
    {"reward": None},
    {"render_mode": "hologram"},
    {"render_mode": ["ansi"]},
    {"max_turns": -1},
    {"no_such_option": 1},
]


@pytest.mark.parametrize("view", ["env", "raw_env", "parallel_env", "single_agent"])
@pytest.mark.parametrize("arguments", BAD_ARGUMENTS, ids=str)
def test_bad_arguments(game: Game, view: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(TabletopError):
        getattr(Views(game), view)(**arguments)


def test_unknown_options_name_the_known_ones(game: Game) -> None:
    with pytest.raises(TabletopError) as error:
        Views(game).env(rendermode="ansi")
    text = str(error.value)
    assert all(name in text for name in ("rendermode", "render_mode", "num_players", "reward"))
    assert all(name in text for name in vars(game.ruleset().options))


def test_modules_publish_their_views(game: Game) -> None:
    module = sys.modules[game.module]
    for name in ("env", "raw_env", "parallel_env", "single_agent", "make_vec"):
        constructor = getattr(module, name)
        copied = pickle.loads(pickle.dumps(constructor))
        for published in (constructor, copied):
            assert published.__self__ == Views(game)
            assert published.__func__ is getattr(Views, name)


def test_pettingzoo_registry(game: Game) -> None:
    if not hasattr(pettingzoo, "register"):
        pytest.skip("this PettingZoo has no registry")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        register_environments(game)
        register_environments(game)
    name = environment_id(game)
    env = pettingzoo.make("aec", name, num_players=game.max_players)
    assert isinstance(env, TabletopEnv)
    assert env.max_num_agents == game.max_players
    assert isinstance(pettingzoo.make("parallel", name), TabletopParallelEnv)
    assert isinstance(pettingzoo.spec("aec", name).entry_point, str)


# --- rendering -------------------------------------------------------------------------------


def test_render_modes(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    silent = make()
    silent.reset(seed=17)
    assert silent.render() is None
    text = make(render_mode="ansi")
    text.reset(seed=17)
    assert capsys.readouterr().out == ""
    human = make(render_mode="human")
    human.reset(seed=17)
    assert capsys.readouterr().out.strip() == text.render().strip()
    play(human, moves=1)
    play(text, moves=1)
    assert capsys.readouterr().out.strip() == text.render().strip()
    human.close()
    human.close()


# --- positions -------------------------------------------------------------------------------


def finish(env: Any) -> Any:
    """Play to the end and through the dead steps; all that was told."""
    told = []
    rng = random.Random(0)
    for agent in env.agent_iter():
        observation, *rest = env.last()
        told.append((agent, observation["observation"].tobytes(), copy.deepcopy(rest)))
        is_dead = rest[1] or rest[2]
        env.step(None if is_dead else sample_legal(observation["action_mask"], rng))
    return told


COPIES: dict[str, Callable[[Any], Any]] = {
    "clone": lambda env: env.clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("moment", ["new", "middle", "end", "dead", "illegal", "empty"])
def test_copies_keep_the_position(make: Make, way: str, moment: str) -> None:
    env = make()
    env.reset(seed=18)
    if moment != "new":
        play(env, moves=9 if moment in ("middle", "illegal") else None)
    if moment == "illegal":
        env.step(an_illegal_action(env))
    for _ in {"dead": [0], "empty": env.agents[:]}.get(moment, []):
        env.step(None)
    before = snapshot(env)
    twin = COPIES[way](env)
    assert type(twin) is type(env)
    assert snapshot(twin) == before
    told = finish(twin)
    assert snapshot(env) == before
    assert finish(env) == told


@pytest.mark.parametrize("way", COPIES)
def test_copies_before_reset(make: Make, way: str) -> None:
    twin = COPIES[way](make())
    with pytest.raises(TabletopError, match=r"reset\(\)"):
        twin.step(0)
    twin.reset(seed=1)
    assert twin.serialize() == make_and_reset(make, 1).serialize()


@pytest.mark.parametrize("moves", [0, 9, None])
def test_positions_travel(make: Make, moves: int | None) -> None:
    env = make()
    env.reset(seed=19)
    play(env, moves=moves)
    told = finish(env.clone())
    for view in ("env", "raw_env"):
        for source in (env, env.serialize(), bytearray(env.serialize())):
            other = make(view)
            other.restore(source)
            assert snapshot(other) == snapshot(env)
            assert finish(other) == told
        other.deserialize(env.serialize())
        assert finish(other) == told
        other.from_json(env.to_json())
        assert snapshot(other) == snapshot(env)
        assert finish(other) == told


def test_restoring_refuses_what_is_no_position(make: Make, ruleset: Ruleset) -> None:
    env = make_and_reset(make, 20)
    before = snapshot(env)
    others: list[Any] = [b"", b"TABLETOP", None, 3, make()]
    if ruleset.num_players > ruleset.game.min_players:
        others.append(make_and_reset(lambda: make(num_players=ruleset.game.min_players), 20))
    for source in others:
        with pytest.raises(TabletopError):
            env.restore(source)
        assert snapshot(env) == before


def test_determinizing_keeps_what_the_player_sees(make: Make) -> None:
    env = make_and_reset(make, 21)
    play(env, moves=25)
    agent = env.agent_selection
    seen = env.last()[0]
    state = env.serialize()
    env.determinize(agent, seed=1)
    assert equal(env.last()[0], seen)
    first = env.serialize()
    env.deserialize(state)
    env.determinize(env.possible_agents.index(agent), seed=1)
    assert env.serialize() == first != state
    for player in ("player_9", -1, 99, 1.0):
        with pytest.raises(TabletopError):
            env.determinize(player)


def test_actions_in_words(make: Make) -> None:
    env = make_and_reset(make, 22)
    for action in env.legal_actions():
        assert env.string_to_action(env.action_to_string(action)) == action
    with pytest.raises(TabletopError):
        env.string_to_action("castle on the queen's side")
    assert env.to_json("player_0") == env.to_json(0) != env.to_json()


def test_an_environment_is_for_one_thread(make: Make) -> None:
    env = make_and_reset(make, 23)
    inside, done = threading.Event(), threading.Event()

    def occupy() -> None:
        with env.session._guard:
            inside.set()
            done.wait(10)

    thread = threading.Thread(target=occupy)
    thread.start()
    inside.wait(10)
    before = env.state().tobytes()
    with pytest.raises(TabletopError, match="thread"):
        env.step(env.legal_actions()[0])
    assert env.state().tobytes() == before
    done.set()
    thread.join()
    play(env, moves=1)


# --- Parallel --------------------------------------------------------------------------------


def test_the_parallel_view_is_the_turn_based_one(make_short: Make, make: Make) -> None:
    for is_legal, make_any in ((True, make_short), (False, make)):
        env, stock = make_any("parallel_env"), turn_based_aec_to_parallel(make_any("env"))
        observations, infos = env.reset(seed=24)
        stock_observations, _ = stock.reset(seed=24)
        rng = random.Random(24)
        for step in range(10**4):
            assert equal(observations, stock_observations)
            assert env.agents == stock.agents
            mover = infos["player_0"].get("active_agent")
            if mover is None:
                break
            mask = observations[mover]["action_mask"]
            is_played = is_legal or step < 10
            action = sample_legal(mask if is_played else 1 - mask, rng)
            others = {agent: rng.randrange(len(mask)) for agent in env.agents}
            observations, *rest = env.step({**others, mover: action})
            stock_observations, *stock_rest = stock.step({**others, mover: action})
            assert equal(dict(enumerate(rest)), dict(enumerate(stock_rest)))
            infos = rest[-1]
        assert not env.agents
        assert is_legal == ("illegal_action" not in infos["player_0"])
        assert env.step({}) == ({}, {}, {}, {}, {})


def test_parallel_needs_only_the_mover(make: Make) -> None:
    env = make("parallel_env")
    with pytest.raises(TabletopError, match=r"reset\(\)"):
        env.step({})
    observations, infos = env.reset(seed=25)
    mover = infos["player_0"]["active_agent"]
    before = env.serialize()
    others = {agent: 0 for agent in env.agents if agent != mover}
    for actions in ({}, others, None, [0], {mover: 1.5}, {mover: -1}, {mover: None}):
        with pytest.raises(TabletopError):
            env.step(actions)
        assert env.serialize() == before
    results = env.step({mover: sample_legal(observations[mover]["action_mask"])})
    assert len(results) == 5
    assert all(set(result) == set(env.possible_agents) for result in results)
    assert env.serialize() != before


def test_parallel_copies_keep_the_position(make: Make) -> None:
    env = make("parallel_env")
    observations, infos = env.reset(seed=26)
    for _ in range(9):
        mover = infos["player_0"]["active_agent"]
        action = sample_legal(observations[mover]["action_mask"], random.Random(1))
        observations, _, _, _, infos = env.step({mover: action})
    state = env.serialize()
    mover = infos["player_0"]["active_agent"]
    action = env.legal_actions()[-1]
    others = [copying(env) for copying in COPIES.values()]
    for source in (env, env.serialize()):
        others.append(make("parallel_env"))
        others[-1].restore(source)
    results = [other.step({mover: action}) for other in others]
    assert env.serialize() == state
    results.append(env.step({mover: action}))
    assert all(equal(dict(enumerate(r)), dict(enumerate(results[0]))) for r in results)
    assert len({other.serialize() for other in [env, *others]}) == 1


# --- types -----------------------------------------------------------------------------------

TYPED = """
from typing import Any, assert_type
from tabletop_core.game import Game
from tabletop_core.views import Views

def check(game: Game) -> None:
    env = Views(game).env()
    env.reset()
    for agent in env.agent_iter():
        assert_type(agent, str)
        observation, reward, terminated, truncated, info = env.last()
        assert_type(reward, float)
        assert_type(terminated, bool)
        assert_type(info, dict[str, Any])
    for agent in Views(game).env(stock_wrappers=True).agent_iter():
        assert_type(agent, str)
"""


@pytest.mark.lint
def test_agent_iter_infers_str(tmp_path: Path) -> None:
    path = tmp_path / "typed.py"
    path.write_text(TYPED)
    root = Path(__file__).parent.parent
    command = [sys.executable, "-m", "mypy", "--strict", str(path)]
    result = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout
