"""Texts that wait for something to happen (RULES.md §8.3, §8.5)."""

from typing import Any

import numpy as np

from tabletop_core.bits import NONE, WORD_BITS, U, has, lowest, without_lowest
from tabletop_core.jit import kernel, separate_kernel

from . import opcodes as op
from .derived import refresh
from .evaluate import (
    clause_at,
    clause_total,
    clause_works,
    evaluate,
    granter_at,
    has_head,
    pop,
    seat_named,
    set_context,
    works_here,
)
from .state import (
    ERROR_PENDING,
    FIRED,
    FIRST_DELAY,
    MAX_DELAYS,
    MAX_PENDING,
    NO_CARD,
    STALE,
)
from .table import controller_of, has_text, in_play_word, is_off_turn, num_words, scored_word
from .words import FIRST_EVENT, FIRST_OFFTURN, HEAD_ON, HEAD_ON_GLYPH, HEAD_POWER_START, PLAYER_ANY

# --- triggers -------------------------------------------------------------------------------------


@separate_kernel
def add_pending(s: Any, clause: Any, card: Any, trigger: Any, actor: Any, is_text: Any) -> None:
    """Let a clause wait to be carried out."""
    if s.pending_count >= MAX_PENDING:
        s.error = ERROR_PENDING
        return
    place = np.int64(s.pending_count)
    s.pending_clause[place] = clause
    s.pending_self[place] = card
    s.pending_trigger[place] = trigger
    s.pending_granter[place] = s.context_granter
    s.pending_actor[place] = actor
    s.pending_is_text[place] = is_text
    s.pending_count += 1


@separate_kernel
def raise_own(r: Any, s: Any, head: Any, card: Any, is_text: Any) -> None:
    """What a card does by itself when it is played, assigned, revived ..., if its IF holds."""
    if r.has_grants == 0 and not has(U(r.heads[s.kind[card]]), head):
        return
    refresh(r, s)
    for place in range(clause_total(r, s, card)):
        clause = clause_at(r, s, card, place)
        if r.clause_head[clause] == head and works_here(r, s, clause, card):
            user = controller_of(s, card)
            set_context(s, card, user)
            s.context_granter = granter_at(r, s, card, place)
            if clause_works(r, s, clause, card):
                add_pending(s, clause, card, NO_CARD, user, is_text)


@kernel
def may_be_heard(r: Any, s: Any, sets: Any, number: Any) -> Any:
    """Whether a kind that lies where texts work has a number in its set, sets [kind].

    If not, and cards cannot be remade, derived numbers need not be up to date.
    """
    if r.has_grants or r.has_becoming:
        return True
    for k in range(num_words(s)):
        word = in_play_word(s, k) | scored_word(s, k)
        while word != NONE:
            if has(U(sets[s.kind[k * WORD_BITS + lowest(word)]]), number):
                return True
            word = without_lowest(word)
    return False


@kernel
def is_awaited(s: Any, event: Any) -> Any:
    """Whether a delayed effect waits for an event."""
    for k in range(MAX_DELAYS):
        if s.delay_moment[k] == 1 + FIRST_EVENT + event:
            return True
    return False


@separate_kernel
def raise_everywhere(r: Any, s: Any, head: Any) -> None:
    """A point of time: the texts in play and the delayed effects that wait for it are pending."""
    raise_delayed(s, head - HEAD_POWER_START)
    if not may_be_heard(r, s, r.heads, head):
        return
    refresh(r, s)
    for k in range(num_words(s)):
        word = in_play_word(s, k) | scored_word(s, k)
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            if has_head(r, s, card, head) and has_text(r, s, card):
                raise_own(r, s, head, card, 0)


@kernel
def raise_delayed(s: Any, moment: Any) -> None:
    """A point of time of `opcodes.MOMENT_WORDS`: the delayed effects for it become pending."""
    for k in range(MAX_DELAYS):
        waits_for = np.int64(s.delay_moment[k]) - 1
        is_off = waits_for >= FIRST_OFFTURN and is_off_turn(s, np.int64(s.delay_self[k]))
        if waits_for == moment or (is_off and waits_for == moment + FIRST_OFFTURN):
            fire(s, k, NO_CARD, np.int64(s.delay_user[k]))


@kernel
def fire(s: Any, delay: Any, trigger: Any, actor: Any) -> None:
    """A delayed effect becomes pending, once or each time."""
    if not s.delay_repeats[delay]:
        s.delay_moment[delay] = FIRED
    s.context_granter = NO_CARD
    add_pending(s, FIRST_DELAY + delay, np.int64(s.delay_self[delay]), trigger, actor, 0)


@separate_kernel
def raise_glyph(r: Any, s: Any, card: Any, glyph: Any, is_new: Any) -> None:
    """A character has earned a glyph: its own texts for that (§9.5)."""
    kind = s.kind[card]
    first = np.int64(r.first_clause[kind])
    for clause in range(first, first + np.int64(r.clause_count[kind])):
        if r.clause_head[clause] == HEAD_ON_GLYPH and has_text(r, s, card):
            sort = r.clause_event[clause]
            fits = sort == 0 or (sort == 1 and is_new) or (sort == 2 and not is_new)
            if sort == 3:
                fits = has(U(r.clause_player[clause]), glyph)
            user = controller_of(s, card)
            set_context(s, card, user)
            if fits and clause_works(r, s, clause, card):
                add_pending(s, clause, card, card, user, 0)


@separate_kernel
def raise_event(r: Any, s: Any, event: Any, actor: Any, subject: Any) -> None:
    """Something happened: the texts in play that wait for it become pending."""
    if not has(U(r.heard), event):
        return
    if not may_be_heard(r, s, r.listens, event) and not is_awaited(s, event):
        return
    refresh(r, s)
    for k in range(num_words(s)):
        word = in_play_word(s, k) | scored_word(s, k)
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            if has_text(r, s, card):
                hear_card(r, s, card, event, actor, subject)
    for k in range(MAX_DELAYS):
        if s.delay_moment[k] == 1 + FIRST_EVENT + event:
            hear_delayed(r, s, k, actor, subject)


@separate_kernel
def hear_card(r: Any, s: Any, card: Any, event: Any, actor: Any, subject: Any) -> None:
    """The clauses of a card that are about an event: they become pending, or end (UNTIL)."""
    ends = np.int64(r.until_clauses[s.kind[card]])
    if ends == 0 and not has_head(r, s, card, HEAD_ON):
        return
    for place in range(clause_total(r, s, card)):
        clause = clause_at(r, s, card, place)
        is_about = r.clause_event[clause] == event and r.clause_match[clause] != op.NO_ADDRESS
        if not is_about or not works_here(r, s, clause, card):
            continue
        set_context(s, card, controller_of(s, card))
        s.context_granter = granter_at(r, s, card, place)
        if r.clause_head[clause] == HEAD_ON:
            if hears(r, s, clause, actor, subject) and clause_works(r, s, clause, card):
                add_pending(s, clause, card, subject, actor, 0)
        elif ends >> place & 1 and hears(r, s, clause, actor, subject):
            s.used[card] |= np.uint8(1 << place)
            s.is_stale = STALE


@kernel
def hears(r: Any, s: Any, clause: Any, actor: Any, subject: Any) -> Any:
    """Whether an event is that of a clause; the context must be set."""
    player = r.clause_player[clause]
    if player != PLAYER_ANY and seat_named(s, player) != actor:
        return False
    s.context_trigger = subject
    evaluate(r, s, np.int64(r.clause_match[clause]))
    return pop(s) != 0


@separate_kernel
def hear_delayed(r: Any, s: Any, delay: Any, actor: Any, subject: Any) -> None:
    """Make a delayed effect pending if the event is its event."""
    set_context(s, np.int64(s.delay_self[delay]), np.int64(s.delay_user[delay]))
    player = s.delay_player[delay]
    if player != PLAYER_ANY and seat_named(s, player) != actor:
        return
    s.context_trigger = subject
    evaluate(r, s, np.int64(s.delay_match[delay]))
    if pop(s) != 0:
        fire(s, delay, subject, actor)
