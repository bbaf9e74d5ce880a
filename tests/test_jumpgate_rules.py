"""Jump Gate by its rulebook: hand-written positions for every rule of RULES.md, §§1 to 9 and 11.

Options (§10) and rulings (§12) have tests of their own in test_jumpgate_rulings.py. The docstring
of each test begins with the rule it proves, as listed in `RULES`; the last test of this file finds
rules that no test names. Expected outcomes are written by hand, from the rules.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.resources import files
from itertools import combinations, islice, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from jumpgate_positions import choose, random_positions

from jumpgate_env.jumpgate_v0 import GAME
from tabletop_core.errors import TabletopError
from tabletop_core.game import Ruleset
from tabletop_core.session import Session

Data = dict[str, Any]

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
    *({"jump": a, "scan": b} for a, b in JUMP_SCAN.split()),
    *({"scan": a, "land": b} for a, b in SCAN_LAND.split()),
    *({"jump": a, "land": b} for a, b in JUMP_LAND.split()),
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


class Table:
    """A position that is played in words."""

    def __init__(self, ruleset: Ruleset, data: Data) -> None:
        self.session = Session(ruleset)
        self.session.from_json(data)

    def do(self, *texts: str) -> Table:
        """Play actions; forced ones are played without being named."""
        for text in texts:
            self.session.step(self.session.string_to_action(text))
        return self

    def refuses(self, *texts: str) -> bool:
        """Whether each of these actions is refused and changes nothing."""
        before = self.session.serialize()
        for text in texts:
            with pytest.raises(TabletopError, match="may not play"):
                self.do(text)
        return self.session.serialize() == before

    @property
    def legal(self) -> list[str]:
        return [self.session.action_to_string(action) for action in self.session.legal_actions()]

    def targets(self, verb: str) -> str:
        """The last words of the legal actions of one kind, for example planets of jumps."""
        return " ".join(sorted(text.split()[-1] for text in self.legal if text.startswith(verb)))

    def __getitem__(self, key: str) -> Any:
        return self.session.to_json()[key]

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

    @property
    def result(self) -> Data:
        return self.session.result()

    @property
    def scores(self) -> list[float]:
        return list(self.result["scores"])

    def clone(self) -> Table:
        other = Table.__new__(Table)
        other.session = self.session.clone()
        return other


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
    ruleset = GAME.ruleset(players, **(options or {}))
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
    return Table(ruleset, {**data, **more})


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
    for word in range(1, 2_000):
        board = table(**position, rng=hex(word)).do(*texts)
        if any(card in cards for cards in board["face_up"]):
            return board
    raise AssertionError(f"{card} never turns up")


def points(cards: Cards, players: int = 2, planets: int = 0, **options: Any) -> float:
    """What player 0 scores with these collected resources and planets and nothing hidden."""
    claimed: Data = {name: (0, "", 0) for name in list(PLANETS)[:planets]}
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
    for players in (0, 1, 6, -2, True, 2.0, "2"):
        with pytest.raises(TabletopError, match="for 2 to 5 players"):
            GAME.ruleset(players)  # type: ignore[arg-type]


def test_boxes() -> None:
    """§1 cards in the box: 12 planets, 48 resources, 48 navigation cards."""
    tables = GAME.ruleset(2).tables
    sizes = len(tables.planets), len(tables.resources), len(tables.navigation)
    assert sizes == (12, 48, 48)


def test_markers_are_not_counted_out() -> None:
    """§1 markers without limit; §5 no limit per player: all twelve icons with one player."""
    icons = [f"R{k:02}" for k, name in enumerate(RESOURCES, start=1) if name.endswith("*")]
    board = table(collected=[" ".join(icons[:-1])], P01=(0, icons[-1]), at="P01", hands=["N01 N02"])
    # Eleven markers would have ended the game, so this takes another limit.
    raise AssertionError(board)


