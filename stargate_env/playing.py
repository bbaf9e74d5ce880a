"""Playing and assigning cards: what is legal and what happens (RULES.md §8)."""

from typing import Any

import numpy as np

from tabletop_core.bits import NONE, WORD_BITS, U, has, lowest, without_lowest
from tabletop_core.jit import kernel, separate_kernel

from . import opcodes as op
from .derived import cost_to_play, is_forbidden, refresh
from .evaluate import clause_works, evaluate, pop, required_skill, set_context
from .frames import carry, push_frame
from .sizes import ADVERSARY, EVENT, MISSION, NO_RATING, OBSTACLE, SHIP, SUPPORT, TEAM
from .state import (
    ASSIGNED,
    AT_MISSION,
    ATTACHED,
    COMPLICATION,
    DECK,
    DISCARD,
    EVENT_ASSIGNS,
    EVENT_PLAYS,
    NO_CARD,
    PLAY,
    READY,
    RESOLVING,
    SEAT_STRIDE,
    STALE,
    THEN_DISCARD_EVENT,
    THEN_FINISH_ASSIGN,
    THEN_FINISH_PLAY,
    THEN_NOTHING,
)
from .table import (
    becomes_with,
    contains,
    controller_of,
    copy_mark,
    current_rating,
    has_text,
    in_play_word,
    include,
    is_assigned,
    is_character,
    keep_marks,
    list_complication,
    num_words,
    owner_of,
    put,
    remove_from_deck,
    type_of,
)
from .triggers import raise_event, raise_own
from .words import (
    ASSIGN_TAX,
    HEAD_ASSIGN_COST,
    HEAD_ON_ASSIGN,
    HEAD_ON_PLAY,
    HEAD_PLAY_COST,
    HEAD_PLAY_IF,
    NO_ASSIGN,
    NORMAL_COST,
    NUM_TAXES,
    PLAY_AS_COMPLICATION,
    PLAY_IGNORES_UNIQUE,
)

# --- §8 playing and assigning ---------------------------------------------------------------------


@kernel
def can_play(r: Any, s: Any, card: Any, seat: Any) -> Any:
    """§8.1, §8.2: whether a card of the right side can be played from the hand now."""
    return can_play_for(r, s, card, seat, cost_to_play(r, s, card), False)


@kernel
def can_play_for(r: Any, s: Any, card: Any, seat: Any, cost: Any, ignores_title: Any) -> Any:
    """The same for a price; `ignores_title`: another card of the title may be in play."""
    kind = s.kind[card]
    card_type = np.int64(r.card_type[kind])
    if card_type in (TEAM, MISSION):
        return False
    if cost > s.power[seat]:
        return False
    if r.is_unique[kind] and not ignores_title and is_title_in_play(r, s, card, seat):
        return False
    if card_type == OBSTACLE and not fits_mission(r, s, kind):
        return False
    if is_forbidden(r, s, EVENT_PLAYS, seat, card) or not may_play(r, s, card, seat):
        return False
    return can_pay_clauses(r, s, card, seat, HEAD_PLAY_COST, cost)


@kernel
def fits_mission(r: Any, s: Any, kind: Any) -> Any:
    """§8.2: whether a kind of obstacle has a rating in the skill that is required now."""
    return s.current != NO_CARD and r.printed[kind, required_skill(r, s)] != NO_RATING


@kernel
def is_title_in_play(r: Any, s: Any, card: Any, seat: Any) -> Any:
    """Whether a card of that title and of the same sort is in play for its player."""
    title = r.title[s.kind[card]]
    for k in range(num_words(s)):
        word = in_play_word(s, k)
        while word != NONE:
            other = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            is_own = controller_of(s, other) == seat and r.title[s.kind[other]] == title
            if is_own and is_same_sort(r, s, card, other):
                return True
    return False


@kernel
def may_play(r: Any, s: Any, card: Any, seat: Any) -> Any:
    """The conditions of PLAY_IF that a card names itself."""
    kind = s.kind[card]
    if not has(U(r.heads[kind]), HEAD_PLAY_IF):
        return True
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
    if not has(U(r.heads[s.kind[card]]), head):
        return True
    set_context(s, card, seat)
    s.spent = cost
    include(s.reserved, card)
    return can_pay_own(r, s, card, head)


@kernel
def can_pay_own(r: Any, s: Any, card: Any, head: Any) -> Any:
    """The same on top of what has been spoken for; the context must be that of the card."""
    kind = s.kind[card]
    if not has(U(r.heads[kind]), head):
        return True
    first = np.int64(r.first_clause[kind])
    for clause in range(first, first + np.int64(r.clause_count[kind])):
        if r.clause_head[clause] == head and clause_works(r, s, clause, card):
            evaluate(r, s, np.int64(r.clause_check[clause]))
            if pop(s) == 0:
                return False
    return True


@separate_kernel
def play_card(r: Any, s: Any, card: Any, seat: Any, cost: Any) -> None:
    """Pay; additional costs are programs that run before the card enters play."""
    s.power[seat] -= cost
    forget_marks(s, card)
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


@separate_kernel
def finish_play(r: Any, s: Any, card: Any) -> None:
    """§8: a card that has been paid enters play, an event does its text; both are heard."""
    card_type = type_of(r, s, card)
    seat = owner_of(card)
    s.condition[card] = READY
    if card_type == EVENT:
        play_event(r, s, card, seat)
    else:
        put(s, card, AT_MISSION if card_type == OBSTACLE else PLAY)
        raise_own(r, s, HEAD_ON_PLAY, card, 0)
    include(s.played_turn, card)
    s.is_stale = STALE
    raise_event(r, s, EVENT_PLAYS, seat, card)


@separate_kernel
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
def complicate(r: Any, s: Any, card: Any, seat: Any, cost: Any) -> None:
    """§8.2: any card face down to the mission."""
    s.power[seat] -= cost
    put(s, card, COMPLICATION)
    list_complication(s, card)
    raise_event(r, s, EVENT_PLAYS, seat, card)


@separate_kernel
def can_play_by_text(r: Any, s: Any, card: Any, cost: Any, flags: Any) -> Any:
    """PLAY: whether the owner of a card can play it now for a price, or for NORMAL_COST."""
    seat = owner_of(card)
    if cost == NORMAL_COST:
        cost = cost_to_play(r, s, card)
    if flags & PLAY_AS_COMPLICATION:
        return cost <= s.power[seat]
    if contains(s.hero_side, card) != (seat == s.hero):
        return False
    return can_play_for(r, s, card, seat, cost, flags & PLAY_IGNORES_UNIQUE != 0)


@separate_kernel
def play_by_text(r: Any, s: Any, card: Any, cost: Any, flags: Any) -> None:
    """PLAY: the owner of a card plays it, from wherever it lies."""
    seat = owner_of(card)
    if cost == NORMAL_COST:
        cost = cost_to_play(r, s, card)
    if s.zone[card] == DECK:
        remove_from_deck(s, card)
    if flags & PLAY_AS_COMPLICATION:
        complicate(r, s, card, seat, cost)
    else:
        play_card(r, s, card, seat, cost)


@kernel
def forget_marks(s: Any, card: Any) -> None:
    """A card that is played again has made no marks yet."""
    kept = 0
    for k in range(np.int64(s.mark_count)):
        if s.mark_maker[k] != card:
            copy_mark(s, k, kept)
            kept += 1
    keep_marks(s, kept)


@kernel
def can_assign(r: Any, s: Any, card: Any, seat: Any) -> Any:
    """§8.1, §8.2: whether a character or adversary can be assigned now."""
    if s.zone[card] != PLAY or s.condition[card] != READY or contains(s.blocked, card):
        return False
    if controller_of(s, card) != seat or becomes_with(s, card, NO_ASSIGN):
        return False
    card_type = type_of(r, s, card)
    has_rating = current_rating(r, s, card, required_skill(r, s)) != NO_RATING
    if card_type == ADVERSARY:
        if not has_rating or has_assigned_adversary(r, s):
            return False
    elif card_type not in (TEAM, SHIP) and not (card_type == SUPPORT and has_rating):
        return False
    return can_pay_taxes(r, s, card, seat)


@kernel
def assigned_by(s: Any, card: Any) -> Any:
    """What is assigned by naming a card: a card of the other list by what lies on it."""
    if s.zone[card] == ATTACHED and contains(s.becomes, np.int64(s.host[card])):
        return np.int64(s.host[card])
    return np.int64(card)


@kernel
def may_continue(r: Any, s: Any, hero: Any) -> Any:
    """§9.6: whether there is a mission left and no text forbids to play it."""
    size = np.int64(s.missions_size[hero])
    if size == 0:
        return False
    mission = hero * SEAT_STRIDE + np.int64(s.missions[hero, size - 1])
    return not is_forbidden(r, s, EVENT_PLAYS, hero, mission)


@kernel
def has_assigned_adversary(r: Any, s: Any) -> Any:
    """Whether the villain has an adversary at the mission."""
    for k in range(num_words(s)):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            if is_assigned(s, card) and type_of(r, s, card) == ADVERSARY:
                return True
    return False


@kernel
def can_pay_taxes(r: Any, s: Any, card: Any, seat: Any) -> Any:
    """Whether everything that is charged for assigning a card can be paid together."""
    set_context(s, card, seat)
    for order in range(NUM_TAXES):
        s.reserved[:] = NONE
        for k in range(np.int64(s.claim_count)):
            if is_taxed(r, s, k, card, order):
                s.context_self = s.claim_self[k]
                s.context_each = card
                evaluate(r, s, np.int64(s.claim_check[k]))
                if pop(s) == 0:
                    return False
    s.context_self = card
    s.context_each = NO_CARD
    s.reserved[:] = NONE
    include(s.reserved, card)
    return not has_text(r, s, card) or can_pay_own(r, s, card, HEAD_ASSIGN_COST)


@kernel
def is_taxed(r: Any, s: Any, claim: Any, card: Any, order: Any) -> Any:
    """Whether a claim is a tax on assigning a card, and of those that are paid at that time."""
    if s.claim_verb[claim] != ASSIGN_TAX or not contains(s.claim_cards[claim], card):
        return False
    instruction = np.int64(s.claim_detail[claim]) - op.ATTACHED_WIDTH
    return r.code[instruction + op.ATTACHED_DETAIL] == order


@separate_kernel
def assign_card(r: Any, s: Any, card: Any, seat: Any) -> None:
    """Pay each cost by a program of its own, the last one first on the stack; then assign."""
    s.resolving = card
    then = push_taxes(r, s, card, seat)
    kind = s.kind[card]
    first = np.int64(r.first_clause[kind])
    for k in range(np.int64(r.clause_count[kind])):
        clause = first + np.int64(r.clause_count[kind]) - 1 - k
        if r.clause_head[clause] == HEAD_ASSIGN_COST and has_text(r, s, card):
            set_context(s, card, seat)
            if clause_works(r, s, clause, card):
                push_frame(s, np.int64(r.clause_start[clause]), card, seat, then)
                then = THEN_NOTHING
    if then == THEN_FINISH_ASSIGN:
        finish_assign(r, s, card)


@kernel
def push_taxes(r: Any, s: Any, card: Any, seat: Any) -> Any:
    """What other cards charge for assigning a card; what is to be done behind the next frame."""
    then = THEN_FINISH_ASSIGN
    taxes = np.int64(s.claim_count)
    for order in range(NUM_TAXES - 1, -1, -1):
        for k in range(taxes):
            tax = taxes - 1 - k
            if is_taxed(r, s, tax, card, order):
                start = np.int64(s.claim_detail[tax])
                push_frame(s, start, np.int64(s.claim_self[tax]), seat, then)
                s.frame_each[np.int64(s.frame_count) - 1] = card
                then = THEN_NOTHING
    return then


@kernel
def finish_assign(r: Any, s: Any, card: Any) -> None:
    """The card takes part in the mission."""
    s.condition[card] = ASSIGNED
    s.is_stale = STALE
    raise_own(r, s, HEAD_ON_ASSIGN, card, 0)
    raise_event(r, s, EVENT_ASSIGNS, controller_of(s, card), card)
