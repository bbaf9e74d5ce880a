"""Frames: programs under way, on a small stack (`machine.py` runs the topmost one)."""

from typing import Any

import numpy as np

from tabletop_core.bits import NONE
from tabletop_core.jit import inline_kernel, kernel

from .sizes import NO_GLYPH
from .state import ERROR_FRAMES, MAX_FRAMES, NO_CARD, NO_SEAT, THEN_NOTHING, WAITS_ASKED
from .table import assign_set, num_words
from .words import REFERRED

# --- frames ---------------------------------------------------------------------------------------


@kernel
def push_frame(s: Any, address: Any, card: Any, user: Any, then: Any) -> None:
    """Begin a program for a card; it runs before what is under way goes on."""
    if s.frame_count >= MAX_FRAMES:
        s.error = ERROR_FRAMES
        return
    frame = np.int64(s.frame_count)
    s.frame_count += 1
    s.frame_address[frame] = address
    s.frame_origin[frame] = address
    s.frame_self[frame] = card
    s.frame_each[frame] = NO_CARD
    s.frame_trigger[frame] = NO_CARD
    s.frame_granter[frame] = NO_CARD
    s.frame_user[frame] = user
    s.frame_by[frame] = NO_SEAT
    s.frame_actor[frame] = user
    s.frame_then[frame] = then
    s.frame_n[frame] = 0
    s.frame_limit[frame] = 0
    s.frame_symbol[frame] = NO_GLYPH
    s.frame_holder[frame] = NO_CARD
    s.frame_cursor[frame] = 0
    s.frame_least[frame] = 0
    s.frame_most[frame] = 0
    s.frame_done[frame] = 1
    s.frame_waits[frame] = 0
    s.frame_chosen[frame, :] = NONE
    s.frame_candidates[frame, :] = NONE
    s.frame_that[frame, :] = NONE
    s.frame_seen[frame, :] = NONE


@kernel
def clear_frame(s: Any, frame: Any) -> None:
    """Nothing is left of a program that is finished."""
    s.frame_address[frame] = 0
    s.frame_origin[frame] = 0
    s.frame_self[frame] = 0
    s.frame_each[frame] = 0
    s.frame_trigger[frame] = 0
    s.frame_granter[frame] = 0
    s.frame_user[frame] = 0
    s.frame_by[frame] = 0
    s.frame_actor[frame] = 0
    s.frame_then[frame] = 0
    s.frame_n[frame] = 0
    s.frame_done[frame] = 0
    s.frame_waits[frame] = 0
    s.frame_answer[frame] = 0
    s.frame_least[frame] = 0
    s.frame_most[frame] = 0
    s.frame_limit[frame] = 0
    s.frame_symbol[frame] = 0
    s.frame_holder[frame] = 0
    s.frame_cursor[frame] = 0
    s.frame_candidates[frame, :] = NONE
    s.frame_chosen[frame, :] = NONE
    s.frame_that[frame, :] = NONE
    s.frame_seen[frame, :] = NONE


@kernel
def drop_frames(s: Any, left: Any) -> None:
    """Give up the programs above the lowest `left` ones."""
    for frame in range(left, np.int64(s.frame_count)):
        clear_frame(s, frame)
    s.frame_count = left


@kernel
def carry(s: Any, frame: Any) -> None:
    """What the costs of a card have done is known to its text."""
    s.frame_n[frame] = s.carried_n
    for k in range(num_words(s)):
        s.frame_that[frame, k] = s.carried_that[k]


@inline_kernel
def chooser_of(s: Any, frame: Any) -> Any:
    """The seat that makes the choices of a frame now."""
    if s.frame_by[frame] != NO_SEAT:
        return np.int64(s.frame_by[frame])
    return np.int64(s.frame_user[frame])


@kernel
def enter_frame(s: Any, frame: Any) -> None:
    """Let the words of a program mean what they mean in its frame."""
    s.context_self = s.frame_self[frame]
    s.context_each = s.frame_each[frame]
    s.context_trigger = s.frame_trigger[frame]
    s.context_granter = s.frame_granter[frame]
    s.context_user = chooser_of(s, frame)
    s.context_frame = frame
    s.top = 0
    s.spent = 0
    s.reserved[:] = NONE


@inline_kernel
def ask(s: Any, frame: Any, prompt: Any, seat: Any) -> None:
    """Put a choice to a player; the frame waits."""
    s.prompt = prompt
    s.current_player = seat
    s.frame_waits[frame] = WAITS_ASKED


@kernel
def push_deed(s: Any, address: Any, words: Any, user: Any) -> None:
    """Begin a built-in program (`program.BUILT_IN`) for the cards of a set."""
    push_frame(s, address, NO_CARD, user, THEN_NOTHING)
    frame = np.int64(s.frame_count) - 1
    assign_set(s.frame_chosen[frame], words)
    s.frame_least[frame] = REFERRED
