from __future__ import annotations

from pathlib import Path

import pytest
from conftest import check_curve
from rllib_ppo import Arguments, main

from tabletop_core.errors import TabletopError


def test_trains_by_legal_actions_and_leaves_a_curve(tmp_path: Path, played: list[bool]) -> None:
    arguments = Arguments(
        players=3,
        steps=400,
        every=200,
        games=6,
        rollout=200,
        batch=50,
        out=tmp_path / "curve",
    )
    main(arguments)
    assert len(played) >= 400
    assert all(played)
    curve = check_curve(arguments.out, num_points=2)
    assert curve["points"][-1]["steps"] >= 400
    with pytest.raises(TabletopError, match="exists already"):
        main(arguments)
