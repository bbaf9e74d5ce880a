"""Cards of the Stargate TCG for the reference: rows of the pool, and cards of a game (§1, §3)."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from .stargate_language import Clause, parse_text

SKILLS = ("CUL", "SCI", "COM", "ING")
SKILL_COLUMNS = ("culture", "science", "combat", "ingenuity")
# §1: the card type is a trait; every character is a team or a support character.
TYPES = {
    "team_character": ("character", "team"),
    "support_character": ("character", "support"),
    "mission": ("mission",),
    "gear": ("gear",),
    "event": ("event",),
    "obstacle": ("obstacle",),
    "adversary": ("adversary",),
    "ship": ("ship",),
}
HIGHEST_POINT_VALUE = 6


@dataclass(frozen=True, eq=False)
class CardData:
    """One row of the pool; an absent number is None, which is not 0 (N1)."""

    order: int
    card_id: str
    title: str
    is_unique: bool
    types: frozenset[str]
    side: str
    traits: frozenset[str]
    cost: int
    has_cost: bool
    point_value: int
    ratings: tuple[int | None, ...]
    skill: str
    difficulty: int
    xp: int
    glyph: str
    revive: int
    firepower: int
    clauses: tuple[Clause, ...]

    @cached_property
    def heads(self) -> frozenset[str]:
        return frozenset(clause.head for clause in self.clauses)

    @cached_property
    def statics(self) -> tuple[Clause, ...]:
        return self.with_head("STATIC")

    def with_head(self, *heads: str) -> tuple[Clause, ...]:
        return tuple(clause for clause in self.clauses if clause.head in heads)

    @cached_property
    def replaces(self) -> bool:
        return "REPLACE" in self.heads


def number(cell: str) -> int:
    return int(cell) if cell else 0


def read_card(order: int, row: dict[str, str]) -> CardData:
    types = TYPES[row["card_type"]]
    return CardData(
        order=order,
        card_id=row["card_id"],
        title=row["title"],
        # §1: a ship without a subtitle is a class of ships.
        is_unique=types[0] != "ship" or bool(row["subtitle"]),
        types=frozenset(types),
        side=row["side"],
        traits=frozenset(trait for trait in row["traits"].split("|") if trait),
        cost=number(row["cost"]),
        has_cost=bool(row["cost"]),
        point_value=number(row["point_value"]),
        ratings=tuple(int(row[name]) if row[name] else None for name in SKILL_COLUMNS),
        skill=SKILLS[SKILL_COLUMNS.index(row["mission_skill"].lower())]
        if row["mission_skill"]
        else "",
        difficulty=number(row["mission_difficulty"]),
        xp=number(row["experience"]),
        glyph=row["glyph"][:1],
        revive=number(row["revive_cost"]),
        firepower=number(row["firepower"]),
        clauses=parse_text(row["effect"]),
    )


class Pool:
    """All rows, by id, in the order of the file."""

    def __init__(self, path: str | Path) -> None:
        with Path(path).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.cards = [read_card(order, row) for order, row in enumerate(rows)]
        self.by_id = {card.card_id: card for card in self.cards}

    def ordered(self, card_ids: list[str]) -> list[CardData]:
        return sorted((self.by_id[card_id] for card_id in card_ids), key=lambda card: card.order)


# §3.1: where a card can be. In play, face up: play (the rows), at_mission (obstacles), attached.
IN_PLAY = ("play", "at_mission", "attached")
# §16.1: where cards lie openly; a card on a way to a pile loses its name.
OPEN_ZONES = frozenset(
    ("discard", "play", "at_mission", "mission", "failed", "glyph", "vscore", "attached")
    + ("resolving", "ordering", "blockaded")
)
NAMELESS_ZONES = frozenset(("hand", "deck", "missions", "looked_at"))
# Alike cards are offered once here.
SETS = ("hand", "deck", "discard", "missions", "ordering")


@dataclass(eq=False)
class Card:
    """A card of a game; `number` orders all cards by seat and place in the list of the owner."""

    owner: int
    place: int
    number: int
    data: CardData
    name: str
    zone: str = "deck"
    condition: str = ""  # ready, assigned, stopped, incap; "" for what has no state (§3.2)
    host: Card | None = None  # what it lies beneath or is attached to
    beneath: list[Card] = field(default_factory=list)  # the cards whose host this is
    is_facedown: bool = False  # tucked
    is_public: bool = False  # all know it, though it lies beneath a card or as a complication
    is_named: bool = False  # §16.1
    known_by: set[int] = field(default_factory=set)  # seats that know it while it lies hidden
    copies: list[Card] = field(default_factory=list)  # the alike cards of its list, by place
    tokens: int = 0
    marks: list[Mark] = field(default_factory=list)
    mark_made: bool = False
    used: set[int] = field(default_factory=set)  # clauses used this turn
    finished: set[int] = field(default_factory=set)  # clauses with UNTIL that are over
    stay: int = 0  # counts how often it came to a new place, so that a mark knows its card

    def __repr__(self) -> str:
        return f"{self.name}@{self.owner}"

    def has_ended(self, clause: Clause) -> bool:
        """UNTIL: whether a static clause is off for good."""
        return bool(self.finished) and self.data.clauses.index(clause) in self.finished


@dataclass(eq=False)
class Mark:
    """A card marked by another, in this stay of it in play."""

    card: Card
    stay: int
    traits: frozenset[str]
    ends_with_mission: bool = False

    @property
    def is_current(self) -> bool:
        return self.card.stay == self.stay
