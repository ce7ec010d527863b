"""Generated pages are current."""

import importlib.util
import re
from pathlib import Path

from qualityscore.core.profile import _TABLES, parse_profile
from qualityscore.model.measure import Direction, Scoring, Unit
from qualityscore.runtime.documents import load_profile, profile_names

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


def test_the_page_of_profiles_has_every_key_and_word():
    page = (ROOT / "docs" / "reference" / "profiles.md").read_text("utf-8")
    keys = {key for table in _TABLES.values() for key in table.model_fields}
    assert {"epsilon_share", "experts"} <= keys
    words = {word.value for kind in (Direction, Scoring, Unit) for word in kind}
    in_tables = " ".join(line for line in page.splitlines() if line.startswith("|"))
    assert [word for word in sorted(keys | words | {*profile_names()}) if f"`{word}`" not in page] == []
    assert [key for key in sorted(keys) if f"`{key}`" not in in_tables] == []


def test_the_example_of_a_profile_is_one_and_differs_from_the_bundled_one_in_judgements_only():
    [text] = re.findall(r"^```toml\n(.*?)^```$", (ROOT / "docs/reference/profiles.md").read_text("utf-8"), re.M | re.S)
    profile = parse_profile(text, "profiles.md")
    shipped = {m.id: m for d in load_profile("reference").dimensions for m in d.metrics}
    assert [m for d in profile.dimensions for m in d.metrics if m != shipped[m.id]] == []
