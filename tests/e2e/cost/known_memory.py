"""A task whose memory is known, for the test and for the benchmark: (workload, MiB that it takes at 4n)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from qualityscore.model.task import Task
from qualityscore.runtime.target import Target

SUBJECT = Path(__file__).parent / "memory"
KNOWN_MIB = {
    "hold-20": ("hold", 20, 20),
    "hold-50": ("hold", 50, 50),
    "hold-200": ("hold", 200, 200),
    "in-pieces": ("in_pieces", 1024, 8),
    "in-a-child": ("in_a_child", 50, 50),
    "in-c": ("in_c", 64, 64),
}
SET_BACK = {"set-back": ("set_back", 50, 50)}

_HEAD = """
class Hold:
    n = 1

    def __init__(self, name, function, mib):
        self.id, self.function, self.mib = name, function, mib

    def setup(self, size):
        return self.mib if size == 4 else 0

    def body(self, mib):
        import hold

        return getattr(hold, self.function)(mib)

    def digest(self, result):
        return result

"""


def of_known_memory(task: Task, folder: Path, known: dict[str, tuple[str, int, int]]) -> Task:
    """`task` with these workloads: each takes its memory at 4n, and none at one item."""
    rows = [(name, function, mib) for name, (function, mib, _) in known.items()]
    folder.mkdir(exist_ok=True)
    (folder / "workloads.py").write_text(_HEAD + f"\nWORKLOADS = [Hold(*row) for row in {rows!r}]\n", "utf-8")
    surface = task.spec.surface.model_copy(update={"imports": ["hold"]})
    suite = task.spec.suites["cost"].model_copy(update={"memory_mib": 512, "test_timeout_s": 10.0})
    spec = task.spec.model_copy(update={"surface": surface, "suites": {**task.spec.suites, "cost": suite}})
    return task.model_copy(update={"probes_folder": folder, "spec": spec})


def with_task(target: Target, task: Task) -> Target:
    """The same target under another task."""
    return replace(target, task=task)
