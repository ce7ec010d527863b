"""`qualityscore cache info|clear`."""

from __future__ import annotations

import argparse
import sys


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = subparsers.add_parser("cache", help="what is cached, and how to empty it")
    parser.add_argument("verb", choices=("info", "clear"))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the sections with their sizes, or remove them all."""
    from qualityscore.runtime import cache  # noqa: PLC0415

    root = cache.cache_root()
    if arguments.verb == "clear":
        freed = cache.clear(root)
        sys.stdout.write(f"removed {freed / 2**20:.1f} MiB from {root}\n")
        return 0
    sections = cache.info(root)
    sys.stdout.write(f"{root}\n")
    for section in sections:
        sys.stdout.write(f"  {section.name:<14} {section.entries:>5} entries {section.size_bytes / 2**20:>9.1f} MiB\n")
    if not sections:
        sys.stdout.write("  empty\n")
    return 0
