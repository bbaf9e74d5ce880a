"""The Stargate TCG as users import it."""

from typing import Final

from tabletop_core.game import Game, OtherTable, register_game
from tabletop_core.verbs import Kernels
from tabletop_core.views import Views

from .bots import action_worth, outlook
from .determinize import determinize
from .drawing import draw
from .legal import legal_actions
from .notation import action_to_string, seen_action, string_to_action
from .observation import observe
from .observation_layout import observation_layout
from .options import Options, option_texts, options_from_json, options_to_json, validate
from .position import state_from_json, state_to_json
from .render import render
from .rules import apply_action, final_result, new_game
from .ruleset import make_ruleset, tables_to_text
from .state import (
    ACTIONS,
    END_REASONS,
    ERRORS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    PROMPTS,
    RULES,
    STATE,
    STATE_6,
    VERSION,
)
from .view import decode, view_to_json

GAME: Final = register_game(
    Game(
        name="stargate",
        version=VERSION,
        title="Stargate TCG",
        min_players=MIN_PLAYERS,
        max_players=MAX_PLAYERS,
        actions=ACTIONS,
        observation=observation_layout(MIN_PLAYERS),
        state_dtype=STATE,
        other_table=OtherTable(
            range(MIN_PLAYERS + 1, MAX_PLAYERS + 1), STATE_6, observation_layout(MAX_PLAYERS)
        ),
        rooms=ERRORS,
        rules_dtype=RULES,
        kernels=Kernels(
            new_game=new_game,
            legal_actions=legal_actions,
            apply_action=apply_action,
            final_result=final_result,
            observe=observe,
            determinize=determinize,
            action_worth=action_worth,
            outlook=outlook,
        ),
        prompts=PROMPTS,
        end_reasons=END_REASONS,
        options_type=Options,
        option_meanings={name: text.meaning for name, text in option_texts().items()},
        make_rules=make_ruleset,
        action_to_string=action_to_string,
        string_to_action=string_to_action,
        state_to_json=state_to_json,
        state_from_json=state_from_json,
        view_to_json=view_to_json,
        decode=decode,
        render=render,
        export_ruleset=tables_to_text,
        module="stargate_env.stargate_v0",
        check_options=validate,
        seen_action=seen_action,
        options_to_json=options_to_json,
        options_from_json=options_from_json,
        draw=draw,
    )
)

_VIEWS: Final = Views(GAME)
env = _VIEWS.env
raw_env = _VIEWS.raw_env
parallel_env = _VIEWS.parallel_env
single_agent = _VIEWS.single_agent
make_vec = _VIEWS.make_vec
