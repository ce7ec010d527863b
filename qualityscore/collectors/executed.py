"""Texts that the subject executed: files like any other for all tools, whose findings stand where they are executed."""

from __future__ import annotations

import ast
import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from qualityscore.collectors.context import StaticFacts
from qualityscore.languages.python_source import printable
from qualityscore.model.finding import Finding
from qualityscore.model.outcome import ExecutedText

_FOLDER = "executed_texts"
_NAMELESS = frozenset({"E0602", "QSN001"})  # its names come from where it is executed
_VALUELESS = frozenset({"W0104", "W0106"})  # the value of an expression is what it is evaluated for


@contextlib.contextmanager
def as_files(texts: Iterable[ExecutedText], root: Path) -> Iterator[dict[str, tuple[str, ExecutedText]]]:
    """By name, the path below `root` at which a text can be read within the block."""
    folder = _FOLDER
    while os.path.lexists(root / folder):
        folder += "_"
    written: dict[str, tuple[str, ExecutedText]] = {}
    try:
        for text in texts:
            path = root / folder / f"text_{text.name[6:-1]}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text.source)
            written[text.name] = (f"{folder}/{path.name}", text)
        yield written
    finally:
        shutil.rmtree(root / folder, ignore_errors=True)


def without_names(facts: StaticFacts, texts: Mapping[str, ExecutedText]) -> StaticFacts:
    """The facts less what a tool says of a text only since it does not see the names and the use around it."""
    files = []
    for file in facts.files:
        text = texts.get(file.path)
        dropped = frozenset() if text is None else _dropped(text)
        files.append(replace(file, messages=tuple(m for m in file.messages if m.id not in dropped)))
    return replace(facts, files=tuple(files))


def named(findings: Iterable[Finding], texts: Mapping[str, ExecutedText]) -> tuple[Finding, ...]:
    """An analyser's findings less those about names in texts."""
    return tuple(f for f in findings if f.path not in texts or f.code not in _NAMELESS)


def located(finding: Finding, texts: Mapping[str, ExecutedText]) -> Finding:
    """A finding in a text, at the place where the text is executed."""
    text = texts.get(finding.path or "")
    if text is None:
        return finding
    return replace(
        finding,
        path=printable(text.path),
        line=text.line,
        column=None,
        end_line=None,
        message=f"In a text that is executed here, line {finding.line}: {finding.message}",
    )


def _dropped(text: ExecutedText) -> frozenset[str]:
    try:
        ast.parse(text.source, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _NAMELESS
    return _NAMELESS | _VALUELESS
