"""What is in the box of Jump Gate: planets, navigation cards, resources and point values.

The tables are text files: data/default.ruleset, which also explains the format, and two decks of
resources that replace the one in it. A user's own file is read with `load_tables(path)`.
Section numbers refer to RULES.md beside this file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise, zip_longest
from os import PathLike

from tabletop_core.ruleset_file import (
    DEFAULT_FILE,
    RulesetFormat,
    SectionChecker,
    Variants,
    sources_of,
)
from tabletop_core.table_file import Row, Section, SectionLayout, Violations, shown

from .sizes import (
    BLUE_GEM,
    DARK_ENERGEL,
    FAME,
    LIGHT_ENERGEL,
    MAX_CODE,
    MAX_PLANETS,
    MAX_PLAYERS,
    MAX_POINTS,
    MIN_CODE,
    MIN_PLANETS,
    MIN_PLAYERS,
    NO_CODE,
    NOTHING,
    NUM_CARDS,
    NUM_PLANET_CARDS,
    RED_GEM,
    SAND,
    TYPE_NAMES,
    WATER,
    WHITE_GEM,
    WILDCARD,
)

DECKS = ("default", "eights", "nothing2010")


# --- what the tables hold -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PlanetCard:
    """A planet (§1.3): codes 1 to 4; the order of the two landing codes does not matter."""

    id: str
    jump: int
    scan: int
    land_a: int
    land_b: int


@dataclass(frozen=True, slots=True)
class NavCard:
    """A navigation card (§1.2): per category 1 to 4, WILDCARD or NO_CODE; exactly one NO_CODE."""

    id: str
    jump: int
    scan: int
    land: int


@dataclass(frozen=True, slots=True)
class ResourceCard:
    """A resource card (§1.1): type SAND (0) to NOTHING (8), and whether it shows the icon."""

    id: str
    type: int
    has_black_hole_icon: bool

    @property
    def kind(self) -> int:
        """2 * type + icon: what tells cards apart for a player, 0 to 15 (Nothing has no kind)."""
        return 2 * self.type + self.has_black_hole_icon

    @property
    def name(self) -> str:
        """The name of the kind, for example "red gem", with "*" behind it for the icon."""
        return TYPE_NAMES[self.type] + "*" * self.has_black_hole_icon


@dataclass(frozen=True)
class Tables:
    """All tables of a ruleset, valid. Card number k is row k of its table.

    ring_sizes: planets in the ring with 2, 3, 4 and 5 players (see `ring_size`).
    planets, navigation, resources: 12, 48 and 48 cards.
    sand_points, water_points: points for n cards of the type (see `points_for`), 0 to 65535.
    fame_value, energel_pair_value, energel_single_value: points, 0 to 65535.
    sources: section of the file -> where the table comes from.
    """

    name: str
    ring_sizes: tuple[int, ...]
    planets: tuple[PlanetCard, ...]
    navigation: tuple[NavCard, ...]
    resources: tuple[ResourceCard, ...]
    sand_points: tuple[int, ...]
    water_points: tuple[int, ...]
    fame_value: int
    energel_pair_value: int
    energel_single_value: int
    sources: Mapping[str, str] = field(hash=False)

    def ring_size(self, num_players: int) -> int:
        """Planets in the ring with 2 to 5 players (§1)."""
        return self.ring_sizes[num_players - MIN_PLAYERS]

    def count_of(self, resource_type: int) -> int:
        """Number of resource cards of a type."""
        return sum(card.type == resource_type for card in self.resources)


def points_for(row: Sequence[int], count: int) -> int:
    """Points for `count` cards by a row of points; beyond its end the last number counts (§1.1)."""
    return row[min(count, len(row) - 1)]


# --- loading --------------------------------------------------------------------------------------


def load_tables(path: str | PathLike[str] | None = None, deck: str = "default") -> Tables:
    """The tables of a user's complete ruleset file, or (path None) the shipped ones with a deck.

    Raises TabletopError with every violation at once: file, line, field and the rule it breaks.
    """
    return DECK_FILES.load(path, deck, parse_tables, _shipped_tables)


@cache
def _shipped_tables(deck: str) -> Tables:
    tables = parse_tables(*_FORMAT.shipped(DEFAULT_FILE))
    return DECK_FILES.replaced(tables, deck, _read_resources)


def parse_tables(text: str, file: str = "ruleset") -> Tables:
    """The tables in the text of a complete ruleset file; `file` names it in error messages."""
    violations = Violations(file)
    name, sections = _FORMAT.sections(text, violations)
    ring_sizes = _read_ring_sizes(sections.get("ring_sizes"), violations)
    planets = _read_planets(sections.get("planets"), violations)
    navigation = _read_navigation(sections.get("navigation"), violations)
    resources = _read_resources(sections.get("resources"), violations)
    sand, water = _read_row_points(sections.get("row_points"), resources, violations)
    values = _read_values(sections.get("values"), violations)
    violations.raise_if_any()
    return Tables(
        name=name,
        ring_sizes=ring_sizes,
        planets=planets,
        navigation=navigation,
        resources=resources,
        sand_points=sand,
        water_points=water,
        fame_value=values["fame"],
        energel_pair_value=values["energel_pair"],
        energel_single_value=values["energel_single"],
        sources=sources_of(sections),
    )


# --- the format -----------------------------------------------------------------------------------

_LAYOUTS = {
    "ring_sizes": SectionLayout(("source",), ("players", "planets"), "RULES.md §1"),
    "planets": SectionLayout(
        ("source",), ("id", "jump", "scan", "land_a", "land_b"), "RULES.md §1.3"
    ),
    "navigation": SectionLayout(("source",), ("id", "jump", "scan", "land"), "RULES.md §1.2"),
    "resources": SectionLayout(
        ("source",), ("id", "type", "subtype", "black_hole_icon"), "RULES.md §1.1"
    ),
    "row_points": SectionLayout(("source",), ("n", "sand", "water"), "RULES.md §1.1"),
    "values": SectionLayout(("source",), ("name", "value"), "RULES.md §1.1"),
}
_FORMAT = RulesetFormat("jumpgate_v0", "jumpgate_env", _LAYOUTS)
# §10: the resource cards of other decks.
DECK_FILES = Variants(_FORMAT, "deck", DECKS, "resources", "resource cards")

_PLANET_CODES = {str(code): code for code in range(MIN_CODE, MAX_CODE + 1)}
_NAV_CODES = {**_PLANET_CODES, "W": WILDCARD, "-": NO_CODE}
_NAV_CODE_TEXT = {code: text for text, code in _NAV_CODES.items()}

_TYPES = {
    ("sand", "-"): SAND,
    ("gem", "red"): RED_GEM,
    ("gem", "white"): WHITE_GEM,
    ("gem", "blue"): BLUE_GEM,
    ("energel", "light"): LIGHT_ENERGEL,
    ("energel", "dark"): DARK_ENERGEL,
    ("water", "-"): WATER,
    ("fame", "-"): FAME,
    ("nothing", "-"): NOTHING,
}
_TYPE_TEXT = {number: text for text, number in _TYPES.items()}

_VALUE_NAMES = ("fame", "energel_pair", "energel_single")


# --- reading the sections -------------------------------------------------------------------------


class _Checker(SectionChecker):
    """Reads the cells of one section, which lists cards or points."""

    def __init__(self, section: Section, violations: Violations) -> None:
        super().__init__(section, _LAYOUTS[section.name], violations)

    def code(self, row: Row, column: str, codes: Mapping[str, int]) -> int | None:
        text = row.cells[column]
        if text not in codes:
            what = f"{shown(text)} is not a code; codes are {', '.join(codes)}"
            self.report(what, row, column)
        return codes.get(text)

    def check_ids(self, letter: str, count: int) -> None:
        """The ids must be letter01, letter02, ... in the order of the rows."""
        expected = {f"{letter}{number:02d}" for number in range(1, count + 1)}
        first_lines: dict[str, int] = {}
        previous = ""
        for row in self.section.rows:
            card = row.cells["id"]
            if card not in expected:
                what = f"{shown(card)} is not an id from {letter}01 to {letter}{count:02d}"
                self.report(what, row, "id")
            elif card in first_lines:
                self.report(f"{card} is already in line {first_lines[card]}", row, "id")
            elif card < previous:
                self.report(f"{card} comes after {previous}; ids must count up", row, "id")
            if card in expected:
                first_lines.setdefault(card, row.line)
                previous = max(previous, card)
        self._check_count(count, sorted(expected - first_lines.keys()))

    def _check_count(self, count: int, missing: Sequence[str]) -> None:
        found = self.section.row_count
        if found == count:
            return
        # A row that cannot be read may be the missing card.
        names = "" if self.section.malformed_row_count else ", ".join(missing)
        hint = f"; missing: {names}" if names else ""
        self.report(f"the table must have {count} rows, not {found}{hint}")


def _read_ring_sizes(section: Section | None, violations: Violations) -> tuple[int, ...]:
    if section is None:
        return ()
    check = _Checker(section, violations)
    sizes: dict[int, int] = {}
    for row in section.rows:
        players = check.integer(row, "players", MIN_PLAYERS, MAX_PLAYERS)
        planets = check.integer(row, "planets", MIN_PLANETS, MAX_PLANETS)
        if players in sizes:
            check.report(f"{players} players are listed twice", row, "players")
        elif players is not None:
            sizes[players] = planets or 0
    _check_ring_sizes(check, sizes)
    return tuple(size for _, size in sorted(sizes.items()))


def _check_ring_sizes(check: _Checker, sizes: Mapping[int, int]) -> None:
    """Every number of players has a ring, and more players never have fewer planets."""
    listed = range(MIN_PLAYERS, MAX_PLAYERS + 1)
    missing = [str(players) for players in listed if players not in sizes]
    if missing and not check.section.malformed_row_count:
        check.report(f"no row for {', '.join(missing)} players", field="players")
    known = [(players, sizes[players]) for players in listed if sizes.get(players)]
    for (fewer, large), (more, small) in pairwise(known):
        if small < large:
            check.report(
                f"{more} players have {small} planets, fewer than the {large} of {fewer} players",
                field="planets",
            )


def _read_planets(section: Section | None, violations: Violations) -> tuple[PlanetCard, ...]:
    if section is None:
        return ()
    check = _Checker(section, violations)
    check.check_ids("P", NUM_PLANET_CARDS)
    cards = []
    for row in section.rows:
        codes = [
            check.code(row, column, _PLANET_CODES)
            for column in ("jump", "scan", "land_a", "land_b")
        ]
        cards.append(PlanetCard(row.cells["id"], *(code or NO_CODE for code in codes)))
    return tuple(cards)


def _read_navigation(section: Section | None, violations: Violations) -> tuple[NavCard, ...]:
    if section is None:
        return ()
    check = _Checker(section, violations)
    check.check_ids("N", NUM_CARDS)
    cards = []
    for row in section.rows:
        codes = [check.code(row, column, _NAV_CODES) for column in ("jump", "scan", "land")]
        count = sum(code != NO_CODE for code in codes)
        if count != 2 and None not in codes:
            check.report(
                "the card must have two codes, of different categories, and - for the third "
                f"category; it has {count}",
                row,
            )
        cards.append(NavCard(row.cells["id"], *(code or NO_CODE for code in codes)))
    return tuple(cards)


def _read_resources(section: Section | None, violations: Violations) -> tuple[ResourceCard, ...]:
    if section is None:
        return ()
    check = _Checker(section, violations)
    check.check_ids("R", NUM_CARDS)
    cards = []
    for row in section.rows:
        resource_type = _read_type(check, row)
        icon = check.integer(row, "black_hole_icon", 0, 1)
        if icon and resource_type == NOTHING:
            check.report("a nothing card has no icon", row, "black_hole_icon")
        if resource_type is not None:
            cards.append(ResourceCard(row.cells["id"], resource_type, icon == 1))
    return tuple(cards)


def _read_type(check: _Checker, row: Row) -> int | None:
    name, subtype = row.cells["type"], row.cells["subtype"]
    if (name, subtype) in _TYPES:
        return _TYPES[name, subtype]
    subtypes = [known for kind, known in _TYPES if kind == name]
    if subtypes:
        what = f"{shown(subtype)} is not a subtype of {name}; use {' or '.join(subtypes)}"
        check.report(what, row, "subtype")
    else:
        names = ", ".join(dict.fromkeys(kind for kind, _ in _TYPES))
        check.report(f"{shown(name)} is not a type; types are {names}", row, "type")
    return None


def _read_row_points(
    section: Section | None, resources: Sequence[ResourceCard], violations: Violations
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The points for 0, 1, 2, ... cards of sand and of water."""
    if section is None:
        return (), ()
    check = _Checker(section, violations)
    sand: list[int] = []
    water: list[int] = []
    for number, row in enumerate(section.rows):
        count = check.integer(row, "n", 0, NUM_CARDS)
        if count is not None and count != number and not section.malformed_row_count:
            check.report(f"{count} stands where {number} must be; n counts up from 0", row, "n")
        for column, points in (("sand", sand), ("water", water)):
            value = check.integer(row, column, 0, MAX_POINTS)
            if count == 0 and value:
                check.report("no cards are worth 0 points", row, column)
            points.append(value or 0)
    for column, resource_type in (("sand", SAND), ("water", WATER)):
        held = sum(card.type == resource_type for card in resources)
        if section.row_count <= held:
            check.report(
                f"the table ends at n = {section.row_count - 1}, "
                f"but [resources] has {held} {column} cards",
                field=column,
            )
    return tuple(sand), tuple(water)


def _read_values(section: Section | None, violations: Violations) -> dict[str, int]:
    if section is None:
        return {}
    check = _Checker(section, violations)
    values: dict[str, int] = {}
    for row in section.rows:
        name = row.cells["name"]
        value = check.integer(row, "value", 0, MAX_POINTS)
        if name not in _VALUE_NAMES:
            what = f"{shown(name)} is not a value; values are {', '.join(_VALUE_NAMES)}"
            check.report(what, row, "name")
        elif name in values:
            check.report(f"{name} is listed twice", row, "name")
        else:
            values[name] = value or 0
    for name in _VALUE_NAMES:
        if name not in values and not section.malformed_row_count:
            check.report(f"no row for {name}", field="name")
    return values


# --- writing --------------------------------------------------------------------------------------


def tables_to_text(tables: Tables) -> str:
    """A complete ruleset file with the comments of default.ruleset; `load_tables` reads it back.

    Raises TabletopError if the tables (made by hand, say) are not valid.
    """
    return _FORMAT.text_of(tables, _rows(tables), parse_tables)


def _rows(tables: Tables) -> dict[str, list[tuple[object, ...]]]:
    """For each section the cells of its rows."""
    nav_code = _NAV_CODE_TEXT.get
    return {
        "ring_sizes": list(enumerate(tables.ring_sizes, start=MIN_PLAYERS)),
        "planets": [(p.id, p.jump, p.scan, p.land_a, p.land_b) for p in tables.planets],
        "navigation": [
            (card.id, *(nav_code(code, code) for code in (card.jump, card.scan, card.land)))
            for card in tables.navigation
        ],
        "resources": [
            (card.id, *_TYPE_TEXT.get(card.type, (card.type, "-")), int(card.has_black_hole_icon))
            for card in tables.resources
        ],
        "row_points": [
            (count, *points)
            for count, points in enumerate(zip_longest(tables.sand_points, tables.water_points))
        ],
        "values": [
            ("fame", tables.fame_value),
            ("energel_pair", tables.energel_pair_value),
            ("energel_single", tables.energel_single_value),
        ],
    }
