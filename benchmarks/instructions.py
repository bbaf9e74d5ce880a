"""Instructions per step: the guard against slow code that a busy machine cannot disturb.

A process under valgrind's callgrind plays the same games from the same seeds with kernels compiled
for one fixed processor, and only what they do is counted. The figures are compared with those in
`instructions.json`; times are not looked at.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from tabletop_core.errors import TabletopError

from .c_build import Build
from .contenders import aec, batches, vector
from .contenders.twins import buffers
from .games import all_modules, dearest
from .measure import Counts, Unavailable, Work

BASELINE: Final = Path(__file__).parent / "instructions.json"
MAX_GROWTH: Final = 1.03  # instructions per step beyond which a row fails
PACKAGES: Final = ("numba", "llvmlite", "numpy", "pettingzoo")

ROLLOUT_GAMES: Final = 400
BATCH: Final = 256
BATCH_STEPS: Final = 20
AEC_GAMES: Final = 10

# A processor of 2013: what it lacks (512-bit vectors) valgrind cannot follow.
PROCESSOR: Final = "haswell"
FEATURES: Final = (
    "+64bit,+avx,+avx2,+bmi,+bmi2,+cmov,+cx16,+cx8,+f16c,+fma,+fxsr,+lzcnt,+mmx,+movbe,+popcnt,"
    "+sse,+sse2,+sse3,+sse4.1,+sse4.2,+ssse3,+xsave"
)
CHILD: Final = "from benchmarks.instructions import play; play()"


# --- what is counted -------------------------------------------------------------------------


@dataclass(frozen=True)
class Workload:
    """Some work of one layer of a game. prepare: loads kernels and returns the work."""

    name: str
    prepare: Callable[[], Work]
    amount: int


def workloads() -> Iterator[Workload]:
    """Rollouts of every game at its fewest and its dearest players, and its views at the fewest."""
    for name, module in all_modules().items():
        game = module.GAME
        fewest = game.min_players
        for players in sorted({fewest, dearest(game)}):
            yield Workload(f"{name} rollouts {players}", _rollouts(module, players), ROLLOUT_GAMES)
        steps = batches.random_steps(game.ruleset(fewest), BATCH, outputs=True)
        yield Workload(f"{name} batch {fewest}", steps.prepare, BATCH_STEPS)
        engine = vector.random_games(module, fewest, BATCH)
        yield Workload(f"{name} vector {fewest}", engine.prepare, BATCH_STEPS)
        loop = aec.our_recorded_games(module, fewest)
        yield Workload(f"{name} aec {fewest}", loop.prepare, AEC_GAMES)


def _rollouts(module: Any, players: int) -> Callable[[], Work]:
    def prepare() -> Work:
        games = buffers(module.GAME.ruleset(players), ROLLOUT_GAMES)
        games.play_kernel(1)

        def work(amount: int) -> Counts:
            games.play_kernel(amount)
            return Counts(int(games.lanes["length"][:amount].sum(dtype=int)), amount)

        return work

    return prepare


def play() -> None:
    """In the counted process: all workloads; prints a line of JSON, {name: steps}."""
    switches = Build("counting.c", "-O2").load()
    steps = {}
    for workload in workloads():
        work = workload.prepare()
        work(1)
        switches.start_counting()
        counts = work(workload.amount)
        switches.stop_counting(ctypes.c_char_p(workload.name.encode()))
        steps[workload.name] = counts.steps
    print(json.dumps(steps))


# --- counting --------------------------------------------------------------------------------


def count(report: Callable[[str], None]) -> dict[str, float]:
    """Instructions per step by workload.

    Raises:
        Unavailable: there is no valgrind, or not this kind of processor.
        TabletopError: the counted process has failed, for example without valgrind's C header.
    """
    if shutil.which("valgrind") is None:
        raise Unavailable("instructions are counted by valgrind, which was not found")
    if os.uname().machine != "x86_64":
        raise Unavailable("instructions are counted on x86-64 processors only")
    report("compiling")
    _run([sys.executable, "-c", CHILD])  # fills the cache of kernels
    report("counting")
    with tempfile.TemporaryDirectory() as folder:
        out = f"--callgrind-out-file={folder}/out"
        valgrind = ["valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no", out]
        steps = _run([*valgrind, sys.executable, "-c", CHILD])
        totals = dict(_total(path) for path in Path(folder).glob("out.*"))
    return {name: totals[name] / number for name, number in steps.items()}


def _run(command: list[str]) -> dict[str, int]:
    variables = {
        **os.environ,
        "PYTHONHASHSEED": "0",
        "NUMBA_CPU_NAME": PROCESSOR,
        "NUMBA_CPU_FEATURES": FEATURES,
    }
    result = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    if result.returncode:
        raise TabletopError(f"the process whose instructions count has failed:\n{result.stderr}")
    steps: dict[str, int] = json.loads(result.stdout.splitlines()[-1])
    return steps


def _total(path: Path) -> tuple[str, int]:
    """(label, instructions) of one file that callgrind has written."""
    text = path.read_text()
    label = re.search(r"^desc: Trigger: Client Request: (.+)$", text, re.MULTILINE)
    total = re.search(r"^totals: (\d+)$", text, re.MULTILINE)
    assert label and total, f"{path} is no profile"
    return label.group(1), int(total.group(1))


# --- comparing -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Check:
    """One workload beside the stored figure; stored: None if there is none yet, which passes."""

    name: str
    instructions: float
    stored: float | None

    @property
    def growth(self) -> float | None:
        return None if self.stored is None else self.instructions / self.stored

    @property
    def holds(self) -> bool:
        return self.growth is None or self.growth <= MAX_GROWTH


def check(counted: Mapping[str, float], baseline: Mapping[str, Any]) -> list[Check]:
    """All workloads; those that are stored but were not counted fail too, as infinite."""
    stored: Mapping[str, float] = baseline["instructions_per_step"]
    checks = [Check(name, value, stored.get(name)) for name, value in counted.items()]
    lost = [
        Check(name, float("inf"), value) for name, value in stored.items() if name not in counted
    ]
    return checks + lost


def read_baseline(path: Path = BASELINE) -> dict[str, Any]:
    """The stored figures."""
    content: dict[str, Any] = json.loads(path.read_text())
    return content


def write_baseline(counted: Mapping[str, float], path: Path = BASELINE) -> None:
    """Store figures with the versions that they depend on."""
    content = {
        **_versions(),
        "instructions_per_step": {name: round(value, 2) for name, value in counted.items()},
    }
    path.write_text(json.dumps(content, indent=1) + "\n")


def other_versions(baseline: Mapping[str, Any]) -> list[str]:
    """What differs from the versions that the stored figures were counted with."""
    return [
        f"{name} {now} (stored: {baseline.get(name)})"
        for name, now in _versions().items()
        if baseline.get(name) != now
    ]


def _versions() -> dict[str, str]:
    python = ".".join(map(str, sys.version_info[:2]))
    return {"python": python, **{name: version(name) for name in PACKAGES}}
