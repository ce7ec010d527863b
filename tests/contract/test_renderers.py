"""Every renderer of the catalog: the same bytes for the same report, inert to hostile text, valid in its format."""

import json
import os
import subprocess
import sys
import unicodedata
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest

from qualityscore.catalog import RENDERERS
from qualityscore.model.finding import Finding, Severity
from qualityscore.reports import gitlab, junit, sarif
from sample_reports import HOSTILE, hostile, report

FINDINGS = (
    Finding(code="P1", tool="t", message="of the whole project", severity=Severity.HIGH, points=1.0),
    Finding(code="P2", tool="t", message="in an empty file", path="pkg/empty.py", line=0, points=1.0),
    Finding(code="P3", tool="t", message="odd path", path="my pkg/\u00fc.py", line=3, column=0, points=1.0),
)


@pytest.fixture(params=sorted(RENDERERS))
def render(request):
    return RENDERERS[request.param]


def test_the_same_report_gives_the_same_bytes(render):
    assert render(report()) == render(report())


def test_another_process_gives_the_same_bytes():
    """Nothing depends on the order of sets, on the hash seed, the clock or what was rendered before."""
    program = (
        "import hashlib, sys; sys.path.insert(0, sys.argv[1])\n"
        "from sample_reports import full\n"
        "from qualityscore.catalog import RENDERERS\n"
        "for name in sorted(RENDERERS, reverse=bool(int(sys.argv[2]))):\n"
        "    print(name, hashlib.sha256(RENDERERS[name](full()).encode()).hexdigest())\n"
    )
    tests = Path(__file__).parents[1]
    printed = [
        subprocess.run(
            [sys.executable, "-c", program, str(tests), seed],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(tests.parent)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    ]
    assert sorted(printed[0].splitlines()) == sorted(printed[1].splitlines())
    assert len(printed[0].splitlines()) == len(RENDERERS)


def test_hostile_text_is_inert_and_encodable(render):
    text = render(hostile())
    text.encode("utf-8")
    # controls, formats (what turns the direction, what has no width), surrogates
    assert {ch for ch in text if ch != "\n" and unicodedata.category(ch) in ("Cc", "Cf", "Cs")} == set()


def test_findings_without_a_place_get_a_valid_one():
    shown = json.loads(sarif.render(replace(report(), findings=FINDINGS)))
    places = [r["locations"][0]["physicalLocation"] for r in shown["runs"][0]["results"]]
    assert [p["artifactLocation"]["uri"] for p in places] == [".", "pkg/empty.py", "my%20pkg/%C3%BC.py"]
    for place in places:
        assert not urlsplit(place["artifactLocation"]["uri"]).scheme
        assert min(place["region"]["startLine"], place["region"]["startColumn"], place["region"]["endLine"]) >= 1
    entries = json.loads(gitlab.render(replace(report(), findings=FINDINGS)))
    assert [e["location"]["lines"]["begin"] for e in entries] == [1, 1, 3]


def test_fingerprints_are_distinct_and_stay_when_lines_move():
    one = Finding(code="A", tool="t", message="line 3 is long", path="a.py", line=3)
    before = replace(report(), findings=(one, replace(one, line=9), replace(one, path="b.py")))
    moved = tuple(replace(f, line=f.line + 40, message=f.message.replace("3", "43")) for f in before.findings)
    after = replace(before, findings=moved)

    def marks(document):
        return [r["partialFingerprints"]["qualityscore/v1"] for r in json.loads(document)["runs"][0]["results"]]

    assert marks(sarif.render(before)) == marks(sarif.render(after))
    assert len(set(marks(sarif.render(before)))) == 3
    assert len({e["fingerprint"] for e in json.loads(gitlab.render(before))}) == 3


def test_too_many_findings_keep_the_worst_and_say_so():
    many = tuple(
        Finding(code="A", tool="t", message="m", path="a.py", line=n, severity=Severity.LOW) for n in range(1, 5_011)
    )
    high = Finding(code="H", tool="t", message="worst", path="z.py", line=1, severity=Severity.HIGH)
    run = json.loads(sarif.render(replace(report(), findings=(*many, high))))["runs"][0]
    assert len(run["results"]) == sarif.MAX_RESULTS
    assert run["results"][0]["ruleId"] == "t/H"
    notes = run["invocations"][0]["toolExecutionNotifications"]
    assert [n["message"]["text"] for n in notes] == ["11 findings of the least severity were left out."]


def test_junit_counts_what_it_lists():
    root = ElementTree.fromstring(junit.render(report()))
    suite = root.find("testsuite")
    cases = suite.findall("testcase")
    assert [len(cases), len(suite.findall("testcase/failure"))] == [int(suite.get("tests")), int(suite.get("failures"))]
    assert cases[1].find("failure").get("message") == "assert f(1) == 2: got 3"


def test_junit_takes_what_xml_cannot_hold():
    ElementTree.fromstring(junit.render(hostile()))
    odd = replace(hostile().functional.tests[0], id=f"{HOSTILE}\x00\ufffe\uffff\x0b::\U0001f600")
    ElementTree.fromstring(junit.render(replace(report(), functional=replace(report().functional, tests=(odd,)))))
