"""What re-implementations answer otherwise, sampled for two readers: a fault, or a difference that nothing settles?

    PYTHONPATH=.:tests python tests/robustness/failing_sample.py TASK=FOLDER ... [--count 40] [--seed 1] -o FILE

Every probe that a re-implementation does not survive is taken, and those that it survives with another value or
exception than the reference's fill the list up to `count`, drawn by the seed from all of them. The file says what was
asked, what the kind of the probe demands and what came, and leaves `first` and `second` empty.
`tests/data/failing_probes.json` holds the verdicts: "fault" where documentation or requirement settles that the
re-implementation is wrong, "arbitrary" where neither does.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from qualityscore.runtime import tasks, workspace
from qualityscore.snapshots import reference_target
from qualityscore.suites import manifest, robustness
from qualityscore.suites.probe_limits import limits_of


def failing(task_id: str, folder: Path) -> tuple[list[dict[str, Any]], int]:
    """What one re-implementation does not survive, and how many probes there are."""
    task = tasks.load_task(task_id)
    frozen = manifest.load(task.probes_folder)
    lost: list[dict[str, Any]] = []
    with reference_target(task, None, unsafe=False) as target, tempfile.TemporaryDirectory() as scratch:
        tree = workspace.copy(folder, Path(scratch) / "subject", tuple(task.spec.surface.imports)).tree
        subject = replace(target, tree=tree, is_reference=False)
        records = robustness.answers(subject, frozen, limits_of(task), progress=lambda done: None)
        for entry in frozen.entries:
            if records[entry.name].absent is not None:
                print(f"  {entry.name}: {records[entry.name].absent}")
                continue
            verdicts = robustness.verdicts_of(subject, frozen, entry, records[entry.name])
            for probe, verdict in zip(entry.probes, verdicts, strict=True):
                if not verdict.survived or not (verdict.right or probe.kind == "hostile"):
                    shown = robustness.failure(subject, probe, verdict)
                    lost.append(
                        {
                            "task": task_id,
                            "implementation": folder.name if folder.name != task_id else folder.parent.name,
                            "probe": probe.id,
                            "kind": probe.kind,
                            "survived": verdict.survived,
                            "snippet": shown.snippet,
                            "expected": shown.expected,
                            "seen": shown.seen,
                            "first": None,
                            "second": None,
                        }
                    )
    return lost, sum(len(entry.probes) for entry in frozen.entries)


def main() -> None:
    """Collect, sample, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("subjects", nargs="+", metavar="TASK=FOLDER")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    lost: list[dict[str, Any]] = []
    for subject in options.subjects:
        task_id, _, folder = subject.partition("=")
        mine, total = failing(task_id, Path(folder).resolve())
        kinds = Counter(f"{item['kind']}, {'survived' if item['survived'] else 'failed'}" for item in mine)
        print(f"{task_id} {folder}: {len(mine)} of {total} probes are answered otherwise", dict(kinds))
        lost += mine
    draw = random.Random(options.seed)
    failed = [item for item in lost if not item["survived"]]
    others = [item for item in lost if item["survived"]]
    drawn = draw.sample(failed, min(options.count, len(failed)))
    drawn += draw.sample(others, min(options.count - len(drawn), len(others)))
    document = {"failed": len(failed), "survived_with_another_answer": len(others), "probes": drawn}
    options.output.write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    print(f"{len(drawn)} of {len(lost)} drawn into {options.output}")


if __name__ == "__main__":
    sys.exit(main())
