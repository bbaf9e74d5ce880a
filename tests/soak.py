"""Plays for a long time through every view and looks for what only shows then: `make soak`.

Rules, players, decks and seeds are random. Every step is checked a little and some positions
closely; the reference plays a sample in lock-step; the memory may not grow over the last nine
tenths of a run. What is wrong ends the program with an error that names the ruleset.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import jumpgate_positions
import junkorbit_positions
import numpy as np
import stargate_random
import test_jumpgate_lockstep
import test_junkorbit_lockstep
import test_stargate_lockstep
from rich.progress import Progress, TimeElapsedColumn

from tabletop_core.aec import TabletopEnv
from tabletop_core.bots import sample_legal
from tabletop_core.game import Ruleset, find_game
from tabletop_core.parallel import TabletopParallelEnv
from tabletop_core.seat_env import SeatVectorEnv
from tabletop_core.session import Session
from tabletop_core.single_agent import SingleAgentEnv
from tabletop_core.testing import QUICK_CHECKS, describe, require
from tabletop_core.vector_env import VectorEngine
from tabletop_core.warmup import warmup

STEPS: Final = 10_000_000
STEPS_A_RULESET: Final = 20_000
LANES: Final = 64
CLOSE: Final = 0.001  # share of the positions that are checked closely
COMPARED: Final = 0.01  # steps of the reference for each of the others
WARM: Final = 0.1  # share of a run after which the memory may no longer grow
SLACK: Final = 24 << 20  # bytes that are no growth: what the allocator keeps
STATUS: Final = Path("/proc/self/statm")
PAGE: Final = 4096  # bytes

RULESETS: Final[dict[str, Callable[[Random], Iterator[Ruleset]]]] = {
    "jumpgate": jumpgate_positions.random_rulesets,
    "junkorbit": junkorbit_positions.random_rulesets,
    "stargate": stargate_random.random_rulesets,
}

View = Callable[[Ruleset, Random], Iterator[int]]
"""Plays for ever; yields now and then how many decisions were taken since."""


def soak(name: str, view: str, steps: int, seed: str, report: Callable[[int], None]) -> int:
    """Play `steps` decisions of a game through a view; bytes by which the memory grew.

    Raises:
        AssertionError: something is wrong, or the memory grew by more than `SLACK`.
    """
    rng = Random(f"{name} {view} {seed}")
    rulesets = RULESETS[name](rng)
    played, warm = 0, 0
    while played < steps:
        ruleset = next(rulesets)
        try:
            played += play_some(VIEWS[view](ruleset, rng), min(STEPS_A_RULESET, steps - played))
        except Exception as error:
            error.add_note(f"{describe(ruleset)}, {view}, after {played} steps of seed {seed!r}")
            raise
        report(played)
        if not warm and played >= WARM * steps:
            warm = memory()
    growth = memory() - warm
    require(growth <= SLACK, f"{name}, {view}: the memory grew by {growth >> 20} MiB")
    return growth


def play_some(steps: Iterator[int], enough: int) -> int:
    played = 0
    while played < enough:
        played += next(steps)
    return played


def memory() -> int:
    """Resident bytes of this process."""
    gc.collect()
    return int(STATUS.read_text().split()[1]) * PAGE


# --- views -----------------------------------------------------------------------------------


def play_aec(ruleset: Ruleset, rng: Random) -> Iterator[int]:
    env = TabletopEnv(ruleset)
    while True:
        env.reset(rng.getrandbits(64))
        total = 0.0
        for _ in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            if terminated or truncated:
                total += reward
                env.step(None)
            else:
                look_closely(env.session, rng)
                env.step(sample_legal(observation["action_mask"], rng))
                yield 1
        check_rewards(total)


def play_parallel(ruleset: Ruleset, rng: Random) -> Iterator[int]:
    env = TabletopParallelEnv(ruleset)
    while True:
        observations, infos = env.reset(rng.getrandbits(64))
        rewards = dict.fromkeys(env.agents, 0.0)
        while env.agents:
            mover = infos[env.agents[0]]["active_agent"]
            others = (mask["action_mask"] for agent, mask in observations.items() if agent != mover)
            require(not any(mask.any() for mask in others), "somebody else may act")
            action = sample_legal(observations[mover]["action_mask"], rng)
            observations, rewards, _, _, infos = env.step({mover: action})
            yield 1
        check_rewards(sum(rewards.values()))


def play_single_agent(ruleset: Ruleset, rng: Random) -> Iterator[int]:
    env = SingleAgentEnv(ruleset, opponents=rng.choice(("random", "rule")), seat="rotate")
    while True:
        observation, info = env.reset(seed=rng.getrandbits(63))
        is_over = False
        while not is_over:
            look_closely(env.session, rng)
            action = sample_legal(observation["action_mask"], rng)
            observation, reward, terminated, truncated, info = env.step(action)
            is_over = terminated or truncated
            require(is_over or reward == 0, f"reward {reward} before the end")
            yield 1
        require((reward > 0) <= (info["player"] in info["winners"]), "a loser is paid")


def play_engine(ruleset: Ruleset, rng: Random) -> Iterator[int]:
    autoreset = rng.choice(("next_step", "same_step"))
    vec = VectorEngine(ruleset, LANES, autoreset=autoreset, threads=rng.choice((1, 2)))
    vec.reset(seed=rng.getrandbits(64))
    aside = Session(ruleset)
    while True:
        vec.step(vec.sample_actions())
        require(not vec.illegal.any(), "a sampled action is illegal")
        is_over = vec.terminated | vec.truncated
        require(bool((vec.rewards[~is_over] == 0).all()), "a reward before the end")
        check_rewards(vec.rewards.sum(axis=1))
        if rng.random() < CLOSE * LANES:
            lane = rng.randrange(LANES)
            aside.from_json(vec.to_json(lane))
            look(aside, rng)
        yield LANES


def play_seats(ruleset: Ruleset, rng: Random) -> Iterator[int]:
    vec = SeatVectorEnv(ruleset, LANES, opponents=rng.choice(("random", "rule")), seat="rotate")
    observations, _ = vec.reset(seed=rng.getrandbits(63))
    is_over = np.zeros(LANES, np.bool_)
    while True:
        masks = observations["action_mask"]
        require(bool((masks.any(axis=1) | is_over).all()), "nothing is legal before the end")
        actions = (masks * np.random.default_rng(rng.getrandbits(64)).random(masks.shape)).argmax(1)
        observations, rewards, terminated, truncated, _ = vec.step(actions)
        is_over = terminated | truncated
        require(bool((rewards[~is_over] == 0).all()), "a reward before the end")
        yield LANES


VIEWS: Final[dict[str, View]] = {
    "aec": play_aec,
    "parallel": play_parallel,
    "single_agent": play_single_agent,
    "engine": play_engine,
    "seats": play_seats,
}


# --- checks ----------------------------------------------------------------------------------


def look_closely(session: Session, rng: Random) -> None:
    if rng.random() < CLOSE:
        look(session, rng)


def look(session: Session, rng: Random) -> None:
    """The checks of single positions of the conformance suite."""
    for check in QUICK_CHECKS:
        check(session, rng)


def check_rewards(rewards: Any) -> None:
    """What one player wins the others lose."""
    require(bool(np.allclose(rewards, 0.0)), f"rewards do not add up to nothing: {rewards}")


def compare(name: str, steps: int, seed: str) -> int:
    """So many decisions in lock-step with the reference; how many there were."""
    if name == "stargate":
        draw = test_stargate_lockstep.a_random_deck
        return test_stargate_lockstep.check_games(draw, seed, 2, steps).decisions
    module = test_jumpgate_lockstep if name == "jumpgate" else test_junkorbit_lockstep
    players = Random(seed).choice(range(2, 6))
    return module.check_random_games(seed, players, steps).decisions


# --- the program -----------------------------------------------------------------------------


def main() -> None:
    """Soak the chosen games through the chosen views."""
    given = arguments()
    with Progress(*Progress.get_default_columns(), TimeElapsedColumn()) as progress:
        for name in given.games:
            warmup(find_game(f"{name}_v0"))
            for view in given.views:
                soak_and_tell(progress, name, view, given)
            compared = compare(name, int(given.steps * COMPARED), given.seed)
            progress.print(f"{name}: {compared} decisions in lock-step with the reference")


def soak_and_tell(progress: Progress, name: str, view: str, given: argparse.Namespace) -> None:
    started = time.monotonic()
    task = progress.add_task(f"{name} {view}", total=given.steps)
    growth = soak(
        name, view, given.steps, given.seed, lambda played: progress.update(task, completed=played)
    )
    took = time.monotonic() - started
    progress.print(f"{name} {view}: {given.steps} steps, {took:.0f} s, memory {growth:+d} bytes")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Play for a long time.")
    parser.add_argument("--steps", type=int, default=STEPS, help="decisions of each game and view")
    parser.add_argument("--games", nargs="+", choices=RULESETS, default=list(RULESETS))
    parser.add_argument("--views", nargs="+", choices=VIEWS, default=list(VIEWS))
    parser.add_argument("--seed", default="1", help="other games with another one")
    return parser.parse_args()


if __name__ == "__main__":
    main()
