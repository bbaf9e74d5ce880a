"""The Stargate TCG once more, slowly: a reference to test the fast implementation against.

Written from RULES.md and EFFECTS.md alone. Every rule names the section of RULES.md it implements
(§). The course of the game is a chain of generators that yield whenever a player has to decide.
The fast implementation shares no code with it, only what both must agree on to be comparable: the
random generator with the order of its draws, and the numbers and texts of the actions.

Reading order: `stargate_language` (the card language), `stargate_cards`, `stargate_values` (what
texts speak of), `stargate_numbers` (what follows from a position), `stargate_table` (moves and
events), `stargate_effects` (carrying out texts), then this file: the course of the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .common import ReferenceGame, numbered_actions
from .generator import Generator
from .stargate_cards import IN_PLAY, SKILL_COLUMNS, SKILLS, Card, Pool
from .stargate_effects import COST, Effects
from .stargate_language import Action, Clause, Unit
from .stargate_numbers import Modifier
from .stargate_table import (
    HAND_SIZE,
    MISSION_COUNT,
    TEAM_SIZE,
    Asking,
    Decision,
    GameOver,
    Pending,
)
from .stargate_values import Text

# --- actions ---------------------------------------------------------------------------------

LIST_SIZE = 136
COMPLICATION_SLOTS, OPTIONS, NUMBERS = 32, 8, 24
ACTION_BLOCKS: dict[str, int] = {
    **dict.fromkeys(("pass", "yes", "no", "done"), 1),
    **dict.fromkeys(("play", "assign", "boost", "complicate", "use", "own", "other"), LIST_SIZE),
    "slot": COMPLICATION_SLOTS,
    "option": OPTIONS,
    "number": NUMBERS,
    **dict.fromkeys(("revive", "score", "let_die"), 1),
}
ALL_ACTIONS = numbered_actions(ACTION_BLOCKS)
FIRST_ACTION = {block: ALL_ACTIONS.index((block, 0)) for block in ACTION_BLOCKS}
ACTION_TEXTS = {
    "play": "play {name}",
    "assign": "assign {name}",
    "boost": "boost with {name}",
    "complicate": "complicate with {name}",
    "use": "use {name}",
    "own": "choose {name}",
    "other": "choose their {name}",
    "slot": "choose complication {one}",
    "option": "option {one}",
    "number": "number {offset}",
    "let_die": "let die",
}

BASE_POWER = 3
TAX_ORDER = ("PAY", "STOP", "DESTROY")  # §16.3, D09
MOST_ACTIONS = 200  # §8.5: more at one mission are not allowed

SKILL_NAMES = dict(zip(SKILLS, SKILL_COLUMNS, strict=True))
ZONE_NAMES = {"mission": "current"}
CONDITION_NAMES = {"assigned": "assigned", "stopped": "stopped", "incap": "incapacitated"}


def owned(card: Card) -> str:
    """A card with its owner."""
    return f"{card.owner}:{card.name}"


class Deck:
    """A list (§4): team, missions, deck, each in the order of the pool."""

    def __init__(
        self, team: Sequence[str], missions: Sequence[str], deck: Sequence[str], name: str = ""
    ) -> None:
        self.name = name
        self.sections = (list(team), list(missions), list(deck))


class Game(Effects, ReferenceGame):
    """One game of the Stargate TCG.

    A player is a seat number. `hero` is whose turn it is, `villain` the player on the left of the
    hero, `current_player` who has to decide.
    """

    def __init__(self, pool: Pool, decks: Sequence[Deck], seed: int, max_turns: int = 100) -> None:
        lists = [
            [card for section in deck.sections for card in pool.ordered(section)] for deck in decks
        ]
        self._lay_out(lists, LIST_SIZE)
        self._clear_bookkeeping(len(decks), (card.name for card in self.cards))
        self.deck_names = [deck.name for deck in decks]
        self.generator = Generator.from_seed(seed)
        self.max_turns = max_turns
        self.power = [0] * self.num_players
        self.turns_to_skip = [0] * self.num_players
        self.winner: int | None = None
        self.hero, self.villain = 0, 1
        self.first_player = self.priority = 0
        self.mission: Card | None = None
        self.decision: Decision | None = None
        self.phase = ""
        self._reset_turn()
        self._reset_mission()
        self._course = self._play_game()
        self._go_on(None)

    # --- from outside

    def _go_on(self, action: int | None) -> None:
        try:
            self.decision = self._course.send(action)  # type: ignore[arg-type]
            self.prompt, self.current_player = self.decision.prompt, self.decision.player
        except (GameOver, StopIteration):
            self.decision, self.prompt = None, "over"
            self.name_cards()

    def legal_action_ids(self) -> list[int]:
        return sorted(self.decision.options) if self.decision is not None else []

    def _perform(self, action_id: int) -> None:
        self._go_on(action_id)

    def _play_forced_decisions(self) -> None:
        """`ask` has done it."""

    def action(self, block: str, offset: int = 0) -> int:
        if not 0 <= offset < ACTION_BLOCKS[block]:
            raise ValueError(f"no action {block} {offset}")
        return FIRST_ACTION[block] + offset

    def action_text(self, action_id: int) -> str:
        block, offset = ALL_ACTIONS[action_id]
        seat = self.current_player
        if block == "other":
            seat = self.opponent(seat)
        cards = self.lists[seat]
        name = cards[offset].name if offset < len(cards) else f"place {offset}"
        return ACTION_TEXTS.get(block, block).format(name=name, offset=offset, one=offset + 1)

    def winners(self) -> list[int]:
        return [self.winner] if self.winner is not None else []

    def scores(self) -> list[int]:
        return [int(self.winner == seat) for seat in self._players()]

    # --- the position in words (§16.4)

    def to_json(self) -> dict[str, Any]:
        """The position without the part that only the environment reads."""
        return {
            **self._head_to_json("stargate"),
            "table": self._table_to_json(),
            "numbers": self._numbers_to_json(),
            "turn_count": self.turn_count,
            "decision_count": self.decision_count,
            "end_reasons": list(self.end_reasons),
            "truncated": self.is_truncated,
            "rng": f"0x{self.generator.state:016x}",
        }

    def _table_to_json(self) -> dict[str, Any]:
        successes = {name: self.success_skills.count(skill) for skill, name in SKILL_NAMES.items()}
        return {
            "decks": list(self.deck_names),
            "hero": self.hero,
            "first_player": self.first_player,
            "current_player": self.current_player,
            "priority": self.priority,
            "prompt": self.prompt,
            "passes": self.passes,
            "actions_here": self.action_count,
            "missions_played": self.missions_played,
            "failures": self.fail_count,
            "successes": {name: count for name, count in successes.items() if count},
            "winner": self.winner,
            "complications": [owned(card) for card in self.complications],
            "players": [self._player_to_json(seat) for seat in self._players()],
        }

    def _player_to_json(self, seat: int) -> dict[str, Any]:
        cards = self.lists[seat]
        zones: dict[str, list[str]] = {}
        for card in cards:
            zone = ZONE_NAMES.get(card.zone, card.zone)
            if zone not in ("deck", "missions"):
                zones.setdefault(zone, []).append(card.name)
        for zone in ("deck", "missions"):
            if self.piles[seat, zone]:
                zones[zone] = [card.name for card in reversed(self.piles[seat, zone])]
        return {
            "power": self.power[seat],
            "zones": zones,
            "conditions": {
                card.name: CONDITION_NAMES[card.condition]
                for card in cards
                if card.condition in CONDITION_NAMES
            },
            "hosts": {card.name: owned(card.host) for card in cards if card.host is not None},
            "tokens": {card.name: card.tokens for card in cards if card.tokens},
            "used": {
                card.name: [number + 1 for number in sorted(card.used | card.finished)]
                for card in cards
                if card.used or card.finished
            },
        }

    def _numbers_to_json(self) -> dict[str, Any]:
        numbers, mission = self.numbers, self.mission
        return {
            "victory_totals": [self.victory_total(seat) for seat in self._players()],
            "glyphs": [numbers.glyph_count(seat) for seat in self._players()],
            "experience": [numbers.experience(seat) for seat in self._players()],
            "villain_scores": [
                sum(numbers.score_of(card) for card in self.piles[seat, "vscore"])
                for seat in self._players()
            ],
            "required_skill": SKILL_NAMES[numbers.skill] if mission else None,
            "difficulty": numbers.total_difficulty() if mission else None,
            "hero_total": numbers.hero_total() if mission else None,
            "ratings": {
                owned(card): {
                    name: rating
                    for name, rating in zip(
                        SKILL_NAMES.values(), numbers.ratings_of(card), strict=True
                    )
                    if rating is not None
                }
                for card in numbers.face_up
                if any(rating is not None for rating in numbers.ratings_of(card))
            },
            "blocked": [owned(card) for card in self.in_play if numbers.is_blocked(card)],
            "costs": {
                owned(card): numbers.play_cost(card)
                for seat in sorted((self.hero, self.villain))
                for card in sorted(self.piles[seat, "hand"], key=lambda one: one.number)
                if card.data.has_cost and self._has_role(seat, card)
            },
        }

    # --- §5 set-up

    def _play_game(self) -> Asking:
        for seat in self._players():
            cards = self.lists[seat]
            for card in cards[:TEAM_SIZE]:
                self.enter_play(card, "play")
            for card in cards[TEAM_SIZE : TEAM_SIZE + MISSION_COUNT]:
                self.move(card, "missions")
            for card in cards[TEAM_SIZE + MISSION_COUNT :]:
                self.move(card, "deck")
            self.shuffle(self.piles[seat, "missions"])
            self.shuffle(self.piles[seat, "deck"])
        self._set_hero(self._first_player())
        self.first_player = self.hero
        yield from self._stop_team_cards()
        for seat in self._players():
            self.draw(seat, HAND_SIZE)
        for step in self._players():
            yield from self._mulligan((self.hero + step) % self.num_players)
        while not self.is_truncated:
            yield from self._turn()

    def _first_player(self) -> int:
        """U3: the highest victory total; a tie is decided by chance."""
        totals = [self.victory_total(seat) for seat in self._players()]
        tied = [seat for seat in self._players() if totals[seat] == max(totals)]
        return tied[self.generator.randbelow(len(tied))] if len(tied) > 1 else tied[0]

    def _set_hero(self, seat: int) -> None:
        self.hero, self.villain = seat, (seat + 1) % self.num_players
        self.touch()

    def _stop_team_cards(self) -> Asking:
        """U4; §12: with more than two players also one of the second, chosen by himself."""
        team = self.lists[self.hero][:TEAM_SIZE]
        card = yield from self.ask(self.villain, "team_stop", self.offer(self.villain, team))
        card.condition = "stopped"
        if self.num_players > 2:
            team = self.lists[self.villain][:TEAM_SIZE]
            card = yield from self.ask(self.villain, "team_stop", self.offer(self.villain, team))
            card.condition = "stopped"
        self.touch()

    def _mulligan(self, seat: int) -> Asking:
        """U6, U7: once, the whole hand."""
        if (yield from self.ask_yes(seat, "mulligan")):
            for card in sorted(self.piles[seat, "hand"], key=lambda card: card.number):
                self.move(card, "deck")
            self.shuffle(self.piles[seat, "deck"])
            self.draw(seat, HAND_SIZE)

    # --- §7 a turn

    def _reset_turn(self) -> None:
        self.fail_count = 0
        self.success_skills: list[str] = []
        self.missions_played = 0
        self.played_this_turn: list[Card] = []

    def _reset_mission(self) -> None:
        self.has_failed = self.has_succeeded = False
        self.assigned_at_resolution: list[Card] = []
        self.forced_continue = False
        self.action_count = self.passes = 0
        self.priority = self.hero

    def _turn(self) -> Asking:
        self._recover()
        self._reset_turn()
        yield from self._power_phase()
        yield from self._missions()
        yield from self._debrief()
        self._end_turn()

    def _recover(self) -> None:
        """§3.2: incapacitated cards of the active players become stopped."""
        self.phase = "turn_start"
        for card in self.cards:
            card.used = set()
            side_owner = self.hero if card.data.side == "hero" else self.villain
            if card.condition == "incap" and card.owner == side_owner:
                self.set_condition(card, "stopped")
        self.touch()

    def _power_phase(self) -> Asking:
        self.phase = "power"
        self.fire_time("POWER_START")
        yield from self.settle()
        amount = BASE_POWER + self.numbers.glyph_count(self.hero)
        self.power[self.hero] = self.power[self.villain] = amount
        self.touch()
        self.fire_time("POWER_END")
        yield from self.settle()

    def _missions(self) -> Asking:
        """§7 MISSION_PLAY .. CONTINUE."""
        while self.piles[self.hero, "missions"]:
            yield from self._play_mission()
            yield from self._actions()
            yield from self._resolve()
            if not (yield from self._continues()):
                return

    def _play_mission(self) -> Asking:
        self.phase = "mission_play"
        self.fire("about_to_play", self.hero, self.piles[self.hero, "missions"][-1])
        yield from self.settle()
        self._reset_mission()
        mission = self.piles[self.hero, "missions"][-1]
        self.mission = mission
        self.move(mission, "mission")
        self.missions_played += 1
        for amount in self.next_mission_changes:
            self.modifiers.append(Modifier("DIFF", mission, "", amount, "mission"))
        self.next_mission_changes = []
        self.touch()
        self.fire_own(mission, "ON_PLAY")
        self.fire("plays", self.hero, mission)
        yield from self.settle()

    # --- §8 actions

    def _actions(self) -> Asking:
        self.phase = "actions"
        self.priority = self.hero
        for text, action, _ in self.numbers.statics.get("FIRST_PRIORITY", ()):
            self.priority = self.seat(text, action.player)
        while self.passes < 2:
            player = self.priority
            deed = yield from self.ask(player, "main", self._main_actions(player), must_ask=True)
            if deed is None:
                self.passes += 1
                self.fire("passes", player)
            else:
                self.passes = 0
                self.action_count += 1
                yield from deed()
            self.check_victory()
            yield from self.settle()
            self.priority = self.opponent(player)

    def _main_actions(self, player: int) -> dict[int, Any]:
        self.name_cards()
        options: dict[int, Any] = {self.action("pass"): None}
        if self.action_count >= MOST_ACTIONS or self.numbers.forbids("acts", player, None):
            return options
        hand = self._one_of_each(self.piles[player, "hand"])
        for card in hand:
            if self._has_role(player, card) and self.can_play(
                player, card, self.numbers.play_cost(card)
            ):
                options[self.action("play", card.place)] = self._playing(player, card)
            if self._boosted_by(player, card):
                options[self.action("boost", card.place)] = self._boosting(player, card)
        if self.numbers.complication_cost() <= self.power[player] and player == self.villain:
            for card in hand:
                options[self.action("complicate", card.place)] = self._complicating(player, card)
        for card in self.numbers.face_up:
            if self.controller_of(card) == player and self._can_assign(player, card):
                named = self._named_for(player, card)
                options[self.action("assign", named.place)] = self._assigning(player, card)
        for card in self.numbers.face_up:
            if card.owner == player:
                uses = self._uses(player, card)
                if uses:
                    options[self.action("use", card.place)] = self._using(player, uses)
        return options

    def _named_for(self, player: int, card: Card) -> Card:
        """§16.3: an adversary of another list is named by what is attached to it (BS-228)."""
        return card if card.owner == player else self.numbers.becomings[card].source

    def _one_of_each(self, cards: list[Card]) -> list[Card]:
        """Of alike cards the first (§16.3)."""
        found: dict[str, Card] = {}
        for card in sorted(cards, key=lambda card: card.number):
            found.setdefault(card.data.card_id, card)
        return list(found.values())

    def _has_role(self, player: int, card: Card) -> bool:
        return card.data.side == ("hero" if player == self.hero else "villain")

    # --- playing a card (§8.1, §8.2)

    def can_play(self, player: int, card: Card, cost: int, ignore_unique: bool = False) -> bool:
        types = card.data.types
        if types & {"team", "mission"} or not self._has_role(player, card):
            return False
        if not ignore_unique and self._is_taken(player, card):
            return False
        if "obstacle" in types and (
            self.mission is None or self.rating(card, self.numbers.skill) is None
        ):
            return False
        if cost > self.power[player] or self.numbers.forbids("plays", player, card):
            return False
        return self._conditions_hold(card) and self._play_costs_payable(player, card, cost)

    def _is_taken(self, player: int, card: Card) -> bool:
        """No character (adversary, unique ship) of the same title of this player in play."""
        types = card.data.types
        if "ship" in types:
            kinds = {"ship"}
        elif "character" in types:
            kinds = {"character"}
        elif "adversary" in types:
            kinds = {"adversary"}
        else:
            return False
        if not card.data.is_unique:
            return False
        return any(
            other.data.title == card.data.title
            and self.controller_of(other) == player
            and bool(self.types_of(other) & kinds)
            for other in self.numbers.face_up
        )

    def _conditions_hold(self, card: Card) -> bool:
        return all(
            self.holds(Text(card, clause, card.owner), clause.condition)
            for clause in card.data.with_head("PLAY_IF")
        )

    def _play_text(self, player: int, card: Card) -> Text:
        return Text(card, None, player)

    def _play_costs(self, text: Text) -> list[tuple[Text, Unit]]:
        return [
            (text, unit)
            for clause in text.card.data.with_head("PLAY_COST")
            if self.holds(text, clause.condition)
            for unit in clause.cost
        ]

    def _play_costs_payable(self, player: int, card: Card, cost: int) -> bool:
        if "PLAY_COST" not in card.data.heads:
            return True
        costs = self._play_costs(self._play_text(player, card))
        zone, card.zone = card.zone, "tried"
        self.piles[player, zone].remove(card) if zone == "hand" else None
        self.power[player] -= cost
        found = self.can_pay_all(costs)
        self.power[player] += cost
        if zone == "hand":
            self.piles[player, zone].append(card)
        card.zone = zone
        return found

    def _playing(self, player: int, card: Card) -> Any:
        return lambda: self.play_card(player, card, self.numbers.play_cost(card))

    def play_card(self, player: int, card: Card, cost: int) -> Asking:
        """Pay everything, put it where it belongs, raise what that raises."""
        text = self._play_text(player, card)
        self.move(card, "resolving")
        self.power[player] -= cost
        self.touch()
        yield from self._pay_units(self._play_costs(text))
        types = card.data.types
        if "obstacle" in types:
            self.enter_play(card, "at_mission")
        elif "event" not in types:
            self.enter_play(card, "play")
        self.played_this_turn.append(card)
        if "event" in types:
            self.fire("plays", player, card)
            yield from self._do_event(card, text)
        else:
            self.fire_own(card, "ON_PLAY", text=text)
            self.fire("plays", player, card)

    def _do_event(self, card: Card, text: Text) -> Asking:
        """§8.1: its text is carried out, then it goes to the discard pile."""
        for clause in card.data.with_head("ON_PLAY"):
            text.clause = clause
            if self.holds(text, clause.condition):
                yield from self.run_effect(text, clause.effect)
                self.check_victory()
        self.put(card, "discard")

    def _pay_units(self, costs: list[tuple[Text, Unit]]) -> Asking:
        for number, (text, unit) in enumerate(costs):
            yield from self.run_unit(text, unit, COST, tuple(costs[number + 1 :]))

    def after_text(self, item: Pending) -> Asking:
        """What lay beneath a scored card goes to the discard pile after its texts (§16.3)."""
        card = item.text.card
        if card.zone == "vscore" and not any(one.text.card is card for one in self.pending):
            self.drop_tucked(card)
        return
        yield

    # --- assigning

    def _can_assign(self, player: int, card: Card) -> bool:
        types = self.types_of(card)
        if card.condition != "ready" or self.numbers.is_blocked(card):
            return False
        if "ship" not in types:
            if not types & {"character", "adversary"}:
                return False
            if "character" in types and not self.has_required_rating(card):
                return False
            if "adversary" in types and not self._adversary_may_go(card):
                return False
        return self.can_pay_all(self._assign_costs(player, card))

    def _adversary_may_go(self, card: Card) -> bool:
        """§8.2: a rating in the required skill, and no other adversary assigned."""
        becoming = self.numbers.becomings.get(card)
        if becoming is not None and "no_assign" in becoming.options:
            return False
        if any(other.condition == "assigned" for other in self.numbers.lists["adversary"]):
            return False
        return self.rating(card, self.numbers.skill) is not None

    def _assign_costs(self, player: int, card: Card) -> list[tuple[Text, Unit]]:
        costs: list[tuple[Text, Unit]] = []
        for clause in card.data.with_head("ASSIGN_COST"):
            text = Text(card, clause, player)
            if self.numbers.works(card, clause) and self.holds(text, clause.condition):
                costs += [(text, unit) for unit in clause.cost]
        taxes: list[tuple[Text, Action]] = []
        for tax, action, _ in self.numbers.statics.get("ASSIGN_TAX", ()):
            if card in self.cards_of(tax, action.targets):
                text = Text(tax.card, tax.clause, player)
                text.each = card
                units: tuple[Action, ...] = action.body  # type: ignore[assignment]
                taxes += [(text, unit) for unit in units]
        return [*costs, *sorted(taxes, key=lambda tax: TAX_ORDER.index(tax[1].verb))]

    def _assigning(self, player: int, card: Card) -> Any:
        def deed() -> Asking:
            yield from self._pay_units(self._assign_costs(player, card))
            card.condition = "assigned"
            self.touch()
            self.fire_own(card, "ON_ASSIGN")
            self.fire("assigns", player, card)

        return deed

    # --- boosting

    def _boosted_by(self, player: int, card: Card) -> list[Card]:
        """The assigned cards that discarding this card would boost."""
        types = card.data.types
        if types & {"character"} and player == self.hero:
            found = self.numbers.lists["char"]
        elif "adversary" in types and player == self.villain:
            found = self.numbers.lists["adversary"]
        elif "ship" in types and self._has_role(player, card):
            found = [ship for ship in self.numbers.lists["ship"] if ship.owner == player]
        else:
            return []
        return [
            other
            for other in found
            if other.condition == "assigned"
            and (other.data.title == card.data.title or self._is_allowed_boost(other, card))
        ]

    def _is_allowed_boost(self, boosted: Card, card: Card) -> bool:
        """ALLOW_BOOST (SL-149)."""
        for text, action, _ in self.numbers.statics.get("ALLOW_BOOST", ()):
            if boosted in self.cards_of(text, action.targets):
                text.each = boosted
                if self.matches(text, action.options["with"], card):  # type: ignore[arg-type]
                    return True
        return False

    def _boosting(self, player: int, card: Card) -> Any:
        def deed() -> Asking:
            boosted = self._boosted_by(player, card)
            chosen = yield from self.ask(player, "boost", self.offer(player, boosted))
            self.put(card, "discard")
            types = self.types_of(chosen)
            verb = "FIREPOWER" if "ship" in types else "SKILLS"
            self.modifiers.append(Modifier(verb, chosen, "+", 1, "mission"))
            self.touch()
            self.fire("boosts", player, chosen)

        return deed

    # --- complications

    def _complicating(self, player: int, card: Card) -> Any:
        def deed() -> Asking:
            self.power[player] -= self.numbers.complication_cost()
            self.place_complication(player, card)
            return
            yield

        return deed

    def place_complication(self, player: int, card: Card) -> None:
        self.move(card, "complication")
        self.fire("plays", player, card, True)

    # --- abilities (§8.3)

    def _uses(self, player: int, card: Card) -> dict[int, tuple[Card, Clause, Card | None]]:
        """Number among the abilities of the card -> those that may be used now.

        Open abilities of what others have attached to it come after its own (§16.3).
        """
        attached = [
            other
            for other in sorted(card.beneath, key=lambda one: one.number)
            if other.zone == "attached" and other.owner != player
        ]
        abilities = [
            (owner, clause, granter)
            for owner in (card, *attached)
            for clause, granter in self.numbers.clauses_of(owner)
            if clause.head in ("ACT", "withdraw")
        ]
        return {
            number: (owner, clause, granter)
            for number, (owner, clause, granter) in enumerate(abilities)
            if self._can_use(player, owner, clause)
        }

    def _can_use(self, player: int, card: Card, clause: Clause) -> bool:
        user = self.controller_of(card)
        if clause.users == "host_owner" and card.host is not None:
            user = card.host.owner
        if clause.users != "any" and user != player:
            return False
        if not self.numbers.works(card, clause):
            return False
        if clause.once_per_turn and card.data.clauses.index(clause) in card.used:
            return False
        text = Text(card, clause, player)
        if not self.holds(text, clause.condition):
            return False
        return self.can_pay(text, clause.cost, COST)

    def _using(self, player: int, uses: dict[int, tuple[Card, Clause, Card | None]]) -> Any:
        def deed() -> Asking:
            options = {self.action("option", number): use for number, use in uses.items()}
            card, clause, granter = yield from self.ask(player, "ability", options)
            if clause.once_per_turn:
                card.used.add(card.data.clauses.index(clause))
            text = Text(card, clause, player)
            text.granter = granter
            if clause.head == "withdraw":
                amount = self.value(text, clause.value)
                yield from self.destroy(card, None, is_cost=True)
                self.power[player] += amount
                self.touch()
                return
            yield from self._pay_units([(text, unit) for unit in clause.cost])
            yield from self.run_effect(text, clause.effect)

        return deed

    # --- §9 resolving a mission

    def _resolve(self) -> Asking:
        assert self.mission is not None
        self.phase = "res_ships"
        yield from self._battle()
        self.phase = "res_result"
        succeeded = self._judge()
        self.phase = "res_text"
        self.fire("succeeds" if succeeded else "fails", self.hero)
        yield from self.settle()
        yield from self._result_texts(succeeded)
        self.phase = "res_stop"
        yield from self._stop_assigned()
        self.phase = "res_adversary"
        yield from self._adversaries(succeeded)
        yield from self._clean_up()
        self.phase = "res_glyph"
        yield from self._earn_glyph(succeeded)
        self.phase = "mission_end"
        yield from self._end_mission()

    def _battle(self) -> Asking:
        """§9.1."""
        ships = [card for card in self.numbers.lists["ship"] if card.condition == "assigned"]
        if not ships:
            return
        owners = {card.owner for card in ships}
        totals = [self.numbers.total_firepower(seat) for seat in (self.hero, self.villain)]
        if len(owners) == 2 and totals[0] == totals[1]:
            return
        if len(owners) == 1:
            winner = owners.pop()
        else:
            winner = self.hero if totals[0] > totals[1] else self.villain
        losers = [card for card in ships if card.owner != winner]
        if losers:
            options = {self.action("no"): None, **self.offer(winner, losers)}
            ship = yield from self.ask(winner, "ship", options)
            if ship is not None:
                yield from self.incapacitate(ship)
                yield from self.settle()
        yield from self._use_texts(winner, self._assigned_of(winner), ("ON_VICTORY",))

    def _assigned_of(self, seat: int) -> list[Card]:
        return [
            card
            for card in self.numbers.face_up
            if card.condition == "assigned" and self.controller_of(card) == seat
        ]

    def _judge(self) -> bool:
        """§9.2."""
        assert self.mission is not None
        succeeded = self.numbers.hero_total() >= self.numbers.total_difficulty()
        self.assigned_at_resolution = [
            card for card in self.numbers.lists["char"] if card.condition == "assigned"
        ]
        if succeeded:
            self.has_succeeded = True
            self.success_skills.append(self.numbers.skill)
        else:
            self.has_failed = True
            self.fail_count += 1
        self.touch()
        return succeeded

    def _result_texts(self, succeeded: bool) -> Asking:
        """§9.3."""
        heads = ("ON_SUCCESS" if succeeded else "ON_FAIL", "ON_SUCCESS_OR_FAIL")
        assert self.mission is not None
        yield from self._use_texts(self.hero, [self.mission, *self._assigned_of(self.hero)], heads)
        obstacles = [card for card in self.numbers.lists["obstacle"] if card.zone == "at_mission"]
        yield from self._use_texts(
            self.villain, [*obstacles, *self._assigned_of(self.villain)], heads
        )

    def _use_texts(self, player: int, cards: list[Card], heads: tuple[str, ...]) -> Asking:
        """All matching texts of these cards in the player's order; those of a card as written."""
        waiting = [
            (card, clause, granter)
            for card in sorted(cards, key=lambda one: one.number)
            for clause, granter in self.numbers.clauses_of(card)
            if clause.head in heads and self.numbers.works(card, clause)
            if not (card in self.stripped and heads[0] == "ON_FAIL")
            for _ in range(self._times(card, heads[0]))
        ]
        while waiting:
            options = self.offer(player, {card for card, _, _ in waiting})
            card = yield from self.ask(player, "order_texts", options)
            item = next(one for one in waiting if one[0] is card)
            waiting.remove(item)
            if self._is_there(card) and self.numbers.works(card, item[1]):
                yield from self._use_text(player, *item, heads[0])
                yield from self.settle()

    def _times(self, card: Card, head: str) -> int:
        """REPEAT_FAIL, REPEAT_SUCCESS: each text that many extra times."""
        verb = {"ON_FAIL": "REPEAT_FAIL", "ON_SUCCESS": "REPEAT_SUCCESS"}.get(head, "")
        times = 1
        for text, action, _ in self.numbers.statics.get(verb, ()):
            if card in self.cards_of(text, action.targets):
                assert action.value is not None
                times += self.amount(text, action.sign, action.value)
        return times

    def _is_there(self, card: Card) -> bool:
        return card.zone == "mission" or self.is_at_mission(card)

    def _use_text(
        self, player: int, card: Card, clause: Clause, granter: Card | None, head: str
    ) -> Asking:
        text = Text(card, clause, player)
        text.granter = granter
        if not self.holds(text, clause.condition):
            return
        if head == "ON_FAIL" and not (yield from self._wants_failure_text(player, card)):
            return
        yield from self.run_effect(text, clause.effect)

    def _wants_failure_text(self, player: int, card: Card) -> Asking:
        """FAIL_OPTIONAL, FAIL_TAX (BS-146)."""
        statics = self.numbers.statics
        taxes = [
            (text, unit)
            for text, action, _ in statics.get("FAIL_TAX", ())
            if card in self.cards_of(text, action.targets)
            for unit in action.body  # type: ignore[attr-defined]
        ]
        costs = [(Text(text.card, text.clause, player), unit) for text, unit in taxes]
        if not self.can_pay_all(costs):
            return False
        is_optional = any(
            card in self.cards_of(text, action.targets)
            for text, action, _ in statics.get("FAIL_OPTIONAL", ())
        )
        if (is_optional or costs) and not (yield from self.ask_yes(player, "may")):
            return False
        yield from self._pay_units(costs)
        return True

    def _stop_assigned(self) -> Asking:
        """§9.3 step 4."""
        for card in list(self.numbers.face_up):
            if card.condition == "assigned" and self.types_of(card) & {"character", "ship"}:
                yield from self.stop(card)
        yield from self.settle()

    # --- §9.4 adversaries

    def _adversaries(self, succeeded: bool) -> Asking:
        """One after the other (§16.3)."""
        while True:
            assigned = [
                card for card in self.numbers.lists["adversary"] if card.condition == "assigned"
            ]
            if not assigned:
                return
            yield from self._fate(assigned[0], succeeded)
            yield from self.settle()

    def _fate(self, card: Card, succeeded: bool) -> Asking:
        options: dict[int, Any] = {}
        cost = self.numbers.revive_of(card)
        if not self.numbers.forbids_revive(card) and self._can_revive(card, cost):
            options[self.action("revive")] = "revive"
        if not succeeded and not self.numbers.forbids_scoring(card):
            options[self.action("score")] = "score"
        options[self.action("let_die")] = "let_die"
        fate = yield from self.ask(self.villain, "fate", options)
        if fate == "revive":
            yield from self._revive(card, cost)
        elif fate == "score":
            yield from self.score(card, is_fate=True)
        else:
            destroyed = yield from self.destroy(card, None)
            if not destroyed and card.condition == "assigned":
                self.set_condition(card, "stopped")
        self.check_victory()

    def _revive(self, card: Card, cost: int) -> Asking:
        is_needed = self.revive_cards(card) < cost
        for text in self.replacements("pay_revive", card, None):
            assert text.clause is not None
            step = text.clause.effect[0]
            if (yield from self.replace_by_may(text, step, is_needed)):
                return
        yield from self.pay_revive(card, cost)
        self.revived(card)

    def revive_cards(self, card: Card) -> int:
        """The cards with which a revive cost can be paid."""
        available = len(self.piles[self.villain, "deck"])
        for text in self.replacements("mill_for_revive", card, None):
            assert text.clause is not None
            if text.clause.effect[0].is_may:
                available += len(self.piles[self.villain, "hand"])
                break
        return available

    def _can_revive(self, card: Card, cost: int) -> bool:
        if self.revive_cards(card) >= cost:
            return True
        return any(
            self.can_pay(text, text.clause.effect[0].units, COST)
            for text in self.replacements("pay_revive", card, None)
            if text.clause is not None
        )

    def pay_revive(self, card: Card, cost: int) -> Asking:
        """The top cards of V's deck; each may be replaced (BS-022, RO-013)."""
        deck = self.piles[self.villain, "deck"]
        for _ in range(cost):
            replaced = False
            is_needed = not deck
            for text in self.replacements("mill_for_revive", card, None):
                assert text.clause is not None
                text.trigger = deck[-1:]
                step = text.clause.effect[0]
                if step.is_may:
                    replaced = yield from self.replace_by_may(text, step, is_needed)
                else:
                    replaced = yield from self.replace(text)
                if replaced:
                    break
            if not replaced and deck:
                self.put(deck[-1], "discard")

    def score(self, card: Card, is_fate: bool = False) -> Asking:
        """To the score pile; one obstacle with dominion may follow (D15)."""
        with_dominion = [
            other for other in self.numbers.lists["obstacle"] if self._has_dominion(other)
        ]
        self.fire_own(card, "ON_SCORE", is_loose=True)
        self.leave(card, "vscore")
        self.check_victory()
        if not any(one.text.card is card for one in self.pending):
            self.drop_tucked(card)
        if is_fate:
            yield from self.settle()
        candidates = [other for other in with_dominion if other.zone == "at_mission"]
        if candidates:
            options = {self.action("no"): None, **self.offer(self.villain, candidates)}
            chosen = yield from self.ask(self.villain, "dominion", options)
            if chosen is not None:
                self.leave(chosen, "vscore")
                self.check_victory()

    def _has_dominion(self, card: Card) -> bool:
        """Read while the adversary is still assigned (SL-255)."""
        return any(clause.head == "dominion" for clause, _ in self.numbers.clauses_of(card))

    def _clean_up(self) -> Asking:
        """§9.4: all obstacles and complications at the mission are destroyed."""
        obstacles = [c for c in self.numbers.lists["obstacle"] if c.zone == "at_mission"]
        for card in sorted([*obstacles, *self.complications], key=lambda one: one.number):
            if card.zone in ("at_mission", "complication"):
                yield from self.destroy(card, None)
        yield from self.settle()

    # --- §9.5 the glyph

    def _earn_glyph(self, succeeded: bool) -> Asking:
        mission = self.mission
        assert mission is not None
        if mission.zone != "mission":
            return
        characters = [card for card in self.assigned_at_resolution if card.zone in IN_PLAY]
        if not succeeded or not characters:
            self.move(mission, "failed")
            return
        options = self.offer(self.hero, characters)
        card = yield from self.ask(self.hero, "recipient", options)
        is_new = mission.data.glyph not in self.symbols_of(card)
        self.move(mission, "glyph", host=card)
        self.check_victory()
        self.fire_glyph(card, mission.data.glyph, is_new)
        yield from self.settle()

    def _end_mission(self) -> Asking:
        """END_MISSION, then what lasts until then expires, and the mission's text is off."""
        self.fire_time("END_MISSION")
        yield from self.settle()
        self._expire("mission")
        if self.mission is not None:
            self.mission.marks, self.mission.mark_made = [], False
        self.mission = None
        self.touch()
        self.check_victory()

    def _expire(self, until: str) -> None:
        self.modifiers = [one for one in self.modifiers if one.until != until]
        self.blocks = [one for one in self.blocks if one.until != until]
        self.rules = [one for one in self.rules if one.until != until]
        self.grants = [one for one in self.grants if one.until != until]
        self.delays = [one for one in self.delays if one.until != until]
        if until == "mission":
            for card in self.cards:
                card.marks = [mark for mark in card.marks if not mark.ends_with_mission]
        self.touch()

    # --- §9.6 continuing

    def _continues(self) -> Asking:
        self.phase = "continue"
        forced = self.forced_continue
        self.fire_time("CONTINUE")
        yield from self.settle()
        if not self.may_continue():
            return False
        if forced:
            return True
        cost = self.fail_count + self.numbers.continue_surcharge()
        if cost > self.power[self.hero]:
            return False
        if not (yield from self.ask_yes(self.hero, "continue")):
            return False
        self.power[self.hero] -= cost
        self.power[self.villain] += self.fail_count
        self.touch()
        return True

    def may_continue(self) -> bool:
        """The pile is not empty, and no text forbids it."""
        pile = self.piles[self.hero, "missions"]
        return bool(pile) and not self.numbers.forbids("plays", self.hero, pile[-1])

    # --- the debrief

    def _debrief(self) -> Asking:
        self.phase = "debrief"
        self.next_mission_changes = []
        self.fire_time("DEBRIEF_START")
        yield from self.settle()
        for card in self.numbers.face_up:
            if card.condition == "stopped":
                card.condition = "ready"
        self.touch()
        yield from self.glyphs_to_bottom(self.failed_missions, self.hero)
        for seat in (self.hero, self.villain):
            yield from self._fill_hand(seat)
        self.fire_time("END_TURN")
        yield from self.settle()

    def _fill_hand(self, seat: int) -> Asking:
        hand = self.piles[seat, "hand"]
        self.draw(seat, HAND_SIZE - len(hand))
        while len(hand) > HAND_SIZE:
            card = yield from self.ask(seat, "discard", self.offer(seat, hand))
            self.put(card, "discard")
            yield from self.settle()

    def _end_turn(self) -> None:
        self._expire("turn")
        self.power = [0] * self.num_players
        self.turn_count += 1
        if self.turn_count >= self.max_turns:  # nobody becomes the hero any more
            self.is_truncated = True
            return
        self._set_hero((self.hero + 1) % self.num_players)
        while self.turns_to_skip[self.hero]:  # SL-281: nothing of that turn happens
            self.turns_to_skip[self.hero] -= 1
            self._set_hero((self.hero + 1) % self.num_players)
        self.check_victory()
