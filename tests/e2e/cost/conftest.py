"""A small task with workloads, and targets made from one file each."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import pytest

from qualityscore.model.task import Task
from qualityscore.runtime import environment
from qualityscore.runtime.cache import cache_root
from qualityscore.runtime.sandbox.select import select
from qualityscore.runtime.target import Environment, Target
from qualityscore.runtime.tasks import load_task
from qualityscore.runtime.workspace import copy
from tests.e2e.cost.cheats import ONE_WORKLOAD, REFERENCE

TASK = Path(__file__).parent / "task"

MakeTarget = Callable[..., Target]


@pytest.fixture(scope="session")
def task() -> Task:
    return load_task(str(TASK))


@pytest.fixture(scope="session")
def with_workloads(task: Task, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Task]:
    """The task with more at the end of its workloads.py; the same task for the same text."""

    @functools.cache
    def with_more(more: str) -> Task:
        folder = tmp_path_factory.mktemp("probes")
        source = (task.probes_folder / "workloads.py").read_text("utf-8")
        (folder / "workloads.py").write_text(f"{source}\n{more}", "utf-8")
        return task.model_copy(update={"probes_folder": folder, "digest": f"{task.digest} {more}"})

    return with_more


@pytest.fixture(scope="session")
def one_workload(with_workloads: Callable[[str], Task]) -> Task:
    """The task with the workload `plain` alone."""
    return with_workloads(ONE_WORKLOAD)


@pytest.fixture(scope="session")
def task_environment(task: Task) -> Environment:
    return environment.ensure(task.folder / task.spec.environment.lock, task.spec.environment.python, cache_root())


@pytest.fixture(scope="session")
def make_target(task: Task, task_environment: Environment, tmp_path_factory: pytest.TempPathFactory) -> MakeTarget:
    """Make a target of `source` as tally.py, or of several files."""

    def make(source: str | dict[str, str] = REFERENCE, *, is_reference: bool = False, of: Task = task) -> Target:
        files = {"tally.py": source} if isinstance(source, str) else source
        folder = tmp_path_factory.mktemp("subject")
        for name, text in files.items():
            (folder / "from" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "from" / name).write_text(text, "utf-8")
        copied = copy(folder / "from", folder / "tree", tuple(of.spec.surface.imports))
        return Target(
            task=of,
            tree=copied.tree,
            environment=task_environment,
            sandbox=select(),
            is_reference=is_reference,
        )

    return make


@pytest.fixture(scope="session")
def reference(make_target: MakeTarget) -> Target:
    return make_target(is_reference=True)
