"""Judged code: the functions that the suites exercise, and all module-level code (scoring.md section 4)."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from qualityscore.collectors.context import CollectorResult, FileFacts, StaticContext, StaticFacts
from qualityscore.languages.python_source import printable
from qualityscore.languages.python_units import MODULE_UNIT, Unit
from qualityscore.model.measure import Fault, NotApplicable, Outcome, Unavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedFile:
    """A file with its judged functions in source order; its module unit is judged always."""

    facts: FileFacts
    functions: tuple[Unit, ...]
    first_lines: frozenset[int]

    @classmethod
    def of(cls, facts: FileFacts, functions: Iterable[Unit]) -> JudgedFile:
        """Note the functions' first lines, which tell them apart."""
        kept = tuple(functions)
        return cls(facts=facts, functions=kept, first_lines=frozenset(unit.line for unit in kept))

    @property
    def units(self) -> tuple[Unit, ...]:
        """The module unit and the judged functions."""
        return (*self.facts.units[:1], *self.functions)

    def unit_at(self, line: int) -> Unit | None:
        """The judged unit that a line belongs to; None where it lies in a function that is not judged."""
        units = self.facts.units
        if not units:
            return None
        place = bisect_right(units, line, lo=1, key=lambda unit: unit.line) - 1
        if place == 0 or line > units[place].end_line:
            return units[0]
        return units[place] if units[place].line in self.first_lines else None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCode:
    """All files, and L, the size of the judged functions."""

    files: tuple[JudgedFile, ...]
    size: float

    def functions(self) -> Iterator[tuple[JudgedFile, Unit]]:
        """Every judged function."""
        return ((file, unit) for file in self.files for unit in file.functions)


def judge(facts: StaticFacts, context: StaticContext) -> JudgedCode:
    """Pick the judged functions: those that were entered, or without a trace those that look used.

    Where the subject hid what it enters, any may be, and all are picked (`worst_case` chooses among them).
    """
    if context.entered_unknown:
        files = tuple(
            JudgedFile.of(file, (unit for unit in file.units if unit.qualname != MODULE_UNIT)) for file in facts.files
        )
    elif context.judged is None:
        files = _used(facts, context.public_names)
    else:
        lines: dict[str, list[int]] = {}
        for path, line, _ in context.judged:
            lines.setdefault(path, []).append(line)
        files = tuple(JudgedFile.of(file, _entered(file, sorted(lines.get(file.path, ())))) for file in facts.files)
    return JudgedCode(files=files, size=sum(unit.size for file in files for unit in file.functions))


def _entered(file: FileFacts, lines: list[int]) -> tuple[Unit, ...]:
    """Functions in whose lines a traced function starts: entering a closure is entering what holds it."""
    found = []
    for unit in file.units:
        if unit.qualname != MODULE_UNIT:
            place = bisect_right(lines, unit.end_line) - 1
            if place >= 0 and lines[place] >= unit.line:
                found.append(unit)
    return tuple(found)


def _used(facts: StaticFacts, public_names: frozenset[str]) -> tuple[JudgedFile, ...]:
    """Dunders, public names, and functions whose name some other unit reads."""
    readers = Counter(name for file in facts.files for names in file.references for name in names)

    def is_used(unit: Unit, own: frozenset[str]) -> bool:
        name = unit.qualname.rpartition(".")[2]
        is_dunder = name.startswith("__") and name.endswith("__")
        return is_dunder or name in public_names or unit.qualname in public_names or readers[name] > (name in own)

    return tuple(
        JudgedFile.of(
            file,
            (
                unit
                for unit, own in zip(file.units, file.references, strict=True)
                if unit.qualname != MODULE_UNIT and is_used(unit, own)
            ),
        )
        for file in facts.files
    )


def unjudged(result: CollectorResult, context: StaticContext) -> CollectorResult:
    """The result where code was entered that is in no file: what it is like is not known, and findings cost nothing."""
    path, line, name = context.unread[0]
    lost = Unavailable(
        reason=printable(f"{name} ({path}:{line}) ran, and its code is in no file and no text: nobody can judge it"),
        fault=Fault.REFERENCE if context.is_reference else Fault.SUBJECT,
    )
    findings = tuple(replace(finding, points=0.0) for finding in result.findings)
    return CollectorResult(measures=dict.fromkeys(result.measures, lost), findings=findings)


def nothing_judged(measures: tuple[str, ...], context: StaticContext) -> CollectorResult:
    """The outcome of every maintainability measure where L = 0."""
    outcome: Outcome
    if context.is_reference and context.judged is None:
        outcome = NotApplicable(reason="the reference has no function that anything uses")
    elif context.is_reference:
        outcome = Unavailable(reason="no function of the reference is entered by its tests", fault=Fault.REFERENCE)
    elif context.judged is None:
        outcome = Unavailable(
            reason="no function is named by other code: there is nothing to judge",
            fault=Fault.SUBJECT,
        )
    else:
        outcome = Unavailable(
            reason="no function is entered by the tests: there is no code to judge", fault=Fault.SUBJECT
        )
    return CollectorResult(measures=dict.fromkeys(measures, outcome))
