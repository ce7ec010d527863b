"""One assertion taken apart: what the child records, and the predicate that the judge evaluates over it.

Lowered are comparisons, `and`, `not`, displays of literals and operands, `pytest.approx`, `pytest.raises`, and the
methods of unittest that are one of these. Nothing is lowered through `or` or a conditional expression, and `is` only
against constants. Operands are recorded together where Python evaluates them together.
"""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass, field

from qualityscore.judging.literals import Known

_COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn)
_SINGLETONS = {None: "None", True: "True", False: "False", ...: "Ellipsis"}
_EQUAL = {"assertEqual", "assertListEqual", "assertTupleEqual", "assertDictEqual", "assertSetEqual"}
_METHOD_COMPARISONS: dict[str, type[ast.cmpop]] = {
    **dict.fromkeys(_EQUAL | {"assertMultiLineEqual"}, ast.Eq),
    "assertNotEqual": ast.NotEq,
    "assertIn": ast.In,
    "assertNotIn": ast.NotIn,
    "assertIs": ast.Is,
    "assertIsNot": ast.IsNot,
    "assertGreater": ast.Gt,
    "assertGreaterEqual": ast.GtE,
    "assertLess": ast.Lt,
    "assertLessEqual": ast.LtE,
}


class NotLowered(Exception):
    """The assertion stays in the child; the argument says why."""


@dataclass(slots=True)
class Recording:
    """Calls that the child makes in this order: (method of the recorder, operands)."""

    calls: list[tuple[str, list[ast.expr]]] = field(default_factory=list)
    operands: list[ast.expr] = field(default_factory=list)

    def record(self, method: str, nodes: list[ast.expr]) -> list[ast.Name]:
        """Have the child record these operands together; their names in the predicate."""
        first = len(self.operands)
        self.calls.append((method, nodes))
        self.operands.extend(nodes)
        return [ast.Name(id=f"operand{first + i}", ctx=ast.Load()) for i in range(len(nodes))]


def lower_test(node: ast.expr, known: Known, out: Recording) -> ast.expr:
    """The predicate of an asserted expression. Raises NotLowered."""
    match node:
        case ast.BoolOp(op=ast.And(), values=values):
            return ast.BoolOp(op=ast.And(), values=[lower_test(value, known, out) for value in values])
        case ast.BoolOp():
            raise NotLowered("an alternative")
        case ast.IfExp():
            raise NotLowered("a conditional expression")
        case ast.Constant():
            raise NotLowered("a constant")
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            if isinstance(inner, ast.BoolOp | ast.IfExp) or (isinstance(inner, ast.Compare) and len(inner.ops) > 1):
                raise NotLowered("a negated combination")
            return ast.UnaryOp(op=ast.Not(), operand=lower_test(inner, known, out))
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            return _compare(left, ops, comparators, known, out)
        case _:
            (name,) = out.record("truth", [_operand(node)])
            return name


def _compare(
    left: ast.expr, ops: list[ast.cmpop], comparators: list[ast.expr], known: Known, out: Recording
) -> ast.expr:
    if isinstance(ops[0], ast.Is | ast.IsNot):
        if len(ops) > 1:
            raise NotLowered("a chain with identity")
        return _identity(left, ops[0], comparators[0], out)
    if not all(isinstance(op, _COMPARISONS) for op in ops):
        raise NotLowered("a chain with identity")
    taken: list[ast.expr] = []
    sides = [_Placeholder(known, taken).visit_side(side) for side in (left, *comparators)]
    if not taken:
        raise NotLowered("nothing to record")
    names = out.record("values", taken)
    filled = [_fill(side, taken, names) for side in sides]
    return ast.Compare(left=filled[0], ops=ops, comparators=filled[1:])


def _identity(left: ast.expr, op: ast.cmpop, right: ast.expr, out: Recording) -> ast.expr:
    if isinstance(left, ast.Constant):
        left, right = right, left
    if not isinstance(right, ast.Constant) or isinstance(left, ast.Constant):
        raise NotLowered("identity of two objects")
    if not (right.value is None or right.value is ... or isinstance(right.value, bool)):
        raise NotLowered("identity of two objects")
    (name,) = out.record("identity", [_operand(left)])
    equal = ast.Eq() if isinstance(op, ast.Is) else ast.NotEq()
    return ast.Compare(left=name, ops=[equal], comparators=[ast.Constant(value=_SINGLETONS[right.value])])


class _Placeholder:
    """One side of a comparison with its operands collected; operands stand in the tree as themselves."""

    def __init__(self, known: Known, taken: list[ast.expr]) -> None:
        self.known, self.taken = known, taken

    def visit_side(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Call) and self.known.module.dotted(node.func) == "pytest.approx":
            return self._approx(node)
        return self._visit(node)

    def _approx(self, node: ast.Call) -> ast.expr:
        values = [self.known.literal(value) for value in (*node.args, *(k.value for k in node.keywords))]
        known = [value for value in values if value is not None]
        if len(known) < len(values) or any(k.arg not in {"rel", "abs", "nan_ok"} for k in node.keywords):
            raise NotLowered("pytest.approx of something that is not a literal")
        keywords = [
            ast.keyword(arg=k.arg, value=v) for k, v in zip(node.keywords, known[len(node.args) :], strict=True)
        ]
        return ast.Call(func=ast.Name(id="approx", ctx=ast.Load()), args=known[: len(node.args)], keywords=keywords)

    def _visit(self, node: ast.expr) -> ast.expr:
        literal = self.known.literal(node)
        if literal is not None:
            return literal
        match node:
            case ast.List(elts=elements) | ast.Tuple(elts=elements) if not _starred(elements):
                return type(node)(elts=[self._visit(element) for element in elements], ctx=ast.Load())
            case ast.Set(elts=elements) if not _starred(elements):
                return ast.Set(elts=[self._visit(element) for element in elements])
            case ast.Dict(keys=keys, values=values) if None not in keys:
                pairs = [
                    (self._visit(key), self._visit(value))
                    for key, value in zip(keys, values, strict=True)
                    if key is not None
                ]
                return ast.Dict(keys=[key for key, _ in pairs], values=[value for _, value in pairs])
            case _:
                self.taken.append(_operand(node))
                return node


def _fill(node: ast.expr, taken: list[ast.expr], names: list[ast.Name]) -> ast.expr:
    for operand, name in zip(taken, names, strict=True):
        if node is operand:
            return name
    match node:
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return type(node)(elts=[_fill(e, taken, names) for e in elements], ctx=ast.Load())
        case ast.Set(elts=elements):
            return ast.Set(elts=[_fill(e, taken, names) for e in elements])
        case ast.Dict(keys=keys, values=values):
            return ast.Dict(
                keys=[k and _fill(k, taken, names) for k in keys], values=[_fill(v, taken, names) for v in values]
            )
        case _:
            return node


def _starred(elements: list[ast.expr]) -> bool:
    return any(isinstance(element, ast.Starred) for element in elements)


def _operand(node: ast.expr) -> ast.expr:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Yield | ast.YieldFrom):
            raise NotLowered("a yield in the assertion")
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute | ast.Name):
            name = inner.func.attr if isinstance(inner.func, ast.Attribute) else inner.func.id
            if name == "approx":
                raise NotLowered("pytest.approx inside an operand")
    if isinstance(node, ast.Starred):
        raise NotLowered("an unpacking")
    return node


def lower_method(call: ast.Call, known: Known, out: Recording) -> ast.expr:
    """The predicate of `self.assertX(...)`. Raises NotLowered."""
    assert isinstance(call.func, ast.Attribute)
    name, arguments = call.func.attr, call.args
    extra = {k.arg: k.value for k in call.keywords if k.arg != "msg"}
    if _starred(arguments) or None in extra:
        raise NotLowered("an unpacking")
    if name in _METHOD_COMPARISONS and len(arguments) in {2, 3} and not extra:
        return _compare(arguments[0], [_METHOD_COMPARISONS[name]()], [arguments[1]], known, out)
    if name in {"assertTrue", "assertFalse"} and len(arguments) in {1, 2} and not extra:
        (truth,) = out.record("truth", [_operand(arguments[0])])
        return truth if name == "assertTrue" else ast.UnaryOp(op=ast.Not(), operand=truth)
    if name in {"assertIsNone", "assertIsNotNone"} and len(arguments) in {1, 2} and not extra:
        op = ast.Is() if name == "assertIsNone" else ast.IsNot()
        return _identity(arguments[0], op, ast.Constant(value=None), out)
    if name == "assertAlmostEqual" and len(arguments) == 2:
        return _function("almost_equal", arguments, extra, known, out)
    if name == "assertCountEqual" and len(arguments) in {2, 3} and not extra:
        return _function("count_equal", arguments[:2], {}, known, out)
    if name == "assertRegex" and len(arguments) in {2, 3} and not extra:
        return _function("matches", [arguments[1], arguments[0]], {}, known, out)
    raise NotLowered(f"{name} is not one that moves")


def _function(
    name: str, arguments: list[ast.expr], extra: dict[str | None, ast.expr], known: Known, out: Recording
) -> ast.expr:
    taken: list[ast.expr] = []
    sides = [_Placeholder(known, taken).visit_side(argument) for argument in arguments]
    keywords = []
    for key, value in extra.items():
        literal = known.literal(value)
        if literal is None:
            raise NotLowered(f"{key} is not a literal")
        keywords.append(ast.keyword(arg=key, value=literal))
    if not taken:
        raise NotLowered("nothing to record")
    taken.sort(key=lambda n: (n.lineno, n.col_offset))
    names = out.record("values", taken)
    filled = [_fill(side, taken, names) for side in sides]
    return ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=filled, keywords=keywords)


@dataclass(frozen=True, slots=True)
class Raises:
    """A lowered expectation of an exception: the predicate, and the class expression where the child must know it."""

    predicate: str
    child_class: ast.expr | None


def lower_raises(expected: ast.expr, match: ast.expr | None, known: Known) -> Raises:
    """An expected class (or tuple of classes) and pattern. Raises NotLowered."""
    names = _builtin_classes(expected, known)
    pattern = known.literal(match) if match is not None else None
    if match is not None and pattern is None:
        raise NotLowered("a pattern that is not a literal")
    text = f"raised(operand0, {names!r}"
    text += f", {ast.unparse(pattern)})" if pattern is not None else ")"
    return Raises(text, None if names is not None else expected)


def _builtin_classes(expected: ast.expr, known: Known) -> tuple[str, ...] | None:
    nodes = expected.elts if isinstance(expected, ast.Tuple) else [expected]
    found = []
    for node in nodes:
        name = known.module.dotted(node)
        kind = (
            getattr(builtins, name.removeprefix("builtins."), None) if name and name.startswith("builtins.") else None
        )
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            return None
        found.append(f"{kind.__module__}.{kind.__qualname__}")
    return tuple(found)
