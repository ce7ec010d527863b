"""Small tasks and subjects, run in the real sandbox in the environment that runs the tests."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from qualityscore.model.task import Surface, Task, TaskSpec
from qualityscore.runtime import workspace
from qualityscore.runtime.sandbox.base import ENV_DIR
from qualityscore.runtime.sandbox.select import select
from qualityscore.runtime.target import Environment, Target

MakeTarget = Callable[..., Target]


@pytest.fixture(scope="session")
def environment() -> Environment:
    return Environment(
        prefix=Path(sys.prefix),
        base_prefix=Path(sys.base_prefix).resolve(),
        python=f"{ENV_DIR}/bin/python",
        version=platform.python_version(),
        lock_digest="none",
    )


@pytest.fixture
def make_target(tmp_path: Path, environment: Environment) -> MakeTarget:
    """`make_target(source, entries, probes=None, suite=None)`: a single module `thing` as the subject."""
    return _maker(tmp_path, environment)


@pytest.fixture(scope="module")
def module_target(tmp_path_factory: pytest.TempPathFactory, environment: Environment) -> MakeTarget:
    """`make_target` for what all tests of a module share."""
    return _maker(tmp_path_factory.mktemp("targets"), environment)


def _maker(tmp_path: Path, environment: Environment) -> MakeTarget:
    made = 0

    def make(
        source: str,
        entries: list[str] | None = None,
        *,
        probes: str | None = None,
        suite: str | None = None,
        documented: tuple[str, ...] = ("ValueError",),
        limits: dict[str, float] | None = None,
        is_reference: bool = False,
    ) -> Target:
        nonlocal made
        made += 1
        base = tmp_path / f"t{made}"
        (base / "source").mkdir(parents=True)
        (base / "source" / "thing.py").write_text(source, "utf-8")
        (base / "probes").mkdir()
        if probes is not None:
            (base / "probes" / "probes.py").write_text(probes, "utf-8")
        if suite is not None:
            (base / "suites" / "functional").mkdir(parents=True)
            (base / "suites" / "functional" / "test_thing.py").write_text(suite, "utf-8")
        tree = workspace.copy(base / "source", base / "copy", ("thing",)).tree
        task = Task(
            spec=TaskSpec.model_validate(
                {
                    "id": "thing",
                    "title": "thing",
                    "scenario": "utilities",
                    "reference": {"path": "source"},
                    "environment": {"python": ">=3.11", "lock": "none"},
                    "surface": {"imports": ["thing"]},
                    "suites": {
                        "functional": {"files": ["suites/functional/test_*.py"]},
                        "robustness": {"files": ["probes.py"], **(limits or {})},
                    },
                    "documented_exceptions": list(documented),
                }
            ),
            surface=Surface.model_validate(
                {"entries": [{"name": name, "kind": "function"} for name in entries or ["thing.f"]]}
            ),
            folder=base,
            probes_folder=base / "probes",
            digest="none",
        )
        return Target(task=task, tree=tree, environment=environment, sandbox=select(), is_reference=is_reference)

    return make
