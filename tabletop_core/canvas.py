"""Drawings: shapes and texts in a fixed space, for SVG (`svg.py`) and pixels (`pixels.py`).

Units are pixels of a picture in its natural size, x to the right, y downwards. Texts are measured
by one table of widths, so that a text takes the same room in both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

SMALLEST_TEXT: Final = 11.0
TEXT_HEIGHT: Final = 1.05  # of a line of text, in sizes of its font: from b to p
BASELINE: Final = 0.36  # of a text below the middle of its line, in sizes of its font
BOLD_STROKE: Final = 0.045  # width of the line around bold letters, in sizes of their font
ELLIPSIS: Final = "…"

# Widths of the characters from the space to the tilde in thousandths of a font's size: those of
# Aileron, the font that Pillow ships.
_FIRST: Final = ord(" ")
_WIDTHS: Final = (
    *(216, 242, 339, 580, 580, 740, 654, 176, 315, 315, 560, 580, 220, 274, 220, 303),
    *(580, 580, 580, 580, 580, 580, 580, 580, 580, 580, 220, 220, 580, 580, 580, 499),
    *(852, 639, 627, 699, 709, 587, 567, 710, 730, 264, 544, 609, 575, 866, 718, 737),
    *(598, 733, 619, 585, 612, 682, 622, 952, 625, 581, 591, 307, 303, 295, 580, 500),
    *(300, 531, 611, 529, 615, 549, 290, 615, 593, 238, 233, 522, 247, 855, 593, 586),
    *(611, 615, 330, 459, 313, 592, 514, 785, 482, 513, 462, 303, 250, 303, 580),
)
_OTHER_WIDTH: Final = 1000
_ELLIPSIS_WIDTH: Final = 620

START: Final = "start"
MIDDLE: Final = "middle"
END: Final = "end"

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


# --- shapes ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Style:
    """How a shape is filled and outlined; colours as "#rrggbb", None for not at all."""

    fill: str | None = None
    stroke: str | None = None
    line: float = 1.0


@dataclass(frozen=True)
class Rect:
    """A rectangle with round corners."""

    box: Box
    radius: float
    style: Style


@dataclass(frozen=True)
class Circle:
    """A circle."""

    centre: Point
    radius: float
    style: Style


@dataclass(frozen=True)
class Polygon:
    """A closed line, or with `is_open` the line from the first to the last point."""

    points: tuple[Point, ...]
    style: Style
    is_open: bool = False


@dataclass(frozen=True)
class Text:
    """A line of text; `place` is the middle of its height and its start, middle or end."""

    place: Point
    words: str
    size: float
    colour: str
    anchor: str
    is_bold: bool

    @property
    def width(self) -> float:
        """Room that the words take."""
        return text_width(self.words, self.size, self.is_bold)

    @property
    def box(self) -> Box:
        """Room that the line takes."""
        x, y = self.place
        left = x - self.width * {START: 0.0, MIDDLE: 0.5, END: 1.0}[self.anchor]
        half = self.size * TEXT_HEIGHT / 2
        return left, y - half, left + self.width, y + half


@dataclass(frozen=True)
class Group:
    """Shapes that are one thing; its title is shown where a pointer rests on it."""

    title: str
    shapes: tuple[Shape, ...]


Shape = Rect | Circle | Polygon | Text | Group


@dataclass(frozen=True)
class Drawing:
    """A picture: its size, and its shapes from the lowest to the top.

    title: who decides what in it, or how the game has ended.
    log: the decision before it in words, "" if there was none.
    """

    width: int
    height: int
    title: str
    log: str
    background: str
    shapes: tuple[Shape, ...]

    def texts(self) -> Iterator[Text]:
        """All texts, groups opened."""
        for shape in flat(self.shapes):
            if isinstance(shape, Text):
                yield shape


def flat(shapes: Sequence[Shape]) -> Iterator[Rect | Circle | Polygon | Text]:
    """All shapes in order, groups opened."""
    for shape in shapes:
        if isinstance(shape, Group):
            yield from flat(shape.shapes)
        else:
            yield shape


# --- texts -----------------------------------------------------------------------------------


def text_width(words: str, size: float, is_bold: bool = False) -> float:
    """Room that a text takes in a font of this size."""
    thousandths = sum(map(_width_of, words))
    return size * (thousandths / 1000 + (BOLD_STROKE if is_bold else 0.0))


def _width_of(character: str) -> int:
    number = ord(character) - _FIRST
    if 0 <= number < len(_WIDTHS):
        return _WIDTHS[number]
    return _ELLIPSIS_WIDTH if character == ELLIPSIS else _OTHER_WIDTH


def fit_text(words: str, size: float, width: float, is_bold: bool = False) -> tuple[str, float]:
    """The text and its size so that it takes at most `width`: smaller first, then cut with "…"."""
    needed = text_width(words, size, is_bold)
    if needed <= width:
        return words, size
    size = max(SMALLEST_TEXT, size * width / needed)
    kept = len(words)
    while kept and text_width(words, size, is_bold) > width:
        kept -= 1
        words = words[:kept].rstrip() + ELLIPSIS
    return words, size


# --- drawing ---------------------------------------------------------------------------------


class Canvas:
    """Collects the shapes of a drawing."""

    def __init__(self, width: int, height: int, title: str, background: str, log: str = "") -> None:
        self.width = width
        self.height = height
        self.title = title
        self.log = log
        self.background = background
        self._shapes: list[Shape] = []

    def drawing(self) -> Drawing:
        """What was drawn."""
        return Drawing(
            self.width, self.height, self.title, self.log, self.background, tuple(self._shapes)
        )

    @contextmanager
    def group(self, title: str) -> Iterator[None]:
        """Everything drawn within is one thing with a title."""
        outside = self._shapes
        self._shapes = []
        try:
            yield
        finally:
            inside = Group(title, tuple(self._shapes))
            self._shapes = outside
            self._shapes.append(inside)

    def rect(
        self,
        box: Box,
        fill: str | None = None,
        stroke: str | None = None,
        line: float = 1.0,
        radius: float = 4.0,
    ) -> None:
        """A rectangle with round corners."""
        self._shapes.append(Rect(box, radius, Style(fill, stroke, line)))

    def circle(
        self,
        centre: Point,
        radius: float,
        fill: str | None = None,
        stroke: str | None = None,
        line: float = 1.0,
    ) -> None:
        """A circle."""
        self._shapes.append(Circle(centre, radius, Style(fill, stroke, line)))

    def polygon(
        self,
        points: Sequence[Point],
        fill: str | None = None,
        stroke: str | None = None,
        line: float = 1.0,
        is_open: bool = False,
    ) -> None:
        """A closed line, or an open one."""
        self._shapes.append(Polygon(tuple(points), Style(fill, stroke, line), is_open))

    def text(
        self,
        place: Point,
        words: str,
        size: float = SMALLEST_TEXT,
        colour: str = "#000000",
        anchor: str = START,
        is_bold: bool = False,
        width: float | None = None,
    ) -> float:
        """A line of text, fitted into `width` if that is given; returns the room it takes."""
        if width is not None:
            words, size = fit_text(words, size, width, is_bold)
        text = Text(place, words, size, colour, anchor, is_bold)
        self._shapes.append(text)
        return text.width
