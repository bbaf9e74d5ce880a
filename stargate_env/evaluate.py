"""Pure instructions: sets of cards, filters, values, and whether costs can be paid.

`evaluate` runs a program up to its first instruction that is not pure; it never waits and changes
nothing but the scratch fields of the state. Section numbers refer to RULES.md beside this file.
"""

from typing import Any

import numpy as np

from tabletop_core.bits import NONE, WORD_BITS, U, bit, has, lowest, popcount, without_lowest
from tabletop_core.jit import inline_kernel, kernel, separate_kernel

from . import opcodes as op
from .sizes import (
    ADVERSARY,
    GEAR,
    MISSION,
    NO_RATING,
    NUM_SKILLS,
    OBSTACLE,
    SHIP,
    SUPPORT,
    TEAM,
)
from .state import (
    ASSIGNED,
    AT_MISSION,
    ATTACHED,
    BLOCKADED,
    COMPLICATION,
    COMPLICATIONS,
    CONTINUING,
    DECK,
    DISCARD,
    ERROR_INSTRUCTION,
    FAILED,
    FIRE_PLUS,
    GLYPH,
    HAND,
    INCAP,
    MISSIONS,
    NEXT_MISSION,
    NO_CARD,
    PLAY,
    READY,
    RESULT,
    SEAT_STRIDE,
    SEAT_WORDS,
    STOPPED,
    TUCKED,
    VSCORE,
)
from .table import (
    assign_set,
    becomes_with,
    change_of,
    contains,
    count_symbol,
    current_rating,
    exclude,
    first_of,
    glyph_count,
    glyph_kinds,
    has_condition,
    in_play_word,
    include,
    is_assigned,
    is_character,
    is_in_play,
    is_in_role,
    is_off_turn,
    next_of,
    num_words,
    owner_of,
    size_of,
    traits_of,
    type_of,
    types_of,
    villain_of,
)
from .words import (
    ADD_GLYPH,
    BASE_ADVERSARY,
    BASE_CHAR,
    BASE_COMPLICATION,
    BASE_DECK,
    BASE_DISCARD,
    BASE_EVENT,
    BASE_FAILED_MISSION,
    BASE_GEAR,
    BASE_HAND,
    BASE_MISSIONS_BOTTOM,
    BASE_OBSTACLE,
    BASE_PLAYED_TURN,
    BASE_SHIP,
    BASE_SUPPORT,
    BASE_TEAM,
    BASE_TUCKED,
    BASE_VSCORE,
    BLOCK,
    DESTROY,
    DISCARD_VERB,
    EXACT,
    FACEDOWN,
    FILTER_ASSIGNABLE,
    FILTER_BLOCKED,
    FILTER_COMPLICATION,
    FILTER_CONTRIBUTED_SKILL,
    FILTER_COST,
    FILTER_DOMINION,
    FILTER_FAILED,
    FILTER_FIRST_OF_TURN,
    FILTER_GLYPH,
    FILTER_GLYPH_HELD_BY,
    FILTER_HAS_FAILURE_TEXT,
    FILTER_HAS_GLYPH,
    FILTER_HAS_SKILL,
    FILTER_IN,
    FILTER_LACKS_TRAIT_OF,
    FILTER_OTHER,
    FILTER_OWNER,
    FILTER_PROMOTED,
    FILTER_SAME_TITLE,
    FILTER_SHARES_GLYPH_WITH,
    FILTER_SHARES_TRAIT_WITH,
    FILTER_SIDE,
    FILTER_SKILL,
    FILTER_STATE,
    FILTER_TITLE,
    FILTER_TRAIT,
    FILTER_TYPE,
    FILTER_WITHDRAW,
    GATE_ATTACHED,
    GATE_OFFTURN,
    GRANT,
    HEAD_KW,
    HEAD_ON_EITHER,
    HEAD_ON_FAIL,
    IN_VSCORE,
    INCAP_VERB,
    MEASURE_BLOCKADED,
    MEASURE_CONTRIBUTED_SKILL,
    MEASURE_COST,
    MEASURE_CUL,
    MEASURE_FAIL_TURN,
    MEASURE_FIREPOWER,
    MEASURE_GLYPH,
    MEASURE_GLYPH_KINDS,
    MEASURE_GLYPH_KINDS_SHARED,
    MEASURE_HIGHEST_SKILL,
    MEASURE_MARK_MADE,
    MEASURE_MAX_GLYPH,
    MEASURE_POWER_LEFT,
    MEASURE_SUCCESS_TURN,
    MEASURE_TRAIT_KINDS,
    MEASURE_TRAIT_KINDS_SHARED,
    MEASURE_XP,
    NO_FRAME,
    NO_SCORE,
    PROMOTE,
    READY_VERB,
    REFER_BOTH,
    REFER_CONTINUE,
    REFER_EACH,
    REFER_GRANTER,
    REFER_HOLDER,
    REFER_HOST,
    REFER_MARKED,
    REFER_MISSION,
    REFER_NEXT_MISSION_TURN,
    REFER_REST,
    REFER_SEEN,
    REFER_SELF,
    REFER_THAT,
    REFER_TRIGGER,
    SCORE_VERB,
    STOP,
    SYMBOL_CHOSEN,
    SYMBOL_EARNED,
    SYMBOL_MISSION,
    UNBLOCK,
    UP_TO,
)

DOMINION_BIT = 1  # of the keywords of a kind
WITHDRAW_BIT = 2

# --- numbers and sets -------------------------------------------------------------------------


@inline_kernel
def push(s: Any, value: Any) -> None:
    """Push a number."""
    s.stack[s.top] = value
    s.top += 1


@inline_kernel
def pop(s: Any) -> Any:
    """Pop a number, as int64."""
    s.top -= 1
    return np.int64(s.stack[s.top])


@inline_kernel
def seat_named(s: Any, word: Any) -> Any:
    """The seat that a player word means in the present context."""
    if word == 0:
        return np.int64(s.hero)
    if word == 1:
        return villain_of(s)
    if word == 2:
        return owner_of(np.int64(s.context_self))
    if word == 4 and s.context_frame >= 0:
        return np.int64(s.frame_actor[s.context_frame])
    return np.int64(s.hero)


@inline_kernel
def compare(relation: Any, left: Any, right: Any) -> Any:
    """Whether a relation of `opcodes.RELATION_WORDS` holds."""
    if relation == 0:
        return left == right
    if relation == 1:
        return left < right
    if relation == 2:
        return left <= right
    if relation == 3:
        return left > right
    return left >= right


@inline_kernel
def is_pure(instruction: Any) -> Any:
    """Whether `evaluate` has something to do; asked where most often it has not."""
    return op.END < instruction <= op.JUMP


@separate_kernel
def evaluate(r: Any, s: Any, address: Any) -> Any:
    """Run pure instructions from `address`; the address of the first that is not pure."""
    code = r.code
    pc = np.int64(address)
    while True:
        instruction = code[pc]
        if instruction == op.SELECT:
            select_base(r, s, code[pc + 1], code[pc + 2], code[pc + 3], code[pc + 4])
            pc += 5
        elif instruction == op.REFER:
            note_use(s, code[pc + 1])
            select_reference(r, s, s.sets[code[pc + 1]], code[pc + 2])
            pc += 3
        elif instruction == op.KEEP:
            keep(r, s, s.sets[code[pc + 1]], pc + 3, code[pc + 2])
            pc += 3 + op.FILTER_WIDTH * np.int64(code[pc + 2])
        elif instruction == op.UNITE:
            note_use(s, code[pc + 1])
            target = s.sets[code[pc + 1]]
            source = s.sets[code[pc + 2]]
            for k in range(num_words(s)):
                target[k] |= source[k]
            pc += 3
        elif instruction == op.PUSH:
            push(s, code[pc + 1])
            pc += 2
        elif instruction == op.COUNT:
            push(s, size_of(s.sets[code[pc + 1]]))
            pc += 2
        elif instruction == op.MEASURE:
            push(s, measure(r, s, code[pc + 1], code[pc + 2], code[pc + 3]))
            pc += 4
        elif instruction == op.COMPARE:
            right = pop(s)
            left = pop(s)
            push(s, compare(code[pc + 1], left, right))
            pc += 2
        elif instruction <= op.IF_ELSE and instruction >= op.PUSH_N:
            pc = calculate(s, instruction, pc, code[pc + 1])
        elif instruction <= op.UNRESERVED and instruction >= op.DOABLE:
            pc = check_cost(r, s, instruction, pc, code[pc + 1], code[pc + 2])
        elif instruction == op.JUMP:
            pc = np.int64(code[pc + 1])
        elif instruction <= op.RESERVE_SOME and instruction >= op.TOP:
            pc = evaluate_rarer(r, s, instruction, pc)
        else:
            return pc


@inline_kernel
def note_use(s: Any, number: Any) -> None:
    """A set is written: it has to be cleared before the next decision."""
    s.used_sets |= np.uint8(1) << np.uint8(number)


@kernel
def evaluate_rarer(r: Any, s: Any, instruction: Any, pc: Any) -> Any:
    """The pure instructions that few cards use; the next address."""
    code = r.code
    note_use(s, code[pc + 1])
    words = s.sets[code[pc + 1]]
    if instruction == op.TOP:
        select_top(s, words, code[pc + 2], seat_named(s, code[pc + 3]), pop(s))
        return pc + 4
    if instruction == op.BENEATH:
        select_beneath(r, s, words, U(code[pc + 2]), code[pc + 3])
        return pc + 4
    if instruction == op.HOSTS:
        select_hosts(s, words)
        return pc + 2
    if instruction == op.COUNT_TRAITS:
        push(s, count_traits(r, s, words, code[pc + 2]))
        return pc + 3
    if instruction == op.KEEP_PAYABLE:
        if max(np.int64(0), pop(s)) + np.int64(s.spent) > s.power[s.context_user]:
            exclude(words, np.int64(s.context_each))
        return pc + 2
    if instruction == op.RESERVE_SOME:
        reserve_some(s, words, pop(s))
        return pc + 2
    card = next_of(words, np.int64(s.locals[code[pc + 2]]))  # NEXT_EACH
    s.locals[code[pc + 2]] = card
    s.context_each = card
    if card != NO_CARD:
        return pc + 4
    if s.context_frame >= 0:
        s.context_each = s.frame_each[s.context_frame]
    return np.int64(code[pc + 3])


@kernel
def select_top(s: Any, target: Any, base: Any, seat: Any, count: Any) -> None:
    """TOP: so many cards of the top of a deck or mission pile, or of the bottom of the latter."""
    target[:] = NONE
    is_deck = base == BASE_DECK
    size = np.int64(s.deck_size[seat]) if is_deck else np.int64(s.missions_size[seat])
    for k in range(min(size, max(np.int64(0), count))):
        depth = k if base == BASE_MISSIONS_BOTTOM else size - 1 - k
        place = s.deck[seat, depth] if is_deck else s.missions[seat, depth]
        include(target, seat * SEAT_STRIDE + np.int64(place))


@kernel
def select_beneath(r: Any, s: Any, words: Any, kinds: Any, local: Any) -> None:
    """BENEATH: the glyphs of some symbols, and of the experience in a local, beneath cards."""
    glyphs = s.zones[GLYPH]
    card = first_of(glyphs)
    note_use(s, op.NUM_SETS - 1)
    beneath = s.sets[op.NUM_SETS - 1]
    beneath[:] = NONE
    while card != NO_CARD:
        kind = s.kind[card]
        is_worth = local < 0 or r.experience[kind] == s.locals[local]
        if is_worth and has(kinds, r.glyph[kind]) and contains(words, np.int64(s.host[card])):
            include(beneath, card)
        card = next_of(glyphs, card)
    assign_set(words, beneath)


@kernel
def select_hosts(s: Any, words: Any) -> None:
    """HOSTS: the cards above glyphs, of each one glyph in its place: so many characters."""
    glyph = first_of(words)
    while glyph != NO_CARD:
        other = next_of(words, glyph)
        while other != NO_CARD:
            if s.host[other] == s.host[glyph]:
                exclude(words, other)
            other = next_of(words, other)
        glyph = next_of(words, glyph)


@kernel
def count_traits(r: Any, s: Any, words: Any, traits: Any) -> Any:
    """COUNT_TRAITS: cards in play that count as several of one of the traits do so."""
    count = np.int64(0)
    card = first_of(words)
    while card != NO_CARD:
        kind = s.kind[card]
        is_several = r.counted_traits[kind] & traits != 0 and is_in_play(s, card)
        count += np.int64(r.counted_number[kind]) if is_several else np.int64(1)
        card = next_of(words, card)
    return count


@kernel
def calculate(s: Any, instruction: Any, pc: Any, operand: Any) -> Any:
    """The instructions on the stack; the address behind."""
    if instruction == op.PUSH_N:
        push(s, s.frame_n[s.context_frame])
    elif instruction == op.STORE:
        s.locals[operand] = pop(s)
        return pc + 2
    elif instruction == op.NOT:
        push(s, pop(s) == 0)
    elif instruction == op.IF_ELSE:
        otherwise = pop(s)
        then = pop(s)
        if pop(s) != 0:
            push(s, then)
        else:
            push(s, otherwise)
    else:
        right = pop(s)
        left = pop(s)
        if instruction == op.ADD:
            push(s, left + right)
        elif instruction == op.SUBTRACT:
            push(s, left - right)
        elif instruction == op.MULTIPLY:
            push(s, left * right)
        elif instruction == op.DIVIDE:
            push(s, left // max(1, right))
        elif instruction == op.AND:
            push(s, left != 0 and right != 0)
        else:
            push(s, left != 0 or right != 0)
    return pc + 1


@kernel
def select_base(r: Any, s: Any, number: Any, base: Any, player: Any, flags: Any) -> None:
    """SELECT: the cards that a base of `opcodes.BASE_WORDS` means (EFFECTS.md, section 5.1)."""
    note_use(s, number)
    target = s.sets[number]
    target[:] = NONE
    if base >= BASE_HAND:
        select_pile(s, target, base, seat_named(s, player))
    elif flags & op.IN_HAND:
        select_playable(r, s, target, base)
    elif base == BASE_COMPLICATION:
        assign_set(target, s.zones[COMPLICATION])
    elif base == BASE_TUCKED:
        select_tucked(s, target)
    elif base == BASE_PLAYED_TURN:
        assign_set(target, s.played_turn)
    elif base == BASE_FAILED_MISSION:
        assign_set(target, s.zones[FAILED])
    else:
        for k in range(num_words(s)):
            target[k] = in_play_word(s, k)
        keep_base(r, s, target, base)
        if flags & op.AT_MISSION:
            keep_at_mission(r, s, target)


@kernel
def select_pile(s: Any, target: Any, base: Any, seat: Any) -> None:
    """The cards of one player in a hand or pile."""
    zone = VSCORE
    if base == BASE_HAND:
        zone = HAND
    elif base == BASE_DECK:
        zone = DECK
    elif base == BASE_DISCARD:
        zone = DISCARD
    elif base < BASE_VSCORE:
        zone = MISSIONS
    for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
        target[k] = s.zones[zone, k]


@kernel
def select_tucked(s: Any, target: Any) -> None:
    """The cards beneath the card of the text."""
    card = first_of(s.zones[TUCKED])
    while card != NO_CARD:
        if s.host[card] == s.context_self:
            include(target, card)
        card = next_of(s.zones[TUCKED], card)


@kernel
def select_playable(r: Any, s: Any, target: Any, base: Any) -> None:
    """Cards of a base in the hand of the player who could play them (COST)."""
    if base == BASE_COMPLICATION:
        include(target, COMPLICATIONS)
        return
    hero, villain = np.int64(s.hero), villain_of(s)
    for k in range(hero * SEAT_WORDS, (hero + 1) * SEAT_WORDS):
        target[k] = s.zones[HAND, k] & s.hero_side[k]
    for k in range(villain * SEAT_WORDS, (villain + 1) * SEAT_WORDS):
        target[k] = s.zones[HAND, k] & ~s.hero_side[k]
    keep_base(r, s, target, base)


@kernel
def base_types(base: Any) -> Any:
    """The card types of a base, as a word."""
    if base == BASE_CHAR:
        return bit(TEAM) | bit(SUPPORT)
    if base == BASE_TEAM:
        return bit(TEAM)
    if base == BASE_SUPPORT:
        return bit(SUPPORT)
    if base == BASE_GEAR:
        return bit(GEAR)
    if base == BASE_EVENT:
        return bit(4)
    if base == BASE_OBSTACLE:
        return bit(OBSTACLE)
    if base == BASE_ADVERSARY:
        return bit(ADVERSARY)
    if base == BASE_SHIP:
        return bit(SHIP)
    return ~NONE


@kernel
def keep_base(r: Any, s: Any, target: Any, base: Any) -> None:
    """Keep the cards of the type of a base."""
    types = base_types(base)
    if types == ~NONE:
        return
    for k in range(num_words(s)):
        left = target[k]
        while left != NONE:
            rest = without_lowest(left)
            if types_of(r, s, k * WORD_BITS + lowest(left)) & types == NONE:
                target[k] ^= left ^ rest
            left = rest


@kernel
def keep_at_mission(r: Any, s: Any, target: Any) -> None:
    """Keep the face-up cards at the mission (G6): obstacles, assigned cards, the mission."""
    for k in range(num_words(s)):
        target[k] &= ~s.zones[ATTACHED, k]
        left = target[k] & s.zones[PLAY, k]
        while left != NONE:
            rest = without_lowest(left)
            if s.condition[k * WORD_BITS + lowest(left)] != ASSIGNED:
                target[k] ^= left ^ rest
            left = rest


@kernel
def select_reference(r: Any, s: Any, target: Any, reference: Any) -> None:
    """REFER: the cards that a reference of `opcodes.REFERENCE_WORDS` stands for."""
    target[:] = NONE
    frame = np.int64(s.context_frame)
    if reference == REFER_SELF:
        include(target, np.int64(s.context_self))
    elif reference == REFER_EACH:
        if s.context_each != NO_CARD:
            include(target, np.int64(s.context_each))
    elif reference == REFER_TRIGGER:
        if s.context_trigger != NO_CARD:
            include(target, np.int64(s.context_trigger))
    elif reference == REFER_THAT:
        if frame >= 0:
            assign_set(target, s.frame_that[frame])
    elif reference == REFER_SEEN:
        if frame >= 0:
            assign_set(target, s.frame_seen[frame])
    elif reference == REFER_REST:
        if frame >= 0:
            select_rest(s, target, s.frame_seen[frame])
    elif reference in (REFER_HOLDER, REFER_BOTH):
        if frame >= 0:
            select_holders(s, target, frame, reference == REFER_BOTH)
    elif reference == REFER_MARKED:
        for k in range(np.int64(s.mark_count)):
            if s.mark_maker[k] == s.context_self and s.mark_is_gone[k] == 0:
                include(target, np.int64(s.mark_card[k]))
    elif reference == REFER_HOST:
        card = np.int64(s.context_self)
        if s.zone[card] == ATTACHED:
            include(target, np.int64(s.host[card]))
    elif reference == REFER_GRANTER:
        if s.context_granter != NO_CARD:
            include(target, np.int64(s.context_granter))
    elif reference == REFER_MISSION:
        if s.current != NO_CARD:
            include(target, np.int64(s.current))
    elif reference == REFER_NEXT_MISSION_TURN:
        include(target, NEXT_MISSION)
    elif reference == REFER_CONTINUE:
        include(target, CONTINUING)


@kernel
def select_rest(s: Any, target: Any, seen: Any) -> None:
    """The seen cards that still lie where they were seen."""
    card = first_of(seen)
    while card != NO_CARD:
        if s.zone[card] in (DECK, HAND, MISSIONS):
            include(target, card)
        card = next_of(seen, card)


@kernel
def select_holders(s: Any, target: Any, frame: Any, with_receiver: Any) -> None:
    """The card that the latest glyph lay beneath, and the one it went to."""
    if s.frame_holder[frame] != NO_CARD:
        include(target, np.int64(s.frame_holder[frame]))
    glyph = first_of(s.frame_that[frame])
    if with_receiver and glyph != NO_CARD and s.host[glyph] != NO_CARD:
        include(target, np.int64(s.host[glyph]))


@kernel
def keep(r: Any, s: Any, target: Any, address: Any, alternatives: Any) -> None:
    """KEEP: keep the cards that one of the alternatives fits."""
    code = r.code
    for k in range(num_words(s)):
        left = target[k]
        if left == NONE:
            continue
        for place in range(address, address + op.FILTER_WIDTH * alternatives, op.FILTER_WIDTH):
            fitting = fitting_word(r, s, k, left, code[place], code[place + 2], code[place + 3])
            if code[place + 1] != 0:  # negated
                fitting = left & ~fitting
            left &= ~fitting
        target[k] &= ~left


@kernel
def fitting_word(r: Any, s: Any, k: Any, word: Any, name: Any, detail: Any, operand: Any) -> Any:
    """Which cards of word k of a set pass a filter; whole words where that can be read off them."""
    if name == FILTER_BLOCKED:
        return word & s.blocked[k]
    if name == FILTER_SIDE:
        heroes = s.hero_side[k] & ~s.becomes[k]
        return word & heroes if operand == 0 else word & ~heroes
    if name == FILTER_OWNER:
        return word if k // SEAT_WORDS == seat_named(s, operand) else NONE
    if name == FILTER_IN:
        return word & s.sets[operand, k]
    fitting = NONE
    while word != NONE:
        rest = without_lowest(word)
        if matches(r, s, k * WORD_BITS + lowest(word), name, detail, operand):
            fitting |= word ^ rest
        word = rest
    return fitting


@kernel
def matches(r: Any, s: Any, card: Any, name: Any, detail: Any, operand: Any) -> Any:
    """Whether a card passes a filter of `opcodes.FILTER_WORDS` (EFFECTS.md, section 5.3).

    `fitting_word` has those that are sets of cards.
    """
    kind = s.kind[card]
    if name == FILTER_TRAIT:
        return has(traits_of(r, s, card), operand)
    if name == FILTER_TYPE:
        return U(operand) & types_of(r, s, card) != NONE
    if name == FILTER_TITLE:
        return r.title[kind] == operand
    if name == FILTER_HAS_SKILL:
        return has_skill(r, s, card, operand)
    if name == FILTER_SKILL:
        rating = rating_of(r, s, card, detail // 5)
        return rating != NO_RATING and compare(detail % 5, rating, s.locals[operand])
    if name == FILTER_STATE:
        return s.condition[card] == operand and has_condition(r, s, card)
    if name == FILTER_COST:  # a card without a power cost has none to compare (SL-117)
        cost = np.int64(r.cost[kind])
        return cost >= 0 and compare(detail, cost, s.locals[operand])
    if name == FILTER_GLYPH:
        return compare(detail, glyph_count(s, card), s.locals[operand])
    if name == FILTER_HAS_GLYPH:
        return has_glyph(r, s, card, operand)
    if name == FILTER_OTHER:
        return card != s.context_self
    if name == FILTER_SHARES_GLYPH_WITH:
        kinds = glyph_kinds(r, s, card)
        return kinds != NONE and kinds & kinds_of_set(r, s, s.sets[operand]) != NONE
    if name == FILTER_SAME_TITLE:
        return shares_title(r, s, card, s.sets[operand])
    return matches_rarer(r, s, card, name, detail, operand)


@kernel
def matches_rarer(r: Any, s: Any, card: Any, name: Any, detail: Any, operand: Any) -> Any:
    """The filters that few cards use."""
    kind = s.kind[card]
    if name == FILTER_COMPLICATION:
        return s.zone[card] == COMPLICATION
    if name == FILTER_PROMOTED:
        return s.tokens[card] > 0
    if name == FILTER_DOMINION:
        return has_keyword(r, s, card, DOMINION_BIT)
    if name == FILTER_WITHDRAW:
        return has_keyword(r, s, card, WITHDRAW_BIT)
    if name == FILTER_HAS_FAILURE_TEXT:
        return has_failure_text(r, s, card)
    if name == FILTER_FIRST_OF_TURN:
        return card == s.current and s.missions_played == 1
    if name == FILTER_FAILED:
        is_over = card == s.current and s.phase > RESULT and s.succeeded == 0
        return is_over or s.zone[card] == FAILED
    if name == FILTER_ASSIGNABLE:
        return is_assignable(r, s, card)
    if name == FILTER_LACKS_TRAIT_OF:
        return marked_traits(r, s, s.sets[operand]) & ~traits_of(r, s, card) != NONE
    if name == FILTER_SHARES_TRAIT_WITH:
        return shares_trait(r, s, card, s.sets[operand])
    if name == FILTER_GLYPH_HELD_BY:
        return has(kinds_of_set(r, s, s.sets[operand]), r.glyph[kind])
    if name == FILTER_CONTRIBUTED_SKILL:
        return compare(detail, contribution(r, s, card), s.locals[operand])
    s.error = ERROR_INSTRUCTION
    return False


@kernel
def is_assignable(r: Any, s: Any, card: Any) -> Any:
    """Ready, not blocked, and if it is a support character, with the required rating."""
    if s.zone[card] != PLAY or s.condition[card] != READY or contains(s.blocked, card):
        return False
    return type_of(r, s, card) != SUPPORT or has_skill(r, s, card, required_skill(r, s))


@kernel
def marked_traits(r: Any, s: Any, words: Any) -> Any:
    """The traits of cards; those that have left play after being marked had them, too."""
    traits = traits_of_set(r, s, words)
    for k in range(np.int64(s.mark_count)):
        if s.mark_maker[k] == s.context_self and s.mark_is_gone[k] != 0:
            traits |= U(r.traits[s.kind[s.mark_card[k]]])
    return traits


@inline_kernel
def rating_of(r: Any, s: Any, card: Any, skill: Any) -> Any:
    """The current rating of a card in play, the printed one of another; or NO_RATING."""
    if s.zone[card] in (PLAY, AT_MISSION, ATTACHED):
        return current_rating(r, s, card, skill)
    return np.int64(r.printed[s.kind[card], skill])


@kernel
def has_skill(r: Any, s: Any, card: Any, skill: Any) -> Any:
    """Whether a card has a rating in a skill; a mission: requires it."""
    if card == s.current:
        return s.skill_now == skill
    if type_of(r, s, card) == MISSION:
        return r.skill[s.kind[card]] == skill
    return rating_of(r, s, card, skill) != NO_RATING


@kernel
def has_glyph(r: Any, s: Any, card: Any, operand: Any) -> Any:
    """Whether a glyph of a symbol (or that of the current mission) lies beneath a card."""
    kinds = glyph_kinds(r, s, card)
    if operand == SYMBOL_EARNED:
        return has(kinds, s.earned)
    if operand == SYMBOL_CHOSEN:
        return s.context_frame >= 0 and has(kinds, s.frame_symbol[s.context_frame])
    if operand == SYMBOL_MISSION:
        return s.current != NO_CARD and has(kinds, r.glyph[s.kind[s.current]])
    return has(kinds, operand)


@kernel
def kinds_of_set(r: Any, s: Any, words: Any) -> Any:
    """The glyph symbols beneath the cards of a set."""
    kinds = NONE
    card = first_of(words)
    while card != NO_CARD:
        kinds |= glyph_kinds(r, s, card)
        card = next_of(words, card)
    return kinds


@kernel
def traits_of_set(r: Any, s: Any, words: Any) -> Any:
    """The traits of the cards of a set, as a word."""
    traits = NONE
    card = first_of(words)
    while card != NO_CARD:
        traits |= traits_of(r, s, card)
        card = next_of(words, card)
    return traits


@kernel
def shares_trait(r: Any, s: Any, card: Any, words: Any) -> Any:
    """Whether one of the cards of a set has a trait of `card`."""
    other = first_of(words)
    while other != NO_CARD:
        if traits_of(r, s, other) & traits_of(r, s, card) != NONE:
            return True
        other = next_of(words, other)
    return False


@kernel
def firepower_of(r: Any, s: Any, card: Any) -> Any:
    """The current firepower of a ship."""
    return max(np.int64(0), np.int64(r.firepower[s.kind[card]]) + change_of(s, card, FIRE_PLUS))


@kernel
def contribution(r: Any, s: Any, card: Any) -> Any:
    """What a card adds to the hero total: its rating in the required skill while assigned."""
    if s.current == NO_CARD or not is_assigned(s, card):
        return np.int64(0)
    return max(np.int64(0), current_rating(r, s, card, required_skill(r, s)))


@kernel
def shares_title(r: Any, s: Any, card: Any, words: Any) -> Any:
    """Whether one of the cards of a set has the title of `card`."""
    other = first_of(words)
    while other != NO_CARD:
        if r.title[s.kind[other]] == r.title[s.kind[card]]:
            return True
        other = next_of(words, other)
    return False


@kernel
def measure(r: Any, s: Any, what: Any, number: Any, detail: Any) -> Any:
    """MEASURE: a value of `opcodes.MEASURE_WORDS` (EFFECTS.md, section 7)."""
    if what == MEASURE_POWER_LEFT:
        return np.int64(s.power[seat_named(s, detail)])
    if what == MEASURE_FAIL_TURN:
        return np.int64(s.fail_turn)
    if what == MEASURE_SUCCESS_TURN:
        total = np.int64(0)
        for skill in range(NUM_SKILLS):
            if detail < 0 or detail == skill:
                total += np.int64(s.success_turn[skill])
        return total
    if what == MEASURE_BLOCKADED:
        return count_blockaded(s)
    if what == MEASURE_MARK_MADE:
        for k in range(np.int64(s.mark_count)):
            if s.mark_maker[k] == s.context_self:
                return np.int64(1)
        return np.int64(0)
    words = s.sets[number]
    if what == MEASURE_GLYPH_KINDS:
        return popcount(kinds_of_set(r, s, words))
    if what == MEASURE_TRAIT_KINDS:
        return popcount(traits_of_set(r, s, words))
    if what in (MEASURE_HIGHEST_SKILL, MEASURE_MAX_GLYPH):
        return highest(r, s, what, words)
    if what == MEASURE_TRAIT_KINDS_SHARED:
        return popcount(traits_of_set(r, s, words) & traits_of_set(r, s, s.sets[detail]))
    if what == MEASURE_GLYPH_KINDS_SHARED:
        return popcount(kinds_of_set(r, s, words) & kinds_of_set(r, s, s.sets[detail]))
    total = np.int64(0)
    card = first_of(words)
    while card != NO_CARD:
        total += measure_card(r, s, what, card, detail)
        card = next_of(words, card)
    return total


@kernel
def highest(r: Any, s: Any, what: Any, words: Any) -> Any:
    """The highest rating of cards, or number of glyphs beneath one of them; 0 if there is none."""
    most = np.int64(0)
    card = first_of(words)
    while card != NO_CARD:
        if what == MEASURE_MAX_GLYPH:
            most = max(most, glyph_count(s, card))
        else:
            for skill in range(NUM_SKILLS):
                most = max(most, rating_of(r, s, card, skill))
        card = next_of(words, card)
    return most


@kernel
def count_blockaded(s: Any) -> Any:
    """Missions beneath villain cards of the villain (§11)."""
    count = np.int64(0)
    card = first_of(s.zones[BLOCKADED])
    while card != NO_CARD:
        count += owner_of(np.int64(s.host[card])) == villain_of(s)
        card = next_of(s.zones[BLOCKADED], card)
    return count


@kernel
def measure_card(r: Any, s: Any, what: Any, card: Any, detail: Any) -> Any:
    """One card's part of a value that is summed over cards."""
    kind = s.kind[card]
    if what == MEASURE_GLYPH:
        if detail < 0:
            return glyph_count(s, card)
        return count_symbol(r, s, card, detail)
    if what == MEASURE_COST:
        return max(np.int64(0), np.int64(r.cost[kind]))
    if what == MEASURE_XP:
        return max(np.int64(0), np.int64(r.experience[kind]))
    if what == MEASURE_FIREPOWER:
        return firepower_of(r, s, card)
    if what == MEASURE_CONTRIBUTED_SKILL:
        return contribution(r, s, card)
    skill = what - MEASURE_CUL
    if 0 <= skill < NUM_SKILLS:
        return max(np.int64(0), rating_of(r, s, card, skill))
    s.error = ERROR_INSTRUCTION
    return np.int64(0)


# --- what can be done and paid ------------------------------------------------------------------


@kernel
def check_cost(r: Any, s: Any, instruction: Any, pc: Any, operand: Any, detail: Any) -> Any:
    """The instructions that ask whether a cost can be paid; the address behind."""
    words = s.sets[0]
    if instruction == op.DOABLE:
        card = first_of(words)
        while card != NO_CARD:
            if not is_doable(r, s, operand, card):
                exclude(words, card)
            card = next_of(words, card)
        return pc + 2
    if instruction == op.NEED:
        count = size_of(words)
        if operand == EXACT:
            push(s, count >= max(pop(s), detail))
        elif operand == UP_TO:
            most = pop(s)
            push(s, detail == 0 or (count > 0 and most > 0))
        elif operand == op.REFERENCED:
            push(s, count > 0)
        else:
            push(s, detail == 0 or count > 0)
        return pc + 3
    if instruction == op.RESERVE:
        for k in range(num_words(s)):
            s.reserved[k] |= words[k]
        return pc + 1
    if instruction == op.UNRESERVED:
        for k in range(num_words(s)):
            words[k] &= ~s.reserved[k]
        return pc + 1
    if instruction == op.CAN_PAY:
        s.spent += np.int32(max(np.int64(0), pop(s)))
        push(s, np.int64(s.power[s.context_user]) >= np.int64(s.spent))
        return pc + 1
    push(s, can_move_glyph(s))
    return pc + 2


@kernel
def reserve_some(s: Any, words: Any, count: Any) -> None:
    """RESERVE_SOME: the first cards; which does not matter, as all who ask so take from one set."""
    card = first_of(words)
    while count > 0 and card != NO_CARD:
        include(s.reserved, card)
        count -= 1
        card = next_of(words, card)


@kernel
def is_doable(r: Any, s: Any, verb: Any, card: Any) -> Any:
    """C2: whether a verb (of DOABLE) would do something to a card."""
    zone = s.zone[card]
    condition = s.condition[card]
    if verb == BLOCK | op.AS_COST:  # B5
        return zone == PLAY and condition == READY and not contains(s.blocked, card)
    if verb & ~op.AS_COST == BLOCK:
        return zone == PLAY
    also_incap = verb & op.ALSO_INCAP != 0 and zone == PLAY and condition == INCAP
    verb &= ~(op.AS_COST | op.ALSO_INCAP)
    if also_incap and verb in (STOP, READY_VERB):
        return True
    if verb == INCAP_VERB:
        is_able = is_character(r, s, card) or type_of(r, s, card) == SHIP
        return zone == PLAY and condition != INCAP and is_able
    if verb == UNBLOCK:
        return contains(s.blocked, card)
    if verb == PROMOTE:
        return zone == PLAY and type_of(r, s, card) == TEAM
    if verb == STOP:
        return has_condition(r, s, card) and condition <= ASSIGNED
    if verb == READY_VERB:
        return has_condition(r, s, card) and condition in (ASSIGNED, STOPPED)
    if verb == DESTROY:
        return zone in (PLAY, AT_MISSION, COMPLICATION, ATTACHED)
    if verb == FACEDOWN:
        return zone == AT_MISSION or (zone == PLAY and type_of(r, s, card) == ADVERSARY)
    if verb == DISCARD_VERB:
        return zone in (HAND, DECK, TUCKED)
    if verb == ADD_GLYPH:
        return zone == PLAY and s.missions_size[owner_of(card)] > 0
    if verb == SCORE_VERB:
        return not becomes_with(s, card, NO_SCORE)
    return True


@kernel
def can_move_glyph(s: Any) -> Any:
    """Whether a glyph lies beneath a card of set 0 that could go to another card of set 1."""
    words = s.sets[0]
    glyphs = s.zones[GLYPH]
    glyph = first_of(glyphs)
    while glyph != NO_CARD:
        host = np.int64(s.host[glyph])
        if contains(words, host):
            others = size_of(s.sets[1])
            if others > 1 or (others == 1 and not contains(s.sets[1], host)):
                return True
        glyph = next_of(glyphs, glyph)
    return False


# --- clauses --------------------------------------------------------------------------------------


@kernel
def set_context(s: Any, card: Any, user: Any) -> None:
    """Let the words of a clause of `card` mean what they mean outside of a frame."""
    s.context_self = card
    s.context_user = user
    s.context_each = NO_CARD
    s.context_trigger = NO_CARD
    s.context_granter = NO_CARD
    s.context_frame = NO_FRAME
    s.top = 0
    s.spent = 0
    s.reserved[:] = NONE


@kernel
def gate_open(r: Any, s: Any, clause: Any, card: Any) -> Any:
    """Whether the glyphs that a clause asks for lie beneath its card (§8.3)."""
    mode = r.clause_gate[clause]
    if mode == op.GATE_NONE:
        return True
    wanted = U(r.clause_glyphs[clause])
    if mode == op.GATE_TWO:
        for kind in range(8):
            if has(wanted, kind):
                return count_symbol(r, s, card, kind) > 1
        return False
    found = glyph_kinds(r, s, card) & wanted
    if mode == op.GATE_ALL:
        return found == wanted
    return found != NONE


@kernel
def works_here(r: Any, s: Any, clause: Any, card: Any) -> Any:
    """Whether a clause works where its card is: in play, or (IN_VSCORE) in the score pile."""
    in_vscore = r.clause_flags[clause] & np.uint8(IN_VSCORE) != 0
    return in_vscore == (s.zone[card] == VSCORE)


@kernel
def is_in_place(r: Any, s: Any, clause: Any, card: Any) -> Any:
    """The prefixes ATTACHED and OFFTURN; a card that is switched off has no other texts (§6)."""
    flags = r.clause_flags[clause]
    if flags & GATE_ATTACHED and s.zone[card] != ATTACHED:
        return False
    if flags & GATE_OFFTURN:
        return is_off_turn(s, card)
    return is_in_role(s, card) or contains(s.becomes, card)


# --- the clauses of a card, printed and granted ---------------------------------------------------


@kernel
def clause_total(r: Any, s: Any, card: Any) -> Any:
    """Number of clauses of a card, granted ones included."""
    total = np.int64(r.clause_count[s.kind[card]])
    if s.grant_count > 0:
        for k in range(np.int64(s.claim_count)):
            if s.claim_verb[k] == GRANT and contains(s.claim_cards[k], card):
                total += 1
    return total


@kernel
def grant_at(r: Any, s: Any, card: Any, place: Any) -> Any:
    """The claim that grants clause `place` of a card, or -1 if the clause is printed."""
    left = place - np.int64(r.clause_count[s.kind[card]])
    for k in range(np.int64(s.claim_count)):
        if left >= 0 and s.claim_verb[k] == GRANT and contains(s.claim_cards[k], card):
            if left == 0:
                return np.int64(k)
            left -= 1
    return np.int64(-1)


@kernel
def clause_at(r: Any, s: Any, card: Any, place: Any) -> Any:
    """Number of clause `place` of a card: first the printed ones, then those that it is granted."""
    kind = s.kind[card]
    if place < r.clause_count[kind]:
        return np.int64(r.first_clause[kind]) + place
    return np.int64(r.first_granted) + np.int64(s.claim_detail[grant_at(r, s, card, place)])


@kernel
def granter_at(r: Any, s: Any, card: Any, place: Any) -> Any:
    """The card that grants clause `place` of a card, or NO_CARD."""
    grant = grant_at(r, s, card, place)
    if grant < 0:
        return np.int64(NO_CARD)
    return np.int64(s.claim_self[grant])


@kernel
def has_head(r: Any, s: Any, card: Any, head: Any) -> Any:
    """Whether a card has a clause with a head, printed or granted."""
    if has(U(r.heads[s.kind[card]]), head):
        return True
    for place in range(np.int64(r.clause_count[s.kind[card]]), clause_total(r, s, card)):
        if r.clause_head[clause_at(r, s, card, place)] == head:
            return True
    return False


@kernel
def has_failure_text(r: Any, s: Any, card: Any) -> Any:
    """Whether a card has a failure text, printed or granted."""
    return has_head(r, s, card, HEAD_ON_FAIL) or has_head(r, s, card, HEAD_ON_EITHER)


@kernel
def has_keyword(r: Any, s: Any, card: Any, keyword: Any) -> Any:
    """Whether a card has a keyword, printed or granted."""
    kind = s.kind[card]
    if r.keywords[kind] & np.uint8(keyword):
        return True
    for place in range(np.int64(r.clause_count[kind]), clause_total(r, s, card)):
        clause = clause_at(r, s, card, place)
        if r.clause_head[clause] == HEAD_KW and keyword_of(r, clause) == keyword:
            return True
    return False


@kernel
def keyword_of(r: Any, clause: Any) -> Any:
    """The keyword of a clause KW: withdraw has a value, dominion has not."""
    if r.code[r.clause_start[clause]] == op.END:
        return DOMINION_BIT
    return WITHDRAW_BIT


@kernel
def clause_works(r: Any, s: Any, clause: Any, card: Any) -> Any:
    """Whether prefixes and IF of a clause allow it now; the context must be set."""
    if not gate_open(r, s, clause, card) or not is_in_place(r, s, clause, card):
        return False
    if r.clause_condition[clause] == op.NO_ADDRESS:
        return True
    evaluate(r, s, r.clause_condition[clause])
    return pop(s) != 0


@inline_kernel
def required_skill(r: Any, s: Any) -> Any:
    """The skill that the current mission requires."""
    return np.int64(s.skill_now)
