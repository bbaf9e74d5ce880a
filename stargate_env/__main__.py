"""`python -m stargate_env coverage`: which cards can be played, and which scenarios show it."""

import argparse
import sys
from pathlib import Path

from tabletop_core.errors import TabletopError

from .components import load_cards
from .coverage import count_scenarios, cover, report

SCENARIOS = Path(__file__).parent.parent / "tests" / "scenarios"


def main(arguments: list[str]) -> int:
    """Exit status 0 if every clause is implemented and has a scenario, 1 if not, 2 for a fault."""
    parser = argparse.ArgumentParser(prog="python -m stargate_env")
    coverage = parser.add_subparsers(required=True).add_parser("coverage")
    coverage.add_argument("--programs", action="store_true", help="list the programs of the cards")
    coverage.add_argument("--scenarios", type=Path, default=SCENARIOS, help="folder of scenarios")
    options = parser.parse_args(arguments)
    pool = load_cards()
    try:
        cards = cover(pool, count_scenarios(options.scenarios))
    except TabletopError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    for line in report(pool, cards, show_programs=options.programs):
        sys.stdout.write(line + "\n")
    return 0 if all(item.is_exercised and not item.missing for item in cards) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
