"""What a zygote or a unit of the functional stage sent, read as the foreign data that it is.

A message that is not well-formed is no message: decoding never raises, and what it gives can fail a test but never
pass one by itself.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from qualityscore.judging.predicates import Record
from qualityscore.model.bounds import LAST_LINE, is_relative
from qualityscore.model.outcome import Location

_MOST_FRAMES = 60
_TEXT = 4000
_SOURCE_BYTES = 4 << 20  # of an executed text; its sender has the same limit
MALFORMED = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
"""What reading a document of the wrong shape raises."""

Place = Literal["subject", "suite", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One frame of a traceback; `path` is relative to the subject's or the suite's folder where `place` says so."""

    place: Place
    path: str
    line: int | None
    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """An exception as the child described it. `bases` are its classes' full names, most derived first."""

    type: str
    bases: tuple[str, ...]
    text: str
    frames: tuple[Frame, ...]
    phase: str = "call"
    module: str | None = None  # of an ImportError
    syntax: Frame | None = None  # where a SyntaxError lies
    subjects_object: bool = False  # an AttributeError on an instance of a class of the subject
    subjects_module: bool = False  # an AttributeError on a module of the subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """What a traced item entered: functions as (path, line, qualified name), surface entries, files run as code.

    `texts`: source that the subject executed, as (path and line of who did, text). `unread`: code that is in no file
    and no text, or not in the file that it names. `evasions`: what the subject did to go unseen.
    """

    functions: tuple[tuple[str, int, str], ...]
    entries: tuple[str, ...]
    files: tuple[str, ...]
    texts: tuple[tuple[str, int, bytes], ...]
    unread: tuple[tuple[str, int, str], ...]
    evasions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One item's message. `outcome` is what the item came to by its own account."""

    outcome: Literal["passed", "failed", "skipped", "absent", "incomplete"]
    raised: Raised | None
    records: tuple[Record, ...]
    traced: Traced | None = None
    changed: tuple[
        tuple[str, Location | None], ...
    ] = ()  # replaced parts of the test machinery, by what of the subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """A zygote's message: the items it collected, or why it could not; the rest as in `Traced`."""

    items: tuple[str, ...] | None
    raised: Raised | None
    files: tuple[str, ...] = ()
    texts: tuple[tuple[str, int, bytes], ...] = ()
    unread: tuple[tuple[str, int, str], ...] = ()


def read_observation(messages: tuple[bytes, ...]) -> Observation | None:
    """The observation in a unit's messages; None unless there is exactly one and it is well-formed."""
    document = one_document(messages)
    if document is None:
        return None
    try:
        if document.get("absent") is True:
            return Observation(outcome="absent", raised=None, records=())
        phases = [_phase(entry) for entry in document["phases"]]
        return Observation(
            outcome=_outcome(phases),
            raised=read_raised(document["failure"]),
            records=tuple(_record(entry) for entry in document["records"]),
            traced=_traced(document.get("trace")),
            changed=tuple(_changed(*entry) for entry in document.get("changed", [])),
        )
    except MALFORMED:
        return None


def read_collected(messages: tuple[bytes, ...]) -> Collected | None:
    """What a zygote said about its collection; None where it said nothing well-formed."""
    document = one_document(messages[:1])
    if document is None:
        return None
    try:
        if "collection" in document:
            return Collected(items=None, raised=read_raised(document["collection"]))
        return Collected(
            items=_texts(document["items"]),
            raised=None,
            files=_texts(document["files"]),
            texts=_sources(document["texts"]),
            unread=_functions(document["unread"]),
        )
    except MALFORMED:
        return None


def one_document(messages: Sequence[bytes]) -> dict[str, Any] | None:
    """The JSON object that is the only message; None where there are several, or it is something else."""
    if len(messages) != 1:
        return None
    try:
        document = json.loads(messages[0])
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _phase(entry: Any) -> tuple[str, str, bool]:
    when, outcome, xfail = entry
    if outcome not in {"passed", "failed", "skipped"} or not isinstance(when, str):
        raise ValueError("not a phase")
    return when, outcome, xfail is True


def _outcome(phases: list[tuple[str, str, bool]]) -> Literal["passed", "failed", "skipped", "incomplete"]:
    if any(outcome == "failed" for _, outcome, _ in phases):
        return "failed"
    if any(outcome == "skipped" for _, outcome, _ in phases):
        return "skipped"
    if {when for when, _, _ in phases} >= {"setup", "call", "teardown"} and not any(x for _, _, x in phases):
        return "passed"
    return "incomplete"


def _record(entry: Any) -> Record:
    key, first, values = entry
    if not isinstance(key, str) or type(first) is not int or not isinstance(values, list):
        raise ValueError("not a record")
    return key, first, tuple(values)


def read_raised(entry: Any) -> Raised | None:
    """A described exception. Raises one of MALFORMED where `entry` is none."""
    if entry is None:
        return None
    location = entry.get("location")
    module = entry.get("module")
    return Raised(
        type=_text(entry["type"]),
        bases=tuple(_text(base) for base in entry["bases"][:30]),
        text=_text(entry["text"]),
        frames=tuple(_frame(frame) for frame in entry["frames"][-_MOST_FRAMES:]),
        phase=_text(entry.get("phase", "call")),
        module=_text(module) if module is not None else None,
        syntax=_frame([*location, ""]) if location is not None else None,
        subjects_object=entry.get("subjects_object") is True,
        subjects_module=entry.get("subjects_module") is True,
    )


def _changed(name: Any, path: Any, line: Any) -> tuple[str, Location | None]:
    if path is None:
        return _text(name), None
    return _text(name), Location(path=_below(_text(path)), line=_line(line))


def _frame(entry: Any) -> Frame:
    place, path, line, function = entry
    if place not in {"subject", "suite", "other"}:
        raise ValueError("not a frame")
    shown = _below(_text(path)) if place == "subject" else _text(path)
    return Frame(place=place, path=shown, line=_line(line), function=_text(function))


def _line(line: Any) -> int | None:
    return line if type(line) is int and 1 <= line <= LAST_LINE else None


def _below(path: str) -> str:
    """The path, or the whole project where it leads out of it: code names its own file, whatever that is."""
    return path if is_relative(path) else "."


def _traced(entry: Any) -> Traced | None:
    if entry is None:
        return None
    return Traced(
        functions=_functions(entry["functions"]),
        entries=_texts(entry["entries"]),
        files=_texts(entry["files"]),
        texts=_sources(entry["texts"]),
        unread=_functions(entry["unread"]),
        evasions=_texts(entry["evasions"]),
    )


def _functions(entries: Any) -> tuple[tuple[str, int, str], ...]:
    functions = []
    for path, line, name in entries:
        if type(line) is not int:
            raise ValueError("not a line")
        functions.append((_below(_text(path)), min(line, LAST_LINE), _text(name)))
    return tuple(functions)


def _sources(entries: Any) -> tuple[tuple[str, int, bytes], ...]:
    sources = []
    for path, line, packed in entries:
        if type(line) is not int:
            raise ValueError("not a line")
        unpacking = zlib.decompressobj()
        try:
            source = unpacking.decompress(base64.b64decode(packed, validate=True), _SOURCE_BYTES)
        except (zlib.error, binascii.Error) as error:
            raise ValueError("not a text") from error
        sources.append((_below(_text(path)), max(1, min(line, LAST_LINE)), source))
    return tuple(sources)


def _texts(entries: Any) -> tuple[str, ...]:
    return tuple(_text(entry) for entry in entries)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("not text")
    # what cannot be encoded could not be written into a report either
    return value[:_TEXT].encode("utf-8", "replace").decode()
