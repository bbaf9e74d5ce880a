"""The Stargate TCG twice at once: the environment and the slow reference play in step.

As in `lockstep.py`, but the reference cannot begin in the middle of a game: its texts under way are
running Python generators. So positions are compared in words and not exchanged.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

from positions import choose_by_block
from reference import stargate as slow

from stargate_env.decks import Deck
from stargate_env.stargate_v0 import GAME
from tabletop_core.session import TRUNCATED, Session

POOL = slow.Pool(Path(str(files("stargate_env"))) / "data" / "cards.csv")

# Passing is preferred less than doing something; every game deviates in its own way.
PREFERENCES = {"pass": 0.6, "no": 0.7, "complicate": 0.5}
DEVIATIONS = (0.3, 1.0, 1.0, 3.0)
# What the reference writes of a position; the rest only the environment reads.
COMPARED_KEYS = (
    "table",
    "numbers",
    "turn_count",
    "decision_count",
    "end_reasons",
    "truncated",
    "rng",
)
COMPARED = 0.04  # share of the decisions at which the whole position is compared


@dataclass(frozen=True)
class Case:
    """One game, from which everything about it follows."""

    decks: tuple[Deck, ...]
    seed: int
    compared: float = COMPARED


@dataclass
class Seen:
    """What the games of a test have met."""

    decisions: int = 0
    comparisons: int = 0
    blocks: Counter[str] = field(default_factory=Counter)
    prompts: Counter[str] = field(default_factory=Counter)
    end_reasons: Counter[str] = field(default_factory=Counter)
    winners: Counter[int] = field(default_factory=Counter)


def deal(case: Case) -> Session:
    """The first decision of a game."""
    session = Session(GAME.ruleset(len(case.decks), decks=case.decks))
    session.reset(case.seed)
    return session


def deal_slow(case: Case) -> slow.Game:
    """The first decision of a game of the reference."""
    decks = [slow.Deck(deck.team, deck.missions, deck.deck, deck.name) for deck in case.decks]
    return slow.Game(POOL, decks, case.seed)


def compared_words(position: dict[str, Any]) -> dict[str, Any]:
    """What both sides write of a position."""
    words = {key: position[key] for key in COMPARED_KEYS}
    if words["table"]["prompt"] != "main":
        for key in ("priority", "passes"):  # who acts next in §8, which is not under way
            del words["table"][key]
    return words


class Pair:
    """One game on both sides; raises AssertionError where they differ."""

    def __init__(self, case: Case, seen: Seen) -> None:
        self.seen, self.case = seen, case
        self.fast, self.slow = deal(case), deal_slow(case)
        # Separate generators, so that more comparisons do not change the game.
        self.chooser = Random(f"{case.seed} actions")
        self.sampler = Random(f"{case.seed} comparisons")
        self.preferences = {
            name: PREFERENCES.get(name, 1.0) * self.chooser.choice(DEVIATIONS)
            for name in slow.ACTION_BLOCKS
        }
        self.compare_positions()

    def step(self) -> None:
        """Compare what is legal, play an action on both sides; now and then compare all."""
        legal = self.slow.legal_action_ids()
        assert self.fast.legal_actions() == legal
        assert self.fast.current_player == self.slow.current_player
        action = choose_by_block(legal, self.chooser, self.block_of, self.preferences)
        assert self.fast.action_to_string(action) == self.slow.action_text(action)
        self.seen.decisions += 1
        self.seen.prompts[self.slow.prompt] += 1
        self.seen.blocks[self.block_of(action)] += 1
        self.fast.step(action)
        self.slow.apply_id(action)
        assert self.fast.is_over == self.slow.is_over
        if self.slow.is_over:
            self.compare_ends()
        if self.slow.is_over or self.sampler.random() < self.case.compared:
            self.compare_positions()

    def block_of(self, action: int) -> str:
        return slow.ALL_ACTIONS[action][0]

    def compare_positions(self) -> None:
        fast, slow = compared_words(self.fast.to_json()), compared_words(self.slow.to_json())
        for key, value in fast.items():
            assert value == slow[key], key
        self.seen.comparisons += 1

    def compare_ends(self) -> None:
        """§10 reasons and winner."""
        reasons = self.slow.end_reasons or [TRUNCATED]
        result = self.fast.result()
        assert result["winners"] == self.slow.winners()
        assert result["reason"] == "+".join(reasons)
        assert self.fast.truncated == self.slow.is_truncated
        assert self.fast.rewards() == self.slow.returns("win")
        self.seen.end_reasons.update(reasons)
        self.seen.winners.update(self.slow.winners())


def play(case: Case, seen: Seen) -> None:
    """Play one game; if the sides differ, the error says where."""
    pair = Pair(case, seen)
    while not pair.slow.is_over:
        try:
            pair.step()
        except Exception as error:
            names = [deck.name for deck in case.decks]
            error.add_note(f"{names} seed {case.seed} after decision {pair.slow.decision_count}")
            raise


def check_all_was_met(seen: Seen, rare_prompts: Any = ()) -> None:
    """Every block, prompt and end of the game has been met."""
    assert set(seen.blocks) == set(slow.ACTION_BLOCKS)
    assert set(seen.prompts) | {"none", "over"} | set(rare_prompts) == set(GAME.prompts)
