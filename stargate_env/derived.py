"""Everything that modifiers and static texts change, computed from printed values (N1-N8).

Section numbers refer to RULES.md beside this file.
"""

from typing import Any

import numpy as np

from tabletop_core.bits import NONE, WORD_BITS, lowest, without_lowest
from tabletop_core.jit import inline_kernel, kernel, separate_kernel

from . import opcodes as op
from .evaluate import (
    DOMINION_BIT,
    clause_works,
    evaluate,
    has_keyword,
    is_pure,
    pop,
    required_skill,
    seat_named,
    set_context,
    works_here,
)
from .sizes import ADVERSARY, NO_RATING, NO_SKILL, NUM_SKILLS, TEAM_SIZE
from .state import (
    AT_MISSION,
    ATTACHED,
    BASE,
    COMPLICATIONS,
    COST_PLUS,
    ERROR_BOOSTS,
    ERROR_CLAIMS,
    ERROR_FORBIDS,
    ERROR_INSTRUCTION,
    ERROR_LATE,
    FIRE_PLUS,
    HAND,
    HAND_STAGES,
    MAX_BOOST_RULES,
    MAX_CLAIMS,
    MAX_FORBIDS,
    MAX_LATE,
    NO_CARD,
    NO_SEAT,
    PLAY,
    PLUS,
    REVIVE_PLUS,
    SEAT_STRIDE,
    SEAT_WORDS,
    STAGE_BECOMING,
    STAGE_PLAIN,
    STAGE_RATED,
    STAGE_RATINGS,
    STALE_NUMBERS,
    STALE_VICTORY,
)
from .table import (
    RAISED,
    assign_set,
    change_of,
    contains,
    controller_of,
    current_rating,
    find_holders,
    first_of,
    has_text,
    in_play_word,
    include,
    is_assigned,
    is_character,
    next_of,
    num_words,
    owner_of,
    scored_word,
    type_of,
    villain_of,
)
from .words import (
    ALLOW_BOOST,
    BECOMES,
    BLOCK,
    COST,
    CULTURE_VERB,
    DIFF,
    FAIL_OPTIONAL,
    FIREPOWER,
    FIREPOWER_TOTAL,
    FIRST_PRIORITY,
    FORBID,
    GAIN_TRAITS,
    GRANT,
    HEAD_STATIC,
    NO_REVIVE,
    NO_REVIVING,
    NO_TEXT,
    POINT_VALUE,
    REPEAT_FAIL,
    REPEAT_SUCCESS,
    REVIVE_VERB,
    SET_SKILL,
    SKILLS_VERB,
    XP_VERB,
)

FREE = 100  # COST(..,=0): so much less that no other change comes on top

# --- derived numbers ----------------------------------------------------------------------------


@separate_kernel
def refresh(r: Any, s: Any) -> None:
    """N1-N5: compute everything that modifiers and static texts change, from printed values."""
    if s.is_stale & STALE_NUMBERS == 0:
        return
    s.is_stale &= STALE_VICTORY
    clear_derived(r, s)
    if r.has_becoming:
        apply_becoming(r, s)
    lay_printed(r, s)
    apply_modifiers(r, s)
    if r.has_tallies:
        count_tallies(r, s)
    for k in range(np.int64(s.standing_count)):
        set_context(s, np.int64(s.standing_self[k]), np.int64(s.standing_user[k]))
        address = np.int64(s.standing_address[k])
        run_static(r, s, address, np.int64(s.standing_self[k]), STAGE_PLAIN)
    apply_statics(r, s, STAGE_PLAIN)
    if r.last_stage >= STAGE_RATINGS:
        apply_statics(r, s, STAGE_RATINGS)
        apply_late(r, s)
    if r.last_stage >= STAGE_RATED:
        apply_statics(r, s, STAGE_RATED)


@kernel
def apply_modifiers(r: Any, s: Any) -> None:
    """One-shot changes that last."""
    for k in range(np.int64(s.modifier_count)):
        card = np.int64(s.modifier_card[k])
        if s.modifier_verb[k] == BLOCK:
            include(s.blocked, card)
        elif s.modifier_verb[k] == GRANT:
            s.static_cards[:] = NONE
            include(s.static_cards, card)
            granted = np.int64(s.modifier_amount[k])
            add_claim(s, GRANT, np.int64(s.modifier_source[k]), granted, 0, s.static_cards)
        elif s.modifier_verb[k] == SET_SKILL:
            if card == s.current:
                s.skill_now = s.modifier_amount[k]
        else:
            verb = np.int64(s.modifier_verb[k])
            change(r, s, verb, np.int64(s.modifier_sign[k]), card, np.int64(s.modifier_amount[k]))


@kernel
def clear_derived(r: Any, s: Any) -> None:
    """Nothing is changed by any text."""
    find_holders(s)
    clear_numbers(s)
    s.fire_total_plus[:] = 0
    s.has_gained_traits = 0
    s.first_priority = NO_SEAT
    s.no_revive[:] = NONE
    if s.current != NO_CARD:
        s.skill_now = r.skill[s.kind[s.current]]
    else:
        s.skill_now = NO_SKILL
    s.blocked[:] = NONE
    clear_claims(s)
    clear_forbids(s)
    clear_boost_rules(s)


@kernel
def clear_numbers(s: Any) -> None:
    """No ratings, and no number of a card is changed.

    Only those that are changed are written: steps of 256 games are 1.2 times faster (measured).
    """
    s.rated[:] = NONE
    for k in range(num_words(s)):
        word = s.changed[k]
        s.changed[k] = NONE
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            s.changes[card, :] = 0
            s.raw[card, :] = NO_RATING


@kernel
def lay_printed(r: Any, s: Any) -> None:
    """Cards in play have their printed ratings, which are copied where texts can change them."""
    for k in range(num_words(s)):
        s.rated[k] = in_play_word(s, k)
        word = s.rated[k] & s.changed[k]
        while word != NONE:
            copy_printed(r, s, k * WORD_BITS + lowest(word))
            word = without_lowest(word)


@inline_kernel
def copy_printed(r: Any, s: Any, card: Any) -> None:
    """Printed ratings of a card in play."""
    for skill in range(NUM_SKILLS):
        s.raw[card, skill] = r.raw[s.kind[card], skill]


@kernel
def note_change(r: Any, s: Any, card: Any) -> None:
    """A number of a card is changed."""
    if not contains(s.changed, card):
        include(s.changed, card)
        if contains(s.rated, card):
            copy_printed(r, s, card)


@inline_kernel
def clear_claims(s: Any) -> None:
    """No text says anything about sets of cards, and nothing is left of what was said."""
    for k in range(np.int64(s.claim_count)):
        s.claim_verb[k] = 0
        s.claim_self[k] = 0
        s.claim_detail[k] = 0
        s.claim_check[k] = 0
        s.claim_cards[k, :] = NONE
    s.claim_count = 0
    s.grant_count = 0
    s.becomes[:] = NONE
    s.textless[:] = NONE


@inline_kernel
def clear_forbids(s: Any) -> None:
    """No prohibitions, and nothing left of those there were."""
    for k in range(np.int64(s.forbid_count)):
        s.forbid_event[k] = 0
        s.forbid_player[k] = 0
        s.forbid_self[k] = 0
        s.forbid_match[k] = 0
    s.forbid_count = 0


@inline_kernel
def clear_boost_rules(s: Any) -> None:
    """No text allows other boosts, and nothing is left of those that did."""
    for k in range(np.int64(s.boost_count)):
        s.boost_self[k] = 0
        s.boost_address[k] = 0
    s.boost_count = 0


@kernel
def change(r: Any, s: Any, verb: Any, sign: Any, card: Any, amount: Any) -> None:
    """Add one change to the derived numbers; sums are clamped later, once (N4)."""
    signed = amount
    if sign == 1:
        signed = -amount
    note_change(r, s, card)
    if verb == COST and sign == 2:
        s.changes[card, COST_PLUS] = -FREE
    elif verb == COST:
        s.changes[card, COST_PLUS] += signed
    elif verb == FIREPOWER:
        s.changes[card, FIRE_PLUS] += signed
    elif verb == REVIVE_VERB:
        s.changes[card, REVIVE_PLUS] += signed
    elif verb == NO_REVIVE:
        include(s.no_revive, card)
    elif verb == POINT_VALUE:
        if card % SEAT_STRIDE < TEAM_SIZE:
            s.point_plus[owner_of(card), card % SEAT_STRIDE] += signed
    elif verb == GAIN_TRAITS:
        s.has_gained_traits = 1
    elif verb == DIFF and sign == 2:
        s.changes[card, BASE] = RAISED + amount
    elif verb in (DIFF, SKILLS_VERB):
        s.changes[card, PLUS] += signed
    elif CULTURE_VERB <= verb < CULTURE_VERB + NUM_SKILLS:
        change_rating(s, card, verb - CULTURE_VERB, signed)


@kernel
def change_rating(s: Any, card: Any, skill: Any, amount: Any) -> None:
    """N2: naming a skill changes its rating, which it creates from 0 if it was absent."""
    include(s.rated, card)
    if s.raw[card, skill] == NO_RATING:
        s.raw[card, skill] = RAISED
    s.raw[card, skill] += amount


@kernel
def apply_late(r: Any, s: Any) -> None:
    """Carry out what the texts that read ratings have found: none of them reads another."""
    for k in range(np.int64(s.late_count)):
        card, amount = np.int64(s.late_card[k]), np.int64(s.late_amount[k])
        change(r, s, np.int64(s.late_verb[k]), np.int64(s.late_sign[k]), card, amount)
        s.late_verb[k] = 0
        s.late_sign[k] = 0
        s.late_card[k] = 0
        s.late_amount[k] = 0
    s.late_count = 0


@kernel
def add_late(s: Any, verb: Any, sign: Any, card: Any, amount: Any) -> None:
    """Put a change off until all texts that read ratings have read them."""
    if s.late_count >= MAX_LATE:
        s.error = ERROR_LATE
        return
    place = np.int64(s.late_count)
    s.late_verb[place] = verb
    s.late_sign[place] = sign
    s.late_card[place] = card
    s.late_amount[place] = amount
    s.late_count += 1


@separate_kernel
def apply_becoming(r: Any, s: Any) -> None:
    """Texts by which cards become adversaries, also of cards that are switched off (§6)."""
    for k in range(num_words(s)):
        word = s.zones[PLAY, k] | s.zones[ATTACHED, k]
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            kind = s.kind[card]
            owner = owner_of(card)
            is_active = owner == s.hero or owner == villain_of(s)
            has_static = r.static_stages[kind] & (1 << STAGE_BECOMING) != 0
            if is_active and has_static and has_text(r, s, card):
                apply_card_statics(r, s, card, kind, STAGE_BECOMING)


@kernel
def apply_statics(r: Any, s: Any, stage: Any) -> None:
    """Carry out the static texts of a stage."""
    for k in range(num_words(s)):
        word = in_play_word(s, k) | s.zones[HAND, k] | scored_word(s, k)
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            kind = s.kind[card]
            shift = stage + HAND_STAGES if s.zone[card] == HAND else stage
            if np.int64(r.static_stages[kind]) >> shift & 1 and has_text(r, s, card):
                apply_card_statics(r, s, card, kind, stage)


@kernel
def apply_card_statics(r: Any, s: Any, card: Any, kind: Any, stage: Any) -> None:
    """The static clauses of one card that work where it is (`works_here`).

    From the hand only what it costs itself works.
    """
    first = np.int64(r.first_clause[kind])
    for k in range(np.int64(r.clause_count[kind])):
        clause = first + k
        is_over = s.used[card] >> k & 1  # UNTIL
        if r.clause_head[clause] == HEAD_STATIC and r.clause_stage[clause] == stage and not is_over:
            is_on_hand = s.zone[card] == HAND
            if is_cost_of_self(r, clause) if is_on_hand else works_here(r, s, clause, card):
                set_context(s, card, controller_of(s, card))
                if clause_works(r, s, clause, card):
                    run_static(r, s, np.int64(r.clause_start[clause]), card, stage)


@inline_kernel
def is_cost_of_self(r: Any, clause: Any) -> Any:
    """Whether a static clause is COST(self,..): REFER 0 self, TAKE, MODIFY COST."""
    start = np.int64(r.clause_start[clause])
    code = r.code
    is_self = code[start] == op.REFER and code[start + 2] == 0
    return is_self and code[start + 3] == op.TAKE and code[start + 5] == COST


@kernel
def run_static(r: Any, s: Any, address: Any, card: Any, stage: Any) -> None:
    """Carry out a static text: its doing instructions change derived numbers only."""
    code = r.code
    pc = evaluate(r, s, address)
    while code[pc] != op.END:
        if code[pc] == op.TAKE:
            pc += 1
        elif code[pc] == op.MODIFY:
            if code[pc + 1] == POINT_VALUE:  # see `count_tallies`
                pc = np.int64(code[pc + 4])
            else:
                pc = static_modify(r, s, pc, card, stage)
        elif code[pc] == op.DO:
            static_do(r, s, card, np.int64(code[pc + 1]), code[pc + 2], code[pc + 3])
            pc += op.DO_WIDTH
        elif code[pc] == op.ACT and code[pc + 1] == XP_VERB:  # see `count_tallies`
            pop(s)
            pc += 6
        elif code[pc] == op.ACT and code[pc + 1] == FIREPOWER_TOTAL:
            s.fire_total_plus[seat_named(s, code[pc + 2])] += pop(s)
            pc += 6
        elif code[pc] == op.ACT and code[pc + 1] == FIRST_PRIORITY:
            pop(s)
            s.first_priority = seat_named(s, code[pc + 2])
            pc += 6
        elif code[pc] == op.ACT and code[pc + 1] == FORBID:
            add_forbid(s, card, code[pc + 4] >> op.NUM_LOCALS, code[pc + 2], pop(s))
            pc += 6
        elif code[pc] == op.ATTACHED_CODE:
            static_program(r, s, pc, card)
            pc = np.int64(code[pc + 4])
        else:
            s.error = ERROR_INSTRUCTION
            return
        if is_pure(code[pc]):
            pc = evaluate(r, s, pc)


@kernel
def static_do(r: Any, s: Any, card: Any, verb: Any, place: Any, flags: Any) -> None:
    """DO in a static text, for all cards of set 0."""
    words = s.sets[0]
    if verb == FAIL_OPTIONAL:
        add_claim(s, verb, card, 0, 0, words)
        return
    if verb == BECOMES:
        traits = 1 << (np.int64(place) - 1) if place > 0 else 0
        add_claim(s, verb, card, flags, traits, words)
        become(r, s, words, flags)
        return
    for k in range(num_words(s)):
        if verb == BLOCK:
            s.blocked[k] |= words[k]
        else:
            s.no_revive[k] |= words[k]


@kernel
def become(r: Any, s: Any, words: Any, flags: Any) -> None:
    """BECOMES: cards are adversaries; their revive cost lies in the last local (0 if not named)."""
    for k in range(num_words(s)):
        s.becomes[k] |= words[k]
        if flags & NO_TEXT:
            s.textless[k] |= words[k]
        if flags & NO_REVIVING:
            s.no_revive[k] |= words[k]
    card = first_of(words)
    while card != NO_CARD and not flags & NO_REVIVING:
        note_change(r, s, card)
        s.changes[card, REVIVE_PLUS] += np.int8(s.locals[op.NUM_LOCALS - 1])
        card = next_of(words, card)


@kernel
def static_program(r: Any, s: Any, pc: Any, card: Any) -> None:
    """ATTACHED_CODE in a static text: a tax, a granted clause, other boosts."""
    verb = np.int64(r.code[pc + 1])
    if verb == ALLOW_BOOST:
        add_boost_rule(s, card, pc + op.ATTACHED_WIDTH)
    elif verb == GRANT:
        add_claim(s, verb, card, np.int64(r.code[pc + 5]), 0, s.sets[0])
    else:
        start = pc + op.ATTACHED_WIDTH
        add_claim(s, verb, card, start, np.int64(r.code[pc + 5]), s.sets[0])


@kernel
def static_modify(r: Any, s: Any, pc: Any, card: Any, stage: Any) -> Any:
    """MODIFY in a static text, for every card of set 0; the address behind."""
    code = r.code
    verb = np.int64(code[pc + 1])
    sign = np.int64(code[pc + 2])
    # The amount may use the sets: remember the cards.
    assign_set(s.static_cards, s.sets[0])
    if verb in (REPEAT_FAIL, REPEAT_SUCCESS):
        evaluate(r, s, pc + 5)
        add_claim(s, verb, card, pop(s), 0, s.static_cards)
        return np.int64(code[pc + 4])
    changed = first_of(s.static_cards)
    while changed != NO_CARD:
        s.context_each = changed
        evaluate(r, s, pc + 5)
        if stage == STAGE_RATINGS:
            add_late(s, verb, sign, changed, pop(s))
        else:
            change(r, s, verb, sign, changed, pop(s))
        changed = next_of(s.static_cards, changed)
    return np.int64(code[pc + 4])


@separate_kernel
def count_tallies(r: Any, s: Any) -> None:
    """What texts add to experience and point values, in any turn, as in their owner's (§6, §10)."""
    s.experience_plus[:] = 0
    s.point_plus[:] = 0
    hero = s.hero
    for seat in range(np.int64(r.num_players)):
        s.hero = seat
        for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
            word = in_play_word(s, k)
            while word != NONE:
                card = k * WORD_BITS + lowest(word)
                word = without_lowest(word)
                if r.heads[s.kind[card]] & np.uint32(1) and has_text(r, s, card):
                    count_card_tallies(r, s, card)
    s.hero = hero


@kernel
def count_card_tallies(r: Any, s: Any, card: Any) -> None:
    """The static clauses of one card that change experience or point values."""
    kind = s.kind[card]
    first = np.int64(r.first_clause[kind])
    for clause in range(first, first + np.int64(r.clause_count[kind])):
        if r.clause_flags[clause] & np.uint8(op.IS_TALLY):
            set_context(s, card, owner_of(card))
            if clause_works(r, s, clause, card):
                run_tally(r, s, np.int64(r.clause_start[clause]), card)


@kernel
def run_tally(r: Any, s: Any, address: Any, card: Any) -> None:
    """Of a static text what changes experience or point values."""
    code = r.code
    pc = evaluate(r, s, address)
    while code[pc] != op.END:
        if code[pc] == op.TAKE:
            pc += 1
        elif code[pc] == op.MODIFY:
            if code[pc + 1] == POINT_VALUE:
                static_modify(r, s, pc, card, STAGE_PLAIN)
            pc = np.int64(code[pc + 4])
        elif code[pc] == op.ACT:
            amount = pop(s)
            if code[pc + 1] == XP_VERB:
                s.experience_plus[owner_of(card)] += amount
            pc += 6
        else:
            s.error = ERROR_INSTRUCTION
            return
        pc = evaluate(r, s, pc)


@kernel
def add_boost_rule(s: Any, card: Any, address: Any) -> None:
    """ALLOW_BOOST: a text that allows other boosts."""
    if s.boost_count >= MAX_BOOST_RULES:
        s.error = ERROR_BOOSTS
        return
    s.boost_self[s.boost_count] = card
    s.boost_address[s.boost_count] = address
    s.boost_count += 1


@separate_kernel
def allows_boost(r: Any, s: Any, card: Any, target: Any) -> Any:
    """Whether a text allows to boost an assigned card with that card of a hand (§8.1)."""
    for k in range(np.int64(s.boost_count)):
        maker = np.int64(s.boost_self[k])
        set_context(s, maker, controller_of(s, maker))
        s.context_each = target
        s.context_trigger = card
        evaluate(r, s, np.int64(s.boost_address[k]))
        if pop(s) != 0:
            return True
    return False


@kernel
def add_claim(s: Any, verb: Any, card: Any, detail: Any, check: Any, words: Any) -> None:
    """What the text of a card says about the cards of a set."""
    if s.claim_count >= MAX_CLAIMS:
        s.error = ERROR_CLAIMS
        return
    place = np.int64(s.claim_count)
    s.claim_verb[place] = verb
    s.claim_self[place] = card
    s.claim_detail[place] = detail
    s.claim_check[place] = check
    assign_set(s.claim_cards[place], words)
    s.claim_count += 1
    if verb == GRANT:
        s.grant_count += 1


@kernel
def repeats_of(s: Any, verb: Any, card: Any) -> Any:
    """REPEAT_FAIL, REPEAT_SUCCESS: how many more times the texts of a card are used."""
    total = np.int64(0)
    for k in range(np.int64(s.claim_count)):
        if s.claim_verb[k] == verb and contains(s.claim_cards[k], card):
            total += np.int64(s.claim_detail[k])
    return total


@kernel
def add_forbid(s: Any, card: Any, event: Any, player: Any, match: Any) -> None:
    """FORBID: an event that cannot happen."""
    if s.forbid_count >= MAX_FORBIDS:
        s.error = ERROR_FORBIDS
        return
    place = np.int64(s.forbid_count)
    s.forbid_event[place] = event
    s.forbid_player[place] = player
    s.forbid_self[place] = card
    s.forbid_match[place] = match
    s.forbid_count += 1


@separate_kernel
def is_forbidden(r: Any, s: Any, event: Any, seat: Any, card: Any) -> Any:
    """Whether a prohibition stands against a player's event with a card."""
    for k in range(np.int64(s.forbid_count)):
        if s.forbid_event[k] == event:
            maker = np.int64(s.forbid_self[k])
            set_context(s, maker, controller_of(s, maker))
            if seat_named(s, s.forbid_player[k]) == seat:
                s.context_trigger = card
                evaluate(r, s, np.int64(s.forbid_match[k]))
                if pop(s) != 0:
                    return True
    return False


@separate_kernel
def difficulty(r: Any, s: Any) -> Any:
    """N7: the total difficulty of the current mission."""
    mission = np.int64(s.current)
    skill = required_skill(r, s)
    total = np.int64(r.difficulty[s.kind[mission]])
    base = change_of(s, mission, BASE)
    if base != 0:
        total = base - RAISED
    total = max(np.int64(0), total + change_of(s, mission, PLUS))
    for k in range(num_words(s)):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            is_adversary = type_of(r, s, card) == ADVERSARY and is_assigned(s, card)
            if s.zone[card] == AT_MISSION or is_adversary:
                total += max(np.int64(0), current_rating(r, s, card, skill))
    for k in range(np.int64(s.complication_count)):
        total += max(np.int64(0), 1 + change_of(s, s.complications[k], PLUS))
    return total


@separate_kernel
def hero_total(r: Any, s: Any) -> Any:
    """N8: the sum of the assigned characters' ratings in the required skill."""
    skill = required_skill(r, s)
    total = np.int64(0)
    for k in range(num_words(s)):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            if is_character(r, s, card) and is_assigned(s, card):
                total += max(np.int64(0), current_rating(r, s, card, skill))
    return total


@inline_kernel
def cost_to_play(r: Any, s: Any, card: Any) -> Any:
    """The current power cost of a card in a hand."""
    return max(np.int64(0), np.int64(r.cost[s.kind[card]]) + change_of(s, card, COST_PLUS))


@inline_kernel
def cost_to_complicate(s: Any) -> Any:
    """The current power cost of a complication (§8.2)."""
    printed = 1 + np.int64(s.complication_count)
    return max(np.int64(0), printed + change_of(s, COMPLICATIONS, COST_PLUS))


@kernel
def revive_cost(r: Any, s: Any, card: Any) -> Any:
    """The current revive cost of an adversary."""
    printed = np.int64(r.revive_cost[s.kind[card]])
    return max(np.int64(0), printed + change_of(s, card, REVIVE_PLUS))


@kernel
def has_dominion(r: Any, s: Any, card: Any) -> Any:
    """Whether a card has the keyword dominion (§11), printed or granted."""
    return has_keyword(r, s, card, DOMINION_BIT)
