"""What this host is, as far as it decides whether two measurements may be compared."""

from __future__ import annotations

import hashlib
import platform
import sys
import sysconfig
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """The fields of scoring.md section 5 under which costs compare, and what identifies the host beside them."""

    interpreter: str
    libc: str
    machine: str
    cpu_features: str
    cpu_model: str
    kernel: str

    @property
    def digest(self) -> str:
        """A short digest over all fields."""
        return hashlib.sha256(repr(sorted(asdict(self).items())).encode()).hexdigest()[:16]


@cache
def fingerprint() -> Fingerprint:
    """Read once per process. The feature list is given as a digest, since it is long."""
    model, flags = "unknown", ""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text("utf-8", "replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name" and model == "unknown":
                model = value.strip()
            if key.strip() in ("flags", "Features") and not flags:
                flags = " ".join(sorted(value.split()))
    return Fingerprint(
        interpreter=f"{platform.python_implementation()} {platform.python_version()} "
        f"{platform.python_compiler()} {_build_digest()}",
        libc=" ".join(platform.libc_ver()),
        machine=platform.machine(),
        cpu_features=hashlib.sha256(flags.encode()).hexdigest()[:16],
        cpu_model=model,
        kernel=platform.release(),
    )


def _build_digest() -> str:
    """Two interpreters of one version differ when they were configured or compiled differently."""
    words = (sys.version, str(sysconfig.get_config_var("CONFIG_ARGS")), str(sysconfig.get_config_var("OPT")))
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:12]
