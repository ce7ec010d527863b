"""Whose doing an operating system's refusal is: the content that was being read or written, or the host."""

from __future__ import annotations

import errno

_OF_CONTENT = frozenset(
    {
        errno.ENAMETOOLONG,
        errno.ELOOP,
        errno.EEXIST,
        errno.ENOTDIR,
        errno.EISDIR,
        errno.EINVAL,  # a place in a file that there cannot be, a name that a file system does not take
        errno.EILSEQ,
    }
)
_OF_A_PATH = _OF_CONTENT | {errno.ENOENT, errno.EACCES, errno.EPERM}


def is_content(error: OSError) -> bool:
    """Whether names or bytes were at fault. Without a number it is a decompressor that says so (gzip, bz2)."""
    return error.errno is None or error.errno in _OF_CONTENT


def is_path(error: OSError) -> bool:
    """Whether a path that somebody named was at fault: missing, not to be read, or no path at all."""
    return error.errno in _OF_A_PATH
