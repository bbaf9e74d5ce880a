"""Can a learner find what matters in the observations? A linear probe of each game tells.

    python examples/probe_observations.py [GAME ..]

Ridge regression from the observation of the player to move to quantities of the position, in random
games; R² is measured on games that the fit has not seen. 1 is perfect, 0 is no better than the
mean. Scores and cards are told by the whole position in words (`to_json`), not by the observation;
what is legal by the mask. A quantity that depends on several entries together, as the number of
legal actions does, cannot be quite linear: that is what hidden layers are for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from tabletop_core.game import Array, Json, find_game, games
from tabletop_core.vector_env import VectorEngine

LANES = 150
TEST_LANES = 50
POSITIONS = 40  # of each lane
STEPS_BETWEEN = 7
RIDGE = 300.0  # of some thousand positions

Target = Callable[[Json], float]


def cargo(seat: Json) -> float:
    """Tiles on a ship of Junk Orbit."""
    return float(sum(seat["cargo"].values()))


SCORE: dict[str, Target] = {
    "jumpgate_v0": lambda seat: seat["public_points"],
    "junkorbit_v0": lambda seat: seat["points"],
    "stargate_v0": lambda seat: seat["experience"],
}
CARDS: dict[str, Target] = {
    "jumpgate_v0": lambda seat: seat["hand_count"],
    "junkorbit_v0": cargo,
    "stargate_v0": lambda seat: seat["hand_count"],
}
BLOCKS = {
    "jumpgate_v0": ("jump", "claim", "harvest"),
    "junkorbit_v0": ("tile", "land"),
    "stargate_v0": ("play", "assign", "complicate"),
}


def collect(name: str, seed: int = 1) -> tuple[Array, dict[str, Array]]:
    """Observations [positions, lanes, size] and targets [positions, lanes] of random games."""
    env = VectorEngine(find_game(name).ruleset(2), LANES, autoreset="same_step")
    env.reset(seed=seed)
    seen, rows = [], []
    for _ in range(POSITIONS):
        for _ in range(STEPS_BETWEEN):
            env.step(env.sample_actions())
        seen.append(env.observation.copy())
        rows.append([targets(env, name, lane) for lane in range(LANES)])
    names = rows[0][0]
    return np.stack(seen), {
        key: np.array([[one[key] for one in row] for row in rows]) for key in names
    }


def targets(env: VectorEngine, name: str, lane: int) -> dict[str, float]:
    """What is to be found in the observation of the player to move."""
    player = int(env.current_player[lane])
    seats = env.to_json(lane, player)["seats"]
    mask, actions = env.action_mask[lane], env.ruleset.game.actions
    found = {
        "own score": SCORE[name](seats[0]),
        "opponent's score": SCORE[name](seats[1]),
        "own cards": CARDS[name](seats[0]),
        "opponent's cards": CARDS[name](seats[1]),
        "legal actions": float(mask.sum()),
    }
    blocks = {block.name: (first, last) for first, last, block in actions.rows()}
    for block in BLOCKS[name]:
        first, last = blocks[block]
        found[f"legal: {block}"] = float(mask[first : last + 1].sum())
    return found


def fit(seen: Array, target: Array) -> float:
    """R² in the test lanes of a ridge regression in the others."""
    size = seen.shape[-1]
    train, test = (
        (seen[:, lanes].reshape(-1, size).astype(np.float64), target[:, lanes].reshape(-1))
        for lanes in (slice(TEST_LANES, None), slice(TEST_LANES))
    )
    mean, deviation = train[0].mean(axis=0), train[0].std(axis=0)
    kept = deviation > 0
    x, x_test = (((part[0] - mean) / np.maximum(deviation, 0.1))[:, kept] for part in (train, test))
    offset = train[1].mean()
    weights = np.linalg.solve(x.T @ x + RIDGE * np.eye(x.shape[1]), x.T @ (train[1] - offset))
    error = np.square(x_test @ weights + offset - test[1]).sum()
    return float(1 - error / max(np.square(test[1] - test[1].mean()).sum(), 1e-12))


def probe(name: str) -> dict[str, float]:
    """R² of each quantity that varies."""
    seen, found = collect(name)
    return {key: fit(seen, target) for key, target in found.items() if target.std() > 0}


def main() -> None:
    for name in sys.argv[1:] or games():
        game = find_game(name)
        print(game.title)
        for key, share in probe(game.id).items():
            print(f"  {key:<22} R² {share:6.3f}")


if __name__ == "__main__":
    main()
