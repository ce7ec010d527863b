"""A folder as bytes, to evaluate it on another machine."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path


def packed(folder: Path) -> bytes:
    """A folder's regular files as a compressed tar; version control, links and what is no file are left out."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as tar:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.is_symlink() and ".git" not in path.relative_to(folder).parts:
                tar.add(path, path.relative_to(folder).as_posix(), recursive=False)
    return buffer.getvalue()
