"""What went wrong gets the class, the words and the place that its evidence gives."""

from __future__ import annotations

import pytest

from qualityscore.model.outcome import TestOutcome

SUITE = {
    "test_a.py": """
        import pytest
        import m

        def test_value():
            assert m.entry("ab", times=2) == "abab"

        def test_error():
            with pytest.raises(ValueError, match="negative"):
                m.entry("ab", times=-1)

        def test_kept():
            found = m.entry("ab", times=1)
            assert found == "ab" or found == "AB"
    """
}
GOOD = {
    "m.py": """
        def entry(text, *, times):
            if times < 0:
                raise ValueError("negative")
            return text * times
    """
}
CLASSES = {
    "wrong value": ("def entry(text, *, times):\n    return text\n", "mismatch", "wrong_value", None),
    "another signature": ("def entry(text):\n    return text\n", "mismatch", "signature", None),
    "a name that lacks": ("def other():\n    pass\n", "mismatch", "missing_attribute", None),
    "an error of its own": (
        "def entry(text, *, times):\n    return deeper(text)\n\ndef deeper(text):\n    return {}[text]\n",
        "mismatch",
        "unexpected_exception",
        ("m.py", 5, "deeper"),
    ),
    "a field that lacks": (
        "class Box:\n    pass\n\ndef entry(text, *, times):\n    return Box().text\n",
        "mismatch",
        "inconsistent_field",
        ("m.py", 5, "entry"),
    ),
    "no syntax": ("def entry(:\n", "executability", "syntax", ("m.py", 1, None)),
    "a module that lacks": ("import not_there\n", "executability", "missing_module", ("m.py", 1, "<module>")),
    "a name that lacks elsewhere": (
        "from json import not_there\n",
        "executability",
        "missing_name",
        ("m.py", 1, "<module>"),
    ),
    "a broken import": ("x = 1\ny = x / 0\n", "executability", "broken_import", ("m.py", 2, "<module>")),
    "an abort": ("import os\ndef entry(text, *, times):\n    os.abort()\n", "non_functional", "crash", None),
    "an exit": ("import os\ndef entry(text, *, times):\n    os._exit(3)\n", "non_functional", "exit", None),
    "a recursion": (
        "def entry(text, *, times):\n    return entry(text, times=times)\n",
        "non_functional",
        "recursion",
        ("m.py", 2, "entry"),
    ),
    "a hog": (
        "def entry(text, *, times):\n    return bytearray(1 << 31)\n",
        "non_functional",
        "memory",
        ("m.py", 2, "entry"),
    ),
    "a hang": ("def entry(text, *, times):\n    while True: pass\n", "non_functional", "hang", None),
}


@pytest.fixture(scope="module")
def stage(make_stage):
    return make_stage(SUITE, test_timeout_s=3.0)


@pytest.fixture(scope="module")
def expected(stage):
    return stage.discover(GOOD)


def test_only_what_an_alternative_guards_stays_in_the_child(expected):
    moved = {test.id.partition("::")[2]: [record.moved for record in test.assertions] for test in expected}
    assert moved == {"test_value": [True], "test_error": [True], "test_kept": [False]}
    assert [test.protected for test in expected] == [True, True, False]


@pytest.mark.parametrize("name", CLASSES)
def test_a_failure_has_its_class_and_place(stage, expected, name):
    text, class_name, subclass, place = CLASSES[name]
    found = stage.run({"m.py": text}, expected)
    test = found.tests[0]
    assert test.outcome is TestOutcome.FAILED
    assert (str(test.failure.class_name), test.failure.subclass) == (class_name, subclass)
    location = test.failure.location
    assert (location and (location.path, location.line, location.function)) == place
    unstable = class_name == "executability" or subclass in {"crash", "exit", "hang", "memory"}
    assert test.stable is not unstable
    state = "broken" if class_name == "executability" else "importable"
    assert [module.state for module in found.modules] == [state]


def test_messages_show_the_assertion_as_it_was_written(stage, expected):
    upper = stage.run({"m.py": "def entry(text, *, times):\n    return text.upper()\n"}, expected)
    assert [test.failure and test.failure.message for test in upper.tests] == [
        'assert m.entry("ab", times=2) == "abab": got \'AB\'',
        'pytest.raises(ValueError, match="negative"): nothing was raised',
        None,
    ]
    assert upper.tests[1].failure.subclass == "wrong_exception"
    other = stage.run({"m.py": "def entry(text, *, times):\n    raise KeyError('times')\n"}, expected)
    assert other.tests[1].failure.message == ('pytest.raises(ValueError, match="negative"): got KeyError("\'times\'")')


@pytest.mark.parametrize(
    ("raised", "class_name", "subclass"),
    [
        ("MemoryError", "non_functional", "memory"),
        ("RecursionError", "non_functional", "recursion"),
        ("SystemExit", "non_functional", "exit"),
        ("ModuleNotFoundError", "executability", "missing_module"),
        ("OSError", "mismatch", "wrong_exception"),
    ],
)
def test_an_exception_instead_of_the_demanded_one_says_what_it_says_elsewhere(
    stage, expected, raised, class_name, subclass
):
    text = f"def entry(text, *, times):\n    if times < 0:\n        raise {raised}\n    return text * times\n"
    found = stage.run({"m.py": text}, expected).tests[1]
    assert (str(found.failure.class_name), found.failure.subclass) == (class_name, subclass)
    assert found.stable  # another exception than the demanded one is a verdict


def test_a_program_of_the_subject_that_does_not_end_hangs(make_stage):
    suite = """
        import subprocess, sys

        def test_command():
            assert subprocess.run([sys.executable, "-m", "m"], timeout=1).returncode == 0
    """
    stage = make_stage({"test_a.py": suite}, test_timeout_s=10.0)
    expected = stage.discover({"m.py": ""})
    found = stage.run({"m.py": "if __name__ == '__main__':\n    while True:\n        pass\n"}, expected).tests[0]
    assert (str(found.failure.class_name), found.failure.subclass) == ("non_functional", "hang")
    assert found.stable  # the test itself ended in time


def test_no_exception_in_an_assertion_that_stays_with_the_test_is_no_unexpected_one(make_stage):
    suite = """
        import pytest
        import m

        def test_kept():
            with pytest.raises(ValueError) as caught:
                m.entry()
            assert caught.type is ValueError or caught is None
    """
    stage = make_stage({"test_a.py": suite})
    expected = stage.discover({"m.py": "def entry():\n    raise ValueError\n"})
    found = stage.run({"m.py": "def entry():\n    pass\n"}, expected).tests[0]
    assert (str(found.failure.class_name), found.failure.subclass) == ("mismatch", "wrong_exception")


def test_an_empty_repository_lacks_the_module(stage, expected):
    found = stage.run({"readme.py": ""}, expected)
    assert {test.failure.subclass for test in found.tests} == {"missing_module"}
    assert [module.state for module in found.modules] == ["missing"]


def test_what_is_installed_is_not_taken_for_the_subject(make_stage):
    stage = make_stage(
        {"test_a.py": "import iniconfig\ndef test_a():\n    assert iniconfig.entry() == 'mine'\n"}, ("iniconfig",)
    )
    # pytest itself has loaded the module of that name
    expected = stage.discover({"iniconfig/__init__.py": "def entry():\n    return 'mine'\n"})
    assert len(expected) == 1
    found = stage.run({"other.py": ""}, expected)
    assert found.tests[0].failure.subclass == "missing_module"
    assert "not imported from the repository" in found.tests[0].failure.message


def test_what_a_failing_test_wrote_goes_with_it(make_stage):
    stage = make_stage(SUITE)
    expected = stage.discover(GOOD)
    tells = "import sys\n\ndef entry(text, *, times):\n    print('called', times)\n    sys.stderr.write('e' * {})\n"
    kept, value, error = (
        {t.id.rpartition("::")[2]: t.output for t in stage.run({"m.py": tells.format(n)}, expected).tests}[name]
        for n, name in ((0, "test_kept"), (2, "test_value"), (9000, "test_error"))
    )
    assert (kept, value) == ("called 1", "called 2\nee")
    assert error == "…" + "e" * 1999


def test_a_passing_test_keeps_no_output_and_a_broken_import_does(make_stage):
    stage = make_stage(SUITE)
    expected = stage.discover(GOOD)
    talks = "print('hello')\n\ndef entry(text, *, times):\n    if times < 0:\n        raise ValueError('negative')\n"
    good = stage.run({"m.py": talks + "    print('once')\n    return text * times\n"}, expected)
    assert {t.output for t in good.tests} == {None}
    broken = stage.run({"m.py": talks + "1 / 0\n"}, expected)
    assert {t.output for t in broken.tests} == {"hello"}
