"""Odd files: every one ends in a measure or in a finding that names the tool, and none disturbs its neighbours."""

from __future__ import annotations

import importlib.util
import time
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from qualityscore.collectors.context import FileFacts, StaticFacts
from qualityscore.collectors.one_pass import observe
from qualityscore.collectors.static import context_for, parse
from qualityscore.languages.python_production import scan_tree
from qualityscore.languages.python_source import printable
from qualityscore.model.codec import adapter
from qualityscore.model.finding import Finding

FILE_CPU_S = 8.0  # enough for honest files; the hostile ones are killed


def script() -> ModuleType:
    path = Path(__file__).parents[2] / "repos" / "odd" / "make_odd.py"
    spec = importlib.util.spec_from_file_location("make_odd", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ODD = script()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    root = tmp_path_factory.mktemp("odd")
    return root, ODD.make(root)


@pytest.fixture(scope="module")
def facts(corpus: tuple[Path, dict[str, str]]) -> StaticFacts:
    return observe(replace(context_for(scan_tree(corpus[0]), judged=None), file_cpu_s=FILE_CPU_S))


@pytest.mark.slow
def test_every_file_ends_in_a_measure_or_a_finding(corpus: tuple[Path, dict[str, str]], facts: StaticFacts) -> None:
    fates = {}
    for file in facts.files:
        if file.unparsable is None:
            assert file.units
            fates[file.path] = "measured"
        else:
            assert file.unparsable.tool
            assert file.unparsable.reason
            assert file.unparsable.code_lines > 0 or not file.digest
            fates[file.path] = "unparsable"
    for path, expected in corpus[1].items():
        if expected == "refused":
            assert path not in fates
        elif expected == "either":
            assert fates[path] in ("measured", "unparsable")
        else:
            assert (path, fates[path]) == (path, expected)


@pytest.mark.slow
def test_honest_neighbours_are_measured_in_full(facts: StaticFacts) -> None:
    found: dict[str, FileFacts] = {file.path: file for file in facts.files}
    for path in (
        "bom.py",
        "latin1_cookie.py",
        "crlf.py",
        "with space.py",
        "x.py/inside.py",
        "builtins.py",
        "typing.py",
    ):
        assert [unit.qualname for unit in found[path].units] == ["<module>", "f"], path
        assert found[path].units[1].tokens == 8, path  # def f ( a ) : return a
    assert len(found["long.py"].units) == ODD.LINES // 2 + 1
    assert found["empty.py"].units[0].tokens == found["only_comments.py"].units[0].tokens == 0


@pytest.mark.slow
def test_what_is_no_regular_file_is_listed_with_its_kind(corpus: tuple[Path, dict[str, str]]) -> None:
    root, expected = corpus
    kinds = dict(scan_tree(root).refused)
    assert set(kinds) == {path for path, fate in expected.items() if fate == "refused"}
    assert kinds["pipe.py"] == "pipe"
    assert kinds["loop.py"] == kinds["outside.py"] == kinds["circle"] == "symbolic link"


@pytest.mark.slow
def test_the_findings_have_valid_places_and_can_be_written_down(
    corpus: tuple[Path, dict[str, str]], facts: StaticFacts
) -> None:
    root, expected = corpus
    judged = [(file.path, file.units[1].line, "f") for file in facts.files if len(file.units) > 1]
    outcome = parse(facts, context_for(scan_tree(root), judged=judged))
    named = {finding.path for finding in outcome.findings if finding.code == "unparsable"}
    assert named >= {printable(path) for path, fate in expected.items() if fate == "unparsable"}
    assert named.isdisjoint(printable(path) for path, fate in expected.items() if fate == "measured")
    for finding in outcome.findings:
        assert finding.line is None or finding.line >= 1
        assert finding.column is None or finding.column >= 1
        adapter(Finding).dump_json(finding)
    assert len(outcome.faults) == len(named)


@pytest.mark.slow
def test_ten_thousand_tiny_files_are_measured(tmp_path: Path) -> None:
    ODD.make_tiny(tmp_path)
    cache = tmp_path / "cache"
    context = context_for(scan_tree(tmp_path), judged=None, cache=cache)
    facts = observe(context)
    assert len(facts.files) == ODD.TINY_FILES
    assert all(file.unparsable is None and file.units[0].tokens == 3 for file in facts.files)
    started = time.process_time()
    assert observe(context) == facts
    assert time.process_time() - started < 30


def test_a_line_of_unary_pluses_is_never_clean(tmp_path: Path) -> None:
    (tmp_path / "pluses.py").write_text("x = " + "+" * 3000 + "1\n")
    (tmp_path / "fine.py").write_text("def f(a):\n    return a\n")
    context = replace(context_for(scan_tree(tmp_path), judged=[("fine.py", 1, "f")], workers=1), file_cpu_s=2.0)
    outcome = parse(observe(context), context)
    (lost,) = [f for f in outcome.findings if f.measure == "bandit.risk"]
    assert (lost.code, lost.tool, lost.path, lost.points) == ("unparsable", "pylint", "pluses.py", 12)
    assert {f.measure for f in outcome.findings if f.code == "unparsable"} == {
        "index.deficit",
        "complexity.excess",
        "bandit.risk",
    }
