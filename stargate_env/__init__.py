"""The Stargate trading card game (2007) as reinforcement-learning environments.

Unofficial; `README.md` in this package says more, and `data/README.md` what the names and facts of
cards are and where they come from. Import `stargate_env.stargate_v0` for the environments.
"""

from tabletop_core.registration import register_environments

from . import stargate_v0

__all__ = ["stargate_v0"]

register_environments(stargate_v0.GAME)
