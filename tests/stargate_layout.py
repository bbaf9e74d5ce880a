"""The set-up of a scenario: what its lines say, and the two lists that follow from them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final

from stargate_plain_cards import GLYPH_NAMES, SKILL_NAMES, NoPlainCard, defined_card, plain_card
from stargate_scenarios import PLAYERS, Line, ScenarioFault

from stargate_env.components import Card, CardPool, load_cards
from stargate_env.decks import Deck
from stargate_env.ruleset import Tables, rules_of_decks
from stargate_env.sizes import MISSION, MISSION_COUNT, TEAM, TEAM_SIZE

CONDITIONS: Final = ("ready", "assigned", "stopped", "incap")
# What fills up a list; scenarios may use the members of the team.
_FILLERS: Final = (
    (("ace", "team-b", "team-c", "team-d"), "mission-com-filler"),
    (("ace-v", "team-v-b", "team-v-c", "team-v-d"), "mission-com-v-filler"),
)
_DECK_FILLERS: Final = ("hfill", "vfill") * 10


class Item:
    """A card in the set-up: its name, place and what is said about it."""

    def __init__(self, name: str, zone: str, words: list[str]) -> None:
        self.name = name
        self.zone = zone
        self.condition = "ready"
        self.glyphs: list[str] = []
        self.tokens = 0
        self.over: list[str] = []
        self.on = ""
        self.blockaded = ""
        self.is_blocked = False
        while words:
            self._read(words.pop(0), words)

    def _read(self, word: str, words: list[str]) -> None:
        if word in CONDITIONS:
            self.condition = word
        elif word == "blocked":
            self.is_blocked = True
        elif word == "tokens" and words:
            self.tokens = int(words.pop(0))
        elif word == "glyphs" and words:
            self.glyphs = list(_glyph_names(words))
            words.clear()
        elif word == "over" and words:
            self.over = list(words)
            words.clear()
        elif word == "on" and words:
            self.on = words.pop(0)
        elif word == "blockading" and words:
            self.blockaded = words.pop(0)
        else:
            raise ValueError(f"{word!r} says nothing about {self.name} that can be laid out")


def _glyph_names(words: list[str]) -> Iterator[str]:
    for word in words:
        if set(word) <= set(GLYPH_NAMES):
            yield from (f"glyph-{letter}" for letter in word)
        else:
            yield word


class Layout:
    """What the set-up lines of a case say."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self.definitions: dict[str, Card] = {}
        self.items: tuple[list[Item], list[Item]] = ([], [])
        self.only: set[tuple[int, str]] = set()
        self.power: tuple[int, int] | None = None
        self.is_from_turn_start = False
        self.succeeded: list[int] = []
        for line in lines:
            try:
                self._read(line.kind, line.text)
            except (ValueError, NoPlainCard) as fault:
                raise ScenarioFault(line.place, str(fault)) from None

    def _read(self, kind: str, text: str) -> None:
        if kind == "define":
            name, _, definition = text.partition(": ")
            self.definitions[name] = defined_card(name, definition)
        elif kind == "power":
            hero, _, villain = text.partition("/")
            self.power = (int(hero), int(villain or hero))
        elif kind == "from":
            if text != "turn start":
                raise ValueError(f"{text!r}: a scenario begins with the mission or 'turn start'")
            self.is_from_turn_start = True
        elif kind == "succeeded":
            self.succeeded = [SKILL_NAMES.index(word) for word in text.split()]
        else:
            player, _, zone = kind.partition(" ")
            seat = PLAYERS.index(player)
            if zone.endswith(" only"):
                zone = zone.removesuffix(" only")
                self.only.add((seat, zone))
            for entry in text.split(",") if text != "none" else ():
                name, *words = entry.split()
                if words and zone != "play" and zone != "at mission":
                    raise ValueError(f"{' '.join(words)!r}: nothing is said about cards there")
                item = Item(name, zone, words)
                for named in (item.name, *item.glyphs, *item.over, item.blockaded or item.name):
                    self.card(named)
                self.items[seat].append(item)

    def card(self, name: str) -> Card:
        """The card of a name."""
        if name in self.definitions:
            return self.definitions[name]
        return load_cards().by_id.get(name) or plain_card(name)

    def is_team(self, item: Item) -> bool:
        """Whether a card is a member of its owner's team, not a copy of one."""
        return item.zone == "play" and self.card(item.name).card_type == TEAM

    def deck(self, seat: int) -> Deck:
        """The list of a seat: what is named in the set-up, filled up with plain cards."""
        team, rest = [], []
        missions = [item.blockaded for item in self.items[1 - seat] if item.blockaded]
        for item in self.items[seat]:
            for name in (item.name, *item.glyphs, *item.over):
                if self.card(name).card_type == MISSION:
                    missions.append(name)
                elif name == item.name and self.is_team(item):
                    team.append(name)
                else:
                    rest.append(name)
        team_fillers, mission_filler = _FILLERS[seat]
        team += [name for name in team_fillers if name not in team][: TEAM_SIZE - len(team)]
        missions += [mission_filler] * (MISSION_COUNT - len(missions))
        if len(team) > TEAM_SIZE or len(missions) > MISSION_COUNT:
            raise ValueError("the set-up has more than 4 team characters or 12 missions in play")
        return Deck(PLAYERS[seat], tuple(team), tuple(missions), (*rest, *_DECK_FILLERS))


@cache
def _rules(decks: tuple[Deck, ...], cards: tuple[Card, ...]) -> tuple[Any, Tables]:
    return rules_of_decks([(deck,) for deck in decks], CardPool("scenario", cards))


def rules_of(layout: Layout, replaced: Mapping[str, Card]) -> tuple[Any, Tables]:
    """RULES of both lists; `replaced` cards stand for those of the same id."""
    decks = tuple(layout.deck(seat) for seat in (0, 1))
    names = sorted({name for deck in decks for name in deck.team + deck.missions + deck.deck})
    cards = [replaced.get(name) or layout.card(name) for name in names]
    shipped = len(load_cards().cards)
    numbered = tuple(
        card if name in load_cards().by_id else replace(card, number=shipped + place)
        for place, (name, card) in enumerate(zip(names, cards, strict=True))
    )
    return _rules(decks, numbered)
