"""One decorator for all kernels, and a disk cache that cannot go stale and cannot stop a game.

Numba's own cache looks only at the file of the cached function: after an edit of a rule in one file a
cached loop in another file keeps playing the old rule. Here the machine code of a package is kept in
a folder named by a digest of every file that can change it: a game's kernels depend on the kernel
files of `tabletop_core` and of the game, the generic loops of `tabletop_core` on the kernel files of
every game that is installed or registered. Each compiled specialisation is one file with a checksum;
whatever goes wrong with it (full disk, damaged file, no writable folder) costs a compilation and
one warning, never a game.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import pickle
import re
import stat
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config
from numba.core.caching import CompileResultCacheImpl, _Cache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.serialize import dumps

Function = TypeVar("Function", bound=Callable[..., Any])

CORE_PACKAGE = "tabletop_core"
ENTRY_POINT_GROUP = "tabletop_core.games"
CACHE_FOLDER = "tabletop-envs"
CHECKSUM_BYTES = 16
GROUP_OR_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class CacheWarning(UserWarning):
    """The kernel cache could not be used; kernels are compiled in memory instead."""


def kernel(function: Function) -> Function:
    """Compile `function` on first use with the project's fixed flags and cache it on disk.

    Flags: no Python objects, the lock of the interpreter released (`nogil`), division like NumPy's.
    With `NUMBA_DISABLE_JIT=1` the function is returned as it is and runs interpreted.
    """
    return _jitted(function, forceinline=False)


def inline_kernel(function: Function) -> Function:
    """Like `kernel`, for helpers in hot loops: LLVM inlines every call (source stays one function)."""
    return _jitted(function, forceinline=True)


def _jitted(function: Function, forceinline: bool) -> Function:
    flags = {"forceinline": True, "no_cpython_wrapper": True} if forceinline else {}
    dispatcher = numba.njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True, **flags)(function)
    if not config.DISABLE_JIT:
        dispatcher._cache = KernelCache(function)
    return dispatcher  # type: ignore[no-any-return]


class KernelCache(_Cache):  # type: ignore[misc]
    """Disk cache of one kernel, one file per specialisation.

    Nothing is looked up before the kernel is first needed, so that importing a game reads no
    files and every game that takes part is known when the digest is made.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._enabled = True

    @property
    def cache_path(self) -> str | None:
        folder = _package_folder(self._package())
        return None if folder is None else str(folder)

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        folder = _package_folder(self._package())
        for path in [] if folder is None else folder.glob(f"{self._stem()}-*.kernel"):
            path.unlink(missing_ok=True)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        path = self._path(sig, target_context.codegen())
        if path is None:
            return None
        target_context.refresh()
        try:
            payload = _read_checked(path)
            if payload is None:
                return None
            return CompileResultCacheImpl.rebuild(None, target_context, pickle.loads(payload))
        except Exception as error:  # noqa: BLE001 - a broken cache must never stop a game
            _warn_once(f"a cached kernel could not be read and is compiled again ({error!r})")
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        path = self._path(sig, data.codegen)
        if path is None or not CompileResultCacheImpl.check_cachable(None, data):
            return
        try:
            _write_checked(path, dumps(CompileResultCacheImpl.reduce(None, data)))
        except Exception as error:  # noqa: BLE001 - a broken cache must never stop a game
            _warn_once(f"a compiled kernel could not be kept ({error!r})")

    def _package(self) -> str:
        return str(self._function.__module__).partition(".")[0]

    def _stem(self) -> str:
        return f"{self._function.__module__}.{self._function.__qualname__}"

    def _path(self, sig: Any, codegen: Any) -> Path | None:
        folder = _package_folder(self._package()) if self._enabled else None
        if folder is None:
            return None
        code = self._function.__code__
        key = repr((str(sig), codegen.magic_tuple(), code.co_code, code.co_firstlineno))
        digest = hashlib.blake2b(key.encode(), digest_size=12).hexdigest()
        return folder / f"{self._stem()}-{digest}.kernel"


def _read_checked(path: Path) -> bytes | None:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    checksum, payload = content[:CHECKSUM_BYTES], content[CHECKSUM_BYTES:]
    if checksum != _checksum(payload):
        raise ValueError(f"{path.name} is damaged")
    return payload


def _write_checked(path: Path, payload: bytes) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".partial-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_checksum(payload) + payload)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _checksum(payload: bytes) -> bytes:
    return hashlib.blake2b(payload, digest_size=CHECKSUM_BYTES).digest()


# --- where the cache lives -------------------------------------------------------------------


def cache_dir() -> Path | None:
    """The folder of all cached kernels, or None when there is no safe place for one.

    The first usable of: `NUMBA_CACHE_DIR`, `XDG_CACHE_HOME`, `~/.cache`. Cached kernels are pickles,
    so a folder that others may write to is refused.
    """
    for base in _cache_bases():
        folder = base / CACHE_FOLDER
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if _is_private(folder):
                return folder
        except OSError:
            continue
    _warn_once("no private writable folder was found; set NUMBA_CACHE_DIR to one")
    return None


def _cache_bases() -> Iterator[Path]:
    for variable in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        if os.environ.get(variable):
            yield Path(os.environ[variable])
    try:
        yield Path.home() / ".cache"
    except RuntimeError:
        return


def _is_private(folder: Path) -> bool:
    status = folder.stat()
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid in (os.getuid(), 0) and not status.st_mode & GROUP_OR_OTHERS_WRITE


_warned: set[str] = set()


def _warn_once(reason: str) -> None:
    if not _warned:
        message = f"tabletop_core: {reason}. Games run all the same; kernels are compiled in memory."
        warnings.warn(message, CacheWarning, stacklevel=3)
    _warned.add(reason)


# --- what the cache depends on ---------------------------------------------------------------

_KERNEL_FILE = re.compile(r"^\s*@(inline_)?kernel\b|^\s*@(overload|intrinsic)\b", re.MULTILINE)
_LOCAL_IMPORT = re.compile(r"^\s*from\s+(\.?[\w.]+)\s+import\s+([^\n#]*)", re.MULTILINE)

_registered: dict[str, Path] = {}
_folders: dict[tuple[str, frozenset[str]], Path | None] = {}
_folder_lock = threading.Lock()


def register_package(package: str, folder: Path) -> None:
    """Make the generic loops depend on the kernels of a package that is not an entry point."""
    _registered[package] = folder


def _package_folder(package: str) -> Path | None:
    key = (package, frozenset(_registered))
    with _folder_lock:
        if key not in _folders:
            base = cache_dir()
            _folders[key] = None if base is None else base / f"{package}-{digest(package)}"
        return _folders[key]


def digest(package: str) -> str:
    """Hex digest of the text of every file that can change the machine code of `package`."""
    folders = _package_folders()
    names = sorted(folders) if package == CORE_PACKAGE else sorted({CORE_PACKAGE, package})
    result = hashlib.blake2b(numba.__version__.encode(), digest_size=10)
    for name in names:
        folder = folders.get(name) or _find_package(name)
        for path in [] if folder is None else kernel_files(folder):
            result.update(f"{name}/{path.relative_to(folder)}\0".encode())
            result.update(path.read_bytes())
    return result.hexdigest()


def _package_folders() -> dict[str, Path]:
    packages = {CORE_PACKAGE: Path(__file__).parent, **_registered}
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        name = entry.module.partition(".")[0]
        folder = packages.get(name) or _find_package(name)
        if folder is not None:
            packages[name] = folder
    return packages


def _find_package(name: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    if spec is None or not spec.origin:
        return None
    return Path(spec.origin).parent


def kernel_files(folder: Path) -> list[Path]:
    """The files below `folder` with kernels, and the files of the package those import, sorted."""
    texts = {path: path.read_text("utf-8") for path in sorted(folder.rglob("*.py"))}
    pending = [path for path, text in texts.items() if _KERNEL_FILE.search(text)]
    found: set[Path] = set()
    while pending:
        path = pending.pop()
        if path not in found:
            found.add(path)
            pending += [other for other in _imported(path, texts[path], folder) if other in texts]
    return sorted(found)


def _imported(path: Path, text: str, folder: Path) -> Iterator[Path]:
    for module, names in _LOCAL_IMPORT.findall(text):
        if module.startswith("."):
            base = path.parent
            module = module[1:]
        elif module.partition(".")[0] == folder.name:
            base = folder
            module = module.partition(".")[2]
        else:
            continue
        target = base.joinpath(*module.split(".")) if module else base
        yield target.with_suffix(".py")
        yield from (target / f"{name.strip(' ()')}.py" for name in names.split(","))


# --- fork ------------------------------------------------------------------------------------
# A child forked while another thread compiles would inherit a lock that nobody releases.

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=global_compiler_lock.acquire,
        after_in_parent=global_compiler_lock.release,
        after_in_child=global_compiler_lock.release,
    )
