"""`rollouts`: play random games of every game and tell how fast they go and how they end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer
from rich.progress import Progress

from ..errors import TabletopError
from ..game import Game, Ruleset
from ..rollouts import Rollouts, warm
from ..rollouts import rollouts as play_rollouts
from .common import (
    GamesOption,
    JsonOption,
    chosen_games,
    new_progress,
    new_table,
    say,
    say_json,
    show_table,
)

DEFAULT_SECONDS: Final = 2.0
NUMBERS: Final = ("players", "rollouts/s", "steps/s", "ns/step", "length")
SMALLEST_SHARE: Final = 0.001  # that is shown as a number


def rollouts(
    game: GamesOption = None,
    players: Annotated[
        int | None, typer.Option(metavar="N", help="Only this number of players. Default: all.")
    ] = None,
    games: Annotated[
        int | None, typer.Option(metavar="N", help="Games per row, instead of a time.")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(metavar="S", help=f"Time per row. Default: {DEFAULT_SECONDS:g}."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the first game; game k has seed + k.")] = 0,
    threads: Annotated[int, typer.Option(metavar="N", help="Games played at a time.")] = 1,
    json: JsonOption = False,
) -> None:
    """Play complete random games of every game at every number of players.

    The table shows whole games and steps (decisions with a choice) per second, the mean length of a
    game in steps, and the share of each way the games ended. With --games the same seed plays the
    same games, whatever the number of threads.
    """
    if games is not None and seconds is not None:
        raise TabletopError("give either --games or --seconds")
    if games is None and seconds is None:
        seconds = DEFAULT_SECONDS
    rulesets = _rulesets(chosen_games(game), players, is_chosen=bool(game))
    with new_progress() as progress:
        _compile(rulesets, progress)
        rows = [_play(ruleset, games, seconds, seed, threads, progress) for ruleset in rulesets]
    if json:
        say_json({"seed": seed, "threads": threads, "rows": [_as_json(row) for row in rows]})
    else:
        _show(rows, seed, threads)


def _rulesets(chosen: Sequence[Game], players: int | None, is_chosen: bool) -> list[Ruleset]:
    """Every game at every number of players, or at one; games without it are then left out."""
    rulesets = [
        game.ruleset(count)
        for game in chosen
        for count in ([players] if players is not None else _all_players(game))
        if is_chosen or count in _all_players(game)
    ]
    if not rulesets:
        raise TabletopError(f"no installed game is for {players} players")
    return rulesets


def _all_players(game: Game) -> range:
    return range(game.min_players, game.max_players + 1)


def _compile(rulesets: Sequence[Ruleset], progress: Progress) -> None:
    task = progress.add_task("compiling kernels (once)", total=None)
    for ruleset in {ruleset.game.state_dtype: ruleset for ruleset in rulesets}.values():
        warm(ruleset)
    progress.remove_task(task)


def _play(
    ruleset: Ruleset,
    num_games: int | None,
    seconds: float | None,
    seed: int,
    threads: int,
    progress: Progress,
) -> Rollouts:
    label = f"{ruleset.game.id}, {ruleset.num_players} players"
    task = progress.add_task(label, total=num_games or seconds)

    def report(played_games: int, played_seconds: float) -> None:
        progress.update(task, completed=played_games if num_games else played_seconds)

    return play_rollouts(
        ruleset, num_games, seconds=seconds, seed=seed, threads=threads, report=report
    )


def _as_json(row: Rollouts) -> dict[str, Any]:
    return {
        "game": row.game,
        "players": row.num_players,
        "rollouts_per_second": row.rollouts_per_second,
        "steps_per_second": row.steps_per_second,
        "ns_per_step": row.ns_per_step if row.num_steps else None,
        "mean_length": row.mean_length,
        "end_shares": row.end_shares,
        "games": row.num_games,
        "steps": row.num_steps,
        "turns": row.num_turns,
        "seconds": row.seconds,
        "wins": list(row.wins),
    }


def _show(rows: Sequence[Rollouts], seed: int, threads: int) -> None:
    table = new_table("game", *NUMBERS, "ended by", numbers=NUMBERS)
    for row in rows:
        table.add_row(
            row.game,
            f"{row.num_players}",
            f"{row.rollouts_per_second:,.0f}",
            f"{row.steps_per_second:,.0f}",
            f"{row.ns_per_step:.1f}",
            f"{row.mean_length:.1f}",
            ", ".join(f"{name} {_percent(share)}" for name, share in row.end_shares.items()),
        )
    show_table(table)
    threads_text = "1 thread" if threads == 1 else f"{threads} threads"
    say(f"Uniformly random legal play, {threads_text}, seed {seed}.")
    say("A step is a decision with a choice; length is the mean number of steps of a game.")


def _percent(share: float) -> str:
    return f"{share:.1%}" if share >= SMALLEST_SHARE else f"<{SMALLEST_SHARE:.1%}"
