"""The rule-based bot of the Stargate TCG: it plays the legal answer that seems worth most.

The hero assigns characters as long as the mission can still be completed, the villain adds to
the difficulty as long as it can; neither pays for what is lost or won already. The bot counts what
lies openly (§3.1) and looks into no hand but its own. What a text does is not weighed: among its
targets the opponent's come first. Worths only order the answers to one prompt.

Section numbers are those of `RULES.md`; `r` is the RULES record, `s` the STATE record.
"""

from typing import Any, Final

import numpy as np

from tabletop_core.bits import NONE, WORD_BITS, lowest, without_lowest
from tabletop_core.jit import kernel, separate_kernel

from .derived import cost_to_play, difficulty, hero_total
from .evaluate import is_assignable, rating_of, required_skill
from .sizes import ADVERSARY, EVENT, OBSTACLE, SUPPORT
from .state import (
    ASK_CONTINUE,
    ASK_FATE,
    ASK_MAIN,
    ASK_MULLIGAN,
    ASK_TEAM_STOP,
    ASSIGN,
    BOOST,
    COMPLICATE,
    DONE,
    LET_DIE,
    NO,
    NUMBER,
    OTHER,
    OWN,
    PASS,
    PLAY_CARD,
    READY,
    SCORE,
    SEAT_STRIDE,
    SEAT_WORDS,
    SLOT,
    USE,
    YES,
)
from .table import in_play_word, is_character, type_of

NEVER: Final = -1  # worse than passing, which is worth 0
LAST_RESORT: Final = 1
CHEAP: Final = 2
USEFUL: Final = 10
URGENT: Final = 20

CREW_TO_CONTINUE: Final = 2  # ready characters with which the hero plays another mission


@separate_kernel
def outlook(r: Any, s: Any) -> Any:
    """N7, N8: what the mission lacks and what the hero's ready characters could add (int64 both).

    Only for the hero's and the villain's turns; (0, 0) for other prompts.
    """
    if s.prompt == ASK_MAIN:
        return lacking(r, s), ready_total(r, s)
    return np.int64(0), np.int64(0)


@separate_kernel
def action_worth(r: Any, s: Any, action: Any, mission: Any) -> Any:
    """§13: what an answer to the pending prompt is worth to the current player."""
    seat = np.int64(s.current_player)
    if s.prompt == ASK_MAIN:
        gap, ready = mission
        if seat == s.hero:
            return hero_worth(r, s, seat, action, gap, ready)
        return villain_worth(r, s, seat, action, ready >= gap)
    if s.prompt == ASK_TEAM_STOP:
        return team_stop_worth(r, s, seat, action)
    if s.prompt == ASK_MULLIGAN:
        return np.int64(action == NO)
    if s.prompt == ASK_CONTINUE:
        return np.int64((action == YES) == (count_ready(r, s) >= CREW_TO_CONTINUE))
    if s.prompt == ASK_FATE:
        return fate_worth(action)
    return text_worth(action)


# --- §8.1 the hero ---------------------------------------------------------------------------


@kernel
def hero_worth(r: Any, s: Any, seat: Any, action: Any, gap: Any, ready: Any) -> Any:
    """§8.1: strengthen the crew; then complete the mission if that is possible."""
    if action == PASS:
        return np.int64(0)
    if action < ASSIGN:
        return hero_card_worth(r, s, seat * SEAT_STRIDE + action - PLAY_CARD, gap)
    if gap <= 0 or ready < gap:
        return np.int64(LAST_RESORT if action >= USE and gap > 0 else NEVER)
    if action < BOOST:
        return assign_worth(r, s, seat * SEAT_STRIDE + action - ASSIGN, gap)
    return np.int64(CHEAP)


@kernel
def hero_card_worth(r: Any, s: Any, card: Any, gap: Any) -> Any:
    """§8.1: support characters stay; events are for missions that are not yet completed."""
    card_type = type_of(r, s, card)
    if card_type == SUPPORT:
        rating = rating_of(r, s, card, required_skill(r, s))
        return URGENT + 2 * rating - cost_to_play(r, s, card)
    if card_type == EVENT and gap <= 0:
        return np.int64(NEVER)
    return np.int64(LAST_RESORT)


@kernel
def assign_worth(r: Any, s: Any, card: Any, gap: Any) -> Any:
    """§8.1: the highest rating, but none that is much more than needed, and none of nothing."""
    if not is_character(r, s, card):
        return np.int64(LAST_RESORT)
    rating = rating_of(r, s, card, required_skill(r, s))
    if rating <= 0:
        return np.int64(NEVER)
    return USEFUL + min(rating, 2 * gap - rating)


@kernel
def lacking(r: Any, s: Any) -> Any:
    """N7, N8: what the hero's total lacks of the difficulty; with 0 or less it is a success."""
    return difficulty(r, s) - hero_total(r, s)


@kernel
def ready_total(r: Any, s: Any) -> Any:
    """N8: what the hero's total would gain by all characters that can be assigned."""
    total = np.int64(0)
    skill = required_skill(r, s)
    for k in range(s.hero * SEAT_WORDS, (s.hero + 1) * SEAT_WORDS):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            if is_character(r, s, card) and is_assignable(r, s, card):
                total += max(np.int64(0), rating_of(r, s, card, skill))
    return total


@kernel
def count_ready(r: Any, s: Any) -> Any:
    """Ready characters of the hero."""
    count = np.int64(0)
    for k in range(s.hero * SEAT_WORDS, (s.hero + 1) * SEAT_WORDS):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            count += is_character(r, s, card) and s.condition[card] == READY
    return count


# --- §8.2 the villain ------------------------------------------------------------------------


@kernel
def villain_worth(r: Any, s: Any, seat: Any, action: Any, can_succeed: Any) -> Any:
    """§8.2: adversaries are there to be scored; the rest stops a hero who could succeed.

    `can_succeed`: whether the hero's ready characters could still complete the mission.
    """
    if action == PASS:
        return np.int64(0)
    if action < ASSIGN:
        return villain_card_worth(r, s, seat * SEAT_STRIDE + action - PLAY_CARD, can_succeed)
    if action < BOOST:
        return np.int64(URGENT)
    if action >= USE or not can_succeed:
        return np.int64(NEVER)
    return np.int64(CHEAP if action < COMPLICATE else LAST_RESORT)


@kernel
def villain_card_worth(r: Any, s: Any, card: Any, can_succeed: Any) -> Any:
    """§8.2: adversaries and ships stay; obstacles are for missions that would be completed."""
    card_type = type_of(r, s, card)
    if card_type == ADVERSARY:
        return np.int64(URGENT)
    if card_type != OBSTACLE:
        return np.int64(LAST_RESORT)
    rating = rating_of(r, s, card, required_skill(r, s))
    if rating <= 0 or not can_succeed:
        return np.int64(NEVER)
    return USEFUL + 2 * rating - cost_to_play(r, s, card)


@kernel
def fate_worth(action: Any) -> Any:
    """§9.4: score, else revive."""
    if action == SCORE:
        return np.int64(CHEAP)
    return np.int64(0 if action == LET_DIE else LAST_RESORT)


# --- other prompts ---------------------------------------------------------------------------


@kernel
def team_stop_worth(r: Any, s: Any, seat: Any, action: Any) -> Any:
    """§5 U4: the opponent's most valuable character, of one's own the least valuable one."""
    if action >= OTHER:
        return np.int64(0)
    card = seat * SEAT_STRIDE + action - OWN
    return -np.int64(r.point_value[s.kind[card]])


@kernel
def text_worth(action: Any) -> Any:
    """§8.4: use what may be used, on the opponent's cards if possible, as much as possible."""
    if action in (NO, DONE):
        return np.int64(NEVER)
    if OTHER <= action < SLOT:
        return np.int64(CHEAP)
    if action >= NUMBER:
        return action - NUMBER
    return np.int64(0)
