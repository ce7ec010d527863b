"""How often a failure gets the class that a reader gives it: against labels given twice, the second blind.

python tests/bench/failure_study.py collect SHEET   run the faults; write what a reader needs, and what was decided
python tests/bench/failure_study.py [--sheet FILE]  agreement of the two readings, and the confusion matrix
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from qualityscore.code_reading import read_code
from qualityscore.core.failures import refine
from qualityscore.model.outcome import TestOutcome, TestResult
from qualityscore.model.snapshot import ExpectedTest
from qualityscore.runtime import environment, reference, tasks, workspace
from qualityscore.runtime.cache import cache_root
from qualityscore.runtime.sandbox.select import select
from qualityscore.runtime.target import Target
from qualityscore.suites import functional, tracing

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "failure_study"
FAIR = {
    "cachetools": ROOT / "examples" / "cachetools_fair",
    "python-slugify": ROOT / "tests" / "repos" / "fair_slugify",
    "xmltodict": ROOT / "tests" / "repos" / "fair_xmltodict",
}
PER_FAULT = 4


def faulty(fault: dict[str, Any], text: str) -> str:
    """The file's text with the fault in it."""
    if "replace" in fault:
        old, new = fault["replace"]
        if old not in text:
            raise ValueError(f"{fault['id']}: the text to replace is not there")
        return text.replace(old, new, 1)
    if "append" in fault:
        return text + "\n" + fault["append"]
    body = _function(ast.parse(text), fault["function"].split(".")).body
    first = body[1] if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) else body[0]
    lines = text.splitlines(keepends=True)
    lines.insert(first.lineno - 1, " " * first.col_offset + fault["line"] + "\n")
    return "".join(lines)


def _function(tree: ast.AST, path: list[str]) -> ast.FunctionDef:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == path[0]:
            if len(path) > 1:
                return _function(node, path[1:])
            if isinstance(node, ast.FunctionDef):
                return node
    raise ValueError(f"{path[0]} is not there")


_PLAIN: dict[str, set[str]] = {}


def known_failures(fault: dict[str, Any], target: Target, tests: Sequence[ExpectedTest]) -> set[str]:
    """What fails without the fault, run once for each repository."""
    if fault["on"] not in _PLAIN:
        seen = functional.run(target, tests).tests
        _PLAIN[fault["on"]] = {t.id for t in seen if t.outcome is not TestOutcome.PASSED}
    return _PLAIN[fault["on"]]


def failures_of(fault: dict[str, Any], scratch: Path) -> tuple[str, list[TestResult]]:
    """(the change, the failures that it brings)."""
    kind, _, name = fault["on"].partition(":")
    task = tasks.load_task(name)
    source = reference.fetch(task, cache_root()) if kind == "reference" else FAIR[name]
    folder = scratch / fault["id"]
    imports = tuple(task.spec.surface.imports)
    copied = workspace.copy(source, folder / "plain", imports).tree
    before = (copied.root / fault["file"]).read_text("utf-8")
    after = faulty(fault, before)
    changed = workspace.copy(source, folder / "changed", imports).tree
    (changed.root / fault["file"]).write_text(after, "utf-8")
    built = environment.ensure(task.folder / task.spec.environment.lock, task.spec.environment.python, cache_root())
    snapshot = tasks.read_snapshot(tasks.snapshot_path(task, environment.python_minor()), task)
    target = Target(task=task, tree=copied, environment=built, sandbox=select())
    known = known_failures(fault, target, snapshot.tests)
    seen = functional.run(replace(target, tree=changed), snapshot.tests)
    new = [t for t in seen.tests if t.outcome is not TestOutcome.PASSED and t.id not in known and t.failure]
    entered = tracing.Trace(judged=(), touches={}, imported_files=())
    findings = read_code(changed, built, entered).findings if new else ()
    diff = difflib.unified_diff(before.splitlines(), after.splitlines(), fault["file"], fault["file"], lineterm="", n=2)
    return "\n".join(diff), list(refine(new, findings))


def collect(sheet: Path) -> None:
    """Run the faults that the sheet does not have yet, and write it after each."""
    faults = tomllib.loads((DATA / "faults.toml").read_text("utf-8"))["faults"]
    rows: list[dict[str, Any]] = json.loads(sheet.read_text("utf-8")) if sheet.exists() else []
    done = {row["id"].partition("/")[0] for row in rows}
    with tempfile.TemporaryDirectory() as folder:
        for fault in [f for f in faults if f["id"] not in done]:
            change, new = failures_of(fault, Path(folder))
            for test in _different(new):
                rows.append(_row(fault, change, test))
            sheet.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
            print(f"{fault['id']:28} {len(new):3} new failures", flush=True)
    print(f"{len(rows)} failures of {len(faults)} faults")


def _different(failed: list[TestResult]) -> list[TestResult]:
    """Up to PER_FAULT failures, those with another message first."""
    first: dict[str, TestResult] = {}
    for test in failed:
        first.setdefault(test.failure.message[:60] if test.failure else "", test)
    chosen = list(first.values())
    return (chosen + [t for t in failed if t not in chosen])[:PER_FAULT]


def _row(fault: dict[str, Any], change: str, test: TestResult) -> dict[str, Any]:
    failure = test.failure
    assert failure is not None
    place = failure.location
    return {
        "id": f"{fault['id']}/{test.id}",
        "change": change,
        "test": _source(fault["on"].partition(":")[2], test.id),
        "seen": failure.message,
        "raised_at": f"{place.path}:{place.line} in {place.function}" if place else None,
        "decided": [failure.class_name.value, failure.subclass],
    }


def _source(task: str, test_id: str) -> str:
    file, *names = test_id.split("[", maxsplit=1)[0].split("::")
    text = (ROOT / "probes" / task / file).read_text("utf-8") if (ROOT / "probes" / task / file).exists() else ""
    text = text or (ROOT / "baselines" / task / file).read_text("utf-8")
    node: ast.AST = ast.parse(text)
    for name in names:
        node = next(
            n
            for n in ast.walk(node)
            if isinstance(n, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef) and n.name == name
        )
    return ast.get_source_segment(text, node) or ""


def report(sheet: Path) -> bool:
    """Print agreement and the confusion matrix; False below 93 %."""
    decided = {row["id"]: row["decided"] for row in json.loads(sheet.read_text("utf-8"))}
    first, second = (json.loads((DATA / f"labels_{n}.json").read_text("utf-8")) for n in ("first", "second"))
    common = [i for i in decided if i in first and i in second]
    for what, part in (("class", 0), ("subclass", 1)):
        agreed = [i for i in common if first[i][part] == second[i][part]]
        right = [i for i in agreed if decided[i][part] == first[i][part]]
        print(f"{what}: {len(common)} failures, the readings agree on {len(agreed)} ({len(agreed) / len(common):.1%})")
        print(f"{what}: the classifier agrees with {len(right)} of these ({len(right) / len(agreed):.1%})")
        matrix = Counter((first[i][part], decided[i][part]) for i in agreed)
        for (label, own), count in sorted(matrix.items()):
            print(f"    {label:24} decided as {own:24} {count:4}")
        if part == 0:
            share = len(right) / len(agreed)
    return share >= 0.93


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", nargs="?", choices=("collect",))
    parser.add_argument("sheet", nargs="?", type=Path, default=DATA / "sheet.json")
    arguments = parser.parse_args()
    if arguments.command == "collect":
        collect(arguments.sheet)
        return 0
    return 0 if report(arguments.sheet) else 1


if __name__ == "__main__":
    sys.exit(main())
