"""Single launches: whose fault what goes wrong in one is, and what a unit may and may not do."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from qualityscore.model.measure import Fault, Measured, Unavailable
from qualityscore.model.task import Task
from qualityscore.runtime.leases import lease_core
from qualityscore.runtime.target import Target
from qualityscore.suites import cost
from qualityscore.suites.cost_kit import Bench, Kit, prepare_bench, prepare_kit
from qualityscore.suites.cost_launch import MESSAGE_BYTES, Mode, UnitRun, run_units, trouble, unit_of
from qualityscore.suites.memory import STANDARD_DESCRIPTORS, run_heap
from tests.e2e.cost.cheats import variant
from tests.e2e.cost.conftest import MakeTarget


@pytest.fixture(scope="module")
def kit(make_target: MakeTarget, one_workload: Task, tmp_path_factory: pytest.TempPathFactory) -> Kit:
    return prepare_kit(make_target(of=one_workload), tmp_path_factory.mktemp("kit") / "kit")


@pytest.fixture
def make_bench(make_target: MakeTarget, one_workload: Task, kit: Kit, tmp_path: Path):
    def make(body: str = "") -> Bench:
        source = variant(plain=body) if body else variant()
        return prepare_bench(make_target(source, of=one_workload), kit, tmp_path / "tree")

    return make


def run_plain(bench: Bench, mode: Mode = Mode.SINGLE, **more) -> UnitRun:
    unit = unit_of(bench.kit.workloads[0], bench.kit.workloads[0].full)
    return run_units(bench, mode, [unit], **more)[unit.id]


def test_a_huge_result_is_the_subjects_fault(make_bench):
    found = trouble(run_plain(make_bench("return {0: [1 << (1 << 24)]}")), is_reference=False, timeout_s=3)
    assert found is not None
    assert (found.fault, f"more than {MESSAGE_BYTES} bytes" in found.reason) == (Fault.SUBJECT, True)


def test_memray_that_cannot_start_is_nobodys_fault_but_ours(make_bench):
    bench = make_bench()
    environment = replace(bench.target.environment, version="3.0.0")  # packages are looked for where there are none
    broken = replace(bench, target=replace(bench.target, environment=environment))
    found = trouble(run_plain(broken, Mode.HEAP), is_reference=False, timeout_s=3)
    assert found is not None
    assert (found.fault, "memray cannot start" in found.reason) == (Fault.HARNESS, True)
    run = run_plain(bench, Mode.HEAP, statistics=True)
    assert run.heap is not None
    assert run.heap.allocated_bytes is not None
    assert run.heap.peak_bytes <= run.heap.allocated_bytes


def test_a_subject_that_ends_under_memray_fails_by_its_own_fault(make_bench):
    run = run_plain(make_bench("import os, sys\nif 'memray' in sys.modules: os._exit(0)"), Mode.HEAP)
    found = trouble(run, is_reference=False, timeout_s=3)
    assert found is not None
    assert found.fault is Fault.SUBJECT


def test_what_is_written_is_reported_also_where_it_is_removed_again(make_bench):
    body = "import os\nwith open('/tmp/much', 'wb') as file: file.write(bytes(5 << 20))\nos.unlink('/tmp/much')"
    run = run_plain(make_bench(body))
    assert run.ok
    assert run.temp_bytes == 0
    assert run.written_bytes == pytest.approx(5 << 20, abs=4096)


def test_threads_and_descriptors_that_are_left_are_told(make_bench):
    body = (
        "import os, threading, time\nos.open('/dev/null', 0)\n"
        "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"
    )
    run = run_plain(make_bench(body))
    assert run.threads_left == 1
    assert run.descriptors_left == STANDARD_DESCRIPTORS + 1


def test_after_the_deadline_nothing_is_run_and_nobody_is_blamed(make_bench):
    found = trouble(run_plain(replace(make_bench(), deadline=time.monotonic())), is_reference=False, timeout_s=3)
    assert found is not None
    assert (found.reason, found.fault) == ("budget", Fault.HARNESS)


def test_a_deadline_ends_a_launch_that_is_under_way(make_bench):
    began = time.monotonic()
    bench = replace(make_bench("while True: pass"), deadline=began + 1.5)
    found = trouble(run_plain(bench), is_reference=False, timeout_s=3)
    assert found is not None
    assert (found.reason, found.fault) == ("budget", Fault.HARNESS)


@pytest.mark.parametrize("left_s", [0.0, 2.0])
def test_what_does_not_fit_into_the_budget_is_unmeasured_and_not_guessed(
    left_s: float, make_target: MakeTarget, one_workload: Task, tmp_path: Path
):
    target: Target = make_target(of=one_workload)
    reference = make_target(of=one_workload, is_reference=True)
    found = cost.run(target, reference, root=tmp_path, deadline=time.monotonic() + left_s)
    missing = [outcome for outcome in found.subject.values() if isinstance(outcome, Unavailable)]
    assert {(o.fault, o.reason) for o in missing} == {(Fault.HARNESS, "budget")}
    assert isinstance(found.subject["workload.cost"], Unavailable)
    assert not list((tmp_path / "counts").glob("*.json")) or left_s, "what was cut short is not kept"


def test_a_subject_cannot_put_itself_in_the_place_of_the_suite(
    make_target: MakeTarget, one_workload: Task, kit: Kit, tmp_path: Path
):
    hijack = (
        "import marshal, sys, types\n"
        "fake = types.ModuleType('workloads')\nfake.WORKLOADS = []\nsys.modules['workloads'] = fake\n"
        "sys.meta_path.insert(0, type('F', (), {'find_spec': staticmethod(lambda *a: 1 / 0)}))\n"
        "real = marshal.loads  # a list begins with [, or with that and the bit of a reference\n"
        "marshal.loads = lambda data: 1 / 0 if bytes(data[:1]) in (b'[', b'\\xdb') else real(data)\n"
    )
    target = make_target(variant(hijack), of=one_workload)
    run = run_plain(prepare_bench(target, kit, tmp_path / "tree"))
    assert run.ok, run.error


def test_work_done_while_loading_is_seen_as_loading(make_bench):
    run = run_plain(make_bench())
    assert run.load_cpu_s is not None
    assert run.body_cpu_s is not None
    assert 0 < run.load_cpu_s < run.body_cpu_s


@pytest.fixture
def one_core():
    everywhere = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(everywhere)})
    yield min(everywhere)
    os.sched_setaffinity(0, everywhere)


def test_with_one_core_the_supervisor_shares_it_with_what_is_timed(make_bench, one_core: int, tmp_path: Path):
    with lease_core(deadline_s=60, folder=tmp_path / "locks") as lease:
        assert (lease.cpu, lease.others) == (one_core, (one_core,))
        run = run_plain(make_bench(), cpus=(lease.cpu,), keeper_cpus=lease.others)
    assert run.ok
    assert (run.body_cpu_s or 0) > 0


@pytest.mark.slow
@pytest.mark.usefixtures("one_core")
def test_one_core_is_enough_for_everything(make_target: MakeTarget, one_workload: Task, tmp_path: Path):
    reference = make_target(of=one_workload, is_reference=True)
    found = cost.run(make_target(of=one_workload), reference, root=tmp_path)
    for measure in ("peak_heap", "peak_rss", "import.cost"):
        assert isinstance(found.subject[measure], Measured), measure
    outcome = found.subject["workload.cost"]
    # another process on the only core may leave the host too noisy for times, and then that is what is said
    assert isinstance(outcome, Measured) or "host too noisy" in outcome.reason


def test_a_cheat_in_the_memory_run_alone_is_a_wrong_result_there(make_bench):
    bench = make_bench("import sys\nif 'memray' in sys.modules:\n    return {0: [0]}")
    right = {"plain": run_plain(bench).digest or ""}
    (heap,) = run_heap(replace(bench, right=right), bench.kit.workloads, lambda: None)
    assert heap.samples == ()
    assert heap.trouble is not None
    assert (heap.trouble.fault, "under memray the result differs" in heap.trouble.reason) == (Fault.SUBJECT, True)


CURIOUS = """
import os, sys
SEEN = [' '.join(sys.argv), str(dict(os.environ)), *os.listdir('/tmp'), *os.listdir(os.getcwd())]
for pid in filter(str.isdigit, os.listdir('/proc')):
    for kind in ('cmdline', 'environ'):
        try:
            SEEN.append(open(f'/proc/{pid}/{kind}').read())
        except OSError:
            pass
if any('plain' in text or '40000' in text for text in SEEN):
    raise RuntimeError(SEEN)
"""


def test_nothing_around_the_import_names_the_workload_to_come(
    make_target: MakeTarget, one_workload: Task, kit: Kit, tmp_path: Path
):
    bench = prepare_bench(make_target(CURIOUS + variant(), of=one_workload), kit, tmp_path / "tree")
    for mode in (Mode.SINGLE, Mode.COUNT):
        run = run_plain(bench, mode)
        assert run.ok, run.error


def test_a_program_that_is_started_is_counted_though_valgrinds_variables_are_hidden(make_bench):
    spawned = "import subprocess, sys\nsubprocess.run([sys.executable, '-SIc', 'for i in range(500_000): pass'])"
    hidden = "import os\nif {'LD_PRELOAD', 'GLIBCXX_FORCE_NEW', 'VALGRIND_LAUNCHER'} & {*os.environ}: raise OSError\n"
    run = run_plain(make_bench(hidden + spawned), Mode.COUNT)
    assert run.ok, run.error
    assert run.counts is not None
    mine, child = sorted(run.counts, key=lambda count: not count.main)
    assert (mine.main, child.main) == (True, False)
    assert child.instructions is not None
    assert child.instructions > 10 * 500_000  # a turn of the loop takes some tens of instructions
    assert run.instructions == (mine.instructions or 0) + child.instructions
