"""Observers: threads that tell handlers what happens."""

import errno
import stat
import threading
import time
from types import SimpleNamespace

import pytest
from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import ObservedWatch
from watchdog.observers.polling import PollingObserver, PollingObserverVFS


class Tree:
    """Files and folders in memory: path -> [inode, is it a folder, time, size, mode, device].

    A thread sees changes only where it begins anew at the top, so that no snapshot is taken of half of a change.
    """

    def __init__(self, *paths):
        self.state = ({"/r": [1, True, 10, 0, 0o755, 7]}, None)
        self.view = threading.local()
        self.failures = 0
        for inode, path in enumerate(paths, 2):
            self.nodes[path.rstrip("/")] = [inode, path.endswith("/"), 10, 5, 0o644, 7]

    @property
    def nodes(self):
        return self.state[0]

    @nodes.setter
    def nodes(self, nodes):
        self.state = (nodes, None)

    def seen(self, function, path):
        view = self.view
        if path == "/r":
            if function in getattr(view, "asked", {function}):
                view.asked, view.state = set(), self.state
            view.asked.add(function)
        nodes, broken = getattr(view, "state", self.state)
        if broken:
            self.failures += 1
            raise broken
        if path not in nodes:
            raise FileNotFoundError(errno.ENOENT, "not there", path)
        return nodes

    def stat(self, path):
        inode, folder, time, size, mode, device = self.seen("stat", path)[path]
        kind = stat.S_IFDIR if folder else stat.S_IFREG
        return SimpleNamespace(st_ino=inode, st_dev=device, st_mode=kind | mode, st_mtime=time, st_size=size, st_uid=0, st_gid=0)

    def listdir(self, path):
        nodes = self.seen("listdir", path)
        return iter([SimpleNamespace(name=name.rpartition("/")[2]) for name in nodes if name.rpartition("/")[0] == path])


def until(condition, seconds=8):
    """Whether it comes true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


class Recorder(FileSystemEventHandler):
    """Notes events, and can wait for them."""

    def __init__(self):
        self.log = []
        self.changed = threading.Condition()

    def on_any_event(self, event):
        with self.changed:
            self.log.append((event.event_type, "dir" if event.is_directory else "file", str(event.src_path), str(event.dest_path)))
            self.changed.notify_all()

    def wait(self, wanted, seconds=8):
        """Whether an event of this type about this path comes in time."""
        with self.changed:
            return self.changed.wait_for(lambda: any((item[0], item[2]) == wanted for item in self.log), seconds)

    def wait_count(self, count, seconds=8):
        with self.changed:
            return self.changed.wait_for(lambda: len(self.log) >= count, seconds)


def watching(tree, recorder, **options):
    observer = PollingObserverVFS(tree.stat, tree.listdir, polling_interval=0.02)
    observer.schedule(recorder, "/r", **options)
    observer.start()
    return observer


def two_changes_later(observer, tree):
    """Have another watch told of two changes, one after the other: time in which nothing else may be told."""
    recorder, told = Recorder(), []
    observer.schedule(recorder, "/r", recursive=True, event_filter=[FileCreatedEvent])
    for count in (1, 2):
        tree.nodes = {**tree.nodes, f"/r/later{count}": [500 + count, False, 1, 1, 0o644, 7]}
        told.append(recorder.wait_count(count))
    return all(told)


def test_polling_tells_every_change():
    tree, recorder = Tree("/r/a", "/r/b", "/r/c", "/r/m", "/r/d/"), Recorder()
    observer = watching(tree, recorder)
    changed = dict(tree.nodes)
    changed["/r/a2"] = changed.pop("/r/a")
    changed["/r/new"] = [90, False, 10, 5, 0o644, 7]
    changed["/r/newdir"] = [91, True, 10, 0, 0o755, 7]
    changed["/r/c"] = [changed["/r/c"][0], False, 20, 5, 0o644, 7]
    changed["/r/m"] = [changed["/r/m"][0], False, 10, 5, 0o600, 7]
    del changed["/r/b"], changed["/r/d"]
    tree.nodes = changed
    enough = recorder.wait_count(7)
    observer.stop()
    observer.join(5)
    assert [enough, observer.is_alive(), recorder.log] == [
        True,
        False,
        [
            ("deleted", "file", "/r/b", ""),
            ("modified", "file", "/r/c", ""),
            ("created", "file", "/r/new", ""),
            ("moved", "file", "/r/a", "/r/a2"),
            ("attrib", "file", "/r/m", ""),
            ("deleted", "dir", "/r/d", ""),
            ("created", "dir", "/r/newdir", ""),
        ],
    ]


def test_folders_below_are_watched_on_request():
    tree = Tree("/r/d/", "/r/d/old")
    flat, deep = Recorder(), Recorder()
    observer = PollingObserverVFS(tree.stat, tree.listdir, polling_interval=0.02)
    observer.schedule(flat, "/r")
    observer.schedule(deep, "/r", recursive=True)
    observer.start()
    tree.nodes = {**tree.nodes, "/r/d/new": [70, False, 10, 5, 0o644, 7]}
    first = deep.wait_count(1)
    tree.nodes = {**tree.nodes, "/r/top": [71, False, 10, 5, 0o644, 7]}
    second = [flat.wait_count(1), deep.wait_count(2)]
    observer.stop()
    observer.join(5)
    assert [first, second, flat.log, deep.log] == [
        True,
        [True, True],
        [("created", "file", "/r/top", "")],
        [("created", "file", "/r/d/new", ""), ("created", "file", "/r/top", "")],
    ]


def test_only_wanted_kinds_are_told():
    tree, recorder = Tree("/r/a", "/r/b"), Recorder()
    observer = watching(tree, recorder, event_filter=[FileDeletedEvent, FileMovedEvent])
    changed = dict(tree.nodes)
    changed["/r/new"] = [60, False, 1, 1, 0o644, 7]
    changed["/r/b2"] = changed.pop("/r/b")
    del changed["/r/a"]
    tree.nodes = changed
    enough = recorder.wait_count(2)
    observer.stop()
    observer.join(5)
    assert [enough, recorder.log] == [True, [("deleted", "file", "/r/a", ""), ("moved", "file", "/r/b", "/r/b2")]]


def test_a_watched_folder_that_vanishes():
    tree, recorder = Tree("/r/a"), Recorder()
    observer = watching(tree, recorder)
    tree.nodes = {}
    enough = recorder.wait_count(1)
    tree.nodes = {"/r": [1, True, 99, 0, 0o755, 7], "/r/late": [9, False, 1, 1, 0o644, 7]}
    later = two_changes_later(observer, tree)
    observer.stop()
    observer.join(5)
    assert [enough, later, recorder.log] == [True, True, [("deleted", "dir", "/r", "")]]


def test_passing_errors_are_outlasted():
    tree, recorder = Tree("/r/a"), Recorder()
    observer = watching(tree, recorder)
    changed = {**tree.nodes, "/r/b": [60, False, 1, 1, 0o644, 7]}
    tree.state = (changed, OSError(errno.EIO, "cannot read"))
    again = until(lambda: tree.failures >= 2)
    during = list(recorder.log)
    tree.nodes = changed
    enough = recorder.wait_count(1)
    observer.stop()
    observer.join(5)
    assert [again, during, enough, recorder.log] == [True, [], True, [("created", "file", "/r/b", "")]]


def test_watches_can_be_ended():
    tree = Tree("/r/a")
    ended, other = Recorder(), Recorder()
    observer = PollingObserverVFS(tree.stat, tree.listdir, polling_interval=0.02)
    watch = observer.schedule(ended, "/r")
    kept = observer.schedule(other, "/r", recursive=True)
    observer.start()
    observer.unschedule(watch)
    with pytest.raises(KeyError):
        observer.unschedule(watch)
    tree.nodes = {**tree.nodes, "/r/b": [60, False, 1, 1, 0o644, 7]}
    enough = other.wait_count(1)
    observer.unschedule_all()
    tree.nodes = {**tree.nodes, "/r/c": [61, False, 1, 1, 0o644, 7]}
    later = two_changes_later(observer, tree)
    observer.stop()
    observer.join(5)
    assert [enough, later, ended.log, other.log, watch == kept] == [True, True, [], [("created", "file", "/r/b", "")], False]


def test_several_handlers_of_one_watch():
    tree = Tree("/r/a")
    first, second, third = Recorder(), Recorder(), Recorder()
    observer = PollingObserverVFS(tree.stat, tree.listdir, polling_interval=0.02)
    watch = observer.schedule(first, "/r")
    same = observer.schedule(second, "/r")
    observer.add_handler_for_watch(third, watch)
    observer.remove_handler_for_watch(first, watch)
    observer.start()
    tree.nodes = {**tree.nodes, "/r/b": [60, False, 1, 1, 0o644, 7]}
    enough = [second.wait_count(1), third.wait_count(1)]
    observer.stop()
    observer.join(5)
    assert [watch == same, enough, first.log, second.log == third.log, second.log] == [
        True,
        [True, True],
        [],
        True,
        [("created", "file", "/r/b", "")],
    ]


def test_a_handler_may_end_its_own_watch():
    tree, counts = Tree("/r/a"), []
    observer = PollingObserverVFS(tree.stat, tree.listdir, polling_interval=0.02)
    done = threading.Event()

    class Once(FileSystemEventHandler):
        def on_created(self, event):
            counts.append(event.src_path)
            observer.unschedule(watch)
            done.set()

    watch = observer.schedule(Once(), "/r")
    observer.start()
    tree.nodes = {**tree.nodes, "/r/b": [60, False, 1, 1, 0o644, 7]}
    told = done.wait(8)
    tree.nodes = {**tree.nodes, "/r/c": [61, False, 1, 1, 0o644, 7]}
    later = two_changes_later(observer, tree)
    observer.stop()
    observer.join(5)
    assert [told, later, counts] == [True, True, ["/r/b"]]


def test_watches_are_equal_by_path_and_options():
    watches = [
        ObservedWatch("/x", recursive=False),
        ObservedWatch("/x", recursive=False),
        ObservedWatch("/x", recursive=True),
        ObservedWatch("/y", recursive=False),
        ObservedWatch("/x", recursive=False, event_filter=[FileCreatedEvent]),
        ObservedWatch("/x", recursive=False, event_filter=[FileCreatedEvent, DirCreatedEvent]),
        ObservedWatch("/x", recursive=False, event_filter=[DirCreatedEvent, FileCreatedEvent]),
    ]
    assert [watches.index(watch) for watch in watches] == [0, 0, 2, 3, 4, 5, 5]
    assert [len(set(watches)), watches[2].path, watches[2].is_recursive, watches[2].event_filter] == [5, "/x", True, None]
    assert watches[4].event_filter == frozenset({FileCreatedEvent})


def test_the_operating_system_tells_about_real_files(tmp_path):
    recorder = Recorder()
    (tmp_path / "sub").mkdir()
    (tmp_path / "there").write_text("1")
    seen = []
    with Observer() as observer:
        observer.schedule(recorder, str(tmp_path), recursive=True)
        (tmp_path / "file").write_text("1")
        seen.append(recorder.wait(("created", str(tmp_path / "file"))))
        (tmp_path / "sub" / "folder").mkdir()
        seen.append(recorder.wait(("created", str(tmp_path / "sub" / "folder"))))
        (tmp_path / "there").write_text("22")
        seen.append(recorder.wait(("modified", str(tmp_path / "there"))))
        (tmp_path / "there").rename(tmp_path / "gone")
        seen.append(recorder.wait(("moved", str(tmp_path / "there"))))
        (tmp_path / "file").unlink()
        seen.append(recorder.wait(("deleted", str(tmp_path / "file"))))
    moves = sorted((item[1], item[2][len(str(tmp_path)) :], item[3][len(str(tmp_path)) :]) for item in recorder.log if item[0] == "moved")
    assert [seen, moves, observer.is_alive()] == [[True] * 5, [("file", "/there", "/gone")], False]


@pytest.mark.parametrize(
    ("classes", "last", "told"),
    [
        (
            [FileCreatedEvent, DirCreatedEvent],
            ("created", "/last"),
            [("created", "dir", "/folder"), ("created", "file", "/a"), ("created", "file", "/last")],
        ),
        (
            [FileDeletedEvent, DirDeletedEvent],
            ("deleted", "/last"),
            [("deleted", "dir", "/folder"), ("deleted", "file", "/b"), ("deleted", "file", "/last")],
        ),
        ([FileMovedEvent, DirMovedEvent], ("moved", "/old"), [("moved", "dir", "/old"), ("moved", "file", "/a")]),
        ([FileModifiedEvent], ("modified", "/last"), [("modified", "file", "/a"), ("modified", "file", "/last")]),
    ],
)
def test_the_operating_system_tells_only_what_is_wanted(tmp_path, classes, last, told):
    recorder, root = Recorder(), str(tmp_path)
    (tmp_path / "old").mkdir()
    with Observer() as observer:
        observer.schedule(recorder, root, event_filter=classes)
        (tmp_path / "a").write_text("1")
        (tmp_path / "a").rename(tmp_path / "b")
        (tmp_path / "folder").mkdir()
        (tmp_path / "folder").rmdir()
        (tmp_path / "b").unlink()
        (tmp_path / "last").write_text("1")
        (tmp_path / "last").unlink()
        (tmp_path / "old").rename(tmp_path / "new")
        seen = recorder.wait((last[0], root + last[1]))
    # that the file was modified as it was unlinked, with its new name, may be told
    log = {(kind, what, path[len(root) :]) for kind, what, path, _ in recorder.log} - {("modified", "file", "/b")}
    assert sorted(log) == told
    assert seen


def test_a_folder_below_can_vanish_and_come_back(tmp_path):
    recorder, seen = Recorder(), []
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "old").write_text("1")
    with Observer() as observer:
        observer.schedule(recorder, str(tmp_path), recursive=True)
        (tmp_path / "sub" / "old").unlink()
        seen.append(recorder.wait(("deleted", str(tmp_path / "sub" / "old"))))
        (tmp_path / "sub").rmdir()
        seen.append(recorder.wait(("deleted", str(tmp_path / "sub"))))
        (tmp_path / "sub").mkdir()
        seen.append(recorder.wait(("created", str(tmp_path / "sub"))))
        (tmp_path / "sub" / "new").write_text("1")
        seen.append(recorder.wait(("created", str(tmp_path / "sub" / "new"))))
    told = {item[:3] for item in recorder.log if item[0] in ("created", "deleted")}
    assert [seen, sorted((kind, what, path[len(str(tmp_path)) :]) for kind, what, path in told)] == [
        [True] * 4,
        [("created", "dir", "/sub"), ("created", "file", "/sub/new"), ("deleted", "dir", "/sub"), ("deleted", "file", "/sub/old")],
    ]


def test_polling_tells_about_real_files(tmp_path):
    recorder, folder = Recorder(), tmp_path / "watched"
    folder.mkdir()
    (tmp_path / "one").write_text("1")
    with PollingObserver(timeout=0.05) as observer:
        watch = observer.schedule(recorder, folder)
        (tmp_path / "one").rename(folder / "one")
        seen = [recorder.wait(("created", str(folder / "one")))]
        (folder / "one").unlink()
        seen.append(recorder.wait(("deleted", str(folder / "one"))))
    kinds = [item[0] for item in recorder.log if item[1] == "file"]
    assert [seen, kinds, watch.is_recursive] == [[True, True], ["created", "deleted"], False]


def test_one_file_can_be_watched(tmp_path):
    (tmp_path / "mine").write_text("1")
    (tmp_path / "other").write_text("1")
    recorder = Recorder()
    with PollingObserver(timeout=0.05) as observer:
        observer.schedule(recorder, str(tmp_path / "mine"))
        (tmp_path / "other").write_text("22")
        (tmp_path / "mine").write_text("333")
        seen = recorder.wait(("modified", str(tmp_path / "mine")))
    assert [seen, sorted({item[2][len(str(tmp_path)) :] for item in recorder.log})] == [True, ["/mine"]]


def test_missing_paths_and_odd_intervals_are_refused(tmp_path):
    for observer in (PollingObserver(timeout=0.05), Observer()):
        with pytest.raises(OSError):
            observer.schedule(Recorder(), str(tmp_path / "none"))
            observer.start()
    with pytest.raises(TypeError):
        PollingObserver(timeout=True)
    recorder = Recorder()
    with PollingObserver(timeout=0.05) as good:
        good.schedule(recorder, str(tmp_path))
        (tmp_path / "late").write_text("1")
        seen = recorder.wait(("created", str(tmp_path / "late")))
    assert [seen, sorted({item[2][len(str(tmp_path)) :] for item in recorder.log if item[1] == "file"})] == [True, ["/late"]]
