"""Which files of a repository are production code: one rule for subject and reference (scoring.md section 4).

A Python file is production code unless it is a test, documentation, an example, vendored, generated, part of a virtual
environment or build output. A file that the suites imported or opened as code is production code wherever it lies.
The rule is documented in `docs/reference/production-code.md`; change both together.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from qualityscore.languages.python_source import SOURCE_SUFFIXES, has_python_shebang, read_head

TEST_FOLDERS = frozenset({"test", "tests"})
TEST_FILES = re.compile(r"^(test_.*|.*_test|tests?|conftest)\.pyw?$")
DOC_FOLDERS = frozenset({"doc", "docs", "documentation"})
EXAMPLE_FOLDERS = frozenset(
    {"example", "examples", "sample", "samples", "demo", "demos", "tutorial", "tutorials", "notebooks"}
)
VENDOR_FOLDERS = frozenset(
    {"_vendor", "vendor", "_vendored", "vendored", "third_party", "thirdparty", "extern", "_extern", "node_modules"}
)
ENVIRONMENT_FOLDERS = frozenset({"venv", ".venv", "virtualenv", "site-packages", ".tox", ".nox", "__pypackages__"})
BUILD_FOLDERS = frozenset({"__pycache__", ".eggs", ".git", ".hg", ".svn", "htmlcov"})
BUILD_SUFFIXES = (".egg-info", ".dist-info", ".egg", "_cache")
TOP_BUILD_FOLDERS = frozenset({"build", "dist", "_build"})
GENERATED_FILES = re.compile(r"_pb2(_grpc)?\.pyi?$")
GENERATED_MARK = re.compile(
    rb"^\s*#.*(@generated\b|\bgenerated\b.*\bby\b|\bgenerated\b.*\bdo not (edit|modify|change)\b"
    rb"|\bdo not (edit|modify)\b.*\bgenerated\b)",
    re.IGNORECASE,
)
_GENERATED_HEAD_LINES = 10
_HEAD_BYTES = 4096


class FileTree(Protocol):
    """A repository on disk: `runtime.target.Tree`, or what `scan_tree` gives."""

    @property
    def root(self) -> Path:
        """The repository's folder."""
        ...

    @property
    def files(self) -> tuple[str, ...]:
        """Relative paths of its regular files, sorted."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedTree:
    """The regular files under a folder, and what else lay there with the reason why it was not taken."""

    root: Path
    files: tuple[str, ...]
    refused: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Production:
    """The production files, sorted, and every other Python file with the reason why it is none.

    `data_files` are the files in production places that are not Python.
    """

    files: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    data_files: tuple[str, ...] = ()


def scan_tree(root: Path) -> ScannedTree:
    """List the regular files under `root` without following links; a folder that cannot be listed is refused."""
    files: list[str] = []
    refused: list[tuple[str, str]] = []
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(root / folder) as entries:
                for entry in entries:
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    mode = entry.stat(follow_symlinks=False).st_mode
                    if stat.S_ISDIR(mode):
                        pending.append(path)
                    elif stat.S_ISREG(mode):
                        files.append(path)
                    else:
                        refused.append((path, _kind(mode)))
        except OSError as error:
            refused.append((folder or ".", f"cannot be listed: {error.strerror}"))
    return ScannedTree(root=root, files=tuple(sorted(files)), refused=tuple(sorted(refused)))


def _kind(mode: int) -> str:
    kinds: tuple[tuple[Callable[[int], bool], str], ...] = (
        (stat.S_ISLNK, "symbolic link"),
        (stat.S_ISFIFO, "pipe"),
        (stat.S_ISSOCK, "socket"),
        (stat.S_ISCHR, "device"),
        (stat.S_ISBLK, "device"),
    )
    return next((name for test, name in kinds if test(mode)), "special file")


def production_files(tree: FileTree, used: Iterable[str] = ()) -> Production:
    """Apply the rule to a tree.

    `used` are the files (relative to the root) that the suites imported or opened as code: they are in, whatever they
    are called.
    """
    in_use = frozenset(used)
    present = frozenset(tree.files)
    environments = {path.rpartition("/")[0] for path in present if path.rpartition("/")[2] == "pyvenv.cfg"}
    files: list[str] = []
    left_out: list[tuple[str, str]] = []
    data_files: list[str] = []
    for path in sorted(present):
        if path in in_use:
            files.append(path)
        elif _is_python(tree.root, path):
            reason = _reason(path, present, environments) or _generated(tree.root, path)
            if reason is None:
                files.append(path)
            else:
                left_out.append((path, reason))
        elif _reason(path, present, environments) is None or _holds_compiled(path):
            data_files.append(path)
    return Production(files=tuple(files), left_out=tuple(left_out), data_files=tuple(data_files))


def _holds_compiled(path: str) -> bool:
    # The interpreter runs what lies in __pycache__ instead of the source, if it is made to look right.
    return path.endswith(".pyc") and "__pycache__" in path.split("/")


def _is_python(root: Path, path: str) -> bool:
    name = path.rpartition("/")[2]
    if name.endswith(SOURCE_SUFFIXES):
        return True
    return "." not in name and has_python_shebang(read_head(root, path, _HEAD_BYTES))


def _reason(path: str, present: frozenset[str], environments: set[str]) -> str | None:
    folders, name = path.split("/")[:-1], path.rpartition("/")[2]
    for depth, folder in enumerate(folders):
        if "/".join(folders[: depth + 1]) in environments or folder.lower() in ENVIRONMENT_FOLDERS:
            return "virtual environment"
        if folder in BUILD_FOLDERS or folder.endswith(BUILD_SUFFIXES):
            return "build output"
    if folders and folders[0] in TOP_BUILD_FOLDERS and f"{folders[0]}/__init__.py" not in present:
        return "build output"
    for names, reason in _FOLDER_REASONS:
        if any(folder.lower() in names for folder in folders):
            return reason
    if TEST_FILES.match(name):
        return "test"
    return "generated" if GENERATED_FILES.search(name) else None


_FOLDER_REASONS = (
    (VENDOR_FOLDERS, "vendored"),
    (TEST_FOLDERS, "test"),
    (DOC_FOLDERS, "documentation"),
    (EXAMPLE_FOLDERS, "example"),
)


def _generated(root: Path, path: str) -> str | None:
    lines = read_head(root, path, _HEAD_BYTES).splitlines()[:_GENERATED_HEAD_LINES]
    return "generated" if any(GENERATED_MARK.match(line) for line in lines) else None
