"""The analyze command from its arguments to its documents and exit status."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

import pytest

from qualityscore.branch.project import read_project
from qualityscore.branch.settings import ProductionSpec
from qualityscore.branch.state import read_code
from qualityscore.commands.analyze import add_parser
from qualityscore.errors import (
    InputError,
    MissingSubjectError,
    OutputError,
    QualityScoreError,
    SubjectError,
    UsageError,
)
from qualityscore.languages.python_production import scan_tree
from qualityscore.model.measure import Measured
from qualityscore.runtime.target import Tree

FINDING_KEYS = {"code", "severity", "path", "line", "column", "class", "name", "message", "suggestion"}

SESSION = """class Session:
    def __init__(self, session_id):
        self._session_id = session_id

    def describe(self):
        return f"session {self.session_id}"
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUALITYSCORE_CACHE", str(tmp_path / "cache"))


def analyze(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    args = parser.parse_args(["analyze", *arguments])
    return int(args.run(args))


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    capsys.readouterr()
    assert analyze(*arguments, "--json", "-") == 0
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    (root / "pkg").mkdir(parents=True)
    (root / "tests").mkdir()
    (root / "pkg" / "__init__.py").write_text("from .session import Session\nfrom . import b\n")
    (root / "pkg" / "session.py").write_text(SESSION)
    (root / "pkg" / "b.py").write_text("from . import c\ndef f(a):\n    return undefined_name\n")
    (root / "pkg" / "c.py").write_text("from .b import f\ndef g():\n    return f()\ndef stub(a): pass\n")
    (root / "tests" / "test_a.py").write_text("class T:\n    def f(self):\n        return self.nothing\n")
    return root


def test_fields_finds_the_model_case_and_says_what_was_meant(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = document(capsys, "fields", str(repository))
    (finding,) = [f for f in found["findings"] if f["code"] == "QSF001"]
    assert set(finding) == FINDING_KEYS
    assert (finding["path"], finding["line"], finding["column"]) == ("pkg/session.py", 6, 32)
    assert (finding["class"], finding["name"]) == ("Session", "session_id")
    assert finding["suggestion"] == "did you mean self._session_id?"
    assert found["summary"]["reads"] == found["summary"]["judged"] == 1


def test_layers_gives_classes_and_their_centres(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # By hand: a -> b -> c is 3 layers; the cycle d <-> e condenses to one, called by f: 2; no calls: 1.
    (tmp_path / "m.py").write_text(
        "class Chain:\n"
        "    def __init__(self): self.a()\n"
        "\n"
        "    def a(self): return self.b()\n"
        "    def b(self): return self.c\n"
        "    def c(self): return 1\n"
        "\n\n"
        "class Ring:\n"
        "    # a comment counts\n"
        "    def d(self): return self.e()\n"
        "    def e(self): return self.d()\n"
        "    def f(self):\n"
        "\n"
        "        return [self.d() for _ in 'ab']\n"
        "class Alone:\n"
        "    @property\n"
        "    def x(self): return self._x\n"
        "    @x.setter\n"
        "    def x(self, v): self._x = v\n"
    )
    found = document(capsys, "layers", str(tmp_path))
    figures = {c["name"]: (c["layers"], c["methods"], c["loc"]) for c in found["classes"]}
    assert figures == {"Chain": (3, 4, 5), "Ring": (2, 3, 6), "Alone": (1, 1, 5)}
    assert found["summary"]["layers"] == {"mean": 2.0, "median": 2.0}
    assert found["summary"]["methods"] == {"mean": pytest.approx(8 / 3), "median": 3.0}
    assert found["summary"]["loc"] == {"mean": pytest.approx(16 / 3), "median": 5.0}
    chain = next(c for c in found["classes"] if c["name"] == "Chain")
    assert chain["calls"] == {"__init__": ["a"], "a": ["b"]}
    assert chain["bottom_up"].index("b") < chain["bottom_up"].index("a") < chain["bottom_up"].index("__init__")
    assert chain["top_down"] == chain["bottom_up"][::-1]


def test_state_edges_lead_from_readers_to_writers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.py").write_text(
        "class A:\n    def __init__(self):\n        self.n = 0\n    def add(self):\n        self.n += 1\n"
        "    def get(self):\n        return self.n\n"
    )
    (one,) = document(capsys, "layers", str(tmp_path))["classes"]
    edges = {(e["reader"], e["writer"], e["attribute"]) for e in one["state"]}
    assert edges == {("add", "__init__", "n"), ("get", "__init__", "n"), ("get", "add", "n")}
    assert one["layers"] == 1


def test_layers_shows_the_import_graph(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "layers", str(repository))
    modules = {m["name"]: m for m in found["modules"]}
    assert modules["pkg"]["imports"] == ["pkg.b", "pkg.session"]
    assert (modules["pkg"]["layers"], modules["pkg.b"]["layers"], modules["pkg.session"]["layers"]) == (2, 1, 1)
    assert (modules["pkg.b"]["fan_in"], modules["pkg.b"]["fan_out"]) == (2, 1)
    assert found["cycles"] == [{"modules": ["pkg.b", "pkg.c"], "shortest": ["pkg.b", "pkg.c"]}]


def test_an_order_file_turns_upward_imports_into_findings(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    order = tmp_path / "order"
    order.write_text("pkg.session  # top\npkg.c\npkg.b\n")
    found = document(capsys, "layers", str(repository), "--order", str(order))
    assert [(f["path"], f["name"]) for f in found["findings"] if f["code"] == "QSL002"] == [("pkg/b.py", "pkg.c")]


def test_names_of_an_order_that_match_nothing_are_said_with_what_was_meant(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    order = tmp_path / "order"
    order.write_text("nosuch.module\npkg.sesion b\n")
    found = document(capsys, "layers", str(repository), "--order", str(order))
    assert found["unmatched_order"] == [
        {"name": "nosuch.module", "suggestion": None},
        {"name": "pkg.sesion", "suggestion": "pkg.session"},
    ]
    analyze("layers", str(repository), "--order", str(order))
    shown = capsys.readouterr().out
    assert "the order's 'nosuch.module' is no module here: nothing is checked against it\n" in shown
    assert (
        "the order's 'pkg.sesion' is no module here: nothing is checked against it (did you mean pkg.session?)" in shown
    )
    order.write_text("# pkg.b\n\n")
    with pytest.raises(InputError, match=r"as a layer order: it names no module\.$"):
        analyze("layers", str(repository), "--order", str(order))


@pytest.mark.parametrize(
    ("option", "serves"),
    [
        ("--order", {"layers"}),
        ("--import", {"surface"}),
        ("--against", {"surface"}),
        ("--propose", {"surface"}),
        ("--task", {"fields", "surface", "names"}),
        ("--site-packages", {"fields", "surface", "names"}),
    ],
)
def test_an_option_that_the_analyser_has_no_use_for_is_refused_in_one_sentence(
    tmp_path: Path, option: str, serves: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.py").write_text("")
    for analyser in {"layers", "fields", "surface", "names"} - serves:
        with pytest.raises(UsageError) as caught:
            analyze(analyser, str(tmp_path), option, str(tmp_path / "absent" / "x"))
        message = str(caught.value)
        assert message.startswith(f"{option} says nothing to the analyser {analyser}: name ")
        assert all(name in message for name in serves)
        assert message.count(".") == 1
    for served in serves:
        # it is looked at: what it names is not there
        if option == "--import":
            assert document(capsys, served, str(tmp_path), option, "absent.x")["missing_modules"] == ["absent.x"]
            continue
        with pytest.raises(QualityScoreError) as looked:
            analyze(served, str(tmp_path), option, str(tmp_path / "absent" / "x"))
        assert not isinstance(looked.value, UsageError)


def test_hints_stand_with_their_findings_unless_they_are_understood_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    for root, own in ((good, "self"), (bad, "self, extra")):
        root.mkdir()
        (root / "m.py").write_text(f"class A:\n    def f({own}): return [self]\n    def g({own}): return [self]\n")
    analyze("surface", str(bad), "--against", str(good))
    shown = capsys.readouterr().out
    assert shown.count("(the reference's signature is (self))\n") == 2
    assert "hint for" not in shown
    (bad / "m.py").write_text("def f(): pass\ndef g(): pass\n")
    analyze("surface", str(bad))
    assert "hint for 2 findings: implement it, or take it out of the public surface\n" in capsys.readouterr().out


def test_one_of_a_kind_is_counted_in_the_singular(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.py").write_text("class A: pass\n")
    analyze("layers", str(tmp_path))
    shown = capsys.readouterr().out
    assert shown.startswith("0 findings in 1 file, 1 line of code\nlayers: 1 class, mean")
    assert shown.endswith("; 1 module in 1 layer, 0 import cycles\n")
    (tmp_path / "m.py").write_text("import n\n")
    (tmp_path / "n.py").write_text("import m\n")
    analyze("layers", str(tmp_path))
    assert "; 2 modules in 1 layer, 1 import cycle\n" in capsys.readouterr().out


def test_without_an_analyser_all_four_report(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, str(repository))
    assert set(found["analysers"]) == {"layers", "fields", "surface", "names"}
    assert {f["code"] for f in found["findings"]} >= {"QSF001", "QSL001", "QSU001", "QSN001", "QSN006"}
    # test code is read but not reported
    assert {f["path"] for f in found["findings"]} == {"pkg/session.py", "pkg/b.py", "pkg/c.py"}
    assert analyze(str(repository)) == 0
    shown = capsys.readouterr().out
    assert "pkg/session.py:6:32: QSF001" in shown
    assert "1 of 1 read in 1 class judged" in shown


def test_without_an_analyser_the_static_measures_are_there_too(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "pkg" / "b.py").write_text("def f(a):\n    eval(a)  # nosec\n    return undefined_name\n")
    found = document(capsys, str(repository))
    assert found["measures"]["structure.defects"]["value"] > 0
    assert found["measures"]["bandit.risk"]["value"] > 0
    assert [s["path"] for s in found["suppressions"]] == ["pkg/b.py"]
    assert all(set(f) == FINDING_KEYS for f in found["findings"])
    assert ("pkg/b.py", 2) in {(f["path"], f["line"]) for f in found["findings"]}


def test_a_public_function_that_nobody_calls_is_judged_as_evaluate_judges_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mailer").mkdir()
    (tmp_path / "mailer" / "__init__.py").write_text("")
    (tmp_path / "mailer" / "send.py").write_text("def mail(to):\n    return sende(to)\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_send.py").write_text("def helper():\n    return undefined\n")
    measures = document(capsys, str(tmp_path))["measures"]
    # By hand: `def mail ( to ) : return sende ( to )` has 11 tokens, 7 to a line of L; one defect.
    assert measures["structure.defects"]["value"] == pytest.approx(1000 / (11 / 7))
    files = tuple(scan_tree(tmp_path).files)
    tree = Tree(root=tmp_path, import_roots=(), files=files, digest="")
    alone = read_code(tree, read_project(tree), None, production=ProductionSpec())
    values = {name: m.value for name, m in alone.static.measures.items() if isinstance(m, Measured)}
    assert {name: m["value"] for name, m in measures.items()} == values


def test_measures_are_the_same_wherever_the_caller_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "r" / "mailer").mkdir(parents=True)
    (tmp_path / "r" / "mailer" / "__init__.py").write_text("")
    (tmp_path / "r" / "mailer" / "send.py").write_text("def mail(to):\n    return sende(to)\n")
    monkeypatch.chdir(tmp_path / "r")
    # 11 tokens as above, though the path is relative
    assert document(capsys, ".")["measures"]["structure.defects"]["value"] == pytest.approx(1000 / (11 / 7))


def test_what_two_measures_say_in_the_same_words_is_listed_once_and_with_its_severity(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.py").write_text("def f(:\n    pass\n")
    (tmp_path / "b.py").write_text("def g():\n    return [g]\n")  # so that there is judged code
    found = document(capsys, str(tmp_path))["findings"]
    said = [(f["code"], f["message"]) for f in found]
    assert len(set(said)) == len(said)
    # what the analysers leave out, what lowers maintainability, what nobody knows the risk of
    assert sorted(code for code, _ in said) == ["QSA001", "unparsable", "unparsable"]
    analyze("names", str(tmp_path))
    assert "a.py:1:7: QSA001 [high] cannot be analysed" in capsys.readouterr().out


def test_left_out_files_are_named_on_request(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    analyze("names", str(repository), "--left-out")
    assert "left out: tests/test_a.py (test)" in capsys.readouterr().out


SURROGATE = """class A:
    def __init__(self):
        setattr(self, "\\ud800", 1)


def f(x="\\udfff"):
    return [x]
"""


@pytest.mark.parametrize("analyser", [(), ("fields",)], ids=["all", "fields"])
def test_a_lone_surrogate_is_escaped_on_the_terminal_and_in_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], analyser: tuple[str, ...]
) -> None:
    (tmp_path / "m.py").write_text(SURROGATE)
    assert analyze(*analyser, str(tmp_path)) == 0
    assert "m.py:3:23: QSF004 [info] A.\\ud800 is assigned, and" in capsys.readouterr().out.encode("utf-8").decode()
    found = document(capsys, *analyser, str(tmp_path))
    json.dumps(found, ensure_ascii=False).encode("utf-8")  # a surrogate that was written raw comes back as one
    assert [f["name"] for f in found["findings"] if f["code"] == "QSF004"] == ["\\ud800"]


def test_a_proposed_surface_holds_no_lone_surrogate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, proposal = tmp_path / "r", tmp_path / "surface.json"
    root.mkdir()
    (root / "__init__.py").write_text(SURROGATE + "__all__ = ['f', 'g', '\\ud800']\ndef g():\n    '''A \\ud800.'''\n")
    assert analyze("surface", str(root), "--propose", str(proposal)) == 0
    json.dumps(json.loads(proposal.read_text()), ensure_ascii=False).encode("utf-8")
    assert document(capsys, "surface", str(root), "--against", str(proposal))["difference"] == []
    assert analyze("surface", str(root), "--against", str(root)) == 0


def test_nothing_that_is_printed_can_command_a_terminal_or_forge_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, order = tmp_path / "r", tmp_path / "order"
    (root / "tests").mkdir(parents=True)
    hostile = "\u202e\u2028\x1b[2J\x9b1m\r\n\x07"
    forged = "x\x1b]0;T\x07\n/etc/passwd:1:1: B999 forged"
    (root / f"m{hostile}.py").write_text(
        f"class A:\n    def __init__(self):\n        setattr(self, {forged!a}, 1)\n"
        f"\n\ndef f(p, m={hostile!a}):\n    open('/tmp/' + {hostile!a})\n"
        f"    password = {hostile + forged!a}\n    return [password, A, f]\n",
        newline="",
    )
    (root / "tests" / f"test_{hostile}.py").write_text("")
    (root / "tests" / os.fsdecode(b"test_\xff.py")).write_text("")
    order.write_text("a\x1b[2J\x9b.b\n")
    assert analyze(str(root), "--left-out", "--order", str(order), "--import", f"no{hostile}") == 0
    shown = capsys.readouterr().out
    assert [ch for ch in shown.replace("\n", "") if not ch.isprintable()] == []
    lines = shown.split("\n")
    assert [line for line in lines if line.startswith("/etc")] == []
    name = r"\u202e\u2028\x1b[2J\x9b1m  \x07"
    (finding,) = [line for line in lines if "QSF004" in line]
    assert finding.startswith(
        rf"m{name}.py:3:23: QSF004 [info] A.x\x1b]0;T\x07 /etc/passwd:1:1: B999 forged is assigned"
    )
    (secret,) = [line for line in lines if "B105" in line]
    assert name in secret.partition("B105")[2]
    assert f"left out: tests/test_{name}.py (test)" in lines
    assert r"left out: tests/test_\xff.py (test)" in lines
    assert f"  module no{name} is not here" in lines
    assert any(line.startswith("  the order's ") and r"\x1b[2J\x9b.b" in line for line in lines)


def test_surface_proposes_and_compares(repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proposal = tmp_path / "surface.json"
    analyze("surface", str(repository), "--import", "pkg.c", "--propose", str(proposal))
    entries = {e["name"]: e for e in json.loads(proposal.read_text())["entries"]}
    assert entries["pkg.c.g"]["signature"] == "()"
    assert entries["pkg.c.stub"]["bodiless"] is True
    (repository / "pkg" / "c.py").write_text("def g(extra): return extra\ndef new(): return {}\n")
    found = document(capsys, "surface", str(repository), "--import", "pkg.c", "--against", str(proposal))
    assert {(d["name"], d["kind"]) for d in found["difference"]} == {
        ("pkg.c.g", "incompatible"),
        ("pkg.c.stub", "missing"),
        ("pkg.c.new", "extra"),
    }


def test_the_proposed_surface_holds_the_names_that_are_counted_and_no_test_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "r"
    for path, text in {
        "pkg/__init__.py": "from .a import f\n",
        "pkg/a.py": "def f(): return 2\n",
        "pkg/b.py": "y = 1\n",
        # as a shorter import name of production code it must not take that name's place
        "tests/__init__.py": "from pkg.b import y\n",
        "tests/test_a.py": "x = 1\nfrom outside import *\nfrom absent import z\n__all__ = ['x', 'z']\n",
        "examples/show.py": "def show(): return 1\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    proposal = tmp_path / "surface.json"
    found = document(capsys, "surface", str(root))
    analyze("surface", str(root), "--propose", str(proposal))
    assert "surface: 2 public names" in capsys.readouterr().out
    assert [e["name"] for e in json.loads(proposal.read_text())["entries"]] == ["pkg.b.y", "pkg.f"]
    assert [e["name"] for e in found["names"]] == ["pkg.b.y", "pkg.f"]
    assert found["unknown"] == []
    # a folder that stands for the reference is read by the same rule
    bare = tmp_path / "bare"
    (bare / "pkg").mkdir(parents=True)
    (bare / "pkg" / "__init__.py").write_text("")
    assert [d["name"] for d in document(capsys, "surface", str(bare), "--against", str(root))["difference"]] == [
        "pkg.b.y",
        "pkg.f",
    ]


def test_a_single_file_can_be_analysed(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "fields", str(repository / "pkg" / "session.py"))
    assert [f["path"] for f in found["findings"] if f["code"] == "QSF001"] == ["session.py"]
    assert found["files"] == 1


def test_a_part_of_a_package_is_not_blamed_for_what_lies_around_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path, text in {
        "top.py": "import beside\nimport gone_beside\n",
        "beside.py": "",
        "ledger/__init__.py": "",
        "ledger/storage.py": "X = 1\n",
        "ledger/deep/__init__.py": "",
        "ledger/deep/inner.py": "from ..storage import X\nfrom ..gone import Y\n",
        "ledger/models.py": (
            "from .storage import X\nfrom . import deep\nfrom .deep.inner import X\nimport ledger, ledger.storage\n"
            "import ledger.deep.inner, beside\nfrom .gone import Y\n"
        ),
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    def missing(path: str) -> list[str]:
        found = document(capsys, "names", str(tmp_path / path))
        return [f["name"] for f in found["findings"] if f["code"] == "QSN002"]

    assert missing("ledger/models.py") == [".gone"]
    assert missing("ledger") == ["..gone", ".gone"]
    assert missing("ledger/deep") == []  # whether `..gone` exists is not for this folder to say
    assert missing("top.py") == ["gone_beside"]
    analyze("names", str(tmp_path / "ledger" / "models.py"))
    assert "not judged: it lies outside of what was given" in capsys.readouterr().out


def test_site_packages_make_third_party_imports_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site = tmp_path / "site"
    (site / "there").mkdir(parents=True)
    (site / "there" / "__init__.py").write_text("class Base:\n    known = 1\n")
    root = tmp_path / "r"
    root.mkdir()
    (root / "m.py").write_text(
        "import there\nimport absent\nclass A(there.Base):\n    def f(self):\n        return self.known, self.unknown\n"
    )

    def found(*arguments: str) -> set[tuple[str, str]]:
        findings = [f for a in ("fields", "names") for f in document(capsys, a, str(root), *arguments)["findings"]]
        return {(f["code"], f["name"]) for f in findings}

    assert found() == {("QSN002", "there"), ("QSN002", "absent")}
    assert found("--site-packages", str(site)) == {("QSN002", "absent"), ("QSF001", "unknown")}
    (root / "requirements.txt").write_text("Absent_Distribution>=1\n")
    assert found("--site-packages", str(site)) == {("QSF001", "unknown")}
    (site / "absent_distribution-1.0.dist-info").mkdir()
    assert found("--site-packages", str(site)) == {("QSN002", "absent"), ("QSF001", "unknown")}


def test_without_a_named_environment_a_module_that_is_absent_is_a_hint_and_no_defect(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.py").write_text(
        "import os.nowhere\nimport absent\nfrom absent.deep import x\n\n\ndef f():\n    return absent, x\n\n\nf()\n"
    )
    findings = {f["name"]: f for f in document(capsys, "names", str(tmp_path))["findings"]}
    assert [findings[n]["severity"] for n in ("absent", "absent.deep")] == ["info", "info"]
    assert "--task ID or --site-packages DIR" in findings["absent"]["suggestion"]
    analyze(str(tmp_path))
    shown = capsys.readouterr().out
    assert "nor beside qualityscore\n" in shown
    assert "hint for 2 findings: if the project has an environment of its own, name it with --task ID" in shown
    defects = document(capsys, str(tmp_path))["measures"]["structure.defects"]["value"]
    (tmp_path / "site").mkdir()
    named = document(capsys, str(tmp_path), "--site-packages", str(tmp_path / "site"))
    assert {f["severity"] for f in named["findings"] if f["name"] in ("absent", "absent.deep")} == {"medium"}
    assert named["measures"]["structure.defects"]["value"] > defects


def test_a_task_names_the_environment_that_imports_are_judged_by(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # the task's lock has pytest and hypothesis; numpy is installed beside qualityscore only
    (tmp_path / "m.py").write_text("import hypothesis\nimport numpy\n")
    assert document(capsys, "names", str(tmp_path))["findings"] == []
    (finding,) = document(capsys, "names", str(tmp_path), "--task", "xmltodict")["findings"]
    assert (finding["code"], finding["name"], finding["suggestion"]) == ("QSN002", "numpy", None)


def test_a_path_is_taken_from_where_the_caller_stands(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    absolute = document(capsys, "fields", str(repository))
    monkeypatch.chdir(repository.parent)
    monkeypatch.setenv("QUALITYSCORE_CACHE", str(repository.parent / "other-cache"))
    assert document(capsys, "fields", repository.name) == absolute


def test_measures_that_nothing_can_be_said_of_share_one_line_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.py").write_text("def _never_called():\n    return 1\n")
    analyze(str(tmp_path))
    lines = [line for line in capsys.readouterr().out.splitlines() if "not measured" in line]
    assert lines == [
        "index.deficit, complexity.excess, lint.penalty, duplication.share, structure.defects: not measured, "
        "no function is named by other code: there is nothing to judge"
    ]


def test_columns_count_characters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = '        return "äöü€😀", self.größe'
    (tmp_path / "m.py").write_text(f"class A:\n    def f(self):\n{line}\n", encoding="utf-8")
    (finding,) = document(capsys, "fields", str(tmp_path))["findings"]
    assert finding["column"] == line.index("größe") + 1


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["fields", "absent"], MissingSubjectError),
        (["text.txt"], SubjectError),
        (["pipe.py"], SubjectError),
        ([".", "--order", "absent"], InputError),
        ([".", "--against", "text.txt"], InputError),
        ([".", "--site-packages", "absent"], InputError),
        ([".", "--json", "absent/x.json"], OutputError),
        (["a\0b"], MissingSubjectError),
    ],
)
def test_bad_paths_are_one_sentence_and_status_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], error: type[InputError]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("words")
    os.mkfifo("pipe.py")
    with pytest.raises(error) as caught:
        analyze(*arguments)
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("content", [(), ("a.txt",)], ids=["empty", "no-python"])
@pytest.mark.parametrize("analyser", [(), ("names",)], ids=["all", "names"])
def test_a_folder_without_python_is_refused(
    tmp_path: Path, content: tuple[str, ...], analyser: tuple[str, ...]
) -> None:
    for name in content:
        (tmp_path / name).write_text("words")
    with pytest.raises(SubjectError, match=f"{tmp_path}: it holds no Python file; give a folder"):
        analyze(*analyser, str(tmp_path))


def test_a_folder_whose_only_python_file_cannot_be_one_is_reported_not_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    assert [f["code"] for f in document(capsys, "names", str(tmp_path))["findings"]] == ["QSA001"]


def test_an_empty_file_has_no_findings_and_null_centres(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.py").write_text("")
    found = document(capsys, "layers", str(tmp_path))
    assert found["findings"] == found["classes"] == []
    assert found["summary"]["layers"] == {"mean": None, "median": None}


def test_a_second_run_gives_the_same_document(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = document(capsys, str(repository))
    assert document(capsys, str(repository)) == first
    (repository / "pkg" / "session.py").write_text(SESSION.replace("self._session_id", "self.session_id"))
    assert "QSF001" not in {f["code"] for f in document(capsys, str(repository))["findings"]}
