"""What two readers said of probes that re-implementations answered otherwise, against the manifests as they are now.

`tests/data/failing_probes.json` is as it was read; probes that a reader called arbitrary and that cost survival have
left the manifests since.
"""

from __future__ import annotations

import json
from pathlib import Path

from qualityscore.runtime import tasks
from qualityscore.suites import manifest

READ = json.loads((Path(__file__).parents[1] / "data" / "failing_probes.json").read_text("utf-8"))["probes"]


def frozen(task: str) -> set[str]:
    return {p.id for entry in manifest.load(tasks.load_task(task).probes_folder).entries for p in entry.probes}


def test_forty_were_read_twice() -> None:
    assert len(READ) == 40
    assert {item[reader] for item in READ for reader in ("first", "second")} == {"fault", "arbitrary"}


def test_no_probe_that_costs_survival_is_an_arbitrary_difference_any_more() -> None:
    arbitrary = [i for i in READ if not i["survived"] and "arbitrary" in (i["first"], i["second"])]
    assert arbitrary, "some were"
    assert not [i["probe"] for i in arbitrary if i["probe"] in frozen(i["task"])]


def test_probes_that_showed_a_fault_are_still_asked() -> None:
    faults = [i for i in READ if not i["survived"] and i["first"] == i["second"] == "fault"]
    assert faults
    assert all(i["probe"] in frozen(i["task"]) for i in faults)
