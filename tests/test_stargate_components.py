"""The card pool of the Stargate TCG and what is wrong with a broken one (RULES.md §1)."""

import csv
import io
from collections import Counter

import pytest

from stargate_env.components import COLUMNS, load_cards, parse_cards
from stargate_env.sizes import (
    CARD_TYPES,
    GLYPHS,
    MISSION,
    NUM_SKILLS,
    OBSTACLE,
    SETS,
    SHIP,
    SIDES,
    SKILLS,
    SUPPORT,
    TEAM,
)
from tabletop_core.errors import TabletopError

POOL = load_cards()


def rows_of(*card_ids):
    """Rows of the pool as dictionaries of text."""
    return [row_of(POOL.by_id[card_id]) for card_id in card_ids]


def row_of(card):
    row = {name: getattr(card, name) for name in COLUMNS if hasattr(card, name)}
    row |= dict(zip(SKILLS, card.ratings, strict=True))
    row["card_type"] = CARD_TYPES[card.card_type]
    row["side"] = SIDES[card.side]
    row["traits"] = "|".join(card.traits)
    row["mission_skill"] = None if card.mission_skill is None else SKILLS[card.mission_skill]
    row["glyph"] = None if card.glyph is None else GLYPHS[card.glyph]
    return {name: "" if row[name] is None else str(row[name]) for name in COLUMNS}


def text_of(rows):
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def faults_of(rows):
    with pytest.raises(TabletopError) as caught:
        parse_cards(text_of(rows), "my.csv")
    return str(caught.value)


def test_all_cards_of_the_three_sets_are_there():
    assert Counter(card.set_code for card in POOL.cards) == {"BS": 292, "SL": 292, "RO": 240}
    for code in SETS:
        numbers = [int(card.card_id[3:]) for card in POOL.cards if card.set_code == code]
        assert numbers == list(range(1, len(numbers) + 1))
    types = Counter(CARD_TYPES[card.card_type] for card in POOL.cards)
    assert types == {
        "team_character": 93,
        "support_character": 144,
        "mission": 144,
        "gear": 46,
        "event": 75,
        "obstacle": 209,
        "adversary": 82,
        "ship": 31,
    }


def test_a_known_card_reads_as_printed():
    card = POOL.by_id["BS-004"]
    assert (card.title, card.subtitle) == ("Apophis", "Threat to Earth")
    assert (card.cost, card.ratings, card.revive_cost) == (4, (None, None, 2, 2), 5)
    assert card.traits == ("Goa'uld",)
    assert str(card) == "BS-004 Apophis, Threat to Earth"


@pytest.mark.parametrize("code", SETS)
def test_missions_follow_the_grid_of_the_game(code):
    missions = [card for card in POOL.cards if card.card_type == MISSION and card.set_code == code]
    for skill in range(NUM_SKILLS):
        of_skill = [card for card in missions if card.mission_skill == skill]
        grid = Counter((card.mission_difficulty, card.experience) for card in of_skill)
        expected = {(3, 1): 2, (3, 2): 2, (4, 2): 2, (4, 3): 2, (5, 3): 2, (5, 4): 2}
        assert grid == expected
    assert Counter(card.glyph for card in missions) == dict.fromkeys(range(len(GLYPHS)), 8)


def test_numbers_stay_within_what_is_printed():
    for card in POOL.cards:
        if card.card_type == TEAM:
            assert 2 <= card.point_value <= 6
        if card.card_type == SUPPORT:
            assert 1 <= card.cost <= 6
        if card.card_type == OBSTACLE:
            assert 0 <= card.cost <= 6
        if card.card_type == SHIP:
            assert 1 <= card.firepower <= 4


def test_uniqueness_goes_by_type_and_ships_need_a_subtitle():
    assert all(card.is_unique for card in POOL.cards if card.is_character)
    ships = [card for card in POOL.cards if card.card_type == SHIP]
    assert {card.is_unique for card in ships} == {True, False}
    assert all(card.is_unique == bool(card.subtitle) for card in ships)


def test_a_pool_survives_being_written_and_read():
    again = parse_cards(text_of([row_of(card) for card in POOL.cards]), "again", False)
    assert again.cards == POOL.cards


@pytest.mark.parametrize(
    ("card_id", "changes", "expected"),
    [
        ("BS-004", {"revive_cost": ""}, "revive_cost: is missing: every adversary has one"),
        ("BS-004", {"firepower": "2"}, "firepower: must be empty: no adversary has one"),
        ("BS-004", {"combat": "x"}, "combat: 'x' is not a whole number from 0 to 9"),
        ("BS-004", {"combat": "10"}, "combat: '10' is not a whole number from 0 to 9"),
        ("BS-004", {"combat": "", "ingenuity": ""}, "culture: a adversary has at least one"),
        ("BS-004", {"traits": "Goauld"}, "traits: 'Goauld' is none of Ancient"),
        ("BS-004", {"traits": "Ori|Ori"}, "traits: a trait is named twice"),
        ("BS-004", {"side": "hero"}, "side: a adversary cannot be a hero card"),
        ("BS-004", {"side": "enemy"}, "side: 'enemy' is none of hero, villain"),
        ("BS-004", {"rarity": "M"}, "rarity: 'M' is none of C, U"),
        ("BS-004", {"title": ""}, "title: is missing"),
        ("BS-004", {"card_id": "BS-4"}, "card_id: 'BS-4' is not a set code"),
        ("BS-159", {"glyph": "Aries"}, "glyph: 'Aries' is none of Gemini"),
        ("BS-159", {"cost": "1"}, "cost: must be empty: no mission has one"),
        ("BS-102", {"combat": ""}, "combat: is missing: every team character has one"),
        ("BS-102", {"effect": "ON_FAIL: FREEZE(team,1)"}, "effect: BS-102:10: unknown verb"),
    ],
)
def test_a_broken_row_is_reported(card_id, changes, expected):
    row = rows_of(card_id)[0] | changes
    message = faults_of([row]).replace(" an adversary", " a adversary")
    assert expected in message
    assert "my.csv:2" in message


def test_every_violation_is_reported_at_once():
    rows = rows_of("BS-004", "BS-159", "BS-004")
    rows[0]["revive_cost"] = "-1"
    rows[1]["mission_skill"] = ""
    message = faults_of(rows)
    assert "my.csv:2" in message and "revive_cost" in message
    assert "my.csv:3" in message and "mission_skill: is missing" in message
    assert "my.csv:4" in message and "stands in an earlier line already" in message


def test_a_text_without_the_columns_is_refused():
    with pytest.raises(TabletopError, match="the first line must be card_id,"):
        parse_cards("a,b\n1,2\n", "my.csv")
    with pytest.raises(TabletopError, match="holds no card"):
        parse_cards(",".join(COLUMNS) + "\n", "my.csv")
    with pytest.raises(TabletopError, match="has 2 cells"):
        parse_cards(",".join(COLUMNS) + "\n1,2\n", "my.csv")


def test_a_users_pool_is_read_from_a_file(tmp_path):
    path = tmp_path / "pool.csv"
    path.write_text(text_of(rows_of("BS-004", "BS-159")), encoding="utf-8")
    pool = load_cards(path)
    assert [card.card_id for card in pool.cards] == ["BS-004", "BS-159"]
    assert pool.titles == ("Antarctic Rescue", "Apophis")
