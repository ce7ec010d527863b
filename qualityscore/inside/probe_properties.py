"""Runs hand-written hypothesis properties on the subject, one unit each. Needs hypothesis in the task's environment.

Examples are drawn from a fixed seed (or the one given), without deadline and without database. An example counts as
rejected only where the property's own file rejects it: hypothesis drops an example quietly on exceptions of its own,
which the subject could raise as well.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
import json
import linecache
import os
import sys
import threading

import hypothesis
import probe_names
import probe_zygote
from hypothesis.errors import StopTest, UnsatisfiedAssumption

_HYPOTHESIS = os.path.dirname(os.path.abspath(hypothesis.__file__)) + os.sep
_REJECTING = frozenset({"assume", "reject", "draw"})
_DRAWN_WHEN_CALLED = frozenset(
    {"functions.py", "random.py"}
)  # of hypothesis: values that draw as the subject uses them


class SubjectRejectedError(AssertionError):
    """The subject raised what tells hypothesis to drop the example."""


def prepare(args):
    """Import the surface, then the properties file. Raises what these raise.

    `args`: `paths`, `imports`, `file`, `examples` (most per property), `seed` (None: fixed examples), `entries`
    (surface names to recognise when a unit traces).
    """
    hypothesis.settings.register_profile(
        "probes",
        derandomize=args["seed"] is None,
        deadline=None,
        database=None,
        max_examples=args["examples"],
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    hypothesis.settings.load_profile("probes")
    found = probe_zygote.import_surface(args["paths"], args["imports"])
    spec = importlib.util.spec_from_file_location("properties_of_the_task", args["file"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    hypothesis.strategies.text().validate()  # builds the tables of characters here, not again in every unit
    return {"module": module, "seed": args["seed"], "surface": found, "entries": args["entries"]}


def run(state, args, send):
    """Run one property. `args`: `property` (its name), `trace`. One message: passed, the exception and its notes, and
    the surface entries that were called where `trace` asked for them."""
    prop = getattr(state["module"], args["property"])
    if state["seed"] is not None:
        prop = hypothesis.seed(state["seed"])(prop)
    watch = _Watch(prop, state["module"].__file__) if hasattr(prop, "hypothesis") else None
    calls = _Calls(state["surface"], state["entries"]) if args["trace"] else None
    message = {"passed": False}
    try:
        if calls is not None:
            threading.setprofile(calls)
            sys.setprofile(calls)
        prop()
        if watch is not None:
            watch.check()
        message["passed"] = True
    except BaseException as error:
        notes = "\n".join(n for n in getattr(error, "__notes__", ()) if type(n) is str)
        message["raised"] = probe_zygote.describe_exception(error)
        message["notes"] = notes[:4000].encode("utf-8", "backslashreplace").decode()
    finally:
        sys.setprofile(None)
    if calls is not None:
        message["entries"] = sorted(calls.entered)
    send(json.dumps(message).encode())


def names_of(state):
    """The properties that a prepared module holds, in the order of the file."""
    module = state["module"]
    return [name for name, value in vars(module).items() if name.startswith("prop_") and callable(value)]


class _Watch:
    """Sees how each example of a property ended, whatever hypothesis makes of it."""

    def __init__(self, prop, file):
        """Put the watch between hypothesis and the function; its name and source, which seed the examples, stay."""
        inner = prop.hypothesis.inner_test
        self.file = file
        self.finished = 0
        self.failure = None

        @functools.wraps(inner)
        def watched(*args, **kwargs):
            with self:
                inner(*args, **kwargs)

        prop.hypothesis.inner_test = watched

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        # No line that runs for plain failures only: hypothesis would name it as their explanation.
        quiet = kind is not None and issubclass(kind, (UnsatisfiedAssumption, StopTest))
        self.finished += error is None
        self.failure = error if self.failure is None and not quiet else self.failure
        if quiet and not _is_rejected_by(self.file, trace.tb_next):
            self.failure = SubjectRejectedError(f"the subject rejected an example ({kind.__name__})")
            raise self.failure from error

    def check(self):
        """Raise what an example ended by, where hypothesis took no notice; AssertionError where none was finished."""
        if self.failure is not None:
            raise self.failure
        if not self.finished:
            raise AssertionError("no example was run to its end")


def _is_rejected_by(file, entry):
    """Whether a traceback ends in a call of assume, reject or draw in `file`, but for the frames of hypothesis."""
    last = None
    while entry is not None:
        if not entry.tb_frame.f_code.co_filename.startswith(_HYPOTHESIS):
            last = entry
        entry = entry.tb_next
    if last is None:
        return False
    if last.tb_next is not None and os.path.basename(last.tb_next.tb_frame.f_code.co_filename) in _DRAWN_WHEN_CALLED:
        return True
    return last.tb_frame.f_code.co_filename == file and _called_name(last) in _REJECTING


def _called_name(entry):
    """Name of the function or method whose call a traceback entry stands at; None where it stands at no call."""
    code = entry.tb_frame.f_code
    line, end_line, start, end = list(code.co_positions())[entry.tb_lasti // 2]
    lines = [linecache.getline(code.co_filename, number).encode() for number in range(line, end_line + 1)]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    try:
        call = ast.parse(b"(" + b"".join(lines) + b")", mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(call, ast.Call):
        return None
    return getattr(call.func, "id", None) or getattr(call.func, "attr", None)


class _Calls:
    """A profile function that notes which surface entries are entered."""

    def __init__(self, surface, entries):
        self.entered = set()
        self.functions, self.classes = {}, {}
        for name in entries:
            found = probe_names.resolve(surface, name)
            if isinstance(found, type):
                self.classes[found] = name
            elif probe_names.code_of(found) is not None:
                self.functions[probe_names.code_of(found)] = name
        self.makers = {
            probe_names.code_of(body)
            for kind in self.classes
            for base in kind.__mro__
            for body in (vars(base).get("__init__"), vars(base).get("__new__"))
            if probe_names.code_of(body) is not None
        }

    def __call__(self, frame, event, _argument):
        if event != "call":
            return
        code = frame.f_code
        name = self.functions.get(code)
        if name is not None:
            self.entered.add(name)
        elif code in self.makers and code.co_varnames:
            instance = frame.f_locals.get(code.co_varnames[0])
            kind = instance if isinstance(instance, type) else type(instance)
            nearest = next((base for base in kind.__mro__ if base in self.classes), None)
            if nearest is not None:
                self.entered.add(self.classes[nearest])
