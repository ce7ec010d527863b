"""The cost suite on a small task: what it says about subjects whose cost relative to the reference is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from qualityscore.errors import UsageError
from qualityscore.model.cost import CostOutcome
from qualityscore.model.measure import Fault, Measured, NotApplicable, Outcome, Part, Unavailable
from qualityscore.model.task import Task
from qualityscore.runtime.target import Target
from qualityscore.suites import cost
from tests.e2e.cost.cheats import REFERENCE, variant
from tests.e2e.cost.conftest import MakeTarget

MEASURES = {"workload.cost", "import.cost", "peak_heap", "peak_rss"}
MIB = 1 << 20
OF_WORKLOADS = sorted(MEASURES - {"import.cost"})


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of this module's own, so that the reference is measured once."""
    return tmp_path_factory.mktemp("cache")


def parts(outcome: Outcome) -> dict[str, Part]:
    assert isinstance(outcome, Measured), outcome
    return {part.id: part for part in outcome.parts}


def ratio(found: CostOutcome, measure: str, part: str) -> float:
    said = parts(found.subject[measure])[part]
    if said.fault is Fault.HARNESS and "contradicts the count" in (said.note or ""):
        pytest.skip(f"the host is too noisy to tell: {said.note}")
    mine, theirs = said.value, parts(found.reference[measure])[part].value
    assert mine is not None
    assert theirs is not None
    return theirs / mine


def by_count(found: CostOutcome, part: str) -> bool:
    """Whether a cost was decided by counts; on a busy host CPU time may contradict them, and pairs decide."""
    return not parts(found.subject["workload.cost"])[part].log_ratios


@pytest.mark.slow
def test_the_reference_against_itself_costs_the_same(make_target: MakeTarget, reference: Target, root: Path):
    found = cost.run(make_target(), reference, root=root)
    assert set(found.subject) == set(found.reference) == MEASURES
    assert found.counter == "valgrind"
    assert ratio(found, "import.cost", "import") == pytest.approx(1, abs=0.002)
    for workload in parts(found.reference["workload.cost"]):
        assert ratio(found, "workload.cost", workload) == pytest.approx(
            1, abs=0.001 if by_count(found, workload) else 0.1
        )
        assert ratio(found, "peak_heap", workload) == 1
        mine, theirs = (parts(side["peak_rss"])[workload].value or 0 for side in (found.subject, found.reference))
        assert (theirs + MIB) / (mine + MIB) == pytest.approx(1, abs=0.1)


FAILING = {
    "first": ("raise KeyError('missing')", "raised KeyError: 'missing' (tally.py:17 in first)"),
    "second": ("import os; os._exit(3)", "left with status 3"),
    "third": ("import os; os.kill(os.getpid(), 11)", "was killed by signal 11"),
    "fourth": ("import time; time.sleep(600)", "took longer than 3 s"),
    "fifth": ("hog = [bytearray(1 << 20) for _ in range(4000)]", "raised MemoryError"),
    "sixth": ("import os; os.write(4, b'D' + bytes(4))", "differs from the reference"),
}


@pytest.mark.slow
def test_workloads_that_fail_are_worthless_by_the_subjects_fault_and_no_others(
    make_target: MakeTarget, reference: Target, root: Path
):
    failing = variant(**{name: statement for name, (statement, _) in FAILING.items()})
    found = cost.run(make_target(failing), reference, root=root)
    for measure in OF_WORKLOADS:
        for name, (_, said) in FAILING.items():
            part = parts(found.subject[measure])[name]
            assert (part.value, part.right, part.fault) == (None, False, None)
            assert said in (part.note or "")
        assert parts(found.subject[measure])["plain"].value is not None
    assert {f.details["workload"] for f in found.findings if f.code == "cost-wrong"} == set(FAILING)


@pytest.mark.slow
def test_the_ways_of_being_slow_are_told_apart(make_target: MakeTarget, reference: Target, root: Path):
    slow = variant(
        second="import time; time.sleep(0.3)",
        # n^2 / 5000 comparisons on top of n steps
        third="for i in range(0, len(words), 100):\n    words[: len(words) // 50].count(0)",
        fourth="import os; os.open('/dev/null', 0); open('/tmp/left', 'wb').write(bytes(3 << 20))",
        fifth="global calls; calls += 1; words = words[calls - 1 :]",
        sixth="import subprocess; subprocess.Popen(['sleep', '60'], start_new_session=True)",
    )
    slow = slow.replace("in range(turns)", "in range(2 * turns)")
    found = cost.run(make_target("calls = 1\n" + slow), reference, root=root)
    codes = {(f.code, f.details["workload"]) for f in found.findings}
    assert ratio(found, "workload.cost", "spin") == pytest.approx(0.5, rel=0.02 if by_count(found, "spin") else 0.15)
    # the reference's body takes some 15 ms, so 300 ms of sleep make it at least five times slower on any machine
    assert ratio(found, "workload.cost", "second") < 0.2
    assert ("cost-idle", "second") in codes
    assert ("cost-growth", "third") in codes
    assert ("cost-growth", "first") not in codes
    assert {c for c in codes if c[0] == "cost-left-behind"} == {("cost-left-behind", n) for n in ("fourth", "sixth")}
    assert ("cost-temporary-data", "fourth") in codes
    assert ratio(found, "workload.cost", "plain") == pytest.approx(1, rel=0.01 if by_count(found, "plain") else 0.15)


BREAKING = {
    "missing module": ("import nothing_of_that_name\n" + REFERENCE, "ModuleNotFoundError"),
    "syntax error": ("def (:\n", "SyntaxError"),
    "import exits": ("import os\nos._exit(0)\n", "left with status 0"),
}


@pytest.mark.parametrize("case", BREAKING)
def test_a_subject_that_cannot_be_imported_has_no_costs_by_its_own_fault(
    case: str, make_target: MakeTarget, reference: Target, root: Path
):
    source, said = BREAKING[case]
    found = cost.run(make_target(source), reference, root=root)
    for measure in MEASURES:
        outcome = found.subject[measure]
        assert isinstance(outcome, Unavailable)
        assert outcome.fault is Fault.SUBJECT
        assert said in outcome.reason
        assert isinstance(found.reference[measure], Measured)


def test_a_reference_that_fails_is_the_references_fault_on_both_sides(make_target: MakeTarget, tmp_path: Path):
    broken = make_target("import nothing_of_that_name\n", is_reference=True)
    found = cost.run(make_target(), broken, root=tmp_path)
    for measure in MEASURES:
        for side in (found.subject, found.reference):
            outcome = side[measure]
            assert isinstance(outcome, Unavailable)
            assert outcome.fault is Fault.REFERENCE


@pytest.mark.slow
def test_a_heavy_import_is_charged_and_a_lazy_one_earns_nothing(
    make_target: MakeTarget, one_workload: Task, root: Path
):
    # the reference imports re at the top; one subject does so when asked, the other builds a table as well
    uses_re = variant("import re", "", plain="re.compile('a')")
    base = make_target(uses_re, is_reference=True, of=one_workload)
    table = "TABLE = [i * i % 7 for i in range(2_000_000)]\n"
    heavy = cost.run(make_target(table + uses_re, of=one_workload), base, root=root)
    assert ratio(heavy, "import.cost", "import") < 0.5
    assert ratio(heavy, "workload.cost", "plain") < 0.8
    lazy = cost.run(make_target(variant(plain="import re; re.compile('a')"), of=one_workload), base, root=root)
    assert ratio(lazy, "import.cost", "import") > 2
    assert ratio(lazy, "workload.cost", "plain") == pytest.approx(1, abs=0.03 if by_count(lazy, "plain") else 0.15)


def test_a_result_other_than_the_snapshots_is_the_references_fault(
    make_target: MakeTarget, reference: Target, root: Path
):
    found = cost.run(make_target("raise SystemExit\n"), reference, root=root, digests={"plain": "0" * 64})
    plain = parts(found.reference["workload.cost"])["plain"]
    assert (plain.value, plain.fault) == (None, Fault.REFERENCE)
    assert "than in the snapshot" in (plain.note or "")
    assert parts(found.reference["workload.cost"])["first"].value is not None


def test_a_task_without_workloads_has_only_the_import(make_target: MakeTarget, reference: Target, root: Path):
    spec = reference.task.spec.model_copy(update={"suites": {}})
    without = reference.task.model_copy(update={"spec": spec})
    found = cost.run(make_target(of=without), make_target(is_reference=True, of=without), root=root)
    assert {m for m, o in found.subject.items() if isinstance(o, NotApplicable)} == MEASURES - {"import.cost"}
    assert ratio(found, "import.cost", "import") == pytest.approx(1, abs=0.01)


@pytest.mark.slow
def test_alone_a_reference_gives_its_own_snapshot(reference: Target, root: Path):
    found = cost.run(reference, None, root=root)
    assert found.subject == found.reference
    assert parts(found.subject["workload.cost"]).keys() == found.digests.keys()
    assert all(part.value for part in parts(found.subject["workload.cost"]).values())


def test_an_unknown_counter_is_refused_by_name(reference: Target):
    with pytest.raises(UsageError, match="'sundial' is unknown"):
        cost.run(reference, None, counter="sundial")


@pytest.mark.slow
def test_a_daemon_that_the_import_starts_is_charged_to_the_subject_alone(
    make_target: MakeTarget, one_workload: Task, root: Path
):
    daemon = "import subprocess; subprocess.Popen(['sleep', '60'], start_new_session=True)\n"
    found = cost.run(
        make_target(daemon + REFERENCE, of=one_workload), make_target(is_reference=True, of=one_workload), root=root
    )
    outcome = found.subject["import.cost"]
    assert isinstance(outcome, Unavailable)
    assert (outcome.fault, "left processes behind" in outcome.reason) == (Fault.SUBJECT, True)
    assert isinstance(found.reference["import.cost"], Measured)
    for measure in OF_WORKLOADS:
        part = parts(found.subject[measure])["plain"]
        # on a busy host CPU time may contradict the count, and pairs cannot decide
        assert part.fault is not Fault.HARNESS or "contradicts" in (part.note or "")


def test_workloads_that_all_hang_leave_nothing_unmeasured(
    make_target: MakeTarget, reference: Target, task: Task, root: Path
):
    suite = task.spec.suites["cost"].model_copy(update={"test_timeout_s": 1.5, "total_timeout_s": 4.0})
    spec = task.spec.model_copy(update={"suites": {**task.spec.suites, "cost": suite}})
    names = [word.split("(")[0] for word in REFERENCE.split("def ") if "(words):" in word]
    hanging = variant(**dict.fromkeys(names, "while True: pass")).replace("total = 0", "while True: pass")
    found = cost.run(make_target(hanging, of=task.model_copy(update={"spec": spec})), reference, root=root)
    for measure in OF_WORKLOADS:
        found_parts = parts(found.subject[measure]).values()
        assert {(p.value, p.right, p.fault) for p in found_parts} == {(None, False, None)}, found_parts
        assert any("no time was left" in (p.note or "") for p in found_parts)


@pytest.mark.slow
def test_a_snapshots_costs_stand_in_for_the_live_reference(make_target: MakeTarget, one_workload: Task, root: Path):
    alone = cost.run(make_target(is_reference=True, of=one_workload), None, root=root)
    assert set(alone.details["calibration"]) == {"seconds", "half_width", "bias"}
    pinned = cost.PinnedCosts.of(alone.subject, alone.digests, {"cost": alone.details})
    twice = make_target(variant(plain="index(words)"), of=one_workload)
    found = cost.run(twice, None, pinned=pinned, root=root)
    for measure in ("peak_heap", "peak_rss"):
        assert parts(found.reference[measure])["plain"].value == parts(alone.subject[measure])["plain"].value
    assert ratio(found, "peak_heap", "plain") == pytest.approx(1, abs=0.01)
    for measure, name, truth in (("import.cost", "import", 1), ("workload.cost", "plain", 0.5)):
        outcome = found.subject[measure]
        if isinstance(outcome, Measured):  # on a busy host CPU time may contradict the count, and decides
            off = 0.3 if outcome.parts[0].log_ratios else 0.05
            assert ratio(found, measure, name) == pytest.approx(truth, abs=off)
        else:  # the snapshot was taken on a host too busy to time
            assert (outcome.fault, pinned.holds_times) == (Fault.HARNESS, False)
    # what does the work twice where nothing counts it is no blank beside a snapshot either
    seeing = "if 'cachegrind' not in open('/proc/self/maps').read():\n    index(words)"
    hidden = cost.run(make_target(variant(plain=seeing), of=one_workload), None, pinned=pinned, root=root)
    outcome = hidden.subject["workload.cost"]
    if pinned.holds_times:
        assert isinstance(outcome, Measured)
        assert outcome.parts[0].log_ratios
        assert ratio(hidden, "workload.cost", "plain") == pytest.approx(0.5, abs=0.3)
    else:
        assert isinstance(outcome, Unavailable)
