"""Reads the scenarios of `tests/scenarios/*.txt`; `stargate_scene.py` plays them.

`tests/scenarios/README.md` is the guide to the format. A block is one scenario; its cases become
one `Case` each, with the lines that all cases share in front of their own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from stargate_env.components import load_cards
from stargate_env.coverage import SCENARIO_HEADER

FOLDER: Final = Path(__file__).parent / "scenarios"
PLAYERS: Final = ("hero", "villain")
ZONE_KEYS: Final = (
    "hand",
    "deck",
    "deck only",
    "missions",
    "missions only",
    "play",
    "discard",
    "score",
    "failed",
    "at mission",
    "complications",
)
SETUP_KEYS: Final = (
    *(f"{player} {zone}" for player in PLAYERS for zone in ZONE_KEYS),
    "power",
    "from",
    "succeeded",
)
_SETUP: Final = re.compile("(" + "|".join(sorted(SETUP_KEYS, key=len, reverse=True)) + "): (.+)")


class Line(NamedTuple):
    """One line of a scenario."""

    place: str
    """File and line number."""
    kind: str
    """"define", "action", "fact" or one of `SETUP_KEYS`."""
    text: str


@dataclass(frozen=True)
class Case:
    """One run of a scenario: the set-up, then actions and facts."""

    card_id: str
    clauses: tuple[int, ...]
    """Numbers of the clauses of the card that it exercises, from 1."""
    title: str
    lines: tuple[Line, ...]


class ScenarioFault(AssertionError):
    """A scenario is malformed, or what it demands is not so; names file and line."""

    def __init__(self, place: str, what: str) -> None:
        super().__init__(f"{place}: {what}")


@cache
def all_cases() -> tuple[Case, ...]:
    """Every case of every file.

    Raises:
        ScenarioFault: a line is malformed.
    """
    return tuple(case for path in sorted(FOLDER.glob("*.txt")) for case in read_cases(path))


def read_cases(path: Path) -> Iterator[Case]:
    """The cases of one file."""
    blocks: list[list[tuple[str, str]]] = []
    for number, raw in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = raw.partition("#")[0].rstrip()
        place = f"{path.name}:{number}"
        if text and not text.startswith(" "):
            blocks.append([(place, text)])
        elif text:
            if not blocks:
                raise ScenarioFault(place, "stands before the first scenario")
            blocks[-1].append((place, text.strip()))
    for (place, header), *body in blocks:
        yield from _cases_of(place, header, body)


def _cases_of(place: str, header: str, body: list[tuple[str, str]]) -> Iterator[Case]:
    card_id, clauses, title = _read_header(place, header)
    shared: list[Line] = []
    cases: list[tuple[str, list[Line]]] = []
    for line_place, text in body:
        if text.startswith("case: "):
            cases.append((text.removeprefix("case: "), []))
        else:
            lines = cases[-1][1] if cases else shared
            lines.append(_read_line(line_place, text))
    for name, lines in cases or [("", [])]:
        both = (*shared, *lines)
        if not any(line.kind == "fact" for line in both):
            raise ScenarioFault(place, "expects nothing (lines with '=' say what is expected)")
        yield Case(card_id, clauses, f"{title} ({name})" if name else title, both)


def _read_header(place: str, header: str) -> tuple[str, tuple[int, ...], str]:
    match = SCENARIO_HEADER.fullmatch(header)
    if match is None:
        raise ScenarioFault(place, f"{header!r} is not '<card> clause <numbers>: <what is shown>'")
    card = load_cards().by_id.get(match[1])
    if card is None:
        raise ScenarioFault(place, f"there is no card {match[1]}")
    if match[2] == "no text":
        clauses: tuple[int, ...] = ()
    else:
        clauses = tuple(int(word) for word in match[2].split()[1:])
    count = len(card.clauses)
    if bool(clauses) != bool(count) or not all(1 <= clause <= count for clause in clauses):
        raise ScenarioFault(place, f"{card} has {count} clauses")
    return match[1], clauses, match[4]


def _read_line(place: str, text: str) -> Line:
    if text.startswith("> "):
        return Line(place, "action", text[2:])
    if text.startswith("= "):
        return Line(place, "fact", text[2:])
    if text.startswith("define "):
        return Line(place, "define", text.removeprefix("define "))
    match = _SETUP.fullmatch(text)
    if match is None:
        keys = ", ".join(SETUP_KEYS)
        raise ScenarioFault(place, f"{text!r} starts with none of >, =, case, define, {keys}")
    return Line(place, match[1], match[2])
