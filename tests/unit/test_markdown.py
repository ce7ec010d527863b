"""The Markdown rendering, read by a reference parser: what it shows, and that text from a subject changes nothing."""

import re
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from qualityscore.model.finding import Finding
from qualityscore.model.measure import Fault
from qualityscore.model.outcome import Evidence, Location
from qualityscore.model.report import FaultReport, Status
from qualityscore.reports import markdown
from qualityscore.reports.markdown_text import code, table
from sample_reports import hostile, report

ATTACKS = (
    "<script>alert(1)</script>",
    "`` ` ``",
    "`closed` **bold** [link](javascript:alert(1)) ![](http://x.example/p.png)",
    "a | b | c",
    "\\| escaped \\\\|",
    "@everyone see #1 and https://x.example/",
    "</code></details><img src=x onerror=alert(1)>",
    "&lt;b&gt; &#96; &amp;",
    "- item\n# heading\n\n---",
    "~~~\nfence",
)


def parsed(text):
    return MarkdownIt("commonmark").enable("table").enable("strikethrough").parse(text)


def flat(tokens):
    for token in tokens:
        yield token
        yield from flat(token.children or ())


def test_it_shows_scores_dimensions_failed_tests_and_what_cost_most():
    html = MarkdownIt("commonmark").enable("table").render(markdown.render(report()))
    text = re.sub(r"<[^>]+>", " ", html)
    for shown in ("a-model", "0.500", "0.450 to 0.550", "1 of 2 tests", "assert f(1) == 2: got 3", "m.py:4"):
        assert shown in text
    assert html.count("<table>") == 4
    assert html.index("finding 4") < html.index("finding 1")


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_cell_holds_any_text_as_code_and_nothing_else(attack):
    tokens = list(flat(parsed(table(["a", "b"], [[code(attack), "end"]]))))
    assert sum(t.type == "td_open" for t in tokens) == 2
    assert {t.type for t in tokens} <= {
        *("table_open", "table_close", "thead_open", "thead_close", "tbody_open", "tbody_close", "tr_open", "tr_close"),
        *("th_open", "th_close", "td_open", "td_close", "inline", "text", "code_inline", "html_inline"),
    }
    assert [t.content for t in tokens if t.type == "html_inline"] in ([], ["<code>", "</code>"])
    cell = next(t for t in tokens if t.type == "inline" and t.content not in ("a", "b"))
    shown = "".join(t.content for t in cell.children if t.type != "html_inline")
    assert shown == attack.replace("\n", " ")  # nothing lost, nothing obeyed


def test_a_hostile_report_adds_no_markup():
    bad = " ".join(ATTACKS)
    finding = Finding(code=bad, tool="t", message=bad, path=bad, line=1, points=1.0, measure="security.x")
    full = replace(
        hostile(),
        findings=(finding,),
        status=Status.TAMPERED,
        evidence=(Evidence(kind=bad, message=bad, location=Location(path=bad, line=1), decisive=True),),
        faults=(FaultReport(stage=bad, fault=Fault.SUBJECT, reason=bad),),
    )
    tokens = list(flat(parsed(markdown.render(full))))
    html = [t.content.strip() for t in tokens if t.type in ("html_inline", "html_block")]
    allowed = r"</?(code|sub)>|<details>\n<summary>[^<>]*</summary>|</details>"
    assert [h for h in html if not re.fullmatch(allowed, h)] == []
    assert not {"link_open", "image", "heading_open"} & {t.type for t in tokens[3:]}


def test_an_honest_report_says_no_word_of_tampering():
    assert "amper" not in markdown.render(report())


def test_long_lists_are_cut_and_say_so():
    test = report().functional.tests[1]
    many = tuple(replace(test, id=f"test_{n}") for n in range(markdown.SHOWN_TESTS + 7))
    text = markdown.render(report(functional=replace(report().functional, tests=many)))
    assert "and 7 more in the JSON report" in text
    assert len(text) < 65_536  # the longest comment that GitHub takes
