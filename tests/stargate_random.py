"""Positions of the Stargate TCG from random games with random options, for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import positions
from positions import Position, choose_by_block, observe

from stargate_env.decks import OFFICIAL_DECKS, random_deck
from stargate_env.stargate_v0 import GAME
from stargate_env.state import ACTIONS
from tabletop_core.game import Ruleset

__all__ = ["Position", "find_position", "observe", "random_options", "random_positions"]

NUM_PLAYERS = (2, 2, 2, 3, 6)  # most games are for two
CAP_RATE = 0.2
# Cards get into play, and passes and complications do not fill the games.
PREFERENCES = {"pass": 0.5, "complicate": 0.3, "play": 3.0, "assign": 2.0, "use": 2.0}


def random_options(rng: Random, num_players: int) -> dict[str, Any]:
    """A valid set of options: official decks, or random ones of the whole pool."""
    options: dict[str, Any] = {"decks": tuple(random_entry(rng) for _ in range(num_players))}
    if rng.random() < CAP_RATE:
        options["max_turns"] = rng.choice((1, 2, 3, rng.randint(4, 30)))
    if rng.random() < 0.3:
        options["open_lists"] = False
    return options


def random_entry(rng: Random) -> Any:
    """What one player can play: mostly one deck, sometimes one of several."""
    if rng.random() < 0.2:
        return tuple(rng.sample(OFFICIAL_DECKS, 2))
    if rng.random() < 0.5:
        return rng.choice(OFFICIAL_DECKS)
    return random_deck(rng.getrandbits(32), size=rng.choice((40, 44, 60, 120)))


def random_positions(name: str) -> Iterator[Position]:
    """Every position of endless random games with random options and numbers of players."""
    rng = Random(name)
    return positions.positions_of(random_rulesets(rng), rng, choose)


def random_rulesets(rng: Random) -> Iterator[Ruleset]:
    while True:
        num_players = rng.choice(NUM_PLAYERS)
        yield GAME.ruleset(num_players, **random_options(rng, num_players))


def choose(legal: list[int], rng: Random) -> int:
    """Games get somewhere."""
    return choose_by_block(legal, rng, lambda action: ACTIONS.block_of(action)[0].name, PREFERENCES)


def find_position(
    is_wanted: Callable[[dict[str, Any]], bool], num_players: int = 2, **options: Any
) -> tuple[Ruleset, dict[str, Any]]:
    """The first position, in words, of random games with these options that is wanted."""
    ruleset = GAME.ruleset(num_players, **options)
    return ruleset, positions.find_position(ruleset, is_wanted, choose)
