"""Random games: the same for the same seed however they are played, and statistics that add up."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from tabletop_core.errors import TabletopError
from tabletop_core.game import Game, Ruleset
from tabletop_core.rng import SEED_LIMIT, seed_to_word
from tabletop_core.rollouts import Results, Rollouts, end_name, random_games, rollouts
from tabletop_core.session import Session

GAMES = 40
SEED = 7
WORD_MASK = SEED_LIMIT - 1


def as_bytes(results: Results) -> bytes:
    arrays = (results.lanes, results.points, results.is_winner)
    return b"".join(array.tobytes() for array in arrays)


def untimed(statistics: Rollouts) -> dict[str, Any]:
    return {name: value for name, value in vars(statistics).items() if name != "seconds"}


# --- the games -------------------------------------------------------------------------------


def test_a_seed_gives_the_same_games(ruleset: Ruleset) -> None:
    first = random_games(ruleset, GAMES, seed=SEED)
    assert as_bytes(first) == as_bytes(random_games(ruleset, GAMES, seed=SEED))
    assert as_bytes(first) != as_bytes(random_games(ruleset, GAMES, seed=SEED + 1))


@pytest.mark.parametrize("threads", [2, 3, 7, GAMES + 5])
def test_threads_do_not_change_the_games(ruleset: Ruleset, threads: int) -> None:
    alone = random_games(ruleset, GAMES, seed=SEED)
    assert as_bytes(alone) == as_bytes(random_games(ruleset, GAMES, seed=SEED, threads=threads))


def test_games_may_be_played_in_parts(ruleset: Ruleset) -> None:
    whole = random_games(ruleset, GAMES, seed=SEED)
    bounds = [0, 1, 9, GAMES]
    parts = [
        random_games(ruleset, end - first, seed=SEED, first_game=first)
        for first, end in zip(bounds, bounds[1:], strict=False)
    ]
    assert np.array_equal(whole.lanes, np.concatenate([part.lanes for part in parts]))
    assert np.array_equal(whole.points, np.concatenate([part.points for part in parts]))
    assert np.array_equal(whole.is_winner, np.concatenate([part.is_winner for part in parts]))


@pytest.mark.parametrize("seed", [0, SEED, WORD_MASK])
def test_games_are_those_of_a_session(ruleset: Ruleset, seed: int) -> None:
    """Game k is dealt by `reset(seed + k)`; its bots draw from a generator of their own."""
    count = 3
    results = random_games(ruleset, count, seed=seed)
    session = Session(ruleset)
    for k in range(count):
        session.reset((seed + k) % SEED_LIMIT)
        word = seed_to_word((seed_to_word(seed) + k) % SEED_LIMIT)
        while not session.is_over:
            legal = session.legal_actions()
            word, index = plain_randbelow(word, len(legal))
            session.step(legal[index])
        result = session.result()
        assert results.lanes[k].length == result["length"]
        assert results.lanes[k].turns == session.turn_count
        assert results.lanes[k].terminated == session.terminated
        assert results.lanes[k].truncated == session.truncated
        assert end_name(ruleset.game, int(results.lanes[k].end_reasons)) == result["reason"]
        assert results.points[k].tolist() == result["scores"]
        assert np.flatnonzero(results.is_winner[k]).tolist() == result["winners"]


def plain_randbelow(word: int, count: int) -> tuple[int, int]:
    """xorshift64, then multiply, shift and reject, in plain Python."""
    while True:
        word ^= word << 13 & WORD_MASK
        word ^= word >> 7
        word ^= word << 17 & WORD_MASK
        product = (word >> 32) * count
        if product % 2**32 >= (2**32 - count) % count:
            return word, product >> 32


def test_two_callers_at_a_time_do_not_meet(ruleset: Ruleset) -> None:
    expected = {seed: as_bytes(random_games(ruleset, GAMES, seed=seed)) for seed in range(4)}
    played: dict[int, bytes] = {}

    def play(seed: int) -> None:
        played[seed] = as_bytes(random_games(ruleset, GAMES, seed=seed, threads=2))

    callers = [threading.Thread(target=play, args=(seed,)) for seed in expected]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert played == expected


# --- the statistics --------------------------------------------------------------------------


def test_statistics_are_sums_over_the_games(ruleset: Ruleset) -> None:
    results = random_games(ruleset, GAMES, seed=SEED)
    statistics = rollouts(ruleset, GAMES, seed=SEED)
    assert statistics.game == ruleset.game.id
    assert statistics.num_players == ruleset.num_players
    assert statistics.seed == SEED
    assert statistics.num_games == GAMES
    assert statistics.num_steps == sum(int(lane.length) for lane in results.lanes)
    assert statistics.num_turns == sum(int(lane.turns) for lane in results.lanes)
    assert statistics.wins == tuple(results.is_winner.sum(axis=0).tolist())
    names = [end_name(ruleset.game, int(lane.end_reasons)) for lane in results.lanes]
    assert statistics.ends == {name: names.count(name) for name in set(names)}
    assert list(statistics.end_shares.values()) == sorted(
        (count / GAMES for count in statistics.ends.values()), reverse=True
    )
    assert sum(statistics.end_shares.values()) == pytest.approx(1)


def test_rates_follow_from_the_sums() -> None:
    statistics = Rollouts("x_v0", 2, 0, 10, 400, 200, 0.5, {"a": 4, "b": 6}, (5, 5))
    assert statistics.rollouts_per_second == 20
    assert statistics.steps_per_second == 800
    assert statistics.ns_per_step == pytest.approx(0.5e9 / 400)
    assert statistics.mean_length == 40
    assert list(statistics.end_shares.items()) == [("b", 0.6), ("a", 0.4)]


def test_a_game_without_choices_has_no_time_per_step() -> None:
    assert np.isnan(Rollouts("x_v0", 2, 0, 10, 0, 200, 0.5, {"a": 10}, (5, 5)).ns_per_step)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("num_games", [1, 2, 100])
def test_statistics_do_not_depend_on_threads(
    ruleset: Ruleset, num_games: int, threads: int
) -> None:
    alone = rollouts(ruleset, num_games, seed=SEED)
    assert untimed(alone) == untimed(rollouts(ruleset, num_games, seed=SEED, threads=threads))


def test_time_decides_how_many_games(ruleset: Ruleset) -> None:
    reported: list[tuple[int, float]] = []
    statistics = rollouts(
        ruleset,
        seconds=0.05,
        seed=SEED,
        report=lambda num_games, seconds: reported.append((num_games, seconds)),
    )
    assert statistics.seconds >= 0.05
    assert reported == sorted(reported)
    assert reported[-1] == (statistics.num_games, statistics.seconds)
    assert untimed(statistics) == untimed(rollouts(ruleset, statistics.num_games, seed=SEED))


def test_any_time_is_enough_for_one_game(ruleset: Ruleset) -> None:
    assert rollouts(ruleset, seconds=1e-9).num_games == 1


def test_truncated_games_are_a_way_to_end() -> None:
    ruleset = jumpgate(max_turns=3)
    statistics = rollouts(ruleset, GAMES)
    assert statistics.ends == {"max_turns": GAMES}
    assert statistics.num_turns == 3 * GAMES
    assert random_games(ruleset, GAMES).lanes["truncated"].all()


def test_end_names_join_all_reasons(game: Game) -> None:
    assert end_name(game, 0) == "max_turns"
    for k, name in enumerate(game.end_reasons):
        assert end_name(game, 1 << k) == name
    everything = (1 << len(game.end_reasons)) - 1
    assert end_name(game, everything) == "+".join(game.end_reasons)


def jumpgate(**options: Any) -> Ruleset:
    from jumpgate_env.jumpgate_v0 import GAME

    return GAME.ruleset(2, **options)


# --- wrong arguments -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "either a number of games or a number of seconds"),
        ({"num_games": 1, "seconds": 1.0}, "either a number of games or a number of seconds"),
        ({"num_games": 0}, "num_games must be a whole number from 1 on, not 0"),
        ({"num_games": -1}, "num_games"),
        ({"num_games": 1.5}, "num_games"),
        ({"num_games": True}, "num_games"),
        ({"num_games": "3"}, "num_games"),
        ({"seconds": 0}, "seconds must be a number above 0, not 0"),
        ({"seconds": -1.0}, "seconds"),
        ({"seconds": float("nan")}, "seconds"),
        ({"seconds": float("inf")}, "seconds"),
        ({"seconds": "1"}, "seconds"),
        ({"seconds": True}, "seconds"),
        ({"num_games": 1, "seed": -1}, "seed"),
        ({"num_games": 1, "seed": 2**64}, "seed"),
        ({"num_games": 1, "seed": 0.5}, "seed"),
        ({"num_games": 1, "threads": 0}, "threads"),
        ({"num_games": 1, "threads": 257}, "threads"),
        ({"num_games": 1, "threads": 1.0}, "threads"),
    ],
)
def test_wrong_arguments_are_explained(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TabletopError, match=message):
        rollouts(jumpgate(), **arguments)


@pytest.mark.parametrize("first_game", [-1, 0.0, True, "0", None])
def test_a_wrong_first_game_is_explained(first_game: Any) -> None:
    with pytest.raises(TabletopError, match="first_game"):
        random_games(jumpgate(), 1, first_game=first_game)
