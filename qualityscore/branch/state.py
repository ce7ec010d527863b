"""One state of a repository, measured: its tests' verdicts, its code, its public names. Kept, or written to a file."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import platform
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

import qualityscore
from qualityscore.analysers.contained import Unreadable, contained_structure, contained_surface
from qualityscore.analysers.gather import gather
from qualityscore.analysers.public import PublicName
from qualityscore.branch.definitions import Definition, Reading, read_definitions
from qualityscore.branch.own_tests import OwnRun
from qualityscore.branch.project import Project
from qualityscore.branch.settings import ProductionSpec, overruled
from qualityscore.collectors import static as static_collectors
from qualityscore.collectors.context import StaticContext, StaticOutcome
from qualityscore.core.matching import Located
from qualityscore.errors import SnapshotError
from qualityscore.model.codec import adapter, dump
from qualityscore.model.finding import Finding
from qualityscore.model.foreign import first_problem, non_finite
from qualityscore.model.measure import Fault, Unavailable
from qualityscore.model.report import SCORE_MODEL
from qualityscore.runtime.cache import cache_root
from qualityscore.runtime.documents import read_at_most
from qualityscore.runtime.target import Environment, Tree

STATE_SCHEMA_VERSION = 1
MAX_SNAPSHOT_BYTES = 512 << 20
_KIND = "repository state"


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A public name: where it is defined (`origin`, module and qualified name), and whether it has no body."""

    name: str
    kind: str
    origin: str
    stub: bool
    signature: str | None

    @property
    def qualname(self) -> str:
        """The qualified name within its module."""
        return self.origin.rpartition(":")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """What reading a state gives.

    `names` are its public names (None where they cannot be read), `unknown` those that are made at run time.
    `located` are the findings with their surroundings, `definitions` what its files define.
    """

    static: StaticOutcome
    names: tuple[Name, ...] | None
    unknown: tuple[str, ...]
    located: tuple[Located, ...]
    definitions: tuple[Definition, ...]
    production: tuple[str, ...]

    def bodies(self) -> Counter[str]:
        """How many functions there are, by the digest of their body."""
        return Counter(d.body for d in self.definitions if d.kind == "function")


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A state to compare with later, whole: its files (compressed, base64) and the verdicts of its tests."""

    kind: str
    schema_version: int
    score_model: str
    name: str
    commit: str | None
    digest: str
    files: dict[str, str]
    executable: tuple[str, ...] = ()
    run: OwnRun | None = None
    run_key: str = ""
    provenance: dict[str, str] = field(default_factory=dict)


def read_code(
    tree: Tree,
    project: Project,
    environment: Environment | None,
    *,
    production: ProductionSpec,
    public: tuple[Name, ...] | None = None,
    is_reference: bool = False,
    tools: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Code:
    """Read a state without running it.

    `public` are the baseline's public names, which decide what code counts as used; by default its own. Without
    `tools` there are no measures and no findings, only names and definitions. Raises ToolError when no worker can be
    started.
    """
    tree = replace(tree, import_roots=project.roots)
    cache = cache_root() / "static" / "results.sqlite"
    own, unknown = public_names(tree, project, cache)
    counted = public if public is not None else own
    site = next(iter(sorted(environment.prefix.glob("lib/python*/site-packages"))), None) if environment else None
    context = static_collectors.context_for(
        tree,
        judged=None,
        import_roots=tree.import_roots,
        site_packages=site,
        public_names={name.qualname for name in counted or ()},
        is_reference=is_reference,
        cache=cache,
    )
    context = replace(context, files=overruled(production, tree.files, context.files))
    static = _measured(context, tree, site, is_reference, progress) if tools else StaticOutcome(measures={})
    lines: dict[str, set[int]] = {}
    for finding in static.findings:
        if finding.path is not None and finding.line:
            lines.setdefault(finding.path, set()).add(finding.line)
    reading = read_definitions(tree, tree.files, lines, cache)
    return Code(
        static=static,
        names=own,
        unknown=unknown,
        located=_locate(static.findings, reading),
        definitions=reading.definitions,
        production=context.files,
    )


def _measured(
    context: StaticContext,
    tree: Tree,
    site: Path | None,
    is_reference: bool,
    progress: Callable[[int, int], None] | None,
) -> StaticOutcome:
    """What the static tools say about a state."""
    analysed = contained_structure(
        gather(tree.root, context.files, cache=context.cache),
        tree.import_roots,
        site_packages=(site,) if site else (),
        others=tree.files,
    )
    if isinstance(analysed, Unreadable):
        whose = Fault.REFERENCE if is_reference else Fault.SUBJECT
        lost = Unavailable(reason=analysed.reason, fault=whose)
        return static_collectors.measure(context, analysed=lost, on_progress=progress)
    return static_collectors.measure(context, analysed=analysed, on_progress=progress)


def public_names(tree: Tree, project: Project, cache: Path | None) -> tuple[tuple[Name, ...] | None, tuple[str, ...]]:
    """The public names of a tree's packages (None where they cannot be read), and those that are made at run time.

    Raises ToolError when no worker can be started.
    """
    found = contained_surface(tree, cache=cache)
    if isinstance(found, Unreadable):
        return None, ()
    return (
        tuple(_name(name) for name in found.names if name.name.partition(".")[0] in project.packages),
        tuple(name for name, _ in found.unknown if name.partition(".")[0] in project.packages),
    )


def _name(public: PublicName) -> Name:
    return Name(
        name=public.name,
        kind=public.kind,
        origin=public.origin,
        stub=public.stub is not None,
        signature=str(public.signature) if public.signature is not None else None,
    )


def _locate(findings: tuple[Finding, ...], reading: Reading) -> tuple[Located, ...]:
    functions: dict[tuple[str, str], str] = {
        (d.path, d.qualname): d.body for d in reading.definitions if d.kind == "function"
    }
    located = []
    for finding in findings:
        path = finding.path or ""
        place = reading.places.get((path, finding.line or 0))
        scope, statement = (place.scope, place.statement) if place else ("", "")
        body = ""
        parts = scope.split(".") if scope else []
        for end in range(len(parts), 0, -1):
            body = functions.get((path, ".".join(parts[:end])), "")
            if body:
                break
        located.append(Located(finding=finding, scope=scope, statement=statement, body=body))
    return tuple(located)


# --- keeping verdicts ---


@cache
def _own_digest() -> str:
    """Over our own code: what another version has kept is not ours."""
    digest = hashlib.sha256()
    for file in sorted(Path(qualityscore.__file__).parent.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def run_key(tree: Tree, environment: Environment, level: str) -> str:
    """Names all that the verdicts of a state's own tests depend on."""
    words = (tree.digest, environment.lock_digest, environment.version, platform.machine(), level, _own_digest())
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:32]


def kept_run(key: str) -> OwnRun | None:
    """The verdicts that were kept under a key; None where there are none that can be read."""
    try:
        run: OwnRun = adapter(OwnRun).validate_json((cache_root() / "states" / f"{key}.json").read_bytes())
    except (OSError, ValidationError):
        return None
    return run


def keep_run(key: str, run: OwnRun) -> None:
    """Keep the verdicts of a state. A cache that cannot be written is no fault."""
    place = cache_root() / "states" / f"{key}.json"
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{key}.", dir=place.parent)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(dump(run))
        Path(name).replace(place)
    except OSError:
        return


# --- snapshots ---


def snapshot_of(tree: Tree, *, name: str, commit: str | None, run: OwnRun | None, key: str) -> Snapshot:
    """A state as a document."""
    files = {
        path: base64.b64encode(zlib.compress((tree.root / path).read_bytes(), 9)).decode("ascii") for path in tree.files
    }
    return Snapshot(
        kind=_KIND,
        schema_version=STATE_SCHEMA_VERSION,
        score_model=SCORE_MODEL,
        name=name,
        commit=commit,
        digest=tree.digest,
        files=files,
        executable=tuple(path for path in tree.files if (tree.root / path).stat().st_mode & 0o100),
        run=run,
        run_key=key,
        provenance={"python": platform.python_version(), "qualityscore": qualityscore.version.__version__},
    )


def read_snapshot(file: Path) -> Snapshot:
    """Read a snapshot of a state. Raises SnapshotError with one sentence for anything else."""
    again = "write it again with: qualityscore baseline REPO -o FILE"
    try:
        data = read_at_most(file, MAX_SNAPSHOT_BYTES)
        if data is None:
            raise SnapshotError(
                f"The snapshot {file} is larger than {MAX_SNAPSHOT_BYTES} bytes; it is not one of ours."
            )
        document = json.loads(data)
    except OSError as error:
        raise SnapshotError(f"The snapshot {file} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise SnapshotError(f"The snapshot {file} is truncated or not JSON ({error}); {again}.") from error
    if not isinstance(document, dict) or document.get("kind") != _KIND:
        task = document.get("task_id") if isinstance(document, dict) else None
        what = f"a snapshot of the task {task!r}: use it with --task" if task else "no snapshot of a repository"
        raise SnapshotError(f"{file} is {what}; {again}.")
    if document.get("schema_version") != STATE_SCHEMA_VERSION:
        raise SnapshotError(
            f"The snapshot {file} has schema version {document.get('schema_version')!r}, "
            f"this version reads {STATE_SCHEMA_VERSION}; {again}."
        )
    if problem := non_finite(document):
        raise SnapshotError(f"The snapshot {file} is not valid: {problem}; {again}.")
    try:
        snapshot: Snapshot = adapter(Snapshot).validate_json(data)
    except ValidationError as error:
        raise SnapshotError(f"The snapshot {file} is not valid: {first_problem(error)}; {again}.") from error
    return snapshot


def unpack(snapshot: Snapshot, destination: Path, shown: str) -> None:
    """Write a snapshot's files. Raises SnapshotError for content that cannot be unpacked."""
    destination.mkdir(parents=True, mode=0o755)
    total = 0
    for path, packed in snapshot.files.items():
        parts = PurePosixPath(path).parts
        if not parts or PurePosixPath(path).is_absolute() or ".." in parts:
            raise SnapshotError(f"The snapshot {shown} holds a file called {path!r}, which cannot be written.")
        try:
            unpacker = zlib.decompressobj()
            data = unpacker.decompress(base64.b64decode(packed, validate=True), MAX_SNAPSHOT_BYTES)
        except (ValueError, zlib.error) as error:
            raise SnapshotError(f"The snapshot {shown} cannot be unpacked at {path!r}: {error}.") from error
        total += len(data)
        if not (unpacker.eof or unpacker.unconsumed_tail):
            raise SnapshotError(f"The snapshot {shown} cannot be unpacked at {path!r}: it is truncated.")
        if total > MAX_SNAPSHOT_BYTES or unpacker.unconsumed_tail:
            raise SnapshotError(
                f"The snapshot {shown} holds more than {MAX_SNAPSHOT_BYTES} bytes; it is not one of ours."
            )
        target = destination / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
            target.write_bytes(data)
        except (OSError, ValueError) as error:  # ValueError: no file can have such a name
            reason = error.strerror if isinstance(error, OSError) else error
            raise SnapshotError(f"The snapshot {shown} cannot be unpacked at {path!r}: {reason}.") from error
        target.chmod(0o755 if path in snapshot.executable else 0o644)
