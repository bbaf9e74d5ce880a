"""Everything again without compilation, where every warning (of an overflow, say) is an error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import toy_game
from efforts import capped, share
from numba.core import config

from tabletop_core import testing
from tabletop_core.game import Ruleset, games

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="this process is interpreted")

TESTS = Path(__file__).parent
TIMEOUT = 300  # seconds


def run_interpreted(*arguments: str) -> str:
    """Output of a Python process that compiles nothing."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert result.returncode == 0, f"{result.stdout}\n{result.stderr}"
    return result.stdout


def run_tests(file: str, *arguments: str) -> str:
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "error"]
    return run_interpreted(*command, *arguments, str(TESTS / file))


@pytest.mark.parametrize("file", ["test_bits.py", "test_rng.py"])
def test_arithmetic(file: str) -> None:
    assert " passed" in run_tests(file)


def test_broken_games_fail_the_conformance_suite() -> None:
    assert " passed" in run_tests("broken_games.py")


def test_games_have_the_same_bytes(ruleset: Ruleset) -> None:
    testing.check_interpreted(capped(ruleset), [1])


@pytest.mark.long
def test_many_games_have_the_same_bytes(ruleset: Ruleset) -> None:
    testing.check_interpreted(ruleset, range(2, 2 + share(ruleset, 10)))


def test_toy_games_have_the_same_bytes() -> None:
    for players in (2, 3, 4):
        testing.check_interpreted(toy_game.GAME.ruleset(players), range(20))


@pytest.mark.long
def test_command_prints_the_same_hashes(capsys: pytest.CaptureFixture[str]) -> None:
    """`python -m tabletop_core.testing GAME SEED ...` for every installed game."""
    for name in set(games()) - {toy_game.GAME.id}:
        assert testing.main([name, "3"]) == 0
        compiled = capsys.readouterr().out
        assert run_interpreted("-m", "tabletop_core.testing", name, "3") == compiled


def test_command_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert testing.main([]) == 2
    assert "usage: python -m tabletop_core.testing GAME SEED" in capsys.readouterr().err
