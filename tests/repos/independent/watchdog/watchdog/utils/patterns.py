"""Glob patterns for whole paths.

``*``, ``?`` and ``[...]`` stay within one part of a path, ``**`` as a part of
its own stands for any number of parts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import TypeVar

__all__ = ["filter_paths", "match_any_paths"]

PathT = TypeVar("PathT", bound="str | bytes | os.PathLike")

_CHAR = "[^/]"
_PARTS = "(?:[^/]+/)*"


def _normalise(path: str) -> str:
    """*path* without empty parts, ``.`` parts and a slash at the end."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def _translate_set(part: str, start: int) -> tuple[str, int] | None:
    """Translate the set that opens at *start*; None if it is not closed."""
    first = start + 1
    if part[first : first + 1] == "!":
        first += 1
    end = part.find("]", first + 1)  # a bracket in first place is a member
    if end < 0:
        return None
    negated = part[start + 1 : first] != ""
    content = part[first:end]
    pieces: list[str] = []
    index = 0
    while index < len(content):
        if content[index + 1 : index + 2] == "-" and index + 2 < len(content):
            low, high = content[index], content[index + 2]
            if low <= high:
                pieces.append(f"{re.escape(low)}-{re.escape(high)}")
            index += 3
        else:
            pieces.append(re.escape(content[index]))
            index += 1
    members = "".join(pieces)
    if negated:
        return f"[^/{members}]", end + 1
    return (f"(?!/)[{members}]" if members else "(?!)"), end + 1


def _translate_part(part: str) -> str:
    """The regular expression for one part of a pattern.

    What lies between two stars may be matched as early as possible, for
    good: the atomic groups keep the matching time from exploding.
    """
    chunks = [""]
    index = 0
    while index < len(part):
        char = part[index]
        index += 1
        if char == "*":
            if len(chunks) == 1 or chunks[-1]:
                chunks.append("")
        elif char == "?":
            chunks[-1] += _CHAR
        elif char == "[" and (found := _translate_set(part, index - 1)):
            chunks[-1] += found[0]
            index = found[1]
        else:
            chunks[-1] += re.escape(char)
    if len(chunks) == 1:
        return chunks[0]
    middle = "".join(f"(?>{_CHAR}*?{chunk})" for chunk in chunks[1:-1])
    # "(?=[^/])": a part of a path has at least one character
    return f"(?={_CHAR}){chunks[0]}{middle}{_CHAR}*{chunks[-1]}"


@lru_cache(maxsize=1024)
def _compile(pattern: str, case_sensitive: bool) -> re.Pattern[str]:
    """The regular expression for a whole pattern."""
    absolute = pattern.startswith("/")
    # Groups of parts between the "**"
    groups: list[list[str]] = [[]]
    for part in _normalise(pattern).lstrip("/").split("/"):
        if part == "**":
            if len(groups) == 1 or groups[-1]:
                groups.append([])
        elif part:
            groups[-1].append(_translate_part(part))
    flags = re.DOTALL | (0 if case_sensitive else re.IGNORECASE)
    # Matched against the path with a slash after its last part
    text = "/" if absolute else ""
    text += "".join(part + "/" for part in groups[0])
    if len(groups) > 1:
        if not absolute and not groups[0]:
            text += "/?"  # a leading "**" takes the root as well
        for group in groups[1:-1]:
            text += f"(?>(?:[^/]+/)*?{''.join(part + '/' for part in group)})"
        text += _PARTS + "".join(part + "/" for part in groups[-1])
    return re.compile(text, flags)


def _matches(path: str, patterns: Iterable[str], case_sensitive: bool) -> bool:
    """Whether the normalised *path* (with a slash at its end) matches."""
    return any(_compile(pattern, case_sensitive).fullmatch(path) for pattern in patterns)


def common_patterns(
    included: Iterable[str] | None, excluded: Iterable[str] | None, case_sensitive: bool
) -> set[str]:
    """The patterns that are on both sides."""

    def fold(patterns: Iterable[str] | None) -> set[str]:
        return {p if case_sensitive else p.lower() for p in patterns or ()}

    return fold(included) & fold(excluded)


def _filter(
    paths: Iterable[PathT],
    included: Collection[str] | None,
    excluded: Collection[str],
    case_sensitive: bool,
) -> Iterator[PathT]:
    checked = False
    for path in paths:
        if not checked:
            if common := common_patterns(included, excluded, case_sensitive):
                raise ValueError(f"patterns both included and excluded: {sorted(common)}")
            checked = True
        subject = _normalise(os.fsdecode(path))
        if not subject.endswith("/"):
            subject += "/"
        if included is not None and not _matches(subject, included, case_sensitive):
            continue
        if not _matches(subject, excluded, case_sensitive):
            yield path


def filter_paths(
    paths: Iterable[PathT],
    *,
    included_patterns: Iterable[str] | None = None,
    excluded_patterns: Iterable[str] | None = None,
    case_sensitive: bool = True,
) -> Iterator[PathT]:
    """Yield the paths, in order, that match one included and no excluded pattern.

    None includes everything or excludes nothing.  A pattern on both sides
    raises :exc:`ValueError` with the first path.
    """
    included = None if included_patterns is None else list(included_patterns)
    return _filter(paths, included, list(excluded_patterns or ()), case_sensitive)


def match_any_paths(
    paths: Iterable[PathT],
    *,
    included_patterns: Iterable[str] | None = None,
    excluded_patterns: Iterable[str] | None = None,
    case_sensitive: bool = True,
) -> bool:
    """Whether :func:`filter_paths` yields anything."""
    found = filter_paths(
        paths,
        included_patterns=included_patterns,
        excluded_patterns=excluded_patterns,
        case_sensitive=case_sensitive,
    )
    return any(True for _ in found)
