"""One pass over a package in a fresh process, for `bench_static.py`; prints the seconds of the call.

    python tests/bench/static_pass.py ROOT CACHE [ANALYSER ...]

Without analysers the static pass, else these alone. Nothing is imported that the work does not need.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path


def tools(root: Path, cache: Path) -> float:
    from qualityscore.collectors.one_pass import observe
    from qualityscore.collectors.static import context_for, parse
    from qualityscore.languages.python_production import scan_tree

    started = time.perf_counter()
    context = context_for(scan_tree(root), judged=None, cache=cache)
    parse(observe(context), context)
    return time.perf_counter() - started


def analysers(root: Path, which: tuple[str, ...]) -> float:
    from qualityscore.analysers.documents import document
    from qualityscore.analysers.repository import read_repository

    started = time.perf_counter()
    document(read_repository(root), which)
    return time.perf_counter() - started


if __name__ == "__main__":
    place, *names = sys.argv[2:]
    call_s = analysers(Path(sys.argv[1]), tuple(names)) if names else tools(Path(sys.argv[1]), Path(place))
    print(json.dumps({"call_s": call_s}))
