"""The writable folders of a sandbox: what a unit leaves there is removed before the next one starts.

Standard library only; runs inside the sandbox, and outside where a scratch folder is removed.
"""

import contextlib
import os
import stat

_MANY_FILES = 200_000  # a kernel inode costs about a kilobyte that no size limit of a tmpfs counts


class Scratch:
    """TMPDIR, HOME and the working directory; with `private`, also /tmp and /dev/shm, which then are nobody else's.

    The folders themselves are put back as they were. Only names at their top are compared: what is changed inside a
    folder that stays, stays changed.
    """

    def __init__(self, *, private: bool) -> None:
        places = [os.environ.get("TMPDIR", ""), os.environ.get("HOME", ""), os.getcwd()]
        if private:
            places += ["/tmp", "/dev/shm"]
        self._private = private
        self._places = [place for place in dict.fromkeys(places) if os.path.isdir(place) and os.access(place, os.W_OK)]
        self._modes = {place: stat.S_IMODE(os.stat(place).st_mode) for place in self._places}
        self.remember()
        self._first = self._kept

    def remember(self) -> None:
        """Take what is there now as what stays."""
        self._kept = {place: set(_names(place)) for place in self._places}

    def clear(self) -> None:
        """Remove what has come since, and put back what is gone or closed."""
        for place in sorted(self._places):
            _restore(place, self._modes[place])
            for name in set(_names(place)) - self._kept[place]:
                remove(os.path.join(place, name))

    def reset(self) -> None:
        """Remove all that has come since the beginning."""
        self._kept = self._first
        self.clear()

    def is_crowded(self) -> bool:
        """Whether more files exist than memory for their inodes should be spent on; only where they are all ours."""
        if not self._private:
            return False
        for place in self._places:
            with contextlib.suppress(OSError):
                state = os.statvfs(place)
                if state.f_files - state.f_ffree > _MANY_FILES:
                    return True
        return False


def _restore(place: str, mode: int) -> None:
    with contextlib.suppress(OSError):
        os.mkdir(place)
    with contextlib.suppress(OSError):
        if stat.S_IMODE(os.lstat(place).st_mode) != mode and not os.path.islink(place):
            os.chmod(place, mode)


def _names(place: str) -> list[str]:
    try:
        return os.listdir(place)
    except OSError:
        return []


def remove(path: str) -> None:
    """Remove a file or a tree, also one whose folders were closed to their owner; what resists is left."""
    with contextlib.suppress(OSError):
        if not os.path.isdir(path) or os.path.islink(path):
            os.unlink(path)
            return
    waiting = [path]
    while waiting:
        folder = waiting.pop()
        with contextlib.suppress(OSError):
            os.chmod(folder, 0o700)
            with os.scandir(folder) as entries:
                waiting.extend(entry.path for entry in entries if entry.is_dir(follow_symlinks=False))
    import shutil  # noqa: PLC0415 - seldom needed, and otherwise loaded in every child

    with contextlib.suppress(RecursionError):
        shutil.rmtree(path, ignore_errors=True)
