"""Cheats and accidents that once paid somewhere: none of them scores better than doing the same work plainly."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from qualityscore.core.costs import counters_disagree
from qualityscore.core.normalise import normalise
from qualityscore.model.cost import CostOutcome
from qualityscore.model.measure import Fault, Measured, MetricSpec, Outcome, Part
from qualityscore.model.report import MeasureReport
from qualityscore.model.task import Task
from qualityscore.runtime import documents
from qualityscore.runtime.target import Target
from qualityscore.suites import cost
from qualityscore.suites.cost_kit import prepare_bench, prepare_kit
from qualityscore.suites.cost_launch import Mode, run_units, unit_of
from qualityscore.suites.counting import OTHER_RESULT, count_side
from tests.e2e.cost.cheats import CHEATS, variant
from tests.e2e.cost.conftest import MakeTarget

TWICE = "index(words)"
"""A statement before the reference's own work, which makes it twice the work."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def parts(outcome: Outcome) -> dict[str, Part]:
    assert isinstance(outcome, Measured), outcome
    return {part.id: part for part in outcome.parts}


def ratio(found: CostOutcome, measure: str, part: str) -> float:
    """Reference to subject; 0 where the subject has no value by its own fault or the host cannot tell."""
    mine, theirs = (parts(side[measure])[part].value for side in (found.subject, found.reference))
    assert theirs is not None
    return theirs / mine if mine else 0.0


SPECS = [m for d in documents.load_profile("reference").dimensions for m in d.metrics]
FAST = "the workload's order, by a file"
Evaluate = Callable[[str], dict[str, MeasureReport]]


def scored_measure(spec: MetricSpec, found: CostOutcome) -> MeasureReport:
    mine, theirs = found.subject[spec.id], found.reference[spec.id]
    return normalise(spec, mine, theirs, credibility=1.0, rng=np.random.default_rng(0)).report


@pytest.fixture(scope="module")
def evaluate(make_target: MakeTarget, one_workload: Task, root: Path) -> Evaluate:
    """The scored measures of a source of tally.py with the workload `plain` alone; each source is run once."""
    reference = make_target(of=one_workload, is_reference=True)
    kept: dict[str, dict[str, MeasureReport]] = {}

    def scored(source: str) -> dict[str, MeasureReport]:
        if source not in kept:
            found = cost.run(make_target(source, of=one_workload), reference, root=root)
            kept[source] = {spec.id: scored_measure(spec, found) for spec in SPECS if spec.id in found.subject}
        return kept[source]

    return scored


KNOWN = {
    "the workload's name, by the command line": "memray runs inside the process, whose command line names it",
}


def marks_of(name: str) -> list[pytest.MarkDecorator]:
    known = [pytest.mark.xfail(reason=KNOWN[name], strict=True)] if name in KNOWN else []
    return known if name == FAST else [pytest.mark.slow, *known]


@pytest.mark.parametrize("name", [pytest.param(name, marks=marks_of(name)) for name in CHEATS])
def test_no_measure_of_a_cheat_scores_better_than_its_plain_twins(name: str, evaluate: Evaluate):
    cheating, plain = evaluate(CHEATS[name].cheating), evaluate(CHEATS[name].plain)
    assert set(plain) == {"workload.cost", "import.cost", "peak_heap", "peak_rss"}
    gained = {id_: (cheating[id_].low, twin.high) for id_, twin in plain.items() if _gains(cheating[id_], twin)}
    assert gained == {}


def _gains(cheating: MeasureReport, twin: MeasureReport) -> bool:
    assert cheating.low is not None
    assert twin.high is not None
    return cheating.low > twin.high + 0.02


def slack(found: CostOutcome, part: str) -> float:
    """What measuring adds: counts differ by less than 2 %, pairs on a busy machine by up to 15 %."""
    return 1.15 if parts(found.subject["workload.cost"])[part].log_ratios else 1.02


HIDING = {
    "sleeping": ("first", f"{TWICE}\nimport time; time.sleep(0.05)"),
    "threads": (
        "second",
        "import threading; helper = threading.Thread(target=index, args=(words,)); helper.start(); helper.join()",
    ),
    "a forked worker": (
        "third",
        "import os\nworker = os.fork()\nif not worker:\n    index(words); os._exit(0)\nos.waitpid(worker, 0)",
    ),
    "a cache on disk": (
        "fourth",
        "import marshal, os\nkept = '/tmp/kept'\nif os.path.exists(kept):\n    return marshal.load(open(kept, 'rb'))\n"
        "marshal.dump(index(words), open(kept, 'wb'))",
    ),
    "patched clocks": (
        "fifth",
        "import os, posix, resource, time\n"
        "for clock in ('time', 'monotonic', 'perf_counter', 'process_time', 'thread_time', 'clock_gettime'):\n"
        "    setattr(time, clock, lambda *_: 0.0)\n"
        "os.times = posix.times = resource.getrusage = os.wait4 = posix.wait4 = lambda *_: (0,) * 16\n" + TWICE,
    ),
    "gc disabled": ("sixth", f"import gc; gc.disable(); gc.freeze()\n{TWICE}"),
}


def hiding_source() -> str:
    """Every way of hiding that doubles the work, each in a function of its own; `plain` doubles it openly."""
    return variant(plain=TWICE, **dict(HIDING.values()))


@pytest.mark.slow
def test_hidden_work_is_counted_like_work_done_plainly(make_target: MakeTarget, tmp_path: Path):
    target = make_target(hiding_source())
    kit = prepare_kit(target, tmp_path / "kit")
    bench = prepare_bench(target, kit, tmp_path / "tree")
    with ThreadPoolExecutor(max_workers=2) as pool:
        counts = {c.id: c for c in count_side(bench, kit.workloads, pool, lambda: None).workloads}
    body = {id_: c.by_size[40000].value - c.by_size[1].value for id_, c in counts.items() if id_ != "spin"}
    assert {id_: c.trouble for id_, c in counts.items() if c.trouble} == {}
    for cheat, (workload, _) in HIDING.items():
        assert body[workload] > 0.95 * body["plain"], cheat


@pytest.mark.slow
def test_hidden_work_is_charged_like_work_done_plainly(make_target: MakeTarget, reference: Target, root: Path):
    hiding = hiding_source()
    # the collector is off where time counts and on where memory does: which it is tells nothing of use
    hiding = hiding.replace(
        "    total = 0\n", "    import gc\n    if not gc.isenabled():\n        return 0\n    total = 0\n"
    )
    found = cost.run(make_target(hiding), reference, root=root)
    plain = ratio(found, "workload.cost", "plain")
    assert plain == pytest.approx(0.5, rel=0.1 if slack(found, "plain") < 1.1 else 0.2)
    for cheat, (workload, _) in HIDING.items():
        assert ratio(found, "workload.cost", workload) <= plain * slack(found, workload), cheat
    assert ratio(found, "workload.cost", "first") < plain / 2  # 15 ms of work, 50 ms of sleep
    spin = parts(found.subject["workload.cost"])["spin"]
    assert (spin.value, spin.fault) == (None, None), "a result that depends on how it is measured is a wrong result"
    assert ("cost-idle", "first") in {(f.code, f.details["workload"]) for f in found.findings}


@pytest.mark.slow
def test_work_moved_into_the_import_is_charged(make_target: MakeTarget, one_workload: Task, root: Path):
    """The inputs lie where the subject can read them: all answers can be had at import, and cost what they cost."""
    foreseeing = variant(
        plain="return ANSWERS[len(words)] if len(words) in ANSWERS else index(words)",
    )
    foreseeing += (
        "\n\nimport marshal, os\nANSWERS = {}\nfor name in os.listdir('/qs/inputs'):\n"
        "    words = marshal.load(open('/qs/inputs/' + name, 'rb'))\n"
        "    if isinstance(words, list):\n        ANSWERS[len(words)] = index(words)\n"
    )
    reference = make_target(of=one_workload, is_reference=True)
    found = cost.run(make_target(foreseeing, of=one_workload), reference, root=root)
    assert ratio(found, "import.cost", "import") < 0.1
    assert ratio(found, "workload.cost", "plain") < 0.5


SEEING = "'cachegrind' in open('/proc/self/maps').read()"


def seeing_source() -> str:
    """Three ways of behaving otherwise under valgrind; `plain` does twice the reference's work everywhere."""
    return variant(
        plain=TWICE,
        first=f"if {SEEING}:\n    return {{}}\n{TWICE}",  # nothing at all
        second=f"if not {SEEING}:\n    {TWICE}",  # less, and right
        third=f"import os\nif {{'LD_PRELOAD', 'GLIBCXX_FORCE_NEW'}} & {{*os.environ}}:\n    return {{}}\n{TWICE}",
    )


def test_code_that_sees_valgrind_is_told_by_its_result_or_by_its_count(make_target: MakeTarget, tmp_path: Path):
    target = make_target(seeing_source())
    kit = prepare_kit(target, tmp_path / "kit")
    kit = replace(kit, workloads=tuple(w for w in kit.workloads if w.id in ("plain", "first", "second", "third")))
    bench = prepare_bench(target, kit, tmp_path / "tree")
    runs = run_units(bench, Mode.SINGLE, [unit_of(w, w.full) for w in kit.workloads])
    bench = replace(bench, right={w.id: runs[unit_of(w, w.full).id].digest or "" for w in kit.workloads})
    with ThreadPoolExecutor(max_workers=2) as pool:
        counts = {c.id: c for c in count_side(bench, kit.workloads, pool, lambda: None).workloads}
    assert {id_: c.trouble.reason if c.trouble else None for id_, c in counts.items()} == {
        "plain": None,
        "first": OTHER_RESULT,
        "second": None,
        "third": None,  # valgrind's variables are hidden
    }
    body = {id_: c.by_size[40000].value - c.by_size[1].value for id_, c in counts.items()}
    assert body["third"] == pytest.approx(body["plain"], rel=0.05)
    # half the count where CPU time says the same: capped scores that lie more than 0.05 apart, and pairs decide
    assert body["second"] < 0.6 * body["plain"]
    assert counters_disagree(count_ratio=body["plain"] / body["second"] / 2, cpu_ratio=0.5)


@pytest.mark.slow
def test_code_that_sees_valgrind_is_measured_without_it(make_target: MakeTarget, reference: Target, root: Path):
    found = cost.run(make_target(seeing_source()), reference, root=root)
    plain = ratio(found, "workload.cost", "plain")
    for workload in ("first", "second", "third"):
        assert ratio(found, "workload.cost", workload) <= plain * slack(found, workload), workload
        assert parts(found.subject["workload.cost"])[workload].fault in (None, Fault.HARNESS)
    codes = {(f.code, f.details["workload"]) for f in found.findings}
    assert {("cost-tool-seen", "first"), ("cost-departure", "second")} <= codes
    assert ("cost-tool-seen", "third") not in codes


@pytest.mark.slow
def test_a_result_that_is_right_only_now_and_then_is_flaky_with_its_rate(
    make_target: MakeTarget, reference: Target, root: Path
):
    source = variant(
        first="import os\nif int.from_bytes(os.urandom(1), 'big') % 2:\n    raise OSError('not today')",
        second="import os\nreturn {w: [int.from_bytes(os.urandom(4), 'big')] for w in words}",
    )
    found = cost.run(make_target(source), reference, root=root)
    costs = parts(found.subject["workload.cost"])
    assert "from run to run: 3 different ones in 3 runs" in (costs["second"].note or "")
    # all of 3 plain, 2 memray, 2 counted and 12 timed runs going well has a chance of 2^-19
    assert (costs["first"].value, costs["first"].right, costs["first"].fault) == (None, False, None)
    assert parts(found.subject["workload.cost"])["plain"].value is not None
