"""`watch`: bots play, and what happens is shown at a pace or all at once."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Annotated

import typer
from rich.progress import Progress

from ..errors import TabletopError
from ..game import Ruleset, find_game
from ..record import GameRecord, to_line, write_records
from ..rng import SEED_LIMIT, check_seed, random_seed
from .common import (
    ForceOption,
    GameArgument,
    OptionsOption,
    PaceOption,
    RecordOption,
    check_pace,
    new_progress,
    parse_options,
    require_new_file,
    say,
)
from .table import OPPONENT, Table, parse_seats
from .voices import TextVoice


def watch(
    game: GameArgument,
    players: Annotated[
        str | None,
        typer.Option(
            metavar="BOTS",
            help="Which bots play, seat by seat, for example rule,random. "
            "Default: the fewest random bots.",
        ),
    ] = None,
    games: Annotated[int, typer.Option(metavar="N", help="How many games.")] = 1,
    seed: Annotated[
        int | None,
        typer.Option(help="Seed of the first game and its bots; game k has seed + k."),
    ] = None,
    option: OptionsOption = None,
    seat: Annotated[
        int | None,
        typer.Option(metavar="K", help="Show what player K sees. Default: the open table."),
    ] = None,
    pace: PaceOption = None,
    brief: Annotated[
        bool, typer.Option("--brief", help="Show the results alone, with progress.")
    ] = False,
    record: RecordOption = None,
    force: ForceOption = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print the records of the games, and nothing else.")
    ] = False,
) -> None:
    """Let bots play, and show the table and every decision.

    With --brief and --record many games are played and kept in one file, for `replay` and `export`.
    The same seed plays the same games.
    """
    chosen = find_game(game)
    seats = parse_seats(chosen, players, OPPONENT)
    ruleset = chosen.ruleset(len(seats), **parse_options(chosen, option))
    first = random_seed() if seed is None else check_seed(seed)
    if games < 1:
        raise TabletopError(f"--games is a whole number from 1 on, not {games}")
    require_new_file(record, force)
    viewing = _Viewing(ruleset, seats, check_pace(pace), seat, brief, json)
    with new_progress(is_wanted=viewing.is_quiet) as progress:
        records = viewing.games(first, games, progress)
        if record is not None:
            write_records(record, _told(records, json), force=force)
        else:
            for _ in _told(records, json):
                pass


def _told(records: Iterator[GameRecord], is_json: bool) -> Iterator[GameRecord]:
    """The records, each printed as it passes by if programs listen."""
    for record in records:
        if is_json:
            typer.echo(to_line(record), nl=False)
        yield record


class _Viewing:
    """Games of bots, shown one after the other.

    seat: whose eyes they are shown through, None for the open table. is_brief: one line
    is shown for each game. is_silent: nothing at all.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        seats: list[str],
        pace: float,
        seat: int | None,
        is_brief: bool,
        is_silent: bool,
    ) -> None:
        self.ruleset = ruleset
        self.seats = seats
        self.pace = pace
        self.is_quiet = is_brief or is_silent
        self.is_brief = is_brief and not is_silent
        self.voice = TextVoice()
        table = Table(ruleset, seats, 0)
        if table.humans:
            raise TabletopError("only bots are watched; people take part with `play`")
        self.seat = None if seat is None else table.session.check_player(seat)

    def games(self, first: int, count: int, progress: Progress) -> Iterator[GameRecord]:
        """Play the games; the record of each."""
        task = progress.add_task(f"{self.ruleset.game.id}: playing", total=count)
        for k in range(count):
            table = Table(self.ruleset, self.seats, (first + k) % SEED_LIMIT)
            self._play(table)
            if self.is_brief:
                _say_result(table)
            progress.update(task, advance=1)
            yield table.record()

    def _play(self, table: Table) -> None:
        if self.is_quiet:
            while not table.session.is_over:
                table.play(table.bot_action())
            return
        self.voice.begin(table)
        while not table.session.is_over:
            turn = table.session.turn_count
            self.voice.played(table, [table.play(table.bot_action())], self.seat)
            sys.stdout.flush()
            time.sleep(self.pace)
            if table.session.turn_count != turn and not table.session.is_over:
                self.voice.board(table, self.seat)
        self.voice.result(table)


def _say_result(table: Table) -> None:
    result = table.session.result()
    scores = ", ".join(f"{score:g}" for score in result["scores"])
    winners = ", ".join(f"{player}" for player in result["winners"]) or "nobody"
    say(f"seed {table.seed}: {result['reason']} after {result['length']}, {scores}; won: {winners}")
