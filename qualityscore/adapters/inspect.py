"""A scorer for Inspect: the files that a sample's solver left in its sandbox, or a folder, scored against a task."""

from __future__ import annotations

import asyncio
import contextlib
import math
import posixpath
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.util import OutputLimitExceededError, SandboxEnvironment, sandbox

from qualityscore.adapters.scoring import Scored, shared_scorer, unmeasured, worthless
from qualityscore.errors import HarnessError, SubjectError
from qualityscore.runtime.archives import unpack
from qualityscore.runtime.documents import is_folder
from qualityscore.runtime.scratch import scratch_folder
from qualityscore.runtime.workspace import LEFT_BEHIND, WorkspaceLimits, without_folder

_PACK_S = 120
_NO_FOLDER = 44
# What is too large for an evaluation, which leaves it out, is left out here already, with the links to it: it may be
# more than Inspect reads. GNU's tar packs hard links as files, leaves out what cannot be read, and ends with 1 where a
# file changed meanwhile, as one does that an agent left a process writing to. Other tars know no such options, and
# write nothing then.
_PACK = r"""
folder=$1; shift
[ -d "$folder" ] && [ -r "$folder" ] && [ -x "$folder" ] || exit 44
large() {
    cd "$folder" || return
    find . -type f -size +BLOCKS ! -path "*
*"
    find . -type l ! -path "*
*" -exec sh -c 'find -L "$@" -prune -type f -size +BLOCKS' sh {} +
}
while IFS= read -r name; do
    [ -z "$name" ] || set -- "$@" "--exclude=$name"
done <<END
$(large 2>/dev/null | head -n 1000 | sed 's/[][*?\\]/\\&/g')
END
file=$(mktemp) || exit 1
tar --hard-dereference --ignore-failed-read -cf "$file" "$@" -C "$folder" . 2>/dev/null
[ $? -le 1 ] && [ -s "$file" ] ||
    tar -cf "$file" "$@" -C "$folder" . || { status=$?; rm -f "$file"; exit "$status"; }
printf '%s\n' "$file"
cd "$folder" && pwd -P
""".replace("BLOCKS", str(WorkspaceLimits().file_bytes // 512))
_FAILURES = (OSError, ValueError, RuntimeError, OutputLimitExceededError)
"""What a sandbox raises where it does not work, a time limit's TimeoutError among them."""


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
    not measured is NaN, which Inspect's metrics leave out. A folder that is not there, or cannot be taken, scores 0. A
    fault of the harness or of the sandbox leaves the sample unscored.
    """

    async def score(state: TaskState, target: Target) -> Score:
        del target
        try:
            if host_folder is not None:
                place = Path(host_folder(state))
                if not is_folder(place):
                    raise SubjectError(f"The folder {place} does not exist.")
                return _as_score(await _scored(place, task, only, profile, jobs))
            with scratch_folder("qualityscore-") as scratch:
                subject = await _fetched(folder, scratch)
                found = await _scored(subject, task, only, profile, jobs)
                reason = found.reason and without_folder(found.reason, subject, f"The folder {folder}")
                return _as_score(replace(found, reason=reason))
        except SubjectError as error:
            return _as_score(worthless(str(error), only))
        except HarnessError as error:
            return _as_score(unmeasured(str(error)))

    return score


async def _fetched(folder: str, scratch: Path) -> Path:
    """Copy a folder of the sandbox to this machine.

    Raises SubjectError where there is no such folder, or what is in it cannot be taken, and HarnessError for what the
    sandbox cannot do.
    """
    archive = scratch / "subject.tar"
    try:
        packed, origins = await _packed(sandbox(), folder)
        archive.write_bytes(packed)
    except _FAILURES as error:
        reason = str(error) or type(error).__name__
        raise HarnessError(f"The folder {folder} cannot be fetched from the sandbox: {reason}.") from error
    unpack(archive, scratch / "subject", origins=origins)
    return scratch / "subject"  # also where it holds one folder alone, which is no wrapping of ours


async def _packed(box: SandboxEnvironment, folder: str) -> tuple[bytes, tuple[str, ...]]:
    """The folder as a tar, without what is no part of the sources, and its absolute paths."""
    excluded = [f"--exclude={name}" for name in sorted(LEFT_BEHIND)]
    done = await box.exec(["sh", "-c", _PACK, "sh", folder, *excluded], timeout=_PACK_S)
    if done.returncode == _NO_FOLDER:
        raise SubjectError(f"The sandbox has no folder {folder} that can be read.")
    if not done.success:
        raise HarnessError(
            f"The folder {folder} cannot be packed in the sandbox, which needs tar and room in its /tmp: "
            f"{done.stderr.strip()[-300:] or f'status {done.returncode}'}."
        )
    file, _, origin = done.stdout.removesuffix("\n").partition("\n")
    origins = {origin, posixpath.normpath(folder)} if folder.startswith("/") else {origin}
    try:
        return await box.read_file(file, text=False), tuple(sorted(origins))
    finally:
        with contextlib.suppress(*_FAILURES):
            await box.exec(["rm", "-f", file], timeout=_PACK_S)


async def _scored(subject: Path, task: str, only: Sequence[str] | None, profile: str, jobs: int | None) -> Scored:
    scorer_ = shared_scorer(jobs)
    (found,) = await asyncio.to_thread(scorer_.score, [subject], task, only=only, profile=profile)
    if found.missing:
        raise SubjectError(f"The folder cannot be taken: {found.reason}")
    return found


def _as_score(found: Scored) -> Score:
    metadata: dict[str, Any] = {"components": dict(found.components)}
    if found.harness:
        return Score.unscored(reason="harness_fault", explanation=found.reason, metadata=metadata)
    numbers = {"score": found.score, **found.components}
    value = {name: math.nan if number is None else number for name, number in numbers.items()}
    return Score(value=value, explanation=found.reason, metadata=metadata)
