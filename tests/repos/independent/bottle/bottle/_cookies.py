"""Cookies: their form in headers, and signatures."""

from __future__ import annotations

import ast
import base64
import binascii
import hmac
import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta, timezone
from email.utils import formatdate
from typing import Any

_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+\Z")
_PLAIN_VALUE = re.compile(r"[!#$%&'()*+\-./:<=>?@\[\]^_`{|}~0-9A-Za-z]*\Z")
_ESCAPE = re.compile(r"\\(?:([0-3][0-7][0-7])|(.))", re.DOTALL)
_KEPT = 4096
_UNSAFE_OPTION = re.compile(r"[;\x00-\x1f\x7f]")


def _quote(value: str) -> str:
    """The value as it may be sent, as a quoted text with octal escapes if need be."""
    if _PLAIN_VALUE.match(value):
        return value
    quoted = []
    for byte in value.encode("utf-8"):
        char = chr(byte)
        if char in '"\\':
            quoted.append("\\" + char)
        elif char in ",;" or not 32 <= byte < 127:
            quoted.append(f"\\{byte:03o}")
        else:
            quoted.append(char)
    return '"' + "".join(quoted) + '"'


def _unquote(value: str) -> str:
    """The value that was sent (bytes as Latin-1) as text."""
    if len(value) >= 2 and value[0] == value[-1] == '"':
        value = _ESCAPE.sub(lambda m: chr(int(m[1], 8)) if m[1] else m[2], value[1:-1])
    return value.encode("latin-1", "replace").decode("utf-8", "replace")


def parse(header: str) -> Iterator[tuple[str, str]]:
    """Names and values of a ``Cookie`` header."""
    for pair in header.split(";"):
        name, equals, value = pair.partition("=")
        if equals and name.strip():
            yield name.strip(), _unquote(value.strip())


def _expires(value: Any) -> str:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            value = value.replace(tzinfo=timezone.utc)
        return formatdate(value.timestamp(), usegmt=True)
    if isinstance(value, date):
        return _expires(datetime(value.year, value.month, value.day))
    if isinstance(value, (int, float)):
        return formatdate(value, usegmt=True)
    return str(value)


def build(
    name: str,
    value: str,
    *,
    max_age: int | timedelta | None = None,
    path: str | None = None,
    httponly: bool = False,
    secure: bool = False,
    samesite: str | None = None,
    domain: str | None = None,
    expires: Any = None,
) -> str:
    """A ``Set-Cookie`` header."""
    if not _NAME.match(name):
        raise ValueError(f"invalid name of a cookie: {name!r}")
    if len(name) + len(value) > _KEPT:
        raise ValueError(f"no browser keeps a cookie of more than {_KEPT} characters: {name!r}")
    if samesite is not None and samesite.lower() not in ("lax", "strict", "none"):
        raise ValueError(f"samesite must be lax, strict or none: {samesite!r}")
    if isinstance(max_age, timedelta):
        max_age = int(max_age.total_seconds())
    options = {
        "Max-Age": None if max_age is None else str(int(max_age)),
        "Path": path,
        "Domain": domain,
        "Expires": None if expires is None else _expires(expires),
        "SameSite": samesite,
    }
    parts = [f"{name}={_quote(value)}"]
    for option, text in options.items():
        if text is not None:
            if _UNSAFE_OPTION.search(text):
                raise ValueError(f"invalid {option} of a cookie: {text!r}")
            parts.append(f"{option}={text}")
    if secure:
        parts.append("Secure")
    if httponly:
        parts.append("HttpOnly")
    return "; ".join(parts)


def _signature(name: str, payload: str, secret: str | bytes) -> str:
    key = secret.encode("utf-8") if isinstance(secret, str) else secret
    digest = hmac.digest(key, f"{name}={payload}".encode("utf-8"), "sha256")
    return base64.urlsafe_b64encode(digest).decode("ascii").rstrip("=")


def sign(name: str, value: Any, secret: str | bytes) -> str:
    """A text that holds *value*, a Python literal, and a signature."""
    source = repr(value)
    try:
        faithful = ast.literal_eval(source) == value
    except (ValueError, SyntaxError):
        faithful = False
    if not faithful:
        raise TypeError(f"signed cookies hold texts, numbers and collections, not {value!r}")
    payload = base64.urlsafe_b64encode(source.encode("utf-8", "surrogatepass")).decode("ascii")
    payload = payload.rstrip("=")
    return f"{payload}.{_signature(name, payload, secret)}"


def unsign(name: str, text: str, secret: str | bytes, default: Any = None) -> Any:
    """The value that was signed, or the default if anything was changed."""
    payload, _, signature = text.partition(".")
    expected = _signature(name, payload, secret)
    if not hmac.compare_digest(signature.encode("utf-8"), expected.encode("utf-8")):
        return default
    try:
        source = base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
        return ast.literal_eval(source.decode("utf-8", "surrogatepass"))
    except (ValueError, SyntaxError, binascii.Error):
        return default
