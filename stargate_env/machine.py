"""The machine that carries out programs: frames, choices and deeds (`opcodes.py`).

`execute` runs the topmost frame until it is finished or a choice is put to a player. Section
numbers refer to RULES.md beside this file.
"""

from typing import Any

import numpy as np

from tabletop_core.bits import NONE
from tabletop_core.jit import inline_kernel, kernel, separate_kernel
from tabletop_core.rng import randbelow

from . import opcodes as op
from .deeds import (
    add_glyph,
    blockade,
    discard_card,
    gain_skills,
    look_at,
    place_card,
    put_found_missions,
    swap_glyph_top,
    swap_glyphs,
    tuck,
)
from .derived import refresh
from .evaluate import can_move_glyph, evaluate, pop, seat_named
from .fates import (
    NO_EVENT,
    NO_REPLACEMENT,
    can_pay_revive,
    destroy_card,
    incapacitate,
    may_follow,
    offer_replacement,
    pay_revive,
    replaced_event,
    revive_card,
    score_card,
    score_follower,
    stop_card,
    was_replaced,
)
from .frames import ask, chooser_of, enter_frame
from .playing import can_play_by_text, may_continue, play_by_text
from .sizes import MISSION, NUM_GLYPHS
from .state import (
    ASK_DOMINION,
    ASK_GLYPH,
    ASK_MAY,
    ASK_NUMBER,
    ASK_OPTION,
    ASK_SCRY,
    ASK_TARGET,
    AT_MISSION,
    COMPLICATION,
    DECK,
    DISCARD,
    ERROR_DELAYS,
    ERROR_INSTRUCTION,
    ERROR_MARKS,
    ERROR_STANDING,
    GLYPH,
    HAND,
    LASTS_FOREVER,
    LASTS_MISSION,
    LASTS_SOURCE,
    LASTS_TURN,
    LOOKED_AT,
    MAX_DELAYS,
    MAX_MARKS,
    MAX_NUMBER,
    MAX_STANDING,
    MISSIONS,
    NEXT_MISSION,
    NO_CARD,
    NO_SEAT,
    PLAY,
    READY,
    STALE,
    STALE_NUMBERS,
    THEN_REPLACED_FORCED,
    WAITS_NOT,
)
from .table import (
    add_modifier,
    assign_set,
    attach,
    clear_delay,
    clear_standing,
    contains,
    copy_modifier,
    detach,
    draw_cards,
    exclude,
    first_of,
    hand_size,
    include,
    is_empty,
    is_in_play,
    keep_modifiers,
    lay_glyph,
    leave_play,
    next_of,
    note_mixed,
    note_revealed,
    note_seen,
    num_words,
    owner_of,
    pop_deck,
    pop_mission,
    push_deck,
    push_mission,
    push_under_deck,
    put,
    remove_from_deck,
    shuffle_deck,
    shuffle_missions,
    size_of,
    take_out,
    turn_face_down,
    type_of,
    villain_of,
)
from .victory import check_victory
from .words import (
    ADD_GLYPH,
    ANY,
    ATTACH,
    BLOCK,
    BLOCKADE,
    COST,
    DELAY,
    DESTROY,
    DETACH,
    DIFF,
    DISCARD_VERB,
    DRAW,
    EXACT,
    FACEDOWN,
    FACEUP,
    FORCE_CONTINUE,
    GAIN_SKILLS,
    GAIN_TRAITS,
    GRANT,
    HAND_LIMIT,
    INCAP_VERB,
    LOOK,
    LOSE_GLYPH,
    MARK,
    MILL,
    MOVE_GLYPH,
    NO_FRAME,
    NO_REVIVE,
    PAY,
    PAY_REVIVE,
    PICK,
    PICK_GLYPH,
    PICK_KIND,
    PILE_DECK,
    PLACE_DECK_TOP,
    PLACE_DISCARD,
    PLACE_HAND,
    PLAY_VERB,
    POWER,
    PROMOTE,
    PUT,
    READY_VERB,
    RECOVER,
    REFERRED,
    REFILL,
    RESHUFFLE,
    RETURN,
    REVEAL,
    REVIVE_NOW,
    SCORE_VERB,
    SCRY,
    SEARCH,
    SEARCH_MISSION,
    SET_SKILL,
    SHUFFLE,
    SKIP_TURN,
    STOP,
    STRIP_FAIL,
    SWAP_GLYPH_TOP,
    SWAP_GLYPHS,
    TUCK,
    UNBLOCK,
    UP_TO,
    WATCH,
)

# --- running programs ----------------------------------------------------------------------------


@separate_kernel
def execute(r: Any, s: Any) -> Any:
    """Run the topmost frame until it waits (NO_FRAME), or is finished: what then follows."""
    frame = np.int64(s.frame_count) - 1
    code = r.code
    pc = np.int64(s.frame_address[frame])
    refresh(r, s)
    enter_frame(s, frame)
    while s.error == 0:
        if s.frame_waits[frame] == 0 and code[pc] != op.END:
            if s.is_stale & STALE_NUMBERS:
                refresh(r, s)
                enter_frame(s, frame)
            s.frame_origin[frame] = pc
            pc = evaluate(r, s, pc)
        s.frame_address[frame] = pc
        instruction = code[pc]
        if instruction == op.END:
            s.frame_count -= 1
            return np.int64(s.frame_then[frame])
        if instruction < op.CHOOSE:
            pc = control(r, s, frame, pc, instruction)
        elif instruction == op.CHOOSE:
            pc = choose(r, s, frame, pc)
        elif instruction == op.TAKE:
            assign_set(s.frame_chosen[frame], s.sets[0])
            s.frame_least[frame] = REFERRED
            pc += 1
        elif instruction == op.DO:
            pc = do(r, s, frame, pc)
        elif instruction == op.PLAY_CARDS:
            pc = play_cards(r, s, frame, pc)
        elif instruction == op.MODIFY:
            pc = modify(r, s, frame, pc)
        elif instruction == op.ACT:
            pc = act(r, s, frame, pc)
        elif instruction == op.GLYPHS:
            pc = move_glyph(r, s, frame, pc)
        elif instruction == op.ATTACHED_CODE:
            pc = keep_program(r, s, frame, pc)
        else:
            s.error = ERROR_INSTRUCTION
        if pc < 0:
            return np.int64(NO_FRAME)
        if np.int64(s.frame_count) - 1 != frame:  # a card is played: its costs and texts first
            s.frame_address[frame] = pc
            return np.int64(NO_FRAME)
        if instruction > op.TAKE and code[pc] != op.END:
            check_victory(r, s)  # the game ends in the middle of a text, too (§10)
            if s.end_reasons != 0:
                return np.int64(NO_FRAME)
            enter_frame(s, frame)
    return np.int64(NO_FRAME)


@separate_kernel
def control(r: Any, s: Any, frame: Any, pc: Any, instruction: Any) -> Any:
    """Jumps and questions; the next address, or -1 to wait."""
    code = r.code
    if instruction == op.JUMP_IF_NOT:
        s.reserved[:] = NONE
        s.spent = 0
        if pop(s) == 0:
            s.frame_done[frame] = 0
            return np.int64(code[pc + 1])
        return pc + 2
    if instruction == op.JUMP_IF_DONE:
        return np.int64(code[pc + 1]) if s.frame_done[frame] else pc + 2
    if instruction == op.JUMP_IF_UNDONE:
        return pc + 2 if s.frame_done[frame] else np.int64(code[pc + 1])
    if instruction == op.SET_DONE:
        s.frame_done[frame] = code[pc + 1]
        return pc + 2
    if instruction == op.BY:
        s.frame_by[frame] = NO_SEAT
        if code[pc + 1] != op.BY_DEFAULT:
            s.frame_by[frame] = seat_named(s, code[pc + 1])
        s.context_user = chooser_of(s, frame)
        return pc + 2
    if instruction == op.ABLE:
        return able(r, s, frame, pc)
    if instruction == op.ASK and s.frame_then[frame] == THEN_REPLACED_FORCED:
        return pc + 2
    if s.frame_waits[frame] == 0:
        if instruction == op.ASK:
            ask(s, frame, ASK_MAY, chooser_of(s, frame))
        else:
            s.frame_least[frame] = mask_of_options(s, np.int64(code[pc + 1]))
            s.reserved[:] = NONE
            s.spent = 0
            ask(s, frame, ASK_OPTION, chooser_of(s, frame))
        return np.int64(-1)
    s.frame_waits[frame] = 0
    if instruction == op.ASK:
        return pc + 2 if s.frame_answer[frame] else np.int64(code[pc + 1])
    return np.int64(code[pc + 2 + np.int64(s.frame_answer[frame])])


@kernel
def mask_of_options(s: Any, count: Any) -> Any:
    """OPTIONS: pop which of so many options can be taken, as a set."""
    options = np.int64(0)
    for k in range(count):
        if pop(s) != 0:
            options |= np.int64(1) << (count - 1 - k)
    return options


# --- choosing cards -------------------------------------------------------------------------------


@separate_kernel
def choose(r: Any, s: Any, frame: Any, pc: Any) -> Any:
    """CHOOSE: as many cards of the candidates as the quantity says; -1 to wait."""
    code = r.code
    flags = np.int64(code[pc + 2])
    if s.frame_waits[frame] == 0:
        begin_choice(s, frame, np.int64(code[pc + 1]), flags)
    s.frame_waits[frame] = 0
    if flags & (op.LIMITED_COST | op.DIFFERENT_HOSTS):
        narrow_choice(r, s, frame, flags)
    candidates = s.frame_candidates[frame]
    chosen = size_of(s.frame_chosen[frame])
    missing = np.int64(s.frame_least[frame]) - chosen
    left = size_of(candidates)
    if flags & op.AT_RANDOM:
        while missing > 0 and left > 0:
            take_candidate(s, frame, random_of(s, candidates, left))
            missing -= 1
            left -= 1
    elif left > 0 and left <= missing:  # C3: all of them
        for k in range(num_words(s)):
            s.frame_chosen[frame, k] |= candidates[k]
            candidates[k] = NONE
        left = np.int64(0)
    if left > 0 and chosen < s.frame_most[frame] and not flags & op.AT_RANDOM:
        seat = chooser_of(s, frame)
        if flags & op.BY_HAND_OWNER:
            seat = owner_of(first_of(candidates))
        ask(s, frame, ASK_TARGET, seat)
        return np.int64(-1)
    if flags & op.NAMES_N:
        s.frame_n[frame] = size_of(s.frame_chosen[frame])
    return pc + 3


@separate_kernel
def narrow_choice(r: Any, s: Any, frame: Any, flags: Any) -> None:
    """Drop candidates that cost too much besides the chosen ones, or glyphs beside a chosen one."""
    chosen = s.frame_chosen[frame]
    candidates = s.frame_candidates[frame]
    left = np.int64(s.frame_limit[frame])
    card = first_of(chosen)
    while card != NO_CARD:
        left -= max(np.int64(0), np.int64(r.cost[s.kind[card]]))
        card = next_of(chosen, card)
    card = first_of(candidates)
    while card != NO_CARD:
        is_beside = flags & op.DIFFERENT_HOSTS and has_glyph_beside(s, chosen, card)
        if is_beside or (flags & op.LIMITED_COST and r.cost[s.kind[card]] > left):
            exclude(candidates, card)
        card = next_of(candidates, card)


@kernel
def has_glyph_beside(s: Any, words: Any, glyph: Any) -> Any:
    """Whether a glyph of a set lies beneath the same card as `glyph`."""
    other = first_of(words)
    while other != NO_CARD:
        if s.host[other] == s.host[glyph]:
            return True
        other = next_of(words, other)
    return False


@separate_kernel
def begin_choice(s: Any, frame: Any, kind: Any, flags: Any) -> None:
    """Remember candidates and how many of them."""
    assign_set(s.frame_candidates[frame], s.sets[0])
    s.frame_chosen[frame, :] = NONE
    count = size_of(s.sets[0])
    least = count
    most = count
    if kind == EXACT:
        least = min(count, max(np.int64(0), pop(s)))
        most = least
    elif kind == ANY:
        least = np.int64(0)
    elif kind == UP_TO:
        least = np.int64(0)
        most = min(count, max(np.int64(0), pop(s)))
    if flags & op.MAY_FAIL and not is_whole_deck(s, count):
        least = np.int64(0)
    if flags & op.LIMITED_COST:
        limit = np.int64(s.locals[op.NUM_LOCALS - 1])
        s.frame_limit[frame] = max(np.int64(0), min(np.int64(op.NO_LIMIT), limit))
    s.frame_least[frame] = least
    s.frame_most[frame] = most


@kernel
def is_whole_deck(s: Any, count: Any) -> Any:
    """C8: whether the `count` candidates are all cards of the deck that is searched."""
    card = first_of(s.sets[0])
    return card != NO_CARD and count == s.deck_size[owner_of(card)]


@inline_kernel
def take_candidate(s: Any, frame: Any, card: Any) -> None:
    """Choose one card."""
    exclude(s.frame_candidates[frame], card)
    include(s.frame_chosen[frame], card)


@kernel
def random_of(s: Any, words: Any, count: Any) -> Any:
    """A uniformly random card of a set of `count` cards."""
    rank = randbelow(s, count)
    card = first_of(words)
    for _ in range(rank):
        card = next_of(words, card)
    return card


# --- doing ----------------------------------------------------------------------------------------


@separate_kernel
def do(r: Any, s: Any, frame: Any, pc: Any) -> Any:
    """DO: the address behind, or -1 to wait."""
    code = r.code
    verb = np.int64(code[pc + 1])
    if is_placing(code[pc + 1], code[pc + 2]):
        return place_in_order(r, s, frame, pc)
    if verb == SCORE_VERB:
        return score_cards(r, s, frame, pc)
    if verb == PAY_REVIVE:
        return pay_revive(r, s, frame, pc)
    return do_cards(r, s, frame, pc)


@separate_kernel
def do_cards(r: Any, s: Any, frame: Any, pc: Any) -> Any:
    """Carry out a verb for each chosen card, unless something else happens instead; -1 to wait.

    The chosen cards are `that` from here on.
    """
    verb, flags = np.int64(r.code[pc + 1]), np.int64(r.code[pc + 3])
    event = NO_EVENT if flags & op.DO_AS_COST else replaced_event(verb)
    left = s.frame_candidates[frame]
    if s.frame_waits[frame] == WAITS_NOT:
        begin_deeds(s, frame)
        do_together(s, frame, verb)
    is_replaced = was_replaced(s, frame)
    card = first_of(left)
    while card != NO_CARD:
        if is_replaced:
            s.frame_most[frame] += 1
        elif event != NO_EVENT and offer_replacement(r, s, frame, event, card, card, False):
            return np.int64(-1)
        else:
            do_card(r, s, frame, pc, card)
        is_replaced = False
        s.frame_cursor[frame] = NO_REPLACEMENT
        exclude(left, card)
        card = first_of(left)
    finish_deeds(r, s, frame, pc, verb, flags)
    return pc + op.DO_WIDTH


@kernel
def begin_deeds(s: Any, frame: Any) -> None:
    """Remember which cards are left."""
    assign_set(s.frame_candidates[frame], s.frame_chosen[frame])
    s.frame_most[frame] = 0
    s.frame_cursor[frame] = NO_REPLACEMENT


@separate_kernel
def do_together(s: Any, frame: Any, verb: Any) -> None:
    """The verbs that are done to all chosen cards at once; no card is left then."""
    chosen = s.frame_chosen[frame]
    if verb in (LOOK, REVEAL):
        assign_set(s.frame_seen[frame], chosen)
        look_at(s, chosen, chooser_of(s, frame), verb == REVEAL)
    elif verb == SEARCH_MISSION:
        put_found_missions(s, chosen, chooser_of(s, frame))
    elif verb == SWAP_GLYPHS:
        swap_glyphs(s, chosen)
    else:
        return
    s.frame_candidates[frame, :] = NONE


@separate_kernel
def finish_deeds(r: Any, s: Any, frame: Any, pc: Any, verb: Any, flags: Any) -> None:
    """What follows when the verb was carried out for the last card."""
    chosen = s.frame_chosen[frame]
    if verb in (RESHUFFLE, SEARCH):
        shuffle_deck(s, seat_named(s, np.int64(r.code[pc + 3]) >> op.PLAYER_SHIFT))
    if verb == SEARCH and r.code[pc + 2] == PLACE_DECK_TOP:  # first shuffled, then put on top
        put_on_deck(s, chosen)
    if s.frame_least[frame] != REFERRED:
        assign_set(s.frame_that[frame], chosen)
    if flags & op.DO_NAMES_N:  # what was replaced does not count
        s.frame_n[frame] -= np.int16(s.frame_most[frame])
    is_chosen = not is_empty(chosen)
    s.frame_done[frame] = is_chosen and s.frame_most[frame] == 0
    if is_chosen:
        s.is_stale = STALE


@separate_kernel
def do_card(r: Any, s: Any, frame: Any, pc: Any, card: Any) -> None:
    """One verb, one card."""
    verb = np.int64(r.code[pc + 1])
    place = np.int64(r.code[pc + 2])
    duration = np.int64(r.code[pc + 4])
    if verb == STOP:
        stop_card(r, s, card)
    elif verb == READY_VERB:
        s.condition[card] = READY
    elif verb in (BLOCK, NO_REVIVE, STRIP_FAIL, SET_SKILL):
        source = np.int64(s.frame_self[frame])
        lasts = lasting(r, s, verb, source, duration)
        add_modifier(s, verb, 0, lasts, place, card, source)
    elif verb == PUT:
        put(s, card, DISCARD)
    elif verb == INCAP_VERB:
        incapacitate(s, card)
    elif verb == RETURN:
        return_to_hand(s, card)
    elif verb == UNBLOCK:
        unblock(s, card)
    elif verb == PROMOTE:
        s.tokens[card] += 1
    elif verb == DESTROY:
        destroy_card(r, s, card)
    elif verb == REVIVE_NOW:
        revive_card(r, s, card)
    elif verb == ATTACH:
        attach(s, np.int64(s.frame_self[frame]), card)
    elif verb == DETACH:
        detach(s, card)
    elif verb == FACEDOWN:
        turn_face_down(s, card)
    elif verb == DISCARD_VERB:
        discard_card(s, card)
    elif verb == RECOVER:
        move_to_place(s, card, place)
    elif verb == RESHUFFLE:
        push_deck(s, card)
    elif verb == SEARCH:
        if place != PLACE_DECK_TOP:
            remove_from_deck(s, card)
            note_revealed(s, card)
            move_to_place(s, card, place)
    elif verb == MARK:
        add_mark(s, np.int64(s.frame_self[frame]), card)
    elif verb != PICK:
        do_rarer(r, s, frame, pc, verb, card)


@separate_kernel
def do_rarer(r: Any, s: Any, frame: Any, pc: Any, verb: Any, card: Any) -> None:
    """The verbs that few cards use."""
    maker = np.int64(s.frame_self[frame])
    if verb == TUCK:
        tuck(s, card, maker, np.int64(r.code[pc + 3]) & FACEUP)
    elif verb == BLOCKADE:
        blockade(s, card)
    elif verb == PICK_GLYPH:
        s.frame_holder[frame] = s.host[card]
    elif verb == ADD_GLYPH:
        add_glyph(s, card)
    elif verb == SWAP_GLYPH_TOP:
        swap_glyph_top(s, card)
    elif verb in (GAIN_TRAITS, GAIN_SKILLS):
        lasts = lasting(r, s, verb, maker, np.int64(r.code[pc + 4]))
        source = first_of(s.sets[op.NUM_SETS - 1])
        if source == NO_CARD:
            return
        if verb == GAIN_TRAITS:
            add_modifier(s, verb, 0, lasts, 0, card, source)
        else:
            gain_skills(r, s, card, source, lasts)
    elif verb == ATTACH:
        attach(s, maker, card)
    elif verb == DETACH:
        detach(s, card)
    else:
        s.error = ERROR_INSTRUCTION


@separate_kernel
def score_cards(r: Any, s: Any, frame: Any, pc: Any) -> Any:
    """SCORE: to the score pile; one obstacle with dominion may follow each (§9.4); -1 to wait."""
    left = s.frame_candidates[frame]
    if s.frame_waits[frame] == WAITS_NOT:
        begin_deeds(s, frame)
    else:
        score_follower(s, np.int64(s.frame_answer[frame]))
        s.frame_waits[frame] = WAITS_NOT
    card = first_of(left)
    while card != NO_CARD:
        exclude(left, card)
        score_card(r, s, card)
        if may_follow(s):
            ask(s, frame, ASK_DOMINION, villain_of(s))
            return np.int64(-1)
        card = first_of(left)
    s.frame_done[frame] = not is_empty(s.frame_chosen[frame])
    return pc + op.DO_WIDTH


@separate_kernel
def able(r: Any, s: Any, frame: Any, pc: Any) -> Any:
    """ABLE: keep in set 0 the cards to which a verb can be done; the address behind."""
    verb, flags = np.int64(r.code[pc + 1]), np.int64(r.code[pc + 2])
    cost = pop(s) if verb == PLAY_VERB else np.int64(0)
    # Other texts are asked, with the same scratch: remember the cards.
    candidates = s.frame_candidates[frame]
    assign_set(candidates, s.sets[0])
    card = first_of(candidates)
    while card != NO_CARD:
        if not is_able(r, s, verb, card, cost, flags):
            exclude(candidates, card)
        card = next_of(candidates, card)
    enter_frame(s, frame)
    assign_set(s.sets[0], candidates)
    return pc + 3


@kernel
def is_able(r: Any, s: Any, verb: Any, card: Any, cost: Any, flags: Any) -> Any:
    """Whether other texts let a verb be done to a card."""
    if verb == PLAY_VERB:
        return can_play_by_text(r, s, card, cost, flags)
    if verb == FORCE_CONTINUE:
        return may_continue(r, s, owner_of(card))
    return can_pay_revive(r, s, card)


@separate_kernel
def play_cards(r: Any, s: Any, frame: Any, pc: Any) -> Any:
    """PLAY_CARDS: the chosen cards are played now; the address behind."""
    flags = np.int64(r.code[pc + 1])
    cost = pop(s)
    chosen = s.frame_chosen[frame]
    s.frame_done[frame] = not is_empty(chosen)
    card = first_of(chosen)
    while card != NO_CARD:
        if can_play_by_text(r, s, card, cost, flags):
            play_by_text(r, s, card, cost, flags)
        card = next_of(chosen, card)
    assign_set(s.frame_that[frame], chosen)
    s.is_stale = STALE
    return pc + 2


@kernel
def put_on_deck(s: Any, words: Any) -> None:
    """Take cards out of a deck and put them on top of it."""
    card = first_of(words)
    while card != NO_CARD:
        remove_from_deck(s, card)
        note_revealed(s, card)
        push_deck(s, card)
        card = next_of(words, card)


@kernel
def move_to_place(s: Any, card: Any, place: Any) -> None:
    """To a place of `opcodes.PLACE_WORDS`, of the owner."""
    if place == PLACE_HAND:
        put(s, card, HAND)
    elif place == PLACE_DECK_TOP:
        push_deck(s, card)
    else:
        put(s, card, DISCARD)


@separate_kernel
def lasting(r: Any, s: Any, verb: Any, source: Any, duration: Any) -> Any:
    """How long a block and the like last: as said, else (B2-B4) as long as their source."""
    if duration == 1 or (duration == 0 and verb == STRIP_FAIL):
        return LASTS_MISSION
    if duration == 2:
        return LASTS_TURN
    if type_of(r, s, source) == MISSION:
        return LASTS_MISSION
    if verb == BLOCK and s.zone[source] in (PLAY, AT_MISSION):
        return LASTS_SOURCE
    return LASTS_FOREVER


@kernel
def return_to_hand(s: Any, card: Any) -> None:
    """RETURN: to the owner's hand, from play or from a pile."""
    if is_in_play(s, card) or s.zone[card] == COMPLICATION:
        leave_play(s, card, HAND)
    else:
        if s.zone[card] == DECK:
            remove_from_deck(s, card)
        put(s, card, HAND)


@kernel
def unblock(s: Any, card: Any) -> None:
    """B6: all blocks of a card end."""
    kept = 0
    for k in range(np.int64(s.modifier_count)):
        if s.modifier_verb[k] != BLOCK or s.modifier_card[k] != card:
            copy_modifier(s, k, kept)
            kept += 1
    keep_modifiers(s, kept)


@kernel
def has_modifier(s: Any, verb: Any, card: Any) -> Any:
    """Whether a change of this sort lies on a card."""
    for k in range(np.int64(s.modifier_count)):
        if s.modifier_verb[k] == verb and s.modifier_card[k] == card:
            return True
    return False


@separate_kernel
def add_mark(s: Any, maker: Any, card: Any) -> None:
    """MARK: `maker` remembers a card."""
    for k in range(np.int64(s.mark_count)):
        is_own = s.mark_maker[k] == maker and s.mark_card[k] == card
        if is_own and s.mark_is_gone[k] == 0:
            return
    if s.mark_count >= MAX_MARKS:
        s.error = ERROR_MARKS
        return
    place = np.int64(s.mark_count)
    s.mark_maker[place] = maker
    s.mark_card[place] = card
    s.mark_is_gone[place] = 0
    s.mark_count += 1


@separate_kernel
def modify(r: Any, s: Any, frame: Any, pc: Any) -> Any:
    """MODIFY: a change of each chosen card, its amount fixed now; the address behind."""
    code = r.code
    verb = np.int64(code[pc + 1])
    sign = np.int64(code[pc + 2])
    lasts = LASTS_FOREVER
    if code[pc + 3] == 1:
        lasts = LASTS_MISSION
    elif code[pc + 3] == 2:
        lasts = LASTS_TURN
    elif verb == DIFF:
        lasts = LASTS_MISSION
    card = first_of(s.frame_chosen[frame])
    while card != NO_CARD:
        s.context_each = card
        evaluate(r, s, pc + 5)
        kept = lasts
        if card == NEXT_MISSION:
            kept = LASTS_TURN
        amount = pop(s)
        if verb == COST or is_changeable(s, card):
            add_modifier(s, verb, sign, kept, amount, card, np.int64(s.frame_self[frame]))
        card = next_of(s.frame_chosen[frame], card)
    s.frame_done[frame] = not is_empty(s.frame_chosen[frame])
    if s.frame_least[frame] != REFERRED:
        assign_set(s.frame_that[frame], s.frame_chosen[frame])
    s.context_each = s.frame_each[frame]
    return np.int64(code[pc + 4])


@inline_kernel
def is_changeable(s: Any, card: Any) -> Any:
    """Whether numbers of a card can be changed: it has not left play meanwhile."""
    is_mission = card == s.current
    return is_mission or card == NEXT_MISSION or is_in_play(s, card) or s.zone[card] == COMPLICATION


@separate_kernel
def act(r: Any, s: Any, frame: Any, pc: Any) -> Any:
    """ACT: a verb on a player or a pile; -1 to wait."""
    code = r.code
    verb = np.int64(code[pc + 1])
    if verb == SCRY:
        return scry(r, s, frame, pc, seat_named(s, code[pc + 2]), np.int64(code[pc + 3]))
    if verb == PICK_KIND:
        return pick_kind(s, frame, pc)
    if verb == PAY and np.int64(code[pc + 4]) & op.NUMBER_IS_CHOSEN:
        return pay_number(s, frame, pc)
    seat = seat_named(s, code[pc + 2])
    amount = pop(s)
    done = True
    if verb == PAY:
        payer = chooser_of(s, frame)
        done = np.int64(s.power[payer]) >= amount
        if done:
            s.power[payer] -= max(np.int64(0), amount)
    elif verb == POWER:
        s.power[seat] = max(np.int64(0), np.int64(s.power[seat]) + amount)
    elif verb == DRAW:
        draw_cards(s, seat, max(np.int64(0), amount))
    elif verb == FORCE_CONTINUE:
        done = may_continue(r, s, seat)
        s.must_continue = done
    elif verb == SKIP_TURN:
        s.skipped_turns[seat] += 1
    elif verb == MILL:
        done = mill(s, frame, seat, amount)
    elif verb == REFILL:
        draw_cards(s, seat, max(np.int64(0), HAND_LIMIT - hand_size(s, seat)))
    elif verb == SHUFFLE and code[pc + 3] == PILE_DECK:
        shuffle_deck(s, seat)
    elif verb == SHUFFLE:
        shuffle_missions(s, seat)
    else:
        s.error = ERROR_INSTRUCTION
    s.frame_done[frame] = done
    s.is_stale = STALE
    return pc + 6


@separate_kernel
def pay_number(s: Any, frame: Any, pc: Any) -> Any:
    """PAY(n:any): ask how much; -1 to wait. The highest number of an answer asks for the rest."""
    payer = chooser_of(s, frame)
    is_finished = False
    if s.frame_waits[frame] == 0:
        most = max(np.int64(0), min(pop(s), np.int64(s.power[payer])))
        s.frame_limit[frame] = min(most, np.int64(op.NO_LIMIT))
        s.frame_n[frame] = 0
    else:
        s.frame_waits[frame] = 0
        s.frame_n[frame] += s.frame_answer[frame]
        s.frame_limit[frame] -= np.uint8(s.frame_answer[frame])
        is_finished = s.frame_answer[frame] < MAX_NUMBER - 1
    if s.frame_limit[frame] > 0 and not is_finished:
        ask(s, frame, ASK_NUMBER, payer)
        return np.int64(-1)
    s.power[payer] -= s.frame_n[frame]
    s.frame_done[frame] = 1
    s.is_stale = STALE
    return pc + 6


@separate_kernel
def pick_kind(s: Any, frame: Any, pc: Any) -> Any:
    """PICK_KIND: one of the glyph symbols; -1 to wait."""
    if s.frame_waits[frame] == 0:
        s.frame_least[frame] = (1 << NUM_GLYPHS) - 1
        ask(s, frame, ASK_OPTION, chooser_of(s, frame))
        return np.int64(-1)
    s.frame_waits[frame] = 0
    s.frame_symbol[frame] = s.frame_answer[frame]
    s.frame_done[frame] = 1
    return pc + 6


@kernel
def mill(s: Any, frame: Any, seat: Any, amount: Any) -> Any:
    """MILL: top cards of a deck to the discard pile; they are `that`. Whether there were enough."""
    milled = s.frame_that[frame]
    milled[:] = NONE
    for _ in range(min(amount, np.int64(s.deck_size[seat]))):
        card = pop_deck(s, seat)
        put(s, card, DISCARD)
        include(milled, card)
    return size_of(milled) == amount


@separate_kernel
def scry(r: Any, s: Any, frame: Any, pc: Any, seat: Any, zone: Any) -> Any:
    """D21: look at the top cards of a pile, put some under it, the others back in any order.

    First the cards for the bottom are chosen one by one, then `done`, then the others in the order
    in which they go back: the last one lies on top.
    """
    seen = s.frame_candidates[frame]
    if s.frame_waits[frame] == 0:
        seen[:] = NONE
        is_deck = zone == PILE_DECK
        size = np.int64(s.deck_size[seat]) if is_deck else np.int64(s.missions_size[seat])
        count = min(max(np.int64(0), pop(s)), size)
        for _ in range(count):
            card = pop_deck(s, seat) if is_deck else pop_mission(s, seat)
            put(s, card, LOOKED_AT)
            if count > 1:
                note_mixed(s, card, chooser_of(s, frame))
            note_seen(s, chooser_of(s, frame), card)
            include(seen, card)
        s.frame_least[frame] = 0  # 1: on to the top
    else:
        place_seen(r, s, frame)
    if is_empty(seen):
        s.frame_waits[frame] = 0
        s.frame_done[frame] = 1
        return pc + 6
    ask(s, frame, ASK_SCRY, chooser_of(s, frame))
    return np.int64(-1)


@separate_kernel
def place_seen(r: Any, s: Any, frame: Any) -> None:
    """Put the card that was named back on its pile; NO_CARD: from here on to the top."""
    card = np.int64(s.frame_answer[frame])
    if card == NO_CARD:
        s.frame_least[frame] = 1
        return
    on_top = s.frame_least[frame] == 1
    exclude(s.frame_candidates[frame], card)
    if r.card_type[s.kind[card]] == MISSION:
        push_mission(s, card, on_top)
    elif on_top:
        push_deck(s, card)
    else:
        push_under_deck(s, card)


@inline_kernel
def is_placing(verb: Any, place: Any) -> Any:
    """Whether a deed puts cards on or under a pile, in an order."""
    return verb == LOSE_GLYPH or (verb == PUT and place != PLACE_DISCARD)


@separate_kernel
def place_in_order(r: Any, s: Any, frame: Any, pc: Any) -> Any:
    """PUT on or under a pile, LOSE_GLYPH; -1 to wait.

    Of several cards the player names one after the other: the last one lies on top, or lowest.
    """
    left = s.frame_candidates[frame]
    place = np.int64(r.code[pc + 2])
    if s.frame_waits[frame] == 0:
        begin_placing(s, frame)
    else:
        place_one(r, s, frame, np.int64(s.frame_answer[frame]), place)
    if size_of(left) == 1:
        place_one(r, s, frame, first_of(left), place)
    if is_empty(left):
        s.frame_waits[frame] = 0
        return pc + 5
    ask(s, frame, ASK_SCRY, chooser_of(s, frame))
    return np.int64(-1)


@separate_kernel
def begin_placing(s: Any, frame: Any) -> None:
    """The chosen cards leave their places."""
    chosen = s.frame_chosen[frame]
    assign_set(s.frame_candidates[frame], chosen)
    if s.frame_least[frame] != REFERRED:
        assign_set(s.frame_that[frame], chosen)
    s.frame_done[frame] = not is_empty(chosen)
    s.frame_least[frame] = 1  # no `done`
    if size_of(s.frame_seen[frame]) > 1:
        mix_seen(s, frame)
    card = first_of(chosen)
    while card != NO_CARD:
        if s.zone[card] == GLYPH:
            s.frame_holder[frame] = s.host[card]
        take_out(s, card)
        put(s, card, LOOKED_AT)
        card = next_of(chosen, card)


@kernel
def mix_seen(s: Any, frame: Any) -> None:
    """Of several missions looked at, others cannot tell which of them goes where (D21)."""
    card = first_of(s.frame_seen[frame])
    while card != NO_CARD:
        if s.zone[card] == MISSIONS:
            note_mixed(s, card, chooser_of(s, frame))
        card = next_of(s.frame_seen[frame], card)


@kernel
def place_one(r: Any, s: Any, frame: Any, card: Any, place: Any) -> None:
    """Put one of the cards on its pile."""
    exclude(s.frame_candidates[frame], card)
    exclude(s.frame_seen[frame], card)
    place_card(s, card, place, r.card_type[s.kind[card]] == MISSION)


@separate_kernel
def keep_program(r: Any, s: Any, frame: Any, pc: Any) -> Any:
    """ATTACHED_CODE: a delayed effect, or a rule for a while; the address behind."""
    code = r.code
    verb = np.int64(code[pc + 1])
    s.frame_done[frame] = 1
    s.is_stale = STALE
    if verb in (DELAY, WATCH):
        add_delay(r, s, frame, pc)
    elif verb == GRANT:
        grant(r, s, frame, np.int64(code[pc + 5]))
    elif s.standing_count >= MAX_STANDING:
        s.error = ERROR_STANDING
    else:
        place = np.int64(s.standing_count)
        s.standing_lasts[place] = LASTS_TURN if code[pc + 3] == 2 else LASTS_MISSION
        s.standing_self[place] = s.frame_self[frame]
        s.standing_user[place] = s.frame_user[frame]
        s.standing_address[place] = pc + op.ATTACHED_WIDTH
        s.standing_count += 1
    return np.int64(code[pc + 4])


@separate_kernel
def grant(r: Any, s: Any, frame: Any, clause: Any) -> None:
    """GRANT: the chosen cards get a clause: a mission until it ends, others while in play."""
    chosen = s.frame_chosen[frame]
    card = first_of(chosen)
    while card != NO_CARD:
        lasts = LASTS_MISSION if type_of(r, s, card) == MISSION else LASTS_FOREVER
        add_modifier(s, GRANT, 0, lasts, clause, card, np.int64(s.frame_self[frame]))
        card = next_of(chosen, card)
    if s.frame_least[frame] != REFERRED:
        assign_set(s.frame_that[frame], chosen)
    s.frame_done[frame] = not is_empty(chosen)


@separate_kernel
def add_delay(r: Any, s: Any, frame: Any, pc: Any) -> None:
    """DELAY, WATCH: what the words of the effect mean is kept with it."""
    code = r.code
    for place in range(MAX_DELAYS):
        if s.delay_moment[place] == 0:
            s.delay_moment[place] = 1 + code[pc + 2] % op.PLAYER_STEP
            s.delay_player[place] = code[pc + 2] // op.PLAYER_STEP
            s.delay_match[place] = code[pc + 5]
            s.delay_repeats[place] = code[pc + 1] == WATCH
            s.delay_lasts[place] = lasting_of(code[pc + 3])
            s.delay_user[place] = s.frame_user[frame]
            s.delay_self[place] = s.frame_self[frame]
            s.delay_n[place] = s.frame_n[frame]
            s.delay_address[place] = pc + op.ATTACHED_WIDTH
            assign_set(s.delay_that[place], s.frame_that[frame])
            return
    s.error = ERROR_DELAYS


@kernel
def lasting_of(duration: Any) -> Any:
    """How long something of a duration of `opcodes.DURATION_WORDS` lasts."""
    if duration == 1:
        return LASTS_MISSION
    return LASTS_TURN if duration == 2 else LASTS_FOREVER


@kernel
def end_delays(s: Any, lasts: Any) -> None:
    """End the delayed effects of a duration."""
    for k in range(MAX_DELAYS):
        if s.delay_moment[k] != 0 and s.delay_lasts[k] == lasts:
            clear_delay(s, k)


@separate_kernel
def end_standing(s: Any, lasts: Any) -> None:
    """End the rules for a while of a duration."""
    kept = 0
    for k in range(np.int64(s.standing_count)):
        if s.standing_lasts[k] != lasts:
            s.standing_lasts[kept] = s.standing_lasts[k]
            s.standing_self[kept] = s.standing_self[k]
            s.standing_user[kept] = s.standing_user[k]
            s.standing_address[kept] = s.standing_address[k]
            kept += 1
    for k in range(kept, np.int64(s.standing_count)):
        clear_standing(s, k)
        s.is_stale = STALE
    s.standing_count = kept


@separate_kernel
def move_glyph(r: Any, s: Any, frame: Any, pc: Any) -> Any:
    """GLYPHS MOVE_GLYPH: first a glyph, then who receives it; -1 to wait."""
    if r.code[pc + 1] != MOVE_GLYPH:
        s.error = ERROR_INSTRUCTION
        return pc
    if s.frame_waits[frame] == 0:
        pop(s)
        if not can_move_glyph(s):
            s.frame_done[frame] = 0
            return pc + 4
        assign_set(s.frame_candidates[frame], s.sets[1])
        s.frame_chosen[frame, :] = NONE
        glyphs = s.zones[GLYPH]
        glyph = first_of(glyphs)
        while glyph != NO_CARD:
            if contains(s.sets[0], np.int64(s.host[glyph])):
                include(s.frame_chosen[frame], glyph)
            glyph = next_of(glyphs, glyph)
        s.frame_least[frame] = 0
    elif s.frame_least[frame] == 0:
        glyph = np.int64(s.frame_answer[frame])
        s.frame_chosen[frame, :] = NONE
        include(s.frame_chosen[frame], glyph)
        exclude(s.frame_candidates[frame], np.int64(s.host[glyph]))
        s.frame_least[frame] = 1
    else:
        glyph = first_of(s.frame_chosen[frame])
        s.frame_holder[frame] = s.host[glyph]
        lay_glyph(s, glyph, np.int64(s.frame_answer[frame]))
        s.frame_waits[frame] = 0
        s.frame_done[frame] = 1
        s.is_stale = STALE
        assign_set(s.frame_that[frame], s.frame_chosen[frame])
        return pc + 4
    ask(s, frame, ASK_GLYPH, chooser_of(s, frame))
    return np.int64(-1)
