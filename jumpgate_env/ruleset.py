"""From options and tables to the `RULES` record that kernels read.

Section numbers refer to RULES.md beside this file.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from tabletop_core.bits import U
from tabletop_core.game import Array, allocate

from .components import NavCard, PlanetCard, Tables, points_for
from .options import Options, hidden_cards, option_tables, turn_limit
from .rules import (
    GATE,
    HARVEST_ANY_CARD,
    HARVEST_ANY_CARD_IF_UNMARKED,
    HARVEST_FREE,
    LANDING_EQUAL_PAIR,
    LANDING_PLANET_CODES,
    MARK_GLOBAL,
    MARK_PER_PLANET,
    NO_KIND,
    RULES,
    SCAN_ANY_CARD,
    SCAN_FREE,
    SCAN_MATCH,
    TIE_FEWEST_BLACKHOLE,
    TIE_SHARED,
)
from .sizes import FAME, MIN_CODE, NOTHING, NUM_CARDS, NUM_CODES, NUM_KINDS, NUM_TYPES, WILDCARD

CHOICES: Final = {
    "mark_scope": {"global": MARK_GLOBAL, "per_planet": MARK_PER_PLANET},
    "scan_cost": {"match": SCAN_MATCH, "any_card": SCAN_ANY_CARD, "free": SCAN_FREE},
    "harvest_cost": {
        "any_card": HARVEST_ANY_CARD,
        "any_card_if_unmarked": HARVEST_ANY_CARD_IF_UNMARKED,
        "free": HARVEST_FREE,
    },
    "landing_rule": {
        "planet_codes": LANDING_PLANET_CODES,
        "equal_pair": LANDING_EQUAL_PAIR,
    },
    "tie_break": {
        "shared": TIE_SHARED,
        "fewest_blackhole_then_planets": TIE_FEWEST_BLACKHOLE,
    },
}


def make_rules(options: Options, num_players: int) -> tuple[Array, Tables]:
    """The `RULES` array [1] (digest still 0) and the tables that checked options stand for."""
    tables = option_tables(options)
    record = allocate(RULES, 1)
    rules = record[0]
    rules.num_players = num_players
    rules.num_planets = tables.ring_size(num_players)
    _write_options(rules, options, num_players)
    _write_points(rules, options, tables)
    _write_navigation(rules, tables.navigation)
    _write_planets(rules, tables.planets)
    _write_resources(rules, options, tables)
    _write_ways(rules, options)
    return record, tables


def _write_options(rules: Any, options: Options, num_players: int) -> None:
    """§10."""
    rules.hidden_count = hidden_cards(options, num_players)
    rules.max_turns = turn_limit(options, num_players)
    rules.blackhole_limit = options.blackhole_limit
    rules.mark_optional = options.mark_optional
    rules.harvest_anywhere = options.harvest_where == "anywhere"
    for name, numbers in CHOICES.items():
        rules[name] = numbers[getattr(options, name)]


def _write_points(rules: Any, options: Options, tables: Tables) -> None:
    """§1.1, §8.3."""
    rules.planet_points = options.planet_points
    rules.fame_points = tables.fame_value
    rules.pair_points = tables.energel_pair_value
    rules.single_points = tables.energel_single_value
    for count in range(NUM_CARDS + 1):
        rules.sand_points[count] = points_for(tables.sand_points, count)
        rules.water_points[count] = points_for(tables.water_points, count)


def _write_navigation(rules: Any, cards: Sequence[NavCard]) -> None:
    """§1.2: codes by card, and for each code the cards that serve it."""
    for category in ("jump", "scan", "land"):
        codes = [getattr(card, category) for card in cards]
        rules[f"nav_{category}"] = codes
        for wanted in range(MIN_CODE, NUM_CODES):
            fitting = (k for k, code in enumerate(codes) if code in (wanted, WILDCARD))
            rules[f"{category}_cards"][wanted] = _word(fitting)


def _write_planets(rules: Any, planets: Sequence[PlanetCard]) -> None:
    """§1.3."""
    rules.planet_jump = [planet.jump for planet in planets]
    rules.planet_scan = [planet.scan for planet in planets]
    rules.planet_land_a = [planet.land_a for planet in planets]
    rules.planet_land_b = [planet.land_b for planet in planets]


def _write_resources(rules: Any, options: Options, tables: Tables) -> None:
    """§1.1, §2.3: resources by type and kind, and those that are never dealt as hidden ones."""
    cards = tables.resources
    for number in range(NUM_TYPES):
        rules.types[number] = _word(k for k, card in enumerate(cards) if card.type == number)
    for number in range(NUM_KINDS):
        rules.kinds[number] = _word(k for k, card in enumerate(cards) if card.kind == number)
    rules.kind_of = [NO_KIND if card.type == NOTHING else card.kind for card in cards]
    rules.icons = _word(k for k, card in enumerate(cards) if card.has_black_hole_icon)
    rules.nothing = _word(k for k, card in enumerate(cards) if card.type == NOTHING)
    rules.not_hidden = rules.nothing
    if options.redeal_fame:
        rules.not_hidden |= rules.types[FAME]


def _write_ways(rules: Any, options: Options) -> None:
    """§4.1, §4.2: where a ship can fly and jump to from each place."""
    ring = range(int(rules.num_planets))
    for place in ring:
        neighbours = {(place - 1) % len(ring), (place + 1) % len(ring)}
        targets = set(ring) - {place}
        if options.jump_target == "not_adjacent":
            targets -= neighbours
        rules.neighbours[place] = _word(neighbours)
        rules.jump_targets[place] = _word(targets)
    rules.neighbours[GATE] = _word(ring if options.fly_from_gate else ())
    rules.jump_targets[GATE] = _word(ring)


def _word(members: Iterable[int]) -> Any:
    """A set of numbers below 64 as a machine word."""
    return U(sum(1 << member for member in members))
