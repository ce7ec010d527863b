"""SARIF 2.1.0 for code scanning services."""

from __future__ import annotations

import json
from typing import Any

from qualityscore.model.finding import Finding, Severity
from qualityscore.model.report import Report
from qualityscore.reports.places import fingerprints, place
from qualityscore.reports.plain_text import inert

MAX_RESULTS = 5_000
"""GitHub code scanning shows this many results of a run; we keep the worst and say so."""

GITHUB_FINGERPRINT = "primaryLocationLineHash"
"""The one fingerprint that GitHub's code scanning looks at; without it, it hashes lines around a result itself."""

_LEVEL = {Severity.HIGH: "error", Severity.MEDIUM: "warning", Severity.LOW: "note", Severity.INFO: "note"}
_RANK = {Severity.HIGH: 3, Severity.MEDIUM: 2, Severity.LOW: 1, Severity.INFO: 0}


def render(report: Report) -> str:
    """One run with one result per finding, worst first when there are too many."""
    marked = list(zip(report.findings, fingerprints(report.findings), strict=True))
    dropped = max(0, len(marked) - MAX_RESULTS)
    if dropped:
        marked = sorted(marked, key=lambda m: (-_RANK[m[0].severity], -m[0].points, m[1]))[:MAX_RESULTS]
    rules = sorted({(f.tool, f.code) for f, _ in marked})
    index = {rule: number for number, rule in enumerate(rules)}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "qualityscore",
                "semanticVersion": str(report.provenance.get("qualityscore", "0.0.0")),
                "rules": [
                    {"id": f"{tool}/{code}", "name": code, "shortDescription": {"text": f"{tool} {code}"}}
                    for tool, code in rules
                ],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The root of the evaluated repository."}}},
        "invocations": [_invocation(report, dropped)],
        "results": [_result(finding, mark, index[finding.tool, finding.code]) for finding, mark in marked],
    }
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return json.dumps(document, indent=2, sort_keys=True) + "\n"


def _invocation(report: Report, dropped: int) -> dict[str, Any]:
    notes = [
        {"level": "warning", "message": {"text": inert(f"{fault.stage} ({fault.fault.value}): {fault.reason}")}}
        for fault in report.faults
    ]
    if dropped:
        notes.append(
            {"level": "warning", "message": {"text": f"{dropped} findings of the least severity were left out."}}
        )
    failed = any(fault.fault.value != "subject" for fault in report.faults)
    return {"executionSuccessful": not failed, "toolExecutionNotifications": notes}


def _result(finding: Finding, mark: str, rule: int) -> dict[str, Any]:
    where = place(finding)
    message = inert(finding.message, limit=1000)
    if finding.suggestion:
        message += f" ({inert(finding.suggestion)})"
    return {
        "ruleId": f"{finding.tool}/{finding.code}",
        "ruleIndex": rule,
        "level": _LEVEL[finding.severity],
        "message": {"text": message or finding.code},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": where.uri, "uriBaseId": "SRCROOT"},
                    "region": {"startLine": where.line, "startColumn": where.column, "endLine": where.end_line},
                }
            }
        ],
        "partialFingerprints": {"qualityscore/v1": mark, GITHUB_FINGERPRINT: f"{mark[:16]}:1"},
    }
