"""The self-play engine: thousands of games at once, every player moved by the caller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from gymnasium import spaces

from . import engine
from .errors import TabletopError
from .game import Array, Json, Ruleset
from .lanes import Lanes, autoreset_mode, check_count
from .record import GameRecord
from .rng import SEED_LIMIT, check_seed, random_seed, seed_to_word
from .rollouts import random_games
from .single_game import make_action_space, make_observation_space

Observations = dict[str, Array]

DECISIONS: Final = 0  # columns of the tallies of `engine.rollout_batch`
TURNS: Final = 1
FIRST_END: Final = 2
POINTS: Final = 0
WINS: Final = 1


@dataclass(frozen=True)
class RolloutStatistics:
    """What `VectorEngine.rollout` played; sums and means are over the games that ended."""

    num_steps: int
    """Decisions taken in all lanes together."""
    num_games: int
    mean_length: float
    """Decisions of a game; NaN if none ended."""
    mean_turns: float
    """Finished turns of all players in a game; NaN if none ended."""
    ends: dict[str, int]
    """Games by the way they ended: reasons joined by `+`, or `max_turns`."""
    mean_scores: Array
    """float64 [players]; NaN if no game ended."""
    wins: Array
    """int64 [players]; shared wins count for each of the winners."""


@dataclass(frozen=True)
class GameResults:
    """What each of a number of whole games came to."""

    points: Array
    """float64 [games, players]."""
    winners: Array
    """bool [games, players]."""
    reasons: Array
    """Why each game ended, text (object [games]): reasons joined by `+`, or `max_turns`."""
    truncated: Array
    """bool [games]: ended by the cap on turns."""
    lengths: Array
    """int64 [games]: decisions with at least two legal answers."""
    turns: Array
    """int64 [games]: finished turns of all players together."""


class VectorEngine:
    """Games side by side, one decision in each per step, by whoever is to move there.

    All arrays are made once and rewritten in place by every step: copy what you keep, or ask for
    `copy=True`. One thread at a time may use an engine.

    Args:
        ruleset: the game, its options and tables.
        num_envs: how many games (lanes).
        reward: what a game pays at its end: "win" (losers -1, winners share it), "score" or
            "margin" (score minus the best other score).
        autoreset: what follows a finished game, as text or as Gymnasium's `AutoresetMode`.
            "next_step": the next step ignores the lane's action and begins a game. "same_step":
            a game begins at once; rewards and flags are of the game that ended, observation, mask
            and current player of the new one. "disabled": the lane waits for `reset` with
            `options={"reset_mask": ...}`; until then every action there is illegal.
        threads: how many threads share a step. Small batches stay on the caller's thread; results
            do not depend on it.
        copy: whether `reset`, `step` and `sample_actions` return copies, in infos too.
        observations: False leaves the observations out; masks are always written.

    Attributes:
        observation: uint8 [num_envs, size], seen by the player to move.
        action_mask: int8 [num_envs, num_actions], 1 for each legal action; zeros if a game is over.
        rewards: float64 [num_envs, players], what the last step paid; zeros but at the end.
        current_player: int64 [num_envs], who is to move; at the end, who acted last.
        terminated: bool [num_envs], the last step ended the game by rule.
        truncated: bool [num_envs], the last step ended the game by the cap on turns.
        illegal: bool [num_envs], the last action was refused and the lane left as it was.

    Raises:
        TabletopError: a bad argument.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        num_envs: int,
        *,
        reward: str = "win",
        autoreset: object = "next_step",
        threads: int = 1,
        copy: bool = False,
        observations: bool = True,
    ) -> None:
        self.autoreset, mode = autoreset_mode(autoreset)
        self._lanes = lanes = Lanes(ruleset, num_envs, reward, mode, threads)
        self._arguments: dict[str, Any] = {
            "reward": reward,
            "autoreset": self.autoreset,
            "threads": threads,
            "copy": copy,
            "observations": observations,
        }
        self._copy = bool(copy)
        self.ruleset: Final = ruleset
        self.num_envs: Final = lanes.num_envs
        self.num_players: Final = ruleset.num_players
        space = make_observation_space(lanes.game)
        mask_only = spaces.Dict({"action_mask": space["action_mask"]})
        self.single_observation_space = space if observations else mask_only
        self.single_action_space = make_action_space(lanes.game)

        rows = self.num_envs if observations else 0
        self.observation: Final = np.zeros((rows, lanes.game.observation.size), np.uint8)
        self.action_mask: Final = np.zeros((self.num_envs, lanes.game.actions.count), np.int8)
        self._outputs = (self.observation.view(), self.action_mask.view())
        self.rewards: Final = lanes.rewards
        self.current_player: Final = lanes.records["current_player"]
        self.terminated: Final = lanes.terminated
        self.truncated: Final = lanes.truncated
        self.illegal: Final = lanes.illegal
        self._chosen = np.zeros(self.num_envs, np.int64)

    # --- play --------------------------------------------------------------------------------

    def reset(
        self, seed: object = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, Json]:
        """Begin new games.

        Args:
            seed: lane i plays the game of `seed` + i, or of `seed[i]`. Without a seed the lanes'
                generators go on; the first time they are seeded by the operating system.
            options: `reset_mask`, bool [num_envs]: the lanes to begin anew; other keys are ignored.

        Returns:
            ({"observation", "action_mask"}, {}).

        Raises:
            TabletopError: a bad seed or mask.
        """
        lanes = self._lanes
        with lanes.guard:
            lanes.require_open()
            chosen = lanes.check_reset(options)
            lanes.seed(seed, chosen)
            lanes.order[:] = np.where(chosen, engine.BEGIN, engine.WAIT)
            lanes.play(*self._outputs)
            lanes.has_started = True
            return self._observations(), {}

    def step(self, actions: object) -> tuple[Observations, Array, Array, Array, Json]:
        """One decision in every lane.

        Args:
            actions: integers [num_envs] of any integer type. An illegal action sets `illegal` and
                leaves its lane as it was.

        Returns:
            (observations, rewards, terminated, truncated, infos), see the attributes. infos is
            empty but when games ended: then it holds `winners` (tuples of players), `scores`
            [num_envs, players], `reason` (text) and `length` (decisions) of those lanes, and for
            each key a mask `_key` (bool [num_envs]) of the lanes that have it.

        Raises:
            TabletopError: before the first reset, or actions of another shape or type; nothing has
                changed then.
        """
        lanes = self._lanes
        with lanes.guard:
            lanes.require_started()
            lanes.take_actions(actions)
            ended = lanes.play(*self._outputs)
            infos = lanes.results(lanes.ended) if ended else {}
            if self._copy:
                infos = {key: value.copy() for key, value in infos.items()}
            return (
                self._observations(),
                self._given(self.rewards),
                self._given(self.terminated),
                self._given(self.truncated),
                infos,
            )

    def sample_actions(self, seed: object = None) -> Array:
        """Uniformly random legal actions, int64 [num_envs]; 0 where a game is over.

        They come from generators of the lanes' own, apart from the games': seeded by `reset`, or
        here by `seed` as there.

        Raises:
            TabletopError: before the first reset, or a bad seed.
        """
        lanes = self._lanes
        with lanes.guard:
            lanes.require_started()
            if seed is not None:
                lanes.seed_bots(seed)
            # Less work than handing it to threads.
            engine.choose_batch(lanes.states, lanes.records, self._chosen, 0, self.num_envs)
            return self._given(self._chosen)

    def rollout(self, num_steps: int) -> RolloutStatistics:
        """`num_steps` random decisions in every lane without returning to Python between them.

        A finished game is followed by a new one at once, in every autoreset mode. Afterwards the
        arrays show the games in progress.

        Raises:
            TabletopError: before the first reset, or `num_steps` is no integer above 0.
        """
        lanes = self._lanes
        with lanes.guard:
            lanes.require_started()
            steps = check_count(num_steps, "num_steps")
            tallies = np.zeros((self.num_envs, FIRST_END + len(lanes.reasons)), np.int64)
            totals = np.zeros((self.num_envs, WINS + 1, self.num_players))
            lanes.pool.run(
                lambda first, end: engine.rollout_batch(
                    self.ruleset.record,
                    lanes.states,
                    lanes.records,
                    steps,
                    tallies,
                    totals,
                    lanes.points,
                    lanes.is_winner,
                    first,
                    end,
                ),
                self.num_envs,
                steps,
            )
            self.ruleset.game.check_room(lanes.states)
            self._show_states()
            return self._statistics(steps, tallies.sum(axis=0), totals.sum(axis=0))

    def play_games(self, num_games: int, seed: int | None = None) -> GameResults:
        """Whole games by random bots, apart from the lanes, which are left as they are.

        Game k is the one that `reset(seed + k)` deals; the results depend neither on the number of
        lanes nor on that of threads.

        Raises:
            TabletopError: `num_games` is no integer above 0, or a bad seed.
        """
        self._lanes.require_open()
        number = random_seed() if seed is None else check_seed(seed)
        threads = self._lanes.pool.threads
        results = random_games(self.ruleset, num_games, seed=number, threads=threads)
        return GameResults(
            points=results.points,
            winners=results.is_winner,
            reasons=self._lanes.reasons[results.lanes["end_reasons"]],
            truncated=results.lanes["truncated"].copy(),
            lengths=results.lanes["length"].astype(np.int64),
            turns=results.lanes["turns"].astype(np.int64),
        )

    def close(self) -> None:
        """End the threads; the engine cannot be used any more."""
        with self._lanes.guard:
            self._lanes.pool.close()
            self._lanes.is_closed = True

    # --- search hooks ------------------------------------------------------------------------

    @property
    def states(self) -> Array:
        """The state records [num_envs] as a read-only view; `restore` takes such arrays."""
        view = self._lanes.states.view()
        view.flags.writeable = False
        return view

    def clone(self) -> VectorEngine:
        """An independent engine at the same positions, random generators included."""
        with self._lanes.guard:
            copy = VectorEngine(self.ruleset, self.num_envs, **self._arguments)
            copy._lanes.take(self._lanes)
            copy.observation[:] = self.observation
            copy.action_mask[:] = self.action_mask
            return copy

    def restore(self, source: VectorEngine | bytes | Array) -> None:
        """Take over the lanes of another engine, of `serialize()`, or state records [num_envs].

        State records must be positions of this engine's ruleset. They bring no rewards with them
        and leave the generators of `sample_actions` alone.

        Raises:
            TabletopError: it does not fit: another game, ruleset or number of lanes; nothing has
                changed then.
        """
        lanes = self._lanes
        with lanes.guard:
            lanes.require_open()
            if isinstance(source, np.ndarray):
                lanes.states[:] = self._checked_states(source)
                lanes.has_started = True
                self._show_states()
                return
            if isinstance(source, VectorEngine):
                source._lanes.require_started()
                lanes.check_twin(source._lanes)
                lanes.take(source._lanes)
            else:
                lanes.from_bytes(source)
            lanes.show(*self._outputs)

    def serialize(self) -> bytes:
        """All lanes as bytes, with generators, rewards and flags.

        Raises:
            TabletopError: before the first reset.
        """
        with self._lanes.guard:
            self._lanes.require_started()
            return self._lanes.to_bytes()

    def deserialize(self, data: bytes) -> None:
        """Take over the lanes in `data`, made by `serialize()`.

        Raises:
            TabletopError: not such bytes, damaged, or of another game, ruleset or number of lanes;
                nothing has changed then.
        """
        self.restore(data)

    def to_json(self, lane: int, player: int | None = None) -> Json:
        """One lane in words: the whole position, or what one player may know of it.

        Raises:
            TabletopError: before the first reset, or there is no such lane or player.
        """
        lanes = self._lanes
        with lanes.guard:
            lanes.require_started()
            index = lanes.check_lane(lane)
            state = lanes.states[index : index + 1]
            if player is None:
                return lanes.game.state_to_json(self.ruleset, state)
            return lanes.game.view_to_json(self.ruleset, state, lanes.check_player(player))

    def determinize(self, player: int, seed: int | None = None, lane: int | None = None) -> None:
        """Redraw all that `player` cannot know, the games' generators too, in one lane or in all.

        A single lane is redrawn with `seed`, of all lanes lane i with `seed` + i.

        Raises:
            TabletopError: before the first reset, or there is no such player, seed or lane.
        """
        lanes = self._lanes
        with lanes.guard:
            lanes.require_started()
            seat = lanes.check_player(player)
            number = random_seed() if seed is None else check_seed(seed)
            chosen = range(self.num_envs) if lane is None else (lanes.check_lane(lane),)
            for k, index in enumerate(chosen):
                state = lanes.states[index : index + 1]
                state[0].rng = seed_to_word((number + k) % SEED_LIMIT)
                engine.determinize_one(self.ruleset.record, state, seat)
            lanes.show(*self._outputs)

    # --- records -----------------------------------------------------------------------------

    def start_recording(self) -> None:
        """Keep the decisions of all lanes from now on, for `take_records()`.

        Games in progress are recorded from their present positions on, and so are games that
        `restore`, `determinize` or `rollout` have given other positions.
        Memory grows until the records are taken. Copies of the engine are not recorded.
        """
        with self._lanes.guard:
            self._lanes.start_recording(ends_on_illegal=False)

    def take_records(self) -> list[GameRecord]:
        """Records of the games that have ended since the last call, in the order of their ends.

        Games that a reset cut short are left out.

        Raises:
            TabletopError: `start_recording()` was not called.
        """
        with self._lanes.guard:
            return self._lanes.take_records()

    # --- copies ------------------------------------------------------------------------------

    def __deepcopy__(self, memo: object) -> VectorEngine:
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        with self._lanes.guard:
            return {
                "ruleset": self.ruleset,
                "num_envs": self.num_envs,
                "arguments": self._arguments,
                "content": self._lanes.to_bytes() if self._lanes.has_started else None,
            }

    def __setstate__(self, content: dict[str, Any]) -> None:
        VectorEngine.__init__(self, content["ruleset"], content["num_envs"], **content["arguments"])
        if content["content"] is not None:
            self.restore(content["content"])

    # --- details -----------------------------------------------------------------------------

    def _observations(self) -> Observations:
        parts = {"action_mask": self._given(self.action_mask)}
        if len(self.observation):
            parts["observation"] = self._given(self.observation)
        return parts

    def _given(self, array: Array) -> Array:
        return array.copy() if self._copy else array

    def _show_states(self) -> None:
        """Outputs of positions that no step has led to."""
        lanes = self._lanes
        lanes.rewards[:] = 0.0
        self.illegal[:] = False
        self.terminated[:] = lanes.states["end_reasons"] != 0
        self.truncated[:] = lanes.states["is_truncated"] != 0
        lanes.show(*self._outputs)

    def _checked_states(self, states: Array) -> Array:
        lanes = self._lanes
        if states.shape != (self.num_envs,) or states.dtype.fields != lanes.states.dtype.fields:
            raise TabletopError(
                f"{lanes.game.id}: states must be an array of {self.num_envs} state records"
            )
        for digest in np.unique(states["ruleset"]):
            lanes.check_digest(int(digest))
        return states

    def _statistics(self, steps: int, tally: Array, total: Array) -> RolloutStatistics:
        ends = tally[FIRST_END:]
        games = int(ends.sum())
        per_game = 1 / games if games else float("nan")
        return RolloutStatistics(
            num_steps=steps * self.num_envs,
            num_games=games,
            mean_length=int(tally[DECISIONS]) * per_game,
            mean_turns=int(tally[TURNS]) * per_game,
            ends={self._lanes.reasons[k]: int(ends[k]) for k in np.flatnonzero(ends)},
            mean_scores=total[POINTS] * per_game,
            wins=total[WINS].astype(np.int64),
        )
