"""Every release of real projects against the one before it, and each release against itself.

Git histories are made from source releases. For each step: did it run without help, how many tests were compared, what
the gate said. A release against itself (with a changed README, so that nothing is known beforehand) must change nothing
and pass. Usage: bench_branches.py [--only LIST] [--projects NAME,...] [--json FILE] [--folder KEPT_HISTORIES]
"""

from __future__ import annotations

import argparse
import itertools
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

from release_history import PROJECTS, git, history

from qualityscore.model.report import Report
from qualityscore.pipeline import evaluate

QUICK = ("functional", "maintainability", "security", "robustness")


def summary(report: Report) -> dict[str, object]:
    """What a step came to."""
    assert report.branch is not None
    tests, names, findings = report.branch.tests, report.branch.names, report.branch.findings
    lists = (
        "broken",
        "removed",
        "skipped",
        "weakened",
        "undermined",
        "failing",
        "rewritten",
        "moved",
        "flaky",
        "fixed",
    )
    return {
        "expected": tests.expected if tests else None,
        "passed": tests.passed if tests else None,
        "failing_before": tests.failing_before if tests else None,
        "changes": {name: len(getattr(tests, name)) for name in lists if tests and getattr(tests, name)},
        "names": [names.defined, names.expected] if names else None,
        "lost": [f"{c.name} ({c.state})" for c in names.lost][:8] if names else [],
        "findings": [len(findings.new), len(findings.fixed), findings.unchanged] if findings else None,
        "gate": report.gate.passed if report.gate else None,
        "failed": [c.name for c in report.gate.failed] if report.gate else [],
        "functional": report.functional.score,
        "non_functional": report.non_functional.score,
        "faults": [f"{f.stage}: {f.reason}" for f in report.faults],
        "notes": list(report.branch.notes),
    }


def is_usable(step: dict[str, object]) -> bool:
    """A step ran without help: tests that pass were compared, and nothing failed on our side."""
    return bool(step.get("expected")) and not step.get("faults") and "error" not in step


def measure(repository: Path, baseline: str, only: tuple[str, ...] | None) -> dict[str, object]:
    """One comparison, timed."""
    began = time.monotonic()
    try:
        step = summary(evaluate(repository, baseline=baseline, only=only))
    except Exception as error:  # the bench goes on, and shows it
        step = {"error": f"{type(error).__name__}: {error}"}
    return {**step, "seconds": round(time.monotonic() - began, 1)}


def bench(name: str, versions: tuple[str, ...], folder: Path, only: tuple[str, ...] | None) -> dict[str, object]:
    """All steps of one project."""
    repository = folder / name
    if not repository.is_dir():
        history(name, versions, folder)
    steps: dict[str, object] = {}
    for before, after in itertools.pairwise(versions):
        git(repository, "checkout", "-q", "--force", f"v{after}")
        git(repository, "clean", "-q", "-d", "--force", "-x")
        steps[f"{before} to {after}"] = measure(repository, f"v{before}", only)
        show(f"{name} {before} to {after}", steps[f"{before} to {after}"])
    (repository / "ADDED-NOTE.md").write_text("Nothing of the code has changed.\n")
    steps["itself"] = measure(repository, "HEAD", only)
    (repository / "ADDED-NOTE.md").unlink()
    show(f"{name} {versions[-1]} to itself", steps["itself"])
    return steps


def show(title: str, step: object) -> None:
    """One line per step."""
    assert isinstance(step, dict)
    if "error" in step:
        sys.stdout.write(f"{title}: {step['error']}\n")
    else:
        words = f"{step['passed']}/{step['expected']} tests, names {step['names']}, findings {step['findings']}"
        gate = "passed" if step["gate"] else f"failed: {', '.join(step['failed'])}"
        sys.stdout.write(f"{title}: {words}, {step['changes']}, gate {gate}, {step['seconds']} s\n")
        for line in (*step["faults"], *step["notes"]):
            sys.stdout.write(f"    {line}\n")
    sys.stdout.flush()


def main() -> int:
    """Measure, print, and say by the status whether enough ran without help and nothing changed against itself."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--projects", default=",".join(PROJECTS))
    parser.add_argument("--only", default=",".join(QUICK), help="as evaluate's; empty for everything")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--folder", type=Path, help="where the histories are kept")
    options = parser.parse_args()
    only = tuple(word for word in options.only.split(",") if word) or None
    chosen = options.projects.split(",")
    folder = options.folder or Path(tempfile.mkdtemp(prefix="qualityscore-histories-"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        results = {name: bench(name, PROJECTS[name], folder, only) for name in chosen}
    finally:
        if options.folder is None:
            shutil.rmtree(folder, ignore_errors=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")
    smooth = [name for name, steps in results.items() if all(is_usable(step) for step in steps.values())]  # type: ignore[arg-type]
    still = [name for name, steps in results.items() if is_still(steps["itself"])]
    sys.stdout.write(f"without help: {len(smooth)} of {len(results)} ({', '.join(smooth)})\n")
    sys.stdout.write(f"nothing changed against itself: {len(still)} of {len(results)}\n")
    return 0 if len(smooth) >= 0.8 * len(results) and len(still) == len(results) else 1


def is_still(step: object) -> bool:
    """Nothing broke, nothing is new, and the gate passes."""
    assert isinstance(step, dict)
    return (
        is_usable(step) and step["gate"] is True and not step["changes"] and (step["findings"] or [0, 0])[:2] == [0, 0]
    )


if __name__ == "__main__":
    sys.exit(main())
