"""What every game can do, as functions that loops over any game may call.

A game registers its kernels once, for its own state record (`register_kernels`). Compiled loops
pick the kernels by the record's type while they are compiled, which costs nothing at run time
and, unlike passing functions as arguments, can be cached on disk; interpreted loops pick them
from the same table.
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
from .jit import kernel

Kernel = Callable[..., Any]


@dataclass(frozen=True)
class Kernels:
    """The kernels of one game. `rules` is its RULES record, `state` a STATE record.

    All work on the state in place, allocate nothing and assume clean input. Records, not arrays,
    are passed on: one pointer each instead of seven words (measured: 2.4 times faster steps).
    """

    new_game: Kernel
    """(rules, state): set the game up from the generator word `state.rng`."""
    legal_actions: Kernel
    """(rules, state): add the legal actions of the current player to the empty `state.legal`."""
    apply_action: Kernel
    """(rules, state, action): play one legal action; does not update `legal`."""
    final_result: Kernel
    """(rules, state, points, is_winner): final points float64 [players], winners bool [players]
    of the position as it stands."""
    observe: Kernel
    """(rules, state, player, observation): fill uint8 [observation_size] for one player."""
    determinize: Kernel
    """(rules, state, player): redraw what `player` cannot know with the generator of the state."""
    action_worth: Kernel | None = None
    """(rules, state, action) -> number: what a legal action is worth to the current player. The
    rule-based bot plays the one that is worth most; None: the game has no such bot. It looks only
    at what that player knows, draws nothing by lot and writes nothing."""
    outlook: Kernel | None = None
    """(rules, state) -> anything: what the rule-based bot works out once for all answers to a
    decision, under the same conditions. `action_worth` takes it as a fourth argument then."""


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


def _kernels_of(state: Any) -> Kernels:
    """The kernels for a state record (interpreted mode)."""
    return _by_fields[state.dtype.names]


def _typed_kernels(state: Any) -> Kernels | None:
    """The kernels for the Numba type of a state record (while a loop is compiled)."""
    return _by_record.get(state) if isinstance(state, types.Record) else None


def new_game(rules: Any, state: Any) -> None:
    """Set a game up from its generator word."""
    _kernels_of(state).new_game(rules, state)


def legal_actions(rules: Any, state: Any) -> None:
    """Write the legal set of the current player of a game into its record."""
    _kernels_of(state).legal_actions(rules, state)


def apply_action(rules: Any, state: Any, action: Any) -> None:
    """Play one legal action in a game."""
    _kernels_of(state).apply_action(rules, state, action)


def final_result(rules: Any, state: Any, points: Any, is_winner: Any) -> None:
    """Points and winners of a game as it stands."""
    _kernels_of(state).final_result(rules, state, points, is_winner)


def observe(rules: Any, state: Any, player: Any, observation: Any) -> None:
    """What `player` sees of a game."""
    _kernels_of(state).observe(rules, state, player, observation)


def determinize(rules: Any, state: Any, player: Any) -> None:
    """Redraw what `player` cannot know of a game."""
    _kernels_of(state).determinize(rules, state, player)


def outlook(rules: Any, state: Any) -> Any:
    """What `action_worth` takes for all legal actions of this position; 0 if it needs nothing."""
    foresee = _kernels_of(state).outlook or _no_outlook
    return foresee(rules, state)


@kernel
def _no_outlook(rules: Any, state: Any) -> Any:
    return 0


def action_worth(rules: Any, state: Any, action: Any, seen: Any) -> Any:
    """Worth of a legal action; all are worth the same in a game without a rule-based bot."""
    kernels = _kernels_of(state)
    weigh: Kernel = kernels.action_worth or _same_worth
    if kernels.outlook is None:
        return weigh(rules, state, action)
    return weigh(rules, state, action, seen)


@kernel
def _same_worth(rules: Any, state: Any, action: Any) -> Any:
    return 0.0


@overload(new_game, strict=False)  # type: ignore[untyped-decorator]
def _new_game(rules: Any, state: Any) -> Any:
    if kernels := _typed_kernels(state):
        play = kernels.new_game
        return lambda rules, state: play(rules, state)
    return None


@overload(legal_actions, strict=False)  # type: ignore[untyped-decorator]
def _legal_actions(rules: Any, state: Any) -> Any:
    if kernels := _typed_kernels(state):
        play = kernels.legal_actions
        return lambda rules, state: play(rules, state)
    return None


@overload(apply_action, strict=False)  # type: ignore[untyped-decorator]
def _apply_action(rules: Any, state: Any, action: Any) -> Any:
    if kernels := _typed_kernels(state):
        play = kernels.apply_action
        return lambda rules, state, action: play(rules, state, action)
    return None


@overload(final_result, strict=False)  # type: ignore[untyped-decorator]
def _final_result(rules: Any, state: Any, points: Any, is_winner: Any) -> Any:
    if kernels := _typed_kernels(state):
        play = kernels.final_result
        return lambda rules, state, points, is_winner: play(rules, state, points, is_winner)
    return None


@overload(observe, strict=False)  # type: ignore[untyped-decorator]
def _observe(rules: Any, state: Any, player: Any, observation: Any) -> Any:
    if kernels := _typed_kernels(state):
        play = kernels.observe
        return lambda rules, state, player, observation: play(rules, state, player, observation)
    return None


@overload(determinize, strict=False)  # type: ignore[untyped-decorator]
def _determinize(rules: Any, state: Any, player: Any) -> Any:
    if kernels := _typed_kernels(state):
        play = kernels.determinize
        return lambda rules, state, player: play(rules, state, player)
    return None


@overload(outlook, strict=False)  # type: ignore[untyped-decorator]
def _outlook(rules: Any, state: Any) -> Any:
    if kernels := _typed_kernels(state):
        foresee = kernels.outlook or _no_outlook
        return lambda rules, state: foresee(rules, state)
    return None


@overload(action_worth, strict=False)  # type: ignore[untyped-decorator]
def _action_worth(rules: Any, state: Any, action: Any, seen: Any) -> Any:
    if kernels := _typed_kernels(state):
        weigh: Kernel = kernels.action_worth or _same_worth
        if kernels.outlook is None:
            return lambda rules, state, action, seen: weigh(rules, state, action)
        return lambda rules, state, action, seen: weigh(rules, state, action, seen)
    return None
