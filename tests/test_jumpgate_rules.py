"""Jump Gate by its rulebook: hand-written positions for every rule of RULES.md, §§1 to 9 and 11.

Options (§10) and rulings (§12) have tests of their own in test_jumpgate_rulings.py. The docstring
of each test begins with the rule it proves, as listed in `RULES`; the last test of this file finds
rules that no test names. Expected outcomes are written by hand, from the rules.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import fields
from functools import cache
from itertools import combinations, islice, product
from random import Random
from typing import Any

import numpy as np
import pytest
import rule_checks
from jumpgate_positions import choose, random_positions
from rule_checks import (
    Data,
    exchanged,
    random_word,
    rulebook,
    unlisted_sections,
    unnamed_rules,
)

from jumpgate_env.jumpgate_v0 import GAME
from jumpgate_env.options import Options
from tabletop_core.errors import TabletopError
from tabletop_core.game import Ruleset
from tabletop_core.session import Session

# --- tables as printed in the rules ---------------------------------------------------------------

PLANETS = {  # jump, scan, two landing codes
    **{"P01": "1 2 1 3", "P02": "1 3 2 4", "P03": "1 4 1 2", "P04": "2 1 3 4"},
    **{"P05": "2 3 1 4", "P06": "2 4 2 3", "P07": "3 1 1 2", "P08": "3 2 1 4"},
    **{"P09": "3 4 1 3", "P10": "4 1 2 3", "P11": "4 2 3 4", "P12": "4 3 2 4"},
}
JUMP_SCAN = "W1 12 13 14 21 2W 23 24 31 32 W3 34 41 42 43 4W"  # N01 to N16
SCAN_LAND = "W1 12 13 14 21 2W 23 24 31 32 W3 34 41 42 43 4W"  # N17 to N32
JUMP_LAND = "1W 21 31 41 12 W2 32 42 13 23 3W 43 14 24 34 W4"  # N33 to N48
NAVIGATION = [
    *({"jump": codes[0], "scan": codes[1]} for codes in JUMP_SCAN.split()),
    *({"scan": codes[0], "land": codes[1]} for codes in SCAN_LAND.split()),
    *({"jump": codes[0], "land": codes[1]} for codes in JUMP_LAND.split()),
]
RESOURCES = [  # R01 to R48; a star is the black-hole icon
    *(["sand"] * 12),
    *(["red gem*"] + ["red gem"] * 3 + ["white gem*"] + ["white gem"] * 3),
    *(["blue gem*"] + ["blue gem"] * 3),
    *(["light energel*"] + ["light energel"] * 5 + ["dark energel*"] + ["dark energel"] * 5),
    *(["water*"] + ["water"] * 5 + ["fame*"] * 6),
]
# players: planets, resources on planets, hidden, set aside
SET_UP = {2: (6, 24, 4, 20), 3: (7, 28, 6, 14), 4: (8, 32, 8, 8), 5: (9, 36, 10, 2)}
SAND_POINTS = [0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 45, 45, 45]
WATER_POINTS = [0, 2, 5, 9, 14, 20, 27, 35, 44, 54, 65, 77, 90]


def resource_name(card: str) -> str:
    return RESOURCES[int(card[1:]) - 1]


# --- positions in few words -----------------------------------------------------------------------


class Table(rule_checks.Table):
    """A position of Jump Gate that is played in words."""

    def targets(self, verb: str) -> str:
        """The last words of the legal actions of one kind, for example planets of jumps."""
        return " ".join(sorted(text.split()[-1] for text in self.legal if text.startswith(verb)))

    def hand(self, player: int) -> str:
        return " ".join(self["hands"][player])

    def collected(self, player: int) -> str:
        return " ".join(self["collected"][player])

    def marks(self, player: int) -> str:
        return " ".join(self["marks"][player])

    def planet(self, name: str) -> tuple[int, str, int | None]:
        """Number of face-down resources, face-up ones, owner."""
        data = self.session.to_json()
        k = data["ring"].index(name)
        return data["face_down"][k], " ".join(data["face_up"][k]), data["owners"][k]

    @property
    def markers(self) -> list[int]:
        return [
            self.session.to_json(player)["seats"][0]["black_hole_markers"]
            for player in range(self.session.num_players)
        ]

    @property
    def whose(self) -> tuple[int, int]:
        """Current player and actions left."""
        return self["current_player"], self["actions_left"]


Cards = str  # ids with blanks between them, for example "R02 R37"
Planet = tuple[int, Cards] | tuple[int, Cards, int]  # face down, face up, owner


def table(
    players: int = 3,
    *,
    ring: str = "",
    at: str = "",
    hands: Sequence[Cards] = (),
    hidden: Sequence[Cards] = (),
    collected: Sequence[Cards] = (),
    marks: Sequence[Cards] = (),
    options: Data | None = None,
    **more: Any,
) -> Table:
    """A legal position from what matters in it; planets are given as P05=(face down, face up).

    ring: planets in order; default: those given, then P01, P02 and so on.
    at: where ships are; those left out are on the last planet of the ring.
    hidden, collected, marks, hands: one entry for each player, the last ones may be left out.
    more: planets, and further fields of the JSON position; lists of cards may be text.

    Planets that are not given get as many resources as are missing on the table. If there is room
    for more than planets can hold, the last player has collected them.
    """
    ruleset = rules(players, **(options or {}))
    given = {name: more.pop(name) for name in list(more) if re.fullmatch(r"P\d\d", name)}
    order = ring.split() or _ring(ruleset, given)
    locations = at.split()
    data: Data = {
        "ring": order,
        "marks": _lists(marks, players),
        "locations": locations + [order[-1]] * (players - len(locations)),
        "hands": _lists(hands, players),
        "hidden": _lists(hidden, players),
        "collected": _lists(collected, players),
        "removed": more.pop("removed", "").split(),
        "current_player": more.pop("turn", 0),
        "actions_left": 2,
    }
    cards = [more[name].split() for name in ("deck", "discard", "unseen") if name in more]
    free = _Free(ruleset, [*data["collected"], *data["hidden"], data["removed"], *cards])
    planets = {name: [value[0], value[1].split()] for name, value in given.items()}
    free.use(planet[1] for planet in planets.values())
    _fill_hidden(ruleset, data["hidden"], free)
    _fill_planets(ruleset, data, planets, free)
    data["face_down"] = [planets[name][0] for name in order]
    data["face_up"] = [planets[name][1] for name in order]
    data["owners"] = [(*given.get(name, ()), None, None, None)[2] for name in order]
    for name in ("deck", "discard", "unseen"):
        if name in more:
            data[name] = more.pop(name).split()
    return Table.load(ruleset, {**data, **more})


@cache
def rules(players: int, **options: Any) -> Ruleset:
    return GAME.ruleset(players, **options)


class _Free:
    """Resource cards that are nowhere yet, the plain ones first."""

    def __init__(self, ruleset: Ruleset, used: Iterable[Iterable[str]]) -> None:
        cards = [card for card in ruleset.tables.resources if card.name != "nothing"]
        cards.sort(key=lambda card: (card.name.startswith("fame"), card.has_black_hole_icon))
        self.cards = [card.id for card in cards]
        self.fame = {card.id for card in cards if card.name.startswith("fame")}
        self.use(used)

    def use(self, piles: Iterable[Iterable[str]]) -> None:
        used = {card for pile in piles for card in pile}
        self.cards = [card for card in self.cards if card not in used]

    def take(self, count: int) -> list[str]:
        assert len(self.cards) >= count, "not enough resource cards for this position"
        taken, self.cards = self.cards[:count], self.cards[count:]
        return taken


def _ring(ruleset: Ruleset, given: Iterable[str]) -> list[str]:
    order = [*given, *(name for name in PLANETS if name not in given)]
    return order[: SET_UP[ruleset.num_players][0]]


def _lists(entries: Sequence[Cards], players: int) -> list[list[str]]:
    assert len(entries) <= players
    return [entry.split() for entry in entries] + [[] for _ in range(players - len(entries))]


def _fill_hidden(ruleset: Ruleset, hidden: list[list[str]], free: _Free) -> None:
    count = int(ruleset.record[0].hidden_count)
    for cards in hidden:
        cards += free.take(count - len(cards)) if not cards else []


def _fill_planets(ruleset: Ruleset, data: Data, planets: dict[str, list[Any]], free: _Free) -> None:
    """Each planet was dealt four resources; what is nowhere else lies on planets not given."""
    missing = 4 * len(data["ring"]) - len(data["removed"])
    missing -= sum(down + len(up) for down, up in planets.values())
    missing -= sum(len(cards) for cards in data["collected"])
    assert missing >= 0, f"{-missing} resources too many"
    for name in data["ring"]:
        if name not in planets:
            count = min(missing, 4)
            missing -= count
            up = int(count >= 3)
            planets[name] = [count - up, free.take(up)]
    data["collected"][-1] += free.take(missing)


def until(card: str, position: Data, *texts: str) -> Table:
    """Play these actions in the position with another random generator until `card` turns up."""
    for number in range(2_000):
        board = table(**position, rng=random_word(number)).do(*texts)
        if any(card in cards for cards in board["face_up"]):
            return board
    raise AssertionError(f"{card} never turns up")


def points(cards: Cards, players: int = 2, planets: int = 0, **options: Any) -> float:
    """What player 0 scores with these collected resources and planets and nothing hidden."""
    claimed: Data = dict.fromkeys(list(PLANETS)[:planets], (0, "", 0))
    base = {"max_turns": 1, "blackhole_limit": 48}
    base |= {"two_player_hidden": 0, "hidden_per_player": 0}
    board = table(players, collected=[cards], actions_left=1, options=base | options, **claimed)
    return board.do("pass").scores[0]


def first(name: str, count: int) -> Cards:
    """The first cards of a type; "red gem" begins with the one that shows an icon."""
    numbers = [k for k, kind in enumerate(RESOURCES, start=1) if kind.rstrip("*") == name]
    return " ".join(f"R{number:02}" for number in numbers[:count])


# --- §1 players and components --------------------------------------------------------------------


def test_number_of_players() -> None:
    """§1 players: 2 to 5."""
    for players in (2, 3, 4, 5):
        assert GAME.ruleset(players).num_players == players
    wrong: Any
    for wrong in (0, 1, 6, -2, True, 2.0, "2"):
        with pytest.raises(TabletopError, match="for 2 to 5 players"):
            GAME.ruleset(wrong)


def test_boxes() -> None:
    """§1 cards in the box: 12 planets, 48 resources, 48 navigation cards."""
    tables = GAME.ruleset(2).tables
    sizes = len(tables.planets), len(tables.resources), len(tables.navigation)
    assert sizes == (12, 48, 48)


def test_ship_and_markers() -> None:
    """§1 one ship and any number of markers; §5 no limit per player: twelve icons with one."""
    icons = [f"R{k:02}" for k, name in enumerate(RESOURCES, start=1) if name.endswith("*")]
    board = table(
        collected=[" ".join(icons[:-1])],
        P01=(0, icons[-1]),
        at="P01",
        hands=["N01 N02"],
        options={"blackhole_limit": 48},
    )
    assert board["locations"][0] == "P01"
    assert board.do("harvest at P01", "spend N01").markers == [12, 0, 0]


@pytest.mark.parametrize("number", range(48))
def test_resource_cards(number: int) -> None:
    """§1.1 resource cards: type and icon of each of the 48, seen by harvesting it."""
    card, name = f"R{number + 1:02}", RESOURCES[number]
    board = table(2, P01=(0, card), at="P01", hands=["N01 N02"])
    (lying,) = board.session.to_json(0)["ring"][0]["face_up"]
    assert lying == {"resource": name, "mark": None}
    board.do("harvest at P01", "spend N01")
    assert board.collected(0) == card
    assert board.session.to_json(1)["seats"][1]["collected"] == {name: 1}
    assert board.markers == [int(name.endswith("*")), 0]


def test_resource_counts() -> None:
    """§1.1 counts: 12 sand, 12 gems, 12 EnerGel, 6 water, 6 fame; 12 icons."""
    assert Counter(name.rstrip("*") for name in RESOURCES) == {
        "sand": 12,
        **{f"{colour} gem": 4 for colour in ("red", "white", "blue")},
        **{f"{shade} energel": 6 for shade in ("light", "dark")},
        "water": 6,
        "fame": 6,
    }
    assert sum(name.endswith("*") for name in RESOURCES) == 12
    assert [card.name for card in GAME.ruleset(2).tables.resources] == RESOURCES


def test_gem_points() -> None:
    """§1.1 gems: all gems times the largest colour; every combination."""
    for red, white, blue in product(range(5), repeat=3):
        cards = [first("red gem", red), first("white gem", white), first("blue gem", blue)]
        expected = (red + white + blue) * max(red, white, blue)
        assert points(" ".join(cards)) == expected


def test_energel_points() -> None:
    """§1.1 EnerGel: 7 for a pair of light and dark, 2 for each left over; every combination."""
    for light, dark in product(range(7), repeat=2):
        cards = f"{first('light energel', light)} {first('dark energel', dark)}"
        assert points(cards) == 7 * min(light, dark) + 2 * abs(light - dark)


def test_water_points() -> None:
    """§1.1 water: 0, 2, 5, 9, 14, 20, 27 for 0 to 6, and so on for 7 and 8."""
    for count in range(7):
        assert points(first("water", count)) == WATER_POINTS[count]
    for count in (7, 8):  # in the deck with 8 water, R33 to R40
        cards = " ".join(f"R{number}" for number in range(33, 33 + count))
        assert points(cards, deck="eights") == WATER_POINTS[count]
    assert list(GAME.ruleset(2).tables.water_points[:13]) == WATER_POINTS


def test_fame_points() -> None:
    """§1.1 fame: 5 each."""
    for count in range(7):
        assert points(first("fame", count)) == 5 * count


def test_sand_points() -> None:
    """§1.1 sand: 0, 1, 3, 6, 10, 15, 21, 28, 36, 45 for 0 to 9, never more."""
    for count in range(13):
        assert points(first("sand", count)) == SAND_POINTS[count]
    assert list(GAME.ruleset(2).tables.sand_points[:13]) == SAND_POINTS


ALL_CODES_RING = "P01 P02 P03 P04 P05 P06 P07 P10 P11"
SCAN_PLANETS = {"1": "P04", "2": "P01", "3": "P02", "4": "P03"}
# For each landing code: a planet, and two cards that have the other code of that planet only.
LANDINGS = {
    **{"1": ("P01", "N19 N23"), "3": ("P01", "N21 N25")},
    **{"2": ("P02", "N20 N24"), "4": ("P02", "N26 N30")},
}


def fits(code: str | None, wanted: str) -> bool:
    return code in (wanted, "W")


@pytest.mark.parametrize("number", range(48))
def test_navigation_cards(number: int) -> None:
    """§1.2 navigation cards: what each of the 48 is good for, with a wildcard for any number."""
    card, codes = f"N{number + 1:02}", NAVIGATION[number]
    board = table(5, ring=ALL_CODES_RING, at="gate", hands=[card])
    jumps = [name for name in board["ring"] if fits(codes.get("jump"), PLANETS[name].split()[0])]
    assert board.targets("jump") == " ".join(jumps)
    for code, name in SCAN_PLANETS.items():
        board = table(5, ring=ALL_CODES_RING, at=name, hands=[card])
        assert ("scan" in board.legal) == fits(codes.get("scan"), code)
    for code, (name, partners) in LANDINGS.items():
        partner = next(other for other in partners.split() if other != card)
        open_planet: Any = {name: (0, "R01")}
        board = table(5, ring=ALL_CODES_RING, at=name, hands=[f"{card} {partner}"], **open_planet)
        assert ("claim" in board.legal) == fits(codes.get("land"), code)


def test_navigation_codes() -> None:
    """§1.2 two codes of two categories; in each category seven of each number and four wild."""
    assert all(len(codes) == 2 for codes in NAVIGATION)
    for category in ("jump", "scan", "land"):
        codes = Counter(card[category] for card in NAVIGATION if category in card)
        assert codes == {"1": 7, "2": 7, "3": 7, "4": 7, "W": 4}
    hand = [f"N{k:02}" for k in range(1, 6)]
    view = table(hands=[" ".join(hand)]).session.to_json(0)["hand"]
    assert view[0] == {"card": "N01", "jump": "W", "scan": 1, "land": None}


def test_card_is_spent_for_one_code() -> None:
    """§1.2 one action for a card: N03 is jump 1 and scan 3, but after the jump it is gone."""
    board = table(at="P04", hands=["N03 N18"], P02=(2, "R01"))
    board.do("jump to P02")
    assert (board.hand(0), board["discard"]) == ("N18", ["N03"])
    assert "scan" not in board.legal  # P02 has scan code 3


def test_planet_cards() -> None:
    """§1.3 planets: a jump code, a scan code and two landing codes each, as printed."""
    cards = GAME.ruleset(2).tables.planets
    printed = {card.id: f"{card.jump} {card.scan} {card.land_a} {card.land_b}" for card in cards}
    assert printed == PLANETS
    codes = [text.split() for text in PLANETS.values()]
    assert sorted(code[0] + code[1] for code in codes) == sorted(
        a + b for a, b in product("1234", repeat=2) if a != b
    )
    pairs = Counter("".join(code[2:]) for code in codes)
    assert pairs == {a + b: 2 for a, b in combinations("1234", 2)}


@pytest.mark.parametrize("name", PLANETS)
def test_planet_codes_in_play(name: str) -> None:
    """§1.3 planets: exactly the cards with the codes of a planet serve there."""
    jump, scan, *landing = PLANETS[name].split()
    for wanted in "1234":
        jump_card = {"1": "N02", "2": "N05", "3": "N09", "4": "N13"}[wanted]
        board = table(ring=f"{name} {others(name)}", at="gate", hands=[jump_card])
        assert (name in board.targets("jump")) == (wanted == jump)
        scan_card = {"1": "N05", "2": "N02", "3": "N03", "4": "N04"}[wanted]
        board = table(ring=f"{name} {others(name)}", at=name, hands=[scan_card])
        assert ("scan" in board.legal) == (wanted == scan)
    for pair in combinations("1234", 2):
        land_cards = {"1": "N21", "2": "N26", "3": "N19", "4": "N20"}
        hand = " ".join(land_cards[code] for code in pair)
        here: Any = {name: (0, "R01")}
        board = table(ring=f"{name} {others(name)}", at=name, hands=[hand], **here)
        assert ("claim" in board.legal) == (list(pair) == landing)


def others(name: str, count: int = 6) -> str:
    return " ".join([other for other in PLANETS if other != name][:count])


# --- §2 set-up ------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", SET_UP)
def test_a_new_game_forgets_the_one_before(players: int) -> None:
    """§2.1 to §2.5: a new game is the same whatever was on the table before."""
    rule_checks.check_new_game_clears_the_record(GAME.ruleset(players))


def new_games(players: int, count: int = 60, **options: Any) -> list[Data]:
    session = Session(GAME.ruleset(players, **options))
    positions = []
    for seed in range(count):
        session.reset(seed)
        positions.append(session.to_json())
    return positions


@pytest.mark.parametrize("players", SET_UP)
def test_set_up(players: int) -> None:
    """§1 planets used and §2 table of the set-up, with hands and decks."""
    planets, on_planets, hidden, set_aside = SET_UP[players]
    for data in new_games(players):
        assert data["face_down"] == [3] * planets
        assert [len(cards) for cards in data["face_up"]] == [1] * planets
        assert planets * 4 == on_planets
        assert [len(cards) for cards in data["hidden"]] == [2] * players
        assert sum(len(cards) for cards in data["hidden"]) == hidden
        assert len(data["unseen"]) == set_aside + 3 * planets
        assert [len(cards) for cards in data["hands"]] == [5] * players
        assert len(data["deck"]) == 48 - 5 * players
        assert data["discard"] == data["removed"] == []
        assert data["owners"] == [None] * planets
        assert data["marks"] == data["collected"] == [[]] * players
        assert (data["turn_count"], data["actions_left"], data["prompt"]) == (0, 2, "main")


def test_random_ring() -> None:
    """§2.1 ring: as many planets as players ask for, random ones in random order."""
    games = new_games(2, 600)
    assert all(len(set(data["ring"])) == 6 for data in games)
    for position in range(6):
        counts = Counter(data["ring"][position] for data in games)
        assert set(counts) == set(PLANETS)
        assert max(counts.values()) < 2 * 50  # 50 of 600 each


def test_first_and_last_planet_are_neighbours() -> None:
    """§2.1 neighbours: ring positions that differ by one, and the first and the last."""
    ring = "P05 P09 P02 P01 P03 P04 P06"
    names = ring.split()
    for k, name in enumerate(names):
        board = table(ring=ring, at=name)
        neighbours = sorted([names[k - 1], names[(k + 1) % 7]])
        assert board.targets("fly") == " ".join(neighbours)


def test_ships_start_on_the_gate() -> None:
    """§2.2 ships: all on the Jump Gate."""
    for players in SET_UP:
        assert new_games(players, 1)[0]["locations"] == ["gate"] * players


def test_hidden_resources() -> None:
    """§2.3 hidden: never fame, which goes back; icons stay and bring no marker."""
    games = new_games(2, 1_500)
    hidden = Counter(
        resource_name(card) for data in games for cards in data["hidden"] for card in cards
    )
    assert set(hidden) == set(RESOURCES) - {"fame*"}
    assert all(data["end_reasons"] == [] for data in games)
    session = Session(GAME.ruleset(2))
    session.from_json(next(data for data in games if "R13" in data["hidden"][0]))
    assert [seat["black_hole_markers"] for seat in session.to_json(0)["seats"]] == [0, 0]
    # All 6 fame are among the 44 cards of which 6 lie face up: 6 * 6 / 44 = 0.818 on average.
    fame = [
        sum(resource_name(card) == "fame*" for cards in data["face_up"] for card in cards)
        for data in games
    ]
    assert 0.72 < np.mean(fame) < 0.92  # more than four standard errors


def test_planets_get_four_resources() -> None:
    """§2.4 resources: three face down and one face up, any card; the others are set aside."""
    games = new_games(5, 600)
    face_up = Counter(cards[0] for data in games for cards in data["face_up"])
    assert len(face_up) == 48
    unseen = Counter(card for data in games for card in data["unseen"])
    assert len(unseen) == 48


def test_hands_and_first_player() -> None:
    """§2.5 five navigation cards; §2.6 a random player begins."""
    games = new_games(3, 600)
    for player in range(3):
        dealt = Counter(card for data in games for card in data["hands"][player])
        assert len(dealt) == 48
        assert 150 < sum(data["current_player"] == player for data in games) < 250
    for data in games:
        cards = [*data["deck"], *(card for hand in data["hands"] for card in hand)]
        assert sorted(cards) == [f"N{k:02}" for k in range(1, 49)]


def test_clockwise() -> None:
    """§2.6 play goes clockwise: 2, 3, 0, 1 with four players."""
    board = table(4, turn=2)
    turns = []
    for _ in range(5):
        turns.append(board.whose)
        board.do("pass", "pass")
    assert turns == [(2, 2), (3, 2), (0, 2), (1, 2), (2, 2)]


# --- §3 the turn ----------------------------------------------------------------------------------


def test_two_actions() -> None:
    """§3 two actions, the same one twice if wanted."""
    board = table(ring="P01 P02 P03 P04 P05 P06 P07", at="P01")
    assert board.whose == (0, 2)
    assert board.do("fly to P02").whose == (0, 1)
    assert board.do("fly to P03").whose == (1, 2)
    assert board["turn_count"] == 1


def test_pass() -> None:
    """§3 pass: always possible, changes nothing but the turn."""
    board = table(at="gate")
    before = board.session.to_json()
    after = board.do("pass").session.to_json()
    changed = {key for key in before if before[key] != after[key]}
    assert changed == {"actions_left", "decision_count"}
    assert board.do("pass").whose == (1, 2)


def test_fly_row() -> None:
    """§3 fly: from a planet, without a card."""
    board = table(ring="P01 P02 P03 P04 P05 P06 P07", at="P01")
    board.do("fly to P07")
    assert board["locations"][0] == "P07"
    assert board["discard"] == []


def test_jump_row() -> None:
    """§3 jump: one card with the jump code of the target."""
    board = table(at="P01", hands=["N05 N07 N18"])
    board.do("jump to P05")
    assert board.targets("spend") == "N05 N07"  # jump 2; N18 has no jump code
    assert board["locations"][0] == "P01"
    board.do("spend N07")
    assert board["locations"][0] == "P05"
    assert (board.hand(0), board["discard"]) == ("N05 N18", ["N07"])


def test_scan_row() -> None:
    """§3 scan: a face-down resource here and one card with the scan code of the planet."""
    for down, hand, is_legal in ((1, "N03", True), (0, "N03", False), (1, "N05", False)):
        board = table(at="P05", P05=(down, "R01"), hands=[hand])
        assert ("scan" in board.legal) == is_legal


def test_claim_row() -> None:
    """§3 claim: no face-down resource, unclaimed, two cards with its landing codes."""
    hand = "N21 N20"  # landing 1 and 4
    assert "claim" in table(at="P05", P05=(0, "R01"), hands=[hand]).legal
    assert "claim" not in table(at="P05", P05=(1, "R01"), hands=[hand]).legal
    assert "claim" not in table(at="P05", P05=(0, "R01", 1), hands=[hand]).legal
    assert "claim" not in table(at="P05", P05=(0, "R01", 0), hands=[hand]).legal
    assert "claim" not in table(at="P05", P05=(0, "R01"), hands=["N21 N26"]).legal
    assert "claim" not in table(at="P01", P05=(0, "R01"), hands=[hand]).legal


def test_harvest_row() -> None:
    """§3 harvest: a resource one may take, one card of any kind."""
    board = table(at="P05", P05=(0, "R14"), hands=["N18 N40"])
    assert board.targets("harvest") == "P05"
    board.do("harvest at P05")
    assert board.targets("spend") == "N18 N40"
    board.do("spend N40")
    assert (board.collected(0), board.hand(0), board["discard"]) == ("R14", "N18", ["N40"])
    assert "harvest at P05" not in table(at="P05", P05=(0, ""), hands=["N18"]).legal


def test_research_row() -> None:
    """§3 research: always possible, any cards of the hand."""
    for place in ("gate", "P05"):
        assert "research" in table(at=place, hands=["N01 N02"]).legal
        assert "research" in table(at=place).legal


def test_actions_of_other_places_are_illegal() -> None:
    """§3 conditions: an action whose condition fails is refused and changes nothing."""
    board = table(at="gate", hands=["N05 N18 N21 N20"])
    assert board.refuses("fly to P01", "scan", "claim", "harvest at P05", "jump to P01")
    board = table(at="P05", P05=(1, "R01"), hands=["N05 N18"])
    assert board.refuses("scan", "claim", "harvest at P05", "harvest at P01", "jump to P05")
    assert board.refuses("spend N05", "take sand", "mark sand", "decline", "discard N05")


# --- §4.1 fly -------------------------------------------------------------------------------------


def test_fly_is_ring_distance_one() -> None:
    """§4.1 neighbours only; any number of ships on one planet."""
    board = table(ring="P01 P02 P03 P04 P05 P06 P07", at="P04 P05 P05")
    assert board.targets("fly") == "P03 P05"
    assert board.do("fly to P05")["locations"] == ["P05"] * 3


def test_no_fly_from_the_gate() -> None:
    """§4.1 not from the Jump Gate, so the first move is a jump; no way back."""
    board = table(at="gate", hands=["N02 N05"])
    assert board.targets("fly") == ""
    assert board.refuses("fly to P01")
    board.do("jump to P01")
    assert not any("gate" in text for text in board.legal)


# --- §4.2 jump ------------------------------------------------------------------------------------


def test_jump_targets() -> None:
    """§4.2 any planet but the current one, neighbours too, if a card has its code."""
    ring = "P01 P02 P03 P04 P05 P06 P07"
    board = table(ring=ring, at="P02", hands=["N02 N05"])  # jump 1 and 2
    assert board.targets("jump") == "P01 P03 P04 P05 P06"
    board = table(ring=ring, at="P02", hands=["N01"])  # wildcard
    assert board.targets("jump") == "P01 P03 P04 P05 P06 P07"
    assert board.refuses("jump to P02")
    assert table(ring=ring, at="P02", hands=["N17 N18"]).targets("jump") == ""


def test_jump_from_the_gate() -> None:
    """§4.2 from the Jump Gate to any planet; §4.2 no marker and no points for jumping."""
    board = table(at="gate", hands=["N01"])
    assert board.targets("jump") == "P01 P02 P03 P04 P05 P06 P07"
    board.do("jump to P07")
    assert board.markers == [0, 0, 0]
    assert board.session.to_json(0)["seats"][0]["public_points"] == 0


def test_jump_pays_with_a_wildcard_or_the_code() -> None:
    """§4.2 payment: the cards with the code of the target and wildcards."""
    board = table(at="P04", hands=["N01 N02 N05 N37 N48"]).do("jump to P01")
    assert board.targets("spend") == "N01 N02 N37 N48"


# --- §4.3 scan ------------------------------------------------------------------------------------

SCAN: Data = {"at": "P05", "P05": (2, "R14 R37"), "hands": ["N03 N25 N40"]}


def test_scan_turns_up_one() -> None:
    """§4.3 effect: the card is spent, one face-down resource is turned face up."""
    board = table(**SCAN)
    unseen = set(board["unseen"])
    board.do("scan")
    assert board.targets("spend") == "N03 N25"  # scan 3
    assert board.planet("P05") == (2, "R14 R37", None)
    board.do("spend N25")
    down, up, _ = board.planet("P05")
    (revealed,) = set(up.split()) - {"R14", "R37"}
    assert down == 1
    assert revealed in unseen
    assert set(board["unseen"]) == unseen - {revealed}
    assert (board.hand(0), board["discard"]) == ("N03 N40", ["N25"])


def test_scan_reveals_each_unseen_card_alike() -> None:
    """§4.3 random: with one face-down and two set-aside resources each is a third likely."""
    counts: Counter[str] = Counter()
    for number in range(600):
        board = table(
            5,
            at="P05",
            P05=(1, "R14"),
            P01=(0, ""),
            P02=(0, ""),
            hands=["N03"],
            rng=random_word(number),
            collected=[first("sand", 12), first("water", 6), first("light energel", 6)],
            options={"blackhole_limit": 48},
            P03=(0, ""),
            P04=(0, ""),
            P06=(0, ""),
            P07=(0, ""),
            P08=(0, ""),
            P09=(0, ""),
            unseen="R43 R36 R24",
        )
        board.do("scan")
        counts.update(set(board.planet("P05")[1].split()) - {"R14"})
    assert set(counts) == {"R43", "R36", "R24"}
    assert all(150 < count < 250 for count in counts.values())


def test_mark_the_new_or_an_older_resource() -> None:
    """§4.3 mark: one face-up resource of this planet, the new one or an older one, or none."""
    board = until("R32", SCAN, "scan", "spend N25")
    assert sorted(board.legal) == ["decline", "mark dark energel", "mark red gem", "mark water*"]
    assert board.clone().do("mark dark energel").marks(0) == "R32"
    assert board.clone().do("mark red gem").marks(0) == "R14"
    assert board.clone().do("mark water*").marks(0) == "R37"
    assert board.do("decline").marks(0) == ""
    assert board.whose == (0, 1)


def test_mark_is_exclusive() -> None:
    """§4.3 exclusive: what another player marked cannot be marked."""
    board = until("R32", {**SCAN, "marks": ["", "R14"]}, "scan", "spend N25")
    assert sorted(board.legal) == ["decline", "mark dark energel", "mark water*"]
    assert board.refuses("mark red gem")


def test_one_mark_in_the_game() -> None:
    """§4.3 one mark: a new one lifts the old one, wherever that is."""
    position = {**SCAN, "P06": (1, "R18"), "marks": ["R18"]}
    board = until("R32", position, "scan", "spend N25")
    assert board.marks(0) == "R18"
    assert board.do("mark water*").marks(0) == "R37"


def test_marks_stay() -> None:
    """§4.3 leaving: neither flying nor jumping nor declining lifts a mark."""
    position = {**SCAN, "P06": (1, "R18"), "marks": ["R18"]}
    board = until("R32", position, "scan", "spend N25")
    assert board.do("decline").marks(0) == "R18"
    board = table(at="P05", P05=(1, "R18"), marks=["R18"], hands=["N02 N48"])
    fly_to = board.targets("fly").split()[0]
    assert board.do(f"fly to {fly_to}").marks(0) == "R18"
    board = table(at="P05", P05=(1, "R18"), marks=["R18"], hands=["N02"])
    assert board.do("jump to P01").marks(0) == "R18"


def test_scan_scores_nothing() -> None:
    """§4.3 no points: a scan scores nothing and places no marker, even if an icon turns up."""
    board = until("R43", SCAN, "scan", "spend N25").do("mark fame*")
    assert board.markers == [0, 0, 0]
    assert board.session.to_json(0)["seats"][0]["public_points"] == 0


# --- §4.4 land and claim --------------------------------------------------------------------------


def test_claim_costs_two_cards() -> None:
    """§4.4 cost: two different cards, one for each landing code; wildcards serve for either."""
    board = table(at="P05", P05=(0, "R01"), hands=["N20 N21 N32 N33 N26"])  # 4, 1, W, W, 2
    board.do("claim")
    pairs = sorted(text.removeprefix("spend ") for text in board.legal)
    assert pairs == ["N20 N21", "N20 N32", "N20 N33", "N21 N32", "N21 N33", "N32 N33"]
    board.do("spend N20 N33")
    assert (board.hand(0), board["discard"]) == ("N21 N26 N32", ["N20", "N33"])
    assert "claim" not in table(at="P05", P05=(0, "R01"), hands=["N20"]).legal
    assert "claim" not in table(at="P05", P05=(0, "R01"), hands=["N20 N24 N28"]).legal  # 4, 4, 4


def test_claim_needs_no_scan() -> None:
    """§4.4 no own scan needed; an empty planet may be claimed too."""
    board = table(at="P05", P05=(0, ""), hands=["N20 N21"])
    board.do("claim")
    assert board.planet("P05") == (0, "", 0)
    assert board.whose == (0, 1)


def test_claim_effects_in_order() -> None:
    """§4.4 owner, §4.4 marked resources, §4.4 free pick, then the rest stays."""
    board = table(
        at="P05 P07 P01",
        P05=(0, "R01 R14 R18 R37"),
        marks=["R14", "R18"],
        hands=["N20 N21"],
    )
    board.do("claim")
    assert board.planet("P05") == (0, "R01 R37", 0)
    assert (board.collected(0), board.collected(1)) == ("R14", "R18")
    assert (board.marks(0), board.marks(1)) == ("", "")
    assert sorted(board.legal) == ["decline", "take sand", "take water*"]
    board.do("take sand")
    assert board.collected(0) == "R01 R14"
    assert board.planet("P05") == (0, "R37", 0)
    assert board.whose == (0, 1)


def test_claim_scores_four() -> None:
    """§4.4 four points for the planet."""
    board = table(at="P05", P05=(0, ""), hands=["N20 N21"], collected=["R01"]).do("claim")
    assert board.session.to_json(0)["seats"][0]["public_points"] == 1 + 4


def test_marks_on_other_planets_stay() -> None:
    """§4.4 marked resources: only those on the claimed planet are handed out."""
    board = table(
        at="P05", P05=(0, "R14"), P06=(1, "R18"), marks=["R18", "R14"], hands=["N20 N21"]
    ).do("claim")
    assert (board.marks(0), board.marks(1)) == ("R18", "")
    assert board.collected(1) == "R14"
    assert board.collected(0) == ""


def test_free_pick_is_optional() -> None:
    """§4.4 free pick: one unmarked resource or none, without a card."""
    position: Data = {"at": "P05", "P05": (0, "R01 R02 R14"), "hands": ["N20 N21 N40"]}
    board = table(**position).do("claim").do("decline")
    assert (board.collected(0), board.planet("P05")) == ("", (0, "R01 R02 R14", 0))
    board = table(**position).do("claim").do("take red gem")
    assert (board.collected(0), board.hand(0)) == ("R14", "N40")


def test_left_over_resources_are_free_for_all() -> None:
    """§4.4 left-overs stay and can be harvested by anybody."""
    board = table(at="P05 P05", P05=(0, "R01 R14"), hands=["N20 N21 N40", "N41 N42"]).do(
        "claim", "take red gem", "pass", "harvest at P05", "spend N41"
    )
    assert board.collected(1) == "R01"


# --- §4.5 harvest ---------------------------------------------------------------------------------


def test_harvest_the_marked_resource() -> None:
    """§4.5 own mark: even while face-down resources remain; unmarked ones not then."""
    board = table(at="P05", P05=(1, "R01 R14"), marks=["R14"], hands=["N40 N41"])
    board.do("harvest at P05", "spend N40")
    assert (board.collected(0), board.marks(0)) == ("R14", "")
    assert board.planet("P05") == (1, "R01", None)
    assert board.refuses("harvest at P05")
    assert "harvest at P05" not in table(at="P05", P05=(1, "R01"), hands=["N40"]).legal


def test_harvest_unmarked_resources() -> None:
    """§4.5 unmarked: if no face-down resource is there, claimed or not, by anyone."""
    for owner in (None, 0, 1):
        planet = (0, "R01 R14") if owner is None else (0, "R01 R14", owner)
        board = table(at="P05", P05=planet, hands=["N40 N41"]).do("harvest at P05")
        assert sorted(board.legal) == ["take red gem", "take sand"]
        board.do("take red gem", "spend N41")
        assert (board.collected(0), board.hand(0)) == ("R14", "N40")
        assert board.planet("P05")[1:] == ("R01", owner)


def test_harvest_marked_or_unmarked() -> None:
    """§4.5 choice: on an open planet the marked resource or an unmarked one."""
    board = table(at="P05", P05=(0, "R01 R14"), marks=["R14"], hands=["N40 N41"])
    board.do("harvest at P05")
    assert sorted(board.legal) == ["take marked", "take sand"]
    assert board.clone().do("take marked", "spend N40").collected(0) == "R14"
    board.do("take sand", "spend N40")
    assert (board.collected(0), board.marks(0)) == ("R01", "R14")


def test_harvest_never_takes_what_others_marked() -> None:
    """§4.5 other marks: never a resource marked by another player."""
    board = table(at="P05", P05=(0, "R14"), marks=["", "R14"], hands=["N40"])
    assert "harvest at P05" not in board.legal
    board = table(at="P05", P05=(0, "R14 R15"), marks=["", "R14"], hands=["N40 N41"])
    board.do("harvest at P05", "spend N40")
    assert (board.collected(0), board.planet("P05")[1]) == ("R15", "R14")


def test_harvest_costs_any_card() -> None:
    """§4.5 cost: any one card in both cases, so nothing with an empty hand."""
    for marks in ([], ["R14"]):
        board = table(at="P05", P05=(0, "R14"), marks=marks, hands=["N01 N18 N36"])
        assert board.do("harvest at P05").targets("spend") == "N01 N18 N36"
        assert table(at="P05", P05=(0, "R14"), marks=marks).targets("harvest") == ""


# --- §4.6 research --------------------------------------------------------------------------------


def test_research_any_subset() -> None:
    """§4.6 any subset of the hand, then draw until there are five."""
    board = table(hands=["N01 N02 N03"]).do("research")
    subsets = [
        " ".join(cards) for k in range(4) for cards in combinations(("N01", "N02", "N03"), k)
    ]
    assert sorted(board.legal) == sorted(f"discard {subset or 'nothing'}" for subset in subsets)
    deck = set(board["deck"])
    board.do("discard N01 N03")
    hand = set(board.hand(0).split())
    assert len(hand) == 5
    assert "N02" in hand
    assert hand - {"N02"} <= deck
    assert board["discard"] == ["N01", "N03"]
    assert set(board["deck"]) == deck - hand
    assert board.whose == (0, 1)


def test_research_with_a_full_hand() -> None:
    """§4.6 five cards: one has to discard at least one."""
    board = table(hands=["N01 N02 N03 N04 N05"]).do("research")
    assert len(board.legal) == 31
    assert board.refuses("discard nothing")
    assert len(board.do("discard N01 N02 N03 N04 N05").hand(0).split()) == 5


@pytest.mark.parametrize("card", ["N01", "N20", "N48"])
def test_research_draws_the_last_card_of_the_deck(card: str) -> None:
    """§4.6 any subset: the only card left in the deck is drawn, whichever it is."""
    hand = "N10 N11 N12 N13"
    discard = all_but(f"{hand} {card}")
    board = table(hands=[hand], deck=card, discard=discard).do("research", "discard nothing")
    assert sorted(board.hand(0).split()) == sorted([*hand.split(), card])
    assert board["deck"] == []
    assert board["discard"] == discard.split()


def test_research_reshuffles_the_discard_pile() -> None:
    """§4.6 empty deck: the discard pile, cards just discarded included, becomes the deck."""
    drawn: Counter[str] = Counter()
    for number in range(300):
        board = table(
            hands=["N01 N02 N03"],
            deck="N04 N05",
            discard=all_but("N01 N02 N03 N04 N05"),
            rng=random_word(number),
        ).do("research", "discard N01 N02 N03")
        hand = board.hand(0).split()
        assert len(hand) == 5
        assert {"N04", "N05"} <= set(hand)  # what was left of the deck comes first
        assert board["discard"] == []
        assert len(board["deck"]) == 43
        drawn.update(set(hand) - {"N04", "N05"})
    assert len(drawn) == 46  # each of the others can be drawn, N01 to N03 too
    assert sum(drawn[card] for card in ("N01", "N02", "N03")) < 300 * 9 / 46 * 1.5


def all_but(cards: str) -> str:
    return " ".join(card for k in range(1, 49) if (card := f"N{k:02}") not in cards.split())


def test_deck_and_discard_never_run_out_together() -> None:
    """§4.6 both empty: cannot be, five hands of five cards leave 23 of 48."""
    cards = all_but("")
    hands = [cards[20 * k : 20 * k + 19] for k in range(4)]
    board = table(5, turn=4, hands=hands, deck="N48", discard=cards[80 : 47 * 4 - 1])
    board.do("research")
    assert [len(hand) for hand in board["hands"]] == [5] * 5
    assert len(board["deck"]) + len(board["discard"]) == 48 - 25


# --- §5 collecting --------------------------------------------------------------------------------


def test_harvesting_collects() -> None:
    """§5 harvest: the card goes to the open pile; with an icon the collector gets a marker."""
    board = table(at="P05", P05=(0, "R13 R14"), hands=["N40 N41 N42"])
    board.do("harvest at P05", "take red gem", "spend N40")
    assert board.markers == [0, 0, 0]
    board.do("harvest at P05", "spend N41")
    assert (board.markers, board.collected(0)) == ([1, 0, 0], "R13 R14")


def test_distribution_collects() -> None:
    """§5 marked resources: the marker is of whoever gets the card, not of the claimer."""
    board = table(
        at="P05", P05=(0, "R13 R43 R14"), marks=["R14", "R13", "R43"], hands=["N20 N21"]
    ).do("claim")
    assert board.markers == [0, 1, 1]


def test_free_pick_collects() -> None:
    """§5 free pick: brings a marker too if it shows an icon."""
    board = table(at="P05", P05=(0, "R13 R14"), hands=["N20 N21"]).do("claim", "take red gem*")
    assert board.markers == [1, 0, 0]


def test_black_hole_is_no_place() -> None:
    """§5 not a location: no action goes there, and nothing else brings markers."""
    board = table(at="gate", hands=["N01"])
    session = board.session
    texts = [session.action_to_string(action) for action in range(GAME.actions.count)]
    assert not any("hole" in text for text in texts)
    board.do("jump to P05", "pass")
    assert board.markers == [0, 0, 0]


# --- §6 what players know -------------------------------------------------------------------------

KNOWN: Data = {
    "at": "P05 P06 gate",
    "P05": (2, "R14 R37"),
    "P06": (0, "R18", 1),
    "marks": ["R14"],
    "hands": ["N01 N02", "N03 N04 N05", "N06"],
    "hidden": ["R01 R02", "R03 R19", "R05 R06"],
    "collected": ["R13 R22", "R43"],
    "discard": "N40 N41",
}


def seen(board: Table, player: int) -> tuple[Data, bytes]:
    return board.session.to_json(player), board.session.observe(player).tobytes()


def test_open_information() -> None:
    """§6 known to all: planets, owners, face-up resources, marks, counts, piles, markers."""
    for player in range(3):
        view = table(**KNOWN).session.to_json(player)
        seat = [(other - player) % 3 for other in range(3)]
        by_name = {planet["planet"]: planet for planet in view["ring"]}
        assert list(by_name) == ["P05", "P06", "P01", "P02", "P03", "P04", "P07"]
        codes = [by_name["P05"][key] for key in ("jump", "scan", "landing")]
        assert codes == [2, 3, [1, 4]]
        assert by_name["P05"]["owner"] is None
        assert by_name["P06"]["owner"] == seat[1]
        assert by_name["P05"]["face_down"] == 2
        assert by_name["P05"]["face_up"] == [
            {"resource": "red gem", "mark": seat[0]},
            {"resource": "water*", "mark": None},
        ]
        seats = view["seats"]
        assert seats[seat[0]]["collected"] == {"red gem*": 1, "blue gem": 1}
        assert seats[seat[1]]["collected"]["fame*"] == 1
        assert [seats[k]["black_hole_markers"] for k in seat] == [1, 1, 0]
        assert [seats[k]["location"] for k in seat] == ["P05", "P06", "gate"]
        assert view["discard"] == ["N40", "N41"]
        assert view["deck_count"] == 48 - 6 - 2


def test_hidden_resources_are_secret() -> None:
    """§6 hidden resources: their owner knows them, the others how many."""
    board = table(**KNOWN)
    other = exchanged(board, "R03", "R24")  # R24 is face down or set aside
    assert seen(board, 0) == seen(other, 0)
    assert seen(board, 1) != seen(other, 1)
    seats = table(**KNOWN).session.to_json(1)["seats"]
    assert seats[0]["hidden"] == {"sand": 1, "white gem": 1}
    assert [seats[k]["hidden"] for k in (1, 2)] == [None, None]
    assert [seats[k]["hidden_count"] for k in (1, 2)] == [2, 2]


def test_hands_are_secret() -> None:
    """§6 navigation hand: its owner knows it, the others how many."""
    board = table(**KNOWN)
    other = exchanged(board, "N03", "N17")  # N17 is in the deck
    assert seen(board, 0) == seen(other, 0)
    assert seen(board, 1) != seen(other, 1)
    view = table(**KNOWN).session.to_json(0)
    assert [card["card"] for card in view["hand"]] == ["N01", "N02"]
    assert [seat["hand_count"] for seat in view["seats"]] == [2, 3, 1]


def test_nobody_knows_what_is_face_down_or_in_the_deck() -> None:
    """§6 known to nobody: face-down and set-aside resources, order of the deck."""
    board, other = table(**KNOWN), table(**KNOWN, rng="0x1234")
    for player in range(3):
        assert seen(board, player) == seen(other, player)
        text = str(board.session.to_json(player))
        assert not any(f"'{card}'" in text for card in board["unseen"])
        deck = set(board["deck"])
        assert not any(f"'{card}'" in text for card in deck)


# --- §7 the end -----------------------------------------------------------------------------------

SIX_ICONS = ["R43", "R44 R45", "R46 R47 R48"]  # markers 1, 2, 3


def test_end_by_the_black_hole() -> None:
    """§7.1 seven markers end the game at once, the second action is lost."""
    position: Data = {"at": "P05", "P05": (0, "R13"), "hands": ["N40 N41"]}
    board = table(**position, collected=SIX_ICONS).do("harvest at P05", "spend N40")
    assert board.result["reason"] == "black_hole"
    assert (board["turn_count"], board["current_player"], board.legal) == (0, 0, [])
    with pytest.raises(TabletopError, match="the game is over"):
        board.do("pass")
    # One marker fewer, and the game goes on.
    board = table(**position, collected=["", *SIX_ICONS[1:]]).do("harvest at P05", "spend N40")
    assert not board.session.is_over


def late(**changes: Any) -> Data:
    """Seven planets with nothing but R01 and R02 left, on P05; no markers count."""
    empty = {name: (0, "") for name in list(PLANETS)[:7] if name != "P05"}
    collected = [first("sand", 12)[8:], first("water", 6), first("light energel", 6)]
    base: Data = {"at": "P05", "P05": (0, "R01 R02"), "hands": ["N40 N41 N42 N43"], **empty}
    base |= {"collected": collected, "options": {"blackhole_limit": 48}}
    return base | changes


def test_end_without_resources() -> None:
    """§7.2 no resource left on any planet ends the game at once."""
    board = table(**late()).do("harvest at P05", "spend N40")
    assert not board.session.is_over
    board.do("harvest at P05", "spend N41")
    assert board.result["reason"] == "no_resources"
    board = table(**late(P05=(0, "R01"))).do("harvest at P05", "spend N40")
    assert board.result["reason"] == "no_resources"
    assert (board["turn_count"], board["actions_left"]) == (0, 0)
    # A resource that lies face down is left, too.
    board = table(**late(P05=(0, "R01"), P06=(1, ""))).do("harvest at P05", "spend N40")
    assert not board.session.is_over


def all_but_one_claimed(players: int = 3, **changes: Any) -> Data:
    """P01 is the last unclaimed planet; resources are left on P02."""
    count = SET_UP[players][0]
    planets: Data = {name: (0, "", k % players) for k, name in enumerate(list(PLANETS)[:count])}
    planets |= {"P01": (0, ""), "P02": (0, "R01 R02 R14 R15", 1)}
    collected = [first("sand", 12)[8:], first("water", 6), first("light energel", 6)]
    base: Data = {"players": players, "collected": collected[:players], **planets}
    base |= {"options": {"blackhole_limit": 48}}
    return base | changes


def turns_until_the_end(board: Table) -> list[int]:
    """Who takes each further action until the game is over."""
    actions = []
    while not board.session.is_over:
        actions.append(board["current_player"])
        board.do("pass")
    return actions


@pytest.mark.parametrize("players", SET_UP)
def test_final_turns(players: int) -> None:
    """§7.3 last claim: the turn is finished, everybody has one more, the claimer last."""
    hands = ["", "N21 N19"]  # landing 1 and 3
    for actions_left in (1, 2):
        position = all_but_one_claimed(players, at="P01 P01", turn=1, hands=hands)
        board = table(**position, actions_left=actions_left).do("claim")
        order = [(1 + k) % players for k in range(1, players + 1)]
        expected = [1] * (actions_left - 1) + [player for player in order for _ in range(2)]
        assert turns_until_the_end(board) == expected
        assert board.result["reason"] == "planets_claimed"
        assert board["turn_count"] == players + 1


def test_final_turns_are_full_turns() -> None:
    """§7.3 what can be done in final turns: everything."""
    hands = ["N40 N41", "N21 N19 N45", ""]
    position = all_but_one_claimed(at="P02 P01 P02", turn=1, hands=hands, actions_left=1)
    board = table(**position).do("claim", "pass", "pass")
    board.do("harvest at P02", "take sand", "spend N40", "harvest at P02")
    assert sorted(board.legal) == ["take red gem", "take sand"]


def test_final_turns_end_early() -> None:
    """§7.3 earlier: the Black Hole and the last resource end the game in final turns too."""
    hands = ["N40 N41", "N21 N19 N45", ""]
    changes: Data = {"at": "P02 P01 P02", "turn": 1, "hands": hands, "actions_left": 1}
    board = table(**all_but_one_claimed(**changes, P02=(0, "R16", 1)))
    board.do("claim", "pass", "pass", "harvest at P02", "spend N40")
    assert board.result["reason"] == "no_resources"
    # R25 and R37 are collected already, R13 is the third icon.
    changes |= {"options": {"blackhole_limit": 3}}
    board = table(**all_but_one_claimed(**changes, P02=(0, "R13 R16", 1)))
    board.do("claim", "pass", "pass", "harvest at P02", "take red gem*", "spend N40")
    assert board.result["reason"] == "black_hole"


def test_claim_that_overshoots_is_finished() -> None:
    """§7 completely: a claim that brings the seventh marker is carried out to the end."""
    board = table(
        at="P05", P05=(0, "R13 R14 R15"), marks=["", "R13"], hands=["N20 N21"], collected=SIX_ICONS
    ).do("claim")
    assert board.markers == [1, 3, 3]
    assert not board.session.is_over
    board.do("take red gem")
    assert board.result["reason"] == "black_hole"
    assert "R14" in board.collected(0)


def test_truncation() -> None:
    """§7 max_turns: the game is truncated and scored as it stands."""
    board = table(
        2,
        collected=["R22 R23", "R38"],
        hidden=["R01 R02", "R03 R04"],
        options={"max_turns": 40},
        turn_count=39,
    ).do("pass")
    assert not board.session.is_over
    board.do("pass")
    assert board.session.truncated
    assert not board.session.terminated
    assert board.result["reason"] == "max_turns"
    assert board.scores[0] == 2 * 2 + 3
    assert board["turn_count"] == 40
    for players in SET_UP:
        assert int(GAME.ruleset(players).record[0].max_turns) == 1000 * players


# --- §8 scoring -----------------------------------------------------------------------------------


def scored(collected: Sequence[Cards], hidden: Sequence[Cards], **more: Any) -> Data:
    """The result if the game is cut off now."""
    options = {"max_turns": 1, **more.pop("options", {})}
    board = table(
        len(collected), collected=collected, hidden=hidden, actions_left=1, options=options, **more
    )
    return board.do("pass").result


def by_black_hole(collected: Sequence[Cards], hidden: Sequence[Cards], **more: Any) -> Data:
    """The result if the last player harvests the seventh icon, R37, now."""
    board = table(
        len(collected),
        collected=collected,
        hidden=hidden,
        turn=len(collected) - 1,
        at=" ".join(["P05"] * len(collected)),
        P05=(0, "R37"),
        hands=[""] * (len(collected) - 1) + ["N40 N41"],
        **more,
    )
    return board.do("harvest at P05", "spend N40").result


def test_hidden_penalty() -> None:
    """§8.1 most markers: who has most discards the hidden resources, the others add them."""
    result = by_black_hole(["R43", "R44 R45", "R46 R47 R48"], ["R14 R15", "R18 R19", "R22 R23"])
    # Markers 1, 2, 4. Water 1 is 2 points; two gems of a colour are 4.
    assert result["scores"] == [5 + 4, 10 + 4, 15 + 2]
    assert result["winners"] == [2]


def test_hidden_penalty_of_all_tied() -> None:
    """§8.1 tied: all who have most discard."""
    result = by_black_hole(["R43", "R44 R45 R46", "R47 R48"], ["R14 R15", "R18 R19", "R22 R23"])
    assert result["scores"] == [5 + 4, 15, 10 + 2]  # markers 1, 3, 3


def test_hidden_penalty_whatever_ended_the_game() -> None:
    """§8.1 whatever ended it: markers at seven count at every end, below seven never."""
    result = scored(["R43 R44", "R45 R46 R47 R48"], ["R14 R15", "R18 R19"])
    assert result["scores"] == [10 + 4, 20 + 4]  # six markers: nobody discards
    position = late(
        P05=(0, "R13"),
        options={},
        collected=["R43 R44 R45", "R46 R47", "R48"],
        hidden=["R14 R15", "R18 R19", "R22 R23"],
    )
    result = table(**position).do("harvest at P05", "spend N40").result
    assert result["reason"] == "black_hole+no_resources"
    assert result["scores"][:2] == [15 + 1, 10 + 4]  # markers 4, 2, 1


def test_hidden_icons_bring_no_markers() -> None:
    """§8.1 hidden icons: no markers at the end."""
    result = scored(["R43 R44 R45", "R46 R47 R48"], ["R13 R17", "R21 R25"])
    assert result["scores"] == [15 + 2, 15 + 3]  # two colours: 2 * 1; a gem and an EnerGel: 1 + 2
    assert result["reason"] == "max_turns"


def test_resources_and_hidden_ones_are_scored_together() -> None:
    """§8.2 resources of all types, hidden ones with the collected ones."""
    result = scored(["R01 R14 R26 R38 R43", ""], ["R02 R32", "R03 R04"])
    # Sand 2: 3. Gem 1: 1. EnerGel pair: 7. Water 1: 2. Fame 1: 5.
    assert result["scores"] == [3 + 1 + 7 + 2 + 5, 3]


def test_planets_score_four() -> None:
    """§8.3 four for each claimed planet; cards, marks, scans and jumps score nothing."""
    assert [points("", planets=count) for count in range(6)] == [0, 4, 8, 12, 16, 20]
    result = scored(
        ["", ""],
        ["R14 R18", "R03 R04"],
        at="P05",
        P05=(2, "R15 R16"),
        marks=["R15"],
        hands=["N01 N02 N03 N04 N05"],
    )
    assert result["scores"] == [2, 3]


def test_highest_total_wins() -> None:
    """§8.4 most points win; equal points share the win."""
    assert scored(["R43", ""], ["R14 R18", "R03 R04"])["winners"] == [0]
    assert scored(["R43", "R44"], ["R01 R02", "R03 R04"])["winners"] == [0, 1]
    hidden = ["R01 R02", "R03 R04", "R05 R06"]
    assert scored(["R43", "R14", "R44"], hidden)["winners"] == [0, 2]
    assert scored(["R43", "R45", "R44"], hidden)["winners"] == [0, 1, 2]
    nothing = scored(["", ""], ["", ""], options={"two_player_hidden": 0})
    assert (nothing["scores"], nothing["winners"]) == ([0, 0], [0, 1])


def test_rewards_of_shared_wins() -> None:
    """§8.4 reward: what the losers lose is shared by the winners; nothing if all win."""
    hidden = ["R01 R02", "R03 R04", "R05 R06"]
    for collected, rewards in (
        (["R43", "R14", ""], [2.0, -1.0, -1.0]),
        (["R43", "R14", "R44"], [0.5, -1.0, 0.5]),
        (["R43", "R45", "R44"], [0.0, 0.0, 0.0]),
    ):
        board = table(
            collected=collected, hidden=hidden, actions_left=1, options={"max_turns": 1}
        ).do("pass")
        assert board.session.rewards() == rewards


# --- §9 examples ----------------------------------------------------------------------------------


def test_example_1() -> None:
    """§9 E1: 69 points."""
    gems = "R13 R14 R15 R21 R22 R17 R18"
    energel = "R25 R26 R27 R31"
    water, fame, sand = "R37 R38 R39", "R43 R44", "R01 R02 R03 R04"
    assert points(gems) == 21
    assert points(energel) == 11
    assert points(water) == 9
    assert points(fame) == 10
    assert points(sand) == 10
    assert points(" ".join((gems, energel, water, fame, sand)), planets=2) == 69


E2: Data = {
    "at": "P09 P05",
    "P05": (2, "R02 R37"),
    "P09": (2, "R18"),
    "marks": ["", "R18"],
    "hands": ["N04 N29 N40", "N25 N26 N30"],
    "turn": 1,
}


def test_example_2() -> None:
    """§9 E2: scan, mark, harvest; the mark on R18 is lifted."""
    board = until("R32", E2, "scan", "spend N25")
    assert board["discard"] == ["N25"]
    board.do("mark dark energel")
    assert board.marks(1) == "R32"
    assert board.planet("P05") == (1, "R02 R32 R37", None)
    board.do("harvest at P05")  # nothing else can be taken
    assert board.targets("spend") == "N26 N30"
    board.do("spend N30")
    assert board.collected(1) == "R32"
    # R18 is free, but P09 has face-down cards.
    board.do("pass", "pass")
    assert board["current_player"] == 0
    assert board.planet("P09") == (2, "R18", None)
    assert board.targets("harvest") == ""
    board.do("scan", "spend N29")  # scan 4
    assert "mark white gem" in board.legal


E3: Data = {
    "at": "P02 P01 P03",
    "P02": (0, "R05 R14 R31 R43"),
    "marks": ["R14", "R31"],
    "collected": ["R13", "R44 R45", "R46 R47 R48"],
    "hands": ["N22 N37 N01"],
    "hidden": ["R15 R16", "R18 R19", "R22 R23"],
}


@pytest.mark.parametrize(
    ("pick", "markers", "scores"),
    [
        # A: R13 and R14 with R15 and R16 are 4 * 4, planet 4. B: fame 10, dark EnerGel 2. C: 15.
        ("take sand", [1, 3, 3], [16 + 1 + 4, 12, 15]),
        ("take fame*", [2, 3, 3], [16 + 5 + 4, 12, 15]),
        ("decline", [1, 3, 3], [16 + 4, 12, 15]),
    ],
)
def test_example_3(pick: str, markers: list[int], scores: list[float]) -> None:
    """§9 E3: a claim brings the seventh marker; the pick is still asked, then the game ends."""
    board = table(**E3)
    assert board.markers == [1, 2, 3]
    board.do("claim")  # N22 and N37 are the only pair
    assert board["discard"] == ["N22", "N37"]
    assert board.planet("P02") == (0, "R05 R43", 0)
    assert board.collected(0) == "R13 R14"
    assert board.collected(1) == "R31 R44 R45"
    assert board.markers == [1, 3, 3]
    assert sorted(board.legal) == ["decline", "take fame*", "take sand"]
    board.do(pick)
    assert board.result["reason"] == "black_hole"
    assert board.markers == markers
    assert board.scores == scores
    assert board["turn_count"] == 0  # the second action is lost


def test_example_4() -> None:
    """§9 E4: 16 points with the hidden resources, 6 without."""
    hidden = ["R16 R32", "R01 R02", "R03 R04", "R05 R06"]
    kept = scored(["R13 R14 R25", "", "", ""], hidden)
    assert kept["scores"][0] == 16
    lost = by_black_hole(["R13 R14 R25", "R43 R44", "R45 R46", ""], hidden)
    assert lost["scores"][0] == 6  # markers 2, 2, 2, 1


def test_example_5() -> None:
    """§9 E5: B claims the seventh planet first; B, C, C, A, A, B, B act after that."""
    position = all_but_one_claimed(at="P01 P01 P02", turn=1, hands=["", "N21 N19"])
    board = table(**position)
    assert len(board["ring"]) == 7
    board.do("claim")
    assert board.whose == (1, 1)
    assert turns_until_the_end(board) == [1, 2, 2, 0, 0, 1, 1]
    assert board.result["reason"] == "planets_claimed"


def test_example_6() -> None:
    """§9 E6: only N11 has a jump code, a wildcard; its scan 3 is gone with it."""
    board = table(at="gate", hands=["N11 N18 N19 N24 N31"])
    jumps = [f"jump to {name}" for name in board["ring"]]
    assert sorted(board.legal) == sorted([*jumps, "pass", "research"])
    for name in board["ring"]:
        other = board.clone().do(f"jump to {name}")
        assert other["locations"][0] == name
        assert (other.hand(0), other["discard"]) == ("N18 N19 N24 N31", ["N11"])
    board.do("jump to P02")  # scan 3
    assert "scan" not in board.legal


# --- §11 what always holds ------------------------------------------------------------------------


def check_invariants(ruleset: Ruleset, data: Data) -> None:
    piles = [*data["face_up"], *data["hidden"], *data["collected"], data["removed"], data["unseen"]]
    cards = [card for pile in piles for card in pile]
    assert sorted(cards) == [f"R{k:02}" for k in range(1, 49)]
    set_aside = len(data["unseen"]) - sum(data["face_down"])
    hidden = sum(len(pile) for pile in data["hidden"])
    assert set_aside == 48 - 4 * len(data["ring"]) - hidden
    cards = [card for pile in (*data["hands"], data["deck"], data["discard"]) for card in pile]
    assert sorted(cards) == [f"N{k:02}" for k in range(1, 49)]
    assert max(len(hand) for hand in data["hands"]) <= 5
    for k, owner in enumerate(data["owners"]):
        assert owner is None or data["face_down"][k] == 0
    free = {k: set(up) for k, up in enumerate(data["face_up"]) if data["owners"][k] is None}
    for marks in data["marks"]:
        assert set(marks) <= set().union(*free.values())
        if ruleset.options.mark_scope == "global":
            assert len(marks) <= 1
        assert all(len(up & set(marks)) <= 1 for up in free.values())
    marked = [card for marks in data["marks"] for card in marks]
    assert len(marked) == len(set(marked))


def test_invariants() -> None:
    """§11 conservation, §11 hands, marks and planets: in random games with all options."""
    for ruleset, state in islice(random_positions("invariants"), 0, 12_000, 4):
        data = GAME.state_to_json(ruleset, state)
        check_invariants(ruleset, data)
        icons = {card.id for card in ruleset.tables.resources if card.has_black_hole_icon}
        for k, seat in enumerate(GAME.view_to_json(ruleset, state, 0)["seats"]):
            assert seat["black_hole_markers"] == len(icons & set(data["collected"][k]))


def test_random_games_end_by_the_rules() -> None:
    """§11 ends: random games end by a rule, and each of the three reasons occurs."""
    rng = Random("ends")
    reasons: Counter[str] = Counter()
    for players in SET_UP:
        session = Session(GAME.ruleset(players))
        for seed in range(40):
            session.reset(seed)
            while not session.is_over:
                session.step(choose(session.legal_actions(), rng))
            assert session.terminated
            reasons.update(session.result()["reason"].split("+"))
    assert set(reasons) == {"black_hole", "no_resources", "planets_claimed"}


# --- nothing is forgotten -------------------------------------------------------------------------

RULES = """
§1 players
§1 cards in the box
§1 planets used
§1 one ship and any number of markers
§1.1 resource cards
§1.1 counts
§1.1 gems
§1.1 EnerGel
§1.1 water
§1.1 fame
§1.1 sand
§1.2 navigation cards
§1.2 two codes
§1.2 one action for a card
§1.3 planets
§2 table of the set-up
§2.1 ring
§2.1 neighbours
§2.2 ships
§2.3 hidden
§2.4 resources
§2.5 five navigation cards
§2.6 a random player begins
§2.6 play goes clockwise
§3 two actions
§3 pass
§3 fly
§3 jump
§3 scan
§3 claim
§3 harvest
§3 research
§3 conditions
§4.1 neighbours only
§4.1 not from the Jump Gate
§4.2 any planet but the current one
§4.2 from the Jump Gate
§4.2 no marker and no points
§4.2 payment
§4.3 effect
§4.3 random
§4.3 mark
§4.3 exclusive
§4.3 one mark
§4.3 leaving
§4.3 no points
§4.4 cost
§4.4 no own scan needed
§4.4 owner
§4.4 marked resources
§4.4 free pick
§4.4 four points
§4.4 left-overs
§4.5 own mark
§4.5 unmarked
§4.5 choice
§4.5 other marks
§4.5 cost
§4.6 any subset
§4.6 five cards
§4.6 empty deck
§4.6 both empty
§5 harvest
§5 marked resources
§5 free pick
§5 no limit per player
§5 not a location
§6 known to all
§6 hidden resources
§6 navigation hand
§6 known to nobody
§6 what a perfect memory knows
§7.1 seven markers
§7.2 no resource left
§7.3 last claim
§7.3 what can be done in final turns
§7.3 earlier
§7 completely
§7 max_turns
§8.1 most markers
§8.1 tied
§8.1 whatever ended it
§8.1 hidden icons
§8.2 resources
§8.3 four for each claimed planet
§8.4 most points win
§8.4 reward
§9 E1
§9 E2
§9 E3
§9 E4
§9 E5
§9 E6
§10 deck=eights
§10 deck=nothing2010
§10 hidden_per_player
§10 two_player_hidden
§10 redeal_fame=False
§10 mark_scope=per_planet
§10 mark_optional=False
§10 scan_cost=any_card
§10 scan_cost=free
§10 harvest_cost=any_card_if_unmarked
§10 harvest_cost=free
§10 landing_rule=equal_pair
§10 fly_from_gate=True
§10 jump_target=not_adjacent
§10 harvest_where=anywhere
§10 blackhole_limit
§10 planet_points
§10 tie_break=fewest_blackhole_then_planets
§10 max_turns
§10 ruleset=print2010
§10 ruleset=space_mission
§11 conservation
§11 hands, marks and planets
§11 ends
§12 4.2 neighbours
§12 4.3 optional, and only on this planet
§12 4.3 moving the mark
§12 4.4 unordered pair
§12 4.5 where the ship is
§12 4.6 when to reshuffle
§12 4.6 five cards and no discard
§12 7 seventh marker during a claim
§12 7 the current turn is finished
§12 7 two reasons at once
§12 7 unit of max_turns
§12 8 otherwise
§12 8, 6 what is shown
§12 10 nothing2010
§12 10 eights
§12 10 fly_from_gate
§12 10 two_player_hidden
§12 10 equal_pair
§12 10 fewest_blackhole_then_planets
§12 10 per_planet
§12 11 length of random games
""".strip().splitlines()


def test_every_rule_is_named_by_a_test() -> None:
    assert unnamed_rules(RULES, "jumpgate") == []


def test_every_part_of_the_rulebook_is_listed() -> None:
    """The list above has something for each heading, option and ruling of RULES.md."""
    assert unlisted_sections(RULES, "jumpgate") <= {"4"}  # a heading without rules of its own
    text = rulebook("jumpgate")
    options = re.findall(r"^\| `(\w+)` \| [^|]* \| ([^|]*) \|", text, re.MULTILINE)
    assert len(options) == len(fields(Options))
    for option, others in options:
        words = re.findall(r'`"?(\w+)"?`', others)
        expected = [f"§10 {option}={word}" for word in words] or [f"§10 {option}"]
        if option != "ruleset":  # a path; files have tests of their own
            assert set(expected) <= set(RULES), option
    rulings = re.findall(r"^\| ([\d., ]+) \| ", text.partition("## 12.")[2], re.MULTILINE)
    listed = [rule for rule in RULES if rule.startswith("§12 ")]
    assert len(rulings) == len(listed)
    for section, rule in zip(rulings, listed, strict=True):
        assert rule.startswith(f"§12 {section} ")
