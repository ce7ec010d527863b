"""How wide the output may be."""

from __future__ import annotations

import os
import shutil
import sys


def terminal_width() -> int:
    """Columns of the terminal; 100 where there is none."""
    return shutil.get_terminal_size((100, 24)).columns


def listing_width() -> int | None:
    """Columns that a listing keeps to; None where it goes into a pipe or a file, whose lines may be of any length."""
    return terminal_width() if sys.stdout.isatty() or os.environ.get("COLUMNS") else None
