"""Attributes of a class against the reads of them: which reads can be judged, and which of those find nothing."""

from __future__ import annotations

import builtins
import difflib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from qualityscore.analysers.facts import MethodFact, Read
from qualityscore.analysers.lineage import Class, Classes

_OF_CLASSES = frozenset(dir(type))
_CLOSE = 0.8  # difflib's ratio from which two names count as a slip of the pen


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One read of an attribute through the receiver. `reason` says why it was not judged."""

    owner: Class
    method: MethodFact
    read: Read
    defined: bool
    reason: str | None = None


@dataclass(slots=True)
class Tally:
    """How many reads were judged, and why the others were not."""

    reads: int = 0
    judged: int = 0
    unjudged: Counter[str] = field(default_factory=Counter)

    def add(self, judgement: Judgement) -> None:
        """Count one read."""
        self.reads += 1
        if judgement.reason is None:
            self.judged += 1
        else:
            self.unjudged[judgement.reason] += 1


def judge(classes: Classes) -> Iterator[Judgement]:
    """Judge every read of every class of the repository."""
    for owner in classes.all:
        asked: frozenset[str] | None = None
        for method in owner.fact.methods:
            for read in method.reads:
                reason = unjudged(owner, method, read)
                defined = is_defined(owner, method, read.name)
                if reason is None and not defined:
                    if asked is None:
                        asked = frozenset().union(*(m.checked for c in owner.mro for m in c.fact.methods))
                    reason = _may_exist(classes, owner, read.name, asked)
                yield Judgement(owner=owner, method=method, read=read, defined=defined, reason=reason)


def unjudged(owner: Class, method: MethodFact, read: Read) -> str | None:
    """Why a read cannot be judged whatever its name, or None."""
    if method.unjudged is not None:
        return method.unjudged
    if owner.open is not None:
        return owner.open
    if any(c.fact.qualname == "type" and c.module.name == "builtins" for c in owner.mro):
        return "its class is a metaclass"
    if owner.is_mixin:
        return "its class is a mixin"
    return "an AttributeError is expected" if read.guarded else None


def is_defined(owner: Class, method: MethodFact, name: str) -> bool:
    """Whether the class or an ancestor has the attribute."""
    if name in owner.attributes:
        return True
    of_class = method.kind == "class" or (method.receiver or "").strip("_") in ("cls", "klass")
    return of_class and name in _OF_CLASSES


def _may_exist(classes: Classes, owner: Class, name: str, asked: frozenset[str]) -> str | None:
    if name in asked:
        return "the class asks with hasattr or getattr first"
    if name in classes.anywhere:
        return "other code assigns the name on objects of unknown class"
    for child in owner.descendants():
        if name in child.attributes:
            return "a derived class defines it"
    return None


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that was probably meant: equal but for underscores and case, else one slip of the pen away."""
    known = sorted(c for c in set(candidates) if not (c.startswith("__") and c.endswith("__")))
    plain = normal(name)
    for candidate in known:
        if normal(candidate) == plain:
            return candidate
    close = difflib.get_close_matches(name, known, n=1, cutoff=_CLOSE)
    return close[0] if close else None


def normal(name: str) -> str:
    """The name without underscores and case, which is how near-identical fields are compared."""
    return name.replace("_", "").lower()


def shown(name: str, owner: Class) -> str:
    """The attribute as the source writes it (private names without the class's mangling)."""
    prefix = f"_{owner.fact.name.lstrip('_')}__"
    return name.removeprefix(prefix[:-2]) if name.startswith(prefix) else name


def is_exception_like(owner: Class) -> bool:
    """Whether the class derives from a built-in exception."""
    kinds = (getattr(builtins, c.fact.name, None) for c in owner.mro if c.module.name == "builtins")
    return any(isinstance(k, type) and issubclass(k, BaseException) for k in kinds)
