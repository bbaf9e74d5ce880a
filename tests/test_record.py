"""Game records: every view writes them, they replay to the same bytes, damage is noticed."""

from __future__ import annotations

import gzip
import json
import pickle
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import toy_game
from hypothesis import given, settings
from hypothesis import strategies as st

from tabletop_core.aec import TabletopEnv
from tabletop_core.bots import Observation, sample_legal
from tabletop_core.errors import TabletopError
from tabletop_core.game import Ruleset, find_game
from tabletop_core.parallel import TabletopParallelEnv
from tabletop_core.record import (
    Decision,
    GameRecord,
    RecordMismatch,
    ViewRecord,
    parse_record,
    read_records,
    record_of,
    replay,
    to_line,
    view_record,
    write_records,
)
from tabletop_core.rng import SEED_LIMIT, seed_to_word, word_to_seed
from tabletop_core.rollouts import random_games, random_records
from tabletop_core.seat_env import SeatVectorEnv
from tabletop_core.session import Session
from tabletop_core.single_agent import SingleAgentEnv
from tabletop_core.single_game import SearchHooks
from tabletop_core.vector_env import VectorEngine

TOY = toy_game.GAME.ruleset(3, max_turns=12)
SEED = 5
STEPS = 120

slow_at_first = settings(deadline=None)  # a kernel may have to be compiled


def last(record: GameRecord) -> Session:
    """The last position of a record that says what is true."""
    *_, session = replay(record)
    return session


def again(record: GameRecord) -> GameRecord:
    """The record of a game that plays the decisions of a record."""
    session = Session(record.rules())
    session.start_recording()
    if record.start is None:
        session.reset(record.seed)
    else:
        session.from_json(record.start)
    for decision in record.decisions:
        session.step(decision.action)
    return record_of(session, record.players)


def play_aec(env: TabletopEnv, seed: int | None, bots: int = 1) -> None:
    """A random game."""
    rng = random.Random(bots)
    env.reset(seed)
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        over = terminated or truncated or observation is None
        env.step(None if over else sample_legal(observation["action_mask"], rng))  # type: ignore[index]


def toy_record(seed: int = SEED) -> GameRecord:
    (record,) = random_records(TOY, 1, seed=seed)
    return record


# --- whole games -----------------------------------------------------------------------------


def test_a_game_replays_to_the_same_bytes(ruleset: Ruleset) -> None:
    """Every game at every number of players."""
    env = TabletopEnv(ruleset)
    env.start_recording()
    play_aec(env, SEED)
    line = to_line(env.record())
    record = parse_record(line)
    assert isinstance(record, GameRecord)
    assert record.seed == SEED
    assert record.result == env.session.result()
    assert len(record.decisions) >= record.result["length"]
    assert last(record).serialize() == env.serialize()
    assert to_line(again(record)) == line


def test_random_games_are_those_of_the_kernel(ruleset: Ruleset) -> None:
    results = random_games(ruleset, 2, seed=SEED)
    for k, record in enumerate(random_records(ruleset, 2, seed=SEED)):
        assert record.seed == SEED + k
        assert record.players == ("random",) * ruleset.num_players
        assert record.result is not None
        assert record.result["scores"] == results.points[k].tolist()
        assert record.result["winners"] == np.flatnonzero(results.is_winner[k]).tolist()
        assert record.result["length"] == results.lanes["length"][k]


def test_forced_decisions_are_no_part_of_a_record() -> None:
    record = toy_record()
    for session, decision in zip(replay(record), record.decisions, strict=False):
        assert len(session.legal_actions()) > 1 or session.state[0].must_ask
        assert decision.words == session.action_to_string(decision.action)


# --- views of one game -----------------------------------------------------------------------


def test_the_parallel_view_writes_the_record_of_the_aec_view() -> None:
    env, parallel = TabletopEnv(TOY), TabletopParallelEnv(TOY)
    env.start_recording()
    parallel.start_recording()
    play_aec(env, SEED)
    parallel.reset(SEED)
    for decision in env.record().decisions:
        parallel.step({f"player_{decision.player}": decision.action})
    assert parallel.record() == env.record()


def test_the_single_agent_view_records_its_bots() -> None:
    env = SingleAgentEnv(TOY, seat=1)
    env.start_recording()
    observation, _ = env.reset(seed=SEED)
    rng = random.Random(1)
    done = False
    while not done:
        observation, _, done, cut, _ = env.step(sample_legal(observation["action_mask"], rng))
        done |= cut
    record = env.record(["random", "me", "random"])
    assert {decision.player for decision in record.decisions} == {0, 1, 2}
    assert record.players == ("random", "me", "random")
    assert last(record).serialize() == env.serialize()


def test_a_game_in_progress_has_a_record_without_result() -> None:
    session = Session(TOY)
    session.start_recording()
    session.reset(SEED)
    session.step(session.legal_actions()[0])
    record = record_of(session)
    assert record.result is None
    assert len(record.decisions) == 1
    assert last(record).serialize() == session.serialize()


def test_without_a_seed_the_record_finds_the_seed_of_the_deal() -> None:
    env = TabletopEnv(TOY)
    env.start_recording()
    play_aec(env, SEED)
    play_aec(env, None)
    first, second = toy_record(), env.record()
    assert second.seed not in (None, first.seed)
    assert last(second).serialize() == env.serialize()


@slow_at_first
@given(st.integers(0, SEED_LIMIT - 1))
def test_every_word_belongs_to_a_seed(seed: int) -> None:
    word = seed_to_word(seed)
    assert seed_to_word(word_to_seed(word)) == word
    assert seed_to_word(word_to_seed(seed or 1)) == (seed or 1)


def test_a_reset_begins_another_record() -> None:
    env = TabletopEnv(TOY)
    env.start_recording()
    env.reset(SEED)
    env.step(env.legal_actions()[0])
    env.reset(SEED + 1)
    assert env.record().seed == SEED + 1
    assert env.record().decisions == ()


@pytest.mark.parametrize("how", ["from_json", "deserialize", "restore", "determinize", "midway"])
def test_a_game_may_be_recorded_from_a_position_on(how: str) -> None:
    source = TabletopEnv(TOY)
    source.reset(SEED)
    source.step(source.legal_actions()[0])
    env = TabletopEnv(TOY)
    env.reset(SEED + 1)
    if how != "midway":
        env.start_recording()
    put = {
        "from_json": lambda: env.from_json(source.to_json()),
        "deserialize": lambda: env.deserialize(source.serialize()),
        "restore": lambda: env.restore(source),
        "determinize": lambda: env.determinize(0, seed=3),
        "midway": env.start_recording,
    }
    put[how]()
    begin = env.to_json()
    while env.legal_actions():
        env.step(env.legal_actions()[0])
    record = env.record()
    assert record.seed is None
    assert record.start == begin
    assert last(record).serialize() == env.serialize()
    line = to_line(record)
    assert to_line(again(parse_record(line))) == line  # type: ignore[arg-type]


@pytest.mark.parametrize("view", ["aec", "parallel", "single"])
def test_an_illegal_action_ends_the_record(view: str) -> None:
    envs: dict[str, SearchHooks] = {
        "aec": TabletopEnv(TOY, on_illegal="end"),
        "parallel": TabletopParallelEnv(TOY),
        "single": SingleAgentEnv(TOY),
    }
    env: Any = envs[view]
    env.start_recording()
    env.reset(seed=SEED)
    player = env.session.current_player
    env.step({f"player_{player}": 16} if view == "parallel" else 16)  # to pass, on an empty pile
    record = env.record()
    assert record.illegal_action == Decision(player, 16, "pass")
    assert record.result["reason"] == "illegal_action"
    assert record.result["winners"] == []
    assert parse_record(to_line(record)) == record
    last(record)
    for viewer in range(3):
        words = "pass" if viewer == player else None
        seen = view_record(record, viewer)
        assert seen.illegal_action == (player, words)
        assert seen.result == {**record.result, "illegal_action": words}
        assert parse_record(to_line(seen)) == seen
    with pytest.raises(RecordMismatch, match=r"'play \d+' is legal, but the record denies it"):
        legal = env.session.legal_actions()[0]
        words = env.action_to_string(legal)
        last(replace(record, illegal_action=Decision(player, legal, words)))


def test_a_refused_action_is_no_part_of_the_record() -> None:
    env = TabletopEnv(TOY)
    env.start_recording()
    env.reset(SEED)
    with pytest.raises(TabletopError, match="may not play 'pass'"):
        env.step(16)
    assert env.record().decisions == ()
    assert env.record().illegal_action is None


def test_clones_are_not_recorded_and_pickles_are() -> None:
    env = TabletopEnv(TOY)
    env.start_recording()
    env.reset(SEED)
    env.step(env.legal_actions()[0])
    twin = env.clone()
    twin.step(twin.legal_actions()[0])
    with pytest.raises(TabletopError, match=r"call start_recording\(\)"):
        twin.record()
    assert pickle.loads(pickle.dumps(env)).record() == env.record()
    assert len(env.record().decisions) == 1


def test_nothing_to_record_is_explained() -> None:
    env = TabletopEnv(TOY)
    with pytest.raises(TabletopError, match=r"call start_recording\(\)"):
        env.record()
    env.start_recording()
    with pytest.raises(TabletopError, match="begin a game"):
        env.record()
    env.reset(SEED)
    with pytest.raises(TabletopError, match="players of a record are 3 names"):
        env.record(["me"])
    env.session.state[0].points[0] += 1
    with pytest.raises(TabletopError, match="changed from outside"):
        env.record()


# --- vector views ----------------------------------------------------------------------------


def results_of(infos: Any, ended: Any) -> list[tuple[Any, ...]]:
    return [
        (list(infos["winners"][lane]), infos["scores"][lane].tolist(), infos["length"][lane])
        for lane in np.flatnonzero(ended)
    ]


def check_records(records: list[GameRecord], results: list[tuple[Any, ...]]) -> None:
    assert len(records) == len(results) > 10
    found = []
    for record in records:
        assert record.result is not None
        found.append(tuple(record.result[key] for key in ("winners", "scores", "length")))
        last(record)
    assert sorted(found) == sorted(results)


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_the_engine_records_its_lanes(mode: str) -> None:
    engine = VectorEngine(TOY, 4, autoreset=mode)
    engine.start_recording()
    engine.reset(seed=SEED)
    records, results = [], []
    for step in range(STEPS):
        actions = engine.sample_actions().copy()
        if step % 7 == 0:
            actions[0] = -1  # is refused, and the lane waits
        *_, terminated, truncated, infos = engine.step(actions)
        over = terminated | truncated
        results += results_of(infos, over & ~engine.illegal)
        if mode == "disabled" and over.any():
            engine.reset(options={"reset_mask": over})
        if step == STEPS // 2:
            records += engine.take_records()
    records += engine.take_records()
    check_records(records, results)
    assert [record.seed for record in records if record.seed is not None and record.seed < 99]
    assert engine.take_records() == []


def test_the_engine_records_from_other_positions_on() -> None:
    engine = VectorEngine(TOY, 2)
    engine.reset(seed=SEED)
    engine.start_recording()
    for step in range(STEPS):
        if step % 20 == 10:
            engine.rollout(3)
        if step % 20 == 0:
            engine.determinize(0, seed=step)
        engine.step(engine.sample_actions())
    records = engine.take_records()
    assert {record.seed is None for record in records} == {True, False}
    for record in records:
        last(record)


def callable_bot(observation: Observation, player: int, rng: np.random.Generator) -> int:
    return sample_legal(observation["action_mask"], rng)


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
@pytest.mark.parametrize("opponents", ["random", ["rule", "random"], [callable_bot, "rule"]])
def test_the_view_from_one_seat_records_its_bots(opponents: Any, mode: str) -> None:
    env = SeatVectorEnv(TOY, 4, opponents=opponents, seat="rotate", autoreset=mode)
    env.start_recording()
    observation, _ = env.reset(seed=SEED)
    rng = random.Random(1)
    records, results = [], []
    for step in range(STEPS // 2):
        masks = observation["action_mask"]
        actions = np.array([sample_legal(mask, rng) if mask.any() else 0 for mask in masks])
        if step % 13 == 5:
            actions[1] = 16 - 16 * int(masks[1][16])  # mostly illegal
        observation, _, terminated, truncated, infos = env.step(actions)
        over = terminated | truncated
        results += results_of(infos.get("final_info", infos), over)
        if mode == "disabled" and over.any():
            observation, _ = env.reset(options={"reset_mask": over})
        if step == STEPS // 4:
            records += env.take_records()
    records += env.take_records()
    check_records(records, results)
    assert any(record.illegal_action for record in records)


def test_a_bot_that_fails_leaves_the_recording_as_it_was() -> None:
    failures = iter([False, False, True])

    def bot(observation: Observation, player: int, rng: np.random.Generator) -> int:
        if next(failures, False):
            raise TabletopError("no idea")
        return sample_legal(observation["action_mask"], rng)

    env = SeatVectorEnv(TOY, 2, opponents=bot)
    env.start_recording()
    observation, _ = env.reset(seed=SEED)
    records: list[GameRecord] = []
    failed = 0
    for _ in range(STEPS):
        actions = np.array(
            [sample_legal(mask) if mask.any() else 0 for mask in observation["action_mask"]]
        )
        try:
            observation = env.step(actions)[0]
        except TabletopError:
            failed += 1
    records = env.take_records()
    assert failed == 1
    assert len(records) > 3
    for record in records:
        last(record)


def test_vector_records_need_a_start() -> None:
    for env in (VectorEngine(TOY, 2), SeatVectorEnv(TOY, 2)):
        with pytest.raises(TabletopError, match=r"call start_recording\(\)"):
            env.take_records()  # type: ignore[attr-defined]


# --- records that are refused ----------------------------------------------------------------


def as_json(record: GameRecord) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(to_line(record))
    return data


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 7}, "of climb_v7, and climb_v0 is installed: games of another version go"),
        ({"game": "chess"}, "no game is called 'chess'"),
        ({"format": 2}, "has the format 2; this release reads the format 1"),
        ({"record": "song"}, "is not a record"),
        ({"ruleset": "0" * 16}, "the tables have changed"),
        ({"options": {"hand_size": 2}}, "the tables have changed"),
        ({"options": {"colour": 2}}, "has no option 'colour'"),
        ({"options": {"num_players": 3}}, "has no option 'num_players'"),
        ({"options": {"self": 3}}, "has no option 'self'"),
        ({"num_players": 9, "players": None}, "is for 2 to 4 players"),
        ({"seed": None}, "either seed or start must be null"),
        ({"seed": -1}, "seed: must be a whole number from 0"),
        ({"more": 1}, "'more': unknown key"),
        ({"final": "xyz"}, "final: must be 32 hexadecimal digits"),
        ({"actions": [[0, 1]]}, r"actions\[0\]: must be a list of 3"),
        ({"actions": [[0, "x", "pass"]]}, r"actions\[0\]: must be a whole number"),
        ({"players": ["a"]}, "there are 1 names for 3 players"),
    ],
)
def test_a_record_that_cannot_be_played_is_refused(change: Any, message: str) -> None:
    data = {**as_json(toy_record()), **change}
    with pytest.raises(TabletopError, match=message) as refusal:
        last(parse_record(json.dumps(data)))  # type: ignore[arg-type]
    assert not isinstance(refusal.value, RecordMismatch)


def test_everything_that_is_wrong_is_told() -> None:
    data = {**as_json(toy_record()), "seed": "one", "final": 3}
    del data["actions"]
    with pytest.raises(TabletopError, match=r"(?s)actions: is missing.*seed: must be.*final: must"):
        parse_record(json.dumps(data))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": SEED + 1}, "step 1: "),
        ({"decisions": ()}, "after 0 decisions: the result is None, the record says"),
        ({"result": None}, "the record says None"),
        ({"final": "0" * 32}, "the position has the digest"),
        ({"illegal_action": Decision(0, 3, "play 3")}, "has nothing to decide"),
    ],
)
def test_a_record_that_is_not_true_is_found_out(change: Any, message: str) -> None:
    with pytest.raises(RecordMismatch, match=message):
        last(replace(toy_record(), **change))


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        (Decision(2, 3, "play 3"), r"step 2: .* but player \d decides"),
        (Decision(1, 99, "play 99"), "there is no such action"),
        (Decision(1, 3, "play 4"), "but that action is 'play 3'"),
        (None, "may not play"),
    ],
)
def test_a_decision_that_is_not_true_is_found_out(decision: Decision | None, message: str) -> None:
    record = toy_record()
    first, second, *rest = record.decisions
    assert (first.player, second.player) == (0, 1)
    wrong = second._replace(action=first.action, words=first.words)  # a card that is gone
    with pytest.raises(RecordMismatch, match=message):
        last(replace(record, decisions=(first, decision or wrong, *rest)))


def test_decisions_after_the_end_are_found_out() -> None:
    record = toy_record()
    with pytest.raises(RecordMismatch, match="but the game is over"):
        last(replace(record, decisions=(*record.decisions, record.decisions[-1])))


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**65) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=5,
)


@slow_at_first
@given(st.data())
def test_damage_is_refused_and_never_played(data: Any) -> None:
    """One value anywhere in a record is replaced: it is refused, or says the same as before."""
    content = as_json(toy_record())
    holder: Any = content
    key: Any = data.draw(st.sampled_from(sorted(content)))
    while isinstance(holder[key], (list, dict)) and holder[key] and data.draw(st.booleans()):
        holder = holder[key]
        keys = range(len(holder)) if isinstance(holder, list) else sorted(holder)
        key = data.draw(st.sampled_from(list(keys)))
    holder[key] = data.draw(JSON_VALUES)
    try:
        record = parse_record(json.dumps(content))
        assert isinstance(record, GameRecord)
        final = last(record).serialize()
    except TabletopError:
        return
    assert final == last(toy_record()).serialize()


@slow_at_first
@given(st.binary(max_size=40) | st.text(max_size=40))
def test_what_is_no_record_is_refused(line: bytes | str) -> None:
    with pytest.raises(TabletopError, match=r"not (a record|JSON)"):
        parse_record(line)


@slow_at_first
@given(st.integers(0, SEED_LIMIT - 1), st.integers(2, 4), st.integers(1, 4), st.integers(1, 60))
def test_records_survive_the_way_through_a_line(
    seed: int, players: int, hand_size: int, max_turns: int
) -> None:
    rules = toy_game.GAME.ruleset(players, hand_size=hand_size, max_turns=max_turns)
    (record,) = random_records(rules, 1, seed=seed)
    assert parse_record(to_line(record)) == record
    last(record)


# --- what one player saw ---------------------------------------------------------------------


def test_a_view_record_holds_what_its_player_saw(ruleset: Ruleset) -> None:
    """Positions are those that the player sees, and the words are there; nothing else."""
    (game,) = random_records(short(ruleset), 1, seed=SEED)
    for viewer in (0, ruleset.num_players - 1):
        line = to_line(view_record(game, viewer))
        seen = parse_record(line)
        assert isinstance(seen, ViewRecord)
        assert seen.result == game.result
        views = [position.view for position in seen.positions]
        assert views == [
            json.loads(json.dumps(session.to_json(viewer))) for session in replay(game)
        ]
        for position, decision in zip(seen.positions[1:], game.decisions, strict=True):
            assert position.decision.player == decision.player
            if decision.player == viewer:
                assert position.decision.words == decision.words


def short(ruleset: Ruleset) -> Ruleset:
    return ruleset.game.ruleset(ruleset.num_players, max_turns=6)


def keys_of(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield key
            yield from keys_of(value)
    elif isinstance(data, list):
        for value in data:
            yield from keys_of(value)


def test_a_view_record_has_no_seed_and_no_generator(ruleset: Ruleset) -> None:
    (game,) = random_records(short(ruleset), 1, seed=0xABCDEF)
    line = to_line(view_record(game, 0))
    assert {"seed", "start", "rng", "final", "actions"}.isdisjoint(keys_of(json.loads(line)))
    word = last(game).state[0].rng
    for secret in (str(game.seed), str(word), f"{word:016x}", game.final):
        assert secret.encode() not in line


def test_the_same_public_game_has_the_same_view_record() -> None:
    """Redraw what player 0 cannot know, and play on as before: player 0 sees no difference."""
    rules = toy_game.GAME.ruleset(2, hand_size=4, max_turns=3)
    lines = set()
    for seed in range(8):
        session = Session(rules)
        session.reset(SEED)
        session.determinize(0, seed)
        session.start_recording()
        session.step(session.legal_actions()[0])  # of player 0
        lines.add(to_line(view_record(record_of(session), 0)))
    assert len(lines) == 1


# --- files -----------------------------------------------------------------------------------


def test_records_are_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    records = list(random_records(TOY, 3, seed=SEED))
    both = [*records, view_record(records[0], 1)]
    assert write_records(path, both) == 4
    assert list(read_records(path)) == both
    assert write_records(path, records[:1], append=True) == 1
    assert list(read_records(path)) == [*both, records[0]]


def test_compressed_records_are_written_and_read(tmp_path: Path) -> None:
    """The same records give the same file under every name."""
    records = list(random_records(TOY, 3, seed=SEED))
    files = [tmp_path / name for name in ("one.jsonl.gz", "other.gz", "plain.jsonl")]
    for path in files:
        assert write_records(path, records) == 3
        assert list(read_records(path)) == records
    one, other, plain = (path.read_bytes() for path in files)
    assert one == other
    assert gzip.decompress(one) == plain
    with pytest.raises(TabletopError, match="one.jsonl.gz is compressed: lines are added to plain"):
        write_records(files[0], records, append=True)
    assert files[0].read_bytes() == one


@pytest.mark.parametrize("damage", ["cut", "plain", "changed", "empty"])
def test_damaged_compressed_files_are_refused(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "games.jsonl.gz"
    write_records(path, [toy_record(1), toy_record(2)])
    whole = path.read_bytes()
    middle = len(whole) // 2
    changed = whole[:middle] + bytes(255 - byte for byte in whole[middle:])
    damaged = {"cut": whole[:-9], "plain": b"{}\n", "changed": changed, "empty": b"\x1f\x8b"}
    path.write_bytes(damaged[damage])
    with pytest.raises(TabletopError, match=r"games\.jsonl\.gz cannot be read: ."):
        list(read_records(path))


def test_a_file_is_replaced_only_if_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    write_records(path, [toy_record(1)])
    with pytest.raises(TabletopError, match="exists already"):
        write_records(path, [toy_record(2)])
    assert list(read_records(path)) == [toy_record(1)]
    write_records(path, [toy_record(2)], force=True)
    assert list(read_records(path)) == [toy_record(2)]


@pytest.mark.parametrize("force", [False, True])
def test_games_that_fail_leave_no_file_behind(tmp_path: Path, force: bool) -> None:
    def failing() -> Iterator[GameRecord]:
        yield toy_record()
        raise KeyboardInterrupt

    path = tmp_path / "games.jsonl"
    if force:
        path.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_records(path, failing(), force=force)
    assert [file.name for file in tmp_path.iterdir()] == ["games.jsonl"] * force
    assert not force or path.read_text() == "old"


def test_lines_are_not_added_to_a_broken_one(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text('{"record": "ga')
    with pytest.raises(TabletopError, match="last line is not complete"):
        write_records(path, [toy_record()], append=True)
    assert path.read_text() == '{"record": "ga'


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    write_records(path, [toy_record()])
    path.write_bytes(path.read_bytes() + b"{}\n")
    with pytest.raises(TabletopError, match=r"games\.jsonl:2: .* not a record"):
        list(read_records(path))
    with pytest.raises(TabletopError, match="there is no such file"):
        list(read_records(tmp_path / "no.jsonl"))
    with pytest.raises(TabletopError, match="cannot be read"):
        list(read_records(tmp_path))
    with pytest.raises(TabletopError, match="cannot be written"):
        write_records(tmp_path / "no" / "games.jsonl", [])


# --- own tables ------------------------------------------------------------------------------


def test_a_record_holds_the_tables_it_was_played_with(tmp_path: Path) -> None:
    game = find_game("jumpgate")
    path = tmp_path / "box.ruleset"
    text = game.export_ruleset(game.ruleset().tables)
    path.write_text(text.replace("P01,1,2,1,3", "P01,1,2,2,3"))
    rules = game.ruleset(2, ruleset=path, max_turns=3)
    (record,) = random_records(rules, 1, seed=SEED)
    path.unlink()
    assert str(tmp_path).encode() not in to_line(record)
    back = parse_record(to_line(record))
    assert isinstance(back, GameRecord)
    assert back.rules().digest == rules.digest != game.ruleset(2, max_turns=3).digest
    assert to_line(again(back)) == to_line(record)
