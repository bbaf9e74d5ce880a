"""Climb, a tiny card game that is built on the public parts of `tabletop_core` alone.

2 to 4 players hold cards of one deck, numbered from 0. In turn, play a card above the top of the
pile and score its value, or pass: the pile is cleared and you draw. An empty pile must be played
on. Who plays the last card of a hand, or reaches the target, ends the game; most points win.
Games of two have smaller records than games of three or four.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tabletop_core.bits import NONE, ONE, U, add_block, below, bit, has, popcount
from tabletop_core.errors import TabletopError
from tabletop_core.game import (
    ActionBlock,
    Array,
    Game,
    Json,
    ObservationField,
    ObservationLayout,
    OtherTable,
    Ruleset,
    action_table,
    allocate,
    register_game,
    state_header,
    state_record,
)
from tabletop_core.jit import inline_kernel, kernel
from tabletop_core.rng import draw, draw_some
from tabletop_core.verbs import Kernels

NUM_CARDS: Final = 16
MAX_PLAYERS: Final = 4
PASS: Final = NUM_CARDS
EMPTY: Final = 0  # top of an empty pile; otherwise card + 1
HAND_EMPTY: Final = 1
TARGET: Final = 2
END_REASONS: Final = ("hand_empty", "target")
VALUES: Final = {"rank": np.arange(NUM_CARDS), "flat": np.ones(NUM_CARDS)}

ACTIONS: Final = action_table(
    ActionBlock("play", NUM_CARDS, "play card k"), ActionBlock("pass", 1, "clear the pile, draw")
)


def observation(seats: int) -> ObservationLayout:
    return ObservationLayout(
        (
            ObservationField("hand", (NUM_CARDS,), 1, "cards in one's own hand"),
            ObservationField("played", (NUM_CARDS,), 1, "cards played so far"),
            ObservationField("top", (1,), NUM_CARDS, "top of the pile: card + 1, or 0"),
            ObservationField("hand_counts", (seats,), NUM_CARDS, "cards of each seat"),
            ObservationField("points", (seats,), 255, "points of each seat"),
            ObservationField("current_seat", (seats,), 1, "seat to move"),
            ObservationField("end_reasons", (len(END_REASONS),), 1, "how the game ended"),
            ObservationField("is_truncated", (1,), 1, "whether the cap on turns ended the game"),
        )
    )


RULES: Final = np.dtype(
    [
        ("digest", np.uint64),
        ("climb_values", np.uint8, NUM_CARDS),  # points of each card
        ("max_turns", np.uint32),
        ("num_players", np.uint8),
        ("hand_size", np.uint8),
        ("target", np.uint8),
    ],
    align=True,
)


def state_dtype(name: str, seats: int) -> np.dtype[Any]:
    return state_record(
        [
            *state_header(name, ACTIONS.count),
            ("hands", np.uint64, seats),  # sets of cards
            ("deck", np.uint64),
            ("played", np.uint64),
            ("points", np.uint8, seats),
            ("top", np.uint8),
        ],
    )


@kernel
def new_game(r: Any, s: Any) -> None:
    s.turn_count = s.decision_count = s.end_reasons = s.is_truncated = s.current_player = 0
    s.top = EMPTY
    s.deck = below(NUM_CARDS)
    s.played = NONE
    s.hands[:] = NONE
    s.points[:] = 0
    for player in range(r.num_players):
        s.hands[player] = draw_some(s, s.deck, r.hand_size)
        s.deck &= ~s.hands[player]


@kernel
def legal_actions(r: Any, s: Any) -> None:
    playable = s.hands[s.current_player] & ~below(s.top)
    add_block(s.legal, 0, playable)
    if s.top != EMPTY:
        add_block(s.legal, PASS, bit(0))
    s.must_ask = EMPTY < s.top < NUM_CARDS  # not asking would tell who has no higher card


@kernel
def apply_action(r: Any, s: Any, action: Any) -> None:
    player = np.int64(s.current_player)
    if action == PASS:
        s.top = EMPTY
        draw_card(s, player)
    else:
        s.hands[player] &= ~bit(action)
        s.played |= bit(action)
        s.top = action + 1
        s.points[player] += r.climb_values[action]
    if s.hands[player] == NONE:
        s.end_reasons |= HAND_EMPTY
    if s.points[player] >= r.target:
        s.end_reasons |= TARGET
    s.turn_count += 1
    if s.end_reasons == 0:
        s.is_truncated = s.turn_count >= r.max_turns
        if s.is_truncated == 0:
            s.current_player = (player + 1) % np.int64(r.num_players)


@inline_kernel
def draw_card(s: Any, player: Any) -> None:
    if s.deck != NONE:
        card = bit(draw(s, s.deck))
        s.deck &= ~card
        s.hands[player] |= card


@kernel
def final_result(r: Any, s: Any, points: Any, is_winner: Any) -> None:
    best = s.points.max()
    for player in range(r.num_players):
        points[player] = s.points[player]
        is_winner[player] = s.points[player] == best


@kernel
def observe(r: Any, s: Any, player: Any, observation: Any) -> None:
    observation[:] = 0
    for card in range(NUM_CARDS):
        observation[card] = has(s.hands[player], card)
        observation[NUM_CARDS + card] = has(s.played, card)
    start = 2 * NUM_CARDS
    observation[start] = s.top
    seats = s.hands.shape[0]
    counts, points, current = start + 1, start + 1 + seats, start + 1 + 2 * seats
    num_players = np.int64(r.num_players)
    for seat in range(num_players):
        other = (player + seat) % num_players
        observation[counts + seat] = popcount(s.hands[other])
        observation[points + seat] = s.points[other]
        observation[current + seat] = other == s.current_player
    end = current + seats
    observation[end] = s.end_reasons & HAND_EMPTY != 0
    observation[end + 1] = s.end_reasons & TARGET != 0
    observation[end + 2] = s.is_truncated


@kernel
def determinize(r: Any, s: Any, player: Any) -> None:
    pool = s.deck
    for other in range(r.num_players):
        if other != player:
            pool |= s.hands[other]
    for other in range(r.num_players):
        if other != player:
            s.hands[other] = draw_some(s, pool, popcount(s.hands[other]))
            pool &= ~s.hands[other]
    s.deck = pool


@kernel
def action_worth(r: Any, s: Any, action: Any) -> Any:
    """The lowest and the highest card that can be played are worth a point; passing is not."""
    if action == PASS:
        return 0
    playable = s.hands[s.current_player] & ~below(s.top)
    return np.int64(playable & below(action) == NONE or playable >> U(action) == ONE)


# --- words -----------------------------------------------------------------------------------


def action_to_string(ruleset: Ruleset, state: Array, action: int) -> str:
    return "pass" if action == PASS else f"play {action}"


def string_to_action(ruleset: Ruleset, state: Array, text: str) -> int:
    for action in range(ACTIONS.count):
        if action_to_string(ruleset, state, action) == text:
            return action
    raise TabletopError(f"climb: no action is called {text!r}")


def cards(word: int) -> list[int]:
    return [card for card in range(NUM_CARDS) if int(word) >> card & 1]


def state_to_json(ruleset: Ruleset, state: Array) -> Json:
    s, players = state[0], ruleset.num_players
    return {
        "ruleset": f"{ruleset.digest:016x}",
        "hands": [cards(hand) for hand in s.hands[:players]],
        "deck": cards(s.deck),
        "played": cards(s.played),
        "points": [int(points) for points in s.points[:players]],
        "top": int(s.top),
        "current_player": int(s.current_player),
        "turn_count": int(s.turn_count),
        "decision_count": int(s.decision_count),
        "end_reasons": int(s.end_reasons),
        "truncated": bool(s.is_truncated),
        "rng": hex(int(s.rng)),
    }


def state_from_json(ruleset: Ruleset, data: Json) -> Array:
    state = allocate(ruleset.game.state_dtype, 1)
    try:
        fill(state[0], data)
        is_read = repr(state_to_json(ruleset, state)) == repr(data)
        if is_read and is_possible(ruleset, state[0]):
            return state
    except (AttributeError, LookupError, ArithmeticError, TypeError, ValueError):
        pass
    raise TabletopError(f"climb: not a possible position: {data!r}")


def fill(s: Any, data: Json) -> None:
    s.rng = int(data["rng"], 16)
    for player, hand in enumerate(data["hands"]):
        s.hands[player] = sum(1 << card for card in hand)
    s.deck = sum(1 << card for card in data["deck"])
    s.played = sum(1 << card for card in data["played"])
    s.points[: len(data["points"])] = data["points"]
    for name in ("top", "current_player", "turn_count", "decision_count", "end_reasons"):
        s[name] = data[name]
    s.is_truncated = data["truncated"]


def is_possible(ruleset: Ruleset, s: Any) -> bool:
    """Whether each card is in one place and the counts fit each other."""
    r, last = ruleset.record[0], s.current_player
    places = cards(s.deck) + cards(s.played) + [card for hand in s.hands for card in cards(hand)]
    reasons = HAND_EMPTY * (s.hands[last] == 0) + TARGET * (s.points[last] >= r.target)
    players = range(ruleset.num_players)
    return bool(
        s.rng != 0
        and last in players
        and sorted(places) == list(range(NUM_CARDS))
        and sum(s.points) == sum(r.climb_values[cards(s.played)])
        and (s.top == EMPTY or has(s.played, s.top - 1))
        and s.end_reasons == reasons
        and s.is_truncated == (reasons == 0 and s.turn_count >= r.max_turns)
        and all(
            s.hands[player] and s.points[player] < r.target for player in players if player != last
        )
    )


def view_to_json(ruleset: Ruleset, state: Array, player: int) -> Json:
    s = state[0]
    seats = [(player + seat) % ruleset.num_players for seat in range(ruleset.num_players)]
    return {
        "hand": cards(s.hands[player]),
        "played": cards(s.played),
        "top": int(s.top),
        "hand_counts": [len(cards(s.hands[seat])) for seat in seats],
        "points": [int(s.points[seat]) for seat in seats],
        "current_seat": seats.index(int(s.current_player)),
        "end_reasons": [name for k, name in enumerate(END_REASONS) if int(s.end_reasons) >> k & 1],
        "truncated": bool(s.is_truncated),
    }


def decode(ruleset: Ruleset, observation: Array) -> Json:
    split = ruleset.game.observation.split
    parts = {name: part.tolist() for name, part in split(observation).items()}
    players = ruleset.num_players
    return {
        "hand": [card for card, is_held in enumerate(parts["hand"]) if is_held],
        "played": [card for card, is_played in enumerate(parts["played"]) if is_played],
        "top": parts["top"][0],
        "hand_counts": parts["hand_counts"][:players],
        "points": parts["points"][:players],
        "current_seat": parts["current_seat"].index(1),
        "end_reasons": [name for name, is_set in zip(END_REASONS, parts["end_reasons"]) if is_set],
        "truncated": bool(parts["is_truncated"][0]),
    }


def render(ruleset: Ruleset, state: Array, player: int | None) -> str:
    if player is None:
        return str(state_to_json(ruleset, state))
    return str(view_to_json(ruleset, state, player))


# --- the game --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Options:
    hand_size: int = 3
    target: int = 40
    values: str = "rank"
    max_turns: int = 60


def make_rules(options: Options, num_players: int) -> tuple[Array, Any]:
    most = {"hand_size": NUM_CARDS // MAX_PLAYERS, "target": 255, "max_turns": 2**32 - 1}
    numbers = {name: getattr(options, name) for name in most}
    are_numbers = all(type(number) is int for number in numbers.values())
    in_range = are_numbers and all(1 <= numbers[name] <= most[name] for name in most)
    if not in_range or not isinstance(options.values, str) or options.values not in VALUES:
        raise TabletopError(f"climb: bad options {options}")
    record = allocate(RULES, 1)
    r = record[0]
    r.climb_values[:] = VALUES[options.values]
    r.num_players, r.hand_size, r.target = num_players, options.hand_size, options.target
    r.max_turns = options.max_turns
    return record, None


def make_game(name: str = "climb", module: str = __name__, **changes: Any) -> Game:
    """The game, or a variant of it under another name."""
    kernels = {
        "new_game",
        "legal_actions",
        "apply_action",
        "final_result",
        "observe",
        "determinize",
        "action_worth",
    }
    parts = {part: changes.pop(part, globals()[part]) for part in kernels}
    words = {
        part: changes.pop(part, globals()[part])
        for part in ("action_to_string", "string_to_action", "state_to_json", "state_from_json")
        + ("view_to_json", "decode", "render", "make_rules")
    }
    return Game(
        name=name,
        version=0,
        title="Climb",
        min_players=2,
        max_players=MAX_PLAYERS,
        actions=ACTIONS,
        observation=observation(2),
        state_dtype=state_dtype(name, 2),
        other_table=OtherTable(
            range(3, MAX_PLAYERS + 1), state_dtype(name, MAX_PLAYERS), observation(MAX_PLAYERS)
        ),
        rules_dtype=RULES,
        kernels=Kernels(**parts),
        prompts=(),
        end_reasons=END_REASONS,
        options_type=Options,
        option_meanings={},
        export_ruleset=lambda tables: "",
        module=module,
        **words,
        **changes,
    )


GAME: Final = register_game(make_game())


# --- for the conformance suite ---------------------------------------------------------------


def conserved(ruleset: Ruleset, data: Json) -> list[int]:
    """All cards, wherever they are."""
    return sorted(data["deck"] + data["played"] + sum(data["hands"], []))


def plain_legal_actions(ruleset: Ruleset, data: Json) -> list[str]:
    """The legal actions of a position in words, by the rules alone."""
    hand = data["hands"][data["current_player"]]
    playable = [f"play {card}" for card in hand if card >= data["top"]]
    return playable + (["pass"] if data["top"] else [])
