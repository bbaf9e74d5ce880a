"""Whole games by uniformly random bots, and what they tell: speed, length, ways to end, wins."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from . import engine
from .errors import TabletopError, shown
from .game import Array, Game, Ruleset, allocate
from .record import GameRecord, play_log
from .rng import SEED_LIMIT, check_seed, seed_to_word, seeds_to_words
from .session import TRUNCATED, GameLog
from .threads import check_threads

MAX_CHUNK: Final = 1 << 16  # games played by one call; bounds the memory for results
CHUNK_SECONDS: Final = 0.1  # a call as long as this loses nothing and still shows progress
RECORDS_APART: Final = 8  # between the records of two threads: no cache line in common


# --- results ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rollouts:
    """Statistics of random games of one ruleset.

    A step is a decision with at least two legal answers; forced ones are played but not counted.
    """

    game: str
    """Name with version, for example `jumpgate_v0`."""
    num_players: int
    seed: int
    num_games: int
    num_steps: int
    num_turns: int
    """Finished turns of all players together, over all games."""
    seconds: float
    """Wall time in the loop over games; without compilation."""
    ends: dict[str, int]
    """Games by the way they ended: reasons joined by `+`, or `max_turns`."""
    wins: tuple[int, ...]
    """[players] games won; shared wins count for each of the winners."""

    @property
    def rollouts_per_second(self) -> float:
        """Whole games per second of wall time."""
        return self.num_games / self.seconds

    @property
    def steps_per_second(self) -> float:
        """Steps per second of wall time."""
        return self.num_steps / self.seconds

    @property
    def ns_per_step(self) -> float:
        """Wall time of a step in nanoseconds; NaN if no game had a choice."""
        return self.seconds * 1e9 / self.num_steps if self.num_steps else float("nan")

    @property
    def mean_length(self) -> float:
        """Mean number of steps of a game."""
        return self.num_steps / self.num_games

    @property
    def end_shares(self) -> dict[str, float]:
        """Share of the games (0 to 1) by the way they ended, the most frequent first."""
        ordered = sorted(self.ends.items(), key=lambda end: (-end[1], end[0]))
        return {name: count / self.num_games for name, count in ordered}


@dataclass(frozen=True)
class Results:
    """What each of a number of games came to.

    lanes: `engine.LANE` [games]; length, turns, end_reasons, terminated and truncated are filled.
    points: float64 [games, players]. is_winner: bool [games, players].
    """

    lanes: Array
    points: Array
    is_winner: Array


# --- playing ---------------------------------------------------------------------------------


def rollouts(
    ruleset: Ruleset,
    num_games: int | None = None,
    *,
    seconds: float | None = None,
    seed: int = 0,
    threads: int = 1,
    report: Callable[[int, float], None] | None = None,
) -> Rollouts:
    """Play `num_games` random games, or as many as `seconds` of wall time allow (at least one).

    Game k is the one that `reset(seed + k)` deals. The same games are played with any number of
    threads. Compile first (`warm`) if the time matters.

    Args:
        ruleset: the game, its options and tables.
        num_games: how many games; give this or `seconds`.
        seconds: for how long.
        seed: seed of the first game and of the bots, 0 .. 2**64 - 1.
        threads: how many games are played at a time, 1 .. 256.
        report: called now and then with the games and the seconds played so far.

    Raises:
        TabletopError: a bad argument, or both or none of `num_games` and `seconds`.
    """
    _check_amount(num_games, seconds)
    check_seed(seed)
    played = _Sum(ruleset, seed)
    with _player(ruleset, seed, threads) as play:
        count = threads
        while True:
            if num_games is not None:
                count = min(count, num_games - played.num_games)
            started = time.perf_counter()
            results = play(played.num_games, count)
            took = time.perf_counter() - started
            played.add(results, took)
            if report is not None:
                report(played.num_games, played.seconds)
            if played.is_enough(num_games, seconds):
                return played.total()
            if took < CHUNK_SECONDS:
                count = min(2 * count, MAX_CHUNK)


def random_games(
    ruleset: Ruleset, num_games: int, *, seed: int = 0, first_game: int = 0, threads: int = 1
) -> Results:
    """Play games `first_game` .. `first_game + num_games - 1` of those that `rollouts` plays.

    Raises:
        TabletopError: a bad argument.
    """
    _check_count(num_games, "num_games")
    _check_count(first_game, "first_game", low=0)
    check_seed(seed)
    with _player(ruleset, seed, threads) as play:
        return play(int(first_game), int(num_games))


def random_records(
    ruleset: Ruleset, num_games: int, *, seed: int = 0, first_game: int = 0
) -> Iterator[GameRecord]:
    """Records of the games that `random_games` plays with the same arguments.

    Raises:
        TabletopError: a bad argument.
    """
    _check_count(num_games, "num_games")
    _check_count(first_game, "first_game", low=0)
    check_seed(seed)
    players = ruleset.num_players
    everybody = (1 << players) - 1
    for k in range(num_games):
        ((rng, bots_rng),) = _words(seed, first_game + k, 1).tolist()
        log = GameLog(rng, bots=everybody, bots_rng=bots_rng)
        yield play_log(ruleset, log, ["random"] * players)[0]


def warm(ruleset: Ruleset) -> None:
    """Compile what `rollouts` needs (or read it from the cache) by playing one game."""
    random_games(ruleset, 1)


@contextmanager
def _player(ruleset: Ruleset, seed: int, threads: int) -> Iterator[Callable[[int, int], Results]]:
    """A function (first game, count) -> Results that plays with a pool of threads."""
    check_threads(threads)
    states = allocate(ruleset.game.state_dtype, threads * RECORDS_APART)
    choosers = allocate(engine.CHOOSER, threads * RECORDS_APART)
    with ThreadPoolExecutor(threads, "rollouts") as pool:

        def play(first_game: int, count: int) -> Results:
            return _play(ruleset, seed, first_game, count, states, choosers, threads, pool)

        yield play


def _play(
    ruleset: Ruleset,
    seed: int,
    first_game: int,
    count: int,
    states: Array,
    choosers: Array,
    threads: int,
    pool: Executor,
) -> Results:
    words = _words(seed, first_game, count)
    results = Results(
        lanes=allocate(engine.LANE, count),
        points=np.zeros((count, ruleset.num_players)),
        is_winner=np.zeros((count, ruleset.num_players), np.bool_),
    )

    def play_part(part: int) -> None:
        engine.play_games(
            ruleset.record,
            states,
            choosers,
            words,
            results.lanes,
            results.points,
            results.is_winner,
            part * RECORDS_APART,
            count * part // threads,
            count * (part + 1) // threads,
        )

    if threads == 1:
        play_part(0)
    else:
        list(pool.map(play_part, range(threads)))
    ruleset.game.check_room(states)
    return results


def _words(seed: int, first_game: int, count: int) -> Array:
    """Generator words uint64 [count, 2] of the games and of their bots."""
    words = np.empty((count, 2), np.uint64)
    words[:, 0] = seeds_to_words((seed + first_game) % SEED_LIMIT, count)
    # Far from the seeds of the games, so that the bots of one game are not the deal of another.
    words[:, 1] = seeds_to_words((seed_to_word(seed) + first_game) % SEED_LIMIT, count)
    return words


# --- adding up -------------------------------------------------------------------------------


class _Sum:
    """Totals over chunks of games; whole numbers only, so the chunks do not matter."""

    def __init__(self, ruleset: Ruleset, seed: int) -> None:
        self._ruleset = ruleset
        self._seed = seed
        self._ends = np.zeros(1 << 8, np.int64)  # by the byte `end_reasons`, 0 is truncation
        self._wins = np.zeros(ruleset.num_players, np.int64)
        self._num_steps = 0
        self._num_turns = 0
        self.num_games = 0
        self.seconds = 0.0

    def add(self, results: Results, seconds: float) -> None:
        lanes = results.lanes
        self.num_games += len(lanes)
        self.seconds += seconds
        self._num_steps += int(lanes["length"].sum(dtype=np.int64))
        self._num_turns += int(lanes["turns"].sum(dtype=np.int64))
        self._ends += np.bincount(lanes["end_reasons"], minlength=len(self._ends))
        self._wins += results.is_winner.sum(axis=0)

    def is_enough(self, num_games: int | None, seconds: float | None) -> bool:
        if num_games is not None:
            return self.num_games >= num_games
        return seconds is not None and self.seconds >= seconds

    def total(self) -> Rollouts:
        game = self._ruleset.game
        return Rollouts(
            game=game.id,
            num_players=self._ruleset.num_players,
            seed=self._seed,
            num_games=self.num_games,
            num_steps=self._num_steps,
            num_turns=self._num_turns,
            seconds=self.seconds,
            ends={
                end_name(game, int(bits)): int(self._ends[bits])
                for bits in np.flatnonzero(self._ends)
            },
            wins=tuple(int(count) for count in self._wins),
        )


def end_name(game: Game, end_reasons: int) -> str:
    """The way a game ended in words: reasons joined by `+`, or `max_turns` if the cap ended it."""
    names = [name for k, name in enumerate(game.end_reasons) if end_reasons >> k & 1]
    return "+".join(names) or TRUNCATED


# --- checking --------------------------------------------------------------------------------


def _check_amount(num_games: object, seconds: object) -> None:
    if (num_games is None) == (seconds is None):
        raise TabletopError("give either a number of games or a number of seconds")
    if num_games is not None:
        _check_count(num_games, "num_games")
    elif not _is_positive(seconds):
        raise TabletopError(f"seconds must be a number above 0, not {shown(seconds)}")


def _is_positive(number: Any) -> bool:
    is_number = isinstance(number, (int, float, np.number)) and not isinstance(number, bool)
    return is_number and 0 < number < float("inf")


def _check_count(number: Any, what: str, low: int = 1) -> None:
    is_whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
    if not is_whole or number < low:
        raise TabletopError(f"{what} must be a whole number from {low} on, not {shown(number)}")
