"""What became of a repository's own tests: a branch cannot pass by deleting, skipping, weakening or undermining."""

import time
from dataclasses import replace

import pytest

from qualityscore.branch.compare_tests import Runs, compare_tests, function_of
from qualityscore.branch.definitions import Definition
from qualityscore.branch.own_tests import OwnRun, OwnTest, Verdict
from qualityscore.model.outcome import Failure, FailureClass, Location, TestOutcome

WRONG = Failure(class_name=FailureClass.MISMATCH, subclass="wrong_value", message="AssertionError: 1 == 2")
GONE = Failure(class_name=FailureClass.EXECUTABILITY, subclass="missing_name", message="ImportError: cannot import")


def run(errors=None, problem=None, **verdicts):
    """A run of tests/t.py; `a=True` passes, False fails, None is skipped, a Failure fails with it."""
    tests = {}
    for name, verdict in verdicts.items():
        id_ = f"tests/t.py::test_{name}".replace("__", "[", 1)
        id_ += "]" if "[" in id_ else ""
        failure = verdict if isinstance(verdict, Failure) else None if verdict else WRONG
        kind = Verdict.PASSED if verdict is True else Verdict.SKIPPED if verdict is None else Verdict.FAILED
        tests[id_] = OwnTest(id=id_, verdict=kind, failure=failure)
    return OwnRun(tests=tests, errors=errors or {}, problem=problem)


def definition(name, body="b", assertions=1, path="tests/t.py", *, skips=False):
    return Definition(
        path=path, qualname=f"test_{name}", kind="function", line=1, end_line=2, signature="", body=body, grams=(),
        assertions=assertions, skips=skips,
    )  # fmt: skip


def compare(before, after, *, crossed=None, old=(), new=(), flaky=(), helpers=()):
    return compare_tests(Runs(before=before, after=after, crossed=crossed), old, new, flaky=flaky, helpers=helpers)


def lists(compared):
    """The lists that are not empty, by the short names of their tests."""
    names = (
        "broken",
        "removed",
        "skipped",
        "weakened",
        "undermined",
        "rewritten",
        "moved",
        "fixed",
        "failing",
        "flaky",
    )
    return {
        name: [change.id.partition("::test_")[2] or change.id for change in getattr(compared.changes, name)]
        for name in names
        if getattr(compared.changes, name)
    }


def test_the_same_verdicts_change_nothing():
    same = run(a=True, b=False, c=None)
    compared = compare(same, same)
    assert lists(compared) == {}
    assert (compared.changes.expected, compared.changes.passed, compared.changes.failing_before) == (1, 1, 1)


def test_a_test_that_fails_now_is_broken_and_counts_as_failed():
    compared = compare(run(a=True, b=True), run(a=False, b=True))
    assert lists(compared) == {"broken": ["a"]}
    assert [result.outcome for result in compared.results] == [TestOutcome.FAILED, TestOutcome.PASSED]


def test_a_test_that_failed_before_may_fail():
    assert lists(compare(run(a=False), run(a=False))) == {}
    assert lists(compare(run(a=False), run(a=True))) == {"fixed": ["a"]}


def test_a_removed_test_is_listed_and_judged_as_it_stood():
    compared = compare(run(a=True, b=True), run(b=True), crossed=run(a=False, b=True))
    assert lists(compared) == {"removed": ["a"]}
    assert compared.results[0].outcome is TestOutcome.FAILED
    assert "would fail" in compared.changes.removed[0].reason
    kept = compare(run(a=True, b=True), run(b=True), crossed=run(a=True, b=True))
    assert kept.results[0].outcome is TestOutcome.PASSED
    assert "would pass" in kept.changes.removed[0].reason


def test_a_removed_test_that_cannot_be_run_counts_as_not_run():
    assert compare(run(a=True), run(b=True)).results[0].outcome is TestOutcome.NOT_RUN


def test_a_newly_skipped_test_is_listed():
    compared = compare(run(a=True), run(a=None), crossed=run(a=True))
    assert lists(compared) == {"skipped": ["a"]}
    assert compared.results[0].outcome is TestOutcome.PASSED


def test_a_test_with_fewer_assertions_is_weakened():
    old, new = [definition("a", "b1", 3)], [definition("a", "b2", 2)]
    compared = compare(run(a=True), run(a=True), crossed=run(a=False), old=old, new=new)
    assert lists(compared) == {"weakened": ["a"]}
    assert compared.results[0].outcome is TestOutcome.FAILED


@pytest.mark.parametrize(("left", "said"), [(1, "1 assertion, 3 before"), (2, "2 assertions, 3 before")])
def test_one_assertion_is_a_singular(left, said):
    old, new = [definition("a", "b1", 3)], [definition("a", "b2", left)]
    (weakened,) = compare(run(a=True), run(a=True), old=old, new=new).changes.weakened
    assert weakened.reason == said


def test_a_test_that_may_be_skipped_or_fail_now_is_weakened():
    old, new = [definition("a")], [definition("a", skips=True)]
    assert lists(compare(run(a=True), run(a=True), old=old, new=new)) == {"weakened": ["a"]}


def test_a_rewritten_test_is_listed_and_is_no_loss():
    old, new = [definition("a", "b1", 1)], [definition("a", "b2", 1)]
    compared = compare(run(a=True), run(a=True), crossed=run(a=False), old=old, new=new)
    assert lists(compared) == {"rewritten": ["a"]}
    assert compared.results[0].outcome is TestOutcome.PASSED


def test_a_test_that_passes_only_with_the_branchs_conftest_is_undermined():
    same = [definition("a")]
    compared = compare(run(a=True), run(a=True), crossed=run(a=False), old=same, new=same)
    assert lists(compared) == {"undermined": ["a"]}
    assert compared.results[0].outcome is TestOutcome.FAILED


def test_an_old_test_that_imports_a_moved_name_is_not_undermined():
    same = [definition("a")]
    assert lists(compare(run(a=True), run(a=True), crossed=run(a=GONE), old=same, new=same)) == {}


def failing_at(path, subclass="missing_module", class_name=FailureClass.EXECUTABILITY, function="f"):
    place = Location(path=path, line=3, function=function)
    return Failure(class_name=class_name, subclass=subclass, message="ModuleNotFoundError: no x", location=place)


ATTRIBUTE = {"subclass": "missing_attribute", "class_name": FailureClass.MISMATCH}


@pytest.mark.parametrize(
    ("failure", "undermined"),
    [
        (failing_at("tests/conftest.py"), False),
        (failing_at("ledger/core.py"), True),
        (failing_at("ledger/core.py", "missing_name"), True),
        (failing_at("ledger/core.py", **ATTRIBUTE), True),
        (failing_at("ledger/__init__.py", **ATTRIBUTE, function="__getattr__"), False),  # it answers the test
        (failing_at("checks.py"), False),  # a helper of the tests
    ],
)
def test_only_a_missing_name_that_the_tests_ask_for_is_none_of_the_tests_business(failure, undermined):
    """Code that imports what is not there fails by itself, whatever the branch's conftest puts in its place."""
    same = [definition("a")]
    compared = compare(run(a=True), run(a=True), crossed=run(a=failure), old=same, new=same, helpers=["checks.py"])
    assert lists(compared) == ({"undermined": ["a"]} if undermined else {})
    assert compared.results[0].outcome is (TestOutcome.FAILED if undermined else TestOutcome.PASSED)


@pytest.mark.parametrize(
    ("failure", "undermined"),
    [
        (failing_at("tests/t.py"), False),  # it imports what was moved
        (failing_at("ledger/core.py"), True),
        (failing_at("ledger/core.py", "broken_import"), False),  # its own first lines may have been wrong to call so
    ],
)
def test_a_baselines_file_whose_collection_fails_in_the_codes_own_imports_is_undermined(failure, undermined):
    same = [definition("a")]
    crossed = run(errors={"tests/t.py": failure})
    compared = compare(run(a=True), run(a=True), crossed=crossed, old=same, new=same)
    assert lists(compared) == ({"undermined": ["a"]} if undermined else {})


def test_a_moved_test_that_passes_only_with_the_branchs_conftest_is_undermined():
    old, new = [definition("a")], [definition("z")]
    compared = compare(run(a=True), run(z=True), crossed=run(a=False), old=old, new=new)
    assert lists(compared) == {"moved": ["a"], "undermined": ["a"]}
    assert compared.changes.undermined[0].to == "tests/t.py::test_z"
    assert compared.results[0].outcome is TestOutcome.FAILED
    kept = compare(run(a=True), run(z=True), crossed=run(a=True), old=old, new=new)
    assert lists(kept) == {"moved": ["a"]}


@pytest.mark.parametrize(
    ("id_", "parts"),
    [
        ("a.py::C::test_x[1]", ("a.py", "C.test_x", "1")),
        ("a.py::test_x", ("a.py", "test_x", "")),
        ("odd[1]/t[2].py::C::test_x", ("odd[1]/t[2].py", "C.test_x", "")),
        ("odd[1]/t.py::test_x[a::b[0]]", ("odd[1]/t.py", "test_x", "a::b[0]")),
        ("odd[1]/t.py", ("odd[1]/t.py", "", "")),
    ],
)
def test_the_parts_of_an_id_are_told_apart_whatever_the_path_holds(id_, parts):
    assert function_of(id_) == parts


def test_a_test_in_a_file_with_brackets_in_its_path_can_be_weakened():
    id_ = "odd[1]/test_t.py::test_a"
    ran = OwnRun(tests={id_: OwnTest(id=id_, verdict=Verdict.PASSED)})
    old, new = (definition("a", f"b{n}", n, path="odd[1]/test_t.py") for n in (2, 1))
    assert [c.id for c in compare(ran, ran, old=[old], new=[new]).changes.weakened] == [id_]


def test_a_test_with_another_name_and_the_same_body_is_moved():
    old, new = [definition("a", "b1")], [definition("z", "b1")]
    compared = compare(run(a=True), run(z=True), old=old, new=new)
    assert lists(compared) == {"moved": ["a"]}
    assert compared.changes.added == 0
    assert lists(compare(run(a=True), run(z=False), old=old, new=new)) == {"broken": ["a"], "moved": ["a"]}


def test_many_tests_with_one_body_are_moved_in_their_order_and_in_bounded_time():
    """Each takes the first place that is free; looking through all that are taken each time took the cube of them."""
    count = 1500
    before = run(**{f"a{n}": True for n in range(count)})
    after = run(**{f"z{n}": True for n in range(count)})
    old, new = ([definition(f"{letter}{n}", "same") for n in range(count)] for letter in "az")
    began = time.process_time()
    moved = compare(before, after, old=old, new=new).changes.moved
    assert time.process_time() - began < 10
    assert [(c.id, c.to) for c in moved] == [(f"tests/t.py::test_a{n}", f"tests/t.py::test_z{n}") for n in range(count)]


def test_other_parameters_as_many_as_before_are_no_removal():
    compared = compare(run(a__1=True, a__2=True), run(a__1=True, a__3=True), crossed=run(a__1=True, a__2=True))
    assert lists(compared) == {"rewritten": ["a[2]"]}
    assert lists(compare(run(a__1=True, a__2=True), run(a__1=True))) == {"removed": ["a[2]"]}


def test_a_file_that_cannot_be_collected_breaks_its_tests():
    compared = compare(run(a=True), run(errors={"tests/t.py": GONE}))
    assert lists(compared) == {"broken": ["a"]}
    assert "ImportError" in compared.changes.broken[0].reason


def test_a_suite_that_cannot_be_collected_breaks_all_tests():
    assert lists(compare(run(a=True, b=True), run(problem="conftest raised"))) == {"broken": ["a", "b"]}


def test_a_new_test_that_fails_is_listed():
    compared = compare(run(a=True), run(a=True, b=False, c=True))
    assert lists(compared) == {"failing": ["b"]}
    assert compared.changes.added == 2


def test_a_flaky_test_counts_as_passed():
    compared = compare(run(a=True), run(a=False), flaky=["tests/t.py::test_a"])
    assert lists(compared) == {"flaky": ["a"]}
    assert compared.results[0].outcome is TestOutcome.PASSED


def test_what_ran_keeps_its_time_and_what_did_not_has_none():
    after = run(a=True, b=False, c=None, new=False)
    after = replace(after, tests={id_: replace(test, duration_s=0.25) for id_, test in after.tests.items()})
    compared = compare(run(a=True, b=True, c=True, gone=True), after)
    assert [(result.id[-6:], result.duration_s) for result in compared.results] == [
        ("test_a", 0.25), ("test_b", 0.25), ("test_c", None), ("t_gone", None),
    ]  # fmt: skip
    assert [change.duration_s for change in compared.changes.failing] == [0.25]
