"""Moves of cards and changes of states (§3), and the events that they raise (§8.5).

Everything that changes the position of a game is in here; what may ask a player is a generator
that yields decisions.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import insort
from collections.abc import Generator as Course
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .generator import Generator
from .stargate_cards import IN_PLAY, NAMELESS_ZONES, OPEN_ZONES, SETS, Card
from .stargate_language import Clause, Effect, Event, Moment, Step
from .stargate_numbers import Block, Grant, Modifier, Numbers, Rule
from .stargate_values import Text, Values

if TYPE_CHECKING:
    from .stargate_cards import CardData

PILES = ("deck", "hand", "discard", "missions", "vscore")
HAND_SIZE = 8
GLYPHS_TO_WIN = 7
TEAM_SIZE, MISSION_COUNT = 4, 12
NEED_TWO = ("order_triggers", "order_texts", "ability", "number")
HIDDEN_ZONES = ("deck", "hand", "missions", "complication", "tucked", "looked_at")


@dataclass(eq=False)
class Decision:
    """What a player is asked: number of every legal action -> what it stands for."""

    prompt: str
    player: int
    options: dict[int, Any]
    must_ask: bool = False


Asking = Course[Decision, int, Any]


class GameOver(Exception):
    """§10: somebody has won."""


@dataclass(eq=False)
class Pending:
    """A text that waits because of an event; `is_loose` if it does not need its card any more."""

    text: Text
    effect: Effect
    stay: int
    is_loose: bool = False


@dataclass(eq=False)
class Delay:
    """DELAY or WATCH: an effect that waits for a moment, or for every such event."""

    text: Text
    moment: Moment
    effect: Effect
    until: str
    is_watch: bool = False


class Table(Values):
    """The table with all cards; a part of the game."""

    num_players: int
    current_player: int
    generator: Generator
    in_play: list[Card]
    pending: list[Pending]
    delays: list[Delay]
    modifiers: list[Modifier]
    blocks: list[Block]
    rules: list[Rule]
    grants: list[Grant]
    stripped: set[Card]
    end_reasons: list[str]
    winner: int | None
    next_mission_changes: list[int]

    def _lay_out(self, lists: list[list[CardData]], stride: int) -> None:
        self.cards = []
        self.lists: list[list[Card]] = []
        self.piles = {(seat, zone): [] for seat in range(len(lists)) for zone in PILES}
        for seat, cards in enumerate(lists):
            copies: dict[str, int] = {}
            self.lists.append([])
            for place, data in enumerate(cards):
                copies[data.card_id] = copies.get(data.card_id, 0) + 1
                name = f"{data.card_id}.{copies[data.card_id]}"
                card = Card(seat, place, seat * stride + place, data, name, zone="box")
                self.cards.append(card)
                self.lists[seat].append(card)
                before = self.lists[seat][-2:-1]
                alike = before and before[0].data is data and place != TEAM_SIZE + MISSION_COUNT
                card.copies = before[0].copies if alike else []
                card.copies.append(card)
        self.in_play, self.complications, self.failed_missions = [], [], []
        self.pending, self.delays, self.modifiers = [], [], []
        self.blocks, self.rules, self.grants, self.stripped = [], [], [], set()
        self.next_mission_changes = []
        self.unnamed: list[Card] = []
        self.texts: dict[tuple[Card, Clause], Text] = {}
        self._numbers: Numbers | None = None

    # --- what is derived

    @property
    def numbers(self) -> Numbers:  # type: ignore[override]
        if self._numbers is None:
            self._numbers = Numbers(self)  # type: ignore[arg-type]
            self._numbers.build()
        return self._numbers

    def touch(self) -> None:
        """Something has changed."""
        self._numbers = None

    def static_text(self, card: Card, clause: Clause, granter: Card | None) -> Text:
        """The text of a clause that is always on."""
        text = self.texts.get((card, clause))
        if text is None:
            text = self.texts[card, clause] = Text(card, clause, card.owner)
            text.granter = granter
        return text

    def opponent(self, seat: int) -> int:
        """The other one of the two active players."""
        return self.villain if seat == self.hero else self.hero

    def user_of(self, card: Card) -> int:
        """Who makes the choices of a card's text: hero card H, villain card V, by owner."""
        return self.controller_of(card)

    # --- asking

    def ask(
        self, player: int, prompt: str, options: dict[int, Any], must_ask: bool = False
    ) -> Asking:
        """The value of the option that the player takes; a single one is taken without asking.

        He has acted all the same, unless the prompt is one that needs two options.
        """
        self.name_cards()
        if len(options) == 1 and not must_ask:
            if prompt not in NEED_TWO:
                self.current_player = player
            return next(iter(options.values()))
        answer = yield Decision(prompt, player, options, must_ask)
        return options[answer]

    def offer(self, player: int, cards: Iterable[Card], *, is_text: bool = False) -> dict[int, Any]:
        """Choosing one of these cards; of alike ones in a hand or pile the first (§16.3).

        is_text: their texts are chosen, and those of alike cards may be about different things.
        """
        self.name_cards()
        cards = list(cards)
        places = self._called_places(player, cards)
        options: dict[int, Any] = {}
        shown: set[tuple[int, str, str]] = set()
        for card in sorted(cards, key=lambda card: card.number):
            if card.zone in SETS and not is_text:
                kind = (card.owner, card.data.card_id, card.zone)
                if kind in shown:
                    continue
                shown.add(kind)
            if card.zone == "complication":
                options[self.action("slot", self.complications.index(card))] = card
            elif card.owner == player:
                options[self.action("own", card.place)] = card
            else:
                options[self.action("other", places.get(card, card.place))] = card
        return options

    def _called_places(self, player: int, cards: Iterable[Card]) -> dict[Card, int]:
        """§16.1: hidden cards of another's list are called by the places that are not named."""
        hidden = [card for card in cards if card.owner != player and not card.is_named]
        places: dict[Card, int] = {}
        for card in hidden:
            if card not in places:
                alike = [
                    one
                    for one in card.copies
                    if not one.is_named and (one in hidden or player in one.known_by)
                    if one.zone in HIDDEN_ZONES
                ]
                free = [one.place for one in card.copies if not one.is_named]
                alike.sort(key=lambda one: (HIDDEN_ZONES.index(one.zone), self._depth(one)))
                places |= dict(zip(alike, free, strict=False))
        return places

    def _depth(self, card: Card) -> int:
        """Its place in a pile from the top; elsewhere in the list."""
        if card.zone in ("deck", "missions"):
            return -self.piles[card.owner, card.zone].index(card)
        return card.number

    @abstractmethod
    def action(self, block: str, offset: int = 0) -> int:
        """The number of an action."""

    # --- chance

    def shuffle(self, pile: list[Card]) -> None:
        for card in pile:
            card.known_by = set()
        for last in range(len(pile) - 1, 0, -1):
            other = self.generator.randbelow(last + 1)
            pile[last], pile[other] = pile[other], pile[last]

    def random_cards(self, cards: list[Card], count: int) -> list[Card]:
        """Candidates by seat and place, one at a time."""
        left = sorted(cards, key=lambda card: card.number)
        chosen = []
        for _ in range(min(count, len(left))):
            chosen.append(left.pop(self.generator.randbelow(len(left))))
        return chosen

    # --- moving cards

    def move(
        self,
        card: Card,
        zone: str,
        host: Card | None = None,
        at_bottom: bool = False,
        is_shown: bool = False,
    ) -> None:
        """Put a card somewhere; into a pile on top, or at the bottom."""
        self._follow(card, zone, is_shown)
        if card.zone in PILES:
            self.piles[card.owner, card.zone].remove(card)
        elif card.zone in IN_PLAY:
            self.in_play.remove(card)
        elif card.zone == "complication":
            self.complications.remove(card)
        elif card.zone == "failed":
            self.failed_missions.remove(card)
        elif card.zone == "mission" and card is self.mission and zone != "mission":
            pass  # it stays the current mission until it ends
        if card.host is not None:
            card.host.beneath.remove(card)
        if zone in OPEN_ZONES or zone in NAMELESS_ZONES:
            card.is_public = zone in OPEN_ZONES
        elif zone == "tucked" and not card.is_public:
            everybody = set(range(self.num_players))
            card.is_public = is_shown or card.known_by | {card.owner} == everybody
        if zone in NAMELESS_ZONES:
            card.is_named = False
        elif card.is_public and not card.is_named:
            self.unnamed.append(card)
        if zone not in IN_PLAY and card is not self.mission:
            card.marks, card.mark_made = [], False
        card.zone, card.host = zone, host
        card.stay += 1
        if host is not None:
            host.beneath.append(card)
        if zone in PILES:
            pile = self.piles[card.owner, zone]
            pile.insert(0 if at_bottom else len(pile), card)
        elif zone in IN_PLAY:
            insort(self.in_play, card, key=lambda one: one.number)
        elif zone == "complication":
            self.complications.append(card)
        elif zone == "failed":
            self.failed_missions.append(card)
        self.touch()

    def put(self, card: Card, zone: str, at_bottom: bool = False) -> None:
        """Move a card that is not in play, and raise what its arrival raises."""
        self.move(card, zone, at_bottom=at_bottom)
        if zone == "discard":
            self.fire("enters", card.owner, card)

    def _follow(self, card: Card, zone: str, is_shown: bool) -> None:
        """§16.1: who knows what; a card that leaves a hand unseen could have been any."""
        if zone in OPEN_ZONES or is_shown:
            card.known_by = set(range(self.num_players))
        elif zone == "hand":
            card.known_by.add(card.owner)
        elif card.zone == "hand":
            for other in self.piles[card.owner, "hand"]:
                other.known_by = {card.owner}

    def name_cards(self) -> None:
        """§16.1: what has come to lie openly takes the lowest place of its copies not yet named."""
        waiting = [card for card in self.unnamed if card.is_public and not card.is_named]
        self.unnamed = []
        for card in sorted(waiting, key=lambda one: (one.zone == "discard", one.number)):
            if not card.is_named:
                card.is_named = True
                first = next(one for one in card.copies if one is card or not one.is_named)
                if first is not card:
                    self._exchange_names(card, first)

    def _exchange_names(self, card: Card, other: Card) -> None:
        card.place, other.place = other.place, card.place
        card.number, other.number = other.number, card.number
        card.name, other.name = other.name, card.name
        for one in (card, other):
            self.lists[one.owner][one.place] = one
        card.copies.sort(key=lambda one: one.place)
        self.cards = [one for cards in self.lists for one in cards]
        self.in_play.sort(key=lambda one: one.number)
        self.touch()

    def draw(self, seat: int, count: int) -> int:
        deck = self.piles[seat, "deck"]
        count = max(0, min(count, len(deck)))
        for _ in range(count):
            self.move(deck[-1], "hand")
        return count

    def enter_play(self, card: Card, zone: str) -> None:
        """§3.2: cards enter play ready."""
        self.move(card, zone)
        has_state = card.data.types & {"character", "ship", "adversary", "gear"}
        card.condition = "ready" if has_state else ""
        self.touch()

    def leave(self, card: Card, zone: str, at_bottom: bool = False) -> None:
        """§3.2: a card leaves play (or a complication its mission) for a place of its owner."""
        beneath = list(card.beneath)
        self._forget(card)
        self.move(card, zone, at_bottom=at_bottom)
        if zone != "vscore":
            self.drop_tucked(card)
        for other in sorted(beneath, key=lambda one: one.number):
            if other.zone == "blockaded":
                self.move(other, "missions", at_bottom=True)
            elif other.zone == "glyph":
                self.move(other, "ordering")
        if zone == "discard":
            self.fire("enters", card.owner, card)

    def drop_tucked(self, card: Card) -> None:
        """§3.2; those of a scored card when the texts for scoring have been used (§16.3)."""
        for other in self.tucked_under(card):
            self.put(other, "discard")

    def _forget(self, card: Card) -> None:
        """A new stay begins without states, tokens, marks, blocks and changes."""
        for other in self.cards:
            for mark in other.marks:
                if mark.card is card and mark.is_current:
                    mark.traits = self.traits_of(card)
        card.condition, card.tokens, card.is_facedown = "", 0, False
        card.marks, card.mark_made = [], False
        card.used, card.finished = set(), set()
        self.modifiers = [one for one in self.modifiers if one.card is not card]
        self.grants = [one for one in self.grants if one.card is not card]
        self.stripped.discard(card)
        self.blocks = [
            one
            for one in self.blocks
            if one.card is not card and not (one.source is card and one.until == "source")
        ]

    def clear_up(self) -> Asking:
        """What lay on cards that have left play, when the text under way is finished (§16.3)."""
        attached = [card for card in self.in_play if card.zone == "attached"]
        for card in attached:
            assert card.host is not None
            if card.host.zone == "play":
                continue
            if "gear" in card.data.types:
                self.detach(card)
                card.condition = "stopped"
            else:
                self.leave(card, "discard")
        yield from self.order_glyphs()

    def order_glyphs(self) -> Asking:
        """D20."""
        for seat in range(self.num_players):
            glyphs = [card for card in self.lists[seat] if card.zone == "ordering"]
            yield from self.glyphs_to_bottom(glyphs, seat)

    def glyphs_to_bottom(self, glyphs: list[Card], chooser: int) -> Asking:
        """Face down under the mission pile, each when it is named (D18, D20)."""
        left = list(glyphs)
        for glyph in left:
            self.move(glyph, "ordering")
        while left:
            glyph = yield from self.ask(chooser, "order_missions", self.offer(chooser, left))
            left.remove(glyph)
            self.move(glyph, "missions", at_bottom=True)

    def detach(self, card: Card) -> None:
        """It comes off its host, back to its row in its former state."""
        condition = card.condition
        self.move(card, "play")
        card.condition = condition
        self.touch()

    # --- states (§3.2)

    def stop(self, card: Card, is_cost: bool = False) -> Asking:
        """Ready or assigned (or, by text, incapacitated) -> stopped; False if replaced."""
        if not is_cost and (yield from self.is_replaced("stop", card, None)):
            return False
        self.set_condition(card, "stopped")
        return True

    def set_condition(self, card: Card, condition: str) -> None:
        card.condition = condition
        self.touch()
        if condition == "stopped":
            self.fire("becomes_stopped", card)

    def incapacitate(self, card: Card, is_cost: bool = False) -> Asking:
        if not is_cost and (yield from self.is_replaced("incap", card, None)):
            return False
        self.set_condition(card, "incap")
        return True

    def destroy(self, card: Card, source: Card | None, is_cost: bool = False) -> Asking:
        """To the owner's discard pile; False if replaced."""
        if not is_cost and (yield from self.is_replaced("destroy", card, source)):
            return False
        self.note_destroyed(card)
        self.leave(card, "discard")
        return True

    def note_destroyed(self, card: Card) -> None:
        """ON_DESTROYED."""
        if card.zone in IN_PLAY and self.numbers.has_text(card):
            self.fire_own(card, "ON_DESTROYED", is_loose=True)

    # --- replacements (D22)

    def is_replaced(self, name: str, card: Card, source: Card | None) -> Asking:
        """Whether a REPLACE text of some card replaces the event."""
        for text in self.replacements(name, card, source):
            if (yield from self.replace(text)):
                return True
        return False

    def replacements(self, name: str, card: Card, source: Card | None) -> list[Text]:
        """The REPLACE texts that wait for this."""
        found = []
        for owner in self.numbers.working_cards():
            for clause in owner.data.with_head("REPLACE") if owner.data.replaces else ():
                text = Text(owner, clause, self.user_of(owner))
                text.trigger = [card]
                if (
                    self.numbers.works(owner, clause)
                    and any(self._would(text, event, name, card, source) for event in clause.events)
                    and self.holds(text, clause.condition)
                ):
                    found.append(text)
        return sorted(found, key=lambda text: text.card.number)

    def _would(self, text: Text, event: Event, name: str, card: Card, source: Card | None) -> bool:
        if event.name != name or not self.matches(text, event.arguments[0], card):
            return False
        if event.by is None:
            return True
        return (
            source is not None
            and self.controller_of(source) != card.owner
            and self.matches(text, event.by, source)
        )

    def replace(self, text: Text) -> Asking:
        """With MAY it replaces only if its units were carried out in full."""
        assert text.clause is not None
        first: Step = text.clause.effect[0]
        if first.is_may:
            return (yield from self.replace_by_may(text, first))
        for step in text.clause.effect:
            yield from self.run_step(text, step)
        return True

    @abstractmethod
    def run_step(self, text: Text, step: Step) -> Asking:
        """Carry out one step of an effect."""

    @abstractmethod
    def replace_by_may(self, text: Text, step: Step, is_needed: bool = False) -> Asking:
        """D22: whether a MAY was carried out instead of an event."""

    # --- events (§8.5)

    def fire(self, name: str, *details: Any) -> None:
        """An event has happened: the texts that wait for it join the pending set."""
        for card in self.numbers.working_cards():
            if "ON" in card.data.heads or card in self.numbers.granted:
                for clause, granter in self.numbers.clauses_of(card):
                    if clause.head == "ON" and self.numbers.works(card, clause):
                        self._fire_clause(card, clause, granter, name, details)
            self._finish_statics(card, name, details)
        for delay in list(self.delays):
            if delay.moment.event is not None:
                text = delay.text.copy() if delay.is_watch else delay.text
                if self._happened(text, delay.moment.event, name, details):
                    if not delay.is_watch:
                        self.delays.remove(delay)
                    self.pending.append(Pending(text, delay.effect, 0, is_loose=True))

    def _fire_clause(
        self, card: Card, clause: Clause, granter: Card | None, name: str, details: tuple
    ) -> None:
        text = Text(card, clause, self.user_of(card))
        text.granter = granter
        for event in clause.events:
            if self._happened(text, event, name, details) and self.holds(text, clause.condition):
                self.pending.append(Pending(text, clause.effect, card.stay))
                return

    def _finish_statics(self, card: Card, name: str, details: tuple) -> None:
        """STATIC .. UNTIL(event)."""
        for clause in card.data.statics:
            if clause.until is not None:
                text = Text(card, clause, card.owner)
                if self._happened(text, clause.until, name, details):
                    card.finished.add(card.data.clauses.index(clause))
                    self.touch()

    def _happened(self, text: Text, event: Event, name: str, details: tuple) -> bool:
        """Whether this is the event, of the right players and cards; sets `trigger`, `actor`."""
        if event.name != name:
            return False
        arguments = event.arguments
        if name in ("becomes_stopped", "earns_glyph"):
            card = details[0]
        elif name == "enters":
            zone = arguments[0][0]
            if self.seat(text, zone.player) != details[0]:
                return False
            card, arguments = details[1], arguments[1:]
        else:
            if arguments[0] != "any" and self.seat(text, arguments[0]) != details[0]:
                return False
            text.actor = details[0]
            if len(arguments) == 1:
                return True
            card, arguments = details[1], arguments[1:]
            is_complication = len(details) > 2
            if is_complication:
                return all(target.base == "complication" for target in arguments[0][:1]) or any(
                    target.base == "complication" for target in arguments[0]
                )
            if name == "plays" and all(target.base == "complication" for target in arguments[0]):
                return False
        if not self.matches(text, arguments[0], card):
            return False
        text.trigger = [card]
        return True

    def fire_own(
        self, card: Card, *heads: str, text: Text | None = None, is_loose: bool = False
    ) -> None:
        """The texts of a card about itself; `text` carries on what its costs have chosen."""
        for clause, granter in self.numbers.clauses_of(card):
            if clause.head not in heads:
                continue
            if not is_loose and not self.numbers.works(card, clause):
                continue
            mine = Text(card, clause, self.user_of(card)) if text is None else text.copy()
            mine.clause, mine.granter = clause, granter
            if self.holds(mine, clause.condition):
                self.pending.append(Pending(mine, clause.effect, card.stay, is_loose))

    def fire_glyph(self, card: Card, symbol: str, is_new: bool) -> None:
        """ON_GLYPH of the character that earned it, and earns_glyph of others (§9.5)."""
        kinds = {"any", symbol, "new" if is_new else "duplicate"}
        for clause, granter in self.numbers.clauses_of(card):
            if clause.head != "ON_GLYPH" or not kinds & set(clause.letters):
                continue
            text = Text(card, clause, self.user_of(card))
            text.granter, text.earned = granter, symbol
            if self.numbers.works(card, clause) and self.holds(text, clause.condition):
                self.pending.append(Pending(text, clause.effect, card.stay))
        self.fire("earns_glyph", card)

    def fire_time(self, time: str) -> None:
        """A point of time: the texts that name it, and what was delayed to it."""
        for card in (*self.numbers.working_cards(), *self.piles[self.hero, "vscore"]):
            for clause, granter in self.numbers.clauses_of(card):
                if clause.head == time and self.numbers.works(card, clause):
                    text = Text(card, clause, self.user_of(card))
                    text.granter = granter
                    if self.holds(text, clause.condition):
                        self.pending.append(Pending(text, clause.effect, card.stay))
        for delay in list(self.delays):
            if delay.moment.time == time and self._is_its_turn(delay):
                self.delays.remove(delay)
                self.pending.append(Pending(delay.text, delay.effect, 0, is_loose=True))

    def _is_its_turn(self, delay: Delay) -> bool:
        """OFFTURN: a turn in which its owner is active and the role rule would switch it off."""
        if not delay.moment.is_offturn:
            return True
        card = delay.text.card
        return card.owner == (self.villain if card.data.side == "hero" else self.hero)

    # --- the end (§10)

    def victory_total(self, seat: int) -> int:
        """U2, §12: the point values of the team of the player on the left."""
        left = (seat + 1) % self.num_players
        return sum(self.numbers.point_value(card) for card in self.lists[left][:4])

    def check_victory(self) -> None:
        """W1 to W3, the hero player first. Raises GameOver."""
        for step in range(self.num_players):
            seat = (self.hero + step) % self.num_players
            goal = self.victory_total(seat)
            reasons = []
            if self.numbers.glyph_count(seat) >= GLYPHS_TO_WIN:
                reasons.append("glyphs")
            if self.numbers.experience(seat) >= goal:
                reasons.append("experience")
            if sum(self.numbers.score_of(card) for card in self.piles[seat, "vscore"]) >= goal:
                reasons.append("villain_score")
            if reasons:
                self.winner, self.end_reasons = seat, reasons
                raise GameOver
