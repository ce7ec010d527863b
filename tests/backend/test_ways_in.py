"""The same subject has the same number, by whatever way it comes in, and one that cannot be taken has 0."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from backend.serving import Serving
from backend.test_adapters import inspect
from backend.tiny import HALF, results, run, write_manifest
from qualityscore import evaluate
from qualityscore.adapters.harbor import main as harbor_main
from qualityscore.adapters.rewards import score_repositories
from qualityscore.errors import ArchiveError, ServiceError, SubjectError

ONLY = ["functional"]


def write(folder: Path, *names: str, source: str | bytes = HALF) -> None:
    for name in names:
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(source.encode() if isinstance(source, str) else source)


def one_folder(folder: Path) -> None:
    """It is no wrapping: what it holds is imported by its name."""
    write(folder, "app/core.py")
    write(folder, "app/tiny.py", source="from app.core import *\n")


def an_environment(folder: Path) -> None:
    write(folder, "tiny.py")
    write(folder, ".venv/lib/tiny.py", "venv/tiny.py", source="1/0")
    (folder / ".venv" / "python").symlink_to("/usr/bin/python3")


def as_deep_as_can_be(folder: Path) -> None:
    write(folder, "tiny.py", "d/" * 64 + "x.py")


def pipes_and_links(folder: Path) -> None:
    write(folder, "code/tiny.py")
    (folder / "tiny.py").symlink_to("code/tiny.py")
    (folder / "again.py").hardlink_to(folder / "code" / "tiny.py")
    os.mkfifo(folder / "pipe.py")


def strange_names(folder: Path) -> None:
    write(folder, "tiny.py", "line\nbreak.py", "back\\slash", " blank ", "pattern[a]*", os.fsdecode(b"caf\xe9.py"))


def a_large_file(folder: Path) -> None:
    write(folder, "tiny.py")
    write(folder, "data", source=b"\0" * (33 << 20))


def a_package_in_a_project(folder: Path) -> None:
    write(folder, "project/src/tiny/__init__.py", "project/setup.py")


def the_root_is_a_package(folder: Path) -> None:
    write(folder, "__init__.py", source="")
    write(folder, "tiny.py", "repository/tiny.py")


def a_folder_called_init(folder: Path) -> None:
    write(folder, "tiny.py", "__init__.py/x.txt")


def suites_of_its_own(folder: Path) -> None:
    write(folder, "tiny.py")
    names = ("conftest.py", "suites/test_tiny.py", "tests/test_tiny.py", "test_tiny.py")
    write(folder, *names, source="1/0")


def line_ends_of_windows(folder: Path) -> None:
    write(folder, "tiny.py", source=HALF.replace("\n", "\r\n"))


def a_byte_order_mark(folder: Path) -> None:
    write(folder, "tiny.py", source=b"\xef\xbb\xbf" + HALF.encode())


def executable(folder: Path) -> None:
    write(folder, "tiny.py", "empty/none.py", source=HALF)
    (folder / "tiny.py").chmod(0o755)


def broken(folder: Path) -> None:
    write(folder, "tiny.py", source="1/0")


def a_link_that_leads_outside(folder: Path) -> None:
    write(folder, "tiny.py")
    (folder / "x.py").symlink_to("/etc/passwd")


def a_link_to_a_folder(folder: Path) -> None:
    write(folder, "tiny.py", "code/x.py")
    (folder / "linked").symlink_to("code")


def too_deep(folder: Path) -> None:
    write(folder, "tiny.py", "d/" * 65 + "x.py")


def too_large_a_file(folder: Path) -> None:
    write(folder, "tiny.py", source=HALF.encode() + b"\n" * (33 << 20))


def an_environment_alone(folder: Path) -> None:
    write(folder, "venv/tiny.py")


Subject = Callable[[Path], None]
FEW: dict[Subject, float] = {one_folder: 0.5, an_environment: 0.5, a_link_that_leads_outside: 0.0}
MANY: dict[Subject, float] = FEW | {
    as_deep_as_can_be: 0.5,
    pipes_and_links: 0.5,
    strange_names: 0.5,
    a_large_file: 0.5,
    a_package_in_a_project: 0.5,
    the_root_is_a_package: 0.5,
    a_folder_called_init: 0.5,
    suites_of_its_own: 0.5,
    line_ends_of_windows: 0.5,
    a_byte_order_mark: 0.5,
    executable: 0.5,
    broken: 0.0,
    a_link_to_a_folder: 0.0,
    too_deep: 0.0,
    too_large_a_file: 0.0,
    an_environment_alone: 0.0,
}
"""F by hand: `HALF` passes two of four tests, and what raises or cannot be taken none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Subjects in folders of these names, and where a way may write."""

    folders: dict[str, Path]
    task: Path
    scratch: Path

    def archives(self) -> list[Path]:
        """One of each, as people pack the folder that they work in."""
        found = []
        for name, folder in self.folders.items():
            found.append(self.scratch / f"{name}.tar.gz")
            subprocess.run(["tar", "--hard-dereference", "-czf", found[-1], "-C", folder.parent, name], check=True)
        return found

    def commits(self) -> Iterable[tuple[Path, str]]:
        for folder in self.folders.values():
            git = ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@example.org"]
            for arguments in (["init", "-q"], ["add", "-A", "-f"], ["commit", "-q", "-m", "c"]):
                subprocess.run([*git, *arguments], check=True, stderr=subprocess.DEVNULL)
            head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
            yield folder, head.stdout.strip()


def evaluation(given: Given) -> list[Any]:
    def one(folder: Path) -> float | None:
        try:
            return evaluate(folder, task=str(given.task), only=ONLY).functional.score
        except SubjectError:  # which is exit code 2, and no number
            return 0.0

    return [one(folder) for folder in given.folders.values()]


def rewards_of_folders(given: Given) -> list[Any]:
    return score_repositories(list(given.folders.values()), str(given.task), component="F", only=ONLY)


def rewards_of_archives(given: Given) -> list[Any]:
    return score_repositories(given.archives(), str(given.task), component="F", only=ONLY)


def batched(given: Given, rows: Iterable[dict[str, str]]) -> list[Any]:
    asked = [{"label": str(number), "task": str(given.task), **row} for number, row in enumerate(rows)]
    options = {"options": {"only": ONLY}}
    manifest = write_manifest(given.scratch / "m.jsonl", [row | options for row in asked])
    run("batch", manifest, "-o", given.scratch / "out")
    found = {line["label"]: line["components"]["F"] for line in results(given.scratch / "out")}
    return [found[row["label"]] for row in asked]


def batch_of_folders(given: Given) -> list[Any]:
    return batched(given, ({"repository": str(folder)} for folder in given.folders.values()))


def batch_of_archives(given: Given) -> list[Any]:
    return batched(given, ({"repository": str(archive)} for archive in given.archives()))


def batch_of_commits(given: Given) -> list[Any]:
    return batched(given, ({"git": f"file://{place}", "commit": commit} for place, commit in given.commits()))


def service_by_paths(given: Given) -> list[Any]:
    with served(given) as serving, serving.client() as client:
        return [one["components"]["F"] for one in client.score("tiny", list(given.folders), only=ONLY)]


def service_by_uploads(given: Given) -> list[Any]:
    def one(archive: Path) -> float | None:
        try:
            taken = client.submit("tiny", archive=archive, only=ONLY)
        except ServiceError as error:
            return 0.0 if error.problem in (SubjectError.code, ArchiveError.code) else None
        result = client.wait(taken["id"])["result"]
        return float(result["components"]["F"])

    with served(given) as serving, serving.client() as client:
        return [one(archive) for archive in given.archives()]


def harbor(given: Given) -> list[Any]:
    return [harbored(given, folder, "--task", str(given.task)) for folder in given.folders.values()]


def harbor_with_a_service(given: Given) -> list[Any]:
    with served(given) as serving:
        asked = ("--task", "tiny", "--service", serving.url)
        return [harbored(given, folder, *asked) for folder in given.folders.values()]


def harbored(given: Given, folder: Path, *asked: str) -> float:
    rest = ("--output", str(given.scratch), "--reward", "F", "--only", "functional")
    assert harbor_main([str(folder), *asked, *rest]) == 0
    return float(json.loads((given.scratch / "reward.json").read_text())["reward"])


def inspect_from_sandboxes(given: Given) -> list[Any]:
    answers = [f"cp -a {shlex.quote(str(folder))}/. app|done|" for folder in given.folders.values()]
    scores, _ = inspect(given.scratch, given.task, [f"mkdir app; {answer}" for answer in answers], {"folder": "app"})
    return [score["value"]["F"] for score in scores]


def inspect_of_host_folders(given: Given) -> list[Any]:
    places = [str(folder) for folder in given.folders.values()]
    scores, _ = inspect(given.scratch, given.task, ["|a|b"] * len(places), places=places)
    return [score["value"]["F"] for score in scores]


@contextmanager
def served(given: Given) -> Iterator[Serving]:
    """A service that has the subjects below its root."""
    roots = given.scratch.parent / "subjects"
    serving = Serving("--data", given.scratch / "data", "--task", given.task, "--root", roots)
    try:
        yield serving
    finally:
        serving.stop()


WAYS = {
    evaluation: {},
    rewards_of_folders: {},
    rewards_of_archives: {pipes_and_links, strange_names},
    batch_of_folders: {},
    batch_of_archives: {pipes_and_links, strange_names},
    batch_of_commits: {},
    service_by_paths: {},
    service_by_uploads: {pipes_and_links, strange_names},
    harbor: {},
    harbor_with_a_service: {strange_names},
    inspect_from_sandboxes: {},
    inspect_of_host_folders: {},
}
"""The ways, with what they refuse and others take: no archive that somebody else packed may hold devices, or names that
are none everywhere, and a service takes archives only.
"""


def check(way: Callable[[Given], list[Any]], subjects: dict[Subject, float], task: Path, folder: Path) -> None:
    folders = {}
    for subject in subjects:
        folders[subject.__name__] = place = folder / "subjects" / subject.__name__
        place.mkdir(parents=True)
        subject(place)
    (folder / "scratch").mkdir()
    found = dict(zip(folders, way(Given(folders=folders, task=task, scratch=folder / "scratch")), strict=True))
    assert found == {one.__name__: 0.0 if one in WAYS[way] else number for one, number in subjects.items()}


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_subject_has_one_number_by_every_way_in(tiny_task, tmp_path, way):
    check(way, FEW, tiny_task, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_every_odd_subject_has_one_number_by_every_way_in(tiny_task, tmp_path, way):
    check(way, MANY, tiny_task, tmp_path)
