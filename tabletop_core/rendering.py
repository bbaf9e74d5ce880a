"""What `render()` of a view returns or shows: text, SVG, pixels, or a window for people."""

from __future__ import annotations

import sys
from typing import Final

from .errors import TabletopError, shown
from .game import Array, Game
from .pixels import require_pillow, to_pixels
from .scene import draw, scene_of
from .session import Session
from .svg import to_svg
from .window import show_drawing

HUMAN: Final = "human"
ANSI: Final = "ansi"
SVG: Final = "svg"
RGB_ARRAY: Final = "rgb_array"
DRAWN_MODES: Final = (HUMAN, SVG, RGB_ARRAY)

Rendered = str | Array
"""Text for "ansi" and "svg", uint8 [height, width, 3] for "rgb_array"."""


def render_modes(game: Game) -> list[str]:
    """The modes that a view of a single game has; without pictures of the game, those of text."""
    return [HUMAN, *returned_modes(game)]


def returned_modes(game: Game) -> list[str]:
    """The modes in which `render()` returns something."""
    return [ANSI] if game.draw is None else [ANSI, SVG, RGB_ARRAY]


def check_render_mode(game: Game, render_mode: object, modes: list[str]) -> str | None:
    """`render_mode` if it is one of `modes` (or None).

    Raises:
        TabletopError: it is none of them, or needs a package that is not installed.
    """
    if render_mode is not None and render_mode not in modes:
        listed = ", ".join(map(repr, modes))
        raise TabletopError(f"{game.id}: render_mode is None or {listed}, not {shown(render_mode)}")
    if render_mode == RGB_ARRAY:
        require_pillow()
    return render_mode


def render_session(
    session: Session,
    render_mode: str | None,
    player: int | None = None,
    last: tuple[int, str] | None = None,
) -> Rendered | None:
    """What `render()` of a view returns, seen by one player or openly; None after showing it.

    last: player and words of the decision before, as whoever looks may know them.
    """
    match render_mode:
        case "ansi":
            return session.render(player)
        case "svg":
            return to_svg(draw(scene_of(session, player, last)))
        case "rgb_array":
            return to_pixels(draw(scene_of(session, player, last)))
        case "human":
            _show(session, player, last)
    return None


def _show(session: Session, player: int | None, last: tuple[int, str] | None) -> None:
    """In a window, or in the terminal where there is none."""
    if session.game.draw is not None and show_drawing(draw(scene_of(session, player, last))):
        return
    text = session.render(player)
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
