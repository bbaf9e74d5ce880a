"""The card language once more: a parser of its own, written from EFFECTS.md §1 alone.

What a card does becomes a tree of the dataclasses below; nothing here knows a game. `parse_text`
reads a cell of the column `effect`, and `Clause`, `Action` and `Target` say what was written there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TypeVar

# --- what a text is made of (EFFECTS.md §1) ------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Filter:
    """One condition on a card: `!Jaffa`, `COM>=2`, `shares_glyph_with=that`."""

    name: str
    is_negated: bool = False
    relation: str = ""
    value: object = None  # Value, Target or str


@dataclass(frozen=True, eq=False)
class Target:
    """Cards: a base, reference or zone, and filters of which every group needs one that fits."""

    base: str
    player: str = ""  # zones only
    filters: tuple[tuple[Filter, ...], ...] = ()
    is_at_mission: bool = False


Targets = tuple[Target, ...]


@dataclass(frozen=True, eq=False)
class Quantity:
    """How many: kind "all", "any", "up_to" or "count"; `names_n` if the number becomes `n`."""

    kind: str
    value: Value | None = None
    names_n: bool = False


@dataclass(frozen=True, eq=False)
class Value:
    """A number: an operation with its operands.

    number (int), n, count (Targets), counter (name, filter groups), call (name, arguments),
    sum / difference / product (two values), if (condition, value, value).
    """

    kind: str
    parts: tuple = ()


@dataclass(frozen=True, eq=False)
class Term:
    """A part of a condition: "cards" (Targets), "compare" (value, relation, value), "mark_made"."""

    kind: str
    is_negated: bool = False
    parts: tuple = ()


Condition = tuple[Term, ...]


@dataclass(frozen=True, eq=False)
class Event:
    """An event or would-event; arguments are players (str), Targets or Zones; `by` of destroy."""

    name: str
    arguments: tuple = ()
    by: Targets | None = None


@dataclass(frozen=True, eq=False)
class Moment:
    """When a DELAY runs: a point of time (perhaps OFFTURN) or an event."""

    time: str = ""
    is_offturn: bool = False
    event: Event | None = None


@dataclass(frozen=True, eq=False)
class Action:
    """A verb with what stands in its brackets; `body` is what stands in braces after it."""

    verb: str
    targets: Targets = ()
    quantity: Quantity | None = None
    zone: Target | None = None
    player: str = ""
    value: Value | None = None
    sign: str = ""
    word: str = ""
    event: Event | None = None
    moment: Moment | None = None
    options: dict[str, object] = field(default_factory=dict)
    body: object = None  # Effect, Clause or tuple of units


@dataclass(frozen=True, eq=False)
class Choose:
    """CHOOSE{effect / effect}."""

    choices: tuple[Effect, ...]


@dataclass(frozen=True, eq=False)
class Group:
    """{effect}."""

    effect: Effect


Unit = Action | Choose | Group


@dataclass(frozen=True, eq=False)
class Step:
    """[IF(c)] [MAY] units [-> effect] [ELSE step]."""

    units: tuple[Unit, ...]
    condition: Condition | None = None
    is_may: bool = False
    by: str = ""
    arrow: Effect | None = None
    otherwise: Step | None = None


Effect = tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class Clause:
    """One text of a card.

    head: ON_PLAY .. END_TURN, ON, ON_GLYPH, REPLACE, STATIC, ACT, PLAY_COST, ASSIGN_COST, PLAY_IF,
    dominion, withdraw. glyphs: the kinds demanded by GL(..), all of them or one.
    """

    head: str
    condition: Condition | None = None
    effect: Effect = ()
    cost: tuple[Unit, ...] = ()
    glyphs: tuple[str, ...] = ()
    glyphs_are_alternatives: bool = False
    is_attached: bool = False
    is_in_vscore: bool = False
    is_offturn: bool = False
    events: tuple[Event, ...] = ()
    until: Event | None = None
    once_per_turn: bool = False
    users: str = ""
    letters: tuple[str, ...] = ()  # of ON_GLYPH; or any, new, duplicate
    value: Value | None = None  # of withdraw


# --- words (EFFECTS.md §3, §4, §5, §8) -----------------------------------------------------------

OWN_TRIGGERS = {
    "ON_PLAY",
    "ON_ASSIGN",
    "ON_SUCCESS",
    "ON_FAIL",
    "ON_SUCCESS_OR_FAIL",
    "ON_VICTORY",
    "ON_REVIVE",
    "ON_SCORE",
    "ON_DESTROYED",
}
TIMES = {"POWER_START", "POWER_END", "DEBRIEF_START", "END_MISSION", "END_TURN", "CONTINUE"}
PLAYERS = {"H", "V", "owner", "any", "actor"}
ZONES = {"hand", "deck", "discard", "missions", "missions_bottom", "vscore"}
FLAGS = {
    "random",
    "faceup",
    "facedown",
    "no_text",
    "no_assign",
    "no_revive",
    "no_score",
    "ignore_unique",
    "on_different_chars",
}
COUNT_FUNCTIONS = {
    "glyph",
    "glyph_kinds",
    "glyph_kinds_shared",
    "trait_kinds",
    "trait_kinds_shared",
}
COUNTERS = {"success_turn", "fail_turn", "played_turn", "blockaded"}
VALUE_FUNCTIONS = {
    "cost",
    "xp",
    "firepower",
    "highest_skill",
    "contributed_skill",
    "power_left",
    "max_glyph",
    "div",
    "CUL",
    "SCI",
    "COM",
    "ING",
}
# What stands in the brackets of a verb, in order.
CARDS = ("targets", "quantity?")
PILE = ("zone", "targets", "quantity")
CHANGE = ("targets", "quantity?", "amount")
CARD_VERBS = (
    *("STOP", "READY", "INCAP", "BLOCK", "UNBLOCK", "FACEDOWN", "DESTROY", "RETURN", "PUT"),
    *("PLAY", "TUCK", "ATTACH", "DETACH", "DISCARD", "MILL", "LOOK", "REVEAL", "ADD_GLYPH"),
    *("SWAP_GLYPHS", "SWAP_GLYPH_TOP", "BLOCKADE", "PROMOTE", "GAIN_TRAITS", "GAIN_SKILLS"),
    *("REVIVE_NOW", "PAY_REVIVE", "NO_REVIVE", "SCORE", "GRANT", "STRIP_FAIL", "FAIL_OPTIONAL"),
    *("FAIL_TAX", "ASSIGN_TAX", "ALLOW_BOOST", "MARK", "PICK"),
)
NUMBER_VERBS = (
    *("SKILLS", "CUL", "SCI", "COM", "ING", "DIFF", "COST", "REVIVE", "FIREPOWER", "XP"),
    *("POINT_VALUE", "REPEAT_FAIL", "REPEAT_SUCCESS"),
)
SIGNATURES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(CARD_VERBS, CARDS),
    **dict.fromkeys(NUMBER_VERBS, CHANGE),
    **dict.fromkeys(["SEARCH", "RECOVER", "RESHUFFLE"], PILE),
    "PAY": ("quantity",),
    "POWER": ("player", "amount"),
    "FIREPOWER_TOTAL": ("player", "amount"),
    "DRAW": ("player", "value"),
    "REFILL": ("player",),
    "FIRST_PRIORITY": ("player",),
    "FORCE_CONTINUE": ("player",),
    "SKIP_TURN": ("player",),
    "SEARCH_MISSION": ("value",),
    "SCRY": ("zone", "value"),
    "SHUFFLE": ("zone",),
    "MOVE_GLYPH": ("quantity",),
    "LOSE_GLYPH": ("glyphs",),
    "PICK_GLYPH": ("quantity",),
    "PICK_KIND": (),
    "SET_SKILL": ("targets", "word"),
    "BECOMES": ("targets", "word"),
    "COUNTS_AS": ("targets", "word", "value"),
    "FORBID": ("event",),
    "DELAY": ("moment",),
    "WATCH": ("event",),
}
CLAUSE_BODIES = {"GRANT"}
COST_BODIES = {"ASSIGN_TAX", "FAIL_TAX"}
TARGET_FILTERS = {
    "glyph_held_by",
    "shares_glyph_with",
    "shares_trait_with",
    "lacks_trait_of",
    "same_title",
}
WORD_FILTERS = {"owner", "title", "has_glyph"}
TARGET_OPTIONS = {"from", "with"}
VALUE_OPTIONS = {"cost", "revive", "max_total_cost", "xp"}

WORD = re.compile(r"[A-Za-z_][A-Za-z_']*")
NUMBER = re.compile(r"\d+")
RELATION = re.compile(r"<=|>=|=|<|>")

Item = TypeVar("Item")


# --- the parser ----------------------------------------------------------------------------------


@cache
def parse_text(text: str) -> tuple[Clause, ...]:
    """All clauses of a cell; NONE has none. Raises ValueError for what is not in the language."""
    if text == "NONE":
        return ()
    parser = Parser(text)
    clauses = parser.separated(" ; ", parser.clause)
    if parser.at != len(text):
        raise parser.error("end of text")
    return tuple(clauses)


class Parser:
    """Reads a text from left to right; every method reads what it is named after."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def error(self, wanted: str) -> ValueError:
        return ValueError(f"{wanted} wanted at {self.at}: {self.text[self.at :]!r} of {self.text}")

    def sees(self, token: str) -> bool:
        return self.text.startswith(token, self.at)

    def takes(self, token: str) -> bool:
        if not self.sees(token):
            return False
        self.at += len(token)
        return True

    def need(self, token: str) -> None:
        if not self.takes(token):
            raise self.error(repr(token))

    def pattern(self, pattern: re.Pattern[str], wanted: str) -> str:
        found = pattern.match(self.text, self.at)
        if found is None:
            raise self.error(wanted)
        self.at = found.end()
        return found.group()

    def word(self) -> str:
        return self.pattern(WORD, "a word")

    def peek_word(self) -> str:
        found = WORD.match(self.text, self.at)
        return found.group() if found else ""

    def separated(self, separator: str, item: Callable[[], Item]) -> list[Item]:
        items = [item()]
        while self.takes(separator):
            items.append(item())
        return items

    # --- clauses

    def clause(self) -> Clause:
        gates: dict[str, object] = {}
        while True:
            if self.takes("GL("):
                gates |= self.glyph_gate()
            elif self.takes("ATTACHED "):
                gates["is_attached"] = True
            elif self.takes("IN_VSCORE "):
                gates["is_in_vscore"] = True
            elif self.takes("OFFTURN "):
                gates["is_offturn"] = True
            else:
                return Clause(**(gates | self.head()))  # type: ignore[arg-type]

    def glyph_gate(self) -> dict[str, object]:
        letters = [self.word()]
        are_alternatives = self.sees("|")
        while self.takes("|" if are_alternatives else "&"):
            letters.append(self.word())
        self.need(") ")
        return {"glyphs": tuple(letters), "glyphs_are_alternatives": are_alternatives}

    def head(self) -> dict[str, object]:
        word = self.word()
        if word in ("PLAY_COST", "ASSIGN_COST"):
            cost = self.bracketed_cost()
            return {"head": word, "cost": cost, "condition": self.head_condition()}
        if word == "PLAY_IF":
            self.need("(")
            condition = self.condition()
            self.need(")")
            return {"head": word, "condition": condition}
        if word == "KW":
            return self.keyword()
        if word == "ACT":
            return self.activated()
        return self.triggered_or_static(word)

    def keyword(self) -> dict[str, object]:
        if self.takes("(dominion)"):
            return {"head": "dominion"}
        self.need("(withdraw=")
        value = self.value()
        self.need(")")
        return {"head": "withdraw", "value": value}

    def activated(self) -> dict[str, object]:
        once_per_turn = self.takes("/TURN")
        users = ""
        if self.takes("(by="):
            users = self.word()
            self.need(")")
        cost = self.bracketed_cost()
        condition = self.head_condition()
        self.need(" -> ")
        return {
            "head": "ACT",
            "once_per_turn": once_per_turn,
            "users": users,
            "cost": cost,
            "condition": condition,
            "effect": self.effect(),
        }

    def triggered_or_static(self, word: str) -> dict[str, object]:
        found: dict[str, object] = {"head": word}
        if word == "ON_GLYPH":
            self.need("(")
            found["letters"] = tuple(self.separated("|", self.word))
            self.need(")")
        elif word in ("ON", "REPLACE"):
            self.need("(")
            found["events"] = tuple(self.separated("|", self.event))
            self.need(")")
        elif word != "STATIC" and word not in OWN_TRIGGERS and word not in TIMES:
            raise self.error(f"a head instead of {word}")
        found["condition"] = self.head_condition()
        if word == "STATIC" and self.takes(" UNTIL("):
            found["until"] = self.event()
            self.need(")")
        self.need(": ")
        found["effect"] = self.effect()
        return found

    def head_condition(self) -> Condition | None:
        if not self.takes(" IF("):
            return None
        condition = self.condition()
        self.need(")")
        return condition

    def bracketed_cost(self) -> tuple[Unit, ...]:
        self.need("[")
        units = self.units()
        self.need("]")
        return units

    # --- effects

    def effect(self) -> Effect:
        return tuple(self.separated(" & ", self.step))

    def step(self) -> Step:
        """A step with its ELSE; the ELSE after an arrow belongs to the MAY."""
        return self.step_with_else() if not self._in_arrow else self.plain_step()

    _in_arrow = False

    def step_with_else(self) -> Step:
        step = self.plain_step()
        if not self.takes(" ELSE "):
            return step
        otherwise = self.step()
        return Step(step.units, step.condition, step.is_may, step.by, step.arrow, otherwise)

    def plain_step(self) -> Step:
        condition = None
        if self.takes("IF("):
            condition = self.condition()
            self.need(") ")
        if not self.sees("MAY"):
            return Step((self.unit(),), condition)
        self.need("MAY")
        by = ""
        if self.takes("(by="):
            by = self.word()
            self.need(")")
        self.need(" ")
        units = self.units()
        arrow = self.arrow() if self.takes(" -> ") else None
        return Step(units, condition, is_may=True, by=by, arrow=arrow)

    def arrow(self) -> Effect:
        outer, self._in_arrow = self._in_arrow, True
        effect = self.effect()
        self._in_arrow = outer
        return effect

    def units(self) -> tuple[Unit, ...]:
        return tuple(self.separated("+", self.unit))

    def unit(self) -> Unit:
        if self.takes("CHOOSE{"):
            return Choose(tuple(self.enclosed(lambda: self.separated(" / ", self.effect))))
        if self.takes("{"):
            return Group(self.enclosed(self.effect))
        return self.action()

    def enclosed(self, item: Callable[[], Item]) -> Item:
        """What stands in braces; inside, an arrow that was open outside does not matter."""
        outer, self._in_arrow = self._in_arrow, False
        found = item()
        self._in_arrow = outer
        self.need("}")
        return found

    def action(self) -> Action:
        verb = self.word()
        if verb not in SIGNATURES:
            raise self.error(f"a verb instead of {verb}")
        self.need("(")
        found: dict[str, object] = {"verb": verb, "options": {}}
        for number, argument in enumerate(SIGNATURES[verb]):
            if argument == "quantity?" and not self.sees_quantity():
                continue
            if number:
                self.need(",")
            self.argument(argument, found)
        self.options(found["options"])  # type: ignore[arg-type]
        self.need(")")
        if self.takes("{"):
            found["body"] = self.body(verb)
        return Action(**found)  # type: ignore[arg-type]

    def argument(self, argument: str, found: dict[str, object]) -> None:
        if argument == "targets":
            found["targets"] = self.targets()
        elif argument in ("quantity", "quantity?"):
            found["quantity"] = self.quantity()
        elif argument == "glyphs" and self.peek_word() == "that":
            found["targets"] = self.targets()
        elif argument == "glyphs":
            found["quantity"] = self.quantity()
        elif argument == "zone":
            found["zone"] = self.target()
        elif argument in ("player", "word"):
            found[argument] = self.word()
        elif argument == "value":
            found["value"] = self.value()
        elif argument == "amount":
            found["sign"] = self.sign()
            found["value"] = self.product()
        elif argument == "event":
            found["event"] = self.event()
        else:
            found["moment"] = self.moment()

    def sees_quantity(self) -> bool:
        """Whether a comma and a quantity follow: neither an amount nor an option."""
        if not self.sees(",") or self.text[self.at + 1] in "+-=":
            return False
        if self.text[self.at + 1] == "#" or self.text[self.at + 1].isdigit():
            return True
        found = WORD.match(self.text, self.at + 1)
        word = found.group() if found else ""
        after = self.text[self.at + 1 + len(word)]
        return word not in FLAGS and after != "="

    def options(self, found: dict[str, object]) -> None:
        while self.takes(","):
            name = self.word()
            if name in FLAGS:
                found[name] = True
                continue
            self.need("=")
            if name in TARGET_OPTIONS or (
                name == "to" and self.peek_word() in ("that", "char", "team")
            ):
                found[name] = self.targets()
            elif name == "cost" and self.peek_word() == "normal":
                found[name] = self.word()
            elif name in VALUE_OPTIONS:
                found[name] = self.value()
            elif name == "kind":
                found[name] = tuple(self.separated("|", self.word))
            else:
                found[name] = self.word()

    def body(self, verb: str) -> object:
        if verb in CLAUSE_BODIES:
            return self.enclosed(self.clause)
        if verb in COST_BODIES:
            return self.enclosed(self.units)
        return self.enclosed(self.effect)

    # --- cards

    def targets(self) -> Targets:
        return tuple(self.separated("|", self.target))

    def target(self) -> Target:
        base, player = self.word(), ""
        if base in PLAYERS and self.takes("."):
            player, base = base, self.word()
            if base not in ZONES:
                raise self.error(f"a zone instead of {base}")
        filters: tuple[tuple[Filter, ...], ...] = ()
        if self.takes("["):
            filters = tuple(self.separated(",", self.alternatives))
            self.need("]")
        return Target(base, player, filters, self.takes("@mission"))

    def alternatives(self) -> tuple[Filter, ...]:
        return tuple(self.separated("|", self.filter))

    def filter(self) -> Filter:
        is_negated = self.takes("!")
        name = self.word()
        found = RELATION.match(self.text, self.at)
        if found is None:
            return Filter(name, is_negated)
        self.at = found.end()
        return Filter(name, is_negated, found.group(), self.filter_value(name))

    def filter_value(self, name: str) -> object:
        if name in TARGET_FILTERS:
            return self.target()
        if name == "title":
            self.need('"')
            end = self.text.index('"', self.at)
            title, self.at = self.text[self.at : end], end + 1
            return title
        if name in WORD_FILTERS:
            return self.word()
        return self.value()

    # --- numbers

    def quantity(self) -> Quantity:
        names_n = self.takes("n:")
        word = self.peek_word()
        if word in ("all", "any"):
            return Quantity(self.word(), None, names_n)
        if word == "up_to":
            self.need("up_to(")
            value = self.value()
            self.need(")")
            return Quantity("up_to", value, names_n)
        return Quantity("count", self.value(), names_n)

    def sign(self) -> str:
        if self.text[self.at] not in "+-=":
            raise self.error("a sign")
        self.at += 1
        return self.text[self.at - 1]

    def value(self) -> Value:
        value = self.product()
        while True:
            if self.text[self.at : self.at + 1] == "+":
                self.at += 1
                value = Value("sum", (value, self.product()))
            elif self.text[self.at : self.at + 1] == "-" and not self.sees("->"):
                self.at += 1
                value = Value("difference", (value, self.product()))
            else:
                return value

    def product(self) -> Value:
        value = self.factor()
        while self.takes("*"):
            value = Value("product", (value, self.factor()))
        return value

    def factor(self) -> Value:
        if self.takes("("):
            value = self.value()
            self.need(")")
            return value
        if self.takes("#"):
            return self.count()
        if found := NUMBER.match(self.text, self.at):
            self.at = found.end()
            return Value("number", (int(found.group()),))
        word = self.word()
        if word == "n":
            return Value("n")
        self.need("(")
        if word == "if":
            condition = self.condition()
            self.need(",")
            value = Value("if", (condition, self.value(), self.after_comma(self.value)))
        else:
            value = Value("call", (word, *self.call_arguments(word)))
        self.need(")")
        return value

    def after_comma(self, item: Callable[[], Item]) -> Item:
        self.need(",")
        return item()

    def call_arguments(self, word: str) -> tuple:
        if word not in VALUE_FUNCTIONS:
            raise self.error(f"a function instead of {word}")
        if word == "power_left":
            return (self.word(),)
        if word == "div":
            return (self.value(), self.after_comma(self.value))
        return (self.targets(),)

    def count(self) -> Value:
        word = self.peek_word()
        if word in COUNTERS:
            self.word()
            filters: tuple[tuple[Filter, ...], ...] = ()
            if self.takes("["):
                filters = tuple(self.separated(",", self.alternatives))
                self.need("]")
            return Value("counter", (word, filters))
        if word in COUNT_FUNCTIONS:
            self.word()
            self.need("(")
            arguments: list[object] = [self.targets()]
            if self.takes(","):
                arguments.append(self.word() if word == "glyph" else self.targets())
            self.need(")")
            return Value("call", (word, *arguments))
        return Value("count", (self.target(),))

    # --- conditions and events

    def condition(self) -> Condition:
        return tuple(self.separated(" & ", self.term))

    def term(self) -> Term:
        is_negated = self.takes("not ")
        if self.takes("mark_made"):
            return Term("mark_made", is_negated)
        if self.peek_word() in VALUE_FUNCTIONS or not self.peek_word():
            left = self.value()
            relation = self.pattern(RELATION, "a relation")
            return Term("compare", is_negated, (left, relation, self.value()))
        return Term("cards", is_negated, (self.targets(),))

    def event(self) -> Event:
        name = self.word()
        self.need("(")
        arguments: list[object] = []
        by = None
        while True:
            if self.takes("by="):
                by = self.targets()
            elif self.peek_word() in PLAYERS and self.text[self.at + len(self.peek_word())] in ",)":
                arguments.append(self.word())
            else:
                arguments.append(self.targets())
            if not self.takes(","):
                break
        self.need(")")
        return Event(name, tuple(arguments), by)

    def moment(self) -> Moment:
        is_offturn = self.takes("OFFTURN ")
        if self.peek_word() in TIMES:
            return Moment(self.word(), is_offturn)
        return Moment(event=self.event())
