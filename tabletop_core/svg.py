"""Drawings as SVG: one element in a line, everything escaped, nothing loaded from elsewhere."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import Final

from .canvas import BASELINE, BOLD_STROKE, Circle, Drawing, Group, Polygon, Rect, Shape, Style, Text

FONTS: Final = "Aileron, Helvetica, Arial, 'Liberation Sans', sans-serif"
# What XML cannot hold: controls and halves of surrogate pairs.
_FORBIDDEN: Final = re.compile("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_svg(drawing: Drawing) -> str:
    """The drawing as the text of an SVG file."""
    return "\n".join(svg_lines(drawing)) + "\n"


def svg_lines(drawing: Drawing) -> list[str]:
    """The drawing as lines of SVG; equal shapes make equal lines."""
    width, height = drawing.width, drawing.height
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="{FONTS}">',
        f"<title>{_escaped(drawing.title)}</title>",
        f'<rect width="{width}" height="{height}" fill="{drawing.background}"/>',
        *_lines(drawing.shapes),
        "</svg>",
    ]


def _lines(shapes: Sequence[Shape]) -> Iterator[str]:
    for shape in shapes:
        if isinstance(shape, Group):
            yield f"<g><title>{_escaped(shape.title)}</title>"
            yield from _lines(shape.shapes)
            yield "</g>"
        else:
            yield _element(shape)


def _element(shape: Rect | Circle | Polygon | Text) -> str:
    match shape:
        case Rect((left, top, right, bottom), radius, style):
            place = f'x="{_n(left)}" y="{_n(top)}"'
            size = f'width="{_n(right - left)}" height="{_n(bottom - top)}" rx="{_n(radius)}"'
            return f"<rect {place} {size} {_look(style)}/>"
        case Circle((x, y), radius, style):
            return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}" {_look(style)}/>'
        case Polygon(points, style, is_open):
            name = "polyline" if is_open else "polygon"
            listed = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
            return f'<{name} points="{listed}" {_look(style)}/>'
        case Text():
            return _text(shape)


def _text(text: Text) -> str:
    x, y = text.place
    bold = f' stroke="{text.colour}" stroke-width="{_n(BOLD_STROKE * text.size)}"'
    return (
        f'<text x="{_n(x)}" y="{_n(y + BASELINE * text.size)}" font-size="{_n(text.size)}" '
        f'text-anchor="{text.anchor}" fill="{text.colour}"{bold if text.is_bold else ""} '
        f'textLength="{_n(text.width)}" lengthAdjust="spacingAndGlyphs">'
        f"{_escaped(text.words)}</text>"
    )


def _look(style: Style) -> str:
    fill = f'fill="{_escaped(style.fill or "none")}"'
    if style.stroke is None:
        return fill
    return f'{fill} stroke="{_escaped(style.stroke)}" stroke-width="{_n(style.line)}"'


def _n(value: float) -> str:
    """A number with at most one digit behind the point."""
    return f"{value:.1f}".removesuffix(".0")


def _escaped(words: str) -> str:
    return html.escape(_FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", words))
