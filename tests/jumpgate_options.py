"""Random rule options of Jump Gate for tests: every option and deck, for each number of players."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

NUM_PLAYERS = (2, 3, 4, 5)

# How many hidden resources each player can get with the shipped tables: 48 cards less four for each
# of the 6, 7, 8 or 9 planets, shared among the players (RULES.md §2).
MOST_HIDDEN = {2: 12, 3: 6, 4: 4, 5: 2}
# A value for the option that does not count with this number of players must only be in range.
MOST_HIDDEN_UNUSED = 24

# Share of the options that differ from the defaults: in some games none or few, in others many, so
# that options are met together.
CHANGE_RATES = (0.0, 0.15, 0.4, 0.8)
# A game that the cap on turns ends early shows little else.
CAP_RATE = 0.3

Draw = Callable[[Random, int], Any]


def among(*values: Any) -> Draw:
    """Draw one of the values."""
    return lambda rng, num_players: rng.choice(values)


def hidden_cards(rng: Random, num_players: int) -> int:
    return rng.randint(0, MOST_HIDDEN[num_players])


def unused_hidden_cards(rng: Random, num_players: int) -> int:
    return rng.randint(0, MOST_HIDDEN_UNUSED)


DRAWS: dict[str, Draw] = {
    "deck": among("eights", "nothing2010"),
    "redeal_fame": among(False),
    "mark_scope": among("per_planet"),
    "mark_optional": among(False),
    "scan_cost": among("any_card", "free"),
    "harvest_cost": among("any_card_if_unmarked", "free"),
    "landing_rule": among("equal_pair"),
    "fly_from_gate": among(True),
    "jump_target": among("not_adjacent"),
    "harvest_where": among("anywhere"),
    "blackhole_limit": lambda rng, num_players: rng.choice((rng.randint(1, 12), 48)),
    "planet_points": lambda rng, num_players: rng.choice((rng.randint(0, 10), 1000)),
    "tie_break": among("fewest_blackhole_then_planets"),
}


def random_options(rng: Random, num_players: int) -> dict[str, Any]:
    """A valid set of options for the shipped tables; what is not in it has its default."""
    change_rate = rng.choice(CHANGE_RATES)
    chosen = {
        name: draw(rng, num_players) for name, draw in DRAWS.items() if rng.random() < change_rate
    }
    if rng.random() < change_rate:
        is_used = num_players == 2
        draw = hidden_cards if is_used else unused_hidden_cards
        chosen["two_player_hidden"] = draw(rng, num_players)
    if rng.random() < change_rate:
        is_used = num_players != 2
        draw = hidden_cards if is_used else unused_hidden_cards
        chosen["hidden_per_player"] = draw(rng, num_players)
    if rng.random() < change_rate * CAP_RATE:
        chosen["max_turns"] = rng.choice((1, 2, 3, rng.randint(4, 30), rng.randint(31, 300)))
    return chosen
