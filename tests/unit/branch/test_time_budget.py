"""A run of the tests that the caller's time cut off: nobody's failure, and never kept."""

import json
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from qualityscore.branch import own_tests, stages, state
from qualityscore.branch.own_tests import Arrangement, OwnRun, OwnTest, Verdict
from qualityscore.branch.settings import SettingsSpec
from qualityscore.branch.stages import Comparison
from qualityscore.errors import HarnessError
from qualityscore.model.branch import BaselineState
from qualityscore.model.measure import Fault
from qualityscore.runtime.supervision import EndEvent, GroupEvent, GroupState, UnitEvent
from qualityscore.runtime.target import Tree

IDS = [f"tests/t.py::test_{name}" for name in "abc"]
OVER = EndEvent(complete=False, detail="the total time limit struck")
WHOLE = EndEvent(complete=True, detail="")


def collected():
    document = {"files": {"tests/t.py": IDS}, "errors": {}, "skipped": {}, "notes": []}
    return group(GroupState.READY, json.dumps(document).encode())


def group(how, *messages):
    return GroupEvent(group="own tests", state=how, messages=messages, exit=None, signal=None, stderr="")


def unit(*messages, **changes):
    plain = {
        "exit": None, "signal": 9, "timed_out": False, "oom": False, "duration_s": 0.2, "cpu_s": 0.1, "maxrss_bytes": 1,
        "overflow": False, "output": "", "zygote_lost": False, "prepare_failed": False,
    }  # fmt: skip
    encoded = tuple(json.dumps(message).encode() for message in messages)
    return UnitEvent(group="own tests", unit="tests/t.py", messages=encoded, **{**plain, **changes})


def passed(id_):
    phases = [["setup", "passed", False], ["call", "passed", False], ["teardown", "passed", False]]
    return {"begin": id_}, {"end": id_, "phases": phases, "failure": None, "duration_s": 0.1}


def played(monkeypatch, *rounds, budget_s):
    """A run whose sandboxes report these events, one round each; an event that is a number is seconds to pass."""
    left = iter(rounds)

    def supervise(*_arguments, **_options):
        for event in next(left):
            if isinstance(event, float):
                time.sleep(event)
            else:
                yield event

    monkeypatch.setattr(own_tests, "supervise", supervise)
    tree = Tree(root=Path("/nowhere"), import_roots=("",), files=(), digest="0" * 64)
    arrangement = Arrangement(tree=tree, metadata=Path("/nowhere"), config=None, words=())
    run = own_tests._Run(SimpleNamespace(), arrangement, budget_s, lambda done, total: None)
    return run.run(None)


def test_what_the_budget_cut_off_has_no_verdict(monkeypatch):
    """Of three tests one passes, one is under way when the time is up, one never begins."""
    round_ = (0.1, unit(*passed(IDS[0]), {"begin": IDS[1]}, timed_out=True), OVER)
    run = played(monkeypatch, (collected(), WHOLE), round_, budget_s=0.05)
    assert (run.cut, run.passed, list(run.tests)) == (True, (IDS[0],), [IDS[0]])


def test_a_test_that_does_not_end_within_its_own_limit_has_failed(monkeypatch):
    rounds = (
        (unit(*passed(IDS[0]), {"begin": IDS[1]}, timed_out=True), WHOLE),
        (unit(*passed(IDS[2]), {"done": True}, exit=0, signal=None), WHOLE),
    )
    run = played(monkeypatch, (collected(), WHOLE), *rounds, budget_s=60.0)
    assert not run.cut
    assert [test.verdict for test in run.tests.values()] == [Verdict.PASSED, Verdict.FAILED, Verdict.PASSED]


def test_a_file_that_could_not_begin_in_time_has_no_verdict(monkeypatch):
    run = played(monkeypatch, (collected(), WHOLE), (0.1, unit(zygote_lost=True), OVER), budget_s=0.05)
    assert (run.cut, dict(run.tests)) == (True, {})


@pytest.mark.parametrize(("budget_s", "cut"), [(0.05, True), (60.0, False)])
def test_a_collection_is_cut_only_by_the_budget(monkeypatch, budget_s, cut):
    run = played(monkeypatch, (0.1, group(GroupState.TIMEOUT), OVER), budget_s=budget_s)
    assert run.cut is cut
    assert run.problem is not None


def test_a_run_that_fits_is_whole(monkeypatch):
    messages = [message for id_ in IDS for message in passed(id_)]
    round_ = (unit(*messages, {"done": True}, exit=0, signal=None), WHOLE, 0.1)
    run = played(monkeypatch, (collected(), WHOLE), round_, budget_s=0.05)
    assert (run.cut, list(run.passed)) == (False, IDS)


# --- in a comparison ---


def own_run(cut=False, **verdicts):
    tests = {
        name: OwnTest(id=name, verdict=Verdict.PASSED if good else Verdict.FAILED) for name, good in verdicts.items()
    }
    return OwnRun(tests=tests, cut=cut)


@pytest.fixture
def comparison(tmp_path, monkeypatch):
    """A comparison whose four runs (before, after, crossed, after again) end as the test says."""
    monkeypatch.setenv("QUALITYSCORE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(own_tests, "arrange", lambda *arguments, **options: SimpleNamespace(tree=None))
    monkeypatch.setattr(Comparison, "target", lambda *arguments: None)
    monkeypatch.setattr(Comparison, "tests_differ", lambda self: True)
    monkeypatch.setattr(Comparison, "has_tests", lambda self: True)
    monkeypatch.setattr(stages, "beside_tests", lambda *arguments: ())

    def make(*runs):
        left = iter(runs)

        def run(*_arguments, **_options):
            found = next(left)
            if isinstance(found, BaseException):
                raise found
            return found

        monkeypatch.setattr(stages.own_tests, "run", run)
        environment = SimpleNamespace(lock_digest="l", version="3.11")
        return Comparison(
            taken=SimpleNamespace(tree=SimpleNamespace(digest="after")),
            earlier=SimpleNamespace(tree=SimpleNamespace(digest="before"), run=None, run_key=""),
            against=BaselineState(kind="git", name="main"),
            settings=SettingsSpec(time_budget_s=20),
            profile=None,
            wanted=frozenset({"functional"}),
            sandbox=SimpleNamespace(level=SimpleNamespace(value="namespace")),
            scratch=tmp_path,
            counter="cpu",
            progress=lambda stage, done, total: None,
            project=SimpleNamespace(),
            settled=SimpleNamespace(),
            before_environment=environment,
            after_environment=environment,
        )

    return make


def kept():
    return sorted(file.name for file in (stages.cache_root() / "states").glob("*"))


def test_a_baseline_that_the_budget_cut_off_is_not_kept(comparison):
    run = comparison(own_run(cut=True, a=True))
    with pytest.raises(HarnessError, match=r"time budget of 20 s was spent before the baseline's tests .*\(1 of them"):
        run.run_tests()
    assert kept() == []
    again = comparison(own_run(a=True, b=True), own_run(a=True, b=True), own_run(a=True, b=True))
    again.run_tests()
    assert again.before_run.passed == ("a", "b")
    assert len(kept()) == 1
    assert not state.kept_run(kept()[0].removesuffix(".json")).cut


@pytest.mark.parametrize(
    "runs",
    [
        (own_run(a=True), own_run(cut=True)),
        (own_run(a=True), own_run(a=True), own_run(cut=True)),
        (own_run(a=True), own_run(a=False), own_run(a=False), own_run(cut=True)),
    ],
    ids=["after", "crossed", "again"],
)
def test_a_budget_that_is_spent_on_the_branch_blames_nobody(comparison, runs):
    run = comparison(*runs)
    assert run.guarded("own tests", run.run_tests) is None
    assert (run.before_run, run.after_run, run.crossed_run) == (None, None, None)
    assert [fault.fault for fault in run.faults] == [Fault.HARNESS]
    assert "give more by --time-budget" in run.faults[0].reason


@pytest.mark.parametrize("whole", [1, 2, 3])
def test_an_interrupt_between_the_runs_leaves_no_half_of_them(comparison, whole):
    """The branch's failure could be flaky, and its pass undermined: neither was looked into."""
    runs = (own_run(a=True, b=True), own_run(a=False, b=True), own_run(a=False, b=False))
    run = comparison(*runs[:whole], KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        run.run_tests()
    assert (run.before_run, run.after_run) == (None, None)
