"""Ray RLlib: PPO on the new API stack; one policy learns every seat by playing against itself.

    pip install torch && pip install -e ".[rllib]"
    python examples/rllib_ppo.py --game jumpgate --steps 200000
    python examples/rllib_ppo.py --address auto --runners 16 --steps 20000000     # on a cluster

RLlib's `PettingZooEnv` takes the AEC view. `MaskedPolicy` reads the two arrays of an observation
by their own names; RLlib's own masking module is example code and asks for other names.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray
import torch
import tyro
from common import Array, Curve, Evaluation, evaluate, highest_values, views
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.tune import register_env
from torch import nn

POLICY = "everybody"  # the one policy of all seats


@dataclass(frozen=True)
class Arguments:
    """Learn a game by self-play on Ray."""

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
    rollout: int = 4_000
    """Decisions between two updates."""
    batch: int = 500
    """Decisions in a minibatch."""
    runners: int = 0
    """Processes that play; with 0 the learner plays itself."""
    environments: int = 8
    """Games at the same time in each of them."""
    seed: int = 1
    """Of the games, the network and the actions."""
    address: str | None = None
    """The Ray cluster to join, for example "auto"; without it, Ray is started on this machine."""
    out: Path = Path("rllib_ppo")
    """The curve is written to this path with .json and .png."""
    force: bool = False
    """Replace these files if they exist."""


def main(arguments: Arguments) -> None:
    curve = Curve(
        f"RLlib PPO, {arguments.game} with {arguments.players}, self-play",
        arguments.out,
        arguments,
        ["ray", "torch"],
        arguments.players,
        arguments.force,
    )
    ray.init(address=arguments.address, include_dashboard=False, log_to_driver=False)
    try:
        algorithm = configure(arguments).build_algo()
        steps = 0
        while steps < arguments.steps:
            goal = steps + arguments.every
            while steps < goal:
                learned = algorithm.train()["learners"][POLICY]
                steps += arguments.rollout
            curve.add(
                steps,
                evaluate_policy(algorithm, arguments),
                loss=float(learned["total_loss"]),
                entropy=float(learned["entropy"]),
            )
        algorithm.stop()
    finally:
        ray.shutdown()


def configure(arguments: Arguments) -> PPOConfig:
    """PPO with a long memory: rewards come hundreds of decisions late, at the end of a game."""
    register_env(
        "game",
        lambda _: PettingZooEnv(views(arguments.game).raw_env(num_players=arguments.players)),
    )
    space = views(arguments.game).single_agent()
    module = RLModuleSpec(
        module_class=MaskedPolicy,
        observation_space=space.observation_space,
        action_space=space.action_space,
        model_config={"high": highest_values(arguments.game)},
    )
    return (
        PPOConfig()
        .environment("game", disable_env_checking=True)  # it plays without a mask
        .env_runners(
            num_env_runners=arguments.runners,
            num_envs_per_env_runner=arguments.environments,
        )
        .multi_agent(policies={POLICY}, policy_mapping_fn=lambda *_, **__: POLICY)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={POLICY: module}))
        .training(
            gamma=0.999,
            lambda_=0.98,
            lr=3e-4,
            entropy_coeff=0.01,
            clip_param=0.2,
            vf_clip_param=10.0,
            use_kl_loss=False,
            grad_clip=0.5,
            num_epochs=4,
            train_batch_size_per_learner=arguments.rollout,
            minibatch_size=arguments.batch,
        )
        .debugging(seed=arguments.seed)
    )


class MaskedPolicy(TorchRLModule, ValueFunctionAPI):
    """Policy and value of one player's observation; illegal actions have no probability."""

    def setup(self) -> None:
        size = self.observation_space["observation"].shape[0]
        self.high = nn.Parameter(torch.as_tensor(self.model_config["high"]), requires_grad=False)
        self.actor = network(size, int(self.action_space.n))
        self.critic = network(size, 1)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        seen = batch[Columns.OBS]
        logits = self.actor(seen["observation"] / self.high)
        illegal = seen["action_mask"] == 0
        lowest = torch.finfo(logits.dtype).min  # minus infinity would make some differences NaN
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(illegal, lowest)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        seen = batch[Columns.OBS]
        return self.critic(seen["observation"] / self.high).squeeze(-1)


def network(inputs: int, outputs: int) -> nn.Sequential:
    last = nn.Linear(256, outputs)
    nn.init.orthogonal_(last.weight, gain=0.01)  # nearly uniform at first
    return nn.Sequential(nn.Linear(inputs, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), last)


def evaluate_policy(algorithm: Algorithm, arguments: Arguments) -> Evaluation:
    """How often the policy wins against random bots, drawing from its probabilities."""
    module = algorithm.get_module(POLICY)

    def policy(observations: dict[str, Array]) -> Array:
        batch = {name: torch.as_tensor(array) for name, array in observations.items()}
        with torch.no_grad():
            logits = module.forward_inference({Columns.OBS: batch})[Columns.ACTION_DIST_INPUTS]
        return torch.distributions.Categorical(logits=logits).sample().numpy()

    return evaluate(
        policy, arguments.game, arguments.players, games=arguments.games, seed=arguments.seed
    )


if __name__ == "__main__":
    main(tyro.cli(Arguments))
