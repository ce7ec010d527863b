"""The files of a batch, all written from its store: one line per row, one report file per row."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

from qualityscore.errors import ArchiveError, OutputError, SubjectError
from qualityscore.execution.manifest import Row
from qualityscore.execution.scores import harness_faults, nothing, short_form
from qualityscore.execution.store import RowRecord, State, Store, Stored
from qualityscore.model.codec import as_text, encodable

RESULTS = "results.jsonl"
REPORTS = "reports"
STORE = "store.sqlite"
_PART = ".part-"
_NO_SCORES: dict[str, Any] = {"score": None, "components": None, "status": None}


def report_name(number: int, row: Row) -> str:
    """Such as `reports/000012-some-model-3.json`: sorted as the rows are, readable, and no other row's."""
    words = re.sub(r"[^A-Za-z0-9._-]+", "-", row.label or "").strip("-.")[:60]
    parts = [f"{number:06d}", *filter(None, [words]), *([str(row.sample)] if row.sample is not None else [])]
    return f"{REPORTS}/{'-'.join(parts)}.json"


def report_text(report: str, row: Row) -> str:
    """A stored report as this row's: with its path, label and sample number. The same bytes as `evaluate --json`."""
    document: dict[str, Any] = json.loads(report)
    document["subject"].update(path=row.source, label=row.label, sample=row.sample)
    document["provenance"]["sample"] = row.sample
    return as_text(document)


def result_line(number: int, row: Row, key: str | None, stored: Stored, file: str | None) -> str:
    """One line of results.jsonl, without the newline."""
    scores, code, reason = _NO_SCORES, stored.code, stored.reason
    if stored.state is State.REFUSED and code in (SubjectError.code, ArchiveError.code):
        scores = {"score": 0.0, "components": nothing(row.options.only), "status": None}
    if stored.report is not None:
        report = json.loads(stored.report)
        scores = short_form(report)
        faults = harness_faults(report)
        if faults:
            code, reason = faults[0]["code"], f"{faults[0]['stage']}: {faults[0]['reason']}"
        else:
            reason = scores["reason"]
    document = {
        "row": number,
        "label": row.label,
        "sample": row.sample,
        "repository": row.source,
        "task": row.task,
        "state": stored.state,
        "status": scores["status"],
        "score": scores["score"],
        "components": scores["components"],
        "code": code,
        "reason": reason,
        "key": key,
        "report": file,
    }
    return json.dumps(encodable(document), allow_nan=False)


class ResultsFile:
    """results.jsonl: complete in the order of the rows when a run begins or ends, appended to in between."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / RESULTS

    def rewrite(self, store: Store) -> None:
        """Write every known result, whole or not at all, in the order of the rows."""
        with _part(self._path.parent) as file:
            for record in store.records():
                if record.line is not None:
                    file.write(record.line + "\n")
        _publish(Path(file.name), self._path)

    def append(self, line: str) -> None:
        """Add one result; a single write, so that a reader sees whole lines."""
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            os.write(descriptor, line.encode("utf-8", "surrogatepass") + b"\n")
        finally:
            os.close(descriptor)


def write_whole(path: Path, text: str) -> None:
    """Write one file, whole or not at all. Raises OSError where there is no room for it, OutputError for the name."""
    with _part(path.parent) as file:
        file.write(text)
    _publish(Path(file.name), path)


def _part(folder: Path) -> Any:
    return tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=folder, prefix=_PART, delete=False)


def _publish(part: Path, final: Path) -> None:
    umask = os.umask(0)
    os.umask(umask)
    try:
        part.chmod(0o666 & ~umask)
        part.replace(final)
    except OSError as error:
        raise OutputError(f"{final} cannot be written: {error.strerror}.") from error


def repair(folder: Path, store: Store) -> int:
    """Write again every report file that is missing or differs from what the store holds; returns how many.

    Reports of rows that the manifest has no more, and parts that a killed run left behind, are removed.
    """
    mended = 0
    ours = set()
    for record in store.records():
        ours.add(record.file)
        if record.file is not None and not _is_intact(folder, record):
            stored = store.evaluation(record.key or "")
            if stored is not None and stored.report is not None:
                write_whole(folder / record.file, report_text(stored.report, record.row))
                mended += 1
    for path in (*(folder / REPORTS).iterdir(), *folder.glob(f"{_PART}*")):
        stale = f"{REPORTS}/{path.name}" not in ours and re.fullmatch(r"\d{6,}(-.*)?\.json", path.name)
        if stale or path.name.startswith(_PART):
            path.unlink(missing_ok=True)
    return mended


def _is_intact(folder: Path, record: RowRecord) -> bool:
    try:
        data = (folder / str(record.file)).read_bytes()
    except OSError:
        return False
    return hashlib.sha256(data).hexdigest() == record.sha256


def salvage(folder: Path, store: Store) -> int:
    """Fill an empty store with the evaluations that the files beside it still hold; returns how many.

    Rows find them by their key when they come up again.
    """
    saved = 0
    try:
        lines = (folder / RESULTS).read_bytes().splitlines()
    except OSError:
        return 0
    for line in lines:
        try:
            document = json.loads(line)
            if document["state"] != State.DONE or not re.fullmatch(r"[0-9a-f]{64}", document["key"]):
                continue
            report = (folder / document["report"]).read_text("utf-8")
            short_form(json.loads(report))
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if store.evaluation(document["key"]) is None:
            store.adopt(document["key"], Stored(state=State.DONE, report=report))
            saved += 1
    return saved
