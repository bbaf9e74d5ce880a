"""What a player sees, in words: from a position, and from an observation.

Both make the same thing, the view (`Game.view_to_json`, `Game.decode`): one from the state by what
the rules let a player know, the other from the vector of bytes alone. Seats are relative: 0 is the
player who looks. A card is called by its id and, behind a full stop, which of the cards with
that id it is among those of its list that the player can name, in the order of places.

`cards` of a seat holds the cards of its list of which the player knows where they are; entries
that tell nothing are left out. `hidden` are the others of an open list; they lie in the deck, the
mission pile, a hand or face down on the table. `texts`, `pending`, `delays`, `standing`,
`modifiers` and `marks` are the lists of `view_lists.py`; `candidate`, `chosen`, `that` and `seen`
of a card name texts by their places in `texts`, 0 being the one that is asked, `delayed` names
delayed effects by their `place`, `exposed` the seats that know a hidden card.

Section numbers refer to RULES.md beside this file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from tabletop_core.bits import WORD_BITS
from tabletop_core.game import Array, Json, Ruleset
from tabletop_core.notation import members

from .components import Card
from .derived import cost_to_complicate, cost_to_play, difficulty, hero_total, revive_cost
from .evaluate import firepower_of
from .naming import depth_of, shown_as, slot_of
from .observation_layout import FACTS, MAX_BYTE
from .resolving import firepower_total
from .rules import cost_to_continue
from .ruleset import list_names
from .sizes import (
    ADVERSARY,
    GLYPHS,
    LIST_SIZE,
    NO_RATING,
    NO_SKILL,
    NUM_SKILLS,
    SHIP,
    SKILLS,
    VILLAIN,
)
from .state import (
    ASK_ABILITY,
    ASK_DOMINION,
    ASK_FATE,
    ASK_NUMBER,
    ASK_TARGET,
    ATTACHED,
    BLOCKADED,
    COMPLICATION,
    DECK,
    END_REASONS,
    FIRST_DECK_CARD,
    GLYPH,
    HAND,
    MISSIONS,
    NO_CARD,
    NO_SEAT,
    PHASES,
    PLAY,
    PLUS,
    PROMPTS,
    SEAT_STRIDE,
    SEAT_WORDS,
    TUCKED,
    VERSION,
    ZONES,
)
from .table import (
    change_of,
    count_experience,
    count_glyphs,
    count_villain_score,
    current_rating,
    hand_size,
    in_play_word,
    type_of,
    villain_of,
)
from .view_lists import ListReader, card_of, is_member, lists_to_json, place_name

GAME_ID: Final = f"stargate_v{VERSION}"
CONDITIONS: Final = ("ready", "assigned", "stopped", "incapacitated")

# Fields of a row that are written as they are if they are not 0: numbers and flags.
_NUMBERS: Final = ("tokens", "depth", "slot", "pending")
_FLAGS: Final = ("blocked", "is_source", "is_trigger", "marked")
# Sets of numbers: seats, texts, delayed effects.
_SETS: Final = ("exposed", "candidate", "chosen", "that", "seen", "delayed")
# Fields that are 1 more than what they mean, 0 for nothing.
_RAISED: Final = ("cost", "revive_cost", "firepower")

Row = Mapping[str, Any]


# --- what both have in common -----------------------------------------------------------------


def _seat_json(
    tallies: Json, rows: Sequence[Row], names: Sequence[Sequence[str]], seat: int
) -> Json:
    """A seat: its tallies, and its list."""
    own = names[seat]
    places = [place for place in range(LIST_SIZE) if own[place]]
    return {
        **tallies,
        "cards": {own[k]: _row_json(rows[k], names) for k in places if rows[k]["zone"]},
        "hidden": [own[k] for k in places if not rows[k]["zone"]],
    }


def _row_json(row: Row, names: Sequence[Sequence[str]]) -> Json:
    """A card that a player knows."""
    data: Json = {"zone": ZONES[row["zone"]]}
    if row["zone"] == PLAY:
        data["condition"] = CONDITIONS[row["condition"]]
    if row["host_seat"]:
        seat, place = row["host_seat"] - 1, row["host_place"] - 1
        data["host"] = f"{seat}:{names[seat][place]}"
    ratings = {SKILLS[k]: rating - 1 for k, rating in enumerate(row["rating"]) if rating}
    if ratings:
        data["ratings"] = ratings
    if row["used"]:
        data["used"] = [k + 1 for k in members(row["used"])]
    if row["facts"]:
        data["facts"] = [FACTS[k] for k in members(row["facts"])]
    data |= {name: row[name] - 1 for name in _RAISED if row[name]}
    data |= {name: row[name] for name in _NUMBERS if row[name]}
    data |= {name: list(members(row[name])) for name in _SETS if row[name]}
    return data | {name: True for name in _FLAGS if row[name]}


def _successes(counts: Iterable[int]) -> dict[str, int]:
    return {SKILLS[k]: count for k, count in enumerate(counts) if count}


# --- from the observation ---------------------------------------------------------------------


def decode(ruleset: Ruleset, observation: Array) -> Json:
    """The view that an observation, uint8 [size], tells: equal to `view_to_json`."""
    parts = ruleset.game.observation.split(observation)
    part = SimpleNamespace(**{name: value.tolist() for name, value in parts.items()})
    pool = ruleset.tables.pool.cards
    count = 2 + part.num_players.index(1)
    cards = [[card_of(pool, pair) for pair in part.card[seat]] for seat in range(count)]
    names = [list_names(own) for own in cards]
    return {
        "game": GAME_ID,
        "num_players": count,
        "prompt": PROMPTS[part.prompt.index(1)],
        "phase": PHASES[part.phase.index(1)],
        "end_reasons": [END_REASONS[k] for k, is_one in enumerate(part.end_reasons) if is_one],
        "earned": GLYPHS[part.earned[0]],
        **{name: getattr(part, name)[0] for name in _TABLE_NUMBERS},
        "successes": _successes(part.successes),
        **{name: bool(getattr(part, name)[0]) for name in _TABLE_FLAGS},
        **{name: place_name(names, getattr(part, name)[0]) for name in _TABLE_CARDS},
        "required_skill": SKILLS[part.required_skill.index(1)]
        if any(part.required_skill)
        else None,
        **{name: _index_or_none(getattr(part, name)) for name in _SEATS},
        **lists_to_json(vars(part), names, pool),
        "complications": [
            {"seat": owner - 1, "difficulty": added}
            for owner, added in zip(part.slot_owner, part.slot_difficulty, strict=True)
            if owner
        ],
        "seats": [
            _seat_json(
                {name: getattr(part, name)[seat] for name in _TALLIES},
                [_decoded_row(part, seat, place) for place in range(LIST_SIZE)],
                names,
                seat,
            )
            for seat in range(count)
        ],
    }


_TABLE_NUMBERS: Final = (
    "turns",
    "passes",
    "actions_here",
    "missions_played",
    "failures",
    "difficulty",
    "hero_total",
    "complication_cost",
    "continue_cost",
    "least",
    "most",
    "limit",
    "carried_n",
)
_TABLE_FLAGS: Final = ("is_truncated", "must_continue", "has_succeeded")
_TABLE_CARDS: Final = ("current_mission", "judged", "resolving")
_SEATS: Final = (
    "current_seat",
    "hero_seat",
    "villain_seat",
    "first_seat",
    "priority_seat",
    "battle_seat",
    "winner_seat",
)
_TALLIES: Final = (
    "power",
    "victory_total",
    "glyphs",
    "experience",
    "villain_score",
    "firepower_total",
    "hand_count",
    "deck_count",
    "missions_count",
    "played_count",
    "skipped_turns",
)
_ROW: Final = (
    "zone",
    "condition",
    "host_seat",
    "host_place",
    "rating",
    "used",
    "facts",
    *_RAISED,
    *_NUMBERS,
    *_FLAGS,
    *_SETS,
)


def _decoded_row(part: SimpleNamespace, seat: int, place: int) -> Row:
    row = {name: getattr(part, name)[seat][place] for name in _ROW}
    return row | {"delayed": int.from_bytes(bytes(row["delayed"]), "little")}


def _index_or_none(flags: Sequence[int]) -> int | None:
    return flags.index(1) if 1 in flags else None


# --- from the state ---------------------------------------------------------------------------


def view_to_json(ruleset: Ruleset, state: Array, player: int) -> Json:
    """What `player` may know, as JSON types; by seats, see the head of this file."""
    return _Viewer(ruleset, state, player).view()


def names_seen(ruleset: Ruleset, state: Array, player: int, owner: int) -> tuple[str, ...]:
    """[place] names of the cards of `owner` that `player` can name; '' for the others."""
    viewer = _Viewer(ruleset, state, player)
    return viewer.list_names(viewer.order.index(owner), viewer.list_places(owner))


class _Viewer:
    """Looks at a position with the eyes of one player."""

    def __init__(self, ruleset: Ruleset, state: Array, player: int) -> None:
        self.ruleset = ruleset
        self.r = ruleset.record[0]
        self.s = state[0]
        self.player = player
        self.count = ruleset.num_players
        self.order = [(player + k) % self.count for k in range(self.count)]

    @cached_property
    def places(self) -> list[dict[int, int]]:
        """[seat] what `list_places` says of its list."""
        return [self.list_places(owner) for owner in self.order]

    @cached_property
    def names(self) -> list[tuple[str, ...]]:
        """[seat] what `list_names` says of its list."""
        return [self.list_names(seat, places) for seat, places in enumerate(self.places)]

    def view(self) -> Json:
        s = self.s
        return {
            "game": GAME_ID,
            "num_players": self.count,
            "prompt": PROMPTS[s.prompt],
            "phase": PHASES[s.phase],
            "end_reasons": [END_REASONS[k] for k in members(s.end_reasons)],
            "earned": GLYPHS[s.earned],
            **self._table_numbers(),
            "successes": _successes(s.success_turn.tolist()),
            "is_truncated": bool(s.is_truncated),
            "must_continue": bool(s.must_continue),
            "has_succeeded": bool(s.current != NO_CARD and s.succeeded),
            "current_mission": self._place_name(s.current),
            "judged": self._place_name(s.judged),
            "resolving": self._place_name(s.resolving),
            "required_skill": self._required_skill(),
            "current_seat": self._seat(s.current_player),
            "hero_seat": self._seat(s.hero),
            "villain_seat": self._seat(villain_of(s)),
            "first_seat": self._seat(s.first_player),
            "priority_seat": self._seat(s.priority),
            "battle_seat": self._seat(s.battle_winner),
            "winner_seat": self._seat(s.winner),
            **self._lists(),
            "complications": [
                {
                    "seat": self._seat(int(card) // SEAT_STRIDE),
                    "difficulty": max(0, 1 + int(change_of(s, card, PLUS))),
                }
                for card in s.complications[: s.complication_count]
            ],
            "seats": [
                _seat_json(self._tallies(owner), self._rows(seat), self.names, seat)
                for seat, owner in enumerate(self.order)
            ],
        }

    # --- the table

    def _table_numbers(self) -> Json:
        r, s = self.r, self.s
        has_mission = s.current != NO_CARD
        frame = int(s.frame_count) - 1
        is_asked = frame >= 0 and s.current_player == self.player
        is_choosing = is_asked and s.prompt == ASK_TARGET
        return {
            "turns": _byte(s.turn_count),
            "passes": int(s.passes),
            "actions_here": _byte(s.actions_here),
            "missions_played": int(s.missions_played),
            "failures": int(s.fail_turn),
            "difficulty": _byte(difficulty(r, s)) if has_mission else 0,
            "hero_total": _byte(hero_total(r, s)) if has_mission else 0,
            "complication_cost": _byte(cost_to_complicate(s)) if has_mission else 0,
            "continue_cost": _byte(cost_to_continue(s)),
            "least": int(s.frame_least[frame]) if is_choosing else 0,
            "most": int(s.frame_most[frame]) if is_choosing else 0,
            "limit": int(s.frame_limit[frame]) if is_asked and s.prompt == ASK_NUMBER else 0,
            "carried_n": _byte(s.carried_n),
        }

    def _required_skill(self) -> str | None:
        s = self.s
        is_absent = s.current == NO_CARD or s.skill_now == NO_SKILL
        return None if is_absent else SKILLS[s.skill_now]

    def _seat(self, player: Any) -> int | None:
        return None if player == NO_SEAT else self.order.index(player)

    def _seat_number(self, player: Any) -> int:
        return 0 if player == NO_SEAT else self.order.index(player) + 1

    def _place(self, card: Any) -> list[int]:
        """Seat + 1 and list place + 1 of a card; zeros if the player does not know where it is."""
        if card == NO_CARD or not self._is_known(card):
            return [0, 0]
        shown = int(shown_as(self.r, self.s, self.player, card))
        return [self.order.index(shown // SEAT_STRIDE) + 1, shown % SEAT_STRIDE + 1]

    def _place_name(self, card: Any) -> str | None:
        return place_name(self.names, self._place(card))

    def _lists(self) -> Json:
        reader = ListReader(self.ruleset, self.s, self.player, self._place, self._seat_number)
        return lists_to_json(reader.numbers(), self.names, self.ruleset.tables.pool.cards)

    def _tallies(self, owner: int) -> Json:
        r, s = self.r, self.s
        return {
            "power": _byte(s.power[owner]),
            "victory_total": int(s.victory_total[owner]),
            "glyphs": int(count_glyphs(s, owner)),
            "experience": _byte(count_experience(r, s, owner)),
            "villain_score": _byte(count_villain_score(r, s, owner)),
            "firepower_total": _byte(firepower_total(r, s, owner)),
            "hand_count": int(hand_size(s, owner)),
            "deck_count": int(s.deck_size[owner]),
            "missions_count": int(s.missions_size[owner]),
            "played_count": len(_members(self._own_words(s.played_turn, owner))),
            "skipped_turns": int(s.skipped_turns[owner]),
        }

    def _own_words(self, words: Array, owner: int) -> Array:
        return words[owner * SEAT_WORDS : (owner + 1) * SEAT_WORDS]

    # --- the cards

    def _is_known(self, card: int) -> bool:
        return bool(self.s.known[card] >> self.player & 1)

    def _is_named(self, card: int) -> bool:
        return is_member(self.s.named, card)

    def list_places(self, owner: int) -> dict[int, int]:
        """Place of a list -> the card that the player calls by it, if he knows where it is."""
        size = int(self.r.deck_length[self.s.deck_number[owner]])
        cards = range(owner * SEAT_STRIDE, owner * SEAT_STRIDE + size)
        if owner == self.player:
            return {card % SEAT_STRIDE: card for card in cards}
        known = [card for card in cards if self._is_known(card)]
        numbers = [int(shown_as(self.r, self.s, self.player, card)) for card in known]
        return {number % SEAT_STRIDE: card for number, card in zip(numbers, known, strict=True)}

    def list_names(self, seat: int, places: Mapping[int, int]) -> tuple[str, ...]:
        """[place] the name of a card, as far as the player knows what is in the list."""
        owner = self.order[seat]
        kinds = self.ruleset.tables.kinds
        size = int(self.r.deck_length[self.s.deck_number[owner]])
        cards: list[Card | None] = [None] * LIST_SIZE
        if self.r.open_lists:
            for place in range(size):
                cards[place] = kinds[self.s.kind[owner * SEAT_STRIDE + place]]
        for place, card in places.items():
            cards[place] = kinds[self.s.kind[card]]
        return list_names(cards)

    def _rows(self, seat: int) -> list[Row]:
        """[place] the row of a list."""
        blank = dict.fromkeys(_ROW, 0) | {"rating": [0] * NUM_SKILLS}
        asked = self._asked()
        rows: list[Row] = []
        for place in range(LIST_SIZE):
            row = dict(blank)
            card = self.places[seat].get(place)
            if card is not None:
                row |= self._where(card) | asked.get(card, {})
            rows.append(row)
        return rows

    def _where(self, card: int) -> Json:
        """Where a card of the table lies and what holds for it."""
        s = self.s
        if not self._is_known(card):
            return {"zone": DECK if card % SEAT_STRIDE >= FIRST_DECK_CARD else MISSIONS}
        zone = int(s.zone[card])
        row: Json = {"zone": zone}
        if self._is_named(card):
            row |= {"used": int(s.used[card]), "facts": self._facts(card)}
        elif card // SEAT_STRIDE == self.player:
            row["exposed"] = self._others_who_know(card)
        if zone in (DECK, MISSIONS):
            row["depth"] = int(depth_of(s, card)) + 1
        elif zone == COMPLICATION:
            row["slot"] = int(slot_of(s, card)) + 1
        elif zone == HAND:
            row |= self._cost(card)
        elif zone in (GLYPH, TUCKED, ATTACHED, BLOCKADED) and s.host[card] != NO_CARD:
            host = int(s.host[card])
            row["host_seat"] = self.order.index(host // SEAT_STRIDE) + 1
            row["host_place"] = int(shown_as(self.r, s, self.player, host)) % SEAT_STRIDE + 1
        if zone == PLAY:
            row |= {"condition": int(s.condition[card]), "tokens": int(s.tokens[card])}
        if int(in_play_word(s, card // WORD_BITS)) >> card % WORD_BITS & 1:
            row |= self._numbers(card)
        return row

    def _cost(self, card: int) -> Json:
        s = self.s
        kind = self.ruleset.tables.kinds[s.kind[card]]
        role = villain_of(s) if kind.side == VILLAIN else s.hero
        if kind.cost is None or role != card // SEAT_STRIDE:
            return {}
        return {"cost": int(cost_to_play(self.r, s, card)) + 1}

    def _numbers(self, card: int) -> Json:
        """N1-N5: what holds now for a card in play."""
        r, s = self.r, self.s
        card_type = type_of(r, s, card)
        ratings = [int(current_rating(r, s, card, skill)) for skill in range(NUM_SKILLS)]
        return {
            "rating": [0 if rating == NO_RATING else rating + 1 for rating in ratings],
            "revive_cost": int(revive_cost(r, s, card)) + 1 if card_type == ADVERSARY else 0,
            "firepower": int(firepower_of(r, s, card)) + 1 if card_type == SHIP else 0,
            "blocked": is_member(s.blocked, card),
        }

    def _facts(self, card: int) -> int:
        s = self.s
        sets = (
            s.played_turn,
            s.assigned_at_resolution,
            s.just_discarded,
            s.carried_that,
            s.no_revive,
            s.textless,
            s.becomes,
        )
        return sum(is_member(words, card) << k for k, words in enumerate(sets))

    def _others_who_know(self, card: int) -> int:
        """A set of seats."""
        others = [player for player in members(self.s.known[card]) if player != self.player]
        return sum(1 << self.order.index(player) for player in others)

    def _asked(self) -> dict[int, dict[str, int]]:
        """Card -> what the pending question and waiting texts say of it."""
        s = self.s
        asked: dict[int, dict[str, int]] = {}

        def add(
            field: str, cards: Iterable[Any], amount: int = 1, is_own_choice: bool = False
        ) -> None:
            for card in cards:
                is_own = is_own_choice and int(card) // SEAT_STRIDE == self.player
                if card != NO_CARD and (is_own or self._is_known(card)):
                    entry = asked.setdefault(int(card), {})
                    entry[field] = entry.get(field, 0) + amount

        if s.frame_count:
            frame = int(s.frame_count) - 1
            add("is_source", [s.frame_self[frame]])
            add("is_trigger", [s.frame_trigger[frame]])
            if s.prompt == ASK_TARGET and s.current_player == self.player:
                add("candidate", _members(s.frame_candidates[frame]), is_own_choice=True)
                add("chosen", _members(s.frame_chosen[frame]), is_own_choice=True)
            self._add_sets(add)
        elif s.prompt == ASK_FATE:
            add("is_source", [s.judged])
        elif s.prompt == ASK_ABILITY:
            add("is_source", [s.resolving])
        if s.prompt == ASK_DOMINION:
            add("candidate", _members(s.dominion))
        add("pending", s.pending_self[: s.pending_count])
        marks = range(s.mark_count)
        add("marked", {int(s.mark_card[k]) for k in marks if not s.mark_is_gone[k]})
        for k in np.flatnonzero(s.delay_moment):
            add("delayed", _members(s.delay_that[k]), 1 << int(k))
        return asked

    def _add_sets(self, add: Callable[..., None]) -> None:
        """The sets of cards of the texts under way, text 0 being the one that is asked."""
        s = self.s
        for k, frame in enumerate(reversed(range(s.frame_count))):
            if k > 0:
                add("candidate", _members(s.frame_candidates[frame]), 1 << k)
                add("chosen", _members(s.frame_chosen[frame]), 1 << k)
            add("that", _members(s.frame_that[frame]), 1 << k)
            add("seen", _members(s.frame_seen[frame]), 1 << k)


def _members(words: Array) -> list[int]:
    """The cards of a set."""
    flags = np.unpackbits(words.view(np.uint8), bitorder="little")
    return [int(card) for card in np.flatnonzero(flags)]


def _byte(value: Any) -> int:
    return min(int(value), MAX_BYTE)
