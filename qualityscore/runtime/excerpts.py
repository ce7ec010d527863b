"""The lines of a subject that its findings speak of, so that a report can show them later, without the subject."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from qualityscore.model.finding import Finding

AROUND = 2
MOST_LINES = 2_000
MOST_CHARACTERS = 240
LARGEST_FILE = 1_000_000


def excerpts(root: Path, files: Sequence[str], findings: Sequence[Finding]) -> dict[str, dict[int, str]]:
    """Lines by path and number (from 1): each finding's and `AROUND` on either side, the severest findings first.

    At most `MOST_LINES` lines of at most `MOST_CHARACTERS` characters, of files of at most `LARGEST_FILE` bytes. Bytes
    that are not UTF-8 are shown as replacement characters.
    """
    known = set(files)
    wanted = sorted(
        (f for f in findings if f.path in known and f.line), key=lambda f: (-f.points, f.path or "", f.line or 0)
    )
    texts: dict[str, list[str]] = {}
    found: dict[str, dict[int, str]] = {}
    count = 0
    for finding in wanted:
        assert finding.path is not None
        assert finding.line is not None
        if finding.path not in texts:
            texts[finding.path] = _lines(root / finding.path)
        lines = texts[finding.path]
        kept = found.setdefault(finding.path, {})
        for number in range(max(1, finding.line - AROUND), min(len(lines), finding.line + AROUND) + 1):
            if number not in kept:
                kept[number] = lines[number - 1][:MOST_CHARACTERS]
                count += 1
        if count >= MOST_LINES:
            break
    return {path: dict(sorted(kept.items())) for path, kept in sorted(found.items()) if kept}


def _lines(file: Path) -> list[str]:
    try:
        if file.stat().st_size > LARGEST_FILE:
            return []
        return [line.rstrip("\r") for line in file.read_bytes().decode("utf-8", "replace").split("\n")]
    except OSError:
        return []
