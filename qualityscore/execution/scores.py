"""The short form of a report: one score and its components, as batches, the service and the adapters give it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from qualityscore.errors import UsageError
from qualityscore.model.report import DIMENSIONS, Status

COMPONENTS = ("F", "NF", *DIMENSIONS, "credibility")
_SHOWN_BY = {
    "F": ("functional",),
    "NF": DIMENSIONS,
    "credibility": tuple(name for name in DIMENSIONS if name != "resource"),
}
"""What `only` has to name one of, at least, for a component to be measured; a dimension needs itself."""
EFFECTIVE = "effective"
"""The name of F x NF among the components, where one of them is to be chosen."""


def check_component(component: str, only: Collection[str] | None) -> None:
    """Raise UsageError for what is no component, and for one that cannot be measured with what `only` names."""
    if component not in (EFFECTIVE, *COMPONENTS):
        raise UsageError(f"There is no score {component!r}; there are {EFFECTIVE}, {', '.join(COMPONENTS)}.")
    if only is None:
        return
    if isinstance(only, str):
        raise UsageError(f"only={only!r} is one text, not a list; write it as [{only!r}].")
    for part in ("F", "NF") if component == EFFECTIVE else (component,):
        names = _SHOWN_BY.get(part, (part,))
        if not set(names) & set(only):
            raise UsageError(
                f"The score {component!r} is never measured with only {', '.join(only)}: it needs "
                f"{' or '.join(names)}; add to it, leave it out, or ask for another score."
            )


def nothing(only: Collection[str] | None) -> dict[str, float | None]:
    """The components of a subject that cannot even be taken (no Python file, a damaged archive): 0 where asked for."""
    if only is None:
        return dict.fromkeys(COMPONENTS, 0.0)
    asked = {name: bool(set(_SHOWN_BY.get(name, (name,))) & set(only)) for name in COMPONENTS}
    asked["NF"] = set(DIMENSIONS) <= set(only)
    return {name: 0.0 if asked[name] else None for name in COMPONENTS}


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
    """The faults that are not the subject's doing, where they can have cost a score: a tampered run has 0 anyway."""
    if report["status"] == Status.TAMPERED:
        return []
    return [fault for fault in report["faults"] if fault["fault"] != "subject"]


def _why(report: Mapping[str, Any], components: Mapping[str, float | None]) -> str:
    faults = harness_faults(report)
    if faults:
        return f"{faults[0]['stage']}: {faults[0]['reason']}"
    missing = [name for name in ("F", *DIMENSIONS) if components[name] is None]
    return f"not asked for: {', '.join(missing)}" if missing else "not measured"
