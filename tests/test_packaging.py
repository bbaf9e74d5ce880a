"""What is shipped and what the checkers say: wheel, version, import contracts, lint, types."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_string
from email.message import Message
from importlib.metadata import distribution, entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
NAME = PROJECT["project"]["name"]
VERSION = PROJECT["project"]["version"]
GAMES = PROJECT["project"]["entry-points"]["tabletop_core.games"]
GAME_PACKAGES = sorted(path.parent.name for path in ROOT.glob("*_env/__init__.py"))
PACKAGES = ["tabletop_core", *GAME_PACKAGES]
OPTIONAL_MODULES = ["typer", "rich", "PIL", "openskill", "choix", "matplotlib", "pyarrow", "minari"]

# One worker builds the wheel once and runs all tests that look at it.
uses_wheel = pytest.mark.xdist_group("wheel")


def run(
    *command: str, cwd: Path = ROOT, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command and fail with its whole output if it fails."""
    result = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{' '.join(command)}\n{result.stdout}\n{result.stderr}"
    return result


def run_python(*arguments: str, cwd: Path = ROOT, env: dict[str, str] | None = None) -> str:
    return run(sys.executable, *arguments, cwd=cwd, env=env).stdout


def run_installed(code: str, folder: Path) -> str:
    """Run code in a process that imports from `folder` before anything else."""
    env = {**os.environ, "PYTHONPATH": str(folder)}
    return run_python("-c", code, cwd=folder, env=env)


def project_files(*patterns: str) -> list[Path]:
    """The files that are tracked by git, or would be by `git add --all`."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listing = run(
        "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns
    ).stdout
    paths = [ROOT / name for name in sorted(set(listing.split("\0"))) if name]
    return [path for path in paths if path.is_file()]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run_python("-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT))
    (path,) = folder.iterdir()
    return path


@pytest.fixture(scope="module")
def wheel_names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def wheel_metadata(wheel: Path) -> Message:
    prefix = f"{NAME.replace('-', '_')}-{VERSION}.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        return message_from_string(archive.read(f"{prefix}/METADATA").decode())


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nothing but the installed wheel."""
    folder = tmp_path_factory.mktemp("installed")
    pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(folder)]
    run_python(*pip, str(wheel))
    return folder


@uses_wheel
def test_wheel_is_pure(wheel: Path) -> None:
    assert wheel.name == f"{NAME.replace('-', '_')}-{VERSION}-py3-none-any.whl"


@uses_wheel
def test_wheel_holds_the_packages_and_nothing_else(wheel_names: set[str]) -> None:
    top_level = {name.split("/")[0] for name in wheel_names}
    assert top_level == {*PACKAGES, f"{NAME.replace('-', '_')}-{VERSION}.dist-info"}
    assert f"{NAME.replace('-', '_')}-{VERSION}.dist-info/licenses/LICENSE" in wheel_names
    unwanted = [name for name in wheel_names if re.search(r"__pycache__|\.(pyc|nbi|nbc)$", name)]
    assert not unwanted


@uses_wheel
def test_wheel_holds_every_file_of_the_packages(wheel_names: set[str]) -> None:
    source = {path.relative_to(ROOT).as_posix() for path in project_files(*PACKAGES)}
    shipped = {name for name in wheel_names if name.split("/")[0] in PACKAGES}
    assert shipped == source


@uses_wheel
@pytest.mark.parametrize("package", PACKAGES)
def test_wheel_is_typed(package: str, wheel_names: set[str]) -> None:
    assert {f"{package}/__init__.py", f"{package}/py.typed"} <= wheel_names


@uses_wheel
@pytest.mark.parametrize("package", GAME_PACKAGES)
def test_wheel_explains_each_game(package: str, wheel_names: set[str]) -> None:
    assert {f"{package}/README.md", f"{package}/RULES.md"} <= wheel_names
    assert any(re.fullmatch(rf"{package}/data/\w+\.(ruleset|csv)", name) for name in wheel_names)


@uses_wheel
def test_wheel_metadata(wheel_metadata: Message) -> None:
    assert wheel_metadata["Version"] == VERSION
    assert wheel_metadata["Requires-Python"] == ">=3.11"
    required = [
        re.split(r"[^\w-]", requirement)[0]
        for requirement in wheel_metadata.get_all("Requires-Dist", [])
        if "extra ==" not in requirement
    ]
    assert sorted(required) == ["gymnasium", "numba", "numpy", "pettingzoo"]
    extras = wheel_metadata.get_all("Provides-Extra", [])
    assert sorted(extras) == sorted(PROJECT["project"]["optional-dependencies"])
    assert "all" not in extras


@uses_wheel
def test_installed_wheel_loads_its_games(installed: Path) -> None:
    code = f"""
import importlib, importlib.metadata, pathlib
for package in {PACKAGES!r}:
    print(pathlib.Path(importlib.import_module(package).__file__).parent.parent)
own = importlib.metadata.distribution({NAME!r})
print(own.version)
for entry in sorted(own.entry_points.select(group="tabletop_core.games")):
    entry.load()
    print(entry.name)
"""
    expected = [*[str(installed)] * len(PACKAGES), VERSION, *sorted(GAMES)]
    assert run_installed(code, installed).split("\n")[:-1] == expected


@uses_wheel
def test_import_needs_no_extra(installed: Path) -> None:
    code = f"""
import sys
for name in {OPTIONAL_MODULES!r}:
    sys.modules[name] = None
import importlib.metadata, {", ".join(PACKAGES)}
for entry in importlib.metadata.entry_points(group="tabletop_core.games"):
    entry.load()
"""
    assert run_installed(code, installed) == ""


def test_version_is_the_same_everywhere() -> None:
    assert distribution(NAME).version == VERSION, "the installed version is old: run make again"
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\d\S*)", changelog, re.MULTILINE)
    assert newest is not None
    assert newest.group(1) == VERSION


def test_installed_games_are_those_of_the_project() -> None:
    installed = {
        entry.name: entry.value
        for entry in entry_points(group="tabletop_core.games")
        if entry.dist is not None and entry.dist.name == NAME
    }
    assert installed == GAMES


def test_every_package_is_listed_where_it_must_be() -> None:
    """A new game is in the wheel and in all import contracts."""
    assert {target.split(".")[0] for target in GAMES.values()} <= set(GAME_PACKAGES)
    assert PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == PACKAGES
    importlinter = PROJECT["tool"]["importlinter"]
    assert importlinter["root_packages"] == [*PACKAGES, "tests"]
    core, games, shipped, reference = importlinter["contracts"]
    assert core["forbidden_modules"] == GAME_PACKAGES
    assert games["modules"] == GAME_PACKAGES
    assert shipped["source_modules"] == PACKAGES
    assert set(PACKAGES) <= set(reference["forbidden_modules"])


def test_continuous_integration_runs_the_test_target_only() -> None:
    script = ROOT / ".ci" / "run"
    lines = [line for line in script.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert os.access(script, os.X_OK)
    assert lines[0] == "#!/usr/bin/env bash"
    assert lines[1] == "set -euo pipefail"
    assert [line for line in lines if re.search(r"\bmake\b", line)] == ["make test"]
    assert len(lines) == 4


def test_no_file_names_a_path_of_one_machine() -> None:
    """Nothing refers to a folder beside the project or to where it was written."""
    foreign = re.compile(r"\.\./shared|(?<![\w./~-])/(?:work|root|home|opt)/\w")
    found = []
    for path in project_files():
        text = path.read_text(encoding="utf-8", errors="replace")
        lines = text.splitlines()
        found += [
            f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
            for number, line in enumerate(lines, 1)
            if foreign.search(line)
        ]
    assert not found, "\n".join(found)


@pytest.mark.lint
def test_import_contracts_are_kept() -> None:
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    run_python("-c", code, "--no-cache")


@pytest.mark.lint
@pytest.mark.parametrize("command", [("format", "--check"), ("check",)], ids=lambda c: c[0])
def test_ruff_is_content(command: tuple[str, ...]) -> None:
    run_python("-m", "ruff", *command, ".")


@pytest.mark.lint
def test_mypy_is_content() -> None:
    run_python("-m", "mypy")
