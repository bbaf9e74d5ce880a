"""Small worlds: every position of the ends, or of the beginnings, of games (perft)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any

import jumpgate_options
import junkorbit_options
import pytest
import stargate_lockstep
import test_jumpgate_lockstep
import test_junkorbit_lockstep
from lockstep import Case, Contest
from perft import Position, as_text, check_end_of_game, check_same_positions
from reference import jumpgate
from test_stargate_lockstep import a_random_deck, an_official_deck, games_of

from tabletop_core.session import Session

FROM_END = 12  # decisions left, so that whole games end within the enumeration
DEPTH = 14
MOST = 200  # positions of a depth after which no deeper one is counted
MOST_LONG = 2_000


def check_ends_of_games(contest: Contest, draw: Any, name: str, num_games: int, most: int) -> None:
    """`draw`: (generator, players) -> random options."""
    game = contest.game
    rng = Random(name)
    positions = 0
    for _ in range(num_games):
        players = rng.randint(game.min_players, game.max_players)
        case = Case(players, draw(rng, players), rng.getrandbits(64))
        positions += sum(check_end_of_game(contest, case, FROM_END, DEPTH, most))
    assert positions > num_games * FROM_END


class Forgetful(jumpgate.Game):
    """A reference that offers one action too few."""

    def legal_action_ids(self) -> list[int]:
        return super().legal_action_ids()[:-1]


def test_a_missing_action_is_noticed() -> None:
    contest, case = test_jumpgate_lockstep.CONTEST, Case(2, {}, 1)
    check_end_of_game(contest, case, FROM_END, 1, MOST)
    forgetful = replace(contest, slow=SimpleNamespace(Game=Forgetful))
    with pytest.raises(AssertionError, match="only the environment: {"):
        check_end_of_game(forgetful, case, FROM_END, 1, MOST)


GAMES = [
    pytest.param(test_jumpgate_lockstep.CONTEST, jumpgate_options.random_options, id="jumpgate"),
    pytest.param(
        test_junkorbit_lockstep.CONTEST,
        lambda rng, players: junkorbit_options.random_options(rng),
        id="junkorbit",
    ),
]


@pytest.mark.parametrize(("contest", "draw"), GAMES)
def test_ends_of_games(contest: Contest, draw: Any) -> None:
    check_ends_of_games(contest, draw, "ends", 4, MOST)


@pytest.mark.long
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize(("contest", "draw"), GAMES)
def test_many_ends_of_games(contest: Contest, draw: Any, part: int) -> None:
    check_ends_of_games(contest, draw, f"ends {part}", 25, MOST_LONG)


# --- Stargate TCG ----------------------------------------------------------------------------
# The reference cannot begin in the middle of a game, so both sides play the way to each position
# from the deal on, and positions are what both can say in words.


class Ways:
    """Successors of positions of the Stargate TCG, each reached by the actions of one way."""

    def __init__(self, deal: Callable[[], Any]) -> None:
        self.deal = deal
        self.begin = self.words(deal())
        self.ways: dict[Position, tuple[int, ...]] = {self.begin: ()}

    def play(self, way: tuple[int, ...]) -> Any:
        game = self.deal()
        for action in way:
            (game.step if isinstance(game, Session) else game.apply_id)(action)
        return game

    def words(self, game: Any) -> Position:
        return as_text(stargate_lockstep.compared_words(game.to_json()))

    def __call__(self, position: Position) -> Iterator[Position]:
        way = self.ways[position]
        game = self.play(way)
        legal = game.legal_actions() if isinstance(game, Session) else game.legal_action_ids()
        for action in legal:
            after = self.words(self.play((*way, action)))
            self.ways.setdefault(after, (*way, action))
            yield after


def check_beginning(case: stargate_lockstep.Case, depth: int, most: int) -> list[int]:
    fast = Ways(lambda: stargate_lockstep.deal(case))
    slow = Ways(lambda: stargate_lockstep.deal_slow(case))
    assert fast.begin == slow.begin
    return check_same_positions(fast.begin, fast, slow, depth, most)


def test_beginnings_of_stargate() -> None:
    case = next(games_of(an_official_deck, "perft", 2))
    assert sum(check_beginning(case, depth=3, most=12)) > 12


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_many_beginnings_of_stargate(part: int) -> None:
    case = next(games_of(a_random_deck, f"perft {part}", 2 + part % 5))
    assert sum(check_beginning(case, depth=8, most=1_000)) > 1_000
