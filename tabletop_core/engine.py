"""The loops over games: forced decisions, batches of steps, whole games.

Every entry point takes the rules array [1], a state array and plain arrays, works in place and
allocates nothing. They are few and coarse, because each one compiles the whole game in.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from . import verbs
from .bits import (
    NONE,
    WORD_BITS,
    count_members,
    has,
    has_member,
    lowest,
    select_member,
    without_lowest,
    write_members,
)
from .jit import inline_kernel, kernel
from .memory import prefetch, prefetch_row
from .rng import randbelow

REWARD_WIN: Final = 0
REWARD_SCORE: Final = 1
REWARD_MARGIN: Final = 2
REWARD_MODES: Final = ("win", "score", "margin")

AUTORESET_NEXT_STEP: Final = 0
AUTORESET_SAME_STEP: Final = 1
AUTORESET_DISABLED: Final = 2

ILLEGAL: Final = -1

LANES_AHEAD: Final = 2  # a state is asked for while the second lane before it is worked on
BEFORE_ACTION: Final = 0  # parts of that state, by when they are asked for
AFTER_ACTION: Final = 1
AFTER_LEGAL: Final = 2

NO_LIMIT: Final = (1 << 63) - 1

CHOOSER: Final = np.dtype(
    [
        ("rng", np.uint64),  # generator of a bot, apart from any game's
        ("chooser_version", np.uint64),  # unused; Numba passes LANE for a record of `rng` alone
    ]
)

PLAY: Final = 0  # play the action given for the lane
BEGIN: Final = 1  # begin a new game
SHOW: Final = 2  # write the outputs of the position as it stands
WAIT: Final = 3  # leave the lane and its outputs alone

CURRENT_PLAYER: Final = -1  # as viewer: whoever decides

FLAG_TERMINATED: Final = 0  # rows of `flags`: the last step ended the game by rule
FLAG_TRUNCATED: Final = 1  # ... by the cap on turns
FLAG_ILLEGAL: Final = 2  # its action was refused and the state left as it was
FLAG_ENDED: Final = 3  # a game has ended by it, in whichever way
NUM_FLAGS: Final = 4

FINISHED_LANE: Final = 0  # rows of `collect_results`
FINISHED_WINNERS: Final = 1
FINISHED_REASONS: Final = 2
NUM_FINISHED: Final = 3
NO_RESULT: Final = -1  # the last entry of a table

LANE: Final = np.dtype(
    [
        ("rng", np.uint64),  # generator of the lane's bots, apart from the game's
        ("bots", np.uint64),  # set of the players whose decisions are made here at once
        ("rule_bots", np.uint64),  # those of them who play by the game's rule; the others at random
        ("viewer", np.int64),  # whose observation and mask are written, or CURRENT_PLAYER
        ("current_player", np.int64),
        ("length", np.uint32),  # decisions of the last finished game
        ("turns", np.uint32),  # its finished turns
        ("end_reasons", np.uint8),  # why it ended
        ("order", np.uint8),  # what the next step does with the lane; PLAY again afterwards
        ("terminated", np.bool_),  # the last finished game ended by rule
        ("truncated", np.bool_),  # ... by the cap on turns
        ("unused", np.uint8, 4),  # so that copies of lanes are the same bytes
    ],
    align=True,
)


# --- one game --------------------------------------------------------------------------------


@inline_kernel
def is_over(state: Any) -> Any:
    """Whether a game has ended, by rule or by the cap on turns."""
    return state.end_reasons != 0 or state.is_truncated != 0


@inline_kernel
def is_legal(state: Any, action: Any) -> Any:
    """Whether `action` (any int64) answers the pending decision."""
    words = state.legal
    return 0 <= action < words.shape[0] * WORD_BITS and has_member(words, action)


@kernel
def start(rules: Any, state: Any) -> None:
    """Begin a new game with the generator word that the record holds."""
    state.ruleset = rules.digest
    verbs.new_game(rules, state)
    settle(rules, state)


@kernel
def settle(rules: Any, state: Any) -> None:
    """Fill the legal set; a decision with one legal answer is played."""
    state.legal[:] = NONE
    state.must_ask = 0
    if not is_over(state):
        verbs.legal_actions(rules, state)
        if not state.must_ask and count_members(state.legal) == 1:
            advance(rules, state, select_member(state.legal, 0), None)


@inline_kernel
def decide(rules: Any, state: Any, action: Any, coming: Any) -> None:
    """Answer the pending decision with a legal action; forced decisions are not counted.

    `coming` is a state that is worked on next, or None.
    """
    if count_members(state.legal) > 1:
        state.decision_count += 1
    advance(rules, state, action, coming)


@kernel
def advance(rules: Any, state: Any, action: Any, coming: Any) -> None:
    """Play an action, and every decision after it that has one legal answer.

    What comes is loaded meanwhile, part by part (see `step_batch`).
    """
    while True:
        verbs.apply_action(rules, state, action)
        prefetch(coming, AFTER_ACTION)
        state.legal[:] = NONE
        state.must_ask = 0
        if is_over(state):
            return
        verbs.legal_actions(rules, state)
        prefetch(coming, AFTER_LEGAL)
        if state.must_ask or count_members(state.legal) != 1:
            return
        action = select_member(state.legal, 0)


@inline_kernel
def choose(state: Any, chooser: Any) -> Any:
    """A uniformly random legal action."""
    return select_member(state.legal, randbelow(chooser, count_members(state.legal)))


@kernel
def rule_action(rules: Any, state: Any, chooser: Any) -> Any:
    """The legal action of the most worth to the rule-based bot; one of several by lot."""
    best, ties = -np.inf, 0
    chosen = np.int64(ILLEGAL)  # stays so if no worth is a number
    seen = verbs.outlook(rules, state)
    for k in range(state.legal.shape[0]):
        word = state.legal[k]
        while word != NONE:
            action = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            worth = np.float64(verbs.action_worth(rules, state, action, seen))
            if worth > best:
                best, ties = worth, 0
            if worth == best:
                ties += 1
                if randbelow(chooser, ties) == 0:
                    chosen = action
    return chosen


@inline_kernel
def play_out(rules: Any, state: Any, chooser: Any, limit: Any) -> None:
    """Random decisions to the end of the game, at most `limit` with two or more legal answers.

    The same games as `decide(choose())` in one loop for chosen and forced decisions, with the legal
    set counted once (1.04 times the rollouts).
    """
    left = limit
    while left > 0 and not is_over(state):
        count = count_members(state.legal)
        rank = np.int64(0)
        if count > 1 or state.must_ask:
            rank = randbelow(chooser, count)
            state.decision_count += np.int64(count > 1)
            left -= np.int64(count > 1)
        verbs.apply_action(rules, state, select_member(state.legal, rank))
        state.legal[:] = NONE
        state.must_ask = 0
        if not is_over(state):
            verbs.legal_actions(rules, state)


@inline_kernel
def redraw(rules: Any, state: Any, player: Any) -> None:
    """Redraw what `player` cannot know, with the generator word that the record holds.

    Everybody knows that the pending decision was put, so it must have its choice of answers in the
    new position too: others are redrawn.
    """
    while True:
        verbs.determinize(rules, state, player)
        state.legal[:] = NONE
        state.must_ask = 0
        if is_over(state):
            return
        verbs.legal_actions(rules, state)
        if state.must_ask or count_members(state.legal) > 1:
            return


@inline_kernel
def write_mask(state: Any, mask: Any) -> None:
    """Expand the legal set into bytes, int8 [num_actions]."""
    words = state.legal
    for k in range(words.shape[0]):
        first = k * WORD_BITS
        write_members(words[k], mask, first, min(WORD_BITS, mask.shape[0] - first))


@inline_kernel
def write_rewards(mode: Any, points: Any, is_winner: Any, rewards: Any) -> None:
    """Final rewards [players] from final points and winners, see `REWARD_MODES`.

    win: every loser pays 1, the winners share it equally; score: points; margin: points minus the
    best of the others.
    """
    num_players = points.shape[0]
    winners = np.int64(0)
    for player in range(num_players):
        winners += is_winner[player]
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
    start(rules[0], states[0])
    show(rules, states, observation, mask)


@kernel
def step_one(rules: Any, states: Any, action: Any, observation: Any, mask: Any) -> Any:
    """Play `action` in record 0; the player to move, or ILLEGAL with nothing changed.

    Fills observation uint8 [size] and mask int8 [num_actions] of the player to move.
    """
    s = states[0]
    if not is_legal(s, action):
        return np.int64(ILLEGAL)
    decide(rules[0], states[0], action, None)
    show(rules, states, observation, mask)
    return np.int64(s.current_player)


@kernel
def show(rules: Any, states: Any, observation: Any, mask: Any) -> None:
    """Observation and mask of the player to move in record 0."""
    s = states[0]
    verbs.observe(rules[0], states[0], np.int64(s.current_player), observation)
    write_mask(s, mask)


@kernel
def observe_one(rules: Any, states: Any, player: Any, observation: Any) -> None:
    """What `player` sees in record 0."""
    verbs.observe(rules[0], states[0], player, observation)


@kernel
def refresh_one(rules: Any, states: Any) -> None:
    """Fill the legal set of record 0 and play forced decisions, after a position was set."""
    settle(rules[0], states[0])


@kernel
def legal_one(rules: Any, states: Any) -> None:
    """Fill the legal set of record 0 as it stands; nothing is played."""
    state = states[0]
    state.legal[:] = NONE
    if not is_over(state):
        verbs.legal_actions(rules[0], state)


@kernel
def finish_one(rules: Any, states: Any, points: Any, is_winner: Any) -> None:
    """Points and winners [players] of record 0 as it stands."""
    verbs.final_result(rules[0], states[0], points, is_winner)


@kernel
def rewards_one(mode: Any, points: Any, is_winner: Any, rewards: Any) -> None:
    """Final rewards float64 [players] from points and winners; mode: index in REWARD_MODES."""
    write_rewards(mode, points, is_winner, rewards)


@kernel
def rule_one(rules: Any, states: Any, choosers: Any) -> Any:
    """What the game's rule-based bot plays in record 0, with the generator `choosers[0].rng`."""
    return rule_action(rules[0], states[0], choosers[0])


@kernel
def determinize_one(rules: Any, states: Any, player: Any) -> None:
    """Redraw in record 0 what `player` cannot know, with the generator word it holds."""
    redraw(rules[0], states[0], player)


# --- entry points for batches ----------------------------------------------------------------
# All take lanes first .. end - 1, so that threads can share a batch. Arrays: states [lanes] of
# STATE, lanes [lanes] of LANE, rewards and points float64, is_winner bool [lanes, players],
# observation uint8 [lanes, size], mask int8 [lanes, num_actions]; observation and mask may have no
# rows: then they are not written.


@kernel
def step_batch(
    rules: Any,
    states: Any,
    lanes: Any,
    actions: Any,
    modes: Any,
    flags: Any,
    rewards: Any,
    points: Any,
    is_winner: Any,
    observation: Any,
    mask: Any,
    first: Any,
    end: Any,
) -> Any:
    """Carry out the order of each lane, PLAY with actions int64 [lanes]; the number of games ended.

    modes int64 [2]: autoreset, reward. flags bool [NUM_FLAGS, lanes]: rows of their own, which are
    read twice as fast as fields of the lanes. Whether a game has ended is told there too: NumPy
    would work it out with wide vectors, after which processors go slower for a while (connect four,
    256 lanes: 1.3 times faster). An illegal action is reported there and changes nothing. `points`
    and `is_winner` are those of the last finished game. The first 6 KiB of states are asked for
    ahead (16,384 lanes, Junk Orbit: 1.5 times faster, Stargate TCG: 1.4 times), in parts while the
    lane is worked on (Stargate TCG: 1.15 times faster than at once), and so are rows of
    observations from LONG_ROW on (Junk Orbit: 1.08 times faster, Jump Gate: 1.05).
    """
    ended = 0
    r = rules[0]
    for i in range(first, end):
        ahead = min(i + LANES_AHEAD, end - 1)
        prefetch(states[ahead], BEFORE_ACTION)
        if observation.shape[0] > 0:
            prefetch_row(observation, ahead)
        s = states[i]
        lane = lanes[i]
        order = lane.order
        lane.order = PLAY
        if order in (PLAY, BEGIN):
            rewards[i, :] = 0.0
            is_played = step_lane(r, s, lane, order, actions[i], modes[0], states[ahead])
            flags[FLAG_TERMINATED, i] = s.end_reasons != 0
            flags[FLAG_TRUNCATED, i] = s.is_truncated != 0
            flags[FLAG_ILLEGAL, i] = not is_played
            has_ended = is_played and is_over(s)
            flags[FLAG_ENDED, i] = has_ended
            if has_ended:
                finish_lane(r, s, lane, points[i], is_winner[i])
                write_rewards(modes[1], points[i], is_winner[i], rewards[i])
                ended += 1
                if modes[0] == AUTORESET_SAME_STEP:
                    begin_lane(r, s, lane)
        if order != WAIT:
            lane.current_player = s.current_player
            if observation.shape[0] > 0:
                verbs.observe(r, s, viewer_of(s, lane), observation[i])
            if mask.shape[0] > 0:
                write_lane_mask(s, lane, mask[i])
    return ended


@inline_kernel
def step_lane(
    rules: Any, state: Any, lane: Any, order: Any, action: Any, autoreset: Any, coming: Any
) -> Any:
    """Play or begin in one lane, up to the next decision that is not a bot's.

    Whether that is done: an illegal action is refused.
    """
    if order == BEGIN or (is_over(state) and autoreset != AUTORESET_DISABLED):
        begin_lane(rules, state, lane)
        return True
    if is_legal(state, action):
        decide(rules, state, action, coming)
        play_bots(rules, state, lane)
        return True
    return False


@inline_kernel
def begin_lane(rules: Any, state: Any, lane: Any) -> None:
    """A new game, up to the first decision that is not a bot's."""
    start(rules, state)
    play_bots(rules, state, lane)


@inline_kernel
def play_bots(rules: Any, state: Any, lane: Any) -> None:
    """Decisions of the lane's bots, as long as one of them is to decide."""
    while not is_over(state) and has(lane.bots, state.current_player):
        if has(lane.rule_bots, state.current_player):
            action = rule_action(rules, state, lane)
        else:
            action = choose(state, lane)
        decide(rules, state, action, None)


@inline_kernel
def finish_lane(rules: Any, state: Any, lane: Any, points: Any, is_winner: Any) -> None:
    """Results of a finished game."""
    verbs.final_result(rules, state, points, is_winner)
    lane.length = state.decision_count
    lane.turns = state.turn_count
    lane.end_reasons = state.end_reasons
    lane.terminated = state.end_reasons != 0
    lane.truncated = state.is_truncated != 0


@inline_kernel
def viewer_of(state: Any, lane: Any) -> Any:
    """The player whose observation and mask a lane shows."""
    if lane.viewer == CURRENT_PLAYER:
        return np.int64(state.current_player)
    return lane.viewer


@inline_kernel
def write_lane_mask(state: Any, lane: Any, mask: Any) -> None:
    """What the viewer may do, which is nothing while others decide."""
    if viewer_of(state, lane) == state.current_player:
        write_mask(state, mask)
    else:
        mask[:] = 0


@kernel
def collect_results(
    lanes: Any,
    points: Any,
    is_winner: Any,
    ended: Any,
    scores: Any,
    lengths: Any,
    finished: Any,
    before: Any,
) -> Any:
    """Results of the lanes `ended` (bool [lanes]).

    scores float64 [lanes, players] and lengths int64 [lanes] hold them, and zeros in the other
    lanes. The first columns of finished int64 [NUM_FINISHED, 2 * lanes] hold the lane, the set of
    winners and the end reasons: first of lanes that had results in the call before and have none
    now, NO_RESULT twice, then of the lanes `ended`. `before` is the number of those columns then;
    so only lanes whose games end are written (most steps end few).

    Returns:
        The number of columns.
    """
    stale = np.int64(0)
    for k in range(before):
        lane = finished[FINISHED_LANE, k]
        scores[lane, :] = 0.0
        lengths[lane] = 0
        finished[FINISHED_LANE, stale] = lane
        stale += np.int64(finished[FINISHED_WINNERS, k] != NO_RESULT and not ended[lane])
    finished[FINISHED_WINNERS, :stale] = NO_RESULT
    finished[FINISHED_REASONS, :stale] = NO_RESULT
    count = stale + note_lanes(ended, finished[FINISHED_LANE, stale:])
    for k in range(stale, count):
        lane = finished[FINISHED_LANE, k]
        scores[lane, :] = points[lane]
        lengths[lane] = lanes[lane].length
        finished[FINISHED_WINNERS, k] = winner_set(is_winner[lane])
        finished[FINISHED_REASONS, k] = lanes[lane].end_reasons
    return count


@inline_kernel
def note_lanes(ended: Any, numbers: Any) -> Any:
    """List the lanes `ended` at the start of `numbers`; how many there are.

    Every lane is written, and the next one over it if it has not ended: there is no branch that a
    processor could guess wrong.
    """
    count = np.int64(0)
    for i in range(ended.shape[0]):
        numbers[count] = i
        count += np.int64(ended[i])
    return count


@inline_kernel
def winner_set(is_winner: Any) -> Any:
    """The winners (bool [players]) as a set, int64."""
    winners = np.int64(0)
    for player in range(is_winner.shape[0]):
        winners |= np.int64(is_winner[player]) << player
    return winners


@kernel
def choose_batch(states: Any, lanes: Any, actions: Any, first: Any, end: Any) -> None:
    """A uniformly random legal action (int64 [lanes]) for each lane; 0 where a game is over."""
    for i in range(first, end):
        actions[i] = 0
        if not is_over(states[i]):
            actions[i] = choose(states[i], lanes[i])


@kernel
def rollout_batch(
    rules: Any,
    states: Any,
    lanes: Any,
    num_steps: Any,
    tallies: Any,
    totals: Any,
    points: Any,
    is_winner: Any,
    first: Any,
    end: Any,
) -> None:
    """`num_steps` random decisions in each lane; a finished game is followed by a new one at once.

    Adds the games that end to tallies int64 [lanes, 2 + number of sets of end reasons] (decisions,
    turns, games by `end_reasons`) and to totals float64 [lanes, 2, players] (points, wins).
    """
    r = rules[0]
    for i in range(first, end):
        s = states[i]
        lane = lanes[i]
        if is_over(s):
            start(r, s)
        for _ in range(num_steps):
            if not is_over(s):
                decide(r, s, choose(s, lane), None)
            if is_over(s):
                finish_lane(r, s, lane, points[i], is_winner[i])
                tally_lane(lane, points[i], is_winner[i], tallies[i], totals[i])
                start(r, s)


@inline_kernel
def tally_lane(lane: Any, points: Any, is_winner: Any, tally: Any, total: Any) -> None:
    """Add one finished game to the sums of its lane."""
    tally[0] += lane.length
    tally[1] += lane.turns
    tally[2 + np.int64(lane.end_reasons)] += 1
    for player in range(points.shape[0]):
        total[0, player] += points[player]
        total[1, player] += is_winner[player]


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
    r = rules[0]
    s = states[scratch]
    chooser = choosers[scratch]
    for k in range(first, end):
        s.rng = words[k, 0]
        chooser.rng = words[k, 1]
        start(r, s)
        play_out(r, s, chooser, np.int64(NO_LIMIT))
        finish_lane(r, s, lanes[k], points[k], is_winner[k])
