"""Jump Gate once more, slowly: a reference to test the fast implementation against.

Written from RULES.md alone, in its order, with lists, sets and dicts of card names. Every rule
names the section of RULES.md it implements (§). Nothing here is optimised. The fast
implementation shares no code with it, only what both must agree on to be comparable: the random
generator with the order of its draws, and the numbers and texts of the actions.

Reading order: the tables, the options, the actions, then the game itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from .common import ReferenceGame, Row, load_sections, numbered_actions, options_over_defaults
from .generator import Generator

GATE = "gate"
HAND_LIMIT = 5
ACTIONS_PER_TURN = 2
FACE_DOWN_PER_PLANET = 3
FACE_UP_PER_PLANET = 1
DEFAULT_TURNS_PER_PLAYER = 1000
WILDCARD = "W"
NO_CODE = "-"


# ---------------------------------------------------------------------------------------------
# §1 Components
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Planet:
    """§1.3: one planet card and its four codes."""

    name: str
    jump: str
    scan: str
    landing: tuple[str, str]


@dataclass(frozen=True)
class NavigationCard:
    """§1.2: one navigation card; a code is a number, "W" (fits any number) or "-" (absent)."""

    name: str
    jump: str
    scan: str
    land: str


@dataclass(frozen=True)
class ResourceCard:
    """§1.1: one resource card."""

    name: str
    type: str
    subtype: str
    has_icon: bool

    @property
    def kind(self) -> str:
        """What the card is called in actions, for example "red gem*" with a black-hole icon."""
        words = self.type if self.subtype == "-" else f"{self.subtype} {self.type}"
        return words + ("*" if self.has_icon else "")


@dataclass(frozen=True)
class Tables:
    """§1: everything printed on the components. The order in a dict is the order of the cards."""

    ring_sizes: dict[int, int]
    planets: dict[str, Planet]
    navigation: dict[str, NavigationCard]
    resources: dict[str, ResourceCard]
    row_points: dict[str, list[int]]
    values: dict[str, int]

    @classmethod
    def load(cls, path: str | Path, deck_path: str | Path | None = None) -> Tables:
        """Read a complete ruleset file; a second file may replace the resource deck.

        Raises ValueError if a table is missing or a row cannot be read.
        """
        names = ("ring_sizes", "planets", "navigation", "resources", "row_points", "values")
        sections = load_sections(path, names, "resources", deck_path)
        return cls(
            ring_sizes={int(row["players"]): int(row["planets"]) for row in sections["ring_sizes"]},
            planets={row["id"]: read_planet(row) for row in sections["planets"]},
            navigation={row["id"]: read_navigation_card(row) for row in sections["navigation"]},
            resources={row["id"]: read_resource_card(row) for row in sections["resources"]},
            row_points=read_row_points(sections["row_points"]),
            values={row["name"]: int(row["value"]) for row in sections["values"]},
        )


def read_planet(row: Row) -> Planet:
    """§1.3."""
    return Planet(row["id"], row["jump"], row["scan"], (row["land_a"], row["land_b"]))


def read_navigation_card(row: Row) -> NavigationCard:
    """§1.2."""
    return NavigationCard(row["id"], row["jump"], row["scan"], row["land"])


def read_resource_card(row: Row) -> ResourceCard:
    """§1.1, and the Nothing cards of §10."""
    card = ResourceCard(row["id"], row["type"], row["subtype"], row["black_hole_icon"] == "1")
    if card.type != "nothing" and card.kind not in KINDS:
        raise ValueError(f"resource {card.name}: unknown kind {card.kind!r}")
    if card.type == "nothing" and card.has_icon:
        raise ValueError(f"resource {card.name}: Nothing carries no icon")
    return card


def read_row_points(rows: list[Row]) -> dict[str, list[int]]:
    """§1.1: points for holding 0, 1, 2, ... cards of a type scored by a row."""
    if [int(row["n"]) for row in rows] != list(range(len(rows))):
        raise ValueError("the rows of row_points must be numbered 0, 1, 2, ...")
    return {name: [int(row[name]) for row in rows] for name in ("sand", "water")}


RESOURCE_TYPES = (
    "sand",
    "red gem",
    "white gem",
    "blue gem",
    "light energel",
    "dark energel",
    "water",
    "fame",
)
KINDS = [name + icon for name in RESOURCE_TYPES for icon in ("", "*")]


# ---------------------------------------------------------------------------------------------
# §10 Options
# ---------------------------------------------------------------------------------------------

DEFAULT_OPTIONS: dict[str, Any] = {
    "deck": "default",
    "hidden_per_player": 2,
    "two_player_hidden": 2,
    "redeal_fame": True,
    "mark_scope": "global",
    "mark_optional": True,
    "scan_cost": "match",
    "harvest_cost": "any_card",
    "landing_rule": "planet_codes",
    "fly_from_gate": False,
    "jump_target": "any",
    "harvest_where": "here",
    "blackhole_limit": 7,
    "planet_points": 4,
    "tie_break": "shared",
    "max_turns": None,
}
OPTION_CHOICES: dict[str, tuple[str, ...]] = {
    "deck": ("default", "eights", "nothing2010"),
    "mark_scope": ("global", "per_planet"),
    "scan_cost": ("match", "any_card", "free"),
    "harvest_cost": ("any_card", "any_card_if_unmarked", "free"),
    "landing_rule": ("planet_codes", "equal_pair"),
    "jump_target": ("any", "not_adjacent"),
    "harvest_where": ("here", "anywhere"),
    "tie_break": ("shared", "fewest_blackhole_then_planets"),
}


def complete_options(given: Mapping[str, object], num_players: int) -> dict[str, Any]:
    """§10: the given options over the defaults. Raises ValueError for a name or word unknown.

    The option "deck" only names the resource deck; the deck itself comes with the tables.
    """
    options = options_over_defaults(given, DEFAULT_OPTIONS, OPTION_CHOICES)
    if not options["max_turns"]:
        options["max_turns"] = DEFAULT_TURNS_PER_PLAYER * num_players
    return options


# ---------------------------------------------------------------------------------------------
# Actions: their numbers, and at which prompt each block of them may be legal
# ---------------------------------------------------------------------------------------------

MAX_PLANETS = 9
SLOT_SUBSETS = [
    [slot for slot in range(HAND_LIMIT) if number // 2**slot % 2] for number in range(2**HAND_LIMIT)
]
SLOT_PAIRS = list(combinations(range(HAND_LIMIT), 2))

ACTION_BLOCKS: dict[str, int] = {
    "pass": 1,
    "fly": MAX_PLANETS,
    "jump": MAX_PLANETS,
    "scan": 1,
    "claim": 1,
    "harvest": MAX_PLANETS,
    "research": 1,
    "discard": len(SLOT_SUBSETS),
    "spend": HAND_LIMIT,
    "spend_pair": len(SLOT_PAIRS),
    "take_marked": 1,
    "take": len(KINDS),
    "mark": len(KINDS),
    "decline": 1,
}
ALL_ACTIONS = numbered_actions(ACTION_BLOCKS)

PROMPT_BLOCKS: dict[str, tuple[str, ...]] = {
    "main": ("pass", "fly", "jump", "scan", "claim", "harvest", "research"),
    "spend": ("spend",),
    "spend_pair": ("spend_pair",),
    "harvest": ("take_marked", "take"),
    "research": ("discard",),
    "mark": ("mark", "decline"),
    "pick": ("take", "decline"),
    "over": (),
}


@dataclass(frozen=True)
class Pending:
    """What is being paid for or chosen from: an action that is announced but not yet done."""

    action: str
    planet: str | None = None
    resource: str | None = None


# ---------------------------------------------------------------------------------------------
# The game
# ---------------------------------------------------------------------------------------------


class Game(ReferenceGame):
    """One game of Jump Gate.

    A player is a seat number 0 .. num_players - 1. A planet or card is its name in the tables.
    Decisions with a single legal answer are played at once and never wait for the player.
    """

    def __init__(
        self, tables: Tables, options: Mapping[str, object], num_players: int, seed: int
    ) -> None:
        self._clear_table(tables, options, num_players)
        self.generator = Generator.from_seed(seed)
        self._set_up()
        self._play_forced_decisions()

    def _clear_table(self, tables: Tables, options: Mapping[str, object], players: int) -> None:
        if players not in tables.ring_sizes:
            raise ValueError(f"no game with {players} players")
        self.tables = tables
        self.options = complete_options(options, players)
        every_card = [*tables.planets, *tables.navigation, *tables.resources]
        self._clear_bookkeeping(players, every_card)
        self.ring: list[str] = []
        self.owners: dict[str, int | None] = {}
        self.face_down: dict[str, int] = {}
        self.face_up: dict[str, list[str]] = {}
        self.marks: list[set[str]] = [set() for _ in self._players()]
        self.locations: list[str] = [GATE for _ in self._players()]
        self.hands: list[list[str]] = [[] for _ in self._players()]
        self.hidden: list[list[str]] = [[] for _ in self._players()]
        self.collected: list[list[str]] = [[] for _ in self._players()]
        self.markers: list[int] = [0 for _ in self._players()]
        self.removed: list[str] = []
        # Face-down resources and those set aside: nobody can tell which is which, so no planet
        # owns a certain one of them before it is turned up.
        self.unseen: list[str] = list(tables.resources)
        self.deck: list[str] = list(tables.navigation)
        self.discard: list[str] = []
        self.held_since: dict[str, int] = {}
        self.current_player = 0
        self.actions_left = ACTIONS_PER_TURN
        self.prompt = "main"
        self.pending: Pending | None = None

    # --- §2 Setup --------------------------------------------------------------------------------

    def _set_up(self) -> None:
        """§2, steps 1 to 6; the ships (step 2) are on the Jump Gate from the start."""
        self._lay_ring()
        self._deal_hidden_resources()
        self._fill_planets()
        for player in self._players():
            for _ in range(HAND_LIMIT):
                self._draw_navigation_card(player)
        self.current_player = self.generator.randbelow(self.num_players)

    def _lay_ring(self) -> None:
        """§2.1: random planets in random order; the last is a neighbour of the first."""
        box = list(self.tables.planets)
        for _ in range(self.tables.ring_sizes[self.num_players]):
            self.ring.append(self._draw(box))

    def _deal_hidden_resources(self) -> None:
        """§2.3; Nothing is dealt again like Fame (§10 nothing2010)."""
        per_planet = FACE_DOWN_PER_PLANET + FACE_UP_PER_PLANET
        needed = self._hidden_count() * self.num_players + per_planet * len(self.ring)
        if needed > len(self.unseen):
            raise ValueError(f"{needed} resource cards are needed, {len(self.unseen)} exist")
        returned: list[str] = []
        for player in self._players():
            while len(self.hidden[player]) < self._hidden_count():
                card = self._draw(self.unseen)
                pile = returned if self._is_dealt_again(card) else self.hidden[player]
                pile.append(card)
        self.unseen.extend(returned)

    def _hidden_count(self) -> int:
        """§10, §12: with two players `two_player_hidden` wins over `hidden_per_player`."""
        name = "two_player_hidden" if self.num_players == 2 else "hidden_per_player"
        return int(self.options[name])

    def _is_dealt_again(self, resource: str) -> bool:
        """§2.3 Fame, unless `redeal_fame` is off; §12 nothing2010: Nothing always."""
        type_ = self.tables.resources[resource].type
        return type_ == "nothing" or (type_ == "fame" and bool(self.options["redeal_fame"]))

    def _fill_planets(self) -> None:
        """§2.4: three face-down, one face-up; a Nothing turned up here is not replaced (§12)."""
        for planet in self.ring:
            self.owners[planet] = None
            self.face_down[planet] = FACE_DOWN_PER_PLANET
            self.face_up[planet] = []
            for _ in range(FACE_UP_PER_PLANET):
                self._turn_up(planet)

    # --- What a player may do --------------------------------------------------------------------

    def legal_action_ids(self) -> list[int]:
        """The numbers of the legal actions of `current_player`, ascending; none after the end."""
        offsets: dict[str, Callable[[], list[int]]] = {
            "pass": self._legal_passes,
            "fly": self._legal_flights,
            "jump": self._legal_jumps,
            "scan": self._legal_scans,
            "claim": self._legal_claims,
            "harvest": self._legal_harvests,
            "research": self._legal_researches,
            "discard": self._legal_discards,
            "spend": self._legal_spends,
            "spend_pair": self._legal_pairs,
            "take_marked": self._legal_takes_of_marked,
            "take": self._legal_takes,
            "mark": self._legal_marks,
            "decline": self._legal_declines,
        }
        legal = {
            (block, offset) for block in PROMPT_BLOCKS[self.prompt] for offset in offsets[block]()
        }
        return [number for number, action in enumerate(ALL_ACTIONS) if action in legal]

    def _perform(self, action_id: int) -> None:
        block, offset = ALL_ACTIONS[action_id]
        handlers: dict[str, Callable[[int], None]] = {
            "pass": self._apply_pass,
            "fly": self._apply_flight,
            "jump": self._apply_jump,
            "scan": self._apply_scan,
            "claim": self._apply_claim,
            "harvest": self._apply_harvest,
            "research": self._apply_research,
            "discard": self._apply_discard,
            "spend": self._apply_spend,
            "spend_pair": self._apply_pair,
            "take_marked": self._apply_take_of_marked,
            "take": self._apply_take,
            "mark": self._apply_mark,
            "decline": self._apply_decline,
        }
        handlers[block](offset)

    # --- §3 Turn: passing, and paying with cards -------------------------------------------------

    def _legal_passes(self) -> list[int]:
        """§3: passing an action is allowed."""
        return [0]

    def _apply_pass(self, _: int) -> None:
        """§3: nothing happens."""
        self._finish_action()

    def _legal_spends(self) -> list[int]:
        """§3: the cards that pay for the announced Jump, Scan or Harvest."""
        cards = self._cards_that_pay()
        return [slot for slot, card in enumerate(self._hand()) if card in cards]

    def _cards_that_pay(self) -> list[str]:
        """§3, column "cards spent"; for Harvest any card."""
        pending = self._announced()
        if pending.action == "jump":
            return self._cards_for_jump(self._announced_planet())
        if pending.action == "scan":
            return self._cards_for_scan()
        return self._hand()

    def _apply_spend(self, slot: int) -> None:
        """§3: the card is spent first, then the announced action takes place."""
        pending = self._announced()
        self._move_to_discard_pile(self._hand()[slot])
        if pending.action == "jump":
            self._jump(self._announced_planet())
        elif pending.action == "scan":
            self._scan()
        else:
            self._harvest(self._announced_planet(), self._announced_resource())

    # --- §4.1 Fly --------------------------------------------------------------------------------

    def _legal_flights(self) -> list[int]:
        """§4.1: to a neighbour in the ring; from the gate nowhere unless `fly_from_gate` (§10)."""
        if self._location() == GATE:
            return list(range(len(self.ring))) if self.options["fly_from_gate"] else []
        return self._neighbours()

    def _apply_flight(self, position: int) -> None:
        """§4.1."""
        self.locations[self.current_player] = self.ring[position]
        self._finish_action()

    def _neighbours(self) -> list[int]:
        """§2.1: ring positions next to the current planet, ascending."""
        here = self.ring.index(self._location())
        return sorted({(here - 1) % len(self.ring), (here + 1) % len(self.ring)})

    # --- §4.2 Jump -------------------------------------------------------------------------------

    def _legal_jumps(self) -> list[int]:
        """§4.2: to a possible target whose jump code a held card fits."""
        return [
            position
            for position, planet in enumerate(self.ring)
            if self._is_jump_target(position) and self._cards_for_jump(planet)
        ]

    def _is_jump_target(self, position: int) -> bool:
        """§4.2: any planet but the current one; §10 not_adjacent: no neighbour either."""
        if self._location() == GATE:
            return True
        if self.ring[position] == self._location():
            return False
        return self.options["jump_target"] == "any" or position not in self._neighbours()

    def _cards_for_jump(self, planet: str) -> list[str]:
        """§3 Jump: jump code equal to the target's, or a wildcard."""
        fitting = (self.tables.planets[planet].jump, WILDCARD)
        return [card for card in self._hand() if self.tables.navigation[card].jump in fitting]

    def _apply_jump(self, position: int) -> None:
        """§4.2: announced; the card is asked for next."""
        self._ask("spend", Pending("jump", self.ring[position]))

    def _jump(self, planet: str) -> None:
        """§4.2."""
        self.locations[self.current_player] = planet
        self._finish_action()

    # --- §4.3 Scan -------------------------------------------------------------------------------

    def _legal_scans(self) -> list[int]:
        """§3 Scan: on a planet with a face-down resource, with a card that pays."""
        here = self._location()
        if here == GATE or self.face_down[here] == 0:
            return []
        is_payable = self.options["scan_cost"] == "free" or bool(self._cards_for_scan())
        return [0] if is_payable else []

    def _cards_for_scan(self) -> list[str]:
        """§3 Scan: scan code equal to the planet's, or a wildcard; §10 any_card: every card."""
        if self.options["scan_cost"] == "any_card":
            return self._hand()
        fitting = (self.tables.planets[self._location()].scan, WILDCARD)
        return [card for card in self._hand() if self.tables.navigation[card].scan in fitting]

    def _apply_scan(self, _: int) -> None:
        """§4.3.1: the card is asked for, unless scanning is free (§10)."""
        if self.options["scan_cost"] == "free":
            self._scan()
        else:
            self._ask("spend", Pending("scan"))

    def _scan(self) -> None:
        """§4.3.2 and 3: turn one up, then a mark may be placed on this planet.

        §12: after a Nothing, an older face-up resource may still be marked.
        """
        here = self._location()
        self.face_down[here] -= 1
        self._turn_up(here)
        if self._unmarked(here):
            self._ask("mark")
        else:
            self._finish_action()

    def _turn_up(self, planet: str) -> None:
        """§4.3.2: a random unseen resource; §10 nothing2010: a Nothing is removed at once."""
        card = self._draw(self.unseen)
        is_nothing = self.tables.resources[card].type == "nothing"
        (self.removed if is_nothing else self.face_up[planet]).append(card)

    def _legal_marks(self) -> list[int]:
        """§4.3.3: any face-up resource of this planet that nobody has marked."""
        return self._kind_numbers(self._unmarked(self._location()))

    def _apply_mark(self, kind_number: int) -> None:
        """§4.3: the new mark lifts the old one; §10 per_planet: only the one on this planet.

        §12: what the player has marked already cannot be chosen, so it is still marked here.
        """
        here = self._location()
        marks = self.marks[self.current_player]
        chosen = self._first_unmarked(here, KINDS[kind_number])
        if self.options["mark_scope"] == "global":
            marks.clear()
        else:
            marks.difference_update(self.face_up[here])
        marks.add(chosen)
        self._finish_action()

    def _legal_declines(self) -> list[int]:
        """§4.3.3 and §4.4.3: "may"; §10: without `mark_optional` a mark must be placed."""
        is_required = self.prompt == "mark" and not self.options["mark_optional"]
        return [] if is_required else [0]

    def _apply_decline(self, _: int) -> None:
        """§4.3: declining leaves the old mark in place. §4.4: no free pick."""
        self._finish_action()

    # --- §4.4 Land & Claim -----------------------------------------------------------------------

    def _legal_claims(self) -> list[int]:
        """§3 Land & Claim: an unclaimed planet without face-down resources, two fitting cards."""
        here = self._location()
        if here == GATE or self.face_down[here] > 0 or self.owners[here] is not None:
            return []
        return [0] if self._legal_pairs() else []

    def _legal_pairs(self) -> list[int]:
        """§4.4: the pairs of held cards that pay for landing here."""
        hand = self._hand()
        return [
            number
            for number, (first, second) in enumerate(SLOT_PAIRS)
            if second < len(hand) and self._is_landing_pair(hand[first], hand[second])
        ]

    def _is_landing_pair(self, first: str, second: str) -> bool:
        """§4.4: one card per landing code, in either order (§12); §10 equal_pair: equal codes."""
        one = self.tables.navigation[first].land
        two = self.tables.navigation[second].land
        if NO_CODE in (one, two):
            return False
        if self.options["landing_rule"] == "equal_pair":
            return one == two or WILDCARD in (one, two)
        code_a, code_b = self.tables.planets[self._location()].landing
        return (fits(one, code_a) and fits(two, code_b)) or (
            fits(one, code_b) and fits(two, code_a)
        )

    def _apply_claim(self, _: int) -> None:
        """§4.4: announced; the two cards are asked for next."""
        self._ask("spend_pair")

    def _apply_pair(self, pair_number: int) -> None:
        """§4.4: pay, own the planet, hand out what is marked, then the free pick.

        §12: a seventh Black Hole marker does not take the free pick away.
        """
        here = self._location()
        hand = self._hand()
        for slot in SLOT_PAIRS[pair_number]:
            self._move_to_discard_pile(hand[slot])
        self._own(here)
        self._distribute_marked(here)
        if self._unmarked(here):
            self._ask("pick")
        else:
            self._finish_action()

    def _own(self, planet: str) -> None:
        """§4.4.1; §7.3: the last planet starts the final turns, after the current one."""
        self.owners[planet] = self.current_player
        if all(owner is not None for owner in self.owners.values()):
            self.final_turns_left = 1 + self.num_players

    def _distribute_marked(self, planet: str) -> None:
        """§4.4.2: to whoever marked it, claimer first, then clockwise."""
        for step in self._players():
            player = (self.current_player + step) % self.num_players
            for card in self._marked_by(player, planet):
                self._collect(player, planet, card)

    # --- §4.5 Harvest ----------------------------------------------------------------------------

    def _legal_harvests(self) -> list[int]:
        """§4.5: where at least one resource can be taken and paid for; §10 anywhere: any planet."""
        return [
            position
            for position, planet in enumerate(self.ring)
            if (self.options["harvest_where"] == "anywhere" or planet == self._location())
            and (self._can_harvest_marked(planet) or self._harvestable_unmarked(planet))
        ]

    def _can_harvest_marked(self, planet: str) -> bool:
        """§4.5: the resource with one's own mark, even while others lie face down."""
        is_payable = not self._harvest_costs_card(is_marked=True) or bool(self._hand())
        return is_payable and bool(self._marked_by(self.current_player, planet))

    def _harvestable_unmarked(self, planet: str) -> list[str]:
        """§4.5: unmarked resources, if nothing lies face down there."""
        is_payable = not self._harvest_costs_card(is_marked=False) or bool(self._hand())
        return self._unmarked(planet) if is_payable and self.face_down[planet] == 0 else []

    def _harvest_costs_card(self, *, is_marked: bool) -> bool:
        """§4.5: any one card in both cases; §10 `harvest_cost`."""
        cost = self.options["harvest_cost"]
        return cost == "any_card" or (cost == "any_card_if_unmarked" and not is_marked)

    def _apply_harvest(self, position: int) -> None:
        """§4.5: announced; which resource is asked for next."""
        self._ask("harvest", Pending("harvest", self.ring[position]))

    def _legal_takes_of_marked(self) -> list[int]:
        """§4.5."""
        return [0] if self._can_harvest_marked(self._announced_planet()) else []

    def _legal_takes(self) -> list[int]:
        """§4.5 while harvesting, §4.4.3 for the free pick: one of the unmarked resources."""
        if self.prompt == "pick":
            return self._kind_numbers(self._unmarked(self._location()))
        return self._kind_numbers(self._harvestable_unmarked(self._announced_planet()))

    def _apply_take_of_marked(self, _: int) -> None:
        """§4.5."""
        self._choose_harvest("marked", self._harvest_costs_card(is_marked=True))

    def _apply_take(self, kind_number: int) -> None:
        """§4.5 while harvesting, §4.4.3 for the free pick."""
        kind = KINDS[kind_number]
        if self.prompt == "harvest":
            self._choose_harvest(kind, self._harvest_costs_card(is_marked=False))
        else:
            here = self._location()
            self._collect(self.current_player, here, self._first_unmarked(here, kind))
            self._finish_action()

    def _choose_harvest(self, resource: str, costs_card: bool) -> None:
        """§4.5: the resource is chosen; the card is asked for if there is one to pay."""
        planet = self._announced_planet()
        if costs_card:
            self._ask("spend", Pending("harvest", planet, resource))
        else:
            self._harvest(planet, resource)

    def _harvest(self, planet: str, resource: str) -> None:
        """§4.5: take the resource with the own mark, or an unmarked one of the chosen kind."""
        if resource == "marked":
            card = self._marked_by(self.current_player, planet)[0]
        else:
            card = self._first_unmarked(planet, resource)
        self._collect(self.current_player, planet, card)
        self._finish_action()

    # --- §4.6 Research ---------------------------------------------------------------------------

    def _legal_researches(self) -> list[int]:
        """§3 Research: without a condition."""
        return [0]

    def _apply_research(self, _: int) -> None:
        """§4.6: announced; which cards to discard is asked for next."""
        self._ask("research")

    def _legal_discards(self) -> list[int]:
        """§4.6: any subset of the hand; with a full hand it must not be empty (§12)."""
        held = len(self._hand())
        return [
            number
            for number, slots in enumerate(SLOT_SUBSETS)
            if all(slot < held for slot in slots) and (slots or held < HAND_LIMIT)
        ]

    def _apply_discard(self, subset_number: int) -> None:
        """§4.6: discard the chosen cards, then draw up to five."""
        hand = self._hand()
        for slot in SLOT_SUBSETS[subset_number]:
            self._move_to_discard_pile(hand[slot])
        for _ in range(HAND_LIMIT - len(self._hand())):
            self._draw_navigation_card(self.current_player)
        self._finish_action()

    def _draw_navigation_card(self, player: int) -> None:
        """§4.6: from the deck; an empty deck is renewed first; if that fails, no card."""
        if not self.deck:
            self._reshuffle()
        if self.deck:
            self.hands[player].append(self._draw(self.deck))

    def _reshuffle(self) -> None:
        """§4.6, §12: only when a card must be drawn; the cards just discarded are part of it."""
        self._note_cards_held_at_reshuffle()
        self.deck, self.discard = self.discard, []

    def _note_cards_held_at_reshuffle(self) -> None:
        """§6: at a reshuffle the discard pile, open to all, tells which cards are in hands.

        Cards that have been held since the same reshuffle share a number; older is smaller, and the
        numbers in use are moved together to 1, 2, 3, ... before the newest is added.
        """
        in_use = sorted(set(self.held_since.values()))
        self.held_since = {card: 1 + in_use.index(old) for card, old in self.held_since.items()}
        for hand in self.hands:
            for card in hand:
                self.held_since.setdefault(card, 1 + len(in_use))

    # --- §5 Collecting and the Black Hole --------------------------------------------------------

    def _collect(self, player: int, planet: str, card: str) -> None:
        """§5: to the public pile; an icon puts a marker of the collector on the Black Hole."""
        self.face_up[planet].remove(card)
        self.marks[player].discard(card)
        self.collected[player].append(card)
        if self.tables.resources[card].has_icon:
            self.markers[player] += 1

    # --- §7 End of the game ----------------------------------------------------------------------

    def _finish_action(self) -> None:
        """§3, §7: the end is tested after every completely resolved action.

        §12: if the action was also the last one of the last final turn, all reasons are reported.
        """
        self.pending = None
        self.prompt = "main"
        reasons = self._immediate_reasons()
        if reasons:
            if self.final_turns_left == 1 and self.actions_left == 1:
                reasons.append("planets_claimed")
            self._end_game(reasons)
            return
        self.actions_left -= 1
        if self.actions_left == 0:
            self._finish_turn()

    def _immediate_reasons(self) -> list[str]:
        """§7.1 and 2."""
        reasons = []
        if sum(self.markers) >= self.options["blackhole_limit"]:
            reasons.append("black_hole")
        if not any(self.face_down.values()) and not any(self.face_up.values()):
            reasons.append("no_resources")
        return reasons

    def _finish_turn(self) -> None:
        """§7.3, then the limit of turns (§7, §12), then the next player clockwise.

        The limit is no rule of the game, so it is no reason in `end_reasons`.
        """
        self.turn_count += 1
        if self.final_turns_left > 0:
            self.final_turns_left -= 1
            if self.final_turns_left == 0:
                self._end_game(["planets_claimed"])
                return
        if self.turn_count >= self.options["max_turns"]:
            self.is_truncated = True
            self._end_game([])
            return
        self.current_player = (self.current_player + 1) % self.num_players
        self.actions_left = ACTIONS_PER_TURN

    def _end_game(self, reasons: list[str]) -> None:
        """§7."""
        self.end_reasons = reasons
        self.prompt = "over"
        self.actions_left = 0

    # --- §8 Scoring ------------------------------------------------------------------------------

    def scores(self) -> list[int]:
        """§8: points of every player if the game ends now."""
        return [self._score(player) for player in self._players()]

    def _score(self, player: int) -> int:
        """§8.1 to 3."""
        cards = list(self.collected[player])
        if not self._loses_hidden(player):
            cards += self.hidden[player]
        planet_points = int(self.options["planet_points"]) * self._planets(player)
        return self._resource_points(cards) + planet_points

    def _loses_hidden(self, player: int) -> bool:
        """§8.1: with the Black Hole full, everybody with the most markers."""
        is_full = sum(self.markers) >= self.options["blackhole_limit"]
        return bool(is_full) and self.markers[player] == max(self.markers)

    def _resource_points(self, cards: Iterable[str]) -> int:
        """§1.1."""
        resources = [self.tables.resources[card] for card in cards]
        types = Counter(card.type for card in resources)
        colours = Counter(card.subtype for card in resources if card.type == "gem")
        forms = Counter(card.subtype for card in resources if card.type == "energel")
        pairs = min(forms["light"], forms["dark"])
        singles = types["energel"] - 2 * pairs
        return (
            types["gem"] * max(colours.values(), default=0)
            + pairs * self.tables.values["energel_pair"]
            + singles * self.tables.values["energel_single"]
            + self._row_points("water", types["water"])
            + types["fame"] * self.tables.values["fame"]
            + self._row_points("sand", types["sand"])
        )

    def _row_points(self, name: str, count: int) -> int:
        """§1.1: a table row; more cards than the table has columns score like its last column."""
        row = self.tables.row_points[name]
        return row[min(count, len(row) - 1)]

    def _planets(self, player: int) -> int:
        """§8.3: how many planets the player has claimed."""
        return list(self.owners.values()).count(player)

    def winners(self) -> list[int]:
        """§8.4: players with the highest total; §10, §12 `tie_break`."""
        scores = self.scores()
        best = [player for player in self._players() if scores[player] == max(scores)]
        if self.options["tie_break"] == "fewest_blackhole_then_planets":
            fewest = min(self.markers[player] for player in best)
            best = [player for player in best if self.markers[player] == fewest]
            most = max(self._planets(player) for player in best)
            best = [player for player in best if self._planets(player) == most]
        return best

    # --- §11 Invariants --------------------------------------------------------------------------

    def conservation_errors(self) -> list[str]:
        """§11: every invariant that does not hold, in words; empty if all is well."""
        return [
            *self._card_count_errors(),
            *self._hand_errors(),
            *self._mark_errors(),
            *self._planet_errors(),
            *self._marker_errors(),
        ]

    def _card_count_errors(self) -> list[str]:
        """§11: every resource card and every navigation card exists exactly once."""
        resources = Counter(self.unseen + self.removed)
        for pile in [*self.face_up.values(), *self.hidden, *self.collected]:
            resources.update(pile)
        navigation = Counter(self.deck + self.discard)
        for hand in self.hands:
            navigation.update(hand)
        errors = []
        if resources != Counter(list(self.tables.resources)):
            errors.append("a resource card is missing, double or unknown")
        if navigation != Counter(list(self.tables.navigation)):
            errors.append("a navigation card is missing, double or unknown")
        if sum(self.face_down.values()) > len(self.unseen):
            errors.append("more resources lie face down than are unseen")
        return errors

    def _hand_errors(self) -> list[str]:
        """§11: hands of at most five; what is remembered of hands concerns cards in hands."""
        errors = [
            f"player {player} holds {len(hand)} cards"
            for player, hand in enumerate(self.hands)
            if len(hand) > HAND_LIMIT
        ]
        held = {card for hand in self.hands for card in hand}
        strangers = sorted(set(self.held_since) - held)
        return errors + [f"{card} is remembered but in nobody's hand" for card in strangers]

    def _mark_errors(self) -> list[str]:
        """§11: one mark per player, on a face-up resource of an unclaimed planet.

        §4.3: one mark per resource. §10 per_planet: one mark per player and planet.
        """
        errors = []
        open_planets = [planet for planet in self.ring if self.owners[planet] is None]
        markable = {card for planet in open_planets for card in self.face_up[planet]}
        for player, marks in enumerate(self.marks):
            if not marks <= markable:
                errors.append(f"player {player} marks what does not lie open on a free planet")
            if self.options["mark_scope"] == "global" and len(marks) > 1:
                errors.append(f"player {player} has {len(marks)} marks")
            if any(len(self._marked_by(player, planet)) > 1 for planet in self.ring):
                errors.append(f"player {player} has two marks on one planet")
        if sum(len(marks) for marks in self.marks) > len(set().union(*self.marks)):
            errors.append("a resource carries two marks")
        return errors

    def _planet_errors(self) -> list[str]:
        """§11: a claimed planet has no face-down resources; §2.4: no planet has more than three."""
        errors = []
        for planet in self.ring:
            if self.owners[planet] is not None and self.face_down[planet] != 0:
                errors.append(f"{planet} is claimed but has face-down resources")
            if not 0 <= self.face_down[planet] <= FACE_DOWN_PER_PLANET:
                errors.append(f"{planet} has {self.face_down[planet]} face-down resources")
        return errors

    def _marker_errors(self) -> list[str]:
        """§11: a player's Black Hole markers are the icons in the collected pile."""
        return [
            f"player {player} has {self.markers[player]} markers for {icons} icons"
            for player, icons in enumerate(self._collected_icons())
            if self.markers[player] != icons
        ]

    # --- Texts -----------------------------------------------------------------------------------

    def action_text(self, action_id: int) -> str:
        """The text of any action number, legal or not, with the cards now in the hand."""
        block, offset = ALL_ACTIONS[action_id]
        if block == "fly":
            return f"fly to {self._planet_text(offset)}"
        if block == "jump":
            return f"jump to {self._planet_text(offset)}"
        if block == "harvest":
            return f"harvest at {self._planet_text(offset)}"
        if block == "discard":
            return f"discard {self._slots_text(SLOT_SUBSETS[offset]) or 'nothing'}"
        if block == "spend":
            return f"spend {self._slots_text([offset])}"
        if block == "spend_pair":
            return f"spend {self._slots_text(SLOT_PAIRS[offset])}"
        if block in ("take", "mark"):
            return f"{block} {KINDS[offset]}"
        return block.replace("_", " ")

    def _planet_text(self, position: int) -> str:
        if position < len(self.ring):
            return self.ring[position]
        return f"absent planet {position + 1}"

    def _slots_text(self, slots: Iterable[int]) -> str:
        hand = self._hand()
        return " ".join(
            hand[slot] if slot < len(hand) else f"empty-slot-{slot + 1}" for slot in slots
        )

    # --- The position in words -------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """The whole position as JSON types; card lists sorted, planets in ring order."""
        return {
            **self._head_to_json("jumpgate_v0"),
            "ring": list(self.ring),
            "owners": [self.owners[planet] for planet in self.ring],
            "face_down": [self.face_down[planet] for planet in self.ring],
            "face_up": [self._in_order(self.face_up[planet]) for planet in self.ring],
            "marks": [self._in_order(marks) for marks in self.marks],
            "locations": list(self.locations),
            "hands": [self._in_order(hand) for hand in self.hands],
            "hidden": [self._in_order(cards) for cards in self.hidden],
            "collected": [self._in_order(cards) for cards in self.collected],
            "removed": self._in_order(self.removed),
            "unseen": self._in_order(self.unseen),
            "deck": self._in_order(self.deck),
            "discard": self._in_order(self.discard),
            "held_since": {card: self.held_since[card] for card in sorted(self.held_since)},
            "current_player": self.current_player,
            "actions_left": self.actions_left,
            "prompt": self.prompt,
            "pending": None if self.pending is None else dict(vars(self.pending)),
            **self._bookkeeping_to_json(),
        }

    @classmethod
    def from_json(
        cls, tables: Tables, options: Mapping[str, object], data: Mapping[str, Any]
    ) -> Game:
        """The game of a position in words.

        Left out, "unseen" and "deck" are all cards not named elsewhere, other piles are empty,
        counts are 0, and the generator is that of seed 0.
        """
        game = cls.__new__(cls)
        game._clear_table(tables, options, data["num_players"])
        game._read_planets(data)
        game._read_cards(data)
        game._read_decision(data)
        game._read_bookkeeping(data)
        return game

    def _read_planets(self, data: Mapping[str, Any]) -> None:
        self.ring = list(data["ring"])
        self.owners = dict(zip(self.ring, data["owners"], strict=True))
        self.face_down = dict(zip(self.ring, data["face_down"], strict=True))
        piles = zip(self.ring, data["face_up"], strict=True)
        self.face_up = {planet: list(cards) for planet, cards in piles}
        self.marks = [set(marks) for marks in data["marks"]]
        self.locations = list(data["locations"])

    def _read_cards(self, data: Mapping[str, Any]) -> None:
        self.hands = [list(cards) for cards in data["hands"]]
        self.hidden = [list(cards) for cards in data["hidden"]]
        self.collected = [list(cards) for cards in data["collected"]]
        self.markers = self._collected_icons()
        self.removed = list(data.get("removed", []))
        self.discard = list(data.get("discard", []))
        named = {card for hand in self.hands for card in hand} | set(self.discard)
        rest = [card for card in self.tables.navigation if card not in named]
        self.deck = list(data.get("deck", rest))
        open_piles = [*self.face_up.values(), *self.hidden, *self.collected, self.removed]
        named = {card for pile in open_piles for card in pile}
        rest = [card for card in self.tables.resources if card not in named]
        self.unseen = list(data.get("unseen", rest))
        self.held_since = dict(data.get("held_since", {}))

    def _read_decision(self, data: Mapping[str, Any]) -> None:
        self.current_player = data["current_player"]
        self.actions_left = data["actions_left"]
        self.prompt = data.get("prompt", "main")
        pending = data.get("pending")
        self.pending = None if pending is None else Pending(**pending)

    # --- Helpers ---------------------------------------------------------------------------------

    def _ask(self, prompt: str, pending: Pending | None = None) -> None:
        self.prompt = prompt
        self.pending = pending

    def _announced(self) -> Pending:
        if self.pending is None:
            raise ValueError(f"prompt {self.prompt} without a pending action")
        return self.pending

    def _announced_planet(self) -> str:
        planet = self._announced().planet
        if planet is None:
            raise ValueError(f"prompt {self.prompt} without a pending planet")
        return planet

    def _announced_resource(self) -> str:
        resource = self._announced().resource
        if resource is None:
            raise ValueError(f"prompt {self.prompt} without a pending resource")
        return resource

    def _location(self) -> str:
        return self.locations[self.current_player]

    def _hand(self) -> list[str]:
        """The hand of the current player; slot k is the card in place k."""
        return self._in_order(self.hands[self.current_player])

    def _move_to_discard_pile(self, card: str) -> None:
        """§6: the discard pile is open, so a card that left a hand needs no memory."""
        self.hands[self.current_player].remove(card)
        self.discard.append(card)
        self.held_since.pop(card, None)

    def _marked_by(self, player: int, planet: str) -> list[str]:
        """The resources on this planet with the mark of this player."""
        return [card for card in self.face_up[planet] if card in self.marks[player]]

    def _unmarked(self, planet: str) -> list[str]:
        """The face-up resources on this planet with nobody's mark, in card order."""
        marked = set().union(*self.marks)
        return [card for card in self._in_order(self.face_up[planet]) if card not in marked]

    def _first_unmarked(self, planet: str, kind: str) -> str:
        """Cards of a kind are alike; to name one, the first in card order is taken."""
        return next(
            card for card in self._unmarked(planet) if self.tables.resources[card].kind == kind
        )

    def _kind_numbers(self, cards: Iterable[str]) -> list[int]:
        return sorted({KINDS.index(self.tables.resources[card].kind) for card in cards})

    def _collected_icons(self) -> list[int]:
        return [
            sum(self.tables.resources[card].has_icon for card in cards) for cards in self.collected
        ]


def fits(code: str, wanted: str) -> bool:
    """§1.2: a wildcard fits every number of its category."""
    return code in (wanted, WILDCARD)
