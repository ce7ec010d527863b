"""The sdist of a reference is unpacked by the rules for archives that nobody vouches for."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

import pytest

from qualityscore.errors import ReferenceFetchError
from qualityscore.runtime import reference
from qualityscore.runtime.archives import ArchiveLimits


def sdist(folder: Path, *members: tuple[str, bytes, str]) -> Path:
    """An archive of (name, content, aim of a link or nothing)."""
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as tar:
        for name, content, aim in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            if aim:
                info.type, info.linkname = tarfile.SYMTYPE, aim
            tar.addfile(info, io.BytesIO(content))
    archive = folder / "thing-1.0.tar.gz"
    archive.write_bytes(gzip.compress(held.getvalue()))
    return archive


@pytest.fixture
def out(tmp_path):
    made = tmp_path / "inner" / "out"
    made.mkdir(parents=True)
    return made


def test_the_content_of_the_top_folder_is_what_comes_out(tmp_path, out):
    archive = sdist(tmp_path, ("thing-1.0/thing-1.0/x.py", b"x", ""), ("thing-1.0/setup.py", b"y", ""))
    reference._unpack(archive, out)
    found = sorted(path.relative_to(out).as_posix() for path in out.rglob("*"))
    assert found == ["setup.py", "thing-1.0", "thing-1.0/x.py"]


@pytest.mark.parametrize(
    "members",
    [
        [("thing-1.0/../../slipped", b"x", "")],
        [("/slipped", b"x", "")],
        [("thing-1.0/link", b"", "../../.."), ("thing-1.0/link/slipped", b"x", "")],
        [("thing-1.0/link", b"", "/etc/passwd")],
        [("thing-1.0/a.py", b"x", ""), ("other/b.py", b"x", "")],
        [],
    ],
    ids=["climbs", "is absolute", "through a link", "a link out", "two top folders", "empty"],
)
def test_what_leads_elsewhere_or_is_no_sdist_is_refused(tmp_path, out, members):
    with pytest.raises(ReferenceFetchError, match=r"thing-1\.0\.tar\.gz"):
        reference._unpack(sdist(tmp_path, *members), out)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["inner", "out", "thing-1.0.tar.gz"]


def test_a_bomb_stops_at_the_limit(tmp_path, out, monkeypatch):
    monkeypatch.setattr(reference, "_LIMITS", ArchiveLimits(total_bytes=1 << 20))
    archive = sdist(tmp_path, ("thing-1.0/zeros.bin", bytes(32 << 20), ""))
    assert archive.stat().st_size < 1 << 16
    with pytest.raises(ReferenceFetchError, match="more than 1048576 bytes"):
        reference._unpack(archive, out)
    assert list(out.iterdir()) == []
