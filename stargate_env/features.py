"""What is printed on every card of a pool, as a table of numbers for learners.

Row k + 1 is card k of the pool, row 0 is no card: the numbers that `observation.py` writes in two
bytes are rows of this table, so that it can be used as (or besides) an embedding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .components import Card, CardPool, load_cards
from .opcodes import HEAD_WORDS
from .program import compile_cards
from .sizes import CARD_TYPES, GLYPHS, SKILLS, TRAITS, VILLAIN
from .vocabulary import VERBS

Array = np.ndarray[Any, np.dtype[Any]]

_NUMBERS = (
    "cost",
    "point_value",
    "mission_difficulty",
    "experience",
    "revive_cost",
    "firepower",
)


def feature_names() -> tuple[str, ...]:
    """Names of the columns of `card_features`.

    `type:`, `trait:`, `requires:` (the skill of a mission) and `glyph:` columns are 0 or 1, as are
    `is_villain` and `is_unique`. A number of the card is 0 where it is absent, and `has:` tells
    whether it is there (N1). `head:` columns count the card's clauses of a kind, `verb:` columns
    are 1 if the text of the card has the verb (EFFECTS.md).
    """
    numbers = (*_NUMBERS, *SKILLS)
    return (
        *(f"type:{name}" for name in CARD_TYPES),
        "is_villain",
        "is_unique",
        *(f"trait:{name}" for name in TRAITS),
        *numbers,
        *(f"has:{name}" for name in numbers),
        *(f"requires:{name}" for name in SKILLS),
        *(f"glyph:{name}" for name in GLYPHS),
        *(f"head:{name}" for name in HEAD_WORDS),
        *(f"verb:{name}" for name in VERBS),
    )


def card_features(pool: CardPool | None = None) -> Array:
    """float32 [1 + cards of the pool, features]: small whole numbers, see `feature_names`.

    Args:
        pool: the cards; default: the 824 cards of the three published sets.
    """
    cards = (pool or load_cards()).cards
    programs = compile_cards(pool or load_cards(), cards)
    table = np.zeros((1 + len(cards), len(feature_names())), np.float32)
    for card in cards:
        clauses = [programs.clauses[index] for index in programs.of_card[card.number]]
        heads = [clause.head for clause in clauses]
        needs = {need for clause in clauses for need in clause.needs}
        table[card.number + 1] = [
            *_printed(card),
            *(heads.count(head) for head in range(len(HEAD_WORDS))),
            *(f"verb {verb}" in needs for verb in VERBS),
        ]
    return table


def _printed(card: Card) -> Iterator[int]:
    """The columns of what is printed besides the text."""
    numbers = [*(getattr(card, name) for name in _NUMBERS), *card.ratings]
    yield from (card.card_type == number for number in range(len(CARD_TYPES)))
    yield card.side == VILLAIN
    yield card.is_unique
    yield from (trait in card.traits for trait in TRAITS)
    yield from (number or 0 for number in numbers)
    yield from (number is not None for number in numbers)
    yield from (card.mission_skill == skill for skill in range(len(SKILLS)))
    yield from (card.glyph == glyph for glyph in range(len(GLYPHS)))
