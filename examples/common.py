"""What the training examples share: the evaluation of a policy, and the curve that a run leaves."""

from __future__ import annotations

import json
import math
import platform
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from tabletop_core.errors import TabletopError
from tabletop_core.files import new_file
from tabletop_core.game import find_game
from tabletop_core.ratings import wilson_interval
from tabletop_core.views import Views

Array = np.ndarray[Any, np.dtype[Any]]

Policy = Callable[[dict[str, Array]], Array]
"""Actions [n] for {"observation": uint8 [n, size], "action_mask": int8 [n, num_actions]}."""


def views(game: str) -> Views:
    """All views of the game of this name, `jumpgate` or `jumpgate_v0`."""
    return Views(find_game(game))


def highest_values(game: str) -> Array:
    """The largest value that each number of an observation can have, float32 [size].

    Networks learn better from observations that were divided by these.
    """
    return find_game(game).observation.high().astype(np.float32)


# --- evaluation ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Evaluation:
    """Share of games won (a shared win is a part of one) with its 95 % interval."""

    games: int
    won: float
    low: float
    high: float


def evaluate(
    policy: Policy,
    game: str,
    num_players: int,
    *,
    opponent: str = "random",
    games: int = 200,
    seed: int = 0,
) -> Evaluation:
    """How often `policy` wins against bots. It plays each seat equally often.

    The first game of each lane counts: counting the first games to end would favour short ones.

    Raises:
        TabletopError: the policy played an illegal action.
    """
    vec = views(game).make_vec(
        games, num_players=num_players, opponents=opponent, seat="rotate", autoreset="same_step"
    )
    observations, _ = vec.reset(seed=seed)
    shares = np.full(games, math.nan)
    while np.isnan(shares).any():
        observations, _, terminated, truncated, infos = vec.step(policy(observations))
        for lane in map(int, np.flatnonzero((terminated | truncated) & np.isnan(shares))):
            shares[lane] = _share_of_win(infos["final_info"], lane)
    low, high = wilson_interval(shares.sum(), games)
    return Evaluation(games, float(shares.mean()), float(low), float(high))


def _share_of_win(infos: dict[str, Any], lane: int) -> float:
    if "illegal_action" in infos and infos["_illegal_action"][lane]:
        raise TabletopError(f"the policy played an illegal action: {infos['illegal_action'][lane]}")
    winners = infos["winners"][lane]
    return 1 / len(winners) if infos["player"][lane] in winners else 0.0


# --- the curve of a run ----------------------------------------------------------------------


@dataclass
class Curve:
    """How a run went, as `<out>.json` and `<out>.png`; both are rewritten with each point.

    Args:
        title: what learns what.
        out: path of both files, without ending.
        arguments: the dataclass of arguments of the run.
        packages: the packages whose versions are noted.
        num_players: of the game; an untrained policy wins one game in so many.
        force: whether files of earlier runs may be replaced.

    Raises:
        TabletopError: there are files of that name already, and `force` was not given.
    """

    title: str
    out: Path
    arguments: Any
    packages: Sequence[str]
    num_players: int
    force: bool = False
    points: list[dict[str, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        assert is_dataclass(self.arguments)
        self.began = time.monotonic()
        for path in self.files:
            if path.exists() and not self.force:
                raise TabletopError(f"{path} exists already; name another --out or give --force")

    @property
    def files(self) -> tuple[Path, Path]:
        """The JSON file and the picture."""
        return Path(f"{self.out}.json"), Path(f"{self.out}.png")

    def add(self, steps: int, evaluation: Evaluation, **measured: float) -> None:
        """Note and print a point, and write both files.

        Args:
            steps: decisions learned from so far.
            evaluation: how the policy plays now.
            measured: further numbers, for example the loss.
        """
        seconds = round(time.monotonic() - self.began, 1)
        self.points.append({"steps": steps, "seconds": seconds, **asdict(evaluation), **measured})
        numbers = ", ".join(f"{name} {value:.3g}" for name, value in measured.items())
        print(
            f"{steps} steps, {seconds:.0f} s: won {evaluation.won:.1%} "
            f"({evaluation.low:.1%} to {evaluation.high:.1%}) of {evaluation.games}; {numbers}",
            flush=True,
        )
        self._write()

    def _write(self) -> None:
        data, picture = self.files
        is_own = self.force or len(self.points) > 1  # after the first point the files are ours
        with new_file(data, force=is_own) as stream:
            stream.write(json.dumps(self._as_json(), indent=1, default=str).encode() + b"\n")
        with new_file(picture, force=is_own) as stream:
            self._draw().savefig(stream, format="png", dpi=100)

    def _as_json(self) -> dict[str, Any]:
        script = f"examples/{Path(sys.argv[0]).name}"
        return {
            "title": self.title,
            "command": f"python {script} {shlex.join(sys.argv[1:])}".strip(),
            "arguments": asdict(self.arguments),
            "python": platform.python_version(),
            "versions": {name: version(name) for name in ("tabletop-envs", *self.packages)},
            "points": self.points,
        }

    def _draw(self) -> Figure:
        figure = Figure(figsize=(6, 4), layout="constrained")
        axes = figure.add_subplot(
            title=self.title, xlabel="decisions learned from", ylabel="games won"
        )
        steps, won, low, high = (
            [point[name] for point in self.points] for name in ("steps", "won", "low", "high")
        )
        axes.fill_between(steps, low, high, alpha=0.25, label="95 % interval")
        axes.plot(steps, won, marker="o", label="learned policy")
        axes.axhline(
            1 / self.num_players, linestyle="--", color="grey", label="as good as the bots"
        )
        axes.set_ylim(0, 1.02)
        axes.legend(loc="lower right")
        return figure
