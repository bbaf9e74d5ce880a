"""Masked PPO by self-play: learns to play one of the games, against itself and its past selves.

    python examples/ppo_selfplay.py --game jumpgate --seconds 3600 --out runs/jumpgate

writes three files into the new folder: `policy.npz` (plays as the bot `policy:PATH`), `curve.json`
and `curve.png`. Ctrl-C ends the training early and writes them too. All arguments: `--help`.

Read it from the top: arguments, network, games, a batch of decisions, learning, evaluation, files.

What is special about board games of several players:

- A game pays at its end, and often when somebody else has moved. Every player has a trajectory of
  its own: the advantage of a decision looks ahead to the next decision *of the same player*, and a
  finished game ends the trajectories of all players, each with its own reward.
- The last decision of a player in a batch has no successor yet, so it only lends its value to the
  decision before it and is not learned from, unless its game ended.
- Illegal actions have no probability, when actions are drawn and when they are learned from.
- Opponents: in most lanes the network plays all seats. In the others one seat learns, and the
  others are played by a past self, or by the game's rule-based bot.

Learning from the rule-based bot: with `--imitation` above 0 the network first learns to
foretell what that bot plays, and only then learns by itself. Pure self-play from nothing is
`--imitation 0 --rule-lanes 0`; docs/training.md has figures.

Needs the extra `torch`.
"""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import tyro
from torch import Tensor, nn

from tabletop_core.commands.common import parse_options
from tabletop_core.engine import CHOOSER, rule_one
from tabletop_core.errors import TabletopError
from tabletop_core.files import new_file
from tabletop_core.game import Array, Json, Ruleset, allocate, find_game
from tabletop_core.policy import Policy, PolicyHeader
from tabletop_core.ratings import wilson_interval
from tabletop_core.seat_env import SeatVectorEnv
from tabletop_core.vector_env import VectorEngine


@dataclass(frozen=True)
class Arguments:
    """Learn a game by masked PPO in self-play."""

    game: str = "jumpgate"
    """Name of the game."""
    players: int = 2
    """Number of players."""
    options: tuple[str, ...] = ()
    """Rule options NAME=VALUE."""
    out: Path = Path("runs/ppo")
    """Folder to make for policy, curve and picture."""
    seed: int = 1
    """Seed of games, network and choices."""
    seconds: float = 3600.0
    """How long to train, without evaluations."""
    decisions: int = 1_000_000_000_000
    """How many decisions to learn from, if that comes first."""
    threads: int = 1
    """Threads of torch and of the games."""
    # what is played
    lanes: int = 256
    """Games side by side."""
    steps: int = 128
    """Decisions of each lane in a batch."""
    past_lanes: float = 0.25
    """Share of the lanes with past selves as opponents."""
    rule_lanes: float = 0.25
    """Share of the lanes with the rule-based bot as opponent."""
    margin: float = 0.0
    """Share of the reward that tells by how much a game was won or lost, instead of who won."""
    margin_scale: float = 20.0
    """Points by which a game is won clearly."""
    pool: int = 20
    """Past selves to keep."""
    pool_every: int = 10
    """Batches between two of them."""
    # how it learns
    imitation: float = 0.1
    """Share of the training in which it learns to foretell the rule-based bot."""
    hidden: int = 256
    """Units of each of the two hidden layers."""
    learning_rate: float = 3e-4
    """Of Adam, falling to a tenth."""
    imitation_rate: float = 1e-3
    """Of Adam in imitation."""
    epochs: int = 3
    """Times that a batch is learned from."""
    minibatch: int = 1024
    """Decisions per step of Adam."""
    discount: float = 1.0
    """Per own decision."""
    gae_lambda: float = 0.97
    """How far advantages look ahead."""
    clip: float = 0.2
    """How far a probability moves in a batch."""
    entropy: float = 0.01
    """Bonus, falling to a tenth."""
    value_weight: float = 0.5
    """Of the value's error in the loss."""
    # how it is evaluated
    evaluations: int = 12
    """How many, the last one at the end."""
    evaluation_games: int = 200
    """Games of each evaluation against each bot."""
    final_games: int = 2000
    """Games of the last evaluation."""
    temperature: float = 0.5
    """Of the network in evaluations: 1 draws as in training, 0 plays the best action."""


# --- network ---------------------------------------------------------------------------------


class Agent(nn.Module):
    """Two hidden layers; it reads the entries of observation and action mask that ever change.

    The mask tells what hand and table allow together, which is hard to see from either alone.

    Each entry is divided by its standard deviation, or by a half if that is larger, so that counts
    and points are about as large as entries of 0 and 1.
    """

    def __init__(self, inputs: Array, scale: Array, hidden: int, num_actions: int) -> None:
        super().__init__()
        self.inputs = inputs
        self.scale: Tensor
        self.register_buffer("scale", torch.as_tensor(scale))
        self.body = nn.Sequential(
            nn.Linear(len(inputs), hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU()
        )
        self.policy = nn.Linear(hidden, num_actions)
        self.value = nn.Linear(hidden, 1)
        with torch.no_grad():
            self.policy.weight *= 0.01  # at first all legal actions are about as likely
            self.policy.bias.zero_()

    def read(self, observation: Array, mask: Array) -> Array:
        """What it reads of observations and masks [rows, ...]: uint8 [rows, inputs]."""
        size = observation.shape[1]
        of_mask = self.inputs >= size
        parts = observation[:, self.inputs[~of_mask]], mask[:, self.inputs[of_mask] - size]
        return np.concatenate(parts, axis=1, dtype=np.uint8, casting="unsafe")

    def forward(self, seen: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Log-probabilities [rows, num_actions] and values [rows].

        seen: uint8 [rows, inputs], mask: bool [rows, num_actions].
        """
        hidden = self.body(seen.float() * self.scale)
        logits = self.policy(hidden).masked_fill(~mask, -1e9)
        return torch.log_softmax(logits, dim=1), self.value(hidden).squeeze(1)

    @torch.no_grad()
    def choose(
        self, seen: Array, mask: Array, temperature: float = 1.0
    ) -> tuple[Array, Array, Array]:
        """Actions, their log-probabilities, and values of the positions, each [rows]."""
        logs, values = self(torch.as_tensor(seen), torch.as_tensor(mask))
        noise = -torch.log(-torch.log(torch.rand_like(logs).clamp(1e-9, 1 - 1e-7)))
        actions = (logs + temperature * noise).argmax(dim=1)
        chosen = logs.gather(1, actions[:, None]).squeeze(1)
        return actions.numpy(), chosen.numpy(), values.numpy()


def make_agent(ruleset: Ruleset, args: Arguments) -> Agent:
    """An agent that knows nothing; which inputs change is seen in games of both simple bots."""
    count = 64
    samples = []
    for opponents in ("random", "rule"):
        env = SeatVectorEnv(ruleset, count, opponents=opponents, seat="rotate")
        observation, _ = env.reset(seed=args.seed)
        sampler = VectorEngine(ruleset, count, autoreset="same_step")
        sampler.reset(seed=args.seed)
        for step in range(300):
            actions = sample_rows(observation["action_mask"], args.seed + step)
            observation, *_ = env.step(actions)
            seen_by_mover, *_ = sampler.step(sampler.sample_actions())
            if step % 3 == 0:
                for part in (observation, seen_by_mover):
                    samples.append(np.hstack([part["observation"], part["action_mask"]]))
    seen = np.concatenate(samples)
    deviation = seen.std(axis=0)
    inputs = np.flatnonzero(deviation > 0)
    scale = 1 / np.maximum(deviation[inputs], 0.5)
    return Agent(inputs, scale.astype(np.float32), args.hidden, ruleset.game.actions.count)


def sample_rows(mask: Array, seed: int) -> Array:
    """A random legal action of each row (0 where none is legal)."""
    noise = np.random.default_rng(seed).random(mask.shape, np.float32)
    actions: Array = (mask * (noise + 1)).argmax(axis=1)
    return actions


# --- games -----------------------------------------------------------------------------------


@dataclass
class Batch:
    """Decisions of all lanes; arrays [steps, lanes, ...]."""

    seen: Array
    mask: Array
    player: Array
    action: Array
    target: Array
    """What the rule-based bot plays, while it is imitated."""
    log_prob: Array
    value: Array
    reward: Array
    """[steps, lanes, players]"""
    done: Array
    learns: Array
    """bool: the network has decided, and is to learn from it."""


class Tables:
    """The lanes in which the network, its past selves and the rule-based bot play each other."""

    def __init__(self, ruleset: Ruleset, agent: Agent, args: Arguments) -> None:
        self.ruleset, self.args = ruleset, args
        self.engine = VectorEngine(ruleset, args.lanes, autoreset="same_step", threads=args.threads)
        self.engine.reset(seed=args.seed)
        self.rng = np.random.default_rng(args.seed)
        self.one_state = allocate(ruleset.game.state_dtype, 1)
        self.chooser = allocate(CHOOSER, 1)  # what the rule-based bot draws from
        self.chooser["rng"] = args.seed
        past = int(args.lanes * args.past_lanes)
        rule = int(args.lanes * args.rule_lanes)
        self.is_past = np.arange(args.lanes) < past
        self.is_rule = (np.arange(args.lanes) >= past) & (np.arange(args.lanes) < past + rule)
        self.seat = self.rng.integers(ruleset.num_players, size=args.lanes)
        self.past = copy.deepcopy(agent)
        self.pool = [copy.deepcopy(agent.state_dict())]
        if args.imitation or rule:
            self._ask_rule(np.arange(1))  # compiles it before the time runs
        self.env_seconds = 0.0
        self.decisions = 0
        self.games = 0

    def collect(self, agent: Agent, imitate: bool) -> Batch:
        """Play one batch. In imitation the bot's answers are played in every second lane."""
        engine, args = self.engine, self.args
        batch = self._empty_batch(len(agent.inputs))
        self.past.load_state_dict(self.pool[self.rng.integers(len(self.pool))])
        for t in range(args.steps):
            seen = agent.read(engine.observation, engine.action_mask)
            mask = engine.action_mask.astype(bool)
            player = engine.current_player.copy()
            ours = (~self.is_past & ~self.is_rule) | (player == self.seat) | imitate
            batch.seen[t], batch.mask[t] = seen, mask
            batch.player[t], batch.learns[t] = player, ours
            rows = np.flatnonzero(ours)
            chosen = agent.choose(seen[rows], mask[rows])
            batch.action[t, rows], batch.log_prob[t, rows], batch.value[t, rows] = chosen
            rows = np.flatnonzero(~ours & self.is_past)
            if len(rows):
                batch.action[t, rows] = self.past.choose(seen[rows], mask[rows])[0]
            rows = np.arange(args.lanes) if imitate else np.flatnonzero(~ours & self.is_rule)
            started = time.perf_counter()
            batch.target[t, rows] = self._ask_rule(rows)
            self.env_seconds += time.perf_counter() - started
            rows = rows[::2] if imitate else rows
            batch.action[t, rows] = batch.target[t, rows]
            self._step(batch, t)
        self.decisions += int(batch.learns.sum())
        return batch

    def _step(self, batch: Batch, t: int) -> None:
        started = time.perf_counter()
        _, rewards, terminated, truncated, infos = self.engine.step(batch.action[t])
        self.env_seconds += time.perf_counter() - started
        batch.reward[t] = rewards / (self.ruleset.num_players - 1)  # a win is at most 1
        batch.done[t] = ended = terminated | truncated
        if ended.any() and self.args.margin:
            margin = np.tanh(margins(infos["scores"][ended]) / self.args.margin_scale)
            batch.reward[t, ended] *= 1 - self.args.margin
            batch.reward[t, ended] += self.args.margin * margin
        self.games += int(batch.done[t].sum())
        self.seat[batch.done[t]] += 1
        self.seat %= self.ruleset.num_players

    def _ask_rule(self, rows: Array) -> list[int]:
        """What the rule-based bot plays in some lanes."""
        answers = []
        for row in rows:
            np.copyto(self.one_state, self.engine.states[row : row + 1])
            answers.append(rule_one(self.ruleset.record, self.one_state, self.chooser))
        return answers

    def _empty_batch(self, num_inputs: int) -> Batch:
        shape = (self.args.steps, self.args.lanes)
        num_actions = self.ruleset.game.actions.count
        return Batch(
            seen=np.zeros((*shape, num_inputs), np.uint8),
            mask=np.zeros((*shape, num_actions), np.bool_),
            player=np.zeros(shape, np.int64),
            action=np.zeros(shape, np.int64),
            target=np.zeros(shape, np.int64),
            log_prob=np.zeros(shape, np.float32),
            value=np.zeros(shape, np.float32),
            reward=np.zeros((*shape, self.ruleset.num_players), np.float32),
            done=np.zeros(shape, np.bool_),
            learns=np.zeros(shape, np.bool_),
        )

    def remember(self, agent: Agent) -> None:
        """Add the present network to the past selves; one of the older ones makes room."""
        if len(self.pool) >= self.args.pool:
            del self.pool[self.rng.integers(len(self.pool))]
        self.pool.append(copy.deepcopy(agent.state_dict()))


def margins(scores: Array) -> Array:
    """Points of each player above the best of the others, [games, players]."""
    ordered = np.sort(scores, axis=1)
    best, second = ordered[:, -1:], ordered[:, -2:-1]
    return np.where(scores == best, scores - second, scores - best)


# --- learning --------------------------------------------------------------------------------


def advantages(batch: Batch, discount: float, gae_lambda: float) -> tuple[Array, Array]:
    """Generalised advantage estimates [steps, lanes], and which of them are complete.

    Goes back in time and keeps for each player what follows its present decision: the rewards until
    its next decision, the value of that one, and its advantage.
    """
    steps, lanes, players = batch.reward.shape
    lane = np.arange(lanes)
    reward, value, advantage = (np.zeros((lanes, players), np.float32) for _ in range(3))
    is_known = np.zeros((lanes, players), np.bool_)  # the end, or a later decision, is in the batch
    result = np.zeros((steps, lanes), np.float32)
    is_complete = np.zeros((steps, lanes), np.bool_)
    for t in reversed(range(steps)):
        ended = batch.done[t]
        reward[ended] = batch.reward[t][ended]
        value[ended] = advantage[ended] = 0
        is_known[ended] = True
        player = batch.player[t]
        key = lane, player
        error = reward[key] + discount * value[key] - batch.value[t]
        result[t] = error + discount * gae_lambda * advantage[key]
        is_complete[t] = is_known[key] & batch.learns[t]
        # Behind the last decision of the batch nothing is known: its advantage does not count.
        advantage[key] = np.where(is_known[key], result[t], 0)
        value[key], reward[key], is_known[key] = batch.value[t], 0, True
    return result, is_complete


class Learner:
    """PPO: the clipped objective, entropy bonus and the value's error, with Adam."""

    def __init__(self, agent: Agent, args: Arguments) -> None:
        self.agent, self.args = agent, args
        self.optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

    def learn(self, batch: Batch, imitate: bool, progress: float) -> Json:
        """One batch; progress: 0 .. 1. Means of what was measured on the way."""
        args = self.args
        falling = 1 - 0.9 * progress
        for group in self.optimizer.param_groups:
            group["lr"] = args.imitation_rate if imitate else args.learning_rate * falling
        advantage, is_complete = advantages(batch, args.discount, args.gae_lambda)
        returns = advantage + batch.value
        rows = np.flatnonzero(is_complete)
        advantage = (advantage - advantage[is_complete].mean()) / (
            advantage[is_complete].std() + 1e-8
        )
        data = [
            torch.as_tensor(part.reshape(-1, *part.shape[2:]))
            for part in (batch.seen, batch.mask, batch.target if imitate else batch.action)
        ] + [torch.as_tensor(part.reshape(-1)) for part in (batch.log_prob, advantage, returns)]
        measured = []
        for chosen in self._minibatches(rows):
            parts = [part[chosen] for part in data]
            loss, measures = self._loss(parts, imitate, args.entropy * falling)
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.agent.parameters(), 0.5)
            self.optimizer.step()
            measured.append(measures)
        spread = float(returns[is_complete].var()) + 1e-8
        means = {name: float(np.mean([one[name] for one in measured])) for name in measured[0]}
        return {**means, "explained": 1 - means["value_error"] / spread}

    def _loss(
        self, parts: Sequence[Tensor], imitate: bool, entropy_weight: float
    ) -> tuple[Tensor, Json]:
        seen, mask, action, old, advantage, returns = parts
        logs, values = self.agent(seen, mask)
        log_prob = logs.gather(1, action[:, None]).squeeze(1)
        ratio = (log_prob - old).exp()
        clipped = ratio.clamp(1 - self.args.clip, 1 + self.args.clip)
        entropy = -(logs.exp() * logs.masked_fill(~mask, 0)).sum(dim=1).mean()
        value_error = (values - returns).square().mean()
        if imitate:
            loss = -log_prob.mean()
        else:
            loss = -torch.min(ratio * advantage, clipped * advantage).mean()
            loss = loss - entropy_weight * entropy
        agreement = (logs.argmax(dim=1) == action).float().mean()
        measures = {
            "entropy": entropy.item(),
            "value_error": value_error.item(),
            "kl": ((ratio - 1) - (log_prob - old)).mean().item(),
            "agreement": agreement.item(),
        }
        return loss + self.args.value_weight * value_error, measures

    def _minibatches(self, rows: Array) -> Iterator[Tensor]:
        size = self.args.minibatch
        for _ in range(self.args.epochs):
            shuffled = torch.as_tensor(rows)[torch.randperm(len(rows))]
            yield from shuffled.split(size)


# --- evaluation ------------------------------------------------------------------------------


def win_share(ruleset: Ruleset, agent: Agent, opponent: str, games: int, args: Arguments) -> Json:
    """Share of games won against a bot, seats in turn, with its 95 % interval; a tie is shared."""
    env = SeatVectorEnv(ruleset, games, opponents=opponent, seat="rotate")
    observation, _ = env.reset(seed=args.seed + 1_000_000)  # no deal of the training
    seats = env.seats
    wins = np.full(games, np.nan)
    while np.isnan(wins).any():
        actions = np.zeros(games, np.int64)
        rows = np.flatnonzero(np.isnan(wins))
        mask = observation["action_mask"][rows]
        seen = agent.read(observation["observation"][rows], mask)
        actions[rows] = agent.choose(seen, mask.astype(bool), args.temperature)[0]
        observation, _, _, _, infos = env.step(actions)
        for lane in rows[infos["_winners"][rows]] if "_winners" in infos else ():
            winners = infos["winners"][lane]
            wins[lane] = (seats[lane] in winners) / max(len(winners), 1)
    low, high = wilson_interval(float(wins.sum()), games)
    return {"won": float(wins.mean()), "low": low, "high": high, "games": games}


# --- files -----------------------------------------------------------------------------------


def to_policy(ruleset: Ruleset, agent: Agent, training: Json) -> Policy:
    linear = [*(layer for layer in agent.body if isinstance(layer, nn.Linear)), agent.policy]
    layers = tuple(
        (layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy())
        for layer in linear
    )
    sizes = [len(agent.inputs), *(len(bias) for _, bias in layers)]
    header = PolicyHeader.of(ruleset, sizes, training)
    return Policy(header, agent.inputs.astype(np.int64), agent.scale.numpy(), layers)


def settings(args: Arguments) -> Json:
    """The arguments as JSON types."""
    return {name: str(one) if isinstance(one, Path) else one for name, one in vars(args).items()}


def save(folder: Path, ruleset: Ruleset, agent: Agent, curve: list[Json], args: Arguments) -> None:
    """Write the policy, the curve and its picture in place of earlier ones of this run."""
    training = {"arguments": settings(args), **(curve[-1] if curve else {})}
    to_policy(ruleset, agent, training).save(folder / "policy.npz", force=True)
    with new_file(folder / "curve.json", force=True) as stream:
        stream.write(json.dumps({"arguments": settings(args), "curve": curve}, indent=2).encode())
    if curve:
        plot(folder / "curve.png", ruleset, curve)


def plot(path: Path, ruleset: Ruleset, curve: list[Json]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    minutes = [row["seconds"] / 60 for row in curve]
    for name, colour in (("random", "#0072b2"), ("rule", "#d55e00")):
        shares = [[100 * row[name][key] for key in ("low", "won", "high")] for row in curve]
        low, won, high = np.array(shares).T
        axes.plot(minutes, won, color=colour, marker="o", label=f"against {name}")
        axes.fill_between(minutes, low, high, color=colour, alpha=0.2)
    axes.set(
        title=f"{ruleset.game.title}, {ruleset.num_players} players",
        xlabel="minutes of training",
        ylabel="games won (%), with 95 % interval",
        ylim=(0, 100),
    )
    axes.legend(loc="lower right")
    with new_file(path, force=True) as stream:
        figure.savefig(stream, format="png", dpi=120)


# --- the whole -------------------------------------------------------------------------------


class Run:
    """A training from its arguments to its files."""

    def __init__(self, args: Arguments) -> None:
        self.args = args
        self.folder = args.out
        game = find_game(args.game)
        self.ruleset = game.ruleset(args.players, **parse_options(game, args.options))
        self.folder.mkdir(parents=True)
        torch.manual_seed(args.seed)
        torch.set_num_threads(args.threads)
        self.agent = make_agent(self.ruleset, args)
        self.tables = Tables(self.ruleset, self.agent, args)
        self.learner = Learner(self.agent, args)
        self.curve: list[Json] = []
        self.seconds = 0.0
        self.batches = 0

    def train(self) -> None:
        """Until the time is over or Ctrl-C is pressed."""
        game, num_inputs = self.ruleset.game, len(self.agent.inputs)
        size = game.observation.size + game.actions.count
        print(f"{game.id}: {num_inputs} of {size} entries of observation and mask are used")
        try:
            while self.progress < 1:
                part = int(self.progress * self.args.evaluations)
                measures = self.batch()
                if part < int(self.progress * self.args.evaluations) and self.progress < 1:
                    self.evaluate(measures, self.args.evaluation_games)
            self.evaluate(measures, self.args.final_games)
        except KeyboardInterrupt:
            print("stopped")
        save(self.folder, self.ruleset, self.agent, self.curve, self.args)
        print(f"written into {self.folder}")

    @property
    def progress(self) -> float:
        """0 at the beginning, 1 or more at the end."""
        done = self.tables.decisions / self.args.decisions
        return max(self.seconds / self.args.seconds, done)

    def batch(self) -> Json:
        started = time.perf_counter()
        progress = self.progress
        imitate = progress < self.args.imitation
        batch = self.tables.collect(self.agent, imitate)
        measures = self.learner.learn(batch, imitate, progress)
        self.batches += 1
        if self.batches % self.args.pool_every == 0:
            self.tables.remember(self.agent)
        self.seconds += time.perf_counter() - started
        if self.batches % 10 == 1:
            self.report("imitates" if imitate else "plays", measures)
        return measures

    def report(self, what: str, measures: Json) -> None:
        tables = self.tables
        print(
            f"{self.seconds:6.0f} s  {what}  {tables.decisions:,} decisions, "
            f"{tables.games:,} games, environment {tables.env_seconds / self.seconds:.0%}; "
            + ", ".join(f"{name} {value:.3f}" for name, value in measures.items()),
            flush=True,
        )

    def evaluate(self, measures: Json, games: int) -> None:
        row: Json = {
            "seconds": self.seconds,
            "cpu_seconds": time.process_time(),
            "decisions": self.tables.decisions,
            "games": self.tables.games,
            "environment_share": self.tables.env_seconds / self.seconds,
            **measures,
        }
        for opponent in ("random", "rule"):
            row[opponent] = win_share(self.ruleset, self.agent, opponent, games, self.args)
            share = row[opponent]
            print(
                f"{self.seconds:6.0f} s  won against {opponent}: {share['won']:.1%} "
                f"({share['low']:.1%} to {share['high']:.1%} of {games} games)",
                flush=True,
            )
        self.curve.append(row)
        save(self.folder, self.ruleset, self.agent, self.curve, self.args)


def main(args: Arguments) -> None:
    try:
        Run(args).train()
    except (TabletopError, FileExistsError) as error:
        raise SystemExit(f"ppo_selfplay: {error}") from None


if __name__ == "__main__":
    main(tyro.cli(Arguments))
