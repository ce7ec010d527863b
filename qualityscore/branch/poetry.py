"""Poetry's tables of dependencies and its version constraints, in PEP 508 and PEP 440 form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from packaging.utils import canonicalize_name


def poetry_requirements(table: Any, *, every: bool = False, optional: frozenset[str] = frozenset()) -> Iterator[str]:
    """A table of Poetry's in PEP 508 form.

    Optional dependencies are left out, but for those whose normalised names are in `optional`, and where `every` asks
    for all. What does not come from an index is `name @ place`.
    """
    for name, value in table.items() if isinstance(table, Mapping) else ():
        if str(name).lower() == "python":
            continue
        several = value if isinstance(value, list) else [value]
        for one in several:
            if isinstance(one, str):
                yield f"{name}{poetry_range(one)}"
            elif isinstance(one, dict):
                asked = every or not one.get("optional") or canonicalize_name(str(name)) in optional
                yield from _from_table(str(name), one) if asked else ()


def _from_table(name: str, one: dict[str, Any]) -> Iterator[str]:
    listed = one.get("extras")
    extras = [extra for extra in listed if isinstance(extra, str)] if isinstance(listed, list) else []
    named = f"{name}[{','.join(extras)}]" if extras else name
    marker = f" ; {one['markers']}" if isinstance(one.get("markers"), str) else ""
    python = one.get("python")
    if isinstance(python, str) and not marker:
        clauses = [c for c in poetry_range(python).split(",") if c]
        marker = " ; " + " and ".join(_python_marker(clause) for clause in clauses) if clauses else ""
    if isinstance(one.get("version"), str):
        yield f"{named}{poetry_range(one['version'])}{marker}"
        return
    place = next((one[key] for key in ("git", "path", "file", "url") if isinstance(one.get(key), str)), None)
    if place is not None:
        yield f"{named} @ {place}{marker}"


def _python_marker(clause: str) -> str:
    match = re.match(r"(==|!=|<=|>=|<|>|~=)(.+)$", clause)
    assert match is not None
    return f"python_full_version {match.group(1)} '{match.group(2).strip()}'"


def poetry_range(text: str) -> str:
    """A version constraint of Poetry's (`^1.2`, `~1.2`, `1.2`, `*`, `>=1,<2`) as PEP 440 clauses."""
    clauses: list[str] = []
    for part in re.split(r"\s*,\s*|\s+(?=[<>=!~^])", text.strip()):
        word = part.strip()
        match = re.match(r"([\^~]|==?|!=|<=?|>=?|~=)?\s*([\w.*+!-]+)$", word)
        if not word or word == "*" or match is None or "|" in text:
            continue
        sign, version = match.group(1) or "==", match.group(2)
        if "*" in version and sign in ("==", "="):
            clauses.append(f"=={version}")
        elif sign == "^":
            clauses += [f">={version}", f"<{_next(version, caret=True)}"]
        elif sign == "~":
            clauses += [f">={version}", f"<{_next(version, caret=False)}"]
        else:
            clauses.append(f"{'==' if sign == '=' else sign}{version}")
    return ",".join(clauses)


def poetry_ranges(text: str) -> list[str]:
    """The alternatives of a constraint that may hold `||`, each as PEP 440 clauses."""
    return [poetry_range(part) for part in re.split(r"\s*\|\|?\s*", text.strip())]


def _next(version: str, *, caret: bool) -> str:
    """The first version beyond a caret (the first part that is not 0 is raised) or a tilde (the second is)."""
    numbers = [int(part) for part in re.findall(r"\d+", version)[:3]] or [0]
    if caret:
        place = next((i for i, number in enumerate(numbers) if number), len(numbers) - 1)
    else:
        place = min(1, len(numbers) - 1)
    return ".".join(map(str, [*numbers[:place], numbers[place] + 1]))
