"""What one player sees, as a vector of bytes.

Seats are relative, so that one policy can play every seat: seat 0 is the player who looks, seat k
sits k places further to the left. Every place of every list is a row: its card, where it lies and
what holds for it now; fields with an axis of `LIST_SIZE` are the columns of these rows. Rows that
tell nothing are zero. Nothing is in it that the player cannot know: cards that lie hidden have a
row by a free place (`naming.py`), and hidden cards that he does not know have no zone.

Cards are written as their number in the pool + 1 in two bytes, low and high, 0 for none: row 256 *
high + low of `features.card_features`. `observation_layout.py` is the table of all fields,
`view.decode` turns a vector back into words.

Section numbers refer to RULES.md; `r` is the RULES record, `s` the STATE record.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabletop_core.bits import NONE, WORD_BITS, U, has
from tabletop_core.jit import inline_kernel, kernel, separate_kernel

from . import observation_layout as fields
from .derived import cost_to_complicate, cost_to_play, difficulty, hero_total, refresh, revive_cost
from .evaluate import firepower_of
from .legal import clear_scratch
from .naming import depth_of, shown_as, slot_of
from .observation_layout import (
    BYTE_BITS,
    CARD_BYTES,
    DELAYED_BYTES,
    DISCARDED,
    FIRST_SLOT,
    IS_ADVERSARY,
    MARK_IS_GONE,
    MARK_STANDS,
    MAX_BYTE,
    PAID_WITH,
    PLACE_BYTES,
    PLAYED,
    SEATS_START,
    TEXTLESS,
    TOOK_PART,
    UNREVIVABLE,
    ZERO_AMOUNT,
)
from .resolving import firepower_total
from .rules import cost_to_continue
from .sizes import ADVERSARY, LIST_SIZE, NO_GLYPH, NO_RATING, NO_SKILL, NUM_SKILLS, SHIP
from .state import (
    ASK_ABILITY,
    ASK_DOMINION,
    ASK_FATE,
    ASK_NUMBER,
    ASK_TARGET,
    ATTACHED,
    BLOCKADED,
    COMPLICATION,
    DECK,
    END_REASONS,
    FIRST_DECK_CARD,
    FIRST_DELAY,
    GLYPH,
    HAND,
    MAX_DELAYS,
    MAX_FRAMES,
    MAX_KINDS,
    MAX_PENDING,
    MAX_STANDING,
    MIN_PLAYERS,
    MISSIONS,
    NO_CARD,
    NO_SEAT,
    PLAY,
    PLUS,
    SEAT_STRIDE,
    SEAT_WORDS,
    TUCKED,
)
from .table import (
    change_of,
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
    num_words,
    one_seat,
    owner_of,
    size_of,
    type_of,
    villain_of,
)
from .words import GRANT

# --- kernels ---------------------------------------------------------------------------------


@separate_kernel
def observe(r: Any, s: Any, player: Any, observation: Any) -> None:
    """Fill `observation`, uint8 [layout size], with what `player` knows."""
    observation[:] = 0
    refresh(r, s)
    write_turn(s, observation)
    write_mission(r, s, player, observation)
    write_slots(s, player, observation)
    write_texts(r, s, player, observation)
    write_waiting(r, s, player, observation)
    write_lasting(r, s, player, observation)
    write_seats(r, s, player, observation)
    for seat in range(np.int64(s.num_players)):
        write_list(r, s, player, seat, observation)
    write_facts(r, s, player, observation)
    write_question(r, s, player, observation)
    clear_scratch(s)


# --- the turn ---------------------------------------------------------------------------------


@separate_kernel
def write_turn(s: Any, observation: Any) -> None:
    """§7: where in the turn the game is."""
    put(observation, fields.AT_PROMPT + np.int64(s.prompt), 1)
    put(observation, fields.AT_PHASE + np.int64(s.phase), 1)
    put(observation, fields.AT_NUM_PLAYERS + np.int64(s.num_players) - MIN_PLAYERS, 1)
    for reason in range(len(END_REASONS)):
        put(observation, fields.AT_END_REASONS + reason, np.int64(s.end_reasons) >> reason & 1)
    put(observation, fields.AT_IS_TRUNCATED, s.is_truncated)
    put(observation, fields.AT_TURNS, s.turn_count)
    put(observation, fields.AT_PASSES, s.passes)
    put(observation, fields.AT_ACTIONS_HERE, s.actions_here)
    put(observation, fields.AT_MISSIONS_PLAYED, s.missions_played)
    put(observation, fields.AT_FAILURES, s.fail_turn)
    for skill in range(NUM_SKILLS):
        put(observation, fields.AT_SUCCESSES + skill, s.success_turn[skill])
    put(observation, fields.AT_EARNED, s.earned)
    put(observation, fields.AT_MUST_CONTINUE, s.must_continue)
    put(observation, fields.AT_CONTINUE_COST, cost_to_continue(s))


@separate_kernel
def write_mission(r: Any, s: Any, player: Any, observation: Any) -> None:
    """N7, N8: the current mission, and which cards it is about."""
    put_place(r, s, player, np.int64(s.current), fields.AT_CURRENT_MISSION, observation)
    put_place(r, s, player, np.int64(s.judged), fields.AT_JUDGED, observation)
    put_place(r, s, player, np.int64(s.resolving), fields.AT_RESOLVING, observation)
    if s.current == NO_CARD:
        return
    put(observation, fields.AT_HAS_SUCCEEDED, s.succeeded)
    if s.skill_now != NO_SKILL:
        put(observation, fields.AT_REQUIRED_SKILL + np.int64(s.skill_now), 1)
    put(observation, fields.AT_DIFFICULTY, difficulty(r, s))
    put(observation, fields.AT_HERO_TOTAL, hero_total(r, s))
    put(observation, fields.AT_COMPLICATION_COST, cost_to_complicate(s))


@kernel
def write_slots(s: Any, player: Any, observation: Any) -> None:
    """§8.2: complications, known or not."""
    for k in range(np.int64(s.complication_count)):
        card = np.int64(s.complications[k])
        put_player(s, player, owner_of(card), fields.AT_SLOT_OWNER + k, observation)
        added = max(np.int64(0), 1 + change_of(s, card, PLUS))
        put(observation, fields.AT_SLOT_DIFFICULTY + k, added)


# --- texts ------------------------------------------------------------------------------------


@separate_kernel
def write_texts(r: Any, s: Any, player: Any, observation: Any) -> None:
    """The texts under way, from the one that is asked down to those below it."""
    last = np.int64(s.frame_count) - 1
    for k in range(last + 1):
        write_frame(r, s, player, last - k, k, observation)
    if last >= 0 and player == s.current_player:
        if s.prompt == ASK_TARGET:
            put(observation, fields.AT_LEAST, s.frame_least[last])
            put(observation, fields.AT_MOST, s.frame_most[last])
        elif s.prompt == ASK_NUMBER:
            put(observation, fields.AT_LIMIT, s.frame_limit[last])
    put(observation, fields.AT_CARRIED_N, s.carried_n)


@separate_kernel
def write_frame(r: Any, s: Any, player: Any, frame: Any, k: Any, observation: Any) -> None:
    """Text k: a frame of the stack."""
    address = np.int64(s.frame_address[frame])
    write_text(r, address, fields.AT_TEXT_CARD, MAX_FRAMES, k, observation)
    at_place = PLACE_BYTES * k
    card = np.int64(s.frame_self[frame])
    put_place(r, s, player, card, fields.AT_TEXT_SELF + at_place, observation)
    card = np.int64(s.frame_trigger[frame])
    put_place(r, s, player, card, fields.AT_TEXT_TRIGGER + at_place, observation)
    card = np.int64(s.frame_each[frame])
    put_place(r, s, player, card, fields.AT_TEXT_EACH + at_place, observation)
    card = np.int64(s.frame_granter[frame])
    put_place(r, s, player, card, fields.AT_TEXT_GRANTER + at_place, observation)
    card = np.int64(s.frame_holder[frame])
    put_place(r, s, player, card, fields.AT_TEXT_HOLDER + at_place, observation)
    put_player(s, player, np.int64(s.frame_user[frame]), fields.AT_TEXT_USER + k, observation)
    put_player(s, player, np.int64(s.frame_by[frame]), fields.AT_TEXT_BY + k, observation)
    put_player(s, player, np.int64(s.frame_actor[frame]), fields.AT_TEXT_ACTOR + k, observation)
    put(observation, fields.AT_TEXT_N + k, s.frame_n[frame])
    if s.frame_symbol[frame] != NO_GLYPH:
        put(observation, fields.AT_TEXT_SYMBOL + k, np.int64(s.frame_symbol[frame]) + 1)
    put(observation, fields.AT_TEXT_DONE + k, s.frame_done[frame])


@kernel
def write_text(r: Any, address: Any, first: Any, count: Any, k: Any, observation: Any) -> None:
    """Entry k of `count`: to which clause the program at an address belongs, and where in it.

    `first` is where the cards begin; clauses and steps lie behind them. What the rules do
    themselves (`built_in.py`) has no card.
    """
    card = first + CARD_BYTES * k
    clause = first + CARD_BYTES * count + k
    step = clause + count
    index = last_at_most(r.clause_start, np.int64(r.first_granted), address)
    start = np.int64(r.clause_start[index])
    if address < start:
        put(observation, step, address)
        return
    while index > 0 and r.clause_start[index - 1] == start:
        index -= 1  # one clause of several events
    kind = last_at_most(r.first_clause, MAX_KINDS, index)
    put_card(observation, card, np.int64(r.number[kind]) + 1)
    put(observation, clause, index - np.int64(r.first_clause[kind]) + 1)
    put(observation, step, address - start)


@separate_kernel
def last_at_most(values: Any, count: Any, limit: Any) -> Any:
    """Index of the last of `count` ascending numbers that is not above a limit, or 0."""
    low = np.int64(0)
    high = np.int64(count)
    while high - low > 1:
        middle = (low + high) // 2
        if np.int64(values[middle]) <= limit:
            low = middle
        else:
            high = middle
    return low


@separate_kernel
def write_waiting(r: Any, s: Any, player: Any, observation: Any) -> None:
    """§8.5: texts that wait for their turn; delayed effects."""
    for k in range(np.int64(s.pending_count)):
        at_place = PLACE_BYTES * k
        clause = np.int64(s.pending_clause[k])
        if clause >= FIRST_DELAY:
            address = np.int64(s.delay_address[clause - FIRST_DELAY])
        else:
            address = np.int64(r.clause_start[clause])
        write_text(r, address, fields.AT_PENDING_CARD, MAX_PENDING, k, observation)
        card = np.int64(s.pending_self[k])
        put_place(r, s, player, card, fields.AT_PENDING_SELF + at_place, observation)
        card = np.int64(s.pending_trigger[k])
        put_place(r, s, player, card, fields.AT_PENDING_TRIGGER + at_place, observation)
        card = np.int64(s.pending_granter[k])
        put_place(r, s, player, card, fields.AT_PENDING_GRANTER + at_place, observation)
        actor = np.int64(s.pending_actor[k])
        put_player(s, player, actor, fields.AT_PENDING_ACTOR + k, observation)
        put(observation, fields.AT_PENDING_IS_TEXT + k, s.pending_is_text[k])
    for k in range(MAX_DELAYS):
        if s.delay_moment[k] != 0:
            write_delay(r, s, player, k, observation)


@kernel
def write_delay(r: Any, s: Any, player: Any, k: Any, observation: Any) -> None:
    """Delayed effect k."""
    address = np.int64(s.delay_address[k])
    write_text(r, address, fields.AT_DELAY_CARD, MAX_DELAYS, k, observation)
    card = np.int64(s.delay_self[k])
    put_place(r, s, player, card, fields.AT_DELAY_SELF + PLACE_BYTES * k, observation)
    put_player(s, player, np.int64(s.delay_user[k]), fields.AT_DELAY_USER + k, observation)
    put(observation, fields.AT_DELAY_MOMENT + k, s.delay_moment[k])
    put(observation, fields.AT_DELAY_LASTS + k, s.delay_lasts[k])
    put(observation, fields.AT_DELAY_N + k, s.delay_n[k])


# --- what lasts -------------------------------------------------------------------------------


@separate_kernel
def write_lasting(r: Any, s: Any, player: Any, observation: Any) -> None:
    """Rules for a while, changes of single cards, marks."""
    for k in range(np.int64(s.standing_count)):
        address = np.int64(s.standing_address[k])
        write_text(r, address, fields.AT_STANDING_CARD, MAX_STANDING, k, observation)
        card = np.int64(s.standing_self[k])
        put_place(r, s, player, card, fields.AT_STANDING_SELF + PLACE_BYTES * k, observation)
        user = np.int64(s.standing_user[k])
        put_player(s, player, user, fields.AT_STANDING_USER + k, observation)
        put(observation, fields.AT_STANDING_LASTS + k, s.standing_lasts[k])
    for k in range(np.int64(s.modifier_count)):
        write_modifier(r, s, player, k, observation)
    for k in range(np.int64(s.mark_count)):
        card = np.int64(s.mark_card[k])
        state = MARK_IS_GONE if s.mark_is_gone[k] else MARK_STANDS
        put(observation, fields.AT_MARK_STATE + k, state)
        maker = np.int64(s.mark_maker[k])
        put_place(r, s, player, maker, fields.AT_MARK_MAKER + PLACE_BYTES * k, observation)
        put_place(r, s, player, card, fields.AT_MARK_TARGET + PLACE_BYTES * k, observation)
        put_remembered(r, s, player, card, fields.AT_MARK_CARD + CARD_BYTES * k, observation)


@separate_kernel
def write_modifier(r: Any, s: Any, player: Any, k: Any, observation: Any) -> None:
    """One change of a card: what, by how much, until when, from which card."""
    verb = np.int64(s.modifier_verb[k])
    put(observation, fields.AT_MODIFIER_VERB + k, verb + 1)
    put(observation, fields.AT_MODIFIER_SIGN + k, s.modifier_sign[k])
    put(observation, fields.AT_MODIFIER_LASTS + k, s.modifier_lasts[k])
    amount = np.int64(0) if verb == GRANT else np.int64(s.modifier_amount[k])
    put(observation, fields.AT_MODIFIER_AMOUNT + k, amount + ZERO_AMOUNT)
    card = np.int64(s.modifier_card[k])
    target = fields.AT_MODIFIER_TARGET + PLACE_BYTES * k
    if card % SEAT_STRIDE >= LIST_SIZE:  # COMPLICATIONS, NEXT_MISSION, CONTINUING
        put(observation, target + 1, SEAT_STRIDE - card)
    elif s.zone[card] == COMPLICATION and not knows(s, player, card):
        put(observation, target + 1, FIRST_SLOT + slot_of(s, card))
    else:
        put_place(r, s, player, card, target, observation)
    source = np.int64(s.modifier_source[k])
    put_remembered(r, s, player, source, fields.AT_MODIFIER_CARD + CARD_BYTES * k, observation)
    if contains(s.named, source):
        put_place(r, s, player, source, fields.AT_MODIFIER_SOURCE + PLACE_BYTES * k, observation)


# --- players ----------------------------------------------------------------------------------


@separate_kernel
def write_seats(r: Any, s: Any, player: Any, observation: Any) -> None:
    """§6, §10: who does what, and the tallies of each player."""
    put_seat(s, player, np.int64(s.current_player), fields.BY_CURRENT_SEAT, observation)
    put_seat(s, player, np.int64(s.hero), fields.BY_HERO_SEAT, observation)
    put_seat(s, player, villain_of(s), fields.BY_VILLAIN_SEAT, observation)
    put_seat(s, player, np.int64(s.first_player), fields.BY_FIRST_SEAT, observation)
    put_seat(s, player, np.int64(s.priority), fields.BY_PRIORITY_SEAT, observation)
    put_seat(s, player, np.int64(s.battle_winner), fields.BY_BATTLE_SEAT, observation)
    put_seat(s, player, np.int64(s.winner), fields.BY_WINNER_SEAT, observation)
    for owner in range(np.int64(s.num_players)):
        seat = seat_of(s, owner, player)
        put(observation, at(s, fields.BY_POWER) + seat, s.power[owner])
        put(observation, at(s, fields.BY_VICTORY_TOTAL) + seat, s.victory_total[owner])
        put(observation, at(s, fields.BY_GLYPHS) + seat, count_glyphs(s, owner))
        put(observation, at(s, fields.BY_EXPERIENCE) + seat, count_experience(r, s, owner))
        put(observation, at(s, fields.BY_VILLAIN_SCORE) + seat, count_villain_score(r, s, owner))
        put(observation, at(s, fields.BY_FIREPOWER_TOTAL) + seat, firepower_total(r, s, owner))
        put(observation, at(s, fields.BY_HAND_COUNT) + seat, hand_size(s, owner))
        put(observation, at(s, fields.BY_DECK_COUNT) + seat, s.deck_size[owner])
        put(observation, at(s, fields.BY_MISSIONS_COUNT) + seat, s.missions_size[owner])
        own = s.played_turn[owner * SEAT_WORDS : (owner + 1) * SEAT_WORDS]
        put(observation, at(s, fields.BY_PLAYED_COUNT) + seat, size_of(own))
        put(observation, at(s, fields.BY_SKIPPED_TURNS) + seat, s.skipped_turns[owner])


# --- cards ------------------------------------------------------------------------------------


@kernel
def write_list(r: Any, s: Any, player: Any, owner: Any, observation: Any) -> None:
    """The cards of a list, as far as the player knows them (§3.1)."""
    first = owner * SEAT_STRIDE
    for card in range(first, first + np.int64(r.deck_length[s.deck_number[owner]])):
        shown, is_known = np.int64(card), knows(s, player, card)
        if is_known:
            shown = shown_as(r, s, player, card)
        if owner == player or r.open_lists:
            write_identity(r, s, player, card, card, observation)
        elif is_known:
            write_identity(r, s, player, card, shown, observation)
        if is_known:
            write_place(r, s, player, card, shown, observation)
        elif owner == player:
            write_pile(s, player, card, observation)


@inline_kernel
def write_pile(s: Any, player: Any, card: Any, observation: Any) -> None:
    """A card in one of the own piles; where in it, the player does not know."""
    is_mission = card % SEAT_STRIDE < FIRST_DECK_CARD
    pile = MISSIONS if is_mission else DECK
    put(observation, at(s, fields.BY_ZONE) + row_of(s, player, card), pile)


@inline_kernel
def write_place(r: Any, s: Any, player: Any, card: Any, shown: Any, observation: Any) -> None:
    """Where a card lies and what holds for it, in the row of the number by which it is called."""
    row = row_of(s, player, shown)
    zone = np.int64(s.zone[card])
    put(observation, at(s, fields.BY_ZONE) + row, zone)
    if contains(s.named, card):
        put(observation, at(s, fields.BY_USED) + row, s.used[card])
    elif owner_of(card) == player:
        seats = seats_of(s, np.int64(s.known[card]), player)
        put(observation, at(s, fields.BY_EXPOSED) + row, seats)
    if zone in (DECK, MISSIONS):
        put(observation, at(s, fields.BY_DEPTH) + row, depth_of(s, card) + 1)
    elif zone == COMPLICATION:
        put(observation, at(s, fields.BY_SLOT) + row, slot_of(s, card) + 1)
    elif zone == HAND:
        write_cost(r, s, card, row, observation)
    elif zone in (GLYPH, TUCKED, ATTACHED, BLOCKADED):
        write_host(r, s, player, card, row, observation)
    if is_not_ignored(s, card):
        write_numbers(r, s, card, row, observation)
    if zone == PLAY:
        put(observation, at(s, fields.BY_CONDITION) + row, s.condition[card])
        put(observation, at(s, fields.BY_TOKENS) + row, s.tokens[card])


@kernel
def seats_of(s: Any, known: Any, player: Any) -> Any:
    """The others of a set of players, as seats."""
    seats = np.int64(0)
    for other in range(np.int64(s.num_players)):
        if other != player and known & one_seat(other) != 0:
            seats |= one_seat(seat_of(s, other, player))
    return seats


@inline_kernel
def write_identity(r: Any, s: Any, player: Any, card: Any, shown: Any, observation: Any) -> None:
    """Which card it is."""
    row = row_of(s, player, shown)
    number = np.int64(r.number[s.kind[card]]) + 1
    put_card(observation, at(s, fields.BY_CARD) + CARD_BYTES * row, number)


@kernel
def write_cost(r: Any, s: Any, card: Any, row: Any, observation: Any) -> None:
    """§8: what it costs now to play a card of a hand, for its owner's role."""
    owner = owner_of(card)
    is_hero_card = contains(s.hero_side, card)
    is_of_role = is_hero_card and owner == s.hero or not is_hero_card and owner == villain_of(s)
    if is_of_role and r.cost[s.kind[card]] >= 0:
        put(observation, at(s, fields.BY_COST) + row, cost_to_play(r, s, card) + 1)


@kernel
def write_host(r: Any, s: Any, player: Any, card: Any, row: Any, observation: Any) -> None:
    """The card above a card."""
    host = np.int64(s.host[card])
    if host != NO_CARD:
        put(observation, at(s, fields.BY_HOST_SEAT) + row, seat_of(s, owner_of(host), player) + 1)
        place = shown_as(r, s, player, host) % SEAT_STRIDE
        put(observation, at(s, fields.BY_HOST_PLACE) + row, place + 1)


@inline_kernel
def is_not_ignored(s: Any, card: Any) -> Any:
    """Whether a card is in play and not ignored this turn (§6)."""
    return has(in_play_word(s, card // WORD_BITS), card % WORD_BITS)


@separate_kernel
def write_numbers(r: Any, s: Any, card: Any, row: Any, observation: Any) -> None:
    """N1-N5: what holds now for a card in play that is not ignored."""
    for skill in range(NUM_SKILLS):
        rating = current_rating(r, s, card, skill)
        if rating != NO_RATING:
            put(observation, at(s, fields.BY_RATING) + NUM_SKILLS * row + skill, rating + 1)
    card_type = type_of(r, s, card)
    if card_type == ADVERSARY:
        put(observation, at(s, fields.BY_REVIVE_COST) + row, revive_cost(r, s, card) + 1)
    elif card_type == SHIP:
        put(observation, at(s, fields.BY_FIREPOWER) + row, firepower_of(r, s, card) + 1)
    put(observation, at(s, fields.BY_BLOCKED) + row, contains(s.blocked, card))


@separate_kernel
def write_facts(r: Any, s: Any, player: Any, observation: Any) -> None:
    """What has happened to cards that lie openly, and what texts make of them."""
    write_fact(r, s, player, s.played_turn, PLAYED, observation)
    write_fact(r, s, player, s.assigned_at_resolution, TOOK_PART, observation)
    write_fact(r, s, player, s.just_discarded, DISCARDED, observation)
    write_fact(r, s, player, s.carried_that, PAID_WITH, observation)
    write_fact(r, s, player, s.no_revive, UNREVIVABLE, observation)
    write_fact(r, s, player, s.textless, TEXTLESS, observation)
    write_fact(r, s, player, s.becomes, IS_ADVERSARY, observation)


@separate_kernel
def write_fact(r: Any, s: Any, player: Any, words: Any, fact: Any, observation: Any) -> None:
    """One fact, in the rows of the cards of a set that lie openly."""
    for k in range(num_words(s)):
        if words[k] & s.named[k] != NONE:
            add_facts(r, s, player, words, fact, observation)
            return


@separate_kernel
def add_facts(r: Any, s: Any, player: Any, words: Any, fact: Any, observation: Any) -> None:
    """The same, if there is one."""
    card = first_of(words)
    while card != NO_CARD:
        if contains(s.named, card):
            mark_row(s, row_seen(r, s, player, card), fields.BY_FACTS, fact, observation)
        card = next_of(words, card)


# --- the question -----------------------------------------------------------------------------


@separate_kernel
def write_question(r: Any, s: Any, player: Any, observation: Any) -> None:
    """§13: the cards that the pending question is about, and those whose texts wait."""
    last = np.int64(s.frame_count) - 1
    if last >= 0:
        add_to_row(r, s, player, np.int64(s.frame_self[last]), fields.BY_IS_SOURCE, observation)
        add_to_row(r, s, player, np.int64(s.frame_trigger[last]), fields.BY_IS_TRIGGER, observation)
        for k in range(last + 1):
            write_sets(r, s, player, last - k, k, observation)
    elif s.prompt == ASK_FATE:
        add_to_row(r, s, player, np.int64(s.judged), fields.BY_IS_SOURCE, observation)
    elif s.prompt == ASK_ABILITY:
        add_to_row(r, s, player, np.int64(s.resolving), fields.BY_IS_SOURCE, observation)
    if s.prompt == ASK_DOMINION:
        mark_rows(r, s, player, s.dominion, fields.BY_CANDIDATE, 0, observation)
    for k in range(np.int64(s.pending_count)):
        add_to_row(r, s, player, np.int64(s.pending_self[k]), fields.BY_PENDING, observation)
    for k in range(np.int64(s.mark_count)):
        row = row_seen(r, s, player, np.int64(s.mark_card[k]))
        if row >= 0 and s.mark_is_gone[k] == 0:
            put(observation, at(s, fields.BY_MARKED) + row, 1)
    for k in range(MAX_DELAYS):
        if s.delay_moment[k] != 0:
            write_delayed(r, s, player, k, observation)


@separate_kernel
def write_sets(r: Any, s: Any, player: Any, frame: Any, k: Any, observation: Any) -> None:
    """The cards that text k has chosen, can choose and speaks of.

    What somebody is choosing from and has chosen so far is his own affair; he chooses in the
    places of his own list that he knows, whether or not he knows where these cards lie.
    """
    if k > 0:
        mark_rows(r, s, player, s.frame_candidates[frame], fields.BY_CANDIDATE, k, observation)
        mark_rows(r, s, player, s.frame_chosen[frame], fields.BY_CHOSEN, k, observation)
    elif player == s.current_player and s.prompt == ASK_TARGET:
        mark_own_rows(r, s, player, s.frame_candidates[frame], fields.BY_CANDIDATE, observation)
        mark_own_rows(r, s, player, s.frame_chosen[frame], fields.BY_CHOSEN, observation)
    mark_rows(r, s, player, s.frame_that[frame], fields.BY_THAT, k, observation)
    mark_rows(r, s, player, s.frame_seen[frame], fields.BY_SEEN, k, observation)


@kernel
def write_delayed(r: Any, s: Any, player: Any, k: Any, observation: Any) -> None:
    """The cards that a delayed effect speaks of."""
    card = first_of(s.delay_that[k])
    while card != NO_CARD:
        row = row_seen(r, s, player, card)
        if row >= 0:
            byte, place = divmod(k, BYTE_BITS)
            index = at(s, fields.BY_DELAYED) + DELAYED_BYTES * row + byte
            observation[U(index)] |= np.uint8(1 << place)
        card = next_of(s.delay_that[k], card)


@kernel
def mark_rows(
    r: Any, s: Any, player: Any, words: Any, field: Any, place: Any, observation: Any
) -> None:
    """Set a bit in the rows of the cards of a set that the player sees."""
    card = first_of(words)
    while card != NO_CARD:
        mark_row(s, row_seen(r, s, player, card), field, place, observation)
        card = next_of(words, card)


@kernel
def mark_own_rows(r: Any, s: Any, player: Any, words: Any, field: Any, observation: Any) -> None:
    """Set bit 0 in the rows of the cards of a set from which the player chooses."""
    card = first_of(words)
    while card != NO_CARD:
        row = row_seen(r, s, player, card)
        if owner_of(card) == player:
            row = row_of(s, player, card)
        mark_row(s, row, field, 0, observation)
        card = next_of(words, card)


@inline_kernel
def mark_row(s: Any, row: Any, field: Any, place: Any, observation: Any) -> None:
    """Set a bit in a row; -1 is none."""
    if row >= 0:
        observation[U(at(s, field) + row)] |= np.uint8(1 << place)


@kernel
def add_to_row(r: Any, s: Any, player: Any, card: Any, field: Any, observation: Any) -> None:
    """Count 1 in the row of a card, if the player sees the card."""
    row = row_seen(r, s, player, card)
    if row >= 0:
        observation[U(at(s, field) + row)] += np.uint8(1)


@kernel
def row_seen(r: Any, s: Any, player: Any, card: Any) -> Any:
    """The row of a card, or -1 if the player does not know where it is."""
    if card == NO_CARD or not knows(s, player, card):
        return np.int64(-1)
    return row_of(s, player, shown_as(r, s, player, card))


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
def put_player(s: Any, player: Any, other: Any, index: Any, observation: Any) -> None:
    """Store a player's seat + 1, 0 for nobody."""
    if other != NO_SEAT:
        put(observation, index, seat_of(s, other, player) + 1)


@separate_kernel
def put_place(r: Any, s: Any, player: Any, card: Any, index: Any, observation: Any) -> None:
    """Store a card's seat + 1 and list place + 1, if the player knows where it is."""
    if card == NO_CARD or not knows(s, player, card):
        return
    shown = shown_as(r, s, player, card)
    put(observation, index, seat_of(s, owner_of(shown), player) + 1)
    put(observation, index + 1, shown % SEAT_STRIDE + 1)


@kernel
def put_remembered(r: Any, s: Any, player: Any, card: Any, index: Any, observation: Any) -> None:
    """Store which card it is, if the player knows what is in that list, or where it is."""
    if r.open_lists or owner_of(card) == player or knows(s, player, card):
        put_card(observation, index, np.int64(r.number[s.kind[card]]) + 1)


@inline_kernel
def put_card(observation: Any, index: Any, number: Any) -> None:
    """Store a card number in two bytes."""
    observation[U(index)] = number & MAX_BYTE
    observation[U(index + 1)] = number >> 8


@inline_kernel
def put(observation: Any, index: Any, value: Any) -> None:
    """Store a small number; what is above a byte counts as 255."""
    observation[U(index)] = min(np.int64(value), np.int64(MAX_BYTE))
