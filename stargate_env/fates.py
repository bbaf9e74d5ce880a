"""What happens to cards in play: stopped, destroyed, scored, revived; and what happens instead.

Section numbers refer to RULES.md beside this file.
"""

from typing import Any

import numpy as np

from tabletop_core.bits import NONE, WORD_BITS, U, has, lowest, without_lowest
from tabletop_core.jit import kernel, separate_kernel

from . import opcodes as op
from .derived import has_dominion, refresh, revive_cost
from .evaluate import clause_works, evaluate, pop, set_context
from .frames import push_frame
from .state import (
    AT_MISSION,
    CLAUSES_PER_CARD,
    COMPLICATION,
    DISCARD,
    EVENT_BECOMES_STOPPED,
    EVENT_DESTROY,
    EVENT_INCAP,
    EVENT_MILL_FOR_REVIVE,
    EVENT_PAY_REVIVE,
    EVENT_STOP,
    INCAP,
    NO_CARD,
    SEAT_STRIDE,
    STALE,
    STOPPED,
    THEN_REPLACED,
    THEN_REPLACED_FORCED,
    VSCORE,
    WAITS_NOT,
    WAITS_REPLACED,
)
from .table import (
    controller_of,
    first_of,
    hand_size,
    has_condition,
    has_text,
    in_play_word,
    include,
    is_empty,
    leave_play,
    next_of,
    num_words,
    pop_deck,
    put,
)
from .triggers import raise_event, raise_own
from .words import (
    DESTROY,
    HEAD_ON_DESTROYED,
    HEAD_ON_REVIVE,
    HEAD_ON_SCORE,
    HEAD_REPLACE,
    INCAP_VERB,
    STOP,
)

NO_EVENT = -1
NO_REPLACEMENT = 0
NOT_BEGUN = 255  # as number of cards still to be milled: something else may be paid first

# --- what happens to a card -----------------------------------------------------------------------


@kernel
def stop_card(r: Any, s: Any, card: Any) -> None:
    """§3.2: a card in play becomes stopped; what waits for that becomes pending."""
    if has_condition(r, s, card):
        s.condition[card] = STOPPED
        s.is_stale = STALE
        raise_event(r, s, EVENT_BECOMES_STOPPED, controller_of(s, card), card)


@kernel
def incapacitate(s: Any, card: Any) -> None:
    """§3.2: a character or ship is turned face down."""
    s.condition[card] = INCAP
    s.is_stale = STALE


@kernel
def destroy_card(r: Any, s: Any, card: Any) -> None:
    """§3.2: to the owner's discard pile; its text for that still happens."""
    if s.zone[card] != COMPLICATION and has_text(r, s, card):
        raise_own(r, s, HEAD_ON_DESTROYED, card, 0)
    leave_play(s, card, DISCARD)


@separate_kernel
def score_card(r: Any, s: Any, card: Any) -> None:
    """§9.4: to the score pile. Which obstacles may follow is decided before it leaves (SL-255)."""
    refresh(r, s)
    raise_own(r, s, HEAD_ON_SCORE, card, 0)
    s.dominion[:] = NONE
    other = first_of(s.zones[AT_MISSION])
    while other != NO_CARD:
        if has_dominion(r, s, other):
            include(s.dominion, other)
        other = next_of(s.zones[AT_MISSION], other)
    leave_play(s, card, VSCORE)


@kernel
def score_follower(s: Any, card: Any) -> None:
    """§9.4: an obstacle with dominion, or none (NO_CARD), joins the score pile."""
    if card != NO_CARD:
        leave_play(s, card, VSCORE)
    s.dominion[:] = NONE


@kernel
def may_follow(s: Any) -> Any:
    """Whether an obstacle may follow the card that has just been scored."""
    for k in range(num_words(s)):
        s.dominion[k] &= s.zones[AT_MISSION, k]
    return not is_empty(s.dominion)


@kernel
def revive_card(r: Any, s: Any, card: Any) -> None:
    """§9.4: a revived adversary leaves the mission, stopped; its text for that happens."""
    stop_card(r, s, card)
    raise_own(r, s, HEAD_ON_REVIVE, card, 0)


# --- what happens instead (§8.3, D22) -------------------------------------------------------------


@kernel
def replaced_event(verb: Any) -> Any:
    """The event of a verb that texts may replace, or NO_EVENT."""
    if verb == STOP:
        return EVENT_STOP
    if verb == DESTROY:
        return EVENT_DESTROY
    if verb == INCAP_VERB:
        return EVENT_INCAP
    return NO_EVENT


@separate_kernel
def next_replacement(r: Any, s: Any, event: Any, card: Any, source: Any, cursor: Any) -> Any:
    """The first text behind `cursor` that replaces an event of a card; or NO_REPLACEMENT.

    `source` is the card whose text makes the event happen, or NO_CARD.
    """
    if not has(U(r.replaced), event):
        return np.int64(NO_REPLACEMENT)
    refresh(r, s)
    for k in range(num_words(s)):
        word = in_play_word(s, k)
        while word != NONE:
            maker = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            kind = s.kind[maker]
            if has(U(r.heads[kind]), HEAD_REPLACE) and has_text(r, s, maker):
                for place in range(np.int64(r.clause_count[kind])):
                    position = 1 + CLAUSES_PER_CARD * maker + place
                    clause = np.int64(r.first_clause[kind]) + place
                    if position > cursor and replaces(r, s, clause, maker, event, card, source):
                        return np.int64(position)
    return np.int64(NO_REPLACEMENT)


@kernel
def replaces(r: Any, s: Any, clause: Any, maker: Any, event: Any, card: Any, source: Any) -> Any:
    """Whether a clause of `maker` is about such an event of such a card."""
    if r.clause_head[clause] != HEAD_REPLACE or r.clause_event[clause] != event:
        return False
    set_context(s, maker, controller_of(s, maker))
    s.context_trigger = card
    s.context_each = source
    evaluate(r, s, np.int64(r.clause_match[clause]))
    return pop(s) != 0 and clause_works(r, s, clause, maker)


@separate_kernel
def offer_replacement(
    r: Any, s: Any, frame: Any, event: Any, card: Any, trigger: Any, is_forced: Any
) -> Any:
    """Run the next text that may replace an event of the deed of a frame; whether there is one."""
    source = np.int64(s.frame_self[frame])
    position = next_replacement(r, s, event, card, source, np.int64(s.frame_cursor[frame]))
    if position == NO_REPLACEMENT:
        return False
    s.frame_cursor[frame] = position
    s.frame_waits[frame] = WAITS_REPLACED
    maker = (position - 1) // CLAUSES_PER_CARD
    clause = np.int64(r.first_clause[s.kind[maker]]) + (position - 1) % CLAUSES_PER_CARD
    then = THEN_REPLACED_FORCED if is_forced else THEN_REPLACED
    push_frame(s, np.int64(r.clause_start[clause]), maker, controller_of(s, maker), then)
    s.frame_trigger[np.int64(s.frame_count) - 1] = trigger
    return True


@kernel
def was_replaced(s: Any, frame: Any) -> Any:
    """Whether a frame goes on behind a replacement that was carried out."""
    is_replaced = s.frame_waits[frame] == WAITS_REPLACED and s.frame_answer[frame] != 0
    s.frame_waits[frame] = WAITS_NOT
    return is_replaced


# --- paying for a revive (§9.4) -------------------------------------------------------------------


@kernel
def top_of_deck(s: Any, seat: Any) -> Any:
    """The top card of a deck, or NO_CARD."""
    size = np.int64(s.deck_size[seat])
    if size == 0:
        return np.int64(NO_CARD)
    return seat * SEAT_STRIDE + np.int64(s.deck[seat, size - 1])


@kernel
def can_pay_revive(r: Any, s: Any, card: Any) -> Any:
    """Whether the revive cost of an adversary, or what may be paid instead, can be paid."""
    return has_revive_cards(r, s, card) or can_replace(r, s, EVENT_PAY_REVIVE, card)


@kernel
def has_revive_cards(r: Any, s: Any, card: Any) -> Any:
    """Whether the deck, and the hand as far as a text lets it, can pay a revive cost."""
    seat = controller_of(s, card)
    missing = revive_cost(r, s, card) - np.int64(s.deck_size[seat])
    if missing <= 0:
        return True
    return missing <= hand_size(s, seat) and can_replace(r, s, EVENT_MILL_FOR_REVIVE, card)


@separate_kernel
def can_replace(r: Any, s: Any, event: Any, card: Any) -> Any:
    """Whether some text can be paid for instead of an event."""
    position = next_replacement(r, s, event, card, NO_CARD, NO_REPLACEMENT)
    while position != NO_REPLACEMENT:
        maker = (position - 1) // CLAUSES_PER_CARD
        clause = np.int64(r.first_clause[s.kind[maker]]) + (position - 1) % CLAUSES_PER_CARD
        if r.clause_check[clause] != op.NO_ADDRESS:
            set_context(s, maker, controller_of(s, maker))
            evaluate(r, s, np.int64(r.clause_check[clause]))
            if pop(s) != 0:
                return True
        position = next_replacement(r, s, event, card, NO_CARD, position)
    return False


@separate_kernel
def pay_revive(r: Any, s: Any, frame: Any, pc: Any) -> Any:
    """PAY_REVIVE: mill card by card, or do what texts put in the place of that; -1 to wait."""
    card = first_of(s.frame_chosen[frame])
    seat = controller_of(s, card)
    if s.frame_waits[frame] == WAITS_NOT:
        s.frame_most[frame] = NOT_BEGUN
        s.frame_cursor[frame] = NO_REPLACEMENT
    is_replaced = was_replaced(s, frame)
    cost = revive_cost(r, s, card)
    if s.frame_most[frame] == NOT_BEGUN:
        s.frame_done[frame] = 0
        if is_replaced:
            return pc + op.DO_WIDTH
        is_forced = not has_revive_cards(r, s, card)
        if offer_replacement(r, s, frame, EVENT_PAY_REVIVE, card, card, is_forced):
            return np.int64(-1)
        s.frame_most[frame] = cost
        s.frame_cursor[frame] = NO_REPLACEMENT
    while s.frame_most[frame] > 0:
        if not is_replaced:
            top = top_of_deck(s, seat)
            is_forced = top == NO_CARD
            if offer_replacement(r, s, frame, EVENT_MILL_FOR_REVIVE, card, top, is_forced):
                return np.int64(-1)
            if is_forced:
                return pc + op.DO_WIDTH
            put(s, pop_deck(s, seat), DISCARD)
        is_replaced = False
        s.frame_cursor[frame] = NO_REPLACEMENT
        s.frame_most[frame] -= 1
    s.frame_done[frame] = 1
    return pc + op.DO_WIDTH
