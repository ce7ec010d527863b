"""Limits on the command itself, set by the prlimit program just before it."""

from __future__ import annotations

from qualityscore.runtime.process import Limits


def prlimit_words(limits: Limits) -> list[str]:
    """The beginning of a command line that lowers the limits of the rest."""
    words = ["/usr/bin/prlimit", "--core=0"]
    if limits.cpu_s is not None:
        soft = max(1, int(-(-limits.cpu_s // 1)))
        words.append(f"--cpu={soft}:{soft + 1}")
    for option, value in (
        ("as", limits.memory_bytes),
        ("nproc", limits.processes),
        ("fsize", limits.file_size_bytes),
        ("nofile", limits.open_files),
    ):
        if value is not None:
            words.append(f"--{option}={value}")
    return [*words, "--"]
