"""The one place where the stages are wired: repository to report, top to bottom.

repository -> copy + environment -> sandbox -> suites and collectors -> measures -> normalise -> weigh -> report
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from qualityscore.core import credibility as core_credibility
from qualityscore.core.comparability import require_pinned_costs
from qualityscore.core.failures import refine
from qualityscore.core.intervals import wilson
from qualityscore.core.profile import Profile
from qualityscore.core.score import effective, score
from qualityscore.errors import (
    HarnessError,
    InputError,
    ProfileError,
    QualityScoreError,
    ReferenceFaultError,
    UsageError,
)
from qualityscore.model.cost import CostOutcome
from qualityscore.model.finding import Finding, by_place
from qualityscore.model.measure import Fault, Measured, Outcome, Unavailable
from qualityscore.model.outcome import FreshOutcome, FunctionalOutcome, RobustnessOutcome, TestOutcome
from qualityscore.model.report import (
    DIMENSIONS,
    SCHEMA_VERSION,
    SCORE_MODEL,
    CredibilityReport,
    FaultReport,
    FunctionalReport,
    Report,
    RobustnessReport,
    Status,
    SubjectInfo,
    SurfaceCoverage,
    TaskInfo,
)
from qualityscore.model.snapshot import Snapshot
from qualityscore.model.task import Task
from qualityscore.runtime import documents, environment, provenance, reference, tasks, workspace
from qualityscore.runtime.cache import cache_root, static_results
from qualityscore.runtime.excerpts import excerpts
from qualityscore.runtime.sandbox.base import Sandbox
from qualityscore.runtime.sandbox.bounded import Bounded
from qualityscore.runtime.sandbox.select import required_level, select
from qualityscore.runtime.scratch import scratch_folder
from qualityscore.runtime.target import Environment, Target, Tree
from qualityscore.suites import functional as functional_suite
from qualityscore.suites import manifest, robustness, tracing
from qualityscore.suites.counters import choose, cost_host

if TYPE_CHECKING:
    from qualityscore.collectors.context import StaticOutcome
    from qualityscore.core.gate import Gate

Progress = Callable[[str, int, int], None]
T = TypeVar("T")

BOOTSTRAP_SEED = 20240229
FUNCTIONAL = "functional"
"""The name that stands beside the dimensions in `only`."""

_NEEDS = {
    FUNCTIONAL: frozenset({"functional"}),
    "maintainability": frozenset({"functional", "trace", "static", "robustness"}),
    "security": frozenset({"functional", "trace", "static", "robustness"}),
    "robustness": frozenset({"functional", "robustness"}),
    "efficiency": frozenset({"functional", "robustness", "cost"}),
    "resource": frozenset({"cost"}),
}


class Interrupted(Exception):
    """The caller pressed Ctrl-C; `report` holds what had been measured. Nothing of the run is left behind."""

    def __init__(self, report: Report) -> None:
        super().__init__("interrupted")
        self.report = report


def evaluate(
    repo: str | Path,
    *,
    task: str | None = None,
    baseline: str | None = None,
    gate: str | None = None,
    accept_removed: bool = False,
    only: tuple[str, ...] | None = None,
    profile: str | None = None,
    label: str | None = None,
    sample: int | None = None,
    unsafe: bool = False,
    require_sandbox: str | None = None,
    counter: str = "auto",
    requirements: str | Path | None = None,
    time_budget_s: float | None = None,
    live_reference: bool = True,
    fresh: int | None = None,
    progress: Progress | None = None,
) -> Report:
    """Evaluate a repository against a task, or against an earlier state of itself, and return the report.

    `task` is the id of a bundled task, the path of a task's folder, or one of RAL-Bench's task files (`.yaml`) inside a
    copy of that benchmark. Without one, `baseline` is a git ref, a folder or a snapshot of an earlier state, and the
    repository's own tests are the suite; without either, what its `qualityscore.toml` names counts, else it is measured
    alone. `gate` is a file of conditions; `accept_removed` lets removed, skipped and weakened tests pass it.
    `profile` is `reference`, for RAL-Bench's files `ral-bench`, unless given; `requirements` is a hash-locked file for
    their environment, which a task of ours brings itself. `only` names "functional" and dimensions, the rest is left
    out without fault. `progress(stage, done, total)` is called as stages advance. `unsafe` allows running without a
    sandbox where none works, `require_sandbox` (container, namespace or landlock) refuses to run in a weaker one.
    `counter` is auto, instructions, valgrind or cpu. `time_budget_s` bounds the stages that
    run the subject; what does not fit is unmeasured, with the reason "budget". Without `live_reference`, costs are
    compared with the snapshot's, where its host was of this one's kind. `fresh` is a seed: inputs that nobody has seen
    are drawn from it, and what the subject and the live reference make of them is reported beside the frozen probes of
    a task; no score depends on it.

    Raises InputError for what the caller gave (subject, task, snapshot, profile), SandboxUnavailableError where code
    cannot be contained, and Interrupted, with a partial report, on KeyboardInterrupt. Every other fault of the harness
    or the reference is in the report's `faults`.
    """
    wanted = _wanted(only)
    required = required_level(require_sandbox)
    task = _against(repo, task, baseline)
    conditions = _conditions(gate)
    if conditions is not None and task is not None:
        _check_gate(conditions, Path(task), profile, accept_removed=accept_removed)
    is_file = task is not None and tasks.is_task_file(Path(task))
    if (time_budget_s is not None and is_file) or (not live_reference and (task is None or is_file)):
        raise UsageError("--time-budget and --no-live-reference need a task of ours; name it with --task.")
    if fresh is not None and (task is None or is_file):
        raise UsageError("--fresh draws the probes of a task of ours again; name one with --task.")
    if fresh is not None and not any("robustness" in _NEEDS[name] for name in only or _NEEDS):
        raise UsageError("--fresh draws probes again, and --only leaves them out; add robustness to it.")
    if task is None:
        if requirements is not None:
            raise UsageError("--requirements is for RAL-Bench's task files; a repository brings its own.")
        return _evaluate_branch(
            repo,
            time_budget_s=time_budget_s,
            baseline=baseline,
            wanted=wanted,
            gate=gate,
            accept_removed=accept_removed,
            profile=profile,
            label=label,
            sample=sample,
            unsafe=unsafe,
            required=required,
            counter=counter,
            progress=progress or silent,
        )
    if tasks.is_task_file(Path(task)):
        from qualityscore import ral_bench_evaluation  # noqa: PLC0415

        report = ral_bench_evaluation.evaluate(
            Path(repo),
            Path(task),
            wanted=wanted,
            profile=profile or ral_bench_evaluation.PROFILE,
            label=label,
            sample=sample,
            unsafe=unsafe,
            required=required,
            lock=None if requirements is None else Path(requirements),
            progress=progress or silent,
        )
        return _gated(report, conditions, accept_removed=accept_removed)
    if requirements is not None:
        raise UsageError("--requirements is for RAL-Bench's task files; a task of ours brings its own lock.")
    profile = profile or "reference"
    started = datetime.now(UTC)
    loaded = tasks.load_task(task)
    weights = documents.load_profile(profile)
    _check_profile(weights, profile)
    chosen = choose(counter)
    if time_budget_s is not None and not (math.isfinite(time_budget_s) and time_budget_s > 0):
        raise UsageError(f"--time-budget {time_budget_s:g} is no number of seconds above 0; give one, such as 300.")
    with scratch_folder("qualityscore-") as scratch:
        copied = workspace.copy(Path(repo), scratch / "subject", tuple(loaded.spec.surface.imports))
        snapshot = tasks.read_snapshot(tasks.snapshot_path(loaded, environment.python_minor()), loaded)
        sandbox = select(required=required, unsafe=unsafe)
        if not live_reference:
            require_pinned_costs(snapshot.provenance, cost_host(chosen.counter, sandbox.level))
        run = _Run(
            task=loaded,
            profile=weights,
            snapshot=snapshot,
            stages=frozenset().union(*(_NEEDS[name] for name in wanted)),
            progress=progress or silent,
            scratch=scratch,
            sandbox=sandbox,
            counter=counter,
            time_budget_s=time_budget_s,
            live_reference=live_reference,
            fresh_seed=fresh,
        )
        interrupted = False
        try:
            run.measure(copied.tree)
        except KeyboardInterrupt:
            interrupted = True
            run.faults.append(FaultReport(stage=run.stage, fault=Fault.HARNESS, reason="interrupted by the caller"))
        report = run.report(
            wanted=wanted,
            subject=SubjectInfo(
                path=str(repo), digest=copied.tree.digest, label=label, sample=sample, files=len(copied.tree.files)
            ),
            skipped=copied.skipped,
            profile_name=profile,
            started=started,
        )
        report = replace(report, sources=excerpts(copied.tree.root, copied.tree.files, report.findings))
    report = _gated(report, conditions, accept_removed=accept_removed)
    if interrupted:
        raise Interrupted(report)
    return report


def _against(repo: str | Path, task: str | None, baseline: str | None) -> str | None:
    """The task to evaluate against: the caller's, else that of the repository's settings; None for an earlier state."""
    if task is not None and baseline is not None:
        raise UsageError("--task and --baseline exclude each other: a task brings its own reference.")
    if task is not None or baseline is not None:
        return task
    from qualityscore.branch.settings import read_settings  # noqa: PLC0415

    return read_settings(Path(repo)).spec.task


def _evaluate_branch(repo: str | Path, **options: Any) -> Report:
    from qualityscore.branch import evaluate as branch  # noqa: PLC0415

    try:
        return branch.evaluate_branch(repo, **options)
    except branch.Interrupted as stop:
        raise Interrupted(stop.report) from None


def _conditions(gate: str | None) -> Gate | None:
    """The conditions of a gate's file, read before anything is measured."""
    if gate is None:
        return None
    from qualityscore.branch.settings import read_gate  # noqa: PLC0415

    return read_gate(gate)


def _check_gate(gate: Gate, task: Path, profile: str | None, *, accept_removed: bool) -> None:
    from qualityscore.branch.evaluate import check_gate  # noqa: PLC0415

    if profile is None and tasks.is_task_file(task):
        from qualityscore.ral_bench_evaluation import PROFILE  # noqa: PLC0415

        profile = PROFILE
    weights = documents.load_profile(profile or "reference")
    check_gate(gate, weights, accept_removed=accept_removed)


def _gated(report: Report, gate: Gate | None, *, accept_removed: bool) -> Report:
    if gate is None:
        return report
    from qualityscore.branch.evaluate import decide  # noqa: PLC0415

    return replace(report, gate=decide(gate, report, accept_removed=accept_removed))


def silent(stage: str, done: int, total: int) -> None:
    del stage, done, total


def _check_profile(profile: Profile, name: str) -> None:
    strangers = [metric for metric in profile.measure_ids if metric not in _STAGE_OF]
    if strangers:
        raise ProfileError(
            f"The profile {name} scores {strangers[0]}, which evaluate does not measure; "
            f"it measures {', '.join(_STAGE_OF)}."
        )


def _wanted(only: tuple[str, ...] | None) -> frozenset[str]:
    known = (FUNCTIONAL, *DIMENSIONS)
    if only is None:
        return frozenset(known)
    for name in only:
        if name not in known:
            raise UsageError(
                f"--only {name!r} is neither functional nor a dimension; the names are {', '.join(known)}."
            )
    return frozenset(only)


@dataclass(slots=True, kw_only=True)
class _Run:
    """One evaluation under way: what it was asked for, and what it has gathered so far."""

    task: Task
    profile: Profile
    snapshot: Snapshot
    stages: frozenset[str]
    progress: Progress
    scratch: Path
    sandbox: Sandbox
    counter: str
    time_budget_s: float | None = None
    live_reference: bool = True
    deadline: float = math.inf
    fresh_seed: int | None = None
    stage: str = "start"
    environment: Environment | None = None
    functional: FunctionalOutcome | None = None
    trace: tracing.Trace | None = None
    robustness: RobustnessOutcome | None = None
    fresh: FreshOutcome | None = None
    coverage: SurfaceCoverage | None = None
    static: StaticOutcome | None = None
    reference_static: StaticOutcome | None = None
    cost: CostOutcome | None = None
    faults: list[FaultReport] = field(default_factory=list)

    def guarded(self, stage: str, work: Callable[[], T]) -> T | None:
        """Run one stage; a fault of the harness or the reference is noted and costs this stage only."""
        self.stage = stage
        self.progress(stage, 0, 0)
        try:
            return work()
        except InputError:
            raise  # what the caller gave, found late: refused as it would have been at once
        except QualityScoreError as error:
            fault = Fault.REFERENCE if isinstance(error, ReferenceFaultError) else Fault.HARNESS
            self.faults.append(FaultReport(stage=stage, fault=fault, reason=str(error), code=error.code))
        except Exception as error:  # a defect of ours must not become the subject's zero, nor lose what was measured
            reason = f"{type(error).__name__}: {error}"
            self.faults.append(FaultReport(stage=stage, fault=Fault.HARNESS, reason=reason, code=HarnessError.code))
        return None

    def measure(self, tree: Tree) -> None:
        """All stages that were asked for, in order."""
        self.environment = self.guarded(
            "environment",
            lambda: environment.ensure(
                self.task.folder / self.task.spec.environment.lock, self.task.spec.environment.python, cache_root()
            ),
        )
        if self.environment is not None:
            sandbox = self.sandbox
            if self.time_budget_s is not None:
                self.deadline = time.monotonic() + self.time_budget_s
                sandbox = Bounded(sandbox, self.deadline)
            self.measure_running(Target(task=self.task, tree=tree, environment=self.environment, sandbox=sandbox))
        self.coverage = self.guarded("surface", lambda: self.read_surface(tree))
        if "static" in self.stages:
            self.static = self.guarded("static", lambda: self.read_code(tree))
            if self.static is not None and self.other_tools():
                self.reference_static = self.guarded("static reference", self.read_reference_code)

    def measure_running(self, target: Target) -> None:
        """The stages that run the subject."""
        tests = self.snapshot.tests
        imports = functional_suite.ImportTrial(target) if FUNCTIONAL in self.task.spec.suites else None
        if "functional" in self.stages:
            self.functional = self.guarded(
                "functional",
                lambda: functional_suite.run(target, tests, imports=imports, progress=self.steps("functional")),
            )
        if imports is not None:
            tried = self.guarded("executability", imports.finish)
            if tried is not None:
                target = replace(target, stopped=tried.stopped)
        if "trace" in self.stages and self.functional is not None:
            self.trace = self.guarded("trace", lambda: tracing.trace(target, tests, untraced=self.functional))
        if "robustness" in self.stages:
            self.robustness = self.guarded(
                "robustness",
                lambda: robustness.run(
                    target, manifest.load(self.task.probes_folder), progress=self.steps("robustness")
                ),
            )
            seed = self.fresh_seed
            if seed is not None and not target.stopped:
                self.fresh = self.guarded("fresh inputs", lambda: self.draw_fresh(target, seed))
        if "cost" in self.stages:
            self.cost = self.guarded("cost", lambda: self.measure_cost(target))

    def draw_fresh(self, target: Target, seed: int) -> FreshOutcome:
        """Fresh inputs, for which the reference runs in a sandbox of its own."""
        imports = tuple(self.task.spec.surface.imports)
        source = reference.fetch(self.task, cache_root())
        copied = workspace.copy(source, self.scratch / "fresh-reference", imports)
        asked = replace(target, tree=copied.tree, is_reference=True, stopped={})
        frozen = manifest.load(self.task.probes_folder)
        from qualityscore.suites import fresh  # noqa: PLC0415

        return fresh.run(target, asked, frozen, seed, progress=self.steps("fresh inputs"))

    def steps(self, stage: str) -> Callable[[int, int], None]:
        """The progress of one stage."""
        return lambda done, total: self.progress(stage, done, total)

    # Tools are loaded when their stage begins, so that the first test does not wait for them.

    def read_surface(self, tree: Tree) -> SurfaceCoverage | None:
        """How much of the surface is defined, read statically; None, and a fault of the subject, where it cannot be."""
        from qualityscore.analysers.contained import Unreadable, contained_coverage  # noqa: PLC0415

        found = contained_coverage(self.task.surface, tree, cache=static_results(cache_root()))
        if isinstance(found, Unreadable):
            reason = f"surface coverage: {found.reason}"
            self.faults.append(FaultReport(stage="surface", fault=Fault.SUBJECT, reason=reason))
            return None
        return found

    def read_code(self, tree: Tree) -> StaticOutcome:
        """The static collectors over the production code; judged code is what the traced suite entered."""
        from qualityscore.code_reading import read_code  # noqa: PLC0415

        names = [entry.name for entry in self.task.surface.entries]
        return read_code(tree, self.environment, self.trace, names=names, progress=self.steps("static"))

    def other_tools(self) -> list[str]:
        """The static tools whose version or configuration differs from the snapshot's."""
        committed = self.snapshot.provenance.get("tools", {})
        here = self.static.tool_versions if self.static else {}
        return [
            f"{name} {committed.get(name)} there, {now} here"
            for name, now in here.items()
            if committed.get(name) != now
        ]

    def read_reference_code(self) -> StaticOutcome:
        """The reference read with this host's tools, where the snapshot was made with others: only like compares."""
        from qualityscore.code_reading import read_code  # noqa: PLC0415

        folder = reference.fetch(self.task, cache_root())
        copied = workspace.copy(folder, self.scratch / "reference-code", tuple(self.task.spec.surface.imports))
        entered = tracing.Trace(judged=self.snapshot.judged, touches={}, imported_files=())
        return read_code(copied.tree, self.environment, entered, is_reference=True)

    def measure_cost(self, target: Target) -> CostOutcome:
        """Workloads on the subject beside the reference: live, which the subject's sandbox never shows, or pinned."""
        from qualityscore.suites import cost  # noqa: PLC0415

        target = replace(target, sandbox=self.sandbox)  # the stage keeps the deadline itself, and so what fits
        kept = self.snapshot
        against = pinned = None
        if self.live_reference:
            folder = reference.fetch(self.task, cache_root())
            imports = tuple(self.task.spec.surface.imports)
            copied = workspace.copy(folder, self.scratch / "reference", imports)
            against = replace(target, tree=copied.tree, is_reference=True)
        else:
            pinned = cost.PinnedCosts.of(kept.measures, kept.digests, kept.provenance)
        return cost.run(
            target,
            against,
            counter=self.counter,
            digests=kept.digests,
            pinned=pinned,
            progress=self.steps("cost"),
            deadline=self.deadline,
        )

    def report(
        self,
        *,
        wanted: frozenset[str],
        subject: SubjectInfo,
        skipped: tuple[tuple[str, str], ...],
        profile_name: str,
        started: datetime,
    ) -> Report:
        """Scores from whatever was gathered."""
        everything = wanted == {FUNCTIONAL, *DIMENSIONS}
        tampered = self.functional is not None and self.functional.tampered
        credible = self.credibility()
        scored = score(
            self.profile,
            baseline=self.baseline(),
            subject=self.subject_outcomes(credible),
            credibility=credible.score,
            tampered=tampered,
            left_out=frozenset(DIMENSIONS) - wanted,
            rng=np.random.default_rng(BOOTSTRAP_SEED),
        )
        functional = self.functional_report(tampered, left_out=FUNCTIONAL not in wanted)
        non_functional = scored.non_functional
        faults = self.all_faults(scored.faults, credible, wanted)
        nothing = functional.score is None and all(d.score is None for d in scored.dimensions.values())
        if tampered:
            status = Status.TAMPERED
        elif nothing:
            status = Status.FAILED
        elif everything and functional.score is not None and non_functional.score is not None:
            status = Status.COMPLETE
        else:
            status = Status.PARTIAL
        return Report(
            schema_version=SCHEMA_VERSION,
            score_model=SCORE_MODEL,
            status=status,
            subject=subject,
            task=TaskInfo(
                id=self.task.id,
                title=self.task.spec.title,
                digest=self.task.digest,
                reference=tasks.reference_name(self.task),
            ),
            functional=functional,
            credibility=credible,
            non_functional=non_functional,
            dimensions=scored.dimensions,
            effective=effective(functional.score, non_functional.score),
            findings=by_place((*self.findings(wanted), *provenance.left_out_findings(skipped))),
            suppressions=self.static.suppressions if self.static else (),
            faults=faults,
            evidence=tuple(e for part in (self.functional, self.trace, self.robustness) if part for e in part.evidence),
            robustness=self.robustness_report(),
            provenance=provenance.describe(
                profile_name=profile_name,
                profile_digest=self.profile.digest,
                task_digest=self.task.digest,
                subject=subject,
                environment=self.environment,
                sandbox=self.sandbox,
                counter=self.cost.counter if self.cost else None,
                cost_details=self.cost.details if self.cost else {},
                tool_versions=self.static.tool_versions if self.static else {},
                seeds={"bootstrap": BOOTSTRAP_SEED, "hash": 0},
                not_copied=skipped,
                started=started,
                ended=datetime.now(UTC),
            ),
        )

    def all_faults(
        self, scored: tuple[FaultReport, ...], credible: CredibilityReport, wanted: frozenset[str]
    ) -> tuple[FaultReport, ...]:
        """Every fault once: of the stages, of single tests, of the measures, and of files that no tool could read."""
        found = [*self.faults]
        for test in self.functional.tests if self.functional else ():
            if test.fault in (Fault.HARNESS, Fault.REFERENCE):
                why = test.failure.message if test.failure else "it could not be judged"
                found.append(FaultReport(stage=FUNCTIONAL, fault=test.fault, reason=f"{test.id}: {why}"))
        if credible.score is None and all(f.stage == "surface" for f in found) and wanted - {FUNCTIONAL, "resource"}:
            found.append(FaultReport(stage="credibility", fault=Fault.HARNESS, reason="credibility was left open"))
        found += [*scored, *(self.static.faults if self.static else ())]
        return tuple({fault.reason: fault for fault in reversed(found)}.values())[::-1]

    def credibility(self) -> CredibilityReport:
        """c, where the stages that show it were run."""
        if self.functional is None or self.robustness is None:
            return CredibilityReport(score=None, surface=self.coverage)
        return core_credibility.credibility(
            self.snapshot.entries, self.functional.tests, self.robustness.entries, surface=self.coverage
        )

    def subject_outcomes(self, credible: CredibilityReport) -> dict[str, Outcome]:
        """Every measure of the profile, by id: measured, or missing with the stage's fault."""
        outcomes: dict[str, Outcome] = {}
        if self.functional is not None:
            outcomes["suite.stability"] = core_credibility.stability(self.functional.tests)
        if self.robustness is not None:
            outcomes["probes.survival"] = core_credibility.survival(
                self.snapshot.entries,
                self.robustness.entries,
                self.robustness.properties,
                credible.credible,
                core_credibility.undecided(self.snapshot.entries, credible),
            )
        if self.static is not None:
            outcomes |= self.static.measures
        if self.trace is None and "trace" in self.stages:
            for name in MAINTAINABILITY:  # which code is judged is not known
                outcomes.pop(name, None)
        if self.cost is not None:
            outcomes |= self.cost.subject
        reasons = {fault.stage: fault for fault in self.faults}
        for metric in self.profile.measure_ids:
            if metric not in outcomes:
                cause = reasons.get(_STAGE_OF.get(metric, "")) or reasons.get("static") or next(iter(self.faults), None)
                outcomes[metric] = Unavailable(
                    reason=cause.reason if cause else f"{metric} was not measured",
                    fault=cause.fault if cause else Fault.HARNESS,
                )
        return outcomes

    def baseline(self) -> dict[str, Outcome]:
        """The snapshot's measures, with live costs in their place, and the findings that the reference allows."""
        measures = dict(self.snapshot.measures)
        allowances = self.snapshot.allowances
        if self.cost is not None:
            measures |= self.cost.reference
        if self.static is not None and (different := self.other_tools()):
            if self.reference_static is not None:
                measures |= self.reference_static.measures
                allowances = self.reference_static.family_points
            else:
                reason = f"the snapshot was measured with other tools ({'; '.join(different)})"
                lost = Unavailable(reason=reason, fault=Fault.REFERENCE)
                measures |= dict.fromkeys((*MAINTAINABILITY, "bandit.risk"), lost)
        if self.static is not None and isinstance(measures.get("bandit.risk"), Measured):
            from qualityscore.collectors.bandit_risk import allowed_points  # noqa: PLC0415

            allowed = allowed_points(self.static.family_points, allowances)
            measures["bandit.risk"] = Measured(value=allowed, details={"families": allowances})
        return measures

    def findings(self, wanted: frozenset[str]) -> list[Finding]:
        """The findings of the dimensions that were asked for."""
        every = [*(self.static.findings if self.static else ()), *(self.cost.findings if self.cost else ())]
        return [f for f in every if f.dimension is None or f.dimension in wanted]

    def functional_report(self, tampered: bool, *, left_out: bool) -> FunctionalReport:
        """F, Build, Test and Full over the snapshot's ids."""
        if self.functional is None or left_out:
            return FunctionalReport(
                score=None,
                passed=None,
                expected=len(self.snapshot.tests),
                build=None,
                test=None,
                full=None,
                left_out=left_out,
            )
        tests = refine(self.functional.tests, self.static.every_finding if self.static else ())
        passed = sum(t.outcome is TestOutcome.PASSED for t in tests)
        faulty = any(t.fault in (Fault.HARNESS, Fault.REFERENCE) for t in tests)
        share = passed / len(tests) if tests else None
        value = 0.0 if tampered else None if faulty else share
        build = all(m.state == "importable" for m in self.functional.modules)
        return FunctionalReport(
            score=value,
            passed=0 if tampered else passed,
            expected=len(tests),
            build=build,
            test=value if build else None,
            full=None if faulty and not tampered else build and passed == len(tests) and not tampered,
            tests=tests,
            modules=self.functional.modules,
            protected=sum(t.protected for t in self.snapshot.tests),
        )

    def robustness_report(self) -> RobustnessReport | None:
        """Raw survival with its Wilson interval; the score stands in the dimension."""
        if self.robustness is None:
            return None
        survived = sum(e.survived for e in self.robustness.entries)
        total = sum(e.total for e in self.robustness.entries)
        low, high = wilson(survived, total) or (None, None)
        return RobustnessReport(
            survived=survived,
            total=total,
            wilson_low=low,
            wilson_high=high,
            entries=self.robustness.entries,
            properties=self.robustness.properties,
            fresh=self.fresh,
        )


MAINTAINABILITY = ("index.deficit", "complexity.excess", "lint.penalty", "duplication.share", "structure.defects")
_STAGE_OF = {
    **dict.fromkeys(MAINTAINABILITY, "trace"),
    "bandit.risk": "static",
    "probes.survival": "robustness",
    "suite.stability": "functional",
    **dict.fromkeys(("workload.cost", "import.cost", "peak_heap", "peak_rss"), "cost"),
}
