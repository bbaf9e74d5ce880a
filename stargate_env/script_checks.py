"""What a well-spelt effect must obey besides: references need something earlier to refer to."""

from dataclasses import fields, is_dataclass
from typing import Any, Final

from . import vocabulary as words
from .script import (
    Action,
    Cards,
    Clause,
    Event,
    Filter,
    May,
    Quantity,
    Selector,
    SyntaxFault,
    Term,
    Variable,
    nodes_of,
)

# Words that one verb anywhere on the card makes known to all of its clauses.
_MADE_BY: Final = {"marked": "MARK", "mark_made": "MARK", "host": "ATTACH", "tucked": "TUCK"}
_MUST_BE_KNOWN: Final = (
    "that",
    "trigger",
    "marked",
    "seen",
    "rest",
    "each",
    "granter",
    "both",
    "holder",
    "host",
    "tucked",
)


def check_references(clauses: tuple[Clause, ...]) -> None:
    """Raise SyntaxFault at a reference that can refer to nothing.

    Steps are read in the order in which they are carried out: costs, then the effect. ON_PLAY
    goes on where the PLAY_COST of the same card stopped.
    """
    verbs = {node.verb for node in nodes_of(clauses) if isinstance(node, Action)}
    card_wide = {name for name, verb in _MADE_BY.items() if verb in verbs}
    after_cost: set[str] = set()
    for clause in clauses:
        check = _ClauseCheck(card_wide)
        check.clause(clause, after_cost if clause.head == "ON_PLAY" else set())
        if clause.head == "PLAY_COST":
            after_cost = check.known


class _ClauseCheck:
    """Walks one clause and keeps what is known so far."""

    def __init__(self, card_wide: set[str]) -> None:
        self._card_wide = card_wide
        self.known: set[str] = set()

    def clause(self, clause: Clause, known: set[str]) -> None:
        self.known = set(known)
        if clause.head in ("ON", "REPLACE"):
            self.known.add("trigger")
            if any("any" in event.arguments for event in clause.argument):
                self.known.add("actor")
        if clause.head == "ON_GLYPH":
            self.known.add("earned")
        for part in (clause.argument, clause.until, clause.cost, clause.condition, clause.effect):
            self._visit(part)

    def _need(self, name: str) -> None:
        if name not in self.known and name not in self._card_wide:
            raise SyntaxFault(name, f"nothing for {name!r} to refer to")

    def _visit(self, node: Any) -> None:
        if isinstance(node, tuple):
            for item in node:
                self._visit(item)
        elif isinstance(node, dict):
            self._visit(tuple(node.values()))
        elif isinstance(node, Action):
            self._action(node)
        elif isinstance(node, Clause):  # a granted clause starts afresh
            outer = self.known
            self.clause(node, {"granter"})
            self.known = outer
        elif isinstance(node, str):
            self._word(node)
        elif is_dataclass(node):
            self._words_of(node)
            for entry in fields(node):
                self._visit(getattr(node, entry.name))

    def _word(self, word: str) -> None:
        if word == "actor":
            self._need(word)

    def _words_of(self, node: Any) -> None:
        if isinstance(node, Selector) and node.base in _MUST_BE_KNOWN:
            self._need(node.base)
        elif isinstance(node, Filter):
            if node.name in ("that", "trigger", "marked", "each"):
                self._need(node.name)
            if node.value in ("earned", "chosen"):
                self._need(node.value)
        elif isinstance(node, Variable):
            self._need("n")
        elif isinstance(node, Term) and node.left == "mark_made":
            self._need("mark_made")

    def _action(self, action: Action) -> None:
        before = self.known
        if words.VERBS[action.verb].kinds[:1] == ("cards",):
            self.known = self.known | {"each"}
        self._visit(action.arguments)
        self._visit(action.options)
        if action.verb in ("WATCH", "DELAY") and isinstance(action.arguments[0], Event):
            self.known = self.known | {"trigger"}
        self._visit(action.block)
        self.known = before | self._made_known(action)

    def _made_known(self, action: Action) -> set[str]:
        first = action.arguments[0] if action.arguments else None
        known: set[str] = set()
        if action.verb in ("LOOK", "REVEAL"):
            known = {"seen", "rest"}
        elif isinstance(first, Cards) and first.quantity:
            known = {"that"}
        elif action.verb in ("MILL", "PICK_GLYPH", "LOSE_GLYPH"):
            known = {"that", "holder"}
        elif action.verb == "MOVE_GLYPH":
            known = {"that", "both"}
        elif action.verb == "PICK_KIND":
            known = {"chosen"}
        quantities = (node for node in nodes_of(action.arguments) if isinstance(node, Quantity))
        if any(quantity.names_n for quantity in quantities):
            known.add("n")
        return known


def check_choosers(clauses: tuple[Clause, ...], side: str) -> None:
    """`by=` must not name the player who chooses anyway: H on hero cards, V on villain cards."""
    default = "H" if side == "hero" else "V"
    actions = [node for node in nodes_of(clauses) if isinstance(node, Action)]
    granted = {
        id(node) for action in actions if action.verb == "GRANT" for node in nodes_of(action.block)
    }
    for node in nodes_of(clauses):
        if id(node) not in granted and _named_chooser(node) == default:
            raise SyntaxFault(
                f"by={default}", f"by={default} is what a {side} card means without it"
            )


def _named_chooser(node: Any) -> str | None:
    if isinstance(node, May):
        return node.player
    if isinstance(node, Action) and node.verb != "DISCARD":
        named = node.options.get("by")
        return None if named is None else str(named)
    return None
