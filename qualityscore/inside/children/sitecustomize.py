"""Start-up of Python processes that a test starts: the subject is importable, its own start-up hooks do not run."""

import os
import sys
import types

# imported by site after this module, and by now it could come from the subject
sys.modules["usercustomize"] = types.ModuleType("usercustomize")
sys.path[1:1] = [r for r in os.environ.get("QS_ROOTS", "").split(os.pathsep) if r and r not in sys.path]

if "QS_TRACE" in os.environ:
    import json

    _folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path.insert(0, _folder)
    import tracer as _module

    sys.path.remove(_folder)
    for _name in (
        "tracer",
        "executed_code",
        "executed_texts",
        "source_codes",
        "tracing_guard",
    ):  # the subject may have modules of these names
        del sys.modules[_name]
    _tracer = _module.Tracer(json.loads(os.environ["QS_TRACE"]))
    _tracer.watch()
    _tracer.start()
