"""What players see of Junk Orbit: the layout, all of what they may know, and nothing else."""

from __future__ import annotations

from itertools import islice
from random import Random

import numpy as np
import pytest
from junkorbit_positions import find_position, observe, random_positions
from observation_checks import (
    check_offsets,
    check_old_contents_are_overwritten,
    check_ranges,
    check_same_view,
    check_seats,
    check_views,
)

from junkorbit_env import observation as module
from junkorbit_env import rules, sizes
from junkorbit_env.junkorbit_v0 import GAME
from junkorbit_env.observation import MAX_BYTE, OBSERVATION
from tabletop_core import engine
from tabletop_core.game import Array, Ruleset

# --- layout ---------------------------------------------------------------------------------------


def test_offsets_follow_the_layout() -> None:
    check_offsets(module)


def test_every_field_is_used_and_in_range() -> None:
    check_ranges(islice(random_positions("ranges"), 0, 12_000, 4))


def test_old_contents_are_overwritten() -> None:
    check_old_contents_are_overwritten(next(random_positions("overwritten")))


# --- decode: nothing missing, nothing extra -------------------------------------------------------


@pytest.mark.parametrize("part", range(4))
def test_decoded_observation_is_the_view(part: int) -> None:
    check_views(islice(random_positions(f"views {part}"), 5_000), Random(part))


@pytest.mark.long
@pytest.mark.parametrize("part", range(20))
def test_many_decoded_observations(part: int) -> None:
    check_views(islice(random_positions(f"many views {part}"), 50_000), Random(part))


def test_view_in_words() -> None:
    """One view read against the position it comes from."""
    ruleset, position = find_position(
        lambda data: data["prompt"] == "hit" and data["victims"] != [], num_players=4
    )
    state = GAME.state_from_json(ruleset, position)
    player = (position["current_player"] + 1) % 4
    view = GAME.view_to_json(ruleset, state, player)
    seats = [(other - player) % 4 for other in range(4)]
    assert view["prompt"] == "hit"
    assert view["current_seat"] == view["victim"] == 3
    assert view["turn_seat"] == seats[position["turn_player"]]
    assert view["victims"] == [seats[other] for other in position["victims"]]
    assert view["launch"]["landing"] == position["launch"]["landing"]
    assert view["hit_cause"] == "launch"
    assert list(view["cities"]) == list(position["cities"])
    for city, tiles in position["cities"].items():
        assert sum(view["cities"][city].values()) == len(tiles)
    for name, tiles in position["stacks"].items():
        assert view["stacks"][name] == len(tiles)
    for other in range(4):
        seat = view["seats"][seats[other]]
        assert seat["ship"] == position["ships"][other]
        assert sum(seat["cargo"].values()) == len(position["cargo"][other])
        assert seat["delivery_count"] == len(position["deliveries"][other])
        kinds = seat["deliveries"].items()
        assert seat["points"] == sum(int(kind.split()[0]) * count for kind, count in kinds)


# --- §7: hidden deliveries ------------------------------------------------------------------------


def test_deliveries_are_hidden_by_option_until_the_end() -> None:
    for is_over in (False, True):
        ruleset, position = find_position(
            lambda data, over=is_over: (
                all(data["deliveries"]) and (data["prompt"] == "over") == over
            ),
            deliveries_visible=False,
        )
        state = GAME.state_from_json(ruleset, position)
        for player in range(3):
            view = GAME.view_to_json(ruleset, state, player)
            shown = [seat["deliveries"] is not None for seat in view["seats"]]
            assert shown == [True, is_over, is_over]
            assert [seat["points"] is not None for seat in view["seats"]] == shown
            assert all(seat["delivery_count"] > 0 for seat in view["seats"])


def test_the_observation_depends_on_nothing_hidden() -> None:
    """§7: with hidden deliveries any exchange of them, else only bookkeeping does not show."""
    rng = np.random.default_rng(5)
    exchanged = 0
    for ruleset, state in islice(random_positions("exchange"), 0, 8_000, 8):
        for player in range(ruleset.num_players):
            other = exchange_hidden(ruleset, state, player, rng)
            exchanged += other[0].deliveries.tobytes() != state[0].deliveries.tobytes()
            check_same_view(ruleset, state, other, player)
    assert exchanged > 100


def exchange_hidden(ruleset: Ruleset, state: Array, player: int, rng: np.random.Generator) -> Array:
    """A copy with another generator and counts, and where they are hidden other deliveries."""
    other = state.copy()
    s = other[0]
    s.rng = rng.integers(1, 2**63)
    s.turn_count += 1
    s.decision_count += 1
    s.legal[:] = 0
    if not ruleset.options.deliveries_visible and s.prompt != rules.PROMPT_OVER:
        deal_deliveries_again(ruleset, s, player, rng)
    return other


def deal_deliveries_again(
    ruleset: Ruleset, s: np.record, player: int, rng: np.random.Generator
) -> None:
    """Opponents' delivered tiles change places with others of their stack, or among them."""
    opponents = [k for k in range(ruleset.num_players) if k != player]
    for mask in ruleset.record[0].stack_tiles:
        piles = [s.stacks, *(s.deliveries[k] for k in opponents)]
        counts = [len(members(pile & mask)) for pile in piles]
        tiles = [tile for pile in piles for tile in members(pile & mask)]
        rng.shuffle(tiles)
        for pile, count in zip(piles, counts, strict=True):
            pile[:] = pile & ~mask | words_of(tiles[:count])
            del tiles[:count]


def members(words: Array) -> list[int]:
    return [
        64 * place + bit
        for place, word in enumerate(words)
        for bit in range(64)
        if int(word) >> bit & 1
    ]


def words_of(tiles: list[int]) -> Array:
    words = np.zeros(sizes.TILE_WORDS, np.uint64)
    for tile in tiles:
        words[tile // 64] |= np.uint64(1 << tile % 64)
    return words


def test_redrawing_hidden_things_changes_nothing() -> None:
    """§7: only the order of the stacks is hidden, and no record holds it."""
    for ruleset, state in islice(random_positions("determinize"), 0, 2_000, 10):
        for player in range(ruleset.num_players):
            other = state.copy()
            engine.determinize_one(ruleset.record, other, player)
            assert other.tobytes() == state.tobytes()


# --- relative seats -------------------------------------------------------------------------------

BY_SEAT = (
    "current_seat",
    "turn_seat",
    "victim",
    "victims",
    "ship",
    "power",
    "points",
    "delivery_count",
    "cargo",
    "deliveries",
)


def test_players_see_the_same_table_from_their_seats() -> None:
    positions = islice(random_positions("seats"), 0, 6_000, 10)
    check_seats((p for p in positions if p[0].options.deliveries_visible), BY_SEAT)


def test_points_beyond_a_byte() -> None:
    """255 stands for 255 and more, in the observation and in the view."""
    ruleset, state = next(random_positions("many points"))
    state = state.copy()
    state[0].deliveries[0] = ruleset.record[0].tiles
    seat = OBSERVATION.split(observe(ruleset, state, 0))
    assert seat["points"][0] == MAX_BYTE
    assert GAME.view_to_json(ruleset, state, 0)["seats"][0]["points"] == MAX_BYTE
