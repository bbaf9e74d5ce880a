"""`picture`: recorded games as HTML, GIF, SVG and PNG files."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

import typer

from ..canvas import Drawing
from ..errors import TabletopError
from ..files import new_file
from ..pictures import record_pictures, save_gif, save_replay_page
from ..pixels import png_bytes
from ..record import AnyRecord, read_records
from ..svg import to_svg
from .common import say


def picture(
    path: Annotated[str, typer.Argument(metavar="FILE", help="Records of games.")],
    html: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The whole game as one page to step through."),
    ] = None,
    gif: Annotated[
        str | None, typer.Option(metavar="FILE", help="The whole game as an animated GIF.")
    ] = None,
    svg: Annotated[str | None, typer.Option(metavar="FILE", help="One position as SVG.")] = None,
    png: Annotated[str | None, typer.Option(metavar="FILE", help="One position as PNG.")] = None,
    step: Annotated[
        int | None,
        typer.Option(
            help="With --svg and --png: the position after so many decisions. "
            "Default: the last one."
        ),
    ] = None,
    number: Annotated[int, typer.Option(metavar="N", help="Record N of the file.")] = 1,
    seat: Annotated[
        int | None, typer.Option(metavar="K", help="What player K sees. Default: everything.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="With --gif: how long a picture stays.")] = 1.0,
    scale: Annotated[
        float, typer.Option(help="With --gif and --png: size, 1 being 800 pixels wide.")
    ] = 1.0,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
) -> None:
    """Draw a recorded game.

    Pictures of what one player sees hold no card that is hidden from that player. A file that
    exists is replaced only with --force. --gif and --png need the extra `render`.
    """
    if not any((html, gif, svg, png)):
        raise TabletopError("say what to write: --html, --gif, --svg or --png FILE")
    record = _record(path, number)
    if html is not None:
        save_replay_page(html, record, seat, force=force)
    if gif is not None:
        save_gif(gif, record, seat, seconds=seconds, scale=scale, force=force)
    if svg is not None or png is not None:
        drawing = _drawing(record, seat, step)
        if svg is not None:
            _write(svg, to_svg(drawing).encode(), force)
        if png is not None:
            _write(png, png_bytes(drawing, scale), force)
    for file in (html, gif, svg, png):
        if file is not None:
            say(f"{file} is written")


def _record(path: str, number: int) -> AnyRecord:
    if number < 1:
        raise TabletopError(f"--number {number}: records are counted from 1")
    record = next(islice(read_records(path), number - 1, None), None)
    if record is None:
        raise TabletopError(f"{path} has no record {number}")
    return record


def _drawing(record: AnyRecord, seat: int | None, step: int | None) -> Drawing:
    """The picture of one position."""
    drawings = list(record_pictures(record, seat))
    final = len(drawings) - 1
    if step is not None and not 0 <= step <= final:
        raise TabletopError(f"--step {step}: this record has the steps 0 to {final}")
    return drawings[final if step is None else step]


def _write(path: str, data: bytes, force: bool) -> None:
    with new_file(path, force) as stream:
        stream.write(data)
