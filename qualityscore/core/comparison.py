"""Two labels compared over the tasks that they share, and two single reports compared in detail."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from qualityscore.core.comparability import Comparability
from qualityscore.core.intervals import FEW_TASKS, TOO_NARROW
from qualityscore.core.leaderboard import SIGNIFICANCE, Result
from qualityscore.core.paired import McNemar, SignedRank, holm, mcnemar, signed_rank
from qualityscore.model.finding import Finding
from qualityscore.model.outcome import TestOutcome
from qualityscore.model.report import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class BinaryTest:
    """McNemar's test of one yes-or-no outcome; `p_holm` is adjusted over all different tests of the comparison."""

    quantity: str
    test: McNemar
    p_holm: float
    says: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioTest:
    """Wilcoxon's test of one number. `condition`: over tasks `built_by_both`, or all tasks with `unbuilt_as_0`.

    `left_out` counts the tasks of that condition where a side has no value that was measured.
    """

    quantity: str
    condition: str
    test: SignedRank
    left_out: int
    p_holm: float
    says: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetComparison:
    """Two labels on the same tasks, of which `neither` counts those without a result of either.

    Differences, their intervals and rank-biserial correlations are of the second less the first. `notes` say what to
    beware of.
    """

    first: str
    second: str
    tasks: int
    neither: int
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    binary: tuple[BinaryTest, ...]
    ratios: tuple[RatioTest, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """A score of both reports and second less first; `refused` names the field that forbids the difference."""

    first: float | None
    second: float | None
    difference: float | None
    refused: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What the second report has beyond the first (`new`), has no more (`fixed`), and both have (`unchanged`)."""

    new: tuple[str, ...]
    fixed: tuple[str, ...]
    unchanged: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportComparison:
    """Two reports on the same task. `tests` are failing tests."""

    scores: dict[str, Delta]
    dimensions: dict[str, Delta]
    tests: Changes
    findings: Changes


def compare_sets(
    first: Sequence[Result],
    second: Sequence[Result],
    *,
    known_tasks: Iterable[str] = (),
    expected: int | None = None,
    seed: int,
) -> SetComparison:
    """Test every outcome that both labels have, paired by task.

    Tasks are those that either label has, the `known_tasks`, and as many more as `expected` asks for. Numbers are
    averaged over the repeated samples of a task; yes-or-no outcomes are those of the lowest sample. A task that one
    side has no result for counts as not built there. Every interval starts from `seed`.
    """
    one, other = _by_task(first), _by_task(second)
    tasks = sorted({*one, *other, *known_tasks})
    absent = max(0, (expected or 0) - len(tasks))
    binary = [(name, _mcnemar(name, one, other, tasks, absent)) for name in ("build", "full")]
    ratios: list[tuple[str, str, SignedRank, int]] = []
    both = [t for t in tasks if _built(one.get(t)) and _built(other.get(t))]
    for name, pick in _quantities([*first, *second]):
        for condition, chosen, more in (("built_by_both", both, 0), ("unbuilt_as_0", tasks, absent)):
            ratios.append((name, condition, *_signed_rank(pick, (one, other), chosen, more, seed)))
    adjusted = _adjusted([test.p for _, test in binary], [test for _, _, test, _ in ratios])
    labels = (first[0].label, second[0].label)
    names = labels if labels[0] != labels[1] else (f"{labels[0]} (first)", f"{labels[1]} (second)")
    return SetComparison(
        first=names[0],
        second=names[1],
        tasks=len(tasks) + absent,
        neither=absent + sum(t not in one and t not in other for t in tasks),
        only_first=tuple(sorted(one.keys() - other.keys())),
        only_second=tuple(sorted(other.keys() - one.keys())),
        binary=tuple(
            _said_binary(BinaryTest(quantity=name, test=test, p_holm=p), names)
            for (name, test), p in zip(binary, adjusted[: len(binary)], strict=True)
        ),
        ratios=tuple(
            _said_ratio(RatioTest(quantity=name, condition=condition, test=test, left_out=left, p_holm=p), names)
            for (name, condition, test, left), p in zip(ratios, adjusted[len(binary) :], strict=True)
        ),
        notes=_notes(first, second, [test for _, _, test, _ in ratios]),
    )


def conclusions(comparison: SetComparison) -> tuple[str, ...]:
    """What is shown, a sentence each, and one for all of which no difference is shown, one for what has no tasks."""
    tests: tuple[BinaryTest | RatioTest, ...] = (*comparison.binary, *comparison.ratios)
    shown = [test.says for test in tests if _shows(test)]
    quiet = [test for test in tests if not _shows(test)]
    nothing, empty = ([t for t in quiet if bool(t.test.n) is tested] for tested in (True, False))
    if nothing:
        least = min(test.p_holm for test in nothing)
        shown.append(f"No difference is shown in {_listed(nothing)} ({_p(least)} or more).")
    if empty:
        shown.append(f"No task can be compared in {_listed(empty)}.")
    return tuple(shown)


def compare_reports(first: Report, second: Report, comparable: Comparability) -> ReportComparison:
    """Differences of two reports of one task, second less first."""
    nf = comparable.non_functional
    dimensions = {
        name: _delta(first.dimensions[name].score, second.dimensions[name].score, comparable.refused.get(name))
        for name in first.dimensions
        if name in second.dimensions
    }
    return ReportComparison(
        scores={
            "functional": _delta(first.functional.score, second.functional.score, None),
            "non_functional": _delta(first.non_functional.score, second.non_functional.score, nf),
            "effective": _delta(first.effective, second.effective, nf),
            "credibility": _delta(first.credibility.score, second.credibility.score, None),
        },
        dimensions=dimensions,
        tests=_changes(Counter(_failing(first)), Counter(_failing(second))),
        findings=_changes(Counter(map(_finding, first.findings)), Counter(map(_finding, second.findings))),
    )


def _adjusted(binary: Sequence[float], ratios: Sequence[SignedRank]) -> list[float]:
    """Holm's p of all tests in order, where `ratios` holds both conditions of each quantity.

    Tasks that both build are part of all tasks: where as many differ in either, both are the same test, counted once.
    """
    p_values, places = list(binary), list(range(len(binary)))
    for both, everything in zip(ratios[::2], ratios[1::2], strict=True):
        places.append(len(p_values))
        p_values.append(both.p)
        if both.differing != everything.differing:
            p_values.append(everything.p)
        places.append(len(p_values) - 1)
    adjusted = holm(p_values)
    return [adjusted[place] for place in places]


def _notes(first: Sequence[Result], second: Sequence[Result], tests: Sequence[SignedRank]) -> tuple[str, ...]:
    notes: list[str] = []
    if list(first) == list(second):
        notes.append("Both sides are the same results: nothing can differ.")
    if any(test.low is not None and test.n < FEW_TASKS for test in tests):
        notes.append(f"{TOO_NARROW}: here those of mean differences.")
    return tuple(notes)


def _by_task(results: Sequence[Result]) -> dict[str, Sequence[Result]]:
    by_task: dict[str, list[Result]] = defaultdict(list)
    for result in sorted(results, key=lambda r: r.sample):
        by_task[result.task].append(result)
    return dict(by_task)


def _quantities(results: Sequence[Result]) -> list[tuple[str, Callable[[Result], float | None]]]:
    """What is compared as numbers: F, NF, each dimension's score, and the uncapped ratio behind it."""

    def dimension(name: str) -> Callable[[Result], float | None]:
        return lambda result: result.dimensions.get(name)

    def ratio(name: str) -> Callable[[Result], float | None]:
        return lambda result: result.ratios.get(name)

    names = dict.fromkeys(name for result in results for name in result.dimensions)
    with_ratio = {name for result in results for name, value in result.ratios.items() if value is not None}
    return [
        ("functional", lambda result: result.functional),
        ("non_functional", lambda result: result.non_functional),
        *((name, dimension(name)) for name in names),
        *((f"{name}.ratio", ratio(name)) for name in names if name in with_ratio),
    ]


def _mcnemar(
    name: str,
    one: Mapping[str, Sequence[Result]],
    other: Mapping[str, Sequence[Result]],
    tasks: Sequence[str],
    absent: int,
) -> McNemar:
    def outcomes(side: Mapping[str, Sequence[Result]]) -> list[float | None]:
        return [getattr(side[t][0], name) if t in side else 0.0 for t in tasks] + [0.0] * absent

    pairs = [
        (a > 0, b > 0) for a, b in zip(outcomes(one), outcomes(other), strict=True) if a is not None and b is not None
    ]
    return mcnemar([a for a, _ in pairs], [b for _, b in pairs])


def _signed_rank(
    pick: Callable[[Result], float | None],
    sides: tuple[Mapping[str, Sequence[Result]], Mapping[str, Sequence[Result]]],
    tasks: Sequence[str],
    absent: int,
    seed: int,
) -> tuple[SignedRank, int]:
    one, other = sides
    pairs = [(_value(pick, one.get(t)), _value(pick, other.get(t))) for t in tasks] + [(0.0, 0.0)] * absent
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    if not (_measured(pick, one) and _measured(pick, other)):
        known = []
    rng = np.random.default_rng(seed)
    return signed_rank([a for a, _ in known], [b for _, b in known], rng), len(pairs) - len(known)


def _measured(pick: Callable[[Result], float | None], side: Mapping[str, Sequence[Result]]) -> bool:
    """Whether anything that was built has a value; what builds nowhere is 0 everywhere."""
    built = [sample for samples in side.values() if _built(samples) for sample in samples]
    return not built or any(pick(sample) is not None for sample in built)


def _value(pick: Callable[[Result], float | None], samples: Sequence[Result] | None) -> float | None:
    """The mean over the samples that were measured; 0 where nothing was built."""
    if not _built(samples):
        return 0.0
    values = [value for sample in samples or () if (value := pick(sample)) is not None]
    return math.fsum(values) / len(values) if values else None


def _built(samples: Sequence[Result] | None) -> bool:
    return samples is not None and any(sample.build != 0 for sample in samples)


def _shows(test: BinaryTest | RatioTest) -> bool:
    effect = test.test.difference if isinstance(test, BinaryTest) else test.test.rank_biserial
    return test.p_holm < SIGNIFICANCE and bool(effect)


def _listed(tests: Sequence[BinaryTest | RatioTest]) -> str:
    """Quantities, with the condition where the other one is not among the tests."""
    conditions: dict[str, list[str]] = defaultdict(list)
    for test in tests:
        conditions[test.quantity] += [] if isinstance(test, BinaryTest) else [_where(test)]
    return ", ".join(f"{name} ({found[0]})" if len(found) == 1 else name for name, found in conditions.items())


def _where(test: RatioTest) -> str:
    return "where both build" if test.condition == "built_by_both" else "over all tasks, unbuilt ones as 0"


def _said_binary(test: BinaryTest, names: tuple[str, str]) -> BinaryTest:
    what = {"build": "builds", "full": "passes every test"}[test.quantity]
    m = test.test
    counted = f"{m.only_first} tasks only for {names[0]}, {m.only_second} only for {names[1]}, of {m.n}"
    if not _shows(test) or m.difference is None:
        return replace(
            test, says=f"Nothing is shown about which of them {what} more often ({counted}; {_p(test.p_holm)})."
        )
    behind, ahead = names if m.difference > 0 else names[::-1]
    return replace(test, says=f"{ahead} {what} more often than {behind} ({counted}; {_p(test.p_holm)}).")


def _said_ratio(test: RatioTest, names: tuple[str, str]) -> RatioTest:
    where = _where(test)
    s = test.test
    counted = f"{s.n} tasks, {s.differing} of them differ"
    if s.n == 0:
        return replace(test, says=f"{test.quantity}: no task can be compared {where}.")
    if not _shows(test) or s.rank_biserial is None:
        return replace(test, says=f"{test.quantity}: no difference is shown {where} ({counted}; {_p(test.p_holm)}).")
    behind, ahead = names if s.rank_biserial > 0 else names[::-1]
    return replace(
        test, says=f"{test.quantity}: {ahead} is higher than {behind} {where} ({counted}; {_p(test.p_holm)})."
    )


def _p(value: float) -> str:
    return "Holm-adjusted p < 0.0001" if value < 0.0001 else f"Holm-adjusted p = {value:.4f}"


def _delta(first: float | None, second: float | None, refused: str | None) -> Delta:
    known = first is not None and second is not None and refused is None
    return Delta(
        first=first,
        second=second,
        difference=second - first if known and first is not None and second is not None else None,
        refused=refused,
    )


def _failing(report: Report) -> list[str]:
    return [test.id for test in report.functional.tests if test.outcome is not TestOutcome.PASSED]


def _finding(finding: Finding) -> str:
    """What makes two findings the same: everything but the line, which every edit above it moves."""
    place = ".".join(part for part in (finding.class_name, finding.name) if part)
    where = finding.path or "(project)"
    return f"{finding.code} {where}{f' {place}' if place else ''}: {finding.message}"


def _changes(first: Counter[str], second: Counter[str]) -> Changes:
    return Changes(
        new=tuple(sorted((second - first).elements())),
        fixed=tuple(sorted((first - second).elements())),
        unchanged=(first & second).total(),
    )
