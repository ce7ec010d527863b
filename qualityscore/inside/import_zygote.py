"""Whether the modules of a surface can be imported, one per unit. Standard library only; runs inside the sandbox."""

import importlib
import os
import sys

import failure
import wire


def prepare(args):
    """Make the subject importable; nothing of it is imported here."""
    sys.path[:0] = args["roots"]
    return args["subject"]


def run(subject, args, send):
    """Import one module and send its state; leaving without a message means that the import ended the process."""
    name = args["module"]
    state = {"state": "importable", "raised": None}
    own = os.getpid()
    try:
        module = importlib.import_module(name)
        places = [getattr(module, "__file__", None), *list(getattr(module, "__path__", []) or [])]
        if not any(type(place) is str and place.startswith(subject + "/") for place in places):
            state["state"] = "missing"
    except ModuleNotFoundError as error:
        missing = error.name == name or name.startswith(f"{error.name}.")
        described = failure.describe(error, subject, subject)
        state = {"state": "missing" if missing else "broken", "raised": described}
    except BaseException as error:
        state = {"state": "broken", "raised": failure.describe(error, subject, subject)}
    if os.getpid() == own:
        send(wire.dumps(state).encode())
