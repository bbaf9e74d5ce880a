"""Random games with open and other lists, for tests of what players see."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import positions
from positions import Position, observe
from stargate_random import choose

from stargate_env.decks import random_deck
from stargate_env.stargate_v0 import GAME
from tabletop_core.game import Ruleset

__all__ = ["Position", "observe", "seen_positions", "ruleset_of"]

DECKS = ("carter", "tealc", "apophis", "baal")
SETS = (("carter", "jackson"), ("tealc", "oneill"), ("apophis", "baal"))
TABLES: tuple[tuple[int, dict[str, Any]], ...] = (
    (2, {"decks": DECKS[:2]}),
    (2, {"decks": tuple(random_deck(seed, size=60) for seed in (11, 12))}),
    (2, {"decks": DECKS[2:], "open_lists": False}),
    (2, {"decks": SETS[:2], "open_lists": False}),
    (3, {"decks": SETS}),
    (3, {"decks": SETS, "open_lists": False}),
)
"""(number of players, options)"""


@cache
def ruleset_of(number: int) -> Ruleset:
    num_players, options = TABLES[number % len(TABLES)]
    return GAME.ruleset(num_players, **options)


def seen_positions(name: str) -> Iterator[Position]:
    """Every position of endless random games, of all these tables in turn."""
    rng = Random(name)
    return positions.positions_of(_rulesets(rng.randrange(len(TABLES))), rng, choose)


def _rulesets(first: int) -> Iterator[Ruleset]:
    while True:
        yield ruleset_of(first)
        first += 1
