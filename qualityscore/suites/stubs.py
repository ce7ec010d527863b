"""Stand-ins for a surface that do nothing: what they answer as the reference does is no evidence of anything.

Each form of stub gives every function and method of the surface the same body: it echoes an argument, returns a
constant, raises, or hands a function back undecorated. The text is made from the reviewed surface alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import PurePosixPath

from qualityscore.model.task import SurfaceEntry

_MOST_ARGUMENTS = 6
_CONSTANTS = ("None", "True", "False", "0", "1", "-1", "0.0", "'value'", "''", "b''", "()", "[]", "{}", "[None]")


def forms(entries: Iterable[SurfaceEntry]) -> dict[str, str]:
    """Each form's name and the expression that its functions return.

    The expression may use `names` (the parameters in the reviewed signature, without self), `args`, `kwargs` and
    `given`, the list of all arguments in the order of the signature.
    """
    most = max((len(parameters(entry)) for entry in entries), default=0)
    found = {"echo of its first argument": "given[0] if given else None"}
    for number in range(1, min(most, _MOST_ARGUMENTS)):
        found[f"echo of argument {number + 1}"] = f"given[{number}] if len(given) > {number} else None"
    found |= {
        "echo of its last argument": "given[-1] if given else None",
        "echo of *args": "args",
        "echo of *args without the first": "args[1:]",
        "echo of *args as a list": "list(args)",
        "echo of **kwargs": "kwargs",
        "echo of *args and **kwargs": "(args, kwargs)",
        "echo of all arguments": "tuple(given)",
        "echo as text": "str(given[0]) if given else ''",
        "identity decorator": "_same",
        "decorator of a function that echoes": "_decorator",
        "echo of all arguments of what it decorates": "_listing",
        "raising": "_refuse()",
    }
    return found | {f"constant {text}": text for text in _CONSTANTS}


def parameters(entry: SurfaceEntry) -> tuple[str, ...]:
    """The parameters that the reviewed signature names, without `self` and without those with a star."""
    try:
        (function,) = ast.parse(f"def f{entry.signature or '()'}: ...").body
    except (SyntaxError, ValueError):
        return ()
    assert isinstance(function, ast.FunctionDef)
    arguments = function.args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return tuple(names[1:] if entry.kind == "method" and names[:1] in (["self"], ["cls"]) else names)


def sources(entries: Iterable[SurfaceEntry], imports: Iterable[str], expression: str) -> dict[PurePosixPath, str]:
    """The files of a stub subject: every module of the surface, whose functions return `expression`."""
    modules = tuple(imports)
    entries = tuple(entries)
    files = {}
    for module in modules:
        inner = [other for other in modules if other.startswith(module + ".")]
        own = [entry for entry in entries if _module(entry.name, modules) == module]
        text = _HEAD.format(expression=expression) + "".join(_definitions(own, module))
        text += "".join(f"\nfrom . import {other[len(module) + 1 :]}\n" for other in inner if other.count(".") == 1)
        folder = PurePosixPath(*module.split("."))
        files[folder / "__init__.py" if inner or "." not in module else folder.with_suffix(".py")] = text
    return files


_HEAD = '''"""A stub."""


def _same(function=None, *args, **kwargs):
    return function


def _decorator(function=None, *args, **kwargs):
    return _same


def _listing(function=None, *args, **kwargs):
    return lambda *args, **kwargs: [list(args), sorted(kwargs.items())]


def _refuse():
    raise RuntimeError("not written yet")


def _give(names, args, kwargs):
    given = [*args, *(kwargs[name] for name in names if name in kwargs)]
    given += [value for name, value in kwargs.items() if name not in names]
    return {expression}


class _Stub:
    def __setitem__(self, *args):
        return None

    def __delitem__(self, *args):
        return None

    def __getitem__(self, *args):
        return _give((), args, {{}})

    def __contains__(self, *args):
        return bool(_give((), args, {{}}))

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return None

    def __call__(self, *args, **kwargs):
        return _give((), args, kwargs)
'''


def _module(name: str, modules: tuple[str, ...]) -> str:
    return max((module for module in modules if name.startswith(module + ".")), key=len, default="")


def _definitions(entries: list[SurfaceEntry], module: str) -> list[str]:
    lines = []
    methods: dict[str, list[SurfaceEntry]] = {}
    for entry in entries:
        owner, _, _ = entry.name[len(module) + 1 :].rpartition(".")
        methods.setdefault(owner, []).append(entry)
    for entry in methods.pop("", []):
        name = entry.name[len(module) + 1 :]
        match entry.kind:
            case "constant":
                lines.append(f"\n\n{name} = []\n")
            case "exception":
                lines.append(f"\n\nclass {name}(Exception):\n    pass\n")
            case "class":
                lines.append(f"\n\nclass {name}(_Stub):\n    def __init__(self, *args, **kwargs):\n")
                lines.append(f"        self.value = _give({parameters(entry)!r}, args, kwargs)\n")
                for method in methods.pop(name, []):
                    lines.append(f"\n    def {method.name.rpartition('.')[2]}(self, *args, **kwargs):\n")
                    lines.append(f"        return _give({parameters(method)!r}, args, kwargs)\n")
            case _:
                lines.append(f"\n\ndef {name}(*args, **kwargs):\n")
                lines.append(f"    return _give({parameters(entry)!r}, args, kwargs)\n")
    return lines
