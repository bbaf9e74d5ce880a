"""Carrying out texts: steps, costs, choices and every verb (EFFECTS.md §2, §4).

A text is run from left to right. Whether a cost or the parts of a MAY can be carried out in full is
tried out on the table itself, and every try is taken back (`can_pay`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from .stargate_cards import IN_PLAY, SKILLS, Card, Mark
from .stargate_language import (
    Action,
    Choose,
    Clause,
    Effect,
    Group,
    Moment,
    Quantity,
    Step,
    Unit,
    Value,
)
from .stargate_numbers import Block, Grant, Modifier, Rule
from .stargate_table import HAND_SIZE, Asking, Delay, Pending, Table
from .stargate_values import Text

EFFECT, MAY, COST = "effect", "may", "cost"
ALONE = "may without arrow"
HIGHEST_NUMBER = 23
GLYPH_SYMBOLS = ("G", "L", "O", "P", "S", "T")
PILES_WITH_ORDER = ("deck", "missions", "missions_bottom")
RATING_VERBS = ("SKILLS", *SKILLS, "DIFF")


class Effects(Table):
    """Runs texts; a part of the game."""

    turns_to_skip: list[int]
    forced_continue: bool
    first_priority: int | None

    # --- texts and steps

    def settle(self) -> Asking:
        """§8.5: the waiting texts; the hero orders the cards, a card's texts run as written."""
        self.check_victory()
        yield from self.clear_up()
        while self.pending:
            cards = {item.text.card for item in self.pending}
            card = yield from self.ask(
                self.hero, "order_triggers", self.offer(self.hero, cards, is_text=True)
            )
            item = next(one for one in self.pending if one.text.card is card)
            self.pending.remove(item)
            if item.is_loose or self._is_alive(item):
                yield from self.run_effect(item.text, item.effect)
                self.check_victory()
            yield from self.clear_up()
            yield from self.after_text(item)

    @abstractmethod
    def after_text(self, item: Pending) -> Asking:
        """What follows when a waiting text is finished."""

    def _is_alive(self, item: Pending) -> bool:
        """The card is still there, and its text still works."""
        text = item.text
        assert text.clause is not None
        if text.card.stay != item.stay:
            return False
        if not self.numbers.works(text.card, text.clause):
            return False
        return any(clause is text.clause for clause, _ in self.numbers.clauses_of(text.card))

    def run_effect(self, text: Text, effect: Effect) -> Asking:
        for step in effect:
            yield from self.run_step(text, step)

    def run_step(self, text: Text, step: Step) -> Asking:
        """Whether it was carried out; if not, the ELSE."""
        done = False
        if self.holds(text, step.condition):
            if step.is_may:
                done = yield from self.run_may(text, step)
            else:
                done = yield from self.run_unit(text, step.units[0], EFFECT, ())
        if not done and step.otherwise is not None:
            done = yield from self.run_step(text, step.otherwise)
        return done

    def run_may(self, text: Text, step: Step) -> Asking:
        """D06: offered if all its parts can be carried out in full."""
        former = text.chooser
        if step.by:
            text.chooser = self.seat(text, step.by)
        done = False
        mode = ALONE if step.arrow is None else MAY
        if self.can_pay(text, step.units, mode) and (yield from self.ask_yes(text.chooser, "may")):
            done = yield from self.run_units(text, step.units, mode)
            if done and step.arrow is not None:
                yield from self.run_effect(text, step.arrow)
        text.chooser = former
        return done

    def replace_by_may(self, text: Text, step: Step, is_needed: bool = False) -> Asking:
        """D22: its parts are costs (§16.3); what is needed to pay a revive cannot be declined."""
        if not self.can_pay(text, step.units, COST):
            return False
        if not is_needed and not (yield from self.ask_yes(text.chooser, "may")):
            return False
        yield from self.run_units(text, step.units, COST)
        yield from self.run_effect(text, step.arrow or ())
        return True

    def ask_yes(self, player: int, prompt: str) -> Asking:
        answer = yield from self.ask(
            player, prompt, {self.action("yes"): True, self.action("no"): False}
        )
        return answer

    def run_units(self, text: Text, units: tuple[Unit, ...], mode: str) -> Asking:
        """a+b: both; whether each was carried out in full. If not, those behind are not (§16.3)."""
        for number, unit in enumerate(units):
            if not (yield from self.run_unit(text, unit, mode, units[number + 1 :])):
                return False
        return True

    def run_unit(self, text: Text, unit: Unit, mode: str, rest: tuple[Unit, ...]) -> Asking:
        if isinstance(unit, Choose):
            return (yield from self.run_choose(text, unit, mode, rest))
        if isinstance(unit, Group):
            yield from self.run_effect(text, unit.effect)
            return True
        done = yield from VERBS[unit.verb](self, text, unit, mode, rest)
        self.touch()
        self.check_victory()
        return done is not False

    def run_choose(self, text: Text, unit: Choose, mode: str, rest: tuple[Unit, ...]) -> Asking:
        """An option with IF(c) only if c; in a cost or MAY only if possible in full."""
        options = {}
        for number, effect in enumerate(unit.choices):
            if not self.holds(text, effect[0].condition):
                continue
            if mode != EFFECT and not self.can_pay(text, (*units_of(effect), *rest), mode):
                continue
            options[self.action("option", number)] = effect
        effect = yield from self.ask(text.chooser, "option", options)
        if mode == COST:
            return (yield from self.run_units(text, units_of(effect), mode))
        yield from self.run_effect(text, effect)
        return True

    # --- choosing cards (§8.4)

    def chooser_of(self, text: Text, action: Action) -> int:
        """`by=`; from a hand its owner; else whose text it is."""
        by = action.options.get("by")
        if by:
            return self.seat(text, str(by))
        for target in action.targets:
            if target.player in ("H", "V") and target.base == "hand":
                return self.seat(text, target.player)
        return text.chooser

    def limits(self, text: Text, quantity: Quantity | None, available: int) -> tuple[int, int]:
        """Fewest and most cards; all of them if nothing is said."""
        if quantity is None or quantity.kind == "all":
            return available, available
        if quantity.kind == "any":
            return 0, available
        assert quantity.value is not None
        number = max(0, self.value(text, quantity.value))
        if quantity.kind == "up_to":
            return 0, min(number, available)
        return min(number, available), min(number, available)

    def wanted(self, text: Text, quantity: Quantity | None, available: int) -> int:
        """How many it takes to be carried out in full."""
        if quantity is None or quantity.kind == "all":
            return max(1, available)
        if quantity.kind in ("any", "up_to"):
            return 0
        assert quantity.value is not None
        return max(0, self.value(text, quantity.value))

    def choose(
        self,
        text: Text,
        action: Action,
        candidates: list[Card],
        mode: str,
        rest: tuple[Unit, ...],
        prompt: str = "target",
    ) -> Asking:
        """One card at a time, `done` from the minimum on; sets `that` and `n`."""
        player = self.chooser_of(text, action)
        fewest, most = self.limits(text, action.quantity, len(candidates))
        if action.options.get("random"):
            chosen = self.random_cards(candidates, most)
        elif action.quantity is None or fewest == len(candidates):
            chosen = list(candidates)
        else:
            chosen = yield from self._choose_some(
                text, action, player, candidates, fewest, most, mode, rest, prompt
            )
        if action.quantity is not None:
            text.that = sorted(chosen, key=lambda card: card.number)
            if action.quantity.names_n:
                text.n = len(chosen)
        return chosen

    def _choose_some(
        self,
        text: Text,
        action: Action,
        player: int,
        candidates: list[Card],
        fewest: int,
        most: int,
        mode: str,
        rest: tuple[Unit, ...],
        prompt: str,
    ) -> Asking:
        chosen: list[Card] = []
        budget = self._budget(text, action)
        while len(chosen) < most:
            left = [card for card in candidates if card not in chosen]
            if budget is not None:
                spent = sum(card.data.cost for card in chosen)
                left = [card for card in left if spent + card.data.cost <= budget]
            if mode != EFFECT and rest:
                left = [
                    card
                    for card in left
                    if self.completes(text, action, [*chosen, card], candidates, mode, rest)
                ]
            options = self.offer(player, left)
            if len(chosen) >= fewest:
                options[self.action("done")] = None
            card = yield from self.ask(player, prompt, options)
            if card is None:
                break
            chosen.append(card)
        return chosen

    def _budget(self, text: Text, action: Action) -> int | None:
        limit = action.options.get("max_total_cost")
        return self.value(text, limit) if isinstance(limit, Value) else None

    # --- trying out whether something can be carried out in full

    def can_pay(self, text: Text, units: tuple[Unit, ...], mode: str) -> bool:
        """Whether there is a way to carry out all the units in full (D06, D09)."""
        kept = (text.that, text.seen, text.n, list(text.moved))
        found = self._try_units(paired(text, units), mode)
        text.that, text.seen, text.n, text.moved = kept
        return found

    def can_pay_all(self, costs: list[tuple[Text, Unit]]) -> bool:
        """The same for the costs of several texts together."""
        kept = [(text, text.that, text.seen, text.n) for text, _ in costs]
        found = self._try_units(costs, COST)
        for text, that, seen, n in kept:
            text.that, text.seen, text.n = that, seen, n
        return found

    def completes(
        self,
        text: Text,
        action: Action,
        chosen: list[Card],
        candidates: list[Card],
        mode: str,
        rest: tuple[Unit, ...],
    ) -> bool:
        """Whether, with these cards chosen, everything can still be carried out in full."""
        missing = self.limits(text, action.quantity, len(candidates))[0] - len(chosen)
        left = [card for card in candidates if card not in chosen]
        units = paired(text, rest)
        kept = [(one, one.that, one.seen, one.n) for one in (text, *(one for one, _ in units))]
        found = any(
            self._try_way(text, action, [*chosen, *more], units, mode)
            for more in combinations(left, max(0, missing))
        )
        for one, that, seen, n in kept:
            one.that, one.seen, one.n = that, seen, n
        return found

    def _try_units(self, units: list[tuple[Text, Unit]], mode: str) -> bool:
        if not units:
            return True
        (text, unit), rest = units[0], units[1:]
        if isinstance(unit, Choose):
            return any(
                self.holds(text, effect[0].condition)
                and self._try_units([*((text, one) for one in units_of(effect)), *rest], mode)
                for effect in unit.choices
            )
        if isinstance(unit, Group):
            return self._try_units([*((text, one) for one in units_of(unit.effect)), *rest], mode)
        return any(
            self._try_way(text, unit, way, rest, mode) for way in self._ways(text, unit, mode)
        )

    def _ways(self, text: Text, action: Action, mode: str) -> Iterator[Any]:
        """The ways in which an action can be carried out in full: sets of cards, or one of None."""
        if action.verb in ("PICK_GLYPH", "LOSE_GLYPH") and not action.targets:
            glyphs = self._glyphs_from(text, action)
            for way in combinations(glyphs, self.wanted(text, action.quantity, len(glyphs))):
                hosts = {glyph.host for glyph in way}
                if not action.options.get("on_different_chars") or len(hosts) == len(way):
                    yield way
            return
        test = TESTS.get(action.verb)
        if test is not None:
            if test(self, text, action):
                yield from self._numbers_to_pay(text, action) if action.verb == "PAY" else [None]
            return
        candidates = self.candidates(text, action, mode)
        wanted = self.wanted(text, action.quantity, len(candidates))
        if len(candidates) < wanted:
            return
        if action.quantity is not None and action.quantity.kind in ("any", "up_to"):
            most = self.limits(text, action.quantity, len(candidates))[1]
            for count in range(most + 1) if most or mode != ALONE else ():
                yield from combinations(candidates, count)
            return
        yield from combinations(candidates, wanted)

    def _numbers_to_pay(self, text: Text, action: Action) -> Iterator[int]:
        quantity = action.quantity
        assert quantity is not None
        if quantity.kind == "any":
            yield from range(self.power[text.chooser] + 1)
        else:
            assert quantity.value is not None
            yield max(0, self.value(text, quantity.value))

    def _try_way(
        self, text: Text, action: Action, way: Any, rest: list[tuple[Text, Unit]], mode: str
    ) -> bool:
        """Carry the action out for a moment, without asking or raising anything."""
        if not rest:
            return True
        if action.verb == "PAY":
            kept = text.n
            self.power[text.chooser] -= way
            if action.quantity is not None and action.quantity.names_n:
                text.n = way
            found = self._try_units(rest, mode)
            self.power[text.chooser] += way
            text.n = kept
            return found
        if way is None:
            return self._try_units(rest, mode)
        cards = list(way)
        kept_that, kept_seen = text.that, text.seen
        if action.quantity is not None:
            text.that = cards
        if action.verb in ("REVEAL", "LOOK"):
            text.seen = cards
        kept = [(card, card.condition, card.zone) for card in cards]
        blocks = self.blocks
        for card in cards:
            self._pretend(action.verb, card)
        self.touch()
        found = self._try_units(rest, mode)
        for card, condition, zone in kept:
            card.condition, card.zone = condition, zone
        self.blocks = blocks
        text.that, text.seen = kept_that, kept_seen
        self.touch()
        return found

    def _pretend(self, verb: str, card: Card) -> None:
        if verb == "STOP":
            card.condition = "stopped"
        elif verb == "INCAP":
            card.condition = "incap"
        elif verb == "BLOCK":
            self.blocks = [*self.blocks, Block(card, card, "")]
        elif verb in ("DESTROY", "DISCARD", "RETURN"):
            card.zone, card.condition = "tried", ""

    # --- which cards an action can do something to

    def candidates(self, text: Text, action: Action, mode: str) -> list[Card]:
        """§8.4 C2: the cards meant for which the action does something."""
        fit = FITS.get(action.verb)
        cards = self.cards_of(text, action.targets)
        names = {
            one.name
            for target in action.targets
            for group in target.filters
            for one in group
            if not one.is_negated
        }
        if mode != EFFECT:
            cards = [card for card in cards if card.zone != "tried"]
        if fit is None:
            return cards
        return [card for card in cards if fit(self, card, names, mode)]

    def _can_stop(self, card: Card, names: set[str], mode: str) -> bool:
        return card.condition in ("ready", "assigned") or (
            card.condition == "incap" and "incap" in names
        )

    def _can_ready(self, card: Card, names: set[str], mode: str) -> bool:
        return card.condition in ("stopped", "assigned") or (
            card.condition == "incap" and "incap" in names
        )

    def _can_incap(self, card: Card, names: set[str], mode: str) -> bool:
        return card.condition in ("ready", "assigned", "stopped") and bool(
            card.data.types & {"character", "ship"}
        )

    def _can_block(self, card: Card, names: set[str], mode: str) -> bool:
        if card.zone not in IN_PLAY:
            return False
        return mode != COST or (card.condition == "ready" and not self.numbers.is_blocked(card))

    def _can_unblock(self, card: Card, names: set[str], mode: str) -> bool:
        return self.numbers.is_blocked(card)

    def _can_face_down(self, card: Card, names: set[str], mode: str) -> bool:
        return card.zone in IN_PLAY and self.mission is not None

    def _can_destroy(self, card: Card, names: set[str], mode: str) -> bool:
        return card.zone in IN_PLAY or card.zone == "complication"

    def _can_return(self, card: Card, names: set[str], mode: str) -> bool:
        return card.zone != "hand"

    def _is_in_play(self, card: Card, names: set[str], mode: str) -> bool:
        return card.zone in IN_PLAY or card is self.mission

    def _can_promote(self, card: Card, names: set[str], mode: str) -> bool:
        return card.zone in IN_PLAY and "team" in card.data.types

    def _can_score(self, card: Card, names: set[str], mode: str) -> bool:
        return card.zone in IN_PLAY and not self.numbers.forbids_scoring(card)

    # --- verbs on cards in play

    def do_stop(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        return (yield from self._to_each(text, action, mode, rest, self._stop_one))

    def _stop_one(self, text: Text, card: Card, mode: str) -> Asking:
        return (yield from self.stop(card, mode == COST))

    def do_incap(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        return (yield from self._to_each(text, action, mode, rest, self._incap_one))

    def _incap_one(self, text: Text, card: Card, mode: str) -> Asking:
        return (yield from self.incapacitate(card, mode == COST))

    def do_destroy(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        return (yield from self._to_each(text, action, mode, rest, self._destroy_one))

    def _destroy_one(self, text: Text, card: Card, mode: str) -> Asking:
        return (yield from self.destroy(card, text.card, mode == COST))

    def _to_each(
        self,
        text: Text,
        action: Action,
        mode: str,
        rest: tuple[Unit, ...],
        deed: Callable[[Text, Card, str], Asking],
    ) -> Asking:
        """Choose, then do it to one card after the other; `n` is the number really done."""
        candidates = self.candidates(text, action, mode)
        wanted = self.wanted(text, action.quantity, len(candidates))
        chosen = yield from self.choose(text, action, candidates, mode, rest)
        done = 0
        for card in sorted(chosen, key=lambda one: one.number):
            done += bool((yield from deed(text, card, mode)))
        if action.quantity is not None and action.quantity.names_n:
            text.n = done
        return done >= wanted and done == len(chosen)

    def _simple(
        self,
        text: Text,
        action: Action,
        mode: str,
        rest: tuple[Unit, ...],
        deed: Callable[[Card], None],
    ) -> Asking:
        def each(text: Text, card: Card, mode: str) -> Asking:
            deed(card)
            return True
            yield

        return (yield from self._to_each(text, action, mode, rest, each))

    def do_ready(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        return (
            yield from self._simple(
                text, action, mode, rest, lambda card: self.set_condition(card, "ready")
            )
        )

    def do_block(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        """§3.3; with `all` and `dur` it is a rule that reaches later cards too."""
        until = str(action.options.get("dur", ""))
        if action.quantity is not None and action.quantity.kind == "all" and until:
            self.rules.append(Rule(text.copy(), action, until))
            return True
        if not until:
            until = self._default_duration(text.card)

        def deed(card: Card) -> None:
            self.blocks.append(Block(card, text.card, until))

        return (yield from self._simple(text, action, mode, rest, deed))

    def _default_duration(self, card: Card) -> str:
        if "mission" in card.data.types:
            return "mission"
        return "source" if "obstacle" in card.data.types else ""

    def do_unblock(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        def deed(card: Card) -> None:
            self.blocks = [one for one in self.blocks if one.card is not card]

        return (yield from self._simple(text, action, mode, rest, deed))

    def do_facedown(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        def deed(card: Card) -> None:
            self.leave(card, "complication")

        return (yield from self._simple(text, action, mode, rest, deed))

    def do_return(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        def deed(card: Card) -> None:
            self.take_away(text, card, "hand")

        return (yield from self._simple(text, action, mode, rest, deed))

    def take_away(self, text: Text, card: Card, zone: str, at_bottom: bool = False) -> None:
        """A card goes to a place of its owner, from play or from where it lies."""
        text.moved.append(card)
        if card.zone in IN_PLAY or card.zone == "complication":
            self.leave(card, zone, at_bottom)
        elif at_bottom:
            self.move(card, zone, at_bottom=True)
        else:
            self.put(card, zone)

    def do_put(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        """Several cards go one by one in the order in which they are named."""
        place = str(action.options["to"])
        zone, _, end = place.partition("_")
        candidates = [card for card in self.cards_of(text, action.targets) if card.zone != "glyph"]
        wanted = self.wanted(text, action.quantity, len(candidates))
        chosen = yield from self.choose(text, action, candidates, mode, rest)
        order = action.options.get("order")
        player = self.seat(text, str(order)) if order else self.chooser_of(text, action)
        if end and len(text.seen) > 1:
            self._mix(text.seen, self.chooser_of(text, action))
        yield from self._place(text, chosen, player if end else None, zone, end == "bottom")
        return len(chosen) >= wanted

    def _mix(self, seen: list[Card], looker: int) -> None:
        """§16.1: of several missions looked at, only who looks can tell which goes where."""
        for card in seen:
            if card.zone == "missions":
                card.known_by = {looker}

    def _place(
        self, text: Text, cards: list[Card], orderer: int | None, zone: str, at_bottom: bool
    ) -> Asking:
        """Put cards somewhere, of several each when the one who orders them has named it."""
        left = list(cards)
        if orderer is not None and len(left) > 1:
            for card in left:
                self.take_away(text, card, "looked_at")
        while left:
            card = left[0]
            if orderer is not None and len(left) > 1:
                card = yield from self.ask(orderer, "scry", self.offer(orderer, left))
            left.remove(card)
            self.take_away(text, card, zone, at_bottom)
            text.seen = [one for one in text.seen if one is not card]

    def do_tuck(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        """Beneath self; a pile gives its top cards."""
        candidates = self.cards_of(text, action.targets)
        wanted = self.wanted(text, action.quantity, len(candidates))
        chosen = yield from self.choose_or_top(text, action, candidates, mode, rest)
        if text.card.zone not in IN_PLAY:
            return False
        for card in sorted(chosen, key=lambda one: one.number):
            text.moved.append(card)
            if card.zone in IN_PLAY:
                self.leave(card, "resolving")
            card.is_facedown = bool(action.options.get("facedown"))
            self.move(card, "tucked", host=text.card, is_shown=not card.is_facedown)
        return len(chosen) >= wanted

    def choose_or_top(
        self,
        text: Text,
        action: Action,
        candidates: list[Card],
        mode: str,
        rest: tuple[Unit, ...],
    ) -> Asking:
        """The top (or bottom) cards of a pile with order; elsewhere cards that are chosen."""
        if any(target.player and target.base in PILES_WITH_ORDER for target in action.targets):
            most = self.limits(text, action.quantity, len(candidates))[1]
            text.that = candidates[:most]
            return candidates[:most]
        return (yield from self.choose(text, action, candidates, mode, rest))

    def do_attach(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        """Self is placed on that card and leaves the mission."""
        candidates = [card for card in self.candidates(text, action, mode) if card is not text.card]
        chosen = yield from self.choose(text, action, candidates, mode, rest)
        card = text.card
        if not chosen or card.zone not in IN_PLAY:
            return False
        condition = card.condition
        self.move(card, "attached", host=chosen[0])
        card.stay -= 1  # it stays the same card, with its marks
        card.condition = condition
        return True

    def do_detach(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        for card in self.cards_of(text, action.targets):
            if card.zone == "attached":
                self.detach(card)
        return True
        yield

    # --- playing by a text

    def do_play(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        """A card that cannot be played stays where it is."""
        player = self.player_of(text, action)
        candidates = self.playable(text, action, player)
        wanted = self.wanted(text, action.quantity, len(candidates))
        chosen = yield from self.choose(text, action, candidates, mode, rest)
        for card in chosen:
            text.moved.append(card)
            cost = self._price(text, action, card)
            if action.options.get("as"):
                self.power[player] -= cost
                self.place_complication(player, card)
            else:
                yield from self.play_card(player, card, cost)
        return len(chosen) >= wanted

    def player_of(self, text: Text, action: Action) -> int:
        if "by" in action.options:
            return self.seat(text, str(action.options["by"]))
        for target in action.targets:
            if target.player in ("H", "V"):
                return self.seat(text, target.player)
        return text.chooser

    def _price(self, text: Text, action: Action, card: Card) -> int:
        cost = action.options["cost"]
        if cost == "normal":
            return self.numbers.play_cost(card)
        assert isinstance(cost, Value)
        return self.value(text, cost)

    def playable(self, text: Text, action: Action, player: int) -> list[Card]:
        cards = self.cards_of(text, action.targets)
        if action.options.get("as"):
            return [card for card in cards if self._price(text, action, card) <= self.power[player]]
        ignore_unique = bool(action.options.get("ignore_unique"))
        return [
            card
            for card in cards
            if self.can_play(player, card, self._price(text, action, card), ignore_unique)
        ]

    @abstractmethod
    def can_play(self, player: int, card: Card, cost: int, ignore_unique: bool = False) -> bool:
        """§8.1, §8.2: whether a player can play a card at that cost."""

    @abstractmethod
    def play_card(self, player: int, card: Card, cost: int) -> Asking:
        """§8.1, §8.2: pay and play a card."""

    @abstractmethod
    def place_complication(self, player: int, card: Card) -> None:
        """§8.2: a card lies face down at the mission."""

    # --- power, hands, piles

    def do_pay(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        """The payer spends that much; `n:any` is a chosen number."""
        quantity = action.quantity
        assert quantity is not None
        if quantity.kind == "any":
            most = min(self.power[text.chooser], self._n_limit(text))
            text.n = amount = yield from self.ask_number(text.chooser, most)
        else:
            assert quantity.value is not None
            amount = max(0, self.value(text, quantity.value))
        if amount > self.power[text.chooser]:
            return False
        self.power[text.chooser] -= amount
        return True

    def ask_number(self, player: int, most: int) -> Asking:
        """The highest number that has a name means that much and more (§16.3)."""
        total = 0
        while True:
            numbers = range(min(most - total, HIGHEST_NUMBER) + 1)
            options = {self.action("number", number): number for number in numbers}
            number = yield from self.ask(player, "number", options)
            total += number
            if number < HIGHEST_NUMBER:
                return total

    def _n_limit(self, text: Text) -> int:
        """EFFECTS.md §2: n is at most the number of cards of a hand that it then takes."""
        for action in actions_of(text.clause.effect if text.clause else ()):
            count = action.quantity.value if action.quantity is not None else None
            if action.verb == "TUCK" and count is not None and count.kind == "n":
                return len(self.cards_of(text, action.targets))
        return self.power[text.chooser]

    def do_power(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        """N6: lose at most what is there."""
        assert action.value is not None
        seat = self.seat(text, action.player)
        amount = self.amount(text, action.sign, action.value)
        self.power[seat] = max(0, self.power[seat] + amount)
        return True
        yield

    def do_draw(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        assert action.value is not None
        wanted = self.value(text, action.value)
        return self.draw(self.seat(text, action.player), wanted) >= wanted
        yield

    def do_refill(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        seat = self.seat(text, action.player)
        self.draw(seat, HAND_SIZE - len(self.piles[seat, "hand"]))
        return True
        yield

    def do_discard(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        def deed(card: Card) -> None:
            self.take_away(text, card, "discard")

        return (yield from self._simple(text, action, mode, rest, deed))

    def do_mill(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        candidates = self.cards_of(text, action.targets)
        chosen = yield from self.choose_or_top(text, action, candidates, mode, rest)
        for card in chosen:
            self.put(card, "discard")
        return len(chosen) >= self.wanted(text, action.quantity, len(candidates))

    def do_search(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        """Look through, take what matches or fail on purpose, shuffle."""
        assert action.zone is not None
        seat = self.seat(text, action.zone.player)
        pile = self.piles[seat, action.zone.base]
        fitting = [card for card in pile if self.matches(text, action.targets, card)]
        fewest, most = self.limits(text, action.quantity, len(fitting))
        if len(fitting) < len(pile):
            fewest = 0
        chosen = yield from self._choose_some(
            text, action, text.chooser, fitting, fewest, most, EFFECT, (), "target"
        )
        text.that = sorted(chosen, key=lambda card: card.number)
        yield from self._take_searched(action, chosen, pile)
        return bool(chosen)

    def _take_searched(self, action: Action, chosen: list[Card], pile: list[Card]) -> Asking:
        """`to=deck_top`: shuffle first, then put on top."""
        if action.options["to"] == "hand":
            for card in chosen:
                self.move(card, "hand")
                card.known_by = set(self._all_seats())
            self.shuffle(pile)
        else:
            self.shuffle(pile)
            for card in chosen:
                pile.remove(card)
                pile.append(card)
        self.touch()
        return
        yield

    def do_search_mission(
        self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]
    ) -> Asking:
        """Through H's mission pile; nothing is revealed, the rest is shuffled."""
        assert action.value is not None
        seat = self.seat(text, "H")
        pile = self.piles[seat, "missions"]
        count = min(self.value(text, action.value), len(pile))
        chosen = yield from self._choose_some(
            text, action, text.chooser, list(pile), count, count, EFFECT, (), "target"
        )
        for card in chosen:
            pile.remove(card)
        self.shuffle(pile)
        pile.extend(chosen)
        self.touch()
        return True

    def _pile_owner(self, text: Text, action: Action) -> Asking:
        """The player whose pile it is; `any` is chosen."""
        assert action.zone is not None
        if action.zone.player != "any":
            return self.seat(text, action.zone.player)
        options = {
            self.action("option", number): seat
            for number, seat in enumerate((self.hero, self.villain))
        }
        return (yield from self.ask(text.chooser, "option", options))

    def do_recover(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        """Take matching cards from the discard pile."""
        assert action.zone is not None
        seat = self.seat(text, action.zone.player)
        pile = self.piles[seat, action.zone.base]
        candidates = [card for card in pile if self.matches(text, action.targets, card)]
        wanted = self.wanted(text, action.quantity, len(candidates))
        chosen = yield from self.choose(text, action, candidates, mode, rest)
        zone = str(action.options["to"]).partition("_")[0]
        for card in sorted(chosen, key=lambda one: one.number):
            text.moved.append(card)
            self.move(card, zone)
        return len(chosen) >= wanted

    def do_reshuffle(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        """Matching cards of the discard pile into their owner's deck, which is shuffled."""
        assert action.zone is not None
        seat = yield from self._pile_owner(text, action)
        pile = self.piles[seat, "discard"]
        candidates = [card for card in pile if self.matches(text, action.targets, card)]
        wanted = self.wanted(text, action.quantity, len(candidates))
        chosen = yield from self.choose(text, action, candidates, mode, rest)
        for card in sorted(chosen, key=lambda one: one.number):
            self.move(card, "deck")
        self.shuffle(self.piles[seat, "deck"])
        self.touch()
        return len(chosen) >= wanted

    def do_scry(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        """D21: first those for the bottom, then `done`, then those for the top."""
        assert action.value is not None and action.zone is not None
        seat = yield from self._pile_owner(text, action)
        zone, count = action.zone.base, max(0, self.value(text, action.value))
        looked_at = self.piles[seat, zone][::-1][:count]
        for card in looked_at:
            self.move(card, "looked_at")
            known = card.known_by if len(looked_at) == 1 else set()
            card.known_by = known | {text.chooser}
        left = list(looked_at)
        while left:
            options = self.offer(text.chooser, left)
            options[self.action("done")] = None
            card = yield from self.ask(text.chooser, "scry", options)
            if card is None:
                break
            left.remove(card)
            self.move(card, zone, at_bottom=True)
        while left:
            card = yield from self.ask(text.chooser, "scry", self.offer(text.chooser, left))
            left.remove(card)
            self.move(card, zone)
        return bool(looked_at)

    def do_look(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        """The cards stay and are `seen`."""
        candidates = self.cards_of(text, action.targets)
        chosen = yield from self.choose_or_top(text, action, candidates, mode, rest)
        text.seen, text.moved = list(chosen), []
        for card in chosen:
            seers = {text.chooser} if action.verb == "LOOK" else set(self._all_seats())
            card.known_by |= seers
        return len(chosen) >= self.wanted(text, action.quantity, len(candidates))

    def _all_seats(self) -> range:
        return range(self.num_players)

    def do_shuffle(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        assert action.zone is not None
        self.shuffle(self.piles[self.seat(text, action.zone.player), action.zone.base])
        self.touch()
        return True
        yield

    # --- glyphs and missions

    def _glyphs_from(self, text: Text, action: Action) -> list[Card]:
        """The glyphs beneath the `from=` characters, of the kinds and worth that are named."""
        kinds, worth = action.options.get("kind"), action.options.get("xp")
        glyphs = [
            glyph
            for card in self.cards_of(text, action.options["from"])  # type: ignore[arg-type]
            for glyph in self.glyphs_of(card)
        ]
        if kinds:
            glyphs = [glyph for glyph in glyphs if glyph.data.glyph in kinds]  # type: ignore[operator]
        if isinstance(worth, Value):
            glyphs = [glyph for glyph in glyphs if glyph.data.xp == self.value(text, worth)]
        return glyphs

    def _receivers(self, text: Text, action: Action) -> list[Card]:
        return self.cards_of(text, action.options["to"])  # type: ignore[arg-type]

    def _movable(self, text: Text, action: Action) -> list[Card]:
        """Glyphs that may go to another character than the one that has them."""
        receivers = self._receivers(text, action)
        return [
            glyph
            for glyph in self._glyphs_from(text, action)
            if any(card is not glyph.host for card in receivers)
        ]

    def do_move_glyph(
        self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]
    ) -> Asking:
        """From one character to another; not earning (§9.5)."""
        receivers = self._receivers(text, action)
        movable = self._movable(text, action)
        chosen = yield from self.choose(text, action, movable, mode, rest, "glyph")
        for glyph in chosen:
            others = [card for card in receivers if card is not glyph.host]
            options = self.offer(text.chooser, others)
            receiver = yield from self.ask(text.chooser, "glyph", options)
            assert glyph.host is not None
            text.both = sorted((glyph.host, receiver), key=lambda card: card.number)
            self.move(glyph, "glyph", host=receiver)
        return bool(chosen)

    def do_lose_glyph(
        self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]
    ) -> Asking:
        """Face down to the bottom of H's mission pile."""
        if action.targets:
            chosen = [card for card in self.cards_of(text, action.targets) if card.zone == "glyph"]
        else:
            candidates = self._glyphs_from(text, action)
            chosen = yield from self.choose(text, action, candidates, mode, rest)
        text.holder = [card.host for card in chosen if card.host is not None]
        order = action.options.get("order")
        player = self.seat(text, str(order)) if order else self.chooser_of(text, action)
        yield from self._place(text, chosen, player, "missions", at_bottom=True)
        return bool(chosen)

    def do_pick_glyph(
        self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]
    ) -> Asking:
        candidates = self._glyphs_from(text, action)
        if not action.options.get("on_different_chars"):
            chosen = yield from self.choose(text, action, candidates, mode, rest)
        else:
            chosen = yield from self._pick_apart(text, action, candidates)
        text.holder = [card.host for card in chosen if card.host is not None]
        return bool(chosen)

    def _pick_apart(self, text: Text, action: Action, candidates: list[Card]) -> Asking:
        """No two under the same character."""
        assert action.quantity is not None and action.quantity.value is not None
        wanted = self.value(text, action.quantity.value)
        chosen: list[Card] = list(candidates) if len(candidates) == wanted else []
        while len(chosen) < wanted:
            hosts = [card.host for card in chosen]
            left = [card for card in candidates if card.host not in hosts]
            if not left:
                break
            options = self.offer(text.chooser, left)
            chosen.append((yield from self.ask(text.chooser, "target", options)))
        text.that = sorted(chosen, key=lambda card: card.number)
        return chosen

    def do_add_glyph(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        """The top card of H's mission pile; not earning."""
        pile = self.piles[self.seat(text, "H"), "missions"]
        for card in self.cards_of(text, action.targets):
            if pile and card.zone in IN_PLAY:
                self.move(pile[-1], "glyph", host=card)
        return True
        yield

    def do_swap_glyphs(
        self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]
    ) -> Asking:
        glyphs = self.cards_of(text, action.targets)
        if len(glyphs) == 2:
            hosts = [glyph.host for glyph in glyphs]
            for glyph, host in zip(glyphs, reversed(hosts), strict=True):
                self.move(glyph, "glyph", host=host)
        return True
        yield

    def do_swap_glyph_top(
        self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]
    ) -> Asking:
        """BS-128: the old glyph leaves, the top mission takes its place, the old one is on top."""
        for card in self.cards_of(text, action.targets):
            glyphs = self.glyphs_of(card)
            if not glyphs:
                return False
            options = self.offer(text.chooser, glyphs)
            old = yield from self.ask(text.chooser, "target", options)
            pile = self.piles[self.seat(text, "H"), "missions"]
            if pile:
                self.move(pile[-1], "glyph", host=card)
            self.move(old, "missions")
        return True

    def do_blockade(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        """§11: one mission per card; an older one goes to the bottom of the pile."""
        pile = self.piles[self.seat(text, "H"), "missions"]
        for card in self.cards_of(text, action.targets):
            if not pile or card.zone not in IN_PLAY:
                return False
            top = pile[-1]
            old = [other for other in card.beneath if other.zone == "blockaded"]
            self.move(top, "blockaded", host=card)
            for other in old:
                self.move(other, "missions", at_bottom=True)
        return True
        yield

    def do_set_skill(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        for card in self.cards_of(text, action.targets):
            until = str(action.options.get("dur", "mission"))
            self.modifiers.append(
                Modifier("SET_SKILL", card, "=", SKILLS.index(action.word), until)
            )
        return True
        yield

    def do_force_continue(
        self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]
    ) -> Asking:
        self.forced_continue = True
        return True
        yield

    def do_skip_turn(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        self.turns_to_skip[self.seat(text, action.player)] += 1
        return True
        yield

    # --- numbers

    def do_change(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        """A one-shot change: its amount and its cards are fixed now (EFFECTS.md §2)."""
        assert action.value is not None
        until = str(action.options.get("dur", ""))
        if any(target.base == "next_mission_turn" for target in action.targets):
            self.next_mission_changes.append(self.amount(text, action.sign, action.value))
            return True
        candidates = [
            card
            for card in self.cards_of(text, action.targets)
            if card.zone in IN_PLAY or card is self.mission
        ]
        chosen = yield from self.choose(text, action, candidates, mode, rest)
        for card in chosen:
            text.each = card
            amount = self.amount(text, action.sign, action.value)
            if action.verb == "DIFF":
                until = until or "mission"
            self.modifiers.append(Modifier(action.verb, card, action.sign, amount, until))
        return len(chosen) >= self.wanted(text, action.quantity, len(candidates))

    def do_cost(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        """COST with `all` and `dur` is a rule for the period; its amount is fixed now."""
        until = str(action.options.get("dur", "mission"))
        self.rules.append(Rule(text.copy(), action, until))
        return True
        yield

    def do_forbid(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        until = str(action.options.get("dur", "mission"))
        self.rules.append(Rule(text.copy(), action, until))
        return True
        yield

    def do_no_revive(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        until = str(action.options.get("dur", ""))
        if action.quantity is not None and action.quantity.kind == "all" and until:
            self.rules.append(Rule(text.copy(), action, until))
            return True
        candidates = self.candidates(text, action, mode)
        chosen = yield from self.choose(text, action, candidates, mode, rest)
        for card in chosen:
            self.modifiers.append(Modifier("NO_REVIVE", card, "", 0, until))
        return True

    def do_promote(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        def deed(card: Card) -> None:
            card.tokens += 1
            self.touch()

        return (yield from self._simple(text, action, mode, rest, deed))

    def do_gain(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        """GAIN_TRAITS (SL-073) and GAIN_SKILLS (SL-122)."""
        sources = self.cards_of(text, action.options["from"])  # type: ignore[arg-type]
        until = str(action.options.get("dur", ""))
        for card in self.cards_of(text, action.targets):
            for source in sources:
                traits, types = self.traits_of(source), self.types_of(source)
                change = Modifier(action.verb, card, "", 0, until, traits=traits, types=types)
                if action.verb == "GAIN_SKILLS":
                    change.ratings = source.data.ratings
                self.modifiers.append(change)
        return True
        yield

    # --- adversaries

    def do_revive_now(
        self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]
    ) -> Asking:
        for card in self.cards_of(text, action.targets):
            self.revived(card)
        return True
        yield

    def revived(self, card: Card) -> None:
        """§9.4: it leaves the mission, stopped."""
        self.set_condition(card, "stopped")
        self.fire_own(card, "ON_REVIVE")

    def do_pay_revive(
        self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]
    ) -> Asking:
        """SL-013: not a revive."""
        for card in self.cards_of(text, action.targets):
            cost = self.numbers.revive_of(card)
            if self.revive_cards(card) < cost:
                return False
            yield from self.pay_revive(card, cost)
        return True

    @abstractmethod
    def revive_cards(self, card: Card) -> int:
        """How many cards can pay for a revive."""

    @abstractmethod
    def pay_revive(self, card: Card, cost: int) -> Asking:
        """§9.4: mill the cards of a revive."""

    def do_score(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        candidates = self.candidates(text, action, mode)
        chosen = yield from self.choose(text, action, candidates, mode, rest)
        for card in chosen:
            yield from self.score(card)
        return bool(chosen)

    @abstractmethod
    def score(self, card: Card, is_fate: bool = False) -> Asking:
        """§9.4: a card goes to the score pile."""

    # --- texts, marks, later moments

    def do_grant(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        assert isinstance(action.body, Clause)
        clause = action.body

        def deed(card: Card) -> None:
            until = "mission" if card is self.mission else ""
            self.grants.append(Grant(card, clause, text.card, until))

        return (yield from self._simple(text, action, mode, rest, deed))

    def do_strip_fail(
        self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]
    ) -> Asking:
        return (yield from self._simple(text, action, mode, rest, self.stripped.add))

    def do_mark(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        candidates = self.candidates(text, action, mode)
        chosen = yield from self.choose(text, action, candidates, mode, rest)
        ends = text.clause is not None and text.clause.head == "ON_ASSIGN"
        for card in chosen:
            text.card.marks.append(Mark(card, card.stay, self.traits_of(card), ends))
            text.card.mark_made = True
        return len(chosen) >= self.wanted(text, action.quantity, len(candidates))

    def do_pick(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        candidates = self.candidates(text, action, mode)
        chosen = yield from self.choose(text, action, candidates, mode, rest)
        return len(chosen) >= self.wanted(text, action.quantity, len(candidates))

    def do_pick_kind(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        options = {
            self.action("option", number): symbol for number, symbol in enumerate(GLYPH_SYMBOLS)
        }
        text.chosen = yield from self.ask(text.chooser, "option", options)
        return True

    def do_delay(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        """References keep what they mean now."""
        until = str(action.options.get("dur", ""))
        assert action.moment is not None
        event = action.moment.event
        if event is not None and event.name == "earns_glyph" and len(event.arguments) > 1:
            until = "mission"  # the present one, which no later one is
        effect: Effect = action.body  # type: ignore[assignment]
        self.delays.append(Delay(self._kept(text), action.moment, effect, until))
        return True
        yield

    def do_watch(self, text: Text, action: Action, mode: str, rest: tuple[Unit, ...]) -> Asking:
        until = str(action.options.get("dur", ""))
        effect: Effect = action.body  # type: ignore[assignment]
        moment = Moment(event=action.event)
        self.delays.append(Delay(self._kept(text), moment, effect, until, is_watch=True))
        return True
        yield

    def _kept(self, text: Text) -> Text:
        """What the references meant when DELAY was carried out."""
        kept = text.copy()
        kept.marks = list(text.current_marks())
        return kept

    # --- whether verbs without cards can be carried out in full

    def _test_pay(self, text: Text, action: Action) -> bool:
        quantity = action.quantity
        assert quantity is not None
        if quantity.kind == "any":
            return True
        assert quantity.value is not None
        return self.value(text, quantity.value) <= self.power[text.chooser]

    def _test_draw(self, text: Text, action: Action) -> bool:
        assert action.value is not None
        deck = self.piles[self.seat(text, action.player), "deck"]
        return 0 < self.value(text, action.value) <= len(deck)

    def _test_search(self, text: Text, action: Action) -> bool:
        assert action.zone is not None
        return bool(self.piles[self.seat(text, action.zone.player), action.zone.base])

    def _test_search_mission(self, text: Text, action: Action) -> bool:
        return bool(self.piles[self.seat(text, "H"), "missions"])

    def _test_recover(self, text: Text, action: Action) -> bool:
        assert action.zone is not None
        pile = self.piles[self.seat(text, action.zone.player), action.zone.base]
        fitting = sum(self.matches(text, action.targets, card) for card in pile)
        return fitting >= max(1, self.wanted(text, action.quantity, fitting))

    def _test_scry(self, text: Text, action: Action) -> bool:
        assert action.value is not None and action.zone is not None
        pile = self.piles[self.seat(text, action.zone.player), action.zone.base]
        return 0 < self.value(text, action.value) <= len(pile)

    def _test_move_glyph(self, text: Text, action: Action) -> bool:
        return bool(self._movable(text, action))

    def _test_shuffle(self, text: Text, action: Action) -> bool:
        assert action.zone is not None
        return bool(self.piles[self.seat(text, action.zone.player), action.zone.base])

    def _test_play(self, text: Text, action: Action) -> bool:
        player = self.player_of(text, action)
        return bool(self.playable(text, action, player))

    def _test_pay_revive(self, text: Text, action: Action) -> bool:
        return all(
            self.revive_cards(card) >= self.numbers.revive_of(card)
            for card in self.cards_of(text, action.targets)
        )

    def _test_force_continue(self, text: Text, action: Action) -> bool:
        """RO-168: nothing with an empty pile or under a FORBID."""
        return self.may_continue()

    @abstractmethod
    def may_continue(self) -> bool:
        """§9.6: whether a further mission can be played."""


def units_of(effect: Effect) -> tuple[Unit, ...]:
    return tuple(unit for step in effect for unit in step.units)


def actions_of(part: object) -> Iterator[Action]:
    """All actions of an effect, at any depth."""
    if isinstance(part, tuple):
        for item in part:
            yield from actions_of(item)
    elif isinstance(part, Step):
        yield from actions_of((part.units, part.arrow or (), part.otherwise or ()))
    elif isinstance(part, Choose):
        yield from actions_of(part.choices)
    elif isinstance(part, Group):
        yield from actions_of(part.effect)
    elif isinstance(part, Action):
        yield part


def paired(text: Text, units: tuple[Any, ...]) -> list[tuple[Text, Unit]]:
    """Each unit with its text; costs of several texts bring theirs along."""
    return [unit if isinstance(unit, tuple) else (text, unit) for unit in units]


FITS: dict[str, Callable[[Any, Card, set[str], str], bool]] = {
    "STOP": Effects._can_stop,
    "READY": Effects._can_ready,
    "INCAP": Effects._can_incap,
    "BLOCK": Effects._can_block,
    "UNBLOCK": Effects._can_unblock,
    "FACEDOWN": Effects._can_face_down,
    "DESTROY": Effects._can_destroy,
    "MARK": Effects._is_in_play,
    "ATTACH": Effects._is_in_play,
    "SCORE": Effects._can_score,
    "RETURN": Effects._can_return,
    "NO_REVIVE": Effects._is_in_play,
    "STRIP_FAIL": Effects._is_in_play,
    "GRANT": Effects._is_in_play,
    "PROMOTE": Effects._can_promote,
}

TESTS: dict[str, Callable[[Any, Text, Action], bool]] = {
    "PAY": Effects._test_pay,
    "DRAW": Effects._test_draw,
    "SEARCH": Effects._test_search,
    "SEARCH_MISSION": Effects._test_search_mission,
    "RECOVER": Effects._test_recover,
    "RESHUFFLE": Effects._test_recover,
    "SCRY": Effects._test_scry,
    "MOVE_GLYPH": Effects._test_move_glyph,
    "SHUFFLE": Effects._test_shuffle,
    "PLAY": Effects._test_play,
    "PAY_REVIVE": Effects._test_pay_revive,
    "FORCE_CONTINUE": Effects._test_force_continue,
    "POWER": lambda game, text, action: True,
    "PICK_KIND": lambda game, text, action: True,
    "REFILL": lambda game, text, action: True,
}

VERBS: dict[str, Callable[..., Asking]] = {
    "STOP": Effects.do_stop,
    "READY": Effects.do_ready,
    "INCAP": Effects.do_incap,
    "BLOCK": Effects.do_block,
    "UNBLOCK": Effects.do_unblock,
    "FACEDOWN": Effects.do_facedown,
    "DESTROY": Effects.do_destroy,
    "RETURN": Effects.do_return,
    "PUT": Effects.do_put,
    "PLAY": Effects.do_play,
    "TUCK": Effects.do_tuck,
    "ATTACH": Effects.do_attach,
    "DETACH": Effects.do_detach,
    "PAY": Effects.do_pay,
    "POWER": Effects.do_power,
    "DRAW": Effects.do_draw,
    "REFILL": Effects.do_refill,
    "DISCARD": Effects.do_discard,
    "MILL": Effects.do_mill,
    "SEARCH": Effects.do_search,
    "SEARCH_MISSION": Effects.do_search_mission,
    "RECOVER": Effects.do_recover,
    "RESHUFFLE": Effects.do_reshuffle,
    "SCRY": Effects.do_scry,
    "LOOK": Effects.do_look,
    "REVEAL": Effects.do_look,
    "SHUFFLE": Effects.do_shuffle,
    "MOVE_GLYPH": Effects.do_move_glyph,
    "LOSE_GLYPH": Effects.do_lose_glyph,
    "PICK_GLYPH": Effects.do_pick_glyph,
    "ADD_GLYPH": Effects.do_add_glyph,
    "SWAP_GLYPHS": Effects.do_swap_glyphs,
    "SWAP_GLYPH_TOP": Effects.do_swap_glyph_top,
    "BLOCKADE": Effects.do_blockade,
    "SET_SKILL": Effects.do_set_skill,
    "FORCE_CONTINUE": Effects.do_force_continue,
    "SKIP_TURN": Effects.do_skip_turn,
    **dict.fromkeys((*RATING_VERBS, "REVIVE", "FIREPOWER"), Effects.do_change),
    "COST": Effects.do_cost,
    "FORBID": Effects.do_forbid,
    "NO_REVIVE": Effects.do_no_revive,
    "PROMOTE": Effects.do_promote,
    "GAIN_TRAITS": Effects.do_gain,
    "GAIN_SKILLS": Effects.do_gain,
    "REVIVE_NOW": Effects.do_revive_now,
    "PAY_REVIVE": Effects.do_pay_revive,
    "SCORE": Effects.do_score,
    "GRANT": Effects.do_grant,
    "STRIP_FAIL": Effects.do_strip_fail,
    "MARK": Effects.do_mark,
    "PICK": Effects.do_pick,
    "PICK_KIND": Effects.do_pick_kind,
    "DELAY": Effects.do_delay,
    "WATCH": Effects.do_watch,
}
