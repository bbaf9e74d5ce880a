"""What one player sees, as a vector of bytes.

Seats are relative, so that one policy can play every seat: seat 0 is the player who looks, seat k
sits k places further to the left. Every place of every list is a row: its card, where it lies and
what holds for it now; fields with an axis of `LIST_SIZE` are the columns of these rows. Rows that
tell nothing are zero. Nothing is in it that the player cannot know: cards that lie hidden have a
row by a free place (`naming.py`), and hidden cards that he does not know have no zone.

Cards are written as their number in the pool + 1 in two bytes, low and high, 0 for none: row 256 *
high + low of `features.card_features`. `view.decode` turns a vector back into words.

Section numbers refer to RULES.md; `r` is the RULES record, `s` the STATE record.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tabletop_core.bits import U, has
from tabletop_core.game import ObservationField, ObservationLayout
from tabletop_core.jit import inline_kernel, kernel, separate_kernel

from .derived import cost_to_complicate, cost_to_play, difficulty, hero_total, refresh, revive_cost
from .evaluate import firepower_of
from .legal import clear_scratch
from .naming import depth_of, shown_as, slot_of
from .rules import cost_to_continue
from .sizes import ADVERSARY, LIST_SIZE, NO_RATING, NO_SKILL, NUM_SKILLS, SHIP
from .state import (
    ASK_ABILITY,
    ASK_FATE,
    ASK_TARGET,
    ATTACHED,
    BLOCKADED,
    COMPLICATION,
    DECK,
    FIRST_DECK_CARD,
    GLYPH,
    HAND,
    MAX_COMPLICATIONS,
    MAX_DELAYS,
    MAX_KINDS,
    MAX_PLAYERS,
    MAX_STANDING,
    MIN_PLAYERS,
    MISSIONS,
    NO_CARD,
    NO_SEAT,
    NUM_ZONES,
    PHASES,
    PLAY,
    PROMPTS,
    SEAT_STRIDE,
    TUCKED,
)
from .table import (
    contains,
    count_experience,
    count_glyphs,
    count_villain_score,
    current_rating,
    first_of,
    hand_size,
    in_play_word,
    knows,
    next_of,
    one_seat,
    owner_of,
    type_of,
    villain_of,
)

MAX_BYTE: Final = 255
CARD_BYTES: Final = 2  # low, high
NUM_CONDITIONS: Final = 4

# --- layout ----------------------------------------------------------------------------------

# Fields that are the same for any number of seats.
_TABLE_FIELDS: Final = (
    ObservationField("prompt", (len(PROMPTS),), 1, "what is being decided"),
    ObservationField("phase", (len(PHASES),), 1, "phase of the turn"),
    ObservationField(
        "num_players", (MAX_PLAYERS - MIN_PLAYERS + 1,), 1, "number of players: 2 to 6"
    ),
    ObservationField("turns", (1,), MAX_BYTE, "finished turns; 255 stands for 255 and more"),
    ObservationField("passes", (1,), 2, "passes in a row (§8)"),
    ObservationField("actions_here", (1,), MAX_BYTE, "actions at this mission (§8.5)"),
    ObservationField("missions_played", (1,), MAX_BYTE, "missions played this turn"),
    ObservationField("failures", (1,), MAX_BYTE, "missions failed this turn"),
    ObservationField(
        "successes", (NUM_SKILLS,), MAX_BYTE, "missions of each skill succeeded this turn"
    ),
    ObservationField("has_succeeded", (1,), 1, "the current mission has succeeded (§9.2)"),
    ObservationField(
        "required_skill", (NUM_SKILLS,), 1, "skill that the current mission requires now"
    ),
    ObservationField("difficulty", (1,), MAX_BYTE, "total difficulty of the mission (N7)"),
    ObservationField("hero_total", (1,), MAX_BYTE, "total of the assigned characters (N8)"),
    ObservationField("complication_cost", (1,), MAX_BYTE, "power that the next one costs (§8.2)"),
    ObservationField("continue_cost", (1,), MAX_BYTE, "power that a further mission costs (§9.6)"),
    ObservationField("text_card", (CARD_BYTES,), MAX_BYTE, "card of the text under way"),
    ObservationField("text_clause", (1,), MAX_BYTE, "which of its clauses, from 1"),
    ObservationField("least", (1,), MAX_BYTE, "cards that one must choose in all"),
    ObservationField("most", (1,), MAX_BYTE, "cards that one may choose in all"),
    ObservationField(
        "delay_card", (MAX_DELAYS, CARD_BYTES), MAX_BYTE, "delayed effects: card of the text"
    ),
    ObservationField("delay_clause", (MAX_DELAYS,), MAX_BYTE, "its clause, from 1"),
    ObservationField(
        "standing_card", (MAX_STANDING, CARD_BYTES), MAX_BYTE, "rules for a while: card of the text"
    ),
    ObservationField("standing_clause", (MAX_STANDING,), MAX_BYTE, "its clause, from 1"),
    ObservationField(
        "slot_owner",
        (MAX_COMPLICATIONS,),
        MAX_PLAYERS,
        "complications in the order of play: seat of the owner + 1; 0: none",
    ),
    ObservationField("slot_difficulty", (MAX_COMPLICATIONS,), MAX_BYTE, "what it adds"),
)


def observation_layout(num_seats: int) -> ObservationLayout:
    """The layout for games of up to `num_seats` players."""
    seats = (num_seats,)
    rows = (num_seats, LIST_SIZE)
    return ObservationLayout(
        (
            *_TABLE_FIELDS,
            # players
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
            ObservationField("hand_count", seats, MAX_BYTE, "each seat: cards in hand"),
            ObservationField("deck_count", seats, MAX_BYTE, "each seat: cards in the deck"),
            ObservationField("missions_count", seats, MAX_BYTE, "each seat: mission pile"),
            # list places
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
            ObservationField("depth", rows, MAX_BYTE, "in a pile: place from the top, from 1"),
            ObservationField("slot", rows, MAX_COMPLICATIONS, "as complication: which, from 1"),
            ObservationField("exposed", rows, 1, "own hidden card that somebody else knows"),
            ObservationField("candidate", rows, 1, "can be chosen for the text under way"),
            ObservationField("chosen", rows, 1, "has been chosen for it"),
            ObservationField(
                "is_source", rows, 1, "the question is about this card's text or fate"
            ),
            ObservationField("is_trigger", rows, 1, "the event of the text concerned this card"),
            ObservationField("pending", rows, MAX_BYTE, "texts of this card that wait (§8.5)"),
            ObservationField("marked", rows, 1, "a card remembers this one"),
        )
    )


OBSERVATION: Final = observation_layout(MIN_PLAYERS)
OBSERVATION_6: Final = observation_layout(MAX_PLAYERS)  # three to six players

AT_PROMPT: Final = OBSERVATION.first("prompt")
AT_PHASE: Final = OBSERVATION.first("phase")
AT_NUM_PLAYERS: Final = OBSERVATION.first("num_players")
AT_TURNS: Final = OBSERVATION.first("turns")
AT_PASSES: Final = OBSERVATION.first("passes")
AT_ACTIONS_HERE: Final = OBSERVATION.first("actions_here")
AT_MISSIONS_PLAYED: Final = OBSERVATION.first("missions_played")
AT_FAILURES: Final = OBSERVATION.first("failures")
AT_SUCCESSES: Final = OBSERVATION.first("successes")
AT_HAS_SUCCEEDED: Final = OBSERVATION.first("has_succeeded")
AT_REQUIRED_SKILL: Final = OBSERVATION.first("required_skill")
AT_DIFFICULTY: Final = OBSERVATION.first("difficulty")
AT_HERO_TOTAL: Final = OBSERVATION.first("hero_total")
AT_COMPLICATION_COST: Final = OBSERVATION.first("complication_cost")
AT_CONTINUE_COST: Final = OBSERVATION.first("continue_cost")
AT_TEXT_CARD: Final = OBSERVATION.first("text_card")
AT_TEXT_CLAUSE: Final = OBSERVATION.first("text_clause")
AT_LEAST: Final = OBSERVATION.first("least")
AT_MOST: Final = OBSERVATION.first("most")
AT_DELAY_CARD: Final = OBSERVATION.first("delay_card")
AT_DELAY_CLAUSE: Final = OBSERVATION.first("delay_clause")
AT_STANDING_CARD: Final = OBSERVATION.first("standing_card")
AT_STANDING_CLAUSE: Final = OBSERVATION.first("standing_clause")
AT_SLOT_OWNER: Final = OBSERVATION.first("slot_owner")
AT_SLOT_DIFFICULTY: Final = OBSERVATION.first("slot_difficulty")
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
BY_HAND_COUNT: Final = per_seat("hand_count")
BY_DECK_COUNT: Final = per_seat("deck_count")
BY_MISSIONS_COUNT: Final = per_seat("missions_count")
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
BY_DEPTH: Final = per_seat("depth")
BY_SLOT: Final = per_seat("slot")
BY_EXPOSED: Final = per_seat("exposed")
BY_CANDIDATE: Final = per_seat("candidate")
BY_CHOSEN: Final = per_seat("chosen")
BY_IS_SOURCE: Final = per_seat("is_source")
BY_IS_TRIGGER: Final = per_seat("is_trigger")
BY_PENDING: Final = per_seat("pending")
BY_MARKED: Final = per_seat("marked")


# --- kernels ---------------------------------------------------------------------------------


@separate_kernel
def observe(r: Any, s: Any, player: Any, observation: Any) -> None:
    """Fill `observation`, uint8 [layout size], with what `player` knows."""
    observation[:] = 0
    refresh(r, s)
    write_turn(r, s, observation)
    write_mission(r, s, observation)
    write_texts(r, s, player, observation)
    write_slots(s, player, observation)
    write_seats(r, s, player, observation)
    for seat in range(np.int64(s.num_players)):
        write_list(r, s, player, seat, observation)
    write_question(r, s, player, observation)
    clear_scratch(s)


@separate_kernel
def write_turn(r: Any, s: Any, observation: Any) -> None:
    """§7: where in the turn the game is."""
    put(observation, AT_PROMPT + np.int64(s.prompt), 1)
    put(observation, AT_PHASE + np.int64(s.phase), 1)
    put(observation, AT_NUM_PLAYERS + np.int64(s.num_players) - MIN_PLAYERS, 1)
    put(observation, AT_TURNS, s.turn_count)
    put(observation, AT_PASSES, s.passes)
    put(observation, AT_ACTIONS_HERE, s.actions_here)
    put(observation, AT_MISSIONS_PLAYED, s.missions_played)
    put(observation, AT_FAILURES, s.fail_turn)
    for skill in range(NUM_SKILLS):
        put(observation, AT_SUCCESSES + skill, s.success_turn[skill])
    put(observation, AT_CONTINUE_COST, cost_to_continue(s))


@separate_kernel
def write_mission(r: Any, s: Any, observation: Any) -> None:
    """N7, N8: the current mission."""
    if s.current == NO_CARD:
        return
    put(observation, AT_HAS_SUCCEEDED, s.succeeded)
    if s.skill_now != NO_SKILL:
        put(observation, AT_REQUIRED_SKILL + np.int64(s.skill_now), 1)
    put(observation, AT_DIFFICULTY, difficulty(r, s))
    put(observation, AT_HERO_TOTAL, hero_total(r, s))
    put(observation, AT_COMPLICATION_COST, cost_to_complicate(s))


@separate_kernel
def write_texts(r: Any, s: Any, player: Any, observation: Any) -> None:
    """The text under way, and those that are kept for later or for a while."""
    if s.frame_count > 0:
        frame = np.int64(s.frame_count) - 1
        write_text(r, np.int64(s.frame_address[frame]), AT_TEXT_CARD, AT_TEXT_CLAUSE, observation)
        if s.prompt == ASK_TARGET and player == s.current_player:
            put(observation, AT_LEAST, s.frame_least[frame])
            put(observation, AT_MOST, s.frame_most[frame])
    for k in range(MAX_DELAYS):
        if s.delay_moment[k] != 0:
            card = AT_DELAY_CARD + CARD_BYTES * k
            write_text(r, np.int64(s.delay_address[k]), card, AT_DELAY_CLAUSE + k, observation)
    for k in range(np.int64(s.standing_count)):
        card = AT_STANDING_CARD + CARD_BYTES * k
        write_text(r, np.int64(s.standing_address[k]), card, AT_STANDING_CLAUSE + k, observation)


@kernel
def write_text(r: Any, address: Any, card: Any, clause: Any, observation: Any) -> None:
    """Card and number of the clause to whose program an address belongs."""
    index = last_at_most(r.clause_start, np.int64(r.first_granted), address)
    while index > 0 and r.clause_start[index - 1] == r.clause_start[index]:
        index -= 1  # one clause of several events
    kind = last_at_most(r.first_clause, MAX_KINDS, index)
    put_card(observation, card, np.int64(r.number[kind]) + 1)
    put(observation, clause, index - np.int64(r.first_clause[kind]) + 1)


@separate_kernel
def last_at_most(values: Any, count: Any, limit: Any) -> Any:
    """Index of the last of `count` ascending numbers that is not above a limit."""
    low = np.int64(0)
    high = np.int64(count)
    while high - low > 1:
        middle = (low + high) // 2
        if np.int64(values[middle]) <= limit:
            low = middle
        else:
            high = middle
    return low


@kernel
def write_slots(s: Any, player: Any, observation: Any) -> None:
    """§8.2: complications, known or not."""
    for k in range(np.int64(s.complication_count)):
        card = np.int64(s.complications[k])
        put(observation, AT_SLOT_OWNER + k, seat_of(s, owner_of(card), player) + 1)
        put(observation, AT_SLOT_DIFFICULTY + k, max(np.int64(0), 1 + np.int64(s.plus[card])))


@separate_kernel
def write_seats(r: Any, s: Any, player: Any, observation: Any) -> None:
    """§6, §10: who does what, and the tallies of each player."""
    put_seat(s, player, np.int64(s.current_player), BY_CURRENT_SEAT, observation)
    put_seat(s, player, np.int64(s.hero), BY_HERO_SEAT, observation)
    put_seat(s, player, villain_of(s), BY_VILLAIN_SEAT, observation)
    put_seat(s, player, np.int64(s.first_player), BY_FIRST_SEAT, observation)
    put_seat(s, player, np.int64(s.priority), BY_PRIORITY_SEAT, observation)
    put_seat(s, player, np.int64(s.battle_winner), BY_BATTLE_SEAT, observation)
    put_seat(s, player, np.int64(s.winner), BY_WINNER_SEAT, observation)
    for owner in range(np.int64(s.num_players)):
        seat = seat_of(s, owner, player)
        put(observation, at(s, BY_POWER) + seat, s.power[owner])
        put(observation, at(s, BY_VICTORY_TOTAL) + seat, s.victory_total[owner])
        put(observation, at(s, BY_GLYPHS) + seat, count_glyphs(s, owner))
        put(observation, at(s, BY_EXPERIENCE) + seat, count_experience(r, s, owner))
        put(observation, at(s, BY_VILLAIN_SCORE) + seat, count_villain_score(r, s, owner))
        put(observation, at(s, BY_HAND_COUNT) + seat, hand_size(s, owner))
        put(observation, at(s, BY_DECK_COUNT) + seat, s.deck_size[owner])
        put(observation, at(s, BY_MISSIONS_COUNT) + seat, s.missions_size[owner])


@kernel
def write_list(r: Any, s: Any, player: Any, owner: Any, observation: Any) -> None:
    """The cards of a list, as far as the player knows them (§3.1)."""
    first = owner * SEAT_STRIDE
    for card in range(first, first + np.int64(r.deck_length[s.deck_number[owner]])):
        if owner == player or knows(s, player, card):
            shown = shown_as(r, s, player, card)
            write_place(r, s, player, card, shown, observation)
        if owner != player and r.open_lists:
            write_identity(r, s, player, card, card, observation)


@separate_kernel
def write_place(r: Any, s: Any, player: Any, card: Any, shown: Any, observation: Any) -> None:
    """Where a card lies and what holds for it, in the row of the number by which it is called."""
    write_identity(r, s, player, card, shown, observation)
    row = row_of(s, player, shown)
    if not knows(s, player, card):  # in one of the own piles
        is_mission = card % SEAT_STRIDE < FIRST_DECK_CARD
        put(observation, at(s, BY_ZONE) + row, MISSIONS if is_mission else DECK)
        return
    zone = np.int64(s.zone[card])
    put(observation, at(s, BY_ZONE) + row, zone)
    others = ~one_seat(player)
    is_hidden = not contains(s.named, card) and owner_of(card) == player
    if is_hidden and np.int64(s.known[card]) & others != 0:
        put(observation, at(s, BY_EXPOSED) + row, 1)
    if zone in (DECK, MISSIONS):
        put(observation, at(s, BY_DEPTH) + row, depth_of(s, card) + 1)
    elif zone == COMPLICATION:
        put(observation, at(s, BY_SLOT) + row, slot_of(s, card) + 1)
    elif zone == HAND:
        write_cost(r, s, card, row, observation)
    elif zone in (GLYPH, TUCKED, ATTACHED, BLOCKADED):
        write_host(r, s, player, card, row, observation)
    if is_not_ignored(s, card):
        write_numbers(r, s, card, row, observation)
    if zone == PLAY:
        put(observation, at(s, BY_CONDITION) + row, s.condition[card])
        put(observation, at(s, BY_TOKENS) + row, s.tokens[card])


@inline_kernel
def write_identity(r: Any, s: Any, player: Any, card: Any, shown: Any, observation: Any) -> None:
    """Which card it is."""
    row = row_of(s, player, shown)
    number = np.int64(r.number[s.kind[card]]) + 1
    put_card(observation, at(s, BY_CARD) + CARD_BYTES * row, number)


@kernel
def write_cost(r: Any, s: Any, card: Any, row: Any, observation: Any) -> None:
    """§8: what it costs now to play a card of a hand, for its owner's role."""
    owner = owner_of(card)
    is_hero_card = contains(s.hero_side, card)
    is_of_role = is_hero_card and owner == s.hero or not is_hero_card and owner == villain_of(s)
    if is_of_role and r.cost[s.kind[card]] >= 0:
        put(observation, at(s, BY_COST) + row, cost_to_play(r, s, card) + 1)


@kernel
def write_host(r: Any, s: Any, player: Any, card: Any, row: Any, observation: Any) -> None:
    """The card above a card."""
    host = np.int64(s.host[card])
    if host != NO_CARD:
        put(observation, at(s, BY_HOST_SEAT) + row, seat_of(s, owner_of(host), player) + 1)
        place = shown_as(r, s, player, host) % SEAT_STRIDE
        put(observation, at(s, BY_HOST_PLACE) + row, place + 1)


@inline_kernel
def is_not_ignored(s: Any, card: Any) -> Any:
    """Whether a card is in play and not ignored this turn (§6)."""
    return has(in_play_word(s, card >> 6), card & 63)


@separate_kernel
def write_numbers(r: Any, s: Any, card: Any, row: Any, observation: Any) -> None:
    """N1-N5: what holds now for a card in play that is not ignored."""
    for skill in range(NUM_SKILLS):
        rating = current_rating(s, card, skill)
        if rating != NO_RATING:
            put(observation, at(s, BY_RATING) + NUM_SKILLS * row + skill, rating + 1)
    card_type = type_of(r, s, card)
    if card_type == ADVERSARY:
        put(observation, at(s, BY_REVIVE_COST) + row, revive_cost(r, s, card) + 1)
    elif card_type == SHIP:
        put(observation, at(s, BY_FIREPOWER) + row, firepower_of(r, s, card) + 1)
    put(observation, at(s, BY_BLOCKED) + row, contains(s.blocked, card))
    put(observation, at(s, BY_USED) + row, s.used[card])


@separate_kernel
def write_question(r: Any, s: Any, player: Any, observation: Any) -> None:
    """§13: the cards that the pending question is about, and those whose texts wait."""
    if s.frame_count > 0:
        frame = np.int64(s.frame_count) - 1
        add_to_row(r, s, player, np.int64(s.frame_self[frame]), BY_IS_SOURCE, observation)
        add_to_row(r, s, player, np.int64(s.frame_trigger[frame]), BY_IS_TRIGGER, observation)
        if player == s.current_player and s.prompt == ASK_TARGET:
            add_to_rows(r, s, player, s.frame_candidates[frame], BY_CANDIDATE, observation)
            add_to_rows(r, s, player, s.frame_chosen[frame], BY_CHOSEN, observation)
    elif s.prompt == ASK_FATE:
        add_to_row(r, s, player, np.int64(s.judged), BY_IS_SOURCE, observation)
    elif s.prompt == ASK_ABILITY:
        add_to_row(r, s, player, np.int64(s.resolving), BY_IS_SOURCE, observation)
    for k in range(np.int64(s.pending_count)):
        add_to_row(r, s, player, np.int64(s.pending_self[k]), BY_PENDING, observation)
    for k in range(np.int64(s.mark_count)):
        row = row_of_shown(r, s, player, np.int64(s.mark_card[k]))
        if row >= 0 and s.mark_is_gone[k] == 0:
            put(observation, at(s, BY_MARKED) + row, 1)


@kernel
def add_to_rows(r: Any, s: Any, player: Any, words: Any, field: Any, observation: Any) -> None:
    """Count 1 in the rows of the cards of a set."""
    card = first_of(words)
    while card != NO_CARD:
        add_to_row(r, s, player, card, field, observation)
        card = next_of(words, card)


@kernel
def add_to_row(r: Any, s: Any, player: Any, card: Any, field: Any, observation: Any) -> None:
    """Count 1 in the row of a card, if the player sees the card."""
    row = row_of_shown(r, s, player, card)
    if row >= 0:
        observation[U(at(s, field) + row)] += np.uint8(1)


@kernel
def row_of_shown(r: Any, s: Any, player: Any, card: Any) -> Any:
    """The row of a card, or -1 if the player does not know where it is."""
    if card == NO_CARD:
        return np.int64(-1)
    if owner_of(card) == player or knows(s, player, card):
        return row_of(s, player, shown_as(r, s, player, card))
    return np.int64(-1)


# --- indices --------------------------------------------------------------------------------------


@inline_kernel
def at(s: Any, field: Any) -> Any:
    """Index of the first entry of a field by seats: `field` is one of BY_*."""
    return SEATS_START + field * s.power.shape[0]


@inline_kernel
def row_of(s: Any, player: Any, card: Any) -> Any:
    """Number of the row of a card number."""
    return seat_of(s, owner_of(card), player) * LIST_SIZE + card % SEAT_STRIDE


@inline_kernel
def seat_of(s: Any, other: Any, player: Any) -> Any:
    """Places to the left from `player` to `other`."""
    seat = other - player
    return seat if seat >= 0 else seat + np.int64(s.num_players)


@inline_kernel
def put_seat(s: Any, player: Any, other: Any, field: Any, observation: Any) -> None:
    """Mark a player's seat, if it is one."""
    if other != NO_SEAT:
        put(observation, at(s, field) + seat_of(s, other, player), 1)


@inline_kernel
def put_card(observation: Any, index: Any, number: Any) -> None:
    """Store a card number in two bytes."""
    observation[U(index)] = number & MAX_BYTE
    observation[U(index + 1)] = number >> 8


@inline_kernel
def put(observation: Any, index: Any, value: Any) -> None:
    """Store a small number; what is above a byte counts as 255."""
    observation[U(index)] = min(np.int64(value), np.int64(MAX_BYTE))
