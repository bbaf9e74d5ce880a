"""Connect four in words: actions, positions, views, a picture of the board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tabletop_core.errors import TabletopError
from tabletop_core.game import Array, Json, Ruleset, allocate

from .rules import ACTIONS, END_REASONS, OBSERVATION, REASON_FOUR, STATE, VERSION
from .sizes import IN_A_ROW, NUM_CELLS, NUM_COLUMNS, NUM_ROWS, ROW_BITS

SIGNS: Final = "XO"  # of the players
EMPTY: Final = "."
DIRECTIONS: Final = ((0, 1), (1, 0), (1, 1), (1, -1))

# --- actions ---------------------------------------------------------------------------------


def action_to_string(ruleset: Ruleset, state: Array, action: int) -> str:
    """For example `drop 3`."""
    return f"drop {action}"


def string_to_action(ruleset: Ruleset, state: Array, text: str) -> int:
    """Inverse of `action_to_string`; raises TabletopError."""
    for action in range(ACTIONS.count):
        if action_to_string(ruleset, state, action) == text:
            return action
    raise TabletopError(f"connect_four_v0: no action is called {text!r}")


# --- positions -------------------------------------------------------------------------------


def rows_of(state: Array) -> list[str]:
    """The board as text, highest row first: X is player 0, O player 1."""
    words = [int(word) for word in state[0].stones]
    return [
        "".join(_sign(words, ROW_BITS * row + column) for column in range(NUM_COLUMNS))
        for row in reversed(range(NUM_ROWS))
    ]


def _sign(words: Sequence[int], cell: int) -> str:
    return next((SIGNS[player] for player, word in enumerate(words) if word >> cell & 1), EMPTY)


def state_to_json(ruleset: Ruleset, state: Array) -> Json:
    """The whole position."""
    s = state[0]
    return {
        "game": ruleset.game.id,
        "ruleset": f"{ruleset.digest:016x}",
        "board": rows_of(state),
        "current_player": int(s.current_player),
        "turn_count": int(s.turn_count),
        "decision_count": int(s.decision_count),
        "end_reasons": [name for k, name in enumerate(END_REASONS) if int(s.end_reasons) >> k & 1],
        "rng": f"{int(s.rng):016x}",
    }


def state_from_json(ruleset: Ruleset, data: Json) -> Array:
    """Inverse of `state_to_json`; raises TabletopError for what cannot come up."""
    state = allocate(STATE, 1)
    try:
        _fill(ruleset, state[0], data)
        if state_to_json(ruleset, state) == data and _is_possible(state[0], data["board"]):
            return state
    except (LookupError, ArithmeticError, TypeError, ValueError):
        pass
    raise TabletopError(f"{ruleset.game.id}: not a possible position: {data!r}")


def _fill(ruleset: Ruleset, s: Any, data: Json) -> None:
    s.connect_four_version = VERSION
    s.ruleset = ruleset.digest
    s.rng = int(data["rng"], 16)
    for player, sign in enumerate(SIGNS):
        s.stones[player] = sum(
            1 << ROW_BITS * (NUM_ROWS - 1 - k) + column
            for k, row in enumerate(data["board"])
            for column, other in enumerate(row)
            if other == sign
        )
    s.end_reasons = sum(1 << END_REASONS.index(name) for name in data["end_reasons"])
    for name in ("current_player", "turn_count", "decision_count"):
        s[name] = data[name]


def _is_possible(s: Any, board: Sequence[str]) -> bool:
    """Whether the counts, the turn, gravity and the end fit the board."""
    counts = [sum(row.count(sign) for row in board) for sign in SIGNS]
    is_over = s.end_reasons != 0
    last = 1 - counts[0] + counts[1]  # who dropped the last stone
    lines = [_has_line(board, sign) for sign in SIGNS]
    reason = END_REASONS.index("full") + 1 if sum(counts) == NUM_CELLS else 0
    return bool(
        s.rng != 0
        and counts[0] - counts[1] in (0, 1)
        and s.turn_count == sum(counts)
        and s.decision_count <= s.turn_count
        and s.current_player == (last if is_over else 1 - last)
        and all(_is_pile(board, column) for column in range(NUM_COLUMNS))
        and not lines[1 - last]
        and s.end_reasons == (REASON_FOUR if lines[last] else reason)
    )


def _is_pile(board: Sequence[str], column: int) -> bool:
    """No stone floats."""
    signs = "".join(row[column] for row in board)
    return EMPTY not in signs.lstrip(EMPTY)


def _has_line(board: Sequence[str], sign: str) -> bool:
    """Whether four equal stones lie in a row."""
    cells = {(y, x) for y, row in enumerate(board) for x, other in enumerate(row) if other == sign}
    return any(
        all((y + k * dy, x + k * dx) in cells for k in range(IN_A_ROW))
        for y, x in cells
        for dy, dx in DIRECTIONS
    )


# --- views -----------------------------------------------------------------------------------


def view_to_json(ruleset: Ruleset, state: Array, player: int) -> Json:
    """The board as one player sees it: X are the own stones."""
    own = rows_of(state)
    signs = str.maketrans(SIGNS, SIGNS if player == 0 else SIGNS[::-1])
    return {"board": [row.translate(signs) for row in own]}


def decode(ruleset: Ruleset, observation: Array) -> Json:
    """The view that an observation, uint8 [size], tells."""
    part = OBSERVATION.split(observation)
    planes = (part["own"], part["other"])
    rows = [
        "".join(
            next((sign for sign, plane in zip(SIGNS, planes) if plane[row, column]), EMPTY)
            for column in range(NUM_COLUMNS)
        )
        for row in reversed(range(NUM_ROWS))
    ]
    return {"board": rows}


def render(ruleset: Ruleset, state: Array, player: int | None) -> str:
    """The board with the numbers of the columns."""
    numbers = "".join(str(column) for column in range(NUM_COLUMNS))
    return "\n".join([*rows_of(state), numbers])
