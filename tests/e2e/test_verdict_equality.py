"""On real projects with faults planted in them the functional stage and plain pytest come to the same verdicts."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from qualityscore.errors import SandboxUnavailableError
from qualityscore.runtime.sandbox.select import select

TOOL = Path(__file__).parents[1] / "nightly" / "verdict_equality.py"


@pytest.fixture(scope="module")
def tool():
    try:
        select()
    except SandboxUnavailableError as error:
        pytest.skip(str(error))
    specification = spec_from_file_location("verdict_equality", TOOL)
    module = module_from_spec(specification)
    sys.modules["verdict_equality"] = module
    specification.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_verdicts_are_those_of_plain_pytest_and_nothing_honest_is_called_tampered(tool):
    figures = tool.measure(["python-slugify", "inflection"], evaluations=6, seed=7)
    assert figures.evaluations == 6  # two references, a re-implementation, three faults
    assert (figures.alarms, figures.differences) == (0, 0)
    assert figures.protected <= figures.moved <= figures.tests
