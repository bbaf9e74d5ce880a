"""The tables of a game's spec page, generated from its description.

    python -m tabletop_core.spec_page jumpgate            rewrite the tables
    python -m tabletop_core.spec_page --check jumpgate    only say whether they are up to date

A spec page is the `README.md` in the package of a game. The text is written by hand; between the
two lines `<!-- table: NAME -->` and `<!-- end of table -->` stands what is generated. Each table of
`TABLES` has its place in a page, once. Needs the packages of the extra `cli`.
"""

from __future__ import annotations

import argparse
import os
import re
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from .commands.describe import as_json
from .errors import TabletopError
from .game import Game, Json, find_game

FILE_NAME: Final = "README.md"
BEGIN: Final = "<!-- table: {} -->"
END: Final = "<!-- end of table -->"
PLACE: Final = re.compile(
    r"^<!-- table: (?P<name>[^\n]*) -->\n(?:(?!<!--)[^\n]*\n)*<!-- end of table -->$", re.MULTILINE
)
MARKER: Final = re.compile(r"^\s*<!--\s*(?:end of )?table\b", re.MULTILINE)
SPECIAL: Final = re.compile(r"([|*<>\\])")  # in a cell of a Markdown table

STALE: Final = 1
WRONG_USE: Final = 2


# --- pages -----------------------------------------------------------------------------------


def page_path(game: Game) -> Path:
    """Where the spec page of a game is.

    Raises:
        TabletopError: the game's module is in no package, or the package has no page.
    """
    package = game.module.partition(".")[0]
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise TabletopError(f"{game.id}: {package} is not a package, so it has no {FILE_NAME}")
    path = Path(spec.submodule_search_locations[0]) / FILE_NAME
    if not path.is_file():
        raise TabletopError(f"{game.id}: there is no {path}")
    return path


def updated_page(game: Game, page: str) -> str:
    """`page` with the tables of `game` in their places.

    Raises:
        TabletopError: a place is missing, there twice or not closed, or no table is called so.
    """
    _check_places(game, page)
    return PLACE.sub(lambda place: _placed(game, place["name"]), page)


def stale_tables(game: Game, page: str) -> list[str]:
    """Names of the tables in `page` that are not as `game` is now.

    Raises:
        TabletopError: as for `updated_page`.
    """
    _check_places(game, page)
    return [
        place["name"] for place in PLACE.finditer(page) if place[0] != _placed(game, place["name"])
    ]


def _placed(game: Game, name: str) -> str:
    return f"{BEGIN.format(name)}\n\n{TABLES[name](game)}\n\n{END}"


def _check_places(game: Game, page: str) -> None:
    names = [place["name"] for place in PLACE.finditer(page)]
    problems = [f"no table is called {name!r}" for name in names if name not in TABLES]
    for name in TABLES:
        if names.count(name) != 1:
            found = "missing" if name not in names else "there more than once"
            problems.append(f"the place {BEGIN.format(name)} ... {END} is {found}")
    if len(MARKER.findall(page)) != 2 * len(names):
        problems.append(f"a line {BEGIN.format('NAME')} or {END} has no partner")
    if problems:
        raise TabletopError(f"the spec page of {game.id}: {'; '.join(problems)}")


# --- tables ----------------------------------------------------------------------------------


def players_table(game: Game) -> str:
    """One row for each number of players, with the whole numbers in RULES that depend on it."""
    counts = range(game.min_players, game.max_players + 1)
    records = [game.ruleset(count).record[0] for count in counts]
    names = [
        name
        for name in game.rules_dtype.names or ()
        if game.rules_dtype[name].kind == "i"
        and not game.rules_dtype[name].shape
        and len({int(record[name]) for record in records}) > 1
    ]
    names.sort(key=lambda name: name != "num_players")
    rows = [[f"{int(record[name])}" for name in names] for record in records]
    return markdown_table([name.removeprefix("num_").replace("_", " ") for name in names], rows)


def actions_table(game: Game) -> str:
    """One row for each block of actions."""
    rows = (
        [_span(row["first"], row["last"]), f"`{row['name']}`", f"{row['count']}", row["meaning"]]
        for row in _description(game)["actions"]
    )
    return markdown_table(["ids", "block", "actions", "meaning"], rows)


def observation_table(game: Game) -> str:
    """One row for each field of the observation; a table for each size of observation."""
    if game.other_table is None:
        return _observation_fields(game, game.min_players)
    parts = []
    for players in game.player_ranges:
        size = game.for_players(players[0]).observation.size
        heading = f"With {_span(players[0], players[-1])} players, {size} entries:"
        parts.append(f"{heading}\n\n{_observation_fields(game, players[0])}")
    return "\n\n".join(parts)


def _observation_fields(game: Game, num_players: int) -> str:
    rows = (
        [
            _span(row["first"], row["end"] - 1),
            f"`{row['name']}`",
            " × ".join(f"{length}" for length in row["shape"]),
            f"0 to {row['high']}",
            row["meaning"],
        ]
        for row in _description(game, num_players)["observation"]
    )
    return markdown_table(["entries", "field", "shape", "range", "meaning"], rows)


def options_table(game: Game) -> str:
    """One row for each rule option."""
    rows = (
        [
            f"`{row['name']}`",
            f"`{row['default']!r}`".replace("'", '"'),
            row.get("values", ""),
            row["meaning"],
            mark_assumed(row.get("source", "")),
            row.get("rule", ""),
        ]
        for row in _description(game)["options"]
    )
    return markdown_table(["option", "default", "values", "meaning", "source", "rule"], rows)


def sources_table(game: Game) -> str:
    """One row for each table of the ruleset, with where it comes from."""
    sources = _description(game)["sources"]
    rows = ([f"`{name}`", mark_assumed(source)] for name, source in sources.items())
    return markdown_table(["table", "source"], rows)


TABLES: Final[dict[str, Callable[[Game], str]]] = {
    "players": players_table,
    "actions": actions_table,
    "observation": observation_table,
    "options": options_table,
    "sources": sources_table,
}


class Emphasis(str):
    """Text that is Markdown already."""


def mark_assumed(text: str) -> str:
    """`text` as Markdown, with what is assumed in bold."""
    return Emphasis(re.sub(r"\bassumed\b", "**assumed**", _escaped(text)))


def markdown_table(head: Sequence[str], rows: Iterator[list[str]] | list[list[str]]) -> str:
    """A Markdown table, without a line break at its end."""
    lines = [_line(head), _line(["---"] * len(head))]
    lines += [_line([_cell(text) for text in row]) for row in rows]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text if isinstance(text, Emphasis) or text.startswith("`") else _escaped(text)


def _escaped(text: str) -> str:
    return SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _span(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first} to {last}"


def _description(game: Game, num_players: int | None = None) -> Json:
    return as_json(game.ruleset(num_players))


# --- command ---------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Rewrite or check spec pages; 0 done, 1 a page is stale (`--check`), 2 wrong use."""
    parser = argparse.ArgumentParser(
        prog="python -m tabletop_core.spec_page",
        description="Rewrite the generated tables of the spec pages of games.",
    )
    parser.add_argument("games", nargs="+", metavar="GAME", help="name, for example jumpgate")
    parser.add_argument("--check", action="store_true", help="change nothing, fail when stale")
    given: Any = parser.parse_args(arguments)
    try:
        done = [_treat(find_game(name), given.check) for name in given.games]
    except (TabletopError, OSError) as error:
        sys.stderr.write(f"error: {error}\n")
        return WRONG_USE
    return 0 if all(done) else STALE


def _treat(game: Game, is_check: bool) -> bool:
    """Rewrite or check one page; whether it is up to date now."""
    path = page_path(game)
    page = path.read_text(encoding="utf-8")
    stale = stale_tables(game, page)
    if not stale:
        sys.stdout.write(f"{path} is up to date\n")
    elif is_check:
        sys.stderr.write(
            f"{path}: stale tables: {', '.join(stale)}; "
            f"rewrite them: python -m tabletop_core.spec_page {game.name}\n"
        )
    else:
        _replace(path, updated_page(game, page))
        sys.stdout.write(f"{path}: rewritten: {', '.join(stale)}\n")
    return not (stale and is_check)


def _replace(path: Path, text: str) -> None:
    """Give a file another content: it holds the old or the new one at any moment."""
    target = path.resolve()
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        part.write_text(text, encoding="utf-8", newline="\n")
        shutil.copymode(target, part)
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())
