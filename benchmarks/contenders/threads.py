"""Whole games on several threads, and how many cores threads get."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Final

from tabletop_core.game import Ruleset
from tabletop_core.rollouts import random_games, warm

from ..measure import THREAD, WALL, Contender, Counts, Work

UNIT_GAMES: Final = 256  # for one amount of work
SPUN_BYTES: Final = bytes(1 << 20)  # hashed without the interpreter's lock
SPINS: Final = 4


def rollouts(ruleset: Ruleset, threads: int) -> Contender:
    """`tabletop_core.rollouts.random_games`, pool of threads included."""

    def prepare() -> Work:
        warm(ruleset)

        def work(amount: int) -> Counts:
            count = amount * UNIT_GAMES
            results = random_games(ruleset, count, threads=threads)
            return Counts(int(results.lanes["length"].sum(dtype=int)), count)

        return work

    many = "1 thread" if threads == 1 else f"{threads} threads"
    name = f"{ruleset.game.id} rollouts, {ruleset.num_players} players, {many}"
    return Contender(name, prepare, THREAD if threads == 1 else WALL)


def spinning(threads: int) -> Contender:
    """Threads that only calculate: CPU time divided by wall time is the cores they get."""

    def prepare() -> Work:
        pool = ThreadPoolExecutor(threads)

        def work(amount: int) -> Counts:
            wait([pool.submit(_spin, amount) for _ in range(threads)])
            return Counts(amount * threads)

        return work

    return Contender(f"{threads} spinning threads", prepare)


def _spin(amount: int) -> None:
    for _ in range(amount * SPINS):
        hashlib.blake2b(SPUN_BYTES).digest()
