"""Where the assertions of a suite file stand: its test functions and their assertion statements, in source order."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from qualityscore.judging.names import FunctionNode, Module, unconditional

_CASES = frozenset({"unittest.TestCase", "unittest.IsolatedAsyncioTestCase", "unittest.case.TestCase"})
_HARMLESS_DECORATORS = (
    "pytest.mark.",
    "unittest.mock.patch",
    "unittest.skip",
    "builtins.staticmethod",
    "builtins.classmethod",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One assertion: a statement, or an item of a `with`. `obstacle` says why it cannot move, where that is plain."""

    node: ast.Assert | ast.Expr | ast.withitem
    line: int
    obstacle: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TestFunction:
    """One function that pytest collects. `case` marks a method of a unittest class."""

    __test__ = False

    name: str  # test_a, TestB::test_c
    node: FunctionNode
    case: bool
    statements: tuple[ast.stmt, ...]  # the unconditional ones
    sites: tuple[Site, ...]

    @property
    def owner(self) -> str:
        """Unique within the file, unlike the name."""
        return f"{self.name}@{self.node.lineno}"


def test_functions(module: Module) -> Iterator[TestFunction]:
    """All test functions and methods, by pytest's default names."""
    yield from _in_body(module.tree.body, "", False, None, module)


def inherited_tests(module: Module) -> dict[str, str]:
    """By the name of a test that a class inherits from another of its file: the name of the function that runs.

    Names are as in `TestFunction`. Classes are put together as Python does, so the order of methods is Python's.
    """
    found: dict[str, str] = {}
    for name, made in _classes(module.tree.body, "", {}).items():
        _collect(made, f"{name}::", found)
    return found


def _classes(body: list[ast.stmt], prefix: str, outer: dict[str, type]) -> dict[str, type]:
    """The classes of a body, with their tests' full names and their nested classes as attributes."""
    made: dict[str, type] = {}
    for node in body:
        if not isinstance(node, ast.ClassDef):
            continue
        known = {**outer, **made}
        bases = tuple(known[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in known)
        inner = f"{prefix}{node.name}::"
        members = {**_tests(node.body, inner), **_classes(node.body, inner, known)}
        try:
            made[node.name] = type(node.name, bases, members)
        except TypeError:  # no order of methods: no class in Python either
            continue
    return made


def _tests(body: list[ast.stmt], prefix: str) -> dict[str, str | None]:
    """What a class binds itself: tests by their full names, None for what hides an inherited one."""
    found: dict[str, str | None] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found[node.name] = prefix + node.name
        elif isinstance(node, ast.Assign):
            found.update((target.id, None) for target in node.targets if isinstance(target, ast.Name))
    return {name: value for name, value in found.items() if name.startswith("test")}


def _collect(made: type, prefix: str, found: dict[str, str]) -> None:
    for name in dir(made):
        match getattr(made, name):
            case str() as function if name.startswith("test") and function != prefix + name:
                found[prefix + name] = function
            case type() as nested if not name.startswith("__"):
                _collect(nested, f"{prefix}{name}::", found)
            case _:
                pass


def _in_body(
    body: list[ast.stmt], prefix: str, case: bool, obstacle: str | None, module: Module
) -> Iterator[TestFunction]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            is_case = any(module.dotted(base) in _CASES for base in node.bases)
            inner = obstacle or _decorated(node, module)
            yield from _in_body(node.body, f"{prefix}{node.name}::", is_case, inner, module)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
            statements = tuple(unconditional(node.body, module))
            sites = tuple(_sites(node, statements, case, obstacle or _decorated(node, module), module))
            yield TestFunction(name=prefix + node.name, node=node, case=case, statements=statements, sites=sites)


def _sites(
    function: FunctionNode, statements: tuple[ast.stmt, ...], case: bool, obstacle: str | None, module: Module
) -> Iterator[Site]:
    reached = {id(statement) for statement in statements}
    for node in _in_order(function):
        conditional = None if id(node) in reached else "conditional, or not in the test function itself"
        match node:
            case ast.Assert():
                yield Site(node=node, line=node.lineno, obstacle=obstacle or conditional)
            case ast.With(items=items):
                for item in items:
                    if raises_kind(item.context_expr, case, module):
                        yield Site(node=item, line=item.context_expr.lineno, obstacle=obstacle or conditional)
            case ast.Expr(value=ast.Call() as call) if _is_assertion(call, case, module):
                yield Site(node=node, line=node.lineno, obstacle=obstacle or conditional)
            case _:
                pass


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        yield child
        yield from _in_order(child)


def _decorated(node: FunctionNode | ast.ClassDef, module: Module) -> str | None:
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = module.dotted(target)
        if name is None or not name.startswith(_HARMLESS_DECORATORS):
            return f"the test is decorated by {ast.unparse(target)}"
        if name == "pytest.mark.xfail":
            return "the test is expected to fail"
    return None


def is_self_assertion(call: ast.expr) -> bool:
    """Whether a call is `self.assertSomething(...)`."""
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=attr)):
            return attr.startswith("assert")
        case _:
            return False


def _is_assertion(call: ast.Call, case: bool, module: Module) -> bool:
    if case and is_self_assertion(call):
        return True
    return module.dotted(call.func) == "pytest.raises" and len(call.args) > 1


def raises_kind(call: ast.expr, case: bool, module: Module) -> str | None:
    """The recorder's method for an expectation of an exception; None where `call` is none."""
    if not isinstance(call, ast.Call):
        return None
    if module.dotted(call.func) == "pytest.raises":
        return "raises"
    if case and is_self_assertion(call):
        assert isinstance(call.func, ast.Attribute)
        return "case_raises" if call.func.attr in {"assertRaises", "assertRaisesRegex"} else None
    return None
