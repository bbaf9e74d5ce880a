"""What the texts and JSON of all games have in common, for the module `notation` of a game."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from .errors import TabletopError
from .game import Array, Game, Json, ObservationLayout, Ruleset

NO_PLAYER: Final = 255  # in player fields of every state record


# --- actions ---------------------------------------------------------------------------------


def check_action(game: Game, action: int) -> None:
    """Refuse a number that is no action.

    Raises:
        TabletopError: there is no such action.
    """
    if not 0 <= action < game.actions.count:
        raise TabletopError(
            f"{game.id}: there is no action {action}; actions are 0 to {game.actions.count - 1}"
        )


def action_words(game: Game, text: object) -> str:
    """The text of an action with single spaces.

    Raises:
        TabletopError: it is no text.
    """
    if not isinstance(text, str):
        raise TabletopError(f"{game.id}: an action is written as text, not {type(text).__name__}")
    return " ".join(text.split())


def find_action(words: str, actions: Iterable[int], text_of: Callable[[int], str]) -> int | None:
    """The first of some actions that is written like this, if there is one."""
    return next((action for action in actions if text_of(action) == words), None)


# --- positions -------------------------------------------------------------------------------


def state_values(state: Array) -> SimpleNamespace:
    """The fields of a state array [1] as Python numbers and lists."""
    return SimpleNamespace(**{name: state[name][0].tolist() for name in state.dtype.names or ()})


def position_head(ruleset: Ruleset, s: SimpleNamespace) -> Json:
    """The entries with which every position begins."""
    return {
        "game": ruleset.game.id,
        "ruleset": f"{s.ruleset:016x}",
        "num_players": ruleset.num_players,
    }


def position_tail(ruleset: Ruleset, s: SimpleNamespace) -> Json:
    """The entries with which every position ends: counts, the end, the random generator."""
    reasons = enumerate(ruleset.game.end_reasons)
    return {
        "turn_count": s.turn_count,
        "decision_count": s.decision_count,
        "end_reasons": [name for k, name in reasons if s.end_reasons >> k & 1],
        "truncated": bool(s.is_truncated),
        "rng": f"0x{s.rng:016x}",
    }


def player_or_none(player: int) -> int | None:
    """A player field as JSON."""
    return None if player == NO_PLAYER else player


def members(word: Any) -> Iterator[int]:
    """The members of a set in a machine word (or a Python int), ascending."""
    left = int(word)
    while left:
        yield (left & -left).bit_length() - 1
        left &= left - 1


# --- views -----------------------------------------------------------------------------------


def seat_order(ruleset: Ruleset, player: int) -> list[int]:
    """The player at each seat, as `player` sees them: seat 0 is that player."""
    count = ruleset.num_players
    return [(player + seat) % count for seat in range(count)]


def count_by_name(names: Sequence[str], numbers: Iterable[int]) -> dict[str, int]:
    """Name of each number that is there -> how often, in the order of the numbers."""
    listed = list(numbers)
    return {names[k]: listed.count(k) for k in sorted(set(listed))}


def named_counts(names: Sequence[str], counts: Iterable[int]) -> dict[str, int]:
    """The same from the counts of all numbers."""
    return {names[k]: count for k, count in enumerate(counts) if count}


# --- observations ----------------------------------------------------------------------------


def observation_values(layout: ObservationLayout, observation: Array) -> SimpleNamespace:
    """The fields of an observation, uint8 [size], as Python numbers and lists."""
    parts = layout.split(np.asarray(observation))
    return SimpleNamespace(**{name: values.tolist() for name, values in parts.items()})


def index_or_none(one_hot: list[int]) -> int | None:
    """Where the 1 of a one-hot part stands, None if it is all zero."""
    return one_hot.index(1) if 1 in one_hot else None
