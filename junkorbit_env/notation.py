"""Junk Orbit in words: actions as text, positions and views as JSON.

Cities go by their names, tiles of a position by their ids (E05, S01), and tiles that are chosen or
seen by kind: "4 to Tharsis", "1 starter". `position.state_from_json` reads what `state_to_json`
writes.

A view is what one player may know. It tells the same as the player's observation, in words and by
relative seats: seat 0 is the player who looks, seat k sits k places further clockwise.

Section numbers refer to RULES.md beside this file.
"""

from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Any, Final

from tabletop_core.bits import WORD_BITS
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

from .components import TILE_IDS
from .observation import MAX_BYTE, OBSERVATION
from .rules import (
    ACTIONS,
    CAUSE_NONE,
    HIT_CAUSES,
    NO_HEADING,
    PROMPT_AIM,
    PROMPT_BEAM,
    PROMPT_BEAM_TILE,
    PROMPT_DELIVER,
    PROMPT_HIT,
    PROMPT_LAUNCH,
    PROMPT_OVER,
    PROMPT_PAYBACK,
    PROMPTS,
)
from .sizes import (
    MIN_PLAYERS,
    NO_CITY,
    NO_POWER,
    NO_TILE,
    NUM_CITIES,
    NUM_SHIPS,
    STACK_NAMES,
)

GAME_ID: Final = "junkorbit_v0"
HEADING_NAMES: Final = ("clockwise", "counter-clockwise")
SHIP_NAMES: Final = tuple(f"S{number + 1}" for number in range(NUM_SHIPS))

# How an action of a block is written at each prompt that knows it; elsewhere as at the first one.
TILE_TEXTS: Final = {
    PROMPT_LAUNCH: "launch {kind}",
    PROMPT_HIT: "drop {kind} from cargo",
    PROMPT_AIM: "make player {victim} drop {kind}",
    PROMPT_PAYBACK: "drop {kind} from cargo",
    PROMPT_DELIVER: "deliver {kind}",
    PROMPT_BEAM_TILE: "beam {kind}",
}
DONE_TEXTS: Final = {
    PROMPT_DELIVER: "keep the rest",
    PROMPT_HIT: "ignore the hit",
    PROMPT_BEAM: "beam nothing",
}


# --- actions ---------------------------------------------------------------------------------


def action_to_string(ruleset: Ruleset, state: Array, action: int) -> str:
    """The text of any action 0 .. 342, legal or not, at the pending decision.

    A kind of tile that the ruleset does not have is written "tile kind 99 (not in this ruleset)".

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
    action = find_action(words, range(ACTIONS.count), texts.text)
    if action is None:
        raise TabletopError(f"{GAME_ID}: {shown(text)} is not an action now; {texts.hint()}")
    return action


class _ActionTexts:
    """Texts of the actions in one position."""

    def __init__(self, ruleset: Ruleset, state: Array) -> None:
        self.cities: tuple[str, ...] = ruleset.tables.cities
        self.kinds: tuple[str, ...] = ruleset.tables.kinds
        self.prompt = int(state["prompt"][0])
        self.victim = player_or_none(int(state["victim"][0]))

    def text(self, action: int) -> str:
        block, k = ACTIONS.block_of(action)
        match block.name:
            case "tile":
                form = TILE_TEXTS.get(self.prompt, TILE_TEXTS[PROMPT_LAUNCH])
                return form.format(kind=self._kind(k), victim=self.victim)
            case "delivered":
                return f"drop {self._kind(k)} from deliveries"
            case "land":
                heading, city = divmod(k, NUM_CITIES)
                return f"{HEADING_NAMES[heading]}, land on {self.cities[city]}"
            case "move":
                return f"move to {self.cities[k]}"
            case "beam":
                return f"beam from {self.cities[k]}"
            case _:
                return DONE_TEXTS.get(self.prompt, DONE_TEXTS[PROMPT_DELIVER])

    def _kind(self, kind: int) -> str:
        if kind < len(self.kinds):
            return self.kinds[kind]
        return f"tile kind {kind} (not in this ruleset)"

    def hint(self) -> str:
        """What actions look like at this decision."""
        forms = dict.fromkeys(self.text(ACTIONS.first(block.name)) for block in ACTIONS.blocks)
        return (
            f"write like {', '.join(repr(form) for form in forms)} "
            f"(cities are {', '.join(self.cities[:3])}, ...)"
        )


# --- positions -------------------------------------------------------------------------------


def state_to_json(ruleset: Ruleset, state: Array) -> Json:
    """The whole position as JSON types; lists of tiles sorted by number.

    Lists go by player (ships, powers, cargo, deliveries); cities are those in play, by number.
    Player numbers are the real ones. `stacks` hold what is left; their order is undecided.
    """
    s = state_values(state)
    names = ruleset.tables.cities
    players = range(ruleset.num_players)
    return {
        **position_head(ruleset, s),
        "ships": [names[s.ships[k]] for k in players],
        "powers": _ship_names(s.powers[: len(players)]) if ruleset.record[0].has_powers else None,
        "cities": {names[k]: tile_ids(tile_set(s.cities[k])) for k in cities_in_play(ruleset)},
        "cargo": [tile_ids(tile_set(s.cargo[k])) for k in players],
        "deliveries": [tile_ids(tile_set(s.deliveries[k])) for k in players],
        "stacks": {name: tile_ids(tiles) for name, tiles in _stacks(ruleset, s).items()},
        "turn_player": s.turn_player,
        "current_player": s.current_player,
        "prompt": PROMPTS[s.prompt],
        "launch": _launch(ruleset, s, TILE_IDS),
        "beam_city": _city_or_none(ruleset, s.beam_city),
        "hit_cause": None if s.hit_cause == CAUSE_NONE else HIT_CAUSES[s.hit_cause],
        "victims": _in_turn_order(ruleset, s, members(s.victims)),
        "victim": player_or_none(s.victim),
        "final_turns_left": s.final_turns_left,
        **position_tail(ruleset, s),
    }


def _ship_names(powers: Sequence[int]) -> list[str]:
    """Both sides of a ship have its name."""
    return [SHIP_NAMES[(power - 1) % NUM_SHIPS] for power in powers]


def _stacks(ruleset: Ruleset, s: SimpleNamespace) -> dict[str, int]:
    """Name of each stack -> the set of its tiles."""
    sets = ruleset.record[0].stack_tiles
    left = tile_set(s.stacks)
    return {name: left & tile_set(sets[k].tolist()) for k, name in enumerate(STACK_NAMES)}


def _launch(ruleset: Ruleset, s: SimpleNamespace, names: Sequence[str]) -> Json | None:
    """The launch under way; `names` by tile number."""
    if s.launched == NO_TILE:
        return None
    return {
        "tile": names[s.launched],
        "heading": None if s.heading == NO_HEADING else HEADING_NAMES[s.heading],
        "landing": _city_or_none(ruleset, s.landing),
    }


def _city_or_none(ruleset: Ruleset, city: int) -> str | None:
    return None if city == NO_CITY else str(ruleset.tables.cities[city])


def _in_turn_order(ruleset: Ruleset, s: SimpleNamespace, players: Iterable[int]) -> list[int]:
    """§6 D2: clockwise from the left of the player whose turn it is."""
    return sorted(players, key=lambda player: (player - s.turn_player) % ruleset.num_players)


def cities_in_play(ruleset: Ruleset) -> list[int]:
    """Numbers of the cities in play, ascending."""
    return list(members(ruleset.record[0].cities))


def tile_set(words: Sequence[Any]) -> int:
    """A set of tiles in words as one Python int, bit k for tile k."""
    return sum(int(word) << WORD_BITS * place for place, word in enumerate(words))


def tile_ids(tiles: int) -> list[str]:
    """Ids of the tiles in a set, by number."""
    return [TILE_IDS[tile] for tile in members(tiles)]


# --- views: from the state -------------------------------------------------------------------


def view_to_json(ruleset: Ruleset, state: Array, player: int) -> Json:
    """What `player` may know, as JSON types; by seats, see the head of this file.

    Tiles are counted by kind. `deliveries` and `points` of a seat and `tiles` of a stack are null
    where they are hidden; `points` 255 stand for 255 and more.
    """
    s = state_values(state)
    order = seat_order(ruleset, player)
    is_open = bool(ruleset.record[0].deliveries_visible) or s.prompt == PROMPT_OVER
    kinds = [ruleset.tables.kinds[kind] for kind in ruleset.tables.kind_of]
    names = ruleset.tables.cities
    return {
        "game": GAME_ID,
        "num_players": ruleset.num_players,
        "prompt": PROMPTS[s.prompt],
        "current_seat": order.index(s.current_player),
        "turn_seat": order.index(s.turn_player),
        "final_turns_left": s.final_turns_left,
        "launch": _launch(ruleset, s, kinds),
        "hit_cause": None if s.hit_cause == CAUSE_NONE else HIT_CAUSES[s.hit_cause],
        "victim": None if player_or_none(s.victim) is None else order.index(s.victim),
        "victims": [order.index(k) for k in _in_turn_order(ruleset, s, members(s.victims))],
        "beam_city": _city_or_none(ruleset, s.beam_city),
        "stacks": {name: tiles.bit_count() for name, tiles in _stacks(ruleset, s).items()},
        "cities": {
            names[k]: _kind_counts(ruleset, tile_set(s.cities[k])) for k in cities_in_play(ruleset)
        },
        "seats": [
            _seat_view(ruleset, s, other, is_shown=is_open or other == player) for other in order
        ],
    }


def _seat_view(ruleset: Ruleset, s: SimpleNamespace, player: int, is_shown: bool) -> Json:
    delivered = tile_set(s.deliveries[player])
    values = ruleset.record[0].value_of
    points = sum(int(values[tile]) for tile in members(delivered))
    power = s.powers[player]
    return {
        "ship": ruleset.tables.cities[s.ships[player]],
        "power": None if power == NO_POWER else _ship_names([power])[0],
        "cargo": _kind_counts(ruleset, tile_set(s.cargo[player])),
        "delivery_count": delivered.bit_count(),
        "deliveries": _kind_counts(ruleset, delivered) if is_shown else None,
        "points": min(points, MAX_BYTE) if is_shown else None,
    }


def _kind_counts(ruleset: Ruleset, tiles: int) -> dict[str, int]:
    """Name of each kind that is there -> number of tiles, in the order of the kinds."""
    tables = ruleset.tables
    return count_by_name(tables.kinds, (tables.kind_of[tile] for tile in members(tiles)))


# --- views: from the observation -------------------------------------------------------------


def decode(ruleset: Ruleset, observation: Array) -> Json:
    """The view that an observation, uint8 [size], tells: equal to `view_to_json`."""
    part = observation_values(OBSERVATION, observation)
    count = MIN_PLAYERS + part.num_players.index(1)
    prompt = part.prompt.index(1)
    turn_seat = part.turn_seat.index(1)
    by_turn = [*range(turn_seat, count), *range(turn_seat)]
    is_open = bool(ruleset.record[0].deliveries_visible) or prompt == PROMPT_OVER
    names = ruleset.tables.cities
    cause = index_or_none(part.hit_cause)
    beam_city = index_or_none(part.beam_city)
    return {
        "game": GAME_ID,
        "num_players": count,
        "prompt": PROMPTS[prompt],
        "current_seat": part.current_seat.index(1),
        "turn_seat": turn_seat,
        "final_turns_left": part.final_turns_left[0],
        "launch": _decode_launch(ruleset, part),
        "hit_cause": None if cause is None else HIT_CAUSES[cause + 1],
        "victim": index_or_none(part.victim),
        "victims": [seat for seat in by_turn if part.victims[seat]],
        "beam_city": None if beam_city is None else names[beam_city],
        "stacks": {name: part.stack_count[k] for k, name in enumerate(STACK_NAMES)},
        "cities": {
            names[k]: _decode_kinds(ruleset, part.city_tiles[k])
            for k, in_play in enumerate(part.in_play)
            if in_play
        },
        "seats": [
            _decode_seat(ruleset, part, seat, is_shown=is_open or seat == 0)
            for seat in range(count)
        ],
    }


def _decode_launch(ruleset: Ruleset, part: SimpleNamespace) -> Json | None:
    kind = index_or_none(part.launched)
    if kind is None:
        return None
    heading, landing = index_or_none(part.heading), index_or_none(part.landing)
    return {
        "tile": ruleset.tables.kinds[kind],
        "heading": None if heading is None else HEADING_NAMES[heading],
        "landing": None if landing is None else ruleset.tables.cities[landing],
    }


def _decode_seat(ruleset: Ruleset, part: SimpleNamespace, seat: int, is_shown: bool) -> Json:
    power = index_or_none(part.power[seat])
    return {
        "ship": ruleset.tables.cities[part.ship[seat].index(1)],
        "power": None if power is None else SHIP_NAMES[power % NUM_SHIPS],
        "cargo": _decode_kinds(ruleset, part.cargo[seat]),
        "delivery_count": part.delivery_count[seat],
        "deliveries": _decode_kinds(ruleset, part.deliveries[seat]) if is_shown else None,
        "points": part.points[seat] if is_shown else None,
    }


def _decode_kinds(ruleset: Ruleset, counts: Sequence[int]) -> dict[str, int]:
    return named_counts(ruleset.tables.kinds, counts)
