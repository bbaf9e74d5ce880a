"""What figures depend on: the machine, the versions and the revision of the project."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from .c_build import FLAGS, LEVELS, compiler_version, find_compiler
from .measure import Unavailable

PACKAGES = (
    "numpy",
    "numba",
    "llvmlite",
    "gymnasium",
    "pettingzoo",
    "open_spiel",
    "pgx",
    "jax",
    "envpool",
)


def describe() -> dict[str, Any]:
    """Machine, software and load, in JSON types."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "memory_bytes": _memory(),
        "system": platform.platform(),
        "load": load(),
        "python": sys.version.split()[0],
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
        "compiler": _compiler(),
        "revision": revision(),
    }


def processor() -> str:
    """Name of the processor."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        text = ""
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found.group(1).strip() if found else platform.processor() or platform.machine()


def short_name() -> str:
    """Name for files, for example `amd-epyc-2-cores`."""
    words = re.sub(r"\([^)]*\)|@.*", " ", processor()).lower()
    name = "-".join(re.findall(r"[a-z0-9]+", words)[:3])
    return f"{name}-{os.cpu_count()}-cores"


def load() -> list[float] | None:
    """Load averages; a busy machine makes spreads wide."""
    return [round(value, 2) for value in os.getloadavg()] if hasattr(os, "getloadavg") else None


def revision() -> str | None:
    """Commit of the project, with `+` if files differ from it."""
    folder = Path(__file__).parent
    try:
        commit = _git(folder, "rev-parse", "--short=12", "HEAD")
        changed = _git(folder, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):
        return None
    return commit + ("+" if changed else "")


def _git(folder: Path, *arguments: str) -> str:
    result = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True
    )
    return result.stdout.strip()


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _compiler() -> str | None:
    try:
        return f"{compiler_version(find_compiler())}; {' '.join(FLAGS)}; {' '.join(LEVELS)}"
    except Unavailable:
        return None
