"""The places by which cards are named, so that a name never tells what is hidden (RULES.md §16.1).

Copies of a card are alike, yet each has a place in the list of its owner. If the copy that comes
to the table kept the place that it had in the hand, the place would tell where its copies are
not. So a card is named when it comes to lie openly: it takes the lowest place of its copies that is
free, and the hidden card that had this place takes the other one.

A player who knows cards of another's list that lie hidden calls them by the free places, too. With
lists that are not open even the place of a named card would tell what else is in the list: there
the cards that a player knows are called by the first places, in the order of the list.
"""

from typing import Any

import numpy as np

from tabletop_core.bits import NONE, WORD_BITS, lowest, without_lowest
from tabletop_core.jit import inline_kernel, kernel, separate_kernel

from .state import (
    AT_MISSION,
    ATTACHED,
    BLOCKADED,
    CLAUSES_PER_CARD,
    CLOSED_ZONES,
    COMPLICATION,
    CURRENT,
    DECK,
    DISCARD,
    FAILED,
    FIRST_DECK_CARD,
    FIRST_MISSION,
    GLYPH,
    HAND,
    MISSIONS,
    NOWHERE,
    OPEN_ZONES,
    ORDERING,
    PLAY,
    RESOLVING,
    SEAT_STRIDE,
    STALE,
    TUCKED,
    VSCORE,
)
from .table import all_seats, contains, exclude, include, knows, num_words, one_seat, owner_of

# --- naming -------------------------------------------------------------------------------------


@separate_kernel
def name_open_cards(s: Any) -> None:
    """Name the cards that have come to lie openly: first those in play, then discarded ones."""
    for is_discarded in range(2):
        for k in range(num_words(s)):
            word = open_word(s, k, is_discarded) & ~s.named[k]
            while word != NONE:
                card = k * WORD_BITS + lowest(word)
                word = without_lowest(word)
                if np.int64(s.known[card]) == all_seats(s):
                    name_card_openly(s, card)


@inline_kernel
def open_word(s: Any, k: Any, is_discarded: Any) -> Any:
    """Word k of the cards in zones in which cards have names: the discard piles, or the rest."""
    zones = s.zones
    if is_discarded:
        return zones[DISCARD, k]
    at_mission = zones[AT_MISSION, k] | zones[COMPLICATION, k] | zones[CURRENT, k]
    beneath = zones[GLYPH, k] | zones[TUCKED, k] | zones[ATTACHED, k] | zones[BLOCKADED, k]
    aside = zones[FAILED, k] | zones[VSCORE, k] | zones[RESOLVING, k] | zones[ORDERING, k]
    return zones[PLAY, k] | at_mission | beneath | aside


@kernel
def name_card_openly(s: Any, card: Any) -> None:
    """Give a card the lowest place that is free for it."""
    place = nth_free_place(s, card, np.int64(0))
    include(s.named, card)
    if place < card:
        swap_names(s, card, place)


@kernel
def nth_free_place(s: Any, card: Any, rank: Any) -> Any:
    """The n-th lowest place (from 0) of the copies of a card at which no named one lies."""
    count = np.int64(0)
    for other in copies_of(s, card):
        if not contains(s.named, other):
            if count == rank:
                return np.int64(other)
            count += 1
    return np.int64(card)


@kernel
def copies_of(s: Any, card: Any) -> Any:
    """The numbers of the copies of a card, itself included: they are neighbours in their list."""
    start = section_start(card)
    first = np.int64(card)
    while first > start and s.kind[first - 1] == s.kind[card]:
        first -= 1
    end = (owner_of(card) + 1) * SEAT_STRIDE
    behind = np.int64(card) + 1
    while behind < end and s.kind[behind] == s.kind[card]:
        behind += 1
    return range(first, behind)


@inline_kernel
def section_start(card: Any) -> Any:
    """The first card number of the section of the list (team, missions, deck) that a card is in."""
    place = card % SEAT_STRIDE
    shift = card - place
    if place >= FIRST_DECK_CARD:
        return np.int64(shift + FIRST_DECK_CARD)
    if place >= FIRST_MISSION:
        return np.int64(shift + FIRST_MISSION)
    return np.int64(shift)


@kernel
def assume_knowledge(s: Any) -> None:
    """Who knows each card, if nothing but its zone tells (§3.1)."""
    for card in range(s.zone.shape[0]):
        zone = np.int64(s.zone[card])
        if OPEN_ZONES >> zone & 1:
            s.known[card] = all_seats(s)
        elif zone in (HAND, TUCKED, COMPLICATION):
            s.known[card] = one_seat(owner_of(card))
        else:
            s.known[card] = 0


@kernel
def restore_names(s: Any) -> None:
    """Which cards are named follows from what is known of them."""
    s.named[:] = NONE
    for card in range(s.zone.shape[0]):
        zone = np.int64(s.zone[card])
        is_closed = (CLOSED_ZONES | 1 << NOWHERE) >> zone & 1 != 0
        if not is_closed and np.int64(s.known[card]) == all_seats(s):
            include(s.named, card)


# --- names of hidden cards ------------------------------------------------------------------------


@separate_kernel
def shown_as(r: Any, s: Any, seat: Any, card: Any) -> Any:
    """The card number by which a player who knows a card calls it."""
    if owner_of(card) == seat:
        return np.int64(card)
    place = place_among_copies(s, seat, card)
    if r.open_lists:
        return place
    start = section_start(card)
    copies = copies_of(s, card)
    rank = np.int64(0)
    for other in range(start, copies.start):
        rank += knows(s, seat, other)
    for other in copies:
        if knows(s, seat, other):
            rank += place_among_copies(s, seat, other) < place
    return start + rank


@kernel
def place_among_copies(s: Any, seat: Any, card: Any) -> Any:
    """The number of a card of another's list that a player knows, if lists are open.

    Named cards have their places. Those that lie hidden are called by the free places of their
    copies, in the order of `hidden_key`.
    """
    copies = copies_of(s, card)
    if contains(s.named, card) or len(copies) == 1:
        return np.int64(card)
    own_key = hidden_key(s, card)
    rank = np.int64(0)
    for other in copies:
        if not contains(s.named, other) and knows(s, seat, other):
            key = hidden_key(s, other)
            rank += key < own_key or (key == own_key and other < card)
    return nth_free_place(s, card, rank)


@kernel
def hidden_key(s: Any, card: Any) -> Any:
    """Order of hidden copies: by zone; there from the top, by slot or the card above."""
    zone = np.int64(s.zone[card])
    place = np.int64(0)
    if zone in (DECK, MISSIONS):
        place = depth_of(s, card)
    elif zone == COMPLICATION:
        place = slot_of(s, card)
    elif zone == TUCKED:
        place = np.int64(s.host[card]) + 1
    return (zone << 16) + place


@kernel
def depth_of(s: Any, card: Any) -> Any:
    """How many cards of a pile lie above a card of it."""
    seat = owner_of(card)
    place = card - seat * SEAT_STRIDE
    if s.zone[card] == DECK:
        size = np.int64(s.deck_size[seat])
        for k in range(size):
            if s.deck[seat, size - 1 - k] == place:
                return np.int64(k)
    else:
        size = np.int64(s.missions_size[seat])
        for k in range(size):
            if s.missions[seat, size - 1 - k] == place:
                return np.int64(k)
    return np.int64(0)


@kernel
def slot_of(s: Any, card: Any) -> Any:
    """The place of a complication in the order of play."""
    for k in range(np.int64(s.complication_count)):
        if s.complications[k] == card:
            return np.int64(k)
    return np.int64(0)


@kernel
def called(r: Any, s: Any, seat: Any, number: Any) -> Any:
    """The card that a player calls by a card number: inverse of `shown_as`."""
    owner = owner_of(number)
    if owner == seat or (r.open_lists and contains(s.named, number)):
        return np.int64(number)
    for card in range(owner * SEAT_STRIDE, (owner + 1) * SEAT_STRIDE):
        if knows(s, seat, card) and shown_as(r, s, seat, card) == number:
            return np.int64(card)
    return np.int64(number)


# --- exchanging two places ------------------------------------------------------------------------


@separate_kernel
def swap_names(s: Any, card: Any, other: Any) -> None:
    """Two cards of one list exchange their places in it: everything that names them is changed."""
    swap_where(s, card, other)
    swap_entries(s.kind, card, other)
    swap_members(s.hero_side, card, other)
    swap_members(s.named, card, other)
    s.current = swapped(np.int64(s.current), card, other)
    s.judged = swapped(np.int64(s.judged), card, other)
    s.resolving = swapped(np.int64(s.resolving), card, other)
    swap_members(s.played_turn, card, other)
    swap_members(s.assigned_at_resolution, card, other)
    swap_members(s.dominion, card, other)
    swap_members(s.just_discarded, card, other)
    swap_numbers(s.modifier_source[: s.modifier_count], card, other)
    swap_numbers(s.mark_maker[: s.mark_count], card, other)
    swap_numbers(s.mark_card[: s.mark_count], card, other)
    swap_numbers(s.standing_self[: s.standing_count], card, other)
    swap_frames(s, card, other)
    swap_numbers(s.pending_self[: s.pending_count], card, other)
    swap_numbers(s.pending_trigger[: s.pending_count], card, other)
    swap_numbers(s.pending_granter[: s.pending_count], card, other)
    for k in range(s.delay_moment.shape[0]):
        if s.delay_moment[k] != 0:
            s.delay_self[k] = swapped(np.int64(s.delay_self[k]), card, other)
    s.is_stale = STALE


@kernel
def swap_where(s: Any, card: Any, other: Any) -> None:
    """What goes by where a card lies, whichever card it is."""
    for zone in range(s.zones.shape[0]):
        swap_members(s.zones[zone], card, other)
    swap_entries(s.zone, card, other)
    swap_entries(s.condition, card, other)
    swap_entries(s.host, card, other)
    swap_entries(s.tokens, card, other)
    swap_entries(s.used, card, other)
    swap_entries(s.known, card, other)
    swap_piles(s, card, other)
    swap_numbers(s.host, card, other)
    swap_numbers(s.complications[: s.complication_count], card, other)
    swap_numbers(s.modifier_card[: s.modifier_count], card, other)
    swap_chosen(s, card, other)


@kernel
def swap_piles(s: Any, card: Any, other: Any) -> None:
    """The order of the deck and the mission pile of their owner."""
    seat = owner_of(card)
    shift = seat * SEAT_STRIDE
    swap_numbers(s.deck[seat], card - shift, other - shift)
    swap_numbers(s.missions[seat], card - shift, other - shift)


@kernel
def swap_frames(s: Any, card: Any, other: Any) -> None:
    """Whose texts are under way, and which cards they speak of."""
    count = s.frame_count
    swap_numbers(s.frame_self[:count], card, other)
    swap_numbers(s.frame_each[:count], card, other)
    swap_numbers(s.frame_trigger[:count], card, other)
    swap_numbers(s.frame_holder[:count], card, other)
    swap_numbers(s.frame_granter[:count], card, other)
    for k in range(np.int64(count)):
        if s.frame_cursor[k] > 0:
            maker, place = divmod(np.int64(s.frame_cursor[k]) - 1, CLAUSES_PER_CARD)
            s.frame_cursor[k] = 1 + CLAUSES_PER_CARD * swapped(maker, card, other) + place


@kernel
def swap_chosen(s: Any, card: Any, other: Any) -> None:
    """Cards that texts have chosen, seen or can choose: those that lie there."""
    swap_members(s.carried_that, card, other)
    for k in range(s.delay_moment.shape[0]):
        if s.delay_moment[k] != 0:
            swap_members(s.delay_that[k], card, other)
    for k in range(np.int64(s.frame_count)):
        swap_members(s.frame_candidates[k], card, other)
        swap_members(s.frame_chosen[k], card, other)
        swap_members(s.frame_that[k], card, other)
        swap_members(s.frame_seen[k], card, other)


@inline_kernel
def swapped(number: Any, card: Any, other: Any) -> Any:
    """A card number after the exchange."""
    if number == card:
        return other
    if number == other:
        return card
    return number


@kernel
def swap_numbers(numbers: Any, card: Any, other: Any) -> None:
    """Exchange two card numbers wherever they stand in a list of card numbers."""
    for k in range(numbers.shape[0]):
        if numbers[k] == card:
            numbers[k] = other
        elif numbers[k] == other:
            numbers[k] = card


@inline_kernel
def swap_entries(values: Any, card: Any, other: Any) -> None:
    """Exchange what is kept for two cards."""
    kept = values[card]
    values[card] = values[other]
    values[other] = kept


@kernel
def swap_members(words: Any, card: Any, other: Any) -> None:
    """Exchange two cards in a set."""
    has_card = contains(words, card)
    has_other = contains(words, other)
    if has_card != has_other:
        if has_card:
            exclude(words, card)
            include(words, other)
        else:
            exclude(words, other)
            include(words, card)
