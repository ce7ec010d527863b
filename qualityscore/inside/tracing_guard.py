"""Notices what would let the subject's code run untraced. Standard library only; runs inside the sandbox.

An audit hook cannot be removed, and the interpreter raises these events whoever sets a profile or trace function, and
however. What it cannot see is memory that is written past the interpreter, as through ctypes.
"""

import _thread
import os
import sys
import threading
import types

_HERE = os.path.dirname(os.path.abspath(__file__)) + "/"
_FILES = frozenset({"open", "os.remove", "os.rename", "os.truncate", "os.link", "os.symlink"})
_THREADS = frozenset({"_thread.start_new_thread", "_thread.start_joinable_thread"})
_STARTERS = ("start_new_thread", "start_new", "start_joinable_thread")
_getframe, _addaudithook, _setprofile, _gettrace = sys._getframe, sys.addaudithook, sys.setprofile, sys.gettrace


class Guard:
    """`event` is the profile function, `note` is told in a few words what the subject did, `log` names the log."""

    def __init__(self, event, note, log):
        self._event = event
        self._note = note
        self._log = log
        self._ours = 0

    def install(self):
        """For the life of the process; threads that start from here on are followed."""
        for name in _STARTERS:
            for module, attribute in ((_thread, name), (threading, f"_{name}")):
                if hasattr(module, attribute):
                    setattr(module, attribute, _following(getattr(module, attribute), self._event, self.thread_ends))

        def hook(event, args):
            try:
                if event in {"sys.setprofile", "sys.settrace"}:
                    self._function_set(event, _getframe(1).f_code)
                elif event in _THREADS:
                    self._thread_started(args[0])
                elif event == "sys.addaudithook":
                    self._note("adds an audit hook, whose code is not traced")
                elif event == "cpython.PyInterpreterState_New":
                    self._note("starts another interpreter")
                elif event == "object.__setattr__" and type(args[0]) is types.FunctionType:
                    if args[1] == "__code__" and args[0].__code__.co_filename.startswith(_HERE):
                        self._note("changes the harness's code")
                elif event in _FILES and any(type(arg) is str and arg == self._log() for arg in args[:2]):
                    self._log_reached(_getframe(1).f_code)
            except IndexError:  # an event of the subject's own making
                return

        _addaudithook(hook)

    def expect(self):
        """We are about to set the profile function, once."""
        self._ours = 1

    def _function_set(self, event, caller):
        if event == "sys.setprofile" and caller.co_filename.startswith(_HERE):
            if caller is THREAD:
                return
            if self._ours:
                self._ours = 0
                return
        # What a trace function does is not traced; taking one away, as doctest does at its end, is nothing by itself.
        if event == "sys.setprofile" or _gettrace() is not None:
            self._note(f"calls {event}")

    def thread_ends(self):
        """A trace function that is still set in this thread was there unseen."""
        if _gettrace() is not None:
            self._note("calls sys.settrace")

    def _log_reached(self, caller):
        if not caller.co_filename.startswith(_HERE):
            self._note("reaches for the harness's log")

    def _thread_started(self, function):
        """Where the interpreter has this event, it tells of starters that the subject found elsewhere."""
        if type(function) is not types.FunctionType or function.__code__ is not THREAD:
            self._note("starts a thread that is not traced")


def _following(start, event, ends):
    """A function of `_thread` that starts a thread, so that the thread is traced."""

    def starter(function, *args, **options):
        return start(_run(function, event, ends), *args, **options)

    return starter


def _run(function, event, ends):
    def run(*args, **options):
        _setprofile(event)
        try:
            return function(*args, **options)
        finally:
            ends()

    return run


THREAD = _run(None, None, None).__code__
"""The code that a thread which is followed begins with."""
