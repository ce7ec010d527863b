"""Any Python value as canonical plain data, so that it can be judged where the code that made it does not run.

The encoded form is JSON: None, booleans, integers below 2**63 and ordinary text stand for themselves; everything else
is an object with one tag, such as `{"float": "0.1"}`, `{"tuple": [...]}`, `{"dict": [[key, value], ...]}` or
`{"object": [type name, {public state}]}`. Subclasses of plain types are reduced: `{"as": type name, "v": plain}`.
What a budget cut off is marked `"cut"`. There are no addresses, and nothing depends on the hash seed.

Types are read through the slots of `type` and `object`, so a value's own `__class__`, `__dict__`, `__eq__`, `__hash__`
and `__repr__` are never asked. What must be asked (items of a mapping that is no dict, an iterator's next element) is
asked within a bound, and an exception from it is recorded.

Modules such as decimal are looked up among the loaded ones rather than imported: a value of their types cannot exist
otherwise, and an import here would hide the subject's own cost.

`decode.py` reads the encoded form back.
"""

from __future__ import annotations

import _json
import types
from collections import abc
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple

if __package__:
    from qualityscore.inside.naming import mro, standard, type_name
else:  # inside the sandbox, where our files have plain names
    from naming import mro, standard, type_name  # type: ignore[import-not-found, no-redef]


class Budget(NamedTuple):
    """Bounds on one encoding: values visited, characters of text and digits, depth, elements drawn from an iterator."""

    nodes: int = 20_000
    text: int = 262_144
    depth: int = 64
    drawn: int = 256


DEFAULT = Budget()
_PLAIN_INT = 1 << 63
_TYPE = type.__dict__
_MISSING = object()


def _writer(colon: str, comma: str) -> Any:
    """JSON's own writer, of C and bound here: what a subject puts into json afterwards is not asked."""
    escape = _json.encode_basestring_ascii
    return _json.make_encoder(None, None, escape, None, colon, comma, True, False, False).__call__


_dense, _spaced = _writer(":", ","), _writer(": ", ", ")


def encode(value: object, *, budget: Budget = DEFAULT) -> Any:
    """The canonical form of `value`. Never raises; iterators among the value are advanced up to `budget.drawn`."""
    try:
        return _Encoder(budget.nodes, budget.text, budget).any(value, 0)
    except (RecursionError, MemoryError):
        return {"cut": "recursion"}


def class_attribute(kind: type, name: str) -> Any:
    """What the class body of `kind` or of a base holds under `name`, unbound; None where there is nothing."""
    for base in mro(kind):
        found = _TYPE["__dict__"].__get__(base).get(name, _MISSING)
        if found is not _MISSING:
            return found
    return None


def public_state(value: object) -> dict[str, Any]:
    """Instance attributes without a leading underscore, from `__dict__` and slots; no property is evaluated."""
    state: dict[str, Any] = {}
    for base in reversed(mro(type(value))):
        for name, slot in list(_TYPE["__dict__"].__get__(base).items()):
            if type(name) is not str:
                continue
            try:
                if name == "__dict__" and type(slot) is types.GetSetDescriptorType:
                    own = slot.__get__(value)
                    state.update((k, v) for k, v in list(dict.items(own)) if type(k) is str)
                elif type(slot) is types.MemberDescriptorType and base.__flags__ & (1 << 9):  # Py_TPFLAGS_HEAPTYPE
                    state[name] = slot.__get__(value)
            except (AttributeError, TypeError, RuntimeError):
                continue
    return {name: state[name] for name in sorted(state) if not name.startswith("_")}


class _Encoder:
    __slots__ = ("budget", "nodes", "path", "text")

    def __init__(self, nodes: int, text: int, budget: Budget, path: list[int] | None = None) -> None:
        self.nodes, self.text, self.budget = nodes, text, budget
        self.path: list[int] = path or []

    def any(self, value: object, depth: int) -> Any:
        kind = type(value)
        if self.nodes <= 0 or depth > self.budget.depth:
            return {"cut": "budget" if self.nodes <= 0 else "depth"}
        self.nodes -= 1
        if value is None or kind is bool:
            return value
        exact = _EXACT.get(id(kind))
        if exact is not None:
            return exact(self, value)
        if id(value) in self.path:
            return {"cycle": len(self.path) - self.path.index(id(value))}
        self.path.append(id(value))
        try:
            return self.compound(value, kind, depth + 1)
        except (RecursionError, MemoryError):
            raise
        except BaseException as error:  # whatever the value's own code throws at us
            return {"object": [type_name(kind), {}], "error": type_name(type(error))}
        finally:
            self.path.pop()

    def compound(self, value: object, kind: type, depth: int) -> Any:
        exact = _COMPOUND.get(id(kind))
        if exact is not None:
            return exact(self, value, depth)
        lazy = _lazy_types()
        for base in mro(kind):
            for table in (_EXACT, _SUBCLASS, lazy):
                reduce = table.get(id(base))
                if reduce is not None:
                    plain = reduce(self, value) if table is _EXACT else reduce(self, value, depth)
                    return plain if base is kind or base is BaseException else {"as": type_name(kind), "v": plain}
        if all(class_attribute(kind, name) is not None for name in ("keys", "items", "__getitem__", "__iter__")):
            return {"as": type_name(kind), "v": self.mapping(value, depth)}
        if all(class_attribute(kind, name) is not None for name in ("__next__", "__iter__")):
            return {"iterator": self.drawn(value, depth)}
        state = public_state(value)
        return {"object": [type_name(kind), {self.label(k): self.any(v, depth) for k, v in state.items()}]}

    # atoms

    def label(self, name: str) -> str:
        plain = self.string(name)
        return plain if isinstance(plain, str) else "".join(_spaced(plain, 0))

    def integer(self, value: Any) -> Any:
        number = int.__int__(value)
        if -_PLAIN_INT < number < _PLAIN_INT:
            return number
        bits = number.bit_length()
        if bits > 4 * self.text:
            self.text = 0
            raw = number.to_bytes(bits // 8 + 1, "big", signed=True)
            return {"int": "", "cut": bits, "sha256": sha256(raw).hexdigest()}
        self.text -= bits // 4
        return {"int": hex(number)}

    def float(self, value: Any) -> Any:
        return {"float": float.__repr__(float.__float__(value))}

    def complex(self, value: Any) -> Any:
        number = complex.__complex__(value)
        return {"complex": [float.__repr__(number.real), float.__repr__(number.imag)]}

    def string(self, value: Any) -> Any:
        text = str.__str__(value)
        if len(text) > self.text:
            return self._long("str", text.encode("utf-8", "surrogatepass"), len(text))
        self.text -= len(text)
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            # two lone surrogates in a row would come back from JSON as one character
            return {"str": text.encode("utf-8", "surrogatepass").hex()}
        return text

    def octets(self, value: Any, tag: str = "bytes") -> Any:
        raw = bytes((bytes if tag == "bytes" else bytearray).__getitem__(value, slice(None)))
        if len(raw) > self.text:
            return self._long(tag, raw, len(raw))
        self.text -= len(raw)
        return {tag: raw.hex()}

    def _long(self, tag: str, raw: bytes, length: int) -> Any:
        return {tag: "", "cut": length, "sha256": sha256(raw).hexdigest()}

    # containers

    def sequence(self, values: Any, depth: int, tag: str) -> Any:
        """`values` is an exact list or tuple."""
        kept = list(values[: max(self.nodes, 0)])
        encoded: dict[str, Any] = {tag: [self.any(v, depth) for v in kept]}
        if len(kept) < len(values):
            encoded["cut"] = len(values)
        return encoded

    def drawn(self, source: Any, depth: int) -> Any:
        limit = self.budget.drawn
        taken: list[Any] = []
        try:
            iterator = iter(source)
            taken.extend(islice(iterator, limit))
        except (RecursionError, MemoryError):
            raise
        except BaseException as error:
            return [*self.sequence(taken, depth, "list")["list"], {"cut": type_name(type(error))}]
        encoded = self.sequence(taken, depth, "list")["list"]
        if len(taken) == limit:
            encoded.append({"cut": "drawn"})
        return encoded

    def iterated(self, source: Any, depth: int, tag: str) -> Any:
        """A subclass of a sequence, through its own iteration."""
        return self.sequence(list(islice(iter(source), self.nodes + 1)), depth, tag)

    def mapping(self, value: Any, depth: int) -> Any:
        """Through its own items(): a dict subclass may keep its content elsewhere."""
        pairs = []
        for item in islice(value.items(), self.nodes + 1):
            key, content = item
            pairs.append((key, content))
        return self.pairs(pairs, depth)

    def exact_dict(self, value: Any, depth: int) -> Any:
        return self.pairs(list(dict.items(value)), depth)

    def pairs(self, pairs: list[tuple[Any, Any]], depth: int) -> Any:
        kept = pairs[: max(self.nodes // 2, 0) + 1]
        encoded: dict[str, Any] = {"dict": [[self.any(k, depth), self.any(v, depth)] for k, v in kept]}
        if len(kept) < len(pairs):
            encoded["cut"] = len(pairs)
        return encoded

    def members(self, values: Any, depth: int, tag: str = "set") -> Any:
        """Sorted by canonical text. Each member has an equal share of the budget, or the cut would follow the seed."""
        elements = list(islice(iter(values), self.nodes + 1))
        if len(elements) > self.nodes:
            return {tag: [], "cut": "budget"}
        nodes = self.nodes // max(len(elements), 1)
        text = self.text // max(len(elements), 1)
        encoded = []
        for element in elements:
            share = _Encoder(nodes, text, self.budget, [*self.path])
            encoded.append(share.any(element, depth))
            self.nodes -= nodes - share.nodes
            self.text -= text - share.text
        return {tag: sorted(encoded, key=canonical)}

    # other types

    def exception(self, value: Any, depth: int) -> Any:
        arguments = BaseException.__dict__["args"].__get__(value)
        state = {self.label(k): self.any(v, depth) for k, v in public_state(value).items()}
        return {"exception": [type_name(type(value)), self.sequence(arguments, depth, "tuple"), state]}

    def named(self, value: Any, tag: str) -> Any:
        if tag == "class":
            return {tag: type_name(value)}
        if tag == "module":
            parts = [types.ModuleType.__getattribute__(value, "__name__")]
        else:
            parts = [getattr(value, "__module__", None), getattr(value, "__qualname__", "?")]
        return {tag: ".".join(str.__str__(p) for p in parts if issubclass(type(p), str))}

    def datetime(self, value: Any, depth: int) -> Any:
        fields = [value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond]
        return {"datetime": [*fields, value.fold, self.any(value.tzinfo, depth)]}

    def time(self, value: Any, depth: int) -> Any:
        fields = [value.hour, value.minute, value.second, value.microsecond, value.fold]
        return {"time": [*fields, self.any(value.tzinfo, depth)]}

    def enum(self, value: Any, depth: int) -> Any:
        state = object.__getattribute__(value, "__dict__")
        name = self.any(dict.get(state, "_name_"), depth)
        return {"enum": [type_name(type(value)), name, self.any(dict.get(state, "_value_"), depth)]}


_EXACT: dict[int, Any] = {
    id(int): _Encoder.integer,
    id(float): _Encoder.float,
    id(complex): _Encoder.complex,
    id(str): _Encoder.string,
    id(bytes): _Encoder.octets,
    id(bytearray): lambda e, v: e.octets(v, "bytearray"),
    id(range): lambda e, v: {"range": [e.integer(v.start), e.integer(v.stop), e.integer(v.step)]},
    id(type(...)): lambda _e, _v: {"singleton": "Ellipsis"},
    id(type(NotImplemented)): lambda _e, _v: {"singleton": "NotImplemented"},
}

_COMPOUND: dict[int, Any] = {
    id(list): lambda e, v, d: e.sequence(v, d, "list"),
    id(tuple): lambda e, v, d: e.sequence(v, d, "tuple"),
    id(dict): _Encoder.exact_dict,
    id(set): _Encoder.members,
    id(frozenset): lambda e, v, d: e.members(v, d, "frozenset"),
    id(slice): lambda e, v, d: {"slice": [e.any(v.start, d), e.any(v.stop, d), e.any(v.step, d)]},
}

_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType)

_SUBCLASS: dict[int, Any] = {
    id(list): lambda e, v, d: e.iterated(v, d, "list"),
    id(tuple): lambda e, v, d: e.iterated(v, d, "tuple"),
    id(dict): _Encoder.mapping,
    id(set): _Encoder.members,
    id(frozenset): lambda e, v, d: e.members(v, d, "frozenset"),
    id(abc.Mapping): _Encoder.mapping,
    id(types.MappingProxyType): _Encoder.mapping,
    id(abc.Set): _Encoder.members,
    id(type({}.keys())): _Encoder.members,
    id(type({}.items())): _Encoder.members,
    id(type({}.values())): lambda e, v, d: e.iterated(v, d, "list"),
    id(abc.ValuesView): lambda e, v, d: e.iterated(v, d, "list"),
    id(abc.Sequence): lambda e, v, d: e.iterated(v, d, "list"),
    id(memoryview): lambda e, v, _d: e.octets(v.tobytes()),
    id(BaseException): _Encoder.exception,
    id(type): lambda e, v, _d: e.named(v, "class"),
    id(types.ModuleType): lambda e, v, _d: e.named(v, "module"),
    **{id(kind): lambda e, v, _d: e.named(v, "function") for kind in _FUNCTIONS},
}

_LAZY: tuple[tuple[str, str, Any], ...] = (
    ("enum", "Enum", _Encoder.enum),
    ("collections", "deque", lambda e, v, d: e.iterated(v, d, "list")),
    ("array", "array", lambda e, v, d: {"array": [v.typecode, e.iterated(v, d, "list")]}),
    ("datetime", "datetime", _Encoder.datetime),
    ("datetime", "date", lambda _e, v, _d: {"date": [v.year, v.month, v.day]}),
    ("datetime", "time", _Encoder.time),
    ("datetime", "timedelta", lambda _e, v, _d: {"timedelta": [v.days, v.seconds, v.microseconds]}),
    ("datetime", "timezone", lambda e, v, d: {"timezone": [e.any(v.utcoffset(None), d), e.string(v.tzname(None))]}),
    ("zoneinfo", "ZoneInfo", lambda e, v, d: {"zoneinfo": e.any(v.key, d)}),
    ("decimal", "Decimal", lambda e, v, _d: {"decimal": e.string(standard("decimal", "Decimal").__str__(v))}),
    ("fractions", "Fraction", lambda e, v, _d: {"fraction": [e.integer(v._numerator), e.integer(v._denominator)]}),
    ("uuid", "UUID", lambda e, v, d: {"uuid": e.any(v.int, d)}),
    ("pathlib", "PurePath", lambda e, v, _d: {"path": e.string(str(v))}),
    ("re", "Pattern", lambda e, v, d: {"pattern": [e.any(v.pattern, d), v.flags]}),
    ("re", "Match", lambda e, v, d: {"match": [e.any(v.span(), d), e.any(v.group(), d), e.any(v.groups(), d)]}),
)


_FIRST = {id(kind): reduce for module, name, reduce in _LAZY if (kind := standard(module, name)) is not None}
_LATER = tuple(entry for entry in _LAZY if standard(*entry[:2]) is None)


def _lazy_types() -> dict[int, Any]:
    table = dict(_FIRST)
    for module, name, reduce in _LATER:
        kind = standard(module, name)
        if kind is not None:
            table[id(kind)] = reduce
    return table


def canonical(data: Any) -> str:
    """One text per encoded value: JSON with sorted keys and nothing to spare."""
    return "".join(_dense(data, 0))


def digest(data: Any) -> str:
    """SHA-256 of an encoded value, blind to the order of dict entries and to which subclass was reduced."""
    return sha256(canonical(_normal(data)).encode()).hexdigest()


def _normal(data: Any) -> Any:
    if isinstance(data, list):
        return [_normal(item) for item in data]
    if not isinstance(data, dict):
        return data
    if data.keys() == {"as", "v"}:
        return _normal(data["v"])
    normal = {key: _normal(item) for key, item in data.items()}
    for tag in ("dict", "set", "frozenset"):
        if isinstance(normal.get(tag), list):
            normal[tag] = sorted(normal[tag], key=canonical)
    return normal
