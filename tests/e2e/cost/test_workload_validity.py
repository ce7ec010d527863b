"""Workloads whose inputs or digest cost too much beside the body are found, on a task made for it."""

from __future__ import annotations

import pytest

from qualityscore.model.task import Task
from qualityscore.suites.workload_validity import measure_shares, unfit_workloads
from tests.e2e.cost.cheats import REFERENCE
from tests.e2e.cost.conftest import MakeTarget

WORKLOADS = '''
class Steps:
    """Steps of a loop: `spins` in the body for each item, `digests` in the digest."""

    def __init__(self, name, n, spins, digests=0, strings=0):
        self.id, self.n, self.spins, self.digests, self.strings = name, n, spins, digests, strings

    def setup(self, size):
        return [size, [f"text {number}" for number in range(size * self.strings)]]

    def body(self, inputs):
        import tally

        return tally.spin(inputs[0] * self.spins)

    def digest(self, result):
        import tally

        return [tally.spin(self.digests) > -1, result > -1]


WORKLOADS = [
    Steps("fit", 25_000, 10),
    Steps("digested", 25_000, 10, digests=100_000),
    Steps("loaded", 25_000, 1, strings=1),
]
'''


@pytest.fixture(scope="module")
def steps(task: Task, tmp_path_factory: pytest.TempPathFactory) -> Task:
    folder = tmp_path_factory.mktemp("probes")
    (folder / "workloads.py").write_text(WORKLOADS, "utf-8")
    return task.model_copy(update={"probes_folder": folder})


# CPU seconds of so little work need a host that does nothing else, which the nightly run has.
@pytest.mark.parametrize(
    ("counter", "precision"), [("valgrind", 0.02), pytest.param("cpu", 0.3, marks=pytest.mark.slow)]
)
def test_what_is_spent_beside_the_body_is_found(make_target: MakeTarget, steps: Task, counter: str, precision: float):
    reference = make_target(REFERENCE, is_reference=True, of=steps)
    shares = {found.id: found for found in measure_shares(reference, counter=counter)}
    assert shares["fit"].inputs < 0.01
    assert shares["fit"].digest < (0.001 if counter == "valgrind" else 0.05)
    # the digest makes 100,000 steps; they are in T(4n) and in T(1) alike, so the cost is that of a million steps
    assert shares["digested"].digest == pytest.approx(0.1, rel=precision)
    assert shares["loaded"].inputs > 0.05
    assert [text.partition(" costs ")[0] for text in unfit_workloads(shares.values())] == [
        "workload digested: its digest",
        "workload loaded: loading its inputs",
    ]
