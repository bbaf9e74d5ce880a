"""The loops over games: forced decisions, batches of steps, whole games.

Every entry point takes the rules array [1], a state array and plain arrays, works in place and
allocates nothing. They are few and coarse, because each one compiles the whole game in.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from . import verbs
from .bits import NONE, add_block, count_members, has_member, select_member
from .jit import inline_kernel, kernel
from .rng import randbelow

REWARD_WIN: Final = 0
REWARD_SCORE: Final = 1
REWARD_MARGIN: Final = 2
REWARD_MODES: Final = ("win", "score", "margin")

AUTORESET_NEXT_STEP: Final = 0
AUTORESET_SAME_STEP: Final = 1
AUTORESET_DISABLED: Final = 2

ILLEGAL: Final = -1

CHOOSER: Final = np.dtype([("rng", np.uint64)])  # generator of a random bot, apart from any game's

LANE: Final = np.dtype(
    [
        ("length", np.uint32),  # decisions of the last finished game
        ("turns", np.uint32),  # its finished turns
        ("end_reasons", np.uint8),  # why it ended
        ("current_player", np.uint8),
        ("terminated", np.bool_),
        ("truncated", np.bool_),
        ("illegal", np.bool_),  # the action was refused and the state left as it was
    ]
)


# --- one game --------------------------------------------------------------------------------


@inline_kernel
def is_over(s: Any) -> Any:
    """Whether a game has ended, by rule or by the cap on turns."""
    return s.end_reasons != 0 or s.is_truncated != 0


@inline_kernel
def is_legal(s: Any, action: Any) -> Any:
    """Whether `action` (any int64) answers the pending decision."""
    words = s.legal
    return 0 <= action < words.shape[0] * 64 and has_member(words, action)


@kernel
def settle(rules: Any, states: Any, i: Any) -> None:
    """Play decisions with one legal answer until somebody has a choice or the game is over."""
    s = states[i]
    while True:
        s.legal[:] = NONE
        if is_over(s):
            return
        verbs.legal_actions(rules, states, i)
        if s.must_ask or count_members(s.legal) != 1:
            return
        verbs.apply_action(rules, states, i, select_member(s.legal, 0))


@kernel
def start(rules: Any, states: Any, i: Any) -> None:
    """Begin a new game with the generator word that the record holds."""
    states[i].ruleset = rules[0].digest
    verbs.new_game(rules, states, i)
    settle(rules, states, i)


@kernel
def advance(rules: Any, states: Any, i: Any, action: Any) -> None:
    """Play one legal action and every forced decision after it."""
    s = states[i]
    if count_members(s.legal) > 1:
        s.decision_count += 1
    verbs.apply_action(rules, states, i, action)
    settle(rules, states, i)


@inline_kernel
def choose(s: Any, chooser: Any) -> Any:
    """A uniformly random legal action."""
    return select_member(s.legal, randbelow(chooser, count_members(s.legal)))


@inline_kernel
def write_mask(s: Any, mask: Any) -> None:
    """Expand the legal set into bytes, int8 [num_actions]."""
    words = s.legal
    for action in range(mask.shape[0]):
        mask[action] = has_member(words, action)


@inline_kernel
def write_rewards(mode: Any, points: Any, is_winner: Any, rewards: Any) -> None:
    """Final rewards [players] from final points and winners, see `REWARD_MODES`.

    win: every loser pays 1, the winners share it equally; score: points; margin: points minus the
    best of the others.
    """
    num_players = points.shape[0]
    winners = 0
    for player in range(num_players):
        winners += np.int64(is_winner[player])
    for player in range(num_players):
        if mode == REWARD_SCORE:
            rewards[player] = points[player]
        elif mode == REWARD_MARGIN:
            rewards[player] = points[player] - best_other(points, player)
        elif winners == 0 or winners == num_players:
            rewards[player] = 0.0
        elif is_winner[player]:
            rewards[player] = (num_players - winners) / winners
        else:
            rewards[player] = -1.0


@inline_kernel
def best_other(points: Any, player: Any) -> Any:
    """The most points among the other players."""
    best = -np.inf
    for other in range(points.shape[0]):
        if other != player:
            best = max(best, points[other])
    return best


# --- entry points for one game ---------------------------------------------------------------


@kernel
def reset_one(rules: Any, states: Any, observation: Any, mask: Any) -> None:
    """New game in record 0; observation and mask of the player to move."""
    start(rules, states, 0)
    show(rules, states, observation, mask)


@kernel
def step_one(rules: Any, states: Any, action: Any, observation: Any, mask: Any) -> Any:
    """Play `action` in record 0; the player to move, or ILLEGAL with nothing changed.

    Fills observation uint8 [size] and mask int8 [num_actions] of the player to move.
    """
    s = states[0]
    if not is_legal(s, action):
        return np.int64(ILLEGAL)
    advance(rules, states, 0, action)
    show(rules, states, observation, mask)
    return np.int64(s.current_player)


@kernel
def show(rules: Any, states: Any, observation: Any, mask: Any) -> None:
    """Observation and mask of the player to move in record 0."""
    s = states[0]
    verbs.observe(rules, states, 0, np.int64(s.current_player), observation)
    write_mask(s, mask)


@kernel
def observe_one(rules: Any, states: Any, player: Any, observation: Any) -> None:
    """What `player` sees in record 0."""
    verbs.observe(rules, states, 0, player, observation)


@kernel
def refresh_one(rules: Any, states: Any) -> None:
    """Fill the legal set of record 0, playing forced decisions (after a position was set by hand)."""
    settle(rules, states, 0)


@kernel
def finish_one(rules: Any, states: Any, points: Any, is_winner: Any) -> None:
    """Points and winners [players] of record 0 as it stands."""
    verbs.final_result(rules, states, 0, points, is_winner)


@kernel
def rewards_one(mode: Any, points: Any, is_winner: Any, rewards: Any) -> None:
    """Final rewards float64 [players] from points and winners; mode: index in REWARD_MODES."""
    write_rewards(mode, points, is_winner, rewards)


@kernel
def determinize_one(rules: Any, states: Any, player: Any) -> None:
    """Redraw in record 0 what `player` cannot know, with the generator word it holds."""
    verbs.determinize(rules, states, 0, player)


# --- entry points for batches ----------------------------------------------------------------


@kernel
def reset_batch(
    rules: Any,
    states: Any,
    lanes: Any,
    is_chosen: Any,
    rewards: Any,
    observation: Any,
    mask: Any,
    first: Any,
    end: Any,
) -> None:
    """New games in the chosen lanes of first .. end - 1, and their outputs."""
    for i in range(first, end):
        if is_chosen[i]:
            start(rules, states, i)
            lanes[i].terminated = False
            lanes[i].truncated = False
            lanes[i].illegal = False
            rewards[i, :] = 0.0
        write_lane(rules, states, lanes, observation, mask, i)


@kernel
def step_batch(
    rules: Any,
    states: Any,
    actions: Any,
    modes: Any,
    lanes: Any,
    rewards: Any,
    points: Any,
    is_winner: Any,
    observation: Any,
    mask: Any,
    first: Any,
    end: Any,
) -> None:
    """One action in each lane of first .. end - 1.

    modes int64 [2]: autoreset, reward. An illegal action is reported in the lane and changes nothing.
    `points`, `is_winner` [lanes, players] are of the last finished game. observation and mask may
    have no rows: then they are not written.
    """
    autoreset = modes[0]
    for i in range(first, end):
        s = states[i]
        lane = lanes[i]
        rewards[i, :] = 0.0
        lane.illegal = False
        if is_over(s) and autoreset == AUTORESET_NEXT_STEP:
            start(rules, states, i)
        elif is_legal(s, np.int64(actions[i])):
            advance(rules, states, i, np.int64(actions[i]))
            if is_over(s):
                verbs.final_result(rules, states, i, points[i], is_winner[i])
                write_rewards(modes[1], points[i], is_winner[i], rewards[i])
                lane.length = s.decision_count
                lane.turns = s.turn_count
                lane.end_reasons = s.end_reasons
        else:
            lane.illegal = True
        if not lane.illegal:
            lane.terminated = s.end_reasons != 0
            lane.truncated = s.is_truncated != 0
        if is_over(s) and autoreset == AUTORESET_SAME_STEP:
            start(rules, states, i)
        write_lane(rules, states, lanes, observation, mask, i)


@inline_kernel
def write_lane(
    rules: Any, states: Any, lanes: Any, observation: Any, mask: Any, i: Any
) -> None:
    """Player to move, observation and mask of one lane."""
    player = np.int64(states[i].current_player)
    lanes[i].current_player = player
    if observation.shape[0] > 0:
        verbs.observe(rules, states, i, player, observation[i])
    if mask.shape[0] > 0:
        write_mask(states[i], mask[i])


@kernel
def choose_batch(states: Any, choosers: Any, actions: Any, first: Any, end: Any) -> None:
    """A uniformly random legal action for each lane of first .. end - 1; 0 where a game is over."""
    for i in range(first, end):
        actions[i] = 0
        if not is_over(states[i]):
            actions[i] = choose(states[i], choosers[i])


@kernel
def play_games(
    rules: Any,
    states: Any,
    choosers: Any,
    words: Any,
    lanes: Any,
    points: Any,
    is_winner: Any,
    scratch: Any,
    first: Any,
    end: Any,
) -> None:
    """Whole games first .. end - 1 by random bots, one after the other in record `scratch`.

    words uint64 [games, 2]: generator words of each game and of its bots. The results of game k
    go to lanes[k], points[k] and is_winner[k] [players].
    """
    s = states[scratch]
    chooser = choosers[scratch]
    for k in range(first, end):
        s.rng = words[k, 0]
        chooser.rng = words[k, 1]
        start(rules, states, scratch)
        while not is_over(s):
            advance(rules, states, scratch, choose(s, chooser))
        verbs.final_result(rules, states, scratch, points[k], is_winner[k])
        lanes[k].length = s.decision_count
        lanes[k].turns = s.turn_count
        lanes[k].end_reasons = s.end_reasons
        lanes[k].terminated = s.end_reasons != 0
        lanes[k].truncated = s.is_truncated != 0
