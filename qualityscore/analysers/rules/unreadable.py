"""QSA001: a file that cannot be read as Python."""

from __future__ import annotations

from collections.abc import Iterator

from qualityscore.analysers.rule import Case, Reading, Rule
from qualityscore.model.finding import Finding, Severity


def _check(reading: Reading) -> Iterator[Finding]:
    for fact in reading.project.unreadable:
        yield RULE.finding(
            path=fact.path,
            line=fact.error_line,
            column=fact.error_column,
            message=f"cannot be analysed: {fact.error}",
        )


RULE = Rule(
    code="QSA001",
    analyser="reader",
    title="File that cannot be analysed",
    why=(
        "It is no Python of this interpreter's grammar, no regular file, lies about its encoding, or takes more time "
        "or memory than a reader may have. It is named so that it is never mistaken for a file without findings."
    ),
    check=_check,
    severity=Severity.HIGH,
)

BAD = (
    Case(
        title="syntax errors, Python 2, null bytes",
        files={"a.py": "def f(:\n", "b.py": "x = 1\nprint 'old'\n", "c.py": "x = 1\0\n", "d.py": "x = 1\n"},
        found=("a.py:1:7", "b.py:2:1", "c.py:1:1"),
    ),
)

GOOD = (Case(title="empty, only comments", files={"a.py": "", "b.py": "# nothing\n\n"}),)
