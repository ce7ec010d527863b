"""What derivation gives: the text that runs beside the subject, and the predicates that never do."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

ROW_ID = re.compile(r"qs(\d+)i(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lowered:
    """One assertion that moved out.

    `key` names its recording. `test` is the function that holds it (`test_a`, `TestB::test_c`), `line` its place and
    `source` its text in the original. `predicate` is a Python expression over `operand0`, `operand1`, … (the recorded
    values of the `operands`' source texts), the names of parametrised arguments in `arguments`, and the functions of
    `predicate_names.py`.
    """

    key: str
    test: str
    line: int
    kind: Literal["values", "raises"]
    predicate: str
    operands: tuple[str, ...]
    source: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One assertion that stays in the child, and why."""

    key: str
    test: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """One parametrisation whose ids were made opaque: per row, the judge's values of its arguments as expressions."""

    test: str
    decorator: int
    values: tuple[dict[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedSuite:
    """One suite file as the sandbox sees it, with everything that was taken out of it.

    `inherited` gives, for tests that a class inherits, the function that runs.
    """

    source: str
    assertions: tuple[Lowered, ...] = ()
    kept: tuple[Kept, ...] = ()
    rows: tuple[Rows, ...] = ()
    inputs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    inherited: dict[str, str] = field(default_factory=dict)

    def function(self, item: str) -> str:
        """The function that a collected item runs, by its name here: `test_a`, `TestB::test_c`."""
        name = item.split("::", 1)[1].partition("[")[0]
        return self.inherited.get(name, name)

    def arguments(self, test: str, item: str) -> dict[str, str]:
        """The judge's values of the parametrised arguments of one collected item, by its name inside."""
        tables = {rows.decorator: rows.values for rows in self.rows if rows.test == test}
        found: dict[str, str] = {}
        for decorator, row in ROW_ID.findall(item):
            table = tables.get(int(decorator), ())
            if int(row) < len(table):
                found.update(table[int(row)])
        return found
