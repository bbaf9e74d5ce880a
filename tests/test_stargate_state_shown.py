"""Every field of STATE of the Stargate TCG is in the observation, or there is a reason why not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import pytest
from stargate_positions import CARTER, TEALC, Table, deck_with

from stargate_env.components import load_cards
from stargate_env.derived import refresh
from stargate_env.machine_part import PARTS, Part
from stargate_env.naming import name_open_cards
from stargate_env.observation import observe
from stargate_env.observation_layout import OBSERVATION
from stargate_env.sizes import HERO as SIDE_HERO
from stargate_env.sizes import SHIP
from stargate_env.state import (
    ASK_DOMINION,
    ASK_NUMBER,
    ASK_TARGET,
    ASSIGNED,
    BASE,
    COMPLICATION,
    CONTINUING,
    COST_PLUS,
    DISCARD,
    FIRE_PLUS,
    FIRST_DECK_CARD,
    FIRST_MISSION,
    GLYPH,
    HAND,
    NO_SEAT,
    PHASES,
    PLAY,
    PLUS,
    REVIVE_PLUS,
    SEAT_STRIDE,
    STATE,
    STOPPED,
)
from stargate_env.table import RAISED, include, note_revealed, note_seen, put, take_out
from stargate_env.view import decode, view_to_json
from stargate_env.words import DIFF
from tabletop_core.game import Array, used_fields

# Field of STATE -> fields of the observation of which some change when it changes.
SHOWN: Final = {
    # header
    "turn_count": "turns",
    "current_player": "current_seat",
    "end_reasons": "end_reasons",
    "is_truncated": "is_truncated",
    # cards
    "zones": "zone hand_count",
    "kind": "card",
    "zone": "zone",
    "condition": "condition",
    "host": "host_seat host_place",
    "tokens": "tokens",
    "used": "used",
    "known": "zone exposed",
    "deck": "depth",
    "missions": "depth",
    "deck_size": "deck_count",
    "missions_size": "missions_count",
    "complications": "slot_owner slot",
    "complication_count": "slot_owner",
    "victory_total": "victory_total",
    "power": "power",
    # the turn
    "num_players": "num_players",
    "hero": "hero_seat villain_seat",
    "first_player": "first_seat",
    "winner": "winner_seat",
    "phase": "phase",
    "prompt": "prompt",
    "priority": "priority_seat",
    "passes": "passes",
    "actions_here": "actions_here",
    "success_turn": "successes",
    "fail_turn": "failures continue_cost",
    "missions_played": "missions_played",
    "played_turn": "facts played_count",
    "current": "current_mission difficulty",
    "battle_winner": "battle_seat",
    "succeeded": "has_succeeded",
    "earned": "earned",
    "judged": "judged",
    "resolving": "resolving",
    "assigned_at_resolution": "facts",
    "just_discarded": "facts",
    "must_continue": "must_continue",
    "skipped_turns": "skipped_turns",
    "dominion": "candidate",
    # what lasts
    "modifier_verb": "modifier_verb",
    "modifier_sign": "modifier_sign",
    "modifier_lasts": "modifier_lasts",
    "modifier_amount": "modifier_amount",
    "modifier_card": "modifier_target",
    "modifier_source": "modifier_card modifier_source",
    "modifier_count": "modifier_verb",
    "mark_maker": "mark_maker",
    "mark_card": "mark_target mark_card marked",
    "mark_is_gone": "mark_state",
    "mark_count": "mark_state",
    "delay_moment": "delay_moment",
    "delay_lasts": "delay_lasts",
    "delay_user": "delay_user",
    "delay_self": "delay_self",
    "delay_n": "delay_n",
    "delay_address": "delay_card delay_clause delay_step",
    "delay_that": "delayed",
    "standing_lasts": "standing_lasts",
    "standing_self": "standing_self",
    "standing_user": "standing_user",
    "standing_address": "standing_card standing_clause standing_step",
    "standing_count": "standing_user",
    # programs under way
    "frame_address": "text_card text_clause text_step",
    "frame_self": "text_self is_source",
    "frame_each": "text_each",
    "frame_trigger": "text_trigger is_trigger",
    "frame_granter": "text_granter",
    "frame_user": "text_user",
    "frame_by": "text_by",
    "frame_actor": "text_actor",
    "frame_n": "text_n",
    "frame_done": "text_done",
    "frame_least": "least",
    "frame_limit": "limit",
    "frame_symbol": "text_symbol",
    "frame_holder": "text_holder",
    "frame_most": "most",
    "frame_candidates": "candidate",
    "frame_chosen": "chosen",
    "frame_that": "that",
    "frame_seen": "seen",
    "frame_count": "text_user",
    "carried_n": "carried_n",
    "carried_that": "facts",
    "pending_clause": "pending_card pending_clause pending_step",
    "pending_self": "pending_self pending",
    "pending_trigger": "pending_trigger",
    "pending_granter": "pending_granter",
    "pending_actor": "pending_actor",
    "pending_is_text": "pending_is_text",
    "pending_count": "pending_card",
    # derived
    "raw": "rating",
    "changes": "rating difficulty continue_cost revive_cost firepower",
    "fire_total_plus": "firepower_total",
    "experience_plus": "experience",
    "skill_now": "required_skill",
    "blocked": "blocked",
    "no_revive": "facts",
    "becomes": "facts",
    "textless": "facts",
}

_TEXT: Final = "follows from the text and its step, which are shown"
_TABLE: Final = "follows from the cards in play and from what lasts, which are shown"
_SCRATCH: Final = "scratch, zero between decisions"

NOT_SHOWN: Final = {
    "rng": "hidden: it would tell what will be drawn",
    "ruleset": "the same in all games of an environment",
    "legal": "the action mask",
    "decision_count": "not on the table",
    "stargate_version": "the same in all games of an environment",
    "must_ask": "follows from the prompt",
    "hero_side": "follows from the cards",
    "deck_number": "the cards of the list are shown, as far as they are known",
    "named": "follows from the zones and from who knows what",
    "delay_repeats": _TEXT,
    "delay_player": _TEXT,
    "delay_match": _TEXT,
    "frame_origin": _TEXT,
    "frame_then": "follows from what is played, assigned or replaced",
    "frame_waits": "follows from the prompt",
    "frame_answer": "the latest answer, which has been carried out",
    "frame_cursor": "follows from the text that is offered instead, which is a text under way",
    **dict.fromkeys(("rated", "changed"), "which cards have the numbers that are shown"),
    "holders": "which cards have glyphs beneath them, which are shown",
    "is_stale": "whether numbers are to be computed again",
    "point_plus": "part of the victory total",
    "has_gained_traits": _TABLE,
    "first_priority": "part of who acts next",
    **dict.fromkeys(
        (name for name in STATE.names or () if name.startswith(("claim_", "forbid_", "boost_"))),
        _TABLE,
    ),
    "grant_count": _TABLE,
    **dict.fromkeys(
        (
            *("sets", "used_sets", "static_cards", "reserved", "locals", "stack", "top", "spent"),
            *("late_verb", "late_sign", "late_card", "late_amount", "late_count"),
            *("context_self", "context_each", "context_trigger", "context_granter"),
            *("context_user", "context_frame"),
        ),
        _SCRATCH,
    ),
    "error": "a capacity ran out: the game is truncated",
}


def test_every_field_is_shown_or_there_is_a_reason() -> None:
    names = used_fields(STATE)
    assert set(SHOWN) | set(NOT_SHOWN) == set(names)
    assert not set(SHOWN) & set(NOT_SHOWN)
    assert all(NOT_SHOWN.values())
    fields = {field.name for field in OBSERVATION.fields}
    assert {field for shown in SHOWN.values() for field in shown.split()} <= fields


# --- a change of a field is a change of the observation ------------------------------------------

HERO, VILLAIN = 0, 1
HERO_SHIP = next(
    card.card_id for card in load_cards().cards if card.card_type == SHIP and card.side == SIDE_HERO
)
TEAM = (0, 1, 2)  # cards in play
GLYPH_CARD = FIRST_MISSION
HELD = (FIRST_DECK_CARD + 5, FIRST_DECK_CARD + 12)  # two hero cards
ADVERSARY_CARD = SEAT_STRIDE + FIRST_DECK_CARD
SLOTS = (ADVERSARY_CARD + 30, FIRST_DECK_CARD + 30)
COPY = TEALC.deck[-1]
MANY = 3  # entries that are set of each list


def busy_table() -> Table:
    """A position in which every list of the state holds something; it need not be possible."""
    table = Table(deck_with(CARTER, HERO_SHIP), TEALC).start()
    s = table.s
    for place in (FIRST_MISSION, FIRST_MISSION + 1):  # one to be a glyph, one to lie in the pile
        table.top_mission(table.tables.lists[HERO][place].card_id)
    take_out(s, GLYPH_CARD)
    put(s, GLYPH_CARD, GLYPH)
    s.host[GLYPH_CARD] = TEAM[0]
    for number, zone in (
        *((held, HAND) for held in HELD),
        *((slot, COMPLICATION) for slot in SLOTS),
        (ADVERSARY_CARD, PLAY),
        (table.card(HERO_SHIP, HERO), PLAY),
    ):
        take_out(s, number)
        put(s, number, zone)
    s.complications[: len(SLOTS)] = SLOTS
    s.complication_count = len(SLOTS)
    s.condition[[ADVERSARY_CARD, table.card(HERO_SHIP, HERO)]] = ASSIGNED
    for pile, size in (
        (s.deck[HERO], s.deck_size[HERO]),
        (s.missions[HERO], s.missions_size[HERO]),
    ):
        for number in pile[size - 2 : size]:
            note_revealed(s, int(number))
    name_open_cards(s)
    refresh(table.r, s)
    fill_lists(table)  # they are not carried out: the numbers are not computed again
    return table


def fill_lists(table: Table) -> None:
    """MANY entries of each list, all of the first text and the first card."""
    s = table.s
    s.modifier_count = s.mark_count = s.standing_count = s.frame_count = s.pending_count = MANY
    s.delay_moment[:MANY] = 1
    start = int(table.r.clause_start[0])
    for name in ("delay_address", "standing_address", "frame_address"):
        s[name][:MANY] = start
    s.modifier_verb[:MANY] = DIFF
    s.prompt, s.current_player = ASK_TARGET, HERO
    s.frame_by[:MANY] = NO_SEAT


def seen_by_both(table: Table) -> dict[str, Array]:
    """[player] of each field of the observation."""
    seen = np.zeros((2, OBSERVATION.size), np.uint8)
    ruleset: Any = SimpleNamespace(
        record=table.rules,
        tables=table.tables,
        num_players=2,
        game=SimpleNamespace(observation=OBSERVATION),
    )
    for player in range(2):
        observe(table.r, table.s, player, seen[player])
        assert decode(ruleset, seen[player]) == view_to_json(ruleset, table.state, player)
    return OBSERVATION.split(seen)


def swap_tops(pile: Array, size: Any) -> None:
    pile[[size - 1, size - 2]] = pile[[size - 2, size - 1]]


def set_entry(name: str, place: int, value: int) -> Callable[[Table], None]:
    def set_it(table: Table) -> None:
        table.s[name][place] = value

    return set_it


def set_number(name: str, value: int) -> Callable[[Table], None]:
    def set_it(table: Table) -> None:
        table.s[name] = value

    return set_it


# Fields that cannot be changed by themselves, or not in their first entry.
CHANGES: Final[dict[str, Callable[[Table], None]]] = {
    "zones": lambda table: put(table.s, HELD[0], DISCARD),
    "zone": lambda table: put(table.s, HELD[0], DISCARD),
    "kind": lambda table: set_entry("kind", HELD[0], table.s.kind[HELD[1]])(table),
    "condition": set_entry("condition", TEAM[0], STOPPED),
    "host": set_entry("host", GLYPH_CARD, TEAM[1]),
    "known": lambda table: note_seen(table.s, VILLAIN, HELD[0]),
    "deck": lambda table: swap_tops(table.s.deck[HERO], table.s.deck_size[HERO]),
    "missions": lambda table: swap_tops(table.s.missions[HERO], table.s.missions_size[HERO]),
    "complications": lambda table: swap_tops(table.s.complications, len(SLOTS)),
    "phase": set_number("phase", PHASES.index("continue")),
    "prompt": set_number("prompt", ASK_NUMBER),
    "raw": lambda table: change_rating(table, TEAM[0], RAISED + 2),
    "changes": lambda table: change_number(table, TEAM[0], PLUS),
}

# Change -> the field of the observation that tells it.
CHANGED_NUMBERS: Final = {
    PLUS: "rating",
    BASE: "difficulty",
    COST_PLUS: "continue_cost",
    REVIVE_PLUS: "revive_cost",
    FIRE_PLUS: "firepower",
}


def change_rating(table: Table, card: int, rating: int) -> None:
    include(table.s.changed, card)
    table.s.raw[card] = rating


def change_number(table: Table, card: int, number: int) -> None:
    include(table.s.changed, card)
    table.s.changes[card, number] += RAISED + 9 if number == BASE else 1


# Fields that matter while something is asked.
PROMPT_OF: Final = {"dominion": ASK_DOMINION, "frame_limit": ASK_NUMBER}


def change(table: Table, name: str) -> None:
    """Change what a field holds: of a list, in the last entry that is in use."""
    part = PARTS.get(name, Part("number"))
    if name in CHANGES:
        CHANGES[name](table)
        return
    values = table.s[name]
    if np.ndim(values) > (part.kind == "cards"):
        place = MANY - 1 if name.startswith(LISTS) else HERO
    else:
        values, place = table.state[name], 0
    if part.kind == "cards":
        include(values[place], TEAM[1])
    elif part.kind == "card":
        values[place] = TEAM[0] if values[place] == TEAM[1] else TEAM[1]
    elif part.kind == "address":
        values[place] += 1
    else:
        values[place] = 0 if values[place] == 1 else 1


LISTS: Final = ("modifier_", "mark_", "delay_", "standing_", "frame_", "pending_")


@pytest.fixture(scope="module")
def table() -> Table:
    return busy_table()


@pytest.fixture
def busy(table: Table) -> Iterator[Table]:
    start = table.state.copy()
    yield table
    table.state[:] = start


@pytest.mark.parametrize("name", [name for name in SHOWN if name != "num_players"])
def test_a_change_of_a_field_is_seen(busy: Table, name: str) -> None:
    """By one of the players at least; the view in words tells the same."""
    busy.s.prompt = PROMPT_OF.get(name, ASK_TARGET)
    before = {field: part.copy() for field, part in seen_by_both(busy).items()}
    change(busy, name)
    busy.s.is_stale = 0  # derived numbers are those that were set
    after = seen_by_both(busy)
    changed = {field for field in before if not np.array_equal(before[field], after[field])}
    assert changed & set(SHOWN[name].split()), changed


@pytest.mark.parametrize("number", CHANGED_NUMBERS)
def test_a_changed_number_is_seen(busy: Table, number: int) -> None:
    cards = {
        PLUS: TEAM[0],
        BASE: int(busy.s.current),
        COST_PLUS: CONTINUING,
        REVIVE_PLUS: ADVERSARY_CARD,
        FIRE_PLUS: busy.card(HERO_SHIP, HERO),
    }
    before = seen_by_both(busy)[CHANGED_NUMBERS[number]].copy()
    change_number(busy, cards[number], number)
    busy.s.is_stale = 0  # derived numbers are those that were set
    assert not np.array_equal(before, seen_by_both(busy)[CHANGED_NUMBERS[number]])


ABOUT_CARDS: Final = [
    name
    for name, part in PARTS.items()
    if part.kind in ("card", "cards") and name.startswith((*LISTS, "resolving", "judged"))
]


@pytest.mark.parametrize("name", sorted({*ABOUT_CARDS} - {"frame_candidates", "frame_chosen"}))
def test_texts_do_not_tell_where_hidden_cards_lie(busy: Table, name: str) -> None:
    """§3.1: which of two hidden copies a text is about, one in the deck, one in a hand."""
    copies = [
        SEAT_STRIDE + k for k, card in enumerate(busy.tables.lists[VILLAIN]) if card.card_id == COPY
    ]
    first, second = copies[:2]
    take_out(busy.s, second)
    put(busy.s, second, HAND)
    busy.s.known[[first, second]] = 0
    start = busy.state.copy()
    seen = []
    for number in (first, second):
        busy.state[:] = start
        values, place = busy.state[name], 0
        if np.ndim(busy.s[name]) > (PARTS[name].kind == "cards"):
            values, place = busy.s[name], MANY - 1
        if PARTS[name].kind == "cards":
            include(values[place], number)
        else:
            values[place] = number
        busy.s.is_stale = 0
        seen.append({field: part.copy() for field, part in seen_by_both(busy).items()})
    assert all(np.array_equal(seen[0][field], seen[1][field]) for field in seen[0])
