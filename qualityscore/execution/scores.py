"""The short form of a report: one score and its components, as batches, the service and the adapters give it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qualityscore.model.report import DIMENSIONS

COMPONENTS = ("F", "NF", *DIMENSIONS, "credibility")
NOTHING: Mapping[str, float | None] = dict.fromkeys(COMPONENTS, 0.0)
"""The components of a subject that cannot even be taken: no Python file, a damaged archive."""


def short_form(report: Mapping[str, Any]) -> dict[str, Any]:
    """`score` (effective, F x NF), `components`, `status`, and `reason`: why there is no score, where there is none.

    `report` is a report document. Scores are in [0, 1] or None.
    """
    components: dict[str, float | None] = {
        "F": report["functional"]["score"],
        "NF": report["non_functional"]["score"],
        **{name: report["dimensions"][name]["score"] for name in DIMENSIONS},
        "credibility": report["credibility"]["score"],
    }
    score = report["effective"]
    return {
        "score": score,
        "components": components,
        "status": report["status"],
        "reason": None if score is not None else _why(report, components),
    }


def harness_faults(report: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The faults that are not the subject's doing."""
    return [fault for fault in report["faults"] if fault["fault"] != "subject"]


def _why(report: Mapping[str, Any], components: Mapping[str, float | None]) -> str:
    faults = harness_faults(report)
    if faults:
        return f"{faults[0]['stage']}: {faults[0]['reason']}"
    missing = [name for name in ("F", *DIMENSIONS) if components[name] is None]
    return f"not asked for: {', '.join(missing)}" if missing else "not measured"
