"""The cost suite: what the workloads and the import of a subject cost beside the reference's (scoring.md section 5)."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from qualityscore.errors import HarnessError
from qualityscore.model.cost import CostOutcome
from qualityscore.model.measure import Fault, Measured, NotApplicable, Outcome, Part, Unavailable
from qualityscore.runtime.cache import cache_root
from qualityscore.runtime.fingerprint import fingerprint
from qualityscore.runtime.process import killed_on_failure
from qualityscore.runtime.scratch import scratch_folder
from qualityscore.runtime.target import Target
from qualityscore.suites.cost_facts import Facts, keep_facts, read_facts, reference_key
from qualityscore.suites.cost_findings import findings
from qualityscore.suites.cost_kit import Bench, Workload, has_workloads, prepare_bench, prepare_kit
from qualityscore.suites.cost_launch import Trouble
from qualityscore.suites.cost_measures import allocated, cost_parts, curves, runs_seen
from qualityscore.suites.cost_pinned import PinnedCosts, kept_times
from qualityscore.suites.cost_sides import Sides, expected_digests, nothing, total, verdict_on_result
from qualityscore.suites.cost_timing import Timing
from qualityscore.suites.counters import Choice, choose, valgrind_version
from qualityscore.suites.counting import Overheads, count_overheads, count_side
from qualityscore.suites.import_measures import import_outcomes
from qualityscore.suites.memory import RUNS, run_heap, run_native
from qualityscore.suites.memory_measures import taken_memory

__all__ = ["CostOutcome", "PinnedCosts", "run"]

Progress = Callable[[int, int], None]
NO_WORKLOADS = "the task has no workloads"
WORKLOAD_MEASURES = ("workload.cost", "peak_heap", "peak_rss")


def _silent(done: int, total_: int) -> None:
    del done, total_


def run(
    target: Target,
    reference: Target | None,
    *,
    counter: str = "auto",
    digests: Mapping[str, str] | None = None,
    pinned: PinnedCosts | None = None,
    progress: Progress = _silent,
    root: Path | None = None,
    deadline: float = math.inf,
) -> CostOutcome:
    """Measure `target` beside the live `reference`, beside a `pinned` one, or alone as a reference itself.

    `counter` is auto, instructions, valgrind or cpu. `digests` are the snapshot's right results; without them the
    reference's own count. `pinned` are the costs that a snapshot of this host's kind holds. `root` is the cache
    (default: the user's), which keeps the reference's counts and memory.
    A subject whose import was stopped before has no costs by its own fault; nothing is run, the reference neither.
    What does not fit before `deadline` (time.monotonic()) is unmeasured by the harness's fault: "budget".

    Raises UsageError for an unknown counter, TaskError for workloads that break their contract, HarnessError for what
    the host cannot do. What a subject does wrong is in the outcome.
    """
    choice = choose(counter)
    why = next(iter(target.stopped.values()), None)
    if why is not None and (reference is not None or pinned is not None):
        return _stopped(target, choice, why)
    with scratch_folder("qualityscore-cost-") as scratch:
        stage = _Stage(
            target=target,
            reference=reference or replace(target, is_reference=pinned is None),
            choice=choice,
            digests=digests if pinned is None else pinned.digests,
            pinned=pinned,
            paired=reference is not None,
            steps=_Steps(progress),
            root=root or cache_root(),
            scratch=scratch,
            deadline=deadline,
        )
        return stage.measure()


class _Steps:
    """Counts launches for the progress display, from several threads; the total grows when more are needed."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._lock = threading.Lock()
        self._done = 0
        self._total = 0

    def plan(self, launches: int) -> None:
        with self._lock:
            self._total += launches
            self._progress(self._done, self._total)

    def step(self) -> None:
        with self._lock:
            self._done += 1
            self._total = max(self._total, self._done + 1)  # until the end is told, more may come
            self._progress(self._done, self._total)

    def finish(self) -> None:
        """What was planned and turned out needless is not shown as left to do."""
        with self._lock:
            self._total = self._done
            self._progress(self._done, self._total)


@dataclass(slots=True, kw_only=True)
class _Stage:
    """One measurement under way: `paired` with a live reference, beside a `pinned` one, or of a reference alone."""

    target: Target
    reference: Target
    choice: Choice
    digests: Mapping[str, str] | None
    pinned: PinnedCosts | None
    paired: bool
    steps: _Steps
    root: Path
    scratch: Path
    deadline: float

    @property
    def counted(self) -> bool:
        return self.choice.counter == "valgrind"

    @property
    def alone(self) -> bool:
        """Whether the reference is measured by itself."""
        return not self.paired and self.pinned is None

    def measure(self) -> CostOutcome:
        kit = prepare_kit(self.reference, self.scratch / "kit")
        theirs = prepare_bench(self.reference, kit, self.scratch / "reference")
        mine = theirs if not self.paired else prepare_bench(self.target, kit, self.scratch / "subject")
        mine, theirs = (replace(bench, deadline=self.deadline) for bench in (mine, theirs))
        key = reference_key(self.reference, counted=self.counted)
        kept = read_facts(self.root, key) if self.paired else None
        self.steps.plan(self.launches(kept))
        with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool, killed_on_failure(pool):
            fresh = [theirs, mine] if self.paired and not kept else [mine]
            natives = list(pool.map(lambda bench: run_native(bench, self.steps.step), fresh))
            reference = kept or Facts(native=natives[0])
            if self.pinned is not None:
                reference = self.pinned.facts(kit, self.overheads(theirs) if self.counted else None)
            expected, troubles = expected_digests(reference, self.digests)
            mine, theirs = (replace(bench, right=expected) for bench in (mine, theirs))
            if kept is None and self.pinned is None:
                reference = self.complete(theirs, reference, expected, pool)
                if not reference.disturbed:
                    keep_facts(self.root, key, reference)
            subject = reference if self.alone else self.complete(mine, Facts(native=natives[-1]), expected, pool)
        timing = self.time(mine, theirs, subject, reference, expected)
        self.steps.finish()
        sides = Sides(
            kit=kit,
            subject=subject,
            reference=reference,
            expected=expected,
            troubles=troubles,
            pairs=timing.pairs,
            checks=timing.checks,
            import_pairs=timing.import_pairs,
            import_check=timing.import_check,
            gate_problem=timing.gate_problem,
            alone=self.alone,
            timed_growth=timing.growth,
            timed_reference_growth=timing.reference_growth,
        )
        return self.outcome(sides, timing)

    def launches(self, kept: Facts | None) -> int:
        """The least number of launches before anything is timed: imports, native rounds, two heap rounds and counts."""
        one_side = 1 + RUNS + (RUNS - 1) + (2 if self.counted else 0)
        overheads = 1 if self.counted and kept is None else 0
        return overheads + one_side * (2 if self.paired and kept is None else 1)

    def complete(self, bench: Bench, facts: Facts, expected: dict[str, str], pool: ThreadPoolExecutor) -> Facts:
        """Heap and counts of the workloads that are right."""
        if facts.native.import_trouble is not None:
            return facts
        right = _right(bench, facts, expected)
        heaps = pool.submit(run_heap, bench, right, self.steps.step)
        counts = overheads = None
        if self.counted:
            if bench.target.is_reference:
                overheads = self.overheads(bench)
            counts = count_side(bench, right, pool, self.steps.step)
        return replace(facts, heaps=heaps.result(), counts=counts, overheads=overheads)

    def overheads(self, bench: Bench) -> Overheads | None:
        """What neither side is charged for; None where the time is up."""
        found = count_overheads(bench)
        self.steps.step()
        if found is None and bench.left_s:
            raise HarnessError("valgrind is installed but does not count in the sandbox; use --counter cpu.")
        return found

    def time(self, mine: Bench, theirs: Bench, subject: Facts, reference: Facts, expected: Mapping[str, str]) -> Timing:
        """The timings that this measurement wants."""
        timing = Timing(counted=self.counted, steps=self.steps, root=self.root, scratch=self.scratch)
        right = _right(mine, subject, expected)
        if subject.native.import_trouble is not None or reference.native.import_trouble is not None:
            return timing
        if self.pinned is not None:
            timing.pinned(mine, self.pinned, subject, reference, right)
        elif self.alone and self.counted:
            timing.alone(mine, right)
        else:
            timing.live(mine, theirs, subject, reference, right)
        if self.alone and not self.counted:
            timing.kept = kept_times({id_: p.reference for id_, p in timing.pairs.items() if p.reference is not None})
        return timing

    def outcome(self, sides: Sides, timing: Timing) -> CostOutcome:
        """The measures of both sides."""
        subject: dict[str, Outcome] = {}
        reference: dict[str, Outcome] = {}
        broken = sides.reference.native.import_trouble
        taken = taken_memory(sides)
        if not has_workloads(self.target.task):
            for measure in WORKLOAD_MEASURES:
                subject[measure] = reference[measure] = NotApplicable(reason=NO_WORKLOADS)
        elif broken is not None:
            for measure in WORKLOAD_MEASURES:
                subject[measure] = reference[measure] = nothing(broken)
        else:
            mine, theirs, details = cost_parts(sides)
            details |= {"unit": "instructions" if self.counted else "seconds", "counter": self.choice.counter}
            if timing.kept:
                details["timed"] = timing.kept
            drawn = {} if self.alone else curves(sides)
            columns = {"workload.cost": (mine, theirs), "peak_heap": taken.heap, "peak_rss": taken.rss}
            for measure, (own, other) in columns.items():
                said = [_details(measure, facts, details) for facts in (sides.subject, sides.reference)]
                said[0] |= drawn.get(measure, {})
                subject[measure] = _measured(own, sides.subject.native.import_trouble, said[0])
                reference[measure] = _measured(other, None, said[1])
        subject["import.cost"], reference["import.cost"] = import_outcomes(sides)
        imported = subject["import.cost"]
        if timing.kept_imports and isinstance(imported, Measured):
            kept = replace(imported, details={**imported.details, "timed": list(timing.kept_imports)})
            subject["import.cost"] = reference["import.cost"] = kept
        return CostOutcome(
            subject=subject,
            reference=reference,
            digests=dict(sides.expected),
            counter=self.choice.counter,
            findings=() if self.alone or broken else findings(sides, taken.replaced),
            details={
                "passed_over": dict(self.choice.passed_over),
                "valgrind": valgrind_version() if self.counted else None,
                "fingerprint": fingerprint().digest,
                "sandbox": self.target.sandbox.level.value,
                "live_reference": self.paired,
                "calibration": _calibration(timing),
            },
        )


def _stopped(target: Target, choice: Choice, why: str) -> CostOutcome:
    lost = Unavailable(reason=why, fault=Fault.SUBJECT)
    subject: dict[str, Outcome] = dict.fromkeys((*WORKLOAD_MEASURES, "import.cost"), lost)
    if not has_workloads(target.task):
        subject |= dict.fromkeys(WORKLOAD_MEASURES, NotApplicable(reason=NO_WORKLOADS))
    return CostOutcome(
        subject=subject,
        reference={},
        digests={},
        counter=choice.counter,
        details={"passed_over": dict(choice.passed_over), "live_reference": False},
    )


def _calibration(timing: Timing) -> dict[str, Any] | None:
    """What a second is worth here and how well times can tell, where it was asked."""
    found = timing.calibration
    if found is None:
        return None
    return {"seconds": found.seconds, "half_width": found.gate.half_width, "bias": found.gate.bias}


def _details(measure: str, facts: Facts, cost_details: dict[str, Any]) -> dict[str, Any]:
    """What stands beside a measure of workloads."""
    match measure:
        case "workload.cost":
            return {**cost_details, "wall_s": {n.id: n.wall_s for n in facts.native.workloads if n.trouble is None}}
        case "peak_heap":
            return {"allocated_bytes": allocated(facts)}
        case _:
            return {"runs": runs_seen(facts)}


def _right(bench: Bench, facts: Facts, expected: Mapping[str, str]) -> list[Workload]:
    natives = {native.id: native for native in facts.native.workloads}
    return [
        w
        for w in bench.kit.workloads
        if w.id in expected and verdict_on_result(natives.get(w.id), expected[w.id]) is None
    ]


def _measured(parts: tuple[Part, ...], import_trouble: Trouble | None, details: dict[str, Any]) -> Outcome:
    if import_trouble is not None:
        return nothing(import_trouble)
    if parts and all(part.value is None and part.fault is Fault.HARNESS for part in parts):
        return Unavailable(reason=parts[0].note or "not measured", fault=Fault.HARNESS)
    return Measured(value=total(parts), parts=parts, details=details)
