"""The one spelling that every effect has: from the syntax tree back to text."""

from collections.abc import Callable
from typing import Any, Final

from . import vocabulary as words
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
    SyntaxFault,
    Term,
    Value,
    Variable,
)


def effect_to_text(clauses: tuple[Clause, ...]) -> str:
    """The effect text of a tree."""
    return " ; ".join(_clause(clause) for clause in clauses) or "NONE"


def check_spelling(text: str, clauses: tuple[Clause, ...]) -> None:
    """Raise SyntaxFault where `text` differs from the spelling of its tree."""
    canonical = effect_to_text(clauses)
    if canonical != text:
        pairs = enumerate(zip(text, canonical, strict=False))
        shorter = min(len(text), len(canonical))
        position = next((index for index, (a, b) in pairs if a != b), shorter)
        raise SyntaxFault(position, f"not in canonical form, which is: {canonical}")


def _write(node: Any) -> str:
    if isinstance(node, (str, int)):
        return str(node)
    if isinstance(node, tuple):  # selectors or glyph letters
        return "|".join(_write(item) for item in node)
    return _WRITERS[type(node)](node)


def _clause(clause: Clause) -> str:
    parts = [_gate(gate) for gate in clause.gates]
    parts.append(_head(clause))
    if clause.condition:
        parts.append(f"IF({_write(clause.condition)})")
    if clause.until:
        parts.append(f"UNTIL({_write(clause.until)})")
    text = " ".join(parts)
    if clause.effect is None:
        return text
    return text + (": " if clause.cost is None else " -> ") + _write(clause.effect)


def _gate(gate: GlyphGate | str) -> str:
    return gate if isinstance(gate, str) else f"GL({gate.joiner.join(gate.letters)})"


def _head(clause: Clause) -> str:
    head = clause.head
    if head == "KW":
        name, value = clause.argument
        return f"KW({name}={_write(value)})" if value else f"KW({name})"
    if clause.argument is not None:
        head += f"({_write(clause.argument)})"
    if clause.user:
        head += f"(by={clause.user})"
    if clause.cost is not None:
        head += "[" + "+".join(_write(part) for part in clause.cost) + "]"
    return head


def _step(step: Step) -> str:
    text = f"IF({_write(step.condition)}) " if step.condition else ""
    text += _write(step.body)
    return text + (f" ELSE {_write(step.otherwise)}" if step.otherwise else "")


def _may(may: May) -> str:
    text = f"MAY(by={may.player}) " if may.player else "MAY "
    text += "+".join(_write(part) for part in may.parts)
    return text + (f" -> {_write(may.then)}" if may.then else "")


def _action(action: Action) -> str:
    parts = [_write(argument) for argument in action.arguments]
    options = sorted(action.options.items(), key=lambda item: words.OPTION_ORDER.index(item[0]))
    parts += [name if value is True else f"{name}={_write(value)}" for name, value in options]
    text = f"{action.verb}({','.join(parts)})"
    if action.block is None:
        return text
    if isinstance(action.block, tuple):
        return text + "{" + "+".join(_write(part) for part in action.block) + "}"
    return text + "{" + _write(action.block) + "}"


def _cards(cards: Cards) -> str:
    return _write(cards.alternatives) + (f",{_write(cards.quantity)}" if cards.quantity else "")


_RANK_STATE: Final = 4
_RANK_OTHER: Final = 7


def _filter_rank(item: Filter) -> int:
    """What the card is, its side, its ratings, its state, its numbers, relations, exceptions."""
    ranks = (
        words.TRAITS,
        words.TYPE_WORDS,
        {"hero", "villain", "owner", "title"},
        words.SKILL_WORDS,
        words.STATE_FILTERS,
        words.NUMBER_FILTERS,
        words.CARD_FILTERS | {"has_glyph"},
    )
    if item.name in words.REFERENCES or item.name == "other":
        return _RANK_OTHER
    return next(rank for rank, names in enumerate(ranks) if item.name in names)


def _filters(groups: tuple[tuple[Filter, ...], ...]) -> str:
    if not groups:
        return ""
    ordered = sorted(groups, key=lambda group: _filter_rank(group[0]))
    return "[" + ",".join("|".join(_write(item) for item in group) for group in ordered) + "]"


def _filter(item: Filter) -> str:
    sign = "!" if item.negated else ""
    return sign + item.name + (item.relation + _write(item.value) if item.relation else "")


def _quantity(quantity: Quantity) -> str:
    if quantity.kind == "exact":
        text = _write(quantity.value)
    elif quantity.kind == "up_to":
        text = f"up_to({_write(quantity.value)})"
    else:
        text = quantity.kind
    return ("n:" if quantity.names_n else "") + text


def _term(term: Term) -> str:
    if term.relation:
        return _write(term.left) + term.relation + _write(term.right)
    return ("not " if term.negated else "") + _write(term.left)


def _operand(value: Value, parent: str) -> str:
    text = _write(value)
    if not isinstance(value, Binary) or (value.operator == "*") != (parent == "*"):
        needs = isinstance(value, Binary) and value.operator != "*"
        return f"({text})" if needs else text
    return text if parent == "*" else f"({text})"


def _binary(value: Binary) -> str:
    left = _write(value.left) if value.operator in "+-" else _operand(value.left, "*")
    return left + value.operator + _operand(value.right, value.operator)


def _event(event: Event) -> str:
    parts = [_write(argument) for argument in event.arguments]
    if event.by is not None:
        parts.append(f"by={_write(event.by)}")
    return f"{event.name}({','.join(parts)})"


_WRITERS: Final[dict[type, Callable[[Any], str]]] = {
    Clause: _clause,
    Effect: lambda node: " & ".join(_step(step) for step in node.steps),
    Step: _step,
    May: _may,
    Choose: lambda node: "CHOOSE{" + " / ".join(_write(option) for option in node.options) + "}",
    Block: lambda node: "{" + _write(node.effect) + "}",
    Action: _action,
    Cards: _cards,
    Selector: lambda node: (
        node.base + _filters(node.filters) + ("@mission" if node.at_mission else "")
    ),
    Filter: _filter,
    Quantity: _quantity,
    Amount: lambda node: node.sign + _operand(node.value, "+"),
    Event: _event,
    Condition: lambda node: " & ".join(_term(term) for term in node.terms),
    Number: lambda node: str(node.value),
    Variable: lambda node: str(node.name),
    Binary: _binary,
    Call: lambda node: f"{node.name}({','.join(_write(part) for part in node.arguments)})",
    Count: lambda node: "#" + _write(node.selector),
    Counter: lambda node: "#" + node.name + _filters(node.filters),
}
