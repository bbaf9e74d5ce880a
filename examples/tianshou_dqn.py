"""Tianshou: one Q-network learns every seat of a game by playing against itself.

    pip install torch && pip install -e ".[tianshou]"
    python examples/tianshou_dqn.py --game jumpgate --steps 200000

`PettingZooEnv` takes the AEC view, and `MultiAgentOffPolicyAlgorithm` hands each decision to the
algorithm of its player; here it is the same one for all. In Tianshou's buffer the next observation
may be another player's, whose value is no estimate of one's own. So whole games are collected, and
returns reach to their ends: then nothing is estimated from a next observation.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import tyro
from common import Array, Curve, Evaluation, evaluate, highest_values, views
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.torch_utils import policy_within_training_step
from torch import nn

from tabletop_core.game import find_game


@dataclass(frozen=True)
class Arguments:
    """Learn a game by self-play."""

    game: str = "jumpgate"
    """Name of the game: jumpgate, junkorbit or stargate."""
    players: int = 2
    """How many play."""
    steps: int = 200_000
    """Decisions to learn from."""
    every: int = 20_000
    """Decisions between two points of the curve."""
    games: int = 200
    """Games of each evaluation against random bots."""
    environments: int = 16
    """Games that are played at the same time, to their ends, between two rounds of updates."""
    longest: int = 2_000
    """Decisions of all players within which a game is expected to end."""
    memory: int = 200_000
    """Decisions that are kept to learn from."""
    batch: int = 512
    """Decisions in a minibatch."""
    reuse: int = 2
    """How often each decision is learned from, on average."""
    exploration: float = 0.3
    """Share of random actions in evaluations and in the second half of the run; it falls from 1
    until then."""
    seed: int = 1
    """Of the games, the network and the actions."""
    threads: int = 1
    """Threads of torch."""
    out: Path = Path("tianshou_dqn")
    """The curve is written to this path with .json and .png."""
    force: bool = False
    """Replace these files if they exist."""


def main(arguments: Arguments) -> None:
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(arguments.seed)
    np.random.seed(arguments.seed)  # noqa: NPY002 - Tianshou explores with the global generator
    curve = Curve(
        f"Tianshou DQN, {arguments.game} with {arguments.players}, self-play",
        arguments.out,
        arguments,
        ["tianshou", "torch"],
        arguments.players,
        arguments.force,
    )
    dqn = make_dqn(arguments)
    learner = Learner(dqn, arguments)
    steps = 0
    while steps < arguments.steps:
        goal = steps + arguments.every
        while steps < goal:
            steps += learner.play(exploration(steps, arguments))
            loss = learner.learn()
        curve.add(steps, evaluate_policy(dqn.policy, arguments), loss=loss)


def exploration(steps: int, arguments: Arguments) -> float:
    """Share of random actions after so many decisions. An untrained network plays endless games."""
    return max(arguments.exploration, 1 - 2 * steps / arguments.steps)


def make_dqn(arguments: Arguments) -> DQN:
    """Q-learning whose returns are the results of games."""
    space = views(arguments.game).single_agent()
    policy = DiscreteQLearningPolicy(
        model=QNetwork(highest_values(arguments.game), find_game(arguments.game).actions.count),
        action_space=space.action_space,
        observation_space=space.observation_space,
    )
    return DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=3e-4),
        gamma=0.997,
        n_step_return_horizon=arguments.longest,
    )


class QNetwork(nn.Module):
    """The value of each action, from an observation divided by its highest values."""

    def __init__(self, high: Array, num_actions: int) -> None:
        super().__init__()
        self.register_buffer("high", torch.as_tensor(high))
        self.layers = nn.Sequential(
            nn.Linear(len(high), 256),
            nn.ReLU(),
            nn.Linear(256, 256),
            nn.ReLU(),
            nn.Linear(256, num_actions),
        )

    def forward(self, obs: Array, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Values [n, num_actions] of uint8 [n, size], and the state that Tianshou asks for."""
        return self.layers(torch.as_tensor(obs) / self.high), state


class Learner:
    """Plays whole games with one algorithm in all seats, and learns from them."""

    def __init__(self, dqn: DQN, arguments: Arguments) -> None:
        self.arguments = arguments
        self.dqn = dqn
        self.all_seats = MultiAgentOffPolicyAlgorithm(
            algorithms=[dqn] * arguments.players, env=make_env(arguments)
        )
        count = arguments.environments
        self.buffer = VectorReplayBuffer(arguments.memory, count)
        self.collector = Collector(
            self.all_seats,
            DummyVectorEnv([lambda: make_env(arguments) for _ in range(count)]),
            self.buffer,
            exploration_noise=True,
        )
        self.collector.reset(gym_reset_kwargs={"seed": arguments.seed})
        self.num_new = 0

    def play(self, exploration: float) -> int:
        """One game in each environment; how many decisions they took."""
        self.dqn.policy.set_eps_training(exploration)
        with policy_within_training_step(self.dqn.policy):  # explores only then
            stats = self.collector.collect(n_episode=self.arguments.environments)
        self.num_new = stats.n_collected_steps
        return self.num_new

    def learn(self) -> float:
        """Updates for the new decisions; the mean loss of the last one."""
        num_updates = max(1, self.num_new * self.arguments.reuse // self.arguments.batch)
        with policy_within_training_step(self.all_seats.policy):
            for _ in range(num_updates):
                stats = self.all_seats.update(self.buffer, self.arguments.batch)
        return float(np.mean(list(stats.get_loss_stats_dict().values())))


class PlainEnv(PettingZooEnv):
    """Without infos: the buffer takes no lists of changing length, like the winners after a tie."""

    def reset(self, *args: Any, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        observation, _ = super().reset(*args, **kwargs)
        return observation, {}

    def step(self, action: Any) -> tuple[dict[str, Any], list[int], bool, bool, dict[str, Any]]:
        *told, _ = super().step(action)
        return *told, {}


def make_env(arguments: Arguments) -> PettingZooEnv:
    """The raw view: should an illegal action get through, it raises."""
    return PlainEnv(views(arguments.game).raw_env(num_players=arguments.players))


def evaluate_policy(policy: DiscreteQLearningPolicy, arguments: Arguments) -> Evaluation:
    """How often the policy wins against random bots.

    It explores as much as in the second half of its training: the best actions alone go round in
    circles, which costs games.
    """
    policy.set_eps_training(arguments.exploration)

    def choose(observations: dict[str, Array]) -> Array:
        mask = observations["action_mask"] == 1
        seen = Batch(obs=Batch(obs=observations["observation"], mask=mask), info=Batch())
        with torch.no_grad(), policy_within_training_step(policy):
            return policy.add_exploration_noise(policy(seen).act, seen)

    return evaluate(
        choose, arguments.game, arguments.players, games=arguments.games, seed=arguments.seed
    )


if __name__ == "__main__":
    main(tyro.cli(Arguments))
