"""Junk Orbit once more, slowly: a reference to test the fast implementation against.

Written from RULES.md alone, in its order, with lists, sets and dicts of city and tile names. Every
rule names the section of RULES.md it implements (§). Nothing here is optimised. The fast
implementation shares no code with it, only what both must agree on to be comparable: the random
generator with the order of its draws, and the numbers and texts of the actions.

Reading order: the tables, the options, the actions, then the game itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from .common import ReferenceGame, Row, load_sections, numbered_actions, options_over_defaults
from .generator import Generator

PLAYER_COUNTS = range(2, 6)
START_CITY = "Kepler"


# ---------------------------------------------------------------------------------------------
# §1 Boards, §2 Tiles
# ---------------------------------------------------------------------------------------------

# §1.1: the boards, and with how many players each of them comes into play.
BOARDS = {"EARTH": 2, "MOON": 2, "MARS": 2, "PHOBOS": 4, "DEIMOS": 5}

# §1.1: how many cities lie on each ring, those shared with another ring included.
RING_SIZES = {"EARTH": 9, "MOON": 7, "MARS": 9, "PHOBOS": 4, "DEIMOS": 3}

# §1.1: the transfer cities; the first of the two rings is the home board (§1.2).
TRANSFER_CITIES = {
    "Kilimanjaro": ("EARTH", "MOON"),
    "Olympus": ("MARS", "MOON"),
    "Bradbury": ("MARS", "PHOBOS"),
    "Hellas": ("MARS", "DEIMOS"),
}

# §2.1: every source of junk has a stack; how many tiles it has, and the letter of their names.
STACK_SIZES = {"EARTH": 37, "MOON": 29, "MARS": 47}
TILE_LETTERS = {"EARTH": "E", "MOON": "M", "MARS": "R"}

# §4.3, §6 step 6: the stack from which the cities of a board are filled.
STACK_OF_BOARD = {
    "EARTH": "EARTH",
    "MOON": "MOON",
    "MARS": "MARS",
    "PHOBOS": "MARS",
    "DEIMOS": "MARS",
}

# §2.1: every player starts with these values; there are enough starters for five players.
STARTER = "STARTER"
STARTER_HAND = (1, 1, 2)
HIGHEST_VALUE = 12


@dataclass(frozen=True)
class Tile:
    """§2.1: one junk tile; a starter has no destination."""

    name: str
    source: str
    destination: str | None
    min_players: int
    value: int

    @property
    def kind(self) -> str:
        """§13: what tells two tiles apart, as actions say it: "4 to Tharsis" or "1 starter"."""
        if self.destination is None:
            return f"{self.value} starter"
        return f"{self.value} to {self.destination}"


@dataclass(frozen=True)
class Tables:
    """§1.2 and §2.3: the rings in clockwise order, and all tiles in the order of their numbers."""

    rings: dict[str, list[str]]
    tiles: dict[str, Tile]

    @classmethod
    def load(cls, path: str | Path, layout_path: str | Path | None = None) -> Tables:
        """Read a complete ruleset file; a second file may replace the rings (§1.3).

        Raises ValueError if a table is missing or a row cannot be read. Whether the tables are
        fit to play with is told by `rule_errors`.
        """
        sections = load_sections(path, ("rings", "tiles"), "rings", layout_path)
        return cls(rings=read_rings(sections["rings"]), tiles=read_tiles(sections["tiles"]))

    @cached_property
    def cities(self) -> list[str]:
        """All cities, board by board, each on its home board; the order gives their numbers."""
        return [city for board in BOARDS for city in self.rings[board] if self.home(city) == board]

    def home(self, city: str) -> str:
        """§1.2: the board a city belongs to, even if it lies on two rings."""
        if city in TRANSFER_CITIES:
            return TRANSFER_CITIES[city][0]
        return next(board for board, ring in self.rings.items() if city in ring)

    @cached_property
    def kinds(self) -> list[str]:
        """§13: the kinds of tiles: starters, then by destination, then by value."""

        def order(tile: Tile) -> tuple[int, int]:
            is_starter = tile.destination is None
            return (-1 if is_starter else self.cities.index(str(tile.destination)), tile.value)

        return list(dict.fromkeys(tile.kind for tile in sorted(self.tiles.values(), key=order)))

    def rule_errors(self) -> list[str]:
        """§1.4 and §2.4: every condition these tables do not fulfil, in words; empty if fit."""
        return ring_errors(self.rings) or tile_errors(self)


def ring_errors(rings: Mapping[str, list[str]]) -> list[str]:
    """§1.4: five rings of fixed sizes that share exactly the four transfer cities."""
    if set(rings) != set(BOARDS):
        return [f"the rings are {', '.join(rings)}"]
    errors = [
        f"{board} has {len(ring)} cities"
        for board, ring in rings.items()
        if len(ring) != RING_SIZES[board]
    ]
    places: dict[str, list[str]] = {}
    for board, ring in rings.items():
        for city in ring:
            places.setdefault(city, []).append(board)
    for city, boards in places.items():
        if not city or (city not in TRANSFER_CITIES and len(boards) > 1):
            errors.append(f"{city!r} lies on {', '.join(boards)}")
    for city, shared in TRANSFER_CITIES.items():
        if sorted(places.get(city, [])) != sorted(shared):
            errors.append(f"{city} does not lie once on each of {', '.join(shared)}")
    if places.get(START_CITY) != ["MOON"]:
        errors.append(f"{START_CITY} does not lie on the Moon alone")
    return errors


def tile_errors(tables: Tables) -> list[str]:
    """§2.4, conditions 1 to 4."""
    junk = [tile for tile in tables.tiles.values() if tile.source != STARTER]
    errors = [
        f"{source} has {count} tiles"
        for source, count in Counter(tile.source for tile in junk).items()
        if count != STACK_SIZES[source]
    ]
    for tile in junk:
        if tile.destination not in tables.cities:
            errors.append(f"{tile.name}: no city {tile.destination}")
            continue
        home = tables.home(tile.destination)
        if STACK_OF_BOARD[home] == tile.source:
            errors.append(f"{tile.name} stays where it comes from")
        if tile.min_players not in PLAYER_COUNTS or tile.min_players < BOARDS[home]:
            errors.append(f"{tile.name}: mark {tile.min_players}")
        if not 1 <= tile.value <= HIGHEST_VALUE:
            errors.append(f"{tile.name}: value {tile.value}")
    if not any(tile.kind == "4 to Tharsis" and tile.source != "MARS" for tile in junk):
        errors.append("no 4 to Tharsis from Earth or Moon")
    if [tile.destination for tile in junk].count("Hamilton") < 2:
        errors.append("fewer than two tiles to Hamilton")
    return errors


def read_rings(rows: list[Row]) -> dict[str, list[str]]:
    """§1.2: the cities of every ring, clockwise."""
    return {row["ring"]: [city.strip() for city in row["cities"].split(";")] for row in rows}


def read_tiles(rows: list[Row]) -> dict[str, Tile]:
    """§2.3 and §2.2: the tiles of each stack, numbered in the order of the table, then starters."""
    tiles: dict[str, Tile] = {}
    for source, letter in TILE_LETTERS.items():
        copies = [
            (row["destination"], int(row["min_players"]), int(value))
            for row in rows
            if row["source"] == source
            for value in row["values"].split()
        ]
        for number, (destination, mark, value) in enumerate(copies, start=1):
            name = f"{letter}{number:02}"
            tiles[name] = Tile(name, source, destination, mark, value)
    values = sorted(STARTER_HAND * max(PLAYER_COUNTS))
    for number, value in enumerate(values, start=1):
        name = f"S{number:02}"
        tiles[name] = Tile(name, STARTER, None, min(PLAYER_COUNTS), value)
    return tiles


# ---------------------------------------------------------------------------------------------
# §0 Options
# ---------------------------------------------------------------------------------------------

DEFAULT_OPTIONS: dict[str, Any] = {
    "layout": "default",
    "boards": "by_players",
    "ship_powers": "off",
    "deliveries_visible": True,
    "board_side": "day",
    "variant": "none",
    "max_turns": None,
}
OPTION_CHOICES: dict[str, tuple[object, ...]] = {
    "layout": ("default", "alt1", "alt2", "alt3"),
    "boards": ("by_players", "phobos", "deimos", "phobos+deimos"),
    "ship_powers": ("off", "A", "B"),
    "deliveries_visible": (True, False),
    "board_side": ("day",),
    "variant": ("none",),
}
EXTRA_BOARDS: dict[str, tuple[str, ...]] = {
    "by_players": (),
    "phobos": ("PHOBOS",),
    "deimos": ("DEIMOS",),
    "phobos+deimos": ("PHOBOS", "DEIMOS"),
}


def complete_options(given: Mapping[str, object]) -> dict[str, Any]:
    """§0: the given options over the defaults. Raises ValueError for a name or value unknown.

    The option "layout" only names the rings; the rings themselves come with the tables. What a
    player may see ("deliveries_visible") changes nothing in the course of the game.
    """
    return options_over_defaults(given, DEFAULT_OPTIONS, OPTION_CHOICES)


# ---------------------------------------------------------------------------------------------
# Actions: their numbers and texts
# ---------------------------------------------------------------------------------------------

HEADINGS = ("clockwise", "counter-clockwise")
SENSES = {"clockwise": 1, "counter-clockwise": -1}
OPPOSITE = {"clockwise": "counter-clockwise", "counter-clockwise": "clockwise"}

CITY_COUNT = 28
MOST_KINDS = 115

ACTION_BLOCKS: dict[str, int] = {
    "tile": MOST_KINDS,
    "delivered": MOST_KINDS,
    "land": len(HEADINGS) * CITY_COUNT,
    "move": CITY_COUNT,
    "beam": CITY_COUNT,
    "done": 1,
}
ALL_ACTIONS = numbered_actions(ACTION_BLOCKS)

# At which prompt an action of which block may be legal, and how it is called there. Elsewhere an
# action is called as in the first line of its block.
ACTION_TEXTS: dict[tuple[str, str], str] = {
    ("launch", "tile"): "launch {kind}",
    ("land", "land"): "{heading}, land on {city}",
    ("hit", "tile"): "drop {kind} from cargo",
    ("hit", "delivered"): "drop {kind} from deliveries",
    ("aim", "tile"): "make player {victim} drop {kind}",
    ("payback", "tile"): "drop {kind} from cargo",
    ("payback", "delivered"): "drop {kind} from deliveries",
    ("move", "move"): "move to {city}",
    ("deliver", "tile"): "deliver {kind}",
    ("deliver", "done"): "keep the rest",
    ("hit", "done"): "ignore the hit",
    ("beam", "beam"): "beam from {city}",
    ("beam", "done"): "beam nothing",
    ("beam_tile", "tile"): "beam {kind}",
}


@dataclass(frozen=True)
class Launch:
    """§6 D1: the launched tile, and its way once that is chosen."""

    tile: str
    heading: str | None = None
    landing: str | None = None


class Spot(NamedTuple):
    """§5: where a traveller is: the city it has reached, on which ring and in which sense."""

    city: str
    ring: str
    sense: int


SHIP_SLOTS = ("S1", "S2", "S3", "S4", "S5")


# ---------------------------------------------------------------------------------------------
# The game
# ---------------------------------------------------------------------------------------------


class Game(ReferenceGame):
    """One game of Junk Orbit.

    A player is a seat number 0 .. num_players - 1. A city, board or tile is its name in the tables.
    `turn_player` is whose turn it is, `current_player` who has to decide. Decisions with a single
    legal answer are played at once and never wait for the player.
    """

    def __init__(
        self, tables: Tables, options: Mapping[str, object], num_players: int, seed: int
    ) -> None:
        self._clear_table(tables, options, num_players)
        self.generator = Generator.from_seed(seed)
        self._set_up()
        self._begin_turn()
        self._play_forced_decisions()

    def _clear_table(self, tables: Tables, options: Mapping[str, object], players: int) -> None:
        if players not in PLAYER_COUNTS:
            raise ValueError(f"no game with {players} players")
        self.tables = tables
        self.options = complete_options(options)
        self._clear_bookkeeping(players, tables.tiles)
        self.boards = self._boards_in_play()
        self.cities: dict[str, list[str]] = {
            city: [] for city in tables.cities if tables.home(city) in self.boards
        }
        # The order of a stack is decided when a tile is drawn: nobody can tell the difference.
        self.stacks: dict[str, list[str]] = {source: [] for source in STACK_SIZES}
        self.ships: list[str] = [START_CITY for _ in self._players()]
        self.powers: list[str] | None = None
        self.cargo: list[list[str]] = [[] for _ in self._players()]
        self.deliveries: list[list[str]] = [[] for _ in self._players()]
        self.turn_player = 0
        self.current_player = 0
        self.prompt = "launch"
        self.launch: Launch | None = None
        self.beam_city: str | None = None
        self.hit_cause: str | None = None
        self.victims: list[int] = []
        self.victim: int | None = None

    # --- §1.1, §2.1 What is in play --------------------------------------------------------------

    def _boards_in_play(self) -> list[str]:
        """§1.1; §9, §13: the option `boards` adds Phobos or Deimos at lower counts."""
        extra = EXTRA_BOARDS[self.options["boards"]]
        return [
            board
            for board, min_players in BOARDS.items()
            if min_players <= self.num_players or board in extra
        ]

    def _is_in_play(self, tile: Tile) -> bool:
        """§4.2: the mark allows it; §9: with an extra board come the tiles for its own cities."""
        if tile.destination is None:
            return False
        extra = EXTRA_BOARDS[self.options["boards"]]
        return tile.min_players <= self.num_players or self.tables.home(tile.destination) in extra

    def _stacked_tiles(self, source: str) -> list[str]:
        """§4.2: the tiles in play of one source."""
        return [
            tile.name
            for tile in self.tables.tiles.values()
            if tile.source == source and self._is_in_play(tile)
        ]

    def _stack_of(self, city: str) -> str:
        """§4.3, §6 step 6: the stack of the city's home board."""
        return STACK_OF_BOARD[self.tables.home(city)]

    # --- §4 Set-up -------------------------------------------------------------------------------

    def _set_up(self) -> None:
        """§4, steps 2 to 6; boards (step 1) and tokens on Kepler are there from the start."""
        self.stacks = {source: self._stacked_tiles(source) for source in STACK_SIZES}
        for city in self.cities:
            self._fill(city)
        if self.options["ship_powers"] != "off":
            self._deal_ships()
        for player in self._players():
            self._deal_cargo(player)
        self.turn_player = self.generator.randbelow(self.num_players)

    def _fill(self, city: str) -> bool:
        """§4.3 and §6 step 6: one tile of the home stack; False if that stack is empty."""
        stack = self.stacks[self._stack_of(city)]
        if stack:
            self.cities[city].append(self._draw(stack))
            return True
        return False

    def _deal_ships(self) -> None:
        """§4.4: without powers (§8) all ships are alike and need not be dealt."""
        box = list(SHIP_SLOTS)
        self.powers = []
        for _ in self._players():
            self.powers.append(box.pop(self.generator.randbelow(len(box))))

    def _deal_cargo(self, player: int) -> None:
        """§4.5: three starters, and one tile of each stack."""
        for value in STARTER_HAND:
            self.cargo[player].append(self._unused_starter(value))
        for stack in self.stacks.values():
            if stack:
                self.cargo[player].append(self._draw(stack))

    def _unused_starter(self, value: int) -> str:
        held = {tile for cargo in self.cargo for tile in cargo}
        return next(
            tile.name
            for tile in self.tables.tiles.values()
            if tile.source == STARTER and tile.value == value and tile.name not in held
        )

    # --- What a player may do --------------------------------------------------------------------

    def _legal_offsets(self) -> dict[tuple[str, str], Callable[[], list[int]]]:
        return {
            ("launch", "tile"): self._legal_launches,
            ("land", "land"): self._legal_landings,
            ("hit", "tile"): self._legal_drops_from_cargo,
            ("hit", "delivered"): self._legal_drops_from_deliveries,
            ("hit", "done"): self._legal_ignores,
            ("aim", "tile"): self._legal_drops_from_cargo,
            ("payback", "tile"): self._legal_drops_from_cargo,
            ("payback", "delivered"): self._legal_drops_from_deliveries,
            ("move", "move"): self._legal_moves,
            ("deliver", "tile"): self._legal_deliveries,
            ("deliver", "done"): self._legal_keeps,
            ("beam", "beam"): self._legal_beams,
            ("beam", "done"): self._legal_beams_of_nothing,
            ("beam_tile", "tile"): self._legal_beamed_tiles,
        }

    def _handlers(self) -> dict[tuple[str, str], Callable[[int], None]]:
        return {
            ("launch", "tile"): self._apply_launch,
            ("land", "land"): self._apply_landing,
            ("hit", "tile"): self._apply_drop_from_cargo,
            ("hit", "delivered"): self._apply_drop_from_deliveries,
            ("hit", "done"): self._apply_ignore,
            ("aim", "tile"): self._apply_drop_from_cargo,
            ("payback", "tile"): self._apply_payback_from_cargo,
            ("payback", "delivered"): self._apply_payback_from_deliveries,
            ("move", "move"): self._apply_move,
            ("deliver", "tile"): self._apply_delivery,
            ("deliver", "done"): self._apply_keep,
            ("beam", "beam"): self._apply_beam,
            ("beam", "done"): self._apply_beam_of_nothing,
            ("beam_tile", "tile"): self._apply_beamed_tile,
        }

    def legal_action_ids(self) -> list[int]:
        """The numbers of the legal actions of `current_player`, ascending; none after the end."""
        legal = {
            (block, offset)
            for (prompt, block), offsets in self._legal_offsets().items()
            if prompt == self.prompt
            for offset in offsets()
        }
        return [number for number, action in enumerate(ALL_ACTIONS) if action in legal]

    def _perform(self, action_id: int) -> None:
        block, offset = ALL_ACTIONS[action_id]
        self._handlers()[self.prompt, block](offset)

    # --- §5 Movement model -----------------------------------------------------------------------

    def landings(
        self, city: str, heading: str, steps: int, *, has_sharp_turns: bool = False
    ) -> set[str]:
        """§5: where a traveller can stop that makes exactly so many steps.

        §8 S1-A: with sharp turns it continues in either sense after each change of ring.
        """
        frontier = {self._start(city, heading)}
        for _ in range(steps):
            frontier = {after for spot in frontier for after in self._next(spot, has_sharp_turns)}
        return {spot.city for spot in frontier}

    def _start(self, city: str, heading: str) -> Spot:
        """§5: on a transfer city the heading is named on the home board."""
        return Spot(city, self.tables.home(city), SENSES[heading])

    def _next(self, spot: Spot, has_sharp_turns: bool = False) -> list[Spot]:
        """§5: one step on the same ring, or on the other ring through this city, sense reversed."""
        ways = [(spot.ring, spot.sense)]
        for ring in self._rings_through(spot.city):
            if ring != spot.ring:
                ways.append((ring, -spot.sense))
                if has_sharp_turns:
                    ways.append((ring, spot.sense))
        return [Spot(self._neighbour(spot.city, ring, sense), ring, sense) for ring, sense in ways]

    def _rings_through(self, city: str) -> list[str]:
        """The rings in play on which this city lies."""
        return [board for board in self.boards if city in self.tables.rings[board]]

    def _neighbour(self, city: str, board: str, sense: int) -> str:
        ring = self.tables.rings[board]
        return ring[(ring.index(city) + sense) % len(ring)]

    def _cities_one_step_away(self, city: str) -> set[str]:
        """§8 S2-A and S4-A: the neighbours on every ring through this city, in either sense."""
        return {
            self._neighbour(city, board, sense)
            for board in self._rings_through(city)
            for sense in SENSES.values()
        }

    def path(self, city: str, heading: str, steps: int, landing: str) -> list[Spot]:
        """§1.4: the way to a landing, start included; of several the one with fewest switches.

        Then the one that makes its first switch last, its second switch last, and so on. Starting
        off the home board counts as a switch. Raises ValueError if no way leads there.
        """
        paths = [[self._start(city, heading)]]
        for _ in range(steps):
            paths = [[*path, after] for path in paths for after in self._next(path[-1])]
        return min((path for path in paths if path[-1].city == landing), key=switch_order)

    # --- §6 D1 Launch ----------------------------------------------------------------------------

    def _begin_turn(self) -> None:
        """§6 D1: launching is mandatory; §11: without cargo the turn is pick-up and refill."""
        if self.cargo[self.turn_player]:
            self._ask("launch", self.turn_player)
        else:
            self._pick_up()

    def _legal_launches(self) -> list[int]:
        """§6 D1: any tile in CARGO."""
        return self._kind_numbers(self.cargo[self.turn_player])

    def _apply_launch(self, kind_number: int) -> None:
        """§6 D1: the tile is chosen; its heading and landing are asked for next."""
        self.launch = Launch(self._first(self.cargo[self.turn_player], kind_number))
        self._ask("land", self.turn_player)

    def _legal_landings(self) -> list[int]:
        """§6 D1: heading and landing; §13: a city reached by both headings counts twice."""
        steps = self._tile(self._launched().tile).value
        return [
            number * CITY_COUNT + city_number
            for number, heading in enumerate(HEADINGS)
            for city_number in self._city_numbers(self.landings(self._here(), heading, steps))
        ]

    def _apply_landing(self, way_number: int) -> None:
        """§6 Effect 1: remote delivery or rest, then the hits (D2)."""
        heading_number, city_number = divmod(way_number, CITY_COUNT)
        landing = self.tables.cities[city_number]
        self.launch = replace(self._launched(), heading=HEADINGS[heading_number], landing=landing)
        tile = self._tile(self.launch.tile)
        self.cargo[self.turn_player].remove(tile.name)
        if tile.destination == landing:
            self.deliveries[self.turn_player].append(tile.name)
        else:
            self.cities[landing].append(tile.name)
        self._hit("launch", self._cities_hit_by_launch())

    def _cities_hit_by_launch(self) -> set[str]:
        """§6 D2: where the tile stops; §8 S4-B: also where it passes on its path (§1.4).

        The launch does not pass the place it starts from; if it comes round to it, it does.
        """
        launch = self._launched()
        landing = str(launch.landing)
        if not self._has_power(self.turn_player, "S4", "B"):
            return {landing}
        steps = self._tile(launch.tile).value
        path = self.path(self._here(), str(launch.heading), steps, landing)
        return {spot.city for spot in path[1:]}

    # --- §6 D2 Hit -------------------------------------------------------------------------------

    def _hit(self, cause: str, cities: set[str]) -> None:
        """§6 D2: every opponent in these cities, clockwise from the left of the turn player."""
        self.hit_cause = cause
        self.victims = [
            player for player in self._opponents_clockwise() if self.ships[player] in cities
        ]
        self._hit_next_victim()

    def _hit_next_victim(self) -> None:
        """§6 D2, §13: one after the other; a victim with no tile at all loses nothing."""
        if not self.victims:
            self._finish_hits()
            return
        victim = self.victims.pop(0)
        self.victim = victim
        if not self._has_tile(victim):
            self._pay_back()
        elif self._is_aimed() and self.cargo[victim]:
            self._ask("aim", self.turn_player)
        else:
            self._ask("hit", victim)

    def _is_aimed(self) -> bool:
        """§8 S3-B: the shooter chooses what its launch costs, as long as there is cargo."""
        return self.hit_cause == "launch" and self._has_power(self.turn_player, "S3", "B")

    def _giver(self) -> int:
        """Who loses the tile: the shooter when it is paid back, otherwise the victim."""
        return self.turn_player if self.prompt == "payback" else self._hit_player()

    def _legal_drops_from_cargo(self) -> list[int]:
        """§6 D2: any tile in CARGO, starters too."""
        return self._kind_numbers(self.cargo[self._giver()])

    def _legal_drops_from_deliveries(self) -> list[int]:
        """§6 D2: or any tile in DELIVERIES."""
        return self._kind_numbers(self.deliveries[self._giver()])

    def _apply_drop_from_cargo(self, kind_number: int) -> None:
        """§6 D2."""
        self._give_up(self.cargo[self._giver()], kind_number)

    def _apply_drop_from_deliveries(self, kind_number: int) -> None:
        """§6 D2."""
        self._give_up(self.deliveries[self._giver()], kind_number)

    def _give_up(self, pile: list[str], kind_number: int) -> None:
        """§6 D2: to the victim's city, where it rests; §8 S2-B: to the CARGO of the shooter."""
        is_boarded = self.hit_cause == "launch" and self._has_power(self.turn_player, "S2", "B")
        victim_city = self.cities[self.ships[self._hit_player()]]
        place = self.cargo[self.turn_player] if is_boarded else victim_city
        self._take(pile, kind_number, place)
        self._pay_back()

    def _legal_ignores(self) -> list[int]:
        """§8 S5-A."""
        return [0] if self._has_power(self._hit_player(), "S5", "A") else []

    def _apply_ignore(self, _: int) -> None:
        """§8 S5-A: nothing happens to this victim."""
        self._hit_next_victim()

    def _pay_back(self) -> None:
        """§8 S5-B: after the victim's drop, even if it had nothing to drop."""
        is_paid_back = self._has_power(self._hit_player(), "S5", "B")
        if is_paid_back and self._has_tile(self.turn_player):
            self._ask("payback", self.turn_player)
        else:
            self._hit_next_victim()

    def _apply_payback_from_cargo(self, kind_number: int) -> None:
        """§8 S5-B: the shooter drops a tile on its own city; that is not a hit."""
        self._take(self.cargo[self.turn_player], kind_number, self.cities[self._here()])
        self._hit_next_victim()

    def _apply_payback_from_deliveries(self, kind_number: int) -> None:
        """§8 S5-B."""
        self._take(self.deliveries[self.turn_player], kind_number, self.cities[self._here()])
        self._hit_next_victim()

    def _finish_hits(self) -> None:
        """§6 D2: the ship moves after the hits of its launch. §8 S1-B: D4 after those of a ram."""
        cause = self.hit_cause
        self.hit_cause = None
        self.victim = None
        if cause == "launch":
            self._ask("move", self.turn_player)
        else:
            self._offer_deliveries()

    # --- §6 D3 Move ------------------------------------------------------------------------------

    def _legal_moves(self) -> list[int]:
        """§6 D3: as many steps as the launched value, the opposite way.

        §8 S3-A: or one step more. §8 S1-A: with sharp turns.
        """
        launch = self._launched()
        heading = OPPOSITE[str(launch.heading)]
        value = self._tile(launch.tile).value
        distances = [value]
        if self._has_power(self.turn_player, "S3", "A"):
            distances.append(value + 1)
        is_sharp = self._has_power(self.turn_player, "S1", "A")
        cities: set[str] = set()
        for steps in distances:
            cities |= self.landings(self._here(), heading, steps, has_sharp_turns=is_sharp)
        return self._city_numbers(cities)

    def _apply_move(self, city_number: int) -> None:
        """§6 D3: sharing a city is not a hit; §8 S1-B: unless the ship rams."""
        self.ships[self.turn_player] = self.tables.cities[city_number]
        self.launch = None
        if self._has_power(self.turn_player, "S1", "B"):
            self._hit("ram", {self._here()})
        else:
            self._offer_deliveries()

    # --- §6 D4 Direct delivery -------------------------------------------------------------------

    def _offer_deliveries(self) -> None:
        """§6 D4, §13: tile by tile, as long as there is one that may be delivered."""
        if self._legal_deliveries():
            self._ask("deliver", self.turn_player)
        else:
            self._pick_up()

    def _legal_deliveries(self) -> list[int]:
        """§6 D4: the tiles for this city; §8 S2-A: also those for a city one step away."""
        ports = {self._here()}
        if self._has_power(self.turn_player, "S2", "A"):
            ports |= self._cities_one_step_away(self._here())
        cargo = self.cargo[self.turn_player]
        return self._kind_numbers(tile for tile in cargo if self._tile(tile).destination in ports)

    def _apply_delivery(self, kind_number: int) -> None:
        """§6 D4."""
        self._take(self.cargo[self.turn_player], kind_number, self.deliveries[self.turn_player])
        self._offer_deliveries()

    def _legal_keeps(self) -> list[int]:
        """§6 D4: direct delivery is voluntary."""
        return [0]

    def _apply_keep(self, _: int) -> None:
        """§6 D4."""
        self._pick_up()

    # --- §6 step 5 Pick up -----------------------------------------------------------------------

    def _pick_up(self) -> None:
        """§6 step 5: all tiles on the ship's city."""
        pile = self.cities[self._here()]
        self.cargo[self.turn_player].extend(pile)
        pile.clear()
        self._offer_beam()

    def _offer_beam(self) -> None:
        """§8 S4-A: after step 5, also in a turn without launch."""
        if self._has_power(self.turn_player, "S4", "A") and self._legal_beams():
            self._ask("beam", self.turn_player)
        else:
            self._refill()

    def _legal_beams(self) -> list[int]:
        """§8 S4-A: from a city one step away that holds two or more tiles."""
        cities = self._cities_one_step_away(self._here())
        return self._city_numbers(city for city in cities if len(self.cities[city]) > 1)

    def _legal_beams_of_nothing(self) -> list[int]:
        """§8 S4-A: "may"."""
        return [0]

    def _apply_beam(self, city_number: int) -> None:
        """§8 S4-A: the city is chosen; the tile is asked for next."""
        self.beam_city = self.tables.cities[city_number]
        self._ask("beam_tile", self.turn_player)

    def _apply_beam_of_nothing(self, _: int) -> None:
        """§8 S4-A."""
        self._refill()

    def _legal_beamed_tiles(self) -> list[int]:
        """§8 S4-A."""
        return self._kind_numbers(self.cities[str(self.beam_city)])

    def _apply_beamed_tile(self, kind_number: int) -> None:
        """§8 S4-A."""
        self._take(self.cities[str(self.beam_city)], kind_number, self.cargo[self.turn_player])
        self.beam_city = None
        self._refill()

    # --- §6 step 6 Refill, §7 End ----------------------------------------------------------------

    def _refill(self) -> None:
        """§6 step 6; §7: the first refill that fails triggers the end.

        This turn is finished, then every other player has one more.
        """
        is_filled = self._fill(self._here())
        if not is_filled and self.final_turns_left == 0:
            self.final_turns_left = self.num_players
        self._finish_turn()

    def _finish_turn(self) -> None:
        """§7, then the limit of turns, then the next player clockwise.

        The limit is no rule of the game, so it is no reason in `end_reasons`.
        """
        self.turn_count += 1
        if self.final_turns_left > 0:
            self.final_turns_left -= 1
            if self.final_turns_left == 0:
                self._end_game(["stack_empty"])
                return
        if self.options["max_turns"] and self.turn_count >= self.options["max_turns"]:
            self.is_truncated = True
            self._end_game([])
            return
        self.turn_player = (self.turn_player + 1) % self.num_players
        self._begin_turn()

    def _end_game(self, reasons: list[str]) -> None:
        """§7."""
        self.end_reasons = reasons
        self._ask("over", self.turn_player)

    # --- §7 Score and ties -----------------------------------------------------------------------

    def scores(self) -> list[int]:
        """§7: the values in DELIVERIES, for every player, if the game ends now."""
        return [sum(self._tile(tile).value for tile in pile) for pile in self.deliveries]

    def winners(self) -> list[int]:
        """§7: most points, then most delivered tiles, then a shared win."""
        results = [
            (score, len(pile)) for score, pile in zip(self.scores(), self.deliveries, strict=True)
        ]
        return [player for player in self._players() if results[player] == max(results)]

    # --- §8 Ship powers --------------------------------------------------------------------------

    def _has_power(self, player: int, slot: str, side: str) -> bool:
        """§8: all ships of a game show the same side."""
        if self.options["ship_powers"] != side or self.powers is None:
            return False
        return self.powers[player] == slot

    # --- §11 Invariant ---------------------------------------------------------------------------

    def conservation_errors(self) -> list[str]:
        """§11: what does not hold of a position that can arise in a game; empty if all is well."""
        return [*self._tile_count_errors(), *self._place_errors()]

    def _tile_count_errors(self) -> list[str]:
        """§11: the tiles in play and three starters per player, each of them exactly once."""
        piles = [*self.stacks.values(), *self.cities.values(), *self.cargo, *self.deliveries]
        found = Counter(tile for pile in piles for tile in pile)
        starters = Counter(
            self._tile(tile).value
            for tile in found.elements()
            if self._tile(tile).source == STARTER
        )
        junk = {tile for source in self.stacks for tile in self._stacked_tiles(source)}
        errors = [f"{tile} exists {count} times" for tile, count in found.items() if count > 1]
        errors += [f"{tile} is missing" for tile in sorted(junk - set(found))]
        errors += [
            f"{tile} is not in play"
            for tile in sorted(set(found) - junk)
            if self._tile(tile).source != STARTER
        ]
        if starters != Counter(STARTER_HAND * self.num_players):
            errors.append(f"the numbers of starters by value are {dict(starters)}")
        return errors

    def _place_errors(self) -> list[str]:
        """§2.1, §4.2: stacks are of one source; §6: starters rest; §1.1: ships stay in play."""
        errors = [
            f"{tile} is in the stack of {source}"
            for source, stack in self.stacks.items()
            for tile in stack
            if self._tile(tile).source != source
        ]
        errors += [
            f"starter {tile} is delivered"
            for pile in self.deliveries
            for tile in pile
            if self._tile(tile).source == STARTER
        ]
        return errors + [f"a ship is on {city}" for city in self.ships if city not in self.cities]

    # --- Texts -----------------------------------------------------------------------------------

    def action_text(self, action_id: int) -> str:
        """The text of any action number, legal or not, at the present prompt."""
        block, offset = ALL_ACTIONS[action_id]
        first_text = next(text for (_, name), text in ACTION_TEXTS.items() if name == block)
        text = ACTION_TEXTS.get((self.prompt, block), first_text)
        heading_number, city_number = divmod(offset, CITY_COUNT)
        return text.format(
            kind=self._kind_text(offset),
            heading=HEADINGS[heading_number % len(HEADINGS)],
            city=self.tables.cities[city_number],
            victim=self.victim,
        )

    def _kind_text(self, kind_number: int) -> str:
        if kind_number < len(self.tables.kinds):
            return self.tables.kinds[kind_number]
        return f"tile kind {kind_number} (not in this ruleset)"

    # --- The position in words -------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """The whole position as JSON types; tile lists sorted, cities in the order of numbers."""
        return {
            **self._head_to_json("junkorbit_v0"),
            "ships": list(self.ships),
            "powers": None if self.powers is None else list(self.powers),
            "cities": {city: self._in_order(tiles) for city, tiles in self.cities.items()},
            "cargo": [self._in_order(tiles) for tiles in self.cargo],
            "deliveries": [self._in_order(tiles) for tiles in self.deliveries],
            "stacks": {source: self._in_order(tiles) for source, tiles in self.stacks.items()},
            "turn_player": self.turn_player,
            "current_player": self.current_player,
            "prompt": self.prompt,
            "launch": None if self.launch is None else dict(vars(self.launch)),
            "beam_city": self.beam_city,
            "hit_cause": self.hit_cause,
            "victims": list(self.victims),
            "victim": self.victim,
            **self._bookkeeping_to_json(),
        }

    @classmethod
    def from_json(
        cls, tables: Tables, options: Mapping[str, object], data: Mapping[str, Any]
    ) -> Game:
        """The game of a position in words.

        Left out, the stacks are all tiles in play not named elsewhere, a city is empty, nobody has
        a power, nothing is pending, counts are 0, and the generator is that of seed 0.
        """
        game = cls.__new__(cls)
        game._clear_table(tables, options, data["num_players"])
        game._read_table(data)
        game._read_decision(data)
        game._read_bookkeeping(data)
        return game

    def _read_table(self, data: Mapping[str, Any]) -> None:
        self.ships = list(data["ships"])
        powers = data.get("powers")
        self.powers = None if powers is None else list(powers)
        for city, tiles in data["cities"].items():
            self.cities[city] = list(tiles)
        self.cargo = [list(tiles) for tiles in data["cargo"]]
        self.deliveries = [list(tiles) for tiles in data["deliveries"]]
        piles = [*self.cities.values(), *self.cargo, *self.deliveries]
        named = {tile for pile in piles for tile in pile}
        rest = {
            source: [tile for tile in self._stacked_tiles(source) if tile not in named]
            for source in self.stacks
        }
        given = data.get("stacks", rest)
        self.stacks = {source: list(given[source]) for source in self.stacks}

    def _read_decision(self, data: Mapping[str, Any]) -> None:
        self.turn_player = data["turn_player"]
        self.current_player = data["current_player"]
        self.prompt = data["prompt"]
        launch = data.get("launch")
        self.launch = None if launch is None else Launch(**launch)
        self.beam_city = data.get("beam_city")
        self.hit_cause = data.get("hit_cause")
        self.victims = list(data.get("victims", []))
        self.victim = data.get("victim")

    # --- Helpers ---------------------------------------------------------------------------------

    def _ask(self, prompt: str, player: int) -> None:
        self.prompt = prompt
        self.current_player = player

    def _launched(self) -> Launch:
        if self.launch is None:
            raise ValueError(f"prompt {self.prompt} without a launched tile")
        return self.launch

    def _hit_player(self) -> int:
        if self.victim is None:
            raise ValueError(f"prompt {self.prompt} without a victim")
        return self.victim

    def _here(self) -> str:
        """The city of the ship whose turn it is."""
        return self.ships[self.turn_player]

    def _opponents_clockwise(self) -> list[int]:
        """§6 D2: from the left of the turn player."""
        return [(self.turn_player + step) % self.num_players for step in range(1, self.num_players)]

    def _has_tile(self, player: int) -> bool:
        return bool(self.cargo[player] or self.deliveries[player])

    def _tile(self, name: str) -> Tile:
        return self.tables.tiles[name]

    def _kind_numbers(self, tiles: Iterable[str]) -> list[int]:
        return sorted({self.tables.kinds.index(self._tile(tile).kind) for tile in tiles})

    def _city_numbers(self, cities: Iterable[str]) -> list[int]:
        return sorted(self.tables.cities.index(city) for city in cities)

    def _first(self, pile: Iterable[str], kind_number: int) -> str:
        """§13: tiles of a kind are alike; to name one, the one with the lowest number is taken."""
        kind = self.tables.kinds[kind_number]
        return next(tile for tile in self._in_order(pile) if self._tile(tile).kind == kind)

    def _take(self, pile: list[str], kind_number: int, place: list[str]) -> None:
        """Move one tile of this kind from a pile to another place."""
        tile = self._first(pile, kind_number)
        pile.remove(tile)
        place.append(tile)


def switch_order(path: list[Spot]) -> tuple[int, list[int]]:
    """§1.4: paths with fewer switches come first, then those that switch later."""
    switches = [step for step in range(1, len(path)) if path[step].ring != path[step - 1].ring]
    return (len(switches), [-step for step in switches])
