"""Decks of the Stargate TCG and the checks of RULES.md §4."""

from dataclasses import replace

import pytest

from stargate_env.components import load_cards
from stargate_env.decks import (
    OFFICIAL_DECKS,
    Deck,
    check_deck,
    deck_from_csv,
    deck_from_json,
    load_deck,
    official_deck,
    parse_deck,
    random_deck,
    require_legal,
)
from stargate_env.sizes import HERO
from tabletop_core.errors import TabletopError

POOL = load_cards()
CARTER = official_deck("carter")


def codes(deck, **options):
    return [finding.code for finding in check_deck(deck, **options)]


@pytest.mark.parametrize("name", OFFICIAL_DECKS)
def test_official_decks_are_legal(name):
    deck = official_deck(name)
    assert check_deck(deck, unique_missions=True) == ()
    sides = [POOL.by_id[card_id].side for card_id in deck.deck]
    assert (sides.count(HERO), len(sides)) == (20, 44)
    assert sum(POOL.by_id[card_id].point_value for card_id in deck.team) in (14, 15)


def test_an_unknown_official_deck_is_refused():
    with pytest.raises(TabletopError, match="there are carter, jackson"):
        official_deck("kirk")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"deck": (*CARTER.deck, "XX-001")}, ["E_UNKNOWN_CARD"]),
        ({"team": CARTER.team[:3]}, ["E_TEAM_SIZE"]),
        ({"team": (*CARTER.team[:3], "BS-045")}, ["E_TEAM_TYPE"]),
        ({"team": (*CARTER.team[:3], CARTER.team[0])}, ["E_TEAM_DUPLICATE"]),
        ({"missions": CARTER.missions[:11]}, ["E_MISSION_COUNT", "E_MISSION_MIX"]),
        (
            {"missions": (*CARTER.missions[:11], "BS-004")},
            ["E_MISSION_TYPE", "E_MISSION_MIX"],
        ),
        ({"deck": (*CARTER.deck, "BS-165")}, ["E_MISSION_IN_DECK"]),
        ({"deck": (*CARTER.deck, "BS-105")}, ["W_TEAM_NOT_STARTING"]),
    ],
)
def test_each_check_has_its_code(changes, expected):
    deck = replace(CARTER, **changes)
    assert [code for code in codes(deck) if code != "E_COPIES"] == expected


def test_missing_sides_and_too_many_cards():
    heroes = tuple(card for card in CARTER.deck if POOL.by_id[card].side == HERO)
    villains = tuple(card for card in CARTER.deck if POOL.by_id[card].side != HERO)
    assert codes(replace(CARTER, deck=heroes)) == ["E_VILLAIN_MIN"]
    assert codes(replace(CARTER, deck=villains)) == ["E_HERO_MIN"]
    assert codes(replace(CARTER, deck=heroes[:19] + villains)) == ["E_HERO_MIN"]
    big = random_deck(1, size=120)
    assert codes(big) == []
    extra = next(card for card in CARTER.deck if card not in big.deck)
    assert codes(replace(big, deck=(*big.deck, extra))) == ["E_DECK_CAPACITY"]


def test_a_mission_twice_is_an_option():
    skill = POOL.by_id[CARTER.missions[0]].mission_skill
    same = [card for card in CARTER.missions if POOL.by_id[card].mission_skill == skill]
    others = tuple(card for card in CARTER.missions if card not in same)
    deck = replace(CARTER, missions=(*others, same[0], same[0], same[1]))
    assert codes(deck) == []
    assert codes(deck, unique_missions=True) == ["E_MISSION_DUPLICATE"]


def test_a10_all_violations_at_once():
    """§15 A10: 19 villain cards, 4 copies of a title with two subtitles, 4 Combat, 2 Science."""
    heroes = tuple(card for card in CARTER.deck if POOL.by_id[card].side == HERO)
    apophis = ("BS-003", "BS-003", "BS-004", "BS-004")
    obstacles = ("BS-219",) * 3 + ("BS-260",) * 3 + ("BS-265",) * 3 + ("BS-272",) * 3
    obstacles += ("BS-277",) * 3
    deck = replace(CARTER, deck=heroes + apophis + obstacles)
    skills = {card: POOL.by_id[card].mission_skill for card in CARTER.missions}
    science = [card for card in CARTER.missions if skills[card] == 1]
    missions = tuple(card for card in CARTER.missions if card != science[0])
    combat = next(c for c in POOL.cards if c.mission_skill == 2 and c.card_id not in missions)
    deck = replace(deck, missions=(*missions, combat.card_id))
    found = check_deck(deck)
    assert [finding.code for finding in found] == [
        "E_MISSION_MIX",
        "E_MISSION_MIX",
        "E_VILLAIN_MIN",
        "E_COPIES",
    ]
    assert "Apophis appears 4 times" in found[-1].message
    with pytest.raises(TabletopError, match="E_VILLAIN_MIN: the deck needs 20 villain cards"):
        require_legal(deck)


def test_a11_a_starting_character_counts_as_a_copy():
    """§15 A11."""
    tealc = official_deck("tealc")
    copies = tuple(
        card.card_id for card in POOL.cards if card.title == "Teal'c" and card.is_character
    )
    assert codes(replace(tealc, deck=(*tealc.deck, *copies[:2]))) == []
    assert "E_COPIES" in codes(replace(tealc, deck=(*tealc.deck, *copies[:3])))


def test_lists_are_read_in_three_forms(tmp_path):
    text = CARTER.to_text().replace("2 BS-072", "2 BS-072 Osbourne  # a comment")
    ordered = parse_deck(text, "carter")
    assert ordered.deck == tuple(sorted(CARTER.deck))
    assert deck_from_csv(CARTER.to_csv(), "carter") == ordered
    assert deck_from_json(CARTER.to_json()) == CARTER
    for name, content in (
        ("a.txt", CARTER.to_text()),
        ("a.csv", CARTER.to_csv()),
        ("a.json", CARTER.to_json()),
    ):
        (tmp_path / name).write_text(content, encoding="utf-8")
        loaded = load_deck(tmp_path / name)
        assert sorted(loaded.deck) == sorted(CARTER.deck)
        assert check_deck(loaded) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3 BS-001", "'' is none of team, missions, deck"),
        ("[deck]\nthree BS-001", "'three' is no number of cards"),
        ("[sideboard]\n1 BS-001", "'sideboard' is none of"),
    ],
)
def test_malformed_lists_are_refused(text, expected):
    with pytest.raises(TabletopError, match=expected):
        parse_deck(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("section,card_id\n", "the columns quantity are missing"),
        ("section,card_id,quantity\rdeck,BS-001,three", "'three' is no number of cards"),
        (f"section,card_id,quantity\n{'x' * 200_000}", "no CSV"),
    ],
)
def test_malformed_csv_is_refused(text, expected):
    with pytest.raises(TabletopError, match=expected):
        deck_from_csv(text)


@pytest.mark.parametrize("text", ["[" * 100_000, "[", "[]", '{"team": []}', '{"team": [1]}'])
def test_malformed_json_is_refused(text):
    with pytest.raises(TabletopError):
        deck_from_json(text)


def test_random_decks_are_legal_and_seeded():
    decks = [random_deck(seed) for seed in range(30)]
    assert all(check_deck(deck, unique_missions=True) == () for deck in decks)
    assert decks[3] == random_deck(3) and decks[3] != decks[4]
    assert len({card for deck in decks for card in deck.deck}) > 400
    with pytest.raises(TabletopError, match="size must be"):
        random_deck(1, size=39)


def test_an_empty_list_reports_everything():
    found = set(codes(Deck("empty", (), (), ())))
    assert found == {
        "E_TEAM_SIZE",
        "E_MISSION_COUNT",
        "E_MISSION_MIX",
        "E_HERO_MIN",
        "E_VILLAIN_MIN",
    }
