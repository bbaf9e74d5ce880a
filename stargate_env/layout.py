"""An empty table and two lists laid out on it (RULES.md §5)."""

from typing import Any

import numpy as np

from tabletop_core.bits import NONE
from tabletop_core.jit import kernel, separate_kernel
from tabletop_core.rng import randbelow

from .frames import clear_frame
from .sizes import NO_RATING, NO_SKILL
from .state import (
    ASK_NOTHING,
    FIRST_DECK_CARD,
    FIRST_MISSION,
    MAX_DELAYS,
    MAX_FRAMES,
    MAX_MARKS,
    MAX_MODIFIERS,
    MAX_PENDING,
    MAX_STANDING,
    NO_CARD,
    NO_KIND,
    NO_SEAT,
    NOWHERE,
    PLAY,
    READY,
    SEAT_STRIDE,
    STALE,
    VERSION,
)
from .table import (
    clear_delay,
    clear_mark,
    clear_modifier,
    clear_pending,
    clear_standing,
    include,
    push_deck,
    push_mission,
    put,
    shuffle_deck,
    shuffle_missions,
)


@separate_kernel
def clear_table(s: Any) -> None:
    """Nothing on the table."""
    s.stargate_version = VERSION
    s.turn_count = 0
    s.decision_count = 0
    s.end_reasons = 0
    s.is_truncated = 0
    s.must_ask = 0
    clear_cards(s)
    clear_all_numbers(s)
    clear_contest(s)
    clear_machine(s)
    s.is_stale = STALE


@kernel
def clear_cards(s: Any) -> None:
    """No card anywhere, and nothing on one."""
    s.zones[:] = NONE
    s.hero_side[:] = NONE
    s.kind[:] = NO_KIND
    s.zone[:] = NOWHERE
    s.condition[:] = READY
    s.host[:] = NO_CARD
    s.tokens[:] = 0
    s.used[:] = 0
    s.known[:] = 0
    s.named[:] = NONE
    s.deck[:] = 0
    s.missions[:] = 0
    s.deck_size[:] = 0
    s.missions_size[:] = 0
    s.complications[:] = NO_CARD
    s.complication_count = 0
    s.played_turn[:] = NONE
    s.assigned_at_resolution[:] = NONE
    s.dominion[:] = NONE
    s.just_discarded[:] = NONE


@kernel
def clear_all_numbers(s: Any) -> None:
    """No card has ratings, and no text changes a number of a card."""
    s.rated[:] = NONE
    s.changed[:] = NONE
    s.raw[:] = NO_RATING
    s.changes[:] = 0


@kernel
def clear_contest(s: Any) -> None:
    """No turn, no mission and no question has been."""
    s.power[:] = 0
    s.winner = NO_SEAT
    s.prompt = ASK_NOTHING
    s.priority = 0
    s.passes = 0
    s.actions_here = 0
    s.success_turn[:] = 0
    s.fail_turn = 0
    s.missions_played = 0
    s.fire_total_plus[:] = 0
    s.experience_plus[:] = 0
    s.point_plus[:] = 0
    s.has_gained_traits = 0
    s.boost_count = 0
    s.current = NO_CARD
    s.succeeded = 0
    s.earned = 0
    s.battle_winner = NO_SEAT
    s.judged = NO_CARD
    s.resolving = NO_CARD
    s.must_continue = 0
    s.skipped_turns[:] = 0
    s.skill_now = NO_SKILL


@kernel
def clear_machine(s: Any) -> None:
    """No text is under way and nothing lasts."""
    s.modifier_count = 0
    s.standing_count = 0
    s.mark_count = 0
    s.frame_count = 0
    s.carried_n = 0
    s.carried_that[:] = NONE
    s.pending_count = 0
    s.sets[:] = NONE
    s.used_sets = 0
    clear_lists(s)


@kernel
def clear_lists(s: Any) -> None:
    """Nothing is left of an earlier game behind the ends of lists, which all are empty."""
    for frame in range(MAX_FRAMES):
        clear_frame(s, frame)
    for place in range(MAX_PENDING):
        clear_pending(s, place)
    for place in range(MAX_MODIFIERS):
        clear_modifier(s, place)
    for place in range(MAX_MARKS):
        clear_mark(s, place)
    for place in range(MAX_STANDING):
        clear_standing(s, place)
    for place in range(MAX_DELAYS):
        clear_delay(s, place)
    s.boost_self[:] = 0
    s.boost_address[:] = 0


@kernel
def draw_list(r: Any, s: Any, seat: Any) -> None:
    """Which list a seat plays, of those it can have."""
    chosen = np.int64(0)
    if r.deck_choices[seat] > 1:
        chosen = randbelow(s, np.int64(r.deck_choices[seat]))
    s.deck_number[seat] = np.int64(r.first_deck[seat]) + chosen


@separate_kernel
def lay_list(r: Any, s: Any, seat: Any) -> None:
    """U1: the team in play, missions and deck shuffled."""
    deck = np.int64(s.deck_number[seat])
    for place in range(np.int64(r.deck_length[deck])):
        card = seat * SEAT_STRIDE + place
        kind = r.deck_kind[deck, place]
        s.kind[card] = kind
        if not r.is_villain[kind]:
            include(s.hero_side, card)
        if place < FIRST_MISSION:
            put(s, card, PLAY)
        elif place < FIRST_DECK_CARD:
            push_mission(s, card, True)
        else:
            push_deck(s, card)
    shuffle_missions(s, seat)
    shuffle_deck(s, seat)
