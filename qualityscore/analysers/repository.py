"""From a path that a person gives to a reading of the repository: the one effect of the analysers."""

from __future__ import annotations

import errno
import stat
from dataclasses import dataclass
from pathlib import Path

from qualityscore.analysers.gather import gather
from qualityscore.analysers.library import Library
from qualityscore.analysers.project import Project
from qualityscore.analysers.rule import Reading
from qualityscore.errors import MissingSubjectError, SubjectError
from qualityscore.languages.python_dependencies import declared_distributions
from qualityscore.languages.python_production import production_files, scan_tree
from qualityscore.languages.python_source import SOURCE_SUFFIXES
from qualityscore.model.task import Surface
from qualityscore.runtime.target import Tree

_NEVER_READ = frozenset({"virtual environment", "build output"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A repository as read.

    Findings are reported for `production` files; the other Python files (tests, examples, vendored code) are read too,
    since they use and extend what is defined there. `files` are all regular files, `refused` the entries that are none
    and `left_out` the Python files that are no production code, both with the reason.
    """

    root: Path
    reading: Reading
    production: frozenset[str]
    files: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]
    refused: tuple[tuple[str, str], ...]


def read_repository(
    path: Path,
    *,
    imports: tuple[str, ...] = (),
    reference: Surface | None = None,
    order: tuple[tuple[str, ...], ...] = (),
    site_packages: tuple[Path, ...] = (),
    assumed: bool = False,
    cache: Path | None = None,
) -> Repository:
    """Read a folder or a single file; `cache` is the file of cached results.

    `assumed` says that `site_packages` is a guess at the repository's environment. Raises SubjectError where the path
    cannot be read or holds no Python file.
    """
    root, files, refused = _list(path)
    production = production_files(Tree(root=root, import_roots=(), files=files, digest=""))
    if path.is_file() and not production.files:
        production = type(production)(files=files)
    read = [*production.files, *(f for f, reason in production.left_out if reason not in _NEVER_READ)]
    package = _package_name(root)
    library = Library(
        site_packages,
        cache=cache,
        declared=declared_distributions(root, files),
        assumed=assumed,
        around=_around(root, package) if package or path.is_file() else None,
    )
    project = Project(gather(root, sorted(read), cache=cache), library, package=package, others=files)
    return Repository(
        root=root,
        reading=Reading(
            project, order=order, reference=reference, imports=imports, production=frozenset(production.files)
        ),
        production=frozenset(production.files),
        files=files,
        left_out=production.left_out,
        refused=refused,
    )


def _list(path: Path) -> tuple[Path, tuple[str, ...], tuple[tuple[str, str], ...]]:
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        if isinstance(error, OSError) and error.errno == errno.ELOOP:
            reason = "it is, or lies below, a symbolic link that leads back to itself"
        raise MissingSubjectError(f"Cannot analyse {path}: {reason}; give a folder or a Python file.") from error
    if stat.S_ISREG(mode):
        if not path.name.endswith(SOURCE_SUFFIXES):
            raise SubjectError(
                f"Cannot analyse {path}: it is no Python file; give a folder or a file that ends in .py."
            )
        return path.parent, (path.name,), ()
    if not stat.S_ISDIR(mode):
        raise SubjectError(f"Cannot analyse {path}: it is neither a folder nor a regular file.")
    tree = scan_tree(path)
    if tree.refused and tree.refused[0][0] == "." and not tree.files:
        raise SubjectError(f"Cannot analyse {path}: {tree.refused[0][1]}.")
    if not any(p.endswith(SOURCE_SUFFIXES) for p in (*tree.files, *(p for p, _ in tree.refused))):
        raise SubjectError(
            f"Cannot analyse {path}: it holds no Python file; give a folder with some, or a file that ends in .py."
        )
    odd = tuple((p, reason) for p, reason in tree.refused if p.endswith(SOURCE_SUFFIXES) or "cannot" in reason)
    return path, tree.files, odd


def _around(root: Path, package: str) -> Path:
    """The folder that holds the top package, for a file outside of packages its own."""
    folder = root.resolve()
    return folder.parents[package.count(".")] if package else folder


def _package_name(root: Path) -> str:
    """The dotted name of a folder that is itself a package inside others."""
    folder = root.resolve()
    parts: list[str] = []
    while (folder / "__init__.py").is_file() and folder.name.isidentifier():
        parts.append(folder.name)
        folder = folder.parent
    return ".".join(reversed(parts))
