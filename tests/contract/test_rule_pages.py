"""The generated pages on rules are current."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_pages_of_rules_are_current() -> None:
    spec = importlib.util.spec_from_file_location("rule_pages", ROOT / "scripts" / "rule_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    folder = ROOT / "docs" / "reference" / "analysers"
    kept = {path.name: path.read_text("utf-8") for path in folder.glob("*.md")}
    assert kept == module.pages(), "run scripts/rule_pages.py"
