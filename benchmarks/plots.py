"""Pictures of a run: throughput by batch size, by threads and by layer, and starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from .layers import MAIN_BATCH, ROLLOUTS, SPEED_LAYERS, START, VECTOR
from .measure import Unavailable
from .speeds import STEPS, Figure

FORMATS: Final = ("svg", "png")
SIZE: Final = (9.0, 5.0)  # inches
RESOLUTION: Final = 120
SERIES: Final = "all outputs"
OURS: Final = "tabletop"


def draw(figures: Sequence[Figure], folder: Path, stem: str, kind: str) -> list[Path]:
    """Write the pictures for which there are figures, as `<stem>-<what>.<kind>`.

    Raises:
        Unavailable: Matplotlib is not installed.
    """
    pictures: dict[str, Callable[[Any, Sequence[Figure]], bool]] = {
        "batch": _by_batch,
        "threads": _by_threads,
        "layer": _by_layer,
        "start": _starts,
    }
    written = []
    folder.mkdir(parents=True, exist_ok=True)
    for name, fill in pictures.items():
        figure, axes = _canvas()
        if fill(axes, figures):
            path = folder / f"{stem}-{name}.{kind}"
            figure.savefig(path, format=kind, dpi=RESOLUTION, bbox_inches="tight")
            written.append(path)
    return written


def _canvas() -> tuple[Any, Any]:
    """A picture without a window system."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure as Picture
    except ImportError as error:
        raise Unavailable("pictures need Matplotlib: pip install 'tabletop-envs[bench]'") from error
    picture = Picture(figsize=SIZE)
    FigureCanvasAgg(picture)
    return picture, picture.add_subplot()


def _by_batch(axes: Any, figures: Sequence[Figure]) -> bool:
    """Steps per second of the batch kernel, the vector engine and the peers, by batch size."""
    lines: dict[str, list[Figure]] = {}
    for one in figures:
        is_whole = one.library != OURS or (one.variant == SERIES and one.threads == 1)
        if (
            one.batch is not None
            and one.unit == STEPS
            and is_whole
            and "recorded" not in one.variant
        ):
            label = f"{one.game}, {one.players} players, {one.library} {one.layer}"
            lines.setdefault(f"{label}, {one.threads} threads", []).append(one)
    swept = {label: line for label, line in lines.items() if len(line) > 1}
    for label, line in swept.items():
        _plot(axes, label, line, lambda one: one.batch)
    _label(axes, "games in a batch", "steps per second", is_log=True)
    return bool(swept)


def _by_threads(axes: Any, figures: Sequence[Figure]) -> bool:
    """Steps per second of rollouts and of the largest vector batch, by threads."""
    lines: dict[str, list[Figure]] = {}
    for one in figures:
        is_shared = one.layer == ROLLOUTS or (one.layer == VECTOR and one.variant == SERIES)
        if one.library == OURS and is_shared:
            batch = "" if one.batch is None else f", batch {one.batch}"
            label = f"{one.game}, {one.players} players, {one.layer}{batch}"
            lines.setdefault(label, []).append(one)
    shared = {label: line for label, line in lines.items() if len(line) > 1}
    for label, line in shared.items():
        _plot(axes, label, line, lambda one: one.threads)
    _label(axes, "threads", "steps per second", is_log=True)
    return bool(shared)


def _by_layer(axes: Any, figures: Sequence[Figure]) -> bool:
    """Steps per second of each layer of our games, on one thread."""
    lines: dict[str, list[Figure]] = {}
    for one in figures:
        is_main = one.batch in (None, MAIN_BATCH) and "recorded" not in one.variant
        if one.library == OURS and one.unit == STEPS and one.threads == 1 and is_main:
            lines.setdefault(f"{one.game}, {one.players} players", []).append(one)
    names = [layer for layer in SPEED_LAYERS if any(one.layer == layer for one in figures)]
    for label, line in lines.items():
        best = {name: max((_of(line, name)), default=None) for name in names}
        found = [(name, rate) for name, rate in best.items() if rate is not None]
        axes.plot([name for name, _ in found], [rate for _, rate in found], "o-", label=label)
    _label(axes, "layer", "steps per second (best variant)", is_log=False)
    return bool(lines)


def _starts(axes: Any, figures: Sequence[Figure]) -> bool:
    """Seconds of each way to start."""
    starts = [one for one in figures if one.layer == START]
    labels = [f"{one.game}: {one.variant}" for one in starts]
    axes.barh(labels, [one.median for one in starts])
    axes.set_xlabel("CPU seconds")
    axes.invert_yaxis()
    return bool(starts)


def _of(line: Iterable[Figure], layer: str) -> list[float]:
    return [one.median for one in line if one.layer == layer]


def _plot(axes: Any, label: str, line: list[Figure], place: Callable[[Figure], Any]) -> None:
    line = sorted(line, key=place)
    rates = [one.median for one in line]
    below = [rate - min(one.rounds) for rate, one in zip(rates, line, strict=True)]
    above = [max(one.rounds) - rate for rate, one in zip(rates, line, strict=True)]
    axes.errorbar([place(one) for one in line], rates, [below, above], marker="o", label=label)


def _label(axes: Any, across: str, up: str, is_log: bool) -> None:
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.set_yscale("log")
    if is_log:
        axes.set_xscale("log", base=2)
    axes.grid(True, alpha=0.3)
    if axes.get_legend_handles_labels()[1]:
        axes.legend(fontsize="x-small", loc="center left", bbox_to_anchor=(1.02, 0.5))
