"""A repository's own tests in the sandbox: collected by its own configuration, run file by file, verdicts outside.

A suite of one's own cannot be black-box: it shares a process with the code that it tests, and that process reports its
verdicts. What holds all the same: the sandbox, every deadline, that a test whose process ended before it did has not
passed, and that the tests of the baseline are run on the new code from the baseline's own files.
"""

from __future__ import annotations

import re
import shlex
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from qualityscore.branch.project import Project
from qualityscore.errors import HarnessError
from qualityscore.languages.python_production import TEST_FILES, TEST_FOLDERS
from qualityscore.model.bounds import Seconds, seconds
from qualityscore.model.outcome import Failure, FailureClass
from qualityscore.runtime import contention
from qualityscore.runtime.sandbox.base import SUBJECT_DIR, WORK_DIR, Mount
from qualityscore.runtime.supervision import EndEvent, Group, GroupEvent, GroupState, Plan, Unit, UnitEvent, supervise
from qualityscore.runtime.target import Target, Tree
from qualityscore.suites import failures
from qualityscore.suites.observation import MALFORMED, Raised, one_document, read_raised

ZYGOTE = "own_tests"
METADATA_DIR = "/qs/metadata"
TEST_TIMEOUT_S = 60.0
_COLLECTION_S = 120.0
_MEMORY_BYTES = 4 << 30
_SCRATCH_BYTES = 1 << 30
_MESSAGE_BYTES = 64 << 20
_MOST_RESTARTS = 8
_DROPPED_WITH_VALUE = ("-n", "--numprocesses", "--dist", "--maxprocesses", "--cov-report", "--cov-config", "--maxfail")
_DROPPED: tuple[str, ...] = (
    "--cov",
    "--no-cov",
    "--junit",
    "--html",
    "--self-contained-html",
    "--durations",
    "--pdb",
    "--lf",
    "--ff",
)
_DROPPED += ("--last-failed", "--failed-first", "--nf", "--sw", "--stepwise", "--benchmark-autosave", "--color")
_DROPPED_EXACTLY = frozenset({"-x", "--exitfirst", "--showlocals", "-l"})

Progress = Callable[[int, int], None]


class Verdict(StrEnum):
    """What became of one of a repository's own tests."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"  # also: expected to fail, and failing


_MOST_DIGITS = 18  # longer ones are no number that a version would hold


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTest:
    """One test's verdict; `failure` says why it failed, or why it was skipped. `duration_s` in wall time."""

    id: str
    verdict: Verdict
    failure: Failure | None = None
    duration_s: Seconds = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRun:
    """One run of a suite: verdicts by id; what could not be collected, by file.

    `cpu_s` is the processor time of each file's tests, imports left out. `problem` is why nothing was collected.
    `cut` says that the caller's time was spent before the run had ended: what is missing then is nobody's failure.
    """

    tests: Mapping[str, OwnTest]
    errors: Mapping[str, Failure] = field(default_factory=dict)
    cpu_s: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    problem: str | None = None
    cut: bool = False

    @property
    def passed(self) -> tuple[str, ...]:
        """The ids of the tests that pass."""
        return tuple(id_ for id_, test in self.tests.items() if test.verdict is Verdict.PASSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrangement:
    """Code with tests, ready to run: a tree of its own, and the configuration that both states are run under.

    `metadata` is the folder of the distribution's metadata; `config` the configuration file, relative to the tree.
    """

    tree: Tree
    metadata: Path
    config: str | None
    words: tuple[str, ...]
    paths: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


def is_test_file(path: str) -> bool:
    """Whether a file belongs to the tests: it lies in a folder of tests, or is called like one."""
    folders, _, name = path.rpartition("/")
    return any(folder.lower() in TEST_FOLDERS for folder in folders.split("/")) or bool(TEST_FILES.match(name))


def arrange(
    folder: Path,
    *,
    code: Tree,
    tests: Tree | None,
    project: Project,
    config_from: Tree | None,
    settled: Project,
    beside: Sequence[str] = (),
) -> Arrangement:
    """Lay code and tests out under `folder`.

    `tests` replaces the code's own test files where given, and its files `beside` come along. `config_from` is the tree
    whose pytest configuration counts and `settled` what that tree says about itself; the file gets a name of its own,
    so that the code keeps its files.
    """
    root = folder / "tree"
    shutil.copytree(code.root, root, symlinks=True)
    root.chmod(0o755)
    files = set(code.files)
    if tests is not None:
        for name in [f for f in files if is_test_file(f)]:
            (root / name).unlink(missing_ok=True)
            files.discard(name)
        for name in (f for f in tests.files if is_test_file(f)):
            target = root / name
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
            shutil.copy(tests.root / name, target)
            files.add(name)
        for name in beside:
            target = root / name
            if target.is_dir() or any(parent.is_file() for parent in target.parents):
                continue  # the branch has a folder for the file, or the other way round
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
            shutil.copy(tests.root / name, target)
            files.add(name)
    config = settled.config
    if config is not None and config_from is not None and config_from is not code:
        config = f"{Path(config).stem.strip('.')}-of-baseline{Path(config).suffix}"
        shutil.copy(config_from.root / str(settled.config), root / config)
    if project.version_file is not None:
        _write_version(root, project)
    metadata = folder / "metadata"
    _write_metadata(metadata, project)
    return Arrangement(
        tree=replace(code, root=root, import_roots=project.roots, files=tuple(sorted(files))),
        metadata=metadata,
        config=config,
        words=usable_words(settled.pytest_words),
        options=("-o", "python_files=test*.py *_test.py") if settled.runner == "unittest" else (),
    )


def usable_words(text: str) -> tuple[str, ...]:
    """Configured options of pytest without those that distribute, report, stop early or measure coverage."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    kept: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
            continue
        name = word.partition("=")[0]
        if name in _DROPPED_WITH_VALUE:
            skip = "=" not in word
        elif not (word.startswith(_DROPPED) or word in _DROPPED_EXACTLY or re.fullmatch(r"-n\d+", word)):
            kept.append(word)
    return tuple(kept)


def run(
    target: Target, arrangement: Arrangement, *, budget_s: float, progress: Progress, only: Sequence[str] | None = None
) -> OwnRun:
    """Run the tests within `budget_s` of wall time; `only` names files to run. A run that does not fit is `cut`.

    Raises HarnessError and SandboxUnavailableError as `supervise` does.
    """
    return _Run(replace(target, tree=arrangement.tree), arrangement, budget_s, progress).run(only)


class _Run:
    """One run under way."""

    def __init__(self, target: Target, arrangement: Arrangement, budget_s: float, progress: Progress) -> None:
        self.target, self.arrangement, self.progress = target, arrangement, progress
        self.ends_at = time.monotonic() + budget_s
        self.tests: dict[str, OwnTest] = {}
        self.cpu_s: dict[str, float] = {}
        self.cut = False

    def is_over(self) -> bool:
        """Whether the caller's time is spent."""
        return time.monotonic() >= self.ends_at

    def run(self, only: Sequence[str] | None) -> OwnRun:
        collected = self.collect()
        if isinstance(collected, str):
            return OwnRun(tests={}, problem=collected, cut=self.cut)
        files, errors, skipped, notes = collected
        wanted = {f: ids for f, ids in files.items() if only is None or f in only}
        total = sum(map(len, wanted.values()))
        pending = dict.fromkeys(wanted, 0)
        for _ in range(_MOST_RESTARTS):
            if not pending or self.is_over():
                break
            pending = self.play(wanted, pending, total)
        self.cut = bool(pending) and self.is_over()
        for ids in wanted.values():
            for id_ in ids:
                if id_ not in self.tests and not self.cut:
                    self.tests[id_] = OwnTest(id=id_, verdict=Verdict.FAILED, failure=failures.out_of_time())
        ordered = {id_: self.tests[id_] for ids in wanted.values() for id_ in ids if id_ in self.tests}
        for file, reason in skipped.items():
            ordered.setdefault(file, OwnTest(id=file, verdict=Verdict.SKIPPED, failure=_skip(reason)))
        return OwnRun(tests=ordered, errors=errors, cpu_s=self.cpu_s, notes=notes, cut=self.cut)

    def collect(self) -> tuple[dict[str, list[str]], dict[str, Failure], dict[str, str], tuple[str, ...]] | str:
        """Collected ids by file, failures and skips by file, and notes; or why there is nothing."""
        for event in self.supervised(units=()):
            if isinstance(event, GroupEvent):
                document = one_document(event.messages[:1])
                if document is None or "files" not in document:
                    self.cut = event.state is GroupState.TIMEOUT and self.is_over()
                    return self.why_not(document, event)
                try:
                    return (
                        {str(f): [str(i) for i in ids] for f, ids in document["files"].items()},
                        {str(f): _collection_failure(error) for f, error in document["errors"].items()},
                        {str(f): str(reason) for f, reason in document["skipped"].items()},
                        tuple(str(note) for note in document["notes"]),
                    )
                except MALFORMED:
                    return "what the tests' process said about its collection cannot be read"
            if isinstance(event, EndEvent):
                event.check()
        self.cut = self.is_over()
        return "the tests could not be collected within the time limit"

    @staticmethod
    def why_not(document: dict[str, Any] | None, event: GroupEvent) -> str:
        if document is not None and isinstance(document.get("problem"), str):
            errors = document.get("errors")
            first = next(iter(errors.values()), None) if isinstance(errors, dict) else None
            try:
                return _collection_failure(first).message if first else document["problem"][:600]
            except MALFORMED:
                return str(document["problem"])[:600]
        return failures.of_group(event).message

    def play(self, files: Mapping[str, list[str]], pending: Mapping[str, int], total: int) -> dict[str, int]:
        """Run what is pending, by file and number of tests to leave out; what is pending afterwards."""
        stretch = contention.stretch()
        units = tuple(
            Unit(
                id=file,
                args={"file": file, "start": start, "test_timeout_s": TEST_TIMEOUT_S * stretch},
                timeout_s=(TEST_TIMEOUT_S + 10.0 + len(files[file])) * stretch,
                cpu_s=TEST_TIMEOUT_S + 10.0 + len(files[file]),
                memory_bytes=_MEMORY_BYTES,
            )
            for file, start in pending.items()
        )
        left: dict[str, int] = {}
        seen: set[str] = set()
        for event in self.supervised(units):
            match event:
                case UnitEvent():
                    seen.add(event.unit)
                    done = pending[event.unit] + self.take(files[event.unit][pending[event.unit] :], event)
                    if done < len(files[event.unit]):
                        left[event.unit] = done
                    self.progress(len(self.tests), total)
                case EndEvent():
                    event.check()
                case GroupEvent():
                    pass
        left |= {file: start for file, start in pending.items() if file not in seen}
        return left

    def take(self, ids: Sequence[str], event: UnitEvent) -> int:
        """Verdicts of one file's process; how many of its tests are settled."""
        self.cpu_s[event.unit] = self.cpu_s.get(event.unit, 0.0) + event.cpu_s
        settled = 0
        expected = iter(ids)
        current: str | None = None
        finished = False
        for raw in event.messages:
            document = one_document((raw,)) or {}
            if "begin" in document:
                current = next(expected, None)
                if document["begin"] != current:
                    break
            elif "end" in document and document["end"] == current and current is not None:
                self.tests[current] = _test(current, document)
                settled, current = settled + 1, None
            elif document.get("done") is True:
                finished = True
        if finished and settled == len(ids):
            return settled
        blamed = current if current is not None else next(expected, None)
        if blamed is None:
            return len(ids)
        if self.is_over() and (event.timed_out or event.zygote_lost or event.prepare_failed):
            return settled  # the caller's time ended it
        failure = _hang(event) or failures.of_unit(event) or failures.silent_exit()
        self.tests[blamed] = OwnTest(id=blamed, verdict=Verdict.FAILED, failure=failure, duration_s=event.duration_s)
        return settled + 1

    def supervised(self, units: tuple[Unit, ...]) -> Iterator[GroupEvent | UnitEvent | EndEvent]:
        arrangement = self.arrangement
        left_s = max(1.0, self.ends_at - time.monotonic())
        arguments = {
            "subject": SUBJECT_DIR,
            "work": WORK_DIR,
            "roots": list(arrangement.tree.import_roots),
            "metadata": METADATA_DIR,
            "config": arrangement.config,
            "words": list(arrangement.words),
            "options": list(arrangement.options),
            "paths": list(arrangement.paths),
        }
        start_s = min(left_s, _COLLECTION_S * contention.stretch())
        group = Group(id="own tests", zygote=ZYGOTE, args=arguments, units=units, start_timeout_s=start_s)
        yield from supervise(
            self.target,
            Plan(groups=(group,), total_timeout_s=left_s, message_bytes=_MESSAGE_BYTES),
            mounts=(Mount(source=arrangement.metadata, target=METADATA_DIR),),
            scratch_bytes=_SCRATCH_BYTES,
            memory_bytes=_MEMORY_BYTES,
        )


def _test(id_: str, document: dict[str, Any]) -> OwnTest:
    try:
        phases = [(str(when), str(outcome), bool(xfail)) for when, outcome, xfail in document["phases"]]
        raised = read_raised(document["failure"])
        duration_s = seconds(float(document["duration_s"]))
    except MALFORMED:
        return OwnTest(id=id_, verdict=Verdict.FAILED, failure=failures.silent_exit())
    outcomes = {outcome for _, outcome, _ in phases}
    if "failed" in outcomes:
        failure = _of(raised) if raised else failures.of_verdict("failed", raises=False)
        return OwnTest(id=id_, verdict=Verdict.FAILED, failure=failure, duration_s=duration_s)
    if "skipped" in outcomes:
        reason = raised.text if raised else ""
        return OwnTest(id=id_, verdict=Verdict.SKIPPED, failure=_skip(reason), duration_s=duration_s)
    if {when for when, _, _ in phases} >= {"setup", "call", "teardown"}:
        return OwnTest(id=id_, verdict=Verdict.PASSED, duration_s=duration_s)
    return OwnTest(id=id_, verdict=Verdict.FAILED, failure=failures.silent_exit(), duration_s=duration_s)


def _of(raised: Raised) -> Failure:
    frames = tuple(
        replace(f, place="suite") if f.place == "subject" and is_test_file(f.path) else f for f in raised.frames
    )
    return failures.of_exception(replace(raised, frames=frames))


def _collection_failure(error: Any) -> Failure:
    raised = read_raised(error)
    if raised is None:
        return failures.of_verdict("cannot be collected", raises=False)
    return failures.of_collection(raised)


def _skip(reason: str) -> Failure:
    message = f"skipped: {reason}" if reason else "skipped"
    return Failure(class_name=FailureClass.MISMATCH, subclass="unexpected_exception", message=message[:600])


def _hang(event: UnitEvent) -> Failure | None:
    """The child ends itself when a test takes too long (faulthandler), and says so in its output."""
    if event.exit == 1 and "Timeout (" in event.output:
        message = f"did not end within {TEST_TIMEOUT_S:g} s"
        return Failure(class_name=FailureClass.NON_FUNCTIONAL, subclass="hang", message=message)
    return None


def _write_version(root: Path, project: Project) -> None:
    target = root / str(project.version_file)
    target.parent.mkdir(parents=True, exist_ok=True)
    numbers = version_tuple(project.version)
    target.write_text(
        f"__version__ = version = {project.version!r}\n__version_tuple__ = version_tuple = {numbers!r}\n", "utf-8"
    )


def version_tuple(version: str) -> tuple[int | str, ...]:
    """The parts of a version as build tools write them: numbers as such, whatever a project calls its version."""
    return tuple(int(part) if part.isdecimal() and len(part) <= _MOST_DIGITS else part for part in version.split("."))


def _write_metadata(folder: Path, project: Project) -> None:
    """What an installation would leave for `importlib.metadata`: name, version and entry points."""
    folder.mkdir(parents=True, mode=0o755)
    if project.name is None:
        return
    name = "_".join(word for word in project.name.replace("-", "_").replace(".", "_").split("_") if word)
    if not name.isidentifier():
        return
    place = folder / f"{name}-{project.version}.dist-info"
    try:
        place.mkdir(mode=0o755)
        (place / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {project.name}\nVersion: {project.version}\n", "utf-8"
        )
        groups: dict[str, list[str]] = {}
        for group, entry, target in project.scripts:
            groups.setdefault(group, []).append(f"{entry} = {target}")
        lines = [line for group, entries in groups.items() for line in (f"[{group}]", *entries, "")]
        (place / "entry_points.txt").write_text("\n".join(lines), "utf-8")
    except OSError as error:
        raise HarnessError(f"The metadata of {project.name!r} cannot be written: {error.strerror}.") from error
