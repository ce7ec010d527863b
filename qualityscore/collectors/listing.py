"""What is listed of many findings: a report must stay readable, and small, whatever a repository does."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from qualityscore.model.finding import Finding, Severity, Suppression

PER_FILE = 100
"""Findings of one code in one file."""
PER_CODE = 1_000
"""Findings of one code."""
MOST = 5_000
"""Findings of all codes."""
MOST_SUPPRESSIONS = 1_000
MOST_UNREADABLE = 100
"""Faults of single files."""
LONGEST_TEXT = 1_000
"""Characters of a message, a name or a suppression."""

_Kind = tuple[str, str, str | None, str | None]


def listed(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings within the bounds, in their order, then one of severity info per code for what is beyond them.

    That one keeps code, tool, measure and dimension, and the sum of the points, so that the points of a measure's
    findings add up to the same as before. It has a path where all that it stands for lies in one file.
    """
    kept: list[Finding] = []
    beyond: dict[_Kind, list[Finding]] = {}
    in_file: Counter[tuple[str | None, str]] = Counter()
    of_code: Counter[str] = Counter()
    for finding in findings:
        place = (finding.path, finding.code)
        if in_file[place] < PER_FILE and of_code[finding.code] < PER_CODE and len(kept) < MOST:
            in_file[place] += 1
            of_code[finding.code] += 1
            kept.append(_cut(finding))
        else:
            kind = (finding.code, finding.tool, finding.measure, finding.dimension)
            beyond.setdefault(kind, []).append(finding)
    return (*kept, *(_remainder(rest) for rest in beyond.values()))


def listed_suppressions(suppressions: Sequence[Suppression]) -> tuple[Suppression, ...]:
    """The first suppressions, and one of the project (path `.`) that says how many more there are."""
    first = tuple(
        replace(item, text=item.text[:LONGEST_TEXT]) if len(item.text) > LONGEST_TEXT else item
        for item in suppressions[:MOST_SUPPRESSIONS]
    )
    more = len(suppressions) - len(first)
    return (*first, Suppression(path=".", line=1, text=f"{more} more")) if more else first


def _cut(finding: Finding) -> Finding:
    name = finding.name or ""
    if len(finding.message) <= LONGEST_TEXT and len(name) <= LONGEST_TEXT:
        return finding
    return replace(finding, message=finding.message[:LONGEST_TEXT], name=finding.name and name[:LONGEST_TEXT])


def _remainder(rest: Sequence[Finding]) -> Finding:
    paths = {finding.path for finding in rest}
    return Finding(
        code=rest[0].code,
        tool=rest[0].tool,
        message=f"{len(rest)} more of this kind, not listed",
        severity=Severity.INFO,
        path=paths.pop() if len(paths) == 1 else None,
        dimension=rest[0].dimension,
        measure=rest[0].measure,
        points=math.fsum(finding.points for finding in rest),
        details={"more": len(rest)},
    )
