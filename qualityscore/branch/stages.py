"""The stages of a comparison: environments, three runs of tests, two readings of code, costs; what they gather."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from qualityscore.branch import costs as cost_stage
from qualityscore.branch import environment as environments
from qualityscore.branch import own_tests, settings, state
from qualityscore.branch.baseline import Taken
from qualityscore.branch.beside import beside_tests
from qualityscore.branch.compare_tests import function_of
from qualityscore.branch.own_tests import Arrangement, OwnRun, Verdict, is_test_file
from qualityscore.branch.project import Project, read_project
from qualityscore.errors import (
    EnvironmentBuildError,
    HarnessError,
    InputError,
    QualityScoreError,
    ReferenceFaultError,
    SettingsError,
)
from qualityscore.model.branch import (
    BaselineState,
)
from qualityscore.model.measure import Fault
from qualityscore.model.report import (
    FaultReport,
)
from qualityscore.model.task import Task
from qualityscore.runtime.cache import cache_root
from qualityscore.runtime.sandbox.base import Sandbox
from qualityscore.runtime.target import Environment, Target

if TYPE_CHECKING:
    from qualityscore.core.profile import Profile

Progress = Callable[[str, int, int], None]
T = TypeVar("T")

FUNCTIONAL = "functional"
BOOTSTRAP_SEED = 20240229
_STATIC = ("index.deficit", "complexity.excess", "lint.penalty", "duplication.share", "structure.defects")
_SERVICES = re.compile(
    r"ConnectionRefused|gaierror|Network is unreachable|could not connect|NameResolution|Connection(Error|Reset)"
)


@dataclass(slots=True, kw_only=True)
class Comparison:
    """One comparison under way: what it was asked for, and what it has gathered so far."""

    taken: Taken
    earlier: Taken | None
    against: BaselineState
    settings: settings.SettingsSpec
    profile: Profile
    wanted: frozenset[str]
    sandbox: Sandbox
    scratch: Path
    counter: str
    progress: Progress
    notes: list[str] = field(default_factory=list)
    stage: str = "start"
    faults: list[FaultReport] = field(default_factory=list)
    started_s: float = field(default_factory=time.monotonic)
    project: Project | None = None
    settled: Project | None = None
    before_environment: Environment | None = None
    after_environment: Environment | None = None
    branch_breaks_environment: str | None = None
    before_run: OwnRun | None = None
    after_run: OwnRun | None = None
    crossed_run: OwnRun | None = None
    beside: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    arrangements: dict[str, Arrangement] = field(default_factory=dict)
    before_code: state.Code | None = None
    after_code: state.Code | None = None
    cost: cost_stage.Costs | None = None

    def guarded(self, stage: str, work: Callable[[], T]) -> T | None:
        """Run one stage; a fault of the harness or the baseline is noted and costs this stage only."""
        self.stage = stage
        self.progress(stage, 0, 0)
        try:
            return work()
        except InputError:
            raise
        except QualityScoreError as error:
            fault = Fault.REFERENCE if isinstance(error, ReferenceFaultError) else Fault.HARNESS
            self.faults.append(FaultReport(stage=stage, fault=fault, reason=str(error), code=error.code))
        except Exception as error:  # a defect of ours must not become the subject's zero, nor lose what was measured
            reason = f"{type(error).__name__}: {error}"
            self.faults.append(FaultReport(stage=stage, fault=Fault.HARNESS, reason=reason, code=HarnessError.code))
        return None

    def measure(self) -> None:
        """All stages that were asked for, in order."""
        self.guarded("project", self.read_projects)
        if self.project is None or self.settled is None:
            return
        self.guarded("environment", self.build_environments)
        if self.wanted & {FUNCTIONAL, "robustness", "efficiency", "resource"}:
            self.guarded("own tests", self.run_tests)
        if self.reads_quality() or self.earlier is not None:
            self.guarded("code", self.read_code)
        if self.wanted & {"efficiency", "resource"} and self.earlier is not None:
            self.cost = self.guarded("cost", self.measure_cost)

    def steps(self, stage: str) -> Callable[[int, int], None]:
        """The progress of one stage."""
        return lambda done, total: self.progress(stage, done, total)

    def left_s(self) -> float:
        """What is left of the time budget, in seconds."""
        return max(1.0, self.settings.time_budget_s - (time.monotonic() - self.started_s))

    def read_projects(self) -> None:
        """What both states say about themselves; the baseline's configuration of the tests counts for both."""
        self.project = read_project(self.taken.tree)
        self.settled = read_project(self.earlier.tree) if self.earlier is not None else self.project
        self.notes += self.project.requirements.notes
        if self.project.damage is not None:
            self.notes.append(f"{self.project.damage}; what it says counts for nothing")
        before, after = self.settled.requirements, self.project.requirements
        if before.lock != after.lock:
            source = before.lock or "no lock"
            self.notes.append(f"the environment of the baseline's tests is that of {source}")

    def build_environments(self) -> None:
        """The baseline's environment, then the branch's; one that only the branch breaks is the branch's fault."""
        assert self.project is not None
        assert self.settled is not None
        like = None
        if self.earlier is not None:
            resolved = environments.ensure(self.earlier.tree, self.settled, cache_root())
            self.before_environment, like = resolved.environment, resolved.lock
            self.notes += resolved.notes
        try:
            if self.project.damage is not None and self.settled.damage is None:
                raise EnvironmentBuildError(f"The project cannot be installed: {self.project.damage}")
            if self.settled.requirements == self.project.requirements:
                like = None  # the very same resolution
            resolved = environments.ensure(self.taken.tree, self.project, cache_root(), like=like)
            self.after_environment = resolved.environment
        except EnvironmentBuildError as error:
            if self.earlier is None:
                raise
            self.branch_breaks_environment = str(error)
            self.faults.append(
                FaultReport(stage="environment", fault=Fault.SUBJECT, reason=str(error), code=error.code)
            )

    def run_tests(self) -> None:
        """The three runs, and a second one of what broke."""
        assert self.project is not None
        assert self.settled is not None
        tree = self.taken.tree
        if self.earlier is None:
            if self.after_environment is not None and self.has_tests():
                self.arrangements["after"] = own_tests.arrange(
                    self.scratch / "after", code=tree, tests=None, project=self.project, config_from=None,
                    settled=self.project,
                )  # fmt: skip
                self.after_run = self.play("after", self.after_environment)
            return
        if self.before_environment is None or not self.has_tests():
            return
        self.arrangements["before"] = own_tests.arrange(
            self.scratch / "before", code=self.earlier.tree, tests=None, project=self.settled, config_from=None,
            settled=self.settled,
        )  # fmt: skip
        before = self.play_baseline(self.before_environment)
        if before.problem is not None:
            self.before_run = before
            raise ReferenceFaultError(f"The baseline's tests cannot be collected: {before.problem}")
        if self.after_environment is None:
            reason = f"the environment cannot be built: {self.branch_breaks_environment}"
            self.before_run, self.after_run = before, OwnRun(tests={}, problem=reason)
            return
        self.arrangements["after"] = own_tests.arrange(
            self.scratch / "after", code=tree, tests=None, project=self.project, config_from=self.earlier.tree,
            settled=self.settled,
        )  # fmt: skip
        after, crossed = self.play("after", self.after_environment), None
        self.beside = beside_tests(self.earlier.tree, tree, self.settled, cache_root() / "static" / "results.sqlite")
        if self.tests_differ() or any(name.endswith(".py") for name in self.beside):
            self.arrangements["crossed"] = own_tests.arrange(
                self.scratch / "crossed", code=tree, tests=self.earlier.tree, project=self.project,
                config_from=self.earlier.tree, settled=self.settled, beside=self.beside,
            )  # fmt: skip
            crossed = self.play("crossed", self.after_environment)
        flaky = self.flaky_of(before, after, self.after_environment)
        # Only whole: with a run missing, what broke could be flaky, and what passes undermined.
        self.before_run, self.after_run, self.crossed_run, self.flaky = before, after, crossed, flaky

    def has_tests(self) -> bool:
        """Whether either state has anything that looks like a test."""
        trees = [self.taken.tree, *([self.earlier.tree] if self.earlier is not None else [])]
        return any(is_test_file(f) and f.endswith(".py") for tree in trees for f in tree.files) or any(
            "doctest" in p.pytest_words for p in (self.project, self.settled) if p is not None
        )

    def play_baseline(self, environment: Environment) -> OwnRun:
        """The baseline's verdicts: kept ones, else a run, which is then kept."""
        assert self.earlier is not None
        key = state.run_key(self.earlier.tree, environment, self.sandbox.level.value)
        kept = self.earlier.run if self.earlier.run is not None and self.earlier.run_key == key else None
        kept = kept or state.kept_run(key)
        if kept is not None:
            self.against = replace(self.against, kept=True)
            return kept
        run = self.play("before", environment)
        if run.problem is None:
            state.keep_run(key, run)
        return run

    def play(self, which: str, environment: Environment, only: tuple[str, ...] | None = None) -> OwnRun:
        """One run of what was arranged. Raises HarnessError where the time budget does not hold it."""
        run = own_tests.run(
            self.target(which, environment),
            self.arrangements[which],
            budget_s=self.left_s(),
            progress=self.steps(f"tests {which}"),
            only=only,
        )
        self.notes += run.notes
        if run.cut:
            whose = "the baseline's tests" if which == "before" else "the branch's tests"
            ended = f"{len(run.tests)} of them had" if run.tests else "none had"
            raise HarnessError(
                f"The time budget of {self.settings.time_budget_s:g} s was spent before {whose} had ended ({ended}); "
                f"give more by --time-budget, or time_budget_s in {settings.NAME}."
            )
        return run

    def target(self, which: str, environment: Environment) -> Target:
        """An arrangement in an environment under the sandbox."""
        return Target(
            task=self.own_task(),
            tree=self.arrangements[which].tree,
            environment=environment,
            sandbox=self.sandbox,
            is_reference=which == "before",
        )

    def own_task(self) -> Task:
        """The task that the repository is to itself."""
        assert self.settled is not None
        folder = self.scratch / f"task-{time.monotonic_ns()}"
        digest = (self.earlier or self.taken).tree.digest
        return cost_stage.own_task(folder, self.settled.packages, digest, self.workload_file())

    def workload_file(self) -> Path | None:
        """The workloads that the settings name, from the baseline where it has them."""
        if self.settings.workloads is None:
            return None
        for taken in (self.earlier, self.taken):
            if taken is not None and self.settings.workloads.file in taken.tree.files:
                return taken.tree.root / self.settings.workloads.file
        name = self.settings.workloads.file
        raise SettingsError(f"The workloads {name!r} that {settings.NAME} names do not exist; check the path.")

    def tests_differ(self) -> bool:
        """Whether the two states have other test files, or files with other content."""
        assert self.earlier is not None
        mine, theirs = self.taken.tree, self.earlier.tree
        names = {f for f in mine.files if is_test_file(f)}
        if names != {f for f in theirs.files if is_test_file(f)}:
            return True
        return any((mine.root / f).read_bytes() != (theirs.root / f).read_bytes() for f in names)

    def flaky_of(self, before: OwnRun, after: OwnRun, environment: Environment) -> tuple[str, ...]:
        """What broke is run again: tests that fail once and pass once on the same code are flaky, not broken."""
        broken = [
            id_
            for id_ in before.passed
            if (test := after.tests.get(id_)) is not None and test.verdict is Verdict.FAILED
        ]
        if not broken:
            return ()
        files = tuple(dict.fromkeys(function_of(id_)[0] for id_ in broken))
        again = self.play("after", environment, files)
        return tuple(id_ for id_ in broken if (t := again.tests.get(id_)) is not None and t.verdict is Verdict.PASSED)

    def reads_quality(self) -> bool:
        """Whether a dimension was asked for that the static tools measure."""
        return bool(self.wanted & {"maintainability", "security"})

    def compares_names(self) -> bool:
        """Whether credibility was asked for: with every dimension whose scores depend on it."""
        return bool(self.wanted - {FUNCTIONAL, "resource"})

    def read_code(self) -> None:
        """Both states, read with the baseline's public names."""
        assert self.project is not None
        assert self.settled is not None
        if self.earlier is not None:
            self.before_code = state.read_code(
                self.earlier.tree, self.settled, self.before_environment, production=self.settings.production,
                is_reference=True, tools=self.reads_quality(), progress=self.steps("code before"),
            )  # fmt: skip
        self.after_code = state.read_code(
            self.taken.tree, self.project, self.after_environment, production=self.settings.production,
            public=self.before_code.names if self.before_code else None, tools=self.reads_quality(),
            progress=self.steps("code"),
        )  # fmt: skip

    def measure_cost(self) -> cost_stage.Costs:
        """By workloads, else by the tests."""
        assert self.earlier is not None
        assert self.settled is not None
        assert self.project is not None
        fault = next((f for f in self.faults if f.fault is not Fault.SUBJECT), None)
        unknown = self.before_environment is None or (
            self.workload_file() is None and self.has_tests() and self.before_run is None
        )
        if fault is not None and unknown:
            return cost_stage.lost(fault.reason, fault.fault)
        if self.before_environment is None or self.after_environment is None:
            return cost_stage.nothing("without an environment nothing can be run")
        if self.workload_file() is not None:
            if not self.settled.packages:
                return cost_stage.nothing("no package to measure was found")
            task = self.own_task()
            before, after = (
                Target(
                    task=task,
                    tree=replace(taken.tree, import_roots=project.roots),
                    environment=environment,
                    sandbox=self.sandbox,
                )
                for taken, project, environment in (
                    (self.earlier, self.settled, self.before_environment),
                    (self.taken, self.project, self.after_environment),
                )
            )
            return cost_stage.by_workloads(after, before, counter=self.counter, progress=self.steps("cost"))
        which = "crossed" if "crossed" in self.arrangements else "after"
        other = self.crossed_run if which == "crossed" else self.after_run
        if self.before_run is None or other is None or which not in self.arrangements:
            return cost_stage.nothing("no workloads, and no tests to measure by")
        return cost_stage.by_own_tests(
            (self.target("before", self.before_environment), self.arrangements["before"], self.before_run),
            (self.target(which, self.after_environment), self.arrangements[which], other),
            budget_s=self.left_s(),
            progress=self.steps("cost"),
        )
