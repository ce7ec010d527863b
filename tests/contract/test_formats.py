"""Every document against its schema or a reader of its format: for a plain, a full and a swamped report alike."""

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from junitparser import Failure, JUnitXml
from markdown_it import MarkdownIt

from qualityscore.catalog import RENDERERS
from qualityscore.collectors.static import context_for, measure
from qualityscore.languages.python_production import scan_tree
from qualityscore.model.codec import load_report, report_schema
from qualityscore.model.finding import Finding
from qualityscore.reports import gitlab, junit, markdown, sarif
from sample_reports import full, hostile, report, swamped

SARIF_SCHEMA = Path(__file__).parents[1] / "data" / "sarif" / "sarif-2.1.0-rtm.5.json"
GITLAB_SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": "^[^./]|^[.]$|^[.][^/]"},
                    "lines": {"required": ["begin"], "properties": {"begin": {"type": "integer", "minimum": 1}}},
                },
            },
        },
    },
}
"""The keys that GitLab's documentation of the code quality report asks for."""

MOST_RESULTS = 25_000
MOST_SHOWN = 5_000
MOST_BYTES = 10_000_000
"""What GitHub's code scanning takes of one run, shows of it, and takes of one file (compressed)."""


@pytest.fixture(scope="module", params=[report, full, hostile, swamped], ids=lambda make: make.__name__)
def document(request):
    return request.param()


def test_sarif_fits_the_schema_of_oasis(document):
    schema = json.loads(SARIF_SCHEMA.read_text("utf-8"))
    shown = json.loads(sarif.render(document))
    (run,) = shown["runs"]
    few = {**shown, "runs": [{**run, "results": run["results"][:300]}]}  # thousands alike take the validator long
    jsonschema.Draft4Validator(schema).validate(few)
    assert len(run["results"]) <= MOST_SHOWN < MOST_RESULTS
    assert len(run["results"]) == min(MOST_SHOWN, len(document.findings))
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    marks = [result["partialFingerprints"]["qualityscore/v1"] for result in run["results"]]
    assert len(set(marks)) == len(marks)
    # GitHub's code scanning tells alerts apart by this one, a hash and a count, and by no other
    github = [result["partialFingerprints"]["primaryLocationLineHash"] for result in run["results"]]
    assert len(set(github)) == len(github)
    assert all(re.fullmatch("[0-9a-f]{16}:[0-9]+", mark) for mark in github)
    assert len(gzip.compress(sarif.render(document).encode())) < MOST_BYTES


def test_gitlab_has_what_its_documentation_asks_for(document):
    entries = json.loads(gitlab.render(document))
    jsonschema.validate(entries, GITLAB_SCHEMA)
    assert len(entries) == len({entry["fingerprint"] for entry in entries}) == len(document.findings)


def test_junit_is_read_by_a_parser_with_the_same_counts(document):
    suites = list(JUnitXml.fromstring(junit.render(document).encode()))
    cases = [case for suite in suites for case in suite]
    tests = document.functional.tests
    beside = {"test_order_is_kept"} if document.branch is not None else set()  # of the branch, no expected test
    assert len(cases) == len(tests) + len(beside)
    failed = [case for case in cases if any(isinstance(result, Failure) for result in case.result)]
    lost = sum(test.outcome.value != "passed" for test in tests) + len(beside)
    assert len(failed) == lost == sum(s.failures for s in suites)


def test_json_reads_back_and_fits_the_schema_that_ships(document):
    text = RENDERERS["json"](document)
    jsonschema.validate(json.loads(text), report_schema())
    assert RENDERERS["json"](load_report(text)) == text


def test_markdown_is_one_document_within_the_limit_of_a_comment(document):
    text = markdown.render(document)
    assert len(text) < 65_536
    assert MarkdownIt("commonmark").enable("table").parse(text)[0].tag == "h2"


def test_html_is_below_a_megabyte(document):
    assert len(RENDERERS["html"](document).encode()) < 1_000_000


CODE = '''import subprocess


def run(command, seen=[]):
    """Run a shell command."""
    try:
        subprocess.call(command, shell=True)
    except:
        pass
    eval(command)
    return undefined_name
'''


def test_fingerprints_of_what_the_tools_really_find_stay_when_the_code_moves(tmp_path):
    """The same code behind 40 new lines and in a longer file: the same fingerprints, at other lines."""

    def found(text):
        root = tmp_path / f"r{len(text)}"
        (root / "pkg").mkdir(parents=True)
        (root / "pkg" / "__init__.py").write_text("")
        (root / "pkg" / "m.py").write_text(text)
        findings = measure(context_for(scan_tree(root), judged=None, workers=1)).findings
        return tuple(sorted(findings, key=lambda f: (f.path or "", f.line or 0, f.code, f.message)))

    def marks(findings: tuple[Finding, ...]):
        run = json.loads(sarif.render(replace(report(), findings=findings)))["runs"][0]
        return {r["partialFingerprints"]["qualityscore/v1"]: r["locations"] for r in run["results"]}

    before, after = marks(found(CODE)), marks(found("# moved\n" * 40 + CODE))
    assert len(before) >= 4
    assert before.keys() == after.keys()
    assert all(before[mark] != after[mark] for mark in before)
