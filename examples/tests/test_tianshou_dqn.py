from __future__ import annotations

from pathlib import Path

import pytest
from conftest import check_curve
from tianshou_dqn import Arguments, main

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
