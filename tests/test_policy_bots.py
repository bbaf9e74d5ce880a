"""Policies as files and as bots: what they play, and what is no checkpoint or not for this game."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import toy_game

from tabletop_core import policy
from tabletop_core.arena import League, play_games
from tabletop_core.bots import PolicyBot, make_bot, make_bots, split_bots
from tabletop_core.cli import main
from tabletop_core.errors import TabletopError
from tabletop_core.game import Array, Ruleset, find_game
from tabletop_core.policy import Policy, PolicyHeader, load_policy
from tabletop_core.seat_env import SeatVectorEnv
from tabletop_core.session import Session
from tabletop_core.single_agent import SingleAgentEnv

HIDDEN = 8
RULES = toy_game.GAME.ruleset(2)


def random_policy(ruleset: Ruleset, seed: int = 0) -> Policy:
    """A network with random weights that reads every second entry of observation and mask."""
    rng = np.random.default_rng(seed)
    inputs = np.arange(0, ruleset.game.observation.size + ruleset.game.actions.count, 2)
    sizes = [len(inputs), HIDDEN, HIDDEN, ruleset.game.actions.count]
    layers = tuple(
        (
            rng.normal(size=(sizes[k], sizes[k + 1])).astype(np.float32),
            rng.normal(size=sizes[k + 1]).astype(np.float32),
        )
        for k in range(len(sizes) - 1)
    )
    header = PolicyHeader.of(ruleset, sizes, {"seed": seed})
    return Policy(header, inputs, np.full(len(inputs), 0.5, np.float32), layers)


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    path = tmp_path / "policy.npz"
    random_policy(RULES).save(path)
    return path


def positions(ruleset: Ruleset, count: int) -> list[tuple[Array, Array]]:
    """Observations and masks of players to move in random games."""
    rng = np.random.default_rng(5)
    session = Session(ruleset)
    found = []
    for seed in range(count):
        session.reset(seed)
        for _ in range(seed % 5):
            if not session.is_over:
                session.step(int(rng.choice(np.flatnonzero(session.mask))))
        if not session.is_over:
            found.append((session.observation.copy(), session.mask.copy()))
    assert len(found) > count // 2
    return found


# --- networks --------------------------------------------------------------------------------


def test_logits_are_those_of_the_layers() -> None:
    """A network small enough to be worked out by hand."""
    sizes = [2, 2, toy_game.GAME.actions.count]
    first = np.array([[1, -1], [2, 0]], np.float32), np.array([-3, 1], np.float32)
    last_weight = np.zeros((2, sizes[-1]), np.float32)
    last_weight[:, 3] = 10, 100
    last = last_weight, np.arange(sizes[-1], dtype=np.float32)
    network = Policy(
        PolicyHeader.of(RULES, sizes, {}),
        np.array([4, toy_game.GAME.observation.size + 1]),
        np.array([0.5, 1], np.float32),
        (first, last),
    )
    observation = np.zeros(toy_game.GAME.observation.size, np.uint8)
    observation[4] = 6
    mask = np.zeros(toy_game.GAME.actions.count, np.int8)
    mask[1] = 1
    # 6 * 0.5 = 3 and 1 -> (3 + 2 - 3, -3 + 1) = (2, -2) -> (2, 0) -> 20 + 3
    expected = np.arange(sizes[-1], dtype=np.float32)
    expected[3] = 23
    assert network.logits(observation, mask).tolist() == expected.tolist()
    batch = np.stack([observation] * 3), np.stack([mask] * 3)
    assert network.logits(*batch).tolist() == [expected.tolist()] * 3


def test_a_checkpoint_holds_all_of_a_policy(checkpoint: Path) -> None:
    saved, loaded = random_policy(RULES), load_policy(checkpoint)
    assert asdict(loaded.header) == asdict(saved.header)
    for seen in positions(RULES, 20):
        assert loaded.logits(*seen).tobytes() == saved.logits(*seen).tobytes()
    with np.load(checkpoint, allow_pickle=False) as arrays:  # plain arrays, for other programs
        assert json.loads(arrays["header"].tobytes())["game"] == toy_game.GAME.id


def test_a_checkpoint_is_never_replaced_unasked(checkpoint: Path) -> None:
    with pytest.raises(TabletopError, match="exists already"):
        random_policy(RULES, 1).save(checkpoint)
    random_policy(RULES, 1).save(checkpoint, force=True)
    assert load_policy(checkpoint).header.training == {"seed": 1}


# --- what is played --------------------------------------------------------------------------


@pytest.mark.parametrize("temperature", [0.0, 0.5, 1.0, 100.0])
def test_only_legal_actions_are_played(temperature: float) -> None:
    network, rng = random_policy(RULES), np.random.default_rng(1)
    for observation, mask in positions(RULES, 60):
        assert mask[network.choose(observation, mask, temperature, rng)]


def test_without_temperature_the_best_legal_action_is_played() -> None:
    network = random_policy(RULES)
    for observation, mask in positions(RULES, 60):
        logits = np.where(mask, network.logits(observation, mask), -np.inf)
        rng = np.random.default_rng(1)
        assert network.choose(observation, mask, 0.0, rng) == logits.argmax()
        assert rng.random() == np.random.default_rng(1).random()  # nothing was drawn


def test_actions_are_drawn_by_their_weights() -> None:
    network = random_policy(RULES)
    network.layers[-1][0][:] = 0
    network.layers[-1][1][:] = 0
    network.layers[-1][1][1] = np.log(3)
    observation = np.zeros(toy_game.GAME.observation.size, np.uint8)
    mask = np.zeros(toy_game.GAME.actions.count, np.int8)
    mask[[1, 4]] = 1
    rng = np.random.default_rng(0)
    for temperature, share in ((1.0, 0.75), (0.5, 0.9)):
        drawn = Counter(network.choose(observation, mask, temperature, rng) for _ in range(4000))
        assert set(drawn) == {1, 4}
        assert abs(drawn[1] / 4000 - share) < 0.03


def test_the_same_seed_gives_the_same_games(checkpoint: Path) -> None:
    bot = f"policy:{checkpoint},temperature=1"
    leagues = [League(RULES, (bot, "random"), 10, seed) for seed in (1, 1, 2)]
    games = [list(play_games(league, {})) for league in leagues]
    assert games[0] == games[1] != games[2]


def test_policies_play_in_every_view(checkpoint: Path) -> None:
    single = SingleAgentEnv(RULES, opponents=f"policy:{checkpoint}")
    lanes = SeatVectorEnv(RULES, 1, opponents=PolicyBot(str(checkpoint)), autoreset="disabled")
    seen = [single.reset(seed=3)[0], lanes.reset(seed=3)[0]]
    for _ in range(3):
        action = single.legal_actions()[-1]
        seen += [single.step(action)[0], lanes.step(np.array([action]))[0]]
    views = [part["observation"].tobytes() for part in seen]
    assert views[::2] == views[1::2]


def test_the_command_line_plays_policies(
    checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bots = f"policy:{checkpoint.name},temperature=0.5,random"
    assert split_bots(bots) == [f"policy:{checkpoint.name},temperature=0.5", "random"]
    assert main(["watch", toy_game.GAME.id, "--players", bots, "--brief"]) in (0, None)


# --- arguments -------------------------------------------------------------------------------


def test_a_policy_is_named_by_its_path(checkpoint: Path) -> None:
    assert make_bot(f"policy:{checkpoint}") == PolicyBot(str(checkpoint))
    assert make_bot(f"policy:path={checkpoint},temperature=2") == PolicyBot(str(checkpoint), 2.0)
    strange = checkpoint.rename(checkpoint.with_name("lr=0.1.npz"))
    assert make_bot(f"policy:{strange}") == PolicyBot(str(strange))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("policy", "needs path, as in policy:PATH"),
        ("policy:", "'' is no argument"),
        ("policy:temperature=1", "needs path"),
        ("policy:nowhere.npz", "nowhere.npz cannot be read: No such file"),
        ("policy:/", "cannot be read"),
        ("policy:{}:x", "cannot be read"),
        ("policy:{},temperature=-1", "temperature must be a number from 0 on, not -1"),
        ("policy:{},temperature=nan", "temperature must be"),
        ("policy:{},temperature=inf", "temperature must be"),
        ("policy:{},warmth=1", "'warmth=1' is no argument"),
        ("policy:{},path=x", "'path=x' is no argument that it takes once"),
    ],
)
def test_wrong_arguments_are_refused(checkpoint: Path, text: str, message: str) -> None:
    with pytest.raises(TabletopError, match=message):
        make_bot(text.format(checkpoint))


# --- other games -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ruleset", "message"),
    [
        (toy_game.GAME.ruleset(3), "trained for 2 players and cannot play with 3"),
        (
            toy_game.GAME.ruleset(2, hand_size=4),
            "trained with other rules .* hand_size 3 there, 4 here",
        ),
        (find_game("jumpgate").ruleset(2), "trained for climb_v0 and cannot play jumpgate_v0"),
    ],
)
def test_a_policy_plays_its_own_game_alone(
    checkpoint: Path, ruleset: Ruleset, message: str
) -> None:
    assert make_bots([f"policy:{checkpoint}"], RULES)
    with pytest.raises(TabletopError, match=rf"policy\.npz was {message}"):
        make_bots([f"policy:{checkpoint}"], ruleset)


def test_other_sizes_are_refused(tmp_path: Path) -> None:
    """As if the layout of observations had changed, but neither the rules nor the version."""
    network = random_policy(RULES)
    size = RULES.game.observation.size
    header = replace(network.header, observation_size=size + 1)
    replace(network, header=header).save(tmp_path / "policy.npz")
    with pytest.raises(TabletopError, match=rf"knows {size + 1} entries .* has {size} and"):
        make_bots([f"policy:{tmp_path / 'policy.npz'}"], RULES)


# --- broken and hostile files ----------------------------------------------------------------


def rewrite(path: Path, **changes: Any) -> None:
    """Write a checkpoint with other arrays; None leaves one out."""
    with np.load(path) as archive:
        arrays: dict[str, Any] = dict(archive)
    arrays |= changes
    kept = {name: array for name, array in arrays.items() if array is not None}
    np.savez(path, **kept)


def header_bytes(**changes: Any) -> Array:
    data = asdict(random_policy(RULES).header) | changes
    return np.frombuffer(json.dumps(data).encode(), np.uint8)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"header": None}, "no item named 'header.npy'"),
        ({"header": np.frombuffer(b"{", np.uint8)}, "no checkpoint of a policy"),
        ({"header": np.frombuffer(b"\xff", np.uint8)}, "no checkpoint of a policy"),
        ({"header": np.frombuffer(b"[]", np.uint8)}, "its header is not of format 1"),
        ({"header": header_bytes(format=2)}, "its header is not of format 1"),
        ({"header": header_bytes(more=2)}, "its header is not of format 1"),
        ({"header": header_bytes(game=3)}, "game in its header is 3"),
        ({"header": header_bytes(num_players=True)}, "num_players in its header is True"),
        ({"header": header_bytes(sizes=[3, "x"])}, "sizes in its header"),
        ({"header": header_bytes(sizes=[])}, "impossible sizes"),
        ({"header": header_bytes(sizes=[-1, 17])}, "impossible sizes"),
        ({"header": header_bytes(sizes=[3, 3])}, "impossible sizes"),
        ({"header": header_bytes(sizes=[1 << 50, 17])}, "not int64"),
        ({"header": header_bytes(observation_size=1)}, "entries that observations and masks"),
        ({"inputs": np.array([{}], object)}, "inputs is object"),
        ({"weight_0": np.array([print], object)}, "weight_0 is object"),
        ({"weight_1": None}, "no item named 'weight_1.npy'"),
        ({"weight_1": np.zeros((HIDDEN, HIDDEN))}, "weight_1 is float64"),
        ({"weight_1": np.zeros((HIDDEN, 1), np.float32)}, "weight_1 is float32"),
        ({"bias_0": np.full(HIDDEN, np.nan, np.float32)}, "no finite numbers"),
    ],
)
def test_wrong_arrays_are_refused(checkpoint: Path, changes: dict[str, Any], message: str) -> None:
    rewrite(checkpoint, **changes)
    with pytest.raises(TabletopError, match=message):
        load_policy(checkpoint)


def test_nothing_is_unpickled(checkpoint: Path, tmp_path: Path) -> None:
    """A pickle that would make a file when it is loaded."""
    trace = tmp_path / "trace"

    class Hostile:
        def __reduce__(self) -> Any:
            return Path.touch, (trace,)

    rewrite(checkpoint, bias_0=np.array([Hostile()], object))
    with np.load(checkpoint, allow_pickle=True) as archive:
        assert archive["bias_0"].size
    assert trace.exists()  # so it is hostile
    trace.unlink()
    with pytest.raises(TabletopError, match="bias_0 is object"):
        load_policy(checkpoint)
    assert not trace.exists()


def test_huge_files_are_not_unpacked(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "MAX_BYTES", 1000)
    with pytest.raises(TabletopError, match="more than the 1000 that are read"):
        load_policy(checkpoint)


def test_damaged_bytes_are_refused(checkpoint: Path) -> None:
    """Each byte of the file in turn is another one: refused, or of no matter for what is read."""
    data = checkpoint.read_bytes()
    whole = load_policy(checkpoint)
    seen = positions(RULES, 20)[0]
    refused = 0
    for place in range(0, len(data), 7):
        damaged = bytearray(data)
        damaged[place] ^= 0x55
        checkpoint.write_bytes(damaged)
        try:
            loaded = load_policy(checkpoint)
        except TabletopError:
            refused += 1
        else:
            assert loaded.logits(*seen).tobytes() == whole.logits(*seen).tobytes()
    assert refused > len(data) // 7 // 2


@pytest.mark.parametrize("length", [0, 1, 30, 500, -1])
def test_files_that_were_cut_off_are_refused(checkpoint: Path, length: int) -> None:
    checkpoint.write_bytes(checkpoint.read_bytes()[:length])
    with pytest.raises(TabletopError, match=r"damaged or no checkpoint"):
        load_policy(checkpoint)


def test_encrypted_and_unknown_members_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.npy", b"not an array")
    with pytest.raises(TabletopError, match="no checkpoint of a policy"):
        load_policy(path)
