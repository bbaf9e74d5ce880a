"""Leagues of bots: who plays whom on which seats, results that survive a crash, and standings.

A league plays every line-up of its bots on the same deals, and each deal once for every rotation of
the line-up around the table, so that no bot owes its place to luck with seats or deals. The results
are lines of JSON in a folder. A league that was killed goes on where it was; the same games are
played whether it was or not.
"""

from __future__ import annotations

import itertools
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from .bots import AnyBot, ask, make_bots
from .errors import TabletopError
from .files import append_to_file, new_file, path_text, reason
from .game import Json, Ruleset
from .ratings import Rating, plackett_luce, wilson_interval
from .rng import SEED_LIMIT, check_seed
from .session import Session

SETTINGS_FILE: Final = "arena.json"
GAMES_FILE: Final = "games.jsonl"
STANDINGS_FILE: Final = "standings.json"
PLOT_FILE: Final = "ratings.png"
OWN_FILES: Final = (SETTINGS_FILE, GAMES_FILE, STANDINGS_FILE, PLOT_FILE)


# --- who plays whom --------------------------------------------------------------------------


@dataclass(frozen=True)
class Pairing:
    """One game of a schedule. seats: the bot of each seat, an index into the league's bots."""

    number: int
    seed: int
    seats: tuple[int, ...]


@dataclass(frozen=True)
class League:
    """Bots that play each other at one table size.

    A line-up is a choice of as many different bots as there are seats. Where there are fewer bots
    than seats, it is any choice of at least two bots with repetition.

    Args:
        ruleset: the game, its options and tables.
        bots: their names, at least two different ones; ratings are measured by the first.
        num_deals: how many deals each line-up plays; each is played once for every seat.
        seed: deal k is that of `reset(seed + k)`.

    Raises:
        TabletopError: a bad argument, or a bot that cannot play the game.
    """

    ruleset: Ruleset
    bots: tuple[str, ...]
    num_deals: int
    seed: int

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if self.num_deals < 1:
            raise TabletopError("a league plays at least one deal")
        if len(set(self.bots)) != len(self.bots) or len(self.bots) < 2:
            raise TabletopError(
                f"a league needs at least two bots, each named once, not {', '.join(self.bots)}"
            )
        make_bots(self.bots, self.ruleset)

    @cached_property
    def lineups(self) -> tuple[tuple[int, ...], ...]:
        """Indices of the bots that sit around the table together."""
        numbers, seats = range(len(self.bots)), self.ruleset.num_players
        if len(self.bots) >= seats:
            return tuple(itertools.combinations(numbers, seats))
        choices = itertools.combinations_with_replacement(numbers, seats)
        return tuple(lineup for lineup in choices if len(set(lineup)) > 1)

    @property
    def num_games(self) -> int:
        """Games of the whole schedule."""
        return self.num_deals * len(self.lineups) * self.ruleset.num_players

    def schedule(self) -> Iterator[Pairing]:
        """All games in order: deal by deal, so that all bots have played alike at any time."""
        number = 0
        for deal in range(self.num_deals):
            for lineup in self.lineups:
                for turn in range(len(lineup)):
                    seats = lineup[turn:] + lineup[:turn]
                    yield Pairing(number, (self.seed + deal) % SEED_LIMIT, seats)
                    number += 1

    def settings(self) -> Json:
        """What the games depend on, as JSON types."""
        return {
            "game": self.ruleset.game.id,
            "ruleset": f"{self.ruleset.digest:016x}",
            "players": self.ruleset.num_players,
            "bots": list(self.bots),
            "deals": self.num_deals,
            "seed": self.seed,
        }


# --- games -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Played:
    """The result of a game. seats: names of the bots; winners: seats."""

    number: int
    seed: int
    seats: tuple[str, ...]
    winners: tuple[int, ...]
    scores: tuple[float, ...]
    reason: str
    length: int

    def groups(self) -> list[list[int]]:
        """Seats with equal results, best first: the winners, then the others by score.

        If nobody wins, all results are equal.
        """
        keys = [
            (seat in self.winners, score) if self.winners else (False, 0.0)
            for seat, score in enumerate(self.scores)
        ]
        return [
            [seat for seat, other in enumerate(keys) if other == key]
            for key in sorted(set(keys), reverse=True)
        ]


def play_games(league: League, finished: Mapping[int, Played]) -> Iterator[Played]:
    """Play all games of the schedule that are not among the `finished` ones (by number)."""
    bots = make_bots(league.bots, league.ruleset)
    session = Session(league.ruleset)
    for pairing in league.schedule():
        if pairing.number not in finished:
            yield _play(league, bots, session, pairing)


def _play(league: League, bots: Sequence[AnyBot], session: Session, pairing: Pairing) -> Played:
    names = [league.bots[bot] for bot in pairing.seats]
    generators = [_generator(pairing.seed, seat, name) for seat, name in enumerate(names)]
    session.reset(pairing.seed)
    while not session.is_over:
        seat = session.current_player
        action = ask(bots[pairing.seats[seat]], session, generators[seat])
        try:
            session.step(action)
        except TabletopError as error:
            raise TabletopError(f"the bot {names[seat]} is wrong: {error}") from error
    result = session.result()
    return Played(
        pairing.number,
        pairing.seed,
        tuple(names),
        tuple(result["winners"]),
        tuple(result["scores"]),
        result["reason"],
        result["length"],
    )


def _generator(seed: int, seat: int, name: str) -> np.random.Generator:
    """What a bot draws from: the same whoever else is in the league."""
    return np.random.default_rng([seed, seat, zlib.crc32(name.encode())])


# --- the folder of a league ------------------------------------------------------------------


class LeagueFolder:
    """The files of a league; what was written once is never lost or played again.

    Args:
        path: the folder.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name: Final = path_text(path)
        self.path: Final = Path(path)

    def begin(self, league: League, force: bool = False) -> None:
        """Make the folder for a new league; with `force` the files of another one are deleted.

        Raises:
            TabletopError: it exists and `force` is not given, or cannot be made.
        """
        if not force and os.path.lexists(self.path):
            raise TabletopError(
                f"{self.name} exists already; give another folder, go on with --resume, or "
                "delete the league in it with --force"
            )
        try:
            self.path.mkdir(parents=True, exist_ok=force)
            for name in OWN_FILES:
                (self.path / name).unlink(missing_ok=True)
        except OSError as error:
            raise TabletopError(f"{self.name} cannot be used: {reason(error)}") from None
        self._write(SETTINGS_FILE, league.settings())

    def resume(self, league: League) -> dict[int, Played]:
        """The games that were played so far, by number; a line that was cut off is dropped.

        Raises:
            TabletopError: no league is in the folder, or another one, or its files are damaged.
        """
        settings = self._read_settings()
        if settings != league.settings():
            differing = [
                f"{name} {settings.get(name)} there, {value} here"
                for name, value in league.settings().items()
                if settings.get(name) != value
            ]
            raise TabletopError(f"{self.name} holds another league: {'; '.join(differing)}")
        games = self.path / GAMES_FILE
        try:
            data = games.read_bytes() if games.exists() else b""
            whole = data[: data.rfind(b"\n") + 1]
            if whole != data:
                os.truncate(games, len(whole))
        except OSError as error:
            raise TabletopError(f"{self.name} cannot be used: {reason(error)}") from None
        return self._read_games(league, whole)

    def append(self, played: Played) -> None:
        """Add a game; it is on the disk when this returns."""
        append_to_file(self.path / GAMES_FILE, json.dumps(asdict(played)).encode() + b"\n")

    def write_standings(self, standings: Json) -> None:
        """Write the standings, in place of earlier ones."""
        self._write(STANDINGS_FILE, standings)

    def _write(self, name: str, data: Json) -> None:
        with new_file(self.path / name, force=True) as stream:
            stream.write(json.dumps(data, indent=2).encode() + b"\n")

    def _read_settings(self) -> Json:
        try:
            settings = json.loads((self.path / SETTINGS_FILE).read_bytes())
        except FileNotFoundError:
            raise TabletopError(f"{self.name} holds no league that could be resumed") from None
        except (OSError, ValueError) as error:
            raise TabletopError(f"{self.name} cannot be read: {reason(error)}") from None
        if not isinstance(settings, dict):
            raise TabletopError(f"{self.name}: {SETTINGS_FILE} is damaged")
        return settings

    def _read_games(self, league: League, lines: bytes) -> dict[int, Played]:
        finished: dict[int, Played] = {}
        pairings = {pairing.number: pairing for pairing in league.schedule()}
        for line_number, line in enumerate(lines.splitlines(), start=1):
            try:
                data = json.loads(line)
                played = Played(**{name: _tuple(value) for name, value in data.items()})
                pairing = pairings.pop(played.number)
                is_right = _is_result(league, pairing, played)
            except (ValueError, TypeError, LookupError, AttributeError):
                is_right = False
            if not is_right:
                where = f"{self.name}: line {line_number} of {GAMES_FILE}"
                raise TabletopError(f"{where} is no game of this league, or one that stands twice")
            finished[played.number] = played
        return finished


def _is_result(league: League, pairing: Pairing, played: Played) -> bool:
    """Whether a result that was read is one of a game of the schedule."""
    seats = range(len(pairing.seats))
    return (
        played.seats == tuple(league.bots[bot] for bot in pairing.seats)
        and played.seed == pairing.seed
        and all(winner in seats for winner in played.winners)
        and len(played.scores) == len(seats)
        and all(isinstance(score, float) for score in played.scores)
    )


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


# --- standings -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Standing:
    """How a bot has done. A win that n players share counts 1/n; a game that nobody wins, nothing.

    Intervals are 95 %: Wilson's for `win_share`, see `ratings.plackett_luce` for `rating`.
    """

    bot: str
    games: int
    """Seats it has played on: a bot with two seats in a game has played twice."""
    wins: float
    win_share: float
    win_low: float
    win_high: float
    mean_score: float
    rating: float
    rating_low: float
    rating_high: float


def standings(league: League, games: Sequence[Played]) -> list[Standing]:
    """The standings after some games, the best rating first.

    Raises:
        TabletopError: no game was played, or choix is not installed.
    """
    if not games:
        raise TabletopError("no game has been played yet")
    index = {name: number for number, name in enumerate(league.bots)}
    results = [
        [[index[game.seats[seat]] for seat in group] for group in game.groups()] for game in games
    ]
    ratings = plackett_luce(len(league.bots), results)
    rows = [
        _standing(name, games, rating) for name, rating in zip(league.bots, ratings, strict=True)
    ]
    return sorted(rows, key=lambda row: -row.rating)


def _standing(name: str, games: Sequence[Played], rating: Rating) -> Standing:
    seats = [
        (game, seat) for game in games for seat, other in enumerate(game.seats) if other == name
    ]
    wins = sum(1 / len(game.winners) for game, seat in seats if seat in game.winners)
    count = len(seats)
    low, high = wilson_interval(wins, count) if count else (0.0, 1.0)
    return Standing(
        bot=name,
        games=count,
        wins=wins,
        win_share=wins / count if count else 0.0,
        win_low=low,
        win_high=high,
        mean_score=sum(game.scores[seat] for game, seat in seats) / count if count else 0.0,
        rating=rating.value,
        rating_low=rating.low,
        rating_high=rating.high,
    )


def standings_as_json(league: League, games: Sequence[Played]) -> Json:
    """Settings, number of games and standings as JSON types."""
    rows = [asdict(row) for row in standings(league, games)]
    return {**league.settings(), "games": len(games), "standings": rows}
