"""What a picture of a table shows, and what the pictures of all games have in common.

A picture is made from what players may know (`Game.view_to_json`), never from the position itself:
a picture of one player's view cannot hold what that player does not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from .canvas import END, MIDDLE, Box, Canvas, Drawing, Point, text_width
from .errors import TabletopError
from .game import Json, Ruleset
from .position import OVER
from .seen_table import SeenTable
from .session import Session

WIDTH: Final = 800  # of every picture
MARGIN: Final = 8.0
HEADER: Final = 58.0  # height of the lines at the top

# Colours that people with any colour vision tell apart (Okabe and Ito), and of the text on them.
PLAYER_COLOURS: Final = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9")
ON_PLAYER: Final = ("#ffffff", "#000000", "#ffffff", "#ffffff", "#000000", "#000000")
BACKGROUND: Final = "#f4f1ea"
PANEL: Final = "#ffffff"
INK: Final = "#1d2126"
FAINT: Final = "#5c636b"
EDGE: Final = "#b9b5aa"
DARK: Final = "#23303d"
ON_DARK: Final = "#f7f7f2"
SOFT: Final = "#c9d3dc"  # on dark, of what matters less


@dataclass(frozen=True)
class Scene(SeenTable):
    """What is shown.

    views: player -> what that player may know, for the one who looks or for all of them.
    last: player and words of the decision before, if there was one.
    result: how the game has ended (`Session.result`), if it has.
    """

    ruleset: Ruleset
    views: Mapping[int, Json]
    last: tuple[int, str] | None = None
    result: Json | None = None

    @property
    def current_player(self) -> int:
        """Who decides."""
        return self.player_at(self.table["current_seat"])

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.result is not None or bool(self.table["prompt"] == OVER)


def scene_of(
    session: Session, player: int | None = None, last: tuple[int, str] | None = None
) -> Scene:
    """The position of a session, seen by one player or (None) openly.

    last: player and words of the decision before, as that player may know them.
    """
    seen = range(session.num_players) if player is None else (player,)
    views = {other: session.to_json(other) for other in seen}
    return Scene(session.ruleset, views, last, session.result() if session.is_over else None)


def draw(scene: Scene) -> Drawing:
    """The picture of a scene.

    Raises:
        TabletopError: the game has no pictures.
    """
    game = scene.ruleset.game
    if game.draw is None:
        raise TabletopError(f"{game.id} has no pictures; use render_mode 'ansi'")
    return game.draw(scene)


# --- what games draw alike -------------------------------------------------------------------


def new_canvas(scene: Scene, height: float, question: str) -> Canvas:
    """A canvas with the lines at the top: who decides what, or the result; the decision before.

    question: what is decided, as "chooses an action".
    """
    game = scene.ruleset.game
    words = f"player {scene.current_player} {question}"
    if scene.is_over:
        words = _end_in_words(scene)
    log = "" if scene.last is None else f"player {scene.last[0]}: {scene.last[1]}"
    canvas = Canvas(WIDTH, round(height), f"{game.title}: {words}", BACKGROUND, log)
    canvas.rect((0, 0, WIDTH, HEADER), DARK, radius=0)
    used = canvas.text((MARGIN, 17), game.title, 17, ON_DARK, is_bold=True)
    place = MARGIN + used + 14
    if not scene.is_over:
        token(canvas, (place + 9, 17), scene.current_player)
        place += 24
    canvas.text((place, 17), words, 14, ON_DARK, width=WIDTH - MARGIN - place)
    who = "open table" if len(scene.views) > 1 else f"seen by player {scene.first}"
    room = WIDTH - 3 * MARGIN - canvas.text((WIDTH - MARGIN, 43), who, 12, SOFT, END)
    if scene.last is not None:
        player, decision = scene.last
        token(canvas, (MARGIN + 9, 43), player)
        canvas.text((MARGIN + 24, 43), f"last: {decision}", 13, SOFT, width=room - 24)
    return canvas


def _end_in_words(scene: Scene) -> str:
    if scene.result is None:
        return "the game is over"
    winners = [f"player {player}" for player in scene.result["winners"]]
    won = f"won by {' and '.join(winners)}" if winners else "won by nobody"
    scores = " : ".join(f"{score:g}" for score in scene.result["scores"])
    reason = scene.result["reason"].replace("_", " ").replace("+", ", ")
    return f"over ({reason}), {won}, points {scores}"


def token(canvas: Canvas, centre: Point, player: int, radius: float = 9.0) -> None:
    """The disc of a player with the player's number."""
    canvas.circle(centre, radius, PLAYER_COLOURS[player], "#ffffff", 1.2)
    canvas.text(centre, str(player), 12, ON_PLAYER[player], MIDDLE, is_bold=True)


def player_panel(canvas: Canvas, scene: Scene, player: int, box: Box) -> None:
    """The ground of what a player has; with a thick edge if that player decides or has won."""
    is_marked = not scene.is_over and player == scene.current_player
    if scene.result is not None:
        is_marked = player in scene.result["winners"]
    colour = PLAYER_COLOURS[player]
    canvas.rect(box, PANEL, colour if is_marked else EDGE, 3.0 if is_marked else 1.0, 6)
    left, top, _, bottom = box
    canvas.rect((left, top, left + 8, bottom), colour, radius=4)


def label(canvas: Canvas, place: Point, name: str, value: object, anchor: str = "start") -> float:
    """A name and a bold value behind it; returns the room they take."""
    x, y = place
    words = str(value)
    gap = 4.0
    name_width = text_width(name, 12) + gap
    total = name_width + text_width(words, 13, is_bold=True)
    left = x - total if anchor == END else x
    canvas.text((left, y), name, 12, FAINT)
    canvas.text((left + name_width, y), words, 13, INK, is_bold=True)
    return total


def ship(canvas: Canvas, centre: Point, player: int) -> None:
    """The ship of a player, which points upwards, with the player's number."""
    x, y = centre
    hull = ((x, y - 13), (x + 9, y - 4), (x + 9, y + 9), (x - 9, y + 9), (x - 9, y - 4))
    canvas.polygon(hull, PLAYER_COLOURS[player], "#ffffff", 1.2)
    canvas.text((x, y + 1), str(player), 12, ON_PLAYER[player], MIDDLE, is_bold=True)


def flag(canvas: Canvas, centre: Point, player: int) -> None:
    """A square with the player's number: something is the player's."""
    x, y = centre
    canvas.rect((x - 9, y - 9, x + 9, y + 9), PLAYER_COLOURS[player], "#ffffff", 1.2, 2)
    canvas.text((x, y), str(player), 12, ON_PLAYER[player], MIDDLE, is_bold=True)
