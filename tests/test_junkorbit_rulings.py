"""Junk Orbit's options, ship powers (RULES.md §8 to §10) and rulings (§13), by positions.

Each test names its rule as listed in test_junkorbit_rules.py. Positions are written as there;
expected outcomes are written by hand, from the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rule_checks import Data
from test_junkorbit_rules import (
    BOARDS,
    COUNTER,
    EXAMPLE,
    HEADINGS,
    HOMES,
    KINDS,
    RINGS,
    TILE_LIST,
    Table,
    landings,
    last_turn,
    names,
    new_games,
    ring_map,
    rules,
    table,
    tiles,
)

from junkorbit_env import junkorbit_v0
from junkorbit_env.junkorbit_v0 import GAME
from tabletop_core.errors import TabletopError
from tabletop_core.game import Array, Ruleset
from tabletop_core.session import Session


def shipped_text() -> str:
    """The shipped tables as a file."""
    return GAME.export_ruleset(rules(5).tables)


def with_tables(folder: Path, text: str, players: int = 5, **options: Any) -> Ruleset:
    path = folder / "my.ruleset"
    path.write_text(text, encoding="utf-8")
    return GAME.ruleset(players, ruleset=str(path), **options)


# --- §1.4, §2.4: tables of one's own --------------------------------------------------------------


def test_mirrored_rings(tmp_path: Path) -> None:
    """§1.4 rings of one's own: with all rings reversed, clockwise and back change places."""
    text = shipped_text()
    rings = ring_map("default", RINGS[5])
    for name, cities in rings.items():
        line = f"{name},{'; '.join(cities)}\n"
        assert text.count(line) == 1
        text = text.replace(line, f"{name},{'; '.join(reversed(cities))}\n")
    ruleset = with_tables(tmp_path, text)
    data = table(5, cargo=["5 to Bradbury, 3 to Earth-7"]).session.to_json()
    del data["ruleset"]
    for city in HOMES:
        data["ships"][0] = city
        for tile, value in (("5 to Bradbury", 5), ("3 to Earth-7", 3)):
            found = Table.load(ruleset, data).do(f"launch {tile}").landings
            for heading, sense in HEADINGS.items():
                assert found[heading] == landings(rings, city, -sense, value)


WRONG_RINGS = [
    ("PHOBOS,Bradbury; Phobos-1; Phobos-2; Phobos-3", "PHOBOS,Bradbury; Phobos-1; Phobos-2"),
    ("PHOBOS,Bradbury; Phobos-1; Phobos-2; Phobos-3", "PHOBOS,Bradbury; A; Cairo; Phobos-3"),
    ("PHOBOS,Bradbury; Phobos-1; Phobos-2; Phobos-3", "PHOBOS,Bradbury; A; A; Phobos-3"),
    ("DEIMOS,Hellas; Deimos-1; Deimos-2", "DEIMOS,Bradbury; Deimos-1; Deimos-2"),
    ("DEIMOS,Hellas; Deimos-1; Deimos-2", "DEIMOS,Hellas; ; Deimos-2"),
    ("MOON,Kepler; Moon-1", "MOON,Rome; Moon-1"),
]


@pytest.mark.parametrize(("old", "new"), WRONG_RINGS)
def test_wrong_rings(old: str, new: str, tmp_path: Path) -> None:
    """§1.4 rings of one's own: sizes, shared cities, Kepler and names are checked."""
    text = shipped_text()
    assert text.count(old) == 1
    with pytest.raises(TabletopError, match=r"RULES\.md §1\.\d"):
        with_tables(tmp_path, text.replace(old, new))


WRONG_TILES = [
    ("EARTH,Kepler,2,2\n", ""),  # 36 Earth tiles
    ("EARTH,Kepler,2,2\n", "EARTH,Cairo,2,2\n"),  # to the board it comes from
    ("EARTH,Phobos-1,4,3\n", "EARTH,Phobos-1,3,3\n"),
    ("MOON,Deimos-1,5,3\n", "MOON,Deimos-1,4,3\n"),
    ("EARTH,Kepler,2,2\n", "EARTH,Kepler,2,13\n"),
    ("EARTH,Kepler,2,2\n", "EARTH,Kepler,2,0\n"),
]


@pytest.mark.parametrize(("old", "new"), WRONG_TILES)
def test_wrong_tiles(old: str, new: str, tmp_path: Path) -> None:
    """§2.4 tiles of one's own: numbers, destinations, marks and values are checked."""
    text = shipped_text()
    assert text.count(old) == 1
    with pytest.raises(TabletopError, match=r"RULES\.md §2\.\d"):
        with_tables(tmp_path, text.replace(old, new))


def test_required_tiles(tmp_path: Path) -> None:
    """§2.4 tiles of one's own: a 4 to Tharsis from Earth or Moon, two tiles to Hamilton."""
    text = shipped_text()
    no_four = text.replace("EARTH,Tharsis,2,2 3 4", "EARTH,Tharsis,2,2 3 3")
    no_four = no_four.replace("MOON,Tharsis,2,2 4", "MOON,Tharsis,2,2 5")
    one = text.replace("EARTH,Hamilton,2,2\n", "").replace("EARTH,Kepler,2,2", "EARTH,Kepler,2,2 4")
    one = one.replace("MARS,Hamilton,2,1 2 3 5", "MARS,Hamilton,2,5")
    one = one.replace("MARS,Kepler,2,1 2 3 5", "MARS,Kepler,2,1 2 3 5 4 4 4")
    for changed in (no_four, one):
        with pytest.raises(TabletopError, match=r"RULES\.md §2\.\d"):
            with_tables(tmp_path, changed)
    with_tables(tmp_path, text.replace("EARTH,Tharsis,2,2 3 4", "EARTH,Tharsis,2,2 3 3"))


def test_an_empty_stack_at_set_up(tmp_path: Path) -> None:
    """§4 an empty stack: gives nothing at set-up, which does not trigger the end; a refill does."""
    text = re.sub(r"(?m)^(MOON,[\w -]+),[24],", r"\1,5,", shipped_text())
    ruleset = with_tables(tmp_path, text, players=2)
    session = Session(ruleset)
    for seed in range(5):
        session.reset(seed)
        board = Table(session)
        assert board["stacks"]["MOON"] == []
        assert all(board.city(city) == [] for city in BOARDS["MOON"])
        assert [len(cargo) for cargo in board["cargo"]] == [5, 5]
        assert board["final_turns_left"] == 0
        player = board["turn_player"]
        board.do("launch 1 starter", "clockwise, land on Moon-1")
        assert board["ships"][player] == "Moon-6"
        if board["prompt"] == "deliver":  # a tile to Moon-6 was dealt
            board.do("keep the rest")
        assert board["final_turns_left"] == 1
        board.finish_turn()
        assert board.session.terminated


# --- §8 ship powers -------------------------------------------------------------------------------

SIDE_A: Data = {"ship_powers": "A"}
SIDE_B: Data = {"ship_powers": "B"}


def with_power(ship: str, side: Data, players: int = 3, seat: int = 0, **more: Any) -> Table:
    """A position where one player has this ship and the others those that change nothing here."""
    others = [f"S{number}" for number in (1, 4, 2, 3, 5) if f"S{number}" != ship]
    powers = others[: players - 1]
    powers.insert(seat, ship)
    return table(players, powers=", ".join(powers), options=side, **more)


def test_powers_are_off_by_default() -> None:
    """§8 ship_powers=A, §8 ship_powers=B: ships have powers only with these options."""
    assert next(new_games(3, 1))["powers"] is None
    for side in (SIDE_A, SIDE_B):
        data = next(new_games(3, 1, **side))
        assert len(set(data["powers"])) == 3
        seat = Session(rules(3, **side))
        seat.reset(0)
        view = seat.to_json(1)
        assert [s["power"] for s in view["seats"]] == [data["powers"][k] for k in (1, 2, 0)]
    # The powers of side A are not those of side B.
    board = with_power("S3", SIDE_B, at="Kepler", cargo=["4 to Mars-2, 1 starter"])
    board.do("launch 4 to Mars-2", "clockwise, land on Tharsis")
    assert board.moves == {"Hamilton", "New York"}


def test_sharp_turn() -> None:
    """§8 S1 Sharp turn: a ship that changes rings may go on in either sense; junk may not."""
    board = with_power("S1", SIDE_A, at="Kepler", cargo=["4 to Mars-2, 5 to Hellas"])
    four = board.clone().do("launch 4 to Mars-2")
    assert four.landings == {
        "clockwise": {"Copernicus", "Tharsis"},
        "counter-clockwise": {"Hamilton", "New York"},
    }
    other = four.clone().do("counter-clockwise, land on Hamilton")
    assert other.moves == {"Copernicus", "Tharsis", "Mars-2"}
    other = four.do("clockwise, land on Copernicus")
    assert other.moves == {"Hamilton", "New York", "Earth-7"}
    five = board.do("launch 5 to Hellas", "clockwise, land on Kilimanjaro")
    assert five.moves == {"Olympus", "Earth-3", "Earth-6"}


def test_sharp_turn_at_the_start() -> None:
    """§8 S1 Sharp turn: also where the trip starts, but never back along its own ring."""
    board = with_power("S1", SIDE_A, at="Olympus", cargo=["1 starter, 2 starter"])
    board.do("launch 1 starter", "clockwise, land on Moon-1")
    # Counter-clockwise: Mars-8 on Mars; Hamilton, or by a sharp turn Moon-1, on the Moon.
    assert board.moves == {"Mars-8", "Hamilton", "Moon-1"}
    plain = with_power("S2", SIDE_A, at="Olympus", cargo=["1 starter, 2 starter"])
    plain.do("launch 1 starter", "clockwise, land on Moon-1")
    assert plain.moves == {"Mars-8", "Hamilton"}


def test_any_port() -> None:
    """§8 S2 Any port: direct delivery of tiles to neighbours of the city too, on any ring."""
    cargo = "4 to Mars-2, 2 to Earth-1, 3 to Earth-3, 1 to New York, 2 to Earth-4, 1 to Cairo"
    board = with_power("S2", SIDE_A, at="Kepler", cargo=[cargo], cities={"New York": "3 to Mars-1"})
    board.do("launch 4 to Mars-2", "clockwise, land on Copernicus", "move to New York")
    assert set(board.legal) == {
        "deliver 2 to Earth-1",
        "deliver 3 to Earth-3",
        "deliver 1 to New York",
        "keep the rest",
    }
    board.do("deliver 3 to Earth-3", "keep the rest")
    assert board.points(0) == 3
    assert board.cargo(0) == tiles(
        "2 to Earth-1, 1 to New York, 2 to Earth-4, 1 to Cairo, 3 to Mars-1"
    )


def test_any_port_on_a_transfer_city() -> None:
    """§8 S2 Any port: a transfer city has neighbours on both rings; only direct deliveries."""
    cargo = "2 starter, 2 to Earth-1, 1 to Cairo, 3 to Copernicus, 1 to Moon-6, 1 to Kilimanjaro"
    board = with_power("S2", SIDE_A, at="Kepler", cargo=[f"{cargo}, 2 to Kepler, 2 to Hamilton"])
    board.do("launch 2 starter", "clockwise, land on Olympus")
    assert board["ships"][0] == "Kilimanjaro"
    assert set(board.legal) == {
        *(f"deliver {tile}" for tile in names(cargo)[1:]),
        "keep the rest",
    }
    board = with_power("S2", SIDE_A, at="Kepler", cargo=["2 to Earth-1, 1 starter"])
    board.do("launch 2 to Earth-1", "counter-clockwise, land on Kilimanjaro")
    assert board.deliveries(0) == []
    assert "2 to Earth-1" in board.city("Kilimanjaro")


def test_overthrust() -> None:
    """§8 S3 Overthrust: the ship moves v or v + 1 steps, junk only v."""
    board = with_power("S3", SIDE_A, at="Kepler", cargo=["4 to Mars-2, 1 starter"])
    board.do("launch 4 to Mars-2")
    assert board.landings["clockwise"] == {"Copernicus", "Tharsis"}
    board.do("clockwise, land on Copernicus")
    assert board.moves == {"Hamilton", "New York", "Olympus", "Earth-3"}
    board.do("move to Earth-3")
    assert board["ships"][0] == "Earth-3"


def test_overthrust_by_a_twelve(tmp_path: Path) -> None:
    """§8 S3 Overthrust: thirteen steps after a 12."""
    text = shipped_text().replace("EARTH,Kepler,2,2\n", "EARTH,Kepler,2,12\n")
    ruleset = with_tables(tmp_path, text, **SIDE_A)
    start = with_power("S3", SIDE_A, 5, cargo=["E28, 1 starter"]).session.to_json()
    del start["ruleset"]
    rings = ring_map("default", RINGS[5])
    for city in HOMES:
        start["ships"][0] = city
        board = Table.load(ruleset, start).do("launch 12 to Kepler")
        landing = sorted(board.landings["clockwise"] - {"Earth-4"})[0]
        board.do(f"clockwise, land on {landing}")
        expected = landings(rings, city, COUNTER, 12) | landings(rings, city, COUNTER, 13)
        assert board.moves == expected


BEAM: Data = {
    "at": "Kepler",
    "cargo": ["4 to Mars-2, 1 starter"],
    "cities": {
        "New York": "3 to Mars-1",
        "Earth-1": "2 starter, 1 to New York, 2 to Mars-4",
        "Earth-3": "1 to Mars-2",
        "Earth-4": "1 to Mars-5, 2 to Mars-5",
    },
}


def test_tractor_beam() -> None:
    """§8 S4 Tractor beam: one tile from one neighbour with two or more, before the refill."""
    board = with_power("S4", SIDE_A, **BEAM)
    earth = board.left("EARTH")
    board.do("launch 4 to Mars-2", "clockwise, land on Tharsis", "move to New York")
    assert board.asked == ("beam", 0)
    assert set(board.legal) == {"beam from Earth-1", "beam nothing"}
    assert board.cargo(0) == tiles("1 starter, 3 to Mars-1")
    assert board.city("New York") == []
    assert board.left("EARTH") == earth
    nothing = board.clone().do("beam nothing")
    assert nothing["turn_player"] == 1
    assert nothing.cargo(0) == tiles("1 starter, 3 to Mars-1")
    board.do("beam from Earth-1")
    assert board.asked == ("beam_tile", 0)
    assert set(board.legal) == {"beam 2 starter", "beam 1 to New York", "beam 2 to Mars-4"}
    board.do("beam 1 to New York")
    for one in (board, nothing):
        assert [tile[0] for tile in one["cities"]["New York"]] == ["E"]
        assert one.left("EARTH") == earth - 1
        assert one.deliveries(0) == []  # no delivery after the pick-up
    assert board.cargo(0) == tiles("1 starter, 3 to Mars-1, 1 to New York")
    assert board.city("Earth-1") == tiles("2 starter, 2 to Mars-4")
    assert board["turn_player"] == 1


def test_tractor_beam_on_a_transfer_city() -> None:
    """§8 S4 Tractor beam: neighbours on all rings in play; equal tiles are one choice."""
    pair = {
        "Mars-2": "1 starter, 1 starter",
        "Mars-4": "1 to Kepler, 2 to Kepler",
        "Phobos-1": "1 to Earth-3, 3 to Earth-3",
        "Phobos-3": "1 to Earth-5, 2 to Earth-5",
        "Mars-1": "1 to Cairo, 2 to Cairo",
    }
    board = with_power("S4", SIDE_A, 4, at="Mars-4", cargo=["1 starter, 2 starter"], cities=pair)
    board.do("launch 1 starter", "clockwise, land on Mars-5")
    assert board["ships"][0] == "Bradbury"
    assert board.legal == [
        "beam from Mars-2",
        "beam from Mars-4",
        "beam from Phobos-1",
        "beam from Phobos-3",
        "beam nothing",
    ]
    board.do("beam from Mars-2")  # two equal tiles: nothing to choose
    assert board.city("Mars-2") == ["1 starter"]
    assert board["turn_player"] == 1
    del pair["Phobos-1"], pair["Phobos-3"]
    board = with_power("S4", SIDE_A, 3, at="Mars-4", cargo=["1 starter, 2 starter"], cities=pair)
    board.do("launch 1 starter", "clockwise, land on Mars-5")
    assert set(board.legal) == {"beam from Mars-2", "beam from Mars-4", "beam nothing"}


def test_tractor_beam_without_cargo() -> None:
    """§8 S4 Tractor beam, §6 D1 no cargo: also in a turn without a launch, before its trigger."""
    board = with_power(
        "S4",
        SIDE_A,
        seat=1,
        at="Mars-4, New York",
        cargo=["1 starter, 2 starter", ""],
        cities=BEAM["cities"],
        left={"EARTH": 0},
    )
    board.do("launch 1 starter", "clockwise, land on Mars-5")
    assert board.asked == ("beam", 1)
    assert board["turn_player"] == 1
    assert board["final_turns_left"] == 0
    board.do("beam from Earth-1", "beam 2 starter")
    assert board.cargo(1) == tiles("2 starter, 3 to Mars-1")
    assert board["final_turns_left"] == 2


def test_no_beam_without_two_tiles() -> None:
    """§8 S4 Tractor beam: nothing is asked if no neighbour has two tiles."""
    board = with_power("S4", SIDE_A, at="Kepler", cargo=["2 starter, 1 starter"])
    board.do("launch 2 starter", "clockwise, land on Olympus")
    assert board["turn_player"] == 1


def test_armour() -> None:
    """§8 S5 Armour: a victim may ignore the hit, also with a single tile."""
    for tiles_left in ("2 to New York", "2 to New York, 1 starter"):
        board = with_power(
            "S5",
            SIDE_A,
            seat=1,
            at="Kepler, Copernicus, Copernicus",
            cargo=["4 to Mars-2, 1 starter", tiles_left, "1 starter, 2 starter"],
        ).do("launch 4 to Mars-2", "clockwise, land on Copernicus")
        drops = [f"drop {tile} from cargo" for tile in names(tiles_left)]
        assert set(board.legal) == {*drops, "ignore the hit"}
        hit = board.clone().do("drop 2 to New York from cargo")
        assert "2 to New York" not in hit.cargo(1)
        board.do("ignore the hit")
        assert board.cargo(1) == tiles(tiles_left)
        for one in (board, hit):  # the other victim has no armour
            assert one.asked == ("hit", 2)
            assert set(one.legal) == {"drop 1 starter from cargo", "drop 2 starter from cargo"}


def test_armour_with_nothing_to_drop() -> None:
    """§8 S5 Armour, §6 D2 no tile: nothing is asked."""
    board = with_power(
        "S5", SIDE_A, seat=1, at="Kepler, Copernicus", cargo=["4 to Mars-2, 1 starter", ""]
    ).do("launch 4 to Mars-2", "clockwise, land on Copernicus")
    assert board.asked == ("move", 0)


RAM: Data = {
    "at": "Kepler, Hamilton, Hamilton",
    "cargo": ["4 to Mars-2, 2 to Hamilton", "3 to Hamilton, 1 starter", "2 starter, 1 to Cairo"],
    "cities": {"Hamilton": "2 to Earth-7"},
}


def test_ram() -> None:
    """§8 S1 Ram: opponents where the ship stops are hit, before direct delivery."""
    board = with_power("S1", SIDE_B, **RAM)
    board.do("launch 4 to Mars-2", "clockwise, land on Tharsis", "move to Hamilton")
    assert board.asked == ("hit", 1)
    assert (board["hit_cause"], board["victims"]) == ("ram", [2])
    assert board["ships"][0] == "Hamilton"
    board.do("drop 3 to Hamilton from cargo")
    assert board.asked == ("hit", 2)
    board.do("drop 1 to Cairo from cargo")
    # What was dropped lies on the city: it cannot be delivered, but is picked up.
    assert board.asked == ("deliver", 0)
    assert board.city("Hamilton") == tiles("2 to Earth-7, 3 to Hamilton, 1 to Cairo")
    assert board.legal == ["deliver 2 to Hamilton", "keep the rest"]
    board.do("deliver 2 to Hamilton")
    assert board.cargo(0) == tiles("2 to Earth-7, 3 to Hamilton, 1 to Cairo")
    assert board.points(0) == 2


def test_ram_by_a_full_loop_and_launch_hits() -> None:
    """§8 S1 Ram: after the hits of the launch; also where a full loop ends, not without a move."""
    board = with_power(
        "S1",
        SIDE_B,
        5,
        at="Deimos-1, Deimos-1",
        cargo=["3 to Earth-7, 1 starter", "1 starter, 2 starter, 1 to Cairo"],
    ).do("launch 3 to Earth-7", "clockwise, land on Deimos-1")
    assert (*board.asked, board["hit_cause"]) == ("hit", 1, "launch")
    board.do("drop 1 to Cairo from cargo", "move to Deimos-1")
    assert (*board.asked, board["hit_cause"]) == ("hit", 1, "ram")
    board.do("drop 2 starter from cargo")
    assert board.cargo(1) == ["1 starter"]
    board = with_power(
        "S1", SIDE_B, seat=1, at="Mars-4, Cairo, Cairo", cargo=["1 starter, 2 starter", ""]
    ).do("launch 1 starter", "clockwise, land on Mars-5")
    assert board["turn_player"] == 2  # player 1 has picked up without moving, no hit
    assert board["turn_count"] == 2
    assert len(board.cargo(2)) == 3


def test_boarders() -> None:
    """§8 S2 Boarders: tiles given up to one's launch go to one's cargo, and may be delivered."""
    board = with_power(
        "S2",
        SIDE_B,
        at="Kepler, Copernicus, Copernicus",
        cargo=["4 to Mars-2, 1 starter", "2 to Hamilton, 1 starter", "2 starter"],
        deliveries=["", "", "5 to Bradbury"],
        cities={"Copernicus": "2 to Earth-7"},
    ).do("launch 4 to Mars-2", "clockwise, land on Copernicus")
    board.do("drop 2 to Hamilton from cargo")
    assert board.cargo(0) == tiles("1 starter, 2 to Hamilton")
    board.do("drop 5 to Bradbury from deliveries")
    assert board.cargo(0) == tiles("1 starter, 2 to Hamilton, 5 to Bradbury")
    assert board.points(2) == 0
    assert board.city("Copernicus") == tiles("2 to Earth-7, 4 to Mars-2")
    board.do("move to Hamilton")
    assert board.legal == ["deliver 2 to Hamilton", "keep the rest"]
    board.do("deliver 2 to Hamilton")
    assert board.points(0) == 2


def test_aimed_shot() -> None:
    """§8 S3 Aimed shot: the shooter chooses from the cargo; without cargo the victim chooses."""
    board = with_power(
        "S3",
        SIDE_B,
        4,
        at="Kepler, Copernicus, Copernicus, Copernicus",
        cargo=["4 to Mars-2, 1 starter", "2 to Hamilton, 1 starter", "", "2 to New York"],
        deliveries=["", "3 to Earth-7", "5 to Bradbury, 1 to Cairo", "4 to Tharsis"],
        cities={"Copernicus": "2 to Earth-7"},
    ).do("launch 4 to Mars-2", "clockwise, land on Copernicus")
    assert board.asked == ("aim", 0)
    assert board["victim"] == 1
    assert set(board.legal) == {"make player 1 drop 2 to Hamilton", "make player 1 drop 1 starter"}
    board.do("make player 1 drop 2 to Hamilton")
    assert board.asked == ("hit", 2)
    assert set(board.legal) == {
        "drop 5 to Bradbury from deliveries",
        "drop 1 to Cairo from deliveries",
    }
    board.do("drop 1 to Cairo from deliveries")
    # Player 3 has a single tile in its cargo: no question, and its delivery is safe.
    assert board.asked == ("move", 0)
    assert board.cargo(3) == []
    assert board.points(3) == 4
    assert board.cargo(1) == ["1 starter"]
    assert board.city("Copernicus") == tiles(
        "2 to Earth-7, 4 to Mars-2, 2 to Hamilton, 1 to Cairo, 2 to New York"
    )


def test_through_shot() -> None:
    """§8 S4 Through shot: opponents on passed cities are hit too and drop where they are."""
    board = with_power(
        "S4",
        SIDE_B,
        5,
        at="Kepler, Copernicus, Mars-8, Olympus, Kepler",
        cargo=[
            "4 to Mars-2, 1 starter",
            "2 to Hamilton, 1 starter",
            "1 starter, 2 to Kepler",
            "1 starter, 1 to Cairo",
            "1 starter, 2 starter",
        ],
        cities={"Olympus": "2 to Cairo", "Copernicus": "2 to Earth-7"},
    )
    moon = board.clone().do("launch 4 to Mars-2", "clockwise, land on Copernicus")
    assert moon.asked == ("hit", 1)
    assert moon["victims"] == [3]  # clockwise, whatever the cities; Kepler is not passed
    moon.do("drop 2 to Hamilton from cargo")
    assert moon.asked == ("hit", 3)
    moon.do("drop 1 to Cairo from cargo")
    assert moon.asked == ("move", 0)
    assert moon.city("Copernicus") == tiles("2 to Earth-7, 4 to Mars-2, 2 to Hamilton")
    assert moon.city("Olympus") == tiles("2 to Cairo, 1 to Cairo")
    # The trip to Tharsis passes Moon-1, Olympus and Mars-8.
    mars = board.do("launch 4 to Mars-2", "clockwise, land on Tharsis")
    assert mars.asked == ("hit", 2)
    assert mars["victims"] == [3]
    mars.do("drop 2 to Kepler from cargo", "drop 1 starter from cargo")
    assert mars.asked == ("move", 0)
    assert "2 to Kepler" in mars.city("Mars-8")
    assert "1 starter" in mars.city("Olympus")


def test_through_shot_around_a_small_ring() -> None:
    """§8 S4 Through shot: once per launch; the start counts if the path comes round to it."""
    board = with_power(
        "S4",
        SIDE_B,
        5,
        at="Deimos-1, Deimos-1, Hellas, Deimos-2, Tharsis",
        cargo=["4 to Mars-2, 1 starter", *(["1 starter, 2 starter"] * 4)],
    ).do("launch 4 to Mars-2")
    assert board.landings["clockwise"] == {"Deimos-2", "Mars-4"}
    board.do("clockwise, land on Deimos-2")  # Deimos-2, Hellas, Deimos-1, Deimos-2
    asked = []
    while board["prompt"] == "hit":
        asked.append(board["current_player"])
        board.do("drop 2 starter from cargo")
    assert asked == [1, 2, 3]
    assert board.asked == ("move", 0)
    for city, player in (("Deimos-1", 1), ("Hellas", 2), ("Deimos-2", 3)):
        assert "2 starter" in board.city(city)
        assert board.cargo(player) == ["1 starter"]


PAYBACK: Data = {
    "seat": 1,
    "at": "Kepler, Copernicus",
    "cargo": ["4 to Copernicus, 1 starter", "2 to New York, 1 starter"],
    "cities": {"Kepler": "2 to Earth-7", "Copernicus": "1 to Hellas"},
}


def test_payback() -> None:
    """§8 S5 Payback: the shooter drops a tile of its choice on its own city, right after."""
    board = with_power("S5", SIDE_B, **PAYBACK)
    board.do("launch 4 to Copernicus", "clockwise, land on Copernicus")
    assert board.asked == ("hit", 1)
    board.do("drop 2 to New York from cargo")
    assert board.asked == ("payback", 0)
    assert (board["turn_player"], board["victim"]) == (0, 1)
    assert set(board.legal) == {
        "drop 1 starter from cargo",
        "drop 4 to Copernicus from deliveries",
    }
    other = board.clone().do("drop 1 starter from cargo")
    assert other.city("Kepler") == tiles("2 to Earth-7, 1 starter")
    assert other.points(0) == 4
    board.do("drop 4 to Copernicus from deliveries")
    assert board.city("Kepler") == tiles("2 to Earth-7, 4 to Copernicus")
    assert board.points(0) == 0
    assert board.city("Copernicus") == tiles("1 to Hellas, 2 to New York")
    for one in (board, other):
        assert one.asked == ("move", 0)
        assert one.moves == {"Hamilton", "New York"}


def test_payback_between_two_victims() -> None:
    """§8 S5 Payback, §8 S4 Through shot: victim, payback, next victim, then the move."""
    board = with_power(
        "S5",
        SIDE_B,
        4,
        seat=1,
        at="Copernicus, Olympus, Copernicus, Kepler",
        turn=3,
        cargo=["1 starter, 2 starter"] * 3 + ["4 to Mars-2, 1 to Cairo, 2 to Kepler"],
    )
    assert board["powers"][3] != "S4"
    data = board.session.to_json()
    data["powers"] = ["S2", "S5", "S3", "S4"]
    board = Table.load(board.session.ruleset, data)
    board.do("launch 4 to Mars-2", "clockwise, land on Copernicus")
    asked = []
    for text in ("2 starter", "1 starter", "1 to Cairo", "1 starter"):
        asked.append((*board.asked, board["victim"]))
        board.do(f"drop {text} from cargo")
    assert asked == [("hit", 0, 0), ("hit", 1, 1), ("payback", 3, 1), ("hit", 2, 2)]
    assert board.asked == ("move", 3)
    assert "1 to Cairo" in board.city("Kepler")


def test_payback_with_nothing_to_drop() -> None:
    """§8 S5 Payback: also if the victim has no tile; nothing if the shooter has none."""
    board = with_power("S5", SIDE_B, **(PAYBACK | {"cargo": ["4 to Copernicus, 1 starter", ""]}))
    board.do("launch 4 to Copernicus", "clockwise, land on Copernicus")
    assert board.asked == ("payback", 0)
    board.do("drop 1 starter from cargo")
    assert board.city("Kepler") == tiles("2 to Earth-7, 1 starter")
    position = PAYBACK | {"cargo": ["4 to Mars-2", "2 to New York, 1 starter"]}
    board = with_power("S5", SIDE_B, **position)
    board.do("clockwise, land on Copernicus", "drop 1 starter from cargo")
    assert board.asked == ("move", 0)


def test_payback_for_a_ram() -> None:
    """§8 S5 Payback, §8 S1 Ram: the city is then the one where the ship has stopped."""
    board = table(**RAM, powers="S1, S2, S5", options=SIDE_B)
    board.do("launch 4 to Mars-2", "clockwise, land on Tharsis", "move to Hamilton")
    board.do("drop 1 starter from cargo", "drop 1 to Cairo from cargo")
    # The only tile left is dropped on Hamilton, and picked up again with all others.
    assert board["turn_player"] == 1
    assert board.points(0) == 0
    assert board.cargo(0) == tiles("1 starter, 1 to Cairo, 2 to Earth-7, 2 to Hamilton")


def test_payback_and_aimed_shot() -> None:
    """§8 S5 Payback, §8 S3 Aimed shot: one chooses for the other, then for oneself."""
    board = table(
        powers="S3, S5, S1",
        options=SIDE_B,
        **{key: value for key, value in PAYBACK.items() if key != "seat"},
    ).do("launch 4 to Copernicus", "clockwise, land on Copernicus")
    assert board.asked == ("aim", 0)
    board.do("make player 1 drop 2 to New York")
    assert board.asked == ("payback", 0)


# --- §1.4: which of several paths -----------------------------------------------------------------

LONG_TILES = {  # rows of the shipped table and the same ones with long trips
    "EARTH,Kepler,2,2\n": "EARTH,Kepler,2,9\n",
    "EARTH,Moon-1,2,3\n": "EARTH,Moon-1,2,12\n",
    "EARTH,Copernicus,2,3\n": "EARTH,Copernicus,2,11\n",
    "EARTH,Moon-6,2,1\n": "EARTH,Moon-6,2,10\n",
}
LONG = {9: "9 to Kepler", 10: "10 to Moon-6", 11: "11 to Copernicus", 12: "12 to Moon-1"}
LONG_IDS = "E28, E32, E31, E29"
Trip = tuple[tuple[str, str], ...]  # city and the ring on which it was reached


def ringed_trips(
    rings: dict[str, list[str]], city: str, ring: str, sense: int, steps: int
) -> Iterator[Trip]:
    if steps == 0:
        yield ()
        return
    for name, cities in rings.items():
        if city in cities:
            there = sense if name == ring else -sense
            after = cities[(cities.index(city) + there) % len(cities)]
            for rest in ringed_trips(rings, after, name, there, steps - 1):
                yield ((after, name), *rest)


def changes(home: str, trip: Trip) -> int:
    """Number of changes of the ring, one at the start included."""
    on = [home, *(ring for _, ring in trip)]
    return sum(before != after for before, after in zip(on, on[1:], strict=False))


def stay(home: str, trip: Trip) -> int:
    """Steps before the first change; 0 if the trip starts on the ring that is not the home ring."""
    return next((k for k, (_, ring) in enumerate(trip) if ring != home), len(trip))


def the_path(home: str, options: list[Trip]) -> Trip:
    """§1.4: the path that counts."""
    best = min((changes(home, trip), -stay(home, trip)) for trip in options)
    (path,) = (t for t in options if (changes(home, t), -stay(home, t)) == best)
    return path


def test_which_path_counts(tmp_path: Path) -> None:
    """§1.4 several paths, §8 S4 Through shot: fewest changes, then longest on the first ring."""
    text = shipped_text()
    for old, new in LONG_TILES.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    ruleset = with_tables(tmp_path, text, **SIDE_B)
    start = with_power("S4", SIDE_B, 5, cargo=[LONG_IDS]).session.to_json()
    del start["ruleset"]
    rings = ring_map("default", RINGS[5])
    checked = 0
    for city, (value, tile) in [(c, item) for c in HOMES for item in LONG.items()]:
        for heading, sense in HEADINGS.items():
            by_landing: dict[str, list[Trip]] = {}
            for trip in ringed_trips(rings, city, HOMES[city], sense, value):
                by_landing.setdefault(trip[-1][0], []).append(trip)
            for landing, options in by_landing.items():
                if len(options) < 2:
                    continue
                on_path = {name for name, _ in the_path(HOMES[city], options)}
                for other in sorted({name for trip in options for name, _ in trip}):
                    data = {**start, "ships": [city, other, "Earth-4", "Earth-4", "Earth-4"]}
                    board = Table.load(ruleset, data)
                    board.do(f"launch {tile}", f"{heading}, land on {landing}")
                    is_hit = board["prompt"] == "hit" and board["current_player"] == 1
                    assert is_hit == (other in on_path), (city, tile, heading, landing, other)
                    checked += 1
    assert checked > 500


# --- §9, §10, §13: options ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("boards", "players", "extra", "stacks", "left"),
    [
        ("phobos", 2, ["PHOBOS"], (35, 27, 47), (24, 20, 33)),
        ("deimos", 2, ["DEIMOS"], (34, 26, 47), (23, 19, 34)),
        ("phobos+deimos", 3, ["PHOBOS", "DEIMOS"], (37, 29, 47), (25, 21, 30)),
        ("deimos", 4, ["DEIMOS"], (37, 29, 47), (24, 20, 29)),
        ("phobos", 4, [], (35, 27, 47), (22, 18, 31)),
        ("phobos+deimos", 5, [], (37, 29, 47), (23, 19, 28)),
    ],
)
def test_extra_boards(
    boards: str, players: int, extra: list[str], stacks: tuple[int, ...], left: tuple[int, ...]
) -> None:
    """§9 boards=phobos, §9 boards=deimos, §9 boards=phobos+deimos, §13 0 further options."""
    on_table = [*RINGS[players], *extra]
    cities = [city for board, own in BOARDS.items() if board in on_table for city in own]
    data = next(new_games(players, 1, boards=boards))
    assert list(data["cities"]) == cities
    assert all(len(lying) == 1 for lying in data["cities"].values())
    assert tuple(len(pile) for pile in data["stacks"].values()) == left
    piles = [*data["cities"].values(), *data["cargo"], *data["stacks"].values()]
    in_play = [tile for pile in piles for tile in pile]
    assert tuple(sum(t[0] == letter for t in in_play) for letter in "EMR") == stacks
    for _, city, mark, value in TILE_LIST:
        is_in_play = mark <= players or HOMES[city] in on_table
        assert (f"{value} to {city}" in {KINDS[tile] for tile in in_play}) == is_in_play


@pytest.mark.parametrize(
    ("option", "value"),
    [("board_side", "night"), ("variant", "coop_limit3"), ("variant", "tourists")],
)
def test_what_is_not_available(option: str, value: str) -> None:
    """§9 board_side=night, §10 variant=coop_limit3, §10 variant=tourists: refused with the reason.

    Nothing is invented in their place.
    """
    with pytest.raises(TabletopError) as error:
        GAME.ruleset(3, **{option: value})
    message = str(error.value)
    assert "not available" in message
    assert f"{option} = '{value}'" in message
    assert "known" in message  # why


@pytest.mark.parametrize("seat", [0, 2])
def test_hidden_deliveries(seat: int) -> None:
    """§7 deliveries_visible=False, §13 0 further options: only counts; at the end all is shown."""
    deliveries = ["4 to Tharsis", "5 to Bradbury, 1 to Cairo", "3 to Earth-7"]
    options = {"deliveries_visible": False}
    board = last_turn(3, deliveries=deliveries, options=options)
    seats = board.session.to_json(seat)["seats"]
    for k, shown in enumerate(seats):
        player = (seat + k) % 3
        assert shown["delivery_count"] == len(names(deliveries[player]))
        is_own = player == seat
        expected = dict.fromkeys(names(deliveries[player]), 1)
        assert shown["deliveries"] == (expected if is_own else None)
        assert (shown["points"] is None) == (not is_own)
    board.finish_turn()
    seats = board.session.to_json(seat)["seats"]
    assert [shown["points"] for shown in seats] == [(4, 6, 3)[(seat + k) % 3] for k in range(3)]
    assert seats[1]["deliveries"] == dict.fromkeys(names(deliveries[(seat + 1) % 3]), 1)


def test_turn_cap() -> None:
    """§7 max_turns: truncates at the end of a turn, paid by the position as it stands."""
    board = table(2, deliveries=["", "2 to Earth-7"], options={"max_turns": 3})
    board.finish_turn().finish_turn()
    assert not board.session.is_over
    board.finish_turn()
    assert board.session.truncated
    assert not board.session.terminated
    assert board["turn_count"] == 3
    assert board.result["reason"] == "max_turns"
    assert (board.result["scores"], board.result["winners"]) == ([0, 2], [1])


def test_the_rules_end_a_game_before_the_cap() -> None:
    """§7 max_turns: in the turn in which the rules end the game it is not truncated."""
    board = last_turn(2, turn_count=4, options={"max_turns": 5}).finish_turn()
    assert board.session.terminated
    assert not board.session.truncated
    assert board.result["reason"] == "stack_empty"


# --- §13 rulings ----------------------------------------------------------------------------------


def test_rings_of_launch_and_ship() -> None:
    """§13 5 a ship on a transfer city: a launch along one ring does not fix the ship's ring."""
    for city in ("Moon-1", "Mars-1"):
        board = table(at="Olympus", cargo=["1 starter, 2 starter"]).do("launch 1 starter")
        board.do(f"clockwise, land on {city}")
        assert board.moves == {"Mars-8", "Hamilton"}


def test_both_headings_to_one_city() -> None:
    """§13 6 D1 both headings lead to one city: two actions, the ship leaves the opposite way."""
    for heading, moves in (
        ("clockwise", {"Deimos-1", "Mars-8"}),
        ("counter-clockwise", {"Deimos-1", "Mars-5"}),
    ):
        board = table(5, at="Deimos-1", cargo=["3 to Earth-7, 1 starter"])
        board.do("launch 3 to Earth-7", f"{heading}, land on Deimos-1")
        assert board["launch"]["heading"] == heading
        assert board.moves == moves


def test_later_victims_know() -> None:
    """§13 6 D2 several victims: one after the other; the second sees what the first dropped."""
    board = table(
        at="Kepler, Copernicus, Copernicus",
        cargo=["4 to Mars-2, 1 starter", "2 to New York, 1 starter", "1 starter, 2 starter"],
        cities={"Copernicus": "2 to Earth-7"},
    ).do("launch 4 to Mars-2", "clockwise, land on Copernicus")
    assert board.asked == ("hit", 1)
    board.do("drop 2 to New York from cargo")
    assert board.asked == ("hit", 2)
    view = board.session.to_json(2)
    assert view["cities"]["Copernicus"] == {"2 to New York": 1, "2 to Earth-7": 1, "4 to Mars-2": 1}
    assert view["seats"][2]["cargo"] == {"1 starter": 1}
    assert (view["current_seat"], view["turn_seat"], view["victim"]) == (0, 1, 0)
    assert view["launch"] == {
        "tile": "4 to Mars-2",
        "heading": "clockwise",
        "landing": "Copernicus",
    }


def hit_in_the_last_turn(**options: Any) -> Table:
    """Player 0 has triggered the end, player 1 has had the last turn; player 2 can hit both."""
    return last_turn(
        at="Kepler, Kepler, Moon-6",
        cargo=["2 to New York", "3 to Earth-7", "1 starter, 2 starter"],
        deliveries=["5 to Bradbury", "4 to Tharsis"],
        options=options,
    )


LAST_HITS = [  # who decides, and what
    (2, "launch 1 starter"),
    (2, "clockwise, land on Kepler"),
    (0, "drop 5 to Bradbury from deliveries"),
    (1, "drop 3 to Earth-7 from cargo"),
]


def test_hits_after_the_last_turn() -> None:
    """§13 6 D2, 7 a hit on the player who triggered the end: it decides, and may lose points.

    So does one who has had the last turn.
    """
    board = hit_in_the_last_turn()
    for player, text in LAST_HITS:
        assert not board.session.is_over
        assert board["current_player"] == player
        assert board["turn_player"] == 2
        board.do(text)
    assert board.session.terminated
    assert board.session.current_player == 2
    assert board.scores == [0, 4, 0]
    assert board.result["winners"] == [1]


def test_full_loop_delivery() -> None:
    """§13 6 D3 the ship comes back to X: it has stopped there, so tiles to X may be delivered."""
    board = table(
        5,
        at="Deimos-1",
        cargo=["3 to Earth-7, 2 to Deimos-1, 3 to Deimos-1"],
        cities={"Deimos-1": "1 to Kepler"},
    ).do("launch 3 to Earth-7", "clockwise, land on Deimos-1", "move to Deimos-1")
    assert board.asked == ("deliver", 0)
    board.do("deliver 3 to Deimos-1", "keep the rest")
    assert board.points(0) == 3
    assert board.cargo(0) == tiles("2 to Deimos-1, 1 to Kepler, 3 to Earth-7")


def test_equal_tiles() -> None:
    """§13 6 D4 two tiles of a kind: any number of them; the lowest number goes first."""
    assert KINDS["R32"] == KINDS["R33"] == "2 to Moon-1"
    for count in range(3):
        board = table(at="Kepler", cargo=["1 starter, 2 to Moon-1, 2 to Moon-1"])
        board.do("launch 1 starter", "counter-clockwise, land on Moon-6")
        for _ in range(count):
            assert board.legal == ["deliver 2 to Moon-1", "keep the rest"]
            board.do("deliver 2 to Moon-1")
        if count < 2:
            board.do("keep the rest")
        assert board["deliveries"][0] == ["R32", "R33"][:count]
        assert board.points(0) == 2 * count
        assert board["turn_player"] == 1


@pytest.mark.parametrize(("first", "second"), [("E24", "M23"), ("M01", "R04"), ("R32", "R33")])
def test_lowest_number_first(first: str, second: str) -> None:
    """§13 6 what tells two tiles apart: of a kind that is named the lowest number is taken."""
    kind = KINDS[first]
    assert kind == KINDS[second]
    cargo = f"{second}, {first}, 2 starter"
    board = table(at="Kepler", cargo=[cargo]).do(f"launch {kind}")
    assert board["launch"]["tile"] == first
    for place in ("cargo", "deliveries"):
        pile = f"{second}, {first}"
        board = table(
            at="Kepler, Copernicus",
            cargo=["4 to Earth-6, 1 starter", pile if place == "cargo" else "2 starter"],
            deliveries=["", pile if place == "deliveries" else "5 to Bradbury"],
        ).do("launch 4 to Earth-6", "clockwise, land on Copernicus")
        board.do(f"drop {kind} from {place}")
        assert first in board["cities"]["Copernicus"]
        assert board[place][1] == [second]


# --- victims decide out of turn: every view -------------------------------------------------------


def test_out_of_turn_in_a_session() -> None:
    """§6 D2 out of turn: the current player is the victim; others have no legal action."""
    board = table(**EXAMPLE).do("launch 4 to Tharsis", "clockwise, land on Copernicus")
    session = board.session
    assert session.current_player == 1
    assert board["turn_player"] == 0
    assert [int(session.legal_action_mask(k).sum()) for k in range(3)] == [0, 2, 0]
    assert session.to_json(1)["current_seat"] == 0
    assert session.to_json(0)["current_seat"] == 1
    assert session.to_json(0)["turn_seat"] == 0


def test_out_of_turn_in_aec() -> None:
    """§6 D2 out of turn: AEC's agent selection goes to the victims, and back."""
    env = junkorbit_v0.env(num_players=3)
    env.reset(seed=1)
    env.from_json(hit_in_the_last_turn().session.to_json())
    for player, text in LAST_HITS:
        assert env.agent_selection == f"player_{player}"
        observation, reward, terminated, truncated, _ = env.last()
        assert observation is not None
        assert (reward, terminated, truncated) == (0, False, False)
        assert int(observation["action_mask"].sum()) >= 2
        for agent in env.agents:
            mask = env.observe(agent)["action_mask"]
            assert bool(mask.any()) == (agent == env.agent_selection)
        env.step(env.string_to_action(text))
    assert all(env.terminations.values())
    assert env.rewards == {"player_0": -1, "player_1": 2, "player_2": -1}
    board = table(**EXAMPLE)
    env.reset(seed=1)
    env.from_json(board.session.to_json())
    selected = []
    for text in (
        "launch 4 to Tharsis",
        "clockwise, land on Copernicus",
        "drop 2 to New York from cargo",
        "move to New York",
    ):
        selected.append(env.agent_selection)
        env.step(env.string_to_action(text))
    # Player 1 has no cargo now, so its turn is played; then player 2 launches.
    assert selected == ["player_0", "player_0", "player_1", "player_0"]
    assert env.agent_selection == "player_2"


def test_out_of_turn_in_the_vector_engine() -> None:
    """§6 D2 out of turn: the vector engine's current player, mask and observation are theirs."""
    board = hit_in_the_last_turn()
    session = board.session
    engine = junkorbit_v0.make_vec(2, num_players=3, autoreset="disabled")
    engine.restore(np.concatenate([session.state, session.state]))
    for player, text in LAST_HITS:
        assert engine.current_player.tolist() == [player, player]
        action = session.string_to_action(text)
        for lane in range(2):
            assert np.array_equal(engine.action_mask[lane], session.legal_action_mask(player))
            assert np.array_equal(engine.observation[lane], session.observe(player))
        engine.step(np.array([action, action]))
        session.step(action)
    assert engine.terminated.all()
    assert engine.rewards.tolist() == [[-1, 2, -1]] * 2
    engine.close()


@pytest.mark.parametrize("seat", [0, 1])
def test_out_of_turn_for_one_seat(seat: int) -> None:
    """§6 D2 out of turn: the single-agent view asks its seat when it is hit."""
    played: list[str] = []

    def bot(observation: dict[str, Array], player: int, rng: np.random.Generator) -> int:
        whose, text = LAST_HITS[len(played)]
        assert player == whose
        assert observation["action_mask"].sum() >= 2
        played.append(text)
        return env.session.string_to_action(text)

    env = junkorbit_v0.single_agent(num_players=3, seat=seat, opponents=bot)
    env.from_json(hit_in_the_last_turn().session.to_json())
    whose, text = LAST_HITS[len(played)]
    assert whose == seat == env.session.current_player
    assert env.action_masks().sum() == 2
    assert np.array_equal(env.observe()["observation"], env.session.observe(seat))
    played.append(text)
    _, reward, terminated, truncated, info = env.step(env.string_to_action(text))
    assert played == [text for _, text in LAST_HITS]
    assert (reward, terminated, truncated) == ((-1, 2)[seat], True, False)
    assert (info["winners"], info["player"]) == ([1], seat)
