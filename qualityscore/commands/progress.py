"""Stages on standard error while an evaluation runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

Progress = Callable[[str, int, int], None]
LINE_EVERY_S = 10.0


@contextmanager
def shown(*, quiet: bool) -> Iterator[Progress]:
    """A live display in a terminal, lines elsewhere, nothing when quiet."""
    if quiet:
        yield _nothing
    elif sys.stderr.isatty():
        from rich.console import Console  # noqa: PLC0415

        with live(Console(stderr=True)) as update:
            yield update
    else:
        yield Lines(sys.stderr, now=time.monotonic)


def _nothing(stage: str, done: int, total: int) -> None:
    del stage, done, total


class Lines:
    """A line when a stage begins, and one with its counts after every ten seconds in which they moved."""

    def __init__(self, out: TextIO, *, now: Callable[[], float]) -> None:
        self._out = out
        self._now = now
        self._stage: str | None = None
        self._said_s = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """One step of a stage; `total` is 0 where it is not known."""
        if stage != self._stage:
            self._stage = stage
            self._say(f"{stage} …")
        elif total and self._now() - self._said_s >= LINE_EVERY_S:
            self._say(f"{stage} {done} of {total} …")

    def _say(self, line: str) -> None:
        self._said_s = self._now()
        self._out.write(line + "\n")
        self._out.flush()


@contextmanager
def live(console: Console) -> Iterator[Progress]:
    """A row per stage: its name, a bar, its counts where it has some, its time; over when the next stage begins."""
    from rich import progress  # noqa: PLC0415

    columns = (
        progress.TextColumn("{task.description:<16}"),
        progress.BarColumn(24),
        progress.TextColumn("{task.fields[counts]:>9}"),
        progress.TimeElapsedColumn(),
    )
    with progress.Progress(*columns, console=console, transient=True) as display:
        rows: dict[str, progress.TaskID] = {}
        current: str | None = None

        def update(stage: str, done: int, total: int) -> None:
            nonlocal current
            if stage != current:
                if current is not None:
                    display.update(rows[current], total=1, completed=1)
                    display.stop_task(rows[current])
                current = stage
            if stage not in rows:
                rows[stage] = display.add_task(stage, total=None, counts="")
            counts = f"{done}/{total}" if total else ""
            display.update(rows[stage], completed=done, total=total or None, counts=counts)

        yield update
