"""The records of the game: STATE, one flat record per game, and RULES, what its decks can do.

Section numbers refer to RULES.md beside this file.

**Cards.** A card of a game has a number: seat * SEAT_STRIDE + its place in the list of its owner
(0-3 team, 4-15 missions, from 16 the deck; each section sorted by card, so that copies are
neighbours). A set of cards is three words for each seat. Where a card is (`zone`) and
all cards of a zone (`zones`) are kept side by side. Face-down piles have an order (`deck`,
`missions`, the top last).

**Numbers are recomputed, not kept.** Ratings, costs, taxes, blocks and prohibitions under "derived"
are computed from the printed values, the one-shot modifiers (`modifier_*`) and the static texts in
play whenever something has changed (N4), so the order of play cannot corrupt them.

**Programs.** A text that is being carried out is a frame of a small stack (`frame_*`): where it is,
for whom, what it has chosen. A choice in its middle leaves the frame where it is, puts the prompt
and returns; the answer goes on from there. Triggered texts wait in `pending_*` until the stack is
empty; the hero player orders them (§8.5).
"""

from typing import Any, Final

import numpy as np

from tabletop_core.game import ActionBlock, action_table, state_header, state_record

from . import opcodes as op
from .sizes import LIST_SIZE, MAX_DECK, MISSION_COUNT, NUM_GLYPHS, NUM_SKILLS, TEAM_SIZE

# --- sizes ----------------------------------------------------------------------------------------

MIN_PLAYERS: Final = 2
MAX_PLAYERS: Final = 6
SEAT_WORDS: Final = 3
SEAT_STRIDE: Final = 64 * SEAT_WORDS
FIRST_MISSION: Final = 4
FIRST_DECK_CARD: Final = FIRST_MISSION + MISSION_COUNT
NO_CARD: Final = -1
NO_SEAT: Final = 255

# Numbers that no card has: what modifiers without a card are laid on.
COMPLICATIONS: Final = SEAT_STRIDE - 1  # playing a complication
NEXT_MISSION: Final = SEAT_STRIDE - 2  # the next mission of this turn
CONTINUING: Final = SEAT_STRIDE - 3  # playing a further mission

# Capacities. Running out of one is an error at the border, never a silent loss.
MAX_FRAMES: Final = 8
MAX_PENDING: Final = 64
MAX_MODIFIERS: Final = 128
MAX_MARKS: Final = 32
MAX_CLAIMS: Final = 24
MAX_FORBIDS: Final = 8
MAX_BOOST_RULES: Final = 4
MAX_COMPLICATIONS: Final = 32
MAX_DELAYS: Final = 16
MAX_STANDING: Final = 16
MAX_LATE: Final = 64
CLAUSES_PER_CARD: Final = 16  # in a frame_cursor: 1 + this * card + place of the clause
FIRED: Final = 255  # a delayed effect that waits to be carried out
FIRST_DELAY: Final = 20000  # as pending clause: delayed effect k

# The pool of a RULES record: only the cards of its decks.
MAX_DECKS: Final = 2048  # of all players together; sets that several draw from count once
MAX_KINDS: Final = 1024
MAX_CLAUSES: Final = 2048
CODE_SIZE: Final = 1 << 16
NO_KIND: Final = 65535
NO_TITLE: Final = -1

# --- enumerations ---------------------------------------------------------------------------------

ZONES: Final = (
    "nowhere",
    "deck",
    "hand",
    "discard",
    "missions",
    "play",
    "at_mission",
    "complication",
    "current",
    "failed",
    "glyph",
    "tucked",
    "vscore",
    "attached",
    "resolving",
    "ordering",
    "looked_at",
    "blockaded",
)
NOWHERE: Final = 0
DECK: Final = 1
HAND: Final = 2
DISCARD: Final = 3
MISSIONS: Final = 4
PLAY: Final = 5  # rows: characters, gear, ships, adversaries, in whatever state
AT_MISSION: Final = 6  # obstacles
COMPLICATION: Final = 7
CURRENT: Final = 8
FAILED: Final = 9
GLYPH: Final = 10
TUCKED: Final = 11
VSCORE: Final = 12
ATTACHED: Final = 13
RESOLVING: Final = 14  # being played
ORDERING: Final = 15  # missions on their way to the bottom of the pile (D18, D20)
LOOKED_AT: Final = 16  # being looked at and put back (D21)
BLOCKADED: Final = 17  # a mission beneath a villain card
NUM_ZONES: Final = len(ZONES)
OPEN_ZONES: Final = (  # zones whose cards everybody sees, as a word
    1 << DISCARD
    | 1 << PLAY
    | 1 << AT_MISSION
    | 1 << CURRENT
    | 1 << FAILED
    | 1 << GLYPH
    | 1 << VSCORE
    | 1 << ATTACHED
    | 1 << RESOLVING
    | 1 << ORDERING
    | 1 << BLOCKADED
)

CLOSED_ZONES: Final = 1 << DECK | 1 << HAND | 1 << MISSIONS | 1 << LOOKED_AT  # no names there

READY: Final = 0
ASSIGNED: Final = 1
STOPPED: Final = 2
INCAP: Final = 3
CONDITIONS: Final = ("ready", "assigned", "stopped", "incapacitated")

PHASES: Final = (
    "setup_stop",
    "setup_second_stop",
    "setup_hands",
    "turn_start",
    "power",
    "power_end",
    "mission_play",
    "mission_turned",
    "actions",
    "ships",
    "victory_texts",
    "result",
    "hero_texts",
    "villain_texts",
    "stop",
    "adversary",
    "dominion",
    "cleanup",
    "glyph",
    "mission_end",
    "mission_over",
    "continue",
    "debrief_start",
    "debrief_ready",
    "debrief_missions",
    "debrief_hero_hand",
    "debrief_villain_hand",
    "turn_end",
    "turn_over",
)
(
    SETUP_STOP,
    SETUP_SECOND_STOP,
    SETUP_HANDS,
    TURN_START,
    POWER_PHASE,
    POWER_END,
    MISSION_PLAY,
    MISSION_TURNED,
    ACTING,
    SHIPS,
    VICTORY_TEXTS,
    RESULT,
    HERO_TEXTS,
    VILLAIN_TEXTS,
    STOPPING,
    ADVERSARY_FATE,
    DOMINION,
    CLEANUP,
    EARN_GLYPH,
    MISSION_END,
    MISSION_OVER,
    CONTINUE,
    DEBRIEF_START,
    DEBRIEF_READY,
    DEBRIEF_MISSIONS,
    DEBRIEF_HERO_HAND,
    DEBRIEF_VILLAIN_HAND,
    TURN_END,
    TURN_OVER,
) = range(len(PHASES))

# Prompts: what is asked (§13).
PROMPTS: Final = (
    "none",
    "team_stop",
    "mulligan",
    "order_triggers",
    "may",
    "target",
    "option",
    "number",
    "main",
    "order_texts",
    "fate",
    "dominion",
    "recipient",
    "continue",
    "order_missions",
    "discard",
    "scry",
    "glyph",
    "ability",
    "ship",
    "boost",
    "over",
)
(
    ASK_NOTHING,
    ASK_TEAM_STOP,
    ASK_MULLIGAN,
    ASK_ORDER,
    ASK_MAY,
    ASK_TARGET,
    ASK_OPTION,
    ASK_NUMBER,
    ASK_MAIN,
    ASK_TEXT,
    ASK_FATE,
    ASK_DOMINION,
    ASK_RECIPIENT,
    ASK_CONTINUE,
    ASK_MISSION_ORDER,
    ASK_DISCARD,
    ASK_SCRY,
    ASK_GLYPH,
    ASK_ABILITY,
    ASK_SHIP,
    ASK_BOOST,
    ASK_OVER,
) = range(len(PROMPTS))

END_REASONS: Final = ("glyphs", "experience", "villain_score")
REASON_GLYPHS: Final = 1
REASON_EXPERIENCE: Final = 2
REASON_VILLAIN_SCORE: Final = 4

# What a frame waits for.
WAITS_NOT: Final = 0
WAITS_ASKED: Final = 1
WAITS_ANSWERED: Final = 2
WAITS_REPLACED: Final = 3  # for a frame above it, which may do something instead

# What follows when a frame is finished.
THEN_NOTHING: Final = 0
THEN_FINISH_PLAY: Final = 1
THEN_FINISH_ASSIGN: Final = 2
THEN_DISCARD_EVENT: Final = 3
THEN_REPLACED: Final = 4  # something happened instead, if the frame has done it
THEN_REPLACED_FORCED: Final = 5  # the same, and it cannot be declined
THEN_OFFERED: Final = 6  # the frames below it are given up, if it was declined

# When static texts are computed: first what cards are, then what reads no ratings, what reads and
# changes them, and last what only reads them.
STAGE_BECOMING: Final = 0
STAGE_PLAIN: Final = 1
STAGE_RATINGS: Final = 2
STAGE_RATED: Final = 3
HAND_STAGES: Final = 4  # so much higher: stages of texts that work from the hand

# What has to be computed again (`is_stale`).
STALE_NUMBERS: Final = 1  # what texts change, see `derived.refresh`
STALE_VICTORY: Final = 2  # who has won (§10)
STALE: Final = STALE_NUMBERS | STALE_VICTORY  # something that they depend on has changed

# Changed numbers of a card; 0 where there is no change.
PLUS: Final = 0  # to all its ratings, to the difficulty of a mission
BASE: Final = 1  # what the difficulty is set to, plus RAISED
COST_PLUS: Final = 2
REVIVE_PLUS: Final = 3
FIRE_PLUS: Final = 4
NUM_CHANGES: Final = 5

# Who may use an ability.
USER_CONTROLLER: Final = 0
USER_ANY: Final = 1
USER_HOST_OWNER: Final = 2

# How long a modifier lasts.
LASTS_MISSION: Final = 0
LASTS_TURN: Final = 1
LASTS_SOURCE: Final = 2  # while the obstacle that made it stays face up in play
LASTS_FOREVER: Final = 3

EVENT_PLAYS: Final = op.EVENT_WORDS.index("plays")
EVENT_ASSIGNS: Final = op.EVENT_WORDS.index("assigns")
EVENT_BOOSTS: Final = op.EVENT_WORDS.index("boosts")
EVENT_PASSES: Final = op.EVENT_WORDS.index("passes")
EVENT_SUCCEEDS: Final = op.EVENT_WORDS.index("succeeds")
EVENT_FAILS: Final = op.EVENT_WORDS.index("fails")
EVENT_EARNS: Final = op.EVENT_WORDS.index("earns_glyph")
EVENT_ABOUT_TO_PLAY: Final = op.EVENT_WORDS.index("about_to_play")
EVENT_ENTERS: Final = op.EVENT_WORDS.index("enters")
EVENT_ACTS: Final = op.EVENT_WORDS.index("acts")
EVENT_BECOMES_STOPPED: Final = op.EVENT_WORDS.index("becomes_stopped")
EVENT_DESTROY: Final = op.EVENT_WORDS.index("destroy")
EVENT_STOP: Final = op.EVENT_WORDS.index("stop")
EVENT_INCAP: Final = op.EVENT_WORDS.index("incap")
EVENT_PAY_REVIVE: Final = op.EVENT_WORDS.index("pay_revive")
EVENT_MILL_FOR_REVIVE: Final = op.EVENT_WORDS.index("mill_for_revive")

# --- actions --------------------------------------------------------------------------------------

MAX_OPTIONS: Final = 8
MAX_NUMBER: Final = 24
ACTIONS: Final = action_table(
    ActionBlock("pass", 1, "pass (§8)"),
    ActionBlock("yes", 1, "use it, continue, redraw the hand"),
    ActionBlock("no", 1, "do not"),
    ActionBlock("done", 1, "choose no further card"),
    ActionBlock("play", LIST_SIZE, "play the card in place k of one's own list"),
    ActionBlock("assign", LIST_SIZE, "assign it"),
    ActionBlock("boost", LIST_SIZE, "discard it to boost the assigned card of its title"),
    ActionBlock("complicate", LIST_SIZE, "play it face down as a complication"),
    ActionBlock("use", LIST_SIZE, "use its ability; of several, `option` tells which"),
    ActionBlock("own", LIST_SIZE, "choose the card in place k of one's own list"),
    ActionBlock("other", LIST_SIZE, "choose the card in place k of the opponent's list"),
    ActionBlock("slot", MAX_COMPLICATIONS, "choose the k-th complication, in the order of play"),
    ActionBlock("option", MAX_OPTIONS, "take option k"),
    ActionBlock("number", MAX_NUMBER, "choose the number k; after the highest one, the rest"),
    ActionBlock("revive", 1, "revive the adversary (§9.4)"),
    ActionBlock("score", 1, "score it"),
    ActionBlock("let_die", 1, "let it die"),
)
PASS: Final = ACTIONS.first("pass")
YES: Final = ACTIONS.first("yes")
NO: Final = ACTIONS.first("no")
DONE: Final = ACTIONS.first("done")
PLAY_CARD: Final = ACTIONS.first("play")
ASSIGN: Final = ACTIONS.first("assign")
BOOST: Final = ACTIONS.first("boost")
COMPLICATE: Final = ACTIONS.first("complicate")
USE: Final = ACTIONS.first("use")
OWN: Final = ACTIONS.first("own")
OTHER: Final = ACTIONS.first("other")
SLOT: Final = ACTIONS.first("slot")
OPTION: Final = ACTIONS.first("option")
NUMBER: Final = ACTIONS.first("number")
REVIVE: Final = ACTIONS.first("revive")
SCORE: Final = ACTIONS.first("score")
LET_DIE: Final = ACTIONS.first("let_die")

# --- records --------------------------------------------------------------------------------------

VERSION: Final = 0


Fields = list[tuple[Any, ...]]  # as `np.dtype` takes them


def _turn_fields(num_seats: int) -> Fields:
    """§7: where in the turn the game is."""
    words = num_seats * SEAT_WORDS
    return [
        ("num_players", np.uint8),
        ("hero", np.uint8),  # seat
        ("first_player", np.uint8),
        ("winner", np.uint8),  # seat or NO_SEAT
        ("phase", np.uint8),
        ("prompt", np.uint8),  # ASK_*
        ("priority", np.uint8),  # seat
        ("passes", np.uint8),  # in a row
        ("actions_here", np.uint16),  # at this mission
        ("success_turn", np.uint8, NUM_SKILLS),  # [skill] missions succeeded this turn
        ("fail_turn", np.uint8),
        ("missions_played", np.uint8),
        ("victory_total", np.uint8, num_seats),
        ("power", np.int16, num_seats),
        ("current", np.int16),  # the mission, or NO_CARD
        ("battle_winner", np.uint8),  # seat, or NO_SEAT
        ("succeeded", np.uint8),
        ("earned", np.uint8),  # symbol of the glyph that was earned last
        ("judged", np.int16),  # the adversary whose fate is decided, or NO_CARD
        ("resolving", np.int16),  # the card being played or assigned, or NO_CARD
        ("must_continue", np.uint8),  # 1: the hero has to play another mission, for nothing
        ("skipped_turns", np.uint8, num_seats),  # that the seat will not have as hero
        ("played_turn", np.uint64, words),  # cards that were played this turn, face up
        ("assigned_at_resolution", np.uint64, words),
        ("just_discarded", np.uint64, words),  # to be heard by texts that wait for that
        ("dominion", np.uint64, words),  # obstacles that may follow the scored adversary
    ]


def _count_fields(num_seats: int) -> Fields:
    """How many entries the lists below have, and which of the delayed effects there are."""
    return [
        ("deck_size", np.uint8, num_seats),
        ("missions_size", np.uint8, num_seats),
        ("complication_count", np.uint8),
        ("frame_count", np.uint8),
        ("pending_count", np.uint8),
        ("modifier_count", np.uint8),
        ("mark_count", np.uint8),
        ("standing_count", np.uint8),
        ("delay_moment", np.uint8, MAX_DELAYS),  # 1 + place in MOMENTS, or FIRED; 0: free
    ]


def _work_fields(num_seats: int) -> Fields:
    """Counts of what is derived, and what the running program speaks of."""
    return [
        ("is_stale", np.uint8),  # set of STALE_*
        ("error", np.uint8),  # ERROR_*: a capacity ran out
        ("claim_count", np.uint8),
        ("grant_count", np.uint8),  # claims of GRANT
        ("forbid_count", np.uint8),
        ("boost_count", np.uint8),
        ("late_count", np.uint8),
        ("context_user", np.uint8),
        ("context_self", np.int16),
        ("context_each", np.int16),
        ("context_trigger", np.int16),
        ("context_granter", np.int16),
        ("context_frame", np.int16),  # or -1
        ("top", np.int32),  # of `stack`
        ("spent", np.int32),  # power that a check has spoken for
    ]


def _card_fields(num_seats: int) -> Fields:
    """Which cards there are and where; [id] unless said otherwise."""
    words = num_seats * SEAT_WORDS
    ids = num_seats * SEAT_STRIDE
    return [
        ("zones", np.uint64, (NUM_ZONES, words)),  # [zone] its cards
        ("hero_side", np.uint64, words),  # hero cards of both lists
        ("named", np.uint64, words),  # cards that keep their place: they lie openly (§16.1)
        ("kind", np.uint16, ids),  # which card it is: row of RULES, or NO_KIND
        ("deck_number", np.uint16, num_seats),  # [seat] list that is played: row of RULES
        ("zone", np.uint8, ids),
        ("condition", np.uint8, ids),  # READY, ASSIGNED, STOPPED, INCAP
        ("tokens", np.uint8, ids),  # promotion tokens
        ("used", np.uint8, ids),  # abilities used this turn: set of clause places
        ("missions", np.uint8, (num_seats, MISSION_COUNT)),  # [seat, from the bottom] place in list
        ("complications", np.int16, MAX_COMPLICATIONS),  # in the order of play
        ("known", np.uint8, ids),  # set of seats that know what lies there (§3.1)
    ]


def _table_fields(num_seats: int) -> Fields:
    """Derived from cards and lists: sums, and sets of cards."""
    words = num_seats * SEAT_WORDS
    return [
        ("fire_total_plus", np.int8, num_seats),
        ("experience_plus", np.int8, num_seats),
        ("point_plus", np.int8, (num_seats, TEAM_SIZE)),
        ("has_gained_traits", np.uint8),  # some card has traits of another
        ("skill_now", np.uint8),  # that the current mission requires
        ("first_priority", np.uint8),  # seat that acts first at a mission, or NO_SEAT
        ("holders", np.uint64, words),  # cards with glyphs beneath, see table.lay_glyph
        ("blocked", np.uint64, words),
        ("no_revive", np.uint64, words),
        ("becomes", np.uint64, words),  # cards that are adversaries instead of what is printed
        ("textless", np.uint64, words),
        ("rated", np.uint64, words),  # cards that have ratings
        ("changed", np.uint64, words),  # cards with numbers in `raw` and `changes`
    ]


def _number_fields(num_seats: int) -> Fields:
    """Derived from cards and lists: numbers of cards, most of which have none."""
    ids = num_seats * SEAT_STRIDE
    return [
        ("raw", np.int8, (ids, NUM_SKILLS)),  # ratings plus RAISED, or NO_RATING
        ("changes", np.int8, (ids, NUM_CHANGES)),  # PLUS, BASE ..
    ]


def _scratch_fields(num_seats: int) -> Fields:
    """Scratch of the pure instructions; zero between decisions."""
    words = num_seats * SEAT_WORDS
    return [
        ("sets", np.uint64, (op.NUM_SETS, words)),
        ("static_cards", np.uint64, words),
        ("reserved", np.uint64, words),
        ("locals", np.int32, op.NUM_LOCALS),
        ("stack", np.int32, op.STACK_SIZE),
        ("used_sets", np.uint8),  # set of the `sets` that instructions have written
    ]


def _frame_fields(num_seats: int) -> Fields:
    """Programs under way; the last one runs."""
    words = num_seats * SEAT_WORDS
    return [
        ("frame_address", np.int32, MAX_FRAMES),
        ("frame_origin", np.int32, MAX_FRAMES),  # where its latest pure instructions begin
        ("frame_self", np.int16, MAX_FRAMES),
        ("frame_each", np.int16, MAX_FRAMES),
        ("frame_trigger", np.int16, MAX_FRAMES),
        ("frame_granter", np.int16, MAX_FRAMES),  # of a granted clause, or NO_CARD
        ("frame_user", np.uint8, MAX_FRAMES),  # seat that chooses
        ("frame_by", np.uint8, MAX_FRAMES),  # seat that chooses instead, or NO_SEAT
        ("frame_actor", np.uint8, MAX_FRAMES),
        ("frame_then", np.uint8, MAX_FRAMES),
        ("frame_n", np.int16, MAX_FRAMES),
        ("frame_done", np.uint8, MAX_FRAMES),  # the last step was carried out
        ("frame_waits", np.uint8, MAX_FRAMES),  # WAITS_*
        ("frame_answer", np.int16, MAX_FRAMES),
        ("frame_least", np.uint8, MAX_FRAMES),  # how many must be chosen
        ("frame_limit", np.uint8, MAX_FRAMES),  # what a number or costs may still come to
        ("frame_symbol", np.uint8, MAX_FRAMES),  # the glyph symbol that was chosen
        ("frame_holder", np.int16, MAX_FRAMES),  # the card that the latest glyph lay beneath
        ("frame_most", np.uint8, MAX_FRAMES),  # and may; of a deed: how many did not happen
        ("frame_cursor", np.int16, MAX_FRAMES),  # replacements that have been offered (D22)
        ("frame_candidates", np.uint64, (MAX_FRAMES, words)),
        ("frame_chosen", np.uint64, (MAX_FRAMES, words)),
        ("frame_that", np.uint64, (MAX_FRAMES, words)),
        ("frame_seen", np.uint64, (MAX_FRAMES, words)),
    ]


_CHANGE_FIELDS: Final[Fields] = [  # changes of single cards, and cards that others remember
    ("modifier_verb", np.uint8, MAX_MODIFIERS),
    ("modifier_sign", np.uint8, MAX_MODIFIERS),
    ("modifier_lasts", np.uint8, MAX_MODIFIERS),
    ("modifier_amount", np.int8, MAX_MODIFIERS),
    ("modifier_card", np.int16, MAX_MODIFIERS),
    ("modifier_source", np.int16, MAX_MODIFIERS),
    ("mark_maker", np.int16, MAX_MARKS),
    ("mark_card", np.int16, MAX_MARKS),
    ("mark_is_gone", np.uint8, MAX_MARKS),  # the card has left play since
]


def _waiting_fields(num_seats: int) -> Fields:
    """What waits for the end of the programs under way."""
    words = num_seats * SEAT_WORDS
    return [
        ("carried_n", np.int16),  # from the costs of a card to its text
        ("carried_that", np.uint64, words),
        ("pending_clause", np.int16, MAX_PENDING),
        ("pending_self", np.int16, MAX_PENDING),
        ("pending_trigger", np.int16, MAX_PENDING),
        ("pending_granter", np.int16, MAX_PENDING),
        ("pending_actor", np.uint8, MAX_PENDING),
        ("pending_is_text", np.uint8, MAX_PENDING),  # success or failure text: not a trigger
    ]


def _pile_fields(num_seats: int) -> Fields:
    """What lies on what, and in which order."""
    return [
        ("host", np.int16, num_seats * SEAT_STRIDE),  # of cards beneath or on others; or NO_CARD
        ("deck", np.uint8, (num_seats, MAX_DECK)),  # [seat, from the bottom] place in list
    ]


def _claim_fields(num_seats: int) -> Fields:
    """Derived from cards and lists: what texts say about sets of cards: taxes .."""
    words = num_seats * SEAT_WORDS
    return [
        ("claim_verb", np.uint8, MAX_CLAIMS),  # what is said: a verb
        ("claim_self", np.int16, MAX_CLAIMS),  # whose text
        ("claim_detail", np.int32, MAX_CLAIMS),  # program, granted clause, amount, flags
        ("claim_check", np.int32, MAX_CLAIMS),  # program, traits
        ("claim_cards", np.uint64, (MAX_CLAIMS, words)),
        ("forbid_event", np.uint8, MAX_FORBIDS),
        ("forbid_player", np.uint8, MAX_FORBIDS),
        ("forbid_self", np.int16, MAX_FORBIDS),
        ("forbid_match", np.int32, MAX_FORBIDS),
        ("boost_self", np.int16, MAX_BOOST_RULES),  # texts that allow other boosts
        ("boost_address", np.int32, MAX_BOOST_RULES),
        ("late_verb", np.uint8, MAX_LATE),  # changes by texts that read ratings
        ("late_sign", np.uint8, MAX_LATE),
        ("late_card", np.int16, MAX_LATE),
        ("late_amount", np.int16, MAX_LATE),
    ]


def _kept_fields(num_seats: int) -> Fields:
    """Programs that are kept for later or for a while."""
    words = num_seats * SEAT_WORDS
    return [
        ("delay_lasts", np.uint8, MAX_DELAYS),
        ("delay_repeats", np.uint8, MAX_DELAYS),  # 1: each time (WATCH)
        ("delay_player", np.uint8, MAX_DELAYS),  # of the event: word of PLAYER_WORDS
        ("delay_match", np.int32, MAX_DELAYS),  # of the event
        ("delay_user", np.uint8, MAX_DELAYS),
        ("delay_self", np.int16, MAX_DELAYS),
        ("delay_n", np.int16, MAX_DELAYS),
        ("delay_address", np.int32, MAX_DELAYS),
        ("delay_that", np.uint64, (MAX_DELAYS, words)),
        ("standing_lasts", np.uint8, MAX_STANDING),  # rules for a while: like static texts
        ("standing_self", np.int16, MAX_STANDING),
        ("standing_user", np.uint8, MAX_STANDING),
        ("standing_address", np.int32, MAX_STANDING),
    ]


def _derived_fields(num_seats: int) -> Fields:
    """What every step reads of that which follows from the rest."""
    return [
        *_work_fields(num_seats),
        *_table_fields(num_seats),
        *_scratch_fields(num_seats),
    ]


def state_dtype(num_seats: int) -> np.dtype[Any]:
    """STATE for up to `num_seats` players.

    What every step reads comes first and close together, lists that most steps only count last:
    1.12 times faster with 1,024 games in a batch than in the order of the rules (measured).
    """
    fields = [
        *state_header("stargate", ACTIONS.count),
        *_turn_fields(num_seats),
        *_count_fields(num_seats),
        *_card_fields(num_seats),
        *_derived_fields(num_seats),
        *_frame_fields(num_seats),
        *_CHANGE_FIELDS,
        *_waiting_fields(num_seats),
        *_pile_fields(num_seats),
        *_number_fields(num_seats),
        *_kept_fields(num_seats),
        *_claim_fields(num_seats),
    ]
    return state_record(fields)


STATE: Final = state_dtype(MIN_PLAYERS)
STATE_6: Final = state_dtype(MAX_PLAYERS)  # three to six players
DERIVED_FIELDS: Final = frozenset(
    name
    for fields in (_derived_fields, _number_fields, _claim_fields)
    for name, *_ in fields(MIN_PLAYERS)
)
"""Fields that follow from the others, or are scratch."""
ERRORS: Final = (
    "",
    "frames",
    "pending texts",
    "modifiers",
    "marks",
    "texts about sets of cards",
    "instruction",
    "prohibitions",
    "delayed effects",
    "rules for a while",
    "texts that read ratings",
    "complications",
    "rules about boosts",
)
ERROR_FRAMES: Final = 1
ERROR_PENDING: Final = 2
ERROR_MODIFIERS: Final = 3
ERROR_MARKS: Final = 4
ERROR_CLAIMS: Final = 5
ERROR_INSTRUCTION: Final = 6
ERROR_FORBIDS: Final = 7
ERROR_DELAYS: Final = 8
ERROR_STANDING: Final = 9
ERROR_LATE: Final = 10
ERROR_COMPLICATIONS: Final = 11
ERROR_BOOSTS: Final = 12

RULES: Final = np.dtype(
    [
        ("digest", np.uint64),
        ("num_players", np.int64),
        ("max_turns", np.int64),
        ("has_tallies", np.int64),  # 1: static texts change experience or point values
        ("open_lists", np.uint8),  # 1: both lists are known to everybody (§3)
        # decks; those among which each seat draws one follow each other
        ("deck_kind", np.uint16, (MAX_DECKS, SEAT_STRIDE)),  # [deck, place] or NO_KIND
        ("deck_length", np.int64, MAX_DECKS),  # cards of the whole list
        ("first_deck", np.int64, MAX_PLAYERS),
        ("deck_choices", np.int64, MAX_PLAYERS),
        # kinds of cards
        ("number", np.uint16, MAX_KINDS),  # in the pool
        ("card_type", np.uint8, MAX_KINDS),
        ("is_villain", np.uint8, MAX_KINDS),
        ("is_unique", np.uint8, MAX_KINDS),
        ("cost", np.int8, MAX_KINDS),  # -1: none
        ("point_value", np.int8, MAX_KINDS),
        ("printed", np.int8, (MAX_KINDS, NUM_SKILLS)),
        ("raw", np.int8, (MAX_KINDS, NUM_SKILLS)),  # the same as STATE keeps them
        ("skill", np.uint8, MAX_KINDS),  # missions
        ("difficulty", np.int8, MAX_KINDS),
        ("experience", np.int8, MAX_KINDS),
        ("glyph", np.uint8, MAX_KINDS),
        ("revive_cost", np.int8, MAX_KINDS),
        ("firepower", np.int8, MAX_KINDS),
        ("traits", np.uint16, MAX_KINDS),
        ("title", np.int16, MAX_KINDS),
        ("keywords", np.uint8, MAX_KINDS),  # bit 0 dominion, bit 1 withdraw
        ("has_fail_text", np.uint8, MAX_KINDS),
        ("counted_traits", np.uint16, MAX_KINDS),  # traits of which it counts as several cards
        ("counted_number", np.uint8, MAX_KINDS),  # as how many
        ("marks_for_mission", np.uint8, MAX_KINDS),  # its marks end with the mission
        ("first_clause", np.uint16, MAX_KINDS),
        ("clause_count", np.uint16, MAX_KINDS),
        ("heads", np.uint32, MAX_KINDS),  # set of clause heads
        ("heard", np.uint32),  # set of events that a text waits for
        ("replaced", np.uint32),  # set of events that a text replaces
        # clauses
        ("clause_head", np.uint8, MAX_CLAUSES),
        ("clause_event", np.uint8, MAX_CLAUSES),
        ("clause_player", np.uint8, MAX_CLAUSES),
        ("clause_gate", np.uint8, MAX_CLAUSES),
        ("clause_glyphs", np.uint8, MAX_CLAUSES),
        ("clause_flags", np.uint8, MAX_CLAUSES),  # opcodes.GATE_FLAGS, IS_TALLY
        ("clause_match", np.int32, MAX_CLAUSES),
        ("clause_condition", np.int32, MAX_CLAUSES),
        ("clause_check", np.int32, MAX_CLAUSES),
        ("clause_start", np.int32, MAX_CLAUSES),
        ("clause_stage", np.uint8, MAX_CLAUSES),  # of STATIC: STAGE_*
        ("clause_user", np.uint8, MAX_CLAUSES),  # of ACT: USER_*
        ("first_granted", np.uint32),  # clauses that texts grant, behind those of the cards
        ("has_becoming", np.uint8),  # 1: some text lets a card become an adversary
        ("last_stage", np.uint8),  # of the static texts: STAGE_*
        ("has_score_costs", np.uint8),  # 1: some text can change the cost of a scored card
        ("has_grants", np.uint8),  # 1: some text grants clauses
        ("static_stages", np.uint8, MAX_KINDS),  # set of stages of its static texts, HAND_STAGES
        ("listens", np.uint32, MAX_KINDS),  # set of events that its own texts wait for
        ("until_clauses", np.uint8, MAX_KINDS),  # places of clauses that end with an event
        ("code", np.int32, CODE_SIZE),
    ],
    align=True,
)

assert NUM_GLYPHS <= 8

# What a position in words tells apart (§16.4): these fields are told by its key `table`.
HEADER_FIELDS: Final = tuple(name for name, *_ in state_header("stargate", ACTIONS.count))
TABLE_FIELDS: Final = (
    "zones",
    "hero_side",
    "kind",
    "deck_number",
    "zone",
    "condition",
    "host",
    "tokens",
    "used",
    "deck",
    "missions",
    "deck_size",
    "missions_size",
    "complications",
    "complication_count",
    "power",
    "num_players",
    "hero",
    "first_player",
    "winner",
    "prompt",
    "priority",
    "passes",
    "actions_here",
    "success_turn",
    "fail_turn",
    "missions_played",
)
