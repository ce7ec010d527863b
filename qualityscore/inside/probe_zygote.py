"""Runs probes on the subject, one unit per surface entry, and says what it saw. Judges nothing.

A probe is a list of setup statements and one call expression, run in a fresh namespace that holds the surface's modules
and `hostile.py`. Every probe's observation leaves as a message of its own before the next begins, and after each the
entry's sensible call is repeated, so what a crash or a hang costs is known. A hang is ended by an interval timer with
the default action; where the subject has disarmed it, the supervisor's limit on the unit ends it.
"""

from __future__ import annotations

import builtins
import os
import re
import signal
import sys
import time
import types
from functools import partial
from itertools import islice
from opcode import opname

import encode
import hostile
import naming
import probe_watch
import wire

_BUDGET = encode.Budget(nodes=3000, text=32_768, depth=64, drawn=256)
_LARGEST = 4096  # canonical characters of a value that is sent whole
_MUTABLE = (list, dict, set, bytearray)
_MISFIT = re.compile(
    r"missing \d+ required (positional|keyword-only) argument|takes .*positional arguments? but|"
    r"got an unexpected keyword argument|got multiple values for|got some positional-only arguments"
)
_MISFIT_BUILTIN = re.compile(
    r"takes no (keyword )?arguments|takes (exactly|at least|at most) |"
    r"expected (at least |at most |exactly )?\d+ arguments?, got|is an invalid keyword argument"
)
_cpu = time.process_time
_arm = signal.setitimer


def prepare(args):
    """Import the surface and give the namespace of all probes. Raises what the subject's import raises.

    Probes compute with the built-ins of before, whatever the subject puts in their place.

    `args`: `paths` (import roots of the subject), `imports` (surface modules); where probes are built also
    `clock` (`shift_s` and `step_s` as `shift_clock` takes them, or None) and `watch_effects`.
    """
    if args.get("clock") is not None:
        probe_watch.shift_clock(**args["clock"])
    namespace = {"__name__": "probe", "__builtins__": dict(vars(builtins))}
    namespace.update((k, v) for k, v in vars(hostile).items() if getattr(v, "__module__", None) == hostile.__name__)
    namespace.update(import_surface(args["paths"], args["imports"]))
    return {"namespace": namespace, "watch_effects": args.get("watch_effects", False)}


def import_surface(paths, imports):
    """The surface's top-level modules by name, each proven to come from the subject's folders, which are put first."""
    sys.path[:] = [*paths, *sys.path]
    found = {}
    for name in imports:
        __import__(name)
        file = getattr(sys.modules[name], "__file__", None)
        if not (file and any(os.path.abspath(file).startswith(p.rstrip(os.sep) + os.sep) for p in paths)):
            raise ModuleNotFoundError(f"the subject has no module {name!r}", name=name)
        top = name.partition(".")[0]
        found[top] = sys.modules[top]
    return found


def run(state, args, send):
    """Run one entry's probes.

    `args`: `sensible` and each of `probes` are [index, setup statements, call expression]; `limit_s` bounds each run.
    Where probes are built, a fourth item holds expressions for a probe's arguments, to tell an echo.
    Messages: `{"sensible": seen}` (brief), then per probe `{"probe": index, "seen": seen}` and
    `{"after": index, "seen": seen}`, at last `{"end": true}`.
    """
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    limit = args["limit_s"]
    effects = probe_watch.Effects() if state["watch_effects"] else None
    state = state["namespace"]
    sensible = _compiled(*args["sensible"][1:])
    _tell(send, {"sensible": _timed(state, sensible, limit, brief=True)})
    for index, setup, call, *arguments in args["probes"]:
        chance = probe_watch.Chance() if effects is not None else None
        seen = _timed(state, _compiled(setup, call), limit)
        if effects is not None:
            seen["effects"], effects.seen = effects.seen[:5], []
            seen["chance"] = chance.changes(partial(_outcome, state, setup, call, limit))
            seen["echo"] = "digest" in seen and _is_echo(state, setup, arguments[0], seen["digest"])
        _tell(send, {"probe": index, "seen": seen})
        _tell(send, {"after": index, "seen": _timed(state, sensible, limit, brief=True)})
    _tell(send, {"end": True})


def _outcome(state, setup, call, limit):
    seen = _timed(state, _compiled(setup, call), limit)
    return seen.get("digest"), seen.get("raised", {}).get("type")


def _tell(send, message):
    send(wire.dumps(message).encode())


def _compiled(setup, call):
    """Code of a probe; annotations or futures of this file do not leak into it."""
    return (
        compile("\n".join(setup), "<setup>", "exec", dont_inherit=True),
        compile(call, "<probe>", "eval", dont_inherit=True),
    )


def _timed(state, code, limit, brief=False):
    _arm(signal.ITIMER_REAL, limit)
    try:
        return observe(state, code, brief)
    finally:
        _arm(signal.ITIMER_REAL, 0)


def observe(state, code, brief=False):
    """What one run did, as plain data: a value or an exception, mutated plain arguments, CPU seconds.

    `brief` leaves the value's content out and keeps its digest, blind to the state of objects (a counter in each new
    instance is no leak).
    """
    space = dict(state)
    before = {}
    seen = {}
    began = _cpu()
    try:
        seen["stage"] = "setup"
        exec(code[0], space)
        before = {name: _fingerprint(value) for name, value in space.items() if _watched(name, value, state)}
        seen["stage"] = "call"
        value = eval(code[1], space)
        if _is_iterator(value):
            value = list(islice(value, _BUDGET.drawn))
            seen["iterator"] = True
        seen.update(_value(value, brief))
    except BaseException as error:
        seen["raised"] = describe_exception(error)
    seen["cpu_s"] = _cpu() - began
    seen["mutated"] = sorted(name for name, print_ in before.items() if _fingerprint(space.get(name)) != print_)
    return seen


def _value(value, brief):
    data = encode.encode(value, budget=_BUDGET)
    if brief:
        data = _stateless(data)
    shown = {"digest": encode.digest(data)}
    if not brief and len(encode.canonical(data)) <= _LARGEST:
        shown["value"] = data
    elif not brief:
        shown["large"] = True
    return shown


def _is_echo(state, setup, arguments, digest):
    """Whether the digest is that of an argument, made anew."""
    space = dict(state)
    for line in setup:
        try:
            exec(line, space)
        except Exception:
            break
    for expression in arguments:
        try:
            if _fingerprint(eval(expression, space)) == digest:
                return True
        except Exception:
            continue
    return False


def _stateless(data):
    if isinstance(data, list):
        return [_stateless(item) for item in data]
    if not isinstance(data, dict):
        return data
    if "object" in data:
        return {"object": data["object"][0]}
    return {key: _stateless(item) for key, item in data.items()}


def _watched(name, value, state):
    return name not in state and type(value) in _MUTABLE


def _fingerprint(value):
    return encode.digest(encode.encode(value, budget=_BUDGET))


def _is_iterator(value):
    has = encode.class_attribute
    kind = type(value)
    return has(kind, "__next__") is not None and has(kind, "__iter__") is not None


def describe_exception(error):
    """An exception as plain data: names of its class and bases, text, frames, and whether a call did not fit."""
    kind = type(error)
    text = ""
    try:
        text = str.__str__(str(error))[:300]
    except BaseException:
        text = "<no text>"
    frames, last = _frames(error)
    return {
        "type": naming.type_name(kind),
        "bases": [naming.type_name(base) for base in naming.mro(kind)],
        "text": text.encode("utf-8", "backslashreplace").decode(),
        "misfit": issubclass(kind, TypeError) and _misfits(last, text),
        "frames": frames,
    }


def _frames(error):
    """(file, line, function) of the last frames, and the last traceback entry."""
    entry = BaseException.__dict__["__traceback__"].__get__(error)
    entries = []
    while type(entry) is types.TracebackType:
        entries.append(entry)
        entry = entry.tb_next
    shown = [[e.tb_frame.f_code.co_filename, e.tb_lineno, e.tb_frame.f_code.co_qualname] for e in entries[-12:]]
    return shown, entries[-1] if entries else None


def _misfits(entry, text):
    """Whether the arguments of a call did not fit: the exception came out of a call, not of a raise statement.

    A built-in's complaint counts only where the probe itself made the call (a class without `__init__` says it so).
    """
    if entry is None:
        return False
    code, position = entry.tb_frame.f_code, entry.tb_lasti
    if not (0 <= position < len(code.co_code) and opname[code.co_code[position]].startswith(("CALL", "PRECALL"))):
        return False
    own = code.co_filename in ("<setup>", "<probe>")
    return bool(_MISFIT.search(text) or (own and _MISFIT_BUILTIN.search(text)))
