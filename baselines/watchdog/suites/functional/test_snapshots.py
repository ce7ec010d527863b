"""Snapshots of folders, and what changed between two of them."""

import errno
import os
import stat
from types import SimpleNamespace

import pytest
from watchdog.utils.dirsnapshot import DirectorySnapshot, DirectorySnapshotDiff, EmptyDirectorySnapshot


class Tree:
    """Files and folders in memory: path -> [inode, is it a folder, time, size, mode, device]."""

    def __init__(self, *paths):
        self.nodes = {"/r": [1, True, 10, 0, 0o755, 7]}
        for path in paths:
            self.add(path)

    def add(self, path, *, folder=False, time=10, size=5):
        self.nodes[path] = [max(node[0] for node in self.nodes.values()) + 1, folder or path.endswith("/"), time, size, 0o644, 7]
        if path.endswith("/"):
            self.nodes[path[:-1]] = self.nodes.pop(path)

    def move(self, old, new):
        for path in [path for path in self.nodes if path == old or path.startswith(old + "/")]:
            self.nodes[new + path[len(old) :]] = self.nodes.pop(path)

    def stat(self, path):
        if path not in self.nodes:
            raise FileNotFoundError(errno.ENOENT, "not there", path)
        inode, folder, time, size, mode, device = self.nodes[path]
        kind = stat.S_IFDIR if folder else stat.S_IFREG
        return SimpleNamespace(st_ino=inode, st_dev=device, st_mode=kind | mode, st_mtime=time, st_size=size, st_uid=0, st_gid=0)

    def listdir(self, path):
        if path not in self.nodes:
            raise FileNotFoundError(errno.ENOENT, "not there", path)
        return iter([SimpleNamespace(name=name.rpartition("/")[2]) for name in self.nodes if name.rpartition("/")[0] == path])

    def snapshot(self, **options):
        return DirectorySnapshot("/r", stat=self.stat, listdir=self.listdir, **options)


def summary(diff):
    names = [f"{kind}_{what}" for kind in ("files", "dirs") for what in ("created", "deleted", "modified", "moved", "attrib")]
    return {name: sorted(getattr(diff, name)) for name in names if getattr(diff, name)}


def test_a_snapshot_knows_all_paths():
    tree = Tree("/r/a", "/r/d/", "/r/d/b", "/r/d/e/", "/r/d/e/c")
    whole, flat = tree.snapshot(), tree.snapshot(recursive=False)
    assert sorted(whole.paths) == ["/r", "/r/a", "/r/d", "/r/d/b", "/r/d/e", "/r/d/e/c"]
    assert sorted(flat.paths) == ["/r", "/r/a", "/r/d"]
    assert [sorted(path for path in whole.paths if whole.isdir(path)), EmptyDirectorySnapshot().paths] == [["/r", "/r/d", "/r/d/e"], set()]


def test_a_snapshot_knows_what_was_there():
    tree = Tree("/r/a", "/r/d/")
    tree.add("/r/b", time=33, size=44)
    snapshot = tree.snapshot()
    tree.nodes["/r/b"] = [99, False, 0, 0, 0, 0]
    assert [snapshot.mtime("/r/b"), snapshot.size("/r/b"), snapshot.inode("/r/b"), snapshot.path((4, 7)), snapshot.path((4, 8))] == [
        33,
        44,
        (4, 7),
        "/r/b",
        None,
    ]
    assert [snapshot.mode("/r/a"), snapshot.mode("/r/d"), snapshot.stat_info("/r/b").st_size] == [0o100644, 0o040644, 44]


def test_created_and_deleted():
    tree = Tree("/r/keep", "/r/old", "/r/olddir/", "/r/olddir/x")
    before = tree.snapshot()
    for path in ("/r/old", "/r/olddir", "/r/olddir/x"):
        del tree.nodes[path]
    for path in ("/r/new", "/r/newdir/", "/r/newdir/y"):
        tree.nodes["/r/spare"] = [50, False, 0, 0, 0, 7]
        tree.add(path)
        del tree.nodes["/r/spare"]
    assert summary(tree.snapshot() - before) == {
        "files_created": ["/r/new", "/r/newdir/y"],
        "files_deleted": ["/r/old", "/r/olddir/x"],
        "dirs_created": ["/r/newdir"],
        "dirs_deleted": ["/r/olddir"],
    }


def test_modified_and_attributes():
    tree = Tree("/r/time", "/r/size", "/r/mode", "/r/both", "/r/same", "/r/d/")
    before = tree.snapshot()
    tree.nodes["/r/time"][2] = 11
    tree.nodes["/r/size"][3] = 6
    tree.nodes["/r/mode"][4] = 0o600
    tree.nodes["/r/both"][2:5] = [12, 7, 0o400]
    tree.nodes["/r/d"][2] = 13
    tree.nodes["/r"][4] = 0o700
    diff = DirectorySnapshotDiff(before, tree.snapshot())
    assert summary(diff) == {
        "files_modified": ["/r/both", "/r/size", "/r/time"],
        "files_attrib": ["/r/both", "/r/mode"],
        "dirs_modified": ["/r/d"],
        "dirs_attrib": ["/r"],
    }
    assert len(diff) == 7


def test_moved():
    tree = Tree("/r/a", "/r/d/", "/r/d/x", "/r/d/y")
    before = tree.snapshot()
    tree.move("/r/a", "/r/b")
    tree.move("/r/d", "/r/e")
    tree.nodes["/r/e/y"][3] = 77
    assert summary(tree.snapshot() - before) == {
        "files_moved": [("/r/a", "/r/b"), ("/r/d/x", "/r/e/x"), ("/r/d/y", "/r/e/y")],
        "files_modified": ["/r/d/y"],
        "dirs_moved": [("/r/d", "/r/e")],
    }


def test_two_that_change_places():
    tree = Tree("/r/a", "/r/b")
    before = tree.snapshot()
    tree.nodes["/r/a"], tree.nodes["/r/b"] = tree.nodes["/r/b"], tree.nodes["/r/a"]
    assert summary(tree.snapshot() - before) == {"files_moved": [("/r/a", "/r/b"), ("/r/b", "/r/a")]}


def test_a_file_replaced_by_another():
    tree = Tree("/r/a", "/r/b")
    before = tree.snapshot()
    tree.nodes["/r/a"][0] = 77
    assert summary(tree.snapshot() - before) == {"files_created": ["/r/a"], "files_deleted": ["/r/a"]}


def test_the_device_can_be_ignored():
    tree = Tree("/r/a", "/r/b")
    before = tree.snapshot()
    for node in tree.nodes.values():
        node[5] = 8
    after = tree.snapshot()
    strict, lax = DirectorySnapshotDiff(before, after), DirectorySnapshotDiff(before, after, ignore_device=True)
    assert [summary(strict), summary(lax), len(strict), len(lax)] == [
        {
            "files_created": ["/r/a", "/r/b"],
            "files_deleted": ["/r/a", "/r/b"],
            "dirs_created": ["/r"],
            "dirs_deleted": ["/r"],
        },
        {},
        6,
        0,
    ]


def test_everything_is_new_against_nothing():
    tree = Tree("/r/a", "/r/d/", "/r/d/b")
    assert summary(tree.snapshot() - EmptyDirectorySnapshot()) == {"files_created": ["/r/a", "/r/d/b"], "dirs_created": ["/r", "/r/d"]}
    assert summary(DirectorySnapshotDiff(tree.snapshot(), EmptyDirectorySnapshot())) == {
        "files_deleted": ["/r/a", "/r/d/b"],
        "dirs_deleted": ["/r", "/r/d"],
    }


def test_what_cannot_be_examined_is_left_out():
    tree = Tree("/r/a", "/r/d/", "/r/d/b")

    def examine(path):
        if path in ("/r/a", "/r/d/b"):
            raise PermissionError(errno.EACCES, "no", path)
        return tree.stat(path)

    def look(path):
        if path == "/r/d":
            raise NotADirectoryError(errno.ENOTDIR, "no folder any more", path)
        return tree.listdir(path)

    snapshots = [DirectorySnapshot("/r", stat=examine, listdir=tree.listdir), DirectorySnapshot("/r", stat=tree.stat, listdir=look)]
    assert [sorted(snapshot.paths) for snapshot in snapshots] == [["/r", "/r/d"], ["/r", "/r/a", "/r/d"]]


def test_unknown_paths_are_errors(tmp_path):
    snapshot = Tree("/r/a").snapshot()
    refused = []
    for name in ("mtime", "size", "mode", "inode", "isdir", "stat_info"):
        try:
            getattr(snapshot, name)("/r/none")
        except KeyError:
            refused.append(name)
    assert refused == ["mtime", "size", "mode", "inode", "isdir", "stat_info"]
    with pytest.raises(FileNotFoundError):
        DirectorySnapshot(str(tmp_path / "none"))
    assert [snapshot.size("/r/a"), snapshot.path((2, 7))] == [5, "/r/a"]


def test_real_folders(tmp_path):
    root = str(tmp_path)
    (tmp_path / "old").write_text("1")
    (tmp_path / "gone").write_text("2")
    (tmp_path / "sub").mkdir()
    before = DirectorySnapshot(root)
    os.rename(tmp_path / "old", tmp_path / "sub" / "new")
    (tmp_path / "sub" / "fresh").mkdir()
    os.remove(tmp_path / "gone")
    diff = DirectorySnapshot(root) - before
    cut = len(root)
    assert [[(old[cut:], new[cut:]) for old, new in diff.files_moved], [path[cut:] for path in diff.files_deleted]] == [
        [("/old", "/sub/new")],
        ["/gone"],
    ]
    assert [[path[cut:] for path in diff.dirs_created], diff.dirs_deleted, diff.dirs_moved] == [["/sub/fresh"], [], []]


def test_changes_during_a_block(tmp_path):
    (tmp_path / "seen").write_text("1")
    watcher = DirectorySnapshotDiff.ContextManager(str(tmp_path), recursive=False)
    with watcher:
        (tmp_path / "made").write_text("22")
        (tmp_path / "seen").write_text("333")
    cut = len(str(tmp_path))
    assert [[path[cut:] for path in watcher.diff.files_created], [path[cut:] for path in watcher.diff.files_modified]] == [["/made"], ["/seen"]]
