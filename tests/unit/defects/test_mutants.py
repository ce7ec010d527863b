"""Mutation operators: each makes the change it is named after, and what cannot be a defect is not offered."""

import ast
import textwrap

import libcst
import numpy as np
import pytest

from qualityscore.defects.mutants import choose, find_mutants
from qualityscore.defects.operators import HELD_OUT, MENDED_FOR, OPERATORS


def changes(source, operator):
    """The first line that differs in each mutant of one operator."""
    text = textwrap.dedent(source)
    found = []
    for mutant in find_mutants("m.py", text):
        if mutant.operator != operator:
            continue
        before, after = text.splitlines(), mutant.apply(text).splitlines()
        found.append(next(b.strip() for a, b in zip(before, after, strict=True) if a != b))
    return found


@pytest.mark.parametrize(
    ("operator", "source", "expected"),
    [
        ("negated_condition", "if a < b:\n    f()", ["if not (a < b):"]),
        ("negated_condition", "while a:\n    f()", ["while not (a):"]),
        ("negated_condition", "x = 1 if a else 2", ["x = 1 if not (a) else 2"]),
        ("negated_condition", "if not a:\n    f()", []),
        ("changed_comparison", "x = a < b", ["x = a <= b"]),
        ("changed_comparison", "x = a >= b", ["x = a > b"]),
        ("changed_comparison", "x = a == b", ["x = a != b"]),
        ("changed_comparison", "x = a not in b", ["x = a in b"]),
        ("changed_comparison", "x = a is None", ["x = a is not None"]),
        ("changed_comparison", "x = a < b < c", ["x = a <= b < c", "x = a < b <= c"]),
        ("changed_arithmetic", "x = a + b", ["x = a - b"]),
        ("changed_arithmetic", "x = a // b", ["x = a * b"]),
        ("changed_arithmetic", "x -= 2", ["x += 2"]),
        ("changed_connective", "x = a and b", ["x = a or b"]),
        ("changed_constant", "x = 3", ["x = 4"]),
        ("changed_constant", "x = 2.5", ["x = 2.5 + 1"]),
        ("changed_constant", "x = 'a'", ['x = ""']),
        ("changed_constant", "x = rb'a'", ['x = b""']),
        ("changed_constant", "x = True", ["x = False"]),
        ("changed_constant", '"""A docstring."""\nx = None', []),
        ("changed_return", "def f():\n    return g(1)", ["return None"]),
        ("changed_return", "def f():\n    return a", ["return None", "return not a"]),
        ("changed_return", "def f():\n    return None", []),
        ("swallowed_exception", "def f():\n    raise E('x')", ["pass"]),
        ("swallowed_exception", "if a:\n    raise E", []),
        ("changed_exception", "raise ValueError('x')", ["raise RuntimeError('x')"]),
        ("changed_exception", "raise RuntimeError", ["raise ValueError"]),
        ("changed_exception", "try:\n    f()\nexcept E:\n    raise", []),
        ("swapped_arguments", "f(a, b, c)", ["f(b, a, c)"]),
        ("swapped_arguments", "f(a, b, k=c)", ["f(b, a, k=c)"]),
        ("swapped_arguments", "f(a, k=b)", []),
        ("swapped_arguments", "f(*a, b)", []),
        ("swapped_arguments", "f(a, a)", []),
        ("changed_default", "def f(a=1, b=True, c='', d='x', e=None): pass", None),
        ("changed_default", "def f(a): pass", []),
        ("off_by_one", "for i in range(n):\n    f()", ["for i in range((n) - 1):"]),
        ("off_by_one", "for i in range(a, n):\n    f()", ["for i in range(a, (n) - 1):"]),
        ("off_by_one", "x = y[a:b]", ["x = y[(a) + 1:b]", "x = y[a:(b) - 1]"]),
        ("off_by_one", "x = y[0]", ["x = y[(0) + 1]"]),
        ("off_by_one", "x = y[-1]", ["x = y[(-1) + 1]"]),
        ("off_by_one", "x = y['key']", []),
        ("missing_call", "f(1)", ["pass"]),
        ("missing_call", "x = f(1)", []),
        ("removed_guard", "def f(a):\n    if not a:\n        raise E", ["if False:"]),
        ("removed_guard", "def f(a):\n    if a: return 1", ["if False: return 1"]),
        ("removed_guard", "def f(a):\n    if a:\n        g()\n        return 1", []),
        ("removed_guard", "def f(a):\n    if a:\n        return 1\n    else:\n        return 2", []),
        ("changed_jump", "for a in b:\n    break", ["continue"]),
        ("changed_jump", "for a in b:\n    continue", ["break"]),
        ("dropped_operand", "x = a and b", ["x = a", "x = b"]),
        ("dropped_negation", "x = not a", ["x = (a)"]),
        ("dropped_negation", "x = -a", ["x = (a)"]),
        ("plain_assignment", "x += y", ["x = y"]),
    ],
)
def test_an_operator_makes_the_change_it_is_named_after(operator, source, expected):
    found = changes(source, operator)
    if expected is None:
        assert found == [
            "def f(a=2, b=True, c='', d='x', e=None): pass",
            "def f(a=1, b=False, c='', d='x', e=None): pass",
            "def f(a=1, b=True, c=\"mutant\", d='x', e=None): pass",
            "def f(a=1, b=True, c='', d=\"\", e=None): pass",
            "def f(a=1, b=True, c='', d='x', e=0): pass",
        ]
    else:
        assert sorted(found) == sorted(expected)


def test_a_wrong_attribute_is_one_that_the_class_sets_itself():
    source = """
    class C:
        def __init__(self):
            self.left = 1
            self.right = 2
        def f(self):
            return self.left + self.other()
    """
    found = changes(source, "wrong_attribute")
    assert "return self.right + self.other()" in found
    assert not any("self.left()" in line for line in found)


def test_at_least_twelve_operators_and_three_of_them_held_out():
    assert len(MENDED_FOR) >= 12
    assert len(HELD_OUT) == 3
    assert len({operator.name for operator in OPERATORS}) == len(OPERATORS)


def test_annotations_decorators_and_imports_are_left_alone():
    source = "import a.b\n@dec(1)\ndef f(x: 'T' = y) -> Literal[1]:\n    z: Literal[2] = x\n"
    assert find_mutants("m.py", source) == ()


def test_only_the_asked_lines_are_mutated():
    source = "a = 1\nb = 2\nc = 3\n"
    assert {m.line for m in find_mutants("m.py", source, lines=frozenset({2}))} == {2}


def test_everything_else_in_the_file_stays_as_it_is():
    source = "# ünïcode\r\nx = 'é'  ;  y = 1   # keep\r\n\f\r\nz = (y +\r\n  2)\r\n"
    for mutant in find_mutants("m.py", source):
        changed = mutant.apply(source)
        assert changed[: mutant.start] == source[: mutant.start]
        assert changed.endswith(source[mutant.end :])
        assert mutant.replacement != source[mutant.start : mutant.end]
    assert any(
        m.apply(source).startswith("# ünïcode\r\nx = 'é'  ;  y = 2   # keep") for m in find_mutants("m.py", source)
    )


def test_a_diff_shows_the_change_and_nothing_else():
    source = "a = 1\nb = 2\n"
    [mutant] = find_mutants("m.py", source, lines=frozenset({2}))
    shown = [line for line in mutant.diff(source).splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert shown == ["-b = 2", "+b = 3"]


def test_ids_are_unique_and_the_same_each_time():
    source = "x = a < b < c\ny = f(1, 2) + 3\n"
    first, second = find_mutants("m.py", source), find_mutants("m.py", source)
    assert first == second
    assert len({m.id for m in first}) == len(first)


def test_a_source_that_cannot_be_parsed_is_an_error():
    with pytest.raises(libcst.ParserSyntaxError):
        find_mutants("m.py", "def f(:\n")


SAMPLE = """
class Stack:
    def __init__(self, items=None, size=3):
        self.items = items or []
        self.size = size
    def push(self, item, top=True):
        if len(self.items) >= self.size:
            raise ValueError("full")
        self.items.append(item)
        return self.items[-1] if top and not item < 0 else None
    def total(self):
        total = 0
        for i in range(len(self.items)):
            total += self.items[i] * 2
            if total > 100:
                break
        return total
"""


def chosen(count, seed=1):
    mutants = find_mutants("m.py", SAMPLE)
    return choose(mutants, count, {"m.py": SAMPLE}, np.random.default_rng(seed))


def test_chosen_mutants_compile_and_differ_from_the_source_and_each_other():
    trees = [ast.dump(ast.parse(mutant.apply(SAMPLE))) for mutant in chosen(1000)]
    assert ast.dump(ast.parse(SAMPLE)) not in trees
    assert len(set(trees)) == len(trees) > 30
    for mutant in chosen(1000):
        compile(mutant.apply(SAMPLE), "m.py", "exec")


def test_what_does_not_compile_is_never_chosen():
    # A pattern may be a number, but no sum of two.
    source = "match x:\n    case 2.5:\n        y = 1\n"
    found = find_mutants("m.py", source)
    assert "2.5 + 1" in [m.replacement for m in found]
    assert [m.replacement for m in choose(found, 9, {"m.py": source}, np.random.default_rng(1))] == ["2"]


def test_operators_are_evenly_represented():
    counts = {}
    for mutant in chosen(16):
        counts[mutant.operator] = counts.get(mutant.operator, 0) + 1
    assert max(counts.values()) <= 2
    assert len(counts) >= 10


def test_the_choice_follows_the_seed():
    assert chosen(8, 1) == chosen(8, 1)
    assert chosen(8, 1) != chosen(8, 2)


def test_a_smaller_choice_is_the_beginning_of_a_larger_one():
    assert chosen(20)[:7] == chosen(7)
