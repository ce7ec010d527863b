"""An import that does less work where it is counted than where it is used."""

from __future__ import annotations

from pathlib import Path

import pytest

from qualityscore.model.measure import Fault, Measured, Unavailable
from qualityscore.model.task import Task
from qualityscore.suites import cost
from tests.e2e.cost.cheats import REFERENCE
from tests.e2e.cost.conftest import MakeTarget

SEEING = "'cachegrind' in open('/proc/self/maps').read()"
TABLE = f"if not {SEEING}:\n    TABLE = [i * i % 7 for i in range(1_000_000)]\n"


@pytest.mark.slow
def test_an_import_that_does_less_under_valgrind_gains_nothing(
    make_target: MakeTarget, one_workload: Task, tmp_path: Path
):
    reference = make_target(is_reference=True, of=one_workload)
    found = cost.run(make_target(TABLE + REFERENCE, of=one_workload), reference, root=tmp_path)
    mine, theirs = found.subject["import.cost"], found.reference["import.cost"]
    assert isinstance(theirs, Measured)
    if isinstance(mine, Measured):
        assert mine.parts[0].log_ratios
        # a million turns take some 60 ms, and the reference's import about one
        assert theirs.value / mine.value < 0.2
        assert mine.details["check"]["import"]["decided_by"] == "pairs"
    else:  # on a busy host pairs cannot decide
        assert isinstance(mine, Unavailable)
        assert (mine.fault, "contradicts the count of the import" in mine.reason) == (Fault.HARNESS, True)
    assert mine.details["check"]["import"]["by_count"] > 0.5
    assert mine.details["check"]["import"]["by_cpu"] < 0.2
