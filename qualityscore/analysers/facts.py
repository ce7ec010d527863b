"""What one file says, as plain data: taken once per file, merged over files by the analysers.

Lines and columns start at 1. A *reference* is a dotted name as written (`mod.Base`), without subscripts. Facts hold no
syntax tree, so that they are small, can cross a process boundary, and can be cached by the file's content.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from qualityscore.analysers.signature import CallShape, Signature


class Bound(StrEnum):
    """What binds a name."""

    FUNCTION = "function"
    CLASS = "class"
    IMPORT = "import"  # import a.b (binds a, or the whole module under `as`)
    IMPORT_FROM = "import_from"
    ASSIGNMENT = "assignment"
    OTHER = "other"  # loop, with, except, match, walrus, global statement in a function


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportFact:
    """One imported name. `bound` is the local name; `name` is None for `import m` and "*" for a star import."""

    module: str
    level: int
    name: str | None
    bound: str
    line: int
    column: int
    in_function: bool = False
    guarded: bool = False
    typing_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FunctionFact:
    """A function or method. `stub` says why its body does nothing of its own, `transparent` that it is a decorator
    (or makes one) which hands its argument back unchanged."""

    name: str
    qualname: str
    line: int
    column: int
    signature: Signature
    decorators: tuple[str, ...] = ()
    stub: str | None = None
    documented: bool = False
    summary: str = ""
    transparent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Binding:
    """One place that binds a name in a module or class body.

    `conditional` is True below if, try, with, for, while and match; `typing_only` below TYPE_CHECKING. `alias` is the
    reference on the right of `name = reference`, `called` that of `name = reference(...)`; `fields` are the field names
    of a named tuple made by a call.
    """

    name: str
    kind: Bound
    line: int
    column: int
    conditional: bool = False
    typing_only: bool = False
    alias: str | None = None
    called: str | None = None
    constant: str | None = None
    annotation: str | None = None
    default: str | None = None  # of an annotated name: source text, "..." for what a field() call makes
    excluded: bool = False  # a field that is no parameter of the constructor
    fields: tuple[str, ...] | None = None
    function: FunctionFact | None = None
    class_name: str | None = None
    imported: ImportFact | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A read of an attribute of the receiver, and the call's shape where the attribute is called at once."""

    name: str
    line: int
    column: int
    call: CallShape | None = None
    guarded: bool = False
    in_closure: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """An attribute of the receiver that is assigned; `companion` where a method gives it to another object."""

    name: str
    line: int
    column: int
    augmented: bool = False
    companion: bool = False
    conditional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MethodFact:
    """A method with what it does to its receiver. `unjudged` says why its reads cannot be judged."""

    function: FunctionFact
    kind: str  # instance, class, static, property
    receiver: str | None
    reads: tuple[Read, ...] = ()
    writes: tuple[Write, ...] = ()
    checked: frozenset[str] = frozenset()  # names asked for with hasattr or getattr on the receiver
    supers: tuple[tuple[str, int, int], ...] = ()  # methods called through super(), with their places
    handed: tuple[tuple[str, int | str], ...] = ()  # functions that get the receiver, and as which argument
    unjudged: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassFact:
    """A class. `loc` counts its non-blank lines from `class` to its end, comments and docstrings included.

    `bases` are references, None for a base that is no dotted name (a call, a subscripted call). `open` are the reasons
    found in its own text why its attributes cannot be listed. `locals` are the names bound by the functions and classes
    around it, nearest first.
    """

    name: str
    qualname: str
    line: int
    column: int
    loc: int
    bases: tuple[str | None, ...] = ()
    base_fields: tuple[str, ...] = ()
    metaclass: str | None = None
    keywords: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    keyword_only: bool = False  # a dataclass with kw_only=True
    documented: bool = False
    summary: str = ""
    empty: bool = False
    members: dict[str, tuple[Binding, ...]] = field(default_factory=dict)
    methods: tuple[MethodFact, ...] = ()
    slots: tuple[str, ...] | None = None
    open: tuple[str, ...] = ()
    locals: tuple[dict[str, Binding], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A name used; `enclosing_class` is the class whose method uses it and `why` what is wrong with it."""

    name: str
    line: int
    column: int
    function: str | None = None
    enclosing_class: str | None = None
    why: str = "unbound"  # unbound, early, deleted


@dataclass(frozen=True, slots=True, kw_only=True)
class Redefinition:
    """A function or class defined again in the same block without having been used in between."""

    name: str
    line: int
    column: int
    first_line: int
    class_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFact:
    """A call of a reference whose first name is bound at module level."""

    reference: str
    shape: CallShape
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignWrite:
    """An attribute assigned on something else than a receiver.

    `type` is the constructor that made the object, where the same scope shows it, or the class itself for
    `Class.name = value`. `name` is None for setattr with a variable.
    """

    name: str | None
    type: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exports:
    """`__all__` as far as it can be read: names with their places, modules whose own `__all__` it adds, and whether
    some part of it was computed."""

    names: tuple[tuple[str, int, int], ...] = ()
    references: tuple[str, ...] = ()
    computed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModuleFact:
    """Everything taken from one file. `error` is set, and all else empty, where it could not be read."""

    path: str
    error: str | None = None
    error_line: int = 1
    error_column: int = 1
    lines: int = 0
    sloc: int = 0
    documented: bool = False
    imports: tuple[ImportFact, ...] = ()
    bindings: dict[str, tuple[Binding, ...]] = field(default_factory=dict)
    exports: Exports | None = None
    dynamic: str | None = None  # why names may exist that no statement binds: __getattr__, globals(), exec
    makes_classes: bool = False  # it calls type() with three arguments
    fills: dict[int, frozenset[str]] = field(default_factory=dict)  # by line of a function: see Walker.fills
    globals_made: frozenset[str] = frozenset()  # names that functions bind by `global`
    lazy: dict[str, str] = field(default_factory=dict)  # names served by a module-level __getattr__, and from where
    classes: tuple[ClassFact, ...] = ()
    unbound: tuple[Use, ...] = ()
    redefinitions: tuple[Redefinition, ...] = ()
    calls: tuple[CallFact, ...] = ()
    attribute_reads: frozenset[str] = frozenset()
    strings: frozenset[str] = frozenset()
    foreign_writes: tuple[ForeignWrite, ...] = ()
