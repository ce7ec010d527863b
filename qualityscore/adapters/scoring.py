"""Scoring subjects from inside another program: warm workers of its own, kept for its life."""

from __future__ import annotations

import atexit
import json
import logging
import os
import shutil
import threading
import uuid
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from qualityscore.errors import HarnessError, InputError, MissingSubjectError, SubjectError, UsageError
from qualityscore.execution.digests import Digests
from qualityscore.execution.intake import identified
from qualityscore.execution.jobs import Answer, Broken, Evaluated, Job, Refused
from qualityscore.execution.local_engine import LocalEngine, default_lanes
from qualityscore.execution.manifest import Options, placed
from qualityscore.execution.scores import COMPONENTS, EFFECTIVE, harness_faults, nothing, short_form
from qualityscore.runtime import archives, tasks
from qualityscore.runtime.documents import is_file, profile_names
from qualityscore.runtime.process import killed_on_failure
from qualityscore.runtime.scratch import ScratchFolder

log = logging.getLogger("qualityscore.score")

Subject = Mapping[str, str] | str | Path
"""A map of relative paths to texts, or the path of a folder or an archive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """`score` is effective (F x NF). `harness`: a fault of the harness, not the subject, left something unmeasured.

    A subject that cannot even be taken (no Python file, a damaged archive) is `refused`, with 0 in all that was asked
    for. A path that does not exist is `missing`, and has no score.
    """

    score: float | None
    components: Mapping[str, float | None]
    reason: str | None
    harness: bool = False
    missing: bool = False
    refused: bool = False

    def number(self, component: str) -> float | None:
        """A component that `check_component` took, or `effective`. What is refused has 0 in every one."""
        if self.refused:
            return 0.0
        return self.score if component == EFFECTIVE else self.components.get(component)


class LocalScorer:
    """Warm workers on this machine; `jobs` evaluations at a time, by default one for each physical core."""

    def __init__(self, *, jobs: int | None = None, timeout_s: float = 3600.0) -> None:
        self._timeout_s = timeout_s
        self._scratch = ScratchFolder("qualityscore-score-")
        lanes = jobs or default_lanes()
        self._engine = LocalEngine(lanes=lanes, scratch=self._scratch.path, longest_s=timeout_s)
        self._room = threading.BoundedSemaphore(lanes)

    def close(self) -> None:
        """End the workers."""
        self._engine.close()
        self._scratch.remove()

    def score(
        self,
        subjects: Sequence[Subject],
        task: str,
        *,
        only: Sequence[str] | None = None,
        profile: str = "reference",
    ) -> list[Scored]:
        """Score subjects, in their order. Raises InputError for what the caller got wrong about all of them.

        Threads may call it at once, and share the workers.
        """
        subjects = list(subjects)  # also of what gives each but once
        if not all(_is_subject(one) for one in subjects):
            raise UsageError("Not all of these are subjects: paths of folders or archives, or maps of names to texts.")
        profile = placed(profile, Path.cwd(), profile_names())
        try:
            options = Options(only=tuple(only) if only is not None else None, profile=profile)  # type: ignore[arg-type]
        except ValueError as error:
            raise UsageError(f"only={only!r} does not name functional or dimensions.") from error
        task = tasks.name_or_path(tasks.load_task(task))
        digests = Digests()
        digests.check(task, options)
        engine = self._engine
        try:
            with ThreadPoolExecutor(engine.lanes) as pool, killed_on_failure(pool):
                found = list(pool.map(lambda one: self._one(one, task, options, digests), subjects))
        except BaseException:  # an interruption, which has ended the idle workers, too
            if self._engine is engine:  # else another thread has seen to it
                self._engine = LocalEngine(lanes=engine.lanes, scratch=self._scratch.path, longest_s=self._timeout_s)
            engine.close()
            raise
        scored = []
        for one in found:
            if isinstance(one, InputError):
                raise one
            scored.append(one)
        return scored

    def _evaluated(self, job: Job) -> Answer:
        with self._room:
            return self._engine.evaluate(job)

    def _one(self, subject: Subject, task: str, options: Options, digests: Digests) -> Scored | InputError:
        """A subject's score, or what the caller got wrong about all of them: raising it would end those of others."""
        name = uuid.uuid4().hex
        folder = self._scratch.path / f"subject-{name}"
        path = None if isinstance(subject, Mapping) else Path(subject).absolute()
        called = "The map of files" if path is None else str(subject)
        place = path
        try:
            place = _placed(subject, folder)
            digest = identified(place, called).digest
            job = Job(
                id=name,
                folder=place,
                name=called,
                task=task,
                only=options.only,
                profile=options.profile,
                counter=options.counter,
                unsafe=False,
                timeout_s=self._timeout_s,
            )
            answer = self._evaluated(job)
            if isinstance(answer, Broken) and answer.lost:
                answer = self._evaluated(job)
            return _scored(answer, job, digest, digests)
        except SubjectError as error:
            if not all(_is_there(one) for one in (path, place) if one is not None):
                return unmeasured(f"the subject was removed before it was evaluated: {error}")
            return worthless(str(error), options.only)
        except MissingSubjectError as error:
            if place != path:  # it is our copy that somebody has removed
                return unmeasured(str(error))
            return missing(str(error))
        except HarnessError as error:
            return unmeasured(str(error))
        except OSError as error:
            return unmeasured(f"the host failed: {error}")
        except InputError as error:
            return error
        except Exception as error:  # one subject must not cost the others their scores
            log.exception("scoring a subject failed")
            return unmeasured(f"scoring failed at it: {type(error).__name__}: {error}")
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _is_subject(given: object) -> bool:
    """Whether it has the types of a subject; a map of anything but texts is its giver's mistake, and nobody's 0."""
    if isinstance(given, Mapping):
        return all(isinstance(name, str) and isinstance(text, str) for name, text in given.items())
    return isinstance(given, str | Path)


def _placed(subject: Subject, folder: Path) -> Path:
    """The folder of a subject, written or unpacked below `folder` where it is none. Raises what reading it raises."""
    if isinstance(subject, Mapping):
        return archives.write_files(dict(subject), folder)
    path = Path(subject).absolute()
    if not _is_there(path):
        raise MissingSubjectError(f"{str(subject)[:200]} does not exist; give folders, archives or maps of files.")
    return archives.unpack(path, folder) if is_file(path) else path


def _is_there(path: Path) -> bool:
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises for overlong names


def _scored(answer: Answer, job: Job, subject_digest: str, digests: Digests) -> Scored:
    """An engine's answer in short, on a subject that had this digest before, under digests that were read before."""
    match answer:
        case Evaluated(report=report):
            document = json.loads(report)
            changed = digests.changed(document, task=job.task, profile=job.profile, subject_digest=subject_digest)
            if changed:
                return unmeasured(changed)
            short = short_form(document)
            return Scored(
                score=short["score"],
                components=short["components"],
                reason=short["reason"],
                harness=bool(harness_faults(document)),
            )
        case Refused() if answer.code != UsageError.code:
            return unmeasured(answer.after_intake().reason)
        case Refused(reason=reason):
            raise UsageError(reason)
        case Broken(reason=reason):
            return unmeasured(reason)


def worthless(reason: str, only: Sequence[str] | None) -> Scored:
    """The score of what cannot even be taken."""
    return Scored(score=0.0, components=nothing(only), reason=reason, refused=True)


def missing(reason: str) -> Scored:
    """No score, since there is no such path."""
    return Scored(score=None, components=dict.fromkeys(COMPONENTS), reason=reason, missing=True)


def unmeasured(reason: str) -> Scored:
    """No score, by a fault of the harness."""
    return Scored(score=None, components=dict.fromkeys(COMPONENTS), reason=reason, harness=True)


class _Shared:
    lock = threading.Lock()
    scorer: LocalScorer | None = None
    jobs: int | None = None
    inherited: ClassVar[list[LocalScorer]] = []  # never let go of, which would end the workers of the parent


def _forget() -> None:
    """In a forked process: its parent's workers answer its parent, so it starts its own when it needs any."""
    if _Shared.scorer is not None:
        atexit.unregister(_Shared.scorer.close)
        _Shared.inherited.append(_Shared.scorer)
    _Shared.lock, _Shared.scorer, _Shared.jobs = threading.Lock(), None, None


os.register_at_fork(after_in_child=_forget)


def shared_scorer(jobs: int | None = None) -> LocalScorer:
    """The scorer of this process, started when first asked for and ended with the process.

    Raises UsageError for a number of jobs below 1, and for another one than it was started with.
    """
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs={jobs!r} would evaluate nothing; give 1 or more, or leave it out.")
    with _Shared.lock:
        if _Shared.scorer is None:
            _Shared.scorer = LocalScorer(jobs=jobs)
            _Shared.jobs = jobs
            atexit.register(_Shared.scorer.close)
        elif jobs is not None and jobs != _Shared.jobs:
            raise UsageError(f"The workers were started with jobs={_Shared.jobs}; keep to one number per process.")
        return _Shared.scorer
