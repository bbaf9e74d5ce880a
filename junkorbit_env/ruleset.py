"""From options and tables to the `RULES` record that kernels read.

Section numbers refer to RULES.md beside this file.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from tabletop_core.bits import WORD_BITS, U
from tabletop_core.game import Array, allocate

from .components import BOARD_STACKS, START_CITY, STARTER_VALUES, Tables
from .movement import Network, landing_table, passed_table
from .options import EXTRA_BOARDS, Options, option_tables, rings_in_play
from .rules import ARMOUR, PAYBACK, RAM, RULES, SHARP_TURN
from .sizes import NO_CITY, NUM_CITIES

# §8: the powers of the ships S1 to S5 by side; numbers of one side follow each other.
POWERS: Final[dict[str, range]] = {
    "A": range(SHARP_TURN, ARMOUR + 1),
    "B": range(RAM, PAYBACK + 1),
}


def make_rules(options: Options, num_players: int) -> tuple[Array, Tables]:
    """The `RULES` array [1] (digest still 0) and the tables that checked options stand for."""
    tables = option_tables(options)
    rings = rings_in_play(options, num_players)
    record = allocate(RULES, 1)
    rules = record[0]
    rules.num_players = num_players
    rules.max_turns = options.max_turns or 0
    rules.deliveries_visible = options.deliveries_visible
    _write_tiles(rules, tables)
    _write_cities(rules, tables, rings)
    _write_movement(rules, tables, rings)
    _write_ports(rules)
    _write_tiles_in_play(rules, tables, options)
    _write_powers(rules, options)
    return record, tables


def _write_tiles(rules: Any, tables: Tables) -> None:
    """§2: value, destination and kind of each tile, and the sets that have them in common."""
    destinations = [tables.city_numbers[tile.destination] for tile in tables.tiles]
    rules.value_of = [*(tile.value for tile in tables.tiles), *STARTER_VALUES]
    rules.destination_of = [*destinations, *(NO_CITY for _ in STARTER_VALUES)]
    rules.kind_of = tables.kind_of
    for tile, kind in enumerate(tables.kind_of):
        _add(rules.kind_tiles[kind], tile)
    for tile, (entry, city) in enumerate(zip(tables.tiles, destinations, strict=True)):
        _add(rules.stack_tiles[entry.stack], tile)
        _add(rules.city_tiles[city], tile)


def _write_cities(rules: Any, tables: Tables, rings: Iterable[int]) -> None:
    """§1.1, §4.3: cities in play, by ring and then clockwise, and the stacks that fill them."""
    in_play = [city for city, home in enumerate(tables.homes) if home in rings]
    rules.start_city = tables.city_numbers[START_CITY]
    rules.cities = _word(in_play)
    rules.num_cities = len(in_play)
    rules.seed_order[: len(in_play)] = in_play
    rules.stack_of = [BOARD_STACKS[home] for home in tables.homes]


class _Movement(NamedTuple):
    """§5: what follows from the rings in play alone; the arrays are those of RULES."""

    neighbours: Array
    landings: Array
    sharp_landings: Array
    passed: Array


@lru_cache(maxsize=64)
def _movement(rings: tuple[tuple[int, tuple[int, ...]], ...], homes: tuple[int, ...]) -> _Movement:
    """Of the rings in play: (number of the ring, numbers of its cities clockwise)."""
    network = Network(dict(rings), homes)
    neighbours = np.zeros(NUM_CITIES, np.uint64)
    for city in network.cities:
        neighbours[city] = _word(network.neighbours(city))
    return _Movement(
        neighbours,
        landing_table(network, is_sharp=False),
        landing_table(network, is_sharp=True),
        passed_table(network),
    )


def _write_movement(rules: Any, tables: Tables, rings: Iterable[int]) -> None:
    """§5, §8."""
    numbers = tables.city_numbers
    in_play = tuple((ring, tuple(numbers[city] for city in tables.rings[ring])) for ring in rings)
    for name, table in _movement(in_play, tables.homes)._asdict().items():
        rules[name] = table


def _write_ports(rules: Any) -> None:
    """§8 Any port: tiles destined for a city in play or for one of its neighbours."""
    for city in range(NUM_CITIES):
        if int(rules.cities) >> city & 1:
            ports = int(rules.neighbours[city]) | 1 << city
            for port in range(NUM_CITIES):
                if ports >> port & 1:
                    rules.port_tiles[city] |= rules.city_tiles[port]


def _write_tiles_in_play(rules: Any, tables: Tables, options: Options) -> None:
    """§4.2: marks; §9: with an extra board come all tiles to its own cities."""
    extra = EXTRA_BOARDS[options.boards]
    for number, tile in enumerate(tables.tiles):
        home = tables.homes[tables.city_numbers[tile.destination]]
        if tile.min_players <= rules.num_players or home in extra:
            _add(rules.tiles, number)


def _write_powers(rules: Any, options: Options) -> None:
    """§8."""
    if options.ship_powers in POWERS:
        rules.has_powers = 1
        rules.power_of = list(POWERS[options.ship_powers])


def _add(tiles: Any, tile: int) -> None:
    """Add a tile to a set of two words."""
    tiles[tile // WORD_BITS] |= U(1 << tile % WORD_BITS)


def _word(members: Iterable[int]) -> Any:
    """A set of numbers below 64 as a machine word."""
    return U(sum(1 << member for member in members))
