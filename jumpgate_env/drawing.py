"""The table as a picture: planets in a circle, the Black Hole in the middle, players below."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from tabletop_core.canvas import END, MIDDLE, Box, Canvas, Drawing, Point
from tabletop_core.game import Json
from tabletop_core.scene import (
    DARK,
    EDGE,
    FAINT,
    HEADER,
    INK,
    MARGIN,
    PANEL,
    PLAYER_COLOURS,
    WIDTH,
    Scene,
    flag,
    label,
    new_canvas,
    player_panel,
    ship,
    token,
)
from tabletop_core.text_picture import counted

from .render import QUESTIONS, announcement
from .sizes import TYPE_NAMES

PLANET: Final = (178.0, 88.0)  # width and height
RADII: Final = (WIDTH / 2 - MARGIN - PLANET[0] / 2, 190.0)  # of the circle of planets
CENTRE: Final = (WIDTH / 2, HEADER + 12 + PLANET[1] / 2 + RADII[1])
BOARD_END: Final = CENTRE[1] + RADII[1] + PLANET[1] / 2 + 24
ROW: Final = 74.0  # height of what a player has, with the gap below
FOOTER: Final = 18.0
BLACK_HOLE: Final = (CENTRE[0], CENTRE[1] - 72)
GATE: Final = (CENTRE[0], CENTRE[1] + 56)
LEGEND: Final = "disc: mark, square: owner, pentagon: ship, black dot: black-hole icon, W: wildcard"
HAND_LEFT: Final = MARGIN + 242  # of the hands
COLLECTED_LEFT: Final = WIDTH - MARGIN - 6 * 52 - 4
MOST_SLOTS: Final = 12  # of the Black Hole that are drawn one by one
SLOT: Final = 22.0

CARD: Final = (43.0, 56.0)
CARD_CODES: Final = ("jump", "scan", "land")
CHIP: Final = (40.0, 20.0)
COUNTED_CHIP: Final = 51.0  # width of a chip with a number
HIDDEN_CHIPS: Final = 4  # that have room in their line
COLLECTED_COLUMNS: Final = 6

# Ground and text of each type of resource, see `TYPE_NAMES`.
CHIP_COLOURS: Final = (
    ("#e3cf9f", INK),
    ("#b3312c", "#ffffff"),
    ("#ffffff", INK),
    ("#1f4e9c", "#ffffff"),
    ("#c8e6a0", INK),
    ("#2c5a2e", "#ffffff"),
    ("#7fd0e8", INK),
    ("#f5c518", INK),
    ("#c9c9c9", INK),
)
CHIP_WORDS: Final = {
    name: name.removesuffix(" gem").removesuffix(" energel") for name in TYPE_NAMES
}


def draw(scene: Scene) -> Drawing:
    """A picture of the table, 800 wide; see `tabletop_core.scene.Scene`."""
    height = BOARD_END + scene.count * ROW + FOOTER
    table = scene.table
    canvas = new_canvas(scene, height, _question(table))
    _board(canvas, scene)
    for player in range(scene.count):
        top = BOARD_END + player * ROW
        _player(canvas, scene, player, (MARGIN, top, WIDTH - MARGIN, top + ROW - 6))
    canvas.text((HAND_LEFT, BOARD_END - 7), "hand", 12, FAINT)
    canvas.text((COLLECTED_LEFT, BOARD_END - 7), "collected", 12, FAINT)
    canvas.text((WIDTH / 2, height - 11), LEGEND, 12, FAINT, MIDDLE)
    return canvas.drawing()


def _question(table: Json) -> str:
    left = counted(table["actions_left"], "action")
    question = QUESTIONS.get(table["prompt"], "")
    return f"{question}{announcement(table['pending'])} ({left} left)"


# --- the board -------------------------------------------------------------------------------


def _board(canvas: Canvas, scene: Scene) -> None:
    turn = [_on_circle(k, 72) for k in range(72)]
    canvas.polygon(turn, stroke=EDGE, line=3)
    _black_hole(canvas, scene)
    _gate(canvas, scene)
    ring = scene.table["ring"]
    for position, planet in enumerate(ring):
        _planet(canvas, scene, planet, _on_circle(position, len(ring)))


def _on_circle(position: int, count: int) -> Point:
    """A place on the circle, clockwise from the top."""
    angle = 2 * math.pi * position / count - math.pi / 2
    return CENTRE[0] + RADII[0] * math.cos(angle), CENTRE[1] + RADII[1] * math.sin(angle)


def _planet(canvas: Canvas, scene: Scene, planet: Json, centre: Point) -> None:
    left, top = centre[0] - PLANET[0] / 2, centre[1] - PLANET[1] / 2
    owner = None if planet["owner"] is None else scene.player_at(planet["owner"])
    pending = scene.table["pending"]
    is_announced = pending is not None and pending["planet"] == planet["planet"]
    edge = EDGE if owner is None else PLAYER_COLOURS[owner]
    name = planet["planet"]
    with canvas.group(name if owner is None else f"{name}, owned by player {owner}"):
        box = (left, top, left + PLANET[0], top + PLANET[1])
        if is_announced:
            canvas.rect(_grown(box, 4), INK, radius=10)
        canvas.rect(box, PANEL, edge, 1.5 if owner is None else 4, 8)
        canvas.text((left + 10, top + 16), name, 15, INK, is_bold=True)
        if owner is not None:
            flag(canvas, (left + 54, top + 16), owner)
        _ships(canvas, scene, name, (left + PLANET[0] - 16, top + 16))
        landing = " ".join(str(code) for code in planet["landing"])
        codes = f"jump {planet['jump']}, scan {planet['scan']}, land {landing}"
        canvas.text((centre[0], top + 36), codes, 12, FAINT, MIDDLE, width=PLANET[0] - 16)
        _resources(canvas, scene, planet, (left + 6, top + 47))


def _resources(canvas: Canvas, scene: Scene, planet: Json, corner: Point) -> None:
    """Face-down resources, then those that lie face up with the marks below."""
    x, y = corner
    for resource in planet["face_up"]:
        _chip(canvas, (x, y), resource["resource"])
        if resource["mark"] is not None:
            token(canvas, (x + CHIP[0] / 2, y + CHIP[1] + 9), scene.player_at(resource["mark"]))
        x += CHIP[0] + 2
    for _ in range(planet["face_down"]):
        _back(canvas, (x, y, x + CHIP[0], y + CHIP[1]))
        x += CHIP[0] + 2


def _ships(canvas: Canvas, scene: Scene, place: str, last: Point) -> None:
    """The ships at a place, from `last` to the left."""
    x, y = last
    for player in reversed(range(scene.count)):
        if scene.seat_of(player)["location"] == place:
            ship(canvas, (x, y), player)
            x -= 21


def _black_hole(canvas: Canvas, scene: Scene) -> None:
    x, y = BLACK_HOLE
    markers = [scene.seat_of(player)["black_hole_markers"] for player in range(scene.count)]
    limit = scene.ruleset.options.blackhole_limit
    slots = max(limit, sum(markers))
    with canvas.group("Black Hole: so many markers end the game"):
        canvas.rect((x - 146, y - 22, x + 146, y + 40), "#15151c", radius=24)
        title = f"Black Hole: {sum(markers)} of {limit} markers"
        canvas.text((x, y - 6), title, 14, "#ffffff", MIDDLE, is_bold=True)
        if slots > MOST_SLOTS:
            return
        players = [player for player, count in enumerate(markers) for _ in range(count)]
        for slot in range(slots):
            centre = (x + (slot - (slots - 1) / 2) * SLOT, y + 21)
            if slot < len(players):
                token(canvas, centre, players[slot])
            else:
                canvas.circle(centre, 9, "#15151c", "#8d8d99")


def _gate(canvas: Canvas, scene: Scene) -> None:
    x, y = GATE
    with canvas.group("Jump Gate, where ships start"):
        canvas.circle((x, y), 60, "#e4ebf1", "#6f8296", 5)
        canvas.text((x, y - 22), "Jump Gate", 14, INK, MIDDLE, is_bold=True)
        there = [k for k in range(scene.count) if scene.seat_of(k)["location"] == "gate"]
        _ships(canvas, scene, "gate", (x + (len(there) - 1) * 10.5, y + 8))
    table = scene.table
    left, right = x - 160, x + 75
    label(canvas, (left, y - 12), "deck", table["deck_count"])
    label(canvas, (left, y + 10), "discard pile", len(table["discard"]))
    if table["removed_count"]:
        label(canvas, (right, y - 12), "removed", table["removed_count"])
    if table["final_turns_left"]:
        label(canvas, (right, y + 10), "final turns", table["final_turns_left"])


# --- players ---------------------------------------------------------------------------------


def _player(canvas: Canvas, scene: Scene, player: int, box: Box) -> None:
    seat = scene.seat_of(player)
    left, top, _, _ = box
    with canvas.group(f"player {player}"):
        player_panel(canvas, scene, player, box)
        token(canvas, (left + 24, top + 16), player)
        canvas.text((left + 38, top + 16), f"player {player}", 14, INK, is_bold=True)
        place = seat["location"]
        words = "on the Jump Gate" if place == "gate" else f"on {place}"
        canvas.text((left + 102, top + 16), words, 12, FAINT)
        used = label(canvas, (left + 16, top + 36), "points", seat["public_points"])
        label(canvas, (left + 30 + used, top + 36), "markers", seat["black_hole_markers"])
        _hidden(canvas, seat, (left + 16, top + 54))
        _hand(canvas, scene, player, (HAND_LEFT, top + 6))
        _collected(canvas, seat["collected"], (COLLECTED_LEFT, top + 4))


def _hidden(canvas: Canvas, seat: Json, place: Point) -> None:
    """Hidden resources: which, or how many."""
    x, y = place
    x += canvas.text((x, y), "hidden", 12, FAINT) + 6
    top = y - CHIP[1] / 2
    if seat["hidden"] is None:
        backs = min(seat["hidden_count"], HIDDEN_CHIPS)
        for k in range(backs):
            left = x + k * (CHIP[0] + 4)
            _back(canvas, (left, top, left + CHIP[0], top + CHIP[1]))
        if seat["hidden_count"] > backs:
            left = x + backs * (CHIP[0] + 4)
            canvas.text((left, y), f"+{seat['hidden_count'] - backs}", 12, FAINT)
        return
    _row_of_chips(canvas, seat["hidden"], (x, top), HIDDEN_CHIPS, 44)


def _row_of_chips(
    canvas: Canvas, counts: Mapping[str, int], corner: Point, most: int, pitch: float
) -> None:
    """Kinds with their numbers in a line, and how many more cards there are."""
    x, y = corner
    kinds = list(counts.items())
    shown = kinds if len(kinds) <= most else kinds[: most - 1]
    for resource, count in shown:
        _chip(canvas, (x, y), resource, count, CHIP[0] + 2)
        x += pitch
    more = sum(count for _, count in kinds[len(shown) :])
    if more:
        canvas.text((x, y + CHIP[1] / 2), f"+{more}", 12, FAINT)


def _collected(canvas: Canvas, counts: Mapping[str, int], corner: Point) -> None:
    for k, (resource, count) in enumerate(counts.items()):
        row, column = divmod(k, COLLECTED_COLUMNS)
        place = (corner[0] + column * 52, corner[1] + row * 21)
        _chip(canvas, place, resource, count, COUNTED_CHIP)


def _hand(canvas: Canvas, scene: Scene, player: int, corner: Point) -> None:
    x, y = corner
    hand: Sequence[Json | None] = [None] * scene.seat_of(player)["hand_count"]
    if player in scene.views:
        hand = scene.views[player]["hand"]
    for card in hand:
        box = (x, y, x + CARD[0], y + CARD[1])
        if card is None:
            _back(canvas, box)
        else:
            _card(canvas, card, box)
        x += CARD[0] + 2


def _card(canvas: Canvas, card: Json, box: Box) -> None:
    """A navigation card with its two codes."""
    left, top, right, _ = box
    canvas.rect(box, "#eef3f8", "#6f8296", radius=4)
    canvas.text((left + CARD[0] / 2, top + 9), card["card"], 11, FAINT, MIDDLE)
    codes = [(name, card[name]) for name in CARD_CODES if card[name] is not None]
    for row, (name, code) in enumerate(codes):
        y = top + 25 + row * 17
        canvas.text((left + 3, y), name, 11, INK)
        canvas.text((right - 2, y), str(code), 12, INK, END, is_bold=True)


# --- resources -------------------------------------------------------------------------------


def _chip(
    canvas: Canvas, corner: Point, resource: str, count: int = 1, width: float = CHIP[0]
) -> None:
    """A resource, with a black dot if it shows a black-hole icon, with a number if not alone."""
    x, y = corner
    kind = resource.removesuffix("*")
    ground, colour = CHIP_COLOURS[TYPE_NAMES.index(kind)]
    words = CHIP_WORDS[kind]
    with canvas.group(f"{count} {resource}"):
        canvas.rect((x, y, x + width, y + CHIP[1]), ground, "#7c7c7c", 1, 4)
        if resource.endswith("*"):
            canvas.circle((x + width - 5, y + 5), 4, "#000000", "#ffffff", 1)
        shown = words if count == 1 else f"{count} {words}"
        canvas.text(
            (x + width / 2, y + CHIP[1] / 2 + 1), shown, 11.5, colour, MIDDLE, width=width - 4
        )


def _back(canvas: Canvas, box: Box) -> None:
    """A card that is face down."""
    left, top, right, bottom = box
    canvas.rect(box, DARK, "#8fa1b3", 1, 4)
    canvas.polygon([(left + 6, bottom - 5), (right - 6, top + 5)], stroke="#8fa1b3", is_open=True)


def _grown(box: Box, by: float) -> Box:
    left, top, right, bottom = box
    return left - by, top - by, right + by, bottom + by
