"""What one player sees, as a vector of bytes.

Seats are relative, so that one policy can play every seat: seat 0 is the player who looks, seat k
sits k places further clockwise. Seats and ring positions that are not in play are zero. Nothing is
in it that the player cannot know; `notation.decode` turns it back into words.

Section numbers refer to RULES.md; `r` is the RULES record, `s` the STATE record.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tabletop_core.bits import NONE, U, has, lowest, popcount, without_lowest, write_members
from tabletop_core.game import ObservationField, ObservationLayout
from tabletop_core.jit import inline_kernel, kernel

from .rules import (
    ACTIONS_PER_TURN,
    FACE_DOWN_PER_PLANET,
    GATE,
    NO_PLAYER,
    PENDING_ACTIONS,
    PENDING_HARVEST,
    PENDING_NOTHING,
    PENDING_SCAN,
    PROMPT_SPEND,
    PROMPTS,
    black_hole_markers,
    is_shown,
    player_points,
    union,
)
from .sizes import (
    HAND_SIZE,
    MAX_CODE,
    MAX_PLANETS,
    MAX_PLAYERS,
    MIN_CODE,
    MIN_PLAYERS,
    NUM_CARDS,
    NUM_KINDS,
    NUM_PLANET_CARDS,
    NUM_TYPES,
    RESOURCES_PER_PLANET,
    WILDCARD,
)

NUM_PENDING: Final = len(PENDING_ACTIONS) - 1
NUM_CARD_CODES: Final = WILDCARD + 1
NUM_CATEGORIES: Final = 3
LANDING_CODES: Final = 2
MAX_HIDDEN: Final = NUM_CARDS // MIN_PLAYERS
MAX_BYTE: Final = 255
RESOURCE_SLOTS: Final = (MAX_PLANETS, RESOURCES_PER_PLANET)

# --- layout ----------------------------------------------------------------------------------

OBSERVATION: Final = ObservationLayout(
    (
        # the turn
        ObservationField("prompt", (len(PROMPTS),), 1, "what is being decided"),
        ObservationField("current_seat", (MAX_PLAYERS,), 1, "seat of the player who decides"),
        ObservationField(
            "num_players", (MAX_PLAYERS - MIN_PLAYERS + 1,), 1, "number of players: 2, 3, 4, 5"
        ),
        ObservationField(
            "actions_left", (1,), ACTIONS_PER_TURN, "actions of this turn, the present one included"
        ),
        ObservationField(
            "final_turns_left",
            (1,),
            MAX_PLAYERS + 1,
            "turns until the end after the last claim, the present one included; 0: not begun",
        ),
        ObservationField("pending_action", (NUM_PENDING,), 1, "announced: jump, scan, harvest"),
        ObservationField("pending_target", (MAX_PLANETS,), 1, "ring position it goes to"),
        ObservationField(
            "pending_resource",
            (NUM_KINDS + 1,),
            1,
            "resource to be paid for: its kind, or last the one with one's own mark",
        ),
        # navigation cards
        ObservationField("hand", (NUM_CARDS,), 1, "cards in one's own hand"),
        ObservationField(
            "hand_codes",
            (HAND_SIZE, NUM_CATEGORIES, NUM_CARD_CODES),
            1,
            "each hand slot: jump, scan, landing code as none, 1, 2, 3, 4, wildcard",
        ),
        ObservationField("discard", (NUM_CARDS,), 1, "cards in the discard pile"),
        ObservationField("deck_count", (1,), NUM_CARDS, "cards in the deck"),
        # players
        ObservationField("hand_count", (MAX_PLAYERS,), HAND_SIZE, "each seat: cards in the hand"),
        ObservationField("hidden_count", (MAX_PLAYERS,), MAX_HIDDEN, "each seat: hidden resources"),
        ObservationField(
            "hidden",
            (MAX_PLAYERS, NUM_KINDS),
            NUM_CARDS,
            "each seat: hidden resources by kind; one's own, and at the end those that are shown",
        ),
        ObservationField(
            "location",
            (MAX_PLAYERS, MAX_PLANETS + 1),
            1,
            "each seat: ring position of the ship, or last the Jump Gate",
        ),
        ObservationField(
            "collected", (MAX_PLAYERS, NUM_KINDS), NUM_CARDS, "each seat: collected by kind"
        ),
        ObservationField(
            "black_hole_markers", (MAX_PLAYERS,), NUM_CARDS, "each seat: markers on the Black Hole"
        ),
        ObservationField(
            "public_points",
            (MAX_PLAYERS,),
            MAX_BYTE,
            "each seat: points without hidden resources; 255 stands for 255 and more",
        ),
        # planets
        ObservationField("in_play", (MAX_PLANETS,), 1, "ring position is in play"),
        ObservationField("planet_card", (MAX_PLANETS,), NUM_PLANET_CARDS, "planet, P01 as 1"),
        ObservationField("jump_code", (MAX_PLANETS, MAX_CODE), 1, "jump code 1, 2, 3, 4"),
        ObservationField("scan_code", (MAX_PLANETS, MAX_CODE), 1, "scan code 1, 2, 3, 4"),
        ObservationField(
            "landing_codes", (MAX_PLANETS, MAX_CODE), LANDING_CODES, "how many landing codes 1-4"
        ),
        ObservationField("owner", (MAX_PLANETS, MAX_PLAYERS), 1, "seat that claimed the planet"),
        ObservationField(
            "face_down", (MAX_PLANETS,), FACE_DOWN_PER_PLANET, "number of face-down resources"
        ),
        ObservationField(
            "resource_type",
            (*RESOURCE_SLOTS, NUM_TYPES),
            1,
            "face-up resources in card order: type",
        ),
        ObservationField("resource_icon", RESOURCE_SLOTS, 1, "... black-hole icon"),
        ObservationField(
            "resource_mark", (*RESOURCE_SLOTS, MAX_PLAYERS), 1, "... seat whose mark it carries"
        ),
        ObservationField("removed_count", (1,), NUM_CARDS, "Nothing cards out of the game"),
    )
)

AT_PROMPT: Final = OBSERVATION.first("prompt")
AT_CURRENT_SEAT: Final = OBSERVATION.first("current_seat")
AT_NUM_PLAYERS: Final = OBSERVATION.first("num_players")
AT_ACTIONS_LEFT: Final = OBSERVATION.first("actions_left")
AT_FINAL_TURNS_LEFT: Final = OBSERVATION.first("final_turns_left")
AT_PENDING_ACTION: Final = OBSERVATION.first("pending_action")
AT_PENDING_TARGET: Final = OBSERVATION.first("pending_target")
AT_PENDING_RESOURCE: Final = OBSERVATION.first("pending_resource")
AT_HAND: Final = OBSERVATION.first("hand")
AT_HAND_CODES: Final = OBSERVATION.first("hand_codes")
AT_DISCARD: Final = OBSERVATION.first("discard")
AT_DECK_COUNT: Final = OBSERVATION.first("deck_count")
AT_HAND_COUNT: Final = OBSERVATION.first("hand_count")
AT_HIDDEN_COUNT: Final = OBSERVATION.first("hidden_count")
AT_HIDDEN: Final = OBSERVATION.first("hidden")
AT_LOCATION: Final = OBSERVATION.first("location")
AT_COLLECTED: Final = OBSERVATION.first("collected")
AT_BLACK_HOLE_MARKERS: Final = OBSERVATION.first("black_hole_markers")
AT_PUBLIC_POINTS: Final = OBSERVATION.first("public_points")
AT_IN_PLAY: Final = OBSERVATION.first("in_play")
AT_PLANET_CARD: Final = OBSERVATION.first("planet_card")
AT_JUMP_CODE: Final = OBSERVATION.first("jump_code")
AT_SCAN_CODE: Final = OBSERVATION.first("scan_code")
AT_LANDING_CODES: Final = OBSERVATION.first("landing_codes")
AT_OWNER: Final = OBSERVATION.first("owner")
AT_FACE_DOWN: Final = OBSERVATION.first("face_down")
AT_RESOURCE_TYPE: Final = OBSERVATION.first("resource_type")
AT_RESOURCE_ICON: Final = OBSERVATION.first("resource_icon")
AT_RESOURCE_MARK: Final = OBSERVATION.first("resource_mark")
AT_REMOVED_COUNT: Final = OBSERVATION.first("removed_count")

SLOT_SIZE: Final = NUM_CATEGORIES * NUM_CARD_CODES
AT_SCAN_PART: Final = NUM_CARD_CODES
AT_LAND_PART: Final = 2 * NUM_CARD_CODES

# --- kernels ---------------------------------------------------------------------------------


@kernel
def observe(r: Any, s: Any, player: Any, observation: Any) -> None:
    """Fill `observation`, uint8 [OBSERVATION.size], with what `player` knows of game `i`."""
    observation[:] = 0
    write_turn(r, s, player, observation)
    write_pending(s, observation)
    write_hand(r, s, player, observation)
    write_piles(s, observation)
    write_players(r, s, player, observation)
    write_planets(r, s, player, observation)


@inline_kernel
def write_turn(r: Any, s: Any, player: Any, observation: Any) -> None:
    """§3: who decides what."""
    put(observation, AT_PROMPT + np.int64(s.prompt), 1)
    put(observation, AT_CURRENT_SEAT + seat_of(r, np.int64(s.current_player), player), 1)
    put(observation, AT_NUM_PLAYERS + r.num_players - MIN_PLAYERS, 1)
    put(observation, AT_ACTIONS_LEFT, s.actions_left)
    put(observation, AT_FINAL_TURNS_LEFT, s.final_turns_left)


@inline_kernel
def write_pending(s: Any, observation: Any) -> None:
    """§3: what was announced and is not paid yet."""
    pending = np.int64(s.pending_action)
    if pending == PENDING_NOTHING:
        return
    put(observation, AT_PENDING_ACTION + pending - 1, 1)
    if pending != PENDING_SCAN:
        put(observation, AT_PENDING_TARGET + np.int64(s.pending_target), 1)
    if pending == PENDING_HARVEST and s.prompt == PROMPT_SPEND:
        put(observation, AT_PENDING_RESOURCE + np.int64(s.pending_resource), 1)


@inline_kernel
def write_hand(r: Any, s: Any, player: Any, observation: Any) -> None:
    """§1.2: one's own cards, and what they are good for in the order of the hand slots."""
    cards = s.hands[player]
    slot = AT_HAND_CODES
    while cards != NONE:
        card = lowest(cards)
        put(observation, AT_HAND + card, 1)
        put(observation, slot + np.int64(r.nav_jump[card]), 1)
        put(observation, slot + AT_SCAN_PART + np.int64(r.nav_scan[card]), 1)
        put(observation, slot + AT_LAND_PART + np.int64(r.nav_land[card]), 1)
        slot += SLOT_SIZE
        cards = without_lowest(cards)


@inline_kernel
def write_piles(s: Any, observation: Any) -> None:
    """§6: the open discard pile, the number of cards in the deck and out of the game."""
    write_members(s.discard, observation, AT_DISCARD, NUM_CARDS)
    put(observation, AT_DECK_COUNT, popcount(s.deck))
    put(observation, AT_REMOVED_COUNT, popcount(s.removed))


@inline_kernel
def write_players(r: Any, s: Any, player: Any, observation: Any) -> None:
    """§6: what lies before each player."""
    for other in range(r.num_players):
        seat = seat_of(r, other, player)
        location = np.int64(s.locations[other])
        put(observation, AT_LOCATION + seat * (GATE + 1) + location, 1)
        put(observation, AT_HAND_COUNT + seat, popcount(s.hands[other]))
        put(observation, AT_HIDDEN_COUNT + seat, popcount(s.hidden[other]))
        put(observation, AT_BLACK_HOLE_MARKERS + seat, black_hole_markers(r, s, other))
        points = player_points(r, s, other, False)
        put(observation, AT_PUBLIC_POINTS + seat, min(points, np.int64(MAX_BYTE)))
        count_kinds(r, s.collected[other], AT_COLLECTED + seat * NUM_KINDS, observation)
        if other == player or is_shown(r, s, other):
            count_kinds(r, s.hidden[other], AT_HIDDEN + seat * NUM_KINDS, observation)


@inline_kernel
def count_kinds(r: Any, cards: Any, first: Any, observation: Any) -> None:
    """Count resources by kind from index `first` on."""
    while cards != NONE:
        observation[U(first + np.int64(r.kind_of[lowest(cards)]))] += np.uint8(1)
        cards = without_lowest(cards)


@inline_kernel
def write_planets(r: Any, s: Any, player: Any, observation: Any) -> None:
    """§1.3, §6: the ring, its owners and resources."""
    marks = union(s.marks)
    for position in range(r.num_planets):
        write_planet_card(r, np.int64(s.ring[position]), position, observation)
        put(observation, AT_FACE_DOWN + position, s.face_down[position])
        owner = np.int64(s.owners[position])
        if owner != NO_PLAYER:
            seat = seat_of(r, owner, player)
            put(observation, AT_OWNER + position * MAX_PLAYERS + seat, 1)
        write_resources(r, s, player, position, marks, observation)


@inline_kernel
def write_planet_card(r: Any, planet: Any, position: Any, observation: Any) -> None:
    """§1.3: which planet it is and what it shows."""
    put(observation, AT_IN_PLAY + position, 1)
    put(observation, AT_PLANET_CARD + position, planet + 1)
    codes = position * MAX_CODE - MIN_CODE
    put(observation, AT_JUMP_CODE + codes + np.int64(r.planet_jump[planet]), 1)
    put(observation, AT_SCAN_CODE + codes + np.int64(r.planet_scan[planet]), 1)
    land_a = AT_LANDING_CODES + codes + np.int64(r.planet_land_a[planet])
    land_b = AT_LANDING_CODES + codes + np.int64(r.planet_land_b[planet])
    put(observation, land_a, 1)
    put(observation, land_b, LANDING_CODES if land_a == land_b else 1)


@inline_kernel
def write_resources(
    r: Any, s: Any, player: Any, position: Any, marks: Any, observation: Any
) -> None:
    """Face-up resources of one planet, one slot each."""
    slot = position * RESOURCES_PER_PLANET
    cards = s.face_up[position]
    while cards != NONE:
        card = lowest(cards)
        kind = np.int64(r.kind_of[card])
        put(observation, AT_RESOURCE_TYPE + slot * NUM_TYPES + (kind >> 1), 1)
        put(observation, AT_RESOURCE_ICON + slot, kind & 1)
        if has(marks, card):
            seat = seat_of(r, marker_of(r, s, card), player)
            put(observation, AT_RESOURCE_MARK + slot * MAX_PLAYERS + seat, 1)
        slot += 1
        cards = without_lowest(cards)


@inline_kernel
def marker_of(r: Any, s: Any, card: Any) -> Any:
    """The player whose mark a marked resource carries."""
    player = 0
    while not has(s.marks[player], card):
        player += 1
    return player


@inline_kernel
def seat_of(r: Any, other: Any, player: Any) -> Any:
    """Places clockwise from `player` to `other`."""
    seat = other - player
    return seat if seat >= 0 else seat + r.num_players


@inline_kernel
def put(observation: Any, index: Any, value: Any) -> None:
    """Store a small number; the unsigned index spares the test for negative ones."""
    observation[U(index)] = value
