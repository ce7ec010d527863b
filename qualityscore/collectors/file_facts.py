"""What a worker observed in a file, read back from plain data."""

from __future__ import annotations

import base64
from array import array
from dataclasses import replace
from typing import Any

from qualityscore.collectors.context import FileFacts, LintMessage, SecurityIssue
from qualityscore.collectors.dynamic_code import DynamicCode
from qualityscore.languages.python_imports import Import
from qualityscore.languages.python_source import Unparsable, printable
from qualityscore.languages.python_units import Unit
from qualityscore.model.finding import Suppression


def decode_facts(path: str, digest: str, facts: dict[str, Any]) -> FileFacts:
    """Facts as `observe.observe` gave them, for the file at `path`."""
    lost = facts["unparsable"]
    unparsable = None if lost is None else Unparsable(path=path, digest=digest, **lost)
    if "units" not in facts:
        return FileFacts(path=path, digest=digest, unparsable=unparsable)
    return FileFacts(
        path=path,
        digest=digest,
        unparsable=unparsable,
        units=tuple(_unit(unit) for unit in facts["units"]),
        references=tuple(frozenset(names) for names in facts["references"]),
        imports=tuple(
            Import(module=module, name=name, level=level, line=line, typing_only=typing_only)
            for module, name, level, line, typing_only in facts["imports"]
        ),
        dynamic=tuple(
            DynamicCode(line=line, column=column, end_line=end_line, builtin=builtin, called=called, literal=literal)
            for line, column, end_line, builtin, called, literal in facts["dynamic"]
        ),
        issues=tuple(
            SecurityIssue(
                id=id_,
                check=check,
                severity=severity,
                confidence=confidence,
                line=line,
                column=column,
                end_line=end_line,
                text=text,
            )
            for id_, check, severity, confidence, line, column, end_line, text in facts["issues"]
        ),
        suppressions=tuple(
            Suppression(path=printable(path), line=line, text=text) for line, text in facts["suppressions"]
        ),
    )


def _unit(plain: list[Any]) -> Unit:
    qualname, line, end_line, tokens, complexity, volume, codes = plain
    return Unit(
        qualname=qualname,
        line=line,
        end_line=end_line,
        tokens=tokens,
        complexity=complexity,
        volume=volume,
        codes=tuple(array("I", base64.b64decode(codes))),
    )


def with_lint(facts: FileFacts, answer: dict[str, Any], code_lines: int) -> FileFacts:
    """Add what `pylint_tool.lint` answered; `code_lines` is the file's size should pylint have given up."""
    gave_up = answer["gave_up"]
    if gave_up is not None:
        _, symbol, line, column, text = gave_up
        return without(
            facts, tool="pylint", reason=f"{symbol}: {text}", code_lines=code_lines, line=line, column=column
        )
    messages = tuple(
        LintMessage(id=id_, symbol=symbol, line=line, column=column, text=text)
        for id_, symbol, line, column, text in answer["messages"]
    )
    return replace(facts, messages=messages)


def without(
    facts: FileFacts, *, tool: str, reason: str, code_lines: int = 0, line: int = 1, column: int | None = None
) -> FileFacts:
    """The facts of a file that a further tool gave up on; the first that gave up stays the one that is named."""
    if facts.unparsable is not None:
        return facts
    unparsable = Unparsable(
        path=facts.path,
        tool=tool,
        reason=reason,
        line=line,
        column=column,
        code_lines=code_lines,
        digest=facts.digest,
    )
    return replace(facts, unparsable=unparsable)
