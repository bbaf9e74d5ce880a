"""The box of Jump Gate: shipped tables against the rules, user's files, options."""

import copy
import pickle
from collections import Counter
from dataclasses import FrozenInstanceError, fields, replace
from itertools import combinations, permutations
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from option_checks import check_descriptions, check_wrong_value, check_wrong_values_together
from ruleset_checks import RulesetText, mutated_texts

from jumpgate_env import components, sizes
from jumpgate_env.components import (
    DECKS,
    NavCard,
    ResourceCard,
    Tables,
    load_tables,
    parse_tables,
    points_for,
    tables_to_text,
)
from jumpgate_env.options import (
    Options,
    hidden_cards,
    option_tables,
    option_texts,
    turn_limit,
    validate,
)
from tabletop_core.errors import TabletopError
from tabletop_core.table_file import MAX_FILE_BYTES, write_new_file

DEFAULT = load_tables()
FILE = RulesetText.shipped(components)
TEXT = FILE.text
CATEGORIES = ("jump", "scan", "land")
VALUES = range(sizes.MIN_CODE, sizes.MAX_CODE + 1)


def type_counts(tables: Tables) -> dict[str, int]:
    return dict(Counter(sizes.TYPE_NAMES[card.type] for card in tables.resources))


def icons(tables: Tables) -> list[str]:
    return [card.id for card in tables.resources if card.has_black_hole_icon]


# --- §1: what is in the box -----------------------------------------------------------------------


def test_sizes_agree_with_the_enumerations() -> None:
    assert len(sizes.TYPE_NAMES) == sizes.NUM_TYPES + 1 == sizes.NOTHING + 1
    assert sizes.TYPE_NAMES[sizes.BLUE_GEM] == "blue gem"
    assert sizes.TYPE_NAMES[sizes.DARK_ENERGEL] == "dark energel"
    assert sizes.TYPE_NAMES[sizes.FAME] == "fame"
    assert sizes.NUM_KINDS == 16
    assert sizes.WILDCARD == sizes.MAX_CODE + 1
    assert sizes.NO_CODE not in VALUES


@pytest.mark.parametrize("deck", DECKS)
def test_numbers_of_cards(deck: str) -> None:
    """§1."""
    tables = load_tables(deck=deck)
    assert len(tables.planets) == sizes.NUM_PLANET_CARDS == 12
    assert len(tables.navigation) == len(tables.resources) == sizes.NUM_CARDS == 48
    assert [tables.ring_size(players) for players in range(2, 6)] == [6, 7, 8, 9]
    assert max(tables.ring_sizes) <= sizes.MAX_PLANETS


@pytest.mark.parametrize("deck", DECKS)
def test_ids_are_the_card_numbers(deck: str) -> None:
    tables = load_tables(deck=deck)
    assert [card.id for card in tables.planets] == [f"P{k:02d}" for k in range(1, 13)]
    assert [card.id for card in tables.navigation] == [f"N{k:02d}" for k in range(1, 49)]
    assert [card.id for card in tables.resources] == [f"R{k:02d}" for k in range(1, 49)]


# --- §1.1: resources ------------------------------------------------------------------------------


def test_default_deck() -> None:
    """§1.1."""
    assert type_counts(DEFAULT) == {
        "sand": 12,
        "red gem": 4,
        "white gem": 4,
        "blue gem": 4,
        "light energel": 6,
        "dark energel": 6,
        "water": 6,
        "fame": 6,
    }
    assert icons(DEFAULT)[:6] == ["R13", "R17", "R21", "R25", "R31", "R37"]
    assert icons(DEFAULT)[6:] == ["R43", "R44", "R45", "R46", "R47", "R48"]
    per_type = Counter(card.name for card in DEFAULT.resources if card.has_black_hole_icon)
    assert per_type == {
        "red gem*": 1,
        "white gem*": 1,
        "blue gem*": 1,
        "light energel*": 1,
        "dark energel*": 1,
        "water*": 1,
        "fame*": 6,
    }


def test_types_come_in_the_order_of_their_numbers() -> None:
    """§1.1, §12: sand, gem, energel, water, fame."""
    for deck in DECKS[:2]:
        types = [card.type for card in load_tables(deck=deck).resources]
        assert types == sorted(types)


def test_deck_eights() -> None:
    """§10, §12: energel 4 + 4, water 8, fame 8; 12 icons."""
    tables = load_tables(deck="eights")
    assert type_counts(tables) == {
        "sand": 12,
        "red gem": 4,
        "white gem": 4,
        "blue gem": 4,
        "light energel": 4,
        "dark energel": 4,
        "water": 8,
        "fame": 8,
    }
    assert icons(tables) == ["R13", "R17", "R21", "R33", *(f"R{k}" for k in range(41, 49))]
    first_of_type = {card.type: card.id for card in reversed(tables.resources)}
    assert first_of_type[sizes.WATER] == "R33"
    assert first_of_type[sizes.FAME] == "R41"


def test_deck_nothing2010() -> None:
    """§10: the default deck with the 12 sand replaced by nothing."""
    tables = load_tables(deck="nothing2010")
    assert tables.count_of(sizes.NOTHING) == 12
    assert tables.resources == tuple(
        replace(card, type=sizes.NOTHING) if card.type == sizes.SAND else card
        for card in DEFAULT.resources
    )


@pytest.mark.parametrize("deck", DECKS[1:])
def test_decks_replace_nothing_else(deck: str) -> None:
    tables = load_tables(deck=deck)
    changed = {
        part.name
        for part in fields(Tables)
        if getattr(tables, part.name) != getattr(DEFAULT, part.name)
    }
    assert changed == {"name", "resources", "sources"}
    assert tables.name == deck
    assert tables.sources["resources"] != DEFAULT.sources["resources"]
    assert tables.sources["planets"] == DEFAULT.sources["planets"]


def test_kinds_and_names() -> None:
    assert ResourceCard("R01", sizes.SAND, False).kind == 0
    assert ResourceCard("R13", sizes.RED_GEM, True).kind == 3
    assert ResourceCard("R48", sizes.FAME, True).kind == sizes.NUM_KINDS - 1
    assert ResourceCard("R13", sizes.RED_GEM, True).name == "red gem*"
    assert ResourceCard("R14", sizes.RED_GEM, False).name == "red gem"


def test_water_points() -> None:
    """§1.1: n(n+3)/2; 9 and 14 are the published ones."""
    row = DEFAULT.water_points
    assert row == tuple(n * (n + 3) // 2 for n in range(len(row)))
    assert (row[3], row[4]) == (9, 14)


def test_sand_points() -> None:
    """§1.1: triangular numbers up to 45, reached at nine cards."""
    row = DEFAULT.sand_points
    assert row == tuple(min(45, n * (n + 1) // 2) for n in range(len(row)))
    assert row.index(45) == 9


def test_points_beyond_the_table() -> None:
    assert len(DEFAULT.sand_points) == 13
    assert points_for(DEFAULT.sand_points, 4) == 10
    assert points_for(DEFAULT.sand_points, 48) == 45
    assert points_for(DEFAULT.water_points, 12) == points_for(DEFAULT.water_points, 40) == 90


@pytest.mark.parametrize("deck", DECKS)
def test_points_cover_the_deck(deck: str) -> None:
    """§1.1: a row for every number of cards that one player can hold."""
    tables = load_tables(deck=deck)
    assert len(tables.sand_points) > tables.count_of(sizes.SAND)
    assert len(tables.water_points) > tables.count_of(sizes.WATER)


def test_values() -> None:
    """§1.1."""
    assert DEFAULT.fame_value == 5
    assert DEFAULT.energel_pair_value == 7
    assert DEFAULT.energel_single_value == 2


# --- §1.2: navigation cards -----------------------------------------------------------------------


def codes(card: NavCard) -> dict[str, int]:
    """The codes that the card has, by category."""
    every = {category: getattr(card, category) for category in CATEGORIES}
    return {category: code for category, code in every.items() if code != sizes.NO_CODE}


def test_two_codes_of_two_categories() -> None:
    """§1.2: every two categories on 16 cards."""
    pairs = Counter(tuple(codes(card)) for card in DEFAULT.navigation)
    assert pairs == {("jump", "scan"): 16, ("scan", "land"): 16, ("jump", "land"): 16}


def test_codes_per_category() -> None:
    """§1.2: seven each of 1 to 4 and four wildcards."""
    for category in CATEGORIES:
        found = Counter(
            codes(card)[category] for card in DEFAULT.navigation if category in codes(card)
        )
        assert found == {1: 7, 2: 7, 3: 7, 4: 7, sizes.WILDCARD: 4}


def test_wildcards_replace_one_of_two_equal_values() -> None:
    """§1.2: each two categories pair all values; 12 cards with a wildcard, one on each."""
    wild = [card for card in DEFAULT.navigation if sizes.WILDCARD in codes(card).values()]
    assert len(wild) == 12
    for categories in combinations(CATEGORIES, 2):
        cards = [card for card in DEFAULT.navigation if tuple(codes(card)) == categories]
        values = [tuple(codes(card).values()) for card in cards]
        plain = [pair for pair in values if sizes.WILDCARD not in pair]
        assert sorted(plain) == sorted(permutations(VALUES, 2))
        jokers = [pair for pair in values if sizes.WILDCARD in pair]
        assert sorted(min(pair) for pair in jokers) == list(VALUES)
        assert all(max(pair) == sizes.WILDCARD for pair in jokers)


# --- §1.3: planets --------------------------------------------------------------------------------


def test_planet_codes_are_balanced() -> None:
    """§1.3: each (jump, scan) pair with jump != scan once, each landing pair twice."""
    pairs = [(planet.jump, planet.scan) for planet in DEFAULT.planets]
    assert sorted(pairs) == sorted(permutations(VALUES, 2))
    landing = Counter(frozenset((planet.land_a, planet.land_b)) for planet in DEFAULT.planets)
    assert landing == {frozenset(pair): 2 for pair in combinations(VALUES, 2)}


def test_worked_examples_fit_the_tables() -> None:
    """§9: codes that examples E2, E3 and E6 mention."""
    nav = {card.id: card for card in DEFAULT.navigation}
    planets = {planet.id: planet for planet in DEFAULT.planets}
    assert planets["P05"].scan == nav["N25"].scan == 3
    assert {planets["P02"].land_a, planets["P02"].land_b} == {2, 4}
    assert (nav["N37"].land, nav["N22"].land) == (2, sizes.WILDCARD)
    assert (nav["N11"].jump, nav["N11"].scan) == (sizes.WILDCARD, 3)
    assert [nav[card].jump for card in ("N18", "N19", "N24", "N31")] == [sizes.NO_CODE] * 4


# --- sources --------------------------------------------------------------------------------------


@pytest.mark.parametrize("deck", DECKS)
def test_every_table_names_its_source(deck: str) -> None:
    sources = load_tables(deck=deck).sources
    assert list(sources) == [
        "ruleset",
        "ring_sizes",
        "planets",
        "navigation",
        "resources",
        "row_points",
        "values",
    ]
    for section in ("planets", "navigation", "resources", "row_points"):
        assert "assumed" in sources[section], section
    known = ("rulebook", "BGA rules page", "designer's notes", "reviews", "sister edition")
    for section, source in sources.items():
        assert any(word in source for word in (*known, "assumed: ")), section


# --- reading and writing a ruleset file -----------------------------------------------------------


@pytest.mark.parametrize("deck", DECKS)
def test_round_trip(deck: str, tmp_path: Path) -> None:
    tables = load_tables(deck=deck)
    path = tmp_path / "my.ruleset"
    write_new_file(path, tables_to_text(tables))
    assert load_tables(path) == tables
    assert load_tables(str(path)) == tables


def test_the_shipped_file_is_what_export_writes() -> None:
    assert tables_to_text(DEFAULT) == TEXT


def test_tables_are_values() -> None:
    again = load_tables()
    assert again == DEFAULT
    assert hash(again) == hash(DEFAULT)
    assert pickle.loads(pickle.dumps(DEFAULT)) == DEFAULT
    assert copy.deepcopy(DEFAULT) == DEFAULT
    with pytest.raises(FrozenInstanceError):
        DEFAULT.name = "other"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        DEFAULT.planets[0].jump = 2  # type: ignore[misc]


def test_a_users_tables() -> None:
    text = (
        TEXT.replace("fame,5", "fame,6").replace("2,6\n", "2,5\n").replace("N02,1,2,-", "N02,W,W,-")
    )
    text = text.replace("12,45,90\n", "12,46,90\n13,46,104\n").replace("P01,1,2,1,3", "P01,1,1,1,1")
    tables = parse_tables(text)
    assert tables.fame_value == 6
    assert tables.ring_size(2) == 5
    assert codes(tables.navigation[1]) == {"jump": sizes.WILDCARD, "scan": sizes.WILDCARD}
    assert len(tables.water_points) == 14
    assert tables.planets[0].land_a == tables.planets[0].land_b == 1
    assert parse_tables(tables_to_text(tables)) == tables


UNWRITABLE: list[dict[str, Any]] = [
    {"name": "two\nlines"},
    {"name": ""},
    {"ring_sizes": (6, 7, 8)},
    {"ring_sizes": (6, 7, 8, 10)},
    {"navigation": DEFAULT.navigation[:-1]},
    {"navigation": (NavCard("N01", 6, 1, 0), *DEFAULT.navigation[1:])},
    {"resources": (ResourceCard("R01", 9, False), *DEFAULT.resources[1:])},
    {"resources": (ResourceCard("R01", sizes.NOTHING, True), *DEFAULT.resources[1:])},
    {"sand_points": DEFAULT.sand_points[:-1]},
    {"sand_points": (0,), "water_points": (0,)},
    {"fame_value": -1},
    {"fame_value": 5.0},
    {"sources": {}},
    {"sources": {**DEFAULT.sources, "planets": "a\nP01,1,1,1,1"}},
    {"sources": {**DEFAULT.sources, "planets": " blank "}},
    {"sources": {**DEFAULT.sources, "more": "unknown section"}},
]


@pytest.mark.parametrize("change", UNWRITABLE)
def test_invalid_tables_are_not_written(change: dict[str, Any]) -> None:
    with pytest.raises(TabletopError):
        tables_to_text(replace(DEFAULT, **change))


def test_file_and_deck_exclude_each_other(tmp_path: Path) -> None:
    """§10: a ruleset file brings its own resources."""
    with pytest.raises(TabletopError, match="deck = 'eights': cannot be combined .*its own"):
        load_tables(tmp_path / "my.ruleset", deck="eights")


@pytest.mark.parametrize("deck", ["", "Default", "print2010", None, 1, ["default"]])
def test_unknown_deck(deck: Any) -> None:
    with pytest.raises(TabletopError, match="choose one of default, eights, nothing2010"):
        load_tables(deck=deck)


def test_a_shipped_deck_file_is_not_a_complete_ruleset() -> None:
    text = RulesetText.shipped(components, "deck_eights.ruleset").text
    with pytest.raises(TabletopError, match=r"\[navigation\]: the section is missing"):
        parse_tables(text)


# --- what a file may not hold ---------------------------------------------------------------------

# (text to replace, replacement, field or column, part of the message, rule), the line is that of
# the replaced text unless a section's name is given.
MUTATIONS = [
    ("game = jumpgate_v0", "game = junkorbit_v0", "[ruleset] game", "must be jumpgate_v0", ""),
    ("format = 1", "format = 2", "[ruleset] format", "'2' is not supported; it must be 1", ""),
    ("name = default", "name = a/b", "[ruleset] name", "letters, digits", ""),
    ("name = default", "name = " + "x" * 41, "[ruleset] name", "1 to 40", ""),
    # §1
    ("4,8\n", "4,2\n", "[ring_sizes] planets", "'2' is not a whole number from 3 to 9", "§1"),
    ("5,9\n", "5,10\n", "[ring_sizes] planets", "'10' is not a whole number from 3 to 9", "§1"),
    ("5,9\n", "6,9\n", "[ring_sizes] players", "'6' is not a whole number from 2 to 5", "§1"),
    ("5,9\n", "4,9\n", "[ring_sizes] players", "4 players are listed twice", "§1"),
    # §1.3
    ("P03,1,4,1,2", "P03,5,4,1,2", "[planets] jump", "'5' is not a code; codes are 1, ", "§1.3"),
    ("P03,1,4,1,2", "P03,1,0,1,2", "[planets] scan", "'0' is not a code", "§1.3"),
    ("P03,1,4,1,2", "P03,1,4,W,2", "[planets] land_a", "'W' is not a code", "§1.3"),
    ("P03,1,4,1,2", "P03,1,4,1,-", "[planets] land_b", "'-' is not a code", "§1.3"),
    ("P03,1,4,1,2", "P3,1,4,1,2", "[planets] id", "'P3' is not an id from P01 to P12", "§1.3"),
    ("P03,1,4,1,2", "P13,1,4,1,2", "[planets] id", "'P13' is not an id from P01 to P12", "§1.3"),
    ("P03,1,4,1,2", "P02,1,4,1,2", "[planets] id", "P02 is already in line", "§1.3"),
    ("P03,1,4,1,2", "P03,1,4,1", "[planets]", "the row must have 5 cells (", "file format"),
    # §1.2
    ("N10,3,2,-", "N10,3,-,-", "[navigation]", "third category; it has 1", "§1.2"),
    ("N10,3,2,-", "N10,-,-,-", "[navigation]", "third category; it has 0", "§1.2"),
    ("N10,3,2,-", "N10,3,2,1", "[navigation]", "third category; it has 3", "§1.2"),
    ("N10,3,2,-", "N10,3,5,-", "[navigation] scan", "codes are 1, 2, 3, 4, W, -", "§1.2"),
    ("N10,3,2,-", "N10,w,2,-", "[navigation] jump", "'w' is not a code", "§1.2"),
    ("N10,3,2,-", "N10,3,2,", "[navigation] land", "'' is not a code", "§1.2"),
    ("N10,3,2,-", "R10,3,2,-", "[navigation] id", "'R10' is not an id from N01 to N48", "§1.2"),
    ("N10,3,2,-", "N09,3,2,-", "[navigation] id", "N09 is already in line", "§1.2"),
    # §1.1
    ("R05,sand,-,0", "R05,sands,-,0", "[resources] type", "'sands' is not a type; types", "§1.1"),
    ("R05,sand,-,0", "R05,sand,red,0", "[resources] subtype", "a subtype of sand; use -", "§1.1"),
    ("R14,gem,red,0", "R14,gem,-,0", "[resources] subtype", "use red or white or blue", "§1.1"),
    ("R26,energel,light,0", "R26,energel,red,0", "[resources] subtype", "light or dark", "§1.1"),
    ("R43,fame,-,1", "R43,fame,old,1", "[resources] subtype", "a subtype of fame", "§1.1"),
    ("R05,sand,-,0", "R05,nothing,-,1", "[resources] black_hole_icon", "card has no icon", "§1.1"),
    ("R05,sand,-,0", "R05,sand,-,2", "[resources] black_hole_icon", "from 0 to 1", "§1.1"),
    ("R05,sand,-,0", "R05,sand,-,yes", "[resources] black_hole_icon", "from 0 to 1", "§1.1"),
    ("R05,sand,-,0", "R49,sand,-,0", "[resources] id", "'R49' is not an id from R01", "§1.1"),
    ("0,0,0\n", "0,1,0\n", "[row_points] sand", "no cards are worth 0 points", "§1.1"),
    ("0,0,0\n", "0,0,3\n", "[row_points] water", "no cards are worth 0 points", "§1.1"),
    ("4,10,14\n", "4,-1,14\n", "[row_points] sand", "whole number from 0 to 65535", "§1.1"),
    ("4,10,14\n", "4,10,65536\n", "[row_points] water", "whole number from 0 to 65535", "§1.1"),
    ("4,10,14\n", "4,10.5,14\n", "[row_points] sand", "'10.5' is not a whole number", "§1.1"),
    ("4,10,14\n", "5,10,14\n", "[row_points] n", "5 stands where 4 must be", "§1.1"),
    ("12,45,90\n", "49,45,90\n", "[row_points] n", "whole number from 0 to 48", "§1.1"),
    ("fame,5\n", "fame,-5\n", "[values] value", "'-5' is not a whole number", "§1.1"),
    ("fame,5\n", "glory,5\n", "[values] name", "'glory' is not a value; values are fame,", "§1.1"),
    ("energel_pair,7\n", "fame,7\n", "[values] name", "fame is listed twice", "§1.1"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "field", "message", "rule"), MUTATIONS)
def test_one_wrong_line(old: str, new: str, field: str, message: str, rule: str) -> None:
    FILE.check_wrong_line(old, new, field, message, rule)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("P03,1,4,1,2\n", "", "[planets]: the table must have 12 rows, not 11; missing: P03"),
        ("N10,3,2,-\n", "", "[navigation]: the table must have 48 rows, not 47; missing: N10"),
        ("R10,sand,-,0\n", "", "[resources]: the table must have 48 rows, not 47; missing: R10"),
        ("4,8\n", "", "[ring_sizes] players: no row for 4 players"),
        ("3,7\n", "3,9\n", "[ring_sizes] planets: 4 players have 8 planets, fewer than the 9 of 3"),
        ("12,45,90\n", "", "[row_points] sand: the table ends at n = 11, but [resources] has 12 s"),
        ("energel_pair,7\n", "", "[values] name: no row for energel_pair"),
    ],
)
def test_what_a_whole_table_lacks(old: str, new: str, expected: str) -> None:
    errors = FILE.errors_of(TEXT.replace(f"\n{old}", f"\n{new}"))
    section = expected[: expected.index("]") + 1]
    assert len(errors) == 1
    assert errors[0].startswith(f"my.ruleset:{FILE.line_of(section)}: {expected}")


def test_a_table_too_long() -> None:
    errors = FILE.errors_of(TEXT.replace("\nP12,4,3,2,4\n", "\nP12,4,3,2,4\nP13,4,3,2,4\n"))
    assert "'P13' is not an id from P01 to P12" in errors[1]
    assert "the table must have 12 rows, not 13 (RULES.md §1.3)" in errors[0]


def test_rows_in_another_order() -> None:
    """The order of the rows is the order of the card numbers."""
    text = TEXT.replace("P03,1,4,1,2\nP04,2,1,3,4\n", "P04,2,1,3,4\nP03,1,4,1,2\n")
    errors = FILE.errors_of(text)
    assert len(errors) == 1
    assert "[planets] id: P03 comes after P04; ids must count up" in errors[0]


def test_points_must_reach_the_number_of_cards() -> None:
    """§1.1: fewer sand cards need fewer rows."""
    short = TEXT.replace("\n11,45,77\n12,45,90\n", "\n")
    assert len(FILE.errors_of(short)) == 1
    for card in range(1, 4):
        short = short.replace(f"R{card:02d},sand,-,0", f"R{card:02d},nothing,-,0")
    assert len(parse_tables(short).sand_points) == 11


@pytest.mark.parametrize("section", list(DEFAULT.sources))
def test_sections_and_their_sources_are_required(section: str) -> None:
    FILE.check_section_is_required(section)


def test_all_violations_at_once() -> None:
    changes = [
        ("format = 1", "format = 9"),
        ("\n2,6\n", "\n2,1\n"),
        ("P01,1,2,1,3", "P01,9,9,9,9"),
        ("N02,1,2,-", "N02,1,-,-"),
        ("R03,sand,-,0", "R03,gold,-,0"),
        ("\n5,15,20\n", "\n5,x,y\n"),
        ("\nfame,5\n", "\nfame,five\n"),
        ("\n[values]\n", "\n[extra]\na = b\n[values]\n"),
    ]
    FILE.check_all_violations(changes, 1 + 1 + 4 + 1 + 1 + 2 + 1 + 1)


def test_error_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "my.ruleset"
    path.write_text(TEXT.replace("\nfame,5\n", "\nfame,five\n"), encoding="utf-8")
    with pytest.raises(TabletopError) as caught:
        load_tables(path)
    told = str(caught.value).splitlines()[1]
    assert told.startswith(f"  {path}:{FILE.line_of('fame,5')}: [values]")
    with pytest.raises(TabletopError, match="there is no such file"):
        load_tables(tmp_path / "other.ruleset")
    with pytest.raises(TabletopError, match="is not a regular file"):
        load_tables(tmp_path)
    path.write_bytes(b"#" * (MAX_FILE_BYTES + 1))
    with pytest.raises(TabletopError, match="is larger than"):
        load_tables(path)


@settings(deadline=None)
@given(st.text())
def test_any_text_gives_only_the_packages_error(text: str) -> None:
    with pytest.raises(TabletopError):
        parse_tables(text)


CELLS = st.sampled_from(
    ["", "-", "W", "0", "1", "5", "-1", "99999999999999999999", "P01", "N01", "R01", "sand", "gem"]
) | st.text(max_size=4)


@settings(max_examples=300, deadline=None)
@given(mutated_texts(TEXT, CELLS))
def test_a_changed_file_is_valid_or_refused(text: str) -> None:
    tables = FILE.check_is_valid_or_refused(text)
    if tables is not None:
        assert len(tables.navigation) == len(tables.resources) == sizes.NUM_CARDS
        assert all(len(codes(card)) == 2 for card in tables.navigation)


@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=300), at=st.integers(0, len(TEXT.encode())))
def test_any_bytes_give_only_the_packages_error(
    data: bytes, at: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.ruleset"
    FILE.check_bytes_are_valid_or_refused(data, at, path)


# --- §10: options ---------------------------------------------------------------------------------


def test_defaults_of_the_rules() -> None:
    """§10."""
    values = {option.name: option.default for option in fields(Options)}
    assert values == {
        "ruleset": "default",
        "deck": "default",
        "hidden_per_player": 2,
        "two_player_hidden": 2,
        "redeal_fame": True,
        "mark_scope": "global",
        "mark_optional": True,
        "scan_cost": "match",
        "harvest_cost": "any_card",
        "landing_rule": "planet_codes",
        "fly_from_gate": False,
        "jump_target": "any",
        "harvest_where": "here",
        "blackhole_limit": 7,
        "planet_points": 4,
        "tie_break": "shared",
        "max_turns": None,
    }


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
@pytest.mark.parametrize("deck", DECKS)
def test_defaults_are_valid(deck: str, num_players: int) -> None:
    options = Options(deck=deck)
    assert validate(options, num_players) == options
    assert option_tables(options) == load_tables(deck=deck)


def test_every_option_is_described() -> None:
    check_descriptions(Options)
    texts = option_texts()
    assert list(texts) == [option.name for option in fields(Options)]
    assert str(texts["tie_break"].values) == '"shared", "fewest_blackhole_then_planets"'
    assert str(texts["max_turns"].values).startswith("None (1000 times the number of players), 1 ")


ALTERNATIVES = [
    ("deck", "eights"),
    ("deck", "nothing2010"),
    ("two_player_hidden", 3),
    ("hidden_per_player", 0),
    ("redeal_fame", False),
    ("mark_scope", "per_planet"),
    ("mark_optional", False),
    ("scan_cost", "any_card"),
    ("scan_cost", "free"),
    ("harvest_cost", "any_card_if_unmarked"),
    ("harvest_cost", "free"),
    ("landing_rule", "equal_pair"),
    ("fly_from_gate", True),
    ("jump_target", "not_adjacent"),
    ("harvest_where", "anywhere"),
    ("blackhole_limit", 1),
    ("blackhole_limit", 48),
    ("planet_points", 0),
    ("planet_points", 1000),
    ("tie_break", "fewest_blackhole_then_planets"),
    ("max_turns", 1),
    ("max_turns", 2**31 - 1),
]


@pytest.mark.parametrize(("name", "value"), ALTERNATIVES)
def test_alternatives_of_the_rules(name: str, value: Any) -> None:
    """§10."""
    options = Options(**{name: value})
    assert validate(options, 2) == options


WRONG = [
    ("deck", "tens", 'use "default", "eights" or "nothing2010"'),
    ("deck", 8, 'use "default", "eights" or "nothing2010"'),
    ("hidden_per_player", -1, "use a whole number from 0 to 24"),
    ("hidden_per_player", True, "use a whole number from 0 to 24"),
    ("hidden_per_player", np.True_, "use a whole number"),
    ("hidden_per_player", 2.0, "use a whole number"),
    ("hidden_per_player", "2", "use a whole number"),
    ("hidden_per_player", None, "use a whole number"),
    ("two_player_hidden", 10**30, "use a whole number"),
    ("redeal_fame", 1, "use True or False"),
    ("redeal_fame", "yes", "use True or False"),
    ("redeal_fame", None, "use True or False"),
    ("mark_scope", "planet", 'use "global" or "per_planet"'),
    ("mark_optional", 0, "use True or False"),
    ("scan_cost", "any", 'use "match", "any_card" or "free"'),
    ("harvest_cost", "match", 'use "any_card", "any_card_if_unmarked" or "free"'),
    ("landing_rule", "", 'use "planet_codes" or "equal_pair"'),
    ("fly_from_gate", np.int64(1), "use True or False"),
    ("jump_target", "ANY", 'use "any" or "not_adjacent"'),
    ("harvest_where", ["here"], 'use "here" or "anywhere"'),
    ("blackhole_limit", 0, "use a whole number from 1 to 48"),
    ("blackhole_limit", 49, "use a whole number from 1 to 48"),
    ("planet_points", -4, "use a whole number from 0 to 1000"),
    ("tie_break", "coin", 'use "shared" or "fewest_blackhole_then_planets"'),
    ("max_turns", 0, "use a whole number from 1 to 2147483647, or None (1000 times the number"),
    ("max_turns", False, "use a whole number"),
    ("ruleset", "", 'use "default" or the path of a ruleset file'),
    ("ruleset", None, 'use "default" or the path of a ruleset file'),
    ("ruleset", b"my.ruleset", 'use "default" or the path'),
    ("ruleset", 3, 'use "default" or the path'),
    ("ruleset", "print2010", "this ruleset is not available: not all rules and numbers of the"),
    ("ruleset", "space_mission", "this ruleset is not available: not all rules and cards of the"),
]


@pytest.mark.parametrize(("name", "value", "message"), WRONG)
def test_wrong_values(name: str, value: Any, message: str) -> None:
    def use(**options: Any) -> None:
        validate(Options(**options), 3)

    check_wrong_value(Options, use, name, value, message)


@pytest.mark.parametrize("num_players", [1, 6, 0, -2, True, 2.0, "3", None])
def test_wrong_number_of_players(num_players: Any) -> None:
    with pytest.raises(TabletopError, match="use a whole number from 2 to 5"):
        validate(Options(), num_players)


def test_all_wrong_values_at_once() -> None:
    options = Options(deck="x", mark_scope="y", planet_points=-1)
    check_wrong_values_together(validate, options, ["deck", "mark_scope", "planet_points"])


@pytest.mark.parametrize("options", [None, {}, "default"])
def test_options_of_another_type(options: Any) -> None:
    with pytest.raises(TabletopError, match="options must be Options"):
        validate(options, 2)


def test_numpy_values_become_python_values() -> None:
    options: Any = Options(
        hidden_per_player=np.uint8(1),  # type: ignore[arg-type]
        redeal_fame=np.bool_(False),  # type: ignore[arg-type]
        max_turns=np.int64(7),  # type: ignore[arg-type]
        deck=np.str_("eights"),
    )
    plain = validate(options, np.int32(3))  # type: ignore[arg-type]
    assert plain == Options(hidden_per_player=1, redeal_fame=False, max_turns=7, deck="eights")
    values = (plain.hidden_per_player, plain.redeal_fame, plain.max_turns, plain.deck)
    assert [type(value) for value in values] == [int, bool, int, str]


def test_hidden_cards() -> None:
    """§12: with two players two_player_hidden decides."""
    options = Options(hidden_per_player=1, two_player_hidden=3)
    assert hidden_cards(options, 2) == 3
    assert [hidden_cards(options, players) for players in (3, 4, 5)] == [1, 1, 1]


def test_turn_limit() -> None:
    """§7."""
    assert [turn_limit(Options(), players) for players in (2, 5)] == [2000, 5000]
    assert turn_limit(Options(max_turns=12), 5) == 12


MOST_HIDDEN = [
    # players, deck, redeal_fame, most hidden cards per player
    (2, "default", True, 12),  # 24 cards are left by the planets
    (3, "default", True, 6),
    (4, "default", True, 4),
    (5, "default", True, 2),
    (5, "nothing2010", True, 2),
    (2, "nothing2010", True, 12),
    (2, "eights", True, 12),
]


@pytest.mark.parametrize(("num_players", "deck", "redeal_fame", "most"), MOST_HIDDEN)
def test_resources_must_suffice(num_players: int, deck: str, redeal_fame: bool, most: int) -> None:
    """§2: hidden cards and four for each planet come from 48."""
    name = "two_player_hidden" if num_players == 2 else "hidden_per_player"
    fixed: dict[str, Any] = {"deck": deck, "redeal_fame": redeal_fame}
    validate(Options(**{**fixed, name: most}), num_players)
    with pytest.raises(TabletopError) as caught:
        validate(Options(**{**fixed, name: most + 1}), num_players)
    assert str(caught.value).startswith(f"{name} = {most + 1}: {num_players} players need ")
    assert f"use at most {most} (RULES.md §2)" in str(caught.value)


def test_fame_and_nothing_cannot_be_hidden() -> None:
    """§2.3, §10: a deck with few other cards."""
    cards = [
        replace(card, type=sizes.NOTHING, has_black_hole_icon=False) if number < 40 else card
        for number, card in enumerate(DEFAULT.resources)
    ]
    tables = replace(DEFAULT, resources=tuple(cards))  # 2 water and 6 fame are left
    validate(Options(two_player_hidden=1), 2, tables)
    with pytest.raises(TabletopError, match="2 resource cards are left without fame and nothing"):
        validate(Options(two_player_hidden=2), 2, tables)
    validate(Options(two_player_hidden=4, redeal_fame=False), 2, tables)
    with pytest.raises(TabletopError, match="8 resource cards are left without nothing; use at mo"):
        validate(Options(two_player_hidden=5, redeal_fame=False), 2, tables)


def test_ruleset_file_as_option(tmp_path: Path) -> None:
    path = tmp_path / "my.ruleset"
    path.write_text(TEXT.replace("\n5,9\n", "\n5,8\n"), encoding="utf-8")
    options = validate(Options(ruleset=path, hidden_per_player=3), 5)
    assert options.ruleset == str(path)
    assert option_tables(options).ring_size(5) == 8
    with pytest.raises(TabletopError, match=r"deck = 'eights': cannot be combined .*my\.ruleset"):
        validate(Options(ruleset=path, deck="eights"), 5)
    with pytest.raises(TabletopError, match="there is no such file"):
        validate(Options(ruleset=str(tmp_path / "other")), 5)
    path.write_text("rubbish")
    with pytest.raises(TabletopError, match="violations"):
        validate(Options(ruleset=path), 5)


def test_a_path_object_is_never_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for word in ("default", "print2010"):
        Path(word).write_text(TEXT.replace("\nfame,5\n", "\nfame,9\n"), encoding="utf-8")
        options = validate(Options(ruleset=PurePosixPath(word)), 2)
        assert option_tables(options).fame_value == 9
        assert validate(options, 2) == options


def test_options_are_values() -> None:
    assert hash(Options()) == hash(Options(deck="default"))
    assert pickle.loads(pickle.dumps(Options(deck="eights"))) == Options(deck="eights")
    with pytest.raises(FrozenInstanceError):
        Options().deck = "eights"  # type: ignore[misc]
