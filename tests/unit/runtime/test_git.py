"""Reading real git repositories without touching them."""

import subprocess

import pytest

from qualityscore.errors import BaselineError, SubjectError
from qualityscore.runtime import git

NOBODY = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org", "-c", "protocol.file.allow=always")


def run(folder, *words):
    done = subprocess.run(("git", *NOBODY, *words), cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def write(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def place(tmp_path):
    """A repository with two commits on main."""
    folder = tmp_path / "repo"
    folder.mkdir()
    run(folder, "init", "-q", "-b", "main")
    write(folder, first="1", pkg__inner="one")
    run(folder, "add", "-A")
    run(folder, "commit", "-q", "-m", "one")
    write(folder, pkg__inner="two", second="2")
    run(folder, "add", "-A")
    run(folder, "commit", "-q", "-m", "two")
    return folder


def listed(folder):
    return {p.relative_to(folder).as_posix(): p.read_text() for p in folder.rglob("*") if p.is_file()}


def test_a_commit_is_written_as_files(place, tmp_path):
    repository = git.repository_of(place)
    found = git.earlier(repository, "HEAD~1")
    git.write_commit(repository, found.commit, tmp_path / "out")
    assert listed(tmp_path / "out") == {"first": "1", "pkg/inner": "one"}


def test_attributes_and_filters_of_the_repository_decide_nothing(place, tmp_path):
    """`export-ignore` would leave tests out of an archive; a smudge filter would run a program."""
    write(place, **{".gitattributes": "second export-ignore\nfirst filter=evil\n"})
    run(place, "config", "filter.evil.smudge", f"touch {tmp_path}/ran; cat")
    run(place, "add", "-A")
    run(place, "commit", "-q", "-m", "three")
    repository = git.repository_of(place)
    git.write_commit(repository, git.resolve(repository, "HEAD"), tmp_path / "out")
    assert {"first", "second"} <= set(listed(tmp_path / "out"))
    assert not (tmp_path / "ran").exists()


def test_a_monitor_that_the_repository_configures_is_not_run(place, tmp_path):
    run(place, "config", "core.fsmonitor", f"touch {tmp_path}/ran; false")
    git.require_clean_submodules(git.repository_of(place))
    git.write_working_tree(git.repository_of(place), tmp_path / "out")
    assert not (tmp_path / "ran").exists()


def test_the_working_tree_is_what_git_would_track(place, tmp_path):
    write(place, first="changed", new="n", junk="j", **{".gitignore": "junk\n"})
    (place / "second").unlink()
    git.write_working_tree(git.repository_of(place), tmp_path / "out")
    assert listed(tmp_path / "out") == {".gitignore": "junk\n", "first": "changed", "new": "n", "pkg/inner": "two"}


def test_a_folder_of_a_repository_is_compared_with_itself_only(place, tmp_path):
    repository = git.repository_of(place / "pkg")
    assert repository.prefix == "pkg"
    git.write_commit(repository, git.resolve(repository, "HEAD~1"), tmp_path / "before")
    git.write_working_tree(repository, tmp_path / "after")
    assert (listed(tmp_path / "before"), listed(tmp_path / "after")) == ({"inner": "one"}, {"inner": "two"})


def test_a_folder_that_did_not_exist_then_is_named(place, tmp_path):
    write(place, later__file="x")
    run(place, "add", "-A")
    run(place, "commit", "-q", "-m", "later")
    repository = git.repository_of(place / "later")
    with pytest.raises(BaselineError, match="git ls-tree failed"):
        git.write_commit(repository, git.resolve(repository, "HEAD~1"), tmp_path / "out")


def test_a_ref_that_has_moved_on_is_compared_where_the_histories_part(place):
    fork = run(place, "rev-parse", "HEAD")
    run(place, "checkout", "-q", "-b", "feature")
    write(place, mine="m")
    run(place, "add", "-A")
    run(place, "commit", "-q", "-m", "mine")
    run(place, "checkout", "-q", "main")
    write(place, theirs="t")
    run(place, "add", "-A")
    run(place, "commit", "-q", "-m", "theirs")
    run(place, "checkout", "-q", "feature")
    assert git.earlier(git.repository_of(place), "main") == git.Earlier(commit=fork, forked=True)


def test_a_folder_without_git_has_no_repository(tmp_path):
    assert git.repository_of(tmp_path) is None


def test_an_unknown_ref_is_named(place):
    with pytest.raises(BaselineError, match="'nothere' is neither a ref of .* nor a snapshot, nor a folder"):
        git.earlier(git.repository_of(place), "nothere")


def test_a_ref_of_the_remote_is_suggested(place, tmp_path):
    run(tmp_path, "clone", "-q", "--branch", "main", str(place), "clone")
    run(place, "branch", "release")
    run(tmp_path / "clone", "fetch", "-q")
    with pytest.raises(BaselineError, match="did you mean 'origin/release'"):
        git.earlier(git.repository_of(tmp_path / "clone"), "release")


def test_a_shallow_clone_without_the_ref_is_named(place, tmp_path):
    run(tmp_path, "clone", "-q", "--depth", "1", f"file://{place}", "clone")
    with pytest.raises(BaselineError, match="is shallow and does not hold the ref 'HEAD~1'; fetch it first"):
        git.earlier(git.repository_of(tmp_path / "clone"), "HEAD~1")


def test_the_advice_for_a_shallow_clone_of_one_branch_works(place, tmp_path):
    """What the sentence says is done as it says it; then the histories meet."""
    run(place, "checkout", "-q", "-b", "work")
    run(place, "commit", "-q", "--allow-empty", "-m", "work")
    run(tmp_path, "clone", "-q", "--depth", "1", "--branch", "work", f"file://{place}", "clone")
    clone = tmp_path / "clone"
    for ref in ("main", "origin/main"):
        with pytest.raises(BaselineError, match="then give --baseline origin/main") as refusal:
            git.earlier(git.repository_of(clone), ref)
        advice = str(refusal.value).partition("with git ")[2].partition(",")[0]
        assert advice == "fetch --unshallow origin main:refs/remotes/origin/main"
    run(clone, *advice.split())
    tip = run(place, "rev-parse", "main").strip()
    assert git.earlier(git.repository_of(clone), "origin/main") == git.Earlier(commit=tip)


def test_a_mistyped_ref_gets_a_suggestion(place):
    with pytest.raises(BaselineError, match="There is no ref 'mian' in .*; did you mean 'main'"):
        git.earlier(git.repository_of(place), "mian")


@pytest.mark.parametrize(("ref", "what"), [("main:first", "a file"), ("main^{tree}", "a folder")])
def test_what_is_no_commit_is_said_to_be_none(place, ref, what):
    with pytest.raises(BaselineError, match=f"names {what} in .*, not a commit"):
        git.earlier(git.repository_of(place), ref)


def test_a_repository_without_commits_is_named(tmp_path):
    run(tmp_path, "init", "-q")
    with pytest.raises(BaselineError, match="has no commit yet"):
        git.earlier(git.repository_of(tmp_path), "main")


@pytest.fixture
def outer(place, tmp_path):
    """A repository with `place` as its submodule `inner`."""
    folder = tmp_path / "outer"
    folder.mkdir()
    run(folder, "init", "-q", "-b", "main")
    run(folder, "submodule", "--quiet", "add", str(place), "inner")
    run(folder, "commit", "-q", "-m", "with a submodule")
    return folder


def test_a_submodule_is_read_from_its_own_repository(outer, tmp_path):
    repository = git.repository_of(outer)
    git.require_clean_submodules(repository)
    git.write_commit(repository, git.resolve(repository, "HEAD"), tmp_path / "before")
    git.write_working_tree(repository, tmp_path / "after")
    assert listed(tmp_path / "before") == listed(tmp_path / "after")
    assert listed(tmp_path / "after")["inner/pkg/inner"] == "two"


def test_a_dirty_submodule_is_named(outer):
    (outer / "inner" / "first").write_text("changed")
    with pytest.raises(SubjectError, match="The submodule 'inner' has changes that are in no commit"):
        git.require_clean_submodules(git.repository_of(outer))


def test_a_submodule_that_is_not_there_is_named(outer, tmp_path):
    run(tmp_path, "clone", "-q", str(outer), "bare-outer")
    repository = git.repository_of(tmp_path / "bare-outer")
    with pytest.raises(BaselineError, match="The submodule 'inner' lacks the commit"):
        git.write_commit(repository, git.resolve(repository, "HEAD"), tmp_path / "out")


def test_a_file_that_leaves_the_folder_is_refused(place, tmp_path):
    """A tree object may hold any name; git itself would not check such a one out."""
    blob = run(place, "hash-object", "-w", "first")
    made = subprocess.run(
        ("git", "mktree"), cwd=place, input=f"100644 blob {blob}\t..\n", capture_output=True, text=True, check=True
    )
    commit = run(place, "commit-tree", made.stdout.strip(), "-m", "evil")
    with pytest.raises(BaselineError, match=r"called '\.\.', which cannot be written"):
        git.write_commit(git.repository_of(place), commit, tmp_path / "out")
