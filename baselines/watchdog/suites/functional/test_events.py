"""Events and what they say."""

from watchdog import events

NAMES = [
    "FileCreatedEvent",
    "FileModifiedEvent",
    "FileAttribEvent",
    "FileDeletedEvent",
    "FileMovedEvent",
    "FileOpenedEvent",
    "FileClosedEvent",
    "FileClosedNoWriteEvent",
    "DirCreatedEvent",
    "DirModifiedEvent",
    "DirAttribEvent",
    "DirDeletedEvent",
    "DirMovedEvent",
]


def test_every_class_knows_its_type():
    made = [getattr(events, name)("/tmp/x") for name in NAMES]
    assert [event.event_type for event in made] == [
        "created",
        "modified",
        "attrib",
        "deleted",
        "moved",
        "opened",
        "closed",
        "closed_no_write",
        "created",
        "modified",
        "attrib",
        "deleted",
        "moved",
    ]
    assert [event.is_directory for event in made] == [False] * 8 + [True] * 5
    assert [sum(isinstance(event, events.FileSystemEvent) for event in made), sum(event.is_synthetic for event in made)] == [13, 0]


def test_events_carry_their_paths():
    moved = events.FileMovedEvent("/a/old.txt", "/a/new.txt", is_synthetic=True)
    created = events.DirCreatedEvent(b"/a/b")
    assert [moved.src_path, moved.dest_path, moved.is_synthetic, isinstance(moved, events.FileSystemMovedEvent)] == [
        "/a/old.txt",
        "/a/new.txt",
        True,
        True,
    ]
    assert [created.src_path, created.dest_path, isinstance(created, events.FileSystemMovedEvent)] == [b"/a/b", "", False]


def test_equal_events_are_equal():
    made = [
        events.FileCreatedEvent("/x"),
        events.FileCreatedEvent("/x"),
        events.FileCreatedEvent("/y"),
        events.FileModifiedEvent("/x"),
        events.DirCreatedEvent("/x"),
        events.FileMovedEvent("/x", "/y"),
        events.FileMovedEvent("/x", "/y"),
        events.FileMovedEvent("/x", "/z"),
        events.FileCreatedEvent("/x", is_synthetic=True),
    ]
    assert [made.index(event) for event in made] == [0, 0, 2, 3, 4, 5, 5, 7, 8]
    assert len(set(made)) == 7


def test_what_lies_in_a_moved_folder(tmp_path):
    new = tmp_path / "new"
    (new / "sub" / "deep").mkdir(parents=True)
    (new / "one.txt").write_text("1")
    (new / "sub" / "two.txt").write_text("2")
    made = list(events.generate_sub_moved_events("/was/here", str(new)))
    told = sorted((type(event).__name__, event.src_path, event.dest_path[len(str(new)) :], event.is_synthetic) for event in made)
    assert told == [
        ("DirMovedEvent", "/was/here/sub", "/sub", True),
        ("DirMovedEvent", "/was/here/sub/deep", "/sub/deep", True),
        ("FileMovedEvent", "/was/here/one.txt", "/one.txt", True),
        ("FileMovedEvent", "/was/here/sub/two.txt", "/sub/two.txt", True),
    ]


def test_what_lies_in_a_new_folder(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_text("x")
    (tmp_path / "top").write_text("y")
    made = list(events.generate_sub_created_events(str(tmp_path)))
    told = sorted((event.event_type, event.is_directory, event.src_path[len(str(tmp_path)) :], event.is_synthetic) for event in made)
    assert told == [
        ("created", False, "/a/b/file", True),
        ("created", False, "/top", True),
        ("created", True, "/a", True),
        ("created", True, "/a/b", True),
    ]
