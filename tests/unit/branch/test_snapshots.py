"""Unpacking a repository's snapshot: what cannot be a file of it is refused in one sentence."""

from __future__ import annotations

import base64
import zlib

import pytest

from qualityscore.branch.baseline import are_strangers, take_baseline
from qualityscore.branch.state import Snapshot, unpack
from qualityscore.errors import BaselineError, SnapshotError
from qualityscore.model.codec import dump
from qualityscore.runtime import workspace

PACKED = zlib.compress(b"x = 1\n" * 100, 9)


def snapshot(**files: bytes) -> Snapshot:
    packed = {name: base64.b64encode(data).decode("ascii") for name, data in files.items()}
    return Snapshot(
        kind="repository state", schema_version=1, score_model="0.1", name="r", commit=None, digest="d", files=packed
    )


def test_files_come_back_as_they_were(tmp_path):
    unpack(snapshot(**{"a/b.py": PACKED, "empty.py": zlib.compress(b"")}), tmp_path / "out", "s.json")
    assert (tmp_path / "out" / "a" / "b.py").read_bytes() == b"x = 1\n" * 100
    assert (tmp_path / "out" / "empty.py").read_bytes() == b""


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a\0b.py", PACKED, "cannot be unpacked at .* null byte"),
        ("a\0b/c.py", PACKED, "cannot be unpacked at .* null byte"),
        ("a.py", PACKED[:-6], "cannot be unpacked at 'a.py': it is truncated"),
        ("a.py", b"no zlib", "cannot be unpacked at 'a.py': Error -3"),
        ("../a.py", PACKED, "which cannot be written"),
        ("x" * 300, PACKED, "File name too long"),
    ],
    ids=["null byte", "null byte in a folder", "truncated", "other data", "above", "long"],
)
def test_what_cannot_be_a_file_is_refused_in_a_sentence(tmp_path, name, data, said):
    with pytest.raises(SnapshotError, match=said) as refusal:
        unpack(snapshot(**{name: data}), tmp_path / "out", "s.json")
    assert str(refusal.value).endswith(".")


def tree(folder, **files):
    for name, text in files.items():
        path = folder / "source" / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return workspace.copy(folder / "source", folder / "copy", ()).tree


@pytest.mark.parametrize(
    ("files", "strangers"),
    [
        ({"other": "y = 2\n", "setup": "s\n", "tests__conftest": "c\n"}, True),
        ({"src__ledger": "x = 1\n"}, False),  # moved
        ({"ledger": "x = 2\n"}, False),  # edited
        ({"setup": "s\n"}, False),  # nothing that tells
    ],
    ids=["another project", "moved", "edited", "only what every project has"],
)
def test_trees_without_a_file_in_common_are_strangers(tmp_path, files, strangers):
    ours = tree(tmp_path / "ours", ledger="x = 1\n", setup="s\n", tests__conftest="c\n", empty="")
    assert are_strangers(tree(tmp_path / "theirs", empty2="", **files), ours) is strangers


def test_the_snapshot_of_another_project_is_refused(tmp_path):
    file = tmp_path / "other.snap"
    file.write_text(dump(snapshot(**{"other.py": zlib.compress(b"y = 2")})))
    ours = tree(tmp_path / "ours", ledger="x = 1\n")
    with pytest.raises(BaselineError, match="is one of another project .* no Python file in common"):
        take_baseline(str(file), tmp_path, None, tmp_path / "scratch", ours)
    assert BaselineError.code == "QS-180"
