"""Bots: their names and arguments, those that read the state record, rule-based bots in kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import toy_game
from toy_game import PASS

from tabletop_core import engine
from tabletop_core.bots import (
    BOTS,
    RandomBot,
    RuleBot,
    StateBot,
    ask,
    make_bot,
    make_bots,
    split_bots,
)
from tabletop_core.errors import TabletopError
from tabletop_core.game import Array, Game, Ruleset, allocate, register_game
from tabletop_core.rng import GOLDEN_GAMMA, SEED_LIMIT, seed_to_word
from tabletop_core.seat_env import SeatVectorEnv
from tabletop_core.session import Session
from tabletop_core.single_agent import SingleAgentEnv

PLAYERS = (2, 3, 4)


@dataclass(frozen=True)
class TastefulBot(StateBot):
    """Plays the legal action of a rank; it has one argument of each type."""

    rank: int = 0
    share: float = 0.5
    is_shy: bool = False
    limit: int | None = 7
    style: str = "plain"

    def __post_init__(self) -> None:
        if self.rank < 0:
            raise TabletopError(f"rank must be 0 or more, not {self.rank}")

    def choose(self, ruleset: Ruleset, states: Array, rng: np.random.Generator) -> int:
        session = Session(ruleset)
        session.state[:] = states
        states["legal"] = 0  # a copy: the game goes on all the same
        session.has_started = True
        legal = session.clone().legal_actions()
        return legal[self.rank % len(legal)]


@pytest.fixture(autouse=True)
def tasteful(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BOTS, "tasteful", TastefulBot)


@pytest.fixture(scope="module")
def ruleless() -> Game:
    """A game without a rule-based bot."""
    return register_game(toy_game.make_game("ruleless", action_worth=None))


# --- names and arguments ---------------------------------------------------------------------


def test_bots_have_names() -> None:
    assert make_bot("random") == RandomBot()
    assert make_bot("rule") == RuleBot()
    assert make_bot("tasteful") == TastefulBot()
    assert make_bot(TastefulBot(3)) == TastefulBot(3)


def test_arguments_follow_the_name() -> None:
    text = "tasteful:rank=2,share=0.25,is_shy=true,limit=none,style=a=b"
    assert make_bot(text) == TastefulBot(2, 0.25, True, None, "a=b")
    assert make_bot("tasteful:share=1") == TastefulBot(share=1.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("deep-thought", "'deep-thought' is not available; there is 'random', 'rule'"),
        ("", "'' is not available"),
        ("Rule", "'Rule' is not available"),
        ("random:", "'' is no argument .* 'random' are none"),
        ("rule:depth=3", "'depth=3' is no argument .* 'rule' are none"),
        ("tasteful:depth=3", "'depth=3' is no argument .* are rank, share, is_shy, limit, style"),
        ("tasteful:rank", "'rank' is no argument"),
        ("tasteful:rank=1,rank=2", "'rank=2' is no argument that it takes once"),
        ("tasteful:rank=many", "rank=many: use a whole number$"),
        ("tasteful:limit=many", "limit=many: use a whole number or none"),
        ("tasteful:share=half", "share=half: use a number"),
        ("tasteful:is_shy=perhaps", "use true or false"),
        ("tasteful:rank=-1", "rank must be 0 or more"),
        (RandomBot, "a bot is a name"),
        (TastefulBot, "a bot is a name"),
        (3, "a bot is a name"),
    ],
)
def test_what_is_no_bot_is_refused(text: object, message: str) -> None:
    with pytest.raises(TabletopError, match=message):
        make_bot(text)  # type: ignore[arg-type]


def test_lists_of_bots_keep_their_arguments() -> None:
    assert split_bots("random") == ["random"]
    assert split_bots("rule, tasteful:rank=1,share=0.5,random,tasteful:limit=3") == [
        "rule",
        "tasteful:rank=1,share=0.5",
        "random",
        "tasteful:limit=3",
    ]
    assert split_bots("") == [""]
    assert split_bots("rank=1") == ["rank=1"]
    assert split_bots("random,") == ["random", ""]


# --- bots that read the state record ---------------------------------------------------------


@pytest.mark.parametrize("players", PLAYERS)
def test_state_bots_play_in_every_view(players: int) -> None:
    """A bot that takes the first legal action plays like the callable that does."""

    def first_legal(observation: dict[str, Array], player: int, rng: object) -> int:
        return int(observation["action_mask"].argmax())

    ruleset = toy_game.GAME.ruleset(players)
    games = []
    for bot in ("tasteful", TastefulBot(), first_legal):
        single = SingleAgentEnv(ruleset, opponents=bot)
        lanes = SeatVectorEnv(ruleset, 1, opponents=bot, autoreset="disabled")
        seen = [single.reset(seed=3)[0], lanes.reset(seed=3)[0]]
        for _ in range(4):
            action = single.legal_actions()[-1]
            seen += [single.step(action)[0], lanes.step(np.array([action]))[0]]
        games.append([part["observation"].tobytes() for part in seen])
        assert games[-1][::2] == games[-1][1::2]
    assert games[0] == games[1] == games[2]


def test_a_bot_is_handed_a_copy_of_the_state() -> None:
    session = Session(toy_game.GAME.ruleset(2))
    session.reset(5)
    before = session.serialize()
    assert session.is_legal(ask(TastefulBot(1), session, np.random.default_rng(0)))
    assert session.serialize() == before


# --- rule-based bots -------------------------------------------------------------------------


def test_games_without_a_rule_say_so(ruleless: Game) -> None:
    ruleset = ruleless.ruleset(2)
    for make in (
        lambda: make_bots(["random", "rule"], ruleset),
        lambda: SingleAgentEnv(ruleset, opponents="rule"),
        lambda: SeatVectorEnv(ruleset, 2, opponents=["rule"]),
    ):
        with pytest.raises(TabletopError, match="ruleless_v0 has no rule-based bot"):
            make()
    assert len(make_bots(["random", "random"], ruleset)) == 2


def test_random_opponents_need_no_rule(ruleless: Game) -> None:
    """The loops are compiled for a game without a rule, and play it as they play others."""
    traces = []
    for game in (ruleless, toy_game.GAME):
        vec = SeatVectorEnv(game.ruleset(3), 4, opponents="random", autoreset="same_step")
        observation, _ = vec.reset(seed=1)
        trace = []
        for _ in range(30):
            observation, *_ = vec.step(observation["action_mask"].argmax(axis=1))
            trace.append(observation["observation"].tobytes())
        traces.append(trace)
    assert traces[0] == traces[1]


def rule_word(seed: int) -> Array:
    """The chooser of the bots in a lane that was seeded with `seed`."""
    chooser = allocate(engine.CHOOSER, 1)
    chooser["rng"] = seed_to_word((seed + GOLDEN_GAMMA) % SEED_LIMIT)
    return chooser


@pytest.mark.parametrize("players", PLAYERS)
def test_lanes_play_the_rule_with_their_own_generators(players: int) -> None:
    """Lane i is the game of seed + i in which the rule is asked with the chooser of lane i."""
    ruleset = toy_game.GAME.ruleset(players)
    vec = SeatVectorEnv(ruleset, 3, opponents="rule", seat=1, autoreset="disabled")
    observation, _ = vec.reset(seed=20)
    games = []
    for lane in range(3):
        session = Session(ruleset)
        session.reset(20 + lane)
        games.append((session, rule_word(20 + lane)))
    for _ in range(8):
        for session, chooser in games:
            while session.current_player != 1 and not session.is_over:
                session.step(engine.rule_one(ruleset.record, session.state, chooser))
        if any(session.is_over for session, _ in games):
            break
        seen = [session.observation for session, _ in games]
        np.testing.assert_array_equal(observation["observation"], seen)
        actions = observation["action_mask"].argmax(axis=1)
        for (session, _), action in zip(games, actions.tolist()):
            session.step(action)
        observation, *_ = vec.step(actions)
    else:
        raise AssertionError("no game ended")


@pytest.mark.parametrize(
    ("opponents", "rule_bots"),
    [(["rule", "random"], 0b010), (["random", "rule"], 0b100), ("random", 0), ("rule", 0b110)],
)
def test_each_opponent_in_a_kernel_is_of_its_kind(opponents: list[str], rule_bots: int) -> None:
    vec = SeatVectorEnv(toy_game.GAME.ruleset(3), 2, opponents=opponents)
    vec.reset(seed=0)
    assert set(vec._lanes.records["bots"].tolist()) == {0b110}
    assert set(vec._lanes.records["rule_bots"].tolist()) == {rule_bots}


def test_the_rule_draws_from_the_generator_it_is_given() -> None:
    session = Session(toy_game.GAME.ruleset(2))
    session.reset(1)
    answers = [ask(RuleBot(), session, np.random.default_rng(seed)) for seed in range(20)]
    assert answers == [ask(RuleBot(), session, np.random.default_rng(seed)) for seed in range(20)]
    assert len(set(answers)) == 2
    assert PASS not in answers
