"""Sizes of connect four that kernels compile in."""

from typing import Final

NUM_PLAYERS: Final = 2
NUM_COLUMNS: Final = 7
NUM_ROWS: Final = 6
NUM_CELLS: Final = NUM_ROWS * NUM_COLUMNS
ROW_BITS: Final = NUM_COLUMNS + 1  # a column that stays empty keeps lines from running around
TOP_ROW: Final = ROW_BITS * (NUM_ROWS - 1)  # bit of the first cell of the highest row
IN_A_ROW: Final = 4
