"""One sandboxed launch of the workload supervisor: a plan of units in, what the kernel said about each of them out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from qualityscore.errors import ToolError
from qualityscore.model.measure import Fault
from qualityscore.runtime.leases import spare_cpus
from qualityscore.runtime.process import Exited, Limits
from qualityscore.runtime.sandbox.base import SUBJECT_DIR, SUITE_DIR, Launch, Level
from qualityscore.runtime.sandbox.scenery import environment as child_environment
from qualityscore.runtime.supervision import standard_hidden
from qualityscore.runtime.target import Target
from qualityscore.suites.cost_kit import INPUTS_DIR, Bench, Workload, python_words, site_packages

OWN_DIR = "/tmp/qs-own"
START_TIMEOUT_S = {"single": 30.0, "heap": 60.0, "count": 120.0}
SLOWDOWN = {"single": 1.0, "heap": 12.0, "count": 60.0}  # generous bounds on what the tools cost in time
LONGEST_UNIT_S = 240.0
BUDGET = "budget"
SCRATCH_BYTES = 1 << 30
FILE_BYTES = 1 << 30
MESSAGE_BYTES = 1 << 20
_SINGLE_THREADED = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_TOOL_MEMORY = {"single": 0, "heap": 1 << 30, "count": 3 << 30}
VALGRIND = (
    *("/usr/bin/valgrind", "-q", "--tool=cachegrind", "--cache-sim=no", "--branch-sim=no", "--trace-children=yes"),
    *("--vgdb=no", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"),
    f"--cachegrind-out-file={OWN_DIR}/%p",
)


class Mode(StrEnum):
    """How a plan is run; the words of the supervisor."""

    SINGLE = "single"
    HEAP = "heap"
    COUNT = "count"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One run: a workload at one size, or the import alone. With `loading` the inputs are loaded and nothing is run.

    Without `digest` the body is run and its result dropped.
    """

    workload: str | None = None
    size: int = 0
    input: str | None = None
    loading: bool = False
    digest: bool = True

    @property
    def id(self) -> str:
        """Unique within a plan."""
        name = self.workload or "import"
        what = "load " if self.loading else "" if self.digest else "no digest "
        return f"{what}{name}@{self.size}"


def unit_of(workload: Workload, size: int, *, loading: bool = False) -> Unit:
    """The unit that runs `workload` at `size`."""
    return Unit(workload=workload.id, size=size, input=f"{INPUTS_DIR}/{workload.inputs[size]}", loading=loading)


IMPORT = Unit()


class Count(BaseModel):
    """What valgrind counted in one process of a unit."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    main: bool
    instructions: int | None


class Heap(BaseModel):
    """What memray recorded."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    peak_bytes: int
    allocations: int
    allocated_bytes: int | None
    timeline: list[tuple[float, int]]
    children: int
    children_peak_bytes: int


class UnitRun(BaseModel):
    """What became of one unit. Times in seconds, sizes in bytes, None where it does not apply or was not reached."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    event: Literal["unit"]
    unit: str
    state: Literal["ok", "failed", "exited", "timeout", "flooded", "nonsense", "not_run", "starved"]
    stage: Literal["tool", "import", "load", "body", "exit", "done", "budget"]
    error: str | None = None
    output: str = ""
    exit: int | None = None
    signal: int | None = None
    digest: str | None = None
    digest_bytes: int | None = None
    counts: tuple[Count, ...] | None = None
    import_cpu_s: float | None = None
    start_cpu_s: float | None = None
    load_cpu_s: float | None = None
    body_own_cpu_s: float | None = None
    body_wall_s: float | None = None
    body_queued_s: float | None = None
    cpu_s: float | None = None
    wall_s: float | None = None
    rss_loaded_bytes: int | None = None
    hwm_bytes: int | None = None
    maxrss_bytes: int | None = None
    tree_peak_bytes: int | None = None
    alone_peak_bytes: int | None = None
    threads_at_import: int | None = None
    threads_left: int | None = None
    descriptors_left: int | None = None
    processes_left: int | None = None
    tasks_started: int | None = None
    orphans: int | None = None
    temp_bytes: int | None = None
    written_bytes: int | None = None
    heap: Heap | None = None
    heap_error: str | None = None
    zygote_lost: bool = False

    @property
    def ok(self) -> bool:
        """It ran to its end."""
        return self.state == "ok"

    @property
    def instructions(self) -> int | None:
        """Instructions of all its processes; None where one could not be counted to its end, or escaped."""
        if not self.ok or not self.counts or not any(c.main for c in self.counts) or self.orphans:
            return None
        total = 0
        for count in self.counts:
            if count.instructions is None:
                return None
            total += count.instructions
        return total

    @property
    def body_cpu_s(self) -> float | None:
        """CPU of the process tree after the inputs were loaded; without what its end costs, where it was alone."""
        if self.cpu_s is None or self.start_cpu_s is None or self.load_cpu_s is None:
            return None
        if self.tasks_started == 0 and self.body_own_cpu_s is not None:
            return self.body_own_cpu_s
        return max(0.0, self.cpu_s - self.start_cpu_s - self.load_cpu_s)

    @property
    def idle_s(self) -> float | None:
        """Wall time of the body in which it neither ran nor waited for a core."""
        body = self.body_cpu_s
        if body is None or self.body_wall_s is None:
            return None
        return max(0.0, self.body_wall_s - body - (self.body_queued_s or 0.0))

    @property
    def peak_bytes(self) -> int | None:
        """Peak resident memory of the tree: the process's own high-water mark, or what was sampled above it."""
        sampled = (self.tree_peak_bytes, self.alone_peak_bytes)
        known = [b for b in (self.hwm_bytes or self.maxrss_bytes, *sampled) if b is not None]
        return max(known) if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Why a unit gave no number, and whose doing that is."""

    reason: str
    fault: Fault


def trouble(run: UnitRun | None, *, is_reference: bool, timeout_s: float) -> Trouble | None:
    """What went wrong in a unit; None for one that ran to its end."""
    mine = Fault.REFERENCE if is_reference else Fault.SUBJECT
    if run is None:
        return Trouble(reason="the supervisor did not report it", fault=Fault.HARNESS)
    if run.stage == "tool":
        return Trouble(reason=f"memray cannot start: {' '.join(run.output.split())[-200:]}", fault=Fault.HARNESS)
    where = {"import": "importing the surface", "load": "loading the workloads"}.get(run.stage, "the workload")
    match run.state:
        case "ok":
            return None
        case "not_run":
            return Trouble(reason=BUDGET, fault=Fault.HARNESS)
        case "starved":
            return Trouble(reason="no time was left for it by runs that did not end", fault=mine)
        case "failed":
            # also while inputs are loaded: the reference loads the same ones, and code can make its own loading fail
            return Trouble(reason=f"{where} raised {_said(run.error or '')}", fault=mine)
        case "timeout":
            return Trouble(reason=f"{where} took longer than {timeout_s:g} s", fault=mine)
        case "flooded":
            return Trouble(reason=f"{where} gave a result of more than {MESSAGE_BYTES} bytes", fault=mine)
        case "nonsense":
            return Trouble(reason=f"{where} disturbed its own measurement", fault=mine)
        case "exited":
            how = f"was killed by signal {run.signal}" if run.signal else f"left with status {run.exit}"
            printed = " ".join(run.output.split())[-200:]
            return Trouble(reason=f"{where} {how}{f': {printed}' if printed else ''}", fault=mine)


def other_result(run: UnitRun | None, bench: Bench, workload: Workload) -> Trouble | None:
    """What is wrong with a run that ended well, but with another result than every run must give."""
    wanted = bench.right.get(workload.id)
    if run is None or not run.ok or wanted is None or run.digest == wanted:
        return None
    return Trouble(
        reason="the result differs from the reference's",
        fault=Fault.REFERENCE if bench.target.is_reference else Fault.SUBJECT,
    )


def flaky(problems: Sequence[Trouble], runs: int) -> Trouble:
    """The trouble of a unit that fails only sometimes: its rate, and what the first failure was."""
    first = problems[0]
    return Trouble(
        reason=f"flaky: {len(problems)} of {runs} runs without the right result ({first.reason})", fault=first.fault
    )


def _said(error: str) -> str:
    """`Type: text (file:line in function)` from the child's description; the innermost frame in the subject counts."""
    kind, text, *frames = [*error.split("\0"), "", ""][: max(2, error.count("\0") + 1)]
    places = [frames[i : i + 3] for i in range(0, len(frames) - 2, 3)]
    inside = [p for p in places if p[0].startswith(SUBJECT_DIR + "/")]
    said = f"{kind}: {' '.join(text.split())[:300]}" if text else kind
    if inside:
        file, line, function = inside[-1]
        said += f" ({file.removeprefix(SUBJECT_DIR + '/')}:{line} in {function})"
    return said


def unit_timeout_s(target: Target, mode: Mode) -> float:
    """The wall time that one unit may take: the task's limit, stretched by what the tool costs."""
    spec = target.task.spec.suites.get("cost")
    own = spec.test_timeout_s if spec else START_TIMEOUT_S[mode]
    return own if mode is Mode.SINGLE else min(own * SLOWDOWN[mode], max(own, LONGEST_UNIT_S))


def run_units(
    bench: Bench,
    mode: Mode,
    units: Sequence[Unit],
    *,
    with_subject: bool = True,
    gc: bool = False,
    sample: bool = False,
    statistics: bool = False,
    cpus: tuple[int, ...] | None = None,
    keeper_cpus: tuple[int, ...] | None = None,
) -> dict[str, UnitRun]:
    """Run `units` in one launch. `gc` leaves the collector on; `sample` watches the tree's memory; `cpus` pins;
    `statistics` asks memray for the allocated bytes and the heap over time as well.

    Units for which the bench's deadline leaves no time are reported as not run.

    Raises ToolError when the supervisor does not come to its end.
    """
    target = bench.target
    spec = target.task.spec.suites.get("cost")
    unit_s = unit_timeout_s(target, mode)
    whole = (spec.total_timeout_s if spec else 300.0) * SLOWDOWN[mode]
    left_s = bench.left_s
    total = min(whole, left_s)
    if total == 0:
        return {u.id: UnitRun(event="unit", unit=u.id, state="not_run", stage="budget") for u in units}
    memory = (spec.memory_mib if spec else 1024) << 20
    argv = [*python_words(target.environment, "workload_child.py")]
    site = site_packages(target.environment)
    if mode is Mode.COUNT:
        argv = [*VALGRIND, *argv]
    contained = target.sandbox.level is not Level.NONE
    variables = child_environment(_SINGLE_THREADED)
    plan: dict[str, Any] = {
        "mode": mode.value,
        "argv": argv,
        "peak_argv": [*python_words(target.environment, "workload_peak.py"), site],
        "env": variables,
        "limits": {
            "message_bytes": MESSAGE_BYTES,
            "cpu_s": int(unit_s) + 30,
            "memory_bytes": memory + _TOOL_MEMORY[mode],
            "file_bytes": FILE_BYTES,
        },
        "cpus": list(cpus) if cpus else None,
        "keeper_cpus": list(keeper_cpus) if keeper_cpus else None,
        "sample": sample,
        "statistics": statistics,
        "setup": {
            "gc": gc,
            "record": f"{OWN_DIR}/record" if mode is Mode.HEAP else "",
            "variables": sorted(variables),
            "roots": [SUBJECT_DIR if r == "." else f"{SUBJECT_DIR}/{r}" for r in target.tree.import_roots]
            if with_subject
            else [],
            "site": [site] if with_subject else [],
            "modules": list(target.task.spec.surface.imports) if with_subject else [],
            "suite": SUITE_DIR if any(u.workload and not u.loading for u in units) else "",
        },
        "units": [
            {"id": u.id, "workload": None if u.loading else u.workload, "input": u.input, "digest": u.digest}
            for u in units
        ],
        "unit_timeout_s": unit_s,
        "start_timeout_s": START_TIMEOUT_S[mode],
        "total_timeout_s": total,
        # without a filesystem of its own, what lies outside the launch's folder is the host's
        "writable": ["/tmp", "/tmp/work", "/tmp/home", *(["/dev/shm"] if contained else [])],
        "own": OWN_DIR,
    }
    launch = Launch(
        argv=(target.environment.python, "-sPB", f"{python_words(target.environment, 'workload_supervisor.py')[-1]}"),
        mounts=bench.mounts,
        env={},
        limits=Limits(
            wall_s=total + START_TIMEOUT_S[mode],
            cpu_s=None,
            memory_bytes=None,
            processes=(spec.processes if spec else 64) + 8,
            file_size_bytes=None,
            open_files=1024,
            output_bytes=(64 << 10) * (len(units) + 1),
        ),
        scratch_bytes=SCRATCH_BYTES,
        stdin=json.dumps(plan).encode(),
        cpus=None if cpus else spare_cpus(),
        hidden=standard_hidden(target),
    )
    outcome = target.sandbox.run(launch)
    runs = _decode(outcome.stdout, outcome if isinstance(outcome, Exited) else None, outcome.stderr)
    if left_s < whole and total < unit_s:
        return runs  # a unit may have been stopped by the deadline before its own time was over
    return starved(runs, whole=left_s >= whole)


def starved(runs: dict[str, UnitRun], *, whole: bool = True) -> dict[str, UnitRun]:
    """The runs of one launch in which each unit could have had its own time, in order.

    Those that were not run are marked where the time went to units that hung; a first one that was not run hung, too,
    if the launch had the suite's `whole` time.
    """
    hung = any(run.state == "timeout" for run in runs.values())
    first_hung = whole and bool(runs) and next(iter(runs.values())).state == "not_run"
    if not hung and not first_hung:
        return runs
    return {
        id_: run.model_copy(update={"state": "starved"}) if run.state == "not_run" else run for id_, run in runs.items()
    }


def _decode(stdout: bytes, exited: Exited | None, stderr: bytes) -> dict[str, UnitRun]:
    runs: dict[str, UnitRun] = {}
    complete = False
    for line in stdout.splitlines():
        if line.startswith(b'{"event": "end"'):
            complete = True
            continue
        try:
            run = UnitRun.model_validate_json(line)
        except ValidationError as error:
            raise ToolError(
                f"The workload supervisor wrote what cannot be read: {error.errors()[0]['msg']}."
            ) from error
        runs[run.unit] = run
    if not complete:
        how = "was stopped by a limit" if exited is None else f"ended with status {exited.code}"
        said = " ".join(stderr.decode("utf-8", "replace").split())[-300:]
        raise ToolError(f"The workload supervisor {how} before its end{f': {said}' if said else ''}.")
    return runs
