"""Unpacking a repository's snapshot: what cannot be a file of it is refused in one sentence."""

from __future__ import annotations

import base64
import zlib

import pytest

from qualityscore.branch.state import Snapshot, unpack
from qualityscore.errors import SnapshotError

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
