"""On real projects with faults planted in them the functional stage and plain pytest come to the same verdicts."""

from __future__ import annotations

import shutil
import tomllib

import pytest

from nightly import honest_subjects, verdict_equality
from nightly.honest_subjects import Project, Subject, committed
from nightly.verdict_equality import Seen, figures_of
from qualityscore.errors import SandboxUnavailableError
from qualityscore.runtime import environment, reference, tasks, workspace
from qualityscore.runtime.cache import cache_root
from qualityscore.runtime.sandbox import PROVIDERS
from qualityscore.runtime.sandbox.select import select
from qualityscore.runtime.target import Target
from raw_rows import read, resume


@pytest.fixture(autouse=True)
def a_sandbox(request):
    if "slow" in request.keywords:
        try:
            select()
        except SandboxUnavailableError as error:
            pytest.skip(str(error))


def test_all_that_this_repository_holds_is_among_the_honest_subjects():
    repos = honest_subjects.REPOS
    names = {task: [subject.name for subject in committed(task)] for task in tasks.task_ids()}
    for folder in [*repos.glob("independent/*/"), *repos.glob("hasty/*/*/")]:
        assert str(folder.relative_to(repos)) in names[folder.name]
    told = tomllib.loads((repos / "expected.toml").read_text("utf-8"))["subject"]
    bare = {name for name, table in told.items() if table["recipe"] == "reference"}
    assert set(told) - bare - set(honest_subjects.LEFT_OUT) == {n for of in names.values() for n in of if n in told}
    for file in repos.glob("faults/*.toml"):
        planted = [n for n in names[file.stem.removesuffix("-unseen")] if n.startswith(f"{file.stem} ")]
        assert len(planted) == file.read_text("utf-8").count("[[fault]]")


def test_each_of_them_can_be_put_together(tmp_path):
    task = tasks.load_task("cachetools")
    source = reference.fetch(task, cache_root())
    for number, subject in enumerate(committed("cachetools")):
        subject.build(tmp_path / str(number), source)
        assert list((tmp_path / str(number)).rglob("*.py")), subject.name


@pytest.mark.slow
def test_verdicts_are_those_of_plain_pytest_and_nothing_honest_is_called_tampered():
    figures = verdict_equality.measure(["python-slugify", "inflection"], evaluations=6, seed=7, jobs=2)
    counts = figures.counts
    assert (counts["compared"], counts["uncompared"], counts["broken"]) == (6, 0, 0)
    assert (counts["alarms"], counts["differences"]) == (0, 0)
    for told in figures.projects.values():
        assert told["protected"] <= told["moved"] <= told["tests"]


def test_shards_compare_their_share_and_no_subject_twice(monkeypatch):
    """Seven of nine subjects that one project has: by hand, shards of 4 and 3, the first with numbers 0, 2, 4, 6."""
    played = []

    def evaluate(_project, subject, _timeout_s):
        played.append(subject.name)
        return Seen(compared=1)

    monkeypatch.setattr(verdict_equality, "evaluate", evaluate)
    monkeypatch.setattr(verdict_equality, "_prepared", lambda name, *_: (Project(name, None, ()), 1.0))
    monkeypatch.setattr(verdict_equality, "subjects", lambda *_: (Subject(str(n), print) for n in range(9)))
    figures = [verdict_equality.measure(["one"], evaluations=7, seed=1, shard=(k, 2)) for k in (0, 1)]
    assert [one.counts["compared"] for one in figures] == [4, 3]
    assert played == ["0", "2", "4", "6", "1", "3", "5"]


def test_what_is_kept_goes_first_and_then_the_project_that_took_the_least_time(monkeypatch):
    """A subject of `slow` takes a second, of `fast` none: after what is kept and one each, the turns are `fast`'s."""
    played = []
    clock = [0.0]

    def evaluate(one, subject, _timeout_s):
        played.append(f"{one.name} {subject.name}")
        clock[0] += one.name == "slow"
        return Seen(compared=1)

    def subjects(one, _):
        yield Subject("kept", print)
        yield from (Subject(str(n), print, is_seeded=True) for n in range(4))

    monkeypatch.setattr(verdict_equality, "evaluate", evaluate)
    monkeypatch.setattr(verdict_equality, "_prepared", lambda name, *_: (Project(name, None, ()), 1.0))
    monkeypatch.setattr(verdict_equality, "subjects", subjects)
    monkeypatch.setattr(verdict_equality.time, "monotonic", lambda: clock[0])
    verdict_equality.measure(["slow", "fast"], evaluations=7, seed=1)
    kept, seeded = ["slow kept", "fast kept"], ["fast 0", "fast 1", "fast 2", "fast 3", "slow 0"]
    assert played == [*kept, *seeded]


def test_what_cannot_be_compared_is_made_up_for(monkeypatch):
    """Every other subject is not comparable: three comparisons take the first five of nine."""
    monkeypatch.setattr(
        verdict_equality,
        "evaluate",
        lambda _, subject, __: Seen(uncompared=1) if int(subject.name) % 2 else Seen(compared=1),
    )
    monkeypatch.setattr(verdict_equality, "_prepared", lambda name, *_: (Project(name, None, ()), 1.0))
    monkeypatch.setattr(verdict_equality, "subjects", lambda *_: (Subject(str(n), print) for n in range(9)))
    figures = verdict_equality.measure(["one"], evaluations=3, seed=1)
    assert (figures.counts["compared"], figures.counts["uncompared"]) == (3, 2)


def test_an_interrupted_run_goes_on_where_it_stopped(monkeypatch, tmp_path):
    """Five of nine: two and a half are in the file, so three more follow, and the one that was cut is among them."""
    played = []

    def evaluate(_project, subject, _timeout_s):
        played.append(subject.name)
        return Seen(compared=1, verdicts=3, differences=int(subject.name == "1"))

    monkeypatch.setattr(verdict_equality, "evaluate", evaluate)
    monkeypatch.setattr(verdict_equality, "_prepared", lambda name, *_: (Project(name, None, ()), 1.0))
    monkeypatch.setattr(verdict_equality, "subjects", lambda *_: (Subject(str(n), print) for n in range(9)))
    file = tmp_path / "rows.jsonl"
    verdict_equality.measure(["one"], evaluations=3, seed=1, rows=resume(file))
    file.write_bytes(file.read_bytes()[:-9])
    figures = verdict_equality.measure(["one"], evaluations=5, seed=1, rows=resume(file))
    assert played == ["0", "1", "2", "2", "3", "4"]
    counts = {**dict.fromkeys(figures.counts, 0), "compared": 5, "verdicts": 15, "differences": 1}
    assert figures.counts == counts
    assert figures_of(read(file)).counts == counts
    verdict_equality.measure(["one"], evaluations=9, seed=1, rows=resume(file), stop_after_s=0.0)
    assert len(played) == 6


def test_a_subject_on_which_plain_pytest_does_not_end_is_not_taken_for_compared(tmp_path):
    def hang(destination, source):
        shutil.copytree(source, destination)
        (module,) = destination.rglob("slugify/__init__.py")
        module.write_text(module.read_text() + "\nimport time\ntime.sleep(600)\n")

    task = tasks.load_task("python-slugify")
    imports = tuple(task.spec.surface.imports)
    built = environment.ensure(task.folder / task.spec.environment.lock, task.spec.environment.python, cache_root())
    tree = workspace.copy(reference.fetch(task, cache_root()), tmp_path / "reference", imports).tree
    target = Target(task=task, tree=tree, environment=built, sandbox=PROVIDERS[-1])
    seen = verdict_equality.evaluate(Project(task.id, target, ()), Subject("hangs", hang), 3.0)
    assert (seen.compared, seen.uncompared, seen.broken) == (0, 1, 0)
