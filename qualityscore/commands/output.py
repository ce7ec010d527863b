"""Where a command writes: checked before the work starts, whole or not at all."""

from __future__ import annotations

import argparse
import errno
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from qualityscore.errors import OutputError, UsageError


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """The option that every command with a document has."""
    parser.add_argument("--json", metavar="FILE", help="write the JSON document to FILE, or to standard output with -")


def path(text: str) -> str:
    """The type of an argument that names a place to read: an empty one would mean the working folder."""
    if not text:
        raise argparse.ArgumentTypeError("the path is empty")
    return text


def whole_number(*, least: int, most: int) -> Callable[[str], int]:
    """The type of an argument that is a whole number from `least` to `most`."""

    def number(text: str) -> int:
        try:
            value: int | None = int(text)
        except ValueError:
            value = None
        if value is None or not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is no whole number from {least} to {most}")
        return value

    return number


seed = whole_number(least=0, most=2**32 - 1)
"""The type of a seed."""


def same_file(one: str, other: str) -> bool:
    """Whether two outputs would overwrite each other: one regular file, there already or not."""
    first, second = Path(one).resolve(), Path(other).resolve()
    return first == second and (first.is_file() or not first.exists())


def check_outputs(*targets: str | None) -> None:
    """Raise OutputError or UsageError now rather than after long work: for all outputs of one command together.

    Each must be writable, one document at most goes to standard output (by whatever name), and no two to one file.
    """
    given = [target for target in targets if target is not None]
    for target in given:
        check_writable(target)
    if sum(map(is_stdout, given)) > 1:
        raise UsageError("Only one document can go to standard output; give the others a file.")
    for index, target in enumerate(given):
        if any(target != "-" and same_file(target, other) for other in given[:index]):
            raise UsageError(f"Two documents cannot both go to {target}; give one of them another file.")


def is_stdout(target: str | None) -> bool:
    """Whether a document goes to standard output, by whatever name: nothing else may go there then."""
    if target is None or target == "-":
        return target is not None
    try:
        place = Path(target).stat()
        return os.path.samestat(place, os.fstat(1)) and not os.path.samestat(place, Path(os.devnull).stat())
    except OSError:  # not there yet, or standard output is closed
        return False


def _followed(target: str) -> Path:
    """The file that a link stands for, there already or not; pipes and devices keep the name that opens them.

    Raises OSError for links in a circle.
    """
    path = Path(target)
    try:
        return path.resolve() if path.is_symlink() and (path.is_file() or not path.exists()) else path
    except RuntimeError as error:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from error


def check_writable(target: str | None, *, appended: bool = False) -> None:
    """Raise OutputError now rather than after a long evaluation: tries what `write` will do, and leaves no trace.

    `appended` is for a file that is written in place rather than replaced.
    """
    if target is None or target == "-":
        return
    if not target:
        raise OutputError("The name of an output is empty; give the name of a file to write, or - for standard output.")
    try:
        path = _followed(target)
        if path.is_dir():
            raise OutputError(f"{target} is a folder; give the name of a file to write.")
        if not path.parent.is_dir():
            raise OutputError(f"The folder {path.parent} of the output {target} does not exist; make it first.")
        if not path.exists() or (path.is_file() and not appended):
            with tempfile.TemporaryFile(dir=path.parent):
                return
        if path.is_fifo():  # opened and closed, it would tell its reader that all is over
            if not os.access(path, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return
        os.close(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC))
    except (OSError, ValueError) as error:  # a name that is too long, or holds a null character
        reason = error.strerror if isinstance(error, OSError) else error
        raise OutputError(f"{target} cannot be written: {reason}; give another name.") from error


def drop_stdout() -> None:
    """Send what standard output still holds, and all that follows, nowhere: the place that it went to takes no more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def to_stdout(text: str) -> None:
    """Write to standard output now. Raises OutputError where it takes no more, BrokenPipeError where nobody reads."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        drop_stdout()
        raise OutputError(f"Standard output cannot be written: {error.strerror}.") from error


def write(target: str, text: str) -> None:
    """Write a document to a file, by way of a temporary one beside it, or to standard output with `-`.

    A link is followed, never replaced; a name of standard output, such as /dev/stdout, is standard output. Raises
    OutputError when the file cannot be written.
    """
    if is_stdout(target):
        to_stdout(text)
        return
    try:
        path = _followed(target)
        if path.exists() and not path.is_file():  # /dev/stdout, a named pipe
            path.write_text(text, "utf-8")
            return
        descriptor, name = tempfile.mkstemp(prefix=".qualityscore-", dir=path.parent)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            umask = os.umask(0)
            os.umask(umask)
            Path(name).chmod(0o666 & ~umask)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OutputError(f"{target} cannot be written: {error.strerror}.") from error
