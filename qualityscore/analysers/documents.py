"""What each analyser says about a repository, as plain JSON data."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from qualityscore.analysers.fields import Tally, judge
from qualityscore.analysers.layers import ClassLayers, ImportGraph, class_layers
from qualityscore.analysers.names import judge_imports, tally, unbound_names
from qualityscore.analysers.public import difference
from qualityscore.analysers.registry import ANALYSERS, RULES
from qualityscore.analysers.repository import Repository
from qualityscore.analysers.rules.layers_order import unmatched
from qualityscore.collectors.listing import listed
from qualityscore.languages.python_source import printable
from qualityscore.model.finding import Finding, Severity
from qualityscore.model.measure import Measured

if TYPE_CHECKING:
    from qualityscore.collectors.context import StaticOutcome

DOCUMENT_VERSION = 1


def document(
    repository: Repository, analysers: Iterable[str] = ANALYSERS, static: StaticOutcome | None = None
) -> dict[str, Any]:
    """The document of one analyser, or of several with a part for each; `static` adds measures and other findings."""
    names = tuple(analysers)
    findings = findings_of(repository, names)
    if static is not None:
        known = {(f.code, f.path, f.line, f.column, f.name) for f in findings}
        findings += [f for f in static.every_finding if (f.code, f.path, f.line, f.column, f.name) not in known]
        findings = sorted(listed(_once(sorted(findings, key=lambda f: -f.points))), key=_place)
    head: dict[str, Any] = {
        "schema_version": DOCUMENT_VERSION,
        "files": len(repository.production),
        "sloc": sum(m.fact.sloc for m in repository.reading.project if m.path in repository.production),
        "findings": [finding_data(f) for f in findings],
    }
    if len(names) == 1:
        return {"analyser": names[0], **head, **_PARTS[names[0]](repository)}
    parts = {name: _PARTS[name](repository) for name in names}
    return {**head, **(_static(static) if static is not None else {}), "analysers": parts}


def _once(findings: Iterable[Finding]) -> list[Finding]:
    """The first of those that say the same of one place: a file that cannot be parsed costs several measures."""
    said: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        key = (finding.code, finding.path, finding.line, finding.column, finding.name, finding.message)
        said.setdefault(key, finding)
    return list(said.values())


def _static(outcome: StaticOutcome) -> dict[str, Any]:
    measures: dict[str, Any] = {}
    for name, measured in outcome.measures.items():
        value = measured.value if isinstance(measured, Measured) else None
        reason = None if isinstance(measured, Measured) else getattr(measured, "reason", "not applicable")
        measures[name] = {"value": value, "reason": reason}
    return {
        "measures": measures,
        "suppressions": [{"path": printable(s.path), "line": s.line, "text": s.text} for s in outcome.suppressions],
        "faults": [{"fault": f.fault.value, "reason": f.reason} for f in outcome.faults],
    }


def findings_of(repository: Repository, analysers: Iterable[str]) -> list[Finding]:
    """The findings of the analysers in production files, by place; files that cannot be read are always among them."""
    wanted = {*analysers, "reader"}
    found = [
        finding
        for rule in RULES
        if rule.analyser in wanted
        for finding in rule.check(repository.reading)
        if finding.path in repository.production or finding.path == "."
    ]
    for path, reason in repository.refused:
        found.append(
            Finding(
                code="QSA001",
                tool="reader",
                message=f"cannot be analysed: {reason}",
                severity=Severity.HIGH,
                path=path,
                line=1,
                column=1,
            )
        )
    return sorted(found, key=_place)


def _place(finding: Finding) -> tuple[str, int, int, str, str]:
    return (finding.path or "", finding.line or 0, finding.column or 0, finding.code, finding.name or "")


def finding_data(finding: Finding) -> dict[str, Any]:
    """A finding under the keys of the documents."""
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "path": printable(finding.path or "."),
        "line": finding.line,
        "column": finding.column,
        "class": finding.class_name,
        "name": finding.name,
        "message": finding.message,
        "suggestion": finding.suggestion,
    }


def _layers(repository: Repository) -> dict[str, Any]:
    project = repository.reading.project
    measured = [
        class_layers(module.path, fact)
        for module in sorted(project, key=lambda m: m.path)
        if module.path in repository.production
        for fact in module.fact.classes
    ]
    graph = ImportGraph(project)
    modules = [
        {
            "name": name,
            "path": printable(graph.modules[name].path),
            "layers": graph.layers[name],
            "imports": sorted(targets),
            "fan_in": graph.fan_in[name],
            "fan_out": len(targets),
        }
        for name, targets in sorted(graph.edges.items())
        if graph.modules[name].path in repository.production
    ]
    return {
        "classes": [_class_data(c) for c in measured],
        "modules": modules,
        "unmatched_order": [{"name": name, "suggestion": meant} for name, meant in unmatched(repository.reading)],
        "cycles": [{"modules": list(group), "shortest": list(cycle)} for group, cycle in graph.cycles],
        "summary": {
            "classes": len(measured),
            "layers": _centre([c.layers for c in measured]),
            "methods": _centre([c.methods for c in measured]),
            "loc": _centre([c.loc for c in measured]),
            "modules": len(modules),
            "module_layers": max((graph.layers[str(m["name"])] for m in modules), default=0),
            "cycles": len(graph.cycles),
        },
    }


def _class_data(one: ClassLayers) -> dict[str, Any]:
    return {
        "path": printable(one.path),
        "name": one.name,
        "line": one.line,
        "layers": one.layers,
        "methods": one.methods,
        "loc": one.loc,
        "calls": {caller: list(called) for caller, called in one.calls.items() if called},
        "bottom_up": list(one.bottom_up),
        "top_down": list(one.top_down),
        "state": [{"reader": e.reader, "writer": e.writer, "attribute": e.attribute} for e in one.state],
    }


def _centre(values: list[int]) -> dict[str, float | None]:
    if not values:
        return {"mean": None, "median": None}
    return {"mean": fmean(values), "median": float(median(values))}


def _fields(repository: Repository) -> dict[str, Any]:
    counts = Tally()
    for judgement in judge(repository.reading.classes):
        if judgement.owner.module.path in repository.production:
            counts.add(judgement)
    classes = sum(1 for c in repository.reading.classes.all if c.module.path in repository.production)
    return {
        "summary": {
            "classes": classes,
            "reads": counts.reads,
            "judged": counts.judged,
            "unjudged": dict(sorted(counts.unjudged.items(), key=lambda item: (-item[1], item[0]))),
        }
    }


def _surface(repository: Repository) -> dict[str, Any]:
    reading = repository.reading
    surface = reading.surface
    names = surface.names
    part: dict[str, Any] = {
        "names": [
            {
                "name": e.name,
                "kind": e.kind,
                "signature": str(e.signature) if e.signature is not None else None,
                "documented": e.documented,
                "summary": e.summary,
                "stub": e.stub,
                "conditional": e.conditional,
                "origin": e.origin,
                "path": printable(e.path),
                "line": e.line,
                "column": e.column,
            }
            for e in names
        ],
        "unknown": [{"name": name, "reason": reason} for name, reason in surface.unknown],
        "missing_modules": list(surface.missing_modules),
        "summary": {
            "names": len(names),
            "documented": sum(e.documented for e in names),
            "stubs": sum(e.stub is not None and e.kind != "exception" for e in names),
        },
    }
    if reading.reference is not None:
        found = difference(reading.reference, surface)
        part["difference"] = [{"name": d.name, "kind": d.kind, "reason": d.reason} for d in found]
    return part


def _names(repository: Repository) -> dict[str, Any]:
    project = repository.reading.project
    here = [j for j in judge_imports(project) if j.module.path in repository.production]
    judged, unjudged = tally(iter(here))
    doubtful: dict[str, int] = {}
    for unbound in unbound_names(project):
        if unbound.reason is not None and unbound.module.path in repository.production:
            doubtful[unbound.reason] = doubtful.get(unbound.reason, 0) + 1
    return {
        "summary": {
            "imports": len(here),
            "imports_judged": judged,
            "imports_unjudged": dict(sorted(unjudged.items())),
            "names_unjudged": dict(sorted(doubtful.items())),
        }
    }


_PARTS = {"layers": _layers, "fields": _fields, "surface": _surface, "names": _names}
