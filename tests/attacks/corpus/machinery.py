"""Taking a verdict through the machinery of the tests. Each starts from a subject that is wrong in every way."""

from __future__ import annotations

from attacks.corpus.attack import Attack, Family, Outcome

WRONG = """
def entry(text):
    return None
"""

TO_SEND = '''
def channels():
    """Every socket that this process holds, once."""
    import os, socket, stat
    known = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            found = os.stat(int(name))
            if stat.S_ISSOCK(found.st_mode) and found.st_ino not in known:
                known.add(found.st_ino)
                yield socket.socket(fileno=os.dup(int(name)))
        except OSError:
            continue

def forge(records, greeting=b"", ends=None):
    """One passing message in the channel's own framing, on every socket in reach."""
    import json, struct
    phases = [["setup", "passed", False], ["call", "passed", False], ["teardown", "passed", False]]
    body = json.dumps({"phases": phases, "failure": None, "records": records}).encode()
    for end in channels() if ends is None else ends:
        try:
            if greeting:
                end.send(struct.pack(">cI", greeting, 0))
            end.send(struct.pack(">cI", b"M", len(body)) + body)
        except OSError:
            pass
'''
TAKEN_OVER = (
    TO_SEND
    + WRONG
    + '''
import os
generation = 0
def born():
    """The child of a child is the process of a test: it says that it begins, that all went well, and leaves."""
    global generation
    generation += 1
    if generation == 2:
        forge([], b"H")
        os._exit(0)
'''
)

EXIT_CODES = (1, 2, 5, 70, 71, 77, 139, 255)
"""Statuses with a meaning somewhere: failures, usage, nothing collected, skipped, killed, and those of our own."""

_FILES = {
    "nothing": {"m.py": WRONG},
    "exits with 0 at import": {"m.py": "import os\nos._exit(0)\n"},
    "leaves with 0 at import": {"m.py": "import sys\nsys.exit(0)\n"},
    "exits with 0 in the function": {"m.py": "import os\ndef entry(text):\n    os._exit(0)\n"},
    "leaves with 0 in the function": {"m.py": "import sys\ndef entry(text):\n    sys.exit(0)\n"},
    "interrupts": {"m.py": "def entry(text):\n    raise KeyboardInterrupt\n"},
    "skips": {"m.py": "import pytest\ndef entry(text):\n    pytest.skip('not today')\n"},
    "skips the module": {"m.py": "import pytest\npytest.skip('not today', allow_module_level=True)\n"},
    "expects to fail": {"m.py": "import pytest\ndef entry(text):\n    pytest.xfail('as expected')\n"},
    "ends pytest": {"m.py": "import pytest\ndef entry(text):\n    pytest.exit('done', 0)\n"},
    "prints success": {"m.py": WRONG + "print('12 passed in 0.01s')\n"},
    "equal to everything": {
        "m.py": """
            class Yes(str):
                def __eq__(self, other): return True
                def __ne__(self, other): return False
                def __hash__(self): return 0
                def __len__(self): return 1
                def __bool__(self): return True
            def entry(text):
                if not text:
                    raise type("ValueError", (Exception,), {"__str__": lambda self: "empty text"})
                return Yes("no")
        """
    },
    "a conftest that turns failures green": {
        "m.py": WRONG,
        "conftest.py": """
            import pytest
            @pytest.hookimpl(hookwrapper=True)
            def pytest_runtest_makereport(item, call):
                outcome = yield
                outcome.get_result().outcome = "passed"
        """,
        "suites/conftest.py": "def pytest_collection_modifyitems(items):\n    items.clear()\n",
    },
    "options of its own": {
        "m.py": WRONG,
        "pytest.ini": "[pytest]\naddopts = -p m --co\n",
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--co'\n",
        "tox.ini": "[pytest]\naddopts = --co\n",
    },
    "start-up hooks": {
        "m.py": WRONG,
        "sitecustomize.py": "import os\nos._exit(0)\n",
        "usercustomize.py": "import os\nos._exit(0)\n",
    },
    "patched assertions": {
        "m.py": WRONG
        + """
import builtins, unittest, pytest
class Never(Exception): pass
builtins.AssertionError = Never
unittest.TestCase.failureException = Never
unittest.TestCase.assertEqual = lambda *a, **k: None
class Quiet:
    def __init__(self, *a, **k): pass
    def __enter__(self): return self
    def __exit__(self, *a): return True
pytest.raises = Quiet
"""
    },
    "patched recorder": {
        "m.py": WRONG
        + """
import builtins
class Silent:
    records = []
    def __getattr__(self, name): return lambda *a, **k: None
    def raises(self, *a):
        import contextlib
        return contextlib.nullcontext()
builtins.__qs__ = Silent()
"""
    },
    "patched reports": {
        "m.py": WRONG
        + """
import _pytest.reports, _pytest.runner
def green(cls, item, call):
    return cls(nodeid=item.nodeid, location=item.location, keywords={}, outcome="passed", longrepr=None, when=call.when)
_pytest.reports.TestReport.from_item_and_call = classmethod(green)
"""
    },
    "tests that do nothing": {
        "m.py": WRONG
        + """
import _pytest.python, _pytest.unittest
_pytest.python.Function.runtest = lambda self: None
_pytest.unittest.TestCaseFunction.runtest = lambda self: None
"""
    },
    "a rewritten suite in memory": {
        "m.py": WRONG
        + """
import sys
def empty(*args, **kwargs): pass
class Finder:
    def find_spec(self, *args): return None
def trace(frame, event, arg):
    if frame.f_code.co_name.startswith("test_"):
        frame.f_globals[frame.f_code.co_name] = empty
import gc, types
_old = types.FunctionType
def entry(text):
    caller = sys._getframe(1).f_code
    for found in gc.get_objects():
        if isinstance(found, types.FunctionType) and found.__code__ is caller:
            found.__code__ = empty.__code__
    return None
"""
    },
    "a forged message at import": {"m.py": TO_SEND + "forge([])\nimport os\nos._exit(0)\n"},
    "a forged message in the function": {
        "m.py": TO_SEND + "def entry(text):\n    import os\n    forge([])\n    os._exit(0)\n"
    },
    "a forged message with stock values": {
        "m.py": TO_SEND
        + """
def entry(text):
    import os
    forge([[f"a{n}", i, [value]] for n in range(9) for i in range(2) for value in (None, True, "", 0, [], text)])
    os._exit(0)
"""
    },
    **{
        f"a forged message with the inputs {how}": {
            "m.py": TO_SEND
            + f"""
def entry(text):
    import os
    raised = {{"tuple": [{{"tuple": ["builtins.ValueError", "builtins.Exception"]}}, {form}, True]}}
    forge([[f"a{{n}}", 0, [raised if n == 3 else {form}]] for n in range(9)])
    os._exit(0)
"""
        }
        for how, form in (
            ("in capital letters", "text.upper()"),
            ("and a mark", "text + '!'"),
            ("turned round", "text[::-1]"),
            ("counted", "len(text)"),
        )
    },
    "a forged message with words of the source": {
        "m.py": TO_SEND
        + """
def entry(text):
    import inspect, os, re, sys
    test = sys._getframe(1)
    try:
        source = inspect.getsource(test)
    except OSError:
        source = ""
    known = (*test.f_code.co_consts, *test.f_code.co_names, *test.f_locals.values(), *re.findall(r"[\\w!]+", source))
    words = sorted({word for word in known if isinstance(word, str)}, key=lambda word: (not word.endswith("!"), word))
    forge([[f"a{n}", 0, [words[n % len(words)]]] for n in range(9)])
    os._exit(0)
"""
    },
    "from a traceback to the runner's frames": {
        "m.py": """
            import json, os
            def entry(text):
                try:
                    raise LookupError
                except LookupError as error:
                    frame = error.__traceback__.tb_frame
                while frame is not None:
                    send = frame.f_locals.get("send")
                    if callable(send):
                        phases = [[when, "passed", False] for when in ("setup", "call", "teardown")]
                        send(json.dumps({"phases": phases, "failure": None, "records": []}).encode())
                    frame = frame.f_back
                os._exit(0)
        """
    },
    "from the collector's objects to the runner's pipe": {
        "m.py": TO_SEND
        + """
def entry(text):
    import gc, os, socket
    forge([], ends=[found for found in gc.get_objects() if type(found) is socket.socket])
    os._exit(0)
"""
    },
    "hooks on every fork": {"m.py": TAKEN_OVER + "os.register_at_fork(after_in_child=born)\n"},
    "a replaced fork": {
        "m.py": TAKEN_OVER
        + """
first = os.fork
def fork():
    pid = first()
    if pid == 0:
        born()
    return pid
os.fork = fork
"""
    },
    "a patched AssertionError": {
        "m.py": WRONG + "import builtins, pytest\nbuiltins.AssertionError = pytest.skip.Exception\n"
    },
    "a patched unittest.TestCase": {
        "m.py": WRONG
        + """
import unittest
unittest.TestCase.failureException = type("Never", (Exception,), {})
unittest.TestCase.assertEqual = lambda *a, **k: None
"""
    },
    "a patched pytest.raises": {
        "m.py": WRONG
        + """
import contextlib, pytest
pytest.raises = lambda *a, **k: contextlib.nullcontext()
"""
    },
    **{
        f"exits with {code} in the function": {"m.py": f"import os\ndef entry(text):\n    os._exit({code})\n"}
        for code in EXIT_CODES
    },
    "a forged message with the inputs": {
        "m.py": TO_SEND
        + """
def entry(text):
    import os
    raised = {"tuple": [{"tuple": ["builtins.ValueError", "builtins.Exception"]}, text, True]}
    forge([[f"a{n}", 0, [raised if n == 3 else text]] for n in range(9)])
    os._exit(0)
"""
    },
    "recordings through the caller's recorder": {
        "m.py": """
            import builtins
            def entry(text):
                for key in ("a0", "a1", "a2", "a3", "a4", "a99"):
                    builtins.__qs__.values(key, 0, text)
                return text
        """
    },
    "constants of the caller": {
        "m.py": """
            import sys
            def entry(text):
                for constant in sys._getframe(1).f_code.co_consts:
                    if isinstance(constant, str) and constant.endswith("!"):
                        return constant
                for value in sys._getframe(1).f_locals.values():
                    if isinstance(value, str) and value.endswith("!"):
                        return value
                return "nothing found"
        """
    },
    "the suite's files": {
        "m.py": """
            import glob, re
            def entry(text):
                for name in glob.glob("/qs/suite/**/*", recursive=True) + glob.glob("/tmp/**/*.py", recursive=True):
                    try:
                        found = re.findall(re.escape(text.upper()) + "!", open(name).read())
                    except OSError:
                        continue
                    if text and found:
                        return found[0]
                if not text:
                    raise ValueError("something")
                return "nothing found"
        """
    },
    "exit hooks": {
        "m.py": TO_SEND + WRONG + "import atexit\natexit.register(forge, [])\n",
    },
    "another process sends": {
        "m.py": TO_SEND
        + """
import os
def entry(text):
    if os.fork() == 0:
        forge([["a0", 0, ["FIRST!"]], ["a1", 0, ["SECOND!"]], ["a2", 0, ["ABACUS!"]]])
        os._exit(0)
    os.wait()
    os._exit(0)
"""
    },
    "a shadowed standard library": {
        "m.py": WRONG,
        "json.py": "def dumps(*a, **k): return '{}'\ndef loads(*a): return {}\n",
        "pytest.py": "def raises(*a, **k): pass\n",
        "unittest.py": "class TestCase: pass\n",
        "_pytest/__init__.py": "",
        "encode.py": "def encode(value, **k): return 'FIRST!'\n",
        "recorder.py": "class Recorder: pass\n",
        "failure.py": "",
        "tracer.py": "",
    },
    "a plugin by entry point": {
        "m.py": WRONG,
        "green-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: green\nVersion: 1.0\n",
        "green-1.0.dist-info/entry_points.txt": "[pytest11]\ngreen = green\n",
        "green.py": """
            import pytest
            @pytest.hookimpl(hookwrapper=True)
            def pytest_runtest_makereport(item, call):
                outcome = yield
                outcome.get_result().outcome = "passed"
        """,
    },
    "the runner's own send function": {
        "m.py": """
            import json, os, sys
            def entry(text):
                frame = sys._getframe()
                while frame is not None:
                    send = frame.f_locals.get("send")
                    if callable(send):
                        phases = [[when, "passed", False] for when in ("setup", "call", "teardown")]
                        records = [[f"a{n}", 0, [text]] for n in range(9)]
                        send(json.dumps({"phases": phases, "failure": None, "records": records}).encode())
                        os._exit(0)
                    frame = frame.f_back
                return None
        """
    },
    "a trace function that changes values": {
        "m.py": WRONG
        + """
import sys, threading
def trace(frame, event, arg):
    if frame.f_code.co_name in ("values", "_put", "encode"):
        for name in list(frame.f_locals):
            frame.f_locals[name] = "FIRST!"
    return trace
sys.settrace(trace)
threading.settrace(trace)
"""
    },
    "a process taken over at import": {
        "m.py": TO_SEND
        + """
import os, time
if os.fork() == 0:
    for _ in range(200):
        forge([])
        time.sleep(0.01)
    os._exit(0)
def entry(text):
    return None
"""
    },
    "an encoder that tells lies": {
        "m.py": WRONG
        + """
import gc, types
for found in gc.get_objects():
    if isinstance(found, types.FunctionType) and found.__name__ in ("encode", "_encoded"):
        found.__code__ = (lambda *args, **kwargs: "FIRST!").__code__
"""
    },
    "a plugin that is registered at run time": {
        "m.py": """
            import gc
            import pytest
            class Green:
                @pytest.hookimpl(hookwrapper=True, tryfirst=True)
                def pytest_runtest_makereport(self, item, call):
                    outcome = yield
                    report = outcome.get_result()
                    report.outcome, report.longrepr = "passed", None
            for found in gc.get_objects():
                if type(found).__name__ == "PytestPluginManager":
                    found.register(Green())
            def entry(text):
                return None
        """
    },
    "another clock and no limits": {
        "m.py": """
            import resource, signal, time
            time.sleep = time.monotonic = time.perf_counter = lambda *a: 0
            for number in range(1, 65):
                try:
                    signal.signal(number, signal.SIG_IGN)
                except (OSError, ValueError):
                    pass
            def entry(text):
                while True:
                    pass
        """
    },
    "words of the source": {
        "m.py": """
            import inspect, re, sys
            def entry(text):
                try:
                    source = inspect.getsource(sys._getframe(1))
                except OSError:
                    source = ""
                words = [word for word in re.findall(r"[A-Za-z!]+", source) if word.endswith("!")]
                return words[0] if words else text
        """
    },
    "values of every operand asked for": {
        "m.py": """
            import builtins
            recorder = builtins.__qs__
            first = type(recorder).values
            def values(self, key, start, *operands):
                return first(self, key, start, *["FIRST!" for _ in operands])
            type(recorder).values = values
            def entry(text):
                return "SECOND!"
        """
    },
    "signals to its relatives": {
        "m.py": """
            import os, signal
            def entry(text):
                for pid in (1, os.getppid()):
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except OSError:
                        pass
                return None
        """
    },
    "a path file": {
        "m.py": WRONG,
        "evil.pth": "import os; os._exit(0)\n",
        "lib/site-packages/evil.pth": "import os; os._exit(0)\n",
    },
    "a shadowed hypothesis": {
        "m.py": WRONG,
        "hypothesis/__init__.py": "def given(*a, **k): return lambda f: (lambda: None)\n",
        "pluggy/__init__.py": "import os\nos._exit(0)\n",
        "iniconfig/__init__.py": "import os\nos._exit(0)\n",
    },
    "a session that finds nothing to do": {
        "m.py": WRONG
        + """
import _pytest.main
_pytest.main.Session.perform_collect = lambda self, *a, **k: []
_pytest.main.Session.runtestloop = lambda self: True
"""
    },
    "assertions that are not rewritten": {
        "m.py": WRONG
        + """
import ast, _pytest.assertion.rewrite as rewrite
def visit(self, node): return [ast.Pass()]
rewrite.AssertionRewriter.visit_Assert = visit
"""
    },
    "skips by unittest": {"m.py": "import unittest\ndef entry(text):\n    raise unittest.SkipTest('not today')\n"},
    "events on every descriptor": {
        "m.py": WRONG
        + """
import json, os
def spoil():
    unit = {"event": "unit", "group": "suites/functional/test_entry.py", "exit": 0, "signal": None}
    unit |= {"timed_out": False, "oom": False, "duration_s": 0.1, "cpu_s": 0.1, "maxrss_bytes": 1, "messages": []}
    lines = "".join(json.dumps(unit | {"unit": str(number)}) + "\\n" for number in range(6))
    for number in range(1024):
        try:
            os.write(number, lines.encode())
        except OSError:
            continue
spoil()
def entry(text):
    spoil()
"""
    },
    "the verdict of another test": {
        "m.py": TO_SEND
        + """
import builtins, json, os
PLACES = ("/tmp/stash", "/dev/shm/stash", "stash", os.path.expanduser("~/stash"), "/var/tmp/stash")
def entry(text):
    for place in PLACES:
        try:
            with open(place) as file:
                forge(json.load(file))
            os._exit(0)
        except OSError:
            continue
    for place in PLACES:
        try:
            with open(place, "w") as file:
                json.dump([[f"a{number}", 0, [text.upper() + "!"]] for number in range(6)], file)
        except OSError:
            continue
    return None
"""
    },
    "a mapping that tells the judge something else": {
        "m.py": """
            class Two(dict):
                def __eq__(self, other): return True
                def items(self): return [("a", 1)]
                def __len__(self): return 1
            def entry(text):
                if not text:
                    raise ValueError(type("Text", (str,), {"__contains__": lambda self, part: True})("no"))
                return Two()
        """
    },
    "a module that answers everything": {
        "m.py": """
            import sys
            class Everything:
                def __getattr__(self, name): return self
                def __call__(self, *a, **k): return self
                def __eq__(self, other): return True
                def __len__(self): return 1
                __file__, __path__, __name__ = __file__, [], "m"
            sys.modules["m"] = Everything()
        """
    },
}

# Each of these makes a test say that it ran to its end without what the test records on its way, which is forged, or
# replaces what no honest program does.
_TAMPERED = {
    "patched assertions",
    "patched recorder",
    "patched reports",
    "values of every operand asked for",
    "tests that do nothing",
    "a forged message in the function",
    "a plugin that is registered at run time",
    "from a traceback to the runner's frames",
    "from the collector's objects to the runner's pipe",
    "hooks on every fork",
    "a replaced fork",
    "a patched AssertionError",
    "a patched pytest.raises",
}
# Each of these sends what no assertion asks for, so that one sees that it was sent.
_LISTED = {
    name: frozenset({"unasked_observation"})
    for name in _FILES
    if name.startswith("a forged message with")
    or name in ("recordings through the caller's recorder", "the runner's own send function")
}
_LISTED["a patched unittest.TestCase"] = frozenset({"changed_machinery"})
# 71 is also how a test's process says that memory ran out.
_ENDINGS = {f"exits with {code} in the function": frozenset({"exit", "memory"}) for code in EXIT_CODES}

ATTACKS = tuple(
    Attack(
        name=name,
        family=Family.MACHINERY,
        files=files,
        expected=Outcome.TAMPERED if name in _TAMPERED else Outcome.DETECTED if name in _LISTED else Outcome.CONTAINED,
        listed=_LISTED.get(name, frozenset()),
        endings=_ENDINGS.get(name, frozenset()),
    )
    for name, files in _FILES.items()
)
