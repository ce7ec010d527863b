"""What a report must not say at once: no evaluation writes a document in which one number rules out another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from qualityscore.model.outcome import TestOutcome
from qualityscore.model.report import (
    DimensionReport,
    FunctionalReport,
    MeasureReport,
    NonFunctionalReport,
    Report,
    Status,
)

_ROUNDING = 1e-6


def contradictions(report: Report) -> Iterator[str]:
    """Every contradiction of a report whose single values are in range, as `key: what is wrong`, in document order."""
    tampered = report.status is Status.TAMPERED
    yield from _functional(report.functional, tampered=tampered)
    # A repository's own tests are listed only where there is an earlier state to compare them with.
    counted_only = report.branch is not None and report.branch.baseline.kind == "none"
    if report.functional.passed and not report.functional.tests and not (tampered or counted_only):
        yield f"functional.tests: none is listed, though {report.functional.passed} passed"
    yield from _interval("non_functional", report.non_functional)
    for name, dimension in report.dimensions.items():
        yield from _interval(f"dimensions.{name}", dimension)
        for measure in dimension.measures:
            yield from _interval(f"dimensions.{name}.measures.{measure.id}", measure)
        yield from _weights(f"dimensions.{name}.measures", dimension.measures)
        yield from _sum(f"dimensions.{name}.score", dimension.score, dimension.measures, "measure")
    yield from _weights("dimensions", tuple(report.dimensions.values()))
    yield from _sum("non_functional.score", report.non_functional.score, tuple(report.dimensions.values()), "dimension")
    yield from _effective(report)
    probes = report.robustness
    if probes is not None and probes.survived > probes.total:
        yield f"robustness.survived: {probes.survived} is more than the total of {probes.total}"
    if report.status is Status.COMPLETE and None in (report.functional.score, report.non_functional.score):
        yield "status: complete, beside a score that is null"


def _functional(functional: FunctionalReport, *, tampered: bool) -> Iterator[str]:
    passed, expected, score = functional.passed, functional.expected, functional.score
    if passed is None:
        if score is not None:
            yield f"functional.passed: null beside a score of {score:g}"
        return
    if passed > expected:
        yield f"functional.passed: {passed} is more than the {expected} expected"
    if tampered:
        return
    if functional.tests and len(functional.tests) != expected:
        yield f"functional.tests: {len(functional.tests)} are listed, {expected} expected"
    counted = sum(test.outcome is TestOutcome.PASSED for test in functional.tests)
    if functional.tests and counted != passed:
        yield f"functional.passed: {passed}, but {counted} of the listed tests passed"
    if score is not None and not _close(score * expected, passed):
        yield f"functional.score: {score:g} is not {passed} of {expected}"


def _interval(place: str, scored: NonFunctionalReport | DimensionReport | MeasureReport) -> Iterator[str]:
    low, score, high = scored.low, scored.score, scored.high
    if low is not None and high is not None and low > high:
        yield f"{place}: its interval ends at {high:g}, before it begins at {low:g}"
    elif score is not None and not (low is None or low <= score) & (high is None or score <= high):
        yield f"{place}.score: {score:g} lies outside its own interval"


Weighed = Sequence[DimensionReport] | Sequence[MeasureReport]


def _weights(place: str, weighed: Weighed) -> Iterator[str]:
    total = math.fsum(one.weight for one in weighed)
    if any(one.applicable for one in weighed) and not _close(total, 1):
        yield f"{place}: the weights add up to {total:.4g} instead of 1, so one is missing or wrong"


def _sum(place: str, score: float | None, weighed: Weighed, part: str) -> Iterator[str]:
    terms = [(one.weight, one.score) for one in weighed if one.applicable]
    if score is None:
        return
    if not terms:
        yield f"{place}: {score:g}, though it holds no {part}"
        return
    known = [weight * value for weight, value in terms if value is not None]
    if len(known) < len(terms):
        yield f"{place}: {score:g}, though a part of it is null"
    elif not _close(score, math.fsum(known)):
        yield f"{place}: {score:g}, but its weighted parts add up to {math.fsum(known):g}"


def _effective(report: Report) -> Iterator[str]:
    functional, non_functional = report.functional.score, report.non_functional.score
    product = None if functional is None or non_functional is None else functional * non_functional
    if product is None and report.effective is not None:
        yield f"effective: {report.effective:g}, though a score that it multiplies is null"
    elif product is not None and report.effective is None:
        yield "effective: null beside two scores"
    elif product is not None and report.effective is not None and not _close(product, report.effective):
        yield f"effective: {report.effective:g} is not the product {product:g} of the two scores"


def _close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_ROUNDING, abs_tol=_ROUNDING)
