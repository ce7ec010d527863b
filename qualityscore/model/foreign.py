"""One sentence about a foreign document that did not validate."""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

_MOST_TEXT = 300
_UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")
_NO_KEYS = ("[key]", "[file]", "[table]")
"""Parts of a place that are no keys of the document: the validator's own word, and the tags of a choice of forms."""
_PLAIN = {
    **dict.fromkeys(("tuple_type", "list_type", "set_type"), "input should be a list"),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type", "mapping_type"), "input should be an object"),
}
_COUNTED = re.compile(r"\w+ should have (at (?:least|most)) (\d+) (\w+).*")
_MISSING = ("missing", "missing_keyword_only_argument", "missing_argument")


def read_toml(text: str) -> dict[str, Any]:
    """The document in a TOML text. Raises tomllib.TOMLDecodeError for every text that cannot be read."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise tomllib.TOMLDecodeError("it is nested too deeply") from None
    except ValueError as error:  # a number of more digits than the interpreter takes
        raise tomllib.TOMLDecodeError(f"a number in it has too many digits ({error})") from None


def first_problem(error: ValidationError, known: Iterable[str] = ()) -> str:
    """The problem of a validation that explains most, as `key 'a.b': what is wrong`, with a suggestion.

    An unknown key comes before the lack of the key that it was meant to be. `known` are the keys that would have been
    accepted at that place, where the caller can say them.
    """
    problem = leading(error)
    place = _short(".".join(str(part) for part in problem["loc"] if part not in _NO_KEYS))
    if problem["type"] in _UNKNOWN:
        near = suggestion(error, problem, known)
        return f"key {place!r} is unknown" + (f" (did you mean {near!r}?)" if near else "")
    if problem["type"] in _MISSING:
        return f"key {place!r} is missing"
    text = _short(plain(problem))
    return f"key {place!r}: {text}" if place else text


def plain(problem: Mapping[str, Any]) -> str:
    """What is wrong with a value, in words of the document rather than of the validator's types."""
    text = _PLAIN.get(problem["type"], problem["msg"].removeprefix("Value error, "))
    text = _COUNTED.sub(r"it should have \1 \2 \3", text)
    return (text[:1].lower() + text[1:]).rstrip(".")


def non_finite(document: Any) -> str | None:
    """The place of a number in JSON data that no JSON can hold (NaN, an infinity), as `key 'a.b': what is wrong`."""
    pending: list[tuple[str, Any]] = [("", document)]
    while pending:
        place, value = pending.pop()
        if isinstance(value, float) and not math.isfinite(value):
            return f"key {_short(place)!r}: input should be a finite number"
        if isinstance(value, dict | list):
            items = value.items() if isinstance(value, dict) else enumerate(value)
            pending += (
                (f"{place}.{key}" if place else str(key), item)
                for key, item in items
                if isinstance(item, dict | list | float)
            )
    return None


def _short(text: str) -> str:
    """At most 300 characters: what a stranger wrote may be as long as the document."""
    return text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 1]}…"


def leading(error: ValidationError) -> ErrorDetails:
    """The first problem; where that is a missing key, an unknown one at the same place instead."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    first = problems[0]
    if first["type"] not in _MISSING:
        return first
    beside = (p for p in problems if p["type"] in _UNKNOWN and p["loc"][:-1] == first["loc"][:-1])
    return next(beside, first)


def suggestion(error: ValidationError, unknown: ErrorDetails, known: Iterable[str]) -> str | None:
    """The key that an unknown one was probably meant to be: one that is missing at its place, else a known one."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    lacking = [str(p["loc"][-1]) for p in problems if p["type"] in _MISSING and p["loc"][:-1] == unknown["loc"][:-1]]
    written = str(unknown["loc"][-1])
    for candidates in (lacking, list(known)):
        near = difflib.get_close_matches(written, candidates, n=1)
        if near:
            return near[0]
    return None
