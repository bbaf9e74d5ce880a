"""What the tests of the examples share; each example trains for some hundred decisions."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import pytest

from tabletop_core.aec import TabletopEnv

# Scripts find `common` in their own folder.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each decision in games of the single views: whether the action was legal."""
    legal: list[bool] = []
    step = TabletopEnv.step

    def watched(env: TabletopEnv, action: int | None) -> None:
        if action is not None:
            legal.append(env.session.is_legal(int(action)))
        step(env, action)

    monkeypatch.setattr(TabletopEnv, "step", watched)
    return legal


def check_curve(out: Path, num_points: int) -> dict[str, Any]:
    """Both files are there, with this many points of finite numbers; the content of the JSON."""
    assert Path(f"{out}.png").read_bytes().startswith(PNG)
    curve: dict[str, Any] = json.loads(Path(f"{out}.json").read_text(encoding="utf-8"))
    assert len(curve["points"]) == num_points
    for point in curve["points"]:
        assert 0 <= point["low"] <= point["won"] <= point["high"] <= 1
        assert all(math.isfinite(value) for value in point.values())
        assert point["loss"] != 0
    steps = [point["steps"] for point in curve["points"]]
    assert steps == sorted(set(steps))
    return curve
