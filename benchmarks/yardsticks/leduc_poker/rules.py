"""Leduc poker: the whole game on one record.

Six cards, two of each rank. Both players bet 1 and get a card of their own. In the first round a
raise is 2, in the second, which begins with an open card, it is 4; there are at most two raises in
a round and player 0 begins both. Who folds loses the bets; otherwise a pair with the open card
wins, else the higher rank, and equal ranks share.

Cards are numbered so that their rank is the number halved. The open card is drawn when it is
turned up. `r` is the RULES record, `s` the STATE record.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tabletop_core.bits import add_block, below, bit
from tabletop_core.game import (
    ActionBlock,
    ObservationField,
    ObservationLayout,
    action_table,
    state_header,
    state_record,
)
from tabletop_core.jit import inline_kernel, kernel
from tabletop_core.rng import draw

from .sizes import (
    ANTE,
    MAX_BET,
    MAX_RAISES,
    NUM_CARDS,
    NUM_PLAYERS,
    NUM_RANKS,
    NUM_ROUNDS,
    NUM_SUITS,
)

VERSION: Final = 0
REASON_FOLD: Final = 1
REASON_SHOWDOWN: Final = 2
END_REASONS: Final = ("fold", "showdown")
NO_CARD: Final = NUM_CARDS

ACTIONS: Final = action_table(
    ActionBlock("fold", 1, "give up the bets"),
    ActionBlock("call", 1, "bet as much as the opponent"),
    ActionBlock("raise", 1, "bet 2 more than the opponent, in the second round 4"),
)
FOLD: Final = ACTIONS.first("fold")
CALL: Final = ACTIONS.first("call")
RAISE: Final = ACTIONS.first("raise")

OBSERVATION: Final = ObservationLayout(
    (
        ObservationField("own_card", (NUM_CARDS,), 1, "one's own card"),
        ObservationField("open_card", (NUM_CARDS,), 1, "the open card, in the second round"),
        ObservationField("shown_card", (NUM_CARDS,), 1, "the opponent's card, after a showdown"),
        ObservationField("bets", (NUM_PLAYERS,), MAX_BET, "bets of each seat, one's own first"),
        ObservationField("raise_count", (1,), MAX_RAISES, "raises in this round"),
        ObservationField("call_count", (1,), NUM_PLAYERS, "calls in this round"),
        ObservationField("current_seat", (NUM_PLAYERS,), 1, "seat to move, at the end that moved"),
        ObservationField(
            "end_reasons", (len(END_REASONS),), 1, "the game has ended: fold, showdown"
        ),
    )
)
AT_OPEN_CARD: Final = OBSERVATION.first("open_card")
AT_SHOWN_CARD: Final = OBSERVATION.first("shown_card")
AT_BETS: Final = OBSERVATION.first("bets")
AT_RAISE_COUNT: Final = OBSERVATION.first("raise_count")
AT_CALL_COUNT: Final = OBSERVATION.first("call_count")
AT_CURRENT_SEAT: Final = OBSERVATION.first("current_seat")
AT_END_REASONS: Final = OBSERVATION.first("end_reasons")

STATE: Final = state_record(
    [
        *state_header("leduc_poker", ACTIONS.count),
        ("cards", np.uint8, NUM_PLAYERS),  # [player] card, 0-5
        ("bets", np.uint8, NUM_PLAYERS),  # [player] 1-13
        ("open_card", np.uint8),  # 0-5, or NO_CARD in the first round
        ("raise_count", np.uint8),  # of this round, 0-2
        ("call_count", np.uint8),  # of this round, 0-2
    ],
)
RULES: Final = np.dtype(
    [
        ("digest", np.uint64),
        ("num_players", np.int64),
        ("leduc_poker_raises", np.uint8, NUM_ROUNDS),  # [round]
    ],
    align=True,
)


@kernel
def new_game(r: Any, s: Any) -> None:
    """Both players bet and get a card."""
    s.leduc_poker_version = VERSION
    s.turn_count = 0
    s.decision_count = 0
    s.end_reasons = 0
    s.is_truncated = 0
    s.current_player = 0
    s.open_card = NO_CARD
    s.raise_count = 0
    s.call_count = 0
    deck = below(NUM_CARDS)
    for player in range(NUM_PLAYERS):
        s.bets[player] = ANTE
        s.cards[player] = draw(s, deck)
        deck &= ~bit(s.cards[player])


@kernel
def legal_actions(r: Any, s: Any) -> None:
    """Nobody folds who owes nothing; after two raises there are no more."""
    player = np.int64(s.current_player)
    legal = bit(CALL)
    if s.bets[player] < s.bets[1 - player]:
        legal |= bit(FOLD)
    if s.raise_count < MAX_RAISES:
        legal |= bit(RAISE)
    add_block(s.legal, 0, legal)


@kernel
def apply_action(r: Any, s: Any, action: Any) -> None:
    """Play one of the three actions; the game ends with a fold or the last call."""
    player = np.int64(s.current_player)
    other = 1 - player
    s.turn_count += 1
    if action == FOLD:
        s.end_reasons = REASON_FOLD
        return
    s.bets[player] = s.bets[other]
    if action == RAISE:
        s.bets[player] += r.leduc_poker_raises[round_of(s)]
        s.raise_count += 1
        s.call_count = 0
    else:
        s.call_count += 1
    if s.call_count == NUM_PLAYERS or (s.call_count == 1 and s.raise_count > 0):
        end_round(s)
    else:
        s.current_player = other


@inline_kernel
def round_of(s: Any) -> Any:
    """0 before the open card, 1 after it."""
    return np.int64(s.open_card != NO_CARD)


@inline_kernel
def end_round(s: Any) -> None:
    """The open card is turned up, or the cards of the players are shown."""
    if s.open_card != NO_CARD:
        s.end_reasons = REASON_SHOWDOWN
        return
    s.open_card = draw(s, below(NUM_CARDS) & ~(bit(s.cards[0]) | bit(s.cards[1])))
    s.raise_count = 0
    s.call_count = 0
    s.current_player = 0


@kernel
def final_result(r: Any, s: Any, points: Any, is_winner: Any) -> None:
    """Points are what was won of the opponent's bets; nothing before the end."""
    for player in range(NUM_PLAYERS):
        other = 1 - player
        is_winner[player] = not has_lost(s, player)
        points[player] = 0.0
        if has_lost(s, player):
            points[player] -= np.float64(s.bets[player])
        if has_lost(s, other):
            points[player] += np.float64(s.bets[other])


@inline_kernel
def has_lost(s: Any, player: Any) -> Any:
    """Whether the opponent takes the bets of a player, as the game stands."""
    if s.end_reasons == REASON_FOLD:
        return player == s.current_player
    return s.end_reasons == REASON_SHOWDOWN and strength(s, player) < strength(s, 1 - player)


@inline_kernel
def strength(s: Any, player: Any) -> Any:
    """A pair with the open card beats all others, then the rank counts."""
    rank = np.int64(s.cards[player]) // NUM_SUITS
    is_pair = rank == np.int64(s.open_card) // NUM_SUITS
    return rank + NUM_RANKS * np.int64(is_pair)


@kernel
def observe(r: Any, s: Any, player: Any, observation: Any) -> None:
    """Fill `observation`, uint8 [OBSERVATION.size], with what a player knows."""
    observation[:] = 0
    other = 1 - player
    observation[np.int64(s.cards[player])] = 1
    if s.open_card != NO_CARD:
        observation[AT_OPEN_CARD + np.int64(s.open_card)] = 1
    if s.end_reasons == REASON_SHOWDOWN:
        observation[AT_SHOWN_CARD + np.int64(s.cards[other])] = 1
    observation[AT_BETS] = s.bets[player]
    observation[AT_BETS + 1] = s.bets[other]
    observation[AT_RAISE_COUNT] = s.raise_count
    observation[AT_CALL_COUNT] = s.call_count
    observation[AT_CURRENT_SEAT + np.int64(s.current_player != player)] = 1
    observation[AT_END_REASONS] = s.end_reasons == REASON_FOLD
    observation[AT_END_REASONS + 1] = s.end_reasons == REASON_SHOWDOWN


@kernel
def determinize(r: Any, s: Any, player: Any) -> None:
    """Redraw the opponent's card, unless it has been shown."""
    if s.end_reasons == REASON_SHOWDOWN:
        return
    seen = bit(s.cards[player])
    if s.open_card != NO_CARD:
        seen |= bit(s.open_card)
    s.cards[1 - player] = draw(s, below(NUM_CARDS) & ~seen)
