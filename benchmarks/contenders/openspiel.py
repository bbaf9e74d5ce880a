"""OpenSpiel, driven from Python and by its own C++ rollouts."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Final

from ..measure import Contender, Counts, Work, require_peer

LENGTH_GAMES: Final = 3_000  # played from Python to learn the mean length of a game
ROLLOUTS_PER_UNIT: Final = 16  # of the C++ evaluator for one amount of work
RECORDED_GAMES: Final = 256


def random_games(text: str) -> Contender:
    """Uniformly random games of the game that `pyspiel.load_game(text)` gives, from Python."""

    def prepare() -> Work:
        game = _load(text)
        generator = random.Random(0)

        def work(amount: int) -> Counts:
            return Counts(sum(_play(game, generator).steps for _ in range(amount)), amount)

        return work

    return Contender(f"OpenSpiel {text}, Python", prepare)


def recorded_games(text: str) -> Contender:
    """The same without the cost of choosing: actions of games played before.

    The legal actions are still asked for at each decision, because a player needs them.
    """

    def prepare() -> Work:
        game = _load(text)
        generator = random.Random(0)
        played = [_play(game, generator) for _ in range(RECORDED_GAMES)]

        def work(amount: int) -> Counts:
            chosen = [played[k % RECORDED_GAMES] for k in range(amount)]
            for one in chosen:
                _replay(game, one.actions)
            return Counts(sum(one.steps for one in chosen), amount)

        return work

    return Contender(f"OpenSpiel {text}, Python, recorded actions", prepare)


def cpp_rollouts(text: str) -> Contender:
    """Random games wholly in C++, by the evaluator of OpenSpiel's tree search.

    One search with one simulation evaluates the first decision by as many random games as wanted.
    The evaluator counts no steps: their number is that of games times the mean length, which is
    taken from games played from Python.
    """

    def prepare() -> Work:
        pyspiel = require_peer("pyspiel", "open_spiel")
        game = _load(text)
        generator = random.Random(0)
        length = sum(_play(game, generator).steps for _ in range(LENGTH_GAMES)) / LENGTH_GAMES
        start = _first_decision(game, generator)

        def work(amount: int) -> Counts:
            count = amount * ROLLOUTS_PER_UNIT
            evaluator = pyspiel.RandomRolloutEvaluator(count, generator.randrange(1 << 30))
            search = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 1000, False, 0, False)
            search.mcts_search(start)
            return Counts(round(count * length), count)

        return work

    return Contender(f"OpenSpiel {text}, C++ rollouts", prepare)


@dataclass(frozen=True)
class _Played:
    steps: int
    """Decisions with at least two legal answers."""
    actions: list[int]
    """All actions, those of chance and forced ones included."""


def _load(text: str) -> Any:
    return require_peer("pyspiel", "open_spiel").load_game(text)


def _play(game: Any, generator: random.Random) -> _Played:
    """One game."""
    state = game.new_initial_state()
    draw = generator.random
    actions = []
    steps = 0
    while not state.is_terminal():
        if state.is_chance_node():
            action = _chance_outcome(state.chance_outcomes(), draw())
        else:
            legal = state.legal_actions()
            action = legal[int(draw() * len(legal))]
            steps += len(legal) > 1
        state.apply_action(action)
        actions.append(action)
    return _Played(steps, actions)


def _replay(game: Any, actions: list[int]) -> None:
    state = game.new_initial_state()
    for action in actions:
        if not state.is_chance_node():
            state.legal_actions()
        state.apply_action(action)


def _first_decision(game: Any, generator: random.Random) -> Any:
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(_chance_outcome(state.chance_outcomes(), generator.random()))
    return state


def _chance_outcome(outcomes: list[tuple[int, float]], point: float) -> int:
    for outcome, probability in outcomes:
        point -= probability
        if point < 0:
            return outcome
    return outcomes[-1][0]
