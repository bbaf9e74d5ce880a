"""The six things every game can do, as functions that loops over any game may call.

A game registers its kernels once, for its own state record (`register_kernels`). Compiled loops pick
the kernels by the record's type while they are compiled, which costs nothing at run time and,
unlike passing functions as arguments, can be cached on disk; interpreted loops pick them from the
same table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload
from numba.np.numpy_support import from_dtype

from .errors import TabletopError

Kernel = Callable[..., Any]


@dataclass(frozen=True)
class Kernels:
    """The kernels of one game. `rules` is its RULES array [1], `states` an array of STATE records.

    All work on record `i` of `states` in place, allocate nothing and assume clean input.
    """

    new_game: Kernel
    """(rules, states, i): set the game up from the generator word `states[i].rng`."""
    legal_actions: Kernel
    """(rules, states, i): write the legal set of the current player into `states[i].legal`."""
    apply_action: Kernel
    """(rules, states, i, action): play one legal action; does not update `legal`."""
    final_result: Kernel
    """(rules, states, i, points, is_winner): final points float64 [players], winners bool [players]
    of the position as it stands."""
    observe: Kernel
    """(rules, states, i, player, observation): fill uint8 [observation_size] for one player."""
    determinize: Kernel
    """(rules, states, i, player): redraw what `player` cannot know with the generator of the state."""


_by_fields: dict[tuple[str, ...], Kernels] = {}
_by_record: dict[Any, Kernels] = {}


def register_kernels(state_dtype: np.dtype[Any], kernels: Kernels) -> None:
    """Let the verbs below play the game whose states are `state_dtype` records.

    Raises:
        TabletopError: another game has registered a record of the same fields. Record types are
            compared by structure: give one field the name of the game.
    """
    names = state_dtype.names or ()
    if _by_fields.get(names, kernels) != kernels:
        raise TabletopError(
            f"a game with the state fields {', '.join(names)} is registered already; "
            "name one field for the game, for example <game>_version"
        )
    _by_fields[names] = kernels
    _by_record[from_dtype(np.dtype((np.record, state_dtype)))] = kernels


def _kernels_of(states: Any) -> Kernels:
    """The kernels for a NumPy array of states (interpreted mode)."""
    return _by_fields[states.dtype.names]


def _typed_kernels(states: Any) -> Kernels | None:
    """The kernels for the Numba type of an array of states (while a loop is compiled)."""
    return _by_record.get(states.dtype) if isinstance(states, types.Array) else None


def new_game(rules: Any, states: Any, i: Any) -> None:
    """Set game `i` up from its generator word."""
    _kernels_of(states).new_game(rules, states, i)


def legal_actions(rules: Any, states: Any, i: Any) -> None:
    """Write the legal set of the current player of game `i` into its record."""
    _kernels_of(states).legal_actions(rules, states, i)


def apply_action(rules: Any, states: Any, i: Any, action: Any) -> None:
    """Play one legal action in game `i`."""
    _kernels_of(states).apply_action(rules, states, i, action)


def final_result(rules: Any, states: Any, i: Any, points: Any, is_winner: Any) -> None:
    """Points and winners of game `i` as it stands."""
    _kernels_of(states).final_result(rules, states, i, points, is_winner)


def observe(rules: Any, states: Any, i: Any, player: Any, observation: Any) -> None:
    """What `player` sees of game `i`."""
    _kernels_of(states).observe(rules, states, i, player, observation)


def determinize(rules: Any, states: Any, i: Any, player: Any) -> None:
    """Redraw what `player` cannot know of game `i`."""
    _kernels_of(states).determinize(rules, states, i, player)


@overload(new_game, strict=False)  # type: ignore[untyped-decorator]
def _new_game(rules: Any, states: Any, i: Any) -> Any:
    if kernels := _typed_kernels(states):
        play = kernels.new_game
        return lambda rules, states, i: play(rules, states, i)
    return None


@overload(legal_actions, strict=False)  # type: ignore[untyped-decorator]
def _legal_actions(rules: Any, states: Any, i: Any) -> Any:
    if kernels := _typed_kernels(states):
        play = kernels.legal_actions
        return lambda rules, states, i: play(rules, states, i)
    return None


@overload(apply_action, strict=False)  # type: ignore[untyped-decorator]
def _apply_action(rules: Any, states: Any, i: Any, action: Any) -> Any:
    if kernels := _typed_kernels(states):
        play = kernels.apply_action
        return lambda rules, states, i, action: play(rules, states, i, action)
    return None


@overload(final_result, strict=False)  # type: ignore[untyped-decorator]
def _final_result(rules: Any, states: Any, i: Any, points: Any, is_winner: Any) -> Any:
    if kernels := _typed_kernels(states):
        play = kernels.final_result
        return lambda rules, states, i, points, is_winner: play(
            rules, states, i, points, is_winner
        )
    return None


@overload(observe, strict=False)  # type: ignore[untyped-decorator]
def _observe(rules: Any, states: Any, i: Any, player: Any, observation: Any) -> Any:
    if kernels := _typed_kernels(states):
        play = kernels.observe
        return lambda rules, states, i, player, observation: play(
            rules, states, i, player, observation
        )
    return None


@overload(determinize, strict=False)  # type: ignore[untyped-decorator]
def _determinize(rules: Any, states: Any, i: Any, player: Any) -> Any:
    if kernels := _typed_kernels(states):
        play = kernels.determinize
        return lambda rules, states, i, player: play(rules, states, i, player)
    return None
