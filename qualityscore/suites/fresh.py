"""Fresh inputs: frozen probes drawn again with other words and numbers, the reference asked live, then the subject.

A subject that knows the published inputs answers these as the reference does and their fresh twins as it can. Each
fresh probe stands beside the frozen one that it was drawn from, so the two figures are compared pair by pair.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from qualityscore.core.intervals import sign_test, wilson
from qualityscore.model.outcome import FreshOutcome, ProbeFailure, Share
from qualityscore.runtime.target import Target
from qualityscore.suites import probe_review, properties
from qualityscore.suites.manifest import Manifest, Probe, ProbedEntry
from qualityscore.suites.observed import Ended
from qualityscore.suites.probe_build import RUNS, building_script, outcome_of, run_once, why_dropped
from qualityscore.suites.probe_limits import limits_of
from qualityscore.suites.probe_replay import EntryRecord, Step
from qualityscore.suites.probe_variation import vary
from qualityscore.suites.robustness import answers, failure, verdicts_of
from qualityscore.suites.survival import Verdict

DOUBT = 0.001
"""The probability below which fresh answers that are worse than frozen ones are no chance (one-sided sign test)."""

_SHOWN = 5
_SETTLED = ("valid", "guarded")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """A frozen probe and its fresh twin, each with the verdict over the subject."""

    frozen: Probe
    fresh: Probe
    frozen_verdict: Verdict
    fresh_verdict: Verdict


def run(
    target: Target, reference: Target, manifest: Manifest, seed: int, *, progress: Callable[[int, int], None]
) -> FreshOutcome:
    """Draw twins from the seed, freeze what the reference answers, and compare the subject on both.

    `progress(done, total)` counts four parts. Raises ReferenceFaultError where the reference cannot be asked, and
    HarnessError where a run breaks.
    """
    parents, twins = draw(reference, manifest, seed)
    progress(1, 4)
    pairs = _compare(target, parents, twins)
    progress(2, 4)
    limits = limits_of(target.task)
    left_s = limits.total_s - limits.probes_s
    holding = {p.id for p in properties.run(reference, manifest, total_s=left_s, seed=seed) if p.passed}
    progress(3, 4)
    asked = manifest.model_copy(update={"properties": [p for p in manifest.properties if p.id in holding]})
    proven = properties.run(target, asked, total_s=left_s, seed=seed)
    progress(4, 4)
    settled = [pair for pair in pairs if pair.frozen.kind in _SETTLED and pair.fresh.kind in _SETTLED]
    worse = [p for p in settled if p.frozen_verdict.right and not p.fresh_verdict.right]
    better = [p for p in settled if p.fresh_verdict.right and not p.frozen_verdict.right]
    chance = sign_test(len(worse), len(better))
    return FreshOutcome(
        seed=seed,
        frozen_survived=_share([pair.frozen_verdict.survived for pair in pairs]),
        fresh_survived=_share([pair.fresh_verdict.survived for pair in pairs]),
        frozen_right=_share([pair.frozen_verdict.right for pair in settled]),
        fresh_right=_share([pair.fresh_verdict.right for pair in settled]),
        worse=len(worse),
        better=len(better),
        chance=chance,
        agrees=chance >= DOUBT,
        differences=_smallest(target, worse),
        properties=proven,
    )


def draw(reference: Target, manifest: Manifest, seed: int) -> tuple[Manifest, Manifest]:
    """(frozen, fresh): the probes that can be varied, and their twins with the reference's live outcomes, in pairs."""
    review = probe_review.load(reference.task.probes_folder)
    varied = {entry.name: _twins(entry, manifest, seed) for entry in manifest.entries}
    scripts = []
    for entry in manifest.entries:
        steps: list[Step] = [(index, setup, call, []) for index, (_, setup, call) in enumerate(varied[entry.name])]
        scripts += [building_script(entry.name, entry.sensible, steps)] if steps else []
    runs = [run_once(reference, scripts, number) for number in RUNS]
    frozen_entries, fresh_entries = [], []
    for entry in manifest.entries:
        parents, twins = [], []
        for index, (parent, setup, call) in enumerate(varied[entry.name]):
            if why_dropped(reference, [records[entry.name] for records in runs], index) is not None:
                continue
            seen = runs[0][entry.name].seen[index]
            assert not isinstance(seen, Ended)
            outcome = outcome_of(reference, seen)
            parents.append(parent)
            kind = review.kind(entry.name, parent.inputs, outcome)
            twins.append(
                Probe(
                    id=f"{parent.id}-fresh",
                    kind=kind,
                    setup=setup,
                    call=call,
                    inputs=parent.inputs,
                    outcome=outcome,
                )
            )
        if parents:
            frozen_entries.append(entry.model_copy(update={"probes": parents}))
            fresh_entries.append(entry.model_copy(update={"probes": twins}))
    return (
        manifest.model_copy(update={"entries": frozen_entries}),
        manifest.model_copy(update={"entries": fresh_entries, "seed": seed}),
    )


def _twins(entry: ProbedEntry, manifest: Manifest, seed: int) -> list[tuple[Probe, list[str], str]]:
    """(frozen probe, setup, call) of every probe that can be drawn again and comes out unlike all frozen ones."""
    known = {(*probe.setup, probe.call) for probe in entry.probes}
    methods = {other.name.rpartition(".")[2] for other in manifest.entries}
    found = []
    for probe in entry.probes:
        drawn = vary(probe.setup, probe.call, random.Random(f"{seed} {probe.id}"), fixed=methods)
        if drawn is not None and (*drawn[0], drawn[1]) not in known:
            known.add((*drawn[0], drawn[1]))
            found.append((probe, *drawn))
    return found


def _compare(target: Target, frozen: Manifest, fresh: Manifest) -> list[_Pair]:
    """The subject's verdicts, pair by pair; an entry whose sensible call does not return survives nothing."""
    limits = limits_of(target.task)
    seen = [answers(target, manifest, limits, progress=lambda _done: None) for manifest in (frozen, fresh)]
    pairs = []
    for old, new in zip(frozen.entries, fresh.entries, strict=True):
        old_verdicts = _verdicts(target, frozen, old, seen[0][old.name])
        new_verdicts = _verdicts(target, fresh, new, seen[1][new.name])
        for parent, twin, first, second in zip(old.probes, new.probes, old_verdicts, new_verdicts, strict=True):
            pairs.append(_Pair(frozen=parent, fresh=twin, frozen_verdict=first, fresh_verdict=second))
    return pairs


def _verdicts(target: Target, manifest: Manifest, entry: ProbedEntry, record: EntryRecord) -> list[Verdict]:
    if record.absent is not None:
        return [Verdict(survived=False, hard=False, right=False, seen=record.absent)] * len(entry.probes)
    return verdicts_of(target, manifest, entry, record)


def _share(outcomes: list[bool]) -> Share:
    count = sum(outcomes)
    low, high = wilson(count, len(outcomes)) or (None, None)
    return Share(count=count, total=len(outcomes), low=low, high=high)


def _smallest(target: Target, pairs: list[_Pair]) -> tuple[ProbeFailure, ...]:
    """The smallest fresh inputs that the subject answers otherwise than the reference, though not their twins."""
    ordered = sorted(pairs, key=lambda pair: sum(map(len, pair.fresh.setup)) + len(pair.fresh.call))
    return tuple(failure(target, pair.fresh, pair.fresh_verdict) for pair in ordered[:_SHOWN])
