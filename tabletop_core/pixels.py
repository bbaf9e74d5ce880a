"""Drawings as pixels, by Pillow (extra `render`): no display is needed."""

from __future__ import annotations

import io
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from .canvas import (
    BASELINE,
    BOLD_STROKE,
    END,
    MIDDLE,
    START,
    Circle,
    Drawing,
    Polygon,
    Rect,
    Style,
    Text,
    flat,
)
from .errors import TabletopError
from .game import Array

if TYPE_CHECKING:
    from PIL.Image import Image

FINER: Final = 3  # everything is drawn so many times larger, then made smaller: smooth edges
SMALLEST_SCALE: Final = 0.1
LARGEST_SCALE: Final = 4
ANCHORS: Final = {START: "ls", MIDDLE: "ms", END: "rs"}  # Pillow's, on the baseline


def to_pixels(drawing: Drawing) -> Array:
    """The drawing as uint8 [height, width, 3].

    Raises:
        TabletopError: Pillow is not installed.
    """
    return np.asarray(to_image(drawing), np.uint8).copy()


def to_image(drawing: Drawing, scale: float = 1.0) -> Image:
    """The drawing as a Pillow image in RGB, `scale` times its natural size.

    Raises:
        TabletopError: Pillow is not installed.
    """
    pillow = require_pillow()
    size = (round(drawing.width * scale), round(drawing.height * scale))
    large = (size[0] * FINER, size[1] * FINER)
    image = pillow.Image.new("RGB", large, drawing.background)
    brush = _Brush(pillow.ImageDraw.Draw(image), scale * FINER)
    for shape in flat(drawing.shapes):
        brush.draw(shape)
    return image.reduce(FINER)


def png_bytes(drawing: Drawing, scale: float = 1.0) -> bytes:
    """The drawing as a PNG file, `scale` (0.1 to 4) times its natural size.

    Raises:
        TabletopError: a bad scale, or Pillow is not installed.
    """
    check_scale(scale)
    stream = io.BytesIO()
    to_image(drawing, scale).save(stream, "PNG")
    return stream.getvalue()


def check_scale(scale: float) -> None:
    """Refuse a picture that would be too small or too large."""
    if not SMALLEST_SCALE <= scale <= LARGEST_SCALE:
        raise TabletopError(f"scale is from {SMALLEST_SCALE} to {LARGEST_SCALE}, not {scale}")


def require_pillow() -> Any:
    """The package `PIL` with the modules used here.

    Raises:
        TabletopError: it is not installed.
    """
    try:
        import PIL.Image
        import PIL.ImageDraw
        import PIL.ImageFont
    except ModuleNotFoundError:
        raise TabletopError(
            'pixels need Pillow: pip install "tabletop-envs[render]"; '
            'render_mode="svg" and "ansi" do without'
        ) from None
    return PIL


@cache
def _font(size: int) -> Any:
    return require_pillow().ImageFont.load_default(size)


class _Brush:
    """Draws shapes with Pillow; `scale` pixels are one unit."""

    def __init__(self, brush: Any, scale: float) -> None:
        self.brush = brush
        self.scale = scale

    def draw(self, shape: Rect | Circle | Polygon | Text) -> None:
        match shape:
            case Rect(box, radius, style):
                corners = [value * self.scale for value in box]
                self.brush.rounded_rectangle(corners, radius * self.scale, **self._look(style))
            case Circle((x, y), radius, style):
                box = (x - radius, y - radius, x + radius, y + radius)
                corners = [value * self.scale for value in box]
                self.brush.ellipse(corners, **self._look(style))
            case Polygon():
                self._polygon(shape)
            case Text():
                self._text(shape)

    def _polygon(self, shape: Polygon) -> None:
        points = [(x * self.scale, y * self.scale) for x, y in shape.points]
        style = shape.style
        if style.fill is not None and not shape.is_open:
            self.brush.polygon(points, fill=style.fill)
        if style.stroke is not None:
            ends = points if shape.is_open else [*points, *points[:2]]
            self.brush.line(ends, style.stroke, self._line(style), joint="curve")

    def _text(self, text: Text) -> None:
        x, y = text.place
        self.brush.text(
            (x * self.scale, (y + BASELINE * text.size) * self.scale),
            text.words,
            fill=text.colour,
            font=_font(round(text.size * self.scale)),
            anchor=ANCHORS[text.anchor],
            stroke_width=round(BOLD_STROKE / 2 * text.size * self.scale) if text.is_bold else 0,
        )

    def _look(self, style: Style) -> dict[str, Any]:
        return {"fill": style.fill, "outline": style.stroke, "width": self._line(style)}

    def _line(self, style: Style) -> int:
        return max(1, round(style.line * self.scale)) if style.stroke is not None else 0
