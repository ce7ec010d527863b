"""The command ``python -m xmltodict DEPTH``."""

from __future__ import annotations

import argparse
import marshal
import sys
from typing import Any

from . import parse


def _depth(text: str) -> int:
    """Read a depth."""
    depth = int(text)
    if depth < 0:
        raise ValueError("a depth is not negative")
    return depth


def main() -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m xmltodict",
        description="Read a document from standard input and write its elements at a depth, "
        "as pairs (path, item) in the format of marshal, to standard output.",
    )
    parser.add_argument("depth", type=_depth, help="the root has depth 1; 0: the document")
    depth = parser.parse_args().depth
    output = sys.stdout.buffer

    def write(path: list[Any], item: Any) -> bool:
        marshal.dump((path, item), output)
        return True

    document = parse(sys.stdin.buffer, item_depth=depth, item_callback=write)
    if depth == 0:
        write([], document)
    output.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
