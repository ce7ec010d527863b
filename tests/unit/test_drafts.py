"""What a draft says and what counts as unfinished; what a release's metadata say about its requirements."""

from __future__ import annotations

import ast
import json
import tomllib

import pytest
from packaging.requirements import Requirement

from qualityscore import drafting
from qualityscore.languages.python_metadata import read_metadata
from qualityscore.model.task import Surface, SurfaceEntry, TaskSpec
from qualityscore.runtime.tasks import load_task, task_ids
from qualityscore.suites import drafts
from qualityscore.suites.unfinished import MARK, marked_parts, unfinished_parts

ENTRIES = (
    SurfaceEntry(name="pkg.C", kind="class", signature="(a)", summary="A class"),
    SurfaceEntry(name="pkg.C.run", kind="method", signature="(self)", summary='Says """quote""" \\ and\nmore\x1b[0m'),
    SurfaceEntry(name="pkg.c_run", kind="function", signature="()"),
    SurfaceEntry(name="pkg.Hook", kind="class", bodiless=True, summary="Has no body"),
    SurfaceEntry(name="pkg.sub.Wrong", kind="exception", bodiless=True, summary="Is raised"),
    SurfaceEntry(name="pkg.sub.N", kind="constant", summary="A number"),
)


def release(**changes):
    fields = {
        "task_id": "pkg",
        "distribution": "pkg",
        "version": "1.0",
        "sdist_sha256": "0" * 64,
        "summary": 'A "quoted" \\ thing',
        "python": ">=3.11",
        "imports": ("pkg", "pkg.sub"),
        "surface": Surface(entries=list(ENTRIES)),
        "requires": (),
    }
    return drafts.Release(**(fields | changes))


@pytest.fixture
def drafted(tmp_path):
    for name, text in {**drafts.files_of(release()), "requirements.lock": ""}.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return tmp_path


def test_every_drafted_file_is_well_formed():
    files = drafts.files_of(release())
    assert {name: ast.parse(text) for name, text in files.items() if name.endswith(".py")}
    spec = TaskSpec.model_validate(tomllib.loads(files["task.toml"]))
    assert (spec.title, spec.surface.imports) == ('A "quoted" \\ thing', ["pkg", "pkg.sub"])
    surface = Surface.model_validate_json(files["surface.json"])
    assert [entry.name for entry in surface.entries] == [entry.name for entry in ENTRIES]
    assert len(files["surface.json"].splitlines()) == len(ENTRIES) + 4
    assert not [text for text in files.values() if "\x1b" in text]


def test_each_entry_that_credibility_counts_has_a_test_and_no_other():
    """By hand: class, method and function; what has no body, constants and exceptions do not count."""
    files = drafts.files_of(release())
    tests = {
        name.rpartition("/")[2]: [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
        for name, text in files.items()
        if name.startswith("suites/")
    }
    assert tests == {
        "test_pkg.py": ["test_c", "test_c_run", "test_c_run_2"],
        "test_errors.py": ["test_wrong_arguments_are_refused", "test_pkg_sub_wrong_is_raised"],
        "test_combinations.py": ["test_parts_work_together"],
    }


def test_no_module_loses_its_tests_to_another_of_a_like_name():
    """By hand: `a.b` and `a_b` want one name, and `errors` that of the tests of wrong input."""
    names = ("a.b.f", "a_b.g", "errors.h")
    surface = Surface(entries=[SurfaceEntry(name=name, kind="function", signature="()") for name in names])
    files = drafts.files_of(release(imports=("a.b", "a_b", "errors"), surface=surface))
    tests = {
        name.rpartition("/")[2]: [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
        for name, text in files.items()
        if name.startswith("suites/")
    }
    assert tests == {
        "test_a_b.py": ["test_f"],
        "test_a_b_2.py": ["test_g"],
        "test_errors_2.py": ["test_h"],
        "test_errors.py": ["test_wrong_arguments_are_refused"],
        "test_combinations.py": ["test_parts_work_together"],
    }


def test_a_stub_fails_until_it_is_written():
    """Who deletes a mark's line and writes nothing has a test without a body, which is a syntax error."""
    for name, text in drafts.files_of(release()).items():
        if name.startswith("suites/"):
            tree = ast.parse(text)
            stubs = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
            assert all(isinstance(node.body[-1], ast.Raise) and len(node.body) == 1 for node in stubs)


def test_marks_are_found_with_line_and_what_to_do(drafted):
    parts = marked_parts(load_task(str(drafted)))
    assert str(parts[0]) == f"{drafted}/task.toml:2: say in a few words what is to be built"
    surface = [part for part in parts if part.file.name == "surface.json"]
    assert [(part.line, part.todo) for part in surface] == [(5, "say in a line what it is for")]
    total = sum(text.count(MARK) for text in drafts.files_of(release()).values())
    assert len(parts) == total > 20


def test_the_manifest_is_asked_for_last(drafted):
    task = load_task(str(drafted))
    assert not [p for p in unfinished_parts(task, name="pkg") if p.line is None]
    for part in marked_parts(task):
        part.file.write_text(part.file.read_text().replace(MARK, "done:"))
    (last,) = unfinished_parts(task, name="pkg")
    assert (last.file.name, last.line) == ("manifest.json", None)
    assert last.todo == "build it with: qualityscore probes build pkg"
    (drafted / "probes" / "workloads.py").unlink()
    (drafted / "requirement.md").unlink()
    assert [(p.file.name, p.line) for p in unfinished_parts(task, name="pkg")] == [
        ("requirement.md", None),
        ("task.toml", None),
    ]


def test_no_bundled_task_holds_a_mark():
    assert [str(part) for name in task_ids() for part in marked_parts(load_task(name))] == []


def metadata_of(tmp_path, files):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return read_metadata(tmp_path, tuple(files))


@pytest.mark.parametrize(
    ("files", "requires"),
    [
        ({"PKG-INFO": "Metadata-Version: 2.2\nName: a\n"}, ()),
        ({"PKG-INFO": "Metadata-Version: 2.2\nDynamic: Requires-Dist\n"}, None),
        ({"PKG-INFO": "Metadata-Version: 2.1\nName: a\n"}, None),
        ({"PKG-INFO": "Metadata-Version: 2.1\nRequires-Dist: b>=1\nRequires-Dist: t; extra == 'x'\n"}, ("b>=1",)),
        ({"PKG-INFO": "Metadata-Version: 1.2\n", "a.egg-info/SOURCES.txt": ""}, ()),
        (
            {
                "PKG-INFO": "Metadata-Version: 1.2\n",
                "a.egg-info/SOURCES.txt": "",
                "a.egg-info/requires.txt": "b>=1\n\n[:python_version < '4']\nc\n\n[x]\nd\n\n[x:os_name == 'nt']\ne\n",
            },
            ("b>=1", 'c; python_version < "4"'),
        ),
        ({"PKG-INFO": "Requires-Dist: b @ file:///etc/passwd\nMetadata-Version: 2.2\n"}, ()),
        ({}, None),
    ],
    ids=["none", "dynamic", "old", "extras", "setuptools", "sections", "address", "no metadata"],
)
def test_requirements_are_those_of_running_it_or_unknown(tmp_path, files, requires):
    found = metadata_of(tmp_path, files).requires
    assert found == requires
    assert all(Requirement(line) for line in found or ())


def test_the_metadata_of_a_release_lie_above_those_of_its_tests(tmp_path):
    files = {
        "data/fake.egg-info/SOURCES.txt": "",
        "data/fake.egg-info/requires.txt": "wrong\n",
        "data/fake.egg-info/top_level.txt": "fake\n",
        "real.egg-info/SOURCES.txt": "",
        "real.egg-info/requires.txt": "right\n",
        "real.egg-info/top_level.txt": "real\n",
    }
    found = metadata_of(tmp_path, files)
    assert (found.requires, found.top_level) == (("right",), ("real",))


def test_modules_that_no_statement_can_import_are_no_part_of_a_draft(tmp_path):
    files = {
        "pkg/__init__.py": "",
        "pkg/ok.py": "def g():\n    return 2\n",
        "pkg/0001_first.py": "def f():\n    return 1\n",
        "pkg/foo-bar.py": "def f():\n    return 1\n",
        "pkg/lambda.py": "def f():\n    return 1\n",
    }
    metadata = metadata_of(tmp_path, files)
    imports, surface = drafting._surface(tmp_path, tuple(sorted(files)), metadata, (), "pkg 1.0")
    assert imports == ("pkg.ok",)
    assert [entry.name for entry in surface.entries] == ["pkg.ok.g"]


def test_equal_requirements_in_other_letters_have_one_order():
    """A set's order follows the hash seed: `Pytest` and `pytest` are alike but for their letters."""
    assert drafts.requirements(release(requires=("Pytest", "PYTEST", "pytesT"))) == (
        "hypothesis\nmemray\nPYTEST\nPytest\npytesT\npytest\n"
    )


def test_unknown_requirements_are_marked_and_tools_are_there():
    assert drafts.requirements(release(requires=("zope", "Attrs>=1"))) == "Attrs>=1\nhypothesis\nmemray\npytest\nzope\n"
    (last,) = [line for line in drafts.requirements(release(requires=None)).splitlines() if MARK in line]
    assert last.startswith("# ")


def test_the_surface_is_ascii_safe_json():
    text = drafts.files_of(release())["surface.json"]
    assert json.loads(text)["entries"][1]["summary"] == 'Says """quote""" \\ and more[0m'
