"""The kernel `engine.step_batch` itself: a batch without the Python around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tabletop_core import engine
from tabletop_core.game import Array, Ruleset, allocate
from tabletop_core.rng import seeds_to_words
from tabletop_core.rollouts import random_games

from ..measure import THREAD, Contender, Counts, Work

STAGES: Final = 32  # of a game, at which the lanes of a batch are
LENGTH_GAMES: Final = 32  # to learn the mean length of a game
RECORDED_STEPS: Final = 64
BOT_SEED: Final = 1 << 40  # far from the seeds of the games


def random_steps(ruleset: Ruleset, batch: int, outputs: bool) -> Contender:
    """Random decisions in all lanes, chosen by a kernel.

    outputs: whether observations and masks are written.
    """

    def prepare() -> Work:
        lanes = _mixed(ruleset, batch, outputs)

        def work(amount: int) -> Counts:
            games = sum(lanes.step_randomly() for _ in range(amount))
            ruleset.game.check_room(lanes.states)
            return Counts(batch * amount, games)

        return work

    return Contender(_name(ruleset, batch, outputs), prepare, THREAD)


def recorded_steps(ruleset: Ruleset, batch: int, outputs: bool) -> Contender:
    """The same without the cost of choosing: recorded actions from recorded positions."""

    def prepare() -> Work:
        lanes = _mixed(ruleset, batch, outputs)
        states, records = lanes.states.copy(), lanes.records.copy()
        actions = []
        games = 0
        for _ in range(RECORDED_STEPS):
            games += lanes.step_randomly()
            actions.append(lanes.actions.copy())

        def work(amount: int) -> Counts:
            for _ in range(amount):
                lanes.states[:], lanes.records[:] = states, records
                for chosen in actions:
                    lanes.step(chosen)
            return Counts(batch * amount * RECORDED_STEPS, games * amount)

        return work

    return Contender(f"{_name(ruleset, batch, outputs)}, recorded actions", prepare, THREAD)


def mixed_states(ruleset: Ruleset, batch: int) -> Array:
    """State records [batch] at all stages of their games."""
    return _mixed(ruleset, batch, outputs=False).states


@dataclass(frozen=True)
class _Lanes:
    """The arrays of a batch; a game that ends is followed by a new one in the same step."""

    ruleset: Ruleset
    states: Array
    records: Array
    actions: Array
    modes: Array
    flags: Array
    rewards: Array
    points: Array
    is_winner: Array
    observation: Array
    mask: Array

    def step_randomly(self) -> int:
        """One random decision in each lane; the number of games that ended."""
        engine.choose_batch(self.states, self.records, self.actions, 0, len(self.states))
        return self.step(self.actions)

    def step(self, actions: Array) -> int:
        """One decision in each lane; the number of games that ended."""
        return engine.step_batch(  # type: ignore[no-any-return]
            self.ruleset.record,
            self.states,
            self.records,
            actions,
            self.modes,
            self.flags,
            self.rewards,
            self.points,
            self.is_winner,
            self.observation,
            self.mask,
            0,
            len(self.states),
        )


def _mixed(ruleset: Ruleset, batch: int, outputs: bool) -> _Lanes:
    game, players = ruleset.game, ruleset.num_players
    rows = batch if outputs else 0
    lanes = _Lanes(
        ruleset,
        states=allocate(game.state_dtype, batch),
        records=allocate(engine.LANE, batch),
        actions=np.zeros(batch, np.int64),
        modes=np.array([engine.AUTORESET_SAME_STEP, engine.REWARD_WIN], np.int64),
        flags=np.zeros((engine.NUM_FLAGS, batch), np.bool_),
        rewards=np.zeros((batch, players)),
        points=np.zeros((batch, players)),
        is_winner=np.zeros((batch, players), np.bool_),
        observation=np.zeros((rows, game.observation.size), np.uint8),
        mask=np.zeros((rows, game.actions.count), np.int8),
    )
    lanes.states["rng"] = seeds_to_words(0, batch)
    lanes.records["rng"] = seeds_to_words(BOT_SEED, batch)
    lanes.records["viewer"] = engine.CURRENT_PLAYER
    lanes.records["order"] = engine.BEGIN
    lanes.step(lanes.actions)
    _mix(lanes)
    return lanes


def _mix(lanes: _Lanes) -> None:
    """Play the lanes to all stages of their games: the k-th part of them k parts of a game."""
    batch, players = lanes.rewards.shape
    lengths = random_games(lanes.ruleset, LENGTH_GAMES).lanes["length"]
    tallies = np.zeros((batch, 2 + (1 << len(lanes.ruleset.game.end_reasons))), np.int64)
    totals = np.zeros((batch, 2, players))
    for stage in range(STAGES):
        engine.rollout_batch(
            lanes.ruleset.record,
            lanes.states,
            lanes.records,
            int(lengths.mean()) * stage // STAGES,
            tallies,
            totals,
            lanes.points,
            lanes.is_winner,
            batch * stage // STAGES,
            batch * (stage + 1) // STAGES,
        )


def _name(ruleset: Ruleset, batch: int, outputs: bool) -> str:
    what = "all outputs" if outputs else "no outputs"
    return f"{ruleset.game.id} step_batch, {ruleset.num_players} players, batch {batch}, {what}"
