"""Tables as text: for a terminal, as Markdown, as CSV."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from io import StringIO

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from qualityscore.reports.plain_text import inert

Rows = Sequence[Sequence[str]]

_GAP = 2
_LEAST_FOLDED = 20
_FORMULA = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"  # the last four are = + - @ in full width
_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?")


def terminal(columns: Sequence[str], rows: Rows, *, width: int = 100, title: str | None = None) -> str:
    """A plain table, the first column aligned left, the others right. No colour, no trailing blanks.

    A table wider than `width` is printed as wide as it needs to be: numbers are never cut.
    """
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="", title=title, title_justify="left")
    for index, column in enumerate(columns):
        table.add_column(inert(column), justify="left" if index == 0 else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(inert(cell) for cell in row))
    return _printed(table, width)


def listing(columns: Sequence[str], rows: Rows, *, width: int | None, folded: int) -> str:
    """A plain table, every column aligned left; only the column of index `folded` is folded to keep to `width`.

    Where `width` is None, or the other columns alone do not fit in it, lines are as long as they need to be: nothing is
    ever cut. Without a header where all columns are named "".
    """
    cells = [[inert(cell, limit=1000) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(columns, *cells, strict=True)]
    if width is not None:
        others = sum(widths) - widths[folded] + _GAP * (len(widths) - 1)
        widths[folded] = min(widths[folded], max(_LEAST_FOLDED, width - others))
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="", show_header=any(columns))
    for column, wide in zip(columns, widths, strict=True):
        table.add_column(column, width=wide, overflow="fold")
    for row in cells:
        table.add_row(*row)
    return _printed(table, sum(widths) + _GAP * len(widths))


def markdown(columns: Sequence[str], rows: Rows) -> str:
    """A Markdown table, the first column left-aligned, the others right."""
    lines = [columns, ["---", *["---:"] * (len(columns) - 1)], *rows]
    return "".join(f"| {' | '.join(markdown_escaped(cell) for cell in line)} |\n" for line in lines)


def markdown_escaped(text: str, *, limit: int = 300) -> str:
    """Text on one line, without effect as Markdown."""
    shown = inert(text, limit=limit)
    for special in "\\|*_`<[":
        shown = shown.replace(special, f"\\{special}") if special != "<" else shown.replace("<", "&lt;")
    return shown


def comma_separated(columns: Sequence[str], rows: Rows) -> str:
    """CSV with a header line, quoted where needed (RFC 4180), lines ended by a newline.

    Text that a spreadsheet would take for a formula gets an apostrophe in front (OWASP, CSV Injection); control
    characters are shown as escapes. Numbers stay as they are.
    """
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([_csv_cell(cell) for cell in line] for line in (columns, *rows))
    return out.getvalue()


def _csv_cell(text: str) -> str:
    shown = inert(text, limit=len(text))
    first = text.lstrip(" ")[:1]
    return f"'{shown}" if first and first in _FORMULA and not _NUMBER.fullmatch(text) else shown


def number(value: float | None, digits: int = 4) -> str:
    """A number, or a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def p_value(value: float) -> str:
    """A p-value to four digits, and no smaller: none is 0."""
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"


def percent(value: float | None, digits: int = 2) -> str:
    """A share in per cent, or a dash where there is none."""
    return "–" if value is None else f"{100 * value:.{digits}f}"


def percent_interval(low: float | None, high: float | None) -> str:
    """An interval in per cent, empty where there is none."""
    return "" if low is None or high is None else f"{100 * low:.1f}–{100 * high:.1f}"


def _printed(table: Table, width: int) -> str:
    """The table at `width`, or as wide as its content is."""
    out = StringIO()
    console = Console(file=out, width=10_000, highlight=False, markup=False, emoji=False, color_system=None)
    console.width = max(width, console.measure(table).maximum)
    console.print(table)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
