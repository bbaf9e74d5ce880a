"""The machine that carries out programs: frames, choices and deeds (`opcodes.py`).

`execute` runs the topmost frame until it is finished or a choice is put to a player. Section
numbers refer to RULES.md beside this file.
"""

from typing import Any

import numpy as np

from tabletop_core.bits import NONE
from tabletop_core.jit import inline_kernel, kernel
from tabletop_core.rng import randbelow

from . import opcodes as op
from .derived import refresh
from .evaluate import can_move_glyph, evaluate, pop, seat_named
from .frames import ask, chooser_of, enter_frame
from .sizes import MISSION
from .state import (
    ASK_GLYPH,
    ASK_MAY,
    ASK_OPTION,
    ASK_SCRY,
    ASK_TARGET,
    AT_MISSION,
    COMPLICATION,
    DISCARD,
    ERROR_DELAYS,
    ERROR_INSTRUCTION,
    ERROR_MARKS,
    ERROR_MODIFIERS,
    ERROR_STANDING,
    GLYPH,
    HAND,
    INCAP,
    LASTS_FOREVER,
    LASTS_MISSION,
    LASTS_SOURCE,
    LASTS_TURN,
    LOOKED_AT,
    MAX_DELAYS,
    MAX_MARKS,
    MAX_MODIFIERS,
    MAX_STANDING,
    NEXT_MISSION,
    NO_CARD,
    NO_SEAT,
    PLAY,
    READY,
    STOPPED,
)
from .table import (
    assign_set,
    contains,
    copy_modifier,
    draw_cards,
    exclude,
    first_of,
    hand_size,
    include,
    is_empty,
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
    size_of,
    turn_face_down,
    type_of,
)
from .words import (
    ANY,
    BLOCK,
    DELAY,
    DESTROY,
    DIFF,
    DISCARD_VERB,
    DRAW,
    EXACT,
    FACEDOWN,
    HAND_LIMIT,
    HEAD_POWER_START,
    INCAP_VERB,
    MARK,
    MOVE_GLYPH,
    NO_FRAME,
    NO_REVIVE,
    PAY,
    PICK,
    PILE_DECK,
    PLACE_DECK_TOP,
    PLACE_HAND,
    PLACE_MISSIONS_TOP,
    POWER,
    PROMOTE,
    PUT,
    READY_VERB,
    RECOVER,
    REFERRED,
    REFILL,
    RESHUFFLE,
    RETURN,
    SCRY,
    SEARCH,
    SET_SKILL,
    STOP,
    STRIP_FAIL,
    UNBLOCK,
    UP_TO,
)

# --- running programs ----------------------------------------------------------------------------


@kernel
def execute(r: Any, s: Any) -> Any:
    """Run the topmost frame until it waits (NO_FRAME), or is finished: what then follows."""
    frame = np.int64(s.frame_count) - 1
    code = r.code
    pc = np.int64(s.frame_address[frame])
    refresh(r, s)
    enter_frame(s, frame)
    while s.error == 0:
        if s.frame_waits[frame] == 0:
            if s.is_stale:
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
        elif instruction == op.DO and code[pc + 1] == PUT and code[pc + 2] == PLACE_MISSIONS_TOP:
            pc = put_back(s, frame, pc)
        elif instruction == op.DO:
            do_cards(r, s, frame, code[pc + 1], code[pc + 2], code[pc + 4])
            pc += 5
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
    return np.int64(NO_FRAME)


@kernel
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
    if s.frame_waits[frame] == 0:
        if instruction == op.ASK:
            ask(s, frame, ASK_MAY, chooser_of(s, frame))
        else:
            s.frame_least[frame] = mask_of_options(s, np.int64(code[pc + 1]))
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


@kernel
def choose(r: Any, s: Any, frame: Any, pc: Any) -> Any:
    """CHOOSE: as many cards of the candidates as the quantity says; -1 to wait."""
    code = r.code
    flags = np.int64(code[pc + 2])
    if s.frame_waits[frame] == 0:
        begin_choice(s, frame, np.int64(code[pc + 1]), flags)
    s.frame_waits[frame] = 0
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


@kernel
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
    if flags & op.MAY_FAIL:
        least = np.int64(0)
    s.frame_least[frame] = least
    s.frame_most[frame] = most


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


@kernel
def do_cards(r: Any, s: Any, frame: Any, verb: Any, place: Any, duration: Any) -> None:
    """DO: carry out a verb for each chosen card; those are `that` from here on."""
    chosen = s.frame_chosen[frame]
    card = first_of(chosen)
    while card != NO_CARD:
        do_card(r, s, frame, verb, place, duration, card)
        card = next_of(chosen, card)
    if verb in (RESHUFFLE, SEARCH):
        finish_search(s, frame)
    if verb == SEARCH and place == PLACE_DECK_TOP:  # first shuffled, then put on top
        put_on_deck(s, chosen)
    if s.frame_least[frame] != REFERRED:
        assign_set(s.frame_that[frame], chosen)
    s.frame_done[frame] = not is_empty(chosen)
    s.is_stale = 1


@kernel
def do_card(r: Any, s: Any, frame: Any, verb: Any, place: Any, duration: Any, card: Any) -> None:
    """One verb, one card."""
    if verb == STOP:
        s.condition[card] = STOPPED
    elif verb == READY_VERB:
        s.condition[card] = READY
    elif verb in (BLOCK, NO_REVIVE, STRIP_FAIL, SET_SKILL):
        source = np.int64(s.frame_self[frame])
        lasts = lasting(r, s, verb, source, duration)
        add_modifier(s, verb, 0, lasts, place, card, source)
    elif verb == PUT:
        put(s, card, DISCARD)
    elif verb == INCAP_VERB:
        s.condition[card] = INCAP
    elif verb == RETURN:
        return_to_hand(s, card)
    elif verb == UNBLOCK:
        unblock(s, card)
    elif verb == PROMOTE:
        s.tokens[card] += 1
    elif verb == DESTROY:
        leave_play(s, card, DISCARD)
    elif verb == FACEDOWN:
        turn_face_down(s, card)
    elif verb == DISCARD_VERB:
        put(s, card, DISCARD)
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
        s.error = ERROR_INSTRUCTION


@kernel
def finish_search(s: Any, frame: Any) -> None:
    """The deck that was searched, or that cards came back to, is shuffled."""
    seat = owner_of(np.int64(s.frame_self[frame]))
    if first_of(s.frame_chosen[frame]) != NO_CARD:
        seat = owner_of(first_of(s.frame_chosen[frame]))
    shuffle_deck(s, seat)


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


@kernel
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
    if s.zone[card] in (PLAY, AT_MISSION, COMPLICATION):
        leave_play(s, card, HAND)
    else:
        put(s, card, HAND)


@kernel
def unblock(s: Any, card: Any) -> None:
    """B6: all blocks of a card end."""
    kept = 0
    for k in range(np.int64(s.modifier_count)):
        if s.modifier_verb[k] != BLOCK or s.modifier_card[k] != card:
            copy_modifier(s, k, kept)
            kept += 1
    s.modifier_count = kept
    s.is_stale = 1


@kernel
def has_modifier(s: Any, verb: Any, card: Any) -> Any:
    """Whether a change of this sort lies on a card."""
    for k in range(np.int64(s.modifier_count)):
        if s.modifier_verb[k] == verb and s.modifier_card[k] == card:
            return True
    return False


@kernel
def add_modifier(
    s: Any, verb: Any, sign: Any, lasts: Any, amount: Any, card: Any, source: Any
) -> None:
    """A change that lasts for a while."""
    if s.modifier_count >= MAX_MODIFIERS:
        s.error = ERROR_MODIFIERS
        return
    place = np.int64(s.modifier_count)
    s.modifier_verb[place] = verb
    s.modifier_sign[place] = sign
    s.modifier_lasts[place] = lasts
    s.modifier_amount[place] = amount
    s.modifier_card[place] = card
    s.modifier_source[place] = source
    s.modifier_count += 1
    s.is_stale = 1


@kernel
def add_mark(s: Any, maker: Any, card: Any) -> None:
    """MARK: `maker` remembers a card."""
    if s.mark_count >= MAX_MARKS:
        s.error = ERROR_MARKS
        return
    place = np.int64(s.mark_count)
    s.mark_maker[place] = maker
    s.mark_card[place] = card
    s.mark_count += 1


@kernel
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
        add_modifier(s, verb, sign, kept, pop(s), card, np.int64(s.frame_self[frame]))
        card = next_of(s.frame_chosen[frame], card)
    s.frame_done[frame] = not is_empty(s.frame_chosen[frame])
    if s.frame_least[frame] != REFERRED:
        assign_set(s.frame_that[frame], s.frame_chosen[frame])
    s.context_each = s.frame_each[frame]
    return np.int64(code[pc + 4])


@kernel
def act(r: Any, s: Any, frame: Any, pc: Any) -> Any:
    """ACT: a verb on a player or a pile; -1 to wait."""
    code = r.code
    verb = np.int64(code[pc + 1])
    if verb == SCRY:
        return scry(r, s, frame, pc, seat_named(s, code[pc + 2]), np.int64(code[pc + 3]))
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
    elif verb == REFILL:
        draw_cards(s, seat, max(np.int64(0), HAND_LIMIT - hand_size(s, seat)))
    else:
        s.error = ERROR_INSTRUCTION
    s.frame_done[frame] = done
    s.is_stale = 1
    return pc + 6


@kernel
def scry(r: Any, s: Any, frame: Any, pc: Any, seat: Any, zone: Any) -> Any:
    """D21: look at the top cards of a pile, put some under it, the others back in any order.

    First the cards for the bottom are chosen one by one, then `done`, then the others in the order
    in which they go back: the last one lies on top.
    """
    seen = s.frame_seen[frame]
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


@kernel
def place_seen(r: Any, s: Any, frame: Any) -> None:
    """Put the card that was named back on its pile; NO_CARD: from here on to the top."""
    card = np.int64(s.frame_answer[frame])
    if card == NO_CARD:
        s.frame_least[frame] = 1
        return
    on_top = s.frame_least[frame] == 1
    exclude(s.frame_seen[frame], card)
    if r.card_type[s.kind[card]] == MISSION:
        push_mission(s, card, on_top)
    elif on_top:
        push_deck(s, card)
    else:
        push_under_deck(s, card)


@kernel
def put_back(s: Any, frame: Any, pc: Any) -> Any:
    """PUT on top of the mission pile; of several, the player names the order, the last on top."""
    seen = s.frame_seen[frame]
    if s.frame_waits[frame] == 0:
        assign_set(seen, s.frame_chosen[frame])
        card = first_of(seen)
        while card != NO_CARD:
            put(s, card, LOOKED_AT)
            card = next_of(seen, card)
        s.frame_done[frame] = not is_empty(seen)
        s.frame_least[frame] = 1
    else:
        card = np.int64(s.frame_answer[frame])
        exclude(seen, card)
        push_mission(s, card, True)
    if is_empty(seen):
        s.frame_waits[frame] = 0
        return pc + 5
    ask(s, frame, ASK_SCRY, chooser_of(s, frame))
    return np.int64(-1)


@kernel
def keep_program(r: Any, s: Any, frame: Any, pc: Any) -> Any:
    """ATTACHED_CODE: a delayed effect, or a rule for a while; the address behind."""
    code = r.code
    verb = np.int64(code[pc + 1])
    s.frame_done[frame] = 1
    s.is_stale = 1
    if verb == DELAY:
        add_delay(s, frame, delayed_head(code[pc + 2]), pc + 5)
    elif s.standing_count >= MAX_STANDING:
        s.error = ERROR_STANDING
    else:
        place = np.int64(s.standing_count)
        s.standing_lasts[place] = LASTS_TURN if code[pc + 3] == 2 else LASTS_MISSION
        s.standing_self[place] = s.frame_self[frame]
        s.standing_user[place] = s.frame_user[frame]
        s.standing_address[place] = pc + 5
        s.standing_count += 1
    return np.int64(code[pc + 4])


@kernel
def delayed_head(moment: Any) -> Any:
    """The clause head of a point of time of `opcodes.MOMENT_WORDS`."""
    return HEAD_POWER_START + np.int64(moment)


@kernel
def add_delay(s: Any, frame: Any, head: Any, address: Any) -> None:
    """DELAY: what the words of the effect mean is kept with it."""
    for place in range(MAX_DELAYS):
        if s.delay_moment[place] == 0:
            s.delay_moment[place] = head
            s.delay_user[place] = s.frame_user[frame]
            s.delay_self[place] = s.frame_self[frame]
            s.delay_n[place] = s.frame_n[frame]
            s.delay_address[place] = address
            assign_set(s.delay_that[place], s.frame_that[frame])
            return
    s.error = ERROR_DELAYS


@kernel
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
    s.standing_count = kept
    s.is_stale = 1


@kernel
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
        s.host[glyph] = s.frame_answer[frame]
        s.frame_waits[frame] = 0
        s.frame_done[frame] = 1
        s.is_stale = 1
        assign_set(s.frame_that[frame], s.frame_chosen[frame])
        return pc + 4
    ask(s, frame, ASK_GLYPH, chooser_of(s, frame))
    return np.int64(-1)
