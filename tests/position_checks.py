"""What the tests of positions and actions in words of all games share."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import pytest

from tabletop_core.errors import TabletopError
from tabletop_core.game import Array, Ruleset
from tabletop_core.session import Session

Data = dict[str, Any]
Change = Callable[[Data], None]
Position = tuple[Ruleset, Array]


def put(*path: Any, value: Any) -> Change:
    """Set the entry at a path of keys."""

    def change(data: Data) -> None:
        inner: Any = data
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value

    return change


def both(*changes: Change) -> Change:
    """One change after the other."""

    def change(data: Data) -> None:
        for one in changes:
            one(data)

    return change


def refusal(ruleset: Ruleset, data: Any) -> str:
    """Why a position is refused."""
    with pytest.raises(TabletopError) as error:
        ruleset.game.state_from_json(ruleset, data)
    return str(error.value)


def check_refusal(ruleset: Ruleset, data: Data, change: Change, reason: str) -> None:
    """The position is refused for this reason once it is changed."""
    change(data)
    assert reason in refusal(ruleset, data)


def check_what_is_required(ruleset: Ruleset, data: Data, name: str) -> None:
    """This entry may not be left out."""
    del data[name]
    assert f"{name}: is missing" in refusal(ruleset, data)


def check_what_is_no_position(ruleset: Ruleset) -> None:
    """Other values than dicts are refused."""
    for wrong in (None, [], "position", 5):
        assert "a position must be a dict" in refusal(ruleset, wrong)


def check_reasons_together(ruleset: Ruleset, data: Data, names: list[str]) -> None:
    """The position is refused for what is wrong with these entries, a line each."""
    message = refusal(ruleset, data)
    assert f"refused for {len(names)} reasons:" in message
    for name in names:
        assert f"\n  {name}: " in message


def check_documented_texts(ruleset: Ruleset, state: Array, texts: dict[int, str]) -> None:
    """Actions are written like this, and read with more spaces too."""
    game = ruleset.game
    for action, text in texts.items():
        assert game.action_to_string(ruleset, state, action) == text
        spaced = f" {text.replace(' ', '  ')} "
        assert game.string_to_action(ruleset, state, spaced) == action


def check_what_is_no_action(ruleset: Ruleset, state: Array, last: int) -> None:
    """Other values than texts are refused, and other numbers than 0 to `last`."""
    for wrong in (None, 5, b"pass"):
        with pytest.raises(TabletopError, match="an action is written as text"):
            ruleset.game.string_to_action(ruleset, state, wrong)  # type: ignore[arg-type]
    for action in (-1, last + 1):
        with pytest.raises(TabletopError, match=f"actions are 0 to {last}$"):
            ruleset.game.action_to_string(ruleset, state, action)


def check_texts_are_inverse(positions: Iterable[Position]) -> None:
    """Every action has a text of its own, legal or not, and is found by it."""
    for ruleset, state in positions:
        game = ruleset.game
        texts = [game.action_to_string(ruleset, state, k) for k in range(game.actions.count)]
        assert len(set(texts)) == len(texts)
        for action, text in enumerate(texts):
            assert game.string_to_action(ruleset, state, text) == action


def check_round_trips(positions: Iterable[Position]) -> None:
    """Through text and back, byte for byte but for what comes with the legal set."""
    for ruleset, state in positions:
        data = json.loads(json.dumps(ruleset.game.state_to_json(ruleset, state)))
        copied = ruleset.game.state_from_json(ruleset, data)
        copied[0].legal[:] = state[0].legal
        copied[0].must_ask = state[0].must_ask
        assert copied.tobytes() == state.tobytes()


JUNK = (None, True, -1, 3, 2.5, float("inf"), 10**400, "", "nobody", [], ["x"], {}, [[]] * 3)


def damage(data: Data, other: Data, rng: Random, junk: tuple[Any, ...]) -> None:
    """Change one or two entries, or entries of entries, to junk or to what another position has."""
    for _ in range(rng.choice((1, 1, 2))):
        name = rng.choice(sorted(data))
        inner = data[name]
        if isinstance(inner, list) and inner and rng.random() < 0.5:
            inner[rng.randrange(len(inner))] = copy.deepcopy(rng.choice((*junk, *inner)))
        elif isinstance(inner, dict) and inner and rng.random() < 0.5:
            key = rng.choice(sorted(inner))
            inner[key] = copy.deepcopy(rng.choice((*junk, *inner.values())))
        elif rng.random() < 0.5:
            data[name] = copy.deepcopy(other.get(name))
        else:
            data[name] = copy.deepcopy(rng.choice(junk))


def check_damaged_positions(
    positions: Iterable[Position], rng: Random, more_junk: tuple[Any, ...] = ()
) -> dict[str, int]:
    """Damaged positions are refused, or can be played on; returns how many of each there were."""
    sessions: dict[int, Session] = {}
    other: Data = {}
    outcomes = {"refused": 0, "played": 0}
    for ruleset, state in positions:
        data = ruleset.game.state_to_json(ruleset, state)
        original = copy.deepcopy(data)
        damage(data, other, rng, (*JUNK, *more_junk))
        other = original
        session = sessions.setdefault(ruleset.digest, Session(ruleset))
        try:
            session.from_json(data)
        except TabletopError:
            outcomes["refused"] += 1
            continue
        outcomes["played"] += 1
        for _ in range(60):
            if session.is_over:
                break
            session.step(rng.choice(session.legal_actions()))
        # What play leaves behind must be readable again, or something was wrong from the start.
        session.from_json(session.to_json())
    return outcomes
