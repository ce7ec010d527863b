"""What a sandboxed launch and a supervised unit cost: wall and processor time, median of many.

Run as `python tests/bench/bench_sandbox_launch.py` on an otherwise idle machine. The bar: bubblewrap and Landlock add
less than 30 ms of wall time to a launch at the median, with the mounts and covers of an evaluation's.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from qualityscore.errors import SandboxUnavailableError
from qualityscore.runtime import process
from qualityscore.runtime.process import Exited, Limits
from qualityscore.runtime.sandbox import PROVIDERS
from qualityscore.runtime.sandbox.base import INSIDE_DIR, SUITE_DIR, Launch, Level, Mount
from qualityscore.runtime.sandbox.scenery import package_folders
from qualityscore.runtime.supervision import INSIDE_SOURCES

BAR_MS = 30.0
LAUNCHES = 40
LIMITS = Limits(
    wall_s=60,
    cpu_s=30,
    memory_bytes=1 << 30,
    processes=64,
    file_size_bytes=16 << 20,
    open_files=256,
    output_bytes=64 << 20,
)
ZYGOTE = "def prepare(args): return None\ndef run(state, args, send): send(b'x')\n"


def cpu_s() -> float:
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def cost(action: Callable[[], object], times: int) -> tuple[float, float]:
    """(median wall, mean processor time) in milliseconds."""
    action()
    walls = []
    before = cpu_s()
    for _ in range(times):
        began = time.perf_counter()
        action()
        walls.append(time.perf_counter() - began)
    return statistics.median(walls) * 1e3, (cpu_s() - before) / times * 1e3


def launch(*argv: str, mounts: tuple[Mount, ...], hidden: tuple[str, ...], stdin: bytes = b"") -> Launch:
    return Launch(
        argv=argv,
        mounts=mounts,
        env={},
        limits=LIMITS,
        scratch_bytes=16 << 20,
        cpus=None,
        stdin=stdin,
        hidden=hidden,
    )


def plan(units: int) -> bytes:
    each = {"args": None, "timeout_s": 10, "cpu_s": 10, "memory_bytes": 1 << 30}
    group = {"id": "g", "zygote": f"{SUITE_DIR}/toy", "args": None, "start_timeout_s": 10}
    group["units"] = [{"id": str(number), **each} for number in range(units)]
    return json.dumps({"groups": [group], "total_timeout_s": 50, "message_bytes": 1000, "output_bytes": 1000}).encode()


def main() -> int:
    plain_wall, plain_cpu = cost(
        lambda: process.run(("/bin/true",), env={}, cwd=Path("/"), limits=LIMITS, contained=True), LAUNCHES
    )
    print(f"{'plain /bin/true':24} {plain_wall:7.1f} ms wall {plain_cpu:7.1f} ms cpu")
    failed = False
    base = Path(sys.base_prefix).resolve()
    python = str(base / "bin" / f"python3.{sys.version_info.minor}")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        Path(folder, "toy.py").write_text(ZYGOTE)
        mounts = (
            Mount(source=base, target=str(base)),
            Mount(source=INSIDE_SOURCES, target=INSIDE_DIR),
            Mount(source=Path(folder), target=SUITE_DIR),
        )
        hidden = tuple(package_folders(base))
        for provider in PROVIDERS:
            if not provider.probe().works:
                print(f"{provider.name:24} does not work here")
                continue
            true = launch("/bin/true", mounts=mounts, hidden=hidden)
            try:
                provider.run(true)
            except SandboxUnavailableError as error:
                print(f"{provider.name:24} is launched without mounts: {error}")
                true = launch("/bin/true", mounts=(), hidden=())
            wall, cpu = cost(lambda provider=provider, true=true: provider.run(true), LAUNCHES)
            added = wall - plain_wall
            counts = provider.level in (Level.NAMESPACE, Level.LANDLOCK)
            failed |= counts and added >= BAR_MS
            print(f"{provider.name:24} {wall:7.1f} ms wall {cpu:7.1f} ms cpu, {added:6.1f} ms more than plain")

            def supervised(units: int, provider=provider) -> None:
                argv = (python, "-sPB", f"{INSIDE_DIR}/supervisor.py")
                outcome = provider.run(launch(*argv, mounts=mounts, hidden=hidden, stdin=plan(units)))
                assert isinstance(outcome, Exited), outcome
                assert json.loads(outcome.stdout.splitlines()[-1])["complete"]

            try:
                few, few_cpu = cost(lambda: supervised(1), 5)
                many, many_cpu = cost(lambda: supervised(101), 5)
            except Exception as error:
                print(f"{'':24} no supervised units: {error}")
                continue
            more, more_cpu = (many - few) / 100, (many_cpu - few_cpu) / 100
            print(f"{'':24} {few:7.1f} ms with one supervised unit, {more:.2f} ms ({more_cpu:.2f} cpu) for each more")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
