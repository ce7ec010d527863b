"""exec, eval and compile on what is not a literal."""

from __future__ import annotations

import ast

import pytest

from qualityscore.collectors.dynamic_code import dynamic_code
from qualityscore.languages.python_source import SourceFile


def places(text: str) -> list[tuple[int, int, str, bool]]:
    source = SourceFile(path="m.py", raw=text.encode(), digest="", encoding="utf-8", text=text)
    return [(p.line, p.column, p.builtin, p.called) for p in dynamic_code(source, ast.parse(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("eval(x)", [(1, 1, "eval", True)], id="a name"),
        pytest.param("y = 1\n  \nz = exec(open('f').read())", [(3, 5, "exec", True)], id="what a file holds"),
        pytest.param("compile(source=x, filename='', mode='exec')", [(1, 1, "compile", True)], id="a keyword"),
        pytest.param("eval(f'{x}')", [(1, 1, "eval", True)], id="an f-string with a field"),
        pytest.param("eval('a' + x)", [(1, 1, "eval", True)], id="a sum with a name"),
        pytest.param("eval(*args)", [(1, 1, "eval", True)], id="starred"),
        pytest.param("exec(compile(x, '', 'exec'))", [(1, 1, "exec", True)], id="compiled on the way: one place"),
        pytest.param("exec(x); eval(y)", [(1, 1, "exec", True), (1, 10, "eval", True)], id="two on one line"),
        pytest.param("map(eval, xs)", [(1, 5, "eval", False)], id="passed on"),
        pytest.param("import builtins\nbuiltins.exec(x)", [(2, 1, "exec", True)], id="through builtins"),
        pytest.param("import builtins as b\nb.eval(x)", [(2, 1, "eval", True)], id="through a renamed builtins"),
        pytest.param("from builtins import eval as e\ne(x)", [(2, 1, "eval", True)], id="imported under another name"),
        pytest.param("e = eval\ne(x)", [(1, 5, "eval", False), (2, 1, "eval", True)], id="under another name"),
        pytest.param("eval = eval\neval(x)", [(1, 8, "eval", False), (2, 1, "eval", True)], id="bound to itself"),
        pytest.param("__builtins__['eval'](x)", [(1, 1, "eval", True)], id="by subscript"),
        pytest.param("import builtins\ngetattr(builtins, 'exec')(x)", [(2, 1, "exec", True)], id="by getattr"),
        pytest.param("def f(eval): pass\neval(x)", [(2, 1, "eval", True)], id="another function's parameter"),
        pytest.param("f.__code__ = g.__code__", [(1, 1, "__code__", False)], id="a function's code replaced"),
        pytest.param("setattr(f, '__code__', c)", [(1, 1, "__code__", True)], id="replaced by setattr"),
        pytest.param("import types as t, types\ntypes.CodeType(*a)", [(2, 1, "CodeType", True)], id="code of bytes"),
        pytest.param("from types import CodeType as C\nC(*a)", [(2, 1, "CodeType", True)], id="code of bytes, renamed"),
        pytest.param(
            "import importlib.machinery\nimportlib.machinery.SourcelessFileLoader('n', 'f').get_code('n')",
            [(2, 1, "SourcelessFileLoader", True)], id="bytecode of a file"),
        pytest.param("exec('def f(): pass')", [(1, 1, "exec", True)], id="a literal with a function"),
        pytest.param("exec('class A:' + ' pass')", [(1, 1, "exec", True)], id="a sum with a class"),
        pytest.param("eval('  lambda: 1')", [(1, 1, "eval", True)], id="a literal with a lambda"),
        pytest.param("compile(b'def f(): pass', '', 'exec')", [(1, 1, "compile", True)], id="bytes with a function"),
        pytest.param(f"exec({'a = 1;' * 9!r})", [(1, 1, "exec", True)], id="a literal of 36 tokens"),
        pytest.param("class A:\n def eval(s): pass\n def f(s): eval(x)", [(3, 12, "eval", True)], id="a method's name"),
    ],
)  # fmt: skip
def test_code_out_of_sight_is_found(text: str, expected: list[tuple[int, int, str, bool]]) -> None:
    assert places(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("eval('1 + 1')", id="a literal"),
        pytest.param("n = f.__code__.co_argcount", id="code that is looked at"),
        pytest.param("class CodeType: pass\nCodeType('EAN')", id="a class of one's own"),
        pytest.param("exec('a' 'b' + 'c')", id="a sum of literals"),
        pytest.param("exec(f'a')", id="an f-string without a field"),
        pytest.param("compile(b'1', '', 'eval')", id="bytes"),
        pytest.param(f"exec({'a = 1;' * 8 + 'a = 1'!r})", id="a literal of 35 tokens, which is five lines"),
        pytest.param("exec('x = (')", id="a literal that does not run"),
        pytest.param("import re\nre.compile(x)", id="a method of that name"),
        pytest.param("from re import compile\ncompile(x)", id="another function of that name"),
        pytest.param("df.eval(x)\nself.exec(y)", id="attributes"),
        pytest.param("def eval(x): return x\neval(x)", id="a function of one's own"),
        pytest.param("def f(compile): return compile(x)", id="a parameter"),
        pytest.param("def f():\n exec = g\n def h(): exec(x)", id="a local of an outer function"),
        pytest.param("class A:\n eval = g\n y = eval(x)", id="a class's own name"),
        pytest.param("ast.literal_eval(x)\nevaluate(x)", id="longer names"),
        pytest.param("'eval(x)'  # exec(x)", id="in a string"),
    ],
)
def test_what_only_looks_like_it_is_not(text: str) -> None:
    assert places(text) == []
