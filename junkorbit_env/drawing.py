"""The table as a picture: rings with cities, ships and tiles, players below."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tabletop_core.canvas import MIDDLE, Box, Drawing, Point
from tabletop_core.game import Json
from tabletop_core.scene import (
    EDGE,
    FAINT,
    HEADER,
    INK,
    MARGIN,
    PANEL,
    WIDTH,
    Scene,
    label,
    new_canvas,
    player_panel,
    ship,
    token,
)
from tabletop_core.text_picture import counted, listed

from .board_layout import Places, city_places
from .render import QUESTIONS, TIMES, announcement
from .sizes import RING_NAMES, STACK_NAMES

BOARD_TOP: Final = HEADER + 26
BOARD_HEIGHTS: Final = {3: 500.0, 4: 570.0, 5: 610.0}  # by number of rings
CELL: Final = (86.0, 68.0)
ROOM: Final = (88.0, 88.0)  # that a cell takes, with the ships on its upper edge
TITLE: Final = 17.0  # height of a city's name
TILE: Final = (82.0, 15.5)
MOST_TILES: Final = 3  # kinds that a cell has room for
SHIP_PITCH: Final = 17.0

ROW: Final = 68.0  # height of what a player has, with the gap below
LEFT_BLOCK: Final = 138.0  # width of a player's name and numbers
CARGO_COLUMNS: Final = 7
CARGO_TILE: Final = (89.0, 16.0)

# By ring: of the ring's line, and of names and destinations on it.
RING_LINES: Final = ("#5b8fc9", "#7d7d7d", "#c8694a", "#9467bd", "#5f9e5f")
RING_GROUNDS: Final = ("#cfe1f5", "#dedede", "#f6d5c8", "#e4d6f0", "#d5ead5")
STARTER_GROUND: Final = "#f5f0d8"


def draw(scene: Scene) -> Drawing:
    """A picture of the table, 800 wide; see `tabletop_core.scene.Scene`."""
    return _Painter(scene).drawing()


class _Painter:
    """Draws one scene."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.table = scene.table
        tables = scene.ruleset.tables
        cities = self.table["cities"]
        self.rings = {
            ring: names
            for ring, names in enumerate(tables.rings)
            if all(city in cities for city in names)
        }
        self.home = dict(zip(tables.cities, tables.homes, strict=True))
        bottom = BOARD_TOP + BOARD_HEIGHTS[len(self.rings)]
        frame = (MARGIN, BOARD_TOP, WIDTH - MARGIN, bottom)
        self.places: Places = city_places(tuple(self.rings.values()), frame, ROOM)
        self.players_top = bottom + 8
        height = self.players_top + scene.count * ROW + 2
        self.canvas = new_canvas(scene, height, self._question())

    def _question(self) -> str:
        return QUESTIONS.get(self.table["prompt"], "") + announcement(self.table["launch"])

    def drawing(self) -> Drawing:
        self._stacks()
        for ring, names in self.rings.items():
            points = [self.places[city] for city in names]
            self.canvas.polygon(points, stroke=RING_LINES[ring], line=5)
        for city in self.places:
            self._city(city)
        for player in range(self.scene.count):
            self._player(player)
        return self.canvas.drawing()

    # --- the board

    def _stacks(self) -> None:
        x, y = MARGIN, HEADER + 14
        for name in STACK_NAMES:
            ground = RING_GROUNDS[RING_NAMES.index(name)]
            words = f"{name} stack {counted(self.table['stacks'][name], 'tile')}"
            self.canvas.rect((x, y - 10, x + 140, y + 10), ground, EDGE)
            self.canvas.text((x + 70, y), words, 12, INK, MIDDLE)
            x += 148
        if self.table["final_turns_left"]:
            label(self.canvas, (x + 8, y), "final turns left", self.table["final_turns_left"])

    def _city(self, city: str) -> None:
        canvas = self.canvas
        x, y = self.places[city]
        left, top = x - CELL[0] / 2, y - CELL[1] / 2 + 10
        ring = self.home[city]
        tiles = self.table["cities"][city]
        with canvas.group(f"{city}: {listed(tiles, TIMES)}"):
            canvas.rect((left, top, left + CELL[0], top + CELL[1]), PANEL, RING_LINES[ring], 2, 5)
            canvas.rect((left, top, left + CELL[0], top + TITLE), RING_GROUNDS[ring], radius=4)
            canvas.text(
                (x, top + TITLE / 2), city, 12, INK, MIDDLE, is_bold=True, width=CELL[0] - 6
            )
            self._tiles_of(tiles, (left + 2, top + TITLE + 0.5))
            self._ships_at(city, (x, top - 9))

    def _tiles_of(self, tiles: Mapping[str, int], corner: Point) -> None:
        x, y = corner
        kinds = list(tiles.items())
        shown = kinds if len(kinds) <= MOST_TILES else kinds[: MOST_TILES - 1]
        for tile, count in shown:
            self._tile(tile, count, (x, y, x + TILE[0], y + TILE[1]))
            y += TILE[1] + 1
        more = sum(count for _, count in kinds[len(shown) :])
        if more:
            words = f"+ {counted(more, 'tile')}"
            self.canvas.text((x + TILE[0] / 2, y + TILE[1] / 2), words, 11, INK, MIDDLE)

    def _tile(self, tile: str, count: int, box: Box) -> None:
        """A tile: value, destination, and how many of them there are."""
        left, top, right, bottom = box
        value, _, destination = tile.partition(" to ")
        ground = STARTER_GROUND
        if destination:
            ground = RING_GROUNDS[self.home[destination]]
        else:
            value, _, destination = tile.partition(" ")
        middle = (top + bottom) / 2
        canvas = self.canvas
        canvas.rect(box, ground, "#8b8b8b", 1, 3)
        canvas.rect((left, top, left + 17, bottom), "#3c4650", radius=3)
        canvas.text((left + 8.5, middle), value, 12, "#ffffff", MIDDLE, is_bold=True)
        words = destination if count == 1 else f"{destination} x{count}"
        canvas.text((left + 19, middle), words, 11.5, INK, width=right - left - 20)

    def _ships_at(self, city: str, centre: Point) -> None:
        scene = self.scene
        there = [player for player in range(scene.count) if scene.seat_of(player)["ship"] == city]
        x, y = centre
        x -= (len(there) - 1) * SHIP_PITCH / 2
        for player in there:
            ship(self.canvas, (x, y), player)
            x += SHIP_PITCH

    # --- players

    def _player(self, player: int) -> None:
        canvas, scene = self.canvas, self.scene
        seat = scene.seat_of(player)
        top = self.players_top + player * ROW
        left = MARGIN
        with canvas.group(f"player {player}{_deliveries(seat)}"):
            player_panel(canvas, scene, player, (left, top, WIDTH - MARGIN, top + ROW - 6))
            token(canvas, (left + 24, top + 15), player)
            canvas.text((left + 38, top + 15), f"player {player}", 14, INK, is_bold=True)
            points = "?" if seat["points"] is None else seat["points"]
            used = label(canvas, (left + 16, top + 33), "points", points)
            tiles = seat["delivery_count"]
            label(canvas, (left + 26 + used, top + 33), "delivered", tiles)
            power = f", power {seat['power']}" if seat["power"] else ""
            words = f"on {seat['ship']}{power}"
            canvas.text((left + 16, top + 51), words, 12, FAINT, width=LEFT_BLOCK - 14)
            self._cargo(seat["cargo"], (left + LEFT_BLOCK + 8, top + 4))

    def _cargo(self, cargo: Mapping[str, int], corner: Point) -> None:
        most = 3 * CARGO_COLUMNS
        kinds = list(cargo.items())
        shown = kinds if len(kinds) <= most else kinds[: most - 1]
        for k in range(len(shown) + (len(shown) < len(kinds))):
            row, column = divmod(k, CARGO_COLUMNS)
            x = corner[0] + column * (CARGO_TILE[0] + 2)
            y = corner[1] + row * (CARGO_TILE[1] + 2)
            if k < len(shown):
                self._tile(*shown[k], (x, y, x + CARGO_TILE[0], y + CARGO_TILE[1]))
            else:
                more = sum(count for _, count in kinds[k:])
                self.canvas.text((x + 4, y + CARGO_TILE[1] / 2), f"+ {counted(more, 'tile')}", 11)


def _deliveries(seat: Json) -> str:
    """What a player has delivered, if it is known."""
    if seat["deliveries"] is None:
        return ""
    return f", delivered: {listed(seat['deliveries'], TIMES)}"
