"""One walk over a file in evaluation order: scopes, bindings and uses of names, and loose facts about attributes.

Name resolution is that of the language reference, section 4.2 (and PEP 572 for `:=`, PEP 695 for type parameters).
Sequence numbers grow in evaluation order, so that "before" can be asked of two events in one scope.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from qualityscore.analysers.bindings import Context, import_facts
from qualityscore.analysers.facts import CallFact, ForeignWrite, ImportFact
from qualityscore.analysers.signature import CallShape, shape_of
from qualityscore.analysers.syntax import (
    FunctionNode,
    asks_version,
    catches_import_error,
    caught,
    dotted,
    is_typing_only,
    place,
    reference,
    targets,
)

_DYNAMIC = frozenset({"exec", "execfile"})
_NAMESPACES = frozenset({"globals", "locals", "vars"})


@dataclass(slots=True)
class Event:
    """A binding or a use of a name; `until` ends the life of an exception's name, `blocks` are the blocks around."""

    line: int
    column: int
    sequence: int
    kind: str = "use"  # use, bind, except, delete
    until: int = 0
    guarded: bool = False
    lazily: bool = False  # in an annotation that is not evaluated
    blocks: tuple[int, ...] = ()


@dataclass(slots=True)
class Scope:
    """One namespace. `kind` is module, class, function, comprehension or types (type parameters)."""

    kind: str
    name: str
    parent: Scope | None
    start: int
    bound: dict[str, list[Event]] = field(default_factory=dict)
    deleted: dict[str, list[Event]] = field(default_factory=dict)
    used: list[tuple[str, Event]] = field(default_factory=list)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    loops: list[tuple[int, int]] = field(default_factory=list)
    made: dict[str, str | None] = field(default_factory=dict)
    receiver: str | None = None
    line: int = 0

    def function_name(self) -> str | None:
        """The innermost named function around."""
        scope: Scope | None = self
        while scope is not None and scope.kind != "function":
            scope = scope.parent
        return scope.name if scope else None

    def class_name(self) -> str | None:
        """The innermost class around, through functions."""
        scope: Scope | None = self
        while scope is not None and scope.kind != "class":
            scope = scope.parent
        return scope.name if scope else None


@dataclass(slots=True)
class Call:
    """A call of a dotted name, resolved later."""

    reference: str
    shape: CallShape
    line: int
    column: int
    scope: Scope


@dataclass(slots=True)
class Definition:
    """A function or class definition, for finding later ones of the same name in the same block."""

    name: str
    scope: Scope
    event: Event
    decorators: tuple[str, ...]


class Walker:
    """Walks one module; afterwards its fields hold what was seen."""

    def __init__(self) -> None:
        self.module = Scope(kind="module", name="", parent=None, start=0)
        self.scopes: list[Scope] = [self.module]
        self.imports: list[ImportFact] = []
        self.stars: list[ImportFact] = []
        self.calls: list[Call] = []
        self.attribute_reads: set[str] = set()
        self.strings: set[str] = set()
        self.writes: list[tuple[str | None, str | None, Scope]] = []
        self.definitions: list[Definition] = []
        self.dynamic: str | None = None
        self.makes_classes = False
        # by line of a function: parameters on which it uses __dict__, vars() or setattr with a computed name
        self.fills: dict[int, set[str]] = {}
        self._scope = self.module
        self._sequence = 0
        self._context = Context()
        self._name_errors = 0
        self._lazy = 0
        self._looked_into: set[int] = set()
        self._future = False
        self._blocks: tuple[int, ...] = ()
        self._visitors: dict[type, Callable[[Any], None]] = {
            getattr(ast, name[6:]): getattr(self, name)
            for name in dir(self)
            if name.startswith("visit_") and hasattr(ast, name[6:])
        }

    def walk(self, tree: ast.Module) -> None:
        """Take in the whole module."""
        self._body(tree.body)

    # -- plumbing

    def _visit(self, node: ast.AST | None) -> None:
        if node is None:
            return
        visitor = self._visitors.get(type(node))
        if visitor is not None:
            visitor(node)
            return
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                self._visit(value)
            elif isinstance(value, list):
                self._all(value)

    def _all(self, nodes: Iterable[Any]) -> None:
        for node in nodes:
            if isinstance(node, ast.AST):
                self._visit(node)

    def _body(self, body: list[ast.stmt]) -> None:
        if not body:
            return
        outer = self._blocks
        self._sequence += 1
        self._blocks = (*outer, self._sequence)
        for statement in body:
            self._visit(statement)
        self._blocks = outer

    def _event(self, line: int, column: int, kind: str = "use") -> Event:
        self._sequence += 1
        return Event(
            line=line,
            column=column,
            sequence=self._sequence,
            kind=kind,
            guarded=self._name_errors > 0,
            lazily=self._lazy > 0,
            blocks=self._blocks,
        )

    def _bind(self, name: str, line: int, column: int, kind: str = "bind", scope: Scope | None = None) -> Event:
        event = self._event(line, column, kind)
        home = scope or self._scope
        if name in home.globals:
            home = self.module
        elif name in home.nonlocals:
            home = _owner(home, name) or home
        home.bound.setdefault(name, []).append(event)
        return event

    def _enter(self, kind: str, name: str) -> Scope:
        scope = Scope(kind=kind, name=name, parent=self._scope, start=self._sequence)
        self.scopes.append(scope)
        self._scope = scope
        return scope

    def _leave(self) -> None:
        assert self._scope.parent is not None
        self._scope = self._scope.parent

    # -- names

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self._bind(node.id, *place(node))
        else:
            if isinstance(node.ctx, ast.Del):
                event = self._event(*place(node), "delete")
                home = self.module if node.id in self._scope.globals else self._scope
                home.deleted.setdefault(node.id, []).append(event)
                self._scope.used.append((node.id, event))
                # a name that is deleted is local even when nothing else binds it
                return
            self._scope.used.append((node.id, self._event(*place(node))))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Load):
            self.attribute_reads.add(node.attr)
            if node.attr == "__dict__":
                self._fill(node.value)
        elif isinstance(node.ctx, ast.Store):
            self.writes.append((node.attr, dotted(node.value), self._scope))
        self._visit(node.value)

    def _fill(self, target: ast.AST | None) -> None:
        """Note that the function around may set any attribute on one of its parameters."""
        if isinstance(target, ast.Name) and self._scope.kind == "function" and target.id != self._scope.receiver:
            self.fills.setdefault(self._scope.line, set()).add(target.id)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and len(node.value) < 60 and node.value.isidentifier():
            self.strings.add(node.value)

    def visit_Global(self, node: ast.Global) -> None:
        self._scope.globals.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self._scope.nonlocals.update(node.names)

    def visit_Import(self, node: ast.Import) -> None:
        self._import(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.module == "__future__" and any(a.name == "annotations" for a in node.names):
            self._future = True
        self._import(node)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        in_function = self._scope.function_name() is not None
        for fact in import_facts(node, self._context, in_function=in_function):
            self.imports.append(fact)
            if fact.name == "*":
                self.stars.append(fact)
            else:
                self._bind(fact.bound, fact.line, fact.column)

    # -- statements in evaluation order

    def visit_Assign(self, node: ast.Assign) -> None:
        self._visit(node.value)
        for target in node.targets:
            self._remember(target, node.value)
            self._visit(target)

    def _remember(self, target: ast.expr, value: ast.expr) -> None:
        made = dotted(value.func) if isinstance(value, ast.Call) else None
        for single in targets(target):
            if isinstance(single, ast.Name):
                known = self._scope.made
                mine = made if single is target else None
                known[single.id] = mine if known.get(single.id, mine) == mine else None

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self._scope.used.append((node.target.id, self._event(*place(node.target))))
        self._visit(node.value)
        self._visit(node.target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._annotation(node.annotation)
        self._visit(node.value)
        if node.value is None and isinstance(node.target, ast.Name):
            # `x: int` makes x local without giving it a value: no event in time, but it is a binding
            self._bind(node.target.id, *place(node.target))
            return
        if node.value is not None:
            self._remember(node.target, node.value)
        self._visit(node.target)

    def _annotation(self, node: ast.expr | None) -> None:
        if node is None:
            return
        lazily = self._future or self._scope.kind == "function"
        self._lazy += lazily
        self._visit(node)
        self._lazy -= lazily

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._visit(node.value)
        scope = self._scope
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        self._bind(node.target.id, *place(node.target), scope=scope)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self._visit(node.iter)
        start = self._sequence
        self._visit(node.target)
        self._body(node.body)
        self._scope.loops.append((start, self._sequence))
        self._body(node.orelse)

    def visit_AsyncFor(self, node: ast.AsyncFor) -> None:
        self.visit_For(node)

    def visit_While(self, node: ast.While) -> None:
        start = self._sequence
        self._visit(node.test)
        self._body(node.body)
        self._scope.loops.append((start, self._sequence))
        self._body(node.orelse)

    def visit_If(self, node: ast.If) -> None:
        self._visit(node.test)
        outer = self._context
        typing_only = outer.typing_only or is_typing_only(node.test)
        self._context = Context(conditional=True, guarded=True, typing_only=typing_only)
        version = asks_version(node.test)
        self._name_errors += version
        self._body(node.body)
        self._context = Context(conditional=True, guarded=True, typing_only=outer.typing_only)
        self._body(node.orelse)
        self._name_errors -= version
        self._context = outer

    def visit_With(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self._visit(item.context_expr)
            if item.optional_vars is not None:
                self._remember(item.optional_vars, item.context_expr)
                self._visit(item.optional_vars)
        self._body(node.body)

    def visit_AsyncWith(self, node: ast.AsyncWith) -> None:
        self.visit_With(node)

    def visit_Try(self, node: ast.Try) -> None:
        names = caught(node)
        outer = self._context
        if catches_import_error(node):
            self._context = Context(conditional=True, guarded=True, typing_only=outer.typing_only)
        guard = "NameError" in names or "BaseException" in names
        self._name_errors += guard
        self._body(node.body)
        self._name_errors -= guard
        for handler in node.handlers:
            self._handler(handler)
        self._body(node.orelse)
        self._context = outer
        self._body(node.finalbody)

    def visit_TryStar(self, node: ast.Try) -> None:
        self.visit_Try(node)

    def _handler(self, node: ast.ExceptHandler) -> None:
        self._visit(node.type)
        event = self._bind(node.name, *place(node), kind="except") if node.name else None
        self._body(node.body)
        if event is not None:
            event.until = self._sequence

    def visit_Match(self, node: ast.Match) -> None:
        self._visit(node.subject)
        for case in node.cases:
            self._visit(case.pattern)
            self._visit(case.guard)
            self._body(case.body)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self._visit(node.pattern)
        if node.name:
            self._bind(node.name, node.lineno, node.col_offset + 1)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self._bind(node.name, node.lineno, node.col_offset + 1)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self._all(node.keys)
        self._all(node.patterns)
        if node.rest:
            self._bind(node.rest, node.lineno, node.col_offset + 1)

    # -- new scopes

    def visit_FunctionDef(self, node: FunctionNode) -> None:
        self._all(node.decorator_list)
        self._all(node.args.defaults)
        self._all(d for d in node.args.kw_defaults if d is not None)
        outer = self._type_parameters(node)
        arguments = _arguments(node.args)
        self._lazy += self._future
        for argument in arguments:
            self._visit(argument.annotation)
        self._visit(node.returns)
        self._lazy -= self._future
        self._function(node, arguments)
        if outer:
            self._leave()
        self._define(node)

    def _define(self, node: FunctionNode | ast.ClassDef) -> None:
        event = self._bind(node.name, *place(node))
        decorators = tuple(reference(d) or "" for d in node.decorator_list)
        self.definitions.append(Definition(name=node.name, scope=self._scope, event=event, decorators=decorators))

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def _function(self, node: FunctionNode, arguments: list[ast.arg]) -> None:
        home = self._scope if self._scope.kind != "types" else self._scope.parent
        in_class = home is not None and home.kind == "class"
        scope = self._enter("function", node.name)
        scope.line = node.lineno
        if in_class and arguments and not any(dotted(d) == "staticmethod" for d in node.decorator_list):
            scope.receiver = arguments[0].arg
        for argument in arguments:
            self._bind(argument.arg, *place(argument))
        outer_context, self._context = self._context, Context(typing_only=self._context.typing_only)
        guards, self._name_errors = self._name_errors, 0
        self._body(node.body)
        self._name_errors = guards
        self._context = outer_context
        self._leave()

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._all(node.args.defaults)
        self._all(d for d in node.args.kw_defaults if d is not None)
        self._enter("function", "<lambda>")
        for argument in _arguments(node.args):
            self._bind(argument.arg, *place(argument))
        self._visit(node.body)
        self._leave()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._all(node.decorator_list)
        outer = self._type_parameters(node)
        self._all(node.bases)
        self._all(keyword.value for keyword in node.keywords)
        self._enter("class", node.name)
        self._body(node.body)
        self._leave()
        if outer:
            self._leave()
        self._define(node)

    def visit_TypeAlias(self, node: Any) -> None:
        self._visit(node.name)
        outer = self._type_parameters(node)
        self._lazy += 1
        self._visit(node.value)
        self._lazy -= 1
        if outer:
            self._leave()

    def _type_parameters(self, node: Any) -> bool:
        parameters = getattr(node, "type_params", None)
        if not parameters:
            return False
        self._enter("types", getattr(node.name, "id", node.name))
        for parameter in parameters:
            self._bind(parameter.name, parameter.lineno, parameter.col_offset + 1)
        for parameter in parameters:
            self._lazy += 1
            self._visit(getattr(parameter, "bound", None))
            self._visit(getattr(parameter, "default_value", None))
            self._lazy -= 1
        return True

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> None:
        self._comprehension(node.generators, [node.elt])

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._comprehension(node.generators, [node.elt])

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._comprehension(node.generators, [node.elt])

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node.generators, [node.key, node.value])

    def _comprehension(self, generators: list[ast.comprehension], results: list[ast.expr]) -> None:
        self._visit(generators[0].iter)
        self._enter("comprehension", "<comprehension>")
        for index, generator in enumerate(generators):
            if index:
                self._visit(generator.iter)
            self._visit(generator.target)
            self._all(generator.ifs)
        self._all(results)
        self._leave()

    # -- calls

    def visit_Call(self, node: ast.Call) -> None:
        text = dotted(node.func)
        if text is not None:
            line, column = place(node)
            self.calls.append(Call(reference=text, shape=shape_of(node), line=line, column=column, scope=self._scope))
            self._special(text, node)
        elif isinstance(node.func, ast.Attribute) and _is_namespace(node.func.value):
            if node.func.attr in ("update", "setdefault", "__setitem__"):
                self.dynamic = "it writes to its namespace"
            self._looked_into.add(id(node.func.value))
        self._visit(node.func)
        self._all(node.args)
        self._all(keyword.value for keyword in node.keywords)

    def _special(self, text: str, node: ast.Call) -> None:
        first = node.args[0] if node.args else None
        if text == "setattr" and len(node.args) == 3 and not _is_this_module(first):
            name = node.args[1]
            constant = name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else None
            self.writes.append((constant, dotted(first), self._scope))
            if constant is None:
                self._fill(first)
        elif text == "vars":
            self._fill(first)
        elif text == "type" and len(node.args) == 3:
            self.makes_classes = True
        elif text == "globals" and id(node) not in self._looked_into:
            self.dynamic = "it hands out its namespace"
        elif text.endswith(("._convert_", "._convert")) or (text == "setattr" and _is_this_module(first)):
            self.dynamic = "it writes to its namespace"
        elif text in _DYNAMIC and (self._scope is self.module or any(map(_is_namespace, node.args))):
            self.dynamic = "it runs exec"

    def visit_Compare(self, node: ast.Compare) -> None:
        self._looked_into.update(id(part) for part in node.comparators)
        self._visit(node.left)
        self._all(node.comparators)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if _is_namespace(node.value):
            self._looked_into.add(id(node.value))
            if isinstance(node.ctx, ast.Store):
                self.dynamic = "it writes to its namespace"
        if isinstance(node.ctx, ast.Store) and dotted(node.value) == "sys.modules":
            self.dynamic = self.dynamic or "it replaces modules"
        self._visit(node.value)
        self._visit(node.slice)


def _is_namespace(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and dotted(node.func) in _NAMESPACES


def _is_this_module(node: ast.AST | None) -> bool:
    """`sys.modules[__name__]`."""
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name) and node.slice.id == "__name__"


def _owner(scope: Scope, name: str) -> Scope | None:
    outer = scope.parent
    while outer is not None:
        if outer.kind == "function" and name in outer.bound:
            return outer
        outer = outer.parent
    return None


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    found = [*arguments.posonlyargs, *arguments.args]
    if arguments.vararg:
        found.append(arguments.vararg)
    found += arguments.kwonlyargs
    if arguments.kwarg:
        found.append(arguments.kwarg)
    return found


def resolve(scope: Scope, name: str) -> Scope | None:
    """The scope that the name refers to from here, None where no scope of the file binds it."""
    current: Scope | None = scope
    if name in scope.globals:
        while current is not None and current.parent is not None:
            current = current.parent
        return current if current is not None and name in current.bound else None
    while current is not None:
        visible = current is scope or current.kind != "class" or (scope.kind == "types" and scope.parent is current)
        if visible and name in current.bound and name not in current.nonlocals:
            return current
        current = current.parent
    return None


def foreign_writes(walker: Walker) -> tuple[ForeignWrite, ...]:
    """Attributes assigned on anything that is not the receiver of a method."""
    found: set[ForeignWrite] = set()
    for name, base, scope in walker.writes:
        home = resolve(scope, base.partition(".")[0]) if base is not None else None
        kind: str | None = None
        if base is not None and home is not None:
            simple = "." not in base
            if simple and home.kind == "function" and home.receiver == base:
                continue
            if simple and base in home.made:
                kind = home.made[base] if len(home.bound[base]) == 1 else None
            elif home is walker.module:
                kind = base
        found.add(ForeignWrite(name=name, type=kind))
    return tuple(sorted(found, key=lambda w: (w.name or "", w.type or "")))


def module_calls(walker: Walker) -> tuple[CallFact, ...]:
    """Calls of names that the module binds at its top level."""
    return tuple(
        CallFact(reference=c.reference, shape=c.shape, line=c.line, column=c.column)
        for c in walker.calls
        if resolve(c.scope, c.reference.partition(".")[0]) is walker.module
    )
