"""Encoded values (`encode.py`) read back, as plain data only.

What arrives was written next to the subject, so nothing about its form is trusted: whatever is not a well-formed
encoding is a ValueError, and no class is ever looked up by name. Runs outside the sandbox.
"""

from __future__ import annotations

import datetime
import json
from array import array
from collections.abc import Sized
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from qualityscore.inside.encode import canonical, digest

_MAX_DEPTH = 300
_PLAIN_TAGS = {
    *("int", "float", "complex", "str", "bytes", "bytearray", "range", "slice", "singleton", "list", "tuple", "dict"),
    *("set", "frozenset", "array", "datetime", "date", "time", "timedelta", "timezone", "zoneinfo", "decimal"),
    *("fraction", "uuid", "path"),
}
_PARTIAL = frozenset({"list", "tuple", "dict", "set", "frozenset", "iterator"})


class Opaque:
    """A value that did not come back as plain data: its type's name and its encoded public state. Equal by these."""

    __slots__ = ("_digest", "state", "type_name")

    def __init__(self, type_name: str, state: Any) -> None:
        self.type_name, self.state = type_name, state
        self._digest = digest([type_name, state])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque) and self._digest == other._digest

    def __hash__(self) -> int:
        return hash(self._digest)

    def __repr__(self) -> str:
        return f"<{self.type_name} {canonical(self.state)}>"


def parse(raw: bytes | str) -> Any:
    """JSON from the sandbox. Raises ValueError for anything that is not JSON of bearable depth and digits."""
    try:
        return json.loads(raw)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def decode(data: Any) -> Any:
    """The value that `data` stands for. Raises ValueError where `data` is not an encoding."""
    try:
        return _decode(data, 0)
    except ValueError:
        raise
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except (TypeError, LookupError, AttributeError, ArithmeticError, OSError) as error:
        raise ValueError(f"not an encoded value: {error}") from None


def _decode(data: Any, depth: int) -> Any:
    if depth > _MAX_DEPTH:
        raise ValueError("nested too deeply")
    if data is None or isinstance(data, bool | int | str):
        return data
    if not isinstance(data, dict) or not data:
        raise ValueError("not an encoded value")
    if "v" in data:
        _only(data, {"as", "v"})
        return _decode(data["v"], depth + 1)
    tag = next(iter(data))
    if len(data) > 1 or tag not in _PLAIN_TAGS:
        name = data[tag][0] if tag in {"object", "exception", "enum"} else tag
        if not isinstance(name, str):
            raise ValueError("not an encoded value")
        return Opaque(name, data)
    return _plain(tag, data[tag], depth + 1)


def _plain(tag: str, body: Any, depth: int) -> Any:
    match tag:
        case "list" | "tuple" | "set" | "frozenset":
            items = [_decode(item, depth) for item in _list(body)]
            if tag in {"set", "frozenset"}:
                items = [_hashable(item, raw) for item, raw in zip(items, body, strict=True)]
            return {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}[tag](items)
        case "dict":
            pairs = [_list(pair, 2) for pair in _list(body)]
            return {_hashable(_decode(key, depth), key): _decode(value, depth) for key, value in pairs}
        case "int":
            return int(_text(body), 16)
        case "float":
            return float(_text(body))
        case "complex":
            return complex(*(float(_text(part)) for part in _list(body, 2)))
        case "str":
            return bytes.fromhex(_text(body)).decode("utf-8", "surrogatepass")
        case "bytes":
            return bytes.fromhex(_text(body))
        case "bytearray":
            return bytearray.fromhex(_text(body))
        case "range":
            return range(*(_decode(part, depth) for part in _list(body, 3)))
        case "slice":
            return slice(*(_decode(part, depth) for part in _list(body, 3)))
        case "singleton":
            return {"Ellipsis": ..., "NotImplemented": NotImplemented}[body]
        case "array":
            return array(_text(_list(body, 2)[0]), _decode(body[1], depth))
        case "path":
            return PurePosixPath(_text(_decode(body, depth)))
        case "uuid":
            return UUID(int=_decode(body, depth))
        case "decimal":
            return Decimal(_text(body))
        case "fraction":
            return Fraction(*(_decode(part, depth) for part in _list(body, 2)))
        case _:
            return _moment(tag, body, depth)


def _moment(tag: str, body: Any, depth: int) -> Any:
    match tag:
        case "date":
            return datetime.date(*_list(body, 3))
        case "timedelta":
            return datetime.timedelta(*_list(body, 3))
        case "zoneinfo":
            return ZoneInfo(_text(_decode(body, depth)))
        case "timezone":
            offset, name = _list(body, 2)
            return datetime.timezone(_decode(offset, depth), _text(_decode(name, depth)))
        case "datetime" | "time":
            *fields, fold, zone = _list(body)
            tzinfo = _decode(zone, depth)
            if isinstance(tzinfo, Opaque):
                return Opaque(f"datetime.{tag}", {tag: body})
            kind: Any = datetime.datetime if tag == "datetime" else datetime.time
            return kind(*fields, tzinfo=tzinfo, fold=fold)
        case _:
            raise ValueError("not an encoded value")


def _only(data: dict[str, Any], keys: set[str]) -> None:
    if data.keys() != keys:
        raise ValueError("not an encoded value")


def _list(body: Any, length: int | None = None) -> list[Any]:
    if not isinstance(body, list) or (length is not None and len(body) != length):
        raise ValueError("not an encoded value")
    return body


def _text(body: Any) -> str:
    if not isinstance(body, str):
        raise ValueError("not an encoded value")
    return body


def _hashable(value: Any, raw: Any) -> Any:
    """A reduced subclass may have been hashable where its plain form is not."""
    try:
        hash(value)
    except TypeError:
        return Opaque("unhashable", raw)
    return value


def is_plain(data: Any) -> bool:
    """Whether the encoding came through whole: plain data at every depth, nothing cut, no cycle, no object."""
    try:
        return _no_opaque(decode(data))
    except ValueError:
        return False


def _no_opaque(value: Any) -> bool:
    if isinstance(value, Opaque):
        return False
    if isinstance(value, dict):
        return all(_no_opaque(k) and _no_opaque(v) for k, v in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return all(_no_opaque(item) for item in value)
    if isinstance(value, slice):
        return all(_no_opaque(item) for item in (value.start, value.stop, value.step))
    return True


def is_trivial(data: Any) -> bool:
    """None, booleans, 0, 1, -1, empty values, and whatever is opaque (scoring.md section 4, Credibility).

    What a budget cut off, or an iterator gave, is as good as a value while something of it is there.
    """
    try:
        value = decode(data)
    except ValueError:
        return True
    if value is None or isinstance(value, bool):
        return True
    if isinstance(value, Opaque):
        body = next(iter(value.state.values())) if isinstance(value.state, dict) else None
        return "sha256" not in value.state and not (isinstance(body, list) and body and value.type_name in _PARTIAL)
    if isinstance(value, Decimal) and value.is_snan():
        return False
    if isinstance(value, int | float | complex | Decimal | Fraction):
        return value in (0, 1, -1)
    if isinstance(value, Sized | datetime.timedelta):
        return not value
    return value is ... or value is NotImplemented
