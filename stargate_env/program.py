"""From syntax trees to programs: the compiler of the card language.

`compile_cards` turns the effects of some cards into one array of words and a table of clauses,
which become part of the RULES record. `opcodes.py` documents the instructions. What a clause needs
of the machine (verbs, filters, values, clause heads, events) is collected beside it, so that a
deck that needs something which the machine cannot do yet is refused and never half played.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Final

from . import opcodes as op
from .built_in import BUILT_IN, BUILT_IN_ENTRIES
from .components import Card, CardPool
from .script import (
    Action,
    Amount,
    Binary,
    Block,
    Call,
    Cards,
    Choose,
    Clause,
    Condition,
    Count,
    Counter,
    Effect,
    Event,
    Filter,
    GlyphGate,
    May,
    Number,
    Quantity,
    Selector,
    Step,
    Term,
    Unit,
    Value,
    Variable,
    nodes_of,
)
from .sizes import ADVERSARY, EVENT, GEAR, MISSION, OBSTACLE, SHIP, SUPPORT, TEAM, TRAITS
from .state import STAGE_BECOMING, STAGE_PLAIN, STAGE_RATED, STAGE_RATINGS
from .vocabulary import (
    GLYPH_LETTERS,
    NUMBER_FILTERS,
    REFERENCES,
    SKILL_WORDS,
    VERBS,
)
from .words import NORMAL_COST

TYPE_BITS: Final = {
    "team": 1 << TEAM,
    "support": 1 << SUPPORT,
    "char": 1 << TEAM | 1 << SUPPORT,
    "character": 1 << TEAM | 1 << SUPPORT,
    "mission": 1 << MISSION,
    "gear": 1 << GEAR,
    "event": 1 << EVENT,
    "obstacle": 1 << OBSTACLE,
    "adversary": 1 << ADVERSARY,
    "ship": 1 << SHIP,
}

# Verbs that choose the card on which a later payment may depend.
_CHOOSERS: Final = ("PICK", "REVEAL", "PICK_GLYPH")
# Verbs whose check depends on other texts: they are checked by an instruction of their own.
_ABLE_VERBS: Final = frozenset({"PLAY", "PAY_REVIVE", "FORCE_CONTINUE"})
_RATING_VERBS: Final = frozenset({"SKILLS", *SKILL_WORDS, "DIFF"})
# Verbs whose modifiers carry an amount.
_AMOUNT_VERBS: Final = frozenset(
    {
        *_RATING_VERBS,
        "COST",
        "REVIVE",
        "FIREPOWER",
        "POINT_VALUE",
        "REPEAT_FAIL",
        "REPEAT_SUCCESS",
    }
)
# Verbs that take the cards of the top of a pile, and those on glyph cards.
_TOP_VERBS: Final = frozenset({"LOOK", "REVEAL", "TUCK"})
_PILES: Final = frozenset({"deck", "missions", "missions_bottom"})
_GLYPH_VERBS: Final = frozenset({"LOSE_GLYPH", "PICK_GLYPH", "SWAP_GLYPH_TOP"})
# Verbs of taxes on cards, and the cards beside the assigned one that they take.
_TAXED_BASES: Final = {"STOP": "char", "DESTROY": "support"}
# Quantities of which none at all is one, too.
_FREE_KINDS: Final = ("any", "up_to")
_RATING_FILTERS: Final = frozenset({"contributed_skill", "assignable"})
_RATING_VALUES: Final = frozenset({*SKILL_WORDS, "highest_skill", "contributed_skill", "firepower"})


@dataclass(frozen=True)
class CompiledClause:
    """One clause; addresses are places in `Programs.code` or `opcodes.NO_ADDRESS`."""

    card: int
    """Number of the card in the pool."""
    clause: Clause
    head: int
    event: int
    """ON and REPLACE: index in `opcodes.EVENT_WORDS`; ON_GLYPH: in `GLYPH_TRIGGER_WORDS`; else
    0. A clause of several events is compiled once for each."""
    event_player: int
    """Index in `opcodes.PLAYER_WORDS`; ON_GLYPH of letters: the set of their numbers."""
    gate_mode: int
    gate_glyphs: int
    """Set of glyph numbers."""
    gate_flags: int
    """Set of indices in `opcodes.GATE_FLAGS`, and `opcodes.IS_TALLY`."""
    match: int
    """Whether the event concerns the clause: pushes one number."""
    condition: int
    check: int
    """Whether the cost can be paid: pushes one number."""
    start: int
    """Cost, then effect; KW(withdraw) and PLAY_IF: pushes one number."""
    reads_ratings: bool
    needs: frozenset[str]
    """What the machine must be able to do, for example "verb STOP"."""

    @property
    def stage(self) -> int:
        """When a static text is computed: a STAGE of `state.py`."""
        verbs = {node.verb for node in nodes_of(self.clause.effect) if isinstance(node, Action)}
        if "BECOMES" in verbs:
            return STAGE_BECOMING
        if not self.reads_ratings:
            return STAGE_PLAIN
        return STAGE_RATINGS if verbs & _RATING_VERBS else STAGE_RATED


@dataclass
class Programs:
    """The programs of some cards."""

    code: list[int] = field(default_factory=lambda: list(BUILT_IN))
    clauses: list[CompiledClause] = field(default_factory=list)
    granted: list[CompiledClause] = field(default_factory=list)
    """Clauses that texts grant; kernels number them behind `clauses`."""
    of_card: dict[int, range] = field(default_factory=dict)
    """Number of a card -> its clauses."""
    entries: set[int] = field(default_factory=lambda: set(BUILT_IN_ENTRIES))
    """Addresses at which an instruction begins: where a saved program can go on."""

    def needs_of(self, card: int) -> frozenset[str]:
        """All that a card needs of the machine."""
        clauses = (self.clauses[index] for index in self.of_card[card])
        return frozenset().union(*(clause.needs for clause in clauses))

    def costs_self(self, clause: CompiledClause) -> bool:
        """Whether a static clause is COST(self,..), which works from the hand."""
        start = self.code[clause.start : clause.start + 6]
        is_self = start[0] == op.REFER and start[2] == op.REFERENCE_WORDS.index("self")
        return is_self and start[3] == op.TAKE and start[5] == op.VERB_NUMBERS["COST"]


def compile_cards(pool: CardPool, cards: Iterable[Card]) -> Programs:
    """The programs of `cards`, which belong to `pool`.

    Raises:
        ScriptError: the effect of a card is not in the card language.
    """
    programs = Programs()
    for card in cards:
        first = len(programs.clauses)
        for clause in card.clauses:
            programs.clauses += _compile_clause(programs, pool, card, clause)
        programs.of_card[card.number] = range(first, len(programs.clauses))
    return programs


def _compile_clause(
    programs: Programs, pool: CardPool, card: Card, clause: Clause
) -> list[CompiledClause]:
    heads = clause.argument if clause.head in ("ON", "REPLACE") else (clause.until,)
    assembler = Assembler(programs, pool, card)
    gate_mode, gate_glyphs, gate_flags = _gates(clause)
    condition = assembler.condition_program(clause.condition)
    check = assembler.check_program(clause.cost or _offer_of(clause))
    start = assembler.clause_program(clause)
    needs = assembler.needs | _head_needs(clause)
    reads_ratings = _reads_ratings(clause)
    compiled = []
    for event in heads:
        matcher = Assembler(programs, pool, card)
        match = op.NO_ADDRESS if event is None else matcher.match_program(event)
        compiled.append(
            CompiledClause(
                card=card.number,
                clause=clause,
                head=op.HEAD_WORDS.index(clause.head),
                event=_event_number(clause, event),
                event_player=_event_player(clause, event),
                gate_mode=gate_mode,
                gate_glyphs=gate_glyphs,
                gate_flags=gate_flags,
                match=match,
                condition=condition,
                check=check,
                start=start,
                reads_ratings=reads_ratings,
                needs=frozenset(needs | matcher.needs),
            )
        )
    return compiled


def _offer_of(clause: Clause) -> tuple[Unit, ...] | None:
    """REPLACE: what must be done in full so that the event is replaced; None: always."""
    if clause.head != "REPLACE" or clause.effect is None:
        return None
    body = clause.effect.steps[0].body
    return body.parts if isinstance(body, May) else None


def _gates(clause: Clause) -> tuple[int, int, int]:
    mode = glyphs = flags = 0
    if clause.head == "STATIC" and verbs_of(clause) & {"XP", "POINT_VALUE"}:
        flags |= op.IS_TALLY
    for gate in clause.gates:
        if isinstance(gate, GlyphGate):
            letters = [GLYPH_LETTERS.index(letter) for letter in gate.letters]
            glyphs = sum({1 << letter for letter in letters})
            mode = op.GATE_ANY if gate.joiner == "|" else op.GATE_ALL
            if len(set(letters)) < len(letters):
                mode = op.GATE_TWO
        else:
            flags |= 1 << op.GATE_FLAGS.index(gate)
    return mode, glyphs, flags


def verbs_of(clause: Clause) -> set[str]:
    """The verbs of what a clause does."""
    return {node.verb for node in nodes_of(clause.effect) if isinstance(node, Action)}


def _event_number(clause: Clause, event: Event | None) -> int:
    if event is not None:
        return op.EVENT_WORDS.index(event.name)
    if clause.head == "ON_GLYPH":
        word = clause.argument[0]
        return op.GLYPH_TRIGGER_WORDS.index("letters" if word in GLYPH_LETTERS else word)
    return 0


def _event_player(clause: Clause | None, event: Event | None) -> int:
    if clause is not None and clause.head == "ON_GLYPH":
        letters = [letter for letter in clause.argument if letter in GLYPH_LETTERS]
        return sum(1 << GLYPH_LETTERS.index(letter) for letter in letters)
    if event is None or not event.arguments or not isinstance(event.arguments[0], str):
        return op.PLAYER_WORDS.index("any")
    return op.PLAYER_WORDS.index(event.arguments[0].partition(".")[0])


def _head_needs(clause: Clause) -> set[str]:
    needs = {f"head {clause.head}"}
    needs |= {f"gate {gate}" for gate in clause.gates if isinstance(gate, str)}
    if clause.user:
        needs.add(f"user {clause.user}")
    if clause.until:
        needs |= {"head UNTIL", f"event {clause.until.name}"}
    if clause.head in ("ON", "REPLACE"):
        needs |= {f"event {event.name}" for event in clause.argument}
    if clause.head == "ON_GLYPH":
        needs |= {"event earns_glyph"}
    if clause.head == "KW":
        needs.add(f"keyword {clause.argument[0]}")
    if "COUNTS_AS" in verbs_of(clause) and (clause.gates or clause.condition):
        needs.add("COUNTS_AS at times")
    return needs


def _reads_ratings(clause: Clause) -> bool:
    """Whether what the clause does depends on current ratings (then it is computed second)."""
    for node in nodes_of(clause):
        if isinstance(node, Filter) and (
            node.name in _RATING_FILTERS or (node.name in SKILL_WORDS and node.relation)
        ):
            return True
        if isinstance(node, Call) and node.name in _RATING_VALUES:
            return True
    return False


class Assembler:
    """Appends programs to an array of words."""

    def __init__(self, programs: Programs, pool: CardPool, card: Card) -> None:
        self._programs = programs
        self._card = card
        self._code = programs.code
        self._entries = programs.entries
        self._pool = pool
        self._next_set = 1
        self._next_local = 0
        self._is_static = False
        self._checks_cost = True
        self._may_take_none = True
        self._payments: tuple[Value, ...] = ()
        self._counted_by_n: tuple[Selector, ...] | None = None
        self._is_replacement = False
        self._has_chosen = False
        self._is_tax = False
        self.needs: set[str] = set()

    # --- whole programs

    def condition_program(self, condition: Condition | None) -> int:
        """Address of a program that pushes whether the condition holds."""
        if condition is None:
            return op.NO_ADDRESS
        address = len(self._code)
        self._condition(condition)
        self._emit(op.END)
        return address

    def check_program(self, cost: tuple[Unit, ...] | None) -> int:
        """Address of a program that pushes whether a cost can be paid."""
        if cost is None:
            return op.NO_ADDRESS
        address = len(self._code)
        self._check(cost, for_may=False)
        self._emit(op.END)
        return address

    def clause_program(self, clause: Clause) -> int:
        """Address of what the clause does: cost, then effect."""
        address = len(self._code)
        self._is_static = clause.head == "STATIC"
        self._counted_by_n = _cards_counted_by_n(clause)
        self._need_payment(clause.cost or ())
        if clause.head == "KW":
            if clause.argument[1] is not None:
                self._value(clause.argument[1])
        elif clause.head == "PLAY_IF":
            self._condition(clause.argument)
        else:
            self._cost(clause.cost or ())
            self._is_replacement = clause.head == "REPLACE"
            if clause.effect is not None:
                self._effect(clause.effect)
            if self._is_replacement and _offer_of(clause) is None:
                self._emit(op.SET_DONE, 1)
            self._is_replacement = False
        self._emit(op.END)
        return address

    def _need_payment(self, units: Sequence[Unit]) -> None:
        """Costs that need more than one check after the other."""
        choices = 0
        for unit in units:
            if isinstance(unit, Action) and unit.verb in ("STOP", "DESTROY", "INCAP", "RETURN"):
                choices += unit.arguments[0].quantity is not None
        if choices > 1:
            self.needs.add("cost of several choices")

    def match_program(self, event: Event) -> int:
        """Address of a program that pushes whether the card of an event is such a card."""
        address = len(self._code)
        targets = [part for part in event.arguments if isinstance(part, tuple)]
        self._emit(op.PUSH, 1)
        for selectors in targets:
            self._match_cards(selectors)
            self._emit(op.AND)
        if event.by:  # the card whose text makes it happen: one of the opponent of the owner
            self.needs.add("event by")
            self._match_cards(event.by, "each")
            self._emit(op.AND)
            self._match_cards(self._opposing(event.by))
            self._emit(op.AND)
        self._emit(op.END)
        return address

    def _opposing(self, makers: tuple[Selector, ...]) -> tuple[Selector, ...]:
        """The cards of the opponent of who plays the side that `makers` are of."""
        sides = {
            item.name
            for selector in makers
            for group in selector.filters
            for item in group
            if item.name in ("hero", "villain") and not item.negated
        }
        if len(sides) != 1:
            self.needs.add("event by cards of any side")
        owner = "V" if "hero" in sides else "H"
        return (Selector("card", ((Filter("owner", False, "=", owner),),)),)

    def _match_cards(self, selectors: tuple[Selector, ...], reference: str = "trigger") -> None:
        """Push whether the card of the event is one that one of `selectors` means."""
        self._emit(op.PUSH, 0)
        for selector in selectors:
            self._matches(selector, reference)
            self._emit(op.OR)

    def _matches(self, selector: Selector, reference: str) -> None:
        """Push whether a card of the event is one that `selector` means."""
        self._begin_target()
        operands = self._filter_operands(selector)
        self._emit(op.REFER, 0, op.REFERENCE_WORDS.index(reference))
        if selector.base in REFERENCES - {"mission"}:
            other = self._new_set()
            self._emit(op.REFER, other, op.REFERENCE_WORDS.index(selector.base))
            self._emit(op.KEEP, 0, 1, op.FILTER_WORDS.index("in"), 0, 0, other)
        elif selector.base == "complication":
            self._emit(op.KEEP, 0, 1, op.FILTER_WORDS.index("complication"), 0, 0, 0)
        elif selector.base != "card":
            bits = TYPE_BITS.get(selector.base, 0)
            self._emit(op.KEEP, 0, 1, op.FILTER_WORDS.index("type"), 0, 0, bits)
        if selector.base != "complication":  # a card that is face down is no obstacle
            self._emit(op.KEEP, 0, 1, op.FILTER_WORDS.index("complication"), 1, 0, 0)
        self._keep(0, selector, operands)
        self._emit(op.COUNT, 0)

    # --- words

    def _emit(self, *words: int) -> int:
        """Append words; the address of the last one."""
        self._entries.add(len(self._code))
        self._code += words
        return len(self._code) - 1

    def _emit_operand(self, word: int = 0) -> int:
        """Append a further word of the instruction before; its address."""
        self._code.append(word)
        return len(self._code) - 1

    def _emit_jump(self, instruction: int) -> int:
        """A jump whose address is not known yet."""
        return self._emit(instruction, 0)

    def _land(self, *jumps: int) -> None:
        """Let jumps lead here."""
        for place in jumps:
            self._code[place] = len(self._code)

    def _begin_target(self) -> None:
        self._next_set = 1
        self._next_local = 0

    def _new_set(self) -> int:
        self._next_set += 1
        assert self._next_set <= op.NUM_SETS
        return self._next_set - 1

    def _new_local(self) -> int:
        self._next_local += 1
        assert self._next_local <= op.NUM_LOCALS
        return self._next_local - 1

    # --- effects

    def _effect(self, effect: Effect) -> None:
        for step in effect.steps:
            self._step(step)

    def _step(self, step: Step) -> None:
        skips = []
        if step.condition is not None:
            self._condition(step.condition)
            skips.append(self._emit_jump(op.JUMP_IF_NOT))
        if isinstance(step.body, May):
            self._may(step.body)
        else:
            self._unit(step.body, is_cost=False)
        if step.otherwise is None:
            self._land(*skips)
            return
        done = self._emit_jump(op.JUMP_IF_DONE)
        self._land(*skips)
        self._step(step.otherwise)
        self._land(done)

    def _may(self, may: May) -> None:
        if may.player:
            self._emit(op.BY, op.PLAYER_WORDS.index(may.player))
        self._need_payment(may.parts)
        is_cost = self._is_replacement
        self._checks_cost = is_cost
        self._may_take_none = is_cost or may.then is not None
        self._check(may.parts, for_may=True)
        self._checks_cost = self._may_take_none = True
        refused = [self._emit_jump(op.JUMP_IF_NOT), self._emit_jump(op.ASK)]
        for index, part in enumerate(may.parts):
            self._payments = _later_payments(may.parts, index)
            self._unit(part, is_cost, in_full=True)
            self._payments = ()
            refused.append(self._emit_jump(op.JUMP_IF_UNDONE))
        if may.then is not None:
            self._effect(may.then)
        self._emit(op.SET_DONE, 1)
        finished = self._emit_jump(op.JUMP)
        self._land(*refused)
        self._emit(op.SET_DONE, 0)
        self._land(finished)
        if may.player:
            self._emit(op.BY, op.BY_DEFAULT)

    def _cost(self, units: Sequence[Unit]) -> None:
        """Pay all of these."""
        for index, unit in enumerate(units):
            self._payments = _later_payments(units, index)
            self._unit(unit, is_cost=True, in_full=True)
            self._payments = ()

    def _unit(self, unit: Unit, is_cost: bool, in_full: bool = False) -> None:
        unit = _of_one_player(unit)
        if isinstance(unit, Block):
            self._effect(unit.effect)
        elif isinstance(unit, Choose):
            self._choose(unit, is_cost, in_full)
        else:
            self._action(unit, is_cost)

    def _choose(self, choose: Choose, is_cost: bool, in_full: bool) -> None:
        """One of the options; `in_full`: only those that can be carried out in full."""
        self.needs.add("verb CHOOSE")
        for option in choose.options:
            self._check_option(option, in_full and not is_cost, in_full)
        count = len(choose.options)
        last = self._emit(op.OPTIONS, count, *[0] * count)
        ends = []
        for index, option in enumerate(choose.options):
            self._land(last - count + 1 + index)
            if is_cost:
                if any(isinstance(step.body, May) or step.otherwise for step in option.steps):
                    self.needs.add("cost CHOOSE with MAY")
                self._cost([step.body for step in option.steps if not isinstance(step.body, May)])
            else:
                self._effect(option)
            ends.append(self._emit_jump(op.JUMP))
        self._land(*ends)

    def _check_option(self, option: Effect, for_may: bool, in_full: bool) -> None:
        """Push whether an option can be chosen."""
        condition = option.steps[0].condition
        if condition is None:
            self._emit(op.PUSH, 1)
        else:
            self._condition(condition)
        if in_full:
            self._check_effect(option, for_may)
            self._emit(op.AND)

    # --- actions

    def _action(self, action: Action, is_cost: bool) -> None:
        self.needs.add(f"verb {action.verb}")
        for name in action.options:
            if name not in ("by", "dur") or action.verb == "DISCARD":
                self.needs.add(f"option {action.verb} {name}")
        by = action.options.get("by", action.options.get("order"))
        if by != action.options.get("order", by):
            self.needs.add("choice and order by different players")
        if by is not None:
            self._emit(op.BY, op.PLAYER_WORDS.index(by))
        if self._is_standing(action):
            self._stand(action)
        elif action.verb == "PLAY":
            self._play(action)
        elif action.verb in _AMOUNT_VERBS:
            self._modify(action)
        elif VERBS[action.verb].block is not None:
            self._with_program(action)
        elif action.verb == "MOVE_GLYPH":
            self._move_glyph(action, is_cost)
        elif action.verb == "COUNTS_AS":
            self._counts_as(action)
        elif action.verb == "ALLOW_BOOST":
            self._allow_boost(action)
        elif _is_on_cards(action):
            self._cards_action(action, is_cost)
        else:
            self._plain_action(action, is_cost)
        if by is not None:
            self._emit(op.BY, op.BY_DEFAULT)

    def _is_standing(self, action: Action) -> bool:
        """Whether a one-shot makes a rule for a while, which also reaches cards that come later."""
        if self._is_static or "dur" not in action.options:
            return False
        if action.verb == "FORBID":
            return True
        if action.verb not in ("BLOCK", "NO_REVIVE", "COST"):
            return False
        quantity = action.arguments[0].quantity
        return quantity is not None and quantity.kind == "all"

    def _stand(self, action: Action) -> None:
        """Such a rule is a program that runs like a static text."""
        if action.verb == "COST" and not isinstance(action.arguments[1].value, Number):
            self.needs.add("later arrivals with a counted amount")
        duration = op.DURATION_WORDS.index(action.options["dur"])
        self._emit(op.ATTACHED_CODE, op.VERB_NUMBERS[action.verb], 0, duration)
        behind = self._emit_operand()
        self._emit_operand()
        self._is_static = True
        if action.verb == "COST":
            self._modify(action)
        elif action.verb == "FORBID":
            self._plain_action(action, False)
        else:
            self._cards_action(action, False)
        self._is_static = False
        self._emit(op.END)
        self._land(behind)

    def _cards_action(self, action: Action, is_cost: bool) -> None:
        """Candidates, choice, deed."""
        cards = self._cards_of(action)
        self._limits(action)
        self._choice(action, cards, is_cost)
        if "from" in action.options and action.verb not in _GLYPH_VERBS:
            self._target(op.NUM_SETS - 1, action.options["from"])
        if self._is_static:
            self.needs.add(f"static {action.verb}")
        duration = op.DURATION_WORDS.index(action.options.get("dur", ""))
        verb = op.VERB_NUMBERS[action.verb]
        flags = _flags(action) | _pile_player(action) << op.PLAYER_SHIFT
        flags |= op.DO_AS_COST if is_cost else 0
        if cards.quantity is not None and cards.quantity.names_n:
            flags |= op.DO_NAMES_N
        self._emit(op.DO, verb, self._place(action), flags, duration)
        if cards.quantity is not None and cards.quantity.kind in _FREE_KINDS:
            self._emit(op.SET_DONE, 1)  # none of them is a number, too

    def _play(self, action: Action) -> None:
        """Candidates that can be played, choice, then they are."""
        cards = action.arguments[0]
        self._able(action)
        kind = self._quantity(cards.quantity)
        self._emit(op.CHOOSE, kind, 0)
        self._push_price(action)
        self._emit(op.PLAY_CARDS, _flags(action))

    def _push_price(self, action: Action) -> None:
        """Push the cost option of PLAY."""
        cost = action.options["cost"]
        if cost == "normal":
            self._emit(op.PUSH, NORMAL_COST)
        else:
            self._value(cost)

    def _able(self, action: Action) -> None:
        """Put into set 0 the cards of a verb of `_ABLE_VERBS` for which it can be done."""
        if action.verb == "FORCE_CONTINUE":
            self._emit(op.PUSH, 1)
            self._top(f"{action.arguments[0]}.missions")
        else:
            self._target(0, self._cards_of(action).alternatives)
        if action.verb == "PLAY":
            self._push_price(action)
        self._emit(op.ABLE, op.VERB_NUMBERS[action.verb], _flags(action))

    def _cards_of(self, action: Action) -> Cards:
        if action.verb in ("SEARCH", "RECOVER", "RESHUFFLE"):
            zone, selectors, quantity = action.arguments
            inside = tuple(
                Selector(zone, (*_as_filter(selector), *selector.filters)) for selector in selectors
            )
            return Cards(inside, quantity)
        first = action.arguments[0]
        if action.verb == "SEARCH_MISSION":
            if first != Number(1):
                self.needs.add("search for several missions")
            return Cards((Selector("H.missions"),), Quantity("exact", first))
        if action.verb == "SWAP_GLYPH_TOP":
            return Cards(first, Quantity("exact", Number(1)))
        if isinstance(first, Quantity):  # of glyphs
            return Cards(action.options["from"], first)
        return first if isinstance(first, Cards) else Cards(first)

    def _choice(self, action: Action, cards: Cards, is_cost: bool) -> None:
        kind = self._quantity(cards.quantity)
        self._candidates(action, cards)
        self._emit(op.DOABLE, _doable(action.verb, cards, is_cost))
        self._keep_payable()
        is_all = kind == op.QUANTITY_WORDS.index("all")
        if kind == op.REFERENCED or (self._is_static and is_all):
            self._emit(op.TAKE)
            return
        self._emit(op.CHOOSE, kind, self._choice_flags(action, cards, is_cost))

    def _candidates(self, action: Action, cards: Cards) -> None:
        """Set 0: what an action can be carried out on; of a pile the top, so many are pushed."""
        if _is_top(action, cards):
            pile = cards.alternatives[0].base
            self.needs.add(f"base {pile.partition('.')[2]}")
            number = cards.quantity.value if cards.quantity is not None else None
            if number is None or cards.alternatives[0].filters:
                self.needs.add("top cards without a number")
                number = Number(0)
            self._value(number)
            self._top(pile)
            return
        self._target(0, cards.alternatives)
        takes_glyphs = isinstance(action.arguments[0], Quantity) or action.verb == "SWAP_GLYPH_TOP"
        if action.verb in _GLYPH_VERBS and takes_glyphs:
            letters = action.options.get("kind", GLYPH_LETTERS)
            kinds = sum(1 << GLYPH_LETTERS.index(letter) for letter in letters)
            self._emit(op.BENEATH, 0, kinds, op.NUM_LOCALS - 1 if "xp" in action.options else -1)

    def _keep_payable(self) -> None:
        """Of cards that a payment behind depends on, keep those for which it can be paid."""
        for amount in self._payments:
            self._begin_target()
            local = self._new_local()
            self._emit(op.PUSH, -1, op.STORE, local)
            start = self._emit(op.NEXT_EACH, 0, local, 0)
            self._value(_of_each(amount))
            self._emit(op.KEEP_PAYABLE, 0, op.JUMP, start - 3)
            self._land(start)

    def _choice_flags(self, action: Action, cards: Cards, is_cost: bool) -> int:
        flags = op.COST_FLAG if is_cost else 0
        if cards.quantity is not None and cards.quantity.names_n:
            flags |= op.NAMES_N
        if "random" in action.options:
            flags |= op.AT_RANDOM
        is_shown = action.verb == "REVEAL" and not _is_top(action, cards)
        if (action.verb == "DISCARD" and "by" not in action.options) or is_shown:
            flags |= op.BY_HAND_OWNER
        if action.verb == "SEARCH":
            flags |= op.MAY_FAIL
        if "max_total_cost" in action.options:
            flags |= op.LIMITED_COST
        if "on_different_chars" in action.options:
            flags |= op.DIFFERENT_HOSTS
        return flags

    def _quantity(self, quantity: Quantity | None) -> int:
        """Push the number, if there is one; the kind."""
        if quantity is None:
            return op.REFERENCED
        if quantity.value is not None:
            self._value(quantity.value)
        return op.QUANTITY_WORDS.index(quantity.kind)

    def _limits(self, action: Action) -> None:
        """Options with a value lie in the last local."""
        for name in ("cost", "xp", "max_total_cost", "revive"):
            value = action.options.get(name)
            if value is not None and value != "normal":
                self._value(value)
                self._emit(op.STORE, op.NUM_LOCALS - 1)

    def _place(self, action: Action) -> int:
        if action.verb == "SET_SKILL":
            return SKILL_WORDS.index(action.arguments[1])
        if action.verb == "BECOMES":
            return 1 + TRAITS.index(action.options["trait"]) if "trait" in action.options else 0
        place = action.options.get("to", "")
        if action.verb == "PUT":
            self.needs.add(f"place PUT {place}")
        return op.PLACE_WORDS.index(place) if isinstance(place, str) else 0

    def _modify(self, action: Action) -> None:
        """Candidates, choice, then an amount for each card."""
        cards, amount = action.arguments
        in_hand = action.verb == "COST"
        if in_hand and amount.sign == "=" and amount.value != Number(0):
            self.needs.add("COST set to a number above 0")
        kind = self._quantity(cards.quantity)
        self._target(0, cards.alternatives, op.IN_HAND if in_hand else 0)
        if kind == op.REFERENCED or kind == op.QUANTITY_WORDS.index("all"):
            self._emit(op.TAKE)
        else:
            flags = op.NAMES_N if cards.quantity.names_n else 0
            self._emit(op.CHOOSE, kind, flags)
        self._emit(
            op.MODIFY,
            op.VERB_NUMBERS[action.verb],
            op.SIGN_WORDS.index(amount.sign),
            op.DURATION_WORDS.index(action.options.get("dur", "")),
        )
        behind = self._emit(0)
        self._value(amount.value)
        self._emit(op.END)
        self._land(behind)

    def _plain_action(self, action: Action, is_cost: bool) -> None:
        """A verb without cards: player or zone, number, duration."""
        player, zone, flags = 0, 0, op.COST_FLAG if is_cost else 0
        self._plain_needs(action)
        if self._is_static:
            self.needs.add(f"static {action.verb}")
        self._emit(op.PUSH, 0)
        for argument in action.arguments:
            if isinstance(argument, str):
                name, _, zone_name = argument.partition(".")
                if name in op.PLAYER_WORDS:
                    player = op.PLAYER_WORDS.index(name)
                    zone = op.ZONE_WORDS.index(zone_name)
            elif isinstance(argument, Amount):
                self._value(argument.value)
                if argument.sign == "-":
                    self._emit(op.PUSH, -1, op.MULTIPLY)
            elif isinstance(argument, Quantity):
                flags |= op.NAMES_N | op.NUMBER_IS_CHOSEN
                self._limit_number(argument)
            elif isinstance(argument, Event):
                flags |= op.EVENT_WORDS.index(argument.name) << op.NUM_LOCALS
                player = _event_player(None, argument)
                self._emit(op.PUSH, self._inline_match(argument))
            elif isinstance(argument, Cards):  # XP(self,..)
                player = op.PLAYER_WORDS.index("owner")
                if argument != Cards((Selector("self"),)):
                    self.needs.add("experience of other cards")
            else:
                self._value(argument)
        duration = op.DURATION_WORDS.index(action.options.get("dur", ""))
        self._emit(op.ACT, op.VERB_NUMBERS[action.verb], player, zone, flags, duration)

    def _limit_number(self, quantity: Quantity) -> None:
        """Push the highest number that can be chosen; of cards of a hand no more than it has."""
        if quantity.value is not None:
            self._value(quantity.value)
        elif self._counted_by_n is not None:
            self._target(0, self._counted_by_n)
            self._emit(op.COUNT, 0)
        else:
            self._emit(op.PUSH, op.NO_LIMIT)

    def _plain_needs(self, action: Action) -> None:
        for argument in action.arguments:
            if isinstance(argument, str) and "." in argument:
                self.needs.add(f"pile {action.verb} {argument.partition('.')[2]}")
            elif isinstance(argument, Event):
                self.needs.add(f"forbid {argument.name}")

    def _inline_match(self, event: Event) -> int:
        """A match program inside of this one, jumped over; its address."""
        over = self._emit_jump(op.JUMP)
        address = self.match_program(event)
        self._land(over)
        return address

    def _with_program(self, action: Action) -> None:
        """A verb that keeps a program: a tax, a delayed effect, a granted clause."""
        detail, more = 0, 0
        duration = action.options.get("dur", "")
        first = action.arguments[0]
        if not self._is_static:
            self.needs.add(f"once {action.verb}")
        if isinstance(first, Cards):
            self._choice(action, first, is_cost=False)
            if action.verb == "ASSIGN_TAX":
                detail = self._tax_order(action)
        elif isinstance(first, Event):
            detail = len(op.MOMENT_WORDS) + op.EVENT_WORDS.index(first.name)
            detail += op.PLAYER_STEP * _event_player(None, first)
            self.needs.add(f"event {first.name}")
            more = self._inline_match(first)
            if "mission" in first.arguments:  # this one, so the effect ends with it
                duration = "mission"
        else:
            detail = op.MOMENT_WORDS.index(first)
            self.needs.add(f"moment {first}")
        self._emit(
            op.ATTACHED_CODE,
            op.VERB_NUMBERS[action.verb],
            detail,
            op.DURATION_WORDS.index(duration),
        )
        behind = self._emit_operand()
        last = self._emit_operand(more)
        if isinstance(action.block, Clause):
            self._code[last] = self._grant(action.block)
        else:
            self._is_tax = action.verb == "ASSIGN_TAX"
            self._keep_program(action.block or (), last)
            self._is_tax = False
        self._land(behind)

    def _keep_program(self, block: Effect | tuple[Unit, ...], check_place: int) -> None:
        """An effect, or a cost behind the program that checks it, whose address is written down."""
        was_static, self._is_static = self._is_static, False
        if isinstance(block, Effect):
            self._effect(block)
        else:
            over = self._emit_jump(op.JUMP)
            self._code[check_place] = len(self._code)
            self._check(block, for_may=False)
            self._emit(op.END)
            self._land(over)
            for unit in block:
                self._unit(unit, is_cost=True)
        self._emit(op.END)
        self._is_static = was_static

    def _tax_order(self, action: Action) -> int:
        """When a tax is paid; those that are paid together must take from the same cards."""
        assert isinstance(action.block, tuple)
        unit, *others = action.block
        if others or not isinstance(unit, Action) or unit.verb not in op.TAX_WORDS:
            self.needs.add("tax of other costs")
            return 0
        if unit.verb in _TAXED_BASES:
            cards = unit.arguments[0]
            beside = (Selector(_TAXED_BASES[unit.verb], ((Filter("each", negated=True),),)),)
            is_exact = cards.quantity is not None and cards.quantity.kind == "exact"
            if cards.alternatives != beside or not is_exact:
                self.needs.add(f"tax {unit.verb} of other cards")
        return op.TAX_WORDS.index(unit.verb)

    def _grant(self, clause: Clause) -> int:
        """Compile a granted clause; its number among them."""
        number = len(self._programs.granted)
        compiled = _compile_clause(self._programs, self._pool, self._card, clause)
        self._programs.granted += compiled
        self.needs |= set().union(*(one.needs for one in compiled))
        if len(compiled) > 1 or clause.head == "STATIC":
            self.needs.add(f"GRANT of a clause {clause.head}")
        return number

    def _move_glyph(self, action: Action, is_cost: bool) -> None:
        """Set 0 holds the characters that glyphs come from, set 1 those they can go to."""
        kind = self._quantity(action.arguments[0])
        if action.arguments[0] != Quantity("exact", Number(1)):
            self.needs.add("several glyphs moved")
        self._glyph_sets(action)
        flags = op.COST_FLAG if is_cost else 0
        self._emit(op.GLYPHS, op.VERB_NUMBERS[action.verb], kind, flags)

    def _counts_as(self, action: Action) -> None:
        """COUNTS_AS is a property of a kind of cards (`ruleset.py`); here is nothing to do."""
        self.needs.add("static COUNTS_AS" if self._is_static else "once COUNTS_AS")
        target, _, value = action.arguments
        if target != (Selector("self"),) or not isinstance(value, Number):
            self.needs.add("COUNTS_AS of other cards")

    def _allow_boost(self, action: Action) -> None:
        """Keep a program that pushes whether `each` may be boosted with the card `trigger`."""
        self.needs.add("static ALLOW_BOOST" if self._is_static else "once ALLOW_BOOST")
        cards = self._cards_of(action)
        if cards.quantity is not None and cards.quantity.kind != "all":
            self.needs.add("choice of boosted cards")
        self._emit(op.ATTACHED_CODE, op.VERB_NUMBERS[action.verb], 0, 0)
        behind = self._emit_operand()
        self._emit_operand()
        self._target(0, cards.alternatives)
        each = self._new_set()
        self._emit(op.REFER, each, op.REFERENCE_WORDS.index("each"))
        self._emit(op.KEEP, 0, 1, op.FILTER_WORDS.index("in"), 0, 0, each)
        self._emit(op.COUNT, 0)
        self._match_cards(action.options["with"])
        self._emit(op.AND, op.END)
        self._land(behind)

    def _glyph_sets(self, action: Action) -> None:
        if "from" in action.options:
            self._target(0, action.options["from"])
        if not isinstance(action.options.get("to", ""), str):
            self._target(1, action.options["to"], keep_sets=2)

    # --- whether costs can be paid

    def _check(self, units: Sequence[Unit], for_may: bool) -> None:
        """Push whether all of `units` can be carried out in full."""
        able = [u for u in units if isinstance(u, Action) and u.verb in _ABLE_VERBS]
        if able:  # ABLE empties the stack
            self._check_able(able[0], for_may)
        else:
            self._emit(op.PUSH, 1)
        for index, unit in enumerate(units):
            if unit in able[:1]:
                continue
            self._payments = _later_payments(units, index)
            self._has_chosen = any(isinstance(u, Action) and u.verb in _CHOOSERS for u in units)
            self._check_unit(unit, for_may)
            self._payments = ()
            self._emit(op.AND)

    def _check_able(self, action: Action, for_may: bool) -> None:
        self._able(action)
        if action.verb == "FORCE_CONTINUE":
            self._emit(op.COUNT, 0)
            return
        kind = self._quantity(self._cards_of(action).quantity)
        self._emit(op.NEED, kind, int(for_may))

    def _check_unit(self, unit: Unit, for_may: bool) -> None:
        unit = _of_one_player(unit)
        if isinstance(unit, Choose):
            self._emit(op.PUSH, 0)
            self._need_one_payment(unit)
            for option in unit.options:
                self._check_option(option, for_may, in_full=True)
                self._emit(op.OR)
        elif isinstance(unit, Block):
            self._check_effect(unit.effect, for_may)
        else:
            self._check_action(unit, for_may)

    def _check_effect(self, effect: Effect, for_may: bool) -> None:
        self._emit(op.PUSH, 1)
        for step in effect.steps:
            if isinstance(step.body, May):
                continue
            self._check_unit(step.body, for_may)
            self._emit(op.AND)

    def _check_action(self, action: Action, for_may: bool) -> None:
        verb = op.VERB_NUMBERS[action.verb]
        if action.verb in _ABLE_VERBS:
            self.needs.add(f"{action.verb} inside of another check")
        elif action.verb == "PAY":
            self._check_payment(action)
        elif action.verb == "MOVE_GLYPH":
            self._glyph_sets(action)
            self._emit(op.GLYPH_READY, verb)
        elif action.verb == "SEARCH":
            self._zone_not_empty(action.arguments[0])
        elif action.verb in ("DRAW", "SCRY"):
            self._check_pile(action, for_may)
        elif _is_on_cards(action):
            self._check_cards(action, for_may)
        else:
            self._emit(op.PUSH, 1)

    def _need_one_payment(self, choose: Choose) -> None:
        """What one option spends is not free again for the check of the next."""
        payments = [
            node for node in nodes_of(choose) if isinstance(node, Action) and node.verb == "PAY"
        ]
        if len(payments) > 1:
            self.needs.add("cost CHOOSE with several payments")

    def _check_payment(self, action: Action) -> None:
        amount = action.arguments[0]
        depends = self._has_chosen and not isinstance(amount, Quantity) and _reads_choice(amount)
        if isinstance(amount, Quantity) or depends:  # see `_keep_payable`
            self._emit(op.PUSH, 1)
        else:
            self._value(amount)
            self._emit(op.CAN_PAY)

    def _check_pile(self, action: Action, for_may: bool) -> None:
        """DRAW, SCRY: whether there are so many cards; for MAY at least one."""
        number = action.arguments[1]
        self._value(number)
        self._begin_target()
        self._value(number)
        self._top(action.arguments[0])
        self._emit(op.NEED, op.QUANTITY_WORDS.index("exact"), int(for_may))

    def _top(self, pile: str) -> None:
        """Put into set 0 so many cards as are pushed from the top of a pile; default: the deck."""
        player, _, zone = pile.partition(".")
        base = op.BASE_WORDS.index(zone or "deck")
        self._emit(op.TOP, 0, base, op.PLAYER_WORDS.index(player))

    def _zone_not_empty(self, zone: str) -> None:
        """Hidden piles: whether a card matches is not for others to see (C8)."""
        self._target(0, (Selector(zone),))
        self._emit(op.COUNT, 0)

    def _check_cards(self, action: Action, for_may: bool) -> None:
        cards = self._cards_of(action)
        refers = all(selector.base in ("that", "seen") for selector in cards.alternatives)
        names_n = any(isinstance(node, Variable) for node in nodes_of(cards))
        if refers or names_n:  # to what an earlier unit will have done
            self._emit(op.PUSH, 1)
            return
        self._limits(action)
        kind = self._quantity(cards.quantity)
        self._candidates(action, cards)
        self._emit(op.DOABLE, _doable(action.verb, cards, self._checks_cost))
        self._keep_payable()
        if "on_different_chars" in action.options:
            self._emit(op.HOSTS, 0)
        if kind != op.REFERENCED:  # a card may be stopped and incapacitated for one cost
            self._emit(op.UNRESERVED)
        is_free = self._may_take_none and kind in (op.QUANTITY_WORDS.index(w) for w in _FREE_KINDS)
        self._emit(op.NEED, kind, int(for_may and not is_free))
        if kind == op.REFERENCED:
            self._emit(op.RESERVE)
        if self._is_tax:  # the next one needs other cards
            self._quantity(cards.quantity)
            self._emit(op.RESERVE_SOME, 0)

    # --- cards

    def _target(
        self, number: int, selectors: tuple[Selector, ...], flags: int = 0, keep_sets: int = 1
    ) -> None:
        """Put the cards that the selectors mean into a set."""
        self._next_set = max(keep_sets, number + 1) if number < op.NUM_SETS - 1 else 1
        self._next_local = 0
        self._union(number, selectors, flags)

    def _union(self, number: int, selectors: tuple[Selector, ...], flags: int = 0) -> None:
        for index, selector in enumerate(selectors):
            place = number if index == 0 else self._new_set()
            self._selector(place, selector, flags)
            if index:
                self._emit(op.UNITE, number, place)

    def _selector(self, number: int, selector: Selector, flags: int) -> None:
        operands = self._filter_operands(selector)
        base = selector.base
        if base in REFERENCES:
            self.needs.add(f"reference {base}")
            self._emit(op.REFER, number, op.REFERENCE_WORDS.index(base))
        else:
            player, _, zone = base.partition(".")
            self.needs.add(f"base {zone or base}")
            self._emit(
                op.SELECT,
                number,
                op.BASE_WORDS.index(zone or base),
                op.PLAYER_WORDS.index(player) if zone else 0,
                flags | (op.AT_MISSION if selector.at_mission else 0),
            )
        self._keep(number, selector, operands)

    def _filter_operands(self, selector: Selector) -> dict[int, int]:
        """Compute what filters compare with: id of the filter -> set or local."""
        operands = {}
        for item in (item for group in selector.filters for item in group):
            if isinstance(item.value, tuple):
                operands[id(item)] = self._new_set()
                self._union(operands[id(item)], item.value)
            elif item.name in REFERENCES and item.name != "mission":
                operands[id(item)] = self._new_set()
                self.needs.add(f"reference {item.name}")
                reference = op.REFERENCE_WORDS.index(item.name)
                self._emit(op.REFER, operands[id(item)], reference)
            elif item.relation and item.name in NUMBER_FILTERS:
                self._value(item.value)
                operands[id(item)] = self._new_local()
                self._emit(op.STORE, operands[id(item)])
        return operands

    def _keep(self, number: int, selector: Selector, operands: Mapping[int, int]) -> None:
        for group in selector.filters:
            self._emit(op.KEEP, number, len(group))
            for item in group:
                name, detail, operand = self._filter(item, operands)
                self.needs.add(f"filter {name}")
                self._emit(op.FILTER_WORDS.index(name), int(item.negated), detail, operand)

    def _filter(self, item: Filter, operands: Mapping[int, int]) -> tuple[str, int, int]:
        """(word, detail, operand) of a filter."""
        name = item.name
        if name in TRAITS:
            return "trait", 0, TRAITS.index(name)
        if name in SKILL_WORDS:
            skill = SKILL_WORDS.index(name)
            if not item.relation:
                return "has_skill", 0, skill
            relations = len(op.RELATION_WORDS)
            relation = op.RELATION_WORDS.index(item.relation)
            return "skill", skill * relations + relation, operands[id(item)]
        if name in op.STATE_WORDS:
            return "state", 0, op.STATE_WORDS.index(name)
        if name in ("hero", "villain"):
            return "side", 0, int(name == "villain")
        if name in TYPE_BITS:
            return "type", 0, TYPE_BITS[name]
        if name in NUMBER_FILTERS:
            return name, op.RELATION_WORDS.index(str(item.relation)), operands[id(item)]
        if name == "owner":
            return name, 0, op.PLAYER_WORDS.index(item.value)
        if name == "title":
            return name, 0, self._pool.title_numbers.get(item.value.strip('"'), -1)
        if name == "has_glyph":
            self.needs.add(f"glyph {item.value if len(item.value) > 1 else 'letter'}")
            return name, 0, op.GLYPH_OPERANDS.index(item.value)
        if name in REFERENCES:
            return "in", 0, operands[id(item)]
        return name, 0, operands.get(id(item), 0)

    # --- conditions and values

    def _condition(self, condition: Condition) -> None:
        for index, term in enumerate(condition.terms):
            self._term(term)
            if index:
                self._emit(op.AND)

    def _term(self, term: Term) -> None:
        if term.relation is not None:
            assert term.right is not None
            self._value(term.left)
            self._value(term.right)
            self._emit(op.COMPARE, op.RELATION_WORDS.index(term.relation))
            return
        if isinstance(term.left, str):
            self._measure(term.left)
        else:
            self._begin_target()
            number = self._new_set()
            self._union(number, term.left)
            self._emit(op.COUNT, number)
        if term.negated:
            self._emit(op.NOT)

    def _value(self, value: Value) -> None:
        if isinstance(value, Number):
            self._emit(op.PUSH, value.value)
        elif isinstance(value, Variable):
            self._emit(op.PUSH_N)
        elif isinstance(value, Binary):
            instructions = {"+": op.ADD, "-": op.SUBTRACT, "*": op.MULTIPLY}
            self._value(value.left)
            self._value(value.right)
            self._emit(instructions[value.operator])
        elif isinstance(value, Count):
            number = self._new_set()
            self._selector(number, value.selector, 0)
            traits = _positive_traits(value.selector)
            self._emit(*((op.COUNT_TRAITS, number, traits) if traits else (op.COUNT, number)))
        elif isinstance(value, Counter):
            self._counter(value)
        else:
            self._call(value)

    def _counter(self, counter: Counter) -> None:
        if counter.name == "played_turn":
            number = self._new_set()
            self._selector(number, Selector("played_turn", counter.filters), 0)
            self._emit(op.COUNT, number)
            return
        skill = -1
        if counter.filters:
            skill = SKILL_WORDS.index(counter.filters[0][0].name)
        self._measure(counter.name, 0, skill)

    def _call(self, call: Call) -> None:
        if call.name == "if":
            self._condition(call.arguments[0])
            self._value(call.arguments[1])
            self._value(call.arguments[2])
            self._emit(op.IF_ELSE)
        elif call.name == "div":
            self._value(call.arguments[0])
            self._value(call.arguments[1])
            self._emit(op.DIVIDE)
        elif call.name == "power_left":
            self._measure(call.name, 0, op.PLAYER_WORDS.index(call.arguments[0]))
        else:
            self._card_call(call)

    def _card_call(self, call: Call) -> None:
        number = self._new_set()
        self._union(number, call.arguments[0])
        detail = -1
        if len(call.arguments) > 1:
            second: Any = call.arguments[1]
            if isinstance(second, str):
                detail = GLYPH_LETTERS.index(second)
            else:
                detail = self._new_set()
                self._union(detail, second)
        self._measure(call.name, number, detail)

    def _measure(self, name: str, number: int = 0, detail: int = -1) -> None:
        self.needs.add(f"value {name}")
        self._emit(op.MEASURE, op.MEASURE_WORDS.index(name), number, detail)


def _pile_player(action: Action) -> int:
    """Whose pile a verb on a pile works on: index in `opcodes.PLAYER_WORDS`; 0 for other verbs."""
    first = action.arguments[0]
    return op.PLAYER_WORDS.index(first.partition(".")[0]) if isinstance(first, str) else 0


def _of_one_player(unit: Unit) -> Unit:
    """An action on `any` player's pile is the choice between the two; other units are the same."""
    if not isinstance(unit, Action) or not unit.arguments:
        return unit
    first = unit.arguments[0]
    if not isinstance(first, str) or not first.startswith("any."):
        return unit
    options = []
    for player in ("H", "V"):
        arguments = (first.replace("any", player), *unit.arguments[1:])
        options.append(Effect((Step(None, replace(unit, arguments=arguments)),)))
    return Choose(tuple(options))


def _is_on_cards(action: Action) -> bool:
    """Whether candidates, choice and deed are instructions of their own."""
    kinds = VERBS[action.verb].kinds
    is_card_verb = kinds[:1] in (("cards",), ("selectors",)) or kinds[:2] == ("zone", "selectors")
    return is_card_verb or action.verb in _GLYPH_VERBS or action.verb == "SEARCH_MISSION"


def _is_top(action: Action, cards: Cards) -> bool:
    """Whether the cards are so many of the top of a pile."""
    zones = {selector.base.partition(".")[2] for selector in cards.alternatives}
    return action.verb in _TOP_VERBS and bool(zones) and zones <= _PILES


def _later_payments(units: Sequence[Unit], index: int) -> tuple[Value, ...]:
    """The payments behind a unit that depend on which card it chooses."""
    unit = units[index]
    if not isinstance(unit, Action) or unit.verb not in _CHOOSERS:
        return ()
    amounts = [
        later.arguments[0]
        for later in units[index + 1 :]
        if isinstance(later, Action) and later.verb == "PAY"
    ]
    return tuple(amount for amount in amounts if _reads_choice(amount))


def _reads_choice(amount: Value) -> bool:
    """Whether a value depends on a card that is chosen before."""
    return any(
        isinstance(node, Selector) and node.base in ("that", "seen") for node in nodes_of(amount)
    )


def _of_each(node: Any) -> Any:
    """A syntax tree that speaks of `each` where it spoke of the chosen card."""
    if isinstance(node, Selector) and node.base in ("that", "seen"):
        return replace(node, base="each")
    if isinstance(node, tuple):
        return tuple(_of_each(item) for item in node)
    if is_dataclass(node) and not isinstance(node, type):
        return replace(node, **{f.name: _of_each(getattr(node, f.name)) for f in fields(node)})
    return node


def _cards_counted_by_n(clause: Clause) -> tuple[Selector, ...] | None:
    """The hand or pile of which later n cards are taken, or None."""
    for node in nodes_of(clause.effect):
        if isinstance(node, Cards) and node.quantity is not None:
            in_pile = all("." in selector.base for selector in node.alternatives)
            if isinstance(node.quantity.value, Variable) and in_pile:
                return node.alternatives
    return None


def _positive_traits(selector: Selector) -> int:
    """The traits of which a card must have one to be counted."""
    names = {item.name for group in selector.filters for item in group if not item.negated}
    return sum(1 << TRAITS.index(name) for name in names if name in TRAITS)


def _doable(verb: str, cards: Cards, is_cost: bool) -> int:
    """Operand of DOABLE."""
    operand = op.VERB_NUMBERS[verb]
    filters = [item for node in nodes_of(cards) if isinstance(node, Filter) for item in [node]]
    if any(item.name == "incap" and not item.negated for item in filters):
        operand |= op.ALSO_INCAP
    return operand | (op.AS_COST if is_cost else 0)


def _as_filter(selector: Selector) -> tuple[tuple[Filter, ...], ...]:
    """The base of a target in a pile, as a filter on the cards of the pile."""
    return () if selector.base == "card" else ((Filter(_type_word(selector.base)),),)


def _type_word(base: str) -> str:
    return "character" if base == "char" else base


def _flags(action: Action) -> int:
    flags = sum(1 << op.FLAG_WORDS.index(name) for name in op.FLAG_WORDS if name in action.options)
    if "as" in action.options:
        flags |= 1 << op.FLAG_WORDS.index("as_complication")
    if action.options.get("cost") == "normal":
        flags |= 1 << op.FLAG_WORDS.index("normal_cost")
    return flags
