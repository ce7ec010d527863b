"""Gates: what they bound, what they say, and how a mistake in one is named."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from qualityscore import pipeline
from qualityscore.branch.evaluate import check_gate, fitting_gate
from qualityscore.branch.settings import default_gate
from qualityscore.collectors import maintainability
from qualityscore.core.gate import decide, parse_gate
from qualityscore.errors import SettingsError
from qualityscore.model.codec import dump
from qualityscore.runtime.documents import load_profile
from qualityscore.suites import cost_findings
from sample_reports import branched, full

FINDING = {"code": "B307", "severity": "medium", "message": "eval", "path": "a.py", "line": 3}


def report(**changes):
    """The parts of a report's JSON that these gates look at."""
    tests = {name: [] for name in ("broken", "removed", "skipped", "weakened", "undermined", "failing")}
    document = {
        "functional": {"score": 1.0},
        "credibility": {"score": 1.0},
        "non_functional": {"score": 0.9, "low": 0.85, "high": 0.95},
        "dimensions": {
            "maintainability": {"score": 0.97, "high": 0.97, "applicable": True, "measures": []},
            "efficiency": {
                "score": 0.5,
                "high": 0.96,
                "applicable": True,
                "measures": [{"id": "workload.cost", "score": 0.5, "high": 0.96, "value": 3.0, "applicable": True}],
            },
        },
        "findings": [FINDING],
        "branch": {
            "tests": tests,
            "names": {"lost": [], "incompatible": []},
            "findings": {"new": [], "fixed": [], "unchanged": 1},
        },
    }
    return {**document, **changes}


def verdict(text, document=None, **options):
    return decide(parse_gate(text, "gate.toml", default_gate()), document or report(), **options)


def test_a_number_is_bounded_from_both_sides():
    assert verdict('[[condition]]\nnumber = "functional.score"\nmin = 1.0').passed
    failed = verdict('[[condition]]\nnumber = "non_functional.score"\nmin = 0.95').failed
    assert [c.numbers for c in failed] == ["non_functional.score is 0.9, at least 0.95 is asked for"]


def test_a_number_of_a_measure_is_named_by_its_id_dots_and_all():
    path = "dimensions.efficiency.measures.workload.cost.value"
    assert verdict(f'[[condition]]\nnumber = "{path}"\nmax = 3').passed
    assert not verdict(f'[[condition]]\nnumber = "{path}"\nmax = 2.9').passed


def test_new_findings_are_counted_from_a_severity_up():
    document = report()
    document["branch"]["findings"]["new"] = [FINDING, {**FINDING, "severity": "high"}, {**FINDING, "severity": "low"}]
    text = '[[condition]]\nfindings = "new"\nseverity = "medium"\nmax = {}'
    assert verdict(text.format(2), document).passed
    failed = verdict(text.format(1), document).failed
    assert failed[0].examples == ("a.py:3 B307: eval", "a.py:3 B307: eval")


def test_one_finding_is_a_singular():
    document = report()
    text = '[[condition]]\nfindings = "new"\nmax = 0'
    for count, said in ((1, "1 new finding, at most 0 is allowed"), (2, "2 new findings, at most 0 is allowed")):
        document["branch"]["findings"]["new"] = [FINDING] * count
        assert [c.numbers for c in verdict(text, document).failed] == [said]


def test_findings_are_counted_by_their_code():
    assert not verdict('[[condition]]\nfindings = "all"\ncode = "B307"\nmax = 0').passed
    assert verdict('[[condition]]\nfindings = "all"\ncode = "B102"\nmax = 0').passed


def test_a_drop_counts_only_beyond_the_interval():
    """0.5 with an interval up to 0.96: at least 0.04 were lost."""
    assert verdict('[[condition]]\ndrop = "workload.cost"\nmax = 0.04').passed
    assert not verdict('[[condition]]\ndrop = "workload.cost"\nmax = 0.03').passed


def test_what_was_not_measured_fails_unless_the_condition_says_otherwise():
    document = report(functional={"score": None})
    assert not verdict('[[condition]]\nnumber = "functional.score"\nmin = 0', document).passed
    assert verdict('[[condition]]\nnumber = "functional.score"\nmin = 0\nif_measured = true', document).passed


def test_the_default_gate_passes_a_branch_that_changes_nothing():
    assert decide(default_gate(), report()).passed


@pytest.mark.parametrize("change", ["broken", "removed", "skipped", "weakened", "undermined", "failing"])
def test_the_default_gate_fails_for_every_list_of_bad_tests(change):
    document = report()
    document["branch"]["tests"] = {**document["branch"]["tests"], change: [{"id": "t.py::test_a", "reason": "why"}]}
    failed = decide(default_gate(), document).failed
    assert [c.examples for c in failed] == [("t.py::test_a: why",)]
    assert ["--accept-removed" in c.numbers for c in failed] == [change in ("removed", "skipped", "weakened")]


def test_a_cause_that_several_share_is_said_once():
    document = report()
    reasons = ("no environment", "no environment", "AssertionError")
    document["branch"]["tests"]["broken"] = [{"id": f"t{n}", "reason": reason} for n, reason in enumerate(reasons)]
    (failed,) = decide(default_gate(), document).failed
    assert failed.examples == ("t0: no environment", "t1: the same as above", "t2: AssertionError")


@pytest.mark.parametrize("change", ["removed", "skipped", "weakened"])
def test_removed_tests_can_be_accepted(change):
    document = report()
    document["branch"]["tests"] = {**document["branch"]["tests"], change: [{"id": "t", "reason": "why"}]}
    assert not decide(default_gate(), document).passed
    assert decide(default_gate(), document, accept_removed=True).passed


def only(*wanted):
    """The report of a branch that got worse in everything, of which only `wanted` was asked for."""
    document = report()
    for name, dimension in document["dimensions"].items():
        dimension |= {"left_out": name not in wanted, "score": 0.1, "high": 0.1}
        for measure in dimension["measures"]:
            measure |= {"score": 0.1, "high": 0.1}
    document["credibility"] = {"score": 0.5}
    document["functional"]["left_out"] = "functional" not in wanted
    document["branch"]["tests"]["broken"] = [{"id": "t.py::test_a", "reason": "why"}]
    document["branch"]["names"]["lost"] = [{"name": "m.f", "reason": "why"}]
    document["branch"]["findings"]["new"] = [{**FINDING, "severity": "high"}]
    return document


@pytest.mark.parametrize(
    ("wanted", "reasons"),
    [
        (("functional",), ["what passed still passes"]),
        (
            ("maintainability",),
            ["every public name is still defined", "no new finding of high severity", "maintainability is kept"],
        ),
        (
            ("functional", "efficiency"),
            [
                "what passed still passes", "every public name is still defined", "no new finding of high severity",
                "no workload is slower",
            ],
        ),
    ],
)  # fmt: skip
def test_a_condition_on_what_was_not_asked_for_is_met_and_says_so(wanted, reasons):
    decided = decide(default_gate(), only(*wanted))
    assert [condition.name for condition in decided.failed] == reasons
    passed = {condition.name: condition.numbers for condition in decided.conditions if condition.passed}
    if wanted == ("functional",):
        beside = ["every public name is still defined", "no new finding of high severity"]
        assert [passed[name] for name in (*beside, "maintainability is kept", "no workload is slower")] == [
            "not asked for"
        ] * 4
        assert decided.words == "6 conditions, 4 not asked for"


@pytest.mark.parametrize(
    "condition",
    [
        'number = "non_functional.score"\nmin = 1',
        'number = "credibility.score"\nmin = 2',
        'number = "dimensions.efficiency.measures.workload.cost.value"\nmax = 0',
        'number = "findings.count"\nmax = 0',
        'findings = "all"\nmax = 0',
        'drop = "credibility"\nmax = 0.4',
        'drop = "non_functional"\nmax = 0',
    ],
)
def test_every_kind_of_condition_knows_what_was_asked_for(condition):
    text = f"[[condition]]\n{condition}"
    asked = only("functional", "maintainability", "efficiency")
    assert not verdict(text, asked).passed
    assert [c.numbers for c in verdict(text, only("functional")).conditions] == ["not asked for"]


def test_a_gate_can_keep_the_default_conditions():
    text = 'default = true\n[[condition]]\nnumber = "functional.score"\nmin = 1'
    assert len(parse_gate(text, "g", default_gate()).conditions) == len(default_gate().conditions) + 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[condition]]\nnumbre = 'functional.score'\nmax = 1", "did you mean 'number'?"),
        ("[[condition]]\nnumber = 'functional.score'", "give min, max or both"),
        ("[[condition]]\nmax = 1", "give exactly one of number, findings or drop"),
        ("[[condition]]\nfindings = 'new'\nseverity = 'huge'\nmax = 1", "severity"),
        ("[[condition]]\nnumber = 'functional.scroe'\nmax = 1", "did you mean 'score'?"),
        ("[[condition]]\nnumber = 'findings'\nmax = 1", "bound its count"),
        ("[[condition]]\ndrop = 'maintainabilty'\nmax = 0.1", "did you mean 'maintainability'?"),
        ("[[condition]]\nnumber = 'functional.score'\nmin = 2\nmax = 1", "min 2 is above max 1"),
        ("[[condition]]\ndrop = 'security'\nmax = -0.1", "nothing can meet it with max -0.1"),
        ("[[condition]]\ndrop = 'security'\nmax = 1", "everything meets it with max 1"),
        ("[[condition]]\nfindings = 'new'\nmax = -1", "nothing can meet max -1"),
        ("[[condition]]\nfindings = 'new'\nmin = 0", "everything meets min 0"),
        ("[[condition]]\nnumber = 'branch.tests.broken.count'\nmax = -1", "nothing can meet max -1"),
        ("condition = 1", "condition"),
        ("[[condition]\n", "is not TOML"),
        ("condition = " + "1" * 5000, "is not TOML: a number in it has too many digits"),
        ("", "no condition"),
        ("[[condition]]\nnumber = 'functional.score'\nmax = nan", "max"),
    ],
)
def test_a_mistake_is_named_in_one_sentence(text, said):
    with pytest.raises(SettingsError) as error:
        verdict(text)
    assert said in str(error.value)
    assert "gate.toml" in str(error.value)
    assert "\n" not in str(error.value)


def checked(text, **options):
    check_gate(parse_gate(text, "gate.toml", default_gate()), load_profile("reference"), **options)


def numbers(value, path=()):
    """The paths of all numbers and lists of a report, as a gate names them."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers(inner, (*path, key))
    elif isinstance(value, list):
        yield ".".join((*path, "count"))
        for item in value:
            if isinstance(item, dict) and "id" in item:
                yield from numbers(item, (*path, item["id"]))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield ".".join(path)


def test_no_number_of_a_report_is_refused_beforehand():
    branch, gate = branched("t.py::test[a.b]")
    document = json.loads(dump(replace(full(), branch=branch, gate=gate)))
    profile = load_profile("reference")
    document["dimensions"] = {
        dimension.id: {
            **document["dimensions"][dimension.id],
            "measures": [
                {**document["dimensions"]["security"]["measures"][0], "id": metric.id} for metric in dimension.metrics
            ],
        }
        for dimension in profile.dimensions
    }
    paths = set(numbers(document))
    assert {"functional.score", "branch.tests.broken.count", "dimensions.security.measures.bandit.risk.value"} < paths
    checked("\n".join(f"[[condition]]\nnumber = {json.dumps(path)}\nmin = 1" for path in sorted(paths)))


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("number = 'functional.scroe'", "'functional.scroe', which the report does not have; did you mean 'score'?"),
        ("number = 'branch.tests.borken.count'", "did you mean 'broken'?"),
        ("number = 'branch.tests.broken'", "no number but a list (bound its count)"),
        ("number = 'branch.tests.broken.length.x'", None),  # may be the id of a test
        ("number = 'branch.percentiles.x'", "there it has count"),
        ("number = 'dimensions.security'", "a group of numbers"),
        ("number = 'dimensions.securty.score'", "did you mean 'security'?"),
        ("number = 'dimensions.security.measures.bandit.risk.worth'", "which the report does not have"),
        ("number = 'dimensions.security.measures.bandit.rsk'", "which the report does not have"),
        ("number = 'dimensions.security.details.anything.at.all'", None),
        ("number = 'provenance.host.cores'", None),
        ("number = 'task.id'", "no number but a text"),
        ("number = 'status'", "no number but a text"),
        ("number = 'functional.full'", "no number but true or false"),
        ("number = 'functional.score.x'", "there it has nothing to name"),
        ("drop = 'workload.cots'", "did you mean 'workload.cost'?"),
        ("drop = 'functional'", None),
    ],
)
def test_what_no_report_has_is_refused_before_measuring(condition, said):
    text = f"[[condition]]\n{condition}\nmax = 0.5"
    if said is None:
        checked(text)
        return
    with pytest.raises(SettingsError) as error:
        checked(text)
    assert said in str(error.value)
    assert str(error.value).startswith("The gate gate.toml ")


def test_the_default_gate_is_beyond_reproach_and_what_is_switched_off_is_not_looked_at():
    checked("default = true")
    text = "[[condition]]\nnumber = 'nothing'\nmax = 0\naccepts_removed = true"
    checked(text, accept_removed=True)
    with pytest.raises(SettingsError):
        checked(text)


@pytest.mark.parametrize(
    ("code", "near"),
    [("QSN01", "did you mean 'QSN001'?"), ("cost-grwth", "did you mean 'cost-growth'?"), ("b307", "there it has")],
)
def test_a_code_that_no_finding_has_is_refused(code, near):
    with pytest.raises(SettingsError, match="which no finding has") as error:
        checked(f"[[condition]]\nfindings = 'new'\ncode = '{code}'\nmax = 0")
    assert near in str(error.value)


def test_the_codes_of_every_tool_are_taken():
    """Of bandit, pylint and our own, costs included: all that our sources write of them."""
    costs = re.findall(r'"(cost-[a-z-]+)"', Path(cost_findings.__file__).read_text())
    parts = re.findall(r'code = "([a-z-]+)"', Path(maintainability.__file__).read_text())
    assert {"cost-growth", "low-index"} < {*costs, *parts}
    for code in (*costs, *parts, "B307", "W0611", "QSN001", "duplicated-code", "dynamic-code"):
        checked(f"[[condition]]\nfindings = 'new'\ncode = '{code}'\nmax = 0")


@pytest.mark.parametrize("options", [{"task": "cachetools"}, {"baseline": None}])
def test_an_evaluation_with_such_a_gate_measures_nothing(tmp_path, options):
    (tmp_path / "gate.toml").write_text("[[condition]]\nnumber = 'functional.scroe'\nmin = 1")
    (tmp_path / "subject").mkdir()
    (tmp_path / "subject" / "a.py").write_text("x = 1\n")
    stages = []
    with pytest.raises(SettingsError, match=r"did you mean 'score'\?"):
        pipeline.evaluate(
            tmp_path / "subject",
            gate=str(tmp_path / "gate.toml"),
            progress=lambda stage, done, total: stages.append(stage),
            **options,
        )
    assert stages == []


# --- what should have been measured and was not ---

INTERRUPTED = {"stage": "code", "fault": "harness", "reason": "interrupted by the caller", "code": None}
STATIC = '[[condition]]\nfindings = "{}"\nmax = 0'


def unread(fault=INTERRUPTED):
    """A report whose tests were run, and whose code was not read."""
    document = report(findings=[], faults=[fault], credibility={"score": None})
    document["branch"] |= {"names": None, "findings": None}
    document["dimensions"]["maintainability"] |= {"score": None, "high": None}
    return document


def test_what_an_interrupt_kept_from_being_measured_is_not_decided():
    """Of the ten conditions those on names, on findings and on maintainability are open; the others are met."""
    document = unread()
    document["dimensions"]["efficiency"] = {"score": 1.0, "high": 1.0, "applicable": True, "measures": [
        {"id": "workload.cost", "score": 1.0, "high": 1.0, "value": 1.0, "applicable": True}
    ]}  # fmt: skip
    found = decide(default_gate(), document)
    assert (found.passed, found.verdict, found.failed) == (False, "not decided", ())
    assert {condition.name: condition.numbers for condition in found.undecided} == {
        "every public name is still defined": (
            "not decided: branch.names.lost.count was not measured (interrupted by the caller)"
        ),
        "no new finding of high severity": (
            "not decided: what findings are new was not measured (interrupted by the caller)"
        ),
        "maintainability is kept": "not decided: maintainability was not measured (interrupted by the caller)",
    }


def test_a_condition_that_failed_decides_beside_one_that_is_open():
    document = unread()
    document["branch"]["tests"]["broken"] = [{"id": "t.py::test_a", "reason": "1 == 2"}]
    found = decide(default_gate(), document)
    assert (found.passed, found.verdict) == (False, "failed")
    assert "what passed still passes" in [condition.name for condition in found.failed]


def test_what_the_subject_keeps_from_being_measured_is_decided_as_before():
    found = verdict(STATIC.format("new"), unread({**INTERRUPTED, "fault": "subject"}))
    assert (found.passed, found.verdict, found.undecided) == (False, "failed", ())


@pytest.mark.parametrize(("count", "said"), [(0, "not decided"), (1, "failed")])
def test_findings_that_are_only_partly_known_fail_a_gate_and_do_not_pass_it(count, said):
    """Maintainability was not measured, so that there may be more of them."""
    document = unread()
    document["findings"] = [FINDING] * count
    assert verdict(STATIC.format("all"), document).verdict == said
    assert verdict('[[condition]]\nnumber = "findings.count"\nmax = 0', document).verdict == said


def test_compared_findings_that_are_only_partly_known_pass_no_gate_on_their_number():
    document = unread()
    document["branch"]["findings"] = {"new": [], "fixed": [], "unchanged": 0}
    found = verdict('[[condition]]\nnumber = "branch.findings.new.count"\nmax = 0', document)
    assert found.verdict == "not decided"


@pytest.mark.parametrize(("count", "said"), [(0, "not decided"), (1, "passed")])
def test_a_lower_bound_that_is_met_already_is_decided(count, said):
    document = unread()
    document["findings"] = [FINDING] * count
    assert verdict('[[condition]]\nfindings = "all"\nmin = 1', document).verdict == said


def test_a_drop_that_counts_only_where_it_was_measured_is_open_after_a_fault():
    document = unread()
    text = '[[condition]]\ndrop = "maintainability"\nmax = 0.1\nif_measured = true'
    assert verdict(text, document).verdict == "not decided"
    assert verdict(text, {**document, "faults": []}).verdict == "passed"
    document["dimensions"]["maintainability"]["applicable"] = False
    assert verdict(text, document).verdict == "passed"


def test_findings_that_were_not_asked_for_are_no_open_question():
    document = unread()
    for dimension in document["dimensions"].values():
        dimension["left_out"] = True
    assert verdict(STATIC.format("new"), document).passed


def test_the_default_gate_in_place_of_a_new_one_asks_for_nothing_that_the_profile_lacks():
    """The profile `ral-bench` has no measure `workload.cost`, which the default gate bounds."""
    profile = load_profile("ral-bench")
    with pytest.raises(SettingsError, match=r"workload\.cost"):
        check_gate(default_gate(), profile)
    fitting = fitting_gate(default_gate(), profile)
    check_gate(fitting, profile)
    gone = {c.drop for c in default_gate().conditions} - {c.drop for c in fitting.conditions}
    assert gone == {"workload.cost"}
