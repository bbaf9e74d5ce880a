"""The byte-mask game in C that calibrates the machine (`c/calibrator.c`)."""

from __future__ import annotations

import ctypes

from ..c_build import LEVELS, Build
from ..measure import Contender, Counts, Mismatch, Work

SEED = 12345
CHECKED_STEPS = 200_000
CHECKED_RESULT = (1809, 716810)  # games, checksum: the same work on every machine


def calibrators() -> list[Contender]:
    """The calibrator at each level of optimisation."""
    return [_contender(level) for level in LEVELS]


def _contender(level: str) -> Contender:
    def prepare() -> Work:
        play_steps = Build("calibrator.c", level).load().play_steps
        play_steps.restype = ctypes.c_int64
        play_steps.argtypes = [ctypes.c_uint64, ctypes.c_int64, ctypes.POINTER(ctypes.c_int64)]
        checksum = ctypes.c_int64()

        def work(amount: int) -> Counts:
            return Counts(amount, play_steps(SEED, amount, ctypes.byref(checksum)))

        games = work(CHECKED_STEPS).games
        if (games, checksum.value) != CHECKED_RESULT:
            raise Mismatch(f"the calibrator came to {games} games, checksum {checksum.value}")
        return work

    return Contender(f"calibrator {level}", prepare)
