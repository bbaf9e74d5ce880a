"""The rule-based bot of Jump Gate: it plays the legal action that seems worth most.

It knows what the player to move knows (§6): the public table, the own hand and the own hidden
resources. Worths are in points, rough estimates of what an action brings before the game ends.
Section numbers are those of `RULES.md`; `r` is the RULES record, `s` the STATE record.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tabletop_core.bits import (
    NONE,
    U,
    bit,
    has,
    lowest,
    popcount,
    select,
    with_ranks,
    without_lowest,
)
from tabletop_core.jit import inline_kernel, kernel

from .rules import (
    CLAIM,
    DECLINE,
    DISCARD,
    FLY,
    HARVEST,
    JUMP,
    MARK,
    MARK_GLOBAL,
    NO_PLAYER,
    PROMPT_MAIN,
    PROMPT_RESEARCH,
    PROMPT_SPEND,
    PROMPT_SPEND_PAIR,
    RESEARCH,
    SCAN,
    SPEND,
    SPEND_PAIR,
    TAKE,
    TAKE_MARKED,
    can_claim,
    can_scan,
    first_of_kind,
    harvestable_marked,
    harvestable_unmarked,
    resource_points,
    unmarked,
)
from .sizes import HAND_SIZE

SCAN_WORTH: Final = 2.0  # §4.3: the mark secures a resource, and a claim comes nearer
FLIGHT_SHARE: Final = 0.6  # §4.1: a flight, as a share of what can be done at its end
JUMP_SHARE: Final = 0.5  # §4.2: the same of a jump, which costs a card besides
USE_HERE: Final = 1.0  # of a card that fits the planet under the ship
USE_ELSEWHERE: Final = 0.1  # of a card for each other planet that it fits
CARD_WORTH: Final = 0.6  # of a card that is not known yet (§4.6)


@kernel
def action_worth(r: Any, s: Any, action: Any) -> Any:
    """§3: what an answer to the pending prompt is worth to the current player."""
    player = np.int64(s.current_player)
    if s.prompt == PROMPT_MAIN:
        return main_worth(r, s, player, action)
    if s.prompt == PROMPT_SPEND:
        return -card_use(r, s, player, select(s.hands[player], action - SPEND))
    if s.prompt == PROMPT_SPEND_PAIR:
        return -use_of_cards(r, s, player, cards_of_pair(s.hands[player], action - SPEND_PAIR))
    if s.prompt == PROMPT_RESEARCH:
        return discard_worth(r, s, player, with_ranks(s.hands[player], U(action - DISCARD)))
    return resource_worth(r, s, player, action)


# --- §3 the action ---------------------------------------------------------------------------


@inline_kernel
def main_worth(r: Any, s: Any, player: Any, action: Any) -> Any:
    """§3: act here, go where more can be done, or get better cards; passing brings nothing."""
    location = np.int64(s.locations[player])
    if action == RESEARCH:
        return research_worth(r, s, player)
    if action >= HARVEST:
        return harvest_worth(r, s, player, action - HARVEST)
    if action == CLAIM:
        return claim_worth(r, s, player, location)
    if action == SCAN:
        return SCAN_WORTH
    if action >= JUMP:
        return JUMP_SHARE * stay_worth(r, s, player, action - JUMP)
    if action >= FLY:
        return FLIGHT_SHARE * stay_worth(r, s, player, action - FLY)
    return 0.0


@kernel
def stay_worth(r: Any, s: Any, player: Any, position: Any) -> Any:
    """The best that the player could do on a planet with the present hand."""
    hand = s.hands[player]
    best = harvest_worth(r, s, player, position)
    if can_claim(r, s, position, hand):
        best = max(best, claim_worth(r, s, player, position))
    if can_scan(r, s, position, hand):
        best = max(best, SCAN_WORTH)
    return best


@kernel
def harvest_worth(r: Any, s: Any, player: Any, position: Any) -> Any:
    """§4.5: the best resource that can be harvested there, or 0."""
    hand = s.hands[player]
    cards = harvestable_marked(r, s, player, position, hand)
    cards |= harvestable_unmarked(r, s, position, hand)
    return best_gain(r, s, player, cards)


@kernel
def claim_worth(r: Any, s: Any, player: Any, position: Any) -> Any:
    """§4.4: the planet, the marked resource and the free one."""
    marked = s.face_up[position] & s.marks[player]
    free = best_gain(r, s, player, unmarked(r, s, position))
    return r.planet_points + gain(r, s, player, marked) + free


# --- §1.1 resources --------------------------------------------------------------------------


@inline_kernel
def resource_worth(r: Any, s: Any, player: Any, action: Any) -> Any:
    """§§4.3 to 4.5: the points of a resource to take or to mark; declining brings none."""
    location = np.int64(s.locations[player])
    if action == DECLINE:
        return 0.0
    if action == TAKE_MARKED:
        return gain(r, s, player, s.face_up[s.pending_target] & s.marks[player])
    if action >= MARK:
        card = first_of_kind(r, unmarked(r, s, location), action - MARK)
        return gain(r, s, player, card) - lifted_worth(r, s, player)
    position = np.int64(s.pending_target) if s.pending_target < r.num_planets else location
    return gain(r, s, player, first_of_kind(r, unmarked(r, s, position), action - TAKE))


@inline_kernel
def lifted_worth(r: Any, s: Any, player: Any) -> Any:
    """§4.3.3: what the mark that a new one lifts was worth."""
    marked = s.marks[player]
    if r.mark_scope != MARK_GLOBAL:
        marked &= s.face_up[s.locations[player]]
    return gain(r, s, player, marked)


@kernel
def best_gain(r: Any, s: Any, player: Any, cards: Any) -> Any:
    """The largest gain by one of some resources, or 0."""
    best = 0.0
    while cards != NONE:
        best = max(best, gain(r, s, player, bit(lowest(cards))))
        cards = without_lowest(cards)
    return best


@kernel
def gain(r: Any, s: Any, player: Any, cards: Any) -> Any:
    """§§1.1, 8.1: points that some more resources bring, hidden ones counted as kept."""
    own = s.collected[player] | s.hidden[player]
    return float(resource_points(r, own | cards) - resource_points(r, own))


# --- §1.2 navigation cards -------------------------------------------------------------------


@kernel
def card_use(r: Any, s: Any, player: Any, card: Any) -> Any:
    """§1.2: how well a navigation card fits the planets that can be scanned or claimed."""
    use = 0.0
    for position in range(r.num_planets):
        planet = s.ring[position]
        fits = r.land_cards[r.planet_land_a[planet]] | r.land_cards[r.planet_land_b[planet]]
        if s.owners[position] != NO_PLAYER:
            fits = NONE
        if s.face_down[position] != 0:
            fits |= r.scan_cards[r.planet_scan[planet]]
        if has(fits, card):
            use += USE_HERE if position == s.locations[player] else USE_ELSEWHERE
        if has(r.jump_cards[r.planet_jump[planet]], card):
            use += USE_ELSEWHERE
    return use


@inline_kernel
def use_of_cards(r: Any, s: Any, player: Any, cards: Any) -> Any:
    """Of several navigation cards together."""
    use = 0.0
    while cards != NONE:
        use += card_use(r, s, player, lowest(cards))
        cards = without_lowest(cards)
    return use


@inline_kernel
def cards_of_pair(hand: Any, pair: Any) -> Any:
    """§4.4: the two cards of the hand that a pair of slots names."""
    low = 0
    while pair >= HAND_SIZE - 1 - low:
        pair -= HAND_SIZE - 1 - low
        low += 1
    return bit(select(hand, low)) | bit(select(hand, low + 1 + pair))


@inline_kernel
def discard_worth(r: Any, s: Any, player: Any, cards: Any) -> Any:
    """§4.6: unknown cards instead of these."""
    return CARD_WORTH * popcount(cards) - use_of_cards(r, s, player, cards)


@inline_kernel
def research_worth(r: Any, s: Any, player: Any) -> Any:
    """§4.6: cards up to five, and better ones than those that are of little use."""
    cards = s.hands[player]
    value = CARD_WORTH * (HAND_SIZE - popcount(cards))
    while cards != NONE:
        value += max(0.0, CARD_WORTH - card_use(r, s, player, lowest(cards)))
        cards = without_lowest(cards)
    return value
