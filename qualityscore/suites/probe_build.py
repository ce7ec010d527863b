"""Builds a task's manifest from its reference alone: candidates are run, what is steady and harmless is frozen.

The reference runs under three hash seeds and three clocks: one that stands still weeks from now, one that moves a
little at each reading years from now, the real one. Dropped are candidates on which it varies, commits a hard fault,
raises what is no clean exception, takes more than a second, or has effects outside the scratch folder. The same
reference, seed and review give the same manifest byte for byte.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

from qualityscore.errors import ReferenceFaultError
from qualityscore.runtime import contention
from qualityscore.runtime.sandbox.base import SUBJECT_DIR
from qualityscore.runtime.target import Target
from qualityscore.suites import probe_bases, probe_examples, probe_review, properties
from qualityscore.suites.manifest import (
    Call,
    Manifest,
    NotProbed,
    Probe,
    ProbedEntry,
    Raised,
    Returned,
    bears,
)
from qualityscore.suites.observed import Ended, GaveValue, RaisedError, Seen
from qualityscore.suites.probe_candidates import Candidate, Form, as_call, candidates, sensible_calls, whole_calls
from qualityscore.suites.probe_evidence import given_by_stubs
from qualityscore.suites.probe_replay import EntryRecord, Script, Step, replay
from qualityscore.suites.probe_selection import Chosen, select, tells
from qualityscore.suites.probe_survey import survey
from qualityscore.suites.readable import show
from qualityscore.suites.robustness import launcher, zygote_args
from qualityscore.suites.survival import hard_fault, outcome_key, why_unclean

HASH_SEEDS = (0, 1, 4242)
RUNS = range(len(HASH_SEEDS))
FLOAT_TOLERANCE = 1e-9
_DAY_S, _HOUR_S, _MINUTE_S = 86_400.0, 3_600.0, 60.0
CLOCKS: tuple[dict[str, float] | None, ...] = (
    # Both show another hour, day of the week, day and month than the real one, and one of them another half of the day.
    # Only the future counts: nothing is replayed before it was built.
    {"shift_s": 40 * _DAY_S + 5 * _HOUR_S + 17 * _MINUTE_S + 7.3, "step_s": 0.0},
    {"shift_s": 3447 * _DAY_S + 13 * _HOUR_S + 29 * _MINUTE_S + 19.6, "step_s": 0.05},
    None,
)
_SLOW_S = 1.0
_LIMIT_S = 2.0
_MEMORY_BYTES = 1 << 30
_HEADROOM_BYTES = 256 << 20
_MEMORY_STEP = 64 << 20
_TOTAL_S = 1800.0
_UNIT_S = 300.0  # all candidates of an entry: what ends early would be dropped by how busy the host is
_START_S = 60.0
_FEWEST, _MOST, _PER_TASK = 26, 140, 280
_TRIED = 30  # calls of an entry that may be its base


def build(target: Target, seed: int, *, avoid: frozenset[tuple[str, ...]] = frozenset()) -> Manifest:
    """The manifest of a task from its reference. `avoid` are probes, as (setup..., call), that must not come again.

    Raises ReferenceFaultError where the reference cannot be imported or surveyed, or a property does not hold on it.
    """
    review = probe_review.load(target.task.probes_folder)
    examples = probe_examples.load(target.task.probes_folder)
    known, wider = survey(target, seed)
    wider = probe_examples.added(wider, examples)
    worked = {example.entry for example in examples.example}
    dropped: Counter[str] = Counter()
    bases = probe_bases.alone(
        partial(_ask, target),
        {e.entry.name: sensible_calls(known, e)[:_TRIED] for e in known.entries if e.entry.name not in worked},
    )
    # Only what has no base so far is asked with wider knowledge: the candidates of the others stay what they are.
    left = [entry for entry in wider.entries if entry.entry.name not in bases]
    tried = {entry.entry.name: sensible_calls(wider, entry)[:_TRIED] for entry in left}
    whole = {entry.entry.name: whole_calls(entry)[:_TRIED] for entry in left}
    bases |= probe_bases.with_others(partial(_ask, target), tried, whole)
    bases = probe_bases.read(partial(_ask, target), bases)
    surveyed = {entry.entry.name: (wider, entry) for entry in wider.entries}
    surveyed |= {entry.entry.name: (known, entry) for entry in known.entries if entry.entry.name not in tried}
    not_probed = [NotProbed(entry=name, reason=why) for name, why in wider.left_out]
    not_probed += [
        NotProbed(
            entry=name,
            reason="no call of it returns steadily" if tried[name] or whole[name] else "no call of it is known",
        )
        for name in surveyed
        if name not in bases
    ]
    not_probed += [
        NotProbed(entry=name, parameter=p.name, reason="nothing says what kind of value it takes")
        for name, (_, entry) in surveyed.items()
        for p in entry.parameters
        if not p.categories and not (p.how == "VAR_KEYWORD" and len(entry.parameters) > 1)
    ]
    forms = {name: bases[name].form for name in surveyed if name in bases}
    made = {
        name: [
            c
            for c in candidates(
                *surveyed[name],
                form,
                seed,
                gives_function=bases[name].gives_function,
                gives_items=bases[name].gives_items,
                others=bases[name].others,
            )
            if (*c.setup, c.call) not in avoid and not review.leaves_out(name, c.inputs)
        ]
        for name, form in forms.items()
    }
    steady = _steady(target, forms, made, dropped)
    steady = _without_what_stubs_give(target, forms, steady)
    most = max(_FEWEST, min(_MOST, math.ceil(_PER_TASK / max(len(forms), 1))))
    chosen = {name: select(found, most) for name, found in steady.items()}
    chosen, records = _settle(target, forms, chosen, dropped)
    entries = [_entry(name, forms[name], found, records[name], review) for name, found in chosen.items() if found]
    return Manifest(
        schema_version=1,
        task_id=target.task.id,
        reference=_reference_name(target),
        seed=seed,
        hash_seeds=list(HASH_SEEDS),
        float_tolerance=FLOAT_TOLERANCE,
        entries=entries,
        properties=properties.survey(target),
        not_probed=not_probed,
        dropped=dict(sorted(dropped.items())),
    )


def _reference_name(target: Target) -> str:
    spec = target.task.spec.reference
    return f"{spec.distribution} {spec.version}" if spec.distribution else str(spec.path or spec.commit)


def run_once(target: Target, scripts: list[Script], number: int) -> dict[str, EntryRecord]:
    """One run of all scripts on the reference under one of the hash seeds and clocks (`number` in RUNS)."""
    args = {**zygote_args(target), "watch_effects": True, "clock": CLOCKS[number]}
    return replay(
        scripts,
        launcher(target, env={"PYTHONHASHSEED": str(HASH_SEEDS[number])}),
        args,
        total_s=_TOTAL_S * contention.stretch(),
        start_s=_START_S * contention.stretch(),
        progress=lambda _done: None,
    )


def _ask(target: Target, steps: Mapping[str, probe_bases.Steps]) -> list[dict[str, EntryRecord]]:
    """Runs of calls of which it is not known yet whether they return.

    Raises ReferenceFaultError where a run has no process in which they can be tried.
    """
    scripts = [building_script(name, Call(setup=[], call="None"), probes) for name, probes in steps.items()]
    runs = [run_once(target, scripts, number) for number in RUNS]
    for number, run in enumerate(runs, start=1):
        for name, record in run.items():
            if record.absent is not None:
                raise ReferenceFaultError(
                    f"the reference of task {target.task.id} cannot be asked about {name} under clock {number} of "
                    f"{len(runs)}: {record.absent}"
                )
    return runs


def _script(name: str, form: Form, found: Iterable[Candidate]) -> Script:
    steps: list[Step] = [(index, list(c.setup), c.call, list(c.arguments)) for index, c in enumerate(found)]
    return building_script(name, as_call(form), steps)


def building_script(name: str, sensible: Call, steps: Iterable[Step]) -> Script:
    """A script for the reference: each step has its arguments as a fourth item; limits leave it room.

    On a busy host they leave more: what is slow is told by CPU time.
    """
    return Script(
        entry=name,
        sensible=(sensible.setup, sensible.call),
        probes=tuple(steps),
        limit_s=_LIMIT_S * contention.stretch(),
        memory_bytes=_MEMORY_BYTES,
        unit_s=_UNIT_S,
    )


def _steady(
    target: Target, forms: dict[str, Form], made: dict[str, list[Candidate]], dropped: Counter[str]
) -> dict[str, list[Chosen]]:
    """The candidates that the reference answers steadily and harmlessly."""
    scripts = [_script(name, forms[name], found) for name, found in made.items() if found]
    runs = [run_once(target, scripts, number) for number in RUNS]
    kept: dict[str, list[Chosen]] = {}
    for script in scripts:
        kept[script.entry] = []
        for index, candidate in enumerate(made[script.entry]):
            why = why_dropped(target, [run[script.entry] for run in runs], index)
            if why is not None:
                dropped[why] += 1
                continue
            seen = runs[0][script.entry].seen[index]
            kept[script.entry].append(
                Chosen(candidate=candidate, outcome=outcome_of(target, seen), telling=tells(seen))
            )
    return kept


def _without_what_stubs_give(
    target: Target, forms: dict[str, Form], steady: dict[str, list[Chosen]]
) -> dict[str, list[Chosen]]:
    """The same candidates; those whose value a stub of the surface gives as well no longer tell anything."""
    told = {name: [i for i, chosen in enumerate(found) if chosen.telling] for name, found in steady.items()}
    scripts = [
        replace(script, probes=tuple(script.probes[index] for index in told[script.entry]))
        for script in (_script(name, forms[name], [c.candidate for c in found]) for name, found in steady.items())
    ]
    expected = {
        (name, index): outcome
        for name, indices in told.items()
        for index in indices
        if isinstance(outcome := steady[name][index].outcome, Returned)
    }
    given = given_by_stubs(target, scripts, expected, FLOAT_TOLERANCE)
    return {
        name: [replace(chosen, telling=False) if (name, i) in given else chosen for i, chosen in enumerate(found)]
        for name, found in steady.items()
    }


def why_dropped(target: Target, records: list[EntryRecord], index: int) -> str | None:
    """Why a probe cannot be kept, from the reference's runs of its entry; None where it can.

    Raises ReferenceFaultError where the sensible call did not return.
    """
    documented = frozenset(target.task.spec.documented_exceptions)
    for record in records:
        if record.absent is not None:
            raise ReferenceFaultError(f"the reference's sensible call stopped working: {record.absent}")
        seen = record.seen[index]
        if isinstance(seen, Ended):
            return f"hard fault: {seen.how}"
        if isinstance(seen, RaisedError):
            fault = hard_fault(None, seen)
            if fault is not None and not fault.startswith("changed its argument"):
                return "hard fault: exception"
            if seen.stage == "setup":
                return "its preparation raises"
            if why_unclean(seen, documented) is not None:
                return "no clean exception"
        if record.effects.get(index) == ("chance",):
            return "depends on chance"
        if record.effects.get(index):
            return "effects outside the scratch folder"
        if record.cpu_s[index] > _SLOW_S:
            return "slow"
        after = record.after.get(index)
        if after is None or outcome_key(after) != outcome_key(record.before[index]):
            return "changes later calls"
    if len({_steady_key(record.seen[index]) for record in records}) > 1:
        return "varies"
    return None


def _steady_key(seen: Seen) -> tuple[str, ...]:
    """An exception's text may show an order or an address that its type does not."""
    if isinstance(seen, RaisedError):
        return ("raised", seen.type, *seen.mutated)
    return outcome_key(seen)


def outcome_of(target: Target, seen: Seen) -> Returned | Raised:
    """What the manifest says about one run of the reference, which did not end its process."""
    if isinstance(seen, GaveValue):
        large = seen.large or not bears(seen.value)
        return Returned(
            digest=seen.digest,
            value=None if large else seen.value,
            large=large,
            shown="a large value" if large else show(seen.value),
            mutates=list(seen.mutated),
        )
    assert isinstance(seen, RaisedError)
    return Raised(type=seen.type, site=_site(target, seen), mutates=list(seen.mutated))


def _site(target: Target, seen: RaisedError) -> str:
    """Where the reference raised: file, function and source line; a callback of the probe is a site of its own."""
    if seen.frames and seen.frames[-1][2] == "raiser":
        return probe_review.CALLBACK_SITE
    own = [frame for frame in seen.frames if frame[0].startswith(SUBJECT_DIR + "/")]
    if not own:
        return f"the call itself: {seen.type.rpartition('.')[2]}"
    file, line, function = own[-1]
    inner = file.removeprefix(SUBJECT_DIR + "/")
    try:
        # lines as the interpreter counts them: splitlines would end one at a form feed, too
        text = (target.tree.root / inner).read_text("utf-8", "replace").split("\n")[line - 1].strip()
    except (OSError, IndexError):
        text = ""
    deeper = "" if own[-1] == seen.frames[-1] and text.startswith("raise") else f" ({seen.type.rpartition('.')[2]})"
    return f"{inner} {function}: {text}{deeper}"


def _settle(
    target: Target, forms: dict[str, Form], chosen: dict[str, list[Chosen]], dropped: Counter[str]
) -> tuple[dict[str, list[Chosen]], dict[str, EntryRecord]]:
    """Run exactly what will be replayed, in its order, until nothing has to be dropped."""
    while True:
        scripts = [_script(name, forms[name], [c.candidate for c in found]) for name, found in chosen.items() if found]
        runs = [run_once(target, scripts, number) for number in RUNS]
        kept: dict[str, list[Chosen]] = {}
        for script in scripts:
            name = script.entry
            kept[name] = []
            for index, old in enumerate(chosen[name]):
                why = why_dropped(target, [run[name] for run in runs], index)
                if why is None and outcome_of(target, runs[0][name].seen[index]) != old.outcome:
                    why = "varies"
                if why is None:
                    kept[name].append(old)
                else:
                    dropped[why] += 1
        if sum(map(len, kept.values())) == sum(map(len, chosen.values())):
            return kept, runs[-1]
        chosen = kept


def _entry(name: str, form: Form, found: list[Chosen], record: EntryRecord, review: probe_review.Review) -> ProbedEntry:
    values: set[str] = set()
    probes = []
    for chosen in found:
        candidate, outcome = chosen.candidate, chosen.outcome
        kind = review.kind(name, candidate.inputs, outcome)
        is_value = kind == "valid" and chosen.telling and isinstance(outcome, Returned) and outcome.digest not in values
        if is_value and isinstance(outcome, Returned):
            values.add(outcome.digest)
        text = "\n".join([*candidate.setup, candidate.call])
        probes.append(
            Probe(
                id=f"{name}#{hashlib.sha256(text.encode()).hexdigest()[:10]}",
                kind=kind,
                setup=list(candidate.setup),
                call=candidate.call,
                inputs=candidate.inputs,
                outcome=outcome,
                value=is_value,
            )
        )
    slowest = max(record.cpu_s.values(), default=0.0)
    used = math.ceil(record.maxrss_bytes / _MEMORY_STEP) * _MEMORY_STEP
    return ProbedEntry(
        name=name,
        sensible=as_call(form),
        limit_s=_LIMIT_S if slowest * 10 <= _LIMIT_S else 2.0 ** math.ceil(math.log2(slowest * 10)),
        memory_bytes=used + _HEADROOM_BYTES,
        probes=probes,
    )
