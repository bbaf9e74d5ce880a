"""Simulations of tree searches, and as many plain random games: both count as one step each."""

from __future__ import annotations

from typing import Final

from tabletop_core.game import Ruleset
from tabletop_core.mcts import Search
from tabletop_core.session import Session

from ..measure import Contender, Counts, Work
from .twins import buffers

AT_ONCE: Final = 128  # simulations of one search, random games of one call
SEED: Final = 1


def simulations(ruleset: Ruleset) -> Contender:
    """Searches of the first decision of a game, with one tree and random rollouts to the end."""

    def prepare() -> Work:
        session = Session(ruleset)
        session.reset(SEED)
        search = Search(ruleset, simulations=AT_ONCE, trees=1, horizon=None, rule_share=0)

        def work(amount: int) -> Counts:
            done = sum(search.run(session.state, seed).simulations for seed in range(amount))
            return Counts(done)

        return work

    return Contender(f"{ruleset.game.id} simulations, {ruleset.num_players} players", prepare)


def plain_games(ruleset: Ruleset) -> Contender:
    """Random games by the kernel that plays whole ones."""

    def prepare() -> Work:
        games = buffers(ruleset, AT_ONCE)

        def work(amount: int) -> Counts:
            for _ in range(amount):
                games.play_kernel(AT_ONCE)
            return Counts(amount * AT_ONCE)

        return work

    return Contender(f"{ruleset.game.id} random games, {ruleset.num_players} players", prepare)
