"""The one exception that this package raises for a wrong argument, file, action or state."""


class TabletopError(ValueError):
    """Something given by the caller is wrong; the message says what, and what would be right."""


def shown(value: object, limit: int = 80) -> str:
    """`value` for a message: not too long, and never an error (as huge integers would be)."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - objects of callers
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= limit else f"{text[: limit - 3]}..."
