"""Plays attacks without a sandbox, to see that they do get out there: `python -m attacks.bare PLACE NAME ...`.

Only as an ordinary user, and only attacks that the corpus marks as harmless to a host (`works_bare`).
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from pathlib import Path

from attacks.corpus import ATTACKS
from attacks.watch import Watch
from qualityscore.model.outcome import TestOutcome
from qualityscore.runtime import environment, tasks, workspace
from qualityscore.runtime.cache import cache_root
from qualityscore.runtime.sandbox.unsafe import Unsafe
from qualityscore.runtime.target import Target
from qualityscore.suites import functional


def main() -> None:
    """Print, as JSON, for each attack the number of tests that passed and what the watch saw."""
    if os.geteuid() == 0:
        sys.exit("root plays no attack without a sandbox")
    place = Path(sys.argv[1])
    watch = Watch(place)
    watch.settle()
    task = tasks.load_task(str(place / "task"))
    spec = task.spec.environment
    built = environment.ensure(task.folder / spec.lock, spec.python, cache_root())
    snapshot = tasks.read_snapshot(tasks.snapshot_path(task, environment.python_minor()), task)
    found = {}
    for attack in ATTACKS:
        if not attack.works_bare or attack.name not in sys.argv[2:]:
            continue
        root = place / "repos" / f"bare-{len(found)}"
        attack.write(root, watch.facts)
        copied = workspace.copy(root, root.with_suffix(".copy"), ("m",))
        target = Target(task=task, tree=copied.tree, environment=built, sandbox=Unsafe())
        one = [dataclasses.replace(test) for test in snapshot.tests[:1]]
        outcome = functional.run(target, one)
        passed = sum(test.outcome is TestOutcome.PASSED for test in outcome.tests)
        found[attack.name] = [passed, *watch.traces()]
    watch.close()
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
