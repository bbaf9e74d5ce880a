"""The instruction set that effects are compiled to, and the numbers of its operands.

A program is a run of 32-bit words: an instruction, then its operands (`program.py` writes them,
`machine.py` carries them out). There are three kinds of instruction. *Pure* ones compute with a
stack of numbers, numbered locals and numbered sets of cards; they never wait. *Control* ones jump,
and ask (a yes or no, an option). *Doing* ones change the game; `CHOOSE` before them waits for
the player who chooses. Every verb on cards is the same three instructions: the candidates (set 0),
`CHOOSE` (the chosen cards of the frame), `DO` with the number of the verb.
"""

from typing import Final

from .vocabulary import VERBS

# --- pure -----------------------------------------------------------------------------------------

END: Final = 0
SELECT: Final = 1  # set, base, player, flags: the cards of a target without its filters
REFER: Final = 2  # set, reference: the cards that a reference stands for
KEEP: Final = 3  # set, number of alternatives, then filter, negated, detail, operand for each
UNITE: Final = 4  # set, set: add the second to the first
PUSH: Final = 5  # number
PUSH_N: Final = 6
STORE: Final = 7  # local: pop into it
ADD: Final = 8
SUBTRACT: Final = 9
MULTIPLY: Final = 10
DIVIDE: Final = 11
COMPARE: Final = 12  # relation
NOT: Final = 13
AND: Final = 14
OR: Final = 15
IF_ELSE: Final = 16  # pops otherwise, then, condition
COUNT: Final = 17  # set
MEASURE: Final = 18  # what, set, detail: a number read from cards, players or counters
DOABLE: Final = 19  # verb, + AS_COST: keep in set 0 the cards to which it would do something
NEED: Final = 20  # quantity kind, for MAY: pop the number, push whether set 0 is enough
RESERVE: Final = 21  # nothing else may be paid with the cards of set 0
CAN_PAY: Final = 22  # pops an amount: whether the chooser has that much power to spare
GLYPH_READY: Final = 23  # verb: whether glyphs of set 0 can go to set 1
UNRESERVED: Final = 24  # drop the reserved cards from set 0
TOP: Final = 25  # set, base, player: pops a number, so many cards of that end of a pile
BENEATH: Final = 26  # set, symbols, local or -1: replace cards by the glyphs beneath them
HOSTS: Final = 27  # set: replace glyphs by the cards above them
NEXT_EACH: Final = 28  # set, local, address: `each` is the next card of the set; none: jump
KEEP_PAYABLE: Final = 29  # set: pops an amount; drop `each` if the chooser has not that much
COUNT_TRAITS: Final = 30  # set, traits: its size; cards that count as several of a trait do so
RESERVE_SOME: Final = 31  # set: pops a number; nothing else may be paid with so many of its cards

# --- control --------------------------------------------------------------------------------------

JUMP: Final = 32  # address
JUMP_IF_NOT: Final = 33  # address: pops a condition
JUMP_IF_DONE: Final = 34  # address
JUMP_IF_UNDONE: Final = 35  # address
SET_DONE: Final = 36  # 0 or 1
BY: Final = 37  # player who chooses from here on, or BY_DEFAULT
ASK: Final = 38  # address: asks for yes; no jumps
OPTIONS: Final = 39  # number, then so many addresses; pops whether each can be chosen
ABLE: Final = 40  # verb, flags: DOABLE for verbs that depend on other texts; PLAY pops its cost

# --- doing ----------------------------------------------------------------------------------------

CHOOSE: Final = 48  # quantity kind, flags: choose from set 0; pops the number if there is one
TAKE: Final = 49  # all cards of set 0
DO: Final = 50  # verb, place, flags, duration: to the chosen cards
ACT: Final = 51  # verb, player, zone, flags, duration: pops the number
MODIFY: Final = 52  # verb, sign, duration, address behind: for each chosen card, amount inline
GLYPHS: Final = 53  # verb, quantity kind, flags: with sets 0 (from) and 1 (to); pops the number
ATTACHED_CODE: Final = 54  # verb, detail, duration, address behind, more: a program kept for later
PLAY_CARDS: Final = 55  # flags: pops the cost; the owners of the chosen cards play them

INSTRUCTION_NAMES: Final = {
    value: name
    for name, value in list(globals().items())
    if name.isupper() and isinstance(value, int)
}

# --- operands -------------------------------------------------------------------------------------

NUM_SETS: Final = 8
NUM_LOCALS: Final = 8
STACK_SIZE: Final = 16

PLAYER_WORDS: Final = ("H", "V", "owner", "any", "actor")
BY_DEFAULT: Final = -1

AS_COST: Final = 256  # with DOABLE: the card pays for something
ALSO_INCAP: Final = 512  # with DOABLE: the text names incapacitated cards

VERB_NUMBERS: Final = {name: number for number, name in enumerate(VERBS)}

BASE_WORDS: Final = (
    "char",
    "team",
    "support",
    "gear",
    "event",
    "obstacle",
    "complication",
    "adversary",
    "ship",
    "card",
    "tucked",
    "failed_mission",
    "played_turn",
    "hand",
    "deck",
    "discard",
    "missions",
    "missions_bottom",
    "vscore",
)
AT_MISSION: Final = 1  # flags of SELECT
IN_HAND: Final = 2  # cards that could be played instead of cards in play (COST)

REFERENCE_WORDS: Final = (
    "self",
    "host",
    "that",
    "trigger",
    "marked",
    "seen",
    "rest",
    "each",
    "granter",
    "both",
    "holder",
    "mission",
    "next_mission_turn",
    "continue",
)

RELATION_WORDS: Final = ("=", "<", "<=", ">", ">=")
SIGN_WORDS: Final = ("+", "-", "=")
DURATION_WORDS: Final = ("", "mission", "turn")
QUANTITY_WORDS: Final = ("exact", "all", "any", "up_to")
REFERENCED: Final = len(QUANTITY_WORDS)  # all cards that a reference stands for

NAMES_N: Final = 1  # flags of CHOOSE, ACT, GLYPHS
COST_FLAG: Final = 2  # a cost: never replaced
AT_RANDOM: Final = 4
BY_HAND_OWNER: Final = 8
NUMBER_IS_CHOSEN: Final = 16  # PAY(n:any): what is popped is the highest one
NO_LIMIT: Final = 255  # of a number that is chosen
MAY_FAIL: Final = 32  # a search may fail on purpose (C8)
LIMITED_COST: Final = 64  # the costs of the chosen cards add up to the last local at most
DIFFERENT_HOSTS: Final = 128  # no two glyphs beneath the same card

DO_WIDTH: Final = 5
ATTACHED_WIDTH: Final = 6
ATTACHED_DETAIL: Final = 2  # where the detail of ATTACHED_CODE stands; of a tax: in TAX_WORDS
# What is paid to assign a card, in that order: who has been stopped can still be destroyed.
TAX_WORDS: Final = ("PAY", "STOP", "DESTROY")
PLAYER_STEP: Final = 64  # detail of ATTACHED_CODE: moment or event + this * player

# Flags of DO behind those of FLAG_WORDS.
DO_AS_COST: Final = 1 << 14  # never replaced
DO_NAMES_N: Final = 1 << 15

PLACE_WORDS: Final = (
    "",
    "hand",
    "deck_top",
    "deck_bottom",
    "discard",
    "missions_top",
    "missions_bottom",
)
ZONE_WORDS: Final = ("", "hand", "deck", "discard", "missions", "missions_bottom", "vscore")
FLAG_WORDS: Final = (
    "random",
    "faceup",
    "facedown",
    "no_text",
    "no_assign",
    "no_revive",
    "no_score",
    "ignore_unique",
    "on_different_chars",
    "as_complication",
    "normal_cost",
)

PLAYER_SHIFT: Final = 16  # flags of DO on a pile: whose it is, above the flags
assert len(FLAG_WORDS) <= PLAYER_SHIFT

MEASURE_WORDS: Final = (
    "#glyph",
    "#glyph_kinds",
    "#glyph_kinds_shared",
    "#trait_kinds",
    "#trait_kinds_shared",
    "cost",
    "xp",
    "firepower",
    "highest_skill",
    "contributed_skill",
    "max_glyph",
    "CUL",
    "SCI",
    "COM",
    "ING",
    "power_left",
    "success_turn",
    "fail_turn",
    "blockaded",
    "mark_made",
)

FILTER_WORDS: Final = (
    "trait",
    "type",
    "side",
    "owner",
    "title",
    "has_skill",
    "skill",
    "state",
    "blocked",
    "assignable",
    "promoted",
    "dominion",
    "withdraw",
    "has_failure_text",
    "first_of_turn",
    "failed",
    "cost",
    "glyph",
    "contributed_skill",
    "has_glyph",
    "complication",
    "in",
    "other",
    "shares_glyph_with",
    "shares_trait_with",
    "lacks_trait_of",
    "same_title",
    "glyph_held_by",
)
FILTER_WIDTH: Final = 4  # words of one alternative of KEEP

GLYPH_TRIGGER_WORDS: Final = ("any", "new", "duplicate", "letters")  # of ON_GLYPH
STATE_WORDS: Final = ("ready", "assigned", "stopped", "incap")
GLYPH_OPERANDS: Final = ("G", "L", "O", "P", "S", "T", "mission", "chosen", "earned")

HEAD_WORDS: Final = (
    "STATIC",
    "ON_PLAY",
    "ON_ASSIGN",
    "ON_SUCCESS",
    "ON_FAIL",
    "ON_SUCCESS_OR_FAIL",
    "ON_VICTORY",
    "ON_REVIVE",
    "ON_SCORE",
    "ON_DESTROYED",
    "ON_GLYPH",
    "ON",
    "REPLACE",
    "POWER_START",
    "POWER_END",
    "DEBRIEF_START",
    "END_MISSION",
    "END_TURN",
    "ACT",
    "ACT/TURN",
    "PLAY_COST",
    "ASSIGN_COST",
    "PLAY_IF",
    "KW",
)
EVENT_WORDS: Final = (
    "plays",
    "assigns",
    "boosts",
    "about_to_play",
    "passes",
    "acts",
    "succeeds",
    "fails",
    "earns_glyph",
    "becomes_stopped",
    "enters",
    "destroy",
    "stop",
    "incap",
    "pay_revive",
    "mill_for_revive",
)
MOMENT_WORDS: Final = (
    "POWER_START",
    "POWER_END",
    "DEBRIEF_START",
    "END_MISSION",
    "END_TURN",
    "CONTINUE",
    "OFFTURN POWER_START",
    "OFFTURN POWER_END",
    "OFFTURN DEBRIEF_START",
    "OFFTURN END_MISSION",
    "OFFTURN END_TURN",
)
GATE_NONE: Final = 0
GATE_ALL: Final = 1
GATE_ANY: Final = 2
GATE_TWO: Final = 3  # two of one kind
GATE_FLAGS: Final = ("ATTACHED", "IN_VSCORE", "OFFTURN")
IS_TALLY: Final = 1 << len(GATE_FLAGS)  # flag of a static clause: changes experience or points
NO_ADDRESS: Final = -1
