"""What `structure.defects` counts of the analysers' findings (scoring.md section 4)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from qualityscore.analysers.facts import ModuleFact
from qualityscore.analysers.library import Library
from qualityscore.analysers.project import Project
from qualityscore.analysers.registry import RULES
from qualityscore.analysers.rule import Reading
from qualityscore.model.finding import Finding


def structure_findings(
    facts: Iterable[ModuleFact],
    import_roots: tuple[str, ...] = (),
    *,
    site_packages: tuple[Path, ...] = (),
    others: Iterable[str] = (),
    cache: Path | None = None,
) -> tuple[Finding, ...]:
    """Field inconsistencies, unresolved names, redefinitions, calls that cannot fit and import cycles, one per place.

    `facts` come from `gather.gather` over the production files; `others` are paths that exist but were not read;
    `site_packages` of the task's environment let imports and bases be judged that lead there; `cache` is the file of
    cached results. Pure but for reading the standard library's and the environment's own sources. Sorted by place.
    """
    project = Project(facts, Library(site_packages, cache=cache), import_roots, others=others)
    return defects(Reading(project))


def defects(reading: Reading) -> tuple[Finding, ...]:
    """Like `structure_findings`, over a reading; where two rules meet at one place, the first in order stands."""
    places: dict[tuple[str | None, int | None, str | None], Finding] = {}
    for rule in RULES:
        if rule.defect:
            for finding in (f for f in rule.check(reading) if f.measure is not None):
                places.setdefault((finding.path, finding.line, finding.name), finding)
    return tuple(sorted(places.values(), key=lambda f: (f.path or "", f.line or 0, f.column or 0, f.code)))
