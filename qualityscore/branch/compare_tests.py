"""The repository's own tests before and after: what broke, and what only looks as if it passed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from qualityscore.branch.definitions import Definition
from qualityscore.branch.own_tests import OwnRun, OwnTest, Verdict, is_test_file
from qualityscore.model.branch import TestChange, TestChanges
from qualityscore.model.measure import Fault
from qualityscore.model.outcome import Failure, FailureClass, TestOutcome, TestResult
from qualityscore.suites.failures import is_stable


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """Three runs: `before` the baseline's tests on its code, `after` the branch's on its own, `crossed` the baseline's
    test files on the branch's code (None where the test files are the same)."""

    before: OwnRun
    after: OwnRun
    crossed: OwnRun | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The changes, and a result for every test that passed before, in order."""

    changes: TestChanges
    results: tuple[TestResult, ...]


def compare_tests(
    runs: Runs,
    before: Iterable[Definition],
    after: Iterable[Definition],
    *,
    flaky: Iterable[str] = (),
    helpers: Iterable[str] = (),
) -> Compared:
    """Compare the runs.

    `before` and `after` are the definitions of both states; `flaky` passed when run again; `helpers` are files beside
    those of the tests that belong to the tests.
    """
    return _Comparison(runs, _index(before), _index(after), frozenset(flaky), frozenset(helpers)).compare()


def function_of(id_: str) -> tuple[str, str, str]:
    """(file, qualified name of the function, parameters): `a.py::C::test_x[1]` has (a.py, C.test_x, 1).

    Brackets and colons may stand in parameters, brackets in the file's path as well.
    """
    file, _, rest = id_.partition("::")
    function, bracket, parameters = rest.partition("[")
    return file, function.replace("::", "."), parameters[:-1] if bracket else ""


def _index(definitions: Iterable[Definition]) -> dict[tuple[str, str], Definition]:
    return {(d.path, d.qualname): d for d in definitions if d.kind == "function"}


class _Comparison:
    """One comparison under way."""

    def __init__(
        self,
        runs: Runs,
        before: Mapping[tuple[str, str], Definition],
        after: Mapping[tuple[str, str], Definition],
        flaky: frozenset[str],
        helpers: frozenset[str],
    ) -> None:
        self.runs, self.flaky_ids, self.helpers = runs, flaky, helpers
        self.old, self.new = before, after
        self.lists: dict[str, list[TestChange]] = defaultdict(list)
        self.results: list[TestResult] = []
        self.moved_to = self._find_moved()
        self.cases_before, self.cases_after = _cases(runs.before), _cases(runs.after)

    def compare(self) -> Compared:
        before, after = self.runs.before, self.runs.after
        expected = before.passed
        for id_ in expected:
            self._judge(id_)
        known = set(before.tests) | set(self.moved_to.values())
        for id_, test in after.tests.items():
            earlier = before.tests.get(id_)
            if earlier is not None and earlier.verdict is Verdict.FAILED and test.verdict is Verdict.PASSED:
                self._note("fixed", id_, "failed before, passes now")
            elif id_ not in known and test.verdict is Verdict.FAILED:
                self._note("failing", id_, _why(test.failure))
        for file, failure in after.errors.items():
            if file not in before.errors and not any(function_of(id_)[0] == file for id_ in expected):
                self._note("failing", file, failure.message)
        passed = sum(result.outcome is TestOutcome.PASSED for result in self.results)
        return Compared(
            changes=TestChanges(
                expected=len(expected),
                passed=passed,
                failing_before=sum(t.verdict is Verdict.FAILED for t in before.tests.values()) + len(before.errors),
                added=sum(id_ not in known for id_ in after.tests),
                **{name: tuple(changes) for name, changes in self.lists.items()},
            ),
            results=tuple(self.results),
        )

    def _judge(self, id_: str) -> None:
        """One test that passed before."""
        now_id = id_ if id_ in self.runs.after.tests else self.moved_to.get(id_, id_)
        now = self.runs.after.tests.get(now_id)
        if now_id != id_:
            self._note("moved", id_, "has another place or name, and the same body", to=now_id)
        if now is None:
            self._judge_absent(id_)
        elif now.verdict is Verdict.FAILED:
            self._failed(id_, now)
        elif now.verdict is Verdict.SKIPPED:
            self._note("skipped", id_, _why(now.failure), to=_other(id_, now_id))
            self._as_before(id_, TestOutcome.SKIPPED)
        else:
            self._judge_passing(id_, now_id)

    def _failed(self, id_: str, now: OwnTest) -> None:
        if id_ in self.flaky_ids:
            self._note("flaky", id_, f"failed once and passed when run again: {_why(now.failure)}")
            self._result(id_, TestOutcome.PASSED)
            return
        self._note("broken", id_, _why(now.failure))
        self._result(id_, TestOutcome.FAILED, now.failure)

    def _judge_absent(self, id_: str) -> None:
        file, function, parameters = function_of(id_)
        error = self.runs.after.errors.get(file)
        problem = self.runs.after.problem
        if error is not None or problem is not None:
            self._note("broken", id_, error.message if error else f"no test was collected: {problem}")
            self._result(id_, TestOutcome.FAILED, error or _failure(str(problem)))
        elif self.runs.after.tests.get(file, None) is not None:
            self._note("skipped", id_, _why(self.runs.after.tests[file].failure))
            self._as_before(id_, TestOutcome.SKIPPED)
        elif parameters and len(self.cases_after[file, function]) >= len(self.cases_before[file, function]) > 0:
            self._note("rewritten", id_, "its function has other parameters, as many as before")
            self._as_before(id_, TestOutcome.PASSED)
        else:
            self._note("removed", id_, self._gone(id_))
            self._as_before(id_, TestOutcome.NOT_RUN)

    def _gone(self, id_: str) -> str:
        crossed = self._crossed(id_)
        if crossed is None:
            return "it is gone"
        if crossed.verdict is Verdict.PASSED:
            return "it is gone, and would pass"
        return f"it is gone, and would fail: {_why(crossed.failure)}"

    def _judge_passing(self, id_: str, now_id: str) -> None:
        old = self.old.get(function_of(id_)[:2])
        new = self.new.get(function_of(now_id)[:2])
        crossed = self._crossed(id_)
        same = old is not None and new is not None and old.body == new.body
        fails = crossed is not None and crossed.verdict is Verdict.FAILED
        failure = crossed.failure if fails and crossed is not None else self._broken_import(id_)
        if old is not None and new is not None and new.assertions < old.assertions:
            plural = "" if new.assertions == 1 else "s"
            reason = f"{new.assertions} assertion{plural}, {old.assertions} before"
            self._note("weakened", id_, reason, to=_other(id_, now_id))
            self._as_before(id_, TestOutcome.PASSED)
        elif old is not None and new is not None and new.skips and not old.skips:
            reason = "a decorator lets it be skipped, or fail, now"
            self._note("weakened", id_, reason, to=_other(id_, now_id))
            self._as_before(id_, TestOutcome.PASSED)
        elif same and failure is not None and not self._is_about_imports(failure):
            reason = f"with the baseline's test files it fails: {_why(failure)}"
            self._note("undermined", id_, reason, to=_other(id_, now_id))
            self._result(id_, TestOutcome.FAILED, failure)
        else:
            if fails and not same:
                self._note("rewritten", id_, f"as it stood before it fails: {_why(failure)}")
            self._result(id_, TestOutcome.PASSED)

    def _broken_import(self, id_: str) -> Failure | None:
        """Why the baseline's file of a test cannot be collected, where the code itself imports what is not there."""
        failure = self.runs.crossed.errors.get(function_of(id_)[0]) if self.runs.crossed is not None else None
        return failure if failure is not None and failure.subclass in ("missing_module", "missing_name") else None

    def _is_about_imports(self, failure: Failure) -> bool:
        """Whether a test names what the code does not have: that is the business of the public names.

        It is not when the code itself asks for what is not there. A module's own `__getattr__` speaks for the caller.
        """
        if failure.class_name is not FailureClass.EXECUTABILITY and failure.subclass != "missing_attribute":
            return False
        place = failure.location
        if place is None or is_test_file(place.path) or place.path in self.helpers:
            return True
        return place.function == "__getattr__"

    def _as_before(self, id_: str, otherwise: TestOutcome) -> None:
        """The verdict of the test as it stood in the baseline, where it could be run; else what is given."""
        crossed = self._crossed(id_)
        if crossed is None:
            self._result(id_, otherwise, None if otherwise is TestOutcome.PASSED else _failure("was not run"))
        elif crossed.verdict is Verdict.PASSED:
            self._result(id_, TestOutcome.PASSED)
        else:
            self._result(id_, TestOutcome.FAILED, crossed.failure)

    def _crossed(self, id_: str) -> OwnTest | None:
        return self.runs.crossed.tests.get(id_) if self.runs.crossed is not None else None

    def _note(self, name: str, id_: str, reason: str, to: str | None = None) -> None:
        now = self.runs.after.tests.get(to or id_)
        self.lists[name].append(TestChange(id=id_, reason=reason, to=to, duration_s=_duration_s(now)))

    def _result(self, id_: str, outcome: TestOutcome, failure: Failure | None = None) -> None:
        now = self.runs.after.tests.get(self.moved_to.get(id_, id_))
        self.results.append(
            TestResult(
                id=id_,
                outcome=outcome,
                duration_s=_duration_s(now),
                failure=failure,
                stable=is_stable(failure),
                fault=None if failure is None else Fault.SUBJECT,
            )
        )

    def _find_moved(self) -> dict[str, str]:
        """Tests that are gone under their id and there under another, with the same body: the id that they have now.

        A test keeps its parameters, and its name or at least its body, which no other test that is gone shares.
        """
        gone = [id_ for id_ in self.runs.before.passed if id_ not in self.runs.after.tests]
        come: dict[tuple[str, str, str], list[str]] = defaultdict(list)
        for id_ in self.runs.after.tests:
            if id_ not in self.runs.before.tests:
                for key in self._marks(id_, self.new):
                    come[key].append(id_)
        found: dict[str, str] = {}
        taken: set[str] = set()
        for id_ in gone:
            for key in self._marks(id_, self.old):
                free = next((other for other in come.get(key, ()) if other not in taken), None)
                if free is not None:
                    found[id_] = free
                    taken.add(free)
                    break
        return found

    @staticmethod
    def _marks(id_: str, index: Mapping[tuple[str, str], Definition]) -> Iterable[tuple[str, str, str]]:
        file, function, parameters = function_of(id_)
        definition = index.get((file, function))
        if definition is not None:
            yield definition.name, definition.body, parameters
            yield "", definition.body, parameters


def _cases(run: OwnRun) -> dict[tuple[str, str], list[str]]:
    """The ids of each test function."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for id_ in run.tests:
        file, function, _ = function_of(id_)
        found[file, function].append(id_)
    return found


def _failure(reason: str) -> Failure:
    return Failure(class_name=FailureClass.EXECUTABILITY, subclass="collection", message=reason[:600])


def _duration_s(test: OwnTest | None) -> float | None:
    """Wall time; None for what did not run."""
    return test.duration_s if test is not None and test.verdict is not Verdict.SKIPPED else None


def _why(failure: Failure | None) -> str:
    if failure is None:
        return "no reason was given"
    return " ".join(failure.message.split())[:300]


def _other(id_: str, now_id: str) -> str | None:
    return now_id if now_id != id_ else None
