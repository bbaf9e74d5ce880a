"""The Stargate TCG: turns, phases, actions and the end, on one record (RULES.md, whose § it names).

A game runs by itself until somebody has to decide: texts under way first, then missions that wait
to go under a pile, then triggered texts, then the next phase (`run`). A decision is one prompt
with its legal actions; what a choice in the middle of a text means is up to `machine.py`.
"""

from typing import Any, Final

import numpy as np

from tabletop_core.bits import NONE, has, lowest, without_lowest
from tabletop_core.jit import inline_kernel, kernel
from tabletop_core.rng import randbelow

from . import opcodes as op
from .machine import (
    DIFF,
    HAND_LIMIT,
    NO_FRAME,
    SKILLS_VERB,
    STRIP_FAIL,
    add_modifier,
    add_pending,
    clause_works,
    cost_to_complicate,
    cost_to_play,
    difficulty,
    end_standing,
    evaluate,
    execute,
    has_modifier,
    hero_total,
    is_forbidden,
    pop,
    push_frame,
    raise_event,
    raise_everywhere,
    raise_glyph,
    raise_own,
    refresh,
    required_skill,
    set_context,
    take_candidate,
)
from .sizes import (
    ADVERSARY,
    EVENT,
    MISSION,
    NO_RATING,
    NO_SKILL,
    OBSTACLE,
    SUPPORT,
    TEAM,
    TEAM_SIZE,
)
from .state import (
    ACTING,
    ADVERSARY_FATE,
    ASK_ABILITY,
    ASK_CONTINUE,
    ASK_DISCARD,
    ASK_DOMINION,
    ASK_FATE,
    ASK_GLYPH,
    ASK_MAIN,
    ASK_MAY,
    ASK_MISSION_ORDER,
    ASK_MULLIGAN,
    ASK_NOTHING,
    ASK_OPTION,
    ASK_ORDER,
    ASK_OVER,
    ASK_RECIPIENT,
    ASK_SCRY,
    ASK_TARGET,
    ASK_TEAM_STOP,
    ASK_TEXT,
    ASSIGN,
    ASSIGNED,
    AT_MISSION,
    BOOST,
    CLEANUP,
    COMPLICATE,
    COMPLICATION,
    CONTINUE,
    CONTINUING,
    CURRENT,
    DEBRIEF_HERO_HAND,
    DEBRIEF_MISSIONS,
    DEBRIEF_READY,
    DEBRIEF_START,
    DEBRIEF_VILLAIN_HAND,
    DECK,
    DISCARD,
    DOMINION,
    DONE,
    EARN_GLYPH,
    EVENT_ASSIGNS,
    EVENT_BOOSTS,
    EVENT_EARNS,
    EVENT_FAILS,
    EVENT_PASSES,
    EVENT_PLAYS,
    EVENT_SUCCEEDS,
    FAILED,
    FIRST_DECK_CARD,
    FIRST_DELAY,
    FIRST_MISSION,
    GLYPH,
    HAND,
    HERO_TEXTS,
    INCAP,
    LASTS_MISSION,
    LASTS_TURN,
    LET_DIE,
    MAX_OPTIONS,
    MAX_PLAYERS,
    MISSION_END,
    MISSION_OVER,
    MISSION_PLAY,
    NEXT_MISSION,
    NO,
    NO_CARD,
    NO_KIND,
    NO_SEAT,
    NOWHERE,
    OPTION,
    ORDERING,
    OTHER,
    OWN,
    PASS,
    PLAY,
    PLAY_CARD,
    POWER,
    POWER_END,
    READY,
    REASON_EXPERIENCE,
    REASON_GLYPHS,
    REASON_VILLAIN_SCORE,
    RESOLVING,
    RESULT,
    REVIVE,
    SCORE,
    SEAT_STRIDE,
    SEAT_WORDS,
    SET_WORDS,
    SETUP_FIRST_HAND,
    SETUP_SECOND_HAND,
    SETUP_STOP,
    SHIPS,
    SLOT,
    STOP,
    STOPPED,
    THEN_DISCARD_EVENT,
    THEN_FINISH_ASSIGN,
    THEN_FINISH_PLAY,
    THEN_NOTHING,
    TURN_END,
    TURN_OVER,
    TURN_START,
    USE,
    VERSION,
    VILLAIN_TEXTS,
    VSCORE,
    YES,
)
from .table import (
    contains,
    controller_of,
    count_experience,
    count_glyphs,
    count_villain_score,
    draw_cards,
    expire,
    first_of,
    glyph_kinds,
    hand_size,
    in_play_word,
    include,
    is_assigned,
    is_character,
    is_empty,
    leave_play,
    next_of,
    owner_of,
    point_total,
    pop_deck,
    pop_mission,
    push_deck,
    push_mission,
    put,
    shuffle_deck,
    shuffle_missions,
    type_of,
    villain_of,
)

HAND_SIZE: Final = 8
POWER_PER_TURN: Final = 3  # §7
GLYPHS_TO_WIN: Final = 7  # W1
MAX_ACTIONS_HERE: Final = 200  # §8.5
PASSES_TO_END: Final = 2

HEAD_ON_PLAY: Final = op.HEAD_WORDS.index("ON_PLAY")
HEAD_ON_ASSIGN: Final = op.HEAD_WORDS.index("ON_ASSIGN")
HEAD_ON_SUCCESS: Final = op.HEAD_WORDS.index("ON_SUCCESS")
HEAD_ON_FAIL: Final = op.HEAD_WORDS.index("ON_FAIL")
HEAD_ON_EITHER: Final = op.HEAD_WORDS.index("ON_SUCCESS_OR_FAIL")
HEAD_ON_REVIVE: Final = op.HEAD_WORDS.index("ON_REVIVE")
HEAD_ON_SCORE: Final = op.HEAD_WORDS.index("ON_SCORE")
HEAD_ACT: Final = op.HEAD_WORDS.index("ACT")
HEAD_ACT_TURN: Final = op.HEAD_WORDS.index("ACT/TURN")
HEAD_PLAY_COST: Final = op.HEAD_WORDS.index("PLAY_COST")
HEAD_ASSIGN_COST: Final = op.HEAD_WORDS.index("ASSIGN_COST")
HEAD_PLAY_IF: Final = op.HEAD_WORDS.index("PLAY_IF")
HEAD_KW: Final = op.HEAD_WORDS.index("KW")
HEAD_POWER_START: Final = op.HEAD_WORDS.index("POWER_START")
HEAD_POWER_END: Final = op.HEAD_WORDS.index("POWER_END")
HEAD_DEBRIEF_START: Final = op.HEAD_WORDS.index("DEBRIEF_START")
HEAD_END_MISSION: Final = op.HEAD_WORDS.index("END_MISSION")
HEAD_END_TURN: Final = op.HEAD_WORDS.index("END_TURN")


# --- §5 set-up --------------------------------------------------------------------------------


@kernel
def new_game(r: Any, s: Any) -> None:
    """§5: teams, shuffled piles and decks, the first player; then the first decision."""
    clear_table(s)
    for seat in range(MAX_PLAYERS):
        lay_list(r, s, seat)
    for seat in range(MAX_PLAYERS):
        s.victory_total[seat] = point_total(r, s, 1 - seat)
    first = np.int64(0)
    if s.victory_total[1] > s.victory_total[0]:
        first = np.int64(1)
    elif s.victory_total[1] == s.victory_total[0]:
        first = randbelow(s, MAX_PLAYERS)
    s.first_player = first
    s.hero = first
    s.phase = SETUP_STOP
    run(r, s)


@kernel
def clear_table(s: Any) -> None:
    """Nothing on the table."""
    s.stargate_version = VERSION
    s.turn_count = 0
    s.decision_count = 0
    s.end_reasons = 0
    s.is_truncated = 0
    s.must_ask = 0
    s.error = 0
    s.zones[:] = NONE
    s.hero_side[:] = NONE
    s.kind[:] = NO_KIND
    s.zone[:] = NOWHERE
    s.condition[:] = READY
    s.host[:] = NO_CARD
    s.tokens[:] = 0
    s.used[:] = 0
    s.known[:] = 0
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
    s.current = NO_CARD
    s.succeeded = 0
    s.earned = 0
    s.judged = NO_CARD
    s.resolving = NO_CARD
    s.assigned_at_resolution[:] = NONE
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


@kernel
def lay_list(r: Any, s: Any, seat: Any) -> None:
    """U1: the team in play, missions and deck shuffled."""
    for place in range(np.int64(r.list_size[seat])):
        card = seat * SEAT_STRIDE + place
        kind = r.list_kind[seat, place]
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


# --- the course of the game -----------------------------------------------------------------------


@kernel
def run(r: Any, s: Any) -> None:
    """Go on until somebody has to decide or the game is over."""
    while s.prompt == ASK_NOTHING and s.end_reasons == 0 and s.is_truncated == 0:
        check_victory(r, s)
        if s.end_reasons != 0:
            s.prompt = ASK_OVER
        elif s.error != 0:
            s.is_truncated = 1
        elif s.frame_count > 0:
            outcome = execute(r, s)
            if outcome != NO_FRAME:
                follow(r, s, outcome)
        elif not is_empty(s.zones[ORDERING]):
            ask(s, ASK_MISSION_ORDER, owner_of(first_of(s.zones[ORDERING])))
        elif s.pending_count > 0:
            next_pending(r, s)
        else:
            step_phase(r, s)
    if s.is_truncated:
        s.prompt = ASK_OVER


@inline_kernel
def ask(s: Any, prompt: Any, seat: Any) -> None:
    """Put a decision to a player."""
    s.prompt = prompt
    s.current_player = seat


@kernel
def check_victory(r: Any, s: Any) -> None:
    """§10: the hero player first."""
    hero = np.int64(s.hero)
    for k in range(MAX_PLAYERS):
        seat = hero if k == 0 else 1 - hero
        total = point_total(r, s, 1 - seat)
        s.victory_total[seat] = total
        reasons = 0
        if count_glyphs(s, seat) >= GLYPHS_TO_WIN:
            reasons |= REASON_GLYPHS
        if count_experience(r, s, seat) >= total:
            reasons |= REASON_EXPERIENCE
        if count_villain_score(r, s, seat) >= total:
            reasons |= REASON_VILLAIN_SCORE
        if reasons != 0 and s.winner == NO_SEAT:
            s.winner = seat
            s.end_reasons = reasons


@kernel
def follow(r: Any, s: Any, outcome: Any) -> None:
    """What comes after a program: the card that was paid for enters play, and so on."""
    card = np.int64(s.resolving)
    if outcome == THEN_FINISH_PLAY:
        last = np.int64(s.frame_count)  # the frame that has just ended
        s.carried_n = s.frame_n[last]
        for k in range(SET_WORDS):
            s.carried_that[k] = s.frame_that[last, k]
        finish_play(r, s, card)
    elif outcome == THEN_FINISH_ASSIGN:
        finish_assign(r, s, card)
    elif outcome == THEN_DISCARD_EVENT and s.zone[card] == RESOLVING:
        put(s, card, DISCARD)


# --- §8.5 order of texts --------------------------------------------------------------------------


@kernel
def next_pending(r: Any, s: Any) -> None:
    """Carry out a pending text; if there are several cards with one, ask which."""
    is_text = 1
    for k in range(np.int64(s.pending_count)):
        if s.pending_is_text[k] == 0:
            is_text = 0
    first = np.int64(-1)
    several = False
    for k in range(np.int64(s.pending_count)):
        if s.pending_is_text[k] == is_text:
            if first < 0:
                first = np.int64(k)
            elif s.pending_self[k] != s.pending_self[first]:
                several = True
    if not several:
        start_pending(r, s, first)
    elif is_text:
        ask(s, ASK_TEXT, controller_of(s, np.int64(s.pending_self[first])))
    else:
        ask(s, ASK_ORDER, np.int64(s.hero))


@kernel
def start_pending(r: Any, s: Any, place: Any) -> None:
    """Begin a pending text. A text of §9.3 needs its card at the mission and its condition now."""
    clause = np.int64(s.pending_clause[place])
    if clause >= FIRST_DELAY:
        start_delayed(s, place, clause - FIRST_DELAY)
        return
    card = np.int64(s.pending_self[place])
    trigger = s.pending_trigger[place]
    actor = s.pending_actor[place]
    is_text = s.pending_is_text[place] != 0
    drop_pending(s, place)
    user = controller_of(s, card)
    if is_text:
        refresh(r, s)
        set_context(s, card, user)
        if not is_at_mission(s, card) or not clause_works(r, s, clause, card):
            return
    push_frame(s, np.int64(r.clause_start[clause]), card, user, THEN_NOTHING)
    frame = np.int64(s.frame_count) - 1
    s.frame_trigger[frame] = trigger
    s.frame_actor[frame] = actor
    if r.clause_head[clause] == HEAD_ON_PLAY and card == s.resolving:
        carry(s, frame)


@kernel
def start_delayed(s: Any, place: Any, delay: Any) -> None:
    """Begin a delayed effect."""
    drop_pending(s, place)
    card = np.int64(s.delay_self[delay])
    user = np.int64(s.delay_user[delay])
    push_frame(s, np.int64(s.delay_address[delay]), card, user, THEN_NOTHING)
    frame = np.int64(s.frame_count) - 1
    s.frame_n[frame] = s.delay_n[delay]
    for k in range(SET_WORDS):
        s.frame_that[frame, k] = s.delay_that[delay, k]
        s.delay_that[delay, k] = NONE
    s.delay_moment[delay] = 0


@kernel
def carry(s: Any, frame: Any) -> None:
    """What the costs of a card have done is known to its text."""
    s.frame_n[frame] = s.carried_n
    for k in range(SET_WORDS):
        s.frame_that[frame, k] = s.carried_that[k]


@kernel
def drop_pending(s: Any, place: Any) -> None:
    """Take a text out of the pending ones."""
    for k in range(place, np.int64(s.pending_count) - 1):
        s.pending_clause[k] = s.pending_clause[k + 1]
        s.pending_self[k] = s.pending_self[k + 1]
        s.pending_trigger[k] = s.pending_trigger[k + 1]
        s.pending_actor[k] = s.pending_actor[k + 1]
        s.pending_is_text[k] = s.pending_is_text[k + 1]
    s.pending_count -= 1


@inline_kernel
def is_at_mission(s: Any, card: Any) -> Any:
    """§9.3: whether a card is the mission, an obstacle at it or assigned to it."""
    return s.zone[card] == CURRENT or s.zone[card] == AT_MISSION or is_assigned(s, card)


# --- §7 the turn ----------------------------------------------------------------------------------


@kernel
def step_phase(r: Any, s: Any) -> None:
    """§7: the work of one phase; it names the next one."""
    phase = s.phase
    if phase <= SETUP_SECOND_HAND:
        step_setup(s, phase)
    elif phase == TURN_START:
        start_turn(s)
        raise_everywhere(r, s, HEAD_POWER_START)
    elif phase == POWER:
        power = POWER_PER_TURN + count_glyphs(s, np.int64(s.hero))
        s.power[:] = power
        s.is_stale = 1
        raise_everywhere(r, s, HEAD_POWER_END)
        s.phase = POWER_END
    elif phase == POWER_END:
        s.phase = MISSION_PLAY
    elif phase == MISSION_PLAY:
        play_mission(r, s)
    elif phase == ACTING:
        ask(s, ASK_MAIN, np.int64(s.priority))
    elif phase <= CLEANUP:
        step_resolution(r, s, phase)
    else:
        step_end(r, s, phase)


@kernel
def step_setup(s: Any, phase: Any) -> None:
    """U4-U7."""
    first = np.int64(s.first_player)
    if phase == SETUP_STOP:
        ask(s, ASK_TEAM_STOP, 1 - first)
    elif phase == SETUP_FIRST_HAND:
        ask(s, ASK_MULLIGAN, first)
    else:
        ask(s, ASK_MULLIGAN, 1 - first)


@kernel
def start_turn(s: Any) -> None:
    """TURN_START: incapacitated cards recover as stopped ones, counters start anew."""
    for k in range(SET_WORDS):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * 64 + lowest(word)
            word = without_lowest(word)
            if s.condition[card] == INCAP:
                s.condition[card] = STOPPED
    s.success_turn[:] = 0
    s.fail_turn = 0
    s.missions_played = 0
    s.used[:] = 0
    s.is_stale = 1
    s.phase = POWER


@kernel
def play_mission(r: Any, s: Any) -> None:
    """MISSION_PLAY: the top mission becomes current."""
    hero = np.int64(s.hero)
    if s.missions_size[hero] == 0:
        s.phase = DEBRIEF_START
        return
    mission = pop_mission(s, hero)
    put(s, mission, CURRENT)
    s.known[mission] = 0
    s.current = mission
    for k in range(np.int64(s.modifier_count)):
        if s.modifier_card[k] == NEXT_MISSION:
            s.modifier_card[k] = mission
            s.modifier_lasts[k] = LASTS_MISSION
    s.missions_played += 1
    s.passes = 0
    s.actions_here = 0
    s.priority = hero
    s.phase = ACTING
    refresh(r, s)
    if s.first_priority != NO_SEAT:
        s.priority = s.first_priority
    raise_own(r, s, HEAD_ON_PLAY, mission, 0)
    raise_event(r, s, EVENT_PLAYS, hero, mission)


# --- §9 resolving ---------------------------------------------------------------------------------


@kernel
def step_resolution(r: Any, s: Any, phase: Any) -> None:
    """§9, step after step."""
    refresh(r, s)
    if phase == SHIPS:
        s.phase = RESULT
    elif phase == RESULT:
        decide_result(r, s)
        s.phase = HERO_TEXTS
    elif phase == HERO_TEXTS:
        add_texts(r, s, np.int64(s.hero))
        s.phase = VILLAIN_TEXTS
    elif phase == VILLAIN_TEXTS:
        add_texts(r, s, villain_of(s))
        s.phase = STOP
    elif phase == STOP:
        stop_assigned(r, s)
        s.phase = ADVERSARY_FATE
    elif phase == ADVERSARY_FATE:
        judge_adversary(r, s)
    elif phase == DOMINION:
        if first_dominion(r, s) == NO_CARD:
            s.phase = ADVERSARY_FATE
        else:
            ask(s, ASK_DOMINION, villain_of(s))
    else:
        clean_up(s)
        s.phase = EARN_GLYPH


@kernel
def decide_result(r: Any, s: Any) -> None:
    """§9.2; who was assigned is remembered for the glyph."""
    s.assigned_at_resolution[:] = NONE
    for k in range(SET_WORDS):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * 64 + lowest(word)
            word = without_lowest(word)
            if is_character(r, s, card) and is_assigned(s, card):
                include(s.assigned_at_resolution, card)
    if hero_total(r, s) >= difficulty(r, s):
        s.succeeded = 1
        s.success_turn[required_skill(r, s)] += 1
    else:
        s.succeeded = 0
        s.fail_turn += 1
    s.is_stale = 1
    refresh(r, s)
    event = EVENT_SUCCEEDS if s.succeeded else EVENT_FAILS
    raise_event(r, s, event, np.int64(s.hero), np.int64(s.current))


@kernel
def add_texts(r: Any, s: Any, seat: Any) -> None:
    """§9.3: the texts of one player that match the result."""
    wanted = HEAD_ON_SUCCESS if s.succeeded else HEAD_ON_FAIL
    for k in range(SET_WORDS):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * 64 + lowest(word)
            word = without_lowest(word)
            if controller_of(s, card) == seat and is_at_mission(s, card):
                kind = s.kind[card]
                first = np.int64(r.first_clause[kind])
                for clause in range(first, first + np.int64(r.clause_count[kind])):
                    head = r.clause_head[clause]
                    is_stripped = not s.succeeded and has_modifier(s, STRIP_FAIL, card)
                    if head in (wanted, HEAD_ON_EITHER) and not is_stripped:
                        add_pending(s, clause, card, NO_CARD, seat, 1)


@kernel
def stop_assigned(r: Any, s: Any) -> None:
    """§9.3 step 4: assigned characters stop, the adversary does not."""
    for k in range(SET_WORDS):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * 64 + lowest(word)
            word = without_lowest(word)
            if is_assigned(s, card) and type_of(r, s, card) != ADVERSARY:
                s.condition[card] = STOPPED
    s.is_stale = 1


@kernel
def judge_adversary(r: Any, s: Any) -> None:
    """§9.4: ask for each assigned adversary; then clean up."""
    for k in range(SET_WORDS):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * 64 + lowest(word)
            word = without_lowest(word)
            if is_assigned(s, card) and type_of(r, s, card) == ADVERSARY:
                s.judged = card
                ask(s, ASK_FATE, villain_of(s))
                return
    s.phase = CLEANUP


@kernel
def first_dominion(r: Any, s: Any) -> Any:
    """An obstacle at the mission with dominion, or NO_CARD."""
    card = first_of(s.zones[AT_MISSION])
    while card != NO_CARD:
        if r.keywords[s.kind[card]] & np.uint8(1):
            return card
        card = next_of(s.zones[AT_MISSION], card)
    return np.int64(NO_CARD)


@kernel
def clean_up(s: Any) -> None:
    """§9.4: obstacles and complications at the mission are destroyed."""
    card = first_of(s.zones[AT_MISSION])
    while card != NO_CARD:
        leave_play(s, card, DISCARD)
        card = next_of(s.zones[AT_MISSION], card)
    card = first_of(s.zones[COMPLICATION])
    while card != NO_CARD:
        leave_play(s, card, DISCARD)
        card = next_of(s.zones[COMPLICATION], card)


# --- §7 the end of missions and turns -------------------------------------------------------------


@kernel
def step_end(r: Any, s: Any, phase: Any) -> None:
    """From the glyph to the next turn."""
    hero = np.int64(s.hero)
    if phase == EARN_GLYPH:
        earn_glyph(s)
    elif phase == MISSION_END:
        raise_everywhere(r, s, HEAD_END_MISSION)
        s.phase = MISSION_OVER
    elif phase == MISSION_OVER:
        end_standing(s, LASTS_MISSION)
        expire(s, LASTS_MISSION)
        s.current = NO_CARD
        s.resolving = NO_CARD
        s.phase = CONTINUE
    elif phase == CONTINUE:
        refresh(r, s)
        if may_continue(r, s, hero) and cost_to_continue(s) <= s.power[hero]:
            ask(s, ASK_CONTINUE, hero)
        else:
            s.phase = DEBRIEF_START
    elif phase == DEBRIEF_START:
        raise_everywhere(r, s, HEAD_DEBRIEF_START)
        s.phase = DEBRIEF_READY
    elif phase == DEBRIEF_READY:
        ready_all(s)
        s.phase = DEBRIEF_MISSIONS
    elif phase == DEBRIEF_MISSIONS:
        card = first_of(s.zones[FAILED])
        while card != NO_CARD:
            put(s, card, ORDERING)
            card = next_of(s.zones[FAILED], card)
        s.phase = DEBRIEF_HERO_HAND
    elif phase == DEBRIEF_HERO_HAND:
        refill_hand(s, hero, DEBRIEF_VILLAIN_HAND)
    elif phase == DEBRIEF_VILLAIN_HAND:
        refill_hand(s, villain_of(s), TURN_END)
        if s.phase == TURN_END:
            raise_everywhere(r, s, HEAD_END_TURN)
    elif phase == TURN_END:
        expire(s, LASTS_TURN)
        end_standing(s, LASTS_TURN)
        s.power[:] = 0
        s.phase = TURN_OVER
    else:
        end_turn(r, s)


@kernel
def earn_glyph(s: Any) -> None:
    """§9.5: a failed mission waits for the debrief, for a glyph a character is chosen."""
    s.phase = MISSION_END
    mission = np.int64(s.current)
    if s.succeeded and has_recipient(s):
        ask(s, ASK_RECIPIENT, np.int64(s.hero))
    elif s.zone[mission] == CURRENT:
        put(s, mission, FAILED)


@kernel
def give_glyph(r: Any, s: Any, card: Any) -> None:
    """§9.5: the mission goes beneath a character; its texts for that, then those of others."""
    mission = np.int64(s.current)
    glyph = np.int64(r.glyph[s.kind[mission]])
    is_new = not has(glyph_kinds(r, s, card), glyph)
    put(s, mission, GLYPH)
    s.host[mission] = card
    s.earned = glyph
    refresh(r, s)
    raise_glyph(r, s, card, glyph, is_new)
    raise_event(r, s, EVENT_EARNS, np.int64(s.hero), card)


@inline_kernel
def has_recipient(s: Any) -> Any:
    """Whether a character that was assigned is still in play."""
    for k in range(SET_WORDS):
        if s.assigned_at_resolution[k] & s.zones[PLAY, k] != NONE:
            return True
    return False


@kernel
def may_continue(r: Any, s: Any, hero: Any) -> Any:
    """§9.6: whether there is a mission left and no text forbids to play it."""
    size = np.int64(s.missions_size[hero])
    if size == 0:
        return False
    mission = hero * SEAT_STRIDE + np.int64(s.missions[hero, size - 1])
    return not is_forbidden(r, s, EVENT_PLAYS, hero, mission)


@inline_kernel
def cost_to_continue(s: Any) -> Any:
    """§9.6: 1 power for each failed mission, and what texts add."""
    return max(np.int64(0), np.int64(s.fail_turn) + np.int64(s.cost_plus[CONTINUING]))


@kernel
def ready_all(s: Any) -> None:
    """DEBRIEF_READY: the hero's stopped hero cards, the villain's stopped villain cards."""
    for k in range(SET_WORDS):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * 64 + lowest(word)
            word = without_lowest(word)
            if s.condition[card] == STOPPED:
                s.condition[card] = READY
    s.is_stale = 1


@kernel
def refill_hand(s: Any, seat: Any, next_phase: Any) -> None:
    """DEBRIEF_HANDS: up to eight cards, or down to them."""
    held = hand_size(s, seat)
    if held > HAND_LIMIT:
        ask(s, ASK_DISCARD, seat)
        return
    draw_cards(s, seat, HAND_LIMIT - held)
    s.phase = next_phase


@kernel
def end_turn(r: Any, s: Any) -> None:
    """TURN_END: the next player becomes the hero; the cap on turns (§10)."""
    s.turn_count += 1
    if s.turn_count >= r.max_turns:
        s.is_truncated = 1
        return
    s.hero = 1 - s.hero
    s.phase = TURN_START
    s.is_stale = 1


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
    wants_character = is_character(r, s, card)
    for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
        word = in_play_word(s, k)
        while word != NONE:
            other = k * 64 + lowest(word)
            word = without_lowest(word)
            has_title = r.title[s.kind[other]] == title
            if has_title and is_character(r, s, other) == wants_character:
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
            s.mark_maker[kept] = s.mark_maker[k]
            s.mark_card[kept] = s.mark_card[k]
            kept += 1
    s.mark_count = kept


@kernel
def can_assign(r: Any, s: Any, card: Any, seat: Any) -> Any:
    """§8.1, §8.2: whether a character or adversary can be assigned now."""
    if s.zone[card] != PLAY or s.condition[card] != READY or contains(s.blocked, card):
        return False
    card_type = type_of(r, s, card)
    has_rating = s.rating[card, required_skill(r, s)] != NO_RATING
    if card_type == ADVERSARY:
        if not has_rating or has_assigned_adversary(r, s):
            return False
    elif card_type != TEAM and not (card_type == SUPPORT and has_rating):
        return False
    return can_pay_taxes(r, s, card, seat)


@kernel
def has_assigned_adversary(r: Any, s: Any) -> Any:
    """Whether the villain has an adversary at the mission."""
    for k in range(SET_WORDS):
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


# --- legal actions --------------------------------------------------------------------------------


@kernel
def legal_actions(r: Any, s: Any) -> None:
    """The legal answers to the pending prompt."""
    s.legal[:] = NONE
    prompt = s.prompt
    seat = np.int64(s.current_player)
    refresh(r, s)
    if prompt == ASK_MAIN:
        s.must_ask = 1  # D08: being skipped would tell about the hand
        mask_main(r, s, seat)
    elif prompt == ASK_TEAM_STOP:
        for place in range(TEAM_SIZE):
            allow(s, OTHER + place)
    elif prompt in (ASK_MULLIGAN, ASK_MAY, ASK_CONTINUE):
        allow(s, YES)
        allow(s, NO)
    elif prompt in (ASK_ORDER, ASK_TEXT):
        mask_pending(s, seat, prompt == ASK_TEXT)
    elif prompt in (ASK_TARGET, ASK_GLYPH, ASK_SCRY):
        mask_frame(s, seat, prompt)
    elif prompt == ASK_OPTION:
        for k in range(MAX_OPTIONS):
            if np.int64(s.frame_least[np.int64(s.frame_count) - 1]) >> k & 1:
                allow(s, OPTION + k)
    elif prompt == ASK_ABILITY:
        mask_options(r, s, seat)
    elif prompt == ASK_FATE:
        mask_fate(r, s)
    elif prompt == ASK_DOMINION:
        mask_dominion(r, s, seat)
    elif prompt == ASK_RECIPIENT:
        mask_recipient(s)
    elif prompt == ASK_MISSION_ORDER:
        mask_zone(s, seat, ORDERING)
    elif prompt == ASK_DISCARD:
        mask_zone(s, seat, HAND)
    clear_scratch(s)


@kernel
def clear_scratch(s: Any) -> None:
    """The scratch fields are zero between decisions, so that equal games are equal bytes."""
    s.sets[:] = NONE
    s.static_cards[:] = NONE
    s.reserved[:] = NONE
    s.locals[:] = 0
    s.stack[:] = 0
    s.top = 0
    s.spent = 0
    s.context_self = NO_CARD
    s.context_each = NO_CARD
    s.context_trigger = NO_CARD
    s.context_user = 0
    s.context_frame = NO_FRAME


@inline_kernel
def allow(s: Any, action: Any) -> None:
    """Add an action to the legal set."""
    include(s.legal, action)


@kernel
def name_card(s: Any, seat: Any, card: Any) -> Any:
    """The action by which a player names a card: by its place in the list of its owner."""
    place = card % SEAT_STRIDE
    if owner_of(card) == seat:
        return OWN + place
    return OTHER + place


@kernel
def is_first_copy(s: Any, words: Any, card: Any) -> Any:
    """Whether no lower card of a set is the same: copies in hands and piles are alike."""
    other = card - 1
    while other >= 0 and s.kind[other] == s.kind[card]:
        if contains(words, other):
            return False
        other -= 1
    return True


@kernel
def mask_main(r: Any, s: Any, seat: Any) -> None:
    """§8.1, §8.2: everything a player may do, or pass."""
    allow(s, PASS)
    if s.actions_here >= MAX_ACTIONS_HERE:
        return
    is_hero = seat == s.hero
    hand = s.zones[HAND]
    can_complicate = not is_hero and cost_to_complicate(s) <= s.power[seat]
    for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
        word = hand[k]
        while word != NONE:
            card = k * 64 + lowest(word)
            word = without_lowest(word)
            if is_first_copy(s, hand, card):
                place = card - seat * SEAT_STRIDE
                if contains(s.hero_side, card) == is_hero and can_play(r, s, card, seat):
                    allow(s, PLAY_CARD + place)
                if boost_target(r, s, card, seat, is_hero) != NO_CARD:
                    allow(s, BOOST + place)
                if can_complicate:
                    allow(s, COMPLICATE + place)
        word = in_play_word(s, k)
        while word != NONE:
            card = k * 64 + lowest(word)
            word = without_lowest(word)
            if can_assign(r, s, card, seat):
                allow(s, ASSIGN + card - seat * SEAT_STRIDE)
            if usable(r, s, card, seat) != 0:
                allow(s, USE + card - seat * SEAT_STRIDE)


@kernel
def boost_target(r: Any, s: Any, card: Any, seat: Any, is_hero: Any) -> Any:
    """§8: the assigned card that a hand card can boost, or NO_CARD."""
    is_fitting = is_character(r, s, card) if is_hero else type_of(r, s, card) == ADVERSARY
    if not is_fitting:
        return np.int64(NO_CARD)
    title = r.title[s.kind[card]]
    for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
        word = in_play_word(s, k)
        while word != NONE:
            other = k * 64 + lowest(word)
            word = without_lowest(word)
            if is_assigned(s, other) and r.title[s.kind[other]] == title:
                return np.int64(other)
    return np.int64(NO_CARD)


@kernel
def usable(r: Any, s: Any, card: Any, seat: Any) -> Any:
    """§8.3: the abilities of a card that its controller can use now, bit k for its k-th clause."""
    kind = s.kind[card]
    found = np.int64(0)
    both = np.uint32(1 << HEAD_ACT | 1 << HEAD_ACT_TURN | 1 << HEAD_KW)
    if r.heads[kind] & both == 0 or s.condition[card] == INCAP:
        return found
    first = np.int64(r.first_clause[kind])
    for k in range(np.int64(r.clause_count[kind])):
        clause = first + k
        head = r.clause_head[clause]
        is_spent = head == HEAD_ACT_TURN and np.int64(s.used[card]) >> k & 1
        if (head in (HEAD_ACT, HEAD_ACT_TURN)) and not is_spent:
            set_context(s, card, seat)
            if clause_works(r, s, clause, card):
                evaluate(r, s, np.int64(r.clause_check[clause]))
                if pop(s) != 0:
                    found |= 1 << k
        is_withdraw = head == HEAD_KW and r.code[r.clause_start[clause]] != op.END
        if is_withdraw and s.zone[card] == AT_MISSION:
            found |= 1 << k
    return found


@kernel
def mask_options(r: Any, s: Any, seat: Any) -> None:
    """Which of a card's abilities: option j is the j-th that it has."""
    found = usable(r, s, np.int64(s.resolving), seat)
    for k in range(MAX_OPTIONS):
        if found >> k & 1:
            allow(s, OPTION + k)


@kernel
def mask_pending(s: Any, seat: Any, is_text: Any) -> None:
    """Cards with a text that waits."""
    for k in range(np.int64(s.pending_count)):
        if (s.pending_is_text[k] != 0) == is_text:
            allow(s, name_card(s, seat, np.int64(s.pending_self[k])))


@kernel
def mask_frame(s: Any, seat: Any, prompt: Any) -> None:
    """What a text under way lets its player choose."""
    frame = np.int64(s.frame_count) - 1
    words = s.frame_candidates[frame]
    if prompt == ASK_SCRY:
        words = s.frame_seen[frame]
        if s.frame_least[frame] == 0:
            allow(s, DONE)
    elif prompt == ASK_GLYPH and s.frame_least[frame] == 0:
        words = s.frame_chosen[frame]
    elif prompt == ASK_TARGET and count_chosen(s, frame) >= np.int64(s.frame_least[frame]):
        allow(s, DONE)
    card = first_of(words)
    while card != NO_CARD:
        zone = s.zone[card]
        if zone == COMPLICATION and owner_of(card) != seat:
            allow(s, SLOT + slot_of(s, card))
        elif zone not in (HAND, DECK, DISCARD) or is_first_copy(s, words, card):
            allow(s, name_card(s, seat, card))
        card = next_of(words, card)


@kernel
def count_chosen(s: Any, frame: Any) -> Any:
    """Number of cards chosen so far."""
    count = 0
    card = first_of(s.frame_chosen[frame])
    while card != NO_CARD:
        count += 1
        card = next_of(s.frame_chosen[frame], card)
    return count


@kernel
def slot_of(s: Any, card: Any) -> Any:
    """The place of a complication in the order of play."""
    for k in range(np.int64(s.complication_count)):
        if s.complications[k] == card:
            return k
    return 0


@kernel
def revive_cost(r: Any, s: Any, card: Any) -> Any:
    """The current revive cost of an adversary."""
    return max(np.int64(0), np.int64(r.revive_cost[s.kind[card]]) + np.int64(s.revive_plus[card]))


@kernel
def mask_fate(r: Any, s: Any) -> None:
    """§9.4: what can become of the assigned adversary."""
    seat = villain_of(s)
    judged = np.int64(s.judged)
    may_revive = not contains(s.no_revive, judged)
    if may_revive and np.int64(s.deck_size[seat]) >= revive_cost(r, s, judged):
        allow(s, REVIVE)
    if not s.succeeded:
        allow(s, SCORE)
    allow(s, LET_DIE)


@kernel
def mask_dominion(r: Any, s: Any, seat: Any) -> None:
    """§9.4: an obstacle with dominion, or none."""
    allow(s, NO)
    card = first_of(s.zones[AT_MISSION])
    while card != NO_CARD:
        if r.keywords[s.kind[card]] & np.uint8(1):
            allow(s, name_card(s, seat, card))
        card = next_of(s.zones[AT_MISSION], card)


@kernel
def mask_recipient(s: Any) -> None:
    """§9.5: characters that were assigned and are still in play."""
    seat = np.int64(s.hero)
    card = first_of(s.assigned_at_resolution)
    while card != NO_CARD:
        if s.zone[card] == PLAY:
            allow(s, name_card(s, seat, card))
        card = next_of(s.assigned_at_resolution, card)


@kernel
def mask_zone(s: Any, seat: Any, zone: Any) -> None:
    """A player's cards in a zone, of copies the first."""
    words = s.zones[zone]
    for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
        word = words[k]
        while word != NONE:
            card = k * 64 + lowest(word)
            word = without_lowest(word)
            if is_first_copy(s, words, card):
                allow(s, name_card(s, seat, card))


# --- answers --------------------------------------------------------------------------------------


@kernel
def apply_action(r: Any, s: Any, action: Any) -> None:
    """Play one legal answer to the pending prompt, up to the next decision."""
    prompt = s.prompt
    seat = np.int64(s.current_player)
    card = card_named(s, seat, action)
    s.prompt = ASK_NOTHING
    refresh(r, s)
    if prompt == ASK_MAIN:
        apply_main(r, s, seat, action)
    elif prompt == ASK_TEAM_STOP:
        s.condition[card] = STOPPED
        for k in range(MAX_PLAYERS):
            draw_cards(s, k, HAND_SIZE)
        s.phase = SETUP_FIRST_HAND
    elif prompt == ASK_MULLIGAN:
        apply_mulligan(s, seat, action)
    elif prompt in (ASK_MAY, ASK_OPTION, ASK_TARGET, ASK_GLYPH, ASK_SCRY):
        apply_frame(s, prompt, action, card)
    elif prompt in (ASK_ORDER, ASK_TEXT):
        apply_order(r, s, card, prompt == ASK_TEXT)
    elif prompt == ASK_ABILITY:
        begin_ability(r, s, np.int64(s.resolving), seat, action - OPTION)
    elif prompt == ASK_FATE:
        apply_fate(r, s, action)
    elif prompt == ASK_DOMINION:
        if action != NO:
            leave_play(s, card, VSCORE)
        s.phase = ADVERSARY_FATE
    elif prompt == ASK_RECIPIENT:
        give_glyph(r, s, card)
    elif prompt == ASK_CONTINUE:
        apply_continue(s, action)
    elif prompt == ASK_MISSION_ORDER:
        push_mission(s, card, False)
        s.known[card] |= np.uint8(1 << seat)
    else:
        put(s, card, DISCARD)
    s.is_stale = 1
    run(r, s)
    clear_scratch(s)


@kernel
def card_named(s: Any, seat: Any, action: Any) -> Any:
    """The card that an action names, or NO_CARD."""
    if OWN <= action < OTHER:
        return np.int64(seat * SEAT_STRIDE + action - OWN)
    if OTHER <= action < SLOT:
        return np.int64((1 - seat) * SEAT_STRIDE + action - OTHER)
    if SLOT <= action < OPTION:
        return np.int64(s.complications[action - SLOT])
    return np.int64(NO_CARD)


@kernel
def apply_main(r: Any, s: Any, seat: Any, action: Any) -> None:
    """§8: one action, then the other player is asked; two passes in a row end it."""
    s.priority = 1 - seat
    if action == PASS:
        s.passes += 1
        if s.passes == PASSES_TO_END:
            s.phase = SHIPS
        raise_event(r, s, EVENT_PASSES, seat, NO_CARD)
        return
    s.passes = 0
    s.actions_here += 1
    if action < ASSIGN:
        play_card(r, s, seat * SEAT_STRIDE + action - PLAY_CARD, seat)
    elif action < BOOST:
        assign_card(r, s, seat * SEAT_STRIDE + action - ASSIGN, seat)
    elif action < COMPLICATE:
        boost(r, s, seat * SEAT_STRIDE + action - BOOST, seat)
    elif action < USE:
        complicate(r, s, seat * SEAT_STRIDE + action - COMPLICATE, seat)
    else:
        use_card(r, s, seat * SEAT_STRIDE + action - USE, seat)


@kernel
def boost(r: Any, s: Any, card: Any, seat: Any) -> None:
    """§8: discard a card to boost the assigned one of its title until the mission ends."""
    is_hero = seat == s.hero
    target = boost_target(r, s, card, seat, is_hero)
    put(s, card, DISCARD)
    verb = SKILLS_VERB if is_hero else DIFF
    add_modifier(s, verb, 0, LASTS_MISSION, 1, target, target)
    raise_event(r, s, EVENT_BOOSTS, seat, target)


@kernel
def complicate(r: Any, s: Any, card: Any, seat: Any) -> None:
    """§8.2: any card face down to the mission."""
    s.power[seat] -= cost_to_complicate(s)
    put(s, card, COMPLICATION)
    s.complications[s.complication_count] = card
    s.complication_count += 1
    refresh(r, s)
    raise_event(r, s, EVENT_PLAYS, seat, card)


@kernel
def use_card(r: Any, s: Any, card: Any, seat: Any) -> None:
    """§8.3: use an ability; which one, if the card has several that can be used."""
    found = usable(r, s, card, seat)
    if found & (found - 1):
        s.resolving = card
        ask(s, ASK_ABILITY, seat)
        return
    begin_ability(r, s, card, seat, lowest(np.uint64(found)))


@kernel
def begin_ability(r: Any, s: Any, card: Any, seat: Any, place: Any) -> None:
    """Costs and effect of an ability are one program."""
    clause = np.int64(r.first_clause[s.kind[card]]) + place
    if r.clause_head[clause] == HEAD_KW:  # withdraw (§11)
        set_context(s, card, seat)
        evaluate(r, s, np.int64(r.clause_start[clause]))
        s.power[seat] += pop(s)
        leave_play(s, card, DISCARD)
        return
    if r.clause_head[clause] == HEAD_ACT_TURN:
        s.used[card] |= np.uint8(1 << place)
    push_frame(s, np.int64(r.clause_start[clause]), card, seat, THEN_NOTHING)


@kernel
def apply_mulligan(s: Any, seat: Any, action: Any) -> None:
    """U6, U7: keep the hand, or shuffle it in and draw eight."""
    if action == YES:
        for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
            word = s.zones[HAND, k]
            while word != NONE:
                push_deck(s, k * 64 + lowest(word))
                word = without_lowest(word)
        shuffle_deck(s, seat)
        draw_cards(s, seat, HAND_SIZE)
    s.phase = SETUP_SECOND_HAND if s.phase == SETUP_FIRST_HAND else TURN_START


@kernel
def apply_frame(s: Any, prompt: Any, action: Any, card: Any) -> None:
    """Give an answer to the text under way."""
    frame = np.int64(s.frame_count) - 1
    s.frame_waits[frame] = 2
    if prompt == ASK_MAY:
        s.frame_answer[frame] = action == YES
    elif prompt == ASK_OPTION:
        s.frame_answer[frame] = action - OPTION
    elif prompt == ASK_TARGET:
        if action == DONE:
            s.frame_most[frame] = count_chosen(s, frame)
        else:
            take_candidate(s, frame, card)
    else:
        s.frame_answer[frame] = card


@kernel
def apply_order(r: Any, s: Any, card: Any, is_text: Any) -> None:
    """Carry out the first waiting text of the card that was named."""
    for k in range(np.int64(s.pending_count)):
        if s.pending_self[k] == card and (s.pending_is_text[k] != 0) == is_text:
            start_pending(r, s, k)
            return


@kernel
def apply_fate(r: Any, s: Any, action: Any) -> None:
    """§9.4: revive, score or let die."""
    card = np.int64(s.judged)
    seat = villain_of(s)
    s.judged = NO_CARD
    if action == REVIVE:
        for _ in range(revive_cost(r, s, card)):
            put(s, pop_deck(s, seat), DISCARD)
        s.condition[card] = STOPPED
        s.is_stale = 1
        refresh(r, s)
        raise_own(r, s, HEAD_ON_REVIVE, card, 0)
    elif action == SCORE:
        raise_own(r, s, HEAD_ON_SCORE, card, 0)
        leave_play(s, card, VSCORE)
        s.phase = DOMINION
    else:
        leave_play(s, card, DISCARD)


@kernel
def apply_continue(s: Any, action: Any) -> None:
    """§9.6: the villain gains what is paid for failures."""
    if action == NO:
        s.phase = DEBRIEF_START
        return
    s.power[s.hero] -= cost_to_continue(s)
    s.power[1 - s.hero] += s.fail_turn
    s.phase = MISSION_PLAY


# --- §10 the end ------------------------------------------------------------------------------


@kernel
def final_result(r: Any, s: Any, points: Any, is_winner: Any) -> None:
    """Experience of each player, and who has won; nobody at the cap on turns."""
    for seat in range(MAX_PLAYERS):
        points[seat] = count_experience(r, s, seat)
        is_winner[seat] = s.winner == seat
