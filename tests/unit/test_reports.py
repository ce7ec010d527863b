"""Renderers: what a person sees, byte-identical on the same report, inert to hostile text, valid against the schema."""

import json
from dataclasses import replace
from types import SimpleNamespace

import jsonschema
import pytest

from qualityscore.core.leaderboard import Result
from qualityscore.model.codec import load_report, report_schema
from qualityscore.model.finding import Finding
from qualityscore.model.measure import Fault
from qualityscore.model.outcome import Evidence, Location
from qualityscore.model.report import (
    CONTAINMENT,
    DimensionReport,
    FaultReport,
    FunctionalReport,
    NonFunctionalReport,
    Status,
)
from qualityscore.reports import board_html, console, html, json_document, markdown
from qualityscore.runtime.sandbox.base import Level
from sample_reports import HOSTILE, hostile, measure, report


def test_the_table_shows_scores_interval_bars_and_the_three_costliest_findings():
    text = console.render(report())
    assert "a-model against cachetools (cachetools 8.0.2)" in text
    assert "0.450 to 0.550" in text
    assert text.count("█") == 5 * console.BAR_WIDTH // 2  # half of each of five bars
    assert [f"finding {n}" in text for n in (1, 2, 3, 4)] == [False, True, True, True]
    assert text.index("finding 4") < text.index("finding 3") < text.index("finding 2")
    assert "assert f(1) == 2: got 3" in text


def test_a_finding_costs_by_its_measures_loss_and_weights_not_by_its_points():
    small = Finding(code="S", tool="t", message="one of few", path="a.py", line=1, points=2.0, measure="security.x")
    large = Finding(code="L", tool="t", message="one of many", path="a.py", line=2, points=9.0, measure="robustness.x")
    free = Finding(
        code="F", tool="t", message="as the reference", path="a.py", line=3, points=99.0, measure="efficiency.x"
    )
    dimensions = dict(report().dimensions)
    many = replace(measure("robustness.x", 0.5), value=900.0)  # 9 of 900 lose 0.01 of the loss, 2 of 12.5 lose 0.16
    dimensions["robustness"] = replace(dimensions["robustness"], measures=(many,))
    dimensions["efficiency"] = replace(dimensions["efficiency"], measures=(measure("efficiency.x", 1.0),))
    shown = console.costliest(report(findings=(small, large, free), dimensions=dimensions), 3)
    assert [f.code for f in shown] == ["S", "L"]


def test_a_missing_dimension_is_shown_as_missing_not_as_zero():
    dimensions = dict(report().dimensions)
    dimensions["security"] = DimensionReport(score=None, low=None, high=None, weight=0.2)
    fault = FaultReport(stage="static", fault=Fault.HARNESS, reason="bandit crashed", code="QS-340")
    shown = console.render(
        report(
            status=Status.PARTIAL,
            dimensions=dimensions,
            non_functional=NonFunctionalReport(score=None, low=0.4, high=0.6),
            effective=None,
            faults=(fault,),
        )
    )
    (row,) = [line for line in shown.splitlines() if line.startswith("security")]
    assert "0.000" not in row
    assert "not measured" in row
    assert "between 0.400 and 0.600" in shown
    assert "static (harness): bandit crashed" in shown


def test_a_score_of_zero_without_a_value_is_not_shown_as_missing():
    late = replace(measure("efficiency.x", 0.0), value=None)
    dimensions = {**report().dimensions}
    dimensions["efficiency"] = replace(dimensions["efficiency"], score=0.0, low=0.0, high=0.0, measures=(late,))
    for shown in (console.render(report(dimensions=dimensions)), markdown.render(report(dimensions=dimensions))):
        (row,) = [line for line in shown.splitlines() if "efficiency.x" in line]
        assert "0.000" in row
        assert "worth 0" in row
        assert "missing" not in row


def test_what_was_left_out_is_named_apart_from_what_could_not_be_measured():
    dimensions = dict(report().dimensions)
    for name in ("efficiency", "resource"):
        dimensions[name] = DimensionReport(score=None, low=None, high=None, weight=0.2, left_out=True)
    functional = FunctionalReport(score=None, passed=None, expected=2, build=None, test=None, full=None, left_out=True)
    shown = console.render(
        report(
            status=Status.PARTIAL,
            functional=functional,
            dimensions=dimensions,
            non_functional=NonFunctionalReport(score=None, low=None, high=None),
            effective=None,
        )
    )
    assert "left out: efficiency, resource" in shown
    assert not any(line.startswith(("efficiency", "resource")) for line in shown.splitlines())
    (row,) = [line for line in shown.splitlines() if line.startswith("F   functional")]
    assert row.split() == ["F", "functional", "–", "left", "out"]
    assert "not measured" not in shown


def test_what_does_not_apply_is_named_without_a_row():
    dimensions = dict(report().dimensions)
    dimensions["robustness"] = DimensionReport(score=None, low=None, high=None, weight=0.0, applicable=False)
    shown = console.render(report(dimensions=dimensions))
    assert "not applicable: robustness" in shown
    assert not any(line.startswith("robustness") for line in shown.splitlines())


def test_names_of_failed_tests_are_never_cut_and_lose_only_the_folders_all_have():
    name = "test_" + "a_long_name_" * 12
    ids = [f"suites/functional/test_a.py::{name}", "suites/functional/deep/test_b.py::test_other"]
    failed = replace(report().functional.tests[1], id=ids[0])
    functional = replace(report().functional, tests=(replace(failed, id=ids[1]), failed), passed=0, score=0.0, test=0.0)
    lines = console.render(report(functional=functional, effective=0.0), width=200).splitlines()
    assert f"  test_a.py::{name}" in lines
    assert "  deep/test_b.py::test_other" in lines
    narrow = console.render(report(functional=functional, effective=0.0), width=80)
    assert f"test_a.py::{name}" in narrow.replace("\n  ", "").replace("\n", "")


def test_a_bar_is_full_only_where_the_score_is():
    dimensions = {name: replace(d, score=0.999) for name, d in report().dimensions.items()}
    assert console.render(report(dimensions=dimensions)).count("█") == 5 * (console.BAR_WIDTH - 1)
    # a sum of weights that add up to 1 but for its rounding is full
    dimensions = {name: replace(d, score=1 - 2**-52) for name, d in report().dimensions.items()}
    assert console.render(report(dimensions=dimensions)).count("█") == 5 * console.BAR_WIDTH


def test_tampering_is_said_with_its_place():
    seen = Evidence(kind="missing key", message="ran to the end", location=Location(path="a.py", line=3), decisive=True)
    text = console.render(report(status=Status.TAMPERED, evidence=(seen,)))
    assert "tampered" in text
    assert "missing key: ran to the end at a.py:3" in text


@pytest.mark.parametrize("color", [False, True])
def test_hostile_text_is_inert_on_the_console(color):
    text = console.render(hostile(), color=color)
    for bad in ("\x1b[31mred", "\x1b]0", "\x07", "\u202e", "\ud800"):
        assert bad not in text
    assert "[bold]markup[/bold]" in text  # shown as it is, not obeyed


@pytest.mark.parametrize("render", [console.render, json_document.render])
def test_the_same_report_gives_the_same_bytes(render):
    assert render(report()) == render(report())


def test_the_console_keeps_to_its_width():
    assert max(len(line) for line in console.render(report(), width=80).splitlines()) <= 80


def test_the_document_reads_back_and_fits_its_schema():
    text = json_document.render(report())
    assert load_report(text) == report()
    jsonschema.Draft202012Validator.check_schema(report_schema())
    jsonschema.validate(json.loads(text), report_schema())


def test_lone_surrogates_are_written_as_text_that_every_reader_takes():
    text = json_document.render(hostile())
    assert text.encode("utf-8")
    assert load_report(text).findings[0].message == HOSTILE.replace("\ud800", "\\ud800")


def test_the_schema_refuses_unknown_keys_at_every_depth():
    document = json.loads(json_document.render(report()))
    document["functional"]["tests"][0]["note"] = "x"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, report_schema())


def test_test_ids_of_any_place_are_shown_whole():
    """A subject's own process names the files of its tests: one may lie elsewhere."""
    plain = report()
    places = ("/elsewhere/test_a.py::test_one", "suites/test_a.py::test_two")
    tests = tuple(replace(test, id=place) for test, place in zip(plain.functional.tests, places, strict=True))
    shown = console.render(report(functional=replace(plain.functional, tests=tests)))
    assert "\n  suites/test_a.py::test_two\n" in shown


def test_a_score_that_only_labels_beyond_the_page_have_gets_no_map(monkeypatch):
    """By hand: F of `first` on both tasks is there; NF only `last` has, which the page does not show."""
    monkeypatch.setattr(board_html.charts, "heat_map", lambda cells, **_: f"<svg>{len(cells)}</svg>")
    results = [Result(label="first", task=task, functional=0.5) for task in ("a", "b")]
    results.append(Result(label="last", task="a", non_functional=0.5))
    board = SimpleNamespace(tasks=("a", "b"))
    assert board_html._heat_maps(board, results, ["first"]) == [("F", "<svg>2</svg>")]
    sensitivity = SimpleNamespace(scores={"last": 0.5, "later": 0.4})
    assert board_html._acceptability(sensitivity, ["first"]) == []


@pytest.mark.parametrize("render", [console.render, markdown.render, html.render])
def test_a_run_without_a_sandbox_cannot_be_taken_for_another(render):
    loud = "not contained: the subject ran without a sandbox"
    assert loud in render(report(provenance={"sandbox": "none"})).lower()
    assert loud not in render(report(provenance={"sandbox": "namespace"})).lower()


@pytest.mark.parametrize("render", [console.render, markdown.render])
@pytest.mark.parametrize(
    ("said", "shown"), [("namespace", "by: namespace"), ("\x1b[1m", "not stated"), (None, "not stated")]
)
def test_one_line_says_what_contained_the_subject(render, said, shown):
    (line,) = [line for line in render(report(provenance={"sandbox": said})).splitlines() if "ontain" in line]
    assert shown in line


def test_reports_know_every_level_of_containment():
    assert tuple(Level) == CONTAINMENT
