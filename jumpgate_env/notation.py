"""Jump Gate in words: actions as text, positions and views as JSON.

Planets and cards go by their ids (P05, N01, R37), resources that are chosen go by kind: "red gem*"
is a red gem with a black-hole icon. `position.state_from_json` reads what `state_to_json` writes.

A view is what one player may know. It tells the same as the player's observation, in words and by
relative seats: seat 0 is the player who looks, seat k sits k places further clockwise.

Section numbers refer to RULES.md beside this file.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from tabletop_core.engine import finish_one
from tabletop_core.errors import TabletopError
from tabletop_core.game import Array, Json, Ruleset
from tabletop_core.notation import (
    action_words,
    check_action,
    count_by_name,
    find_action,
    index_or_none,
    members,
    named_counts,
    observation_values,
    player_or_none,
    position_head,
    position_tail,
    seat_order,
    state_values,
)
from tabletop_core.table_file import shown

from .observation import MAX_BYTE, OBSERVATION
from .rules import (
    ACTIONS,
    GATE,
    NO_PLAYER,
    NO_TARGET,
    PENDING_ACTIONS,
    PENDING_HARVEST,
    PENDING_NOTHING,
    PROMPT_OVER,
    PROMPT_SPEND,
    PROMPTS,
)
from .sizes import HAND_SIZE, MIN_CODE, MIN_PLAYERS, NO_CODE, NUM_TYPES, TYPE_NAMES, WILDCARD

GAME_ID: Final = "jumpgate_v0"
GATE_NAME: Final = "gate"
MARKED_NAME: Final = "marked"
KIND_NAMES: Final = tuple(name + icon for name in TYPE_NAMES[:NUM_TYPES] for icon in ("", "*"))
RESOURCE_NAMES: Final = (*KIND_NAMES, MARKED_NAME)  # of a pending resource
SLOT_PAIRS: Final = tuple(combinations(range(HAND_SIZE), 2))


# --- actions ---------------------------------------------------------------------------------


def action_to_string(ruleset: Ruleset, state: Array, action: int) -> str:
    """The text of any action 0 .. 111, legal or not, by the hand of the current player.

    An empty hand slot is written "empty-slot-4", a ring position that is not in play "absent
    planet 9".

    Raises:
        TabletopError: there is no such action.
    """
    check_action(ruleset.game, action)
    return _ActionTexts(ruleset, state).text(action)


def string_to_action(ruleset: Ruleset, state: Array, text: str) -> int:
    """The action of a text in the same state; the inverse of `action_to_string`.

    Raises:
        TabletopError: no action is written like this now.
    """
    words = action_words(ruleset.game, text)
    texts = _ActionTexts(ruleset, state)
    candidates = _actions_by_verb(words.partition(" ")[0])
    action = find_action(words, candidates, texts.text)
    if action is None:
        raise TabletopError(_unknown_text(text, candidates, texts))
    return action


class _ActionTexts:
    """Texts of the actions in one position."""

    def __init__(self, ruleset: Ruleset, state: Array) -> None:
        self.player = int(state["current_player"][0])
        self.hand = card_ids(ruleset.tables.navigation, state["hands"][0, self.player])
        self.ring = _ring_names(ruleset, state["ring"][0].tolist())

    def text(self, action: int) -> str:
        block, k = ACTIONS.block_of(action)
        match block.name:
            case "fly" | "jump":
                return f"{block.name} to {self._planet(k)}"
            case "harvest":
                return f"harvest at {self._planet(k)}"
            case "discard":
                slots = [slot for slot in range(HAND_SIZE) if k >> slot & 1]
                return f"discard {self._cards(slots) or 'nothing'}"
            case "spend":
                return f"spend {self._cards((k,))}"
            case "spend_pair":
                return f"spend {self._cards(SLOT_PAIRS[k])}"
            case "take" | "mark":
                return f"{block.name} {KIND_NAMES[k]}"
            case name:
                return name.replace("_", " ")

    def _planet(self, position: int) -> str:
        return self.ring[position] if position < len(self.ring) else f"absent planet {position + 1}"

    def _cards(self, slots: Iterable[int]) -> str:
        hand = self.hand
        return " ".join(hand[k] if k < len(hand) else f"empty-slot-{k + 1}" for k in slots)


def _actions_by_verb(verb: str) -> list[int]:
    """The actions whose text begins with a word."""
    return [
        action
        for first, last, block in ACTIONS.rows()
        if block.name.partition("_")[0] == verb
        for action in range(first, last + 1)
    ]


def _unknown_text(text: str, candidates: Sequence[int], texts: _ActionTexts) -> str:
    message = f"{GAME_ID}: {shown(text)} is not an action"
    if not candidates:
        verbs = dict.fromkeys(block.name.partition("_")[0] for block in ACTIONS.blocks)
        return f"{message}; actions begin with {', '.join(verbs)}"
    return (
        f"{message}; write like {texts.text(candidates[0])!r} "
        f"(the planets are {', '.join(texts.ring)}; player {texts.player} holds "
        f"{', '.join(texts.hand) or 'no cards'}; resources are {', '.join(KIND_NAMES)})"
    )


# --- positions -------------------------------------------------------------------------------


def state_to_json(ruleset: Ruleset, state: Array) -> Json:
    """The whole position, hidden things too, as JSON types; lists of cards sorted.

    Lists go by ring position (ring, owners, face_down, face_up) or by player (marks, locations,
    hands, hidden, collected). Player numbers are the real ones.
    """
    s = state_values(state)
    navigation, resources = ruleset.tables.navigation, ruleset.tables.resources
    ring = _ring_names(ruleset, s.ring)
    planets = range(len(ring))
    players = range(ruleset.num_players)
    return {
        **position_head(ruleset, s),
        "ring": ring,
        "owners": [player_or_none(s.owners[k]) for k in planets],
        "face_down": [s.face_down[k] for k in planets],
        "face_up": [card_ids(resources, s.face_up[k]) for k in planets],
        "marks": [card_ids(resources, s.marks[k]) for k in players],
        "locations": [_place(ring, s.locations[k]) for k in players],
        "hands": [card_ids(navigation, s.hands[k]) for k in players],
        "hidden": [card_ids(resources, s.hidden[k]) for k in players],
        "collected": [card_ids(resources, s.collected[k]) for k in players],
        "removed": card_ids(resources, s.removed),
        "unseen": card_ids(resources, s.unseen),
        "deck": card_ids(navigation, s.deck),
        "discard": card_ids(navigation, s.discard),
        "held_since": {
            card.id: group for card, group in zip(navigation, s.held_since, strict=True) if group
        },
        "current_player": s.current_player,
        "actions_left": s.actions_left,
        "prompt": PROMPTS[s.prompt],
        "pending": _pending(s, ring),
        "final_turns_left": s.final_turns_left,
        **position_tail(ruleset, s),
    }


def _pending(s: SimpleNamespace, ring: Sequence[str]) -> Json | None:
    """What was announced and is not paid yet."""
    if s.pending_action == PENDING_NOTHING:
        return None
    is_chosen = s.pending_action == PENDING_HARVEST and s.prompt == PROMPT_SPEND
    return {
        "action": PENDING_ACTIONS[s.pending_action],
        "planet": None if s.pending_target == NO_TARGET else ring[s.pending_target],
        "resource": RESOURCE_NAMES[s.pending_resource] if is_chosen else None,
    }


def _ring_names(ruleset: Ruleset, ring: Sequence[int]) -> list[str]:
    size = ruleset.tables.ring_size(ruleset.num_players)
    return [ruleset.tables.planets[planet].id for planet in ring[:size]]


def _place(ring: Sequence[str], location: int) -> str:
    return GATE_NAME if location == GATE else ring[location]


def card_ids(cards: Sequence[Any], word: Any) -> list[str]:
    """Ids of the cards in a set, in card order."""
    return [cards[k].id for k in members(word)]


# --- views: from the state -------------------------------------------------------------------


def view_to_json(ruleset: Ruleset, state: Array, player: int) -> Json:
    """What `player` may know, as JSON types; by seats, see the head of this file.

    ring: the planets in ring order; `face_up` in card order. seats: what lies before each seat;
    `hidden` is null where the cards cannot be known; `public_points` count collected resources and
    planets, 255 standing for 255 and more.
    """
    s = state_values(state)
    ring = _ring_names(ruleset, s.ring)
    navigation = ruleset.tables.navigation
    order = seat_order(ruleset, player)
    return {
        "game": GAME_ID,
        "num_players": ruleset.num_players,
        "prompt": PROMPTS[s.prompt],
        "current_seat": order.index(s.current_player),
        "actions_left": s.actions_left,
        "final_turns_left": s.final_turns_left,
        "pending": _pending(s, ring),
        "hand": [_card_view(navigation[k]) for k in members(s.hands[player])],
        "discard": card_ids(navigation, s.discard),
        "deck_count": s.deck.bit_count(),
        "removed_count": s.removed.bit_count(),
        "ring": [_planet_view(ruleset, s, order, position) for position in range(len(ring))],
        "seats": _seat_views(ruleset, s, order, ring, _public_points(ruleset, state)),
    }


def _card_view(card: Any) -> Json:
    return {
        "card": card.id,
        "jump": _code(card.jump),
        "scan": _code(card.scan),
        "land": _code(card.land),
    }


def _code(code: int) -> int | str | None:
    if code == NO_CODE:
        return None
    return "W" if code == WILDCARD else code


def _planet_view(ruleset: Ruleset, s: SimpleNamespace, order: Sequence[int], position: int) -> Json:
    planet = ruleset.tables.planets[s.ring[position]]
    owner = s.owners[position]
    return {
        "planet": planet.id,
        "jump": planet.jump,
        "scan": planet.scan,
        "landing": sorted((planet.land_a, planet.land_b)),
        "owner": None if owner == NO_PLAYER else order.index(owner),
        "face_down": s.face_down[position],
        "face_up": [
            {
                "resource": ruleset.tables.resources[card].name,
                "mark": next((k for k, p in enumerate(order) if s.marks[p] >> card & 1), None),
            }
            for card in members(s.face_up[position])
        ],
    }


def _seat_views(
    ruleset: Ruleset,
    s: SimpleNamespace,
    order: Sequence[int],
    ring: Sequence[str],
    points: Sequence[int],
) -> list[Json]:
    icons = int(ruleset.record[0].icons)
    markers = [(word & icons).bit_count() for word in s.collected]
    views = []
    for player in order:
        hidden_count = s.hidden[player].bit_count()
        is_known = player == order[0] or hidden_count == 0 or _is_shown(ruleset, s, markers, player)
        views.append(
            {
                "location": _place(ring, s.locations[player]),
                "hand_count": s.hands[player].bit_count(),
                "hidden_count": hidden_count,
                "hidden": _kind_counts(ruleset, s.hidden[player]) if is_known else None,
                "collected": _kind_counts(ruleset, s.collected[player]),
                "black_hole_markers": markers[player],
                "public_points": min(points[player], MAX_BYTE),
            }
        )
    return views


def _is_shown(ruleset: Ruleset, s: SimpleNamespace, markers: Sequence[int], player: int) -> bool:
    """§8, §6: at the end the hidden resources that are kept are shown."""
    is_full = sum(markers) >= int(ruleset.record[0].blackhole_limit)
    return s.prompt == PROMPT_OVER and not (is_full and markers[player] == max(markers))


def _public_points(ruleset: Ruleset, state: Array) -> list[int]:
    """§8: points of each player as if nobody had hidden resources."""
    open_state = state.copy()
    open_state["hidden"] = 0
    points = np.zeros(ruleset.num_players)
    finish_one(ruleset.record, open_state, points, np.zeros(ruleset.num_players, np.bool_))
    return [int(value) for value in points]


def _kind_counts(ruleset: Ruleset, word: int) -> dict[str, int]:
    """Name of each kind that is there -> number of cards, in the order of the kinds."""
    resources = ruleset.tables.resources
    return count_by_name(KIND_NAMES, (resources[card].kind for card in members(word)))


# --- views: from the observation -------------------------------------------------------------


def decode(ruleset: Ruleset, observation: Array) -> Json:
    """The view that an observation, uint8 [size], tells: equal to `view_to_json`."""
    part = observation_values(OBSERVATION, observation)
    navigation = ruleset.tables.navigation
    num_players = MIN_PLAYERS + part.num_players.index(1)
    ring = [
        ruleset.tables.planets[card - 1].id
        for card, in_play in zip(part.planet_card, part.in_play, strict=True)
        if in_play
    ]
    hand = _named(navigation, part.hand)
    return {
        "game": GAME_ID,
        "num_players": num_players,
        "prompt": PROMPTS[part.prompt.index(1)],
        "current_seat": part.current_seat.index(1),
        "actions_left": part.actions_left[0],
        "final_turns_left": part.final_turns_left[0],
        "pending": _decode_pending(part, ring),
        "hand": [_decode_card(card, codes) for card, codes in zip(hand, part.hand_codes)],
        "discard": _named(navigation, part.discard),
        "deck_count": part.deck_count[0],
        "removed_count": part.removed_count[0],
        "ring": [_decode_planet(part, position, planet) for position, planet in enumerate(ring)],
        "seats": [_decode_seat(part, seat, ring) for seat in range(num_players)],
    }


def _named(cards: Sequence[Any], bits: Sequence[int]) -> list[str]:
    return [card.id for card, bit in zip(cards, bits, strict=True) if bit]


def _decode_pending(part: SimpleNamespace, ring: Sequence[str]) -> Json | None:
    action = index_or_none(part.pending_action)
    if action is None:
        return None
    target = index_or_none(part.pending_target)
    resource = index_or_none(part.pending_resource)
    return {
        "action": PENDING_ACTIONS[PENDING_NOTHING + 1 + action],
        "planet": None if target is None else ring[target],
        "resource": None if resource is None else RESOURCE_NAMES[resource],
    }


def _decode_card(card: str, codes: list[list[int]]) -> Json:
    jump, scan, land = (_code(one_hot.index(1)) for one_hot in codes)
    return {"card": card, "jump": jump, "scan": scan, "land": land}


def _decode_planet(part: SimpleNamespace, position: int, planet: str) -> Json:
    landing_counts = enumerate(part.landing_codes[position], start=MIN_CODE)
    resources = zip(
        part.resource_type[position],
        part.resource_icon[position],
        part.resource_mark[position],
        strict=True,
    )
    return {
        "planet": planet,
        "jump": MIN_CODE + part.jump_code[position].index(1),
        "scan": MIN_CODE + part.scan_code[position].index(1),
        "landing": [code for code, count in landing_counts for _ in range(count)],
        "owner": index_or_none(part.owner[position]),
        "face_down": part.face_down[position],
        "face_up": [
            {"resource": KIND_NAMES[2 * kind.index(1) + icon], "mark": index_or_none(mark)}
            for kind, icon, mark in resources
            if 1 in kind
        ],
    }


def _decode_seat(part: SimpleNamespace, seat: int, ring: Sequence[str]) -> Json:
    hidden_count = part.hidden_count[seat]
    hidden = named_counts(KIND_NAMES, part.hidden[seat])
    return {
        "location": _place(ring, part.location[seat].index(1)),
        "hand_count": part.hand_count[seat],
        "hidden_count": hidden_count,
        "hidden": hidden if sum(hidden.values()) == hidden_count else None,
        "collected": named_counts(KIND_NAMES, part.collected[seat]),
        "black_hole_markers": part.black_hole_markers[seat],
        "public_points": part.public_points[seat],
    }
