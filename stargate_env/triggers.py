"""Texts that wait for something to happen (RULES.md §8.3, §8.5)."""

from typing import Any

import numpy as np

from tabletop_core.bits import NONE, U, has, lowest, without_lowest
from tabletop_core.jit import kernel

from .derived import refresh
from .evaluate import clause_works, evaluate, pop, seat_named, set_context, works_here
from .state import ERROR_PENDING, FIRST_DELAY, MAX_DELAYS, MAX_PENDING, NO_CARD
from .table import controller_of, has_text, in_play_word, num_words, scored_word
from .words import HEAD_ON, HEAD_ON_GLYPH, PLAYER_ANY

# --- triggers -------------------------------------------------------------------------------------


@kernel
def add_pending(s: Any, clause: Any, card: Any, trigger: Any, actor: Any, is_text: Any) -> None:
    """Let a clause wait to be carried out."""
    if s.pending_count >= MAX_PENDING:
        s.error = ERROR_PENDING
        return
    place = np.int64(s.pending_count)
    s.pending_clause[place] = clause
    s.pending_self[place] = card
    s.pending_trigger[place] = trigger
    s.pending_actor[place] = actor
    s.pending_is_text[place] = is_text
    s.pending_count += 1


@kernel
def raise_own(r: Any, s: Any, head: Any, card: Any, is_text: Any) -> None:
    """What a card does by itself when it is played, assigned, revived ..., if its IF holds."""
    kind = s.kind[card]
    first = np.int64(r.first_clause[kind])
    for clause in range(first, first + np.int64(r.clause_count[kind])):
        if r.clause_head[clause] == head and works_here(r, s, clause, card):
            user = controller_of(s, card)
            set_context(s, card, user)
            if clause_works(r, s, clause, card):
                add_pending(s, clause, card, NO_CARD, user, is_text)


@kernel
def raise_everywhere(r: Any, s: Any, head: Any) -> None:
    """A point of time: the texts in play and the delayed effects that wait for it are pending."""
    refresh(r, s)
    for k in range(MAX_DELAYS):
        if s.delay_moment[k] == head:
            user = np.int64(s.delay_user[k])
            add_pending(s, FIRST_DELAY + k, np.int64(s.delay_self[k]), NO_CARD, user, 0)
    for k in range(num_words(s)):
        word = in_play_word(s, k) | scored_word(s, k)
        while word != NONE:
            card = k * 64 + lowest(word)
            word = without_lowest(word)
            waits = r.heads[s.kind[card]] >> np.uint32(head) & np.uint32(1) != 0
            if waits and has_text(r, s, card):
                raise_own(r, s, head, card, 0)


@kernel
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


@kernel
def raise_event(r: Any, s: Any, event: Any, actor: Any, subject: Any) -> None:
    """Something happened: the texts in play that wait for it become pending."""
    head = HEAD_ON
    for k in range(num_words(s)):
        word = in_play_word(s, k) | scored_word(s, k)
        while word != NONE:
            card = k * 64 + lowest(word)
            word = without_lowest(word)
            kind = s.kind[card]
            if r.heads[kind] >> np.uint32(head) & np.uint32(1) and has_text(r, s, card):
                first = np.int64(r.first_clause[kind])
                for clause in range(first, first + np.int64(r.clause_count[kind])):
                    is_heard = r.clause_head[clause] == head and r.clause_event[clause] == event
                    if is_heard and works_here(r, s, clause, card):
                        hear(r, s, clause, card, actor, subject)


@kernel
def hear(r: Any, s: Any, clause: Any, card: Any, actor: Any, subject: Any) -> None:
    """Make one clause pending if the event is its event."""
    set_context(s, card, controller_of(s, card))
    player = r.clause_player[clause]
    if player != PLAYER_ANY and seat_named(s, player) != actor:
        return
    s.context_trigger = subject
    evaluate(r, s, np.int64(r.clause_match[clause]))
    if pop(s) != 0 and clause_works(r, s, clause, card):
        add_pending(s, clause, card, subject, actor, 0)
