"""Campaigns over a small module whose suite is a function: order, coverage, resumption, counting."""

import json
import sys
import threading
import time
from pathlib import Path

import pytest

from qualityscore.defects.campaign import Campaign, Verdict, candidates, read_sources, run_campaign
from qualityscore.defects.equivalents import FILE_NAME, Equivalents, read_equivalents
from qualityscore.defects.mutants import find_mutants
from qualityscore.defects.reached import EXIT_STATUS, exits_where_changed
from qualityscore.defects.summary import summarise
from qualityscore.errors import InputError, TaskError
from qualityscore.model.snapshot import JudgedFunction
from qualityscore.runtime.process import Exited, Limits, run
from qualityscore.runtime.sandbox.select import PROVIDERS
from qualityscore.runtime.target import Environment, Target, Tree
from qualityscore.runtime.tasks import load_task

SOURCE = '''"""Stack."""


class Stack:
    def __init__(self, size=3):
        self.size = size
        self.items = []

    def push(self, item):
        if len(self.items) >= self.size:
            raise ValueError("full")
        self.items.append(item)
        return len(self.items)

    def never(self):
        return 1 + 2
'''
SUITE = """
from stack import Stack
s = Stack()
assert [s.push(i) for i in (1, 2, 3)] == [1, 2, 3]
try:
    s.push(4)
except ValueError as error:
    assert str(error) == "full"
else:
    raise AssertionError
"""
LIMITS = Limits(
    wall_s=20, cpu_s=20, memory_bytes=None, processes=None, file_size_bytes=None, open_files=None, output_bytes=65536
)


@pytest.fixture
def target(tmp_path):
    root = tmp_path / "reference"
    root.mkdir()
    (root / "stack.py").write_text(SOURCE)
    return Target(
        task=load_task("cachetools"),
        tree=Tree(root=root, import_roots=(".",), files=("stack.py",), digest="d"),
        environment=Environment(prefix=root, base_prefix=root, python="python", version="3.11.0", lock_digest="l"),
        sandbox=PROVIDERS[0],
        is_reference=True,
    )


def suite(changed):
    """Runs the suite on the changed tree in a process of its own: one test, which fails or not."""
    code = f"import sys; sys.path.insert(0, {str(changed.tree.root)!r})\n{SUITE}"
    ended = run([sys.executable, "-B", "-c", code], env={}, cwd=changed.tree.root, limits=LIMITS)
    return () if isinstance(ended, Exited) and ended.code == 0 else ("test_stack",)


JUDGED = (
    JudgedFunction(path="stack.py", line=5, qualname="Stack.__init__"),
    JudgedFunction(path="stack.py", line=9, qualname="Stack.push"),
)
CAMPAIGN = Campaign(task="t", task_digest="x", reference_digest="d", seed=1)


def campaign(target, mutants, *, count=99, store=None, stage=suite):
    return run_campaign(
        target,
        CAMPAIGN,
        mutants,
        [("functional", stage)],
        count=count,
        store=store,
        workers=2,
        progress=lambda done, total: None,
    )


def test_candidates_lie_in_the_functions_that_the_suite_enters(target):
    found = candidates(read_sources(target, {"stack.py"}), JUDGED, seed=1, count=99)
    assert {m.line for m in found} <= {5, 6, 7, 9, 10, 11, 12, 13}
    assert len(found) > 10


def test_every_mutant_of_a_small_class_is_judged_as_it_should(target):
    verdicts = campaign(target, candidates(read_sources(target, {"stack.py"}), JUDGED, seed=1, count=99))
    by = {(v.operator, v.line): v for v in verdicts}
    assert by["removed_guard", 10].status == "detected"
    assert by["changed_default", 5].status == "detected"
    assert by["changed_comparison", 10].status == "detected"
    assert (by["missing_call", 12].status, by["missing_call", 12].stage) == ("detected", "functional")
    assert by["missing_call", 12].by == ("test_stack",)
    assert "+        pass" in by["missing_call", 12].diff


def test_a_survivor_on_a_place_that_no_test_runs_says_nothing(target):
    mutants = find_mutants("stack.py", SOURCE, lines=frozenset({16}))
    verdicts = campaign(target, mutants)
    assert {v.status for v in verdicts} == {"not_covered"}


def test_uncovered_mutants_are_made_up_for_by_the_next_ones(target):
    uncovered = find_mutants("stack.py", SOURCE, lines=frozenset({16}))[:2]
    covered = find_mutants("stack.py", SOURCE, lines=frozenset({10, 12}))
    verdicts = campaign(target, (*uncovered, *covered), count=2)
    assert sum(v.status == "not_covered" for v in verdicts) == 2
    assert sum(v.status != "not_covered" for v in verdicts) == 2


def test_a_survivor_that_is_run_survives(target):
    # A suite that looks at nothing but whether pushing works at all.
    def blind(changed):
        code = f"import sys; sys.path.insert(0, {str(changed.tree.root)!r})\nfrom stack import Stack\nStack().push(1)"
        ended = run([sys.executable, "-B", "-c", code], env={}, cwd=changed.tree.root, limits=LIMITS)
        return () if isinstance(ended, Exited) and ended.code == 0 else ("test_stack",)

    mutants = [m for m in find_mutants("stack.py", SOURCE) if (m.operator, m.line) == ("changed_default", 5)]
    [verdict] = campaign(target, mutants, stage=blind)
    assert (verdict.status, verdict.stage) == ("survived", None)


def test_a_campaign_is_taken_up_where_it_was_interrupted(target, tmp_path):
    store = tmp_path / "verdicts.jsonl"
    mutants = candidates(read_sources(target, {"stack.py"}), JUDGED, seed=1, count=99)
    first = campaign(target, mutants, count=3, store=store)
    with store.open("a") as file:
        file.write('{"id": "cut of')
    ran = []

    def counting(changed):
        ran.append(changed)
        return suite(changed)

    again = campaign(target, mutants, count=3, store=store, stage=counting)
    assert sorted(again, key=lambda v: v.id) == sorted(first, key=lambda v: v.id)
    assert ran == []


def test_an_interrupted_campaign_kills_what_runs(target):
    sleeps = threading.Event()

    def stage(changed):
        if sleeps.is_set():
            raise KeyboardInterrupt
        sleeps.set()
        run(["sleep", "19"], env={}, cwd=changed.tree.root, limits=LIMITS)
        return ()

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        campaign(target, find_mutants("stack.py", SOURCE), stage=stage)
    assert time.monotonic() - began < 10


def test_verdicts_of_another_campaign_are_refused(target, tmp_path):
    store = tmp_path / "verdicts.jsonl"
    store.write_text(json.dumps({"task": "other", "task_digest": "x", "reference_digest": "d", "seed": 1}) + "\n")
    with pytest.raises(InputError, match="another campaign"):
        campaign(target, find_mutants("stack.py", SOURCE), store=store)
    store.write_text(
        json.dumps({"task": "t", "task_digest": "x", "reference_digest": "d", "seed": 1}) + '\n{"id": 3}\n{}\n'
    )
    with pytest.raises(InputError, match=r"verdicts\.jsonl:2 is no verdict"):
        campaign(target, find_mutants("stack.py", SOURCE), store=store)


@pytest.mark.parametrize(
    ("operator", "line", "reached"),
    [
        ("changed_comparison", 10, True),
        ("removed_guard", 10, True),
        ("missing_call", 12, True),
        ("changed_arithmetic", 16, False),
    ],
)
def test_the_exit_stands_where_the_mutant_is(tmp_path, operator, line, reached):
    mutant = next(m for m in find_mutants("stack.py", SOURCE) if (m.operator, m.line) == (operator, line))
    (tmp_path / "stack.py").write_text(exits_where_changed(SOURCE, mutant))
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{SUITE}"
    ended = run([sys.executable, "-B", "-c", code], env={}, cwd=tmp_path, limits=LIMITS)
    assert ended.code == (EXIT_STATUS if reached else 0)


def test_every_mutant_of_a_module_has_an_exit_that_compiles():
    source = Path(json.decoder.__file__).read_text("utf-8")
    for mutant in find_mutants("decoder.py", source)[::7]:
        variant = exits_where_changed(source, mutant)
        assert variant is not None
        compile(variant, "decoder.py", "exec")


def verdict(name, status, operator="changed_constant"):
    return Verdict(
        id=name,
        path="m.py",
        line=1,
        operator=operator,
        replacement="1",
        diff="",
        status=status,
        stage="functional" if status == "detected" else None,
    )


def test_equivalent_mutants_are_no_failure_of_the_suites():
    verdicts = [verdict(f"d{i}", "detected") for i in range(9)] + [
        verdict("e", "survived"),
        verdict("s", "survived", "plain_assignment"),
        verdict("n", "not_covered"),
    ]
    summary = summarise(verdicts, Equivalents(reasons={("e", "1"): "cannot be observed"}))
    assert (summary.covered, summary.not_covered) == (11, 1)
    assert (summary.everything.detected, summary.everything.detectable) == (9, 10)
    assert summary.sound
    assert [v.id for v in summary.survivors] == ["s"]
    assert (summary.held_out.detected, summary.held_out.detectable) == (0, 1)
    assert not summarise(verdicts, Equivalents(reasons={})).sound


def test_a_mark_for_another_change_at_the_same_place_counts_nothing():
    summary = summarise([verdict("e", "survived")], Equivalents(reasons={("e", "2"): "cannot be observed"}))
    assert summary.equivalent == ()


def test_too_many_equivalents_are_not_believed():
    verdicts = [verdict(f"d{i}", "detected") for i in range(8)] + [verdict(f"e{i}", "survived") for i in range(2)]
    marked = Equivalents(reasons={(f"e{i}", "1"): "cannot be observed" for i in range(2)})
    assert summarise(verdicts, marked).everything.share == 1
    assert not summarise(verdicts, marked).sound


def test_marks_are_read_strictly(tmp_path):
    assert read_equivalents(tmp_path).reasons == {}
    file = tmp_path / FILE_NAME
    file.write_text('[[mutants]]\nid = "a"\nreplacement = "b"\nreason = "the same value either way"\n')
    assert read_equivalents(tmp_path).reasons == {("a", "b"): "the same value either way"}
    for text in ('[[mutants]]\nid = "a"\n', '[[mutant]]\nid = "a"\n', "[[mutants"):
        file.write_text(text)
        with pytest.raises(TaskError, match=FILE_NAME):
            read_equivalents(tmp_path)
