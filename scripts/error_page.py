"""Writes docs/reference/errors.md from the error tree, so that the page cannot lag behind the code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from qualityscore.errors import QualityScoreError

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "errors.md"


def page() -> str:
    """The page's text: one row per error, in the order of the codes."""
    lines = [
        "# Errors",
        "",
        "Every error that a person can meet has a stable code. The message says what was wrong, where, and what to do;",
        "the exit code says what kind of thing went wrong. This page is generated from `qualityscore/errors.py`.",
        "",
        "| code | exit | name | meaning |",
        "|---|---|---|---|",
    ]
    for kind in sorted(_tree(QualityScoreError), key=lambda k: k.code):
        meaning = " ".join((kind.__doc__ or "").split())
        lines.append(f"| {kind.code} | {kind.exit_code} | `{kind.__name__}` | {meaning} |")
    return "\n".join(lines) + "\n"


def _tree(kind: type[QualityScoreError]) -> Iterator[type[QualityScoreError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _tree(child)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    sys.stdout.write(f"wrote {PAGE.name}\n")
