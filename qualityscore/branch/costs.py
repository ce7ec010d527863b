"""What a branch costs beside its baseline: by workloads where there are some, else by its own tests."""

from __future__ import annotations

import hashlib
import math
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from qualityscore.branch.own_tests import Arrangement, OwnRun, Verdict
from qualityscore.branch.own_tests import run as run_tests
from qualityscore.core.intervals import median_interval
from qualityscore.model.cost import CostOutcome
from qualityscore.model.finding import Finding
from qualityscore.model.measure import Fault, Measured, NotApplicable, Outcome, Part, Unavailable
from qualityscore.model.task import (
    EnvironmentSpec,
    ReferenceSpec,
    SuiteSpec,
    Surface,
    SurfaceSpec,
    Task,
    TaskSpec,
)
from qualityscore.runtime.target import Target

PAIRS = 6
"""The fewest pairs whose median has a 95 % interval by order statistics: 1 - 2 (1/2)^6 = 0.97."""
MEASURES = ("workload.cost", "import.cost", "peak_heap", "peak_rss")
_MOST_SUITE_S = 240.0
_LEAST_CPU_S = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """The cost measures of both sides; `source` says what they rest on, None where nothing was measured."""

    before: dict[str, Outcome]
    after: dict[str, Outcome]
    source: str | None
    findings: tuple[Finding, ...] = ()
    counter: str | None = None
    notes: tuple[str, ...] = ()


def own_task(folder: Path, packages: Sequence[str], digest: str, workloads: Path | None) -> Task:
    """The task that a repository is to itself: its packages, and its workloads where it has some."""
    probes = folder / "probes"
    probes.mkdir(parents=True, mode=0o755)
    suites = {}
    marked = hashlib.sha256(digest.encode())
    if workloads is not None:
        shutil.copyfile(workloads, probes / "workloads.py")
        marked.update(workloads.read_bytes())
        suites = {"cost": SuiteSpec(files=["workloads.py"])}
    return Task(
        spec=TaskSpec(
            id="own-tests",
            title="the repository's own tests",
            scenario="utilities",
            reference=ReferenceSpec(path="."),
            environment=EnvironmentSpec(python=">=3.11", lock="requirements.lock"),
            surface=SurfaceSpec(imports=list(packages) or ["builtins"]),
            suites=suites,  # type: ignore[arg-type]
        ),
        surface=Surface(entries=[]),
        folder=folder,
        probes_folder=probes,
        digest=marked.hexdigest(),
    )


def nothing(reason: str) -> Costs:
    """No cost was measured, for a reason that is no fault."""
    outcomes: dict[str, Outcome] = dict.fromkeys(MEASURES, NotApplicable(reason=reason))
    return Costs(before=outcomes, after=dict(outcomes), source=None, notes=(reason,))


def lost(reason: str, fault: Fault) -> Costs:
    """No cost was measured, by a fault that is not the branch's."""
    outcomes: dict[str, Outcome] = dict.fromkeys(MEASURES, Unavailable(reason=reason, fault=fault))
    return Costs(before=outcomes, after=dict(outcomes), source=None)


def by_workloads(after: Target, before: Target, *, counter: str, progress: Callable[[int, int], None]) -> Costs:
    """Workloads of both states, beside each other. Raises as `suites.cost.run` does."""
    from qualityscore.suites import cost  # noqa: PLC0415

    outcome: CostOutcome = cost.run(after, replace(before, is_reference=True), counter=counter, progress=progress)
    return Costs(
        before=dict(outcome.reference),
        after=dict(outcome.subject),
        source="workloads",
        findings=outcome.findings,
        counter=outcome.counter,
    )


def by_own_tests(
    before: tuple[Target, Arrangement, OwnRun],
    after: tuple[Target, Arrangement, OwnRun],
    *,
    budget_s: float,
    progress: Callable[[int, int], None],
) -> Costs:
    """The processor time of the baseline's tests on both codes, in pairs; only files whose tests all pass on both.

    The same test files are run on either side. Imports are left out, what tests themselves spend is in: a suite says
    less about cost than workloads do, and the measure is marked so.
    """
    files = [f for f in before[2].cpu_s if _all_pass(before[2], f) and _all_pass(after[2], f)]
    once_s = sum(before[2].cpu_s[f] for f in files)
    if not files or once_s < _LEAST_CPU_S:
        return nothing(f"no workloads, and the tests take {once_s:.2f} s: too little to compare")
    limit_s = min(_MOST_SUITE_S, budget_s)
    if 2 * PAIRS * once_s > limit_s:
        return nothing(f"no workloads, and the tests take {once_s:.0f} s: too long to repeat; write workloads")
    ends_at = time.monotonic() + 3 * limit_s
    logs: list[float] = []
    sums: tuple[list[float], list[float]] = ([], [])
    for number in range(PAIRS):
        progress(number, PAIRS)
        spent: dict[int, float] = {}
        for side in (0, 1) if number % 2 == 0 else (1, 0):
            target, arrangement, _ = (before, after)[side]
            left_s = ends_at - time.monotonic()
            if left_s < 1.0:
                return nothing("no workloads, and the tests could not be repeated within the time budget")
            seen = run_tests(target, arrangement, budget_s=left_s, progress=silent, only=files)
            if seen.cut:
                return nothing("no workloads, and the tests could not be repeated within the time budget")
            spent[side] = sum(seen.cpu_s.get(f, 0.0) for f in files)
        if spent[0] <= 0 or spent[1] <= 0:
            return nothing("no workloads, and the tests' processor time could not be read")
        logs.append(math.log(spent[0] / spent[1]))
        for side in (0, 1):
            sums[side].append(spent[side])
    interval = median_interval(logs)
    details = {"source": "own tests", "unit": "seconds", "counter": "cpu", "files": len(files), "interval": interval}
    parts = tuple(
        Part(id="own tests", value=sorted(side)[PAIRS // 2], samples=tuple(side), log_ratios=tuple(logs) if own else ())
        for side, own in ((sums[0], False), (sums[1], True))
    )
    rest: dict[str, Outcome] = {
        name: NotApplicable(reason="there are no workloads") for name in MEASURES if name != "workload.cost"
    }
    return Costs(
        before={"workload.cost": Measured(value=parts[0].value or 0.0, parts=parts[:1], details=details), **rest},
        after={"workload.cost": Measured(value=parts[1].value or 0.0, parts=parts[1:], details=details), **rest},
        source="own tests",
        counter="cpu",
    )


def silent(done: int, total: int) -> None:
    """No progress display."""
    del done, total


def _all_pass(run: OwnRun, file: str) -> bool:
    of_file = [t for id_, t in run.tests.items() if id_.partition("::")[0] == file]
    return bool(of_file) and all(t.verdict is not Verdict.FAILED for t in of_file)
