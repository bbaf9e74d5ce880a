"""`arena`: bots play leagues, and what comes of it as a table, JSON or a picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from ..arena import (
    PLOT_FILE,
    League,
    LeagueFolder,
    Played,
    Standing,
    play_games,
    standings,
    standings_as_json,
)
from ..bots import split_bots
from ..errors import TabletopError
from ..files import new_file
from ..game import find_game
from ..ratings import load_choix
from .common import (
    GameArgument,
    JsonOption,
    OptionsOption,
    new_progress,
    new_table,
    parse_options,
    say,
    say_json,
    show_table,
)

DEFAULT_BOTS: Final = "random,rule"
DEFAULT_GAMES: Final = 100
ENDED_EARLY: Final = 1
NUMBERS: Final = ("games", "won", "won, 95 %", "score", "rating", "rating, 95 %")
PLOT_WIDTH: Final = 7.0  # inches
PLOT_ROW: Final = 0.5
PLOT_REST: Final = 1.2
PLOT_DPI: Final = 150


OutOption = Annotated[str, typer.Option(metavar="FOLDER", help="A new folder for the results.")]
BotsOption = Annotated[
    str,
    typer.Option(
        metavar="LIST",
        help="Who plays, for example random,rule,mcts:simulations=200; ratings are measured by "
        "the first bot.",
    ),
]
NumGamesOption = Annotated[
    int, typer.Option(metavar="N", help="Games of every line-up, rounded up to whole deals.")
]
PlayersOption = Annotated[
    int | None, typer.Option(metavar="N", help="Number of players. Default: the fewest.")
]
SeedOption = Annotated[int, typer.Option(help="Seed of the first deal; deal k has seed + k.")]
ResumeOption = Annotated[
    bool, typer.Option("--resume", help="Go on with the league in FOLDER that was broken off.")
]
DeleteOption = Annotated[bool, typer.Option("--force", help="Delete the league that is in FOLDER.")]
PlotOption = Annotated[
    bool, typer.Option("--plot", help=f"Draw the ratings into FOLDER/{PLOT_FILE}.")
]


def arena(
    game: GameArgument,
    out: OutOption,
    bots: BotsOption = DEFAULT_BOTS,
    games: NumGamesOption = DEFAULT_GAMES,
    players: PlayersOption = None,
    seed: SeedOption = 0,
    option: OptionsOption = None,
    resume: ResumeOption = False,
    force: DeleteOption = False,
    plot: PlotOption = False,
    json: JsonOption = False,
) -> None:
    """Let bots play a league against each other and rate them.

    Every line-up of the bots plays the same deals, and each deal once for every rotation around
    the table. Results are kept game by game: a league that was broken off goes on with --resume.
    Ratings are Plackett-Luce strengths on the scale of Elo. Needs the packages of the extra
    `arena`. The exit code is 1 when the league was broken off by the keyboard.
    """
    load_choix()
    figure_type = _load_figure() if plot else None
    chosen = find_game(game)
    ruleset = chosen.ruleset(players, **parse_options(chosen, option))
    num_deals = -(-games // ruleset.num_players)
    league = League(ruleset, tuple(split_bots(bots)), num_deals, seed)
    folder = LeagueFolder(out)
    played = _open(folder, league, resume, force)
    _play(folder, league, played)
    _report(folder, league, list(played.values()), figure_type, json)


def _open(folder: LeagueFolder, league: League, resume: bool, force: bool) -> dict[int, Played]:
    """The games played so far."""
    if resume and force:
        raise TabletopError("give either --resume or --force")
    if resume:
        return folder.resume(league)
    folder.begin(league, force)
    return {}


def _play(folder: LeagueFolder, league: League, played: dict[int, Played]) -> None:
    """Play what is left, adding it to `played` and to the folder; an interrupt ends the command."""
    try:
        with new_progress() as progress:
            task = progress.add_task(
                f"{league.ruleset.game.id}: {', '.join(league.bots)}",
                total=league.num_games,
                completed=len(played),
            )
            for result in play_games(league, dict(played)):
                folder.append(result)
                played[result.number] = result
                progress.advance(task)
    except KeyboardInterrupt:
        say(f"broken off after {len(played)} of {league.num_games} games; go on with --resume")
        raise typer.Exit(ENDED_EARLY) from None


# --- output ----------------------------------------------------------------------------------


def _report(
    folder: LeagueFolder, league: League, games: Sequence[Played], figure_type: Any, json: bool
) -> None:
    """Write the standings into the folder, draw them if there is a figure type, and show them."""
    data = standings_as_json(league, games)
    folder.write_standings(data)
    rows = standings(league, games)
    if figure_type is not None:
        _draw(figure_type, league, rows, folder.path / PLOT_FILE)
    if json:
        say_json(data)
    else:
        _show(league, rows, len(games), folder)


def _show(league: League, rows: Iterable[Standing], num_games: int, folder: LeagueFolder) -> None:
    table = new_table("bot", *NUMBERS, numbers=NUMBERS)
    for row in rows:
        table.add_row(
            row.bot,
            f"{row.games}",
            f"{row.win_share:.1%}",
            f"{row.win_low:.1%} to {row.win_high:.1%}",
            f"{row.mean_score:.1f}",
            f"{row.rating:+.0f}",
            f"{row.rating_low:+.0f} to {row.rating_high:+.0f}",
        )
    show_table(table)
    game, players = league.ruleset.game.id, league.ruleset.num_players
    say(f"{game}, {players} players, {num_games} games, seed {league.seed}; kept in {folder.name}.")
    say(f"Ratings on the scale of Elo, measured by {league.bots[0]}.")


def _load_figure() -> Any:
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise TabletopError(
            'pictures need matplotlib: pip install "tabletop-envs[arena]"'
        ) from None
    return Figure


def _draw(figure_type: Any, league: League, rows: Sequence[Standing], path: Path) -> None:
    """A point with its interval for each bot, the best on top."""
    figure = figure_type(figsize=(PLOT_WIDTH, PLOT_REST + PLOT_ROW * len(rows)), layout="tight")
    axes = figure.add_subplot()
    ratings = [row.rating for row in rows]
    below = [row.rating - row.rating_low for row in rows]
    above = [row.rating_high - row.rating for row in rows]
    axes.errorbar(ratings, range(len(rows)), xerr=(below, above), fmt="o", capsize=3)
    axes.set_yticks(range(len(rows)), [row.bot for row in rows])
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel(f"rating (Elo scale, {league.bots[0]} = 0), 95 % interval")
    axes.set_title(f"{league.ruleset.game.title}, {league.ruleset.num_players} players")
    with new_file(path, force=True) as stream:
        figure.savefig(stream, format="png", dpi=PLOT_DPI)
