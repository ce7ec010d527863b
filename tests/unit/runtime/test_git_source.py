"""Commits fetched with the real git: exactly their files, whatever the repository asks git to do with them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from qualityscore.errors import ArchiveError, MissingSubjectError, RepositoryFetchError, SubjectError
from qualityscore.runtime.archives import ArchiveLimits
from qualityscore.runtime.git_source import check_origin, fetch_commit
from qualityscore.runtime.workspace import subject_digest


class Origin:
    """A repository that commits what it is given."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "-q")

    def git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        done = subprocess.run(
            ["git", "-C", str(self.folder), *identity, *arguments], check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(self, files: dict[str, str]) -> str:
        for name, text in files.items():
            (self.folder / name).write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "c")
        return self.git("rev-parse", "HEAD")

    @property
    def url(self) -> str:
        return f"file://{self.folder}"


@pytest.fixture
def origin(tmp_path):
    return Origin(tmp_path / "origin")


@pytest.fixture
def scratch(tmp_path):
    (tmp_path / "scratch").mkdir()
    return tmp_path / "scratch"


def contents(folder: Path) -> dict[str, str]:
    return {p.name: p.read_text() for p in folder.iterdir()}


def test_a_commit_that_is_no_branch_s_tip_is_fetched(origin, scratch):
    first = origin.commit({"a.py": "x = 1\n"})
    origin.commit({"a.py": "x = 2\n", "b.py": "y = 3\n"})
    assert contents(fetch_commit(origin.url, first, scratch)) == {"a.py": "x = 1\n"}


def test_a_commit_is_taken_as_an_evaluation_takes_its_checkout(origin, scratch):
    """One folder alone is no wrapping; no name is too strange; where an environment's links lead does not matter."""
    for name in ("app/tiny.py", "app/back\\slash\n.py", "app/venv/bin/pip"):
        (origin.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (origin.folder / name).write_text("x = 1\n")
    (origin.folder / "app" / "venv" / "bin" / "python").symlink_to("/usr/bin/python3")
    commit = origin.commit({})
    assert subject_digest(fetch_commit(origin.url, commit, scratch)) == subject_digest(origin.folder)


def test_attributes_of_the_repository_hide_and_change_nothing(origin, scratch):
    attributes = "a.py export-ignore\nb.py export-subst ident\nc.py eol=crlf\n"
    files = {"a.py": "x = 1\n", "b.py": "y = '$Format:%H$ $Id$'\n", "c.py": "z = 3\n", ".gitattributes": attributes}
    commit = origin.commit(files)
    assert contents(fetch_commit(origin.url, commit, scratch)) == files


def test_a_commit_or_a_repository_that_is_not_there_is_the_callers_mistake(origin, scratch, tmp_path):
    origin.commit({"a.py": "x = 1\n"})
    with pytest.raises(MissingSubjectError, match=f"lack the commit: not a valid object name: {'0' * 40}"):
        fetch_commit(origin.url, "0" * 40, scratch)
    (tmp_path / "other").mkdir()
    with pytest.raises(MissingSubjectError, match="'.*/nowhere' does not appear to be a git repository; check the URL"):
        fetch_commit(f"file://{tmp_path}/nowhere", "0" * 40, tmp_path / "other")


def test_a_server_that_cannot_be_reached_is_the_fetch_s_failure_in_gits_own_words(scratch):
    with pytest.raises(
        RepositoryFetchError, match="unable to access 'http://127.0.0.1:9/r.git/': .* check the URL and"
    ):
        fetch_commit("http://127.0.0.1:9/r.git", "0" * 40, scratch)


def test_a_commit_beyond_the_limits_is_refused(origin, scratch):
    commit = origin.commit({"a.py": "x" * 5000})
    with pytest.raises(ArchiveError, match=f"The archive {origin.url}@{commit}.tar unpacks to more than 4096"):
        fetch_commit(origin.url, commit, scratch, ArchiveLimits(total_bytes=4096))


@pytest.mark.parametrize(
    ("url", "commit"),
    [
        ("ext::sh -c id", "0" * 40),
        ("--upload-pack=id", "0" * 40),
        ("https://", "0" * 40),
        ("file://-x", "0" * 40),
        ("/some/folder", "0" * 40),
        ("https://example.org/r.git", "main"),
        ("https://example.org/r.git", "--output=/tmp/x"),
        ("https://example.org/r.git", "0" * 39),
    ],
)
def test_an_origin_that_git_would_run_something_for_is_refused(url, commit):
    with pytest.raises(SubjectError):
        check_origin(url, commit)
