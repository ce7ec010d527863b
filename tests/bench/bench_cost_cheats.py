"""Ten cheats and accidents beside plain twins, while another process loads the other core: none may score better.

Each is a subject of the small task with one workload. Printed are the scores of efficiency and of resource usage with
their intervals, and the ratios of the four measures; MISSED where the cheat scores better than its twin, in a dimension
or a measure, beyond both intervals and 0.01. Known limits are shown and not judged. Then imports: lazy and eager ones
must cost the same within 3 %, a table built by the import must be charged.

    bench_cost_cheats.py [--quick] [--counter valgrind|cpu] [--only NAME,NAME] [--idle]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from cost_setup import (
    DIMENSIONS,
    SMALL_TASK,
    busy_other_core,
    dimension,
    lacking,
    measures,
    small_target,
    with_workloads,
)

from qualityscore.model.cost import CostOutcome
from qualityscore.model.report import DimensionReport, MeasureReport
from qualityscore.model.task import Task
from qualityscore.runtime.tasks import load_task
from qualityscore.suites import cost
from tests.e2e.cost.cheats import CHEATS, LIMITS, PLAIN, REFERENCE, shipped_answers, variant

ITEMS = 30_000
SLACK = 0.01
LAZY_BOUND = 0.03
QUICK = ("sleeping", "work at import")
ONE_WORKLOAD = f"Index.n = {ITEMS}\nWORKLOADS = [w for w in WORKLOADS if w.id == 'plain']\n"
SHIPPED = "a table shipped as data"
EAGER = variant("import json, re", "", plain="re.compile('a')")
LAZY = variant(plain="import json, re; re.compile('a')")
TABLE = f"TABLE = [i * i % 7 for i in range(2_000_000)]\n{EAGER}"


@dataclass(frozen=True, slots=True)
class Judge:
    """Evaluates subjects beside one reference of a task, which is measured once."""

    task: Task
    counter: str
    root: Path

    def evaluate(self, files: dict[str, str | bytes], reference: str = REFERENCE) -> CostOutcome:
        """The outcome of a subject of these files."""
        with small_target(self.task, files) as subject, small_target(self.task, {"tally.py": reference}) as other:
            return cost.run(subject, replace(other, is_reference=True), counter=self.counter, root=self.root)


def show(name: str, found: CostOutcome) -> None:
    """Print scores and ratios, and what is unmeasured or worthless and why."""
    scores = []
    for id_ in DIMENSIONS:
        report = dimension(found, id_)
        score = " none" if report.score is None else f"{report.score:.3f}"
        scores.append(f"{id_} {score} [{report.low:.3f}, {report.high:.3f}]")
    reports = measures(found).values()
    ratios = ", ".join(f"{m.id} {'-' if m.ratio is None else f'{m.ratio:.3f}'}" for m in reports)
    print(f"  {name:<8} {'  '.join(scores)}  ({ratios})", flush=True)
    for report in reports:
        if (why := lacking(report)) is not None:
            print(f"           {report.id}: {why}")


def gains(cheat: CostOutcome, plain: CostOutcome) -> Iterator[str]:
    """The dimensions and measures in which the cheat is better than its twin beyond the intervals."""
    for id_ in DIMENSIONS:
        if _better(dimension(cheat, id_), dimension(plain, id_)):
            yield id_
    twins = measures(plain)
    for id_, report in measures(cheat).items():
        if _better(report, twins[id_]):
            yield id_


def _better(mine: DimensionReport | MeasureReport, theirs: DimensionReport | MeasureReport) -> bool:
    """What is unmeasured reaches from the least to the most it could be, and is better than nothing."""
    assert mine.low is not None
    assert theirs.high is not None
    return mine.low > theirs.high + SLACK


def cheats(judge: Judge, wanted: list[str]) -> bool:
    """Print every cheat beside its twin; whether none gains."""
    twins: dict[str, CostOutcome] = {}
    good = True
    for name in wanted:
        cheat = (CHEATS | LIMITS).get(name)
        source = PLAIN if cheat is None else cheat.plain
        if source not in twins:
            twins[source] = judge.evaluate({"tally.py": source})
        files = shipped_answers(judge.task.probes_folder, ITEMS) if cheat is None else {"tally.py": cheat.cheating}
        found = judge.evaluate(files)
        gained = list(gains(found, twins[source]))
        judged = name in CHEATS
        good = good and not (judged and gained)
        verdict = "ok" if not gained else f"{'MISSED' if judged else 'a limit'}: better in {', '.join(gained)}"
        print(f"{name}, {judge.counter}: {verdict}")
        show("plain", twins[source])
        show("cheating", found)
    return good


def imports(judge: Judge) -> bool:
    """Print lazy and eager imports of the same reference, and a table built by the import; whether both are charged."""
    good = True
    for name, source in (("eager", EAGER), ("lazy", LAZY), ("table", TABLE)):
        found = judge.evaluate({"tally.py": source}, EAGER)
        report = measures(found)["workload.cost"]
        missing, ratio = lacking(report), report.ratio or 0.0
        imported = measures(found)["import.cost"].ratio
        if name == "table":
            within = missing is None and ratio < 1 - LAZY_BOUND and imported is not None and imported < 1 - LAZY_BOUND
            wanted = f"both below {1 - LAZY_BOUND:.2f}"
        else:
            within = missing is None and abs(ratio - 1) <= LAZY_BOUND
            wanted = f"workloads within {LAZY_BOUND:.0%} of 1"
        good = good and within
        said = f"workload.cost {ratio:.4f}, import.cost {'-' if imported is None else f'{imported:.4f}'}"
        print(
            f"{name} import, {judge.counter}: {missing or said} ({wanted}) {'ok' if within else 'MISSED'}", flush=True
        )
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{' and '.join(QUICK)} by counts, and the imports")
    parser.add_argument("--counter", choices=("valgrind", "cpu"), action="append", help="default: both")
    parser.add_argument("--only", help="names of cheats and of limits, or `imports`, separated by commas")
    parser.add_argument("--idle", action="store_true", help="leave the other core idle")
    given = parser.parse_args()
    every = [*CHEATS, *LIMITS, SHIPPED, "imports"]
    wanted = [*QUICK, "imports"] if given.quick else given.only.split(",") if given.only else every
    if unknown := set(wanted) - set(every):
        parser.error(f"{', '.join(sorted(unknown))}: there are {', '.join(every)}")
    good = True
    with busy_other_core(not given.idle), tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        task = with_workloads(load_task(str(SMALL_TASK)), place / "probes", ONE_WORKLOAD)
        for counter in given.counter or (["valgrind"] if given.quick else ["valgrind", "cpu"]):
            judge = Judge(task, counter, place / "cache")
            good = cheats(judge, [name for name in wanted if name != "imports"]) and good
            if "imports" in wanted:
                good = imports(judge) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
