"""Temporary folders: gone after their block, and after their process however that ended; nobody else's is touched."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from qualityscore.runtime import scratch
from qualityscore.runtime.scratch import ScratchFolder, reclaim, scratch_folder

ROOT = Path(scratch.__file__).resolve().parents[2]
MAKE = (
    "import time\nfrom qualityscore.runtime.scratch import ScratchFolder\n"
    "folder = ScratchFolder('qualityscore-test-')\n(folder.path / 'big').write_text('x')\n"
    "print(folder.path, flush=True)\ntime.sleep(100)"
)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The folder for temporary files, empty."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def left_behind(place: Path, name: str = "qualityscore-x1", pid: int = 2**22 + 1) -> Path:
    """What a killed process leaves: no process has an id above the kernel's largest, 2**22 (proc(5))."""
    (place / f"{name}.owner").write_text(json.dumps({"pid": pid, "started": 1}))
    folder = place / name
    folder.mkdir()
    (folder / "file").write_text("x")
    return folder


def names(place: Path) -> list[str]:
    return sorted(path.name for path in place.iterdir())


def test_a_folder_is_gone_after_its_block_and_so_is_what_was_closed_in_it(place):
    def fails() -> None:
        with scratch_folder("qualityscore-") as folder:
            look(folder)
            raise KeyError

    def look(folder: Path) -> None:
        assert folder.parent == place
        assert folder.stat().st_mode & 0o777 == 0o700
        assert names(place) == [folder.name, f"{folder.name}.owner"]
        (folder / "closed").mkdir()
        (folder / "closed" / "file").write_text("x")
        (folder / "closed").chmod(0)

    with pytest.raises(KeyError):
        fails()
    assert names(place) == []


def test_the_folder_of_a_killed_process_is_removed_by_the_next_and_that_of_a_living_one_kept(place):
    environment = {**os.environ, "TMPDIR": str(place)}
    with subprocess.Popen(
        [sys.executable, "-c", MAKE], stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT
    ) as process:
        folder = Path(process.stdout.readline().strip())
        assert (reclaim(place), (folder / "big").read_text()) == (0, "x")
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert folder.exists()
    with scratch_folder("qualityscore-") as mine:
        assert names(place) == [mine.name, f"{mine.name}.owner"]


def test_a_lock_counts_whatever_the_file_says(place):
    living = ScratchFolder("qualityscore-")
    Path(f"{living.path}.owner").write_text(json.dumps({"pid": 2**22 + 1, "started": 1}))
    assert (reclaim(place), living.path.is_dir()) == (0, True)
    living.remove()
    assert names(place) == []


def test_a_living_process_is_believed_without_a_lock(place):
    started = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
    left_behind(place)
    (place / "qualityscore-x1.owner").write_text(json.dumps({"pid": os.getpid(), "started": started}))
    assert reclaim(place) == 0
    (place / "qualityscore-x1.owner").write_text(json.dumps({"pid": os.getpid(), "started": started - 1}))
    assert (reclaim(place), names(place)) == (1, [])  # the id was given again to another process


def test_links_are_not_followed(place, tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("x")
    (left_behind(place, "qs-a") / "inside").symlink_to(precious)
    left_behind(place, "qs-b").rename(place / "other")
    (place / "qs-b").symlink_to(precious)
    left_behind(place, "qs-c")
    (place / "qs-c.owner").rename(place / "owner")
    (place / "qs-c.owner").symlink_to(place / "owner")
    os.mkfifo(place / "qs-d.owner")
    assert reclaim(place) == 1
    assert (precious / "file").read_text() == "x"
    assert names(place) == ["other", "owner", "qs-b", "qs-b.owner", "qs-c", "qs-c.owner", "qs-d.owner"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files that are somebody else's")
@pytest.mark.parametrize("whose", ["qualityscore-x1", "qualityscore-x1.owner"])
def test_what_is_somebody_elses_stays(place, whose):
    folder = left_behind(place)
    os.chown(place / whose, 12345, 12345)
    assert (reclaim(place), (folder / "file").read_text()) == (0, "x")


def test_other_names_and_folders_without_an_owner_file_stay(place):
    left_behind(place, "else-1")
    (place / "qualityscore-old").mkdir()
    assert reclaim(place) == 0
    assert names(place) == ["else-1", "else-1.owner", "qualityscore-old"]


def test_an_owner_that_has_not_yet_said_who_it_is_has_an_hour(place):
    folder = left_behind(place)
    owner = place / "qualityscore-x1.owner"
    owner.write_text("")
    assert (reclaim(place), folder.exists()) == (0, True)
    long_ago = time.time() - 3700
    os.utime(owner, (long_ago, long_ago))
    assert (reclaim(place), names(place)) == (1, [])


def test_the_work_of_one_start_is_bounded(place):
    for number in range(40):
        left_behind(place, f"qs-{number}")
    assert [reclaim(place), reclaim(place), reclaim(place)] == [32, 8, 0]


def test_a_killed_command_leaves_what_the_next_one_removes(place, tmp_path):
    (tmp_path / "subject").mkdir()
    (tmp_path / "subject" / "a.py").write_text("def f():\n    return 1\n")
    environment = {**os.environ, "TMPDIR": str(place), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    argv = [sys.executable, "-m", "qualityscore.cli", "analyze", "layers", str(tmp_path / "subject")]
    with subprocess.Popen(argv, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        give_up = time.monotonic() + 100
        while not any(path.is_dir() for path in place.iterdir()) and time.monotonic() < give_up:
            time.sleep(0.005)
        process.kill()
    assert len(names(place)) == 2
    assert subprocess.run(argv, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL, timeout=100).returncode == 0
    assert names(place) == []
