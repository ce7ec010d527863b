"""GitLab's code quality report."""

from __future__ import annotations

import json

from qualityscore.model.finding import Severity
from qualityscore.model.report import Report
from qualityscore.reports.places import fingerprints, place
from qualityscore.reports.plain_text import inert

_SEVERITY = {Severity.HIGH: "critical", Severity.MEDIUM: "major", Severity.LOW: "minor", Severity.INFO: "info"}


def render(report: Report) -> str:
    """A JSON array with one entry per finding; the fingerprints are distinct and do not depend on lines."""
    entries = [
        {
            "description": inert(finding.message, limit=1000) or finding.code,
            "check_name": f"{finding.tool}/{finding.code}",
            "fingerprint": mark,
            "severity": _SEVERITY[finding.severity],
            "location": {"path": inert(place(finding).path, limit=1000), "lines": {"begin": place(finding).line}},
        }
        for finding, mark in zip(report.findings, fingerprints(report.findings), strict=True)
    ]
    return json.dumps(entries, indent=2, sort_keys=True) + "\n"
