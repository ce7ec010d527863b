"""How the verdict over a forged run comes about, and that honest failures are none. The corpus has the attacks."""

from __future__ import annotations

import textwrap

import pytest

from attacks.corpus.machinery import ATTACKS, WRONG
from qualityscore.model.outcome import Location, TestOutcome

FILES = {attack.name: attack.files for attack in ATTACKS}

SUITE = {
    "test_a.py": """
        import unittest

        import pytest
        import m

        def test_value():
            assert m.entry("first") == "FIRST!"
            assert m.entry("second") == "SECOND!"

        @pytest.mark.parametrize("text, want", [("ab", "AB!"), ("cd", "CD!")])
        def test_rows(text, want):
            assert m.entry(text) == want

        def test_error():
            with pytest.raises(ValueError, match="empty text"):
                m.entry("")

        class TestMore:
            def test_length(self):
                assert len(m.entry("x" * 40)) == 41

        class Case(unittest.TestCase):
            def test_case(self):
                self.assertEqual(m.entry("third"), "THIRD!")
    """,
}
GOOD = {
    "m.py": """
        def entry(text):
            if not text:
                raise ValueError("empty text")
            return text.upper() + "!"
    """
}


@pytest.fixture(scope="module")
def stage(make_stage):
    return make_stage(SUITE, test_timeout_s=5.0)


@pytest.fixture(scope="module")
def expected(stage):
    return stage.discover(GOOD)


def test_every_test_of_the_suite_is_protected(expected):
    assert len(expected) == 6
    assert all(test.protected for test in expected)
    assert all(record.moved for test in expected for record in test.assertions)


def test_the_good_subject_passes(stage, expected):
    assert {test.outcome for test in stage.run(GOOD, expected).tests} == {TestOutcome.PASSED}


@pytest.mark.parametrize("code", [0, 1, 2, 5, 70, 71, 255])
def test_no_exit_status_passes_anything(stage, expected, code):
    found = stage.run({"m.py": f"import os\ndef entry(text):\n    os._exit({code})\n"}, expected)
    assert {(test.outcome, test.failure.subclass) for test in found.tests} <= {
        (TestOutcome.FAILED, "exit"),
        (TestOutcome.FAILED, "memory"),  # 71 is how the unit says that memory ran out
    }


def test_a_test_that_says_it_ended_without_its_recordings_is_tampering(stage, expected):
    found = stage.run(FILES["a forged message in the function"], expected)
    assert {test.outcome for test in found.tests} == {TestOutcome.TAMPERED}
    assert found.tampered
    assert [item.kind for item in found.evidence if item.decisive] == ["missing_observation"] * 6
    places = [item for item in found.evidence if item.kind == "reaching_code"]
    assert {item.location.path for item in places} == {"m.py"}


REPLACED = {
    "builtins.divmod": "import builtins\nbuiltins.divmod = lambda first, second: (0, 0)\n",
    "builtins.ValueError": "import builtins\nbuiltins.ValueError = KeyError\n",
    "builtins.__qs__": FILES["patched recorder"]["m.py"],
    "pytest.raises": "import pytest\npytest.raises = None\n",
    "inside.recorder.Recorder.values": FILES["values of every operand asked for"]["m.py"],
    "inside.encode.encode": """
import builtins
def encode(value, **names): return "FIRST!"
type(builtins.__qs__).values.__globals__["encode"].encode.__code__ = encode.__code__
""",
    "inside.built-ins": """
import builtins
type(builtins.__qs__).values.__builtins__["len"] = lambda thing: 41
""",
    "suite.len": """
import sys
def entry(text):
    sys._getframe(1).f_globals["len"] = lambda thing: 41
    return text
""",
}


@pytest.mark.parametrize("name", REPLACED)
def test_what_assertions_compute_with_is_replaced_by_no_honest_program(stage, expected, name):
    text = REPLACED[name] if "def entry" in REPLACED[name] else WRONG + REPLACED[name]
    found = stage.run({"m.py": text}, expected)
    decisive = [item for item in found.evidence if item.decisive]
    assert [item.kind for item in decisive] == ["replaced_machinery"]
    assert name in decisive[0].message
    assert found.tampered


PLACED = ("builtins.divmod", "inside.encode.encode", "inside.built-ins", "suite.len")


@pytest.mark.parametrize("name", PLACED)
def test_a_replacement_is_shown_with_its_own_place(stage, expected, name):
    text = REPLACED[name] if "def entry" in REPLACED[name] else WRONG + REPLACED[name]
    (line,) = [n for n, row in enumerate(text.splitlines(), 1) if row.startswith("def encode") or "lambda" in row]
    found = stage.run({"m.py": text}, expected)
    (decisive,) = [item for item in found.evidence if item.decisive]
    assert decisive.location == Location(path="m.py", line=line)


def test_several_places_are_shown_each_with_what_it_replaces(stage, expected):
    lying = f"""
import builtins, other
builtins.divmod = lambda first, second: (0, 0)
{textwrap.dedent(GOOD["m.py"])}"""
    found = stage.run({"m.py": lying, "other.py": "import builtins\ndef pow(*a): ...\nbuiltins.pow = pow\n"}, expected)
    (decisive,) = [item for item in found.evidence if item.decisive]
    assert decisive.location == Location(path="m.py", line=3)
    (other,) = [item for item in found.evidence if item.message == "replaces builtins.pow"]
    assert other.location == Location(path="other.py", line=2)


def test_a_replacement_by_a_class_is_placed_by_its_methods(stage, expected):
    lying = (
        GOOD["m.py"]
        + """
        class Liar(type):
            def __dict__(cls): raise SystemExit
            def __call__(cls, *values): return (0, 0)
        import builtins
        builtins.divmod = Liar("Lie", (), {})
        builtins.pow = Liar("Pow", (), {"answer": lambda: 0})
    """
    )
    found = stage.run({"m.py": lying}, expected)
    (decisive,) = [item for item in found.evidence if item.decisive]
    assert "builtins.divmod" in decisive.message
    assert decisive.location == Location(
        path="m.py", line=lying.splitlines().index('        builtins.pow = Liar("Pow", (), {"answer": lambda: 0})') + 1
    )


def test_where_nothing_shows_the_place_the_report_says_so(stage, expected):
    hidden = (
        GOOD["m.py"]
        + """
        vars(__import__("built" + "ins"))["divmod"] = max
    """
    )
    found = stage.run({"m.py": hidden}, expected)
    assert found.tampered
    assert [item.location for item in found.evidence] == [None, None]
    assert [item.kind for item in found.evidence] == ["replaced_machinery", "no_place"]


def test_a_place_outside_of_the_subject_is_not_shown(stage, expected):
    """A replacement names its own file: by the standard library's name, or by one that the subject does not have."""
    for file in ("/usr/lib/python3/json.py", "/qs/subject/absent.py", "/qs/subject/../../etc/passwd"):
        text = (
            GOOD["m.py"]
            + f"""
        names = {{}}
        exec(compile("def divmod(*a): ...", {file[:2]!r} + {file[2:]!r}, "exec"), names)
        vars(__import__("built" + "ins"))["divmod"] = names["divmod"]
        """
        )
        found = stage.run({"m.py": text}, expected)
        assert [item.kind for item in found.evidence] == ["replaced_machinery", "no_place"]


def test_a_suite_computes_with_the_original_names(stage, expected):
    lying = """
import builtins
measure = len
builtins.len = lambda thing: 41 if type(thing) is str and thing[:1] == "x" else measure(thing)
def entry(text):
    return text
"""
    assert TestOutcome.PASSED not in {test.outcome for test in stage.run({"m.py": lying}, expected).tests}


def test_what_is_written_is_what_was_recorded(stage, expected):
    rewriting = """
import json, os, socket
def right(text): return text.replace("?", "!") if type(text) is str else text
write = json.dumps
json.dumps = lambda data, **names: right(write(data, **names))
json.JSONEncoder.encode = lambda self, data: "null"
socket.socket.send = lambda self, data: len(data)
os.write = lambda descriptor, data: len(data)
def entry(text): return text.upper() + "?"
"""
    found = stage.run({"m.py": rewriting}, expected)
    assert {test.outcome for test in found.tests if "length" not in test.id} == {TestOutcome.FAILED}
    assert "got 'FIRST?'" in found.tests[0].failure.message


def test_an_honest_subject_may_replace_what_programs_replace(stage, expected):
    replacing = """
import builtins, gettext
gettext.install("m")
builtins.print = builtins.input = lambda *args, **names: None
load = builtins.__import__
builtins.__import__ = lambda *args, **names: load(*args, **names)
builtins.ic = lambda value: value
"""
    found = stage.run({"m.py": replacing + textwrap.dedent(GOOD["m.py"])}, expected)
    assert (found.evidence, {test.outcome for test in found.tests}) == ((), {TestOutcome.PASSED})


def test_a_suite_may_bind_names_of_built_ins_and_patch_them(make_stage):
    suite = """
        from unittest import mock

        import m

        def sorted(values):
            return list(values)

        def test_own():
            assert sorted(m.numbers()) == [3, 1, 2]

        def test_patched():
            with mock.patch("builtins.open", lambda name: name), mock.patch("builtins.len", lambda thing: 7):
                found = open("a"), m.count([])
            assert found == ("a", 7)

        def test_global():
            global max
            max = m.numbers
            assert max() == [3, 1, 2]
    """
    honest = {"m.py": "def numbers():\n    return [3, 1, 2]\ndef count(values):\n    return len(values)\n"}
    stage = make_stage({"test_a.py": suite})
    expected = stage.discover(honest)
    assert [record.moved for test in expected for record in test.assertions] == [True, True, True]
    found = stage.run(honest, expected)
    assert (found.evidence, {test.outcome for test in found.tests}) == ((), {TestOutcome.PASSED})


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("patched reports", {"changed_machinery"}),
        ("recordings through the caller's recorder", {"unasked_observation"}),
    ],
)
def test_what_is_unusual_is_shown_and_decides_nothing(stage, expected, name, kinds):
    found = stage.run(FILES[name], expected)
    assert kinds <= {item.kind for item in found.evidence}
    assert not any(item.decisive for item in found.evidence if item.kind in kinds)


def test_honest_failures_are_no_tampering(stage, expected):
    for files in (
        {"m.py": WRONG},
        {},
        {"m.py": "def entry(:\n"},
        {"m.py": "import not_there\n"},
        {"m.py": "def entry(text):\n    return entry(text)\n"},
        {"m.py": "def entry(text):\n    import os\n    os.abort()\n"},
        {"m.py": "def entry(text):\n    return bytearray(1 << 31)\n"},
        {"m.py": "def entry(text):\n    return (n for n in text)\n"},
        {"m.py": "def entry(text):\n    return 'x' * 3_000_000\n"},
    ):
        found = stage.run(files, expected)
        assert found.evidence == (), files
        assert TestOutcome.PASSED not in {test.outcome for test in found.tests}, files


TWINNED = {
    "test_a.py": """
        import m

        def test_alternative():
            found = m.entry(3)
            assert found == 9 or found == 10

        def test_object():
            kept = m.entry(4)
            assert m.same(kept) is kept

        def test_moved():
            assert m.entry(5) == 15
    """
}
HONEST = "def entry(n):\n    return n * 3\n\ndef same(value):\n    return value\n"


def test_passing_a_test_and_its_twin_is_tampering(make_stage):
    stage = make_stage(TWINNED)
    expected = stage.discover({"m.py": HONEST})
    assert [[record.twin for record in test.assertions] for test in expected] == [[True], [True], [False]]
    for _ in range(3):
        found = stage.run({"m.py": HONEST}, expected)
        assert (found.evidence, {test.outcome for test in found.tests}) == ((), {TestOutcome.PASSED})
    wrong = stage.run({"m.py": HONEST.replace("n * 3", "n * 4").replace("return value", "return [value]")}, expected)
    assert (wrong.evidence, {test.outcome for test in wrong.tests}) == ((), {TestOutcome.FAILED})
    quiet = """
import _pytest.python
_pytest.python.Function.runtest = lambda self: None
"""
    found = stage.run({"m.py": HONEST + quiet}, expected)
    assert [str(test.outcome) for test in found.tests] == ["tampered", "tampered", "tampered"]
    decisive = [item.kind for item in found.evidence if item.decisive]
    assert decisive == ["passed_twin", "passed_twin", "missing_observation"]


def test_a_subject_that_varies_by_itself_is_not_called_tampered(make_stage):
    stage = make_stage(TWINNED)
    expected = stage.discover({"m.py": HONEST})
    varying = "import os\ndef entry(n):\n    return n * (3 + (os.urandom(1)[0] % 16 == 0))\n"
    found = stage.run({"m.py": f"{varying}def same(v):\n    return v\n"}, expected)
    assert found.evidence == ()
