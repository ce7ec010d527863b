"""How a report's scores came about: from NF down to each raw value, and where the weights come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from qualityscore.core.ahp import judgement_text, principal
from qualityscore.core.profile import DimensionSpec, Profile
from qualityscore.errors import ReportError
from qualityscore.model.measure import Direction, MetricSpec, Scoring, Unit
from qualityscore.model.outcome import EntryOutcome, TestOutcome
from qualityscore.model.report import (
    CredibilityReport,
    DimensionReport,
    FunctionalReport,
    MeasureReport,
    Report,
    RobustnessReport,
)

MINUS, TIMES = "−", "×"
_MOST_SHARES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One statement with what it rests on."""

    text: str
    children: tuple[Explanation, ...] = ()


def explain(report: Report, profile: Profile, name: str | None = None) -> Explanation:
    """The explanation of NF and everything under it, or of functional (F), credibility (c),
    non_functional (NF), one dimension or measure.

    `profile` must be the one that the report was scored under. Raises ReportError for a name that the report lacks, and
    for a report that does not hold exactly the dimensions and measures of the profile.
    """
    _require_profile(report, profile)
    match name:
        case None | "effective":
            return _whole(report, profile)
        case "functional" | "F":
            return _functional(report.functional)
        case "credibility" | "c":
            return _credibility(report)
        case "non_functional" | "NF":
            return _total(report, profile)
    for spec in profile.dimensions:
        dimension = report.dimensions[spec.id]
        if name == spec.id:
            return _dimension(spec, dimension, profile, report)
        for metric, measure in zip(spec.metrics, dimension.measures, strict=True):
            if name == measure.id:
                return _measure(metric, measure, spec, report)
    known = (
        ["functional", "credibility", "non_functional"] + [d.id for d in profile.dimensions] + list(profile.measure_ids)
    )
    close = get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"it has {', '.join(known)}."
    raise ReportError(f'The report has no dimension or measure "{name}"; {hint}')


def _require_profile(report: Report, profile: Profile) -> None:
    for spec in profile.dimensions:
        if spec.id not in report.dimensions:
            raise ReportError(f'The report lacks the dimension {spec.id} of its profile "{profile.name}".')
        held = [measure.id for measure in report.dimensions[spec.id].measures]
        wanted = [metric.id for metric in spec.metrics]
        if held != wanted:
            raise ReportError(
                f"The report holds the measures {', '.join(held) or 'none'} in {spec.id}, where its profile "
                f'"{profile.name}" has {", ".join(wanted)}.'
            )
    for name in report.dimensions:
        if name not in [spec.id for spec in profile.dimensions]:
            raise ReportError(f'The report holds a dimension {name} that its profile "{profile.name}" does not have.')


def lines(explanation: Explanation, depth: int = 0) -> Iterator[str]:
    """The explanation as indented lines."""
    yield "  " * depth + explanation.text
    for child in explanation.children:
        yield from lines(child, depth + 1)


def quantity(value: float | None, unit: Unit) -> str:
    """A raw value with its unit, for people."""
    if value is None:
        return "nothing"
    match unit:
        case Unit.BYTES:
            return f"{value / 1024**2:.3f} MiB" if value >= 100 * 1024 else f"{value:.0f} bytes"
        case Unit.INSTRUCTIONS | Unit.COUNT:
            return f"{value:,.0f}"
        case Unit.SECONDS:
            return f"{value:.6g} s"
        case _:
            return f"{value:.4f}".rstrip("0").rstrip(".")


def interval_text(score: float | None, low: float | None, high: float | None) -> str:
    """A score with its interval, where it has one."""
    if score is None:
        return "not scored" if low is None or high is None else f"not measured, between {low:.4f} and {high:.4f}"
    if low is None or high is None or low == high:
        return f"{score:.4f}"
    return f"{score:.4f} (95 % interval {low:.4f} to {high:.4f})"


def _whole(report: Report, profile: Profile) -> Explanation:
    nf, f = report.non_functional, report.functional
    effective = (
        "not scored"
        if report.effective is None or f.score is None or nf.score is None
        else f"F {TIMES} NF = {f.score:.4f} {TIMES} {nf.score:.4f} = {report.effective:.4f}"
    )
    return Explanation(
        text=f"effective: {effective} (status {report.status.value})",
        children=(_functional(f), _credibility(report), _total(report, profile)),
    )


def _total(report: Report, profile: Profile) -> Explanation:
    """NF and everything under it."""
    nf = report.non_functional
    scored = [(d, report.dimensions[d.id]) for d in profile.dimensions]
    terms = [(r.weight, d.id, r.score) for d, r in scored if r.applicable]
    left_out = [d.id for d, r in scored if r.left_out]
    return Explanation(
        text=f"NF: not scored, {', '.join(left_out)} left out on request"
        if left_out
        else f"NF = {interval_text(nf.score, nf.low, nf.high)}" + _sum_text(terms, nf.score),
        children=(
            _weights(profile, [r.applicable for _, r in scored]),
            *(_dimension(d, r, profile, report) for d, r in scored),
        ),
    )


def _functional(functional: FunctionalReport) -> Explanation:
    """F, and what failed by class."""
    if functional.passed is None:
        return Explanation(text="F: left out on request" if functional.left_out else "F: not measured")
    failed = [test for test in functional.tests if test.outcome is not TestOutcome.PASSED]
    classes = Counter(
        f"{test.failure.class_name.value}, {test.failure.subclass}" if test.failure else test.outcome.value
        for test in failed
    )
    return Explanation(
        text=f"F = {functional.passed} of {functional.expected} expected tests passed = "
        + ("not scored, since not all could be judged" if functional.score is None else f"{functional.score:.4f}"),
        children=tuple(
            Explanation(text=f"{count} failed by {name}")
            for name, count in sorted(classes.items(), key=lambda pair: (-pair[1], pair[0]))
        ),
    )


def _credibility(report: Report) -> Explanation:
    """c and what it counts: entries that do something right, or a branch's public names that are still defined."""
    credibility = report.credibility
    if credibility.score is None:
        unasked = all(d.left_out for name, d in report.dimensions.items() if name != "resource")
        return Explanation(text="credibility c: left out on request" if unasked else "credibility c: not measured")
    right, wrong = len(credibility.credible), len(credibility.not_credible)
    said = f"{right} entries credible, {wrong} not"
    if report.branch is not None:
        said = f"{right} of {right + wrong} public names still defined"
    return Explanation(text=f"credibility c = {credibility.score:.4f}: {said}")


def _weights(profile: Profile, applicable: Sequence[bool]) -> Explanation:
    judged = principal(profile.matrix)
    left = [d.id for d, applies in zip(profile.dimensions, applicable, strict=True) if not applies]
    note = f"; re-weighed without {', '.join(left)}" if left else ""
    return Explanation(
        text=f'weights: principal eigenvector of the judgements in profile "{profile.name}" '
        f"(λmax {judged.lambda_max:.4f}, CI {judged.ci:.4f}, CR {judged.cr:.4f}){note}"
    )


def _dimension(spec: DimensionSpec, dimension: DimensionReport, profile: Profile, report: Report) -> Explanation:
    if not dimension.applicable:
        return Explanation(text=f"{spec.id}: not applicable, out of the matrix for both sides")
    if dimension.left_out and all(m.details.get("left_out") for m in dimension.measures if m.applicable):
        return Explanation(text=f"{spec.id}: left out on request")
    ids = [d.id for d in profile.dimensions]
    row = ids.index(spec.id)
    others = [
        f"over {other} {judgement_text(profile.matrix[row][column])}"
        for column, other in enumerate(ids)
        if other != spec.id and report.dimensions[other].applicable
    ]
    terms = [(m.weight, m.id, m.score) for m in dimension.measures if m.applicable]
    origin = (
        f"weight {dimension.weight:.4f} in NF, from the judgements {', '.join(others)}" if others else "alone in NF"
    )
    mean = dimension.details.get("geometric_mean_ratio")
    beside = () if mean is None else (Explanation(text=f"geometric mean of the uncapped ratios: {mean:.4f}"),)
    return Explanation(
        text=f"{spec.id} = {interval_text(dimension.score, dimension.low, dimension.high)}"
        + _sum_text(terms, dimension.score),
        children=(
            Explanation(text=origin),
            *beside,
            *(
                _measure(metric, measure, spec, report)
                for metric, measure in zip(spec.metrics, dimension.measures, strict=True)
            ),
        ),
    )


def _sum_text(terms: Sequence[tuple[float, str, float | None]], score: float | None) -> str:
    if not terms:
        return ""
    shown = " + ".join(
        f"{weight:.4f} {TIMES} {name} {'?' if s is None else format(s, '.4f')}" for weight, name, s in terms
    )
    return f" = {shown}" if score is not None or len(terms) > 1 else ""


def _measure(metric: MetricSpec, measure: MeasureReport, spec: DimensionSpec, report: Report) -> Explanation:
    if not measure.applicable:
        return Explanation(text=f"{measure.id}: not applicable, {measure.details.get('not_applicable', 'no baseline')}")
    children = [Explanation(text=line) for line in _formula(metric, measure)]
    children += _part_lines(metric, measure)
    if measure.id == "probes.survival" and report.robustness is not None and measure.value is not None:
        children.append(_survival(report.robustness, report.credibility))
    if measure.verdict is not None:
        children.append(Explanation(text=f"verdict: {measure.verdict}"))
    others = [m for m in report.dimensions[spec.id].measures if m.applicable and m.id != measure.id]
    if others:
        ids = [m.id for m in spec.metrics]
        row = ids.index(measure.id)
        origin = ", ".join(f"over {m.id} {judgement_text(spec.matrix[row][ids.index(m.id)])}" for m in others)
        children.append(Explanation(text=f"weight {measure.weight:.4f} in {spec.id}, from the judgements {origin}"))
    return Explanation(
        text=f"{measure.id} = {interval_text(measure.score, measure.low, measure.high)}: {measure.title}",
        children=tuple(children),
    )


def _survival(robustness: RobustnessReport, credibility: CredibilityReport) -> Explanation:
    """The shares that are not whole, entry by entry and property by property."""
    probed = [entry for entry in robustness.entries if entry.total]
    credible = frozenset(credibility.credible)
    lost = [text for entry in probed if (text := _entry_text(entry, credible))]
    for held in robustness.properties:
        if not held.passed:
            lost.append(f"{held.id}: s = 0, it does not hold")
        elif unshown := [name for name in held.entries if name not in credible]:
            lost.append(f"{held.id}: s = 0, {unshown[0]} is not credible")
    more = len(lost) - _MOST_SHARES
    return Explanation(
        text=f"g = Σ w{TIMES}s / Σ w over {len(probed)} entries, w = √(1 + tests that touch it), and "
        f"{len(robustness.properties)} properties, w = 1; s = survived / all, and 1 where nothing is named here",
        children=tuple(
            Explanation(text=text) for text in [*lost[:_MOST_SHARES], *([f"and {more} more"] if more > 0 else [])]
        ),
    )


def _entry_text(entry: EntryOutcome, credible: frozenset[str]) -> str:
    """How an entry lost a part of its share, empty where it did not."""
    if entry.absent or entry.entry not in credible:
        return f"{entry.entry}: s = 0, {'not defined' if entry.absent else 'not credible'}"
    halved = " / 2, after a hard fault" if entry.hard_fault else ""
    return (
        f"{entry.entry}: s = {entry.survived}/{entry.total}{halved}" if entry.survived < entry.total or halved else ""
    )


def _formula(metric: MetricSpec, measure: MeasureReport) -> Iterator[str]:
    if measure.details.get("tampered"):
        yield "the run was tampered with: 0 in everything"
        return
    if measure.details.get("left_out"):
        yield "left out on request"
        return
    why = measure.details.get("unavailable")
    if why is not None:
        yield f"no value, by the {why['fault']}'s fault: {why['reason']}"
        return
    better = "lower" if metric.better is Direction.LOWER else "higher"
    yield (
        f"value g = {quantity(measure.value, measure.unit)}, baseline b = {quantity(measure.baseline, measure.unit)}, "
        f"{measure.unit.value.replace('_', ' ')}, {better} is better"
    )
    uncredited = _uncredited(metric, measure)
    yield _rule(metric, measure) + (f" = {uncredited:.4f}" if uncredited is not None else "")
    if metric.credible:
        if measure.credibility is None:
            yield f"{TIMES} credibility, which could not be measured"
        elif measure.score is not None:
            shown = "" if uncredited is None else f"{uncredited:.4f} "
            yield f"{shown}{TIMES} credibility {measure.credibility:.4f} = {measure.score:.4f}"


def _uncredited(metric: MetricSpec, measure: MeasureReport) -> float | None:
    """The score before credibility; None where it is not to be had from the report."""
    if not metric.credible:
        return measure.score
    if measure.credibility is None:
        uncredited = measure.details.get("uncredited", measure.score)
        return float(uncredited) if uncredited is not None else None
    return measure.score / measure.credibility if measure.score is not None and measure.credibility > 0 else None


def _rule(metric: MetricSpec, measure: MeasureReport) -> str:
    """The formula with its numbers, up to the equals sign."""
    tolerance = f" / (1 {MINUS} {metric.tolerance:g})" if metric.tolerance else ""
    match metric.scoring:
        case Scoring.PARTS:
            right = measure.details.get("right_share")
            shown = "" if right is None else f", {100 * right:.0f} % of them right"
            return f"s = mean over the parts of min(1, r{tolerance}), r = reference / subject{shown}"
        case Scoring.SHARE:
            return "s = the share itself"
        case Scoring.SATURATING:
            return "s = r / (1 + r), r = g / b"
        case Scoring.VALUE:
            g, b = measure.value or 0.0, measure.baseline or 0.0
            above, below = (b, g) if metric.better is Direction.LOWER else (g, b)
            letters = ("b", "g") if metric.better is Direction.LOWER else ("g", "b")
            e = measure.epsilon
            general = f"({letters[0]} + ε) / ({letters[1]} + ε)" if e else f"{letters[0]} / {letters[1]}"
            numbers = f"({above:.6g} + {e:g}) / ({below:.6g} + {e:g})" if e else f"{above:.6g} / {below:.6g}"
            return f"s = min(1, {general}{tolerance}) = min(1, {numbers}{tolerance})"


def _part_lines(metric: MetricSpec, measure: MeasureReport) -> list[Explanation]:
    return [Explanation(text=_part_text(metric, row, measure.unit)) for row in measure.details.get("parts", ())]


def _part_text(metric: MetricSpec, row: dict[str, object], unit: Unit) -> str:
    score, ratio = row.get("score"), row.get("ratio")
    head = (
        f"{row.get('id')}: {quantity(_number(row.get('value')), unit)} against "
        f"{quantity(_number(row.get('baseline')), unit)}"
    )
    if score is None:
        return f"{head}, unmeasured: {row.get('note') or row.get('fault')}"
    if not row.get("right"):
        return f"{head}, score 0: {row.get('note')}"
    paired = f", median of {len(logs)} pairs" if isinstance(logs := row.get("log_ratios"), list) and logs else ""
    said = f", {row['verdict']}" if row.get("verdict") else ""
    shown = "beyond measure" if ratio is None else f"{_number(ratio):.4f}"
    smoothed = " (smoothed)" if metric.epsilon or metric.epsilon_share else ""
    return f"{head}, r = {shown}{smoothed}{paired}, score {_number(score):.4f}{said}"


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
