"""The self-play example: its advantages, its inference in NumPy, and a short training."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from ppo_selfplay import (
    Agent,
    Arguments,
    Batch,
    Run,
    advantages,
    main,
    make_agent,
    margins,
    to_policy,
)

from tabletop_core.arena import League, play_games
from tabletop_core.game import Array, find_game
from tabletop_core.policy import load_policy
from tabletop_core.session import Session

PLAYERS = 3
LAMBDA = 0.9
DISCOUNT = 0.8


# --- advantages ------------------------------------------------------------------------------


def random_batch(steps: int, lanes: int, seed: int) -> Batch:
    """Decisions of three players in any order; games end now and then, in any step."""
    rng = np.random.default_rng(seed)
    done = rng.random((steps, lanes)) < 0.1
    reward = rng.normal(size=(steps, lanes, PLAYERS)) * done[:, :, None]
    nothing = np.zeros((steps, lanes), np.int64)
    return Batch(
        seen=nothing,
        mask=nothing,
        player=rng.integers(PLAYERS, size=(steps, lanes)),
        action=nothing,
        target=nothing,
        log_prob=nothing,
        value=rng.normal(size=(steps, lanes)).astype(np.float32),
        reward=reward.astype(np.float32),
        done=done,
        learns=rng.random((steps, lanes)) < 0.8,
    )


def plain_advantages(batch: Batch, lane: int, player: int) -> dict[int, float]:
    """By definition: step -> advantage of each decision of a player that has a successor."""
    result: dict[int, float] = {}
    steps = len(batch.done)
    begin = 0
    for end in [*np.flatnonzero(batch.done[:, lane]).tolist(), steps]:
        own = [t for t in range(begin, min(end + 1, steps)) if batch.player[t, lane] == player]
        values = [float(batch.value[t, lane]) for t in own]
        rewards = [0.0] * len(own)
        if end < steps:  # the game ends in the batch
            values.append(0.0)
            rewards[-1:] = [float(batch.reward[end, lane, player])] if own else []
        errors = [rewards[k] + DISCOUNT * values[k + 1] - values[k] for k in range(len(values) - 1)]
        for k in range(len(errors)):
            weights = (DISCOUNT * LAMBDA) ** np.arange(len(errors) - k)
            result[own[k]] = float(np.dot(weights, errors[k:]))
        begin = end + 1
    return result


@pytest.mark.parametrize("seed", range(20))
def test_advantages_follow_each_player(seed: int) -> None:
    batch = random_batch(steps=60, lanes=3, seed=seed)
    found, is_complete = advantages(batch, DISCOUNT, LAMBDA)
    for lane in range(3):
        expected: dict[int, float] = {}
        for player in range(PLAYERS):
            expected |= plain_advantages(batch, lane, player)
        learned = {t: one for t, one in expected.items() if batch.learns[t, lane]}
        assert sorted(learned) == np.flatnonzero(is_complete[:, lane]).tolist()
        for t, one in learned.items():
            assert found[t, lane] == pytest.approx(one, abs=1e-4)


def test_the_loser_is_paid_for_the_move_of_the_winner() -> None:
    """Player 0 decides, player 1 wins with the next move: both trajectories end there."""
    batch = random_batch(steps=2, lanes=1, seed=0)
    batch.player[:, 0] = 0, 1
    batch.done[:, 0] = False, True
    batch.reward[1, 0] = -1, 1, 0
    batch.value[:] = 0
    batch.learns[:] = True
    found, is_complete = advantages(batch, 1.0, 1.0)
    assert found[:, 0].tolist() == [-1, 1]
    assert is_complete.all()


def test_margins_are_those_over_the_best_other() -> None:
    scores = np.array([[5.0, 2.0, 9.0], [4.0, 4.0, 1.0]])
    assert margins(scores).tolist() == [[-4, -7, 4], [0, 0, -3]]


# --- networks --------------------------------------------------------------------------------


def quick(out: Path, **more: Any) -> Arguments:
    """A training of some batches."""
    return Arguments(
        out=out,
        decisions=6000,
        imitation=0.5,
        lanes=16,
        steps=64,
        hidden=32,
        minibatch=256,
        pool=2,
        pool_every=1,
        evaluation_games=4,
        final_games=4,
        **more,
    )


def test_numpy_computes_what_torch_computes(tmp_path: Path) -> None:
    args = Arguments(game="jumpgate", hidden=64)
    ruleset = find_game(args.game).ruleset(2)
    torch.manual_seed(3)
    agent = make_agent(ruleset, args)
    with torch.no_grad():
        agent.policy.weight *= 100  # as far apart as after a training
    to_policy(ruleset, agent, {}).save(tmp_path / "policy.npz")
    policy = load_policy(tmp_path / "policy.npz")
    session = Session(ruleset)
    rng = np.random.default_rng(1)
    session.reset(1)
    for _ in range(100):
        check_logits(agent, policy.logits(session.observation, session.mask), session)
        session.step(int(rng.choice(np.flatnonzero(session.mask))))


def check_logits(agent: Agent, logits: Array, session: Session) -> None:
    mask = session.mask.astype(bool)
    seen = torch.as_tensor(agent.read(session.observation[None], session.mask[None]))
    with torch.no_grad():
        logs, _ = agent(seen, torch.as_tensor(mask[None]))
    legal = logits[mask].astype(np.float64)
    expected = legal - np.log(np.exp(legal - legal.max()).sum()) - legal.max()
    np.testing.assert_allclose(logs[0].numpy()[mask], expected, atol=1e-4)


# --- trainings -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "more",
    [
        {},
        {
            "players": 3,
            "margin": 0.5,
            "past_lanes": 0.5,
            "rule_lanes": 0.0,
            "options": ("fly_from_gate=true",),
        },
    ],
)
def test_a_short_training_leaves_a_bot(tmp_path: Path, more: dict[str, Any]) -> None:
    args = quick(tmp_path / "run", **more)
    main(args)
    curve = json.loads((args.out / "curve.json").read_text())["curve"]
    assert curve[-1]["decisions"] > 0
    assert curve[-1]["random"]["games"] == curve[-1]["rule"]["games"] == 4
    assert (args.out / "curve.png").read_bytes().startswith(b"\x89PNG")
    path = args.out / "policy.npz"
    header = load_policy(path).header
    game = find_game(header.game)
    ruleset = game.ruleset(args.players, **game.options_from_json(header.options))
    league = League(ruleset, (f"policy:{path}", "random"), num_deals=1, seed=1)
    assert len(list(play_games(league, {}))) == league.num_games


def test_a_run_is_never_written_over(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="exists"):
        main(quick(tmp_path))


def test_a_run_that_is_interrupted_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the second batch."""
    batch = Run.batch

    def interrupted(run: Run) -> Any:
        if run.batches == 1:
            raise KeyboardInterrupt
        return batch(run)

    monkeypatch.setattr(Run, "batch", interrupted)
    args = quick(tmp_path / "run", evaluations=1)
    main(args)
    assert load_policy(args.out / "policy.npz").header.num_players == 2
    assert json.loads((args.out / "curve.json").read_text())["curve"] == []
