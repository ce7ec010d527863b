"""Source releases on the package index that the user has configured: whether there is one, and downloading it."""

from __future__ import annotations

import configparser
import hashlib
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from qualityscore.errors import QualityScoreError, ReferenceFetchError, ReleaseError

if TYPE_CHECKING:
    from unearth import Link

MAX_SDIST_BYTES = 256 << 20
_CLIENT = "unearth"
_NOT_FOUND = "(404)"
_MOST_VERSIONS = 5


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


def download(distribution: str, version: str, folder: Path) -> Path:
    """Download the sdist of exactly this release into `folder`; nothing of it is built or executed.

    Raises ReleaseError where the index has no such name, no such version or wheels only, and ReferenceFetchError where
    the index cannot be asked, or sends something else than it announces.
    """
    from unearth import PackageFinder  # noqa: PLC0415  (a network client, loaded only when something must be fetched)

    name = f"{distribution}=={version}"
    try:
        with _client_failures() as failures:
            finder = PackageFinder(index_urls=index_urls(), no_binary=[distribution], ignore_compatibility=True)
            match = finder.find_best_match(name, allow_yanked=True)
            if match.best is None:
                every = PackageFinder(index_urls=index_urls(), ignore_compatibility=True)
                found = every.find_all_packages(distribution, allow_yanked=True)
                offered = {(str(p.version), bool(p.link.is_wheel)) for p in found if p.version}
        if match.best is None:
            if unanswered := [text for text in failures if _NOT_FOUND not in text]:
                raise ReferenceFetchError(f"The package index gives no answer about {name}: {unanswered[0]}.")
            raise ReleaseError(_lacking(distribution, version, offered))
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
    except QualityScoreError:
        raise
    except Exception as error:  # the client's errors share no base class
        raise ReferenceFetchError(
            f"The source release of {name} could not be downloaded ({type(error).__name__}: {error}); "
            "check the network and the configured package index."
        ) from error
    _check_announced(archive, link, name)
    return archive


def sha256_of(archive: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    with archive.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check_announced(archive: Path, link: Link, name: str) -> None:
    (announced,) = (link.hash_option or {}).get("sha256", [None])
    if announced is not None and announced != (digest := sha256_of(archive)):
        raise ReferenceFetchError(
            f"The source release of {name} has sha256 {digest}, its index announces {announced}; it was not used."
        )


def _lacking(distribution: str, version: str, offered: set[tuple[str, bool]]) -> str:
    """Why there is no such source release, and what there is instead. `offered` are versions and whether a wheel."""
    from packaging.version import Version  # noqa: PLC0415

    if not offered:
        return f"The configured package index offers no release of a project {distribution!r}; check its name."
    sources = sorted({Version(v) for v, is_wheel in offered if not is_wheel}, reverse=True)
    shown = ", ".join(str(v) for v in sources[:_MOST_VERSIONS])
    instead = f"the latest source releases are {shown}" if sources else "none of its releases has one"
    if Version(version) in {Version(v) for v, _ in offered}:
        return f"{distribution} {version} is released as a wheel only and a task needs a source release; {instead}."
    return f"The project {distribution} has no release {version}; {instead}."


@contextmanager
def _client_failures() -> Iterator[list[str]]:
    """What the client only logs: why it could not read an index's page. Kept from standard error."""
    failures: list[str] = []

    class _Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            reason = record.args[-1] if isinstance(record.args, tuple) and record.args else record.msg
            failures.append(str(reason))

    logger, handler = logging.getLogger(_CLIENT), _Keep(logging.WARNING)
    passed_on, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield failures
    finally:
        logger.removeHandler(handler)
        logger.propagate = passed_on
