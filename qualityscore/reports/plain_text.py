"""Text from a subject, made inert: no control characters, no terminal escape sequences, bounded in length."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def inert(text: str, *, limit: int = 300) -> str:
    """`text` on one line, with every control, format, surrogate or private character shown as its escape."""
    shown = "".join(_escape(ch) if unicodedata.category(ch) in _UNSAFE else ch for ch in text[: limit + 1])
    return shown if len(text) <= limit else shown[:limit].rstrip() + " …"


def without_repeats(texts: Iterable[str]) -> list[str]:
    """The texts, with `the same as above` for each that only repeats the one before it."""
    listed = list(texts)
    return ["the same as above" if i and text == listed[i - 1] else text for i, text in enumerate(listed)]


def _escape(ch: str) -> str:
    if ch in "\n\t\r":
        return " "
    return ch.encode("unicode_escape", "surrogatepass").decode("ascii")
