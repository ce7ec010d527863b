"""Findings out of the difference between the reference's surface and what the repository offers."""

from __future__ import annotations

from collections.abc import Iterator

from qualityscore.analysers.public import difference
from qualityscore.analysers.rule import Reading, Rule
from qualityscore.analysers.surface import surface_in
from qualityscore.model.finding import Finding
from qualityscore.model.task import Surface, SurfaceEntry

EXAMPLE = Surface(
    entries=[
        SurfaceEntry(name="m.open", kind="function", signature="(path, mode='r')"),
        SurfaceEntry(name="m.close", kind="function", signature="(handle)"),
    ]
)
EXAMPLE_OFFER = "def open(path, mode='r', *, encoding=None):\n    return path\ndef close(handle):\n    return handle\n"


def differences(reading: Reading, rule: Rule, kind: str) -> Iterator[Finding]:
    """One finding per difference of a kind; none where no reference was given."""
    if reading.reference is None:
        return
    wanted = {e.name: e for e in reading.reference.entries}
    imports = reading.imports or _imports(reading)
    for one in difference(reading.reference, surface_in(reading.project, imports)):
        if one.kind != kind:
            continue
        entry = one.entry
        signature = wanted[one.name].signature if one.name in wanted else None
        yield rule.finding(
            path=entry.path if entry is not None else _home(reading, one.name),
            line=entry.line if entry is not None else 1,
            column=entry.column if entry is not None else 1,
            name=one.name,
            message=f"{one.name}: {one.reason}",
            suggestion=f"the reference's signature is {signature}" if signature else None,
        )


def _imports(reading: Reading) -> tuple[str, ...]:
    """The import names that the reference's entries lie in: their longest prefixes that are modules here, else their
    first parts."""
    assert reading.reference is not None
    found: dict[str, None] = {}
    for entry in reading.reference.entries:
        parts = entry.name.split(".")
        prefixes = [".".join(parts[:end]) for end in range(len(parts) - 1, 0, -1)]
        found[next((p for p in prefixes if reading.project.in_repository(p) is not None), parts[0])] = None
    return tuple(found)


def _home(reading: Reading, name: str) -> str:
    """The file where a missing name would be expected."""
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1):
        module = reading.project.in_repository(".".join(parts[:end]))
        if module is not None:
            return module.path
    return "."
