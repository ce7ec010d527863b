"""The manifest of a batch: one subject per row, as JSON Lines or CSV, read strictly."""

from __future__ import annotations

import csv
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from qualityscore.errors import InputError, ManifestError, UsageError
from qualityscore.model.foreign import first_problem, leading, non_finite
from qualityscore.runtime.documents import profile_names
from qualityscore.runtime.git_source import check_origin
from qualityscore.runtime.tasks import task_ids

LARGEST_LINE_BYTES = 1 << 20
LARGEST_MANIFEST_BYTES = 1 << 30
_OPTIONS = ("only", "profile", "counter")
Part = Literal["functional", "maintainability", "security", "robustness", "efficiency", "resource"]
Counter = Literal["auto", "instructions", "valgrind", "cpu"]
_SHORT = Annotated[str, Field(min_length=1, max_length=4096)]


class Options(BaseModel):
    """How a subject is evaluated, as `qualityscore evaluate` takes it."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    only: Annotated[tuple[Part, ...], Field(min_length=1, strict=False)] | None = None
    profile: _SHORT = "reference"
    counter: Counter = "auto"


class Row(BaseModel):
    """One subject. `repository` is a folder or an archive; otherwise `git` is a URL and `commit` a full commit id."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    label: _SHORT | None = None
    sample: Annotated[int, Field(ge=0, lt=1 << 31)] | None = None
    repository: _SHORT | None = None
    git: _SHORT | None = None
    commit: _SHORT | None = None
    task: _SHORT
    options: Options = Options()

    @model_validator(mode="after")
    def _one_source(self) -> Row:
        if (self.repository is None) == (self.git is None):
            raise ValueError("give either 'repository' or 'git' with 'commit'")
        if (self.git is None) != (self.commit is None):
            raise ValueError("'git' and 'commit' go together")
        if self.git is not None and self.commit is not None:
            try:
                check_origin(self.git, self.commit)
            except InputError as error:
                raise ValueError(str(error)) from error
        return self

    @property
    def source(self) -> str:
        """The subject in words."""
        return self.repository if self.repository is not None else f"{self.git}@{self.commit}"

    @property
    def identity(self) -> bytes:
        """A digest of what its result is told apart by: label, task and sample, of which none is 0."""
        return hashlib.sha256(json.dumps([self.label, self.task, self.sample or 0]).encode()).digest()[:16]

    @property
    def digest(self) -> str:
        """Over all that the row says."""
        return hashlib.sha256(self.model_dump_json().encode("utf-8", "surrogatepass")).hexdigest()

    def digest_at(self, base: Path) -> str:
        """Over all that the row says and the place that it means by a `repository` relative to `base`, resolved."""
        place = os.path.normpath(base / self.repository) if self.repository is not None else ""
        return hashlib.sha256(f"{self.digest} {place}".encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """Every `of`-th row, from row `index` on; both count from 1."""

    index: int = 1
    of: int = 1

    def holds(self, number: int) -> bool:
        """Whether a row (from 1) belongs to it."""
        return (number - self.index) % self.of == 0


def check_options(only: Sequence[str] | None, counter: str | None) -> None:
    """Raise UsageError for --only and --counter of a command line that no row could have."""
    given = {"only": only, "counter": counter}
    try:
        Options.model_validate({name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        name = leading(error)["loc"][0]
        written = ",".join(only or ()) if name == "only" else counter
        choices = get_args(Part if name == "only" else Counter)
        raise UsageError(f"--{name} {written!r} is not among {', '.join(choices)}.") from error


def parse_shard(text: str) -> Shard:
    """`2/8`: the second of eight. Raises ManifestError otherwise."""
    first, _, second = text.partition("/")
    if not (first.isascii() and first.isdigit() and second.isascii() and second.isdigit()):
        raise ManifestError(f"The shard {text!r} is not I/N, such as 2/8; I counts from 1.")
    shard = Shard(index=int(first), of=int(second))
    if not 1 <= shard.index <= shard.of <= 1_000_000:
        raise ManifestError(f"The shard {text!r} is not I/N with I from 1 to N.")
    return shard


def read_manifest(path: Path, defaults: dict[str, Any]) -> Iterator[tuple[int, Row]]:
    """The rows in order, numbered from 1; `defaults` (task, only, profile, counter) hold where a row is silent.

    The kind is told by the name: `.csv`, otherwise JSON Lines. Raises ManifestError with the line.
    """
    try:
        if path.stat().st_size > LARGEST_MANIFEST_BYTES:
            raise ManifestError(f"The manifest {path} is larger than {LARGEST_MANIFEST_BYTES} bytes; split it.")
        with path.open(encoding="utf-8-sig", newline="") as file:
            documents = _csv_rows(file, path) if path.suffix.lower() == ".csv" else _json_rows(file, path)
            number = 0
            lines: dict[bytes, int] = {}
            for number, (line, document) in enumerate(documents, start=1):
                row = _row(path, line, document, defaults)
                first = lines.setdefault(row.identity, line) if row.label is not None else line
                if first != line:
                    raise ManifestError(
                        f"The manifest {path}, line {line}: label {row.label!r} with sample {row.sample or 0} is "
                        f"line {first}'s already; give each its own 'sample' (a row without one is sample 0)."
                    )
                yield number, row
        if not number:
            raise ManifestError(f"There is nothing to evaluate in {path}: the manifest has no row; add some.")
    except UnicodeDecodeError as error:
        raise ManifestError(f"The manifest {path} is not UTF-8: {error.reason}.") from error
    except OSError as error:
        raise ManifestError(f"The manifest {path} cannot be read: {error.strerror}.") from error


def _json_rows(file: Any, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    line = 0
    while text := file.readline(LARGEST_LINE_BYTES):
        line += 1
        if len(text) >= LARGEST_LINE_BYTES and not text.endswith("\n"):
            raise ManifestError(f"The manifest {path}, line {line}, is longer than {LARGEST_LINE_BYTES} characters.")
        if not text.strip():
            continue
        try:
            document = json.loads(text.rstrip())
        except (ValueError, RecursionError) as error:
            why = f"{error.msg}, at character {error.colno}" if isinstance(error, json.JSONDecodeError) else error
            raise ManifestError(f"The manifest {path}, line {line}, is not JSON: {why}.") from error
        if not isinstance(document, dict):
            raise ManifestError(f"The manifest {path}, line {line}, is not a JSON object.")
        if problem := non_finite(document):
            raise ManifestError(f"The manifest {path}, line {line}, is not valid: {problem}.")
        yield line, document


def _csv_rows(file: Any, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    reader = csv.DictReader(file, strict=True)
    try:
        names = list(reader.fieldnames or ())
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ManifestError(f"The manifest {path}, line 1, names the column {twice!r} twice; leave one out.")
        for record in reader:
            if None in record or None in record.values():
                raise ManifestError(
                    f"The manifest {path}, line {reader.line_num}, does not have as many fields as its header."
                )
            yield reader.line_num, _from_csv({key: value for key, value in record.items() if value != ""})
    except csv.Error as error:
        raise ManifestError(f"The manifest {path}, line {reader.line_num}, is not CSV: {error}.") from error


def _from_csv(record: dict[str, Any]) -> dict[str, Any]:
    """Columns are flat and text: `only` is a list separated by commas or semicolons, `sample` a number."""
    options = {name: record.pop(name) for name in _OPTIONS if name in record}
    if "only" in options:
        options["only"] = [part.strip() for part in options["only"].replace(";", ",").split(",") if part.strip()]
    sample = record.get("sample", "")
    if sample.isascii() and sample.isdigit():
        digits = sample.lstrip("0") or "0"
        record["sample"] = int(digits) if len(digits) <= 10 else sample  # int itself refuses thousands of digits
    return {**record, "options": options} if options else record


def _row(path: Path, line: int, document: dict[str, Any], defaults: dict[str, Any]) -> Row:
    misplaced = next((name for name in _OPTIONS if name in document), None)
    if misplaced is not None:
        raise ManifestError(
            f"The manifest {path}, line {line}: key {misplaced!r} is unknown (did you mean 'options.{misplaced}'?)."
        )
    given = document.get("options", {})
    if isinstance(given, dict):
        chosen = {name: defaults[name] for name in _OPTIONS if defaults.get(name) is not None}
        document = {**document, "options": chosen | given}
    if defaults.get("task") is not None:
        document = {"task": defaults["task"], **document}
    try:
        row = Row.model_validate(document)
    except ValidationError as error:
        known = (*Row.model_fields, *Options.model_fields)
        # The task is the only key that has to be there.
        advice = "; add it, or give --task" if leading(error)["type"] == "missing" else ""
        raise ManifestError(f"The manifest {path}, line {line}: {first_problem(error, known)}{advice}.") from error
    base = path.resolve().parent
    options = row.options.model_copy(update={"profile": placed(row.options.profile, base, profile_names())})
    return row.model_copy(update={"task": placed(row.task, base, task_ids()), "options": options})


def placed(name_or_path: str, base: Path, names: Sequence[str]) -> str:
    """One of `names` as it is, otherwise a path that exists below `base` made absolute."""
    if name_or_path in names or not (base / name_or_path).exists():
        return name_or_path
    return str((base / name_or_path).absolute())
