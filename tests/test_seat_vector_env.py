"""The Gymnasium vector view of one seat, against as many single-agent views."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from tabletop_core import engine
from tabletop_core.bots import Observation, RandomBot, sample_legal
from tabletop_core.errors import TabletopError
from tabletop_core.game import Array, Game, Ruleset, allocate, games
from tabletop_core.rng import GOLDEN_GAMMA, SEED_LIMIT, seed_to_word
from tabletop_core.seat_env import SeatVectorEnv
from tabletop_core.session import Session
from tabletop_core.single_agent import SingleAgentEnv
from tabletop_core.threads import MIN_CHUNK_STEPS

NUM_ENVS = 4
SEED = 21
SHORT = 8  # turns
MODES = list(AutoresetMode)
RESULTS = ("winners", "scores", "reason", "length", "illegal_action", "player")


def short(game: Game, num_players: int | None = None, turns: int = SHORT) -> Ruleset:
    """The game with a cap on turns, where it has such an option, so that tests see many ends."""
    try:
        return game.ruleset(num_players, max_turns=turns)
    except TabletopError:
        return game.ruleset(num_players)


def callable_bot(observation: Observation, player: int, rng: np.random.Generator) -> int:
    """As random as `RandomBot`, but not played by a kernel."""
    return sample_legal(observation["action_mask"], rng)


def pick(observation: Observation, rng: np.random.Generator) -> Array:
    """Legal actions; 0 where there is none."""
    return np.array(
        [sample_legal(mask, rng) if mask.any() else 0 for mask in observation["action_mask"]]
    )


def make(game: Game, num_envs: int = NUM_ENVS, **arguments: Any) -> SeatVectorEnv:
    return SeatVectorEnv(short(game), num_envs, **arguments)


# --- lane = single-agent view, modes = Gymnasium's -------------------------------------------


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("seats", ["fewest", "most"])
def test_gymnasium_would_do_the_same(game: Game, mode: AutoresetMode, seats: str) -> None:
    players = game.min_players if seats == "fewest" else game.max_players
    ruleset = short(game, players)
    arguments: dict[str, Any] = {"opponents": callable_bot, "seat": players - 1, "reward": "margin"}
    ours = SeatVectorEnv(ruleset, NUM_ENVS, autoreset=mode, **arguments)
    theirs: Any = SyncVectorEnv(
        [lambda: SingleAgentEnv(ruleset, **arguments)] * NUM_ENVS, autoreset_mode=mode
    )
    compare(ours.reset(seed=SEED), theirs.reset(seed=SEED))
    begun = ours.reset()
    compare(begun, theirs.reset())
    observation = begun[0]
    rng = np.random.default_rng(SEED)
    ends = 0
    for _ in range(120):
        actions = pick(observation, rng)
        if rng.random() < 0.1:  # the game of this lane ends, unless the action happens to be legal
            actions[rng.integers(NUM_ENVS)] = rng.integers(game.actions.count)
        outcome = ours.step(actions)
        compare(outcome, theirs.step(actions))
        observation = outcome[0]
        over = outcome[2] | outcome[3]
        ends += over.sum()
        if mode == AutoresetMode.DISABLED and over.any():
            observation, infos = ours.reset(options={"reset_mask": over})
            compare((observation, infos), theirs.reset(options={"reset_mask": over}))
    assert ends > 3


def compare(ours: tuple[Any, ...], theirs: tuple[Any, ...]) -> None:
    """Outcomes of reset or step are the same, infos (the last) as far as both have them."""
    for mine, other in zip(ours[:-1], theirs[:-1]):
        assert_equal(mine, other)
    compare_infos(ours[-1], theirs[-1])


def compare_infos(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert set(theirs) <= set(ours)
    assert set(ours) - set(theirs) <= {"action_mask", "_action_mask"}
    for key in RESULTS:
        if key in theirs:
            assert_equal(ours[f"_{key}"], theirs[f"_{key}"])
            for lane in np.flatnonzero(theirs[f"_{key}"]):
                mine = ours[key][lane]
                assert (mine.tolist() if key == "scores" else mine) == theirs[key][lane]
    if "final_info" in theirs:
        assert_equal(ours["_final_obs"], theirs["_final_obs"])
        assert_equal(ours["_final_info"], theirs["_final_info"])
        compare_infos(ours["final_info"], theirs["final_info"])
        for mine, other in zip(ours["final_obs"], theirs["final_obs"]):
            assert (mine is None) == (other is None)
            if mine is not None:
                assert_equal(mine, other)


def assert_equal(mine: Any, other: Any) -> None:
    if isinstance(mine, dict):
        assert set(mine) == set(other)
        for key in mine:
            assert_equal(mine[key], other[key])
    else:
        assert mine.dtype == other.dtype
        assert mine.shape == other.shape
        assert (mine == other).all()


def test_the_mask_is_in_the_infos(game: Game) -> None:
    vec = make(game, autoreset="same_step")
    observation, infos = vec.reset(seed=SEED)
    rng = np.random.default_rng(0)
    for _ in range(60):
        assert_equal(infos["action_mask"], observation["action_mask"])
        assert infos["_action_mask"].all()
        observation, *_, infos = vec.step(pick(observation, rng))


def test_random_bots_in_the_kernel_play_by_the_generator_of_their_lane(game: Game) -> None:
    ruleset = game.ruleset(game.max_players)
    vec = SeatVectorEnv(ruleset, NUM_ENVS, seat=1)
    observation, _ = vec.reset(seed=SEED)
    singles = [single_game(ruleset, SEED + lane) for lane in range(NUM_ENVS)]
    rng = np.random.default_rng(0)
    for _ in range(20):
        for lane, (session, chooser) in enumerate(singles):
            let_bots_play(session, chooser, seat=1)
            assert (observation["observation"][lane] == session.observe(1)).all()
            assert (observation["action_mask"][lane] == session.legal_action_mask(1)).all()
        actions = pick(observation, rng)
        observation, *_ = vec.step(actions)
        for (session, _), action in zip(singles, actions.tolist()):
            session.step(action)


def single_game(ruleset: Ruleset, seed: int) -> tuple[Session, Array]:
    session = Session(ruleset)
    session.reset(seed)
    chooser = allocate(engine.LANE, 1)
    chooser["rng"] = seed_to_word((seed + GOLDEN_GAMMA) % SEED_LIMIT)
    return session, chooser


def let_bots_play(session: Session, chooser: Array, seat: int) -> None:
    actions = np.zeros(1, np.int64)
    while not session.is_over and session.current_player != seat:
        engine.choose_batch(session.state, chooser, actions, 0, 1)
        session.step(int(actions[0]))


def test_kernel_bots_and_callables_side_by_side(game: Game) -> None:
    """Who plays is asked once for each of its decisions, in its own seat, with a legal choice."""
    players = game.max_players
    asked: list[int] = []

    def bot(observation: Observation, player: int, rng: np.random.Generator) -> int:
        asked.append(player)
        return sample_legal(observation["action_mask"], rng)

    bots = ["random"] * (players - 2) + [bot]
    vec = SeatVectorEnv(short(game, players), 3, opponents=bots, seat="rotate")
    observation, _ = vec.reset(seed=SEED)
    rng = np.random.default_rng(0)
    for _ in range(60):
        before = set((vec.seats + players - 1) % players)
        asked.clear()
        observation, *_ = vec.step(pick(observation, rng))
        after = set((vec.seats + players - 1) % players)
        assert set(asked) <= before | after


def test_seats_rotate(game: Game) -> None:
    vec = make(game, seat="rotate")
    observation, infos = vec.reset(seed=SEED)
    seats = np.arange(NUM_ENVS) % game.min_players
    rng = np.random.default_rng(0)
    begins = np.zeros(NUM_ENVS, np.bool_)
    for _ in range(100):
        assert_equal(vec.seats, seats)
        assert_equal(infos["player"], seats)
        observation, _, terminated, truncated, infos = vec.step(pick(observation, rng))
        seats[begins] = (seats[begins] + 1) % game.min_players
        begins = terminated | truncated
    vec.reset()
    assert_equal(vec.seats, (seats + 1) % game.min_players)
    vec.reset(seed=1)
    assert_equal(vec.seats, np.arange(NUM_ENVS) % game.min_players)


# --- the same everywhere ---------------------------------------------------------------------


def trace(vec: SeatVectorEnv, seed: int, num_steps: int, lanes: slice = slice(None)) -> list[bytes]:
    """Everything that some lanes show; each lane picks its first or last legal action."""
    observation, infos = vec.reset(seed=seed)
    seen = []
    for step in range(num_steps):
        for part in (observation["observation"], observation["action_mask"], infos["player"]):
            seen.append(part[lanes].tobytes())
        mask = observation["action_mask"]
        actions = mask.argmax(1) if step % 3 else mask.shape[1] - 1 - mask[:, ::-1].argmax(1)
        observation, *outcome, infos = vec.step(actions)
        seen += [part[lanes].tobytes() for part in outcome]
    return seen


@pytest.mark.parametrize("mode", MODES[:2], ids=lambda mode: mode.name)
def test_any_number_of_threads_and_lanes(game: Game, mode: AutoresetMode) -> None:
    size = 2 * MIN_CHUNK_STEPS
    alone = trace(make(game, size, autoreset=mode), SEED, 6)
    assert trace(make(game, size, autoreset=mode, threads=2), SEED, 6) == alone
    for first in (0, 1, size - 2):
        lanes = slice(first, first + 2)
        large = trace(make(game, size, autoreset=mode), SEED, 6, lanes)
        assert trace(make(game, 2, autoreset=mode), SEED + first, 6) == large


@pytest.mark.parametrize("bot", ["random", callable_bot], ids=["kernel", "callable"])
def test_the_same_seed_gives_the_same_games(game: Game, bot: Any) -> None:
    vec = make(game, opponents=bot)
    first = trace(vec, SEED, 30)
    assert trace(vec, SEED, 30) == first
    assert trace(vec, SEED + 100, 30) != first


@pytest.mark.parametrize("bot", ["random", callable_bot], ids=["kernel", "callable"])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda vec: pickle.loads(pickle.dumps(vec))])
def test_copies_go_on_alike(game: Game, bot: Any, copied: Any) -> None:
    vec = make(game, opponents=bot, seat="rotate", autoreset="same_step")
    observation, _ = vec.reset(seed=SEED)
    rng = np.random.default_rng(0)
    for _ in range(15):
        observation, *_ = vec.step(pick(observation, rng))
    twin = copied(vec)
    assert twin.np_random_seed == vec.np_random_seed
    for _ in range(20):
        actions = pick(observation, rng)
        outcome = vec.step(actions)
        others = twin.step(actions)
        for mine, other in zip(outcome[:4], others[:4]):
            assert_equal(mine, other)
        observation = outcome[0]
    fresh = copied(make(game))
    with pytest.raises(TabletopError, match="reset"):
        fresh.step(np.zeros(NUM_ENVS, np.int64))


# --- customs of Gymnasium --------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_attributes(game: Game, mode: AutoresetMode) -> None:
    vec = make(game, autoreset=mode)
    assert vec.metadata["autoreset_mode"] is mode
    assert vec.num_envs == NUM_ENVS
    assert vec.render_mode is None
    assert vec.spec is None
    assert vec.single_action_space == gymnasium.spaces.Discrete(game.actions.count)
    assert vec.action_space.shape == (NUM_ENVS,)
    observation, infos = vec.reset(seed=SEED)
    assert vec.observation_space.contains(observation)
    single = {key: array[0] for key, array in observation.items()}
    assert vec.single_observation_space.contains(single)
    actions = vec.action_space.sample(mask=tuple(observation["action_mask"]))
    observation, rewards, terminated, truncated, infos = vec.step(actions)
    assert vec.observation_space.contains(observation)
    assert (rewards.dtype, rewards.shape) == (np.float64, (NUM_ENVS,))
    assert terminated.dtype == truncated.dtype == np.bool_
    assert isinstance(infos, dict)


@pytest.mark.parametrize("mode", MODES[:2], ids=lambda mode: mode.name)
def test_arrays_are_fresh(game: Game, mode: AutoresetMode) -> None:
    vec = make(game, autoreset=mode)
    observation, infos = vec.reset(seed=SEED)
    outcomes: list[list[Array]] = [arrays_of((observation, infos))]
    rng = np.random.default_rng(0)
    for _ in range(40):
        outcome = vec.step(pick(observation, rng))
        observation = outcome[0]
        outcomes.append(arrays_of(outcome))
    state = [array for array in vars(vec._lanes).values() if isinstance(array, np.ndarray)]
    for before, after in zip(outcomes, outcomes[1:]):
        for array in after:
            assert not any(np.shares_memory(array, other) for other in [*before, *state])


def arrays_of(value: Any) -> list[Array]:
    if isinstance(value, dict):
        return [array for part in value.values() for array in arrays_of(part)]
    if isinstance(value, tuple):
        return [array for part in value for array in arrays_of(part)]
    return [value] if isinstance(value, np.ndarray) and value.dtype != object else []


@pytest.mark.parametrize("mode", MODES[:2], ids=lambda mode: mode.name)
def test_episode_statistics(game: Game, mode: AutoresetMode) -> None:
    vec = RecordEpisodeStatistics(make(game, autoreset=mode, reward="score"))
    observation, _ = vec.reset(seed=SEED)
    rng = np.random.default_rng(0)
    ends = 0
    for _ in range(80):
        observation, rewards, terminated, truncated, infos = vec.step(pick(observation, rng))
        over = terminated | truncated
        ends += over.sum()
        if over.any():
            assert_equal(infos["_episode"], over)
            assert (infos["episode"]["r"] == rewards).all()
    assert vec.episode_count == ends > 0


def test_statistics_survive_the_reset_of_some_lanes(game: Game) -> None:
    vec = RecordEpisodeStatistics(make(game, autoreset="disabled"))
    observation, _ = vec.reset(seed=SEED)
    for _ in range(2):
        observation, *_ = vec.step(observation["action_mask"].argmax(1))
    vec.reset(options={"reset_mask": np.arange(NUM_ENVS) == 0})
    assert vec.episode_lengths.tolist() == [0] + [2] * (NUM_ENVS - 1)


def entry_point(num_envs: int, **arguments: Any) -> SeatVectorEnv:
    """What a game's module does for `gymnasium.make_vec`."""
    return SeatVectorEnv(short(next(iter(games().values()))), num_envs, **arguments)


def test_make_vec_with_a_string_entry_point() -> None:
    name = "SeatVectorTest-v0"
    gymnasium.register(
        name,
        vector_entry_point=f"{__name__}:entry_point",
        kwargs={"opponents": "random"},
    )
    try:
        vec = gymnasium.make_vec(name, num_envs=3, reward="score", autoreset="same_step")
        assert isinstance(vec, SeatVectorEnv)
        assert vec.num_envs == 3
        assert vec.spec is not None
        assert vec.spec.id == name
        observation, _ = vec.reset(seed=SEED)
        vec.step(observation["action_mask"].argmax(1))
        assert pickle.loads(pickle.dumps(vec)).spec.id == name
    finally:
        del gymnasium.registry[name]


def test_rendering(game: Game) -> None:
    vec = make(game, render_mode="ansi", seat=1)
    with pytest.raises(TabletopError, match="reset"):
        vec.render()
    vec.reset(seed=SEED)
    frames = vec.render()
    assert frames is not None
    assert len(frames) == NUM_ENVS
    single = SingleAgentEnv(short(game), seat=1, render_mode="ansi")
    assert all(isinstance(frame, str) for frame in frames)
    single.reset(seed=SEED)
    assert type(single.render()) is str
    quiet = make(game)
    quiet.reset(seed=SEED)
    assert quiet.render() is None


def test_closing(game: Game) -> None:
    vec = make(game, threads=2)
    vec.reset(seed=SEED)
    vec.close()
    vec.close()
    assert vec.closed
    for use in (vec.reset, lambda: vec.step(np.zeros(NUM_ENVS, np.int64))):
        with pytest.raises(TabletopError, match="closed"):
            use()


# --- input -----------------------------------------------------------------------------------


def test_an_illegal_action_ends_the_game_of_its_lane(game: Game) -> None:
    vec = make(game)
    observation, _ = vec.reset(seed=SEED)
    actions = observation["action_mask"].argmax(1)
    wrong = int(observation["action_mask"][2].argmin())
    actions[2] = wrong
    session = Session(vec.ruleset)
    session.restore(vec._session(2))
    observation, rewards, terminated, truncated, infos = vec.step(actions)
    assert terminated.tolist() == [False, False, True, False]
    assert not truncated.any()
    assert rewards.tolist() == [0.0, 0.0, -1.0, 0.0]
    assert infos["_illegal_action"].tolist() == [False, False, True, False]
    assert infos["illegal_action"][2] == session.action_to_string(wrong)
    assert infos["reason"][2] == "illegal_action"
    assert not observation["action_mask"][2].any()
    observation, rewards, terminated, *_ = vec.step(legal(observation))
    assert not terminated[2]
    assert observation["action_mask"][2].any()


def legal(observation: Observation) -> Array:
    return observation["action_mask"].argmax(1)


BAD_ACTIONS = {
    "float": np.zeros(NUM_ENVS),
    "NaN": np.full(NUM_ENVS, np.nan),
    "bool": np.zeros(NUM_ENVS, np.bool_),
    "text": ["0"] * NUM_ENVS,
    "None": None,
    "scalar": 3,
    "too few": np.zeros(NUM_ENVS - 1, np.int64),
    "two axes": np.zeros((NUM_ENVS, 1), np.int64),
    "negative": np.full(NUM_ENVS, -1),
    "too large": np.full(NUM_ENVS, 10**6),
    "huge": np.full(NUM_ENVS, 2**64 - 1, np.uint64),
    "one outside": np.array([0, 0, 0, 10**6]),
}


@pytest.mark.parametrize("name", BAD_ACTIONS)
def test_bad_actions_change_nothing(game: Game, name: str) -> None:
    vec = make(game)
    vec.reset(seed=SEED)
    before = vec._lanes.to_bytes()
    with pytest.raises(TabletopError, match="action"):
        vec.step(BAD_ACTIONS[name])  # type: ignore[arg-type]
    assert vec._lanes.to_bytes() == before


@pytest.mark.parametrize("form", [">i4", np.uint16, np.int16, "list", "strided", "read-only"])
def test_actions_of_every_integer_form(game: Game, form: Any) -> None:
    vec, twin = make(game), make(game)
    actions = legal(vec.reset(seed=SEED)[0])
    twin.reset(seed=SEED)
    given: Any = actions.tolist()
    if form == "strided":
        given = np.repeat(actions, 2)[::2]
    elif form == "read-only":
        given = np.frombuffer(actions.tobytes(), actions.dtype)
    elif form != "list":
        given = actions.astype(form)
    vec.step(actions)
    twin.step(given)
    assert vec._lanes.to_bytes() == twin._lanes.to_bytes()


def test_finished_lanes_must_be_reset_when_autoreset_is_disabled(game: Game) -> None:
    vec = make(game, autoreset="disabled")
    observation, _ = vec.reset(seed=SEED)
    actions = legal(observation)
    actions[1] = observation["action_mask"][1].argmin()
    observation, *_ = vec.step(actions)
    before = vec._lanes.to_bytes()
    with pytest.raises(TabletopError, match=r"the games of lanes \[1\] are over"):
        vec.step(legal(observation))
    assert vec._lanes.to_bytes() == before
    lanes = np.arange(NUM_ENVS) == 1
    options = {"reset_mask": lanes}
    again, infos = vec.reset(options=options)
    assert list(options) == ["reset_mask"]
    assert_equal(infos["_action_mask"], lanes)
    for lane in (0, 2, 3):
        assert (again["observation"][lane] == observation["observation"][lane]).all()
        assert (again["action_mask"][lane] == observation["action_mask"][lane]).all()
    vec.step(legal(again))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"opponents": "deep-thought"}, "'deep-thought' is not available"),
        ({"opponents": 3}, "a bot is a name, a callable"),
        ({"opponents": RandomBot}, "a bot is a name, a callable"),
        ({"opponents": ["random"] * 9}, "there (is|are) .* opponent"),
        ({"seat": -1}, "player"),
        ({"seat": 99}, "player"),
        ({"seat": 1.0}, "player"),
        ({"seat": "first"}, "player"),
        ({"autoreset": "later"}, "autoreset"),
        ({"reward": "money"}, "reward"),
        ({"threads": 0}, "threads"),
        ({"num_envs": 0}, "num_envs"),
        ({"render_mode": "human"}, "render_mode"),
    ],
    ids=str,
)
def test_bad_constructor_arguments(game: Game, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TabletopError, match=message):
        make(game, **arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"seed": -1},
        {"seed": "1"},
        {"seed": [1]},
        {"options": "all"},
        {"options": {"reset_mask": [True] * NUM_ENVS}},
        {"options": {"reset_mask": np.zeros(NUM_ENVS, np.bool_)}},
    ],
    ids=str,
)
def test_bad_resets_change_nothing(game: Game, arguments: dict[str, Any]) -> None:
    vec = make(game)
    vec.reset(seed=SEED)
    before = vec._lanes.to_bytes()
    with pytest.raises(TabletopError):
        vec.reset(**arguments)
    assert vec._lanes.to_bytes() == before


@pytest.mark.parametrize("answer", ["illegal", 10**6, -1, 0.5, None, "0"])
def test_a_bot_that_is_wrong_changes_nothing(game: Game, answer: Any) -> None:
    is_wrong = False

    def bot(observation: Observation, player: int, rng: np.random.Generator) -> Any:
        if not is_wrong:
            return sample_legal(observation["action_mask"], rng)
        return int(observation["action_mask"].argmin()) if answer == "illegal" else answer

    vec = make(game, opponents=bot, autoreset="same_step")
    observation, _ = vec.reset(seed=SEED)
    is_wrong = True
    while True:  # until it is the bot's turn
        before = vec._lanes.to_bytes()
        try:
            observation, *_ = vec.step(legal(observation))
        except TabletopError as error:
            assert "the bot of player" in str(error)
            break
    assert vec._lanes.to_bytes() == before
    is_wrong = False
    vec.step(legal(observation))


def test_games_that_end_before_the_seat_decides_are_left_out(game: Game) -> None:
    ruleset = short(game, turns=1)
    if ruleset.options == game.ruleset().options:
        pytest.skip("this game has no cap on turns")
    vec = SeatVectorEnv(ruleset, 8, seat=1)
    observation, _ = vec.reset(seed=SEED)
    assert observation["action_mask"].any(axis=1).all()
