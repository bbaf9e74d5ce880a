"""What vector views keep of the games in their lanes when they are recorded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from . import engine
from .game import Array
from .record import GameRecord, play_log
from .session import GameLog

if TYPE_CHECKING:
    from .lanes import Lanes

NOT_PLAYED: Final = -1


@dataclass
class LaneGame:
    """One game in a lane: how it began, and the calls of `Lanes.play` in which it was played."""

    lane: int
    first: int
    """Number of the call that follows its beginning."""
    log: GameLog
    follows: bool = False
    """Its generator goes on where the lane's game before left it, and `log.rng` is not filled."""
    end: int = 0
    """Number of the call after the last one."""


class LaneLog:
    """The decisions of games side by side.

    One array of actions is kept for each call of `Lanes.play`, and sorted into games when their
    records are asked for: a call takes some microseconds more, whatever the number of lanes.

    Args:
        lanes: the lanes, whose games in progress are recorded from their present positions on.
        ends_on_illegal: whether an illegal action ends the game of its lane.
    """

    def __init__(self, lanes: Lanes, ends_on_illegal: bool) -> None:
        self._lanes = lanes
        self._ends_on_illegal = ends_on_illegal
        self._actions: list[Array] = []
        self._dropped = 0  # calls whose actions are not needed any more
        self._running: list[LaneGame | None] = [None] * lanes.num_envs
        self._finished: list[LaneGame] = []
        self._left_rng = [0] * lanes.num_envs  # by the last game of each lane, once it is taken
        self._order = np.zeros(lanes.num_envs, np.uint8)
        self._begins = np.zeros(lanes.num_envs, np.bool_)

    # --- keeping -----------------------------------------------------------------------------

    def note_positions(self) -> None:
        """All lanes have come to positions that no decision has led to."""
        lanes = self._lanes
        over = _over(lanes.states)
        for lane in range(lanes.num_envs):
            position = lanes.states[lane : lane + 1].tobytes()
            log = GameLog(0, position, *self._bots(lane))
            self._running[lane] = None if over[lane] else LaneGame(lane, self._count, log)

    def before_play(self, autoreset: int) -> None:
        """The lanes have got their orders."""
        lanes = self._lanes
        self._order[:] = lanes.order
        self._begins = lanes.order == engine.BEGIN
        if autoreset != engine.AUTORESET_DISABLED:
            self._begins |= (lanes.order == engine.PLAY) & _over(lanes.states)
        for lane in np.flatnonzero(self._begins).tolist():
            log = GameLog(int(lanes.states["rng"][lane]), None, *self._bots(lane))
            self._running[lane] = LaneGame(lane, self._count, log)

    def after_play(self, autoreset: int) -> None:
        """The orders have been carried out."""
        lanes = self._lanes
        illegal = lanes.illegal
        played = (self._order == engine.PLAY) & ~self._begins
        self._actions.append(
            np.where(played & ~illegal, lanes.actions, NOT_PLAYED).astype(np.int32)
        )
        ended = (played | self._begins) & ~illegal & (lanes.terminated | lanes.truncated)
        if self._ends_on_illegal:
            ended |= played & illegal
        for lane in np.flatnonzero(ended).tolist():
            self._finish(lane, int(lanes.actions[lane]) if illegal[lane] else None)
            if autoreset == engine.AUTORESET_SAME_STEP:
                log = GameLog(0, None, *self._bots(lane))
                self._running[lane] = LaneGame(lane, self._count, log, follows=True)

    def _finish(self, lane: int, illegal_action: int | None) -> None:
        game = self._running[lane]
        self._running[lane] = None
        if game is not None:
            game.end = self._count
            game.log.illegal_action = illegal_action
            self._finished.append(game)

    @property
    def _count(self) -> int:
        """Calls of `Lanes.play` so far."""
        return self._dropped + len(self._actions)

    def _bots(self, lane: int) -> tuple[int, int, int]:
        record = self._lanes.records[lane]
        return int(record.bots), int(record.rule_bots), int(record.rng)

    # --- undoing -----------------------------------------------------------------------------

    def snapshot(self) -> tuple[int, list[LaneGame | None], int]:
        """What `rewind` goes back to."""
        return len(self._actions), list(self._running), len(self._finished)

    def rewind(self, snapshot: tuple[int, list[LaneGame | None], int]) -> None:
        """Forget what has happened since a snapshot."""
        calls, self._running, finished = snapshot
        del self._actions[calls:]
        del self._finished[finished:]

    # --- records -----------------------------------------------------------------------------

    def take(self) -> list[GameRecord]:
        """The records of the games that have ended since the last call, in the order of their ends.

        A game that nobody outside the lanes has decided anything in is left out.
        """
        played = np.array(self._actions).reshape(len(self._actions), self._lanes.num_envs)
        records = []
        for game in self._finished:
            actions = played[game.first - self._dropped : game.end - self._dropped, game.lane]
            game.log.actions = actions[actions != NOT_PLAYED].tolist()
            if game.follows:
                game.log.rng = self._left_rng[game.lane]
            record, session = play_log(self._lanes.ruleset, game.log)
            self._left_rng[game.lane] = int(session.state[0].rng)
            if game.log.actions or game.log.illegal_action is not None:
                records.append(record)
        self._finished.clear()
        self._drop_actions()
        return records

    def _drop_actions(self) -> None:
        needed = min(
            (game.first for game in self._running if game is not None), default=self._count
        )
        del self._actions[: needed - self._dropped]
        self._dropped = needed


def _over(states: Array) -> Array:
    """Which games have ended, bool [lanes]."""
    over: Array = (states["end_reasons"] != 0) | (states["is_truncated"] != 0)
    return over
