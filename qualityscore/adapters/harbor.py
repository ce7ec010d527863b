"""A verifier for Harbor: leaves `reward.json` with the scores, and leaves nothing where the harness is at fault.

    python -P -m qualityscore.adapters.harbor /app --task my-task [--service URL] [--output /logs/verifier]

Harbor takes a missing reward file for an error of the trial, which is what a fault of the harness is; a 0 would be held
against the agent. What the service is not willing to take of a repository, its size or its names, is the agent's doing.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any

from qualityscore.adapters.scoring import LocalScorer, Scored, unmeasured, worthless
from qualityscore.errors import (
    ArchiveError,
    HarnessError,
    MissingSubjectError,
    OutputError,
    QualityScoreError,
    ServiceError,
    SubjectError,
    UsageError,
)
from qualityscore.execution.manifest import check_options
from qualityscore.execution.output import write_whole
from qualityscore.execution.packing import upload_of
from qualityscore.execution.scores import EFFECTIVE, check_component, harness_faults
from qualityscore.runtime import archives, workspace
from qualityscore.runtime.documents import is_file, is_folder
from qualityscore.runtime.scratch import scratch_folder

REWARD_FILE = "reward.json"
TOKEN_VARIABLE = "QUALITYSCORE_TOKEN"


def main(argv: Sequence[str] | None = None) -> int:
    """Score the repository; 0 when the reward was written, otherwise 2 (usage) or 3 (harness)."""
    parser = argparse.ArgumentParser(prog="qualityscore.adapters.harbor", description=__doc__.splitlines()[0])
    parser.add_argument("repository", type=Path, help="the folder that the agent worked in")
    parser.add_argument("--task", required=True, metavar="ID_OR_PATH")
    parser.add_argument("--only", metavar="LIST", help="functional and dimensions, comma-separated")
    parser.add_argument("--reward", default=EFFECTIVE, metavar="NAME", help="effective, F, NF or another component")
    parser.add_argument("--output", type=Path, default=Path("/logs/verifier"), metavar="DIR", help="where it goes")
    parser.add_argument("--service", metavar="URL", help=f"score there, with ${TOKEN_VARIABLE}, rather than here")
    arguments = parser.parse_args(argv)
    reward = arguments.output / REWARD_FILE
    try:
        _prepare(reward)
        if arguments.service == "":
            raise UsageError("--service is empty (is its variable set?); give the service's URL, or leave it out.")
        only = [part.strip() for part in arguments.only.split(",") if part.strip()] if arguments.only else None
        check_options(only, None)
        check_component(arguments.reward, only)
        found = _score(arguments, only)
        value = None if found.harness else found.number(arguments.reward)
        if value is None:
            sys.stderr.write(f"no reward: {found.reason}\n")
            return 3 if found.harness or not found.components else 2  # there are some, but not the one asked for
        numbers = {name: number for name, number in found.components.items() if number is not None}
        _write(reward, {"reward": value, **numbers})
    except QualityScoreError as error:
        sys.stderr.write(f"error {error.code}: {error}\n")
        return error.exit_code
    except OSError as error:
        sys.stderr.write(f"error {HarnessError.code}: the host failed: {error}\n")
        return HarnessError.exit_code
    return 0


def _score(arguments: argparse.Namespace, only: list[str] | None) -> Scored:
    repository = arguments.repository
    if not (is_file(repository) or is_folder(repository)):
        # The agent could have removed it, and must not turn a 0 into an error of the trial.
        reason = f"{repository} is neither a folder nor an archive"
        sys.stderr.write(
            f"warning: {reason}; the reward is 0, since the agent may have removed it. Is the path written right? "
            "A task's own solution has its full reward then.\n"
        )
        return worthless(reason, only)
    with scratch_folder("qualityscore-") as scratch:
        try:
            copy = _copied(repository, scratch)
        except (SubjectError, MissingSubjectError) as error:
            return worthless(str(error), only)
        if arguments.service:
            return _score_there(arguments, copy, only)
        scorer = LocalScorer(jobs=1)
        try:
            return scorer.score([copy], arguments.task, only=only)[0]
        finally:
            scorer.close()


def _copied(repository: Path, scratch: Path) -> Path:
    """A copy in `scratch`, out of reach of what an agent left running: what an evaluation takes, and nothing else.

    Raises SubjectError, MissingSubjectError and HarnessError.
    """
    folder = archives.unpack(repository, scratch / "unpacked") if is_file(repository) else repository
    copy = scratch / "repository"
    workspace.copy(folder, copy, ())
    return copy


def _score_there(arguments: argparse.Namespace, repository: Path, only: list[str] | None) -> Scored:
    from qualityscore.client import ScoringClient  # noqa: PLC0415

    archive = repository.with_name("repository.tar.gz")
    archive.write_bytes(upload_of(repository))
    with ScoringClient(arguments.service, token=os.environ.get(TOKEN_VARIABLE)) as client:
        try:
            taken = client.submit(arguments.task, archive=archive, only=only)
        except ServiceError as error:
            status = error.status if error.problem is not None else None  # of the service, not of a proxy
            refused = error.problem in (SubjectError.code, ArchiveError.code)
            if refused or status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
                return worthless(str(error), only)
            if status == HTTPStatus.UNPROCESSABLE_ENTITY:  # the task, say, is none of the service's
                raise UsageError(str(error)) from error
            raise
        ended = client.wait(taken["id"])
        result = ended["result"]
        faults = harness_faults(client.report(ended["id"])) if ended["status"] == "succeeded" else []
        if faults:
            return unmeasured(faults[0]["reason"])
        return Scored(score=result["score"], components=result["components"] or {}, reason=result["reason"])


def _prepare(file: Path) -> None:
    """Try the place before the long work, and remove what an agent left there, which is not ours."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        _clear(file)
        tempfile.TemporaryFile(dir=file.parent).close()
    except OSError as error:
        raise OutputError(f"{file} cannot be written: {error.strerror}; give another --output.") from error


def _clear(file: Path) -> None:
    """Remove whatever has the name of the reward: a file, a pipe, a link, or a folder with all that is in it."""
    if file.is_dir() and not file.is_symlink():
        shutil.rmtree(file)
    else:
        file.unlink(missing_ok=True)


def _write(file: Path, document: dict[str, Any]) -> None:
    """Write it whole or not at all, through a name that nobody can have taken before."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        _clear(file)
        write_whole(file, json.dumps(document, sort_keys=True) + "\n")
    except OSError as error:
        raise OutputError(f"{file} cannot be written: {error.strerror}.") from error


if __name__ == "__main__":
    sys.exit(main())
