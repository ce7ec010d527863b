"""Writes qualityscore/model/report.schema.json from the report's classes; the package ships it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from qualityscore.model.codec import report_schema

FILE = Path(__file__).resolve().parent.parent / "qualityscore" / "model" / "report.schema.json"


def text() -> str:
    """The schema as JSON with sorted keys."""
    return json.dumps(report_schema(), indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), "utf-8")
    sys.stdout.write(f"wrote {FILE.name}\n")
