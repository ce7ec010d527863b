"""The tiny task, made once for all processes of a test run."""

from pathlib import Path

import pytest

from backend.tiny import write_task
from qualityscore.errors import SandboxUnavailableError
from qualityscore.runtime.sandbox.select import select


@pytest.fixture(scope="session")
def tiny_task(tmp_path_factory) -> Path:
    try:
        select()
    except SandboxUnavailableError as error:
        pytest.skip(str(error))
    base = tmp_path_factory.getbasetemp()
    shared = base if base.parent.name.startswith("pytest-of-") else base.parent  # xdist's workers have one each in it
    return write_task(shared / "tiny-task")
