"""The analysers in a worker process: what a hostile repository makes of them costs their own answer and no more.

Extracting facts is contained file by file (`gather.gather`); this is for what is made of all facts together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from qualityscore.analysers.facts import ModuleFact
from qualityscore.analysers.gather import gather
from qualityscore.analysers.library import Library
from qualityscore.analysers.packing import pack, unpack
from qualityscore.analysers.project import Project
from qualityscore.analysers.public import PublicName, PublicSurface
from qualityscore.analysers.signature import Signature, parse
from qualityscore.analysers.structure import structure_findings
from qualityscore.analysers.surface import coverage_in, surface_files, surface_in
from qualityscore.model.finding import Finding, Severity
from qualityscore.model.report import SurfaceCoverage
from qualityscore.model.task import Surface
from qualityscore.runtime.scratch import scratch_folder
from qualityscore.runtime.target import Tree
from qualityscore.runtime.workers import Done, Job, Lost, Raised, run_jobs

CPU_S = 120.0
_WALL_S = 900.0
_MEMORY_BYTES = 4 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """The analysers crashed on the code or outlasted their limits; `reason` says how."""

    reason: str


def contained_structure(
    facts: Iterable[ModuleFact],
    import_roots: tuple[str, ...] = (),
    *,
    site_packages: tuple[Path, ...] = (),
    others: Iterable[str] = (),
    cache: Path | None = None,
    cpu_s: float = CPU_S,
) -> tuple[Finding, ...] | Unreadable:
    """Like `structure.structure_findings`, in a worker that may take `cpu_s` of processor time.

    Raises ToolError when no worker can be started.
    """
    args = {
        "import_roots": list(import_roots),
        "site_packages": [str(path) for path in site_packages],
        "others": list(others),
        "cache": None if cache is None else str(cache),
    }
    answer = _ask(structure_in_worker.__name__, facts, args, cpu_s)
    if isinstance(answer, Unreadable):
        return answer
    return tuple(_finding(item) for item in answer)


def contained_coverage(
    surface: Surface, tree: Tree, *, cache: Path | None = None, cpu_s: float = CPU_S
) -> SurfaceCoverage | Unreadable:
    """Like `surface.coverage`, in a worker that may take `cpu_s` of processor time. `cache` as for `gather`.

    Raises ToolError when no worker can be started.
    """
    facts = gather(tree.root, surface_files(tree.root, tree.files), cache=cache)
    args = {
        "surface": surface.model_dump_json(),
        "import_roots": list(tree.import_roots),
        "cache": None if cache is None else str(cache),
    }
    answer = _ask(coverage_in_worker.__name__, facts, args, cpu_s)
    if isinstance(answer, Unreadable):
        return answer
    return SurfaceCoverage(
        entries=answer["entries"],
        defined=answer["defined"],
        stub=answer["stub"],
        missing=tuple(answer["missing"]),
        incompatible=tuple(answer["incompatible"]),
        stubs=tuple(answer["stubs"]),
    )


def contained_surface(tree: Tree, *, cache: Path | None = None, cpu_s: float = CPU_S) -> PublicSurface | Unreadable:
    """Like `surface.surface_of` with no names, in a worker that may take `cpu_s` of processor time.

    `cache` is that of `gather`. Signatures are left out where they cannot be written and read back. Raises ToolError
    when no worker can be started.
    """
    facts = gather(tree.root, surface_files(tree.root, tree.files), cache=cache)
    answer = _ask(surface_in_worker.__name__, facts, {"import_roots": list(tree.import_roots)}, cpu_s)
    if isinstance(answer, Unreadable):
        return answer
    return PublicSurface(
        names=tuple(PublicName(**{**item, "signature": _signature(item["signature"])}) for item in answer["names"]),
        unknown=tuple((name, reason) for name, reason in answer["unknown"]),
    )


def _signature(text: str | None) -> Signature | None:
    try:
        return parse(text) if text is not None else None
    except ValueError:
        return None


def _ask(function: str, facts: Iterable[ModuleFact], args: dict[str, Any], cpu_s: float) -> Any:
    with scratch_folder("qualityscore-analyse-") as folder:
        # Not among the arguments: those are read before the job begins, where a death counts as a broken harness.
        packed = folder / "facts"
        with packed.open("w", encoding="ascii") as lines:
            lines.writelines(pack(fact) + "\n" for fact in facts)
        scratch = folder / "scratch"
        scratch.mkdir()
        job = Job(id="0", call=f"{__name__}:{function}", args={"facts": str(packed), **args}, cpu_s=cpu_s)
        outcome = run_jobs([[job]], scratch=scratch, wall_s=_WALL_S, memory_bytes=_MEMORY_BYTES)["0"]
    match outcome:
        case Done(value=value):
            return value
        case Raised(error=reason) | Lost(reason=reason):
            return Unreadable(reason=f"the analysers failed on this code: {reason}")


def _read(packed: str) -> tuple[ModuleFact, ...]:
    with Path(packed).open(encoding="ascii") as lines:
        return tuple(unpack(line) for line in lines)


def _finding(item: dict[str, Any]) -> Finding:
    confidence = item["confidence"]
    return Finding(
        **{
            **item,
            "severity": Severity(item["severity"]),
            "confidence": None if confidence is None else Severity(confidence),
        }
    )


def structure_in_worker(
    facts: str, import_roots: list[str], site_packages: list[str], others: list[str], cache: str | None
) -> list[dict[str, Any]]:
    """What a worker is asked for: the findings over the packed facts in a file, as plain data."""
    found = structure_findings(
        _read(facts),
        tuple(import_roots),
        site_packages=tuple(Path(path) for path in site_packages),
        others=others,
        cache=None if cache is None else Path(cache),
    )
    return [asdict(finding) for finding in found]


def coverage_in_worker(facts: str, surface: str, import_roots: list[str], cache: str | None) -> dict[str, Any]:
    """What a worker is asked for: the coverage of a surface by the packed facts in a file, as plain data."""
    library = Library(cache=None if cache is None else Path(cache))
    project = Project(_read(facts), library, tuple(import_roots))
    return asdict(coverage_in(Surface.model_validate_json(surface), project))


def surface_in_worker(facts: str, import_roots: list[str]) -> dict[str, Any]:
    """What a worker is asked for: the public names over the packed facts in a file, as plain data."""
    found = surface_in(Project(_read(facts), Library(), tuple(import_roots)))
    return {
        "names": [
            {**asdict(name), "signature": str(name.signature.plain()) if name.signature is not None else None}
            for name in found.names
        ],
        "unknown": list(found.unknown),
    }
