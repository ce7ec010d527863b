"""From files to facts, in worker processes that a hostile file may kill without harm to the rest."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TypeGuard

from qualityscore.analysers.extract import extract_tree
from qualityscore.analysers.facts import ModuleFact
from qualityscore.analysers.packing import code_digest, pack, unpack, unpacked
from qualityscore.languages.python_source import (
    CANNOT_READ,
    RawFile,
    SourceFile,
    Unparsable,
    parse,
    read_raw,
    read_source,
)
from qualityscore.runtime.scratch import scratch_folder
from qualityscore.runtime.static_cache import StaticCache, key_of
from qualityscore.runtime.workers import Done, Job, Lost, Raised, deal, run_jobs

CPU_S = 20.0
_WALL_S = 900.0
_MEMORY_BYTES = 2 << 30


def gather(
    root: Path, files: Iterable[str], *, cache: Path | None = None, cpu_s: float = CPU_S
) -> tuple[ModuleFact, ...]:
    """The facts of every file, in order; a file that kills or outlasts its worker has `error` set.

    Nothing of the subject is executed or imported. `cache` is the file of cached results (None for no cache); facts
    depend on a file's content alone. `cpu_s` is the processor time that one file may take. Raises ToolError when no
    worker can be started.
    """
    paths, root = list(files), root.resolve()  # the workers have another working directory
    store = StaticCache(cache)
    found: dict[str, ModuleFact] = {}
    keys: dict[str, str] = {}
    if cache is not None:
        for path in paths:
            raw = read_raw(root, path)
            if isinstance(raw, RawFile):
                keys[path] = key_of("module facts", code_digest(), sys.version, raw.digest)
        kept = store.get(list(keys.values()))
        for path, key in keys.items():
            fact = unpacked(kept.get(key))
            if fact is not None:
                found[path] = replace(fact, path=path)
    packed = _in_workers(root, [path for path in paths if path not in found], cpu_s)
    for path, value in packed.items():
        found[path] = value if isinstance(value, ModuleFact) else unpack(value)
    store.put({keys[path]: value for path, value in packed.items() if path in keys and _of_content(value, found[path])})
    return tuple(found[path] for path in paths)


def _in_workers(root: Path, paths: list[str], cpu_s: float) -> dict[str, str | ModuleFact]:
    """Packed facts by path; ready ones, with the error set, where a worker gave none."""
    jobs = [
        Job(id=str(i), call=f"{__name__}:in_worker", args={"root": str(root), "path": p}, cpu_s=cpu_s)
        for i, p in enumerate(paths)
    ]
    weights = [float(_size(root / p)) + 2000.0 for p in paths]
    lanes = deal(jobs, weights, min(os.cpu_count() or 1, 4))
    with scratch_folder("qualityscore-analyse-") as scratch:
        outcomes = run_jobs(lanes, scratch=scratch, wall_s=_WALL_S, memory_bytes=_MEMORY_BYTES)
    results: dict[str, str | ModuleFact] = {}
    for index, path in enumerate(paths):
        match outcomes.get(str(index)):
            case Done(value=str() as value):
                results[path] = value
            case Raised(error=reason) | Lost(reason=reason):
                results[path] = ModuleFact(path=path, error=f"the reader failed: {reason}")
            case _:
                results[path] = ModuleFact(path=path, error="the reader gave no answer")
    return results


def _of_content(value: object, fact: ModuleFact) -> TypeGuard[str]:
    """Whether a worker's answer follows from the file's content alone, and not from a read that failed there."""
    return isinstance(value, str) and not (fact.error or "").startswith(CANNOT_READ)


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def read_facts(root: Path, path: str) -> ModuleFact:
    """Read, decode, parse and extract one file in this process."""
    source = read_source(root, path)
    return source_facts(source) if isinstance(source, SourceFile) else _failed(source)


def source_facts(source: SourceFile) -> ModuleFact:
    """The facts of a decoded file."""
    tree = parse(source)
    return _failed(tree) if isinstance(tree, Unparsable) else extract_tree(source.path, source.text, tree)


def _failed(unparsable: Unparsable) -> ModuleFact:
    return ModuleFact(
        path=unparsable.path,
        error=unparsable.reason,
        error_line=unparsable.line or 1,
        error_column=unparsable.column or 1,
        sloc=unparsable.code_lines,
    )


def in_worker(root: str, path: str) -> str:
    """What a worker is asked for: the facts of one file, packed."""
    return pack(read_facts(Path(root), path))
