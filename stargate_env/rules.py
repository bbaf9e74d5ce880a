"""The Stargate TCG: turns, phases, actions and the end, on one record (RULES.md, whose § it names).

A game runs by itself until somebody has to decide: texts under way first, then missions that wait
to go under a pile, then triggered texts, then the next phase (`run`). A decision is one prompt
with its legal actions; what a choice in the middle of a text means is up to `machine.py`.
"""

from typing import Any, Final

import numpy as np

from tabletop_core.bits import NONE, WORD_BITS, has, lowest, without_lowest
from tabletop_core.jit import inline_kernel, kernel, separate_kernel
from tabletop_core.rng import randbelow

from .built_in import INCAP_PROGRAM, LET_DIE_PROGRAM, OFFER_PROGRAM, REVIVE_PROGRAM
from .derived import cost_to_complicate, cost_to_play, refresh
from .evaluate import (
    clause_at,
    clause_works,
    evaluate,
    gate_open,
    granter_at,
    pop,
    set_context,
    works_here,
)
from .fates import destroy_card, score_card, score_follower, stop_card
from .frames import carry, clear_frame, drop_frames, push_deed, push_frame
from .layout import clear_table, draw_list, lay_list
from .legal import ability_at, clear_scratch, count_chosen, find_boosts, usable
from .machine import end_delays, end_standing, execute, take_candidate
from .naming import called, name_open_cards
from .playing import (
    assign_card,
    assigned_by,
    complicate,
    finish_assign,
    finish_play,
    forget_marks,
    may_continue,
    play_card,
)
from .resolving import step_resolution
from .sizes import SHIP
from .state import (
    ACTING,
    ADVERSARY_FATE,
    ASK_ABILITY,
    ASK_BOOST,
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
    ASK_NUMBER,
    ASK_OPTION,
    ASK_ORDER,
    ASK_OVER,
    ASK_RECIPIENT,
    ASK_SCRY,
    ASK_SHIP,
    ASK_TARGET,
    ASK_TEAM_STOP,
    ASK_TEXT,
    ASSIGN,
    ATTACHED,
    BOOST,
    CLAUSES_PER_CARD,
    CLEANUP,
    COMPLICATE,
    CONTINUE,
    CONTINUING,
    COST_PLUS,
    CURRENT,
    DEBRIEF_HERO_HAND,
    DEBRIEF_MISSIONS,
    DEBRIEF_READY,
    DEBRIEF_START,
    DEBRIEF_VILLAIN_HAND,
    DISCARD,
    DOMINION,
    DONE,
    EARN_GLYPH,
    EVENT_ABOUT_TO_PLAY,
    EVENT_BOOSTS,
    EVENT_EARNS,
    EVENT_ENTERS,
    EVENT_PASSES,
    EVENT_PLAYS,
    FAILED,
    FIRST_DELAY,
    GLYPH,
    HAND,
    INCAP,
    LASTS_MISSION,
    LASTS_TURN,
    MIN_PLAYERS,
    MISSION_END,
    MISSION_OVER,
    MISSION_PLAY,
    MISSION_TURNED,
    NEXT_MISSION,
    NO,
    NO_CARD,
    NO_SEAT,
    NUMBER,
    OPTION,
    ORDERING,
    OTHER,
    OWN,
    PASS,
    PLAY,
    PLAY_CARD,
    POWER_END,
    POWER_PHASE,
    READY,
    RESOLVING,
    REVIVE,
    SCORE,
    SEAT_STRIDE,
    SEAT_WORDS,
    SETUP_HANDS,
    SETUP_SECOND_STOP,
    SETUP_STOP,
    SHIPS,
    SLOT,
    STALE,
    STALE_VICTORY,
    STOPPED,
    THEN_DISCARD_EVENT,
    THEN_FINISH_ASSIGN,
    THEN_FINISH_PLAY,
    THEN_NOTHING,
    THEN_OFFERED,
    THEN_REPLACED,
    THEN_REPLACED_FORCED,
    TUCKED,
    TURN_END,
    TURN_OVER,
    TURN_START,
    USE,
    VSCORE,
    WAITS_ANSWERED,
    YES,
)
from .table import (
    add_modifier,
    ask_player,
    assign_set,
    change_of,
    clear_delay,
    clear_pending,
    contains,
    controller_of,
    count_experience,
    count_glyphs,
    draw_cards,
    drop_tucked,
    end_marks,
    expire,
    first_of,
    glyph_kinds,
    hand_size,
    has_text,
    in_play_word,
    include,
    is_at_mission,
    is_empty,
    is_in_play,
    lay_glyph,
    left_of,
    next_of,
    num_words,
    other_of,
    owner_of,
    point_total,
    pop_mission,
    push_deck,
    push_mission,
    put,
    release_attached,
    shuffle_deck,
    type_of,
    villain_of,
)
from .triggers import (
    raise_delayed,
    raise_event,
    raise_everywhere,
    raise_glyph,
    raise_own,
)
from .victory import check_victory
from .words import (
    DIFF,
    FAIL_OPTIONAL,
    FAIL_TAX,
    FIREPOWER,
    HAND_LIMIT,
    HEAD_ACT_TURN,
    HEAD_DEBRIEF_START,
    HEAD_END_MISSION,
    HEAD_END_TURN,
    HEAD_KW,
    HEAD_ON_DESTROYED,
    HEAD_ON_PLAY,
    HEAD_ON_SCORE,
    HEAD_ON_VICTORY,
    HEAD_POWER_END,
    HEAD_POWER_START,
    MOMENT_CONTINUE,
    NO_FRAME,
    SKILLS_VERB,
)

HAND_SIZE: Final = 8
POWER_PER_TURN: Final = 3  # §7
PASSES_TO_END: Final = 2

# --- §5 set-up --------------------------------------------------------------------------------


@separate_kernel
def new_game(r: Any, s: Any) -> None:
    """§5: teams, shuffled piles and decks, the first player; then the first decision."""
    clear_table(s)
    s.num_players = r.num_players
    for seat in range(r.num_players):
        draw_list(r, s, seat)
    for seat in range(r.num_players):
        lay_list(r, s, seat)
    for seat in range(r.num_players):
        s.victory_total[seat] = point_total(r, s, left_of(s, seat))
    s.first_player = first_seat(s)
    s.hero = s.first_player
    s.phase = SETUP_STOP
    run(r, s)
    settle_record(r, s)


@separate_kernel
def first_seat(s: Any) -> Any:
    """U3, D01: the highest victory total begins; of several, one at random."""
    highest = s.victory_total.max()
    tied = np.int64(0)
    for seat in range(s.num_players):
        tied += s.victory_total[seat] == highest
    rank = randbelow(s, tied) if tied > 1 else np.int64(0)
    first = np.int64(0)
    while s.victory_total[first] != highest or rank > 0:
        rank -= s.victory_total[first] == highest
        first += 1
    return first


# --- the course of the game -----------------------------------------------------------------------


@separate_kernel
def run(r: Any, s: Any) -> None:
    """Go on until somebody has to decide or the game is over."""
    while s.prompt == ASK_NOTHING and s.end_reasons == 0 and s.is_truncated == 0:
        check_victory(r, s)
        if s.end_reasons != 0:
            continue
        if s.error != 0:
            s.is_truncated = 1
        elif s.frame_count > 0:
            outcome = execute(r, s)
            if outcome != NO_FRAME:
                follow(r, s, outcome)
        elif is_settling(r, s):
            continue
        elif not is_empty(s.zones[ORDERING]):
            ask_player(s, ASK_MISSION_ORDER, owner_of(first_of(s.zones[ORDERING])))
        elif s.pending_count > 0:
            next_pending(r, s)
        elif not is_empty(s.zones[TUCKED]) and drop_tucked(s):
            continue
        else:
            step_phase(r, s)
    if s.is_truncated or s.end_reasons != 0:
        s.prompt = ASK_OVER


@kernel
def is_settling(r: Any, s: Any) -> Any:
    """What follows by itself from what has left play; whether a text waits because of it."""
    if not is_empty(s.zones[ATTACHED]):
        release_attached(r, s)
    waiting = np.int64(s.pending_count)
    if has(np.uint64(r.heard), EVENT_ENTERS):
        hear_discards(r, s)
    return s.pending_count != waiting


@kernel
def hear_discards(r: Any, s: Any) -> None:
    """Texts that wait for cards in discard piles."""
    for k in range(num_words(s)):
        word = s.zones[DISCARD, k] & s.just_discarded[k]
        s.just_discarded[k] = NONE
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            raise_event(r, s, EVENT_ENTERS, owner_of(card), card)


@separate_kernel
def follow(r: Any, s: Any, outcome: Any) -> None:
    """What comes after a program: the card that was paid for enters play, and so on."""
    last = np.int64(s.frame_count)  # the frame that has just ended
    card = np.int64(s.frame_self[last])
    number = np.int64(s.frame_n[last])
    is_done = s.frame_done[last]
    if outcome == THEN_FINISH_PLAY:
        s.carried_n = number
        assign_set(s.carried_that, s.frame_that[last])
    clear_frame(s, last)
    if outcome == THEN_FINISH_PLAY:
        finish_play(r, s, card)
    elif outcome == THEN_FINISH_ASSIGN:
        finish_assign(r, s, np.int64(s.resolving))
    elif outcome in (THEN_REPLACED, THEN_REPLACED_FORCED):
        s.frame_answer[last - 1] = is_done
    elif outcome == THEN_OFFERED:
        if is_done == 0:
            drop_frames(s, last - number)
    elif outcome == THEN_DISCARD_EVENT and s.zone[card] == RESOLVING:
        put(s, card, DISCARD)


# --- §8.5 order of texts --------------------------------------------------------------------------


@separate_kernel
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
        ask_player(s, ASK_TEXT, controller_of(s, np.int64(s.pending_self[first])))
    else:
        ask_player(s, ASK_ORDER, np.int64(s.hero))


@separate_kernel
def start_pending(r: Any, s: Any, place: Any) -> None:
    """Begin a pending text, unless its card has lost it or left play by now (§3.2, §8.3).

    A text of §9.3 needs its card at the mission and its condition now.
    """
    clause = np.int64(s.pending_clause[place])
    if clause >= FIRST_DELAY:
        start_delayed(s, place, clause - FIRST_DELAY)
        return
    card = np.int64(s.pending_self[place])
    trigger = s.pending_trigger[place]
    granter = s.pending_granter[place]
    actor = s.pending_actor[place]
    is_text = s.pending_is_text[place] != 0
    drop_pending(s, place)
    user = controller_of(s, card)
    if not still_speaks(r, s, clause, card):
        return
    if is_text:
        refresh(r, s)
        set_context(s, card, user)
        if not is_at_mission(s, card) or not clause_works(r, s, clause, card):
            return
    is_failure = is_text and is_villain_failure(r, s, clause, user)
    if is_failure and not can_pay_to_fail(r, s, card, user):
        return
    push_frame(s, np.int64(r.clause_start[clause]), card, user, THEN_NOTHING)
    frame = np.int64(s.frame_count) - 1
    s.frame_trigger[frame] = trigger
    s.frame_granter[frame] = granter
    s.frame_actor[frame] = actor
    if is_failure:
        offer_failure(s, card, user)
    if r.clause_head[clause] == HEAD_ON_PLAY and card == s.resolving:
        carry(s, frame)


@kernel
def still_speaks(r: Any, s: Any, clause: Any, card: Any) -> Any:
    """Whether a waiting text still has its card; those about scoring and dying need it no more."""
    if is_in_play(s, card):
        return has_text(r, s, card) and gate_open(r, s, clause, card)
    is_farewell = r.clause_head[clause] in (HEAD_ON_SCORE, HEAD_ON_DESTROYED)
    is_scored = s.zone[card] == VSCORE and works_here(r, s, clause, card)
    return card == s.current or is_farewell or is_scored


@kernel
def is_villain_failure(r: Any, s: Any, clause: Any, user: Any) -> Any:
    """Whether a text of §9.1 or §9.3 is a failure text of the villain."""
    is_victory = r.clause_head[clause] == HEAD_ON_VICTORY
    return user == villain_of(s) and not s.succeeded and not is_victory


@separate_kernel
def can_pay_to_fail(r: Any, s: Any, card: Any, seat: Any) -> Any:
    """FAIL_TAX: whether everything that a failure text costs its user can be paid together."""
    set_context(s, card, seat)
    for k in range(np.int64(s.claim_count)):
        if s.claim_verb[k] == FAIL_TAX and contains(s.claim_cards[k], card):
            s.context_self = s.claim_self[k]
            s.context_each = card
            evaluate(r, s, np.int64(s.claim_check[k]))
            if pop(s) == 0:
                return False
    return True


@separate_kernel
def offer_failure(s: Any, card: Any, seat: Any) -> None:
    """FAIL_OPTIONAL, FAIL_TAX: the villain is asked first, then pays; else the text is given up."""
    below = np.int64(s.frame_count)
    is_offer = False
    for k in range(np.int64(s.claim_count)):
        verb = s.claim_verb[k]
        if verb in (FAIL_OPTIONAL, FAIL_TAX) and contains(s.claim_cards[k], card):
            is_offer = True
            if verb == FAIL_TAX:
                maker = np.int64(s.claim_self[k])
                push_frame(s, np.int64(s.claim_detail[k]), maker, seat, THEN_NOTHING)
    if is_offer:
        push_frame(s, OFFER_PROGRAM, card, seat, THEN_OFFERED)
        offer = np.int64(s.frame_count) - 1
        s.frame_n[offer] = offer - below + 1


@separate_kernel
def start_delayed(s: Any, place: Any, delay: Any) -> None:
    """Begin a delayed effect."""
    trigger = s.pending_trigger[place]
    actor = s.pending_actor[place]
    drop_pending(s, place)
    card = np.int64(s.delay_self[delay])
    user = np.int64(s.delay_user[delay])
    push_frame(s, np.int64(s.delay_address[delay]), card, user, THEN_NOTHING)
    frame = np.int64(s.frame_count) - 1
    s.frame_trigger[frame] = trigger
    s.frame_actor[frame] = actor
    s.frame_n[frame] = s.delay_n[delay]
    for k in range(num_words(s)):
        s.frame_that[frame, k] = s.delay_that[delay, k]
    if not s.delay_repeats[delay]:
        clear_delay(s, delay)


@kernel
def drop_pending(s: Any, place: Any) -> None:
    """Take a text out of the pending ones."""
    for k in range(place, np.int64(s.pending_count) - 1):
        s.pending_clause[k] = s.pending_clause[k + 1]
        s.pending_self[k] = s.pending_self[k + 1]
        s.pending_trigger[k] = s.pending_trigger[k + 1]
        s.pending_granter[k] = s.pending_granter[k + 1]
        s.pending_actor[k] = s.pending_actor[k + 1]
        s.pending_is_text[k] = s.pending_is_text[k + 1]
    s.pending_count -= 1
    clear_pending(s, s.pending_count)


# --- §7 the turn ----------------------------------------------------------------------------------


@separate_kernel
def step_phase(r: Any, s: Any) -> None:
    """§7: the work of one phase; it names the next one."""
    phase = s.phase
    if phase <= SETUP_HANDS:
        step_setup(s, phase)
    elif phase == TURN_START:
        start_turn(r, s)
        raise_everywhere(r, s, HEAD_POWER_START)
    elif phase == POWER_PHASE:
        hero = np.int64(s.hero)
        power = POWER_PER_TURN + count_glyphs(s, hero)
        s.power[hero] = power
        s.power[villain_of(s)] = power
        s.is_stale = STALE
        raise_everywhere(r, s, HEAD_POWER_END)
        s.phase = POWER_END
    elif phase == POWER_END:
        s.phase = MISSION_PLAY
    elif phase == MISSION_PLAY:
        begin_mission(r, s)
    elif phase == MISSION_TURNED:
        play_mission(r, s)
    elif phase == ACTING:
        ask_player(s, ASK_MAIN, np.int64(s.priority))
    elif phase <= CLEANUP:
        step_resolution(r, s, phase)
    else:
        step_end(r, s, phase)


@kernel
def step_setup(s: Any, phase: Any) -> None:
    """U4-U7: stops by the first player's left neighbour (§12), hands in the order of turns."""
    if phase == SETUP_HANDS:
        ask_player(s, ASK_MULLIGAN, np.int64(s.priority))
    else:
        ask_player(s, ASK_TEAM_STOP, left_of(s, s.first_player))


@separate_kernel
def start_turn(r: Any, s: Any) -> None:
    """TURN_START: incapacitated cards recover as stopped ones, counters start anew."""
    refresh(r, s)
    for k in range(num_words(s)):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            if s.condition[card] == INCAP:
                stop_card(r, s, card)
    s.success_turn[:] = 0
    s.fail_turn = 0
    s.missions_played = 0
    s.played_turn[:] = NONE
    for card in range(len(s.used)):
        if s.used[card] != 0:
            s.used[card] &= r.until_clauses[s.kind[card]]
    s.is_stale = STALE
    s.phase = POWER_PHASE


@kernel
def begin_mission(r: Any, s: Any) -> None:
    """MISSION_PLAY: a mission is about to be played, if there is one."""
    hero = np.int64(s.hero)
    s.phase = DEBRIEF_START
    size = np.int64(s.missions_size[hero])
    if size > 0:
        s.phase = MISSION_TURNED
        top = hero * SEAT_STRIDE + np.int64(s.missions[hero, size - 1])
        raise_event(r, s, EVENT_ABOUT_TO_PLAY, hero, top)


@separate_kernel
def play_mission(r: Any, s: Any) -> None:
    """MISSION_PLAY: the top mission becomes current."""
    hero = np.int64(s.hero)
    mission = pop_mission(s, hero)
    put(s, mission, CURRENT)
    forget_marks(s, mission)
    s.current = mission
    for k in range(np.int64(s.modifier_count)):
        if s.modifier_card[k] == NEXT_MISSION:
            s.modifier_card[k] = mission
            s.modifier_lasts[k] = LASTS_MISSION
    s.missions_played += 1
    include(s.played_turn, mission)
    s.passes = 0
    s.actions_here = 0
    s.priority = hero
    s.phase = ACTING
    refresh(r, s)
    if s.first_priority != NO_SEAT:
        s.priority = s.first_priority
    raise_own(r, s, HEAD_ON_PLAY, mission, 0)
    raise_event(r, s, EVENT_PLAYS, hero, mission)


# --- §7 the end of missions and turns -------------------------------------------------------------


@separate_kernel
def step_end(r: Any, s: Any, phase: Any) -> None:
    """From the glyph to the next turn."""
    hero = np.int64(s.hero)
    if phase == EARN_GLYPH:
        earn_glyph(s)
    elif phase == MISSION_END:
        raise_everywhere(r, s, HEAD_END_MISSION)
        s.phase = MISSION_OVER
    elif phase == MISSION_OVER:
        end_mission(r, s)
    elif phase == CONTINUE:
        ask_to_continue(r, s, hero)
    elif phase == DEBRIEF_START:
        raise_everywhere(r, s, HEAD_DEBRIEF_START)
        s.phase = DEBRIEF_READY
    elif phase == DEBRIEF_READY:
        ready_all(s)
        s.phase = DEBRIEF_MISSIONS
    elif phase == DEBRIEF_MISSIONS:
        collect_failed_missions(s)
    elif phase == DEBRIEF_HERO_HAND:
        refill_hand(s, hero, DEBRIEF_VILLAIN_HAND)
    elif phase == DEBRIEF_VILLAIN_HAND:
        refill_hand(s, villain_of(s), TURN_END)
        if s.phase == TURN_END:
            raise_everywhere(r, s, HEAD_END_TURN)
    elif phase == TURN_END:
        end_what_lasts_a_turn(r, s)
    else:
        end_turn(r, s)


@kernel
def end_mission(r: Any, s: Any) -> None:
    """§7: what lasts for a mission ends."""
    end_standing(s, LASTS_MISSION)
    end_delays(s, LASTS_MISSION)
    expire(s, LASTS_MISSION)
    end_marks(r, s, True)
    s.current = NO_CARD
    s.is_stale = STALE
    s.resolving = NO_CARD
    raise_delayed(s, MOMENT_CONTINUE)
    s.phase = CONTINUE


@kernel
def ask_to_continue(r: Any, s: Any, hero: Any) -> None:
    """§9.6: another mission, if the hero can and pays for it."""
    refresh(r, s)
    is_possible = may_continue(r, s, hero)
    if s.must_continue and is_possible:
        s.phase = MISSION_PLAY
    elif is_possible and cost_to_continue(s) <= s.power[hero]:
        ask_player(s, ASK_CONTINUE, hero)
    else:
        s.phase = DEBRIEF_START
    s.must_continue = 0


@kernel
def collect_failed_missions(s: Any) -> None:
    """§7: they go back below the mission pile, in an order that the hero chooses."""
    card = first_of(s.zones[FAILED])
    while card != NO_CARD:
        put(s, card, ORDERING)
        card = next_of(s.zones[FAILED], card)
    s.phase = DEBRIEF_HERO_HAND


@kernel
def end_what_lasts_a_turn(r: Any, s: Any) -> None:
    """§7: texts for the turn and unspent power are gone."""
    expire(s, LASTS_TURN)
    end_marks(r, s, False)
    end_standing(s, LASTS_TURN)
    end_delays(s, LASTS_TURN)
    s.power[:] = 0
    s.phase = TURN_OVER


@kernel
def earn_glyph(s: Any) -> None:
    """§9.5: a failed mission waits for the debrief, for a glyph a character is chosen."""
    s.phase = MISSION_END
    mission = np.int64(s.current)
    if s.succeeded and has_recipient(s):
        ask_player(s, ASK_RECIPIENT, np.int64(s.hero))
    elif s.zone[mission] == CURRENT:
        put(s, mission, FAILED)


@separate_kernel
def give_glyph(r: Any, s: Any, card: Any) -> None:
    """§9.5: the mission goes beneath a character; its texts for that, then those of others."""
    mission = np.int64(s.current)
    glyph = np.int64(r.glyph[s.kind[mission]])
    is_new = not has(glyph_kinds(r, s, card), glyph)
    put(s, mission, GLYPH)
    lay_glyph(s, mission, card)
    s.earned = glyph
    refresh(r, s)
    raise_glyph(r, s, card, glyph, is_new)
    raise_event(r, s, EVENT_EARNS, np.int64(s.hero), card)


@inline_kernel
def has_recipient(s: Any) -> Any:
    """Whether a character that was assigned is still in play."""
    for k in range(num_words(s)):
        if s.assigned_at_resolution[k] & s.zones[PLAY, k] != NONE:
            return True
    return False


@inline_kernel
def cost_to_continue(s: Any) -> Any:
    """§9.6: 1 power for each failed mission, and what texts add."""
    return max(np.int64(0), np.int64(s.fail_turn) + change_of(s, CONTINUING, COST_PLUS))


@separate_kernel
def ready_all(s: Any) -> None:
    """DEBRIEF_READY: the hero's stopped hero cards, the villain's stopped villain cards."""
    for k in range(num_words(s)):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            if s.condition[card] == STOPPED:
                s.condition[card] = READY
    s.is_stale = STALE


@kernel
def refill_hand(s: Any, seat: Any, next_phase: Any) -> None:
    """DEBRIEF_HANDS: up to eight cards, or down to them."""
    held = hand_size(s, seat)
    if held > HAND_LIMIT:
        ask_player(s, ASK_DISCARD, seat)
        return
    draw_cards(s, seat, HAND_LIMIT - held)
    s.phase = next_phase


@separate_kernel
def end_turn(r: Any, s: Any) -> None:
    """TURN_END: the next player becomes the hero; the cap on turns (§10)."""
    s.turn_count += 1
    s.is_stale = STALE
    if s.turn_count >= r.max_turns:
        s.is_truncated = 1
        return
    s.hero = left_of(s, s.hero)
    while s.skipped_turns[s.hero] > 0:
        s.skipped_turns[s.hero] -= 1
        s.hero = left_of(s, s.hero)
    s.phase = TURN_START


# --- answers --------------------------------------------------------------------------------------


@separate_kernel
def apply_action(r: Any, s: Any, action: Any) -> None:
    """Play one legal answer to the pending prompt, up to the next decision."""
    prompt = s.prompt
    seat = np.int64(s.current_player)
    card = card_named(r, s, seat, action)
    s.prompt = ASK_NOTHING
    refresh(r, s)
    if prompt == ASK_MAIN:
        apply_main(r, s, seat, action)
    elif prompt == ASK_TEAM_STOP:
        apply_team_stop(s, card)
    elif prompt == ASK_MULLIGAN:
        apply_mulligan(s, seat, action)
    elif prompt in (ASK_MAY, ASK_OPTION, ASK_NUMBER, ASK_TARGET, ASK_GLYPH, ASK_SCRY):
        apply_frame(s, prompt, action, card)
    elif prompt in (ASK_ORDER, ASK_TEXT):
        apply_order(r, s, card, prompt == ASK_TEXT)
    elif prompt == ASK_BOOST:
        boost_card(r, s, np.int64(s.resolving), card, seat)
    elif prompt == ASK_ABILITY:
        begin_ability(r, s, np.int64(s.resolving), seat, action - OPTION)
    elif prompt == ASK_FATE:
        apply_fate(r, s, action)
    elif prompt == ASK_DOMINION:
        if s.frame_count > 0:
            apply_frame(s, prompt, action, card)
        else:
            score_follower(s, card)
            s.phase = ADVERSARY_FATE
    elif prompt == ASK_RECIPIENT:
        give_glyph(r, s, card)
    elif prompt == ASK_SHIP:
        if action != NO:
            s.sets[0, :] = NONE
            include(s.sets[0], card)
            push_deed(s, INCAP_PROGRAM, s.sets[0], seat)
    elif prompt == ASK_CONTINUE:
        apply_continue(s, action)
    elif prompt == ASK_MISSION_ORDER:
        push_mission(s, card, False)
    else:
        put(s, card, DISCARD)
    s.is_stale |= STALE_VICTORY
    run(r, s)
    settle_record(r, s)


@separate_kernel
def settle_record(r: Any, s: Any) -> None:
    """Between decisions numbers are up to date and nothing is left of what is finished."""
    if s.prompt == ASK_OVER:
        drop_frames(s, np.int64(0))
        while s.pending_count > 0:
            drop_pending(s, np.int64(0))
    name_open_cards(s)
    refresh(r, s)
    s.is_stale = 0
    clear_scratch(s)
    if not has(np.uint64(r.heard), EVENT_ENTERS):
        s.just_discarded[:] = NONE


@kernel
def card_named(r: Any, s: Any, seat: Any, action: Any) -> Any:
    """The card that an action names, or NO_CARD."""
    if OWN <= action < OTHER:
        return np.int64(seat * SEAT_STRIDE + action - OWN)
    if OTHER <= action < SLOT:
        return called(r, s, seat, np.int64(other_of(s, seat) * SEAT_STRIDE + action - OTHER))
    if SLOT <= action < OPTION:
        return np.int64(s.complications[action - SLOT])
    return np.int64(NO_CARD)


@separate_kernel
def apply_main(r: Any, s: Any, seat: Any, action: Any) -> None:
    """§8: one action, then the other player is asked; two passes in a row end it."""
    s.priority = other_of(s, seat)
    if action == PASS:
        s.passes += 1
        if s.passes == PASSES_TO_END:
            s.phase = SHIPS
        raise_event(r, s, EVENT_PASSES, seat, NO_CARD)
        return
    s.passes = 0
    s.actions_here += 1
    if action < ASSIGN:
        card = seat * SEAT_STRIDE + action - PLAY_CARD
        play_card(r, s, card, seat, cost_to_play(r, s, card))
    elif action < BOOST:
        assign_card(r, s, assigned_by(s, seat * SEAT_STRIDE + action - ASSIGN), seat)
    elif action < COMPLICATE:
        boost(r, s, seat * SEAT_STRIDE + action - BOOST, seat)
    elif action < USE:
        card = seat * SEAT_STRIDE + action - COMPLICATE
        complicate(r, s, card, seat, cost_to_complicate(s))
    else:
        use_card(r, s, seat * SEAT_STRIDE + action - USE, seat)


@kernel
def boost(r: Any, s: Any, card: Any, seat: Any) -> None:
    """§8: discard a card to boost an assigned one; which one, if it fits several."""
    if find_boosts(r, s, card, seat) > 1:
        s.resolving = card
        ask_player(s, ASK_BOOST, seat)
        return
    boost_card(r, s, card, first_of(s.static_cards), seat)


@kernel
def boost_card(r: Any, s: Any, card: Any, target: Any, seat: Any) -> None:
    """The boost lasts until the mission ends."""
    put(s, card, DISCARD)
    verb = SKILLS_VERB if seat == s.hero else DIFF
    if type_of(r, s, target) == SHIP:
        verb = FIREPOWER
    add_modifier(s, verb, 0, LASTS_MISSION, 1, target, target)
    raise_event(r, s, EVENT_BOOSTS, seat, target)


@kernel
def use_card(r: Any, s: Any, card: Any, seat: Any) -> None:
    """§8.3: use an ability; which one, if the card has several that can be used."""
    found = usable(r, s, card, seat)
    if found & (found - 1):
        s.resolving = card
        ask_player(s, ASK_ABILITY, seat)
        return
    begin_ability(r, s, card, seat, lowest(np.uint64(found)))


@separate_kernel
def begin_ability(r: Any, s: Any, card: Any, seat: Any, number: Any) -> None:
    """Costs and effect of an ability are one program."""
    named = ability_at(r, s, card, seat, number)
    card, place = named // CLAUSES_PER_CARD, named % CLAUSES_PER_CARD
    clause = clause_at(r, s, card, place)
    granter = granter_at(r, s, card, place)
    if r.clause_head[clause] == HEAD_KW:  # withdraw (§11)
        set_context(s, card, seat)
        evaluate(r, s, np.int64(r.clause_start[clause]))
        s.power[seat] += pop(s)
        destroy_card(r, s, card)
        return
    if r.clause_head[clause] == HEAD_ACT_TURN:
        s.used[card] |= np.uint8(1 << place)
    push_frame(s, np.int64(r.clause_start[clause]), card, seat, THEN_NOTHING)
    s.frame_granter[np.int64(s.frame_count) - 1] = granter


@separate_kernel
def apply_team_stop(s: Any, card: Any) -> None:
    """U4, D02: a stopped team character; of three players, the second one stops one too (§12)."""
    s.condition[card] = STOPPED
    s.is_stale = STALE
    if s.phase == SETUP_STOP and s.num_players > MIN_PLAYERS:
        s.phase = SETUP_SECOND_STOP
        return
    for seat in range(s.num_players):
        draw_cards(s, seat, HAND_SIZE)
    s.priority = s.first_player
    s.phase = SETUP_HANDS


@separate_kernel
def apply_mulligan(s: Any, seat: Any, action: Any) -> None:
    """U6, U7, D03, D04: keep the hand, or shuffle it in and draw eight; then the next player."""
    if action == YES:
        for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
            word = s.zones[HAND, k]
            while word != NONE:
                push_deck(s, k * WORD_BITS + lowest(word))
                word = without_lowest(word)
        shuffle_deck(s, seat)
        draw_cards(s, seat, HAND_SIZE)
    s.priority = left_of(s, seat)
    if s.priority == s.first_player:
        s.phase = TURN_START


@separate_kernel
def apply_frame(s: Any, prompt: Any, action: Any, card: Any) -> None:
    """Give an answer to the text under way."""
    frame = np.int64(s.frame_count) - 1
    s.frame_waits[frame] = WAITS_ANSWERED
    if prompt == ASK_MAY:
        s.frame_answer[frame] = action == YES
    elif prompt == ASK_OPTION:
        s.frame_answer[frame] = action - OPTION
    elif prompt == ASK_NUMBER:
        s.frame_answer[frame] = action - NUMBER
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


@separate_kernel
def apply_fate(r: Any, s: Any, action: Any) -> None:
    """§9.4: revive, score or let die."""
    card = np.int64(s.judged)
    seat = villain_of(s)
    s.judged = NO_CARD
    if action == SCORE:
        score_card(r, s, card)
        s.phase = DOMINION
        return
    s.sets[0, :] = NONE
    include(s.sets[0], card)
    program = REVIVE_PROGRAM if action == REVIVE else LET_DIE_PROGRAM
    push_deed(s, program, s.sets[0], seat)


@kernel
def apply_continue(s: Any, action: Any) -> None:
    """§9.6: the villain gains what is paid for failures."""
    if action == NO:
        s.phase = DEBRIEF_START
        return
    s.power[s.hero] -= cost_to_continue(s)
    s.power[villain_of(s)] += s.fail_turn
    s.is_stale = STALE
    s.phase = MISSION_PLAY


# --- §10 the end ------------------------------------------------------------------------------


@kernel
def final_result(r: Any, s: Any, points: Any, is_winner: Any) -> None:
    """Experience of each player, and who has won; nobody at the cap on turns."""
    for seat in range(s.num_players):
        points[seat] = count_experience(r, s, seat)
        is_winner[seat] = s.winner == seat
