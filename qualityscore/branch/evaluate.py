"""One comparison from the copies to the report: the flow of `evaluate` where there is no task.

states -> environments -> own tests (before, after, crossed) -> code -> names, findings, costs -> scores -> gate
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from qualityscore.branch import settings, state
from qualityscore.branch.baseline import Taken, notes_on, take_baseline, take_branch
from qualityscore.branch.finding_codes import FINDING_CODES, is_finding_code
from qualityscore.branch.report import report_of
from qualityscore.branch.stages import FUNCTIONAL, Comparison, Progress
from qualityscore.core import gate as core_gate
from qualityscore.core import gate_check
from qualityscore.core.profile import Profile
from qualityscore.errors import BaselineError, HarnessError, SettingsError
from qualityscore.model.branch import (
    BaselineState,
    GateReport,
)
from qualityscore.model.codec import dump, report_schema
from qualityscore.model.measure import Fault
from qualityscore.model.report import (
    FaultReport,
    Report,
    SubjectInfo,
)
from qualityscore.runtime import git
from qualityscore.runtime.documents import load_profile
from qualityscore.runtime.sandbox.base import Level
from qualityscore.runtime.sandbox.select import select
from qualityscore.runtime.scratch import scratch_folder


def silent(stage: str, done: int, total: int) -> None:
    """No progress display."""
    del stage, done, total


class Interrupted(Exception):
    """The caller pressed Ctrl-C; `report` holds what had been measured."""

    def __init__(self, report: Report) -> None:
        super().__init__("interrupted")
        self.report = report


def evaluate_branch(
    repo: str | Path,
    *,
    baseline: str | None,
    wanted: frozenset[str],
    gate: str | None = None,
    accept_removed: bool = False,
    profile: str | None = None,
    label: str | None = None,
    sample: int | None = None,
    unsafe: bool = False,
    required: Level | None = None,
    counter: str = "auto",
    time_budget_s: float | None = None,
    progress: Progress,
) -> Report:
    """Compare a repository with an earlier state of itself, or measure it alone where `baseline` is None.

    `wanted` names functional and dimensions; `time_budget_s` overrules that of the settings. Raises InputError for what
    the caller gave, SandboxUnavailableError where code cannot be contained, Interrupted, with a partial report, on
    KeyboardInterrupt. Every other fault is in the report.
    """
    started = datetime.now(UTC)
    folder = Path(repo)
    own_settings = settings.read_settings(folder)
    named = baseline is not None
    baseline = baseline or own_settings.spec.baseline
    with scratch_folder("qualityscore-") as scratch:
        scratch.chmod(0o755)
        taken, repository = take_branch(folder, scratch)
        earlier: Taken | None = None
        against = BaselineState(kind="none", name="")
        notes: tuple[str, ...] = ()
        if baseline is not None:
            earlier, against, notes = take_baseline(baseline, folder, repository, scratch, taken.tree)
            notes += notes_on(taken, earlier, repository, against)
        chosen, more = _settled(own_settings, earlier, baseline)
        if not named and baseline is not None:
            more += _chosen_by_itself(own_settings, chosen, repository, against, same=_same_files(taken, earlier))
        home = earlier.tree.root if earlier is not None and chosen is not own_settings else folder
        the_gate = settings.choose_gate(gate, chosen, home)
        name = profile or chosen.spec.profile or "reference"
        weights = load_profile(name)
        if gate is None and earlier is not None and chosen is own_settings and own_settings.spec.gate is not None:
            check_gate(the_gate, weights, accept_removed=accept_removed)
            the_gate = fitting_gate(settings.default_gate(), weights)
            more += (f"the gate of {settings.NAME} is new in this branch: the default gate decides until it is merged",)
        if earlier is not None or gate is not None:
            check_gate(the_gate, weights, accept_removed=accept_removed)
        run = Comparison(
            taken=taken,
            earlier=earlier,
            against=against,
            settings=chosen.spec
            if time_budget_s is None
            else chosen.spec.model_copy(update={"time_budget_s": time_budget_s}),
            profile=weights,
            wanted=wanted,
            sandbox=select(required=required, unsafe=unsafe),
            scratch=scratch,
            counter=counter,
            progress=progress,
            notes=[*notes, *more],
        )
        interrupted = False
        try:
            run.measure()
        except KeyboardInterrupt:
            interrupted = True
            run.faults.append(FaultReport(stage=run.stage, fault=Fault.HARNESS, reason="interrupted by the caller"))
        report = report_of(
            run,
            subject=SubjectInfo(
                path=str(repo), digest=taken.tree.digest, label=label, sample=sample, files=len(taken.tree.files)
            ),
            profile_name=name,
            started=started,
        )
    if earlier is not None or gate is not None:
        report = replace(report, gate=decide(the_gate, report, accept_removed=accept_removed))
    if interrupted:
        raise Interrupted(report)
    return report


def fitting_gate(gate: core_gate.Gate, profile: Profile) -> core_gate.Gate:
    """A gate without the drops of what a profile does not have."""
    known = {*gate_check.TOTALS, *(dimension.id for dimension in profile.dimensions), *profile.measure_ids}
    return replace(gate, conditions=tuple(c for c in gate.conditions if c.drop is None or c.drop in known))


def check_gate(gate: core_gate.Gate, profile: Profile, *, accept_removed: bool = False) -> None:
    """Raise SettingsError for what is wrong with a gate whatever will be measured."""
    gate_check.check(gate, report_schema(), profile, accept_removed=accept_removed)
    for spec in gate.conditions:
        if spec.code is not None and not is_finding_code(spec.code):
            raise SettingsError(
                f"The gate {gate.source} names the code {spec.code!r}, which no finding has; "
                f"{core_gate.near(spec.code, FINDING_CODES)}"
            )


def decide(gate: core_gate.Gate, report: Report, *, accept_removed: bool = False) -> GateReport:
    """What a gate says about a report. Raises SettingsError for a path that the report does not have."""
    decided: GateReport = core_gate.decide(gate, json.loads(dump(report)), accept_removed=accept_removed)
    return decided


def take_state(repo: str | Path, *, unsafe: bool = False, progress: Progress = silent) -> state.Snapshot:
    """A repository's present state as a snapshot, with the verdicts of its own tests.

    Raises InputError for a repository that cannot be taken, HarnessError where its tests cannot be run.
    """
    with scratch_folder("qualityscore-") as scratch:
        scratch.chmod(0o755)
        taken, repository = take_branch(Path(repo), scratch)
        chosen = settings.read_settings(taken.tree.root, settings.NAME).spec
        run = Comparison(
            taken=taken,
            earlier=None,
            against=BaselineState(kind="none", name=""),
            settings=chosen,
            profile=load_profile("reference"),
            wanted=frozenset({FUNCTIONAL}),
            sandbox=select(unsafe=unsafe),
            scratch=scratch,
            counter="cpu",
            progress=progress,
        )
        run.measure()
        for fault in run.faults:
            raise HarnessError(f"The state of {repo} cannot be measured: {fault.reason}")
        key = state.run_key(taken.tree, run.after_environment, run.sandbox.level.value) if run.after_environment else ""
        commit = None
        if repository is not None:
            commit = git.resolve(repository, "HEAD")
        return state.snapshot_of(taken.tree, name=str(repo), commit=commit, run=run.after_run, key=key)


def _same_files(taken: Taken, earlier: Taken | None) -> bool:
    return earlier is not None and earlier.tree.digest == taken.tree.digest


def _chosen_by_itself(
    own: settings.Settings,
    chosen: settings.Settings,
    repository: git.Repository | None,
    against: BaselineState,
    *,
    same: bool,
) -> tuple[str, ...]:
    """Notes on a baseline that nobody but the judged settings named.

    Raises BaselineError where they name the judged commit by a word that always does.
    """
    name = own.spec.baseline
    notes: tuple[str, ...] = ()
    if repository is not None and against.commit is not None and against.commit == git.resolve(repository, "HEAD"):
        if same and name in ("HEAD", "@"):
            raise BaselineError(
                f"{settings.NAME} names {name!r} as the baseline, which is always the commit that is judged, so that "
                "nothing can differ from it; name another ref there, or with --baseline."
            )
        what = "nothing differs from it" if same else "only what is in no commit yet differs from it"
        notes += (f"the baseline {name!r} of {settings.NAME} is the commit that is judged itself: {what}",)
    theirs = chosen.spec.baseline
    if theirs is not None and theirs != name:
        notes += (f"{settings.NAME} was changed to compare with {name!r}; the baseline's own names {theirs!r}",)
    return notes


def _settled(
    own: settings.Settings, earlier: Taken | None, baseline: str | None
) -> tuple[settings.Settings, tuple[str, ...]]:
    """The settings that count: the baseline's, so that a branch does not judge itself; its own where it brings them."""
    if earlier is None:
        return own, ()
    theirs = settings.read_settings(earlier.tree.root, f"{settings.NAME} of {baseline}")
    if theirs.source is None:
        return own, (f"{settings.NAME} is new in this branch, and counts already",) if own.source else ()
    changed = (f"{settings.NAME} was changed; the baseline's counts",) if own.text != theirs.text else ()
    return theirs, changed
