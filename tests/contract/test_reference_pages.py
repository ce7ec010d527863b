"""Generated pages are current."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def script(name: str):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_errors_is_current():
    assert (ROOT / "docs" / "reference" / "errors.md").read_text("utf-8") == script("error_page").page()


def test_the_schema_that_ships_is_current():
    shipped = ROOT / "qualityscore" / "model" / "report.schema.json"
    assert shipped.read_text("utf-8") == script("report_schema").text()
