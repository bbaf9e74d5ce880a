"""Every view of a game in a few lines, with random play."""

from __future__ import annotations

import random

import numpy as np

from jumpgate_env import jumpgate_v0
from tabletop_core.bots import Observation, sample_legal

NUM_PLAYERS = 3
SEED = 1


def main() -> None:
    play_agent_by_agent()
    play_in_parallel()
    play_one_seat()
    play_many_games()
    play_one_seat_of_many_games()
    look_ahead()


def play_agent_by_agent() -> None:
    """PettingZoo AEC: the agents act one after the other."""
    rng = random.Random(SEED)
    env = jumpgate_v0.env(num_players=NUM_PLAYERS)
    env.reset(seed=SEED)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        if terminated or truncated:
            print(f"AEC: {agent} gets {reward:g}, scores {info['scores']}, by {info['reason']}")
            env.step(None)
        else:
            assert observation is not None
            env.step(sample_legal(observation["action_mask"], rng))


def play_in_parallel() -> None:
    """PettingZoo Parallel: only the action of the agent to move counts."""
    rng = random.Random(SEED)
    env = jumpgate_v0.parallel_env(num_players=NUM_PLAYERS)
    observations, infos = env.reset(seed=SEED)
    rewards: dict[str, float] = {}
    while env.agents:
        mover = infos[env.agents[0]]["active_agent"]
        action = sample_legal(observations[mover]["action_mask"], rng)
        observations, rewards, _, _, infos = env.step({mover: action})
    print(f"Parallel: rewards {rewards}")


def play_one_seat() -> None:
    """Gymnasium: one seat against bots, here one of our own and one that plays at random."""
    rng = random.Random(SEED)
    env = jumpgate_v0.single_agent(num_players=NUM_PLAYERS, opponents=[hasty, "random"])
    observation, info = env.reset(seed=SEED)
    reward, over = 0.0, False
    while not over:
        action = sample_legal(observation["action_mask"], rng)
        observation, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
    print(f"Single agent: seat {info['player']} gets {reward:g}, winners {info['winners']}")


def hasty(observation: Observation, player: int, rng: np.random.Generator) -> int:
    """A bot is a callable; this one takes the first legal action every other time."""
    mask = observation["action_mask"]
    return int(mask.argmax()) if rng.random() < 0.5 else sample_legal(mask, rng)


def play_many_games() -> None:
    """The self-play engine: one action in each of many games, for whoever is to move there."""
    vec = jumpgate_v0.make_vec(1024, num_players=NUM_PLAYERS)
    vec.reset(seed=SEED)
    num_games = 0
    for _ in range(1000):
        actions = vec.sample_actions()  # those of a policy: integers [1024]
        _, _, terminated, truncated, _ = vec.step(actions)
        num_games += int((terminated | truncated).sum())
    print(f"Self-play engine: {num_games} games ended in {1000 * vec.num_envs} steps")
    results = vec.play_games(1000, seed=SEED)
    print(f"Whole random games: mean points of the seats {results.points.mean(axis=0)}")


def play_one_seat_of_many_games() -> None:
    """A Gymnasium VectorEnv: one seat in each of many games against bots."""
    rng = random.Random(SEED)
    vec = jumpgate_v0.make_vec(16, num_players=NUM_PLAYERS, opponents="random", seat="rotate")
    observations, _ = vec.reset(seed=SEED)
    total = 0.0
    for _ in range(500):
        masks = observations["action_mask"]
        # The mask of a finished game is empty; the next step ignores the action and begins another.
        actions = [sample_legal(mask, rng) if mask.any() else 0 for mask in masks]
        observations, rewards, _, _, _ = vec.step(np.array(actions))
        total += float(rewards.sum())
    print(f"VectorEnv: rewards of {vec.num_envs} lanes together {total:g}")


def look_ahead() -> None:
    """Search: try each legal action on copies in which hidden cards are dealt again."""
    env = jumpgate_v0.raw_env(num_players=NUM_PLAYERS)
    env.reset(seed=SEED)
    player = env.possible_agents.index(env.agent_selection)
    for action in env.legal_actions()[:3]:
        twin = env.clone()
        twin.determinize(player, seed=SEED)
        twin.step(action)
        print(f"Search: {env.action_to_string(action)!r} leads to {twin.to_json()['prompt']!r}")


if __name__ == "__main__":
    main()
