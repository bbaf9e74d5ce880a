"""`python -m stargate_env coverage [--programs]`: which cards the machine can play."""

import sys

from .components import load_cards
from .coverage import report

USAGE = "usage: python -m stargate_env coverage [--programs]"


def main(arguments: list[str]) -> int:
    """Exit status 0 if every card can be played, 1 if not, 2 for a wrong call."""
    if arguments[:1] != ["coverage"] or arguments[1:] not in ([], ["--programs"]):
        sys.stderr.write(USAGE + "\n")
        return 2
    pool = load_cards()
    is_complete = True
    for line in report(pool, show_programs=bool(arguments[1:])):
        is_complete = is_complete and ": needs " not in line
        sys.stdout.write(line + "\n")
    return 0 if is_complete else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
