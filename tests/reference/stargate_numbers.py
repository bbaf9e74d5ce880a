"""What follows from a position: which cards count, which texts work, and every changed number.

A `Numbers` is made anew after every change of the game and never kept up to date by pieces. Its
order: what has become an adversary, the cards of each base, the static texts that work, the texts
that they grant, and then, when asked, ratings (§2), costs, blocks and victory tallies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING

from .stargate_cards import HIGHEST_POINT_VALUE, SKILLS, TYPES, Card
from .stargate_language import Action, Clause, Filter, Value
from .stargate_values import Text

if TYPE_CHECKING:
    from .stargate import Game

Ratings = tuple[int | None, ...]
TYPE_WORDS = frozenset(word for words in TYPES.values() for word in words)


@dataclass(eq=False)
class Becoming:
    """BECOMES: an adversary of V instead of the printed type."""

    source: Card
    options: dict[str, object]
    revive: int

    @property
    def traits(self) -> frozenset[str]:
        trait = self.options.get("trait")
        return frozenset({str(trait)}) if trait else frozenset()


@dataclass(eq=False)
class Modifier:
    """A one-shot change of a number of one card; `until` is mission, turn or "" (its stay)."""

    verb: str
    card: Card
    sign: str
    amount: int
    until: str
    ratings: Ratings = ()  # GAIN_SKILLS
    traits: frozenset[str] = frozenset()  # GAIN_TRAITS
    types: frozenset[str] = frozenset()


@dataclass(eq=False)
class Block:
    """§3.3: a block on a card; `until` is mission, turn, source (its stay) or ""."""

    card: Card
    source: Card
    until: str


@dataclass(eq=False)
class Rule:
    """BLOCK, NO_REVIVE, COST with `all` and `dur`, and FORBID: they reach later cards too."""

    text: Text
    action: Action
    until: str


@dataclass(eq=False)
class Grant:
    """A clause that a card was given once."""

    card: Card
    clause: Clause
    granter: Card
    until: str


@dataclass(eq=False)
class Changes:
    """N2 to N5: what is added to the ratings of one card."""

    base: int | None
    named: list[int]
    created: set[int]
    every: int = 0

    def result(self, printed: Ratings) -> Ratings:
        """Sum everything first, then clamp once at 0 (N4)."""
        return tuple(
            None
            if rating is None and skill not in self.created
            else max(
                0,
                (rating or 0 if self.base is None or rating is None else self.base)
                + self.named[skill]
                + self.every,
            )
            for skill, rating in enumerate(printed)
        )


@cache
def reads_ratings(node: object) -> bool:
    """Whether a text looks at ratings, so that it is computed after those that do not (N4)."""
    if isinstance(node, Filter) and (
        (node.name in SKILLS and node.relation) or node.name == "contributed_skill"
    ):
        return True
    if isinstance(node, Value) and node.kind == "call":
        return node.parts[0] in (*SKILLS, "highest_skill", "contributed_skill")
    return any(reads_ratings(part) for part in parts_of(node))


def parts_of(node: object) -> Iterator[object]:
    if isinstance(node, tuple):
        yield from node
    elif isinstance(node, Action):
        yield from (node.targets, node.value, node.body)
    elif is_dataclass(node):
        yield from (
            part
            for part in (getattr(node, one.name) for one in fields(node))
            if isinstance(part, tuple) or is_dataclass(part)
        )


class Numbers:
    """Everything derived from the position of a game as it is now."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.in_play = game.in_play
        self.becomings: dict[Card, Becoming] = {}
        self.gained_traits: dict[Card, tuple[frozenset[str], frozenset[str]]] = {}
        self.weights: dict[Card, dict[str, int]] = {}
        self.granted: dict[Card, list[tuple[Clause, Card]]] = {}
        self.statics: dict[str, list[tuple[Text, Action, Clause]]] = {}
        self.skill = game.mission.data.skill if game.mission is not None else ""
        self._ratings: dict[Card, Ratings] | None = None
        self._mission_change = 0
        self._complication_change = 0

    def build(self) -> None:
        """The parts of which each may ask for the earlier ones."""
        self._find_becomings()
        self._find_gained_traits()
        self._make_lists()
        self._read_modifiers()
        self._find_statics()
        self._apply_grants()

    # --- which cards count (§6, EFFECTS.md §5.1)

    def _find_becomings(self) -> None:
        for card in self.in_play:
            for clause in card.data.statics:
                action = clause.effect[0].units[0]
                if isinstance(action, Action) and action.verb == "BECOMES":
                    self._become(card, clause, action)

    def _become(self, card: Card, clause: Clause, action: Action) -> None:
        game = self.game
        if clause.is_offturn:
            becomes = card if card.owner == game.villain and card.condition != "incap" else None
        else:
            becomes = card.host if card.owner == game.villain and card.zone == "attached" else None
            if becomes is not None and becomes.owner != game.hero:
                becomes = None
        if becomes is not None:
            revive = action.options.get("revive")
            text = game.static_text(card, clause, None)
            number = game.value(text, revive) if isinstance(revive, Value) else 0
            self.becomings[becomes] = Becoming(card, action.options, number)

    def _find_gained_traits(self) -> None:
        for one in self.game.modifiers:
            if one.verb == "GAIN_TRAITS":
                traits, types = self.gained_traits.get(one.card, (frozenset(), frozenset()))
                self.gained_traits[one.card] = (traits | one.traits, types | one.types)

    def _make_lists(self) -> None:
        game = self.game
        names = ("char", "team", "support", "gear", "event", "obstacle", "adversary", "ship")
        self.lists: dict[str, list[Card]] = {name: [] for name in names}
        everything: list[Card] = []
        for card in self.in_play:
            if card in self.becomings:
                self.lists["adversary"].append(card)
            elif card.owner == (game.hero if card.data.side == "hero" else game.villain):
                types = card.data.types
                if card in self.gained_traits:
                    types = types | self.gained_traits[card][1]
                for kind in types:
                    self.lists["char" if kind == "character" else kind].append(card)
            else:
                continue
            everything.append(card)
        self.face_up = everything
        if game.mission is not None:
            everything = sorted((*everything, game.mission), key=lambda card: card.number)
        self.lists["card"] = everything

    # --- which texts work (§6, §8.3)

    def has_text(self, card: Card) -> bool:
        """A card in play that is not ignored, not incapacitated and has not lost its text."""
        if card is self.game.mission:
            return True
        if card.condition == "incap" or card not in self.lists["card"]:
            return False
        becoming = self.becomings.get(card)
        return becoming is None or "no_text" not in becoming.options

    def works(self, card: Card, clause: Clause) -> bool:
        """Whether a clause of a card works now, apart from its IF."""
        game = self.game
        if clause.is_in_vscore:
            role = game.hero if clause.is_offturn else game.villain
            return card.zone == "vscore" and card.owner == role
        return not clause.is_offturn and self.has_text(card) and self.gate_is_open(card, clause)

    def gate_is_open(self, card: Card, clause: Clause) -> bool:
        """ATTACHED and GL(..): a glyph is never counted twice."""
        if clause.is_attached and card.zone != "attached":
            return False
        if not clause.glyphs:
            return True
        symbols = [glyph.data.glyph for glyph in self.game.glyphs_of(card)]
        if clause.glyphs_are_alternatives:
            return any(letter in symbols for letter in clause.glyphs)
        return all(symbols.count(x) >= clause.glyphs.count(x) for x in clause.glyphs)

    def clauses_of(self, card: Card) -> list[tuple[Clause, Card | None]]:
        """All clauses with what granted them; a card that has lost its text has none."""
        becoming = self.becomings.get(card)
        printed = () if becoming and "no_text" in becoming.options else card.data.clauses
        return [*((clause, None) for clause in printed), *self.granted.get(card, ())]

    def working_cards(self) -> list[Card]:
        """The cards whose text works, and the villain's score pile (IN_VSCORE)."""
        cards = [card for card in self.lists["card"] if self.has_text(card)]
        return cards + self.game.piles[self.game.villain, "vscore"]

    def _find_statics(self) -> None:
        game = self.game
        for card in self.working_cards():
            for clause in card.data.statics:
                if not self.works(card, clause) or card.has_ended(clause):
                    continue
                text = game.static_text(card, clause, None)
                if clause.condition is None or game.holds(text, clause.condition):
                    for step in clause.effect:
                        action = step.units[0]
                        assert isinstance(action, Action)
                        self.statics.setdefault(action.verb, []).append((text, action, clause))
        for text, action, _ in self.statics.get("COUNTS_AS", ()):
            assert action.value is not None
            weights = self.weights.setdefault(text.card, {})
            weights[action.word] = game.value(text, action.value)

    def _apply_grants(self) -> None:
        game = self.game
        for one in game.grants:
            self.granted.setdefault(one.card, []).append((one.clause, one.granter))
        for text, action, _ in self.statics.get("GRANT", ()):
            assert isinstance(action.body, Clause)
            for card in game.cards_of(text, action.targets):
                self.granted.setdefault(card, []).append((action.body, text.card))

    def _read_modifiers(self) -> None:
        for one in self.game.modifiers:
            if one.verb == "SET_SKILL" and one.card is self.game.mission:
                self.skill = SKILLS[one.amount]

    # --- ratings and difficulties (§2)

    def ratings_of(self, card: Card) -> Ratings:
        if self._ratings is None:
            self._compute_ratings()
        assert self._ratings is not None
        return self._ratings.get(card, card.data.ratings)

    def _compute_ratings(self) -> None:
        """N2 to N5; texts that read ratings see those that the other texts have made."""
        self._ratings = {}
        changes: dict[Card, Changes] = {}
        for one in self.game.modifiers:
            self._change(changes, one.verb, one.card, one.sign, one.amount, one.ratings)
        clauses = [
            item for verb in ("SKILLS", *SKILLS, "DIFF") for item in self.statics.get(verb, ())
        ]
        for is_late in (False, True):
            for text, action, clause in clauses:
                if reads_ratings(clause) is is_late:
                    self._apply_static(changes, text, action)
            self._ratings = {
                card: change.result(card.data.ratings) for card, change in changes.items()
            }

    def _apply_static(self, changes: dict[Card, Changes], text: Text, action: Action) -> None:
        game = self.game
        assert action.value is not None
        for card in game.cards_of(text, action.targets):
            text.each = card
            amount = game.amount(text, action.sign, action.value)
            self._change(changes, action.verb, card, action.sign, amount)
        if any(target.base == "complication" for target in action.targets):
            self._complication_change += game.amount(text, action.sign, action.value)

    def _change(
        self,
        changes: dict[Card, Changes],
        verb: str,
        card: Card,
        sign: str,
        amount: int,
        ratings: Ratings = (),
    ) -> None:
        if verb not in ("SKILLS", "DIFF", "GAIN_SKILLS", *SKILLS):
            return
        if card is self.game.mission:
            self._mission_change += amount if verb == "DIFF" else 0
            return
        change = changes.setdefault(card, Changes(None, [0] * len(SKILLS), set()))
        if sign == "=":
            change.base = amount
        elif verb in ("SKILLS", "DIFF"):
            change.every += amount
        for skill, name in enumerate(SKILLS):
            gained = ratings[skill] if ratings else (amount if name == verb else None)
            if gained is not None:
                change.named[skill] += gained
                change.created.add(skill)

    def mission_difficulty(self) -> int:
        """The mission's own difficulty with its modifiers."""
        assert self.game.mission is not None
        self.ratings_of(self.game.mission)
        return max(0, self.game.mission.data.difficulty + self._mission_change)

    def total_difficulty(self) -> int:
        """N7."""
        game = self.game
        mission = self.mission_difficulty()
        each = max(0, 1 + self._complication_change)
        rated = [card for card in self.lists["obstacle"] if card.zone == "at_mission"]
        rated += [card for card in self.lists["adversary"] if card.condition == "assigned"]
        ratings = sum(game.rating(card, self.skill) or 0 for card in rated)
        return mission + ratings + each * len(game.complications)

    def hero_total(self) -> int:
        """N8."""
        return sum(self.game.contribution(card) for card in self.lists["char"])

    def _total(self, verb: str, card: Card) -> int:
        """The sum of all changes of another number of a card."""
        game = self.game
        total = sum(one.amount for one in game.modifiers if one.verb == verb and one.card is card)
        for text, action, _ in self.statics.get(verb, ()):
            if card in game.cards_of(text, action.targets):
                text.each = card
                assert action.value is not None
                total += game.amount(text, action.sign, action.value)
        return total

    def firepower_of(self, card: Card) -> int:
        return max(0, card.data.firepower + self._total("FIREPOWER", card))

    def revive_of(self, card: Card) -> int:
        becoming = self.becomings.get(card)
        printed = card.data.revive if becoming is None else becoming.revive
        return max(0, printed + self._total("REVIVE", card))

    def total_firepower(self, seat: int) -> int:
        """§9.1 step 1."""
        game = self.game
        total = sum(
            self.firepower_of(card)
            for card in self.lists["ship"]
            if card.condition == "assigned" and card.owner == seat
        )
        for text, action, _ in self.statics.get("FIREPOWER_TOTAL", ()):
            if game.seat(text, action.player) == seat:
                assert action.value is not None
                total += game.amount(text, action.sign, action.value)
        return max(0, total)

    # --- costs (§8.1, §8.2)

    def play_cost(self, card: Card) -> int:
        """The current power cost of playing a card from a hand."""
        rules = [(text, action) for text, action, _ in self.statics.get("COST", ())]
        rules += [(one.text, one.action) for one in self.game.rules if one.action.verb == "COST"]
        rules += self._own_costs(card)
        return self._cost(card.data.cost, rules, card)

    def _own_costs(self, card: Card) -> list[tuple[Text, Action]]:
        """COST(self,..) works where the card is played from."""
        game = self.game
        found = []
        for clause in card.data.statics:
            action = clause.effect[0].units[0]
            if not isinstance(action, Action) or action.verb != "COST":
                continue
            text = game.static_text(card, clause, None)
            is_own = any(target.base == "self" for target in action.targets)
            if is_own and game.holds(text, clause.condition):
                found.append((text, action))
        return found

    def _cost(self, cost: int, rules: list[tuple[Text, Action]], card: Card) -> int:
        game = self.game
        for text, action in rules:
            text.each = card
            assert action.value is not None
            if any(target.player for target in action.targets):
                continue
            if game.matches(text, action.targets, card):
                amount = game.amount(text, action.sign, action.value)
                if action.sign == "=":
                    return amount
                cost += amount
        return max(0, cost)

    def _cost_of_word(self, cost: int, base: str) -> int:
        """The cost of a complication or of a further mission."""
        game = self.game
        rules = [(text, action) for text, action, _ in self.statics.get("COST", ())]
        rules += [(one.text, one.action) for one in game.rules if one.action.verb == "COST"]
        for text, action in rules:
            assert action.value is not None
            if any(target.base == base for target in action.targets):
                cost += game.amount(text, action.sign, action.value)
        return max(0, cost)

    def complication_cost(self) -> int:
        """§8.2: one more than there are."""
        return self._cost_of_word(1 + len(self.game.complications), "complication")

    def continue_surcharge(self) -> int:
        """§9.6: extra costs from texts are paid but not transferred."""
        return self._cost_of_word(0, "continue")

    def score_of(self, card: Card) -> int:
        """W3: the printed cost plus modifiers on that pile."""
        game = self.game
        cost = card.data.cost
        for text, action, _ in self.statics.get("COST", ()):
            is_of_piles = any(target.player for target in action.targets)
            if is_of_piles and card in game.cards_of(text, action.targets):
                assert action.value is not None
                cost += game.amount(text, action.sign, action.value)
        return max(0, cost)

    # --- blocks and prohibitions

    def is_blocked(self, card: Card) -> bool:
        """§3.3, BLOCK by static texts and for a while included."""
        game = self.game
        return (
            any(one.card is card for one in game.blocks)
            or any(
                card in game.cards_of(text, action.targets)
                for text, action, _ in self.statics.get("BLOCK", ())
            )
            or any(
                one.action.verb == "BLOCK" and card in game.cards_of(one.text, one.action.targets)
                for one in game.rules
            )
        )

    def forbids(self, name: str, seat: int, card: Card | None) -> bool:
        """Whether a FORBID forbids this event ("can't" wins)."""
        game = self.game
        found = [(text, action) for text, action, _ in self.statics.get("FORBID", ())]
        found += [(one.text, one.action) for one in game.rules if one.action.verb == "FORBID"]
        for text, action in found:
            event = action.event
            assert event is not None
            if event.name != name or game.seat(text, event.arguments[0]) != seat:
                continue
            if len(event.arguments) == 1 or (
                card is not None and game.matches(text, event.arguments[1], card)
            ):
                return True
        return False

    def forbids_revive(self, card: Card) -> bool:
        game = self.game
        becoming = self.becomings.get(card)
        return (
            (becoming is not None and "no_revive" in becoming.options)
            or any(one.verb == "NO_REVIVE" and one.card is card for one in game.modifiers)
            or any(
                one.action.verb == "NO_REVIVE"
                and card in game.cards_of(one.text, one.action.targets)
                for one in game.rules
            )
        )

    def forbids_scoring(self, card: Card) -> bool:
        becoming = self.becomings.get(card)
        return becoming is not None and "no_score" in becoming.options

    # --- victory tallies (§10)

    def glyph_count(self, seat: int) -> int:
        """W1: glyphs beneath his characters; an adversary is no character."""
        return len(self.tally_glyphs(seat))

    def tally_glyphs(self, seat: int) -> list[Card]:
        return [
            glyph
            for card in self.in_play
            if card.owner == seat and card not in self.becomings
            for glyph in self.game.glyphs_of(card)
        ]

    def experience(self, seat: int) -> int:
        """W2: the glyphs' experience and what other cards give, in every player's turn."""
        game = self.game
        total = sum(glyph.data.xp for glyph in self.tally_glyphs(seat))
        for card in self.in_play:
            if card.owner == seat and card.condition != "incap" and card.data.side == "hero":
                for text, action in self._tally_texts(card, "XP"):
                    assert action.value is not None
                    total += game.amount(text, action.sign, action.value)
        return total

    def _tally_texts(self, card: Card, verb: str) -> Iterator[tuple[Text, Action]]:
        game = self.game
        for clause in card.data.statics:
            for step in clause.effect:
                action = step.units[0]
                if isinstance(action, Action) and action.verb == verb:
                    text = game.static_text(card, clause, None)
                    text.hero = card.owner
                    if self.gate_is_open(card, clause) and game.holds(text, clause.condition):
                        yield text, action

    def point_value(self, card: Card) -> int:
        """§11: texts may lower it; promotion tokens raise it to 6 at most."""
        value = card.data.point_value
        if card.condition != "incap":
            for text, action in self._tally_texts(card, "POINT_VALUE"):
                assert action.value is not None
                value += self.game.amount(text, action.sign, action.value)
        return max(0, value, min(HIGHEST_POINT_VALUE, value + card.tokens))
