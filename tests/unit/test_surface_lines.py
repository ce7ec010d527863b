"""Lines behind a surface: which functions count, by a package of a few lines whose calls are counted by hand."""

from __future__ import annotations

import ast
import importlib.util
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from qualityscore.runtime.tasks import task_ids

SCRIPT = Path(__file__).parents[2] / "scripts" / "surface_lines.py"

PACKAGE = """
def entry(x):
    return helper(x) + Made().run()

def helper(x):
    if debug:
        print(x)
    else:
        x = 0
    return x

def unused(helper):
    return helper

class Base:
    def shared(self):
        return 1

class Made(Base):
    def __len__(self):
        return self.shared()

    def run(self):
        return len(self)

    def idle(self):
        return 2

class Other:
    def run(self):
        return unused
"""


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("surface_lines", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def reached(script: ModuleType, *entries: str) -> set[str]:
    return {code.label for code in script.reached(script.Package([("m.py", ast.parse(PACKAGE))]), entries)}


def test_functions_named_on_the_way_and_methods_of_classes_made_there_are_behind_an_entry(script: ModuleType) -> None:
    assert reached(script, "m.entry") == {
        "m.py:entry",
        "m.py:helper",
        "m.py:Made.__len__",
        "m.py:Made.run",
        "m.py:Base.shared",
    }


def test_a_parameter_names_no_function(script: ModuleType) -> None:
    assert reached(script, "m.unused") == {"m.py:unused"}


def test_a_class_in_the_surface_brings_what_python_calls_by_itself(script: ModuleType) -> None:
    assert reached(script, "m.Made") == {"m.py:Made.__len__", "m.py:Base.shared"}


def test_a_branch_is_left_out_without_what_is_else(script: ModuleType) -> None:
    (helper,) = (code for code in script.reached(script.Package([("m.py", ast.parse(PACKAGE))]), ["m.helper"]))
    left = script.LeftOut(functions=("m.py:Made.*",), lines=("if debug:",))
    assert left.branches(PACKAGE.split("\n"), helper) == {6, 7}
    assert not left.takes(helper)


def test_what_is_left_out_names_tasks_that_exist_and_gives_a_reason(script: ModuleType) -> None:
    entries = tomllib.loads(script.LEFT_OUT.read_text("utf-8"))["left_out"]
    assert {entry["task"] for entry in entries} <= set(task_ids())
    assert all(entry["reason"] and set(entry) <= {"task", "functions", "lines", "reason"} for entry in entries)
