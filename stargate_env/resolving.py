"""Resolving a mission: ships, result, texts, adversaries, cleaning up (RULES.md §9)."""

from typing import Any

import numpy as np

from tabletop_core.bits import NONE, WORD_BITS, lowest, without_lowest
from tabletop_core.jit import kernel, separate_kernel

from .built_in import DESTROY_PROGRAM, STOP_PROGRAM
from .derived import difficulty, hero_total, refresh, repeats_of
from .evaluate import clause_at, clause_total, firepower_of, granter_at, required_skill
from .fates import may_follow
from .frames import push_deed
from .machine import has_modifier
from .sizes import ADVERSARY, SHIP
from .state import (
    ADVERSARY_FATE,
    ASK_DOMINION,
    ASK_FATE,
    ASK_SHIP,
    AT_MISSION,
    CLEANUP,
    COMPLICATION,
    DOMINION,
    EARN_GLYPH,
    EVENT_FAILS,
    EVENT_SUCCEEDS,
    HERO_TEXTS,
    NO_CARD,
    NO_SEAT,
    RESULT,
    SEAT_WORDS,
    SHIPS,
    STALE,
    STOPPING,
    VICTORY_TEXTS,
    VILLAIN_TEXTS,
)
from .table import (
    ask_player,
    controller_of,
    has_text,
    in_play_word,
    include,
    is_assigned,
    is_at_mission,
    is_character,
    num_words,
    other_of,
    type_of,
    villain_of,
)
from .triggers import add_pending, raise_event
from .words import (
    HEAD_ON_EITHER,
    HEAD_ON_FAIL,
    HEAD_ON_SUCCESS,
    HEAD_ON_VICTORY,
    REPEAT_FAIL,
    REPEAT_SUCCESS,
    STRIP_FAIL,
)

# --- §9 resolving ---------------------------------------------------------------------------------


@separate_kernel
def step_resolution(r: Any, s: Any, phase: Any) -> None:
    """§9, step after step."""
    if phase <= VILLAIN_TEXTS:  # what comes behind reads no numbers
        refresh(r, s)
    if phase == SHIPS:
        fight_ships(r, s)
    elif phase == VICTORY_TEXTS:
        add_victory_texts(r, s)
        s.phase = RESULT
    elif phase == RESULT:
        decide_result(r, s)
        s.phase = HERO_TEXTS
    elif phase == HERO_TEXTS:
        add_texts(r, s, np.int64(s.hero))
        s.phase = VILLAIN_TEXTS
    elif phase == VILLAIN_TEXTS:
        add_texts(r, s, villain_of(s))
        s.phase = STOPPING
    elif phase == STOPPING:
        stop_assigned(r, s)
        s.phase = ADVERSARY_FATE
    elif phase == ADVERSARY_FATE:
        judge_adversary(r, s)
    elif phase == DOMINION:
        if may_follow(s):
            ask_player(s, ASK_DOMINION, villain_of(s))
        else:
            s.phase = ADVERSARY_FATE
    else:
        clean_up(s)
        s.phase = EARN_GLYPH


@separate_kernel
def fight_ships(r: Any, s: Any) -> None:
    """§9.1: the higher firepower wins, or the only side with ships; the winner may hit a ship."""
    s.phase = RESULT
    s.battle_winner = NO_SEAT
    hero, villain = np.int64(s.hero), villain_of(s)
    own = count_ships(r, s, hero)
    others = count_ships(r, s, villain)
    difference = firepower_total(r, s, hero) - firepower_total(r, s, villain)
    if own == 0 and others == 0:
        return
    if others == 0 or (own > 0 and difference > 0):
        s.battle_winner = hero
    elif own == 0 or difference < 0:
        s.battle_winner = villain
    else:
        return
    s.phase = VICTORY_TEXTS
    if count_ships(r, s, other_of(s, s.battle_winner)) > 0:
        ask_player(s, ASK_SHIP, np.int64(s.battle_winner))


@kernel
def is_assigned_ship(r: Any, s: Any, card: Any) -> Any:
    """Whether a card is a ship at the mission."""
    return type_of(r, s, card) == SHIP and is_assigned(s, card)


@kernel
def count_ships(r: Any, s: Any, seat: Any) -> Any:
    """Number of a player's ships at the mission."""
    count = np.int64(0)
    for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
        word = in_play_word(s, k)
        while word != NONE:
            count += is_assigned_ship(r, s, k * WORD_BITS + lowest(word))
            word = without_lowest(word)
    return count


@separate_kernel
def firepower_total(r: Any, s: Any, seat: Any) -> Any:
    """Total firepower of a player's ships at the mission, and what texts add (§9.1)."""
    total = np.int64(0)
    for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            if is_assigned_ship(r, s, card):
                total += firepower_of(r, s, card)
    return max(np.int64(0), total + np.int64(s.fire_total_plus[seat]))


@separate_kernel
def add_victory_texts(r: Any, s: Any) -> None:
    """§9.1 step 4: the victory texts on the winner's assigned cards."""
    seat = np.int64(s.battle_winner)
    for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            if is_assigned(s, card):
                add_texts_of(r, s, card, HEAD_ON_VICTORY, HEAD_ON_VICTORY, np.int64(0))


@separate_kernel
def decide_result(r: Any, s: Any) -> None:
    """§9.2; who was assigned is remembered for the glyph."""
    s.assigned_at_resolution[:] = NONE
    for k in range(num_words(s)):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            if is_character(r, s, card) and is_assigned(s, card):
                include(s.assigned_at_resolution, card)
    if hero_total(r, s) >= difficulty(r, s):
        s.succeeded = 1
        s.success_turn[required_skill(r, s)] += 1
    else:
        s.succeeded = 0
        s.fail_turn += 1
    s.is_stale = STALE
    event = EVENT_SUCCEEDS if s.succeeded else EVENT_FAILS
    raise_event(r, s, event, np.int64(s.hero), np.int64(s.current))


@separate_kernel
def add_texts(r: Any, s: Any, seat: Any) -> None:
    """§9.3: the texts of one player that match the result."""
    wanted = HEAD_ON_SUCCESS if s.succeeded else HEAD_ON_FAIL
    repeater = REPEAT_SUCCESS if s.succeeded else REPEAT_FAIL
    for k in range(num_words(s)):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            if controller_of(s, card) == seat and is_at_mission(s, card):
                repeats = repeats_of(s, repeater, card)
                if s.succeeded or not has_modifier(s, STRIP_FAIL, card):
                    add_texts_of(r, s, card, wanted, HEAD_ON_EITHER, repeats)


@separate_kernel
def add_texts_of(r: Any, s: Any, card: Any, head: Any, other_head: Any, repeats: Any) -> None:
    """The texts of one card with one of two heads, each used `repeats` more times."""
    if not has_text(r, s, card):
        return
    for place in range(clause_total(r, s, card)):
        clause = clause_at(r, s, card, place)
        if r.clause_head[clause] in (head, other_head):
            s.context_granter = granter_at(r, s, card, place)
            for _ in range(1 + repeats):
                add_pending(s, clause, card, NO_CARD, controller_of(s, card), 1)


@separate_kernel
def stop_assigned(r: Any, s: Any) -> None:
    """§9.3 step 4: assigned characters stop, the adversary does not."""
    stopped = s.sets[0]
    stopped[:] = NONE
    for k in range(num_words(s)):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            if is_assigned(s, card) and type_of(r, s, card) != ADVERSARY:
                include(stopped, card)
    push_deed(s, STOP_PROGRAM, stopped, np.int64(s.hero))


@separate_kernel
def judge_adversary(r: Any, s: Any) -> None:
    """§9.4: ask for each assigned adversary; then clean up."""
    for k in range(num_words(s)):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            if is_assigned(s, card) and type_of(r, s, card) == ADVERSARY:
                s.judged = card
                ask_player(s, ASK_FATE, villain_of(s))
                return
    s.phase = CLEANUP


@kernel
def clean_up(s: Any) -> None:
    """§9.4: obstacles and complications at the mission are destroyed."""
    destroyed = s.sets[0]
    for k in range(num_words(s)):
        destroyed[k] = s.zones[AT_MISSION, k] | s.zones[COMPLICATION, k]
    push_deed(s, DESTROY_PROGRAM, destroyed, villain_of(s))
