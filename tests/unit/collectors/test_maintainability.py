"""index.deficit, complexity.excess, lint.penalty and structure.defects by hand on small repositories."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from qualityscore.collectors.context import StaticOutcome
from qualityscore.model.finding import Finding
from qualityscore.model.measure import Measured

Measure = Callable[..., StaticOutcome]

FINE = "def fine(a):\n    return a\n"  # 8 tokens: def fine ( a ) : 6, return a 2; no operator


def value(outcome: StaticOutcome, id_: str) -> float:
    measure = outcome.measures[id_]
    assert isinstance(measure, Measured)
    return measure.value


def knotty(branches: int) -> str:
    """`def knotty(a):` and `if a == n: return n` per branch: 6 + 8 tokens each, CC 1 + branches."""
    return "def knotty(a):\n" + "".join(f"    if a == {n}:\n        return {n}\n" for n in range(branches))


def test_complexity_above_ten_costs_its_share_of_the_size(measured: Measure) -> None:
    outcome = measured({"a.py": FINE + knotty(29)}, judged=[("a.py", 1), ("a.py", 3)])
    # if a == n : 5 (with the colon), return n 2 = 7 per branch
    size, fine = (6 + 7 * 29) / 7, 8 / 7
    assert value(outcome, "complexity.excess") == pytest.approx(size * (1 - 10 / 30) / (size + fine))
    (finding,) = [f for f in outcome.findings if f.measure == "complexity.excess"]
    assert (finding.code, finding.path, finding.line, finding.name) == ("high-complexity", "a.py", 3, "knotty")
    assert finding.points == value(outcome, "complexity.excess")


def test_complexity_of_ten_costs_nothing(measured: Measure) -> None:
    outcome = measured({"a.py": knotty(9)}, judged=[("a.py", 1)])
    assert value(outcome, "complexity.excess") == 0


def test_the_deficit_weighs_each_unit_by_its_size(measured: Measure) -> None:
    # 60 branches: 60 comparisons of a with 60 constants: N = 60 + 120, n = 1 operator + 61 operands = 62
    # V = 180 * log2(62) = 1071.76; CC = 61; 6 + 7 * 60 = 426 tokens, size 60.857
    # 100/171 (171 - 5.2 * 6.97706 - 0.23 * 61 - 16.2 * 4.10853) = 100/171 * 54.1311
    index = 31.6556
    outcome = measured({"a.py": FINE + knotty(60)}, judged=[("a.py", 1), ("a.py", 3)])
    size, fine = 426 / 7, 8 / 7
    assert value(outcome, "index.deficit") == pytest.approx(size * (60 - index) / (size + fine), abs=1e-3)


def test_module_level_code_is_judged_though_it_is_no_part_of_the_size(measured: Measure) -> None:
    # at module level: 29 times `if X == n : Y = n`: 5 + 3 tokens, X = 1 before: 3
    text = "X = 1\n" + "".join(f"if X == {n}:\n    Y = {n}\n" for n in range(29))
    outcome = measured({"a.py": FINE, "b.py": text}, judged=[("a.py", 1)])
    module, fine = (3 + 8 * 29) / 7, 8 / 7
    assert value(outcome, "complexity.excess") == pytest.approx(module * (1 - 10 / 30) / fine)


def test_an_unparsable_file_has_index_0_excess_1_and_its_lines_as_size(measured: Measure) -> None:
    broken = "def f(:\n    pass\n\n# comment\nx = 1\n"  # three lines of code
    outcome = measured({"a.py": FINE, "b.py": broken}, judged=[("a.py", 1)])
    fine = 8 / 7
    assert value(outcome, "index.deficit") == pytest.approx(3 * 60 / (fine + 3))
    assert value(outcome, "complexity.excess") == pytest.approx(3 * 1 / (fine + 3))
    assert value(outcome, "lint.penalty") == value(outcome, "structure.defects") == 0
    assert value(outcome, "bandit.risk") == 12
    found = {f.measure: f for f in outcome.findings}
    assert set(found) == {"index.deficit", "complexity.excess", "bandit.risk"}
    assert {(f.code, f.path, f.line, f.column) for f in found.values()} == {("unparsable", "b.py", 1, 7)}
    (fault,) = outcome.faults
    assert "b.py" in fault.reason


def test_lint_weighs_errors_five_times_and_is_per_100_of_the_size(measured: Measure) -> None:
    text = (
        "import os\n"  # W0611 unused-import, module level
        "def f(a, b={}):\n"  # W0102 dangerous-default-value
        "    if a:\n        return [a[k] for k in b]\n"
        "    x = 1\n"  # W0612 unused-variable
        "    return 'a'.strip('aa')\n"  # E1310 bad-str-strip-call
    )
    outcome = measured({"a.py": text}, judged=[("a.py", 2)])
    # def f ( a , b = { } ) : 11, if a : 3, return [ a [ k ] for k in b ] 11, x = 1 3, return 'a' . strip ( 'aa' ) 7
    assert value(outcome, "lint.penalty") == pytest.approx(100 * (5 * 1 + 3) / (35 / 7))
    lint = [f for f in outcome.findings if f.measure == "lint.penalty"]
    assert [(f.code, f.line, f.name) for f in sorted(lint, key=lambda f: f.line or 0)] == [
        ("W0611", 1, "<module>"),
        ("W0102", 2, "f"),
        ("W0612", 5, "f"),
        ("E1310", 6, "f"),
    ]
    assert sum(f.points for f in lint) == pytest.approx(value(outcome, "lint.penalty"))


def test_a_prefix_does_not_silence_unused_variables(measured: Measure) -> None:
    text = "def f(xs):\n    _unused = dummy = 1\n    for _ in xs:\n        pass\n"
    outcome = measured({"a.py": text}, judged=[("a.py", 1)])
    assert sorted(f.message for f in outcome.findings if f.code == "W0612") == [
        "Unused variable '_unused' (unused-variable)",
        "Unused variable 'dummy' (unused-variable)",
    ]


STRUCTURE = (
    "def f(a, b):\n"
    "    return f(a) + undefined\n"  # E1120 no-value-for-parameter and E0602 undefined-variable: one place
    "class A:\n"
    "    def g(self):\n        return 1\n"
    "    def g(self):\n        return missing\n"  # E0102 function-redefined; E0602
)  # f: def f ( a , b ) : 8, return f ( a ) + undefined 7; second g: def g ( self ) : 6, return missing 2 = 23 tokens


def test_structure_counts_places_per_1000_of_the_size_and_not_in_lint(measured: Measure) -> None:
    outcome = measured({"a.py": STRUCTURE}, judged=[("a.py", 1), ("a.py", 6)])
    assert value(outcome, "structure.defects") == pytest.approx(1000 * 3 / (23 / 7))
    assert value(outcome, "lint.penalty") == 0
    assert {(f.code, f.line) for f in outcome.findings} >= {("E1120", 2), ("E0602", 2), ("E0102", 6), ("E0602", 7)}


def test_an_analysers_finding_at_the_same_place_is_the_same_defect(measured: Measure, repository) -> None:
    from qualityscore.collectors.static import context_for, measure
    from qualityscore.languages.python_production import scan_tree

    def found(line: int) -> Finding:
        return Finding(code="QF1", tool="fields", message="m", path="a.py", line=line, measure="structure.defects")

    root = repository({"a.py": STRUCTURE})
    context = context_for(scan_tree(root), judged=[("a.py", 1, "f"), ("a.py", 6, "A.g")])
    outcome = measure(context, analysed=[found(2), found(1), found(5)])
    assert value(outcome, "structure.defects") == pytest.approx(1000 * 4 / (23 / 7))  # line 5 is in no judged function
    counted = [f.line for f in outcome.findings if f.points > 0 and f.measure == "structure.defects"]
    assert sorted(counted) == [1, 2, 6, 7]


def test_an_import_cycle_is_one_defect_at_its_first_import(measured: Measure) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/a.py": "from pkg import b\n" + FINE + "print(b)\n",
        "pkg/b.py": "import os\nfrom . import c\nprint(os, c)\n",
        "pkg/c.py": "from pkg.a import fine\nprint(fine)\n",
    }
    outcome = measured(files, judged=[("pkg/a.py", 2)])
    (finding,) = [f for f in outcome.findings if f.measure == "structure.defects"]
    assert (finding.code, finding.path, finding.line) == ("R0401", "pkg/a.py", 1)
    assert finding.message == "Import cycle: pkg.a -> pkg.b -> pkg.c -> pkg.a"
    assert value(outcome, "structure.defects") == pytest.approx(1000 / (8 / 7))


def test_imports_for_type_checking_make_no_cycle(measured: Measure) -> None:
    files = {
        "a.py": "from b import X\n" + FINE + "print(X)\n",
        "b.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a import fine\nX = 'fine'\n",
    }
    outcome = measured(files, judged=[("a.py", 2)])
    assert value(outcome, "structure.defects") == 0
