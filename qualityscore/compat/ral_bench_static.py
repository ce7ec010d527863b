"""The two static measures of RAL-Bench, from their definitions.

- `high_risk_count`: calls of `eval`, `exec`, `os.system`, of a function of `subprocess` with a literal `shell=True`,
  of `load` and `loads` of pickle, dill or cloudpickle, and of `pickle.Unpickler`, through import aliases, in `.py`
  files outside tests, build, dist and virtual environments.
- `mi_min`: the lowest index of a file, (171 − 5.2 ln V − 0.23 CC − 16.2 ln LOC) · 100/171 held within 0 and 100, over
  `.py` files outside caches, builds and virtual environments. LOC are the non-blank, non-comment lines and V is the
  token-based Halstead volume, both at least 1; CC is the mean over functions and lambdas, each without those inside it,
  or the module's own where there is none. An unparsable file has index 0, a file without code none, no file gives 0.
"""

from __future__ import annotations

import ast
import io
import keyword
import math
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from qualityscore.languages.python_production import scan_tree
from qualityscore.languages.python_source import SourceFile, Unparsable, count_code_lines, parse, read_source
from qualityscore.languages.python_units import decision_points, halstead_volume

TEST_FOLDERS = frozenset({"test", "tests"})
BUILD_FOLDERS = frozenset({"build", "dist"})
ENVIRONMENT_FOLDERS = frozenset({"venv", ".venv", "env", ".env", "virtualenv", "site-packages", ".tox", ".nox"})
CACHE_FOLDERS = frozenset({"__pycache__", ".git", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".eggs"})

_PICKLERS = ("pickle", "dill", "cloudpickle")
_HIGH_RISK = frozenset(
    {"eval", "exec", "builtins.eval", "builtins.exec", "os.system", "pickle.Unpickler"}
    | {f"{module}.{name}" for module in _PICKLERS for name in ("load", "loads")}
)
_LAYOUT = frozenset(
    {
        tokenize.ENCODING,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
        tokenize.COMMENT,
    }
)
# Names that exist from Python 3.12 and 3.14 on.
_OPENS_STRING = frozenset(getattr(tokenize, n) for n in ("FSTRING_START", "TSTRING_START") if hasattr(tokenize, n))
_CLOSES_STRING = frozenset(getattr(tokenize, n) for n in ("FSTRING_END", "TSTRING_END") if hasattr(tokenize, n))
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True, slots=True, kw_only=True)
class HighRiskCall:
    """One counted call; `line` starts at 1."""

    path: str
    line: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileIndex:
    """One file's index; `reason` says why it is 0 where the file cannot be read."""

    path: str
    index: float
    reason: str | None = None


def high_risk_calls(root: Path) -> tuple[HighRiskCall, ...]:
    """The counted calls, by path and line. A file that cannot be parsed has none."""
    left_out = TEST_FOLDERS | BUILD_FOLDERS | ENVIRONMENT_FOLDERS | CACHE_FOLDERS
    calls: list[HighRiskCall] = []
    for path in _files(root, left_out):
        source = read_source(root, path)
        tree = parse(source) if isinstance(source, SourceFile) else None
        if isinstance(tree, ast.Module):
            calls += [HighRiskCall(path=path, line=line, name=name) for line, name in _calls(tree)]
    return tuple(sorted(calls, key=lambda call: (call.path, call.line)))


def file_indices(root: Path) -> tuple[FileIndex, ...]:
    """The index of every file with code, by path."""
    indices: list[FileIndex] = []
    for path in _files(root, BUILD_FOLDERS | ENVIRONMENT_FOLDERS | CACHE_FOLDERS):
        source = read_source(root, path)
        if isinstance(source, SourceFile) and count_code_lines(source.text.encode()) == 0:
            continue
        tree = parse(source) if isinstance(source, SourceFile) else source
        tokens = _tokens(source.text) if isinstance(source, SourceFile) else None
        if isinstance(tree, Unparsable) or isinstance(source, Unparsable) or tokens is None:
            reason = tree.reason if isinstance(tree, Unparsable) else "cannot be split into tokens"
            indices.append(FileIndex(path=path, index=0.0, reason=reason))
        else:
            lines = count_code_lines(source.text.encode())
            indices.append(FileIndex(path=path, index=index(_volume(tokens), mean_complexity(tree), lines)))
    return tuple(indices)


def mi_min(indices: Sequence[FileIndex]) -> float:
    """The lowest index, 0 without a file."""
    return min((file.index for file in indices), default=0.0)


def index(volume: float, complexity: float, lines: int) -> float:
    """(171 − 5.2 ln V − 0.23 CC − 16.2 ln LOC) · 100/171 within 0 and 100, V and LOC at least 1."""
    raw = 171 - 5.2 * math.log(max(1.0, volume)) - 0.23 * complexity - 16.2 * math.log(max(1, lines))
    return min(100.0, max(0.0, raw * 100 / 171))


def mean_complexity(tree: ast.Module) -> float:
    """The mean of 1 + decision points over functions and lambdas, the module's own where there is none."""
    functions = [node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)]
    scopes: Sequence[ast.AST] = functions or [tree]
    return sum(1 + sum(decision_points(node) for node in _own(scope)) for scope in scopes) / len(scopes)


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of the functions and lambdas inside it."""
    stack = list(ast.iter_child_nodes(scope))
    while stack:
        node = stack.pop()
        if isinstance(node, _FUNCTIONS):
            continue
        yield node
        stack.extend(ast.iter_child_nodes(node))


def _files(root: Path, left_out: frozenset[str]) -> list[str]:
    files = scan_tree(root).files
    environments = {path.rpartition("/")[0] for path in files if path.rpartition("/")[2] == "pyvenv.cfg"}

    def inside(path: str) -> bool:
        folders = path.split("/")[:-1]
        return any(
            folder.lower() in left_out or folder.endswith(".egg-info") or "/".join(folders[: depth + 1]) in environments
            for depth, folder in enumerate(folders)
        )

    return [path for path in files if path.endswith(".py") and not inside(path)]


def _calls(tree: ast.Module) -> Iterator[tuple[int, str]]:
    aliases = _aliases(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = _full_name(node.func, aliases)
        if name is None:
            continue
        shell = any(
            k.arg == "shell" and isinstance(k.value, ast.Constant) and k.value.value is True for k in node.keywords
        )
        if name in _HIGH_RISK or (name.startswith("subprocess.") and shell):
            yield node.lineno, name


def _aliases(tree: ast.Module) -> dict[str, str]:
    """What each imported name stands for, wherever in the file it is imported."""
    aliases: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                top = name.name.partition(".")[0]
                aliases[name.asname or top] = name.name if name.asname else top
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for name in node.names:
                aliases[name.asname or name.name] = f"{node.module}.{name.name}"
    return aliases


def _full_name(func: ast.expr, aliases: dict[str, str]) -> str | None:
    parts: list[str] = []
    while isinstance(func, ast.Attribute):
        parts.append(func.attr)
        func = func.value
    if not isinstance(func, ast.Name):
        return None
    return ".".join([aliases.get(func.id, func.id), *reversed(parts)])


def _tokens(text: str) -> list[tuple[bool, str]] | None:
    """(operand?, text) of every token; keywords and punctuation are operators. None where the tokenizer gives up.

    An f-string is one operand, as it is one token before Python 3.12.
    """
    tokens: list[tuple[bool, str]] = []
    open_strings, opened = 0, (0, 0)
    try:
        for kind, string, start, end, _ in tokenize.generate_tokens(io.StringIO(text, newline="\n").readline):
            if kind in _OPENS_STRING:
                opened = opened if open_strings else start
                open_strings += 1
            elif kind in _CLOSES_STRING:
                open_strings -= 1
                if not open_strings:
                    tokens.append((True, _between(text, opened, end)))
            elif not open_strings and kind not in _LAYOUT and string.strip():
                tokens.append((kind in (tokenize.NUMBER, tokenize.STRING) or _is_name(kind, string), string))
    except (tokenize.TokenError, SyntaxError):
        return None
    return tokens


def _between(text: str, start: tuple[int, int], end: tuple[int, int]) -> str:
    lines = text.split("\n")[start[0] - 1 : end[0]]
    lines[-1] = lines[-1][: end[1]]
    lines[0] = lines[0][start[1] :]
    return "\n".join(lines)


def _is_name(kind: int, string: str) -> bool:
    return kind == tokenize.NAME and not keyword.iskeyword(string)


def _volume(tokens: list[tuple[bool, str]]) -> float:
    return halstead_volume(length=len(tokens), vocabulary=len(set(tokens)))
