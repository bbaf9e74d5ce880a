"""The other layouts of observation and mask, around each view."""

from __future__ import annotations

import copy
import pickle
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils import turn_based_aec_to_parallel

from tabletop_core.bots import sample_legal
from tabletop_core.errors import TabletopError
from tabletop_core.game import Ruleset
from tabletop_core.views import Views
from tabletop_core.wrappers import Layout, flatten, mask_to_info, rename_observation

LAYOUTS = [mask_to_info, rename_observation, flatten]

layouts = pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: type(layout).__name__)
Make = Callable[..., Any]


@pytest.fixture
def make(ruleset: Ruleset) -> Make:
    """Constructor of any view of every game, at every number of players, for short games."""
    options = {"max_turns": 12} if "max_turns" in vars(ruleset.options) else {}

    def make_view(view: str) -> Any:
        return getattr(Views(ruleset.game), view)(num_players=ruleset.num_players, **options)

    return make_view


def assert_laid_out(layout: Layout, laid_out: Any, info: dict[str, Any], plain: Any) -> None:
    """`laid_out` and `info` say what the dict observation `plain` says, and nothing twice."""
    vector, mask = plain["observation"], plain["action_mask"]
    expected = {
        mask_to_info: vector,
        rename_observation: {"observations": vector, "action_mask": mask},
        flatten: np.concatenate([vector, mask.astype(np.uint8)]),
    }[layout]
    assert data_equivalence(laid_out, expected, exact=True)
    assert ("action_mask" in info) == (layout is mask_to_info)
    if layout is mask_to_info:
        assert data_equivalence(info["action_mask"], mask, exact=True)


def assert_space(layout: Layout, space: Any, ruleset: Ruleset) -> None:
    size, count = ruleset.game.observation.size, ruleset.game.actions.count
    high = ruleset.game.observation.high()
    if layout is rename_observation:
        assert isinstance(space, spaces.Dict)
        assert set(space.keys()) == {"observations", "action_mask"}
        assert space["observations"].shape == (size,)
        return
    assert isinstance(space, spaces.Box)
    assert space.dtype == np.uint8
    assert not space.low.any()
    expected = high if layout is mask_to_info else np.concatenate([high, np.ones(count, np.uint8)])
    assert np.array_equal(space.high, expected)


# --- AEC -------------------------------------------------------------------------------------


@layouts
def test_aec_api(make: Make, layout: Layout) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        warnings.filterwarnings("ignore", "Observation space for each agent probably should")
        # Finished agents have no legal actions; the test finds their masks in this layout alone.
        if layout is rename_observation:
            warnings.filterwarnings("ignore", "Action mask numpy array is all zeros")
        api_test(layout(make("env")), num_cycles=50)
    seed_test(lambda: layout(make("env")), num_cycles=20)


@layouts
def test_aec_layouts(make: Make, ruleset: Ruleset, layout: Layout) -> None:
    env, plain = layout(make("env")), make("env")
    assert_space(layout, env.observation_space("player_0"), ruleset)
    assert env.observation_space("player_0") is env.observation_space("player_1")
    env.reset(seed=1)
    plain.reset(seed=1)
    rng = random.Random(1)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        plain_observation, *expected, plain_info = plain.last()
        assert [reward, terminated, truncated] == expected
        assert observation in env.observation_space(agent)
        assert_laid_out(layout, observation, info, plain_observation)
        assert {key: info[key] for key in info if key != "action_mask"} == plain_info
        for other in env.agents:
            assert_laid_out(layout, env.observe(other), env.infos[other], plain.observe(other))
        is_dead = terminated or truncated
        action = None if is_dead else sample_legal(plain_observation["action_mask"], rng)
        env.step(action)
        plain.step(action)
    for agent in env.possible_agents:
        assert env.observe(agent) in env.observation_space(agent)


@layouts
def test_aec_search_hooks_reach_through(make: Make, layout: Layout) -> None:
    env = layout(make("env"))
    env.reset(seed=2)
    env.step(env.legal_actions()[0])
    agent = env.agent_selection
    seen, state = env.observe(agent), env.serialize()
    copies = [env.clone(), copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    copies += [layout(make("env")) for _ in range(4)]
    for other, load in zip(
        copies[3:],
        (
            lambda other: other.restore(env),
            lambda other: other.restore(state),
            lambda other: other.deserialize(state),
            lambda other: other.from_json(env.to_json()),
        ),
        strict=True,
    ):
        load(other)
    action = env.legal_actions()[-1]
    for other in copies:
        assert type(other) is type(env)
        assert data_equivalence(other.last(), env.last(), exact=True)
        other.step(action)
        assert env.serialize() == state
    env.step(action)
    for other in copies:
        assert data_equivalence(other.last(), env.last(), exact=True)
    env.restore(state)
    env.determinize(agent, seed=3)
    assert data_equivalence(env.observe(agent), seen, exact=True)
    assert env.string_to_action(env.action_to_string(action)) == action


def test_aec_masks_in_infos_work_with_the_stock_converter(make: Make) -> None:
    env = turn_based_aec_to_parallel(mask_to_info(make("env")))
    observations, infos = env.reset(seed=4)
    assert sum(info["action_mask"].any() for info in infos.values()) == 1
    assert all(type(observation) is np.ndarray for observation in observations.values())


# --- Parallel --------------------------------------------------------------------------------


@layouts
def test_parallel_layouts(make: Make, ruleset: Ruleset, layout: Layout) -> None:
    env, plain = layout(make("parallel_env")), make("parallel_env")
    assert_space(layout, env.observation_space("player_0"), ruleset)
    observations, infos = env.reset(seed=5)
    plain_observations, _ = plain.reset(seed=5)
    rng = random.Random(5)
    while env.agents:
        for agent, observation in observations.items():
            assert observation in env.observation_space(agent)
            assert_laid_out(layout, observation, infos[agent], plain_observations[agent])
        mover = infos["player_0"]["active_agent"]
        actions = {mover: sample_legal(plain_observations[mover]["action_mask"], rng)}
        observations, *rest, infos = env.step(actions)
        plain_observations, *plain_rest, _ = plain.step(actions)
        assert rest == plain_rest
    assert set(infos) == set(env.possible_agents)
    assert env.serialize() == plain.serialize()


@layouts
def test_parallel_api(make: Make, layout: Layout) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(layout(make("parallel_env")), num_cycles=100)


# --- Gymnasium -------------------------------------------------------------------------------


@layouts
def test_gymnasium_layouts(make: Make, ruleset: Ruleset, layout: Layout) -> None:
    env, plain = layout(make("single_agent")), make("single_agent")
    assert_space(layout, env.observation_space, ruleset)
    observation, info = env.reset(seed=6)
    plain_observation, _ = plain.reset(seed=6)
    rng = random.Random(6)
    is_over = False
    while not is_over:
        assert observation in env.observation_space
        assert_laid_out(layout, observation, info, plain_observation)
        assert np.array_equal(env.action_masks(), plain_observation["action_mask"] == 1)
        action = sample_legal(plain_observation["action_mask"], rng)
        observation, reward, terminated, truncated, info = env.step(action)
        plain_observation, *expected, plain_info = plain.step(action)
        assert [reward, terminated, truncated] == expected
        is_over = terminated or truncated
    assert_laid_out(layout, observation, info, plain_observation)
    assert {key: info[key] for key in info if key != "action_mask"} == plain_info
    assert env.unwrapped.serialize() == plain.serialize()


def test_layouts_stack_on_environments_alone() -> None:
    for layout in LAYOUTS:
        with pytest.raises(TabletopError):
            layout("env")  # type: ignore[call-overload]
