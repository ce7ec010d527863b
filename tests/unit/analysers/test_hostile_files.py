"""Odd, huge and hostile files: each ends in facts or in an error of its own, its neighbours are untouched."""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import pickle
import socket
from pathlib import Path
from types import ModuleType

import pytest

from qualityscore.analysers.documents import document
from qualityscore.analysers.facts import ModuleFact
from qualityscore.analysers.gather import gather
from qualityscore.analysers.packing import pack, unpack, unpacked
from qualityscore.analysers.repository import read_repository

GOOD = "class A:\n    x = 1\n    def f(self):\n        return self.x\n"

ODD: dict[str, bytes] = {
    "bom.py": b"\xef\xbb\xbf" + GOOD.encode(),
    "cookie.py": b"# coding: latin-1\nx = '\xe9'\n" + GOOD.encode(),
    "crlf.py": GOOD.replace("\n", "\r\n").encode(),
    "form_feed.py": b"\x0c\n" + GOOD.encode(),
    "pluses.py": b"x = " + b"+" * 3000 + b"1\n" + GOOD.encode(),
    "sum.py": b"x = 1\ny = " + b" + ".join([b"x"] * 5000) + b"\n" + GOOD.encode(),
    "elif.py": b"def g(a):\n    if a:\n        pass\n"
    + b"".join(b"    elif a == %d:\n        a.b = %d\n" % (i, i) for i in range(2000))
    + GOOD.encode(),
    "attributes.py": b"x = y" + b".z" * 2000 + b"\n" + GOOD.encode(),
    "calls.py": b"x = f" + b"()" * 2000 + b"\n" + GOOD.encode(),
    "lambdas.py": b"x = " + b"lambda: " * 2000 + b"1\n" + GOOD.encode(),
    "long.py": b"".join(b"def f%d(a):\n    return a\n" % i for i in range(10_000)) + GOOD.encode(),
    "tabs.py": b"def g(a):\n\tif a:\n\t    return a\n\treturn 0\n" + GOOD.encode(),
}

UNREADABLE: dict[str, bytes] = {
    "brackets.py": b"x = " + b"[" * 3000 + b"]" * 3000 + b"\n",
    "nulls.py": b"x = 1\0\n",
    "latin.py": b"x = '\xe9'\n",
    "unknown_cookie.py": b"# coding: klingon\n",
    "python2.py": b"print 'x'\n",
    "syntax.py": b"def f(:\n",
    "surrogate_cookie.py": b"# coding: rot13\nx = 1\n",
}


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ModuleFact]:
    root = tmp_path_factory.mktemp("odd")
    for name, content in (ODD | UNREADABLE).items():
        (root / name).write_bytes(content)
    return {f.path: f for f in gather(root, sorted(ODD | UNREADABLE))}


@pytest.mark.parametrize("name", sorted(ODD))
def test_an_odd_file_is_read_to_its_end_or_reported(facts: dict[str, ModuleFact], name: str) -> None:
    fact = facts[name]
    if fact.error is None:
        assert [c.name for c in fact.classes] == ["A"]
        assert [r.name for m in fact.classes[0].methods for r in m.reads] == ["x"]
    else:
        assert "deep" in fact.error or "complex" in fact.error


@pytest.mark.parametrize("name", ["bom.py", "cookie.py", "crlf.py", "form_feed.py", "elif.py", "long.py", "tabs.py"])
def test_what_the_interpreter_runs_is_read(facts: dict[str, ModuleFact], name: str) -> None:
    assert facts[name].error is None


@pytest.mark.parametrize("name", sorted(UNREADABLE))
def test_what_cannot_be_read_says_why_and_where(facts: dict[str, ModuleFact], name: str) -> None:
    assert facts[name].error
    assert facts[name].error_line >= 1
    assert facts[name].error_column >= 1


def test_a_file_that_outlasts_its_time_costs_only_itself(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(GOOD)
    (tmp_path / "heavy.py").write_text("x = [\n" + "    {'key': [1, 2, 3]},\n" * 150_000 + "]\n")
    (tmp_path / "z.py").write_text(GOOD)
    light, heavy, last = gather(tmp_path, ["a.py", "heavy.py", "z.py"], cpu_s=0.6)
    assert light.error is None
    assert last.error is None
    assert heavy.error is not None
    assert "time limit" in heavy.error


def test_special_files_are_reported_and_never_opened(tmp_path: Path) -> None:
    (tmp_path / "ok.py").write_text(GOOD)
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "loop.py").symlink_to("loop.py")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "folder.py" / "inner.py").write_text(GOOD)
    here = Path.cwd()
    os.chdir(tmp_path)
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("socket.py")
    finally:
        os.chdir(here)
    (tmp_path / os.fsdecode(b"n\xff\nm.py")).write_text(GOOD + "    def g(self):\n        return self.y\n")
    found = document(read_repository(tmp_path), ("fields",))
    json.dumps(found).encode()
    assert found["files"] == 3
    places = {(f["path"], f["code"]) for f in found["findings"]}
    assert {("pipe.py", "QSA001"), ("loop.py", "QSA001"), ("socket.py", "QSA001")} <= places
    assert ("n\\xff\nm.py", "QSF001") in places


def test_a_package_on_top_of_standard_names_does_not_confuse_the_reader(tmp_path: Path) -> None:
    for name in ("ast.py", "json.py", "dataclasses.py", "typing.py", "re.py", "qualityscore.py", "sitecustomize.py"):
        (tmp_path / name).write_text("raise SystemExit('subject code ran')\n" + GOOD)
    found = document(read_repository(tmp_path), ("fields",))
    assert found["findings"] == []
    assert found["summary"]["judged"] == 7


def test_only_facts_come_out_of_a_worker() -> None:
    fact = ModuleFact(path="a.py", strings=frozenset({"x"}))
    assert unpack(pack(fact)).strings == frozenset({"x"})
    for hostile in (os.getcwd, print, pickle.Unpickler):
        packed = base64.b64encode(pickle.dumps(hostile)).decode()
        with pytest.raises(pickle.UnpicklingError):
            unpack(packed)
        assert unpacked(packed) is None


class _Call:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("true",)


def test_a_packed_call_is_not_made() -> None:
    with pytest.raises(pickle.UnpicklingError):
        unpack(base64.b64encode(pickle.dumps(_Call())).decode())


def odd_corpus() -> ModuleType:
    place = Path(__file__).resolve().parents[2] / "repos" / "odd" / "make_odd.py"
    spec = importlib.util.spec_from_file_location("make_odd", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_file_of_the_odd_corpus_is_measured_or_reported(tmp_path: Path) -> None:
    fates = odd_corpus().make(tmp_path)
    found = document(read_repository(tmp_path))
    reported = {f["path"] for f in found["findings"] if f["code"] == "QSA001"}
    for path, fate in fates.items():
        name = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        if fate == "measured":
            assert name not in reported
        elif fate in ("refused", "unparsable") and path.endswith(".py") and path != "pluses.py":
            # 3,000 unary pluses are too much for other tools; the parser in a worker has the stack for them
            assert name in reported


def test_very_many_small_files_are_all_measured(tmp_path: Path) -> None:
    odd_corpus().make_tiny(tmp_path, 2000)
    found = document(read_repository(tmp_path), ("layers",))
    assert found["files"] == found["sloc"] == found["summary"]["modules"] == 2000
