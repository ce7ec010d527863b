"""Which surface entries are shown to do something right, and what follows from it (scoring.md section 4)."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from qualityscore.model.measure import Fault, Measured, NotApplicable, Outcome, Unavailable
from qualityscore.model.outcome import EntryOutcome, PropertyOutcome, TestOutcome, TestResult
from qualityscore.model.report import CredibilityReport, SurfaceCoverage
from qualityscore.model.snapshot import EntryWeight

VALUE_PROBES_NEEDED = 2


def entry_weight(touching_tests: int) -> float:
    """w = sqrt(1 + touching tests)."""
    return math.sqrt(1 + touching_tests)


def credibility(
    entries: Sequence[EntryWeight],
    tests: Sequence[TestResult],
    probes: Sequence[EntryOutcome],
    *,
    surface: SurfaceCoverage | None = None,
) -> CredibilityReport:
    """The weighted share of the entries that are credible.

    An entry is credible when the subject defines it (it is not in `surface.missing`) and it either gave two distinct
    right values, where it has two value probes, or passes at least half, and at least one, of the expected tests that
    touch it. Where a harness or reference fault, or a probe entry that was not run, leaves it open whether an entry is
    credible, the score is None, and the entry is in neither list. Without entries the score is 1: nothing is claimed.
    """
    verdicts = {entry.name: _credible(entry, tests, probes, surface) for entry in entries}
    credible = tuple(name for name, verdict in verdicts.items() if verdict is True)
    open_ = any(verdict is None for verdict in verdicts.values())
    total = math.fsum(entry.weight for entry in entries)
    share = math.fsum(entry.weight for entry in entries if verdicts[entry.name]) / total if total else 1.0
    return CredibilityReport(
        score=None if open_ else min(1.0, share),
        credible=credible,
        not_credible=tuple(name for name, verdict in verdicts.items() if verdict is False),
        surface=surface,
    )


def survival(
    entries: Sequence[EntryWeight],
    probes: Sequence[EntryOutcome],
    properties: Sequence[PropertyOutcome],
    credible: Collection[str],
    undecided: Collection[str] = (),
) -> Outcome:
    """`probes.survival`: Σ w·s over credible entries / Σ w over the entries of the manifest, properties with w = 1.

    s is survived / all probes of the entry, halved after a hard fault. A property is credible when every entry that it
    calls on the reference is. Not applicable when the manifest has neither probes nor properties; unavailable when it
    probes an entry of which it is `undecided` whether it is credible.
    """
    probed_names = {probed.entry for probed in probes} | {name for held in properties for name in held.entries}
    open_names = sorted(probed_names & set(undecided))
    if open_names:
        return Unavailable(reason=f"whether {open_names[0]} is credible could not be measured", fault=Fault.HARNESS)
    weights: Mapping[str, float] = {entry.name: entry.weight for entry in entries}
    survived, total = [0.0], 0.0
    for probed in probes:
        if probed.total == 0:
            continue
        weight = weights.get(probed.entry, entry_weight(0))
        total += weight
        if probed.entry in credible and not probed.absent:
            share = probed.survived / probed.total
            survived.append(weight * (share / 2 if probed.hard_fault else share))
    for held in properties:
        total += 1
        if held.passed and all(entry in credible for entry in held.entries):
            survived.append(1.0)
    if total == 0:
        return NotApplicable(reason="the task has no probes")
    return Measured(value=min(1.0, math.fsum(survived) / total))


def undecided(entries: Sequence[EntryWeight], report: CredibilityReport) -> tuple[str, ...]:
    """The entries of which a fault left open whether they are credible."""
    decided = {*report.credible, *report.not_credible}
    return tuple(entry.name for entry in entries if entry.name not in decided)


def stability(tests: Sequence[TestResult]) -> Outcome:
    """`suite.stability`: the share of the expected tests that ran to a verdict."""
    if not tests:
        return NotApplicable(reason="the task has no functional tests")
    for test in tests:
        if test.fault in (Fault.HARNESS, Fault.REFERENCE):
            return Unavailable(reason=f"test {test.id} could not be judged", fault=test.fault)
    return Measured(value=sum(test.stable for test in tests) / len(tests))


def _credible(
    entry: EntryWeight,
    tests: Sequence[TestResult],
    probes: Sequence[EntryOutcome],
    surface: SurfaceCoverage | None,
) -> bool | None:
    """True or False, None where a fault leaves it open."""
    if surface is not None and entry.name in surface.missing:
        return False
    verdicts = (_by_values(entry, probes), _by_tests(entry, tests))
    if True in verdicts:
        return True
    return None if None in verdicts else False


def _by_values(entry: EntryWeight, probes: Sequence[EntryOutcome]) -> bool | None:
    if entry.value_probes < VALUE_PROBES_NEEDED:
        return False
    outcome = next((probed for probed in probes if probed.entry == entry.name), None)
    return None if outcome is None else outcome.right_values >= VALUE_PROBES_NEEDED


def _by_tests(entry: EntryWeight, tests: Sequence[TestResult]) -> bool | None:
    touching = set(entry.tests)
    passed = sum(test.outcome is TestOutcome.PASSED for test in tests if test.id in touching)
    open_ = sum(test.fault in (Fault.HARNESS, Fault.REFERENCE) for test in tests if test.id in touching)
    if passed and 2 * passed >= len(touching):
        return True
    return None if open_ and 2 * (passed + open_) >= len(touching) else False
