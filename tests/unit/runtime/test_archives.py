"""Archives as they come: what is taken, and every way in which one may lead elsewhere or blow up."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import resource
import stat
import struct
import tarfile
import tracemalloc
import zipfile
from contextlib import contextmanager

import pytest

from qualityscore.errors import ArchiveError, HarnessError, MissingSubjectError
from qualityscore.runtime.archives import ArchiveLimits, unpack, write_files
from qualityscore.runtime.workspace import copy, subject_digest

FILES = {"pkg/__init__.py": b"x = 1\n", "pkg/data/words.txt": b"one\ntwo\n", "empty.py": b"", "README": b"a" * 1024}


def tar_bytes(members: list[tuple[tarfile.TarInfo, bytes]], fmt: int = tarfile.PAX_FORMAT) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=fmt) as tar:
        for info, data in members:
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def entry(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = link
    return info


def found(folder) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def whole_tar(prefix: str = "") -> bytes:
    return tar_bytes([(entry(prefix + name), data) for name, data in FILES.items()])


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("a.tar", bytes),
        ("a.tar.gz", gzip.compress),
        ("a.tgz", gzip.compress),
        ("a.tar.bz2", bz2.compress),
        ("a.tar.xz", lzma.compress),
        ("two-streams.tar.xz", lambda data: lzma.compress(data[:700]) + lzma.compress(data[700:])),
    ],
)
def test_every_kind_of_tar_gives_its_files(tmp_path, name, pack):
    (tmp_path / name).write_bytes(pack(whole_tar()))
    assert found(unpack(tmp_path / name, tmp_path / "out")) == FILES


@pytest.mark.parametrize("name", ["a.zip", "a-1.0-py3-none-any.whl"])
def test_zip_and_wheel_give_their_files(tmp_path, name):
    with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as zipped:
        for path, data in FILES.items():
            zipped.writestr(path, data)
    assert found(unpack(tmp_path / name, tmp_path / "out")) == FILES


def test_the_single_top_folder_of_an_sdist_is_stepped_into(tmp_path):
    (tmp_path / "pkg-1.0.tar.gz").write_bytes(gzip.compress(whole_tar("pkg-1.0/")))
    assert found(unpack(tmp_path / "pkg-1.0.tar.gz", tmp_path / "out")) == FILES


def test_a_single_package_is_not_stepped_into(tmp_path):
    (tmp_path / "a.tar").write_bytes(tar_bytes([(entry("pkg/__init__.py"), b"x = 1\n")]))
    assert found(unpack(tmp_path / "a.tar", tmp_path / "out")) == {"pkg/__init__.py": b"x = 1\n"}


def test_a_link_inside_is_kept_and_the_execute_bit_too(tmp_path):
    script = entry("pkg/run.py")
    script.mode = 0o755
    members = [
        (entry("a.py"), b"y = 2\n"),
        (script, b"z = 3\n"),
        (entry("pkg/same.py", tarfile.SYMTYPE, "../a.py"), b""),
    ]
    (tmp_path / "a.tar").write_bytes(tar_bytes(members))
    out = unpack(tmp_path / "a.tar", tmp_path / "out")
    assert (out / "pkg" / "same.py").read_bytes() == b"y = 2\n"
    assert (out / "pkg" / "run.py").stat().st_mode & 0o100
    assert not (out / "a.py").stat().st_mode & 0o100


def test_a_tar_of_a_folder_holds_what_an_evaluation_of_the_folder_takes(tmp_path):
    script = entry("./pkg/run.py")
    script.mode = 0o755
    members = [
        (script, b"y = 2\n"),
        (entry("./again.py", tarfile.LNKTYPE, "./pkg/run.py"), b""),
        (entry("./back\\slash\n.py"), b""),
        (entry("./pkg/pipe", tarfile.FIFOTYPE), b""),
        (entry("./pkg/one.py", tarfile.SYMTYPE, "/app/again.py"), b""),
        (entry("./pkg/two.py", tarfile.SYMTYPE, "../../app/again.py"), b""),
        (entry("./" + "d/" * 5 + "deep.py"), b""),
    ]
    (tmp_path / "a.tar").write_bytes(tar_bytes(members))
    out = unpack(tmp_path / "a.tar", tmp_path / "out", ArchiveLimits(depth=5), origins=("/app",))
    same = ["again.py", "pkg/one.py", "pkg/run.py", "pkg/two.py"]
    assert found(out) == dict.fromkeys(same, b"y = 2\n") | {"back\\slash\n.py": b"", "d/d/d/d/d/deep.py": b""}
    assert all((out / name).stat().st_mode & 0o100 for name in same)


def test_what_no_subject_may_hold_does_no_harm_in_what_is_no_part_of_the_sources(tmp_path):
    """Every virtual environment has a link to an interpreter outside it."""
    (tmp_path / "a.tar").write_bytes(
        tar_bytes(
            [
                (entry("app/a.py"), b"y = 2\n"),
                (entry("app/.venv/bin/python", tarfile.SYMTYPE, "/usr/bin/python3"), b""),
                (entry("app/.venv/pipe", tarfile.FIFOTYPE), b""),
                (entry("app/node_modules/.bin/x", tarfile.LNKTYPE, "elsewhere"), b""),
            ]
        )
    )
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as zipped:
        zipped.writestr("app/a.py", b"y = 2\n")
        for name, kind in (("app/.venv/bin/python", stat.S_IFLNK), ("app/.venv/pipe", stat.S_IFIFO)):
            member = zipfile.ZipInfo(name)
            member.external_attr = (kind | 0o777) << 16
            zipped.writestr(member, "/usr/bin/python3")
    for name in ("a.tar", "a.zip"):
        assert found(unpack(tmp_path / name, tmp_path / f"out of {name}")) == {"a.py": b"y = 2\n"}


def test_the_folder_around_a_repository_does_not_count_for_its_depth(tmp_path):
    """A subject may have 64 folders within each other."""
    deep = "d/" * 64 + "deep.py"
    (tmp_path / "a.tar").write_bytes(tar_bytes([(entry(name), b"x = 1\n") for name in ("app/a.py", f"app/{deep}")]))
    out = unpack(tmp_path / "a.tar", tmp_path / "out")
    assert found(out) == dict.fromkeys(["a.py", deep], b"x = 1\n")
    assert copy(out, tmp_path / "copy", ()).tree.files == ("a.py", deep)


@pytest.mark.parametrize("aim", ["/etc/passwd", "../apple/a.py", "/app/../etc/passwd", "/apple"])
def test_a_tar_of_a_folder_holds_no_link_that_leads_out_of_it(tmp_path, aim):
    (tmp_path / "a.tar").write_bytes(tar_bytes([(entry("./a.py", tarfile.SYMTYPE, aim), b"")]))
    with pytest.raises(ArchiveError, match="leads outside"):
        unpack(tmp_path / "a.tar", tmp_path / "out", origins=("/app",))


@pytest.mark.parametrize("aim", ["none.py", "../a.py", "/etc/passwd", "link.py", "pkg"])
def test_a_hard_link_is_only_to_a_file_that_came_before(tmp_path, aim):
    members = [
        (entry("pkg/a.py"), b""),
        (entry("link.py", tarfile.SYMTYPE, "pkg/a.py"), b""),
        (entry("b.py", tarfile.LNKTYPE, aim), b""),
    ]
    (tmp_path / "a.tar").write_bytes(tar_bytes(members))
    with pytest.raises(ArchiveError):
        unpack(tmp_path / "a.tar", tmp_path / "out", origins=("/app",))


BAD_TARS = {
    "climbs": ([(entry("../evil.py"), b"x")], "leads outside"),
    "climbs within": ([(entry("pkg/../../evil.py"), b"x")], "leads outside"),
    "absolute": ([(entry("/tmp/evil.py"), b"x")], "leads outside"),
    "backslash": ([(entry("..\\evil.py"), b"x")], "leads outside"),
    "control character": ([(entry("a\nb.py"), b"x")], "no file name"),
    "device": ([(entry("null", tarfile.CHRTYPE), b"")], "device"),
    "pipe": ([(entry("pipe.py", tarfile.FIFOTYPE), b"")], "device"),
    "hard link": ([(entry("a.py"), b"x"), (entry("b.py", tarfile.LNKTYPE, "a.py"), b"")], "hard link"),
    "link out": ([(entry("a.py", tarfile.SYMTYPE, "../../etc/passwd"), b"")], "leads outside"),
    "absolute link": ([(entry("a.py", tarfile.SYMTYPE, "/etc/passwd"), b"")], "leads outside"),
    "twice": ([(entry("a.py"), b"x"), (entry("a.py"), b"y")], "twice"),
    "file then folder": ([(entry("a"), b"x"), (entry("a/b.py"), b"y")], "file and as a folder"),
    "through a link": ([(entry("d", tarfile.SYMTYPE, "e"), b""), (entry("d/b.py"), b"y")], "twice|damaged"),
    "too deep": ([(entry("/".join("d" * 6) + "/a.py"), b"x")], "nested"),
    "long name": ([(entry("n" * 300), b"x")], "longer than 255"),
    "too many": ([(entry(f"f{i}.py"), b"") for i in range(11)], "more than 10 members"),
    "too much": ([(entry("big.py"), b"x" * 4097)], "more than 4096 bytes"),
}


@pytest.mark.parametrize("case", BAD_TARS)
def test_a_tar_that_leads_elsewhere_or_is_too_large_is_refused(tmp_path, case):
    members, why = BAD_TARS[case]
    (tmp_path / "a.tar").write_bytes(tar_bytes(members))
    limits = ArchiveLimits(total_bytes=4096, members=10, depth=5)
    (tmp_path / "in").mkdir()
    with pytest.raises(ArchiveError, match=why):
        unpack(tmp_path / "a.tar", tmp_path / "in" / "out", limits)
    outside = {p.name for p in tmp_path.rglob("*") if p.is_file() and (tmp_path / "in" / "out") not in p.parents}
    assert outside == {"a.tar"}


def test_a_link_is_never_written_through(tmp_path):
    members = [(entry("d", tarfile.SYMTYPE, "e"), b""), (entry("e/x.py"), b"1"), (entry("d"), b"2")]
    (tmp_path / "a.tar").write_bytes(tar_bytes(members))
    with pytest.raises(ArchiveError, match="twice"):
        unpack(tmp_path / "a.tar", tmp_path / "out")


def test_a_gzip_bomb_is_stopped_at_the_limit(tmp_path):
    zeros = gzip.compress(tar_bytes([(entry("zeros.py"), b"\0" * (64 << 20))]))
    assert len(zeros) < 100_000
    (tmp_path / "bomb.tar.gz").write_bytes(zeros)
    with pytest.raises(ArchiveError, match="more than 1048576 bytes"):
        unpack(tmp_path / "bomb.tar.gz", tmp_path / "out", ArchiveLimits(total_bytes=1 << 20))
    assert sum(p.stat().st_size for p in (tmp_path / "out").rglob("*")) <= 2 << 20


def test_a_bomb_in_an_extended_header_is_not_read_into_memory(tmp_path):
    info = entry("a.py")
    info.pax_headers = {"comment": "c" * (48 << 20)}
    (tmp_path / "bomb.tar.gz").write_bytes(gzip.compress(tar_bytes([(info, b"x")])))
    tracemalloc.start()
    try:
        with pytest.raises(ArchiveError, match="larger than any honest one"):
            unpack(tmp_path / "bomb.tar.gz", tmp_path / "out")
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def test_a_zip_bomb_is_stopped_at_the_limit_whatever_its_headers_say(tmp_path):
    file = tmp_path / "bomb.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("zeros.py", b"\0" * (32 << 20))
    with pytest.raises(ArchiveError, match="more than 1048576 bytes"):
        unpack(file, tmp_path / "out", ArchiveLimits(total_bytes=1 << 20))


def test_a_zip_with_too_many_members_is_refused_before_they_are_read(tmp_path):
    file = tmp_path / "many.zip"
    with zipfile.ZipFile(file, "w") as zipped:
        for number in range(30):
            zipped.writestr(f"f{number}.py", b"")
    with pytest.raises(ArchiveError, match="more than 10 members"):
        unpack(file, tmp_path / "out", ArchiveLimits(members=10))


def test_a_zip_member_without_a_name_is_refused(tmp_path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as zipped:
        zipped.writestr("Q", b"x = 1\n")
    (tmp_path / "a.zip").write_bytes(buffer.getvalue().replace(b"Q", b"\0"))  # zipfile ends names at a null
    with pytest.raises(ArchiveError, match="a member without a name"):
        unpack(tmp_path / "a.zip", tmp_path / "out")


def test_folders_that_are_only_implied_count(tmp_path):
    # Each member needs 1 + 5 folders of its own and is a file: 7 entries.
    members = [(entry(f"{number}/{'d/' * 5}f.py"), b"") for number in range(5)]
    (tmp_path / "a.tar").write_bytes(tar_bytes(members))
    unpack(tmp_path / "a.tar", tmp_path / "fits", ArchiveLimits(members=35))
    with pytest.raises(ArchiveError, match="more than 34 members"):
        unpack(tmp_path / "a.tar", tmp_path / "out", ArchiveLimits(members=34))
    with pytest.raises(ArchiveError, match="more than 34 members"):
        write_files({member.name: "" for member, _ in members}, tmp_path / "map", ArchiveLimits(members=34))
    assert sum(1 for _ in (tmp_path / "out").rglob("*")) <= 34


def end_of(zipped: bytes) -> int:
    return zipped.rindex(b"PK\x05\x06")


def small_zip(count: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as zipped:
        for number in range(count):
            zipped.writestr(f"f{number}.py", b"")
    return buffer.getvalue()


def test_a_zip64_record_before_a_plain_end_is_refused(tmp_path):
    """zipfile believes the zip64 record, whatever the plain end record says (APPNOTE 4.3.14, 4.3.15)."""
    plain = small_zip(1)
    end = end_of(plain)
    size, start = struct.unpack("<II", plain[end + 12 : end + 20])
    record = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, size, start)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, end, 1)
    (tmp_path / "a.zip").write_bytes(plain[:end] + record + locator + plain[end:])
    assert zipfile.ZipFile(tmp_path / "a.zip").namelist() == ["f0.py"]
    with pytest.raises(ArchiveError, match="zip64"):
        unpack(tmp_path / "a.zip", tmp_path / "out")


def test_a_zip_that_claims_fewer_members_than_it_has_is_refused_before_they_are_read(tmp_path):
    data = bytearray(small_zip(20_000))
    end = end_of(bytes(data))
    data[end + 8 : end + 12] = struct.pack("<HH", 1, 1)
    (tmp_path / "a.zip").write_bytes(data)
    limits = ArchiveLimits(members=2_000)
    assert peak_while_refused(tmp_path / "a.zip", "more than 2000 members", limits) < 2 << 20
    few = bytearray(small_zip(30))
    few[end_of(bytes(few)) + 10] = 1
    (tmp_path / "few.zip").write_bytes(few)
    with pytest.raises(ArchiveError, match="more than 29 members"):
        unpack(tmp_path / "few.zip", tmp_path / "out29", ArchiveLimits(members=29))
    assert len(found(unpack(tmp_path / "few.zip", tmp_path / "out30", ArchiveLimits(members=30)))) == 30


def test_a_zip_with_a_link_that_leads_out_or_a_climbing_name_is_refused(tmp_path):
    link = zipfile.ZipInfo("link.py")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    for name, member, data in (("link", link, "/etc/passwd"), ("climb", zipfile.ZipInfo("../evil.py"), "x")):
        file = tmp_path / f"{name}.zip"
        with zipfile.ZipFile(file, "w") as zipped:
            zipped.writestr(member, data)
        with pytest.raises(ArchiveError, match="leads outside"):
            unpack(file, tmp_path / name)
    assert not (tmp_path / "evil.py").exists()


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.tar.xz", "a.zip", "a.whl"])
@pytest.mark.parametrize(
    "data", [b"", b"not an archive at all" * 100, whole_tar()[:700], lzma.compress(whole_tar())[:-9]]
)
def test_a_damaged_archive_is_refused_in_one_sentence(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ArchiveError) as refusal:
        unpack(tmp_path / name, tmp_path / "out")
    assert name in str(refusal.value)


def test_an_unknown_kind_and_a_file_too_large_are_refused(tmp_path):
    (tmp_path / "a.rar").write_bytes(b"Rar!")
    with pytest.raises(ArchiveError, match="not an archive of a known kind"):
        unpack(tmp_path / "a.rar", tmp_path / "out")
    (tmp_path / "a.tar").write_bytes(whole_tar())
    with pytest.raises(ArchiveError, match="larger than 100 bytes"):
        unpack(tmp_path / "a.tar", tmp_path / "out", ArchiveLimits(archive_bytes=100))


def test_a_map_of_files_obeys_the_same_rules(tmp_path):
    written = write_files({"pkg/a.py": "x = 'é'\n"}, tmp_path / "good")
    assert (written / "pkg" / "a.py").read_text("utf-8") == "x = 'é'\n"
    with pytest.raises(ArchiveError, match="leads outside"):
        write_files({"../evil.py": "x"}, tmp_path / "bad")
    with pytest.raises(ArchiveError, match="more than 10 bytes"):
        write_files({"a.py": "x" * 11}, tmp_path / "large", ArchiveLimits(total_bytes=10))


@contextmanager
def limited(kind: int, soft: int):
    before = resource.getrlimit(kind)
    resource.setrlimit(kind, (soft, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(kind, before)


def lowest_free_descriptor() -> int:
    with open(os.devnull) as file:  # noqa: PTH123
        return file.fileno()


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.zip"])
def test_a_host_without_descriptors_or_room_is_not_the_archives_fault(tmp_path, name):
    pack = gzip.compress if name.endswith("gz") else bytes
    (tmp_path / name).write_bytes(pack(whole_tar()))
    if name == "a.zip":
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as zipped:
            zipped.writestr("README", FILES["README"])
    for number, descriptors in enumerate((0, 1)):  # for the archive, and for what comes out of it
        with (
            pytest.raises(HarnessError, match="Too many open files"),
            limited(resource.RLIMIT_NOFILE, lowest_free_descriptor() + descriptors),
        ):
            unpack(tmp_path / name, tmp_path / f"none{number}")
    with pytest.raises(HarnessError, match="File too large"), limited(resource.RLIMIT_FSIZE, 1000):
        unpack(tmp_path / name, tmp_path / "full")
    assert unpack(tmp_path / name, tmp_path / "out").is_dir()


def test_a_host_without_descriptors_or_room_is_not_the_fault_of_a_map_of_files_or_a_folder(tmp_path):
    with pytest.raises(HarnessError, match="File too large"), limited(resource.RLIMIT_FSIZE, 1000):
        write_files({"a.py": "#" * 1024}, tmp_path / "full")
    write_files({"a.py": "x = 1\n"}, tmp_path / "files")
    with (
        pytest.raises(HarnessError, match="Too many open files"),
        limited(resource.RLIMIT_NOFILE, lowest_free_descriptor()),
    ):
        subject_digest(tmp_path / "files")
    with pytest.raises(MissingSubjectError, match="does not exist"):
        subject_digest(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["/".join(["d" * 250] * 20) + "/a.py", "\ud800.py"])
def test_names_that_no_file_can_have_are_the_maps_fault(tmp_path, name):
    with pytest.raises(ArchiveError, match="too long|cannot be unpacked"):
        write_files({name: "x"}, tmp_path / "out")


@pytest.mark.parametrize("name", ["a.tar", "a.zip"])
def test_a_path_longer_than_any_is_the_archives_fault(tmp_path, name):
    long = "/".join(["d" * 250] * 20) + "/a.py"
    (tmp_path / "a.tar").write_bytes(tar_bytes([(entry(long), b"x")]))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as zipped:
        zipped.writestr(long, b"x")
    with pytest.raises(ArchiveError, match="File name too long"):
        unpack(tmp_path / name, tmp_path / "out")


def test_a_zip_whose_members_begin_before_the_file_is_damaged(tmp_path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as zipped:
        zipped.writestr("a.py", b"x = 1\n")
    data = buffer.getvalue()
    end = data.rfind(b"PK\5\6")
    place = int.from_bytes(data[end + 16 : end + 20], "little") + 1000  # of the directory: beyond where it is
    (tmp_path / "a.zip").write_bytes(data[: end + 16] + place.to_bytes(4, "little") + data[end + 20 :])
    with pytest.raises(ArchiveError):
        unpack(tmp_path / "a.zip", tmp_path / "out")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_packed_by_what_cannot_be_bounded_is_refused_before_it_is_unpacked(tmp_path, method):
    file = tmp_path / "bomb.zip"
    with zipfile.ZipFile(file, "w", method) as zipped, zipped.open("zeros.py", "w") as member:
        for _ in range(8):
            member.write(bytes(1 << 20))
    tracemalloc.start()
    try:
        with pytest.raises(ArchiveError, match="a method other than deflate"):
            unpack(file, tmp_path / "out", ArchiveLimits(total_bytes=1 << 20))
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


def test_a_zip_that_asks_for_three_gibibytes_of_dictionary_is_refused(tmp_path):
    file = tmp_path / "bomb.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as zipped:
        zipped.writestr("a.py", b"x = 1\n")
    data = bytearray(file.read_bytes())
    properties = data.find(b"\x09\x04\x05\x00") + 4  # version 9.4, five bytes of properties: one, and the dictionary
    assert properties > 4
    data[properties + 1 : properties + 5] = (3 << 30).to_bytes(4, "little")
    file.write_bytes(data)
    with pytest.raises(ArchiveError, match="a method other than deflate"):
        unpack(file, tmp_path / "out")


def peak_while_refused(file, why: str, limits: ArchiveLimits | None = None) -> int:
    tracemalloc.start()
    try:
        with pytest.raises(ArchiveError, match=why):
            unpack(file, file.parent / "out", limits)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("name", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)])
def test_no_compressed_tar_is_unpacked_into_memory(tmp_path, name, pack):
    (tmp_path / f"bomb.tar.{name}").write_bytes(pack(tar_bytes([(entry("zeros.py"), bytes(24 << 20))])))
    limits = ArchiveLimits(total_bytes=1 << 20)
    # The dictionary of xz, 8 MiB as it is packed here, is not the output.
    assert peak_while_refused(tmp_path / f"bomb.tar.{name}", "more than 1048576 bytes", limits) < 12 << 20


def test_extended_headers_upon_headers_are_not_held_in_memory(tmp_path):
    info = entry("g.py", tarfile.GNUTYPE_LONGNAME)
    headers = tar_bytes([(info, b"n" * (1000 << 10))], tarfile.GNU_FORMAT)[: (1000 << 10) + 512]
    (tmp_path / "bomb.tar.gz").write_bytes(gzip.compress(headers * 40, 1))
    assert peak_while_refused(tmp_path / "bomb.tar.gz", "larger than any honest one") < 8 << 20


def test_a_folder_that_comes_again_and_again_is_not_remembered_each_time(tmp_path):
    data = tar_bytes([(entry("./", tarfile.DIRTYPE), b"")] * 2000 + [(entry("a.py"), b"x")])
    (tmp_path / "a.tar").write_bytes(data)
    with pytest.raises(ArchiveError, match="more than 100 members"):
        unpack(tmp_path / "a.tar", tmp_path / "out", ArchiveLimits(members=100))
