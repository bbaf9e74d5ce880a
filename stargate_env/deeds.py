"""Deeds on glyphs, cards beneath others and cards that are looked at (EFFECTS.md, section 4).

Each does one verb to one card; `machine.py` calls them. Section numbers refer to RULES.md.
"""

from typing import Any

import numpy as np

from tabletop_core.jit import kernel, separate_kernel

from .sizes import NO_RATING, NUM_SKILLS
from .state import BLOCKADED, DISCARD, GLYPH, NO_CARD, PLAY, TUCKED
from .table import (
    add_modifier,
    all_seats,
    first_of,
    is_in_play,
    lay_glyph,
    next_of,
    note_mixed,
    note_revealed,
    note_seen,
    one_seat,
    owner_of,
    pop_mission,
    push_mission,
    push_under_deck,
    put,
    put_seen,
    release_blockaded,
    shuffle_missions,
    take_out,
)
from .words import CULTURE_VERB, PLACE_MISSIONS_TOP

# --- seeing ---------------------------------------------------------------------------------------


@kernel
def look_at(s: Any, words: Any, seat: Any, is_revealed: Any) -> None:
    """LOOK, REVEAL: a player sees cards where they lie, or everybody does."""
    card = first_of(words)
    while card != NO_CARD:
        if is_revealed:
            note_revealed(s, card)
        else:
            note_seen(s, seat, card)
        card = next_of(words, card)


@kernel
def place_card(s: Any, card: Any, place: Any, is_mission: Any) -> None:
    """PUT, LOSE_GLYPH: on top of the mission pile, else under the pile of the card's owner."""
    if is_mission:
        push_mission(s, card, place == PLACE_MISSIONS_TOP)
    else:
        push_under_deck(s, card)


@kernel
def discard_card(s: Any, card: Any) -> None:
    """DISCARD: from a hand, from the cards that were seen in a deck, or from beneath a card."""
    take_out(s, card)
    put(s, card, DISCARD)


@separate_kernel
def put_found_missions(s: Any, words: Any, seat: Any) -> None:
    """SEARCH_MISSION: shuffle a pile without the missions that were found, put them on top."""
    found = first_of(words)
    if found == NO_CARD:
        return
    pile = owner_of(found)
    card = found
    while card != NO_CARD:
        take_out(s, card)
        card = next_of(words, card)
    shuffle_missions(s, pile)
    card = found
    while card != NO_CARD:
        push_mission(s, card, True)
        note_mixed(s, card, seat)
        card = next_of(words, card)


# --- cards beneath others -------------------------------------------------------------------------


@kernel
def tuck(s: Any, card: Any, host: Any, is_faceup: Any) -> None:
    """TUCK: place a card beneath the card of the text, if that is in play (§3.1 who sees it)."""
    if not is_in_play(s, host) or card == host:
        return
    take_out(s, card)
    put_seen(s, card, TUCKED, all_seats(s) if is_faceup else one_seat(owner_of(card)))
    s.host[card] = host


@kernel
def blockade(s: Any, host: Any) -> None:
    """BLOCKADE (§11): the hero's top mission goes beneath a villain card; an older one leaves."""
    seat = np.int64(s.hero)
    if not is_in_play(s, host) or s.missions_size[seat] == 0:
        return
    mission = pop_mission(s, seat)
    release_blockaded(s, host)
    put(s, mission, BLOCKADED)
    s.host[mission] = host


# --- traits and skills of other cards -------------------------------------------------------------


@kernel
def gain_skills(r: Any, s: Any, card: Any, source: Any, lasts: Any) -> None:
    """GAIN_SKILLS: the printed ratings of another card are added, skill by skill."""
    for skill in range(NUM_SKILLS):
        rating = np.int64(r.printed[s.kind[source], skill])
        if rating != NO_RATING:
            add_modifier(s, CULTURE_VERB + skill, 0, lasts, rating, card, source)


# --- glyphs ---------------------------------------------------------------------------------------


@kernel
def add_glyph(s: Any, card: Any) -> None:
    """ADD_GLYPH: the top card of the mission pile goes beneath a character."""
    seat = owner_of(card)
    if s.zone[card] != PLAY or s.missions_size[seat] == 0:
        return
    mission = pop_mission(s, seat)
    put(s, mission, GLYPH)
    lay_glyph(s, mission, card)


@kernel
def swap_glyphs(s: Any, words: Any) -> None:
    """SWAP_GLYPHS: two glyphs change places."""
    one = first_of(words)
    other = next_of(words, one) if one != NO_CARD else one
    if other == NO_CARD or s.zone[one] != GLYPH or s.zone[other] != GLYPH:
        return
    host = s.host[one]
    s.host[one] = s.host[other]
    s.host[other] = host


@kernel
def swap_glyph_top(s: Any, glyph: Any) -> None:
    """SWAP_GLYPH_TOP: a glyph leaves, the top mission takes its place, then it becomes the top."""
    host = np.int64(s.host[glyph])
    take_out(s, glyph)
    add_glyph(s, host)
    push_mission(s, glyph, True)
