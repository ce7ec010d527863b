"""A repository's own tests, collected once as its own configuration says; then one file's tests per forked unit.

Runs inside the sandbox, on a private writable copy of the repository. Unlike a task's suite this one is the subject's
own: its conftest files, plugins of its environment and its configuration are honoured, and it shares a process with
the code that it tests, so what it says about itself is taken at its word.

Arguments of `prepare`: `subject` (the repository, read-only), `work` (private writable folder), `roots` (import roots,
relative), `metadata` (a folder with the distribution's metadata, or None), `config` (pytest's configuration file,
relative, or None), `words` (options from it), `options` (further ones), `paths` (test places, relative).
Arguments of `run`: `file`, `start` (how many of its tests to leave out), `test_timeout_s`.
"""

import faulthandler
import json
import os
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

import failure
import pytest
from _pytest.config import _prepareconfig
from _pytest.main import Session

_BLOCKED = ("cacheprovider", "terminalreporter", "faulthandler", "junitxml", "pastebin", "xdist", "pytest_cov")
_BLOCKED += ("randomly", "random_order", "sugar", "pretty")
_UNKNOWN = re.compile(r"unrecognized arguments: (.*)")
_TEXT = 1000


class CollectionError(Exception):
    """Nothing could be collected; why was sent."""


class Plugin:
    """Listens to pytest: files that cannot be collected, outcomes of phases, exceptions as plain data."""

    def __init__(self, root):
        self.root = root
        self.errors = {}
        self.skipped = {}
        self.begin()

    def begin(self):
        """Forget the last test."""
        self.phases, self.failure = [], None

    def pytest_collectreport(self, report):
        """A file that does not collect, or skips itself."""
        file = report.nodeid.partition("::")[0]
        if report.failed:
            self.errors.setdefault(file, _plain(report))
        elif report.skipped:
            self.skipped.setdefault(file, _reason(report))

    def pytest_exception_interact(self, node, call, report):
        """Describe the exception itself, the cause where pytest wrapped it."""
        error = call.excinfo.value
        if isinstance(node, pytest.Collector):
            file = node.nodeid.partition("::")[0]
            self.errors[file] = failure.describe(error.__cause__ or error, self.root, "")
        elif self.failure is None or not self.failure["type"]:
            self.failure = {**failure.describe(error, self.root, ""), "phase": report.when}

    def pytest_runtest_logreport(self, report):
        """Keep what each phase (and each subtest) came to."""
        self.phases.append([report.when, report.outcome, hasattr(report, "wasxfail")])
        if report.failed and self.failure is None:
            self.failure = _plain(report)
        elif report.skipped and self.failure is None:
            self.failure = {"type": "Skipped", "bases": [], "text": _reason(report), "frames": []}


def _plain(report):
    return {"type": "", "bases": [], "text": str(report.longrepr)[-_TEXT:], "frames": []}


def _reason(report):
    if getattr(report, "wasxfail", None) is not None:
        return f"expected to fail: {report.wasxfail}"[:_TEXT]
    longrepr = report.longrepr
    return str(longrepr[2] if isinstance(longrepr, tuple) and len(longrepr) == 3 else longrepr)[:_TEXT]


class State:
    """A collected suite, by file."""

    def __init__(self, session, plugin):
        self.session, self.plugin = session, plugin
        self.files = {}
        for item in session.items:
            self.files.setdefault(item.nodeid.partition("::")[0], []).append(item)


def prepare(args, send):
    """Collect everything. Sends {"files": {file: [ids]}, "errors", "skipped", "notes"}."""
    root = os.path.join(args["work"], "repository")
    if not os.path.isdir(root):
        shutil.copytree(args["subject"], root, symlinks=True)
    os.chdir(root)
    roots = [root if name == "." else os.path.join(root, name) for name in args["roots"]]
    paths = [*roots, *([args["metadata"]] if args["metadata"] else [])]
    sys.path[:0] = paths
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    os.environ["COLUMNS"] = "80"
    plugin = Plugin(root)
    notes = []
    session, problem = None, None
    words = list(args["words"])
    for _ in range(6):
        session, problem = _collect(root, args, words, plugin)
        unknown = _UNKNOWN.search(problem or "")
        refused = set(unknown.group(1).split()) & set(words) if unknown else set()
        if not refused:
            break
        notes.append(f"pytest does not know its configured options {' '.join(sorted(refused))}; they were left out")
        words = [word for word in words if word not in refused]
        plugin.__init__(root)
    if session is None:
        send(json.dumps({"problem": problem, "errors": plugin.errors, "notes": notes}).encode())
        raise CollectionError
    state = State(session, plugin)
    files = {file: [item.nodeid for item in items] for file, items in state.files.items()}
    message = {"files": files, "errors": plugin.errors, "skipped": plugin.skipped, "notes": notes}
    send(json.dumps({**message, "pytest": pytest.__version__}).encode())
    return state


def _collect(root, args, words, plugin):
    """(session, None), or (None, why not)."""
    config = os.path.join(root, args["config"]) if args["config"] else os.devnull
    options = [
        *(f"-pno:{name}" for name in _BLOCKED),
        *("-c", config, f"--rootdir={root}", "-o", "addopts=", "--capture=no", "--tb=native", "-q"),
        *("--continue-on-collection-errors", *args["options"], *words),
        *(os.path.join(root, path) for path in args["paths"]),
    ]
    try:
        configured = _prepareconfig(options, [plugin])
        configured._do_configure()
        session = Session.from_config(configured)
        configured.hook.pytest_sessionstart(session=session)
        configured.hook.pytest_collection(session=session)
    except BaseException as error:  # also SystemExit from a conftest, and pytest's own errors of usage
        cause = getattr(error, "cause", None)
        cause = cause if isinstance(cause, BaseException) else error
        return None, f"{type(cause).__name__}: {cause}"[: 2 * _TEXT]
    return session, None


def run(state, args, send):
    """Run the tests of a file in order; one message before and one after each, one at the end."""
    own = os.getpid()
    items = state.files.get(args["file"], [])[args["start"] :]
    plugin = state.plugin
    tempfile.tempdir = None
    for number, item in enumerate(items):
        factory = getattr(item.config, "_tmp_path_factory", None)
        if number == 0 and factory is not None:
            factory._basetemp, factory._given_basetemp = None, Path(tempfile.gettempdir(), "pytest")
        plugin.begin()
        send(json.dumps({"begin": item.nodeid}).encode())
        following = items[number + 1] if number + 1 < len(items) else None
        faulthandler.dump_traceback_later(args["test_timeout_s"], exit=True, file=2)
        began = time.monotonic()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        took = time.monotonic() - began
        faulthandler.cancel_dump_traceback_later()
        if os.getpid() != own:
            return
        done = {"end": item.nodeid, "phases": plugin.phases, "failure": plugin.failure, "duration_s": took}
        send(json.dumps(done).encode())
    send(b'{"done": true}')
