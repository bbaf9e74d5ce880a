"""Jump Gate in words: actions as text, positions and views as JSON.

Planets and cards go by their ids (P05, N01, R37), resources that are chosen go by kind: "red gem*"
is a red gem with a black-hole icon. `position.state_from_json` reads what `state_to_json` writes.

A view is what one player may know. It tells the same as the player's observation, in words and by
relative seats: seat 0 is the player who looks, seat k sits k places further clockwise.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any, Final

import numpy as np

from tabletop_core.errors import TabletopError
from tabletop_core.game import Array, Json, Ruleset

from .observation import MAX_BYTE, OBSERVATION
from .rules import (
    ACTIONS,
    END_REASONS,
    GATE,
    NO_PLAYER,
    NO_TARGET,
    PENDING_ACTIONS,
    PENDING_HARVEST,
    PENDING_NOTHING,
    PROMPT_OVER,
    PROMPT_SPEND,
    PROMPTS,
    final_result,
)
from .sizes import (
    HAND_SIZE,
    MIN_CODE,
    MIN_PLAYERS,
    NO_CODE,
    NUM_KINDS,
    NUM_TYPES,
    TYPE_NAMES,
    WILDCARD,
)

GAME_ID: Final = "jumpgate_v0"
GATE_NAME: Final = "gate"
MARKED_NAME: Final = "marked"
KIND_NAMES: Final = tuple(name + icon for name in TYPE_NAMES[:NUM_TYPES] for icon in ("", "*"))
SLOT_PAIRS: Final = tuple(combinations(range(HAND_SIZE), 2))


# --- actions ---------------------------------------------------------------------------------


def action_to_string(ruleset: Ruleset, state: Array, action: int) -> str:
    """The text of any action 0 .. 111, legal or not, by the hand of the current player.

    An empty hand slot is written "empty-slot-4", a ring position that is not in play "absent planet 9".

    Raises:
        TabletopError: there is no such action.
    """
    if not 0 <= action < ACTIONS.count:
        raise TabletopError(
            f"{GAME_ID}: there is no action {action}; actions are 0 to {ACTIONS.count - 1}"
        )
    s = state[0]
    block, k = ACTIONS.block_of(action)
    match block.name:
        case "fly" | "jump":
            return f"{block.name} to {_ring_name(ruleset, s, k)}"
        case "harvest":
            return f"harvest at {_ring_name(ruleset, s, k)}"
        case "discard":
            slots = [slot for slot in range(HAND_SIZE) if k >> slot & 1]
            return f"discard {_slot_names(ruleset, s, slots) or 'nothing'}"
        case "spend":
            return f"spend {_slot_names(ruleset, s, (k,))}"
        case "spend_pair":
            return f"spend {_slot_names(ruleset, s, SLOT_PAIRS[k])}"
        case "take" | "mark":
            return f"{block.name} {KIND_NAMES[k]}"
        case name:
            return name.replace("_", " ")


def string_to_action(ruleset: Ruleset, state: Array, text: str) -> int:
    """The action of a text in the same state; the inverse of `action_to_string`.

    Raises:
        TabletopError: no action is written like this now.
    """
    if not isinstance(text, str):
        raise TabletopError(f"{GAME_ID}: an action is written as text, not {type(text).__name__}")
    words = " ".join(text.split())
    verb = words.partition(" ")[0]
    block_names = []
    for block in ACTIONS.blocks:
        if block.name.partition("_")[0] == verb:
            block_names.append(block.name)
            first = ACTIONS.first(block.name)
            for action in range(first, first + block.count):
                if action_to_string(ruleset, state, action) == words:
                    return action
    raise TabletopError(_unknown_text(ruleset, state, text, block_names))


def _unknown_text(ruleset: Ruleset, state: Array, text: str, block_names: Sequence[str]) -> str:
    shown = repr(text if len(text) <= 80 else text[:80] + "...")
    if not block_names:
        verbs = dict.fromkeys(block.name.partition("_")[0] for block in ACTIONS.blocks)
        return f"{GAME_ID}: {shown} is not an action; actions begin with {', '.join(verbs)}"
    examples = [
        action_to_string(ruleset, state, ACTIONS.first(name) + block.count - 1)
        for name in block_names
        for block in ACTIONS.blocks
        if block.name == name
    ]
    hand = _slot_names(ruleset, state[0], range(int(state[0].hands[_current(state)]).bit_count()))
    ring = ", ".join(_ring(ruleset, state[0]))
    return (
        f"{GAME_ID}: {shown} is not an action; write for example "
        f"{' or '.join(repr(example) for example in examples)} "
        f"(planets {ring}; hand of player {_current(state)}: {hand or 'empty'}; "
        f"resources {', '.join(KIND_NAMES)})"
    )


def _current(state: Array) -> int:
    return int(state[0].current_player)


def _ring_name(ruleset: Ruleset, s: Any, position: int) -> str:
    if position < ruleset.tables.ring_size(ruleset.num_players):
        return str(ruleset.tables.planets[s.ring[position]].id)
    return f"absent planet {position + 1}"


def _slot_names(ruleset: Ruleset, s: Any, slots: Iterable[int]) -> str:
    hand = _ids(ruleset.tables.navigation, s.hands[s.current_player])
    return " ".join(hand[k] if k < len(hand) else f"empty-slot-{k + 1}" for k in slots)


# --- positions -------------------------------------------------------------------------------


def state_to_json(ruleset: Ruleset, state: Array) -> Json:
    """The whole position, hidden things too, as JSON types; lists of cards sorted.

    Lists go by ring position (ring, owners, face_down, face_up) or by player (marks, locations,
    hands, hidden, collected). Player numbers are the real ones.
    """
    s = state[0]
    tables = ruleset.tables
    planets = range(tables.ring_size(ruleset.num_players))
    players = range(ruleset.num_players)
    return {
        "game": GAME_ID,
        "ruleset": f"{int(s.ruleset):016x}",
        "num_players": ruleset.num_players,
        "ring": _ring(ruleset, s),
        "owners": [_player_or_none(s.owners[k]) for k in planets],
        "face_down": [int(s.face_down[k]) for k in planets],
        "face_up": [_ids(tables.resources, s.face_up[k]) for k in planets],
        "marks": [_ids(tables.resources, s.marks[k]) for k in players],
        "locations": [_place(ruleset, s, s.locations[k]) for k in players],
        "hands": [_ids(tables.navigation, s.hands[k]) for k in players],
        "hidden": [_ids(tables.resources, s.hidden[k]) for k in players],
        "collected": [_ids(tables.resources, s.collected[k]) for k in players],
        "removed": _ids(tables.resources, s.removed),
        "unseen": _ids(tables.resources, s.unseen),
        "deck": _ids(tables.navigation, s.deck),
        "discard": _ids(tables.navigation, s.discard),
        "held_since": {
            card.id: int(group)
            for card, group in zip(tables.navigation, s.held_since, strict=True)
            if group
        },
        "current_player": int(s.current_player),
        "actions_left": int(s.actions_left),
        "prompt": PROMPTS[s.prompt],
        "pending": _pending(ruleset, s),
        "final_turns_left": int(s.final_turns_left),
        "turn_count": int(s.turn_count),
        "decision_count": int(s.decision_count),
        "end_reasons": [name for k, name in enumerate(END_REASONS) if int(s.end_reasons) >> k & 1],
        "truncated": bool(s.is_truncated),
        "rng": f"0x{int(s.rng):016x}",
    }


def _pending(ruleset: Ruleset, s: Any) -> Json | None:
    """What was announced and is not paid yet."""
    if s.pending_action == PENDING_NOTHING:
        return None
    planet = None
    if s.pending_target != NO_TARGET:
        planet = _ring_name(ruleset, s, int(s.pending_target))
    resource = None
    if s.pending_action == PENDING_HARVEST and s.prompt == PROMPT_SPEND:
        resource = (*KIND_NAMES, MARKED_NAME)[s.pending_resource]
    return {
        "action": PENDING_ACTIONS[s.pending_action],
        "planet": planet,
        "resource": resource,
    }


def _ring(ruleset: Ruleset, s: Any) -> list[str]:
    planets = range(ruleset.tables.ring_size(ruleset.num_players))
    return [_ring_name(ruleset, s, position) for position in planets]


def _place(ruleset: Ruleset, s: Any, location: Any) -> str:
    return GATE_NAME if location == GATE else _ring_name(ruleset, s, int(location))


def _player_or_none(owner: Any) -> int | None:
    return None if owner == NO_PLAYER else int(owner)


def _ids(cards: Sequence[Any], word: Any) -> list[str]:
    """Ids of the cards in a set, in card order."""
    return [cards[k].id for k in _members(word)]


def _members(word: Any) -> Iterator[int]:
    left = int(word)
    while left:
        yield (left & -left).bit_length() - 1
        left &= left - 1


# --- views: from the state -------------------------------------------------------------------


def view_to_json(ruleset: Ruleset, state: Array, player: int) -> Json:
    """What `player` may know, as JSON types; by seats, see the head of this file.

    ring: the planets in ring order; `face_up` in card order. seats: what lies before each seat;
    `hidden` is null where the cards cannot be known; `public_points` count collected resources and
    planets, 255 standing for 255 and more.
    """
    s = state[0]
    tables = ruleset.tables
    order = [(player + seat) % ruleset.num_players for seat in range(ruleset.num_players)]
    return {
        "game": GAME_ID,
        "num_players": ruleset.num_players,
        "prompt": PROMPTS[s.prompt],
        "current_seat": order.index(int(s.current_player)),
        "actions_left": int(s.actions_left),
        "final_turns_left": int(s.final_turns_left),
        "pending": _pending(ruleset, s),
        "hand": [_card_view(tables.navigation[k]) for k in _members(s.hands[player])],
        "discard": _ids(tables.navigation, s.discard),
        "deck_count": int(s.deck).bit_count(),
        "removed_count": int(s.removed).bit_count(),
        "ring": [
            _planet_view(ruleset, s, order, position)
            for position in range(tables.ring_size(ruleset.num_players))
        ],
        "seats": _seat_views(ruleset, state, order),
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
    return "W" if code == WILDCARD else int(code)


def _planet_view(ruleset: Ruleset, s: Any, order: Sequence[int], position: int) -> Json:
    planet = ruleset.tables.planets[s.ring[position]]
    owner = _player_or_none(s.owners[position])
    return {
        "planet": planet.id,
        "jump": planet.jump,
        "scan": planet.scan,
        "landing": sorted((planet.land_a, planet.land_b)),
        "owner": None if owner is None else order.index(owner),
        "face_down": int(s.face_down[position]),
        "face_up": [
            {
                "resource": ruleset.tables.resources[card].name,
                "mark": next((k for k, p in enumerate(order) if int(s.marks[p]) >> card & 1), None),
            }
            for card in _members(s.face_up[position])
        ],
    }


def _seat_views(ruleset: Ruleset, state: Array, order: Sequence[int]) -> list[Json]:
    s = state[0]
    markers = _black_hole_markers(ruleset, state)
    points = _public_points(ruleset, state)
    views = []
    for player in order:
        hidden_count = int(s.hidden[player]).bit_count()
        is_known = player == order[0] or hidden_count == 0 or _is_shown(ruleset, s, markers, player)
        views.append(
            {
                "location": _place(ruleset, s, s.locations[player]),
                "hand_count": int(s.hands[player]).bit_count(),
                "hidden_count": hidden_count,
                "hidden": _kind_counts(ruleset, s.hidden[player]) if is_known else None,
                "collected": _kind_counts(ruleset, s.collected[player]),
                "black_hole_markers": markers[player],
                "public_points": min(points[player], MAX_BYTE),
            }
        )
    return views


def _is_shown(ruleset: Ruleset, s: Any, markers: Sequence[int], player: int) -> bool:
    """§8, §6: at the end the hidden resources that are kept are shown."""
    is_full = sum(markers) >= ruleset.options.blackhole_limit
    return s.prompt == PROMPT_OVER and not (is_full and markers[player] == max(markers))


def _black_hole_markers(ruleset: Ruleset, state: Array) -> list[int]:
    """§5: one for each icon among the collected resources of a player."""
    icons = int(ruleset.record[0].icons)
    collected = state[0].collected[: ruleset.num_players]
    return [(int(word) & icons).bit_count() for word in collected]


def _public_points(ruleset: Ruleset, state: Array) -> list[int]:
    """§8: points of each player as if nobody had hidden resources."""
    open_state = state.copy()
    open_state[0].hidden[:] = 0
    points = np.zeros(ruleset.num_players)
    final_result(ruleset.record, open_state, 0, points, np.zeros(ruleset.num_players, np.bool_))
    return [int(value) for value in points]


def _kind_counts(ruleset: Ruleset, word: Any) -> dict[str, int]:
    """Name of each kind that is there -> number of cards, in the order of the kinds."""
    kinds = [ruleset.tables.resources[card].kind for card in _members(word)]
    return {KIND_NAMES[kind]: kinds.count(kind) for kind in sorted(set(kinds))}


# --- views: from the observation -------------------------------------------------------------


def decode(ruleset: Ruleset, observation: Array) -> Json:
    """The view that an observation, uint8 [size], tells: equal to `view_to_json`."""
    part = OBSERVATION.split(np.asarray(observation))
    navigation = ruleset.tables.navigation
    ring = [
        ruleset.tables.planets[int(card) - 1].id
        for card, in_play in zip(part["planet_card"], part["in_play"], strict=True)
        if in_play
    ]
    num_players = MIN_PLAYERS + _index(part["num_players"])
    return {
        "game": GAME_ID,
        "num_players": num_players,
        "prompt": PROMPTS[_index(part["prompt"])],
        "current_seat": _index(part["current_seat"]),
        "actions_left": int(part["actions_left"][0]),
        "final_turns_left": int(part["final_turns_left"][0]),
        "pending": _decode_pending(part, ring),
        "hand": [
            {"card": card, **_decode_codes(codes)}
            for card, codes in zip(_names(navigation, part["hand"]), part["hand_codes"])
        ],
        "discard": _names(navigation, part["discard"]),
        "deck_count": int(part["deck_count"][0]),
        "removed_count": int(part["removed_count"][0]),
        "ring": [_decode_planet(part, position, planet) for position, planet in enumerate(ring)],
        "seats": [_decode_seat(part, seat, ring) for seat in range(num_players)],
    }


def _index(one_hot: Array) -> int:
    return int(one_hot.argmax())


def _index_or_none(one_hot: Array) -> int | None:
    return _index(one_hot) if one_hot.any() else None


def _names(cards: Sequence[Any], bits: Array) -> list[str]:
    return [cards[k].id for k in bits.nonzero()[0]]


def _decode_pending(part: dict[str, Array], ring: Sequence[str]) -> Json | None:
    action = _index_or_none(part["pending_action"])
    if action is None:
        return None
    target = _index_or_none(part["pending_target"])
    resource = _index_or_none(part["pending_resource"])
    return {
        "action": PENDING_ACTIONS[PENDING_NOTHING + 1 + action],
        "planet": None if target is None else ring[target],
        "resource": None if resource is None else (*KIND_NAMES, MARKED_NAME)[resource],
    }


def _decode_codes(codes: Array) -> Json:
    jump, scan, land = (_code(_index(one_hot)) for one_hot in codes)
    return {"jump": jump, "scan": scan, "land": land}


def _decode_planet(part: dict[str, Array], position: int, planet: str) -> Json:
    landing = [MIN_CODE + k for k, n in enumerate(part["landing_codes"][position]) for _ in range(n)]
    slots = zip(
        part["resource_type"][position],
        part["resource_icon"][position],
        part["resource_mark"][position],
        strict=True,
    )
    return {
        "planet": planet,
        "jump": MIN_CODE + _index(part["jump_code"][position]),
        "scan": MIN_CODE + _index(part["scan_code"][position]),
        "landing": landing,
        "owner": _index_or_none(part["owner"][position]),
        "face_down": int(part["face_down"][position]),
        "face_up": [
            {"resource": KIND_NAMES[2 * _index(kind) + int(icon)], "mark": _index_or_none(mark)}
            for kind, icon, mark in slots
            if kind.any()
        ],
    }


def _decode_seat(part: dict[str, Array], seat: int, ring: Sequence[str]) -> Json:
    hidden_count = int(part["hidden_count"][seat])
    hidden = _decode_kinds(part["hidden"][seat])
    location = _index(part["location"][seat])
    return {
        "location": GATE_NAME if location == GATE else ring[location],
        "hand_count": int(part["hand_count"][seat]),
        "hidden_count": hidden_count,
        "hidden": hidden if sum(hidden.values()) == hidden_count else None,
        "collected": _decode_kinds(part["collected"][seat]),
        "black_hole_markers": int(part["black_hole_markers"][seat]),
        "public_points": int(part["public_points"][seat]),
    }


def _decode_kinds(counts: Array) -> dict[str, int]:
    return {KIND_NAMES[kind]: int(counts[kind]) for kind in range(NUM_KINDS) if counts[kind]}
