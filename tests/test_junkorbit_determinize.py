"""`determinize`: what a player cannot know is drawn again, and nothing else changes (§7).

Only the order of the stacks is hidden. The position leaves it undecided: a tile is drawn when a
city is refilled, by the random generator. So determinizing renews the generator alone, and every
tile of a stack is the next one with the same chance, every order of them too (chi-square, fixed
seeds). The other way round, no player's observation may depend on the generator, nor on what others
have delivered if that is hidden.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice, permutations
from random import Random

import numpy as np
import pytest
from junkorbit_positions import random_positions
from rule_checks import exchanged, random_word
from test_junkorbit_rules import KINDS, STACKS, Table, last_turn, new_games, table, tiles
from worlds import World, check_frequencies, drawn, uniform

from junkorbit_env.junkorbit_v0 import GAME
from tabletop_core.session import Session

# --- nothing that is known changes ----------------------------------------------------------------


def test_nothing_changes_but_the_generator() -> None:
    """§7 known to nobody: in random games with all options nobody notices a change."""
    rng = Random("consistent")
    sessions: dict[int, Session] = {}
    prompts = set()
    is_hidden = set()
    for ruleset, state in islice(random_positions("consistent"), 0, 16_000, 8):
        session = sessions.setdefault(ruleset.digest, Session(ruleset))
        before = GAME.state_to_json(ruleset, state)
        session.from_json(before)
        legal = session.legal_actions()
        views = [session.to_json(k) for k in range(ruleset.num_players)]
        observations = [session.observe(k).tobytes() for k in range(ruleset.num_players)]
        player = rng.randrange(ruleset.num_players)
        session.determinize(player, rng.getrandbits(64))
        after = session.to_json()
        assert {key for key in before if before[key] != after[key]} == {"rng"}
        assert [session.to_json(k) for k in range(ruleset.num_players)] == views
        assert [session.observe(k).tobytes() for k in range(ruleset.num_players)] == observations
        assert session.legal_actions() == legal
        session.from_json(after)  # a possible position
        prompts.add(before["prompt"])
        if any(before["deliveries"]):
            is_hidden.add(not ruleset.options.deliveries_visible)
    assert prompts == set(GAME.prompts)
    assert is_hidden == {True, False}


@pytest.mark.parametrize("player", range(3))
def test_hidden_deliveries_stay(player: int) -> None:
    """§7 deliveries_visible=False: everybody saw what was delivered, so it is not drawn again."""
    board = table(
        deliveries=["4 to Tharsis", "5 to Bradbury, 1 to Cairo", "3 to Earth-7"],
        options={"deliveries_visible": False},
    )
    before = board.session.to_json()
    for seed in range(1, 51):  # the position has the generator of seed 0
        other = board.clone()
        other.session.determinize(player, seed)
        after = other.session.to_json()
        assert {key for key in before if before[key] != after[key]} == {"rng"}


def test_same_seed_same_world() -> None:
    """§7 known to nobody: a seed fixes the world whatever the true one is; others draw others."""
    worlds = []
    for number, seed in ((1, 7), (2, 7), (1, 8), (2, 9)):
        board = table(rng=random_word(number))
        board.session.determinize(1, seed)
        worlds.append(board.session.serialize())
    assert worlds[0] == worlds[1]
    assert len(set(worlds)) == 3
    # And it is not the true one.
    board = table()
    truth = board["rng"]
    board.session.determinize(0, 1)
    assert board["rng"] != truth


def test_without_a_seed() -> None:
    """§7 known to nobody: without a seed each world is another one."""
    worlds = set()
    for _ in range(5):
        board = table()
        board.session.determinize(0)
        worlds.add(board["rng"])
    assert len(worlds) == 5


# --- every draw is uniform ------------------------------------------------------------------------

REFILLS = {  # stack: city that is refilled, start, a launch that leads there
    "EARTH": ("Kilimanjaro", "Kepler", "launch 2 starter", "clockwise, land on Olympus"),
    "MOON": ("Moon-6", "Kepler", "launch 1 starter", "clockwise, land on Moon-1"),
    "MARS": ("Olympus", "Kepler", "launch 2 starter", "counter-clockwise, land on Kilimanjaro"),
}


def refilled(
    board: Table, texts: tuple[str, ...], city: str, player: int, count: int
) -> Counter[World]:
    """How often each tile refills the city after these actions, in determinized games."""
    found: Counter[World] = Counter()
    other = board.clone()
    for seed in range(count):
        other.session.restore(board.session)
        other.session.determinize(player, seed)
        other.do(*texts)
        (tile,) = other["cities"][city]
        found[tile,] += 1
    return found


@pytest.mark.parametrize("stack", REFILLS)
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("left", [1, 2, 7])
def test_next_tile(stack: str, player: int, left: int) -> None:
    """§7 known to nobody, §4.2 stacks: each tile left in the stack is the next one alike."""
    city, start, *texts = REFILLS[stack]
    board = table(2, at=start, cargo=["1 starter, 2 starter"], left={stack: left})
    in_stack = board["stacks"][stack]
    assert len(in_stack) == left
    chances = uniform([(tile,) for tile in in_stack])
    check_frequencies(refilled(board, tuple(texts), city, player, 60 * left), chances)


def test_next_tile_of_a_whole_stack() -> None:
    """§7 known to nobody: also out of many tiles."""
    board = table(3, at="Kepler", cargo=["1 starter, 2 starter"])
    city, _, *texts = REFILLS["MARS"]
    in_stack = board["stacks"]["MARS"]
    assert len(in_stack) > 30
    chances = uniform([(tile,) for tile in in_stack])
    check_frequencies(refilled(board, tuple(texts), city, 2, 40 * len(in_stack)), chances)


def test_order_of_a_stack() -> None:
    """§7 known to nobody: all orders of the three tiles left come up alike; other stacks stay."""
    board = table(
        2,
        at="Kepler, Kilimanjaro",
        cargo=["1 starter, 1 starter, 2 starter", "1 starter, 1 starter, 2 starter"],
        left={"MOON": 3},
        rest="Earth-4",
    )
    in_stack = board["stacks"]["MOON"]
    turns = (
        ("launch 1 starter", "clockwise, land on Moon-1"),  # player 0 to Moon-6
        ("launch 1 starter", "counter-clockwise, land on Cairo", "move to Copernicus"),
        ("launch 1 starter", "counter-clockwise, land on Kilimanjaro"),  # player 0 to Kepler
    )
    orders: Counter[World] = Counter()
    for seed in range(400):
        other = board.clone()
        other.session.determinize(seed % 2, seed)
        order: list[str] = []
        for texts in turns:
            before = set(other["stacks"]["MOON"])
            other.do(*texts)
            while other["prompt"] == "deliver":
                other.do("keep the rest")
            order += before - set(other["stacks"]["MOON"])
        orders[tuple(order)] += 1
    check_frequencies(orders, uniform(list(permutations(in_stack))))


def test_draws_are_independent_of_the_other_stacks() -> None:
    """§7 known to nobody: the first draws of two stacks, in all pairs alike."""
    board = table(
        2,
        at="Kepler, Moon-1",
        cargo=["1 starter, 2 starter", "1 starter, 2 starter"],
        left={"MOON": 3, "MARS": 3},
        rest="Earth-4",
    )
    stacks = board["stacks"]
    pairs: Counter[World] = Counter()
    for seed in range(600):
        other = board.clone()
        other.session.determinize(0, seed)
        other.do("launch 1 starter", "clockwise, land on Moon-1")
        if other["prompt"] == "hit":
            other.do("drop 2 starter from cargo")
        (moon,) = other["cities"]["Moon-6"]
        other.do("counter-clockwise, land on Kepler")
        (mars,) = other["cities"]["Olympus"]
        pairs[moon, mars] += 1
    check_frequencies(pairs, uniform([(a, b) for a in stacks["MOON"] for b in stacks["MARS"]]))


def test_the_true_world_does_not_matter() -> None:
    """§7 known to nobody: from any true generator the same worlds are drawn."""
    counts = []
    for number in (1, 2):
        board = table(at="Kepler", cargo=["1 starter, 2 starter"], rng=random_word(number))
        city, _, *texts = REFILLS["MOON"]
        counts.append(refilled(board, tuple(texts), city, 0, 50))
    assert counts[0] == counts[1]


def test_the_true_draw_is_one_of_many() -> None:
    """§7 known to nobody: a search sees all tiles, not the one that will really come."""
    for number in range(5):
        board = table(
            at="Kepler", cargo=["1 starter, 2 starter"], left={"MOON": 4}, rng=random_word(number)
        )
        city, _, *texts = REFILLS["MOON"]
        assert len(refilled(board, tuple(texts), city, 0, 60)) == 4


def test_nothing_is_drawn_again_when_all_is_decided() -> None:
    """§7 known to nobody: with empty stacks or at the end there is a single world."""
    board = last_turn(2, left={"EARTH": 0, "MARS": 0})
    for player in range(2):
        counts = drawn(board, player, 20, lambda data: (str({**data, "rng": None}),))
        assert len(counts) == 1
    board.finish_turn()
    assert board.session.is_over
    result = board.result
    for player in range(2):
        other = board.clone()
        other.session.determinize(player, 5)
        assert other.result == result


# --- nothing leaks --------------------------------------------------------------------------------


def test_observations_do_not_depend_on_the_generator() -> None:
    """§7 known to nobody: positions that differ in the generator alone look the same to all."""
    for ruleset, state in islice(random_positions("leaks"), 0, 2_000, 20):
        data = GAME.state_to_json(ruleset, state)
        sessions = [Session(ruleset), Session(ruleset)]
        for number, session in enumerate(sessions):
            session.from_json({**data, "rng": random_word(number)})
        one, other = sessions
        assert one.serialize() != other.serialize()
        assert one.legal_actions() == other.legal_actions()
        for player in range(ruleset.num_players):
            assert np.array_equal(one.observe(player), other.observe(player))
            assert one.to_json(player) == other.to_json(player)
            assert one.render(player) == other.render(player)


def test_first_positions_tell_nothing_about_draws() -> None:
    """§7 known to nobody, §4.2 stacks: what lies open says nothing about what comes next."""
    session = Session(GAME.ruleset(2))
    next_tiles: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for seed in range(1_500):
        session.reset(seed)
        board = Table(session)
        lies_open = "M01" in board["cities"]["Kepler"] + board["cities"]["Moon-1"]
        player = board["turn_player"]
        board.do("launch 1 starter", "clockwise, land on Moon-1")
        if board["turn_player"] == player and board["prompt"] == "deliver":
            board.do("keep the rest")
        next_tiles[lies_open][board["cities"]["Moon-6"][0]] += 1
    assert next_tiles[True]["M01"] == 0
    assert set(next_tiles[False]) == {f"M{number:02}" for number in range(1, 25)}


def hidden(tile: str, other: str, is_visible: bool) -> tuple[Table, Table]:
    """Two positions that differ in a tile that player 1 has delivered and one that is nowhere."""
    board = table(
        3,
        deliveries=["4 to Tharsis", f"{tile}, R01", "3 to Earth-7"],
        options={"deliveries_visible": is_visible},
    )
    assert other in board["stacks"][next(s for s in STACKS if STACKS[s][0] == other[0])]
    return board, exchanged(board, tile, other)


@pytest.mark.parametrize("is_visible", [True, False])
def test_delivered_tiles_of_others(is_visible: bool) -> None:
    """§7 deliveries_visible=False: a tile of other points delivered by another looks the same.

    Points would tell it, so they are hidden too.
    """
    assert (KINDS["E01"], KINDS["E03"]) == ("1 to Olympus", "5 to Olympus")
    board, other = hidden("E01", "E03", is_visible)
    for player in range(3):
        is_same = np.array_equal(board.session.observe(player), other.session.observe(player))
        assert is_same == (not is_visible and player != 1)
        assert (board.session.to_json(player) == other.session.to_json(player)) == is_same
        assert (board.session.render(player) == other.session.render(player)) == is_same


def test_number_of_delivered_tiles_is_known() -> None:
    """§7 deliveries_visible=False: how many tiles the others have delivered is seen."""
    options = {"deliveries_visible": False}
    one = table(2, deliveries=["", "1 to Cairo"], options=options)
    two = table(2, deliveries=["", "1 to Cairo, 2 to Earth-7"], options=options)
    counts = [board.session.to_json(0)["seats"][1]["delivery_count"] for board in (one, two)]
    assert counts == [1, 2]
    assert not np.array_equal(one.session.observe(0), two.session.observe(0))


def test_a_hit_shows_a_delivered_tile() -> None:
    """§7 deliveries_visible=False: given up to a hit, a delivered tile is seen again."""
    board = table(
        at="Kepler, Copernicus",
        cargo=["4 to Tharsis, 1 starter", "2 to New York"],
        deliveries=["", "5 to Bradbury, 1 to Cairo"],
        options={"deliveries_visible": False},
        cities={"Copernicus": "2 to Earth-7"},
    ).do("launch 4 to Tharsis", "clockwise, land on Copernicus")
    # The victim sees what it can drop, the others only that it has two tiles.
    assert board.session.to_json(1)["seats"][0]["deliveries"] == {
        "5 to Bradbury": 1,
        "1 to Cairo": 1,
    }
    assert board.session.to_json(0)["seats"][1]["deliveries"] is None
    board.do("drop 5 to Bradbury from deliveries")
    assert board.city("Copernicus") == tiles("2 to Earth-7, 4 to Tharsis, 5 to Bradbury")
    view = board.session.to_json(0)
    assert view["cities"]["Copernicus"]["5 to Bradbury"] == 1
    assert view["seats"][1]["delivery_count"] == 1


def test_order_of_the_stacks_is_in_no_view() -> None:
    """§7 known to nobody: views tell how many tiles are left in each stack."""
    for data in new_games(3, 5):
        board = Table.load(GAME.ruleset(3), data)
        sizes = {stack: len(tiles) for stack, tiles in data["stacks"].items()}
        for player in range(3):
            assert board.session.to_json(player)["stacks"] == sizes
