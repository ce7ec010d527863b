"""Copying a subject: what is taken, what is refused, and that the original is left alone."""

import os
import socket
from pathlib import Path

import pytest

from qualityscore.errors import MissingSubjectError, SubjectError
from qualityscore.runtime.workspace import WorkspaceLimits, copy


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    (root / "pkg").mkdir(parents=True)
    (root / "pkg" / "__init__.py").write_text("x = 1\n")
    (root / "README.md").write_text("hello\n")
    return root


def test_a_package_is_copied_with_its_import_root(repo, tmp_path):
    copied = copy(repo, tmp_path / "copy", ("pkg",))
    assert copied.tree.files == ("README.md", "pkg/__init__.py")
    assert copied.tree.import_roots == (".",)
    assert (tmp_path / "copy" / "pkg" / "__init__.py").read_text() == "x = 1\n"


def test_the_digest_follows_content_and_names_but_not_times(repo, tmp_path):
    first = copy(repo, tmp_path / "a", ("pkg",)).tree.digest
    os.utime(repo / "README.md", (1, 1))
    assert copy(repo, tmp_path / "b", ("pkg",)).tree.digest == first
    (repo / "README.md").write_text("hello!\n")
    changed = copy(repo, tmp_path / "c", ("pkg",)).tree.digest
    assert changed != first
    (repo / "README.md").rename(repo / "READ.md")
    assert copy(repo, tmp_path / "d", ("pkg",)).tree.digest not in (first, changed)


def test_version_control_and_caches_stay_behind(repo, tmp_path):
    for name in (".git", "pkg/__pycache__", ".venv"):
        (repo / name).mkdir()
        (repo / name / "x.py").write_text("y = 2\n")
    copied = copy(repo, tmp_path / "copy", ("pkg",))
    assert copied.tree.files == ("README.md", "pkg/__init__.py")
    assert {path for path, _ in copied.skipped} == {".git", "pkg/__pycache__", ".venv"}


def test_pipes_and_sockets_are_skipped_with_their_reason(repo, tmp_path, monkeypatch):
    os.mkfifo(repo / "pipe.py")
    monkeypatch.chdir(repo)  # a socket's path may have 107 bytes only
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("door.py")
        copied = copy(repo, tmp_path / "copy", ("pkg",))
    assert sorted(copied.skipped) == [("door.py", "not a regular file"), ("pipe.py", "not a regular file")]


def test_a_link_inside_is_followed_to_its_content(repo, tmp_path):
    (repo / "pkg" / "same.py").symlink_to("__init__.py")
    copy(repo, tmp_path / "copy", ("pkg",))
    copied = tmp_path / "copy" / "pkg" / "same.py"
    assert copied.read_text() == "x = 1\n"
    assert not copied.is_symlink()


@pytest.mark.parametrize(
    ("target", "word"),
    [("/etc/passwd", "outside"), ("../../secret", "outside"), ("nothing-here", "nowhere"), ("loop.py", "nowhere")],
)
def test_links_that_lead_outside_or_nowhere_are_refused(repo, tmp_path, target, word):
    (tmp_path / "secret").write_text("s")
    (repo / "pkg" / "loop.py").symlink_to(target)
    with pytest.raises(SubjectError, match=word):
        copy(repo, tmp_path / "copy", ("pkg",))


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda p: None, "does not exist"),
        (lambda p: p.write_text("x"), "not a folder"),
        (lambda p: p.mkdir(), "is empty"),
        (lambda p: (p.mkdir(), (p / "a.txt").write_text("x")), "no Python file"),
    ],
    ids=["missing", "file", "empty", "no-python"],
)
def test_paths_that_cannot_be_taken_are_named(tmp_path, make, word):
    path = tmp_path / "subject"
    make(path)
    with pytest.raises((SubjectError, MissingSubjectError), match=word) as caught:
        copy(path, tmp_path / "copy", ("pkg",))
    assert isinstance(caught.value, MissingSubjectError) == (not path.exists())
    assert str(path) in str(caught.value)


def test_too_many_files_are_refused(repo, tmp_path):
    for number in range(5):
        (repo / f"m{number}.py").write_text("")
    with pytest.raises(SubjectError, match="more than 4 files"):
        copy(repo, tmp_path / "copy", ("pkg",), WorkspaceLimits(files=4))


def test_what_is_no_file_counts_too(repo, tmp_path):
    for number in range(5):
        os.mkfifo(repo / f"p{number}")
    with pytest.raises(SubjectError, match="more than 4 files"):
        copy(repo, tmp_path / "copy", ("pkg",), WorkspaceLimits(files=4))


def test_a_linked_virtual_environment_stays_behind(repo, tmp_path):
    (repo / ".venv").symlink_to("/usr")
    assert copy(repo, tmp_path / "copy", ("pkg",)).skipped == ((".venv", "not part of the sources"),)


def test_a_huge_file_is_skipped_with_its_reason(repo, tmp_path):
    (repo / "big.bin").write_bytes(b"x" * 2000)
    copied = copy(repo, tmp_path / "copy", ("pkg",), WorkspaceLimits(file_bytes=1000))
    assert copied.skipped == (("big.bin", "larger than 1000 bytes"),)


def test_names_that_are_not_utf8_survive(repo, tmp_path):
    name = os.fsdecode(b"caf\xe9.py")
    (repo / name).write_text("z = 3\n")
    copied = copy(repo, tmp_path / "copy", ("pkg",))
    assert name in copied.tree.files
    assert (tmp_path / "copy" / name).read_text() == "z = 3\n"
