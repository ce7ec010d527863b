"""Predicates over recorded operands, evaluated in a limited process of our own that holds nothing of the subject."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from qualityscore.errors import ToolError
from qualityscore.judging import evaluator
from qualityscore.judging.lowered import Lowered
from qualityscore.runtime.process import Exited, Limits, OutputFlooded, TimedOut, run

_OUTPUT_BYTES = 64 << 20
_BASE_S = 30.0

State = Literal["holds", "fails", "missing", "opaque"]
Record = tuple[str, int, tuple[Any, ...]]  # key, number of the first operand, encoded operands


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What one test recorded, and what must hold of it; `arguments` are the judge's values of parameters."""

    lowered: tuple[Lowered, ...]
    records: tuple[Record, ...]
    arguments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One assertion. `message` says for a person what was expected and what was got, unless it holds.

    `raised` names the class of an exception that came instead of the one required, and its bases.
    """

    key: str
    state: State
    message: str | None = None
    raised: tuple[str, ...] = ()


def judge(cases: Sequence[Case], *, plain: bool = False) -> tuple[tuple[Verdict, ...], ...]:
    """Evaluate every assertion of every case. A predicate that raises, or takes too long, does not hold.

    With `plain`, an assertion with an operand that is no plain data is `opaque` instead. A case that breaks the
    evaluating process fails as a whole, alone. Raises ToolError when the process cannot be started at all.
    """
    documents = [
        {
            "assertions": [_document(item) for item in case.lowered],
            "records": case.records,
            "arguments": dict(case.arguments),
            "plain": plain,
        }
        for case in cases
    ]
    verdicts = []
    for case, answer in zip(cases, evaluate("judge", documents), strict=True):
        broken: list[list[Any]] = [
            [item.key, "fails", f"{item.source}: broke the evaluation", []] for item in case.lowered
        ]
        verdicts.append(
            tuple(
                Verdict(key=key, state=state, message=message, raised=tuple(raised))
                for key, state, message, raised in (broken if answer is None else answer)
            )
        )
    return tuple(verdicts)


def _document(item: Lowered) -> dict[str, Any]:
    return {name: value for name, value in asdict(item).items() if name in _SENT}


_SENT = frozenset({"key", "kind", "predicate", "operands", "source"})


def evaluate(mode: str, cases: Sequence[dict[str, Any]]) -> list[list[list[Any]] | None]:
    """The evaluating process's answer per case; None where the case broke it. Raises ToolError if it never starts."""
    answers: list[list[list[Any]] | None] = [None] * len(cases)
    start = 0
    while start < len(cases):
        raw = _run(json.dumps({"mode": mode, "cases": list(cases[start:])}).encode(), len(cases) - start)
        done = 0
        for line in raw.splitlines():
            number, answer = json.loads(line)
            answers[start + number] = answer
            done = number + 1
        start += done + 1 if done < len(cases) - start else done
    return answers


def _run(document: bytes, cases: int) -> bytes:
    wall = _BASE_S + cases
    limits = Limits(
        wall_s=wall,
        cpu_s=wall,
        memory_bytes=1 << 30,
        processes=None,
        file_size_bytes=0,
        open_files=32,
        output_bytes=_OUTPUT_BYTES,
    )
    outcome = run(
        [sys.executable, "-I", "-B", str(Path(evaluator.__file__).resolve())],
        env={"LANG": "C.UTF-8", "PYTHONHASHSEED": "0"},
        cwd=Path(tempfile.gettempdir()),
        limits=limits,
        stdin=document,
    )
    match outcome:
        case Exited(code=code, stdout=out, stderr=err):
            if code not in {0, -6, -9, -11} and not out and b"MemoryError" not in err:
                raise ToolError(
                    f"the evaluation of predicates ended with code {code}: {err[-300:].decode(errors='replace')}"
                )
            return _whole_lines(out)
        case TimedOut(stdout=out) | OutputFlooded(stdout=out):
            return _whole_lines(out)


def _whole_lines(out: bytes) -> bytes:
    return out[: out.rfind(b"\n") + 1]
