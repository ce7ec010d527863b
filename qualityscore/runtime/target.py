"""What the dynamic stages need to know about the code they run: subject or reference alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from qualityscore.model.task import Task
from qualityscore.runtime.sandbox.base import Sandbox


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """A task's virtual environment: built by uv from hash-locked requirements, never with our own packages.

    `prefix` is mounted at ENV_DIR; `base_prefix` is the interpreter installation that it links to, mounted at its own
    path. `python` is the interpreter's path inside the sandbox.
    """

    prefix: Path
    base_prefix: Path
    python: str
    version: str  # full, such as 3.11.7
    lock_digest: str

    @property
    def minor(self) -> str:
        """Such as 3.11."""
        return ".".join(self.version.split(".")[:2])


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A private copy of a repository, readable by the sandbox, never modified.

    `root` is mounted at SUBJECT_DIR. `import_roots` are the folders (relative to root, "." for itself) that are put
    on sys.path inside. `files` are all regular files, relative, sorted. `digest` is over names and contents.
    """

    root: Path
    import_roots: tuple[str, ...]
    files: tuple[str, ...]
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One tree in one environment under one sandbox, for one task.

    `stopped` are modules of the surface whose import was seen to hang or to end its process, with the reason: no stage
    waits for them again.
    """

    task: Task
    tree: Tree
    environment: Environment
    sandbox: Sandbox
    is_reference: bool = False
    stopped: Mapping[str, str] = field(default_factory=dict)
