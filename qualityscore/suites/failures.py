"""Failure classes of scoring.md section 8, from what an exception, a verdict or the end of a process showed."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from qualityscore.model.outcome import Failure, FailureClass, Location
from qualityscore.runtime.supervision import GroupEvent, GroupState, UnitEvent
from qualityscore.suites.observation import Frame, Raised

_SHOWN = 600
_SIGNATURE = re.compile(
    r"unexpected keyword argument|positional-only|takes (?:no|exactly|from|at most|\d+) .*argument"
    r"|missing \d+ required|multiple values for|takes no arguments"
)
_UNSTABLE = frozenset({"crash", "exit", "hang", "memory"})
_ASSERTION = "builtins.AssertionError"


def is_stable(failure: Failure | None) -> bool:
    """Whether a test ran to a verdict: no import failure, crash, exit, hang or memory limit kept it from one."""
    if failure is None:
        return True
    return failure.class_name is not FailureClass.EXECUTABILITY and failure.subclass not in _UNSTABLE


def of_verdict(message: str, *, raises: bool, raised: Sequence[str] = ()) -> Failure:
    """A predicate that does not hold; `raised` names the classes of the exception that came instead of another."""
    kind = _by_type(set(raised)) or (FailureClass.MISMATCH, "wrong_exception" if raises else "wrong_value")
    return Failure(class_name=kind[0], subclass=kind[1], message=message[:_SHOWN])


def of_exception(raised: Raised) -> Failure:
    """An exception that ended a test."""
    class_name, subclass = _kind(raised)
    short = raised.type.rpartition(".")[2] if raised.type.startswith("builtins.") else raised.type
    message = f"{short}: {raised.text}" if raised.text else short
    return Failure(class_name=class_name, subclass=subclass, message=message[:_SHOWN], location=_location(raised))


def of_collection(raised: Raised) -> Failure:
    """An exception that kept a suite file from being collected: always the executability of the subject."""
    _, subclass = _kind(raised)
    if raised.type == "Foreign":
        subclass = "missing_module"
    if subclass not in {"syntax", "missing_module", "missing_name"}:
        subclass = "broken_import" if subject_location(raised.frames) else "collection"
    short = raised.type.removeprefix("builtins.")
    message = raised.text if short == "Foreign" else f"{short}: {raised.text}" if raised.text else short
    return Failure(
        class_name=FailureClass.EXECUTABILITY, subclass=subclass, message=message[:_SHOWN], location=_location(raised)
    )


def of_group(event: GroupEvent) -> Failure:
    """A preparation that ended without an explanation of its own."""
    if event.state is GroupState.TIMEOUT:
        return _executability("broken_import", "importing the subject did not end within the limit")
    if event.signal is not None:
        return _executability("broken_import", f"importing the subject ended the interpreter by signal {event.signal}")
    return _executability("broken_import", f"importing the subject ended the process with status {event.exit}")


def of_unit(event: UnitEvent) -> Failure | None:
    """How a process ended, where that decides the test; None for a normal end."""
    if event.timed_out:
        return _non_functional("hang", f"did not end within {event.duration_s:.1f} s")
    if event.oom:
        return _non_functional("memory", "took more memory than the limit")
    if event.zygote_lost or event.prepare_failed:
        return _executability("broken_import", "the process that had imported the subject was lost")
    if event.overflow:
        return _non_functional("memory", "recorded more than can be taken in")
    if event.signal is not None:
        return _non_functional("crash", f"the interpreter was ended by signal {event.signal}")
    if event.exit != 0:
        return _non_functional("exit", f"the process ended with status {event.exit}")
    return None


def silent_exit() -> Failure:
    """A process that left with status 0 before its test had ended."""
    return _non_functional("exit", "the process ended with status 0 before the test had")


def out_of_time() -> Failure:
    """A test that the suite's total time limit kept from running."""
    return _non_functional("hang", "not run: the suite's total time limit was spent")


def absent() -> Failure:
    """A test that the suite, collected on the subject, does not have."""
    return _executability("collection", "the test was not collected")


def skipped(raised: Raised | None) -> Failure:
    """A test that skips on the subject and does not on the reference."""
    detail = f": {raised.text}" if raised and raised.text else ""
    return Failure(
        class_name=FailureClass.MISMATCH, subclass="unexpected_exception", message=f"skipped itself{detail}"[:_SHOWN]
    )


def _kind(raised: Raised) -> tuple[FailureClass, str]:
    bases = set(raised.bases)
    mismatch, broken = FailureClass.MISMATCH, FailureClass.EXECUTABILITY
    if "builtins.SyntaxError" in bases and raised.syntax is not None and raised.syntax.place == "subject":
        return broken, "syntax"
    if "builtins.ImportError" in bases and raised.text.startswith("cannot import name"):
        return broken, "missing_name"
    by_type = _by_type(bases)
    if by_type is not None:
        return by_type
    deepest = raised.frames[-1].place if raised.frames else "suite"
    if deepest != "subject" and (_ASSERTION in bases or "_pytest.outcomes.OutcomeException" in bases):
        did_not_raise = raised.text.startswith("DID NOT RAISE") or " not raised" in raised.text
        return mismatch, "wrong_exception" if did_not_raise else "wrong_value"
    if is_late_program(raised):
        return FailureClass.NON_FUNCTIONAL, "hang"
    if "builtins.AttributeError" in bases:
        if raised.subjects_module or deepest == "suite":
            return mismatch, "missing_attribute"
        if raised.subjects_object:
            return mismatch, "inconsistent_field"
    if "builtins.TypeError" in bases and deepest == "suite" and _SIGNATURE.search(raised.text):
        return mismatch, "signature"
    return mismatch, "unexpected_exception"


def is_late_program(raised: Raised | None) -> bool:
    """Whether a program that the test ran, and waited for, did not end in the time that the test gives it."""
    if raised is None or "subprocess.TimeoutExpired" not in raised.bases:
        return False
    return not raised.frames or raised.frames[-1].place != "subject"


def _by_type(bases: Set[str]) -> tuple[FailureClass, str] | None:
    """What an exception means wherever it comes from: code that is not there, or a limit that was met."""
    if "builtins.ModuleNotFoundError" in bases:
        return FailureClass.EXECUTABILITY, "missing_module"
    if "builtins.ImportError" in bases:
        return FailureClass.EXECUTABILITY, "broken_import"
    if "builtins.MemoryError" in bases:
        return FailureClass.NON_FUNCTIONAL, "memory"
    if "builtins.RecursionError" in bases:
        return FailureClass.NON_FUNCTIONAL, "recursion"
    if bases & {"builtins.SystemExit", "builtins.KeyboardInterrupt"}:
        return FailureClass.NON_FUNCTIONAL, "exit"
    return None


def subject_location(frames: Sequence[Frame]) -> Location | None:
    """The deepest frame inside the subject."""
    for frame in reversed(frames):
        if frame.place == "subject":
            return Location(path=frame.path, line=frame.line, function=frame.function)
    return None


def _location(raised: Raised) -> Location | None:
    if raised.syntax is not None and raised.syntax.place == "subject":
        return Location(path=raised.syntax.path, line=raised.syntax.line)
    return subject_location(raised.frames)


def _non_functional(subclass: str, message: str) -> Failure:
    return Failure(class_name=FailureClass.NON_FUNCTIONAL, subclass=subclass, message=message)


def _executability(subclass: str, message: str) -> Failure:
    return Failure(class_name=FailureClass.EXECUTABILITY, subclass=subclass, message=message)
