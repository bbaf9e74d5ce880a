"""Junk Orbit: the whole game on one record, in the order of the rulebook.

2 to 5 players haul junk between cities on linked rings. A turn (§6): launch a tile from the
cargo; it flies exactly its value in steps and is delivered if it stops at its destination, else
it rests there; every opponent ship in that city is hit and gives up a tile. The ship moves
equally far the other way round, delivers cargo meant for the city where it stops, picks up all
tiles there and the city is refilled from the stack of its board. The first refill that fails
triggers the end (§7): everybody else has one more turn. Delivered values are points.

Section numbers are those of `RULES.md`; `r` is the RULES record, `s` the STATE record. A set of
tiles is two words, bit k of word w being tile 64 w + k. Stacks are not shuffled: a tile is drawn
at random when it is drawn. Where a traveller can land is looked up, never searched
(`RULES.landings`).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tabletop_core.bits import (
    NONE,
    ONE,
    WORD_BITS,
    WORD_INDEX,
    WORD_SHIFT,
    U,
    add_block,
    bit,
    has,
    lowest,
    popcount,
    select,
    without_lowest,
)
from tabletop_core.game import ActionBlock, action_table, state_header, state_record
from tabletop_core.jit import inline_kernel, kernel
from tabletop_core.rng import randbelow

from .sizes import (
    CLOCKWISE,
    FIRST_STARTER,
    FIRST_TWO,
    MAX_KINDS,
    MAX_PLAYERS,
    NO_CITY,
    NO_POWER,
    NO_TILE,
    NUM_CITIES,
    NUM_DISTANCES,
    NUM_HEADINGS,
    NUM_SHIPS,
    NUM_STACKS,
    NUM_TILES,
    TILE_WORDS,
)

# --- enumerations ----------------------------------------------------------------------------

PROMPT_LAUNCH: Final = 0  # D1: which kind of tile in the cargo
PROMPT_LAND: Final = 1  # D1: heading and landing
PROMPT_HIT: Final = 2  # D2: a victim gives up a tile
PROMPT_AIM: Final = 3  # §8 Aimed shot: the shooter chooses it
PROMPT_PAYBACK: Final = 4  # §8 Payback: the shooter gives up a tile
PROMPT_MOVE: Final = 5  # D3: where the ship stops
PROMPT_DELIVER: Final = 6  # D4: one tile at a time, or keep the rest
PROMPT_BEAM: Final = 7  # §8 Tractor beam: from which city
PROMPT_BEAM_TILE: Final = 8  # §8 Tractor beam: which kind of tile
PROMPT_OVER: Final = 9
PROMPTS: Final = (
    "launch",
    "land",
    "hit",
    "aim",
    "payback",
    "move",
    "deliver",
    "beam",
    "beam_tile",
    "over",
)

CAUSE_NONE: Final = 0
CAUSE_LAUNCH: Final = 1
CAUSE_RAM: Final = 2
HIT_CAUSES: Final = ("none", "launch", "ram")

NO_PLAYER: Final = 255
NO_HEADING: Final = 255

# §8, the assumed module. Side A and side B of the same ship are two powers.
SHARP_TURN: Final = 1
ANY_PORT: Final = 2
OVERTHRUST: Final = 3
TRACTOR_BEAM: Final = 4
ARMOUR: Final = 5
RAM: Final = 6
BOARDERS: Final = 7
AIMED_SHOT: Final = 8
THROUGH_SHOT: Final = 9
PAYBACK: Final = 10

REASON_STACK_EMPTY: Final = 1
END_REASONS: Final = ("stack_empty",)

ONES_PER_PLAYER: Final = 2  # §4.5: starters 1, 1, 2
TWOS_PER_PLAYER: Final = 1

# --- records ---------------------------------------------------------------------------------

ACTIONS: Final = action_table(
    ActionBlock("tile", MAX_KINDS, "launch, drop, deliver or beam a tile of kind k from the cargo"),
    ActionBlock("delivered", MAX_KINDS, "drop a tile of kind k from the deliveries"),
    ActionBlock("land", NUM_HEADINGS * NUM_CITIES, "launch clockwise (k < 28) or not, to city k"),
    ActionBlock("move", NUM_CITIES, "move the ship to city k"),
    ActionBlock("beam", NUM_CITIES, "beam a tile from city k"),
    ActionBlock("done", 1, "deliver no more, ignore a hit, or beam nothing"),
)
TILE: Final = ACTIONS.first("tile")
DELIVERED: Final = ACTIONS.first("delivered")
LAND: Final = ACTIONS.first("land")
MOVE: Final = ACTIONS.first("move")
BEAM: Final = ACTIONS.first("beam")
DONE: Final = ACTIONS.first("done")

VERSION: Final = 0
STATE: Final = state_record(
    [
        *state_header("junkorbit", ACTIONS.count),
        # public table
        ("cities", np.uint64, (NUM_CITIES, TILE_WORDS)),  # [city] tiles that rest there
        ("cargo", np.uint64, (MAX_PLAYERS, TILE_WORDS)),  # [player] tiles
        ("deliveries", np.uint64, (MAX_PLAYERS, TILE_WORDS)),  # [player] tiles
        ("ships", np.uint8, MAX_PLAYERS),  # [player] city
        ("powers", np.uint8, MAX_PLAYERS),  # [player] power of the ship, or NO_POWER
        # the turn
        ("turn_player", np.uint8),  # whose turn it is; victims decide out of turn
        ("prompt", np.uint8),  # PROMPT_*
        ("launched", np.uint8),  # tile under way, or NO_TILE
        ("heading", np.uint8),  # of the launch, or NO_HEADING
        ("landing", np.uint8),  # city of the launch, or NO_CITY
        ("hit_cause", np.uint8),  # CAUSE_*
        ("victim", np.uint8),  # player being hit, or NO_PLAYER
        ("victims", np.uint8),  # set of players still to be hit
        ("beam_city", np.uint8),  # city that is beamed from, or NO_CITY
        (
            "final_turns_left",
            np.uint8,
        ),  # 0: end not triggered; else turns to finish, present included
        # hidden: only the order, which is undecided
        ("stacks", np.uint64, TILE_WORDS),  # tiles not drawn yet, all stacks together
    ],
)

RULES: Final = np.dtype(
    [
        ("digest", np.uint64),  # identifies tables and options together
        ("num_players", np.int64),
        ("max_turns", np.int64),  # 0: no cap
        ("start_city", np.int64),  # Kepler
        ("cities", np.uint64),  # set of cities in play
        ("tiles", np.uint64, TILE_WORDS),  # stack tiles in play
        ("stack_tiles", np.uint64, (NUM_STACKS, TILE_WORDS)),  # [stack] tiles, in play or not
        ("kind_tiles", np.uint64, (MAX_KINDS, TILE_WORDS)),  # [kind] tiles
        ("city_tiles", np.uint64, (NUM_CITIES, TILE_WORDS)),  # [city] tiles destined for it
        ("port_tiles", np.uint64, (NUM_CITIES, TILE_WORDS)),  # the same or one step from it, §8
        ("neighbours", np.uint64, NUM_CITIES),  # [city] cities one step away on any ring in play
        # where a trip ends: [city, distance] clockwise in bits 0-27, counter-clockwise in 28-55
        ("landings", np.uint64, (NUM_CITIES, NUM_DISTANCES)),
        ("sharp_landings", np.uint64, (NUM_CITIES, NUM_DISTANCES)),  # for ships with Sharp turn, §8
        # cities between start and landing: [city, heading, distance, landing]
        ("passed", np.uint32, (NUM_CITIES, NUM_HEADINGS, NUM_DISTANCES, NUM_CITIES)),
        ("value_of", np.uint8, NUM_TILES),  # [tile] 1-12
        ("destination_of", np.uint8, NUM_TILES),  # [tile] city or NO_CITY
        ("kind_of", np.uint8, NUM_TILES),  # [tile] kind
        ("stack_of", np.uint8, NUM_CITIES),  # [city] stack that refills it
        ("seed_order", np.uint8, NUM_CITIES),  # cities in play in the order of §4.3
        ("num_cities", np.int64),  # cities in play
        ("power_of", np.uint8, NUM_SHIPS),  # [ship] power on the side in use, or NO_POWER
        ("has_powers", np.uint8),
        ("deliveries_visible", np.uint8),
    ],
    align=True,
)

CITY_BITS: Final = U((1 << NUM_CITIES) - 1)
CITY_SHIFT: Final = U(NUM_CITIES)

# --- §4 set-up -------------------------------------------------------------------------------


@kernel
def new_game(r: Any, s: Any) -> None:
    """§4: set up the table; the only random things are drawn in rulebook order."""
    clear_table(r, s)
    seed_cities(r, s)
    deal_ships(r, s)
    deal_cargo(r, s)
    s.turn_player = randbelow(s, r.num_players)
    begin_turn(r, s)


@inline_kernel
def clear_table(r: Any, s: Any) -> None:
    """§4.1, §4.2: stacks of the tiles in play; ships on Kepler (§4.4)."""
    s.junkorbit_version = VERSION
    s.turn_count = 0
    s.decision_count = 0
    s.end_reasons = 0
    s.is_truncated = 0
    s.must_ask = 0
    s.final_turns_left = 0
    s.cities[:] = NONE
    s.cargo[:] = NONE
    s.deliveries[:] = NONE
    s.powers[:] = NO_POWER
    s.ships[:] = NO_CITY
    for player in range(r.num_players):
        s.ships[player] = r.start_city
    for word in range(TILE_WORDS):
        s.stacks[word] = r.tiles[word]
    forget_launch(s)
    forget_hits(s)
    s.beam_city = NO_CITY


@inline_kernel
def seed_cities(r: Any, s: Any) -> None:
    """§4.3: one tile of its home board's stack on each city in play."""
    for k in range(r.num_cities):
        city = np.int64(r.seed_order[k])
        draw_to(r, s, np.int64(r.stack_of[city]), s.cities[city])


@inline_kernel
def deal_ships(r: Any, s: Any) -> None:
    """§4.4: random ships; without powers (§8) they are all alike."""
    if r.has_powers:
        ships = (ONE << U(NUM_SHIPS)) - ONE
        for player in range(r.num_players):
            ship = select(ships, randbelow(s, popcount(ships)))
            ships &= ~bit(ship)
            s.powers[player] = r.power_of[ship]


@inline_kernel
def deal_cargo(r: Any, s: Any) -> None:
    """§4.5: starters 1, 1, 2 and the top tile of each stack."""
    for player in range(r.num_players):
        for k in range(ONES_PER_PLAYER):
            add_tile(s.cargo[player], FIRST_STARTER + player * ONES_PER_PLAYER + k)
        for k in range(TWOS_PER_PLAYER):
            add_tile(s.cargo[player], FIRST_TWO + player * TWOS_PER_PLAYER + k)
        for stack in range(NUM_STACKS):
            draw_to(r, s, stack, s.cargo[player])


@kernel
def draw_to(r: Any, s: Any, stack: Any, tiles: Any) -> Any:
    """Move a random tile of a stack to `tiles`; whether there was one.

    The word is chosen before the tile, without a branch (1.06 times the rollouts).
    """
    low = s.stacks[0] & r.stack_tiles[stack, 0]
    high = s.stacks[1] & r.stack_tiles[stack, 1]
    num_low = popcount(low)
    size = num_low + popcount(high)
    if size == 0:
        return False
    rank = randbelow(s, size)
    members, first = low, 0
    if rank >= num_low:
        members, first = high, WORD_BITS
        rank -= num_low
    tile = first + select(members, rank)
    remove_tile(s.stacks, tile)
    add_tile(tiles, tile)
    return True


# --- §6 the turn -----------------------------------------------------------------------------


@inline_kernel
def legal_actions(r: Any, s: Any) -> None:
    """§6: the legal set of the pending prompt."""
    prompt = s.prompt
    player = np.int64(s.current_player)
    if prompt == PROMPT_LAUNCH:
        mask_launch(r, s, player)
    elif prompt == PROMPT_LAND:
        mask_land(r, s, player)
    elif prompt == PROMPT_HIT:
        mask_hit(r, s, player)
    elif prompt == PROMPT_AIM:
        mask_aim(r, s)
    elif prompt == PROMPT_PAYBACK:
        mask_payback(r, s, player)
    elif prompt == PROMPT_MOVE:
        mask_move(r, s, player)
    elif prompt == PROMPT_DELIVER:
        mask_deliver(r, s, player)
    elif prompt == PROMPT_BEAM:
        mask_beam(r, s, player)
    elif prompt == PROMPT_BEAM_TILE:
        mask_beam_tile(r, s)


@inline_kernel
def apply_action(r: Any, s: Any, action: Any) -> None:
    """§6: play one legal action of the pending prompt."""
    prompt = s.prompt
    player = np.int64(s.current_player)
    if prompt == PROMPT_LAUNCH:
        apply_launch(r, s, player, action - TILE)
    elif prompt == PROMPT_LAND:
        apply_land(r, s, player, action - LAND)
    elif prompt == PROMPT_HIT:
        apply_hit(r, s, player, action)
    elif prompt == PROMPT_AIM:
        apply_aim(r, s, action - TILE)
    elif prompt == PROMPT_PAYBACK:
        apply_payback(r, s, player, action)
    elif prompt == PROMPT_MOVE:
        apply_move(r, s, player, action - MOVE)
    elif prompt == PROMPT_DELIVER:
        apply_deliver(r, s, player, action)
    elif prompt == PROMPT_BEAM:
        apply_beam(r, s, player, action)
    else:
        apply_beam_tile(r, s, player, action - TILE)


@inline_kernel
def ask(s: Any, prompt: Any, player: Any) -> None:
    """Put a question to a player."""
    s.prompt = prompt
    s.current_player = player


@inline_kernel
def begin_turn(r: Any, s: Any) -> Any:
    """§6: launch, or with an empty cargo only pick up (§11); whether a decision is pending."""
    player = np.int64(s.turn_player)
    if is_empty(s.cargo[player]):
        return arrive(r, s, player)
    ask(s, PROMPT_LAUNCH, player)
    return True


# --- D1 Launch -------------------------------------------------------------------------------


@inline_kernel
def mask_launch(r: Any, s: Any, player: Any) -> None:
    """D1: any kind of tile in the cargo; launching is mandatory."""
    add_kinds(r, s, TILE, s.cargo[player])


@inline_kernel
def apply_launch(r: Any, s: Any, player: Any, kind: Any) -> None:
    """D1: the tile stays in the cargo until it flies."""
    s.launched = first_of_kind(r, s.cargo[player], kind)
    s.prompt = PROMPT_LAND


@inline_kernel
def mask_land(r: Any, s: Any, player: Any) -> None:
    """D1, §5: every landing in both headings, exactly the tile's value away."""
    add_block(s.legal, LAND, r.landings[s.ships[player], r.value_of[s.launched]])


@inline_kernel
def apply_land(r: Any, s: Any, player: Any, choice: Any) -> None:
    """Effect 1: remote delivery at the destination, else the tile rests; then the hits (D2)."""
    heading = np.int64(choice >= NUM_CITIES)  # 1.03 times the rollouts of a division
    landing = choice - heading * NUM_CITIES
    tile = np.int64(s.launched)
    s.heading = heading
    s.landing = landing
    remove_tile(s.cargo[player], tile)
    if r.destination_of[tile] == landing:
        add_tile(s.deliveries[player], tile)
    else:
        add_tile(s.cities[landing], tile)
    begin_hits(r, s, CAUSE_LAUNCH, launch_targets(r, s, player))


@inline_kernel
def launch_targets(r: Any, s: Any, player: Any) -> Any:
    """D2: the city of the landing; with Through shot (§8) the cities on the way too."""
    landing = np.int64(s.landing)
    cities = bit(landing)
    if s.powers[player] == THROUGH_SHOT:
        distance = r.value_of[s.launched]
        cities |= U(r.passed[s.ships[player], s.heading, distance, landing])
    return cities


# --- D2 Hit ----------------------------------------------------------------------------------


@inline_kernel
def begin_hits(r: Any, s: Any, cause: Any, cities: Any) -> None:
    """D2: every opponent ship in `cities` is hit; mostly there is none."""
    victims = opponents_in(r, s, cities)
    if victims == NONE:
        after_hits(r, s, cause)
    else:
        s.hit_cause = cause
        s.victims = victims
        resume_hits(r, s)


@inline_kernel
def opponents_in(r: Any, s: Any, cities: Any) -> Any:
    """The other players whose ship is in `cities`, as a set.

    No branch for each ship, and no hit begun for none (1.05 times the rollouts).
    """
    players = NONE
    for player in range(r.num_players):
        players |= U(has(cities, s.ships[player])) << U(player)
    return players & ~bit(s.turn_player)


@kernel
def resume_hits(r: Any, s: Any) -> None:
    """D2: victims one after the other, clockwise from the left of the shooter; then go on."""
    while s.victims != 0:
        s.victim = next_victim(r, s)
        s.victims = np.int64(s.victims) & ~(1 << np.int64(s.victim))
        if ask_victim(r, s, np.int64(s.victim)) or ask_payback(r, s):
            return
    cause = s.hit_cause
    forget_hits(s)
    after_hits(r, s, cause)


@inline_kernel
def after_hits(r: Any, s: Any, cause: Any) -> None:
    """D2: the ship moves after a launch, and delivers after Ram (§8)."""
    if cause == CAUSE_LAUNCH:
        ask(s, PROMPT_MOVE, s.turn_player)
    else:
        ask_deliver(r, s, np.int64(s.turn_player))


@inline_kernel
def next_victim(r: Any, s: Any) -> Any:
    """D2: the next one to be hit, clockwise from the left of the shooter."""
    player = next_player(r, np.int64(s.turn_player))
    while not has(U(s.victims), player):
        player = next_player(r, player)
    return player


@inline_kernel
def ask_victim(r: Any, s: Any, victim: Any) -> Any:
    """D2: ask for the tile, or with Aimed shot (§8) ask the shooter; whether somebody is asked."""
    if is_aimed(s, victim):
        ask(s, PROMPT_AIM, s.turn_player)
        return True
    if is_empty(s.cargo[victim]) and is_empty(s.deliveries[victim]):
        return False
    ask(s, PROMPT_HIT, victim)
    return True


@inline_kernel
def is_aimed(s: Any, victim: Any) -> Any:
    """§8: the shooter's launch takes a tile of its choice, as long as the cargo has one."""
    return (
        s.powers[s.turn_player] == AIMED_SHOT
        and s.hit_cause == CAUSE_LAUNCH
        and not is_empty(s.cargo[victim])
    )


@inline_kernel
def mask_hit(r: Any, s: Any, player: Any) -> None:
    """D2: one tile of cargo or deliveries; with Armour (§8) none."""
    add_kinds(r, s, TILE, s.cargo[player])
    add_kinds(r, s, DELIVERED, s.deliveries[player])
    if s.powers[player] == ARMOUR:
        add_block(s.legal, DONE, ONE)


@inline_kernel
def apply_hit(r: Any, s: Any, player: Any, action: Any) -> None:
    """D2: the tile leaves the victim, unless Armour (§8) ignores the hit."""
    if action != DONE:
        tile = give_up(r, s, player, action)
        place_dropped(s, player, tile)
    after_drop(r, s)


@inline_kernel
def mask_aim(r: Any, s: Any) -> None:
    """§8 Aimed shot: any kind in the victim's cargo."""
    add_kinds(r, s, TILE, s.cargo[s.victim])


@inline_kernel
def apply_aim(r: Any, s: Any, kind: Any) -> None:
    """§8 Aimed shot: the chosen tile leaves the cargo of the victim."""
    victim = np.int64(s.victim)
    tile = first_of_kind(r, s.cargo[victim], kind)
    remove_tile(s.cargo[victim], tile)
    place_dropped(s, victim, tile)
    after_drop(r, s)


@inline_kernel
def give_up(r: Any, s: Any, player: Any, action: Any) -> Any:
    """Take the chosen tile out of the cargo or the deliveries."""
    if action >= DELIVERED:
        tile = first_of_kind(r, s.deliveries[player], action - DELIVERED)
        remove_tile(s.deliveries[player], tile)
    else:
        tile = first_of_kind(r, s.cargo[player], action - TILE)
        remove_tile(s.cargo[player], tile)
    return tile


@inline_kernel
def place_dropped(s: Any, victim: Any, tile: Any) -> None:
    """D2: on the victim's city, where it rests; with Boarders (§8) into the shooter's cargo."""
    shooter = np.int64(s.turn_player)
    if s.powers[shooter] == BOARDERS and s.hit_cause == CAUSE_LAUNCH:
        add_tile(s.cargo[shooter], tile)
    else:
        add_tile(s.cities[s.ships[victim]], tile)


@inline_kernel
def after_drop(r: Any, s: Any) -> None:
    """D2: Payback (§8), then the next victim."""
    if not ask_payback(r, s):
        resume_hits(r, s)


@inline_kernel
def ask_payback(r: Any, s: Any) -> Any:
    """§8 Payback: the shooter gives up a tile too; whether it is asked."""
    shooter = np.int64(s.turn_player)
    if s.powers[s.victim] != PAYBACK:
        return False
    if is_empty(s.cargo[shooter]) and is_empty(s.deliveries[shooter]):
        return False
    ask(s, PROMPT_PAYBACK, shooter)
    return True


@inline_kernel
def mask_payback(r: Any, s: Any, player: Any) -> None:
    """§8 Payback: one tile of cargo or deliveries of the shooter."""
    add_kinds(r, s, TILE, s.cargo[player])
    add_kinds(r, s, DELIVERED, s.deliveries[player])


@inline_kernel
def apply_payback(r: Any, s: Any, player: Any, action: Any) -> None:
    """§8 Payback: on the shooter's own city."""
    tile = give_up(r, s, player, action)
    add_tile(s.cities[s.ships[player]], tile)
    resume_hits(r, s)


@inline_kernel
def forget_hits(s: Any) -> None:
    """D2: nobody is being hit."""
    s.hit_cause = CAUSE_NONE
    s.victim = NO_PLAYER
    s.victims = 0


# --- D3 Move ---------------------------------------------------------------------------------


@inline_kernel
def mask_move(r: Any, s: Any, player: Any) -> None:
    """D3: equally far in the opposite heading; Sharp turn and Overthrust (§8) allow more."""
    city = np.int64(s.ships[player])
    distance = np.int64(r.value_of[s.launched])
    if s.powers[player] == SHARP_TURN:
        both = r.sharp_landings[city, distance]
    elif s.powers[player] == OVERTHRUST:
        both = r.landings[city, distance] | r.landings[city, distance + 1]
    else:
        both = r.landings[city, distance]
    if s.heading == CLOCKWISE:
        both >>= CITY_SHIFT
    add_block(s.legal, MOVE, both & CITY_BITS)


@inline_kernel
def apply_move(r: Any, s: Any, player: Any, city: Any) -> None:
    """D3: the ship stops; with Ram (§8) opponents there are hit before the deliveries."""
    s.ships[player] = city
    forget_launch(s)
    if s.powers[player] == RAM:
        begin_hits(r, s, CAUSE_RAM, bit(city))
    else:
        ask_deliver(r, s, player)


@inline_kernel
def forget_launch(s: Any) -> None:
    """D3: the launch is over."""
    s.launched = NO_TILE
    s.heading = NO_HEADING
    s.landing = NO_CITY


# --- D4 Direct delivery ----------------------------------------------------------------------


@kernel
def ask_deliver(r: Any, s: Any, player: Any) -> None:
    """D4: ask as long as a tile in the cargo can be delivered here, then go on."""
    low, high = deliverable(r, s, player)
    if low | high != NONE:
        ask(s, PROMPT_DELIVER, player)
    elif not arrive(r, s, player):
        finish_turn(r, s)


@inline_kernel
def deliverable(r: Any, s: Any, player: Any) -> Any:
    """D4: cargo destined for this city; with Any port (§8) for a neighbouring one too."""
    city = np.int64(s.ships[player])
    if s.powers[player] == ANY_PORT:
        ports = r.port_tiles[city]
    else:
        ports = r.city_tiles[city]
    return s.cargo[player, 0] & ports[0], s.cargo[player, 1] & ports[1]


@inline_kernel
def mask_deliver(r: Any, s: Any, player: Any) -> None:
    """D4: any number of tiles, one at a time, or no more."""
    low, high = deliverable(r, s, player)
    add_kinds_of(r, s, TILE, low, high)
    add_block(s.legal, DONE, ONE)


@inline_kernel
def apply_deliver(r: Any, s: Any, player: Any, action: Any) -> None:
    """D4: deliver the chosen tile and ask again, or go on."""
    if action == DONE:
        if not arrive(r, s, player):
            finish_turn(r, s)
    else:
        tile = first_of_kind(r, s.cargo[player], action - TILE)
        remove_tile(s.cargo[player], tile)
        add_tile(s.deliveries[player], tile)
        ask_deliver(r, s, player)


# --- step 5 Pick up, step 6 Refill -----------------------------------------------------------


@kernel
def arrive(r: Any, s: Any, player: Any) -> Any:
    """Steps 5 and 6: take all tiles here, refill; whether Tractor beam (§8) asks in between."""
    city = np.int64(s.ships[player])
    for word in range(TILE_WORDS):
        s.cargo[player, word] |= s.cities[city, word]
        s.cities[city, word] = NONE
    if s.powers[player] == TRACTOR_BEAM and beam_sources(r, s, city) != NONE:
        ask(s, PROMPT_BEAM, player)
        return True
    refill(r, s, city)
    return False


@inline_kernel
def refill(r: Any, s: Any, city: Any) -> None:
    """Step 6: one tile of the home board's stack; the first failure triggers the end (§7)."""
    if not draw_to(r, s, np.int64(r.stack_of[city]), s.cities[city]) and s.final_turns_left == 0:
        s.final_turns_left = r.num_players


@inline_kernel
def beam_sources(r: Any, s: Any, city: Any) -> Any:
    """§8 Tractor beam: adjacent cities with two or more tiles."""
    sources = NONE
    cities = r.neighbours[city]
    while cities != NONE:
        other = lowest(cities)
        if popcount(s.cities[other, 0]) + popcount(s.cities[other, 1]) > 1:
            sources |= bit(other)
        cities = without_lowest(cities)
    return sources


@inline_kernel
def mask_beam(r: Any, s: Any, player: Any) -> None:
    """§8 Tractor beam: from which city, or none."""
    add_block(s.legal, BEAM, beam_sources(r, s, np.int64(s.ships[player])))
    add_block(s.legal, DONE, ONE)


@inline_kernel
def apply_beam(r: Any, s: Any, player: Any, action: Any) -> None:
    """§8 Tractor beam: ask for the tile, or go on."""
    if action == DONE:
        refill(r, s, np.int64(s.ships[player]))
        finish_turn(r, s)
    else:
        s.beam_city = action - BEAM
        s.prompt = PROMPT_BEAM_TILE


@inline_kernel
def mask_beam_tile(r: Any, s: Any) -> None:
    """§8 Tractor beam: any kind of tile there."""
    add_kinds(r, s, TILE, s.cities[s.beam_city])


@inline_kernel
def apply_beam_tile(r: Any, s: Any, player: Any, kind: Any) -> None:
    """§8 Tractor beam: the tile comes into the cargo; then the turn ends."""
    city = np.int64(s.beam_city)
    tile = first_of_kind(r, s.cities[city], kind)
    remove_tile(s.cities[city], tile)
    add_tile(s.cargo[player], tile)
    s.beam_city = NO_CITY
    refill(r, s, np.int64(s.ships[player]))
    finish_turn(r, s)


# --- §7 end, score, ties ---------------------------------------------------------------------


@kernel
def finish_turn(r: Any, s: Any) -> None:
    """§7: count the turn and pass it on; turns without cargo (§11) need no decision."""
    while True:
        s.turn_count += 1
        if s.final_turns_left > 0:
            s.final_turns_left -= 1
            if s.final_turns_left == 0:
                s.end_reasons = REASON_STACK_EMPTY
        if s.end_reasons == 0 and r.max_turns > 0 and s.turn_count >= r.max_turns:
            s.is_truncated = 1
        if s.end_reasons != 0 or s.is_truncated:
            ask(s, PROMPT_OVER, s.turn_player)
            return
        s.turn_player = next_player(r, np.int64(s.turn_player))
        if begin_turn(r, s):
            return


@kernel
def final_result(r: Any, s: Any, points: Any, is_winner: Any) -> None:
    """§7: points [players] and winners [players]; more delivered tiles break a tie."""
    best = np.int64(-1)
    for player in range(r.num_players):
        points[player] = delivered_points(r, s, player)
        best = max(best, tie_key(r, s, player))
    for player in range(r.num_players):
        is_winner[player] = tie_key(r, s, player) == best


@inline_kernel
def tie_key(r: Any, s: Any, player: Any) -> Any:
    """§7: points first, then the number of delivered tiles."""
    return delivered_points(r, s, player) * (NUM_TILES + 1) + count_tiles(s.deliveries[player])


@inline_kernel
def delivered_points(r: Any, s: Any, player: Any) -> Any:
    """§7: the sum of the delivered values."""
    points = np.int64(0)
    for word in range(TILE_WORDS):
        tiles = s.deliveries[player, word]
        while tiles != NONE:
            points += np.int64(r.value_of[word * WORD_BITS + lowest(tiles)])
            tiles = without_lowest(tiles)
    return points


# --- §7 information --------------------------------------------------------------------------


@kernel
def determinize(r: Any, s: Any, player: Any) -> None:
    """§7: only the order of the stacks is hidden, and that is decided by the generator alone."""


# --- helpers ---------------------------------------------------------------------------------


@inline_kernel
def next_player(r: Any, player: Any) -> Any:
    """Clockwise."""
    return player + 1 if player + 1 < r.num_players else 0


@inline_kernel
def is_empty(tiles: Any) -> Any:
    """Whether a set of tiles has no member."""
    return tiles[0] | tiles[1] == NONE


@inline_kernel
def count_tiles(tiles: Any) -> Any:
    """Number of tiles in a set."""
    return popcount(tiles[0]) + popcount(tiles[1])


@inline_kernel
def add_tile(tiles: Any, tile: Any) -> None:
    """Put a tile into a set."""
    tiles[tile // WORD_BITS] |= ONE << (U(tile) & WORD_INDEX)


@inline_kernel
def remove_tile(tiles: Any, tile: Any) -> None:
    """Take a tile out of a set."""
    tiles[tile // WORD_BITS] &= ~(ONE << (U(tile) & WORD_INDEX))


@inline_kernel
def first_of_kind(r: Any, tiles: Any, kind: Any) -> Any:
    """The lowest-numbered tile of a kind in a set that holds one (§13: they are alike)."""
    low = tiles[0] & r.kind_tiles[kind, 0]
    if low != NONE:
        return lowest(low)
    return WORD_BITS + lowest(tiles[1] & r.kind_tiles[kind, 1])


@inline_kernel
def add_kinds(r: Any, s: Any, first: Any, tiles: Any) -> None:
    """Make the action of each kind among `tiles` legal, in the block that starts at `first`."""
    add_kinds_of(r, s, first, tiles[0], tiles[1])


@inline_kernel
def add_kinds_of(r: Any, s: Any, first: Any, low: Any, high: Any) -> None:
    """The same for a set of tiles given word by word."""
    kinds_low, kinds_high = with_kinds(r, NONE, NONE, low, 0)
    kinds_low, kinds_high = with_kinds(r, kinds_low, kinds_high, high, WORD_BITS)
    add_block(s.legal, first, kinds_low)
    add_block(s.legal, first + WORD_BITS, kinds_high)


@inline_kernel
def with_kinds(r: Any, low: Any, high: Any, tiles: Any, offset: Any) -> Any:
    """Two words of kinds with those of one word of tiles added, whose first tile is `offset`.

    Both words stay in registers, and no branch asks in which one a kind lies (1.08 times the
    rollouts of a loop that adds to `s.legal`).
    """
    while tiles != NONE:
        kind = U(r.kind_of[offset + lowest(tiles)])
        in_high = kind >> WORD_SHIFT
        low |= (ONE - in_high) << (kind & WORD_INDEX)
        high |= in_high << (kind & WORD_INDEX)
        tiles = without_lowest(tiles)
    return low, high
