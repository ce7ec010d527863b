"""Launches in a sandbox on behalf of a test that itself runs as another user. Standard library and our runtime only.

Reads {"provider", "action": "probe" | "run", ...} from standard input, writes the answer as JSON.
"""

from __future__ import annotations

import base64
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from qualityscore.runtime.process import Limits
from qualityscore.runtime.sandbox import PROVIDERS, scenery
from qualityscore.runtime.sandbox.base import Launch, Mount


def interpreter() -> tuple[str, tuple[Mount, ...]]:
    """(path inside, mounts) of the interpreter that runs this."""
    base = Path(sys.base_prefix).resolve()
    mounts = () if base == Path("/usr") else (Mount(source=base, target=str(base)),)
    return str(base / "bin" / f"python3.{sys.version_info.minor}"), mounts


def launch(request: dict) -> Launch:
    python, mounts = interpreter()
    return Launch(
        argv=(python, "-sPB", *request.get("script", ("-c", request["code"])), *request.get("args", ())),
        mounts=mounts + tuple(Mount(source=Path(s), target=t, writable=w) for s, t, w in request.get("mounts", ())),
        env=request.get("env", {}),
        limits=Limits(**request["limits"]),
        scratch_bytes=request["scratch_bytes"],
        cpus=None,
        stdin=request.get("stdin", "").encode(),
        hidden=tuple(request.get("hidden", ())),
    )


def answer(request: dict) -> dict:
    provider = next(provider for provider in PROVIDERS if provider.name == request["provider"])
    if request["action"] == "probe":
        return asdict(provider.probe())
    if "covers" in request:  # in place of what is covered below /usr
        scenery.hidden_places = lambda: iter(request["covers"])
    began = time.monotonic()
    outcome = provider.run(launch(request))
    elapsed_s = time.monotonic() - began
    fields = asdict(outcome)
    fields = {k: base64.b64encode(v).decode() if isinstance(v, bytes) else v for k, v in fields.items()}
    return {"kind": type(outcome).__name__, "elapsed_s": elapsed_s, **fields}


if __name__ == "__main__":
    json.dump(answer(json.load(sys.stdin)), sys.stdout)
