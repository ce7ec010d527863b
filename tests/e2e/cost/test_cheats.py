"""Cheats and accidents that once paid somewhere: none of them scores better than doing the same work plainly."""

from __future__ import annotations

import functools
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
from qualityscore.suites.cost_launch import IMPORT, Mode, other_result, run_units, unit_of
from qualityscore.suites.cost_sides import verdict_on_result
from qualityscore.suites.counting import OTHER_RESULT, count_side
from qualityscore.suites.memory import run_native
from tests.e2e.cost.cheats import CHEATS, LIMITS, REFERENCE, calls, variant
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
FAST = "the workload's order (a file)"
Evaluate = Callable[[str, str], dict[str, MeasureReport]]
WithWorkloads = Callable[[str], Task]


def scored_measure(spec: MetricSpec, found: CostOutcome) -> MeasureReport:
    mine, theirs = found.subject[spec.id], found.reference[spec.id]
    return normalise(spec, mine, theirs, credibility=1.0, rng=np.random.default_rng(0)).report


@pytest.fixture(scope="module")
def evaluate(make_target: MakeTarget, with_workloads: WithWorkloads, root: Path) -> Evaluate:
    """The scored measures of a source of tally.py under these workloads; each is run once."""

    @functools.cache
    def reference(workloads: str) -> Target:
        return make_target(of=with_workloads(workloads), is_reference=True)

    @functools.cache
    def scored(source: str, workloads: str) -> dict[str, MeasureReport]:
        subject = make_target(source, of=with_workloads(workloads))
        found = cost.run(subject, reference(workloads), root=root)
        return {spec.id: scored_measure(spec, found) for spec in SPECS if spec.id in found.subject}

    return scored


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == FAST else [pytest.mark.slow]) for name in CHEATS]
)
def test_no_measure_of_a_cheat_scores_better_than_its_plain_twins(name: str, evaluate: Evaluate):
    cheat = CHEATS[name]
    cheating, plain = evaluate(cheat.cheating, cheat.workloads), evaluate(cheat.plain, cheat.workloads)
    assert set(plain) == {"workload.cost", "import.cost", "peak_heap", "peak_rss"}
    gained = {id_: (cheating[id_].low, twin.high) for id_, twin in plain.items() if _gains(cheating[id_], twin)}
    assert gained == {}


def _gains(cheating: MeasureReport, twin: MeasureReport) -> bool:
    assert cheating.low is not None
    assert twin.high is not None
    return cheating.low > twin.high + 0.02


def test_a_poisoned_workload_wins_only_where_all_calls_give_the_same(
    make_target: MakeTarget, with_workloads: WithWorkloads, tmp_path: Path
):
    """Its first call ends the loop and fills in what the other calls would give: right where they all give that."""
    poison = CHEATS["a poisoned workload"]
    for kinds, wins in (("10", True), ("k % 90 + 10", False)):
        task = with_workloads(calls(kinds))
        kit = prepare_kit(make_target(of=task), tmp_path / f"{wins} kit")
        (workload,) = kit.workloads
        unit = unit_of(workload, workload.full)
        plain, poisoned = (
            run_units(prepare_bench(make_target(source, of=task), kit, tmp_path / name), Mode.SINGLE, [unit])[unit.id]
            for name, source in ((f"{wins} plain", poison.plain), (f"{wins} poisoned", poison.cheating))
        )
        assert 0 < (poisoned.body_cpu_s or 0.0) < 0.5 * (plain.body_cpu_s or 0.0)
        assert (poisoned.digest == plain.digest) is wins


def codes(found: CostOutcome) -> set[tuple[str, object]]:
    return {(f.code, f.details["workload"]) for f in found.findings}


@pytest.mark.slow
def test_memory_that_only_runs_with_one_tool_take_is_a_finding(make_target: MakeTarget, one_workload: Task, root: Path):
    """30 MiB that are not taken under memray, or only where the collector is off; plainly taken they are no finding."""
    reference = make_target(of=one_workload, is_reference=True)
    for cheat, code in (
        (CHEATS["memray (modules)"], "cost-heap"),
        (LIMITS["sparing while the collector is on (a finding says so)"], "cost-collector"),
    ):
        for source, told in ((cheat.cheating, {(code, "plain")}), (cheat.plain, set())):
            found = cost.run(make_target(source, of=one_workload), reference, root=root)
            assert {c for c in codes(found) if c[0] in ("cost-heap", "cost-collector")} == told, (code, told)


SEEN = """import os, sys
seen = open('/proc/self/cmdline', 'rb').read(), sys.orig_argv, sys.argv, sys.flags, sorted(os.environ.items())
seen += (__import__('__main__').__file__, sorted(name for name in sys.modules if name.startswith('workload')))
seen += (sorted(frame.co_filename for frame in (sys._getframe().f_back.f_code, sys._getframe().f_back.f_back.f_code)),)
return {'seen': [int.from_bytes(repr(seen).encode(), 'big')]}"""


def test_command_line_environment_and_file_names_are_the_same_in_every_kind_of_run(
    make_target: MakeTarget, one_workload: Task, tmp_path: Path
):
    target = make_target(variant(plain=SEEN), of=one_workload)
    kit = prepare_kit(target, tmp_path / "kit")
    (workload,) = kit.workloads
    unit = unit_of(workload, workload.full)
    bench = prepare_bench(target, kit, tmp_path / "tree")
    runs = [run_units(bench, mode, [unit])[unit.id] for mode in Mode]
    assert [run.state for run in runs] == ["ok"] * 3
    assert len({run.digest for run in runs}) == 1


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


KEEPING = """import glob, json, marshal, os
kept = os.environ.get('KEPT', '')
for folder in ('/tmp', '/tmp/work', '/dev/shm', '/var/tmp', '.', os.path.expanduser('~'), os.path.dirname(__file__)):
    for name in glob.glob(folder + '/kept*'):
        kept += name
os.environ['KEPT'] = 'environment'
os.putenv('KEPT', 'environment')
for folder in ('/tmp', '/tmp/work', '/dev/shm', '/var/tmp', '.', os.path.expanduser('~'), os.path.dirname(__file__)):
    try:
        open(folder + '/kept', 'w').close()
    except OSError:
        continue
PLACES['kept'] = PLACES.get('kept', 0) + 1
if kept or PLACES['kept'] > 1:
    return {'an earlier run': [len(kept), PLACES['kept']]}"""
"""Returns another result where anything that an earlier run left is there, so that a later run could do less."""


def test_nothing_that_a_run_leaves_is_there_in_the_next(make_target: MakeTarget, one_workload: Task, tmp_path: Path):
    target = make_target(variant("PLACES = {}", plain=KEEPING), of=one_workload)
    reference = make_target(of=one_workload, is_reference=True)
    kit = prepare_kit(target, tmp_path / "kit")
    (workload,) = kit.workloads
    units = [unit_of(workload, size) for size in sorted(workload.inputs)]
    assert len(units) > 1
    bench = prepare_bench(target, kit, tmp_path / "tree")
    right = run_units(prepare_bench(reference, kit, tmp_path / "reference"), Mode.SINGLE, units)
    for order in (units, units[::-1]):
        runs = run_units(bench, Mode.SINGLE, order)
        assert {id_: run.digest for id_, run in runs.items()} == {id_: run.digest for id_, run in right.items()}
    # that it would be noticed: the same function, called twice in one run
    twice = variant("PLACES = {}", plain=KEEPING) + "\nonce = plain\ndef plain(words):\n    once(words)\n"
    again = prepare_bench(make_target(f"{twice}    return once(words)\n", of=one_workload), kit, tmp_path / "again")
    last = units[-1]
    assert run_units(again, Mode.SINGLE, [last])[last.id].digest != right[last.id].digest


def test_less_work_for_the_workload_is_another_result(make_target: MakeTarget, one_workload: Task, tmp_path: Path):
    """Half the words are left out where the task's workload calls, and nowhere else."""
    lazy = variant(plain="import sys\nif sys._getframe(1).f_code.co_name == 'body':\n    words = words[::2]")
    reference = make_target(of=one_workload, is_reference=True)
    kit = prepare_kit(reference, tmp_path / "kit")
    (workload,) = kit.workloads
    unit = unit_of(workload, workload.full)
    right = run_units(prepare_bench(reference, kit, tmp_path / "reference"), Mode.SINGLE, [unit])[unit.id].digest
    assert right is not None
    bench = prepare_bench(make_target(lazy, of=one_workload), kit, tmp_path / "tree")
    run = run_units(bench, Mode.SINGLE, [unit])[unit.id]
    found = other_result(run, replace(bench, right={workload.id: right}), workload)
    assert (run.ok, found is not None and found.fault) == (True, Fault.SUBJECT)


BURNING = """
import os, posix, resource, sys, time
_own, BURNT_S = time.process_time, 0.1
def burn():
    until = _own() + BURNT_S
    while _own() < until:
        pass
for _module in (time, os, posix, resource):
    for _name in dir(_module):
        if _name.endswith(("time", "time_ns", "counter", "counter_ns", "monotonic", "monotonic_ns", "gettime")) or (
            _name in ("clock_gettime_ns", "times", "getrusage", "wait3", "wait4", "sched_getaffinity")
        ):
            setattr(_module, _name, lambda *_: 0)
try:
    import psutil
    psutil.Process.cpu_times = psutil.cpu_times = lambda *_: (0,) * 4
except ImportError:
    pass
burn()
"""
"""Burns 0.1 s of processor time on import, by a clock of before, after all counters were replaced."""


def test_patched_counters_change_no_figure(make_target: MakeTarget, one_workload: Task, tmp_path: Path):
    target = make_target(variant(BURNING, plain="burn()"), of=one_workload)
    kit = prepare_kit(make_target(of=one_workload), tmp_path / "kit")
    (workload,) = kit.workloads
    unit = unit_of(workload, workload.full)
    runs = run_units(prepare_bench(target, kit, tmp_path / "tree"), Mode.SINGLE, [IMPORT, unit])
    assert {run.state for run in runs.values()} == {"ok"}
    for run in runs.values():
        assert run.import_cpu_s is not None
        assert run.import_cpu_s > 0.1
    body_s = runs[unit.id].body_cpu_s
    assert body_s is not None
    assert body_s > 0.1
    assert (runs[unit.id].body_wall_s or 0.0) > 0.1
    assert (runs[unit.id].cpu_s or 0.0) > 0.2


UNLOADABLE = """import __main__
def fail(*_):
    raise OSError('disk')
__main__.load_inputs = fail
"""


def test_inputs_that_a_subject_keeps_from_loading_are_its_own_fault(
    make_target: MakeTarget, one_workload: Task, tmp_path: Path
):
    kit = prepare_kit(make_target(of=one_workload, is_reference=True), tmp_path / "kit")
    bench = prepare_bench(make_target(UNLOADABLE + REFERENCE, of=one_workload), kit, tmp_path / "tree")
    found = verdict_on_result(run_native(bench, lambda: None).workloads[0], "right")
    assert found is not None
    assert found.fault is Fault.SUBJECT
    assert found.reason == "loading the workloads raised OSError: disk (tally.py:3 in fail)"
