"""Modules that are not the repository's: the standard library of this interpreter, and site-packages where given.

Pure Python modules are read like the repository's, never imported. Built-in and extension modules of the standard
library are imported and listed, since their classes have no source.
"""

from __future__ import annotations

import importlib
import sys
import sysconfig
from functools import cached_property
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType

from qualityscore.analysers.extract import extract_interface
from qualityscore.analysers.facts import Binding, Bound, ClassFact, ModuleFact
from qualityscore.analysers.packing import code_digest, pack, unpacked
from qualityscore.languages.python_dependencies import COMPUTED, normalised
from qualityscore.languages.python_source import Unparsable, decode_file, read_raw
from qualityscore.runtime.static_cache import StaticCache, key_of

# Set by the metaclass or by C code, where neither dir() nor the source shows it.
_EXTRA_MEMBERS = {
    "enum.Enum": (
        *("name", "value", "_name_", "_value_", "_sort_order_", "_member_map_", "_member_names_", "__objclass__"),
        *("_value2member_map_", "_member_type_", "_unhashable_values_", "_generate_next_value_", "_missing_"),
        *("_ignore_", "_use_args_", "_new_member_", "__members__"),
    ),
    "enum.Flag": ("_boundary_", "_flag_mask_", "_all_bits_", "_singles_mask_", "_inverted_"),
    "builtins.BaseException": ("__notes__",),
    "builtins.tuple": ("_fields", "_asdict", "_replace", "_make", "_field_defaults"),
    "builtins.object": (
        *("__dict__", "__weakref__", "__module__", "__annotations__", "__slots__", "__orig_class__"),
        *("__orig_bases__", "__qualname__", "__dataclass_fields__", "__attrs_attrs__", "__parameters__"),
        *("__wrapped__", "__abstractmethods__", "__match_args__", "__dataclass_params__"),
    ),
    "typing.Generic": ("__parameters__", "__orig_class__", "__args__", "__origin__"),
}
_OPEN = {
    "_ctypes.Structure": "its fields are ctypes'",
    "_ctypes.Union": "its fields are ctypes'",
    "ctypes.Structure": "its fields are ctypes'",
    "ctypes.Union": "its fields are ctypes'",
}
_ALREADY_SAFE = frozenset(
    {"types", "typing", "collections", "collections.abc", "_collections_abc", "weakref", "operator"}
)
_PYDANTIC = frozenset({"pydantic", "pydantic.main"})


class Library:
    """Finds and reads library modules by dotted name, each once."""

    def __init__(
        self,
        site_packages: tuple[Path, ...] = (),
        *,
        cache: Path | None = None,
        declared: frozenset[str] = frozenset(),
        assumed: bool = False,
        around: Path | None = None,
    ) -> None:
        """`declared` are the distributions that the repository says it needs: where one of them is not installed in
        `site_packages`, a module that cannot be found may be its. `assumed` says that nobody said that the repository's
        environment is `site_packages`: what is absent there may be present in its own. `around` is the folder on
        the import path that encloses what was given, where that is a part of something larger."""
        self._around = around
        self._declared = declared
        self.assumed = assumed
        self._store = StaticCache(cache)
        self._cached = cache is not None
        self._roots = (Path(sysconfig.get_path("stdlib")), *site_packages)
        self._site_packages = site_packages
        self._known: dict[str, ModuleFact | None] = {}

    @cached_property
    def doubt(self) -> str | None:
        """Why a module that is nowhere to be found may exist all the same."""
        if not self._site_packages:
            return "no environment was given"
        installed = {
            normalised(entry.name.partition("-")[0])
            for root in self._site_packages
            for entry in root.glob("*.dist-info")
        }
        absent = sorted(self._declared - installed)
        if COMPUTED in absent:
            return "the repository declares more distributions than can be read"
        return f"the repository declares {absent[0]}, which is not installed" if absent else None

    def module(self, dotted: str) -> ModuleFact | None:
        """The facts of a library module, None where there is none. A package's facts have a path that ends in
        `__init__.py`."""
        if dotted not in self._known:
            self._known[dotted] = self._load(dotted)
        return self._known[dotted]

    def exists(self, dotted: str) -> bool:
        """Whether such a module can be found, without reading it."""
        if dotted.partition(".")[0] in sys.stdlib_module_names:
            if "." not in dotted or dotted in sys.modules:
                return True
            if self._file(dotted) is not None:
                return True
            return self._parent_is_no_package(dotted)
        return self._file(dotted) is not None or self._namespace(dotted)

    def _parent_is_no_package(self, dotted: str) -> bool:
        """`os.path`, `six.moves`-like submodules set by hand: the parent is a plain module, so nothing is known."""
        parent = self._file(dotted.rpartition(".")[0])
        return parent is not None and parent.name != "__init__.py"

    def _namespace(self, dotted: str) -> bool:
        parts = dotted.split(".")
        return any(root.joinpath(*parts).is_dir() for root in self._site_packages)

    def lies_around(self, dotted: str) -> bool:
        """Whether the folder that encloses what was given has such a module, which nobody asked to read."""
        if self._around is None:
            return False
        return self._around.joinpath(*dotted.split(".")).is_dir() or self._file(dotted, (self._around,)) is not None

    def _file(self, dotted: str, roots: tuple[Path, ...] | None = None) -> Path | None:
        parts = dotted.split(".")
        for root in self._roots if roots is None else roots:
            folder = root.joinpath(*parts)
            for candidate in (folder / "__init__.py", folder.with_name(parts[-1] + ".py")):
                if candidate.is_file():
                    return candidate
            for suffix in EXTENSION_SUFFIXES:
                for place in (folder.with_name(parts[-1] + suffix), root / "lib-dynload" / (parts[-1] + suffix)):
                    if place.is_file():
                        return place
        return None

    def _load(self, dotted: str) -> ModuleFact | None:
        top = dotted.partition(".")[0]
        if dotted in _PYDANTIC:
            # its metaclass keeps the source from telling; the class itself does
            return _introspected("pydantic", importlib.import_module("pydantic"), only=("BaseModel",))
        if dotted in sys.builtin_module_names:
            return _introspected(dotted, importlib.import_module(dotted))
        file = self._file(dotted)
        if file is None:
            return None
        if file.suffix != ".py":
            if top in sys.stdlib_module_names:
                try:
                    return _introspected(dotted, importlib.import_module(dotted))
                except ImportError:
                    return None
            return None
        fact = self._read(file)
        return None if fact is None or fact.error else fact

    def _read(self, file: Path) -> ModuleFact | None:
        raw = read_raw(file.parent, file.name)
        if isinstance(raw, Unparsable):
            return None
        key = key_of("interface", code_digest(), sys.version, str(file), raw.digest)
        known = unpacked(self._store.get([key]).get(key)) if self._cached else None
        if known is not None:
            return known
        source = decode_file(raw)
        if isinstance(source, Unparsable):
            return None
        fact = extract_interface(str(file), source.text)
        self._store.put({key: pack(fact)} if self._cached else {})
        return fact

    def runtime_class(self, dotted: str, name: str) -> ClassFact | None:
        """A class of a few standard modules that their source does not show as one (aliases made by calls)."""
        if dotted not in _ALREADY_SAFE:
            return None
        value = getattr(importlib.import_module(dotted), name, None)
        value = getattr(value, "__origin__", value)
        return _class_of(value, name) if isinstance(value, type) else None


def extra_members(qualified: str) -> tuple[str, ...]:
    """Attributes of a library class that its text does not show."""
    return _EXTRA_MEMBERS.get(qualified, ())


def open_reason(qualified: str) -> str | None:
    """Why a library class's attributes cannot be listed."""
    return _OPEN.get(qualified)


def _introspected(dotted: str, module: ModuleType, only: tuple[str, ...] = ()) -> ModuleFact:
    bindings: dict[str, tuple[Binding, ...]] = {}
    classes: list[ClassFact] = []
    for name in sorted(only or dir(module)):
        value = getattr(module, name, None)
        if isinstance(value, type):
            classes.append(_class_of(value, name))
        kind = Bound.CLASS if isinstance(value, type) else Bound.OTHER
        bindings[name] = (
            Binding(name=name, kind=kind, line=1, column=1, class_name=name if kind is Bound.CLASS else None),
        )
    return ModuleFact(path=f"<{dotted}>", bindings=bindings, classes=tuple(classes))


def _class_of(value: type, name: str) -> ClassFact:
    members: dict[str, tuple[Binding, ...]] = {
        attribute: (Binding(name=attribute, kind=Bound.OTHER, line=1, column=1),) for attribute in sorted(dir(value))
    }
    bases = () if value is object else ("builtins.object",)
    if value is type:
        bases = ("builtins.object",)
    metaclass = None if type(value) is type else type(value).__name__
    if metaclass in ("ABCMeta", "EnumType", "EnumMeta", "ModelMetaclass"):
        metaclass = None
    if issubclass(value, BaseException) and value is not BaseException:
        bases = ("builtins.BaseException",)
    if issubclass(value, tuple) and value is not tuple:
        bases = ("builtins.tuple",)
    return ClassFact(
        name=name, qualname=name, line=1, column=1, loc=1, bases=bases, members=members, metaclass=metaclass
    )
