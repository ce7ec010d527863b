"""The generated pages on rules are current, and their findings stand where the examples shown have them."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "reference" / "analysers"
FILE = re.compile(r"^`([^`\n]+)`(?: \(empty\))?\n\n(?:```python\n(.*?)\n```\n)?", re.DOTALL | re.MULTILINE)
FOUND = re.compile(r"^- `(\S+?):(\d+):(\d+) ?(.*)`$", re.MULTILINE)

# Findings that do not stand at the thing that they name: a file has no name, an import cycle is found at an import in
# its first module, what is missing from a surface at the start of the file that should have it.
NAMED_ELSEWHERE = {"QSA001", "QSL001", "QSU002"}


def documented() -> Iterator[tuple[str, str, int, str]]:
    """Code, name, column and shown line of every finding on the pages."""
    for page in sorted(FOLDER.glob("QS*.md")):
        for case in page.read_text("utf-8").split("\n### ")[1:]:
            files = {path: text.split("\n") for path, text in FILE.findall(case)}
            for path, line, column, name in FOUND.findall(case):
                assert path in files, f"{page.name}: {path} is not shown"
                assert int(line) <= len(files[path]), f"{page.name}: {path} has no line {line}"
                yield page.stem, name, int(column), files[path][int(line) - 1]


def test_the_pages_of_rules_are_current() -> None:
    spec = importlib.util.spec_from_file_location("rule_pages", ROOT / "scripts" / "rule_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kept = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.md")}
    assert kept == module.pages(), "run scripts/rule_pages.py"


def test_what_a_finding_names_is_on_the_line_that_is_shown() -> None:
    found = list(documented())
    assert len(found) >= 60
    for code, name, column, line in found:
        assert 1 <= column <= len(line), (code, name, line)
        if code == "QSL001":
            assert "import" in line, (code, name, line)
        elif code not in NAMED_ELSEWHERE:
            last = name.rpartition(".")[2]
            assert re.search(rf"\b{re.escape(last)}\b", line), (code, name, line)
