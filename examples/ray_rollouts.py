"""Self-play data at scale with Ray: records of games in shards, on one machine or on a thousand.

    pip install -e ".[rllib]"
    python examples/ray_rollouts.py --game jumpgate --games 100000 --out data
    python examples/ray_rollouts.py --address auto --cpus 8 --games 1000000000 --out /shared/data

Game k is dealt by seed `seed + k`, and shard j holds the games from `j * shard` on. A worker plays
a shard in the self-play engine, with all its cores, and writes it as one file, which appears
complete or not at all. So what a killed worker was playing is played again by another one, and a
driver that is started again plays the shards that are missing: no game is lost, and none is there
twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import ray
import tyro
from rich.progress import MofNCompleteColumn, Progress

from tabletop_core.errors import TabletopError
from tabletop_core.files import new_file
from tabletop_core.game import find_game
from tabletop_core.policy import Policy, load_policy
from tabletop_core.record import GameRecord, write_records
from tabletop_core.vector_env import VectorEngine
from tabletop_core.views import Views

PLAN = "plan.json"
WAITING = 2  # shards that wait for each worker, so that none is idle


@dataclass(frozen=True)
class Plan:
    """Which games a folder holds; the same plan gives the same files."""

    game: str = "jumpgate"
    """Name of the game: jumpgate, junkorbit or stargate."""
    players: int = 2
    """How many play."""
    games: int = 10_000
    """How many games."""
    shard: int = 1_000
    """Games in a file."""
    lanes: int = 250
    """Games at the same time in a worker."""
    seed: int = 0
    """Of the first game; the others follow."""
    policy: str | None = None
    """Path of a trained policy that plays all seats; without it they play at random."""


@dataclass(frozen=True)
class Arguments:
    """Play games on Ray and keep their records."""

    out: Path
    """The folder for the shards; one that is there already goes on where it stopped."""
    plan: tyro.conf.OmitArgPrefixes[Plan] = field(default_factory=Plan)
    """Which games."""
    cpus: int = 1
    """Cores of a worker."""
    address: str | None = None
    """The Ray cluster to join, for example "auto"; without it, Ray is started on this machine."""


def main(arguments: Arguments) -> None:
    plan, out = arguments.plan, arguments.out.absolute()
    open_folder(out, plan)
    missing = [number for number in range(num_shards(plan)) if not shard_path(out, number).exists()]
    ray.init(address=arguments.address, include_dashboard=False, log_to_driver=False)
    try:
        workers = max(1, int(ray.cluster_resources().get("CPU", 1)) // arguments.cpus)
        task = play_shard.options(num_cpus=arguments.cpus)
        with Progress(*Progress.get_default_columns(), MofNCompleteColumn()) as progress:
            bar = progress.add_task("shards", total=num_shards(plan))
            progress.advance(bar, num_shards(plan) - len(missing))
            running: list[Any] = []
            for number in missing:
                running.append(task.remote(out, plan, number, arguments.cpus))
                if len(running) >= WAITING * workers:
                    running = wait_for_one(running)
                    progress.advance(bar)
            while running:
                running = wait_for_one(running)
                progress.advance(bar)
    finally:
        ray.shutdown()


def wait_for_one(running: list[Any]) -> list[Any]:
    """The tasks that are left when one has ended; its error, if it had one, is raised here."""
    done, left = ray.wait(running)
    ray.get(done)
    return left


# --- the folder ------------------------------------------------------------------------------


def open_folder(out: Path, plan: Plan) -> None:
    """Make the folder of a plan, or make sure that it is one.

    Raises:
        TabletopError: it belongs to another plan.
    """
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(asdict(plan), indent=1)
    path = out / PLAN
    if not path.exists():
        with new_file(path) as stream:
            stream.write(text.encode())
    elif path.read_text(encoding="utf-8") != text:
        raise TabletopError(f"{path} is another plan: take its arguments, or another folder")


def num_shards(plan: Plan) -> int:
    return -(-plan.games // plan.shard)


def shard_path(out: Path, number: int) -> Path:
    return out / f"shard-{number:08}.jsonl.gz"


# --- the workers -----------------------------------------------------------------------------


@ray.remote(max_retries=-1)  # for workers that were killed; errors of ours are not tried again
def play_shard(out: Path, plan: Plan, number: int, threads: int) -> None:
    """Play a shard and write it, unless a worker that was killed afterwards has done so."""
    path = shard_path(out, number)
    if not path.exists():
        write_records(path, shard_records(plan, number, threads))


def shard_records(plan: Plan, number: int, threads: int) -> Iterator[GameRecord]:
    """The records of a shard in the order of their seeds."""
    policy = None if plan.policy is None else load_policy(plan.policy)
    first, end = number * plan.shard, min((number + 1) * plan.shard, plan.games)
    for start in range(first, end, plan.lanes):
        count = min(plan.lanes, end - start)
        yield from play_games(plan, policy, plan.seed + start, count, threads)


def play_games(
    plan: Plan, policy: Policy | None, seed: int, count: int, threads: int
) -> list[GameRecord]:
    """The games of seeds `seed` .. `seed + count - 1`, each in a lane of its own."""
    vec = Views(find_game(plan.game)).make_vec(
        count,
        num_players=plan.players,
        autoreset="disabled",
        threads=threads,
        observations=policy is not None,
    )
    if policy is not None:
        policy.header.check_ruleset(vec.ruleset, str(plan.policy))
    rng = np.random.default_rng(seed)
    vec.start_recording()
    vec.reset(seed=seed)
    records: list[GameRecord] = []
    while len(records) < count:  # lanes whose game is over refuse every action
        vec.step(vec.sample_actions() if policy is None else drawn_actions(vec, policy, rng))
        records += vec.take_records()
    return sorted(records, key=lambda record: record.seed or 0)


def drawn_actions(vec: VectorEngine, policy: Policy, rng: np.random.Generator) -> Any:
    """Legal actions [lanes], drawn in proportion to exp(logits)."""
    logits = policy.logits(vec.observation, vec.action_mask)
    noise = rng.gumbel(size=logits.shape)
    return np.where(vec.action_mask, logits + noise, -np.inf).argmax(axis=1)


if __name__ == "__main__":
    main(tyro.cli(Arguments))
