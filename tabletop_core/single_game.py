"""What the views of a single game share: spaces, search hooks, and the end by an illegal action."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from gymnasium import spaces

from .errors import TabletopError, shown
from .game import Array, Game, Json
from .record import GameRecord, record_of
from .rendering import render_modes
from .session import Session

END: Final = "end"
RAISE: Final = "raise"
ON_ILLEGAL: Final = (END, RAISE)
ILLEGAL_REWARD: Final = -1.0  # of the offender; the others get 0


# --- spaces ----------------------------------------------------------------------------------


def make_observation_space(game: Game) -> spaces.Dict:
    """{"observation": Box uint8 [observation_size], "action_mask": Box int8 [num_actions]}."""
    high = game.observation.high()
    mask = spaces.Box(0, 1, (game.actions.count,), np.int8)
    vector = spaces.Box(np.zeros_like(high), high, dtype=np.uint8)
    return spaces.Dict({"observation": vector, "action_mask": mask})


def make_action_space(game: Game) -> spaces.Discrete:
    """All actions of the game, the same for every player."""
    return spaces.Discrete(game.actions.count)


def make_state_space(game: Game) -> spaces.Box:
    """The bytes of the state record, uint8 [state size]."""
    return spaces.Box(0, 255, (game.state_dtype.itemsize,), np.uint8)


def make_metadata(game: Game) -> dict[str, Any]:
    """Metadata for Gymnasium and PettingZoo."""
    return {
        "name": game.id,
        "render_modes": render_modes(game),
        "render_fps": 1,
        "is_parallelizable": False,
    }


# --- checks of what comes from outside -------------------------------------------------------


def check_on_illegal(game: Game, on_illegal: object) -> str:
    """`on_illegal` if there is such a policy.

    Raises:
        TabletopError: there is none.
    """
    if on_illegal not in ON_ILLEGAL:
        listed = " or ".join(map(repr, ON_ILLEGAL))
        raise TabletopError(f"{game.id}: on_illegal is {listed}, not {shown(on_illegal)}")
    return on_illegal


def check_reset_options(game: Game, options: object) -> None:
    """No game has options at reset; unknown keys are ignored, as in all of PettingZoo.

    Raises:
        TabletopError: `options` is neither None nor a mapping.
    """
    if options is not None and not isinstance(options, Mapping):
        raise TabletopError(
            f"{game.id}: options of reset() is a dict or None, not {shown(options)}"
        )


# --- output ----------------------------------------------------------------------------------


def state_bytes(session: Session) -> Array:
    """A copy of the state record as uint8 [state size]."""
    return session.state.view(np.uint8).copy()


# --- players ---------------------------------------------------------------------------------


def agent_names(num_players: int) -> list[str]:
    """PettingZoo's name of each player."""
    return [f"player_{player}" for player in range(num_players)]


def seat_of(session: Session, player: int | str) -> int:
    """A player given as seat or by agent name, as seat.

    Raises:
        TabletopError: there is no such player.
    """
    if not isinstance(player, str):
        return session.check_player(player)
    names = agent_names(session.num_players)
    if player not in names:
        raise TabletopError(
            f"{session.game.id}: there is no agent {shown(player)}; "
            f"the agents are {', '.join(names)}"
        )
    return names.index(player)


# --- search hooks ----------------------------------------------------------------------------


class SearchHooks:
    """Positions as bytes and in words, and actions in words: the same on every view.

    A view adds `clone()` and `restore()`, which also copy what the view itself keeps.
    """

    session: Session

    def _resume(self) -> None:
        """Bring what the view keeps in line with the position of the session."""
        raise NotImplementedError

    def serialize(self) -> bytes:
        """The position as bytes, random generator included.

        Raises:
            TabletopError: the game has not begun.
        """
        return self.session.serialize()

    def deserialize(self, data: bytes) -> None:
        """Go on from a position made by `serialize()`.

        Raises:
            TabletopError: not such bytes, or of another game, version or ruleset.
        """
        self.session.deserialize(data)
        self._resume()

    def to_json(self, player: int | str | None = None) -> Json:
        """The whole position in words, or what one player (seat or agent) may know of it.

        Raises:
            TabletopError: the game has not begun, or there is no such player.
        """
        return self.session.to_json(None if player is None else seat_of(self.session, player))

    def decode(self, observation: Array) -> Json:
        """What an observation vector says, in words: the `to_json(player)` of its player.

        Raises:
            TabletopError: not an observation vector of this game.
        """
        return self.session.decode(observation)

    def from_json(self, data: Json) -> None:
        """Go on from a position in words, written by `to_json()` or by hand.

        Raises:
            TabletopError: not a possible position; the state is unchanged.
        """
        self.session.from_json(data)
        self._resume()

    def determinize(self, player: int | str, seed: int | None = None) -> None:
        """Redraw all that `player` (seat or agent) cannot know, random generator included.

        Without a seed the draw is different each time.

        Raises:
            TabletopError: the game has not begun, no such player, or a bad seed.
        """
        self.session.determinize(seat_of(self.session, player), seed)
        self._resume()

    def action_to_string(self, action: int) -> str:
        """An action of the current position in words."""
        return self.session.action_to_string(action)

    def string_to_action(self, text: str) -> int:
        """The action that `text` names in the current position.

        Raises:
            TabletopError: no action is called so.
        """
        return self.session.string_to_action(text)

    def legal_actions(self) -> list[int]:
        """Ids of the legal actions of the current player, ascending; empty at the end."""
        return self.session.legal_actions()

    # --- records -----------------------------------------------------------------------------

    def start_recording(self) -> None:
        """Keep the decisions of this and all later games, for `record()`.

        A game in progress is recorded from its present position on, and so is one that is given
        another position (`restore`, `from_json`, ...). Clones are not recorded.
        """
        self.session.start_recording()

    def record(self, players: Sequence[str] | None = None) -> GameRecord:
        """The game of this environment, over or not, as it was recorded so far.

        Args:
            players: who plays each seat, to be written into the record.

        Raises:
            TabletopError: nothing was recorded: `start_recording()` comes first, then `reset()`.
        """
        return record_of(self.session, players)
