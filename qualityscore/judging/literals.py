"""Expressions whose value the judge knows without running anything of the subject."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from qualityscore.judging.names import Module
from qualityscore.judging.predicate_names import CONSTANTS, CONSTRUCTORS, IMMUTABLE_CONSTRUCTORS, TEXT_METHODS, flat

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.BitOr)


class Known:
    """What the judge knows in one function: constants by name, and parametrised arguments.

    `consumed` collects the reads of names that were taken on the judge's side.
    """

    def __init__(self, module: Module, constants: Mapping[str, ast.expr], arguments: frozenset[str]) -> None:
        self.module, self.constants, self.arguments = module, constants, arguments
        self.consumed: list[ast.Name] = []

    def literal(self, node: ast.expr) -> ast.expr | None:
        """`node` with names resolved, ready for the judge; None where its value is not known."""
        mark = len(self.consumed)
        found = self._literal(node)
        if found is None:
            del self.consumed[mark:]
        return found

    def _literal(self, node: ast.expr) -> ast.expr | None:
        match node:
            case ast.Constant(value=value):
                return None if value is ... else node
            case ast.Name(id=name, ctx=ast.Load()):
                return self._name(node, name)
            case ast.UnaryOp(op=op, operand=operand):
                inner = self._literal(operand)
                return ast.UnaryOp(op=op, operand=inner) if inner else None
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _ARITHMETIC):
                sides = self._all([left, right])
                return ast.BinOp(left=sides[0], op=op, right=sides[1]) if sides else None
            case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
                inner_all = self._all(elements)
                if inner_all is None:
                    return None
                if isinstance(node, ast.Set):
                    return ast.Set(elts=inner_all)
                return type(node)(elts=inner_all, ctx=ast.Load())
            case ast.Dict(keys=keys, values=values):
                known_keys = self._all([k for k in keys if k is not None])
                known_values = self._all(values)
                if None in keys or known_keys is None or known_values is None:
                    return None
                return ast.Dict(keys=list(known_keys), values=known_values)
            case ast.Subscript(value=value, slice=index):
                parts = self._all([value, index])
                return ast.Subscript(value=parts[0], slice=parts[1], ctx=ast.Load()) if parts else None
            case ast.Call():
                return self._call(node)
            case ast.Attribute():
                name_of = self.module.dotted(node)
                return ast.Name(id=flat(name_of), ctx=ast.Load()) if name_of in CONSTANTS else None
            case _:
                return None

    def _name(self, node: ast.Name, name: str) -> ast.expr | None:
        if name in self.arguments:
            self.consumed.append(node)
            return node
        if name in self.constants:
            self.consumed.append(node)
            return self.constants[name]
        return None

    def _all(self, nodes: list[ast.expr]) -> list[ast.expr] | None:
        found = [self._literal(node) for node in nodes]
        return [node for node in found if node is not None] if None not in found else None

    def _call(self, node: ast.Call) -> ast.expr | None:
        if any(keyword.arg is None for keyword in node.keywords):
            return None
        arguments = self._all(node.args)
        values = self._all([keyword.value for keyword in node.keywords])
        if arguments is None or values is None:
            return None
        keywords = [ast.keyword(arg=k.arg, value=v) for k, v in zip(node.keywords, values, strict=True)]
        name = self.module.dotted(node.func)
        if name in CONSTRUCTORS:
            return ast.Call(func=ast.Name(id=flat(name), ctx=ast.Load()), args=arguments, keywords=keywords)
        match node.func:
            case ast.Attribute(value=ast.Constant(value=str() | bytes()), attr=attr) if attr in TEXT_METHODS:
                return ast.Call(func=node.func, args=arguments, keywords=keywords)
            case _:
                return None


def immutable(node: ast.expr, module: Module) -> bool:
    """Whether a known expression gives a value that nobody can change."""
    match node:
        case ast.Constant() | ast.Name() | ast.Attribute():
            return True
        case ast.UnaryOp(operand=operand):
            return immutable(operand, module)
        case ast.BinOp(left=left, right=right):
            return immutable(left, module) and immutable(right, module)
        case ast.Tuple(elts=elements):
            return all(immutable(element, module) for element in elements)
        case ast.Call(func=ast.Name(id=name)):
            return name in {flat(n) for n in IMMUTABLE_CONSTRUCTORS}
        case ast.Call(func=ast.Attribute(value=ast.Constant())):
            return True
        case ast.Subscript(value=value):
            return immutable(value, module)
        case _:
            return False
