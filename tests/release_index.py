"""A package index on this machine: real archives in folders, served over HTTP as PyPI's simple pages are (PEP 503)."""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile
import threading
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class _Handler(SimpleHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path.startswith("/broken/"):
            self.send_error(503)
        else:
            super().do_GET()

    def log_message(self, *_words: object) -> None:
        pass


@dataclass
class ReleaseIndex:
    """`url` is the index; archives are added with `sdist` and `wheel`."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        """What UV_DEFAULT_INDEX is set to."""
        return f"http://127.0.0.1:{self.port}/simple/"

    @property
    def broken_url(self) -> str:
        """An index that answers 503 to everything."""
        return f"http://127.0.0.1:{self.port}/broken/"

    def sdist(
        self, name: str, version: str, files: Mapping[str, str], *, metadata: str = "", announced: str = ""
    ) -> str:
        """Add a source release; returns its SHA-256. `announced` is the digest on its page, where it is another."""
        held = io.BytesIO()
        head = f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n{metadata}"
        with tarfile.open(fileobj=held, mode="w:gz") as tar:
            for path, text in {"PKG-INFO": head, **files}.items():
                info = tarfile.TarInfo(f"{name}-{version}/{path}")
                info.size = len(text.encode())
                tar.addfile(info, io.BytesIO(text.encode()))
        return self._offer(name, f"{name}-{version}.tar.gz", held.getvalue(), announced)

    def wheel(self, name: str, version: str) -> str:
        """Add a wheel of one empty module; returns its SHA-256."""
        info = f"{name}-{version}.dist-info"
        files = {
            f"{name}.py": "",
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
            f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        }
        rows = [f"{path},sha256={_urlsafe(text)},{len(text)}" for path, text in files.items()]
        files[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,"]) + "\n"
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w") as archive:
            for path, text in files.items():
                archive.writestr(path, text)
        return self._offer(name, f"{name}-{version}-py3-none-any.whl", held.getvalue(), "")

    def _offer(self, name: str, filename: str, data: bytes, announced: str) -> str:
        digest = hashlib.sha256(data).hexdigest()
        folder = self.folder / "simple" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / filename).write_bytes(data)
        with (folder / "index.html").open("a", encoding="utf-8") as page:
            page.write(f'<a href="{filename}#sha256={announced or digest}">{filename}</a><br>\n')
        return digest


def _urlsafe(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


def serve(folder: Path) -> tuple[ReleaseIndex, ThreadingHTTPServer]:
    """Start serving a folder; the caller shuts the server down."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return ReleaseIndex(folder=folder, port=server.server_port), server
