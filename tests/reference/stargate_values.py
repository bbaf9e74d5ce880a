"""What texts speak of: cards, numbers, conditions (EFFECTS.md §5 to §7); nothing is changed here.

`Text` is one text under way with what its words stand for; `Values` answers what they mean in the
position at hand.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from .stargate_cards import IN_PLAY, SKILLS, TYPES, Card, Mark
from .stargate_language import Clause, Condition, Filter, Target, Targets, Term, Value

if TYPE_CHECKING:
    from .stargate_numbers import Numbers

RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Text:
    """A text under way: whose it is, who chooses, and what its references stand for."""

    def __init__(self, card: Card, clause: Clause | None, chooser: int) -> None:
        self.card = card
        self.clause = clause
        self.chooser = chooser
        self.hero: int | None = None  # who counts as H, if not the player whose turn it is
        self.that: list[Card] = []
        self.seen: list[Card] = []
        self.moved: list[Card] = []  # of the seen cards
        self.both: list[Card] = []
        self.holder: list[Card] = []
        self.trigger: list[Card] = []
        self.each: Card | None = None
        self.granter: Card | None = None
        self.marks: list[Mark] | None = None  # kept by a DELAY; else those of the card
        self.actor = chooser
        self.n = 0
        self.earned = ""
        self.chosen = ""

    def copy(self) -> Text:
        """The same text with what its references mean now."""
        other = Text(self.card, self.clause, self.chooser)
        other.__dict__.update(self.__dict__)
        other.that, other.seen = list(self.that), list(self.seen)
        other.moved = list(self.moved)
        return other

    def current_marks(self) -> list[Mark]:
        return self.card.marks if self.marks is None else self.marks


class Values:
    """Cards, numbers and conditions of texts; a part of the game."""

    hero: int
    villain: int
    mission: Card | None
    cards: list[Card]
    piles: dict[tuple[int, str], list[Card]]
    complications: list[Card]
    failed_missions: list[Card]
    success_skills: list[str]
    fail_count: int
    missions_played: int
    has_failed: bool
    played_this_turn: list[Card]
    power: list[int]
    numbers: Numbers

    # --- players

    def seat(self, text: Text, word: str) -> int:
        if word == "H":
            return self.hero if text.hero is None else text.hero
        if word == "V":
            return self.villain
        return text.card.owner if word == "owner" else text.actor

    # --- cards (EFFECTS.md §5.1, §5.2)

    def cards_of(self, text: Text, targets: Targets) -> list[Card]:
        """The cards meant, ordered by seat and place; piles in their order, top first."""
        if len(targets) == 1:
            return self._cards_of_one(text, targets[0])
        found = {card for target in targets for card in self._cards_of_one(text, target)}
        return sorted(found, key=lambda card: card.number)

    def _cards_of_one(self, text: Text, target: Target) -> list[Card]:
        cards = self._base(text, target)
        if target.is_at_mission:
            cards = [card for card in cards if self.is_at_mission(card)]
        if target.filters:
            cards = [card for card in cards if self.fits(text, card, target.filters)]
        return cards

    def _base(self, text: Text, target: Target) -> list[Card]:
        base = target.base
        if target.player:
            return self._zone(self.seat(text, target.player), base)
        reference = REFERENCES.get(base)
        if reference is not None:
            return reference(self, text)
        if text.hero is not None and text.hero != self.hero:
            return self._tally_base(text.hero, base)
        return self.numbers.lists[base]

    def _zone(self, seat: int, zone: str) -> list[Card]:
        if zone == "missions_bottom":
            return self.piles[seat, "missions"]
        if zone in ("deck", "missions"):
            return self.piles[seat, zone][::-1]
        return sorted(self.piles[seat, zone], key=lambda card: card.number)

    def _tally_base(self, seat: int, base: str) -> list[Card]:
        """§6: victory tallies use all of a player's cards, in every turn."""
        kind = "character" if base == "char" else base
        return [
            card
            for card in self.numbers.in_play
            if card.owner == seat and kind in card.data.types and card not in self.numbers.becomings
        ]

    def is_at_mission(self, card: Card) -> bool:
        if card.zone in ("at_mission", "complication"):
            return True
        return card.condition == "assigned" and card.zone == "play"

    def matches(self, text: Text, targets: Targets, card: Card) -> bool:
        """Whether a card, wherever it is, is meant: a card being played, assigned, moved .."""
        return any(
            self._is_of_base(text, target.base, card)
            and (not target.is_at_mission or self.is_at_mission(card))
            and (not target.filters or self.fits(text, card, target.filters))
            for target in targets
        )

    def _is_of_base(self, text: Text, base: str, card: Card) -> bool:
        if card.zone == "complication":  # face down
            return base == "complication"
        if base == "card":
            return True
        if base in REFERENCES and base != "mission":
            return card in REFERENCES[base](self, text)
        return ("character" if base == "char" else base) in self.types_of(card)

    # --- filters (EFFECTS.md §5.3)

    def fits(self, text: Text, card: Card, filters: tuple[tuple[Filter, ...], ...]) -> bool:
        return all(
            any(self._passes(text, card, one) is not one.is_negated for one in alternatives)
            for alternatives in filters
        )

    def _passes(self, text: Text, card: Card, one: Filter) -> bool:
        test = FILTERS.get(one.name)
        if test is not None:
            return test(self, text, card, one)
        return one.name in self.traits_of(card)

    def types_of(self, card: Card) -> frozenset[str]:
        if self.numbers.becomings and card in self.numbers.becomings:
            return frozenset({"adversary"})
        gained = self.numbers.gained_traits.get(card)
        return card.data.types if gained is None else card.data.types | gained[1]

    def traits_of(self, card: Card) -> frozenset[str]:
        becoming = self.numbers.becomings.get(card) if self.numbers.becomings else None
        gained = self.numbers.gained_traits.get(card) if self.numbers.gained_traits else None
        traits = card.data.traits
        if becoming is not None:
            traits |= becoming.traits
        return traits if gained is None else traits | gained[0]

    def side_of(self, card: Card) -> str:
        return "villain" if card in self.numbers.becomings else card.data.side

    def controller_of(self, card: Card) -> int:
        """Who uses it: its owner, or the villain whose adversary it has become."""
        return self.villain if card in self.numbers.becomings else card.owner

    def _is_type(self, text: Text, card: Card, one: Filter) -> bool:
        return one.name in self.types_of(card)

    def _is_side(self, text: Text, card: Card, one: Filter) -> bool:
        return self.side_of(card) == one.name

    def _is_owner(self, text: Text, card: Card, one: Filter) -> bool:
        return card.owner == self.seat(text, str(one.value))

    def _is_title(self, text: Text, card: Card, one: Filter) -> bool:
        return card.data.title == one.value

    def _has_rating(self, text: Text, card: Card, one: Filter) -> bool:
        if "mission" in card.data.types:
            return self.skill_of(card) == one.name
        rating = self.rating(card, one.name)
        if rating is None or not one.relation:
            return rating is not None
        return RELATIONS[one.relation](rating, self.value(text, one.value))  # type: ignore[arg-type]

    def _is_condition(self, text: Text, card: Card, one: Filter) -> bool:
        return card.condition == one.name

    def _is_blocked(self, text: Text, card: Card, one: Filter) -> bool:
        return self.numbers.is_blocked(card)

    def _is_assignable(self, text: Text, card: Card, one: Filter) -> bool:
        """BS-209: ready, unblocked, and, if support, with a rating in the required skill."""
        return (
            card.condition == "ready"
            and not self.numbers.is_blocked(card)
            and self.has_required_rating(card)
        )

    def _is_promoted(self, text: Text, card: Card, one: Filter) -> bool:
        return card.tokens > 0

    def _has_keyword(self, text: Text, card: Card, one: Filter) -> bool:
        if card.zone not in IN_PLAY:
            return one.name in card.data.heads
        return any(clause.head == one.name for clause, _ in self.numbers.clauses_of(card))

    def _has_failure_text(self, text: Text, card: Card, one: Filter) -> bool:
        heads = {clause.head for clause, _ in self.numbers.clauses_of(card)}
        return bool(heads & {"ON_FAIL", "ON_SUCCESS_OR_FAIL"})

    def _is_first(self, text: Text, card: Card, one: Filter) -> bool:
        return card is self.mission and self.missions_played == 1

    def _has_failed(self, text: Text, card: Card, one: Filter) -> bool:
        return card in self.failed_missions or (card is self.mission and self.has_failed)

    def _compares(self, text: Text, number: int, one: Filter) -> bool:
        return RELATIONS[one.relation](number, self.value(text, one.value))  # type: ignore[arg-type]

    def _is_cost(self, text: Text, card: Card, one: Filter) -> bool:
        """A card without a power cost has none to compare (SL-117)."""
        return card.data.has_cost and self._compares(text, self.read_cost(card), one)

    def _is_glyph_count(self, text: Text, card: Card, one: Filter) -> bool:
        return self._compares(text, len(self.glyphs_of(card)), one)

    def _is_contribution(self, text: Text, card: Card, one: Filter) -> bool:
        return self._compares(text, self.contribution(card), one)

    def _has_glyph(self, text: Text, card: Card, one: Filter) -> bool:
        word = str(one.value)
        if word == "mission":
            word = self.mission.data.glyph if self.mission else ""
        elif word in ("earned", "chosen"):
            word = text.earned if word == "earned" else text.chosen
        return word in self.symbols_of(card)

    def _is_glyph_held(self, text: Text, card: Card, one: Filter) -> bool:
        return card.data.glyph in self._symbols_of_all(self._others(text, one))

    def _shares_glyph(self, text: Text, card: Card, one: Filter) -> bool:
        return bool(self.symbols_of(card) & self._symbols_of_all(self._others(text, one)))

    def _shares_trait(self, text: Text, card: Card, one: Filter) -> bool:
        traits = self.traits_of(card)
        return any(traits & self.traits_of(other) for other in self._others(text, one))

    def _lacks_trait(self, text: Text, card: Card, one: Filter) -> bool:
        """With `marked`: the traits the marked card has, or last had when it left (RO-170)."""
        wanted: set[str] = set()
        for mark in text.current_marks():
            wanted |= self.traits_of(mark.card) if mark.is_current else mark.traits
        return bool(wanted - self.traits_of(card))

    def _is_same_title(self, text: Text, card: Card, one: Filter) -> bool:
        return any(card.data.title == other.data.title for other in self._others(text, one))

    def _others(self, text: Text, one: Filter) -> list[Card]:
        assert isinstance(one.value, Target)
        return self._cards_of_one(text, one.value)

    def _is_other(self, text: Text, card: Card, one: Filter) -> bool:
        return card is not text.card

    def _is_reference(self, text: Text, card: Card, one: Filter) -> bool:
        return card in REFERENCES[one.name](self, text)

    # --- glyphs and ratings

    def glyphs_of(self, card: Card) -> list[Card]:
        return [other for other in card.beneath if other.zone == "glyph"]

    def symbols_of(self, card: Card) -> set[str]:
        return {other.data.glyph for other in card.beneath if other.zone == "glyph"}

    def _symbols_of_all(self, cards: Iterable[Card]) -> set[str]:
        return {symbol for card in cards for symbol in self.symbols_of(card)}

    def tucked_under(self, card: Card) -> list[Card]:
        return sorted(
            (other for other in card.beneath if other.zone == "tucked"), key=lambda c: c.number
        )

    def skill_of(self, mission: Card) -> str:
        """The skill a mission requires (SET_SKILL changes it)."""
        return self.numbers.skill if mission is self.mission else mission.data.skill

    def rating(self, card: Card, skill: str) -> int | None:
        """The current rating; that of a card out of play is the printed one."""
        return self.numbers.ratings_of(card)[SKILLS.index(skill)]

    def has_required_rating(self, card: Card) -> bool:
        """§8.1: a support character needs a rating in the required skill, 0 included."""
        if "team" in card.data.types or self.mission is None:
            return True
        return self.rating(card, self.numbers.skill) is not None

    def contribution(self, card: Card) -> int:
        """N8: the current rating in the required skill while assigned, absent = 0."""
        if card.condition != "assigned" or self.mission is None:
            return 0
        return self.rating(card, self.numbers.skill) or 0

    def read_cost(self, card: Card) -> int:
        """cost(x): the printed cost; in a score pile with its changes."""
        return self.numbers.score_of(card) if card.zone == "vscore" else card.data.cost

    # --- numbers (EFFECTS.md §7)

    def value(self, text: Text, value: Value) -> int:
        parts = value.parts
        match value.kind:
            case "number":
                return int(parts[0])
            case "n":
                return text.n
            case "count":
                return self._count(text, parts[0])
            case "counter":
                return self._counter(text, *parts)
            case "call":
                return CALLS[parts[0]](self, text, *parts[1:])
            case "sum":
                return self.value(text, parts[0]) + self.value(text, parts[1])
            case "difference":
                return self.value(text, parts[0]) - self.value(text, parts[1])
            case "product":
                return self.value(text, parts[0]) * self.value(text, parts[1])
            case _:
                return self.value(text, parts[1] if self.holds(text, parts[0]) else parts[2])

    def amount(self, text: Text, sign: str, value: Value) -> int:
        number = self.value(text, value)
        return -number if sign == "-" else number

    def _count(self, text: Text, target: Target) -> int:
        cards = self._cards_of_one(text, target)
        weights = self.numbers.weights
        if not weights:
            return len(cards)
        names = {one.name for group in target.filters for one in group if not one.is_negated}
        return sum(
            max([weights[card][trait] for trait in names & set(weights.get(card, ()))], default=1)
            for card in cards
        )

    def _counter(self, text: Text, name: str, filters: tuple[tuple[Filter, ...], ...]) -> int:
        if name == "success_turn":
            skills = [one.name for group in filters for one in group]
            return sum(not skills or skill in skills for skill in self.success_skills)
        if name == "fail_turn":
            return self.fail_count
        if name == "played_turn":
            return sum(self.fits(text, card, filters) for card in self.played_this_turn)
        return sum(
            card.zone == "blockaded" and card.host is not None and card.host.owner == self.villain
            for card in self.cards
        )

    def _call_cost(self, text: Text, targets: Targets) -> int:
        return sum(self.read_cost(card) for card in self.cards_of(text, targets))

    def _call_xp(self, text: Text, targets: Targets) -> int:
        return sum(card.data.xp for card in self.cards_of(text, targets))

    def _call_firepower(self, text: Text, targets: Targets) -> int:
        return sum(self.numbers.firepower_of(card) for card in self.cards_of(text, targets))

    def _call_highest(self, text: Text, targets: Targets) -> int:
        cards = self.cards_of(text, targets)
        ratings = [rating or 0 for card in cards for rating in self.numbers.ratings_of(card)]
        return max(ratings, default=0)

    def _call_contribution(self, text: Text, targets: Targets) -> int:
        return sum(self.contribution(card) for card in self.cards_of(text, targets))

    def _call_power(self, text: Text, player: str) -> int:
        return self.power[self.seat(text, player)]

    def _call_max_glyph(self, text: Text, targets: Targets) -> int:
        cards = self.cards_of(text, targets)
        return max((len(self.glyphs_of(card)) for card in cards), default=0)

    def _call_div(self, text: Text, dividend: Value, divisor: Value) -> int:
        return self.value(text, dividend) // self.value(text, divisor)

    def _call_glyph(self, text: Text, targets: Targets, letter: str = "") -> int:
        return sum(
            not letter or glyph.data.glyph == letter
            for card in self.cards_of(text, targets)
            for glyph in self.glyphs_of(card)
        )

    def _call_kinds(self, text: Text, targets: Targets) -> int:
        return len(self._symbols_of_all(self.cards_of(text, targets)))

    def _call_kinds_shared(self, text: Text, targets: Targets, others: Targets) -> int:
        mine = self._symbols_of_all(self.cards_of(text, targets))
        return len(mine & self._symbols_of_all(self.cards_of(text, others)))

    def _traits_of_all(self, text: Text, targets: Targets) -> set[str]:
        return {trait for card in self.cards_of(text, targets) for trait in self.traits_of(card)}

    def _call_traits(self, text: Text, targets: Targets) -> int:
        return len(self._traits_of_all(text, targets))

    def _call_traits_shared(self, text: Text, targets: Targets, others: Targets) -> int:
        return len(self._traits_of_all(text, targets) & self._traits_of_all(text, others))

    # --- conditions (EFFECTS.md §6)

    def holds(self, text: Text, condition: Condition | None) -> bool:
        return condition is None or all(
            self._term(text, term) is not term.is_negated for term in condition
        )

    def _term(self, text: Text, term: Term) -> bool:
        if term.kind == "cards":
            return bool(self.cards_of(text, term.parts[0]))
        if term.kind == "mark_made":
            return text.card.mark_made
        left, relation, right = term.parts
        return RELATIONS[relation](self.value(text, left), self.value(text, right))


def marked_cards(marks: list[Mark]) -> list[Card]:
    found = {mark.card for mark in marks if mark.is_current}
    return sorted(found, key=lambda card: card.number)


def unmoved(text: Text) -> list[Card]:
    """`rest`: seen cards that no later action has moved or played."""
    return [card for card in text.seen if card not in text.moved]


REFERENCES: dict[str, Callable[[Any, Text], list[Card]]] = {
    "self": lambda game, text: [text.card],
    "host": lambda game, text: (
        [text.card.host] if text.card.host is not None and text.card.zone == "attached" else []
    ),
    "that": lambda game, text: text.that,
    "trigger": lambda game, text: text.trigger,
    "marked": lambda game, text: marked_cards(text.current_marks()),
    "seen": lambda game, text: text.seen,
    "rest": lambda game, text: unmoved(text),
    "each": lambda game, text: [text.each] if text.each is not None else [],
    "granter": lambda game, text: [text.granter] if text.granter is not None else [],
    "both": lambda game, text: text.both,
    "holder": lambda game, text: text.holder,
    "mission": lambda game, text: [game.mission] if game.mission is not None else [],
    "tucked": lambda game, text: game.tucked_under(text.card),
    "failed_mission": lambda game, text: list(game.failed_missions),
    "complication": lambda game, text: list(game.complications),
    "continue": lambda game, text: [],
    "next_mission_turn": lambda game, text: [],
    "owner": lambda game, text: [],
}

FILTERS: dict[str, Callable[[Any, Text, Card, Filter], bool]] = {
    **dict.fromkeys(
        {kind for kinds in TYPES.values() for kind in kinds},
        Values._is_type,
    ),
    "hero": Values._is_side,
    "villain": Values._is_side,
    "owner": Values._is_owner,
    "title": Values._is_title,
    **dict.fromkeys(SKILLS, Values._has_rating),
    **dict.fromkeys(("ready", "assigned", "stopped", "incap"), Values._is_condition),
    "blocked": Values._is_blocked,
    "assignable": Values._is_assignable,
    "promoted": Values._is_promoted,
    "dominion": Values._has_keyword,
    "withdraw": Values._has_keyword,
    "has_failure_text": Values._has_failure_text,
    "first_of_turn": Values._is_first,
    "failed": Values._has_failed,
    "cost": Values._is_cost,
    "glyph": Values._is_glyph_count,
    "contributed_skill": Values._is_contribution,
    "has_glyph": Values._has_glyph,
    "glyph_held_by": Values._is_glyph_held,
    "shares_glyph_with": Values._shares_glyph,
    "shares_trait_with": Values._shares_trait,
    "lacks_trait_of": Values._lacks_trait,
    "same_title": Values._is_same_title,
    "other": Values._is_other,
    **dict.fromkeys(("that", "each", "marked"), Values._is_reference),
}

CALLS: dict[str, Callable[..., int]] = {
    "cost": Values._call_cost,
    "xp": Values._call_xp,
    "firepower": Values._call_firepower,
    "highest_skill": Values._call_highest,
    "contributed_skill": Values._call_contribution,
    "power_left": Values._call_power,
    "max_glyph": Values._call_max_glyph,
    "div": Values._call_div,
    **{
        skill: lambda game, text, targets, skill=skill: sum(
            game.rating(card, skill) or 0 for card in game.cards_of(text, targets)
        )
        for skill in SKILLS
    },
    "glyph": Values._call_glyph,
    "glyph_kinds": Values._call_kinds,
    "glyph_kinds_shared": Values._call_kinds_shared,
    "trait_kinds": Values._call_traits,
    "trait_kinds_shared": Values._call_traits_shared,
}
