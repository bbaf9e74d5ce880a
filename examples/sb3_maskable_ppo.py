"""Stable-Baselines3: MaskablePPO learns one seat against bots.

    pip install torch && pip install -e ".[sb3]"
    python examples/sb3_maskable_ppo.py --game jumpgate --opponents random,rule --steps 400000

The single-agent view has the method `action_masks()`, so MaskablePPO finds the legal actions by
itself. Bots play the other seats inside `step()`; one step is one decision of the learner.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium
import torch
import tyro
from common import Array, Curve, Evaluation, evaluate, views
from sb3_contrib import MaskablePPO
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import DummyVecEnv

from tabletop_core.bots import split_bots


@dataclass(frozen=True)
class Arguments:
    """Learn one seat of a game against bots, the seat changing from game to game."""

    game: str = "jumpgate"
    """Name of the game: jumpgate, junkorbit or stargate."""
    players: int = 2
    """How many play."""
    opponents: str = "random"
    """Bots to learn against, separated by commas; the environments take turns with them."""
    steps: int = 400_000
    """Decisions to learn from."""
    every: int = 40_000
    """Decisions between two points of the curve."""
    games: int = 200
    """Games of each evaluation against random bots."""
    environments: int = 16
    """Games that are played at the same time."""
    rollout: int = 256
    """Decisions in each environment between two updates."""
    batch: int = 512
    """Decisions in a minibatch."""
    seed: int = 1
    """Of the games, the network and the actions."""
    threads: int = 1
    """Threads of torch."""
    out: Path = Path("sb3_maskable_ppo")
    """The curve is written to this path with .json and .png."""
    force: bool = False
    """Replace these files if they exist."""


def main(arguments: Arguments) -> None:
    torch.set_num_threads(arguments.threads)
    curve = Curve(
        f"MaskablePPO, {arguments.game} with {arguments.players}, against random bots",
        arguments.out,
        arguments,
        ["sb3-contrib", "torch"],
        arguments.players,
        arguments.force,
    )
    model = make_model(arguments)
    while model.num_timesteps < arguments.steps:
        model.learn(arguments.every, reset_num_timesteps=False)
        losses = model.logger.name_to_value
        curve.add(
            model.num_timesteps,
            evaluate_model(model, arguments),
            loss=float(losses["train/loss"]),
            entropy=-float(losses["train/entropy_loss"]),
        )


def make_model(arguments: Arguments) -> MaskablePPO:
    """PPO with a long memory: rewards come hundreds of decisions late, at the end of a game."""
    return MaskablePPO(
        "MultiInputPolicy",
        make_environments(arguments),
        n_steps=arguments.rollout,
        batch_size=arguments.batch,
        n_epochs=4,
        learning_rate=3e-4,
        gamma=0.999,
        gae_lambda=0.98,
        ent_coef=0.01,
        policy_kwargs={"features_extractor_class": Scaled, "net_arch": [256, 256]},
        seed=arguments.seed,
        device="cpu",
    )


def make_environments(arguments: Arguments) -> DummyVecEnv:
    """One process steps all of them: a step takes microseconds, sending it to another more."""
    opponents = split_bots(arguments.opponents)

    def make(number: int) -> gymnasium.Env[Any, Any]:
        return Monitor(
            views(arguments.game).single_agent(
                num_players=arguments.players,
                opponents=opponents[number % len(opponents)],
                seat="rotate",
                on_illegal="raise",
            )
        )

    return DummyVecEnv([lambda number=k: make(number) for k in range(arguments.environments)])


class Scaled(BaseFeaturesExtractor):
    """The observation divided by its highest values; the mask is not shown to the network."""

    def __init__(self, space: gymnasium.spaces.Dict) -> None:
        vector = space["observation"]
        assert isinstance(vector, gymnasium.spaces.Box)
        super().__init__(space, features_dim=len(vector.high))
        self.register_buffer("high", torch.as_tensor(vector.high, dtype=torch.float32))

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        return observations["observation"] / self.high


def evaluate_model(model: MaskablePPO, arguments: Arguments) -> Evaluation:
    """How often the model wins against random bots, drawing from its probabilities."""

    def policy(observations: dict[str, Array]) -> Array:
        actions, _ = model.predict(observations, action_masks=observations["action_mask"])
        return actions

    return evaluate(
        policy, arguments.game, arguments.players, games=arguments.games, seed=arguments.seed
    )


if __name__ == "__main__":
    main(tyro.cli(Arguments))
