"""Whether a probe was survived: the rules of scoring.md section 4, Robustness, over what was seen. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from qualityscore.inside.decode import is_trivial
from qualityscore.suites.manifest import Probe, Raised, Returned
from qualityscore.suites.observed import Ended, GaveValue, RaisedError, Seen
from qualityscore.suites.readable import same, show

_NEVER_CLEAN = ("NameError", "AssertionError", "SystemError")
_ENDINGS = {
    "hang": "did not return in time",
    "signal": "died",
    "exit": "left the process",
    "memory": "took too much memory",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One probe's outcome. `right`: the reference's value came back, or its type of exception. `seen` is for people."""

    survived: bool
    hard: bool
    right: bool
    seen: str


def judge(
    probe: Probe, seen: Seen, before: Seen | None, after: Seen | None, *, documented: Collection[str], tolerance: float
) -> Verdict:
    """The verdict over one probe.

    `before` and `after` are the entry's sensible call just before and after it (None: not known, nothing follows).
    `documented` are the exceptions that the task documents, by short or dotted name.
    """
    fault = hard_fault(probe, seen) or _leak(before, after)
    if fault is not None:
        return Verdict(survived=False, hard=True, right=False, seen=fault)
    if isinstance(seen, GaveValue):
        right = isinstance(probe.outcome, Returned) and _as_good(probe.outcome, seen, tolerance)
        shown = f"returned {show(seen.value)}" if not seen.large else "returned a large value"
        return Verdict(survived=probe.kind != "guarded", hard=False, right=right, seen=shown)
    assert isinstance(seen, RaisedError)
    unclean = why_unclean(seen, documented)
    shown = f"raised {_short(seen.type)}: {seen.text}" if seen.text else f"raised {_short(seen.type)}"
    survived = probe.kind != "valid" and unclean is None
    right = isinstance(probe.outcome, Raised) and _short(probe.outcome.type) in {_short(name) for name in seen.bases}
    return Verdict(survived=survived, hard=False, right=right, seen=f"{shown} ({unclean})" if unclean else shown)


def hard_fault(probe: Probe | None, seen: Seen) -> str | None:
    """The hard fault in one run, in words; None where there is none. Without a probe no mutation is allowed for."""
    if isinstance(seen, Ended):
        return f"{_ENDINGS[seen.how]} ({seen.detail})" if seen.detail else _ENDINGS[seen.how]
    if isinstance(seen, RaisedError):
        bases = set(seen.bases)
        if "builtins.Exception" not in bases:
            return f"left with {_short(seen.type)}"
        if "builtins.RecursionError" in bases:
            return "recursed without bound (RecursionError)"
        if "builtins.MemoryError" in bases:
            return "ran out of memory (MemoryError)"
    unasked = set(seen.mutated) - set(probe.outcome.mutates if probe else ())
    return f"changed its argument {sorted(unasked)[0]}" if unasked else None


def why_unclean(seen: RaisedError, documented: Collection[str]) -> str | None:
    """Why an exception is not a clean refusal; None where it is one."""
    bases = {_short(name) for name in seen.bases if name.startswith("builtins.")}
    for name in _NEVER_CLEAN:
        if name in bases:
            return f"a {name} is a defect, not a refusal"
    if "ImportError" in bases and not any(_short(name) in documented or name in documented for name in seen.bases):
        return "an ImportError that nothing documents"
    if "NotImplementedError" in bases and not seen.text.strip():
        return "not implemented"
    if seen.misfit:
        return "the call does not fit the signature"
    return None


def gives_evidence(probe: Probe, seen: Seen) -> bool:
    """Whether a value probe's result counts for credibility, given that it is right: it must not be trivial."""
    return probe.value and isinstance(seen, GaveValue) and (seen.large or not is_trivial(seen.value))


def equals(expected: Returned, seen: GaveValue, tolerance: float) -> bool:
    """Whether the value is the expected one: the same digest, or floats within the relative tolerance."""
    if expected.large or seen.large:
        return expected.digest == seen.digest
    return expected.digest == seen.digest or same(expected.value, seen.value, tolerance)


_OPAQUE = ("object", "class", "function", "module")


def _as_good(expected: Returned, seen: GaveValue, tolerance: float) -> bool:
    """Whether the value is the expected one as far as anything settles it: names of private functions and classes, and
    the state of objects, are the author's own."""
    if equals(expected, seen, tolerance):
        return True
    return not (expected.large or seen.large) and same(_veiled(expected.value), _veiled(seen.value), tolerance)


def _veiled(data: Any) -> Any:
    """An encoded value in which everything opaque looks alike, built-in classes excepted."""
    if isinstance(data, list):
        return [_veiled(item) for item in data]
    if not isinstance(data, dict):
        return data
    tag = next(iter(data), None)
    if tag in _OPAQUE:
        body = data[tag]
        return data if tag == "class" and str(body).startswith("builtins.") else "opaque"
    return {key: _veiled(item) for key, item in data.items()}


def _leak(before: Seen | None, after: Seen | None) -> str | None:
    if after is None:
        return None
    if isinstance(after, Ended):
        return f"a sensible call after it {_ENDINGS[after.how]}"
    if before is None or isinstance(before, Ended) or outcome_key(before) == outcome_key(after):
        return None
    return "a sensible call gives another result after it"


def outcome_key(seen: Seen) -> tuple[str, ...]:
    """What must stay equal when a run is repeated: the value, or the exception's type and text; and mutations."""
    match seen:
        case GaveValue():
            return ("returned", seen.digest, *seen.mutated)
        case RaisedError():
            return ("raised", seen.type, re.sub(r"0x[0-9a-f]+", "0x", seen.text), *seen.mutated)
        case Ended():
            return ("ended", seen.how)


def _short(name: str) -> str:
    return name.rpartition(".")[2]
