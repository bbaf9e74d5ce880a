"""Who knows which card of the Stargate TCG, and by which names cards are called (§3.1, §16.1)."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
import pytest
from stargate_positions import CARTER, TEALC, Table

import stargate_env.naming as naming
from stargate_env import rules
from stargate_env.legal import legal_actions
from stargate_env.naming import called, name_open_cards, shown_as, swap_names
from stargate_env.state import (
    ACTIONS,
    AT_MISSION,
    CLOSED_ZONES,
    COMPLICATION,
    DECK,
    DERIVED_FIELDS,
    DISCARD,
    HAND,
    HEADER_FIELDS,
    LOOKED_AT,
    MISSIONS,
    NOWHERE,
    OPEN_ZONES,
    SEAT_STRIDE,
    STATE,
    TUCKED,
    ZONES,
)
from stargate_env.table import (
    draw_cards,
    note_mixed,
    note_revealed,
    note_seen,
    pop_deck,
    push_deck,
    push_mission,
    put,
    put_seen,
    remove_from_deck,
    shuffle_deck,
    shuffle_missions,
    turn_face_down,
)
from tabletop_core.game import allocate, used_fields
from tabletop_core.rng import seed_to_word

HERO, VILLAIN = 0, 1
BOTH = {HERO, VILLAIN}
# Two different obstacles of the villain's deck, and one of which it has three copies.
FIRST, SECOND = [card_id for card_id in dict.fromkeys(TEALC.deck) if card_id.startswith("BS-2")][:2]
TRIPLE = next(card_id for card_id in TEALC.deck if TEALC.deck.count(card_id) == 3)


@pytest.fixture
def board():
    """No card in a hand, both decks full and shuffled, nothing known of them."""
    table = Table(CARTER, TEALC)
    for seat in (HERO, VILLAIN):
        shuffle_deck(table.s, seat)
        shuffle_missions(table.s, seat)
    return table


def copies(board, card_id, seat=VILLAIN):
    cards = board.tables.lists[seat]
    return [seat * SEAT_STRIDE + k for k, card in enumerate(cards) if card.card_id == card_id]


def hold(board, *numbers):
    """Draw these cards of the villain's deck."""
    for number in numbers:
        remove_from_deck(board.s, number)
        push_deck(board.s, number)
        draw_cards(board.s, VILLAIN, 1)


def knowers(board, number):
    return {seat for seat in BOTH if board.s.known[number] >> seat & 1}


# --- §3.1: zones and looks ------------------------------------------------------------------------


def test_nobody_knows_shuffled_piles_and_everybody_the_table(board) -> None:
    s = board.s
    for number in range(2 * SEAT_STRIDE):
        if s.zone[number] in (DECK, MISSIONS):
            assert knowers(board, number) == set()
        elif s.zone[number] != NOWHERE:
            assert knowers(board, number) == BOTH


def test_a_drawn_card_is_known_to_its_owner_and_who_knew_the_top(board) -> None:
    unseen, seen = (board.card(card_id, VILLAIN) for card_id in (FIRST, SECOND))
    hold(board, unseen)
    assert knowers(board, unseen) == {VILLAIN}
    remove_from_deck(board.s, seen)
    push_deck(board.s, seen)
    note_seen(board.s, HERO, seen)
    draw_cards(board.s, VILLAIN, 1)
    assert knowers(board, seen) == BOTH


def test_what_comes_to_the_table_is_known_to_all_and_stays_known_face_down(board) -> None:
    number = board.card(FIRST, VILLAIN)
    hold(board, number)
    put(board.s, number, AT_MISSION)
    assert knowers(board, number) == BOTH
    turn_face_down(board.s, number)
    assert knowers(board, number) == BOTH
    put(board.s, number, HAND)
    assert knowers(board, number) == BOTH


def test_a_shuffle_clears_a_pile(board) -> None:
    s = board.s
    number = int(pop_deck(s, VILLAIN))
    put(s, number, DISCARD)
    push_deck(s, number)
    assert knowers(board, number) == BOTH
    shuffle_deck(s, VILLAIN)
    assert knowers(board, number) == set()


def test_a_card_put_under_the_pile_in_sight_is_known_to_all(board) -> None:
    """D18: failed missions."""
    mission = int(board.s.missions[HERO, 0])
    put(board.s, mission, DISCARD)
    board._take_mission(HERO, mission)
    push_mission(board.s, mission, False)
    assert knowers(board, mission) == BOTH


def test_of_several_cards_looked_at_only_one_player_can_tell_the_order(board) -> None:
    """D21."""
    number = board.card(FIRST, VILLAIN)
    note_revealed(board.s, number)
    note_mixed(board.s, number, HERO)
    assert knowers(board, number) == {HERO}


# --- §3.1: hands ----------------------------------------------------------------------------------


def test_one_copy_played_is_one_known_copy_less(board) -> None:
    """The hero knows of two copies in the hand; the third one is played."""
    first, second, third = copies(board, TRIPLE)
    hold(board, first, second, third)
    note_seen(board.s, HERO, second)
    note_seen(board.s, HERO, third)
    put(board.s, first, AT_MISSION)
    assert sum(HERO in knowers(board, number) for number in (second, third)) == 1


def test_playing_the_known_copy_leaves_the_others_unknown(board) -> None:
    first, second, _ = copies(board, TRIPLE)
    hold(board, first, second)
    note_seen(board.s, HERO, second)
    put(board.s, second, AT_MISSION)
    assert knowers(board, first) == {VILLAIN}


def test_other_cards_of_the_hand_stay_known_when_one_is_seen_to_leave(board) -> None:
    known, played = (board.card(card_id, VILLAIN) for card_id in (FIRST, SECOND))
    hold(board, known, played)
    note_seen(board.s, HERO, known)
    put(board.s, played, AT_MISSION)
    assert knowers(board, known) == BOTH


def test_a_card_that_leaves_unseen_could_be_any(board) -> None:
    """§8.2: a complication."""
    known, other = (board.card(card_id, VILLAIN) for card_id in (FIRST, SECOND))
    hold(board, known, other)
    note_seen(board.s, HERO, known)
    put(board.s, known, COMPLICATION)
    assert knowers(board, known) == knowers(board, other) == {VILLAIN}


def test_the_only_card_of_a_known_hand_is_followed_face_down(board) -> None:
    number = board.card(FIRST, VILLAIN)
    hold(board, number)
    note_seen(board.s, HERO, number)
    put(board.s, number, COMPLICATION)
    assert knowers(board, number) == BOTH


def test_who_chooses_what_leaves_the_hand_keeps_knowing(board) -> None:
    taken, other = (board.card(card_id, VILLAIN) for card_id in (FIRST, SECOND))
    hold(board, taken, other)
    note_seen(board.s, HERO, taken)
    note_seen(board.s, HERO, other)
    put_seen(board.s, taken, COMPLICATION, 1 << HERO)
    assert knowers(board, taken) == knowers(board, other) == BOTH


def test_the_owner_knows_what_lies_face_down_beneath_a_card(board) -> None:
    number = int(pop_deck(board.s, VILLAIN))
    put(board.s, number, TUCKED)
    assert knowers(board, number) == {VILLAIN}


# --- §16.1: names ---------------------------------------------------------------------------------


def named(board):
    words = board.s.named
    return {k for k in range(2 * SEAT_STRIDE) if int(words[k >> 6]) >> (k & 63) & 1}


def test_the_name_of_a_played_card_does_not_tell_where_its_copies_are(board) -> None:
    """Whichever copy is held and played, it lies on the table by the lowest free place."""
    first, *_ = copies(board, TRIPLE)
    start = board.state.copy()
    for held in copies(board, TRIPLE):
        board.state[:] = start
        hold(board, held)
        put(board.s, held, AT_MISSION)
        name_open_cards(board.s)
        assert board.s.zone[first] == AT_MISSION
        assert {int(board.s.zone[k]) for k in copies(board, TRIPLE)[1:]} == {DECK}
        deck = board.s.deck[VILLAIN][: board.s.deck_size[VILLAIN]]
        assert len(set(deck.tolist())) == len(deck)


def test_a_named_card_keeps_its_place_until_it_is_hidden(board) -> None:
    first, second, third = copies(board, TRIPLE)
    for number in (first, second):
        remove_from_deck(board.s, number)
        put(board.s, number, AT_MISSION)
    name_open_cards(board.s)
    put(board.s, first, HAND)
    assert first not in named(board)
    put(board.s, second, DISCARD)
    remove_from_deck(board.s, third)
    put(board.s, third, DISCARD)
    name_open_cards(board.s)
    zones = [ZONES[board.s.zone[k]] for k in (first, second, third)]
    assert zones == ["discard", "discard", "hand"]


def test_of_several_at_once_those_in_play_come_first(board) -> None:
    first, second, third = copies(board, TRIPLE)
    for number, zone in ((second, DISCARD), (third, AT_MISSION)):
        remove_from_deck(board.s, number)
        put(board.s, number, zone)
    name_open_cards(board.s)
    zones = [ZONES[board.s.zone[k]] for k in (first, second, third)]
    assert zones == ["at_mission", "discard", "deck"]


def test_hidden_copies_are_called_by_the_free_places(board) -> None:
    """By hand, then deck from the top; the player with the lists calls his own by their places."""
    first, second, third = copies(board, TRIPLE)
    s, r = board.s, board.r
    hold(board, third)
    remove_from_deck(s, second)
    push_deck(s, second)
    for number in (third, second):
        note_seen(s, HERO, number)
    # In the order of `ZONES` the deck comes before the hand.
    assert shown_as(r, s, HERO, second) == first
    assert shown_as(r, s, HERO, third) == second
    assert called(r, s, HERO, first) == second
    assert called(r, s, HERO, second) == third
    assert [shown_as(r, s, VILLAIN, k) for k in (first, second, third)] == [first, second, third]


def test_without_open_lists_cards_are_called_by_the_first_places() -> None:
    """Names tell nothing of the rest of the list: seen cards in the order of the list."""
    board = Table(CARTER, TEALC)
    rules_ = board.rules.copy()
    rules_.flags.writeable = True
    rules_[0].open_lists = 0
    low, high = sorted(board.card(card_id, VILLAIN) for card_id in (FIRST, SECOND))
    first = VILLAIN * SEAT_STRIDE + 16
    for number in (high, low):
        remove_from_deck(board.s, number)
        put(board.s, number, DISCARD)
        name_open_cards(board.s)
        seen = [k for k in (low, high) if board.s.zone[k] == DISCARD]
        numbers = [shown_as(rules_[0], board.s, HERO, k) for k in seen]
        assert numbers == [first + k for k in range(len(seen))]
        assert [called(rules_[0], board.s, HERO, k) for k in numbers] == seen
    assert shown_as(rules_[0], board.s, VILLAIN, high) == high


NOT_CARDS = {
    "power",
    "carried_n",
    "delay_n",
    "frame_n",
    "frame_answer",
    "pending_clause",
}
"""Numbers of 16 bits that are no cards. An answer is used up before names change."""


def test_exchanging_names_reaches_every_field_with_cards() -> None:
    """Fields by card, numbers of cards and sets of cards, but for what is derived from them."""
    source = Path(naming.__file__).read_text(encoding="utf-8")
    mentioned = set(re.findall(r"\bs\.([a-z_]+)", source[source.index("def swap_names") :]))
    words, ids = STATE["named"].shape, STATE["kind"].shape
    for name in sorted({*used_fields(STATE)} - {*HEADER_FIELDS} - DERIVED_FIELDS):
        field = STATE[name]
        base = field.base
        is_set = base == np.uint64 and field.shape[-1:] == words
        is_by_card = field.shape[:1] == ids
        is_number = base == np.int16 and name not in NOT_CARDS
        is_by_place = name in ("deck", "missions")
        is_length = name.endswith("_count") or name == "delay_moment"
        is_about_cards = is_set or is_by_card or is_number
        assert (name in mentioned) == is_about_cards or is_by_place or is_length, name


# --- random games ---------------------------------------------------------------------------------


def random_states(seed, count):
    """Positions of random games, with the record of the rules."""
    rng = Random(seed)
    while True:
        board = Table(CARTER, TEALC, seed=rng.randrange(10**6))
        r, s = board.r, board.s
        s.rng = seed_to_word(rng.randrange(10**6))
        rules.new_game(r, s)
        for _ in range(count):
            if s.end_reasons or s.is_truncated:
                break
            yield r, s
            s.legal[:] = 0
            legal_actions(r, s)
            legal = [k for k in range(ACTIONS.count) if int(s.legal[k >> 6]) >> (k & 63) & 1]
            rules.apply_action(r, s, rng.choice(legal))


def test_knowledge_fits_the_zones() -> None:
    """Open cards are known to all and named, hidden ones to those who can know them."""
    for _, s in islice(random_states(5, 300), 0, 900, 10):
        board = np.unpackbits(s.named.view(np.uint8), bitorder="little")
        for number in np.flatnonzero(s.zone).tolist():
            zone, known, owner = int(s.zone[number]), int(s.known[number]), number // SEAT_STRIDE
            is_open = OPEN_ZONES >> zone & 1
            assert not is_open or known == 0b11
            can_be_named = not CLOSED_ZONES >> zone & 1 and known == 0b11
            assert board[number] == can_be_named
            if zone in (HAND, TUCKED):
                assert known >> owner & 1
            assert zone != LOOKED_AT or known


def test_exchanging_names_twice_changes_nothing() -> None:
    rng = Random("exchange")
    for _, s in islice(random_states(8, 200), 20, 400, 40):
        first, second = rng.choice(hidden_pairs(s))
        other = allocate(STATE, 1)
        other[0] = s
        swap_names(other[0], first, second)
        assert other[0].zone[first] == s.zone[second]
        assert other[0].known[first] == s.known[second]
        assert other[0].tobytes() != s.tobytes()
        swap_names(other[0], first, second)
        other[0].is_stale = s.is_stale
        assert other[0].tobytes() == s.tobytes()


def hidden_pairs(s):
    """Pairs of copies that both lie hidden."""
    hidden = [k for k in np.flatnonzero(s.zone).tolist() if s.zone[k] in (DECK, HAND)]
    return [(a, b) for a in hidden for b in hidden if a < b and s.kind[a] == s.kind[b]]
