"""Bots: programs that choose actions, for the seats that nobody else plays."""

from __future__ import annotations

import random
from typing import Any, Protocol

import numpy as np

from .errors import TabletopError, shown
from .game import Array
from .jit import kernel

Observation = dict[str, Array]
"""{"observation": uint8 [observation_size], "action_mask": int8 [num_actions]}"""

MASK_DTYPE = np.dtype(np.int8)
NOTHING_LEGAL = -1

_own_random = random.Random().random


class RandomSource(Protocol):
    """`random.Random` or `numpy.random.Generator`."""

    def random(self) -> float:
        """A number in [0, 1)."""


class Bot(Protocol):
    """A program that chooses actions: any callable with these three arguments.

    Args:
        observation: what the player sees; "action_mask" is 1 for each legal action.
        player: the seat it plays, 0 .. num_players - 1.
        rng: the generator to draw from, so that games are the same for the same seed.

    Returns:
        A legal action.
    """

    def __call__(self, observation: Observation, player: int, rng: np.random.Generator) -> int:
        """The action to play."""


class RandomBot:
    """Plays a uniformly random legal action."""

    def __call__(self, observation: Observation, player: int, rng: np.random.Generator) -> int:
        """A legal action."""
        return sample_legal(observation["action_mask"], rng)


BOTS: dict[str, type[Bot]] = {"random": RandomBot}


def make_bot(bot: str | Bot) -> Bot:
    """The bot of this name; a callable is a bot already.

    Raises:
        TabletopError: no bot of this name is available, or neither a name nor a callable.
    """
    if isinstance(bot, str):
        if bot not in BOTS:
            raise TabletopError(
                f"the bot {shown(bot)} is not available; there is {', '.join(map(repr, BOTS))}, "
                "or give a callable bot(observation, player, rng) -> action"
            )
        return BOTS[bot]()
    if isinstance(bot, type) or not callable(bot):
        raise TabletopError(
            "a bot is a name or a callable bot(observation, player, rng) -> action, "
            f"not {shown(bot)}"
        )
    return bot


def sample_legal(mask: Array, rng: RandomSource | None = None) -> int:
    """A uniformly random legal action, far quicker than `action_space.sample(mask)`.

    Args:
        mask: [num_actions], 1 (or True) for each legal action.
        rng: `random.Random` or `numpy.random.Generator`; default: one of this module's own.

    Raises:
        TabletopError: the mask has no legal action.
    """
    if type(mask) is not np.ndarray or mask.dtype is not MASK_DTYPE or not mask.flags.c_contiguous:
        mask = np.ascontiguousarray(mask, MASK_DTYPE)
    action: int = pick_legal(mask, _own_random() if rng is None else rng.random())
    if action == NOTHING_LEGAL:
        raise TabletopError("no action is legal in this mask: it is of a player not to move")
    return action


@kernel
def pick_legal(mask: Any, fraction: Any) -> Any:
    """The legal action at `fraction` (in [0, 1)) of all legal ones of mask int8 [num_actions]."""
    count = 0
    for action in range(mask.shape[0]):
        count += mask[action] != 0
    rank = np.int64(fraction * count)
    for action in range(mask.shape[0]):
        if mask[action] != 0:
            if rank == 0:
                return np.int64(action)
            rank -= 1
    return np.int64(NOTHING_LEGAL)
