"""How `play` and `watch` speak: as text for people, or as lines of JSON for programs."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from typing import Any, Final, Protocol

from rich.console import Console
from rich.text import Text

from ..session import Session
from .common import say
from .table import Played, Table

GAP: Final = 3  # columns between two actions of a list
BLOCK: Final = "bold cyan"
TITLE: Final = "bold"

HOW_TO_ANSWER: Final = """\
Answer with the number of an action in the list, or with its text or the beginning of it.
  (an empty line)  show the table and the actions again
  undo             take your last decision back, with all that followed
  hint [BOT]       what a bot would play
  log              what has been played so far
  save FILE        write a record of the game into a new file
  help             show this
  quit             leave the game"""


class Voice(Protocol):
    """What a table tells."""

    def begin(self, table: Table) -> None:
        """A game begins."""

    def position(self, table: Table, player: int | None) -> None:
        """The table as a player (or, None, everybody) sees it; a player gets the actions, too."""

    def played(self, table: Table, played: Sequence[Played], viewer: int | None) -> None:
        """Decisions were made."""

    def hand_over(self, player: int) -> None:
        """Another human sits down before the screen."""

    def prompt(self, player: int) -> None:
        """A human is asked."""

    def answered(self, answer: str) -> None:
        """A human answered."""

    def note(self, text: str) -> None:
        """Anything else, for people."""

    def result(self, table: Table) -> None:
        """The game is over."""


class TextVoice:
    """For people. Colours and clearing of the screen are for terminals."""

    def __init__(self) -> None:
        self._console = Console(markup=False, highlight=False, emoji=False)

    def begin(self, table: Table) -> None:
        """Title, players, seed; how to answer, if anybody has to."""
        game = table.session.game
        title = f"{game.title} ({game.id}), {len(table.seats)} players, seed {table.seed}"
        self._print(Text(title, style=TITLE))
        if table.humans:
            say(HOW_TO_ANSWER)

    def position(self, table: Table, player: int | None) -> None:
        """The text picture; the actions by kind."""
        self.board(table, player)
        if player is not None:
            for line in action_lines(table.session):
                self._print(line)

    def board(self, table: Table, viewer: int | None) -> None:
        """The text picture, as a player sees it or (None) openly."""
        say(f"\n{table.session.render(viewer)}\n")

    def played(self, table: Table, played: Sequence[Played], viewer: int | None) -> None:
        """One line for each decision."""
        for one in played:
            say(f"player {one.player}: {one.words_for(viewer)}")

    def hand_over(self, player: int) -> None:
        """Hide what the last player saw until the next one is there."""
        if self._console.is_terminal and sys.stdin.isatty():
            self._console.clear()
            say(f"player {player}: press Enter when nobody else is looking")
            sys.stdin.readline()

    def prompt(self, player: int) -> None:
        """Without a line feed."""
        sys.stdout.write(f"player {player}> ")
        sys.stdout.flush()

    def answered(self, answer: str) -> None:
        """What comes through a pipe is told, so that it reads like a terminal."""
        if not sys.stdin.isatty():
            say(answer)

    def note(self, text: str) -> None:
        """A line."""
        say(text)

    def result(self, table: Table) -> None:
        """The open table, points and winners."""
        self.position(table, None)
        result = table.session.result()
        say(f"The game is over ({result['reason']}) after {result['length']} decisions.")
        for player, score in enumerate(result["scores"]):
            won = ", won" if player in result["winners"] else ""
            say(f"player {player} ({table.seats[player]}): {score:g}{won}")

    def _print(self, line: Text) -> None:
        self._console.print(line, soft_wrap=True)


class JsonVoice:
    """For programs: one JSON object in each line, told apart by `event`."""

    def begin(self, table: Table) -> None:
        """{"event": "begin", "game", "seats", "seed"}."""
        game = table.session.game
        self._say("begin", game=game.id, seats=table.seats, seed=table.seed)

    def position(self, table: Table, player: int | None) -> None:
        """{"event": "position", "player", "view", "legal": [{"number", "action", ...}]}."""
        session = table.session
        if player is None:
            self._say("position", player=None, view=session.to_json())
            return
        legal = [
            {
                "number": number,
                "action": action,
                "kind": session.game.actions.block_of(action)[0].name,
                "words": session.action_to_string(action),
            }
            for number, action in enumerate(session.legal_actions(), 1)
        ]
        self._say("position", player=player, view=session.to_json(player), legal=legal)

    def played(self, table: Table, played: Sequence[Played], viewer: int | None) -> None:
        """{"event": "played", "player", "words"} for each decision."""
        for one in played:
            self._say("played", player=one.player, words=one.words_for(viewer))

    def hand_over(self, player: int) -> None:
        """Programs need no screen."""

    def prompt(self, player: int) -> None:
        """{"event": "ask", "player"}."""
        self._say("ask", player=player)
        sys.stdout.flush()

    def answered(self, answer: str) -> None:
        """Programs know what they wrote."""

    def note(self, text: str) -> None:
        """{"event": "note", "text"}."""
        self._say("note", text=text)

    def result(self, table: Table) -> None:
        """{"event": "result", "winners", "scores", "reason", "length"}."""
        self._say("result", **table.session.result())

    def _say(self, event: str, **content: Any) -> None:
        say(json.dumps({"event": event, **content}, allow_nan=False))


def voice_of(is_json: bool) -> Voice:
    """The voice that `--json` chooses."""
    return JsonVoice() if is_json else TextVoice()


# --- lists of actions ------------------------------------------------------------------------


def action_lines(session: Session) -> list[Text]:
    """The legal actions with their numbers, kind by kind (blocks of the action table)."""
    kinds: dict[str, list[str]] = {}
    for number, action in enumerate(session.legal_actions(), 1):
        kind = session.game.actions.block_of(action)[0].name
        kinds.setdefault(kind, []).append(f"{number:3} {session.action_to_string(action)}")
    label_width = max(map(len, kinds), default=0) + GAP
    lines = []
    for kind, cells in kinds.items():
        for k, row in enumerate(in_columns(cells, label_width)):
            label = (kind if k == 0 else "").ljust(label_width)
            lines.append(Text.assemble((label, BLOCK), row))
    return lines


def in_columns(cells: Sequence[str], margin: int = 0) -> list[str]:
    """Lines that hold the cells in as many columns as the terminal has room for, downwards.

    margin: columns of the terminal that are taken already.
    """
    width = max(map(len, cells)) + GAP
    columns = max(1, (shutil.get_terminal_size().columns - margin) // width)
    height = -(-len(cells) // columns)
    return ["".join(cell.ljust(width) for cell in cells[k::height]).rstrip() for k in range(height)]
