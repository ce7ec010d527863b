"""CSV that people hand in, read strictly: a cell that belongs to no column must not vanish."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from qualityscore.errors import ReportError


def read_rows(path: str, what: str, required: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a CSV with a header, each with the line that it begins at; blank lines are passed over.

    `what` names the content in messages. Raises ReportError, naming file and line, for what is no CSV (RFC 4180), names
    a column twice or not at all, lacks a `required` one, or has a row of another width than the header.
    """
    begun = 1
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            header = next(reader, [])
            _check_header(header, f"{path}:1", what, path, required)
            begun = reader.line_num + 1
            for cells in reader:
                if cells and len(cells) != len(header):
                    raise ReportError(
                        f"{path}:{begun}: the row has {len(cells)} cells and the header {len(header)}; "
                        "give every column one cell, quoted where it holds a comma."
                    )
                if cells:
                    yield begun, dict(zip(header, cells, strict=True))
                begun = reader.line_num + 1
    except csv.Error as error:
        raise ReportError(f"{path}:{begun}: the row that begins here is not CSV ({error}); check its quotes.") from None
    except UnicodeDecodeError as error:
        raise ReportError(f"The {what} in {path} cannot be read: {error}; save the file as UTF-8.") from None
    except OSError as error:
        raise ReportError(f"The {what} in {path} cannot be read: {error.strerror}.") from None


def _check_header(header: Sequence[str], where: str, what: str, path: str, required: Sequence[str]) -> None:
    for name in required:
        if name not in header:
            raise ReportError(f"The {what} in {path} have no column named {name}; add it to the header.")
    for index, name in enumerate(header):
        if not name.strip():
            raise ReportError(f"{where}: column {index + 1} has no name; name it or leave it out.")
        if name in header[:index]:
            raise ReportError(f"{where}: two columns are named {name}; leave one out or name it otherwise.")
