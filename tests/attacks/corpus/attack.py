"""What an attack is, and what must follow from it."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

MARK = "qs-attack-mark"
"""The name of every file that an attack tries to leave outside of its scratch."""

TESTS = {
    "value": "suites/functional/test_entry.py::test_value",
    "row-abacus": "suites/functional/test_entry.py::test_rows[abacus-ABACUS!]",
    "row-cadence": "suites/functional/test_entry.py::test_rows[cadence-CADENCE!]",
    "error": "suites/functional/test_entry.py::test_error",
    "length": "suites/functional/test_entry.py::TestMore::test_length",
    "case": "suites/functional/test_entry.py::Case::test_case",
}
"""Short names of the small task's six tests."""

ALL = frozenset(TESTS)
NONE: frozenset[str] = frozenset()


class Family(StrEnum):
    """The families of the corpus."""

    MACHINERY = "machinery"
    STATIC = "static"
    COST = "cost"
    ESCAPE = "escape"
    EXHAUSTION = "exhaustion"
    BLIND = "blind"


class Outcome(StrEnum):
    """What became of an attack. The first four may be expected, the others never."""

    CONTAINED = "contained"  # it gained nothing and reached nothing
    DETECTED = "detected"  # it gained nothing and is listed: as evidence, a finding or a suppression
    TAMPERED = "tampered"  # the run was judged tampered: 0 in everything
    REFUSED = "refused"  # the repository was not taken, with a sentence
    GAINED = "GAINED"  # it passed a test, or scored, better than it deserves
    ESCAPED = "ESCAPED"  # it reached something outside of its sandbox
    HUNG = "HUNG"  # the evaluation did not end in time
    BROKE = "BROKE"  # it made the harness fail, or a document of the report dangerous


class Base(StrEnum):
    """Which honest subject an attack on the measures is compared with: nothing, or the careless one."""

    NOTHING = "nothing"
    CARELESS = "careless"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """A repository and what must follow from evaluating it against the small task.

    `files` are dedented texts; `@NAME@` in them stands for a fact of the host (see `Watch`). `build` adds what texts
    cannot say. `passed` are the tests that it deserves to pass, by short name. `listed` must appear among the evidence
    kinds, finding codes and suppression texts. `endings` are the only ways in which its tests may fail. With a `base`,
    no score may exceed the base's, and with `at_most` none those of the named dimensions (which are measured then,
    whatever stages are played). `works_bare`: without a sandbox it does get out, which proves that it is an attack.
    `open` says why an attack that works is not prevented (the security guide lists it); it is expected to gain.
    """

    name: str
    family: Family
    files: Mapping[str, str | bytes]
    expected: Outcome = Outcome.CONTAINED
    passed: frozenset[str] = NONE
    listed: frozenset[str] = frozenset()
    endings: frozenset[str] = frozenset()
    base: Base = Base.NOTHING
    at_most: Mapping[str, float] = field(default_factory=dict)
    build: Callable[[Path], None] | None = None
    works_bare: bool = False
    open: str = ""

    def write(self, root: Path, facts: Mapping[str, str]) -> None:
        """Make the repository in a new folder that others may read."""
        root.mkdir(mode=0o755)
        for name, content in self.files.items():
            file = root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                file.write_bytes(content)
            else:
                text = textwrap.dedent(content)
                for fact, value in facts.items():
                    text = text.replace(f"@{fact}@", value)
                file.write_bytes(os.fsencode(text))
        if self.build is not None:
            self.build(root)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was seen when an attack was evaluated; plain data, so that it can cross a pipe."""

    outcome: str
    passed: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    places: tuple[str, ...] = ()  # files of the subject that the evidence names
    endings: tuple[str, ...] = ()
    scores: dict[str, float | None] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    duration_s: float = 0.0


def disagreements(attack: Attack, seen: Seen) -> list[str]:
    """In which respects an attack came out otherwise than it must."""
    found = []
    if seen.outcome != attack.expected:
        found.append(f"{seen.outcome} where {attack.expected} must follow")
    if attack.expected in (Outcome.CONTAINED, Outcome.DETECTED) and set(seen.passed) != attack.passed:
        found.append(f"passed {sorted(seen.passed)}, deserves {sorted(attack.passed)}")
    if missing := attack.listed - set(seen.listed):
        found.append(f"{sorted(missing)} not listed")
    if attack.expected is Outcome.TAMPERED and not set(seen.places) & set(attack.files):
        found.append("no place of the subject is named")
    if attack.endings and (strange := set(seen.endings) - attack.endings):
        found.append(f"failed by {sorted(strange)}")
    if found and seen.notes:
        found.append("; ".join(seen.notes))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """A row of the table whose attack is a test of another folder: `node` is what pytest calls it."""

    name: str
    family: Family
    node: str
    expected: Outcome = Outcome.CONTAINED
