"""Source text of inputs: what each kind of parameter is tried with, and how a value that worked is changed. Pure.

Every input has a class in words ("lone surrogate"); the review decides per class, so one class holds what
documentation would accept or refuse together.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from typing import Any

Input = tuple[str, str]  # class in words, source text

_TEXT: tuple[Input, ...] = (
    ("empty text", "''"),
    ("blank text", "' \\t\\n '"),
    ("plain text", "'one two three'"),
    ("plain text", "'Mixed CASE 42'"),
    ("plain text", "'a'"),
    ("accented text", "'\\u00dcber caf\\u00e9 na\\u00efve'"),
    ("accented text", "'e\\u0301 combining'"),
    ("text in other scripts", "'\\u041f\\u0440\\u0438\\u0432\\u0435\\u0442 \\u4f60\\u597d'"),
    ("text in other scripts", "'\\u0645\\u0631\\u062d\\u0628\\u0627 \\u05e9\\u05dc\\u05d5\\u05dd'"),
    ("text in other scripts", "'\\u0928\\u092e\\u0938\\u094d\\u0924\\u0947 \\u0660\\u0661\\u0662'"),
    ("emoji", "'\\U0001f468\\u200d\\U0001f469\\u200d\\U0001f467 ok \\U0001f680'"),
    ("control characters", "'a\\x00b\\x07c\\x7f'"),
    ("control characters", "'line\\r\\nline\\u2028line\\x0b'"),
    ("invisible characters", "'\\ufeffa\\u200bb\\u202ec\\u00ad'"),
    ("lone surrogate", "'a\\ud800b'"),
    ("lone surrogate", "'\\udcff'"),
    ("compatibility characters", "'\\ufb01 \\u2460 \\u00bd \\uff21'"),
    ("special case mapping", "'\\u0130 \\u00df \\u01c5'"),
    ("punctuation", "'--- ... ___ &&& <>'"),
    ("punctuation", "'a&b \\'c\\' \"d\" (e) [f] {g} %s {0} $h \\\\\\\\'"),
    ("repeated separators", "'-' * 20000 + 'x' + ' ' * 20000"),
    ("repeated separators inside", "'x' + '-' * 20000 + 'x'"),
    ("repeated separators inside", "'x ' + '_ ' * 10000 + 'x'"),
    ("long text", "'ab ' * 4000"),
    ("long text", "'x' * 20000"),
)
_NUMBERS: tuple[Input, ...] = (
    ("zero", "0"),
    ("small number", "1"),
    ("small number", "2"),
    ("small number", "7"),
    ("number", "100"),
    ("negative number", "-1"),
    ("negative number", "-100"),
    ("huge number", "2**31"),
    ("huge number", "2**63"),
    ("huge number", "10**30"),
    ("huge negative number", "-(2**63)"),
)
_FLOATS: tuple[Input, ...] = (
    ("zero", "0"),
    ("fraction", "0.5"),
    ("fraction", "2.75"),
    ("small number", "3"),
    ("negative number", "-1.5"),
    ("huge number", "1e308"),
    ("tiny number", "5e-324"),
    ("negative zero", "-0.0"),
    ("infinity", "float('inf')"),
    ("infinity", "float('-inf')"),
    ("not a number", "float('nan')"),
)
_BYTES: tuple[Input, ...] = (
    ("empty bytes", "b''"),
    ("UTF-8 bytes", "b'one two'"),
    ("UTF-8 bytes", "'caf\\u00e9'.encode()"),
    ("invalid bytes", "b'\\xff\\xfe\\x80 a'"),
    ("bytearray", "bytearray(b'abc')"),
    ("long bytes", "b'ab ' * 4000"),
)
_LISTS: tuple[Input, ...] = (
    ("empty list", "[]"),
    ("empty tuple", "()"),
    ("list of texts", "['a', 'b', 'the']"),
    ("tuple of texts", "('a', 'b')"),
    ("set of texts", "{'a'}"),
    ("iterator", "generated('a', 'b')"),
    ("list with None", "['a', None]"),
    ("list of numbers", "[1, 2, 3]"),
    ("list of odd elements", "[[], {}, object]"),
    ("list with one list twice", "[['a', 'b']] * 2"),
    ("nested list", "nested_list(200)"),
    ("cyclic list", "cyclic_list()"),
    ("breaking iterator", "breaking('a')"),
    ("long list", "['w'] * 3000"),
    ("very long list", "['w', 'x'] * 20000"),
)
_PAIRS: tuple[Input, ...] = (
    ("empty list", "[]"),
    ("pairs of texts", "[['a', 'b']]"),
    ("pairs of texts", "[('one', '1'), ('two', '')]"),
    ("pairs of texts", "(('x', 'yy'),)"),
    ("pairs with empty text", "[('', 'z')]"),
    ("iterator of pairs", "generated(('a', 'b'))"),
    ("pairs of texts", "[('a', 'aa')] * 20"),
    ("triples", "[('a', 'b', 'c')]"),
    ("single elements", "[('a',)]"),
    ("pairs with None", "[('a', None)]"),
    ("pairs of numbers", "[(1, 2)]"),
    ("texts for pairs", "['ab', 'cd']"),
    ("cyclic list", "cyclic_list()"),
    ("breaking iterator", "breaking(('a', 'b'))"),
)
_DICTS: tuple[Input, ...] = (
    ("empty dict", "{}"),
    ("flat dict", "{'a': '1', 'b': '2'}"),
    ("flat dict", "{'k': 'v'}"),
    ("dict of numbers", "{'a': 1, 'b': 2.5}"),
    ("dict of constants", "{'a': None, 'b': True}"),
    ("nested dict", "{'a': {'b': {'c': 'd'}}}"),
    ("dict of lists", "{'a': ['1', '2', '3']}"),
    ("dict with one list twice", "dict.fromkeys(['a', 'b'], ['1'])"),
    ("dict of empty containers", "{'a': [], 'b': {}}"),
    ("dict with number keys", "{1: 'a'}"),
    ("dict with None key", "{None: 'a'}"),
    ("dict with empty key", "{'': 'a'}"),
    ("dict with accented text", "{'\\u00e9': '\\u4f60'}"),
    ("dict with lone surrogate", "{'a': '\\ud800'}"),
    ("dict of objects", "{'a': object}"),
    ("dict of bytes", "{'a': b'x'}"),
    ("deep dict", "nested_dict(100)"),
    ("cyclic dict", "cyclic_dict()"),
    ("odd mapping", "OddMapping(a=1)"),
    ("wide dict", "{str(i): str(i) for i in range(500)}"),
    ("dict of a long list", "{'r': {'a': ['1'] * 20000}}"),
)
_KEYS: tuple[Input, ...] = (
    ("text key", "'k'"),
    ("text key", "''"),
    ("key with lone surrogate", "'\\ud800'"),
    ("number key", "0"),
    ("number key", "10**30"),
    ("number key", "-1.5"),
    ("constant", "None"),
    ("constant", "True"),
    ("tuple key", "('a', 1)"),
    ("frozenset", "frozenset({1, 2})"),
    ("not a number", "float('nan')"),
    ("list", "[1, 2]"),
    ("dict", "{'a': 1}"),
    ("object without equality", "EqRaises()"),
    ("object equal to all", "EqAlways()"),
    ("object without hash", "HashRaises()"),
    ("object without text", "ReprRaises()"),
)
_CALLABLES: tuple[Input, ...] = (
    ("function", "pair"),
    ("function", "first"),
    ("builtin function", "len"),
    ("builtin function", "str"),
    ("raising callback", "raiser"),
    ("standing clock", "StillClock()"),
    ("running clock", "Ticker()"),
    ("lambda", "lambda *args: 2"),
    ("lambda", "lambda *args: None"),
    ("lambda of odd value", "lambda *args: object"),
    ("lambda without parameters", "lambda: 1"),
    ("lambda of negative number", "lambda *args: -1"),
)
_PATTERNS: tuple[Input, ...] = (
    ("pattern", "'[^a-z]+'"),
    ("pattern", "'x*'"),
    ("empty pattern", "''"),
    ("invalid pattern", "'['"),
    ("invalid pattern", "'(?P<n'"),
)
_FILES: tuple[Input, ...] = (
    ("closed file", "closed_text_file()"),
    ("closed file", "closed_binary_file()"),
    ("text file", "text_file('one\\ntwo caf\\u00e9\\n')"),
    ("binary file", "binary_file(b'one\\ntwo \\xff\\n')"),
    ("empty file", "text_file('')"),
    ("empty file", "binary_file(b'')"),
)
_WRONG: tuple[Input, ...] = (
    ("None", "None"),
    ("a text", "'text'"),
    ("a number", "5"),
    ("a fraction", "0.5"),
    ("bytes", "b'bytes'"),
    ("a list", "[1]"),
    ("a dict", "{'a': 1}"),
    ("a class", "object"),
    ("a function", "first"),
    ("an iterator", "generated(1)"),
)
_ODD: tuple[Input, ...] = (
    ("object without equality", "EqRaises()"),
    ("object equal to all", "EqAlways()"),
    ("object without hash", "HashRaises()"),
    ("object of negative length", "LenNegative()"),
    ("object of huge length", "LenHuge()"),
    ("object without text", "ReprRaises()"),
    ("object without truth", "BoolRaises()"),
    ("object that breaks off", "IterBreaks()"),
    ("object without attributes", "AttributeRaises()"),
    ("object without order", "CompareRaises()"),
    ("object with an index", "IndexLike()"),
)
_POOLS: dict[str, tuple[Input, ...]] = {
    "str": _TEXT,
    "int": _NUMBERS,
    "float": _FLOATS,
    "bool": (("truth", "True"), ("truth", "False")),
    "bytes": _BYTES,
    "list": _LISTS,
    "pairs": _PAIRS,
    "dict": _DICTS,
    "key": _KEYS,
    "callable": _CALLABLES,
    "pattern": _PATTERNS,
    "file": _FILES,
    "none": (("None", "None"),),
}
_OWN = {
    "str": ("a text",),
    "int": ("a number",),
    "float": ("a number", "a fraction"),
    "bytes": ("bytes",),
    "list": ("a list", "an iterator"),
    "pairs": ("a list",),
    "dict": ("a dict",),
    "callable": ("a class", "a function"),
    "none": ("None",),
    "bool": (),
    "key": tuple(name for name, _ in _WRONG),
    "pattern": ("a text",),
    "file": (),
}
_SEPARATOR = re.compile(r"(?<=\w)[^\w<>'\"]+(?=\w)")
_ELEMENT = re.compile(r"<(\w+)[^<>]*>[^<>]*</\1>")
_TIMES = 40000
_LEAVES = 3
_ODD_LEAVES = (("None", None), ("lone surrogate", "a\ud83d"), ("empty text", ""))
_PLACE = re.compile(r"(^|_)(path|file|filename|filepath|fname|fp|fd|dir|directory|folder|output)$")
_SUBCLASSES = {
    "str": ("text with raising methods", "OddText('odd')"),
    "int": ("number with raising methods", "OddNumber(3)"),
}
_MISFIT_CLASSES = {name for name, _ in (*_ODD, *_SUBCLASSES.values())}


def ordinary(categories: tuple[str, ...], literals: tuple[str, ...], drawn: dict[str, list[str]]) -> list[Input]:
    """Inputs of the right kind: the pools of these categories, the code's own literals and their neighbours, and drawn
    examples."""
    found: list[Input] = []
    for category in categories:
        found += _POOLS[category]
        found += _near_literals(category, literals)
        found += [(f"drawn {category}", text) for text in drawn.get(category, ())]
    return _distinct(found)


def misfits(name: str, categories: tuple[str, ...], rng: random.Random) -> list[Input]:
    """Inputs of a wrong kind, and objects that behave badly; few for a flag, which nearly anything can stand for.

    A parameter that takes a path or a file never gets a whole number: that would be a descriptor.
    """
    own = {kind for category in categories for kind in _OWN[category]}
    if "file" in categories or _PLACE.search(name):
        own.add("a number")
    wrong = [(f"wrong type: {name}", text) for name, text in _WRONG if name not in own]
    odd = [*_ODD] if "key" not in categories else []
    odd += [_SUBCLASSES[category] for category in categories if category in _SUBCLASSES]
    if set(categories) <= {"bool", "none"}:
        return _distinct([*rng.sample(wrong, min(3, len(wrong))), *(o for o in odd if o[0] == "object without truth")])
    return _distinct([*wrong, *rng.sample(odd, min(6, len(odd)))])


def is_misfit(name: str) -> bool:
    """Whether a class of input is one that `misfits` gives."""
    return name.startswith("wrong type: ") or name in _MISFIT_CLASSES


def _distinct(found: list[Input]) -> list[Input]:
    """One input per source text, the first class it came with."""
    return list({text: (name, text) for name, text in reversed(found)}.values())[::-1]


def sensible(categories: tuple[str, ...]) -> tuple[str, ...]:
    """Values that a parameter of these categories should accept, most ordinary first."""
    first = {
        "str": "'one two'",
        "int": "3",
        "float": "2.5",
        "bool": "True",
        "bytes": "b'one two'",
        "list": "['a', 'b']",
        "pairs": "[('a', 'b')]",
        "dict": "{'k': 'v'}",
        "key": "'k'",
        "callable": "first",
        "pattern": "'[^a-z]+'",
        "none": "None",
    }
    return tuple(first[c] for c in categories if c in first)


def _near_literals(category: str, literals: tuple[str, ...]) -> list[Input]:
    """The body's own numbers plus and minus one, and its short texts: where behaviour changes."""
    values = [ast.literal_eval(text) for text in literals]
    if category in ("int", "float"):
        near = {n + step for n in values if isinstance(n, int) for step in (-1, 0, 1)}
        return [("number near a limit", repr(n)) for n in sorted(near, key=lambda n: (abs(n), n))[:8]]
    if category == "str":
        return [("text of the code", ascii(f"a{text}b")) for text in values if isinstance(text, str)][:6]
    return []


def repeated(source: str) -> list[Input]:
    """A text or sequence that a working call passed, with a part of it repeated until superlinear work shows.

    Of a text that part is its first separator, and its first element of markup; nothing for what is no literal.
    """
    match _literal(source):
        case str() as value if len(value) > 2:
            return [
                (
                    f"{what} repeated",
                    f"{value[: m.start()]!a} + {m.group()!a} * {_TIMES} + {value[m.start() :]!a}",
                )
                for what, pattern in (("separator", _SEPARATOR), ("element", _ELEMENT))
                if (m := pattern.search(value)) is not None and m.start()
            ]
        case (list() | tuple()) as value if value:
            return [("sequence repeated", f"{value!a} * {_TIMES}")]
    return []


def changed(source: str, rng: random.Random) -> list[Input]:
    """Typed changes of a value that a working call passed; nothing for what is not a literal."""
    value = _literal(source)
    changes = [*_changes(value, rng), *_changed_leaves(value, rng)]
    return [(name, text) for name, new in changes if (text := ascii(new)) != source and len(text) < 500]


def changed_within(source: str, rng: random.Random) -> list[Input]:
    """An expression with one of its literals replaced by a typed change of it."""
    tree = ast.parse(source, mode="eval")
    found = []
    for number, node in enumerate(_literal_nodes(tree)):
        for name, text in changed(ast.unparse(node), rng):
            copy = ast.parse(source, mode="eval")
            new = _Put(_literal_nodes(copy)[number], ast.parse(text, mode="eval").body).visit(copy)
            found.append((name, ast.unparse(new)))
    return _distinct(found)


def _literal_nodes(tree: ast.AST) -> list[ast.expr]:
    """The largest literals of an expression, in the order they are written in."""
    found: list[ast.expr] = []
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.expr) and _literal(ast.unparse(child)) is not None:
            found.append(child)
        elif not isinstance(child, ast.JoinedStr):
            found += _literal_nodes(child)
    return found


class _Put(ast.NodeTransformer):
    """One expression in the place of another."""

    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self.old, self.new = old, new

    def generic_visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else super().generic_visit(node)


def literal_type(source: str) -> str:
    """The name of a literal's type; "" for any other source text, and for None."""
    value = _literal(source)
    return "" if value is None else type(value).__name__


def _literal(source: str) -> Any:
    """The value of a literal; None, of which nothing is made, for any other source text."""
    try:
        return ast.literal_eval(source)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _changed_leaves(value: Any, rng: random.Random) -> list[tuple[str, Any]]:
    """One leaf at a time, below the first level of a container, replaced by what code forgets there."""
    paths = [path for path in _leaf_paths(value, ()) if len(path) > 1]
    found = []
    for path in rng.sample(paths, min(_LEAVES, len(paths))):
        found += [(f"nested {name}", _with_leaf(value, path, new)) for name, new in _ODD_LEAVES]
    return found


def _leaf_paths(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaf_paths(item, (*path, key))
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            yield from _leaf_paths(item, (*path, number))
    else:
        yield path


def _with_leaf(value: Any, path: tuple[Any, ...], new: object) -> Any:
    if not path:
        return new
    if isinstance(value, dict):
        return {k: _with_leaf(v, path[1:], new) if k == path[0] else v for k, v in value.items()}
    return type(value)(_with_leaf(v, path[1:], new) if n == path[0] else v for n, v in enumerate(value))


def _changes(value: Any, rng: random.Random) -> list[tuple[str, Any]]:
    match value:
        case None:
            return []
        case bool():
            return [("flipped flag", not value)]
        case int():
            return [("changed number", value + step) for step in (-1, 1)] + [("changed number", value * 2)]
        case float():
            return [("changed number", -value), ("changed number", value / 3)]
        case str() if value:
            at = rng.randrange(len(value))
            return [
                ("changed text", value + value),
                ("changed text", value[::-1]),
                ("changed text", value.swapcase()),
                ("changed text", value[:at] + rng.choice("xQ7") + value[at:]),
                ("shortened text", value[:at]),
                ("changed text with separators", value[:at] + "  --  " + value[at:]),
                ("changed text with control character", value[:at] + "\x00" + value[at:]),
                ("accented text", value[:at] + "\u00e9" + value[at:]),
                ("changed text with lone surrogate", value[:at] + "\ud83d" + value[at:]),
            ]
        case list() | tuple() if value:
            kind = type(value)
            at = rng.randrange(len(value))
            return [
                ("shortened sequence", kind([*value[:at], *value[at + 1 :]])),
                ("repeated sequence", kind([*value, *value])),
                ("sequence in reverse", kind([*value][::-1])),
                ("sequence with None", kind([*value[:at], None, *value[at + 1 :]])),
            ]
        case dict() if value:
            at = rng.choice(sorted(value, key=repr))
            return [
                ("shortened dict", {k: v for k, v in value.items() if k != at}),
                ("dict with None", {**value, at: None}),
                ("nested dict", {**value, at: {"x": "y"}}),
                ("dict of lists", {**value, at: ["x", "y"]}),
            ]
    return []
