"""The commands and programs in the documentation do what the pages say.

A `console` block is run line by line in a folder of its own with `examples/` in it: `$ ` begins a command, `> ` goes on
with it, what follows is its output, in which `…` stands for any text (on a line of its own: for any lines). A command
whose exit code is not 0 says so: `[exit code 1]`. A `python` block that a `text` block follows must print that.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
EXIT = re.compile(r"^\[exit code (\d+)\]\n?", re.M)


@dataclass(frozen=True)
class Step:
    """A command of a shell, or a program, with what it must print."""

    command: str
    program: bool
    expected: str
    code: int


def steps(text: str) -> list[Step]:
    found: list[Step] = []
    blocks = BLOCK.findall(text)
    for number, (kind, body) in enumerate(blocks):
        if kind == "console":
            for part in re.split(r"^\$ ", body, flags=re.M)[1:]:
                lines = part.split("\n")
                command = [lines.pop(0)]
                while lines and lines[0].startswith(">"):
                    command.append(lines.pop(0)[2:])
                output = "\n".join(lines)
                code = EXIT.search(output)
                found.append(Step("\n".join(command), False, EXIT.sub("", output), int(code[1]) if code else 0))
        elif kind == "python" and number + 1 < len(blocks) and blocks[number + 1][0] == "text":
            found.append(Step(body, True, blocks[number + 1][1], 0))
    return found


def pattern(expected: str) -> str:
    """The regular expression that an output must fit: blanks at the ends of lines do not matter."""
    lines = [line.rstrip() for line in expected.rstrip("\n").split("\n")] if expected.strip() else []
    return "".join(
        r"(?:[^\n]*\n)*?" if line == "…" else ".*?".join(re.escape(piece) for piece in line.split("…")) + "\n"
        for line in lines
    )


def fits(expected: str, seen: str) -> bool:
    plain = "".join(f"{line.rstrip()}\n" for line in seen.rstrip("\n").split("\n")) if seen.strip() else ""
    return re.fullmatch(pattern(expected), plain) is not None


@pytest.fixture
def place(tmp_path):
    """A folder with the examples, and a `qualityscore` on the path that is this checkout's."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    program = tmp_path / ".bin" / "qualityscore"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m qualityscore.cli "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "COLUMNS": "120", "NO_COLOR": "1"}
    return tmp_path, environment


def pages():
    slow = {
        "docs/tutorials/score-samples.md",
        "docs/tutorials/judge-a-pull-request.md",
        "docs/tutorials/rank-models.md",
    }
    docs = ROOT / "docs"
    told = [docs / "index.md", docs / "reference" / "profiles.md", ROOT / "README.md"]
    told += [path for folder in ("tutorials", "howto", "guide") for path in (docs / folder).rglob("*.md")]
    for path in sorted(told):
        if steps(path.read_text("utf-8")):
            name = path.relative_to(ROOT).as_posix()
            yield pytest.param(path, id=name, marks=[pytest.mark.slow] if name in slow else [])


@pytest.mark.parametrize("page", list(pages()))
def test_examples_do_what_the_page_says(page, place):
    folder, environment = place
    for step in steps(page.read_text("utf-8")):
        ran = subprocess.run(
            [sys.executable, "-c", step.command] if step.program else ["bash", "-c", step.command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert ran.returncode == step.code, f"{step.command}\n{ran.stdout}\n{ran.stderr}"
        assert fits(step.expected, ran.stdout), f"{step.command}\nexpected:\n{step.expected}\nseen:\n{ran.stdout}"


def test_the_comparison_of_outputs_can_fail():
    assert fits("a …\n…\nz\n", "a b c\nd\ne\nz\n")
    assert fits("", "")
    assert not fits("a\n", "a\nb\n")
    assert not fits("", "b\n")
    assert not fits("F = 0.9\n", "F = 0.8\n")
