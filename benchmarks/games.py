"""The games that are measured: all that are registered, and the yardsticks."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, Final

from tabletop_core.errors import TabletopError
from tabletop_core.game import Game
from tabletop_core.game import games as registered

from .yardsticks.connect_four import connect_four_v0
from .yardsticks.leduc_poker import leduc_poker_v0

YARDSTICKS: Final[dict[str, Any]] = {
    module.GAME.name: module for module in (connect_four_v0, leduc_poker_v0)
}
CONNECT_FOUR: Final = connect_four_v0
LEDUC_POKER: Final = leduc_poker_v0


def our_modules() -> dict[str, Any]:
    """The module that users import of each game of the project, by the game's name."""
    return {
        game.name: importlib.import_module(game.module)
        for game in registered().values()
        if game.name not in YARDSTICKS
    }


def all_modules() -> dict[str, Any]:
    """The same with the yardsticks, which come first."""
    return {**YARDSTICKS, **our_modules()}


def chosen_modules(names: Sequence[str]) -> dict[str, Any]:
    """The games called `names`, with or without version; all if there are no names.

    Raises:
        TabletopError: no game is called so.
    """
    known = all_modules()
    found = {}
    for name in names:
        matching = [one for one, module in known.items() if name in (one, module.GAME.id)]
        if not matching:
            raise TabletopError(f"no game is called {name!r}; games: {', '.join(known)}")
        found[matching[0]] = known[matching[0]]
    return found or known


def player_counts(game: Game) -> range:
    """All numbers of players of a game."""
    return range(game.min_players, game.max_players + 1)


def dearest(game: Game) -> int:
    """The number of players that single rows are measured with: the dearest step.

    It is the largest that the game's own records are made for.
    """
    other = () if game.other_table is None else game.other_table.players
    return max(players for players in player_counts(game) if players not in other)
