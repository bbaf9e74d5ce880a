"""EnvPool: batches of games in C++, stepped from Python."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ..measure import WALL, Contender, Counts, Work, require_peer

SHARE_STEPS: Final = 200  # of the batch, to learn how many decisions are forced


def random_games(task: str, batch: int, threads: int) -> Contender:
    """The synchronous interface, with a NumPy pick from the mask."""

    def prepare() -> Work:
        games = _Games(task, batch, threads)
        games.play(SHARE_STEPS)

        def work(amount: int) -> Counts:
            return games.play(amount)

        return work

    return Contender(f"EnvPool {task}, batch {batch}, {_threads(threads)}", prepare, WALL)


def _threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count} threads"


class _Games:
    """One pool. A finished game begins anew with the next step, which is not counted."""

    def __init__(self, task: str, batch: int, threads: int) -> None:
        envpool = require_peer("envpool", "envpool")
        self.env = envpool.make(
            task, env_type="gymnasium", num_envs=batch, num_threads=threads, seed=0
        )
        self.batch = batch
        self.generator = np.random.default_rng(0)
        self.shape = (batch, int(self.env.action_space.n))
        _, info = self.env.reset()
        self.mask: Any = info["legal_action_mask"]
        self.was_over = np.zeros(batch, np.bool_)
        self.share = 1.0
        self.share = self._decision_share()

    def play(self, num_steps: int) -> Counts:
        """Random steps of the whole batch; forced decisions, which are rare, by their share."""
        steps = games = 0
        for _ in range(num_steps):
            scores = self.generator.random(self.shape, dtype=np.float32) * self.mask
            _, _, terminated, truncated, info = self.env.step(scores.argmax(1).astype(np.int32))
            self.mask = info["legal_action_mask"]
            steps += self.batch - int(np.count_nonzero(self.was_over))
            self.was_over = terminated | truncated
            games += int(np.count_nonzero(self.was_over))
        return Counts(round(steps * self.share), games)

    def _decision_share(self) -> float:
        """The share of the decisions that have at least two legal answers."""
        choices = decisions = 0
        for _ in range(max(1, SHARE_STEPS * SHARE_STEPS // self.batch)):
            self.play(1)
            legal = self.mask.sum(axis=1)[~self.was_over]
            choices += int(np.count_nonzero(legal > 1))
            decisions += len(legal)
        return choices / decisions
