"""Environments and references for real: built by uv, fetched from the configured index."""

import hashlib
import os
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

from qualityscore.errors import EnvironmentBuildError, ReferenceFetchError, TaskError, UsageError
from qualityscore.runtime import environment, reference
from qualityscore.runtime.cache import cache_root, clear, info
from qualityscore.runtime.tasks import load_task

ROOT = Path(environment.__file__).parents[2]
# A wheel that every index has, small and without dependencies; the digest is the one that the index publishes.
LOCK = "six==1.16.0 --hash=sha256:8abb2f1d86890a2dfb989f9a77cfcfd3e47c2a354b01111771326f8aa26e0254\n"
BUILD = """
import sys
from pathlib import Path
from qualityscore.runtime import environment
print(environment.ensure(Path(sys.argv[1]), ">=3.11", Path(sys.argv[2])).prefix)
"""
HANG_WHILE_BUILDING = """
import sys, time
from pathlib import Path
from qualityscore.runtime import environment
def hang(lock, folder, *, reviewed):
    (folder / "half").write_text("x")
    print("go", flush=True)
    time.sleep(60)
environment._build = hang
environment.ensure(Path(sys.argv[1]), ">=3.11", Path(sys.argv[2]))
"""


@pytest.fixture
def lock(tmp_path):
    file = tmp_path / "requirements.lock"
    file.write_text(LOCK)
    return file


def packages(prefix: Path) -> set[str]:
    (site,) = prefix.glob("lib/python*/site-packages")
    return {p.name for p in site.iterdir() if p.suffix == ".dist-info"}


def test_an_environment_holds_its_lock_and_nothing_of_ours(lock, tmp_path):
    built = environment.ensure(lock, ">=3.11", tmp_path / "cache")
    assert packages(built.prefix) == {"six-1.16.0.dist-info"}
    assert built.lock_digest == hashlib.sha256(LOCK.encode()).hexdigest()


def test_a_built_environment_is_reused_without_network(lock, tmp_path, monkeypatch):
    first = environment.ensure(lock, ">=3.11", tmp_path / "cache")
    monkeypatch.setenv("UV_OFFLINE", "1")
    started = time.monotonic()
    assert environment.ensure(lock, ">=3.11", tmp_path / "cache") == first
    assert time.monotonic() - started < 0.5


def test_a_build_without_network_is_a_harness_fault_and_leaves_nothing(lock, tmp_path, monkeypatch):
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))
    with pytest.raises(EnvironmentBuildError, match="could not be built"):
        environment.ensure(lock, ">=3.11", tmp_path / "cache")
    assert list((tmp_path / "cache" / "environments").iterdir()) == []


def test_a_wrong_hash_is_refused(tmp_path):
    file = tmp_path / "requirements.lock"
    file.write_text(LOCK.replace("8abb", "0000"))
    with pytest.raises(EnvironmentBuildError, match=r"(?i)hash"):
        environment.ensure(file, ">=3.11", tmp_path / "cache")


def test_an_interpreter_out_of_range_is_the_tasks_matter(lock, tmp_path):
    with pytest.raises(TaskError, match="needs Python <3"):
        environment.ensure(lock, "<3", tmp_path / "cache")


def test_builds_at_the_same_time_make_one_environment(lock, tmp_path):
    argv = [sys.executable, "-c", BUILD, str(lock), str(tmp_path / "cache")]
    children = [subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(3)]
    prefixes = {child.communicate(timeout=120)[0].strip() for child in children}
    assert [child.returncode for child in children] == [0, 0, 0]
    assert len(prefixes) == 1
    assert packages(Path(prefixes.pop())) == {"six-1.16.0.dist-info"}
    assert len(list((tmp_path / "cache" / "environments").iterdir())) == 1


def test_a_killed_build_leaves_nothing_that_is_taken_for_whole(lock, tmp_path):
    argv = [sys.executable, "-c", HANG_WHILE_BUILDING, str(lock), str(tmp_path / "cache")]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=ROOT) as child:
        assert child.stdout.readline() == "go\n"
        os.kill(child.pid, signal.SIGKILL)
    built = environment.ensure(lock, ">=3.11", tmp_path / "cache")
    assert packages(built.prefix) == {"six-1.16.0.dist-info"}
    assert [p.name for p in (tmp_path / "cache" / "environments").iterdir()] == [built.prefix.name]


def test_a_reference_is_fetched_once_and_is_the_pinned_release(tmp_path):
    task = load_task("cachetools")
    folder = reference.fetch(task, tmp_path)
    head = (folder / "PKG-INFO").read_text("utf-8").splitlines()[1:3]
    assert head == ["Name: cachetools", f"Version: {task.spec.reference.version}"]
    inode = folder.stat().st_ino
    assert reference.fetch(task, tmp_path).stat().st_ino == inode


def test_a_release_of_another_digest_is_not_used(tmp_path):
    task = load_task("cachetools")
    pinned = task.spec.reference.model_copy(update={"sdist_sha256": "0" * 64})
    other = task.model_copy(update={"spec": task.spec.model_copy(update={"reference": pinned})})
    with pytest.raises(ReferenceFetchError, match="the task pins 0000"):
        reference.fetch(other, tmp_path)
    assert list(tmp_path.glob("references/*")) == []


def test_an_unreachable_index_is_a_harness_fault_that_names_the_release(tmp_path, monkeypatch):
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple/")
    with pytest.raises(ReferenceFetchError, match="cachetools"):
        reference.fetch(load_task("cachetools"), tmp_path)


def test_an_archive_that_climbs_out_is_refused(tmp_path):
    archive = tmp_path / "evil-1.tar.gz"
    (tmp_path / "payload").write_text("x")
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(tmp_path / "payload", arcname="evil-1/../../escaped")
    (tmp_path / "out").mkdir()
    with pytest.raises(ReferenceFetchError, match="was not used"):
        reference._unpack(archive, tmp_path / "out")
    assert not (tmp_path / "escaped").exists()


def test_the_cache_tells_its_sections_and_is_emptied(lock, tmp_path):
    root = tmp_path / "cache"
    environment.ensure(lock, ">=3.11", root)
    assert [(s.name, s.entries) for s in info(root)] == [("environments", 1), ("locks", 1)]
    assert clear(root) > 10_000
    assert info(root) == ()


def test_a_folder_that_is_not_our_cache_is_not_emptied(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(UsageError, match="thesis"):
        clear(tmp_path)
    assert (tmp_path / "thesis.tex").exists()


def test_the_cache_folder_can_be_named(monkeypatch, tmp_path):
    monkeypatch.setenv("QUALITYSCORE_CACHE", str(tmp_path))
    assert cache_root() == tmp_path
