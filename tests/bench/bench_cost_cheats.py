"""Ten cheats and accidents beside plain twins, while another process loads the other core: none may score better.

Each is a subject of the small task with one workload. Printed are the scores of efficiency and of resource usage with
their intervals, and the ratios of the four measures; MISSED where the cheat scores better than its twin, in a dimension
or a measure, beyond both intervals and 0.01. Known limits are shown and not judged. Then imports: lazy and eager ones
must cost the same within 3 %, a table built by the import must be charged.

    bench_cost_cheats.py [--quick] [--counter valgrind|cpu] [--only NAME,NAME] [--idle]

In slices: with `--append FILE` what FILE holds is not played again, `--summary --append FILE` judges what it holds.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from cost_setup import (
    DIMENSIONS,
    SMALL_TASK,
    Results,
    arguments,
    busy_other_core,
    dimension,
    lacking,
    measures,
    small_target,
    with_workloads,
)

from qualityscore.model.cost import CostOutcome
from qualityscore.model.task import Task
from qualityscore.runtime.tasks import load_task
from qualityscore.suites import cost
from tests.e2e.cost.cheats import CHEATS, LIMITS, ONE_WORKLOAD, REFERENCE, Cheat, shipped_answers, variant

ITEMS = 30_000
SLACK = 0.01
LAZY_BOUND = 0.03
QUICK = ("sleeping", "work at import")
SHIPPED = "a table shipped as data"
EAGER = variant("import json, re", "", plain="re.compile('a')")
LAZY = variant(plain="import json, re; re.compile('a')")
TABLE = f"TABLE = [i * i % 7 for i in range(2_000_000)]\n{EAGER}"
IMPORTS = {"eager import": EAGER, "lazy import": LAZY, "table import": TABLE}
Files = dict[str, str | bytes]


@dataclass(slots=True)
class Judge:
    """Evaluates subjects, each beside a reference that is measured once for its workloads."""

    counter: str
    place: Path
    tasks: dict[str, Task] = field(default_factory=dict)
    twins: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)

    def task(self, workloads: str) -> Task:
        """The small task with these workloads."""
        if workloads not in self.tasks:
            probes = self.place / f"{self.counter}-{len(self.tasks)}"
            more = f"Index.n = {ITEMS}\n{workloads}"
            self.tasks[workloads] = with_workloads(load_task(str(SMALL_TASK)), probes, more)
        return self.tasks[workloads]

    def evaluate(self, files: Files, workloads: str = ONE_WORKLOAD, reference: str = REFERENCE) -> dict[str, Any]:
        """What the report says of a subject of these files."""
        task, root = self.task(workloads), self.place / "cache"
        with small_target(task, files) as subject, small_target(task, {"tally.py": reference}) as other:
            return raw(cost.run(subject, replace(other, is_reference=True), counter=self.counter, root=root))

    def twin(self, cheat: Cheat) -> dict[str, Any]:
        """The same of a cheat's plain twin."""
        key = cheat.plain, cheat.workloads
        if key not in self.twins:
            self.twins[key] = self.evaluate({"tally.py": cheat.plain}, cheat.workloads)
        return self.twins[key]


def raw(found: CostOutcome) -> dict[str, Any]:
    """Scores with their bounds by dimension and measure, ratios, and what is unmeasured or worthless and why."""
    reports = {id_: dimension(found, id_) for id_ in DIMENSIONS} | measures(found)
    return {
        "scores": {id_: [report.low, report.score, report.high] for id_, report in reports.items()},
        "ratios": {id_: report.ratio for id_, report in measures(found).items()},
        "lacking": {id_: why for id_, report in measures(found).items() if (why := lacking(report)) is not None},
    }


def show(name: str, found: dict[str, Any]) -> None:
    """Print scores and ratios, and what is unmeasured or worthless and why."""
    scores = []
    for id_ in DIMENSIONS:
        low, score, high = found["scores"][id_]
        scores.append(f"{id_} {' none' if score is None else f'{score:.3f}'} [{low:.3f}, {high:.3f}]")
    ratios = ", ".join(f"{id_} {'-' if ratio is None else f'{ratio:.3f}'}" for id_, ratio in found["ratios"].items())
    print(f"  {name:<8} {'  '.join(scores)}  ({ratios})", flush=True)
    for id_, why in found["lacking"].items():
        print(f"           {id_}: {why}")


def gains(cheat: dict[str, Any], plain: dict[str, Any]) -> Iterator[str]:
    """The dimensions and measures in which the cheat is better than its twin beyond the intervals.

    What is unmeasured reaches from the least to the most it could be, and is better than nothing.
    """
    for id_, (low, _, _) in cheat["scores"].items():
        if low > plain["scores"][id_][2] + SLACK:
            yield id_


def play(judge: Judge, name: str, results: Results) -> None:
    """Evaluate a cheat and its twin, or an import."""
    if name in IMPORTS:
        results.add(
            counter=judge.counter, name=name, found=judge.evaluate({"tally.py": IMPORTS[name]}, reference=EAGER)
        )
        return
    cheat = (CHEATS | LIMITS).get(name) or Cheat(cheating="")
    files: Files = {"tally.py": cheat.cheating}
    if name == SHIPPED:
        files = shipped_answers(judge.task(cheat.workloads).probes_folder, ITEMS)
    plain, found = judge.twin(cheat), judge.evaluate(files, cheat.workloads)
    results.add(counter=judge.counter, name=name, plain=plain, found=found)


def cheat_summary(counter: str, row: dict[str, Any]) -> bool:
    """Print a cheat beside its twin; whether it does not gain, or is a known limit."""
    gained = list(gains(row["found"], row["plain"]))
    judged = row["name"] in CHEATS
    verdict = "ok" if not gained else f"{'MISSED' if judged else 'a limit'}: better in {', '.join(gained)}"
    print(f"{row['name']}, {counter}: {verdict}")
    show("plain", row["plain"])
    show("cheating", row["found"])
    return not (judged and gained)


def import_summary(counter: str, row: dict[str, Any]) -> bool:
    """Print what an import costs; whether lazy and eager ones cost the same, and a table built by it is charged."""
    name, found = row["name"], row["found"]
    missing, ratio = found["lacking"].get("workload.cost"), found["ratios"]["workload.cost"] or 0.0
    imported = found["ratios"]["import.cost"]
    if name == "table import":
        within = missing is None and ratio < 1 - LAZY_BOUND and imported is not None and imported < 1 - LAZY_BOUND
        wanted = f"both below {1 - LAZY_BOUND:.2f}"
    else:
        within = missing is None and abs(ratio - 1) <= LAZY_BOUND
        wanted = f"workloads within {LAZY_BOUND:.0%} of 1"
    said = f"workload.cost {ratio:.4f}, import.cost {'-' if imported is None else f'{imported:.4f}'}"
    print(f"{name}, {counter}: {missing or said} ({wanted}) {'ok' if within else 'MISSED'}", flush=True)
    return within


def main() -> int:
    parser = arguments(__doc__, ("valgrind", "cpu"))
    parser.add_argument("--only", help="names of cheats, limits and imports, separated by commas")
    given = parser.parse_args()
    every = [*CHEATS, *LIMITS, SHIPPED, *IMPORTS]
    wanted = [*QUICK, *IMPORTS] if given.quick else given.only.split(",") if given.only else every
    if unknown := set(wanted) - set(every):
        parser.error(f"{', '.join(sorted(unknown))}: there are {', '.join(every)}")
    results = Results("cheats", given.append, busy=not given.idle)
    good = True
    with busy_other_core(not (given.idle or given.summary)), tempfile.TemporaryDirectory() as folder:
        for counter in given.counter or (["valgrind"] if given.quick else ["valgrind", "cpu"]):
            judge = Judge(counter, Path(folder))
            for name in wanted:
                if not given.summary and not results.of(counter=counter, name=name):
                    play(judge, name, results)
                rows = results.of(counter=counter, name=name)
                if not rows:
                    print(f"{name}, {counter}: MISSED, it was not played")
                    good = False
                for row in rows:
                    good = (import_summary if name in IMPORTS else cheat_summary)(counter, row) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
