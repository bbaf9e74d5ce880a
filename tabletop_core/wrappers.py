"""Other layouts of observation and mask, for libraries that do not take the dict of both.

Each is a function of an environment of any view (AEC, Parallel, Gymnasium):

* `mask_to_info`: the observation is the vector alone, the mask is `info["action_mask"]` (SuperSuit,
  AgileRL).
* `rename_observation`: {"observations", "action_mask"} (RLlib's masking modules).
* `flatten`: one vector, observation then mask (code that knows only vectors).

On the AEC view, search hooks are reached through the wrapper, and `clone()` is wrapped too.
"""

from __future__ import annotations

from typing import Any, overload

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.wrappers import BaseParallelWrapper, BaseWrapper

from .bots import Observation
from .errors import TabletopError, shown

Info = dict[str, Any]


class Layout:
    """How observation and mask are handed out; calling it wraps an environment."""

    has_mask_in_info = False

    def space(self, space: spaces.Dict) -> spaces.Space[Any]:
        """The observation space in this layout."""
        raise NotImplementedError

    def observation(self, observation: Observation) -> Any:
        """An observation in this layout."""
        raise NotImplementedError

    def info(self, info: Info, observation: Observation) -> Info:
        """The info that belongs to an observation, in this layout."""
        if not self.has_mask_in_info:
            return info
        return {**info, "action_mask": observation["action_mask"]}

    @overload
    def __call__(self, env: AECEnv[str, Any, Any]) -> AecLayout: ...

    @overload
    def __call__(self, env: ParallelEnv[str, Any, Any]) -> ParallelLayout: ...

    @overload
    def __call__(self, env: gymnasium.Env[Any, Any]) -> GymnasiumLayout: ...

    def __call__(self, env: Any) -> Any:
        """`env` in this layout."""
        for kind, wrapper in _WRAPPERS.items():
            if isinstance(env, kind):
                return wrapper(env, self)
        raise TabletopError(
            f"an AEC, Parallel or Gymnasium environment is needed, not {shown(env)}"
        )


class MaskToInfo(Layout):
    """The observation vector alone; the mask goes into the info."""

    has_mask_in_info = True

    def space(self, space: spaces.Dict) -> spaces.Space[Any]:
        """Box uint8 [observation_size]."""
        return space["observation"]

    def observation(self, observation: Observation) -> Any:
        """uint8 [observation_size]."""
        return observation["observation"]


class RenameObservation(Layout):
    """The key "observations" for "observation"."""

    def space(self, space: spaces.Dict) -> spaces.Space[Any]:
        """Dict of the same two spaces."""
        return spaces.Dict(
            {"observations": space["observation"], "action_mask": space["action_mask"]}
        )

    def observation(self, observation: Observation) -> Any:
        """The same two arrays."""
        return {
            "observations": observation["observation"],
            "action_mask": observation["action_mask"],
        }


class Flatten(Layout):
    """One vector: the observation, then the mask."""

    def space(self, space: spaces.Dict) -> spaces.Space[Any]:
        """Box uint8 [observation_size + num_actions]."""
        vector = space["observation"]
        mask = space["action_mask"]
        assert isinstance(vector, spaces.Box) and isinstance(mask, spaces.Box)
        high = np.concatenate([vector.high, mask.high.astype(np.uint8)])
        return spaces.Box(np.zeros_like(high), high, dtype=np.uint8)

    def observation(self, observation: Observation) -> Any:
        """uint8 [observation_size + num_actions]."""
        mask = observation["action_mask"].astype(np.uint8)
        return np.concatenate([observation["observation"], mask])


mask_to_info = MaskToInfo()
rename_observation = RenameObservation()
flatten = Flatten()


class AecLayout(BaseWrapper[str, Any, Any]):
    """An AEC environment in another layout."""

    def __init__(self, env: AECEnv[str, Any, Any], layout: Layout) -> None:
        super().__init__(env)
        self.layout = layout
        self._space = layout.space(env.observation_space(env.possible_agents[0]))  # type: ignore[arg-type]

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The observation space in this layout, the same object for every agent."""
        return self._space

    def observe(self, agent: str) -> Any:
        """What `agent` sees, in this layout."""
        return self.layout.observation(self.env.observe(agent))  # type: ignore[arg-type]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game."""
        self.env.reset(seed, options)
        self._refresh()

    def step(self, action: Any) -> None:
        """Play an action of `agent_selection`."""
        self.env.step(action)
        self._refresh()

    def clone(self) -> AecLayout:
        """An independent environment at the same position, in the same layout."""
        twin = AecLayout(self.env.clone(), self.layout)  # type: ignore[attr-defined]
        twin._refresh()
        return twin

    def restore(self, source: Any) -> None:
        """Go on from the position of another environment, or from that of `serialize()`."""
        self.env.restore(source)  # type: ignore[attr-defined]
        self._refresh()

    def deserialize(self, data: bytes) -> None:
        """Go on from a position made by `serialize()`."""
        self.restore(data)

    def from_json(self, data: dict[str, Any]) -> None:
        """Go on from a position in words."""
        self.env.from_json(data)  # type: ignore[attr-defined]
        self._refresh()

    def determinize(self, player: int | str, seed: int | None = None) -> None:
        """Redraw all that `player` cannot know."""
        self.env.determinize(player, seed)  # type: ignore[attr-defined]
        self._refresh()

    def _refresh(self) -> None:
        """Make the masks of the infos, once a step: equal infos have the same arrays."""
        if self.layout.has_mask_in_info:
            self.infos = {
                agent: self.layout.info(info, self.env.observe(agent))  # type: ignore[arg-type]
                for agent, info in self.env.infos.items()
            }


class ParallelLayout(BaseParallelWrapper[str, Any, Any]):
    """A Parallel environment in another layout."""

    def __init__(self, env: ParallelEnv[str, Any, Any], layout: Layout) -> None:
        super().__init__(env)
        self.layout = layout
        self._space = layout.space(env.observation_space(env.possible_agents[0]))  # type: ignore[arg-type]

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The observation space in this layout, the same object for every agent."""
        return self._space

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Info]]:
        """Begin a new game."""
        return self._lay_out(*self.env.reset(seed, options))

    def step(self, actions: dict[str, Any]) -> Any:
        """Play the action of the agent to move."""
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        laid_out, infos = self._lay_out(observations, infos)
        return laid_out, rewards, terminations, truncations, infos

    def _lay_out(
        self, observations: dict[str, Observation], infos: dict[str, Info]
    ) -> tuple[dict[str, Any], dict[str, Info]]:
        layout = self.layout
        infos = {agent: layout.info(infos[agent], seen) for agent, seen in observations.items()}
        return {agent: layout.observation(seen) for agent, seen in observations.items()}, infos


class GymnasiumLayout(gymnasium.Wrapper[Any, Any, Observation, Any]):
    """A Gymnasium environment in another layout."""

    def __init__(self, env: gymnasium.Env[Any, Any], layout: Layout) -> None:
        super().__init__(env)
        self.layout = layout
        self.observation_space = layout.space(env.observation_space)  # type: ignore[arg-type]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, Info]:
        """Begin a new game."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self.layout.observation(observation), self.layout.info(info, observation)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, Info]:
        """Play an action."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        info = self.layout.info(info, observation)
        return self.layout.observation(observation), reward, terminated, truncated, info

    def action_masks(self) -> Any:
        """Legal actions as bool [num_actions], the form that sb3-contrib asks for."""
        return self.env.get_wrapper_attr("action_masks")()


_WRAPPERS: dict[type, type] = {
    AECEnv: AecLayout,
    ParallelEnv: ParallelLayout,
    gymnasium.Env: GymnasiumLayout,
}
