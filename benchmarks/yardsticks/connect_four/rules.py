"""Connect four: the whole game on one record.

The stones of a player are one word: row r (0 is the lowest), column c is bit 8 * r + c. The eighth
column is always empty, so that a line cannot run from the end of a row into the next one::

    40 41 42 43 44 45 46 |         row 5
    ...
     8  9 10 11 12 13 14 |         row 1
     0  1  2  3  4  5  6 |         row 0

`r` is the RULES record, `s` the STATE record.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tabletop_core.bits import NONE, ONE, U, ranks, write_members
from tabletop_core.game import (
    ActionBlock,
    ObservationField,
    ObservationLayout,
    action_table,
    state_header,
    state_record,
)
from tabletop_core.jit import inline_kernel, kernel

from .sizes import NUM_CELLS, NUM_COLUMNS, NUM_PLAYERS, NUM_ROWS, ROW_BITS, TOP_ROW

VERSION: Final = 0
REASON_FOUR: Final = 1
REASON_FULL: Final = 2
END_REASONS: Final = ("four", "full")

ACTIONS: Final = action_table(ActionBlock("drop", NUM_COLUMNS, "drop a stone into column k"))
OBSERVATION: Final = ObservationLayout(
    (
        ObservationField("own", (NUM_ROWS, NUM_COLUMNS), 1, "one's own stones, lowest row first"),
        ObservationField("other", (NUM_ROWS, NUM_COLUMNS), 1, "stones of the opponent"),
    )
)

STATE: Final = state_record(
    [
        *state_header("connect_four", ACTIONS.count),
        ("stones", np.uint64, NUM_PLAYERS),  # [player] cells
    ],
)
RULES: Final = np.dtype(
    [
        ("digest", np.uint64),
        ("num_players", np.int64),
        ("connect_four_rules", np.uint64),  # unused; Numba takes records that begin alike for one
    ],
    align=True,
)

COLUMNS: Final = U((1 << NUM_COLUMNS) - 1)
COLUMN: Final = U(sum(1 << ROW_BITS * row for row in range(NUM_ROWS)))
CELLS: Final = U(sum(((1 << NUM_COLUMNS) - 1) << ROW_BITS * row for row in range(NUM_ROWS)))
TO_TOP_ROW: Final = U(TOP_ROW)
DIRECTIONS: Final = (U(1), U(ROW_BITS - 1), U(ROW_BITS), U(ROW_BITS + 1))


@kernel
def new_game(r: Any, s: Any) -> None:
    """The empty board; player 0 begins."""
    s.connect_four_version = VERSION
    s.turn_count = 0
    s.decision_count = 0
    s.end_reasons = 0
    s.is_truncated = 0
    s.current_player = 0
    s.stones[:] = NONE


@kernel
def legal_actions(r: Any, s: Any) -> None:
    """A column takes stones as long as its highest cell is empty."""
    s.legal[0] = ~((s.stones[0] | s.stones[1]) >> TO_TOP_ROW) & COLUMNS


@kernel
def apply_action(r: Any, s: Any, action: Any) -> None:
    """Drop a stone; it falls to the lowest empty cell of the column."""
    player = np.int64(s.current_player)
    empty = (COLUMN << U(action)) & ~(s.stones[0] | s.stones[1])
    stones = s.stones[player] | (empty & ~(empty - ONE))
    s.stones[player] = stones
    s.turn_count += 1
    if has_four(stones):
        s.end_reasons = REASON_FOUR
    elif s.turn_count == NUM_CELLS:
        s.end_reasons = REASON_FULL
    else:
        s.current_player = 1 - player


@inline_kernel
def has_four(stones: Any) -> Any:
    """Whether four stones lie in a row, in any of the four directions."""
    found = NONE
    for k in range(len(DIRECTIONS)):
        pairs = stones & (stones >> DIRECTIONS[k])
        found |= pairs & (pairs >> (DIRECTIONS[k] + DIRECTIONS[k]))
    return found != NONE


@kernel
def final_result(r: Any, s: Any, points: Any, is_winner: Any) -> None:
    """1 point for four in a row; a full board is shared, and so is a game that goes on."""
    for player in range(NUM_PLAYERS):
        is_winner[player] = s.end_reasons != REASON_FOUR or player == s.current_player
        points[player] = np.float64(s.end_reasons == REASON_FOUR and is_winner[player])


@kernel
def observe(r: Any, s: Any, player: Any, observation: Any) -> None:
    """Fill `observation`, uint8 [OBSERVATION.size]: own stones, then those of the opponent."""
    write_members(ranks(CELLS, s.stones[player]), observation, 0, NUM_CELLS)
    write_members(ranks(CELLS, s.stones[1 - player]), observation, NUM_CELLS, NUM_CELLS)


@kernel
def determinize(r: Any, s: Any, player: Any) -> None:
    """Nothing is hidden."""
