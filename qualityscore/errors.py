"""Every error a person can meet, in one tree.

Each class carries a stable code (documented in `docs/reference/errors.md`) and the exit code of the command line.
A message is one sentence that says what was wrong, where, and what to do.
"""

from __future__ import annotations

from typing import ClassVar

MAX_MESSAGE = 1_200
_MESSAGE_END = 300


class QualityScoreError(Exception):
    """Base of all errors that are shown to a person without a traceback."""

    code: ClassVar[str] = "QS-000"
    exit_code: ClassVar[int] = 3

    def __init__(self, message: str = "") -> None:
        if len(message) > MAX_MESSAGE:  # it quotes a stranger's document; the end says what to do
            message = f"{message[: MAX_MESSAGE - _MESSAGE_END - 3]}...{message[-_MESSAGE_END:]}"
        super().__init__(message)


class InputError(QualityScoreError):
    """The caller gave something that cannot be used; exit code 2."""

    code = "QS-100"
    exit_code = 2


class UsageError(InputError):
    """A command line, a call or a request that does not fit together."""

    code = "QS-101"


class SubjectError(InputError):
    """The repository to evaluate cannot be taken: a file, empty, unsafe or too large."""

    code = "QS-110"


class MissingSubjectError(InputError):
    """A subject's path, git repository or commit that is not there: a mistake of whoever named it, and no score."""

    code = "QS-112"


class TaskError(InputError):
    """An unknown task, or a task file that cannot be read."""

    code = "QS-120"


class UnfinishedTaskError(TaskError):
    """A task that still holds parts of its draft, which a person has to write."""

    code = "QS-121"


class ReleaseError(InputError):
    """A release that no task can be made of: no such name or version, wheels only, nothing that can be imported."""

    code = "QS-125"


class SnapshotError(InputError):
    """A baseline snapshot that is truncated, of another schema, or of other suites."""

    code = "QS-130"


class ProfileError(InputError):
    """A profile or a judgement matrix that cannot be used."""

    code = "QS-140"


class ReportError(InputError):
    """A report document that cannot be read, or holds nothing to explain."""

    code = "QS-150"


class OutputError(InputError):
    """A place that cannot be written to."""

    code = "QS-160"


class IncomparableError(InputError):
    """Two results whose provenance forbids a comparison; the message names the field that differs."""

    code = "QS-170"


class BaselineError(InputError):
    """An earlier state to compare with that cannot be taken: no such ref, no git repository, a shallow clone."""

    code = "QS-180"


class SettingsError(InputError):
    """A `qualityscore.toml` or a gate file that cannot be used."""

    code = "QS-190"


class ManifestError(InputError):
    """A batch manifest that cannot be read; the message names the line."""

    code = "QS-200"


class BatchError(InputError):
    """The output folder of a batch that cannot be used: another run holds it, or it belongs to something else."""

    code = "QS-210"


class ArchiveError(SubjectError):
    """An archive that is damaged, too large, or holds names that lead elsewhere."""

    code = "QS-111"


class HarnessError(QualityScoreError):
    """A tool or the host failed, not the subject; exit code 3."""

    code = "QS-300"


class SandboxUnavailableError(HarnessError):
    """No sandbox of the needed level works on this host."""

    code = "QS-310"


class EnvironmentBuildError(HarnessError):
    """The task's environment could not be built or reused."""

    code = "QS-320"


class ReferenceFetchError(HarnessError):
    """The pinned reference could not be fetched, or its digest differs."""

    code = "QS-330"


class ToolError(HarnessError):
    """A measuring tool crashed, hung, or answered what cannot be read."""

    code = "QS-340"


class BudgetError(HarnessError):
    """The time budget that the caller gave was used up."""

    code = "QS-370"

    def __init__(self) -> None:
        super().__init__("budget: the time that --time-budget allows was used up; give more, or leave it out.")


class ReferenceFaultError(HarnessError):
    """The reference itself fails on this host."""

    code = "QS-350"


class RepositoryFetchError(HarnessError):
    """A git repository or its commit could not be fetched."""

    code = "QS-360"


class ServiceError(QualityScoreError):
    """The scoring service refused a request, or could not be reached."""

    code = "QS-380"

    def __init__(self, message: str, status: int | None = None, problem: str | None = None) -> None:
        """`status` is the HTTP status, `problem` the code that the service gave; None where there was none."""
        super().__init__(message)
        self.status = status
        self.problem = problem


class AccessError(ServiceError):
    """The scoring service does not answer whoever asks: the token is missing or wrong, or the host is not its own."""

    code = "QS-381"


class NoSuchResourceError(ServiceError):
    """The scoring service has no such route, method, evaluation or report."""

    code = "QS-382"


class BusyError(ServiceError):
    """The scoring service has no room at present; its answer says when to come again."""

    code = "QS-383"
