"""pgx on the processor: batches of games in one compiled scan, which uses all cores."""

from __future__ import annotations

import os
from typing import Any, Final

from ..measure import WALL, Contender, Counts, Work, require_peer

CALL_STEPS: Final = 16_384  # steps of one compiled call: calls cost nothing beside them
MIN_SCAN: Final = 16
MAX_SCAN: Final = 4_096


def random_games(name: str, batch: int) -> Contender:
    """Random games with automatic reset; choosing the actions is part of the scan."""

    def prepare() -> Work:
        scan = _Scan(name, batch)
        number = 0

        def work(amount: int) -> Counts:
            nonlocal number
            games = 0
            for _ in range(amount):
                number += 1
                games += scan.play(number)
            return scan.counts(amount, games)

        return work

    return Contender(f"pgx {name}, batch {batch}, all cores", prepare, WALL)


def recorded_games(name: str, batch: int) -> Contender:
    """The same without the cost of choosing: recorded actions from a recorded position."""

    def prepare() -> Work:
        scan = _Scan(name, batch)
        actions = scan.record()

        def work(amount: int) -> Counts:
            games = sum(scan.replay(actions) for _ in range(amount))
            return scan.counts(amount, games)

        return work

    return Contender(f"pgx {name}, batch {batch}, all cores, recorded actions", prepare, WALL)


class _Scan:
    """Compiled loops over `length` steps of a batch."""

    def __init__(self, name: str, batch: int) -> None:
        os.environ.setdefault("JAX_PLATFORMS", "cpu")
        self.jax = require_peer("jax", "jax")
        pgx = require_peer("pgx", "pgx")
        auto_reset = require_peer("pgx.experimental", "pgx").auto_reset
        env = pgx.make(name)
        self.batch = batch
        self.length = min(MAX_SCAN, max(MIN_SCAN, CALL_STEPS // batch))
        self._step = self.jax.vmap(auto_reset(env.step, env.init))
        self._key = self.jax.random.PRNGKey(0)
        self._roll = self.jax.jit(self._scan_random)
        self._repeat = self.jax.jit(self._scan_recorded)
        init = self.jax.jit(self.jax.vmap(env.init))
        self._state = init(self.jax.random.split(self._key, batch))
        self._mix()
        self.share = self._decision_share()

    def play(self, number: int) -> int:
        """One call with the random numbers of `number`; the number of games that ended."""
        state, (_, _, ended) = self._roll(self._state, self._keys(number))
        self._state = state
        return int(self.jax.block_until_ready(ended).sum())

    def record(self) -> Any:
        """The actions [length, batch] of one call, which `replay` plays from the same position."""
        _, (actions, _, _) = self._roll(self._state, self._keys(0))
        return self.jax.block_until_ready(actions)

    def replay(self, actions: Any) -> int:
        """Play recorded actions from the recorded position; the number of games that ended."""
        _, ended = self._repeat(self._state, actions, self._keys(0))
        return int(self.jax.block_until_ready(ended).sum())

    def counts(self, calls: int, games: int) -> Counts:
        """What calls came to; forced decisions, which are rare, by their share."""
        return Counts(round(calls * self.length * self.batch * self.share), games)

    def _mix(self) -> None:
        """Play until the games are at different stages."""
        for number in range(max(1, MIN_SCAN * MIN_SCAN // self.length)):
            self.play(number)

    def _decision_share(self) -> float:
        """The share of the decisions that have at least two legal answers."""
        _, (_, choices, _) = self._roll(self._state, self._keys(0))
        return float((choices > 1).mean())

    def _keys(self, number: int) -> Any:
        return self.jax.random.split(self.jax.random.fold_in(self._key, number), self.length)

    def _scan_random(self, state: Any, keys: Any) -> Any:
        jnp = self.jax.numpy

        def body(state: Any, key: Any) -> Any:
            choice, chance = self.jax.random.split(key)
            logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
            actions = self.jax.random.categorical(choice, logits, axis=-1)
            choices = state.legal_action_mask.sum(axis=-1)
            state, ended = self._advance(state, actions, chance)
            return state, (actions, choices, ended)

        return self.jax.lax.scan(body, state, keys)

    def _scan_recorded(self, state: Any, actions: Any, keys: Any) -> Any:
        def body(state: Any, given: Any) -> Any:
            actions, key = given
            return self._advance(state, actions, self.jax.random.split(key)[1])

        return self.jax.lax.scan(body, state, (actions, keys))

    def _advance(self, state: Any, actions: Any, key: Any) -> Any:
        state = self._step(state, actions, self.jax.random.split(key, self.batch))
        return state, (state.terminated | state.truncated).sum()
