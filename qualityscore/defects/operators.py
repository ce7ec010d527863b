"""Mutation operators: each looks at one node of a libcst tree and says what could stand in its place.

`HELD_OUT` were written last and are never used while a task's suites are mended, so that their detection rate is not
that of the defects which the suites were mended for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import libcst as cst
import libcst.matchers as m

Replacement = tuple[cst.CSTNode, str]
"""What is replaced, and the source text in its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """What an operator may look at around a node."""

    module: cst.Module
    parents: Any

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node above."""
        found: cst.CSTNode | None = self.parents.get(node)
        return found

    def above(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """All nodes above, the nearest first."""
        current = self.parent(node)
        while current is not None:
            yield current
            current = self.parent(current)


Find = Callable[[cst.CSTNode, Site], Iterator[Replacement]]
"""Gives the replacements that an operator has for one node; none means that it does not apply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """A named kind of change."""

    name: str
    replacements: Find


_COMPARISONS: dict[type[cst.CSTNode], str] = {
    cst.LessThan: "<=",
    cst.LessThanEqual: "<",
    cst.GreaterThan: ">=",
    cst.GreaterThanEqual: ">",
    cst.Equal: "!=",
    cst.NotEqual: "==",
    cst.In: "not in",
    cst.NotIn: "in",
    cst.Is: "is not",
    cst.IsNot: "is",
}
_ARITHMETIC: dict[type[cst.CSTNode], str] = {
    cst.Add: "-",
    cst.Subtract: "+",
    cst.Multiply: "+",
    cst.Divide: "*",
    cst.FloorDivide: "*",
    cst.Modulo: "*",
    cst.Power: "*",
    cst.BitAnd: "|",
    cst.BitOr: "&",
    cst.LeftShift: ">>",
    cst.RightShift: "<<",
}
_AUGMENTED: dict[type[cst.CSTNode], str] = {
    cst.AddAssign: "-=",
    cst.SubtractAssign: "+=",
    cst.MultiplyAssign: "+=",
    cst.DivideAssign: "*=",
}


def _negated_condition(node: cst.CSTNode, site: Site) -> Iterator[Replacement]:
    if isinstance(node, cst.If | cst.While | cst.IfExp):
        test = node.test
        if m.matches(test, m.UnaryOperation(operator=m.Not())):
            return
        yield test, f"not ({site.module.code_for_node(test)})"


def _changed_comparison(node: cst.CSTNode, _: Site) -> Iterator[Replacement]:
    if isinstance(node, cst.ComparisonTarget) and type(node.operator) in _COMPARISONS:
        yield from _operator(node.operator, _COMPARISONS)


def _changed_arithmetic(node: cst.CSTNode, _: Site) -> Iterator[Replacement]:
    if isinstance(node, cst.BinaryOperation):
        yield from _operator(node.operator, _ARITHMETIC)
    elif isinstance(node, cst.AugAssign):
        yield from _operator(node.operator, _AUGMENTED)


def _changed_connective(node: cst.CSTNode, _: Site) -> Iterator[Replacement]:
    if isinstance(node, cst.BooleanOperation):
        yield node.operator, "or" if isinstance(node.operator, cst.And) else "and"


def _changed_constant(node: cst.CSTNode, site: Site) -> Iterator[Replacement]:
    if isinstance(site.parent(node), cst.Param | cst.Subscript | cst.Index | cst.Slice):
        return  # defaults and indices have operators of their own
    match node:
        case cst.Integer() | cst.Float():
            yield node, f"{node.value} + 1" if isinstance(node, cst.Float) else str(node.evaluated_value + 1)
        case cst.SimpleString():
            if not _is_docstring(node, site) and node.evaluated_value not in ("", b""):
                yield node, f'{node.prefix.replace("r", "").replace("R", "")}""'
        case cst.Name(value="True"):
            yield node, "False"
        case cst.Name(value="False"):
            yield node, "True"


def _changed_return(node: cst.CSTNode, site: Site) -> Iterator[Replacement]:
    if isinstance(node, cst.Return) and node.value is not None and not m.matches(node.value, m.Name("None")):
        yield node.value, "None"
        if m.matches(node.value, m.Name()) and not m.matches(node.value, m.Name("self")):
            yield node.value, f"not {site.module.code_for_node(node.value)}"


def _swallowed_exception(node: cst.CSTNode, site: Site) -> Iterator[Replacement]:
    if isinstance(node, cst.Raise) and not _is_guard_body(node, site):
        yield node, "pass"


def _changed_exception(node: cst.CSTNode, site: Site) -> Iterator[Replacement]:
    if not isinstance(node, cst.Raise) or node.exc is None:
        return
    raised = node.exc.func if isinstance(node.exc, cst.Call) else node.exc
    text = site.module.code_for_node(raised)
    yield raised, "RuntimeError" if text != "RuntimeError" else "ValueError"


def _swapped_arguments(node: cst.CSTNode, site: Site) -> Iterator[Replacement]:
    if not isinstance(node, cst.Call) or len(node.args) < 2:
        return
    first, second = node.args[0], node.args[1]
    if first.keyword or second.keyword or first.star or second.star or first.value.deep_equals(second.value):
        return
    code = site.module.code_for_node
    swapped = [
        code(second.value),
        code(first.value),
        *(code(a.with_changes(comma=cst.MaybeSentinel.DEFAULT)) for a in node.args[2:]),
    ]
    yield node, f"{code(node.func)}({', '.join(swapped)})"


def _changed_default(node: cst.CSTNode, _: Site) -> Iterator[Replacement]:
    if not isinstance(node, cst.Param) or node.default is None:
        return
    match node.default:
        case cst.Integer() as number:
            yield number, str(number.evaluated_value + 1)
        case cst.Name(value="True") as name:
            yield name, "False"
        case cst.Name(value="False") as name:
            yield name, "True"
        case cst.SimpleString() as text:
            yield text, '"mutant"' if text.evaluated_value in ("", b"") else '""'
        case cst.Name(value="None") as name:
            yield name, "0"


def _off_by_one(node: cst.CSTNode, site: Site) -> Iterator[Replacement]:
    code = site.module.code_for_node
    if m.matches(node, m.Call(func=m.Name("range"))):
        assert isinstance(node, cst.Call)
        bound = node.args[0] if len(node.args) == 1 else node.args[1]
        yield bound.value, f"({code(bound.value)}) - 1"
    elif isinstance(node, cst.Slice):
        if node.lower is not None:
            yield node.lower, f"({code(node.lower)}) + 1"
        if node.upper is not None:
            yield node.upper, f"({code(node.upper)}) - 1"
    elif isinstance(node, cst.Index) and isinstance(node.value, cst.Integer | cst.UnaryOperation):
        yield node.value, f"({code(node.value)}) + 1"


def _missing_call(node: cst.CSTNode, _: Site) -> Iterator[Replacement]:
    if isinstance(node, cst.Expr) and isinstance(node.value, cst.Call | cst.Await):
        yield node, "pass"


def _wrong_attribute(node: cst.CSTNode, site: Site) -> Iterator[Replacement]:
    """The next of the attributes that the class sets on self, in the order of their names."""
    if not m.matches(node, m.Attribute(value=m.Name("self"))):
        return
    assert isinstance(node, cst.Attribute)
    owner = next((above for above in site.above(node) if isinstance(above, cst.ClassDef)), None)
    if owner is None:
        return
    stored = m.AssignTarget(target=m.Attribute(value=m.Name("self")))
    targets = (found for found in m.findall(owner, stored) if isinstance(found, cst.AssignTarget))
    names = sorted({t.target.attr.value for t in targets if isinstance(t.target, cst.Attribute)})
    if node.attr.value in names and len(names) > 1:
        yield node.attr, names[(names.index(node.attr.value) + 1) % len(names)]


def _removed_guard(node: cst.CSTNode, site: Site) -> Iterator[Replacement]:
    """An `if` without `else` whose body only leaves: its condition never holds."""
    if (
        isinstance(node, cst.If)
        and node.orelse is None
        and isinstance(node.body, cst.IndentedBlock | cst.SimpleStatementSuite)
    ):
        last = _last_small_statement(node.body)
        if isinstance(last, cst.Raise | cst.Return | cst.Continue | cst.Break) and not isinstance(
            site.parent(node), cst.If
        ):
            yield node.test, "False"


def _changed_jump(node: cst.CSTNode, _: Site) -> Iterator[Replacement]:
    if isinstance(node, cst.Break):
        yield node, "continue"
    elif isinstance(node, cst.Continue):
        yield node, "break"


def _dropped_operand(node: cst.CSTNode, site: Site) -> Iterator[Replacement]:
    """One side of a connective is forgotten."""
    if isinstance(node, cst.BooleanOperation):
        yield node, site.module.code_for_node(node.left)
        yield node, site.module.code_for_node(node.right)


def _dropped_negation(node: cst.CSTNode, site: Site) -> Iterator[Replacement]:
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not | cst.Minus):
        yield node, f"({site.module.code_for_node(node.expression)})"


def _plain_assignment(node: cst.CSTNode, _: Site) -> Iterator[Replacement]:
    """`x += y` becomes `x = y`."""
    if isinstance(node, cst.AugAssign):
        yield node.operator, "="


def _operator(node: cst.CSTNode, table: dict[type[cst.CSTNode], str]) -> Iterator[Replacement]:
    replacement = table.get(type(node))
    if replacement is not None:
        yield node, replacement


def _is_docstring(node: cst.SimpleString, site: Site) -> bool:
    return isinstance(site.parent(node), cst.Expr)


def _is_guard_body(node: cst.CSTNode, site: Site) -> bool:
    """Whether a statement is all that an `if` without `else` does: removing it is removing the guard."""
    block = next((a for a in site.above(node) if isinstance(a, cst.IndentedBlock | cst.SimpleStatementSuite)), None)
    owner = site.parent(block) if block is not None else None
    return isinstance(owner, cst.If) and owner.orelse is None and block is not None and len(block.body) == 1


def _last_small_statement(body: cst.BaseSuite) -> cst.BaseSmallStatement | None:
    if len(body.body) != 1:
        return None
    line = body.body[0]
    if isinstance(line, cst.SimpleStatementLine):
        return line.body[-1] if len(line.body) == 1 else None
    return line if isinstance(line, cst.BaseSmallStatement) else None


def _operators(*finds: Find) -> tuple[Operator, ...]:
    return tuple(Operator(name=find.__name__.removeprefix("_"), replacements=find) for find in finds)


MENDED_FOR = _operators(
    _negated_condition,
    _changed_comparison,
    _changed_arithmetic,
    _changed_connective,
    _changed_constant,
    _changed_return,
    _swallowed_exception,
    _changed_exception,
    _swapped_arguments,
    _changed_default,
    _off_by_one,
    _missing_call,
    _wrong_attribute,
    _removed_guard,
    _changed_jump,
)
HELD_OUT = _operators(_dropped_operand, _dropped_negation, _plain_assignment)
OPERATORS = (*MENDED_FOR, *HELD_OUT)
