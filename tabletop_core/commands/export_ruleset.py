"""`export-ruleset`: write the tables of a game to a file that can be changed and given back."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from ..game import find_game
from ..table_file import write_new_file
from .common import GameArgument, OptionsOption, parse_options, say

STDOUT: Final = "-"


def export_ruleset(
    game: GameArgument,
    path: Annotated[
        str, typer.Argument(metavar="[PATH]", help="A new file; `-` or nothing: stdout.")
    ] = STDOUT,
    players: Annotated[
        int | None, typer.Option(metavar="N", help="Number of players. Default: the fewest.")
    ] = None,
    option: OptionsOption = None,
) -> None:
    """Write the tables of a game as a ruleset file.

    Change the file and play by it with --option ruleset=PATH, or ruleset=PATH in Python. An
    existing file is never replaced.
    """
    chosen = find_game(game)
    ruleset = chosen.ruleset(players, **parse_options(chosen, option))
    text = chosen.export_ruleset(ruleset.tables)
    if path == STDOUT:
        typer.echo(text, nl=False)
        return
    write_new_file(path, text)
    say(f"The tables of {chosen.id} are in {path}")
