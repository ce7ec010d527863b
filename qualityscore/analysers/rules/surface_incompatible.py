"""QSU004: public name with an incompatible signature."""

from __future__ import annotations

from collections.abc import Iterator

from qualityscore.analysers.comparison import EXAMPLE, EXAMPLE_OFFER, differences
from qualityscore.analysers.rule import Case, Reading, Rule
from qualityscore.model.finding import Finding, Severity


def _check(reading: Reading) -> Iterator[Finding]:
    return differences(reading, RULE, "incompatible")


RULE = Rule(
    code="QSU004",
    analyser="surface",
    title="Public name with an incompatible signature",
    why="With `--against`, a name for which some call that fits the reference does not fit here, with the reason.",
    check=_check,
    severity=Severity.MEDIUM,
)

BAD = (
    Case(
        title="a required parameter more, and another name",
        files={"m.py": "def open(path, mode, key):\n    return path\ndef close(file):\n    return file\n"},
        reference=EXAMPLE,
        found=("m.py:1:1 m.open", "m.py:3:1 m.close"),
    ),
)

GOOD = (
    Case(title="everything there, and wider", files={"m.py": EXAMPLE_OFFER}, reference=EXAMPLE),
    Case(title="no reference given", files={"m.py": "def other():\n    return {}\n"}),
)
