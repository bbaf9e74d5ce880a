"""The rule-based bot of the Stargate TCG: how well it plays, and that it plays fair."""

from __future__ import annotations

import random

import numpy as np
import pytest

from stargate_env.decks import OFFICIAL_DECKS
from stargate_env.stargate_v0 import GAME
from tabletop_core.arena import League, play_games
from tabletop_core.bots import RuleBot, ask
from tabletop_core.ratings import wilson_interval
from tabletop_core.session import Session
from tabletop_core.testing import check_rule


@pytest.mark.parametrize("num_deals", [3, pytest.param(45, marks=pytest.mark.long)])
def test_rule_beats_random_in_eight_of_ten_games_with_equal_decks(num_deals: int) -> None:
    """The lower end of the 95 % interval, over both seats and all official decks.

    A game that nobody wins counts as lost.
    """
    games = [
        game
        for deck in OFFICIAL_DECKS
        for game in play_games(
            League(GAME.ruleset(2, decks=(deck, deck)), ("random", "rule"), num_deals, 0), {}
        )
    ]
    assert len(games) == 2 * num_deals * len(OFFICIAL_DECKS)
    wins = sum(game.winners == (game.seats.index("rule"),) for game in games)
    lower, _ = wilson_interval(wins, len(games))
    assert lower >= 0.8


@pytest.mark.parametrize("players", [2, 3])
def test_rule_plays_fair(players: int) -> None:
    """The decisions of whole turns of rule-based bots."""
    session = Session(GAME.ruleset(players, decks="official", open_lists=False, max_turns=6))
    session.reset(1)
    rng = random.Random(2)
    choices = np.random.default_rng(3)
    while not session.is_over:
        check_rule(session, rng)
        session.step(ask(RuleBot(), session, choices))
    assert session.turn_count > 2
