"""Reading documents that people hand in: reports and profiles."""

from __future__ import annotations

import codecs
import difflib
import errno
import json
import os
import stat
from pathlib import Path

from pydantic import ValidationError

from qualityscore.core.profile import Profile, parse_profile
from qualityscore.errors import ProfileError, ReportError
from qualityscore.model.codec import InconsistentReportError, load_report
from qualityscore.model.foreign import first_problem, non_finite
from qualityscore.model.report import SCHEMA_VERSION, Report

MAX_REPORT_BYTES = 256 << 20
_PROFILES = Path(__file__).resolve().parent.parent / "profiles"


def profile_names() -> tuple[str, ...]:
    """The profiles that come with the package."""
    return tuple(sorted(p.stem for p in _PROFILES.glob("*.toml")))


def is_file(path: Path) -> bool:
    """Whether it is one; a name that is too long, or lies in a folder that may not be entered, is none."""
    return stat.S_ISREG(_mode(path))


def is_folder(path: Path) -> bool:
    """Whether it is one, with the same exceptions."""
    return stat.S_ISDIR(_mode(path))


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return 0


def read_at_most(path: Path, most: int) -> bytes | None:
    """The content, or None of more than `most` bytes: a device or a pipe tells no size. Raises OSError."""
    with path.open("rb") as file:
        data = file.read(most + 1)
    return data if len(data) <= most else None


def read_regular_at_most(path: Path, most: int) -> bytes | None:
    """The same of a regular file, or a link to one: a pipe would wait for a writer, and a device never end."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(most + 1)
    finally:
        os.close(descriptor)
    return data if len(data) <= most else None


def load_profile(name_or_path: str) -> Profile:
    """A bundled profile by name, or a TOML file by path. Raises ProfileError with one sentence."""
    return parse_profile(profile_text(name_or_path), name_or_path)


def profile_text(name_or_path: str) -> str:
    """The TOML text of a profile, unread. Raises ProfileError with one sentence."""
    bundled = _PROFILES / f"{name_or_path}.toml"
    path = bundled if name_or_path in profile_names() else Path(name_or_path)
    if not is_file(path):
        near = difflib.get_close_matches(name_or_path, profile_names(), n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"the bundled ones are {', '.join(profile_names())}."
        raise ProfileError(f"There is no profile {name_or_path!r}, neither bundled nor a file; {hint}")
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ProfileError(f"The profile {path} cannot be read: {error}.") from error


def read_report(path: str) -> Report:
    """Read one report strictly. Raises ReportError with one sentence."""
    file = Path(path)
    try:
        data = read_at_most(file, MAX_REPORT_BYTES)
    except OSError as error:
        raise ReportError(f"The report {path} cannot be read: {error.strerror}.") from error
    if data is None:
        raise ReportError(f"The report {path} is larger than {MAX_REPORT_BYTES} bytes; it is not one of ours.")
    data = data.removeprefix(codecs.BOM_UTF8)  # which editors on Windows put there, and JSON does not know
    try:
        document = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ReportError(f"The report {path} is truncated or not JSON: {error}.") from error
    version = document.get("schema_version") if isinstance(document, dict) else None
    if version != SCHEMA_VERSION:
        raise ReportError(f"{path} is not a report of schema {SCHEMA_VERSION} (schema_version is {version!r}).")
    if problem := non_finite(document):
        raise ReportError(f"The report {path} is not valid: {problem}.")
    del document
    try:
        return load_report(data)
    except ValidationError as error:
        raise ReportError(f"The report {path} is not valid: {first_problem(error)}.") from error
    except InconsistentReportError as error:
        raise ReportError(f"The report {path} contradicts itself: {error}; evaluate again.") from error
