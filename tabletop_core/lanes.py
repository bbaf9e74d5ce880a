"""Many games side by side: what the self-play engine and the view from one seat have in common.

Everything that comes from outside is checked here, in one place: numbers of lanes, seeds, masks,
actions, bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from gymnasium.vector import AutoresetMode

from . import engine
from .errors import TabletopError, index_of
from .game import Array, Game, Json, Ruleset, allocate
from .jit import compiled_for
from .lane_log import LaneLog
from .record import GameRecord
from .rng import (
    GOLDEN_GAMMA,
    SEED_LIMIT,
    check_seed,
    random_seed,
    seed_to_word,
    seeds_to_words,
)
from .rollouts import end_name
from .session import Guard
from .threads import LanePool

MAGIC: Final = b"TABLELANES"
FORMAT: Final = 2
DIGEST_BYTES: Final = 8
COUNT_BYTES: Final = 8
CHECKSUM_BYTES: Final = 16

AUTORESET_MODES: Final = {
    "next_step": (AutoresetMode.NEXT_STEP, engine.AUTORESET_NEXT_STEP),
    "same_step": (AutoresetMode.SAME_STEP, engine.AUTORESET_SAME_STEP),
    "disabled": (AutoresetMode.DISABLED, engine.AUTORESET_DISABLED),
}
INTEGERS: Final = "iu"  # kinds of NumPy data types


class Lanes:
    """`num_envs` games of one ruleset with their bots and results.

    Args:
        ruleset: the game, its options and tables.
        num_envs: how many lanes.
        reward: what a game pays at its end, "win", "score" or "margin".
        autoreset: what follows a finished game, `engine.AUTORESET_...`.
        threads: how many chunks of lanes are stepped at a time.

    Raises:
        TabletopError: a bad argument.
    """

    def __init__(
        self, ruleset: Ruleset, num_envs: int, reward: str, autoreset: int, threads: int
    ) -> None:
        if reward not in engine.REWARD_MODES:
            listed = ", ".join(engine.REWARD_MODES)
            raise TabletopError(f"reward must be one of {listed}, not {reward!r}")
        self.ruleset: Final = ruleset
        self.game: Final[Game] = ruleset.game
        self.num_envs: Final = check_count(num_envs, "num_envs")
        self.pool: Final = LanePool(threads)
        self.guard: Final = Guard(self.game.id)
        self.has_started = False
        self.is_closed = False

        shape = (self.num_envs, ruleset.num_players)
        self.states: Final = allocate(self.game.state_dtype, self.num_envs)
        self.records: Final = allocate(engine.LANE, self.num_envs)
        self.flags: Final = np.zeros((engine.NUM_FLAGS, self.num_envs), np.bool_)
        self.terminated: Final = self.flags[engine.FLAG_TERMINATED]
        self.truncated: Final = self.flags[engine.FLAG_TRUNCATED]
        self.illegal: Final = self.flags[engine.FLAG_ILLEGAL]
        self.ended: Final = self.flags[engine.FLAG_ENDED]
        self.rewards: Final = np.zeros(shape)
        self.points: Final = np.zeros(shape)
        self.is_winner: Final = np.zeros(shape, np.bool_)
        self.actions: Final = np.zeros(self.num_envs, np.int64)
        self.order: Final = self.records["order"]
        self.records["viewer"] = engine.CURRENT_PLAYER
        self.log: LaneLog | None = None
        self._autoreset = autoreset
        self._modes = np.array([autoreset, engine.REWARD_MODES.index(reward)], np.int64)
        self._results = Results(ruleset, self.num_envs)
        step_arrays = (
            ruleset.record,
            self.states,
            self.records,
            self.actions,
            self._modes,
            self.flags,
            self.rewards,
            self.points,
            self.is_winner,
        )
        # Views, which nobody else can give another shape or type.
        self._step_arrays = tuple(array.view() for array in step_arrays)
        self._step_batch: Callable[..., int] | None = None

    # --- play --------------------------------------------------------------------------------

    def play(self, observation: Array, mask: Array) -> int:
        """Carry out the orders of all lanes (`engine.step_batch`); the number of games ended.

        observation uint8 [num_envs, size] and mask int8 [num_envs, num_actions] are filled; with
        no rows they are left out.

        Raises:
            TabletopError: a game needs more room than its record has.
        """
        arrays = (*self._step_arrays, observation, mask)
        if self._step_batch is None:
            self._step_batch = compiled_for(engine.step_batch, *arrays, 0, self.num_envs)
        step_batch: Callable[..., int] = self._step_batch

        def play_chunk(first: int, end: int) -> int:
            return step_batch(*arrays, first, end)

        if self.log is not None:
            self.log.before_play(self._autoreset)
        ended = sum(self.pool.run(play_chunk, self.num_envs))
        if self.log is not None:
            self.log.after_play(self._autoreset)
        self.game.check_room(self.states)
        return ended

    def show(self, observation: Array, mask: Array) -> None:
        """Write the outputs of all lanes at positions that no step has led to."""
        if self.log is not None:
            self.log.note_positions()
        self.order[:] = engine.SHOW
        self.play(observation, mask)

    def results(self, ended: Array) -> Json:
        """Infos of the lanes `ended` (bool [num_envs]), see `Results.collect`."""
        return self._results.collect(self.records, self.points, self.is_winner, ended)

    @property
    def reasons(self) -> Array:
        """Texts [end reasons as bits], object."""
        return self._results.reason_texts

    # --- records -----------------------------------------------------------------------------

    def start_recording(self, ends_on_illegal: bool) -> None:
        """Keep the decisions of all lanes from now on, see `LaneLog`."""
        self.log = LaneLog(self, ends_on_illegal)
        if self.has_started:
            self.log.note_positions()

    def take_records(self) -> list[GameRecord]:
        """The games that have ended since the last call.

        Raises:
            TabletopError: nothing is recorded.
        """
        if self.log is None:
            raise TabletopError(
                f"{self.game.id}: nothing is recorded: call start_recording() before the games"
            )
        return self.log.take()

    # --- checks ------------------------------------------------------------------------------

    def require_open(self) -> None:
        """Raise TabletopError after `close()`."""
        if self.is_closed:
            raise TabletopError(f"{self.game.id}: this vector environment is closed")

    def require_started(self) -> None:
        """Raise TabletopError before the first reset and after `close()`."""
        if self.is_closed or not self.has_started:
            self.require_open()
            raise TabletopError(f"{self.game.id}: call reset() before anything else")

    def take_actions(self, actions: object) -> None:
        """Copy `actions`, integers [num_envs] of any integer type, into `self.actions`.

        Numbers that are no action at all are taken: the lane will report them as illegal.

        Raises:
            TabletopError: another shape or type.
        """
        try:
            given = np.asarray(actions)
        except (ValueError, TypeError, OverflowError):
            given = np.empty(0, dtype=object)
        if given.shape != (self.num_envs,) or given.dtype.kind not in INTEGERS:
            raise TabletopError(
                f"{self.game.id}: actions must be an array of integers of shape "
                f"({self.num_envs},), not {_describe(actions, given)}"
            )
        if given.dtype.kind == "u":
            # What int64 cannot hold becomes the first number that is no action.
            given = np.minimum(given.astype(np.uint64), np.uint64(self.game.actions.count))
        self.actions[:] = given

    def check_reset(self, options: object) -> Array:
        """The lanes to reset, bool [num_envs]: `options["reset_mask"]`, or all.

        Raises:
            TabletopError: `options` is no mapping or the mask is not possible.
        """
        if options is not None and not isinstance(options, Mapping):
            raise TabletopError(f"reset options must be a dictionary, not {options!r}")
        mask = None if options is None else options.get("reset_mask")
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        is_mask = isinstance(mask, np.ndarray) and mask.dtype == np.bool_
        if not is_mask or mask.shape != (self.num_envs,) or not mask.any():
            raise TabletopError(
                "the reset option reset_mask must be a NumPy array of bool of shape "
                f"({self.num_envs},) with at least one True, not {mask!r}"
            )
        if not self.has_started and not mask.all():
            raise TabletopError(f"{self.game.id}: the first reset must begin all lanes")
        chosen: Array = mask.copy()
        return chosen

    def check_lane(self, lane: object) -> int:
        """`lane` as a Python int; TabletopError if there is no such lane."""
        return check_index(lane, "lane", self.num_envs)

    def check_player(self, player: object) -> int:
        """`player` as a Python int; TabletopError if there is no such seat."""
        return check_index(player, "player", self.ruleset.num_players)

    # --- seeds -------------------------------------------------------------------------------

    def seed(self, seed: object, chosen: Array) -> Sequence[int] | None:
        """Seed the chosen lanes (bool [num_envs]): lane i with `seed` + i, or with `seed[i]`.

        Without a seed generators go on, or are seeded by the operating system the first time.

        Returns:
            The seed of each lane, or None if the generators go on.

        Raises:
            TabletopError: no seed, and no sequence of one seed for each lane.
        """
        if seed is None and self.has_started:
            return None
        seeds = self._lane_seeds(random_seed() if seed is None else seed)
        self.states["rng"][chosen] = _words(seeds, 0)[chosen]
        self.records["rng"][chosen] = _words(seeds, GOLDEN_GAMMA)[chosen]
        return seeds

    def seed_bots(self, seed: object) -> None:
        """Seed the bots of all lanes and leave the games alone."""
        self.records["rng"] = _words(self._lane_seeds(seed), GOLDEN_GAMMA)

    def _lane_seeds(self, seed: object) -> Sequence[int]:
        """The seed of each lane; a range if `seed` is one number that leaves room for all."""
        if not isinstance(seed, (Sequence, np.ndarray)) or isinstance(seed, (str, bytes)):
            first = check_seed(seed)
            seeds = range(first, first + self.num_envs)
            return seeds if seeds.stop <= SEED_LIMIT else [one % SEED_LIMIT for one in seeds]
        if np.shape(seed) != (self.num_envs,):
            raise TabletopError(
                f"seed must be one integer or {self.num_envs} of them, not {seed!r}"
            )
        return [check_seed(one) for one in seed]

    # --- copies and bytes --------------------------------------------------------------------

    @property
    def _content(self) -> tuple[Array, ...]:
        return self.states, self.records, self.flags, self.rewards, self.points, self.is_winner

    def take(self, other: Lanes) -> None:
        """Become a copy of `other`, which has the same shape and ruleset."""
        for mine, theirs in zip(self._content, other._content, strict=True):
            mine[:] = theirs
        self.has_started = other.has_started

    def check_twin(self, other: Lanes) -> None:
        """Raise TabletopError unless `other` has as many lanes and the same ruleset."""
        if other.num_envs != self.num_envs:
            raise TabletopError(f"{other.num_envs} lanes do not fit into {self.num_envs}")
        self.check_digest(other.ruleset.digest)

    def check_digest(self, digest: int) -> None:
        """Raise TabletopError unless `digest` is the one of this ruleset."""
        if digest != self.ruleset.digest:
            raise TabletopError(
                f"this position was played by another ruleset of {self.game.id} "
                f"(digest {digest:016x}, here {self.ruleset.digest:016x}): other options, tables "
                "or number of players"
            )

    def snapshot(self) -> tuple[Any, ...]:
        """Copies of all that play changes, for `rewind`."""
        log = None if self.log is None else self.log.snapshot()
        return (*(array.copy() for array in self._content), log)

    def rewind(self, snapshot: tuple[Any, ...]) -> None:
        """Go back to a snapshot."""
        *arrays, log = snapshot
        for mine, saved in zip(self._content, arrays, strict=True):
            mine[:] = saved
        if self.log is not None:
            self.log.rewind(log)

    def to_bytes(self) -> bytes:
        """All lanes as bytes: a header, the arrays, a checksum."""
        content = self._header() + b"".join(array.tobytes() for array in self._content)
        return content + _checksum(content)

    def from_bytes(self, data: object) -> None:
        """Take over `to_bytes()`.

        Raises:
            TabletopError: other bytes, damaged bytes, or of another game, version, ruleset or
                number of lanes; nothing is changed then.
        """
        content = self._checked(data)
        start = len(self._header())
        for array in self._content:
            part = np.frombuffer(content, np.uint8, array.nbytes, start)
            array.reshape(-1).view(np.uint8)[:] = part
            start += array.nbytes
        self.has_started = True

    def _header(self) -> bytes:
        digest = self.ruleset.digest.to_bytes(DIGEST_BYTES, "little")
        return self._name() + digest + self.num_envs.to_bytes(COUNT_BYTES, "little")

    def _name(self) -> bytes:
        name = self.game.id.encode()
        return MAGIC + bytes([FORMAT, len(name)]) + name

    def _checked(self, data: object) -> bytes:
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TabletopError(f"serialized lanes are bytes, not {type(data).__name__}")
        content = bytes(data)
        name, header = self._name(), self._header()
        if len(content) < len(header) or not content.startswith(name):
            raise TabletopError(f"these bytes are not serialized lanes of {self.game.id}")
        digest = int.from_bytes(content[len(name) : len(name) + DIGEST_BYTES], "little")
        self.check_digest(digest)
        num_envs = int.from_bytes(content[len(name) + DIGEST_BYTES : len(header)], "little")
        if num_envs != self.num_envs:
            raise TabletopError(f"{num_envs} serialized lanes do not fit into {self.num_envs}")
        size = len(header) + sum(array.nbytes for array in self._content) + CHECKSUM_BYTES
        if len(content) != size:
            raise TabletopError(f"these serialized lanes have {len(content)} bytes, not {size}")
        if _checksum(content[:-CHECKSUM_BYTES]) != content[-CHECKSUM_BYTES:]:
            raise TabletopError(f"these serialized lanes of {self.game.id} are damaged")
        return content


# --- results --------------------------------------------------------------------------------


class Results:
    """How the games of lanes ended, as arrays that are rewritten where games end."""

    def __init__(self, ruleset: Ruleset, num_envs: int) -> None:
        game, players = ruleset.game, range(ruleset.num_players)
        names = [end_name(game, bits) for bits in range(1 << len(game.end_reasons))]
        self.reason_texts: Final = np.array([*names, None], dtype=object)
        self._winner_sets = np.empty((1 << ruleset.num_players) + 1, dtype=object)  # last: None
        for number in range(1 << ruleset.num_players):
            self._winner_sets[number] = tuple(k for k in players if number >> k & 1)
        self._winners = np.empty(num_envs, dtype=object)  # all None
        self._scores = np.zeros((num_envs, ruleset.num_players))
        self._reasons = np.empty(num_envs, dtype=object)
        self._lengths = np.zeros(num_envs, np.int64)
        self._finished = np.zeros((engine.NUM_FINISHED, 2 * num_envs), np.int64)
        self._finished_rows = tuple(self._finished)
        self._count = 0
        self._collect: Callable[..., int] | None = None

    def collect(self, records: Array, points: Array, is_winner: Array, ended: Array) -> Json:
        """Infos of the lanes `ended` (bool [num_envs]), each with its mask of presence.

        winners: tuples of players, object [num_envs]; scores: float64 [num_envs, players]; reason:
        text, object [num_envs]; length: int64 [num_envs]. The arrays are those of the last call,
        rewritten where games have ended then and now.
        """
        written = (self._scores, self._lengths, self._finished)
        arrays = (records, points, is_winner, ended, *written)
        if self._collect is None:
            self._collect = compiled_for(engine.collect_results, *arrays, 0)
        self._count = count = self._collect(*arrays, self._count)
        lanes, winners, reasons = self._finished_rows
        self._winners[lanes[:count]] = self._winner_sets[winners[:count]]
        self._reasons[lanes[:count]] = self.reason_texts[reasons[:count]]
        return {
            "winners": self._winners,
            "_winners": ended,
            "scores": self._scores,
            "_scores": ended,
            "reason": self._reasons,
            "_reason": ended,
            "length": self._lengths,
            "_length": ended,
        }


# --- arguments ------------------------------------------------------------------------------


def autoreset_mode(autoreset: object) -> tuple[AutoresetMode, int]:
    """Gymnasium's and the engine's name for an autoreset mode, given as text or Gymnasium's.

    Raises:
        TabletopError: there is no such mode.
    """
    for name, modes in AUTORESET_MODES.items():
        if autoreset is modes[0] or (
            isinstance(autoreset, str) and autoreset in (name, modes[0].value)
        ):
            return modes
    listed = ", ".join(AUTORESET_MODES)
    raise TabletopError(f"autoreset must be one of {listed}, not {autoreset!r}")


def check_count(number: object, what: str) -> int:
    """`number` as a Python int; TabletopError unless it is an integer above 0."""
    is_whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
    if not is_whole or number < 1:  # type: ignore[operator]
        raise TabletopError(f"{what} must be an integer above 0, not {number!r}")
    return int(number)  # type: ignore[call-overload, no-any-return]


def check_index(number: object, what: str, count: int) -> int:
    """`number` as a Python int; TabletopError unless it is an integer in 0 .. count - 1."""
    index = index_of(number)
    if not 0 <= index < count:
        raise TabletopError(f"{what} must be an integer from 0 to {count - 1}, not {number!r}")
    return index


def _describe(given: object, array: Array) -> str:
    if isinstance(given, np.ndarray):
        return f"{array.dtype} of shape {array.shape}"
    return repr(given)


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=CHECKSUM_BYTES).digest()


def _words(seeds: Sequence[int], offset: int) -> Array:
    """Generator words uint64 [len(seeds)] of the seeds moved by `offset`.

    Games have the offset 0 and their bots `GOLDEN_GAMMA`: the first and the second number of the
    same SplitMix64 generator.
    """
    if isinstance(seeds, range):
        return seeds_to_words((seeds.start + offset) % SEED_LIMIT, len(seeds))
    return np.array([seed_to_word((seed + offset) % SEED_LIMIT) for seed in seeds], np.uint64)
