"""The one exception that this package raises for a wrong argument, file, action or state."""


class TabletopError(ValueError):
    """Something given by the caller is wrong; the message says what, and what would be right."""
