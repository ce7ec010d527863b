"""Classes with their ancestors: which attributes they can have, and whether that can be known at all."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from qualityscore.analysers.facts import ClassFact, MethodFact
from qualityscore.analysers.library import extra_members, open_reason
from qualityscore.analysers.project import (
    ClassEntity,
    Entity,
    FunctionEntity,
    Module,
    Project,
    UnknownEntity,
    ValueEntity,
)

_PLAIN_METACLASSES = frozenset({"type", "ABCMeta", "EnumMeta", "EnumType", "_ProtocolMeta", "NamedTupleMeta"})
_PLAIN_DECORATORS = frozenset(
    {
        *("dataclass", "total_ordering", "final", "runtime_checkable", "unique", "skip", "skipIf", "skipUnless"),
        *("deprecated", "dataclass_transform", "python_2_unicode_compatible", "disjoint_base", "type_check_only"),
        *("verify", "usefixtures", "parametrize", "implementer", "implementer_only", "provider"),
    }
)
_ATTRS = frozenset({"attr.s", "attr.attrs", "attr.dataclass", "attr.define", "attr.mutable", "attr.frozen"}) | {
    *("attrs.define", "attrs.mutable", "attrs.frozen", "attrs", "define", "frozen", "mutable"),
}
_TYPING = frozenset({"typing", "typing_extensions", "_typing"})
_SPECIAL_BASES = {"NamedTuple": "tuple", "TypedDict": "dict", "Protocol": "object", "Generic": "object"}
_ANCESTORS = 200  # no honest class comes near; without a limit a chain of n classes takes n^2 memory and n^3 time
_MIXIN = re.compile(r"mix[ _-]?in", re.IGNORECASE)

Key = tuple[str, str]
Under = Generator[ClassEntity, "Class", "Class"]


@dataclass(slots=True, eq=False)
class Class:
    """A class in its project. `own` are the attributes that its own text and the repository's other code give it."""

    module: Module
    fact: ClassFact
    own: frozenset[str]
    mro: tuple[Class, ...] = ()
    attributes: frozenset[str] = frozenset()
    open: str | None = None  # why its attributes, ancestors' included, cannot be listed
    children: tuple[Class, ...] = ()

    @property
    def qualname(self) -> str:
        """Name with the classes and functions around it."""
        return self.fact.qualname

    @property
    def is_mixin(self) -> bool:
        """Whether its name says that it relies on the classes that it is mixed into."""
        return _MIXIN.search(self.fact.name) is not None or _MIXIN.search(self.fact.summary) is not None

    def find(self, name: str) -> Iterator[tuple[Class, MethodFact]]:
        """The methods of that name, nearest class first."""
        for owner in self.mro:
            for method in owner.fact.methods:
                if method.function.name == name:
                    yield owner, method

    def descendants(self) -> Iterator[Class]:
        """All classes of the repository that derive from this one."""
        pending, seen = list(self.children), {id(self)}
        while pending:
            child = pending.pop()
            if id(child) not in seen:
                seen.add(id(child))
                yield child
                pending.extend(child.children)


class Classes:
    """All classes of a project's repository with their ancestors, the library's among them."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.anywhere: set[str] = set()  # attributes that some code assigns on objects of unknown class
        self._given: dict[int, set[str]] = defaultdict(set)
        self._rewritten: dict[int, str] = {}
        self._known: dict[int, Class] = {}
        self._under_way: set[int] = set()
        self._take_foreign_writes()
        self.all = tuple(self.of(module, fact) for module in project for fact in module.fact.classes)
        children: dict[int, list[Class]] = defaultdict(list)
        for one in self.all:
            for ancestor in one.mro[1:]:
                children[id(ancestor)].append(one)
        for one in list(self._known.values()):
            one.children = tuple(children.get(id(one), ()))

    def _take_foreign_writes(self) -> None:
        for module in self.project:
            if module.fact.makes_classes:
                self.anywhere |= module.fact.strings
            for write in module.fact.foreign_writes:
                entities = self.project.resolve(module, write.type) if write.type else ()
                classes = [e.fact for e in entities if isinstance(e, ClassEntity)]
                for fact in classes:
                    if write.name is None:
                        self._rewritten[id(fact)] = "other code sets attributes on it by computed names"
                    else:
                        self._given[id(fact)].add(write.name)
                if write.name is not None and not classes:
                    self.anywhere.add(write.name)

    def of(self, module: Module, fact: ClassFact) -> Class:
        """The class with its ancestors; one with more than `_ANCESTORS` counts as having an unknown base.

        Without recursion: how long a chain of classes is, the subject decides.
        """
        known = self._known.get(id(fact))
        if known is not None:
            return known
        building = [self._build(module, fact)]
        answer: Class | None = None
        while building:
            try:
                # a generator that has not begun takes None only; no other one is ever sent it
                wanted = next(building[-1]) if answer is None else building[-1].send(answer)
            except StopIteration as stop:
                building.pop()
                answer = stop.value
                continue
            answer = self._known.get(id(wanted.fact))
            if answer is None:
                building.append(self._build(wanted.module, wanted.fact))
        assert answer is not None
        return answer

    def _build(self, module: Module, fact: ClassFact) -> Under:
        """Asks for the classes that the class rests on, one by one, and returns it."""
        one = Class(module=module, fact=fact, own=self._own(module, fact))
        self._known[id(fact)] = one
        self._under_way.add(id(fact))
        reasons = [*fact.open, self._rewritten.get(id(fact)), *self._decorators(module, fact)]
        if not module.repository:
            reasons.append(open_reason(f"{module.name}.{fact.qualname}"))
        mro: list[Class] = [one]
        seen: set[Class] = {one}
        reasons.append((yield from self._metaclass(module, fact)))
        reasons.extend(self._fillers(module, fact))
        for found in self._bases(module, fact):
            if isinstance(found, str):
                reasons.append(found)
                continue
            base = (yield found) if isinstance(found, ClassEntity) else found
            if id(base.fact) in self._under_way:
                reasons.append("it derives from itself")
                continue
            reasons.append(base.open)
            if len(seen.union(base.mro)) > _ANCESTORS:
                reasons.append(f"it has more than {_ANCESTORS} ancestors")
                continue
            seen.update(base.mro)
            mro.extend(base.mro)
        self._under_way.discard(id(fact))
        one.mro = tuple(reversed(dict.fromkeys(reversed(mro))))
        one.attributes = frozenset().union(*(c.own for c in one.mro))
        one.open = next((r for r in reasons if r), None)
        return one

    def _own(self, module: Module, fact: ClassFact) -> frozenset[str]:
        names = set(fact.members) | set(fact.slots or ()) | set(fact.base_fields) | self._given.get(id(fact), set())
        for method in fact.methods:
            names.update(w.name for w in method.writes)
        for binding in (b for bindings in fact.members.values() for b in bindings):
            names.update(binding.fields or ())
        if not module.repository:
            names.update(extra_members(f"{module.name}.{fact.qualname}"))
        return frozenset(names)

    def _decorators(self, module: Module, fact: ClassFact) -> Iterator[str | None]:
        for decorator in fact.decorators:
            last = decorator.rpartition(".")[2]
            if last in _PLAIN_DECORATORS or decorator in _ATTRS or not module.repository:
                continue
            entities = self.project.resolve(module, decorator, fact.locals)
            if entities and all(isinstance(e, FunctionEntity) and e.fact.transparent for e in entities):
                continue
            yield f"decorator {decorator} may rewrite it"

    def _fillers(self, module: Module, fact: ClassFact) -> Iterator[str | None]:
        """Functions that get the instance and may set attributes on it by computed names."""
        if not module.repository:
            return
        for reference, argument in dict.fromkeys(h for m in fact.methods for h in m.handed):
            for entity in self.project.resolve(module, reference) if self.project.is_local(module, reference) else ():
                if isinstance(entity, FunctionEntity) and entity.fact.line in entity.module.fact.fills:
                    slots = entity.fact.signature.by_position()
                    name = slots[argument].name if isinstance(argument, int) and argument < len(slots) else argument
                    if name in entity.module.fact.fills[entity.fact.line]:
                        yield f"it hands itself to {reference}, which sets attributes by computed names"

    def _metaclass(self, module: Module, fact: ClassFact) -> Generator[ClassEntity, Class, str | None]:
        if fact.metaclass is None:
            return "it sets __metaclass__" if "__metaclass__" in fact.members else None
        if fact.metaclass.rpartition(".")[2] in _PLAIN_METACLASSES:
            return None
        for entity in self.project.resolve(module, fact.metaclass, fact.locals):
            if not isinstance(entity, ClassEntity):
                return f"metaclass {fact.metaclass} is unknown"
            meta = yield entity
            if any(c.module.repository or c.module.name not in ("builtins", "abc", "enum", "typing") for c in meta.mro):
                return f"metaclass {fact.metaclass} may rewrite it"
        return None

    def _bases(self, module: Module, fact: ClassFact) -> Iterator[ClassEntity | Class | str]:
        if not fact.bases and (module.repository or module.name != "builtins"):
            yield from self._builtin("object")
        for reference in fact.bases:
            if reference is None:
                yield "a base is computed"
                continue
            yield from self._base(module, fact, reference)

    def _base(self, module: Module, fact: ClassFact, reference: str) -> Iterator[ClassEntity | Class | str]:
        name = reference.removeprefix("builtins.")
        if name != reference:
            yield from self._builtin(name)
            return
        special = _SPECIAL_BASES.get(reference.rpartition(".")[2])
        entities = self.project.resolve(module, reference, fact.locals)
        if special and _is_from_typing(module, reference):
            yield from self._builtin(special)
            return
        if not entities:
            yield f"base {reference} is bound nowhere"
        if any(isinstance(e, ClassEntity) for e in entities):
            # `try: from new import Base / except ImportError: from old import Base` offers the same interface twice
            entities = tuple(e for e in entities if not isinstance(e, UnknownEntity))
        for entity in entities:
            yield from self._base_of(reference, entity, len(entities))

    def _base_of(self, reference: str, entity: Entity, alternatives: int) -> Iterator[ClassEntity | Class | str]:
        match entity:
            case ClassEntity():
                yield entity
            case ValueEntity(_, binding) if binding.fields is not None:
                yield from self._builtin("tuple")
                fields = ClassFact(
                    name=binding.name,
                    qualname=binding.name,
                    line=binding.line,
                    column=binding.column,
                    loc=1,
                    base_fields=binding.fields,
                )
                yield self._synthetic(entity.module, fields)
            case UnknownEntity(reason):
                yield f"base {reference} is unknown: {reason}"
            case ValueEntity(_, binding) if binding.constant == "None" and alternatives > 1:
                return  # try: from x import Base / except ImportError: Base = None
            case _:
                yield f"base {reference} is no class that can be read"

    def _synthetic(self, module: Module, fact: ClassFact) -> Class:
        one = Class(module=module, fact=fact, own=frozenset(fact.base_fields))
        one.mro = (one,)
        one.attributes = one.own
        self._known[id(fact)] = one
        return one

    def _builtin(self, name: str) -> Iterator[ClassEntity | Class | str]:
        module = self.project.locate("builtins")
        fact = module.classes.get(name) if module is not None else None
        if module is None or fact is None:
            yield f"builtin {name} is unknown"
        else:
            yield ClassEntity(module, fact)


def _is_from_typing(module: Module, reference: str) -> bool:
    bindings = module.fact.bindings.get(reference.partition(".")[0], ())
    return any(b.imported is not None and b.imported.module.rpartition(".")[2] in _TYPING for b in bindings)
