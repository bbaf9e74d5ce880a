"""Junk Orbit by its rulebook: hand-written positions for every rule of RULES.md, §§1 to 7, 11, 12.

Options, ship powers (§8 to §10) and rulings (§13) have tests of their own in
test_junkorbit_rulings.py. The docstring of each test begins with the rule it proves, as listed in
`RULES`; the last tests of this file find rules that no test names. Expected outcomes are written by
hand, from the rules.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice, product
from typing import Any

import pytest
import rule_checks
from junkorbit_positions import new_game, random_positions
from rule_checks import Data, exchanged, rulebook, unlisted_sections, unnamed_rules
from worlds import check_frequencies, uniform

from junkorbit_env.junkorbit_v0 import GAME
from junkorbit_env.options import Options, option_texts
from tabletop_core.game import Ruleset
from tabletop_core.options import Choice
from tabletop_core.session import Session
from tabletop_core.vector_env import VectorEngine

# --- tables as printed in the rules ---------------------------------------------------------------

EARTH = "Kilimanjaro, Earth-1, New York, Earth-3, Earth-4, Earth-5, Earth-6, Earth-7, Cairo"
MOON = "Kepler, Moon-1, Olympus, Hamilton, Copernicus, Kilimanjaro, Moon-6"
MARS = "Olympus, Mars-1, Mars-2, Bradbury, Mars-4, Mars-5, Hellas, Tharsis, Mars-8"
PHOBOS = "Bradbury, Phobos-1, Phobos-2, Phobos-3"
DEIMOS = "Hellas, Deimos-1, Deimos-2"
OTHER_EARTH = "Kilimanjaro, Earth-1, Earth-3, New York, Earth-4, Earth-5, Earth-6, Earth-7, Cairo"
OTHER_MARS = "Olympus, Mars-1, Mars-2, Bradbury, Mars-4, Hellas, Tharsis, Mars-5, Mars-8"
LAYOUTS = {  # Earth, Moon, Mars
    "default": (EARTH, MOON, MARS),
    "alt1": (
        OTHER_EARTH,
        "Kepler, Olympus, Moon-1, Hamilton, Copernicus, Moon-6, Kilimanjaro",
        OTHER_MARS,
    ),
    "alt2": (
        EARTH,
        "Kepler, Olympus, Moon-1, Hamilton, Copernicus, Kilimanjaro, Moon-6",
        OTHER_MARS,
    ),
    "alt3": (
        OTHER_EARTH,
        "Kepler, Moon-1, Olympus, Hamilton, Copernicus, Moon-6, Kilimanjaro",
        MARS,
    ),
}
RINGS = {  # by number of players
    2: ("EARTH", "MOON", "MARS"),
    3: ("EARTH", "MOON", "MARS"),
    4: ("EARTH", "MOON", "MARS", "PHOBOS"),
    5: ("EARTH", "MOON", "MARS", "PHOBOS", "DEIMOS"),
}
# Own cities of each board, in the order of their numbers.
EARTH_CITIES = EARTH.split(", ")
MOON_CITIES = ["Kepler", "Moon-1", "Hamilton", "Copernicus", "Moon-6"]
MARS_CITIES = MARS.split(", ")
PHOBOS_CITIES = ["Phobos-1", "Phobos-2", "Phobos-3"]
DEIMOS_CITIES = ["Deimos-1", "Deimos-2"]
BOARDS = {
    "EARTH": EARTH_CITIES,
    "MOON": MOON_CITIES,
    "MARS": MARS_CITIES,
    "PHOBOS": PHOBOS_CITIES,
    "DEIMOS": DEIMOS_CITIES,
}
STACKS = {  # stack: letter of its tiles, boards whose cities it fills
    "EARTH": ("E", ("EARTH",)),
    "MOON": ("M", ("MOON",)),
    "MARS": ("R", ("MARS", "PHOBOS", "DEIMOS")),
}
HOMES = {city: board for board, cities in BOARDS.items() for city in cities}
STACK_OF = {
    city: stack
    for stack, (_, boards) in STACKS.items()
    for board in boards
    for city in BOARDS[board]
}

TILES = """
EARTH,Olympus,2,1 3 5
EARTH,Mars-1,2,2 3 4
EARTH,Mars-2,2,1 2 4
EARTH,Bradbury,2,1 3 5
EARTH,Mars-4,2,2 3 4
EARTH,Mars-5,2,1 2 4
EARTH,Hellas,2,1 3 5
EARTH,Tharsis,2,2 3 4
EARTH,Mars-8,2,1 2 4
EARTH,Kepler,2,2
EARTH,Moon-1,2,3
EARTH,Hamilton,2,2
EARTH,Copernicus,2,3
EARTH,Moon-6,2,1
EARTH,Phobos-1,4,3
EARTH,Phobos-2,4,4
EARTH,Phobos-3,4,5
EARTH,Deimos-1,5,2
EARTH,Deimos-2,5,5
MOON,Earth-1,2,2 4
MOON,New York,2,3
MOON,Earth-3,2,1 3
MOON,Earth-4,2,2
MOON,Earth-5,2,1 5
MOON,Earth-6,2,4
MOON,Earth-7,2,2 3
MOON,Cairo,2,1
MOON,Mars-1,2,1 3
MOON,Mars-2,2,2
MOON,Bradbury,2,2 5
MOON,Mars-4,2,3
MOON,Mars-5,2,1 4
MOON,Hellas,2,5
MOON,Tharsis,2,2 4
MOON,Mars-8,2,3
MOON,Phobos-1,4,4
MOON,Phobos-2,4,1
MOON,Phobos-3,4,2
MOON,Deimos-1,5,3
MOON,Deimos-2,5,5
MARS,Kilimanjaro,2,1 3 5
MARS,Earth-1,2,2 3 4
MARS,New York,2,1 2 4
MARS,Earth-3,2,1 3 5
MARS,Earth-4,2,2 3 4
MARS,Earth-5,2,1 2 4
MARS,Earth-6,2,1 3 5
MARS,Earth-7,2,2 3 4
MARS,Cairo,2,1 2 4
MARS,Kepler,2,1 2 3 5
MARS,Moon-1,2,2 2 3 4
MARS,Hamilton,2,1 2 3 5
MARS,Copernicus,2,2 3 3 4
MARS,Moon-6,2,1 2 3 5
"""
# Stack, destination, players it is marked for, value.
TILE_LIST = [
    (stack, city, int(mark), int(value))
    for stack, city, mark, values in (line.split(",") for line in TILES.split("\n") if line)
    for value in values.split()
]
KINDS = {  # id: kind in words
    **{
        f"{STACKS[stack][0]}{number:02}": f"{value} to {city}"
        for stack in STACKS
        for number, (_, city, _, value) in enumerate(
            (tile for tile in TILE_LIST if tile[0] == stack), start=1
        )
    },
    **{f"S{number:02}": "1 starter" if number <= 10 else "2 starter" for number in range(1, 16)},
}
# players: tiles in the stacks, seeded on boards with the stack's cities, left after the deal
SET_UP = {
    2: ((32, 24, 47), (9, 5, 9), (21, 17, 36)),
    3: ((32, 24, 47), (9, 5, 9), (20, 16, 35)),
    4: ((35, 27, 47), (9, 5, 12), (22, 18, 31)),
    5: ((37, 29, 47), (9, 5, 14), (23, 19, 28)),
}
MAX_TURNS = {2: 76, 3: 74, 4: 75, 5: 75}
CLOCKWISE, COUNTER = 1, -1
HEADINGS = {"clockwise": CLOCKWISE, "counter-clockwise": COUNTER}


# --- movement, written once more from §5 ----------------------------------------------------------


def ring_map(layout: str, names: Sequence[str]) -> dict[str, list[str]]:
    rings = dict(zip(("EARTH", "MOON", "MARS"), LAYOUTS[layout], strict=True))
    rings |= {"PHOBOS": PHOBOS, "DEIMOS": DEIMOS}
    return {name: rings[name].split(", ") for name in names}


def trips(
    rings: dict[str, list[str]], city: str, ring: str, sense: int, steps: int
) -> Iterator[list[str]]:
    """The cities of each trip of so many steps, the start left out."""
    if steps == 0:
        yield []
        return
    for name, cities in rings.items():
        if city in cities:
            sense_there = sense if name == ring else -sense
            after = cities[(cities.index(city) + sense_there) % len(cities)]
            for rest in trips(rings, after, name, sense_there, steps - 1):
                yield [after, *rest]


def landings(rings: dict[str, list[str]], city: str, heading: int, steps: int) -> set[str]:
    return {trip[-1] for trip in trips(rings, city, HOMES[city], heading, steps)}


# --- positions in few words -----------------------------------------------------------------------


def names(text: str) -> list[str]:
    return [name for name in text.split(", ") if name]


def tiles(text: str) -> list[str]:
    """Kinds of tiles in the order in which `Table` tells them."""
    return sorted(names(text))


class Table(rule_checks.Table):
    """A position of Junk Orbit that is played in words."""

    def kinds(self, ids: Sequence[str]) -> list[str]:
        return sorted(KINDS[tile] for tile in ids)

    def cargo(self, player: int) -> list[str]:
        return self.kinds(self["cargo"][player])

    def deliveries(self, player: int) -> list[str]:
        return self.kinds(self["deliveries"][player])

    def city(self, name: str) -> list[str]:
        return self.kinds(self["cities"][name])

    def left(self, stack: str) -> int:
        return len(self["stacks"][stack])

    def points(self, player: int) -> int:
        return int(self.session.to_json(player)["seats"][0]["points"])

    def texts(self, verb: str) -> set[str]:
        """What follows these words in the legal actions, all of which begin with them."""
        legal = self.legal
        assert legal
        assert all(text.startswith(f"{verb} ") for text in legal), legal
        return {text.removeprefix(f"{verb} ") for text in legal}

    @property
    def moves(self) -> set[str]:
        return self.texts("move to")

    @property
    def landings(self) -> dict[str, set[str]]:
        """At prompt "land": the landings clockwise and counter-clockwise."""
        found: dict[str, set[str]] = {heading: set() for heading in HEADINGS}
        for text in self.legal:
            heading, _, city = text.partition(", land on ")
            found[heading].add(city)
        return found

    @property
    def asked(self) -> tuple[str, int]:
        """What is decided, and by whom."""
        data = self.session.to_json()
        return data["prompt"], data["current_player"]

    def finish_turn(self) -> Table:
        """Play the first legal action until the turn is over, whatever is asked."""
        turns = self.session.turn_count
        while self.session.turn_count == turns and not self.session.is_over:
            self.session.step(self.session.legal_actions()[0])
        return self


def table(
    players: int = 3,
    *,
    at: str = "",
    cargo: Sequence[str] = (),
    deliveries: Sequence[str] = (),
    cities: dict[str, str] | None = None,
    left: dict[str, int] | None = None,
    powers: str = "",
    turn: int = 0,
    rest: str = "Earth-7",
    options: Data | None = None,
    **more: Any,
) -> Table:
    """A legal position from what matters in it; tiles are named by kind ("4 to Tharsis") or id.

    A first decision that has only one answer is played already.

    at: where ships are; those left out are on Earth-4.
    cargo, deliveries: one entry for each player, the last ones may be left out; then the cargo is
        "1 starter, 1 starter, 2 starter" and deliveries are none.
    cities: tiles on them; those left out have one tile of their stack.
    left: number of tiles in a stack; what is too many lies on `rest`, like starters too many.
    powers: ships of the players.
    """
    ruleset = rules(players, **(options or {}))
    free = _Free(ruleset)
    lying = {city: names(text) for city, text in (cities or {}).items()}
    carried, delivered = ([names(text) for text in piles] for piles in (cargo, deliveries))
    free.reserve([*lying.values(), *carried, *delivered])
    places = {city: free.take(texts) for city, texts in lying.items()}
    carried, delivered = ([free.take(texts) for texts in piles] for piles in (carried, delivered))
    for _ in range(players - len(carried)):
        carried.append(free.take_some("S", 1) + free.take_some("S", 1) + free.take_last("S"))
    delivered += [[] for _ in range(players - len(delivered))]
    for city in free.cities:
        if city not in places:
            places[city] = free.take_last(STACKS[STACK_OF[city]][0])
    places[rest] += free.take_some("S", len(free.tiles["S"]))
    for stack, count in (left or {}).items():
        letter = STACKS[stack][0]
        places[rest] += free.take_some(letter, len(free.tiles[letter]) - count)
        assert len(free.tiles[letter]) == count, f"no {count} tiles of the {stack} stack left"
    ships = names(at)
    data: Data = {
        "ships": ships + ["Earth-4"] * (players - len(ships)),
        "powers": names(powers) or None,
        "cities": places,
        "cargo": carried,
        "deliveries": delivered,
        "turn_player": turn,
    }
    return Table.load(ruleset, {**data, **more})


@cache
def rules(players: int, **options: Any) -> Ruleset:
    return GAME.ruleset(players, **options)


def _new_position(ruleset: Ruleset) -> Data:
    """The first position of a game, always the same for a ruleset."""
    if ruleset.digest not in _NEW_POSITIONS:
        data = GAME.state_to_json(ruleset, new_game(ruleset))
        _NEW_POSITIONS[ruleset.digest] = data
    return _NEW_POSITIONS[ruleset.digest]


_NEW_POSITIONS: dict[int, Data] = {}


class _Free:
    """Tiles in play that are nowhere yet, by letter."""

    def __init__(self, ruleset: Ruleset) -> None:
        start = _new_position(ruleset)
        piles = [*start["cities"].values(), *start["cargo"], *start["stacks"].values()]
        in_play = sorted(tile for pile in piles for tile in pile)
        self.cities = list(start["cities"])
        self.tiles = {letter: [t for t in in_play if t[0] == letter] for letter in "EMRS"}
        self.reserved: set[str] = set()

    def reserve(self, piles: Sequence[list[str]]) -> None:
        """Keep the tiles that are named by id from being taken by kind."""
        self.reserved = {tile for pile in piles for tile in pile if tile in KINDS}

    def take(self, texts: list[str]) -> list[str]:
        return [self._take(text) for text in texts]

    def _take(self, text: str) -> str:
        for tiles_left in self.tiles.values():
            for tile in tiles_left:
                if tile == text or (KINDS[tile] == text and tile not in self.reserved):
                    tiles_left.remove(tile)
                    return str(tile)
        raise AssertionError(f"no tile {text!r} in play is left")

    def take_some(self, letter: str, count: int) -> list[str]:
        taken, self.tiles[letter] = self.tiles[letter][:count], self.tiles[letter][count:]
        return taken

    def take_last(self, letter: str) -> list[str]:
        self.tiles[letter], taken = self.tiles[letter][:-1], self.tiles[letter][-1:]
        return taken


def new_games(players: int, count: int, **options: Any) -> Iterator[Data]:
    session = Session(rules(players, **options))
    for seed in range(count):
        session.reset(seed)
        yield session.to_json()


# --- §1 boards ------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", RINGS)
def test_boards_in_play(players: int) -> None:
    """§1.1 boards in play; §4.1 boards: by number of players; 23, 23, 26 and 28 cities."""
    cities = [city for board in RINGS[players] for city in BOARDS[board]]
    assert len(cities) == {2: 23, 3: 23, 4: 26, 5: 28}[players]
    for data in new_games(players, 3):
        assert list(data["cities"]) == cities


def test_own_cities() -> None:
    """§1.1 own cities: 9, 5, 9, 3 and 2; a shared city counts once, for the planet."""
    assert [len(cities) for cities in BOARDS.values()] == [9, 5, 9, 3, 2]
    ruleset = rules(5)
    assert list(ruleset.tables.cities) == [city for board in BOARDS.values() for city in board]


NEIGHBOURS = {  # one step clockwise; counter-clockwise, by the heading on the planet
    "Kilimanjaro": ("Earth-1, Copernicus", "Cairo, Moon-6"),
    "Olympus": ("Mars-1, Moon-1", "Mars-8, Hamilton"),
    "Bradbury": ("Mars-4, Phobos-3", "Mars-2, Phobos-1"),
    "Hellas": ("Tharsis, Deimos-2", "Mars-5, Deimos-1"),
}


@pytest.mark.parametrize("city", NEIGHBOURS)
def test_transfer_cities(city: str) -> None:
    """§1.1 transfer cities, §5 start on a transfer city: on either ring, heading of the planet."""
    board = table(5, at=city, cargo=["1 starter, 2 starter"]).do("launch 1 starter")
    assert [sorted(found) for found in board.landings.values()] == [
        sorted(names(text)) for text in NEIGHBOURS[city]
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rings(layout: str) -> None:
    """§1.2 default rings, §1.3 layouts: each city's neighbours on every ring."""
    rings = ring_map(layout, RINGS[5])
    assert [len(ring) for ring in rings.values()] == [9, 7, 9, 4, 3]
    start = table(5, at="Kepler", cargo=["1 starter, 2 starter"], options={"layout": layout})
    for city in HOMES:
        data = start.session.to_json()
        data["ships"][0] = city
        board = Table.load(start.session.ruleset, data).do("launch 1 starter")
        for heading, sense in HEADINGS.items():
            expected = set()
            for name, ring in rings.items():
                if city in ring:
                    step = sense if name == HOMES[city] else -sense
                    expected.add(ring[(ring.index(city) + step) % len(ring)])
            assert board.landings[heading] == expected, (city, heading)


@pytest.mark.parametrize("city", HOMES)
def test_home_boards(city: str) -> None:
    """§1.2 home board, §6 step 6 refill: each city is refilled from the stack of its home board."""
    start = "Mars-1" if HOMES[city] == "EARTH" else "Earth-4"
    board = table(
        2,
        at=f"{start}, {city}",
        cargo=["1 starter, 2 starter", ""],
        options={"boards": "phobos+deimos"},
    )
    before = {stack: board.left(stack) for stack in STACKS}
    there = board.city(city)
    board.do("launch 1 starter").finish_turn()
    assert board["turn_count"] == 2  # and the turn of player 1, who has no cargo
    assert set(there) <= set(board.cargo(1))
    (tile,) = board["cities"][city]
    assert tile[0] == STACKS[STACK_OF[city]][0]
    taken = Counter({stack: before[stack] - board.left(stack) for stack in STACKS})
    assert taken == Counter([STACK_OF[city], "EARTH" if start == "Earth-4" else "MARS"])


# --- §1.3 and §12: the worked example -------------------------------------------------------------

EXAMPLE: Data = {
    "at": "Kepler, Copernicus",
    "cargo": ["4 to Tharsis, 2 to Hamilton, 3 to Hamilton", "2 to New York"],
    "deliveries": ["", "5 to Bradbury"],
    "cities": {"Copernicus": "2 to Earth-7", "New York": "3 to Mars-1", "Hamilton": "4 to Earth-6"},
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("players", SET_UP)
def test_example_landings(players: int, layout: str) -> None:
    """§12 T1, §1.3 worked example, §13 1.3 alternative layouts: where the 4 from Kepler stops."""
    board = table(players, **EXAMPLE, options={"layout": layout})
    assert board.texts("launch") == {"4 to Tharsis", "2 to Hamilton", "3 to Hamilton"}
    board.do("launch 4 to Tharsis")
    assert board.landings == {
        "clockwise": {"Copernicus", "Tharsis"},
        "counter-clockwise": {"Hamilton", "New York"},
    }


@pytest.mark.parametrize("players", SET_UP)
def test_example_remote_delivery(players: int) -> None:
    """§12 T1 (a), §6 Effect 1 delivery: the 4 reaches Tharsis and counts."""
    board = table(players, **EXAMPLE).do("launch 4 to Tharsis", "clockwise, land on Tharsis")
    assert board.deliveries(0) == ["4 to Tharsis"]
    assert board.points(0) == 4
    assert "4 to Tharsis" not in board.city("Tharsis")
    assert board.asked == ("move", 0)
    assert board.moves == {"Hamilton", "New York"}
    new_york = board.clone().do("move to New York")
    assert new_york.cargo(0) == tiles("2 to Hamilton, 3 to Hamilton, 3 to Mars-1")
    assert new_york["cities"]["New York"][0][0] == "E"
    assert new_york.left("EARTH") == board.left("EARTH") - 1
    assert new_york["turn_player"] == 1
    board.do("move to Hamilton")
    assert board.asked == ("deliver", 0)
    assert sorted(board.legal) == [
        "deliver 2 to Hamilton",
        "deliver 3 to Hamilton",
        "keep the rest",
    ]
    before = board.left("MOON")
    board.do("deliver 3 to Hamilton", "deliver 2 to Hamilton")
    assert board.deliveries(0) == tiles("2 to Hamilton, 3 to Hamilton, 4 to Tharsis")
    assert board.points(0) == 9
    assert board.cargo(0) == ["4 to Earth-6"]
    assert board["cities"]["Hamilton"][0][0] == "M"
    assert board.left("MOON") == before - 1
    assert board["ships"][0] == "Hamilton"


def test_example_hit() -> None:
    """§12 T1 (b), §6 D2 cargo or deliveries: purple drops a tile of its choice on Copernicus."""
    board = table(**EXAMPLE).do("launch 4 to Tharsis", "clockwise, land on Copernicus")
    assert board.city("Copernicus") == tiles("2 to Earth-7, 4 to Tharsis")
    assert board.asked == ("hit", 1)
    assert board["turn_player"] == 0
    assert sorted(board.legal) == [
        "drop 2 to New York from cargo",
        "drop 5 to Bradbury from deliveries",
    ]
    other = board.clone().do("drop 2 to New York from cargo")
    assert other.cargo(1) == []
    assert other.points(1) == 5
    assert other.city("Copernicus") == tiles("2 to Earth-7, 2 to New York, 4 to Tharsis")
    board.do("drop 5 to Bradbury from deliveries")
    assert board.cargo(1) == ["2 to New York"]
    assert board.points(1) == 0
    assert board.city("Copernicus") == tiles("2 to Earth-7, 4 to Tharsis, 5 to Bradbury")
    for one in (board, other):
        assert one.asked == ("move", 0)
        assert one.moves == {"Hamilton", "New York"}


@pytest.mark.parametrize("city", ["Hamilton", "New York"])
def test_example_the_other_way(city: str) -> None:
    """§12 T1 (c) and (d), §6 Effect 1 rests: the 4 stays on Hamilton or New York."""
    board = table(**EXAMPLE).do("launch 4 to Tharsis", f"counter-clockwise, land on {city}")
    assert "4 to Tharsis" in board.city(city)
    assert board.deliveries(0) == []
    assert board.asked == ("move", 0)
    assert board.moves == {"Copernicus", "Tharsis"}
    board.do("move to Copernicus")  # where player 1 is
    assert board["ships"][:2] == ["Copernicus", "Copernicus"]
    assert board["turn_player"] == 1


TRIPS = [  # players, start, value, landings clockwise, counter-clockwise
    (5, "Olympus", 4, "Mars-4, Phobos-3, Kilimanjaro", "Mars-5, Deimos-1, Moon-6, Cairo"),
    (2, "Olympus", 4, "Mars-4, Kilimanjaro", "Mars-5, Moon-6, Cairo"),
    (3, "Olympus", 4, "Mars-4, Kilimanjaro", "Mars-5, Moon-6, Cairo"),
    (2, "Kilimanjaro", 1, "Earth-1, Copernicus", "Cairo, Moon-6"),
    (2, "Kilimanjaro", 3, "Earth-3, Olympus", "Earth-6, Moon-1"),
    (5, "Kepler", 3, "Hamilton, Mars-8", "Copernicus, Earth-1"),
    (5, "Kepler", 5, "Kilimanjaro, Hellas", "Olympus, Earth-3"),
    (5, "Kepler", 2, "Olympus", "Kilimanjaro"),
    (5, "Mars-2", 3, "Mars-5, Phobos-2", "Mars-8, Hamilton"),
    (5, "Hellas", 2, "Mars-8, Deimos-1", "Mars-4, Deimos-2"),
    (4, "Phobos-2", 2, "Bradbury", "Bradbury"),
    (5, "Deimos-1", 3, "Deimos-1, Mars-5", "Deimos-1, Mars-8"),
]
LAUNCHED = {
    1: "1 starter",
    2: "2 starter",
    3: "3 to Earth-7",
    4: "4 to Earth-6",
    5: "5 to Bradbury",
}


@pytest.mark.parametrize(("players", "start", "value", "clockwise", "counter"), TRIPS)
def test_landings(players: int, start: str, value: int, clockwise: str, counter: str) -> None:
    """§12 T2, §12 T3, §6 D1 heading and landing, §6 D3 opposite heading: for launch and ship."""
    cargo = f"{LAUNCHED[value]}, 1 to Cairo"
    board = table(players, at=start, cargo=[cargo]).do(f"launch {LAUNCHED[value]}")
    found = board.landings
    assert found == {"clockwise": set(names(clockwise)), "counter-clockwise": set(names(counter))}
    for heading, other in (("clockwise", counter), ("counter-clockwise", clockwise)):
        for city in found[heading]:
            flown = board.clone().do(f"{heading}, land on {city}")
            if len(names(other)) > 1:
                assert flown.moves == set(names(other))
            else:
                assert flown["ships"][0] == other


def test_number_of_choices_on_olympus() -> None:
    """§12 T2: 3 * 4 + 4 * 3 = 24 pairs of launch and move."""
    board = table(5, at="Olympus", cargo=["4 to Earth-6, 1 starter"]).do("launch 4 to Earth-6")
    pairs = [
        (text, move) for text in board.legal for move in board.clone().do(text).texts("move to")
    ]
    assert len(pairs) == len(set(pairs)) == 24


def test_catching_your_own_junk() -> None:
    """§12 T4, §11 ship that stops where its own junk landed: picks it up, and what was dropped."""
    board = table(
        4,
        at="Phobos-2, Bradbury",
        cargo=["2 starter, 4 to Tharsis", "2 to New York, 1 starter"],
        cities={"Bradbury": "3 to Kilimanjaro"},
    ).do("launch 2 starter")
    assert board.landings == {"clockwise": {"Bradbury"}, "counter-clockwise": {"Bradbury"}}
    left = board.left("MARS")
    board.do("clockwise, land on Bradbury")
    assert board.asked == ("hit", 1)  # before the ship moves
    assert board["ships"][0] == "Phobos-2"
    board.do("drop 2 to New York from cargo")
    assert board["ships"][0] == "Bradbury"
    assert board.cargo(0) == tiles("2 starter, 4 to Tharsis, 3 to Kilimanjaro, 2 to New York")
    (tile,) = board["cities"]["Bradbury"]
    assert tile[0] == "R"
    assert board.left("MARS") == left - 1
    assert board.cargo(1) == ["1 starter"]  # a ship that stops there is no hit
    assert board["turn_player"] == 1


def test_full_loop() -> None:
    """§12 T5, §6 D3 full loop, §11 launch that ends on the own city: no self-hit."""
    board = table(
        5,
        at="Deimos-1",
        cargo=["3 to Earth-7, 1 starter"],
        cities={"Deimos-1": "1 to Kepler"},
    ).do("launch 3 to Earth-7", "clockwise, land on Deimos-1")
    assert board.asked == ("move", 0)
    assert board.moves == {"Deimos-1", "Mars-8"}
    assert board.cargo(0) == ["1 starter"]
    assert board.city("Deimos-1") == tiles("1 to Kepler, 3 to Earth-7")
    away = board.clone().do("move to Mars-8")
    assert away["ships"][0] == "Mars-8"
    assert away.city("Deimos-1") == tiles("1 to Kepler, 3 to Earth-7")
    board.do("move to Deimos-1")
    assert board["ships"][0] == "Deimos-1"
    assert board.cargo(0) == tiles("1 starter, 1 to Kepler, 3 to Earth-7")
    assert board["cities"]["Deimos-1"][0][0] == "R"


def test_several_victims() -> None:
    """§12 T6, §6 D2 no tile: purple chooses, blue has nothing and loses nothing."""
    board = table(
        at="Kepler, Copernicus, Copernicus",
        cargo=["4 to Mars-2, 1 starter", "2 to New York", ""],
        deliveries=["", "5 to Bradbury"],
        cities={"Copernicus": "2 to Earth-7"},
    ).do("launch 4 to Mars-2", "clockwise, land on Copernicus")
    assert board.asked == ("hit", 1)
    assert board["victims"] == [2]
    assert sorted(board.legal) == [
        "drop 2 to New York from cargo",
        "drop 5 to Bradbury from deliveries",
    ]
    assert board.points(1) == 5
    board.do("drop 5 to Bradbury from deliveries")
    assert board.asked == ("move", 0)
    assert board.points(1) == 0
    assert board.city("Copernicus") == tiles("2 to Earth-7, 4 to Mars-2, 5 to Bradbury")
    assert board.cargo(2) == board.deliveries(2) == []


def test_remote_delivery_that_hits() -> None:
    """§12 T7, §11 hit and delivery by the same launch: yellow scores 4, purple still drops."""
    board = table(
        at="Kepler, Copernicus",
        cargo=["4 to Copernicus, 1 starter", "2 to New York, 1 starter"],
        cities={"Copernicus": "2 to Earth-7"},
    ).do("launch 4 to Copernicus", "clockwise, land on Copernicus")
    assert board.points(0) == 4
    assert board.deliveries(0) == ["4 to Copernicus"]
    assert board.asked == ("hit", 1)
    board.do("drop 2 to New York from cargo")
    assert board.city("Copernicus") == tiles("2 to Earth-7, 2 to New York")
    assert board.asked == ("move", 0)


def before_the_trigger(moon: int) -> Table:
    return table(
        at="Earth-4, Kepler, Mars-4",
        cargo=["1 starter, 2 starter", "4 to Tharsis, 1 starter"],
        cities={"Hamilton": "4 to Earth-6"},
        left={"MOON": moon},
        turn=1,
    ).do("launch 4 to Tharsis", "clockwise, land on Tharsis", "move to Hamilton")


def test_the_end() -> None:
    """§12 T8, §7 trigger, §7 one more turn: P1's refill fails; P2 and P0 play, then it is over."""
    board = before_the_trigger(0)
    assert board.cargo(1) == tiles("1 starter, 4 to Earth-6")
    assert board.city("Hamilton") == []
    assert board["final_turns_left"] == 2
    assert not board.session.is_over
    assert board["turn_player"] == 2
    board.finish_turn()
    assert board["turn_player"] == 0
    assert board["final_turns_left"] == 1
    assert not board.session.is_over
    board.finish_turn()
    assert board.session.terminated
    assert board["turn_count"] == 3
    assert board.result["reason"] == "stack_empty"
    assert board.result["winners"] == [1]  # 4 points for Tharsis
    assert board.session.current_player == 0


def test_the_last_tile_of_a_stack() -> None:
    """§12 T8, §7 last tile, §11 last tile of a stack drawn: no trigger before a refill fails."""
    board = before_the_trigger(1)
    assert board.left("MOON") == 0
    assert [tile[0] for tile in board["cities"]["Hamilton"]] == ["M"]
    assert board["final_turns_left"] == 0
    board.finish_turn().finish_turn()
    assert not board.session.is_over
    assert board["turn_player"] == 1


# --- the end in one turn --------------------------------------------------------------------------


def last_turn(players: int = 3, **more: Any) -> Table:
    """Player 0 has triggered the end on Kepler; the last player's turn, from Earth-4, is left."""
    deliveries = more.pop("deliveries", [])
    cargo = more.pop("cargo", [])
    at = more.pop("at", "Kepler")
    return table(
        players,
        at=at,
        cargo=cargo,
        deliveries=deliveries,
        cities={"Kepler": "", **more.pop("cities", {})},
        left={"MOON": 0, **more.pop("left", {})},
        turn=players - 1,
        final_turns_left=1,
        **more,
    )


def scored(*deliveries: str, **options: Any) -> Data:
    """The result of a game with these deliveries."""
    board = last_turn(len(deliveries), deliveries=deliveries, options=options)
    return board.finish_turn().result


def test_scoring() -> None:
    """§12 T9, §7 points, §7 more tiles: 9, 9 and 8 points, three tiles beat two."""
    deliveries = (
        "5 to Bradbury, 4 to Tharsis",
        "3 to Earth-7, 3 to Mars-1, 3 to Hamilton",
        "4 to Earth-6, 4 to Mars-2",
    )
    result = scored(*deliveries)
    assert result["scores"] == [9, 9, 8]
    assert result["winners"] == [1]


def test_shared_win() -> None:
    """§7 shared win: as many points and as many tiles."""
    result = scored("5 to Bradbury, 1 to Cairo", "2 to Earth-7, 4 to Tharsis", "3 to Earth-7")
    assert result["scores"] == [6, 6, 3]
    assert result["winners"] == [0, 1]
    result = scored("", "")
    assert (result["scores"], result["winners"]) == ([0, 0], [0, 1])


def test_points_beat_tiles() -> None:
    """§7 points: more tiles only count among equal points; undelivered cargo counts nothing."""
    result = scored("1 to Cairo, 1 to Mars-1, 1 to Kepler", "4 to Tharsis")
    assert (result["scores"], result["winners"]) == ([3, 4], [1])
    board = last_turn(
        2, deliveries=["1 to Cairo"], cargo=["5 to Bradbury", "5 to Hellas, 1 starter"]
    )
    board.finish_turn()
    assert board.scores == [1, 0]


def test_rewards() -> None:
    """§7 shared win: winners share what losers lose."""
    for deliveries, rewards in (
        (("5 to Bradbury", "", ""), [2, -1, -1]),
        (("5 to Bradbury", "5 to Hellas", ""), [0.5, 0.5, -1]),
        (("", "", ""), [0, 0, 0]),
    ):
        board = last_turn(3, deliveries=deliveries).finish_turn()
        assert board.session.rewards() == rewards


def test_no_cargo() -> None:
    """§12 T10, §6 D1 no cargo, §11 no cargo: take both tiles on Tharsis and refill, no more."""
    board = table(
        2,
        at="Earth-4, Tharsis",
        cargo=["1 starter, 2 starter", ""],
        cities={"Tharsis": "1 to Kepler, 2 to Earth-4"},
    )
    mars = board.left("MARS")
    board.do("launch 1 starter").finish_turn()
    assert board["turn_count"] == 2
    assert board["turn_player"] == 0
    assert board.cargo(1) == tiles("1 to Kepler, 2 to Earth-4")
    assert board["ships"][1] == "Tharsis"
    (tile,) = board["cities"]["Tharsis"]
    assert tile[0] == "R"
    assert board.left("MARS") == mars - 1
    assert board.deliveries(1) == []


# --- §2 tiles -------------------------------------------------------------------------------------


def test_default_tiles() -> None:
    """§2.1 128 tiles, §2.3 default tiles: value, destination, stack and mark of each."""
    tables = rules(5).tables
    assert [(t.stack, t.destination, t.min_players, t.value) for t in tables.tiles] == [
        (list(STACKS).index(stack), city, mark, value) for stack, city, mark, value in TILE_LIST
    ]
    assert len(TILE_LIST) + 15 == len(KINDS) == 128
    assert Counter(stack for stack, *_ in TILE_LIST) == {"EARTH": 37, "MOON": 29, "MARS": 47}
    assert Counter(value for *_, value in TILE_LIST) == {1: 22, 2: 28, 3: 28, 4: 20, 5: 15}
    for stack, values in (
        ("EARTH", (7, 9, 9, 7, 5)),
        ("MOON", (6, 7, 7, 5, 4)),
        ("MARS", (9, 12, 12, 8, 6)),
    ):
        counts = Counter(tile[3] for tile in TILE_LIST if tile[0] == stack)
        assert tuple(counts[value] for value in range(1, 6)) == values


def test_tiles_go_to_another_board() -> None:
    """§2.1 another board: no stack has a tile to a city that it fills."""
    for stack, city, *_ in TILE_LIST:
        assert STACK_OF[city] != stack
        assert city not in ("Kilimanjaro", "Olympus") or stack != "MOON"


@pytest.mark.parametrize("players", SET_UP)
def test_marks(players: int) -> None:
    """§2.1 marks, §4.2 higher marks: tiles to Phobos from 4 players on, to Deimos with 5."""
    for stack, city, mark, _ in TILE_LIST:
        assert mark == {"PHOBOS": 4, "DEIMOS": 5}.get(HOMES[city], 2), (stack, city)
    in_play = {
        f"{STACKS[stack][0]}{number:02}"
        for stack in STACKS
        for number, tile in enumerate((t for t in TILE_LIST if t[0] == stack), start=1)
        if tile[2] <= players
    }
    for data in new_games(players, 5):
        piles = [*data["cities"].values(), *data["cargo"], *data["stacks"].values()]
        found = {tile for pile in piles for tile in pile if tile[0] != "S"}
        assert found == in_play


@pytest.mark.parametrize("value", LAUNCHED)
def test_value(value: int) -> None:
    """§2.1 value: how far junk and ship fly, and the points when delivered."""
    start, heading, goal = {
        1: ("Kepler", "counter-clockwise", "Moon-6"),
        2: ("Moon-1", "clockwise", "Hamilton"),
        3: ("Kepler", "clockwise", "Hamilton"),
        4: ("Kepler", "clockwise", "Copernicus"),
        5: ("Kepler", "clockwise", "Hellas"),
    }[value]
    board = table(at=start, cargo=[f"{value} to {goal}, 2 starter"])
    board.do(f"launch {value} to {goal}", f"{heading}, land on {goal}")
    assert board.points(0) == value
    assert board.deliveries(0) == [f"{value} to {goal}"]


def test_starters() -> None:
    """§2.2 starters: ten of value 1 and five of value 2; two 1 and a 2 for each player."""
    assert Counter(kind for kind in KINDS.values() if "starter" in kind) == {
        "1 starter": 10,
        "2 starter": 5,
    }
    for players in SET_UP:
        dealt: list[str] = []
        for data in new_games(players, 3):
            for cargo in data["cargo"]:
                starters = [KINDS[tile] for tile in cargo if tile[0] == "S"]
                assert sorted(starters) == ["1 starter", "1 starter", "2 starter"]
            dealt = [tile for cargo in data["cargo"] for tile in cargo if tile[0] == "S"]
            elsewhere = [*data["cities"].values(), *data["stacks"].values()]
            assert not any(tile[0] == "S" for pile in elsewhere for tile in pile)
        assert len(set(dealt)) == 3 * players


def test_starters_rest() -> None:
    """§2.2 starters, §6 Effect 1 starters: they rest wherever they land and are never delivered."""
    board = table(at="Kepler", cargo=["2 starter, 1 starter"], cities={"Olympus": "1 to Kepler"})
    board.do("launch 2 starter", "clockwise, land on Olympus")
    assert board.city("Olympus") == tiles("1 to Kepler, 2 starter")
    assert board.deliveries(0) == []
    assert board["ships"][0] == "Kilimanjaro"
    for ruleset, state in islice(random_positions("starters"), 0, 3_000, 15):
        data = GAME.state_to_json(ruleset, state)
        assert not any(tile[0] == "S" for pile in data["deliveries"] for tile in pile)


@pytest.mark.parametrize("players", SET_UP)
def test_bound_on_turns(players: int) -> None:
    """§2.3 bound on turns: a tile is drawn each turn before the trigger; 50 to 60 are usual."""
    assert sum(SET_UP[players][2]) + players == MAX_TURNS[players]
    turns = VectorEngine(rules(players), 1).play_games(2_000, seed=1).turns
    assert turns.max() <= MAX_TURNS[players]
    assert turns.max() > MAX_TURNS[players] - 4  # the bound is nearly reached
    assert 48 < turns.mean() < 60


# --- §3 and §4: ships, set-up ---------------------------------------------------------------------


@pytest.mark.parametrize("players", SET_UP)
def test_a_new_game_forgets_the_one_before(players: int) -> None:
    """§4.1 to §4.5: a new game is the same whatever was on the table before."""
    rule_checks.check_new_game_clears_the_record(GAME.ruleset(players))


def test_ships() -> None:
    """§3 five ships, §3 dealt at random, §4.4 ships: each player a different one of five."""
    first: Counter[Any] = Counter()
    for data in new_games(5, 400, ship_powers="A"):
        assert sorted(data["powers"]) == ["S1", "S2", "S3", "S4", "S5"]
        first[data["powers"][0],] += 1
    check_frequencies(first, uniform([(f"S{number}",) for number in range(1, 6)]))
    pairs: Counter[Any] = Counter(tuple(d["powers"]) for d in new_games(2, 1_200, ship_powers="B"))
    ships = [f"S{number}" for number in range(1, 6)]
    check_frequencies(pairs, uniform([(a, b) for a, b in product(ships, ships) if a != b]))


@pytest.mark.parametrize("players", SET_UP)
def test_set_up(players: int) -> None:
    """§2.3 table of the set-up, §4.2 stacks, §4.3 seeding, §4.4 Kepler, §4.5 cargo of six."""
    stacks, seeded, left = SET_UP[players]
    for data in new_games(players, 25):
        assert data["ships"] == ["Kepler"] * players
        assert data["powers"] is None
        assert data["deliveries"] == [[]] * players
        assert (data["turn_count"], data["final_turns_left"]) == (0, 0)
        for cargo in data["cargo"]:
            assert len(cargo) == 6
            assert sorted(tile[0] for tile in cargo) == ["E", "M", "R", "S", "S", "S"]
        for k, (stack, (letter, _)) in enumerate(STACKS.items()):
            cities = [city for city in data["cities"] if STACK_OF[city] == stack]
            assert len(cities) == seeded[k]
            for city in cities:
                assert [tile[0] for tile in data["cities"][city]] == [letter]
            assert len(data["stacks"][stack]) == left[k]
            assert stacks[k] == seeded[k] + players + left[k]


def test_stacks_are_shuffled() -> None:
    """§4.2 stacks, §4.3 seeding, §4.5 cargo of six: every tile is anywhere with the same chance."""
    places: dict[str, Counter[Any]] = {
        name: Counter() for name in ("Kilimanjaro", "Moon-6", "Mars-8", "cargo", "other cargo")
    }
    for data in new_games(2, 1_600):
        for city in ("Kilimanjaro", "Moon-6", "Mars-8"):
            places[city][tuple(data["cities"][city])] += 1
        for k, name in enumerate(("cargo", "other cargo")):
            places[name][tuple(t for t in data["cargo"][k] if t[0] == "M")] += 1
    for name, counts in places.items():
        letter = {"Kilimanjaro": "E", "Mars-8": "R"}.get(name, "M")
        number = {"E": 32, "M": 24, "R": 47}[letter]
        check_frequencies(counts, uniform([(f"{letter}{k:02}",) for k in range(1, number + 1)]))


@pytest.mark.parametrize("players", SET_UP)
def test_first_player(players: int) -> None:
    """§4.6 random first player, §13 4.6 first player: each one with the same chance."""
    first: Counter[Any] = Counter(
        (data["turn_player"],) for data in new_games(players, 60 * players)
    )
    check_frequencies(first, uniform([(player,) for player in range(players)]))


@pytest.mark.parametrize("players", SET_UP)
def test_turns_go_clockwise(players: int) -> None:
    """§4.6 clockwise, §6 turn passes: to the next player, the first after the last."""
    board = table(players, turn=1)
    turns = []
    for _ in range(2 * players):
        turns.append(board["turn_player"])
        board.finish_turn()
    assert turns == [(1 + k) % players for k in range(2 * players)]


# --- §5 movement ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "players", "boards"),
    [
        *((layout, 5, "by_players") for layout in LAYOUTS),
        ("default", 2, "by_players"),
        ("default", 4, "by_players"),
        ("alt1", 2, "deimos"),
    ],
)
def test_all_landings(layout: str, players: int, boards: str) -> None:
    """§5 exact distance, §5 keep or change rings, §5 opposite sense, §5 never turns back.

    §5 any number of changes: all landings of all values from all cities.
    """
    on_table = [*RINGS[players], *(["DEIMOS"] if boards == "deimos" else [])]
    rings = ring_map(layout, on_table)
    cargo = ", ".join(LAUNCHED.values())
    start = table(players, cargo=[cargo], options={"layout": layout, "boards": boards})
    most = 0
    for city in start["cities"]:
        data = start.session.to_json()
        data["ships"][0] = city
        position = Table.load(start.session.ruleset, data)
        for value, tile in LAUNCHED.items():
            found = position.clone().do(f"launch {tile}").landings
            expected = {h: landings(rings, city, sense, value) for h, sense in HEADINGS.items()}
            assert found == expected, (city, value)
            most = max(most, *(len(cities) for cities in found.values()))
    assert most == 4 or players < 5


def test_nothing_happens_on_the_way() -> None:
    """§5 passed cities: no hit, no delivery and no pick-up there; many may share a city."""
    board = table(
        4,
        at="Kepler, Olympus, Moon-6, Copernicus",
        cargo=[
            "4 to Mars-2, 2 to Hamilton, 3 to Kilimanjaro",
            "2 starter",
            "2 starter",
            "1 starter",
        ],
        cities={"Olympus": "1 to Kepler", "Moon-1": "2 to Earth-7", "Kilimanjaro": "3 to Mars-1"},
    ).do("launch 4 to Mars-2", "clockwise, land on Tharsis")
    assert board.asked == ("move", 0)  # nobody is hit on Olympus
    board.do("move to Hamilton")  # by Moon-6, Kilimanjaro and Copernicus
    assert board.asked == ("deliver", 0)
    assert board.legal == ["deliver 2 to Hamilton", "keep the rest"]
    board.do("deliver 2 to Hamilton")
    assert "3 to Kilimanjaro" in board.cargo(0)
    assert board.city("Kilimanjaro") == ["3 to Mars-1"]
    assert board.city("Moon-1") == ["2 to Earth-7"]
    assert [board.cargo(k) for k in (1, 2, 3)] == [["2 starter"], ["2 starter"], ["1 starter"]]
    start = next(new_games(5, 1))
    assert start["ships"] == ["Kepler"] * 5


def test_value_twelve(tmp_path: Any) -> None:
    """§5 exact distance, §2.4 tiles of one's own: a 12 flies twelve steps, and so does the ship."""
    text = GAME.export_ruleset(rules(5).tables)
    path = tmp_path / "twelve.ruleset"
    path.write_text(text.replace("EARTH,Kepler,2,2\n", "EARTH,Kepler,2,12\n"), encoding="utf-8")
    ruleset = rules(5, ruleset=str(path))
    start = table(5, at="Kepler", cargo=["E28, 1 starter"]).session.to_json()
    del start["ruleset"]
    rings = ring_map("default", RINGS[5])
    for city in HOMES:
        start["ships"][0] = city
        board = Table.load(ruleset, start).do("launch 12 to Kepler")
        ways = {h: landings(rings, city, sense, 12) for h, sense in HEADINGS.items()}
        assert board.landings == ways
        board.do(f"clockwise, land on {sorted(ways['clockwise'] - {'Earth-4'})[0]}")
        assert board.moves == ways["counter-clockwise"]


# --- §6 the turn ----------------------------------------------------------------------------------


def test_launch_is_a_duty() -> None:
    """§6 D1 launch is a duty: with cargo one of its tiles must be launched, any one."""
    board = table(at="Kepler", cargo=["1 starter, 1 starter, 5 to Hellas, 2 to Kepler"])
    assert board.asked == ("launch", 0)
    assert board.legal == ["launch 1 starter", "launch 2 to Kepler", "launch 5 to Hellas"]
    assert board.refuses("launch 4 to Tharsis")
    assert board.refuses("launch 2 starter")


def test_no_reach_no_landing() -> None:
    """§6 D1 heading and landing: other cities are refused, for the ship too."""
    board = table(**EXAMPLE).do("launch 4 to Tharsis")
    assert board.refuses("clockwise, land on Hamilton", "counter-clockwise, land on Tharsis")
    board.do("clockwise, land on Tharsis")
    assert board.refuses("move to Copernicus", "move to Tharsis", "move to Kepler")


def test_remote_delivery_is_not_optional() -> None:
    """§6 Effect 1 delivery: a launched tile is delivered whether one likes or not."""
    board = table(at="Kepler", cargo=["4 to Tharsis, 1 starter"], cities={"Tharsis": "2 to Kepler"})
    board.do("launch 4 to Tharsis", "clockwise, land on Tharsis")
    assert board.asked == ("move", 0)
    assert board.city("Tharsis") == ["2 to Kepler"]
    assert board.deliveries(0) == ["4 to Tharsis"]


def test_every_opponent_there_is_hit() -> None:
    """§6 D2 every opponent, §6 D2 clockwise, §6 D2 before the move: all three on Copernicus."""
    board = table(
        4,
        at="Copernicus, Copernicus, Kepler, Copernicus",
        cargo=[
            "1 starter, 2 starter",
            "1 to Cairo, 2 to Earth-7",
            "4 to Mars-2, 2 starter",
            "1 starter, 3 to Earth-7",
        ],
        turn=2,
        cities={"Copernicus": "2 to Mars-2"},
    ).do("launch 4 to Mars-2", "clockwise, land on Copernicus")
    asked = []
    for text in ("3 to Earth-7", "2 starter", "1 to Cairo"):
        asked.append(board["current_player"])
        assert board["turn_player"] == 2
        assert board["ships"][2] == "Kepler"
        assert board["victim"] == asked[-1]
        board.do(f"drop {text} from cargo")
    assert asked == [3, 0, 1]
    assert board.asked == ("move", 2)
    assert board.city("Copernicus") == tiles(
        "2 to Mars-2, 4 to Mars-2, 3 to Earth-7, 2 starter, 1 to Cairo"
    )


def test_hit_is_a_duty() -> None:
    """§6 D2 a duty: neither shooter nor victim can refuse; exactly one tile is given up."""
    board = table(**EXAMPLE).do("launch 4 to Tharsis", "clockwise, land on Copernicus")
    assert board.refuses("ignore the hit", "drop 1 starter from cargo")
    assert board.refuses("drop 2 to New York from deliveries", "drop 5 to Bradbury from cargo")
    board.do("drop 2 to New York from cargo")
    assert board["current_player"] == 0


def test_starters_may_be_dropped() -> None:
    """§6 D2 any tile: starters too; equal tiles are one choice."""
    board = table(
        at="Kepler, Copernicus",
        cargo=["4 to Tharsis, 1 starter", "1 starter, 1 starter, 2 starter, 3 to Earth-7"],
        deliveries=["", "2 to Mars-1, 5 to Bradbury"],
    ).do("launch 4 to Tharsis", "clockwise, land on Copernicus")
    assert sorted(board.legal) == [
        "drop 1 starter from cargo",
        "drop 2 starter from cargo",
        "drop 2 to Mars-1 from deliveries",
        "drop 3 to Earth-7 from cargo",
        "drop 5 to Bradbury from deliveries",
    ]
    board.do("drop 1 starter from cargo")
    assert board.cargo(1) == tiles("1 starter, 2 starter, 3 to Earth-7")
    assert "1 starter" in board.city("Copernicus")


def test_the_own_ship_is_not_hit() -> None:
    """§6 D2 never the own ship, §11 launch that ends on the own city: opponents there are hit."""
    board = table(
        5,
        at="Deimos-1, Earth-4, Deimos-1",
        cargo=["3 to Earth-7, 1 starter", "1 starter", "2 starter, 1 to Cairo"],
        cities={"Deimos-1": "1 to Kepler"},
    ).do("launch 3 to Earth-7", "counter-clockwise, land on Deimos-1")
    assert board.asked == ("hit", 2)
    assert board["victims"] == []
    board.do("drop 1 to Cairo from cargo")
    assert board.moves == {"Deimos-1", "Mars-5"}
    board.do("move to Deimos-1")
    assert board.cargo(0) == tiles("1 starter, 1 to Cairo, 1 to Kepler, 3 to Earth-7")


def test_delivery_on_the_own_city() -> None:
    """§11 launch that ends on the own city, §13 11 launch returning to one's own city: delivered.

    A 4 comes back to Phobos-2 and to Bradbury, a 3 to Deimos-1 and to Hellas.
    """
    for city, tile in (
        ("Phobos-2", "4 to Phobos-2"),
        ("Deimos-1", "3 to Deimos-1"),
        ("Hellas", "3 to Hellas"),
    ):
        for heading in HEADINGS:
            board = table(5, at=city, cargo=[f"{tile}, 1 starter"]).do(f"launch {tile}")
            assert city in board.landings[heading]
            board.do(f"{heading}, land on {city}")
            assert board.deliveries(0) == [tile]
            assert city in board.moves
    board = table(5, at="Bradbury", cargo=["4 to Tharsis, 1 starter"]).do("launch 4 to Tharsis")
    assert all("Bradbury" in cities for cities in board.landings.values())
    board.do("clockwise, land on Bradbury")
    assert "4 to Tharsis" in board.city("Bradbury")
    assert board.cargo(0) == ["1 starter"]


def test_dropped_on_its_own_destination() -> None:
    """§6 D2 rests, §11 tile resting on its own destination: nobody has delivered it."""
    board = table(
        2,
        at="Kepler, Copernicus",
        cargo=["4 to Tharsis, 1 starter, 2 starter", "3 to Copernicus"],
        cities={"Copernicus": "2 to Earth-7", "Olympus": "2 starter"},
    ).do("launch 4 to Tharsis", "clockwise, land on Copernicus")
    # The only tile is dropped without a question.
    assert board.asked == ("move", 0)
    assert board.city("Copernicus") == tiles("2 to Earth-7, 3 to Copernicus, 4 to Tharsis")
    board.do("move to New York")
    # Player 1 has no cargo, so takes all of it at once, and has delivered nothing.
    assert board.asked == ("launch", 0)
    assert board.cargo(1) == tiles("2 to Earth-7, 3 to Copernicus, 4 to Tharsis")
    assert board.deliveries(1) == []
    assert board.points(1) == 0
    # In its next turn it has to leave, and can deliver the tile when it comes back.
    board.finish_turn()
    assert board.texts("launch") == {"2 to Earth-7", "3 to Copernicus", "4 to Tharsis"}
    board.do("launch 2 to Earth-7", "clockwise, land on Moon-6")
    assert board["ships"][1] == "Olympus"
    assert board.deliveries(1) == []
    board.finish_turn()
    assert board.texts("launch") == {"2 starter", "3 to Copernicus", "4 to Tharsis"}
    board.do("launch 2 starter", "clockwise, land on Mars-2")
    assert board.moves == {"Tharsis", "Copernicus"}
    board.do("move to Copernicus", "deliver 3 to Copernicus")
    assert board.points(1) == 3


def test_no_delivery_without_moving() -> None:
    """§11 a tile to Kepler in the first cargo: delivered only after leaving and coming back."""
    board = table(
        2,
        at="Kepler",
        cargo=["2 to Kepler, 1 starter, 1 starter"],
        cities={"Moon-6": "2 to Earth-7"},
    )
    assert board.asked == ("launch", 0)
    board.do("launch 1 starter", "clockwise, land on Moon-1")
    assert board["ships"][0] == "Moon-6"
    assert board["turn_player"] == 1
    assert board.deliveries(0) == []
    board.finish_turn().do("launch 1 starter", "counter-clockwise, land on Kilimanjaro")
    assert board["ships"][0] == "Kepler"
    assert board.asked == ("deliver", 0)
    board.do("deliver 2 to Kepler")
    assert board.deliveries(0) == ["2 to Kepler"]


def test_opposite_heading() -> None:
    """§6 D3 opposite heading: exactly as many steps as the launched tile, the other way."""
    for heading, ship in (("clockwise", "Kilimanjaro"), ("counter-clockwise", "Olympus")):
        board = table(at="Kepler", cargo=["2 starter, 1 starter"])
        landing = {"clockwise": "Olympus", "counter-clockwise": "Kilimanjaro"}[heading]
        board.do("launch 2 starter", f"{heading}, land on {landing}")
        assert board["ships"][0] == ship  # the only city two steps away that way


def test_ships_do_not_block() -> None:
    """§6 D3 no hit by sharing: a ship passes others and stops with them, nobody drops a tile."""
    board = table(
        4,
        at="Kepler, Moon-6, Kilimanjaro, Kilimanjaro",
        cargo=["2 starter, 1 starter"],
        cities={"Kilimanjaro": "1 to Hellas"},
    ).do("launch 2 starter", "clockwise, land on Olympus")
    assert board["ships"] == ["Kilimanjaro", "Moon-6", "Kilimanjaro", "Kilimanjaro"]
    assert board.asked == ("launch", 1)
    assert board.cargo(0) == tiles("1 starter, 1 to Hellas")


@pytest.mark.parametrize(
    ("delivered", "points"),
    [("", 0), ("2", 2), ("3", 3), ("5", 5), ("2 3", 5), ("5 2", 7), ("3 5", 8), ("3 2 5", 10)],
)
def test_any_subset_is_delivered(delivered: str, points: int) -> None:
    """§6 D4 any subset, §11 voluntarily not delivering: what is kept stays in the cargo."""
    board = table(
        at="Kepler",
        cargo=["4 to Tharsis, 2 to Hamilton, 3 to Hamilton, 5 to Hamilton, 2 to Kepler"],
        cities={"Hamilton": "1 to Earth-5"},
    ).do("launch 4 to Tharsis", "clockwise, land on Copernicus", "move to Hamilton")
    for value in delivered.split():
        board.do(f"deliver {value} to Hamilton")
    if len(delivered.split()) < 3:
        board.do("keep the rest")
    assert board["turn_player"] == 1
    assert board.points(0) == points
    kept = {"2", "3", "5"} - set(delivered.split())
    assert board.cargo(0) == tiles(
        ", ".join(["2 to Kepler", "1 to Earth-5", *(f"{value} to Hamilton" for value in kept)])
    )


def test_delivery_only_where_the_ship_stops() -> None:
    """§6 D4 only where the ship stops: neither where it was nor where it passed."""
    board = table(
        at="Kepler",
        cargo=["4 to Tharsis, 2 to Kepler, 3 to Kilimanjaro, 1 to Moon-6"],
        cities={"New York": "3 to Mars-1"},
    ).do("launch 4 to Tharsis", "clockwise, land on Copernicus", "move to New York")
    assert board["turn_player"] == 1  # nothing was asked
    assert board.deliveries(0) == []
    assert board.cargo(0) == tiles("2 to Kepler, 3 to Kilimanjaro, 1 to Moon-6, 3 to Mars-1")


def test_pick_up_takes_everything() -> None:
    """§6 step 5 everything, §6 step 5 no limit: all tiles of the city, into any cargo."""
    heap = "1 starter, 2 starter, 1 to Hellas, 3 to Mars-1, 5 to Olympus"
    cargo = "2 starter, 1 to Mars-2, 2 to Mars-2, 4 to Mars-2, 1 to Bradbury, 3 to Bradbury"
    cargo += ", 5 to Bradbury, 2 to Mars-4, 3 to Mars-4, 4 to Mars-4, 1 to Mars-5"
    board = table(at="Kepler", cargo=[cargo], cities={"Kilimanjaro": heap})
    board.do("launch 2 starter", "clockwise, land on Olympus")
    assert board.cargo(0) == tiles(f"{cargo.removeprefix('2 starter, ')}, {heap}")
    (tile,) = board["cities"]["Kilimanjaro"]
    assert tile[0] == "E"


def test_no_delivery_after_the_pick_up() -> None:
    """§6 step 5 no delivery after it: a tile that lies on its destination is only taken along."""
    board = table(
        at="Kepler",
        cargo=["4 to Tharsis, 1 starter"],
        cities={"Hamilton": "2 to Hamilton, 5 to Hamilton"},
    ).do("launch 4 to Tharsis", "clockwise, land on Tharsis", "move to Hamilton")
    assert board["turn_player"] == 1
    assert board.points(0) == 4
    assert board.cargo(0) == tiles("1 starter, 2 to Hamilton, 5 to Hamilton")


def test_whole_stack_in_one_cargo() -> None:
    """§6 step 5 no limit: a cargo can hold nearly every tile of the game."""
    board = table(
        2,
        at="Kepler, Moon-6",
        cargo=["2 starter", "1 starter"],
        left={"EARTH": 1, "MOON": 1, "MARS": 1},
        rest="Kilimanjaro",
    )
    heap = board.city("Kilimanjaro")
    assert len(heap) > 70
    board.do("clockwise, land on Olympus")
    assert board.cargo(0) == heap


# --- §7 end, points, information ------------------------------------------------------------------


@pytest.mark.parametrize("players", SET_UP)
@pytest.mark.parametrize("trigger", [0, 1])
def test_everybody_else_has_one_more_turn(players: int, trigger: int) -> None:
    """§7 one more turn: every other player, in order; the one who triggered has none."""
    board = table(
        players,
        at=", ".join("Kepler" if k == trigger else "Earth-4" for k in range(players)),
        cargo=["2 starter, 1 starter"] * players,
        left={"EARTH": 0},
        turn=trigger,
    ).do("launch 2 starter", "clockwise, land on Olympus")
    assert board["ships"][trigger] == "Kilimanjaro"
    turns = []
    while not board.session.is_over:
        turns.append(board["turn_player"])
        assert board["final_turns_left"] == players - len(turns)
        board.finish_turn()
    assert turns == [(trigger + k) % players for k in range(1, players)]
    assert board["turn_count"] == players
    assert board["final_turns_left"] == 0
    assert board["end_reasons"] == ["stack_empty"]


def test_refills_in_the_last_turns() -> None:
    """§7 refills in the last turns: other stacks still refill, further failures change nothing."""
    board = table(
        at="Kepler, Mars-4, Moon-1",
        cargo=["2 starter, 1 starter", "1 starter", "1 starter, 3 to Mars-1"],
        left={"EARTH": 0, "MOON": 0},
    ).do("launch 2 starter", "clockwise, land on Olympus")
    assert board["final_turns_left"] == 2
    mars = board.left("MARS")
    board.do("clockwise, land on Mars-5")
    assert board["ships"][1] == "Bradbury"
    assert board.left("MARS") == mars - 1
    assert [tile[0] for tile in board["cities"]["Bradbury"]] == ["R"]
    assert board["final_turns_left"] == 1
    board.do("launch 1 starter", "clockwise, land on Olympus")
    assert board["ships"][2] == "Kepler"
    assert board.city("Kepler") == []  # a second failure
    assert board.session.terminated
    assert board["turn_count"] == 3


def test_the_turn_of_the_trigger_is_completed() -> None:
    """§7 trigger: only by a refill, which is the last step of a turn; not by an empty stack."""
    board = table(
        at="Kepler",
        cargo=["4 to Tharsis, 2 to Hamilton"],
        left={"MOON": 0, "EARTH": 0, "MARS": 0},
    ).do("launch 4 to Tharsis", "clockwise, land on Tharsis")
    assert board["final_turns_left"] == 0
    board.do("move to Hamilton")
    assert board.asked == ("deliver", 0)
    assert board["final_turns_left"] == 0
    board.do("deliver 2 to Hamilton")
    assert board.points(0) == 6
    assert board["final_turns_left"] == 2


def test_no_cargo_can_trigger() -> None:
    """§11 no cargo, §13 6 turn without cargo: its refill may trigger the end, unasked."""
    board = table(
        at="Mars-4, Hamilton, Mars-4",
        cargo=["1 starter, 2 starter", ""],
        cities={"Hamilton": "3 to Mars-1"},
        left={"MOON": 0},
    ).do("launch 1 starter", "clockwise, land on Mars-5")
    assert board["turn_player"] == 2
    assert board.cargo(1) == ["3 to Mars-1"]
    assert board.city("Hamilton") == []
    assert board["final_turns_left"] == 2
    assert board["turn_count"] == 2


def test_empty_city_in_the_last_turns() -> None:
    """§11 city without tiles in the last turns: nothing to pick up, and the refill fails again."""
    board = last_turn(
        at="Kepler, Earth-4, Moon-6",
        cargo=["1 starter", "1 starter", "1 starter"],
    )
    board.do("counter-clockwise, land on Kilimanjaro")
    assert board["ships"][2] == "Kepler"
    assert board.session.terminated
    assert board.cargo(2) == []
    assert board.city("Kepler") == []
    # A ship without cargo may also stand there.
    board = table(
        at="Kepler, Earth-4, Kepler",
        cargo=["1 starter", "1 starter", ""],
        cities={"Kepler": ""},
        left={"MOON": 0},
        turn=1,
        final_turns_left=2,
    )
    board.finish_turn()
    assert board.session.terminated
    assert board.cargo(2) == []
    assert board["turn_count"] == 2


def test_a_launch_may_rest_on_an_empty_city() -> None:
    """§7 refills in the last turns: an empty city can get a launched tile."""
    board = last_turn(
        at="Kepler, Earth-4, Moon-6", cargo=["1 starter", "1 starter", "1 starter, 2 starter"]
    )
    board.do("launch 1 starter", "clockwise, land on Kepler")
    # Player 0 on Kepler has dropped its only tile.
    assert board.city("Kepler") == ["1 starter", "1 starter"]


def test_open_information() -> None:
    """§7 known to all: ships, tiles on cities, every cargo, sizes of the stacks."""
    board = table(
        3,
        at="Kepler, Copernicus, Hellas",
        cargo=["4 to Tharsis, 1 starter", "2 to New York", "1 starter, 1 starter"],
        deliveries=["1 to Cairo", "5 to Bradbury, 2 to Earth-7"],
        cities={"Kepler": "1 to Hellas, 2 starter"},
    )
    for player in range(3):
        view = board.session.to_json(player)
        seats = {(player + seat) % 3: content for seat, content in enumerate(view["seats"])}
        assert [seats[k]["ship"] for k in range(3)] == ["Kepler", "Copernicus", "Hellas"]
        assert seats[0]["cargo"] == {"4 to Tharsis": 1, "1 starter": 1}
        assert seats[1]["cargo"] == {"2 to New York": 1}
        assert seats[2]["cargo"] == {"1 starter": 2}
        assert seats[1]["deliveries"] == {"5 to Bradbury": 1, "2 to Earth-7": 1}
        assert [seats[k]["points"] for k in range(3)] == [1, 7, 0]
        assert view["cities"]["Kepler"] == {"1 to Hellas": 1, "2 starter": 1}
        for stack, tiles_left in board["stacks"].items():
            assert view["stacks"][stack] == len(tiles_left)


# --- §11 what always holds ------------------------------------------------------------------------


def check_conservation(ruleset: Ruleset, data: Data) -> None:
    piles = [
        *data["cities"].values(),
        *data["cargo"],
        *data["deliveries"],
        *data["stacks"].values(),
    ]
    found = [tile for pile in piles for tile in pile]
    start = _new_position(ruleset)
    piles = [*start["cities"].values(), *start["cargo"], *start["stacks"].values()]
    assert sorted(found) == sorted(tile for pile in piles for tile in pile)
    assert sum(tile[0] == "S" for tile in found) == 3 * ruleset.num_players


def test_conservation() -> None:
    """§11 conservation: tiles in play and three starters for each player, in all positions."""
    for ruleset, state in islice(random_positions("conservation"), 0, 6_000, 6):
        check_conservation(ruleset, GAME.state_to_json(ruleset, state))


def test_exchanged_tiles_of_a_kind() -> None:
    """§13 6 what tells two tiles apart: destination and value, so nobody sees which one it is."""
    assert KINDS["E24"] == KINDS["M23"] == "4 to Tharsis"
    board = table(at="Kepler", cargo=["E24, 1 starter"], cities={"Cairo": "M23"})
    other = exchanged(board, "E24", "M23")
    assert other["cargo"][0] == ["M23", "S01"]
    for player in range(3):
        assert board.session.to_json(player) == other.session.to_json(player)
        same = board.session.observe(player) == other.session.observe(player)
        assert same.all()
    assert board.legal == other.legal


# --- nothing is forgotten -------------------------------------------------------------------------

RULES = """
§1.1 boards in play
§1.1 own cities
§1.1 transfer cities
§1.2 default rings
§1.2 home board
§1.3 layouts
§1.3 worked example
§1.4 rings of one's own
§1.4 several paths
§2.1 128 tiles
§2.1 value
§2.1 another board
§2.1 marks
§2.2 starters
§2.3 default tiles
§2.3 table of the set-up
§2.3 bound on turns
§2.4 tiles of one's own
§3 five ships
§3 dealt at random
§4.1 boards
§4.2 higher marks
§4.2 stacks
§4.3 seeding
§4.4 ships
§4.4 Kepler
§4.5 cargo of six
§4.6 random first player
§4.6 clockwise
§4 an empty stack
§5 exact distance
§5 keep or change rings
§5 opposite sense
§5 never turns back
§5 any number of changes
§5 start on a transfer city
§5 passed cities
§6 D1 launch is a duty
§6 D1 heading and landing
§6 D1 no cargo
§6 Effect 1 delivery
§6 Effect 1 rests
§6 Effect 1 starters
§6 D2 every opponent
§6 D2 never the own ship
§6 D2 a duty
§6 D2 cargo or deliveries
§6 D2 any tile
§6 D2 rests
§6 D2 no tile
§6 D2 clockwise
§6 D2 before the move
§6 D2 out of turn
§6 D3 opposite heading
§6 D3 full loop
§6 D3 no hit by sharing
§6 D4 any subset
§6 D4 only where the ship stops
§6 step 5 everything
§6 step 5 no limit
§6 step 5 no delivery after it
§6 step 6 refill
§6 turn passes
§7 trigger
§7 last tile
§7 one more turn
§7 refills in the last turns
§7 points
§7 more tiles
§7 shared win
§7 max_turns
§7 known to all
§7 known to nobody
§7 deliveries_visible=False
§8 ship_powers=A
§8 ship_powers=B
§8 S1 Sharp turn
§8 S2 Any port
§8 S3 Overthrust
§8 S4 Tractor beam
§8 S5 Armour
§8 S1 Ram
§8 S2 Boarders
§8 S3 Aimed shot
§8 S4 Through shot
§8 S5 Payback
§9 board_side=night
§9 boards=phobos
§9 boards=deimos
§9 boards=phobos+deimos
§10 variant=coop_limit3
§10 variant=tourists
§11 no cargo
§11 a tile to Kepler in the first cargo
§11 launch that ends on the own city
§11 ship that stops where its own junk landed
§11 hit and delivery by the same launch
§11 city without tiles in the last turns
§11 last tile of a stack drawn
§11 tile resting on its own destination
§11 voluntarily not delivering
§11 conservation
§12 T1
§12 T2
§12 T3
§12 T4
§12 T5
§12 T6
§12 T7
§12 T8
§12 T9
§12 T10
§13 6 what tells two tiles apart
§13 5 a ship on a transfer city
§13 6 D1 both headings lead to one city
§13 6 D2 several victims
§13 6 D2, 7 a hit on the player who triggered the end
§13 6 D3 the ship comes back to X
§13 6 D4 two tiles of a kind
§13 6 turn without cargo
§13 11 launch returning to one's own city
§13 1.3 alternative layouts
§13 0 further options
§13 4.6 first player
""".strip().splitlines()


def test_every_rule_is_named_by_a_test() -> None:
    assert unnamed_rules(RULES, "junkorbit") == []


def test_every_part_of_the_rulebook_is_listed() -> None:
    """The list above has something for each heading, option, edge case and ruling of RULES.md."""
    # §0 tells where the options are.
    assert unlisted_sections(RULES, "junkorbit") <= {"0"}
    text = rulebook("junkorbit")
    cases = re.findall(r"^\| ([^|]+) \| ", section_of(text, 11), re.MULTILINE)[1:]
    assert len(cases) >= 7
    assert {f"§11 {case}" for case in cases} <= set(RULES)
    rulings = re.findall(r"^\| ([\dD., ]+) \| ([^|]+) \| ", section_of(text, 13), re.MULTILINE)
    assert len(rulings) >= 7
    assert {f"§13 {section} {question}" for section, question in rulings} <= set(RULES)
    powers = re.findall(r"^\| (S\d) \| ([^:|]+): [^|]+ \| ([^:|]+): ", text, re.MULTILINE)
    assert len(powers) == 5
    for ship, side_a, side_b in powers:
        assert {f"§8 {ship} {side_a}", f"§8 {ship} {side_b}"} <= set(RULES)


def section_of(text: str, number: int) -> str:
    return text.partition(f"\n## {number}. ")[2].partition("\n## ")[0]


def test_every_option_is_listed() -> None:
    """Each value of each option that is not its default is named by a rule, known or refused."""
    values = {name: text.values for name, text in option_texts().items()}
    layouts = values.pop("layout")  # every test of a layout tries all of them
    assert isinstance(layouts, Choice)
    assert list(layouts.words) == list(LAYOUTS)
    expected = set()
    for name, choice in values.items():
        if isinstance(choice, Choice):
            words = {*choice.words, *choice.unavailable} - {getattr(Options(), name)}
            expected |= {f"{name}={word}" for word in words}
    assert expected <= {rule.split()[-1] for rule in RULES}
    assert set(values) == {
        "ruleset",
        "max_turns",
        "deliveries_visible",
        "boards",
        "ship_powers",
        "board_side",
        "variant",
    }
