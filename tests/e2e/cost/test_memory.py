"""Memory of code that takes a known amount of it."""

from __future__ import annotations

import statistics

import pytest

from qualityscore.model.task import Task
from qualityscore.suites.cost_kit import Bench, prepare_bench, prepare_kit
from qualityscore.suites.memory import Heap, Native, run_heap, run_native
from tests.e2e.cost.conftest import MakeTarget
from tests.e2e.cost.known_memory import KNOWN_MIB, SET_BACK, SUBJECT, of_known_memory

MIB = 1 << 20


@pytest.fixture(scope="module")
def bench(task: Task, make_target: MakeTarget, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("known")
    known = of_known_memory(task, folder / "probes", KNOWN_MIB | SET_BACK)
    target = make_target({"hold.py": (SUBJECT / "hold.py").read_text("utf-8")}, of=known)
    return prepare_bench(target, prepare_kit(target, folder / "kit"), folder / "tree")


@pytest.fixture(scope="module")
def natives(bench: Bench) -> dict[str, Native]:
    return {native.id: native for native in run_native(bench, lambda: None).workloads}


@pytest.fixture(scope="module")
def heaps(bench: Bench) -> dict[str, Heap]:
    return {heap.id: heap for heap in run_heap(bench, bench.kit.workloads, lambda: None)}


@pytest.mark.parametrize("name", [*KNOWN_MIB, *SET_BACK])
def test_the_peak_of_the_tree_is_what_it_takes_beyond_one_item(name: str, natives: dict[str, Native]):
    native, (_, _, mib) = natives[name], (KNOWN_MIB | SET_BACK)[name]
    assert native.trouble is None
    taken = (statistics.median(native.full) - statistics.median(native.one)) / MIB
    assert taken == pytest.approx(mib, abs=max(1, 0.02 * mib))
    assert native.sampled == (name == "in-a-child")


@pytest.mark.parametrize("name", KNOWN_MIB)
def test_the_high_water_mark_of_the_heap_is_what_the_body_takes(name: str, heaps: dict[str, Heap]):
    heap, (_, all_, mib) = heaps[name], KNOWN_MIB[name]
    assert heap.trouble is None
    assert statistics.median(heap.samples) / MIB == pytest.approx(mib, abs=max(1, 0.02 * mib))
    if name != "in-a-child":
        assert heap.allocated_bytes is not None
        assert heap.allocated_bytes / MIB == pytest.approx(all_, abs=max(1, 0.02 * all_))


@pytest.mark.parametrize("name", KNOWN_MIB)
def test_the_heap_over_time_is_short_in_order_and_reaches_no_higher_than_the_mark(name: str, heaps: dict[str, Heap]):
    heap = heaps[name]
    assert 0 < len(heap.timeline) <= 40
    seconds = [at for at, _ in heap.timeline]
    assert seconds == sorted(seconds)
    assert max(size for _, size in heap.timeline) <= max(heap.samples)
