"""Jump Gate: the whole game on one record, in the order of the rulebook.

2 to 5 players fly between the planets of a ring. A turn is two actions (§3): fly to a neighbour,
jump anywhere, scan a face-down resource, land and claim a planet whose resources are all face up,
harvest a resource, or renew the hand by research. Navigation cards pay: each shows two of three
codes (jump, scan, landing). Collected resources score in sets (§1.1), planets 4 points each.
Resources with a black-hole icon bring their collectors closer to the Black Hole: at seven markers
the game ends and who has most of them loses the hidden resources. The game also ends when no
resource is left, or one turn each after the last planet is claimed (§7).

Section numbers are those of `RULES.md`; `r` is the RULES record, `s` the STATE record. Cards are
bits: bit k of a word is card k of its table, so a hand, a pile or a planet is one 64-bit word and
the laws of conservation are `|` and `&`. Nothing is shuffled: a card is drawn at random when it
is drawn, and which of the unseen resources lie face down on a planet is decided when one is
turned up (nobody can tell the difference, §6).

A decision is one prompt: first what to do, then which resource, then which card. Choices that
depend on a card just revealed (the mark after a scan, the free pick after a claim) come after it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tabletop_core.bits import (
    NONE,
    ONE,
    U,
    add_block,
    below,
    bit,
    has,
    lowest,
    popcount,
    ranks,
    select,
    with_ranks,
    without_lowest,
)
from tabletop_core.game import ActionBlock, action_table, state_header, state_record
from tabletop_core.jit import inline_kernel, kernel
from tabletop_core.rng import draw, draw_some, randbelow

from .sizes import (
    BLUE_GEM,
    DARK_ENERGEL,
    FAME,
    HAND_SIZE,
    LIGHT_ENERGEL,
    MAX_PLANETS,
    MAX_PLAYERS,
    MIN_CODE,
    NUM_CARDS,
    NUM_CODES,
    NUM_KINDS,
    NUM_PLANET_CARDS,
    NUM_TYPES,
    RED_GEM,
    SAND,
    WATER,
    WHITE_GEM,
)

# --- enumerations ----------------------------------------------------------------------------

PROMPT_MAIN: Final = 0  # choose one of the actions of §3
PROMPT_SPEND: Final = 1  # choose the card that pays a jump, scan or harvest
PROMPT_SPEND_PAIR: Final = 2  # choose the two landing cards (§4.4)
PROMPT_HARVEST: Final = 3  # choose the resource to harvest (§4.5)
PROMPT_RESEARCH: Final = 4  # choose the cards to discard (§4.6)
PROMPT_MARK: Final = 5  # choose the resource to mark after a scan (§4.3)
PROMPT_PICK: Final = 6  # choose the free resource after a claim (§4.4)
PROMPT_OVER: Final = 7
PROMPTS: Final = ("main", "spend", "spend_pair", "harvest", "research", "mark", "pick", "over")

PENDING_NOTHING: Final = 0
PENDING_JUMP: Final = 1
PENDING_SCAN: Final = 2
PENDING_HARVEST: Final = 3
PENDING_ACTIONS: Final = ("nothing", "jump", "scan", "harvest")

GATE: Final = MAX_PLANETS  # the location of a ship that has not jumped yet
NO_PLAYER: Final = 255
NO_TARGET: Final = 255
NO_KIND: Final = NUM_KINDS  # a Nothing card, which nobody can take
MARKED: Final = NUM_KINDS  # as pending resource: the one with the player's own mark

REASON_BLACK_HOLE: Final = 1
REASON_NO_RESOURCES: Final = 2
REASON_PLANETS_CLAIMED: Final = 4
END_REASONS: Final = ("black_hole", "no_resources", "planets_claimed")

ACTIONS_PER_TURN: Final = 2  # §3
FACE_DOWN_PER_PLANET: Final = 3  # §2.4
NUM_PAIRS: Final = HAND_SIZE * (HAND_SIZE - 1) // 2
NUM_SUBSETS: Final = 1 << HAND_SIZE

MARK_GLOBAL: Final = 0
MARK_PER_PLANET: Final = 1
SCAN_MATCH: Final = 0
SCAN_ANY_CARD: Final = 1
SCAN_FREE: Final = 2
HARVEST_ANY_CARD: Final = 0
HARVEST_ANY_CARD_IF_UNMARKED: Final = 1
HARVEST_FREE: Final = 2
LANDING_PLANET_CODES: Final = 0
LANDING_EQUAL_PAIR: Final = 1
TIE_SHARED: Final = 0
TIE_FEWEST_BLACKHOLE: Final = 1

GEMS: Final = (RED_GEM, WHITE_GEM, BLUE_GEM)

# --- records ---------------------------------------------------------------------------------

ACTIONS: Final = action_table(
    ActionBlock("pass", 1, "do nothing with this action"),
    ActionBlock("fly", MAX_PLANETS, "fly to ring position k"),
    ActionBlock("jump", MAX_PLANETS, "jump to ring position k"),
    ActionBlock("scan", 1, "scan the planet under the ship"),
    ActionBlock("claim", 1, "land on the planet under the ship and claim it"),
    ActionBlock("harvest", MAX_PLANETS, "harvest at ring position k"),
    ActionBlock("research", 1, "renew the hand"),
    ActionBlock("discard", NUM_SUBSETS, "discard hand slot i for each bit i of k, draw up to five"),
    ActionBlock("spend", HAND_SIZE, "pay with the card in hand slot k"),
    ActionBlock(
        "spend_pair", NUM_PAIRS, "land with the k-th pair of hand slots (0 1, 0 2, ... 3 4)"
    ),
    ActionBlock("take_marked", 1, "harvest the resource with one's own mark"),
    ActionBlock("take", NUM_KINDS, "take an unmarked resource of kind k"),
    ActionBlock("mark", NUM_KINDS, "mark a face-up resource of kind k"),
    ActionBlock("decline", 1, "no mark, or no free resource"),
)
PASS: Final = ACTIONS.first("pass")
FLY: Final = ACTIONS.first("fly")
JUMP: Final = ACTIONS.first("jump")
SCAN: Final = ACTIONS.first("scan")
CLAIM: Final = ACTIONS.first("claim")
HARVEST: Final = ACTIONS.first("harvest")
RESEARCH: Final = ACTIONS.first("research")
DISCARD: Final = ACTIONS.first("discard")
SPEND: Final = ACTIONS.first("spend")
SPEND_PAIR: Final = ACTIONS.first("spend_pair")
TAKE_MARKED: Final = ACTIONS.first("take_marked")
TAKE: Final = ACTIONS.first("take")
MARK: Final = ACTIONS.first("mark")
DECLINE: Final = ACTIONS.first("decline")

VERSION: Final = 0
STATE: Final = state_record(
    [
        *state_header("jumpgate", ACTIONS.count),
        # public table
        ("discard", np.uint64),  # navigation cards
        ("removed", np.uint64),  # Nothing cards out of the game
        ("face_up", np.uint64, MAX_PLANETS),  # [position] resources
        ("marks", np.uint64, MAX_PLAYERS),  # [player] resources that carry the player's mark
        ("collected", np.uint64, MAX_PLAYERS),  # [player] resources
        ("ring", np.uint8, MAX_PLANETS),  # [position] planet card, 0-11
        ("owners", np.uint8, MAX_PLANETS),  # [position] player or NO_PLAYER
        ("face_down", np.uint8, MAX_PLANETS),  # [position] number of resources, 0-3
        ("locations", np.uint8, MAX_PLAYERS),  # [player] position or GATE
        # the turn
        ("actions_left", np.uint8),  # 0-2, the one under way included
        (
            "final_turns_left",
            np.uint8,
        ),  # 0: not begun; else turns to finish, the present one included
        ("prompt", np.uint8),  # PROMPT_*
        ("pending_action", np.uint8),  # PENDING_*: what is being chosen or paid
        ("pending_target", np.uint8),  # position, or NO_TARGET
        ("pending_resource", np.uint8),  # kind or MARKED
        # hidden
        ("deck", np.uint64),  # navigation cards, order undecided
        ("unseen", np.uint64),  # resources face down on planets or set aside, undecided which
        ("hands", np.uint64, MAX_PLAYERS),  # [player] navigation cards
        ("hidden", np.uint64, MAX_PLAYERS),  # [player] resources
        # what a perfect memory knows of the hands: cards held since the same reshuffle, §6
        ("held_since", np.uint8, NUM_CARDS),  # [card] 0: since none; k: since the k-th still of use
    ],
)

RULES: Final = np.dtype(
    [
        ("digest", np.uint64),  # identifies tables and options together
        ("num_players", np.int64),
        ("num_planets", np.int64),
        ("hidden_count", np.int64),  # hidden resources dealt to each player
        ("max_turns", np.int64),
        ("blackhole_limit", np.int64),
        ("planet_points", np.int64),
        ("fame_points", np.int64),
        ("pair_points", np.int64),  # one light and one dark EnerGel
        ("single_points", np.int64),  # a left-over EnerGel
        ("sand_points", np.int64, NUM_CARDS + 1),  # [number of cards]
        ("water_points", np.int64, NUM_CARDS + 1),  # [number of cards]
        (
            "jump_cards",
            np.uint64,
            NUM_CODES,
        ),  # [code] navigation cards that serve it, wildcards too
        ("scan_cards", np.uint64, NUM_CODES),
        ("land_cards", np.uint64, NUM_CODES),
        ("types", np.uint64, NUM_TYPES),  # [type] resources
        ("kinds", np.uint64, NUM_KINDS),  # [kind = 2 * type + icon] resources
        ("icons", np.uint64),  # resources with a black-hole icon
        ("not_hidden", np.uint64),  # resources that are dealt again when drawn as hidden ones
        ("nothing", np.uint64),  # resources that leave the game when revealed
        ("neighbours", np.uint64, MAX_PLANETS + 1),  # [location] positions in reach of Fly
        ("jump_targets", np.uint64, MAX_PLANETS + 1),  # [location] positions in reach of Jump
        ("planet_jump", np.uint8, NUM_PLANET_CARDS),  # [planet card] code 1-4
        ("planet_scan", np.uint8, NUM_PLANET_CARDS),
        ("planet_land_a", np.uint8, NUM_PLANET_CARDS),
        ("planet_land_b", np.uint8, NUM_PLANET_CARDS),
        ("kind_of", np.uint8, NUM_CARDS),  # [resource] kind or NO_KIND
        ("mark_scope", np.uint8),
        ("mark_optional", np.uint8),
        ("scan_cost", np.uint8),
        ("harvest_cost", np.uint8),
        ("landing_rule", np.uint8),
        ("harvest_anywhere", np.uint8),
        ("tie_break", np.uint8),
        ("nav_jump", np.uint8, NUM_CARDS),  # [navigation card] code 0-4 or WILDCARD, for `observe`
        ("nav_scan", np.uint8, NUM_CARDS),
        ("nav_land", np.uint8, NUM_CARDS),
    ],
    align=True,
)

ALL_CARDS: Final = U((1 << NUM_CARDS) - 1)
ALL_PLANET_CARDS: Final = U((1 << NUM_PLANET_CARDS) - 1)

# --- §2 set-up -------------------------------------------------------------------------------


@kernel
def new_game(r: Any, s: Any) -> None:
    """§2: set up the table; the only random things are drawn in rulebook order."""
    clear_table(s)
    lay_ring(r, s)
    deal_hidden(r, s)
    deal_planets(r, s)
    deal_hands(r, s)
    s.current_player = randbelow(s, r.num_players)
    begin_turn(s)


@inline_kernel
def clear_table(s: Any) -> None:
    """§1: everything in its box; ships on the Jump Gate (§2.2)."""
    s.jumpgate_version = VERSION
    s.turn_count = 0
    s.decision_count = 0
    s.end_reasons = 0
    s.is_truncated = 0
    s.must_ask = 0
    s.final_turns_left = 0
    s.deck = ALL_CARDS
    s.unseen = ALL_CARDS
    s.discard = NONE
    s.removed = NONE
    s.marks[:] = NONE
    s.collected[:] = NONE
    s.hands[:] = NONE
    s.hidden[:] = NONE
    s.held_since[:] = 0
    s.face_up[:] = NONE
    s.face_down[:] = 0
    s.ring[:] = 0
    s.owners[:] = NO_PLAYER
    s.locations[:] = GATE


@inline_kernel
def lay_ring(r: Any, s: Any) -> None:
    """§2.1: random planets in a ring, in random order."""
    planets = ALL_PLANET_CARDS
    for position in range(r.num_planets):
        planet = draw(s, planets)
        planets &= ~bit(planet)
        s.ring[position] = planet


@inline_kernel
def deal_hidden(r: Any, s: Any) -> None:
    """§2.3: hidden resources; Fame (and Nothing, §10) is set aside and replaced, then returned."""
    aside = NONE
    for player in range(r.num_players):
        for _ in range(r.hidden_count):
            card = bit(draw(s, s.unseen))
            while card & r.not_hidden != NONE:
                s.unseen &= ~card
                aside |= card
                card = bit(draw(s, s.unseen))
            s.unseen &= ~card
            s.hidden[player] |= card
    s.unseen |= aside


@inline_kernel
def deal_planets(r: Any, s: Any) -> None:
    """§2.4: three resources face down and one face up; a Nothing face up is removed (§10)."""
    for position in range(r.num_planets):
        s.face_down[position] = FACE_DOWN_PER_PLANET
        turn_up(r, s, position)


@inline_kernel
def deal_hands(r: Any, s: Any) -> None:
    """§2.5: five navigation cards each."""
    for player in range(r.num_players):
        for _ in range(HAND_SIZE):
            draw_card(s, player)


# --- §3 the turn -----------------------------------------------------------------------------


@inline_kernel
def legal_actions(r: Any, s: Any) -> None:
    """§3: the legal set of the pending prompt."""
    player = np.int64(s.current_player)
    prompt = s.prompt
    if prompt == PROMPT_MAIN:
        mask_main(r, s, player)
    elif prompt == PROMPT_SPEND:
        mask_spend(r, s, player)
    elif prompt == PROMPT_SPEND_PAIR:
        mask_spend_pair(r, s, player)
    elif prompt == PROMPT_HARVEST:
        mask_harvest_resource(r, s, player)
    elif prompt == PROMPT_RESEARCH:
        mask_research(s, player)
    elif prompt == PROMPT_MARK:
        mask_mark(r, s, player)
    elif prompt == PROMPT_PICK:
        mask_pick(r, s, player)


@inline_kernel
def apply_action(r: Any, s: Any, action: Any) -> None:
    """§3: play one legal action of the pending prompt."""
    player = np.int64(s.current_player)
    prompt = s.prompt
    if prompt == PROMPT_MAIN:
        apply_main(r, s, player, action)
    elif prompt == PROMPT_SPEND:
        apply_spend(r, s, player, action - SPEND)
    elif prompt == PROMPT_SPEND_PAIR:
        apply_claim(r, s, player, action - SPEND_PAIR)
    elif prompt == PROMPT_HARVEST:
        apply_harvest_resource(r, s, player, action)
    elif prompt == PROMPT_RESEARCH:
        apply_research(r, s, player, action - DISCARD)
    elif prompt == PROMPT_MARK:
        apply_mark(r, s, player, action)
    else:
        apply_pick(r, s, player, action)


@inline_kernel
def mask_main(r: Any, s: Any, player: Any) -> None:
    """§3: the table of actions. Passing is always allowed."""
    location = np.int64(s.locations[player])
    hand = s.hands[player]
    add_block(s.legal, PASS, ONE)
    add_block(s.legal, FLY, r.neighbours[location])
    add_block(s.legal, JUMP, jump_targets(r, s, location, hand))
    add_block(s.legal, HARVEST, harvest_targets(r, s, player, location, hand))
    add_block(s.legal, RESEARCH, ONE)
    if location != GATE:
        add_block(s.legal, SCAN, U(can_scan(r, s, location, hand)))
        add_block(s.legal, CLAIM, U(can_claim(r, s, location, hand)))


@inline_kernel
def apply_main(r: Any, s: Any, player: Any, action: Any) -> None:
    """§3: dispatch; what must be paid is asked first."""
    if action == RESEARCH:
        s.prompt = PROMPT_RESEARCH
    elif action >= HARVEST:
        apply_harvest(r, s, player, action - HARVEST)
    elif action == CLAIM:
        s.prompt = PROMPT_SPEND_PAIR
    elif action == SCAN:
        apply_scan(r, s, player)
    elif action >= JUMP:
        ask_payment(s, PENDING_JUMP, action - JUMP, NO_KIND)
    elif action >= FLY:
        apply_fly(r, s, player, action - FLY)
    else:
        finish_quiet_action(r, s, player)


@inline_kernel
def ask_payment(s: Any, pending_action: Any, target: Any, resource: Any) -> None:
    """Ask which card pays; the effect follows in `apply_spend`."""
    s.prompt = PROMPT_SPEND
    s.pending_action = pending_action
    s.pending_target = target
    s.pending_resource = resource


@inline_kernel
def mask_spend(r: Any, s: Any, player: Any) -> None:
    """§§4.2, 4.3, 4.5: the cards that can pay the pending action."""
    hand = s.hands[player]
    if s.pending_action == PENDING_JUMP:
        cards = hand & r.jump_cards[r.planet_jump[s.ring[s.pending_target]]]
    elif s.pending_action == PENDING_SCAN:
        cards = scan_payment(r, s, np.int64(s.locations[player]), hand)
    else:
        cards = hand
    add_block(s.legal, SPEND, ranks(hand, cards))


@inline_kernel
def apply_spend(r: Any, s: Any, player: Any, slot: Any) -> None:
    """§§4.2, 4.3, 4.5: the card is spent, then its effect follows."""
    discard(s, player, bit(select(s.hands[player], slot)))
    if s.pending_action == PENDING_JUMP:
        move_ship(r, s, player, s.pending_target)
    elif s.pending_action == PENDING_SCAN:
        reveal(r, s, player)
    else:
        harvest(r, s, player)


# --- §4.1 Fly --------------------------------------------------------------------------------


@inline_kernel
def apply_fly(r: Any, s: Any, player: Any, position: Any) -> None:
    """§4.1: to a neighbour in the ring (`RULES.neighbours`), without a card."""
    move_ship(r, s, player, position)


@inline_kernel
def move_ship(r: Any, s: Any, player: Any, position: Any) -> None:
    """§§4.1, 4.2: the ship arrives; nothing is placed."""
    s.locations[player] = position
    finish_quiet_action(r, s, player)


# --- §4.2 Jump -------------------------------------------------------------------------------


@inline_kernel
def jump_targets(r: Any, s: Any, location: Any, hand: Any) -> Any:
    """§4.2: positions whose jump code a card in the hand serves (codes first: 1.05 times)."""
    served = NONE
    for code in range(MIN_CODE, NUM_CODES):
        served |= U(hand & r.jump_cards[code] != NONE) << U(code)
    targets = NONE
    for position in range(r.num_planets):
        code = r.planet_jump[U(s.ring[U(position)])]
        targets |= (served >> U(code) & ONE) << U(position)
    return targets & r.jump_targets[location]


# --- §4.3 Scan -------------------------------------------------------------------------------


@inline_kernel
def can_scan(r: Any, s: Any, location: Any, hand: Any) -> Any:
    """§4.3: a face-down resource here, and a card to pay."""
    if s.face_down[location] == 0:
        return False
    return r.scan_cost == SCAN_FREE or scan_payment(r, s, location, hand) != NONE


@inline_kernel
def scan_payment(r: Any, s: Any, location: Any, hand: Any) -> Any:
    """§4.3: the cards that pay a scan here, by `scan_cost`."""
    if r.scan_cost == SCAN_ANY_CARD:
        return hand
    return hand & r.scan_cards[r.planet_scan[s.ring[location]]]


@inline_kernel
def apply_scan(r: Any, s: Any, player: Any) -> None:
    """§4.3.1: spend a card, unless `scan_cost` makes it free."""
    if r.scan_cost == SCAN_FREE:
        reveal(r, s, player)
    else:
        ask_payment(s, PENDING_SCAN, NO_TARGET, NO_KIND)


@inline_kernel
def reveal(r: Any, s: Any, player: Any) -> None:
    """§4.3.2: turn one resource up, then ask for a mark if one can be placed."""
    location = np.int64(s.locations[player])
    s.face_down[location] -= 1
    turn_up(r, s, location)
    if unmarked(r, s, location) != NONE:
        ask(s, PROMPT_MARK)
    else:
        finish_action(r, s, player)


@inline_kernel
def turn_up(r: Any, s: Any, position: Any) -> None:
    """§4.3.2: turn up a resource that lies face down; at set-up (§2.4) the one beside the three."""
    card = bit(draw(s, s.unseen))
    s.unseen &= ~card
    if card & r.nothing != NONE:
        s.removed |= card
    else:
        s.face_up[position] |= card


@inline_kernel
def mask_mark(r: Any, s: Any, player: Any) -> None:
    """§4.3.3: any resource here without a mark; declining unless `mark_optional` forbids it."""
    location = np.int64(s.locations[player])
    add_block(s.legal, MARK, kinds_in(r, unmarked(r, s, location)))
    add_block(s.legal, DECLINE, U(r.mark_optional))


@inline_kernel
def apply_mark(r: Any, s: Any, player: Any, action: Any) -> None:
    """§4.3.3: a new mark lifts the old one (everywhere, or on this planet: `mark_scope`)."""
    if action != DECLINE:
        location = np.int64(s.locations[player])
        card = first_of_kind(r, unmarked(r, s, location), action - MARK)
        if r.mark_scope == MARK_GLOBAL:
            s.marks[player] = card
        else:
            s.marks[player] = s.marks[player] & ~s.face_up[location] | card
    finish_quiet_action(r, s, player)


# --- §4.4 Land & Claim -----------------------------------------------------------------------


@inline_kernel
def can_claim(r: Any, s: Any, location: Any, hand: Any) -> Any:
    """§4.4: an unclaimed planet without face-down resources, and two landing cards."""
    if s.face_down[location] != 0 or s.owners[location] != NO_PLAYER:
        return False
    if r.landing_rule == LANDING_EQUAL_PAIR:
        for code in range(MIN_CODE, NUM_CODES):
            if popcount(hand & r.land_cards[code]) > 1:
                return True
        return False
    planet = s.ring[location]
    cards_a = hand & r.land_cards[r.planet_land_a[planet]]
    cards_b = hand & r.land_cards[r.planet_land_b[planet]]
    return cards_a != NONE and cards_b != NONE and popcount(cards_a | cards_b) > 1


@inline_kernel
def mask_spend_pair(r: Any, s: Any, player: Any) -> None:
    """§4.4: unordered pairs of cards that cover both landing codes."""
    hand = s.hands[player]
    pairs = NONE
    if r.landing_rule == LANDING_EQUAL_PAIR:
        for code in range(MIN_CODE, NUM_CODES):
            cards = ranks(hand, hand & r.land_cards[code])
            pairs |= pairs_between(cards, cards)
    else:
        planet = s.ring[s.locations[player]]
        cards_a = ranks(hand, hand & r.land_cards[r.planet_land_a[planet]])
        cards_b = ranks(hand, hand & r.land_cards[r.planet_land_b[planet]])
        pairs = pairs_between(cards_a, cards_b)
    add_block(s.legal, SPEND_PAIR, pairs)


@inline_kernel
def pairs_between(slots_a: Any, slots_b: Any) -> Any:
    """The set of pairs with one slot in each set, whichever way round."""
    pairs = NONE
    pair = 0
    for low in range(HAND_SIZE - 1):
        for high in range(low + 1, HAND_SIZE):
            if (has(slots_a, low) and has(slots_b, high)) or (
                has(slots_b, low) and has(slots_a, high)
            ):
                pairs |= bit(pair)
            pair += 1
    return pairs


@inline_kernel
def apply_claim(r: Any, s: Any, player: Any, pair: Any) -> None:
    """§4.4: pay, own the planet, hand out the marked resources, then ask for the free pick."""
    low = 0
    while pair >= HAND_SIZE - 1 - low:
        pair -= HAND_SIZE - 1 - low
        low += 1
    hand = s.hands[player]
    discard(s, player, bit(select(hand, low)) | bit(select(hand, low + 1 + pair)))
    location = np.int64(s.locations[player])
    s.owners[location] = player
    if all_claimed(r, s):
        s.final_turns_left = r.num_players + 1
    distribute_marked(r, s, location)
    if s.face_up[location] != NONE:
        ask(s, PROMPT_PICK)
    else:
        finish_action(r, s, player)


@inline_kernel
def all_claimed(r: Any, s: Any) -> Any:
    """§7.3: whether the last planet has been claimed."""
    for position in range(r.num_planets):
        if s.owners[position] == NO_PLAYER:
            return False
    return True


@inline_kernel
def distribute_marked(r: Any, s: Any, location: Any) -> None:
    """§4.4.2: every marked resource goes to the player whose mark it carries; marks return."""
    for player in range(r.num_players):
        collect(s, player, location, s.face_up[location] & s.marks[player])


@inline_kernel
def mask_pick(r: Any, s: Any, player: Any) -> None:
    """§4.4.3: one unmarked resource for free, or none."""
    location = np.int64(s.locations[player])
    add_block(s.legal, TAKE, kinds_in(r, s.face_up[location]))
    add_block(s.legal, DECLINE, ONE)


@inline_kernel
def apply_pick(r: Any, s: Any, player: Any, action: Any) -> None:
    """§4.4.3: take the chosen resource, or none."""
    if action != DECLINE:
        location = np.int64(s.locations[player])
        collect(s, player, location, first_of_kind(r, s.face_up[location], action - TAKE))
    finish_action(r, s, player)


# --- §4.5 Harvest ----------------------------------------------------------------------------


@inline_kernel
def harvest_targets(r: Any, s: Any, player: Any, location: Any, hand: Any) -> Any:
    """§4.5: the present planet (any with `harvest_where=anywhere`) if it has something to take."""
    targets = NONE
    if r.harvest_anywhere:
        for position in range(r.num_planets):
            if can_harvest(r, s, player, position, hand):
                targets |= bit(position)
    elif location != GATE and can_harvest(r, s, player, location, hand):
        targets = bit(location)
    return targets


@inline_kernel
def can_harvest(r: Any, s: Any, player: Any, position: Any, hand: Any) -> Any:
    """§4.5: whether anything at a position can be taken and paid."""
    marked = harvestable_marked(r, s, player, position, hand)
    return marked != NONE or harvestable_unmarked(r, s, position, hand) != NONE


@inline_kernel
def harvestable_marked(r: Any, s: Any, player: Any, position: Any, hand: Any) -> Any:
    """§4.5: the resource with one's own mark, even beside face-down ones."""
    if hand == NONE and r.harvest_cost == HARVEST_ANY_CARD:
        return NONE
    return s.face_up[position] & s.marks[player]


@inline_kernel
def harvestable_unmarked(r: Any, s: Any, position: Any, hand: Any) -> Any:
    """§4.5: unmarked resources of a planet without face-down ones."""
    if s.face_down[position] != 0 or (hand == NONE and r.harvest_cost != HARVEST_FREE):
        return NONE
    return unmarked(r, s, position)


@inline_kernel
def apply_harvest(r: Any, s: Any, player: Any, position: Any) -> None:
    """§4.5: ask which resource of the planet."""
    s.prompt = PROMPT_HARVEST
    s.pending_action = PENDING_HARVEST
    s.pending_target = position
    s.pending_resource = NO_KIND


@inline_kernel
def mask_harvest_resource(r: Any, s: Any, player: Any) -> None:
    """§4.5: which resource, among those that can be taken and paid."""
    position = np.int64(s.pending_target)
    hand = s.hands[player]
    marked = harvestable_marked(r, s, player, position, hand)
    add_block(s.legal, TAKE_MARKED, U(marked != NONE))
    add_block(s.legal, TAKE, kinds_in(r, harvestable_unmarked(r, s, position, hand)))


@inline_kernel
def apply_harvest_resource(r: Any, s: Any, player: Any, action: Any) -> None:
    """§4.5: any one card pays, unless `harvest_cost` makes it free."""
    resource = MARKED if action == TAKE_MARKED else action - TAKE
    is_free = r.harvest_cost == HARVEST_FREE or (
        resource == MARKED and r.harvest_cost == HARVEST_ANY_CARD_IF_UNMARKED
    )
    ask_payment(s, PENDING_HARVEST, s.pending_target, resource)
    if is_free:
        harvest(r, s, player)


@inline_kernel
def harvest(r: Any, s: Any, player: Any) -> None:
    """§4.5: take the pending resource."""
    position = np.int64(s.pending_target)
    if s.pending_resource == MARKED:
        card = s.face_up[position] & s.marks[player]
    else:
        card = first_of_kind(r, unmarked(r, s, position), np.int64(s.pending_resource))
    collect(s, player, position, card)
    finish_action(r, s, player)


# --- §4.6 Research ---------------------------------------------------------------------------


@inline_kernel
def mask_research(s: Any, player: Any) -> None:
    """§4.6: every subset of the hand; with a full hand something must be discarded."""
    size = popcount(s.hands[player])
    subsets = below(ONE << U(size))
    if size == HAND_SIZE:
        subsets &= ~ONE
    add_block(s.legal, DISCARD, subsets)


@inline_kernel
def apply_research(r: Any, s: Any, player: Any, subset: Any) -> None:
    """§4.6: discard the chosen cards, then draw up to five."""
    discard(s, player, with_ranks(s.hands[player], U(subset)))
    for _ in range(HAND_SIZE - popcount(s.hands[player])):
        if s.deck == NONE:
            reshuffle(r, s)
        if s.deck != NONE:
            draw_card(s, player)
    finish_quiet_action(r, s, player)


@inline_kernel
def draw_card(s: Any, player: Any) -> None:
    """§4.6: a random card of the deck."""
    card = bit(draw(s, s.deck))
    s.deck &= ~card
    s.hands[player] |= card


@kernel
def reshuffle(r: Any, s: Any) -> None:
    """§4.6: the discards are the new deck. Everybody now knows which cards are in hands (§6)."""
    s.deck = s.discard
    s.discard = NONE
    renumber_held(s, union(s.hands))


@inline_kernel
def renumber_held(s: Any, held: Any) -> None:
    """Number the groups of cards held since the same reshuffle 1, 2, ... the newest last."""
    groups = NONE
    cards = held
    while cards != NONE:
        groups |= bit(s.held_since[lowest(cards)])
        cards = without_lowest(cards)
    groups &= ~ONE
    newest = popcount(groups) + 1
    cards = held
    while cards != NONE:
        card = lowest(cards)
        group = s.held_since[card]
        s.held_since[card] = newest if group == 0 else popcount(groups & below(group)) + 1
        cards = without_lowest(cards)


# --- §5 collecting ---------------------------------------------------------------------------


@inline_kernel
def collect(s: Any, player: Any, position: Any, cards: Any) -> None:
    """§5: cards go to the player's public pile; their icons are the Black Hole markers."""
    s.face_up[position] &= ~cards
    s.marks[player] &= ~cards
    s.collected[player] |= cards


@inline_kernel
def black_hole_markers(r: Any, s: Any, player: Any) -> Any:
    """§5: one marker for each icon a player has collected."""
    return popcount(s.collected[player] & r.icons)


# --- §7 end of the game ----------------------------------------------------------------------


@inline_kernel
def finish_action(r: Any, s: Any, player: Any) -> None:
    """§7: after every completely resolved action test the end, then go on."""
    s.end_reasons = immediate_reasons(r, s)
    if s.end_reasons == 0:
        finish_quiet_action(r, s, player)
    else:
        if s.actions_left == 1 and s.final_turns_left == 1:
            s.end_reasons |= REASON_PLANETS_CLAIMED
        end_game(s)


@inline_kernel
def finish_quiet_action(r: Any, s: Any, player: Any) -> None:
    """§7: no resource was taken or revealed, so nothing ends at once (1.05 times the rollouts)."""
    s.actions_left -= 1
    if s.actions_left != 0:
        ask(s, PROMPT_MAIN)
        return
    end_turn(r, s)
    if s.end_reasons != 0 or s.is_truncated:
        end_game(s)
    else:
        s.current_player = player + 1 if player + 1 < r.num_players else 0
        begin_turn(s)


@inline_kernel
def immediate_reasons(r: Any, s: Any) -> Any:
    """§7.1 and §7.2."""
    reasons = 0
    if popcount(union(s.collected) & r.icons) >= r.blackhole_limit:
        reasons |= REASON_BLACK_HOLE
    if union(s.face_up) == NONE and not is_any_face_down(s):
        reasons |= REASON_NO_RESOURCES
    return reasons


@inline_kernel
def is_any_face_down(s: Any) -> Any:
    """§7.2: whether a face-down resource is left on a planet."""
    for position in range(MAX_PLANETS):
        if s.face_down[position] != 0:
            return True
    return False


@inline_kernel
def end_turn(r: Any, s: Any) -> None:
    """§7.3: after the last claim everybody has one more turn; §7: the cap on turns."""
    s.turn_count += 1
    if s.final_turns_left > 0:
        s.final_turns_left -= 1
        if s.final_turns_left == 0:
            s.end_reasons |= REASON_PLANETS_CLAIMED
    if s.end_reasons == 0 and s.turn_count >= r.max_turns:
        s.is_truncated = 1


@inline_kernel
def begin_turn(s: Any) -> None:
    """§3: two actions."""
    s.actions_left = ACTIONS_PER_TURN
    ask(s, PROMPT_MAIN)


@inline_kernel
def end_game(s: Any) -> None:
    """The player who acted last stays the current one."""
    s.actions_left = 0
    ask(s, PROMPT_OVER)


@inline_kernel
def ask(s: Any, prompt: Any) -> None:
    """Put a question to the current player; nothing is pending beside it."""
    s.prompt = prompt
    s.pending_action = PENDING_NOTHING
    s.pending_target = NO_TARGET
    s.pending_resource = NO_KIND


# --- §8 scoring ------------------------------------------------------------------------------


@kernel
def final_result(r: Any, s: Any, points: Any, is_winner: Any) -> None:
    """§8: points [players] and winners [players] of the position as it stands."""
    best = np.int64(-1)
    for player in range(r.num_players):
        total = player_points(r, s, player, keeps_hidden(r, s, player))
        points[player] = total
        best = max(best, tie_key(r, s, player, total))
    for player in range(r.num_players):
        is_winner[player] = tie_key(r, s, player, np.int64(points[player])) == best


@inline_kernel
def keeps_hidden(r: Any, s: Any, player: Any) -> Any:
    """§8.1: with the Black Hole full, whoever has most markers discards the hidden resources."""
    total = 0
    most = 0
    for other in range(r.num_players):
        markers = black_hole_markers(r, s, other)
        total += markers
        most = max(most, markers)
    return total < r.blackhole_limit or black_hole_markers(r, s, player) < most


@inline_kernel
def player_points(r: Any, s: Any, player: Any, with_hidden: Any) -> Any:
    """§8.2 and §8.3: resources and claimed planets."""
    cards = s.collected[player]
    if with_hidden:
        cards |= s.hidden[player]
    return resource_points(r, cards) + r.planet_points * claimed_planets(r, s, player)


@inline_kernel
def resource_points(r: Any, cards: Any) -> Any:
    """§1.1: gems, EnerGel, water, Fame and sand."""
    gems = 0
    largest = 0
    for colour in GEMS:
        count = popcount(cards & r.types[colour])
        gems += count
        largest = max(largest, count)
    light = popcount(cards & r.types[LIGHT_ENERGEL])
    dark = popcount(cards & r.types[DARK_ENERGEL])
    pairs = min(light, dark)
    return (
        gems * largest
        + r.pair_points * pairs
        + r.single_points * (light + dark - pairs - pairs)
        + r.water_points[popcount(cards & r.types[WATER])]
        + r.fame_points * popcount(cards & r.types[FAME])
        + r.sand_points[popcount(cards & r.types[SAND])]
    )


@inline_kernel
def claimed_planets(r: Any, s: Any, player: Any) -> Any:
    """§8.3: number of planets of a player."""
    count = 0
    for position in range(r.num_planets):
        if s.owners[position] == player:
            count += 1
    return count


@inline_kernel
def tie_key(r: Any, s: Any, player: Any, total: Any) -> Any:
    """§8.4: points; with `fewest_blackhole_then_planets` then fewer markers, then more planets."""
    if r.tie_break == TIE_SHARED:
        return total
    fewer = NUM_CARDS - black_hole_markers(r, s, player)
    return (total * (NUM_CARDS + 1) + fewer) * (MAX_PLANETS + 1) + claimed_planets(r, s, player)


# --- §6 hidden information -------------------------------------------------------------------


@kernel
def determinize(r: Any, s: Any, player: Any) -> None:
    """§6: redraw what `player` cannot know, uniformly among what the public facts allow."""
    redraw_hidden(r, s, player)
    redraw_hands(r, s, player)


@inline_kernel
def redraw_hidden(r: Any, s: Any, player: Any) -> None:
    """§2.3: hidden resources are among the unseen ones, but never Fame or Nothing."""
    for other in range(r.num_players):
        if other != player and not is_shown(r, s, other):
            s.unseen |= s.hidden[other]
    for other in range(r.num_players):
        if other != player and not is_shown(r, s, other):
            cards = draw_some(s, s.unseen & ~r.not_hidden, popcount(s.hidden[other]))
            s.hidden[other] = cards
            s.unseen &= ~cards


@inline_kernel
def is_shown(r: Any, s: Any, player: Any) -> Any:
    """§8, §6: at the end kept hidden resources are shown, discarded ones are not."""
    return s.prompt == PROMPT_OVER and keeps_hidden(r, s, player)


@inline_kernel
def redraw_hands(r: Any, s: Any, player: Any) -> None:
    """§4.6: cards held since a reshuffle stay in the hands of those who held them, as a group."""
    held = NONE
    for other in range(r.num_players):
        if other != player:
            held |= s.hands[other]
    groups = ONE
    cards = held
    while cards != NONE:
        groups |= bit(s.held_since[lowest(cards)])
        cards = without_lowest(cards)
    while groups != NONE:
        redraw_group(r, s, player, held, lowest(groups))
        groups = without_lowest(groups)


@inline_kernel
def redraw_group(r: Any, s: Any, player: Any, held: Any, group: Any) -> None:
    """Deal the cards of one group again; group 0 includes the deck."""
    members = NONE
    cards = held
    while cards != NONE:
        if s.held_since[lowest(cards)] == group:
            members |= bit(lowest(cards))
        cards = without_lowest(cards)
    pool = members | s.deck if group == 0 else members
    for other in range(r.num_players):
        if other != player:
            count = popcount(s.hands[other] & members)
            s.hands[other] &= ~members
            dealt = draw_some(s, pool, count)
            pool &= ~dealt
            s.hands[other] |= dealt
    if group == 0:
        s.deck = pool


# --- helpers ---------------------------------------------------------------------------------


@inline_kernel
def unmarked(r: Any, s: Any, position: Any) -> Any:
    """Face-up resources at a position that carry nobody's mark."""
    return s.face_up[position] & ~union(s.marks)


@inline_kernel
def union(piles: Any) -> Any:
    """All cards of several piles; the piles of absent players and planets are empty."""
    cards = NONE
    for pile in range(piles.shape[0]):
        cards |= piles[pile]
    return cards


@inline_kernel
def kinds_in(r: Any, cards: Any) -> Any:
    """The set of kinds among resources."""
    kinds = NONE
    while cards != NONE:
        kinds |= bit(r.kind_of[lowest(cards)])
        cards = without_lowest(cards)
    return kinds


@inline_kernel
def first_of_kind(r: Any, cards: Any, kind: Any) -> Any:
    """The lowest-numbered resource of a kind, as a set."""
    return bit(lowest(cards & r.kinds[kind]))


@inline_kernel
def discard(s: Any, player: Any, cards: Any) -> None:
    """Cards leave the hand for the public discard pile."""
    s.hands[player] &= ~cards
    s.discard |= cards
    while cards != NONE:
        s.held_since[lowest(cards)] = 0
        cards = without_lowest(cards)
