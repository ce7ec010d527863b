"""What each provider promises, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qualityscore.runtime.sandbox.base import Capability, Sandbox


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow:
    """One capability and, by provider name, whether it is promised."""

    capability: Capability
    promised: tuple[tuple[str, bool], ...]


def capability_matrix(providers: Sequence[Sandbox]) -> tuple[MatrixRow, ...]:
    """A row for each capability, with a cell for each of `providers`, both in their own order."""
    return tuple(
        MatrixRow(
            capability=capability,
            promised=tuple((provider.name, capability in provider.capabilities) for provider in providers),
        )
        for capability in Capability
    )


def as_markdown(rows: Sequence[MatrixRow]) -> str:
    """The table for documents: a header, then a line for each row, with a final newline."""
    names = [name for name, _ in rows[0].promised]
    lines = ["| | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    lines += [
        f"| {row.capability} | " + " | ".join("yes" if promised else "–" for _, promised in row.promised) + " |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"
