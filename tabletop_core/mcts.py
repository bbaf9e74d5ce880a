"""Monte Carlo tree search for games with hidden cards, chance and any number of players.

The algorithm is information-set Monte Carlo tree search with a single observer (SO-ISMCTS: Cowling,
Powley and Whitehouse, "Information Set Monte Carlo Tree Search", 2012), which is UCT (Kocsis and
Szepesvari, 2006) on determinizations:

1. Every simulation begins with a copy of the position in which all that the searching player cannot
   know is drawn anew: hidden cards by the game's `determinize`, chance by a fresh generator word.
   Neither the real hidden cards nor the real future are ever looked at.
2. One tree serves all these worlds. A node is a sequence of decisions, not a position. In each
   world only the legal actions count; a decision that was available seldom is explored as if its
   rivals had been tried seldom, too. Who decides is part of a node, so turns of several decisions
   and decisions out of turn need nothing of their own. What chance does between two decisions is
   averaged.
3. At the root every answer is tried. Elsewhere the number of answers grows with the square root of
   the visits (progressive widening: Coulom, 2007). Among those that have been tried the one with
   the largest `mean + exploration * sqrt(log(available) / visits)` is followed, by the mean of the
   player who decides (max^n backup: Luckhardt and Irani, 1986). The answer of the game's
   rule-based bot is tried first and is ahead by `RULE_BIAS / visits` (progressive bias: Chaslot and
   others, 2008).
4. From a new node a rollout of `horizon` decisions follows, after which the position counts as it
   stands. The rule-based bot makes a share `rule_share` of these decisions, the others (in a game
   without a rule, all) are random. The rule is asked in the drawn world, about what its player
   knows there.
5. The result is worth 0 to 1 to each player: one half for winning, shared by several winners, one
   half for the lead over the best other player in relation to the points of both.

Several trees are grown apart from each other (root parallelisation: Chaslot, Winands and van den
Herik, 2008). The action that was visited most in all of them together is played. Threads share the
trees, so that their number does not change what a budget of simulations finds.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from . import engine, verbs
from .bits import ONE, WORD_BITS, WORD_INDEX, U, count_members, has_member, select_member
from .errors import TabletopError, index_of, shown
from .game import Array, Ruleset, allocate
from .jit import inline_kernel, kernel
from .rng import check_seed, fraction, next_word, randbelow, scatter, seeds_to_words
from .threads import MIN_CHUNK_STEPS, LanePool, check_threads

ROOT: Final = 0
NO_NODE: Final = -1

DEFAULT_TREES: Final = 4
DEFAULT_EXPLORATION: Final = 0.1
DEFAULT_HORIZON: Final = 40
DEFAULT_RULE_SHARE: Final = 1.0
MAX_TREES: Final = 256
MAX_NODES: Final = 1 << 17  # of one tree; when they are used up its leaves are only evaluated
MAX_SIMULATIONS: Final = (1 << 31) - 1  # what the counters of a node hold
WIDENING: Final = 1  # of a decision below the root: answers tried, squared, for each visit
RULE_BIAS: Final = 1.0  # see `NODE`, for the answer of the rule-based bot
LEAD_WEIGHT: Final = 0.5  # of the lead beside winning in the value of a result
CALL_SECONDS: Final = 0.005  # a call as long as this loses nothing and still keeps to a budget
NO_HORIZON: Final = 1 << 20  # longer than any game; ends one that has run out of room, too

TREE: Final = np.dtype(
    [
        ("rng", np.uint64),  # generator of new worlds, new nodes and random decisions
        ("player", np.int64),  # who searches
        ("num_nodes", np.int64),
        ("horizon", np.int64),  # random decisions after which a position counts as it stands
        ("exploration", np.float64),
        ("rule_share", np.float64),  # chance that a decision of a rollout is left to the rule
    ],
    align=True,
)

NODE: Final = np.dtype(
    [
        ("parent", np.int32),  # NO_NODE for the root
        ("first_child", np.int32),  # or NO_NODE
        ("next_sibling", np.int32),  # or NO_NODE
        ("visits", np.int32),  # simulations that came through
        ("available", np.int32),  # those of its parent in which the decision was possible
        ("action", np.int32),  # the decision that leads here
        ("player", np.int32),  # and who made it
        ("bias", np.float64),  # how many simulations won it is ahead of other answers
    ],
    align=True,
)

# --- simulations -----------------------------------------------------------------------------


@kernel
def grow(
    rules: Any,
    states: Any,
    worlds: Any,
    trees: Any,
    nodes: Any,
    values: Any,
    untried: Any,
    points: Any,
    is_winner: Any,
    simulations: Any,
) -> None:
    """Add `simulations` to the tree of record 0 for the position of record 0, which is not changed.

    nodes: NODE [capacity]. values: float64 [capacity, players], sums over the visits. Worked in:
    worlds STATE [1], untried uint64 [num_words], points float64 and is_winner bool [players].
    """
    r = rules[0]
    world = worlds[0]
    tree = trees[0]
    for _ in range(simulations):
        worlds[0] = states[0]
        world.rng = scatter(next_word(tree))
        engine.redraw(r, world, tree.player)
        leaf = descend(r, world, tree, nodes, values, untried)
        play_out(r, world, tree)
        verbs.final_result(r, world, points, is_winner)
        points_to_values(points, is_winner)
        back_up(nodes, values, leaf, points)


@inline_kernel
def descend(rules: Any, world: Any, tree: Any, nodes: Any, values: Any, untried: Any) -> Any:
    """Play from the root to the end of the tree and one decision further; the last node."""
    node = np.int64(ROOT)
    while not engine.is_over(world):
        child = best_child(world, tree, nodes, values, untried, node)
        is_new = tree.num_nodes < nodes.shape[0] and is_to_widen(world, nodes, untried, node)
        if is_new:
            child = add_child(rules, world, tree, nodes, values, untried, node)
        if child == NO_NODE:
            return node
        engine.decide(rules, world, np.int64(nodes[child].action), None)
        node = child
        if is_new:
            return node
    return node


@inline_kernel
def is_to_widen(world: Any, nodes: Any, untried: Any, parent: Any) -> Any:
    """Whether a decision gets another answer: all at the root, else slowly with its visits."""
    left = count_members(untried)
    if parent == ROOT or left == 0:
        return left > 0
    tried = count_members(world.legal) - left
    return tried * tried <= np.int64(nodes[parent].visits) * WIDENING


@inline_kernel
def best_child(world: Any, tree: Any, nodes: Any, values: Any, untried: Any, parent: Any) -> Any:
    """The child to go on with in this world, or NO_NODE.

    `untried` becomes the set of the legal actions that have no child.
    """
    player = np.int64(world.current_player)
    untried[:] = world.legal
    best = np.int64(NO_NODE)
    best_bound = -np.inf
    child = np.int64(nodes[parent].first_child)
    while child != NO_NODE:
        node = nodes[child]
        action = np.int64(node.action)
        if node.player == player and has_member(world.legal, action):
            untried[action // WORD_BITS] &= ~(ONE << (U(action) & WORD_INDEX))
            node.available += 1
            bound = upper_bound(node, values[child, player], tree.exploration)
            if bound > best_bound:
                best, best_bound = child, bound
        child = np.int64(node.next_sibling)
    return best


@inline_kernel
def upper_bound(node: Any, value: Any, exploration: Any) -> Any:
    """The mean value of a node and what it may be better than that (UCB1, progressive bias)."""
    visits = np.float64(node.visits)
    spread = exploration * np.sqrt(np.log(np.float64(node.available)) / visits)
    return (value + node.bias) / visits + spread


@inline_kernel
def add_child(
    rules: Any, world: Any, tree: Any, nodes: Any, values: Any, untried: Any, parent: Any
) -> Any:
    """A new node for one of the untried actions."""
    child = np.int64(tree.num_nodes)
    tree.num_nodes += 1
    node = nodes[child]
    node.parent = parent
    node.first_child = NO_NODE
    node.next_sibling = nodes[parent].first_child
    node.visits = 0
    node.available = 1
    node.action = select_member(untried, randbelow(tree, count_members(untried)))
    node.player = world.current_player
    node.bias = 0.0
    if tree.rule_share > 0.0:
        follow_rule(rules, world, tree, node, untried)
    nodes[parent].first_child = child
    values[child, :] = 0.0
    return child


@inline_kernel
def follow_rule(rules: Any, world: Any, tree: Any, node: Any, untried: Any) -> None:
    """Let a new node be the rule's answer, if that is untried."""
    action = engine.rule_action(rules, world, tree)
    if has_member(untried, action):
        node.action = action
        node.bias = RULE_BIAS


@inline_kernel
def play_out(rules: Any, world: Any, tree: Any) -> None:
    """Decisions by the rule and at random, as the tree mixes them, up to its horizon."""
    if tree.rule_share == 0.0:
        engine.play_out(rules, world, tree, tree.horizon)
        return
    left = tree.horizon
    while left > 0 and not engine.is_over(world):
        left -= 1
        if fraction(tree) < tree.rule_share:
            engine.decide(rules, world, engine.rule_action(rules, world, tree), None)
        else:
            engine.decide(rules, world, engine.choose(world, tree), None)


@inline_kernel
def points_to_values(points: Any, is_winner: Any) -> None:
    """Replace points by what the result is worth to each player, 0 to 1: winning and the lead."""
    num_players = points.shape[0]
    winners = np.int64(0)
    best, second = -np.inf, -np.inf
    for player in range(num_players):
        winners += is_winner[player]
        second = max(second, min(best, points[player]))
        best = max(best, points[player])
    for player in range(num_players):
        share = 1.0 / num_players
        if winners > 0:
            share = np.float64(is_winner[player]) / winners
        rival = second if points[player] == best else best
        lead = relative_lead(points[player], rival)
        points[player] = (1.0 - LEAD_WEIGHT) * share + LEAD_WEIGHT * lead


@inline_kernel
def relative_lead(own: Any, rival: Any) -> Any:
    """From 0 (everything for the rival) over 1/2 (equal) to 1."""
    both = abs(own) + abs(rival)
    return 0.5 if both == 0.0 else 0.5 + 0.5 * (own - rival) / both


@inline_kernel
def back_up(nodes: Any, values: Any, leaf: Any, result: Any) -> None:
    """Count a simulation's result [players] in all nodes that it came through."""
    node = leaf
    while node != NO_NODE:
        nodes[node].visits += 1
        for player in range(result.shape[0]):
            values[node, player] += result[player]
        node = np.int64(nodes[node].parent)


# --- one tree --------------------------------------------------------------------------------


class Tree:
    """A tree and the arrays that its simulations work in; none of them is shared with another.

    Args:
        ruleset: the game, its options and tables.
        capacity: number of nodes.
    """

    def __init__(self, ruleset: Ruleset, capacity: int) -> None:
        game, players = ruleset.game, ruleset.num_players
        self._rules = ruleset.record
        self._worlds = allocate(game.state_dtype, 1)
        self._trees = allocate(TREE, 1)
        self._nodes = allocate(NODE, capacity)
        self._values = np.zeros((capacity, players))
        self._untried = np.zeros(game.actions.num_words, np.uint64)
        self._points = np.zeros(players)
        self._is_winner = np.zeros(players, np.bool_)

    def plant(
        self, player: int, word: np.uint64, exploration: float, horizon: int, rule_share: float
    ) -> None:
        """Begin anew with the root alone."""
        self._trees[0] = (word, player, 1, horizon, exploration, rule_share)
        self._nodes[ROOT] = (NO_NODE, NO_NODE, NO_NODE, 0, 0, NO_NODE, player, 0.0)
        self._values[ROOT] = 0.0

    def grow(self, states: Array, simulations: int) -> None:
        """Add simulations of the position states [1]."""
        grow(
            self._rules,
            states,
            self._worlds,
            self._trees,
            self._nodes,
            self._values,
            self._untried,
            self._points,
            self._is_winner,
            simulations,
        )

    @property
    def simulations(self) -> int:
        """How many there were."""
        return int(self._nodes["visits"][ROOT])

    def add_children(self, visits: Array, values: Array) -> None:
        """Add those of the root's children to visits int64 and values float64 [num_actions]."""
        player = self._nodes["player"][ROOT]
        child = self._nodes["first_child"][ROOT]
        while child != NO_NODE:
            action = self._nodes["action"][child]
            visits[action] += self._nodes["visits"][child]
            values[action] += self._values[child, player]
            child = self._nodes["next_sibling"][child]


# --- checking --------------------------------------------------------------------------------


def check_settings(
    simulations: object,
    seconds: object,
    trees: object,
    threads: object,
    exploration: object,
    horizon: object,
    rule_share: object,
) -> None:
    """Refuse what `Search` cannot be made with.

    Raises:
        TabletopError: names the argument.
    """
    if (simulations is None) == (seconds is None):
        raise TabletopError("a search needs a budget: either simulations or seconds")
    if simulations is not None:
        check_whole(simulations, "simulations", 1)
    elif check_number(seconds, "seconds") == 0.0:
        raise TabletopError("seconds must be more than 0")
    check_whole(trees, "trees", 1, MAX_TREES)
    check_threads(threads)
    check_number(exploration, "exploration")
    if horizon is not None:
        check_whole(horizon, "horizon", 0)
    if check_number(rule_share, "rule_share") > 1.0:
        raise TabletopError(f"rule_share must be at most 1, not {shown(rule_share)}")


def check_whole(value: object, what: str, low: int, high: int = MAX_SIMULATIONS) -> None:
    """Refuse what is no integer in low .. high.

    Raises:
        TabletopError: names it.
    """
    number = index_of(value)
    if not low <= number <= high:
        raise TabletopError(f"{what} must be an integer from {low} to {high}, not {shown(value)}")


def check_number(value: Any, what: str) -> float:
    """`value` as a finite float of at least 0.

    Raises:
        TabletopError: it is none; names it.
    """
    is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not is_number or not 0 <= value < float("inf"):
        raise TabletopError(f"{what} must be a number from 0 on, not {shown(value)}")
    return float(value)


# --- a search --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Findings:
    """What a search has found out about a decision.

    visits: int64 [num_actions], simulations that began with each action. values: float64
    [num_actions], mean value (0 to 1) of these to the player who decides, 0 without visits.
    """

    visits: Array
    values: Array
    simulations: int

    @property
    def action(self) -> int:
        """The action that was visited most; of several the one with the best mean."""
        most = np.flatnonzero(self.visits == self.visits.max())
        return int(most[np.argmax(self.values[most])])


class Search:
    """A search of decisions of one ruleset, with arrays that are used again by each.

    Args:
        ruleset: the game, its options and tables.
        simulations: how many for each decision, shared by the trees; give this or `seconds`.
        seconds: for how long each decision is searched.
        trees: how many are grown, 1 .. `MAX_TREES`.
        threads: how many share the trees, 1 .. 256. Does not change what `simulations` find.
        exploration: how readily decisions that look worse are tried again, at least 0.
        horizon: after how many decisions of a rollout a position counts as it stands; None: never.
        rule_share: share (0 to 1) of the decisions of rollouts that the game's rule-based bot
            makes; the others are made at random, as all are in games that have none.

    Raises:
        TabletopError: a bad argument.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        trees: int = DEFAULT_TREES,
        threads: int = 1,
        exploration: float = DEFAULT_EXPLORATION,
        horizon: int | None = DEFAULT_HORIZON,
        rule_share: float = DEFAULT_RULE_SHARE,
    ) -> None:
        check_settings(simulations, seconds, trees, threads, exploration, horizon, rule_share)
        self.ruleset: Final = ruleset
        self._simulations = simulations
        self._seconds = seconds
        self._exploration = exploration
        self._horizon = NO_HORIZON if horizon is None else horizon
        has_rule = ruleset.game.kernels.action_worth is not None
        self._rule_share = float(rule_share) if has_rule else 0.0
        self._pool = LanePool(threads)
        capacity = MAX_NODES
        if simulations is not None:
            capacity = min(capacity, 1 + -(-simulations // trees))
        self._trees = [Tree(ruleset, capacity) for _ in range(trees)]

    def run(self, states: Array, seed: int) -> Findings:
        """Search the pending decision of states [1]; nothing there is changed.

        Raises:
            TabletopError: the game is over, or bad seed.
        """
        check_seed(seed)
        if engine.is_over(states[0]):
            raise TabletopError(f"{self.ruleset.game.id}: the game is over, nobody decides")
        player = int(states["current_player"][0])
        words = seeds_to_words(seed, len(self._trees))
        for tree, word in zip(self._trees, words, strict=True):
            tree.plant(player, word, self._exploration, self._horizon, self._rule_share)
        if self._simulations is not None:
            self._spend_simulations(states, self._simulations)
        elif self._seconds is not None:
            self._spend_seconds(states, self._seconds)
        return self._findings()

    def _spend_simulations(self, states: Array, simulations: int) -> None:
        count = len(self._trees)

        def grow_part(first: int, end: int) -> None:
            for k in range(first, end):
                self._trees[k].grow(states, (simulations + k) // count)

        self._pool.run(grow_part, count, MIN_CHUNK_STEPS)

    def _spend_seconds(self, states: Array, seconds: float) -> None:
        deadline = time.perf_counter() + seconds

        def grow_part(first: int, end: int) -> None:
            grow_until(self._trees[first:end], states, deadline)

        self._pool.run(grow_part, len(self._trees), MIN_CHUNK_STEPS)

    def _findings(self) -> Findings:
        visits = np.zeros(self.ruleset.game.actions.count, np.int64)
        values = np.zeros(len(visits))
        for tree in self._trees:
            tree.add_children(visits, values)
        values /= np.maximum(visits, 1)
        return Findings(visits, values, sum(tree.simulations for tree in self._trees))


def grow_until(trees: list[Tree], states: Array, deadline: float) -> None:
    """Add equally many simulations to each of the trees, at least one, until the time is over."""
    count = 1
    now = time.perf_counter()
    while True:
        started = now
        for tree in trees:
            tree.grow(states, count)
        now = time.perf_counter()
        if now >= deadline:
            return
        fitting = int(min(CALL_SECONDS, deadline - now) * count / (now - started))
        count = max(1, min(2 * count, fitting))
