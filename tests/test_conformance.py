"""The conformance suite on every game, on a game of a third party, and on games that are broken."""

from __future__ import annotations

import dataclasses
import itertools
import random
from typing import Any

import numpy as np
import pytest
import toy_game
from efforts import capped, share
from jumpgate_options import NUM_PLAYERS, random_options

from tabletop_core import testing
from tabletop_core.errors import TabletopError
from tabletop_core.game import Json, Ruleset, games, register_game, state_record, used_fields
from tabletop_core.session import Session
from tabletop_core.testing import Oracles

pytestmark = pytest.mark.filterwarnings("error")

NUM_GAMES = 4
NUM_OPTIONS = 10
NUM_VIEWS = 5_000  # positions of each ruleset: 20,000 for a game with four player counts
TOY_ORACLES = Oracles(toy_game.conserved, toy_game.plain_legal_actions)
TOY_RULESETS = [
    toy_game.GAME.ruleset(2),
    toy_game.GAME.ruleset(3, values="flat", hand_size=4),
    toy_game.GAME.ruleset(4, hand_size=2, target=15, max_turns=7),
]


def jumpgate_cards(ruleset: Ruleset, data: Json) -> list[str]:
    piles = [data[name] for name in ("unseen", "removed", "deck", "discard")]
    for name in ("face_up", "hidden", "collected", "hands"):
        piles += data[name]
    return sorted(itertools.chain(*piles))


def junkorbit_tiles(ruleset: Ruleset, data: Json) -> list[str]:
    piles = [*data["cities"].values(), *data["cargo"], *data["deliveries"]]
    return sorted(itertools.chain(*piles, *data["stacks"].values()))


def stargate_cards(ruleset: Ruleset, data: Json) -> list[list[str]]:
    """Of each player, without the numbers of copies: they go by places, which are exchanged."""
    piles = [itertools.chain(*player["zones"].values()) for player in data["table"]["players"]]
    return [sorted(card.partition(".")[0] for card in cards) for cards in piles]


ORACLES = {
    "jumpgate_v0": Oracles(jumpgate_cards),
    "junkorbit_v0": Oracles(junkorbit_tiles, has_hidden=False),
    "stargate_v0": Oracles(stargate_cards),
}


# --- every game ------------------------------------------------------------------------------


def test_game_conforms(ruleset: Ruleset) -> None:
    oracles = ORACLES.get(ruleset.game.id)
    num_games = share(ruleset, NUM_GAMES)
    testing.check_game(capped(ruleset), num_games, oracles=oracles, interpreted_games=0)


def test_decoded_observations_are_the_views(ruleset: Ruleset) -> None:
    checks = [testing.check_decode]
    count = share(ruleset, NUM_VIEWS)
    assert testing.check_positions(ruleset, checks, num_positions=count, seed=10**6) == count


def check_options(number: int) -> None:
    """Jump Gate with random options."""
    rng = random.Random(number)
    num_players = rng.choice(NUM_PLAYERS)
    options = random_options(rng, num_players)
    ruleset = games()["jumpgate_v0"].ruleset(num_players, **options)
    oracles = ORACLES["jumpgate_v0"]
    try:
        testing.check_game(ruleset, 1, seed=number, oracles=oracles, interpreted_games=0)
    except AssertionError as error:
        raise AssertionError(f"options {options}: {error}") from error


@pytest.mark.parametrize("number", range(NUM_OPTIONS))
def test_options_conform(number: int) -> None:
    check_options(number)


@pytest.mark.long
def test_many_options_conform() -> None:
    for number in range(NUM_OPTIONS, 20 * NUM_OPTIONS):
        check_options(number)


@pytest.mark.long
def test_game_conforms_at_length(ruleset: Ruleset) -> None:
    oracles = ORACLES.get(ruleset.game.id)
    testing.check_game(ruleset, share(ruleset, 100), seed=10**9, oracles=oracles)


@pytest.mark.long
def test_a_quarter_million_positions(ruleset: Ruleset) -> None:
    count = share(ruleset, 250_000)
    testing.check_positions(ruleset, testing.QUICK_CHECKS, num_positions=count, seed=2**63)


@pytest.mark.long
def test_a_million_steps_in_batches(ruleset: Ruleset) -> None:
    testing.check_batch(ruleset, num_lanes=32, num_steps=share(ruleset, 12_000), seed=2**62)


# --- copies of states ------------------------------------------------------------------------


def test_copies_of_states_are_the_same_bytes(ruleset: Ruleset) -> None:
    """NumPy copies fields: there is nothing else in a record that it could leave out."""
    dtype = ruleset.game.for_players(ruleset.num_players).state_dtype
    states = np.frombuffer(b"\xff" * (2 * dtype.itemsize), dtype)
    for copy in (states.copy(), states[[0, 1]], np.array([states[0], states[1]])):
        assert copy.tobytes() == states.tobytes()


def test_bytes_between_fields_become_fields() -> None:
    fields = [("first", np.uint8), ("second", np.uint64), ("last", np.uint16, (3,))]
    aligned, dense = np.dtype(fields, align=True), state_record(fields)
    for name in aligned.names or ():
        assert dense.fields[name] == aligned.fields[name]  # type: ignore[index]
    assert dense.itemsize == aligned.itemsize == sum(dense[name].itemsize for name in dense.names)
    assert used_fields(dense) == aligned.names


def test_a_state_record_with_bytes_between_fields_is_refused() -> None:
    game = toy_game.make_game("leaky")
    leaky = np.dtype([(name, game.state_dtype[name]) for name in used_fields(game.state_dtype)])
    leaky = np.dtype([*leaky.descr, ("end", np.uint8)], align=True)
    with pytest.raises(TabletopError, match="leaky_v.* has bytes between its fields"):
        register_game(dataclasses.replace(game, state_dtype=leaky))
    assert game.id not in games()


# --- a game of a third party -----------------------------------------------------------------


@pytest.mark.parametrize("ruleset", TOY_RULESETS, ids=["2", "3-flat", "4-short"])
def test_toy_game_conforms(ruleset: Ruleset) -> None:
    testing.check_game(ruleset, 30, oracles=TOY_ORACLES)


def test_toy_game_ends_in_every_way() -> None:
    reasons = set()
    for seed in range(100):
        session = testing.play_single(TOY_RULESETS[2], seed, seed + 1)
        reasons.add(session.result()["reason"])
    assert reasons == {"hand_empty", "target", "hand_empty+target", "max_turns"}


def test_check_positions_says_how_many_it_has_seen() -> None:
    seen: list[bytes] = []

    def check_seen(session: Session, rng: Any) -> None:
        seen.append(session.serialize())

    assert testing.check_positions(TOY_RULESETS[0], [check_seen], num_positions=17) == 17
    assert len(seen) == len(set(seen)) == 17
    seen.clear()
    count = testing.check_positions(TOY_RULESETS[0], [check_seen], num_games=3, every=1000)
    assert count == len(seen) == 6  # starts and ends
    with pytest.raises(TabletopError, match="num_positions or num_games"):
        testing.check_positions(TOY_RULESETS[0], [check_seen])


def test_compiled_games_unlike_interpreted_ones_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testing, "game_hash", lambda ruleset, seed: "another")
    with pytest.raises(AssertionError, match="check_interpreted: climb_v0 .* seed 5: hash"):
        testing.check_interpreted(TOY_RULESETS[0], [5])


def test_errors_of_the_interpreted_process_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testing, "PICKLED", "no_such_game")
    with pytest.raises(AssertionError, match="no game is called 'no_such_game'"):
        testing.check_interpreted(TOY_RULESETS[0], [0])


@pytest.mark.parametrize("mode", ["win", "score", "margin"])
def test_expected_rewards(mode: str) -> None:
    expected = {"win": [-1.0, 0.5, 0.5], "score": [1.0, 4.0, 4.0], "margin": [-3.0, 0.0, 0.0]}
    assert testing.expected_rewards(mode, [1.0, 4.0, 4.0], [1, 2]) == expected[mode]
    assert testing.expected_rewards("win", [1.0, 1.0], [0, 1]) == [0.0, 0.0]
