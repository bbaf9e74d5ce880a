"""What every drawing of a table must be: all texts legible, none outside, none on another one."""

from __future__ import annotations

from itertools import combinations

from tabletop_core.canvas import ELLIPSIS, SMALLEST_TEXT, Box, Drawing

TOUCHING = 0.5  # boxes may share so little


def require_readable(drawing: Drawing) -> None:
    texts = list(drawing.texts())
    assert texts
    for text in texts:
        left, top, right, bottom = text.box
        assert text.size >= SMALLEST_TEXT, text
        assert ELLIPSIS not in text.words, text  # nothing is cut off
        assert left >= 0 and top >= 0 and right <= drawing.width and bottom <= drawing.height, text
    for text, other in combinations(texts, 2):
        assert not overlap(text.box, other.box), (text, other)


def overlap(box: Box, other: Box) -> bool:
    across = min(box[2], other[2]) - max(box[0], other[0])
    down = min(box[3], other[3]) - max(box[1], other[1])
    return across > TOUCHING and down > TOUCHING


def words_of(drawing: Drawing) -> str:
    """All that is written in a drawing."""
    return "\n".join(text.words for text in drawing.texts())
