"""A game as an animated GIF, by Pillow (extra `render`)."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from .canvas import Drawing
from .errors import TabletopError
from .pixels import check_scale, require_pillow, to_image

if TYPE_CHECKING:
    from PIL.Image import Image

COLOURS: Final = 128
SAMPLED: Final = 6  # so many pictures choose the colours of all, which keeps frames small
NO_DITHER: Final = 0  # Pillow's `Dither.NONE`
END_FACTOR: Final = 4  # the last picture stays so many times longer
SHORTEST: Final = 0.02  # seconds; browsers show shorter times longer
LONGEST: Final = 60
MILLISECONDS: Final = 1000


def gif_bytes(drawings: Iterable[Drawing], seconds: float = 1.0, scale: float = 1.0) -> bytes:
    """An animated GIF of the drawings, which repeats for ever.

    Args:
        drawings: at least one, all of one size.
        seconds: how long each of them stays, at least 0.02; the last one four times as long.
        scale: size of the GIF relative to the drawings.

    Raises:
        TabletopError: no drawing, a bad number, or Pillow is not installed.
    """
    check_scale(scale)
    if not SHORTEST <= seconds <= LONGEST:
        raise TabletopError(f"seconds is from {SHORTEST} to {LONGEST}, not {seconds}")
    chosen = list(drawings)
    if not chosen:
        raise TabletopError("a GIF needs at least one picture")
    palette = _palette(chosen[:: -(-len(chosen) // SAMPLED)], scale)
    frames = (
        to_image(drawing, scale).quantize(palette=palette, dither=NO_DITHER) for drawing in chosen
    )
    stay = round(seconds * MILLISECONDS)
    durations = [stay] * (len(chosen) - 1) + [stay * END_FACTOR]
    stream = io.BytesIO()
    first = next(frames)
    first.save(stream, "GIF", save_all=True, append_images=frames, duration=durations, loop=0)
    return stream.getvalue()


def _palette(drawings: Sequence[Drawing], scale: float) -> Image:
    """An image whose palette holds the colours that the drawings have most of."""
    images = [to_image(drawing, scale) for drawing in drawings]
    width, height = images[0].size
    sheet = require_pillow().Image.new("RGB", (width, height * len(images)))
    for k, image in enumerate(images):
        sheet.paste(image, (0, k * height))
    return sheet.quantize(COLOURS)
