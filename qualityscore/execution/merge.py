"""Joining the outputs of a batch's shards into one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from qualityscore.errors import BatchError
from qualityscore.execution import output
from qualityscore.execution.batch import held, no_new_folder_for_nothing, open_store
from qualityscore.execution.store import State, Store

_RANK = (State.PENDING, State.HARNESS, State.REFUSED, State.DONE)
"""What of a row says more than what stands before it. A row that is refused in one place may be there in another."""
_SHARED = {
    "rows": "rows in its manifest",
    "rows_digest": "rows in its manifest",
    "bases_digest": "tasks, snapshots, profiles, score model or Python, or another --unsafe,",
}
"""What the outputs of one batch have noted alike, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What the joined output holds. `missing` rows have no result in any of the inputs."""

    rows: int
    missing: int
    counts: dict[State, int]


def merge(inputs: Sequence[Path], folder: Path) -> Merged:
    """Join the outputs of shards of one manifest into `folder`, which is then an output like any other.

    Where a row has results in several inputs, a report goes before a refusal and that before a harness fault, whatever
    the order of the inputs. Raises BatchError for a folder without a store, for inputs of different manifests or bases
    (tasks, profiles, score model), and for reports of one row on different contents.
    """
    with ExitStack() as stack:
        stack.enter_context(no_new_folder_for_nothing(folder))
        stack.enter_context(held(folder))
        _check_inputs(inputs, folder)
        target = open_store(folder)
        stack.callback(target.close)
        first = (folder, target) if target.meta("rows_digest") else None
        for path in inputs:
            stack.enter_context(held(path))
            source = open_store(path)
            stack.callback(source.close)
            first = first or (path, source)
            _check_same(first, (path, source))
            _join(path, source, target)
        total = int(first[1].meta("rows") or 0) if first else 0
        facts = {name: first[1].meta(name) or "" for name in _SHARED} if first else {}
        target.note(shard="1/1", manifest="merged", **facts)
        output.repair(folder, target)
        output.ResultsFile(folder).rewrite(target)
        counts = target.counts()
        return Merged(rows=total, missing=total - sum(counts.values()) + counts[State.PENDING], counts=counts)


def _check_inputs(inputs: Sequence[Path], folder: Path) -> None:
    """Raise BatchError where a folder holds no batch, is the output, or is named twice."""
    seen: set[Path] = set()
    for path in inputs:
        if not (path / output.STORE).is_file():
            raise BatchError(f"{path} holds no batch: it has no {output.STORE}; name output folders of a batch.")
        if path.resolve() == folder.resolve():
            raise BatchError(f"{path} cannot be joined into itself; name another output folder.")
        if path.resolve() in seen:
            raise BatchError(f"{path} is named twice; name each shard's folder once.")
        seen.add(path.resolve())


def _check_same(first: tuple[Path, Store], other: tuple[Path, Store]) -> None:
    """Raise BatchError where an output is not of the same batch as the first."""
    for name, what in _SHARED.items():
        ours, theirs = first[1].meta(name), other[1].meta(name)
        if ours != theirs:
            how = f"{theirs} {what}, {first[0]} with {ours}" if name == "rows" else f"other {what} than {first[0]}"
            raise BatchError(
                f"{other[0]} was made with {how}; join the shards of one batch into a folder of their own."
            )


def _join(path: Path, source: Store, target: Store) -> None:
    """Take over every row of `source` that says more than what `target` has."""
    have = {record.number: record for record in target.records()}
    target.add_rows(record for record in source.records() if record.number not in have)
    for record in source.records():
        known = have.get(record.number)
        if known is not None and known.row.digest != record.row.digest:
            raise BatchError(f"Row {record.number} of {path} is another subject than in the others; join one batch.")
        if record.line is None:
            continue
        if known is not None and known.state is record.state is State.DONE and known.key != record.key:
            raise BatchError(
                f"Row {record.number} was evaluated on different contents or tasks in {path} and another input; "
                "its results cannot both be right."
            )
        if known is not None and _RANK.index(record.state) <= _RANK.index(known.state):
            continue
        stored = source.evaluation(record.key) if record.key else None
        if record.key and stored is not None:
            target.adopt(record.key, stored)
        text = output.report_text(stored.report, record.row) if stored is not None and stored.report else ""
        file = record.file if text else None
        target.settle(record.number, state=record.state, key=record.key, line=record.line, file=file, text=text)
