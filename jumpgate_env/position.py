"""Positions from words: `state_from_json`, and the rules by which impossible ones are refused.

Section numbers refer to RULES.md beside this file.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from tabletop_core.bits import WORD_BITS
from tabletop_core.engine import legal_one
from tabletop_core.game import Array, Json, Ruleset
from tabletop_core.position import (
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

from .notation import GATE_NAME, KIND_NAMES, MARKED_NAME, card_ids
from .rules import (
    ACTIONS_PER_TURN,
    ALL_CARDS,
    CLAIM,
    END_REASONS,
    FACE_DOWN_PER_PLANET,
    GATE,
    HARVEST,
    JUMP,
    MARKED,
    NO_KIND,
    NO_PLAYER,
    NO_TARGET,
    PENDING_ACTIONS,
    PENDING_HARVEST,
    PENDING_JUMP,
    PENDING_NOTHING,
    PENDING_SCAN,
    PROMPT_HARVEST,
    PROMPT_MAIN,
    PROMPT_MARK,
    PROMPT_PICK,
    PROMPT_SPEND,
    PROMPT_SPEND_PAIR,
    PROMPTS,
    REASON_BLACK_HOLE,
    REASON_NO_RESOURCES,
    REASON_PLANETS_CLAIMED,
    SCAN,
    TAKE,
    TAKE_MARKED,
)
from .sizes import HAND_SIZE, RESOURCES_PER_PLANET

# Keys whose values are stored as they are read.
STORED: Final = ("actions_left", "final_turns_left", "removed", "unseen", "deck", "discard")
REFUSALS: Final = RuleBook()


def state_from_json(ruleset: Ruleset, data: Json) -> Array:
    """The state array [1] of a position in words; its legal set is not filled yet.

    A position written by hand may leave out: game, ruleset, num_players, rng (then that of seed 0);
    turn_count, decision_count, final_turns_left (0); prompt ("main"), pending (null), end_reasons
    ([]), truncated (false); held_since, discard, removed (empty); deck and unseen (then all cards
    that are named nowhere else).

    Raises:
        TabletopError: the position cannot be read or cannot occur; lists every reason found.
    """
    readers = _readers(ruleset)
    position = _Position(ruleset)
    return read_position(
        position, data, readers, _fill_rest, REFUSALS, _to_state, _decision_problems
    )


class _Position(Position):
    """A position being read. Sets of cards are words as Python ints, bit k for card k."""

    @property
    def planets(self) -> range:
        return range(int(self.rules.num_planets))

    @property
    def is_all_claimed(self) -> bool:
        return None not in self.owners

    def place(self, planet: int) -> int:
        """Location for a planet card or GATE_NUMBER; the planet must be in the ring."""
        return GATE if planet == GATE_NUMBER else self.ring.index(planet)

    def planet_name(self, position: int) -> str:
        return str(self.ruleset.tables.planets[self.ring[position]].id)

    def resources(self, word: int) -> str:
        return ", ".join(card_ids(self.ruleset.tables.resources, word))

    def navigation(self, word: int) -> str:
        return ", ".join(card_ids(self.ruleset.tables.navigation, word))


GATE_NUMBER: Final = -1  # stands for the Jump Gate where planet card numbers stand


# --- first step: each field on its own -------------------------------------------------------


def _readers(ruleset: Ruleset) -> Readers:
    """For each key how its value is read, and its value when left out."""
    rules, tables = ruleset.record[0], ruleset.tables
    players, planets = ruleset.num_players, int(rules.num_planets)
    planet = word([card.id for card in tables.planets])
    place = word([card.id for card in tables.planets], {GATE_NAME: GATE_NUMBER})
    navigation = id_set([card.id for card in tables.navigation], "card")
    resources = id_set([card.id for card in tables.resources], "card")
    group = number(1, HAND_SIZE * players)
    pending = {
        "action": (word(PENDING_ACTIONS[1:]), REQUIRED),
        "planet": (optional(planet), None),
        "resource": (optional(word([*KIND_NAMES, MARKED_NAME])), None),
    }
    no_pile = (resources, 0)
    return {
        **head_readers(ruleset),
        "ring": (list_of(planets, "ring positions", planet), REQUIRED),
        "owners": (
            list_of(planets, "ring positions", optional(number(0, players - 1))),
            REQUIRED,
        ),
        "face_down": (
            list_of(planets, "ring positions", number(0, FACE_DOWN_PER_PLANET)),
            REQUIRED,
        ),
        "face_up": (list_of(planets, "ring positions", resources), REQUIRED),
        "marks": (list_of(players, "players", resources), REQUIRED),
        "locations": (list_of(players, "players", place), REQUIRED),
        "hands": (list_of(players, "players", navigation), REQUIRED),
        "hidden": (list_of(players, "players", resources), REQUIRED),
        "collected": (list_of(players, "players", resources), REQUIRED),
        "removed": no_pile,
        "unseen": (resources, REST),
        "deck": (navigation, REST),
        "discard": (navigation, 0),
        "held_since": (
            mapping([card.id for card in tables.navigation], "card", group),
            {},
        ),
        "current_player": (number(0, players - 1), REQUIRED),
        "actions_left": (number(0, ACTIONS_PER_TURN), REQUIRED),
        "prompt": (word(PROMPTS), PROMPT_MAIN),
        "pending": (optional(record(pending)), None),
        "final_turns_left": (number(0, players + 1), 0),
        **tail_readers(ruleset, int(rules.max_turns)),
    }


def _fill_rest(position: _Position) -> None:
    """Deck and unseen resources that were left out: all cards that are named nowhere else."""
    piles = {
        "deck": ("hands", "discard"),
        "unseen": ("face_up", "hidden", "collected", "removed"),
    }
    for name, others in piles.items():
        if position.values.get(name) is not REST:
            continue
        if position.broken.isdisjoint(others):
            named = union(word for other in others for word in _words(position.values[other]))
            position.values[name] = int(ALL_CARDS) & ~named
        else:
            position.broken.add(name)


def _words(value: int | list[int]) -> list[int]:
    return value if isinstance(value, list) else [value]


# --- second step: what ties the fields to each other -----------------------------------------


@REFUSALS.rule("ring")
def _planets_differ(p: _Position) -> Iterator[str]:
    for planet in sorted({planet for planet in p.ring if p.ring.count(planet) > 1}):
        yield f"ring: {p.ruleset.tables.planets[planet].id} is listed twice (RULES.md §2.1)"


@REFUSALS.rule("ring", "face_up", "hidden", "collected", "removed", "unseen")
def _each_resource_is_in_one_place(p: _Position) -> Iterator[str]:
    piles = [(f"face_up of {p.planet_name(k)}", p.face_up[k]) for k in p.planets]
    piles += [(f"hidden of player {k}", p.hidden[k]) for k in p.players]
    piles += [(f"collected of player {k}", p.collected[k]) for k in p.players]
    piles += [("removed", p.removed), ("unseen", p.unseen)]
    yield from conservation_problems(piles, int(ALL_CARDS), p.resources)


@REFUSALS.rule("hands", "deck", "discard")
def _each_navigation_card_is_in_one_place(p: _Position) -> Iterator[str]:
    piles = [(f"hands of player {k}", p.hands[k]) for k in p.players]
    piles += [("discard", p.discard), ("deck", p.deck)]
    yield from conservation_problems(piles, int(ALL_CARDS), p.navigation)


@REFUSALS.rule("face_up", "face_down", "collected", "removed")
def _planets_were_dealt_four_resources(p: _Position) -> Iterator[str]:
    """What lies on planets or came from there is what was dealt to them."""
    counts = {
        "face up": _count(*p.face_up),
        "face down": sum(p.face_down),
        "collected": _count(*p.collected),
        "removed": _count(p.removed),
    }
    dealt = RESOURCES_PER_PLANET * len(p.planets)
    found = sum(counts.values())
    if found != dealt:
        listed = ", ".join(f"{count} {name}" for name, count in counts.items())
        yield (
            f"face_up, face_down, collected, removed: {len(p.planets)} planets were dealt {dealt} "
            f"resources, but there are {found} ({listed}) (RULES.md §2.4, §11)"
        )


@REFUSALS.rule("ring", "face_up", "face_down", "removed")
def _planets_hold_what_they_can(p: _Position) -> Iterator[str]:
    untouched_without = 0
    for k in p.planets:
        count = _count(p.face_up[k]) + p.face_down[k]
        if count > RESOURCES_PER_PLANET:
            yield (
                f"{p.planet_name(k)}: {count} resources; a planet has at most "
                f"{RESOURCES_PER_PLANET} (RULES.md §2.4)"
            )
        if p.face_down[k] == FACE_DOWN_PER_PLANET and not p.face_up[k]:
            untouched_without += 1
    if untouched_without > _count(p.removed):
        yield (
            f"face_up: {untouched_without} planets with {FACE_DOWN_PER_PLANET} face-down resources "
            "have none face up, which happens only to a removed Nothing (RULES.md §2.4, §4.5)"
        )


@REFUSALS.rule("face_up", "hidden", "collected", "removed")
def _nothing_leaves_the_game(p: _Position) -> Iterator[str]:
    """§10: Nothing is never in play face up, and only Nothing is removed."""
    nothing = int(p.rules.nothing)
    for name in ("face_up", "hidden", "collected"):
        wrong = union(p.values[name]) & nothing
        if wrong:
            yield f"{name}: {p.resources(wrong)} are Nothing cards (RULES.md §10)"
    wrong = p.removed & ~nothing
    if wrong:
        yield f"removed: {p.resources(wrong)}: only Nothing cards are removed (RULES.md §10)"


@REFUSALS.rule("hidden")
def _hidden_resources_are_as_dealt(p: _Position) -> Iterator[str]:
    again = int(p.rules.not_hidden) & ~int(p.rules.nothing)
    for k in p.players:
        count = _count(p.hidden[k])
        if count != p.rules.hidden_count:
            right = int(p.rules.hidden_count)
            yield f"hidden[{k}]: {count} cards; each player has {right} (RULES.md §2.3)"
        if p.hidden[k] & again:
            yield (
                f"hidden[{k}]: {p.resources(p.hidden[k] & again)}: Fame is never hidden, it is "
                "dealt again (RULES.md §2.3)"
            )


@REFUSALS.rule("hands")
def _hands_hold_five(p: _Position) -> Iterator[str]:
    for k in p.players:
        count = _count(p.hands[k])
        if count > HAND_SIZE:
            yield f"hands[{k}]: {count} cards; a hand has at most {HAND_SIZE} (RULES.md §11)"


@REFUSALS.rule("hands", "held_since")
def _groups_are_in_hands(p: _Position) -> Iterator[str]:
    strangers = set_of(p.held_since) & ~union(p.hands)
    if strangers:
        yield f"held_since: {p.navigation(strangers)}: in no hand (RULES.md §6)"


@REFUSALS.rule("ring", "owners", "face_down")
def _claimed_planets_are_open(p: _Position) -> Iterator[str]:
    for k in p.planets:
        if p.owners[k] is not None and p.face_down[k]:
            yield (f"{p.planet_name(k)}: claimed, but has face-down resources (RULES.md §4.4, §11)")


@REFUSALS.rule("ring", "owners", "face_up", "face_down", "marks")
def _marks_lie_where_they_can(p: _Position) -> Iterator[str]:
    for k in p.players:
        loose = p.marks[k] & ~union(p.face_up)
        if loose:
            yield f"marks[{k}]: {p.resources(loose)}: not face up on a planet (RULES.md §4.3, §11)"
        for position in p.planets:
            marked = p.marks[k] & p.face_up[position]
            if marked and p.owners[position] is not None:
                yield (
                    f"marks[{k}]: {p.resources(marked)}: {p.planet_name(position)} is claimed, its "
                    "marks have returned (RULES.md §4.4, §11)"
                )
            if marked and p.face_down[position] == FACE_DOWN_PER_PLANET:
                yield (
                    f"marks[{k}]: {p.resources(marked)}: {p.planet_name(position)} was not scanned "
                    "yet (RULES.md §4.3)"
                )


@REFUSALS.rule("ring", "face_up", "marks")
def _marks_are_exclusive(p: _Position) -> Iterator[str]:
    is_global = p.ruleset.options.mark_scope == "global"
    for k in p.players:
        if is_global and _count(p.marks[k]) > 1:
            yield (
                f"marks[{k}]: {p.resources(p.marks[k])}: a player has at most one mark "
                "(RULES.md §4.3, §11)"
            )
        for other in range(k):
            if p.marks[k] & p.marks[other]:
                yield (
                    f"marks[{k}]: {p.resources(p.marks[k] & p.marks[other])}: carries the mark of "
                    f"player {other} too (RULES.md §4.3)"
                )
        for position in p.planets:
            marked = p.marks[k] & p.face_up[position]
            if not is_global and _count(marked) > 1:
                yield (
                    f"marks[{k}]: {p.resources(marked)}: a player has at most one mark on "
                    f"{p.planet_name(position)} (RULES.md §4.3, §12)"
                )


@REFUSALS.rule("ring", "locations")
def _ships_are_in_the_ring(p: _Position) -> Iterator[str]:
    for k in p.players:
        planet = p.locations[k]
        if planet != GATE_NUMBER and planet not in p.ring:
            name = p.ruleset.tables.planets[planet].id
            yield f"locations[{k}]: {name} is not in the ring (RULES.md §2.1)"


@REFUSALS.rule("locations", "owners", "marks", "collected")
def _ships_on_the_gate_have_done_nothing(p: _Position) -> Iterator[str]:
    """§2.2, §4.2: no ship returns to the Jump Gate."""
    for k in p.players:
        if p.locations[k] != GATE_NUMBER:
            continue
        done = {
            "a planet": k in p.owners,
            "a mark": p.marks[k] != 0,
            "resources": p.collected[k] != 0 and not p.rules.harvest_anywhere,
        }
        for what, has_it in done.items():
            if has_it:
                yield (
                    f"locations[{k}]: the ship has not left the Jump Gate, but player {k} has "
                    f"{what} (RULES.md §2.2, §4.1)"
                )


@REFUSALS.rule("prompt", "pending", "actions_left")
def _pending_fits_the_prompt(p: _Position) -> Iterator[str]:
    low = 0 if p.is_over else 1
    high = 0 if p.is_over else ACTIONS_PER_TURN
    if not low <= p.actions_left <= high:
        right = "0" if p.is_over else f"1 to {high}"
        prompt = PROMPTS[p.prompt]
        yield f"actions_left: {p.actions_left} at prompt {prompt!r}; right is {right} (RULES.md §3)"
    expected = _pending_form(p.prompt, p.pending)
    if expected is not None:
        yield f"pending: at prompt {PROMPTS[p.prompt]!r} it must be {expected} (RULES.md §3)"


def _pending_form(prompt: int, pending: Mapping[str, Any] | None) -> str | None:
    """What `pending` must be, None if it is."""
    if prompt not in (PROMPT_SPEND, PROMPT_HARVEST):
        return None if pending is None else "null"
    if pending is None:
        return "what was announced, not null"
    action = pending["action"] + 1
    has_planet = pending["planet"] is not None
    has_resource = pending["resource"] is not None
    if prompt == PROMPT_HARVEST:
        is_right = action == PENDING_HARVEST and has_planet and not has_resource
        return None if is_right else "a harvest with a planet, without a resource"
    forms = {
        PENDING_JUMP: (True, False, "with a planet, without a resource"),
        PENDING_SCAN: (False, False, "without a planet and a resource"),
        PENDING_HARVEST: (True, True, "with a planet and a resource"),
    }
    planet, resource, text = forms[action]
    is_right = (has_planet, has_resource) == (planet, resource)
    return None if is_right else f"a {PENDING_ACTIONS[action]} {text}"


@REFUSALS.rule("ring", "pending")
def _pending_planet_is_in_the_ring(p: _Position) -> Iterator[str]:
    planet = None if p.pending is None else p.pending["planet"]
    if planet is not None and planet not in p.ring:
        name = p.ruleset.tables.planets[planet].id
        yield f"pending.planet: {name} is not in the ring (RULES.md §2.1)"


@REFUSALS.rule("prompt", "end_reasons", "truncated")
def _the_end_has_a_reason(p: _Position) -> Iterator[str]:
    yield from end_problems(p)


@REFUSALS.rule("prompt", "end_reasons", "face_up", "face_down", "collected")
def _immediate_ends_agree_with_the_table(p: _Position) -> Iterator[str]:
    """§7.1, §7.2; a claim that overshoots is finished first (§12)."""
    markers = _count(*(cards & int(p.rules.icons) for cards in p.collected))
    limit = int(p.rules.blackhole_limit)
    left = _count(*p.face_up) + sum(p.face_down)
    holds = {
        REASON_BLACK_HOLE: (markers >= limit, f"{markers} of {limit} Black Hole markers", "§7.1"),
        REASON_NO_RESOURCES: (left == 0, f"{left} resources left on planets", "§7.2"),
    }
    for reason, (is_true, fact, section) in holds.items():
        name = END_REASONS[reason.bit_length() - 1]
        if p.is_over and is_true != bool(p.end_reasons & reason):
            yield f"end_reasons: {name} against {fact} (RULES.md {section})"
        elif is_true and not p.is_over and p.prompt != PROMPT_PICK:
            yield f"prompt: the game is over by {name}: {fact} (RULES.md {section})"


@REFUSALS.rule("prompt", "end_reasons", "truncated", "final_turns_left", "owners")
def _final_turns_agree_with_the_planets(p: _Position) -> Iterator[str]:
    """§7.3."""
    claimed_end = bool(p.end_reasons & REASON_PLANETS_CLAIMED)
    is_immediate = p.end_reasons & ~REASON_PLANETS_CLAIMED != 0
    left = p.final_turns_left
    if not p.is_all_claimed:
        if left:
            yield f"final_turns_left: {left}, but not all planets are claimed (RULES.md §7.3)"
        if claimed_end:
            yield "end_reasons: planets_claimed, but not all planets are claimed (RULES.md §7.3)"
        return
    low, high = 1, len(p.players) + 1
    if p.is_over and claimed_end:
        low = high = 1 if is_immediate else 0
    elif p.is_over and p.truncated:
        high = len(p.players)
    if not low <= left <= high:
        right = f"{low}" if low == high else f"{low} to {high}"
        yield f"final_turns_left: {left}; all planets are claimed, so {right} (RULES.md §7.3)"


@REFUSALS.rule("prompt", "end_reasons", "final_turns_left", "owners", "current_player")
def _last_claimer_owns_a_planet(p: _Position) -> Iterator[str]:
    """§7.3: how many final turns are left tells who claimed the last planet."""
    if not p.is_all_claimed:
        return
    count = len(p.players)
    is_turn_finished = p.is_over and not p.end_reasons & ~REASON_PLANETS_CLAIMED
    since = count + 1 - p.final_turns_left - int(is_turn_finished)
    claimer = (p.current_player - since) % count
    if claimer not in p.owners:
        yield (
            f"final_turns_left: by {p.final_turns_left} player {claimer} claimed the last planet, "
            "but owns none (RULES.md §7.3)"
        )


@REFUSALS.rule("prompt", "end_reasons", "truncated", "turn_count")
def _turns_agree_with_the_cap(p: _Position) -> Iterator[str]:
    """§7, §12: truncation is tested at the end of a turn."""
    ended_after_turn = p.is_over and p.end_reasons == REASON_PLANETS_CLAIMED
    yield from turn_problems(p, int(p.rules.max_turns), ended_after_turn)


def _count(*words: int) -> int:
    return sum(word.bit_count() for word in words)


# --- the record ------------------------------------------------------------------------------


def _to_state(p: _Position) -> Array:
    """The record of a consistent position, byte for byte as play would have left it."""
    state = new_state(p, *STORED)
    s = state[0]
    s.owners[:] = NO_PLAYER
    s.locations[:] = GATE
    for k in p.planets:
        s.ring[k] = p.ring[k]
        s.face_down[k] = p.face_down[k]
        s.face_up[k] = p.face_up[k]
        s.owners[k] = NO_PLAYER if p.owners[k] is None else p.owners[k]
    for k in p.players:
        s.locations[k] = p.place(p.locations[k])
        for name in ("marks", "hands", "hidden", "collected"):
            s[name][k] = p.values[name][k]
    for card, group in p.held_since.items():
        s.held_since[card] = group
    _write_pending(s, p)
    return state


def _write_pending(s: Any, p: _Position) -> None:
    s.pending_action = PENDING_NOTHING
    s.pending_target = NO_TARGET
    s.pending_resource = NO_KIND
    if p.pending is not None:
        s.pending_action = p.pending["action"] + 1
        if p.pending["planet"] is not None:
            s.pending_target = p.place(p.pending["planet"])
        if p.pending["resource"] is not None:
            s.pending_resource = p.pending["resource"]


# --- third step: can the decision be asked? --------------------------------------------------


def _decision_problems(p: _Position, state: Array) -> Iterator[str]:
    """§3: what is asked must follow from a legal action; then it also has an answer."""
    s = state[0]
    player = p.current_player
    location = int(s.locations[player])
    if p.prompt in (PROMPT_MARK, PROMPT_PICK) and location == GATE:
        yield f"prompt: the ship of player {player} is on the Jump Gate (RULES.md §4.3, §4.4)"
        return
    if p.prompt == PROMPT_MARK:
        yield from _mark_problems(p, location)
    if p.prompt == PROMPT_PICK:
        yield from _pick_problems(p, location)
    announced, section = _announced_action(s)
    if announced is not None and not _is_legal(p, _asking(state, PROMPT_MAIN), announced):
        yield (
            f"prompt, pending: player {player} could not announce this here and with this hand "
            f"(RULES.md {section})"
        )
    elif p.prompt == PROMPT_SPEND and s.pending_action == PENDING_HARVEST:
        yield from _harvest_problems(p, state)
    elif s.pending_action == PENDING_SCAN and p.ruleset.options.scan_cost == "free":
        yield "pending: a scan costs no card (option scan_cost, RULES.md §4.3)"


def _mark_problems(p: _Position, location: int) -> Iterator[str]:
    if p.face_down[location] == FACE_DOWN_PER_PLANET or p.owners[location] is not None:
        yield f"prompt: {p.planet_name(location)} was not scanned just now (RULES.md §4.3)"
    elif not p.face_up[location] & ~union(p.marks):
        yield f"prompt: nothing on {p.planet_name(location)} can be marked (RULES.md §4.3)"


def _pick_problems(p: _Position, location: int) -> Iterator[str]:
    if p.owners[location] != p.current_player:
        yield (
            f"prompt: player {p.current_player} has not claimed {p.planet_name(location)} just now "
            "(RULES.md §4.4)"
        )
    elif not p.face_up[location]:
        yield f"prompt: nothing lies on {p.planet_name(location)} to be picked (RULES.md §4.4)"
    if p.is_all_claimed and p.final_turns_left != len(p.players) + 1:
        yield (
            f"final_turns_left: {p.final_turns_left}; the last planet was claimed just now, so "
            f"{len(p.players) + 1} (RULES.md §7.3)"
        )


def _announced_action(s: Any) -> tuple[int | None, str]:
    """The action at the main prompt that led to a decision which changed nothing yet."""
    if s.prompt == PROMPT_SPEND_PAIR:
        return CLAIM, "§4.4"
    if s.pending_action == PENDING_JUMP:
        return JUMP + int(s.pending_target), "§4.2"
    if s.pending_action == PENDING_SCAN:
        return SCAN, "§4.3"
    if s.pending_action == PENDING_HARVEST:
        return HARVEST + int(s.pending_target), "§4.5"
    return None, ""


def _harvest_problems(p: _Position, state: Array) -> Iterator[str]:
    """§4.5: the resource can be taken here, and must be paid for."""
    s = state[0]
    is_marked = s.pending_resource == MARKED
    take = TAKE_MARKED if is_marked else TAKE + int(s.pending_resource)
    cost = p.ruleset.options.harvest_cost
    if not _is_legal(p, _asking(state, PROMPT_HARVEST), take):
        name = (*KIND_NAMES, MARKED_NAME)[s.pending_resource]
        yield f"pending.resource: {name!r} cannot be taken here (RULES.md §4.5)"
    elif cost == "free" or (is_marked and cost == "any_card_if_unmarked"):
        yield "pending: this harvest costs no card (option harvest_cost, RULES.md §4.5)"


def _asking(state: Array, prompt: int) -> Array:
    """The same position at another prompt."""
    other = state.copy()
    other[0].prompt = prompt
    return other


def _is_legal(p: _Position, state: Array, action: int) -> bool:
    words = _legal_words(p, state)
    return bool(int(words[action // WORD_BITS]) >> action % WORD_BITS & 1)


def _legal_words(p: _Position, state: Array) -> Array:
    """The legal set, uint64 [words], of a copy."""
    copy = state.copy()
    legal_one(p.ruleset.record, copy)
    return np.asarray(copy[0].legal)
