"""Our single-agent and Parallel views, driven from Python with a cheap pick from the mask."""

from __future__ import annotations

from typing import Any

from ..measure import PROCESS, Contender, Counts, Work
from .aec import pick_cheaply


def single_agent_games(module: Any, num_players: int) -> Contender:
    """`single_agent()` against random bots; a step is a decision of the one seat."""

    def prepare() -> Work:
        env = module.single_agent(num_players=num_players)
        return lambda amount: Counts(sum(_play_seat(env, seed) for seed in range(amount)), amount)

    return Contender(f"{module.GAME.id} single_agent(), {num_players} players", prepare, PROCESS)


def _play_seat(env: Any, seed: int) -> int:
    observation, _ = env.reset(seed=seed)
    steps = 0
    is_over = False
    while not is_over:
        action = pick_cheaply(env, "", observation["action_mask"])
        observation, _, terminated, truncated, _ = env.step(action)
        is_over = terminated or truncated
        steps += 1
    return steps


def parallel_games(module: Any, num_players: int) -> Contender:
    """`parallel_env()`, each step with the action of the agent to move alone."""

    def prepare() -> Work:
        env = module.parallel_env(num_players=num_players)
        return lambda amount: Counts(
            sum(_play_together(env, seed) for seed in range(amount)), amount
        )

    return Contender(f"{module.GAME.id} parallel_env(), {num_players} players", prepare, PROCESS)


def _play_together(env: Any, seed: int) -> int:
    observations, _ = env.reset(seed=seed)
    steps = 0
    while env.agents:
        masks = {agent: seen["action_mask"] for agent, seen in observations.items()}
        agent = next(agent for agent, mask in masks.items() if mask.any())
        observations, *_ = env.step({agent: pick_cheaply(env, agent, masks[agent])})
        steps += 1
    return steps
