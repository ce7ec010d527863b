"""Long chains of classes, which no honest repository has and a hostile one may."""

from __future__ import annotations

import time

import pytest

from qualityscore.analysers.extract import extract
from qualityscore.analysers.library import Library
from qualityscore.analysers.lineage import Class, Classes
from qualityscore.analysers.project import Project
from qualityscore.analysers.structure import structure_findings


def chain(length: int, *, root_first: bool = True) -> str:
    """C0(C1), C1(C2) ..., each with an attribute of its own; the last one derives from nothing."""
    order = range(length, -1, -1) if root_first else range(length + 1)
    parent = {i: f"(C{i + 1})" if i < length else "" for i in range(length + 1)}
    return "".join(f"class C{i}{parent[i]}:\n    a{i} = {i}\n" for i in order)


def classes_of(text: str) -> dict[str, Class]:
    return {c.qualname: c for c in Classes(Project([extract("m.py", text)], Library())).all}


@pytest.mark.parametrize("root_first", [True, False])
def test_a_chain_within_the_limit_is_known_to_its_root(root_first: bool) -> None:
    # C0 to C150 and object
    youngest = classes_of(chain(150, root_first=root_first))["C0"]
    assert [c.qualname for c in youngest.mro] == [*(f"C{i}" for i in range(151)), "object"]
    assert youngest.open is None
    assert {f"a{i}" for i in range(151)} <= youngest.attributes


@pytest.mark.parametrize("root_first", [True, False])
def test_a_chain_beyond_the_limit_ends_in_an_unknown_base(root_first: bool) -> None:
    classes = classes_of(chain(1200, root_first=root_first))
    assert len(classes) == 1201
    assert classes["C1200"].open is None
    assert classes["C1100"].open is None
    assert classes["C0"].open == classes["C900"].open == "it has more than 200 ancestors"
    assert max(len(c.mro) for c in classes.values()) <= 200


def test_a_chain_of_metaclasses_needs_no_recursion() -> None:
    text = "class M3000(type):\n    pass\n" + "".join(
        f"class M{i}(metaclass=M{i + 1}):\n    pass\n" for i in range(3000)
    )
    assert classes_of(text)["M0"].open == "metaclass M1 may rewrite it"


def test_judging_a_long_chain_takes_seconds() -> None:
    facts = [extract("m.py", chain(1200, root_first=False))]
    started = time.process_time()
    structure_findings(facts)
    # linear: below one second; when each class took all of its ancestors along, over 200
    assert time.process_time() - started < 10
