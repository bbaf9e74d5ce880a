"""Every border of a session: what is wrong is refused in words and changes nothing."""

from __future__ import annotations

import copy
import pickle
import random
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import toy_game
from hypothesis import given, settings
from hypothesis import strategies as st

from tabletop_core import engine
from tabletop_core.errors import TabletopError, shown
from tabletop_core.game import Ruleset
from tabletop_core.session import Guard, Session

RULESET = toy_game.GAME.ruleset(3)
OTHER_RULESETS = {
    "players": toy_game.GAME.ruleset(2),
    "options": toy_game.GAME.ruleset(3, target=41),
}
NUMPY_INTEGERS = [np.int8, np.uint8, np.int32, np.int64, np.uint64]
NOT_INTEGERS: list[Any] = [
    None,
    "1",
    b"1",
    1.0,
    float("nan"),
    float("inf"),
    True,
    np.bool_(True),
    [1],
    {},
    1j,
]
NOT_INTEGERS += [np.float64(1), np.array([1, 2]), object]
HUGE = [2**64, -(2**64), 10**5000]


def begun(ruleset: Ruleset = RULESET, seed: int = 1, steps: int = 3) -> Session:
    session = Session(ruleset)
    session.reset(seed)
    for _ in range(steps):
        session.step(session.legal_actions()[-1])
    return session


def finished(ruleset: Ruleset = RULESET, seed: int = 1) -> Session:
    session = begun(ruleset, seed, 0)
    while not session.is_over:
        session.step(session.legal_actions()[0])
    return session


def require_refused(session: Session, call: Callable[[Session], object], match: str = "") -> str:
    """The call raises TabletopError and the session is as before; the message."""
    before = (session.state.tobytes(), session.mask.tobytes(), session.observation.tobytes())
    started = session.has_started
    with pytest.raises(TabletopError, match=match or None) as caught:
        call(session)
    assert (
        session.state.tobytes(),
        session.mask.tobytes(),
        session.observation.tobytes(),
    ) == before
    assert session.has_started is started
    assert len(str(caught.value)) < 2000
    return str(caught.value)


# --- arguments -------------------------------------------------------------------------------


@pytest.mark.parametrize("action", [*NOT_INTEGERS, *HUGE, -1, 17], ids=shown)
@pytest.mark.parametrize("method", ["step", "is_legal", "action_to_string"])
def test_bad_actions(method: str, action: Any) -> None:
    session = begun()
    message = require_refused(session, lambda s: getattr(s, method)(action), "from 0 to 16")
    assert message.startswith("climb_v0: an action is an integer")
    assert f"not {shown(action)}" in message


@pytest.mark.parametrize("player", [*NOT_INTEGERS, *HUGE, -1, 3], ids=shown)
@pytest.mark.parametrize("method", ["observe", "legal_action_mask", "determinize", "render"])
def test_bad_players(method: str, player: Any) -> None:
    if player is None and method == "render":
        return
    message = require_refused(begun(), lambda s: getattr(s, method)(player), "from 0 to 2")
    assert message.startswith("climb_v0: a player is an integer")


@pytest.mark.parametrize("player", [-1, 3, "0", 0.0, False], ids=shown)
def test_bad_players_of_views(player: Any) -> None:
    require_refused(begun(), lambda s: s.to_json(player), "a player is an integer")


@pytest.mark.parametrize("seed", [*NOT_INTEGERS[1:], *HUGE, -1], ids=shown)
def test_bad_seeds(seed: Any) -> None:
    require_refused(begun(), lambda s: s.reset(seed), "seed must be an integer from 0 to 2")
    require_refused(begun(), lambda s: s.determinize(0, seed), "seed must be an integer")
    require_refused(Session(RULESET), lambda s: s.reset(seed), "seed must be an integer")


@pytest.mark.parametrize("number", NUMPY_INTEGERS)
def test_integers_of_numpy(number: type) -> None:
    session, expected = begun(seed=0, steps=0), begun(seed=0, steps=0)
    action = expected.legal_actions()[0]
    session.reset(number(0))
    session.step(number(action))
    expected.step(action)
    assert session.serialize() == expected.serialize()
    assert (session.observe(number(2)) == expected.observe(2)).all()


@pytest.mark.parametrize("reward", ["", "WIN", None, 1, ["win"], "points"], ids=shown)
def test_bad_rewards(reward: Any) -> None:
    with pytest.raises(TabletopError, match="reward must be one of win, score, margin"):
        Session(RULESET, reward)


@pytest.mark.parametrize("players", [1, 5, 0, -2, 2.0, "2", True, 10**5000], ids=shown)
def test_bad_player_counts(players: Any) -> None:
    with pytest.raises(TabletopError, match="climb_v0 is for 2 to 4 players"):
        toy_game.GAME.ruleset(players)


def test_unknown_options() -> None:
    with pytest.raises(TabletopError, match="climb_v0 has no option 'hand'; .* hand_size"):
        toy_game.GAME.ruleset(2, hand=3)


@pytest.mark.parametrize("text", ["", "play", "play 16", "play 01", "PASS", "pass ", "play -1"])
def test_bad_texts(text: str) -> None:
    require_refused(begun(), lambda s: s.string_to_action(text), "no action is called")


# --- order of calls --------------------------------------------------------------------------

NEEDING_A_GAME: dict[str, Callable[[Session], object]] = {
    "step": lambda s: s.step(0),
    "serialize": lambda s: s.serialize(),
    "to_json": lambda s: s.to_json(),
    "view": lambda s: s.to_json(0),
    "render": lambda s: s.render(),
    "action_to_string": lambda s: s.action_to_string(0),
    "string_to_action": lambda s: s.string_to_action("pass"),
    "determinize": lambda s: s.determinize(0),
}


@pytest.mark.parametrize("name", NEEDING_A_GAME)
def test_before_reset(name: str) -> None:
    require_refused(Session(RULESET), NEEDING_A_GAME[name], r"climb_v0: call reset\(\) before")


def test_before_reset_there_is_nothing_to_see() -> None:
    session = Session(RULESET)
    assert not session.observe(1).any()
    assert not session.legal_action_mask(0).any()
    assert session.legal_actions() == []
    assert not session.is_legal(0)
    assert not session.is_over
    assert session.rewards() == [0.0, 0.0, 0.0]
    require_refused(session, lambda s: s.result(), "not over")
    clone = session.clone()
    assert not clone.has_started
    clone.reset(4)
    clone.restore(session)
    assert not clone.has_started
    assert not clone.legal_action_mask(0).any()


def test_after_the_end() -> None:
    session = finished()
    require_refused(session, lambda s: s.step(0), r"climb_v0: the game is over; call reset\(\)")
    for player in range(3):
        assert not session.legal_action_mask(player).any()
    assert session.legal_actions() == []
    assert all(type(reward) is float for reward in session.rewards())
    assert [type(flag) for flag in (session.terminated, session.truncated)] == [bool, bool]
    again = Session(RULESET)
    again.from_json(session.to_json())
    assert again.serialize() == session.serialize()
    session.reset()
    assert session.legal_actions()
    assert session.rewards() == [0.0, 0.0, 0.0]


def test_result_before_the_end() -> None:
    require_refused(begun(), lambda s: s.result(), "the game is not over yet")


# --- illegal actions -------------------------------------------------------------------------


def test_illegal_actions_are_explained() -> None:
    session = begun(seed=2, steps=1)
    legal = set(session.legal_actions())
    for action in set(range(toy_game.ACTIONS.count)) - legal:
        message = require_refused(session, partial(Session.step, action=action))
        words = session.action_to_string(action)
        player = session.current_player
        assert f"climb_v0: player {player} may not play {words!r} (action {action}) now" in message
        assert all(repr(session.action_to_string(other)) in message for other in legal)


def test_long_lists_of_legal_actions_are_cut() -> None:
    session = begun(toy_game.GAME.ruleset(2, hand_size=4), steps=0)
    session.mask[:] = 1
    assert session.explain_illegal(0).endswith("'play 11' and 5 more")


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 50), st.integers(-5, 25))
def test_step_accepts_exactly_the_mask(seed: int, action: int) -> None:
    session = begun(seed=seed, steps=1)
    if session.is_over:
        return
    before = session.serialize()
    if action in session.legal_actions():
        session.step(action)
        assert session.serialize() != before
    else:
        require_refused(session, lambda s: s.step(action))


# --- bytes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [None, "text", 5, [1, 2], np.zeros(3), 3.5 + 1j], ids=shown)
def test_what_is_no_bytes(data: Any) -> None:
    require_refused(begun(), lambda s: s.deserialize(data), "a serialized position is bytes")
    require_refused(begun(), lambda s: s.restore(data), "a serialized position is bytes")


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_kind_of_bytes(kind: Callable[[bytes], Any]) -> None:
    session = Session(RULESET)
    session.deserialize(kind(begun().serialize()))
    assert session.serialize() == begun().serialize()


def test_truncated_bytes() -> None:
    data = begun().serialize()
    for length in range(len(data)):
        require_refused(begun(seed=5), partial(Session.deserialize, data=data[:length]), "bytes")
    require_refused(begun(seed=5), lambda s: s.deserialize(data + b"\0"), "has .* bytes, these are")


def test_every_flipped_bit() -> None:
    """Refused, or a possible position that is written as the same bytes again."""
    data = begun().serialize()
    session = Session(RULESET)
    accepted = 0
    for bit in range(8 * len(data)):
        bad = bytearray(data)
        bad[bit // 8] ^= 1 << bit % 8
        try:
            session.deserialize(bytes(bad))
        except TabletopError:
            continue
        assert session.serialize() == bad
        accepted += 1
    assert 0 < accepted < 8 * len(data) // 2


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes(data: bytes) -> None:
    session = begun()
    require_refused(session, lambda s: s.deserialize(data), "not a serialized position")
    header = session.serialize()[: -session.state.nbytes]
    content = (header + data).ljust(len(session.serialize()), b"\0")[: len(session.serialize())]
    try:
        session.deserialize(content)
    except TabletopError:
        return
    assert session.serialize() == content


def test_bytes_with_a_dead_generator() -> None:
    data = bytearray(begun().serialize())
    state = len(data) - begun().state.nbytes
    data[state : state + 8] = bytes(8)
    require_refused(begun(), lambda s: s.deserialize(bytes(data)), "possible position")


# --- other rulesets --------------------------------------------------------------------------


@pytest.mark.parametrize("name", OTHER_RULESETS)
@pytest.mark.parametrize("has_started", [True, False])
def test_positions_of_other_rulesets(name: str, has_started: bool) -> None:
    ruleset = OTHER_RULESETS[name]
    other = begun(ruleset) if has_started else Session(ruleset)
    require_refused(begun(), lambda s: s.restore(other), "another ruleset of climb_v0")
    if has_started:
        data = other.serialize()
        require_refused(begun(), lambda s: s.deserialize(data), "another ruleset of climb_v0")
        words = other.to_json()
        require_refused(begun(), lambda s: s.from_json(words), "")


def test_bytes_of_another_game() -> None:
    data = begun().serialize().replace(b"climb_v0", b"clamb_v0")
    require_refused(begun(), lambda s: s.deserialize(data), "not a serialized position of climb_v0")


# --- words -----------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [None, [], "x", 5, float("nan"), {}, {"hands": []}], ids=shown)
def test_what_is_no_position(data: Any) -> None:
    require_refused(begun(), lambda s: s.from_json(data))
    require_refused(Session(RULESET), lambda s: s.from_json(data))


def test_impossible_positions() -> None:
    words = begun().to_json()
    changes: dict[str, Any] = {
        "hands": [[0], [0], [1]],
        "deck": [],
        "points": [1, 2],
        "top": 99,
        "current_player": 3,
        "turn_count": -1,
        "decision_count": 2**40,
        "rng": "0x0",
        "truncated": "yes",
    }
    for key, value in changes.items():
        require_refused(begun(), partial(Session.from_json, data=words | {key: value}))


def test_forced_decisions_of_a_written_position_are_played() -> None:
    session = begun(steps=0)
    words = session.to_json()
    cards = sorted(sum(words["hands"], words["deck"]))
    words |= {"hands": [[3], [4, 5], [6]], "deck": [c for c in cards if c not in (3, 4, 5, 6)]}
    session.from_json(words)
    assert session.is_over  # on an empty pile the only card must be played
    assert session.result()["length"] == 0
    assert session.result()["winners"] == [0]


# --- copies ----------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [begun, finished, lambda: Session(RULESET, "margin")])
@pytest.mark.parametrize(
    "duplicate",
    [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s)), lambda s: s.clone()],
    ids=["copy", "deepcopy", "pickle", "clone"],
)
def test_copies_keep_the_position(
    make: Callable[[], Session], duplicate: Callable[[Session], Session]
) -> None:
    session = make()
    twin = duplicate(session)
    assert twin.state.tobytes() == session.state.tobytes()
    assert (twin.mask == session.mask).all()
    assert (twin.observation == session.observation).all()
    assert twin.has_started is session.has_started
    assert twin.reward == session.reward
    assert twin.rewards() == session.rewards()
    assert twin.ruleset.digest == session.ruleset.digest
    assert not np.shares_memory(twin.state, session.state)
    before = session.state.tobytes()
    twin.reset(99)
    assert session.state.tobytes() == before


def test_copies_play_on_alike_and_compile_nothing() -> None:
    session = begun()
    twin = pickle.loads(pickle.dumps(session))
    compiled = len(getattr(engine.step_one, "signatures", []))
    rng = random.Random(0)
    while not session.is_over:
        action = rng.choice(session.legal_actions())
        session.step(action)
        twin.step(action)
        assert twin.serialize() == session.serialize()
    session.reset()
    twin.reset()
    assert twin.serialize() == session.serialize()
    assert len(getattr(engine.step_one, "signatures", [])) == compiled


def test_rules_cannot_be_written_to() -> None:
    for ruleset in (RULESET, copy.deepcopy(RULESET), pickle.loads(pickle.dumps(RULESET))):
        with pytest.raises(ValueError, match="read-only"):
            ruleset.record[0].target = 1
        assert ruleset.digest == RULESET.digest


def test_outputs_are_fresh() -> None:
    session = begun()
    before = session.state.tobytes(), session.mask.tobytes(), session.observation.tobytes()
    for array in (session.observe(0), session.legal_action_mask(session.current_player)):
        array[:] = 9
    session.legal_actions().clear()
    session.rewards().clear()
    session.to_json()["hands"].clear()
    assert (
        session.state.tobytes(),
        session.mask.tobytes(),
        session.observation.tobytes(),
    ) == before


def test_reset_goes_on_with_the_generator() -> None:
    games = []
    for _ in range(2):
        session = begun(seed=7)
        session.reset()
        games.append(session.serialize())
    assert games[0] == games[1] != begun(seed=7, steps=0).serialize()
    first, second = Session(RULESET), Session(RULESET)
    first.reset()
    second.reset()
    assert first.serialize() != second.serialize()  # seeded by the operating system


def test_determinize_without_seed_differs() -> None:
    found = set()
    for _ in range(5):
        session = begun()
        session.determinize(0)
        found.add(session.serialize())
    assert len(found) == 5


def test_determinize_asks_only_who_can_answer() -> None:
    """The position after redrawing is one in which the pending decision would be put."""
    session = begun(seed=3, steps=1)
    other = (session.current_player + 1) % 3
    for seed in range(200):
        redrawn = session.clone()
        redrawn.determinize(other, seed)
        again = Session(RULESET)
        again.from_json(redrawn.to_json())
        assert again.serialize() == redrawn.serialize()
        assert redrawn.legal_actions()


# --- one thread at a time --------------------------------------------------------------------

GUARDED: dict[str, Callable[[Session], object]] = {
    **NEEDING_A_GAME,
    "reset": lambda s: s.reset(),
    "observe": lambda s: s.observe(0),
    "legal_action_mask": lambda s: s.legal_action_mask(0),
    "clone": lambda s: s.clone(),
    "rewards": lambda s: s.rewards(),
    "result": lambda s: s.result(),
    "from_json": lambda s: s.from_json({}),
    "deserialize": lambda s: s.deserialize(b""),
    "restore": lambda s: s.restore(Session(RULESET)),
}


@pytest.mark.parametrize("name", GUARDED)
def test_use_while_another_thread_is_inside(name: str) -> None:
    session = begun()
    entered, done = threading.Event(), threading.Event()

    def occupy() -> None:
        with session._guard:
            entered.set()
            done.wait(60)

    thread = threading.Thread(target=occupy)
    thread.start()
    try:
        assert entered.wait(60)
        require_refused(session, GUARDED[name], "climb_v0 environment is in use by another thread")
    finally:
        done.set()
        thread.join()
    session.step(session.legal_actions()[0])


def test_guard_lets_its_own_thread_in_again() -> None:
    guard = Guard("toy")
    with guard, guard:
        pass


def test_shown_is_short_and_never_an_error() -> None:
    class Bad:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    assert shown(Bad()) == "an object of type Bad"
    assert shown(10**5000) == "an object of type int"
    assert shown("x" * 500) == "'" + 76 * "x" + "..."
    assert shown([1]) == "[1]"


# --- observations in words -------------------------------------------------------------------


def test_decode_is_the_view(ruleset: Ruleset) -> None:
    session = Session(ruleset)
    session.reset(5)
    for player in range(ruleset.num_players):
        assert session.decode(session.observe(player)) == session.to_json(player)


@pytest.mark.parametrize(
    "observation",
    [None, "text", [0, 1], np.zeros(3, np.uint8), np.zeros((2, 2), np.uint8), np.zeros(1150)],
    ids=shown,
)
def test_what_is_no_observation(observation: Any) -> None:
    require_refused(begun(), lambda s: s.decode(observation), "an observation is a uint8 vector")


def test_what_nobody_can_observe() -> None:
    session = begun()
    nonsense = np.full(session.game.observation.size, 255, np.uint8)
    require_refused(session, lambda s: s.decode(nonsense), "no player can observe this")
