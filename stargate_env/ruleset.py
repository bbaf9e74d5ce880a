"""RULES records: the cards of the decks, their numbers and programs, for the kernels.

Decks that need something that the machine cannot do yet are refused (`missing_of`), so that no card
is ever played without its effect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from tabletop_core.errors import TabletopError
from tabletop_core.game import allocate

from . import opcodes as op
from .components import Card, CardPool, load_cards, pool_to_text
from .decks import Deck, require_legal
from .implemented import IMPLEMENTED
from .options import MAX_TURNS, Options, option_decks, option_pool
from .program import CompiledClause, Programs, compile_cards, verbs_of
from .script import Action, Event, nodes_of
from .sizes import NO_GLYPH, NO_RATING, NO_SKILL, TRAITS, VILLAIN
from .state import (
    CODE_SIZE,
    HAND_STAGES,
    MAX_CLAUSES,
    MAX_DECKS,
    MAX_KINDS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NO_KIND,
    RULES,
    STAGE_BECOMING,
    STAGE_PLAIN,
)
from .table import RAISED
from .words import HEAD_STATIC

Array = np.ndarray[Any, np.dtype[Any]]


SOURCES: Final = {
    "cards": "the set files of a fan project, each number, icon and text compared with the face of "
    "the card shown there; no printed card was seen. What a card does is written anew in the card "
    "language; readings that are assumed are marked in the column notes",
    "decks": "the lists of the twelve preconstructed decks in the same files",
}


@dataclass(frozen=True)
class Tables:
    """What a RULES record was made of."""

    pool: CardPool
    decks: tuple[Deck, ...]
    """[deck] those of player 0, then those of player 1 and so on; the same set is there once."""
    kinds: tuple[Card, ...]
    """Card of each row of the record."""
    lists: tuple[tuple[Card, ...], ...]
    """[deck, place] card."""
    choices: tuple[range, ...]
    """[player] numbers of the decks of which one is drawn for each game."""
    programs: Programs

    @property
    def sources(self) -> Mapping[str, str]:
        """Where the tables come from."""
        return SOURCES

    @cached_property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """[deck, place] name of the card: its id, and which copy in its list it is (§16.4)."""
        return tuple(list_names(cards) for cards in self.lists)


def tables_to_text(tables: Tables) -> str:
    """The pool of cards as a file for the option `ruleset`."""
    return pool_to_text(tables.pool)


def list_names(cards: Sequence[Card | None]) -> tuple[str, ...]:
    """[place] the name of the card of a list; empty where there is none that can be named."""
    names = []
    counted: Counter[str] = Counter()
    for card in cards:
        if card is not None:
            counted[card.card_id] += 1
        names.append("" if card is None else f"{card.card_id}.{counted[card.card_id]}")
    return tuple(names)


def make_ruleset(options: Options, num_players: int) -> tuple[Array, Tables]:
    """The RULES array [1] (digest still 0) and the tables that checked options stand for.

    Raises:
        TabletopError: a deck is not legal, or it needs what the machine cannot do yet.
    """
    return make_rules(
        option_decks(options, num_players),
        option_pool(options),
        options.max_turns,
        options.open_lists,
        options.unique_missions,
    )


def make_rules(
    decks: Sequence[Deck | Sequence[Deck]],
    pool: CardPool | None = None,
    max_turns: int = MAX_TURNS,
    open_lists: bool = True,
    unique_missions: bool = False,
) -> tuple[Array, Tables]:
    """RULES [1] for the decks of each player, one or several to draw from, and tables with names.

    Raises:
        TabletopError: a deck is not legal, or it needs what the machine cannot do yet.
    """
    pool = pool or load_cards()
    if not MIN_PLAYERS <= len(decks) <= MAX_PLAYERS:
        raise TabletopError(
            f"the game is for {MIN_PLAYERS} to {MAX_PLAYERS} players with a deck each, "
            f"not for {len(decks)} decks"
        )
    choices = [(entry,) if isinstance(entry, Deck) else tuple(entry) for entry in decks]
    _require_playable(choices)
    for deck in dict.fromkeys(deck for entry in choices for deck in entry):
        require_legal(deck, pool, unique_missions)
    return rules_of_decks(choices, pool, max_turns, open_lists)


def rules_of_decks(
    choices: Sequence[tuple[Deck, ...]],
    pool: CardPool,
    max_turns: int = MAX_TURNS,
    open_lists: bool = True,
) -> tuple[Array, Tables]:
    """`make_rules` for lists that are not checked; they need four team cards and twelve missions.

    Raises:
        TabletopError: a card needs what the machine cannot do yet.
    """
    flat, places = _numbered(choices)
    lists = tuple(_sorted_list(deck, pool) for deck in flat)
    kinds = tuple(sorted({card for cards in lists for card in cards}, key=lambda c: c.number))
    programs = compile_cards(pool, kinds)
    _require_implemented(kinds, programs)
    record = allocate(RULES, 1)
    rules = record[0]
    rules.num_players = len(choices)
    rules.max_turns = max_turns
    rules.open_lists = open_lists
    _fill_kinds(rules, kinds, pool)
    _fill_decks(rules, lists, kinds)
    for seat, numbers in enumerate(places):
        rules.first_deck[seat] = numbers.start
        rules.deck_choices[seat] = len(numbers)
    _fill_programs(rules, kinds, programs)
    return record, Tables(pool, flat, kinds, lists, places, programs)


def _numbered(
    choices: Sequence[tuple[Deck, ...]],
) -> tuple[tuple[Deck, ...], tuple[range, ...]]:
    """[deck] all decks, and [player] the numbers of his; a set of several is there once."""
    flat: list[Deck] = []
    shared: dict[tuple[Deck, ...], range] = {}
    places = []
    for entry in choices:
        if entry not in shared or len(entry) == 1:
            shared[entry] = range(len(flat), len(flat) + len(entry))
            flat += entry
        places.append(shared[entry])
    return tuple(flat), tuple(places)


def _require_playable(choices: Sequence[tuple[Deck, ...]]) -> None:
    """Each player has decks, as many as a record holds, which differ by name."""
    if not all(choices):
        raise TabletopError("every player needs at least one deck")
    flat, _ = _numbered(choices)
    if len(flat) > MAX_DECKS:
        raise TabletopError(f"there are {len(flat)} decks, {MAX_DECKS} are possible")
    for entry in choices:
        names = [deck.name for deck in entry]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise TabletopError(f"several decks of one player are called {', '.join(twice)}")


def _sorted_list(deck: Deck, pool: CardPool) -> tuple[Card, ...]:
    """The cards of a list in the order of their places."""
    sections = (deck.team, deck.missions, deck.deck)
    cards = [
        sorted((pool.by_id[name] for name in section), key=lambda card: card.number)
        for section in sections
    ]
    return tuple(card for section in cards for card in section)


def missing_of(card: Card, programs: Programs) -> list[str]:
    """What a card needs and the machine cannot do yet, sorted; for example "verb GRANT"."""
    needs = programs.needs_of(card.number) | {f"type {card.type_name}"}
    return sorted(needs - IMPLEMENTED)


def _require_implemented(cards: Sequence[Card], programs: Programs) -> None:
    faults = []
    for card in cards:
        missing = missing_of(card, programs)
        if missing:
            faults.append(f"  {card}: {', '.join(missing)}")
    if faults:
        listed = "\n".join(faults)
        raise TabletopError(f"these cards need what is not implemented yet:\n{listed}")


def _fill_kinds(rules: Any, kinds: Sequence[Card], pool: CardPool) -> None:
    if len(kinds) > MAX_KINDS:
        raise TabletopError(f"the decks have {len(kinds)} different cards, at most {MAX_KINDS} fit")
    for row, card in enumerate(kinds):
        rules.number[row] = card.number
        rules.card_type[row] = card.card_type
        rules.is_villain[row] = card.side == VILLAIN
        rules.is_unique[row] = card.is_unique
        rules.cost[row] = _or(card.cost, -1)
        rules.point_value[row] = _or(card.point_value, 0)
        rules.printed[row] = [_or(rating, NO_RATING) for rating in card.ratings]
        rules.raw[row] = [NO_RATING if x is None else x + RAISED for x in card.ratings]
        rules.skill[row] = _or(card.mission_skill, NO_SKILL)
        rules.difficulty[row] = _or(card.mission_difficulty, 0)
        rules.experience[row] = _or(card.experience, 0)
        rules.glyph[row] = _or(card.glyph, NO_GLYPH)
        rules.revive_cost[row] = _or(card.revive_cost, 0)
        rules.firepower[row] = _or(card.firepower, 0)
        rules.traits[row] = sum(1 << TRAITS.index(trait) for trait in card.traits)
        rules.title[row] = pool.title_numbers[card.title]
        heads = {clause.head for clause in card.clauses}
        rules.has_fail_text[row] = bool(heads & {"ON_FAIL", "ON_SUCCESS_OR_FAIL"})
        words = [clause.argument[0] for clause in card.clauses if clause.head == "KW"]
        rules.counted_traits[row], rules.counted_number[row] = _counted_as(card)
        rules.marks_for_mission[row] = any(
            clause.head == "ON_ASSIGN" and "MARK" in verbs_of(clause) for clause in card.clauses
        )
        rules.keywords[row] = ("dominion" in words) | ("withdraw" in words) << 1


def _counted_as(card: Card) -> tuple[int, int]:
    """COUNTS_AS: (set of traits, as how many cards)."""
    actions = [node for node in nodes_of(card.clauses) if isinstance(node, Action)]
    for action in actions:
        if action.verb == "COUNTS_AS":
            _, trait, number = action.arguments
            return 1 << TRAITS.index(trait), number.value
    return 0, 1


def _or(value: int | None, absent: int) -> int:
    return absent if value is None else value


def _fill_decks(rules: Any, lists: Sequence[tuple[Card, ...]], kinds: Sequence[Card]) -> None:
    row_of = {card.number: row for row, card in enumerate(kinds)}
    rules.deck_kind[: len(lists)] = NO_KIND
    for deck, cards in enumerate(lists):
        rules.deck_length[deck] = len(cards)
        rules.deck_kind[deck, : len(cards)] = [row_of[card.number] for card in cards]


def _fill_programs(rules: Any, kinds: Sequence[Card], programs: Programs) -> None:
    if (
        len(programs.code) > CODE_SIZE
        or len(programs.clauses) + len(programs.granted) > MAX_CLAUSES
    ):
        raise TabletopError("the cards of these decks have more text than a RULES record holds")
    rules.code[: len(programs.code)] = programs.code
    rules.clause_start[len(programs.clauses) :] = CODE_SIZE  # ascending to the end
    rules.first_clause[len(kinds) :] = MAX_CLAUSES
    for row, card in enumerate(kinds):
        clauses = programs.of_card[card.number]
        rules.first_clause[row] = clauses.start
        rules.clause_count[row] = len(clauses)
        heads = {programs.clauses[index].head for index in clauses}
        rules.heads[row] = sum(1 << head for head in heads)
        ends = [k for k, index in enumerate(clauses) if programs.clauses[index].clause.until]
        rules.until_clauses[row] = sum(1 << place for place in ends)
        for index in clauses:
            _note_clause(rules, row, programs, programs.clauses[index])
    _fill_events(rules, programs)
    rules.last_stage = max((clause.stage for clause in programs.clauses), default=STAGE_PLAIN)
    rules.has_becoming = any(clause.stage == STAGE_BECOMING for clause in programs.clauses)
    rules.has_score_costs = any(map(_can_change_scores, (*programs.clauses, *programs.granted)))
    rules.has_grants = bool(programs.granted)
    rules.has_tallies = any(c.gate_flags & op.IS_TALLY for c in programs.clauses)
    rules.first_granted = len(programs.clauses)
    for index, clause in enumerate((*programs.clauses, *programs.granted)):
        _fill_clause(rules, index, clause)


def _note_clause(rules: Any, row: int, programs: Programs, clause: CompiledClause) -> None:
    """What a clause adds to the sets of its kind, by which kernels pass over other kinds."""
    if clause.head == HEAD_STATIC:
        stage = 1 << clause.stage
        if programs.costs_self(clause):
            stage |= stage << HAND_STAGES
        rules.static_stages[row] |= stage
    if clause.match != op.NO_ADDRESS:
        rules.listens[row] |= 1 << clause.event


def _can_change_scores(clause: CompiledClause) -> bool:
    """Whether a clause may change what a scored card costs; static ones must name score piles."""
    names_scored = not clause.needs.isdisjoint({"base vscore", "gate IN_VSCORE"})
    return "verb COST" in clause.needs and (names_scored or clause.head != HEAD_STATIC)


def _fill_events(rules: Any, programs: Programs) -> None:
    """The events that some text is about, so that kernels need not look for others."""
    rules.heard = rules.replaced = 0
    for clause in (compiled.clause for compiled in programs.clauses):
        events = [node.name for node in nodes_of(clause) if isinstance(node, Event)]
        words = sum({1 << op.EVENT_WORDS.index(name) for name in events})
        if clause.head == "REPLACE":
            rules.replaced |= words
        else:
            rules.heard |= words


_USERS: Final = (None, "any", "host_owner")  # in the order of USER_*


def _fill_clause(rules: Any, index: int, clause: CompiledClause) -> None:
    rules.clause_head[index] = clause.head
    rules.clause_event[index] = clause.event
    rules.clause_player[index] = clause.event_player
    rules.clause_gate[index] = clause.gate_mode
    rules.clause_glyphs[index] = clause.gate_glyphs
    rules.clause_flags[index] = clause.gate_flags
    rules.clause_match[index] = clause.match
    rules.clause_condition[index] = clause.condition
    rules.clause_check[index] = clause.check
    rules.clause_start[index] = clause.start
    rules.clause_stage[index] = clause.stage
    rules.clause_user[index] = _USERS.index(clause.clause.user)


assert len(op.HEAD_WORDS) <= 32
