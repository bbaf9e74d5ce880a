"""Measure layers: speeds in rounds that take turns, starts and memory by themselves."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from tabletop_core.game import Game

from . import costs
from .layers import MEMORY, START, Speed, Wanted, calibrator, speed_groups
from .measure import THREAD, Contender, Effort, Series, Unavailable, interleave

Report = Callable[[str], None]
"""Told what is being measured, once for each unit of progress."""

STEPS: Final = "steps/s"
SECONDS: Final = "s"
BYTES: Final = "B"


@dataclass(frozen=True)
class Figure:
    """What one row came to."""

    game: str
    layer: str
    players: int
    library: str
    variant: str
    batch: int | None
    threads: int
    unit: str
    """`STEPS`, of which more is better, `SECONDS` or `BYTES`, of which less is."""
    rounds: Sequence[float]
    """The figure of each round."""
    games_per_second: Sequence[float] = field(default_factory=list)
    """Round by round, for speeds."""
    relative: Sequence[float] = field(default_factory=list)
    """Speeds divided by that of the calibrator in the same round, if there is a C compiler."""
    clock: str = ""

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells a row from all others."""
        named = (self.game, self.layer, self.players, self.library, self.variant)
        return (*named, self.batch, self.threads)

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    def to_json(self) -> dict[str, Any]:
        """Everything in JSON types, with medians and spread."""
        spread = {"median": self.median, "min": min(self.rounds), "max": max(self.rounds)}
        return asdict(self) | spread


def figure_from_json(content: dict[str, Any]) -> Figure:
    """Inverse of `Figure.to_json`."""
    return Figure(**{name: content[name] for name in Figure.__dataclass_fields__})


@dataclass
class Measured:
    """All figures of a run, and what could not be measured."""

    figures: list[Figure] = field(default_factory=list)
    skipped: dict[str, list[str]] = field(default_factory=dict)
    """Why something was left out -> the names of what was."""

    def skip(self, name: str, reason: Unavailable) -> None:
        """Note that something was left out."""
        names = self.skipped.setdefault(str(reason), [])
        if name not in names:
            names.append(name)


def num_units(modules: dict[str, Any], wanted: Wanted, effort: Effort) -> int:
    """How often `measure` reports progress."""
    speeds = len(speed_groups(modules, wanted)) * (effort.rounds + 1)
    singles = len(_starts(wanted)) + len(_memory_rows(wanted))
    return speeds + singles * len(modules)


def measure(modules: dict[str, Any], wanted: Wanted, effort: Effort, report: Report) -> Measured:
    """All layers of the modules."""
    measured = Measured()
    for group in speed_groups(modules, wanted):
        _measure_group(group, effort, report, measured)
    for module in modules.values():
        _measure_starts(module.GAME, wanted, effort, report, measured)
        _measure_memory(module.GAME, wanted, report, measured)
    return measured


# --- speeds ----------------------------------------------------------------------------------


def _measure_group(
    group: Sequence[Speed], effort: Effort, report: Report, measured: Measured
) -> None:
    first = group[0]
    speeds = {speed.contender.name: speed for speed in group}
    calibrating = calibrator()

    def on_missing(contender: Contender, reason: Unavailable) -> None:
        measured.skip(contender.name, reason)

    contenders = [calibrating, *(speed.contender for speed in group)]
    label = f"{first.game}, {first.players} players, {first.layer}"
    series = interleave(contenders, effort, THREAD, lambda: report(label), on_missing)
    rates = {one.name: one for one in series}
    reference = rates.pop(calibrating.name, None)
    for name, one in rates.items():
        measured.figures.append(_figure(speeds[name], one, reference))


def _figure(speed: Speed, series: Series, reference: Series | None) -> Figure:
    rates = series.steps_per_second()
    base = reference.steps_per_second() if reference else []
    return Figure(
        speed.game,
        speed.layer,
        speed.players,
        speed.library,
        speed.variant,
        speed.batch,
        speed.threads,
        STEPS,
        rates,
        series.games_per_second(),
        [rate / other for rate, other in zip(rates, base)],
        series.clock,
    )


# --- starts and memory -----------------------------------------------------------------------


def _starts(wanted: Wanted) -> Sequence[costs.Start]:
    return costs.STARTS if wanted.has_layer(START) else ()


def _memory_rows(wanted: Wanted) -> Sequence[int]:
    return (1, *costs.RSS_GAMES) if wanted.has_layer(MEMORY) else ()


def _measure_starts(
    game: Game, wanted: Wanted, effort: Effort, report: Report, measured: Measured
) -> None:
    for start in _starts(wanted):
        report(f"{game.name}, {start.what}")
        seconds = start.measure(game, effort, lambda: None)
        measured.figures.append(_single(game, START, start.what, SECONDS, seconds))


def _measure_memory(game: Game, wanted: Wanted, report: Report, measured: Measured) -> None:
    if not wanted.has_layer(MEMORY):
        return
    report(f"{game.name}, memory")
    state = costs.state_bytes(game)
    measured.figures.append(_single(game, MEMORY, "state of one game", BYTES, state))
    for count in costs.RSS_GAMES:
        report(f"{game.name}, memory of {count:,} games")
        try:
            grown = costs.resident_bytes(game, count)
        except Unavailable as reason:
            measured.skip(f"{game.name}, memory of {count:,} games", reason)
            continue
        what = f"process with {count:,} game{'' if count == 1 else 's'}"
        measured.figures.append(_single(game, MEMORY, what, BYTES, grown, count))


def _single(
    game: Game, layer: str, variant: str, unit: str, values: list[float], batch: int | None = None
) -> Figure:
    players = game.min_players
    return Figure(game.name, layer, players, "tabletop", variant, batch, 1, unit, values)
