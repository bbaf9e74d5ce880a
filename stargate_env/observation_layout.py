"""Where each thing that a player may know stands in the observation of the Stargate TCG.

The table of fields is the sections below, one behind the other: what is the same for any number of
seats, what there is once for each seat, and the rows, one for each place of every list.
`observation.py` tells what they mean together and fills them.

Texts, modifiers and the like are lists of the state (`state.py`); a list has as many places here as
there, in the same order, but for the texts under way: there place 0 is the one that is asked.
A card of the game is called by two bytes, its seat + 1 and its list place + 1; they are 0 if there
is none or if the player does not know where it is. Players are seats + 1, 0 for nobody.

Section numbers refer to RULES.md.
"""

from __future__ import annotations

from typing import Final

from tabletop_core.game import ObservationField, ObservationLayout

from . import opcodes as op
from .sizes import LIST_SIZE, NUM_GLYPHS, NUM_SKILLS
from .state import (
    END_REASONS,
    LASTS_FOREVER,
    MAX_COMPLICATIONS,
    MAX_DELAYS,
    MAX_FRAMES,
    MAX_MARKS,
    MAX_MODIFIERS,
    MAX_PENDING,
    MAX_PLAYERS,
    MAX_STANDING,
    MIN_PLAYERS,
    NUM_ZONES,
    PHASES,
    PROMPTS,
)

MAX_BYTE: Final = 255
CARD_BYTES: Final = 2  # number in the pool + 1: low, high
PLACE_BYTES: Final = 2  # seat + 1, list place + 1
NUM_CONDITIONS: Final = 4
ZERO_AMOUNT: Final = 128  # stands for a change by 0
FIRST_SLOT: Final = 4  # as place without a seat: complication 0
BYTE_BITS: Final = 8
DELAYED_BYTES: Final = MAX_DELAYS // BYTE_BITS
MARK_STANDS: Final = 1
MARK_IS_GONE: Final = 2

# What else holds for a card, as bits of `facts`.
FACTS: Final = (
    "played",  # this turn, face up
    "took_part",  # assigned when the mission was resolved
    "discarded",  # texts that wait for that have not heard of it yet
    "paid_with",  # chosen for the costs of a card, to whose text it is known
    "no_revive",  # cannot be revived
    "textless",  # its text does not count
    "is_adversary",  # instead of what is printed
)
PLAYED, TOOK_PART, DISCARDED, PAID_WITH, UNREVIVABLE, TEXTLESS, IS_ADVERSARY = range(len(FACTS))

# --- the table -----------------------------------------------------------------------------------

Fields = tuple[ObservationField, ...]


def _text_fields(name: str, count: int, of: str) -> Fields:
    """Which text: its card, the number of its clause, and where in the clause."""
    return (
        ObservationField(f"{name}_card", (count, CARD_BYTES), MAX_BYTE, f"{of}: card of the text"),
        ObservationField(f"{name}_clause", (count,), MAX_BYTE, "its clause, from 1"),
        ObservationField(f"{name}_step", (count,), MAX_BYTE, "instruction of the clause, from 0"),
    )


def _place(name: str, count: int, meaning: str) -> ObservationField:
    """A card for each entry of a list."""
    return ObservationField(name, (count, PLACE_BYTES), LIST_SIZE, meaning)


def _seat(name: str, count: int, meaning: str) -> ObservationField:
    """A player for each entry of a list."""
    return ObservationField(name, (count,), MAX_PLAYERS, meaning)


_TURN_FIELDS: Final = (
    ObservationField("prompt", (len(PROMPTS),), 1, "what is being decided"),
    ObservationField("phase", (len(PHASES),), 1, "phase of the turn"),
    ObservationField(
        "num_players", (MAX_PLAYERS - MIN_PLAYERS + 1,), 1, "number of players: 2 to 6"
    ),
    ObservationField("end_reasons", (len(END_REASONS),), 1, "how the game has ended (§10)"),
    ObservationField("is_truncated", (1,), 1, "it was ended by the cap on turns"),
    ObservationField("turns", (1,), MAX_BYTE, "finished turns; 255 stands for 255 and more"),
    ObservationField("passes", (1,), 2, "passes in a row (§8)"),
    ObservationField("actions_here", (1,), MAX_BYTE, "actions at this mission (§8.5)"),
    ObservationField("missions_played", (1,), MAX_BYTE, "missions played this turn"),
    ObservationField("failures", (1,), MAX_BYTE, "missions failed this turn"),
    ObservationField(
        "successes", (NUM_SKILLS,), MAX_BYTE, "missions of each skill succeeded this turn"
    ),
    ObservationField("earned", (1,), NUM_GLYPHS - 1, "symbol of the glyph earned last (§9.5)"),
    ObservationField("must_continue", (1,), 1, "the hero has to play another mission (§9.6)"),
    ObservationField("continue_cost", (1,), MAX_BYTE, "power that a further mission costs (§9.6)"),
)

_MISSION_FIELDS: Final = (
    _place("current_mission", 1, "the current mission"),
    _place("judged", 1, "the adversary whose fate is decided (§9.4)"),
    _place("resolving", 1, "the card that is being played or assigned (§8)"),
    ObservationField("has_succeeded", (1,), 1, "the current mission has succeeded (§9.2)"),
    ObservationField(
        "required_skill", (NUM_SKILLS,), 1, "skill that the current mission requires now"
    ),
    ObservationField("difficulty", (1,), MAX_BYTE, "total difficulty of the mission (N7)"),
    ObservationField("hero_total", (1,), MAX_BYTE, "total of the assigned characters (N8)"),
    ObservationField("complication_cost", (1,), MAX_BYTE, "power that the next one costs (§8.2)"),
    ObservationField(
        "slot_owner",
        (MAX_COMPLICATIONS,),
        MAX_PLAYERS,
        "complications in the order of play: seat of the owner + 1; 0: none",
    ),
    ObservationField("slot_difficulty", (MAX_COMPLICATIONS,), MAX_BYTE, "what it adds"),
)

_TEXT_FIELDS: Final = (
    *_text_fields("text", MAX_FRAMES, "texts under way, the one that is asked first"),
    _place("text_self", MAX_FRAMES, "the card itself"),
    _place("text_trigger", MAX_FRAMES, "the card that the event of the text concerned"),
    _place("text_each", MAX_FRAMES, "of several cards: the one that it is about now"),
    _place("text_granter", MAX_FRAMES, "the card that has granted the text"),
    _place("text_holder", MAX_FRAMES, "the card that the latest glyph lay beneath"),
    _seat("text_user", MAX_FRAMES, "seat + 1 of the player who uses the text"),
    _seat("text_by", MAX_FRAMES, "of the player who chooses instead"),
    _seat("text_actor", MAX_FRAMES, "of the player whose deed is the event"),
    ObservationField("text_n", (MAX_FRAMES,), MAX_BYTE, "the number n of the text so far"),
    ObservationField(
        "text_symbol", (MAX_FRAMES,), NUM_GLYPHS, "symbol that was chosen + 1; 0: none"
    ),
    ObservationField("text_done", (MAX_FRAMES,), 1, "its last step was carried out"),
    ObservationField("least", (1,), MAX_BYTE, "cards that one must choose in all"),
    ObservationField("most", (1,), MAX_BYTE, "cards that one may choose in all"),
    ObservationField("limit", (1,), MAX_BYTE, "highest number that one may choose"),
    ObservationField("carried_n", (1,), MAX_BYTE, "n of the costs of the card played last"),
)

_WAITING_FIELDS: Final = (
    *_text_fields("pending", MAX_PENDING, "texts that wait for their turn (§8.5)"),
    _place("pending_self", MAX_PENDING, "the card itself"),
    _place("pending_trigger", MAX_PENDING, "the card that the event concerned"),
    _place("pending_granter", MAX_PENDING, "the card that has granted the text"),
    _seat("pending_actor", MAX_PENDING, "seat + 1 of the player whose deed the event is"),
    ObservationField("pending_is_text", (MAX_PENDING,), 1, "success or failure text (§9.3)"),
    *_text_fields("delay", MAX_DELAYS, "delayed effects"),
    _place("delay_self", MAX_DELAYS, "the card itself"),
    _seat("delay_user", MAX_DELAYS, "seat + 1 of the player who uses it"),
    ObservationField(
        "delay_moment",
        (MAX_DELAYS,),
        MAX_BYTE,
        "what it waits for: 1 + place in MOMENT_WORDS, then in EVENT_WORDS; 255: its turn",
    ),
    ObservationField(
        "delay_lasts", (MAX_DELAYS,), LASTS_FOREVER, "until when: mission, turn, -, it happens"
    ),
    ObservationField("delay_n", (MAX_DELAYS,), MAX_BYTE, "the number n of the text"),
)

_LASTING_FIELDS: Final = (
    *_text_fields("standing", MAX_STANDING, "rules for a while"),
    _place("standing_self", MAX_STANDING, "the card itself"),
    _seat("standing_user", MAX_STANDING, "seat + 1 of the player whose rule it is"),
    ObservationField("standing_lasts", (MAX_STANDING,), LASTS_FOREVER, "until when: mission, turn"),
    ObservationField(
        "modifier_verb",
        (MAX_MODIFIERS,),
        len(op.VERB_NUMBERS),
        "changes of single cards: verb of EFFECTS.md, 1 + place in VERBS; 0: none",
    ),
    ObservationField("modifier_sign", (MAX_MODIFIERS,), 2, "+, - or ="),
    ObservationField(
        "modifier_amount", (MAX_MODIFIERS,), MAX_BYTE, "by how much, or to what; + 128"
    ),
    ObservationField(
        "modifier_lasts",
        (MAX_MODIFIERS,),
        LASTS_FOREVER,
        "until when: mission, turn, its source leaves play, the card does",
    ),
    _place(
        "modifier_target",
        MAX_MODIFIERS,
        "the card; without a seat 1 to 3: complications, next mission, continuing; "
        "4 + k: complication k",
    ),
    ObservationField(
        "modifier_card", (MAX_MODIFIERS, CARD_BYTES), MAX_BYTE, "its source: which card it is"
    ),
    _place("modifier_source", MAX_MODIFIERS, "its source, if it lies openly"),
    ObservationField("mark_state", (MAX_MARKS,), MARK_IS_GONE, "marks: 1 card in play, 2 gone"),
    _place("mark_maker", MAX_MARKS, "the card that remembers"),
    _place("mark_target", MAX_MARKS, "the card that it remembers"),
    ObservationField("mark_card", (MAX_MARKS, CARD_BYTES), MAX_BYTE, "which card that is"),
)

_TABLE_FIELDS: Final = (
    *_TURN_FIELDS,
    *_MISSION_FIELDS,
    *_TEXT_FIELDS,
    *_WAITING_FIELDS,
    *_LASTING_FIELDS,
)


def _player_fields(num_seats: int) -> Fields:
    """What there is once for each seat."""
    seats = (num_seats,)
    return (
        ObservationField("current_seat", seats, 1, "seat of the player who decides"),
        ObservationField("hero_seat", seats, 1, "seat of the hero player (§6)"),
        ObservationField("villain_seat", seats, 1, "seat of the villain player"),
        ObservationField("first_seat", seats, 1, "seat of the player who began"),
        ObservationField("priority_seat", seats, 1, "seat of the player who acts next (§8)"),
        ObservationField("battle_seat", seats, 1, "seat of the winner of the ship battle"),
        ObservationField("winner_seat", seats, 1, "seat of the winner of the game"),
        ObservationField("power", seats, MAX_BYTE, "each seat: unspent power"),
        ObservationField("victory_total", seats, MAX_BYTE, "each seat: VT (§10)"),
        ObservationField("glyphs", seats, MAX_BYTE, "each seat: glyphs (W1)"),
        ObservationField("experience", seats, MAX_BYTE, "each seat: experience (W2)"),
        ObservationField("villain_score", seats, MAX_BYTE, "each seat: villain score (W3)"),
        ObservationField("firepower_total", seats, MAX_BYTE, "each seat: assigned ships (§9.1)"),
        ObservationField("hand_count", seats, MAX_BYTE, "each seat: cards in hand"),
        ObservationField("deck_count", seats, MAX_BYTE, "each seat: cards in the deck"),
        ObservationField("missions_count", seats, MAX_BYTE, "each seat: mission pile"),
        ObservationField("played_count", seats, MAX_BYTE, "each seat: cards played this turn"),
        ObservationField("skipped_turns", seats, MAX_BYTE, "each seat: turns it will not have"),
    )


def _place_fields(num_seats: int) -> Fields:
    """The rows: what there is once for each list place."""
    rows = (num_seats, LIST_SIZE)
    return (
        ObservationField("card", (*rows, CARD_BYTES), MAX_BYTE, "each list place: its card"),
        ObservationField("zone", rows, NUM_ZONES - 1, "zone, in the order of ZONES; 0: hidden"),
        ObservationField(
            "condition",
            rows,
            NUM_CONDITIONS - 1,
            "in a row: ready, assigned, stopped, incapacitated",
        ),
        ObservationField("blocked", rows, 1, "cannot be assigned (§3.3)"),
        ObservationField("tokens", rows, MAX_BYTE, "promotion tokens"),
        ObservationField("host_seat", rows, num_seats, "card above: seat of its owner + 1"),
        ObservationField("host_place", rows, LIST_SIZE, "card above: its list place + 1"),
        ObservationField(
            "rating",
            (*rows, NUM_SKILLS),
            MAX_BYTE,
            "in play: current rating in each skill + 1; 0: absent (N1)",
        ),
        ObservationField("cost", rows, MAX_BYTE, "in hand: power to play it now + 1; 0: none"),
        ObservationField(
            "revive_cost", rows, MAX_BYTE, "adversary in play: current revive cost + 1"
        ),
        ObservationField("firepower", rows, MAX_BYTE, "ship in play: current firepower + 1"),
        ObservationField(
            "used", rows, MAX_BYTE, "once-a-turn abilities used: bit k for clause k + 1"
        ),
        ObservationField("facts", rows, (1 << len(FACTS)) - 1, f"bits, from 0: {', '.join(FACTS)}"),
        ObservationField("depth", rows, MAX_BYTE, "in a pile: place from the top, from 1"),
        ObservationField("slot", rows, MAX_COMPLICATIONS, "as complication: which, from 1"),
        ObservationField(
            "exposed", rows, (1 << num_seats) - 1, "own hidden card: bit k if seat k knows it"
        ),
        *_question_fields(rows),
    )


def _question_fields(rows: tuple[int, int]) -> Fields:
    """The columns about the question and the texts; in sets, bit k is entry k of the list."""
    return (
        ObservationField("candidate", rows, MAX_BYTE, "bit k: can be chosen for text k"),
        ObservationField("chosen", rows, MAX_BYTE, "bit k: has been chosen for text k"),
        ObservationField("that", rows, MAX_BYTE, 'bit k: text k calls it "that"'),
        ObservationField("seen", rows, MAX_BYTE, "bit k: was looked at for text k"),
        ObservationField(
            "delayed", (*rows, DELAYED_BYTES), MAX_BYTE, 'bit k: delayed effect k calls it "that"'
        ),
        ObservationField("is_source", rows, 1, "the question is about this card's text or fate"),
        ObservationField("is_trigger", rows, 1, "the event of the text concerned this card"),
        ObservationField("pending", rows, MAX_BYTE, "texts of this card that wait (§8.5)"),
        ObservationField("marked", rows, 1, "a card remembers this one"),
    )


def observation_layout(num_seats: int) -> ObservationLayout:
    """The layout for games of up to `num_seats` players."""
    return ObservationLayout(
        (*_TABLE_FIELDS, *_player_fields(num_seats), *_place_fields(num_seats))
    )


OBSERVATION: Final = observation_layout(MIN_PLAYERS)
OBSERVATION_6: Final = observation_layout(MAX_PLAYERS)  # three to six players

# --- where they begin ----------------------------------------------------------------------------

AT_PROMPT: Final = OBSERVATION.first("prompt")
AT_PHASE: Final = OBSERVATION.first("phase")
AT_NUM_PLAYERS: Final = OBSERVATION.first("num_players")
AT_END_REASONS: Final = OBSERVATION.first("end_reasons")
AT_IS_TRUNCATED: Final = OBSERVATION.first("is_truncated")
AT_TURNS: Final = OBSERVATION.first("turns")
AT_PASSES: Final = OBSERVATION.first("passes")
AT_ACTIONS_HERE: Final = OBSERVATION.first("actions_here")
AT_MISSIONS_PLAYED: Final = OBSERVATION.first("missions_played")
AT_FAILURES: Final = OBSERVATION.first("failures")
AT_SUCCESSES: Final = OBSERVATION.first("successes")
AT_EARNED: Final = OBSERVATION.first("earned")
AT_MUST_CONTINUE: Final = OBSERVATION.first("must_continue")
AT_CONTINUE_COST: Final = OBSERVATION.first("continue_cost")
AT_CURRENT_MISSION: Final = OBSERVATION.first("current_mission")
AT_JUDGED: Final = OBSERVATION.first("judged")
AT_RESOLVING: Final = OBSERVATION.first("resolving")
AT_HAS_SUCCEEDED: Final = OBSERVATION.first("has_succeeded")
AT_REQUIRED_SKILL: Final = OBSERVATION.first("required_skill")
AT_DIFFICULTY: Final = OBSERVATION.first("difficulty")
AT_HERO_TOTAL: Final = OBSERVATION.first("hero_total")
AT_COMPLICATION_COST: Final = OBSERVATION.first("complication_cost")
AT_SLOT_OWNER: Final = OBSERVATION.first("slot_owner")
AT_SLOT_DIFFICULTY: Final = OBSERVATION.first("slot_difficulty")
AT_TEXT_CARD: Final = OBSERVATION.first("text_card")
AT_TEXT_CLAUSE: Final = OBSERVATION.first("text_clause")
AT_TEXT_STEP: Final = OBSERVATION.first("text_step")
AT_TEXT_SELF: Final = OBSERVATION.first("text_self")
AT_TEXT_TRIGGER: Final = OBSERVATION.first("text_trigger")
AT_TEXT_EACH: Final = OBSERVATION.first("text_each")
AT_TEXT_GRANTER: Final = OBSERVATION.first("text_granter")
AT_TEXT_HOLDER: Final = OBSERVATION.first("text_holder")
AT_TEXT_USER: Final = OBSERVATION.first("text_user")
AT_TEXT_BY: Final = OBSERVATION.first("text_by")
AT_TEXT_ACTOR: Final = OBSERVATION.first("text_actor")
AT_TEXT_N: Final = OBSERVATION.first("text_n")
AT_TEXT_SYMBOL: Final = OBSERVATION.first("text_symbol")
AT_TEXT_DONE: Final = OBSERVATION.first("text_done")
AT_LEAST: Final = OBSERVATION.first("least")
AT_MOST: Final = OBSERVATION.first("most")
AT_LIMIT: Final = OBSERVATION.first("limit")
AT_CARRIED_N: Final = OBSERVATION.first("carried_n")
AT_PENDING_CARD: Final = OBSERVATION.first("pending_card")
AT_PENDING_CLAUSE: Final = OBSERVATION.first("pending_clause")
AT_PENDING_STEP: Final = OBSERVATION.first("pending_step")
AT_PENDING_SELF: Final = OBSERVATION.first("pending_self")
AT_PENDING_TRIGGER: Final = OBSERVATION.first("pending_trigger")
AT_PENDING_GRANTER: Final = OBSERVATION.first("pending_granter")
AT_PENDING_ACTOR: Final = OBSERVATION.first("pending_actor")
AT_PENDING_IS_TEXT: Final = OBSERVATION.first("pending_is_text")
AT_DELAY_CARD: Final = OBSERVATION.first("delay_card")
AT_DELAY_CLAUSE: Final = OBSERVATION.first("delay_clause")
AT_DELAY_STEP: Final = OBSERVATION.first("delay_step")
AT_DELAY_SELF: Final = OBSERVATION.first("delay_self")
AT_DELAY_USER: Final = OBSERVATION.first("delay_user")
AT_DELAY_MOMENT: Final = OBSERVATION.first("delay_moment")
AT_DELAY_LASTS: Final = OBSERVATION.first("delay_lasts")
AT_DELAY_N: Final = OBSERVATION.first("delay_n")
AT_STANDING_CARD: Final = OBSERVATION.first("standing_card")
AT_STANDING_CLAUSE: Final = OBSERVATION.first("standing_clause")
AT_STANDING_STEP: Final = OBSERVATION.first("standing_step")
AT_STANDING_SELF: Final = OBSERVATION.first("standing_self")
AT_STANDING_USER: Final = OBSERVATION.first("standing_user")
AT_STANDING_LASTS: Final = OBSERVATION.first("standing_lasts")
AT_MODIFIER_VERB: Final = OBSERVATION.first("modifier_verb")
AT_MODIFIER_SIGN: Final = OBSERVATION.first("modifier_sign")
AT_MODIFIER_AMOUNT: Final = OBSERVATION.first("modifier_amount")
AT_MODIFIER_LASTS: Final = OBSERVATION.first("modifier_lasts")
AT_MODIFIER_TARGET: Final = OBSERVATION.first("modifier_target")
AT_MODIFIER_CARD: Final = OBSERVATION.first("modifier_card")
AT_MODIFIER_SOURCE: Final = OBSERVATION.first("modifier_source")
AT_MARK_STATE: Final = OBSERVATION.first("mark_state")
AT_MARK_MAKER: Final = OBSERVATION.first("mark_maker")
AT_MARK_TARGET: Final = OBSERVATION.first("mark_target")
AT_MARK_CARD: Final = OBSERVATION.first("mark_card")
SEATS_START: Final = OBSERVATION.first("current_seat")


def per_seat(name: str) -> int:
    """Where a field by seats begins behind SEATS_START, for each seat of the layout."""
    return (OBSERVATION.first(name) - SEATS_START) // MIN_PLAYERS


BY_CURRENT_SEAT: Final = per_seat("current_seat")
BY_HERO_SEAT: Final = per_seat("hero_seat")
BY_VILLAIN_SEAT: Final = per_seat("villain_seat")
BY_FIRST_SEAT: Final = per_seat("first_seat")
BY_PRIORITY_SEAT: Final = per_seat("priority_seat")
BY_BATTLE_SEAT: Final = per_seat("battle_seat")
BY_WINNER_SEAT: Final = per_seat("winner_seat")
BY_POWER: Final = per_seat("power")
BY_VICTORY_TOTAL: Final = per_seat("victory_total")
BY_GLYPHS: Final = per_seat("glyphs")
BY_EXPERIENCE: Final = per_seat("experience")
BY_VILLAIN_SCORE: Final = per_seat("villain_score")
BY_FIREPOWER_TOTAL: Final = per_seat("firepower_total")
BY_HAND_COUNT: Final = per_seat("hand_count")
BY_DECK_COUNT: Final = per_seat("deck_count")
BY_MISSIONS_COUNT: Final = per_seat("missions_count")
BY_PLAYED_COUNT: Final = per_seat("played_count")
BY_SKIPPED_TURNS: Final = per_seat("skipped_turns")
BY_CARD: Final = per_seat("card")
BY_ZONE: Final = per_seat("zone")
BY_CONDITION: Final = per_seat("condition")
BY_BLOCKED: Final = per_seat("blocked")
BY_TOKENS: Final = per_seat("tokens")
BY_HOST_SEAT: Final = per_seat("host_seat")
BY_HOST_PLACE: Final = per_seat("host_place")
BY_RATING: Final = per_seat("rating")
BY_COST: Final = per_seat("cost")
BY_REVIVE_COST: Final = per_seat("revive_cost")
BY_FIREPOWER: Final = per_seat("firepower")
BY_USED: Final = per_seat("used")
BY_FACTS: Final = per_seat("facts")
BY_DEPTH: Final = per_seat("depth")
BY_SLOT: Final = per_seat("slot")
BY_EXPOSED: Final = per_seat("exposed")
BY_CANDIDATE: Final = per_seat("candidate")
BY_CHOSEN: Final = per_seat("chosen")
BY_THAT: Final = per_seat("that")
BY_SEEN: Final = per_seat("seen")
BY_DELAYED: Final = per_seat("delayed")
BY_IS_SOURCE: Final = per_seat("is_source")
BY_IS_TRIGGER: Final = per_seat("is_trigger")
BY_PENDING: Final = per_seat("pending")
BY_MARKED: Final = per_seat("marked")
