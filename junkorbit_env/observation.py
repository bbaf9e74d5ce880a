"""What one player sees, as a vector of bytes.

Seats are relative, so that one policy can play every seat: seat 0 is the player who looks, seat k
sits k places further clockwise. Seats and cities that are not in play are zero. Tiles are counted
by kind (destination and value), since tiles of a kind are alike. Nothing is in it that the player
cannot know; `notation.decode` turns it back into words.

Section numbers refer to RULES.md; `r` is the RULES record, `s` the STATE record.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tabletop_core.bits import NONE, WORD_BITS, U, has, lowest, popcount, without_lowest
from tabletop_core.game import ObservationField, ObservationLayout
from tabletop_core.jit import inline_kernel, kernel

from .rules import (
    CAUSE_NONE,
    HIT_CAUSES,
    NO_HEADING,
    NO_PLAYER,
    PAYBACK,
    PROMPT_OVER,
    PROMPTS,
    count_tiles,
    delivered_points,
)
from .sizes import (
    MAX_KINDS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NO_CITY,
    NO_POWER,
    NO_TILE,
    NUM_CITIES,
    NUM_HEADINGS,
    NUM_STACKS,
    NUM_TILES,
    TILE_WORDS,
)

NUM_CAUSES: Final = len(HIT_CAUSES) - 1
NUM_POWERS: Final = PAYBACK  # powers are numbered from 1
MAX_BYTE: Final = 255

# --- layout ----------------------------------------------------------------------------------

OBSERVATION: Final = ObservationLayout(
    (
        # the turn
        ObservationField("prompt", (len(PROMPTS),), 1, "what is being decided"),
        ObservationField("current_seat", (MAX_PLAYERS,), 1, "seat of the player who decides"),
        ObservationField("turn_seat", (MAX_PLAYERS,), 1, "seat of the player whose turn it is"),
        ObservationField(
            "num_players", (MAX_PLAYERS - MIN_PLAYERS + 1,), 1, "number of players: 2, 3, 4, 5"
        ),
        ObservationField(
            "final_turns_left",
            (1,),
            MAX_PLAYERS,
            "turns until the end, the present one included; 0: the end is not triggered",
        ),
        ObservationField("launched", (MAX_KINDS,), 1, "kind of the tile that is launched"),
        ObservationField(
            "heading", (NUM_HEADINGS,), 1, "heading of the launch: clockwise, counter-clockwise"
        ),
        ObservationField("landing", (NUM_CITIES,), 1, "city where the launched tile landed"),
        ObservationField("hit_cause", (NUM_CAUSES,), 1, "why ships are hit: launch, ram"),
        ObservationField("victim", (MAX_PLAYERS,), 1, "seat of the player who is hit"),
        ObservationField("victims", (MAX_PLAYERS,), 1, "seats of those who are hit after that"),
        ObservationField("beam_city", (NUM_CITIES,), 1, "city that is beamed from"),
        # stacks
        ObservationField(
            "stack_count", (NUM_STACKS,), NUM_TILES, "tiles in each stack: Earth, Moon, Mars"
        ),
        # players
        ObservationField("ship", (MAX_PLAYERS, NUM_CITIES), 1, "each seat: city of the ship"),
        ObservationField(
            "power",
            (MAX_PLAYERS, NUM_POWERS),
            1,
            "each seat: power of the ship: S1 to S5 side A, S1 to S5 side B",
        ),
        ObservationField(
            "points",
            (MAX_PLAYERS,),
            MAX_BYTE,
            "each seat: points; 255 stands for 255 and more; zero where deliveries are hidden",
        ),
        ObservationField(
            "delivery_count", (MAX_PLAYERS,), NUM_TILES, "each seat: number of delivered tiles"
        ),
        ObservationField("cargo", (MAX_PLAYERS, MAX_KINDS), NUM_TILES, "each seat: cargo by kind"),
        ObservationField(
            "deliveries",
            (MAX_PLAYERS, MAX_KINDS),
            NUM_TILES,
            "each seat: delivered tiles by kind; one's own, those of others if they are visible, "
            "and all at the end",
        ),
        # cities
        ObservationField("in_play", (NUM_CITIES,), 1, "city is in play"),
        ObservationField(
            "city_tiles", (NUM_CITIES, MAX_KINDS), NUM_TILES, "each city: tiles by kind"
        ),
    )
)

AT_PROMPT: Final = OBSERVATION.first("prompt")
AT_CURRENT_SEAT: Final = OBSERVATION.first("current_seat")
AT_TURN_SEAT: Final = OBSERVATION.first("turn_seat")
AT_NUM_PLAYERS: Final = OBSERVATION.first("num_players")
AT_FINAL_TURNS_LEFT: Final = OBSERVATION.first("final_turns_left")
AT_LAUNCHED: Final = OBSERVATION.first("launched")
AT_HEADING: Final = OBSERVATION.first("heading")
AT_LANDING: Final = OBSERVATION.first("landing")
AT_HIT_CAUSE: Final = OBSERVATION.first("hit_cause")
AT_VICTIM: Final = OBSERVATION.first("victim")
AT_VICTIMS: Final = OBSERVATION.first("victims")
AT_BEAM_CITY: Final = OBSERVATION.first("beam_city")
AT_STACK_COUNT: Final = OBSERVATION.first("stack_count")
AT_SHIP: Final = OBSERVATION.first("ship")
AT_POWER: Final = OBSERVATION.first("power")
AT_POINTS: Final = OBSERVATION.first("points")
AT_DELIVERY_COUNT: Final = OBSERVATION.first("delivery_count")
AT_CARGO: Final = OBSERVATION.first("cargo")
AT_DELIVERIES: Final = OBSERVATION.first("deliveries")
AT_IN_PLAY: Final = OBSERVATION.first("in_play")
AT_CITY_TILES: Final = OBSERVATION.first("city_tiles")

# --- kernels ---------------------------------------------------------------------------------


@kernel
def observe(r: Any, s: Any, player: Any, observation: Any) -> None:
    """Fill `observation`, uint8 [OBSERVATION.size], with what `player` knows."""
    observation[:] = 0
    write_turn(r, s, player, observation)
    write_launch(r, s, observation)
    write_hits(r, s, player, observation)
    write_stacks(r, s, observation)
    write_players(r, s, player, observation)
    write_cities(r, s, observation)


@inline_kernel
def write_turn(r: Any, s: Any, player: Any, observation: Any) -> None:
    """§6: who decides what, and in whose turn."""
    put(observation, AT_PROMPT + np.int64(s.prompt), 1)
    put(observation, AT_CURRENT_SEAT + seat_of(r, np.int64(s.current_player), player), 1)
    put(observation, AT_TURN_SEAT + seat_of(r, np.int64(s.turn_player), player), 1)
    put(observation, AT_NUM_PLAYERS + r.num_players - MIN_PLAYERS, 1)
    put(observation, AT_FINAL_TURNS_LEFT, s.final_turns_left)


@inline_kernel
def write_launch(r: Any, s: Any, observation: Any) -> None:
    """§6 D1: the tile under way; §8: the beam."""
    if s.launched != NO_TILE:
        put(observation, AT_LAUNCHED + np.int64(r.kind_of[s.launched]), 1)
    if s.heading != NO_HEADING:
        put(observation, AT_HEADING + np.int64(s.heading), 1)
        put(observation, AT_LANDING + np.int64(s.landing), 1)
    if s.beam_city != NO_CITY:
        put(observation, AT_BEAM_CITY + np.int64(s.beam_city), 1)


@inline_kernel
def write_hits(r: Any, s: Any, player: Any, observation: Any) -> None:
    """§6 D2: who is hit and who will be."""
    if s.hit_cause == CAUSE_NONE:
        return
    put(observation, AT_HIT_CAUSE + np.int64(s.hit_cause) - 1, 1)
    if s.victim != NO_PLAYER:
        put(observation, AT_VICTIM + seat_of(r, np.int64(s.victim), player), 1)
    for other in range(r.num_players):
        if has(U(s.victims), other):
            put(observation, AT_VICTIMS + seat_of(r, other, player), 1)


@inline_kernel
def write_stacks(r: Any, s: Any, observation: Any) -> None:
    """§7: how many are left; which ones is known by counting those that are seen."""
    for stack in range(NUM_STACKS):
        low = popcount(s.stacks[0] & r.stack_tiles[stack, 0])
        high = popcount(s.stacks[1] & r.stack_tiles[stack, 1])
        put(observation, AT_STACK_COUNT + stack, low + high)


@inline_kernel
def write_players(r: Any, s: Any, player: Any, observation: Any) -> None:
    """§7: what lies before each player."""
    is_shown = is_open(r, s)
    for other in range(r.num_players):
        seat = seat_of(r, other, player)
        put(observation, AT_SHIP + seat * NUM_CITIES + np.int64(s.ships[other]), 1)
        if s.powers[other] != NO_POWER:
            put(observation, AT_POWER + seat * NUM_POWERS + np.int64(s.powers[other]) - 1, 1)
        count_kinds(r, s.cargo[other], AT_CARGO + seat * MAX_KINDS, observation)
        put(observation, AT_DELIVERY_COUNT + seat, count_tiles(s.deliveries[other]))
        if is_shown or other == player:
            count_kinds(r, s.deliveries[other], AT_DELIVERIES + seat * MAX_KINDS, observation)
            points = delivered_points(r, s, other)
            put(observation, AT_POINTS + seat, min(points, np.int64(MAX_BYTE)))


@inline_kernel
def is_open(r: Any, s: Any) -> Any:
    """§7: whether everybody sees all deliveries: by option, and at the end."""
    return r.deliveries_visible != 0 or s.prompt == PROMPT_OVER


@inline_kernel
def write_cities(r: Any, s: Any, observation: Any) -> None:
    """§7: tiles on cities lie face up."""
    cities = r.cities
    while cities != NONE:
        city = lowest(cities)
        put(observation, AT_IN_PLAY + city, 1)
        count_kinds(r, s.cities[city], AT_CITY_TILES + city * MAX_KINDS, observation)
        cities = without_lowest(cities)


@inline_kernel
def count_kinds(r: Any, tiles: Any, first: Any, observation: Any) -> None:
    """Count a set of tiles by kind from index `first` on."""
    for word in range(TILE_WORDS):
        left = tiles[word]
        while left != NONE:
            kind = np.int64(r.kind_of[word * WORD_BITS + lowest(left)])
            observation[U(first + kind)] += np.uint8(1)
            left = without_lowest(left)


@inline_kernel
def seat_of(r: Any, other: Any, player: Any) -> Any:
    """Places clockwise from `player` to `other`."""
    seat = other - player
    return seat if seat >= 0 else seat + r.num_players


@inline_kernel
def put(observation: Any, index: Any, value: Any) -> None:
    """Store a small number; the unsigned index spares the test for negative ones."""
    observation[U(index)] = value
