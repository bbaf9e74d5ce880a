"""Actions in words and back. Section numbers refer to RULES.md beside this file.

A card is written with its id and, behind a full stop, which copy in its list it is: `BS-130.2`. A
place of a list that holds no card is written `place-99`.
"""

from collections.abc import Mapping
from typing import Any, Final

from tabletop_core.errors import TabletopError, shown

from .components import Card
from .ruleset import Tables
from .state import ACTIONS
from .table import other_of

_CARD_BLOCKS: Final[Mapping[str, str]] = {
    "play": "play",
    "assign": "assign",
    "boost": "boost with",
    "complicate": "complicate with",
    "use": "use",
    "own": "choose",
    "other": "choose their",
}
_NUMBER_BLOCKS: Final[Mapping[str, str]] = {
    "slot": "choose complication",
    "option": "option",
    "number": "number",
}
_WORDS: Final[Mapping[str, str]] = {"let_die": "let die"}


def card_to_string(cards: tuple[Card, ...], place: int) -> str:
    """The card in a place of a list."""
    if place >= len(cards):
        return f"place-{place}"
    card_id = cards[place].card_id
    copy = 1 + sum(card.card_id == card_id for card in cards[:place])
    return f"{card_id}.{copy}"


def string_to_place(cards: tuple[Card, ...], text: str) -> int | None:
    """The place that `card_to_string` writes so, or None."""
    for place in range(ACTIONS.blocks[4].count):
        if card_to_string(cards, place) == text:
            return place
    return None


def action_to_string(tables: Tables, state: Any, action: int) -> str:
    """An action of the player to move in words; `state` is a STATE array [1]."""
    block, k = ACTIONS.block_of(action)
    if block.name in _CARD_BLOCKS:
        cards = _list_of(tables, state, block.name)
        return f"{_CARD_BLOCKS[block.name]} {card_to_string(cards, k)}"
    if block.name in _NUMBER_BLOCKS:
        shift = 0 if block.name == "number" else 1
        return f"{_NUMBER_BLOCKS[block.name]} {k + shift}"
    return _WORDS.get(block.name, block.name)


def string_to_action(tables: Tables, state: Any, text: str) -> int:
    """Inverse of `action_to_string` in the same state.

    Raises:
        TabletopError: no action is written so.
    """
    for action in range(ACTIONS.count):
        block, _ = ACTIONS.block_of(action)
        prefix = _CARD_BLOCKS.get(block.name)
        if prefix is None:
            if action_to_string(tables, state, action) == text:
                return action
        elif text.startswith(prefix + " ") and action == ACTIONS.first(block.name):
            place = string_to_place(_list_of(tables, state, block.name), text[len(prefix) + 1 :])
            if place is not None:
                return action + place
    raise TabletopError(f"no action is written {shown(text)}")


def _list_of(tables: Tables, state: Any, block: str) -> tuple[Card, ...]:
    seat = int(state[0].current_player)
    owner = int(other_of(state[0], seat)) if block == "other" else seat
    return tables.lists[state[0].deck_number[owner]]
