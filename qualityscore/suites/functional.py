"""The functional suite: every expected test on the subject, judged outside.

`run` gives the verdicts, `discover` what is expected (on the reference), `trace` what the suite enters, `ImportTrial`
whether the surface can be imported.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from qualityscore.errors import TaskError
from qualityscore.judging.lowered import Lowered
from qualityscore.judging.predicates import Verdict
from qualityscore.model.measure import Fault
from qualityscore.model.outcome import Evidence, Failure, FunctionalOutcome, TestOutcome, TestResult
from qualityscore.model.snapshot import ExpectedTest
from qualityscore.runtime.supervision import EndEvent, GroupEvent, GroupState, UnitEvent
from qualityscore.runtime.target import Target
from qualityscore.suites import failures
from qualityscore.suites.derived_files import Item, Progress, derive_files, silent, suite_names
from qualityscore.suites.evidence import reaching_code, unusual
from qualityscore.suites.executability import ImportStoppedError, ImportTrial
from qualityscore.suites.expectation import discover
from qualityscore.suites.observation import Observation, read_collected
from qualityscore.suites.playing import excluded_keys, judged
from qualityscore.suites.tracing import Trace, trace
from qualityscore.suites.twin_runs import play_with_twins

_OUTPUT_CHARS = 2000

__all__ = ["ImportTrial", "Trace", "discover", "run", "trace"]


def run(
    target: Target,
    expected: Sequence[ExpectedTest],
    *,
    imports: ImportTrial | None = None,
    progress: Progress = silent,
    rng: random.Random | None = None,
    env: Mapping[str, str] | None = None,
) -> FunctionalOutcome:
    """One result per expected test, in that order.

    The surface is imported first, in the same sandbox; an import that hangs or ends its process is noted in `imports`
    and tried by no suite file.
    `rng` chooses which run holds which twin and the order of tests; by default one that nobody can foresee.
    `env` is added to the sandbox's environment.

    Raises TaskError for a suite that cannot be read or lacks an expected file, SandboxUnavailableError and
    HarnessError as `supervise` does.
    """
    began = time.monotonic()
    files = tuple(dict.fromkeys(test.file for test in expected))
    lacking = set(files) - set(suite_names(target.task))
    if lacking:
        raise TaskError(f"The task {target.task.id} has no suite file {min(lacking)}; make its snapshot again.")
    trial = imports or ImportTrial(target)
    derived = derive_files(target.task, files, excluded_keys(expected))
    items = [Item(file=test.file, name=test.item or test.id) for test in expected]
    rng = rng or random.SystemRandom()
    try:
        played = play_with_twins(target, derived, expected, rng=rng, imports=trial, progress=progress, env=env)
    except ImportStoppedError:
        target = replace(target, stopped=trial.finish().stopped)
        played = play_with_twins(target, derived, expected, rng=rng, progress=progress, env=env)
    seen = played.seen
    verdicts = judged(derived, expected, items, seen)
    fault = Fault.REFERENCE if target.is_reference else Fault.SUBJECT
    results: list[TestResult] = []
    evidence: list[Evidence] = []
    for number, test in enumerate(expected):
        unit = seen.units.get(number)
        if unit is None:
            results.append(_not_run(test, seen.groups.get(test.file), seen.end, fault))
            continue
        failure, outcome, stable = judge_one(*unit, verdicts.get(number, ()))
        if outcome is TestOutcome.PASSED and number in played.exposed:
            outcome, failure = TestOutcome.TAMPERED, failures.of_verdict("it passes whatever it asserts", raises=False)
            evidence.append(Evidence(kind="passed_twin", message=f"{test.id}: {failure.message}", decisive=True))
        elif outcome is TestOutcome.TAMPERED and failure is not None:
            evidence.append(
                Evidence(kind="missing_observation", message=f"{test.id}: {failure.message}", decisive=True)
            )
        results.append(
            TestResult(
                id=test.id,
                outcome=outcome,
                duration_s=unit[0].duration_s,
                failure=failure,
                stable=stable,
                fault=None if failure is None else fault,
                output=None if outcome is TestOutcome.PASSED else _end_of(unit[0].output),
            )
        )
    evidence.extend(unusual(expected, derived, seen, target.tree))
    if any(item.decisive for item in evidence):
        evidence.extend(reaching_code(target.tree))
        if not any(item.location for item in evidence):
            evidence.append(Evidence(kind="no_place", message="no place of the subject was found that does it"))
    return FunctionalOutcome(
        tests=tuple(results),
        modules=trial.finish().modules,
        evidence=tuple(evidence),
        duration_s=time.monotonic() - began,
    )


def _not_run(test: ExpectedTest, group: GroupEvent | None, end: EndEvent | None, fault: Fault) -> TestResult:
    """A test without a process of its own: its file was not collected, time was up, or the sandbox broke."""
    if group is not None and group.state is not GroupState.READY:
        collected = read_collected(group.messages)
        raised = collected.raised if collected is not None else None
        failure = failures.of_collection(raised) if raised is not None else failures.of_group(group)
        return TestResult(
            id=test.id,
            outcome=TestOutcome.FAILED,
            failure=failure,
            stable=False,
            fault=fault,
            output=_end_of(group.stderr),
        )
    broken = end is not None and end.broken
    return TestResult(
        id=test.id,
        outcome=TestOutcome.NOT_RUN,
        failure=failures.out_of_time() if not broken else None,
        stable=False,
        fault=Fault.HARNESS if broken else fault,
    )


def _end_of(output: str) -> str | None:
    """The last _OUTPUT_CHARS of what a process wrote, None when it wrote nothing."""
    text = output.strip()
    return f"…{text[1 - _OUTPUT_CHARS :]}" if len(text) > _OUTPUT_CHARS else text or None


def judge_one(
    event: UnitEvent, observation: Observation | None, verdicts: Sequence[tuple[Lowered, Verdict]]
) -> tuple[Failure | None, TestOutcome, bool]:
    """The verdict over one test that had a process, and whether it is one: its process came to the test's end.

    It passed only with a normal end and every predicate holding.
    """
    unjudged = failures.of_unit(event)
    outcome = TestOutcome.FAILED
    if unjudged is None and (observation is None or observation.outcome == "incomplete"):
        unjudged = failures.silent_exit()
    elif unjudged is None and observation is not None and observation.outcome == "absent":
        unjudged = failures.absent()
    elif unjudged is None and observation is not None and observation.outcome == "skipped":
        unjudged, outcome = failures.skipped(observation.raised), TestOutcome.SKIPPED
    if unjudged is not None or observation is None:
        return unjudged, outcome, failures.is_stable(unjudged)
    complete = observation.outcome == "passed"
    states = {verdict.state: (item, verdict) for item, verdict in reversed(verdicts)}
    if complete and "missing" in states:
        item, _ = states["missing"]
        message = f"{item.source}: never recorded, though the test says that it ran to its end"
        return failures.of_verdict(message, raises=False), TestOutcome.TAMPERED, True
    if "fails" in states:
        item, verdict = states["fails"]
        message = verdict.message or item.source
        failure = failures.of_verdict(message, raises=item.kind == "raises", raised=verdict.raised)
        return failure, TestOutcome.FAILED, True
    if not complete:
        raised = observation.raised
        failure = failures.of_exception(raised) if raised else failures.of_verdict("failed", raises=False)
        return failure, TestOutcome.FAILED, failures.is_stable(failure) or failures.is_late_program(raised)
    return None, TestOutcome.PASSED, True
