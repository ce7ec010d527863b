"""The documentation: it builds without a warning, has a page for everything, and loads nothing from elsewhere."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from qualityscore.analysers.registry import RULE_MODULES
from qualityscore.catalog import RENDERERS
from qualityscore.cli import COMMANDS
from qualityscore.model.report import SCORE_MODEL
from qualityscore.runtime.documents import load_profile

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site."""
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert built.returncode == 0, built.stderr
    return folder


class _Links(HTMLParser):
    """What a page makes a browser fetch."""

    def __init__(self):
        super().__init__()
        self.fetched = []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag in ("script", "img", "iframe", "source") and values.get("src"):
            self.fetched.append(values["src"])
        if tag == "link" and values.get("rel") in ("stylesheet", "icon", "preload", "preconnect"):
            self.fetched.append(values["href"])


def words(page):
    return re.sub(r"<[^>]+>", "", page.read_text("utf-8"))


def test_every_page_is_in_the_navigation(site):
    index = (site / "index.html").read_text("utf-8")
    pages = {path.relative_to(site).as_posix() for path in site.rglob("*.html")} - {"404.html", "index.html"}
    assert len(pages) > 20
    assert [page for page in sorted(pages) if f'href="{page}"' not in index] == []


def test_pages_fetch_nothing_from_elsewhere(site):
    for page in site.rglob("*.html"):
        reader = _Links()
        reader.feed(page.read_text("utf-8"))
        assert [url for url in reader.fetched if "//" in url] == [], page.name


def test_the_reference_has_every_command_format_measure_and_code(site):
    reference = site / "reference"
    commands = words(reference / "commands.html")
    assert [name for name in COMMANDS if f"qualityscore {name}" not in commands] == []
    assert "--no-live-reference" in commands
    formats = (reference / "formats.html").read_text("utf-8")
    assert [name for name in RENDERERS if f'id="{name}"' not in formats] == []
    measures = words(reference / "measures.html")
    assert [m for m in load_profile("reference").measure_ids if m not in measures] == []
    pages = {path.stem for path in (reference / "analysers").glob("*.html")}
    assert {module.RULE.code for module in RULE_MODULES} <= pages
    assert "QS-300" in words(reference / "errors.html")


def test_formulas_are_those_of_the_profile(site):
    """Two by hand: index.deficit, lower is better, epsilon 5; workload.cost with its tolerance of 0.03."""
    measures = re.sub(r"\s+", " ", words(site / "reference" / "measures.html"))
    assert "min(1, (b + ε) / (g + ε)) × c, ε = 5" in measures
    assert "mean over the workloads of min(1, b / g / (1 − 0.03))" in measures


def test_the_upgrade_page_tells_of_the_current_score_model():
    assert f"\n## Score model {SCORE_MODEL}\n" in (ROOT / "docs" / "upgrade.md").read_text("utf-8")


def test_a_warning_fails_the_build(tmp_path):
    """The check above can fail: a link that leads nowhere is an error."""
    for name in ("mkdocs.yml", "scripts"):
        (tmp_path / name).symlink_to(ROOT / name)
    docs = tmp_path / "docs"
    docs.mkdir()
    for path in (ROOT / "docs").iterdir():
        if path.name != "index.md":
            (docs / path.name).symlink_to(path)
    (docs / "index.md").write_text("# qualityscore\n\n[gone](howto/no-such-page.md)\n")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert built.returncode != 0
    assert "no-such-page.md" in built.stderr
