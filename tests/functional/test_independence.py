"""Tests that depend on their order, the time zone, the locale or the hash seed: `tasks validate` names each."""

from __future__ import annotations

import json
import re

import pytest

from backend import tiny
from qualityscore.runtime.sandbox.select import select
from qualityscore.suites.independence import dependent_tests
from qualityscore.validation import validate

SOURCE = '''"""A module that asks its surroundings."""

import time


def hour(seconds):
    """The local hour."""
    return time.localtime(seconds).tm_hour


def distinct(letters):
    """The different letters, in any order."""
    return list(set(letters))


def content(path):
    """The text of a file in the encoding of the locale."""
    with open(path) as file:
        return file.read()
'''
SUITE = """import pathlib
import subprocess
import sys

import tiny

UNSEEDED = "import sys; print(*set(sys.argv[1]))"


def test_leaves_a_file():
    pathlib.Path("left").write_text("3")
    assert tiny.content("left") == "3"


def test_needs_the_file():
    assert tiny.content("left") == "3"


def test_needs_that_nobody_left_another():
    assert [path.name for path in pathlib.Path().glob("another*")] == []


def test_leaves_another():
    pathlib.Path("another").write_text("4")
    assert tiny.content("another") == "4"


def test_zone():
    assert tiny.hour(0) == 0


def test_seed():
    argv = [sys.executable, "-c", UNSEEDED, "abcdefgh"]
    in_seed_0 = subprocess.run(argv, env={"PYTHONHASHSEED": "0"}, capture_output=True, text=True).stdout
    assert tiny.distinct("abcdefgh") == in_seed_0.split()


def test_locale(tmp_path):
    (tmp_path / "text").write_bytes("Äpfel".encode())
    assert tiny.content(tmp_path / "text") == "Äpfel"


def test_nothing(tmp_path):
    (tmp_path / "text").write_bytes(b"apples")
    assert [sorted(tiny.distinct("abca")), tiny.content(tmp_path / "text")] == [["a", "b", "c"], "apples"]
"""
WORKLOADS = """
class Letters:
    id = "letters"
    n = 20000

    def setup(self, size):
        return "abc" * size

    def body(self, inputs):
        import tiny

        return tiny.distinct(inputs)

    def digest(self, result):
        return [len(result)]


WORKLOADS = [Letters()]
"""
COST = '[suites.cost]\nfiles = ["workloads.py"]\ntest_timeout_s = 60.0\ntotal_timeout_s = 60.0\nmemory_mib = 256\n'


DEPENDENT = {
    "needs_the_file": ["order"],
    "needs_that_nobody_left_another": ["order"],
    "zone": ["TZ"],
    "locale": ["LC_ALL"],
    "seed": ["PYTHONHASHSEED"],
}


def found(problems):
    """Per run that is not one of the first three, the tests that fail there with what makes each fail alone."""
    told = {}
    for problem in problems:
        if match := re.fullmatch(
            r"in (reversed|random) order, TZ=.+: \S+::test_(\w+) fails on the reference, (.+)", problem
        ):
            causes = re.findall(r"order|\b(?:TZ|LC_ALL|PYTHONHASHSEED)(?==)", match[3])
            told.setdefault(match[1], {})[match[2]] = causes
    return told


def test_each_is_named_with_what_it_depends_on(make_stage):
    stage = make_stage({"test_tiny.py": SUITE}, ("tiny",))
    target = stage.target({"tiny.py": SOURCE}, is_reference=True)
    expected = stage.discover({"tiny.py": SOURCE})
    assert len(expected) == SUITE.count("def test_")
    said = []
    told = found(dependent_tests(target, expected, said.append))
    assert told["reversed"] == DEPENDENT
    assert {name: told["random"][name] for name in ("zone", "seed")} == {"zone": ["TZ"], "seed": ["PYTHONHASHSEED"]}
    assert [line.rpartition(": ")[2] for line in said] == [
        f"{len(expected) - len(told[order])} of {len(expected)} tests pass" for order in ("reversed", "random")
    ]


@pytest.mark.slow
def test_validation_refuses_a_task_with_such_tests(tmp_path):
    select()
    folder = tiny.write_task(tmp_path / "tiny")
    entries = [{"name": f"tiny.{name}", "kind": "function"} for name in ("hour", "distinct", "content")]
    with (folder / "task.toml").open("a") as file:
        file.write(COST)
    (folder / "requirement.md").write_text("It asks its surroundings.\n")
    (folder / "surface.json").write_text(json.dumps({"entries": entries}))
    (folder / "suites" / "test_tiny.py").write_text(SUITE)
    (folder / "reference" / "tiny.py").write_text(SOURCE)
    (folder / "probes" / "workloads.py").write_text(WORKLOADS)
    problems = validate(str(folder), unsafe=False, say=lambda line: None)
    named = set(re.findall(r"::test_(\w+) fails on the reference", "\n".join(problems)))
    assert named == DEPENDENT.keys()
