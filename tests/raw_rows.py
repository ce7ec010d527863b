"""Raw results of long runs, a line of JSON each: a run goes on where an earlier one stopped."""

from __future__ import annotations

import functools
import hashlib
import json
import os
from pathlib import Path

import qualityscore


@functools.cache
def code_digest() -> str:
    """A short digest of the package's own code, which the results depend on."""
    root = Path(qualityscore.__file__).parent
    parts = [str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() for path in sorted(root.rglob("*.py"))]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]


def read(path: Path) -> list[dict[str, object]]:
    """All whole lines; what an interrupted run left of its last one is no result."""
    whole = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [json.loads(line) for line in whole]


class RawRows:
    """The rows of a file, to which more are appended; of no file where nobody asked for one.

    Each row says under `code` which code it was made with.
    """

    def __init__(self, path: Path | None, rows: list[dict[str, object]]) -> None:
        self._path = path
        self.rows = rows

    def append_once(self, row: dict[str, object]) -> None:
        """Add a row unless it is there."""
        if {**row, "code": code_digest()} not in self.rows:
            self.append(row)

    def append(self, row: dict[str, object]) -> None:
        """Add a row; it is on disk when this returns."""
        row = {**row, "code": code_digest()}
        self.rows.append(row)
        if self._path is not None:
            with self._path.open("ab") as file:
                file.write(json.dumps(row).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())


def resume(path: Path | None) -> RawRows:
    """The rows that are there already; what an interrupted run left of a line is cut off."""
    if path is None:
        return RawRows(None, [])
    if path.exists():
        content = path.read_bytes()
        os.truncate(path, content.rfind(b"\n") + 1)
    return RawRows(path, read(path))
