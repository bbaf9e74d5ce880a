"""Decks: the twelve official ones, lists of users, random legal ones, and what makes a list legal.

A list is a team of four characters, twelve missions and a deck of at least forty cards (§4).
Section numbers refer to RULES.md beside this file.
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from os import PathLike
from typing import Final, Literal, NamedTuple

import numpy as np

from tabletop_core.errors import TabletopError, shown
from tabletop_core.files import path_text
from tabletop_core.rng import check_seed
from tabletop_core.table_file import read_text

from .components import Card, CardPool, load_cards
from .sizes import (
    HERO,
    MAX_COPIES,
    MAX_DECK,
    MIN_HERO_CARDS,
    MIN_VILLAIN_CARDS,
    MISSION,
    MISSION_COUNT,
    MISSIONS_PER_SKILL,
    NUM_SKILLS,
    SIDES,
    SKILLS,
    TEAM,
    TEAM_SIZE,
    VILLAIN,
)

SECTIONS: Final = ("team", "missions", "deck")

OFFICIAL_DECKS: Final = (
    "carter",
    "jackson",
    "oneill",
    "tealc",
    "apophis",
    "baal",
    "osiris",
    "yu",
    "adria",
    "doci",
    "doran",
    "mitchell",
)


# --- lists ----------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Deck:
    """A list of card ids: team, missions and deck, each in any order; legal or not."""

    name: str
    team: tuple[str, ...]
    missions: tuple[str, ...]
    deck: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<Deck {self.name!r}, {len(self.team + self.missions + self.deck)} cards>"

    def section(self, name: str) -> tuple[str, ...]:
        """The cards of one of `SECTIONS`."""
        return {"team": self.team, "missions": self.missions, "deck": self.deck}[name]

    def to_text(self) -> str:
        """The list as `parse_deck` reads it."""
        lines = []
        for section in SECTIONS:
            lines.append(f"[{section}]")
            counted = Counter(self.section(section))
            lines += [f"{count} {card_id}" for card_id, count in sorted(counted.items())]
        return "\n".join(lines) + "\n"

    def to_json(self) -> str:
        """The list as JSON."""
        content = {"name": self.name} | {name: list(self.section(name)) for name in SECTIONS}
        return json.dumps(content, indent=1) + "\n"

    def to_csv(self) -> str:
        """The list as CSV: section, card_id, quantity."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("section", "card_id", "quantity"))
        for section in SECTIONS:
            for card_id, count in sorted(Counter(self.section(section)).items()):
                writer.writerow((section, card_id, count))
        return out.getvalue()


@cache
def official_deck(name: str) -> Deck:
    """A preconstructed deck by its name, one of `OFFICIAL_DECKS`.

    Raises:
        TabletopError: there is no such deck.
    """
    if name not in OFFICIAL_DECKS:
        raise TabletopError(
            f"there is no official deck {shown(name)}; there are {', '.join(OFFICIAL_DECKS)}"
        )
    return _official_decks()[name]


@cache
def _official_decks() -> Mapping[str, Deck]:
    text = files(__package__).joinpath("data", "starter_decks.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    return {
        name: _deck_of(name, [row for row in rows if row["deck"] == name], "starter_decks.csv")
        for name in OFFICIAL_DECKS
    }


# --- reading --------------------------------------------------------------------------------------


def load_deck(path: str | PathLike[str]) -> Deck:
    """The list in a file: JSON, CSV (section, card_id, quantity) or plain text, told by its ending.

    Raises:
        TabletopError: the file cannot be read or is malformed. Whether the list is legal is for
            `check_deck` to say.
    """
    name = path_text(path)
    text = read_text(path)
    suffix = name.rpartition(".")[2].lower()
    if suffix == "json":
        return deck_from_json(text, name)
    if suffix == "csv":
        return deck_from_csv(text, name)
    return parse_deck(text, name)


def parse_deck(text: str, name: str = "deck") -> Deck:
    """The list in plain text: lines `[team]`, `[missions]`, `[deck]`, and `3 BS-029` below them.

    Whatever follows the card id on its line is a comment, and so is a line that starts with #.
    """
    rows: list[Mapping[str, str]] = []
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        content = line.strip()
        if content.startswith("["):
            section = content.strip("[]")
        elif content and not content.startswith("#"):
            quantity, _, rest = content.partition(" ")
            card_id = rest.split()[0] if rest.split() else ""
            rows.append(
                {
                    "section": section,
                    "card_id": card_id,
                    "quantity": quantity,
                    "line": str(number),
                }
            )
    return _deck_of(name, rows, name)


def deck_from_csv(text: str, name: str = "deck") -> Deck:
    """The list in a CSV text with the columns section, card_id, quantity."""
    reader = csv.DictReader(text.splitlines())
    try:
        rows = list(reader)
    except csv.Error as error:
        raise TabletopError(f"{name}: no CSV ({error})") from None
    missing = {"section", "card_id", "quantity"} - set(reader.fieldnames or ())
    if missing:
        raise TabletopError(f"{name}: the columns {', '.join(sorted(missing))} are missing")
    return _deck_of(name, rows, name)


def deck_from_json(text: str, name: str = "deck") -> Deck:
    """The list in a JSON object: team, missions and deck are arrays of card ids."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TabletopError(f"{name}: no JSON ({error})") from None
    if not isinstance(content, dict):
        raise TabletopError(f"{name}: not a JSON object")
    sections = [content.get(section) for section in SECTIONS]
    for section, cards in zip(SECTIONS, sections, strict=True):
        if not isinstance(cards, list) or not all(isinstance(card, str) for card in cards):
            raise TabletopError(f"{name}: {section!r} must be an array of card ids")
    team, missions, deck = (tuple(cards) for cards in sections)  # type: ignore[arg-type]
    return Deck(str(content.get("name", name)), team, missions, deck)


def _deck_of(name: str, rows: Iterable[Mapping[str, str]], file: str) -> Deck:
    cards: dict[str, list[str]] = {section: [] for section in SECTIONS}
    faults = []
    for row in rows:
        quantity = row["quantity"] or ""
        if row["section"] not in SECTIONS:
            faults.append(f"{shown(row['section'])} is none of {', '.join(SECTIONS)}")
        elif not (quantity.isascii() and quantity.isdecimal() and len(quantity) < 4):
            faults.append(f"{shown(quantity)} is no number of cards ({shown(row['card_id'])})")
        else:
            cards[row["section"]] += [row["card_id"]] * int(quantity)
    if faults:
        raise TabletopError(f"{file}: " + f"\n{file}: ".join(faults))
    return Deck(name, tuple(cards["team"]), tuple(cards["missions"]), tuple(cards["deck"]))


# --- §4 validation --------------------------------------------------------------------------------


class Finding(NamedTuple):
    """A violation (E_..) or a warning (W_..) of §4."""

    code: str
    message: str

    @property
    def is_error(self) -> bool:
        """Whether the list is illegal because of it."""
        return self.code.startswith("E_")


def check_deck(
    deck: Deck, pool: CardPool | None = None, unique_missions: bool = False
) -> tuple[Finding, ...]:
    """Everything that §4 has against a list, warnings included; empty for a legal list.

    `unique_missions` also forbids a mission that is there twice.
    """
    check = _DeckCheck(deck, pool or load_cards())
    return tuple(check.findings(unique_missions))


def require_legal(deck: Deck, pool: CardPool | None = None, unique_missions: bool = False) -> None:
    """Raise unless the list is legal.

    Raises:
        TabletopError: names every violation with its code.
    """
    errors = [item for item in check_deck(deck, pool, unique_missions) if item.is_error]
    if errors:
        listed = "\n".join(f"  {code}: {message}" for code, message in errors)
        raise TabletopError(f"the deck {deck.name!r} is not legal (§4):\n{listed}")


class _DeckCheck:
    """The table of §4, one method for each group of codes."""

    def __init__(self, deck: Deck, pool: CardPool) -> None:
        self._found: list[Finding] = []
        self._team = self._known(deck.team, pool)
        self._missions = self._known(deck.missions, pool)
        self._deck = self._known(deck.deck, pool)
        self._sizes = {section: len(deck.section(section)) for section in SECTIONS}

    def findings(self, unique_missions: bool) -> list[Finding]:
        """All findings, in the order of the table."""
        self._check_team()
        self._check_missions(unique_missions)
        self._check_deck()
        self._check_copies()
        return self._found

    def _add(self, code: str, message: str) -> None:
        self._found.append(Finding(code, message))

    def _known(self, card_ids: tuple[str, ...], pool: CardPool) -> list[Card]:
        for card_id, count in Counter(card_ids).items():
            if card_id not in pool.by_id:
                times = f" ({count} times)" if count > 1 else ""
                self._add("E_UNKNOWN_CARD", f"unknown card id {shown(card_id)}{times}")
        return [pool.by_id[card_id] for card_id in card_ids if card_id in pool.by_id]

    def _check_team(self) -> None:
        if self._sizes["team"] != TEAM_SIZE:
            found = self._sizes["team"]
            self._add(
                "E_TEAM_SIZE", f"the team must have exactly {TEAM_SIZE} characters, found {found}"
            )
        for card in self._team:
            if card.card_type != TEAM:
                self._add("E_TEAM_TYPE", f"{card} is not a team character")
        for title, count in Counter(card.title for card in self._team).items():
            if count > 1:
                self._add("E_TEAM_DUPLICATE", f"{title} appears {count} times in the team")

    def _check_missions(self, unique_missions: bool) -> None:
        if self._sizes["missions"] != MISSION_COUNT:
            found = self._sizes["missions"]
            message = f"the mission pile must have exactly {MISSION_COUNT} cards, found {found}"
            self._add("E_MISSION_COUNT", message)
        for card in self._missions:
            if card.card_type != MISSION:
                self._add("E_MISSION_TYPE", f"{card} is not a mission")
        skills = Counter(card.mission_skill for card in self._missions)
        for skill in range(NUM_SKILLS):
            if skills[skill] != MISSIONS_PER_SKILL:
                message = f"{SKILLS[skill]} has {skills[skill]} missions, needs exactly"
                self._add("E_MISSION_MIX", f"{message} {MISSIONS_PER_SKILL}")
        if unique_missions:
            for card_id, count in Counter(card.card_id for card in self._missions).items():
                if count > 1:
                    self._add("E_MISSION_DUPLICATE", f"{card_id} is there {count} times")

    def _check_deck(self) -> None:
        for card in sorted(set(self._deck), key=lambda card: card.number):
            if card.card_type == MISSION:
                self._add("E_MISSION_IN_DECK", f"{card}: missions belong in the mission pile only")
        cards = [card for card in self._deck if card.card_type != MISSION]
        codes = ("E_HERO_MIN", "E_VILLAIN_MIN")
        minima = (MIN_HERO_CARDS, MIN_VILLAIN_CARDS)
        for side in (HERO, VILLAIN):
            count = sum(card.side == side for card in cards)
            if count < minima[side]:
                message = f"the deck needs {minima[side]} {SIDES[side]} cards, found {count}"
                self._add(codes[side], message)
        if self._sizes["deck"] > MAX_DECK:
            message = f"the deck has {self._sizes['deck']} cards, this engine takes {MAX_DECK}"
            self._add("E_DECK_CAPACITY", message)
        starting = {card.title for card in self._team}
        for card in sorted(set(cards), key=lambda card: card.number):
            if card.card_type == TEAM and card.title not in starting:
                self._add("W_TEAM_NOT_STARTING", f"{card} is not in the team")

    def _check_copies(self) -> None:
        counted = Counter(card.title for card in self._team + self._missions + self._deck)
        for title, count in counted.items():
            if count > MAX_COPIES:
                self._add("E_COPIES", f"{title} appears {count} times, maximum {MAX_COPIES}")


# --- random decks ---------------------------------------------------------------------------------


def random_deck(seed: int, pool: CardPool | None = None, size: int = 44) -> Deck:
    """A random legal list with `size` cards in the deck, half of them hero cards.

    Cards are drawn one by one from the whole pool; team characters go into the team alone.

    Raises:
        TabletopError: a bad seed, `size` out of range, or a pool too small for a legal deck.
    """
    low, high = MIN_HERO_CARDS + MIN_VILLAIN_CARDS, MAX_DECK
    if not isinstance(size, int) or isinstance(size, bool) or not low <= size <= high:
        raise TabletopError(f"size must be a whole number from {low} to {high}, not {shown(size)}")
    picker = _Picker(pool or load_cards(), check_seed(seed))
    cards = picker.pool.cards
    team = picker.pick([card for card in cards if card.card_type == TEAM], TEAM_SIZE, once=True)
    missions = []
    for skill in range(NUM_SKILLS):
        fitting = [card for card in cards if card.mission_skill == skill]
        missions += picker.pick(fitting, MISSIONS_PER_SKILL, once=True)
    deck = []
    for side, count in ((HERO, size // 2), (VILLAIN, size - size // 2)):
        fitting = [
            card for card in cards if card.side == side and card.card_type not in (TEAM, MISSION)
        ]
        deck += picker.pick(fitting, count, once=False)
    return Deck(f"random-{seed}", tuple(team), tuple(missions), tuple(deck))


def random_decks(number: int, pool: CardPool | None = None) -> tuple[Deck, ...]:
    """The random legal lists of the seeds 0 to `number` - 1, see `random_deck`."""
    return tuple(random_deck(seed, pool) for seed in range(number))


class _Picker:
    """Draws cards under the limit of copies."""

    def __init__(self, pool: CardPool, seed: int) -> None:
        self.pool = pool
        self._random = np.random.default_rng(seed)
        self._titles: Counter[str] = Counter()

    def pick(self, cards: list[Card], count: int, once: bool) -> list[str]:
        """Ids of `count` cards; with `once` no title twice."""
        chosen: list[str] = []
        limit: Literal[1, 3] = 1 if once else MAX_COPIES
        for index in self._random.permutation(np.repeat(np.arange(len(cards)), limit)):
            card = cards[index]
            used = self._titles[card.title]
            if len(chosen) < count and used < MAX_COPIES and not (once and used):
                self._titles[card.title] += 1
                chosen.append(card.card_id)
        if len(chosen) < count:
            raise TabletopError("the pool has too few cards for a legal deck")
        return chosen
