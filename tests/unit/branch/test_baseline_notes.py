"""What a comparison says about the two states before anything is measured."""

import subprocess
from pathlib import Path

import pytest

from qualityscore.branch.baseline import notes_on, take_baseline, take_branch

NOBODY = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org")


def run(folder: Path, *words: str) -> None:
    subprocess.run(("git", *NOBODY, *words), cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path) -> Path:
    """One commit with a file that git stores otherwise than it lies in the working tree."""
    folder = tmp_path / "repository"
    (folder / "sub").mkdir(parents=True)
    run(folder, "init", "-q", "-b", "main")
    run(folder, "config", "filter.store.clean", "sed s/whole/pointer/")
    run(folder, "config", "filter.store.smudge", "sed s/pointer/whole/")
    (folder / ".gitattributes").write_text("*.dat filter=store\n*.bin -filter\n")
    for name in ("sub/one.dat", "sub/two.dat", "sub/plain.bin", "sub/code.py"):
        (folder / name).write_text("'whole'\n")
    run(folder, "add", "-A")
    run(folder, "commit", "-q", "-m", "one")
    return folder


def notes(folder: Path, scratch: Path, baseline: str = "main") -> tuple[str, ...]:
    scratch.mkdir()
    taken, repository = take_branch(folder, scratch)
    earlier, state, _ = take_baseline(baseline, folder, repository, scratch, taken.tree)
    return notes_on(taken, earlier, repository, state)


def test_files_that_git_stores_for_a_filter_are_named(repository, tmp_path):
    (repository / "sub/code.py").write_text("'changed'\n")
    (repository / "sub/plain.bin").write_text("changed\n")
    (said,) = notes(repository, tmp_path / "scratch")
    assert said.startswith(
        "of sub/one.dat and 1 more the baseline has what git stores for the filter 'store', not what a checkout holds"
    )
    (below,) = notes(repository / "sub", tmp_path / "below")
    assert below.startswith("of one.dat and 1 more the baseline has")


def test_a_filtered_file_that_both_states_have_as_stored_is_no_difference(repository, tmp_path):
    """As after a clone without Git LFS: pointers on both sides."""
    for name in ("one", "two"):
        (repository / f"sub/{name}.dat").write_text("'pointer'\n")
    (repository / "sub/code.py").write_text("'changed'\n")
    assert notes(repository, tmp_path / "scratch") == ()


def test_a_checkout_as_the_baseline_has_its_files_whole(repository, tmp_path):
    run(repository, "worktree", "add", "-q", str(tmp_path / "base"), "-b", "base")
    (repository / "sub/code.py").write_text("'changed'\n")
    assert notes(repository, tmp_path / "scratch", baseline=str(tmp_path / "base")) == ()


@pytest.mark.parametrize(("text", "said"), [("'whole'\n", 1), ("'changed'\n", 0)])
def test_a_branch_that_is_its_baseline_is_named_as_such(repository, tmp_path, text, said):
    run(repository, "rm", "-q", "sub/one.dat", "sub/two.dat")
    run(repository, "commit", "-q", "-m", "two")
    (repository / "sub/code.py").write_text(text)
    found = notes(repository, tmp_path / "scratch")
    assert found == ("the branch and the baseline are identical: there is nothing to compare",) * said
