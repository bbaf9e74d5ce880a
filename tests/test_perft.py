"""Small worlds: whole ends of games, every position of them, on both sides (perft)."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import jumpgate_options
import junkorbit_options
import pytest
import test_jumpgate_lockstep
import test_junkorbit_lockstep
from lockstep import Case, Contest
from perft import check_same_positions

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
        positions += sum(check_same_positions(contest, case, FROM_END, DEPTH, most))
    assert positions > num_games * FROM_END


def test_another_rule_is_noticed() -> None:
    """The reference plays with another deck than the environment."""
    contest = test_jumpgate_lockstep.CONTEST
    case = Case(2, {}, 1)
    other = replace(contest, slow_tables=lambda _: test_jumpgate_lockstep.DECKS["eights"])
    check_same_positions(contest, case, FROM_END, 2, MOST)
    with pytest.raises(AssertionError, match="only the environment"):
        check_same_positions(other, case, FROM_END, 2, MOST)


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
