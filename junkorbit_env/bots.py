"""The rule-based bot of Junk Orbit: it plays the legal action that seems worth most.

It looks to the end of the turn, and at what the ship could launch from there in the next one. All
it looks at is open to everybody (§7). Worths are in points, rough estimates of what an action
brings. Section numbers are those of `RULES.md`; `r` is the RULES record, `s` the STATE record.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tabletop_core.bits import (
    NONE,
    WORD_BITS,
    bit,
    lowest,
    popcount,
    without_lowest,
)
from tabletop_core.jit import inline_kernel, kernel

from .rules import (
    BEAM,
    CITY_BITS,
    CITY_SHIFT,
    DELIVERED,
    DONE,
    LAND,
    MOVE,
    PROMPT_AIM,
    PROMPT_BEAM,
    PROMPT_BEAM_TILE,
    PROMPT_DELIVER,
    PROMPT_LAND,
    PROMPT_LAUNCH,
    PROMPT_MOVE,
    TILE,
    first_of_kind,
    opponents_in,
)
from .sizes import CLOCKWISE, NO_CITY, NUM_CITIES, TILE_WORDS

CARGO_SHARE: Final = 0.3  # §6: of a tile in the cargo, as a share of its points once delivered
NEXT_SHARE: Final = 0.4  # §6 D1: of a tile that the next launch could deliver
HIT_WORTH: Final = 0.5  # §6 D2: of each opponent that gives up a tile


@kernel
def action_worth(r: Any, s: Any, action: Any) -> Any:
    """§6: what an answer to the pending prompt is worth; to deliver, aim or beam no more is 0."""
    player = np.int64(s.current_player)
    prompt = s.prompt
    if action == DONE:
        return 0.0
    if prompt == PROMPT_LAUNCH:
        return launch_worth(r, s, player, first_of_kind(r, s.cargo[player], action - TILE))
    if prompt == PROMPT_LAND:
        return landing_worth(r, s, player, np.int64(s.launched), action - LAND)
    if prompt == PROMPT_MOVE:
        return stop_worth(r, s, player, np.int64(s.launched), action - MOVE)
    if prompt == PROMPT_BEAM:
        return cargo_worth(r, s.cities[action - BEAM])
    if prompt == PROMPT_BEAM_TILE:
        return tile_worth(r, first_of_kind(r, s.cities[s.beam_city], action - TILE))
    if prompt == PROMPT_AIM:
        return tile_worth(r, first_of_kind(r, s.cargo[s.victim], action - TILE))
    if prompt == PROMPT_DELIVER:
        return points_of(r, first_of_kind(r, s.cargo[player], action - TILE))
    return -loss(r, s, player, action)


# --- D1 Launch, D3 Move ----------------------------------------------------------------------


@kernel
def launch_worth(r: Any, s: Any, player: Any, tile: Any) -> Any:
    """D1: the best landing of a tile, either way round; the ship stops the other way round."""
    both = r.landings[s.ships[player], r.value_of[tile]]
    clockwise, counter_clockwise = both & CITY_BITS, both >> CITY_SHIFT
    return max(
        best_landing(r, s, tile, clockwise) + best_stop(r, s, player, tile, counter_clockwise),
        best_landing(r, s, tile, counter_clockwise) + best_stop(r, s, player, tile, clockwise),
    )


@inline_kernel
def best_landing(r: Any, s: Any, tile: Any, cities: Any) -> Any:
    """D1: the most that a tile brings where it lands, in one of some cities."""
    best = -np.inf
    while cities != NONE:
        best = max(best, hit_worth(r, s, tile, lowest(cities)))
        cities = without_lowest(cities)
    return best


@kernel
def landing_worth(r: Any, s: Any, player: Any, tile: Any, choice: Any) -> Any:
    """D1 to D3: what a tile brings where it lands, and the best place to stop then."""
    stops = r.landings[s.ships[player], r.value_of[tile]]
    if choice // NUM_CITIES == CLOCKWISE:
        stops >>= CITY_SHIFT
    value = hit_worth(r, s, tile, choice % NUM_CITIES)
    return value + best_stop(r, s, player, tile, stops & CITY_BITS)


@inline_kernel
def hit_worth(r: Any, s: Any, tile: Any, city: Any) -> Any:
    """D1, D2: a delivery or a lost tile, and the hits."""
    value = HIT_WORTH * popcount(opponents_in(r, s, bit(city)))
    if r.destination_of[tile] == city:
        return value + points_of(r, tile)
    return value - tile_worth(r, tile)


@inline_kernel
def best_stop(r: Any, s: Any, player: Any, tile: Any, cities: Any) -> Any:
    """D3: the most that stopping in one of some cities is worth; 0 if there is none."""
    best = 0.0
    while cities != NONE:
        best = max(best, stop_worth(r, s, player, tile, lowest(cities)))
        cities = without_lowest(cities)
    return best


@kernel
def stop_worth(r: Any, s: Any, player: Any, launched: Any, city: Any) -> Any:
    """D3 to step 5: deliveries in the city, the tiles that lie there, and the next launch."""
    value = cargo_worth(r, s.cities[city])
    next_delivery = 0.0
    for word in range(TILE_WORDS):
        tiles = s.cargo[player, word]
        while tiles != NONE:
            tile = word * WORD_BITS + lowest(tiles)
            tiles = without_lowest(tiles)
            if tile == launched:
                continue
            if r.destination_of[tile] == city:
                value += points_of(r, tile) - tile_worth(r, tile)
            elif can_reach(r, city, tile):
                next_delivery = max(next_delivery, NEXT_SHARE * points_of(r, tile))
    return value + next_delivery


@inline_kernel
def can_reach(r: Any, city: Any, tile: Any) -> Any:
    """D1: whether a launch from the city, either way round, can deliver the tile."""
    destination = r.destination_of[tile]
    if destination == NO_CITY:
        return False
    landings = r.landings[city, r.value_of[tile]]
    return (landings | landings >> CITY_SHIFT) & bit(destination) != NONE


# --- §7 points -------------------------------------------------------------------------------


@inline_kernel
def loss(r: Any, s: Any, player: Any, action: Any) -> Any:
    """D2: what the player loses with a tile of the cargo or of the deliveries."""
    if action >= DELIVERED:
        return points_of(r, first_of_kind(r, s.deliveries[player], action - DELIVERED))
    return tile_worth(r, first_of_kind(r, s.cargo[player], action - TILE))


@inline_kernel
def cargo_worth(r: Any, tiles: Any) -> Any:
    """Of several tiles in a cargo."""
    value = 0.0
    for word in range(TILE_WORDS):
        members = tiles[word]
        while members != NONE:
            value += tile_worth(r, word * WORD_BITS + lowest(members))
            members = without_lowest(members)
    return value


@inline_kernel
def tile_worth(r: Any, tile: Any) -> Any:
    """Of a tile in a cargo; starters (§2.2) can never be delivered."""
    return 0.0 if r.destination_of[tile] == NO_CITY else CARGO_SHARE * points_of(r, tile)


@inline_kernel
def points_of(r: Any, tile: Any) -> Any:
    """§7: the value of a delivered tile."""
    return float(r.value_of[tile])
