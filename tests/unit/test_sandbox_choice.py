"""Which provider is taken, what is said when none is, and what providers without namespaces make of paths."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from qualityscore.errors import SandboxUnavailableError, UsageError
from qualityscore.runtime.process import Exited, Limits
from qualityscore.runtime.sandbox import PROVIDERS
from qualityscore.runtime.sandbox.base import Availability, Launch, Level, Mount
from qualityscore.runtime.sandbox.identity import private_uid
from qualityscore.runtime.sandbox.select import required_level, select
from qualityscore.runtime.sandbox.translation import scratch, translated
from qualityscore.runtime.sandbox.unsafe import Unsafe
from qualityscore.runtime.tasks import data_root

LIMITS = Limits(
    wall_s=10,
    cpu_s=None,
    memory_bytes=None,
    processes=None,
    file_size_bytes=None,
    open_files=None,
    output_bytes=1 << 16,
)


class Pretended:
    """Answers a probe; the choice looks at nothing else."""

    capabilities = frozenset()

    def __init__(self, level: Level, works: bool) -> None:
        self.name = f"a {level}"
        self.level = level
        self._works = works

    def probe(self, cpus: tuple[int, ...] | None = None) -> Availability:
        return Availability(works=self._works, detail="tried", remedy="install it")


def providers(**works: bool) -> list[Pretended]:
    return [Pretended(Level(level), value) for level, value in works.items()]


def test_the_first_that_works_is_taken():
    assert select(providers=providers(namespace=False, landlock=True, none=True)).level is Level.LANDLOCK


def test_no_containment_is_never_taken_by_itself():
    with pytest.raises(SandboxUnavailableError, match="a namespace: tried \\(install it\\).*--unsafe"):
        select(providers=providers(namespace=False, none=True))


def test_no_containment_is_taken_when_allowed_and_nothing_better_works(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert select(unsafe=True, providers=providers(namespace=True, none=True)).level is Level.NAMESPACE
    assert select(unsafe=True, providers=providers(namespace=False, none=True)).level is Level.NONE


def test_root_never_runs_a_subject_without_containment(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(SandboxUnavailableError, match="root never runs a subject without one"):
        select(unsafe=True, providers=providers(namespace=False, none=True))


def test_a_required_level_is_not_undercut():
    with pytest.raises(SandboxUnavailableError, match="level landlock is weaker than namespace"):
        select(required=Level.NAMESPACE, providers=providers(namespace=False, landlock=True))


def test_a_stronger_level_than_required_will_do():
    assert select(required=Level.LANDLOCK, providers=providers(namespace=True)).level is Level.NAMESPACE


def test_the_listed_providers_come_strongest_first_and_unsafe_last():
    order = (Level.CONTAINER, Level.NAMESPACE, Level.LANDLOCK, Level.NONE)
    levels = [provider.level for provider in PROVIDERS]
    assert levels[-1] is Level.NONE
    stable = [level for level in levels if level is not Level.CONTAINER]
    assert stable == sorted(stable, key=order.index)


def launch(tmp_path: Path, *argv: str, **fields) -> Launch:
    mounts = (
        Mount(source=tmp_path / "a", target="/qs/subject"),
        Mount(source=tmp_path / "b", target="/qs/subject/deep"),
    )
    defaults = {"argv": argv, "mounts": mounts, "env": {}, "limits": LIMITS, "scratch_bytes": 1, "cpus": None}
    return Launch(**defaults | fields)


def test_whole_paths_and_their_beginnings_are_translated_and_lookalikes_are_not(tmp_path):
    words = (
        "/qs/subject/x.py",
        "/qs/subject",
        "/qs/subject/deep/y",
        "/qs/subjects",
        "a/qs/subject",
        "/tmp/work",
        "/tmpx",
    )
    there = translated(launch(tmp_path, *words), Path("/var/scratch"))
    assert there.argv == (
        f"{tmp_path}/a/x.py",
        f"{tmp_path}/a",
        f"{tmp_path}/b/y",
        "/qs/subjects",
        "a/qs/subject",
        "/var/scratch/work",
        "/tmpx",
    )
    assert there.cwd == "/var/scratch/work"
    assert there.env["HOME"] == "/var/scratch/home"
    assert there.env["TMPDIR"] == "/var/scratch"


def test_input_that_is_not_text_passes_through(tmp_path):
    data = bytes(range(256)) + b'"/qs/subject/x"'
    there = translated(launch(tmp_path, "true", stdin=data), Path("/s"))
    assert there.stdin == bytes(range(256)) + f'"{tmp_path}/a/x"'.encode()


def test_the_scratch_goes_even_when_its_folders_were_closed():
    with scratch() as folder:
        (folder / "work" / "deep" / "deeper").mkdir(parents=True)
        (folder / "work" / "deep").chmod(0)
    assert not folder.exists()


def test_the_scratch_goes_when_the_block_is_interrupted():
    seen = []

    def interrupted():
        with scratch() as folder:
            seen.append(folder)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not seen[0].exists()


def maps(tmp_path, *texts: str) -> tuple[str, ...]:
    paths = [tmp_path / f"map{number}" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return tuple(map(str, paths))


def test_a_private_user_is_out_of_everybodys_range(tmp_path):
    whole = "         0          0 4294967295\n"
    found = {private_uid(maps(tmp_path, whole, whole)) for _ in range(100)}
    assert len(found) > 90
    assert min(found) >= 1 << 30
    assert max(found) < 1 << 31  # some programs still take ids for signed


def test_a_private_user_of_a_rootless_container_is_a_mapped_one(tmp_path):
    rootless = "0 1000 1\n1 100000 65536\n"
    found = {private_uid(maps(tmp_path, rootless, rootless)) for _ in range(100)}
    assert min(found) > 32_000
    assert max(found) <= 65_536
    assert 65_534 not in found


def test_a_namespace_of_one_user_has_no_private_ones(tmp_path):
    with pytest.raises(SandboxUnavailableError, match="ordinary user"):
        private_uid(maps(tmp_path, "0 1000 1\n", "0 1000 1\n"))


def test_unsafe_runs_with_host_paths_and_leaves_no_scratch(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    (tmp_path / "a" / "x.py").write_text("import os; print(os.getcwd(), os.environ['HOME'])")
    request = launch(tmp_path, str(Path(sys.executable).resolve()), "/qs/subject/x.py")
    outcome = Unsafe().run(replace(request, env={"HOME": "/tmp/home"}))
    assert isinstance(outcome, Exited)
    work, home = outcome.stdout.decode().split()
    assert (Path(work).name, Path(home).name) == ("work", "home")
    assert not Path(work).exists()
    assert Path(work).parent == Path(home).parent


def test_a_required_level_is_asked_for_by_its_name():
    assert required_level(None) is None
    assert required_level("namespace") is Level.NAMESPACE
    for name in ("none", "vm"):
        with pytest.raises(UsageError, match=f"'{name}' is no level; the levels are container, namespace, landlock"):
            required_level(name)


def test_the_providers_need_the_standard_library_only():
    """Whoever launches as another user, or on a bare host, has nothing else."""
    code = "import qualityscore.runtime.sandbox"
    subprocess.run([sys.executable, "-S", "-c", code], env={"PYTHONPATH": str(data_root())}, check=True)
