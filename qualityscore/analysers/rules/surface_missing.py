"""QSU002: public name missing."""

from __future__ import annotations

from collections.abc import Iterator

from qualityscore.analysers.comparison import EXAMPLE, EXAMPLE_OFFER, differences
from qualityscore.analysers.rule import Case, Reading, Rule
from qualityscore.model.finding import Finding, Severity


def _check(reading: Reading) -> Iterator[Finding]:
    return differences(reading, RULE, "missing")


RULE = Rule(
    code="QSU002",
    analyser="surface",
    title="Public name missing",
    why="With `--against`, a name of the reference that the repository does not define: callers fail at once.",
    check=_check,
    severity=Severity.MEDIUM,
)

BAD = (
    Case(
        title="one of two functions",
        files={"m.py": "def open(path, mode='r'):\n    return path\n"},
        reference=EXAMPLE,
        found=("m.py:1:1 m.close",),
    ),
)

GOOD = (
    Case(title="everything there, and wider", files={"m.py": EXAMPLE_OFFER}, reference=EXAMPLE),
    Case(title="no reference given", files={"m.py": "def other():\n    return {}\n"}),
)
