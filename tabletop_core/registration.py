"""The games in the registries of Gymnasium and PettingZoo."""

from __future__ import annotations

import gymnasium
import pettingzoo

from .game import Game

NAMESPACE = "tabletop"


def environment_id(game: Game) -> str:
    """The id of a game in both registries, for example `tabletop/JumpGate-v0`."""
    name = "".join(sign for sign in game.title if sign.isalnum())
    return f"{NAMESPACE}/{name}-v{game.version}"


def register_environments(game: Game) -> None:
    """Enter a game into the registries; nothing happens if it is there already.

    Gymnasium: the single-agent view and, for `make_vec`, many games of it, both against random
    bots. PettingZoo (where it has a registry, from 1.27): the AEC and the Parallel view. Entry
    points are strings, so that specs can be written down and used in spawned processes.
    """
    name = environment_id(game)
    if name not in gymnasium.registry:
        gymnasium.register(
            name,
            entry_point=f"{game.module}:single_agent",
            vector_entry_point=f"{game.module}:make_vec",
            kwargs={"opponents": "random"},
        )
    if hasattr(pettingzoo, "register"):
        if name not in pettingzoo.aec_registry:
            pettingzoo.register("aec", name, f"{game.module}:env")
        if name not in pettingzoo.parallel_registry:
            pettingzoo.register("parallel", name, f"{game.module}:parallel_env")
