"""The PettingZoo AEC view: all the bookkeeping of that library, once for all games.

PettingZoo's stock wrappers cost more than everything else together, because each attribute read
through a wrapper takes microseconds. What they check is checked here instead, and only where the
quick path finds that something is out of the ordinary.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable

from .bots import Observation
from .engine import step_one
from .errors import TabletopError, shown
from .game import Array, Json, Ruleset
from .rendering import DRAWN_MODES, HUMAN, Rendered, check_render_mode, render_session
from .session import Session
from .single_game import (
    ILLEGAL_REWARD,
    RAISE,
    SearchHooks,
    agent_names,
    check_on_illegal,
    check_reset_options,
    make_action_space,
    make_metadata,
    make_observation_space,
    make_state_space,
    seat_of,
    state_bytes,
)

Action = int | None

# Attributes that a clone must have copies of; they come into being with the first reset.
_BOOKKEEPING: Final = (
    "agents",
    "agent_selection",
    "rewards",
    "_cumulative_rewards",
    "terminations",
    "truncations",
    "infos",
    "_skip_agent_selection",
)
# Quick ways to the session's arrays, made anew in each process.
_SHORTCUTS: Final = ("_rules", "_state", "_observation", "_mask", "_bytes", "_enter", "_leave")


class TabletopEnv(SearchHooks, AECEnv[str, Observation, Action]):
    """A game as a PettingZoo AEC environment.

    Observations are {"observation": uint8 [observation_size], "action_mask": int8 [num_actions]},
    in fresh arrays; the mask is all zeros unless the agent is to move. All agents share one
    observation space and one action space. Rewards are 0 until the end of the game.

    Args:
        ruleset: the game, its options and tables.
        reward: what a game pays at its end, "win", "score" or "margin".
        render_mode: None, "ansi", "svg", "rgb_array" or "human", see `Views.env`.
        on_illegal: "raise" a TabletopError and change nothing, or "end" the game: the offender
            gets -1, the others 0, and all `terminations` are set.

    Raises:
        TabletopError: an argument has a wrong value.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        reward: str = "win",
        render_mode: str | None = None,
        on_illegal: str = RAISE,
    ) -> None:
        game = ruleset.game
        self.session = Session(ruleset, reward)
        self.metadata = make_metadata(game)
        self.render_mode = check_render_mode(game, render_mode, self.metadata["render_modes"])
        self.on_illegal: Final = check_on_illegal(game, on_illegal)
        self.possible_agents = agent_names(ruleset.num_players)
        self.state_space = make_state_space(game)
        self._observation_space = make_observation_space(game)
        self._action_space = make_action_space(game)
        self._num_actions = game.actions.count
        self._names = tuple(self.possible_agents)
        self._is_shown = render_mode == HUMAN
        self._is_drawn = render_mode in DRAWN_MODES
        self._is_watched = self._is_drawn  # or recorded
        self._last: tuple[int, str] | None = None  # player and words of the decision before,
        self._before: Array = self.session.state.copy()  # and the position there, if it is drawn
        self._is_in_play = False  # somebody has to move: neither before reset nor at the end
        self._has_moved = True  # since `agent_iter` named an agent
        self._player_byte, self._end_byte, self._cap_byte = (
            game.state_dtype.fields[name][1]  # type: ignore[index]
            for name in ("current_player", "end_reasons", "is_truncated")
        )
        self._take_shortcuts()

    def _take_shortcuts(self) -> None:
        session = self.session
        self._rules = session.ruleset.record
        self._state = session.state
        self._observation = session.observation
        self._mask = session.mask
        # A field of a record takes 2 microseconds to read, a byte of it a hundredth of that.
        self._bytes = session.state.view("u1").data
        self._enter = session._guard.acquire
        self._leave = session._guard.release

    # --- spaces ------------------------------------------------------------------------------

    def observation_space(self, agent: str) -> spaces.Dict:  # type: ignore[override]
        """The observation space, the same object for every agent."""
        return self._observation_space

    def action_space(self, agent: str) -> spaces.Discrete:  # type: ignore[override]
        """The action space, the same object for every agent."""
        return self._action_space

    # --- play --------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game.

        Args:
            seed: 0 .. 2**64 - 1; None goes on with the random generator of the last game.
            options: ignored.

        Raises:
            TabletopError: bad seed or options.
        """
        check_reset_options(self.session.game, options)
        self.session.reset(seed)
        self._resume()
        if self._is_shown:
            self.render()

    def step(self, action: Action) -> None:
        """Play an action of `agent_selection`; None if that agent has finished.

        Raises:
            TabletopError: no integer, out of range, before `reset()`, after the end, or illegal
                while `on_illegal` is "raise"; nothing has changed. Or the game needs more room than
                its record has, which cuts it.
        """
        if not self._is_in_play:
            self._step_finished(action)
            return
        if type(action) is not int or not 0 <= action < self._num_actions:
            action = self.session.check_action(action)
        if not self._enter(False):
            raise self._in_use()
        try:
            player = step_one(self._rules, self._state, action, self._observation, self._mask)
        finally:
            self._leave()
        if player < 0:
            self._refuse(action)
        elif self._bytes[self._end_byte] or self._bytes[self._cap_byte]:
            self._finish(self.session.result(), self.session.rewards())
        else:
            self.agent_selection = self._names[player]
        self._has_moved = True
        if self._is_watched:
            self._tell(action, is_illegal=player < 0)
        if not self._is_in_play:
            self.session.game.check_room(self._state)  # too little of it has cut the game

    def _tell(self, action: int, is_illegal: bool) -> None:
        """Keep the action for the record and the picture, and show the position."""
        if self._is_drawn and not is_illegal:
            self._remember(action)
        log = self.session.log
        if log is not None and is_illegal:
            log.illegal_action = action
        elif log is not None:
            log.actions.append(action)
        if self._is_shown:
            self.render()

    def _remember(self, action: int | None) -> None:
        """Keep a decision in words, which follow from the position before; None forgets it."""
        self._last = None
        if action is not None:
            player = int(self._before[0].current_player)
            game, ruleset = self.session.game, self.session.ruleset
            self._last = (player, game.action_to_string(ruleset, self._before, action))
        self._before = self._state.copy()

    def start_recording(self) -> None:
        """Keep the decisions of this and all later games, for `record()`; see `SearchHooks`."""
        super().start_recording()
        self._is_watched = True

    def _refuse(self, action: int) -> None:
        if self.on_illegal == RAISE:
            raise TabletopError(self.session.explain_illegal(action))
        offender = self._names.index(self.agent_selection)
        rewards = [0.0] * len(self._names)
        rewards[offender] = ILLEGAL_REWARD
        result = self.session.illegal_result(action)
        self._finish({**result, "illegal_agent": self.agent_selection}, rewards)

    def _step_finished(self, action: Action) -> None:
        self._require_agents()
        if action is not None:
            raise TabletopError(
                f"{self}: {self.agent_selection} has finished, so its only action is None, "
                f"not {shown(action)}"
            )
        self._was_dead_step(None)
        self._has_moved = True

    def _require_started(self) -> None:
        if not self.session.has_started:
            raise TabletopError(f"{self}: call reset() before anything else")

    def _require_agents(self) -> None:
        self._require_started()
        if not self.agents:
            raise TabletopError(f"{self}: the game is over; call reset() to begin another")

    def _in_use(self) -> TabletopError:
        return TabletopError(
            f"this {self} environment is in use by another thread; "
            "give each thread an environment of its own"
        )

    # --- bookkeeping -------------------------------------------------------------------------

    def _resume(self) -> None:
        """All agents in the position of the session, as if it had just come about."""
        names = self._names
        self.agents = list(names)
        self.agent_selection = names[self._bytes[self._player_byte]]
        self.rewards = dict.fromkeys(names, 0.0)
        self._cumulative_rewards = dict.fromkeys(names, 0.0)
        self.terminations = dict.fromkeys(names, False)
        self.truncations = dict.fromkeys(names, False)
        self.infos = {name: {} for name in names}
        self._skip_agent_selection = None  # type: ignore[assignment]
        self._is_in_play = True
        self._has_moved = True
        if self._is_drawn:
            self._remember(None)
        if self._bytes[self._end_byte] or self._bytes[self._cap_byte]:
            self._finish(self.session.result(), self.session.rewards())

    def _finish(self, result: Json, rewards: list[float]) -> None:
        """End of the game: every agent is told, and finishes with its next (dead) step."""
        is_cut = self.session.truncated
        self._is_in_play = False
        self._cumulative_rewards[self.agent_selection] = 0.0
        winners = [self._names[player] for player in result["winners"]]
        for name, reward in zip(self._names, rewards, strict=True):
            self.rewards[name] = reward
            self.terminations[name] = not is_cut
            self.truncations[name] = is_cut
            scores = list(result["scores"])
            self.infos[name] = {**result, "winners": list(winners), "scores": scores}
        self._accumulate_rewards()
        self._deads_step_first()

    def _clear_rewards(self) -> None:
        for agent in self.rewards:
            self.rewards[agent] = 0.0

    # --- what agents see ---------------------------------------------------------------------

    def last(
        self, observe: bool = True
    ) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """What `agent_selection` is told before its step.

        Returns:
            Observation (None unless `observe`), reward since its last step, terminated, truncated,
            info.

        Raises:
            TabletopError: before `reset()`, or no agent is left.
        """
        if not self._is_in_play:
            self._require_agents()
        agent = self.agent_selection
        if not observe:
            seen = None
        elif self._is_in_play:
            seen = {"observation": self._observation.copy(), "action_mask": self._mask.copy()}
        else:
            seen = self.observe(agent)
        return (
            seen,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def observe(self, agent: str) -> Observation:
        """What `agent` sees now; every possible agent may ask at any moment after `reset()`.

        Raises:
            TabletopError: before `reset()`, or there is no such agent.
        """
        self._require_started()
        session = self.session
        names = self._names
        seat = names.index(agent) if agent in names else seat_of(session, agent)
        mask = self._mask.copy()
        if not self._is_to_move(agent):
            mask[:] = 0
        return {"observation": session.observe(seat), "action_mask": mask}

    def _is_to_move(self, agent: str) -> bool:
        # PettingZoo's own wrapper for illegal actions sets `terminations` from outside.
        return self._is_in_play and agent == self.agent_selection and not self.terminations[agent]

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Observation, Action]:
        """Names the agent to move, for a loop that calls `step()` each time.

        Raises:
            TabletopError: before `reset()`, or the loop goes on without a step.
        """
        self._require_started()
        return AgentIterable(self, max_iter)  # type: ignore[no-untyped-call]

    def state(self) -> Array:
        """The whole state, hidden cards included, as uint8 [state size]: never for a player."""
        self._require_started()
        return state_bytes(self.session)

    def render(self) -> Rendered | None:
        """The open table: text, SVG or pixels; None without mode, and for "human", who sees it."""
        return render_session(self.session, self.render_mode, last=self._last)

    def close(self) -> None:
        """Nothing has to be released."""

    # --- search ------------------------------------------------------------------------------

    def legal_actions(self) -> list[int]:
        """Ids of the legal actions of `agent_selection`, ascending; empty at the end."""
        return self.session.legal_actions() if self._is_in_play else []

    def clone(self) -> TabletopEnv:
        """An independent environment at the same position; only the spaces are shared."""
        twin = object.__new__(type(self))
        twin.__setstate__({**self.__getstate__(), "session": self.session.clone()})
        twin._take_bookkeeping(self)
        return twin

    def restore(self, source: AECEnv[str, Any, Any] | bytes) -> None:
        """Go on from the position of another environment, or from that of `serialize()`.

        Raises:
            TabletopError: it belongs to another game or ruleset, or has not begun; nothing has
                changed.
        """
        if isinstance(source, (bytes, bytearray, memoryview)):
            self.deserialize(source)
            return
        other = getattr(source, "unwrapped", None)
        if not isinstance(other, TabletopEnv):
            raise TabletopError(
                f"{self}: a position comes from another environment or from serialize(), "
                f"not from {type(source).__name__}"
            )
        other._require_started()
        self.session.restore(other.session)
        self._take_bookkeeping(other)

    def _take_bookkeeping(self, source: TabletopEnv) -> None:
        content = source.__dict__
        for name in _BOOKKEEPING:
            if name in content:
                value = content[name]
                self.__dict__[name] = value.copy() if isinstance(value, (dict, list)) else value
        if "infos" in content:
            self.infos = {agent: dict(info) for agent, info in source.infos.items()}
        self._is_in_play = source._is_in_play
        self._has_moved = True
        if self._is_drawn:
            self._last = source._last
            self._before = self._state.copy()

    # --- pickling ----------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _SHORTCUTS}

    def __setstate__(self, content: dict[str, Any]) -> None:
        self.__dict__.update(content)
        self._take_shortcuts()


class AgentIterable(AECIterable[str, Observation, Action]):
    """What `agent_iter()` returns: it names the agent to move, again and again.

    Refuses to go on for ever when the loop forgets to step.
    """

    env: TabletopEnv

    def __iter__(self) -> Iterator[str]:  # type: ignore[override]
        env = self.env
        env._has_moved = True
        left = self.max_iter
        while env.agents and left > 0:
            if not env._has_moved:
                raise TabletopError(f"{env}: call step() or reset() in a loop over agent_iter()")
            env._has_moved = False
            left -= 1
            yield env.agent_selection
