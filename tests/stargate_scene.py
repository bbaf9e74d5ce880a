"""The table of a scenario: lays it out, takes actions, compares with what is expected.

Hero and villain are the players who are so in the first turn of the scenario (seats 0 and 1), also
in the turns that follow.
"""

from collections.abc import Mapping
from typing import Any, Final

from stargate_layout import CONDITIONS, Item, Layout, rules_of
from stargate_positions import ruleset_of
from stargate_scenarios import PLAYERS, Case

from stargate_env import rules
from stargate_env.components import Card
from stargate_env.derived import refresh
from stargate_env.legal import legal_actions
from stargate_env.machine import add_modifier
from stargate_env.notation import action_to_string
from stargate_env.state import (
    ACTIONS,
    ASK_NOTHING,
    AT_MISSION,
    ATTACHED,
    BLOCKADED,
    COMPLICATION,
    DECK,
    DISCARD,
    ERRORS,
    FAILED,
    FIRST_DECK_CARD,
    FIRST_MISSION,
    GLYPH,
    HAND,
    LASTS_FOREVER,
    MISSION_PLAY,
    MISSIONS,
    NOWHERE,
    PLAY,
    PROMPTS,
    SEAT_STRIDE,
    STALE,
    STATE,
    TUCKED,
    TURN_START,
    VSCORE,
)
from stargate_env.table import (
    count_glyphs,
    point_total,
    push_deck,
    push_mission,
    put,
)
from stargate_env.words import BLOCK
from tabletop_core.game import allocate
from tabletop_core.rng import seed_to_word

SEED: Final = 1
BASE_POWER: Final = 3
MAX_QUESTIONS: Final = 50
MAX_ANSWERS: Final = 1000
PLACES: Final = {
    "hand": HAND,
    "deck": DECK,
    "missions": MISSIONS,
    "play": PLAY,
    "discard": DISCARD,
    "score": VSCORE,
    "failed": FAILED,
    "at mission": AT_MISSION,
    "complications": COMPLICATION,
}


class Scene:
    """The table of a case; `replaced` cards stand for those of the same id."""

    def __init__(self, case: Case, replaced: Mapping[str, Card]) -> None:
        self.layout = Layout([line for line in case.lines if line.kind not in ("action", "fact")])
        self.rules, self.tables = rules_of(self.layout, replaced)
        self.state = allocate(STATE, 1)
        self.r, self.s = self.rules[0], self.state[0]
        self.names = {
            seat * SEAT_STRIDE + place: card.card_id
            for seat in (0, 1)
            for place, card in enumerate(self.tables.lists[seat])
        }
        self._unplaced = dict(self.names)
        self._lay_out()
        self._begin()

    # --- laying out

    def _lay_out(self) -> None:
        self.s.rng = seed_to_word(SEED)
        rules.new_game(self.r, self.s)
        self.s.prompt = ASK_NOTHING
        self.s.deck_size[:] = 0
        self.s.missions_size[:] = 0
        for number in self.names:
            if number % SEAT_STRIDE >= FIRST_MISSION:
                put(self.s, number, NOWHERE)
        piles = [self._place_all(seat) for seat in (0, 1)]
        for seat in (0, 1):
            self._stack(seat, piles[seat])

    def _place_all(self, seat: int) -> Mapping[str, list[int]]:
        """Put the cards of the set-up where it says; those of piles are returned, from the top."""
        piles: dict[str, list[int]] = {"deck": [], "missions": []}
        for item in self.layout.items[seat]:
            card = self._take(seat, item.name, self.layout.is_team(item))
            if item.zone in piles:
                piles[item.zone].append(card)
            else:
                self._place(seat, card, item)
        return piles

    def _take(self, seat: int, name: str, in_team: bool = False) -> int:
        """The number of the next card of that name that has no place yet."""
        for number, other in self._unplaced.items():
            is_fitting = number // SEAT_STRIDE == seat and other == name
            if is_fitting and (number % SEAT_STRIDE < FIRST_MISSION) == in_team:
                del self._unplaced[number]
                return number
        raise KeyError(name)

    def _place(self, seat: int, card: int, item: Item) -> None:
        s = self.s
        put(s, card, PLACES[item.zone])
        s.condition[card] = CONDITIONS.index(item.condition)
        s.tokens[card] = item.tokens
        for name in item.glyphs:
            self._put_beneath(self._take(seat, name), card, GLYPH)
        for name in item.over:
            self._put_beneath(self._take(seat, name), card, TUCKED)
        if item.on:
            self._put_beneath(card, self.number_of(item.on), ATTACHED)
        if item.blockaded:
            self._put_beneath(self._take(1 - seat, item.blockaded), card, BLOCKADED)
        if item.is_blocked:
            add_modifier(s, BLOCK, 0, LASTS_FOREVER, 0, card, card)
        if item.zone == "complications":
            s.complications[s.complication_count] = card
            s.complication_count += 1
        elif item.zone == "failed":
            s.fail_turn += 1
            s.missions_played += 1

    def _put_beneath(self, card: int, host: int, zone: int) -> None:
        put(self.s, card, zone)
        self.s.host[card] = host

    def _stack(self, seat: int, piles: Mapping[str, list[int]]) -> None:
        """The piles: what is named on top, what else the list has below, unless it is `only`."""
        for zone, numbers in piles.items():
            below = [
                number
                for number in self._unplaced
                if number // SEAT_STRIDE == seat
                and number % SEAT_STRIDE >= FIRST_MISSION
                and (number % SEAT_STRIDE < FIRST_DECK_CARD) == (zone == "missions")
            ]
            if (seat, zone) in self.layout.only:
                below = []
            for number in (*below, *reversed(numbers)):
                if zone == "missions":
                    push_mission(self.s, number, True)
                else:
                    push_deck(self.s, number)

    def _begin(self) -> None:
        s = self.s
        s.hero = 0
        s.first_player = 0
        for seat in (0, 1):
            s.victory_total[seat] = point_total(self.r, s, 1 - seat)
        for skill in self.layout.succeeded:
            s.success_turn[skill] += 1
            s.missions_played += 1
        if self.layout.is_from_turn_start:
            s.phase = TURN_START
        else:
            s.phase = MISSION_PLAY
            power = self.layout.power or [BASE_POWER + count_glyphs(s, 0)] * 2
            s.power[:] = power
        s.just_discarded[:] = 0  # laid out, not discarded
        s.is_stale = STALE
        rules.run(self.r, s)
        self._settle()

    # --- playing

    @property
    def is_over(self) -> bool:
        """Whether somebody has won."""
        return bool(self.s.end_reasons or self.s.is_truncated)

    def _settle(self) -> None:
        """Give the answers that are the only ones, up to the next question."""
        for _ in range(MAX_ANSWERS):
            if self.is_over:
                break
            legal_actions(self.r, self.s)
            legal = self.legal_ids()
            must_ask, self.s.must_ask = self.s.must_ask, 0
            if must_ask or len(legal) > 1:
                return
            rules.apply_action(self.r, self.s, legal[0])
        else:
            raise AssertionError("this goes on without an end")
        if self.s.error:
            raise AssertionError(f"the capacity of {ERRORS[self.s.error]} ran out")

    def legal_ids(self) -> list[int]:
        """The legal actions."""
        words = self.s.legal
        return [a for a in range(ACTIONS.count) if int(words[a >> 6]) >> (a & 63) & 1]

    def legal(self) -> dict[str, int]:
        """The legal actions in words: `choose their X.1` is `choose villain X.1` here."""
        seat = int(self.s.current_player)
        other = PLAYERS[1 - seat]
        return {
            action_to_string(ruleset_of(self.rules, self.tables), self.state, action).replace(
                "their", other
            ): action
            for action in self.legal_ids()
        }

    def act(self, seat: int, text: str) -> None:
        """An action of a player, as scenarios write it."""
        self.require_asked(seat)
        legal = self.legal()
        fitting = self.fitting(seat, text)
        if not fitting:
            raise AssertionError(f"{text!r} is not legal; legal are {sorted(legal)}")
        if len(fitting) > 1:
            raise AssertionError(f"{text!r} may mean {fitting}")
        rules.apply_action(self.r, self.s, legal[fitting[0]])
        self._settle()

    def fitting(self, seat: int, text: str) -> list[str]:
        """The legal actions that are written so: owner and copy number may be left out."""
        verb, _, name = text.rpartition(" ")
        if not verb:
            return [text] if text in self.legal() else []
        owner = PLAYERS[seat]
        if verb.endswith(PLAYERS):
            verb, _, owner_word = verb.rpartition(" ")
            if owner_word == owner:
                text = f"{verb} {name}"
            return [a for a in self.legal() if text in (a, a.rpartition(".")[0])]
        forms = [text, f"{verb} {PLAYERS[1 - seat]} {name}"]
        return [a for a in self.legal() if a in forms or a.rpartition(".")[0] in forms]

    def require_asked(self, seat: int) -> None:
        """That it is for this player to decide."""
        if self.is_over:
            raise AssertionError("the game is over")
        if int(self.s.current_player) != seat:
            asked = PLAYERS[int(self.s.current_player)]
            raise AssertionError(f"{asked} is asked ({self.prompt}), not {PLAYERS[seat]}")

    @property
    def prompt(self) -> str:
        """What is asked, one of `PROMPTS`."""
        return PROMPTS[self.s.prompt]

    def both_pass(self) -> None:
        """One player passes, then the other."""
        for _ in PLAYERS:
            if self.prompt != "main":
                raise AssertionError(f"nobody can pass, {self.prompt} is asked")
            self.act(int(self.s.current_player), "pass")

    def next_turn(self) -> None:
        """Pass, play no further mission, take the first order and discard, until the turn ends."""
        turn = int(self.s.turn_count)
        answers = {"main": "pass", "continue": "no"}
        for _ in range(MAX_QUESTIONS):
            if self.is_over or int(self.s.turn_count) != turn:
                return
            first = next(iter(self.legal()))
            if self.prompt in ("order_missions", "discard"):
                self.act(int(self.s.current_player), first)
            elif self.prompt in answers:
                self.act(int(self.s.current_player), answers[self.prompt])
            else:
                raise AssertionError(f"{self.prompt} is asked before the turn has ended")
        raise AssertionError("the turn does not end")

    # --- looking

    def numbers_of(self, name: str, seat: int | None = None) -> list[int]:
        """The numbers of all copies of a card, or of `BS-130.2`, the second one in its list."""
        plain, _, copy = name.partition(".")
        numbers = [
            number
            for number, other in self.names.items()
            if other == plain and seat in (None, number // SEAT_STRIDE)
        ]
        if copy:
            numbers = numbers[int(copy) - 1 : int(copy)]
        if not numbers:
            raise AssertionError(f"{name} is not in the scenario")
        return numbers

    def number_of(self, name: str, seat: int | None = None) -> int:
        """The number of a card of which there must be one only."""
        numbers = self.numbers_of(name, seat)
        if len({number // SEAT_STRIDE for number in numbers}) > 1:
            raise AssertionError(f"both players have {name}: say whose")
        if len(numbers) > 1:
            raise AssertionError(f"there are {len(numbers)} copies of {name}: say {name}.1")
        return numbers[0]

    def refreshed(self) -> Any:
        """The state with all derived numbers up to date."""
        refresh(self.r, self.s)
        return self.s
