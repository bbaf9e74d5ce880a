"""What the tests of observations of all games share."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable
from random import Random

import numpy as np
from positions import Position, observe

from tabletop_core import engine
from tabletop_core.game import Array, Ruleset

OVER = "over"


def check_offsets(module: object) -> None:
    """The offsets that kernels use are those of the layout; `module` is the game's observation."""
    layout = module.OBSERVATION  # type: ignore[attr-defined]
    for field in layout.fields:
        assert getattr(module, f"AT_{field.name.upper()}") == layout.first(field.name)


def check_ranges(positions: Iterable[Position]) -> None:
    """Every entry is in its range, and every field is not always zero."""
    used: Counter[str] = Counter()
    for ruleset, state in positions:
        layout = ruleset.game.observation
        for player in range(ruleset.num_players):
            observation = observe(ruleset, state, player)
            assert (observation <= layout.high()).all()
            parts = layout.split(observation)
            used.update(name for name, part in parts.items() if part.any())
    assert set(used) == {field.name for field in layout.fields}


def check_old_contents_are_overwritten(position: Position) -> None:
    """All of a vector that was full of something else is written."""
    ruleset, state = position
    observation = np.full(ruleset.game.observation.size, 255, np.uint8)
    engine.observe_one(ruleset.record, state, 0, observation)
    assert np.array_equal(observation, observe(ruleset, state, 0))


def check_view(ruleset: Ruleset, state: Array, player: int) -> None:
    """The observation tells what the view tells, and the view is JSON."""
    view = ruleset.game.view_to_json(ruleset, state, player)
    assert ruleset.game.decode(ruleset, observe(ruleset, state, player)) == view
    assert json.loads(json.dumps(view)) == view


def check_views(positions: Iterable[Position], rng: Random) -> None:
    """Views of one player each, of all at the end."""
    for ruleset, state in positions:
        check_view(ruleset, state, rng.randrange(ruleset.num_players))
        if ruleset.game.prompts[state[0].prompt] == OVER:
            for player in range(ruleset.num_players):
                check_view(ruleset, state, player)


def check_same_view(ruleset: Ruleset, state: Array, other: Array, player: int) -> None:
    """Two positions are one to a player."""
    assert np.array_equal(observe(ruleset, state, player), observe(ruleset, other, player))
    view = ruleset.game.view_to_json(ruleset, state, player)
    assert view == ruleset.game.view_to_json(ruleset, other, player)


def check_seats(
    positions: Iterable[Position],
    by_seat: Collection[str],
    by_seat_inside: Collection[str] = (),
    private: Collection[str] = (),
) -> None:
    """All players see the same table, each from its seat.

    by_seat: fields whose first axis goes by seat. by_seat_inside: those whose last one does.
    private: those that differ. All other fields are the same for all.
    """
    for ruleset, state in positions:
        count = ruleset.num_players
        split = ruleset.game.observation.split
        views = [split(observe(ruleset, state, player)) for player in range(count)]
        for player, view in enumerate(views):
            seats = [(player + seat) % count for seat in range(count)]
            for name, part in view.items():
                if name in by_seat:
                    assert np.array_equal(part[:count], views[0][name][seats])
                    assert not part[count:].any()
                elif name in by_seat_inside:
                    assert np.array_equal(part[..., :count], views[0][name][..., seats])
                    assert not part[..., count:].any()
                elif name not in private:
                    assert np.array_equal(part, views[0][name])
