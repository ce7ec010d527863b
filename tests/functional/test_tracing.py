"""What a traced suite enters: functions after import, surface entries, files run as code; also in child processes."""

from __future__ import annotations

from dataclasses import replace

import pytest

SUITE = {
    "test_a.py": """
        import multiprocessing
        import subprocess
        import sys
        import threading

        import m

        def test_plain():
            assert m.outer(2) == 7

        def test_class():
            assert m.Small(3).value() == 3

        def test_subclass():
            assert m.Sub(4).value() == 4

        def test_wrapped():
            assert m.remembered(5) == 6

        def test_thread():
            found = []
            thread = threading.Thread(target=lambda: found.append(m.threaded(1)))
            thread.start()
            thread.join()
            assert found == [2]

        def test_forked():
            with multiprocessing.get_context("fork").Pool(1) as pool:
                assert pool.map(m.forked, [3]) == [6]

        def test_started():
            done = subprocess.run([sys.executable, "-m", "m", "12"], capture_output=True, text=True)
            assert done.stdout == "24\\n"

        def test_plugin():
            assert m.load() == 9
    """
}

GOOD = {
    "m/__init__.py": """
        import dataclasses, functools, pathlib

        def at_import():
            return 1

        CONSTANT = at_import()

        def outer(n):
            def inner(k):
                return k + 1
            return inner(n) + sum(map(lambda v: v, [inner(n), 1]))

        class Small:
            def __init__(self, n):
                self.n = n
            def value(self):
                return self.n

        class Sub(Small):
            pass

        @functools.lru_cache
        def remembered(n):
            return n + 1

        def threaded(n):
            return n + 1

        def forked(n):
            return 2 * n

        def started(n):
            return 2 * n

        def never(n):
            return n

        def load():
            space = {}
            code = pathlib.Path(__file__).parent / "data" / "code.py"
            exec(compile(code.read_text(), code, "exec"), space)
            return space["nine"]()
    """,
    "m/__main__.py": "import sys\nimport m\nprint(m.started(int(sys.argv[1])))\n",
    "m/data/code.py": "def nine():\n    return 9\n",
    "m/unused.py": "X = 1\n",
    "sitecustomize.py": "raise SystemExit('the start-up hook of the subject ran')\n",
}

ENTRIES = ("m.outer", "m.Small", "m.Small.value", "m.Sub", "m.Sub.value", "m.remembered", "m.started", "m.never")


@pytest.fixture(scope="module")
def traced(make_stage):
    from qualityscore.model.task import Surface
    from qualityscore.suites import functional

    stage = make_stage(SUITE)
    surface = Surface.model_validate({"entries": [{"name": name, "kind": "function"} for name in ENTRIES]})
    object.__setattr__(stage, "task", stage.task.model_copy(update={"surface": surface}))
    expected = stage.discover(GOOD)
    assert len(expected) == 8
    return functional.trace(stage.target(GOOD), expected)


def test_functions_entered_after_import_are_judged_wherever_they_ran(traced):
    names = {function.qualname for function in traced.judged if function.path == "m/__init__.py"}
    wanted = {"outer", "outer.<locals>.inner", "outer.<locals>.<lambda>", "Small.__init__", "Small.value", "remembered"}
    assert names - {"nine"} == wanted | {"threaded", "forked", "started", "load"}
    assert next(f.line for f in traced.judged if f.qualname == "threaded") == (
        1 + GOOD["m/__init__.py"].split("\n").index("        def threaded(n):")
    )


def test_touches_name_the_entries_of_each_test(traced):
    touches = {name.partition("::")[2]: set(entries) for name, entries in traced.touches.items()}
    assert touches["test_plain"] == {"m.outer"}
    assert touches["test_class"] == {"m.Small", "m.Small.value"}
    # the code is in Small's body, and the instance is one of Sub exactly
    assert touches["test_subclass"] == {"m.Small", "m.Small.value", "m.Sub", "m.Sub.value"}
    assert touches["test_wrapped"] == {"m.remembered"}
    assert touches["test_started"] == {"m.started"}


def test_files_that_ran_as_code_are_listed(traced):
    assert traced.imported_files == ("m/__init__.py", "m/__main__.py", "m/data/code.py")
    assert traced.evidence == ()


HIDDEN = "if sys.getprofile() and n > 1: {}"
EVASIONS = {
    "leaves with status 0": ("os._exit(0)", "left without a trace"),
    "raises": ("raise SystemError", "fails"),
    "gives something else": ("return 0", "fails"),
    "hangs": ("time.sleep(999)", "did not end well"),
    "removes the tracer": ("sys.setprofile(None)", "calls sys.setprofile"),
}
EVADER = """
import os, sys, time

def entry(n):
    {hidden}
    return hidden(n)

def hidden(n):
    return n + 1

def unused(n):
    return n + no_such_name
"""


@pytest.fixture(scope="module")
def evaded(make_stage):
    suite = "import m\n\ndef test_one():\n    assert m.entry(1) == 2\n\ndef test_two():\n    assert m.entry(2) == 3\n"
    stage = make_stage({"test_a.py": suite}, test_timeout_s=1.0)
    return stage, stage.discover({"m.py": EVADER.format(hidden="pass")})


@pytest.mark.parametrize(("code", "words"), EVASIONS.values(), ids=EVASIONS)
def test_a_test_that_passes_only_untraced_is_evidence_and_hides_what_is_judged(evaded, code, words):
    from qualityscore.code_reading import read_code
    from qualityscore.suites import functional

    stage, expected = evaded
    target = stage.target({"m.py": EVADER.format(hidden=HIDDEN.format(code))})
    ran = functional.run(target, expected)
    passed = {test.id for test in ran.tests if test.outcome == "passed"}
    assert passed == {test.id for test in expected}
    trace = functional.trace(target, expected, untraced=ran)
    assert trace.evaded
    assert [(item.decisive, words in item.message) for item in trace.evidence] == [(False, True)]
    assert "test_two" in trace.evidence[0].message
    seen = read_code(target.tree, None, replace(trace, evaded=False)).measures["structure.defects"]
    judged = read_code(target.tree, None, trace).measures["structure.defects"]
    assert seen.value == 0
    assert judged.value > 0  # it may have entered the function that reads a name that is not there


WAYS = {
    "restored": ("kept = sys.getprofile(); sys.setprofile(None); sys.setprofile(kept)", "calls sys.setprofile"),
    "debugger": ("sys.settrace(lambda *_: None); sys.settrace(None)", "calls sys.settrace"),
    "debugger_left_on": ("sys.settrace(lambda *_: None)", "calls sys.settrace"),
    "debugger_of_a_thread": ("Traced().start(); answered.get()", "calls sys.settrace"),
    "docstrings": ("doctest.run_docstring_examples(worked, {})", None),
    "digits": (f"n = 0x{'f' * 4000}; n += 1", None),
    "thread": (
        "threading.setprofile(print); t = threading.Thread(target=len, args=('',)); t.start(); t.join()",
        "calls sys.setprofile",
    ),
    "audit_hook": ("sys.addaudithook(lambda *_: None)", "adds an audit hook, whose code is not traced"),
    "code": (
        "if sys.getprofile(): type(sys.getprofile().__self__)._resolve.__code__ = Own.f.__code__",
        "changes the harness's code",
    ),
    "log": ("if sys.getprofile(): open(json.loads(os.environ['QS_TRACE'])['log'])", "reaches for the harness's log"),
    "child": ("subprocess.run([sys.executable, '-c', 'import sys; sys.setprofile(None)'])", "calls sys.setprofile"),
    "none": ("ask(1)", None),
    "raw_thread": ("_thread.start_new_thread(worked, (1,)); answered.get()", None),
    "own_thread": ("Own().start()", None),
}


@pytest.mark.slow
def test_whatever_lets_code_run_unseen_is_evidence_even_when_it_is_put_back(make_stage):
    from qualityscore.suites import functional

    head = """
import _thread, doctest, json, os, queue, subprocess, sys, threading

class Traced(threading.Thread):
    def run(self):
        sys.settrace(lambda *_: None)
        answered.put(1)

class Own(threading.Thread):
    def _bootstrap_inner(self):
        self._started.set()
        return self.f()
    def f(self):
        return None

asked, answered = queue.Queue(), queue.Queue()

def worked(n):
    answered.put(n + 1)

def ask(n):
    asked.put(n)
    return answered.get()

def work():
    while True:
        worked(asked.get())

threading.Thread(target=work, daemon=True).start()
"""
    subject = head + "".join(f"\ndef {name}():\n    {code}\n    return 2\n" for name, (code, _) in WAYS.items())
    suite = "import m\n" + "".join(f"\ndef test_{name}():\n    assert m.{name}() == 2\n" for name in WAYS)
    stage = make_stage({"test_a.py": suite})
    expected = stage.discover({"m.py": subject})
    assert len(expected) == len(WAYS)
    target = stage.target({"m.py": subject})
    trace = functional.trace(target, expected, untraced=functional.run(target, expected))
    assert trace.evaded
    seen = {item.message.partition(" ")[0].rpartition("test_")[2]: item.message for item in trace.evidence}
    assert set(seen) == {name for name, (_, words) in WAYS.items() if words}
    assert {name: seen[name] for name, (_, words) in WAYS.items() if words and words not in seen[name]} == {}
    # threads that waited since the import, or were started in an unusual way, are followed too
    assert {"ask", "worked", "Own._bootstrap_inner", "Own.f"} <= {function.qualname for function in trace.judged}


SWAPPED = """
import collections, dataclasses, functools, sys, types

def clean(n):
    return n + 1

def renamed(n):
    return n + 2

def moved(n):
    return n + 3

def other(n):
    return n + 3

def awaited(n):
    yield n

def loaded(n):
    return n + 4

@dataclasses.dataclass
class Row:
    n: int = 0

Pair = collections.namedtuple("Pair", "a b")

renamed.__code__ = renamed.__code__.replace(co_name="wrapper", co_qualname="wrapper")
moved.__code__ = clean.__code__.replace(co_name="moved", co_firstlineno=moved.__code__.co_firstlineno)
awaited = types.coroutine(awaited)
loaded.__code__ = loaded.__code__.replace(co_consts=(None, 5))

def honest(n):
    next(awaited(n))
    return renamed(n) + Row(n).n + Pair(n, n).a

def by_hand(n):
    return moved(n)

def by_bytes(n):
    return loaded(n)
"""


def test_code_that_is_not_what_its_file_says_is_found_and_judged_by_nobody(make_stage):
    from qualityscore.code_reading import read_code
    from qualityscore.model.measure import Unavailable
    from qualityscore.suites import functional

    suite = """
        import m, test_helpers

        def test_honest():
            assert m.honest(1) == 5

        def test_by_hand():
            assert m.by_hand(1) == 2

        def test_by_bytes():
            assert m.by_bytes(1) == 6

        def test_helper():
            assert test_helpers.checked(1) == 1
    """
    # pytest rewrites the assertions of modules with such names wherever they lie
    files = {"m.py": SWAPPED, "test_helpers.py": "def checked(n):\n    assert n == 1\n    return n\n"}
    stage = make_stage({"test_a.py": suite, "test_b.py": suite})
    expected = stage.discover(files)
    target = stage.target(files)
    trace = functional.trace(target, expected)
    line = 1 + SWAPPED.split("\n").index("def loaded(n):")
    assert [(f.path, f.line, f.qualname) for f in trace.unread] == [("m.py", line, "loaded")]
    assert [(item.kind, item.decisive, item.location.line) for item in trace.evidence] == [("unread_code", False, line)]
    lines = {SWAPPED.split("\n")[f.line - 1][4:] for f in trace.judged if f.path == "m.py"}
    # what was put into `moved` is `clean`, whatever line it bears
    assert lines == {f"{name}(n):" for name in ("honest", "by_hand", "by_bytes", "renamed", "awaited", "clean")}
    assert "checked" in {f.qualname for f in trace.judged if f.path == "test_helpers.py"}
    read = read_code(target.tree, None, trace)
    found = [(f.path, f.line, f.points) for f in read.findings if f.code == "unread-code"]
    assert found == [("m.py", line, 12.0)]
    lost = {name for name, outcome in read.measures.items() if isinstance(outcome, Unavailable)}
    assert lost == set(read.measures) - {"bandit.risk"}


def test_a_fair_subject_evades_nothing(evaded):
    from qualityscore.code_reading import read_code
    from qualityscore.suites import functional

    stage, expected = evaded
    target = stage.target({"m.py": EVADER.format(hidden="pass")})
    trace = functional.trace(target, expected, untraced=functional.run(target, expected))
    assert (trace.evaded, trace.evidence) == (False, ())
    assert _functions(read_code(target.tree, None, trace)) == 2


def test_a_test_that_fails_untraced_too_evades_nothing(evaded):
    from qualityscore.suites import functional

    stage, expected = evaded
    target = stage.target({"m.py": EVADER.format(hidden="os._exit(0)")})
    trace = functional.trace(target, expected, untraced=functional.run(target, expected))
    assert (trace.evaded, trace.evidence) == (False, ())


def test_a_file_whose_import_hangs_is_not_tried_again(make_stage, monkeypatch):
    from qualityscore.model.outcome import FunctionalOutcome, TestResult
    from qualityscore.suites import functional, tracing

    suite = "import m\n\ndef test_one():\n    assert m.entry(1) == 2\n"
    stage = make_stage({"test_a.py": suite, "test_b.py": suite.replace("import m\n", "import m, m.late\n")})
    good = {"m/__init__.py": "def entry(n):\n    return n + 1\n", "m/late.py": ""}
    expected = stage.discover(good)
    assert [test.file for test in expected] == ["suites/test_a.py", "suites/test_b.py"]
    ran, lost = (
        TestResult(id=test.id, outcome=outcome, duration_s=duration)
        for test, outcome, duration in zip(expected, ("passed", "failed"), (0.1, None), strict=True)
    )
    played = []
    play = tracing.play
    monkeypatch.setattr(tracing, "play", lambda *args, **options: played.append(args[1:]) or play(*args, **options))
    target = stage.target({**good, "m/late.py": "import time\ntime.sleep(999)\n"})
    trace = functional.trace(target, expected, untraced=FunctionalOutcome(tests=(ran, lost)))
    assert [(list(texts), [item.file for item in items]) for texts, items in played] == [
        (["suites/test_a.py"], ["suites/test_a.py"])
    ]
    assert list(trace.touches) == [expected[0].id]
    nothing = functional.trace(target, expected, untraced=FunctionalOutcome(tests=(lost,)))
    assert (nothing.judged, nothing.evidence) == ((), ())


def test_tracing_gives_tests_more_time_and_imports_no_more(make_stage):
    from qualityscore.suites.derived_files import Item, plan

    target = make_stage({"test_a.py": ""}).target({"m.py": ""})
    items = [Item(file="suites/test_a.py", name="suites/test_a.py::test_one")]
    (usual,), (slowed,) = plan(target, items).groups, plan(target, items, slowdown=5.0).groups
    assert slowed.start_timeout_s == usual.start_timeout_s
    assert slowed.units[0].timeout_s == 5 * usual.units[0].timeout_s


def _functions(outcome):
    return outcome.measures["index.deficit"].details["judged_functions"]


TEXTS = {
    "exec": "exec(TEXT, PLACE)",
    "compiled": "exec(compile(TEXT, 'somewhere', 'exec'), PLACE)",
    "bytes": "exec(TEXT.encode(), PLACE)",
    "mapped": "list(map(exec, [TEXT], [PLACE]))",
    "in_text": "exec(f'exec({TEXT!r}, PLACE)', {'PLACE': PLACE})",
    "optimized": "exec(compile(TEXT, 'somewhere', 'exec', optimize=2), PLACE)",
    "tree": "exec(compile(ast.parse(TEXT), 'somewhere', 'exec'), PLACE)",
    "with_flags": "exec('from __future__ import annotations' + chr(10) + TEXT, PLACE)",
    "function": "PLACE[WAY] = types.FunctionType(compile(TEXT, 'x', 'exec').co_consts[0], PLACE)",
    "swapped": "def stub(n): pass\nstub.__code__ = compile(TEXT, 'x', 'exec').co_consts[0]\nPLACE[WAY] = stub",
    "borrowed_name": "exec(compile(TEXT, json.__file__, 'exec'), PLACE)",
    "own_name": "exec(compile(TEXT, __file__, 'exec'), PLACE)",
    "thread": "thread = threading.Thread(target=exec, args=(TEXT, PLACE))\nthread.start()\nthread.join()",
    "run_path": "PLACE.update(runpy.run_path(written(TEXT)))",
    "written": "sys.path.insert(0, os.path.dirname(written(TEXT)))\nPLACE.update(vars(__import__('text_' + WAY)))",
    "timed": "timeit.timeit(TEXT + 'global ' + WAY + '_\\n' + WAY + '_ = ' + WAY, number=1, globals=PLACE)\n"
    "PLACE[WAY] = PLACE[WAY + '_']",
    "console": "code.InteractiveInterpreter(PLACE).runsource(TEXT, symbol='exec')",
    "given_flags": "exec(compile(TEXT.replace('(n)', '(n: int)'), 'x', 'exec', annotations.compiler_flag), PLACE)",
    "string_with_coding": "exec('# coding: latin-1' + chr(10) + TEXT + 'X = ' + repr(chr(233)), PLACE)",
    "start_up_line": "name = written('import m; exec(m.TEXT, m.PLACE)')\nos.rename(name, name[:-3] + '.pth')\n"
    "site.addsitedir(os.path.dirname(name))",
    "borrowed_loader": "load = machinery.SourceFileLoader('json', json.__file__)\nmodule = types.ModuleType('json')\n"
    "load.get_code = lambda name: compile(TEXT, json.__file__, 'exec')\nload.exec_module(module)\n"
    "PLACE.update(vars(module))",
}
BARE = {
    "marshalled": "exec(marshal.loads(DUMPED), PLACE)",
    "of_parts": "PLACE[WAY] = types.FunctionType(marshal.loads(DUMPED).co_consts[0], PLACE)",
    "put_in": "def stub(n): pass\nstub.__code__ = marshal.loads(DUMPED).co_consts[0]\nPLACE[WAY] = stub",
    "renamed": "exec(marshal.loads(DUMPED).replace(co_filename=json.__file__), PLACE)",
    "borrowed_cache": "PLACE.update(vars(cached(DUMPED)))",
}
PREAMBLE = """\
import ast, code, importlib.util, json, marshal, os, runpy, site, sys, tempfile, threading, timeit, types
from importlib import machinery

annotations = __import__("__future__").annotations

def cached(code):
    source = importlib.util.find_spec("colorsys").origin
    sys.pycache_prefix = tempfile.mkdtemp()
    name = importlib.util.cache_from_source(source)
    os.makedirs(os.path.dirname(name))
    with open(name, "wb") as file:
        file.write(importlib.util.MAGIC_NUMBER + bytes([1, *[0] * 11]) + code)  # not to be compared with its source
    module = types.ModuleType("colorsys")
    machinery.SourceFileLoader("colorsys", source).exec_module(module)
    sys.pycache_prefix = None
    return module

def written(text):
    name = os.path.join(tempfile.mkdtemp(), "text_" + WAY + ".py")
    with open(name, "w") as file:
        file.write(text)
    return name
"""


def _ways(is_imported):
    """A module with a function per way, made at import or in the call."""
    import marshal

    lines = [PREAMBLE]
    for number, (way, do) in enumerate((TEXTS | BARE).items(), start=100):
        text = f"def {way}(n):\n    return [n + k for k in range(2)] or {number}\n"  # no two do the same
        given = f"TEXT = {text!r}" if way in TEXTS else f"DUMPED = {marshal.dumps(compile(text, 'gone', 'exec'))!r}"
        made = [f"WAY, PLACE = {way!r}, {{}}", given, *do.split("\n")]
        if is_imported:
            lines += [*made, f"PLACE_{way} = PLACE", f"def by_{way}(n): return PLACE_{way}[{way!r}](n)"]
        else:
            lines += [f"def by_{way}(n):", "    global WAY, PLACE, TEXT, DUMPED", *(f"    {line}" for line in made)]
            lines += [f"    return PLACE[{way!r}](n)"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("is_imported", [True, False], ids=["at import", "in the call"])
def test_code_that_is_run_from_a_text_is_judged_there_and_code_without_one_by_nobody(make_stage, is_imported):
    from qualityscore.suites import functional

    suite = "import m\n" + "".join(f"\ndef test_{way}():\n    assert m.by_{way}(1) == [1, 2]\n" for way in TEXTS | BARE)
    stage = make_stage({"test_a.py": suite})
    files = {"m.py": _ways(is_imported)}
    expected = stage.discover(files)
    assert len(expected) == len(TEXTS | BARE)
    trace = functional.trace(stage.target(files), expected)
    texts = {text.name: text.source.decode() for text in trace.texts}
    entered = {(f.path, f.qualname.rpartition(".")[2]) for f in trace.judged if f.path in texts}
    assert {name for _, name in entered if not name.startswith("<")} - {"inner"} == TEXTS.keys()
    assert all(name in texts[path] for path, name in entered if name in TEXTS)
    assert {text.path for text in trace.texts} <= {"m.py", "."}
    assert {f.path for f in trace.unread} == {"m.py"}
    assert len({f.line for f in trace.unread}) == len(BARE)


def test_honest_code_executes_no_text(make_stage):
    """What the library generates, short expressions, own files however they are loaded, copied functions."""
    from qualityscore.suites import functional

    source = """
        import ast, collections, dataclasses, enum, functools, importlib.util, json, os, runpy, subprocess, sys
        import tempfile, types, typing

        RULES = [compile(f"a + {n}", "rule", "eval") for n in range(5000)]

        Pair = collections.namedtuple("Pair", "a b")

        @dataclasses.dataclass(order=True)
        class Row:
            a: "int"
            b: typing.Optional["Row"] = None

        class Colour(enum.Enum):
            RED = 1

        def copied(f):
            return functools.wraps(f)(types.FunctionType(f.__code__.replace(co_name="x"), f.__globals__))

        def loaded():
            place = os.path.join(os.path.dirname(__file__), "part.py")
            spec = importlib.util.spec_from_file_location("other", place)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module.part(1)

        def added(a, b):
            typing.get_type_hints(Row)
            assert ast.literal_eval("[1, 2]") == [1, 2]
            assert runpy.run_path(os.path.join(os.path.dirname(__file__), "part.py"))["part"](1) == 2
            assert [eval(rule, {"a": 1}) for rule in RULES] == [n + 1 for n in range(5000)]
            without_cache = ["-X", f"pycache_prefix={tempfile.mkdtemp()}"]
            subprocess.run([sys.executable, *without_cache, "-m", "colorsys"], check=True)
            assert copied(loaded)() == 2 and copied(json.dumps)(1, **json.dumps.__kwdefaults__) == "1"
            return eval("a + b") + Pair(a, b).a + Row(1).a
    """
    suite = """
        import m

        def test_added():
            assert m.added(1, 2) == 5

        def test_callback():
            assert m.copied(lambda: 3)() == 3
    """
    stage = make_stage({"test_a.py": suite})
    files = {"m.py": source, "part.py": "def part(n):\n    return n + 1\n"}
    expected = stage.discover(files)
    trace = functional.trace(stage.target(files), expected)
    assert (len(expected), trace.texts, trace.unread, trace.evidence) == (2, (), (), ())
    assert {f.qualname for f in trace.judged if f.path == "part.py"} == {"part"}


def test_code_that_is_executed_at_the_end_of_the_stack_is_an_evasion(make_stage):
    from qualityscore.suites import functional

    source = """
        import sys

        PLACE = {}
        exec(compile("def first(n): return n", "x", "exec"), {})
        CODE = compile("def hidden(n):\\n    return n + 1\\n", "x", "exec")

        def descend(depth):
            if depth:
                descend(depth - 1)
            else:
                exec(CODE, PLACE)

        def entry(n):
            for depth in range(sys.getrecursionlimit(), 0, -1):
                try:
                    descend(depth)
                    break
                except RecursionError:
                    pass
            return PLACE["hidden"](n)
    """
    stage = make_stage({"test_a.py": "import m\n\ndef test_entry():\n    assert m.entry(1) == 2\n"})
    files = {"m.py": source}
    expected = stage.discover(files)
    outcome = functional.run(stage.target(files), expected)
    trace = functional.trace(stage.target(files), expected, untraced=outcome)
    assert trace.evaded
    assert "hidden" not in {f.qualname for f in trace.judged}
    assert [item.kind for item in trace.evidence] == ["tracer_removed"]


def test_more_texts_of_child_processes_than_a_message_can_carry_are_code_without_source(make_stage):
    """Eight children of 200 kB each: 800 kB where a digit takes half a byte, and four thirds of that in base64."""
    from qualityscore.suites import functional

    source = """
        import os
        import random

        def child(number):
            digits = random.Random(number)
            for _ in range(10):
                exec(f"x = '{digits.randbytes(10_000).hex()}'", {})

        def entry():
            for number in range(8):
                pid = os.fork()
                if pid == 0:
                    child(number)
                    os._exit(0)
                os.waitpid(pid, 0)
            return 1
    """
    stage = make_stage({"test_a.py": "import m\n\ndef test_entry():\n    assert m.entry() == 1\n"})
    files = {"m.py": source}
    expected = stage.discover(files)
    outcome = functional.run(stage.target(files), expected)
    trace = functional.trace(stage.target(files), expected, untraced=outcome)
    assert not trace.evaded
    assert {f.qualname for f in trace.judged} == {"entry", "child"}
    assert {f.qualname for f in trace.unread} == {"<more texts than can be judged>"}
    assert 0 < sum(len(text.source) for text in trace.texts) < 600_000
