"""Evaluations on a Ray cluster: one task per subject, with a CPU of its own.

The subject travels with its evaluation, so nodes share no file system; qualityscore, the task and a sandbox are on
every node. A node that would not evaluate the same subject against the same task in the same way says so instead. Ray
starts an evaluation again when its worker or node is lost, and only then: what one says, also of a fault, is a result.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import platform
import socket
import uuid
from dataclasses import asdict, replace
from typing import Any

from qualityscore.errors import HarnessError, InputError, MissingSubjectError, SubjectError, UsageError
from qualityscore.execution.digests import Digests
from qualityscore.execution.jobs import Answer, Broken, Evaluated, Job, Progress, Refused
from qualityscore.execution.local_engine import LocalEngine
from qualityscore.execution.packing import Parcel, pack, unpack
from qualityscore.execution.seats import seated
from qualityscore.model.codec import dump, load_report
from qualityscore.model.finding import by_place
from qualityscore.model.report import SCORE_MODEL
from qualityscore.runtime import workspace
from qualityscore.runtime.environment import python_minor
from qualityscore.runtime.process import check_stopped
from qualityscore.runtime.provenance import left_out, left_out_findings
from qualityscore.runtime.scratch import ScratchFolder, scratch_folder
from qualityscore.version import __version__

RETRIES = 3
"""How often Ray starts a task again whose worker or node was lost."""
_POLL_S = 0.2
_SEAT_S = 3600.0
_CONNECT_S = 10.0


class RayEngine:
    """A connection to the cluster that `address` names (as ray.init takes it), or to one of this machine's own."""

    def __init__(self, *, lanes: int | None, address: str | None) -> None:
        """Raises UsageError without the extra, HarnessError when the cluster cannot be reached."""
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        # Ray starts workers at the lowest priority otherwise: whatever else runs would decide what is timed.
        os.environ.setdefault("RAY_worker_niceness", "0")
        try:
            import ray  # noqa: PLC0415
        except ImportError as error:
            raise UsageError("The engine ray needs its extra: pip install 'qualityscore[ray]'.") from error
        _check_reachable(address)
        try:
            ray.init(address=address, include_dashboard=False if address is None else None, log_to_driver=False)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise HarnessError(f"The Ray cluster {address or 'of this machine'} cannot be used: {error}.") from error
        self._ray: Any = ray
        self._digests = Digests()
        self._lanes = lanes or max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._task = ray.remote(num_cpus=1, max_retries=RETRIES, retry_exceptions=False)(evaluate_on_node)

    @property
    def lanes(self) -> int:
        return self._lanes

    def evaluate(self, job: Job, progress: Progress | None = None) -> Answer:
        """Have it evaluated somewhere; blocks until there is an answer."""
        del progress
        try:
            with workspace.called(job.folder, job.name):
                parcel = pack(job.folder)
        except (SubjectError, MissingSubjectError) as error:
            return Refused(code=error.code, reason=str(error))
        plain = {**asdict(job), "folder": ""}
        same = {**_identity(self._digests, job.task, job.profile), "subject": parcel.digest}
        promise = self._task.remote(self._ray.put(parcel.data), plain, same)
        try:
            while not self._ray.wait([promise], timeout=_POLL_S)[0]:
                check_stopped()
            answer: dict[str, Any] = self._ray.get(promise)
        except self._ray.exceptions.RayTaskError as error:
            said = str(error).strip().splitlines()
            return Broken(code=HarnessError.code, reason=f"Ray: {said[0]} ended with {said[-1]}")
        except self._ray.exceptions.RayError as error:
            said = str(error).strip().splitlines()
            return Broken(code=HarnessError.code, reason=f"Ray: {said[0] if said else error!r}", lost=True)
        except BaseException:
            self._ray.cancel(promise, force=True)
            raise
        match answer:
            case {"report": report}:
                return Evaluated(report=_as_sent(report, parcel))
            case {"refused": {"code": code, "reason": reason}}:
                return Refused(code=code, reason=reason)
            case {"broken": {"code": code, "reason": reason, "lost": lost}}:
                return Broken(code=code, reason=reason, lost=lost)
        raise HarnessError(f"A node answered what cannot be understood: {answer!r:.200}")

    def close(self) -> None:
        """Leave the cluster; one of this machine's own ends."""
        self._ray.shutdown()


def _check_reachable(address: str | None) -> None:
    """Raise HarnessError at once where nobody listens at HOST:PORT, for which Ray itself would wait for minutes."""
    host, separator, port = (address or "").removeprefix("ray://").rpartition(":")
    if not separator or not port.isdigit():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_S).close()
    except (OSError, OverflowError) as error:
        raise HarnessError(f"The Ray cluster {address} cannot be used: {error}; check RAY_ADDRESS.") from error


class _Node:
    """What a Ray worker process keeps between tasks: a warm evaluation process, on the core that it was started on."""

    engine: LocalEngine | None = None
    core: str | None = None
    scratch: ScratchFolder | None = None


def evaluate_on_node(subject: bytes, plain: dict[str, Any], same: dict[str, str]) -> dict[str, Any]:
    """Evaluate a packed subject on this node, on a core that nothing else of ours works on.

    `same` is what has to be the same here as where the subject was packed; otherwise the node is at fault.
    """
    node = f"The node {platform.node()}"
    try:
        _check_same(node, same, _identity(Digests(), plain["task"], plain["profile"]))
        with (
            scratch_folder("qualityscore-ray-") as folder,
            seated(before=_Node.core, deadline_s=_SEAT_S) as core,
        ):
            place = folder / "subject"
            unpack(subject, place)
            _check_same(node, same, {"subject": workspace.subject_digest(place)})
            only = tuple(plain["only"]) if plain["only"] is not None else None
            job = replace(Job(**{**plain, "only": only}), id=uuid.uuid4().hex, folder=place)
            answer = _engine(core.name, job.timeout_s).evaluate(job)
    except InputError as error:  # whatever the caller got wrong was refused before the subject was sent
        answer = Broken(code=error.code, reason=f"{node} cannot evaluate: {error}")
    except HarnessError as error:
        answer = Broken(code=error.code, reason=str(error))
    except OSError as error:
        answer = Broken(code=HarnessError.code, reason=f"{node} failed: {error}")
    match answer:
        case Refused(code=code, reason=reason) if not answer.of_subject:
            return {"broken": {"code": code, "reason": f"{node} cannot evaluate: {reason}", "lost": False}}
        case Evaluated(report=report):
            return {"report": report}
        case Refused(code=code, reason=reason):
            return {"refused": {"code": code, "reason": reason}}
        case Broken(code=code, reason=reason, lost=lost):
            return {"broken": {"code": code, "reason": reason, "lost": lost}}


def _identity(digests: Digests, task: str, profile: str) -> dict[str, str]:
    """What decides the result of an evaluation besides its subject, by name. Raises TaskError and ProfileError."""
    return {
        "version of qualityscore": __version__,
        "score model": SCORE_MODEL,
        "Python": python_minor(),
        f"task {task}": digests.task(task),
        f"snapshot of {task}": digests.snapshot(task),
        f"profile {profile}": digests.profile(profile),
    }


def _check_same(node: str, same: dict[str, str], here: dict[str, str]) -> None:
    """Raise HarnessError where something here is not what it is where the subject was packed."""
    for name, found in here.items():
        if found != same.get(name):
            raise HarnessError(
                f"{node} has another {name}: {found:.12} there, {same.get(name, 'none'):.12} where the batch runs; "
                "install the same on both."
            )


def _as_sent(report: str, parcel: Parcel) -> str:
    """A node's report with what was left out when the subject was packed, which the node never saw."""
    seen = load_report(report)
    return dump(
        replace(
            seen,
            findings=by_place((*seen.findings, *left_out_findings(parcel.not_copied))),
            provenance={**seen.provenance, **left_out(parcel.not_copied)},
        )
    )


def _engine(core: str, longest_s: float) -> LocalEngine:
    """The warm engine of this worker process, for the core that it now sits on."""
    if _Node.engine is not None and _Node.core == core:
        return _Node.engine
    _close()
    _Node.scratch = ScratchFolder("qualityscore-ray-")
    _Node.core = core
    _Node.engine = LocalEngine(lanes=1, scratch=_Node.scratch.path, longest_s=longest_s)
    return _Node.engine


@atexit.register
def _close() -> None:
    if _Node.engine is not None and _Node.scratch is not None:
        with contextlib.suppress(Exception):
            _Node.engine.close()
        _Node.scratch.remove()
        _Node.engine = None
