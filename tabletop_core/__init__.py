"""The runtime that all games of this project share; it knows no game.

`game` describes a game, `engine` holds the compiled loops, `session` is one game in progress, and
`aec`, `parallel`, `single_agent`, `vector_env` and `seat_env` are the views that users import
through a game's own module. `testing` is a conformance suite for games of your own.
"""

from .errors import TabletopError

__all__ = ["TabletopError"]
