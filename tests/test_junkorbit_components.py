"""Tables and options of Junk Orbit: what is shipped, what a user's file may hold."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from dataclasses import FrozenInstanceError, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from option_checks import check_descriptions, check_wrong_value, check_wrong_values_together
from ruleset_checks import RulesetText, mutated_texts

from junkorbit_env import components, sizes
from junkorbit_env.components import LAYOUTS, Tile, load_tables, parse_tables, tables_to_text
from junkorbit_env.junkorbit_v0 import GAME
from junkorbit_env.options import Options, option_tables, option_texts, rings_in_play, validate
from tabletop_core.errors import TabletopError
from tabletop_core.table_file import write_new_file

DEFAULT = load_tables()
FILE = RulesetText.shipped(components)
TEXT = FILE.text


# --- §1: rings ------------------------------------------------------------------------------------


def test_cities_are_numbered_board_by_board() -> None:
    """§1.1: 9, 5, 9, 3 and 2 cities of their own; shared ones belong to the planet."""
    assert len(DEFAULT.cities) == len(set(DEFAULT.cities)) == sizes.NUM_CITIES
    assert DEFAULT.homes == tuple(sorted(DEFAULT.homes))
    assert [DEFAULT.homes.count(ring) for ring in range(5)] == [9, 5, 9, 3, 2]
    homes = dict(zip(DEFAULT.cities, DEFAULT.homes, strict=True))
    assert [homes[city] for city in ("Kilimanjaro", "Olympus", "Bradbury", "Hellas")] == [
        0,
        2,
        2,
        2,
    ]
    assert [len(ring) for ring in DEFAULT.rings] == list(sizes.RING_SIZES)


@pytest.mark.parametrize(
    ("layout", "olympus", "kilimanjaro"),
    [("default", 2, 5), ("alt1", 1, 6), ("alt2", 1, 5), ("alt3", 2, 6)],
)
def test_layouts(layout: str, olympus: int, kilimanjaro: int) -> None:
    """§1.3: places on the Moon, Tharsis and New York; all else is the same."""
    tables = load_tables(layout=layout)
    earth, moon, mars, *_ = tables.rings
    assert moon.index("Kepler") == 0
    assert (moon.index("Hamilton"), moon.index("Copernicus")) == (3, 4)
    assert (moon.index("Olympus"), moon.index("Kilimanjaro")) == (olympus, kilimanjaro)
    assert (mars.index("Olympus") - mars.index("Tharsis")) % 9 == 4 - olympus
    assert (earth.index("New York") - earth.index("Kilimanjaro")) % 9 == 4 - (7 - kilimanjaro)
    assert sorted(tables.cities) == sorted(DEFAULT.cities)
    assert tables.tiles == DEFAULT.tiles
    assert tables.name == layout
    assert set(tables.sources) == set(DEFAULT.sources)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_worked_example(layout: str, num_players: int) -> None:
    """§12 T1: where a 4 from Kepler can stop, in all layouts."""
    ruleset = GAME.ruleset(num_players, layout=layout)
    numbers = ruleset.tables.city_numbers
    both = int(ruleset.record[0].landings[numbers["Kepler"], 4])
    clockwise = {city for city, number in numbers.items() if both >> number & 1}
    other = {city for city, number in numbers.items() if both >> 28 + number & 1}
    assert clockwise == {"Copernicus", "Tharsis"}
    assert other == {"Hamilton", "New York"}


# --- §2: tiles ------------------------------------------------------------------------------------


def test_tiles() -> None:
    """§2.1, §2.3: 113 tiles; numbers go stack by stack."""
    assert Counter(tile.stack for tile in DEFAULT.tiles) == {0: 37, 1: 29, 2: 47}
    assert [tile.stack for tile in DEFAULT.tiles] == sorted(tile.stack for tile in DEFAULT.tiles)
    values = Counter(tile.value for tile in DEFAULT.tiles)
    assert values == {1: 22, 2: 28, 3: 28, 4: 20, 5: 15}
    assert Counter(tile.min_players for tile in DEFAULT.tiles if tile.stack < 2) == {
        2: 32 + 24,
        4: 6,
        5: 4,
    }
    assert components.TILE_IDS[0] == "E01"
    assert components.TILE_IDS[37] == "M01"
    assert components.TILE_IDS[66] == "R01"
    assert components.TILE_IDS[113:] == tuple(f"S{number:02d}" for number in range(1, 16))
    assert components.STARTER_VALUES == (1,) * 10 + (2,) * 5


def test_kinds() -> None:
    """§13: destination and value; starters first, then by city and value."""
    assert DEFAULT.kinds[:5] == (
        "1 starter",
        "2 starter",
        "1 to Kilimanjaro",
        "3 to Kilimanjaro",
        "5 to Kilimanjaro",
    )
    assert DEFAULT.kinds[-1] == "5 to Deimos-2"
    assert len(DEFAULT.kinds) == len(set(DEFAULT.kinds)) == 89
    assert len(DEFAULT.kind_of) == sizes.NUM_TILES
    for number, tile in enumerate(DEFAULT.tiles):
        name = f"{tile.value} to {tile.destination}"
        assert DEFAULT.kinds[DEFAULT.kind_of[number]] == name
    assert DEFAULT.kind_of[113:] == (0,) * 10 + (1,) * 5


@pytest.mark.parametrize(
    ("num_players", "stacks", "cities"),
    [(2, (32, 24, 47), 23), (3, (32, 24, 47), 23), (4, (35, 27, 47), 26), (5, (37, 29, 47), 28)],
)
def test_what_is_in_play(num_players: int, stacks: tuple[int, ...], cities: int) -> None:
    """§2.3, §1.1."""
    record = GAME.ruleset(num_players).record[0]
    counts = [
        sum(int(word & other).bit_count() for word, other in zip(record.tiles, tiles, strict=True))
        for tiles in record.stack_tiles
    ]
    assert tuple(counts) == stacks
    assert record.num_cities == int(record.cities).bit_count() == cities


@pytest.mark.parametrize(
    ("boards", "num_players", "rings", "tiles"),
    [
        ("phobos", 2, (0, 1, 2, 3), 103 + 6),
        ("deimos", 2, (0, 1, 2, 4), 103 + 4),
        ("deimos", 4, (0, 1, 2, 3, 4), 113),
        ("phobos+deimos", 3, (0, 1, 2, 3, 4), 113),
        ("phobos", 5, (0, 1, 2, 3, 4), 113),
    ],
)
def test_extra_boards(boards: str, num_players: int, rings: tuple[int, ...], tiles: int) -> None:
    """§9, §13: with a board come the tiles to its cities."""
    assert rings_in_play(Options(boards=boards), num_players) == rings
    record = GAME.ruleset(num_players, boards=boards).record[0]
    assert sum(int(word).bit_count() for word in record.tiles) == tiles


def test_more_kinds_than_any_table_has_fit() -> None:
    """§13: 113 tiles can be of 113 kinds."""
    tiles = []
    for stack, size in enumerate(sizes.STACK_SIZES):
        cities = [
            city
            for city, home in zip(DEFAULT.cities, DEFAULT.homes, strict=True)
            if components.BOARD_STACKS[home] != stack
        ]
        for k in range(size):
            value = 1 + stack * 4 + k // len(cities)
            tiles.append(Tile(stack, cities[k % len(cities)], 5, value))
    tiles[0] = Tile(0, "Tharsis", 5, 4)
    tables = replace(DEFAULT, tiles=tuple(tiles))
    assert len(parse_tables(tables_to_text(tables)).kinds) == sizes.MAX_KINDS


# --- reading and writing a ruleset file -----------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
def test_round_trip(layout: str, tmp_path: Path) -> None:
    tables = load_tables(layout=layout)
    path = tmp_path / "my.ruleset"
    write_new_file(path, tables_to_text(tables))
    assert load_tables(path) == load_tables(str(path)) == tables


def test_the_shipped_file_is_what_export_writes() -> None:
    assert tables_to_text(DEFAULT) == TEXT


def test_tables_are_values() -> None:
    assert load_tables() == DEFAULT
    assert hash(copy.deepcopy(DEFAULT)) == hash(DEFAULT)
    assert pickle.loads(pickle.dumps(DEFAULT)) == DEFAULT
    with pytest.raises(FrozenInstanceError):
        DEFAULT.name = "other"  # type: ignore[misc]


@pytest.mark.parametrize("section", list(DEFAULT.sources))
def test_every_table_names_its_source(section: str) -> None:
    known = ("rulebook", "reviews", "FAQ page", "assumed: ")
    for layout in LAYOUTS:
        assert any(word in load_tables(layout=layout).sources[section] for word in known)


def test_rings_in_another_order() -> None:
    """Rows are found by name, and cities are numbered ring by ring all the same."""
    lines = TEXT.splitlines(keepends=True)
    first = next(k for k, line in enumerate(lines) if line.startswith("EARTH,Kili"))
    swapped = [*lines[:first], lines[first + 1], lines[first], *lines[first + 2 :]]
    assert parse_tables("".join(swapped)) == DEFAULT


UNWRITABLE: list[dict[str, Any]] = [
    {"name": "two\nlines"},
    {"rings": DEFAULT.rings[:-1]},
    {"rings": (("a;b", *DEFAULT.rings[0][1:]), *DEFAULT.rings[1:])},
    {"tiles": DEFAULT.tiles[:-1]},
    {"tiles": DEFAULT.tiles[::-1]},
    {"tiles": (Tile(0, "Olympus", 2, 13), *DEFAULT.tiles[1:])},
    {"sources": {}},
    {"sources": {**DEFAULT.sources, "more": "unknown section"}},
]


@pytest.mark.parametrize("change", UNWRITABLE)
def test_invalid_tables_are_not_written(change: dict[str, Any]) -> None:
    with pytest.raises(TabletopError):
        tables_to_text(replace(DEFAULT, **change))


@pytest.mark.parametrize("layout", ["", "Default", "alt4", None, 1, ["default"]])
def test_unknown_layout(layout: Any) -> None:
    with pytest.raises(TabletopError, match="choose one of default, alt1, alt2, alt3"):
        load_tables(layout=layout)


def test_a_layout_file_is_not_a_complete_ruleset() -> None:
    text = RulesetText.shipped(components, "layout_alt1.ruleset").text
    with pytest.raises(TabletopError, match=r"\[tiles\]: the section is missing"):
        parse_tables(text)


# --- what a file may not hold ---------------------------------------------------------------------

EARTH_ROW = (
    "EARTH,Kilimanjaro; Earth-1; New York; Earth-3; Earth-4; Earth-5; Earth-6; Earth-7; Cairo"
)
MOON_ROW = "MOON,Kepler; Moon-1; Olympus; Hamilton; Copernicus; Kilimanjaro; Moon-6"
PHOBOS_ROW = "PHOBOS,Bradbury; Phobos-1; Phobos-2; Phobos-3"
DEIMOS_ROW = "DEIMOS,Hellas; Deimos-1; Deimos-2"
RINGS = "[rings] cities"

# (text to replace, replacement, section and field, part of the message, rule)
MUTATIONS = [
    ("game = junkorbit_v0", "game = jumpgate_v0", "[ruleset] game", "must be junkorbit_v0", ""),
    ("format = 1", "format = 2", "[ruleset] format", "'2' is not supported; it must be 1", ""),
    ("name = default", "name = a/b", "[ruleset] name", "letters, digits", ""),
    # §1.4
    ("PHOBOS,Brad", "PLUTO,Brad", "[rings] ring", "'PLUTO' is not a ring; rings are EARTH", "§1.4"),
    ("PHOBOS,Brad", "MARS,Brad", "[rings] ring", "MARS is already in line", "§1.4"),
    (EARTH_ROW, EARTH_ROW + "; Rome", RINGS, "EARTH must have 9 cities, not 10", "§1.4"),
    (DEIMOS_ROW, "DEIMOS,Hellas; Deimos-1", RINGS, "DEIMOS must have 3 cities, not 2", "§1.4"),
    ("Phobos-1; Phobos-2", "; Phobos-2", RINGS, "a city of PHOBOS has no name", "§1.4"),
    ("Phobos-1; Phobos-2", "x  y; Phobos-2", RINGS, "'x  y': use 1 to 40 characters", "§1.4"),
    ("Phobos-1; Phobos-2", "y" * 41 + "; Phobos-2", RINGS, "use 1 to 40 characters", "§1.4"),
    ("Phobos-1; Phobos-2", "Phobos-2; Phobos-2", RINGS, "lies on PHOBOS 2 times", "§1.4"),
    ("Phobos-1; Phobos-2", "Cairo; Phobos-2", RINGS, "'Cairo' lies on EARTH already", "§1.4"),
    ("Phobos-1; Phobos-2", "Hellas; Phobos-2", RINGS, "Hellas must not lie on PHOBOS", "§1.4"),
    (PHOBOS_ROW, PHOBOS_ROW.replace("Bradbury", "x"), RINGS, "Bradbury must lie on PHO", "§1.4"),
    (DEIMOS_ROW, DEIMOS_ROW.replace("Hellas", "x"), RINGS, "Hellas must lie on DEIMOS", "§1.4"),
    (MOON_ROW, MOON_ROW.replace("Kepler", "x"), RINGS, "Kepler must lie on MOON", "§1.4"),
    (MOON_ROW, MOON_ROW.replace("Olympus", "x"), RINGS, "Olympus must lie on MOON", "§1.4"),
    (EARTH_ROW, EARTH_ROW.replace("Cairo", "Kepler"), RINGS, "Kepler must not lie on EAR", "§1.4"),
    (EARTH_ROW, EARTH_ROW.replace(";", ","), "[rings]", "the row must have 2 cells (", ""),
    # §2.4
    ("EARTH,Kepler,2,2\n", "VENUS,Kepler,2,2\n", "[tiles] source", "'VENUS' is not a st", "§2.4"),
    ("EARTH,Kepler,2,2\n", "EARTH,Rome,2,2\n", "[tiles] destination", "'Rome' is not a c", "§2.4"),
    ("EARTH,Kepler,2,2\n", "EARTH,Cairo,2,2\n", "[tiles] destination", "no EARTH tile", "§2.4"),
    ("MOON,Cairo,2,1\n", "MOON,Kepler,2,1\n", "[tiles] destination", "no MOON tile goes", "§2.4"),
    ("MARS,Cairo,2,1 2 4", "MARS,Phobos-1,4,1 2 4", "[tiles] destination", "no MARS til", "§2.4"),
    ("EARTH,Phobos-1,4,3", "EARTH,Phobos-1,3,3", "[tiles] min_players", "from 4 players", "§2.4"),
    ("EARTH,Deimos-1,5,2", "EARTH,Deimos-1,4,2", "[tiles] min_players", "from 5 players", "§2.4"),
    ("EARTH,Kepler,2,2\n", "EARTH,Kepler,1,2\n", "[tiles] min_players", "from 2 to 5", "§2.4"),
    ("EARTH,Kepler,2,2\n", "EARTH,Kepler,6,2\n", "[tiles] min_players", "from 2 to 5", "§2.4"),
    ("EARTH,Kepler,2,2\n", "EARTH,Kepler,2,0\n", "[tiles] values", "'0' is not a whole n", "§2.4"),
    ("EARTH,Kepler,2,2\n", "EARTH,Kepler,2,13\n", "[tiles] values", "from 1 to 12", "§2.4"),
    ("EARTH,Kepler,2,2\n", "EARTH,Kepler,2,x\n", "[tiles] values", "'x' is not a whole n", "§2.4"),
    ("EARTH,Kepler,2,2\n", "EARTH,Kepler,2,\n", "[tiles] values", "no value", "§2.4"),
    ("EARTH,Kepler,2,2\n", "EARTH,Kepler,2\n", "[tiles]", "the row must have 4 cells (", ""),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "field", "message", "rule"), MUTATIONS)
def test_one_wrong_line(old: str, new: str, field: str, message: str, rule: str) -> None:
    FILE.check_wrong_line(old, new, field, message, rule)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({f"{DEIMOS_ROW}\n": ""}, "[rings] ring: no row for DEIMOS (RULES.md §1.4)"),
        ({"EARTH,Kepler,2,2\n": ""}, "[tiles] source: EARTH must have 37 tiles, not 36"),
        ({"MOON,Cairo,2,1\n": "MOON,Cairo,2,1 1\n"}, "source: MOON must have 29 tiles, not 30"),
        ({"MARS,Cairo,2,1 2 4": "MARS,Cairo,2,1 2"}, "source: MARS must have 47 tiles, not 46"),
        (
            {"EARTH,Tharsis,2,2 3 4": "EARTH,Mars-1,2,2 3 4", "MOON,Tharsis,2,2": "MOON,Cairo,2,2"},
            "[tiles] destination: no EARTH or MOON tile of value 4 goes to Tharsis",
        ),
        (
            {"EARTH,Hamilton,2,2": "EARTH,Kepler,2,2", "MARS,Hamilton,2,1": "MARS,Kepler,2,1"},
            "[tiles] destination: at least 2 tiles must go to Hamilton, not 0",
        ),
    ],
)  # fmt: skip
def test_what_a_whole_table_lacks(changes: dict[str, str], expected: str) -> None:
    text = TEXT
    for old, new in changes.items():
        assert text.count(f"\n{old}") == 1
        text = text.replace(f"\n{old}", f"\n{new}")
    (error,) = [error for error in FILE.errors_of(text) if "is not a city" not in error]
    assert expected in error


@pytest.mark.parametrize("section", list(DEFAULT.sources))
def test_sections_and_their_sources_are_required(section: str) -> None:
    FILE.check_section_is_required(section)


def test_all_violations_at_once() -> None:
    changes = [
        ("format = 1", "format = 9"),
        ("; Cairo\n", "\n"),
        ("EARTH,Kepler,2,2\n", "EARTH,Kepler,7,2 0 x\n"),
        ("MARS,Cairo,2,1 2 4\n", "MARS,Cairo,2\n"),
        ("\n[tiles]\n", "\n[extra]\na = b\n[tiles]\n"),
    ]
    FILE.check_all_violations(changes, 1 + 1 + 3 + 1 + 1)


@settings(deadline=None)
@given(st.text())
def test_any_text_gives_only_the_packages_error(text: str) -> None:
    with pytest.raises(TabletopError):
        parse_tables(text)


CELLS = st.sampled_from(
    ["", "EARTH", "MOON", "Cairo", "Kepler", "0", "4", "5", "13", "1 2", "a; b"]
) | st.text(max_size=4)


@settings(max_examples=150, deadline=None)
@given(mutated_texts(TEXT, CELLS))
def test_a_changed_file_is_valid_or_refused(text: str) -> None:
    tables = FILE.check_is_valid_or_refused(text)
    assert tables is None or len(tables.tiles) == 113


@settings(max_examples=30, deadline=None)
@given(data=st.binary(max_size=300), at=st.integers(0, len(TEXT.encode())))
def test_any_bytes_give_only_the_packages_error(
    data: bytes, at: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.ruleset"
    FILE.check_bytes_are_valid_or_refused(data, at, path)


# --- options --------------------------------------------------------------------------------------


def test_defaults_of_the_rules() -> None:
    """README.md lists them."""
    assert {option.name: option.default for option in fields(Options)} == {
        "ruleset": "default",
        "layout": "default",
        "boards": "by_players",
        "ship_powers": "off",
        "deliveries_visible": True,
        "board_side": "day",
        "variant": "none",
        "max_turns": None,
    }


def test_every_option_is_described() -> None:
    check_descriptions(Options)
    texts = option_texts()
    assert list(texts) == [option.name for option in fields(Options)]
    assert str(texts["board_side"].values) == '"day"'


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("layout", "alt4", 'use "default", "alt1", "alt2" or "alt3"'),
        ("boards", "moon", 'use "by_players", "phobos", "deimos" or "phobos+deimos"'),
        ("ship_powers", True, 'use "off", "A" or "B"'),
        ("ship_powers", "a", 'use "off", "A" or "B"'),
        ("deliveries_visible", 1, "use True or False"),
        ("board_side", "night", "not available: what the night sides of the boards do"),
        ("board_side", "dusk", 'use "day"'),
        ("variant", "coop_limit3", "not available: when the players win together"),
        ("variant", "tourists", "not available: what tourists score"),
        ("variant", "solo", 'use "none"'),
        ("max_turns", -1, "use a whole number from 0 to 2147483647, or None (no cap, as 0)"),
        ("max_turns", 1.5, "use a whole number"),
        ("max_turns", 2**31, "use a whole number"),
        ("ruleset", "", 'use "default" or the path of a ruleset file'),
        ("ruleset", None, 'use "default" or the path of a ruleset file'),
    ],
)
def test_wrong_values(name: str, value: Any, message: str) -> None:
    check_wrong_value(Options, partial(GAME.ruleset, 3), name, value, message)


def test_all_wrong_values_at_once() -> None:
    options = Options(layout="x", board_side="night", max_turns=-1)
    check_wrong_values_together(validate, options, ["layout", "board_side", "max_turns"])


def test_numpy_values_become_python_values() -> None:
    options: Any = Options(
        deliveries_visible=np.bool_(False),  # type: ignore[arg-type]
        max_turns=np.int64(7),  # type: ignore[arg-type]
        layout=np.str_("alt1"),
    )
    plain = validate(options, np.int32(3))  # type: ignore[arg-type]
    values = (plain.deliveries_visible, plain.max_turns, plain.layout)
    assert values == (False, 7, "alt1")
    assert [type(value) for value in values] == [bool, int, str]


def test_no_cap_is_none_or_zero() -> None:
    """§7."""
    rulesets = [GAME.ruleset(3, max_turns=value) for value in (None, 0)]
    assert rulesets[0].digest == rulesets[1].digest
    assert GAME.ruleset(3, max_turns=9).record[0].max_turns == 9


def test_ruleset_file_as_option(tmp_path: Path) -> None:
    path = tmp_path / "my.ruleset"
    path.write_text(TEXT.replace("EARTH,Kepler,2,2\n", "EARTH,Kepler,3,12\n"), encoding="utf-8")
    options = validate(Options(ruleset=path), 5)
    assert options.ruleset == str(path)
    assert max(tile.value for tile in option_tables(options).tiles) == 12
    with pytest.raises(TabletopError, match=r"layout = 'alt1': cannot be combined .*my\.ruleset"):
        validate(Options(ruleset=path, layout="alt1"), 5)
    with pytest.raises(TabletopError, match="there is no such file"):
        validate(Options(ruleset=str(tmp_path / "other")), 5)
    path.write_text("rubbish")
    with pytest.raises(TabletopError, match="violations"):
        validate(Options(ruleset=path), 5)


def test_options_are_values() -> None:
    assert hash(Options()) == hash(Options(layout="default"))
    assert pickle.loads(pickle.dumps(Options(layout="alt2"))) == Options(layout="alt2")
    with pytest.raises(FrozenInstanceError):
        Options().layout = "alt1"  # type: ignore[misc]
