"""QSU003: public name beyond the reference."""

from __future__ import annotations

from collections.abc import Iterator

from qualityscore.analysers.comparison import EXAMPLE, EXAMPLE_OFFER, differences
from qualityscore.analysers.rule import Case, Reading, Rule
from qualityscore.model.finding import Finding, Severity


def _check(reading: Reading) -> Iterator[Finding]:
    return differences(reading, RULE, "extra")


RULE = Rule(
    code="QSU003",
    analyser="surface",
    title="Public name beyond the reference",
    why="With `--against`, a public name that the reference does not have. It costs nothing; it shows what was added.",
    check=_check,
    severity=Severity.INFO,
)

BAD = (
    Case(
        title="one function more",
        files={"m.py": EXAMPLE_OFFER + "def shut(handle):\n    return handle\n"},
        reference=EXAMPLE,
        found=("m.py:5:1 m.shut",),
    ),
)

GOOD = (
    Case(title="everything there, and wider", files={"m.py": EXAMPLE_OFFER}, reference=EXAMPLE),
    Case(title="no reference given", files={"m.py": "def other():\n    return {}\n"}),
)
