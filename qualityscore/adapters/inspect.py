"""A scorer for Inspect: the files that a sample's solver left in its sandbox, or a folder, scored against a task."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.util import sandbox

from qualityscore.adapters.scoring import Scored, shared_scorer
from qualityscore.errors import SubjectError
from qualityscore.execution.scores import NOTHING
from qualityscore.runtime.archives import unpack
from qualityscore.runtime.scratch import scratch_folder

_PACK_S = 120
_PACK = 'file=$(mktemp) && tar -cf "$file" --exclude=./.git -C "$1" . && printf %s "$file"'


@scorer(metrics={"*": [mean(), stderr()]})
def qualityscore(
    task: str,
    *,
    folder: str = ".",
    host_folder: Callable[[TaskState], str | Path] | None = None,
    only: Sequence[str] | None = None,
    profile: str = "reference",
    jobs: int | None = None,
) -> Scorer:
    """Score what a sample left behind against a task of qualityscore.

    `folder` is a folder of the sample's sandbox (where there is a `tar`); with `host_folder` the subject is a folder of
    this machine instead, named from the sample's state. The value holds `score` (F x NF) and the components; what was
    not measured is NaN, which Inspect's metrics leave out. A fault of the harness leaves the sample unscored.
    """

    async def score(state: TaskState, target: Target) -> Score:
        del target
        try:
            if host_folder is not None:
                return _as_score(await _scored(Path(host_folder(state)), task, only, profile, jobs))
            with scratch_folder("qualityscore-") as scratch:
                subject = await _fetched(folder, scratch)
                return _as_score(await _scored(subject, task, only, profile, jobs))
        except SubjectError as error:
            return _as_score(Scored(score=0.0, components=NOTHING, reason=str(error)))

    return score


async def _fetched(folder: str, scratch: Path) -> Path:
    """Copy a folder of the sandbox to this machine. Raises SubjectError for what cannot be taken."""
    box = sandbox()
    done = await box.exec(["sh", "-c", _PACK, "sh", folder], timeout=_PACK_S)
    if not done.success:
        raise SubjectError(f"The folder {folder} of the sandbox cannot be packed: {done.stderr.strip()[-300:]}.")
    packed = done.stdout.strip()
    try:
        archive = scratch / "subject.tar"
        archive.write_bytes(await box.read_file(packed, text=False))
    finally:
        await box.exec(["rm", "-f", packed], timeout=_PACK_S)
    return unpack(archive, scratch / "subject")


async def _scored(subject: Path, task: str, only: Sequence[str] | None, profile: str, jobs: int | None) -> Scored:
    scorer_ = shared_scorer(jobs)
    (found,) = await asyncio.to_thread(scorer_.score, [subject], task, only=only, profile=profile)
    return found


def _as_score(found: Scored) -> Score:
    metadata: dict[str, Any] = {"components": dict(found.components)}
    if found.harness:
        return Score.unscored(reason="harness_fault", explanation=found.reason, metadata=metadata)
    numbers = {"score": found.score, **found.components}
    value = {name: math.nan if number is None else number for name, number in numbers.items()}
    return Score(value=value, explanation=found.reason, metadata=metadata)
