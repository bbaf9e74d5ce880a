"""Jump Gate as users import it."""

from typing import Final

from tabletop_core.game import Game, register_game
from tabletop_core.verbs import Kernels
from tabletop_core.views import Views

from .bots import action_worth
from .components import tables_to_text
from .drawing import draw
from .notation import action_to_string, decode, state_to_json, string_to_action, view_to_json
from .observation import OBSERVATION, observe
from .options import Options, option_texts, validate
from .position import state_from_json
from .render import render
from .rules import (
    ACTIONS,
    END_REASONS,
    PROMPTS,
    RULES,
    STATE,
    VERSION,
    apply_action,
    determinize,
    final_result,
    legal_actions,
    new_game,
)
from .ruleset import make_rules
from .sizes import MAX_PLAYERS, MIN_PLAYERS

GAME: Final = register_game(
    Game(
        name="jumpgate",
        version=VERSION,
        title="Jump Gate",
        min_players=MIN_PLAYERS,
        max_players=MAX_PLAYERS,
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
            action_worth=action_worth,
        ),
        prompts=PROMPTS,
        end_reasons=END_REASONS,
        options_type=Options,
        option_meanings={name: text.meaning for name, text in option_texts().items()},
        make_rules=make_rules,
        action_to_string=action_to_string,
        string_to_action=string_to_action,
        state_to_json=state_to_json,
        state_from_json=state_from_json,
        view_to_json=view_to_json,
        decode=decode,
        render=render,
        export_ruleset=tables_to_text,
        module="jumpgate_env.jumpgate_v0",
        check_options=validate,
        draw=draw,
    )
)

_VIEWS: Final = Views(GAME)
env = _VIEWS.env
raw_env = _VIEWS.raw_env
parallel_env = _VIEWS.parallel_env
single_agent = _VIEWS.single_agent
make_vec = _VIEWS.make_vec
