"""Properties of the watchdog task: each docstring states the documented claim."""

import stat
from fnmatch import fnmatchcase
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st
from watchdog import events
from watchdog.observers.api import ObservedWatch
from watchdog.utils.dirsnapshot import DirectorySnapshot, DirectorySnapshotDiff, EmptyDirectorySnapshot
from watchdog.utils.patterns import filter_paths, match_any_paths

NAME = st.text("abAB.1", min_size=1, max_size=4).filter(lambda name: set(name) != {"."})
PATH = st.lists(NAME, min_size=1, max_size=4).map("/".join)
NODE = st.tuples(st.integers(2, 12), st.integers(0, 3), st.integers(0, 3), st.sampled_from([0o644, 0o600]))
TREE = st.dictionaries(st.sampled_from(["/r/a", "/r/b", "/r/c", "/r/d", "/r/e"]), NODE, max_size=5).filter(
    lambda tree: len({node[0] for node in tree.values()}) == len(tree)
)
KINDS = [
    events.FileCreatedEvent,
    events.FileModifiedEvent,
    events.FileDeletedEvent,
    events.FileMovedEvent,
    events.DirCreatedEvent,
    events.DirMovedEvent,
    events.FileClosedEvent,
]
EVENT = st.builds(
    lambda kind, src, dest: kind(src, dest) if issubclass(kind, events.FileSystemMovedEvent) else kind(src),
    st.sampled_from(KINDS),
    PATH,
    PATH,
)


def snapshot(tree):
    """A snapshot of a folder with the given files: path -> inode, time, size, mode."""

    def look(path):
        inode, time, size, mode = tree.get(path, (1, 0, 0, 0o755))
        kind = stat.S_IFDIR if path == "/r" else stat.S_IFREG
        return SimpleNamespace(st_ino=inode, st_dev=5, st_mode=kind | mode, st_mtime=time, st_size=size, st_uid=0, st_gid=0)

    return DirectorySnapshot("/r", stat=look, listdir=lambda path: iter([SimpleNamespace(name=name[3:]) for name in tree]))


def by_inode(tree):
    return {node[0]: path for path, node in tree.items()}


@given(TREE)
def prop_a_snapshot_remembers_what_it_saw(tree):
    """A snapshot knows every path with its time, size, mode and inode."""
    seen = snapshot(tree)
    assert seen.paths == {"/r", *tree}
    for path, (inode, time, size, mode) in tree.items():
        assert (seen.mtime(path), seen.size(path), seen.inode(path)) == (time, size, (inode, 5))
        assert stat.S_IMODE(seen.mode(path)) == mode
        assert seen.path((inode, 5)) == path
        assert not seen.isdir(path)
    assert seen.isdir("/r")


@given(TREE, TREE)
def prop_a_comparison_finds_what_was_created_deleted_and_moved(old, new):
    """What has an inode in both is kept or moved; what has it in one only is deleted or created."""
    diff = DirectorySnapshotDiff(snapshot(old), snapshot(new))
    before, after = by_inode(old), by_inode(new)
    assert set(diff.files_moved) == {(before[i], after[i]) for i in before.keys() & after.keys() if before[i] != after[i]}
    assert set(diff.files_deleted) == {path for i, path in before.items() if i not in after}
    assert set(diff.files_created) == {path for i, path in after.items() if i not in before}


@given(TREE, TREE)
def prop_a_comparison_finds_what_was_changed(old, new):
    """Modified is what has another time or size, attrib what has another mode, each under the old path."""
    diff = snapshot(new) - snapshot(old)
    before, after = by_inode(old), by_inode(new)
    common = before.keys() & after.keys()
    assert set(diff.files_modified) == {before[i] for i in common if old[before[i]][1:3] != new[after[i]][1:3]}
    assert set(diff.files_attrib) == {before[i] for i in common if old[before[i]][3] != new[after[i]][3]}
    assert (diff.dirs_created, diff.dirs_deleted, diff.dirs_moved) == ([], [], [])


@given(TREE)
def prop_nothing_changed_against_itself_and_everything_against_nothing(tree):
    """Two equal snapshots have no differences; against an empty one everything is new or gone."""
    assert len(snapshot(tree) - snapshot(tree)) == 0
    new = snapshot(tree) - EmptyDirectorySnapshot()
    gone = DirectorySnapshotDiff(snapshot(tree), EmptyDirectorySnapshot())
    assert sorted(new.files_created) == sorted(gone.files_deleted) == sorted(tree)
    assert new.dirs_created == gone.dirs_deleted == ["/r"]


@given(st.lists(PATH, max_size=8), st.lists(NAME, max_size=3), st.lists(NAME, max_size=2))
def prop_names_match_themselves_only(paths, wanted, unwanted):
    """A pattern without wildcards matches that path alone; what is excluded is left out; the order stays."""
    unwanted = [name for name in unwanted if name not in wanted]
    chosen = list(filter_paths(paths, included_patterns=wanted, excluded_patterns=unwanted))
    assert chosen == [path for path in paths if path in wanted]
    assert match_any_paths(paths, included_patterns=wanted, excluded_patterns=unwanted) == bool(chosen)
    assert list(filter_paths(paths, excluded_patterns=unwanted)) == [path for path in paths if path not in unwanted]


@given(st.lists(PATH, max_size=8), st.text("ab.*?", min_size=1, max_size=4).filter(lambda text: "**" not in text and set(text) != {"."}))
def prop_wildcards_stay_within_one_part(paths, pattern):
    """Star and question mark match within one part of a path; after two stars as a part, any folder will do."""
    assert list(filter_paths(paths, included_patterns=[pattern])) == [p for p in paths if "/" not in p and fnmatchcase(p, pattern)]
    expected = [p for p in paths if fnmatchcase(p.rpartition("/")[2], pattern)]
    assert list(filter_paths(paths, included_patterns=["**/" + pattern])) == expected


@given(st.lists(PATH, max_size=8), NAME)
def prop_case_counts_only_if_asked(paths, name):
    """Without case_sensitive a pattern matches in upper and lower case alike."""
    lax = list(filter_paths(paths, included_patterns=[name], case_sensitive=False))
    assert lax == [path for path in paths if path.lower() == name.lower()]


@given(st.lists(EVENT, max_size=8), st.lists(NAME, min_size=1, max_size=3), st.lists(NAME, max_size=2), st.booleans(), st.sampled_from(["any", "all"]))
def prop_handlers_are_told_what_they_asked_for(made, wanted, unwanted, files_only, policy):
    """A handler with patterns is told exactly the events with a wanted path that are not to be ignored."""
    unwanted = [name for name in unwanted if name not in wanted]
    told = []

    class Noting(events.PatternMatchingEventHandler):
        def on_any_event(self, event):
            told.append(event)

    handler = Noting(patterns=wanted, ignore_patterns=unwanted, ignore_directories=files_only, case_sensitive=True, ignore_policy=policy)
    expected = []
    for event in made:
        paths = [path for path in (event.src_path, event.dest_path) if path]
        ignored = (any if policy == "any" else all)(path in unwanted for path in paths)
        if any(path in wanted for path in paths) and not ignored and not (files_only and event.is_directory):
            expected.append(event)
        handler.dispatch(event)
    assert told == expected


@given(EVENT, EVENT)
def prop_events_are_equal_by_kind_and_paths(one, other):
    """Events are equal, and hash alike, when class and paths are, also those that a handler is told."""
    told = []
    handler = events.FileSystemEventHandler()
    handler.on_any_event = told.append
    handler.dispatch(other)
    same = (type(one), one.src_path, one.dest_path) == (type(other), other.src_path, other.dest_path)
    assert (one == other) == same
    assert len({one, *told}) == (1 if same else 2)
    assert one == type(one)(one.src_path, one.dest_path)


@given(st.lists(st.tuples(PATH, st.booleans(), st.none() | st.lists(st.sampled_from(KINDS), max_size=3)), max_size=5))
def prop_watches_are_equal_by_path_and_options(options):
    """Watches of one path with the same options are equal and hash alike."""
    watches = [ObservedWatch("/none/" + path, recursive=deep, event_filter=wanted) for path, deep, wanted in options]
    keys = [(path, deep, None if wanted is None else frozenset(wanted)) for path, deep, wanted in options]
    assert len(set(watches)) == len(set(keys))
    for watch, key in zip(watches, keys):
        assert [watch == other for other in watches] == [key == other for other in keys]
