"""What parameters are tried with, and what a reviewer is asked."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from qualityscore.errors import TaskError
from qualityscore.suites import probe_inputs, probe_review
from qualityscore.suites.manifest import Manifest, Raised
from qualityscore.suites.probe_review import Review


@pytest.mark.parametrize("name", ["path", "file", "log_file", "output", "fp", "folder", "source_path"])
def test_a_number_is_never_passed_where_a_path_is_taken(name: str) -> None:
    texts = [text for seed in range(20) for _, text in probe_inputs.misfits(name, ("str",), random.Random(seed))]
    assert "5" not in texts
    assert "None" in texts


def test_a_file_like_parameter_of_any_name_gets_no_number() -> None:
    assert "5" not in [text for _, text in probe_inputs.misfits("sink", ("file",), random.Random(0))]
    assert "5" in [text for _, text in probe_inputs.misfits("profile", ("str",), random.Random(0))]


def probe(number: int, inputs: str, *, raised: str | None = None, kind: str = "hostile") -> dict[str, object]:
    returned = {"kind": "returned", "digest": "0" * 64, "value": None, "shown": "None"}
    outcome = {"kind": "raised", "type": "builtins.TypeError", "site": raised} if raised else returned
    return {"id": f"p{number}", "kind": kind, "setup": [], "call": f"f({number})", "inputs": inputs, "outcome": outcome}


def test_a_reviewer_is_asked_once_per_parameter_and_once_per_raise_statement() -> None:
    probes = [
        probe(1, "text: accented text", kind="valid"),
        probe(2, "text: emoji", kind="valid"),
        probe(3, "text: lone surrogate"),
        probe(4, "text: wrong type: None"),
        probe(5, "text: wrong type: a number", raised="m.py f: raise TypeError('no text')"),
        probe(6, "text: object without text", raised="m.py f: text.strip() (AttributeError)"),
        probe(7, "text: wrong type: a list", raised="m.py g: text + 'x' (TypeError)"),
        probe(8, "text: emoji", raised="m.py g: text + 'x' (TypeError)"),
    ]
    entry = {
        "name": "m.f",
        "sensible": {"setup": [], "call": "f(0)"},
        "limit_s": 2.0,
        "memory_bytes": 256 << 20,
        "probes": probes,
    }
    manifest = Manifest.model_validate(
        {
            "schema_version": 1,
            "task_id": "m",
            "reference": "m 1",
            "seed": 0,
            "hash_seeds": [0],
            "float_tolerance": 0.0,
            "entries": [entry],
        }
    )
    asked = {question.what: question.probes for question in probe_review.questions(manifest)}
    assert asked == {
        "raise site: any operation that a misfit makes raise": 2,
        "raise site: m.py f: raise TypeError('no text')": 1,
        "raise site: m.py g: text + 'x' (TypeError)": 1,
        "accepted input: text: accented text, emoji": 2,
        "accepted input: text: any misfit, lone surrogate": 2,
    }


def test_a_guard_may_hold_for_some_entries_only() -> None:
    manifest = {"guard": [{"site": "m.py f: raise *", "reason": "said for caches", "entry": "m.*Cache*"}]}
    review = Review.model_validate(manifest)
    outcome = Raised(type="builtins.ValueError", site="m.py f: raise ValueError(*")
    assert review.kind("m.LRUCache.get", "key: None", outcome) == "guarded"
    assert review.kind("m.func.lru_cache", "key: None", outcome) == "hostile"


def test_a_review_may_take_back_the_guard_of_a_raising_callback() -> None:
    outcome = Raised(type="probe.ProbeError", site=probe_review.CALLBACK_SITE)
    line = {"entry": "m.f", "inputs": "key: raising callback", "reason": "nothing says whether the key is called"}
    review = Review.model_validate({"hostile": [line]})
    assert review.kind("m.f", "key: raising callback", outcome) == "hostile"
    assert review.kind("m.g", "key: raising callback", outcome) == "guarded"
    assert review.kind("m.f", "default: raising callback", outcome) == "guarded"


def test_a_text_grows_by_its_separator_and_by_its_first_element() -> None:
    found = dict(probe_inputs.repeated("'<r a=\"1\"><b>x</b><c/></r>'"))
    assert set(found) == {"separator repeated", "element repeated"}
    assert len(eval(found["separator repeated"])) == len('<r a="1"><b>x</b><c/></r>') + 40000
    grown = eval(found["element repeated"])
    assert grown.startswith('<r a="1"><b>x</b><b>x</b>')
    assert grown.endswith("<b>x</b><c/></r>")
    assert grown.count("<b>x</b>") == 40001
    assert dict(probe_inputs.repeated("('a', 'b')")) == {"sequence repeated": "('a', 'b') * 40000"}
    assert probe_inputs.repeated("name") == probe_inputs.repeated("'ab'") == probe_inputs.repeated("{'a': 1}") == []


def test_what_is_nested_is_replaced_leaf_by_leaf() -> None:
    value = {"r": {"@k": "1", "t": ["x", "y"]}, "top": "z"}
    found: dict[str, set[str]] = {}
    for seed in range(30):
        for name, text in probe_inputs.changed(repr(value), random.Random(seed)):
            found.setdefault(name, set()).add(text)
    nones = {
        ascii({"r": {"@k": None, "t": ["x", "y"]}, "top": "z"}),
        ascii({"r": {"@k": "1", "t": [None, "y"]}, "top": "z"}),
        ascii({"r": {"@k": "1", "t": ["x", None]}, "top": "z"}),
    }
    assert found["nested None"] == nones  # each leaf below the first level, and nothing else
    assert {name for name in found if name.startswith("nested")} == {
        *("nested None", "nested lone surrogate", "nested empty text", "nested dict"),
    }


@pytest.mark.parametrize("text", ["accept = [", "accept = " + "[" * 5000, "accept = " + "1" * 5000])
def test_a_review_that_cannot_be_read_is_refused_in_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / probe_review.FILE_NAME).write_text(text, "utf-8")
    with pytest.raises(TaskError, match=r"The review .* cannot be read: .*\.$"):
        probe_review.load(tmp_path)
