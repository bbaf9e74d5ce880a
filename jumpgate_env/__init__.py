"""Jump Gate, the board game by Matt Worden, as reinforcement-learning environments.

Import `jumpgate_env.jumpgate_v0` for the environments; `README.md` in this package is the spec
page.
"""

from tabletop_core.registration import register_environments

from . import jumpgate_v0

__all__ = ["jumpgate_v0"]

register_environments(jumpgate_v0.GAME)
