"""Memory of a program that the body starts, which memray does not follow."""

from __future__ import annotations

from pathlib import Path

from qualityscore.model.task import Task
from qualityscore.suites.cost_facts import Facts
from qualityscore.suites.cost_kit import prepare_bench, prepare_kit
from qualityscore.suites.cost_sides import Sides
from qualityscore.suites.memory import run_heap, run_native
from qualityscore.suites.memory_measures import taken_memory
from tests.e2e.cost.cheats import variant
from tests.e2e.cost.conftest import MakeTarget

MIB = 1 << 20
SPAWNING = (
    "import subprocess, sys\n"
    "if len(words) > 1:\n"
    "    hold = 'import time; kept = bytearray(b\"x\") * (50 << 20); time.sleep(0.3)'\n"
    "    subprocess.run([sys.executable, '-c', hold], check=True)"
)


def test_memory_that_is_moved_into_a_started_program_counts(
    make_target: MakeTarget, one_workload: Task, tmp_path: Path
):
    target = make_target(variant(plain=SPAWNING), of=one_workload)
    kit = prepare_kit(target, tmp_path / "kit")
    bench = prepare_bench(target, kit, tmp_path / "tree")
    native = run_native(bench, lambda: None)
    facts = Facts(native=native, heaps=run_heap(bench, kit.workloads, lambda: None))
    digest = native.workloads[0].digest
    assert digest is not None
    assert facts.heaps[0].samples[0] < 10 * MIB, "memray did not see it"
    sides = Sides(kit=kit, subject=facts, reference=facts, expected={"plain": digest}, troubles={}, pairs={}, checks={})
    ((part,), _) = taken_memory(sides).heap
    # the 50 MiB, and an interpreter that holds them: some 10 MiB
    assert 50 * MIB < (part.value or 0) < 70 * MIB
    assert "resident memory of several processes" in (part.note or "")
