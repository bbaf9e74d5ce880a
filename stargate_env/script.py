"""The card language: from the text of an effect to its syntax tree.

`EFFECTS.md` is the reference of grammar and meaning, `vocabulary.py` lists the words. An effect is
read by `parse_effect`, which also demands the one spelling that each effect has (`script_text.py`)
and that every reference to something earlier has something to refer to (`script_checks.py`).
What is wrong is a `ScriptError` that names card and column and points at the place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Final, NoReturn

from tabletop_core.errors import TabletopError

from . import vocabulary as words

# --- syntax tree ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class GlyphGate:
    """GL(..): `joiner` "&" all of these glyphs, "|" one of them, "" a single one."""

    letters: tuple[str, ...]
    joiner: str


@dataclass(frozen=True)
class Clause:
    """One clause of a card."""

    gates: tuple[GlyphGate | str, ...]
    """In written order; words are ATTACHED, IN_VSCORE, OFFTURN."""
    head: str
    argument: Any = None
    """ON_GLYPH: letters; ON and REPLACE: events; PLAY_IF: condition; KW: (keyword, value)."""
    user: str | None = None
    """Who may use an ACT: None (the card's controller), "any" or "host_owner"."""
    cost: tuple[Unit, ...] | None = None
    """All of these are to be paid (ACT, PLAY_COST, ASSIGN_COST)."""
    condition: Condition | None = None
    until: Event | None = None
    effect: Effect | None = None


@dataclass(frozen=True)
class Effect:
    """Steps, carried out in order."""

    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Step:
    """`otherwise` is done when the body was not carried out or the condition was false."""

    condition: Condition | None
    body: May | Unit
    otherwise: Step | None = None


@dataclass(frozen=True)
class May:
    """Optional: `parts` all or nothing, `then` only if they were carried out in full."""

    player: str | None
    parts: tuple[Unit, ...]
    then: Effect | None = None


@dataclass(frozen=True)
class Choose:
    """Exactly one of the options is carried out."""

    options: tuple[Effect, ...]


@dataclass(frozen=True)
class Block:
    """A bracketed effect."""

    effect: Effect


@dataclass(frozen=True)
class Action:
    """A verb with its arguments in the order of its signature."""

    verb: str
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]
    """A flag has the value True."""
    block: Effect | Clause | tuple[Unit, ...] | None = None


Unit = Action | Choose | Block


@dataclass(frozen=True)
class Filter:
    """One demand on a card, for example `!Jaffa`, `cost<=2`, `same_title=that`."""

    name: str
    negated: bool = False
    relation: str | None = None
    value: Any = None


@dataclass(frozen=True)
class Selector:
    """A target: `filters` is a conjunction of alternatives."""

    base: str
    filters: tuple[tuple[Filter, ...], ...] = ()
    at_mission: bool = False


@dataclass(frozen=True)
class Quantity:
    """`kind` all, any, exact or up_to (with `value`); `names_n`: the number is `n` later on."""

    kind: str
    value: Value | None = None
    names_n: bool = False


@dataclass(frozen=True)
class Cards:
    """Targets (a union) and how many; None = every card that the references stand for."""

    alternatives: tuple[Selector, ...]
    quantity: Quantity | None = None


@dataclass(frozen=True)
class Amount:
    """`sign` + or - changes by the value, = sets to it."""

    sign: str
    value: Value


@dataclass(frozen=True)
class Event:
    """Something that happens in the game; `by` only with `destroy`."""

    name: str
    arguments: tuple[Any, ...]
    by: tuple[Selector, ...] | None = None


@dataclass(frozen=True)
class Term:
    """`relation` None: there is such a card (`left` selectors) or `left` is a word."""

    negated: bool
    left: Any
    relation: str | None = None
    right: Value | None = None


@dataclass(frozen=True)
class Condition:
    """All terms hold."""

    terms: tuple[Term, ...]


@dataclass(frozen=True)
class Number:
    """A literal."""

    value: int


@dataclass(frozen=True)
class Variable:
    """The number `n` that an earlier quantity has named."""

    name: str


@dataclass(frozen=True)
class Binary:
    """`operator` +, - or *."""

    operator: str
    left: Value
    right: Value


@dataclass(frozen=True)
class Call:
    """A value function; counts have a # before their name."""

    name: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class Count:
    """Number of cards."""

    selector: Selector


@dataclass(frozen=True)
class Counter:
    """A number that the game keeps."""

    name: str
    filters: tuple[tuple[Filter, ...], ...] = ()


Value = Number | Variable | Binary | Call | Count | Counter


def nodes_of(node: Any) -> Iterator[Any]:
    """Every node of a tree, the node itself first."""
    if isinstance(node, tuple):
        for item in node:
            yield from nodes_of(item)
    elif isinstance(node, dict):
        yield from nodes_of(tuple(node.values()))
    elif is_dataclass(node):
        yield node
        for entry in fields(node):
            yield from nodes_of(getattr(node, entry.name))


# --- errors and tokens ----------------------------------------------------------------------------


class ScriptError(TabletopError):
    """A text is not in the card language; `column` counts from 1."""

    def __init__(self, what: str, text: str, position: int, card_id: str) -> None:
        self.what = what
        self.column = position + 1
        self.card_id = card_id
        place = f"{card_id or 'effect'}:{self.column}"
        super().__init__(f"{place}: {what}\n    {text}\n    {' ' * position}^")


class SyntaxFault(Exception):
    """Internal: what is wrong, and where (an index, or a word whose first occurrence is meant)."""

    def __init__(self, position: int | str, what: str) -> None:
        super().__init__(what)
        self.position = position
        self.what = what


@dataclass(frozen=True)
class Token:
    """kind: name, number, string, symbol or end."""

    kind: str
    text: str
    position: int


_TOKEN: Final = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<string>"[^"]*")
  | (?P<name>ACT/TURN|[A-Za-z][A-Za-z_]*(?:'[a-z]+)?)
  | (?P<number>[0-9]+)
  | (?P<symbol>->|<=|>=|[-+*/=<>()\[\]{},.:;&|\#@!])
""",
    re.VERBOSE,
)


def tokenize(text: str) -> list[Token]:
    """The tokens of an effect text, an end token last."""
    tokens = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise SyntaxFault(position, f"unexpected character {text[position]!r}")
        if match.lastgroup != "space":
            tokens.append(Token(str(match.lastgroup), match.group(), position))
        position = match.end()
    tokens.append(Token("end", "end of text", len(text)))
    return tokens


def parse_effect(text: str, card_id: str = "", side: str | None = None) -> tuple[Clause, ...]:
    """The clauses of an effect text; none for NONE.

    `side` ("hero" or "villain") also checks that `by=` never names the player who chooses anyway.

    Raises:
        ScriptError: what is wrong, with card, column and a caret below the place.
    """
    from .script_checks import check_choosers, check_references
    from .script_text import check_spelling

    try:
        clauses = Parser(text).effect_text()
        check_spelling(text, clauses)
        check_references(clauses)
        if side is not None:
            check_choosers(clauses, side)
    except SyntaxFault as fault:
        raise ScriptError(fault.what, text, _place(fault, text), card_id) from None
    except RecursionError:
        raise ScriptError("brackets are nested too deeply", text, 0, card_id) from None
    return clauses


def _place(fault: SyntaxFault, text: str) -> int:
    if isinstance(fault.position, int):
        return fault.position
    found = re.search(r"(?<!\w)" + re.escape(fault.position) + r"(?!\w)", text)
    return found.start() if found else 0


# --- parser ---------------------------------------------------------------------------------------


class Parser:
    """Recursive descent; one method for each rule of the grammar."""

    def __init__(self, text: str) -> None:
        if not text.strip():
            raise SyntaxFault(0, "empty effect (write NONE)")
        self._tokens = tokenize(text)
        self._index = 0

    # tokens

    def _peek(self, ahead: int = 0) -> Token:
        return self._tokens[min(self._index + ahead, len(self._tokens) - 1)]

    def _at(self, *texts: str, ahead: int = 0) -> bool:
        token = self._peek(ahead)
        return token.kind in ("symbol", "name") and token.text in texts

    def _take(self) -> Token:
        token = self._peek()
        self._index += 1
        return token

    def _accept(self, text: str) -> bool:
        if self._at(text):
            self._index += 1
            return True
        return False

    def _expect(self, text: str) -> None:
        if not self._accept(text):
            self._fail(f"expected {text!r}, found {self._peek().text!r}")

    def _fail(self, what: str, token: Token | None = None) -> NoReturn:
        raise SyntaxFault((token or self._peek()).position, what)

    def _word(self, allowed: Collection[str], what: str) -> str:
        token = self._peek()
        if token.kind != "name" or token.text not in allowed:
            self._fail(f"unknown {what} {token.text!r}")
        return self._take().text

    # clauses

    def effect_text(self) -> tuple[Clause, ...]:
        """The whole text."""
        clauses: list[Clause] = []
        if not self._accept("NONE"):
            clauses.append(self._clause())
            while self._accept(";"):
                clauses.append(self._clause())
        if self._peek().kind != "end":
            self._fail(f"expected ';' or end of text, found {self._peek().text!r}")
        return tuple(clauses)

    def _clause(self) -> Clause:
        gates: list[GlyphGate | str] = []
        while self._at("GL", *words.WORD_GATES):
            gates.append(self._glyph_gate() if self._at("GL") else self._take().text)
        head = self._word(words.HEADS, "clause head")
        if head == "KW":
            return Clause(tuple(gates), head, self._keyword())
        if head == "PLAY_IF":
            return Clause(tuple(gates), head, self._bracketed_condition())
        if head in ("PLAY_COST", "ASSIGN_COST", "ACT", "ACT/TURN"):
            return self._cost_clause(tuple(gates), head)
        return self._effect_clause(tuple(gates), head)

    def _cost_clause(self, gates: tuple[GlyphGate | str, ...], head: str) -> Clause:
        is_ability = head.startswith("ACT")
        user = None
        if is_ability and self._accept("("):
            self._expect("by")
            self._expect("=")
            user = self._word(words.ABILITY_USERS, "user of an ability")
            self._expect(")")
        self._expect("[")
        cost = self._units()
        self._expect("]")
        condition = self._if()
        effect = None
        if is_ability:
            self._expect("->")
            effect = self._effect()
        return Clause(gates, head, user=user, cost=cost, condition=condition, effect=effect)

    def _effect_clause(self, gates: tuple[GlyphGate | str, ...], head: str) -> Clause:
        argument: Any = None
        if head == "ON_GLYPH":
            argument = self._glyph_trigger()
        elif head in ("ON", "REPLACE"):
            self._expect("(")
            argument = self._events(words.EVENTS if head == "ON" else words.REPLACED_EVENTS)
            self._expect(")")
        condition = self._if()
        until = None
        if head == "STATIC" and self._accept("UNTIL"):
            self._expect("(")
            until = self._event(words.EVENTS)
            self._expect(")")
        self._expect(":")
        effect = self._effect()
        return Clause(gates, head, argument, condition=condition, until=until, effect=effect)

    def _glyph_gate(self) -> GlyphGate:
        self._expect("GL")
        self._expect("(")
        letters = [self._word(words.GLYPH_LETTERS, "glyph letter")]
        joiner = ""
        while self._at("&", "|"):
            if joiner and not self._at(joiner):
                self._fail("& and | mixed in GL()")
            joiner = self._take().text
            letters.append(self._word(words.GLYPH_LETTERS, "glyph letter"))
        self._expect(")")
        return GlyphGate(tuple(letters), joiner)

    def _glyph_trigger(self) -> tuple[str, ...]:
        self._expect("(")
        if self._at(*words.GLYPH_TRIGGERS):
            kinds: tuple[str, ...] = (self._take().text,)
        else:
            kinds = self._glyph_letters()
        self._expect(")")
        return kinds

    def _glyph_letters(self) -> tuple[str, ...]:
        letters = [self._word(words.GLYPH_LETTERS, "glyph letter")]
        while self._accept("|"):
            letters.append(self._word(words.GLYPH_LETTERS, "glyph letter"))
        return tuple(letters)

    def _keyword(self) -> tuple[str, Value | None]:
        self._expect("(")
        name = self._word(words.KEYWORDS, "keyword")
        value = None
        if words.KEYWORDS[name]:
            self._expect("=")
            value = self._value()
        self._expect(")")
        return name, value

    # effects

    def _effect(self, else_allowed: bool = True) -> Effect:
        steps = [self._step(else_allowed)]
        while self._accept("&"):
            steps.append(self._step(else_allowed))
        return Effect(tuple(steps))

    def _step(self, else_allowed: bool = True) -> Step:
        condition = self._if()
        body = self._may() if self._at("MAY") else self._unit()
        otherwise = None
        if else_allowed and self._accept("ELSE"):
            otherwise = self._step()
        return Step(condition, body, otherwise)

    def _may(self) -> May:
        self._expect("MAY")
        player = None
        if self._accept("("):
            self._expect("by")
            self._expect("=")
            player = self._word({"H", "V", "owner"}, "player")
            self._expect(")")
        parts = self._units()
        then = self._effect(else_allowed=False) if self._accept("->") else None
        return May(player, parts, then)

    def _units(self) -> tuple[Unit, ...]:
        units = [self._unit()]
        while self._accept("+"):
            units.append(self._unit())
        return tuple(units)

    def _unit(self) -> Unit:
        if self._accept("{"):
            block = Block(self._effect())
            self._expect("}")
            return block
        if self._accept("CHOOSE"):
            return self._choose()
        return self._action()

    def _choose(self) -> Choose:
        self._expect("{")
        options = [self._effect()]
        while self._accept("/"):
            options.append(self._effect())
        self._expect("}")
        if len(options) < 2:
            self._fail("CHOOSE needs at least two options")
        return Choose(tuple(options))

    def _action(self) -> Action:
        name_token = self._peek()
        name = self._word(words.VERBS, "verb")
        signature = words.VERBS[name]
        self._expect("(")
        arguments = []
        for number, kind in enumerate(signature.kinds):
            if number:
                self._expect(",")
            arguments.append(self._argument(kind))
        options = self._options(name, signature)
        for group in signature.required:
            if not any(option in options for option in group):
                self._fail(f"{name} lacks the option {' or '.join(group)}", name_token)
        if name == "LOSE_GLYPH" and isinstance(arguments[0], Quantity) and "from" not in options:
            self._fail("LOSE_GLYPH lacks the option from", name_token)
        self._expect(")")
        block = self._verb_block(name_token, signature)
        return Action(name, tuple(arguments), options, block)

    def _verb_block(self, verb: Token, signature: words.Signature) -> Any:
        if signature.block is None:
            if self._at("{"):
                self._fail(f"{verb.text} takes no block", verb)
            return None
        self._expect("{")
        rules: dict[str, Callable[[], Any]] = {
            "effect": self._effect,
            "clause": self._clause,
            "cost": self._units,
        }
        block = rules[signature.block]()
        self._expect("}")
        return block

    def _argument(self, kind: str) -> Any:
        rules: dict[str, Callable[[], Any]] = {
            "cards": self._cards,
            "selectors": self._selectors,
            "quantity": self._quantity,
            "amount": self._amount,
            "value": self._value,
            "zone": self._zone,
            "condition": self._condition,
            "moment": self._moment,
            "event": lambda: self._event(words.EVENTS),
            "number": lambda: self._quantity() if self._names_n() else self._value(),
            "scorer": lambda: self._take().text if self._at("owner") else self._cards(),
            "lost_glyphs": lambda: self._selectors() if self._at("that") else self._quantity(),
            "player": lambda: self._word(words.PLAYERS, "player"),
            "skill": lambda: self._word(words.SKILL_WORDS, "skill"),
            "type": lambda: self._word(words.TYPE_WORDS, "card type"),
            "trait": lambda: self._word(words.TRAITS, "trait"),
            "glyph": lambda: self._word(words.GLYPH_LETTERS, "glyph letter"),
            "glyphs": self._glyph_letters,
            "earned": lambda: self._word({"mission"}, "glyph"),
            "duration": lambda: self._word(words.DURATIONS, "duration"),
            "complication": lambda: self._word({"complication"}, "manner of playing"),
            "cost": lambda: self._take().text if self._at("normal") else self._value(),
        }
        return rules[kind]()

    def _options(self, verb: str, signature: words.Signature) -> dict[str, Any]:
        options: dict[str, Any] = {}
        while not self._at(")"):
            if signature.kinds or options:
                self._expect(",")
            token = self._peek()
            if token.kind != "name":
                self._fail(f"expected an option, found {token.text!r}")
            if token.text in options:
                self._fail(f"option {token.text!r} given twice")
            if token.text not in signature.options:
                self._fail(f"{verb} has no option {token.text!r}")
            self._take()
            options[token.text] = self._option_value(verb, token.text, signature)
        return options

    def _option_value(self, verb: str, name: str, signature: words.Signature) -> Any:
        if name in words.FLAGS:
            return True
        self._expect("=")
        if name == "to" and not signature.to_cards:
            return self._word(words.PLACES[verb], "place")
        return self._argument("selectors" if name == "to" else words.OPTIONS[name])

    def _moment(self) -> str | Event:
        if self._accept("OFFTURN"):
            return "OFFTURN " + self._word(words.TIMES, "point of time")
        if self._at(*words.TIMES):
            return self._take().text
        return self._event(words.EVENTS)

    # cards, filters, quantities

    def _cards(self) -> Cards:
        selectors = self._selectors()
        if self._at(",") and self._quantity_follows():
            self._take()
            return Cards(selectors, self._quantity())
        if any(selector.base not in words.REFERENCES for selector in selectors):
            self._fail("how many? (a number, all, any or up_to() must follow)")
        return Cards(selectors)

    def _quantity_follows(self) -> bool:
        token, after = self._peek(1), self._peek(2)
        if token.kind == "number" or token.text in ("#", "("):
            return True
        return token.kind == "name" and token.text not in words.FLAGS and after.text != "="

    def _names_n(self) -> bool:
        return self._at("n") and self._at(":", ahead=1)

    def _quantity(self) -> Quantity:
        names_n = self._names_n()
        if names_n:
            self._take()
            self._take()
        if self._at("all", "any"):
            return Quantity(self._take().text, None, names_n)
        if self._accept("up_to"):
            self._expect("(")
            value = self._value()
            self._expect(")")
            return Quantity("up_to", value, names_n)
        if names_n:
            self._fail("n: must be followed by any or up_to()")
        return Quantity("exact", self._value())

    def _selectors(self) -> tuple[Selector, ...]:
        selectors = [self._selector()]
        while self._accept("|"):
            selectors.append(self._selector())
        return tuple(selectors)

    def _selector(self) -> Selector:
        token = self._peek()
        if token.kind == "name" and token.text in words.PLAYERS and self._at(".", ahead=1):
            base = self._zone()
        else:
            base = self._word(words.BASES | words.REFERENCES, "target")
        filters = self._filters()
        at_mission = False
        if self._accept("@"):
            self._expect("mission")
            at_mission = True
        return Selector(base, filters, at_mission)

    def _zone(self) -> str:
        player = self._word(words.PLAYERS, "player")
        self._expect(".")
        return player + "." + self._word(words.ZONES, "zone")

    def _filters(self) -> tuple[tuple[Filter, ...], ...]:
        groups: list[tuple[Filter, ...]] = []
        if self._accept("["):
            groups.append(self._filter_group())
            while self._accept(","):
                groups.append(self._filter_group())
            self._expect("]")
        return tuple(groups)

    def _filter_group(self) -> tuple[Filter, ...]:
        group = [self._filter()]
        while self._accept("|"):
            group.append(self._filter())
        return tuple(group)

    def _filter(self) -> Filter:
        negated = self._accept("!")
        token = self._peek()
        if token.kind != "name":
            self._fail(f"expected a filter, found {token.text!r}")
        name = self._take().text
        if name in words.NUMBER_FILTERS and self._at(*words.RELATIONS):
            return Filter(name, negated, self._take().text, self._value())
        if name in words.CARD_FILTERS:
            self._expect("=")
            return Filter(name, negated, "=", self._selectors())
        if name in ("title", "owner", "has_glyph"):
            self._expect("=")
            return Filter(name, negated, "=", self._filter_word(name))
        if name in words.REFERENCES:
            if not negated:
                self._fail(f"{name!r} in a filter must be negated (!{name})", token)
        elif name not in words.WORD_FILTERS:
            self._fail(f"unknown filter {name!r}", token)
        return Filter(name, negated)

    def _filter_word(self, name: str) -> str:
        if name == "owner":
            return self._word({"H", "V"}, "player")
        if name == "has_glyph":
            return self._word(words.GLYPH_NAMES, "glyph")
        if self._peek().kind != "string":
            self._fail("a title stands in double quotes")
        return self._take().text

    # events and conditions

    def _events(self, table: Mapping[str, tuple[str, ...]]) -> tuple[Event, ...]:
        events = [self._event(table)]
        while self._accept("|"):
            events.append(self._event(table))
        return tuple(events)

    def _event(self, table: Mapping[str, tuple[str, ...]]) -> Event:
        name = self._word(table, "event")
        self._expect("(")
        arguments = self._arguments(table[name])
        by = None
        if table is words.REPLACED_EVENTS and self._accept(","):
            self._expect("by")
            self._expect("=")
            by = self._selectors()
        self._expect(")")
        return Event(name, arguments, by)

    def _arguments(self, kinds: tuple[str, ...]) -> tuple[Any, ...]:
        arguments = []
        for number, kind in enumerate(kinds):
            if kind.endswith("?") and not self._at(","):
                break
            if number:
                self._expect(",")
            arguments.append(self._argument(kind.rstrip("?")))
        return tuple(arguments)

    def _if(self) -> Condition | None:
        return self._bracketed_condition() if self._accept("IF") else None

    def _bracketed_condition(self) -> Condition:
        self._expect("(")
        condition = self._condition()
        self._expect(")")
        return condition

    def _condition(self) -> Condition:
        terms = [self._term()]
        while self._accept("&"):
            terms.append(self._term())
        return Condition(tuple(terms))

    def _term(self) -> Term:
        start = self._peek()
        negated = self._accept("not")
        if self._at(*words.CONDITION_WORDS):
            return Term(negated, self._take().text)
        is_function = self._at(*words.VALUE_FUNCTIONS) and self._at("(", ahead=1)
        if self._at("#") or self._peek().kind == "number" or is_function:
            if negated:
                self._fail("write the opposite comparison instead of 'not'", start)
            return self._comparison(start)
        return Term(negated, self._selectors())

    def _comparison(self, start: Token) -> Term:
        left = self._value()
        if not self._at(*words.RELATIONS):
            self._fail(f"expected a comparison, found {self._peek().text!r}")
        relation = self._take().text
        right = self._value()
        if isinstance(left, Count) and isinstance(right, Number):
            needless = ((">=", 1), (">", 0), ("=", 0), ("<", 1))
            if (relation, right.value) in needless:
                self._fail("write the bare target instead of comparing its number", start)
        return Term(False, left, relation, right)

    # values

    def _amount(self) -> Amount:
        if not self._at("+", "-", "="):
            self._fail(f"expected a signed amount, found {self._peek().text!r}")
        return Amount(self._take().text, self._product())

    def _value(self) -> Value:
        value = self._product()
        while self._at("+", "-"):
            value = Binary(self._take().text, value, self._product())
        return value

    def _product(self) -> Value:
        value = self._factor()
        while self._at("*"):
            value = Binary(self._take().text, value, self._factor())
        return value

    def _factor(self) -> Value:
        if self._peek().kind == "number":
            return Number(int(self._take().text))
        if self._accept("("):
            value = self._value()
            self._expect(")")
            return value
        if self._accept("#"):
            return self._count()
        if self._accept("n"):
            return Variable("n")
        return self._call(words.VALUE_FUNCTIONS, "value")

    def _count(self) -> Value:
        if self._at(*words.COUNT_FUNCTIONS) and self._at("(", ahead=1):
            call = self._call(words.COUNT_FUNCTIONS, "count")
            return Call("#" + call.name, call.arguments)
        if self._at(*words.COUNTERS):
            return Counter(self._take().text, self._filters())
        return Count(self._selector())

    def _call(self, table: Mapping[str, tuple[str, ...]], what: str) -> Call:
        name = self._word(table, what)
        self._expect("(")
        arguments = self._arguments(table[name])
        self._expect(")")
        return Call(name, arguments)
