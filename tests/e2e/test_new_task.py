"""A task of one's own, from a release on an index to a validated task: `qualityscore tasks new` and `validate`."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from qualityscore.cli import main
from qualityscore.drafting import draft
from qualityscore.runtime.tasks import load_task, task_ids
from release_index import serve

ROOT = Path(__file__).resolve().parents[2]
FINISHED = ROOT / "tests" / "data" / "own_task"
MARK = "UNFINISHED:"
PACKAGE = {
    "setup.py": "open({built!r}, 'w')\n",
    "src/thing/__init__.py": '''"""A thing."""

try:
    open({imported!r}, "w")
except OSError:
    pass

LIMIT = 3


class ThingError(Exception):
    """A thing cannot be made."""


def double(number, *, times=2):
    """Twice a number."""
    return number * times


def undocumented(a, b=1):
    return a + b


def _hidden():
    return 0
''',
    "src/thing/shapes.py": '''class Square:
    """A square."""

    def __init__(self, side):
        self.side = side

    def area(self):
        """The square of its side."""
        return self.side**2
''',
    "src/thing/optional.py": "import no_such_module_anywhere\n\n\ndef wish():\n    return no_such_module_anywhere\n",
    "src/thing/tests/test_thing.py": "def test_double():\n    pass\n",
    "tests/conftest.py": "def helper():\n    pass\n",
}
METADATA = (
    "Summary: Things that are made\nRequires-Python: >=3.9,<4\n"
    'Requires-Dist: aide>=1\nRequires-Dist: never; extra == "all"\n'
)


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """Our own index: wheels for the lock, and releases of every sort."""
    folder = tmp_path_factory.mktemp("index")
    made, server = serve(folder)
    for tool in ("hypothesis", "memray", "pytest", "aide"):
        made.wheel(tool, "1.0")
    plain = {"plain.py": "def f():\n    return 5\n"}
    made.wheel("wheelonly", "2.0")
    made.sdist("partly", "1.0", plain)
    made.wheel("partly", "1.1")
    made.sdist("old", "1.0", plain, metadata="Requires-Python: <3.9\n")
    made.sdist("nothing", "1.0", {"README": "no code"})
    made.sdist("nameless", "1.0", {"nameless.py": "_x = 1\n"})
    made.sdist("compiled", "1.0", {"compiled.py": "from _compiled import run\n\n\ndef go():\n    return run()\n"})
    made.sdist("needy", "1.0", plain, metadata="Requires-Dist: not-on-this-index\n")
    made.sdist("tampered", "1.0", plain, announced="0" * 64)
    yield made
    server.shutdown()


@pytest.fixture
def desk(index, tmp_path, monkeypatch):
    """A working folder whose caches are its own and whose index is ours."""
    folder = tmp_path / "desk"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("UV_DEFAULT_INDEX", index.url)
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))
    monkeypatch.setenv("QUALITYSCORE_CACHE", str(tmp_path / "cache"))
    return folder


def functions(path):
    return [node.name for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)]


def test_a_release_becomes_a_draft_that_validation_refuses_part_by_part(index, desk, tmp_path, capsys):
    places = {"built": str(tmp_path / "built"), "imported": str(tmp_path / "imported")}
    files = {name: re.sub(r"\{(\w+)!r\}", lambda m: repr(places[m[1]]), text) for name, text in PACKAGE.items()}
    digest = index.sdist("thing", "1.2.0", files, metadata=METADATA)
    assert main(["tasks", "new", "thing==1.2.0"]) == 0
    said = capsys.readouterr()
    assert "left out: thing.optional cannot be imported here" in said.err
    assert "qualityscore tasks validate ./thing" in said.out
    assert not [name for name, place in places.items() if Path(place).exists()], "the release was executed here"
    assert [path.name for path in desk.iterdir()] == ["thing"]

    task = load_task(str(desk / "thing"))
    assert task.spec.reference.model_dump(exclude_none=True) == {
        "distribution": "thing",
        "version": "1.2.0",
        "sdist_sha256": digest,
    }
    assert task.spec.environment.python == "<4,>=3.11"
    assert task.spec.surface.imports == ["thing", "thing.shapes"]
    assert {entry.name: (entry.kind, entry.signature) for entry in task.surface.entries} == {
        "thing.LIMIT": ("constant", None),
        "thing.ThingError": ("exception", task.surface.entries[1].signature),
        "thing.double": ("function", "(number, *, times=2)"),
        "thing.undocumented": ("function", "(a, b=1)"),
        "thing.shapes.Square": ("class", "(side)"),
        "thing.shapes.Square.area": ("method", "(self)"),
    }
    assert (task.folder / "requirements.in").read_text() == "aide>=1\nhypothesis\nmemray\npytest\n"
    lock = (task.folder / "requirements.lock").read_text()
    assert re.findall(r"(?m)^(\S+) \\$", lock) == ["aide==1.0", "hypothesis==1.0", "memray==1.0", "pytest==1.0"]
    assert lock.count("--hash=sha256:") == 4
    assert "://" not in lock
    assert "127.0.0.1" not in lock
    suites = task.folder / "suites" / "functional"
    assert functions(suites / "test_thing.py") == ["test_double", "test_undocumented"]
    assert functions(suites / "test_thing_shapes.py") == ["test_square", "test_square_area"]
    assert "test_thing_thing_error_is_raised" in functions(suites / "test_errors.py")

    assert main(["tasks", "validate", "thing"]) == 2
    refused = capsys.readouterr()
    listed = re.findall(r"(?m)^unfinished: (\S+?):(\d+): (\S.*)$", refused.out)
    marked = {
        (str(path.relative_to(desk)), number)
        for path in (desk / "thing").rglob("*")
        if path.is_file()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if MARK in line
    }
    assert {(path, int(number)) for path, number, _ in listed} == marked
    assert len(listed) == len(marked) == refused.out.count("\n")
    assert f"QS-121: The task thing has {len(marked)} unfinished parts" in refused.err
    for part in ("task.toml", "requirement.md", "surface.json", "probes/probes.py", "probes/workloads.py"):
        assert f"unfinished: thing/{part}:" in refused.out


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["nosuchname==1.0"], "QS-125", "offers no release of a project 'nosuchname'; check its name"),
        (["partly==7"], "QS-125", "has no release 7; the latest source releases are 1.0"),
        (["partly==1.1"], "QS-125", "as a wheel only and a task needs a source release; the latest source releases"),
        (["wheelonly==2.0"], "QS-125", "is released as a wheel only and a task needs a source release; none"),
        (["old==1.0"], "QS-125", "needs Python <3.9, this is 3."),
        (["nothing==1.0"], "QS-125", "holds no Python package or module"),
        (["nameless==1.0"], "QS-125", "No public name can be read"),
        (["compiled==1.0"], "QS-125", "cannot be imported from its sources: "),
        (["partly==1.0", "--import", "whole"], "QS-101", "has no module 'whole'; it has plain"),
        (["partly"], "QS-101", "does not pin a release"),
        (["partly==1.*"], "QS-101", "does not pin a release"),
        (["partly>=1.0"], "QS-101", "is more than a name and a version"),
        (["../partly==1"], "QS-101", "does not pin a release"),
        (["partly==1.0", "--into", "full"], "QS-160", "is not empty"),
        (["partly==1.0", "--into", "file"], "QS-160", "is not a folder"),
        (["partly==1.0", "--into", "no/such"], "QS-160", "does not exist; make it first"),
        (["needy==1.0"], "QS-320", "not-on-this-index"),
        (["tampered==1.0"], "QS-330", f"its index announces {'0' * 64}"),
    ],
)
def test_what_no_task_can_be_made_of_gets_a_sentence_and_leaves_nothing(desk, capsys, words, code, sentence):
    (desk / "full").mkdir()
    (desk / "full" / "mine.txt").write_text("mine")
    (desk / "file").write_text("")
    before = sorted(path.relative_to(desk) for path in desk.rglob("*"))
    assert main(["tasks", "new", *words]) == (3 if code >= "QS-300" else 2)
    said = capsys.readouterr()
    assert said.err.splitlines()[-1].startswith(f"error {code}: ")
    assert sentence in said.err.splitlines()[-1]
    assert said.out == ""
    assert sorted(path.relative_to(desk) for path in desk.rglob("*")) == before


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/simple/", "broken"], ids=["nobody listens", "it answers 503"])
def test_an_index_that_cannot_be_asked_is_no_unknown_name(index, desk, capsys, monkeypatch, url):
    monkeypatch.setenv("UV_DEFAULT_INDEX", index.broken_url if url == "broken" else url)
    assert main(["tasks", "new", "partly==1.0"]) == 3
    assert "error QS-330" in capsys.readouterr().err
    assert list(desk.iterdir()) == []


def test_interrupted_it_leaves_nothing(desk):
    def say(line):
        if "sandbox" in line:  # the files are written by then
            assert [path.name[:14] for path in desk.iterdir()] == [".qualityscore-"]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        draft("partly==1.0", None, unsafe=False, say=say)
    assert list(desk.iterdir()) == []


def test_modules_can_be_named_and_a_name_of_a_bundled_task_is_no_obstacle(index, desk, capsys):
    index.sdist("cachetools", "0.1", {"cachetools/__init__.py": "A = 1\n", "cachetools/keys.py": "def f(): return 5\n"})
    assert main(["tasks", "new", "cachetools==0.1", "--import", "cachetools.keys"]) == 0
    task = load_task("./cachetools")
    assert (task.spec.reference.version, task.spec.surface.imports) == ("0.1", ["cachetools.keys"])
    assert [entry.name for entry in task.surface.entries] == ["cachetools.keys.f"]
    assert "qualityscore tasks validate ./cachetools" in capsys.readouterr().out


def test_no_snapshot_is_taken_of_an_unfinished_task(desk, capsys):
    assert main(["tasks", "new", "partly==1.0"]) == 0
    assert main(["baseline", "partly", "-o", "s.json"]) == 2
    assert "error QS-121: The task partly has " in capsys.readouterr().err
    assert not (desk / "s.json").exists()


def test_several_tasks_end_in_a_table_and_the_worst_decides(desk, capsys):
    assert main(["tasks", "new", "partly==1.0"]) == 0
    capsys.readouterr()
    assert main(["tasks", "validate", "partly", "no-such-task"]) == 2
    table = capsys.readouterr().out.rpartition("\n\ntask ")[2].splitlines()
    assert re.match(r"partly +unfinished +\d+ +[1-9]\d+ +partly/task.toml:2: say", table[1])
    (unknown,) = [line for line in table if line.startswith("no-such-task")]  # a narrow table wraps the row above
    assert re.match(r"no-such-task +not measured +0 +1 +QS-120", unknown)
    assert table[-1] == "0 of 2 tasks are valid"


@pytest.mark.parametrize("words", [[], ["--all", "cachetools"]])
def test_either_tasks_are_named_or_all_are_asked_for(words, capsys):
    assert main(["tasks", "validate", *words]) == 2
    assert "not both" in capsys.readouterr().err


def test_all_names_tasks_without_manifest_or_snapshot_as_unfinished(tmp_path):
    """The bundled tasks of a copy of the program: one lacks its manifest, one its snapshot."""
    ignore = shutil.ignore_patterns("__pycache__", "baseline-*.json")
    shutil.copytree(ROOT / "qualityscore", tmp_path / "qualityscore", ignore=ignore)
    for name in ("cachetools", "xmltodict"):
        for part in ("baselines", "probes"):
            shutil.copytree(ROOT / part / name, tmp_path / part / name, ignore=ignore)
    (tmp_path / "probes" / "xmltodict" / "manifest.json").unlink()
    done = subprocess.run(
        [sys.executable, "-m", "qualityscore.cli", "tasks", "validate", "--all"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2, done.stderr
    minor = f"3.{sys.version_info.minor}"
    file = f"baselines/cachetools/baseline-{minor}.json"
    assert f"unfinished: {file}: take it with: qualityscore baseline cachetools -o {tmp_path}/{file}\n" in done.stdout
    build = "build it with: qualityscore probes build xmltodict"
    assert f"unfinished: probes/xmltodict/manifest.json: {build}\n" in done.stdout
    assert done.stdout.endswith("\n0 of 2 tasks are valid\n")


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_package_that_is_not_bundled_becomes_a_validated_task(tmp_path, monkeypatch, capsys):
    """The way of the how-to with a real release of the configured index; what a person writes lies in `FINISHED`."""
    assert "inflection" not in task_ids()
    monkeypatch.chdir(tmp_path)
    assert main(["tasks", "new", "inflection==0.5.1"]) == 0
    folder = tmp_path / "inflection"
    drafted = [entry["name"] for entry in json.loads((folder / "surface.json").read_text())["entries"]]
    kept = [entry["name"] for entry in json.loads((FINISHED / "surface.json").read_text())["entries"]]
    assert sorted({*drafted} - {*kept}) == ["inflection.PLURALS", "inflection.SINGULARS", "inflection.UNCOUNTABLES"]
    assert {*kept} <= {*drafted}
    tests = folder / "suites" / "functional" / "test_inflection.py"
    assert functions(tests) == functions(FINISHED / "suites" / "functional" / "test_inflection.py")

    shutil.copytree(FINISHED, folder, dirs_exist_ok=True)
    header = (folder / "task.toml").read_text()
    assert header.count(MARK) == 4
    header = re.sub(r"(?m) *# UNFINISHED:.*$", "", header).replace('"utilities"', '"text"')
    (folder / "task.toml").write_text(header.replace("exceptions = []", 'exceptions = ["ValueError"]'))
    capsys.readouterr()
    assert main(["tasks", "validate", "inflection"]) == 2
    assert capsys.readouterr().out == (
        f"unfinished: inflection/probes/manifest.json: build it with: qualityscore probes build {folder}\n"
    )
    assert main(["probes", "build", "inflection"]) == 0
    snapshot = f"inflection/baseline-3.{sys.version_info.minor}.json"
    assert main(["baseline", "inflection", "-o", snapshot]) == 0
    assert main(["tasks", "validate", "inflection"]) == 0
    assert capsys.readouterr().out.endswith("the task is valid\n")
