"""Games that are broken on purpose, each of which the conformance suite must refuse.

Run without compilation by `test_interpreted.py`, because thirty games would take minutes to
compile: `NUMBA_DISABLE_JIT=1 pytest tests/broken_games.py`.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import toy_game
from numba.core import config

from tabletop_core import testing, verbs
from tabletop_core.aec import TabletopEnv
from tabletop_core.bits import (
    NONE,
    U,
    add_block,
    below,
    bit,
    popcount,
)
from tabletop_core.errors import TabletopError
from tabletop_core.game import Array, Game, Json, Ruleset, state_record, used_fields
from tabletop_core.jit import kernel
from tabletop_core.parallel import TabletopParallelEnv
from tabletop_core.rng import draw_some, randbelow
from tabletop_core.rollouts import rollouts
from tabletop_core.session import Session
from tabletop_core.single_agent import SingleAgentEnv
from tabletop_core.testing import Oracles
from tabletop_core.vector_env import VectorEngine

pytestmark = pytest.mark.filterwarnings("error")

assert config.DISABLE_JIT, "set NUMBA_DISABLE_JIT=1"

TOY_ORACLES = Oracles(toy_game.conserved, toy_game.plain_legal_actions)


def broken_game(**changes: Any) -> Game:
    """The toy game with parts replaced, under a name of its own, as if a module held it."""
    name = f"climb_{next(_numbers)}"
    game = toy_game.make_game(name, f"broken_{name}", **changes)
    module = ModuleType(game.module)
    module.GAME = game  # type: ignore[attr-defined]
    sys.modules[game.module] = module
    for num_players in (2, 3):
        verbs.register_kernels(game.for_players(num_players).state_dtype, game.kernels)
    return game


_numbers: Iterator[int] = itertools.count()
_memory: list[int] = []  # what broken games remember outside the state


@kernel
def all_cards_legal(r: Any, s: Any) -> None:
    add_block(s.legal, 0, s.hands[s.current_player])
    add_block(s.legal, toy_game.PASS, bit(0))


@kernel
def no_pass_with_a_higher_card(r: Any, s: Any) -> None:
    playable = s.hands[s.current_player] & ~below(s.top)
    add_block(s.legal, 0, playable)
    s.must_ask = toy_game.EMPTY < s.top < toy_game.NUM_CARDS
    if playable == NONE:
        add_block(s.legal, toy_game.PASS, bit(0))


@kernel
def nothing_legal_without_a_higher_card(r: Any, s: Any) -> None:
    add_block(s.legal, 0, s.hands[s.current_player] & ~below(s.top))


@kernel
def action_beyond_the_last(r: Any, s: Any) -> None:
    toy_game.legal_actions(r, s)
    add_block(s.legal, toy_game.ACTIONS.count, bit(0))


@kernel
def played_shows_the_deck(r: Any, s: Any, player: Any, observation: Any) -> None:
    toy_game.observe(r, s, player, observation)
    for card in range(toy_game.NUM_CARDS):
        observation[toy_game.NUM_CARDS + card] = int(s.deck) >> card & 1


def view_shows_the_deck(ruleset: Ruleset, state: Array, player: int) -> Json:
    view = toy_game.view_to_json(ruleset, state, player)
    return view | {"played": toy_game.cards(state[0].deck)}


@kernel
def top_is_too_high(r: Any, s: Any, player: Any, observation: Any) -> None:
    toy_game.observe(r, s, player, observation)
    observation[2 * toy_game.NUM_CARDS] = toy_game.NUM_CARDS + 1


def view_is_too_high(ruleset: Ruleset, state: Array, player: int) -> Json:
    return toy_game.view_to_json(ruleset, state, player) | {"top": toy_game.NUM_CARDS + 1}


@kernel
def observing_counts(r: Any, s: Any, player: Any, observation: Any) -> None:
    toy_game.observe(r, s, player, observation)
    s.decision_count += 1


def decode_forgets_top(ruleset: Ruleset, observation: Array) -> Json:
    return toy_game.decode(ruleset, observation) | {"top": 0}


def render_all(ruleset: Ruleset, state: Array, player: int | None) -> str:
    return toy_game.render(ruleset, state, None)


@kernel
def determinize_with_another_generator(r: Any, s: Any, player: Any) -> None:
    toy_game.determinize(r, s, player)
    s.rng = U(1)


@kernel
def determinize_nothing(r: Any, s: Any, player: Any) -> None:
    pass


@kernel
def determinize_at_random(r: Any, s: Any, player: Any) -> None:
    toy_game.determinize(r, s, player)
    s.rng = U(np.random.randint(1, 2**62))  # noqa: NPY002


@kernel
def determinize_own_hand(r: Any, s: Any, player: Any) -> None:
    pool = s.deck | s.hands[player]
    s.hands[player] = draw_some(s, pool, popcount(s.hands[player]))
    s.deck = pool & ~s.hands[player]


@kernel
def determinize_loses_a_card(r: Any, s: Any, player: Any) -> None:
    toy_game.determinize(r, s, player)
    s.deck &= s.deck - U(1)


@kernel
def drawing_loses_the_deck(r: Any, s: Any, action: Any) -> None:
    toy_game.apply_action(r, s, action)
    if action == toy_game.PASS:
        s.deck = NONE


@kernel
def deals_count_in_a_global(r: Any, s: Any) -> None:
    toy_game.new_game(r, s)
    _memory.append(0)
    s.turn_count = len(_memory) % 2


@kernel
def points_are_kept(r: Any, s: Any) -> None:
    points = s.points.copy()
    toy_game.new_game(r, s)
    s.points[:] = points % 4


@kernel
def dealing_keeps_the_word(r: Any, s: Any) -> None:
    word = s.rng
    toy_game.new_game(r, s)
    s.rng = word


@kernel
def drawing_keeps_the_word(r: Any, s: Any, action: Any) -> None:
    word = s.rng
    toy_game.apply_action(r, s, action)
    s.rng = word


@kernel
def last_action_of_any_game(r: Any, s: Any, action: Any) -> None:
    if _memory[-1:] == [action]:
        s.rng ^= U(2)
    _memory.append(action)
    toy_game.apply_action(r, s, action)


@kernel
def ends_twice(r: Any, s: Any, action: Any) -> None:
    toy_game.apply_action(r, s, action)
    s.is_truncated = s.end_reasons != 0


@kernel
def unnamed_end(r: Any, s: Any, action: Any) -> None:
    toy_game.apply_action(r, s, action)
    s.end_reasons *= 4


@kernel
def generator_runs_dry(r: Any, s: Any, action: Any) -> None:
    toy_game.apply_action(r, s, action)
    s.rng = NONE


@kernel
def points_are_infinite(r: Any, s: Any, points: Any, is_winner: Any) -> None:
    toy_game.final_result(r, s, points, is_winner)
    points[0] = np.inf


def cards_without_number(ruleset: Ruleset, state: Array, action: int) -> str:
    return "pass" if action == toy_game.PASS else "play"


def any_text_is_an_action(ruleset: Ruleset, state: Array, text: str) -> int:
    return int(text[5:].strip("? abcdefghijklmnopqrstuvwxyz") or toy_game.PASS)


def generator_is_not_read(ruleset: Ruleset, data: Json) -> Array:
    return toy_game.state_from_json(ruleset, data | {"rng": "0x5"})


def missing_keys_are_errors(ruleset: Ruleset, data: Json) -> Array:
    for key in ("hands", "deck"):
        data[key]
    return toy_game.state_from_json(ruleset, data)


def words_of_numpy(ruleset: Ruleset, state: Array) -> Json:
    return toy_game.state_to_json(ruleset, state) | {
        "played": tuple(toy_game.cards(state[0].played))
    }


@kernel
def worth_is_no_number(r: Any, s: Any, action: Any) -> Any:
    return np.nan


@kernel
def worth_is_drawn_from_the_game(r: Any, s: Any, action: Any) -> Any:
    return randbelow(s, 2)


@kernel
def worth_of_the_deck(r: Any, s: Any, action: Any) -> Any:
    if action == toy_game.PASS and popcount(s.deck & below(8)) % 2 == 0:
        return 2
    return toy_game.action_worth(r, s, action)


@kernel
def worth_counts_in_a_global(r: Any, s: Any, action: Any) -> Any:
    _memory.append(0)
    return len(_memory) % 7


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "mask too wide": ({"legal_actions": all_cards_legal}, "check_legal_actions: .*: legal against"),
    "mask too narrow": (
        {"legal_actions": no_pass_with_a_higher_card},
        "check_legal_actions: .*: illegal against the rules: .'pass'",
    ),
    "no action": (
        {"legal_actions": nothing_legal_without_a_higher_card},
        "no action is legal before the end",
    ),
    "action beyond the last": (
        {"legal_actions": action_beyond_the_last},
        "check_mask: .*no action",
    ),
    "hidden cards in view": (
        {"observe": played_shows_the_deck, "view_to_json": view_shows_the_deck},
        r"check_determinize: .* after determinize\(\d\) the player's observation is another",
    ),
    "hidden cards in picture": ({"render": render_all}, "check_determinize: .* picture is another"),
    "observation unlike view": (
        {"observe": played_shows_the_deck},
        r"check_decode: .* decode\(observe\(\d\)\) and the view",
    ),
    "observation too high": (
        {"observe": top_is_too_high, "view_to_json": view_is_too_high},
        r"check_observation: .* exceeds the layout at \[32\]",
    ),
    "observing changes": ({"observe": observing_counts}, "looking at the position has changed it"),
    "wrong decode": ({"decode": decode_forgets_top}, r"check_decode: .* decode\(observe"),
    "generator not redrawn": (
        {"determinize": determinize_with_another_generator},
        "check_determinize: .*does not change the random generator",
    ),
    "determinize by chance": (
        {"determinize": determinize_at_random},
        "check_determinize: .*not fixed by its seed",
    ),
    "nothing redrawn": (
        {"determinize": determinize_nothing},
        "check_redrawing: .*never changed anything but the generator",
    ),
    "own hand redrawn": (
        {"determinize": determinize_own_hand},
        "check_determinize: .* observation is another",
    ),
    "determinize loses a card": (
        {"determinize": determinize_loses_a_card},
        "check_determinize: .*impossible position",
    ),
    "rule without an answer": (
        {"action_worth": worth_is_no_number},
        "check_rule: .*the rule plays -1, which is not legal",
    ),
    "rule with another generator": (
        {"action_worth": worth_is_drawn_from_the_game},
        "check_rule: .*the rule has changed the position",
    ),
    "rule that knows too much": (
        {"action_worth": worth_of_the_deck},
        "check_rule: .*the rule, with other hidden things",
    ),
    "rule by chance": (
        {"action_worth": worth_counts_in_a_global},
        "check_rule: .*the rule, asked again",
    ),
    "cards vanish": ({"apply_action": drawing_loses_the_deck}, "check_copies: .*not a possible"),
    "global state": ({"new_game": deals_count_in_a_global}, "check_determinism: .*other bytes"),
    "state not cleared": ({"new_game": points_are_kept}, "check_determinism: .*other bytes"),
    "generator stands still": (
        {"new_game": dealing_keeps_the_word, "apply_action": drawing_keeps_the_word},
        r"check_determinism: .*reset\(None\) repeats a game",
    ),
    "terminated and truncated": ({"apply_action": ends_twice}, "check_header: .*both terminated"),
    "unnamed end": ({"apply_action": unnamed_end}, "check_header: .*end reason has no name"),
    "generator is 0": ({"apply_action": generator_runs_dry}, "check_header: .*word is 0"),
    "infinite points": ({"final_result": points_are_infinite}, "check_rewards: .*finite"),
    "same text twice": (
        {"action_to_string": cards_without_number},
        "check_words: .*several legal actions are called 'play'",
    ),
    "any text": ({"string_to_action": any_text_is_an_action}, "check_words: .*no TabletopError"),
    "JSON is not read": (
        {"state_from_json": generator_is_not_read},
        r"check_copies: .*from_json\(to_json\(\)\) leads to another state",
    ),
    "JSON is an error": (
        {"state_from_json": missing_keys_are_errors},
        "check_bad_json: .*raised KeyError.'hands'.*, no TabletopError",
    ),
    "not JSON": ({"state_to_json": words_of_numpy}, "check_copies: .*JSON types"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_suite_finds(name: str) -> None:
    changes, message = BROKEN[name]
    ruleset = broken_game(**changes).ruleset(3)
    with pytest.raises(AssertionError, match=message):
        testing.check_game(ruleset, 10, oracles=TOY_ORACLES, interpreted_games=0)


def test_suite_finds_cards_that_vanish() -> None:
    ruleset = broken_game(apply_action=drawing_loses_the_deck).ruleset(3)
    with pytest.raises(AssertionError, match="check_conservation: .*conserved after"):
        testing.check_oracles(ruleset, TOY_ORACLES)


def test_suite_finds_lanes_that_share_memory() -> None:
    ruleset = broken_game(apply_action=last_action_of_any_game).ruleset(3)
    with pytest.raises(AssertionError, match="check_batch: .*another state than the single game"):
        testing.check_batch(ruleset)


def test_suite_finds_games_unlike_single_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    ruleset = broken_game().ruleset(3)
    monkeypatch.setattr(testing, "seeds_to_words", lambda seed, count: np.full(count, 7, np.uint64))
    with pytest.raises(AssertionError, match="check_play_games: .*seed 0: "):
        testing.check_play_games(ruleset)


def test_suite_passes_what_is_whole() -> None:
    ruleset = broken_game().ruleset(3)
    testing.check_game(ruleset, 10, oracles=TOY_ORACLES, interpreted_games=0)


def test_suite_is_told_what_is_hidden() -> None:
    ruleset = broken_game().ruleset(3)
    with pytest.raises(AssertionError, match="check_redrawing: .*changed what nobody hides"):
        testing.check_oracles(ruleset, Oracles(has_hidden=False), num_games=2)


# --- records that are too small ---------------------------------------------------------------


@kernel
def third_turn_needs_room(r: Any, s: Any, action: Any) -> None:
    toy_game.apply_action(r, s, action)
    if s.turn_count >= 3:
        s.error = 1
        s.end_reasons = 0
        s.is_truncated = 1


def crowded_game() -> Game:
    """The toy game for two players; every third turn needs more room than the record has."""
    game = broken_game(apply_action=third_turn_needs_room)
    fields = [(name, game.state_dtype[name]) for name in used_fields(game.state_dtype)]
    dtype = state_record([*fields, ("error", np.uint8)])
    game = replace(
        game, state_dtype=dtype, other_table=None, max_players=2, rooms=("", "cards in a hand")
    )
    verbs.register_kernels(game.state_dtype, game.kernels)
    return game


ROOM = "climb_.*: a game has more cards in a hand than a record holds"


def play_on(session: Session) -> None:
    while not session.is_over:
        session.step(session.legal_actions()[0])


def test_a_single_game_says_that_its_record_is_too_small() -> None:
    session = Session(crowded_game().ruleset())
    for _ in range(2):
        session.reset(1)
        with pytest.raises(TabletopError, match=ROOM):
            play_on(session)
        assert session.truncated


@pytest.mark.parametrize("view", [TabletopEnv, TabletopParallelEnv, SingleAgentEnv])
def test_views_of_a_single_game_say_so(view: Any) -> None:
    env = view(crowded_game().ruleset())
    for _ in range(2):
        env.reset(seed=1)
        with pytest.raises(TabletopError, match=ROOM):
            while env.legal_actions():
                env.step(an_action(env))
        assert env.session.truncated


def an_action(env: Any) -> Any:
    action = env.legal_actions()[0]
    return dict.fromkeys(env.agents, action) if isinstance(env, TabletopParallelEnv) else action


def test_many_games_say_that_a_record_is_too_small() -> None:
    ruleset = crowded_game().ruleset()
    engine = VectorEngine(ruleset, 3)
    engine.reset(seed=1)
    with pytest.raises(TabletopError, match=ROOM):
        for _ in range(50):
            engine.step(engine.sample_actions())
    engine.reset(seed=1)
    with pytest.raises(TabletopError, match=ROOM):
        engine.rollout(50)
    with pytest.raises(TabletopError, match=ROOM):
        engine.play_games(5, seed=1)
    with pytest.raises(TabletopError, match=ROOM):
        rollouts(ruleset, 5, threads=2)
