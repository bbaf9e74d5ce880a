"""Mutants of Python functions: the same function with one small change.

The operators, of which each makes one change:

- comparison: the opposite one (`==` and `!=`, `<` and `>=`, `>` and `<=`, `in` and `not in`)
- boundary: with or without equality (`<` and `<=`, `>` and `>=`)
- arithmetic: another sign or operation (`+` and `-`, `*` and `+`, `//` and `*`, `%` and `//`)
- bits: `&` and `|`, `^` and `|`, `<<` and `>>`, a `~` removed
- constant: a number one higher, and one lower if it is above 0; a named number one higher; `True`
  and `False`
- condition: what `if` and `while` ask negated, a `not` removed
- logic: `and` and `or`
- choice: `min` and `max`
- range: without its last round
- statement: a call, an assignment, a bare `return`, a `break` or a `continue` deleted

Nothing outside of functions is changed, but each use of a named number is. Left out is what cannot
be noticed or could not be compiled: annotations, docstrings, the first assignment to a variable,
a `return` of a value.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import CodeType, ModuleType
from typing import Any, Final, NamedTuple

import numpy as np

OPERATORS: Final = (
    *("comparison", "boundary", "arithmetic", "bits", "constant"),
    *("condition", "logic", "choice", "range", "statement"),
)
OPPOSITE: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
SHIFTED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
ARITHMETIC: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
}
BITS: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
EXTREMES: Final = {"min": "max", "max": "min"}
NO_CODE: Final = ("annotation", "returns", "decorator_list", "type_comment")
SEEN: Final = "__seen__"  # what a marked function calls in front of each statement

# An operator, and a node in the place of another one.
Edit = tuple[str, ast.AST]


@dataclass(frozen=True)
class Mutant:
    """A function with one change."""

    function: str
    line: int
    """Of the statement that is changed."""
    operator: str
    change: str
    """`a < b -> a <= b`, with a number behind it if the function has several such places."""
    code: CodeType
    """What the function runs instead."""


class Slot(NamedTuple):
    """Where a node stands."""

    parent: ast.AST
    field: str
    place: int | None
    """In the list of the field, or None if that is one node."""
    statement: ast.stmt
    """The innermost statement around the node, or the node itself."""

    def put(self, node: ast.AST) -> None:
        if self.place is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.place] = node


def mutants_of(source: str, namespace: Mapping[str, Any]) -> list[Mutant]:
    """Every mutant of every function of a module; `namespace` has the module's named numbers."""
    mutants: list[Mutant] = []
    for function in functions_of(source):
        counted: Counter[str] = Counter()
        for mutant in _mutants(function, namespace):
            counted[mutant.change] += 1
            if counted[mutant.change] > 1:
                change = f"{mutant.change} #{counted[mutant.change]}"
                mutant = Mutant(mutant.function, mutant.line, mutant.operator, change, mutant.code)
            mutants.append(mutant)
    return mutants


def functions_of(source: str) -> list[ast.FunctionDef]:
    """The functions at the top of a module."""
    return [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]


def code_of(function: ast.FunctionDef) -> CodeType:
    """What a function of this text runs."""
    bare = copy.copy(function)
    bare.decorator_list = []
    module = ast.fix_missing_locations(ast.Module([bare], []))
    constants = compile(module, "mutant", "exec", dont_inherit=True).co_consts
    return next(
        code for code in constants if isinstance(code, CodeType) and code.co_name == function.name
    )


def emptied(function: ast.FunctionDef) -> CodeType:
    """What a function runs that does nothing."""
    empty = copy.copy(function)
    empty.body = [ast.Pass()]
    return code_of(empty)


def marked(function: ast.FunctionDef, module: str) -> CodeType:
    """What a function runs that calls `__seen__((module, line))` in front of each statement."""
    return code_of(_Marker(module).visit(copy.deepcopy(function)))


class _Marker(ast.NodeTransformer):
    """Puts a call in front of each statement."""

    def __init__(self, module: str) -> None:
        self.module = module

    def visit(self, node: ast.AST) -> ast.AST:
        self.generic_visit(node)
        for field in ("body", "orelse"):
            body = getattr(node, field, None)
            if isinstance(body, list):
                pairs = [(self.mark(statement.lineno), statement) for statement in body]
                setattr(node, field, [statement for pair in pairs for statement in pair])
        return node

    def mark(self, line: int) -> ast.stmt:
        place = ast.Constant((self.module, line))
        return ast.Expr(ast.Call(ast.Name(SEEN, ast.Load()), [place], []))


# --- changes ---------------------------------------------------------------------------------


def _mutants(function: ast.FunctionDef, namespace: Mapping[str, Any]) -> Iterator[Mutant]:
    for slot, node in _slots(function, function):
        for operator, changed in _edits(slot, node, function, namespace):
            shown = _shown(slot, node)
            before = _text(shown)
            slot.put(changed)
            after = _text(changed if shown is node else shown)
            code = code_of(function)
            slot.put(node)
            change = f"{before} -> {after}"
            yield Mutant(function.name, slot.statement.lineno, operator, change, code)


def _slots(node: ast.AST, statement: ast.stmt) -> Iterator[tuple[Slot, ast.AST]]:
    """Every node below one, with its place."""
    for field, value in ast.iter_fields(node):
        if field in NO_CODE or isinstance(node, ast.FunctionDef) and field != "body":
            continue
        children = enumerate(value) if isinstance(value, list) else [(None, value)]
        for place, child in children:
            if isinstance(child, ast.AST):
                inner = child if isinstance(child, ast.stmt) else statement
                yield Slot(node, field, place, inner), child
                yield from _slots(child, inner)


def _shown(slot: Slot, node: ast.AST) -> ast.AST:
    """What is told of a change: numbers with what is around them."""
    if not isinstance(node, ast.Constant | ast.Name | ast.Attribute):
        return node
    return slot.parent if isinstance(slot.parent, ast.expr) else slot.statement


def _text(node: ast.AST) -> str:
    """A node in one line: of an `if` or a loop only its head."""
    if isinstance(node, ast.Pass):
        return "deleted"
    text = ast.unparse(node)
    return text.partition(":\n")[0]


def _edits(
    slot: Slot, node: ast.AST, function: ast.FunctionDef, namespace: Mapping[str, Any]
) -> Iterator[Edit]:
    """What can be put in the place of a node."""
    yield from _edits_of_operators(node)
    yield from _edits_of_numbers(node, namespace)
    yield from _edits_of_calls(node)
    if slot.field == "test" and not isinstance(node, ast.Compare | ast.UnaryOp):
        yield "condition", ast.UnaryOp(ast.Not(), node)  # type: ignore[arg-type]
    if isinstance(node, ast.stmt) and _is_deletable(node, function):
        yield "statement", ast.Pass()


def _edits_of_operators(node: ast.AST) -> Iterator[Edit]:
    match node:
        case ast.Compare(left, [operator], right):
            for name, others in (("comparison", OPPOSITE), ("boundary", SHIFTED)):
                if type(operator) in others:
                    yield name, ast.Compare(left, [others[type(operator)]()], right)
        case ast.BinOp(left, operator, right):
            for name, other in _other(operator):
                yield name, ast.BinOp(left, other, right)
        case ast.AugAssign(target, operator, value):
            for name, other in _other(operator):
                yield name, ast.AugAssign(target, other, value, lineno=node.lineno)
        case ast.UnaryOp(ast.Invert(), operand):
            yield "bits", operand
        case ast.UnaryOp(ast.USub(), operand):
            yield "arithmetic", operand
        case ast.UnaryOp(ast.Not(), operand):
            yield "condition", operand
        case ast.BoolOp(operator, values):
            other_logic = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield "logic", ast.BoolOp(other_logic, values)


def _other(operator: ast.operator) -> Iterator[tuple[str, ast.operator]]:
    for name, others in (("arithmetic", ARITHMETIC), ("bits", BITS)):
        if type(operator) in others:
            yield name, others[type(operator)]()


def _edits_of_numbers(node: ast.AST, namespace: Mapping[str, Any]) -> Iterator[Edit]:
    match node:
        case ast.Constant(bool(value)):
            yield "constant", ast.Constant(not value)
        case ast.Constant(int(value)):
            yield "constant", ast.Constant(value + 1)
            if value > 0:
                yield "constant", ast.Constant(value - 1)
        case ast.Name() | ast.Attribute() if _is_number(node, namespace):
            yield "constant", ast.BinOp(node, ast.Add(), ast.Constant(1))


def _is_number(node: ast.AST, namespace: Mapping[str, Any]) -> bool:
    """Whether a node is the name of an integer of the module or of one that it has imported."""
    value: Any = None
    match node:
        case ast.Name(name, ast.Load()) if name.isupper():
            value = namespace.get(name)
        case ast.Attribute(ast.Name(module), name, ast.Load()) if name.isupper():
            owner = namespace.get(module)
            value = getattr(owner, name, None) if isinstance(owner, ModuleType) else None
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _edits_of_calls(node: ast.AST) -> Iterator[Edit]:
    match node:
        case ast.Call(ast.Name(name), arguments, keywords) if name in EXTREMES:
            yield "choice", ast.Call(ast.Name(EXTREMES[name], ast.Load()), arguments, keywords)
        case ast.Call(ast.Name("range") as name, [*first, end], []) if len(first) <= 1:
            shorter = ast.BinOp(end, ast.Sub(), ast.Constant(1))
            yield "range", ast.Call(name, [*first, shorter], [])


def _is_deletable(statement: ast.stmt, function: ast.FunctionDef) -> bool:
    match statement:
        case ast.Expr(ast.Call()) | ast.AugAssign() | ast.Return(None):
            return True
        case ast.Break() | ast.Continue():
            return True
        case ast.Assign([ast.Name(name)]):
            return _is_bound_before(name, statement, function)
        case ast.Assign():
            return not any(isinstance(target, ast.Tuple) for target in statement.targets)
    return False


def _is_bound_before(name: str, statement: ast.stmt, function: ast.FunctionDef) -> bool:
    """Whether a variable has a value in the lines before a statement."""
    arguments = {argument.arg for argument in function.args.args}
    return name in arguments or any(
        isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Store)
        and node.id == name
        and node.lineno < statement.lineno
        for node in ast.walk(function)
    )
