"""Where the cities stand in a picture: rings that touch in their shared cities, without overlaps.

The rings are laid out as circles that touch, turned to the way that fits best, stretched into a
frame, and then the cities are pushed apart until none covers another. So rings of one's own
(RULES.md §1.4) can be drawn as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from tabletop_core.canvas import Box, Point

TURNS: Final = 48  # ways to turn the whole board that are tried
MOST_PUSHES: Final = 400
RADIUS: Final = 1.0  # of a circle, for each of its cities

Places = dict[str, Point]


@lru_cache(maxsize=16)
def city_places(
    rings: tuple[tuple[str, ...], ...], frame: Box, cell: tuple[float, float]
) -> Places:
    """City -> the middle of its cell, all cells within `frame` and apart from each other.

    rings: cities of each ring clockwise; each ring but the first shares a city with an earlier one.
    cell: width and height of the room that a city takes.
    """
    half = (cell[0] / 2, cell[1] / 2)
    inner = (frame[0] + half[0], frame[1] + half[1], frame[2] - half[0], frame[3] - half[1])
    boards = [
        _stretched(_circles(rings, 2 * math.pi * turn / TURNS), inner) for turn in range(TURNS)
    ]
    best = min(boards, key=lambda places: _overlap(list(places.values()), cell))
    return _pushed_apart(best, inner, cell)


def _circles(rings: Sequence[Sequence[str]], turn: float) -> Places:
    """Touching circles; the first one's first city at the angle `turn`."""
    places = _circle((0.0, 0.0), rings[0], 0, turn)
    centres = dict.fromkeys(rings[0], (0.0, 0.0))
    for ring in rings[1:]:
        index = next(k for k, city in enumerate(ring) if city in places)
        shared, centre = places[ring[index]], centres[ring[index]]
        angle = math.atan2(shared[1] - centre[1], shared[0] - centre[0])
        radius = RADIUS * len(ring)
        middle = (shared[0] + radius * math.cos(angle), shared[1] + radius * math.sin(angle))
        places = _circle(middle, ring, index, angle + math.pi) | places
        centres = dict.fromkeys(ring, middle) | centres
    return places


def _circle(centre: Point, ring: Sequence[str], index: int, angle: float) -> Places:
    """A ring clockwise as a circle with its city `index` at an angle."""
    radius = RADIUS * len(ring)
    places = {}
    for k, city in enumerate(ring):
        turned = angle + 2 * math.pi * (k - index) / len(ring)
        places[city] = (
            centre[0] + radius * math.cos(turned),
            centre[1] + radius * math.sin(turned),
        )
    return places


def _stretched(places: Places, frame: Box) -> Places:
    """The places so that they fill a frame in both directions."""
    xs, ys = ([place[axis] for place in places.values()] for axis in (0, 1))
    left, top, right, bottom = frame
    across = (right - left) / (max(xs) - min(xs))
    down = (bottom - top) / (max(ys) - min(ys))
    return {
        city: (left + (x - min(xs)) * across, top + (y - min(ys)) * down)
        for city, (x, y) in places.items()
    }


def _overlap(points: Sequence[Point], cell: tuple[float, float]) -> float:
    """Area that cells share, pair by pair."""
    total = 0.0
    for k, (x, y) in enumerate(points):
        for other_x, other_y in points[:k]:
            across, down = cell[0] - abs(x - other_x), cell[1] - abs(y - other_y)
            total += across * down if across > 0 and down > 0 else 0.0
    return total


def _pushed_apart(places: Places, frame: Box, cell: tuple[float, float]) -> Places:
    points = [list(place) for place in places.values()]
    limits = ((frame[0], frame[2]), (frame[1], frame[3]))
    for _ in range(MOST_PUSHES):
        has_moved = False
        for k, point in enumerate(points):
            for other in points[:k]:
                has_moved |= _push(point, other, cell)
        for point in points:
            for axis, (low, high) in enumerate(limits):
                point[axis] = min(max(point[axis], low), high)
        if not has_moved:
            break
    return {city: (x, y) for city, (x, y) in zip(places, points, strict=True)}


def _push(point: list[float], other: list[float], cell: tuple[float, float]) -> bool:
    """Move two points apart, where that takes least, if their cells overlap."""
    lacking = [cell[axis] - abs(point[axis] - other[axis]) for axis in (0, 1)]
    if min(lacking) <= 0.01:
        return False
    axis = 0 if lacking[0] < lacking[1] else 1
    way = 1 if point[axis] >= other[axis] else -1
    point[axis] += way * lacking[axis] / 2
    other[axis] -= way * lacking[axis] / 2
    return True
