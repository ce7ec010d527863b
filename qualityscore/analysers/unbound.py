"""Uses of names that nothing binds, or that nothing has bound yet, out of a file's scopes."""

from __future__ import annotations

import bisect
import builtins
from collections import defaultdict

from qualityscore.analysers.facts import Redefinition, Use
from qualityscore.analysers.scopes import Definition, Event, Scope, Walker, resolve

BUILTINS = frozenset(dir(builtins)) | {
    *("__file__", "__path__", "__builtins__", "__annotations__", "__cached__", "__dict__"),
    *("WindowsError", "__conditional_annotations__", "__annotate__"),
}
_IN_CLASS = frozenset({"__module__", "__qualname__", "__firstlineno__", "__static_attributes__", "__classdict__"})
_HARMLESS = frozenset({"staticmethod", "classmethod", "property", "abstractmethod", "wraps", "lru_cache", "cache"})


def unbound_uses(walker: Walker) -> tuple[Use, ...]:
    """All uses that cannot find their name: never bound, bound only later, or deleted for good.

    Star imports and names written into the module's namespace are not considered here: whoever knows the other files
    drops what they explain.
    """
    found: list[Use] = []
    for scope in walker.scopes:
        asked = {name for name, event in scope.used if event.guarded}
        for name, event in scope.used:
            why = _fault(walker, scope, name, event)
            if why is not None and name not in asked:
                found.append(
                    Use(
                        name=name,
                        line=event.line,
                        column=event.column,
                        function=scope.function_name(),
                        enclosing_class=scope.class_name(),
                        why=why,
                    )
                )
    return tuple(sorted(set(found), key=lambda u: (u.line, u.column, u.name)))


def _fault(walker: Walker, scope: Scope, name: str, event: Event) -> str | None:
    home = resolve(scope, name)
    if home is None:
        if name in BUILTINS or _is_implicit(scope, name):
            return None
        return None if event.kind == "delete" and name in walker.module.deleted else "unbound"
    bound = home.bound[name]
    if all(b.kind == "except" for b in bound):
        if not any(b.sequence <= event.sequence <= b.until for b in bound) and name not in BUILTINS:
            return "unbound"
        return None
    if event.lazily:
        return None
    if _is_deleted(home, scope, name, event, bound):
        return "deleted"
    if _direct(scope, home) and _is_early(walker, home, name, event, bound):
        return "early"
    return None


def _is_implicit(scope: Scope, name: str) -> bool:
    if name in _IN_CLASS:
        return scope.kind == "class" or scope.class_name() is not None
    return name == "__class__" and scope.class_name() is not None


def _direct(scope: Scope, home: Scope) -> bool:
    """Whether code of `scope` runs where it stands in `home` (comprehensions and class bodies do, functions do not)."""
    current: Scope | None = scope
    while current is not None and current is not home:
        if current.kind == "function":
            return False
        current = current.parent
    return current is home


def _is_early(walker: Walker, home: Scope, name: str, event: Event, bound: list[Event]) -> bool:
    if home.kind not in ("module", "function") or any(b.sequence < event.sequence for b in bound):
        return False
    if home is walker.module and (name in BUILTINS or walker.stars or any(name in s.globals for s in walker.scopes)):
        return False
    if any(name in s.nonlocals for s in walker.scopes):
        return False
    first = min(b.sequence for b in bound)
    return not any(start <= event.sequence <= end and start <= first <= end for start, end in home.loops)


def _is_deleted(home: Scope, scope: Scope, name: str, event: Event, bound: list[Event]) -> bool:
    """Deleted in a block around the use, in the same scope or (module names) before any function can be called."""
    if home.kind == "class" or any(start <= event.sequence <= end for start, end in home.loops):
        return False
    for deletion in home.deleted.get(name, ()):
        if deletion is event or any(b.sequence > deletion.sequence for b in bound):
            continue
        inside = deletion.blocks == event.blocks[: len(deletion.blocks)]
        if _direct(scope, home):
            if inside and deletion.sequence < event.sequence:
                return True
        elif home.kind == "module" and len(deletion.blocks) == 1:
            return not _is_called_before(home, scope, deletion)
    return False


def _is_called_before(home: Scope, scope: Scope, deletion: Event) -> bool:
    """Whether the function around the use is itself used, or deleted too, before the name goes away."""
    current = scope
    while current.parent is not None and current.parent is not home:
        current = current.parent
    names = {current.name}
    if current.name in home.deleted:
        return True
    return any(name in names and use.sequence < deletion.sequence for name, use in home.used) or current.kind == "class"


def redefinitions(walker: Walker) -> tuple[Redefinition, ...]:
    """Definitions that replace an earlier one of the same block before anything used it."""
    uses: dict[str, list[int]] = defaultdict(list)
    for scope in walker.scopes:
        for name, event in scope.used:
            uses[name].append(event.sequence)
    for sequence in uses.values():
        sequence.sort()
    latest: dict[tuple[int, str, tuple[int, ...]], Definition] = {}
    found: list[Redefinition] = []
    for definition in walker.definitions:
        key = (id(definition.scope), definition.name, definition.event.blocks)
        first = latest.get(key)
        latest[key] = definition
        if first is None or definition.name == "_" or not _is_plain(first) or not _is_plain(definition):
            continue
        between = uses.get(definition.name, [])
        position = bisect.bisect_right(between, first.event.sequence)
        if position < len(between) and between[position] < definition.event.sequence:
            continue
        found.append(
            Redefinition(
                name=definition.name,
                line=definition.event.line,
                column=definition.event.column,
                first_line=first.event.line,
                class_name=definition.scope.name if definition.scope.kind == "class" else None,
            )
        )
    return tuple(found)


def _is_plain(definition: Definition) -> bool:
    """Whether no decorator may have kept the function (as routes, overloads, setters and registrations do)."""
    return all(d.rpartition(".")[2] in _HARMLESS for d in definition.decorators)
