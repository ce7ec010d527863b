"""Every bundled task holds what a task must hold, as far as that can be seen without running a subject."""

import ast
import importlib.util
import marshal
import re
import sys

import pytest

from qualityscore.runtime.tasks import load_task, task_ids


def _functions(path, prefix):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith(prefix)]


def _workloads(path):
    spec = importlib.util.spec_from_file_location(f"workloads_of_{path.parent.name.replace('-', '_')}", path)
    module = importlib.util.module_from_spec(spec)
    before = set(sys.modules)
    spec.loader.exec_module(module)
    return module.WORKLOADS, {name.partition(".")[0] for name in set(sys.modules) - before}


@pytest.fixture(params=task_ids())
def task(request):
    return load_task(request.param)


def test_the_suite_has_enough_tests_in_enough_categories(task):
    files = task.suite_files("functional")
    names = {path.name: [node.name for node in _functions(path, "test_")] for path in files}
    assert len(files) >= 5
    assert sum(map(len, names.values())) >= 30
    assert all(len(set(tests)) == len(tests) > 0 for tests in names.values())


def test_surface_entries_are_unique_and_below_the_imports(task):
    entries = task.surface.entries
    imports = task.spec.surface.imports
    names = [entry.name for entry in entries]
    assert len(set(names)) == len(names)
    assert all(any(name.startswith(module + ".") for module in imports) for name in names)
    assert all(entry.summary for entry in entries)
    for entry in entries:
        if entry.signature is not None:
            ast.parse(f"def f{entry.signature}: pass")


def test_properties_state_their_claim(task):
    properties = [node for path in task.suite_files("robustness") for node in _functions(path, "prop_")]
    assert len(properties) >= 8
    assert all(ast.get_docstring(node) for node in properties)
    assert all(any("given" in ast.unparse(item) for item in node.decorator_list) for node in properties)


def test_workload_inputs_are_plain_and_the_same_each_time(task):
    (path,) = task.suite_files("cost")
    workloads, loaded = _workloads(path)
    assert len(workloads) >= 4
    assert len({workload.id for workload in workloads}) == len(workloads)
    assert any(getattr(workload, "holds_mib", 0) >= 20 for workload in workloads)
    assert not loaded & {module.partition(".")[0] for module in task.spec.surface.imports}
    for workload in workloads:
        for size in (1, workload.n):
            assert marshal.dumps(workload.setup(size)) == marshal.dumps(workload.setup(size))


def test_the_lock_pins_hashes_and_names_no_index(task):
    text = (task.folder / task.spec.environment.lock).read_text(encoding="utf-8")
    pinned = re.findall(r"(?m)^([a-z0-9._-]+)==\S+", text)
    assert {"pytest", "hypothesis", "memray"} <= set(pinned)
    assert all("--hash=sha256:" in block for block in re.split(r"(?m)^(?=[a-z0-9._-]+==)", text)[1:])
    assert "://" not in text


def test_the_requirement_names_every_function_and_class(task):
    text = (task.folder / "requirement.md").read_text(encoding="utf-8")
    missing = {
        entry.name
        for entry in task.surface.entries
        if entry.kind in ("function", "class")
        and not re.search(rf"\b{re.escape(entry.name.rpartition('.')[2])}\b", text)
    }
    assert missing == set()
