"""The yardstick games of the benchmarks are the games that other libraries play."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from benchmarks.yardsticks.connect_four import connect_four_v0
from benchmarks.yardsticks.connect_four.rules import DIRECTIONS
from benchmarks.yardsticks.leduc_poker import leduc_poker_v0
from benchmarks.yardsticks.leduc_poker.sizes import NUM_CARDS
from tabletop_core import testing
from tabletop_core.errors import TabletopError
from tabletop_core.game import Ruleset
from tabletop_core.session import Session
from tabletop_core.testing import Oracles

CONNECT_FOUR = connect_four_v0.GAME.ruleset()
LEDUC_POKER = leduc_poker_v0.GAME.ruleset()
ORACLES = {
    "connect_four": Oracles(has_hidden=False, has_chance=False),
    "leduc_poker": Oracles(),
}
YARDSTICKS = [CONNECT_FOUR, LEDUC_POKER]
NUM_GAMES = 60


@pytest.mark.parametrize("ruleset", YARDSTICKS, ids=lambda ruleset: ruleset.game.name)
def test_yardstick_conforms(ruleset: Ruleset) -> None:
    testing.check_game(ruleset, 2, oracles=ORACLES[ruleset.game.name], interpreted_games=0)


# --- kernels ---------------------------------------------------------------------------------


def started(ruleset: Ruleset) -> Any:
    """A state array [1] at the start of a game."""
    session = Session(ruleset)
    session.reset(0)
    return session.state.copy()


def legal(ruleset: Ruleset, state: Any) -> list[int]:
    state[0].legal[:] = 0
    ruleset.game.kernels.legal_actions(ruleset.record[0], state[0])
    return [a for a in range(ruleset.game.actions.count) if int(state[0].legal[0]) >> a & 1]


def apply(ruleset: Ruleset, state: Any, action: int) -> None:
    ruleset.game.kernels.apply_action(ruleset.record[0], state[0], action)


# --- connect four ----------------------------------------------------------------------------

# Different positions after so many stones (John Tromp's counts, sequence A212693 of the OEIS).
POSITIONS = (1, 7, 49, 238, 1120, 4263)


def test_connect_four_reaches_the_known_number_of_positions() -> None:
    level = {b"": started(CONNECT_FOUR)}
    for ply, count in enumerate(POSITIONS):
        assert len(level) == count, f"after {ply} stones"
        next_level = {}
        for state in level.values():
            for action in legal(CONNECT_FOUR, state):
                after = state.copy()
                apply(CONNECT_FOUR, after, action)
                next_level[after["stones"].tobytes()] = after
        level = next_level


class Board:
    """Connect four on lists of signs, to compare with."""

    def __init__(self) -> None:
        self.columns: list[str] = [""] * 7
        self.player = 0

    def legal(self) -> list[int]:
        return [column for column, stones in enumerate(self.columns) if len(stones) < 6]

    def drop(self, column: int) -> None:
        self.columns[column] += "XO"[self.player]
        self.player = 1 - self.player

    def lines(self) -> Iterator[str]:
        grid = [column.ljust(6, ".") for column in self.columns]
        yield from grid
        yield from map("".join, zip(*grid))
        for shift in range(-6, 7):
            cells = [(x, y) for x in range(7) for y in range(6)]
            yield "".join(grid[x][y] for x, y in cells if x - y == shift)
            yield "".join(grid[x][y] for x, y in cells if x + y == shift + 6)

    def returns(self) -> list[int] | None:
        """Of both players, or None while the game goes on."""
        for player, four in enumerate(("XXXX", "OOOO")):
            if any(four in line for line in self.lines()):
                return [1 - 2 * player, 2 * player - 1]
        return None if self.legal() else [0, 0]


def test_connect_four_plays_like_a_plain_board() -> None:
    ends = set()
    for seed in range(NUM_GAMES):
        board, choose = Board(), random.Random(seed)
        session = Session(CONNECT_FOUR)
        session.reset(seed)
        while not session.is_over:
            assert board.returns() is None
            legal = board.legal()
            assert session.legal_actions() == legal
            column = choose.choice(legal)
            session.step(column)
            board.drop(column)
            while not session.is_over and len(board.legal()) == 1 and board.returns() is None:
                board.drop(board.legal()[0])  # the session has played what was forced
            assert rows(session) == [column.ljust(6, ".") for column in board.columns]
        while board.returns() is None:
            board.drop(board.legal()[0])
        assert session.rewards() == board.returns()
        ends.add(tuple(session.rewards()))
    assert {(1, -1), (-1, 1)} <= ends


def rows(session: Session) -> list[str]:
    """The columns of the board from the lowest cell on."""
    board = session.to_json()["board"]
    return ["".join(row[column] for row in reversed(board)) for column in range(7)]


@pytest.mark.parametrize("step", DIRECTIONS)
def test_four_stones_win_in_each_direction_and_three_do_not(step: np.uint64) -> None:
    start = {1: (3, 0), 7: (3, 0), 8: (3, 0), 9: (0, 0)}[int(step)]
    dx, dy = {1: (1, 0), 7: (-1, 1), 8: (0, 1), 9: (1, 1)}[int(step)]
    for count, is_won in ((3, False), (4, True)):
        state = started(CONNECT_FOUR)
        cells = [(start[0] + k * dx, start[1] + k * dy) for k in range(count)]
        stones = sum(1 << 8 * y + x for x, y in cells[:-1])
        below = sum(1 << 8 * y + cells[-1][0] for y in range(cells[-1][1]))
        state[0].stones[0] = stones
        state[0].stones[1] = below & ~stones
        apply(CONNECT_FOUR, state, cells[-1][0])
        assert bool(state[0].end_reasons) is is_won


def test_positions_that_cannot_come_up_are_refused() -> None:
    session = Session(CONNECT_FOUR)
    session.reset(0)
    session.step(3)
    data = session.to_json()
    assert connect_four_v0.GAME.state_from_json(CONNECT_FOUR, data)
    floating = [*data["board"][:-2], "X......", "......."]
    for change in (
        {"board": floating},
        {"current_player": 0},
        {"turn_count": 2},
        {"board": [*data["board"][:-1], "XO....."]},
        {"end_reasons": ["four"]},
    ):
        with pytest.raises(TabletopError):
            connect_four_v0.GAME.state_from_json(CONNECT_FOUR, {**data, **change})


# --- Leduc poker -----------------------------------------------------------------------------

Line = tuple[str, ...]
INFORMATION_STATES = 936  # with six different cards, as in the literature


def betting(line: Line, raises: int, owes: int) -> Iterator[tuple[Line, str]]:
    """(actions of a round, how it ends), by the rules alone."""
    player_calls_end = bool(owes) or (bool(line) and line[-1] == "call")
    if owes:
        yield (*line, "fold"), "fold"
    if player_calls_end:
        yield (*line, "call"), "called"
    else:
        yield from betting((*line, "call"), raises, 0)
    if raises < 2:
        yield from betting((*line, "raise"), raises + 1, 1)


def put_in(line: Line, size: int) -> list[int]:
    """What both players bet in a round."""
    bets = [0, 0]
    for k, action in enumerate(line):
        player = k % 2
        if action != "fold":
            bets[player] = bets[1 - player] + size * (action == "raise")
    return bets


def whole_games() -> Iterator[tuple[Line, Line, list[int], str]]:
    """(first round, second round, bets of both players, how it ends)."""
    for first, end in betting((), 0, 0):
        bets = put_in(first, 2)
        if end == "fold":
            yield first, (), [1 + bet for bet in bets], end
            continue
        for second, second_end in betting((), 0, 0):
            more = put_in(second, 4)
            yield first, second, [1 + a + b for a, b in zip(bets, more)], second_end


def test_leduc_poker_pays_every_game_as_the_rules_say() -> None:
    """All deals and all sequences of actions."""
    game = leduc_poker_v0.GAME
    seen = set()
    for cards in itertools.permutations(range(NUM_CARDS), 3):
        for first, second, bets, end in whole_games():
            state = dealt(cards)
            line = (*first, *second)
            for k, action in enumerate(line):
                names = [game.actions.blocks[a].name for a in legal(LEDUC_POKER, state)]
                assert action in names
                open_card = cards[2] if k >= len(first) else None
                player = int(state[0].current_player)
                assert player == (k if k < len(first) else k - len(first)) % 2
                seen.add((player, cards[player], open_card, line[:k]))
                apply(LEDUC_POKER, state, names.index(action) + (0 if "fold" in names else 1))
                if second and k == len(first) - 1:
                    state[0].open_card = cards[2]
            loser = lost(cards, end, (k - len(first) if second else k) % 2)
            expected = [0, 0] if loser is None else [bets[loser], bets[loser]]
            if loser is not None:
                expected[loser] = -bets[loser]
            assert results(state) == expected
    assert len(seen) == INFORMATION_STATES


def dealt(cards: tuple[int, ...]) -> Any:
    state = started(LEDUC_POKER)
    state[0].cards[:] = cards[:2]
    return state


def results(state: Any) -> list[float]:
    points, is_winner = np.zeros(2), np.zeros(2, np.bool_)
    leduc_poker_v0.GAME.kernels.final_result(LEDUC_POKER.record[0], state[0], points, is_winner)
    best = max(points)
    assert is_winner.tolist() == [value == best for value in points]
    return [float(value) for value in points]


def lost(cards: tuple[int, ...], end: str, last_player: int) -> int | None:
    """Who pays, None if nobody does."""
    if end == "fold":
        return last_player
    ranks = [card // 2 for card in cards]
    strengths = [(rank == ranks[2], rank) for rank in ranks[:2]]
    if strengths[0] == strengths[1]:
        return None
    return 0 if strengths[0] < strengths[1] else 1


# --- the same games as OpenSpiel's -----------------------------------------------------------


def test_connect_four_is_openspiels() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel comes with the extra bench-peers")
    game = pyspiel.load_game("connect_four")
    for seed in range(NUM_GAMES):
        choose = random.Random(seed)
        other = game.new_initial_state()
        session = Session(CONNECT_FOUR)
        session.reset(seed)
        while not session.is_over:
            assert session.legal_actions() == other.legal_actions()
            assert session.current_player == other.current_player()
            action = choose.choice(session.legal_actions())
            session.step(action)
            other.apply_action(action)
            while not other.is_terminal() and len(other.legal_actions()) == 1:
                other.apply_action(other.legal_actions()[0])
        assert other.is_terminal()
        assert session.rewards() == other.returns()


def test_leduc_poker_is_openspiels() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel comes with the extra bench-peers")
    root = pyspiel.load_game("leduc_poker").new_initial_state()
    for cards in itertools.permutations(range(NUM_CARDS), 3):
        other = root.clone()
        for card in cards[:2]:
            other.apply_action(card)
        compare(dealt(cards), other, cards[2])


def compare(state: Any, other: Any, open_card: int) -> None:
    """The whole tree below a position, for one open card."""
    if other.is_chance_node():
        other.apply_action(open_card)
        state[0].open_card = open_card
    if other.is_terminal():
        assert state[0].end_reasons
        assert results(state) == other.returns()
        return
    assert not state[0].end_reasons
    assert legal(LEDUC_POKER, state) == other.legal_actions()
    assert state[0].current_player == other.current_player()
    for action in other.legal_actions():
        copy, after = state.copy(), other.clone()
        apply(LEDUC_POKER, copy, action)
        after.apply_action(action)
        compare(copy, after, open_card)
