"""OpenSpiel, driven from Python."""

from __future__ import annotations

import random
from typing import Any

from ..measure import Contender, Counts, Work, require_peer


def random_games(text: str) -> Contender:
    """Uniformly random games of the game that `pyspiel.load_game(text)` gives."""

    def prepare() -> Work:
        game = require_peer("pyspiel", "open_spiel").load_game(text)
        generator = random.Random(0)

        def work(amount: int) -> Counts:
            return Counts(sum(_play(game, generator) for _ in range(amount)), amount)

        return work

    return Contender(f"OpenSpiel {text}", prepare)


def _play(game: Any, generator: random.Random) -> int:
    """One game; the number of decisions with at least two legal answers."""
    state = game.new_initial_state()
    draw = generator.random
    steps = 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(_chance_outcome(state.chance_outcomes(), draw()))
        else:
            legal = state.legal_actions()
            state.apply_action(legal[int(draw() * len(legal))])
            steps += len(legal) > 1
    return steps


def _chance_outcome(outcomes: list[tuple[int, float]], point: float) -> int:
    for outcome, probability in outcomes:
        point -= probability
        if point < 0:
            return outcome
    return outcomes[-1][0]
