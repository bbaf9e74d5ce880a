"""What is in the box of Junk Orbit: the rings of cities and the junk tiles.

The tables are text files: data/default.ruleset, which also explains the format, and three layouts
of the rings that replace the one in it. A user's own file is read with `load_tables(path)`.
Section numbers refer to RULES.md beside this file.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import groupby
from os import PathLike
from typing import Final

from tabletop_core.ruleset_file import (
    DEFAULT_FILE,
    RulesetFormat,
    SectionChecker,
    Variants,
    sources_of,
)
from tabletop_core.table_file import Row, Section, SectionLayout, Violations, shown

from .sizes import (
    FIRST_TWO,
    MAX_PLAYERS,
    MAX_VALUE,
    MIN_PLAYERS,
    NUM_STARTERS,
    NUM_TILES,
    RING_NAMES,
    RING_SIZES,
    STACK_NAMES,
    STACK_SIZES,
)

LAYOUTS: Final = ("default", "alt1", "alt2", "alt3")

START_CITY: Final = "Kepler"

# §1.1: the rings of each transfer city; the first is its home board.
TRANSFER_CITIES: Final = {
    "Kilimanjaro": ("EARTH", "MOON"),
    "Olympus": ("MARS", "MOON"),
    "Bradbury": ("MARS", "PHOBOS"),
    "Hellas": ("MARS", "DEIMOS"),
}

# §1.1: with how many players each board is in play, in the order of RING_NAMES.
BOARD_PLAYERS: Final = (2, 2, 2, 4, 5)

# §6 step 6: the stack that fills the cities of each board, in the order of RING_NAMES.
BOARD_STACKS: Final = (0, 1, 2, 2, 2)

# §2.1: ids of the tiles in the order of their numbers, each stack with its letter, then starters.
TILE_IDS: Final = tuple(
    f"{letter}{number:02d}"
    for letter, count in zip("EMRS", (*STACK_SIZES, NUM_STARTERS), strict=True)
    for number in range(1, count + 1)
)

# §2.2: values of the starters.
STARTER_VALUES: Final = tuple(
    1 if number < FIRST_TWO else 2 for number in range(NUM_TILES - NUM_STARTERS, NUM_TILES)
)

_MAX_NAME_LENGTH = 40
_EXAMPLE_TILE = ("Tharsis", 4)  # §2.4: a tile that the rulebook names
_EXAMPLE_CITY = ("Hamilton", 2)  # §2.4: with as many tiles to it, at least


# --- what the tables hold -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tile:
    """A junk tile of a stack (§2.1): value 1 to 12, mark 2 to 5."""

    stack: int
    destination: str
    min_players: int
    value: int


@dataclass(frozen=True)
class Tables:
    """All tables of a ruleset, valid.

    rings: the five rings in the order of RING_NAMES, each with its cities clockwise.
    tiles: the 113 tiles of the stacks; tile number k is the k-th, starters come behind them.
    sources: section of the file -> where the table comes from.
    """

    name: str
    rings: tuple[tuple[str, ...], ...]
    tiles: tuple[Tile, ...]
    sources: Mapping[str, str] = field(hash=False)

    @cached_property
    def cities(self) -> tuple[str, ...]:
        """Names of the cities by number: ring after ring, each city on its home board (§1.2)."""
        return tuple(
            city
            for ring, cities in enumerate(self.rings)
            for city in cities
            if _home(city, ring) == ring
        )

    @cached_property
    def homes(self) -> tuple[int, ...]:
        """[city] number of the home board (§1.2)."""
        ring_of = {city: ring for ring, cities in enumerate(self.rings) for city in cities}
        return tuple(_home(city, ring_of[city]) for city in self.cities)

    @cached_property
    def city_numbers(self) -> dict[str, int]:
        """Name of each city -> its number."""
        return {city: number for number, city in enumerate(self.cities)}

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """What tells tiles apart (§13), as text, by kind number: "1 starter", "4 to Tharsis"."""
        names = [f"{value} starter" for value in sorted(set(STARTER_VALUES))]
        return (*names, *(f"{value} to {self.cities[city]}" for city, value in self._stacked_kinds))

    @cached_property
    def _stacked_kinds(self) -> tuple[tuple[int, int], ...]:
        """(destination, value) of all tiles of the stacks, in the order of the kind numbers."""
        return tuple(
            sorted({(self.city_numbers[tile.destination], tile.value) for tile in self.tiles})
        )

    @cached_property
    def kind_of(self) -> tuple[int, ...]:
        """[tile] kind number, starters included."""
        numbers = {name: number for number, name in enumerate(self.kinds)}
        stacked = [numbers[f"{tile.value} to {tile.destination}"] for tile in self.tiles]
        return (*stacked, *(numbers[f"{value} starter"] for value in STARTER_VALUES))


def _home(city: str, ring: int) -> int:
    """§1.2: the home board of a city that lies on a ring."""
    return RING_NAMES.index(TRANSFER_CITIES.get(city, (RING_NAMES[ring],))[0])


# --- loading --------------------------------------------------------------------------------------


def load_tables(path: str | PathLike[str] | None = None, layout: str = "default") -> Tables:
    """The tables of a user's complete ruleset file, or (path None) the shipped ones in a layout.

    Raises TabletopError with every violation at once: file, line, field and the rule it breaks.
    """
    return LAYOUT_FILES.load(path, layout, parse_tables, _shipped_tables)


@cache
def _shipped_tables(layout: str) -> Tables:
    tables = parse_tables(*_FORMAT.shipped(DEFAULT_FILE))
    return LAYOUT_FILES.replaced(tables, layout, _read_rings)


def parse_tables(text: str, file: str = "ruleset") -> Tables:
    """The tables in the text of a complete ruleset file; `file` names it in error messages."""
    violations = Violations(file)
    name, sections = _FORMAT.sections(text, violations)
    rings = _read_rings(sections.get("rings"), violations)
    tiles = _read_tiles(sections.get("tiles"), rings, violations)
    violations.raise_if_any()
    return Tables(name, rings, tiles, sources_of(sections))


# --- the format -----------------------------------------------------------------------------------

_SECTIONS = {
    "rings": SectionLayout(("source",), ("ring", "cities"), "RULES.md §1.4"),
    "tiles": SectionLayout(
        ("source",), ("source", "destination", "min_players", "values"), "RULES.md §2.4"
    ),
}
_FORMAT = RulesetFormat("junkorbit_v0", "junkorbit_env", _SECTIONS)
# §1.3: the rings of other layouts.
LAYOUT_FILES = Variants(_FORMAT, "layout", LAYOUTS, "rings", "rings")
_CITY_SEPARATOR = ";"


# --- reading the rings ----------------------------------------------------------------------------


def _read_rings(section: Section | None, violations: Violations) -> tuple[tuple[str, ...], ...]:
    """The rings in the order of RING_NAMES; empty if a ring is missing or a name is wrong."""
    if section is None:
        return ()
    check = SectionChecker(section, _SECTIONS["rings"], violations)
    before = len(violations.items)
    rows: dict[str, Row] = {}
    for row in section.rows:
        ring = row.cells["ring"]
        if ring not in RING_NAMES:
            what = f"{shown(ring)} is not a ring; rings are {', '.join(RING_NAMES)}"
            check.report(what, row, "ring")
        elif ring in rows:
            check.report(f"{ring} is already in line {rows[ring].line}", row, "ring")
        else:
            rows[ring] = row
    missing = [ring for ring in RING_NAMES if ring not in rows]
    if missing and not section.malformed_row_count:
        check.report(f"no row for {', '.join(missing)}", field="ring")
    rings = {ring: _read_cities(check, row) for ring, row in rows.items()}
    if not missing:
        _check_shared_cities(check, rings, rows)
    is_right = len(violations.items) == before and not section.malformed_row_count
    return tuple(rings[ring] for ring in RING_NAMES) if is_right else ()


def _read_cities(check: SectionChecker, row: Row) -> tuple[str, ...]:
    """The cities of one ring, clockwise: as many as the ring has, each once."""
    ring = row.cells["ring"]
    cities = tuple(city.strip() for city in row.cells["cities"].split(_CITY_SEPARATOR))
    size = RING_SIZES[RING_NAMES.index(ring)]
    if len(cities) != size:
        check.report(f"{ring} must have {size} cities, not {len(cities)}", row, "cities")
    for city, count in Counter(cities).items():
        if not city:
            check.report(f"a city of {ring} has no name", row, "cities")
        elif len(city) > _MAX_NAME_LENGTH or city != " ".join(city.split()):
            what = f"{shown(city)}: use 1 to {_MAX_NAME_LENGTH} characters with single spaces"
            check.report(what, row, "cities")
        elif count > 1:
            check.report(f"{shown(city)} lies on {ring} {count} times", row, "cities")
    return cities


def _check_shared_cities(
    check: SectionChecker, rings: Mapping[str, Sequence[str]], rows: Mapping[str, Row]
) -> None:
    """§1.4: four transfer cities on two rings each, Kepler on the Moon, no other city on two."""
    expected = {**TRANSFER_CITIES, START_CITY: ("MOON",)}
    for city, right in expected.items():
        for ring in RING_NAMES:
            if ring in right and city not in rings[ring]:
                check.report(f"{city} must lie on {ring}", rows[ring], "cities")
            elif city in rings[ring] and ring not in right:
                check.report(f"{city} must not lie on {ring}", rows[ring], "cities")
    first_ring: dict[str, str] = {}
    for ring in RING_NAMES:
        for city in dict.fromkeys(rings[ring]):
            other = first_ring.setdefault(city, ring)
            if city and city not in expected and other != ring:
                check.report(f"{shown(city)} lies on {other} already", rows[ring], "cities")


# --- reading the tiles ----------------------------------------------------------------------------


def _read_tiles(
    section: Section | None, rings: tuple[tuple[str, ...], ...], violations: Violations
) -> tuple[Tile, ...]:
    """The tiles in the order of their numbers; destinations are checked if the rings are right."""
    if section is None:
        return ()
    check = SectionChecker(section, _SECTIONS["tiles"], violations)
    homes = {city: _home(city, ring) for ring, cities in enumerate(rings) for city in cities}
    stacks: list[list[Tile]] = [[] for _ in STACK_NAMES]
    is_complete = not section.malformed_row_count
    for row in section.rows:
        tiles = _read_row(check, row, homes)
        is_complete = is_complete and tiles is not None
        for tile in tiles or ():
            stacks[tile.stack].append(tile)
    if is_complete:
        _check_counts(check, stacks)
    return tuple(tile for stack in stacks for tile in stack)


def _read_row(check: SectionChecker, row: Row, homes: Mapping[str, int]) -> tuple[Tile, ...] | None:
    """The tiles of one row, as far as they can be read; None if not even their number is known."""
    source, city = row.cells["source"], row.cells["destination"]
    if source not in STACK_NAMES:
        what = f"{shown(source)} is not a stack; stacks are {', '.join(STACK_NAMES)}"
        check.report(what, row, "source")
    mark = check.integer(row, "min_players", MIN_PLAYERS, MAX_PLAYERS)
    values = _read_values(check, row)
    if homes and city not in homes:
        check.report(f"{shown(city)} is not a city of [rings]", row, "destination")
    elif city in homes:
        _check_destination(check, row, homes[city], mark)
    if source not in STACK_NAMES or values is None:
        return None
    stack = STACK_NAMES.index(source)
    return tuple(Tile(stack, city, mark or MIN_PLAYERS, value) for value in values)


def _read_values(check: SectionChecker, row: Row) -> tuple[int, ...] | None:
    """The values of the copies; None if there is none or one of them cannot be read."""
    texts = row.cells["values"].split()
    right = {str(value): value for value in range(1, MAX_VALUE + 1)}
    wrong = [text for text in texts if text not in right]
    for text in wrong:
        check.report(f"{shown(text)} is not a whole number from 1 to {MAX_VALUE}", row, "values")
    if not texts:
        check.report("no value: list the value of each copy, separated by spaces", row, "values")
    return None if wrong or not texts else tuple(right[text] for text in texts)


def _check_destination(check: SectionChecker, row: Row, home: int, mark: int | None) -> None:
    """§2.4: not where the stack itself fills the cities, and not before the board is in play."""
    source, city = row.cells["source"], row.cells["destination"]
    stack = STACK_NAMES[BOARD_STACKS[home]]
    if stack == source:
        check.report(
            f"{city} is filled from the {stack} stack, so no {stack} tile goes there",
            row,
            "destination",
        )
    if mark is not None and mark < BOARD_PLAYERS[home]:
        what = f"{city} is in play from {BOARD_PLAYERS[home]} players on, but the mark is {mark}"
        check.report(what, row, "min_players")


def _check_counts(check: SectionChecker, stacks: Sequence[Sequence[Tile]]) -> None:
    """§2.4: the sizes of the stacks, and the tiles that the rulebook names."""
    for name, size, tiles in zip(STACK_NAMES, STACK_SIZES, stacks, strict=True):
        if len(tiles) != size:
            check.report(f"{name} must have {size} tiles, not {len(tiles)}", field="source")
    city, value = _EXAMPLE_TILE
    named = [tile for stack in stacks for tile in stack]
    # Mars tiles never go to Mars, but whether they do is another violation.
    outside = [tile for tile in named if STACK_NAMES[tile.stack] != "MARS"]
    if not any((tile.destination, tile.value) == _EXAMPLE_TILE for tile in outside):
        check.report(f"no EARTH or MOON tile of value {value} goes to {city}", field="destination")
    city, fewest = _EXAMPLE_CITY
    found = sum(tile.destination == city for tile in named)
    if found < fewest:
        what = f"at least {fewest} tiles must go to {city}, not {found}"
        check.report(what, field="destination")


# --- writing --------------------------------------------------------------------------------------


def tables_to_text(tables: Tables) -> str:
    """A complete ruleset file with the comments of default.ruleset; `load_tables` reads it back.

    Raises TabletopError if the tables (made by hand, say) are not valid.
    """
    return _FORMAT.text_of(tables, _rows(tables), parse_tables)


def _rows(tables: Tables) -> dict[str, list[tuple[object, ...]]]:
    """For each section the cells of its rows; tiles that differ by value alone share a row."""
    rings = zip(RING_NAMES, tables.rings, strict=False)

    def without_value(tile: Tile) -> tuple[str, str, int]:
        return STACK_NAMES[tile.stack], tile.destination, tile.min_players

    return {
        "rings": [(ring, f"{_CITY_SEPARATOR} ".join(cities)) for ring, cities in rings],
        "tiles": [
            (*common, " ".join(str(tile.value) for tile in tiles))
            for common, tiles in groupby(tables.tiles, without_value)
        ],
    }
