"""Units of Python code and their sizes: what maintainability is computed over (scoring.md section 4).

A unit is an outermost function together with its closures and lambdas, decorators and defaults included; the rest of a
file, class bodies included, is one unit named `<module>`.

Definitions, and where they meet radon's:

- CC = 1 + decision points. Decision points: `if`, `elif`, conditional expression, `assert`, loop (and its `else`),
  each `except` (and the `else` of the `try`), each comprehension clause and each of its conditions, each further
  operand of a boolean operator, each `case` except an irrefutable one. radon counts the same, but leaves out closures,
  what stands inside an `assert`, and decorators and defaults.
- Halstead: operators are the unary, binary, boolean, comparison and augmented-assignment operators; operands are what
  they apply to, names, attributes and constants told apart by value, everything else by occurrence. N is the number of
  both, n the number of distinct ones, V = N log2 n (Halstead 1977), as radon counts them within one function.
- Size = tokens / 7, without comments, docstrings, newlines and indentation; an f-string (or t-string) is one token
  whatever the interpreter's tokenizer makes of it.
"""

from __future__ import annotations

import ast
import io
import math
import tokenize
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from qualityscore.languages.python_source import SourceFile, Unparsable, count_code_lines

MODULE_UNIT = "<module>"
TOKENS_PER_LINE = 7

_LAYOUT = frozenset(
    {
        tokenize.ENCODING,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    }
)
# Names differ between versions of the tokenizer: before 3.12 an f-string is a STRING.
_OPENS_STRING = frozenset(
    getattr(tokenize, name) for name in ("FSTRING_START", "TSTRING_START") if hasattr(tokenize, name)
)
_CLOSES_STRING = frozenset(
    getattr(tokenize, name) for name in ("FSTRING_END", "TSTRING_END") if hasattr(tokenize, name)
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NUMBER_CODE = zlib.crc32(b"<number>")
_STRING_CODE = zlib.crc32(b"<string>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One unit. `line` to `end_line` is its span (decorators included), 1 to the last line for `<module>`.

    `codes` holds one number per token, equal for equal tokens and for any two numbers or any two strings: what
    duplication is searched in.
    """

    qualname: str
    line: int
    end_line: int
    tokens: int
    complexity: int
    volume: float
    codes: tuple[int, ...]

    @property
    def size(self) -> float:
        """Lines that the tokens would fill."""
        return self.tokens / TOKENS_PER_LINE

    @property
    def index(self) -> float:
        """The maintainability index without comment term, see `maintainability_index`."""
        return maintainability_index(volume=self.volume, complexity=self.complexity, size=self.size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment, with its place (both from 1)."""

    line: int
    column: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """A file's units, the module's own first, the functions in order, and its comments."""

    units: tuple[Unit, ...]
    comments: tuple[Comment, ...]


def maintainability_index(*, volume: float, complexity: int, size: float) -> float:
    """100/171 max(0, 171 - 5.2 ln V - 0.23 CC - 16.2 ln size); 100 where V or size is 0 (scoring.md section 4)."""
    if volume <= 0 or size <= 0:
        return 100.0
    return 100 / 171 * max(0.0, 171 - 5.2 * math.log(volume) - 0.23 * complexity - 16.2 * math.log(size))


def halstead_volume(*, length: int, vocabulary: int) -> float:
    """V = N log2 n; 0 for an empty vocabulary."""
    return length * math.log2(vocabulary) if vocabulary > 0 else 0.0


@dataclass(slots=True)
class _Tally:
    qualname: str
    line: int
    end_line: int
    decisions: int = 0
    length: int = 0
    operators: set[str] = field(default_factory=set)
    operands: set[object] = field(default_factory=set)
    codes: array[int] = field(default_factory=lambda: array("L"))


def measure_units(source: SourceFile, tree: ast.Module) -> Units | Unparsable:
    """Units of one parsed file.

    Unparsable where the tokenizer refuses what the parser took (the pure-Python tokenizer before 3.12 may).
    """
    lines = source.text.split("\n")
    module = _Tally(MODULE_UNIT, 1, len(lines))
    functions: list[_Tally] = []
    docstrings: dict[tuple[int, int], tuple[int, int]] = {}
    for node, tally in _walk(tree, module, functions):
        _count(node, tally)
        place = _docstring(node, lines)
        if place is not None:
            docstrings[place[0]] = place[1]
    functions.sort(key=lambda tally: tally.line)
    try:
        comments = _tokens(source.text, module, functions, docstrings)
    except (tokenize.TokenError, SyntaxError) as error:
        return Unparsable(
            path=source.path,
            tool="tokenize",
            reason=str(error.args[0]),
            line=1,
            code_lines=count_code_lines(source.raw),
            digest=source.digest,
        )
    return Units(units=tuple(_finished(tally) for tally in (module, *functions)), comments=comments)


def _finished(tally: _Tally) -> Unit:
    return Unit(
        qualname=tally.qualname,
        line=tally.line,
        end_line=tally.end_line,
        tokens=len(tally.codes),
        complexity=1 + tally.decisions,
        volume=halstead_volume(length=tally.length, vocabulary=len(tally.operators) + len(tally.operands)),
        codes=tuple(tally.codes),
    )


def _walk(tree: ast.Module, module: _Tally, functions: list[_Tally]) -> Iterator[tuple[ast.AST, _Tally]]:
    """Every node with the unit that it belongs to; a stack of our own, since a sum may be thousands of nodes deep."""
    stack: list[tuple[ast.AST, _Tally, str]] = [(tree, module, "")]
    while stack:
        node, tally, prefix = stack.pop()
        if tally is module:
            if isinstance(node, _FUNCTIONS):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                tally = _Tally(prefix + node.name, first, node.end_lineno or node.lineno)
                functions.append(tally)
            elif isinstance(node, ast.ClassDef):
                prefix += node.name + "."
        yield node, tally
        stack.extend((child, tally, prefix) for child in ast.iter_child_nodes(node))


def _count(node: ast.AST, tally: _Tally) -> None:
    tally.decisions += decision_points(node)
    match node:
        case ast.BinOp(left=left, op=op, right=right) | ast.AugAssign(target=left, op=op, value=right):
            _halstead(tally, (op,), (left, right))
        case ast.UnaryOp(op=op, operand=operand):
            _halstead(tally, (op,), (operand,))
        case ast.BoolOp(op=op, values=values):
            _halstead(tally, (op,), values)
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            _halstead(tally, ops, (left, *comparators))


def decision_points(node: ast.AST) -> int:
    """What one node alone adds to the complexity of the code around it."""
    match node:
        case ast.If() | ast.IfExp() | ast.Assert():
            return 1
        case ast.For(orelse=orelse) | ast.AsyncFor(orelse=orelse) | ast.While(orelse=orelse):
            return 1 + bool(orelse)
        case ast.Try(handlers=handlers, orelse=orelse) | ast.TryStar(handlers=handlers, orelse=orelse):
            return len(handlers) + bool(orelse)
        case ast.comprehension(ifs=ifs):
            return 1 + len(ifs)
        case ast.BoolOp(values=values):
            return len(values) - 1
        case ast.Match(cases=cases):
            irrefutable = any(isinstance(c.pattern, ast.MatchAs) and c.pattern.pattern is None for c in cases)
            return len(cases) - irrefutable
        case _:
            return 0


def _halstead(
    tally: _Tally, operators: tuple[ast.AST, ...] | list[ast.cmpop], operands: tuple[ast.expr, ...] | list[ast.expr]
) -> None:
    tally.length += len(operators) + len(operands)
    tally.operators.update(type(operator).__name__ for operator in operators)
    tally.operands.update(_operand(operand) for operand in operands)


def _operand(node: ast.expr) -> object:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name):
            return name
        case ast.Constant(value=value):
            return value
        case _:
            return node


def _docstring(node: ast.AST, lines: list[str]) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Start and end (line, character column) of the node's docstring, as the tokenizer counts them."""
    if not isinstance(node, (ast.Module, ast.ClassDef, *_FUNCTIONS)) or not node.body:
        return None
    first = node.body[0]
    if not (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    ):
        return None
    text = first.value
    end_line = text.end_lineno or text.lineno
    return (
        (text.lineno, _characters(lines[text.lineno - 1], text.col_offset)),
        (end_line, _characters(lines[end_line - 1], text.end_col_offset or 0)),
    )


def _characters(line: str, utf8_offset: int) -> int:
    return utf8_offset if line.isascii() else len(line.encode()[:utf8_offset].decode(errors="replace"))


def _tokens(
    text: str,
    module: _Tally,
    functions: list[_Tally],
    docstrings: dict[tuple[int, int], tuple[int, int]],
) -> tuple[Comment, ...]:
    """Give every token to the unit whose lines it stands on; returns the comments."""
    starts = [tally.line for tally in functions]
    codes: dict[str, int] = {}
    comments: list[Comment] = []
    inside_strings = 0
    skip_until = (0, 0)
    owner, owner_end = module, 0
    for kind, string, start, _, _ in tokenize.generate_tokens(io.StringIO(text, newline="\n").readline):
        if kind in _LAYOUT:
            continue
        if kind == tokenize.COMMENT:
            comments.append(Comment(line=start[0], column=start[1] + 1, text=string))
            continue
        if kind in _CLOSES_STRING:
            inside_strings -= 1
            continue
        if inside_strings and kind not in _OPENS_STRING:
            continue
        if kind in _OPENS_STRING:
            inside_strings += 1
            if inside_strings > 1:
                continue
            code = _STRING_CODE
        elif kind == tokenize.STRING:
            skip_until = docstrings.get(start, skip_until)
            if start < skip_until:
                continue
            code = _STRING_CODE
        elif kind == tokenize.NUMBER:
            code = _NUMBER_CODE
        elif not string.strip():
            continue  # the pure-Python tokenizer reports stray white space as an error token
        else:
            code = codes.get(string) or codes.setdefault(string, zlib.crc32(string.encode("utf-8", "surrogatepass")))
        line = start[0]
        if line > owner_end or owner is module:
            place = bisect_right(starts, line) - 1
            owner = functions[place] if place >= 0 and line <= functions[place].end_line else module
            owner_end = owner.end_line if owner is not module else 0
        owner.codes.append(code)
    return tuple(comments)
