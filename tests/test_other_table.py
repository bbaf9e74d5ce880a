"""Games whose records and observations are of other sizes for other numbers of players."""

import pickle

import numpy as np
import pytest
import toy_game
from rich.progress import Progress

from tabletop_core import verbs
from tabletop_core.commands import rollouts
from tabletop_core.errors import TabletopError
from tabletop_core.game import record_dtype
from tabletop_core.session import Session
from tabletop_core.warmup import tables

GAME = toy_game.GAME


def test_each_number_of_players_has_its_table():
    small, large = GAME.for_players(2), GAME.for_players(3)
    assert small is GAME and large is not GAME
    assert GAME.for_players(4) is large is large.for_players(3)
    assert large.for_players(2) is GAME
    assert GAME.player_ranges == (range(2, 3), range(3, 5))
    assert large.player_ranges == (range(3, 5), range(2, 3))
    assert (large.id, large.min_players, large.max_players) == (GAME.id, 2, 4)


def test_sizes_are_those_of_the_table():
    for players, seats in ((2, 2), (3, 4), (4, 4)):
        session = Session(GAME.ruleset(players))
        assert session.game is GAME.for_players(players)
        assert session.state.dtype == record_dtype(toy_game.state_dtype("climb", seats))
        assert session.observation.shape == (toy_game.observation(seats).size,)
        assert session.game.observation.split(session.observation)["points"].shape == (seats,)


def test_the_same_kernels_play_both_tables():
    for players in (2, 4):
        state = Session(GAME.ruleset(players)).state
        assert verbs._kernels_of(state[0]) is GAME.kernels


@pytest.mark.parametrize("players", [2, 3, 4])
def test_copies_stay_at_their_table(players):
    game = GAME.for_players(players)
    assert pickle.loads(pickle.dumps(game)) is game
    session = Session(GAME.ruleset(players))
    session.reset(5)
    copy = pickle.loads(pickle.dumps(session))
    assert copy.game is game
    assert np.array_equal(copy.state, session.state)


def test_a_table_of_other_size_does_not_take_the_bytes():
    two, four = Session(GAME.ruleset(2)), Session(GAME.ruleset(4))
    two.reset(1)
    with pytest.raises(TabletopError):
        four.restore(two.serialize())


def test_warmup_takes_one_number_of_players_for_each_table():
    assert tables([GAME]) == [(GAME, 2), (GAME, 3)]


def test_rollouts_compile_each_table_before_the_time_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    warmed: list[int] = []
    monkeypatch.setattr(rollouts, "warm", lambda ruleset: warmed.append(ruleset.num_players))
    with Progress() as progress:
        rollouts._compile([GAME.ruleset(players) for players in (2, 3, 4)], progress)
    assert warmed == [2, 4]
