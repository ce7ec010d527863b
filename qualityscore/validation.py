"""Proving a task on its own reference: `qualityscore tasks validate`."""

from __future__ import annotations

from collections.abc import Callable

from qualityscore.errors import InputError, UnfinishedTaskError
from qualityscore.model.cost import CostOutcome
from qualityscore.model.measure import Measured
from qualityscore.model.outcome import TestOutcome
from qualityscore.model.snapshot import EntryWeight, ExpectedTest
from qualityscore.model.task import Task
from qualityscore.runtime import environment, tasks
from qualityscore.runtime.scratch import scratch_folder
from qualityscore.runtime.target import Target
from qualityscore.snapshots import reference_target, touched, weighed_entries
from qualityscore.suites import cost, robustness, tracing
from qualityscore.suites import functional as functional_suite
from qualityscore.suites import manifest as probe_manifest
from qualityscore.suites.expectation import discover
from qualityscore.suites.independence import dependent_tests
from qualityscore.suites.unfinished import Unfinished, unfinished_parts
from qualityscore.suites.workload_validity import measure_shares, small_workloads, unfit_workloads

UNPROTECTED_SHARE = 0.1
_RUNS = 3


def lacking(task: Task, *, snapshot: bool = False) -> tuple[Unfinished, ...]:
    """What a person still has to write or make before the task can be validated.

    With `snapshot`, a task that is complete but has no snapshot for this Python is unfinished too.
    """
    name = tasks.name_or_path(task)
    parts = unfinished_parts(task, name=name)
    file = tasks.snapshot_path(task, environment.python_minor())
    if parts or not snapshot or file.is_file():
        return parts
    return (Unfinished(file=file, line=None, todo=f"take it with: qualityscore baseline {name} -o {file}"),)


def validate(task: str, *, unsafe: bool, say: Callable[[str], None]) -> tuple[str, ...]:
    """Prove a task on its own reference; returns what does not hold, in words.

    Raises UnfinishedTaskError for a task that still holds parts of its draft.

    All suites pass three times in a row, the tests also in other orders and surroundings (`dependent_tests`); at most a
    tenth of the tests is unprotected; every entry that credibility counts has a touching test or two value probes; the
    committed snapshot is of these suites.
    """
    problems: list[str] = []
    loaded = tasks.load_task(task)
    if parts := lacking(loaded):
        first = f"{len(parts)} unfinished part{'s' * (len(parts) > 1)}"
        raise UnfinishedTaskError(f"The task {loaded.id} has {first}, first {parts[0]}.")
    with reference_target(loaded, None, unsafe=unsafe) as target:
        discovered = discover(target)
        say(f"{len(discovered)} functional tests")
        for problem in _snapshot_problems(loaded, discovered, None):
            say(f"known already: {problem}")
        manifest = probe_manifest.load(loaded.probes_folder)
        for number in range(1, _RUNS + 1):
            kind = f"run {number}"
            tests = functional_suite.run(target, discovered).tests
            failing = [test.id for test in tests if test.outcome is not TestOutcome.PASSED]
            say(f"{kind}: {len(tests) - len(failing)} of {len(tests)} tests pass")
            problems += [f"{kind}: {name} fails on the reference" for name in failing]
            probes = robustness.run(target, manifest)
            lost = [e.entry for e in probes.entries if e.survived < e.total or e.hard_fault]
            broken = [p.id for p in probes.properties if not p.passed]
            say(f"{kind}: {len(probes.entries) - len(lost)} of {len(probes.entries)} probed entries survive")
            problems += [f"{kind}: the reference does not survive its probes of {name}" for name in lost]
            problems += [f"{kind}: property {name} fails on the reference" for name in broken]
        problems += dependent_tests(target, discovered, say)
        problems += _cost_problems(target, say)
        problems += unfit_workloads(measure_shares(target))
        trace = tracing.trace(target, discovered)
        expected = tuple(touched(test, trace.touches.get(test.id, ())) for test in discovered)
        entries = weighed_entries(loaded, expected, probes)
        problems += [
            f"{entry.name} has neither a touching functional test nor two value probes"
            for entry in entries
            if not entry.tests and entry.value_probes < 2
        ]
    unprotected = [test.id for test in discovered if not test.protected]
    share = len(unprotected) / len(discovered) if discovered else 1.0
    say(f"{len(unprotected)} of {len(discovered)} tests are unprotected ({share:.0%})")
    if share > UNPROTECTED_SHARE:
        problems.append(f"{share:.0%} of the tests are unprotected, at most 10 % may be: {', '.join(unprotected)}")
    problems += _snapshot_problems(loaded, discovered, entries)
    return tuple(problems)


def _cost_problems(target: Target, say: Callable[[str], None]) -> list[str]:
    """What three uncached measurements show, or the first with a workload that has no cost or less than a start's."""
    runs: list[CostOutcome] = []
    for number in range(1, _RUNS + 1):
        with scratch_folder("qualityscore-") as fresh:
            runs.append(cost.run(target, None, root=fresh))
        measured = runs[-1].subject.get("workload.cost")
        if not isinstance(measured, Measured):
            return [f"run {number}: the workloads cannot be measured: {getattr(measured, 'reason', 'there are none')}"]
        say(f"run {number}: {len(measured.parts)} workloads measured")
        if small := small_workloads(measured):
            return [f"run {number}: {text}" for text in small]
    if any(run.digests != runs[0].digests for run in runs):
        return ["the workloads' results differ between runs"]
    return []


def _snapshot_problems(
    task: Task, discovered: tuple[ExpectedTest, ...], entries: tuple[EntryWeight, ...] | None
) -> list[str]:
    """What is wrong with the committed snapshot; of its entries nothing is said where they are not known yet (None)."""
    try:
        committed = tasks.read_snapshot(tasks.snapshot_path(task, environment.python_minor()), task)
    except InputError as error:
        return [str(error)]
    if {(t.id, t.protected) for t in committed.tests} != {(t.id, t.protected) for t in discovered}:
        return ["the snapshot holds other tests than the suites have now"]
    if entries is not None and committed.entries != entries:
        return ["the snapshot weighs other surface entries than the suites touch now"]
    return []
