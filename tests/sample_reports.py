"""A small report, and one full of hostile text, for the tests of renderers."""

import math
from dataclasses import replace

from qualityscore.model.branch import (
    BaselineState,
    BranchReport,
    Condition,
    FindingChanges,
    GateReport,
    NameChange,
    NameChanges,
    Percentile,
    TestChange,
    TestChanges,
)
from qualityscore.model.finding import Finding, Severity
from qualityscore.model.measure import Direction, Fault, Unit
from qualityscore.model.outcome import (
    EntryOutcome,
    Evidence,
    Failure,
    FailureClass,
    Location,
    ProbeFailure,
    PropertyOutcome,
    TestOutcome,
    TestResult,
)
from qualityscore.model.report import (
    DIMENSIONS,
    CredibilityReport,
    DimensionReport,
    FaultReport,
    FunctionalReport,
    MeasureReport,
    NonFunctionalReport,
    Report,
    RobustnessReport,
    Status,
    SubjectInfo,
    TaskInfo,
)

HOSTILE = "\x1b[31mred\x1b]0;title\x07\x9b1m [bold]markup[/bold] <script>alert(1)</script> \u202eflip \u200b\ud800 a\nb"


def measure(id_: str, score: float | None) -> MeasureReport:
    return MeasureReport(
        id=id_,
        title=id_,
        value=None if score is None else 12.5,
        unit=Unit.POINTS,
        better=Direction.LOWER,
        baseline=3.0,
        ratio=score,
        score=score,
        low=score,
        high=score,
        weight=1.0,
    )


def report(**changes) -> Report:
    dimensions = {
        name: DimensionReport(score=0.5, low=0.45, high=0.55, weight=0.2, measures=(measure(f"{name}.x", 0.5),))
        for name in DIMENSIONS
    }
    fields = {
        "schema_version": "1.0",
        "score_model": "0.1",
        "status": Status.COMPLETE,
        "subject": SubjectInfo(path="some/repo", digest="d" * 64, label="a-model", files=3),
        "task": TaskInfo(id="cachetools", title="Caches", digest="e" * 64, reference="cachetools 8.0.2"),
        "functional": FunctionalReport(
            score=0.5,
            passed=1,
            expected=2,
            build=True,
            test=0.5,
            full=False,
            tests=(
                TestResult(id="suites/test_a.py::test_one", outcome=TestOutcome.PASSED, duration_s=0.1),
                TestResult(
                    id="suites/test_a.py::test_two",
                    outcome=TestOutcome.FAILED,
                    failure=Failure(
                        class_name=FailureClass.MISMATCH,
                        subclass="wrong_value",
                        message="assert f(1) == 2: got 3",
                        location=Location(path="pkg/m.py", line=4, function="f"),
                    ),
                    output="about to add\n",
                ),
            ),
        ),
        "credibility": CredibilityReport(score=1.0, credible=("a.b",)),
        "non_functional": NonFunctionalReport(score=0.5, low=0.45, high=0.55),
        "dimensions": dimensions,
        "effective": 0.25,
        "findings": tuple(
            Finding(
                code=f"B{n}",
                tool="t",
                message=f"finding {n}",
                path="m.py",
                line=n,
                points=float(n),
                measure="security.x",
            )
            for n in (1, 2, 3, 4)
        ),
    }
    return Report(**(fields | changes))


def hostile() -> Report:
    plain = report()
    second = plain.functional.tests[1]
    failed = replace(second, id=HOSTILE, failure=replace(second.failure, message=HOSTILE), output=HOSTILE)
    finding = Finding(code="X", tool="t", message=HOSTILE, path=HOSTILE, line=1, points=9.0, severity=Severity.HIGH)
    return replace(
        plain,
        subject=replace(plain.subject, label=HOSTILE),
        functional=replace(plain.functional, tests=(plain.functional.tests[0], failed)),
        findings=(finding,),
    )


def part(id_: str, ratio: float, *, right: bool = True) -> dict:
    """One workload as `workload.cost` reports it, measured in ten pairs."""
    logs = [math.log(ratio) + step / 200 for step in range(-5, 6)] if right else []
    return {
        "id": id_,
        "value": 1000.0 / ratio if right else None,
        "baseline": 1000.0,
        "ratio": ratio if right else None,
        "score": min(1.0, ratio) if right else 0.0,
        "right": right,
        "verdict": "slower" if right and ratio < 0.95 else None,
        "note": None if right else "the result differs from the reference's",
        "log_ratios": logs,
    }


def branched(text: str) -> tuple[BranchReport, GateReport]:
    """A comparison with an earlier state in which every kind of change says `text`, and a gate that failed for it."""
    test = TestChange(id=text, reason=text, to=text)
    name = NameChange(name=text, state="renamed", reason=text, to=text, similarity=0.9)
    finding = Finding(code="B602", tool="bandit", message=text, path=text, line=3, severity=Severity.HIGH)
    branch = BranchReport(
        baseline=BaselineState(kind="git", name=text, commit="c" * 40),
        tests=TestChanges(expected=3, passed=2, broken=(test,), weakened=(test,)),
        names=NameChanges(expected=4, defined=3, lost=(name,), incompatible=(replace(name, state="incompatible"),)),
        findings=FindingChanges(new=(finding,), fixed=(finding,), unchanged=2, new_by_severity={"high": 1}),
        percentiles=(Percentile(measure="index.deficit", value=1.5, percentile=40.0, references=10),),
        notes=(text,),
    )
    conditions = (
        Condition(name="no broken tests", passed=False, numbers=text, examples=(text,)),
        Condition(name="no lost names", passed=True, numbers="0"),
    )
    return branch, GateReport(source=text, passed=False, conditions=conditions)


def full() -> Report:
    """A report with something in every section: evidence, faults, costs, probes, source lines, a gate."""
    plain = report()
    cost = replace(
        measure("workload.cost", 0.5),
        unit=Unit.INSTRUCTIONS,
        verdict="slower",
        details={
            "parts": [part("lru-churn", 0.8), part("ttl-sessions", 1.3), part("wrong-one", 0.0, right=False)],
            "by_size": {
                "lru-churn": {
                    "subject": [[100, 1.0e6], [200, 2.1e6], [400, 4.6e6]],
                    "reference": [[100, 0.9e6], [200, 1.8e6], [400, 3.7e6]],
                }
            },
            "growth": {"lru-churn": 1.19},
            "reference_growth": {"lru-churn": 1.08},
        },
    )
    dimensions = dict(plain.dimensions)
    heap = replace(
        measure("peak_heap", 0.5),
        unit=Unit.BYTES,
        details={
            "parts": [part("lru-churn", 0.9), part("ttl-sessions", 1.1)],
            "over_time": {
                "lru-churn": {
                    "subject": [[0.0, 0.0], [0.1, 2.0e6], [0.2, 1.5e6]],
                    "reference": [[0.0, 0.0], [0.1, 1.0e6]],
                }
            },
        },
    )
    dimensions["efficiency"] = replace(dimensions["efficiency"], measures=(cost,))
    dimensions["resource"] = replace(dimensions["resource"], measures=(heap,))
    probe = ProbeFailure(
        id="p1", kind="hostile", snippet="Cache(maxsize=-1)", expected="ValueError", seen="RecursionError", hard=True
    )
    branch, gate = branched("test_order_is_kept")
    longer = replace(probe, id="p2", snippet="Cache(maxsize=-1000)\nCache(maxsize=0)")
    return replace(
        plain,
        dimensions=dimensions,
        evidence=(
            Evidence(kind="changed machinery", message="it replaced builtins.open", location=Location(path="a.py")),
        ),
        faults=(FaultReport(stage="cost", fault=Fault.HARNESS, reason="valgrind is missing", code="QS-340"),),
        robustness=RobustnessReport(
            survived=30,
            total=36,
            wilson_low=0.68,
            wilson_high=0.92,
            entries=(
                EntryOutcome(entry="pkg.Cache", survived=4, total=10, hard_fault=True, failures=(longer, probe)),
                EntryOutcome(entry="pkg.get", survived=26, total=26, hard_fault=False),
            ),
            properties=(PropertyOutcome(id="prop_order", passed=False, message="items come in another order"),),
        ),
        branch=branch,
        gate=gate,
        sources={"m.py": {1: "import os", 2: "def f():", 3: "    <b>return 1</b>", 4: "    pass"}},
        provenance={"profile": "reference", "host": {"libc": "glibc 2.36"}, "seeds": {"bootstrap": 1}},
    )


def swamped() -> Report:
    """10,000 findings, 1 MB of output, right-to-left text, names of 500 characters, and markup wherever text goes."""
    attack = (
        "</script></style></pre><script>window.pwned=1</script><img src=x onerror='window.pwned=1'>"
        "<svg onload=window.pwned=1><iframe src=javascript:parent.pwned=1>"
    )
    rtl = "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 \u202e abc"
    long = "n" * 500
    plain = full()
    failed = plain.functional.tests[1]
    assert failed.failure is not None
    tests = (
        plain.functional.tests[0],
        *(
            replace(failed, id=f"{attack}{rtl}{number}", failure=replace(failed.failure, message=message))
            for number, message in enumerate((attack, rtl, attack + "x" * 1_000_000, "line\n" * 200_000))
        ),
    )
    findings = tuple(
        Finding(
            code=attack if number % 7 == 0 else f"C{number}",
            tool=attack,
            message=(attack, rtl, long)[number % 3],
            path=f"{(attack, rtl, long)[number % 3]}{number % 50}.py",
            line=number,
            points=float(number % 10),
            severity=list(Severity)[number % 4],
            measure="security.x",
            suggestion=attack,
        )
        for number in range(1, 10_001)
    )
    hostile_probe = ProbeFailure(id="p", kind="hostile", snippet=attack * 100, expected=attack, seen=rtl, hard=True)
    branch, gate = branched(attack + rtl)
    probes = plain.robustness
    assert probes is not None
    return replace(
        plain,
        subject=replace(plain.subject, label=attack + long + rtl),
        task=replace(plain.task, title=attack, reference=rtl),
        functional=replace(plain.functional, tests=tests, expected=5, passed=1, score=0.2),
        effective=0.1,
        findings=findings,
        faults=(FaultReport(stage=attack, fault=Fault.SUBJECT, reason=attack, code=attack),),
        evidence=(Evidence(kind=attack, message=rtl + attack, location=Location(path=long, line=1, function=attack)),),
        robustness=replace(
            probes,
            entries=(EntryOutcome(entry=attack, survived=0, total=9, hard_fault=True, failures=(hostile_probe,)),),
            properties=(PropertyOutcome(id=long, passed=False, message=attack, snippet=attack),),
        ),
        branch=branch,
        gate=gate,
        sources={f"{attack}{number}.py": dict.fromkeys(range(1, 60), attack) for number in range(50)},
        provenance={attack: {long: attack}},
    )
