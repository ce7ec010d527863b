"""A scoring service in a process of its own, as an operator starts it."""

from __future__ import annotations

import signal
import subprocess
import threading
from pathlib import Path

import httpx2

from backend.tiny import command, environment
from qualityscore.client import ScoringClient

TOKEN = "a-token-for-the-tests"


class Serving:
    """Started, and answering, when the constructor returns."""

    def __init__(self, *arguments: str | Path, env: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            command("serve", "--port", "0", *arguments), env=environment(env), stderr=subprocess.PIPE, text=True
        )
        assert self.process.stderr is not None
        self.said = ""
        for line in self.process.stderr:
            self.said += line
            if "serves on" in line:
                break
        assert "serves on" in self.said, self.said
        self.url = self.said.split()[-1]
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self.process.stderr or ():
            self.said += line

    def client(self, token: str | None = None, *, patience_s: float = 0.0) -> ScoringClient:
        return ScoringClient(self.url, token=token, patience_s=patience_s)

    def http(self, token: str | None = None) -> httpx2.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx2.Client(base_url=self.url, headers=headers, timeout=120)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout=30)
        finally:
            self.process.kill()


def nothing_cached(folder: Path) -> dict[str, str]:
    """An environment in which no task's environment can be built: a harness fault in every evaluation."""
    return {"UV_OFFLINE": "1", "UV_CACHE_DIR": str(folder / "uv"), "QUALITYSCORE_CACHE": str(folder / "qs")}


def token_file(folder: Path) -> Path:
    file = folder / "tokens"
    file.write_text(f"# who may ask\none {TOKEN}\nother another-token-for-the-tests\n")
    file.chmod(0o600)
    return file
