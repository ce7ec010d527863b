"""What every result says about how it came about (scoring.md section 9)."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from qualityscore.model.finding import NOT_COPIED, Finding, Severity
from qualityscore.model.report import SubjectInfo
from qualityscore.runtime.fingerprint import fingerprint
from qualityscore.runtime.sandbox.base import Sandbox
from qualityscore.runtime.target import Environment
from qualityscore.runtime.workspace import missed
from qualityscore.version import __version__

MAX_NOT_COPIED = 100
_RUNS_INSIDE = ("pytest", "hypothesis", "memray")


def environment_tools(environment: Environment | None) -> dict[str, str]:
    """The versions of what runs beside the subject, read from the environment's own metadata."""
    if environment is None:
        return {}
    versions = {}
    for folder in environment.prefix.glob("lib/python*/site-packages/*.dist-info"):
        name, _, number = folder.name.removesuffix(".dist-info").partition("-")
        if name in _RUNS_INSIDE:
            versions[name] = number
    return versions


def describe(
    *,
    profile_name: str,
    profile_digest: str,
    task_digest: str,
    subject: SubjectInfo,
    environment: Environment | None,
    sandbox: Sandbox,
    counter: str | None,
    cost_details: dict[str, Any],
    tool_versions: dict[str, str],
    seeds: dict[str, int],
    not_copied: tuple[tuple[str, str], ...],
    started: datetime,
    ended: datetime,
) -> dict[str, Any]:
    """Plain JSON data; times are UTC in ISO 8601."""
    mark = fingerprint()
    return {
        "qualityscore": __version__,
        "profile": profile_name,
        "profile_digest": profile_digest,
        "task_digest": task_digest,
        "subject_digest": subject.digest,
        "sample": subject.sample,
        "tools": dict(sorted({**tool_versions, **environment_tools(environment)}.items())),
        "environment_lock": environment.lock_digest if environment else None,
        "python": environment.version if environment else None,
        "host": {**asdict(mark), "fingerprint": mark.digest},
        "sandbox": sandbox.level.value,
        "counter": counter,
        "cost": cost_details,
        "seeds": seeds,
        **left_out(not_copied),
        "started": started.isoformat(timespec="milliseconds"),
        "ended": ended.isoformat(timespec="milliseconds"),
    }


def left_out(not_copied: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    """What provenance says of (path, reason) of a subject's parts that were left out: the first ones, and how many.

    What may belong to the sources goes before what never does.
    """
    notable = set(missed(not_copied))
    shown = sorted(not_copied, key=lambda one: one not in notable)[:MAX_NOT_COPIED]
    return {
        "not_copied": [{"path": path, "reason": reason} for path, reason in shown],
        "not_copied_total": len(not_copied),
    }


def left_out_findings(not_copied: tuple[tuple[str, str], ...]) -> tuple[Finding, ...]:
    """A finding for each part of a subject that was left out and may belong to its sources; none costs anything."""
    notable = missed(not_copied)
    shown = [
        Finding(
            code=NOT_COPIED,
            tool="qualityscore",
            message=f"left out of the evaluation: {reason}",
            severity=Severity.INFO,
            path=path,
        )
        for path, reason in notable[:MAX_NOT_COPIED]
    ]
    if more := len(notable) - len(shown):
        message = f"{more} more were left out of the evaluation, not listed"
        details = {"more": more}
        shown.append(
            Finding(code=NOT_COPIED, tool="qualityscore", message=message, severity=Severity.INFO, details=details)
        )
    return tuple(shown)
