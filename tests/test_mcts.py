"""Monte Carlo tree search: legal choices, budgets, nothing learnt that a player cannot know."""

from __future__ import annotations

import pickle
import time
from collections.abc import Sequence
from itertools import islice
from random import Random
from typing import Any

import numpy as np
import pytest
import toy_game
from efforts import capped
from positions import game_positions
from test_jumpgate_rules import all_but_one_claimed, table
from worlds import SIGMAS

from stargate_env.decks import OFFICIAL_DECKS
from tabletop_core import engine, mcts
from tabletop_core.bots import DEFAULT_SIMULATIONS, MctsBot, ask, make_bot
from tabletop_core.errors import TabletopError
from tabletop_core.game import Array, Ruleset, games
from tabletop_core.mcts import Findings, Search, Tree
from tabletop_core.ratings import wilson_interval
from tabletop_core.rng import seed_to_word
from tabletop_core.session import Session

SIMULATIONS = 40
STARGATE_BOT = "mcts:simulations=60,trees=1,horizon=20"
EVERY = 23  # positions of a random game apart from each other
RARE = 10  # choices that come up less often in two samples together

Position = tuple[Ruleset, Array]


def undecided(ruleset: Ruleset, seed: int, first: int = 0) -> list[Position]:
    """Copies of some positions of a random game, from decision `first` on."""
    played = islice(game_positions(ruleset, Random(seed)), first, None, EVERY)
    copies = [(ruleset, state.copy()) for _, state in islice(played, 4)]
    return [(ruleset, state) for ruleset, state in copies if not engine.is_over(state[0])]


def legal_actions(state: Array) -> set[int]:
    bits = np.unpackbits(state["legal"].view(np.uint8), bitorder="little")
    return set(np.flatnonzero(bits).tolist())


def as_bytes(findings: Findings) -> tuple[bytes, bytes, int]:
    return findings.visits.tobytes(), findings.values.tobytes(), findings.simulations


# --- what is chosen --------------------------------------------------------------------------


def test_choices_are_legal(ruleset: Ruleset) -> None:
    """At the beginning and later, whoever is to decide; the budget is spent and nothing changes."""
    search = Search(capped(ruleset), simulations=SIMULATIONS, trees=3)
    for seed, (_, state) in enumerate(undecided(search.ruleset, 1)):
        before = state.tobytes()
        findings = search.run(state, seed)
        assert state.tobytes() == before
        tried = set(np.flatnonzero(findings.visits).tolist())
        assert findings.action in tried <= legal_actions(state)
        assert findings.visits.sum() == findings.simulations == SIMULATIONS
        assert findings.visits.max() == findings.visits[findings.action]
        assert (findings.values >= 0).all() and (findings.values <= 1).all()
        assert (findings.values[findings.visits == 0] == 0).all()


def climb(*, hands: Sequence[Sequence[int]], points: Sequence[int], top: int = 0) -> Session:
    """A position of the toy game; who reaches 40 points wins at once."""
    session = Session(toy_game.GAME.ruleset(len(hands), values="flat", target=12))
    session.reset(1)
    data = session.to_json()
    held = {card for hand in hands for card in hand}
    others = [card for card in range(toy_game.NUM_CARDS) if card not in held]
    played = others[: sum(points)]
    session.from_json(
        {**data, "hands": [list(hand) for hand in hands], "points": list(points), "top": top}
        | {"played": played, "deck": others[len(played) :], "current_player": 0}
    )
    return session


@pytest.mark.parametrize("seed", range(5))
def test_finds_the_win_in_one(seed: int) -> None:
    """Whoever plays a card with 5 points each has most; passing leaves that to the other."""
    session = climb(hands=[[9], [10]], points=[5, 5], top=9)
    assert legal_actions(session.state) == {9, toy_game.PASS}
    findings = Search(session.ruleset, simulations=60).run(session.state, seed)
    assert findings.action == 9
    assert findings.values[9] > 0.75 > findings.values[toy_game.PASS]


def test_claims_the_last_planet() -> None:
    """Jump Gate §7.3: equal so far, the last planet decides."""
    position = all_but_one_claimed(2, at="P01 P01", turn=1, hands=["", "N21 N19"])
    session = table(**position, actions_left=1).session
    findings = Search(session.ruleset, simulations=400).run(session.state, 1)
    assert session.action_to_string(findings.action) == "claim"


def wins_of(ruleset: Ruleset, bots: Sequence[str], num_games: int) -> float:
    """Wins of the first bot in games of two, every deal from both seats; a tie is half a win."""
    made = [make_bot(bot) for bot in bots]
    wins = 0.0
    for game in range(num_games):
        session = Session(ruleset)
        session.reset(game // 2)
        rng = np.random.default_rng(game)
        while not session.is_over:
            session.step(ask(made[session.current_player ^ game % 2], session, rng))
        winners = session.result()["winners"]
        wins += (game % 2 in winners) / max(1, len(winners))
    return wins


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "bot"),
    [
        ("jumpgate_v0", "mcts:simulations=200,trees=1,horizon=12"),
        ("junkorbit_v0", "mcts:simulations=400,trees=1,horizon=14"),
    ],
)
def test_beats_the_rule_based_bot(name: str, bot: str) -> None:
    """At least 70 % of 400 games (lower end of the 95 % interval), some milliseconds a decision."""
    num_games = 400
    wins = wins_of(games()[name].ruleset(2), [bot, "rule"], num_games)
    lower, _ = wilson_interval(wins, num_games)
    assert lower >= 0.7


@pytest.mark.long
def test_beats_the_rule_based_bot_with_every_official_deck() -> None:
    """The same in the Stargate TCG, both sides with the same deck: 34 games with each."""
    game, num_games = games()["stargate_v0"], 34
    wins = sum(
        wins_of(game.ruleset(2, decks=(deck, deck)), [STARGATE_BOT, "rule"], num_games)
        for deck in OFFICIAL_DECKS
    )
    lower, _ = wilson_interval(wins, num_games * len(OFFICIAL_DECKS))
    assert lower >= 0.7


@pytest.mark.parametrize("rule_share", [0, 0.5, 1])
def test_searching_wins_against_chance(rule_share: float) -> None:
    """In the toy game, with rollouts of every kind."""
    bots = [f"mcts:simulations=100,rule_share={rule_share}", "random"]
    assert wins_of(toy_game.GAME.ruleset(2), bots, 50) > 30


# --- budgets, seeds and threads --------------------------------------------------------------


def test_threads_change_nothing(ruleset: Ruleset) -> None:
    ruleset = capped(ruleset)
    _, state = undecided(ruleset, 2)[-1]
    found = [
        as_bytes(Search(ruleset, simulations=SIMULATIONS, trees=5, threads=threads).run(state, 3))
        for threads in (1, 2, 4, 7)
    ]
    assert found == found[:1] * len(found)


def test_searches_leave_nothing_behind(ruleset: Ruleset) -> None:
    """A search that has been used finds what a new one finds, and another seed something else."""
    ruleset = capped(ruleset)
    search = Search(ruleset, simulations=SIMULATIONS)
    positions = undecided(ruleset, 4)
    for _, state in positions:
        search.run(state, 1)
    _, state = positions[0]
    again = as_bytes(search.run(state, 5))
    assert again == as_bytes(Search(ruleset, simulations=SIMULATIONS).run(state, 5))
    assert again != as_bytes(search.run(state, 6))


def test_simulations_are_shared_by_the_trees() -> None:
    ruleset = toy_game.GAME.ruleset(3)
    _, state = undecided(ruleset, 1)[0]
    for simulations, trees in ((1, 4), (3, 4), (10, 4), (7, 1)):
        findings = Search(ruleset, simulations=simulations, trees=trees).run(state, 1)
        assert findings.simulations == findings.visits.sum() == simulations


@pytest.mark.parametrize("threads", [1, 2])
def test_a_budget_in_seconds_is_kept(threads: int) -> None:
    ruleset = toy_game.GAME.ruleset(2)
    _, state = undecided(ruleset, 1)[0]
    search = Search(ruleset, seconds=0.05, threads=threads)
    search.run(state, 1)  # compiles
    started = time.perf_counter()
    findings = search.run(state, 2)
    assert 0.05 <= time.perf_counter() - started < 1
    assert findings.simulations > 100
    assert findings.action in legal_actions(state)


def test_a_full_tree_goes_on_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcts, "MAX_NODES", 3)
    ruleset = toy_game.GAME.ruleset(2)
    _, state = undecided(ruleset, 1)[0]
    findings = Search(ruleset, simulations=100, trees=1).run(state, 1)
    assert findings.simulations == 100
    assert 1 <= np.count_nonzero(findings.visits) <= 2


def test_without_a_horizon_games_are_played_to_the_end() -> None:
    """Cut at once, the position counts as it stands: one player has points, or nobody."""
    ruleset = toy_game.GAME.ruleset(2)
    session = Session(ruleset)
    session.reset(1)
    findings = Search(ruleset, simulations=3, trees=1, horizon=0).run(session.state, 1)
    assert set(findings.values[findings.visits > 0]) <= {0.5, 1.0}
    far, endless = (
        Search(ruleset, simulations=60, horizon=horizon).run(session.state, 1)
        for horizon in (10_000, None)
    )
    assert as_bytes(far) == as_bytes(endless)


# --- what a player cannot know ---------------------------------------------------------------


def test_the_real_future_is_not_read(ruleset: Ruleset) -> None:
    """The generator of the real game changes nothing."""
    ruleset = capped(ruleset)
    search = Search(ruleset, simulations=SIMULATIONS)
    for _, state in undecided(ruleset, 7, first=5):
        found = as_bytes(search.run(state, 1))
        state["rng"] = seed_to_word(99)
        assert as_bytes(search.run(state, 1)) == found


def other_world(ruleset: Ruleset, state: Array, player: int, seed: int) -> Array:
    """The position with other hidden cards that agree with what a player knows.

    And with another generator, which is hidden, too: of Junk Orbit nothing else is, since the next
    tile of a stack is drawn when it is needed.
    """
    other = state.copy()
    other["rng"] = seed_to_word(seed)
    engine.determinize_one(ruleset.record, other, player)
    return other


def choices(ruleset: Ruleset, state: Array, viewer: int, seeds: range, simulations: int) -> Array:
    """How often each action is visited most (int64 [num_actions]) by what a viewer knows."""
    counts = np.zeros(ruleset.game.actions.count, np.int64)
    tree = Tree(ruleset, simulations + 1)
    for seed in seeds:
        tree.plant(
            viewer, np.uint64(seed_to_word(seed)), exploration=0.2, horizon=20, rule_share=0.5
        )
        tree.grow(state, simulations)
        visits, values = np.zeros_like(counts), np.zeros(len(counts))
        tree.add_children(visits, values)
        counts[visits.argmax()] += 1
    return counts


def with_rare_ones_together(samples: Array) -> Array:
    """Samples [2, number of choices] with all choices that are too rare for chi-square as one."""
    is_rare = samples.sum(axis=0) < RARE
    rare = samples[:, is_rare].sum(axis=1, keepdims=True)
    return np.hstack([samples[:, ~is_rare], rare[:, rare[0] + rare[1] > 0]])


def distance(first: Array, second: Array) -> float:
    """How many standard deviations two samples of choices are apart (chi-square)."""
    samples = with_rare_ones_together(np.stack([first, second]))
    both = samples.sum(axis=0)
    expected = both * samples.sum(axis=1, keepdims=True) / both.sum()
    statistic = ((samples - expected) ** 2 / expected).sum()
    freedom = max(1, len(both) - 1)
    variance = 2 / (9 * freedom)  # Wilson and Hilferty, as in `worlds`
    return float(((statistic / freedom) ** (1 / 3) - 1 + variance) / variance**0.5)


@pytest.mark.parametrize("num_games", [1, pytest.param(12, marks=pytest.mark.long)])
def test_choices_do_not_depend_on_hidden_cards(ruleset: Ruleset, num_games: int) -> None:
    """Searched often with the real hidden cards and with others, each action is as frequent.

    In no position, and not in all positions together, where small differences would add up.
    """
    ruleset = capped(ruleset)
    distances = []
    for seed in range(num_games):
        for _, state in undecided(ruleset, 8 + seed, first=9 + seed)[:2]:
            player = int(state["current_player"][0])
            other = other_world(ruleset, state, player, 1)
            real = choices(ruleset, state, player, range(120), 12)
            swapped = choices(ruleset, other, player, range(1000, 1120), 12)
            distances.append(distance(real, swapped))
    assert len(distances) >= num_games
    assert max(distances) < SIGMAS
    assert sum(distances) / len(distances) ** 0.5 < SIGMAS


def test_the_statistic_would_notice_a_look_at_the_hands() -> None:
    """A search that knows the others' hands (it has one of them as its viewer) chooses by them."""
    ruleset = toy_game.GAME.ruleset(2)
    fair, cheating = [], []
    for seed in range(12):
        _, state = undecided(ruleset, seed, first=2)[0]
        player = int(state["current_player"][0])
        other = other_world(ruleset, state, player, 1)
        for viewer, distances in ((player, fair), (1 - player, cheating)):
            real = choices(ruleset, state, viewer, range(100), 40)
            swapped = choices(ruleset, other, viewer, range(1000, 1100), 40)
            distances.append(distance(real, swapped))
    assert max(fair) < SIGMAS
    assert sum(one > SIGMAS for one in cheating) >= 3, cheating


@pytest.mark.parametrize("name", [toy_game.GAME.id, "jumpgate_v0", "junkorbit_v0"])
def test_the_same_seed_finds_the_same_with_other_cards(name: str) -> None:
    """Where worlds are drawn from what is hidden as a set, even the findings are equal."""
    game = games()[name]
    for players in range(game.min_players, game.max_players + 1):
        ruleset = game.ruleset(players)
        for _, state in undecided(ruleset, 11, first=6):
            other = other_world(ruleset, state, int(state["current_player"][0]), 5)
            assert other.tobytes() != state.tobytes()
            found = [
                as_bytes(Search(ruleset, simulations=SIMULATIONS).run(position, 3))
                for position in (state, other)
            ]
            assert found[0] == found[1]


# --- the bot ---------------------------------------------------------------------------------


def test_bot_by_name() -> None:
    bot = make_bot("mcts:simulations=50,trees=2,exploration=0.5")
    assert bot == MctsBot(simulations=50, trees=2, exploration=0.5)
    assert MctsBot().simulations == DEFAULT_SIMULATIONS
    assert make_bot("mcts:seconds=0.5") == MctsBot(seconds=0.5)
    assert MctsBot(seconds=0.5).simulations is None
    assert pickle.loads(pickle.dumps(bot)) == bot


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("simulations=3,seconds=1", "either simulations or seconds"),
        ("simulations=0", "simulations must be an integer from 1"),
        ("seconds=0", "seconds must be more than 0"),
        ("seconds=nan", "seconds must be a number from 0 on"),
        ("trees=0", "trees must be an integer from 1 to 256"),
        ("threads=0", "threads must be an integer from 1 to 256"),
        ("exploration=-1", "exploration must be a number from 0 on"),
        ("horizon=-1", "horizon must be an integer from 0"),
        ("rule_share=2", "rule_share must be at most 1"),
    ],
)
def test_bad_settings_are_refused(arguments: str, message: str) -> None:
    with pytest.raises(TabletopError, match=message):
        make_bot(f"mcts:{arguments}")


def test_a_search_needs_a_decision_and_a_seed() -> None:
    session = Session(toy_game.GAME.ruleset(2))
    session.reset(1)
    search = Search(session.ruleset, simulations=5)
    with pytest.raises(TabletopError, match="seed"):
        search.run(session.state, -1)
    while not session.is_over:
        session.step(session.legal_actions()[0])
    with pytest.raises(TabletopError, match="the game is over"):
        search.run(session.state, 1)


def test_a_bot_keeps_one_search_for_each_ruleset() -> None:
    bot = MctsBot(simulations=5)
    rulesets = [toy_game.GAME.ruleset(2), toy_game.GAME.ruleset(2), toy_game.GAME.ruleset(3)]
    searches: list[Any] = [bot.search(ruleset) for ruleset in rulesets]
    assert searches[0] is searches[1] is not searches[2]


def test_the_only_answer_needs_no_search() -> None:
    """The toy game asks who has no higher card, too (`must_ask`)."""
    session = climb(hands=[[3], [10]], points=[4, 5], top=9)
    assert legal_actions(session.state) == {toy_game.PASS}
    bot = MctsBot(simulations=mcts.MAX_SIMULATIONS)
    rng = np.random.default_rng(1)
    assert bot.choose(session.ruleset, session.state.copy(), rng) == toy_game.PASS
