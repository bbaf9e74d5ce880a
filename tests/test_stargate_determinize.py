"""`determinize`: what a player cannot know is drawn again, and nothing else changes (§3.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import islice, permutations
from random import Random
from typing import Any

import numpy as np
from stargate_positions import CARTER, POOL, TEALC, Table, deck_with
from stargate_rulesets import observe, seen_positions
from worlds import World, check_frequencies, uniform

from stargate_env.decks import Deck
from stargate_env.determinize import determinize
from stargate_env.sizes import GEAR, MISSION, OBSTACLE
from stargate_env.stargate_v0 import GAME
from stargate_env.state import (
    COMPLICATION,
    DECK,
    DISCARD,
    FIRST_DECK_CARD,
    HAND,
    MISSIONS,
    NUM_ZONES,
    PROMPTS,
    SEAT_STRIDE,
)
from stargate_env.table import (
    draw_cards,
    note_seen,
    put,
    remove_from_deck,
    shuffle_deck,
    shuffle_missions,
)
from tabletop_core import engine
from tabletop_core.game import Array, Ruleset
from tabletop_core.rng import seed_to_word
from tabletop_core.session import Session

HERO, VILLAIN = 0, 1

# --- nothing that is known changes ----------------------------------------------------------------


def test_nothing_known_changes() -> None:
    """In random games with open and other lists, seen by every player."""
    rng = Random("consistent")
    prompts = set()
    changed = 0
    for ruleset, state in islice(seen_positions("consistent"), 0, 3_000, 12):
        for player in range(ruleset.num_players):
            other = redrawn(ruleset, state, player, rng.getrandbits(63))
            assert observe(ruleset, other, player).tobytes() == seen(ruleset, state, player)
            view = GAME.view_to_json(ruleset, state, player)
            assert GAME.view_to_json(ruleset, other, player) == view
            check_cards(ruleset, other[0])
            if player == state[0].current_player:
                assert other[0].legal.tobytes() == state[0].legal.tobytes()
            changed += other[0].deck.tobytes() != state[0].deck.tobytes()
        prompts.add(PROMPTS[state[0].prompt])
    assert changed > 100
    assert {"main", "target", "may", "continue", "fate", "recipient"} <= prompts


def seen(ruleset: Ruleset, state: Array, player: int) -> bytes:
    return observe(ruleset, state, player).tobytes()


def redrawn(ruleset: Ruleset, state: Array, player: int, seed: int) -> Array:
    other = state.copy()
    other[0].rng = seed_to_word(seed)
    engine.determinize_one(ruleset.record, other, player)
    return other


def check_cards(ruleset: Ruleset, s: np.record) -> None:
    """The cards of each list are those of one of the player's decks, each in one place."""
    r = ruleset.record[0]
    for seat in range(ruleset.num_players):
        deck = int(s.deck_number[seat])
        assert deck in ruleset.tables.choices[seat]
        first, size = seat * SEAT_STRIDE, int(r.deck_length[deck])
        kinds = s.kind[first : first + size]
        assert sorted(kinds) == sorted(r.deck_kind[deck, :size])
        assert (s.zone[first : first + size] > 0).all()
        is_mission = r.card_type[kinds] == MISSION
        assert (np.flatnonzero(is_mission) == range(4, 16)).all()
        zones = members(s, DECK), members(s, MISSIONS)
        piles = s.deck[seat][: s.deck_size[seat]], s.missions[seat][: s.missions_size[seat]]
        for zone, pile in zip(zones, piles, strict=True):
            own = [card - first for card in zone if card // SEAT_STRIDE == seat]
            assert sorted(pile) == own
    assert sorted(s.complications[: s.complication_count]) == members(s, COMPLICATION)
    assert sum(len(members(s, zone)) for zone in range(NUM_ZONES)) == np.count_nonzero(s.zone)


def members(s: np.record, zone: int) -> list[int]:
    flags = np.unpackbits(s.zones[zone].view(np.uint8), bitorder="little")
    return [int(card) for card in np.flatnonzero(flags)]


def test_same_seed_same_world() -> None:
    ruleset, state = next(islice(seen_positions("seed"), 60, None))
    worlds = [redrawn(ruleset, state, 1, seed).tobytes() for seed in (7, 7, 8, 9)]
    assert worlds[0] == worlds[1]
    assert len(set(worlds)) == 3


# --- every world with the same chance -------------------------------------------------------------


class Small(Table):
    """Few hidden cards: the villain's are two in the hand and two in the deck, all different."""

    def __init__(self, villain_deck: Any = TEALC) -> None:
        super().__init__(CARTER, villain_deck)
        s = self.s
        cards = self.tables.lists[VILLAIN]
        numbers = range(VILLAIN * SEAT_STRIDE + FIRST_DECK_CARD, VILLAIN * SEAT_STRIDE + len(cards))
        different = {cards[number % SEAT_STRIDE].card_id: number for number in numbers}
        self.hidden = list(different.values())[:4]
        for seat in (HERO, VILLAIN):
            shuffle_deck(s, seat)
            shuffle_missions(s, seat)
        for number in numbers:
            if number not in self.hidden:
                remove_from_deck(s, number)
                put(s, number, DISCARD)
        draw_cards(s, VILLAIN, 2)
        self.start()

    def worlds(self, count: int, read: Callable[[np.record], World]) -> Counter[World]:
        """How often each world comes up for the hero."""
        found: Counter[World] = Counter()
        other = self.state.copy()
        for seed in range(count):
            other[:] = self.state
            other[0].rng = seed_to_word(seed)
            determinize(self.r, other[0], HERO)
            found[read(other[0])] += 1
        return found


def hand_and_deck(s: np.record) -> World:
    """The villain's hand, sorted, and deck from the bottom."""
    hand = [card for card in members(s, HAND) if card // SEAT_STRIDE == VILLAIN]
    deck = s.deck[VILLAIN][: s.deck_size[VILLAIN]].tolist()
    return tuple(hand), tuple(VILLAIN * SEAT_STRIDE + place for place in deck)


def test_hands_and_decks_are_uniform() -> None:
    board = Small()
    worlds = {(tuple(sorted(p[:2])), tuple(p[2:])) for p in permutations(board.hidden)}
    assert len(worlds) == 12
    check_frequencies(board.worlds(600, hand_and_deck), uniform(sorted(worlds)))


def test_known_cards_stay_where_they_are() -> None:
    """§3.1: one card of the hand is known, then the top of the deck besides."""
    board = Small()
    hand, deck = hand_and_deck(board.s)
    known, top = hand[0], deck[-1]
    note_seen(board.s, HERO, known)
    rest = [card for card in board.hidden if card != known]
    worlds = [(tuple(sorted((known, p[0]))), tuple(p[1:])) for p in permutations(rest)]
    check_frequencies(board.worlds(300, hand_and_deck), uniform(sorted(worlds)))
    note_seen(board.s, HERO, top)
    last = [card for card in rest if card != top]
    worlds = [(tuple(sorted((known, p[0]))), (p[1], top)) for p in permutations(last)]
    check_frequencies(board.worlds(120, hand_and_deck), uniform(sorted(worlds)))


def test_complications_are_drawn_with_the_hand_and_the_deck() -> None:
    """§8.2: any of the four can lie face down."""
    board = Small()
    hand, _ = hand_and_deck(board.s)
    put(board.s, hand[0], COMPLICATION)
    board.s.complications[0] = hand[0]
    board.s.complication_count = 1
    worlds = [(card,) for card in board.hidden]
    found = board.worlds(400, lambda s: (int(s.complications[0]),))
    check_frequencies(found, uniform(worlds))
    note_seen(board.s, HERO, hand[0])
    assert set(board.worlds(20, lambda s: (int(s.complications[0]),))) == {(hand[0],)}


def test_the_own_piles_are_shuffled_and_the_own_hand_stays() -> None:
    board = Small()
    own = int(board.s.deck[HERO][0])
    remove_from_deck(board.s, own)
    put(board.s, own, HAND)
    deck = sorted(board.s.deck[HERO][: board.s.deck_size[HERO]].tolist())
    tops = set()
    for seed in range(30):
        other = board.state.copy()
        other[0].rng = seed_to_word(seed)
        determinize(board.r, other[0], HERO)
        s = other[0]
        assert s.zone[own] == HAND
        assert sorted(s.deck[HERO][: s.deck_size[HERO]].tolist()) == deck
        tops.add(int(s.deck[HERO][s.deck_size[HERO] - 1]))
    assert len(tops) > 10


# --- lists that are not open ----------------------------------------------------------------------


def twins() -> tuple[Deck, ...]:
    """Three decks that differ in one villain card."""
    titles = {POOL.by_id[card_id].title for card_id in (*TEALC.team, *TEALC.deck)}
    quiet = [
        card.card_id
        for card in POOL.cards
        if card.card_type == OBSTACLE and card.effect == "NONE" and card.title not in titles
    ]
    removed = next(k for k in TEALC.deck if POOL.by_id[k].card_type == OBSTACLE)
    kept = list(TEALC.deck)
    kept.remove(removed)
    others = [replace(TEALC, name=card_id, deck=(*kept, card_id)) for card_id in quiet[:2]]
    return (TEALC, *others)


TWINS = twins()


def test_another_list_is_one_that_agrees_with_all_cards_known() -> None:
    """§3.1: each such deck of the player with the same chance, and its cards mixed as well."""
    session = Session(GAME.ruleset(2, decks=("carter", TWINS), open_lists=False))
    session.reset(3)
    s = session.state[0]
    numbers = [(deck,) for deck in session.ruleset.tables.choices[VILLAIN]]
    check_frequencies(decks_of(session, 300), uniform(numbers))
    # A card that only the true deck has more often than the others becomes known.
    true = int(s.deck_number[VILLAIN])
    cards = lists_of(session, true)
    others = [lists_of(session, deck) for (deck,) in numbers if deck != true]
    rare = next(c for c in cards if all(k.count(c) < cards.count(c) for k in others))
    for place, card in enumerate(cards):
        if card == rare:
            note_seen(s, HERO, VILLAIN * SEAT_STRIDE + place)
    assert set(decks_of(session, 30)) == {(true,)}


def lists_of(session: Session, deck: int) -> Any:
    return session.ruleset.tables.lists[deck]


def decks_of(session: Session, count: int) -> Counter[World]:
    """How often the villain's list is each deck when the hero's knowledge is filled up."""
    found: Counter[World] = Counter()
    for seed in range(count):
        other = redrawn(session.ruleset, session.state, HERO, seed)
        check_cards(session.ruleset, other[0])
        found[int(other[0].deck_number[VILLAIN]),] += 1
    return found


# --- texts under way ------------------------------------------------------------------------------


def test_what_others_search_for_is_found_where_it_lies_now() -> None:
    """C8: the villain cannot know which cards of the hero's deck fit."""
    gear = next(k for k in CARTER.deck if POOL.by_id[k].card_type == GEAR)
    board = Table(deck_with(CARTER, "BS-116"), TEALC)
    for seat in (HERO, VILLAIN):
        shuffle_deck(board.s, seat)
        shuffle_missions(board.s, seat)
    board.give(HERO, "BS-116", gear)
    draw_cards(board.s, HERO, 5)
    board.start(power=9).do("play BS-116")
    if "done" not in board.legal:  # a team character pays for the event
        board.do(board.legal[0])
    assert board.player == HERO and "done" in board.legal
    found = set()
    for seed in range(40):
        other = board.state.copy()
        other[0].rng = seed_to_word(seed)
        determinize(board.r, other[0], VILLAIN)
        found.add(tuple(candidates(other[0])))
        assert candidates(other[0]) == gear_in_deck(board, other[0])
    assert len(found) > 1


def test_what_one_searches_for_stays() -> None:
    """C8: the hero sees which cards of his own deck fit, but not where in it they lie."""
    board = Table(deck_with(CARTER, "BS-116"), TEALC)
    for seat in (HERO, VILLAIN):
        shuffle_deck(board.s, seat)
        shuffle_missions(board.s, seat)
    board.give(HERO, "BS-116")
    board.start(power=9).do("play BS-116")
    if "done" not in board.legal:  # a team character pays for the event
        board.do(board.legal[0])
    fitting = candidates(board.s)
    assert fitting == gear_in_deck(board, board.s) and len(fitting) > 1
    orders = set()
    for seed in range(20):
        other = board.state.copy()
        other[0].rng = seed_to_word(seed)
        determinize(board.r, other[0], HERO)
        assert candidates(other[0]) == fitting == gear_in_deck(board, other[0])
        orders.add(other[0].deck[HERO].tobytes())
    assert len(orders) > 1


def candidates(s: np.record) -> list[int]:
    words = s.frame_candidates[int(s.frame_count) - 1]
    return [int(k) for k in np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))]


def gear_in_deck(board: Table, s: np.record) -> list[int]:
    deck = [card for card in members(s, DECK) if card // SEAT_STRIDE == HERO]
    return [card for card in deck if board.r.card_type[s.kind[card]] == GEAR]
