"""A subject that was packed, sent and unpacked is the same subject: what is in it, and so its digest."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from qualityscore.errors import SubjectError
from qualityscore.execution.packing import pack, unpack, upload_of
from qualityscore.runtime import archives
from qualityscore.runtime.workspace import copy, subject_digest


def write(folder: Path, *names: str) -> Path:
    for name in names:
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("# a file\n")
    return folder


def one_top_folder(folder: Path) -> list[str]:
    write(folder, "src/tiny.py", "src/inner/more.py")
    return ["src/inner/more.py", "src/tiny.py"]


def links_inside(folder: Path) -> list[str]:
    write(folder, "code/tiny.py")
    (folder / "tiny.py").symlink_to("code/tiny.py")
    return ["code/tiny.py", "tiny.py"]


def a_package_itself(folder: Path) -> list[str]:
    write(folder, "__init__.py", "repository/a.py")
    return ["__init__.py", "repository/a.py"]


def only_an_init(folder: Path) -> list[str]:
    write(folder, "__init__.py")
    return ["__init__.py"]


def an_environment_beside(folder: Path) -> list[str]:
    write(folder, "tiny.py", ".git/config", ".venv/many.py", "docs/node_modules/index.py")
    return ["tiny.py"]


def long_names(folder: Path) -> list[str]:
    name = "a" * 150 + "/" + "é" * 120 + ".py"
    write(folder, name, "tiny.py")
    return [name, "tiny.py"]


def strange_names(folder: Path) -> list[str]:
    undecodable = os.fsdecode(b"caf\xe9.py")
    write(folder, "line\nbreak.py", undecodable, "back\\slash.py", " blank ")
    return [" blank ", "back\\slash.py", undecodable, "line\nbreak.py"]


def a_folder_called_init(folder: Path) -> list[str]:
    write(folder, "__init__.py/notes.txt", "tiny.py")
    return ["__init__.py/notes.txt", "tiny.py"]


def an_empty_folder_called_init(folder: Path) -> list[str]:
    (folder / "__init__.py").mkdir(parents=True)
    write(folder, "src/tiny.py")
    return ["src/tiny.py"]


def nothing_but_a_folder_called_init(folder: Path) -> list[str]:
    write(folder, "__init__.py/tiny.py")
    return ["__init__.py/tiny.py"]


PLAIN = (
    one_top_folder,
    links_inside,
    a_package_itself,
    only_an_init,
    a_folder_called_init,
    an_empty_folder_called_init,
    nothing_but_a_folder_called_init,
    an_environment_beside,
    long_names,
)


def content(folder: Path) -> list[str]:
    return sorted((p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()), key=os.fsencode)


@pytest.mark.parametrize("kind", [*PLAIN, strange_names], ids=lambda kind: kind.__name__)
def test_what_is_unpacked_is_what_was_packed(tmp_path: Path, kind: Callable[[Path], list[str]]) -> None:
    names = kind(tmp_path / "subject")
    parcel = pack(tmp_path / "subject")
    unpack(parcel.data, tmp_path / "there")
    assert content(tmp_path / "there") == names
    assert parcel.digest == subject_digest(tmp_path / "there") == subject_digest(tmp_path / "subject")


@pytest.mark.parametrize("kind", PLAIN, ids=lambda kind: kind.__name__)
def test_an_upload_is_taken_for_the_same_subject(tmp_path: Path, kind: Callable[[Path], list[str]]) -> None:
    names = kind(tmp_path / "subject")
    archive = tmp_path / "upload.tar.gz"
    archive.write_bytes(upload_of(tmp_path / "subject"))
    taken = archives.unpack(archive, tmp_path / "there")
    assert content(taken) == names
    assert subject_digest(taken) == subject_digest(tmp_path / "subject")


def test_what_was_left_out_is_told_and_the_right_to_execute_is_kept(tmp_path: Path) -> None:
    write(tmp_path / "s", "run.py", "tiny.py", ".git/config", "__pycache__/tiny.pyc")
    (tmp_path / "s" / "run.py").chmod(0o755)
    os.mkfifo(tmp_path / "s" / "pipe")
    parcel = pack(tmp_path / "s")
    unpack(parcel.data, tmp_path / "there")
    assert sorted(parcel.not_copied) == [
        (".git", "not part of the sources"),
        ("__pycache__", "not part of the sources"),
        ("pipe", "not a regular file"),
    ]
    modes = {name: (tmp_path / "there" / name).stat().st_mode & 0o777 for name in ("run.py", "tiny.py")}
    assert modes == {"run.py": 0o755, "tiny.py": 0o644}


def test_the_right_to_execute_tells_subjects_apart(tmp_path: Path) -> None:
    write(tmp_path / "s", "run.py", "tiny.py")
    plain = subject_digest(tmp_path / "s")
    content_only = hashlib.sha256()
    for name in (b"run.py", b"tiny.py"):
        content_only.update(name + b"\0" + hashlib.sha256(b"# a file\n").digest())
    assert plain == content_only.hexdigest()  # where nothing may be executed, names and contents are all
    digests = {plain}
    for number, name in enumerate(("run.py", "tiny.py")):
        (tmp_path / "s" / name).chmod(0o755)
        parcel = pack(tmp_path / "s")
        unpack(parcel.data, tmp_path / f"there{number}")
        (tmp_path / f"upload{number}.tar.gz").write_bytes(upload_of(tmp_path / "s"))
        taken = archives.unpack(tmp_path / f"upload{number}.tar.gz", tmp_path / f"taken{number}")
        here = subject_digest(tmp_path / "s")
        assert parcel.digest == here == subject_digest(tmp_path / f"there{number}") == subject_digest(taken)
        assert copy(tmp_path / "s", tmp_path / f"copy{number}", ()).tree.digest == here
        digests.add(here)
    assert len(digests) == 3


def test_what_an_evaluation_refuses_is_not_packed(tmp_path: Path) -> None:
    write(tmp_path / "s", "tiny.py")
    (tmp_path / "s" / "away").symlink_to("/etc/passwd")
    for packing in (pack, upload_of):
        with pytest.raises(SubjectError, match="leads outside"):
            packing(tmp_path / "s")
