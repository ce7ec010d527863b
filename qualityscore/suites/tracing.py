"""What the functional suite enters, in a run of its own: tracing slows the subject, and its verdicts score nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from qualityscore.judging.predicates import Verdict
from qualityscore.model.outcome import Evidence, ExecutedText, FunctionalOutcome, Location, TestOutcome
from qualityscore.model.snapshot import ExpectedTest, JudgedFunction
from qualityscore.runtime.supervision import UnitEvent
from qualityscore.runtime.target import Target
from qualityscore.suites.derived_files import Item, derive_files, suite_names
from qualityscore.suites.observation import Observation, Traced
from qualityscore.suites.playing import excluded_keys, judged, play

_SLOWDOWN = 5.0  # traced code runs several times slower
_MOST_UNREAD = 20
_MOST_TEXTS = 2000
_TEXT_BYTES = 8 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What was entered. `touches` gives the surface entries per test id, `imported_files` what was run as code.

    A function stands with the line of its first decorator, as code objects count. `evidence` lists tests that took
    the tracer away, tests that pass by their own account and entered nothing where the reference was entered, and
    tests that pass only untraced. `evaded`: what such tests enter is not known, so `judged` may lack any function.
    `texts` are what the subject executed, or loaded with its source and without a file. `unread` is code that ran and
    has no source at all, or is not what its file says.
    """

    judged: tuple[JudgedFunction, ...]
    touches: Mapping[str, tuple[str, ...]]
    imported_files: tuple[str, ...]
    evidence: tuple[Evidence, ...] = ()
    evaded: bool = False
    texts: tuple[ExecutedText, ...] = ()
    unread: tuple[JudgedFunction, ...] = ()


def trace(target: Target, expected: Sequence[ExpectedTest], *, untraced: FunctionalOutcome | None = None) -> Trace:
    """Run the expected tests under a tracer that follows child processes.

    `untraced` is how they do without: a test that passes there and not here has evaded the tracer, and a file none of
    whose tests got a process there is not tried again.

    Raises HarnessError where the run is broken, else as `functional.run` does.
    """
    known = set(suite_names(target.task))
    passed: set[str] = set()
    if untraced is not None:
        passed = {result.id for result in untraced.tests if result.outcome is TestOutcome.PASSED}
        ran = {result.id for result in untraced.tests if result.duration_s is not None}
        known &= {test.file for test in expected if test.id in ran}
    tests = [test for test in expected if test.file in known]
    files = list(dict.fromkeys(test.file for test in tests))
    derived = derive_files(target.task, files, excluded_keys(expected))
    items = [Item(file=test.file, name=test.item or test.id) for test in tests]
    texts = {name: suite.source for name, suite in derived.items()}
    seen = play(target, texts, items, trace=True, slowdown=_SLOWDOWN)
    if seen.end is not None:
        seen.end.check()
    verdicts = judged(derived, tests, items, seen)
    functions: set[tuple[str, int, str]] = set()
    foreign: set[tuple[str, int, str]] = set()
    executed: dict[str, ExecutedText] = {}
    collected = seen.collected().values()
    files_run = {path for found in collected for path in found.files}
    for found in collected:
        foreign.update(found.unread)
        foreign.update(_take(found.texts, executed))
    touches: dict[str, tuple[str, ...]] = {}
    evidence: list[Evidence] = []
    evaded = False
    for number, test in enumerate(tests):
        event, observation = seen.units.get(number, (None, None))
        traced = observation.traced if observation is not None else None
        if traced is not None:
            functions.update(traced.functions)
            foreign.update(traced.unread)
            foreign.update(_take(traced.texts, executed))
            files_run.update(traced.files)
            touches[test.id] = tuple(sorted(traced.entries))
            if test.id in passed and test.touches:
                evidence.extend(_entered_nothing(test.id, traced))
            if traced.evasions:
                message = f"{test.id} hides from the harness's tracing: it {', '.join(traced.evasions)}"
                evidence.append(Evidence(kind="tracer_removed", message=message))
                evaded = evaded or test.id in passed
        lost = _why_lost(event, observation, [verdict for _, verdict in verdicts.get(number, ())])
        if lost is not None and test.id in passed:
            evidence.append(Evidence(kind="tracing", message=f"{test.id} passes, but not while it is traced: {lost}"))
            evaded = True
    present = {*target.tree.files, *executed}
    unread = tuple(JudgedFunction(path=p, line=n, qualname=q) for p, n, q in sorted(foreign))
    evidence.extend(_unread(function) for function in unread[:_MOST_UNREAD])
    return Trace(
        judged=tuple(JudgedFunction(path=p, line=n, qualname=q) for p, n, q in sorted(functions) if p in present),
        touches=touches,
        imported_files=tuple(sorted(files_run & set(target.tree.files))),
        evidence=tuple(evidence),
        evaded=evaded,
        texts=tuple(text for _, text in sorted(executed.items())),
        unread=unread,
    )


def _take(found: Sequence[tuple[str, int, bytes]], texts: dict[str, ExecutedText]) -> Iterator[tuple[str, int, str]]:
    """Add executed texts to those that are known; what is more than can be read comes back as code without source."""
    for path, line, source in found:
        text = ExecutedText(path=path, line=line, source=source)
        if text.name in texts:
            text = min(text, texts[text.name], key=lambda known: (known.path, known.line))
        elif len(texts) >= _MOST_TEXTS or sum(len(known.source) for known in texts.values()) > _TEXT_BYTES:
            yield path, line, "<more texts than can be judged>"
            continue
        texts[text.name] = text


def _unread(function: JudgedFunction) -> Evidence:
    message = f"{function.qualname} ran, and its code is in no file and no text that could be read"
    return Evidence(
        kind="unread_code", message=message, location=Location(path=function.path, line=max(1, function.line))
    )


def _entered_nothing(test: str, traced: Traced) -> Iterator[Evidence]:
    if not traced.functions and not traced.entries:
        yield Evidence(kind="entered_nothing", message=f"{test} passes and enters no function of the subject")


def _why_lost(event: UnitEvent | None, observation: Observation | None, verdicts: Sequence[Verdict]) -> str | None:
    """Why a trace cannot show all that the test enters, or None: a test that passes is run to its end."""
    if event is None:
        return "it did not run"
    if not event.left_normally:
        return "its process did not end well"
    if observation is None or observation.traced is None:
        return "it left without a trace"
    if observation.outcome != "passed" or any(verdict.state in {"fails", "missing"} for verdict in verdicts):
        return "it fails"
    return None
