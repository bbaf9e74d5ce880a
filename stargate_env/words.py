"""Numbers of the words of the card language that kernels compare with (`opcodes.py`)."""

from typing import Final

from . import opcodes as op


def _verb(name: str) -> int:
    return op.VERB_NUMBERS[name]


# --- verbs ----------------------------------------------------------------------------------------

STOP: Final = _verb("STOP")
ATTACH: Final = _verb("ATTACH")
DETACH: Final = _verb("DETACH")
BECOMES: Final = _verb("BECOMES")
GRANT: Final = _verb("GRANT")
FAIL_OPTIONAL: Final = _verb("FAIL_OPTIONAL")
FAIL_TAX: Final = _verb("FAIL_TAX")
REPEAT_FAIL: Final = _verb("REPEAT_FAIL")
REPEAT_SUCCESS: Final = _verb("REPEAT_SUCCESS")
FORCE_CONTINUE: Final = _verb("FORCE_CONTINUE")
SKIP_TURN: Final = _verb("SKIP_TURN")
PLAY_VERB: Final = _verb("PLAY")
SCORE_VERB: Final = _verb("SCORE")
REVIVE_NOW: Final = _verb("REVIVE_NOW")
PAY_REVIVE: Final = _verb("PAY_REVIVE")
MILL: Final = _verb("MILL")
READY_VERB: Final = _verb("READY")
BLOCK: Final = _verb("BLOCK")
DESTROY: Final = _verb("DESTROY")
FACEDOWN: Final = _verb("FACEDOWN")
DISCARD_VERB: Final = _verb("DISCARD")
RECOVER: Final = _verb("RECOVER")
RESHUFFLE: Final = _verb("RESHUFFLE")
SEARCH: Final = _verb("SEARCH")
FIREPOWER: Final = _verb("FIREPOWER")
STRIP_FAIL: Final = _verb("STRIP_FAIL")
SET_SKILL: Final = _verb("SET_SKILL")
REVIVE_VERB: Final = _verb("REVIVE")
FIRST_PRIORITY: Final = _verb("FIRST_PRIORITY")
DELAY: Final = _verb("DELAY")
WATCH: Final = _verb("WATCH")
PUT: Final = _verb("PUT")
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
NUM_TAXES: Final = len(op.TAX_WORDS)  # their order of payment is 0 and up
SKILLS_VERB: Final = _verb("SKILLS")
CULTURE_VERB: Final = _verb("CUL")  # the other skills follow
DIFF: Final = _verb("DIFF")
COST: Final = _verb("COST")

LOOK: Final = _verb("LOOK")
REVEAL: Final = _verb("REVEAL")
TUCK: Final = _verb("TUCK")
SHUFFLE: Final = _verb("SHUFFLE")
SEARCH_MISSION: Final = _verb("SEARCH_MISSION")
PICK_GLYPH: Final = _verb("PICK_GLYPH")
LOSE_GLYPH: Final = _verb("LOSE_GLYPH")
ADD_GLYPH: Final = _verb("ADD_GLYPH")
SWAP_GLYPHS: Final = _verb("SWAP_GLYPHS")
SWAP_GLYPH_TOP: Final = _verb("SWAP_GLYPH_TOP")
BLOCKADE: Final = _verb("BLOCKADE")
PICK_KIND: Final = _verb("PICK_KIND")
GAIN_TRAITS: Final = _verb("GAIN_TRAITS")
GAIN_SKILLS: Final = _verb("GAIN_SKILLS")
POINT_VALUE: Final = _verb("POINT_VALUE")
XP_VERB: Final = _verb("XP")
FIREPOWER_TOTAL: Final = _verb("FIREPOWER_TOTAL")
ALLOW_BOOST: Final = _verb("ALLOW_BOOST")

# --- targets (SELECT) -----------------------------------------------------------------------------

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

BASE_TUCKED: Final = op.BASE_WORDS.index("tucked")
BASE_PLAYED_TURN: Final = op.BASE_WORDS.index("played_turn")
BASE_MISSIONS_BOTTOM: Final = op.BASE_WORDS.index("missions_bottom")

# --- references (REFER) ---------------------------------------------------------------------------

REFER_HOST: Final = op.REFERENCE_WORDS.index("host")
REFER_GRANTER: Final = op.REFERENCE_WORDS.index("granter")
REFER_SELF: Final = op.REFERENCE_WORDS.index("self")
REFER_EACH: Final = op.REFERENCE_WORDS.index("each")
REFER_TRIGGER: Final = op.REFERENCE_WORDS.index("trigger")
REFER_THAT: Final = op.REFERENCE_WORDS.index("that")
REFER_SEEN: Final = op.REFERENCE_WORDS.index("seen")
REFER_MARKED: Final = op.REFERENCE_WORDS.index("marked")
REFER_MISSION: Final = op.REFERENCE_WORDS.index("mission")
REFER_NEXT_MISSION_TURN: Final = op.REFERENCE_WORDS.index("next_mission_turn")
REFER_CONTINUE: Final = op.REFERENCE_WORDS.index("continue")

REFER_REST: Final = op.REFERENCE_WORDS.index("rest")
REFER_BOTH: Final = op.REFERENCE_WORDS.index("both")
REFER_HOLDER: Final = op.REFERENCE_WORDS.index("holder")

# --- filters (KEEP) -------------------------------------------------------------------------------

FILTER_COMPLICATION: Final = op.FILTER_WORDS.index("complication")
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
SYMBOL_EARNED: Final = op.GLYPH_OPERANDS.index("earned")
FILTER_PROMOTED: Final = op.FILTER_WORDS.index("promoted")
FILTER_DOMINION: Final = op.FILTER_WORDS.index("dominion")
FILTER_WITHDRAW: Final = op.FILTER_WORDS.index("withdraw")
FILTER_HAS_FAILURE_TEXT: Final = op.FILTER_WORDS.index("has_failure_text")
FILTER_FIRST_OF_TURN: Final = op.FILTER_WORDS.index("first_of_turn")
FILTER_SHARES_TRAIT_WITH: Final = op.FILTER_WORDS.index("shares_trait_with")
FILTER_GLYPH_HELD_BY: Final = op.FILTER_WORDS.index("glyph_held_by")
FILTER_CONTRIBUTED_SKILL: Final = op.FILTER_WORDS.index("contributed_skill")

FILTER_ASSIGNABLE: Final = op.FILTER_WORDS.index("assignable")
FILTER_FAILED: Final = op.FILTER_WORDS.index("failed")
FILTER_LACKS_TRAIT_OF: Final = op.FILTER_WORDS.index("lacks_trait_of")
SYMBOL_CHOSEN: Final = op.GLYPH_OPERANDS.index("chosen")

# --- values (MEASURE) -----------------------------------------------------------------------------

MEASURE_FIREPOWER: Final = op.MEASURE_WORDS.index("firepower")
MEASURE_TRAIT_KINDS_SHARED: Final = op.MEASURE_WORDS.index("#trait_kinds_shared")
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
MEASURE_CONTRIBUTED_SKILL: Final = op.MEASURE_WORDS.index("contributed_skill")

MEASURE_TRAIT_KINDS: Final = op.MEASURE_WORDS.index("#trait_kinds")
MEASURE_HIGHEST_SKILL: Final = op.MEASURE_WORDS.index("highest_skill")
MEASURE_MAX_GLYPH: Final = op.MEASURE_WORDS.index("max_glyph")
MEASURE_BLOCKADED: Final = op.MEASURE_WORDS.index("blockaded")

# --- quantities (CHOOSE) --------------------------------------------------------------------------

EXACT: Final = op.QUANTITY_WORDS.index("exact")
ALL: Final = op.QUANTITY_WORDS.index("all")
ANY: Final = op.QUANTITY_WORDS.index("any")
UP_TO: Final = op.QUANTITY_WORDS.index("up_to")

# --- players, piles, places -----------------------------------------------------------------------

PLACE_MISSIONS_TOP: Final = op.PLACE_WORDS.index("missions_top")
PLAYER_ANY: Final = op.PLAYER_WORDS.index("any")
PLACE_MISSIONS_BOTTOM: Final = op.PLACE_WORDS.index("missions_bottom")
PLACE_DISCARD: Final = op.PLACE_WORDS.index("discard")
PLACE_HAND: Final = op.PLACE_WORDS.index("hand")
PLACE_DECK_TOP: Final = op.PLACE_WORDS.index("deck_top")
PILE_DECK: Final = op.ZONE_WORDS.index("deck")
PILE_MISSIONS: Final = op.ZONE_WORDS.index("missions")

# --- flags ----------------------------------------------------------------------------------------

FACEUP: Final = 1 << op.FLAG_WORDS.index("faceup")  # of DO
IN_VSCORE: Final = 1 << op.GATE_FLAGS.index("IN_VSCORE")  # of clauses
# --- points of time (DELAY) -----------------------------------------------------------------------

MOMENT_CONTINUE: Final = op.MOMENT_WORDS.index("CONTINUE")
FIRST_OFFTURN: Final = op.MOMENT_WORDS.index("OFFTURN POWER_START")
FIRST_EVENT: Final = len(op.MOMENT_WORDS)

# --- clause heads ---------------------------------------------------------------------------------

HEAD_STATIC: Final = op.HEAD_WORDS.index("STATIC")
HEAD_POWER_START: Final = op.HEAD_WORDS.index("POWER_START")
HEAD_ON_GLYPH: Final = op.HEAD_WORDS.index("ON_GLYPH")
HEAD_ON: Final = op.HEAD_WORDS.index("ON")
HEAD_ON_PLAY: Final = op.HEAD_WORDS.index("ON_PLAY")
HEAD_ON_ASSIGN: Final = op.HEAD_WORDS.index("ON_ASSIGN")
HEAD_ON_SUCCESS: Final = op.HEAD_WORDS.index("ON_SUCCESS")
HEAD_ON_FAIL: Final = op.HEAD_WORDS.index("ON_FAIL")
HEAD_ON_EITHER: Final = op.HEAD_WORDS.index("ON_SUCCESS_OR_FAIL")
HEAD_ON_VICTORY: Final = op.HEAD_WORDS.index("ON_VICTORY")
HEAD_ON_REVIVE: Final = op.HEAD_WORDS.index("ON_REVIVE")
HEAD_ON_SCORE: Final = op.HEAD_WORDS.index("ON_SCORE")
HEAD_ACT: Final = op.HEAD_WORDS.index("ACT")
HEAD_ACT_TURN: Final = op.HEAD_WORDS.index("ACT/TURN")
HEAD_PLAY_COST: Final = op.HEAD_WORDS.index("PLAY_COST")
HEAD_ASSIGN_COST: Final = op.HEAD_WORDS.index("ASSIGN_COST")
HEAD_PLAY_IF: Final = op.HEAD_WORDS.index("PLAY_IF")
HEAD_KW: Final = op.HEAD_WORDS.index("KW")
HEAD_POWER_END: Final = op.HEAD_WORDS.index("POWER_END")
HEAD_DEBRIEF_START: Final = op.HEAD_WORDS.index("DEBRIEF_START")
HEAD_END_MISSION: Final = op.HEAD_WORDS.index("END_MISSION")
HEAD_END_TURN: Final = op.HEAD_WORDS.index("END_TURN")
HEAD_REPLACE: Final = op.HEAD_WORDS.index("REPLACE")
HEAD_ON_DESTROYED: Final = op.HEAD_WORDS.index("ON_DESTROYED")

GATE_ATTACHED: Final = 1 << op.GATE_FLAGS.index("ATTACHED")
GATE_OFFTURN: Final = 1 << op.GATE_FLAGS.index("OFFTURN")
NO_TEXT: Final = 1 << op.FLAG_WORDS.index("no_text")  # flags of BECOMES
NO_ASSIGN: Final = 1 << op.FLAG_WORDS.index("no_assign")
NO_REVIVING: Final = 1 << op.FLAG_WORDS.index("no_revive")
NO_SCORE: Final = 1 << op.FLAG_WORDS.index("no_score")

# --- other numbers --------------------------------------------------------------------------------

HAND_LIMIT: Final = 8
NORMAL_COST: Final = -1  # as price: what the card costs now
PLAY_AS_COMPLICATION: Final = 1 << op.FLAG_WORDS.index("as_complication")
PLAY_IGNORES_UNIQUE: Final = 1 << op.FLAG_WORDS.index("ignore_unique")
REFERRED: Final = 255  # as least number: the cards of a reference, which do not become `that`
NO_FRAME: Final = -1
