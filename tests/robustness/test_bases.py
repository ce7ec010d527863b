"""What a probe is built on where required arguments alone never return, and where another call makes the instance."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from qualityscore.model.task import Surface
from qualityscore.suites import probe_build, probe_survey
from qualityscore.suites.manifest import Manifest, ProbedEntry

REFERENCE = '''"""A reference."""


class Shelf:
    """Holds boxes; what it does not know itself its first box does."""

    def __init__(self, places: int) -> None:
        self._boxes = {}
        self._places = places

    def box(self, name: str) -> "Box":
        """The box of this name."""
        return self._boxes.setdefault(name, Box(self._boxes, self._places))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.box("first"), name)


class Box:
    """Made by a shelf only: the first argument has to be the shelf's own dict."""

    def __init__(self, boxes, places: int) -> None:
        if not isinstance(boxes, dict):
            raise TypeError("a box needs its shelf's boxes")
        self._items, self._places = [], places

    def put(self, item: str) -> int:
        """How many items are in the box then."""
        self._items.append(item)
        return len(self._items)

    def label(self, item: str) -> str:
        """The item's place and its text, doubled."""
        return f"{self._items.index(item)}:{item}{item}"


class _Reader:
    def read(self, text: str, key: str = "") -> str:
        """The text without its key."""
        if not key or not text.startswith(key):
            raise ValueError("the key is wrong")
        return text[len(key):]


read = _Reader().read


def plain(text: str) -> str:
    """The text in reverse."""
    return text[::-1]


def never(text: str, way: int = 0) -> str:
    """Nothing."""
    raise ValueError("never")
'''
SUITE = """import pytest
import thing


def test_boxes():
    shelf = thing.Shelf(3)
    box = shelf.box("red")
    assert box.put("ab") == 1
    assert box.label("ab") == "0:abab"


def test_the_first_box_can_be_used_through_its_shelf():
    shelf = thing.Shelf(5)
    assert shelf.put("xy") == 1
    assert shelf.label("xy") == "0:xyxy"


def test_texts_are_read_with_their_key():
    assert thing.read("k1-text", "k1-") == "text"
    assert thing.read("k2:other", key="k2:") == "other"
    assert thing.plain("abc") == "cba"
    with pytest.raises(ValueError):
        thing.never("a", 3)
"""
ENTRIES = {
    "Shelf": "class",
    "Shelf.box": "method",
    "Box": "class",
    "Box.put": "method",
    "Box.label": "method",
    "read": "function",
    "plain": "function",
    "never": "function",
}


@pytest.fixture(scope="module")
def built(module_target: Any) -> Manifest:
    target = module_target(REFERENCE, suite=SUITE, is_reference=True)
    entries = [{"name": f"thing.{name}", "kind": kind} for name, kind in ENTRIES.items()]
    task = target.task.model_copy(update={"surface": Surface.model_validate({"entries": entries})})
    return probe_build.build(replace(target, task=task), 0)


def entry(manifest: Manifest, name: str) -> ProbedEntry:
    return next(e for e in manifest.entries if e.name == f"thing.{name}")


@pytest.mark.slow
def test_a_call_with_all_its_arguments_is_the_base_where_the_required_ones_alone_raise(built: Manifest) -> None:
    read = entry(built, "read")
    assert read.sensible.call in ("thing.read('k1-text', 'k1-')", "thing.read('k2:other', 'k2:')")
    outcomes = {probe.call: probe.outcome for probe in read.probes}
    assert outcomes["thing.read('k2:other', 'k2:')"].value == "other"  # type: ignore[union-attr]
    changed = [call for call in outcomes if call.startswith("thing.read('k1-text', ") and "'k1-')" not in call]
    assert changed, "the second argument is changed while the first stays"
    assert any("'k1-')" in call and "'k1-text'" not in call for call in outcomes), "and the other way round"


def test_an_instance_that_another_object_makes_is_made_that_way(built: Manifest) -> None:
    label = entry(built, "Box.label")
    made = {tuple(probe.setup): probe.outcome for probe in label.probes if probe.call == "subject.label('ab')"}
    outcome = made["subject = thing.Shelf(3).box('red')", "subject.put('ab')"]
    assert outcome.value == "0:abab"  # type: ignore[union-attr]


def test_a_method_that_another_object_forwards_is_called_on_that_object(built: Manifest) -> None:
    made = [(probe.setup, probe.call) for probe in entry(built, "Box.label").probes]
    assert (["subject = thing.Shelf(5)", "subject.put('xy')"], "subject.label('xy')") in made


def test_required_arguments_alone_stay_the_base_where_they_return(built: Manifest) -> None:
    assert entry(built, "plain").sensible.call == "thing.plain('abc')"


def test_what_no_call_makes_return_is_reported(built: Manifest) -> None:
    gaps = {gap.entry: gap.reason for gap in built.not_probed if gap.parameter is None}
    assert gaps == {"thing.Box": "no call of it is known", "thing.never": "no call of it returns steadily"}


COMMAND = '''"""A reference."""


class Command:
    """Leaves the process where it is told to."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getitem__(self, key=None):
        return key

    def run(self, word: str) -> str:
        """The word."""
        if word == "stop":
            raise SystemExit(3)
        return word

    def label(self, text: str) -> str:
        """The name and the text."""
        return self._name + text
'''
COMMAND_SUITE = """import pytest
import thing


def test_a_exit():
    command = thing.Command("x")
    with pytest.raises(SystemExit):
        command.run("stop")
    assert command.label("b") == "xb"


def test_b_default_key():
    assert thing.Command("y")[None] is None


def test_c_label():
    assert thing.Command("z").label("c") == "zc"
"""


def test_calls_are_known_after_a_step_that_leaves_the_process_and_a_key_that_is_a_default(make_target: Any) -> None:
    """The step is left out, since it raises when it is run again."""
    target = make_target(COMMAND, suite=COMMAND_SUITE, is_reference=True)
    kinds = {"Command": "class", "Command.run": "method", "Command.label": "method"}
    entries = [{"name": f"thing.{name}", "kind": kind} for name, kind in kinds.items()]
    task = target.task.model_copy(update={"surface": Surface.model_validate({"entries": entries})})
    for known in probe_survey.survey(replace(target, task=task), 0):
        (label,) = [one for one in known.entries if one.entry.name == "thing.Command.label"]
        assert [(call.setup, call.positional) for call in label.calls] == [
            (("subject = thing.Command('x')",), (("text", "'b'"),)),
            (("subject = thing.Command('z')",), (("text", "'c'"),)),
        ]
