"""Reports that no evaluation can have written are refused by one sentence that names the key."""

import argparse
import json
from pathlib import Path

import jsonschema
import pytest

from qualityscore.commands import explain
from qualityscore.errors import ReportError
from qualityscore.model.codec import report_schema
from qualityscore.reports import json_document
from qualityscore.runtime import documents
from qualityscore.runtime.documents import read_report
from sample_reports import report


def spoiled(tmp_path, change):
    """The path of a sample report, changed in place."""
    document = json.loads(json_document.render(report()))
    change(document)
    file = tmp_path / "report.json"
    file.write_text(json.dumps(document), "utf-8")
    return str(file)


def put(*path, value):
    """A change that sets one key deep in a document."""

    def change(document):
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = value

    return change


OUT_OF_RANGE = [
    (("functional", "score"), 1.5),
    (("functional", "test"), -0.1),
    (("functional", "passed"), -1),
    (("functional", "expected"), -2),
    (("credibility", "score"), 2),
    (("non_functional", "score"), 7),
    (("non_functional", "low"), -0.5),
    (("dimensions", "security", "score"), 1.01),
    (("dimensions", "security", "high"), 3),
    (("dimensions", "security", "weight"), -0.2),
    (("dimensions", "security", "measures", 0, "score"), -1),
    (("dimensions", "security", "measures", 0, "credibility"), 1.2),
    (("dimensions", "security", "measures", 0, "epsilon"), -5),
    (("effective",), 1.1),
]


@pytest.mark.parametrize(("path", "value"), OUT_OF_RANGE, ids=[".".join(map(str, path)) for path, _ in OUT_OF_RANGE])
def test_a_number_out_of_its_range_is_refused_by_reader_and_schema(tmp_path, path, value):
    file = spoiled(tmp_path, put(*path, value=value))
    with pytest.raises(ReportError) as caught:
        read_report(file)
    assert f"key '{'.'.join(map(str, path))}'" in str(caught.value)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(Path(file).read_text("utf-8")), report_schema())


NO_PLACE_OR_SPAN = [
    (("findings", 0, "line"), -5),
    (("findings", 0, "line"), 0),
    (("findings", 0, "line"), 2**31),
    (("findings", 0, "line"), 10**30),
    (("findings", 0, "column"), 0),
    (("findings", 0, "end_line"), 2**31),
    (("findings", 0, "path"), "/etc/passwd"),
    (("findings", 0, "path"), "//evil.com/x"),
    (("findings", 0, "path"), "../../x"),
    (("findings", 0, "path"), "a/../x"),
    (("findings", 0, "path"), "a/.."),
    (("findings", 0, "path"), ""),
    (("findings", 0, "code"), ""),
    (("suppressions",), [{"path": "/a", "line": 1, "text": ""}]),
    (("functional", "tests", 0, "duration_s"), -5),
    (("functional", "tests", 0, "duration_s"), 1.7e308),
    (("functional", "tests", 1, "failure", "location", "line"), -5),
    (("functional", "tests", 1, "failure", "location", "path"), "../x"),
]


@pytest.mark.parametrize(("path", "value"), NO_PLACE_OR_SPAN)
def test_a_place_or_a_time_that_cannot_be_is_refused_by_reader_and_schema(tmp_path, path, value):
    file = spoiled(tmp_path, put(*path, value=value))
    with pytest.raises(ReportError, match="is not valid: key '" + ".".join(map(str, path))) as caught:
        read_report(file)
    assert "\n" not in str(caught.value)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(Path(file).read_text("utf-8")), report_schema())


@pytest.mark.parametrize(
    "path", ["...", ".github/x.py", "..a/b.py", "a..py", "a/.b/c", "a\\b.py", "a\n/ \u00fc.py", ".", None]
)
def test_odd_paths_of_honest_repositories_are_read(tmp_path, path):
    file = spoiled(tmp_path, put("findings", 0, "path", value=path))
    assert read_report(file).findings[0].path == path
    jsonschema.validate(json.loads(Path(file).read_text("utf-8")), report_schema())


def test_the_bounds_themselves_are_read(tmp_path):
    def change(document):
        document["findings"][0].update(line=1, column=1, end_line=2**31 - 1)
        document["functional"]["tests"][0]["duration_s"] = 0
        document["functional"]["tests"][1]["duration_s"] = 1e9

    read = read_report(spoiled(tmp_path, change))
    assert read.findings[0].end_line == 2**31 - 1
    assert [test.duration_s for test in read.functional.tests] == [0, 1e9]


NOT_FINITE = [
    (("dimensions", "efficiency", "measures", 0, "details"), {"growth": {"a": [1.0, "it"]}}, "growth.a.1"),
    (("dimensions", "efficiency", "details"), {"x": "it"}, "x"),
    (("provenance",), {"a": "it"}, "a"),
    (("findings", 0, "details"), {"y": "it"}, "y"),
]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize(("path", "value", "place"), NOT_FINITE)
def test_a_number_that_no_json_holds_is_refused_in_free_form_data_too(tmp_path, number, path, value, place):
    file = Path(spoiled(tmp_path, put(*path, value=value)))
    file.write_text(file.read_text("utf-8").replace('"it"', number), "utf-8")
    with pytest.raises(ReportError) as caught:
        read_report(str(file))
    key = ".".join(map(str, path))
    assert str(caught.value).endswith(f"is not valid: key '{key}.{place}': input should be a finite number.")


def test_a_device_without_an_end_is_read_up_to_the_bound(monkeypatch):
    monkeypatch.setattr(documents, "MAX_REPORT_BYTES", 1000)
    with pytest.raises(ReportError, match="/dev/zero is larger than 1000 bytes"):
        read_report("/dev/zero")


def test_a_document_of_just_the_bound_is_read_whole(tmp_path):
    file = tmp_path / "a"
    file.write_bytes(b"12345")
    assert documents.read_at_most(file, 5) == b"12345"
    assert documents.read_at_most(file, 4) is None


OF_ANOTHER_FORM = [
    (("subject", "sample"), -3, "'subject.sample'"),
    (("task", "id"), "../../x", "'task.id'"),
    (("task", "id"), "/etc/passwd", "'task.id'"),
    (("task", "id"), "..", "'task.id'"),
    (("task", "id"), "", "'task.id'"),
    (("task", "id"), "a\n", "'task.id'"),
    (("provenance", "started"), "yesterday", "'provenance': started 'yesterday' is no date and time"),
    (("provenance", "started"), 7, "'provenance': started 7 is no date and time"),
]


@pytest.mark.parametrize(("path", "value", "said"), OF_ANOTHER_FORM)
def test_what_no_evaluation_writes_is_refused_by_its_key(tmp_path, path, value, said):
    with pytest.raises(ReportError) as caught:
        read_report(spoiled(tmp_path, put(*path, value=value)))
    assert f"is not valid: key {said}" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_report_that_an_editor_gave_a_byte_order_mark_is_read(tmp_path):
    file = Path(spoiled(tmp_path, lambda document: None))
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert read_report(str(file)) == report()
    file.write_text(file.read_text("utf-8-sig"), "utf-16")
    with pytest.raises(ReportError, match="not JSON"):
        read_report(str(file))


def test_a_report_of_another_score_model_is_not_explained(tmp_path):
    file = spoiled(tmp_path, put("score_model", value="99"))
    with pytest.raises(ReportError, match="is of score model 99, this version explains"):
        explain.run(argparse.Namespace(report=file, measure=None))


def drop(*path):
    def change(document):
        for key in path[:-1]:
            document = document[key]
        del document[path[-1]]

    return change


def more_than_expected(document):
    document["functional"].update(passed=3, score=1.0)


CONTRADICTIONS = {
    "more passed than expected": (more_than_expected, "functional.passed: 3 is more than the 2 expected"),
    "score without a count": (put("functional", "passed", value=None), "functional.passed: null beside a score"),
    "share of another count": (put("functional", "score", value=0.9), "functional.score: 0.9 is not 1 of 2"),
    "tests of another number": (drop("functional", "tests", 0), "functional.tests: 1 are listed, 2 expected"),
    "tests of another outcome": (
        put("functional", "tests", 0, "outcome", value="failed"),
        "functional.passed: 1, but 0 of the listed tests passed",
    ),
    "passed without tests": (put("functional", "tests", value=[]), "functional.tests: none is listed, though 1 passed"),
    "interval upside down": (put("non_functional", "low", value=0.9), "ends at 0.55, before it begins at 0.9"),
    "outside its interval": (
        put("dimensions", "robustness", "high", value=0.46),
        "dimensions.robustness.score: 0.5 lies outside its own interval",
    ),
    "a dimension is missing": (drop("dimensions", "efficiency"), "dimensions: the weights add up to 0.8 instead of 1"),
    "a measure is missing": (
        put("dimensions", "security", "measures", value=[]),
        "security.score: 0.5, though it holds no measure",
    ),
    "a part is null": (
        put("dimensions", "security", "measures", 0, "score", value=None),
        "dimensions.security.score: 0.5, though a part of it is null",
    ),
    "no sum of its parts": (
        lambda d: d["dimensions"]["security"]["measures"][0].update(score=0.25, low=0.2, high=0.3),
        "dimensions.security.score: 0.5, but its weighted parts add up to 0.25",
    ),
    "no product": (put("effective", value=0.5), "effective: 0.5 is not the product 0.25"),
    "no effective": (put("effective", value=None), "effective: null beside two scores"),
    "complete without a score": (
        lambda d: (d["non_functional"].update(score=None), d.update(effective=None)),
        "status: complete, beside a score that is null",
    ),
}


@pytest.mark.parametrize(("change", "sentence"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_numbers_that_rule_each_other_out_are_refused_by_name(tmp_path, change, sentence):
    with pytest.raises(ReportError) as caught:
        read_report(spoiled(tmp_path, change))
    assert "contradicts itself" in str(caught.value)
    assert sentence in str(caught.value)


def test_a_repositorys_own_tests_without_a_baseline_are_counted_only(tmp_path):
    def change(document):
        document["functional"]["tests"] = []
        document["branch"] = {
            "baseline": {"kind": "none", "name": ""},
            "tests": None,
            "names": None,
            "findings": {"new": [], "fixed": [], "unchanged": 0, "new_by_severity": {}},
        }

    assert read_report(spoiled(tmp_path, change)).functional.passed == 1


def test_the_sample_itself_is_consistent(tmp_path):
    assert read_report(spoiled(tmp_path, lambda document: None)) == report()
