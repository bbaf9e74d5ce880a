"""Fixtures shared by all tests: every installed game, at every number of players."""

from __future__ import annotations

import pytest

from tabletop_core.game import Game, Ruleset, games

# Shared checks tell what they compared, as the test modules do.
pytest.register_assert_rewrite(
    "lockstep",
    "observation_checks",
    "option_checks",
    "position_checks",
    "rule_checks",
    "ruleset_checks",
)

SEATS = [
    pytest.param((name, players), id=f"{name}-{players}")
    for name, game in games().items()
    for players in range(game.min_players, game.max_players + 1)
]


@pytest.fixture(params=games())
def game(request: pytest.FixtureRequest) -> Game:
    """Every installed game."""
    return games()[request.param]


@pytest.fixture(params=SEATS)
def ruleset(request: pytest.FixtureRequest) -> Ruleset:
    """Every installed game with default options, at every number of players."""
    name, num_players = request.param
    return games()[name].ruleset(num_players)
