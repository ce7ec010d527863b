"""`qualityscore doctor`: what this host offers, and how to get what is missing."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys

from qualityscore.commands.terminal import listing_width


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = subparsers.add_parser("doctor", help="what this host offers: sandbox, counters, tools, cores")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print one line per thing; exit 3 when nothing could be evaluated here."""
    from qualityscore.reports.tables import listing  # noqa: PLC0415
    from qualityscore.runtime.cache import cache_root  # noqa: PLC0415
    from qualityscore.runtime.fingerprint import fingerprint  # noqa: PLC0415
    from qualityscore.runtime.host import facts  # noqa: PLC0415
    from qualityscore.runtime.sandbox import PROVIDERS  # noqa: PLC0415
    from qualityscore.runtime.sandbox.matrix import capability_matrix  # noqa: PLC0415

    del arguments
    rows, usable = [], True
    for fact in facts():
        rows.append((fact.name, ("yes: " if fact.works else "no: ") + fact.detail))
        if fact.remedy:
            rows.append(("", f"to get it: {fact.remedy}"))
        usable = usable and (fact.works or not fact.needed)
    mark = fingerprint()
    free = shutil.disk_usage(cache_root() if cache_root().exists() else "/").free
    rows += [
        ("interpreter", f"{platform.python_implementation()} {platform.python_version()} ({sys.executable})"),
        ("cores", f"{len(os.sched_getaffinity(0))} usable, {mark.cpu_model}"),
        ("cache", f"{cache_root()}, {free / 2**30:.1f} GiB free"),
        ("host fingerprint", mark.digest),
    ]
    matrix = capability_matrix(PROVIDERS)
    promises = [(str(row.capability), *("yes" if promised else "–" for _, promised in row.promised)) for row in matrix]
    columns = ("what a sandbox promises", *(name for name, _ in matrix[0].promised))
    width = listing_width()
    sys.stdout.write(listing(("", ""), rows, width=width, folded=1))
    sys.stdout.write("\n" + listing(columns, promises, width=width, folded=0))
    return 0 if usable else 3
