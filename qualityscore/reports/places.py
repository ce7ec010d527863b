"""Findings as other tools want them: a valid place for each, and a fingerprint that survives moved lines."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote

from qualityscore.model.finding import Finding

_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a finding is shown: a relative, percent-encoded `uri` (`.` for the whole project), lines from 1."""

    path: str
    uri: str
    line: int
    column: int
    end_line: int


def place(finding: Finding) -> Place:
    """A valid place for any finding, also for one of the project or in an empty file."""
    path = finding.path or "."
    line = max(1, finding.line or 1)
    return Place(
        path=path,
        uri=quote(path.encode("utf-8", "backslashreplace"), safe="/"),
        line=line,
        column=max(1, finding.column or 1),
        end_line=max(line, finding.end_line or line),
    )


def fingerprints(findings: Iterable[Finding]) -> list[str]:
    """One SHA-256 per finding, in order: over its code, path, class, name and message without numbers, and its rank
    among equal ones. Lines do not enter, so it stays the same when code above moves; all are distinct.
    """
    seen: Counter[str] = Counter()
    result = []
    for finding in findings:
        message = _NUMBERS.sub("#", finding.message)
        words = (finding.tool, finding.code, finding.path or "", finding.class_name or "", finding.name or "", message)
        key = "\0".join(words)
        result.append(hashlib.sha256(f"{key}\0{seen[key]}".encode("utf-8", "backslashreplace")).hexdigest())
        seen[key] += 1
    return result
