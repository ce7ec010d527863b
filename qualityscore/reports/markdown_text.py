"""Markdown that stays what it was meant to be, whatever text stands in it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from qualityscore.reports.plain_text import inert

_SPECIAL = {ord(ch): f"&#{ord(ch)};" for ch in "\\`*_{}[]()#+-.!|~:@$^="}


def code(text: str, *, limit: int = 300) -> str:
    """`text` as code: no markup, link, mention or issue number in it has any effect, also within a table's cell."""
    shown = inert(text, limit=limit).strip()
    if not shown:
        return ""
    if any(ch in "`|\\" for ch in shown):
        return f"<code>{escape(shown, quote=False).translate(_SPECIAL)}</code>"
    return f"`{shown}`"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of cells that are Markdown already; the first column is aligned left, numbers are not."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def details(summary: str, body: str) -> str:
    """A block that opens on demand; `summary` is plain text of ours."""
    return f"<details>\n<summary>{escape(summary)}</summary>\n\n{body}\n</details>\n"
