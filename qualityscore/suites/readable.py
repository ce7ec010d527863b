"""Encoded values (inside/encode.py) for people, and their comparison."""

from __future__ import annotations

import math
from typing import Any

from qualityscore.inside.encode import canonical, digest

_BRACKETS = {"list": "[]", "tuple": "()", "set": "{}", "frozenset": "{}"}


def show(data: Any, limit: int = 200) -> str:
    """One line of at most `limit` characters; the same for the same value, whatever the hash seed. Never raises."""
    try:
        text = _show(data)
    except (ValueError, TypeError, LookupError, RecursionError):
        text = "<not readable>"
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _show(data: Any) -> str:
    if data is None or isinstance(data, bool | int | str):
        return ascii(data) if isinstance(data, str) else repr(data)
    if not isinstance(data, dict) or not data:
        return canonical(data)
    if data.keys() == {"as", "v"}:
        return f"{str(data['as']).rpartition('.')[2]}({_show(data['v'])})"
    tag, body = next(iter(data.items()))
    cut = ", ..." if "cut" in data else ""
    match tag:
        case "list" | "tuple" | "set" | "frozenset":
            inner = ", ".join(_show(item) for item in body)
            comma = "," if tag == "tuple" and len(body) == 1 and not cut else ""
            shown = _BRACKETS[tag][0] + inner + comma + cut + _BRACKETS[tag][1]
            return f"frozenset({shown})" if tag == "frozenset" else shown if body or tag != "set" else "set()"
        case "dict":
            return "{" + ", ".join(f"{_show(k)}: {_show(v)}" for k, v in body) + cut + "}"
        case "float" | "decimal":
            return str(body) if tag == "float" else f"Decimal({body!r})"
        case "int":
            return f"{body}{cut}"
        case "bytes" | "bytearray":
            raw = bytes.fromhex(body)
            return repr(raw) if tag == "bytes" else repr(bytearray(raw))
        case "str":
            return ascii(bytes.fromhex(body).decode("utf-8", "surrogatepass")) + cut
        case "object":
            return f"<{body[0]} object>"
        case "exception":
            return f"{body[0]}{_show(body[1])}"
        case "class" | "function" | "module":
            return f"<{tag} {body}>"
        case "cycle":
            return "<itself>"
        case "cut":
            return "..."
        case "iterator":
            return "iter([" + ", ".join(_show(item) for item in body) + "])"
        case _:
            return f"{tag}({canonical(body)})"


def same(a: Any, b: Any, tolerance: float) -> bool:
    """Whether two encoded values are equal: floats within the relative tolerance, dict order and set order apart.

    A whole number equals the float of its value, as in Python; booleans equal booleans only. Which subclass was reduced
    to plain data does not matter.
    """
    if canonical(a) == canonical(b) or digest(a) == digest(b):
        return True
    a, b = _bare(a), _bare(b)
    x, y = _number(a), _number(b)
    if x is not None and y is not None:
        return x == y or math.isclose(x, y, rel_tol=tolerance, abs_tol=tolerance) or (math.isnan(x) and math.isnan(y))
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(i, j, tolerance) for i, j in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        for tag in ("dict", "set", "frozenset"):
            if tag in a:
                a, b = ({**d, tag: sorted(d[tag], key=_order)} if isinstance(d[tag], list) else d for d in (a, b))
        return all(same(a[key], b[key], tolerance) for key in a)
    return False


def _bare(data: Any) -> Any:
    while isinstance(data, dict) and data.keys() == {"as", "v"}:
        data = data["v"]
    return data


def _number(data: Any) -> float | None:
    try:
        if isinstance(data, int) and not isinstance(data, bool):
            return float(data)
        if isinstance(data, dict) and data.keys() == {"float"}:
            return float(data["float"])
    except (ValueError, TypeError, OverflowError):
        return None
    return None


def _order(data: Any) -> str:
    """Sorts members so that floats which are nearly equal come to the same place."""
    number = _number(_bare(data[0] if isinstance(data, list) and data else data))
    return "1" + canonical(data) if number is None else f"0{number:+.9e}"
