"""Changes the rules in small ways and demands that the fast suite notices: `make rules-mutation`.

A mutant is one function of a `rules.py` or of the Stargate card machine with one change; the module
`mutants` names the operators. All runs interpreted: a function of a kernel is then a plain one, and
who has imported it plays its mutant as soon as its code is exchanged, in a forked process.

What must notice is in the fast suite. Its tests run once on the rules as they are, with a mark in
front of each statement, and must pass. A mutant is played by those that come to its statement,
cheapest first, until one fails. A test that takes too many seconds interpreted is left out; for
lock-step games, published hashes and conformance, the same functions play fewer of the same games.

A mutant that nothing notices survives. It is an error if `rules_survivors.list` does not say why
nothing can, if less than LEAST_KILLED of a module's mutants are noticed, and if a function that
does nothing is not.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import math
import multiprocessing
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from random import Random
from types import CodeType, FunctionType
from typing import Final, TypeVar

import pytest
import test_hashes
import test_jumpgate_lockstep
import test_junkorbit_lockstep
import test_stargate_lockstep
from mutants import OPERATORS, SEEN, Mutant, emptied, functions_of, marked, mutants_of
from numba.core import config
from rich.console import Console
from rich.progress import track

from tabletop_core import testing
from tabletop_core.game import find_game

TESTS: Final = Path(__file__).parent
SURVIVORS: Final = TESTS / "rules_survivors.list"
MODULES: Final = {
    "jumpgate_env/rules.py": "jumpgate",
    "junkorbit_env/rules.py": "junkorbit",
    "stargate_env/rules.py": "stargate",
    "stargate_env/machine.py": "stargate",
}
SHARED_TESTS: Final = ("test_playthroughs.py", "test_conformance.py", "test_perft.py")
NUM_MUTANTS: Final = 100  # of each module
LEAST_KILLED: Final = 0.95
MOST_SECONDS: Final = 10  # of CPU, interpreted and unchanged, for a test of the suite
SECONDS_A_MUTANT: Final = 60  # of CPU, after which a mutant counts as a survivor
FIRST_TESTS: Final = 30  # cheapest tests, which are tried before whole games
SLACK: Final = 4  # a test that takes so many times longer with a mutant does not end
SHORTEST_LIMIT: Final = 2  # seconds of CPU more than that
NAME_SEPARATORS: Final = 2  # file, function and change
FEW_DECISIONS: Final = 500  # of lock-step games; the last game is played to its end
FORK: Final = multiprocessing.get_context("fork")

Result = TypeVar("Result")

Statement = tuple[str, int]  # file of a module, and line


@dataclass(frozen=True)
class Check:
    """Something of the fast suite that fails by raising an exception."""

    name: str
    run: Callable[[], object]
    most_seconds: float = math.inf
    """Of CPU, interpreted; a check that takes longer is left out."""


@dataclass(frozen=True)
class Event:
    """How a check went."""

    has_passed: bool
    seconds: float
    seen: frozenset[Statement] = frozenset()


@dataclass(frozen=True)
class Measured:
    """A check that passes with the rules as they are."""

    check: Check
    seconds: float
    seen: frozenset[Statement]


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant."""

    num_checks: int
    killer: str = ""
    """The name of the check that has noticed the mutant."""
    is_endless: bool = False
    """It was noticed because the check did not end."""


# --- what must notice ------------------------------------------------------------------------


def lockstep_checks(game: str) -> list[Check]:
    """The first games of the lock-step tests with the reference."""
    if game == "stargate":
        lockstep = test_stargate_lockstep
        draws = [
            (lockstep.an_official_deck, "official", 2),
            (lockstep.a_random_deck, "random 0", 2),
        ]
        draws += [(lockstep.a_random_deck, f"{players} players", players) for players in (3, 5)]
        return [
            Check(
                f"lock-step game of {name}",
                functools.partial(lockstep.check_games, draw, name, players, decisions=1),
            )
            for draw, name, players in draws
        ]
    module = {"jumpgate": test_jumpgate_lockstep, "junkorbit": test_junkorbit_lockstep}[game]
    play = module.check_random_games
    return [
        Check(
            f"lock-step games of {players} players",
            functools.partial(play, f"{players} players", players, decisions=FEW_DECISIONS),
        )
        for players in module.NUM_PLAYERS
    ]


def hash_checks(game: str) -> list[Check]:
    """The first of the games whose final states make the published hashes.

    Where one of them ends otherwise, the published hash is another one.
    """
    game_id = f"{game}_v0"
    if game == "stargate":  # one game costs as much as all others together
        return []
    return [
        Check(
            f"first games of the published hash for {players} players",
            functools.partial(check_hash, game_id, players, first_games(game_id, players)),
        )
        for name, players in sorted(test_hashes.PUBLISHED)
        if name == game_id
    ]


def first_games(game_id: str, num_players: int, num_games: int = 1) -> str:
    ruleset = find_game(game_id).ruleset(num_players)
    return test_hashes.batch_hash(ruleset, num_games, num_games)


def check_hash(game_id: str, num_players: int, expected: str) -> None:
    assert first_games(game_id, num_players) == expected


def determinize_checks(game: str) -> list[Check]:
    """The first game of the conformance tests, as to `determinize`."""
    if game == "stargate":  # its `determinize` is in another module
        return []
    rulesets = [find_game(f"{game}_v0").ruleset(players) for players in (2, 5)]
    return [
        Check(
            f"conformance of determinize with {ruleset.num_players} players",
            functools.partial(
                testing.check_positions,
                ruleset,
                [testing.check_determinize],
                num_games=1,
                every=testing.RARE,
            ),
        )
        for ruleset in rulesets
    ]


class Suite:
    """Tests as pytest has collected them, which are run one by one."""

    def __init__(self, work: Callable[[list[Check]], int], most_seconds: float) -> None:
        self.work = work
        self.most_seconds = most_seconds
        self.status = 2
        self.has_failed = False

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Do the work instead of running the tests."""
        if not session.testsfailed:
            checks = [
                Check(
                    item.nodeid.rpartition("/")[2],
                    functools.partial(self.run, item),
                    self.most_seconds,
                )
                for item in session.items
            ]
            self.status = self.work(checks)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.has_failed |= report.failed

    def run(self, item: pytest.Item) -> None:
        self.has_failed = False
        item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
        assert not self.has_failed


def pytest_arguments(games: Sequence[str], tests: str) -> list[str]:
    """The fast tests of some games; `tests` chooses among them, as in `pytest -k`.

    Without those that compare compiled with interpreted kernels: nothing is compiled.
    """
    files = [file for game in games for file in sorted(TESTS.glob(f"test_{game}_*.py"))]
    chosen = f"({' or '.join(games)}) and not interpreted" + (f" and ({tests})" if tests else "")
    shared = [TESTS / file for file in SHARED_TESTS]
    options = ["-qq", "-s", "-m", "not long and not lint", "-k", chosen]
    quiet = ["-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    return [*options, *quiet, *map(str, (*files, *shared))]


# --- in other processes ----------------------------------------------------------------------


_seen: set[Statement] = set()  # statements that a check has come to, in its process

Timed = tuple[Check, float]  # a check, and the seconds of CPU after which it does not end


def run_checks(prepare: Callable[[], None], checks: Sequence[Timed]) -> list[Event]:
    """Run checks in a forked process until one fails.

    If one does not end, the process ends: there are fewer events than checks, and none has failed.
    """
    receiver, sender = FORK.Pipe(duplex=False)
    child = FORK.Process(target=_play, args=(prepare, checks, sender))
    child.start()
    sender.close()
    events: list[Event] = []
    with suppress(EOFError):
        while True:
            events.append(receiver.recv())
    child.join()
    return events


def _play(prepare: Callable[[], None], checks: Sequence[Timed], sender: Connection) -> None:
    _be_silent()
    prepare()
    for check, seconds in checks:
        _seen.clear()
        start = time.process_time()
        _limit(start + seconds)
        has_passed = _passes(check)
        sender.send(Event(has_passed, time.process_time() - start, frozenset(_seen)))
        if not has_passed:
            return


def _be_silent() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)


def _limit(seconds: float) -> None:
    """End this process after so many seconds of CPU."""
    soft = resource.RLIM_INFINITY if math.isinf(seconds) else math.ceil(seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _passes(check: Check) -> bool:
    try:
        check.run()
    except Exception:  # noqa: BLE001 - whatever a wrong rule leads to is noticed
        return False
    return True


def in_parallel(
    work: Callable[[int], Result], count: int, workers: int
) -> Iterator[tuple[int, Result]]:
    """`work` of each number below `count`, as it becomes ready, in so many forked processes."""
    receivers = []
    for first in range(workers):
        receiver, sender = FORK.Pipe(duplex=False)
        FORK.Process(target=_work, args=(work, range(first, count, workers), sender)).start()
        sender.close()
        receivers.append(receiver)
    while receivers:
        for receiver in wait(receivers):
            try:
                yield receiver.recv()
            except EOFError:
                receivers.remove(receiver)


def _work(work: Callable[[int], Result], numbers: range, sender: Connection) -> None:
    for number in numbers:
        sender.send((number, work(number)))


# --- the rules as they are -------------------------------------------------------------------


class Module:
    """A module whose functions are changed."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.source = (TESTS.parent / file).read_text("utf-8")
        self.namespace = vars(importlib.import_module(file.removesuffix(".py").replace("/", ".")))
        self.functions = {function.name: function for function in functions_of(self.source)}

    @functools.cached_property
    def mutants(self) -> dict[str, Mutant]:
        """What is told of it -> mutant, for every one."""
        return {
            f"{self.file} :: {mutant.function} :: {mutant.change}": mutant
            for mutant in mutants_of(self.source, self.namespace)
        }

    def exchange(self, function: str, code: CodeType) -> None:
        """From now on a function runs other code, whoever calls it."""
        assert isinstance(self.namespace[function], FunctionType), "only if nothing is compiled"
        self.namespace[function].__code__ = code

    def mark(self) -> None:
        """From now on all statements that are run are noted."""
        self.namespace[SEEN] = _seen.add
        for name, function in self.functions.items():
            self.exchange(name, marked(function, self.file))


class Jury:
    """The checks that hold for the rules as they are."""

    def __init__(self) -> None:
        self.measured: list[Measured] = []
        self.faults: list[str] = []
        self.left_out: list[str] = []

    def measure(self, checks: Sequence[Check], modules: Sequence[Module], workers: int) -> None:
        """Run all checks once."""

        def mark_all() -> None:
            for module in modules:
                module.mark()

        def run(share: int) -> list[Event | None]:
            return run_all(mark_all, checks[share::workers])

        for share, events in in_parallel(run, workers, workers):
            for check, event in zip(checks[share::workers], events, strict=True):
                if event is None:
                    self.left_out.append(check.name)
                elif event.has_passed:
                    self.measured.append(Measured(check, event.seconds, event.seen))
                else:
                    self.faults.append(f"fails without any change: {check.name}")
        self.measured.sort(key=lambda measured: (measured.seconds, measured.check.name))

    def checks_of(self, statement: Statement) -> list[Timed]:
        """The checks that come to a statement, in the order in which they are tried."""
        fitting = [measured for measured in self.measured if statement in measured.seen]
        tests = [one for one in fitting if math.isfinite(one.check.most_seconds)]
        games = [one for one in fitting if math.isinf(one.check.most_seconds)]
        checks: list[Timed] = []
        total = 0.0
        for one in (*tests[:FIRST_TESTS], *games, *tests[FIRST_TESTS:]):
            if total < SECONDS_A_MUTANT:
                total += one.seconds
                checks.append((one.check, SHORTEST_LIMIT + SLACK * one.seconds))
        return checks

    def judge(self, module: Module, function: str, line: int, code: CodeType) -> Verdict:
        """Whether something notices that a function runs other code."""
        checks = self.checks_of((module.file, line))
        events = run_checks(functools.partial(module.exchange, function, code), checks)
        if all(event.has_passed for event in events):
            if len(events) == len(checks):
                return Verdict(len(checks))
            return Verdict(len(checks), checks[len(events)][0].name, is_endless=True)
        return Verdict(len(checks), checks[len(events) - 1][0].name)

    def notices_a_broken_rule(self, module: Module) -> bool:
        """Whether the function to which most checks come is missed."""
        beginnings = {name: one.body[0].lineno for name, one in module.functions.items()}
        counts = Counter(
            line for one in self.measured for file, line in one.seen if file == module.file
        )
        name = max(beginnings, key=lambda name: counts[beginnings[name]])
        code = emptied(module.functions[name])
        return bool(self.judge(module, name, beginnings[name], code).killer)


def run_all(prepare: Callable[[], None], checks: Sequence[Check]) -> list[Event | None]:
    """How each check goes; None: it takes longer than it may."""
    events: list[Event | None] = []
    while len(events) < len(checks):
        rest = [(check, check.most_seconds) for check in checks[len(events) :]]
        new = run_checks(prepare, rest)
        events += new
        if len(events) < len(checks) and all(event.has_passed for event in new):
            events.append(None)
    return events


# --- mutants ---------------------------------------------------------------------------------


def read_survivors(path: Path) -> dict[str, str]:
    """Mutant -> why nothing can notice it."""
    survivors = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line and not line.startswith("#"):
            name, separator, reason = line.rpartition(" :: ")
            if name.count(" :: ") != NAME_SEPARATORS or not separator or not reason:
                sys.exit(
                    f"{path.name}:{number}: not '<file> :: <function> :: <change> :: <reason>'"
                )
            survivors[name] = reason
    return survivors


def check_mutants(
    jury: Jury, module: Module, options: argparse.Namespace, console: Console
) -> bool:
    """Judge a sample of a module's mutants; whether few enough survive, each for a known reason."""
    names = sample_of(module, options)
    mutants = [module.mutants[name] for name in names]

    def judge(number: int) -> Verdict:
        mutant = mutants[number]
        return jury.judge(module, mutant.function, mutant.line, mutant.code)

    results = in_parallel(judge, len(mutants), options.workers)
    verdicts = dict(track(results, module.file, len(mutants), console=console))
    listed = read_survivors(SURVIVORS)
    is_content = True
    for number, name in enumerate(names):
        is_content &= check_verdict(mutants[number], name, verdicts[number], listed, console)
    killed = [verdict for verdict in verdicts.values() if verdict.killer]
    share = len(killed) / max(1, len(mutants))
    console.print(
        f"{module.file}: {len(mutants)} of {len(module.mutants)} mutants (seed {options.seed}), "
        f"{len(killed)} killed ({share:.1%}), of these {sum(one.is_endless for one in killed)} "
        f"do not end",
        soft_wrap=True,
    )
    report(mutants, verdicts, console)
    return is_content and share >= LEAST_KILLED


def sample_of(module: Module, options: argparse.Namespace) -> list[str]:
    """Names of a module's mutants, in the order of its lines."""
    names = list(module.mutants)
    count = min(options.mutants, len(names))
    chosen = set(Random(f"{options.seed} {module.file}").sample(names, count))
    parts = options.only.split(",")
    return [name for name in names if name in chosen and any(part in name for part in parts)]


def check_verdict(
    mutant: Mutant, name: str, verdict: Verdict, listed: Mapping[str, str], console: Console
) -> bool:
    """Tell of a survivor, and of one that is listed but none; whether all is as listed."""
    if verdict.killer:
        if name in listed:
            console.print(f"{name} is listed but noticed by {verdict.killer}", soft_wrap=True)
        return name not in listed
    reason = listed.get(name, "NO REASON IS LISTED")
    console.print(
        f"line {mutant.line}, {mutant.operator}, survives {verdict.num_checks} checks:\n"
        f"  {name} :: {reason}",
        soft_wrap=True,
    )
    return name in listed


def report(mutants: Sequence[Mutant], verdicts: Mapping[int, Verdict], console: Console) -> None:
    """What has noticed the mutants, and how many of each operator were noticed."""
    killers = counted(verdict.killer for verdict in verdicts.values() if verdict.killer)
    made = Counter(mutant.operator for mutant in mutants)
    killed = Counter(mutants[number].operator for number, one in verdicts.items() if one.killer)
    shares = ", ".join(f"{name} {killed[name]}/{made[name]}" for name in OPERATORS if made[name])
    console.print(f"  noticed first by: {killers}", soft_wrap=True)
    console.print(f"  killed of each operator: {shares}", soft_wrap=True)


def counted(checks: Iterable[str]) -> str:
    """How many checks of each test module."""
    counts = Counter(check.partition("::")[0] for check in checks)
    return ", ".join(f"{name} {count}" for name, count in counts.most_common()) or "none"


def work(options: argparse.Namespace, console: Console, tests: Sequence[Check]) -> int:
    """Exit status 0 if the rules pass and mutants survive only as listed."""
    modules = [Module(file) for file in options.files]
    games = dict.fromkeys(MODULES[file] for file in options.files)
    kinds = () if options.no_games else (hash_checks, lockstep_checks, determinize_checks)
    more = [check for game in games for make in kinds for check in make(game)]
    jury = Jury()
    jury.measure([*more, *tests], modules, options.workers)
    console.print(
        f"{len(jury.measured)} checks pass; left out, because they take more than "
        f"{options.most_seconds:g} s: {counted(jury.left_out)}",
        soft_wrap=True,
    )
    faults = [*jury.faults]
    faults += [
        f"{module.file}: a broken rule is not noticed"
        for module in modules
        if not jury.notices_a_broken_rule(module)
    ]
    for fault in faults:
        console.print(fault, soft_wrap=True)
    results = [check_mutants(jury, module, options, console) for module in modules if not faults]
    return 0 if all(results) and not faults else 1


def main(arguments: list[str]) -> int:
    """Exit status 0 if at least LEAST_KILLED are killed and every survivor is listed."""
    parser = argparse.ArgumentParser(prog="rules_mutation.py", description=__doc__)
    parser.add_argument("files", nargs="*", help=f"of {', '.join(MODULES)}; all without any")
    parser.add_argument("--mutants", type=int, default=NUM_MUTANTS, help="of each module")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument(
        "--only", default="", help="of the sample those with one of these (a,b) in their names"
    )
    parser.add_argument("--most-seconds", type=float, default=MOST_SECONDS, help="of a test")
    parser.add_argument("--tests", default="", help="only these tests, as in pytest -k")
    parser.add_argument("--no-games", action="store_true", help="tests only: quick, and weaker")
    options = parser.parse_args(arguments)
    options.files = options.files or list(MODULES)
    for file in set(options.files) - set(MODULES):
        parser.error(f"{file} is none of {', '.join(MODULES)}")
    if not config.DISABLE_JIT:
        parser.error("set NUMBA_DISABLE_JIT=1: compiled kernels cannot be exchanged")
    console = Console(highlight=False, markup=False)
    suite = Suite(functools.partial(work, options, console), options.most_seconds)
    games = list(dict.fromkeys(MODULES[file] for file in options.files))
    pytest.main(pytest_arguments(games, options.tests), plugins=[suite])
    return suite.status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
