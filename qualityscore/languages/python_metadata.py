"""What a source release says about itself in its metadata files, read without running its build."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

_MOST_BYTES = 1 << 20
_STATIC_FROM = (2, 2)  # metadata version from which an sdist marks what its build may change (PEP 643)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseMetadata:
    """Core metadata of an sdist.

    `requires` are the requirements of running it, without those of extras; None where the release does not say.
    `top_level` are the import names that setuptools recorded, empty where it did not. `requires_python` is empty where
    every version will do.
    """

    summary: str
    requires_python: SpecifierSet
    requires: tuple[str, ...] | None
    top_level: tuple[str, ...]


def read_metadata(root: Path, files: tuple[str, ...]) -> ReleaseMetadata:
    """Read `PKG-INFO` and the `.egg-info` folder of an unpacked sdist; `files` are its files relative to `root`.

    What cannot be read is left out.
    """
    headers = HeaderParser().parsestr(_text(root, "PKG-INFO", files))
    listed = [f for f in files if f.endswith(".egg-info/SOURCES.txt")]
    # the release's own lies highest, others belong to its tests
    recorded = min(listed, key=lambda f: (f.count("/"), f)).rpartition("/")[0] if listed else None
    required = _usable(headers.get_all("Requires-Dist") or ())
    if not required and recorded is not None:
        required = _usable(_sections(_text(root, f"{recorded}/requires.txt", files)))
    known = (
        bool(required) or recorded is not None or _says_all(headers.get("Metadata-Version"), headers.get_all("Dynamic"))
    )
    return ReleaseMetadata(
        summary=" ".join((headers.get("Summary") or "").split()),
        requires_python=_specifiers(headers.get("Requires-Python") or ""),
        requires=tuple(dict.fromkeys(required)) if known else None,
        top_level=tuple(_text(root, f"{recorded}/top_level.txt", files).split()) if recorded is not None else (),
    )


def _text(root: Path, name: str, files: tuple[str, ...]) -> str:
    if name not in files:
        return ""
    try:
        with (root / name).open("rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _says_all(version: str | None, dynamic: list[str] | None) -> bool:
    """Whether the lack of requirements in PKG-INFO means that there are none."""
    try:
        numbers = tuple(int(part) for part in (version or "").strip().split("."))
    except ValueError:
        return False
    return numbers >= _STATIC_FROM and "requires-dist" not in {d.strip().lower() for d in dynamic or ()}


def _sections(text: str) -> Iterator[str]:
    """The requirements in setuptools' `requires.txt`; a section `[:marker]` has a condition, others are extras."""
    marker: str | None = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            extra, _, condition = line.strip("[]").partition(":")
            marker = None if extra else condition
        elif line and marker is not None:
            yield f"{line} ; {marker}" if marker else line


def _usable(lines: Iterator[str] | list[str] | tuple[str, ...]) -> list[str]:
    found = []
    for line in lines:
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        if requirement.url is None and not (requirement.marker and "extra" in str(requirement.marker)):
            found.append(str(requirement))
    return found


def _specifiers(text: str) -> SpecifierSet:
    try:
        return SpecifierSet(text)
    except InvalidSpecifier:
        return SpecifierSet()
