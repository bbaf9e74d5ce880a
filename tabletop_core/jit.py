"""One decorator for all kernels, and a disk cache that cannot go stale and cannot stop a game.

Numba's own cache looks only at the file of the cached function: after an edit of a rule in one file
a cached loop in another file keeps playing the old rule. Here the machine code of a package is kept
in a folder named by a digest of every file that can change it: the kernel files of `tabletop_core`
and of the package itself and, for a specialisation that takes records of a game (the generic loops
do), of that game's package. Each compiled specialisation is one file with a checksum; whatever goes
wrong with it (full disk, damaged file, no writable folder) costs a compilation and one warning,
never a game.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import json
import os
import pickle
import stat
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import numba
from numba.core import config, sigutils, types
from numba.core.caching import CompileResultCacheImpl, _Cache
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.funcdesc import default_mangler
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

Function = TypeVar("Function", bound=Callable[..., Any])

CORE_PACKAGE = "tabletop_core"
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
    """Like `kernel`, for helpers in hot loops: LLVM inlines every call."""
    return _jitted(function, forceinline=True)


def separate_kernel(function: Function) -> Function:
    """Like `kernel`, for large functions: callers call its machine code and hold no copy of it.

    Numba links the code of everything that a function calls into the function and compiles it
    again there, so that deep calls of large functions cost time and memory with each level.
    """
    dispatcher = _jitted(function, forceinline=False, pipeline_class=StableCompiler)
    if not config.DISABLE_JIT:
        _keep_separate(dispatcher)
    return dispatcher


def compiled_for(function: Function, *arguments: Any) -> Function:
    """The machine code of a kernel for arguments of these types, called without looking at them.

    For arrays that an object keeps: arguments of other types would be misread. To look at the
    types takes half a microsecond for a batch (connect four, 256 lanes: 1.13 times faster without).
    """
    if config.DISABLE_JIT:
        return function
    dispatcher: Any = function
    types_of = tuple(dispatcher.typeof_pyval(argument) for argument in arguments)
    dispatcher.compile(types_of)
    return dispatcher.overloads[types_of].entry_point  # type: ignore[no-any-return]


def _jitted(function: Function, forceinline: bool, **flags: Any) -> Function:
    if forceinline:
        flags |= {"forceinline": True, "no_cpython_wrapper": True}
    njit = numba.njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True, **flags)
    dispatcher = njit(function)
    if not config.DISABLE_JIT:
        dispatcher._cache = KernelCache(function)
        _compile_once_for_integers(dispatcher)
        if forceinline:
            _run_source_from_python(dispatcher)
    return dispatcher  # type: ignore[no-any-return]


def _compile_once_for_integers(dispatcher: Any) -> None:
    """Compile a kernel that others call once for all constants and narrow integers.

    Numba would compile it anew for each constant and each width of a record's field that it is
    called with: half of the time to compile the Stargate kernels (measured).
    """
    find_template = dispatcher.get_call_template

    def with_plain_integers(args: Any, kws: Any) -> Any:
        plain = {name: _plain(kind) for name, kind in kws.items()}
        return find_template(tuple(_plain(kind) for kind in args), plain)

    dispatcher.get_call_template = with_plain_integers


def _plain(kind: Any) -> Any:
    """int64 for constants and narrower integers, any other type itself."""
    numba_types: Any = types  # its annotations end at what is public
    kind = numba_types.unliteral(kind)
    int64 = numba_types.int64
    is_narrow = isinstance(kind, numba_types.Integer) and kind.bitwidth < int64.bitwidth
    return int64 if is_narrow else kind


class StableCompiler(Compiler):  # type: ignore[misc]
    """Gives a function the same symbol in every process.

    Numba numbers functions and types of records as they come. Then what two processes compile at
    the same time into one cache would not fit together.
    """

    def _compile_bytecode(self) -> Any:
        function = self.state.func_id
        function.unique_id = _short_digest(f"{function.modname}.{function.func_qualname}")
        function.unique_name = f"{function.func_qualname}${function.unique_id}"
        self.state.targetctx = self.state.targetctx.subtarget(mangler=_stable_symbol)
        return super()._compile_bytecode()


def _stable_symbol(
    name: str, args: Sequence[Any], *, abi_tags: Sequence[str] = (), **uid: Any
) -> Any:
    """A symbol in which the types of arguments stand by a digest of their descriptions."""
    described = _short_digest(repr([str(kind) for kind in args]))
    return default_mangler(name, (), abi_tags=(*abi_tags, described), **uid)


def _short_digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def _keep_separate(dispatcher: Any) -> None:
    """Give callers of a kernel nothing to link: they find its symbol among the loaded code."""
    add_overload = dispatcher.add_overload

    def add_separate_overload(result: Any) -> None:
        result.library._get_module_for_linking = _empty_module
        result.library.separate_overload = SeparateOverload(
            dispatcher.py_func.__module__,
            dispatcher.py_func.__qualname__,
            result.signature.args,
            result.fndesc.llvm_func_name,
        )
        add_overload(result)

    dispatcher.add_overload = add_separate_overload


@cache
def _empty_module() -> Any:
    return llvmlite.binding.parse_assembly("")


@dataclass(frozen=True)
class SeparateOverload:
    """Machine code that other code calls by its symbol."""

    module: str
    qualname: str
    args: tuple[Any, ...]
    symbol: str

    def is_loaded(self) -> bool:
        """Load it if it is not; whether it has the symbol that is asked for."""
        kernel = getattr(importlib.import_module(self.module), self.qualname)
        kernel.compile(self.args)
        return bool(kernel.overloads[self.args].fndesc.llvm_func_name == self.symbol)


def _symbols_of(result: Any) -> set[str]:
    """What Python asks a separate kernel for. Numba reads names in the code that others link."""
    if not hasattr(result.library, "separate_overload"):
        return set()
    return {result.fndesc.llvm_func_name, result.fndesc.llvm_cpython_wrapper_name}


def _needs_of(library: Any) -> set[SeparateOverload]:
    """The separate kernels whose symbols the code of a library uses."""
    if hasattr(library, "needs"):  # read from the cache
        return set(library.needs)
    needs = set()
    for linked in library._linking_libraries:
        if hasattr(linked, "separate_overload"):
            needs.add(linked.separate_overload)
        else:
            needs |= _needs_of(linked)
    return needs


def _run_source_from_python(dispatcher: Any) -> None:
    """Let calls from Python run the source as it is.

    Helpers have no compiled wrapper for such calls, because all wrappers together would cost 40 %
    more compile time; without this a call would end the process.
    """
    dispatcher._insert = lambda *overload: None
    dispatcher._compile_for_args = lambda *args, **kwargs: dispatcher.py_func


class KernelCache(_Cache):  # type: ignore[misc]
    """Disk cache of one kernel, one file per specialisation.

    Nothing is looked up before the kernel is first needed, so that importing a game reads no files.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._enabled = True

    @property
    def cache_path(self) -> str | None:
        """The folder of all cached kernels, if there is one."""
        folder = cache_dir()
        return None if folder is None else str(folder)

    def enable(self) -> None:
        """Look for and keep machine code again."""
        self._enabled = True

    def disable(self) -> None:
        """Compile in memory."""
        self._enabled = False

    def flush(self) -> None:
        """Delete the files of this kernel, also those of earlier texts."""
        folder = cache_dir()
        pattern = f"{self._package()}-*/{self._stem()}-*.kernel"
        for path in [] if folder is None else folder.glob(pattern):
            path.unlink(missing_ok=True)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kept machine code for a signature, or None."""
        try:
            path = self._path(sig, target_context.codegen())
            payload = None if path is None else _read_checked(path)
            if payload is None:
                return None
            rtsys.initialize(target_context)
            needs, symbols, reduced = pickle.loads(payload)
            if not all(need.is_loaded() for need in needs):
                return None
            target_context.codegen()._engine._defined_symbols |= symbols
            result = CompileResultCacheImpl.rebuild(None, target_context, reduced)
            result.library.needs = needs
            return result
        except Exception as error:  # noqa: BLE001 - a broken cache must never stop a game
            _warn_once(f"a cached kernel could not be read and is compiled again ({error!r})")
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the machine code for a signature."""
        try:
            path = self._path(sig, data.codegen)
            if path is not None and CompileResultCacheImpl.check_cachable(None, data):
                reduced = CompileResultCacheImpl.reduce(None, data)
                _write_checked(path, dumps((_needs_of(data.library), _symbols_of(data), reduced)))
        except Exception as error:  # noqa: BLE001 - a broken cache must never stop a game
            _warn_once(f"a compiled kernel could not be kept ({error!r})")

    def _package(self) -> str:
        return str(self._function.__module__).partition(".")[0]

    def _stem(self) -> str:
        return f"{self._function.__module__}.{self._function.__qualname__}"

    def _path(self, sig: Any, codegen: Any) -> Path | None:
        folder = _folder(self._package(), _games_in(sig)) if self._enabled else None
        if folder is None:
            return None
        code = self._function.__code__
        flags = (config.OPT, config.BOUNDSCHECK)
        key = repr((str(sig), codegen.magic_tuple(), flags, code.co_code, code.co_firstlineno))
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

    The first usable of: `NUMBA_CACHE_DIR`, `XDG_CACHE_HOME`, `~/.cache`. Cached kernels are
    pickles, so a folder that others may write to is refused.
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
    is_first = not _warned
    _warned.add(reason)
    if is_first:
        consequence = "Games run all the same; kernels are compiled in memory"
        warnings.warn(f"tabletop_core: {reason}. {consequence}.", CacheWarning, stacklevel=3)


# --- what the cache depends on ---------------------------------------------------------------

_KERNEL_MAKERS = {"kernel", "inline_kernel", "separate_kernel", "overload", "intrinsic"}
_MAKER_MODULES = ("jit", "numba.extending")

_started = time.time()
_games: dict[tuple[str, ...], frozenset[str]] = {}
_folders: dict[tuple[str, frozenset[str]], Path | None] = {}
_folder_lock = threading.Lock()


def register_packages(packages: frozenset[str], fields: tuple[str, ...]) -> None:
    """Make every kernel that takes a record of these fields depend on the kernels of packages."""
    _games[fields] = packages


def _games_in(sig: Any) -> frozenset[str]:
    """The packages of the games whose records a specialisation takes."""
    args, _ = sigutils.normalize_signature(sig)
    records = {tuple(record.fields) for kind in args for record in _records_in(kind)}
    return frozenset().union(*(_games[fields] for fields in records & _games.keys()))


def _records_in(kind: Any) -> Iterator[Any]:
    """The records that an argument is or holds."""
    numba_types: Any = types  # its annotations end at what is public
    if isinstance(kind, numba_types.Record):
        yield kind
    elif isinstance(kind, numba_types.Array):
        yield from _records_in(kind.dtype)
    elif isinstance(kind, numba_types.BaseTuple):
        for part in kind:
            yield from _records_in(part)


def _folder(package: str, games: frozenset[str]) -> Path | None:
    """Where the code of a package's kernels for records of some games is kept."""
    key = (package, games)
    with _folder_lock:
        if key not in _folders:
            _folders[key] = None  # stays so if something below fails
            base = cache_dir()
            packages = {package, *games}
            files = source_files(packages, base)
            changed = files and _changed_since_start(files)
            if files is None:
                _warn_once(f"the source files of {' or '.join(sorted(packages))} were not found")
            elif changed:
                _warn_once(f"{changed} was changed while the program runs")
            elif base is not None:
                _folders[key] = base / f"{package}-{_digest(files)}"
        return _folders[key]


def _changed_since_start(files: dict[str, Path]) -> str | None:
    """The name of a file that may hold a newer text than the one this process has imported."""
    for name, path in files.items():
        status = path.stat()
        if max(status.st_mtime, status.st_ctime) > _started:
            return name
    return None


def _digest(files: dict[str, Path]) -> str:
    versions = (numba.__version__, llvmlite.__version__, sys.implementation.cache_tag)
    result = hashlib.blake2b(repr(versions).encode(), digest_size=10)
    for name, path in files.items():
        result.update(f"{name}\0".encode() + path.read_bytes() + b"\0")
    return result.hexdigest()


def source_files(packages: set[str], memory: Path | None = None) -> dict[str, Path] | None:
    """Every file whose text can change machine code made of these packages, by name, sorted.

    `tabletop_core` always belongs to them. None if the text of a part is nowhere to be read, so
    that its changes would go unseen (a notebook, for example). Kernels must not use constants or
    kernels of further packages. In the folder `memory` lists of files are kept.
    """
    files: dict[str, Path] = {}
    for name in sorted({CORE_PACKAGE, *packages}):
        root = _source_root(name)
        if root is None:
            return None
        for path in _remembered_kernel_files(root, memory):
            files[f"{name}/{path.relative_to(root.parent)}"] = path
    return files


def _source_root(name: str) -> Path | None:
    """The folder of a package, or the file of a module that is in none."""
    module = sys.modules.get(name)
    spec = getattr(module, "__spec__", None)
    if module is None:
        spec = importlib.util.find_spec(name)
    if spec is not None and spec.submodule_search_locations:
        return Path(spec.submodule_search_locations[0])
    file = getattr(module, "__file__", None) or (spec and spec.origin)
    return Path(file) if file and Path(file).is_file() else None


def _remembered_kernel_files(root: Path, memory: Path | None) -> tuple[Path, ...]:
    """`kernel_files(root)`, kept for the texts as they are.

    To find them in two packages takes 0.3 s, a third of a start with cached kernels (measured).
    """
    if memory is None or root.is_file():
        return kernel_files(root)
    texts = {str(path.relative_to(root)): path for path in sorted(root.rglob("*.py"))}
    list_file = memory / f"{root.name}-{_digest(texts | {'the finder': Path(__file__)})}.files"
    with suppress(OSError, ValueError):
        content = _read_checked(list_file)
        if content is not None:
            return tuple(root / name for name in json.loads(content))
    found = kernel_files(root)
    if _changed_since_start(texts) is None:
        names = [str(path.relative_to(root)) for path in found]
        with suppress(OSError):
            _write_checked(list_file, json.dumps(names).encode())
    return found


@cache
def kernel_files(root: Path) -> tuple[Path, ...]:
    """The files of a package or of a single module that kernels depend on, sorted.

    These are the files that use one of the decorators, and the files of the same package (for a
    single module: the modules beside it) that those import, directly or not.
    """
    found: set[Path] = set()
    pending = [root]
    if root.is_dir():
        pending = [path for path in root.rglob("*.py") if _has_kernels(path)]
    while pending:
        path = pending.pop()
        if path not in found:
            found.add(path)
            pending += _imported_files(path, root)
    return tuple(sorted(found))


@cache
def _parse(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_bytes())
    except SyntaxError:  # nothing can have been imported from this file
        return ast.Module([], [])


def _has_kernels(path: Path) -> bool:
    """Whether a file uses one of the decorators, under whatever name."""
    content = path.read_bytes()
    if b"jit" not in content and b"numba" not in content:  # without either, spare the parsing
        return False
    for node in ast.walk(_parse(path)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").endswith(_MAKER_MODULES):
            if any(alias.name in _KERNEL_MAKERS for alias in node.names):
                return True
        elif isinstance(node, ast.Attribute) and node.attr in _KERNEL_MAKERS:
            return True
    return False


def _imported_files(path: Path, root: Path) -> Iterator[Path]:
    """The files below `root` (for a single module: beside it) that `path` imports.

    Imports inside of functions are left out: kernels cannot use what they bind.
    """
    pending: list[ast.AST] = [_parse(path)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _module_files(root.parent, alias.name, root)
        elif isinstance(node, ast.ImportFrom):
            base = path.parents[node.level - 1] if node.level else root.parent
            for alias in node.names:
                yield from _module_files(base, f"{node.module or ''}.{alias.name}", root)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            pending += ast.iter_child_nodes(node)


def _module_files(base: Path, dotted: str, root: Path) -> Iterator[Path]:
    """The file of the module that a dotted name below `base` leads to, if it belongs to `root`.

    The last part may be a name inside of that module.
    """
    path = base.joinpath(*dotted.strip(".").split("."))
    for module in (path, path.parent):
        for file in (module.with_suffix(".py"), module / "__init__.py"):
            is_ours = file.parent == root.parent if root.is_file() else file.is_relative_to(root)
            if is_ours and file.is_file():
                yield file
                return


# --- fork ------------------------------------------------------------------------------------
# A child forked while another thread compiles would inherit a lock that nobody releases.

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=global_compiler_lock.acquire,
        after_in_parent=global_compiler_lock.release,
        after_in_child=global_compiler_lock.release,
    )
