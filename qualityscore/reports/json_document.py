"""The report as its JSON document."""

from __future__ import annotations

from qualityscore.model.codec import dump
from qualityscore.model.report import Report


def render(report: Report) -> str:
    """Sorted keys, two spaces, a final newline; the same report gives the same bytes."""
    return dump(report)
