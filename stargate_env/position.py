"""Positions in words and back, and the rules by which impossible ones are refused.

RULES.md §16.4 describes the format; section numbers refer to RULES.md beside this file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from tabletop_core.bits import WORD_BITS
from tabletop_core.game import Array, Json, Ruleset
from tabletop_core.position import (
    REQUIRED,
    REST,
    BadValue,
    Position,
    Reader,
    Readers,
    RuleBook,
    described,
    end_problems,
    head_readers,
    list_of,
    list_up_to,
    mapping,
    new_state,
    number,
    optional,
    read_all,
    read_position,
    record,
    set_of,
    tail_readers,
    turn_problems,
    word,
)

from .built_in import BUILT_IN
from .components import Card
from .derived import refresh
from .layout import clear_table
from .legal import clear_scratch, legal_actions
from .machine_part import AS_ZONE, machine_fields, machine_readers
from .naming import assume_knowledge, restore_names
from .notation import CardNames, numbers_of, position_words
from .sizes import MISSION, SKILLS
from .state import (
    ACTING,
    ASK_ABILITY,
    ASK_DISCARD,
    ASK_FATE,
    ASK_GLYPH,
    ASK_MAIN,
    ASK_MAY,
    ASK_MISSION_ORDER,
    ASK_NUMBER,
    ASK_OPTION,
    ASK_ORDER,
    ASK_SCRY,
    ASK_SHIP,
    ASK_TARGET,
    ASK_TEXT,
    ATTACHED,
    BLOCKADED,
    COMPLICATION,
    CONDITIONS,
    CURRENT,
    DECK,
    FAILED,
    FIRST_DECK_CARD,
    FIRST_MISSION,
    GLYPH,
    HAND,
    MAX_COMPLICATIONS,
    MISSION_OVER,
    MISSIONS,
    NO_CARD,
    NO_SEAT,
    ORDERING,
    PROMPTS,
    SEAT_STRIDE,
    STALE_NUMBERS,
    TUCKED,
    ZONES,
)
from .table import point_total
from .words import HAND_LIMIT

MAX_POWER: Final = 2**15 - 1
MAX_COUNTER: Final = 255
MAX_ACTIONS: Final = 2**16 - 1
CLAUSES: Final = 8  # of one card, in the set `used`
HOSTED: Final = (GLYPH, TUCKED, ATTACHED, BLOCKADED)
MISSION_ZONES: Final = (MISSIONS, CURRENT, FAILED, GLYPH, ORDERING, BLOCKADED)
FRAME_PROMPTS: Final = (ASK_MAY, ASK_OPTION, ASK_NUMBER, ASK_TARGET, ASK_GLYPH, ASK_SCRY)
PENDING_PROMPTS: Final = (ASK_ORDER, ASK_TEXT)
# Fields of the record that the table tells under the same name, or under another one.
STORED: Final[Mapping[str, str]] = {
    "hero": "hero",
    "first_player": "first_player",
    "current_player": "current_player",
    "priority": "priority",
    "prompt": "prompt",
    "passes": "passes",
    "actions_here": "actions_here",
    "missions_played": "missions_played",
    "fail_turn": "failures",
}
REFUSALS: Final = RuleBook()


def state_to_json(ruleset: Ruleset, state: Array) -> Json:
    """The whole position as JSON types (§16.4).

    Raises:
        TabletopError: the record holds no possible position.
    """
    words = position_words(ruleset, state)
    # Kernels compute the numbers, and only a record that was read can be trusted not to lead them
    # out of its arrays.
    sound = state_from_json(ruleset, words)
    return {**words, "numbers": numbers_of(ruleset, sound)}


def state_from_json(ruleset: Ruleset, data: Json) -> Array:
    """The state array [1] of a position in words; its legal set is not filled yet.

    A position written by hand may leave out: game, ruleset, num_players, rng (then that of seed 0);
    `numbers`; `machine` (then somebody is about to act, and nothing lasts); counters (0); decks, if
    each player has one; first_player (the hero), priority (who decides), prompt ("main"), winner,
    end_reasons, truncated; conditions, hosts, tokens, used, empty zones and the order of
    complications, if there is none.

    Raises:
        TabletopError: the position cannot be read or cannot occur; lists every reason found.
    """
    position = _Position(ruleset)
    position.source = data
    position.names = CardNames(_lists_named(ruleset, data))
    readers = _readers(position)
    return read_position(
        position, data, readers, _fill_rest, REFUSALS, _to_state, _decision_problems
    )


class _Position(Position):
    """A position being read; cards are numbers."""

    source: object
    """The position in words."""
    names: CardNames

    @property
    def prompt(self) -> int:
        """What is asked, if the table could be read; otherwise nothing that is over."""
        return int(self.values["table"]["prompt"]) if "table" not in self.broken else ASK_MAIN

    def zone(self, player: int, zone: int) -> list[int]:
        """A player's cards in a zone, piles from the top."""
        cards: list[int] = self.table["players"][player]["zones"].get(zone, [])
        return cards

    def everywhere(self, zone: int) -> list[int]:
        """All cards in a zone."""
        return [card for player in self.players for card in self.zone(player, zone)]

    def card_type(self, card: int) -> int:
        """Type of a card."""
        return int(self.names.lists[card // SEAT_STRIDE][card % SEAT_STRIDE].card_type)

    def machine_number(self, field: str) -> int:
        """A number of the key `machine`."""
        return int(self.machine[field])


def _decks_named(ruleset: Ruleset, data: object) -> list[int]:
    """Numbers of the decks that the table names; of those that it does not, the first possible."""
    table = data.get("table") if isinstance(data, Mapping) else None
    named = table.get("decks") if isinstance(table, Mapping) else None
    tables = ruleset.tables
    numbers = []
    for player, choices in enumerate(tables.choices):
        is_named = isinstance(named, list | tuple) and player < len(named)
        fitting = [k for k in choices if is_named and tables.decks[k].name == named[player]]  # type: ignore[index]
        numbers.append(fitting[0] if fitting else choices[0])
    return numbers


def _lists_named(ruleset: Ruleset, data: object) -> list[Sequence[Card]]:
    """The lists by place: sorted, or as the entry `places` of `machine` has them."""
    decks = _decks_named(ruleset, data)
    lists: list[Sequence[Card]] = [ruleset.tables.lists[deck] for deck in decks]
    machine = data.get("machine") if isinstance(data, Mapping) else None
    if not isinstance(machine, Mapping) or "places" not in machine:
        return lists
    try:
        placed: list[Sequence[Card]] = _places(lists)(machine["places"])
        return placed
    except BadValue:  # told when the key is read
        return lists


def _places(lists: Sequence[Sequence[Card]]) -> Reader:
    """The cards of each list by place, which are those of the deck in its sections."""
    readers = [_list_by_place(cards) for cards in lists]
    return _each(readers, "players")


def _list_by_place(cards: Sequence[Card]) -> Reader:
    known = {card.card_id: card for card in cards}
    sections = (
        slice(FIRST_MISSION),
        slice(FIRST_MISSION, FIRST_DECK_CARD),
        slice(FIRST_DECK_CARD, None),
    )

    def read(value: Any) -> Sequence[Card]:
        listed = list_of(len(cards), "cards", word(list(known)))(value)
        placed = [known[list(known)[k]] for k in listed]
        for section in sections:
            if Counter(placed[section]) != Counter(cards[section]):
                text = "must hold the cards of the deck, section by section (RULES.md §16.1)"
                raise BadValue(("", text))
        return placed

    return read


# --- first step: each field on its own -------------------------------------------------------


def _readers(p: _Position) -> Readers:
    """For each key how its value is read, and its value when left out."""
    ruleset, dtype = p.ruleset, p.ruleset.game.state_dtype
    machine = machine_readers(
        dtype, ruleset.num_players, p.names.by_owned_name(), ruleset.tables.programs
    )
    decks = [p.ruleset.tables.lists[deck] for deck in _decks_named(ruleset, p.source)]
    machine = {"places": (_places(decks), decks), **machine}
    defaults = {name: default for name, (_, default) in machine.items()}
    return {
        **head_readers(ruleset),
        "table": (record(_table_readers(p)), REQUIRED),
        "numbers": (_dict, None),
        "machine": (record(machine), defaults),
        **tail_readers(ruleset, int(p.rules.max_turns)),
    }


def _dict(value: Any) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    raise BadValue(("", f"must be a dict, not {described(value)}"))


def _table_readers(p: _Position) -> Readers:
    count = p.ruleset.num_players
    player = number(0, count - 1)
    counter = (number(0, MAX_COUNTER), 0)
    cards = _card_list(p.names.by_owned_name(), "of these lists", MAX_COMPLICATIONS)
    players = [record(_player_readers(p, k)) for k in p.players]
    return {
        "decks": (_read_decks(p), REST),
        "hero": (player, REQUIRED),
        "first_player": (player, REST),
        "current_player": (player, REQUIRED),
        "priority": (player, REST),
        "prompt": (word(PROMPTS), ASK_MAIN),
        "passes": counter,
        "actions_here": (number(0, MAX_ACTIONS), 0),
        "missions_played": counter,
        "failures": counter,
        "successes": (mapping(SKILLS, "skill", number(0, MAX_COUNTER)), {}),
        "winner": (optional(player), None),
        "complications": (cards, REST),
        "players": (_each(players, "players"), REQUIRED),
    }


def _player_readers(p: _Position, player: int) -> Readers:
    known = p.names.by_name(player)
    what = f"of player {player}"
    hosts = _card_reader(p.names.by_owned_name(), "of these lists")
    clause_numbers = list_up_to(CLAUSES, "clauses", number(1, CLAUSES))
    return {
        "power": (number(0, MAX_POWER), 0),
        "zones": (mapping(ZONES, "zone", _card_list(known, what, len(known))), REQUIRED),
        "conditions": (_by_card(known, what, word(CONDITIONS)), {}),
        "hosts": (_by_card(known, what, hosts), {}),
        "tokens": (_by_card(known, what, number(0, MAX_COUNTER)), {}),
        "used": (_by_card(known, what, clause_numbers), {}),
    }


def _read_decks(p: _Position) -> Reader:
    """Names of the lists played -> their numbers."""
    tables = p.ruleset.tables
    readers = [word([tables.decks[k].name for k in choices]) for choices in tables.choices]

    def read(value: Any) -> list[int]:
        chosen = _each(readers, "players")(value)
        return [choices[k] for choices, k in zip(tables.choices, chosen, strict=True)]

    return read


def _each(readers: list[Reader], what: str) -> Reader:
    """A list with an entry for each of some readers."""

    def read(value: Any) -> list[Any]:
        list_of(len(readers), what, lambda entry: entry)(value)
        pairs = enumerate(zip(readers, value, strict=True))
        return read_all(pairs, lambda pair: pair[0](pair[1]))

    return read


def _card_reader(known: Mapping[str, int], what: str) -> Reader:
    def read(value: Any) -> int:
        if isinstance(value, str) and value in known:
            return known[value]
        raise BadValue(("", f"{described(value)} is no card {what}"))

    return read


def _card_list(known: Mapping[str, int], what: str, most: int) -> Reader:
    return list_up_to(most, "cards", _card_reader(known, what))


def _by_card(known: Mapping[str, int], what: str, reader: Reader) -> Reader:
    """A dict by the names of cards -> {number of the card: value}."""

    def read(value: Any) -> dict[int, Any]:
        names = list(_dict(value))
        wrong = [name for name in names if name not in known]
        if wrong:
            raise BadValue(*(("", f"{described(name)} is no card {what}") for name in wrong))
        values = read_all(value.items(), reader)
        return {known[name]: inner for name, inner in zip(names, values, strict=True)}

    return read


def _fill_rest(p: _Position) -> None:
    """What was left out and follows from the other fields."""
    if "table" in p.broken:
        return
    table = p.table
    table["first_player"] = _given(table["first_player"], table["hero"])
    table["priority"] = _given(table["priority"], table["current_player"])
    if table["complications"] is REST:
        table["complications"] = p.everywhere(COMPLICATION)
    if table["decks"] is REST:
        table["decks"] = _decks_named(p.ruleset, None)
    if "machine" in p.broken:
        return
    if int(p.machine["current"]) == NO_CARD and p.everywhere(CURRENT):
        p.machine["current"] = np.array(p.everywhere(CURRENT)[0])


def _given(value: Any, otherwise: Any) -> Any:
    return otherwise if value is REST else value


# --- second step: what ties the fields to each other -----------------------------------------


@REFUSALS.rule("table")
def _each_card_is_in_one_zone(p: _Position) -> Iterator[str]:
    for player in p.players:
        zones = p.table["players"][player]["zones"]
        counted = Counter(card for cards in zones.values() for card in cards)
        for card in p.names.numbers(player):
            if counted[card] != 1:
                places = "in no zone" if not counted[card] else f"there {counted[card]} times"
                where = f"table.players[{player}].zones"
                yield f"{where}: {p.names.own(card)} is {places} (RULES.md §3.1)"


@REFUSALS.rule("table")
def _missions_lie_where_missions_lie(p: _Position) -> Iterator[str]:
    for player in p.players:
        for zone, cards in p.table["players"][player]["zones"].items():
            for card in cards:
                is_mission = p.card_type(card) == MISSION
                if (zone in MISSION_ZONES and not is_mission) or (
                    zone in (DECK, HAND, COMPLICATION) and is_mission
                ):
                    what = "a mission" if is_mission else "no mission"
                    where = f"table.players[{player}].zones[{ZONES[zone]}]"
                    yield f"{where}: {p.names.own(card)} is {what} (RULES.md §3.1)"


@REFUSALS.rule("table")
def _cards_beneath_others_have_hosts(p: _Position) -> Iterator[str]:
    for player in p.players:
        hosts = p.table["players"][player]["hosts"]
        beneath = {card for zone in HOSTED for card in p.zone(player, zone)}
        for card in sorted(beneath ^ set(hosts)):
            right = "must be named" if card in beneath else "lies beneath no card"
            yield f"table.players[{player}].hosts: {p.names.own(card)} {right} (RULES.md §3.1)"


@REFUSALS.rule("table")
def _complications_are_listed_once(p: _Position) -> Iterator[str]:
    if sorted(p.table["complications"]) != sorted(p.everywhere(COMPLICATION)):
        right = "the cards of the zones 'complication', each once"
        yield f"table.complications: must be {right} (RULES.md §8.2)"


@REFUSALS.rule("table")
def _there_is_one_current_mission(p: _Position) -> Iterator[str]:
    current = p.everywhere(CURRENT)
    if len(current) > 1:
        yield "table.players: there is more than one current mission (RULES.md §3.1)"
    if p.prompt == ASK_MAIN and not current:
        yield "table.prompt: at prompt 'main' there is a current mission (RULES.md §7)"
    if current and current[0] // SEAT_STRIDE != p.table["hero"]:
        yield "table.hero: the current mission is one of the hero's (RULES.md §3.1)"


@REFUSALS.rule("table")
def _the_right_player_decides(p: _Position) -> Iterator[str]:
    table = p.table
    if p.prompt == ASK_MAIN and table["current_player"] != table["priority"]:
        yield "table.priority: at prompt 'main' it is the player who decides (RULES.md §8)"
    active = (table["hero"], (table["hero"] + 1) % len(p.players))
    if p.prompt == ASK_MAIN and table["current_player"] not in active:
        yield "table.current_player: only hero and villain act at a mission (RULES.md §12)"


@REFUSALS.rule("table", "end_reasons", "truncated")
def _the_end_has_a_reason_and_a_winner(p: _Position) -> Iterator[str]:
    yield from end_problems(p)
    if (p.table["winner"] is not None) != bool(p.end_reasons):
        yield "table.winner: a game ended by rule has one, and no other game (RULES.md §10)"


@REFUSALS.rule("truncated", "turn_count", "end_reasons")
def _turns_agree_with_the_cap(p: _Position) -> Iterator[str]:
    yield from turn_problems(p, int(p.rules.max_turns), ended_after_turn=False)


@REFUSALS.rule("table", "machine")
def _the_machine_can_ask(p: _Position) -> Iterator[str]:
    """The parts of the machine that a prompt reads are there."""
    prompt = PROMPTS[p.prompt]
    frames = p.machine_number("frame_count")
    needed = {
        "frame_count": p.prompt not in FRAME_PROMPTS or frames > 0,
        "pending_count": p.prompt not in PENDING_PROMPTS or p.machine_number("pending_count") > 0,
        "judged": p.prompt != ASK_FATE or p.machine_number("judged") != NO_CARD,
        "resolving": p.prompt != ASK_ABILITY or p.machine_number("resolving") != NO_CARD,
        "battle_winner": p.prompt != ASK_SHIP or p.machine_number("battle_winner") != NO_SEAT,
        "phase": p.prompt != ASK_MAIN or p.machine_number("phase") == ACTING,
    }
    for field, is_there in needed.items():
        if not is_there:
            yield f"machine.{field}: does not fit the prompt {prompt!r} (RULES.md §16.4)"
    if p.prompt in FRAME_PROMPTS and frames and not int(p.machine["frame_waits"][frames - 1]):
        yield f"machine.frame_waits: no text waits at prompt {prompt!r} (RULES.md §16.4)"


@REFUSALS.rule("table", "machine")
def _the_machine_knows_the_mission(p: _Position) -> Iterator[str]:
    current = p.machine_number("current")
    if current != NO_CARD and p.card_type(current) != MISSION:
        yield "machine.current: is no mission (RULES.md §3.1)"
    is_at_mission = ACTING <= p.machine_number("phase") <= MISSION_OVER
    if is_at_mission and current == NO_CARD and not p.is_over:
        yield "machine.current: there is a mission in this phase (RULES.md §7)"


@REFUSALS.rule("table", "machine")
def _entries_of_the_machine_are_cards(p: _Position) -> Iterator[str]:
    """Fields below their number of entries name cards where a card is read."""
    used = {"pending_count": ("pending_self",)}
    used |= {"modifier_count": ("modifier_card",), "mark_count": ("mark_card",)}
    used |= {"standing_count": ("standing_self",)}
    for count, fields in used.items():
        for field in fields:
            if NO_CARD in p.machine[field][: p.machine_number(count)].tolist():
                yield f"machine.{field}: an entry is no card (RULES.md §16.4)"
    frames = slice(p.machine_number("frame_count"))
    is_text = p.machine["frame_address"][frames] >= len(BUILT_IN)  # others have no card
    if NO_CARD in p.machine["frame_self"][frames][is_text].tolist():
        yield "machine.frame_self: an entry is no card (RULES.md §16.4)"
    waits = p.machine["delay_moment"] != 0
    if NO_CARD in p.machine["delay_self"][waits].tolist():
        yield "machine.delay_self: an entry is no card (RULES.md §16.4)"


@REFUSALS.rule("table")
def _what_is_ordered_or_discarded_is_there(p: _Position) -> Iterator[str]:
    player = p.table["current_player"]
    if p.prompt == ASK_MISSION_ORDER and not p.zone(player, ORDERING):
        yield f"table.prompt: player {player} has no missions to order (RULES.md §13)"
    if p.prompt == ASK_DISCARD and len(p.zone(player, HAND)) <= HAND_LIMIT:
        yield f"table.prompt: player {player} has not too many cards (RULES.md §13)"


# --- the record ------------------------------------------------------------------------------


def _to_state(p: _Position) -> Array:
    """The record of a consistent position, byte for byte as play would have left it."""
    flat = {field: p.table[key] for field, key in STORED.items()}
    p.values |= {name: flat[name] for name in ("current_player", "prompt")}
    state = new_state(p)
    header = {name: state[0][name] for name in ("rng", "ruleset", "turn_count", "decision_count")}
    header |= {name: state[0][name] for name in ("end_reasons", "is_truncated")}
    s = state[0]
    clear_table(s)
    clear_scratch(s)
    for field, value in (header | flat).items():
        s[field] = value
    s.num_players = len(p.players)
    s.winner = NO_SEAT if p.table["winner"] is None else p.table["winner"]
    for skill, count in p.table["successes"].items():
        s.success_turn[skill] = count
    s.complication_count = len(p.table["complications"])
    s.complications[: s.complication_count] = p.table["complications"]
    for player in p.players:
        _lay_player(p, s, player)
        s.victory_total[player] = 0
    for field in machine_fields(state.dtype):
        s[field] = p.machine[field]
    told = s.known.copy()
    assume_knowledge(s)
    s.known[told != AS_ZONE] = told[told != AS_ZONE]
    restore_names(s)
    _count_victory_totals(p, s)
    s.is_stale = STALE_NUMBERS
    refresh(p.rules, s)
    clear_scratch(s)
    return state


def _lay_player(p: _Position, s: Any, player: int) -> None:
    """The cards of one list."""
    content = p.table["players"][player]
    s.deck_number[player] = p.table["decks"][player]
    s.power[player] = content["power"]
    numbers = np.array(p.names.numbers(player))
    row_of = {card.number: row for row, card in enumerate(p.ruleset.tables.kinds)}
    kinds = np.array([row_of[card.number] for card in p.names.lists[player]])
    s.kind[numbers] = kinds
    s.hero_side |= _words(numbers[p.rules.is_villain[kinds] == 0], s.hero_side)
    for zone, cards in content["zones"].items():
        s.zone[cards] = zone
        s.zones[zone] |= _words(cards, s.hero_side)
    for field, key in (("condition", "conditions"), ("host", "hosts"), ("tokens", "tokens")):
        for card, value in content[key].items():
            s[field][card] = value
    for card, clauses in content["used"].items():
        s.used[card] = set_of({k - 1 for k in clauses})
    _lay_pile(s.deck, s.deck_size, player, p.zone(player, DECK))
    _lay_pile(s.missions, s.missions_size, player, p.zone(player, MISSIONS))


def _words(cards: Any, like: Array) -> Array:
    """A set of cards as words."""
    words = np.zeros_like(like)
    for card in cards:
        words[card // WORD_BITS] |= np.uint64(1 << int(card) % WORD_BITS)
    return words


def _lay_pile(piles: Any, sizes: Any, player: int, cards: list[int]) -> None:
    """A pile from its top, as places from its bottom."""
    sizes[player] = len(cards)
    piles[player, : len(cards)] = [card % SEAT_STRIDE for card in reversed(cards)]


def _count_victory_totals(p: _Position, s: Any) -> None:
    """§5 U2, where the machine does not tell them."""
    if not s.victory_total.any():
        for player in p.players:
            s.victory_total[player] = point_total(p.rules, s, (player + 1) % len(p.players))


# --- third step: can the decision be asked? --------------------------------------------------


def _decision_problems(p: _Position, state: Array) -> Iterator[str]:
    """Numbers that were given are right, and the pending decision has an answer."""
    if p.numbers is not None:
        right = numbers_of(p.ruleset, state)
        for key, value in p.numbers.items():
            if key not in right:
                yield f"numbers: unknown key {described(key)}; known: {', '.join(right)}"
            elif value != right[key]:
                yield f"numbers.{key}: {_short(value)}; by the rules it is {_short(right[key])}"
    if not p.is_over:
        copy = state.copy()
        legal_actions(p.rules, copy[0])
        if not copy[0].legal.any():
            player, prompt = p.table["current_player"], PROMPTS[p.prompt]
            yield f"table.prompt: player {player} has no answer at {prompt!r} (RULES.md §13)"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
