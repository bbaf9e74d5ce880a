"""A game twice at once: the environment and the slow reference play the same games in step.

Both get the same rules, the same seed and the same randomly chosen actions. At every decision they
must offer the same actions, and at randomly chosen ones (and always at the end) agree on every word
of the position, the text of every action and the points. A game that shows a difference is played
again with all comparisons at every decision, so that the report names the first one.

A test module of a game says in a `Contest` what is particular to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from positions import choose_by_block

from tabletop_core import engine
from tabletop_core.game import Game, Ruleset
from tabletop_core.position import OVER
from tabletop_core.session import TRUNCATED, Session

# Share of the decisions at which the whole position is compared, and at which each side reads what
# the other one wrote and goes on from there. Legal actions are compared at every decision and the
# position also at the end, so that a difference which lasts is met at the latest there.
COMPARED = 0.03
EXCHANGED = 0.003
READ_ACTIONS = 20  # action texts that are read back with each exchange

# Every game deviates in its own way from what is preferred.
DEVIATIONS = (0.1, 1.0, 1.0, 4.0)


@dataclass(frozen=True)
class Contest:
    """One game and its reference.

    slow: the module with the reference's `Game`, `ALL_ACTIONS` and `ACTION_BLOCKS`.
    slow_tables: the reference's tables for a case.
    preferences: block of actions -> how much it is preferred to a block with 1.
    compared, exchanged: share of the decisions at which this is done.
    read_actions: how many texts of actions are read back with each exchange.
    """

    game: Game
    slow: Any
    slow_tables: Callable[[Case], Any]
    preferences: Mapping[str, float] = field(default_factory=dict)
    compared: float = COMPARED
    exchanged: float = EXCHANGED
    read_actions: int = READ_ACTIONS


@dataclass(frozen=True)
class Case:
    """One game, from which everything about it follows."""

    num_players: int
    options: dict[str, Any]
    seed: int
    ruleset_file: Path | None = None

    def ruleset(self, game: Game) -> Ruleset:
        tables = {} if self.ruleset_file is None else {"ruleset": self.ruleset_file}
        return game.ruleset(self.num_players, **self.options, **tables)


@dataclass
class Seen:
    """What the games of a test have met."""

    decisions: int = 0
    comparisons: int = 0
    blocks: Counter[str] = field(default_factory=Counter)
    prompts: Counter[str] = field(default_factory=Counter)
    end_reasons: Counter[str] = field(default_factory=Counter)


class Pair:
    """One game on both sides; raises AssertionError where they differ."""

    def __init__(self, contest: Contest, case: Case, seen: Seen) -> None:
        self.contest = contest
        self.seen = seen
        self.tables = contest.slow_tables(case)
        self.options = case.options
        self.fast = Session(case.ruleset(contest.game))
        self.fast.reset(case.seed)
        self.slow = contest.slow.Game(self.tables, case.options, case.num_players, case.seed)
        self.slow.ruleset_hex = f"{self.fast.ruleset.digest:016x}"
        # Separate generators, so that more comparisons do not change the game.
        self.chooser = Random(f"{case.seed} actions")
        self.sampler = Random(f"{case.seed} comparisons")
        self.exchanger = Random(f"{case.seed} exchanges")
        self.preferences = {
            name: contest.preferences.get(name, 1.0) * self.chooser.choice(DEVIATIONS)
            for name in contest.slow.ACTION_BLOCKS
        }
        self.compare_positions()

    @property
    def is_over(self) -> bool:
        return bool(self.slow.is_over)

    def step(self) -> None:
        """Compare what is legal, play an action on both sides; now and then compare all."""
        legal = self.slow.legal_action_ids()
        assert self.fast.legal_actions() == legal
        assert self.fast.current_player == self.slow.current_player
        action = self.choose(legal)
        assert self.fast.action_to_string(action) == self.slow.action_text(action)
        self.seen.decisions += 1
        self.seen.prompts[self.slow.prompt] += 1
        self.seen.blocks[self.block_of(action)] += 1
        self.fast.step(action)
        self.slow.apply_id(action)
        assert self.fast.is_over == self.slow.is_over
        if self.is_over:
            self.compare_ends()
        if self.is_over or self.sampler.random() < self.contest.compared:
            self.compare_positions()
        if self.exchanger.random() < self.contest.exchanged:
            self.exchange_positions()

    def block_of(self, action: int) -> str:
        return str(self.contest.slow.ALL_ACTIONS[action][0])

    def choose(self, legal: list[int]) -> int:
        return choose_by_block(legal, self.chooser, self.block_of, self.preferences)

    def compare_positions(self) -> None:
        """Every word of the position, the text of every action, points, conservation (§11)."""
        position = self.fast.to_json()
        assert position == self.slow.to_json()
        for action in range(self.contest.game.actions.count):
            assert self.fast.action_to_string(action) == self.slow.action_text(action)
        points, is_winner = self.fast_result()
        assert points == self.slow.scores()
        assert is_winner == self.slow.winners()
        copy = self.slow_copy(position)
        assert copy.conservation_errors() == []
        self.seen.comparisons += 1

    def fast_result(self) -> tuple[list[float], list[int]]:
        """Points and winners of the position as it stands."""
        points = np.zeros(self.fast.num_players)
        is_winner = np.zeros(self.fast.num_players, np.bool_)
        engine.finish_one(self.fast.ruleset.record, self.fast.state, points, is_winner)
        return points.tolist(), np.flatnonzero(is_winner).tolist()

    def slow_copy(self, position: dict[str, Any]) -> Any:
        return self.contest.slow.Game.from_json(self.tables, self.options, position)

    def exchange_positions(self) -> None:
        """Each side reads what the other one wrote and goes on from there; nothing may be lost."""
        actions = range(self.contest.game.actions.count)
        for action in self.exchanger.sample(actions, self.contest.read_actions):
            assert self.fast.string_to_action(self.slow.action_text(action)) == action
        from_slow, from_fast = self.slow.to_json(), self.fast.to_json()
        before = self.fast.serialize()
        self.fast.from_json(from_slow)
        assert self.fast.serialize() == before
        self.slow = self.slow_copy(from_fast)

    def compare_ends(self) -> None:
        """§7 reasons, points and winners, rewards of all kinds."""
        reasons = self.slow.end_reasons or [TRUNCATED]
        assert self.fast.result() == {
            "winners": self.slow.winners(),
            "scores": self.slow.scores(),
            "reason": "+".join(reasons),
            "length": self.slow.decision_count,
        }
        assert self.fast.truncated == self.slow.is_truncated
        assert self.fast.terminated != self.slow.is_truncated
        for mode in engine.REWARD_MODES:
            session = Session(self.fast.ruleset, mode)
            session.restore(self.fast)
            assert session.rewards() == self.slow.returns(mode)
        self.seen.end_reasons.update(reasons)


def play(contest: Contest, cases: list[Case], seen: Seen) -> None:
    """Play the games of all cases side by side, one decision of each in turn."""
    pairs = [Pair(contest, case, seen) for case in cases]
    while running := [pair for pair in pairs if not pair.is_over]:
        for pair in running:
            try:
                pair.step()
            except Exception as error:
                case = cases[pairs.index(pair)]
                error.add_note(f"{case} after decision {pair.slow.decision_count}")
                raise


def play_carefully(contest: Contest, cases: list[Case], seen: Seen) -> None:
    """Play; if the sides differ, play again to find the very first difference."""
    try:
        play(contest, cases, seen)
    except Exception:
        play(replace(contest, compared=1.0), cases, seen)
        raise


def check_games(contest: Contest, cases: Iterable[list[Case]], decisions: int) -> Seen:
    """Play sets of games until so many decisions have been compared."""
    seen = Seen()
    source: Iterator[list[Case]] = iter(cases)
    while seen.decisions < decisions:
        play_carefully(contest, next(source), seen)
    return seen


def check_all_was_met(contest: Contest, seen: Seen) -> None:
    """Enough was compared, and every block, prompt and end of the game has been met."""
    assert seen.comparisons > seen.decisions * contest.compared / 2
    assert set(seen.blocks) == set(contest.slow.ACTION_BLOCKS)
    assert set(seen.prompts) == set(contest.game.prompts) - {OVER}
    assert set(seen.end_reasons) == {*contest.game.end_reasons, TRUNCATED}
