"""The shipped pylint configuration says what the documentation says, and pylint itself reads it the same way."""

from __future__ import annotations

import configparser
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from qualityscore.collectors.context import StaticOutcome
from qualityscore.collectors.pylint_lint import WEIGHTS
from qualityscore.collectors.pylint_tool import CONFIGURATION
from qualityscore.collectors.structure import CYCLE, STRUCTURE_MESSAGES

Measure = Callable[..., StaticOutcome]
PAGE = Path(__file__).parents[3] / "docs" / "reference" / "lint.md"
COUNTS = {"E": 51, "W": 73, "R": 21}


def enabled() -> list[str]:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(CONFIGURATION.read_text(encoding="utf-8"))
    return [word.strip() for word in parser["MESSAGES CONTROL"]["enable"].split(",")]


def test_the_page_lists_the_enabled_messages_with_their_weights() -> None:
    rows = re.findall(r"^\| ([EWR]\d{4}) \| [a-z-]+ \| (\w+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [row[0] for row in rows] == enabled()
    for message, weight in rows:
        in_structure = message in STRUCTURE_MESSAGES or message == CYCLE
        assert weight == ("structure" if in_structure else str(WEIGHTS[message[0]])), message


def test_the_names_are_pylints() -> None:
    known = subprocess.run(
        [sys.executable, "-m", "pylint", "--rcfile=/dev/null", "--list-msgs"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    names = {message: name for name, message in re.findall(r"^:([a-z-]+) \(([A-Z]\d{4})\)", known, re.MULTILINE)}
    for message, name in re.findall(
        r"^\| ([EWR]\d{4}) \| ([a-z-]+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    ):
        assert names[message] == name


def test_no_message_is_lost_by_mistake() -> None:
    kinds = [message[0] for message in enabled()]
    assert {kind: kinds.count(kind) for kind in "EWR"} == COUNTS
    assert len(set(enabled())) == len(enabled())


def test_our_pass_says_what_the_command_says_with_that_configuration(measured: Measure, tmp_path: Path) -> None:
    text = (
        "import os\n"
        "from pkg.other import Base, make\n"
        "class A(Base):\n"
        "    def __init__(self):\n        self.x = 1\n"  # W0231
        "    def work(self, a, b=[]):\n"  # W0221, W0102
        "        try:\n            return make(1, 2)\n"  # E1121
        "        except Exception:\n            y = len\n"  # W0718, W0612
        "print('%d %d' % (1,), {1: 2, 1: 3}, undefined, A.work is A.work)\n"  # E1306, W0109, E0602, R0124
    )
    other = (
        "class Base:\n    def __init__(self):\n        self.z = 2\n"
        "    def work(self):\n        return self.z\n"
        "def make(a):\n    return a\n"
    )
    files = {"pkg/__init__.py": "", "pkg/main.py": text, "pkg/other.py": other}
    outcome = measured(files, judged=[("pkg/main.py", 4)])
    ours = {(f.path, f.line, f.code) for f in outcome.findings if f.tool == "pylint"}
    for path, content in files.items():
        (tmp_path / "command" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "command" / path).write_text(content)
    command = [sys.executable, "-m", "pylint", "--rcfile", str(CONFIGURATION), "-f", "json", "pkg"]
    out = subprocess.run(command, cwd=tmp_path / "command", capture_output=True, text=True, check=False).stdout
    theirs = {(m["path"], m["line"], m["message-id"]) for m in json.loads(out)}
    assert ours == theirs
    expected = {"W0611", "W0231", "W0221", "W0102", "E1121", "W0718", "W0612", "E1306", "W0109", "E0602", "R0124"}
    assert {code for _, _, code in ours} >= expected
