"""The process that evaluates predicates: nothing of the subject in it, only plain data that was recorded beside it.

Run as a script by `predicates.py`, in isolated mode and under limits. Reads one JSON document from standard input and
writes one JSON line per case. Every exception of a predicate means that it does not hold.
"""

from __future__ import annotations

import json
import signal
import sys
import types
from itertools import product
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    # the package's own __init__ would load the whole program
    _package = types.ModuleType("qualityscore")
    _package.__path__ = [str(Path(__file__).resolve().parents[1])]
    sys.modules["qualityscore"] = _package
    for _name in ("judging", "inside"):
        _part = types.ModuleType(f"qualityscore.{_name}")
        _part.__path__ = [str(Path(__file__).resolve().parents[1] / _name)]
        sys.modules[f"qualityscore.{_name}"] = _part

from qualityscore.inside.decode import Opaque, decode
from qualityscore.judging.predicate_names import FUNCTIONS

PREDICATE_S = 2.0
_SHOWN = 200
_PAIRS = 2


class Undecidable(Exception):
    """An operand is missing or is not an encoding."""


class _Late(BaseException):
    pass


class Resembling(list[Any]):
    """The elements of a sequence that is no list: it may be searched, but equals only its own kind."""

    __hash__ = None

    def __init__(self, type_name: str, elements: list[Any]) -> None:
        super().__init__(elements)
        self.type_name = type_name

    __hash__ = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Resembling) and self.type_name == other.type_name and list.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __repr__(self) -> str:
        return f"{self.type_name}({list.__repr__(self)})"


def recorded(data: Any) -> Any:
    """The value that one recorded operand stands for. Raises ValueError where it stands for none."""
    if isinstance(data, dict) and data.keys() == {"like"}:
        name, inner = data["like"] if isinstance(data["like"], list) and len(data["like"]) == 2 else (None, None)
        elements = decode(inner)
        if isinstance(name, str) and isinstance(elements, list):
            return Resembling(name, elements)
        return Opaque(str(name), data)
    return decode(data)


def observations(records: list[Any]) -> dict[str, list[dict[int, Any]]]:
    """Recorded operands by assertion key. A key that was recorded again starts a further observation."""
    found: dict[str, list[dict[int, Any]]] = {}
    for key, first, values in records:
        sets = found.setdefault(key, [{}])
        if first in sets[-1]:
            sets.append({})
        for offset, value in enumerate(values):
            sets[-1][first + offset] = value
    return found


def evaluate(predicate: str, names: dict[str, Any]) -> bool:
    """Whether a predicate of one of our own suites holds. Raises whatever evaluating it raises."""
    return bool(eval(compile(predicate, "<predicate>", "eval"), {"__builtins__": {}, **FUNCTIONS, **names}))


def holds(predicate: str, operands: dict[str, Any], arguments: dict[str, str]) -> tuple[bool, str | None]:
    """Whether the predicate holds within its time, and the error that it ended with."""
    try:
        signal.setitimer(signal.ITIMER_REAL, PREDICATE_S)
        try:
            values = {name: eval(text, {"__builtins__": {}, **FUNCTIONS}) for name, text in arguments.items()}
            return evaluate(predicate, {**values, **operands}), None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _Late:
        return False, f"not decided within {PREDICATE_S:g} s"
    except RecursionError:
        return False, "nested too deeply"
    except Exception as error:
        return False, f"{type(error).__name__}: {error}"[:_SHOWN]


def judge(case: dict[str, Any]) -> list[list[Any]]:
    """[key, state, message, raised] of every assertion of a case; state is holds, fails or missing.

    `raised` names the classes of the exception that came where another one, or none, satisfies the assertion.
    """
    seen = observations(case["records"])
    verdicts = []
    for item in case["assertions"]:
        key, operands = item["key"], item["operands"] or [""]
        for values in seen.get(key, [{}]):
            state, message = _one(item, operands, values, case["arguments"], case["plain"])
            if state != "holds":
                break
        raised = _classes(values) if state == "fails" and item["kind"] == "raises" else []
        verdicts.append([key, state, message, raised])
    return verdicts


def _one(
    item: dict[str, Any], operands: list[str], values: dict[int, Any], arguments: dict[str, str], plain: bool
) -> tuple[str, str | None]:
    if not values:
        return "missing", f"{item['source']}: not recorded"
    try:
        decoded = {number: recorded(value) for number, value in values.items()}
    except (ValueError, RecursionError):
        return "fails", f"{item['source']}: what was recorded is not a value"
    if plain and any(_opaque(value) for value in decoded.values()):
        return "opaque", "an operand is not plain data"
    named = {f"operand{number}": value for number, value in decoded.items()}
    good, error = holds(item["predicate"], named, arguments)
    if error is not None and len(decoded) < len(operands):
        return "missing", f"{item['source']}: not recorded to the end"
    if good:
        return "holds", None
    return "fails", f"{item['source']}: {_got(item, operands, decoded)}{f' ({error})' if error else ''}"


def _classes(values: dict[int, Any]) -> list[str]:
    """The names of the class of a recorded exception and of its bases, none of what is no exception."""
    try:
        return [str(name) for name in recorded(values[0])[0]]
    except (TypeError, ValueError, IndexError, KeyError, AttributeError, RecursionError):
        return []


def _opaque(value: Any, depth: int = 0) -> bool:
    if isinstance(value, Opaque | Resembling) or depth > 100:
        return True
    if isinstance(value, dict):
        return any(_opaque(k, depth + 1) or _opaque(v, depth + 1) for k, v in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return any(_opaque(v, depth + 1) for v in value)
    return False


def _got(item: dict[str, Any], operands: list[str], decoded: dict[int, Any]) -> str:
    if item["kind"] == "raises":
        try:
            classes, text, _ = decoded[0]
            return f"got {classes[0].removeprefix('builtins.')}({_show(text)})" if classes else "nothing was raised"
        except (TypeError, ValueError, IndexError, KeyError, AttributeError):
            return "what was recorded is no exception"
    if len(operands) == 1:
        return f"got {_show(decoded.get(0))}"
    return "got " + ", ".join(
        f"{operands[number]} = {_show(value)}" for number, value in sorted(decoded.items()) if number < len(operands)
    )


def _show(value: Any) -> str:
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        return "a value that cannot be shown"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def guessable(case: dict[str, Any]) -> list[list[Any]]:
    """[key, the guess that satisfies it or None] of every assertion, trying the same and every pair of guesses."""
    guesses = []
    for text in case["guesses"]:
        try:
            guesses.append((text, eval(text, {"__builtins__": {}, **FUNCTIONS})))
        except Exception:  # a literal that evaluates nowhere, such as an unhashable key
            continue
    raised = [(text, value) for text, value in guesses if isinstance(value, str)]
    verdicts: list[list[Any]] = []
    for item in case["assertions"]:
        width = max(1, len(item["operands"]))
        candidates: list[tuple[str, tuple[Any, ...]]]
        if item["kind"] == "raises":
            candidates = [(text, ((tuple(case["exceptions"]), value, True),)) for text, value in raised]
        else:
            candidates = [(text, (value,) * width) for text, value in guesses]
            if width == _PAIRS:
                candidates += [(f"{a[0]}, {b[0]}", (a[1], b[1])) for a, b in product(guesses, guesses) if a is not b]
        satisfied = None
        for text, values in candidates:
            names = {f"operand{number}": value for number, value in enumerate(values)}
            if holds(item["predicate"], names, case["arguments"])[0]:
                satisfied = text
                break
        verdicts.append([item["key"], satisfied])
    return verdicts


def main() -> None:
    """Answer the document on standard input."""

    def late(_number: int, _frame: object) -> None:
        raise _Late

    signal.signal(signal.SIGALRM, late)
    document = json.loads(sys.stdin.buffer.read())
    answer = {"judge": judge, "guess": guessable}[document["mode"]]
    for number, case in enumerate(document["cases"]):
        sys.stdout.write(json.dumps([number, answer(case)]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
