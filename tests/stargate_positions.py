"""Positions of the Stargate TCG, laid out by hand, for tests of its rules and cards."""

from dataclasses import replace
from types import SimpleNamespace

from stargate_env import rules
from stargate_env.components import load_cards
from stargate_env.decks import official_deck
from stargate_env.derived import difficulty, hero_total, refresh
from stargate_env.legal import legal_actions
from stargate_env.notation import action_to_string, string_to_action
from stargate_env.ruleset import make_rules
from stargate_env.sizes import MISSION, TEAM
from stargate_env.state import (
    ACTIONS,
    ASK_NOTHING,
    GLYPH,
    HAND,
    MISSIONS,
    NO_CARD,
    PLAY,
    PROMPTS,
    READY,
    SEAT_STRIDE,
    STALE,
    STATE,
    STATE_6,
    TURN_START,
    ZONES,
)
from stargate_env.table import current_rating, push_deck, put, remove_from_deck, villain_of
from tabletop_core.game import allocate
from tabletop_core.rng import seed_to_word

POOL = load_cards()
CARTER = official_deck("carter")
TEALC = official_deck("tealc")


def deck_with(deck, *card_ids):
    """`deck` with further cards: team members and missions replace others, the rest is added."""
    for card_id in card_ids:
        card = POOL.by_id[card_id]
        if card.card_type == TEAM and card_id not in deck.team:
            kept = [other for other in deck.team if POOL.by_id[other].title != card.title]
            deck = replace(deck, team=(card_id, *kept[:3]))
        elif card.card_type == MISSION and card_id not in deck.missions:
            same = [m for m in deck.missions if POOL.by_id[m].mission_skill == card.mission_skill]
            missions = tuple(card_id if m == same[0] else m for m in deck.missions)
            deck = replace(deck, missions=missions)
        elif card.card_type not in (TEAM, MISSION):
            deck = replace(deck, deck=(*deck.deck, card_id))
    return deck


def ruleset_of(rules, tables):
    """What texts of actions are written by."""
    game = SimpleNamespace(id="stargate_v0", actions=ACTIONS)
    return SimpleNamespace(game=game, record=rules, tables=tables)


class Table:
    """A game at the start of the first turn of seat 0: teams ready, no card in a hand."""

    def __init__(self, hero_deck=CARTER, villain_deck=TEALC, *inactive_decks, seed=1):
        self.rules, self.tables = make_rules([hero_deck, villain_deck, *inactive_decks])
        self.ruleset = ruleset_of(self.rules, self.tables)
        self.state = allocate(STATE_6 if inactive_decks else STATE, 1)
        self.r, self.s = self.rules[0], self.state[0]
        self.s.rng = seed_to_word(seed)
        rules.new_game(self.r, self.s)
        while self.s.phase < TURN_START:
            legal_actions(self.r, self.s)
            rules.apply_action(self.r, self.s, self._legal_ids()[-1])
            if self.s.turn_count == 0 and self.s.phase > TURN_START:
                break
        self._rewind()

    def _rewind(self):
        s = self.s
        s.condition[:] = READY
        s.power[:] = 0
        s.hero = 0
        s.pending_count = 0
        s.frame_count = 0
        s.modifier_count = 0
        s.prompt = ASK_NOTHING
        if s.current != NO_CARD:
            seat = int(s.current) // SEAT_STRIDE
            put(s, int(s.current), MISSIONS)
            s.missions[seat, s.missions_size[seat]] = int(s.current) % SEAT_STRIDE
            s.missions_size[seat] += 1
            s.current = NO_CARD
        for card in range(len(self.s.zone)):
            if s.zone[card] == HAND:
                push_deck(s, card)

    # --- laying out

    def card(self, card_id, seat=None, zone=None):
        """The number of a card (of its first copy that is in `zone`)."""
        for owner in range(self.s.num_players) if seat is None else (seat,):
            for place, card in enumerate(self.tables.lists[owner]):
                number = owner * SEAT_STRIDE + place
                if card.card_id == card_id and zone in (None, ZONES[self.s.zone[number]]):
                    return number
        raise KeyError(card_id)

    def give(self, seat, *card_ids):
        """Cards from the deck into a hand."""
        for card_id in card_ids:
            number = self.card(card_id, seat, "deck")
            remove_from_deck(self.s, number)
            put(self.s, number, HAND)

    def put_into_play(self, seat, *card_ids):
        """Characters, gear or adversaries from the deck into their row, ready."""
        for card_id in card_ids:
            number = self.card(card_id, seat, "deck")
            remove_from_deck(self.s, number)
            put(self.s, number, PLAY)

    def glyph(self, mission_id, character_id, seat=0):
        """A mission beneath a character."""
        mission = self.card(mission_id, seat, "missions")
        self._take_mission(seat, mission)
        put(self.s, mission, GLYPH)
        self.s.host[mission] = self.card(character_id, seat)

    def _take_mission(self, seat, mission):
        pile = [int(k) for k in self.s.missions[seat][: self.s.missions_size[seat]]]
        pile.remove(mission % SEAT_STRIDE)
        self.s.missions_size[seat] = len(pile)
        self.s.missions[seat][: len(pile)] = pile
        return pile

    def top_mission(self, *mission_ids, seat=0):
        """Missions on top of the pile, the first one named topmost."""
        for mission_id in reversed(mission_ids):
            mission = self.card(mission_id, seat, "missions")
            pile = self._take_mission(seat, mission)
            pile.append(mission % SEAT_STRIDE)
            self.s.missions_size[seat] = len(pile)
            self.s.missions[seat][: len(pile)] = pile

    def start(self, *mission_ids, power=None):
        """Begin the turn of seat 0 with these missions on top; `power` of both if given."""
        self.top_mission(*mission_ids)
        self.s.phase = TURN_START
        self.s.is_stale = STALE
        rules.run(self.r, self.s)
        if power is not None:
            self.s.power[[self.s.hero, villain_of(self.s)]] = power
        self.s.is_stale = STALE
        self._settle()
        return self

    # --- playing

    def look_again(self):
        """Compute the legal actions anew after the position was changed by hand."""
        self.s.is_stale = STALE
        self._settle()

    def _legal_ids(self):
        words = self.s.legal
        return [a for a in range(ACTIONS.count) if int(words[a >> 6]) >> (a & 63) & 1]

    def _settle(self):
        while not self.is_over:
            legal_actions(self.r, self.s)
            legal = self._legal_ids()
            must_ask, self.s.must_ask = self.s.must_ask, 0
            if must_ask or len(legal) > 1:
                return
            rules.apply_action(self.r, self.s, legal[0])

    def do(self, *texts):
        """Play actions in words; the copy number may be left out."""
        for text in texts:
            legal = {self.text_of(action): action for action in self._legal_ids()}
            fitting = [name for name in legal if name == text or name.partition(".")[0] == text]
            assert fitting, f"{text!r} is not legal at {self.prompt}: {sorted(legal)}"
            assert string_to_action(self.ruleset, self.state, fitting[0]) == legal[fitting[0]]
            rules.apply_action(self.r, self.s, legal[fitting[0]])
            self._settle()
        return self

    def text_of(self, action):
        return action_to_string(self.ruleset, self.state, action)

    # --- looking

    @property
    def is_over(self):
        return bool(self.s.end_reasons or self.s.is_truncated)

    @property
    def legal(self):
        """Legal actions in words, without copy numbers."""
        return [self.text_of(action).partition(".")[0] for action in self._legal_ids()]

    @property
    def prompt(self):
        return PROMPTS[self.s.prompt]

    @property
    def player(self):
        return int(self.s.current_player)

    @property
    def power(self):
        return [int(power) for power in self.s.power]

    @property
    def difficulty(self):
        refresh(self.r, self.s)
        return int(difficulty(self.r, self.s))

    @property
    def hero_total(self):
        refresh(self.r, self.s)
        return int(hero_total(self.r, self.s))

    def ratings(self, card_id, seat=None):
        refresh(self.r, self.s)
        number = self.card(card_id, seat)
        return [int(current_rating(self.r, self.s, number, skill)) for skill in range(4)]

    def zone(self, card_id, seat=None):
        return ZONES[self.s.zone[self.card(card_id, seat)]]

    def zones(self, card_id, seat=None):
        """Zones of all copies, sorted."""
        found = []
        for owner in range(self.s.num_players) if seat is None else (seat,):
            for place, card in enumerate(self.tables.lists[owner]):
                if card.card_id == card_id:
                    found.append(ZONES[self.s.zone[owner * SEAT_STRIDE + place]])
        return sorted(found)

    def condition(self, card_id, seat=None):
        names = ("ready", "assigned", "stopped", "incap")
        return names[self.s.condition[self.card(card_id, seat)]]

    def glyphs_of(self, card_id, seat=0):
        host = self.card(card_id, seat)
        return sum(
            int(self.s.host[card]) == host and self.s.zone[card] == GLYPH
            for card in range(len(self.s.zone))
        )

    def hand(self, seat):
        return sorted(
            card.card_id
            for place, card in enumerate(self.tables.lists[seat])
            if self.s.zone[seat * SEAT_STRIDE + place] == HAND
        )
