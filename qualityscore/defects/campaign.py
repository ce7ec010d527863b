"""Injecting defects into a reference and asking the suites: resumable, several at a time."""

from __future__ import annotations

import ast
import hashlib
import json
import shutil
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import TypeAdapter, ValidationError

from qualityscore.defects.mutants import Mutant, choose, find_mutants
from qualityscore.defects.operators import HELD_OUT
from qualityscore.defects.reached import exits_where_changed
from qualityscore.errors import InputError, ReferenceFaultError
from qualityscore.languages.python_source import Unparsable, read_source
from qualityscore.model.foreign import first_problem
from qualityscore.model.snapshot import JudgedFunction
from qualityscore.runtime.process import killed_on_failure
from qualityscore.runtime.scratch import scratch_folder
from qualityscore.runtime.target import Target

Stage = tuple[str, Callable[[Target], tuple[str, ...]]]
"""A suite's name, and what it finds wrong with a target (ids of tests or probes; nothing for a sound one)."""

Progress = Callable[[int, int], None]
HELD_OUT_NAMES = frozenset(operator.name for operator in HELD_OUT)
_MOST_NAMED = 10
_SPARE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What became of one mutant.

    `not_covered`: no stage runs the place, so that the mutant says nothing about the suites. `stage` and `by` name the
    first stage that detected it and the tests or probes that did (the first ten).
    """

    id: str
    path: str
    line: int
    operator: str
    replacement: str
    diff: str
    status: Literal["detected", "survived", "not_covered"]
    stage: str | None = None
    by: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """What identifies a campaign: verdicts are taken up again only by the same one."""

    task: str
    task_digest: str
    reference_digest: str
    seed: int


def candidates(
    sources: Mapping[str, str], judged: Sequence[JudgedFunction], seed: int, count: int
) -> tuple[Mutant, ...]:
    """Mutants inside the functions that the functional suite enters, in the order in which they are to be judged."""
    mutants: list[Mutant] = []
    for path in sorted({function.path for function in judged} & sources.keys()):
        first_lines = {function.line for function in judged if function.path == path}
        mutants += find_mutants(path, sources[path], lines=_lines_of(sources[path], first_lines))
    return choose(mutants, count, sources, np.random.default_rng(seed))


def run_campaign(
    target: Target,
    campaign: Campaign,
    mutants: Sequence[Mutant],
    stages: Sequence[Stage],
    *,
    count: int,
    store: Path | None,
    workers: int,
    progress: Progress,
) -> tuple[Verdict, ...]:
    """Judge mutants in their order until `count` of them are on covered places, and give those and the uncovered ones.

    Verdicts are appended to `store` as they come, and taken from it when it holds some of the same campaign. Raises
    InputError when it is another campaign's. Ctrl-C kills what runs; the store keeps what was judged before.
    """
    known = _read(store, campaign) if store is not None else {}
    sources = read_sources(target, {mutant.path for mutant in mutants})
    verdicts: dict[str, Verdict] = {}
    waiting = iter(mutants)
    pending: set[Future[Verdict]] = set()
    with ThreadPoolExecutor(max_workers=workers) as pool, killed_on_failure(pool):
        while True:
            covered = sum(v.status != "not_covered" for v in verdicts.values())
            while covered + len(pending) < count and len(pending) < workers and (mutant := next(waiting, None)):
                done = known.get(mutant.id)
                if done is not None and done.replacement == mutant.replacement:
                    verdicts[mutant.id] = done
                    covered += done.status != "not_covered"
                else:
                    pending.add(pool.submit(_judge, target, mutant, sources[mutant.path], stages))
            progress(min(covered, count), count)
            if not pending:
                break
            finished, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in finished:
                verdict = future.result()
                verdicts[verdict.id] = verdict
                if store is not None:
                    _append(store, campaign, verdict)
    return tuple(verdicts.values())


def read_sources(target: Target, paths: Collection[str]) -> dict[str, str]:
    """The decoded texts of the reference's files. Raises ReferenceFaultError for one that cannot be decoded."""
    sources: dict[str, str] = {}
    for path in sorted(paths):
        source = read_source(target.tree.root, path)
        if isinstance(source, Unparsable):
            raise ReferenceFaultError(f"{path} of the reference cannot be read: {source.reason}.")
        if source.encoding not in ("utf-8", "utf-8-sig"):
            raise ReferenceFaultError(f"{path} of the reference is not UTF-8; its mutants could not be written.")
        sources[path] = source.text
    return sources


def spare(count: int) -> int:
    """How many candidates to have ready for `count` covered ones."""
    return count * _SPARE


def _judge(target: Target, mutant: Mutant, source: str, stages: Sequence[Stage]) -> Verdict:
    began = time.monotonic()
    verdict = Verdict(
        id=mutant.id,
        path=mutant.path,
        line=mutant.line,
        operator=mutant.operator,
        replacement=mutant.replacement,
        diff=mutant.diff(source),
        status="survived",
    )
    for name, stage in stages:
        found = _run(target, mutant.path, mutant.apply(source), stage)
        if found:
            verdict = replace(verdict, status="detected", stage=name, by=found[:_MOST_NAMED])
            break
    if verdict.status == "survived":
        variant = exits_where_changed(source, mutant)
        if variant is not None and not any(_run(target, mutant.path, variant, stage) for _, stage in stages):
            verdict = replace(verdict, status="not_covered")
    return replace(verdict, seconds=round(time.monotonic() - began, 2))


def _run(target: Target, path: str, text: str, stage: Callable[[Target], tuple[str, ...]]) -> tuple[str, ...]:
    """A stage's findings on a private copy of the tree with one file changed."""
    with scratch_folder("qualityscore-") as folder:
        root = folder / "subject"
        shutil.copytree(target.tree.root, root)
        (root / path).write_text(text, "utf-8")
        digest = hashlib.sha256(f"{target.tree.digest}\0{path}\0{text}".encode()).hexdigest()
        changed = replace(target.tree, root=root, digest=digest)
        return stage(replace(target, tree=changed, is_reference=False))


def _lines_of(source: str, first_lines: set[int]) -> frozenset[int]:
    """The lines of the functions that start (decorators counted) on one of the given lines."""
    lines: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first in first_lines or node.lineno in first_lines:
                lines.update(range(first, (node.end_lineno or node.lineno) + 1))
    return frozenset(lines)


def _read(store: Path, campaign: Campaign) -> dict[str, Verdict]:
    """The verdicts in a store; a last line that was cut off by an interruption is dropped."""
    if not store.exists():
        return {}
    lines = store.read_text("utf-8").splitlines()
    known: dict[str, Verdict] = {}
    for number, line in enumerate(lines, start=1):
        try:
            document = json.loads(line)
            if number == 1:
                if document != asdict(campaign):
                    raise InputError(
                        f"{store} holds the verdicts of another campaign ({document.get('task')}, another version of "
                        "its suites, reference or seed); name another file or delete it."
                    )
                continue
            verdict = TypeAdapter(Verdict).validate_python(document)
        except (ValueError, AttributeError) as error:
            if number == len(lines) and number > 1:
                break
            reason = first_problem(error) if isinstance(error, ValidationError) else str(error)
            raise InputError(f"{store}:{number} is no verdict: {reason}.") from None
        known[verdict.id] = verdict
    return known


def _append(store: Path, campaign: Campaign, verdict: Verdict) -> None:
    new = not store.exists()
    with store.open("a", encoding="utf-8") as file:
        if new:
            file.write(json.dumps(asdict(campaign), sort_keys=True) + "\n")
        file.write(json.dumps(asdict(verdict), sort_keys=True) + "\n")
