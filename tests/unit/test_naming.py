"""Classes are named after what they are: expected names are those by which plain Python finds the class."""

from __future__ import annotations

import collections
import dataclasses
import decimal
import fractions
import json
import os
import subprocess
import sys
import types
import unittest.mock
from pathlib import Path

import pytest

from qualityscore.inside.encode import digest, encode
from qualityscore.inside.naming import CLAIMED, mro, type_name

INSIDE = Path(__file__).parents[2] / "qualityscore" / "inside"


class Own(Exception):
    pass


class Lying(type):
    """A metaclass that answers for its classes."""

    def __getattribute__(cls, name):
        lies = {"__module__": "builtins", "__qualname__": "ValueError", "__mro__": (cls, ValueError, Exception, object)}
        return lies[name] if name in lies else type.__getattribute__(cls, name)

    def __instancecheck__(cls, instance):
        return True

    def __subclasscheck__(cls, other):
        return True

    def __eq__(cls, other):
        return True

    def __hash__(cls):
        return hash(ValueError)


def claiming(module: str, name: str, *bases: type) -> type:
    made = type("Made", bases or (object,), {})
    made.__module__, made.__qualname__, made.__name__ = module, name, name.rpartition(".")[2]
    return made


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (ValueError, "builtins.ValueError"),
        (ExceptionGroup, "builtins.ExceptionGroup"),
        (type(None), "builtins.NoneType"),
        (type({}.keys()), "builtins.dict_keys"),
        (decimal.Decimal, "decimal.Decimal"),
        (decimal.InvalidOperation, "decimal.InvalidOperation"),
        (fractions.Fraction, "fractions.Fraction"),
        (collections.abc.Mapping, "collections.abc.Mapping"),
        (json.JSONDecodeError, "json.decoder.JSONDecodeError"),
        (os.stat_result, "os.stat_result"),
        (subprocess.TimeoutExpired, "subprocess.TimeoutExpired"),
        (pytest.Module, "_pytest.python.Module"),
        (Own, f"{__name__}.Own"),
        (dataclasses.make_dataclass("Plain", ["x"]), f"{dataclasses.make_dataclass('Plain', ['x']).__module__}.Plain"),
        (types.new_class("New"), f"{types.new_class('New').__module__}.New"),
    ],
)
def test_a_class_keeps_the_name_that_leads_to_it(kind, name):
    assert type_name(kind) == name


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("builtins", "ValueError"),
        ("builtins", "list"),
        ("builtins", "NoneType"),
        ("builtins", "object.x"),
        ("decimal", "Decimal"),
        ("datetime", "datetime"),
        ("collections", "abc.Mapping"),
        ("json.decoder", "JSONDecodeError"),
        ("json", "decoder.JSONDecodeError"),
        ("turtle", "TurtleGraphicsError"),  # of the standard library, not loaded here
        ("pytest", "Module"),
        ("_pytest.python", "Module"),
        ("_pytest", "python.Module"),
    ],
)
def test_a_class_that_claims_the_name_of_another_is_marked(module, name):
    claimed = claiming(module, name)
    assert type_name(claimed) == f"{module}.{name}{CLAIMED}"
    assert type_name(claimed).rpartition(".")[2] != name.rpartition(".")[2]


def test_the_subjects_own_modules_are_its_own_affair():
    assert type_name(claiming("a_subject", "Error", Exception)) == "a_subject.Error"
    assert type_name(claiming("a_subject.parts", "Outer.Inner")) == "a_subject.parts.Outer.Inner"


def test_no_metaclass_is_asked():
    liar = Lying("Liar", (Exception,), {"__module__": "a_subject"})
    assert f"{liar.__module__}.{liar.__qualname__}" == "builtins.ValueError"
    assert type_name(liar) == "a_subject.Liar"
    assert [kind.__name__ for kind in mro(liar)[1:]] == ["Exception", "BaseException", "object"]


def test_what_a_standard_module_held_at_first_counts():
    with unittest.mock.patch.object(fractions, "Fraction", claiming("fractions", "Fraction")):
        assert type_name(fractions.Fraction).endswith(CLAIMED)
        assert encode(fractions.Fraction()) == {"object": [f"fractions.Fraction{CLAIMED}", {}]}


def test_an_encoded_value_of_a_pretender_equals_no_real_one():
    for kind, real in [
        (claiming("datetime", "tzinfo"), __import__("datetime").tzinfo()),
        (claiming("builtins", "object"), object()),
        (claiming("builtins", "ValueError", Exception), ValueError()),
    ]:
        assert digest(encode(kind())) != digest(encode(real)), kind
        assert digest(encode(kind)) != digest(encode(type(real))), kind


def inside(code: str, tmp_path: Path) -> str:
    """What code prints that runs with our files as plain modules, as in the sandbox."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(INSIDE)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_failures_and_recordings_name_exceptions_after_what_they_are(tmp_path):
    code = """
import failure, json, recorder
class Lie(type):
    __instancecheck__ = __subclasscheck__ = lambda cls, other: True
class Everything(Exception, metaclass=Lie): pass
class Counterfeit(Exception): pass
Counterfeit.__name__ = Counterfeit.__qualname__ = "ValueError"
Counterfeit.__module__ = "builtins"
print(json.dumps([failure.describe(Counterfeit("x"), "/a", "/b"), failure.describe(ValueError("x"), "/a", "/b")]))
seen = recorder.Recorder()
for error, expected in ((Counterfeit("x"), None), (Counterfeit("x"), Everything), (Counterfeit("x"), Exception),
                        (Counterfeit("x"), (KeyError, (Counterfeit, OSError)))):
    with seen.raises("k", expected):
        raise error
print("[" + ", ".join(seen.records) + "]")
"""
    described, records = map(json.loads, inside(code, tmp_path).splitlines())
    assert [one["type"] for one in described] == [f"builtins.ValueError{CLAIMED}", "builtins.ValueError"]
    assert "builtins.ValueError" not in described[0]["bases"]
    names = [record[2][0]["tuple"][0]["tuple"] for record in records]
    assert (
        names
        == [[f"builtins.ValueError{CLAIMED}", *(f"builtins.{n}" for n in ("Exception", "BaseException", "object"))]] * 4
    )
    assert [record[2][0]["tuple"][2] for record in records] == [False, False, True, True]


def test_what_is_written_without_json_is_what_json_writes(tmp_path):
    code = """
import json, encode, wire
for data in (None, True, 0, -(1 << 62), "", "\\u00e9\\ud800\\n\\"", [], {}, [[1, {"b": [None], "a": "x"}], ("t", 1.5)],
             encode.encode([{1: {2, "x"}}, 1.5, b"a", ValueError("x"), 1 << 80])):
    assert wire.dumps(data) == json.dumps(data), data
    assert wire.loads(json.dumps(data).encode()) == json.loads(json.dumps(data))
    assert encode.canonical(data) == json.dumps(data, sort_keys=True, separators=(",", ":"))
print("same")
"""
    assert inside(code, tmp_path) == "same\n"
