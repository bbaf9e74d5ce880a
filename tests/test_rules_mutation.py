"""The tool behind `make rules-mutation`, on a toy function."""

from __future__ import annotations

import math
from functools import partial
from types import FunctionType
from typing import Any

import pytest
from mutants import OPERATORS, SEEN, emptied, functions_of, marked, mutants_of
from rules_mutation import MODULES, SURVIVORS, TESTS, Check, read_survivors, run_all, run_checks

LIMIT = 3
SOURCE = '''
@cache
def toy(first: int, hand: Any) -> int:
    """An unchanged docstring."""
    total = max(first, 1)
    for card in range(LIMIT):
        if hand & ~card and total <= card:
            total += card % 2
    while not total > 0:
        total = 1
    return total
'''
SHIFTED = "total <= card -> total < card"
ENDLESS = "not total > 0 -> total > 0"


def toy_function() -> tuple[FunctionType, dict[str, Any]]:
    """The toy without its decorator, and the names that it knows."""
    namespace: dict[str, Any] = {"LIMIT": LIMIT, "Any": Any}
    exec(SOURCE.replace("@cache", ""), namespace)
    return namespace["toy"], namespace


def test_every_operator_makes_its_changes() -> None:
    changes = [(one.operator, one.change) for one in mutants_of(SOURCE, {"LIMIT": LIMIT})]
    assert sorted(changes) == sorted(
        [
            ("choice", "max(first, 1) -> min(first, 1)"),
            ("constant", "max(first, 1) -> max(first, 2)"),
            ("constant", "max(first, 1) -> max(first, 0)"),
            ("range", "range(LIMIT) -> range(LIMIT - 1)"),
            ("constant", "range(LIMIT) -> range(LIMIT + 1)"),
            ("condition", "hand & ~card and total <= card -> not (hand & ~card and total <= card)"),
            ("logic", "hand & ~card and total <= card -> hand & ~card or total <= card"),
            ("bits", "hand & ~card -> hand | ~card"),
            ("bits", "~card -> card"),
            ("comparison", "total <= card -> total > card"),
            ("boundary", SHIFTED),
            ("arithmetic", "total += card % 2 -> total -= card % 2"),
            ("statement", "total += card % 2 -> deleted"),
            ("arithmetic", "card % 2 -> card // 2"),
            ("constant", "card % 2 -> card % 3"),
            ("constant", "card % 2 -> card % 1"),
            ("condition", ENDLESS),
            ("comparison", "total > 0 -> total <= 0"),
            ("boundary", "total > 0 -> total >= 0"),
            ("constant", "total > 0 -> total > 1"),
            ("statement", "total = 1 -> deleted"),
            ("constant", "total = 1 -> total = 2"),
            ("constant", "total = 1 -> total = 0"),
        ]
    )
    assert {operator for operator, _ in changes} == set(OPERATORS)


def test_equal_changes_are_numbered() -> None:
    source = "def twice(a: int, b: int) -> bool:\n    return a < b or a < b\n"
    changes = [one.change for one in mutants_of(source, {}) if one.operator == "boundary"]
    assert changes == ["a < b -> a <= b", "a < b -> a <= b #2"]


def test_marks_tell_the_statements_that_were_run() -> None:
    toy, namespace = toy_function()
    seen: set[tuple[str, int]] = set()
    namespace[SEEN] = seen.add
    toy.__code__ = marked(functions_of(SOURCE)[0], "toy.py")
    assert toy(9, 7) == 9
    assert seen == {("toy.py", line) for line in (4, 5, 6, 7, 9, 11)}  # no sum, no `total = 1`


def results(change: str, *firsts: int) -> list[bool | None]:
    """Whether a check of each value passes with a mutant; one that does not end has no result."""
    toy, _ = toy_function()
    mutant = next(one for one in mutants_of(SOURCE, {"LIMIT": LIMIT}) if one.change == change)

    def check(first: int, expected: int) -> None:
        assert toy(first, 255) == expected

    checks = [Check(str(first), partial(check, first, toy(first, 255)), 1) for first in firsts]
    events = run_all(partial(setattr, toy, "__code__", mutant.code), checks)
    return [event and event.has_passed for event in events]


def test_what_nothing_notices_survives() -> None:
    assert results(SHIFTED, 5) == [True]
    assert results(SHIFTED, 5, 1) == [True, False]


def test_an_endless_mutant_has_no_result() -> None:
    assert results(ENDLESS, 5) == [None]


def test_a_function_that_does_nothing_is_noticed() -> None:
    toy, _ = toy_function()

    def check() -> None:
        assert toy(5, 1) == 5

    checks = [(Check("one", check), math.inf)]
    assert run_checks(lambda: None, checks)[0].has_passed
    empty = partial(setattr, toy, "__code__", emptied(functions_of(SOURCE)[0]))
    assert not run_checks(empty, checks)[0].has_passed
    check()  # only the other process has played it


@pytest.mark.parametrize("file", MODULES)
def test_functions_of_listed_survivors_are_still_there(file: str) -> None:
    """The tool itself tells whether the changes survive."""
    functions = {one.name: one for one in functions_of((TESTS.parent / file).read_text("utf-8"))}
    for name in read_survivors(SURVIVORS):
        module, function, change = name.split(" :: ")
        assert module in MODULES
        assert module != file or function in functions, name
        assert " -> " in change
