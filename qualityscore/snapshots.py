"""Taking a baseline snapshot of a reference."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from qualityscore.code_reading import read_code
from qualityscore.core.costs import Gate
from qualityscore.core.credibility import entry_weight, stability, survival
from qualityscore.errors import ReferenceFaultError, UnfinishedTaskError, UsageError
from qualityscore.model.cost import CostOutcome
from qualityscore.model.measure import Measured, Outcome, Unavailable
from qualityscore.model.outcome import RobustnessOutcome, TestOutcome
from qualityscore.model.report import SCORE_MODEL, SubjectInfo
from qualityscore.model.snapshot import SNAPSHOT_SCHEMA_VERSION, EntryWeight, ExpectedTest, Snapshot
from qualityscore.model.task import Task
from qualityscore.runtime import environment, provenance, reference, tasks, workspace
from qualityscore.runtime.cache import cache_root
from qualityscore.runtime.documents import is_file, is_folder, load_profile
from qualityscore.runtime.sandbox.select import select
from qualityscore.runtime.scratch import scratch_folder
from qualityscore.runtime.target import Target
from qualityscore.suites import cost as cost_suite
from qualityscore.suites import functional as functional_suite
from qualityscore.suites import manifest as probe_manifest
from qualityscore.suites import robustness, tracing
from qualityscore.suites.cost_pinned import PinnedCosts
from qualityscore.suites.expectation import discover
from qualityscore.suites.unfinished import marked_parts
from qualityscore.suites.workload_validity import measure_shares, small_workloads, unfit_workloads

_NO_COSTS = CostOutcome(subject={}, reference={}, digests={}, counter="none")


@contextmanager
def reference_target(task: Task, repository: Path | None, *, unsafe: bool) -> Iterator[Target]:
    """A task's reference (or another repository in its place), copied, in its environment."""
    root = cache_root()
    source = repository or reference.fetch(task, root)
    with scratch_folder("qualityscore-") as folder:
        copied = workspace.copy(source, folder / "subject", tuple(task.spec.surface.imports))
        built = environment.ensure(task.folder / task.spec.environment.lock, task.spec.environment.python, root)
        sandbox = select(unsafe=unsafe)
        yield Target(task=task, tree=copied.tree, environment=built, sandbox=sandbox, is_reference=True)


def take_snapshot(what: str, *, task: str | None = None, unsafe: bool = False) -> Snapshot:
    """Measure a task's pinned reference, or the repository `what` in its place under `task`.

    Raises InputError for what the caller gave, and ReferenceFaultError when the reference does not pass its own suites
    or cannot be measured.
    """
    if task is None and is_repository(what):
        raise UsageError(f"{what} is a repository, not a task; name the task that judges it.")
    loaded = tasks.load_task(task or what)
    if marks := marked_parts(loaded):
        raise UnfinishedTaskError(
            f"The task {loaded.id} has {len(marks)} unfinished part{'s' * (len(marks) > 1)}, first {marks[0]}."
        )
    repository = None if task is None else Path(what)
    started = datetime.now(UTC)
    with reference_target(loaded, repository, unsafe=unsafe) as target:
        return measure_reference(target, started)


def is_repository(what: str) -> bool:
    """Whether it is a folder and no task; a bundled task comes before a folder of its name."""
    return what not in tasks.task_ids() and is_folder(Path(what)) and not is_file(Path(what) / "task.toml")


def measure_reference(target: Target, started: datetime, *, with_costs: bool = True) -> Snapshot:
    """The snapshot of a reference; without costs and memory where `with_costs` is False. Raises as `take_snapshot`."""
    task = target.task
    discovered = discover(target)
    functional = functional_suite.run(target, discovered)
    failing = [t.id for t in functional.tests if t.outcome is not TestOutcome.PASSED]
    if failing or not discovered:
        raise ReferenceFaultError(
            f"The reference of {task.id} fails {len(failing)} of its own {len(discovered)} functional tests"
            + (f", first {failing[0]}; mend the suite or the pinned version." if failing else "; the suite is empty.")
        )
    trace = tracing.trace(target, discovered)
    manifest = probe_manifest.load(task.probes_folder)
    probes = robustness.run(target, manifest)
    if unfit := unfit_workloads(measure_shares(target)):
        raise ReferenceFaultError(f"The workloads of {task.id} do not measure its surface: {unfit[0]}.")
    static = read_code(target.tree, target.environment, trace, is_reference=True)
    costs = cost_suite.run(target, None) if with_costs else _NO_COSTS
    expected = tuple(touched(test, trace.touches.get(test.id, ())) for test in discovered)
    entries = weighed_entries(task, expected, probes)
    measures: dict[str, Outcome] = {
        **static.measures,
        "probes.survival": survival(entries, probes.entries, probes.properties, {e.name for e in entries}),
        "suite.stability": stability(functional.tests),
        **costs.subject,
    }
    for name, outcome in measures.items():
        if isinstance(outcome, Unavailable):
            raise ReferenceFaultError(f"{name} of the reference of {task.id} cannot be measured: {outcome.reason}")
    subject = SubjectInfo(path=tasks.reference_name(task), digest=target.tree.digest, files=len(target.tree.files))
    profile = load_profile("reference")
    return Snapshot(
        schema_version=SNAPSHOT_SCHEMA_VERSION,
        score_model=SCORE_MODEL,
        task_id=task.id,
        task_digest=task.digest,
        python=target.environment.minor,
        tests=expected,
        entries=entries,
        judged=trace.judged,
        measures=measures,
        allowances=static.family_points,
        digests=costs.digests,
        provenance=provenance.describe(
            profile_name="reference",
            profile_digest=profile.digest,
            task_digest=task.digest,
            subject=subject,
            environment=target.environment,
            sandbox=target.sandbox,
            counter=costs.counter,
            cost_details=costs.details,
            tool_versions=static.tool_versions,
            seeds={"hash": 0},
            not_copied=(),
            started=started,
            ended=datetime.now(UTC),
        ),
    )


def lacks_times(snapshot: Snapshot) -> str | None:
    """Why a snapshot holds no times that could check a count; None where it holds some, or has no costs."""
    if "import.cost" not in snapshot.measures:
        return None
    if PinnedCosts.of(snapshot.measures, snapshot.digests, snapshot.provenance).holds_times:
        return None
    found = snapshot.provenance.get("cost", {}).get("calibration")
    gate = None if found is None else Gate(half_width=found["half_width"], bias=found["bias"]).problem
    return gate or "nothing could be timed"


def too_small(snapshot: Snapshot) -> tuple[str, ...]:
    """The workloads of which a snapshot shows that validation will refuse them, in words."""
    cost = snapshot.measures.get("workload.cost")
    return small_workloads(cost) if isinstance(cost, Measured) else ()


def touched(test: ExpectedTest, touches: tuple[str, ...]) -> ExpectedTest:
    return replace(test, touches=touches)


def weighed_entries(task: Task, tests: tuple[ExpectedTest, ...], probes: RobustnessOutcome) -> tuple[EntryWeight, ...]:
    """The surface entries that credibility counts: what is bodiless, a constant or an exception is left out."""
    values = {entry.entry: entry.value_probes for entry in probes.entries}
    counted = [e for e in task.surface.entries if not e.bodiless and e.kind not in ("constant", "exception")]
    weighed = []
    for entry in counted:
        touching = tuple(test.id for test in tests if entry.name in test.touches)
        weighed.append(
            EntryWeight(
                name=entry.name,
                weight=entry_weight(len(touching)),
                tests=touching,
                value_probes=values.get(entry.name, 0),
            )
        )
    return tuple(weighed)
