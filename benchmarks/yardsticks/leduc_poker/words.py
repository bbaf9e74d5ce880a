"""Leduc poker in words: actions, positions, views, a picture of the table."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from tabletop_core.errors import TabletopError
from tabletop_core.game import Array, Json, Ruleset, allocate

from .rules import (
    ACTIONS,
    END_REASONS,
    NO_CARD,
    OBSERVATION,
    REASON_FOLD,
    REASON_SHOWDOWN,
    STATE,
    VERSION,
)
from .sizes import ANTE, FIRST_RAISE, MAX_RAISES, NUM_PLAYERS, SECOND_RAISE

CARDS: Final = ("J1", "J2", "Q1", "Q2", "K1", "K2")
COUNTS: Final = ("raise_count", "call_count", "current_player", "turn_count", "decision_count")

# --- actions ---------------------------------------------------------------------------------


def action_to_string(ruleset: Ruleset, state: Array, action: int) -> str:
    """`fold`, `call` or `raise`."""
    return ACTIONS.blocks[action].name


def string_to_action(ruleset: Ruleset, state: Array, text: str) -> int:
    """Inverse of `action_to_string`; raises TabletopError."""
    for action, block in enumerate(ACTIONS.blocks):
        if block.name == text:
            return action
    raise TabletopError(f"leduc_poker_v0: no action is called {text!r}")


# --- positions -------------------------------------------------------------------------------


def state_to_json(ruleset: Ruleset, state: Array) -> Json:
    """The whole position."""
    s = state[0]
    return {
        "game": ruleset.game.id,
        "ruleset": f"{ruleset.digest:016x}",
        "cards": [CARDS[card] for card in s.cards],
        "open_card": _card(s.open_card),
        "bets": [int(bet) for bet in s.bets],
        **{name: int(s[name]) for name in COUNTS},
        "end_reasons": _reasons(s),
        "rng": f"{int(s.rng):016x}",
    }


def _card(card: int) -> str | None:
    return None if card == NO_CARD else CARDS[card]


def _reasons(s: Any) -> list[str]:
    return [name for k, name in enumerate(END_REASONS) if int(s.end_reasons) >> k & 1]


def state_from_json(ruleset: Ruleset, data: Json) -> Array:
    """Inverse of `state_to_json`; raises TabletopError for what cannot come up."""
    state = allocate(STATE, 1)
    try:
        _fill(ruleset, state[0], data)
        if state_to_json(ruleset, state) == data and _is_possible(state[0]):
            return state
    except (LookupError, ArithmeticError, TypeError, ValueError):
        pass
    raise TabletopError(f"{ruleset.game.id}: not a possible position: {data!r}")


def _fill(ruleset: Ruleset, s: Any, data: Json) -> None:
    s.leduc_poker_version = VERSION
    s.ruleset = ruleset.digest
    s.rng = int(data["rng"], 16)
    s.cards[:] = [CARDS.index(card) for card in data["cards"]]
    s.open_card = NO_CARD if data["open_card"] is None else CARDS.index(data["open_card"])
    s.bets[:] = data["bets"]
    for name in COUNTS:
        s[name] = data[name]
    s.end_reasons = sum(1 << END_REASONS.index(name) for name in data["end_reasons"])


def _is_possible(s: Any) -> bool:
    """Whether the bets could be made, and the rest follows from them."""
    cards = [int(card) for card in (*s.cards, s.open_card) if card != NO_CARD]
    return bool(
        s.rng != 0
        and len(set(cards)) == len(cards)
        and s.decision_count == s.turn_count  # every decision has a choice
        and _line(s) in _lines()
    )


Line = tuple[int, ...]


def _line(s: Any) -> Line:
    """What the actions so far have made of a game, cards aside."""
    is_second = s.open_card != NO_CARD
    counts = (int(s[name]) for name in COUNTS[:-1])
    return (int(is_second), *(int(bet) for bet in s.bets), *counts, int(s.end_reasons))


@cache
def _lines() -> frozenset[Line]:
    """All that actions can make of a game."""
    found: set[Line] = set()
    ends: list[tuple[int, int]] = []
    _play(found, ends, 0, (ANTE, ANTE), 0, 0, 0, 0)
    for bet, turns in list(ends):
        _play(found, ends, 1, (bet, bet), 0, 0, 0, turns)
    return frozenset(found)


def _play(
    found: set[Line],
    ends: list[tuple[int, int]],
    is_second: int,
    bets: tuple[int, int],
    raises: int,
    calls: int,
    player: int,
    turns: int,
) -> None:
    """Add all lines from one point of a round on; `ends` takes (bet, turns) of first rounds."""
    found.add((is_second, *bets, raises, calls, player, turns, 0))
    other = 1 - player
    if bets[player] < bets[other]:
        found.add((is_second, *bets, raises, calls, player, turns + 1, REASON_FOLD))
    called = (bets[other], bets[other])
    if calls + 1 < NUM_PLAYERS and not raises:
        _play(found, ends, is_second, called, raises, calls + 1, other, turns + 1)
    elif is_second:
        found.add((is_second, *called, raises, calls + 1, player, turns + 1, REASON_SHOWDOWN))
    else:
        ends.append((bets[other], turns + 1))
    if raises < MAX_RAISES:
        bet = bets[other] + (SECOND_RAISE if is_second else FIRST_RAISE)
        raised = (bet, bets[other]) if player == 0 else (bets[other], bet)
        _play(found, ends, is_second, raised, raises + 1, 0, other, turns + 1)


# --- views -----------------------------------------------------------------------------------


def view_to_json(ruleset: Ruleset, state: Array, player: int) -> Json:
    """What one player knows: the opponent's card only after a showdown."""
    s = state[0]
    other = 1 - player
    return {
        "own_card": CARDS[s.cards[player]],
        "open_card": _card(s.open_card),
        "shown_card": CARDS[s.cards[other]] if s.end_reasons == REASON_SHOWDOWN else None,
        "bets": [int(s.bets[player]), int(s.bets[other])],
        "raise_count": int(s.raise_count),
        "call_count": int(s.call_count),
        "current_seat": int(s.current_player != player),
        "end_reasons": _reasons(s),
    }


def decode(ruleset: Ruleset, observation: Array) -> Json:
    """The view that an observation, uint8 [size], tells."""
    part = {name: values.tolist() for name, values in OBSERVATION.split(observation).items()}
    cards = {name: _one_hot(part[name]) for name in ("own_card", "open_card", "shown_card")}
    return {
        **{name: _card(card) for name, card in cards.items()},
        "bets": part["bets"],
        "raise_count": part["raise_count"][0],
        "call_count": part["call_count"][0],
        "current_seat": part["current_seat"].index(1),
        "end_reasons": [name for name, bit in zip(END_REASONS, part["end_reasons"]) if bit],
    }


def _one_hot(bits: list[int]) -> int:
    return bits.index(1) if 1 in bits else NO_CARD


def render(ruleset: Ruleset, state: Array, player: int | None) -> str:
    """The table as one player sees it, or (None) openly."""
    told = state_to_json(ruleset, state) if player is None else view_to_json(ruleset, state, player)
    return "\n".join(f"{name}: {value}" for name, value in told.items())
