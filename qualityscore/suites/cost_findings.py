"""What the cost suite saw that somebody should look at: growth, departures of counters, idling, things left behind."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping

from qualityscore.core.costs import (
    DEPARTURE_BODY_S,
    DEPARTURE_FINDING,
    GROWTH_EXCESS,
    departure,
)
from qualityscore.model.finding import Finding, Severity
from qualityscore.model.measure import Fault
from qualityscore.suites.cost_kit import Workload
from qualityscore.suites.cost_measures import growths
from qualityscore.suites.cost_sides import Sides, verdict_on_result
from qualityscore.suites.counter_check import compared
from qualityscore.suites.counting import OTHER_RESULT, Counted
from qualityscore.suites.memory import Native
from qualityscore.suites.memory_check import HeapCheck
from qualityscore.suites.memory_measures import collector_check

TEMP_FINDING_BYTES = 1 << 20
TOOL = "workloads"


def findings(sides: Sides, contradicted_heaps: Mapping[str, HeapCheck]) -> tuple[Finding, ...]:
    """All of them, by workload; `contradicted_heaps` are those that resident memory contradicts."""
    natives = {native.id: native for native in sides.subject.native.workloads}
    own = {native.id: native for native in sides.reference.native.workloads}
    found: list[Finding] = []
    for workload in sides.kit.workloads:
        native = natives.get(workload.id)
        if native is None:
            continue
        found += _result(workload, native, sides)
        found += _timed_result(workload, sides)
        found += _left_behind(workload, native, own.get(workload.id))
        found += _growing(workload, sides)
        found += _counted(workload, sides)
        found += _idle(workload, sides)
        found += _hidden_heap(workload, contradicted_heaps.get(workload.id))
        found += _without_collector(workload, sides)
    return tuple(found)


def _finding(
    code: str, workload: Workload, message: str, severity: Severity, measure: str, **details: object
) -> Finding:
    dimension = "resource" if measure.startswith("peak") else "efficiency"
    return Finding(
        code=code,
        tool=TOOL,
        message=f"workload {workload.id}: {message}",
        severity=severity,
        dimension=dimension,
        measure=measure,
        details={"workload": workload.id, **details},
    )


def _result(workload: Workload, native: Native, sides: Sides) -> Iterator[Finding]:
    expected = sides.expected.get(workload.id)
    problem = verdict_on_result(native, expected) if expected is not None else None
    if problem is None:
        return
    wrong = sum(d != expected for d in native.digests)
    flaky = 0 < wrong < len(native.digests)
    yield _finding(
        "cost-flaky" if flaky else "cost-wrong",
        workload,
        problem.reason,
        Severity.HIGH,
        "workload.cost",
        wrong=wrong,
        runs=len(native.digests),
    )


def _timed_result(workload: Workload, sides: Sides) -> Iterator[Finding]:
    """Runs in pairs that failed or gave another result, though the plain runs were right."""
    for timed in (sides.pairs.get(workload.id), sides.checks.get(workload.id)):
        if timed is not None and timed.failed and timed.trouble is not None and timed.trouble.fault is Fault.SUBJECT:
            yield _finding(
                "cost-flaky" if timed.failed < timed.runs else "cost-wrong",
                workload,
                f"timed in turn with the reference: {timed.trouble.reason}",
                Severity.HIGH,
                "workload.cost",
                wrong=timed.failed,
                runs=timed.runs,
            )
            return


def _left_behind(workload: Workload, native: Native, own: Native | None) -> Iterator[Finding]:
    for what, mine, theirs in (
        ("processes", native.processes_left, own.processes_left if own else 0),
        ("threads", native.threads_left, own.threads_left if own else 0),
        ("open descriptors", native.descriptors_left, own.descriptors_left if own else 0),
    ):
        if mine > theirs:
            yield _finding("cost-left-behind", workload, f"{mine} {what} are left behind", Severity.MEDIUM, "peak_rss")
    least = max(TEMP_FINDING_BYTES, 2 * own.written_bytes if own else 0)
    if native.written_bytes > least and native.temp_bytes <= TEMP_FINDING_BYTES:
        yield _finding(
            "cost-temporary-data",
            workload,
            f"{native.written_bytes / (1 << 20):.1f} MiB are written while it runs",
            Severity.LOW,
            "peak_rss",
            bytes=native.written_bytes,
        )
    if native.temp_bytes > max(TEMP_FINDING_BYTES, own.temp_bytes if own else 0):
        mib = native.temp_bytes / (1 << 20)
        yield _finding(
            "cost-temporary-data",
            workload,
            f"{mib:.1f} MiB of temporary files are left behind",
            Severity.MEDIUM,
            "peak_rss",
            bytes=native.temp_bytes,
        )


def _counted(workload: Workload, sides: Sides) -> Iterator[Finding]:
    mine, theirs = (
        next((c for c in facts.counts.workloads if c.id == workload.id), None) if facts.counts else None
        for facts in (sides.subject, sides.reference)
    )
    overheads = sides.reference.overheads
    if mine is None or theirs is None or overheads is None:
        return
    if mine.trouble is not None and mine.trouble.reason == OTHER_RESULT:
        yield _finding(
            "cost-tool-seen", workload, f"{OTHER_RESULT}; pairs of CPU seconds decide", Severity.HIGH, "workload.cost"
        )
    yield from _departed(workload, mine, theirs, sides)


def _growing(workload: Workload, sides: Sides) -> Iterator[Finding]:
    ours, reference = growths(workload, sides)
    if ours is not None and reference is not None and ours - reference > GROWTH_EXCESS:
        yield _finding(
            "cost-growth",
            workload,
            f"cost grows like n^{ours:.1f}, the reference like n^{reference:.1f}",
            Severity.HIGH,
            "workload.cost",
            exponent=ours,
            reference_exponent=reference,
        )


def _departed(workload: Workload, mine: Counted, theirs: Counted, sides: Sides) -> Iterator[Finding]:
    check = sides.checks.get(workload.id)
    found = compared(workload, mine, theirs, sides.reference.overheads, check)
    if found is None or check is None or check.subject is None or check.reference is None:
        return
    counted, timed = found.by_count, found.by_cpu
    if counted is None or timed is None:
        return
    away = departure(counted, timed)
    long_enough = max(statistics.median(check.subject.full), statistics.median(check.reference.full))
    if away > DEPARTURE_FINDING and long_enough >= DEPARTURE_BODY_S:
        yield _finding(
            "cost-departure",
            workload,
            f"CPU time says {timed:.2f} times the reference's speed, instructions say {counted:.2f}",
            Severity.MEDIUM,
            "workload.cost",
            by_cpu=timed,
            by_count=counted,
        )


def _idle(workload: Workload, sides: Sides) -> Iterator[Finding]:
    timed = sides.pairs.get(workload.id) or sides.checks.get(workload.id)
    if timed is not None and timed.idles:
        yield _finding(
            "cost-idle",
            workload,
            f"it sleeps or waits {timed.idle_excess_s:.3f} s more than the reference; wall time is its cost",
            Severity.HIGH,
            "workload.cost",
            idle_s=timed.idle_excess_s,
        )


def _hidden_heap(workload: Workload, check: HeapCheck | None) -> Iterator[Finding]:
    if check is not None:
        yield _finding(
            "cost-heap",
            workload,
            f"memray saw a heap of {_mib(check.heap)}, {_mib(check.resident)} were resident above idle without it; "
            f"{_mib(check.foreseen)} of them, without what the reference has beyond its heap, count as the heap",
            Severity.HIGH,
            "peak_heap",
            heap_bytes=check.heap,
            resident_bytes=check.resident,
            charged_bytes=check.foreseen,
        )


def _without_collector(workload: Workload, sides: Sides) -> Iterator[Finding]:
    check = collector_check(workload, sides)
    if check is not None and check.hungrier:
        yield _finding(
            "cost-collector",
            workload,
            f"{_mib(check.timed)} were resident above idle where the collector was off, {_mib(check.plain)} where it "
            "was on, which are scored",
            Severity.HIGH,
            "peak_rss",
            timed_bytes=check.timed,
            plain_bytes=check.plain,
        )


def _mib(size: float) -> str:
    return f"{size / (1 << 20):.1f} MiB"
