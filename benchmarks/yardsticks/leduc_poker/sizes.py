"""Sizes of Leduc poker that kernels compile in."""

from typing import Final

NUM_PLAYERS: Final = 2
NUM_RANKS: Final = 3
NUM_SUITS: Final = 2
NUM_CARDS: Final = NUM_RANKS * NUM_SUITS
NUM_ROUNDS: Final = 2
MAX_RAISES: Final = 2  # in a round
ANTE: Final = 1
FIRST_RAISE: Final = 2
SECOND_RAISE: Final = 4
MAX_BET: Final = ANTE + MAX_RAISES * (FIRST_RAISE + SECOND_RAISE)
