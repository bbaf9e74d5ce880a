"""TorchRL: one PPO policy learns every seat of a game by playing against itself.

    pip install torch && pip install -e ".[torchrl]"
    python examples/torchrl_ppo.py --game jumpgate --steps 200000

`PettingZooWrapper` turns the AEC view into tensordicts. All players are one group, "players", so
each entry has a row for each of them, and ("players", "mask") says whose decision a step is.
Between two decisions of a player others move; `own_decisions` puts together what lies between.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
import tyro
from common import Array, Curve, Evaluation, evaluate, highest_values, views
from tensordict import TensorDict, TensorDictBase
from tensordict.nn import InteractionType, TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import PettingZooWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from tabletop_core.game import find_game

OBSERVATION = ("observation", "observation")  # the view's own key, below that of the wrapper


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
    rollout: int = 4_000
    """Decisions between two updates."""
    batch: int = 500
    """Decisions in a minibatch."""
    epochs: int = 4
    """How often each decision is learned from."""
    seed: int = 1
    """Of the games, the network and the actions."""
    threads: int = 1
    """Threads of torch."""
    out: Path = Path("torchrl_ppo")
    """The curve is written to this path with .json and .png."""
    force: bool = False
    """Replace these files if they exist."""


def main(arguments: Arguments) -> None:
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(arguments.seed)
    curve = Curve(
        f"TorchRL PPO, {arguments.game} with {arguments.players}, self-play",
        arguments.out,
        arguments,
        ["torchrl", "tensordict", "torch"],
        arguments.players,
        arguments.force,
    )
    actor, critic = make_networks(arguments.game)
    learner = Learner(actor, critic, arguments)
    rollouts = collect(arguments, actor)
    steps = 0
    while steps < arguments.steps:
        goal = steps + arguments.every
        while steps < goal:
            rollout = next(rollouts)
            steps += rollout.numel()
            losses = learner.learn(rollout)
        curve.add(steps, evaluate_actor(actor, arguments), **losses)


def make_networks(game: str) -> tuple[ProbabilisticActor, ValueOperator]:
    """Policy and value of one player's observation, for any leading shape."""
    high = torch.as_tensor(highest_values(game))
    num_actions = find_game(game).actions.count
    logits = TensorDictModule(network(high, num_actions), [OBSERVATION], ["logits"])
    actor = ProbabilisticActor(
        logits,
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        default_interaction_type=InteractionType.RANDOM,  # else it plays the likeliest action
        return_log_prob=True,
    )
    return actor, ValueOperator(network(high, 1), [OBSERVATION])


def network(high: torch.Tensor, outputs: int) -> nn.Sequential:
    layers = [Scale(high), nn.Linear(len(high), 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU()]
    last = nn.Linear(256, outputs)
    nn.init.orthogonal_(last.weight, gain=0.01)  # nearly uniform at first
    return nn.Sequential(*layers, last)


class Scale(nn.Module):
    """An observation divided by its highest values."""

    def __init__(self, high: torch.Tensor) -> None:
        super().__init__()
        self.register_buffer("high", high)

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        return observation / self.high


# --- playing ---------------------------------------------------------------------------------


def collect(arguments: Arguments, actor: ProbabilisticActor) -> Iterator[TensorDictBase]:
    """Rollouts without end, each of `arguments.rollout` decisions of consecutive games."""

    def play(step: TensorDictBase) -> TensorDictBase:
        """Every player's row is asked; the wrapper hands on the action of the one to move."""
        return step.set("players", actor(step.get("players")))

    return iter(
        Collector(
            make_env(arguments),
            play,
            frames_per_batch=arguments.rollout,
            total_frames=-1,
            trust_policy=True,
        )
    )


def make_env(arguments: Arguments) -> PettingZooWrapper:
    """The raw view: should an illegal action get through, it raises."""
    env = views(arguments.game).raw_env(num_players=arguments.players)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*PettingZoo.*")  # it names another version
        return PettingZooWrapper(
            env, use_mask=True, group_map={"players": env.possible_agents}, seed=arguments.seed
        )


# --- learning --------------------------------------------------------------------------------


class Learner:
    """PPO on the decisions of all players, whom one policy plays."""

    def __init__(
        self, actor: ProbabilisticActor, critic: ValueOperator, arguments: Arguments
    ) -> None:
        self.arguments = arguments
        self.advantage = GAE(gamma=0.999, lmbda=0.98, value_network=critic)
        self.loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, normalize_advantage=True)
        self.optimizer = torch.optim.Adam(self.loss.parameters(), lr=3e-4)

    def learn(self, rollout: TensorDictBase) -> dict[str, float]:
        """Some epochs on the decisions of a rollout; the last loss and entropy."""
        seats = [own_decisions(rollout, seat) for seat in range(self.arguments.players)]
        with torch.no_grad():
            decisions = torch.cat([self.advantage(seat) for seat in seats])
        for _ in range(self.arguments.epochs):
            for chosen in torch.randperm(len(decisions)).split(self.arguments.batch):
                losses = self.loss(decisions[chosen])
                loss = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.loss.parameters(), 0.5)
                self.optimizer.step()
        return {"loss": loss.item(), "entropy": losses["entropy"].item()}


def own_decisions(rollout: TensorDictBase, seat: int) -> TensorDictBase:
    """The decisions of one player, each followed by the player's next one.

    A decision's reward is all that the player gets before the next one. Its successor does not
    count if a game ended in between. The last decision is left out: what followed is unknown.

    Args:
        rollout: [steps], of all players.
        seat: the player.

    Returns:
        [decisions of the player - 1]
    """
    player = rollout["players"][:, seat]
    moments = player["mask"].nonzero().squeeze(1)
    now, later = moments[:-1], moments[1:]
    rewards = sums_between(rollout["next", "players", "reward"][:, seat], now, later)
    ends = sums_between(rollout["next", "done"].float(), now, later) > 0
    decisions = player[now].exclude("mask")
    decisions["next"] = TensorDict(
        {
            "observation": player["observation"][later],
            "reward": rewards,
            "done": ends,
            "terminated": ends,
        },
        batch_size=[len(now)],
    )
    return decisions


def sums_between(values: torch.Tensor, first: torch.Tensor, end: torch.Tensor) -> torch.Tensor:
    """Sums of values [steps, 1] over first .. end - 1, for each pair of moments."""
    until = torch.cat([torch.zeros(1, 1), values.cumsum(0)])
    return until[end] - until[first]


def evaluate_actor(actor: ProbabilisticActor, arguments: Arguments) -> Evaluation:
    """How often the policy wins against random bots, drawing from its probabilities."""

    def policy(observations: dict[str, Array]) -> Array:
        seen = TensorDict(
            {
                OBSERVATION: torch.as_tensor(observations["observation"]),
                "action_mask": torch.as_tensor(observations["action_mask"] == 1),
            },
            batch_size=[len(observations["observation"])],
        )
        with torch.no_grad():
            return actor(seen)["action"].numpy()

    return evaluate(
        policy, arguments.game, arguments.players, games=arguments.games, seed=arguments.seed
    )


if __name__ == "__main__":
    main(tyro.cli(Arguments))
