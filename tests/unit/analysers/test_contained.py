"""The analysers in their worker: the same answers as in this process, and a crash that costs one measure."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from qualityscore import code_reading
from qualityscore.analysers import gather as gathering
from qualityscore.analysers.contained import Unreadable, contained_coverage, contained_structure
from qualityscore.analysers.gather import gather
from qualityscore.analysers.structure import structure_findings
from qualityscore.analysers.surface import coverage
from qualityscore.model.measure import Fault, Measured, Unavailable
from qualityscore.model.snapshot import JudgedFunction
from qualityscore.model.task import Surface, SurfaceEntry
from qualityscore.runtime.cache import cache_root, static_results
from qualityscore.runtime.target import Tree
from qualityscore.runtime.workers import run_jobs
from qualityscore.suites.tracing import Trace

TEXT = """class Server:
    def __init__(self, port):
        self.port = port

    def start(self):
        self.socket = open(self.prot)
        self.stop(1)

    def stop(self):
        self.socket.close()


def run(value):
    return eval(value)
"""
SURFACE = Surface(
    entries=[
        SurfaceEntry(name="m.Server.start", kind="method", signature="(self)"),
        SurfaceEntry(name="m.run", kind="function", signature="(value, other)"),
        SurfaceEntry(name="m.gone", kind="function"),
    ]
)


def tree_of(root: Path, text: str) -> Tree:
    (root / "m.py").write_text(text)
    return Tree(root=root, import_roots=(".",), files=("m.py",), digest="")


def test_the_worker_finds_what_this_process_finds(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, TEXT)
    facts = gather(tmp_path, tree.files)
    found = contained_structure(facts, tree.import_roots, others=tree.files)
    assert found == structure_findings(facts, tree.import_roots, others=tree.files)
    assert not isinstance(found, Unreadable)
    assert {(f.line, f.code[:3]) for f in found} >= {(6, "QSF"), (7, "QSF")}
    covered = contained_coverage(SURFACE, tree)
    assert covered == coverage(SURFACE, tree)
    assert not isinstance(covered, Unreadable)
    assert covered.missing == ("m.gone",)


def test_analysers_that_outlast_their_time_are_stopped(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, TEXT)
    reason = "the analysers failed on this code: time limit"
    assert contained_structure(gather(tmp_path, tree.files), cpu_s=0.01) == Unreadable(reason=reason)
    assert contained_coverage(SURFACE, tree, cpu_s=0.01) == Unreadable(reason=reason)


@pytest.mark.parametrize(("is_reference", "fault"), [(False, Fault.SUBJECT), (True, Fault.REFERENCE)])
def test_a_crash_of_the_analysers_costs_structure_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_reference: bool, fault: Fault
) -> None:
    tree = tree_of(tmp_path, TEXT)
    monkeypatch.setattr(code_reading, "contained_structure", functools.partial(contained_structure, cpu_s=0.01))
    entered = (JudgedFunction(path="m.py", line=5, qualname="Server.start"),)
    trace = Trace(judged=entered, touches={}, imported_files=("m.py",))
    outcome = code_reading.read_code(tree, None, trace, is_reference=is_reference)
    lost = outcome.measures.pop("structure.defects")
    assert isinstance(lost, Unavailable)
    assert lost.fault is fault
    assert lost.reason == "the analysers failed on this code: time limit"
    assert [(f.stage, f.fault, f.reason) for f in outcome.faults] == [("static", fault, lost.reason)]
    assert len(outcome.measures) == 5
    assert all(isinstance(measure, Measured) for measure in outcome.measures.values())
    assert "dynamic-code" in {f.code for f in outcome.findings}
    assert not [f for f in outcome.findings if f.measure == "structure.defects" and f.points]


def test_a_second_reading_answers_the_same_and_extracts_nothing_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUALITYSCORE_CACHE", str(tmp_path / "cache"))
    root = tmp_path / "code"
    root.mkdir()
    tree = tree_of(root, TEXT)
    judged = (JudgedFunction(path="m.py", line=5, qualname="Server.start"),)
    trace = Trace(judged=judged, touches={}, imported_files=())
    asked: list[int] = []

    def counted(lanes, **options):
        asked.append(sum(map(len, lanes)))
        return run_jobs(lanes, **options)

    monkeypatch.setattr(gathering, "run_jobs", counted)
    cache = static_results(cache_root())
    first = (code_reading.read_code(tree, None, trace), contained_coverage(SURFACE, tree, cache=cache))
    again = (code_reading.read_code(tree, None, trace), contained_coverage(SURFACE, tree, cache=cache))
    assert again == first
    assert asked == [1, 0, 0, 0]
