"""What the tests of the options of all games share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any

import pytest

from tabletop_core.errors import TabletopError
from tabletop_core.options import Choice, Flag, RulesetFile, texts_of


def check_every_value_is_met(valid: Iterable[Any]) -> None:
    """Among these options, which are valid, every option but the ruleset takes its values.

    That is all values of a switch and all words of a choice, and of numbers more than three.
    """
    met: dict[str, set[Any]] = {}
    for options in valid:
        for option in fields(options):
            met.setdefault(option.name, set()).add(getattr(options, option.name))
    for name, text in texts_of(options).items():
        if isinstance(text.values, Flag):
            assert met[name] == {False, True}, name
        elif isinstance(text.values, Choice):
            assert met[name] == set(text.values.words), name
        elif not isinstance(text.values, RulesetFile):
            assert len(met[name]) > 3, name


def check_descriptions(options_type: Any) -> None:
    """Every option says what it takes and means, and where it comes from."""
    for text in texts_of(options_type).values():
        assert text.meaning
        assert text.source
        assert text.rule.startswith("§")
        assert str(text.values)


def check_wrong_value(
    options_type: Any, use: Callable[..., Any], name: str, value: Any, message: str
) -> None:
    """One message with the option, the value, what would be right and the rule.

    use: takes options as keywords and must refuse this one.
    """
    with pytest.raises(TabletopError) as caught:
        use(**{name: value})
    told = str(caught.value)
    assert told.startswith(f"{name} = {value!r}: ")
    assert message in told
    assert told.endswith(f"(RULES.md {texts_of(options_type)[name].rule})")


def check_wrong_values_together(
    validate: Callable[[Any, int], Any], options: Any, names: list[str]
) -> None:
    """Wrong options are told at once, a line each, with the number of players, 9, at the end."""
    with pytest.raises(TabletopError) as caught:
        validate(options, 9)
    first, *rest = str(caught.value).splitlines()
    assert first == f"{len(names) + 1} options are wrong:"
    assert [line.split(" = ")[0].strip() for line in rest] == [*names, "num_players"]
