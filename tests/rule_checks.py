"""What the rule tests of all games share: positions played in words, and lists of rules."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any, Self, TypeVar

import numpy as np
import pytest

from tabletop_core.errors import TabletopError
from tabletop_core.game import Array, Ruleset, allocate, used_fields
from tabletop_core.rng import seed_to_word
from tabletop_core.session import Session

Data = dict[str, Any]

# --- positions played in words --------------------------------------------------------------------


class Table:
    """A position that is played in words."""

    def __init__(self, session: Session) -> None:
        self.session = session

    @classmethod
    def load(cls, ruleset: Ruleset, data: Data) -> Self:
        session = Session(ruleset)
        session.from_json(data)
        return cls(session)

    def do(self, *texts: str) -> Self:
        """Play actions; forced ones are played without being named."""
        for text in texts:
            self.session.step(self.session.string_to_action(text))
        return self

    def refuses(self, *texts: str) -> bool:
        """Whether each of these actions is refused and changes nothing."""
        before = self.session.serialize()
        for text in texts:
            with pytest.raises(TabletopError, match="may not play"):
                self.do(text)
        return self.session.serialize() == before

    @property
    def legal(self) -> list[str]:
        return [self.session.action_to_string(action) for action in self.session.legal_actions()]

    def __getitem__(self, key: str) -> Any:
        return self.session.to_json()[key]

    @property
    def result(self) -> Data:
        return self.session.result()

    @property
    def scores(self) -> list[float]:
        return list(self.result["scores"])

    def clone(self) -> Self:
        return type(self)(self.session.clone())


AnyTable = TypeVar("AnyTable", bound=Table)


def random_word(number: int) -> str:
    """A position's random generator, another one for each number."""
    return hex(Random(number).getrandbits(64) | 1)


def exchanged(board: AnyTable, card: str, other: str) -> AnyTable:
    """The same position with two cards or tiles, by their ids, in each other's places."""
    text = json.dumps(board.session.to_json())
    text = text.replace(f'"{card}"', '"X"').replace(f'"{other}"', f'"{card}"')
    return type(board).load(board.session.ruleset, json.loads(text.replace('"X"', f'"{other}"')))


# --- a new game -----------------------------------------------------------------------------------

WRITTEN_BY_THE_ENGINE = {"ruleset", "legal"}


def check_new_game_clears_the_record(ruleset: Ruleset) -> None:
    """The same seed deals the same game, whatever the record held before."""
    clean, dirty = (_dealt(ruleset, filling) for filling in (b"\x00", b"\xff"))
    for name in set(used_fields(clean.dtype)) - WRITTEN_BY_THE_ENGINE:
        assert clean[name].tobytes() == dirty[name].tobytes(), name


def _dealt(ruleset: Ruleset, filling: bytes) -> Array:
    """The state of a new game on a record full of one byte."""
    states = allocate(ruleset.game.state_dtype, 1)
    states[...] = np.frombuffer(filling * states.itemsize, states.dtype)
    states[0].rng = seed_to_word(1)
    ruleset.game.kernels.new_game(ruleset.record[0], states[0])
    return states


# --- nothing is forgotten -------------------------------------------------------------------------

RULE_TESTS = ("rules", "rulings", "determinize")


def unnamed_rules(rules: Iterable[str], game: str) -> list[str]:
    """The rules of a list that the docstring of no test of the game's rules names."""
    text = "\n".join(_docstrings(game))
    return [rule for rule in rules if not re.search(re.escape(rule) + r"\b", text)]


def _docstrings(game: str) -> Iterator[str]:
    """Those of all tests of a game's rules, each in one line."""
    for name in RULE_TESTS:
        path = Path(__file__).with_name(f"test_{game}_{name}.py")
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield " ".join((ast.get_docstring(node) or "").split())


def rulebook(game: str) -> str:
    """The text of the game's RULES.md."""
    return (files(f"{game}_env") / "RULES.md").read_text("utf-8")


def unlisted_sections(rules: Iterable[str], game: str) -> set[str]:
    """Numbers of the headings in RULES.md that have no rule in the list."""
    sections = re.findall(r"^##+ (\d+(?:\.\d+)?)\.? ", rulebook(game), re.MULTILINE)
    assert sections
    known = tuple(rules)
    return {
        section
        for section in sections
        if not any(rule.startswith((f"§{section} ", f"§{section}.")) for rule in known)
    }
