"""A task: a pinned reference, its surface, and the suites that judge a subject. Read strictly from `task.toml`."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ReferenceSpec(_Strict):
    """Where the pinned reference comes from: a release's sdist, or a path, or a git commit."""

    distribution: str | None = None
    version: str | None = None
    sdist_sha256: Annotated[str | None, Field(pattern=r"^[0-9a-f]{64}$")] = None
    path: str | None = None
    git: str | None = None
    commit: str | None = None

    @model_validator(mode="after")
    def _one_source(self) -> ReferenceSpec:
        release = self.distribution and self.version and self.sdist_sha256
        sources = [bool(release), bool(self.path), bool(self.git and self.commit)]
        if sum(sources) != 1:
            raise ValueError("give exactly one of distribution+version+sdist_sha256, path, or git+commit")
        return self


class EnvironmentSpec(_Strict):
    """The interpreter range (PEP 440) and the hash-locked requirements of the task's environment."""

    python: str
    lock: str


class SurfaceSpec(_Strict):
    """The import names that a subject must offer; the reviewed names and signatures are in `surface.json`."""

    imports: Annotated[list[str], Field(min_length=1)]


class SuiteSpec(_Strict):
    """One suite's files (globs relative to the task folder) and limits."""

    files: Annotated[list[str], Field(min_length=1)]
    test_timeout_s: Annotated[float, Field(gt=0, le=600)] = 10.0
    total_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 120.0
    memory_mib: Annotated[int, Field(ge=64, le=65536)] = 1024
    processes: Annotated[int, Field(ge=8, le=4096)] = 64
    output_kib: Annotated[int, Field(ge=16, le=65536)] = 1024


class TaskSpec(_Strict):
    """The content of `task.toml`. Unknown keys are errors."""

    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    title: str
    scenario: Literal["data", "security", "web", "command_line", "text", "observability", "utilities"]
    level: Literal["repository"] = "repository"
    language: Literal["python"] = "python"
    reference: ReferenceSpec
    environment: EnvironmentSpec
    surface: SurfaceSpec
    suites: dict[Literal["functional", "robustness", "cost"], SuiteSpec]
    documented_exceptions: list[str] = []


class SurfaceEntry(_Strict):
    """One documented public name. `bodiless` marks what has no body in the reference and is never a stub."""

    name: str
    kind: Literal["function", "class", "method", "constant", "exception"]
    signature: str | None = None
    bodiless: bool = False
    summary: str = ""


class Surface(_Strict):
    """The reviewed content of `surface.json`; names are dotted from the import name (`cachetools.LRUCache.popitem`)."""

    entries: list[SurfaceEntry]


class Task(_Strict):
    """A task with the folders that it was read from."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    spec: TaskSpec
    surface: Surface
    folder: Path
    probes_folder: Path
    digest: str

    @property
    def id(self) -> str:
        """The task's identifier."""
        return self.spec.id

    def suite_files(self, suite: Literal["functional", "robustness", "cost"]) -> tuple[Path, ...]:
        """The suite's files in sorted order (robustness and cost files lie in `probes/<task>/`)."""
        spec = self.spec.suites.get(suite)
        if spec is None:
            return ()
        base = self.folder if suite == "functional" else self.probes_folder
        found = {p for pattern in spec.files for p in base.glob(str(PurePosixPath(pattern))) if p.is_file()}
        return tuple(sorted(found))
