"""`python -m benchmarks`: measure, print, keep, and fail if a floor is missed."""

from __future__ import annotations

import argparse
import fnmatch
import sys
from collections.abc import Sequence
from pathlib import Path

from .measure import Effort
from .rows import FAILED, Part, Result

QUICK = Effort(rounds=5, seconds=0.05)


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: 0 if no floor is missed (a skipped row misses none), 1 if one is, 2 on misuse."""
    options = _parser().parse_args(arguments)
    if options.rounds is not None and options.rounds < 1:
        return _complain("--rounds must be at least 1")
    if options.seconds is not None and not 0 < options.seconds <= 60:
        return _complain("--seconds must be above 0 and at most 60")
    try:
        import rich  # noqa: F401
    except ImportError:
        return _complain("the table needs rich: pip install 'tabletop-envs[cli]'")
    from .suite import MODULES, suite

    unknown = [name for name in options.game if name not in MODULES]
    if unknown:
        return _complain(f"no game {', '.join(unknown)}; games: {', '.join(MODULES)}")
    parts = suite(options.game or tuple(MODULES))
    names = [claim.row for part in parts for claim in part.claims()]
    if options.list:
        for part in parts:
            for claim in part.claims():
                print(f"{claim.row:34} {claim.title}")
        return 0
    chosen = _chosen(names, options.rows)
    if not chosen:
        return _complain(f"no row matches {' '.join(options.rows)}; rows: {', '.join(names)}")
    effort = _effort(options)
    results = _measure(parts, chosen, effort)
    _report(results, effort, options)
    return int(any(result.status == FAILED for result in results))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--rows", nargs="+", default=["*"], metavar="ROW", help="rows to measure, as in 'twin-*'"
    )
    parser.add_argument(
        "--game", nargs="+", default=[], metavar="GAME", help="games to measure (all)"
    )
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("--rounds", type=int, help=f"interleaved rounds ({Effort.rounds})")
    parser.add_argument(
        "--seconds", type=float, help=f"of each contender in a round ({Effort.seconds})"
    )
    parser.add_argument("--list", action="store_true", help="list the rows and stop")
    parser.add_argument("--no-save", action="store_true", help="write no file of results")
    parser.add_argument("--folder", type=Path, help="where the file of results goes")
    return parser


def _chosen(names: Sequence[str], patterns: Sequence[str]) -> list[str]:
    return [name for name in names if any(fnmatch.fnmatch(name, one) for one in patterns)]


def _effort(options: argparse.Namespace) -> Effort:
    base = QUICK if options.quick else Effort()
    return Effort(options.rounds or base.rounds, options.seconds or base.seconds)


def _measure(parts: Sequence[Part], chosen: Sequence[str], effort: Effort) -> list[Result]:
    """Run the parts that have a chosen row, with a progress bar on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    wanted = [part for part in parts if any(claim.row in chosen for claim in part.claims())]
    results: list[Result] = []
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    # A bar that refreshed itself would be a second thread beside what is measured.
    bars = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
    with bars as progress:
        bar = progress.add_task("", total=sum(part.num_advances(effort) for part in wanted))
        done = 0
        for part in wanted:
            rows = [claim.row for claim in part.claims() if claim.row in chosen]
            progress.update(bar, description=", ".join(rows), refresh=True)
            results += part.run(rows, effort, lambda: progress.update(bar, advance=1, refresh=True))
            done += part.num_advances(effort)
            progress.update(bar, completed=done, refresh=True)  # also after a skipped part
    return results


def _report(results: Sequence[Result], effort: Effort, options: argparse.Namespace) -> None:
    from . import report

    report.print_results(results, effort)
    if not options.no_save:
        path = report.save_results(results, effort, options.folder or report.RESULTS)
        print(f"Results: {path}")


def _complain(message: str) -> int:
    print(message, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
