"""The Gymnasium view of one seat; bots play the others."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Final

import gymnasium
import numpy as np

from .aec import TabletopEnv
from .bots import AnyBot, Observation, ask, make_bots
from .errors import TabletopError
from .game import Array, Ruleset
from .rendering import HUMAN, Rendered, check_render_mode, render_session
from .rng import check_seed
from .session import Session
from .single_game import (
    END,
    ILLEGAL_REWARD,
    RAISE,
    SearchHooks,
    check_on_illegal,
    check_reset_options,
    make_action_space,
    make_metadata,
    make_observation_space,
    seat_of,
)

ROTATE: Final = "rotate"
Opponents = str | AnyBot | Sequence[str | AnyBot]
Step = tuple[Observation, float, bool, bool, dict[str, Any]]


class SingleAgentEnv(SearchHooks, gymnasium.Env[Observation, int]):
    """One seat of a game as a Gymnasium environment.

    Observations are {"observation": uint8 [observation_size], "action_mask": int8 [num_actions]},
    in fresh arrays. The reward is 0 until the end of the game. `info["player"]` is the seat; at the
    end there are also winners (seats), scores, reason and length.

    Args:
        ruleset: the game, its options and tables.
        reward: what a game pays at its end, "win", "score" or "margin".
        opponents: a bot for all other seats, or one for each of them clockwise from the next seat
            on; a bot is a name ("random", "rule"), a callable (`tabletop_core.bots.Bot`) or a
            `StateBot`.
        seat: the seat to play, or "rotate": 0 in the first game after a seed, then one further in
            each game.
        on_illegal: "end" the game with reward -1 and the action in words as
            `info["illegal_action"]`, or "raise" a TabletopError and change nothing.
        render_mode: None, "ansi", "svg", "rgb_array" or "human", see `Views.env`.

    Raises:
        TabletopError: an argument has a wrong value.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        reward: str = "win",
        opponents: Opponents = "random",
        seat: int | str = 0,
        on_illegal: str = END,
        render_mode: str | None = None,
    ) -> None:
        game = ruleset.game
        self.table = TabletopEnv(ruleset, reward, on_illegal=RAISE)
        self.metadata = make_metadata(game)
        self.render_mode = check_render_mode(game, render_mode, self.metadata["render_modes"])
        self.on_illegal: Final = check_on_illegal(game, on_illegal)
        self.observation_space = make_observation_space(game)  # type: ignore[assignment]
        self.action_space = make_action_space(game)  # type: ignore[assignment]
        self.seat: Final = seat if seat == ROTATE else seat_of(self.session, seat)
        self.player = 0 if self.seat == ROTATE else int(self.seat)
        self.bots: Final = make_opponents(opponents, ruleset)
        self._is_our_turn = False

    @property
    def session(self) -> Session:  # type: ignore[override]
        """The game in progress."""
        return self.table.session

    # --- play --------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a new game and let the bots play up to the seat's first decision.

        A game that ends before is left out.

        Args:
            seed: 0 .. 2**64 - 1, of the game and of the bots; None goes on with the generators of
                the last game.
            options: ignored.

        Raises:
            TabletopError: bad seed or options.
        """
        check_reset_options(self.session.game, options)
        if seed is not None:
            seed = check_seed(seed)
        super().reset(seed=seed)
        self._choose_seat(is_first=seed is not None or not self.session.has_started)
        self.table.reset(seed)
        self._let_bots_play()
        while not self._is_our_turn:
            self.table.reset()
            self._let_bots_play()
        self._show_to_human()
        return self.observe(), {"player": self.player}

    def step(self, action: int) -> Step:
        """Play the seat's action, then let the bots play up to its next decision.

        Raises:
            TabletopError: no integer, out of range, before `reset()`, after the end, or illegal
                while `on_illegal` is "raise"; nothing has changed. A bot that plays an illegal
                action: `reset()` is needed.
        """
        self._require_our_turn()
        session = self.session
        number = session.check_action(action)
        if not session.mask[number]:
            return self._refuse(number)
        self.table.step(number)
        self._let_bots_play()
        self._show_to_human()
        if self._is_our_turn:
            return self.observe(), 0.0, False, False, {"player": self.player}
        agent = self._agent
        table = self.table
        info = {**session.result(), "player": self.player}
        reward = table.rewards[agent]
        return self.observe(), reward, table.terminations[agent], table.truncations[agent], info

    def _choose_seat(self, is_first: bool) -> None:
        if self.seat != ROTATE:
            self.player = int(self.seat)
        else:
            self.player = 0 if is_first else (self.player + 1) % self.session.num_players

    def _let_bots_play(self) -> None:
        table = self.table
        agent = self._agent
        self._is_our_turn = False  # in case a bot fails
        while table._is_in_play and table.agent_selection != agent:
            player = table._names.index(table.agent_selection)
            bot = self.bots[(player - self.player) % len(table._names) - 1]
            action = ask(bot, self.session, self.np_random)
            try:
                table.step(action)
            except TabletopError as error:
                raise TabletopError(f"the bot of player {player} is wrong: {error}") from error
        self._is_our_turn = table._is_in_play

    def _refuse(self, action: int) -> Step:
        if self.on_illegal == RAISE:
            raise TabletopError(self.session.explain_illegal(action))
        self._is_our_turn = False
        if self.session.log is not None:
            self.session.log.illegal_action = action
        info = {**self.session.illegal_result(action), "player": self.player}
        return self.observe(), ILLEGAL_REWARD, True, False, info

    def _require_our_turn(self) -> None:
        if not self.session.has_started:
            raise TabletopError(f"{self.session.game.id}: call reset() before anything else")
        if not self._is_our_turn:
            raise TabletopError(
                f"{self.session.game.id}: the game is over; call reset() to begin another"
            )

    @property
    def _agent(self) -> str:
        return self.table._names[self.player]

    # --- what the seat sees ------------------------------------------------------------------

    def observe(self) -> Observation:
        """What the seat sees now, in fresh arrays; the mask is all zeros at the end.

        Raises:
            TabletopError: before `reset()`.
        """
        if self._is_our_turn:
            return self.table.last()[0]  # type: ignore[return-value]
        observation = self.table.observe(self._agent)
        observation["action_mask"][:] = 0  # the position stays as it is after an illegal action
        return observation

    def action_masks(self) -> Array:
        """Legal actions as bool [num_actions], the form that sb3-contrib asks for.

        Raises:
            TabletopError: before `reset()`.
        """
        return self.observe()["action_mask"].astype(np.bool_)

    def render(self) -> Rendered | None:
        """The table as the seat sees it: text, SVG or pixels; None without mode and for "human"."""
        return render_session(self.session, self.render_mode, self.player)

    def _show_to_human(self) -> None:
        if self.render_mode == HUMAN:
            self.render()

    # --- search ------------------------------------------------------------------------------

    def legal_actions(self) -> list[int]:
        """Ids of the legal actions of the seat, ascending; empty at the end."""
        return self.session.legal_actions() if self._is_our_turn else []

    def clone(self) -> SingleAgentEnv:
        """An independent environment at the same position; spaces and bots are shared."""
        twin = copy.copy(self)
        twin.table = self.table.clone()
        twin._np_random = copy.deepcopy(self._np_random)
        return twin

    def restore(self, source: SingleAgentEnv | bytes) -> None:
        """Go on from the position of another environment, or from that of `serialize()`.

        If a bot has to move there, the bots play up to the seat's next decision.

        Raises:
            TabletopError: it belongs to another game or ruleset, or has not begun; nothing has
                changed.
        """
        other = getattr(source, "unwrapped", source)
        if not isinstance(other, SingleAgentEnv):
            self.table.restore(other)
            self._let_bots_play()
            return
        self.table.restore(other.table)
        self.player = other.player
        self._np_random = copy.deepcopy(other._np_random)
        self._is_our_turn = other._is_our_turn

    def _resume(self) -> None:
        self.table._resume()
        self._let_bots_play()

    def start_recording(self) -> None:
        """Keep the decisions of this and all later games, for `record()`; see `SearchHooks`."""
        self.table.start_recording()


def make_opponents(opponents: Opponents, ruleset: Ruleset) -> list[AnyBot]:
    """One bot for each other seat, clockwise."""
    count = ruleset.num_players - 1
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        return make_bots([opponents], ruleset) * count
    if len(opponents) != count:
        raise TabletopError(
            f"{ruleset.game.id}: with {ruleset.num_players} players there are {count} opponents, "
            f"not {len(opponents)}"
        )
    return make_bots(opponents, ruleset)
