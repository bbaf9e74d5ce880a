"""Random games by the kernels and by the plain-C twin of a game, and proof that they agree.

The twin of a game is `c/<name>.c`; there is nothing else to know about a game here.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tabletop_core import engine
from tabletop_core.game import Array, Game, Ruleset, allocate
from tabletop_core.rng import seeds_to_words

from ..c_build import LEVELS, SOURCES, Build
from ..c_layout import header, int_constants
from ..measure import Contender, Counts, Mismatch, Work

VARIANTS: dict[str, dict[str, int]] = {
    "as the kernels": {"MERGED": 0, "USE_BMI2": 1},
    "merged": {"MERGED": 1, "USE_BMI2": 0},
    "merged, bit deposit": {"MERGED": 1, "USE_BMI2": 1},
}
BOT_SEED = 1 << 40  # far from the seeds of the games

# Options that the proof of a twin covers besides the defaults, which are what is timed.
PROVED_OPTIONS: dict[str, list[dict[str, Any]]] = {
    "junkorbit": [{"ship_powers": "A"}, {"ship_powers": "B"}],
}


def has_twin(game: Game) -> bool:
    """Whether a twin of the game has been written."""
    return (SOURCES / f"{game.name}.c").is_file()


def builds(game: Game) -> Iterator[tuple[str, Build]]:
    """Name and build of each written variant at each level of optimisation."""
    headers = {f"{game.name}_layout.h": layout(game)}
    for name, macros in VARIANTS.items():
        for level in LEVELS:
            yield f"C {name} {level}", Build(f"{game.name}.c", level, macros, headers)


def layout(game: Game) -> str:
    """The header with all records of a game, and the constants that its kernels compile in."""
    records = {
        "State": game.state_dtype,
        "Rules": game.rules_dtype,
        "Lane": engine.LANE,
        "Chooser": engine.CHOOSER,
    }
    package = game.module.rpartition(".")[0]
    modules = [importlib.import_module(f"{package}.{name}") for name in ("sizes", "rules")]
    return header(records, int_constants(*modules))


# --- playing ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Buffers:
    """Everything that whole games of one ruleset read and write."""

    ruleset: Ruleset
    state: Array
    chooser: Array
    words: Array
    lanes: Array
    points: Array
    is_winner: Array

    @property
    def count(self) -> int:
        """How many games there is room for."""
        return len(self.lanes)

    def play_kernel(self, count: int) -> None:
        """Games 0 .. count - 1 by the kernels."""
        self.play_kernel_games(0, count)

    def play_kernel_games(self, first: int, end: int) -> None:
        """Games first .. end - 1 by the kernels."""
        engine.play_games(
            self.ruleset.record,
            self.state,
            self.chooser,
            self.words,
            self.lanes,
            self.points,
            self.is_winner,
            0,
            first,
            end,
        )
        self.ruleset.game.check_room(self.state)

    def addresses(self) -> list[int]:
        """Where the arrays are, in the order in which the twin takes them."""
        results = (self.words, self.lanes, self.points, self.is_winner)
        arrays = (self.ruleset.record, self.state, self.chooser, *results)
        return [array.ctypes.data for array in arrays]


def buffers(ruleset: Ruleset, count: int, seed: int = 0) -> Buffers:
    """Room for `count` games that begin with the seeds `seed`, `seed` + 1, ..."""
    words = np.stack([seeds_to_words(seed, count), seeds_to_words(seed + BOT_SEED, count)], axis=1)
    return Buffers(
        ruleset,
        allocate(ruleset.game.state_dtype, 1),
        allocate(engine.CHOOSER, 1),
        np.ascontiguousarray(words),
        allocate(engine.LANE, count),
        np.zeros((count, ruleset.num_players)),
        np.zeros((count, ruleset.num_players), np.bool_),
    )


class Twin:
    """One compiled build of the twin."""

    def __init__(self, build: Build) -> None:
        library = build.load()
        library.make_tables()
        self._play_games = library.play_games
        self._play_games.restype = None
        self._play_games.argtypes = [ctypes.c_void_p] * 8 + [ctypes.c_int64] * 2

    def play(self, games: Buffers, count: int, final_states: Array | None = None) -> None:
        """Games 0 .. count - 1; the last position of each goes to `final_states` [games]."""
        finals = None if final_states is None else final_states.ctypes.data
        self._play_games(*games.addresses(), finals, 0, count)


# --- the same games --------------------------------------------------------------------------


def kernel_hash(ruleset: Ruleset, count: int, seed: int = 0) -> str:
    """Hash of the last positions and all results of `count` games played by the kernels."""
    games = buffers(ruleset, count, seed)
    final_states = allocate(ruleset.game.state_dtype, count)
    for k in range(count):
        games.play_kernel_games(k, k + 1)
        final_states[k] = games.state[0]
    return _hash(games, final_states)


def twin_hash(twin: Twin, ruleset: Ruleset, count: int, seed: int = 0) -> str:
    """The same of a twin."""
    games = buffers(ruleset, count, seed)
    final_states = allocate(ruleset.game.state_dtype, count)
    twin.play(games, count, final_states)
    return _hash(games, final_states)


def _hash(games: Buffers, final_states: Any) -> str:
    result = hashlib.blake2b(digest_size=16)
    for array in (final_states, games.lanes, games.points, games.is_winner, games.chooser):
        result.update(array.tobytes())
    return result.hexdigest()


# --- contenders ------------------------------------------------------------------------------

CHECKED_GAMES = 10_000
GAMES_PER_CALL = 512


def kernel_rollouts(ruleset: Ruleset) -> Contender:
    """Whole random games by `engine.play_games`: legal set, choice, action, results."""

    def prepare() -> Work:
        games = buffers(ruleset, GAMES_PER_CALL)
        games.play_kernel(1)
        return lambda amount: _work(games, games.play_kernel, amount)

    return Contender(f"kernels, {ruleset.num_players} players", prepare)


def twin_rollouts(ruleset: Ruleset, others: Sequence[Ruleset] = ()) -> list[Contender]:
    """The same games by each build of the twin.

    `prepare` first proves that they are the same, with the options of `others` too.
    """
    proved = [ruleset, *others]
    return [_twin_contender(proved, name, build) for name, build in builds(ruleset.game)]


def _twin_contender(proved: Sequence[Ruleset], name: str, build: Build) -> Contender:
    def prepare() -> Work:
        twin = Twin(build)
        for ruleset in proved:
            check_twin(twin, ruleset, name)
        games = buffers(proved[0], GAMES_PER_CALL)
        return lambda amount: _work(games, lambda count: twin.play(games, count), amount)

    return Contender(name, prepare)


def check_twin(twin: Twin, ruleset: Ruleset, name: str, count: int = CHECKED_GAMES) -> None:
    """Compare `count` games.

    Raises:
        Mismatch: the twin plays other games than the kernels.
    """
    key = (ruleset.digest, count)
    if key not in _kernel_hashes:
        _kernel_hashes[key] = kernel_hash(ruleset, count)
    if twin_hash(twin, ruleset, count) != _kernel_hashes[key]:
        raise Mismatch(f"{name}: other games than the kernels with {ruleset.num_players} players")


_kernel_hashes: dict[tuple[int, int], str] = {}


def _work(games: Buffers, play: Callable[[int], None], amount: int) -> Counts:
    """`amount` games, as many as fit by each call."""
    steps = 0
    left = amount
    while left > 0:
        count = min(left, games.count)
        play(count)
        steps += int(games.lanes["length"][:count].sum(dtype=np.int64))
        left -= count
    return Counts(steps, amount)
