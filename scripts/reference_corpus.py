"""Writes qualityscore/branch/corpus.json: raw measures of the pinned references, read as code without a task is.

Run where the references can be fetched. The measures are those of the static stage; judged code is what looks used.
"""

from __future__ import annotations

import json
import sys

from qualityscore.branch.project import read_project
from qualityscore.branch.settings import ProductionSpec
from qualityscore.branch.standing import CORPUS
from qualityscore.branch.state import read_code
from qualityscore.model.measure import Measured
from qualityscore.runtime import reference, workspace
from qualityscore.runtime.cache import cache_root
from qualityscore.runtime.scratch import scratch_folder
from qualityscore.runtime.tasks import load_task, reference_name, task_ids


def measure() -> dict[str, object]:
    """The corpus: values by measure and reference, and the versions of the tools that gave them."""
    values: dict[str, dict[str, float]] = {}
    tools: dict[str, str] = {}
    for id_ in task_ids():
        task = load_task(id_)
        with scratch_folder("qualityscore-corpus-") as folder:
            tree = workspace.copy(reference.fetch(task, cache_root()), folder / "code", ()).tree
            code = read_code(tree, read_project(tree), None, production=ProductionSpec(), is_reference=True)
        tools = code.static.tool_versions
        for name, outcome in code.static.measures.items():
            if isinstance(outcome, Measured):
                values.setdefault(name, {})[reference_name(task)] = round(outcome.value, 6)
    return {"measures": values, "tools": tools}


if __name__ == "__main__":
    CORPUS.write_text(json.dumps(measure(), indent=2, sort_keys=True) + "\n", "utf-8")
    sys.stdout.write(f"wrote {CORPUS.name}\n")
