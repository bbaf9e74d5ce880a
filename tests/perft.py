"""Every position that can be reached in so many decisions, by the environment and by the reference.

Each side enumerates on its own, by its own legal actions, as engines for chess are compared by
counting positions (perft). A position is a text with all its words in it, the generator included,
so chance is the same on both sides. Lock-step games follow one line each; this follows all of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from lockstep import Case, Contest

from tabletop_core.session import Session

Position = str
Successors = Callable[[Position], Iterator[Position]]


def check_same_positions(
    begin: Position, fast: Successors, slow: Successors, depth: int, most: int
) -> list[int]:
    """Compare all positions up to `depth` decisions after `begin`; how many each depth has.

    Stops after a depth with more than `most`. Ends of games have no successors.
    """
    found, expected = {begin}, {begin}
    counts: list[int] = []
    while found and len(counts) < depth and (not counts or counts[-1] <= most):
        found, expected = layer(found, fast), layer(expected, slow)
        assert found == expected, difference(found, expected)
        counts.append(len(found))
    return counts


def check_end_of_game(
    contest: Contest, case: Case, from_end: int, depth: int, most: int
) -> list[int]:
    """Compare the positions that the last `from_end` decisions of a random game can lead to."""
    begin = position_before_end(contest, case, from_end)
    fast, slow = fast_successors(contest, case), slow_successors(contest, case)
    return check_same_positions(begin, fast, slow, depth, most)


def position_before_end(contest: Contest, case: Case, from_end: int) -> Position:
    """The position in a random game when so many decisions are left, or its first one."""
    session, rng = Session(case.ruleset(contest.game)), Random(case.seed)
    session.reset(case.seed)
    line = []
    while not session.is_over:
        line.append(as_text(session.to_json()))
        session.step(rng.choice(session.legal_actions()))
    return line[-min(from_end, len(line))]


def layer(positions: set[Position], successors: Successors) -> set[Position]:
    return {after for position in positions for after in successors(position)}


def fast_successors(contest: Contest, case: Case) -> Successors:
    session = Session(case.ruleset(contest.game))

    def successors(position: Position) -> Iterator[Position]:
        session.from_json(json.loads(position))
        start = session.clone()
        for action in start.legal_actions():
            session.restore(start)
            session.step(action)
            yield as_text(session.to_json())

    return successors


def slow_successors(contest: Contest, case: Case) -> Successors:
    tables = contest.slow_tables(case)

    def successors(position: Position) -> Iterator[Position]:
        words = json.loads(position)
        for action in contest.slow.Game.from_json(tables, case.options, words).legal_action_ids():
            game = contest.slow.Game.from_json(tables, case.options, words)
            game.apply_id(action)
            yield as_text(game.to_json())

    return successors


def as_text(position: Any) -> Position:
    return json.dumps(position, sort_keys=True)


def difference(found: set[Position], expected: set[Position]) -> str:
    """One position of each side that the other one does not reach."""
    only = [
        next(iter(one - other), "none") for one, other in ((found, expected), (expected, found))
    ]
    return f"only the environment: {only[0]}\nonly the reference: {only[1]}"
