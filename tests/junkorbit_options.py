"""Random rule options of Junk Orbit for tests: every option and layout."""

from __future__ import annotations

from random import Random
from typing import Any

NUM_PLAYERS = (2, 3, 4, 5)

# Share of the options that differ from the defaults: in some games none or few, in others many, so
# that options are met together.
CHANGE_RATES = (0.0, 0.3, 0.6, 0.9)
# Ship powers are met only now and then in a game, so most games have them.
POWERS_RATE = 0.7
# A game that the cap on turns ends early shows little else.
CAP_RATE = 0.3

OTHER_VALUES: dict[str, tuple[Any, ...]] = {
    "layout": ("alt1", "alt2", "alt3"),
    "boards": ("phobos", "deimos", "phobos+deimos"),
    "deliveries_visible": (False,),
}


def random_options(rng: Random) -> dict[str, Any]:
    """A valid set of options for the shipped tables; what is not in it has its default."""
    change_rate = rng.choice(CHANGE_RATES)
    chosen = {
        name: rng.choice(values)
        for name, values in OTHER_VALUES.items()
        if rng.random() < change_rate
    }
    if rng.random() < POWERS_RATE:
        chosen["ship_powers"] = rng.choice(("A", "B"))
    if rng.random() < change_rate * CAP_RATE:
        chosen["max_turns"] = rng.choice((0, 1, 2, 3, rng.randint(4, 30), rng.randint(31, 70)))
    return chosen
