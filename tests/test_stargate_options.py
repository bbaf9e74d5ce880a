"""Options of the Stargate TCG: which decks are played, what is refused (RULES.md §4)."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from option_checks import check_descriptions, check_wrong_value, check_wrong_values_together

from stargate_env.components import load_cards, parse_cards, pool_to_text
from stargate_env.decks import OFFICIAL_DECKS, Deck, check_deck, official_deck, random_deck
from stargate_env.options import (
    MAX_TURNS,
    MAX_TURNS_LIMIT,
    RANDOM_DECKS,
    Options,
    option_decks,
    option_pool,
    option_texts,
    validate,
)
from stargate_env.ruleset import make_rules, make_ruleset
from stargate_env.stargate_v0 import GAME
from stargate_env.state import MAX_DECKS, MAX_PLAYERS
from tabletop_core.errors import TabletopError
from tabletop_core.session import Session

POOL = load_cards()
CARTER = official_deck("carter")
TEALC = official_deck("tealc")


def decks_of(num_players: int, **options: Any) -> list[tuple[Deck, ...]]:
    """The decks that valid options stand for."""
    return option_decks(validate(Options(**options), num_players), num_players)


def names_of(num_players: int, **options: Any) -> list[list[str]]:
    return [[deck.name for deck in decks] for decks in decks_of(num_players, **options)]


def use(**options: Any) -> None:
    validate(Options(**options), 2)


# --- values ---------------------------------------------------------------------------------------


def test_defaults() -> None:
    assert {option.name: option.default for option in fields(Options)} == {
        "ruleset": "default",
        "decks": "starters",
        "open_lists": True,
        "unique_missions": False,
        "max_turns": 100,
    }
    assert MAX_TURNS == 100  # §10


def test_every_option_is_described() -> None:
    check_descriptions(Options)
    assert list(option_texts()) == [option.name for option in fields(Options)]


DECKS_MESSAGE = "use one of starters, official, random, random:number, or an entry for each player"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("ruleset", 5, 'use "default" or the path of a ruleset file'),
        ("decks", None, DECKS_MESSAGE),
        ("decks", 2, DECKS_MESSAGE),
        ("decks", "", DECKS_MESSAGE),
        ("decks", "carter,", DECKS_MESSAGE),
        ("decks", (), DECKS_MESSAGE),
        ("decks", ("carter", ()), DECKS_MESSAGE),
        ("decks", ("carter", 3), DECKS_MESSAGE),
        ("decks", {"carter": 1}, DECKS_MESSAGE),
        ("open_lists", 1, "use True or False"),
        ("unique_missions", "yes", "use True or False"),
        ("max_turns", 0, f"use a whole number from 1 to {MAX_TURNS_LIMIT}"),
        ("max_turns", None, f"use a whole number from 1 to {MAX_TURNS_LIMIT}"),
    ],
)
def test_wrong_values(name: str, value: Any, message: str) -> None:
    check_wrong_value(Options, use, name, value, message)


def test_wrong_values_are_told_together() -> None:
    options = Options(decks="", max_turns=-1)
    check_wrong_values_together(validate, options, ["decks", "max_turns"])


def test_values_become_plain() -> None:
    options: Any = Options(
        decks=["carter", Path("my.csv")],  # type: ignore[list-item]
        open_lists=np.bool_(False),
        max_turns=np.int16(7),
    )
    plain = validate(options, 2)
    assert plain == Options(decks=("carter", "my.csv"), open_lists=False, max_turns=7)
    assert type(plain.open_lists) is bool
    assert type(plain.max_turns) is int
    assert hash(plain) == hash(replace(plain))


# --- decks ----------------------------------------------------------------------------------------


def test_the_default_is_a_starter_deck_for_each_player() -> None:
    for players in range(2, MAX_PLAYERS + 1):
        assert names_of(players) == [[name] for name in OFFICIAL_DECKS[:players]]


def test_words_hold_for_all_players() -> None:
    assert names_of(3, decks="official") == [list(OFFICIAL_DECKS)] * 3
    assert [len(decks) for decks in decks_of(2, decks="random:7")] == [7, 7]
    assert [len(decks) for decks in decks_of(3, decks=("yu", "random:7", ("yu", "random:2")))] == [
        1,
        7,
        3,
    ]


def test_random_decks_are_legal_and_all_different() -> None:
    """§4: every list that `random` draws from passes the checks, also the stricter one."""
    first, second = decks_of(2, decks="random")
    assert first is second and len(first) == RANDOM_DECKS < MAX_DECKS
    assert not [finding for deck in first for finding in check_deck(deck, POOL, True)]
    assert len({(deck.team, deck.missions, deck.deck) for deck in first}) == RANDOM_DECKS
    used = {card for deck in first for card in (*deck.team, *deck.missions, *deck.deck)}
    assert used == set(POOL.by_id)


@pytest.mark.parametrize("number", ["0", "-1", "two", "", "1.5", str(MAX_DECKS + 1), "9" * 5000])
def test_numbers_of_random_decks_are_checked(number: str) -> None:
    for decks in (f"random:{number}", ("yu", ("carter", f"random:{number}"))):
        with pytest.raises(TabletopError, match=f"random decks is from 1 to {MAX_DECKS}"):
            validate(Options(decks=decks), 2)


def test_each_reset_draws_random_decks_anew() -> None:
    session = Session(GAME.ruleset(2, decks="random:6"))
    session.reset(1)
    drawn = set()
    for _ in range(20):
        session.reset(None)
        drawn.add(tuple(session.state[0].deck_number.tolist()))
    assert len(drawn) > 10 and {number for pair in drawn for number in pair} == {*range(6)}


def test_an_entry_for_each_player(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(CARTER.to_csv(), encoding="utf-8")
    mine = random_deck(5)
    assert names_of(2, decks="tealc, carter") == [["tealc"], ["carter"]]
    assert names_of(2, decks=("official", ("yu", mine))) == [
        list(OFFICIAL_DECKS),
        ["yu", "random-5"],
    ]
    (first,), (second,) = decks_of(2, decks=(path, TEALC))
    assert sorted(first.deck) == sorted(CARTER.deck)
    assert second is TEALC


@pytest.mark.parametrize(
    ("decks", "message"),
    [
        ("carter", "there are 1 entries for 2 players"),
        (("carter", "tealc", "yu"), "there are 3 entries for 2 players"),
    ],
)
def test_there_is_an_entry_for_each_player(decks: Any, message: str) -> None:
    with pytest.raises(TabletopError, match=message):
        validate(Options(decks=decks), 2)


def test_decks_that_are_nowhere() -> None:
    with pytest.raises(TabletopError, match="no official deck and no file 'hammond'.*carter"):
        decks_of(2, decks="carter,hammond")


def test_illegal_decks_are_refused() -> None:
    """§4: every violation is told."""
    short = replace(CARTER, name="short", deck=CARTER.deck[:10])
    with pytest.raises(TabletopError, match="'short' is not legal.*\n.*E_HERO_MIN"):
        make_ruleset(validate(Options(decks=(short, TEALC)), 2), 2)


def test_missions_that_are_there_twice() -> None:
    """§4: the option adds a check."""
    missions = [card for card in CARTER.missions if POOL.by_id[card].mission_skill == 0]
    twice = replace(CARTER, name="twice", missions=(missions[0], *CARTER.missions[:0]))
    rest = [card for card in CARTER.missions if card != missions[1]]
    twice = replace(twice, missions=(missions[0], *rest))
    make_ruleset(validate(Options(decks=(twice, TEALC)), 2), 2)
    with pytest.raises(TabletopError, match="E_MISSION_DUPLICATE"):
        make_ruleset(validate(Options(decks=(twice, TEALC), unique_missions=True), 2), 2)


def test_decks_to_draw_from_have_different_names() -> None:
    other = replace(TEALC, name="carter")
    with pytest.raises(TabletopError, match="several decks of one player are called carter"):
        make_rules([(CARTER, other), TEALC])
    make_rules([CARTER, other])


def test_a_record_holds_only_so_many_decks() -> None:
    many = [replace(CARTER, name=f"deck {k}") for k in range(MAX_DECKS)]
    with pytest.raises(TabletopError, match=f"there are {MAX_DECKS + 1} decks, {MAX_DECKS} are"):
        make_rules([many, TEALC])
    with pytest.raises(TabletopError, match="every player needs at least one deck"):
        make_rules([[], TEALC])


# --- records --------------------------------------------------------------------------------------


def test_options_reach_the_record() -> None:
    options = validate(Options(decks="official,random:5", open_lists=False, max_turns=9), 2)
    record, tables = make_ruleset(options, 2)
    rules = record[0]
    assert (rules.num_players, rules.max_turns, rules.open_lists) == (2, 9, 0)
    assert rules.first_deck[:2].tolist() == [0, 12]
    assert rules.deck_choices[:2].tolist() == [12, 5]
    assert [deck.name for deck in tables.decks[:12]] == list(OFFICIAL_DECKS)
    for number, cards in enumerate(tables.lists):
        assert rules.deck_length[number] == len(cards)
        kinds = [tables.kinds[kind] for kind in rules.deck_kind[number, : len(cards)]]
        assert tuple(kinds) == cards


def test_players_share_the_decks_that_both_draw_from() -> None:
    record, tables = make_ruleset(validate(Options(decks="random:30,yu,random:30"), 3), 3)
    assert tables.choices == (range(30), range(30, 31), range(30))
    assert record[0].first_deck[:3].tolist() == [0, 30, 0]
    assert len(tables.decks) == len(tables.lists) == 31


def test_a_pool_of_ones_own(tmp_path: Path) -> None:
    """§1: the exported pool is the shipped one; another one plays other numbers."""
    path = tmp_path / "pool.csv"
    text = pool_to_text(POOL)
    assert parse_cards(text, "again") == replace(POOL, name="again")
    path.write_text(text.replace("BS-087,S,", "BS-087,R,"), encoding="utf-8")
    options = validate(Options(ruleset=path), 2)
    assert option_pool(options).by_id["BS-087"].rarity == "R"
    path.write_text(text.replace("\nBS-002,R,", "\nBS-002,X,"), encoding="utf-8")
    with pytest.raises(TabletopError, match="pool.csv:3: BS-002 rarity: 'X' is none of"):
        option_decks(validate(Options(ruleset=path), 2), 2)


def test_the_sources_of_the_tables_are_told() -> None:
    _, tables = make_rules([CARTER, TEALC])
    assert list(tables.sources) == ["cards", "decks"]
    assert all(tables.sources.values())
