"""One run of the functional suite in the sandbox: what came back by file and item, and the judge's verdicts on it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from qualityscore.judging.lowered import DerivedSuite, Lowered
from qualityscore.judging.predicates import Case, Verdict, judge
from qualityscore.model.snapshot import ExpectedTest
from qualityscore.runtime import contention
from qualityscore.runtime.supervision import EndEvent, Event, GroupEvent, GroupState, Plan, UnitEvent, supervise
from qualityscore.runtime.target import Target
from qualityscore.suites.derived_files import (
    Item,
    Progress,
    check_environment,
    collection_plan,
    laid_out,
    plan,
    silent,
    suite_spec,
)
from qualityscore.suites.executability import ImportTrial
from qualityscore.suites.observation import Collected, Observation, read_collected, read_observation


def play(
    target: Target,
    texts: Mapping[str, str],
    items: Sequence[Item],
    *,
    imports: ImportTrial | None = None,
    progress: Progress = silent,
    trace: bool = False,
    slowdown: float = 1.0,
    env: Mapping[str, str] | None = None,
) -> Seen:
    """Run items of suite files whose texts are given, after what is still to be imported of `imports`.

    `env` is added to the sandbox's environment.

    Raises TaskError without pytest, ImportStoppedError as `ImportTrial.take` does, else as `supervise` does.
    """
    check_environment(target)
    seen = Seen()
    group = imports.group() if imports is not None else None
    first = (group,) if group is not None else ()
    todo = plan(target, items, first=first, trace=trace, slowdown=slowdown, contention=contention.stretch())
    with _events(target, todo, texts, env) as events:
        for event in events:
            if imports is None or not imports.take(event):
                seen.take(event)
                progress(len(seen.units), len(items))
    return seen


def collect(target: Target, texts: Mapping[str, str]) -> tuple[GroupEvent | None, Collected | None]:
    """Collect suite files whose texts are given, all in one process.

    Raises HarnessError where the run is broken, else as `supervise` does.
    """
    check_environment(target)
    todo = collection_plan(target, tuple(texts), contention=contention.stretch())
    with _events(target, todo, texts, None) as events:
        for event in events:
            if isinstance(event, GroupEvent):
                return event, read_collected(event.messages)
            if isinstance(event, EndEvent):
                event.check()
    return None, None


@contextlib.contextmanager
def _events(
    target: Target, todo: Plan, texts: Mapping[str, str], env: Mapping[str, str] | None
) -> Iterator[Iterator[Event]]:
    """The events of a plan on suite files whose texts are given; all is killed at the block's end."""
    spec = suite_spec(target.task)
    with (
        laid_out(target.task, texts) as folder,
        contextlib.closing(
            supervise(target, todo, suite=folder, env=env, memory_bytes=spec.memory_mib << 20, processes=spec.processes)
        ) as events,
    ):
        yield events


@dataclass(slots=True)
class Seen:
    """The events of a run, by file and by the number of the item."""

    groups: dict[str, GroupEvent] = field(default_factory=dict)
    units: dict[int, tuple[UnitEvent, Observation | None]] = field(default_factory=dict)
    end: EndEvent | None = None

    def take(self, event: Event) -> None:
        """Sort one event in."""
        match event:
            case GroupEvent():
                self.groups[event.group] = event
            case UnitEvent():
                self.units[int(event.unit)] = (event, read_observation(event.messages))
            case EndEvent():
                self.end = event

    def collected(self) -> dict[str, Collected]:
        """What each file's zygote said about its collection."""
        found = {file: read_collected(event.messages) for file, event in self.groups.items()}
        return {file: collected for file, collected in found.items() if collected is not None}

    def hung(self) -> frozenset[str]:
        """The suite files whose collection did not end in time."""
        return frozenset(file for file, event in self.groups.items() if event.state is GroupState.TIMEOUT)


def excluded_keys(expected: Sequence[ExpectedTest]) -> dict[str, frozenset[str]]:
    """Per file, the assertions that the snapshot leaves in the child."""
    kept: dict[str, set[str]] = {}
    for test in expected:
        kept.setdefault(test.file, set()).update(record.key for record in test.assertions if not record.moved)
    return {file: frozenset(keys) for file, keys in kept.items()}


def lowered_of(test: ExpectedTest, suite: DerivedSuite) -> tuple[Lowered, ...]:
    """The assertions of a test that the judge evaluates: those that moved when the snapshot was made."""
    moved = {record.key for record in test.assertions if record.moved}
    return tuple(item for item in suite.assertions if item.key in moved)


def judged(
    derived: dict[str, DerivedSuite], expected: Sequence[ExpectedTest], items: Sequence[Item], seen: Seen
) -> dict[int, tuple[tuple[Lowered, Verdict], ...]]:
    """The judge's verdicts on everything that was recorded, by the number of the item."""
    numbers, cases = [], []
    for number, (_, observation) in seen.units.items():
        suite = derived.get(expected[number].file)
        if suite is None or observation is None:
            continue
        lowered = lowered_of(expected[number], suite)
        arguments = suite.arguments(lowered[0].test, items[number].name) if lowered else {}
        numbers.append(number)
        cases.append(Case(lowered=lowered, records=observation.records, arguments=arguments))
    answers = judge(cases)
    return {
        number: tuple(zip(case.lowered, answer, strict=True))
        for number, case, answer in zip(numbers, cases, answers, strict=True)
    }
