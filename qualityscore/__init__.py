"""The score that people trust for code nobody has read.

`evaluate(repo, task=...)` gives a `Report`; `snapshot(what)` gives a baseline `Snapshot`. Both are imported when first
used, so that importing the package is cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qualityscore.model.report import Report
    from qualityscore.model.task import Task
    from qualityscore.pipeline import evaluate
    from qualityscore.snapshots import take_snapshot as snapshot

__all__ = ["Report", "Task", "evaluate", "snapshot"]

_HOMES = {
    "evaluate": ("qualityscore.pipeline", "evaluate"),
    "snapshot": ("qualityscore.snapshots", "take_snapshot"),
    "Task": ("qualityscore.model.task", "Task"),
    "Report": ("qualityscore.model.report", "Report"),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'qualityscore' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)
