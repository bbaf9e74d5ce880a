"""The end of a game: who has won (RULES.md §10)."""

from typing import Any, Final

import numpy as np

from tabletop_core.jit import separate_kernel

from .derived import refresh
from .state import (
    NO_SEAT,
    REASON_EXPERIENCE,
    REASON_GLYPHS,
    REASON_VILLAIN_SCORE,
    STALE_NUMBERS,
    STALE_VICTORY,
    VSCORE,
)
from .table import (
    count_experience,
    count_glyphs,
    count_villain_score,
    is_empty,
    left_of,
    point_total,
)

GLYPHS_TO_WIN: Final = 7  # W1


@separate_kernel
def check_victory(r: Any, s: Any) -> None:
    """§10: the hero player first, then to the left."""
    if s.is_stale & STALE_VICTORY == 0:
        return
    s.is_stale &= STALE_NUMBERS
    is_counted = r.has_score_costs and not is_empty(s.zones[VSCORE])
    if is_counted or r.has_tallies or r.has_becoming:
        refresh(r, s)  # texts change what is counted
    seat = np.int64(s.hero)
    for _ in range(s.num_players):
        total = point_total(r, s, left_of(s, seat))
        s.victory_total[seat] = total
        reasons = 0
        if count_glyphs(s, seat) >= GLYPHS_TO_WIN:
            reasons |= REASON_GLYPHS
        if count_experience(r, s, seat) >= total:
            reasons |= REASON_EXPERIENCE
        if count_villain_score(r, s, seat) >= total:
            reasons |= REASON_VILLAIN_SCORE
        if reasons != 0 and s.winner == NO_SEAT:
            s.winner = seat
            s.end_reasons = reasons
        seat = left_of(s, seat)
