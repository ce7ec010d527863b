"""The `container` level (experimental): docker or podman, with an empty image into which the runtime is mounted.

No image is fetched: an empty one is made once, and what a launch needs of the host is shown read-only, as the other
providers show it. A launch costs hundreds of milliseconds, and a container outlives a caller that is killed outright.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import secrets
import shutil
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path

from qualityscore.errors import SandboxUnavailableError
from qualityscore.runtime import process
from qualityscore.runtime.process import Exited, Limits, ProcessOutcome
from qualityscore.runtime.sandbox import scenery, seccomp
from qualityscore.runtime.sandbox.base import HOME_DIR, WORK_DIR, Availability, Capability, Launch, Level
from qualityscore.runtime.sandbox.identity import private_uid
from qualityscore.runtime.sandbox.prlimit import prlimit_words
from qualityscore.runtime.sandbox.probing import probe_launch
from qualityscore.runtime.scratch import scratch_folder

_IMAGE = "qualityscore-empty"
_EMPTY_ARCHIVE = bytes(10240)  # a tar file without members is two or more blocks of zeros
_EMPTY = "empty"
_ENGINE_FAILED = 125
_ROOTLESS_UID = 64123  # within the ids that a rootless engine maps
_PASSED_ON = ("PATH", "HOME", "USER", "XDG_RUNTIME_DIR", "DOCKER_HOST", "DOCKER_CONTEXT", "CONTAINER_HOST")
_OVERHEAD = Limits(
    wall_s=30,
    cpu_s=None,
    memory_bytes=None,
    processes=None,
    file_size_bytes=None,
    open_files=None,
    output_bytes=1 << 20,
)
_REMEDY = "install docker or podman and start its service, or install bubblewrap, which is faster"
# The scratch is mounted as one; its folders are made by the first process, which then becomes the command.
_ENTRY = 'mkdir -m 0777 -p "$1" "$2" && cd "$3" && shift 3 && exec "$@"'


class Container:
    """A container without network, capabilities or writable root."""

    name = "container"
    level = Level.CONTAINER
    capabilities = frozenset(Capability) - {Capability.DIES_WITH_CALLER}

    def probe(self, cpus: tuple[int, ...] | None = None) -> Availability:
        """Look for an engine that answers, then try a trivial launch and check what it must hide."""
        engine = _engine()
        if engine is None:
            return Availability(works=False, detail="neither docker nor podman answers", remedy=_REMEDY)
        return probe_launch(self, cpus, remedy=_REMEDY)

    def run(self, launch: Launch) -> ProcessOutcome:
        """Run to the end; the container is removed when this returns. Raises SandboxUnavailableError."""
        with _container(launch) as container:
            outcome = process.run(
                container.argv,
                env=_engine_env(),
                cwd=Path("/"),
                limits=_outer(launch.limits),
                stdin=launch.stdin,
                cpus=launch.cpus,
            )
            return container.judge(outcome)

    def stream(self, launch: Launch) -> Generator[bytes, None, ProcessOutcome]:
        """Like `run`, but yield standard output line by line; the generator returns the outcome."""
        with _container(launch) as container:
            outcome = yield from process.stream(
                container.argv,
                env=_engine_env(),
                cwd=Path("/"),
                limits=_outer(launch.limits),
                line_bytes=launch.limits.output_bytes,
                stdin=launch.stdin,
                cpus=launch.cpus,
            )
            return container.judge(outcome)


def _outer(limits: Limits) -> Limits:
    """Limits for the engine's client; those on the command are set inside."""
    return replace(limits, cpu_s=None, memory_bytes=None, processes=None, file_size_bytes=None, open_files=None)


def _engine_env() -> dict[str, str]:
    return {name: os.environ[name] for name in _PASSED_ON if name in os.environ}


def _ask(*argv: str, stdin: bytes = b"") -> Exited | None:
    """An engine's answer, or None when it failed or did not answer in time."""
    outcome = process.run(argv, env=_engine_env(), cwd=Path("/"), limits=_OVERHEAD, stdin=stdin)
    return outcome if isinstance(outcome, Exited) and outcome.code == 0 else None


@functools.cache
def _engine() -> str | None:
    """The first engine that has the empty image or can be given it; asked once."""
    for name in ("docker", "podman"):
        path = shutil.which(name)
        if path is not None and (
            _ask(path, "image", "inspect", _IMAGE) or _ask(path, "import", "-", _IMAGE, stdin=_EMPTY_ARCHIVE)
        ):
            return path
    return None


class _Running:
    """A container by name, and the client's command line that starts it."""

    def __init__(self, engine: str, name: str, words: list[str]) -> None:
        self.argv = [engine, *words]
        self._engine = engine
        self._name = name
        self._is_gone = False

    def judge(self, outcome: ProcessOutcome) -> ProcessOutcome:
        """Tell the command's own end from a failure of the engine, which has a status of its own."""
        if not isinstance(outcome, Exited):
            return outcome
        self._is_gone = True
        if outcome.code == _ENGINE_FAILED:
            said = outcome.stderr.decode(errors="replace").replace(self._name, "the container").strip()[-500:]
            raise SandboxUnavailableError(f"the container could not be started: {said}; {_REMEDY}")
        return replace(outcome, code=128 - outcome.code if 128 < outcome.code < 160 else outcome.code)

    def remove(self) -> None:
        """Kill and remove it, unless it ended by itself: ending the client alone leaves it running."""
        if not self._is_gone:
            # Removal alone would wait politely for a process that ignores SIGTERM.
            _ask(self._engine, "kill", "--signal", "KILL", self._name)
            _ask(self._engine, "rm", "--force", "--volumes", self._name)


@contextlib.contextmanager
def _container(launch: Launch) -> Iterator[_Running]:
    """A container to be started, gone after the block."""
    engine = _engine()
    if engine is None:
        raise SandboxUnavailableError(f"neither docker nor podman answers; {_REMEDY}")
    name = f"qualityscore-{secrets.token_hex(8)}"
    rootless = os.geteuid() != 0 and Path(engine).name == "podman"
    uid = _ROOTLESS_UID if rootless else private_uid()
    with scratch_folder("qs-") as files:
        files.chmod(0o755)
        for target, text in scenery.etc_files(uid).items():
            (files / Path(target).name).write_text(text)
        (files / _EMPTY).mkdir()
        (files / "seccomp.json").write_text(json.dumps(seccomp.oci_profile()))
        for mount in launch.mounts:
            if mount.writable:
                mount.source.chmod(0o777)
        running = _Running(engine, name, arguments(launch, name=name, uid=uid, files=files))
        try:
            yield running
        finally:
            running.remove()


def arguments(launch: Launch, *, name: str, uid: int, files: Path) -> list[str]:
    """The engine's command line for one launch; `files` holds the synthetic /etc and the filter."""
    words = ["run", "--rm", "--interactive", "--name", name, "--hostname", scenery.HOST_NAME]
    words += ["--network", "none", "--cap-drop", "ALL", "--read-only", "--user", f"{uid}:{uid}"]
    words += ["--security-opt", "no-new-privileges", "--security-opt", f"seccomp={files / 'seccomp.json'}"]
    words += ["--security-opt", "label=disable", "--workdir", "/"]
    words += ["--shm-size", str(launch.shm_bytes)]
    words += ["--tmpfs", f"/tmp:rw,exec,nosuid,nodev,mode=1777,size={launch.scratch_bytes}"]
    if launch.limits.processes is not None:
        words += ["--ulimit", f"nproc={launch.limits.processes}", "--pids-limit", str(launch.limits.processes)]
    if launch.limits.open_files is not None:
        words += ["--ulimit", f"nofile={launch.limits.open_files}"]
    for folder in scenery.root_folders():
        words += _shown(Path(folder), folder)
    for link, text in scenery.root_links():
        words += _shown(Path(link).parent / text, link)
    for target in scenery.etc_files(uid):
        words += _shown(files / Path(target).name, target)
    for path in scenery.etc_from_host():
        words += _shown(Path(path), path)
    for mount in launch.mounts:
        words += _shown(mount.source, mount.target, writable=mount.writable)
    covers = {place: Path(os.devnull) if Path(place).is_file() else files / _EMPTY for place in scenery.hidden_places()}
    for place, cover in {**covers, **dict.fromkeys(launch.hidden, files / _EMPTY)}.items():
        if not any(Path(mount.target).is_relative_to(place) for mount in launch.mounts):
            words += _shown(cover, place)
    variables = [f"{key}={value}" for key, value in scenery.environment(launch.env).items()]
    limited = prlimit_words(replace(launch.limits, processes=None, open_files=None))
    entry = ["/bin/sh", "-c", _ENTRY, "sh", HOME_DIR, WORK_DIR, launch.cwd, "/usr/bin/env", "-i", *variables]
    return [*words, _IMAGE, *entry, *limited, *launch.argv]


def _shown(source: Path, target: str, *, writable: bool = False) -> list[str]:
    return ["--volume", f"{source}:{target}:{'rw' if writable else 'ro'}"]
