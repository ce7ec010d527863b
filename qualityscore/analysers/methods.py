"""What one method reads and writes on its receiver."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from qualityscore.analysers.facts import MethodFact, Read, Write
from qualityscore.analysers.functions import function_fact
from qualityscore.analysers.signature import CallShape, shape_of
from qualityscore.analysers.syntax import (
    FunctionNode,
    asks_version,
    caught,
    dotted,
    mangled,
    place,
    place_of_attribute,
    reference,
    targets,
)

_CLASS_METHODS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})
_RECEIVERS = frozenset({"self", "cls", "klass", "mcs", "mcls", "metacls", "this", "meta"})
_PROPERTIES = frozenset({"property", "cached_property", "abstractproperty", "lazy_property", "reify"})
_RESTORING = frozenset({"__setstate__", "__copy__", "__deepcopy__", "__reduce__", "__getstate__", "__replace__"})
_ASKS = frozenset({"hasattr", "getattr", "delattr"})
_REWRITERS = frozenset({"update_wrapper", "functools.update_wrapper"})


def method_kind(node: FunctionNode) -> str:
    """instance, class, static or property, by decorators and by the names that Python treats specially."""
    decorators = [(reference(d) or "").split(".") for d in node.decorator_list]
    last = {parts[-1] for parts in decorators}
    if "staticmethod" in last:
        return "static"
    if "classmethod" in last or node.name in _CLASS_METHODS:
        return "class"
    if last & _PROPERTIES or any(
        len(parts) > 1 and parts[-1] in ("setter", "getter", "deleter") for parts in decorators
    ):
        return "property"
    return "instance"


def method_fact(
    node: FunctionNode, class_name: str, prefix: str, usual: str = "self"
) -> tuple[MethodFact, tuple[str, ...]]:
    """Facts of a method, and the reasons that it gives for not listing the attributes of its class.

    `usual` is what the class's constructor calls its receiver.
    """
    kind = method_kind(node)
    positional = [*node.args.posonlyargs, *node.args.args]
    receiver = positional[0].arg if positional and kind != "static" else None
    if receiver is not None and receiver.strip("_") not in _RECEIVERS and receiver != usual:
        receiver = None  # a plain function that is kept in a class, or whatever an unknown decorator passes
    walker = _Walker(receiver=receiver, class_name=class_name, restoring=node.name in _RESTORING)
    for statement in node.body:
        walker.visit(statement)
    fact = MethodFact(
        function=function_fact(node, prefix + node.name),
        kind=kind,
        receiver=receiver,
        reads=tuple(walker.reads),
        writes=tuple(walker.writes),
        checked=frozenset(walker.checked),
        supers=tuple(walker.supers),
        handed=tuple(walker.handed),
        unjudged=walker.unjudged,
    )
    return fact, tuple(walker.open)


@dataclass(slots=True)
class _Walker:
    """Walks a method's body in evaluation order."""

    receiver: str | None
    class_name: str
    reads: list[Read] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    checked: set[str] = field(default_factory=set)
    open: list[str] = field(default_factory=list)
    supers: list[tuple[str, int, int]] = field(default_factory=list)
    handed: list[tuple[str, int | str]] = field(default_factory=list)
    unjudged: str | None = None
    restoring: bool = False
    guards: int = 0
    closures: int = 0
    branches: int = 0

    def visit(self, node: ast.AST) -> None:
        match node:
            case ast.Attribute():
                self._attribute(node, None)
            case ast.Call():
                self._call(node)
            case ast.Assign(targets=assigned, value=value):
                self.visit(value)
                for target in assigned:
                    self._target(target)
            case ast.AugAssign(target=target, value=value):
                self.visit(value)
                if isinstance(target, ast.Attribute) and self._is_receiver(target.value):
                    line, column = place_of_attribute(target)
                    self._write(target, augmented=True)
                    self._read(target.attr, line, column, None)
                else:
                    self.visit(target)
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    self.visit(value)
                self._target(target)
            case ast.For(target=target, iter=iterable) | ast.AsyncFor(target=target, iter=iterable):
                self.visit(iterable)
                self._target(target)
                self._branch([*node.body, *node.orelse])
            case ast.With(items=items) | ast.AsyncWith(items=items):
                for item in items:
                    self.visit(item.context_expr)
                    if item.optional_vars is not None:
                        self._target(item.optional_vars)
                self._all(node.body)
            case ast.Try() | ast.TryStar():
                self._try(node)
            case ast.If() | ast.While():
                self.visit(node.test)
                version = asks_version(node.test)
                self.guards += version
                self._branch([*node.body, *node.orelse])
                self.guards -= version
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._all([*node.decorator_list, *node.args.defaults, *(d for d in node.args.kw_defaults if d)])
                self._closure(node.args, node.body)
            case ast.Lambda():
                self._all([*node.args.defaults, *(d for d in node.args.kw_defaults if d)])
                self._closure(node.args, [node.body])
            case ast.ClassDef():
                self._all([*node.decorator_list, *node.bases, *(k.value for k in node.keywords)])
                self.closures += 1
                self._all(node.body)
                self.closures -= 1
            case ast.Name(ctx=ast.Store()) if node.id == self.receiver:
                self.unjudged = f"{node.id} is assigned anew"
            case ast.NamedExpr(target=target, value=value):
                self.visit(value)
                self.visit(target)
            case _:
                self._all(ast.iter_child_nodes(node))

    def _all(self, nodes: object) -> None:
        for node in nodes:  # type: ignore[attr-defined]
            self.visit(node)

    def _branch(self, nodes: list[ast.stmt]) -> None:
        self.branches += 1
        self._all(nodes)
        self.branches -= 1

    def _closure(self, arguments: ast.arguments, body: list[ast.stmt] | list[ast.expr]) -> None:
        names = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        outer = self.receiver
        if any(a is not None and a.arg == outer for a in names):
            self.receiver = None
        self.closures += 1
        self._all(body)
        self.closures -= 1
        self.receiver = outer

    def _try(self, node: ast.Try | ast.TryStar) -> None:
        guard = "AttributeError" in caught(node)
        self.guards += guard
        self._branch(node.body)
        self.guards -= guard
        for handler in node.handlers:
            self._branch(handler.body)
        self._branch(node.orelse)
        self._all(node.finalbody)

    def _is_receiver(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == self.receiver and self.receiver is not None

    def _attribute(self, node: ast.Attribute, call: CallShape | None) -> None:
        if not self._is_receiver(node.value):
            if isinstance(node.ctx, ast.Store):
                self._target(node)
            else:
                self.visit(node.value)
            return
        if isinstance(node.ctx, ast.Store):
            self._write(node)
            return
        if node.attr == "__dict__":
            self.checked.add("__dict__")
        self._read(node.attr, *place_of_attribute(node), call)

    def _read(self, name: str, line: int, column: int, call: CallShape | None) -> None:
        self.reads.append(
            Read(
                name=mangled(name, self.class_name),
                line=line,
                column=column,
                call=call,
                guarded=self.guards > 0,
                in_closure=self.closures > 0,
            )
        )

    def _write(self, node: ast.Attribute, *, augmented: bool = False) -> None:
        line, column = place_of_attribute(node)
        self.writes.append(
            Write(
                name=mangled(node.attr, self.class_name),
                line=line,
                column=column,
                augmented=augmented,
                conditional=self.branches > 0,
            )
        )
        if node.attr in ("__dict__", "__class__"):
            self.open.append(f"it assigns self.{node.attr}")

    def _target(self, target: ast.expr) -> None:
        for single in targets(target):
            if isinstance(single, ast.Attribute):
                if self._is_receiver(single.value):
                    self._write(single)
                    continue
                if isinstance(single.value, ast.Name):
                    line, column = place_of_attribute(single)
                    name = mangled(single.attr, self.class_name)
                    self.writes.append(Write(name=name, line=line, column=column, companion=True))
                else:
                    self.visit(single.value)
            elif isinstance(single, ast.Subscript):
                if isinstance(single.value, ast.Attribute) and single.value.attr == "__dict__":
                    self._dictionary_write(single.value, single.slice)
                self.visit(single.value)
                self.visit(single.slice)
            else:
                self.visit(single)

    def _dictionary_write(self, dictionary: ast.Attribute, key: ast.expr) -> None:
        if not self._is_receiver(dictionary.value) and not self.class_name:
            return
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            line, column = place(key)
            self.writes.append(Write(name=key.value, line=line, column=column))
        else:
            self.open.append("it writes to __dict__ by a computed name")

    def _call(self, node: ast.Call) -> None:
        function, arguments = node.func, node.args
        text = dotted(function)
        if text is not None and not text.startswith(f"{self.receiver}."):
            for index, argument in enumerate(arguments):
                if self._is_receiver(argument):
                    self.handed.append((text, index))
            for keyword in node.keywords:
                if keyword.arg is not None and self._is_receiver(keyword.value):
                    self.handed.append((text, keyword.arg))
        if isinstance(function, ast.Attribute):
            self._attribute(function, shape_of(node))
            if isinstance(function.value, ast.Call) and dotted(function.value.func) == "super":
                self.supers.append((function.attr, *place_of_attribute(function)))
            holder = function.value
            if isinstance(holder, ast.Attribute) and holder.attr == "__dict__" and self._is_receiver(holder.value):
                self._updates(function.attr, node)
            if (
                isinstance(holder, ast.Call)
                and dotted(holder.func) == "vars"
                and function.attr in ("update", "setdefault")
            ):
                self.open.append("it updates vars()")
        else:
            self.visit(function)
        if text in ("setattr", "object.__setattr__") or (text or "").endswith(".__setattr__"):
            self._setattr(node)
        if text in _ASKS and len(arguments) >= 2 and self._is_receiver(arguments[0]):
            name = arguments[1]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                self.checked.add(mangled(name.value, self.class_name))
        if text == "isinstance" and arguments and self._is_receiver(arguments[0]):
            self.unjudged = f"isinstance({self.receiver}, …) narrows the class"
        if text in _REWRITERS and arguments and self._is_receiver(arguments[0]):
            self.open.append("update_wrapper copies attributes onto it")
        self._all(arguments)
        self._all(keyword.value for keyword in node.keywords)

    def _updates(self, method: str, node: ast.Call) -> None:
        if method == "update":
            literal = all(isinstance(k, ast.keyword) and k.arg for k in node.keywords) and not node.args
            if literal:
                for keyword in node.keywords:
                    line, column = place(keyword)
                    self.writes.append(Write(name=keyword.arg or "", line=line, column=column))
            elif not self.restoring and not all(map(_is_own_state, node.args)):
                self.open.append("it updates self.__dict__")
        elif method in ("setdefault", "__setitem__") and node.args:
            key = node.args[0]
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                line, column = place(key)
                self.writes.append(Write(name=key.value, line=line, column=column))
            else:
                self.open.append("it updates self.__dict__")

    def _setattr(self, node: ast.Call) -> None:
        text = dotted(node.func) or ""
        bare = text in ("setattr", "object.__setattr__") or (
            text.count(".") == 1 and not text.startswith(f"{self.receiver}.")
        )
        arguments = node.args if bare else [ast.Name(id=self.receiver or "", ctx=ast.Load()), *node.args]
        if len(arguments) < 2 or not isinstance(arguments[0], ast.Name):
            return
        name = arguments[1]
        mine = self._is_receiver(arguments[0])
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            line, column = place(name)
            self.writes.append(Write(name=name.value, line=line, column=column, companion=not mine))
        elif mine or arguments[0].id in ("cls", "obj", "instance", "new", "result", "copy", self.class_name):
            self.open.append("setattr with a computed name")


def _is_own_state(node: ast.expr) -> bool:
    """`other.__dict__` or `vars(other)`: an object's attributes handed to another of its kind add no names."""
    if isinstance(node, ast.Call):
        return dotted(node.func) == "vars"
    return isinstance(node, ast.Attribute) and node.attr == "__dict__"
