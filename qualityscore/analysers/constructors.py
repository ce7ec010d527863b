"""What calling a class takes: its `__init__`, its `__new__`, or its fields."""

from __future__ import annotations

from qualityscore.analysers.facts import ClassFact
from qualityscore.analysers.lineage import Class
from qualityscore.analysers.signature import Kind, Parameter, Signature

_DATACLASS = frozenset({"dataclass", "dataclasses.dataclass"})
_ATTRS_FIELDS = frozenset({"field", "attrs.field", "attr.field", "attr.ib", "attrib", "ib"})
_ATTRS = frozenset({"define", "frozen", "mutable", "attrs.define", "attrs.frozen", "attrs.mutable", "attr.define"}) | {
    *("attr.frozen", "attr.mutable", "attr.dataclass"),
}
_HARMLESS = frozenset({"total_ordering", "final", "runtime_checkable", "unique", "deprecated", "dataclass"})


def constructor_of(one: Class) -> Signature | None:
    """The signature of calling the class, without `self`; None where it cannot be known."""
    if any(c.module.name == "enum" and not c.module.repository for c in one.mro):
        return None  # calling an enumeration looks a member up
    if one.open is not None and not _is_own_init(one):
        return None
    for owner in one.mro:
        if _has_fields(owner.fact) and not any(m.function.name == "__init__" for m in owner.fact.methods):
            return _fields_signature(one)
        if _may_replace_constructor(owner):
            return None
        methods = {m.function.name: m for m in owner.fact.methods}
        method = methods.get("__init__") or methods.get("__new__")
        if method is not None:
            return method.function.signature.bound() if not method.function.decorators else None
        if owner.fact.base_fields:
            kind = Kind.EITHER
            return Signature(parameters=tuple(Parameter(name=n, kind=kind) for n in owner.fact.base_fields))
        if "NamedTuple" in {(b or "").rpartition(".")[2] for b in owner.fact.bases}:
            return Signature(parameters=tuple(_parameters(owner.fact, keyword_only=False)))
        if not owner.module.repository:
            return Signature(parameters=()) if owner.fact.name == "object" and owner.module.name == "builtins" else None
    return None


def _may_replace_constructor(owner: Class) -> bool:
    """Whether decorators may make a constructor in a way that is not read."""
    return any(d.rpartition(".")[2] not in _HARMLESS for d in owner.fact.decorators)


def _is_own_init(one: Class) -> bool:
    return any(m.function.name == "__init__" for m in one.fact.methods) and not one.fact.decorators


def _has_fields(fact: ClassFact) -> bool:
    return any(d in _DATACLASS or d in _ATTRS for d in fact.decorators)


def _fields_signature(one: Class) -> Signature:
    """PEP 557: fields of the bases first, an overridden field keeps its place, keyword-only ones go last."""
    found: dict[str, Parameter] = {}
    for owner in reversed(one.mro):
        if _has_fields(owner.fact):
            for parameter in _parameters(owner.fact, keyword_only=owner.fact.keyword_only):
                found[parameter.name] = parameter
    ordered = sorted(found.values(), key=lambda p: p.kind is Kind.KEYWORD)
    return Signature(parameters=tuple(ordered))


def _parameters(fact: ClassFact, *, keyword_only: bool) -> list[Parameter]:
    parameters: list[Parameter] = []
    attrs = any(d in _ATTRS for d in fact.decorators)
    for name, bindings in fact.members.items():
        binding = bindings[-1]
        annotation = binding.annotation or ""
        if binding.excluded or "ClassVar" in annotation:
            continue
        if not annotation and not (attrs and binding.called in _ATTRS_FIELDS):
            continue
        if "KW_ONLY" in annotation:
            keyword_only = True
            continue
        parameters.append(
            Parameter(
                name=name.lstrip("_") if attrs else name,
                kind=Kind.KEYWORD if keyword_only else Kind.EITHER,
                default=binding.default,
                annotation=binding.annotation,
            )
        )
    return parameters
