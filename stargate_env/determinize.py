"""`determinize`: draw anew what a player cannot know (RULES.md §3.1, §16.1).

Hidden from a player are the cards that lie where he does not know what lies: in decks and mission
piles, in others' hands, face down at the mission or beneath cards. Every card that is hidden is put
with equal chance into every place that is hidden, missions among missions, the others among the
others of the same list. What is open or known stays, with its name. With lists that are not
open the others' lists are drawn first, among those of their decks that hold all cards seen.

What texts under way refer to stays in its place. What somebody else is choosing from is found anew
(`find_candidates`), as other cards lie there now.
"""

from typing import Any

import numpy as np

from tabletop_core.bits import NONE
from tabletop_core.jit import inline_kernel, kernel, separate_kernel
from tabletop_core.rng import randbelow

from . import opcodes as op
from .derived import refresh
from .evaluate import evaluate, pop
from .frames import chooser_of, enter_frame
from .legal import clear_scratch
from .machine import begin_choice, mask_of_options, random_of, take_candidate
from .naming import swap_chosen, swap_where
from .state import (
    ASK_NUMBER,
    ASK_OPTION,
    ASK_TARGET,
    FIRST_DECK_CARD,
    FIRST_MISSION,
    NO_CARD,
    SEAT_STRIDE,
    STALE_NUMBERS,
    WAITS_NOT,
)
from .table import contains, exclude, first_of, include, knows, next_of, size_of

# --- the cards --------------------------------------------------------------------------------


@separate_kernel
def determinize(r: Any, s: Any, player: Any) -> None:
    """Draw anew everything that `player` cannot know, with the generator of the state."""
    for seat in range(np.int64(s.num_players)):
        if r.open_lists == 0 and seat != player and r.deck_choices[seat] > 1:
            draw_deck(r, s, seat, player)
        mix(r, s, seat, player, FIRST_MISSION, FIRST_DECK_CARD)
        mix(r, s, seat, player, FIRST_DECK_CARD, list_size(r, s, seat))
    s.is_stale = STALE_NUMBERS
    refresh(r, s)
    if player != s.current_player and s.frame_count > 0:
        find_candidates(r, s, player)
    clear_scratch(s)


@inline_kernel
def list_size(r: Any, s: Any, seat: Any) -> Any:
    """Number of cards in the list that a seat plays."""
    return np.int64(r.deck_length[s.deck_number[seat]])


@separate_kernel
def mix(r: Any, s: Any, seat: Any, player: Any, first: Any, end: Any) -> None:
    """Shuffle the cards in places first .. end - 1 of a list that a player does not know.

    What is remembered of a card, as the source of a change or a card once marked, stays its own.
    """
    hidden = s.sets[0]
    hidden[:] = NONE
    for card in range(seat * SEAT_STRIDE + first, seat * SEAT_STRIDE + end):
        if not knows(s, player, card):
            include(hidden, card)
    left = size_of(hidden)
    while left > 1:
        card = first_of(hidden)
        other = random_of(s, hidden, left)
        if other != card:
            swap_where(s, card, other)
            if (
                seat == player
            ):  # he knows which of his own cards he chooses from, not where they lie
                swap_chosen(s, card, other)
        exclude(hidden, card)
        left -= 1


# --- lists that are not open ------------------------------------------------------------------


@separate_kernel
def draw_deck(r: Any, s: Any, seat: Any, player: Any) -> None:
    """Another list for a seat: any of its decks that holds all cards that a player knows."""
    first = np.int64(r.first_deck[seat])
    count = np.int64(0)
    for deck in range(first, first + np.int64(r.deck_choices[seat])):
        count += agrees(r, s, seat, player, deck)
    rank = randbelow(s, count)
    for deck in range(first, first + np.int64(r.deck_choices[seat])):
        if agrees(r, s, seat, player, deck):
            if rank == 0:
                give_deck(r, s, seat, player, deck)
                return
            rank -= 1


@separate_kernel
def agrees(r: Any, s: Any, seat: Any, player: Any, deck: Any) -> Any:
    """Whether a deck has as many cards as the list of a seat, and all that a player knows of it."""
    if r.deck_length[deck] != list_size(r, s, seat):
        return False
    for card in range(seat * SEAT_STRIDE, seat * SEAT_STRIDE + list_size(r, s, seat)):
        if knows(s, player, card):
            first, end = section_of(r, card, deck)
            copies = np.int64(0)
            for place in range(first, end):
                copies += r.deck_kind[deck, place] == s.kind[card]
            if copies < known_copies(s, seat, player, card, first, end):
                return False
    return True


@inline_kernel
def section_of(r: Any, card: Any, deck: Any) -> Any:
    """First place and the one behind the last of the section of a list that a card is in."""
    place = card % SEAT_STRIDE
    if place < FIRST_MISSION:
        return np.int64(0), np.int64(FIRST_MISSION)
    if place < FIRST_DECK_CARD:
        return np.int64(FIRST_MISSION), np.int64(FIRST_DECK_CARD)
    return np.int64(FIRST_DECK_CARD), np.int64(r.deck_length[deck])


@kernel
def known_copies(s: Any, seat: Any, player: Any, card: Any, first: Any, end: Any) -> Any:
    """How many cards like this one a player knows in a section of a list."""
    count = np.int64(0)
    for other in range(seat * SEAT_STRIDE + first, seat * SEAT_STRIDE + end):
        count += knows(s, player, other) and s.kind[other] == s.kind[card]
    return count


@separate_kernel
def give_deck(r: Any, s: Any, seat: Any, player: Any, deck: Any) -> None:
    """The hidden places of a list get the cards of a deck that a player does not know."""
    s.deck_number[seat] = deck
    used = s.sets[0]
    used[:] = NONE
    size = np.int64(r.deck_length[deck])
    shift = seat * SEAT_STRIDE
    for card in range(shift, shift + size):
        if knows(s, player, card):
            use_place(r, s, used, card, deck, True)
    for card in range(shift, shift + size):
        if not knows(s, player, card):
            s.kind[card] = use_place(r, s, used, card, deck, False)
            exclude(s.hero_side, card)
            if not r.is_villain[s.kind[card]]:
                include(s.hero_side, card)


@separate_kernel
def use_place(r: Any, s: Any, used: Any, card: Any, deck: Any, is_same: Any) -> Any:
    """Use up a place of a deck, with the kind of `card` if `is_same`; the kind in it."""
    shift = card - card % SEAT_STRIDE
    first, end = section_of(r, card, deck)
    for place in range(first, end):
        kind = r.deck_kind[deck, place]
        is_fitting = not is_same or kind == s.kind[card]
        is_free = not contains(used, shift + place)
        if is_free and is_fitting:
            include(used, shift + place)
            return np.int64(kind)
    return np.int64(s.kind[card])


# --- texts under way --------------------------------------------------------------------------


@separate_kernel
def find_candidates(r: Any, s: Any, player: Any) -> None:
    """What somebody else may choose is looked up again where other cards lie now."""
    frame = np.int64(s.frame_count) - 1
    if s.prompt not in (ASK_TARGET, ASK_OPTION, ASK_NUMBER) or s.frame_waits[frame] == WAITS_NOT:
        return
    enter_frame(s, frame)
    pc = evaluate(r, s, np.int64(s.frame_origin[frame]))
    if r.code[pc] == op.OPTIONS:
        s.frame_least[frame] = mask_of_options(s, np.int64(r.code[pc + 1]))
    elif r.code[pc] == op.CHOOSE and has_hidden(s, player, s.frame_candidates[frame]):
        chosen = size_of(s.frame_chosen[frame])
        begin_choice(s, frame, np.int64(r.code[pc + 1]), np.int64(r.code[pc + 2]))
        left = size_of(s.frame_candidates[frame])
        for _ in range(min(chosen, left)):
            take_candidate(s, frame, random_of(s, s.frame_candidates[frame], left))
            left -= 1
    elif s.prompt == ASK_NUMBER:
        most = min(pop(s), np.int64(s.power[chooser_of(s, frame)]), np.int64(op.NO_LIMIT))
        s.frame_limit[frame] = max(np.int64(0), most - np.int64(s.frame_n[frame]))


@kernel
def has_hidden(s: Any, player: Any, words: Any) -> Any:
    """Whether a player does not know one of the cards of a set."""
    card = first_of(words)
    while card != NO_CARD:
        if not knows(s, player, card):
            return True
        card = next_of(words, card)
    return False
