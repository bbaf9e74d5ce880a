"""The constructors that a game's module offers: `env`, `raw_env`, `parallel_env` and so on."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Literal, overload

from pettingzoo.utils import wrappers

from .aec import Action, TabletopEnv
from .bots import Observation
from .errors import TabletopError
from .game import Game, Ruleset
from .parallel import TabletopParallelEnv
from .seat_env import SeatVectorEnv
from .single_agent import Opponents, SingleAgentEnv
from .single_game import END, ILLEGAL_REWARD, RAISE
from .vector_env import VectorEngine


@dataclass(frozen=True)
class Views:
    """All views of one game. A game's module publishes the methods under the same names.

    Keyword arguments that a constructor does not name itself are rule options of the game
    (`ruleset` among them: a name, or the path of a file of one's own). Each constructor raises a
    `TabletopError` for an unknown option, a bad value or a number of players that the game does
    not have.
    """

    game: Game

    @overload
    def env(
        self,
        *,
        num_players: int | None = None,
        reward: str = "win",
        render_mode: str | None = None,
        stock_wrappers: Literal[False] = False,
        **options: Any,
    ) -> TabletopEnv: ...

    @overload
    def env(
        self,
        *,
        num_players: int | None = None,
        reward: str = "win",
        render_mode: str | None = None,
        stock_wrappers: Literal[True],
        **options: Any,
    ) -> wrappers.OrderEnforcingWrapper[str, Observation, Action]: ...

    def env(
        self,
        *,
        num_players: int | None = None,
        reward: str = "win",
        render_mode: str | None = None,
        stock_wrappers: bool = False,
        **options: Any,
    ) -> TabletopEnv | wrappers.OrderEnforcingWrapper[str, Observation, Action]:
        """PettingZoo AEC environment in which an illegal action ends the game.

        Args:
            num_players: how many play; default: the fewest.
            reward: what a game pays at its end: "win" (losers -1, winners share it), "score" or
                "margin" (score minus the best other score).
            render_mode: None, or what `render()` returns: "ansi" text, "svg" the text of a
                picture, "rgb_array" its pixels (uint8 [height, width, 3], extra `render`). With
                "human" each position is shown in a window, without a display in the terminal.
            stock_wrappers: put PettingZoo's own wrappers around `raw_env()` instead: slower, and
                they set `truncations` besides `terminations` after an illegal action.
            options: rule options.
        """
        ruleset = self._ruleset(self.env, num_players, options)
        if not stock_wrappers:
            return TabletopEnv(ruleset, reward, render_mode, on_illegal=END)
        raw = TabletopEnv(ruleset, reward, render_mode, on_illegal=RAISE)
        checked = wrappers.TerminateIllegalWrapper(raw, illegal_reward=ILLEGAL_REWARD)
        return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(checked))

    def raw_env(
        self,
        *,
        num_players: int | None = None,
        reward: str = "win",
        render_mode: str | None = None,
        **options: Any,
    ) -> TabletopEnv:
        """PettingZoo AEC environment in which an illegal action raises a TabletopError.

        Arguments as for `env`.
        """
        ruleset = self._ruleset(self.raw_env, num_players, options)
        return TabletopEnv(ruleset, reward, render_mode, on_illegal=RAISE)

    def parallel_env(
        self,
        *,
        num_players: int | None = None,
        reward: str = "win",
        render_mode: str | None = None,
        **options: Any,
    ) -> TabletopParallelEnv:
        """PettingZoo Parallel environment: each step needs the action of the agent to move alone.

        Arguments as for `env`.
        """
        ruleset = self._ruleset(self.parallel_env, num_players, options)
        return TabletopParallelEnv(ruleset, reward, render_mode)

    def single_agent(
        self,
        *,
        num_players: int | None = None,
        reward: str = "win",
        opponents: Opponents = "random",
        seat: int | str = 0,
        on_illegal: str = END,
        render_mode: str | None = None,
        **options: Any,
    ) -> SingleAgentEnv:
        """Gymnasium environment of one seat; bots play the others.

        Args:
            num_players: how many play; default: the fewest.
            reward: "win", "score" or "margin", see `env`.
            opponents: a bot for all other seats, or one for each of them clockwise; a bot is a
                name ("random", "rule"), a callable or a `StateBot`, see `tabletop_core.bots`.
            seat: the seat to play, or "rotate" for another one in each game.
            on_illegal: "end" the game with reward -1, or "raise" a TabletopError.
            render_mode: None, "ansi", "svg", "rgb_array" or "human", see `env`.
            options: rule options.
        """
        ruleset = self._ruleset(self.single_agent, num_players, options)
        return SingleAgentEnv(ruleset, reward, opponents, seat, on_illegal, render_mode)

    @overload
    def make_vec(
        self,
        num_envs: int,
        *,
        num_players: int | None = None,
        reward: str = "win",
        opponents: None = None,
        autoreset: object = "next_step",
        threads: int = 1,
        copy: bool = False,
        observations: bool = True,
        **options: Any,
    ) -> VectorEngine: ...

    @overload
    def make_vec(
        self,
        num_envs: int,
        *,
        num_players: int | None = None,
        reward: str = "win",
        opponents: Opponents,
        seat: int | str = 0,
        autoreset: object = "next_step",
        threads: int = 1,
        render_mode: str | None = None,
        **options: Any,
    ) -> SeatVectorEnv: ...

    def make_vec(
        self,
        num_envs: int,
        *,
        num_players: int | None = None,
        reward: str = "win",
        opponents: Opponents | None = None,
        seat: int | str = 0,
        autoreset: object = "next_step",
        threads: int = 1,
        copy: bool = False,
        observations: bool = True,
        render_mode: str | None = None,
        **options: Any,
    ) -> VectorEngine | SeatVectorEnv:
        """Many games at once: the self-play engine, or with `opponents` a Gymnasium `VectorEnv`.

        Args:
            num_envs: how many games.
            num_players: how many play in each; default: the fewest.
            reward: "win", "score" or "margin", see `env`.
            opponents: None: the engine, played for all seats. Otherwise bots for the other seats,
                see `single_agent`.
            seat: the seat to play, or "rotate" (with opponents only).
            autoreset: "next_step", "same_step" or "disabled".
            threads: how many threads share a step.
            copy: whether the engine returns copies of its arrays (without opponents only).
            observations: whether the engine writes observations (without opponents only).
            render_mode: None, "ansi", "svg" or "rgb_array" (with opponents only).
            options: rule options.
        """
        ruleset = self._ruleset(self.make_vec, num_players, options)
        if opponents is None:
            self._refuse_unused("with opponents", seat=(seat, 0), render_mode=(render_mode, None))
            return VectorEngine(
                ruleset,
                num_envs,
                reward=reward,
                autoreset=autoreset,
                threads=threads,
                copy=copy,
                observations=observations,
            )
        self._refuse_unused(
            "without opponents", copy=(copy, False), observations=(observations, True)
        )
        return SeatVectorEnv(
            ruleset,
            num_envs,
            reward=reward,
            opponents=opponents,
            seat=seat,
            autoreset=autoreset,
            threads=threads,
            render_mode=render_mode,
        )

    def _refuse_unused(self, when: str, **given: tuple[object, object]) -> None:
        for name, (value, default) in given.items():
            if value != default:
                raise TabletopError(f"{self.game.id}: make_vec() takes {name} only {when}")

    def _ruleset(
        self, view: Callable[..., Any], num_players: int | None, options: dict[str, Any]
    ) -> Ruleset:
        known = sorted(field.name for field in fields(self.game.options_type))
        for name in options:
            if name not in known:
                own = [name for name in inspect.signature(view).parameters if name != "options"]
                raise TabletopError(
                    f"{self.game.id}: {view.__name__}() has no option {name!r}; it takes "
                    f"{', '.join(own)} and the rule options {', '.join(known)}"
                )
        return self.game.ruleset(num_players, **options)
