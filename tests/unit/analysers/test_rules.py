"""Every rule against its own GOOD and BAD cases."""

from __future__ import annotations

import re
from types import ModuleType

import pytest

from qualityscore.analysers.extract import extract
from qualityscore.analysers.library import Library
from qualityscore.analysers.project import Project
from qualityscore.analysers.registry import ANALYSERS, RULE_MODULES, RULES
from qualityscore.analysers.rule import Case, Reading

LIBRARY = Library()


def reading(case: Case) -> Reading:
    facts = [extract(path, text) for path, text in case.files.items()]
    return Reading(Project(facts, LIBRARY), order=case.order, reference=case.reference)


def found(module: ModuleType, case: Case) -> list[str]:
    findings = list(module.RULE.check(reading(case)))
    for finding in findings:
        assert finding.code == module.RULE.code
        assert finding.message
        assert finding.line is not None
        assert finding.line >= 1
        assert finding.column is not None
        assert finding.column >= 1
    return sorted(f"{f.path}:{f.line}:{f.column} {f.name or ''}".strip() for f in findings)


def cases(kind: str) -> list[object]:
    return [
        pytest.param(module, case, id=f"{module.RULE.code}-{case.title}")
        for module in RULE_MODULES
        for case in getattr(module, kind)
    ]


@pytest.mark.parametrize(("module", "case"), cases("BAD"))
def test_bad_case_is_found_where_it_is(module: ModuleType, case: Case) -> None:
    assert case.found
    assert found(module, case) == sorted(case.found)


@pytest.mark.parametrize(("module", "case"), cases("GOOD"))
def test_good_case_is_left_alone(module: ModuleType, case: Case) -> None:
    assert not case.found
    assert found(module, case) == []


def test_cases_are_valid_python_but_for_the_rule_on_unreadable_files() -> None:
    for module in RULE_MODULES:
        if module.RULE.code != "QSA001":
            for case in (*module.GOOD, *module.BAD):
                assert [f.error for f in reading(case).project.unreadable] == [], case.title


def test_every_rule_has_a_stable_code_and_cases_of_both_kinds() -> None:
    codes = [rule.code for rule in RULES]
    assert len(set(codes)) == len(codes)
    for module in RULE_MODULES:
        rule = module.RULE
        assert re.fullmatch(r"QS[AFLNU][0-9]{3}", rule.code)
        assert rule.analyser in (*ANALYSERS, "reader")
        assert rule.why.endswith(".")
        assert module.GOOD
        assert module.BAD
        assert (module.__doc__ or "").startswith(f"{rule.code}: ")
