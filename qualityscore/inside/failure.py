"""An exception as plain data: its classes, text and frames, for the classification of failures outside.

Standard library only; runs inside the sandbox.
"""

import sys

import naming

_TEXT = 2000
_FRAMES = 40


def describe(error, subject, suite):
    """JSON-able description of an exception; `subject` and `suite` are the folders whose frames are told apart."""
    described = {
        "type": naming.type_name(type(error)),
        "bases": [naming.type_name(kind) for kind in naming.mro(type(error))][:20],
        "text": _text(error),
        "frames": _frames(error, subject, suite),
    }
    if isinstance(error, SyntaxError):
        line = error.lineno if type(error.lineno) is int else None
        described["location"] = [*_place(_plain(error.filename) or "", subject, suite), line]
    if isinstance(error, ImportError):
        described["module"] = _plain(error.name)
    if isinstance(error, AttributeError):
        owner = type(error.obj)
        home = sys.modules.get(_plain(getattr(owner, "__module__", None)) or "")
        place = _plain(getattr(home, "__file__", None)) or ""
        described["subjects_object"] = place.startswith(subject + "/")
        if owner is type(sys):
            described["subjects_module"] = (_plain(getattr(error.obj, "__file__", None)) or "").startswith(subject)
    return described


def _frames(error, subject, suite):
    """(subject, suite or other; file, line, function) from the outermost frame inwards; the innermost ones are kept."""
    found = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        found.append([*_place(code.co_filename, subject, suite), trace.tb_lineno, name])
        trace = trace.tb_next
    return found[-_FRAMES:]


def _place(path, subject, suite):
    for name, folder in (("subject", subject), ("suite", suite)):
        if path.startswith(folder + "/"):
            return [name, path[len(folder) + 1 :]]
    return ["other", path]


def _text(error):
    try:
        return str(error)[:_TEXT]
    except Exception:
        return ""


def _plain(value):
    return value if type(value) is str else None
