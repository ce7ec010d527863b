"""All that was found out about one side, and the reference's kept between runs on one host."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from qualityscore.model.measure import Fault
from qualityscore.runtime.fingerprint import fingerprint
from qualityscore.runtime.target import Target
from qualityscore.suites.cost_kit import INSIDE
from qualityscore.suites.counters import valgrind_version
from qualityscore.suites.counting import Counts, Overheads
from qualityscore.suites.memory import Heap, NativeRuns


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """One side, apart from times."""

    native: NativeRuns
    heaps: tuple[Heap, ...] = ()
    counts: Counts | None = None
    overheads: Overheads | None = None
    digests: dict[str, str] = field(default_factory=dict)

    @property
    def disturbed(self) -> bool:
        """Whether something is missing that another time might give: an import, or what the harness did not do."""
        counted = self.counts.workloads if self.counts else ()
        troubles = [found.trouble for group in (self.native.workloads, self.heaps, counted) for found in group]
        return self.native.import_trouble is not None or any(t.fault is Fault.HARNESS for t in troubles if t)


_ADAPTER = TypeAdapter(Facts)


def reference_key(target: Target, *, counted: bool) -> str:
    """Names everything that the reference's facts depend on: task, tree, environment, host, tools, our own code."""
    digest = hashlib.sha256()
    level = target.sandbox.level.value
    environment = target.environment
    for word in (
        target.task.digest,
        target.tree.digest,
        environment.lock_digest,
        environment.version,
        fingerprint().digest,
        level,
        str(valgrind_version()) if counted else "",
    ):
        digest.update(word.encode() + b"\0")
    for file in sorted([*INSIDE.glob("workload_*.py"), *Path(__file__).parent.glob("*.py")]):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:32]


def read_facts(root: Path, key: str) -> Facts | None:
    """The kept facts; None where there are none, or none that can be read."""
    try:
        return _ADAPTER.validate_json((root / "counts" / f"{key}.json").read_bytes())
    except (OSError, ValidationError):
        return None


def keep_facts(root: Path, key: str, facts: Facts) -> None:
    """Keep the facts, whole or not at all. A cache that cannot be written is only slower."""
    folder = root / "counts"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=folder, suffix=".part")
        with os.fdopen(descriptor, "wb") as file:
            file.write(_ADAPTER.dump_json(facts))
        Path(name).replace(folder / f"{key}.json")
    except OSError:
        return
