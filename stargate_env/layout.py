"""An empty table and two lists laid out on it (RULES.md §5)."""

from typing import Any

import numpy as np

from tabletop_core.bits import NONE
from tabletop_core.jit import kernel, separate_kernel
from tabletop_core.rng import randbelow

from .sizes import NO_SKILL
from .state import (
    ASK_NOTHING,
    FIRST_DECK_CARD,
    FIRST_MISSION,
    MAX_DELAYS,
    NO_CARD,
    NO_KIND,
    NO_SEAT,
    NOWHERE,
    PLAY,
    READY,
    SEAT_STRIDE,
    VERSION,
)
from .table import include, push_deck, push_mission, put, shuffle_deck, shuffle_missions


@separate_kernel
def clear_table(s: Any) -> None:
    """Nothing on the table."""
    s.stargate_version = VERSION
    s.turn_count = 0
    s.decision_count = 0
    s.end_reasons = 0
    s.is_truncated = 0
    s.must_ask = 0
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
    s.power[:] = 0
    s.winner = NO_SEAT
    s.prompt = ASK_NOTHING
    s.priority = 0
    s.passes = 0
    s.actions_here = 0
    s.success_turn[:] = 0
    s.fail_turn = 0
    s.missions_played = 0
    s.played_turn[:] = NONE
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
    s.assigned_at_resolution[:] = NONE
    s.dominion[:] = NONE
    s.just_discarded[:] = NONE
    s.must_continue = 0
    s.skipped_turns[:] = 0
    s.modifier_count = 0
    s.standing_count = 0
    s.delay_moment[:] = 0
    s.skill_now = NO_SKILL
    s.mark_count = 0
    s.frame_count = 0
    s.carried_n = 0
    s.carried_that[:] = NONE
    s.pending_count = 0
    s.is_stale = 1


@separate_kernel
def tidy(s: Any) -> None:
    """Nothing is left behind the ends of lists, so that equal positions are equal bytes."""
    for seat in range(np.int64(s.num_players)):
        s.deck[seat, s.deck_size[seat] :] = 0
        s.missions[seat, s.missions_size[seat] :] = 0
    s.complications[s.complication_count :] = NO_CARD
    tidy_effects(s)
    tidy_frames(s)
    first = np.int64(s.pending_count)
    s.pending_clause[first:] = 0
    s.pending_self[first:] = 0
    s.pending_trigger[first:] = 0
    s.pending_granter[first:] = 0
    s.pending_actor[first:] = 0
    s.pending_is_text[first:] = 0


@kernel
def tidy_effects(s: Any) -> None:
    """The same of what lasts."""
    first = np.int64(s.modifier_count)
    s.modifier_verb[first:] = 0
    s.modifier_sign[first:] = 0
    s.modifier_lasts[first:] = 0
    s.modifier_amount[first:] = 0
    s.modifier_card[first:] = 0
    s.modifier_source[first:] = 0
    s.mark_maker[s.mark_count :] = 0
    s.mark_card[s.mark_count :] = 0
    s.mark_is_gone[s.mark_count :] = 0
    first = np.int64(s.standing_count)
    s.standing_lasts[first:] = 0
    s.standing_self[first:] = 0
    s.standing_user[first:] = 0
    s.standing_address[first:] = 0
    for k in range(MAX_DELAYS):
        if s.delay_moment[k] == 0:
            s.delay_lasts[k] = 0
            s.delay_repeats[k] = 0
            s.delay_player[k] = 0
            s.delay_match[k] = 0
            s.delay_user[k] = 0
            s.delay_self[k] = 0
            s.delay_n[k] = 0
            s.delay_address[k] = 0
            s.delay_that[k, :] = NONE

    s.boost_self[s.boost_count :] = 0
    s.boost_address[s.boost_count :] = 0


@kernel
def tidy_frames(s: Any) -> None:
    """The same of programs under way."""
    first = np.int64(s.frame_count)
    s.frame_address[first:] = 0
    s.frame_origin[first:] = 0
    s.frame_self[first:] = 0
    s.frame_each[first:] = 0
    s.frame_trigger[first:] = 0
    s.frame_granter[first:] = 0
    s.frame_user[first:] = 0
    s.frame_by[first:] = 0
    s.frame_actor[first:] = 0
    s.frame_then[first:] = 0
    s.frame_n[first:] = 0
    s.frame_done[first:] = 0
    s.frame_waits[first:] = 0
    s.frame_answer[first:] = 0
    s.frame_least[first:] = 0
    s.frame_most[first:] = 0
    s.frame_limit[first:] = 0
    s.frame_symbol[first:] = 0
    s.frame_holder[first:] = 0
    s.frame_cursor[first:] = 0
    s.frame_candidates[first:, :] = NONE
    s.frame_chosen[first:, :] = NONE
    s.frame_that[first:, :] = NONE
    s.frame_seen[first:, :] = NONE


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
