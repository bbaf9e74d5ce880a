"""One game in progress, as every view of a single game uses it.

A session owns one state record and its output buffers, checks everything that comes from outside,
and speaks in words when something is wrong. Views add only the customs of their library.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import numpy as np

from . import engine
from .errors import TabletopError, index_of, shown
from .game import Array, Game, Json, Ruleset, allocate
from .rng import check_seed, random_seed, seed_to_word

MAGIC: Final = b"TABLETOP"
FORMAT: Final = 1
TRUNCATED: Final = "max_turns"
ILLEGAL_REASON: Final = "illegal_action"
LISTED_ACTIONS: Final = 12  # an error message names at most so many legal actions

Params = ParamSpec("Params")
Result = TypeVar("Result")


def exclusive(
    method: Callable[Concatenate[Session, Params], Result],
) -> Callable[Concatenate[Session, Params], Result]:
    """Refuse a call while another thread is inside the same session."""

    @functools.wraps(method)
    def guarded(self: Session, /, *args: Params.args, **kwargs: Params.kwargs) -> Result:
        with self._guard:
            return method(self, *args, **kwargs)

    return guarded


class Guard:
    """A context that one thread at a time may be in; a second one is refused, not kept waiting."""

    def __init__(self, what: str) -> None:
        self._what = what
        lock = threading.RLock()
        self.acquire = lock.acquire
        self.release = lock.release

    def __enter__(self) -> None:
        if not self.acquire(False):
            raise TabletopError(
                f"this {self._what} environment is in use by another thread; "
                "give each thread an environment of its own"
            )

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.release()


@dataclass
class GameLog:
    """What a game that is recorded has to keep; who moved and in which words follows from it."""

    rng: int
    """The generator's word before the deal."""
    position: bytes | None = None
    """The state record of the first position, if the game is not recorded from its deal on."""
    bots: int = 0
    """Set of players whose decisions were made by a kernel and are not kept ..."""
    rule_bots: int = 0
    """... those of them who played by the game's rule, the others at random ..."""
    bots_rng: int = 0
    """... and the word that their generator had at the beginning."""
    actions: list[int] = field(default_factory=list)
    """Answers of all other players, forced ones left out."""
    illegal_action: int | None = None
    """What was tried at the end, if the game ended by it."""


class Session:
    """One game in progress.

    Args:
        ruleset: the game, its options and tables.
        reward: what a game pays at its end, "win", "score" or "margin".

    Raises:
        TabletopError: unknown reward.
    """

    def __init__(self, ruleset: Ruleset, reward: str = "win") -> None:
        if reward not in engine.REWARD_MODES:
            listed = ", ".join(engine.REWARD_MODES)
            raise TabletopError(f"reward must be one of {listed}, not {shown(reward)}")
        self.ruleset: Final = ruleset
        self.game: Final[Game] = ruleset.game
        self.num_players: Final = ruleset.num_players
        self.reward: Final = reward
        self.state: Final = allocate(self.game.state_dtype, 1)
        self.observation: Final = np.zeros(self.game.observation.size, np.uint8)
        self.mask: Final = np.zeros(self.game.actions.count, np.int8)
        self.has_started = False
        self.log: GameLog | None = None
        # A field of a record takes 2 microseconds to read, a byte of it a hundredth of that.
        self._bytes = self.state.view(np.uint8).data
        self._player_byte, self._end_byte, self._cap_byte = (
            self.game.state_dtype.fields[name][1]  # type: ignore[index]
            for name in ("current_player", "end_reasons", "is_truncated")
        )
        self._guard = Guard(self.game.id)

    # --- play --------------------------------------------------------------------------------

    @exclusive
    def reset(self, seed: int | None = None) -> None:
        """Begin a new game.

        Without a seed the random generator goes on where the last game left it; the first game is
        then seeded by the operating system.

        Raises:
            TabletopError: `seed` is no integer in 0 .. 2**64 - 1.
        """
        if seed is not None or not self.has_started:
            number = random_seed() if seed is None else check_seed(seed)
            self.state["rng"] = seed_to_word(number)
        if self.log is not None:
            self.log = GameLog(int(self.state[0].rng))
        engine.reset_one(self.ruleset.record, self.state, self.observation, self.mask)
        self.has_started = True
        self.game.check_room(self.state)

    @exclusive
    def step(self, action: int) -> None:
        """Play one legal action of the current player and every forced decision after it.

        Raises:
            TabletopError: the game has not begun or is over, or the action is not legal; the state
                is unchanged.
        """
        self._require_started()
        if self.is_over:
            raise TabletopError(f"{self.game.id}: the game is over; call reset() to begin another")
        number = self.check_action(action)
        record = self.ruleset.record
        moved = engine.step_one(record, self.state, number, self.observation, self.mask)
        if moved == engine.ILLEGAL:
            raise TabletopError(self.explain_illegal(number))
        if self.log is not None:
            self.log.actions.append(number)
        if self.game.rooms:
            self.game.check_room(self.state)

    @exclusive
    def start_recording(self) -> None:
        """Keep the decisions of this and all later games, for `record.record_of`.

        A game in progress is recorded from its present position on, and so is one that is given
        another position.
        """
        self.log = GameLog(0, self.state.tobytes())

    def check_action(self, action: object) -> int:
        """`action` as a Python int within the action space.

        Raises:
            TabletopError: it is no integer, or outside 0 .. num_actions - 1.
        """
        count = self.game.actions.count
        number = index_of(action)
        if not 0 <= number < count:
            raise TabletopError(
                f"{self.game.id}: an action is an integer from 0 to {count - 1}, "
                f"not {shown(action)}"
            )
        return number

    def check_player(self, player: object) -> int:
        """`player` as a Python int.

        Raises:
            TabletopError: it is no seat of this game.
        """
        number = index_of(player)
        if not 0 <= number < self.num_players:
            raise TabletopError(
                f"{self.game.id}: a player is an integer from 0 to {self.num_players - 1}, "
                f"not {shown(player)}"
            )
        return number

    # --- what is on the table ----------------------------------------------------------------

    @property
    def terminated(self) -> bool:
        """Whether the rules ended the game."""
        return self._bytes[self._end_byte] != 0

    @property
    def truncated(self) -> bool:
        """Whether the cap on turns ended the game."""
        return self._bytes[self._cap_byte] != 0

    @property
    def is_over(self) -> bool:
        """Whether the game has ended either way."""
        return self.terminated or self.truncated

    @property
    def current_player(self) -> int:
        """The player who decides now; at the end, who acted last."""
        return self._bytes[self._player_byte]

    @property
    def turn_count(self) -> int:
        """Finished turns of all players together."""
        return int(self.state[0].turn_count)

    @exclusive
    def observe(self, player: int) -> Array:
        """What `player` sees, a fresh uint8 [observation_size]; zeros before the first reset."""
        seat = self.check_player(player)
        observation = np.zeros(len(self.observation), np.uint8)
        if self.has_started:
            engine.observe_one(self.ruleset.record, self.state, seat, observation)
        return observation

    @exclusive
    def legal_action_mask(self, player: int) -> Array:
        """A fresh int8 [num_actions], 1 for each legal action; zeros unless `player` decides."""
        if self.check_player(player) == self.current_player and not self.is_over:
            return self.mask.copy()
        return np.zeros_like(self.mask)

    def legal_actions(self) -> list[int]:
        """Ids of the legal actions of the current player, ascending; empty at the end."""
        return [int(action) for action in np.flatnonzero(self.mask)]

    def is_legal(self, action: int) -> bool:
        """Whether `action` answers the pending decision."""
        return bool(self.mask[self.check_action(action)])

    # --- the end -----------------------------------------------------------------------------

    @exclusive
    def rewards(self) -> list[float]:
        """What the end of the game pays each player; zeros before the end."""
        if not self.is_over:
            return [0.0] * self.num_players
        points, is_winner = self._final_result()
        rewards = np.zeros(self.num_players)
        mode = engine.REWARD_MODES.index(self.reward)
        engine.rewards_one(mode, points, is_winner, rewards)
        return rewards.tolist()

    @exclusive
    def result(self) -> Json:
        """How the game ended: winners (players), scores, reason (several joined by `+`), length.

        Raises:
            TabletopError: the game is not over.
        """
        if not self.is_over:
            raise TabletopError(f"{self.game.id}: the game is not over yet")
        points, is_winner = self._final_result()
        return {
            "winners": [player for player, has_won in enumerate(is_winner.tolist()) if has_won],
            "scores": points.tolist(),
            "reason": "+".join(self._reasons()),
            "length": self.state["decision_count"].item(),
        }

    def illegal_result(self, action: int) -> Json:
        """How a game ends in which the current player tries `action`, which is not legal.

        Like `result()`, without a winner, by the points as they stand.
        """
        points, _ = self._final_result()
        return {
            "winners": [],
            "scores": points.tolist(),
            "reason": ILLEGAL_REASON,
            "length": self.state["decision_count"].item(),
            "illegal_action": self.action_to_string(action),
        }

    def _final_result(self) -> tuple[Array, Array]:
        points = np.zeros(self.num_players)
        is_winner = np.zeros(self.num_players, np.bool_)
        engine.finish_one(self.ruleset.record, self.state, points, is_winner)
        return points, is_winner

    def _reasons(self) -> list[str]:
        bits = self._bytes[self._end_byte]
        reasons = [name for k, name in enumerate(self.game.end_reasons) if bits >> k & 1]
        return reasons or [TRUNCATED]

    # --- copies and bytes --------------------------------------------------------------------

    @exclusive
    def clone(self) -> Session:
        """An independent session at the same position, random generator included."""
        copy = Session(self.ruleset, self.reward)
        copy._take(self.state, self.has_started)
        return copy

    @exclusive
    def restore(self, source: Session | bytes) -> None:
        """Take over the position of another session or of `serialize()`.

        Raises:
            TabletopError: it belongs to another game or ruleset; the state is unchanged.
        """
        if isinstance(source, Session):
            self._check_digest(source.ruleset.digest)
            with source._guard:
                self._take(source.state, source.has_started)
        else:
            self._take(self._from_bytes(source), True)

    @exclusive
    def serialize(self) -> bytes:
        """The position as bytes: a header, then the state record.

        Raises:
            TabletopError: the game has not begun.
        """
        self._require_started()
        return self._header() + self.state.tobytes()

    def deserialize(self, data: bytes) -> None:
        """Take over the position in `data`, made by `serialize()`.

        Raises:
            TabletopError: not such bytes, or of another game, version or ruleset.
        """
        self.restore(data)

    def _header(self) -> bytes:
        name = self.game.id.encode()
        digest = self.ruleset.digest.to_bytes(8, "little")
        return MAGIC + bytes([FORMAT, len(name)]) + name + digest

    def _from_bytes(self, data: object) -> Array:
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TabletopError(f"a serialized position is bytes, not {type(data).__name__}")
        content = bytes(data)
        header = self._header()
        if not content.startswith(header[:-8]):
            raise TabletopError(f"these bytes are not a serialized position of {self.game.id}")
        if len(content) >= len(header):  # positions of another ruleset may have another size
            self._check_digest(int.from_bytes(content[len(header) - 8 : len(header)], "little"))
        if len(content) != len(header) + self.state.nbytes:
            raise TabletopError(
                f"a serialized position of {self.game.id} has {len(header) + self.state.nbytes} "
                f"bytes, these are {len(content)}"
            )
        state = allocate(self.game.state_dtype, 1)
        state.view(np.uint8)[:] = np.frombuffer(content[len(header) :], np.uint8)
        return self._reread(state)

    def _reread(self, state: Array) -> Array:
        """`state` rebuilt from its own words, so that damaged bytes cannot get into a kernel."""
        try:
            rebuilt = self._prepare(self.game.state_to_json(self.ruleset, state))
        except (ValueError, LookupError, TypeError, ArithmeticError) as error:
            raise TabletopError(
                f"these bytes do not hold a possible position of {self.game.id}: {error}"
            ) from None
        if rebuilt.tobytes() != state.tobytes():
            raise TabletopError(f"these bytes do not hold a possible position of {self.game.id}")
        return rebuilt

    def _check_digest(self, digest: int) -> None:
        if digest != self.ruleset.digest:
            raise TabletopError(
                f"this position was played by another ruleset of {self.game.id} "
                f"(digest {digest:016x}, here {self.ruleset.digest:016x}): other options, tables "
                "or number of players"
            )

    def _take(self, state: Array, has_started: bool) -> None:
        self.state[:] = state
        self.has_started = has_started
        if self.log is not None:
            self.start_recording()
        if has_started:
            engine.show(self.ruleset.record, self.state, self.observation, self.mask)
        else:
            self.observation[:] = 0
            self.mask[:] = 0

    # --- words -------------------------------------------------------------------------------

    @exclusive
    def to_json(self, player: int | None = None) -> Json:
        """The whole position in words, or what one player may know of it.

        Raises:
            TabletopError: the game has not begun, or there is no such player.
        """
        self._require_started()
        if player is None:
            return self.game.state_to_json(self.ruleset, self.state)
        return self.game.view_to_json(self.ruleset, self.state, self.check_player(player))

    @exclusive
    def from_json(self, data: Json) -> None:
        """Take over a position in words, as `to_json()` writes it or written by hand.

        Raises:
            TabletopError: not a possible position; the message lists every reason and the state is
                unchanged.
        """
        self._take(self._prepare(data), True)

    def _prepare(self, data: Json) -> Array:
        if not isinstance(data, dict):
            raise TabletopError(
                f"{self.game.id}: a position in words is a dictionary, not {shown(data)}"
            )
        state = self.game.state_from_json(self.ruleset, data)
        state[0].ruleset = self.ruleset.digest
        engine.refresh_one(self.ruleset.record, state)
        self.game.check_room(state)
        return state

    @exclusive
    def decode(self, observation: Array) -> Json:
        """What an observation vector says, in words: the `to_json(player)` of its player.

        Raises:
            TabletopError: not a uint8 vector of [observation_size], or one that no player can see.
        """
        if (
            not isinstance(observation, np.ndarray)
            or observation.shape != self.observation.shape
            or observation.dtype != self.observation.dtype
        ):
            raise TabletopError(
                f"{self.game.id}: an observation is a uint8 vector of {self.observation.size} "
                f"numbers, not {shown(observation)}"
            )
        try:
            return self.game.decode(self.ruleset, observation)
        except (LookupError, ValueError) as error:
            raise TabletopError(f"{self.game.id}: no player can observe this: {error}") from None

    @exclusive
    def action_to_string(self, action: int) -> str:
        """An action of the current position in words."""
        self._require_started()
        return self.game.action_to_string(self.ruleset, self.state, self.check_action(action))

    @exclusive
    def action_seen(self, action: int, player: int) -> str:
        """An action of the current position in words, as `player` sees it being played.

        Raises:
            TabletopError: there is no such action or player.
        """
        self._require_started()
        number, seat = self.check_action(action), self.check_player(player)
        if seat == self.current_player:
            return self.game.action_to_string(self.ruleset, self.state, number)
        return self.game.seen_action(self.ruleset, self.state, number, seat)

    @exclusive
    def string_to_action(self, text: str) -> int:
        """The action that `text` names in the current position.

        Raises:
            TabletopError: no action is called so.
        """
        self._require_started()
        return self.game.string_to_action(self.ruleset, self.state, text)

    @exclusive
    def explain_illegal(self, action: int) -> str:
        """Why `action` is refused: game, player, the action in words and what would be legal."""
        words = self.game.action_to_string(self.ruleset, self.state, action)
        legal = [self.action_to_string(other) for other in self.legal_actions()]
        more = len(legal) - LISTED_ACTIONS
        listed = ", ".join(repr(text) for text in legal[:LISTED_ACTIONS])
        return (
            f"{self.game.id}: player {self.current_player} may not play {words!r} "
            f"(action {action}) now; legal: {listed}" + (f" and {more} more" if more > 0 else "")
        )

    @exclusive
    def render(self, player: int | None = None) -> str:
        """The table as text, seen by one player or (None) openly."""
        self._require_started()
        seat = None if player is None else self.check_player(player)
        return self.game.render(self.ruleset, self.state, seat)

    # --- hidden information ------------------------------------------------------------------

    @exclusive
    def determinize(self, player: int, seed: int | None = None) -> None:
        """Redraw, uniformly among what the public facts allow, all that `player` cannot know.

        The random generator is part of it. What `player` observes does not change.

        Raises:
            TabletopError: the game has not begun, no such player, or a bad seed.
        """
        self._require_started()
        seat = self.check_player(player)
        number = random_seed() if seed is None else check_seed(seed)
        self.state[0].rng = seed_to_word(number)
        engine.determinize_one(self.ruleset.record, self.state, seat)
        self._take(self.state, True)

    # --- pickling ----------------------------------------------------------------------------

    @exclusive
    def __getstate__(self) -> dict[str, Any]:
        return {
            "ruleset": self.ruleset,
            "reward": self.reward,
            "state": self.state.tobytes(),
            "has_started": self.has_started,
            "log": self.log,
        }

    def __setstate__(self, content: dict[str, Any]) -> None:
        Session.__init__(self, content["ruleset"], content["reward"])
        state = allocate(self.game.state_dtype, 1)
        state.view(np.uint8)[:] = np.frombuffer(content["state"], np.uint8)
        self._take(state, content["has_started"])
        self.log = content["log"]

    def _require_started(self) -> None:
        if not self.has_started:
            raise TabletopError(f"{self.game.id}: call reset() before anything else")
