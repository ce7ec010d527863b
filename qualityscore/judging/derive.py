"""From a functional suite, the suite that runs beside the subject: it records, and knows nothing of what is expected.

Unconditional assertions of test functions become calls of the recorder (`inside/recorder.py`, under the name `__qs__`);
predicates, expected literals, messages, comments and docstrings are not in the derived text. Literals that only moved
assertions read (local variables and module constants bound once, parametrised arguments) leave it too, and the ids of
such parametrisations become opaque. Line numbers stay.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from functools import lru_cache

from qualityscore.judging.inputs import visible_literals
from qualityscore.judging.literals import Known, immutable
from qualityscore.judging.lower import NotLowered, Recording, lower_method, lower_raises, lower_test
from qualityscore.judging.lowered import DerivedSuite, Kept, Lowered, Rows
from qualityscore.judging.names import Module, local_constants
from qualityscore.judging.parametrize import Table, hide, tables
from qualityscore.judging.sites import Site, TestFunction, inherited_tests, raises_kind, test_functions
from qualityscore.judging.source import Edit, Source, docstrings

RECORDER = "__qs__"
_SHOWN = 300
_REMEMBERED = 64  # suite files: a service or a batch judges one task again and again
_Key = tuple[str, str]  # (owner: "" for the module, or a test function; name)


@lru_cache(maxsize=_REMEMBERED)
def derive(source: str, filename: str, exclude: frozenset[str] = frozenset()) -> DerivedSuite:
    """Derive the recording suite of one file. Assertions whose key is in `exclude` stay in the child.

    The result is remembered and shared: not to be changed. Raises SyntaxError when `source` is not Python.
    """
    try:
        text = Source(source)
    except SyntaxError as error:
        error.filename = error.filename or filename
        raise
    module = Module(text.tree)
    functions = tuple(test_functions(module))
    demoted: frozenset[_Key] = frozenset()
    while True:
        attempt = _Pass(text, module, functions, demoted, exclude)
        shared = frozenset(
            key for key in attempt.mutable & (attempt.used | attempt.tried) if not attempt.only_judged(key)
        )
        if not shared:
            break
        demoted |= shared
    rows = attempt.hide()
    attempt.edits.extend(text.replace(statement, "('')") for statement in docstrings(text.tree))
    derived = text.edited(attempt.edits)
    return DerivedSuite(
        source=derived,
        assertions=tuple(attempt.lowered),
        kept=tuple(attempt.kept),
        rows=rows,
        inputs=visible_literals(derived),
        inherited=inherited_tests(module),
    )


@dataclass(slots=True)
class _Scope:
    """What the judge knows in one test function, and where each name is bound."""

    known: Known
    keys: dict[str, _Key]
    tables: list[Table] = field(default_factory=list)


class _Pass:
    """One pass over a file, taking every constant but the demoted ones for the judge's."""

    def __init__(
        self,
        text: Source,
        module: Module,
        functions: tuple[TestFunction, ...],
        demoted: frozenset[_Key],
        exclude: frozenset[str],
    ) -> None:
        self.text, self.module, self.demoted, self.exclude = text, module, demoted, exclude
        self.functions = functions
        self.lowered: list[Lowered] = []
        self.kept: list[Kept] = []
        self.edits: list[Edit] = []
        self.consumed: set[int] = set()
        self.used: set[_Key] = set()
        self.tried: set[_Key] = set()  # read by an assertion that could not move with it
        self.mutable: set[_Key] = set()
        self.scopes: dict[str, _Scope] = {}
        self.values: dict[_Key, ast.expr] = {}  # where each constant's value stands in the source
        self.shared = self._module_scope()
        number = 0
        for function in functions:
            scope = self.scopes[function.owner] = self._scope(function)
            for site in function.sites:
                self._site(f"a{number}", site, function, scope)
                number += 1
            self.consumed.update(id(node) for node in scope.known.consumed)
            self.used.update(scope.keys[node.id] for node in scope.known.consumed)

    # what is known where

    def _module_scope(self) -> _Scope:
        known = Known(self.module, {}, frozenset())
        constants: dict[str, ast.expr] = {}
        keys: dict[str, _Key] = {}
        for constant in self.module.constants():
            key = ("", constant.name)
            literal = Known(self.module, constants, frozenset()).literal(constant.value)
            if literal is not None and key not in self.demoted:
                constants[constant.name], keys[constant.name] = literal, key
                self._remember(key, constant.value, literal)
        known.constants = constants
        return _Scope(known, keys)

    def _remember(self, key: _Key, value: ast.expr, literal: ast.expr) -> None:
        self.values[key] = value
        if not immutable(literal, self.module):
            self.mutable.add(key)

    def _scope(self, function: TestFunction) -> _Scope:
        constants, keys = dict(self.shared.known.constants), dict(self.shared.keys)
        names = self.module.names(function.node)
        found = tables(function.node, Known(self.module, constants, frozenset()))
        arguments = set()
        for table in found:
            for name in table.literal:
                key = (function.owner, name)
                if names.bound[name] == 1 and key not in self.demoted:
                    arguments.add(name)
                    keys[name] = key
                    if name not in table.immutable:
                        self.mutable.add(key)
        for constant in local_constants(function.owner, names, list(function.statements)):
            key = (function.owner, constant.name)
            literal = Known(self.module, constants, frozenset(arguments)).literal(constant.value)
            if literal is not None and key not in self.demoted:
                constants[constant.name], keys[constant.name] = literal, key
                self._remember(key, constant.value, literal)
        return _Scope(Known(self.module, constants, frozenset(arguments)), keys, found)

    def only_judged(self, key: _Key) -> bool:
        """Whether nothing but moved assertions reads a name."""
        owner, name = key
        where: list[ast.AST] = [f.node for f in self.functions if f.owner == owner] if owner else [self.module.tree]
        return all(id(load) in self.consumed for tree in where for load in self.module.names(tree).loads.get(name, ()))

    # what moves

    def _site(self, key: str, site: Site, function: TestFunction, scope: _Scope) -> None:
        known = scope.known
        mark = len(known.consumed)
        try:
            if site.obstacle or key in self.exclude:
                raise NotLowered(site.obstacle or "not reproduced on the reference")
            edit, lowered = self._lower(key, site, function, known)
        except NotLowered as obstacle:
            self.tried.update(scope.keys[node.id] for node in known.consumed[mark:])
            del known.consumed[mark:]
            self.kept.append(Kept(key=key, test=function.name, line=site.line, reason=str(obstacle)))
            return
        self.edits.append(edit)
        self.lowered.append(lowered)

    def _lower(self, key: str, site: Site, function: TestFunction, known: Known) -> tuple[Edit, Lowered]:
        node = site.node
        expression = node.test if isinstance(node, ast.Assert) else _expression(node)
        method = raises_kind(expression, function.case, self.module)
        operands: tuple[ast.expr, ...] = ()
        if method is not None:
            assert isinstance(expression, ast.Call)
            edit, predicate = self._raises(key, node, expression, known, method)
        else:
            recording = Recording()
            if isinstance(node, ast.Assert):
                predicate = ast.unparse(lower_test(expression, known, recording))
            else:
                assert isinstance(expression, ast.Call)
                predicate = ast.unparse(lower_method(expression, known, recording))
            assert not isinstance(node, ast.withitem)
            edit = self.text.call(node, _calls(key, recording))
            operands = tuple(recording.operands)
        names = {name.id for name in ast.walk(ast.parse(predicate, mode="eval")) if isinstance(name, ast.Name)}
        prefix = "assert " if isinstance(node, ast.Assert) else ""
        return edit, Lowered(
            key=key,
            test=function.name,
            line=site.line,
            kind="raises" if method else "values",
            predicate=predicate,
            operands=tuple(self._shown(operand) for operand in operands),
            source=prefix + self._shown(expression),
            arguments=tuple(sorted(names & known.arguments)),
        )

    def _shown(self, node: ast.expr) -> str:
        return " ".join(self.text.segment(node).split())[:_SHOWN]

    def _raises(
        self, key: str, node: ast.Assert | ast.Expr | ast.withitem, call: ast.Call, known: Known, method: str
    ) -> tuple[Edit, str]:
        keywords = {k.arg: k.value for k in call.keywords}
        regex = method == "case_raises" and ast.unparse(call.func).endswith("Regex")
        head = 2 if regex else 1
        with_block = isinstance(node, ast.withitem)
        usual = len(call.args) == head and keywords.keys() <= {"match", "msg"} if with_block else len(call.args) > head
        if not usual or any(isinstance(a, ast.Starred) for a in call.args) or None in keywords:
            raise NotLowered("an expectation in an unusual form")
        match = call.args[1] if regex else (keywords.get("match") if with_block else None)
        lowered = lower_raises(call.args[0], match, known)
        expected: str | ast.expr = lowered.child_class or "None"
        if isinstance(node, ast.withitem):
            return self.text.call(call, [(f"{RECORDER}.{method}", [repr(key), expected])]), lowered.predicate
        arguments = [repr(key), expected, *call.args[head:], *call.keywords]
        return self.text.call(node, [(f"{RECORDER}.raises_call", arguments)]), lowered.predicate

    # what leaves the text

    def hide(self) -> tuple[Rows, ...]:
        """Take the judge's constants and arguments out of the text; the rows whose ids became opaque."""
        for key, value in self.values.items():
            if key in self.used and self.only_judged(key):
                self.edits.append(self.text.replace(value, "(None)"))
        rows = []
        for function in self.functions:
            wanted = {name for moved in self.lowered if moved.test == function.name for name in moved.arguments}
            for index, table in enumerate(self.scopes[function.owner].tables):
                judged = wanted & table.literal.keys()
                if judged:
                    hidden = frozenset(name for name in judged if self.only_judged((function.owner, name)))
                    edits, hidden_rows = hide(self.text, function.name, index, table, hidden)
                    self.edits.extend(edits)
                    rows.append(hidden_rows)
        return tuple(rows)


def _expression(node: ast.Expr | ast.withitem) -> ast.expr:
    return node.context_expr if isinstance(node, ast.withitem) else node.value


def _calls(key: str, recording: Recording) -> list[tuple[str, list[str | ast.expr | ast.keyword]]]:
    first, calls = 0, []
    for method, operands in recording.calls:
        arguments: list[str | ast.expr | ast.keyword] = [repr(key), str(first), *operands]
        calls.append((f"{RECORDER}.{method}", arguments))
        first += len(operands)
    return calls
