"""One parse of one file for everything that can share it: units, imports, dynamic code, suppressions, bandit.

Runs in a worker and answers in plain JSON data, which `file_facts.py` reads back; imports nothing that a worker does
not need.
"""

from __future__ import annotations

import ast
import base64
import re
from array import array
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from qualityscore.collectors import bandit_tool
from qualityscore.collectors.dynamic_code import dynamic_code
from qualityscore.collectors.hidden_code import hidden_code
from qualityscore.languages.python_imports import imports_of
from qualityscore.languages.python_source import (
    RawFile,
    SourceFile,
    Unparsable,
    count_code_lines,
    decode_file,
    parse,
    read_raw,
)
from qualityscore.languages.python_units import Comment, Unit, Units, measure_units

_SUPPRESSION = re.compile(
    r"#\s*(pylint:\s*(disable|skip-file|enable)|nosec\b|(ruff:\s*|flake8:\s*)?noqa\b|type:\s*ignore\b"
    r"|(mypy|pyright):\s*(ignore|disable|basic))",
    re.IGNORECASE,
)


def prepare() -> None:
    """Load the tools. Raises whatever a broken installation raises."""
    bandit_tool.prepare()


def observe(root: str, path: str) -> dict[str, Any]:
    """Facts of one file, without its path: they depend on its content alone."""
    file = read_raw(Path(root), path)
    source = decode_file(file) if isinstance(file, RawFile) else file
    if isinstance(source, Unparsable):
        return {"unparsable": _plain(source)}
    tree = parse(source)
    if isinstance(tree, Unparsable):
        return {"unparsable": _plain(tree)}
    measured = measure_units(source, tree)
    if isinstance(measured, Unparsable):
        return {"unparsable": _plain(measured)}
    facts: dict[str, Any] = {
        "unparsable": None,
        "units": [_plain_unit(unit) for unit in measured.units],
        "references": [sorted(names) for names in _references(tree, measured)],
        "imports": [[i.module, i.name, i.level, i.line, i.typing_only] for i in imports_of(tree)],
        "dynamic": [[d.line, d.column, d.end_line, d.builtin, d.called, d.literal] for d in dynamic_code(source, tree)],
        "suppressions": [[c.line, c.text] for c in measured.comments if _is_suppression(c)],
        "issues": [],
    }
    try:
        facts["issues"] = bandit_tool.scan(source.raw, tree)  # last: bandit writes into the tree
    except (RecursionError, bandit_tool.CheckFailedError) as error:
        facts["unparsable"] = _plain(_gave_up(source, "bandit", error))
    return facts


def observe_data(root: str, path: str, name: str) -> str | None:
    """What kind of code the data file at `path` keeps, None for none; `name` is its path in the repository."""
    file = read_raw(Path(root), path)
    return hidden_code(replace(file, path=name)) if isinstance(file, RawFile) else None


def _gave_up(source: SourceFile, tool: str, error: Exception) -> Unparsable:
    reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
    return Unparsable(
        path=source.path,
        tool=tool,
        reason=reason,
        line=1,
        code_lines=count_code_lines(source.raw),
        digest=source.digest,
    )


def _is_suppression(comment: Comment) -> bool:
    return _SUPPRESSION.search(comment.text) is not None


def _references(tree: ast.Module, measured: Units) -> list[set[str]]:
    """Per unit, the names and attributes that it reads (used where no trace says what is in use)."""
    found: list[set[str]] = [set() for _ in measured.units]
    owner = [0] * (measured.units[0].end_line + 2)
    for number, unit in enumerate(measured.units[1:], start=1):
        owner[unit.line : unit.end_line + 1] = [number] * (unit.end_line + 1 - unit.line)
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load(), lineno=line) | ast.Attribute(attr=name, ctx=ast.Load(), lineno=line):
                found[owner[line]].add(name)
    return found


def _plain(unparsable: Unparsable) -> dict[str, Any]:
    return {key: value for key, value in asdict(unparsable).items() if key not in ("path", "digest")}


def _plain_unit(unit: Unit) -> list[Any]:
    codes = base64.b64encode(array("I", unit.codes).tobytes()).decode()
    return [unit.qualname, unit.line, unit.end_line, unit.tokens, unit.complexity, unit.volume, codes]
