"""pylint in a worker process: the shipped configuration, no plugins, no suppressions, nothing imported or executed.

Runs inside a worker only (`runtime/workers.py`): it changes the interpreter's import system and astroid's state.
"""

from __future__ import annotations

import configparser
import functools
import sys
import sysconfig
import warnings
from collections.abc import Sequence
from pathlib import Path
from tokenize import TokenInfo
from typing import Any

from pylint.checkers import BaseChecker
from pylint.lint import PyLinter
from pylint.reporters import CollectingReporter
from pylint.typing import FileItem

from qualityscore.collectors.guard import seal_imports

CONFIGURATION = Path(__file__).parent.parent / "profiles" / "pylintrc"

# E0001 syntax-error, F0001 fatal, F0002 astroid-error, F0010 parse-error, F0011 config-parse-error
_GIVES_UP = frozenset({"E0001", "F0001", "F0002", "F0010", "F0011"})


class _Linter(PyLinter):
    """A linter that does not obey comments: `# pylint: disable`, `enable` and `skip-file` are left to be counted."""

    def process_tokens(self, tokens: list[TokenInfo]) -> None:
        del tokens

    @functools.cached_property
    def _needed(self) -> list[BaseChecker]:
        return super().prepare_checkers()

    def prepare_checkers(self) -> list[BaseChecker]:
        """The checkers are chosen once: choosing takes as long as linting a small file, and nothing changes."""
        return self._needed


@functools.cache
def _linter() -> PyLinter:
    warnings.simplefilter("ignore")
    seal_imports()
    linter = _Linter(reporter=CollectingReporter())
    linter.load_default_plugins()
    configure(linter, CONFIGURATION.read_text(encoding="utf-8"))
    linter.enable("syntax-error")
    for fatal in ("fatal", "astroid-error", "parse-error"):
        linter.enable(fatal)
    linter.initialize()
    return linter


def configure(linter: PyLinter, configuration: str) -> None:
    """Apply a pylintrc's text without pylint's own search for files, `init-hook` and plugins."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(configuration)
    switches = dict(parser["MESSAGES CONTROL"])
    for name in _words(switches.pop("disable")):
        linter.disable(name)
    for name in _words(switches.pop("enable")):
        linter.enable(name)
    for section in parser.sections():
        if section != "MESSAGES CONTROL":
            for option, value in parser[section].items():
                linter.set_option(option, value)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


@functools.cache
def _search_path(roots: tuple[str, ...]) -> list[str]:
    """Where imports resolve: the standard library first, so that the subject's `typing.py` shadows nothing."""
    own = sysconfig.get_paths()
    standard = [own["stdlib"], own["platstdlib"], str(Path(own["platstdlib"]) / "lib-dynload")]
    return [*dict.fromkeys(standard), *roots]


def prepare() -> None:
    """Load pylint and the shipped configuration. Raises whatever a broken installation raises."""
    _linter()


def lint(root: str, path: str, module: str, roots: Sequence[str]) -> dict[str, Any]:
    """Lint one file.

    `path` is relative to `root`, `module` its dotted name, `roots` the folders in which its imports are looked up
    (import roots of the tree, then the environment's site-packages). Returns `messages`, a list of [id, symbol, line,
    column from 1, text], and `gave_up`, the message with which pylint declined, or None.
    """
    linter = _linter()
    reporter = linter.reporter
    original = sys.path[:]
    sys.path[:] = _search_path(tuple(roots))
    full = str(Path(root) / path)
    try:
        linter.check_single_file_item(FileItem(name=module, filepath=full, modpath=module))
    finally:
        sys.path[:] = original
    found = [[m.msg_id, m.symbol, max(1, m.line), m.column + 1, m.msg.replace(full, path)] for m in reporter.messages]
    gave_up = next((message for message in found if message[0] in _GIVES_UP), None)
    reporter.messages.clear()
    return {"messages": [] if gave_up else found, "gave_up": gave_up}
