"""The recipes of `tests/repos` give the same files each time, and what they promise exists."""

import ast
import importlib.util
import json
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _load(path):
    spec = importlib.util.spec_from_file_location("subject_repos_make", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


make = _load(ROOT / "tests" / "repos" / "make.py")
SUBJECTS = make.subjects()
LOCAL = [subject for subject in SUBJECTS if not subject.needs_reference]


def _files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("subject", LOCAL, ids=lambda subject: subject.name)
def test_a_subject_is_the_same_each_time_and_says_what_it_is(subject, tmp_path):
    first = _files(make.build(subject, tmp_path / "a"))
    second = _files(make.build(subject, tmp_path / "b"))
    assert first == second
    assert first["README.md"].strip()
    assert sum(map(len, first.values())) < 100_000


def test_names_of_failing_tests_exist_in_the_suites():
    known = {}
    for subject in SUBJECTS:
        if subject.task not in known:
            task = ROOT / "baselines" / subject.task
            known[subject.task] = {
                f"{path.relative_to(task)}::{node.name}"
                for path in task.glob("suites/functional/test_*.py")
                for node in ast.parse(path.read_text(encoding="utf-8")).body
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
            }
        failing = subject.expected.get("failing", [])
        if failing != "all":
            assert set(failing) <= known[subject.task], subject.name


def test_expectations_use_known_keys_and_dimensions():
    keys = {"failing", "import", "score", "below_reference", "like_reference", "findings", "zero", "like"}
    dimensions = {"maintainability", "security", "robustness", "efficiency", "resource"}
    names = {subject.name for subject in SUBJECTS}
    for subject in SUBJECTS:
        expected = subject.expected
        assert set(expected) <= keys, subject.name
        for key in ("score", "below_reference", "like_reference", "zero"):
            assert set(expected.get(key, ())) <= dimensions, subject.name
        assert expected.get("like", subject.name) in names


@pytest.mark.parametrize("kind", ["bodiless", "constant", "echo", "raising"])
@pytest.mark.parametrize("task", ["cachetools", "python-slugify", "xmltodict"])
def test_stubs_define_every_entry_of_the_surface(task, kind, tmp_path):
    make.write_stubs(task, kind, tmp_path)
    entries = json.loads((ROOT / "baselines" / task / "surface.json").read_text(encoding="utf-8"))["entries"]
    defined = set()
    for path in tmp_path.rglob("*.py"):
        module = ".".join(path.relative_to(tmp_path).with_suffix("").parts).removesuffix(".__init__")
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                defined.add(f"{module}.{node.name}")
            elif isinstance(node, ast.Assign):
                defined.add(f"{module}.{node.targets[0].id}")
            if isinstance(node, ast.ClassDef):
                defined |= {f"{module}.{node.name}.{item.name}" for item in node.body if hasattr(item, "name")}
    assert {entry["name"] for entry in entries} <= defined


INDEPENDENT = ROOT / "tests" / "repos" / "independent"
IMPLEMENTED = sorted(folder.name for folder in INDEPENDENT.iterdir() if folder.is_dir())


@pytest.mark.parametrize("task", IMPLEMENTED)
def test_an_independent_implementation_has_the_imported_names_and_a_readme(task):
    folder = INDEPENDENT / task
    header = tomllib.loads((ROOT / "baselines" / task / "task.toml").read_text(encoding="utf-8"))
    tops = {name.partition(".")[0] for name in header["surface"]["imports"]}
    assert all((folder / top).is_dir() or (folder / f"{top}.py").is_file() for top in tops)
    assert (folder / "README.md").read_text(encoding="utf-8").strip()
    assert sum(path.stat().st_size for path in folder.rglob("*.py")) < 200_000


def test_outcomes_of_independent_implementations_name_what_exists():
    outcomes = tomllib.loads((INDEPENDENT / "outcomes.toml").read_text(encoding="utf-8"))["outcome"]
    for outcome in outcomes:
        assert set(outcome) - {"open", "gone"} == {"task", "test", "whose", "why", "mended"}, outcome
        assert outcome.get("open", True) is outcome.get("gone", True) is True
        assert outcome["whose"] in {"implementation", "suite", "requirement"}
        assert outcome["task"] in IMPLEMENTED
        kind, _, name = outcome["test"].rpartition(" ")
        probes = ROOT / "probes" / outcome["task"]
        if kind == "workload":
            assert f'id = "{name}"' in (probes / "workloads.py").read_text(encoding="utf-8"), outcome
        elif kind == "probe":
            is_frozen = f'"id": "{name}"' in (probes / "manifest.json").read_text(encoding="utf-8")
            assert is_frozen is not outcome.get("gone", False), outcome
        elif name.startswith("prop_"):
            assert f"def {name}(" in (probes / "probes.py").read_text(encoding="utf-8"), outcome
        elif name != "doubt":
            file, _, function = name.partition("::")
            source = (ROOT / "baselines" / outcome["task"] / file).read_text(encoding="utf-8")
            assert f"def {function.partition('[')[0]}(" in source, outcome


def test_a_reference_recipe_asks_for_the_reference(tmp_path):
    subject = next(subject for subject in SUBJECTS if subject.needs_reference)
    with pytest.raises(ValueError, match="give its folder"):
        make.build(subject, tmp_path / "a")


def test_an_edit_that_does_not_find_its_place_is_an_error(tmp_path):
    file = tmp_path / "a.py"
    file.write_text("x = 1\nx = 1\n", encoding="utf-8")
    with pytest.raises(ValueError, match="2 times"):
        make.replace(file, "x = 1", "x = 2")
