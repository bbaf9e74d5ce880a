"""`play`: a game in the terminal, or through pipes, of people and bots."""

from __future__ import annotations

import sys
from typing import Annotated, Final

import typer

from ..errors import TabletopError
from ..game import find_game
from ..record import write_records
from ..rng import check_seed, random_seed
from .common import (
    ForceOption,
    GameArgument,
    OptionsOption,
    RecordOption,
    parse_options,
    require_new_file,
)
from .table import HUMAN, Table, parse_seats
from .voices import HOW_TO_ANSWER, Voice, voice_of

ENDED_EARLY: Final = 1
SHOWN_MATCHES: Final = 8


def play(
    game: GameArgument,
    players: Annotated[
        str | None,
        typer.Option(
            metavar="SEATS",
            help="Who plays, seat by seat: human or a bot, for example human,rule,random. "
            "Default: a human and the fewest random bots.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the game and the bots. Default: a new one.")
    ] = None,
    option: OptionsOption = None,
    record: RecordOption = None,
    force: ForceOption = False,
    json: Annotated[
        bool, typer.Option("--json", help="Speak in lines of JSON, for programs at a pipe.")
    ] = False,
) -> None:
    """Play a game in the terminal against bots, or against people at the same screen.

    Everybody sees what their seat may know; on a terminal the screen is hidden between the turns of
    several people. Works through pipes too. The exit code is 0 when the game was played to its end
    or left by `quit`, 1 when the input ended before.
    """
    chosen = find_game(game)
    seats = parse_seats(chosen, players, HUMAN)
    ruleset = chosen.ruleset(len(seats), **parse_options(chosen, option))
    number = random_seed() if seed is None else check_seed(seed)
    require_new_file(record, force)
    table = Table(ruleset, seats, number)
    code = _Dialogue(table, voice_of(json)).run()
    if record is not None:
        write_records(record, [table.record()], force=force)
    raise typer.Exit(code)


class _Leave(Exception):
    """Somebody wants to leave the game."""


class _Dialogue:
    """What is asked and answered around a table."""

    def __init__(self, table: Table, voice: Voice) -> None:
        self.table = table
        self.voice = voice
        self.told = [0] * len(table.seats)  # decisions that each player has been told of
        self.last_human: int | None = None

    def run(self) -> int:
        """Play until the end; returns the exit code."""
        self.voice.begin(self.table)
        try:
            while not self.table.session.is_over:
                self._decide()
        except EOFError:
            self.voice.note("\nThe input ended before the game was over.")
            return ENDED_EARLY
        except _Leave:
            self.voice.note("You left the game.")
            return 0
        self._tell(self.table.viewer)
        self.voice.result(self.table)
        return 0

    def _decide(self) -> None:
        table = self.table
        player = table.player
        if player not in table.humans:
            table.play(table.bot_action())
            if len(table.humans) <= 1:
                self._tell(table.viewer)
            return
        if self.last_human not in (None, player):
            self.voice.hand_over(player)
        self.last_human = player
        self._tell(player)
        action = self._ask(player)
        if action is not None:
            table.play(action)
            self._tell(player)

    def _tell(self, viewer: int | None) -> None:
        """What was played since the viewer was told last."""
        seat = 0 if viewer is None else viewer
        played = self.table.history[self.told[seat] :]
        self.voice.played(self.table, played, viewer)
        self.told[seat] = len(self.table.history)

    def _ask(self, player: int) -> int | None:
        """The action of a human, or None after `undo`."""
        self.voice.position(self.table, player)
        while True:
            answer = self._read(player)
            try:
                if not answer:
                    self.voice.position(self.table, player)
                elif answer.partition(" ")[0].casefold() in _COMMANDS:
                    if self._obey(player, *answer.split(maxsplit=1)):
                        return None
                else:
                    return self._understand(answer)
            except TabletopError as error:
                self.voice.note(f"{error}")

    def _read(self, player: int) -> str:
        self.voice.prompt(player)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        answer = line.strip()
        self.voice.answered(answer)
        return answer

    def _obey(self, player: int, command: str, argument: str = "") -> bool:
        """Carry out what is no action; whether the position has changed."""
        name = command.casefold()
        if name == "quit":
            raise _Leave
        if name == "undo":
            return self._undo()
        if name == "hint":
            bot, action = self.table.hint(argument or None)
            number = self.table.session.legal_actions().index(action) + 1
            words = self.table.session.action_to_string(action)
            self.voice.note(f"{bot} would play {number}: {words}")
        elif name == "log":
            self.voice.played(self.table, self.table.history, player)
        elif name == "save":
            self._save(argument)
        else:
            self.voice.note(HOW_TO_ANSWER)
        return False

    def _undo(self) -> bool:
        if not self.table.undo():
            self.voice.note("There is nothing to take back.")
            return False
        count = len(self.table.history)
        self.told = [min(told, count) for told in self.told]
        self.voice.note("Your last decision is taken back.")
        return True

    def _save(self, path: str) -> None:
        if not path:
            raise TabletopError("save needs the name of a new file: save FILE")
        write_records(path, [self.table.record()])
        self.voice.note(f"The game so far is in {path}")

    def _understand(self, answer: str) -> int:
        """The legal action that an answer names.

        Raises:
            TabletopError: there is none; the message says what was understood.
        """
        session = self.table.session
        legal = session.legal_actions()
        numbered = {f"{k}": action for k, action in enumerate(legal, 1)}
        if answer in numbered:
            return numbered[answer]
        if answer.isdecimal():
            raise TabletopError(f"There is no number {answer}, only 1 to {len(legal)}.")
        words = {action: session.action_to_string(action) for action in legal}
        wanted = " ".join(answer.split()).casefold()
        for action, text in words.items():
            if text.casefold() == wanted:
                return action
        begun = [action for action, text in words.items() if text.casefold().startswith(wanted)]
        if len(begun) == 1:
            return begun[0]
        if begun:
            listed = ", ".join(repr(words[action]) for action in begun[:SHOWN_MATCHES])
            more = ", ..." if len(begun) > SHOWN_MATCHES else ""
            raise TabletopError(f"{answer!r} can mean {listed}{more}")
        action = session.string_to_action(answer)
        if not session.is_legal(action):
            raise TabletopError(session.explain_illegal(action))
        return action


_COMMANDS: Final = frozenset({"undo", "hint", "log", "save", "help", "quit"})
