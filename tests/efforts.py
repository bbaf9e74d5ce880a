"""How much of a game the shared suites look at: less of games whose decisions cost more."""

from __future__ import annotations

from tabletop_core.game import Ruleset

# A decision of this game costs more than a hundred of the others, so shorter games and fewer of
# them are looked at: share of the games and positions, and the cap on turns.
SHARES = {"stargate_v0": 0.05}
CAPS = {"stargate_v0": 6}


def share(ruleset: Ruleset, number: int) -> int:
    """How many games or positions of so many are looked at."""
    return max(1, round(number * SHARES.get(ruleset.game.id, 1)))


def capped(ruleset: Ruleset) -> Ruleset:
    """The ruleset, with shorter games where games are long."""
    cap = CAPS.get(ruleset.game.id)
    return ruleset.game.ruleset(ruleset.num_players, max_turns=cap) if cap else ruleset
