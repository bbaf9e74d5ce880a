"""The rule-based bots of the games: how well they play, and that they play fair."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tabletop_core.bots import RuleBot, ask
from tabletop_core.game import Array, Ruleset, find_game
from tabletop_core.ratings import wilson_interval
from tabletop_core.seat_env import SeatVectorEnv
from tabletop_core.session import Session
from tabletop_core.testing import check_rule

QUICK_GAMES = ("jumpgate_v0", "junkorbit_v0")
OPTIONS = {
    "jumpgate_v0": (
        {},
        {"mark_scope": "per_planet", "harvest_where": "anywhere", "fly_from_gate": True},
        {"scan_cost": "free", "harvest_cost": "free", "landing_rule": "equal_pair"},
        {"deck": "nothing2010", "mark_optional": False},
    ),
    "junkorbit_v0": (
        {},
        {"deliveries_visible": False, "ship_powers": "A"},
        {"ship_powers": "B"},
    ),
}


def random_wins(ruleset: Ruleset, num_games: int, seed: int) -> Array:
    """Which games (bool [num_games]) a random player does not lose against rule-based bots.

    Seats alternate. Lanes whose game is over begin others, which do not count.
    """
    vec = SeatVectorEnv(ruleset, num_games, opponents="rule", seat="rotate", autoreset="same_step")
    observation, _ = vec.reset(seed=seed)
    rng = np.random.default_rng(seed)
    has_won = np.zeros(num_games, np.bool_)
    is_playing = np.ones(num_games, np.bool_)
    while is_playing.any():
        mask = observation["action_mask"]
        actions = (mask * (1 - rng.random(mask.shape, np.float32))).argmax(axis=1)
        observation, rewards, terminated, truncated, _ = vec.step(actions)
        has_ended = is_playing & (terminated | truncated)
        has_won[has_ended] = rewards[has_ended] >= 0
        is_playing &= ~has_ended
    return has_won


@pytest.mark.parametrize(
    "num_games", [pytest.param(300), pytest.param(2000, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("name", QUICK_GAMES)
def test_rule_beats_random_in_nine_of_ten_games(name: str, num_games: int) -> None:
    """The lower end of the 95 % interval, over games of two players."""
    lost = random_wins(find_game(name).ruleset(2), num_games, seed=7)
    lower, _ = wilson_interval(num_games - int(lost.sum()), num_games)
    assert lower >= 0.9


@pytest.mark.parametrize(
    ("name", "options"), [(name, options) for name in QUICK_GAMES for options in OPTIONS[name]]
)
def test_rule_plays_fair_by_all_options(name: str, options: dict[str, object]) -> None:
    """Whole games of rule-based bots at every table end by the rules, each decision being fair."""
    game = find_game(name)
    rng = random.Random(3)
    for players in range(game.min_players, game.max_players + 1):
        session = Session(game.ruleset(players, **options))
        session.reset(players)
        choices = np.random.default_rng(players)
        while not session.is_over:
            check_rule(session, rng)
            session.step(ask(RuleBot(), session, choices))
        assert session.terminated
