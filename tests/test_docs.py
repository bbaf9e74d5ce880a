"""What the documentation says is so: examples run, tables are up to date, links lead somewhere."""

from __future__ import annotations

import doctest
import re
import runpy
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from tabletop_core import spec_page
from tabletop_core.commands import app
from tabletop_core.errors import TabletopError
from tabletop_core.game import Game, find_game

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
GAMES = PROJECT["project"]["entry-points"]["tabletop_core.games"]
README = ROOT / "README.md"
SPEC_PAGES = [ROOT / target.split(".")[0] / spec_page.FILE_NAME for target in GAMES.values()]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
RECORDS = ROOT / "docs" / "records.md"
RUN_PAGES = [
    README,
    RECORDS,
    ROOT / "docs" / "frameworks.md",
    *SPEC_PAGES,
    *(path for path in TUTORIALS if path.stem != "add_a_game"),
]
PAGES = [
    path
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("*/*.md"), *ROOT.glob("docs/*/*.md")])
    if not path.parent.name.startswith(".")
]
# Those that need a training framework have tests of their own (`make test-examples`).
EXAMPLES = [
    path
    for path in sorted((ROOT / "examples").glob("*.py"))
    if not (path.parent / "tests" / f"test_{path.name}").exists()
]
HEADINGS = [
    "Rules in brief",
    "Edition and sources",
    "Deviations",
    "Players",
    "Actions",
    "Observation",
    "Rewards",
    "End",
    "Options",
    "Version history",
]

FENCE = re.compile(r"^```(?P<language>\w*)$")
INLINE_CODE = re.compile(r"`((?:[^`\n]|\n(?!\n))+)`")
LINK = re.compile(r"\]\((?P<target>[^)#\s]*)(?:#(?P<anchor>[^)\s]+))?\)")
HOLDER = re.compile(r"`(test_\w+\.py)::(test_\w+)`")
PATH = re.compile(r"[\w.-]+(/[\w.-]+)+/?")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


every_page = pytest.mark.parametrize("path", PAGES, ids=name_of)
every_spec_page = pytest.mark.parametrize("path", SPEC_PAGES, ids=name_of)


@pytest.fixture(params=GAMES)
def project_game(request: pytest.FixtureRequest) -> Game:
    """Every game of this project."""
    return find_game(request.param)


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def code_lines(text: str, language: str) -> str:
    """`text` with every line blank that is not in a code block of `language`."""
    lines = []
    inside = ""
    for line in text.splitlines():
        fence = FENCE.match(line)
        if fence:
            inside = "" if inside else fence["language"] or "text"
        lines.append(line if inside == language and not fence else "")
    return "\n".join(lines) + "\n"


def prose(text: str) -> str:
    """`text` without its code blocks."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def rows(text: str, heading: str) -> Iterator[list[str]]:
    """The cells of the rows of the tables below a heading, up to the next one."""
    section = re.split(r"^#+ ", text.partition(f"# {heading}\n")[2], flags=re.MULTILINE)[0]
    for line in section.splitlines():
        if line.startswith("|") and not line.startswith(("|---", "| ---")):
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


# --- examples --------------------------------------------------------------------------------


@pytest.mark.parametrize("path", RUN_PAGES, ids=name_of)
def test_examples_of_pages_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = code_lines(read(path), "python")
    test = doctest.DocTestParser().get_doctest(code, {}, name_of(path), str(path), 0)
    report: list[str] = []
    results = doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert results.attempted > 0
    assert results.failed == 0, "".join(report)


@pytest.mark.parametrize("path", RUN_PAGES, ids=name_of)
def test_all_python_of_pages_is_run(path: Path) -> None:
    for block in re.findall(r"^```python\n(.*?)^```$", read(path), re.MULTILINE | re.DOTALL):
        assert block.startswith(">>> "), f"not run by the test above:\n{block}"


def test_code_quoted_from_a_file_stands_there() -> None:
    """The walk through a small game quotes it."""
    page = read(ROOT / "docs" / "tutorials" / "add_a_game.md")
    file = read(ROOT / "tests" / "toy_game.py")
    quotes = re.findall(r"^```py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(quotes) > 5
    for quote in quotes:
        assert quote in file


@pytest.mark.parametrize("path", EXAMPLES, ids=name_of)
def test_examples_run(
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    output, errors = capsys.readouterr()
    assert output
    assert errors == ""


# --- what the pages name ---------------------------------------------------------------------


@every_page
def test_links_lead_somewhere(path: Path) -> None:
    wrong = []
    for link in LINK.finditer(prose(read(path))):
        if ":" in link["target"]:
            continue
        target = (path.parent / link["target"]).resolve() if link["target"] else path
        is_there = target.exists() and target.is_relative_to(ROOT)
        if not is_there or (link["anchor"] and link["anchor"] not in anchors(read(target))):
            wrong.append(link[0])
    assert not wrong


def anchors(text: str) -> set[str]:
    """The anchors of all headings, made as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", prose(text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", [README, *SPEC_PAGES], ids=name_of)
def test_paths_exist(path: Path) -> None:
    named = {code for code in inline_code(read(path)) if PATH.fullmatch(code)}
    missing = {
        name for name in named if not (path.parent / name).exists() and not (ROOT / name).exists()
    }
    assert not missing


@every_page
def test_make_targets_exist(path: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", read(ROOT / "Makefile"), re.MULTILINE))
    code = code_of(read(path))
    named = {match[1] for line in code if (match := re.match(r"make ([a-z][a-z-]*)", line))}
    assert named <= targets


def test_promises_are_held_by_tests() -> None:
    """Every row of a table names at least one test, and every test named exists."""
    text = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
    rows = [row for row in text.splitlines() if row.startswith("| ") and " tests |" not in row]
    promises = [row for row in rows if not row.startswith(("| game |", "| `"))]
    assert all(HOLDER.search(row) for row in promises), promises
    for file, function in HOLDER.findall(text):
        tests = (ROOT / "tests" / file).read_text(encoding="utf-8")
        assert f"\ndef {function}(" in tests, f"{file}::{function}"


def test_the_two_commands_are_named_first() -> None:
    commands = [row[0] for row in rows(read(README), "The two commands")]
    assert commands == ["command", "`make rollouts`", "`make test`"]


@every_page
def test_commands_exist(path: Path) -> None:
    code = code_of(read(path))
    named = {
        match[1] for line in code if (match := re.match(r".*-m tabletop_core ([a-z-]+)", line))
    }
    assert named <= command_names()


def test_all_commands_are_listed() -> None:
    listed = [row[0].strip("`").split()[0] for row in rows(read(README), "Command line")]
    assert set(listed[1:]) == command_names()


def command_names() -> set[str]:
    return set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def inline_code(text: str) -> list[str]:
    """What stands between backticks, in one line each."""
    return [" ".join(code.split()) for code in INLINE_CODE.findall(prose(text))]


def code_of(text: str) -> list[str]:
    """Inline code and the lines of shell blocks."""
    return [*inline_code(text), *code_lines(text, "sh").splitlines()]


def test_all_extras_are_listed() -> None:
    listed = [row[0] for row in rows(read(README), "Install")]
    named = re.findall(r"`([\w-]+)`", " ".join(listed))
    assert sorted(named) == sorted(PROJECT["project"]["optional-dependencies"])


def test_all_games_are_listed(project_game: Game) -> None:
    game = project_game
    package, _, module = game.module.rpartition(".")
    expected = [
        game.title,
        f"`from {package} import {module}`",
        f"{game.min_players} to {game.max_players}",
        f"{game.actions.count}",
        f"{game.observation.size} bytes",
        f"[{package}]({package}/{spec_page.FILE_NAME})",
    ]
    assert expected in list(rows(read(README), PROJECT["project"]["name"]))


# --- spec pages ------------------------------------------------------------------------------


@every_spec_page
def test_spec_page_has_the_headings_of_all_games(path: Path) -> None:
    assert re.findall(r"^## (.*)$", prose(read(path)), re.MULTILINE) == HEADINGS


@every_spec_page
def test_spec_page_names_sections_that_exist(path: Path) -> None:
    sections = set(re.findall(r"^#+ ([\d.]*\d)", read(path.with_name("RULES.md")), re.MULTILINE))
    named = set(re.findall(r"§(\d+(?:\.\d+)?)", read(path)))
    assert named
    assert named <= sections


def test_tables_of_spec_page_are_up_to_date(project_game: Game) -> None:
    path = spec_page.page_path(project_game)
    assert spec_page.stale_tables(project_game, read(path)) == [], (
        f"run python -m tabletop_core.spec_page {project_game.name}"
    )


def test_spec_page_tells_all_ends_of_a_game(project_game: Game) -> None:
    told = {row[0].strip("`") for row in rows(read(spec_page.page_path(project_game)), "End")}
    assert {*project_game.end_reasons, "max_turns", "illegal_action"} <= told


def test_spec_page_has_the_version_of_the_game(project_game: Game) -> None:
    history = rows(read(spec_page.page_path(project_game)), "Version history")
    assert f"v{project_game.version}" in [row[0] for row in history]


# --- the generator of the tables -------------------------------------------------------------


@pytest.fixture
def page(project_game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of a spec page that the generator takes for the page of the game."""
    copy = tmp_path / spec_page.FILE_NAME
    copy.write_text(read(spec_page.page_path(project_game)), encoding="utf-8")
    monkeypatch.setattr(spec_page, "page_path", lambda game: copy)
    return copy


def spoil(page: Path) -> None:
    before, marker, table = read(page).partition("<!-- table: observation -->")
    page.write_text(before + marker + re.sub(r"\| \d", "| x", table, count=1), "utf-8")


def test_stale_tables_are_found_and_rewritten(
    project_game: Game, page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = read(page)
    spoil(page)
    spoiled = read(page)
    assert spoiled != right
    assert spec_page.main([project_game.id, "--check"]) == 1
    assert "stale tables: observation;" in capsys.readouterr().err
    assert read(page) == spoiled
    assert spec_page.main([project_game.id]) == 0
    assert read(page) == right
    assert spec_page.main([project_game.name, "--check"]) == 0
    assert [path.name for path in page.parent.iterdir()] == [page.name]


def test_a_page_survives_a_failed_rewriting(
    project_game: Game, page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(source: object, target: object) -> None:
        raise OSError("no space left on device")

    spoil(page)
    before = read(page)
    monkeypatch.setattr("os.replace", fail)
    assert spec_page.main([project_game.id]) == 2
    assert read(page) == before
    assert [path.name for path in page.parent.iterdir()] == [page.name]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<!-- table: options -->", "", "table: options --> .* is missing"),
        ("<!-- table: options -->", "<!-- table: actions -->", "actions --> .* more than once"),
        ("<!-- table: options -->", "<!-- table: cards -->", "no table is called 'cards'"),
        ("<!-- end of table -->", "", "has no partner"),
        ("## Options", "<!-- end of table -->", "has no partner"),
    ],
)
def test_broken_places_are_refused(project_game: Game, old: str, new: str, message: str) -> None:
    page = read(spec_page.page_path(project_game)).replace(old, new, 1)
    for function in (spec_page.stale_tables, spec_page.updated_page):
        with pytest.raises(TabletopError, match=message):
            function(project_game, page)


def test_unknown_games_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert spec_page.main(["nosuchgame"]) == 2
    assert "no game is called 'nosuchgame'" in capsys.readouterr().err


def test_cells_of_tables_are_escaped() -> None:
    table = spec_page.markdown_table(
        ["a", "b", "c"], [["red gem* | x", "`kind`", spec_page.mark_assumed("assumed: a|b")]]
    )
    assert table.splitlines() == [
        "| a | b | c |",
        "| --- | --- | --- |",
        r"| red gem\* \| x | `kind` | **assumed**: a\|b |",
    ]
