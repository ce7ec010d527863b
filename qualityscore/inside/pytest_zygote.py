"""One file of a functional suite, collected once by the environment's pytest; then one item per forked unit.

Runs inside the sandbox, next to the subject. Nothing of the subject's configures the run: plugins are not loaded by
themselves, there is no ini file, conftest files only count beside the suite, and the subject's folders come onto
`sys.path` here and not through the environment, so that no start-up hook of it runs.

Arguments of `prepare`: `suite` (folder of the derived suite), `work` (private writable folder), `files` (relative to
`suite`; one, unless nothing will be run), `following` (the suite's next file, which need not be there, or None),
`subject`, `roots` (import roots), `imports` (names of the surface), `stopped` (modules that are not to be imported,
with the reason), `inside` (this folder), and for a traced run `trace` (the options of `tracer.Tracer`).
"""

import builtins
import contextlib
import functools
import importlib
import inspect
import os
import shutil
import sys
import tempfile
from pathlib import Path

import failure
import machinery
import pytest
import recorder
import stopped_imports
import tracer
import wire
from _pytest.config import _prepareconfig
from _pytest.fixtures import get_scope_node
from _pytest.main import Session
from _pytest.skipping import evaluate_skip_marks

_NO_PLUGINS = ("cacheprovider", "terminalreporter", "faulthandler", "junitxml", "pastebin", "doctest", "stepwise")
_OURS = machinery.ours()
_NEVER_PURGED = frozenset({"pytest", "_pytest"})
_PRELOADED = ("difflib", "pprint", "unittest", "tempfile", "_pytest.assertion.util", "_pytest._io.saferepr")


class CollectionError(Exception):
    """The suite file could not be collected; why was sent."""


class State:
    """A collected file."""

    def __init__(self, session, plugin, watcher, changed, record):
        self.session, self.plugin, self.watcher, self.changed, self.record = session, plugin, watcher, changed, record
        self.items = {item.nodeid: item for item in session.items}
        self.places = {item.nodeid: place for place, item in enumerate(session.items)}


class Elsewhere:
    """Stands for the next item where that is one of another file: it keeps the folders set up that both lie in."""

    def __init__(self, item, path):
        self._kept = [node for node in item.listchain() if path.is_relative_to(node.path)]

    def listchain(self):
        """The collectors that the other item needs, as far as the one before it has them."""
        return self._kept


class Plugin:
    """Listens to pytest: outcomes of the phases, and exceptions as plain data."""

    def __init__(self, subject, suite, args):
        self.subject, self.suite, self.args = subject, suite, args
        self.phases = []
        self.failure = None
        self.collection = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self):
        """Make the subject importable once pytest has loaded what it needs, and before the suite's conftest runs."""
        for name in _PRELOADED:
            importlib.import_module(name)
        # first, so that a test that hands `sys.path` on to a child process hands our start-up module on as well
        sys.path[:0] = [os.environ["PYTHONPATH"], *self.args["roots"]]
        _purge(self.args["roots"], self.args["imports"])
        sys.meta_path.insert(0, stopped_imports.StoppedImports(self.args["stopped"]))

    def pytest_runtest_logreport(self, report):
        """Keep what each phase (and each subtest) came to."""
        xfail = hasattr(report, "wasxfail")
        self.phases.append([report.when, report.outcome, xfail])
        if report.failed and self.failure is None:
            self.failure = {"type": "", "bases": [], "text": str(report.longrepr)[:2000], "frames": []}

    def pytest_exception_interact(self, node, call, report):
        """Describe the exception of a failed phase or collection, the cause where pytest wrapped it."""
        error = call.excinfo.value
        if isinstance(node, pytest.Collector):
            self.collection = self.collection or failure.describe(error.__cause__ or error, self.subject, self.suite)
        elif self.failure is None or not self.failure["type"]:
            self.failure = {**failure.describe(error, self.subject, self.suite), "phase": report.when}

    def pytest_collectreport(self, report):
        """A module that skips itself gives no items and no exception."""
        if report.skipped and self.collection is None:
            self.collection = {"type": "Skipped", "bases": [], "text": str(report.longrepr)[:2000], "frames": []}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item, nextitem):
        """Before a class, module or session ends with this item, set up what its earlier items have from it.

        Whatever its teardown raises belongs to its last item; the earlier ones ran in processes of their own. What is
        already set up stays as it is, and what cannot be set up has failed in the item that needs it.
        """
        needed = nextitem.listchain() if nextitem is not None else []
        ending = [node for node in item.session._setupstate.stack if node is not item and node not in needed]
        if not ending:
            return
        items = item.session.items
        for earlier in reversed(items[: items.index(item)]):
            known = getattr(earlier, "_fixtureinfo", None)  # of functions only
            for name, definitions in known.name2fixturedefs.items() if known else ():
                node = get_scope_node(earlier, definitions[-1]._scope)
                if node in ending and definitions[-1].cached_result is None and not evaluate_skip_marks(earlier):
                    with contextlib.suppress(BaseException):
                        earlier._request.getfixturevalue(name)

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        """Run coroutine functions to their end, as no plugin does it here."""
        if not inspect.iscoroutinefunction(pyfuncitem.obj):
            return None
        names = pyfuncitem._fixtureinfo.argnames
        importlib.import_module("asyncio").run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
        return True


def prepare(args, send):
    """Collect the file. Sends {"items": [...]}, or {"collection": failure} before raising CollectionError."""
    subject, folder = args["subject"], os.path.join(args["work"], "suite")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(args["suite"], folder)
    os.chdir(folder)
    _load_asyncio(folder)
    os.environ["PYTHONPATH"] = os.path.join(args["inside"], "children")
    os.environ["QS_ROOTS"] = os.pathsep.join(args["roots"])
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    plugin = Plugin(subject, folder, args)
    options = [
        *(f"-pno:{name}" for name in _NO_PLUGINS),
        *("-c", os.devnull, f"--rootdir={folder}", f"--confcutdir={folder}", "--capture=no", "--tb=no", "-q"),
        *(os.path.join(folder, file) for file in args["files"]),
    ]
    builtins.__qs__ = record = recorder.Recorder()
    parts = machinery.Parts(machinery.bind(folder, record), _OURS)
    watcher = tracer.Tracer(args["trace"]) if args.get("trace") else None
    if watcher is not None:
        watcher.watch()
    session = None
    try:
        config = _prepareconfig(options, [plugin])
        config._do_configure()
        session = Session.from_config(config)
        config.hook.pytest_sessionstart(session=session)
        config.hook.pytest_collection(session=session)
    except BaseException as error:  # also what a conftest raises, and SystemExit from a suite file
        cause = getattr(error, "cause", None)
        cause = cause if isinstance(cause, BaseException) else error
        plugin.collection = plugin.collection or failure.describe(cause, subject, folder)
    os.environ.pop("PYTEST_DISABLE_PLUGIN_AUTOLOAD", None)
    foreign = _foreign(args["imports"], subject)
    if foreign and plugin.collection is None:
        text = f"{foreign} was not imported from the repository"
        plugin.collection = {"type": "Foreign", "bases": [], "text": text, "frames": [], "module": foreign}
    if plugin.collection is not None:
        send(wire.dumps({"collection": plugin.collection}).encode())
        raise CollectionError
    seen = watcher.seen() if watcher is not None else {}
    found = {kind: seen.get(kind, []) for kind in ("files", "texts", "unread")}
    items = [item.nodeid for item in session.items]
    send(wire.dumps({"items": items, **found}).encode())
    return State(session, plugin, watcher, functools.partial(parts.changed, subject), record)


def _load_asyncio(folder):
    """Load asyncio before the subject can, for a suite that has coroutines; a sixth of pytest's own start."""
    for path in Path(folder).rglob("*.py"):
        if b"async" in path.read_bytes():
            importlib.import_module("asyncio")
            return


def _purge(roots, imports):
    """Forget modules that pytest brought along and that the subject provides itself."""
    provided = set(imports)
    for root in roots:
        for entry in os.scandir(root):
            name = entry.name.partition(".")[0]
            if name not in sys.stdlib_module_names and (entry.is_dir() or entry.name.endswith((".py", ".so"))):
                provided.add(name)
    for name in list(sys.modules):
        top = name.partition(".")[0]
        if top in provided and top not in _NEVER_PURGED:
            del sys.modules[name]
    importlib.invalidate_caches()


def _foreign(imports, subject):
    """The first module of the surface that came from elsewhere than the subject's folder."""
    for name in imports:
        module = sys.modules.get(name)
        if module is None:
            continue
        places = [getattr(module, "__file__", None), *list(getattr(module, "__path__", []) or [])]
        if not any(type(place) is str and place.startswith(subject + "/") for place in places):
            return name
    return None


def _next(state, item):
    """What comes after an item in the whole suite: its class and its module end with their last items only."""
    place = state.places[item.nodeid] + 1
    if place < len(state.session.items):
        return state.session.items[place]
    following = state.plugin.args["following"]
    return Elsewhere(item, Path(state.plugin.suite, following)) if following else None


def run(state, args, send):
    """Run the item named in `args` and send one message: its phases, failure and records."""
    own = os.getpid()
    item = state.items.get(args["item"])
    if item is None:
        send(wire.dumps({"absent": True}).encode())
        return
    plugin, record = state.plugin, state.record
    tempfile.tempdir = None
    factory = getattr(item.config, "_tmp_path_factory", None)
    if factory is not None:
        factory._basetemp, factory._given_basetemp = None, Path(tempfile.gettempdir(), "pytest")
    watcher = state.watcher
    if watcher is not None:
        watcher.log = f"{watcher.log}.{own}"
        watcher.start()
    try:
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=_next(state, item))
    finally:
        if watcher is not None:
            watcher.stop()
    if os.getpid() != own:
        return
    message = {"phases": plugin.phases, "failure": plugin.failure, "changed": state.changed()}
    if watcher is not None:
        message["trace"] = watcher.seen()
    text = wire.dumps(message)
    send(f'{text[:-1]}, "records": [{", ".join(record.records)}]}}'.encode())
