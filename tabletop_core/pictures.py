"""Pictures of recorded games: one for each position, openly or as one player saw it."""

from __future__ import annotations

import os
from collections.abc import Iterator

from .canvas import Drawing
from .errors import TabletopError
from .files import new_file
from .gif import gif_bytes
from .record import AnyRecord, GameRecord, SeenDecision, ViewRecord, replay, view_record
from .replay_page import replay_page
from .scene import Scene, draw, scene_of

AnyPath = str | os.PathLike[str]


def record_pictures(record: AnyRecord, viewer: int | None = None) -> Iterator[Drawing]:
    """The picture of each position of a record, first where it begins, then after each decision.

    viewer: whose view is drawn; None: all that the record holds. Pictures of a view are made from
    that view alone, so they hold no card that is hidden from the viewer.

    Raises:
        TabletopError: the record cannot be played again, or there is no such player.
    """
    if isinstance(record, ViewRecord):
        if viewer not in (None, record.viewer):
            raise TabletopError(
                f"this record holds what player {record.viewer} saw, not what player {viewer} saw"
            )
        yield from _seen_pictures(record)
    elif viewer is None:
        yield from _open_pictures(record)
    else:
        yield from _seen_pictures(view_record(record, viewer))


def _open_pictures(record: GameRecord) -> Iterator[Drawing]:
    last = None
    coming = iter([*record.decisions, None])
    for session in replay(record):
        scene = scene_of(session, None, last)
        yield draw(scene)
        decision = next(coming)
        last = None if decision is None else (decision.player, decision.words)
    if record.illegal_action is not None:
        player, _, words = record.illegal_action
        yield _refused(scene, SeenDecision(player, words), record)


def _seen_pictures(record: ViewRecord) -> Iterator[Drawing]:
    ruleset = record.rules()
    final = len(record.positions) - 1
    for step, (decision, view) in enumerate(record.positions):
        is_last = step == final and record.illegal_action is None
        result = record.result if is_last else None
        scene = Scene(ruleset, {record.viewer: view}, _last(decision), result)
        yield draw(scene)
    if record.illegal_action is not None:
        yield _refused(scene, record.illegal_action, record)


def _last(decision: SeenDecision) -> tuple[int, str] | None:
    if decision.player is None or decision.words is None:
        return None
    return decision.player, decision.words


def _refused(scene: Scene, attempt: SeenDecision, record: AnyRecord) -> Drawing:
    """The last position again, after somebody tried what is not legal."""
    player, words = attempt
    assert player is not None
    last = (player, f"tries {words}, which is not legal")
    return draw(Scene(scene.ruleset, scene.views, last, record.result))


def save_gif(
    path: AnyPath,
    record: AnyRecord,
    viewer: int | None = None,
    *,
    seconds: float = 1.0,
    scale: float = 1.0,
    force: bool = False,
) -> None:
    """Write a recorded game as an animated GIF, see `gif_bytes` and `record_pictures`.

    Raises:
        TabletopError: as these do, or the file exists (without `force`) or cannot be written.
    """
    with new_file(path, force) as stream:
        stream.write(gif_bytes(record_pictures(record, viewer), seconds, scale))


def save_replay_page(
    path: AnyPath, record: AnyRecord, viewer: int | None = None, *, force: bool = False
) -> None:
    """Write a recorded game as one HTML file, see `replay_page` and `record_pictures`.

    Raises:
        TabletopError: as these do, or the file exists (without `force`) or cannot be written.
    """
    who = "" if viewer is None else f" as player {viewer} saw it"
    title = f"{record.rules().game.title}, {record.num_players} players{who}"
    with new_file(path, force) as stream:
        stream.write(replay_page(record_pictures(record, viewer), title).encode())
