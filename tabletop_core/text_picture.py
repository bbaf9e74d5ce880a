"""Text pictures of tables: colours, aligned columns, counted things, for the renderers of games."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .game import Array, Ruleset
from .position import OVER
from .seen_table import SeenTable

BOLD: Final = "1"
DIM: Final = "2"
PLAYER_COLOURS: Final = ("31", "32", "33", "34", "35", "36")


@dataclass(frozen=True)
class Pen:
    """Writes with ANSI colours, one for each player, or without."""

    is_coloured: bool

    def style(self, text: str, code: str) -> str:
        """`text` in bold, dim or a colour."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.is_coloured else text

    def player(self, player: int) -> str:
        """The name of a player in its colour."""
        return self.style(f"player {player}", PLAYER_COLOURS[player])


class Picture(SeenTable, ABC):
    """What a picture of a table is made of: the position, and views of the players who see it.

    A game says what stands in it: a headline, a line about piles, rows of places and of players.

    position: the whole position in words, for what everybody may know of it.
    views: of the player who looks or (None) of all.
    """

    def __init__(
        self, ruleset: Ruleset, state: Array, player: int | None, is_coloured: bool
    ) -> None:
        game = ruleset.game
        self.ruleset = ruleset
        self.position = game.state_to_json(ruleset, state)
        self.pen = Pen(is_coloured)
        seen = range(self.count) if player is None else (player,)
        self.views = {other: game.view_to_json(ruleset, state, other) for other in seen}

    def text(self) -> str:
        """The picture in lines."""
        parts = [[self.headline(), self.piles()], self.places(), self.players()]
        return "\n\n".join("\n".join(lines) for lines in parts)

    @abstractmethod
    def headline(self) -> str:
        """Whose turn it is and what has to be decided, or how the game has ended."""

    @abstractmethod
    def piles(self) -> str:
        """What belongs to nobody."""

    @abstractmethod
    def places(self) -> list[str]:
        """Lines with what lies on the table."""

    @abstractmethod
    def players(self) -> list[str]:
        """Lines with what the players have."""

    def headline_of(
        self, title: str, turn: str, questions: Mapping[str, str], details: str = ""
    ) -> str:
        """A headline: the game, which turn it is, who decides what at the prompt, and more of it.

        turn: as "turn 3". questions: prompt -> what is decided.
        """
        position = self.position
        if position["prompt"] == OVER:
            reasons = position["end_reasons"] or ["max_turns"]
            return self.pen.style(f"{title}, over: {', '.join(reasons)}", BOLD)
        who = self.pen.player(position["current_player"])
        what = questions[position["prompt"]] + details
        return f"{self.pen.style(f'{title}, {turn}', BOLD)}: {who} {what}"

    def players_in(self, places: Sequence[str], place: str) -> str:
        """The players who are at a place; `places` says where each is."""
        return ", ".join(self.pen.player(k) for k, other in enumerate(places) if other == place)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines with aligned columns; colour codes take no room."""
    widths = [max(_width(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def _width(text: str) -> int:
    """Columns that a text takes, without colour codes."""
    width = 0
    parts = text.split("\x1b[")
    for number, part in enumerate(parts):
        width += len(part) if number == 0 else len(part.partition("m")[2])
    return width


def listed(counts: Mapping[str, int], times: str = " ") -> str:
    """Things with their numbers: "2 sand, water", or with `times` " x " "2 x sand, water"."""
    names = [name if count == 1 else f"{count}{times}{name}" for name, count in counts.items()]
    return ", ".join(names) or "-"


def counted(count: int, what: str) -> str:
    """A number of things: "1 card", "2 cards"."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
