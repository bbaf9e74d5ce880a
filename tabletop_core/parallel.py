"""The PettingZoo Parallel view of turn-based games: everybody is asked, only the mover is heard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gymnasium import spaces
from pettingzoo import ParallelEnv

from .aec import Action, TabletopEnv
from .bots import Observation
from .errors import TabletopError, shown
from .game import Array, Ruleset
from .rendering import Rendered
from .session import Session
from .single_game import END, SearchHooks

Step = tuple[
    dict[str, Observation],
    dict[str, float],
    dict[str, bool],
    dict[str, bool],
    dict[str, dict[str, Any]],
]


class TabletopParallelEnv(SearchHooks, ParallelEnv[str, Observation, Action]):
    """A game as a PettingZoo Parallel environment.

    It does what `pettingzoo.utils.turn_based_aec_to_parallel` makes of the AEC view: `step()` needs
    the action of the agent to move alone and ignores the others; `infos[agent]["active_agent"]`
    names that agent. An illegal action ends the game as in `env()`.

    Args:
        ruleset: the game, its options and tables.
        reward: what a game pays at its end, "win", "score" or "margin".
        render_mode: None, "ansi", "svg", "rgb_array" or "human", see `Views.env`.

    Raises:
        TabletopError: an argument has a wrong value.
    """

    def __init__(
        self, ruleset: Ruleset, reward: str = "win", render_mode: str | None = None
    ) -> None:
        self.aec_env = TabletopEnv(ruleset, reward, render_mode, on_illegal=END)
        self.metadata = self.aec_env.metadata
        self.render_mode = self.aec_env.render_mode
        self.possible_agents = self.aec_env.possible_agents
        self.state_space = self.aec_env.state_space
        self.agents: list[str] = []

    @property
    def session(self) -> Session:  # type: ignore[override]
        """The game in progress."""
        return self.aec_env.session

    def observation_space(self, agent: str) -> spaces.Dict:  # type: ignore[override]
        """The observation space, the same object for every agent."""
        return self.aec_env.observation_space(agent)

    def action_space(self, agent: str) -> spaces.Discrete:  # type: ignore[override]
        """The action space, the same object for every agent."""
        return self.aec_env.action_space(agent)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin a new game; observations and infos of all agents.

        Args:
            seed: 0 .. 2**64 - 1; None goes on with the random generator of the last game.
            options: ignored.

        Raises:
            TabletopError: bad seed or options.
        """
        self.aec_env.reset(seed, options)
        self._resume_agents()
        return self._observations(), self._infos()

    def step(self, actions: Mapping[str, Action]) -> Step:
        """Play the action of the agent to move.

        Returns:
            Observations, rewards, terminations, truncations and infos of all agents that were in
            play; five empty dicts after the end.

        Raises:
            TabletopError: before `reset()`, no action of the agent to move, or one that is no
                integer or out of range; nothing has changed.
        """
        env = self.aec_env
        env._require_started()
        if not self.agents:
            return {}, {}, {}, {}, {}
        env.step(self._action_of_mover(actions))
        rewards = dict(env.rewards)
        terminations = dict(env.terminations)
        truncations = dict(env.truncations)
        infos = self._infos()
        observations = self._observations()
        self._resume_agents()
        return observations, rewards, terminations, truncations, infos

    def _action_of_mover(self, actions: Mapping[str, Action]) -> Action:
        mover = self.aec_env.agent_selection
        if not isinstance(actions, Mapping) or mover not in actions:
            raise TabletopError(
                f"{self}: {mover} is to move, so step() needs a dict with an action of {mover}, "
                f"not {shown(actions)}"
            )
        return actions[mover]

    def _observations(self) -> dict[str, Observation]:
        return {agent: self.aec_env.observe(agent) for agent in self.aec_env.agents}

    def _infos(self) -> dict[str, dict[str, Any]]:
        env = self.aec_env
        active = {"active_agent": env.agent_selection} if env._is_in_play else {}
        return {agent: {**info, **active} for agent, info in env.infos.items()}

    def _resume(self) -> None:
        self.aec_env._resume()
        self._resume_agents()

    def _resume_agents(self) -> None:
        self.agents = list(self.aec_env.agents) if self.aec_env._is_in_play else []

    def start_recording(self) -> None:
        """Keep the decisions of this and all later games, for `record()`; see `SearchHooks`."""
        self.aec_env.start_recording()

    def state(self) -> Array:
        """The whole state, hidden cards included, as uint8 [state size]: never for a player."""
        return self.aec_env.state()

    def render(self) -> Rendered | None:
        """The open table: text, SVG or pixels; None without mode, and for "human", who sees it."""
        return self.aec_env.render()

    def close(self) -> None:
        """Nothing has to be released."""

    def legal_actions(self) -> list[int]:
        """Ids of the legal actions of the agent to move, ascending; empty at the end."""
        return self.aec_env.legal_actions()

    def clone(self) -> TabletopParallelEnv:
        """An independent environment at the same position; only the spaces are shared."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__, aec_env=self.aec_env.clone(), agents=list(self.agents))
        return twin

    def restore(self, source: TabletopParallelEnv | bytes) -> None:
        """Go on from the position of another environment, or from that of `serialize()`.

        Raises:
            TabletopError: it belongs to another game or ruleset, or has not begun; nothing has
                changed.
        """
        other = getattr(source, "unwrapped", source)
        self.aec_env.restore(other.aec_env if isinstance(other, TabletopParallelEnv) else other)
        self._resume_agents()
