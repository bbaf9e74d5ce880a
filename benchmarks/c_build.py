"""Compile the C programs of `benchmarks/c` and load them; nothing is built before it is needed."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .measure import Unavailable

SOURCES = Path(__file__).parent / "c"
COMPILERS = ("cc", "gcc", "clang")
LEVELS = ("-O2", "-O3")
FLAGS = ("-std=gnu11", "-march=native", "-fPIC", "-shared")


@dataclass(frozen=True)
class Build:
    """One way to compile a source file."""

    source: str
    level: str
    macros: Mapping[str, int] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    """Generated header files: name -> text."""

    def load(self) -> ctypes.CDLL:
        """The compiled library.

        Raises:
            Unavailable: there is no C compiler.
            subprocess.CalledProcessError: the source does not compile; its message is printed.
        """
        compiler = find_compiler()
        path = build_folder() / f"{Path(self.source).stem}-{self._digest(compiler)}.so"
        if not path.exists():
            self._compile(compiler, path)
        return ctypes.CDLL(str(path))

    def _compile(self, compiler: str, path: Path) -> None:
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            for name, text in self.headers.items():
                (Path(folder) / name).write_text(text)
            result = Path(folder) / path.name
            macros = [f"-D{name}={value}" for name, value in self.macros.items()]
            command = [compiler, *FLAGS, self.level, *macros, f"-I{folder}", f"-I{SOURCES}"]
            subprocess.run(
                [*command, "-o", str(result), str(SOURCES / self.source)],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            os.replace(result, path)

    def _digest(self, compiler: str) -> str:
        texts = [
            path.read_text() for path in sorted(SOURCES.iterdir()) if path.suffix in (".c", ".h")
        ]
        key = (self.source, self.level, sorted(self.macros.items()), sorted(self.headers.items()))
        content = repr((compiler_version(compiler), FLAGS, _processor(), key, texts))
        return hashlib.blake2b(content.encode(), digest_size=10).hexdigest()


def find_compiler() -> str:
    """Path of the C compiler: $CC, else the first of `COMPILERS` that there is.

    Raises:
        Unavailable: there is none.
    """
    for name in (os.environ.get("CC", ""), *COMPILERS):
        found = shutil.which(name) if name else None
        if found:
            return found
    raise Unavailable(f"no C compiler was found ({', '.join(COMPILERS)})")


@functools.cache
def compiler_version(compiler: str) -> str:
    """First line of what the compiler says about itself."""
    result = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    return (result.stdout.splitlines() or [compiler])[0]


def build_folder() -> Path:
    """The user's own cache folder for compiled C, or a new temporary one if it is not writable."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(base) / "tabletop-envs" / "c"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return _temporary_folder()


@functools.cache
def _temporary_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="tabletop-envs-c-"))


def _processor() -> str:
    """What -march=native depends on: a cache folder may be shared by different machines."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    return "\n".join(sorted({line for line in lines if line.startswith(("model", "flags"))}))
