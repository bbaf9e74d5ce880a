"""Leduc poker as the benchmarks import it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tabletop_core.game import Array, Game, allocate, register_game
from tabletop_core.verbs import Kernels
from tabletop_core.views import Views

from .rules import (
    ACTIONS,
    END_REASONS,
    OBSERVATION,
    RULES,
    STATE,
    VERSION,
    apply_action,
    determinize,
    final_result,
    legal_actions,
    new_game,
    observe,
)
from .sizes import FIRST_RAISE, NUM_PLAYERS, SECOND_RAISE
from .words import (
    action_to_string,
    decode,
    render,
    state_from_json,
    state_to_json,
    string_to_action,
    view_to_json,
)


@dataclass(frozen=True)
class Options:
    """The game has no options."""


def make_rules(options: Any, num_players: int) -> tuple[Array, Any]:
    """(RULES [1], no tables)."""
    record = allocate(RULES, 1)
    record[0].num_players = num_players
    record[0].leduc_poker_raises[:] = FIRST_RAISE, SECOND_RAISE
    return record, None


GAME: Final = register_game(
    Game(
        name="leduc_poker",
        version=VERSION,
        title="Leduc poker",
        min_players=NUM_PLAYERS,
        max_players=NUM_PLAYERS,
        actions=ACTIONS,
        observation=OBSERVATION,
        state_dtype=STATE,
        rules_dtype=RULES,
        kernels=Kernels(
            new_game=new_game,
            legal_actions=legal_actions,
            apply_action=apply_action,
            final_result=final_result,
            observe=observe,
            determinize=determinize,
        ),
        prompts=(),
        end_reasons=END_REASONS,
        options_type=Options,
        option_meanings={},
        make_rules=make_rules,
        action_to_string=action_to_string,
        string_to_action=string_to_action,
        state_to_json=state_to_json,
        state_from_json=state_from_json,
        view_to_json=view_to_json,
        decode=decode,
        render=render,
        export_ruleset=lambda tables: "",
        module=__name__,
    )
)

_VIEWS: Final = Views(GAME)
env = _VIEWS.env
raw_env = _VIEWS.raw_env
parallel_env = _VIEWS.parallel_env
single_agent = _VIEWS.single_agent
make_vec = _VIEWS.make_vec
