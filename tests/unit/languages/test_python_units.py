"""Units, sizes, complexity, volume and index, against hand counts and against radon where the definitions meet."""

from __future__ import annotations

import ast
import hashlib
import math
import sysconfig
from pathlib import Path

import pytest
from radon.complexity import cc_visit_ast
from radon.metrics import h_visit_ast

from qualityscore.languages.python_source import SourceFile, decode
from qualityscore.languages.python_units import Unit, Units, maintainability_index, measure_units


def source(text: str) -> SourceFile:
    raw = text.encode()
    return SourceFile(
        path="m.py", raw=raw, digest=hashlib.sha256(raw).hexdigest(), encoding="utf-8", text=decode(raw)[0]
    )


def units(text: str) -> dict[str, Unit]:
    measured = measure_units(source(text), ast.parse(text))
    assert isinstance(measured, Units)
    return {unit.qualname: unit for unit in measured.units}


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("# nothing\n\n", 0),
        ("x = 1\n", 3),  # x = 1
        ("x = (\n    1,\n)  # note\n", 6),  # x = ( 1 , )
        ('"""Doc."""\nx = 1\n', 3),
        ('x = 1\n"""no docstring"""\n', 4),
        ("x = 'a' 'b'\n", 4),  # x = 'a' 'b'
        ("x = f'{a + b!r:>{w}}'\n", 3),  # x = f-string
        ("x = f'{a}' f'{b}'\n", 4),
        ("x = rf'''{a}\n{b}'''\n", 3),
        ("'''é''' ; y = 2\n", 4),  # ; y = 2
        ("if x:\n\ty = 1\n", 6),  # if x : y = 1
        ("x = 1 \\\n  + 2\n", 5),  # x = 1 + 2
    ],
)
def test_size_counts_tokens_and_neither_layout_nor_comments_nor_docstrings(text: str, tokens: int) -> None:
    module = units(text)["<module>"]
    assert module.tokens == tokens
    assert module.size == tokens / 7


def test_docstrings_of_functions_classes_and_closures_have_no_size() -> None:
    text = 'class A:\n  "ä doc"\n  def f(self): "doc"\n\n'
    text += 'def g():\n    "doc" "more"\n    def h():\n        "doc"\n    return h\n'
    found = units(text)
    assert found["<module>"].tokens == 3  # class A :
    assert found["A.f"].tokens == 6  # def f ( self ) :
    assert found["g"].tokens == 12  # def g ( ) : def h ( ) : return h


def test_a_unit_is_an_outermost_function_and_the_rest_of_the_file_is_one() -> None:
    text = (
        "import a\n"  # 2 tokens of the module
        "class A:\n"  # 3
        "    x = 1\n"  # 3
        "    @property\n"  # 2 of A.f
        "    def f(self):\n"  # 6
        "        def g():\n"  # 5
        "            return lambda: 1\n"  # 4
        "        class B:\n"  # 3
        "            def h(self): pass\n"  # 7
        "        return g\n"  # 2
        "    class C:\n"  # 3 of the module
        "        async def k(self): pass\n"  # 8 of A.C.k
        "if a:\n"  # 3 of the module
        "    def m(x=lambda: 1): pass\n"  # 11 of m
        "y = lambda: 2\n"  # 5 of the module
    )
    found = units(text)
    assert {name: unit.tokens for name, unit in found.items()} == {
        "<module>": 2 + 3 + 3 + 3 + 3 + 5,
        "A.f": 2 + 6 + 5 + 4 + 3 + 7 + 2,
        "A.C.k": 8,
        "m": 11,
    }
    assert (found["A.f"].line, found["A.f"].end_line) == (4, 10)


def test_complexity_counts_every_decision_point_of_the_unit_and_its_closures() -> None:
    text = (
        "def f(xs, default=1 if True else 2):\n"  # 1 + 1 (conditional expression)
        "    def closure(y):\n"
        "        return y if y else 0\n"  # + 1
        "    key = lambda z: z and z > 1 or 0\n"  # + 1 (and) + 1 (or)
        "    for x in xs:\n"  # + 1
        "        if x and closure(x) and key(x):\n"  # + 1 + 2
        "            continue\n"
        "        elif x:\n"  # + 1
        "            pass\n"
        "    else:\n"  # + 1
        "        pass\n"
        "    try:\n"
        "        assert xs or default\n"  # + 1 + 1
        "    except (KeyError, ValueError):\n"  # + 1
        "        pass\n"
        "    except OSError:\n"  # + 1
        "        pass\n"
        "    else:\n"  # + 1
        "        pass\n"
        "    finally:\n"
        "        pass\n"
        "    match xs:\n"
        "        case []:\n"  # + 1
        "            pass\n"
        "        case [1, *_]:\n"  # + 1
        "            pass\n"
        "        case _:\n"
        "            pass\n"
        "    with open('x') as g:\n"
        "        pass\n"
        "    while xs:\n"  # + 1
        "        break\n"
        "    return [x for x in xs if x if not x for y in x]\n"  # + 1 + 2 + 1
    )
    assert units(text)["f"].complexity == 2 + 1 + 2 + 1 + 3 + 1 + 1 + 2 + 1 + 1 + 1 + 2 + 1 + 4
    assert units(text)["<module>"].complexity == 1


def test_moving_a_body_into_closures_does_not_lower_the_complexity() -> None:
    flat = "def f(a, b):\n    if a:\n        return 1\n    if b:\n        return 2\n"
    nested = (
        "def f(a, b):\n"
        "    def first():\n        if a:\n            return 1\n"
        "    def second():\n        if b:\n            return 2\n"
        "    return first() or second()\n"
    )
    assert units(flat)["f"].complexity == 3
    assert units(nested)["f"].complexity == 4  # the same two, and `or`


def test_volume_is_counted_by_halsteads_definition() -> None:
    # operators: +, *, <, not, and, += : 6 occurrences of 5 kinds (the + of += is the +)
    # operands: a, b | (a+b), 2 | x, 3 | (compare) | (not), b | s, 1 : 2+2+2+1+2+2 = 11 occurrences;
    # distinct: a, b, <a+b>, 2, x, 3, <x<3>, <not ..>, s, 1 = 10
    text = "def f(a, b, x, s):\n    y = (a + b) * 2\n    z = not (x < 3) and b\n    s += 1\n"
    assert units(text)["f"].volume == pytest.approx((6 + 11) * math.log2(5 + 10))


def test_the_index_is_the_formula() -> None:
    # 100/171 * (171 - 5.2 ln 100 - 0.23*5 - 16.2 ln 10) = 100/171 * (171 - 23.9469 - 1.15 - 37.3019) = 63.5095
    assert maintainability_index(volume=100, complexity=5, size=10) == pytest.approx(63.5095, abs=5e-4)
    assert maintainability_index(volume=0, complexity=5, size=10) == 100
    assert maintainability_index(volume=10, complexity=5, size=0) == 100
    assert maintainability_index(volume=1e9, complexity=500, size=1e6) == 0


def test_comments_layout_and_docstrings_do_not_move_the_index() -> None:
    plain = "def f(a, b):\n    return a + b if a else b\n"
    dressed = (
        "def f(\n    a,\n    b\n):\n"
        "    '''A docstring\n\n    of three lines.'''\n\n"
        "    # a comment\n    # another\n"
        "    return (  # and one more\n        a + b if a else b\n    )\n"
    )
    first, second = units(plain)["f"], units(dressed)["f"]
    assert second.tokens == first.tokens + 2  # the added parentheses
    bare = "def f(\n    a,\n    b\n):\n    # a comment\n\n    '''doc'''\n    return a + b \\\n        if a else b\n"
    assert units(bare)["f"].index == first.index


def test_splitting_into_files_does_not_move_any_functions_index() -> None:
    first = "def f(a):\n    return a + 1\n"
    second = "def g(a):\n    return [a * 2 for a in a if a]\n"
    together = units(first + "\n\n" + second)
    assert together["f"].index == units(first)["f"].index
    assert together["g"].index == units(second)["g"].index


def test_codes_are_equal_for_any_two_literals_and_differ_between_names() -> None:
    a, b, c = (units(text)["<module>"].codes for text in ("x = f(1, 'a')", "x = f(2.5, f'{b}')", "y = f(1, 'a')"))
    assert a == b
    assert [left == right for left, right in zip(a, c, strict=True)] == [False] + [True] * 7


def test_comments_are_listed_with_their_place() -> None:
    measured = measure_units(source("x = 1  # é\n# b\n"), ast.parse("x = 1\n"))
    assert isinstance(measured, Units)
    assert [(c.line, c.column, c.text) for c in measured.comments] == [(1, 8, "# é"), (2, 1, "# b")]


def _comparable(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether radon counts the same things in it: no closures, no classes inside, no decision in asserts or headers."""
    inner = [node for child in function.body for node in ast.walk(child)]
    header = [function.args, *function.decorator_list]
    choices = (ast.BoolOp, ast.IfExp, ast.comprehension)
    return (
        not any(isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.TryStar)) for node in inner)
        and not any(isinstance(n, choices) for node in inner if isinstance(node, ast.Assert) for n in ast.walk(node))
        and not any(
            isinstance(n, (*choices, ast.BinOp, ast.UnaryOp, ast.Compare)) for part in header for n in ast.walk(part)
        )
    )


@pytest.mark.parametrize("name", ["argparse.py", "configparser.py", "asyncio/base_events.py", "json/decoder.py"])
def test_complexity_and_volume_are_radons_where_the_definitions_meet(name: str) -> None:
    text = (Path(sysconfig.get_path("stdlib")) / name).read_text(encoding="utf-8")
    tree = ast.parse(text)
    found = units(text)
    blocks = {
        (f"{b.classname}.{b.name}" if getattr(b, "classname", None) else b.name): b.complexity
        for b in cc_visit_ast(tree)
        if b.letter in "FM"
    }
    compared = 0
    for owner in [tree, *(n for n in tree.body if isinstance(n, ast.ClassDef))]:
        prefix = f"{owner.name}." if isinstance(owner, ast.ClassDef) else ""
        names = [n.name for n in owner.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
        for node in owner.body:
            if (
                isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
                and names.count(node.name) == 1
                and _comparable(node)
            ):
                unit = found[prefix + node.name]
                assert unit.complexity == blocks[prefix + node.name], node.name
                report = h_visit_ast(ast.Module(body=[node], type_ignores=[])).total
                assert unit.volume == pytest.approx(report.volume), node.name
                compared += 1
    assert compared >= 5
