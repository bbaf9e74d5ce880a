"""Many games at once, driven from Python: our self-play engine and EnvPool.

On both sides a finished game begins anew with the next step, which is not counted, and the lanes
that finish are counted in Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..measure import Contender, Counts, Work, require_peer

MIXING_STEPS = 3000  # several games in each lane, until the lanes are at different stages


def our_engine(module: Any, num_players: int, batch: int, observations: bool) -> Contender:
    """`make_vec` of one of our games on one thread, actions chosen by its kernel."""

    def prepare() -> Work:
        engine = module.make_vec(batch, num_players=num_players, observations=observations)
        engine.reset(seed=0)
        engine.rollout(MIXING_STEPS)
        was_over = np.zeros(batch, np.bool_)

        def work(amount: int) -> Counts:
            steps = games = 0
            for _ in range(amount):
                _, _, terminated, truncated, _ = engine.step(engine.sample_actions())
                steps += batch - int(was_over.sum())
                np.logical_or(terminated, truncated, out=was_over)
                games += int(was_over.sum())
            return Counts(steps, games)

        return work

    outputs = "all outputs" if observations else "no observations"
    return Contender(f"{module.GAME.id} engine, {num_players} players, {outputs}", prepare)


def envpool_games(task: str, batch: int, threads: int) -> Contender:
    """EnvPool with its synchronous interface and a NumPy pick from the mask."""

    def prepare() -> Work:
        envpool = require_peer("envpool", "envpool")
        env = envpool.make(task, env_type="gymnasium", num_envs=batch, num_threads=threads, seed=0)
        num_actions = int(env.action_space.n)
        generator = np.random.default_rng(0)
        _, info = env.reset()
        mask = info["legal_action_mask"]
        was_over = np.zeros(batch, np.bool_)

        def work(amount: int) -> Counts:
            nonlocal mask, was_over
            steps = games = 0
            for _ in range(amount):
                scores = generator.random((batch, num_actions), dtype=np.float32) * mask
                actions = scores.argmax(1).astype(np.int32)
                _, _, terminated, truncated, info = env.step(actions)
                mask = info["legal_action_mask"]
                steps += batch - int(was_over.sum())
                was_over = terminated | truncated
                games += int(was_over.sum())
            return Counts(steps, games)

        return work

    plural = "" if threads == 1 else "s"
    return Contender(f"EnvPool {task}, {threads} thread{plural}", prepare)
