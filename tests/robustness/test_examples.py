"""Worked examples, results that have to be read, files in memory, and paths of a test's own folder."""

from __future__ import annotations

from typing import Any

import pytest

from qualityscore.errors import TaskError
from qualityscore.suites import probe_build
from qualityscore.suites.manifest import Manifest, Probe

REFERENCE = '''"""A reference."""


class Picture:
    """Holds numbers and shows nothing of them."""

    __slots__ = ("_numbers",)

    def __init__(self, numbers: list) -> None:
        self._numbers = list(numbers)

    def shown(self) -> list:
        return list(self._numbers)


class _Rows:
    __slots__ = ("_rows",)

    def __init__(self, rows):
        self._rows = rows

    def __iter__(self):
        return (row[::-1] for row in self._rows)


def hide(picture: Picture, text: str) -> Picture:
    """A picture with the numbers of the letters added."""
    return Picture([a + ord(b) for a, b in zip(picture._numbers, text)])


def turned(rows: list) -> _Rows:
    """The rows in reverse, worked out when they are read."""
    return _Rows(rows)


def write(text: str, file) -> None:
    """The text into a file, twice."""
    file.write(text + text)


def length(path: str) -> str:
    """The number of letters of a path, as a text with a sign."""
    return f"+{len(path)}"


def command(name: str):
    """A decorator."""
    return lambda function: lambda *words: [name, *function(*words)]
'''
SUITE = """import io
import thing


def test_all(tmp_path):
    assert list(thing.turned([[1, 2], [3, 4]])) == [[2, 1], [4, 3]]
    assert list(thing.turned([["a", "b", "c"]])) == [["c", "b", "a"]]
    file = io.StringIO()
    assert thing.write("ab", file) is None
    assert file.getvalue() == "abab"
    assert thing.length(str(tmp_path)) == f"+{len(str(tmp_path))}"
    assert thing.length("/a/b") == "+4"
"""
EXAMPLES = """
[pieces]
picture = '''
def picture(*numbers):
    return thing.Picture(numbers)
'''

[[example]]
entry = "thing.hide"
uses = ["picture"]
call = "thing.hide(picture(1, 2, 3), 'abc').shown()"

[[example]]
entry = "thing.command"
setup = "@thing.command('tool')\\ndef tool(*words): return [word * 2 for word in words]"
call = "tool('ab', 'cd')"
"""
ENTRIES = [f"thing.{name}" for name in ("hide", "turned", "write", "length", "command")]


def target_with(make: Any, examples: str) -> Any:
    target = make(REFERENCE, ENTRIES, suite=SUITE, is_reference=True)
    (target.task.probes_folder / "examples.toml").write_text(examples, "utf-8")
    return target


@pytest.fixture(scope="module")
def built(module_target: Any) -> Manifest:
    return probe_build.build(target_with(module_target, EXAMPLES), 0)


def probes(manifest: Manifest, name: str) -> list[Probe]:
    return next(entry.probes for entry in manifest.entries if entry.name == f"thing.{name}")


def value(probe: Probe) -> object:
    return getattr(probe.outcome, "value", None)


@pytest.mark.slow
def test_an_example_is_a_valid_probe_whose_surroundings_make_its_result_tell(built: Manifest) -> None:
    (example,) = [probe for probe in probes(built, "hide") if probe.inputs == "a worked example"]
    assert example.call == "thing.hide(picture(1, 2, 3), 'abc').shown()"
    assert (example.kind, example.value) == ("valid", True)
    assert value(example) == {"list": [1 + ord("a"), 2 + ord("b"), 3 + ord("c")]}


@pytest.mark.slow
def test_one_argument_of_an_example_is_changed_within_its_surroundings(built: Manifest) -> None:
    changed = [probe for probe in probes(built, "hide") if probe.inputs == "text: plain text"]
    texts = {probe.call: value(probe) for probe in changed}
    assert texts["thing.hide(picture(1, 2, 3), 'a').shown()"] == {"list": [1 + ord("a")]}


@pytest.mark.slow
def test_literals_are_changed_where_the_call_stands_in_the_preparation(built: Manifest) -> None:
    found = {probe.call: probe for probe in probes(built, "command")}
    assert value(found["tool('ab', 'cd')"]) == {"list": ["tool", "abab", "cdcd"]}
    changed = [probe for probe in found.values() if probe.inputs == "a worked example: changed text"]
    assert changed
    assert all(probe.call.startswith("tool(") and probe.call != "tool('ab', 'cd')" for probe in changed)
    assert any(isinstance(value(probe), dict) for probe in changed)


@pytest.mark.slow
def test_what_is_worked_out_when_it_is_read_is_read(built: Manifest) -> None:
    found = [probe for probe in probes(built, "turned") if probe.inputs == "as the suite calls it, read as a list"]
    assert [(probe.kind, probe.value, value(probe)) for probe in found] == [
        ("valid", True, {"list": [{"list": [2, 1]}, {"list": [4, 3]}]}),
        ("valid", True, {"list": [{"list": ["c", "b", "a"]}]}),
    ]


@pytest.mark.slow
def test_what_a_file_in_memory_holds_is_looked_at(built: Manifest) -> None:
    inputs = "as the suite calls it, then what its file holds"
    (written,) = [probe for probe in probes(built, "write") if probe.inputs == inputs]
    assert written.setup == ["import io", "file = io.StringIO()", "thing.write('ab', file)"]
    assert (written.kind, value(written)) == ("valid", "abab")


@pytest.mark.slow
def test_paths_of_folders_that_were_made_for_a_test_are_no_input(built: Manifest) -> None:
    own = [probe.call for probe in probes(built, "length") if probe.inputs == "as the suite calls it"]
    assert own == ["thing.length('/a/b')"]
    assert "pytest-" not in built.model_dump_json()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[example]]\nentry = 'thing.other'\ncall = '1'", "Example 1 is of thing.other"),
        ("[[example]]\nentry = 'thing.hide'\nuses = ['x']\ncall = '1'", "uses x, which is no piece"),
        ("[[example]]\nentry = 'thing.hide'\ncall = 'hide('", "is no Python"),
        ("[[example]]\nentry = 'thing.hide'\n", "not valid"),
        ("[[example]", "cannot be read"),
    ],
)
def test_an_example_that_cannot_be_used_is_refused(make_target: Any, text: str, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        probe_build.build(target_with(make_target, text), 0)
