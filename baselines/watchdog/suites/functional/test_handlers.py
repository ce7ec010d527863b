"""Handlers: which method is called for which event."""

import logging

import pytest
from watchdog import events
from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirModifiedEvent,
    DirMovedEvent,
    FileAttribEvent,
    FileClosedEvent,
    FileClosedNoWriteEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileOpenedEvent,
)

METHODS = ("created", "modified", "attrib", "deleted", "moved", "opened", "closed", "closed_no_write")


def recording(base, **options):
    """A handler of a class that notes what it is told."""
    log = []

    def note(name):
        return lambda self, event: log.append(f"{name} {event.src_path}")

    methods = {f"on_{name}": note(name) for name in METHODS}
    kind = type("Recording", (base,), {**methods, "on_any_event": note("any")})
    return kind(**options), log


def told(base, made, **options):
    handler, log = recording(base, **options)
    for event in made:
        handler.dispatch(event)
    return [line.partition(" ")[2] for line in log if line.startswith("any")]


def test_every_event_reaches_its_method():
    handler, log = recording(events.FileSystemEventHandler)
    for event in (
        FileCreatedEvent("1"),
        DirModifiedEvent("2"),
        FileAttribEvent("3"),
        DirDeletedEvent("4"),
        FileMovedEvent("5", "6"),
        FileOpenedEvent("7"),
        FileClosedEvent("8"),
        FileClosedNoWriteEvent("9"),
    ):
        handler.dispatch(event)
    assert log[0::2] == ["any 1", "any 2", "any 3", "any 4", "any 5", "any 7", "any 8", "any 9"]
    assert log[1::2] == [
        "created 1",
        "modified 2",
        "attrib 3",
        "deleted 4",
        "moved 5",
        "opened 7",
        "closed 8",
        "closed_no_write 9",
    ]


def test_patterns_choose_events():
    made = [FileCreatedEvent("/a/x.py"), FileModifiedEvent("/a/b/y.py"), FileDeletedEvent("/a/z.txt"), DirCreatedEvent("/a/dir.py")]
    results = [
        told(events.PatternMatchingEventHandler, made, patterns=["**/*.py"]),
        told(events.PatternMatchingEventHandler, made, patterns=["/a/*"]),
        told(events.PatternMatchingEventHandler, made, patterns=["**/*.py"], ignore_patterns=["**/b/*"]),
        told(events.PatternMatchingEventHandler, made, patterns=["**/*.py"], ignore_directories=True),
        told(events.PatternMatchingEventHandler, made, ignore_patterns=["**/*.txt"]),
        told(events.PatternMatchingEventHandler, made),
    ]
    assert results == [
        ["/a/x.py", "/a/b/y.py", "/a/dir.py"],
        ["/a/x.py", "/a/z.txt", "/a/dir.py"],
        ["/a/x.py", "/a/dir.py"],
        ["/a/x.py", "/a/b/y.py"],
        ["/a/x.py", "/a/b/y.py", "/a/dir.py"],
        ["/a/x.py", "/a/b/y.py", "/a/z.txt", "/a/dir.py"],
    ]


def test_upper_and_lower_case():
    made = [FileCreatedEvent("/A/Read.TXT"), FileCreatedEvent("/a/read.txt")]
    results = [
        told(events.PatternMatchingEventHandler, made, patterns=["/a/*.txt"]),
        told(events.PatternMatchingEventHandler, made, patterns=["/a/*.txt"], case_sensitive=True),
        told(events.RegexMatchingEventHandler, made, regexes=["/a/.*txt"]),
        told(events.RegexMatchingEventHandler, made, regexes=["/a/.*txt"], case_sensitive=True),
    ]
    assert results == [["/A/Read.TXT", "/a/read.txt"], ["/a/read.txt"], ["/A/Read.TXT", "/a/read.txt"], ["/a/read.txt"]]


def test_both_paths_of_a_move_count():
    made = [FileMovedEvent("/in/1.log", "/out/1.tmp"), FileMovedEvent("/in/2.tmp", "/out/2.log"), DirMovedEvent("/in/3", "/out/4")]
    results = [
        told(events.PatternMatchingEventHandler, made, patterns=["**/*.log"]),
        told(events.PatternMatchingEventHandler, made, patterns=["**/*.log"], ignore_patterns=["/out/*.tmp"]),
        told(events.PatternMatchingEventHandler, made, ignore_patterns=["/in/*"], ignore_policy="any"),
        told(events.PatternMatchingEventHandler, made, ignore_patterns=["/in/*"], ignore_policy="all"),
        told(events.PatternMatchingEventHandler, made, ignore_patterns=["/in/*", "/out/*.log"], ignore_policy=events.IgnorePolicy.ALL),
    ]
    assert results == [["/in/1.log", "/in/2.tmp"], ["/in/2.tmp"], [], ["/in/1.log", "/in/2.tmp", "/in/3"], ["/in/1.log", "/in/3"]]


def test_regular_expressions_choose_events():
    made = [FileCreatedEvent("/a/x1.py"), FileModifiedEvent(b"/a/y22.py"), FileDeletedEvent("/b/x3.py"), DirCreatedEvent("/a/x4.py")]
    results = [
        told(events.RegexMatchingEventHandler, made, regexes=[r"/a/\w\d\.py$"]),
        told(events.RegexMatchingEventHandler, made, regexes=r".*\d\d"),
        told(events.RegexMatchingEventHandler, made, regexes=["/a", "/b"], ignore_regexes=[r".*x"]),
        told(events.RegexMatchingEventHandler, made, regexes=["x"]),
        told(events.RegexMatchingEventHandler, made, ignore_directories=True),
    ]
    assert results == [
        ["/a/x1.py", "/a/x4.py"],
        ["b'/a/y22.py'"],
        ["b'/a/y22.py'"],
        [],
        ["/a/x1.py", "b'/a/y22.py'", "/b/x3.py"],
    ]


def test_what_was_asked_for_can_be_read():
    pattern = events.PatternMatchingEventHandler(patterns=["*.a"], ignore_patterns=["*.b"], ignore_directories=True, ignore_policy="all")
    regex = events.RegexMatchingEventHandler(regexes=["a+", "b"], ignore_regexes=["c"], case_sensitive=True)
    assert [pattern.patterns, pattern.ignore_patterns, pattern.ignore_directories, pattern.case_sensitive, events.IgnorePolicy(pattern.ignore_policy).value] == [
        ["*.a"],
        ["*.b"],
        True,
        False,
        "all",
    ]
    assert [[item.pattern for item in regex.regexes], [item.pattern for item in regex.ignore_regexes], regex.case_sensitive] == [
        ["a+", "b"],
        ["c"],
        True,
    ]
    assert [policy.value for policy in events.IgnorePolicy] == ["any", "all"]


def test_contradictions_are_refused():
    with pytest.raises(ValueError):
        events.PatternMatchingEventHandler(patterns=["*.py", "*.c"], ignore_patterns=["*.py"])
    with pytest.raises(ValueError):
        events.PatternMatchingEventHandler(patterns=["*.PY"], ignore_patterns=["*.py"])
    with pytest.raises(ValueError):
        events.RegexMatchingEventHandler(regexes=["a.*"], ignore_regexes=["a.*"])
    with pytest.raises(ValueError):
        events.PatternMatchingEventHandler(ignore_policy="some")
    different = told(
        events.PatternMatchingEventHandler, [FileCreatedEvent("a.PY"), FileCreatedEvent("a.py")], patterns=["*.PY"], ignore_patterns=["*.py"], case_sensitive=True
    )
    assert different == ["a.PY"]


def test_events_are_written_to_a_log():
    lines = []

    class Keep(logging.Handler):
        def emit(self, record):
            lines.append(f"{record.levelname} {record.getMessage()}")

    logger = logging.Logger("private", level=logging.INFO)
    logger.addHandler(Keep())
    handler = events.LoggingEventHandler(logger=logger)
    for event in (
        FileCreatedEvent("/f"),
        DirCreatedEvent("/d"),
        FileModifiedEvent("/f"),
        FileAttribEvent("/f"),
        DirDeletedEvent("/d"),
        FileMovedEvent("/f", "/g"),
        DirMovedEvent("/d", "/e"),
        FileOpenedEvent("/g"),
        FileClosedEvent("/g"),
        FileClosedNoWriteEvent("/g"),
    ):
        handler.dispatch(event)
    assert lines == [
        "INFO Created file: /f",
        "INFO Created directory: /d",
        "INFO Modified file: /f",
        "INFO Attrib file: /f",
        "INFO Deleted directory: /d",
        "INFO Moved file: from /f to /g",
        "INFO Moved directory: from /d to /e",
        "INFO Opened file: /g",
        "INFO Closed modified file: /g",
        "INFO Closed read file: /g",
    ]
