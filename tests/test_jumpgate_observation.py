"""What players see of Jump Gate: the layout, all of what they may know, and nothing else."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
import pytest
from jumpgate_options import NUM_PLAYERS
from jumpgate_positions import Position, find_position, game_positions, observe, random_positions
from observation_checks import (
    check_offsets,
    check_old_contents_are_overwritten,
    check_ranges,
    check_same_view,
    check_seats,
    check_views,
)

from jumpgate_env import observation as module
from jumpgate_env import rules, sizes
from jumpgate_env.jumpgate_v0 import GAME
from jumpgate_env.observation import MAX_BYTE, OBSERVATION
from tabletop_core import engine
from tabletop_core.game import Array, Ruleset
from tabletop_core.rng import seed_to_word

# --- layout ---------------------------------------------------------------------------------------


def test_layout_covers_the_vector_once() -> None:
    rows = list(OBSERVATION.rows())
    assert [start for start, _, _ in rows] == [0, *(end for _, end, _ in rows[:-1])]
    assert rows[-1][1] == OBSERVATION.size == len(OBSERVATION.high())
    assert len({field.name for _, _, field in rows}) == len(rows)
    assert all(field.meaning and 0 < field.high <= MAX_BYTE for _, _, field in rows)


def test_offsets_follow_the_layout() -> None:
    check_offsets(module)


def test_every_field_is_used_and_in_range() -> None:
    check_ranges(islice(random_positions("ranges"), 0, 6_000, 3))


def test_old_contents_are_overwritten() -> None:
    check_old_contents_are_overwritten(next(random_positions("overwritten")))


def test_points_beyond_a_byte() -> None:
    """255 stands for 255 and more, in the observation and in the view."""
    ruleset, position = find_position(lambda data: 0 in data["owners"], planet_points=1000)
    state = GAME.state_from_json(ruleset, position)
    assert OBSERVATION.split(observe(ruleset, state, 0))["public_points"][0] == MAX_BYTE
    assert GAME.view_to_json(ruleset, state, 0)["seats"][0]["public_points"] == MAX_BYTE


# --- decode: nothing missing, nothing extra -------------------------------------------------------


def check_many_views(name: str, count: int) -> None:
    check_views(islice(random_positions(name), count), Random(name))


@pytest.mark.parametrize("part", range(4))
def test_decoded_observation_is_the_view(part: int) -> None:
    check_many_views(f"views {part}", 5_000)


@pytest.mark.long
@pytest.mark.parametrize("part", range(20))
def test_many_decoded_observations(part: int) -> None:
    check_many_views(f"many views {part}", 50_000)


def test_view_in_words() -> None:
    """One view read against the position it comes from."""
    ruleset, position = find_position(
        lambda data: data["prompt"] == "spend" and data["pending"]["action"] == "harvest"
    )
    state = GAME.state_from_json(ruleset, position)
    player = (position["current_player"] + 1) % 3
    view = GAME.view_to_json(ruleset, state, player)
    assert view["current_seat"] == 2
    assert view["pending"] == position["pending"]
    assert [planet["planet"] for planet in view["ring"]] == position["ring"]
    assert [card["card"] for card in view["hand"]] == position["hands"][player]
    assert view["discard"] == position["discard"]
    assert view["deck_count"] == len(position["deck"])
    for seat, entry in enumerate(view["seats"]):
        other = (player + seat) % 3
        assert entry["location"] == position["locations"][other]
        assert entry["hand_count"] == len(position["hands"][other])
        assert entry["hidden_count"] == len(position["hidden"][other]) == 2
        assert (entry["hidden"] is None) == (seat != 0)


def test_hidden_resources_at_the_end() -> None:
    """§8, §6, §12: kept ones are shown, discarded ones are not; one's own always are."""
    ruleset, position = find_position(lambda data: "black_hole" in data["end_reasons"])
    state = GAME.state_from_json(ruleset, position)
    icons = {card.id for card in ruleset.tables.resources if card.has_black_hole_icon}
    markers = [len(icons.intersection(cards)) for cards in position["collected"]]
    for player in range(3):
        seats = GAME.view_to_json(ruleset, state, player)["seats"]
        for seat, entry in enumerate(seats):
            is_kept = markers[(player + seat) % 3] < max(markers)
            assert (entry["hidden"] is not None) == (is_kept or seat == 0)


def test_hidden_resources_are_all_shown_without_a_full_black_hole() -> None:
    """§8.1."""
    ruleset, position = find_position(lambda data: data["truncated"], max_turns=6)
    state = GAME.state_from_json(ruleset, position)
    seats = GAME.view_to_json(ruleset, state, 0)["seats"]
    assert all(sum(entry["hidden"].values()) == 2 for entry in seats)


# --- relative seats -------------------------------------------------------------------------------

BY_SEAT = (
    "hand_count",
    "hidden_count",
    "location",
    "collected",
    "black_hole_markers",
    "public_points",
)
BY_SEAT_INSIDE = ("owner", "resource_mark", "current_seat")
PRIVATE = ("hand", "hand_codes", "hidden")


def test_players_see_the_same_table_from_their_seats() -> None:
    check_seats(islice(random_positions("seats"), 0, 6_000, 10), BY_SEAT, BY_SEAT_INSIDE, PRIVATE)


# --- nothing hidden -------------------------------------------------------------------------------


def test_redrawing_hidden_things_changes_nothing() -> None:
    """§6: after `determinize(player)` the player sees what was seen before."""
    changed = 0
    for ruleset, state in islice(random_positions("determinize"), 0, 8_000, 8):
        for player in range(ruleset.num_players):
            other = state.copy()
            other[0].rng = seed_to_word(changed)
            engine.determinize_one(ruleset.record, other, player)
            check_same_view(ruleset, state, other, player)
            changed += other[0].hands.tobytes() != state[0].hands.tobytes()
    assert changed > 1_000


def test_the_observation_depends_on_nothing_hidden() -> None:
    """§6: any exchange of hidden cards, whatever play would allow, and bookkeeping do not show."""
    rng = np.random.default_rng(5)
    for ruleset, state in islice(random_positions("exchange"), 0, 8_000, 8):
        for player in range(ruleset.num_players):
            other = exchange_hidden(ruleset, state, player, rng)
            check_same_view(ruleset, state, other, player)


def exchange_hidden(ruleset: Ruleset, state: Array, player: int, rng: np.random.Generator) -> Array:
    """A copy in which all that the player cannot see was dealt again without any rule."""
    other = state.copy()
    s = other[0]
    opponents = [k for k in range(ruleset.num_players) if k != player]
    deal_again(s, "deck", "hands", opponents, rng)
    if s.prompt != rules.PROMPT_OVER:
        deal_again(s, "unseen", "hidden", opponents, rng)
    s.held_since[:] = rng.integers(0, 5, sizes.NUM_CARDS)
    s.rng = rng.integers(1, 2**63)
    s.turn_count += 1
    s.decision_count += 1
    s.legal[:] = 0
    return other


def deal_again(
    s: np.record, pile: str, hands: str, players: list[int], rng: np.random.Generator
) -> None:
    words = [s[pile], *(s[hands][k] for k in players)]
    cards = [card for word in words for card in range(64) if int(word) >> card & 1]
    rng.shuffle(cards)
    for k in players:
        count = int(s[hands][k]).bit_count()
        s[hands][k] = sum(1 << cards.pop() for _ in range(count))
    s[pile] = sum(1 << card for card in cards)


def test_shuffled_hands_are_seen_by_their_owner() -> None:
    """The two tests above would pass if nothing at all were shown."""
    ruleset, state = next(random_positions("owner"))
    other = state.copy()
    deal_again(other[0], "deck", "hands", [0, 1], np.random.default_rng(1))
    for player in (0, 1):
        before = OBSERVATION.split(observe(ruleset, state, player))["hand"]
        after = OBSERVATION.split(observe(ruleset, other, player))["hand"]
        assert not np.array_equal(before, after)


# --- interpreted ----------------------------------------------------------------------------------


def observations_digest() -> str:
    """Digest of all observations in a few random games."""
    result = hashlib.blake2b()
    for num_players in NUM_PLAYERS:
        ruleset = GAME.ruleset(num_players, max_turns=25)
        for position in game_positions(ruleset, Random(num_players)):
            result.update(all_observations(position))
    return result.hexdigest()


def all_observations(position: Position) -> bytes:
    ruleset, state = position
    players = range(ruleset.num_players)
    return b"".join(observe(ruleset, state, player).tobytes() for player in players)


def test_interpreted_kernel_sees_the_same() -> None:
    """Without the compiler, and with warnings as errors."""
    folder = Path(__file__).parent
    code = "import test_jumpgate_observation as t; print(t.observations_digest())"
    path = os.pathsep.join([str(folder), str(folder.parent)])
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    command = [sys.executable, "-W", "error", "-c", code]
    result = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == observations_digest()
