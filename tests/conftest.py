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

# Games that are slow to compile or to play are tested with some numbers of players, one for each of
# their records, and by one worker, which then reads its kernels once.
CHOSEN_PLAYERS = {"stargate_v0": (2, 3)}


def players_of(game: Game) -> Iterable[int]:
    """The numbers of players with which a game is tested."""
    return CHOSEN_PLAYERS.get(game.id, range(game.min_players, game.max_players + 1))


def marks_of(name: str) -> list[pytest.MarkDecorator]:
    """What all tests of a game are marked with."""
    return [pytest.mark.xdist_group(name)] if name in CHOSEN_PLAYERS else []


# Whichever worker is free first may run these: they come so late that the kernels are in the cache.
SHARED_MODULES = {"test_stargate_lockstep.py"}


def pytest_itemcollected(item: pytest.Item) -> None:
    """Let one worker run the tests of the Stargate TCG, so that its kernels are compiled once."""
    if item.path.name in SHARED_MODULES:
        return
    if item.path.name.startswith("test_stargate_") or "[stargate_v0" in item.name:
        item.add_marker(pytest.mark.xdist_group("stargate_v0"))


SEATS = [
    pytest.param((name, players), id=f"{name}-{players}", marks=marks_of(name))
    for name, game in games().items()
    for players in players_of(game)
]
GAMES = [pytest.param(name, marks=marks_of(name)) for name in games()]


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> Game:
    """Every installed game."""
    return games()[request.param]


@pytest.fixture(params=SEATS)
def ruleset(request: pytest.FixtureRequest) -> Ruleset:
    """Every installed game with default options, at every number of players."""
    name, num_players = request.param
    return games()[name].ruleset(num_players)
