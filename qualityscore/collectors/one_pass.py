"""The one pass: every production file read once, given to all tools in worker processes, results cached per file.

Tools do not see the repository but a shadow of it that holds only the Python files that could be read, as regular
files: no configuration, no compiled modules, no links, pipes or devices.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qualityscore.collectors.context import FileFacts, StaticContext, StaticFacts
from qualityscore.collectors.file_facts import decode_facts, with_lint, without
from qualityscore.collectors.hidden_code import may_hide_code
from qualityscore.collectors.result_keys import facts_key, lint_keys, tool_versions
from qualityscore.errors import ToolError
from qualityscore.languages.python_imports import module_name
from qualityscore.languages.python_source import (
    MAX_SOURCE_BYTES,
    SOURCE_SUFFIXES,
    RawFile,
    Unparsable,
    count_code_lines,
    read_raw,
)
from qualityscore.runtime.scratch import scratch_folder
from qualityscore.runtime.static_cache import StaticCache
from qualityscore.runtime.workers import Done, Job, JobOutcome, Lost, Raised, deal, run_jobs

OBSERVE = "observe:observe"
OBSERVE_DATA = "observe:observe_data"
LINT = "pylint_tool:lint"

_TOOLS = {OBSERVE: "bandit", OBSERVE_DATA: "reader", LINT: "pylint"}
_PREPARE_CPU_S = 60.0
_MEMORY_BYTES = 3 << 29  # of address space; a worker's stack reserves 256 MiB of it
_FIXED_WEIGHT = 1000  # a file's fixed cost, in bytes of source
_LINT_WEIGHT = 4  # pylint's time per byte, in units of everything else's


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """The files as read: production sources that tools may be given, what was refused, support and data files."""

    sources: Mapping[str, RawFile]
    refused: Mapping[str, Unparsable]
    support: Mapping[str, RawFile]
    data: Mapping[str, RawFile]


def observe(context: StaticContext, on_progress: Callable[[int, int], None] | None = None) -> StaticFacts:
    """Look at every production file of a repository.

    `on_progress` is told how many answers of how many are there. Raises ToolError when the tools themselves do not
    work or the stage's time is up: neither is a fault of the code.
    """
    with scratch_folder("qualityscore-static-") as folder:
        return _Pass(context, folder, on_progress).run()


class _Pass:
    """One run of `observe`: asks the cache first, has the rest worked on in two rounds, keeps the answers.

    What pylint says of a file holds as long as everything that the file imports stays the same, so round one reads
    the imports of new files (and lints those files, which need it in any case), and round two lints what depends on
    something that changed.
    """

    def __init__(self, context: StaticContext, folder: Path, on_progress: Callable[[int, int], None] | None) -> None:
        self._context = context
        self._shadow = folder / "shadow"
        self._scratch = folder / "scratch"
        self._cache = StaticCache(context.cache)
        self._on_progress = on_progress
        self._read = _read(context)
        self._outcomes: dict[tuple[str, str], JobOutcome] = {}
        self._written = False

    def run(self) -> StaticFacts:
        """See `observe`."""
        read = self._read
        keys = {path: facts_key(file) for path, file in read.sources.items()}
        data_keys = {path: facts_key(file, is_data=True) for path, file in read.data.items()}
        known = self._cache.get(sorted({*keys.values(), *data_keys.values()}))

        new = [path for path, key in keys.items() if key not in known]
        new_data = [path for path, key in data_keys.items() if key not in known]
        self._work(observe=new, data=new_data, lint=new)
        facts = {path: known[key] for path, key in keys.items() if key in known} | self._answers(OBSERVE)
        hidden = {path: known[key] for path, key in data_keys.items() if key in known} | self._answers(OBSERVE_DATA)

        lint_of = lint_keys(self._context, read.sources, read.support, facts)
        linted = self._cache.get(sorted({key for path, key in lint_of.items() if path not in set(new)}))
        self._work(lint=[p for p, key in lint_of.items() if key not in linted and (LINT, p) not in self._outcomes])
        lint = {path: linted[key] for path, key in lint_of.items() if key in linted} | self._answers(LINT)

        self._cache.put(
            {keys[path]: value for path, value in self._answers(OBSERVE).items()}
            | {data_keys[path]: value for path, value in self._answers(OBSERVE_DATA).items()}
            | {lint_of[path]: value for path, value in self._answers(LINT).items() if path in lint_of}
        )
        return StaticFacts(
            files=tuple(self._facts(path, facts, lint) for path in sorted(self._context.files)),
            hidden_code=tuple((path, hidden[path]) for path in sorted(hidden) if hidden[path] is not None),
            tool_versions=tool_versions(),
        )

    def _facts(self, path: str, facts: Mapping[str, Any], lint: Mapping[str, Any]) -> FileFacts:
        refused = self._read.refused.get(path)
        if refused is not None:
            return FileFacts(path=path, digest=refused.digest, unparsable=refused)
        file = self._read.sources[path]
        if path in facts:
            found = decode_facts(path, file.digest, facts[path])
        else:
            found = self._without(FileFacts(path=path, digest=file.digest), OBSERVE)
        if path in lint:
            return with_lint(found, lint[path], count_code_lines(file.raw))
        return self._without(found, LINT)

    def _without(self, facts: FileFacts, call: str) -> FileFacts:
        match self._outcomes.get((call, facts.path)):
            case Raised(error=reason) | Lost(reason=reason):
                lines = count_code_lines(self._read.sources[facts.path].raw)
                return without(facts, tool=_TOOLS[call], reason=reason, code_lines=lines)
            case _:
                return facts

    def _answers(self, call: str) -> dict[str, Any]:
        return {
            path: outcome.value
            for (called, path), outcome in self._outcomes.items()
            if called == call and isinstance(outcome, Done)
        }

    def _work(self, *, lint: Iterable[str], observe: Iterable[str] = (), data: Iterable[str] = ()) -> None:
        """Have jobs done and remember their outcomes."""
        jobs = [
            *(self._job(OBSERVE, path) for path in observe),
            *(self._job(OBSERVE_DATA, path) for path in data),
            *(self._job(LINT, path) for path in lint),
        ]
        if not jobs:
            return
        self._write_shadow()
        lanes = [
            [_prepare(number, call) for call in dict.fromkeys(job.id.partition(" ")[0] for job in lane)] + lane
            for number, lane in enumerate(deal(jobs, [self._weight(job) for job in jobs], self._context.workers))
        ]
        done = 0

        def count(id_: str, outcome: JobOutcome) -> None:
            nonlocal done
            del id_, outcome
            done += 1
            if self._on_progress is not None:
                self._on_progress(done, sum(map(len, lanes)))

        outcomes = run_jobs(
            lanes,
            scratch=self._scratch,
            wall_s=self._context.wall_s,
            memory_bytes=_MEMORY_BYTES,
            on_outcome=count,
        )
        for id_, outcome in outcomes.items():
            call, _, path = id_.partition(" ")
            match outcome:
                case Lost(reason=reason, stage_limit=True):
                    raise ToolError(f"The static tools did not finish within {reason}; give the stage more time.")
                case Raised(error=reason) | Lost(reason=reason) if call == "prepare":
                    raise ToolError(f"{path.partition(' ')[2]} does not load ({reason}); install the package again.")
                case _ if call != "prepare":
                    self._outcomes[call, path] = outcome

    def _job(self, call: str, path: str) -> Job:
        args: dict[str, Any] = {"root": str(self._shadow), "path": _shadow_name(path)}
        if call == OBSERVE_DATA:
            args["name"] = path
        if call == LINT:
            roots = [str(self._shadow / root) for root in self._context.import_roots]
            site = self._context.site_packages
            args |= {"module": _lint_name(path, self._context), "roots": [*roots, *([str(site)] if site else [])]}
        return Job(
            id=f"{call} {path}", call=f"qualityscore.collectors.{call}", args=args, cpu_s=self._context.file_cpu_s
        )

    def _weight(self, job: Job) -> float:
        call, _, path = job.id.partition(" ")
        size = len((self._read.data if call == OBSERVE_DATA else self._read.sources)[path].raw) + _FIXED_WEIGHT
        return size * (_LINT_WEIGHT if call == LINT else 1)

    def _write_shadow(self) -> None:
        if self._written:
            return
        self._written = True
        self._scratch.mkdir()
        self._shadow.mkdir()
        for path, file in {**self._read.data, **self._read.support, **self._read.sources}.items():
            place = self._shadow / _shadow_name(path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.raw)


def _read(context: StaticContext) -> _Read:
    sources: dict[str, RawFile] = {}
    refused: dict[str, Unparsable] = {}
    for path in sorted(context.files):
        match read_raw(context.root, path):
            case RawFile() as file:
                sources[path] = file
            case unparsable:
                refused[path] = unparsable
    support = {file.path: file for file in _readable(context.root, context.support_files)}
    data = {file.path: file for file in _readable(context.root, context.data_files) if may_hide_code(file)}
    return _Read(sources=sources, refused=refused, support=support, data=data)


def _readable(root: Path, paths: Iterable[str]) -> Iterator[RawFile]:
    for path in sorted(paths):
        with contextlib.suppress(OSError):
            if (root / path).lstat().st_size <= MAX_SOURCE_BYTES:
                file = read_raw(root, path)
                if isinstance(file, RawFile):
                    yield file


def _prepare(lane: int, call: str) -> Job:
    module = call.partition(":")[0]
    return Job(
        id=f"prepare {lane} {_TOOLS[call]}",
        call=f"qualityscore.collectors.{module}:prepare",
        args={},
        cpu_s=_PREPARE_CPU_S,
    )


def _shadow_name(path: str) -> str:
    """Where a file lies in the shadow: sources under their own name, all else where no import finds it."""
    return path if path.endswith(SOURCE_SUFFIXES) else f".other/{path}/content"


def _lint_name(path: str, context: StaticContext) -> str:
    name = module_name(path, context.import_roots)
    # astroid holds modules by name: a subject's `builtins.py` must not become the builtins of every other file.
    return f"subject.{name}" if name.partition(".")[0] in sys.stdlib_module_names else name
