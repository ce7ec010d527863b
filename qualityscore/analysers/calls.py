"""Self-calls of a class: who calls whom, and what a call of an own method must fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from qualityscore.analysers.facts import MethodFact, Read
from qualityscore.analysers.functions import keeps_signature
from qualityscore.analysers.lineage import Class
from qualityscore.analysers.signature import CallShape, Signature, misfit


@dataclass(frozen=True, slots=True)
class SelfCall:
    """A call through the receiver."""

    method: MethodFact
    read: Read
    shape: CallShape


def self_calls(owner: Class) -> Iterator[SelfCall]:
    """All calls through the receiver in the class's own methods."""
    for method in owner.fact.methods:
        for read in method.reads:
            if read.call is not None:
                yield SelfCall(method, read, read.call)


def bound_signature(owner: Class, method: MethodFact) -> Signature | None:
    """What a call through an instance must fit; None for what is no plain method."""
    function = method.function
    if method.kind == "property" or not keeps_signature(function.decorators):
        return None
    if method.receiver is None and method.kind != "static":
        return None
    if any(w.name == function.name for c in owner.mro for m in c.fact.methods for w in m.writes):
        return None  # replaced on the instance
    return function.signature if method.kind == "static" else function.signature.bound()


def definitions(owner: Class, name: str) -> list[tuple[Class, MethodFact]]:
    """The method that a call on an instance of exactly this class reaches; several where it is defined conditionally.

    Empty where an ancestor that is nearer binds the name to something else, or where no source shows it.
    """
    for ancestor in owner.mro:
        found = [(ancestor, m) for m in ancestor.fact.methods if m.function.name == name]
        bindings = ancestor.fact.members.get(name, ())
        if found and len(bindings) > len(found):
            return []
        if found:
            return found
        if name in ancestor.own:
            return []
    return []


def misfits(owner: Class, name: str, shape: CallShape) -> str | None:
    """Why a call on an instance cannot fit any definition of the method, or None."""
    reason: str | None = None
    found = definitions(owner, name)
    for ancestor, method in found:
        signature = bound_signature(ancestor, method)
        if signature is None:
            return None
        reason = misfit(shape, signature)
        if reason is None:
            return None
    return reason if found else None
