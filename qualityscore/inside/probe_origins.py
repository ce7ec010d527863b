"""Notes calls of the surface on objects that another call of it made: `thing.open("a").table("b").insert(1)`.

Runs on the reference only, never on a subject.
"""

from __future__ import annotations

import ast
import inspect
import types

import probe_names
import probe_tracing

_BINARY = {
    "__eq__": "==",
    "__ne__": "!=",
    "__lt__": "<",
    "__le__": "<=",
    "__gt__": ">",
    "__ge__": ">=",
    "__and__": "&",
    "__or__": "|",
    "__xor__": "^",
    "__add__": "+",
    "__sub__": "-",
    "__mul__": "*",
    "__truediv__": "/",
    "__floordiv__": "//",
    "__mod__": "%",
}
_UNARY = {"__invert__": "~", "__neg__": "-", "__pos__": "+"}
_SUBJECT = "subject"
_BINDS = f"{_SUBJECT} = "
_PAUSES = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class _Origin:
    """How an object came to be: statements that make it as `subject`, and the calls on it since (None: unknown)."""

    def __init__(self, lines):
        self.lines, self.steps = lines, []

    def setup(self):
        return None if self.steps is None else [*self.lines, *self.steps]


class Following(probe_tracing.Watch):
    """A profile function that notes more calls than its base.

    An instance may come from a function of the surface, or from a method, a property or an operator of an instance that
    is known itself; its setup then is that of its maker so far and the call that gave it. The maker's later calls are
    not followed. An object whose methods are reached as attributes of another one is written as that other one.
    Methods that a module offers bound to an object of its own (`do = _Default().do`) are noted as functions.
    """

    def __init__(self, state, folder, limit):
        super().__init__(state, folder, limit)
        self.surface = state["surface"]
        self.bound, self.origins, self.begun = {}, {}, {}
        for name in state["entries"]:
            found = probe_names.resolve(self.surface, name)
            if type(found) is types.MethodType:
                self.bound.setdefault((id(found.__self__), probe_names.code_of(found)), name)

    def __call__(self, frame, event, argument):
        if event == "return":
            begun = self.begun.pop(frame, None)
            if begun is not None:
                self._made(argument, *begun)
            return
        if event != "call" or frame.f_back is None or not frame.f_back.f_code.co_filename.startswith(self.folder):
            return
        code = frame.f_code
        first = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        kind = type(first)
        if (id(first), code) in self.bound:
            self._on_function(self.bound[id(first), code], frame, skip=1)
        elif (id(first) in self.origins or kind in self.classes) and probe_tracing.is_method(kind, code):
            self._on_instance(frame, first, kind)
        elif code in self.functions and code.co_varnames[:1] != ("self",):
            self._on_function(self.functions[code], frame, skip=0)

    def working(self, surface):
        """The calls per entry whose instance can be made again."""
        for name, calls in self.calls.items():
            kept = []
            for call in calls:
                setup = probe_tracing.that_work(call["setup"], surface)
                binds = [line for line in call["setup"] if line.startswith(_BINDS)]
                if [line for line in setup if line.startswith(_BINDS)] == binds:
                    kept.append({**call, "setup": setup})
            self.calls[name] = kept
        return self.calls

    def _on_function(self, name, frame, skip):
        self._note(name, [], frame, skip)
        given = self._arguments(frame, skip)
        if given is not None and not given[3] and not frame.f_code.co_flags & _PAUSES:
            call = f"{name}({probe_tracing.joined(*given)})"
            self.begun[frame] = (None, call, call, None)

    def _on_instance(self, frame, instance, kind):
        method = frame.f_code.co_name
        given = self._arguments(frame, skip=1)
        if method in ("__init__", "__new__"):
            if method == "__init__" and given is not None and kind in self.classes:
                self._constructed(frame, instance, self.classes[kind], given)
            return
        origin = self.origins.get(id(instance))
        setup = origin.setup() if origin is not None else None
        if setup is None:
            return
        owners = (f"{self.classes[base]}.{method}" for base in kind.__mro__ if base in self.classes)
        name = next((owner for owner in owners if owner in self.calls), None)
        if name is not None:
            self._note(name, setup, frame, skip=1)
        is_property = isinstance(inspect.getattr_static(kind, method, None), property)
        if given is not None and not given[3] and not frame.f_code.co_flags & _PAUSES:
            known = self.known.get(id(instance)) if not origin.steps else None
            texts = [_expression(maker, method, given, is_property) for maker in (_SUBJECT, known)]
            if texts[0] is not None:
                self.begun[frame] = (origin, *texts, setup)
        step = probe_tracing.as_step(method, given) if given is not None else None
        if step is None or len(origin.steps) >= probe_tracing.MOST_STEPS:
            origin.steps = None
        elif step and not is_property:
            origin.steps.append(step)

    def _constructed(self, frame, instance, name, given):
        text = f"{name}({probe_tracing.joined(*given)})"
        self.held.append(instance)
        if not given[3]:
            self.known[id(instance)] = text
        self.origins[id(instance)] = _Origin([*(f"import {m}" for m in given[3]), _BINDS + text])
        self._note(name, [], frame, skip=1)

    def _made(self, value, maker, text, expression, setup):
        """Note how a call's result was made: by `text` after `setup`, or by one `expression`."""
        if type(value) is types.MethodType:
            owner = value.__self__
            if maker is not None and text == f"{_SUBJECT}.{value.__name__}" and self._is_new(owner):
                self.held.append(owner)
                self.origins[id(owner)] = maker
            return
        if not self._is_new(value):
            return
        self.held.append(value)
        if expression is not None:
            self.known[id(value)] = expression
        self.origins[id(value)] = _Origin([_BINDS + expression] if expression else [*setup, _BINDS + text])

    def _is_new(self, value):
        """Whether it is an object of the reference's own, or a function, that nothing else makes."""
        if id(value) in self.origins or id(value) in self.names:
            return False
        module = value.__module__ if type(value) is types.FunctionType else type(value).__module__
        return type(module) is str and module.partition(".")[0] in self.surface


def _expression(maker, method, given, is_property):
    """What gives the result of a method of `maker`; None where this has no text."""
    if maker is None:
        return None
    if is_property:
        return f"{maker}.{method}"
    texts = [*(text for _, text in given[0]), *given[1]]
    if not texts and (method in _BINARY or method in ("__getattr__", "__getitem__")):
        return None
    if method == "__call__":
        return f"{maker}({probe_tracing.joined(*given)})"
    if method == "__getattr__":
        return f"{maker}.{ast.literal_eval(texts[0])}"
    if method == "__getitem__":
        return f"{maker}[{texts[0]}]"
    if method in _BINARY:
        return f"({maker} {_BINARY[method]} {texts[0]})"
    if method in _UNARY:
        return f"({_UNARY[method]}{maker})"
    return None if method.startswith("__") else f"{maker}.{method}({probe_tracing.joined(*given)})"
