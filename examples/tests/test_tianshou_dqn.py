from __future__ import annotations

from pathlib import Path

import pytest
from conftest import check_curve
from tianshou_dqn import Arguments, main, make_env

from tabletop_core.errors import TabletopError


@pytest.mark.parametrize("players", [2, 3])
def test_trains_by_legal_actions_and_leaves_a_curve(
    players: int, tmp_path: Path, played: list[bool]
) -> None:
    arguments = Arguments(
        players=players,
        steps=1,
        every=1,
        games=6,
        environments=2,
        batch=32,
        reuse=1,
        out=tmp_path / "curve",
    )
    main(arguments)
    assert all(played)
    curve = check_curve(arguments.out, num_points=1)
    steps = curve["points"][0]["steps"]
    assert 100 < steps <= len(played)  # whole games, one in each environment
    with pytest.raises(TabletopError, match="exists already"):
        main(arguments)


def test_infos_of_a_whole_game_are_left_out() -> None:
    """Tianshou's buffer ends the run at the first tie otherwise."""
    env = make_env(Arguments())
    observation, info = env.reset(seed=1)
    is_over = False
    while not is_over:
        assert not info
        observation, _, terminated, truncated, info = env.step(observation["mask"].index(True))
        is_over = terminated or truncated
    assert env.env.infos["player_0"]
    assert not info
