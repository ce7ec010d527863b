"""Lines behind a surface: which functions count, by a package of a few lines whose calls are counted by hand."""

from __future__ import annotations

import ast
import importlib.util
import json
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


DATA = """
table = {"a": chosen}
current = Local()

def entry():
    return table["a"](), current

def chosen():
    return 1

class Real:
    def __init__(self):
        self.x = 1

    @property
    def query(self):
        return self.x

    def hidden(self):
        return 2

Alias = Real

class Local(Alias):
    pass
"""


def test_what_stands_in_data_of_a_module_and_behind_another_name_of_a_class_is_reached(script: ModuleType) -> None:
    package = script.Package([("m.py", ast.parse(DATA))])
    assert {code.label for code in script.reached(package, ["m.entry"])} == {
        "m.py:entry",
        "m.py:chosen",
        "m.py:Real.__init__",
    }


def test_attributes_that_the_requirement_names_are_reached_and_functions_are_not(script: ModuleType) -> None:
    package = script.Package([("m.py", ast.parse(DATA))])
    named = script.spoken_of("It has `query` (as in `current.query`), never hidden.\n\n    `chosen()`\n")
    assert named == {"query", "current", "chosen"}
    assert {code.label for code in script.reached(package, ["m.current"], named)} == {
        "m.py:Real.__init__",
        "m.py:Real.query",
    }


PARSER = "import sys\n\ndef parse(xml):\n    if xml:\n        return 1\n    return 2\n"


def test_lines_and_branches_are_counted(script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "xmltodict.py"
    file.write_text(PARSER, "utf-8")
    found = {
        "executed_lines": [1, 3, 4, 5],
        "missing_lines": [6],
        "executed_branches": [[4, 5]],
        "missing_branches": [[4, 6]],
    }
    report = tmp_path / "coverage.json"
    report.write_text(json.dumps({"files": {str(file): found}}), "utf-8")
    script.main("xmltodict", str(tmp_path), str(report))
    # of the body's lines 4, 5 and 6 the last is missing, and so is the branch to it
    assert capsys.readouterr().out.splitlines() == [
        "xmltodict.py: 2 of 3; not [6]",
        "xmltodict: 2 of 3 lines behind the surface, 66.7 %, and 1 of 2 branches, 50.0 %",
    ]


def test_a_report_about_other_files_is_refused(script: ModuleType, tmp_path: Path) -> None:
    report = tmp_path / "coverage.json"
    report.write_text(json.dumps({"files": {"elsewhere.py": {}}}), "utf-8")
    with pytest.raises(SystemExit, match="names no file of"):
        script.main("xmltodict", str(tmp_path), str(report))


def test_a_branch_is_left_out_without_what_is_else(script: ModuleType) -> None:
    (helper,) = (code for code in script.reached(script.Package([("m.py", ast.parse(PACKAGE))]), ["m.helper"]))
    left = script.LeftOut(functions=("m.py:Made.*",), lines=("if debug:",))
    assert left.branches(PACKAGE.split("\n"), helper) == {6, 7}
    assert not left.takes(helper)


def test_what_is_left_out_names_tasks_that_exist_and_gives_a_reason(script: ModuleType) -> None:
    entries = tomllib.loads(script.LEFT_OUT.read_text("utf-8"))["left_out"]
    assert {entry["task"] for entry in entries} <= set(task_ids())
    assert all(entry["reason"] and set(entry) <= {"task", "functions", "lines", "reason"} for entry in entries)
