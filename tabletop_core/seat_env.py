"""One seat in each of many games as a Gymnasium `VectorEnv`; bots play the other seats."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from . import engine
from .bots import AnyBot, Observation, RandomBot, RuleBot, ask
from .errors import TabletopError
from .game import Array, Json, Ruleset
from .lanes import Lanes, autoreset_mode
from .record import GameRecord
from .rendering import Rendered, check_render_mode, render_session, returned_modes
from .session import Session
from .single_agent import ROTATE, Opponents, make_opponents
from .single_game import (
    ILLEGAL_REWARD,
    make_action_space,
    make_metadata,
    make_observation_space,
)

MAX_LEFT_OUT: Final = 1000  # games in a row that end before the seat has decided anything

Step = tuple[Observation, Array, Array, Array, Json]


class SeatVectorEnv(VectorEnv[Observation, Array, Array]):
    """`num_envs` games at once, each seen and played from one seat.

    Observations are {"observation": uint8 [num_envs, size], "action_mask": int8 [num_envs,
    num_actions]}; all arrays that are returned are fresh. Rewards (float64 [num_envs]) are 0 until
    a game ends. An illegal action ends its lane's game with reward -1 and `infos["illegal_action"]`
    in words. infos hold `action_mask` and `player` (the seat); at the end of a game also `winners`
    (lists of seats), `scores`, `reason` and `length`; each with its mask `_key` of the lanes that
    have it.

    Lane i is the single-agent view with `seed` + i. The bots "random" and "rule" are played inside
    a kernel, with generators of the lanes' own. Each other bot is called with one lane at a time.

    Args:
        ruleset: the game, its options and tables.
        num_envs: how many games (lanes).
        reward: what a game pays at its end, "win", "score" or "margin".
        opponents: a bot for all other seats, or one for each of them clockwise from the next seat
            on; a bot is a name ("random", "rule"), a callable (`tabletop_core.bots.Bot`) or a
            `StateBot`.
        seat: the seat to play, or "rotate": i modulo the number of players in the first game of
            lane i after a seed, then one further in each game.
        autoreset: what follows a finished game, as text or as Gymnasium's `AutoresetMode`:
            "next_step", "same_step" (then `infos` hold `final_obs` and `final_info`) or "disabled"
            (reset finished lanes with `options={"reset_mask": ...}` before the next step).
        threads: how many threads share a step; results do not depend on it.
        render_mode: None, "ansi", "svg" or "rgb_array" (`render()` returns a tuple, one picture
            for each lane).

    Raises:
        TabletopError: an argument has a wrong value.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        num_envs: int,
        *,
        reward: str = "win",
        opponents: Opponents = "random",
        seat: int | str = 0,
        autoreset: object = AutoresetMode.NEXT_STEP,
        threads: int = 1,
        render_mode: str | None = None,
    ) -> None:
        mode, _ = autoreset_mode(autoreset)
        lanes = Lanes(ruleset, num_envs, reward, engine.AUTORESET_DISABLED, threads)
        game = lanes.game
        self.autoreset: Final = mode
        self.num_envs = lanes.num_envs
        self.render_mode = check_render_mode(game, render_mode, returned_modes(game))
        self.metadata = {
            **make_metadata(game),
            "render_modes": returned_modes(game),
            "autoreset_mode": mode,
        }
        self.single_observation_space = make_observation_space(game)
        self.single_action_space = make_action_space(game)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

        self.ruleset: Final = ruleset
        self.seat: Final = seat if seat == ROTATE else lanes.check_player(seat)
        self.bots: Final = make_opponents(opponents, ruleset)
        self._arguments: dict[str, Any] = {
            "reward": reward,
            "opponents": self.bots,
            "seat": seat,
            "autoreset": mode,
            "threads": threads,
            "render_mode": render_mode,
        }
        self._lanes = lanes
        self._aside = Session(ruleset)
        self._seats = np.zeros(self.num_envs, np.int64)
        self._is_over = np.zeros(self.num_envs, np.bool_)
        self._kernel_bots = _players_of(self.bots, (RandomBot, RuleBot))
        self._rule_bots = _players_of(self.bots, (RuleBot,))
        self._has_others = not all(isinstance(bot, (RandomBot, RuleBot)) for bot in self.bots)
        self._generators: list[np.random.Generator] = []

    @property
    def seats(self) -> Array:
        """The seat played in each lane, a fresh int64 [num_envs]."""
        return self._seats.copy()

    # --- play --------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Json]:
        """Begin new games and let the bots play up to the seats' first decisions.

        A game that ends before is left out.

        Args:
            seed: lane i gets `seed` + i, or `seed[i]`. Without a seed generators go on; the first
                time they are seeded by the operating system.
            options: `reset_mask`, bool [num_envs]: the lanes to begin anew, the others stay as they
                are; other keys are ignored. The dictionary is left as it is.

        Raises:
            TabletopError: a bad seed or mask.
        """
        lanes = self._lanes
        with lanes.guard:
            lanes.require_open()
            chosen = lanes.check_reset(options)
            is_new = seed is not None or not lanes.has_started
            seeds = lanes.seed(seed, chosen)
            super().reset(seed=seeds[0] if seeds and seed is not None else None)
            self._seed_others(seeds, chosen)
            self._take_seats(chosen, is_new)
            lanes.order[:] = engine.SHOW
            lanes.has_started = True
            observation = self._play(chosen)
            self._is_over[chosen] = False
            observation["action_mask"][self._is_over] = 0
            return observation, self._running_infos(observation, chosen)

    def step(self, actions: Array) -> Step:
        """Play the seats' actions, then let the bots play up to the seats' next decisions.

        Args:
            actions: integers [num_envs] of any integer type.

        Returns:
            (observations, rewards, terminated, truncated, infos), all of them fresh.

        Raises:
            TabletopError: before the first reset, actions of another shape or type or out of range,
                a finished lane that was not reset while autoreset is disabled, or a bot that plays
                an illegal action; the games are as they were.
        """
        lanes = self._lanes
        with lanes.guard:
            lanes.require_started()
            lanes.take_actions(actions)
            begins = self._is_over.copy()
            self._check_step(begins)
            if not self._has_others:
                return self._step(begins)
            saved = self._snapshot()
            try:
                return self._step(begins)
            except BaseException:
                self._rewind(saved)
                raise

    def _step(self, begins: Array) -> Step:
        lanes = self._lanes
        wanted = lanes.actions.copy() if self._has_others else lanes.actions
        self._take_seats(begins, False)
        lanes.order[:] = engine.PLAY
        observation = self._play(begins)
        illegal = lanes.illegal.copy()
        observation["action_mask"][illegal] = 0
        rewards = lanes.rewards[np.arange(self.num_envs), self._seats]
        rewards[illegal] = ILLEGAL_REWARD
        terminated = lanes.terminated | illegal
        truncated = lanes.truncated & ~illegal
        self._is_over = terminated | truncated
        infos = self._running_infos(observation, np.ones(self.num_envs, np.bool_))
        if self._is_over.any():
            infos |= self._end_infos(wanted, illegal)
            if self.autoreset == AutoresetMode.SAME_STEP:
                infos = self._begin_at_once(observation, infos)
        return observation, rewards, terminated, truncated, infos

    def _check_step(self, is_over: Array) -> None:
        """Refuse what no lane may be asked to do; a lane that begins a game ignores its action."""
        lanes = self._lanes
        count = lanes.game.actions.count
        if self.autoreset == AutoresetMode.DISABLED and is_over.any():
            raise TabletopError(
                f"{lanes.game.id}: the games of lanes {np.flatnonzero(is_over).tolist()} are over; "
                'reset them with options={"reset_mask": ...} before the next step'
            )
        outside = ((lanes.actions < 0) | (lanes.actions >= count)) & ~is_over
        if outside.any():
            lane = int(outside.argmax())
            raise TabletopError(
                f"{lanes.game.id}: an action is an integer from 0 to {count - 1}, "
                f"not {lanes.actions[lane]} (lane {lane})"
            )

    def _take_seats(self, begins: Array, is_new: bool) -> None:
        """Decide who plays which seat in the games that begin."""
        records = self._lanes.records
        players = self.ruleset.num_players
        if self.seat != ROTATE:
            self._seats[begins] = self.seat
        elif is_new:
            self._seats[begins] = np.flatnonzero(begins) % players
        else:
            self._seats[begins] = (self._seats[begins] + 1) % players
        records["viewer"][begins] = self._seats[begins]
        records["bots"][begins] = self._kernel_bots[self._seats[begins]]
        records["rule_bots"][begins] = self._rule_bots[self._seats[begins]]

    def _play(self, begins: Array) -> Observation:
        """Carry out the orders, BEGIN in the lanes `begins`; what the seats see then."""
        game = self._lanes.game
        observation = {
            "observation": np.empty((self.num_envs, game.observation.size), np.uint8),
            "action_mask": np.empty((self.num_envs, game.actions.count), np.int8),
        }
        self._play_into(observation, begins)
        return observation

    def _play_into(self, observation: Observation, begins: Array) -> None:
        """As `_play`; the rows of lanes that are to WAIT are left as they are."""
        lanes = self._lanes
        lanes.order[begins] = engine.BEGIN
        shown = lanes.order != engine.WAIT
        self._play_to_seats(observation)
        again = begins & self._finished()
        left_out = 0
        while again.any():
            left_out += 1
            if left_out > MAX_LEFT_OUT:
                raise TabletopError(
                    f"{lanes.game.id}: with these options games end before the seat decides"
                )
            lanes.order[:] = np.where(again, engine.BEGIN, engine.WAIT)
            self._play_to_seats(observation)
            again &= self._finished()
        if self._has_others:
            lanes.order[:] = np.where(shown, engine.SHOW, engine.WAIT)
            lanes.play(observation["observation"], observation["action_mask"])

    def _play_to_seats(self, observation: Observation) -> None:
        """Carry out the orders, then let the bots play up to the seats' next decisions."""
        lanes = self._lanes
        if not self._has_others:
            lanes.play(observation["observation"], observation["action_mask"])
            return
        nothing = observation["observation"][:0], observation["action_mask"][:0]
        lanes.play(*nothing)
        while (
            waiting := (lanes.records["current_player"] != self._seats) & ~self._finished()
        ).any():
            for lane in np.flatnonzero(waiting).tolist():
                lanes.actions[lane] = self._ask(lane)
            lanes.order[:] = np.where(waiting, engine.PLAY, engine.WAIT)
            lanes.play(*nothing)

    def _finished(self) -> Array:
        finished: Array = self._lanes.terminated | self._lanes.truncated
        return finished

    # --- bots that no kernel plays -----------------------------------------------------------

    def _ask(self, lane: int) -> int:
        """The action of the bot that is to decide in a lane."""
        session = self._session(lane)
        player = session.current_player
        bot = self.bots[(player - int(self._seats[lane])) % self.ruleset.num_players - 1]
        try:
            action = session.check_action(ask(bot, session, self._generators[lane]))
            if not session.is_legal(action):
                raise TabletopError(session.explain_illegal(action))
        except TabletopError as error:
            raise TabletopError(
                f"the bot of player {player} is wrong in lane {lane}: {error}"
            ) from error
        return action

    def _session(self, lane: int) -> Session:
        """The game of a lane on its own, in the one session that is kept for this."""
        session = self._aside
        session.state[:] = self._lanes.states[lane : lane + 1]
        session.has_started = True
        engine.show(self.ruleset.record, session.state, session.observation, session.mask)
        return session

    def _seed_others(self, seeds: Sequence[int] | None, chosen: Array) -> None:
        """The generators that bots are handed, those of the single-agent view."""
        if not self._has_others or not seeds:
            return
        if not self._generators:
            self._generators = [self.np_random] * self.num_envs
        for lane in np.flatnonzero(chosen).tolist():
            self._generators[lane] = seeding.np_random(seeds[lane])[0]

    # --- infos -------------------------------------------------------------------------------

    def _running_infos(self, observation: Observation, present: Array) -> Json:
        mask = observation["action_mask"]
        return {
            "action_mask": np.where(present[:, None], mask, 0).astype(mask.dtype),
            "_action_mask": present.copy(),
            "player": np.where(present, self._seats, 0),
            "_player": present.copy(),
        }

    def _end_infos(self, actions: Array, illegal: Array) -> Json:
        """What the single-agent view tells at the end of a game."""
        results = self._lanes.results(self._is_over)
        infos = {key: value.copy() for key, value in results.items()}
        for lane in np.flatnonzero(results["_winners"]):
            infos["winners"][lane] = list(results["winners"][lane])
        if illegal.any():
            infos["illegal_action"] = np.full(self.num_envs, None, dtype=object)
            infos["_illegal_action"] = illegal.copy()
        for lane in np.flatnonzero(illegal):
            result = self._session(int(lane)).illegal_result(int(actions[lane]))
            for key, value in result.items():
                infos[key][lane] = value
        return infos

    def _begin_at_once(self, observation: Observation, infos: Json) -> Json:
        """Begin new games where one is over; the infos with what there was before."""
        ended = self._is_over
        final_obs = np.full(self.num_envs, None, dtype=object)
        for lane in np.flatnonzero(ended):
            final_obs[lane] = {key: array[lane].copy() for key, array in observation.items()}
        final_info = self._running_infos(observation, ended)
        final_info |= {key: infos[key] for key in infos if key not in final_info}
        self._take_seats(ended, False)
        self._lanes.order[:] = engine.WAIT
        self._play_into(observation, ended)
        self._is_over = np.zeros(self.num_envs, np.bool_)
        return {
            **self._running_infos(observation, np.ones(self.num_envs, np.bool_)),
            "final_obs": final_obs,
            "_final_obs": ended.copy(),
            "final_info": final_info,
            "_final_info": ended.copy(),
        }

    # --- records -----------------------------------------------------------------------------

    def start_recording(self) -> None:
        """Keep the decisions of all lanes from now on, for `take_records()`.

        Games in progress are recorded from their present positions on.
        Memory grows until the records are taken. Copies of the environment are not recorded.
        """
        with self._lanes.guard:
            self._lanes.start_recording(ends_on_illegal=True)

    def take_records(self) -> list[GameRecord]:
        """Records of the games that have ended since the last call, in the order of their ends.

        Games that a reset cut short are left out.

        Raises:
            TabletopError: `start_recording()` was not called.
        """
        with self._lanes.guard:
            return self._lanes.take_records()

    # --- what Gymnasium asks for besides -----------------------------------------------------

    def render(self) -> tuple[Rendered, ...] | None:
        """The tables as the seats see them, a tuple of texts, SVGs or pixels; None without mode.

        Raises:
            TabletopError: before the first reset.
        """
        lanes = self._lanes
        if self.render_mode is None:
            return None
        with lanes.guard:
            lanes.require_started()
            return tuple(self._picture(lane, int(seat)) for lane, seat in enumerate(self._seats))

    def _picture(self, lane: int, seat: int) -> Rendered:
        picture = render_session(self._session(lane), self.render_mode, seat)
        assert picture is not None
        return picture

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads; the environment cannot be used any more."""
        if "_lanes" in self.__dict__:  # `__del__` comes here even if the constructor failed
            self._lanes.pool.close()
            self._lanes.is_closed = True

    def __deepcopy__(self, memo: dict[int, Any]) -> SeatVectorEnv:
        twin = SeatVectorEnv.__new__(SeatVectorEnv)
        memo[id(self)] = twin
        content = self.__getstate__()
        memo[id(self.ruleset)] = self.ruleset  # never changes
        twin.__setstate__(copy.deepcopy(content, memo))
        return twin

    def __getstate__(self) -> dict[str, Any]:
        lanes = self._lanes
        with lanes.guard:
            return {
                "ruleset": self.ruleset,
                "num_envs": self.num_envs,
                "arguments": self._arguments,
                "content": lanes.to_bytes() if lanes.has_started else None,
                "seats": self._seats,
                "is_over": self._is_over,
                "generators": self._generators,
                "np_random": (self._np_random, self._np_random_seed),
                "spec": self.spec,
            }

    def __setstate__(self, content: dict[str, Any]) -> None:
        SeatVectorEnv.__init__(
            self, content["ruleset"], content["num_envs"], **content["arguments"]
        )
        if content["content"] is not None:
            self._lanes.from_bytes(content["content"])
        self._seats = content["seats"]
        self._is_over = content["is_over"]
        self._generators = content["generators"]
        self._np_random, self._np_random_seed = content["np_random"]
        self.spec = content["spec"]

    def _snapshot(self) -> tuple[Any, ...]:
        return self._lanes.snapshot(), self._seats.copy(), self._is_over.copy()

    def _rewind(self, snapshot: tuple[Any, ...]) -> None:
        lanes, self._seats, self._is_over = snapshot
        self._lanes.rewind(lanes)


def _players_of(bots: Sequence[AnyBot], kinds: tuple[type[AnyBot], ...]) -> Array:
    """For each seat the set of players (uint64 [players]) whose bots are of these kinds."""
    players = len(bots) + 1
    sets = np.zeros(players, np.uint64)
    for seat in range(players):
        for k, bot in enumerate(bots):
            if isinstance(bot, kinds):
                sets[seat] |= np.uint64(1 << (seat + 1 + k) % players)
    return sets
