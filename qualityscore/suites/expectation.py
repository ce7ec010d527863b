"""What is expected of a subject: the tests that the reference passes, and which of their assertions move out.

An assertion moves when it is proven on the reference: the test passes as it was written, and in the derived run the
operands are plain data on which the predicate holds. Otherwise it stays in the child, with its reason.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qualityscore.errors import ReferenceFaultError
from qualityscore.judging.lowered import DerivedSuite, Lowered
from qualityscore.judging.predicates import Case, judge
from qualityscore.judging.resistance import Exposed, resist
from qualityscore.judging.twins import twin_keys, twinned
from qualityscore.model.snapshot import AssertionRecord, ExpectedTest
from qualityscore.runtime.target import Target
from qualityscore.suites import failures
from qualityscore.suites.derived_files import Item, derive_files, original, suite_names
from qualityscore.suites.observation import Observation
from qualityscore.suites.playing import Seen, collect, play

_ROUNDS = 6
_Function = tuple[str, str]  # file, name


@dataclass(frozen=True, slots=True, kw_only=True)
class _Test:
    """One test of the reference: its id in the original suite and its item in the derived one."""

    id: str
    item: Item


def discover(target: Target) -> tuple[ExpectedTest, ...]:
    """Collect the suite on the reference and prove its assertions there; tests that do not pass are left out.

    Raises ReferenceFaultError when a suite file cannot be collected, or when its derived form collects other tests or
    does not pass where the original does; HarnessError where a run is broken; and as `supervise` does.
    """
    names = suite_names(target.task)
    texts = {name: original(target.task, name) for name in names}
    excluded: dict[str, frozenset[str]] = dict.fromkeys(names, frozenset())
    derived = derive_files(target.task, names)
    ids = _collect(target, texts)
    tests = _paired(ids, _collect(target, _sources(derived)))
    passed = _passing(_play(target, texts, [Item(file=test.item.file, name=test.id) for test in tests]))
    wanted = {test.id for number, test in enumerate(tests) if number in passed}
    clean = 0  # what holds by chance would fail honest subjects: twice in a row
    for _ in range(_ROUNDS):
        tests = [test for test in tests if test.id in wanted]
        seen = _play(target, _sources(derived), [test.item for test in tests])
        proven, unproven = _prove(tests, derived, seen)
        if not any(unproven.values()):
            clean += 1
            if clean == 2:
                break
            continue
        clean = 0
        excluded = {name: keys | unproven.get(name, frozenset()) for name, keys in excluded.items()}
        derived = derive_files(target.task, names, excluded)
        tests = _paired(ids, _collect(target, _sources(derived)))  # ids inside follow from what is hidden
    else:
        raise ReferenceFaultError(f"The suite of {target.task.id} gives other results in every run on the reference.")
    lost = [test.id for number, test in enumerate(tests) if number not in proven]
    if lost:
        raise ReferenceFaultError(f"{lost[0]} passes on the reference as it is written, and not in its derived form.")
    kept = [(test, proven[number]) for number, test in enumerate(tests)]
    turned = _failing_twins(target, tests, derived)
    durations = {tests[number].id: unit[0].duration_s for number, unit in seen.units.items()}
    return _expected(kept, derived, durations, turned)


def _play(target: Target, texts: Mapping[str, str], items: Sequence[Item]) -> Seen:
    seen = play(target, texts, items)
    if seen.end is not None:
        seen.end.check()
    return seen


def _sources(derived: Mapping[str, DerivedSuite]) -> dict[str, str]:
    return {name: suite.source for name, suite in derived.items()}


def _collect(target: Target, texts: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    event, collected = collect(target, texts)
    if collected is None or collected.items is None:
        raised = collected.raised if collected is not None else None
        failure = failures.of_collection(raised) if raised else event and failures.of_group(event)
        reason = failure.message if failure else "the sandbox ended early"
        raise ReferenceFaultError(f"The suite of {target.task.id} cannot be collected on the reference: {reason}.")
    items = collected.items
    return {name: tuple(item for item in items if item.startswith(f"{name}::")) for name in texts}


def _paired(originals: Mapping[str, tuple[str, ...]], derived: Mapping[str, tuple[str, ...]]) -> list[_Test]:
    tests = []
    for file, ids in originals.items():
        inside = derived[file]
        if [name.partition("[")[0] for name in ids] != [name.partition("[")[0] for name in inside]:
            raise ReferenceFaultError(f"The suite file {file} collects other tests in its derived form.")
        tests += [_Test(id=name, item=Item(file=file, name=hidden)) for name, hidden in zip(ids, inside, strict=True)]
    return tests


def _passing(seen: Seen) -> set[int]:
    return {
        number
        for number, (event, observation) in seen.units.items()
        if event.left_normally and observation is not None and observation.outcome == "passed"
    }


def _candidates(test: _Test, suite: DerivedSuite, observation: Observation | None) -> tuple[Lowered, ...]:
    """The assertions of a test: those of its function, and those that it recorded (of functions that it calls)."""
    recorded = {key for key, _, _ in observation.records} if observation is not None else set()
    function = suite.function(test.item.name)
    return tuple(item for item in suite.assertions if item.test == function or item.key in recorded)


def _prove(
    tests: Sequence[_Test], derived: Mapping[str, DerivedSuite], seen: Seen
) -> tuple[dict[int, frozenset[str]], dict[str, frozenset[str]]]:
    """Per test the keys that hold on plain data; per file those that do not, or whose test does not pass with them."""
    passing = _passing(seen)
    unproven: dict[str, set[str]] = {}
    cases, numbers = [], []
    for number, test in enumerate(tests):
        suite = derived[test.item.file]
        _, observation = seen.units.get(number, (None, None))
        lowered = _candidates(test, suite, observation)
        if number not in passing or observation is None:
            unproven.setdefault(test.item.file, set()).update(item.key for item in lowered)
            continue
        function = lowered[0].test if lowered else suite.function(test.item.name)
        arguments = suite.arguments(function, test.item.name)
        cases.append(Case(lowered=lowered, records=observation.records, arguments=arguments))
        numbers.append(number)
    proven = {}
    for number, verdicts in zip(numbers, judge(cases, plain=True), strict=True):
        proven[number] = frozenset(verdict.key for verdict in verdicts if verdict.state == "holds")
        bad = {verdict.key for verdict in verdicts if verdict.state != "holds"}
        unproven.setdefault(tests[number].item.file, set()).update(bad)
    return proven, {file: frozenset(keys) for file, keys in unproven.items()}


def _failing_twins(target: Target, tests: Sequence[_Test], derived: Mapping[str, DerivedSuite]) -> dict[_Function, str]:
    """(file, function) to the key of the assertion whose twin fails on the reference, for all of its items.

    Whatever is a twin, no other test may come out otherwise: a file has none where a test of another file runs its.
    """
    functions = [(test.item.file, derived[test.item.file].function(test.item.name)) for test in tests]
    rng = random.Random(0)

    def turned(keys: Mapping[_Function, str]) -> Seen:
        texts = {
            name: twinned(suite, {function for file, function in keys if file == name}, rng).source
            for name, suite in derived.items()
        }
        return _play(target, texts, [test.item for test in tests])

    def strikes_others(keys: Mapping[_Function, str], seen: Seen) -> bool:
        passing = _passing(seen)
        return any(key not in keys and number not in passing for number, key in enumerate(functions))

    keys = {(name, function): key for name, suite in derived.items() for function, key in twin_keys(suite).items()}
    if not keys.keys() & set(functions):
        return {}
    seen = turned(keys)
    if strikes_others(keys, seen):
        for file in derived:
            alone = {function: key for function, key in keys.items() if function[0] == file}
            if alone and strikes_others(alone, turned(alone)):
                keys = {function: key for function, key in keys.items() if function[0] != file}
        seen = turned(keys)
        if strikes_others(keys, seen):
            return {}
    for number in _passing(seen) | (set(range(len(tests))) - seen.units.keys()):
        keys.pop(functions[number], None)
    return keys


def _expected(
    kept: Sequence[tuple[_Test, frozenset[str]]],
    derived: Mapping[str, DerivedSuite],
    durations: Mapping[str, float],
    turned: Mapping[_Function, str],
) -> tuple[ExpectedTest, ...]:
    exposed = []
    for test, keys in kept:
        suite = derived[test.item.file]
        lowered = tuple(item for item in suite.assertions if item.key in keys)
        function = lowered[0].test if lowered else suite.function(test.item.name)
        exposed.append(
            Exposed(
                lowered=lowered,
                inputs=suite.inputs.get(function, ()),
                arguments=suite.arguments(function, test.item.name),
            )
        )
    found = []
    for (test, _), seen, resistance in zip(kept, exposed, resist(exposed), strict=True):
        suite = derived[test.item.file]
        records = [AssertionRecord(key=item.key, line=item.line, moved=True) for item in seen.lowered]
        functions = {suite.function(test.item.name), *(item.test for item in seen.lowered)}
        records += [
            AssertionRecord(
                key=item.key,
                line=item.line,
                moved=False,
                reason=item.reason,
                twin=turned.get((test.item.file, item.test)) == item.key,
            )
            for item in suite.kept
            if item.test in functions
        ]
        found.append(
            ExpectedTest(
                id=test.id,
                file=test.item.file,
                assertions=tuple(sorted(records, key=lambda record: (record.line, record.key))),
                protected=resistance.protected,
                duration_s=durations.get(test.id, 0.0),
                item=test.item.name if test.item.name != test.id else None,
            )
        )
    return tuple(found)
