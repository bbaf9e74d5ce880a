"""Files of users: their names in messages, and writing that never leaves a half-written file."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from .errors import TabletopError


def path_text(path: object) -> str:
    """A path as text for messages. Raises TabletopError if it is not a path or is empty."""
    if not isinstance(path, str | os.PathLike):
        raise TabletopError(f"a file must be given as text or a path, not {type(path).__name__}")
    text = os.fspath(path)
    if not isinstance(text, str) or not text:
        raise TabletopError(f"a file must be given by a name, not {text!r}")
    return text if text.isprintable() else repr(text)


def reason(error: Exception) -> str:
    """Why the operating system refused."""
    return (isinstance(error, OSError) and error.strerror) or str(error)


@contextmanager
def new_file(path: str | os.PathLike[str], force: bool = False) -> Iterator[BinaryIO]:
    """Write a file: it appears complete when the block ends, or not at all.

    Args:
        path: its name.
        force: whether it may take the place of another file; a folder is never replaced.

    Raises:
        TabletopError: something of that name exists, or the file cannot be written.
    """
    file = path_text(path)
    part: Path | None = None
    try:
        target = Path(path)
        if not force and os.path.lexists(target):
            raise FileExistsError
        part = target.with_name(f".{secrets.token_hex(8)}.part")
        with open(part, "xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if force:
            os.replace(part, target)
        else:
            _rename_without_replacing(part, target)
    except FileExistsError:
        raise TabletopError(f"{file} exists already; give the name of a new file") from None
    except TabletopError:
        raise
    except (OSError, ValueError) as error:
        raise TabletopError(f"{file} cannot be written: {reason(error)}") from None
    finally:
        if part is not None:
            with suppress(OSError):
                part.unlink()


def append_to_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Add whole lines at the end of a file of lines, or begin one.

    Raises:
        TabletopError: the last line of the file is not complete, or it cannot be written.
    """
    file = path_text(path)
    try:
        with open(path, "a+b") as stream:
            if stream.seek(0, os.SEEK_END):
                stream.seek(-1, os.SEEK_END)
                if stream.read(1) != b"\n":
                    raise TabletopError(f"{file}: its last line is not complete; repair it first")
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
    except TabletopError:
        raise
    except (OSError, ValueError) as error:
        raise TabletopError(f"{file} cannot be written: {reason(error)}") from None


def _rename_without_replacing(part: Path, target: Path) -> None:
    """Give the finished file its name; FileExistsError if another one took it meanwhile."""
    try:
        os.link(part, target)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):
        # A file system without hard links: hold the name with an empty file, then replace that.
        with open(target, "xb"):
            pass
        try:
            os.replace(part, target)
        except OSError:
            target.unlink()
            raise
