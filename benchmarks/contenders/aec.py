"""PettingZoo's AEC loop, the same for our environments and for PettingZoo's own."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from ..measure import Contender, Counts, Work, require_peer

Choose = Callable[[Any, str, Any], int]
"""(environment, agent, mask) -> action"""


def pick_cheaply(env: Any, agent: str, mask: Any) -> int:
    """A uniformly random legal action, the cheap way."""
    legal = mask.nonzero()[0]
    return int(legal[int(random.random() * len(legal))])


def sample_space(env: Any, agent: str, mask: Any) -> int:
    """A uniformly random legal action as PettingZoo documents it."""
    return env.action_space(agent).sample(mask)  # type: ignore[no-any-return]


def our_games(module: Any, num_players: int, choose: Choose) -> Contender:
    """`env()` of one of our games with its defaults: fresh copies, checks inside."""
    name = f"{module.GAME.id} env(), {num_players} players, {choose.__name__}"
    return Contender(name, lambda: _work(module.env(num_players=num_players), choose))


def connect_four(kind: str, choose: Choose) -> Contender:
    """`env()` or `raw_env()` of PettingZoo's connect four."""

    def prepare() -> Work:
        module = require_peer("pettingzoo.classic.connect_four_v3", "pettingzoo[classic]")
        return _work(getattr(module, kind)(), choose)

    return Contender(f"PettingZoo connect_four_v3 {kind}(), {choose.__name__}", prepare)


def _work(env: Any, choose: Choose) -> Work:
    return lambda amount: Counts(sum(_play(env, choose, seed) for seed in range(amount)), amount)


def _play(env: Any, choose: Choose, seed: int) -> int:
    """One game; the number of steps by living agents."""
    steps = 0
    env.reset(seed=seed)
    for agent in env.agent_iter():
        observation, _reward, termination, truncation, _info = env.last()
        if termination or truncation:
            env.step(None)
        else:
            env.step(choose(env, agent, observation["action_mask"]))
            steps += 1
    return steps
