"""Fixtures shared by all tests: every installed game, at every number of players."""

from __future__ import annotations

import os
from collections.abc import Iterable

import pytest

from tabletop_core.game import Game, Ruleset, games

os.environ.pop("DISPLAY", None)  # `render_mode="human"` writes to the terminal, as on a server

# Shared checks tell what they compared, as the test modules do.
pytest.register_assert_rewrite(
    "lockstep",
    "observation_checks",
    "option_checks",
    "picture_checks",
    "position_checks",
    "rule_checks",
    "ruleset_checks",
)

# Games that are slow to play are tested with one number of players for each of their records.
CHOSEN_PLAYERS = {"stargate_v0": (2, 3)}


def players_of(game: Game) -> Iterable[int]:
    """The numbers of players with which a game is tested."""
    return CHOSEN_PLAYERS.get(game.id, range(game.min_players, game.max_players + 1))


SEATS = [
    pytest.param((name, players), id=f"{name}-{players}")
    for name, game in games().items()
    for players in players_of(game)
]


@pytest.fixture(params=list(games()))
def game(request: pytest.FixtureRequest) -> Game:
    """Every installed game."""
    return games()[request.param]


@pytest.fixture(params=SEATS)
def ruleset(request: pytest.FixtureRequest) -> Ruleset:
    """Every installed game with default options, at every number of players."""
    name, num_players = request.param
    return games()[name].ruleset(num_players)
