"""Junk Orbit, the board game by Daniel Solis, as reinforcement-learning environments.

Import `junkorbit_env.junkorbit_v0` for the environments; `README.md` in this package says more.
"""

from tabletop_core.registration import register_environments

from . import junkorbit_v0

__all__ = ["junkorbit_v0"]

register_environments(junkorbit_v0.GAME)
