from __future__ import annotations

from pathlib import Path

import pytest
from conftest import check_curve
from sb3_maskable_ppo import Arguments, main

from tabletop_core.errors import TabletopError


@pytest.mark.parametrize(
    ("players", "opponents", "bots"), [(2, "random", 1), (3, "rule,random", 2)]
)
def test_trains_by_legal_actions_and_leaves_a_curve(
    players: int, opponents: str, bots: int, tmp_path: Path, played: list[bool]
) -> None:
    arguments = Arguments(
        players=players,
        opponents=opponents,
        steps=512,
        every=256,
        games=8,
        environments=2,
        rollout=128,
        batch=64,
        out=tmp_path / "curve",
    )
    main(arguments)
    assert len(played) > 512 * (1 + bots) / 2
    assert all(played)
    curve = check_curve(arguments.out, num_points=2)
    assert curve["arguments"]["opponents"] == opponents
    with pytest.raises(TabletopError, match="exists already"):
        main(arguments)
