"""What the machine can do; a deck with a card that needs anything else is refused."""

from typing import Final

# What the machine can do; a deck that needs anything else is refused.
_VERBS: Final = (
    *("STOP", "READY", "BLOCK", "DESTROY", "FACEDOWN", "DISCARD", "RECOVER", "RESHUFFLE"),
    *("SEARCH", "MARK", "PICK", "PAY", "POWER", "DRAW", "REFILL", "SCRY", "FORBID"),
    *("MOVE_GLYPH", "ASSIGN_TAX", "SKILLS", "CUL", "SCI", "COM", "ING", "DIFF", "COST"),
    *("DELAY", "PUT", "STRIP_FAIL", "SET_SKILL", "REVIVE", "FIRST_PRIORITY"),
    "FIREPOWER",
    *("LOOK", "REVEAL", "TUCK", "SHUFFLE", "SEARCH_MISSION", "BLOCKADE", "PICK_KIND"),
    *("LOSE_GLYPH", "PICK_GLYPH", "ADD_GLYPH", "SWAP_GLYPHS", "SWAP_GLYPH_TOP"),
    *("GAIN_TRAITS", "GAIN_SKILLS", "POINT_VALUE", "XP", "FIREPOWER_TOTAL"),
    *("ALLOW_BOOST", "COUNTS_AS"),
    *("CHOOSE", "INCAP", "RETURN", "UNBLOCK", "PROMOTE", "NO_REVIVE"),
)
_FILTERS: Final = (
    *("trait", "type", "side", "title", "has_skill", "skill", "state", "blocked", "cost"),
    *("glyph", "has_glyph", "in", "other", "shares_glyph_with", "same_title", "owner"),
    *("promoted", "dominion", "withdraw", "has_failure_text", "first_of_turn"),
    *("assignable", "failed", "lacks_trait_of"),
    *("shares_trait_with", "glyph_held_by", "contributed_skill", "complication"),
)
_BASES: Final = (
    *("char", "team", "support", "gear", "obstacle", "complication", "adversary", "card"),
    *("hand", "deck", "discard", "missions", "event", "vscore", "failed_mission", "ship"),
    *("tucked", "played_turn", "missions_bottom"),
)
IMPLEMENTED: Final = frozenset(
    {
        *(f"verb {name}" for name in _VERBS),
        *(f"filter {name}" for name in _FILTERS),
        *(f"base {name}" for name in _BASES),
        *(f"option {verb} to" for verb in ("SEARCH", "RECOVER", "SEARCH_MISSION")),
        *(f"option LOSE_GLYPH {name}" for name in ("from", "kind", "xp", "order")),
        *(f"option PICK_GLYPH {name}" for name in ("from", "on_different_chars")),
        *(f"option TUCK {name}" for name in ("faceup", "facedown", "random")),
        *(f"option {verb} from" for verb in ("GAIN_TRAITS", "GAIN_SKILLS")),
        *(f"static {verb}" for verb in ("XP", "FIREPOWER_TOTAL", "ALLOW_BOOST", "COUNTS_AS")),
        *(f"place PUT {place}" for place in ("missions_bottom", "deck_bottom")),
        *(f"reference {name}" for name in ("seen", "rest", "both", "holder")),
        *(f"value {name}" for name in ("#trait_kinds", "highest_skill", "max_glyph", "blockaded")),
        "option REVEAL random",
        "option DISCARD by",
        "option DESTROY max_total_cost",
        "option ALLOW_BOOST with",
        "pile SHUFFLE missions",
        "gate IN_VSCORE",
        "glyph chosen",
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
        "head ON_VICTORY",
        "value firepower",
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
        *(f"type {name}" for name in ("event", "obstacle", "adversary", "ship")),
    }
)
