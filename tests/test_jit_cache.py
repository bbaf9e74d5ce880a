"""The disk cache of compiled kernels: it never goes stale and never stops a game."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import toy_game
from numba import typeof
from numba.core import config

from tabletop_core import engine, jit
from tabletop_core.bits import has
from tabletop_core.game import allocate
from tabletop_core.session import Session

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")

TIMEOUT = 300  # seconds; compiling takes a few
NOWHERE = "/proc/nowhere"  # no folder can be made here, not even by root
NOBODY = 65534
PACKAGES = ("jumpgate_env", "junkorbit_env", "stargate_env")
ROUNDS = 3  # of compiling at the same time

# What a process prints: results, how many kernels it compiled, and its warnings.
REPORT = """
import json, sys, warnings
warnings.simplefilter("always")
shown = []
warnings.showwarning = lambda message, category, *place: shown.append(
    f"{category.__name__}: {message}"
)
from numba.core import event
with event.install_recorder("numba:compile") as recorder:
    result = run()
compiled = sum(record.is_start for _, record in recorder.buffer)
print(json.dumps({"result": result, "compiled": compiled, "warnings": shown}))
"""

# A kernel that depends on a constant in another file.
TINY = {
    "__init__.py": "",
    "constants.py": "FACTOR = 2\n",
    "unused.py": "REMARK = 'nothing'\n",
    "kernels.py": (
        "from tabletop_core.jit import kernel\n"
        "from .constants import FACTOR\n\n\n"
        "@kernel\n"
        "def scale(number):\n"
        "    return number * FACTOR\n"
    ),
}
RUN_TINY = """
def run():
    from tiny_env.kernels import scale
    return scale(3)
"""

# Kernels in three files, each of which calls the machine code of the next.
APART = {
    "__init__.py": "",
    "weights.py": (
        "from tabletop_core.jit import separate_kernel\n\n\n"
        "@separate_kernel\n"
        "def weigh(number):\n"
        "    return 3 * number\n"
    ),
    "sums.py": (
        "from tabletop_core.jit import separate_kernel\n"
        "from .weights import weigh\n\n\n"
        "@separate_kernel\n"
        "def add_up(numbers):\n"
        "    total = 0\n"
        "    for k in range(numbers.shape[0]):\n"
        "        total += weigh(numbers[k])\n"
        "    return total\n"
    ),
    "entry.py": (
        "from tabletop_core.jit import kernel\n"
        "from .sums import add_up\n\n\n"
        "@kernel\n"
        "def total_of(numbers):\n"
        "    return add_up(numbers) + add_up(numbers[1:])\n"
    ),
}
RUN_APART = """
def run():
    import numpy as np
    from apart_env.entry import total_of
    return int(total_of(np.arange(1, 5)))
"""
APART_TOTAL = 3 * (10 + 9)

# A kernel that takes a record and calls the machine code of another one that does.
RECORDS = {
    "__init__.py": "",
    "inner.py": (
        "from tabletop_core.jit import separate_kernel\n\n\n"
        "@separate_kernel\n"
        "def points_of(state):\n"
        "    return state.points\n"
    ),
    "outer.py": (
        "from tabletop_core.jit import kernel\n"
        "from .inner import points_of\n\n\n"
        "@kernel\n"
        "def twice_points_of(states):\n"
        "    return points_of(states[0]) + points_of(states[0])\n"
    ),
}
RUN_RECORDS = """
def run():
    import numba
    import numpy as np
    from records_env.inner import points_of
    from records_env.outer import twice_points_of
    others = [numba.typeof(np.zeros(1, [(f"field{k}", "i4")])) for k in range(unlike)]
    states = np.array([(7,)], [("points", "i4")])
    return int(points_of(states[0]) if only_inner else twice_points_of(states))
"""

# The toy game as a package in which the points pass through a helper and a constant in other files.
SCORING = "s.points[player] += r.climb_values[action]"
CLIMB = {
    "__init__.py": "",
    "constants.py": "BONUS = 0\n",
    "helpers.py": (
        "from tabletop_core.jit import inline_kernel\n"
        "from .constants import (\n    BONUS,\n)\n\n\n"
        "@inline_kernel\n"
        "def with_bonus(points):\n"
        "    return points + BONUS\n"
    ),
}
RUN_CLIMB = """
def run():
    import numpy as np
    from climb_env.climb_v0 import GAME
    from tabletop_core import engine
    from tabletop_core.game import allocate
    from tabletop_core.session import Session
    ruleset = GAME.ruleset(2)
    session = Session(ruleset)
    session.reset(0)
    session.step(session.legal_actions()[0])
    points = np.zeros((5, 2))
    engine.play_games(
        ruleset.record, allocate(GAME.state_dtype, 1), allocate(engine.CHOOSER, 1),
        np.arange(1, 11, dtype=np.uint64).reshape(5, 2), allocate(engine.LANE, 5), points,
        np.zeros((5, 2), np.bool_), 0, 0, 5,
    )
    return {"first": int(session.state[0].points.sum()), "games": points.sum()}
"""


class Sandbox:
    """A folder with copies of packages, and processes that import from it."""

    def __init__(self, folder: Path) -> None:
        self.packages = folder / "packages"
        self.cache = folder / "cache"
        for package in ("tabletop_core", *PACKAGES):
            source = Path(jit._source_root(package) or "")
            shutil.copytree(source, self.packages / package)
        self.write("tiny_env", TINY)
        self.write("apart_env", APART)
        text = Path(toy_game.__file__).read_text(encoding="utf-8")
        assert SCORING in text
        changed = text.replace(SCORING, SCORING.replace("+= ", "+= with_bonus(") + ")")
        changed = changed.replace("\nNUM_CARDS", "\nfrom .helpers import with_bonus\nNUM_CARDS", 1)
        self.write("climb_env", CLIMB | {"climb_v0.py": changed})

    def write(self, package: str, files: dict[str, str]) -> None:
        folder = self.packages / package
        folder.mkdir(exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")

    def edit(self, file: str, old: str, new: str) -> None:
        path = self.packages / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    def environment(self, **variables: str) -> dict[str, str]:
        chosen = {
            "PYTHONPATH": str(self.packages),
            "PYTHONDONTWRITEBYTECODE": "1",
            "NUMBA_CACHE_DIR": str(self.cache),
            "HOME": NOWHERE,
            "PATH": os.environ.get("PATH", ""),
        } | variables
        return {name: value for name, value in chosen.items() if value}

    def start(self, code: str, **variables: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", code + REPORT],
            env=self.environment(**variables),
            cwd=self.packages,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, code: str, **variables: str) -> Any:
        return report(self.start(code, **variables))

    def kernels(self) -> list[Path]:
        return sorted(self.cache.rglob("*.kernel"))

    def file_lists(self) -> list[Path]:
        return sorted(self.cache.rglob("*.files"))

    def other_files(self) -> list[Path]:
        known = {".kernel", ".files"}
        return [p for p in self.cache.rglob("*") if p.is_file() and p.suffix not in known]


def report(process: subprocess.Popen[str]) -> Any:
    """What the process printed."""
    output, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 0, errors
    return json.loads(output.splitlines()[-1])


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path)


# --- never stale -----------------------------------------------------------------------------


def test_edited_rules_are_seen_by_games_and_generic_loops(sandbox: Sandbox) -> None:
    cold = sandbox.run(RUN_CLIMB)
    assert cold["compiled"] > 5
    warm = sandbox.run(RUN_CLIMB)
    assert warm == cold | {"compiled": 0}

    sandbox.edit("climb_env/constants.py", "BONUS = 0", "BONUS = 1")
    constant = sandbox.run(RUN_CLIMB)
    assert 5 < constant["compiled"] < cold["compiled"]  # not what no game's record goes through
    assert constant["result"]["first"] == cold["result"]["first"] + 1
    assert constant["result"]["games"] > cold["result"]["games"]

    sandbox.edit("climb_env/helpers.py", "points + BONUS", "points + BONUS + 1")
    helper = sandbox.run(RUN_CLIMB)
    assert helper["result"]["first"] == cold["result"]["first"] + 2
    assert helper["result"]["games"] > constant["result"]["games"]

    sandbox.edit("climb_env/constants.py", "BONUS = 1", "BONUS = 0")
    sandbox.edit("climb_env/helpers.py", "points + BONUS + 1", "points + BONUS")
    assert sandbox.run(RUN_CLIMB) == warm
    assert not [*cold["warnings"], *helper["warnings"]]


def test_only_files_that_kernels_depend_on_matter(sandbox: Sandbox) -> None:
    assert sandbox.run(RUN_TINY) == {"result": 6, "compiled": 1, "warnings": []}
    sandbox.edit("tiny_env/unused.py", "nothing", "something")
    assert sandbox.run(RUN_TINY) == {"result": 6, "compiled": 0, "warnings": []}
    sandbox.edit("tabletop_core/rng.py", "SHIFT_A = U(13)", "SHIFT_A = U(11)")
    assert sandbox.run(RUN_TINY) == {"result": 6, "compiled": 1, "warnings": []}


def test_a_file_with_its_first_kernel_is_noticed(sandbox: Sandbox) -> None:
    """The kept list of kernel files holds for the texts it was made from."""
    assert sandbox.run(RUN_TINY)["compiled"] == 1
    lists = sandbox.file_lists()
    assert [path.name.partition("-")[0] for path in lists] == ["tabletop_core", "tiny_env"]
    halve = (
        "from tabletop_core.jit import kernel\n\n\n"
        "@kernel\n"
        "def halve(number):\n"
        "    return number // 2\n"
    )
    sandbox.write("tiny_env", {"unused.py": halve})
    code = RUN_TINY + "\n    return halve(scale(3))\n"
    code = code.replace("    return scale(3)\n", "    from tiny_env.unused import halve", 1)
    assert sandbox.run(code) == {"result": 3, "compiled": 2, "warnings": []}
    assert set(lists) < set(sandbox.file_lists())
    sandbox.edit("tiny_env/unused.py", "number // 2", "number // 2 + 1")
    assert sandbox.run(code) == {"result": 4, "compiled": 2, "warnings": []}


def test_files_edited_while_a_program_runs_are_not_mistaken(sandbox: Sandbox) -> None:
    """The old text is compiled then, and must not be kept under the digest of the new one."""
    code = """
import time
def run():
    from tiny_env.kernels import scale
    time.sleep(0.05)
    with open("tiny_env/constants.py", "w") as file:
        file.write("FACTOR = 5")
    return scale(3)
"""
    early = sandbox.run(code)
    assert early["result"] == 6
    (warning,) = early["warnings"]
    assert "constants.py was changed while the program runs" in warning
    assert not sandbox.kernels()
    assert [path.name[:14] for path in sandbox.file_lists()] == ["tabletop_core-"]
    assert sandbox.run(RUN_TINY) == {"result": 15, "compiled": 1, "warnings": []}


def test_kernels_without_a_file_are_not_kept(sandbox: Sandbox) -> None:
    code = """
def run():
    from tabletop_core.jit import kernel
    @kernel
    def double(number):
        return 2 * number
    return double(4)
"""
    for _ in range(2):
        found = sandbox.run(code)
        assert (found["result"], found["compiled"]) == (8, 1)
        (warning,) = found["warnings"]
        assert "source files of __main__ were not found" in warning


def test_checked_kernels_are_kept_apart(sandbox: Sandbox) -> None:
    assert sandbox.run(RUN_TINY)["compiled"] == 1
    assert sandbox.run(RUN_TINY, NUMBA_BOUNDSCHECK="1")["compiled"] == 1
    assert sandbox.run(RUN_TINY)["compiled"] == 0


def files_of_a_loop(state_dtype: np.dtype[Any]) -> set[str] | None:
    """The files on which a generic loop over states of a game depends."""
    signature = (typeof(allocate(toy_game.RULES, 1)[0]), typeof(allocate(state_dtype, 1)))
    files = jit.source_files({"tabletop_core", *jit._games_in(signature)})
    return None if files is None else set(files)


def test_a_loop_depends_on_the_core_and_on_the_game_it_plays() -> None:
    files = files_of_a_loop(toy_game.GAME.state_dtype)
    assert files is not None
    assert {"toy_game/toy_game.py", "tabletop_core/tabletop_core/engine.py"} <= files
    others = files_of_a_loop(engine.LANE)
    assert others == set(jit.source_files(set()) or ())
    assert others < files
    assert not any(name.startswith(PACKAGES) for name in files)


def test_a_game_without_a_file_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    fields = toy_game.GAME.state_dtype.names
    monkeypatch.setitem(jit._games, fields, jit._games[fields] | {"__main__"})
    monkeypatch.delattr(sys.modules["__main__"], "__file__", raising=False)
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", None)
    assert files_of_a_loop(toy_game.GAME.state_dtype) is None
    assert files_of_a_loop(engine.LANE) is not None


def names_of_kernel_files(root: Path) -> set[str]:
    base = root if root.is_dir() else root.parent
    return {path.relative_to(base).as_posix() for path in jit.kernel_files(root)}


def test_kernel_files_of_a_package(tmp_path: Path) -> None:
    files = {
        "__init__.py": "from . import late\n",
        "rules.py": (
            "from tabletop_core.jit import (\n    inline_kernel as fast,\n)\n"
            "from . import (\n    sizes,\n)\n"
            "import some_env.tables.costs\n"
            "from some_env.deep import one, two\n"
            "try:\n    import json\n    from .optional import X\nexcept ImportError:\n    X = 0\n"
            "def later():\n    from . import late\n"
        ),
        "sizes.py": "from .enums import A; from .more import *\n",
        "enums.py": "A = 1\n",
        "more.py": "B = 1\n",
        "optional.py": "X = 1\n",
        "tables/__init__.py": "",
        "tables/costs.py": "from ..enums import A\nfrom .prices import C\n",
        "tables/prices.py": "C = 1\n",
        "deep/__init__.py": "two = 2\n",
        "deep/one.py": "",
        "late.py": "from typing import overload\nkernel = 'not a decorator'\n",
        "other.py": "import tabletop_core.jit\ng = tabletop_core.jit.kernel(print)\n",
        "extension.py": "from numba.extending import overload, intrinsic\n",
        "broken.py": "this is not Python, though it says @kernel and numba\n",
    }
    for name, text in files.items():
        path = tmp_path / "some_env" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    found = names_of_kernel_files(tmp_path / "some_env")
    assert found == {*files} - {"__init__.py", "tables/__init__.py", "late.py", "broken.py"}


def test_kernel_files_of_a_single_module(tmp_path: Path) -> None:
    texts = {
        "my_game.py": "import numpy\nfrom tabletop_core.jit import kernel\nfrom my_sizes import N",
        "my_sizes.py": "N = 3\n",
        "unrelated.py": "from tabletop_core.jit import kernel\n",
        "folder/__init__.py": "from tabletop_core.jit import kernel\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert names_of_kernel_files(tmp_path / "my_game.py") == {"my_game.py", "my_sizes.py"}


# --- never in the way ------------------------------------------------------------------------


def listing(folder: Path) -> dict[str, float]:
    return {str(path): path.stat().st_mtime for path in folder.rglob("*")}


def test_read_only_install_without_home_plays(sandbox: Sandbox) -> None:
    before = listing(sandbox.packages)
    found = sandbox.run(RUN_CLIMB, NUMBA_CACHE_DIR="")
    (warning,) = found["warnings"]
    assert warning.startswith("CacheWarning: tabletop_core: no private writable folder was found")
    assert "set NUMBA_CACHE_DIR" in warning
    assert found["result"]["games"] > 0
    assert listing(sandbox.packages) == before


def test_nobody_without_home_plays(sandbox: Sandbox) -> None:
    """As a user who may write nowhere, the home folder unknown."""
    if os.name != "posix" or os.getuid() != 0:
        pytest.skip("needs root, to become somebody else")
    for folder in (sandbox.packages, *sandbox.packages.rglob("*")):
        folder.chmod(0o755 if folder.is_dir() else 0o644)
    command = [sys.executable, "-c", RUN_TINY + REPORT]
    environment = sandbox.environment(NUMBA_CACHE_DIR="", HOME="")
    options: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    reading = "import numba; print(open('tiny_env/kernels.py').read())"
    try:
        probe = subprocess.run(
            [sys.executable, "-c", reading],
            env=environment,
            cwd=sandbox.packages,
            capture_output=True,
            check=False,
            **options,
        )
    except OSError:
        pytest.skip("the interpreter or the temporary folder is closed to other users")
    if probe.returncode != 0:
        pytest.skip("the interpreter or the temporary folder is closed to other users")
    process = subprocess.Popen(
        command,
        env=environment,
        cwd=sandbox.packages,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )
    found = report(process)
    assert found["result"] == 6
    (warning,) = found["warnings"]
    assert "no private writable folder" in warning


def test_full_disk_plays(sandbox: Sandbox) -> None:
    """Every write to a file fails."""
    code = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
    found = sandbox.run(code + RUN_CLIMB)
    (warning,) = found["warnings"]
    assert "a compiled kernel could not be kept (OSError(27, 'File too large'))" in warning
    assert found["result"]["games"] > 0
    assert not [*sandbox.kernels(), *sandbox.file_lists(), *sandbox.other_files()]


def damage_empty(content: bytes) -> bytes:
    return b""


def damage_truncated(content: bytes) -> bytes:
    return content[: len(content) // 2]


def damage_flipped(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


def damage_not_a_kernel(content: bytes) -> bytes:
    """Whole, but not what it should be: of another version of Numba, for example."""
    payload = b"no pickle"
    return jit._checksum(payload) + payload


DAMAGES = [damage_empty, damage_truncated, damage_flipped, damage_not_a_kernel]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_compiled_again(
    sandbox: Sandbox, damage: Callable[[bytes], bytes]
) -> None:
    assert sandbox.run(RUN_TINY)["compiled"] == 1
    (path,) = sandbox.kernels()
    content = path.read_bytes()
    path.write_bytes(damage(content))
    found = sandbox.run(RUN_TINY)
    assert (found["result"], found["compiled"]) == (6, 1)
    (warning,) = found["warnings"]
    assert "a cached kernel could not be read and is compiled again" in warning
    assert sandbox.run(RUN_TINY) == {"result": 6, "compiled": 0, "warnings": []}


@pytest.mark.parametrize("damage", DAMAGES[:-1])
def test_damaged_file_lists_are_made_again(
    sandbox: Sandbox, damage: Callable[[bytes], bytes]
) -> None:
    assert sandbox.run(RUN_TINY)["compiled"] == 1
    whole = {path: path.read_bytes() for path in sandbox.file_lists()}
    for path, content in whole.items():
        path.write_bytes(damage(content))
    assert sandbox.run(RUN_TINY) == {"result": 6, "compiled": 0, "warnings": []}
    assert {path: path.read_bytes() for path in sandbox.file_lists()} == whole


def test_game_with_a_damaged_cache_plays(sandbox: Sandbox) -> None:
    cold = sandbox.run(RUN_CLIMB)
    entry_points = [path for path in sandbox.kernels() if "_one-" in path.name]
    for path, damage in zip(entry_points, DAMAGES, strict=False):
        path.write_bytes(damage(path.read_bytes()))
    found = sandbox.run(RUN_CLIMB)
    assert found["result"] == cold["result"]
    assert len(found["warnings"]) == 1
    assert sandbox.run(RUN_CLIMB) == cold | {"compiled": 0}


def test_unreadable_files_are_no_reason_to_stop(sandbox: Sandbox) -> None:
    assert sandbox.run(RUN_TINY)["compiled"] == 1
    (path,) = sandbox.kernels()
    path.unlink()
    path.mkdir()  # can be neither read nor replaced
    found = sandbox.run(RUN_TINY)
    assert (found["result"], found["compiled"], len(found["warnings"])) == (6, 1, 1)


@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_folders_that_others_may_write_are_refused(sandbox: Sandbox, mode: int) -> None:
    folder = sandbox.cache / jit.CACHE_FOLDER
    folder.mkdir(parents=True)
    folder.chmod(mode)
    found = sandbox.run(RUN_TINY)
    assert found["result"] == 6
    (warning,) = found["warnings"]
    assert "no private writable folder was found" in warning
    assert not list(folder.iterdir())
    elsewhere = sandbox.cache / "elsewhere"
    assert sandbox.run(RUN_TINY, XDG_CACHE_HOME=str(elsewhere))["warnings"] == []
    assert list(elsewhere.rglob("*.kernel"))


def test_cache_is_closed_to_others(sandbox: Sandbox) -> None:
    sandbox.run(RUN_TINY)
    (path,) = sandbox.kernels()
    for folder in (path.parent, path.parent.parent):
        assert folder.stat().st_mode & 0o077 == 0
    assert path.stat().st_mode & 0o077 == 0


def test_home_is_used_without_other_advice(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.run(RUN_TINY, NUMBA_CACHE_DIR="", HOME=str(tmp_path / "home"))
    folder = tmp_path / "home" / ".cache" / "tabletop-envs"
    assert [path.name[:18] for path in folder.rglob("*.kernel")] == ["tiny_env.kernels.s"]


def test_processes_that_compile_at_once(sandbox: Sandbox) -> None:
    for _ in range(ROUNDS):
        shutil.rmtree(sandbox.cache, ignore_errors=True)
        processes = [sandbox.start(RUN_TINY) for _ in range(3)]
        for process in processes:
            found = report(process)
            assert (found["result"], found["warnings"]) == (6, [])
        assert len(sandbox.kernels()) == 1
        assert not sandbox.other_files()
    assert sandbox.run(RUN_TINY)["compiled"] == 0


@pytest.mark.parametrize("kind", [".kernel", ".files"])
def test_process_killed_while_it_writes(sandbox: Sandbox, kind: str) -> None:
    killed = f"""
import os, signal
replace = os.replace
def replace_or_die(source, target):
    if str(target).endswith("{kind}"):
        os.kill(os.getpid(), signal.SIGKILL)
    replace(source, target)
os.replace = replace_or_die
"""
    process = sandbox.start(killed + RUN_TINY)
    process.communicate(timeout=TIMEOUT)
    assert process.returncode == -9
    assert not sandbox.kernels()
    (partial,) = sandbox.other_files()
    assert partial.name.startswith(".partial-")
    assert sandbox.run(RUN_TINY) == {"result": 6, "compiled": 1, "warnings": []}
    assert sandbox.run(RUN_TINY) == {"result": 6, "compiled": 0, "warnings": []}


def test_import_reads_and_writes_no_cache(sandbox: Sandbox) -> None:
    code = """
def run():
    import climb_env.climb_v0
    from tabletop_core import jit
    return len(jit._folders)
"""
    assert sandbox.run(code) == {"result": 0, "compiled": 0, "warnings": []}
    assert not sandbox.cache.exists()


# --- kernels that are kept separate ----------------------------------------------------------


def kernel_of(sandbox: Sandbox, module: str) -> Path:
    """The one cache file of a module."""
    (path,) = (path for path in sandbox.kernels() if path.name.startswith(f"{module}."))
    return path


def test_separate_kernels_are_kept_and_found_again(sandbox: Sandbox) -> None:
    """In another process the symbols that callers use are those of the kernels read there."""
    cold = sandbox.run(RUN_APART)
    assert cold == {"result": APART_TOTAL, "compiled": len(APART) - 1, "warnings": []}
    assert sandbox.run(RUN_APART) == cold | {"compiled": 0}
    interpreted = sandbox.run(RUN_APART, NUMBA_DISABLE_JIT="1")
    assert interpreted == cold | {"compiled": 0}


def test_separate_kernels_fit_whatever_types_a_process_made_first(sandbox: Sandbox) -> None:
    """Numba numbers the types of records as they come: 0, 50 and 100 others come first here."""
    sandbox.write("records_env", RECORDS)
    cold = sandbox.run("unlike, only_inner = 0, False\n" + RUN_RECORDS)
    assert cold == {"result": 14, "compiled": 2, "warnings": []}
    kernel_of(sandbox, "records_env.inner").unlink()
    again = sandbox.run("unlike, only_inner = 50, True\n" + RUN_RECORDS)
    assert again == {"result": 7, "compiled": 1, "warnings": []}
    assert sandbox.run("unlike, only_inner = 100, False\n" + RUN_RECORDS) == cold | {"compiled": 0}


def test_callers_hold_no_copy_of_a_separate_kernel(sandbox: Sandbox) -> None:
    """The callers' machine code names the kernel; it does not hold it."""
    code = """
def run():
    import numpy as np
    from apart_env.entry import total_of
    from apart_env.sums import add_up
    from apart_env.weights import weigh
    total_of(np.arange(1, 5))
    (kept,) = weigh.overloads.values()
    symbol = kept.fndesc.llvm_func_name
    (text,) = (result.library.get_llvm_str() for result in add_up.overloads.values())
    lines = [line for line in text.splitlines() if symbol in line]
    return [line.split()[0] for line in lines if line.startswith(("declare", "define"))]
"""
    assert sandbox.run(code)["result"] == ["declare"]


def test_an_edited_separate_kernel_is_seen_by_its_callers(sandbox: Sandbox) -> None:
    cold = sandbox.run(RUN_APART)
    sandbox.edit("apart_env/weights.py", "3 * number", "5 * number")
    changed = sandbox.run(RUN_APART)
    assert changed == cold | {"result": 5 * APART_TOTAL // 3}
    sandbox.edit("apart_env/weights.py", "5 * number", "3 * number")
    assert sandbox.run(RUN_APART) == cold | {"compiled": 0}


def test_separate_kernels_with_damaged_or_missing_files(sandbox: Sandbox) -> None:
    """What is gone is compiled again, whether it is called or calls."""
    cold = sandbox.run(RUN_APART)
    for module, damage in zip(("weights", "sums"), DAMAGES[1:], strict=False):
        path = kernel_of(sandbox, f"apart_env.{module}")
        path.write_bytes(damage(path.read_bytes()))
    found = sandbox.run(RUN_APART)
    assert found["result"] == APART_TOTAL
    (warning,) = found["warnings"]
    assert "a cached kernel could not be read and is compiled again" in warning
    assert sandbox.run(RUN_APART) == cold | {"compiled": 0}
    kernel_of(sandbox, "apart_env.weights").unlink()
    assert sandbox.run(RUN_APART) == cold | {"compiled": 1}


def test_separate_kernels_without_a_cache(sandbox: Sandbox) -> None:
    """Every write to a file fails."""
    code = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
    found = sandbox.run(code + RUN_APART)
    assert (found["result"], found["compiled"]) == (APART_TOTAL, len(APART) - 1)
    (warning,) = found["warnings"]
    assert "a compiled kernel could not be kept" in warning
    assert not sandbox.kernels()


# --- in this process -------------------------------------------------------------------------


@pytest.fixture
def warnings_again(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(jit, "_warned", set())
    yield


def test_one_warning_for_all_reasons(warnings_again: None) -> None:
    with pytest.warns(jit.CacheWarning, match="first. Games run all the same") as caught:
        jit._warn_once("first")
        jit._warn_once("first")
        jit._warn_once("second")
    assert len(caught) == 1


def test_cache_of_a_kernel_can_be_flushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "cache_dir", lambda: tmp_path)
    cache = jit.KernelCache(toy_game.render)
    assert cache.cache_path == str(tmp_path)
    for folder in ("toy_game-old", "toy_game-new", "toy_games-new"):
        (tmp_path / folder).mkdir()
        for name in ("toy_game.render-1.kernel", "toy_game.cards-1.kernel"):
            (tmp_path / folder / name).touch()
    cache.flush()
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.glob("*/*.render-*")}
    assert left == {"toy_games-new/toy_game.render-1.kernel"}
    assert len(list(tmp_path.glob("*/*.cards-*"))) == 3
    cache.disable()
    assert cache._path("signature", None) is None


def test_helpers_called_from_python_run_their_source() -> None:
    """They have no compiled wrapper; without care such a call would end the process."""
    for _ in range(2):
        assert bool(has(np.uint64(4), 2)) is True
    session = Session(toy_game.GAME.ruleset(2))
    session.reset(0)  # compiles `draw_card` into other kernels
    session.step(session.legal_actions()[0])
    deck = int(session.state[0].deck)
    toy_game.draw_card(session.state[0], 0)
    assert int(session.state[0].deck).bit_count() == deck.bit_count() - 1
