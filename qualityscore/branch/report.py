"""The report of a comparison, from whatever its stages gathered."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime

import numpy as np

from qualityscore.branch.compare_names import compare_names
from qualityscore.branch.compare_tests import Compared, Runs, compare_tests
from qualityscore.branch.costs import MEASURES as COST_MEASURES
from qualityscore.branch.own_tests import Verdict
from qualityscore.branch.stages import FUNCTIONAL, Comparison
from qualityscore.branch.standing import percentiles
from qualityscore.collectors.bandit_risk import allowed_points
from qualityscore.core.credibility import stability
from qualityscore.core.failures import refine
from qualityscore.core.matching import Matched, match, one_per_cause
from qualityscore.core.score import effective, score
from qualityscore.model.branch import (
    SEVERITIES,
    BaselineState,
    BranchReport,
    FindingChanges,
    NameChanges,
)
from qualityscore.model.finding import Finding, by_place
from qualityscore.model.measure import Fault, Measured, NotApplicable, Outcome, Unavailable
from qualityscore.model.outcome import TestOutcome
from qualityscore.model.report import (
    DIMENSIONS,
    SCHEMA_VERSION,
    SCORE_MODEL,
    CredibilityReport,
    FaultReport,
    FunctionalReport,
    Report,
    Status,
    SubjectInfo,
    TaskInfo,
)
from qualityscore.runtime import provenance

BOOTSTRAP_SEED = 20240229
_STATIC = ("index.deficit", "complexity.excess", "lint.penalty", "duplication.share", "structure.defects")
_SERVICES = re.compile(
    r"ConnectionRefused|gaierror|Network is unreachable|could not connect|NameResolution|Connection(Error|Reset)"
)


def report_of(run: Comparison, *, subject: SubjectInfo, profile_name: str, started: datetime) -> Report:
    """Scores from whatever was gathered."""
    compared = _compare_tests(run)
    names = None
    if run.before_code and run.after_code and run.compares_names():
        names = compare_names(run.before_code, run.after_code)
    credible = _credibility(run, names)
    scored = score(
        run.profile,
        baseline=_baseline_measures(run),
        subject=_measures(run, compared),
        credibility=credible.score if run.earlier is not None else 1.0,
        tampered=False,
        left_out=frozenset(DIMENSIONS) - run.wanted,
        rng=np.random.default_rng(BOOTSTRAP_SEED),
    )
    functional = _functional(run, compared)
    faults = tuple({f.reason: f for f in (*run.faults, *scored.faults, *_code_faults(run))}.values())
    branch = _branch(run, compared, names)
    nothing = functional.score is None and run.after_code is None
    complete = functional.score is not None and scored.non_functional.score is not None
    if nothing:
        status = Status.FAILED
    elif complete and run.wanted == {FUNCTIONAL, *DIMENSIONS}:
        status = Status.COMPLETE
    else:
        status = Status.PARTIAL
    task = TaskInfo(
        id="own-tests",
        title="the repository's own tests",
        digest=(run.earlier or run.taken).tree.digest,
        reference=_reference(run),
    )
    return Report(
        schema_version=SCHEMA_VERSION,
        score_model=SCORE_MODEL,
        status=status,
        subject=subject,
        task=task,
        functional=functional,
        credibility=credible,
        non_functional=scored.non_functional,
        dimensions=scored.dimensions,
        effective=effective(functional.score, scored.non_functional.score),
        findings=_all_findings(run),
        suppressions=run.after_code.static.suppressions if run.after_code else (),
        faults=faults,
        branch=branch,
        provenance=provenance.describe(
            profile_name=profile_name,
            profile_digest=run.profile.digest,
            task_digest=task.digest,
            subject=subject,
            environment=run.after_environment,
            sandbox=run.sandbox,
            counter=run.cost.counter if run.cost else None,
            cost_details={},
            tool_versions=run.after_code.static.tool_versions if run.after_code else {},
            seeds={"bootstrap": BOOTSTRAP_SEED, "hash": 0},
            not_copied=run.taken.skipped,
            started=started,
            ended=datetime.now(UTC),
        ),
    )


def _reference(run: Comparison) -> str:
    """The baseline in words."""
    match run.against:
        case BaselineState(kind="none"):
            return "no baseline"
        case BaselineState(commit=None, name=name):
            return name
        case BaselineState(commit=commit, name=name):
            return f"{name} {str(commit)[:12]}"


def _compare_tests(run: Comparison) -> Compared | None:
    """The changes of the tests, where both states were run, and read if the tests themselves have changed."""
    if run.before_run is None or run.after_run is None:
        return None
    read = run.before_code is not None and run.after_code is not None
    if not read and run.crossed_run is not None:
        return None  # what was weakened, undermined or moved is seen only in the text of the tests
    definitions = (run.before_code.definitions if run.before_code else (), run.after_code)
    return compare_tests(
        Runs(before=run.before_run, after=run.after_run, crossed=run.crossed_run),
        definitions[0],
        run.after_code.definitions if run.after_code else (),
        flaky=run.flaky,
        helpers=run.beside,
    )


def _credibility(run: Comparison, names: NameChanges | None) -> CredibilityReport:
    """c: the share of the baseline's public names that are still defined; 1 where it has none."""
    if names is None:
        return CredibilityReport(score=None)
    lost = {change.name for change in names.lost}
    assert run.before_code is not None
    every = [name.name for name in run.before_code.names or ()]
    return CredibilityReport(
        score=names.defined / names.expected if names.expected else 1.0,
        credible=tuple(name for name in every if name not in lost),
        not_credible=tuple(name for name in every if name in lost),
    )


def _functional(run: Comparison, compared: Compared | None) -> FunctionalReport:
    """F over what passed before; without a baseline, over all tests of its own that ran."""
    if compared is not None and FUNCTIONAL in run.wanted:
        findings = run.after_code.static.findings if run.after_code else ()
        tests = refine(compared.results, findings)
        passed = sum(t.outcome is TestOutcome.PASSED for t in tests)
        share = passed / len(tests) if tests else None
        built = run.after_run is not None and run.after_run.problem is None
        return FunctionalReport(
            score=share,
            passed=passed,
            expected=len(tests),
            build=built,
            test=share if built else None,
            full=built and passed == len(tests),
            tests=tests,
        )
    if run.after_run is not None and run.earlier is None and run.after_run.tests:
        ran = [t for t in run.after_run.tests.values() if t.verdict is not Verdict.SKIPPED]
        passed = sum(t.verdict is Verdict.PASSED for t in ran)
        expected = len(ran) + len(run.after_run.errors)
        share = passed / expected if expected else None
        return FunctionalReport(
            score=share, passed=passed, expected=expected, build=True, test=share, full=passed == expected
        )
    return FunctionalReport(
        score=None, passed=None, expected=0, build=None, test=None, full=None, left_out=FUNCTIONAL not in run.wanted
    )


def _measures(run: Comparison, compared: Compared | None) -> dict[str, Outcome]:
    """The branch's measures by id."""
    outcomes: dict[str, Outcome] = {}
    if run.after_code is not None:
        outcomes |= run.after_code.static.measures
    if compared is not None:
        outcomes["suite.stability"] = stability(compared.results)
    if run.cost is not None:
        outcomes |= run.cost.after
    cause = _cause(run)
    for metric in run.profile.measure_ids:
        if metric not in outcomes:
            outcomes[metric] = Unavailable(
                reason=cause.reason if cause else f"{metric} was not measured",
                fault=cause.fault if cause else Fault.HARNESS,
            )
    return outcomes


def _baseline_measures(run: Comparison) -> dict[str, Outcome]:
    """The baseline's measures by id; empty without a baseline, so that nothing is scored."""
    if run.earlier is None:
        return {}
    measures: dict[str, Outcome] = {"probes.survival": NotApplicable(reason="there are no probes without a task")}
    lost = _cause(run)
    if run.before_code is not None:
        measures |= run.before_code.static.measures
    elif run.wanted & {"maintainability", "security"} and lost is not None:
        measures |= dict.fromkeys((*_STATIC, "bandit.risk"), Unavailable(reason=lost.reason, fault=Fault.HARNESS))
    if run.before_run is not None and run.before_run.passed:
        measures["suite.stability"] = Measured(value=1.0)
    elif run.before_run is None and lost is not None and lost.fault is not Fault.SUBJECT and run.has_tests():
        measures["suite.stability"] = Unavailable(reason=lost.reason, fault=lost.fault)
    if run.cost is not None:
        measures |= run.cost.before
    elif run.wanted & {"efficiency", "resource"} and lost is not None and lost.fault is not Fault.SUBJECT:
        measures |= dict.fromkeys(COST_MEASURES, Unavailable(reason=lost.reason, fault=lost.fault))
    left_out = Unavailable(reason="left out", fault=Fault.HARNESS)
    for dimension in run.profile.dimensions:
        if dimension.id not in run.wanted:
            measures |= {metric.id: left_out for metric in dimension.metrics if metric.id not in measures}
    both = run.before_code is not None and run.after_code is not None
    if both and isinstance(measures.get("bandit.risk"), Measured):
        assert run.before_code is not None
        assert run.after_code is not None
        allowances = run.before_code.static.family_points
        allowed = allowed_points(run.after_code.static.family_points, allowances)
        measures["bandit.risk"] = Measured(value=allowed, details={"families": allowances})
    return measures


def _cause(run: Comparison) -> FaultReport | None:
    """Why something was not measured: the first fault that is not the branch's own, else the first."""
    return next((fault for fault in run.faults if fault.fault is not Fault.SUBJECT), next(iter(run.faults), None))


def _all_findings(run: Comparison) -> tuple[Finding, ...]:
    """The branch's findings of the dimensions that were asked for, and of what was left out, by place."""
    every = [
        *(run.after_code.static.findings if run.after_code else ()),
        *(run.cost.findings if run.cost else ()),
    ]
    found = [finding for finding in every if _asked(run, finding)]
    return by_place((*found, *provenance.left_out_findings(run.taken.skipped)))


def _asked(run: Comparison, finding: Finding) -> bool:
    """Whether a finding is of a dimension that was asked for."""
    return finding.dimension is None or finding.dimension in run.wanted


def _code_faults(run: Comparison) -> tuple[FaultReport, ...]:
    """Files of the branch that no tool could read."""
    return run.after_code.static.faults if run.after_code else ()


def _branch(run: Comparison, compared: Compared | None, names: NameChanges | None) -> BranchReport:
    """What became of the repository since the baseline."""
    values: Mapping[str, Outcome] = run.after_code.static.measures if run.after_code else {}
    if not run.has_tests():
        run.notes.append("there are no tests: only what can be read was measured")
    elif compared is not None and not compared.results:
        run.notes.append("no test passes at the baseline, so that none can be compared")
    return BranchReport(
        baseline=run.against,
        tests=compared.changes if compared is not None else None,
        names=names,
        findings=_finding_changes(run),
        percentiles=percentiles(values, run.profile) if run.earlier is None else (),
        cost_source=run.cost.source if run.cost else None,  # type: ignore[arg-type]
        environment=run.project.requirements.sources if run.project else (),
        baseline_environment=run.settled.requirements.sources if run.settled and run.earlier else (),
        notes=tuple(dict.fromkeys((*run.notes, *_service_notes(run), *_cost_notes(run)))),
    )


def _finding_changes(run: Comparison) -> FindingChanges | None:
    """The findings of both states, matched; None where those that were asked for were not looked for."""
    unread = run.before_code is None or run.after_code is None
    if run.earlier is not None and (unread if run.reads_quality() else run.cost is None):
        return None
    matched = Matched(new=(), fixed=(), unchanged=0)
    if run.before_code is not None and run.after_code is not None:
        matched = match(
            tuple(one for one in run.before_code.located if _asked(run, one.finding)),
            tuple(one for one in run.after_code.located if _asked(run, one.finding)),
            (run.before_code.bodies(), run.after_code.bodies()),
        )
    new = (*one_per_cause(matched.new), *(f for f in (run.cost.findings if run.cost else ()) if _asked(run, f)))
    counts = Counter(finding.severity for finding in new)
    return FindingChanges(
        new=tuple(sorted(new, key=lambda f: (SEVERITIES.index(f.severity), -f.points, f.path or "", f.line or 0))),
        fixed=one_per_cause(matched.fixed),
        unchanged=matched.unchanged,
        new_by_severity={severity.value: counts[severity] for severity in SEVERITIES},
    )


def _cost_notes(run: Comparison) -> tuple[str, ...]:
    """Why no cost was measured."""
    return run.cost.notes if run.cost else ()


def _service_notes(run: Comparison) -> tuple[str, ...]:
    """Tests that want what the sandbox has not: they fail on both sides, and count on neither."""
    own = run.before_run if run.earlier is not None else run.after_run
    if own is None:
        return ()
    failed = [t for t in own.tests.values() if t.verdict is Verdict.FAILED]
    lonely = [t for t in failed if t.failure is not None and _SERVICES.search(t.failure.message)]
    if not lonely:
        return ()
    need = "1 test needs" if len(lonely) == 1 else f"{len(lonely)} tests need"
    return (
        f"{need} a network or a service, which the sandbox does not have (first {lonely[0].id}): "
        "failing at the baseline already, and counting for nothing",
    )
