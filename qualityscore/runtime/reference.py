"""The pinned reference: its release's sdist, found through the user's index, checked, unpacked into the cache.

Nothing of the release is built or executed here; an sdist is an archive of sources.
"""

from __future__ import annotations

import configparser
import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from qualityscore.errors import ArchiveError, HarnessError, OutputError, ReferenceFetchError, TaskError
from qualityscore.model.task import ReferenceSpec, Task
from qualityscore.runtime.archives import ArchiveLimits, unpack
from qualityscore.runtime.cache import locked, whole_directory
from qualityscore.runtime.scratch import scratch_folder

MAX_SDIST_BYTES = 256 << 20
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
    final = root / "references" / f"{spec.distribution}-{spec.version}-{spec.sdist_sha256[:16]}"
    if not final.is_dir():
        with locked(root / "locks" / f"reference-{final.name}.lock"):
            if not final.is_dir():
                with scratch_folder("qualityscore-sdist-") as scratch:
                    archive = _download(spec, scratch)
                    _check_digest(archive, spec)
                    with whole_directory(final) as building:
                        _unpack(archive, building)
    return final


def copy_to(task: Task, destination: Path, root: Path) -> Path:
    """Copy the unpacked reference into a new or empty folder.

    Raises OutputError for a place that cannot be used, HarnessError when copying fails, and what `fetch` raises;
    nothing is left behind then.
    """
    _check_place(destination)
    source = fetch(task, root)
    new = not destination.exists()
    try:
        shutil.copytree(source, destination, symlinks=True, dirs_exist_ok=True)
    except OSError as error:
        if new:
            shutil.rmtree(destination, ignore_errors=True)
        raise HarnessError(f"The reference could not be copied into {destination}: {_first_reason(error)}.") from error
    return destination


def _check_place(destination: Path) -> None:
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


def index_urls() -> tuple[str, ...]:
    """The package indexes that the user has configured for uv or pip; empty for the library's default."""
    for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"):
        if os.environ.get(name):
            return (os.environ[name],)
    parser = configparser.ConfigParser(interpolation=None)
    home = Path(os.environ.get("HOME", "/"))
    candidates = (Path("/etc/pip.conf"), home / ".pip" / "pip.conf", home / ".config" / "pip" / "pip.conf")
    try:
        parser.read([*candidates, *filter(None, [os.environ.get("PIP_CONFIG_FILE")])])
    except configparser.Error:
        return ()
    url = parser.get("global", "index-url", fallback=None)
    return (url,) if url else ()


def _download(spec: ReferenceSpec, folder: Path) -> Path:
    from unearth import PackageFinder  # noqa: PLC0415  (a network client, loaded only when something must be fetched)

    name = f"{spec.distribution}=={spec.version}"
    try:
        finder = PackageFinder(index_urls=index_urls(), no_binary=[str(spec.distribution)], ignore_compatibility=True)
        match = finder.find_best_match(name, allow_yanked=True)
        if match.best is None:
            raise ReferenceFetchError(
                f"No source release of {name} is offered by the configured package index; check its name and version."
            )
        link = match.best.link
        archive = folder / link.filename
        size = 0
        with finder.session.get_stream(link.url_without_fragment) as response, archive.open("wb") as file:
            response.raise_for_status()
            for chunk in response.iter_bytes():
                size += len(chunk)
                if size > MAX_SDIST_BYTES:
                    raise ReferenceFetchError(f"The source release of {name} is larger than {MAX_SDIST_BYTES} bytes.")
                file.write(chunk)
    except ReferenceFetchError:
        raise
    except Exception as error:  # the client's errors share no base class
        raise ReferenceFetchError(
            f"The source release of {name} could not be downloaded ({type(error).__name__}: {error}); "
            "check the network and the configured package index."
        ) from error
    return archive


def _check_digest(archive: Path, spec: ReferenceSpec) -> None:
    with archive.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
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
