"""Which earlier state a repository is compared with, and the files of both states in scratch folders."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from qualityscore.branch.own_tests import OwnRun
from qualityscore.branch.state import read_snapshot, unpack
from qualityscore.errors import BaselineError, SubjectError
from qualityscore.model.branch import BaselineState
from qualityscore.runtime import git, workspace
from qualityscore.runtime.documents import is_file, is_folder
from qualityscore.runtime.target import Tree

_EVERYWHERE = frozenset(
    {"setup.py", "conftest.py", "tests/conftest.py", "test/conftest.py", "tests/__init__.py", "test/__init__.py"}
    | {"docs/conf.py", "noxfile.py"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """One state's files: `run` are verdicts that came with a snapshot, good where `run_key` is right."""

    tree: Tree
    skipped: tuple[tuple[str, str], ...] = ()
    run: OwnRun | None = None
    run_key: str = ""


def take_branch(folder: Path, scratch: Path) -> tuple[Taken, git.Repository | None]:
    """A copy of the working tree (of what git would track, where it is one of git's), and its repository.

    Raises SubjectError for what cannot be taken.
    """
    if not folder.exists() or not folder.is_dir():
        copied = workspace.copy(folder, scratch / "branch", ())  # refuses it in its own words
        return Taken(tree=copied.tree, skipped=copied.skipped), None
    repository = git.repository_of(folder)
    if repository is None:
        copied = workspace.copy(folder, scratch / "branch", ())
        return Taken(tree=copied.tree, skipped=copied.skipped), None
    git.require_clean_submodules(repository)
    git.write_working_tree(repository, scratch / "working")
    try:
        copied = workspace.copy(scratch / "working", scratch / "branch", ())
    except SubjectError as error:
        raise SubjectError(str(error).replace(str(scratch / "working"), str(folder))) from error
    return Taken(tree=copied.tree, skipped=copied.skipped), repository


def take_baseline(
    given: str, folder: Path, repository: git.Repository | None, scratch: Path, branch: Tree
) -> tuple[Taken, BaselineState, tuple[str, ...]]:
    """The baseline's files, what it is, and notes.

    `given` is the file of a snapshot, a folder, or a ref of the repository; `branch` the files to compare. Raises
    BaselineError or SnapshotError with the likeliest cause where it is none of them, or another project's snapshot.
    """
    path = Path(given)
    is_ref = repository is not None and git.resolve(repository, given) is not None
    if (is_file(path) or is_folder(path)) and is_ref and not given.startswith((".", "/")):
        raise BaselineError(
            f"{given!r} is both a ref of the repository and a path; write ./{given} for the path, "
            f"or refs/heads/{given} for the branch."
        )
    if is_file(path):
        return _from_snapshot(path, scratch, branch)
    if is_folder(path):
        return _from_folder(path, given, scratch)
    if repository is None:
        raise BaselineError(
            f"{folder} is not a git repository, and {given!r} is neither a snapshot nor a folder; "
            "give --baseline the path of an earlier copy."
        )
    found = git.earlier(repository, given)
    git.write_commit(repository, found.commit, scratch / "commit")
    tree = _copied(scratch / "commit", scratch / "baseline", f"the commit {found.commit[:12]}")
    notes = (
        (f"{given} has moved on since; compared with {found.commit[:12]}, where the histories part",)
        if found.forked
        else ()
    )
    state = BaselineState(kind="git", name=given, commit=found.commit, digest=tree.digest)
    return Taken(tree=tree), state, notes


def are_strangers(first: Tree, second: Tree) -> bool:
    """Whether two trees have no Python file in common, neither a path nor a content; files that every project may have
    (`_EVERYWHERE`), and empty ones, say nothing. Trees without any that says something are no strangers."""
    telling = [_telling(tree) for tree in (first, second)]
    if not all(telling):
        return False
    return not telling[0].keys() & telling[1].keys() and not {*telling[0].values()} & {*telling[1].values()}


def _telling(tree: Tree) -> dict[str, bytes]:
    """The digests of the Python files that tell a project from others, by path."""
    found = {}
    for name in tree.files:
        if name.endswith(".py") and name not in _EVERYWHERE:
            data = (tree.root / name).read_bytes()
            if data.strip():
                found[name] = hashlib.sha256(data).digest()
    return found


def notes_on(taken: Taken, earlier: Taken, repository: git.Repository | None, state: BaselineState) -> tuple[str, ...]:
    """What a comparison of these two states cannot show."""
    mine, theirs = taken.tree, earlier.tree
    if mine.digest == theirs.digest:
        return ("the branch and the baseline are identical: there is nothing to compare",)
    if repository is None or state.kind != "git":
        return ()
    both = sorted({*mine.files} & {*theirs.files})
    filtered = {
        name: by
        for name, by in git.filters(repository, both).items()
        if (mine.root / name).read_bytes() != (theirs.root / name).read_bytes()
    }
    if not filtered:
        return ()
    first, by = next(iter(filtered.items()))
    more = f" and {len(filtered) - 1} more" if len(filtered) > 1 else ""
    return (
        f"of {first}{more} the baseline has what git stores for the filter {by!r}, not what a checkout holds: tests "
        "that read it may fail there, and count for nothing; give --baseline the folder of a checkout "
        "(git worktree add)",
    )


def _from_snapshot(path: Path, scratch: Path, branch: Tree) -> tuple[Taken, BaselineState, tuple[str, ...]]:
    snapshot = read_snapshot(path)
    unpack(snapshot, scratch / "snapshot", str(path))
    tree = _copied(scratch / "snapshot", scratch / "baseline", f"the snapshot {path}")
    if are_strangers(tree, branch):
        raise BaselineError(
            f"The snapshot {path} is one of another project ({snapshot.name}): "
            "it has no Python file in common with the repository."
        )
    state = BaselineState(kind="snapshot", name=str(path), commit=snapshot.commit, digest=tree.digest, kept=True)
    return Taken(tree=tree, run=snapshot.run, run_key=snapshot.run_key), state, ()


def _from_folder(path: Path, given: str, scratch: Path) -> tuple[Taken, BaselineState, tuple[str, ...]]:
    repository = git.repository_of(path)
    if repository is not None:
        git.write_working_tree(repository, scratch / "folder")
        tree = _copied(scratch / "folder", scratch / "baseline", str(path))
    else:
        tree = _copied(path, scratch / "baseline", str(path))
    return Taken(tree=tree), BaselineState(kind="path", name=given, digest=tree.digest), ()


def _copied(source: Path, destination: Path, shown: str) -> Tree:
    try:
        return workspace.copy(source, destination, ()).tree
    except SubjectError as error:
        raise BaselineError(f"The baseline cannot be taken: {str(error).replace(str(source), shown)}") from error
