"""Which right values are evidence: those that no stub of the surface gives. Stubs run in the sandbox like a subject."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from qualityscore.errors import HarnessError
from qualityscore.runtime import workspace
from qualityscore.runtime.scratch import scratch_folder
from qualityscore.runtime.target import Target
from qualityscore.suites import stubs
from qualityscore.suites.manifest import Returned
from qualityscore.suites.observed import GaveValue
from qualityscore.suites.probe_replay import Script, replay
from qualityscore.suites.robustness import launcher, zygote_args
from qualityscore.suites.survival import equals

_TOTAL_S = 600.0
_START_S = 60.0


def given_by_stubs(
    target: Target, scripts: list[Script], expected: Mapping[tuple[str, int], Returned], tolerance: float
) -> dict[tuple[str, int], str]:
    """The probes, as (entry, index), whose expected value a stub gives, each with the form of the stub.

    `scripts` hold the probes; their sensible calls are not asked, so a stub may fail them. Raises HarnessError where a
    stub cannot be run.
    """
    bare = [replace(script, sensible=([], "None")) for script in scripts if script.probes]
    found: dict[tuple[str, int], str] = {}
    for form, expression in stubs.forms(target.task.surface.entries).items() if bare else ():
        with scratch_folder("qualityscore-stub-") as folder:
            stub = _stub(target, folder, expression)
            records = replay(
                bare,
                launcher(stub),
                zygote_args(stub),
                total_s=_TOTAL_S,
                start_s=_START_S,
                progress=lambda _done: None,
            )
        for script in bare:
            record = records[script.entry]
            if record.absent is not None:
                raise HarnessError(f"the stub ({form}) of task {target.task.id} cannot be run: {record.absent}")
            for index, *_ in script.probes:
                seen = record.seen[index]
                wanted = expected.get((script.entry, index))
                if wanted is not None and isinstance(seen, GaveValue) and equals(wanted, seen, tolerance):
                    found.setdefault((script.entry, index), form)
    return found


def _stub(target: Target, folder: Path, expression: str) -> Target:
    """The target with a stub in the place of its tree."""
    imports = tuple(target.task.spec.surface.imports)
    for name, text in stubs.sources(target.task.surface.entries, imports, expression).items():
        path = folder / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    tree = workspace.copy(folder / "source", folder / "subject", imports).tree
    return replace(target, tree=tree, is_reference=False)
