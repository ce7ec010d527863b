"""What a probe was seen to do on a subject, read from messages that the subject's process wrote.

Nothing about a message is trusted: one that is not well-formed, or that nobody asked for, is evidence and no
observation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from qualityscore.inside.decode import decode, parse
from qualityscore.inside.encode import digest
from qualityscore.suites.manifest import bears

LEVELS = 300
"""Levels of JSON objects and arrays that an observed value may have: `inside/encode.py` gives at most 64 levels of
values with up to four each. What is deeper was not written by it, and comparing it would pass the interpreter's limit.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class GaveValue:
    """It returned. `value` is the encoded value, None with `large` where it was not sent whole.

    `echo` says that it equals an argument (told only where probes are built).
    """

    digest: str
    value: Any
    large: bool
    mutated: tuple[str, ...] = ()
    echo: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RaisedError:
    """It raised. `bases` are the names of the exception's class and its bases, `frames` the last of the traceback."""

    type: str
    bases: tuple[str, ...]
    text: str
    misfit: bool
    stage: Literal["setup", "call"] = "call"
    frames: tuple[tuple[str, int, str], ...] = ()
    mutated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """Its process ended while it ran."""

    how: Literal["hang", "signal", "exit", "memory"]
    detail: str


Seen = GaveValue | RaisedError | Ended


@dataclass(slots=True, kw_only=True)
class UnitRecord:
    """All that one process of one entry reported, by probe index, and what in it was out of order."""

    sensible: Seen | None = None
    probes: dict[int, Seen] = field(default_factory=dict)
    after: dict[int, Seen] = field(default_factory=dict)
    cpu_s: dict[int, float] = field(default_factory=dict)
    effects: dict[int, tuple[str, ...]] = field(default_factory=dict)
    complete: bool = False
    odd: list[str] = field(default_factory=list)


class _Exception(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    type: str
    bases: list[str]
    text: str
    misfit: bool
    frames: list[Annotated[list[str | int], Field(min_length=3, max_length=3)]]


class _Seen(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    stage: Literal["setup", "call"]
    cpu_s: float
    mutated: list[str]
    digest: str | None = None
    value: Any = None
    large: bool = False
    iterator: bool = False
    effects: list[str] = []
    echo: bool = False
    chance: bool = False
    raised: _Exception | None = None


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    sensible: _Seen | None = None
    probe: int | None = None
    after: int | None = None
    seen: _Seen | None = None
    end: Literal[True] | None = None


def read_unit(messages: Iterable[bytes], asked: Iterable[int]) -> UnitRecord:
    """The record of one unit. `asked` are the indices that it was given, in order."""
    record = UnitRecord()
    wanted = set(asked)
    for raw in messages:
        try:
            message = _message(raw)
            sensible = None if message.sensible is None else _seen(message.sensible)
            seen = None if message.seen is None else _seen(message.seen)
        except ValueError as error:
            record.odd.append(f"a message that cannot be read: {error}")
            continue
        if message.end:
            record.complete = True
        elif sensible is not None and record.sensible is None:
            record.sensible = sensible
        elif message.probe in wanted and message.probe not in record.probes and message.seen and seen is not None:
            record.probes[message.probe] = seen
            record.cpu_s[message.probe] = message.seen.cpu_s
            record.effects[message.probe] = tuple(message.seen.effects) + ("chance",) * message.seen.chance
        elif message.after in record.probes and message.after not in record.after and seen is not None:
            record.after[message.after] = seen
        else:
            record.odd.append("a message that nobody asked for")
    if record.complete and (record.probes.keys() != wanted or record.after.keys() != wanted):
        record.odd.append("said that it had run to the end and had not")
        record.complete = False
    return record


def _message(raw: bytes) -> _Message:
    """Raises ValueError (pydantic's is one) for anything that is not a message."""
    message = _Message.model_validate(parse(raw))
    for seen in (message.sensible, message.seen):
        if seen is None:
            continue
        if (seen.digest is None) == (seen.raised is None):
            raise ValueError("neither a value nor an exception")
        if seen.value is not None:
            if not bears(seen.value, LEVELS):
                raise ValueError("nested too deeply")
            decode(seen.value)
    return message


def _seen(seen: _Seen) -> Seen:
    """Raises ValueError where a frame has no line."""
    mutated = tuple(seen.mutated)
    if seen.raised is not None:
        error = seen.raised
        return RaisedError(
            type=error.type,
            bases=tuple(error.bases),
            text=error.text,
            misfit=error.misfit,
            stage=seen.stage,
            frames=tuple((str(file), int(line), str(function)) for file, line, function in error.frames),
            mutated=mutated,
        )
    # a brief observation has no value; a whole one is digested here, not where it was made
    whole = not seen.large and (seen.value is not None or seen.digest == _DIGEST_OF_NONE)
    return GaveValue(
        digest=digest(seen.value) if whole else str(seen.digest),
        value=seen.value if whole else None,
        large=not whole,
        mutated=mutated,
        echo=seen.echo,
    )


_DIGEST_OF_NONE = digest(None)
