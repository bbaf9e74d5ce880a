"""The machine that carries out the programs of cards (`opcodes.py`).

`evaluate` runs pure instructions; `refresh` computes the derived numbers of the state from printed
values, modifiers and static texts; `execute` runs the topmost frame until it is finished or a
choice is put to a player. Section numbers refer to RULES.md beside this file.
"""

from typing import Any, Final

import numpy as np

from tabletop_core.bits import NONE, U, bit, has, lowest, popcount, without_lowest
from tabletop_core.jit import inline_kernel, kernel
from tabletop_core.rng import randbelow

from . import opcodes as op
from .sizes import ADVERSARY, GEAR, MISSION, NO_RATING, NUM_SKILLS, OBSTACLE, SHIP, SUPPORT, TEAM
from .state import (
    ASK_GLYPH,
    ASK_MAY,
    ASK_OPTION,
    ASK_SCRY,
    ASK_TARGET,
    ASSIGNED,
    AT_MISSION,
    COMPLICATION,
    COMPLICATIONS,
    CONTINUING,
    DECK,
    DISCARD,
    ERROR_DELAYS,
    ERROR_FORBIDS,
    ERROR_FRAMES,
    ERROR_INSTRUCTION,
    ERROR_MARKS,
    ERROR_MODIFIERS,
    ERROR_PENDING,
    ERROR_STANDING,
    ERROR_TAXES,
    FAILED,
    FIRST_DELAY,
    GLYPH,
    HAND,
    INCAP,
    LASTS_FOREVER,
    LASTS_MISSION,
    LASTS_SOURCE,
    LASTS_TURN,
    LOOKED_AT,
    MAX_DELAYS,
    MAX_FORBIDS,
    MAX_FRAMES,
    MAX_MARKS,
    MAX_MODIFIERS,
    MAX_PENDING,
    MAX_PLAYERS,
    MAX_STANDING,
    MAX_TAXES,
    MISSIONS,
    NEXT_MISSION,
    NO_CARD,
    NO_SEAT,
    PLAY,
    READY,
    SEAT_WORDS,
    SET_WORDS,
    STOPPED,
    VSCORE,
)
from .table import (
    assign_set,
    contains,
    controller_of,
    copy_modifier,
    draw_cards,
    exclude,
    first_of,
    glyph_count,
    glyph_kinds,
    hand_size,
    has_text,
    has_two_glyphs,
    in_play_word,
    include,
    is_assigned,
    is_character,
    is_empty,
    leave_play,
    next_of,
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
    villain_of,
)


def _verb(name: str) -> int:
    return op.VERB_NUMBERS[name]


STOP: Final = _verb("STOP")
READY_VERB: Final = _verb("READY")
BLOCK: Final = _verb("BLOCK")
DESTROY: Final = _verb("DESTROY")
FACEDOWN: Final = _verb("FACEDOWN")
DISCARD_VERB: Final = _verb("DISCARD")
RECOVER: Final = _verb("RECOVER")
RESHUFFLE: Final = _verb("RESHUFFLE")
SEARCH: Final = _verb("SEARCH")
STRIP_FAIL: Final = _verb("STRIP_FAIL")
SET_SKILL: Final = _verb("SET_SKILL")
REVIVE_VERB: Final = _verb("REVIVE")
FIRST_PRIORITY: Final = _verb("FIRST_PRIORITY")
DELAY: Final = _verb("DELAY")
PUT: Final = _verb("PUT")
FILTER_COMPLICATION: Final = op.FILTER_WORDS.index("complication")
MEASURE_TRAIT_KINDS_SHARED: Final = op.MEASURE_WORDS.index("#trait_kinds_shared")
PLACE_MISSIONS_TOP: Final = op.PLACE_WORDS.index("missions_top")
INCAP_VERB: Final = _verb("INCAP")
RETURN: Final = _verb("RETURN")
UNBLOCK: Final = _verb("UNBLOCK")
PROMOTE: Final = _verb("PROMOTE")
NO_REVIVE: Final = _verb("NO_REVIVE")
MARK: Final = _verb("MARK")
PICK: Final = _verb("PICK")
PAY: Final = _verb("PAY")
POWER: Final = _verb("POWER")
DRAW: Final = _verb("DRAW")
REFILL: Final = _verb("REFILL")
SCRY: Final = _verb("SCRY")
FORBID: Final = _verb("FORBID")
MOVE_GLYPH: Final = _verb("MOVE_GLYPH")
ASSIGN_TAX: Final = _verb("ASSIGN_TAX")
SKILLS_VERB: Final = _verb("SKILLS")
CULTURE_VERB: Final = _verb("CUL")  # the other skills follow
DIFF: Final = _verb("DIFF")
COST: Final = _verb("COST")

EXACT: Final = op.QUANTITY_WORDS.index("exact")
ALL: Final = op.QUANTITY_WORDS.index("all")
ANY: Final = op.QUANTITY_WORDS.index("any")
UP_TO: Final = op.QUANTITY_WORDS.index("up_to")

BASE_HAND: Final = op.BASE_WORDS.index("hand")
BASE_COMPLICATION: Final = op.BASE_WORDS.index("complication")
BASE_FAILED_MISSION: Final = op.BASE_WORDS.index("failed_mission")
BASE_DECK: Final = op.BASE_WORDS.index("deck")
BASE_DISCARD: Final = op.BASE_WORDS.index("discard")
BASE_VSCORE: Final = op.BASE_WORDS.index("vscore")
BASE_CHAR: Final = op.BASE_WORDS.index("char")
BASE_TEAM: Final = op.BASE_WORDS.index("team")
BASE_SUPPORT: Final = op.BASE_WORDS.index("support")
BASE_GEAR: Final = op.BASE_WORDS.index("gear")
BASE_EVENT: Final = op.BASE_WORDS.index("event")
BASE_OBSTACLE: Final = op.BASE_WORDS.index("obstacle")
BASE_ADVERSARY: Final = op.BASE_WORDS.index("adversary")
BASE_SHIP: Final = op.BASE_WORDS.index("ship")
REFER_SELF: Final = op.REFERENCE_WORDS.index("self")
REFER_EACH: Final = op.REFERENCE_WORDS.index("each")
REFER_TRIGGER: Final = op.REFERENCE_WORDS.index("trigger")
REFER_THAT: Final = op.REFERENCE_WORDS.index("that")
REFER_SEEN: Final = op.REFERENCE_WORDS.index("seen")
REFER_MARKED: Final = op.REFERENCE_WORDS.index("marked")
REFER_MISSION: Final = op.REFERENCE_WORDS.index("mission")
REFER_NEXT_MISSION_TURN: Final = op.REFERENCE_WORDS.index("next_mission_turn")
REFER_CONTINUE: Final = op.REFERENCE_WORDS.index("continue")
FILTER_TRAIT: Final = op.FILTER_WORDS.index("trait")
FILTER_TYPE: Final = op.FILTER_WORDS.index("type")
FILTER_SIDE: Final = op.FILTER_WORDS.index("side")
FILTER_OWNER: Final = op.FILTER_WORDS.index("owner")
FILTER_TITLE: Final = op.FILTER_WORDS.index("title")
FILTER_HAS_SKILL: Final = op.FILTER_WORDS.index("has_skill")
FILTER_SKILL: Final = op.FILTER_WORDS.index("skill")
FILTER_STATE: Final = op.FILTER_WORDS.index("state")
FILTER_BLOCKED: Final = op.FILTER_WORDS.index("blocked")
FILTER_COST: Final = op.FILTER_WORDS.index("cost")
FILTER_GLYPH: Final = op.FILTER_WORDS.index("glyph")
FILTER_HAS_GLYPH: Final = op.FILTER_WORDS.index("has_glyph")
FILTER_IN: Final = op.FILTER_WORDS.index("in")
FILTER_OTHER: Final = op.FILTER_WORDS.index("other")
FILTER_SHARES_GLYPH_WITH: Final = op.FILTER_WORDS.index("shares_glyph_with")
FILTER_SAME_TITLE: Final = op.FILTER_WORDS.index("same_title")
SYMBOL_MISSION: Final = op.GLYPH_OPERANDS.index("mission")
MEASURE_POWER_LEFT: Final = op.MEASURE_WORDS.index("power_left")
MEASURE_FAIL_TURN: Final = op.MEASURE_WORDS.index("fail_turn")
MEASURE_SUCCESS_TURN: Final = op.MEASURE_WORDS.index("success_turn")
MEASURE_MARK_MADE: Final = op.MEASURE_WORDS.index("mark_made")
MEASURE_GLYPH_KINDS_SHARED: Final = op.MEASURE_WORDS.index("#glyph_kinds_shared")
MEASURE_GLYPH_KINDS: Final = op.MEASURE_WORDS.index("#glyph_kinds")
MEASURE_GLYPH: Final = op.MEASURE_WORDS.index("#glyph")
MEASURE_COST: Final = op.MEASURE_WORDS.index("cost")
MEASURE_XP: Final = op.MEASURE_WORDS.index("xp")
MEASURE_CUL: Final = op.MEASURE_WORDS.index("CUL")
HEAD_POWER_START: Final = op.HEAD_WORDS.index("POWER_START")  # the other moments follow
HEAD_ON_GLYPH: Final = op.HEAD_WORDS.index("ON_GLYPH")
HEAD_ON: Final = op.HEAD_WORDS.index("ON")
PLAYER_ANY: Final = op.PLAYER_WORDS.index("any")
PLACE_HAND: Final = op.PLACE_WORDS.index("hand")
PLACE_DECK_TOP: Final = op.PLACE_WORDS.index("deck_top")
PILE_DECK: Final = op.ZONE_WORDS.index("deck")
PILE_MISSIONS: Final = op.ZONE_WORDS.index("missions")

SYMBOL_EARNED: Final = op.GLYPH_OPERANDS.index("earned")
MEASURE_CONTRIBUTED_SKILL: Final = op.MEASURE_WORDS.index("contributed_skill")
FILTER_PROMOTED: Final = op.FILTER_WORDS.index("promoted")
FILTER_DOMINION: Final = op.FILTER_WORDS.index("dominion")
FILTER_WITHDRAW: Final = op.FILTER_WORDS.index("withdraw")
FILTER_HAS_FAILURE_TEXT: Final = op.FILTER_WORDS.index("has_failure_text")
FILTER_FIRST_OF_TURN: Final = op.FILTER_WORDS.index("first_of_turn")
FILTER_SHARES_TRAIT_WITH: Final = op.FILTER_WORDS.index("shares_trait_with")
FILTER_GLYPH_HELD_BY: Final = op.FILTER_WORDS.index("glyph_held_by")
FILTER_CONTRIBUTED_SKILL: Final = op.FILTER_WORDS.index("contributed_skill")

HAND_LIMIT: Final = 8
REFERRED: Final = 255  # as least number: the cards of a reference, which do not become `that`
NO_FRAME: Final = -1
RAISED: Final = 64  # raw ratings lie above 0, so that a sum below 0 is not taken for absent

# What the machine can do; a deck that needs anything else is refused.
_VERBS: Final = (
    *("STOP", "READY", "BLOCK", "DESTROY", "FACEDOWN", "DISCARD", "RECOVER", "RESHUFFLE"),
    *("SEARCH", "MARK", "PICK", "PAY", "POWER", "DRAW", "REFILL", "SCRY", "FORBID"),
    *("MOVE_GLYPH", "ASSIGN_TAX", "SKILLS", "CUL", "SCI", "COM", "ING", "DIFF", "COST"),
    *("DELAY", "PUT", "STRIP_FAIL", "SET_SKILL", "REVIVE", "FIRST_PRIORITY"),
    *("CHOOSE", "INCAP", "RETURN", "UNBLOCK", "PROMOTE", "NO_REVIVE"),
)
_FILTERS: Final = (
    *("trait", "type", "side", "title", "has_skill", "skill", "state", "blocked", "cost"),
    *("glyph", "has_glyph", "in", "other", "shares_glyph_with", "same_title", "owner"),
    *("promoted", "dominion", "withdraw", "has_failure_text", "first_of_turn"),
    *("shares_trait_with", "glyph_held_by", "contributed_skill", "complication"),
)
_BASES: Final = (
    *("char", "team", "support", "gear", "obstacle", "complication", "adversary", "card"),
    *("hand", "deck", "discard", "missions", "event", "vscore", "failed_mission", "ship"),
)
IMPLEMENTED: Final = frozenset(
    {
        *(f"verb {name}" for name in _VERBS),
        *(f"filter {name}" for name in _FILTERS),
        *(f"base {name}" for name in _BASES),
        *(f"option {verb} to" for verb in ("SEARCH", "RECOVER")),
        *(f"head {name}" for name in ("STATIC", "ON_PLAY", "ON_ASSIGN", "ON_SUCCESS", "ON_FAIL")),
        *(f"head {name}" for name in ("ON_SUCCESS_OR_FAIL", "ON_REVIVE", "ON_SCORE", "ON", "ACT")),
        *(f"head {name}" for name in ("ACT/TURN", "PLAY_COST", "ASSIGN_COST")),
        *(f"head {name}" for name in ("POWER_START", "POWER_END", "DEBRIEF_START", "END_TURN")),
        *(f"head {name}" for name in ("ON_GLYPH", "PLAY_IF", "KW")),
        "keyword dominion",
        "keyword withdraw",
        "glyph earned",
        "static FORBID",
        "static BLOCK",
        "static NO_REVIVE",
        "static FIRST_PRIORITY",
        "once DELAY",
        "moment END_MISSION",
        "moment DEBRIEF_START",
        "moment END_TURN",
        "option PUT to",
        "place PUT discard",
        "place PUT missions_top",
        "option DISCARD random",
        "pile SCRY deck",
        "event boosts",
        "reference continue",
        "value #trait_kinds_shared",
        "option RETURN to",
        *(
            f"event {name}"
            for name in ("plays", "assigns", "passes", "succeeds", "fails", "earns_glyph")
        ),
        *(f"reference {name}" for name in ("self", "that", "trigger", "marked", "each")),
        *(f"reference {name}" for name in ("mission", "next_mission_turn")),
        *(f"value {name}" for name in ("#glyph", "#glyph_kinds", "#glyph_kinds_shared")),
        *(f"value {name}" for name in ("cost", "xp", "power_left")),
        *(
            f"value {name}"
            for name in ("success_turn", "fail_turn", "mark_made", "contributed_skill")
        ),
        *(f"value {name}" for name in ("CUL", "SCI", "COM", "ING")),
        "option MOVE_GLYPH from",
        "option MOVE_GLYPH to",
        "pile SCRY missions",
        "forbid plays",
        "glyph letter",
        "glyph mission",
        *(f"type {name}" for name in ("team_character", "support_character", "mission", "gear")),
        *(f"type {name}" for name in ("event", "obstacle", "adversary")),
    }
)


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


@kernel
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
            select_reference(r, s, s.sets[code[pc + 1]], code[pc + 2])
            pc += 3
        elif instruction == op.KEEP:
            keep(r, s, s.sets[code[pc + 1]], pc + 3, code[pc + 2])
            pc += 3 + op.FILTER_WIDTH * np.int64(code[pc + 2])
        elif instruction == op.UNITE:
            target = s.sets[code[pc + 1]]
            source = s.sets[code[pc + 2]]
            for k in range(SET_WORDS):
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
        else:
            return pc


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
    target = s.sets[number]
    target[:] = NONE
    if base >= BASE_HAND:
        select_pile(s, target, base, seat_named(s, player))
    elif flags & op.IN_HAND:
        select_playable(r, s, target, base)
    elif base == BASE_COMPLICATION:
        assign_set(target, s.zones[COMPLICATION])
    elif base == BASE_FAILED_MISSION:
        assign_set(target, s.zones[FAILED])
    else:
        for k in range(SET_WORDS):
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
def select_playable(r: Any, s: Any, target: Any, base: Any) -> None:
    """Cards of a base in the hand of the player who could play them (COST)."""
    if base == BASE_COMPLICATION:
        include(target, COMPLICATIONS)
        return
    for k in range(SET_WORDS):
        word = s.zones[HAND, k]
        if k // SEAT_WORDS == s.hero:
            target[k] = word & s.hero_side[k]
        else:
            target[k] = word & ~s.hero_side[k]
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
    card = first_of(target)
    while card != NO_CARD:
        if not has(types, type_of(r, s, card)):
            exclude(target, card)
        card = next_of(target, card)


@kernel
def keep_at_mission(r: Any, s: Any, target: Any) -> None:
    """Keep the face-up cards at the mission (G6): obstacles, assigned cards, the mission."""
    card = first_of(target)
    while card != NO_CARD:
        if s.zone[card] == PLAY and s.condition[card] != ASSIGNED:
            exclude(target, card)
        card = next_of(target, card)


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
    elif reference == REFER_MARKED:
        for k in range(np.int64(s.mark_count)):
            if s.mark_maker[k] == s.context_self:
                include(target, np.int64(s.mark_card[k]))
    elif reference == REFER_MISSION:
        if s.current != NO_CARD:
            include(target, np.int64(s.current))
    elif reference == REFER_NEXT_MISSION_TURN:
        include(target, NEXT_MISSION)
    elif reference == REFER_CONTINUE:
        include(target, CONTINUING)


@kernel
def keep(r: Any, s: Any, target: Any, address: Any, alternatives: Any) -> None:
    """KEEP: keep the cards that one of the alternatives fits."""
    card = first_of(target)
    while card != NO_CARD:
        fits = False
        for k in range(alternatives):
            place = address + op.FILTER_WIDTH * k
            is_negated = r.code[place + 1] != 0
            if matches(r, s, card, r.code[place], r.code[place + 2], r.code[place + 3]):
                fits = fits or not is_negated
            else:
                fits = fits or is_negated
        if not fits:
            exclude(target, card)
        card = next_of(target, card)


@kernel
def matches(r: Any, s: Any, card: Any, name: Any, detail: Any, operand: Any) -> Any:
    """Whether a card passes a filter of `opcodes.FILTER_WORDS` (EFFECTS.md, section 5.3)."""
    kind = s.kind[card]
    if name == FILTER_TRAIT:
        return has(U(r.traits[kind]), operand)
    if name == FILTER_TYPE:
        return has(U(operand), r.card_type[kind])
    if name == FILTER_SIDE:
        return contains(s.hero_side, card) == (operand == 0)
    if name == FILTER_OWNER:
        return owner_of(card) == seat_named(s, operand)
    if name == FILTER_TITLE:
        return r.title[kind] == operand
    if name == FILTER_HAS_SKILL:
        return has_skill(r, s, card, operand)
    if name == FILTER_SKILL:
        rating = rating_of(r, s, card, detail // 5)
        return rating != NO_RATING and compare(detail % 5, rating, s.locals[operand])
    if name == FILTER_STATE:
        return s.condition[card] == operand and s.zone[card] == PLAY
    if name == FILTER_BLOCKED:
        return contains(s.blocked, card)
    if name == FILTER_COST:
        return compare(detail, max(np.int64(0), np.int64(r.cost[kind])), s.locals[operand])
    if name == FILTER_GLYPH:
        return compare(detail, glyph_count(s, card), s.locals[operand])
    if name == FILTER_HAS_GLYPH:
        return has_glyph(r, s, card, operand)
    if name == FILTER_IN:
        return contains(s.sets[operand], card)
    if name == FILTER_OTHER:
        return card != s.context_self
    if name == FILTER_SHARES_GLYPH_WITH:
        return glyph_kinds(r, s, card) & kinds_of_set(r, s, s.sets[operand]) != NONE
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
        return r.keywords[kind] & np.uint8(1) != 0
    if name == FILTER_WITHDRAW:
        return r.keywords[kind] & np.uint8(2) != 0
    if name == FILTER_HAS_FAILURE_TEXT:
        return r.has_fail_text[kind] != 0
    if name == FILTER_FIRST_OF_TURN:
        return card == s.current and s.missions_played == 1
    if name == FILTER_SHARES_TRAIT_WITH:
        return shares_trait(r, s, card, s.sets[operand])
    if name == FILTER_GLYPH_HELD_BY:
        return has(kinds_of_set(r, s, s.sets[operand]), r.glyph[kind])
    if name == FILTER_CONTRIBUTED_SKILL:
        return compare(detail, contribution(r, s, card), s.locals[operand])
    s.error = ERROR_INSTRUCTION
    return False


@inline_kernel
def rating_of(r: Any, s: Any, card: Any, skill: Any) -> Any:
    """The current rating of a card in play, the printed one of another; or NO_RATING."""
    if s.zone[card] == PLAY or s.zone[card] == AT_MISSION:
        return np.int64(s.rating[card, skill])
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
        traits |= U(r.traits[s.kind[card]])
        card = next_of(words, card)
    return traits


@kernel
def shares_trait(r: Any, s: Any, card: Any, words: Any) -> Any:
    """Whether one of the cards of a set has a trait of `card`."""
    other = first_of(words)
    while other != NO_CARD:
        if r.traits[s.kind[other]] & r.traits[s.kind[card]] != 0:
            return True
        other = next_of(words, other)
    return False


@kernel
def contribution(r: Any, s: Any, card: Any) -> Any:
    """What a card adds to the hero total: its rating in the required skill while assigned."""
    if s.current == NO_CARD or not is_assigned(s, card):
        return np.int64(0)
    return max(np.int64(0), np.int64(s.rating[card, required_skill(r, s)]))


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
    if what == MEASURE_MARK_MADE:
        for k in range(np.int64(s.mark_count)):
            if s.mark_maker[k] == s.context_self:
                return np.int64(1)
        return np.int64(0)
    words = s.sets[number]
    if what == MEASURE_GLYPH_KINDS:
        return popcount(kinds_of_set(r, s, words))
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
def measure_card(r: Any, s: Any, what: Any, card: Any, detail: Any) -> Any:
    """One card's part of a value that is summed over cards."""
    kind = s.kind[card]
    if what == MEASURE_GLYPH:
        if detail < 0:
            return glyph_count(s, card)
        return np.int64(has(glyph_kinds(r, s, card), detail))
    if what == MEASURE_COST:
        return max(np.int64(0), np.int64(r.cost[kind]))
    if what == MEASURE_XP:
        return max(np.int64(0), np.int64(r.experience[kind]))
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
        for k in range(SET_WORDS):
            s.reserved[k] |= words[k]
        return pc + 1
    if instruction == op.UNRESERVED:
        for k in range(SET_WORDS):
            words[k] &= ~s.reserved[k]
        return pc + 1
    if instruction == op.CAN_PAY:
        s.spent += np.int32(max(np.int64(0), pop(s)))
        push(s, np.int64(s.power[s.context_user]) >= np.int64(s.spent))
        return pc + 1
    push(s, can_move_glyph(s))
    return pc + 2


@kernel
def is_doable(r: Any, s: Any, verb: Any, card: Any) -> Any:
    """C2: whether a verb (of DOABLE) would do something to a card."""
    zone = s.zone[card]
    condition = s.condition[card]
    if verb == BLOCK | op.AS_COST:  # B5
        return zone == PLAY and condition == READY and not contains(s.blocked, card)
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
        return type_of(r, s, card) == TEAM
    if verb == STOP:
        return zone == PLAY and condition <= ASSIGNED
    if verb == READY_VERB:
        return zone == PLAY and (condition in (ASSIGNED, STOPPED))
    if verb == FACEDOWN:
        return zone == AT_MISSION or type_of(r, s, card) == ADVERSARY
    if verb == DISCARD_VERB:
        return zone == HAND
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
                return has_two_glyphs(r, s, card, kind)
        return False
    found = glyph_kinds(r, s, card) & wanted
    if mode == op.GATE_ALL:
        return found == wanted
    return found != NONE


@kernel
def clause_works(r: Any, s: Any, clause: Any, card: Any) -> Any:
    """Whether glyphs and IF of a clause allow it now; the context must be set."""
    if not gate_open(r, s, clause, card):
        return False
    if r.clause_condition[clause] == op.NO_ADDRESS:
        return True
    evaluate(r, s, r.clause_condition[clause])
    return pop(s) != 0


# --- derived numbers ----------------------------------------------------------------------------


@kernel
def refresh(r: Any, s: Any) -> None:
    """N1-N5: compute everything that modifiers and static texts change, from printed values."""
    if s.is_stale == 0:
        return
    s.is_stale = 0
    clear_derived(r, s)
    for k in range(np.int64(s.modifier_count)):
        card = np.int64(s.modifier_card[k])
        if s.modifier_verb[k] == BLOCK:
            include(s.blocked, card)
        elif s.modifier_verb[k] == SET_SKILL:
            if card == s.current:
                s.skill_now = s.modifier_amount[k]
        else:
            verb = np.int64(s.modifier_verb[k])
            change(s, verb, np.int64(s.modifier_sign[k]), card, np.int64(s.modifier_amount[k]))
    for k in range(np.int64(s.standing_count)):
        set_context(s, np.int64(s.standing_self[k]), np.int64(s.standing_user[k]))
        run_static(r, s, np.int64(s.standing_address[k]), np.int64(s.standing_self[k]))
    apply_statics(r, s, 0)
    finish_ratings(r, s)
    if apply_statics(r, s, 1):
        finish_ratings(r, s)


@kernel
def clear_derived(r: Any, s: Any) -> None:
    """Printed values of all cards in play."""
    s.plus[:] = 0
    s.base_value[:] = NO_RATING
    s.cost_plus[:] = 0
    s.revive_plus[:] = 0
    s.first_priority = NO_SEAT
    s.no_revive[:] = NONE
    if s.current != NO_CARD:
        s.skill_now = r.skill[s.kind[s.current]]
    s.blocked[:] = NONE
    s.tax_count = 0
    s.forbid_count = 0
    for k in range(SET_WORDS):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * 64 + lowest(word)
            word = without_lowest(word)
            for skill in range(NUM_SKILLS):
                printed = np.int64(r.printed[s.kind[card], skill])
                s.raw[card, skill] = NO_RATING if printed == NO_RATING else printed + RAISED


@kernel
def change(s: Any, verb: Any, sign: Any, card: Any, amount: Any) -> None:
    """Add one change to the derived numbers; sums are clamped later, once (N4)."""
    signed = amount
    if sign == 1:
        signed = -amount
    if verb == COST:
        s.cost_plus[card] += signed
    elif verb == REVIVE_VERB:
        s.revive_plus[card] += signed
    elif verb == NO_REVIVE:
        include(s.no_revive, card)
    elif verb == DIFF and sign == 2:
        s.base_value[card] = amount
    elif verb in (DIFF, SKILLS_VERB):
        s.plus[card] += signed
    elif CULTURE_VERB <= verb < CULTURE_VERB + NUM_SKILLS:
        change_rating(s, card, verb - CULTURE_VERB, signed)


@kernel
def change_rating(s: Any, card: Any, skill: Any, amount: Any) -> None:
    """N2: naming a skill changes its rating, which it creates from 0 if it was absent."""
    if s.raw[card, skill] == NO_RATING:
        s.raw[card, skill] = RAISED
    s.raw[card, skill] += amount


@kernel
def finish_ratings(r: Any, s: Any) -> None:
    """N3, N4: unnamed changes touch every rating there is; then clamp at 0."""
    for k in range(SET_WORDS):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * 64 + lowest(word)
            word = without_lowest(word)
            for skill in range(NUM_SKILLS):
                finish_rating(s, card, skill)


@kernel
def finish_rating(s: Any, card: Any, skill: Any) -> None:
    """The final value of one rating."""
    raw = np.int64(s.raw[card, skill])
    if raw == NO_RATING:
        s.rating[card, skill] = NO_RATING
        return
    rating = raw - RAISED
    if s.base_value[card] != NO_RATING:
        rating = np.int64(s.base_value[card])
    s.rating[card, skill] = max(np.int64(0), rating + np.int64(s.plus[card]))


@kernel
def apply_statics(r: Any, s: Any, is_late: Any) -> Any:
    """Carry out the static texts that read ratings (`is_late`) or that do not; whether any."""
    found = False
    for k in range(SET_WORDS):
        word = in_play_word(s, k) | (s.zones[HAND, k])
        while word != NONE:
            card = k * 64 + lowest(word)
            word = without_lowest(word)
            kind = s.kind[card]
            has_static = r.heads[kind] & np.uint32(1) != 0
            if has_static and (s.zone[card] == HAND or has_text(r, s, card)):
                found = apply_card_statics(r, s, card, kind, is_late) or found
    return found


@kernel
def apply_card_statics(r: Any, s: Any, card: Any, kind: Any, is_late: Any) -> Any:
    """The static clauses of one card; from the hand only what it costs itself works."""
    found = False
    first = np.int64(r.first_clause[kind])
    for clause in range(first, first + np.int64(r.clause_count[kind])):
        if r.clause_head[clause] == 0 and r.clause_is_late[clause] == is_late:
            is_own_cost = is_cost_of_self(r, clause)
            if is_own_cost or s.zone[card] != HAND:
                found = True
                set_context(s, card, controller_of(s, card))
                if clause_works(r, s, clause, card):
                    run_static(r, s, np.int64(r.clause_start[clause]), card)
    return found


@inline_kernel
def is_cost_of_self(r: Any, clause: Any) -> Any:
    """Whether a static clause is COST(self,..): REFER 0 self, TAKE, MODIFY COST."""
    start = np.int64(r.clause_start[clause])
    code = r.code
    is_self = code[start] == op.REFER and code[start + 2] == 0
    return is_self and code[start + 3] == op.TAKE and code[start + 5] == COST


@kernel
def run_static(r: Any, s: Any, address: Any, card: Any) -> None:
    """Carry out a static text: its doing instructions change derived numbers only."""
    code = r.code
    pc = evaluate(r, s, address)
    while code[pc] != op.END:
        if code[pc] == op.TAKE:
            pc += 1
        elif code[pc] == op.MODIFY:
            pc = static_modify(r, s, pc)
        elif code[pc] == op.DO:
            for k in range(SET_WORDS):
                if code[pc + 1] == BLOCK:
                    s.blocked[k] |= s.sets[0, k]
                else:
                    s.no_revive[k] |= s.sets[0, k]
            pc += 5
        elif code[pc] == op.ACT and code[pc + 1] == FIRST_PRIORITY:
            pop(s)
            s.first_priority = seat_named(s, code[pc + 2])
            pc += 6
        elif code[pc] == op.ACT and code[pc + 1] == FORBID:
            add_forbid(s, card, code[pc + 4] >> op.NUM_LOCALS, code[pc + 2], pop(s))
            pc += 6
        elif code[pc] == op.ATTACHED_CODE and code[pc + 1] == ASSIGN_TAX:
            add_tax(s, card, pc + 6, code[pc + 5])
            pc = np.int64(code[pc + 4])
        else:
            s.error = ERROR_INSTRUCTION
            return
        pc = evaluate(r, s, pc)


@kernel
def static_modify(r: Any, s: Any, pc: Any) -> Any:
    """MODIFY in a static text, for every card of set 0; the address behind."""
    code = r.code
    verb = np.int64(code[pc + 1])
    sign = np.int64(code[pc + 2])
    # The amount may use the sets: remember the cards.
    assign_set(s.static_cards, s.sets[0])
    card = first_of(s.static_cards)
    while card != NO_CARD:
        s.context_each = card
        evaluate(r, s, pc + 5)
        change(s, verb, sign, card, pop(s))
        card = next_of(s.static_cards, card)
    return np.int64(code[pc + 4])


@kernel
def add_tax(s: Any, card: Any, check: Any, start: Any) -> None:
    """ASSIGN_TAX: what it costs more to assign the cards of set 0."""
    if s.tax_count >= MAX_TAXES:
        s.error = ERROR_TAXES
        return
    place = np.int64(s.tax_count)
    s.tax_self[place] = card
    s.tax_check[place] = check
    s.tax_address[place] = start
    assign_set(s.tax_cards[place], s.sets[0])
    s.tax_count += 1


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


@kernel
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


@kernel
def difficulty(r: Any, s: Any) -> Any:
    """N7: the total difficulty of the current mission."""
    mission = np.int64(s.current)
    skill = required_skill(r, s)
    total = np.int64(r.difficulty[s.kind[mission]])
    if s.base_value[mission] != NO_RATING:
        total = np.int64(s.base_value[mission])
    total = max(np.int64(0), total + np.int64(s.plus[mission]))
    for k in range(SET_WORDS):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * 64 + lowest(word)
            word = without_lowest(word)
            is_adversary = type_of(r, s, card) == ADVERSARY and is_assigned(s, card)
            if s.zone[card] == AT_MISSION or is_adversary:
                total += max(np.int64(0), np.int64(s.rating[card, skill]))
    for k in range(np.int64(s.complication_count)):
        total += max(np.int64(0), 1 + np.int64(s.plus[s.complications[k]]))
    return total


@kernel
def hero_total(r: Any, s: Any) -> Any:
    """N8: the sum of the assigned characters' ratings in the required skill."""
    skill = required_skill(r, s)
    total = np.int64(0)
    for k in range(SET_WORDS):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * 64 + lowest(word)
            word = without_lowest(word)
            if is_character(r, s, card) and is_assigned(s, card):
                total += max(np.int64(0), np.int64(s.rating[card, skill]))
    return total


@inline_kernel
def required_skill(r: Any, s: Any) -> Any:
    """The skill that the current mission requires."""
    return np.int64(s.skill_now)


@inline_kernel
def cost_to_play(r: Any, s: Any, card: Any) -> Any:
    """The current power cost of a card in a hand."""
    return max(np.int64(0), np.int64(r.cost[s.kind[card]]) + np.int64(s.cost_plus[card]))


@inline_kernel
def cost_to_complicate(s: Any) -> Any:
    """The current power cost of a complication (§8.2)."""
    return max(
        np.int64(0), 1 + np.int64(s.complication_count) + np.int64(s.cost_plus[COMPLICATIONS])
    )


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
        if r.clause_head[clause] == head:
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
    for k in range(SET_WORDS):
        word = in_play_word(s, k)
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
    for k in range(SET_WORDS):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * 64 + lowest(word)
            word = without_lowest(word)
            kind = s.kind[card]
            if r.heads[kind] >> np.uint32(head) & np.uint32(1) and has_text(r, s, card):
                first = np.int64(r.first_clause[kind])
                for clause in range(first, first + np.int64(r.clause_count[kind])):
                    if r.clause_head[clause] == head and r.clause_event[clause] == event:
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


# --- frames ---------------------------------------------------------------------------------------


@kernel
def push_frame(s: Any, address: Any, card: Any, user: Any, then: Any) -> None:
    """Begin a program for a card; it runs before what is under way goes on."""
    if s.frame_count >= MAX_FRAMES:
        s.error = ERROR_FRAMES
        return
    frame = np.int64(s.frame_count)
    s.frame_count += 1
    s.frame_address[frame] = address
    s.frame_self[frame] = card
    s.frame_each[frame] = NO_CARD
    s.frame_trigger[frame] = NO_CARD
    s.frame_user[frame] = user
    s.frame_by[frame] = NO_SEAT
    s.frame_actor[frame] = user
    s.frame_then[frame] = then
    s.frame_n[frame] = 0
    s.frame_done[frame] = 1
    s.frame_waits[frame] = 0
    s.frame_chosen[frame, :] = NONE
    s.frame_candidates[frame, :] = NONE
    s.frame_that[frame, :] = NONE
    s.frame_seen[frame, :] = NONE


@inline_kernel
def chooser_of(s: Any, frame: Any) -> Any:
    """The seat that makes the choices of a frame now."""
    if s.frame_by[frame] != NO_SEAT:
        return np.int64(s.frame_by[frame])
    return np.int64(s.frame_user[frame])


@kernel
def enter_frame(s: Any, frame: Any) -> None:
    """Let the words of a program mean what they mean in its frame."""
    s.context_self = s.frame_self[frame]
    s.context_each = s.frame_each[frame]
    s.context_trigger = s.frame_trigger[frame]
    s.context_user = chooser_of(s, frame)
    s.context_frame = frame
    s.top = 0
    s.spent = 0
    s.reserved[:] = NONE


@inline_kernel
def ask(s: Any, frame: Any, prompt: Any, seat: Any) -> None:
    """Put a choice to a player; the frame waits."""
    s.prompt = prompt
    s.current_player = seat
    s.frame_waits[frame] = 1


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
            count = np.int64(code[pc + 1])
            s.frame_least[frame] = 0
            for k in range(count):
                if pop(s) != 0:
                    s.frame_least[frame] |= np.uint8(1 << (count - 1 - k))
            ask(s, frame, ASK_OPTION, chooser_of(s, frame))
        return np.int64(-1)
    s.frame_waits[frame] = 0
    if instruction == op.ASK:
        return pc + 2 if s.frame_answer[frame] else np.int64(code[pc + 1])
    return np.int64(code[pc + 2 + np.int64(s.frame_answer[frame])])


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
        for k in range(SET_WORDS):
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
        remove_from_deck(s, card)
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
    """How long a block lasts: as said, else (B2-B4) as long as its obstacle or its mission."""
    if duration == 2:
        return LASTS_TURN
    if duration == 0 and verb == BLOCK and type_of(r, s, source) == OBSTACLE:
        return LASTS_SOURCE
    return LASTS_MISSION


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
        for _ in range(min(max(np.int64(0), pop(s)), size)):
            card = pop_deck(s, seat) if is_deck else pop_mission(s, seat)
            put(s, card, LOOKED_AT)
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
    s.known[card] |= np.uint8(1 << chooser_of(s, frame))


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
        s.known[card] = np.uint8((1 << MAX_PLAYERS) - 1)
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
