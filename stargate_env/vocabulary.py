"""Every word of the card language; `EFFECTS.md` says what each of them means."""

from dataclasses import dataclass
from typing import Final

from .sizes import TRAITS as TRAIT_NAMES

PLAYERS: Final = frozenset({"H", "V", "owner", "any", "actor"})
SKILL_WORDS: Final = ("CUL", "SCI", "COM", "ING")  # in the order of `sizes.SKILLS`
GLYPH_LETTERS: Final = "GLOPST"  # in the order of `sizes.GLYPHS`
TYPE_WORDS: Final = frozenset(
    {
        "team",
        "support",
        "gear",
        "event",
        "obstacle",
        "adversary",
        "ship",
        "mission",
        "character",
    }
)
TRAITS: Final = frozenset(TRAIT_NAMES)

# --- targets and filters --------------------------------------------------------------------------

BASES: Final = frozenset(
    {
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
    }
)
REFERENCES: Final = frozenset(
    {
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
    }
)
ZONES: Final = frozenset({"hand", "deck", "discard", "missions", "missions_bottom", "vscore"})
PLACES: Final = {
    "RETURN": frozenset({"hand"}),
    "SEARCH": frozenset({"hand", "deck_top"}),
    "SEARCH_MISSION": frozenset({"missions_top"}),
    "RECOVER": frozenset({"hand", "deck_top"}),
    "PUT": frozenset({"discard", "deck_bottom", "missions_top", "missions_bottom"}),
}
STATE_FILTERS: Final = frozenset(
    {
        "ready",
        "assigned",
        "stopped",
        "incap",
        "blocked",
        "assignable",
        "promoted",
        "dominion",
        "withdraw",
        "has_failure_text",
        "first_of_turn",
        "failed",
    }
)
WORD_FILTERS: Final = (
    TRAITS | TYPE_WORDS | set(SKILL_WORDS) | STATE_FILTERS | {"other", "hero", "villain"}
)
NUMBER_FILTERS: Final = frozenset(SKILL_WORDS) | {"cost", "glyph", "contributed_skill"}
CARD_FILTERS: Final = frozenset(
    {"shares_glyph_with", "shares_trait_with", "lacks_trait_of", "same_title", "glyph_held_by"}
)
GLYPH_NAMES: Final = frozenset(GLYPH_LETTERS) | {"mission", "chosen", "earned"}
RELATIONS: Final = ("=", "<", "<=", ">", ">=")

# --- values ---------------------------------------------------------------------------------------

# name -> kinds of the arguments; ? = may be left out
VALUE_FUNCTIONS: Final = {
    "cost": ("selectors",),
    "xp": ("selectors",),
    "firepower": ("selectors",),
    "highest_skill": ("selectors",),
    "contributed_skill": ("selectors",),
    "power_left": ("player",),
    "max_glyph": ("selectors",),
    "if": ("condition", "value", "value"),
    "div": ("value", "value"),
    **dict.fromkeys(SKILL_WORDS, ("selectors",)),
}
COUNT_FUNCTIONS: Final = {
    "glyph": ("selectors", "glyph?"),
    "glyph_kinds": ("selectors",),
    "glyph_kinds_shared": ("selectors", "selectors"),
    "trait_kinds": ("selectors",),
    "trait_kinds_shared": ("selectors", "selectors"),
}
COUNTERS: Final = frozenset({"success_turn", "fail_turn", "played_turn", "blockaded"})
CONDITION_WORDS: Final = frozenset({"mark_made"})

# --- clause heads ---------------------------------------------------------------------------------

TIMES: Final = frozenset(
    {"POWER_START", "POWER_END", "DEBRIEF_START", "END_MISSION", "END_TURN", "CONTINUE"}
)
OWN_TRIGGERS: Final = frozenset(
    {
        "ON_PLAY",
        "ON_ASSIGN",
        "ON_SUCCESS",
        "ON_FAIL",
        "ON_SUCCESS_OR_FAIL",
        "ON_VICTORY",
        "ON_REVIVE",
        "ON_SCORE",
        "ON_DESTROYED",
    }
)
EFFECT_HEADS: Final = (
    OWN_TRIGGERS | (TIMES - {"CONTINUE"}) | {"STATIC", "ON", "ON_GLYPH", "REPLACE"}
)
HEADS: Final = EFFECT_HEADS | {"ACT", "ACT/TURN", "PLAY_COST", "ASSIGN_COST", "PLAY_IF", "KW"}
WORD_GATES: Final = frozenset({"ATTACHED", "IN_VSCORE", "OFFTURN"})
KEYWORDS: Final = {"dominion": False, "withdraw": True}  # name -> whether a value follows
GLYPH_TRIGGERS: Final = frozenset({"any", "new", "duplicate"})
ABILITY_USERS: Final = frozenset({"any", "host_owner"})

# event -> kinds of the arguments
EVENTS: Final = {
    "plays": ("player", "selectors"),
    "assigns": ("player", "selectors"),
    "boosts": ("player", "selectors"),
    "about_to_play": ("player", "selectors"),
    "passes": ("player",),
    "acts": ("player",),
    "succeeds": ("player",),
    "fails": ("player",),
    "earns_glyph": ("selectors", "earned?"),
    "becomes_stopped": ("selectors",),
    "enters": ("zone", "selectors"),
}
REPLACED_EVENTS: Final = {
    "destroy": ("selectors",),
    "stop": ("selectors",),
    "incap": ("selectors",),
    "pay_revive": ("selectors",),
    "mill_for_revive": ("selectors",),
}

# --- verbs ----------------------------------------------------------------------------------------

# option -> kind of its value
OPTIONS: Final = {
    "by": "player",
    "dur": "duration",
    "to": "place",
    "from": "selectors",
    "kind": "glyphs",
    "cost": "cost",
    "as": "complication",
    "order": "player",
    "revive": "value",
    "trait": "trait",
    "xp": "value",
    "max_total_cost": "value",
    "with": "selectors",
}
FLAGS: Final = frozenset(
    {
        "random",
        "faceup",
        "facedown",
        "no_text",
        "no_assign",
        "no_revive",
        "no_score",
        "ignore_unique",
        "on_different_chars",
    }
)
OPTION_ORDER: Final = (
    "from",
    "kind",
    "xp",
    "to",
    "as",
    "cost",
    "with",
    "trait",
    "revive",
    "max_total_cost",
    "random",
    "faceup",
    "facedown",
    "no_text",
    "no_assign",
    "no_revive",
    "no_score",
    "ignore_unique",
    "on_different_chars",
    "by",
    "order",
    "dur",
)
DURATIONS: Final = frozenset({"mission", "turn"})


@dataclass(frozen=True)
class Signature:
    """How a verb is written."""

    kinds: tuple[str, ...]
    """Kinds of the arguments in order."""
    options: frozenset[str]
    required: tuple[tuple[str, ...], ...]
    """Groups of options, one of each must be given."""
    block: str | None
    """What stands in braces behind: effect, clause, cost or nothing."""
    to_cards: bool = False
    """Whether the option `to` names cards and not a place."""


def _verb(
    kinds: str, options: str = "", block: str | None = None, to_cards: bool = False
) -> Signature:
    """A trailing * in `options` means that one of the alternatives a|b must be given."""
    groups = [(tuple(word.rstrip("*").split("|")), word.endswith("*")) for word in options.split()]
    names = frozenset(name for group, _ in groups for name in group)
    required = tuple(group for group, is_required in groups if is_required)
    return Signature(tuple(kinds.split()), names, required, block, to_cards)


VERBS: Final = {
    # states of cards
    "STOP": _verb("cards", "by"),
    "READY": _verb("cards"),
    "INCAP": _verb("cards", "by"),
    "BLOCK": _verb("cards", "by dur"),
    "UNBLOCK": _verb("cards"),
    "FACEDOWN": _verb("cards"),
    "DESTROY": _verb("cards", "by max_total_cost"),
    "RETURN": _verb("cards", "to*"),
    "ATTACH": _verb("cards"),
    "DETACH": _verb("cards"),
    # power, hands, piles
    "PAY": _verb("number"),
    "POWER": _verb("player amount"),
    "DRAW": _verb("player number"),
    "REFILL": _verb("player"),
    "DISCARD": _verb("cards", "by random"),
    "MILL": _verb("zone number"),
    "SEARCH": _verb("zone selectors quantity", "to*"),
    "SEARCH_MISSION": _verb("number", "to*"),
    "RECOVER": _verb("zone selectors quantity", "to*"),
    "RESHUFFLE": _verb("zone selectors quantity"),
    "SCRY": _verb("zone number"),
    "LOOK": _verb("cards"),
    "REVEAL": _verb("cards", "random"),
    "SHUFFLE": _verb("zone"),
    "PUT": _verb("cards", "to* order"),
    "PLAY": _verb("cards", "cost* as by ignore_unique"),
    "TUCK": _verb("cards", "faceup|facedown* random"),
    # glyphs and missions
    "MOVE_GLYPH": _verb("quantity", "from* to*", to_cards=True),
    "LOSE_GLYPH": _verb("lost_glyphs", "from kind by xp order"),
    "ADD_GLYPH": _verb("selectors"),
    "SWAP_GLYPHS": _verb("selectors"),
    "SWAP_GLYPH_TOP": _verb("selectors"),
    "BLOCKADE": _verb("selectors"),
    "SET_SKILL": _verb("selectors skill", "dur"),
    "FIRST_PRIORITY": _verb("player"),
    "FORCE_CONTINUE": _verb("player"),
    "SKIP_TURN": _verb("player"),
    # numbers
    "SKILLS": _verb("cards amount", "dur"),
    **{skill: _verb("cards amount", "dur") for skill in SKILL_WORDS},
    "DIFF": _verb("cards amount", "dur"),
    "COST": _verb("cards amount", "dur"),
    "REVIVE": _verb("cards amount", "dur"),
    "FIREPOWER": _verb("cards amount", "dur"),
    "FIREPOWER_TOTAL": _verb("player amount"),
    "XP": _verb("scorer amount"),
    "POINT_VALUE": _verb("cards amount"),
    "PROMOTE": _verb("cards"),
    "GAIN_TRAITS": _verb("cards", "from* dur"),
    "GAIN_SKILLS": _verb("cards", "from* dur"),
    # adversaries
    "REVIVE_NOW": _verb("selectors"),
    "PAY_REVIVE": _verb("selectors"),
    "NO_REVIVE": _verb("cards", "dur"),
    "SCORE": _verb("cards"),
    "BECOMES": _verb("selectors type", "no_text no_assign no_revive no_score trait revive"),
    # texts
    "GRANT": _verb("cards", block="clause"),
    "STRIP_FAIL": _verb("cards"),
    "FAIL_OPTIONAL": _verb("cards"),
    "FAIL_TAX": _verb("cards", block="cost"),
    "REPEAT_FAIL": _verb("cards amount"),
    "REPEAT_SUCCESS": _verb("cards amount"),
    # rules
    "FORBID": _verb("event", "dur"),
    "ASSIGN_TAX": _verb("cards", block="cost"),
    "ALLOW_BOOST": _verb("cards", "with*"),
    "COUNTS_AS": _verb("selectors trait value"),
    # choosing and timing
    "MARK": _verb("cards", "by"),
    "PICK": _verb("cards", "by"),
    "PICK_GLYPH": _verb("quantity", "from* by on_different_chars"),
    "PICK_KIND": _verb(""),
    "DELAY": _verb("moment", "dur", "effect"),
    "WATCH": _verb("event", "dur", "effect"),
}
