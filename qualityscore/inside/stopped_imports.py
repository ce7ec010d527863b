"""Refuses imports that were seen to hang or to end their process, so that nobody waits for them a second time.

Standard library only; runs inside the sandbox.
"""


class StoppedImports:
    """A finder for the head of `sys.meta_path`; `reasons` holds, by module, what its import did."""

    def __init__(self, reasons):
        self._reasons = dict(reasons)

    def find_spec(self, name, path=None, target=None):
        """Raise ImportError for such a module, leave every other one to the next finder."""
        del path, target
        if name in self._reasons:
            raise ImportError(self._reasons[name], name=name)
