"""bandit in a worker process: every check but B101, no `.bandit` or profile, `# nosec` not honoured.

Runs inside a worker only. bandit's own manager is not used: it discovers files, obeys comments, and drops what it
cannot scan; here its visitor runs on a tree that is already parsed, and an error in a check is the file's failure.
"""

from __future__ import annotations

import ast
import functools
import io
import logging
from collections.abc import Sequence
from typing import Any

from bandit.core.config import BanditConfig
from bandit.core.meta_ast import BanditMetaAst
from bandit.core.metrics import Metrics
from bandit.core.node_visitor import BanditNodeVisitor
from bandit.core.test_set import BanditTestSet
from bandit.core.tester import BanditTester
from bandit.core.utils import linerange

_EXCLUDED = ("B101",)
# Checks derive a module's name from the file's: the same for every file, so that a result depends on content alone.
_FILE_NAME = "module.py"
_PLACES = ("lineno", "col_offset", "end_col_offset")


class CheckFailedError(Exception):
    """A check of bandit's raised."""


@functools.cache
def _tests() -> BanditTestSet:
    logging.disable(logging.CRITICAL)
    return BanditTestSet(BanditConfig(), profile={"exclude": list(_EXCLUDED)})


def prepare() -> None:
    """Load bandit's checks. Raises whatever a broken installation raises."""
    _tests()


def scan(raw: bytes, tree: ast.Module) -> list[list[Any]]:
    """Issues in one parsed file: [id, check, severity, confidence, line, column from 1, last line, text].

    Annotates the tree's nodes. Raises RecursionError on code nested too deeply, CheckFailedError where a check fails.
    """
    visitor = _Visitor(raw)
    visitor.generic_visit(tree)
    visitor.visit_file()
    if visitor.tester.failures:
        raise CheckFailedError(visitor.tester.failures[0])
    return [
        [
            issue.test_id,
            issue.test,
            issue.severity,
            issue.confidence,
            max(1, issue.lineno),
            max(0, issue.col_offset) + 1,
            max(1, issue.lineno, issue.linerange[-1] if issue.linerange else 1),
            issue.text,
        ]
        for issue in visitor.tester.results
    ]


class _Tester(BanditTester):  # type: ignore[misc]  # bandit has no types
    """Remembers failing checks, which bandit only logs, and looks for no `# nosec`."""

    def __init__(self, metrics: Metrics) -> None:
        super().__init__(_tests(), False, {}, metrics)
        self.failures: list[str] = []

    def report_error(self, test: str, context: object, error: Exception) -> None:
        del context
        self.failures.append(f"{test}: {type(error).__name__}")

    def _get_nosecs_from_contexts(self, context: object, test_result: object = None) -> None:
        """bandit goes through all lines of a statement for each node in it: quadratic for a large literal."""
        del context, test_result


class _Visitor(BanditNodeVisitor):  # type: ignore[misc]
    """The visitor with spans of lines as ranges rather than lists, which are quadratic in the same way."""

    def __init__(self, raw: bytes) -> None:
        metrics = Metrics()
        metrics.begin(_FILE_NAME)
        super().__init__(_FILE_NAME, io.BytesIO(raw), BanditMetaAst(), _tests(), False, {}, metrics)
        self.tester = _Tester(metrics)

    def pre_visit(self, node: ast.AST) -> bool:
        self.context = {
            "imports": self.imports,
            "import_aliases": self.import_aliases,
            "node": node,
            "linerange": _lines(node),
            "filename": self.fname,
            "file_data": self.fdata,
        }
        for place in _PLACES:
            if hasattr(node, place):
                self.context[place] = getattr(node, place)
        self.depth += 1
        return True

    def visit_Str(self, node: ast.Constant) -> None:
        self._visit_literal("str", node)

    def visit_Bytes(self, node: ast.Constant) -> None:
        self._visit_literal("bytes", node)

    def _visit_literal(self, name: str, node: Any) -> None:
        self.context[name] = node.value
        if not isinstance(node._bandit_parent, ast.Expr):
            self.context["linerange"] = _lines(node._bandit_parent)
            self.update_scores(self.tester.run_tests(self.context, name.capitalize()))

    def visit_file(self) -> None:
        """Run the checks that look at the whole file."""
        self.context = {
            "file_data": self.fdata,
            "filename": self.fname,
            "lineno": 0,
            "linerange": [0, 1],
            "col_offset": 0,
        }
        self.update_scores(self.tester.run_tests(self.context, "File"))


def _lines(node: Any) -> Sequence[int]:
    if hasattr(node, "lineno"):
        return range(node.lineno, node.end_lineno + 1)
    lines: list[int] = linerange(node)
    return lines
