"""The pinned reference: its release's sdist, found through the user's index, checked, unpacked into the cache.

Nothing of the release is built or executed here; an sdist is an archive of sources.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import AbstractContextManager
from pathlib import Path

from qualityscore.errors import ArchiveError, HarnessError, OutputError, ReferenceFetchError, ReleaseError, TaskError
from qualityscore.model.task import ReferenceSpec, Task
from qualityscore.runtime.archives import ArchiveLimits, unpack
from qualityscore.runtime.cache import locked, whole_directory
from qualityscore.runtime.releases import MAX_SDIST_BYTES, download, sha256_of
from qualityscore.runtime.scratch import scratch_folder

_LIMITS = ArchiveLimits(archive_bytes=MAX_SDIST_BYTES, total_bytes=1 << 30, members=50_000)


def fetch(task: Task, root: Path) -> Path:
    """The unpacked reference of a task, from the cache under `root` or fetched into it.

    A `path` reference is taken from the task's folder as it is. Raises ReferenceFetchError when the release cannot be
    found or its digest differs from the pinned one, TaskError when a path reference does not exist.
    """
    spec = task.spec.reference
    if spec.path is not None:
        folder = (task.folder / spec.path).resolve()
        if not folder.is_dir():
            raise TaskError(f"The reference folder {folder} of task {task.id} does not exist; check task.toml.")
        return folder
    if spec.distribution is None or spec.version is None or spec.sdist_sha256 is None:
        raise TaskError(f"Task {task.id} pins its reference to a git commit, which this version cannot fetch yet.")
    final = _place(root, spec.distribution, spec.version, spec.sdist_sha256)
    if not final.is_dir():
        with _alone(final, root):
            if not final.is_dir():
                with scratch_folder("qualityscore-sdist-") as scratch:
                    try:
                        archive = download(spec.distribution, spec.version, scratch)
                    except ReleaseError as error:  # it was there when the task was written
                        raise ReferenceFetchError(str(error)) from error
                    _check_digest(archive, spec)
                    _keep(archive, final)
    return final


def fetch_release(distribution: str, version: str, root: Path) -> tuple[str, Path]:
    """The SHA-256 of a release's sdist, and the release unpacked in the cache under `root`, for a task to pin.

    Raises what `download` raises, and ReferenceFetchError for an archive that cannot be used.
    """
    with scratch_folder("qualityscore-sdist-") as scratch:
        archive = download(distribution, version, scratch)
        digest = sha256_of(archive)
        final = _place(root, distribution, version, digest)
        with _alone(final, root):
            if not final.is_dir():
                _keep(archive, final)
    return digest, final


def _place(root: Path, distribution: str, version: str, digest: str) -> Path:
    return root / "references" / f"{distribution}-{version}-{digest[:16]}"


def _alone(final: Path, root: Path) -> AbstractContextManager[None]:
    return locked(root / "locks" / f"reference-{final.name}.lock")


def _keep(archive: Path, final: Path) -> None:
    with whole_directory(final) as building:
        _unpack(archive, building)


def copy_to(task: Task, destination: Path, root: Path) -> Path:
    """Copy the unpacked reference into a new or empty folder.

    Raises OutputError for a place that cannot be used, HarnessError when copying fails, and what `fetch` raises;
    nothing is left behind then.
    """
    check_place(destination)
    source = fetch(task, root)
    new = not destination.exists()
    try:
        shutil.copytree(source, destination, symlinks=True, dirs_exist_ok=True)
    except OSError as error:
        if new:
            shutil.rmtree(destination, ignore_errors=True)
        raise HarnessError(f"The reference could not be copied into {destination}: {_first_reason(error)}.") from error
    return destination


def check_place(destination: Path) -> None:
    """Raise OutputError unless a new folder can be made here, or an empty one filled."""
    try:
        if destination.exists() and not destination.is_dir():
            raise OutputError(f"{destination} is not a folder; name a folder that does not exist yet.")
        if destination.exists() and any(destination.iterdir()):
            raise OutputError(f"The folder {destination} is not empty; name one that does not exist yet.")
        whole = destination.absolute()
        above = next(folder for folder in (whole, *whole.parents) if folder.exists())
    except OSError as error:
        raise OutputError(f"The folder {destination} cannot be made: {error.strerror}; name another.") from error
    try:
        tempfile.TemporaryFile(dir=above).close()
    except OSError as error:
        raise OutputError(
            f"The folder {destination} cannot be made in {above}: {error.strerror}; name another."
        ) from error


def _first_reason(error: OSError) -> str:
    """copytree gathers the failures of all files in one error."""
    if isinstance(error, shutil.Error) and error.args and error.args[0]:
        return str(error.args[0][0][-1])
    return str(error)


def _check_digest(archive: Path, spec: ReferenceSpec) -> None:
    digest = sha256_of(archive)
    if digest != spec.sdist_sha256:
        raise ReferenceFetchError(
            f"The source release of {spec.distribution}=={spec.version} has sha256 {digest}, "
            f"the task pins {spec.sdist_sha256}; it was not used."
        )


def _unpack(archive: Path, folder: Path) -> None:
    """Unpack an archive of one top-level folder into `folder`, by the rules for archives that nobody vouches for."""
    try:
        with tempfile.TemporaryDirectory(prefix=".unpacked-", dir=folder) as held:  # noqa: TID251
            everything = Path(held, "archive")
            top = unpack(archive, everything, _LIMITS)
            if top == everything or not any(top.iterdir()):
                raise ReferenceFetchError(f"The archive {archive.name} does not hold exactly one top-level folder.")
            for item in list(top.iterdir()):
                item.rename(folder / item.name)
    except ArchiveError as error:
        raise ReferenceFetchError(f"{error} It was not used.") from error
