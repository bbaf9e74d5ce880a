"""What players see of the Stargate TCG: the layout, all of what they may know, and nothing else."""

from __future__ import annotations

from itertools import islice
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from observation_checks import (
    check_old_contents_are_overwritten,
    check_same_view,
    check_seats,
    check_views,
)
from stargate_positions import CARTER, TEALC, Table
from stargate_rulesets import observe, seen_positions

from stargate_env import observation_layout as module
from stargate_env.components import load_cards
from stargate_env.features import card_features, feature_names
from stargate_env.frames import push_frame
from stargate_env.naming import name_open_cards
from stargate_env.observation import observe as observe_kernel
from stargate_env.observation_layout import OBSERVATION, OBSERVATION_6, SEATS_START, per_seat
from stargate_env.sizes import LIST_SIZE, MISSION
from stargate_env.state import (
    AT_MISSION,
    FIRST_DECK_CARD,
    FIRST_MISSION,
    MAX_PLAYERS,
    SEAT_STRIDE,
    STALE,
)
from stargate_env.table import (
    draw_cards,
    note_seen,
    push_deck,
    put,
    remove_from_deck,
    shuffle_deck,
    shuffle_missions,
)
from stargate_env.view import view_to_json
from tabletop_core import engine
from tabletop_core.game import Array, Json, Ruleset

POOL = load_cards()

# --- layout ---------------------------------------------------------------------------------------


def test_offsets_follow_the_layouts() -> None:
    """Fields of the table have one place in both layouts; those by seats go by size."""
    for layout, seats in ((OBSERVATION, 2), (OBSERVATION_6, 6)):
        for field in layout.fields:
            first = layout.first(field.name)
            if first < SEATS_START:
                assert getattr(module, f"AT_{field.name.upper()}") == first
            else:
                by = getattr(module, f"BY_{field.name.upper()}")
                assert by == per_seat(field.name)
                assert SEATS_START + seats * by == first
                assert field.shape[0] == seats
    names = [field.name for field in OBSERVATION.fields]
    assert names == [field.name for field in OBSERVATION_6.fields]


def test_rows_are_the_places_of_the_lists() -> None:
    rows = [field for field in OBSERVATION.fields if field.shape[:2] == (2, LIST_SIZE)]
    assert {field.name for field in rows} >= {"card", "zone", "condition", "rating", "cost"}
    assert OBSERVATION.size < 12_000 < OBSERVATION_6.size < 30_000


# What comes up too seldom in a few games; `test_stargate_state_shown.py` is about these.
RARE = {
    *(
        field.name
        for field in OBSERVATION.fields
        if field.name.startswith(("text_", "pending_", "delay_", "standing_", "mark_"))
    ),
    "delayed",
    "end_reasons",
    "is_truncated",
    "must_continue",
    "skipped_turns",
    "judged",
    "limit",
    "carried_n",
    "firepower_total",
    "battle_seat",
    "winner_seat",
    "firepower",
    "marked",
    "is_trigger",
    "tokens",
    "used",
    "seen",
    "exposed",
}


def test_fields_are_used_and_in_range() -> None:
    used: set[str] = set()
    for ruleset, state in islice(seen_positions("ranges"), 0, 3_000, 6):
        layout = ruleset.game.observation
        for player in range(ruleset.num_players):
            seen = observe(ruleset, state, player)
            assert (seen <= layout.high()).all()
            used.update(name for name, part in layout.split(seen).items() if part.any())
    assert {field.name for field in OBSERVATION.fields} - used <= RARE


def test_old_contents_are_overwritten() -> None:
    for position in islice(seen_positions("overwritten"), 0, 400, 100):
        check_old_contents_are_overwritten(position)


# --- decode: nothing missing, nothing extra -------------------------------------------------------


@pytest.mark.parametrize("part", range(2))
def test_decoded_observation_is_the_view(part: int) -> None:
    check_views(islice(seen_positions(f"views {part}"), 0, 2_000, 5), Random(part))


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_many_decoded_observations(part: int) -> None:
    check_views(islice(seen_positions(f"many views {part}"), 10_000), Random(part))


# --- a view in words ------------------------------------------------------------------------------

# Two different obstacles of the villain's deck; the second one three times.
KNOWN = next(card_id for card_id in TEALC.deck if card_id.startswith("BS-2"))
TRIPLE = next(card_id for card_id in reversed(TEALC.deck) if TEALC.deck.count(card_id) == 3)
HERO, VILLAIN = 0, 1


@pytest.fixture
def board() -> Table:
    """The first turn of player 0 with an empty hand; nothing is known of the piles."""
    table = Table(CARTER, TEALC)
    for seat in (HERO, VILLAIN):
        shuffle_deck(table.s, seat)
        shuffle_missions(table.s, seat)
    return table.start()


def view_of(board: Table, player: int) -> Json:
    ruleset: Any = SimpleNamespace(record=board.rules, tables=board.tables, num_players=2)
    return view_to_json(ruleset, board.state, player)


def seen_by(board: Table, player: int) -> Array:
    seen = np.zeros(OBSERVATION.size, np.uint8)
    observe_kernel(board.r, board.s, player, seen)
    return seen


def draw(board: Table, number: int) -> None:
    """A card of the villain's deck comes to the hand."""
    remove_from_deck(board.s, number)
    push_deck(board.s, number)
    draw_cards(board.s, VILLAIN, 1)


def test_a_hand_is_seen_by_its_owner_alone(board: Table) -> None:
    number = board.card(KNOWN, VILLAIN)
    before = view_of(board, HERO)["seats"][1]
    draw(board, number)
    own = view_of(board, VILLAIN)["seats"][0]
    other = view_of(board, HERO)["seats"][1]
    assert own["cards"][f"{KNOWN}.1"]["zone"] == "hand"
    assert other["hand_count"] == before["hand_count"] + 1
    assert other["deck_count"] == before["deck_count"] - 1
    assert other["cards"] == before["cards"]
    assert f"{KNOWN}.1" in other["hidden"]


def test_known_hidden_cards_are_seen_where_they_lie(board: Table) -> None:
    """§3.1: in a hand, on a pile; copies by free places. The owner sees that others know."""
    held, top = board.card(KNOWN, VILLAIN), copies(board, TRIPLE)[1]
    draw(board, held)
    note_seen(board.s, HERO, held)
    remove_from_deck(board.s, top)
    push_deck(board.s, top)
    note_seen(board.s, HERO, top)
    cards = view_of(board, HERO)["seats"][1]["cards"]
    assert cards[f"{KNOWN}.1"]["zone"] == "hand"
    assert cards[f"{TRIPLE}.1"] == {"zone": "deck", "depth": 1}
    own = view_of(board, VILLAIN)["seats"][0]["cards"]
    assert own[f"{KNOWN}.1"]["exposed"] == [1]


def copies(board: Table, card_id: str) -> list[int]:
    cards = board.tables.lists[VILLAIN]
    return [VILLAIN * SEAT_STRIDE + k for k, card in enumerate(cards) if card.card_id == card_id]


def test_complications_are_seen_as_slots(board: Table) -> None:
    """§8.2: by all; which card it is by its owner."""
    draw(board, board.card(KNOWN, VILLAIN))
    board.s.power[:] = 5
    board.look_again()
    board.do("pass", f"complicate with {KNOWN}")
    hero, villain = view_of(board, HERO), view_of(board, VILLAIN)
    assert hero["complications"] == [{"seat": 1, "difficulty": 1}]
    assert villain["complications"] == [{"seat": 0, "difficulty": 1}]
    assert villain["seats"][0]["cards"][f"{KNOWN}.1"] == {"zone": "complication", "slot": 1}
    assert f"{KNOWN}.1" in hero["seats"][1]["hidden"]


def test_what_few_games_show(board: Table) -> None:
    """Fields that random games fill too seldom, set by hand."""
    r, s = board.r, board.s
    clause = int(r.first_clause[s.kind[0]])
    while r.clause_start[clause + 1] == r.clause_start[clause]:
        clause += 1
    kind = int(np.flatnonzero(r.first_clause <= clause)[-1])
    number = int(r.number[kind]) + 1
    s.tokens[0], s.used[0] = 2, 0b101
    s.mark_maker[0], s.mark_card[0], s.mark_count = 1, 2, 1
    s.winner, s.battle_winner = VILLAIN, HERO
    s.delay_moment[3], s.delay_address[3] = 1, r.clause_start[clause]
    push_frame(s, int(r.clause_start[clause]), 0, HERO, 0)
    s.frame_trigger[0] = 3
    held = board.card(KNOWN, VILLAIN)
    draw(board, held)
    note_seen(s, HERO, held)
    part = OBSERVATION.split(seen_by(board, VILLAIN))
    assert part["tokens"][1, 0] == 2 and part["used"][1, 0] == 0b101
    assert part["marked"][1, 2] == part["is_source"][1, 0] == part["is_trigger"][1, 3] == 1
    assert part["winner_seat"].tolist() == [1, 0] and part["battle_seat"].tolist() == [0, 1]
    for name, place in (("delay", 3), ("text", 0)):
        pair = part[f"{name}_card"][place]
        assert pair[0] + 256 * int(pair[1]) == number
    assert part["delay_clause"][3] == part["text_clause"][0] == clause - r.first_clause[kind] + 1
    assert part["exposed"][0, held % SEAT_STRIDE] == 0b10  # seat 1 knows it


def test_cards_are_rows_of_the_table_of_features(board: Table) -> None:
    features, names = card_features(POOL), feature_names()
    assert features.shape == (1 + len(POOL.cards), len(names)) and not features[0].any()
    assert len(set(names)) == len(names)
    pairs = OBSERVATION.split(seen_by(board, HERO))["card"].astype(int)
    numbers = pairs[..., 0] + 256 * pairs[..., 1]
    for seat in (HERO, VILLAIN):
        cards = board.tables.lists[seat]
        for place, card in enumerate(cards):
            row = dict(zip(names, features[numbers[seat, place]], strict=True))
            assert row["cost"] == (card.cost or 0) and row["has:cost"] == (card.cost is not None)
            assert row[f"type:{card.type_name}"] == 1
            assert sum(row[f"trait:{trait}"] for trait in card.traits) == len(card.traits)
        assert not numbers[seat, len(cards) :].any()


# --- nothing hidden -------------------------------------------------------------------------------


def test_the_observation_depends_on_nothing_hidden() -> None:
    """§3.1: any exchange of hidden cards, and with lists that are not open other cards."""
    rng = np.random.default_rng(5)
    exchanged = 0
    for ruleset, state in islice(seen_positions("exchange"), 0, 3_000, 12):
        for player in range(ruleset.num_players):
            other = exchange_hidden(ruleset, state, player, rng)
            exchanged += other[0].deck.tobytes() != state[0].deck.tobytes()
            check_same_view(ruleset, state, other, player)
    assert exchanged > 100


def test_rows_of_own_hidden_cards_tell_only_which_pile() -> None:
    """§3.1: of a card whose place the player does not know nothing is told, whatever texts do."""
    rows = [field.name for field in OBSERVATION.fields if field.shape[:2] == (2, LIST_SIZE)]
    told = {"card", "zone", "candidate", "chosen"}
    for ruleset, state in islice(seen_positions("own hidden cards"), 0, 3_000, 10):
        for player in range(ruleset.num_players):
            known = state[0].known[player * SEAT_STRIDE : player * SEAT_STRIDE + LIST_SIZE]
            hidden = (known >> player & 1) == 0
            part = ruleset.game.observation.split(observe(ruleset, state, player))
            assert not any(part[name][0][hidden].any() for name in set(rows) - told)


def exchange_hidden(ruleset: Ruleset, state: Array, player: int, rng: np.random.Generator) -> Array:
    """A copy with another generator, and other cards wherever the player knows none."""
    other = state.copy()
    s = other[0]
    s.rng = rng.integers(1, 2**63)
    s.decision_count += 1
    s.legal[:] = 0
    for seat in range(ruleset.num_players):
        for section in (range(FIRST_MISSION, FIRST_DECK_CARD), range(FIRST_DECK_CARD, LIST_SIZE)):
            numbers = [seat * SEAT_STRIDE + place for place in section]
            hidden = [k for k in numbers if s.zone[k] and not s.known[k] >> player & 1]
            for _ in range(min(8, len(hidden) // 2)):
                exchange(s, *rng.choice(hidden, 2, replace=False).tolist())
            if not ruleset.record[0].open_lists and seat != player and hidden:
                give_another_card(ruleset, s, int(rng.choice(hidden)), rng)
    s.is_stale = STALE
    return other


SETS_OF_CARDS = ("zones", "frame_candidates", "frame_chosen", "frame_that", "frame_seen")


def exchange(s: np.record, first: int, second: int) -> None:
    """Two hidden cards of one list change places, with what goes by the place."""
    for field in ("zone", "known", "host"):
        values = s[field]
        values[first], values[second] = values[second], values[first]
    for field in SETS_OF_CARDS:
        for words in s[field]:
            has_first, has_second = (
                bool(int(words[k >> 6]) >> (k & 63) & 1) for k in (first, second)
            )
            if has_first != has_second:
                for k in (first, second):
                    words[k >> 6] ^= np.uint64(1 << (k & 63))
    shift = first // SEAT_STRIDE * SEAT_STRIDE
    for numbers, offset in (
        (s.deck[first // SEAT_STRIDE], shift),
        (s.missions[first // SEAT_STRIDE], shift),
        (s.complications, 0),
        (s.modifier_card, 0),
        (s.host, 0),
    ):
        at_first, at_second = numbers == first - offset, numbers == second - offset
        numbers[at_first], numbers[at_second] = second - offset, first - offset


def give_another_card(
    ruleset: Ruleset, s: np.record, number: int, rng: np.random.Generator
) -> None:
    """In the place of a hidden card of the list lies another one of the same section."""
    r = ruleset.record[0]
    kinds = [
        kind
        for kind in range(len(ruleset.tables.kinds))
        if (r.card_type[kind] == MISSION) == (r.card_type[s.kind[number]] == MISSION)
    ]
    s.kind[number] = rng.choice(kinds)
    words = s.hero_side
    words[number >> 6] &= ~np.uint64(1 << (number & 63))
    if not r.is_villain[s.kind[number]]:
        words[number >> 6] |= np.uint64(1 << (number & 63))


def test_equal_copies_look_alike(board: Table) -> None:
    """§16.1: it does not show which of the copies was held and played."""
    start = board.state.copy()
    seen = []
    for number in copies(board, TRIPLE):
        board.state[:] = start
        draw(board, number)
        seen.append(seen_by(board, HERO).tobytes())
        put(board.s, number, AT_MISSION)
        name_open_cards(board.s)
        seen.append(seen_by(board, HERO).tobytes())
    assert len(set(seen)) == 2 and seen[:2] == seen[2:4] == seen[4:]


def test_redrawing_hidden_things_changes_nothing() -> None:
    for ruleset, state in islice(seen_positions("redraw"), 0, 1_500, 15):
        for player in range(ruleset.num_players):
            other = state.copy()
            engine.determinize_one(ruleset.record, other, player)
            check_same_view(ruleset, state, other, player)


# --- relative seats -------------------------------------------------------------------------------

BY_SEAT = {
    "current_seat",
    "hero_seat",
    "villain_seat",
    "first_seat",
    "priority_seat",
    "battle_seat",
    "winner_seat",
    "power",
    "victory_total",
    "glyphs",
    "experience",
    "villain_score",
    "firepower_total",
    "played_count",
    "skipped_turns",
    "hand_count",
    "deck_count",
    "missions_count",
    "condition",
    "tokens",
    "blocked",
    "rating",
    "revive_cost",
    "firepower",
    "used",
    "facts",
    "pending",
    "is_source",
}
"""Fields in which all players see the same, if lists are open."""
PRIVATE = {
    field.name for field in OBSERVATION.fields if OBSERVATION.first(field.name) >= SEATS_START
}
NAMES_SEATS = {field.name for field in OBSERVATION.fields if field.high in (MAX_PLAYERS, LIST_SIZE)}


def test_players_see_the_same_table_from_their_seats() -> None:
    positions = islice(seen_positions("seats"), 0, 2_000, 10)
    check_seats(
        (p for p in positions if p[0].options.open_lists),
        BY_SEAT,
        private=PRIVATE - BY_SEAT | NAMES_SEATS | {"least", "most", "limit"},
    )
