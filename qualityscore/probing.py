"""Building a task's probes and proving them on its reference: `qualityscore probes build`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from qualityscore.errors import ReferenceFaultError
from qualityscore.model.task import Task
from qualityscore.snapshots import reference_target
from qualityscore.suites import probe_build, probe_examples, probe_review, robustness
from qualityscore.suites.manifest import Manifest, as_read
from qualityscore.suites.probe_candidates import AS_CALLED


def build(task: Task, seed: int, *, unsafe: bool, say: Callable[[str], None]) -> Manifest:
    """The manifest of a task, which its reference survives whole.

    Raises ReferenceFaultError where the reference cannot be probed, or does not survive what was built, and
    HarnessError where what was built could not be loaded again.
    """
    probe_examples.load(task.probes_folder)
    probe_review.load(task.probes_folder)  # what is wrong with it is said before anything runs
    with reference_target(task, None, unsafe=unsafe) as target:
        say("the reference is asked what it survives")
        manifest = as_read(probe_build.build(target, seed))
        say("the reference is judged by its own probes")
        outcome = robustness.run(replace(target, is_reference=True), manifest)
    lost = [entry.entry for entry in outcome.entries if entry.survived < entry.total or entry.hard_fault]
    lost += [held.id for held in outcome.properties if not held.passed]
    if lost:
        raise ReferenceFaultError(
            f"The reference of {task.id} does not survive its probes of {', '.join(lost)}; nothing was written."
        )
    return manifest


def summary(manifest: Manifest) -> Iterator[str]:
    """What was built, in a few lines: numbers, entries without evidence, and what nothing could be made for."""
    probes = [probe for entry in manifest.entries for probe in entry.probes]
    kinds = {kind: sum(probe.kind == kind for probe in probes) for kind in ("valid", "guarded", "hostile")}
    counted = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
    yield f"{len(probes)} probes of {len(manifest.entries)} entries ({counted}), {len(manifest.properties)} properties"
    if not any(probe.inputs == AS_CALLED for probe in probes):
        yield "no probe is a call of the functional suite: it calls nothing of the surface, or there is none"
    few = [entry.name for entry in manifest.entries if sum(probe.value for probe in entry.probes) < 2]
    if few:
        yield f"without two values that no stub gives: {', '.join(few)}; each needs a touching functional test"
    for gap in manifest.not_probed:
        yield f"not probed: {gap.entry}{f', parameter {gap.parameter}' if gap.parameter else ''}: {gap.reason}"
    for reason, number in manifest.dropped.items():
        yield f"dropped: {number} candidates ({reason})"
