"""What a person still has to write in a task: the marks that a draft puts in its files, and files that are not there.

A part is unfinished where a line holds `UNFINISHED:`; the rest of the line says what to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from qualityscore.model.task import Task
from qualityscore.suites import manifest

MARK = "UNFINISHED:"
_TODO = re.compile(rf"{MARK}\s*(.*?)[\s\"')\]}},>-]*$")
_MADE = (manifest.FILE_NAME,)  # holds words of the reference


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """One unfinished part: the file, the line (None where the file is missing), and what to do there."""

    file: Path
    line: int | None
    todo: str

    def __str__(self) -> str:
        return f"{self.file}{f':{self.line}' if self.line is not None else ''}: {self.todo}"


def marked_parts(task: Task) -> tuple[Unfinished, ...]:
    """The marked lines of a task's files, in the order of files and lines."""
    files = [task.folder / name for name in ("task.toml", "requirement.md", "surface.json", "requirements.in")]
    files += [p for base in (task.folder / "suites", task.probes_folder) for p in sorted(base.rglob("*"))]
    return tuple(part for file in files if file.name not in _MADE for part in _marks(file))


def unfinished_parts(task: Task, *, name: str) -> tuple[Unfinished, ...]:
    """The marked lines, then the files that validation needs and that are not there. `name` names the task to a person.

    The probe manifest is asked for only when nothing else is left, since it is made from the other parts.
    """
    parts = [*marked_parts(task), *_missing(task)]
    frozen = task.probes_folder / manifest.FILE_NAME
    if not parts and not frozen.is_file():
        parts.append(Unfinished(file=frozen, line=None, todo=f"build it with: qualityscore probes build {name}"))
    return tuple(parts)


def _missing(task: Task) -> Iterator[Unfinished]:
    requirement = task.folder / "requirement.md"
    if not requirement.is_file():
        yield Unfinished(file=requirement, line=None, todo="write what a subject must do, in your own words")
    for suite, files, what in (
        ("functional", task.suite_files("functional"), "tests"),
        ("cost", task.suite_files("cost"), "workloads"),
    ):
        if not files:
            todo = f"[suites.{suite}] names no file that is there; write {what}"
            yield Unfinished(file=task.folder / "task.toml", line=None, todo=todo)


def _marks(file: Path) -> Iterator[Unfinished]:
    if not file.is_file() or "__pycache__" in file.parts:
        return
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):  # data beside a suite
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if MARK in line:
            found = _TODO.search(line)
            yield Unfinished(file=file, line=number, todo=(found[1] if found else "") or "finish this part")
