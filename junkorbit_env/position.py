"""Positions from words: `state_from_json`, and the rules by which impossible ones are refused.

Section numbers refer to RULES.md beside this file.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from tabletop_core.bits import WORD_BITS
from tabletop_core.game import Array, Json, Ruleset
from tabletop_core.position import (
    MAX_COUNT,
    REQUIRED,
    REST,
    Position,
    Readers,
    RuleBook,
    conservation_problems,
    end_problems,
    head_readers,
    id_set,
    list_of,
    list_up_to,
    mapping,
    new_state,
    number,
    optional,
    read_position,
    record,
    set_of,
    tail_readers,
    turn_problems,
    union,
    word,
)

from .components import TILE_IDS
from .notation import (
    HEADING_NAMES,
    SHIP_NAMES,
    cities_in_play,
    tile_ids,
    tile_set,
)
from .rules import (
    AIMED_SHOT,
    BEAM,
    CAUSE_LAUNCH,
    CAUSE_NONE,
    CAUSE_RAM,
    DONE,
    HIT_CAUSES,
    NO_HEADING,
    NO_PLAYER,
    ONES_PER_PLAYER,
    PAYBACK,
    PROMPT_AIM,
    PROMPT_BEAM,
    PROMPT_BEAM_TILE,
    PROMPT_HIT,
    PROMPT_LAND,
    PROMPT_LAUNCH,
    PROMPT_MOVE,
    PROMPT_PAYBACK,
    PROMPTS,
    RAM,
    THROUGH_SHOT,
    TRACTOR_BEAM,
    TWOS_PER_PLAYER,
    legal_actions,
)
from .ruleset import POWERS
from .sizes import (
    FIRST_STARTER,
    FIRST_TWO,
    NO_CITY,
    NO_POWER,
    NO_TILE,
    NUM_CITIES,
    STACK_NAMES,
    TILE_WORDS,
)

HIT_PROMPTS: Final = (PROMPT_HIT, PROMPT_AIM, PROMPT_PAYBACK)
BEAM_PROMPTS: Final = (PROMPT_BEAM, PROMPT_BEAM_TILE)
# Keys whose values are stored as they are read.
STORED: Final = ("turn_player", "hit_cause", "final_turns_left")
REFUSALS: Final = RuleBook()


def state_from_json(ruleset: Ruleset, data: Json) -> Array:
    """The state array [1] of a position in words; its legal set is not filled yet.

    A position written by hand may leave out: game, ruleset, num_players, rng (then that of seed 0);
    turn_count, decision_count, final_turns_left (0); prompt ("launch"), current_player (whose turn
    it is, or at a hit the victim); launch, beam_city, hit_cause, victim, powers (null), victims,
    end_reasons ([]), truncated (false); cities without tiles; stacks (then all tiles in play that
    are named nowhere else).

    Raises:
        TabletopError: the position cannot be read or cannot occur; lists every reason found.
    """
    readers = _readers(ruleset)
    position = _Position(ruleset)
    return read_position(
        position, data, readers, _fill_rest, REFUSALS, _to_state, _decision_problems
    )


class _Position(Position):
    """A position being read. Sets of tiles are Python ints, bit k for tile k."""

    @property
    def is_launched(self) -> bool:
        """Whether a tile has landed and the ship has not moved yet."""
        return self.prompt == PROMPT_MOVE or (
            self.prompt in HIT_PROMPTS and self.hit_cause == CAUSE_LAUNCH
        )

    @property
    def in_play(self) -> int:
        """§4.2, §4.5: tiles of the stacks, and the starters of the players."""
        count = len(self.players)
        ones = range(FIRST_STARTER, FIRST_STARTER + ONES_PER_PLAYER * count)
        twos = range(FIRST_TWO, FIRST_TWO + TWOS_PER_PLAYER * count)
        return tile_set(self.rules.tiles) | set_of((*ones, *twos))

    def power(self, player: int) -> int:
        """Number of the power of a ship, NO_POWER without."""
        side = self.ruleset.options.ship_powers
        return NO_POWER if self.powers is None else POWERS[side][self.powers[player]]

    def stack_of(self, city: int) -> int:
        """What is left in the stack that fills a city."""
        return int(self.stacks.get(int(self.rules.stack_of[city]), 0))

    def city_name(self, city: int) -> str:
        return str(self.ruleset.tables.cities[city])

    def left_of(self, player: int) -> list[int]:
        """The other players clockwise from the left of a player."""
        count = len(self.players)
        return [(player + step) % count for step in range(1, count)]


# --- first step: each field on its own -------------------------------------------------------


def _readers(ruleset: Ruleset) -> Readers:
    """For each key how its value is read, and its value when left out."""
    players = ruleset.num_players
    names = ruleset.tables.cities
    city = word(names)
    player = number(0, players - 1)
    tiles = id_set(TILE_IDS, "tile")
    launch = {
        "tile": (word(TILE_IDS), REQUIRED),
        "heading": (optional(word(HEADING_NAMES)), None),
        "landing": (optional(city), None),
    }
    return {
        **head_readers(ruleset),
        "ships": (list_of(players, "players", city), REQUIRED),
        "powers": (optional(list_of(players, "players", word(SHIP_NAMES))), None),
        "cities": (mapping(names, "city", tiles), REQUIRED),
        "cargo": (list_of(players, "players", tiles), REQUIRED),
        "deliveries": (list_of(players, "players", tiles), REQUIRED),
        "stacks": (mapping(STACK_NAMES, "stack", tiles), REST),
        "turn_player": (player, REQUIRED),
        "current_player": (player, REST),
        "prompt": (word(PROMPTS), PROMPT_LAUNCH),
        "launch": (optional(record(launch)), None),
        "beam_city": (optional(city), None),
        "hit_cause": (_hit_cause, CAUSE_NONE),
        "victims": (list_up_to(players - 1, "players", player), []),
        "victim": (optional(player), None),
        "final_turns_left": (number(0, players), 0),
        **tail_readers(ruleset, int(ruleset.record[0].max_turns) or MAX_COUNT),
    }


def _hit_cause(value: Any) -> int:
    read = optional(word(HIT_CAUSES[CAUSE_LAUNCH:]))(value)
    return CAUSE_NONE if read is None else CAUSE_LAUNCH + int(read)


def _fill_rest(p: _Position) -> None:
    """What was left out and follows from the other fields."""
    if p.values.get("current_player") is REST:
        _fill_current_player(p)
    if p.values.get("stacks") is REST:
        _fill_stacks(p)


def _fill_current_player(p: _Position) -> None:
    """§6: whose turn it is, or the victim of a hit."""
    if not p.broken.isdisjoint({"turn_player", "prompt", "victim"}):
        p.broken.add("current_player")
        return
    is_victim = p.prompt == PROMPT_HIT and p.victim is not None
    p.values["current_player"] = p.victim if is_victim else p.turn_player


def _fill_stacks(p: _Position) -> None:
    """§11: all tiles in play that are named nowhere else are in the stacks."""
    if not p.broken.isdisjoint({"cities", "cargo", "deliveries"}):
        p.broken.add("stacks")
        return
    named = union((*p.cities.values(), *p.cargo, *p.deliveries))
    rest = tile_set(p.rules.tiles) & ~named
    p.values["stacks"] = {
        stack: rest & tile_set(p.rules.stack_tiles[stack]) for stack in range(len(STACK_NAMES))
    }


# --- second step: what ties the fields to each other -----------------------------------------


@REFUSALS.rule("cities", "cargo", "deliveries", "stacks")
def _each_tile_is_in_one_place(p: _Position) -> Iterator[str]:
    piles = [(p.city_name(city), tiles) for city, tiles in p.cities.items()]
    piles += [(f"cargo of player {k}", p.cargo[k]) for k in p.players]
    piles += [(f"deliveries of player {k}", p.deliveries[k]) for k in p.players]
    piles += [(f"the {STACK_NAMES[stack]} stack", tiles) for stack, tiles in p.stacks.items()]
    yield from conservation_problems(piles, p.in_play, _names)
    strangers = union(tiles for _, tiles in piles) & ~p.in_play
    if strangers:
        count = len(p.players)
        yield f"{_names(strangers)}: not in play with {count} players (RULES.md §4.2, §4.5)"


@REFUSALS.rule("stacks")
def _stacks_hold_their_own_tiles(p: _Position) -> Iterator[str]:
    for stack, tiles in p.stacks.items():
        wrong = tiles & ~tile_set(p.rules.stack_tiles[stack])
        if wrong:
            yield f"stacks[{STACK_NAMES[stack]}]: {_names(wrong)}: of another stack (RULES.md §4.2)"


@REFUSALS.rule("deliveries")
def _starters_are_never_delivered(p: _Position) -> Iterator[str]:
    for k in p.players:
        wrong = p.deliveries[k] >> FIRST_STARTER << FIRST_STARTER
        if wrong:
            yield f"deliveries[{k}]: {_names(wrong)}: starters have no destination (RULES.md §2.2)"


@REFUSALS.rule("cities")
def _tiles_lie_on_cities_in_play(p: _Position) -> Iterator[str]:
    for city in sorted(p.cities.keys() - cities_in_play(p.ruleset)):
        yield f"cities[{p.city_name(city)}]: this city is not in play (RULES.md §1.1)"


@REFUSALS.rule("ships")
def _ships_are_in_play(p: _Position) -> Iterator[str]:
    for k in p.players:
        if p.ships[k] not in cities_in_play(p.ruleset):
            yield f"ships[{k}]: {p.city_name(p.ships[k])} is not in play (RULES.md §1.1)"


@REFUSALS.rule("powers")
def _powers_go_by_the_option(p: _Position) -> Iterator[str]:
    side = p.ruleset.options.ship_powers
    if p.rules.has_powers and p.powers is None:
        yield f"powers: each player has a ship (option ship_powers={side!r}, RULES.md §4.4, §8)"
    if not p.rules.has_powers and p.powers is not None:
        yield "powers: must be null, ships are alike (option ship_powers='off', RULES.md §8)"
    for ship in sorted({ship for ship in p.powers or () if p.powers.count(ship) > 1}):
        yield f"powers: two players have {SHIP_NAMES[ship]} (RULES.md §4.4)"


@REFUSALS.rule("ships", "cities", "stacks", "turn_player", "prompt")
def _empty_cities_have_empty_stacks(p: _Position) -> Iterator[str]:
    """§4.3, §6 step 6."""
    filled = {city for city, tiles in p.cities.items() if tiles} | _waiting_cities(p)
    for city in cities_in_play(p.ruleset):
        if city not in filled and p.stack_of(city):
            stack = STACK_NAMES[p.rules.stack_of[city]]
            yield (
                f"cities[{p.city_name(city)}]: no tile, though the {stack} stack is not empty "
                "(RULES.md §4.3, §6)"
            )


@REFUSALS.rule("turn_player", "current_player", "prompt", "victim")
def _the_right_player_decides(p: _Position) -> Iterator[str]:
    right = p.victim if p.prompt == PROMPT_HIT else p.turn_player
    player, prompt = p.current_player, PROMPTS[p.prompt]
    if right is not None and player != right:
        yield f"current_player: {player}; at prompt {prompt!r} it is {right} (RULES.md §6)"


@REFUSALS.rule("prompt", "launch", "hit_cause")
def _launch_fits_the_prompt(p: _Position) -> Iterator[str]:
    """§6 D1: null before a tile is chosen and again once the ship has moved."""
    prompt = PROMPTS[p.prompt]
    if p.prompt == PROMPT_LAND:
        if p.launch is None or _way(p.launch) != (None, None):
            yield "launch: at prompt 'land' it must be a tile with nothing else (RULES.md §6)"
    elif p.is_launched:
        if p.launch is None or None in _way(p.launch):
            yield f"launch: at prompt {prompt!r} it must have heading and landing (RULES.md §6)"
    elif p.launch is not None:
        yield f"launch: at prompt {prompt!r} it must be null (RULES.md §6)"


@REFUSALS.rule("prompt", "launch", "hit_cause", "turn_player", "cargo")
def _the_chosen_tile_is_in_the_cargo(p: _Position) -> Iterator[str]:
    if p.prompt != PROMPT_LAND or p.launch is None:
        return
    tile, player = p.launch["tile"], p.turn_player
    if not p.cargo[player] >> tile & 1:
        yield f"launch.tile: {TILE_IDS[tile]} is not in the cargo of player {player} (RULES.md §6)"


@REFUSALS.rule("prompt", "hit_cause", "victim", "victims", "turn_player", "powers")
def _hits_fit_the_prompt(p: _Position) -> Iterator[str]:
    prompt = PROMPTS[p.prompt]
    if p.prompt not in HIT_PROMPTS:
        named = {
            "hit_cause": p.hit_cause != CAUSE_NONE,
            "victim": p.victim is not None,
            "victims": bool(p.victims),
        }
        for name, is_there in named.items():
            if is_there:
                right = "[]" if name == "victims" else "null"
                yield f"{name}: at prompt {prompt!r} it must be {right} (RULES.md §6)"
        return
    if p.hit_cause == CAUSE_NONE:
        yield f"hit_cause: at prompt {prompt!r} it must not be null (RULES.md §6)"
    elif p.hit_cause == CAUSE_RAM and not _has_power(p, p.turn_player, RAM):
        yield f"hit_cause: the ship of player {p.turn_player} does not ram (RULES.md §8)"
    if p.victim is None:
        yield f"victim: at prompt {prompt!r} it must not be null (RULES.md §6)"
    elif p.victim == p.turn_player:
        yield f"victim: player {p.victim} does not hit the own ship (RULES.md §6)"


@REFUSALS.rule("prompt", "hit_cause", "victim", "turn_player", "powers", "cargo", "deliveries")
def _hits_are_asked_as_powers_have_it(p: _Position) -> Iterator[str]:
    """§6 D2, §8 Aimed shot and Payback."""
    if p.prompt not in HIT_PROMPTS or p.victim is None:
        return
    is_aimed = (
        _has_power(p, p.turn_player, AIMED_SHOT)
        and p.hit_cause == CAUSE_LAUNCH
        and p.cargo[p.victim] != 0
    )
    if p.prompt == PROMPT_AIM and not is_aimed:
        yield (
            f"prompt: player {p.turn_player} does not choose what player {p.victim} drops "
            "(RULES.md §8)"
        )
    if p.prompt == PROMPT_HIT and is_aimed:
        yield f"prompt: player {p.turn_player} chooses what player {p.victim} drops (RULES.md §8)"
    if p.prompt == PROMPT_PAYBACK and not _has_power(p, p.victim, PAYBACK):
        yield f"prompt: the ship of player {p.victim} has no payback (RULES.md §8)"
    giver = p.turn_player if p.prompt == PROMPT_PAYBACK else p.victim
    if p.prompt != PROMPT_AIM and not p.cargo[giver] | p.deliveries[giver]:
        yield f"prompt: player {giver} has no tile to drop (RULES.md §6)"


@REFUSALS.rule("prompt", "beam_city", "turn_player", "powers", "ships", "cities")
def _beams_fit_the_prompt(p: _Position) -> Iterator[str]:
    """§8 Tractor beam: after the pick-up, before the refill."""
    prompt = PROMPTS[p.prompt]
    if p.prompt != PROMPT_BEAM_TILE and p.beam_city is not None:
        yield f"beam_city: at prompt {prompt!r} it must be null (RULES.md §8)"
    if p.prompt == PROMPT_BEAM_TILE and p.beam_city is None:
        yield f"beam_city: at prompt {prompt!r} it must not be null (RULES.md §8)"
    if p.prompt in BEAM_PROMPTS:
        if not _has_power(p, p.turn_player, TRACTOR_BEAM):
            yield f"prompt: the ship of player {p.turn_player} has no tractor beam (RULES.md §8)"
        here = p.ships[p.turn_player]
        if p.cities.get(here):
            yield f"cities[{p.city_name(here)}]: at prompt {prompt!r} it is empty (RULES.md §6, §8)"


@REFUSALS.rule("prompt", "end_reasons", "truncated")
def _the_end_has_a_reason(p: _Position) -> Iterator[str]:
    yield from end_problems(p)


@REFUSALS.rule("prompt", "end_reasons", "truncated", "final_turns_left")
def _final_turns_agree_with_the_end(p: _Position) -> Iterator[str]:
    """§7: the turn of the trigger counts too, so with n players n - 1 are left after it."""
    left = p.final_turns_left
    high = 0 if p.end_reasons else len(p.players) - 1
    if left > high:
        right = "0" if high == 0 else f"0 to {high}"
        yield f"final_turns_left: {left}; here it is {right} (RULES.md §7)"


@REFUSALS.rule(
    "prompt", "end_reasons", "truncated", "final_turns_left", "turn_player", "ships", "stacks"
)
def _the_trigger_is_an_empty_stack(p: _Position) -> Iterator[str]:
    """§7: how many turns are left tells who triggered the end; that ship has not moved since."""
    left, count = p.final_turns_left, len(p.players)
    if left == 0 and not p.end_reasons:
        return
    since = count - left - int(p.is_over)
    player = (p.turn_player - since) % count
    city = p.ships[player]
    if p.stack_of(city):
        yield (
            f"final_turns_left: by {left} player {player} triggered the end on "
            f"{p.city_name(city)}, but the {STACK_NAMES[p.rules.stack_of[city]]} stack is not "
            "empty (RULES.md §7)"
        )


@REFUSALS.rule("prompt", "end_reasons", "final_turns_left", "cities", "ships", "turn_player")
def _empty_cities_trigger_the_end(p: _Position) -> Iterator[str]:
    """§7: where every city was seeded, one without a tile is one that could not be refilled."""
    if p.final_turns_left or p.end_reasons:
        return
    filled = {city for city, tiles in p.cities.items() if tiles} | _waiting_cities(p)
    for stack, name in enumerate(STACK_NAMES):
        cities = [c for c in cities_in_play(p.ruleset) if p.rules.stack_of[c] == stack]
        tiles = tile_set(p.rules.tiles) & tile_set(p.rules.stack_tiles[stack])
        empty = [p.city_name(city) for city in cities if city not in filled]
        if empty and tiles.bit_count() >= len(cities):
            yield (
                f"final_turns_left: 0, but the {name} stack has not refilled {', '.join(empty)} "
                "(RULES.md §7)"
            )


@REFUSALS.rule("prompt", "end_reasons", "truncated", "turn_count")
def _turns_agree_with_the_cap(p: _Position) -> Iterator[str]:
    """§7: truncation is tested at the end of a turn."""
    limit = int(p.rules.max_turns)
    if limit:
        yield from turn_problems(p, limit, ended_after_turn=bool(p.end_reasons))
    elif p.truncated:
        yield "truncated: there is no cap on turns (option max_turns, RULES.md §7)"


def _waiting_cities(p: _Position) -> set[int]:
    """§8: at a beam the player's own city waits for its refill."""
    return {p.ships[p.turn_player]} if p.prompt in BEAM_PROMPTS else set()


def _way(launch: Mapping[str, Any]) -> tuple[Any, Any]:
    """Heading and landing of a launch, None before they are chosen."""
    return launch["heading"], launch["landing"]


def _has_power(p: _Position, player: int, power: int) -> bool:
    """Whether a ship has a power; powers that do not go by the option are another problem."""
    return bool(p.rules.has_powers) and p.powers is not None and p.power(player) == power


def _names(tiles: int) -> str:
    return ", ".join(tile_ids(tiles))


# --- the record ------------------------------------------------------------------------------


def _to_state(p: _Position) -> Array:
    """The record of a consistent position, byte for byte as play would have left it."""
    state = new_state(p, *STORED)
    s = state[0]
    s.ships[:] = NO_CITY
    s.powers[:] = NO_POWER
    s.victims = set_of(p.victims)
    s.victim = NO_PLAYER if p.victim is None else p.victim
    s.beam_city = NO_CITY if p.beam_city is None else p.beam_city
    s.stacks[:] = _words(union(p.stacks.values()))
    for city, tiles in p.cities.items():
        s.cities[city] = _words(tiles)
    for k in p.players:
        s.ships[k] = p.ships[k]
        s.powers[k] = p.power(k)
        s.cargo[k] = _words(p.cargo[k])
        s.deliveries[k] = _words(p.deliveries[k])
    _write_launch(s, p)
    return state


def _write_launch(s: Any, p: _Position) -> None:
    s.launched = NO_TILE
    s.heading = NO_HEADING
    s.landing = NO_CITY
    if p.launch is not None:
        s.launched = p.launch["tile"]
        if p.launch["heading"] is not None:
            s.heading = p.launch["heading"]
            s.landing = p.launch["landing"]


def _words(tiles: int) -> list[int]:
    """A set of tiles as the words of a record."""
    mask = (1 << WORD_BITS) - 1
    return [tiles >> WORD_BITS * place & mask for place in range(TILE_WORDS)]


# --- third step: can the decision be asked? --------------------------------------------------


def _decision_problems(p: _Position, state: Array) -> Iterator[str]:
    """§6: what is asked must follow from a legal action; then it also has an answer."""
    if p.is_launched:
        yield from _launch_problems(p)
    if p.prompt in HIT_PROMPTS:
        yield from _victim_problems(p)
    if p.prompt == PROMPT_BEAM_TILE:
        if not _legal(p, state, PROMPT_BEAM) >> BEAM + p.beam_city & 1:
            yield (
                f"beam_city: {p.city_name(p.beam_city)} is not one step away with two or more "
                "tiles (RULES.md §8)"
            )
    elif not p.is_over and not _can_be_asked(p, state):
        player, prompt = p.current_player, PROMPTS[p.prompt]
        yield f"prompt: player {player} has nothing to decide at {prompt!r} (RULES.md §6)"


def _launch_problems(p: _Position) -> Iterator[str]:
    """§6 D1 and Effect 1: the landing is in reach, and the tile is where it must be."""
    heading, landing = _way(p.launch)
    tile = int(p.launch["tile"])
    here = p.ships[p.turn_player]
    value = int(p.rules.value_of[tile])
    if not int(p.rules.landings[here, value]) >> heading * NUM_CITIES + landing & 1:
        yield (
            f"launch.landing: {p.city_name(landing)} is not {value} steps "
            f"{HEADING_NAMES[heading]} from {p.city_name(here)} (RULES.md §5)"
        )
        return
    places = {f"on {p.city_name(landing)}": p.cities.get(landing, 0)}
    if p.rules.destination_of[tile] == landing:
        places = {f"in the deliveries of player {p.turn_player}": p.deliveries[p.turn_player]}
        if _is_paid_back(p):
            places[f"on {p.city_name(here)}"] = p.cities.get(here, 0)
    if not union(places.values()) >> tile & 1:
        yield f"launch.tile: {TILE_IDS[tile]} must be {' or '.join(places)} (RULES.md §6)"


def _is_paid_back(p: _Position) -> bool:
    """§8 Payback: whether the shooter has given up a tile for this launch already, or may have."""
    waiting = {p.victim, *p.victims}
    return any(_has_power(p, k, PAYBACK) for k in _hit_players(p) if k not in waiting)


def _hit_players(p: _Position) -> list[int]:
    """§6 D2, §8: all players who are hit, in the order in which they decide."""
    if p.hit_cause == CAUSE_RAM:
        cities = 1 << p.ships[p.turn_player]
    else:
        heading, landing = _way(p.launch)
        cities = 1 << landing
        if _has_power(p, p.turn_player, THROUGH_SHOT):
            distance = int(p.rules.value_of[p.launch["tile"]])
            cities |= int(p.rules.passed[p.ships[p.turn_player], heading, distance, landing])
    return [k for k in p.left_of(p.turn_player) if cities >> p.ships[k] & 1]


def _victim_problems(p: _Position) -> Iterator[str]:
    """§6 D2: who is hit follows from the cities of the ships."""
    hit = _hit_players(p)
    if p.victim not in hit:
        yield f"victim: the ship of player {p.victim} is not hit there (RULES.md §6)"
        return
    right = hit[hit.index(p.victim) + 1 :]
    if p.victims != right:
        yield f"victims: {p.victims}; after player {p.victim} it is {right} (RULES.md §6)"


def _can_be_asked(p: _Position, state: Array) -> bool:
    """A decision is put only if there is more to it than doing nothing."""
    return _legal(p, state, p.prompt) & ~(1 << DONE) != 0


def _legal(p: _Position, state: Array, prompt: int) -> int:
    """The legal set of the position at a prompt, bit k for action k."""
    copy = state.copy()
    copy[0].prompt = prompt
    copy[0].legal[:] = 0
    legal_actions(p.ruleset.record[0], copy[0])
    return tile_set(np.asarray(copy[0].legal).tolist())
