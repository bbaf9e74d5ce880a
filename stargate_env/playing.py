"""Playing and assigning cards: what is legal and what happens (RULES.md §8)."""

from typing import Any

import numpy as np

from tabletop_core.bits import NONE, lowest, without_lowest
from tabletop_core.jit import kernel

from .derived import cost_to_play, is_forbidden, refresh
from .evaluate import clause_works, evaluate, pop, required_skill, set_context
from .frames import carry, push_frame
from .sizes import ADVERSARY, EVENT, MISSION, NO_RATING, OBSTACLE, SHIP, SUPPORT, TEAM
from .state import (
    ASSIGNED,
    AT_MISSION,
    DISCARD,
    EVENT_ASSIGNS,
    EVENT_PLAYS,
    NO_CARD,
    PLAY,
    READY,
    RESOLVING,
    SEAT_WORDS,
    THEN_DISCARD_EVENT,
    THEN_FINISH_ASSIGN,
    THEN_FINISH_PLAY,
    THEN_NOTHING,
)
from .table import (
    contains,
    copy_mark,
    current_rating,
    in_play_word,
    include,
    is_assigned,
    is_character,
    num_words,
    owner_of,
    put,
    type_of,
)
from .triggers import raise_event, raise_own
from .words import HEAD_ASSIGN_COST, HEAD_ON_ASSIGN, HEAD_ON_PLAY, HEAD_PLAY_COST, HEAD_PLAY_IF

# --- §8 playing and assigning ---------------------------------------------------------------------


@kernel
def can_play(r: Any, s: Any, card: Any, seat: Any) -> Any:
    """§8.1, §8.2: whether a card of the right side can be played from the hand now."""
    kind = s.kind[card]
    card_type = np.int64(r.card_type[kind])
    if card_type in (TEAM, MISSION):
        return False
    cost = cost_to_play(r, s, card)
    if cost > s.power[seat]:
        return False
    if r.is_unique[kind] and is_title_in_play(r, s, card, seat):
        return False
    if card_type == OBSTACLE and r.printed[kind, required_skill(r, s)] == NO_RATING:
        return False
    if is_forbidden(r, s, EVENT_PLAYS, seat, card) or not may_play(r, s, card, seat):
        return False
    return can_pay_clauses(r, s, card, seat, HEAD_PLAY_COST, cost)


@kernel
def is_title_in_play(r: Any, s: Any, card: Any, seat: Any) -> Any:
    """Whether a card of that title and of the same sort is in play for its player."""
    title = r.title[s.kind[card]]
    for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
        word = in_play_word(s, k)
        while word != NONE:
            other = k * 64 + lowest(word)
            word = without_lowest(word)
            has_title = r.title[s.kind[other]] == title
            if has_title and is_same_sort(r, s, card, other):
                return True
    return False


@kernel
def may_play(r: Any, s: Any, card: Any, seat: Any) -> Any:
    """The conditions of PLAY_IF that a card names itself."""
    kind = s.kind[card]
    first = np.int64(r.first_clause[kind])
    for clause in range(first, first + np.int64(r.clause_count[kind])):
        if r.clause_head[clause] == HEAD_PLAY_IF:
            set_context(s, card, seat)
            evaluate(r, s, np.int64(r.clause_start[clause]))
            if pop(s) == 0:
                return False
    return True


@kernel
def is_same_sort(r: Any, s: Any, card: Any, other: Any) -> Any:
    """Whether both cards are characters (team or support alike), adversaries or ships."""
    if is_character(r, s, card):
        return is_character(r, s, other)
    return type_of(r, s, card) == type_of(r, s, other)


@kernel
def can_pay_clauses(r: Any, s: Any, card: Any, seat: Any, head: Any, cost: Any) -> Any:
    """Whether the additional costs that a card names itself can be paid besides `cost`."""
    set_context(s, card, seat)
    s.spent = cost
    include(s.reserved, card)
    return can_pay_own(r, s, card, head)


@kernel
def can_pay_own(r: Any, s: Any, card: Any, head: Any) -> Any:
    """The same on top of what has been spoken for; the context must be that of the card."""
    kind = s.kind[card]
    first = np.int64(r.first_clause[kind])
    for clause in range(first, first + np.int64(r.clause_count[kind])):
        if r.clause_head[clause] == head and clause_works(r, s, clause, card):
            evaluate(r, s, np.int64(r.clause_check[clause]))
            if pop(s) == 0:
                return False
    return True


@kernel
def play_card(r: Any, s: Any, card: Any, seat: Any) -> None:
    """Pay; additional costs are programs that run before the card enters play."""
    s.power[seat] -= cost_to_play(r, s, card)
    put(s, card, RESOLVING)
    s.resolving = card
    s.carried_n = 0
    s.carried_that[:] = NONE
    then = THEN_FINISH_PLAY
    kind = s.kind[card]
    first = np.int64(r.first_clause[kind])
    for k in range(np.int64(r.clause_count[kind])):
        clause = first + np.int64(r.clause_count[kind]) - 1 - k
        if r.clause_head[clause] == HEAD_PLAY_COST:
            set_context(s, card, seat)
            if clause_works(r, s, clause, card):
                push_frame(s, np.int64(r.clause_start[clause]), card, seat, then)
                then = THEN_NOTHING
    if then == THEN_FINISH_PLAY:
        finish_play(r, s, card)


@kernel
def finish_play(r: Any, s: Any, card: Any) -> None:
    """§8: a card that has been paid enters play, an event does its text; both are heard."""
    card_type = type_of(r, s, card)
    seat = owner_of(card)
    s.condition[card] = READY
    if card_type == EVENT:
        play_event(r, s, card, seat)
    else:
        put(s, card, AT_MISSION if card_type == OBSTACLE else PLAY)
        forget_marks(s, card)
        refresh(r, s)
        raise_own(r, s, HEAD_ON_PLAY, card, 0)
    refresh(r, s)
    include(s.played_turn, card)
    raise_event(r, s, EVENT_PLAYS, seat, card)


@kernel
def play_event(r: Any, s: Any, card: Any, seat: Any) -> None:
    """The texts of an event in order, then it is discarded."""
    refresh(r, s)
    then = THEN_DISCARD_EVENT
    kind = s.kind[card]
    first = np.int64(r.first_clause[kind])
    for k in range(np.int64(r.clause_count[kind])):
        clause = first + np.int64(r.clause_count[kind]) - 1 - k
        if r.clause_head[clause] == HEAD_ON_PLAY:
            set_context(s, card, seat)
            if clause_works(r, s, clause, card):
                push_frame(s, np.int64(r.clause_start[clause]), card, seat, then)
                carry(s, np.int64(s.frame_count) - 1)
                then = THEN_NOTHING
    if then == THEN_DISCARD_EVENT:
        put(s, card, DISCARD)


@kernel
def forget_marks(s: Any, card: Any) -> None:
    """A card that is played again has made no marks yet."""
    kept = 0
    for k in range(np.int64(s.mark_count)):
        if s.mark_maker[k] != card:
            copy_mark(s, k, kept)
            kept += 1
    s.mark_count = kept


@kernel
def can_assign(r: Any, s: Any, card: Any, seat: Any) -> Any:
    """§8.1, §8.2: whether a character or adversary can be assigned now."""
    if s.zone[card] != PLAY or s.condition[card] != READY or contains(s.blocked, card):
        return False
    card_type = type_of(r, s, card)
    has_rating = current_rating(s, card, required_skill(r, s)) != NO_RATING
    if card_type == ADVERSARY:
        if not has_rating or has_assigned_adversary(r, s):
            return False
    elif card_type not in (TEAM, SHIP) and not (card_type == SUPPORT and has_rating):
        return False
    return can_pay_taxes(r, s, card, seat)


@kernel
def has_assigned_adversary(r: Any, s: Any) -> Any:
    """Whether the villain has an adversary at the mission."""
    for k in range(num_words(s)):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * 64 + lowest(word)
            word = without_lowest(word)
            if is_assigned(s, card) and type_of(r, s, card) == ADVERSARY:
                return True
    return False


@kernel
def can_pay_taxes(r: Any, s: Any, card: Any, seat: Any) -> Any:
    """Whether everything that others charge for assigning a card can be paid together."""
    set_context(s, card, seat)
    include(s.reserved, card)
    for k in range(np.int64(s.tax_count)):
        if contains(s.tax_cards[k], card):
            s.context_self = s.tax_self[k]
            s.context_each = card
            evaluate(r, s, np.int64(s.tax_check[k]))
            if pop(s) == 0:
                return False
    s.context_self = card
    s.context_each = NO_CARD
    return can_pay_own(r, s, card, HEAD_ASSIGN_COST)


@kernel
def assign_card(r: Any, s: Any, card: Any, seat: Any) -> None:
    """Pay the taxes, each a program of its own; then the card is assigned."""
    s.resolving = card
    then = THEN_FINISH_ASSIGN
    for k in range(np.int64(s.tax_count)):
        if contains(s.tax_cards[k], card):
            push_frame(s, np.int64(s.tax_address[k]), np.int64(s.tax_self[k]), seat, then)
            s.frame_each[np.int64(s.frame_count) - 1] = card
            then = THEN_NOTHING
    kind = s.kind[card]
    first = np.int64(r.first_clause[kind])
    for clause in range(first, first + np.int64(r.clause_count[kind])):
        if r.clause_head[clause] == HEAD_ASSIGN_COST:
            set_context(s, card, seat)
            if clause_works(r, s, clause, card):
                push_frame(s, np.int64(r.clause_start[clause]), card, seat, then)
                then = THEN_NOTHING
    if then == THEN_FINISH_ASSIGN:
        finish_assign(r, s, card)


@kernel
def finish_assign(r: Any, s: Any, card: Any) -> None:
    """The card takes part in the mission."""
    s.condition[card] = ASSIGNED
    s.is_stale = 1
    refresh(r, s)
    raise_own(r, s, HEAD_ON_ASSIGN, card, 0)
    raise_event(r, s, EVENT_ASSIGNS, owner_of(card), card)
