"""`play`: a game in plain text, against bots."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import Annotated, Final

import numpy as np
import typer

from ..bots import BOTS, ask, make_bots, split_bots
from ..errors import TabletopError
from ..game import Game, find_game
from ..rng import check_seed, random_seed
from ..session import Session
from .common import GameArgument, OptionsOption, parse_options, say

HUMAN: Final = "human"
OPPONENT: Final = "random"
HELP: Final = "help"
QUIT: Final = "quit"
GAP: Final = 3  # columns between two actions of a list
ENDED_EARLY: Final = 1

HOW_TO_ANSWER: Final = """\
Answer with the number of an action in the list, or with its text.
  (an empty line)  show the table and the actions again
  help             show this
  quit             leave the game"""


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
) -> None:
    """Play a game in the terminal against bots.

    Works through pipes too. The exit code is 0 when the game was played to its end or left by
    `quit`, 1 when the input ended before.
    """
    chosen = find_game(game)
    seats = _parse_seats(chosen, players)
    ruleset = chosen.ruleset(len(seats), **parse_options(chosen, option))
    number = random_seed() if seed is None else check_seed(seed)
    raise typer.Exit(_Table(Session(ruleset), seats, number).play())


def _parse_seats(game: Game, text: str | None) -> list[str]:
    if text is None:
        return [HUMAN] + [OPPONENT] * (game.min_players - 1)
    seats = split_bots(text)
    for name in seats:
        if name.partition(":")[0] not in (HUMAN, *BOTS):
            raise TabletopError(
                f"--players {text}: {name!r} is not available; each seat is {HUMAN} or a bot "
                f"({', '.join(BOTS)}), for example --players {HUMAN},{OPPONENT}"
            )
    return seats


class _Table:
    """One game, the people and bots around it, and what they say."""

    def __init__(self, session: Session, seats: Sequence[str], seed: int) -> None:
        self.session = session
        self.seats = seats
        self.seed = seed
        names = [name for name in seats if name != HUMAN]
        self.bots = dict(zip(names, make_bots(names, session.ruleset), strict=True))
        self.rng = np.random.default_rng(seed)

    def play(self) -> int:
        """Play until the end; returns the exit code."""
        game = self.session.game
        say(f"{game.title} ({game.id}), {len(self.seats)} players, seed {self.seed}")
        if HUMAN in self.seats:
            say(HOW_TO_ANSWER)
        self.session.reset(self.seed)
        while not self.session.is_over:
            player = self.session.current_player
            try:
                action = self._decide(player)
            except EOFError:
                say()
                say("The input ended before the game was over.")
                return ENDED_EARLY
            if action is None:
                say("You left the game.")
                return 0
            words = self.session.action_to_string(action)
            self.session.step(action)
            say(f"player {player}: {words}")
        self._show_result()
        return 0

    def _decide(self, player: int) -> int | None:
        """The action of one seat, or None to leave the game."""
        if self.seats[player] == HUMAN:
            return self._ask(player)
        return ask(self.bots[self.seats[player]], self.session, self.rng)

    def _ask(self, player: int) -> int | None:
        self._show(player)
        while True:
            answer = self._read(f"player {player}> ")
            if answer == QUIT:
                return None
            if answer == HELP:
                say(HOW_TO_ANSWER)
            elif not answer:
                self._show(player)
            else:
                try:
                    return self._understand(answer)
                except TabletopError as error:
                    say(f"{error}")

    def _show(self, player: int) -> None:
        say()
        say(self.session.render(player))
        words = [self.session.action_to_string(action) for action in self.session.legal_actions()]
        say()
        for line in in_columns([f"{k:3} {text}" for k, text in enumerate(words, 1)]):
            say(line)

    def _read(self, prompt: str) -> str:
        typer.echo(prompt, nl=False)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        answer = line.strip()
        if not sys.stdin.isatty():
            say(answer)  # so that what goes through a pipe reads like a terminal
        return answer

    def _understand(self, answer: str) -> int:
        """The legal action that an answer names.

        Raises:
            TabletopError: there is none; the message says what was understood.
        """
        legal = self.session.legal_actions()
        numbered = {f"{k}": action for k, action in enumerate(legal, 1)}
        if answer in numbered:
            return numbered[answer]
        if answer.isdecimal():
            raise TabletopError(f"There is no number {answer}, only 1 to {len(legal)}.")
        for action in legal:
            if self.session.action_to_string(action).casefold() == answer.casefold():
                return action
        action = self.session.string_to_action(answer)
        if action not in legal:
            raise TabletopError(self.session.explain_illegal(action))
        return action

    def _show_result(self) -> None:
        result = self.session.result()
        say()
        say(self.session.render())
        say()
        say(f"The game is over ({result['reason']}) after {result['length']} decisions.")
        for player, score in enumerate(result["scores"]):
            won = ", won" if player in result["winners"] else ""
            say(f"player {player} ({self.seats[player]}): {score:g}{won}")


def in_columns(cells: Sequence[str]) -> list[str]:
    """Lines that hold the cells in as many columns as the terminal has room for, downwards."""
    width = max(map(len, cells)) + GAP
    columns = max(1, shutil.get_terminal_size().columns // width)
    height = -(-len(cells) // columns)
    return ["".join(cell.ljust(width) for cell in cells[k::height]).rstrip() for k in range(height)]
